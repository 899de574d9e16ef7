//! Assertions that hold in every run of a sequential program, whatever the sizes of its sets.
//!
//! A sequential program ([`Sequential`]) visits members of sets of any size in any order. [`prove`]
//! walks through it with *abstract states*, each of which stands for many concrete ones, until
//! nothing new comes. An assertion holds if it holds in all abstract states that come by.
//!
//! # What an abstract state stands for
//! - *Unknowns* are numbered. There must be a value for each of them, the same wherever its number
//!   occurs.
//! - Every single process, and every *named* member of a set (one that a symbol in scope stands
//!   for), has a store: its variables have these values. A variable that is not there has any
//!   value. Two named members are different; two symbols may be names of the same.
//! - Every set of processes has *classes*. A member that is not named is in one of them: its
//!   variables have the values that the class says, where *itself* is its own address and an *own*
//!   unknown may be another value for every member. A class may have no members. So a state with
//!   more classes stands for more.
//! - Every bag has values; a message in the bag is one of them, with its own unknowns. Each may be
//!   there never or often.
//! - Of a set it may be known that it is empty, or that it is not.
//! - A loop that runs over a set of processes has *marked* the members that it has visited, named
//!   or not.
//!
//! # Why every step covers what can happen
//! - `for u in S`: the next member is not marked. It is a named one, and `u` becomes another name
//!   for it; or it is not named and in some class, and `u` becomes the first name of a member with
//!   such a store (own unknowns are new unknowns). The class stays, as others may be in it. The
//!   loop ends when all members are marked: so all named ones are, and classes that are not have no
//!   members and are dropped. That is what makes "nobody said no" known where a variable says so.
//!   If there is a member, as declared or as somebody was visited before, and none is left in any
//!   class, there is no such run. `pick` is the same without marks.
//! - A name goes out of scope: the member goes back as a class. Its address becomes *itself* there,
//!   and an unknown everywhere else. The first name of a member is the last to go, because blocks
//!   are nested.
//! - Loops over indices: no round, or any number of them, each with an unknown index. That the same
//!   set is empty in all of its loops or in none is remembered.
//! - Unknowns that occur in classes and bags only become own ones; values that are too large, and
//!   results of arithmetic that are, become new unknowns; variables that are not read any more are
//!   dropped; classes that others cover are, too: all of these stand for more than before.
//! - A condition that is not decided goes both ways. What it says is used where it says what an
//!   unknown is. The unknown is replaced everywhere, which is right because the same number is the
//!   same value.
//! - States that agree in everything but classes and bags may be joined: all classes and values of
//!   both.
//! - An assertion that may fail does not end a run here: in the protocol it stops one process,
//!   while others go on, up to where they wait for it. They get as far if the assertion is ignored.
//!   So nothing is assumed after an assertion. A `match` without a case for a message, or `pick`
//!   from nothing, does end it: the rules of the [kernel](crate) exclude both.
//!
//! There are finitely many abstract states: numbers come from the program or are small, unknowns
//! are numbered in the order in which they occur. Whoever runs out of steps or [`Limits`] claims
//! nothing.
//!
//! Several attempts are made, from coarse to fine, each for the assertions that are still open;
//! each is sound by itself.

mod condition;
mod live;
mod state;
mod value;
mod walk;

use crate::replay::Outcome;
use crate::sequential::Sequential;
use ser_base::Limits;
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::StmtId;
use std::collections::BTreeSet;
use walk::Walk;

/// How many classes, messages and states are looked at in each attempt, unless somebody wants less.
pub const STEPS: u64 = 200_000;

/// Which assertions of a sequential program hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// Assertions all of whose occurrences in the program hold, in every run and for all sizes.
    pub holds: BTreeSet<StmtId>,
    /// The other assertions of the program, about which nothing is said.
    pub unknown: BTreeSet<StmtId>,
    /// How many abstract states were looked at.
    pub states: usize,
    /// Whether at least one attempt has come to its end.
    pub complete: bool,
}

impl Proof {
    /// What is still open of a protocol after a derivation and this proof on its program,
    /// ascending.
    ///
    /// What servers may do after the end of the program stays open, whatever holds in the program:
    /// it is not in it.
    pub fn still_open(&self, outcome: &Outcome) -> Vec<StmtId> {
        let proved = |it: &StmtId| self.holds.contains(it) && !outcome.beyond.contains(it);
        outcome.open.iter().copied().filter(|it| !proved(it)).collect()
    }
}

/// How precise to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attempt {
    /// Whether states that differ in what is possible only become one.
    join: bool,
    /// The largest result of arithmetic that is kept.
    largest: u64,
    /// How many cases a condition may have.
    most_cases: usize,
}

/// From coarse to fine.
const ATTEMPTS: [Attempt; 3] = [
    Attempt { join: true, largest: 1, most_cases: 64 },
    Attempt { join: true, largest: 8, most_cases: 64 },
    Attempt { join: false, largest: 1, most_cases: 64 },
];

/// Why an attempt gives up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stop {
    /// Too much work.
    Budget,
    /// No program of this shape comes from a derivation: a symbol is bound twice or not at all, a
    /// number is not in the protocol.
    Shape,
}

/// Which assertions of a sequential program hold in all of its runs.
///
/// The program must be one that [`replay`](crate::replay()) has made for this protocol. Assertions
/// that it has marked with `holds` are taken as proved.
pub fn prove(protocol: &Protocol, program: &[Sequential], steps: u64, limits: &Limits) -> Proof {
    let mut proof =
        Proof { holds: BTreeSet::new(), unknown: BTreeSet::new(), states: 0, complete: false };
    Sequential::walk(program, &mut |stmt| {
        if let Sequential::Assert { from, holds, .. } = stmt {
            if *holds { &mut proof.holds } else { &mut proof.unknown }.insert(*from);
        }
    });
    proof.holds = proof.holds.difference(&proof.unknown).copied().collect();
    let lines = live::lines(program);
    for attempt in ATTEMPTS {
        if proof.unknown.is_empty() {
            proof.complete = true;
            break;
        }
        let mut walk = Walk::new(protocol, attempt, steps, limits);
        let done = walk.run(&lines);
        proof.states = proof.states.saturating_add(walk.states);
        if done.is_ok() {
            proof.complete = true;
            proof.holds.extend(proof.unknown.difference(&walk.failing));
            proof.unknown.retain(|it| walk.failing.contains(it));
        }
    }
    proof
}
