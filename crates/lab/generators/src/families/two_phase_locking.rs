//! Two-phase locking over a ring of locks.
//!
//! *Serializable*: nobody releases a lock before having both. From then until the release nobody
//! else touches the two items, and before it nothing was read or written (Eswaran, Gray, Lorie and
//! Traiger, CACM 1976). The lock with the smaller number comes first, so nobody waits in a circle.
//!
//! *Broken*: the first lock is released after the first item was read. Items 0 and 1 start as 1
//! and 0. Two `swap_0` read item 0 (1, 1). One goes on, finds 0 in item 1 and responds 2 * 1 + 0 =
//! 2; the items are now 0 and 1. The other goes on, finds 1 and responds 3. Two `swap_0` alone
//! respond 2 and 1 serially.

use super::{Program, Variant, acquire, body, release};

pub(super) fn write(n: usize, variant: Variant) -> String {
    let mut program = Program::new(variant, match variant {
        Variant::Serializable => {
            "Two-phase locking: items in a ring, each with a lock. `swap_i` exchanges items i and i + 1
             with both locks in its hands, and responds 2 * (the first) + (the second).

             Why it holds: nobody releases a lock before having both. Locks are taken in the order
             of their numbers, so nobody waits in a circle."
        }
        Variant::Broken => {
            "Items in a ring, each with a lock. `swap_i` exchanges items i and i + 1 and responds 2 *
             (the first) + (the second), but releases the first lock before it has the second.

             Why it breaks: two `swap_0` read 1 from item 0. One finds 0 in item 1, responds 2, and
             leaves 0 and 1; the other finds 1 and responds 3. Serially they respond 2 and 1."
        }
    });
    let items: Vec<String> = (0..n).step_by(2).map(|i| format!("Item{i} := 1")).collect();
    program.items(&items);
    for i in 0..n {
        let j = (i + 1) % n;
        let (first, second) = (format!("Lock{}", i.min(j)), format!("Lock{}", i.max(j)));
        let (a, b) = (format!("a := Item{i}"), format!("b := Item{j}"));
        let (to_a, to_b) = (format!("Item{i} := b"), format!("Item{j} := a"));
        program.request(
            &format!("swap_{i}"),
            &if variant.is_broken() {
                body![
                    acquire(&first),
                    "yield",
                    a,
                    release(&first),
                    "yield",
                    acquire(&second),
                    b,
                    to_a,
                    "yield",
                    to_b,
                    release(&second),
                    "2 * a + b"
                ]
            } else {
                body![
                    acquire(&first),
                    "yield",
                    acquire(&second),
                    "yield",
                    a,
                    "yield",
                    b,
                    to_a,
                    "yield",
                    to_b,
                    release(&first),
                    release(&second),
                    "2 * a + b"
                ]
            },
        );
    }
    program.finish()
}
