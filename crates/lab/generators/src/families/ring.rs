//! Packets on a ring of switches while the rules change, after listing 1.11 of the paper.
//!
//! *Serializable*: a packet reads shared state once, in its first step, and so could as well have
//! made all hops in that step.
//!
//! *Broken*: a packet obeys the rules of the moment at every hop. If they change between two hops
//! (with n of at least 2 there is such a place), it responds 2 or 3; serially packets respond 0
//! or 1.

use super::{Program, Variant, body};

pub(super) fn write(n: usize, variant: Variant) -> String {
    let mut program = Program::new(variant, match variant {
        Variant::Serializable => {
            "Routing around a ring of switches. Rules of version 0 use the inner lane, those of version
             1 the outer lane. A packet is stamped with the version where it enters, and every
             switch obeys the stamp. It responds its last lane, plus 2 if it ever changed lanes.

             Why it holds: a packet looks at shared state in its first step only."
        }
        Variant::Broken => {
            "Routing around a ring of switches. Rules of version 0 use the inner lane, those of version
             1 the outer lane. Every switch obeys the version of the moment. A packet responds its
             last lane, plus 2 if it ever changed lanes.

             Why it breaks: `update` comes between two hops, and the packet changes lanes. Serially
             no packet does."
        }
    });
    program.items(&[format!("const SWITCHES = {n}")]);
    program.request("update(version in 0..1)", &body!["Version := version"]);
    let rule = if variant.is_broken() { "Version" } else { "stamp" };
    program.request("packet", &body![
        if variant.is_broken() { "lane := Version" } else { "stamp := Version;\n    lane := stamp" },
        "hops := 1",
        format!(
            "while (hops < SWITCHES) {{\n        yield;\n        if (lane != {rule}) {{ changed := 1; lane := {rule} }};\n        hops := hops + 1\n    }}"
        ),
        "2 * changed + lane"
    ]);
    program.finish()
}
