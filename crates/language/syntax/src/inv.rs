//! Models of threads: a program for any number of them, invariants, and a proof.
//!
//! They are `.ser` programs with one process for each member of a set:
//!
//! ```text
//! set Threads                                 // any number, at least one; `set Threads == 2`: two
//! var avail: int = 0
//! ghost var elems: set of elem
//! var owner: Threads = nobody                 // a thread, or `nobody`
//! assume avail >= 0
//!
//! process thread for self in Threads {        // `self`: what a thread calls itself
//!     var ticket: int = 0;
//!     loop {
//!         take: atomic { ticket := avail; avail := avail + 1 };
//!         active: { work(ticket); skip }
//!     }
//! }
//!
//! fn work(n: int) { n := n + 1 ghost { elems := {} } }
//! fn active(i) = at(i, active)                // a shorthand in invariants
//! invariant bounded(i): active(i) -> ticket[i] < avail
//! proof { bounded; }
//! ```
//!
//! The grammar is that of the language. What this world does not have (requests, arrays, records,
//! `yield`, `for`, ...) is an error. Functions are `min`, `max`, `addr2set`, `set2elem`, `reach`,
//! `ordered` ([`FUNCTIONS`]); the fields of a cell are `next`, `data` and `lockid` ([`FIELDS`]).
//! `null`, `nobody`, `lowest` and `highest` are values. There are no quantifiers.
//!
//! # What it means
//!
//! Any number of threads (at least one; exactly `N` for `set Threads == N`) run the same code, that
//! of the process. They share globals and a heap of cells with the fields `next`, `data` and
//! `lockid`; each has locals of its own, those of procedures too. A variable without initial value
//! starts with any value of its type, and so does every cell; `assume` says what holds of globals
//! and heap at the start.
//!
//! **A statement is a step.** Between any two steps others can do theirs. The test of an `if` or
//! `while` is a step of its own, so is a `choose { } or { }`, a call and a `return`; names are
//! none. `atomic { ... }` is one step: its actions are done one after the other. `ghost { ... }`
//! behind a statement is done in the same step, after it; so are those behind `await c`. Every
//! statement is a *location*, and a thread is always at one.
//!
//! `match` is one step, too: it goes on in the case that fits. `break` and `continue` are steps;
//! `break` leaves the innermost loop. In the body of a function with a result, a value at the end
//! is returned.
//!
//! **Constants, enumerations, ranges.** A constant is its value. The values of an enumeration are
//! the numbers from 0 on, with names; in statements they are not mixed with other numbers. That a
//! variable with a range `0..3` (or of an enumeration) stays there is an *invariant* that every
//! file with such a variable claims, before its own; of a parameter, while the thread is in its
//! function. Without an initial value, a shared variable starts with any value of its range, and
//! `choose(0..3)` is one of these.
//!
//! **Locks.** `lock L` is a shared variable for a thread, `nobody` at the start. `with L { ... }`
//! is a step that waits until nobody has it and takes it, the block, and a step that gives it back.
//! `return`, `break` and `continue` inside give it back in their own step (a thread does not end
//! while it has a lock). `held: with L { ... }` names all places where it is held. Nothing else
//! assigns it; invariants may speak of it: `L == i`.
//!
//! **Waiting and errors.** A thread waits at `await` until the condition holds, at `lock a` until
//! nobody has locked the cell (so that who locks a cell twice waits forever), and at
//! `choose(int) where c` until there is a value that fits. In `atomic`, all of it waits: either
//! everything is done, or nothing. Other things are *errors*, which a proof must exclude: in a
//! statement (but not behind `where`) reading or writing a field of `null`, locking or unlocking
//! `null`, unlocking a cell that the thread itself has not locked, an `assert` that does not hold,
//! and the minimum or maximum of an empty set in a value. In `c && d`, `c || d` and `c -> d`, what
//! is wrong with `d` does not matter if `c` decides.
//!
//! **New cells.** `malloc` gives an address that nobody can get at: not `null`, not in a variable
//! of type `set of addr`, and not in a variable of type `addr` nor reached from one by `next`. An
//! address that was given up may come again. Ghost variables do not count, and neither do cells
//! that are reached only from members of a set.
//!
//! In invariants there are no errors: the fields of `null` are some values. **The minimum of the
//! empty set is no number**: a comparison (`==`, `<`, `<=`, `in`, ...) with `min(s)` or `max(s)` in
//! it does not hold if `s` is empty, whatever else it says. So `min(s) == x` says that `s` has
//! elements; `min(s) != x` is the opposite of that, as always, and so it holds if `s` is empty. The
//! same goes for conditions of statements: `await min(s) == x` waits while `s` is empty. Only in a
//! value, as in `x := min(s)`, it is an error.
//!
//! **Functions** with a body have one set of locals for each thread: a call sets the parameters,
//! and the other locals keep the values of the last call. So there is no recursion. Locals can be
//! named in invariants wherever the thread is.
//!
//! **Invariants** are about all threads: `invariant mutex(i, j): ...` holds for all threads `i`
//! and `j`, also if they are the same one. In them a local is `x[i]`, where `i` is a parameter or a
//! shared variable for a thread that is never assigned and has no initial value: one thread,
//! whichever it is. If several bodies have an `x`, it is `p.x[i]`, with the name of the function or
//! the process. `at(i, L)` says that the thread is at one of these locations:
//!
//! - the name of a statement is its location, that of a block is all locations inside, that of a
//!   function or the process is all of its own;
//! - names are those of their body: `insert.link`, or just `link` if no other has one;
//! - `a..b` is everything from `a` to `b` as it is written, in one body: from the first
//!   location of `a` to the last one of `b`.
//!
//! `fn name(i) = ...` is a shorthand for invariants: a formula or a value with the threads that it
//! is about.
//!
//! **A proof** says for some invariants what helps: `mutex from a, b;` at every step, `mutex { at
//! wait self use a; }` at steps from there, of a thread that is among those of `mutex` (`self`) or
//! not (`other`). The invariant itself always helps. All of this is about the state before the
//! step, which is why support may go in circles. `proof acyclic` does without them. `mutex follows
//! from a, b;` says that no induction is needed: in every state in which `a` and `b` hold, so does
//! `mutex`.
//!
//! # Static rules
//!
//! - Everything has a type, and fits. `{}` is a set of what is wanted there. One side of a product
//!   is a constant.
//! - **Threads are alike**: they have no numbers and no order, and are compared with `==` and `!=`
//!   only. This is what makes a proof valid for any number of them.
//! - Invariants have no quantifiers: their parameters (at most [`MAX_PARAMETERS`]) stand for all
//!   threads. In statements nobody sees locals or locations of others; the member of the set is the
//!   thread itself, and stands in statements and initial values of locals only.
//! - `.lockid` changes by `lock` and `unlock` only; `choose` and `malloc` give values to variables,
//!   not to fields.
//! - **Ghosts do not interfere**: no condition, argument, result or address depends on a ghost
//!   variable, nor does the value of anything that is not a ghost. `ghost { ... }` assigns ghost
//!   variables, and nothing else. `assert` may look at them.
//! - Initial values and assumptions do not speak of threads; those of locals may
//!   mention the thread itself.
//! - There is one process. No function calls itself, directly or not. One that is never called is
//!   left out (with a warning), and nothing may mention it. A function with a result returns one
//!   at every end. Nothing stands behind a `return` or a `loop`.
//! - One name is one thing: globals, functions and the process do not share names, nor do locals
//!   and globals, nor the places of one body, nor invariants.
//! - Nothing follows from itself, and under `proof acyclic` nothing is supported by itself through
//!   others.
//!
//! A body that does not end with `return` gets one at its closing brace. If the end cannot be
//! reached, it has no value even where there should be one.
//!
//! The way through: the parser of the crate, then `resolve` (to [`System`]).
//! [`symbols`] says where names stand.

