//! Real-time order: a request that has responded before another one arrives comes before it.
//!
//! In a run, request r *precedes* request s if r responds before s arrives. A network system is
//! *strictly* serializable if for every complete run there is a serial run of the same requests,
//! each with the response that it has there, in which r comes before s wherever r precedes s.
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
//! - `alike`, `slice`, `merge`, `exclude`, and `facts` of the rules: the requests and their schedule
//!   stay the same.
//! - `stuttering` and `deferral`, also of the rules: transitions of a request that are no responses
//!   are left out, and a later one of the same request is replaced by one that ends in the same
//!   place, or with the same response, and begins where the first one that was left out did. So it
//!   responds when it did, and arrives when it did, or later.
//! - `mover`, right: a transition that puts a request into a place moves right. It is not a
//!   response. Left: one that takes a request from a place moves left. It is not an arrival. What a
//!   swap replaces is replaced by transitions between the same places. Then two transitions of a
//!   request that stand side by side become one. ∎
//!
//! *Theorem 2.* If `rules` or `no_yield` accept, the program is strictly serializable. *Proof.* By
//! theorem 1, as far as reductions go. Then transitions into places before move right, and are no
//! responses; those out of places after move left, and are no arrivals; and in the end every
//! request runs in one go, so that whoever precedes another one comes first. Without a yield,
//! arrivals move right and responses left. ∎
//!
//! An element of an invariant is *in order* if it has no letters to insert, no debts, and nothing
//! waits.
//!
//! *Theorem 3.* If an invariant that `inclusion` accepts has elements in order only, the network
//! system is strictly serializable. *Proof.* By theorem 1, and by what `alike` says about serial
//! runs, it is enough to look at a complete run of the reduced net that reads the word w. An element
//! that is in order is justified by w if it is the end of a path with the word w, letter by letter:
//! by induction, because of all the ways in which an element in order follows from one in order
//! (see `explain`), one is left where a letter is read, an edge with this letter, and staying where
//! none is; at the start the path is empty. So there is a serial run with the word w. A letter is
//! read for each request, at one of its transitions (see `labels`). If r precedes s, all transitions
//! of r come before all of s, so the letter of r is read first, and r comes before s. ∎
//!
//! An invariant that inserts letters, and a count of transitions, say nothing about this. But some
//! invariants insert letters only because they may: the check of an inclusion is repeated with the
//! elements that have no debts and where nothing waits, without their letters to insert.
