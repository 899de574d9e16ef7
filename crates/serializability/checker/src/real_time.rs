//! Real-time order: a request that has responded before another one arrives comes before it.
//!
//! In a run, request r *precedes* request s if r responds before s arrives. A network system is
//! *strictly* serializable if for every complete run there is a serial run of the same requests,
//! each with the response that it has there, in which r comes before s wherever r precedes s.
//! Serial runs are those of `serial`: a request whose response does not count may do nothing in
//! them, at any point that the order allows.
//!
//! *Lemma.* If two events of a run that stand side by side are swapped, no request ceases to
//! precede another one, unless the first of the two is a response and the second an arrival.
//! *Proof.* Only the order of these two changes. ∎
//!
//! *Theorem 1.* To each complete run there is one of the reduced net, of the same requests with the
//! same responses, in which everybody precedes whom they precede in the given one; where an arrival
//! or a response is part of a transition it happens when that does. *Proof.* For each of the ways
//! in which a run is changed (see the proofs there):
//! - `net`: arrivals move right, and responses left. If a request never steps, its response moves
//!   left to its arrival. By the lemma nothing is lost, and what becomes one transition stands
//!   side by side.
//! - `alike`, `slice`, `merge`, `exclude`, `prophecy`, and `facts` of the rules: the requests and
//!   their schedule stay the same.
//! - `stuttering` and `deferral`, also of the rules: transitions of a request that are no responses
//!   are left out, and a later one of the same request is replaced by one that ends in the same
//!   place, or with the same response, and begins where the first one that was left out did. So it
//!   responds when it did, and arrives when it did, or later.
//! - `mover`, right: a transition that puts a request into a place moves right. It is not a
//!   response. Left: one that takes a request from a place moves left. It is not an arrival. What a
//!   swap replaces is replaced by transitions between the same places. Then two transitions of a
//!   request that stand side by side become one. ∎
//!
//! *Theorem 2.* If `rules` accept without readers, or `symbolic` or `no_yield`, the program is
//! strictly serializable. *Proof.* By
//! theorem 1, as far as reductions go. Then transitions into places before move right, and are no
//! responses; those out of places after move left, and are no arrivals; and in the end every
//! request runs in one go, so that whoever precedes another one comes first. Without a yield,
//! arrivals move right and responses left. ∎
//!
//! An element of an invariant is *in order* if it has no letters to insert, no debts, and nothing
//! waits.
//!
//! *Theorem 3.* If an invariant that `inclusion` accepts has elements in order only, promises
//! nothing, and has no stand-ins, the network system is strictly serializable. *Proof.* By theorem
//! 1, and by what `alike` says about serial runs, it is enough to look at a complete run of the
//! reduced net that reads the word w. An element that is in order is justified by w if it is the
//! end of a path with the word w, letter by letter: by induction, because of all the ways in which
//! an element in order follows from one in order (see `explain`), one is left where a letter is
//! read, an edge with this letter, and staying where none is; at the start the path is empty. So
//! there is a serial run with the word w. A letter is read for each request, at one of its
//! transitions (see `labels`). If r precedes s, all transitions of r come before all of s, so the
//! letter of r is read first, and r comes before s. ∎
//!
//! An invariant that inserts letters, and a count of transitions, say nothing about this. But some
//! invariants insert letters only because they may: the check of an inclusion is repeated with the
//! elements that have no debts and where nothing waits, without their letters to insert, without
//! promises and without stand-ins.
//!
//! That a program of several slices keeps real-time order if each slice does is theorem 3 of
//! `slices`.
//!
//! # The other answer
//!
//! *Theorem 4.* [`find_run`] finds a serial run of given requests, each with its response, that
//! keeps their order, if and only if there is one. *Proof.* It visits every pair of a set of
//! requests and a global state such that a serial run of these requests, in an order that is kept,
//! leads there: a request comes next if it is not in the set and all that precede it are, by each
//! edge of the serial automaton with its letter (see `serial`). What may come next depends on the
//! pair alone. ∎

use crate::Reason;
use crate::meter::Meter;
use crate::names::Letter;
use crate::serial::{Search, alone};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_model::NetworkSystem;
use std::collections::hash_map::Entry;

/// The most requests whose orders are tried.
pub(crate) const MOST: usize = 64;

/// A request of a run.
pub(crate) struct Ordered {
    /// Those that precede it, by their numbers from 0.
    pub(crate) before: Vec<usize>,
    /// What it is and how it responded; nothing as long as it is in flight.
    pub(crate) letter: Option<Letter>,
}

/// Looks for a serial run of these requests that keeps their order.
pub(crate) fn find_run(
    system: &NetworkSystem,
    requests: &[Ordered],
    meter: &mut Meter<'_>,
) -> Result<Search, Reason> {
    if requests.len() > MOST {
        return Err(Reason::TooManyRequests { requests: requests.len(), most: MOST });
    }
    let bit = |i: usize| 1u64 << i;
    let before = |request: &Ordered| request.before.iter().fold(0, |set, i| set | bit(*i));
    let all = (0..requests.len()).fold(0, |set, i| set | bit(i));
    let list: Vec<(u64, Option<Letter>)> =
        requests.iter().map(|request| (before(request), request.letter)).collect();
    let mut edges = FxHashMap::default();
    // How each pair was reached: the one before, and the letter.
    let mut nodes: Vec<Option<(usize, Letter)>> = vec![None];
    let mut seen = FxHashSet::default();
    seen.insert((0u64, system.initial_global()));
    let mut todo = vec![(0, 0u64, system.initial_global())];
    while let Some((node, done, global)) = todo.pop() {
        if done == all {
            let back = std::iter::successors(nodes.get(node).copied().flatten(), |(at, _)| {
                nodes.get(*at).copied().flatten()
            });
            let mut run: Vec<Letter> = back.map(|(_, letter)| letter).collect();
            run.reverse();
            return Ok(Search { run: Some(run), states: nodes.len() });
        }
        let from_here = match edges.entry(global) {
            Entry::Occupied(known) => &*known.into_mut(),
            Entry::Vacant(new) => &*new.insert(alone(system, global, meter)?),
        };
        for (i, (before, wanted)) in list.iter().enumerate() {
            if done & bit(i) != 0 || before & !done != 0 {
                continue;
            }
            meter.work(from_here.len())?;
            for (letter, after) in from_here.iter().filter(|(letter, _)| Some(*letter) == *wanted) {
                if seen.insert((done | bit(i), *after)) {
                    meter.entry()?;
                    todo.push((nodes.len(), done | bit(i), *after));
                    nodes.push(Some((node, *letter)));
                }
            }
        }
    }
    Ok(Search { run: None, states: nodes.len() })
}
