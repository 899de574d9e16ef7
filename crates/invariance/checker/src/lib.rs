//! The premises of parametrized invariance, and a checker that goes through all of them.
//!
//! A model of threads ([`ser_syntax::inv`]) has a program, which any number of threads run, and
//! *invariants*: formulas over the globals, the heap and the locals of some threads `i`, `j`, ....
//! A [`Certificate`] claims that some of them hold in every reachable state, for every number of
//! threads (or shows a concrete [`Run`] in which one does not). This crate writes down anew what
//! has to hold for that (the *premises*), and checks the proof of each. It knows nothing of the
//! search that found the proof. The rules are those of Sanchez and Sanchez, *Parametrized
//! Invariance for Infinite State Processes* (Acta Informatica 2015; the names of rules below are
//! theirs).
//!
//! # Steps of a thread
//!
//! Every location has *paths*: what one step from there can be. A path is a list of *facts*
//! (formulas) that must hold, new values, and a location where the thread is afterwards. Paths of a
//! location are numbered in this order:
//!
//! - [`If`](ser_syntax::inv::ast::StmtKind::If), [`While`](ser_syntax::inv::ast::StmtKind::While):
//!   first the condition holds, then it does not (also for `loop`); each followed by its ghost
//!   actions. `Choice`: one for each branch. `Match`: one for each case, in which its condition
//!   holds. `Break`: goes on behind the innermost loop around it; `Continue`: at this loop. `Step`:
//!   its actions, then the ghost actions. `Call`: one, arguments are evaluated in the old state,
//!   then the ghost actions. `Return` in a procedure: one for each call of the procedure, in the
//!   order of the locations of the calls; the ghost actions of the `return` come first, then the
//!   result (evaluated before the ghost actions) is assigned to the target of the call, then the
//!   ghost actions of the *call statement* are **not** done again. The fact about the *site*
//!   (below) comes before all that. `Return` in `thread`: none.
//! - An `If` among the actions splits every path: first the condition holds, then it does not
//!   (depth first).
//! - Behind a statement comes the next one of its block; behind the last one of a branch what comes
//!   behind the `if` or `choose`; behind the last one of the body of a `while`, the `while` itself.
//!   A `call` goes to the first location of its procedure. An empty branch goes where the end of
//!   the branch would go.
//! - A procedure with more than one call has a hidden local, its *site*: the location of the call.
//!   A `call` sets it, and the path of a `return` to that call has the fact that the site is that
//!   location.
//! - Waiting changes nothing, and so is no path.
//!
//! Actions one after the other change an *environment*: a term for every variable (a formula for
//! every `bool`), the heap version, the facts so far. [`Global(g)`](Term::Global), [`Local(l,
//! t)`](Term::Local) are the values *before* the step. Every write to a field makes a new *heap
//! version* (0 is the heap before the step): version `h+1` is `h` with one field of one address
//! changed, and is the same as `h` if that address is `null`: the cell of `null` never changes.
//! (The fact `a != null` of a write excludes this in consecution. In *safety* it is what has to be
//! shown: an axiom by which writing to `null` is contradictory would prove it from nothing.)
//!
//! - `a.f := e`: the fact `a != null`; new version. `lock a`: facts `a != null`, `a.lockid ==
//!   nobody`; new version with `lockid` of `a` = mover. `unlock a`: facts `a != null`, `a.lockid ==
//!   me`; new version with `nobody`. `await c`, `assert c`: the fact `c`.
//! - `choose`: the next [`Term::New`] of the path (counted from 0); then the fact `where` in the
//!   new environment. `malloc`: the arguments are evaluated, then the next `New` value `n` with
//!   facts `n != null`; `!(n in s)` for every variable `s` of type `set of addr` that is no ghost,
//!   and `n != v` and `!reach(v, n)` for every variable `v` of type `addr` that is no ghost
//!   (globals, and locals of all threads of the case), all in the environment before the action
//!   (globals by number, then for each thread its locals by number; of each variable in this order
//!   of facts); then three new versions: `data`, `next`, `lockid` (`nobody`) of `n`; then the
//!   target is `n`.
//!
//! # Cases
//!
//! *Anchors* are the globals that are one thread forever
//! ([`Global::fixed`](ser_syntax::inv::ast::Global::fixed)), ascending: of type `tid`, without a
//! value at the start, never assigned. Such a global is never `nobody`: that is what the program
//! means, whatever its invariants say. Only these can be an index. For an invariant `phi` the
//! *threads of phi* are its parameters and the anchors that occur in it (as an index or as a
//! value). The *variables* of a premise are the parameters of `phi`, then all anchors, then, if the
//! mover is *fresh*, the mover. A **case** is a way in which these variables are equal or not: a
//! *partition*, written as the number of the block of each variable (numbers in the order of first
//! appearance: `[0]`, `[0,0]`, `[0,1]`, ...). Block `b` is the thread
//! [`Term::Thread(b)`](Term::Thread): different blocks are different threads, none is `nobody`. If
//! the mover is fresh, its block has no thread of `phi` in it. If the file says `threads N`, cases
//! with more than `N` blocks are left out. This is the concretization of fully symmetric systems:
//! all tuples of threads look like one of the cases.
//!
//! *Background* of a case: for each anchor `g` with block `b` the fact `Global(g) = Thread(b)`;
//! each block is at exactly one location (of all in the file), and has exactly one site of each
//! procedure with more than one call.
//!
//! An **instance** of an invariant is its formula (or one conjunct) in the state before the step
//! (`Global`, `Local`, heap version 0), for a tuple of blocks of the case, one for each parameter;
//! anchors are their own block.
//!
//! # Premises
//!
//! A claim names a set `V` of invariants (*nodes*). For each `phi` in `V`, by [`How::Induction`]:
//!
//! - *initiation*: for every partition of parameters and anchors: background, initial values and
//!   assumptions (heap version 0), initial values of the locals of each block (`me` is the block),
//!   each block at the first location of `thread`, imply `phi`. An initial value `e` of `x` is the
//!   fact `x == e`. No instances are used, not even of `phi`: nothing is known of this state yet.
//! - *consecution*: for each location, each path of it, each mover (each thread of `phi`, or
//!   fresh), and each case: background, the mover is at the location, the facts of the path, all
//!   instances of `phi` itself, and the instances that the proof uses ([`CaseProof::uses`], of
//!   invariants in `V`) imply `phi` *after* the step.
//!
//! or by [`How::Follows`]: for every partition of parameters and anchors, the instances that are
//! used imply `phi`, in one state. (Then `phi` itself is not assumed.) The relation "a `Follows`
//! node uses a node" must have no cycle among `Follows` nodes.
//!
//! *Safety*: for each location, each path, and each partition of the mover and the anchors:
//! background, the mover is at the location, and the instances that are used (of any node) imply
//! every *obligation* of the path, in its order, each of which may also use the facts and
//! obligations before it. Obligations: `a != null` for every `a.f` that is read or written in a
//! statement, and for `lock a`, `unlock a`; `a.lockid == me` for `unlock a`; `c` for `assert c`;
//! that `s` is not empty for `min(s)`, `max(s)` in a value (not in a formula). In `c && d` those of
//! `d` are needed only if `c` holds; likewise `c || d` and `c -> d`. Ghost actions have them like
//! all others. There are none for `where`. An argument of `malloc`, a condition, a value: before
//! the fact or the change that it leads to.
//!
//! **Theorem.** If all premises hold, then in every reachable state of every instance all nodes
//! hold, and no step is an error. Take a shortest run to a state in which some node is violated, by
//! some tuple of threads. It is not the first state (initiation). In the state before all nodes
//! hold, for all tuples. The last step is one path of one thread, which is in the tuple or not:
//! some case describes it exactly. So induction nodes hold after it; `Follows` nodes hold because
//! the relation is well-founded. Cycles of support are harmless since support is only about the
//! state before. That no step is an error follows in each state.
//!
//! # Formulas
//!
//! A formula of the file becomes a propositional formula over **atoms**, with the terms of the
//! environment:
//!
//! - `x == y`: of `bool`, both or neither; of `int`, `x - y >= 0` and `y - x >= 0`; of sets, the
//!   atom *same*; else the atom *equal* (symmetric: one of its orders is chosen). `x != y` is `!(x
//!   == y)`. Equal terms are equal; `Thread(b)`, `Thread(c)` and `nobody` are different constants,
//!   and so are `lowest`, `highest`.
//! - `x < y`, `x <= y` of `int`: linear forms; `form >= 0` is the atom. It is normalized: like
//!   terms collected, divided by the greatest common divisor of the coefficients (the constant
//!   rounded down), and of `f >= 0` and its opposite `-f-1 >= 0` one is chosen as the atom. A form
//!   without terms is true or false. `x <= y` of `elem`: the atom *le*; `x < y` is `!le(y, x)`;
//!   `le(lowest, _)`, `le(_, highest)` and `le(x, x)` are true, `le(highest, lowest)` is false.
//! - `u in s`: by the structure of `s`: union, intersection, difference are connectives; a
//!   singleton is equality; `Empty` is false; `Cells(h, a)` is the atom `reach[h, {}](a, u)`; for a
//!   variable and for `Elems(h, s)` the atom *in*. `s subset t`: an atom.
//! - `reach(a, b)`: `reach[h, {}](a, b)`; `ordered(a, b)`: an atom. `x[t]` of type `bool`: an atom
//!   (or the formula that was assigned). `at(t, L)`: one of the locations.
//! - An atom (comparison, `in`, `subset`, equality of sets) of the *file* in which `min(s)` or
//!   `max(s)` is written holds only if *some(s)* holds, for each such `s`: the minimum of the empty
//!   set is no number, so nothing compares with it.
//! - `a.f` is [`Term::Next`], ... with the heap version *lowered* to the last one up to it that
//!   wrote this field, or 0. Likewise `Cells`, `reach` (`next`), `Elems` (`data`) and `ordered`
//!   (`next`, `data`).
//! - `{a, b}` is `Union(Singleton(a), Singleton(b))`, and so on to the left; `{}` is `Empty`.
//!
//! # Lemmas
//!
//! The proof of a case is a list of [`Lemma`]s. Each is an instantiation of an axiom that holds in
//! every model; the checker makes the clauses. The case is proved if its formula, with the goal
//! negated, and these clauses have no propositional solution. No small model theorem is relied
//! upon: only the axioms. `reach[h, B](x, y)`: from `x`, following `next` of version `h`, one comes
//! to `y` without *leaving* a cell that is equal to one of `B` (nor `null`, which is never left).
//!
//! Witness terms ([`Term::Differ`], [`Term::Outside`], [`Term::First`], [`Term::Second`],
//! [`Term::Carrier`]) are functions of their arguments that pick what the axiom about them speaks
//! of if there is such a thing, and anything otherwise; that is why each can be used as often as
//! one likes.
//!
//! The solver that looks for the propositional solution is not trusted: it hands over the clauses
//! that it has learnt, which are checked by reverse unit propagation
//! ([`ser_clausal::check_clausal`]).
//!
//! # Limits
//!
//! Numbers have 64 bits, steps have at most so many paths and conditions, a claim at most so many
//! cases, terms are nested only so deep: what asks for more is refused ([`Reason::Size`],
//! [`Reason::Overflow`]), and so is everything that takes longer than it may ([`Reason::Stopped`]).
//! A verdict is given only when every case was looked at.

pub mod axiom;
pub mod cases;
pub mod certificate;
mod check;
mod condition;
pub mod control;
pub mod cover;
pub mod crowd;
pub mod environment;
mod evaluate;
mod induction;
mod interpreter;
pub mod logic;
mod proof;
mod propositional;
mod rejection;
pub mod run;
mod safety;
pub mod step;
mod table;
#[cfg(test)]
mod tests;
pub mod translate;
pub mod waiting;
mod witness;

pub use certificate::{
    CaseProof, Certificate, Claim, Covers, How, Instance, Lemma, Mover, Node, SetRef, Term, TermRef,
};
pub use check::{Verdict, check, read};
pub use rejection::{CasePlace, LocationPlace, Place, Premise, Problem, Reason, Rejection};
pub use run::Run;
pub use witness::{Change, Changed, Witness, WitnessStep, changes, witness};
