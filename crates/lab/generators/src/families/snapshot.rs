//! A monitor that reads n nodes one by one, after listing 1.12 of the paper.
//!
//! An update flips the flags of two neighbours in one step, so the number of flags that are up is
//! always even; the monitor responds whether it found it odd.
//!
//! *Serializable*: while a monitor is on its way, updates and other monitors wait. It could as well
//! have read all nodes in its first step.
//!
//! *Broken*: the monitor reads node 0, `update_0` flips nodes 0 and 1, the monitor reads node 1
//! (and then the others, which are down): it finds one flag. Serially no monitor responds 1.

use super::{Program, Variant, acquire, body, release};

pub(super) fn write(n: usize, variant: Variant) -> String {
    let mut program = Program::new(variant, match variant {
        Variant::Serializable => {
            "A monitor reads the flags of all nodes, one by one. `update_i` flips those of nodes i and i
             + 1, so the number of flags that are up is always even; the monitor responds 1 if it
             finds it odd.

             Why it holds: updates wait while a monitor is on its way."
        }
        Variant::Broken => {
            "A monitor reads the flags of all nodes, one by one. `update_i` flips those of nodes i and i
             + 1, so the number of flags that are up is always even; the monitor responds 1 if it
             finds it odd.

             Why it breaks: `update_0` comes between reading node 0 and node 1, and the monitor sees
             one of the two flips. Serially it never responds 1."
        }
    });
    let broken = variant.is_broken();
    let mut monitor = if broken { Vec::new() } else { body![acquire("Frozen")] };
    monitor.extend(body!["odd := Node0"]);
    for i in 1..n {
        monitor.extend(body!["yield", format!("odd := odd != Node{i}")]);
    }
    if !broken {
        monitor.push(release("Frozen"));
    }
    monitor.push("odd".into());
    program.request("monitor", &monitor);
    for i in 0..n - 1 {
        let j = i + 1;
        let mut update = if broken { Vec::new() } else { body!["while (Frozen == 1) { yield }"] };
        update.push(format!("Node{j} := 1 - Node{j}"));
        update.push(format!("Node{i} := 1 - Node{i}"));
        program.request(&format!("update_{i}"), &update);
    }
    program.finish()
}
