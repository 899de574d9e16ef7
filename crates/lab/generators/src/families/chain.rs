//! A change that travels along a chain of cells.
//!
//! `push` flips the first cell and copies each cell to the next, reading in one step and writing in
//! another. It responds (first cell) + (last cell).
//!
//! *Serializable*: under a lock.
//!
//! *Broken*: one `push` sets the first cell to 1 and pauses with 1 in its hands. A second sets it
//! back to 0, copies 0 all along and responds 0. The first goes on, copies 1 all along and
//! responds 0 + 1 = 1. Serially the cells are equal after each request, and the sum is 0 or 2.

use super::{Program, Variant, acquire, body, release};

pub(super) fn write(n: usize, variant: Variant) -> String {
    let mut program = Program::new(variant, match variant {
        Variant::Serializable => {
            "A chain of cells. `push` flips the first one and copies each to the next, with a pause
             between reading and writing; it responds the sum of the first and the last.

             Why it holds: it does all this under a lock."
        }
        Variant::Broken => {
            "A chain of cells. `push` flips the first one and copies each to the next, with a pause
             between reading and writing; it responds the sum of the first and the last.

             Why it breaks: a second `push` overtakes the first, which then writes old values over
             new ones and responds 1. Serially all cells are equal in the end: 0 or 2."
        }
    });
    let broken = variant.is_broken();
    let mut push = if broken { Vec::new() } else { body![acquire("Lock")] };
    push.push("Cell1 := 1 - Cell1".into());
    for i in 1..n {
        push.extend(body![format!("copy := Cell{i}"), "yield", format!("Cell{} := copy", i + 1)]);
    }
    if !broken {
        push.push(release("Lock"));
    }
    push.push(format!("Cell1 + Cell{n}"));
    program.request("push", &push);
    program.finish()
}
