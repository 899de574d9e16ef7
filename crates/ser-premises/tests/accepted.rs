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
    println!("{conditions} {shown} {lemmas}");
}
