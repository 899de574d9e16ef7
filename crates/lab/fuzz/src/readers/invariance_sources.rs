//! Threads whose invariants are known to hold, or not.
//!
//! They come in groups that differ in little, as those of [`SOURCES`](super::SOURCES) do. Do not change them: the corpus has
//! certificates for them.

/// An `.inv` file, and what is true of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvariantSource {
    /// The text.
    pub text: &'static str,
    /// The invariants that hold, as long as no step is an error. All others do not.
    pub hold: &'static [&'static str],
    /// Whether no step is an error.
    pub safe: bool,
}

const fn of(text: &'static str, hold: &'static [&'static str], safe: bool) -> InvariantSource {
    InvariantSource { text, hold, safe }
}

/// All of them.
pub const INVARIANT_SOURCES: [InvariantSource; 13] = [
    // A ticket that is taken in one step, and one that is taken in two.
    of(
        "global avail, serving : int = 0;
         thread { local ticket : int = 0; loop {
             take: atomic { ticket := avail; avail := avail + 1; }
             label active { wait: await serving == ticket; label crit { leave: serving := serving + 1; } } } }
         invariant low(i) = at(i, active) -> ticket[i] < avail;
         invariant notsame(i, j) = i != j && at(i, active) && at(j, active) -> ticket[i] != ticket[j];
         invariant served(i) = at(i, crit) -> serving == ticket[i];
         invariant mutex(i, j) = i != j -> !(at(i, crit) && at(j, crit));",
        &["low", "notsame", "served", "mutex"],
        true,
    ),
    of(
        "global avail, serving : int = 0;
         thread { local ticket : int = 0; loop {
             take: ticket := avail; count: avail := avail + 1;
             label active { wait: await serving == ticket; label crit { leave: serving := serving + 1; } } } }
         invariant low(i) = (at(i, count) -> ticket[i] <= avail) && (at(i, active) -> ticket[i] < avail);
         invariant notsame(i, j) = i != j && at(i, active) && at(j, active) -> ticket[i] != ticket[j];
         invariant served(i) = at(i, crit) -> serving == ticket[i];
         invariant mutex(i, j) = i != j -> !(at(i, crit) && at(j, crit));",
        &["low"],
        true,
    ),
    // The lock of a cell; one that is given back too early; and a cell that may not be there.
    of(
        "global a : addr; global x : int = 0; assume a != null;
         thread { loop { take: lock a; label crit { add: x := x + 1; free: unlock a; } } }
         invariant held(i) = at(i, crit) -> a.lockid == i;
         invariant mutex(i, j) = i != j -> !(at(i, crit) && at(j, crit));
         invariant low() = x >= 0; invariant there() = a != null;
         invariant owns(i) = at(i, free) -> a.lockid == i;",
        &["held", "mutex", "low", "there", "owns"],
        true,
    ),
    of(
        "global a : addr; global x : int = 0; assume a != null;
         thread { loop { take: lock a; label crit { free: unlock a; add: x := x + 1; } } }
         invariant held(i) = at(i, crit) -> a.lockid == i;
         invariant mutex(i, j) = i != j -> !(at(i, crit) && at(j, crit));
         invariant low() = x >= 0; invariant there() = a != null;
         invariant owns(i) = at(i, free) -> a.lockid == i; proof { owns; }",
        &["low", "there", "owns"],
        true,
    ),
    of(
        "global a : addr; global x : int = 0;
         thread { loop { take: lock a; label crit { add: x := x + 1; free: unlock a; } } }
         invariant held(i) = at(i, crit) -> a.lockid == i;
         invariant mutex(i, j) = i != j -> !(at(i, crit) && at(j, crit));
         invariant low() = x >= 0; invariant there() = a != null;
         invariant owns(i) = at(i, free) -> a.lockid == i;",
        &["held", "mutex", "low", "owns"],
        false,
    ),
    // Numbers below a bound, and up to it.
    of(
        "global s : set<int> = {}; global n : int = 0;
         thread { local m : int = 0; loop {
             put: atomic { s := s + {n}; n := n + 1; }
             if s != {} { get: atomic { await s != {}; m := min(s); s := s - {m}; } } } }
         invariant below() = s == {} || max(s) < n;
         invariant upto() = s == {} || max(s) <= n; invariant got(i) = m[i] <= n;",
        &["below", "upto", "got"],
        true,
    ),
    of(
        "global s : set<int> = {}; global n : int = 0;
         thread { local m : int = 0; loop {
             put: atomic { n := n + 1; s := s + {n}; }
             if s != {} { get: atomic { await s != {}; m := min(s); s := s - {m}; } } } }
         invariant below() = s == {} || max(s) < n;
         invariant upto() = s == {} || max(s) <= n; invariant got(i) = m[i] <= n;
         proof { upto; got from upto; }",
        &["upto", "got"],
        true,
    ),
    // A stack that ends, and one whose top is below itself.
    of(
        "global head : addr = null;
         thread { local n : addr = null; loop {
             push: atomic { n := malloc(lowest, head); n.next := head; head := n; }
             pop: if head != null { drop: atomic { await head != null; head := head.next; } } } }
         invariant ends() = reach(head, null);
         invariant whole() = null in addr2set(head);",
        &["ends", "whole"],
        true,
    ),
    of(
        "global head : addr = null;
         thread { local n : addr = null; loop {
             push: atomic { n := malloc(lowest, head); n.next := n; head := n; }
             pop: if head != null { drop: atomic { await head != null; head := head.next; } } } }
         invariant ends() = reach(head, null);
         invariant whole() = null in addr2set(head);",
        &[],
        true,
    ),
    // What one thread counts is exact; two lose some.
    of(
        "threads 1; global count : int = 0; ghost global added : int = 0;
         thread { local seen : int = 0; loop {
             read: seen := count; write: count := seen + 1; ghost { added := added + 1; } } }
         invariant fresh(i) = at(i, write) -> seen[i] == count;
         invariant exact() = count == added;",
        &["fresh", "exact"],
        true,
    ),
    of(
        "threads 2; global count : int = 0; ghost global added : int = 0;
         thread { local seen : int = 0; loop {
             read: seen := count; write: count := seen + 1; ghost { added := added + 1; } } }
         invariant fresh(i) = at(i, write) -> seen[i] == count;
         invariant exact() = count == added;",
        &[],
        true,
    ),
    // A procedure that is called twice, and one that gives something else; one thread is chosen.
    of(
        "global who : tid; global done : bool = false;
         thread { local r : int = 0;
             one: r := call same(); two: assert r == 1; more: r := call same(); four: assert r == 1;
             if me == who { set: done := true; } }
         proc same() : int { back: return 1; }
         invariant got(i) = at(i, two, four..set) -> r[i] == 1;
         invariant told() = done -> r[who] == 1 && !at(who, same);
         invariant late() = at(who, same, one..set) -> !done; invariant only(i) = at(i, set) -> i == who;",
        &["got", "told", "late", "only"],
        true,
    ),
    of(
        "global who : tid; global done : bool = false;
         thread { local r : int = 0;
             one: r := call same(); two: assert r == 1; more: r := call same(); four: assert r == 1;
             if me != who { set: done := true; } }
         proc same() : int { back: return 1; }
         invariant got(i) = at(i, two, four..set) -> r[i] == 1;
         invariant told() = done -> r[who] == 1 && !at(who, same);
         invariant late() = at(who, same, one..set) -> !done; invariant only(i) = at(i, set) -> i == who;",
        &["got"],
        true,
    ),
];
