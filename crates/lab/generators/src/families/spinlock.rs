//! A spin lock around a long critical section, after listing 1.3 of the paper.
//!
//! *Serializable*: whoever holds the lock is alone with `X`, and everybody takes it.
//!
//! *Broken*: `peek` does not take the lock and sees `X` at 1; serially every request finds and
//! leaves it at 0.

use super::{Program, Variant, acquire, body, release};

pub(super) fn write(n: usize, variant: Variant) -> String {
    let mut program = Program::new(variant, match variant {
        Variant::Serializable => {
            "A spin lock around a critical section with PAUSES pauses.

             Why it holds: X is 1 only while somebody holds the lock, and everybody takes the lock
             before looking at X."
        }
        Variant::Broken => {
            "A spin lock around a critical section with PAUSES pauses, and a handler that forgets it.

             Why it breaks: `peek` looks at X while `work` is in its critical section, and responds
             1. Serially X is always back at 0."
        }
    });
    program.items(&[format!("const PAUSES = {n}")]);
    program.request(
        "work",
        &body![
            acquire("Lock"),
            "X := 1",
            "left := PAUSES",
            "while (left > 0) { yield; left := left - 1 }",
            "seen := X",
            "X := 0",
            release("Lock"),
            "seen"
        ],
    );
    program.request(
        "peek",
        &if variant.is_broken() {
            body!["X"]
        } else {
            body![acquire("Lock"), "yield", "seen := X", release("Lock"), "seen"]
        },
    );
    program.finish()
}
