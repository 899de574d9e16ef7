//! Real-time order: a request that has responded before another one arrives comes before it.
//!
//! A program is *strictly* serializable if every complete run has the outcome of a serial run in
//! which requests that do not overlap keep their order. Proofs that nothing can interleave after
//! reductions show this, too, because each of their steps, from the run of the program to the
//! serial one, lets requests arrive later or respond earlier, and nothing else:
//!
//! - the normal form moves arrivals right and responses left;
//! - `slice`, `exclude`, `merge`, `facts` and `alike` keep the schedule;
//! - `stuttering` and `defer` let a request wait in x what it did before in another place. If x is
//!   nothing it arrives later;
//! - `move`, right, puts off steps into a place, which may be arrivals and are no responses. Left,
//!   it brings forward steps out of a place, which may be responses and are no arrivals;
//! - `rules`: transitions in front of the one with which a request commits move right, those behind
//!   it move left. None of the former responds, none of the latter is an arrival, unless there is
//!   only the one with which it commits, which stays;
//! - without a `yield` in reach, arrivals move right and responses left.
//!
//! *Theorem.* Then the serial run keeps the order of requests that do not overlap. *Proof.* If a
//! request has responded before another one arrives, it still does when one of them arrives later
//! or responds earlier. So at the end of all changes it still does, and the serial run has it
//! first. ∎
//!
//! An invariant that explains responses in another order than they come in, and a count of
//! transitions, say nothing about this.
