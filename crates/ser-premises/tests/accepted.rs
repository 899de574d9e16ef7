//! Proofs that are accepted.

mod common;
#[path = "common/ticket.rs"]
mod ticket;

use common::accept;
use ser_premises::Verdict;

#[test]
fn the_ticket_lock_with_numbers() {
    let Verdict::Proved { invariants, conditions, shown, lemmas, .. } = accept(&ticket::ticket())
    else {
        panic!("it is proved")
    };
    assert_eq!(invariants, ["activelow", "notsame", "minticket", "mutex"]);
    // 7 paths (waiting is none); 1, 2, 1, 2 parameters; and safety.
    let paths = 7;
    let (one, two) = (1 + 2 * paths, 2 + (2 + 2 + 2) * paths);
    assert_eq!(conditions, 2 * one + 2 * two + paths);
    assert!(shown < conditions / 4, "{shown} of {conditions}");
    assert_eq!(lemmas, 1 + 4 + 2 + 4);
}