pub mod ast;
mod resolve;
pub mod symbols;
mod walk;
mod words;

pub use ast::System;
pub use words::{FIELDS, FUNCTIONS, KEYWORDS, is_reserved};

use crate::ast::{ClaimKind, Name, Program};
use crate::report::Messages as _;
use crate::{Occurrence, nothing_there};
use resolve::Resolved;
use ser_base::{Diagnostic, Span};
use std::collections::BTreeSet;
use symbols::{Label, Let, Symbol};

pub use crate::cursor::MAX_STATEMENTS;
/// How many variables a file can have.
pub const MAX_VARIABLES: usize = 4096;
/// How many parameters an invariant can have.
pub const MAX_PARAMETERS: usize = 4;
/// The largest number of threads behind `==`.
pub const MAX_THREADS: u32 = 64;
/// How many terms shorthands and places can have when they are written out, in the whole file.
pub const MAX_EXPANDED: usize = 1 << 20;

/// A model of threads, understood as far as possible.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InvParse {
    /// What stands there; with holes where there were errors.
    pub tree: Program,
    /// What it means; with holes where there were errors.
    pub system: System,
    /// Errors and warnings, sorted by position.
    pub diagnostics: Vec<Diagnostic>,
    /// Where names stand, in the order of the text. What was not understood is not among them.
    pub occurrences: Vec<Occurrence<Symbol>>,
    /// The labels, in the order of the procedures and there in that of the text.
    pub labels: Vec<Label>,
    /// The shorthands, in their order.
    pub lets: Vec<Let>,
}

