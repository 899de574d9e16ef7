//! A counter with a limit, after listings 1.6 and 1.7 of the paper.
//!
//! *Serializable*: a request that has stopped waiting does all it does in that step; waiting
//! changes nothing.
//!
//! *Broken*: two `inc` read 0 and both respond 1. Two `inc` alone respond 1 and 2 serially (for
//! every limit of at least 2).

use super::{Program, Variant, body};

pub(super) fn write(n: usize, variant: Variant) -> String {
    let mut program = Program::new(variant, match variant {
        Variant::Serializable => {
            "A counter from 0 to LIMIT. `inc` waits below the limit, `dec` above zero; both respond
             with the new value.

             Why it holds: nothing comes between reading the counter and writing it."
        }
        Variant::Broken => {
            "A counter from 0 to LIMIT that is read in one step and written in another.

             Why it breaks: two `inc` read 0, both write and respond 1. Serially one of two `inc`
             responds 2."
        }
    });
    program.items(&[format!("const LIMIT = {n}")]);
    for (name, end, sign) in [("inc", "LIMIT", '+'), ("dec", "0", '-')] {
        let wait = format!("while (Count == {end}) {{ yield }}");
        program.request(
            name,
            &if variant.is_broken() {
                body![
                    wait,
                    "seen := Count",
                    "yield",
                    format!("Count := seen {sign} 1"),
                    format!("seen {sign} 1")
                ]
            } else {
                body![wait, format!("Count := Count {sign} 1"), "Count"]
            },
        );
    }
    program.request("read", &body!["Count"]);
    program.finish()
}
