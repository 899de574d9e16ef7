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
    of(include_str!("../../corpus/sources/a.inv"), &["low", "notsame", "served", "mutex"], true),
    of(include_str!("../../corpus/sources/b.inv"), &["low"], true),
    // The lock of a cell; one that is given back too early; and a cell that may not be there.
    of(
        include_str!("../../corpus/sources/c.inv"),
        &["held", "mutex", "low", "there", "owns"],
        true,
    ),
    of(include_str!("../../corpus/sources/d.inv"), &["low", "there", "owns"], true),
    of(include_str!("../../corpus/sources/e.inv"), &["held", "mutex", "low", "owns"], false),
    // Numbers below a bound, and up to it.
    of(include_str!("../../corpus/sources/f.inv"), &["below", "upto", "got"], true),
    of(include_str!("../../corpus/sources/g.inv"), &["upto", "got"], true),
    // A stack that ends, and one whose top is below itself.
    of(include_str!("../../corpus/sources/h.inv"), &["ends", "whole"], true),
    of(include_str!("../../corpus/sources/i.inv"), &[], true),
    // What one thread counts is exact; two lose some.
    of(include_str!("../../corpus/sources/j.inv"), &["fresh", "exact"], true),
    of(include_str!("../../corpus/sources/k.inv"), &[], true),
    // A procedure that is called twice, and one that gives something else; one thread is chosen.
    of(include_str!("../../corpus/sources/l.inv"), &["got", "told", "late", "only"], true),
    of(include_str!("../../corpus/sources/m.inv"), &["got"], true),
];