/// Reads a model of threads.
///
/// Never fails and never panics; what is wrong with the text is among the diagnostics. In a system
/// without errors there is a process, all numbers ([`LocId`](ast::LocId), ...) are those of
/// something that is there, all expressions have the types that [`ast`] asks for and trees of at
/// most [`MAX_DEPTH`](crate::MAX_DEPTH) levels, every procedure is called and none calls itself,
/// and everything else that [`ast`] promises.
///
/// ```
/// let text = "
///     set Threads
///     var turn: Threads
///     process thread for self in Threads { loop { take: await turn == self; crit: skip } }
///     invariant mutex(i, j): at(i, crit) && at(j, crit) -> i == j
/// ";
/// let parse = ser_syntax::inv::parse(text);
/// assert!(parse.diagnostics.is_empty());
/// // The loop, its two statements, and the end.
/// assert_eq!(parse.system.locations.len(), 4);
/// ```
///
/// ```
/// let parse = ser_syntax::inv::parse("set Threads  process p for self in Threads { x := 1 }");
/// let error = &parse.diagnostics[0];
/// assert_eq!(error.message, "there is no variable `x`");
/// ```
pub fn parse(text: &str) -> InvParse {
    let ((tree, mut resolved), diagnostics) = crate::with_tokens(text, |tokens, sink| {
        let tree = crate::files::parse(text, tokens, sink);
        let resolved = resolve::resolve(text, &named(text, &tree), tokens, sink);
        if !sink.has_errors() && !resolved.has_thread {
            let message = "this program does not say what threads do";
            nothing_there(text, tokens, "no-thread", message, "a process for each thread")
                .with_help(
                    "a small one is `set Threads  var x: int = 0  \
                     process thread for self in Threads { x := x + 1 }  \
                     invariant positive: x >= 0`",
                )
                .report(sink);
        }
        (tree, resolved)
    });
    resolved.occurrences.sort_unstable();
    let Resolved { system, occurrences, labels, lets, .. } = resolved;
    InvParse { tree, system, diagnostics, occurrences, labels, lets }
}

/// The tree with a name for each invariant: what proofs and tables call it. One that the source
/// gives no name is called by its condition, or by its line if that is long.
fn named(text: &str, tree: &Program) -> Program {
    const LONGEST: usize = 32;
    let lines = ser_base::LineIndex::new(text);
    let mut tree = tree.clone();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for claim in tree.claims.iter_mut().filter(|it| it.kind == ClaimKind::Invariant) {
        let name = claim.name.get_or_insert_with(|| {
            let condition = claim.conjuncts.first().map_or(claim.span, |it| it.condition.span);
            let written = text.get(condition.range()).unwrap_or_default();
            let written = written.split_whitespace().collect::<Vec<_>>().join(" ");
            let is_short = claim.conjuncts.len() == 1 && written.len() <= LONGEST;
            let text = match is_short && !known.contains(&written) {
                true => written,
                false => format!("line {}", lines.line(claim.span.start)),
            };
            Name { text, span: Span::empty(claim.span.start) }
        });
        known.insert(name.text.clone());
    }
    tree
}
