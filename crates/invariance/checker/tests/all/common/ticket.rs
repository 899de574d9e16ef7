//! The ticket lock of the paper, with numbers, and its proof written by hand.

use crate::common::{Terms, With, case, induction, proved};
use ser_invariance_checker::{Certificate, Lemma, Mover, TermRef};

pub const TICKET: &str = "\
set Threads
var avail: int = 0;
var serving: int = 0;
process thread for self in Threads {
  var ticket: int = 0;
  loop {
    skip;
    take: atomic { ticket := avail; avail := avail + 1; }
    active: {
      wait: await serving == ticket;
      crit: {
        skip;
        leave: serving := serving + 1;
      }
    }
  }
}
invariant activelow(i): at(i, active) -> ticket[i] < avail;
invariant notsame(i, j): i != j && at(i, active) && at(j, active) -> ticket[i] != ticket[j];
invariant minticket(i): at(i, crit) -> serving == ticket[i];
invariant mutex(i, j): i != j -> !(at(i, crit) && at(j, crit));
";

/// Numbers of locations.
pub const TAKE: u32 = 2;
pub const WAIT: u32 = 3;
pub const LEAVE: u32 = 5;

pub fn ticket() -> Certificate {
    let mut t = Terms::default();
    let (avail, serving) = (t.global(0), t.global(1));
    let of: Vec<TermRef> = (0..3).map(|block| t.local(0, block)).collect();

    // ticket[i] < avail gives ticket[i] < avail + 1.
    let grows = t.apart(avail, of[0], -1, -1);
    let activelow = induction(
        "activelow",
        vec![],
        vec![case(Mover::Fresh, TAKE, 0, &[0, 1]).with(vec![grows])],
    );

    // The one that takes a ticket gets avail, and the other has less.
    let mut less = |other: u32| {
        let term = of[other as usize];
        // ticket <= avail - 1, and not (avail - ticket >= 1).
        vec![t.apart(avail, term, -1, 0), t.apart(term, avail, 0, -1)]
    };
    let notsame = induction(
        "notsame",
        vec![],
        vec![
            case(Mover::Variable(0), TAKE, 0, &[0, 1]).using("activelow", &[1]).with(less(1)),
            case(Mover::Variable(1), TAKE, 0, &[0, 1]).using("activelow", &[0]).with(less(0)),
        ],
    );

    // Both have the number that is served, so their tickets are the same.
    let both = |t: &mut Terms, i: usize, j: usize| -> Vec<Lemma> {
        let mut lemmas = Vec::new();
        for (x, y) in [(of[i], of[j]), (of[j], of[i])] {
            // serving <= x, y <= serving, not y <= x.
            let (f, g, h) = (t.minus(x, serving, 0), t.minus(serving, y, 0), t.minus(y, x, -1));
            lemmas.push(Lemma::Farkas(vec![(f, 1), (g, 1), (h, 1)]));
        }
        lemmas
    };
    let minticket = induction(
        "minticket",
        vec![],
        vec![
            case(Mover::Fresh, LEAVE, 0, &[0, 1])
                .using("notsame", &[0, 1])
                .with(both(&mut t, 0, 1)),
        ],
    );
    let mutex = induction(
        "mutex",
        vec![],
        vec![
            case(Mover::Variable(0), WAIT, 0, &[0, 1])
                .using("notsame", &[0, 1])
                .using("minticket", &[1])
                .with(both(&mut t, 0, 1)),
            case(Mover::Variable(1), WAIT, 0, &[0, 1])
                .using("notsame", &[0, 1])
                .using("minticket", &[0])
                .with(both(&mut t, 0, 1)),
        ],
    );
    proved(TICKET, t, vec![activelow, notsame, minticket, mutex], vec![])
}
