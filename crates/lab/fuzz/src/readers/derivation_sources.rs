//! Protocols that are known to be right, or wrong in one way.
//!
//! They come in pairs that differ in little, as those of [`SOURCES`](super::SOURCES) do. Do not change them: the corpus has
//! certificates for them.

/// An `.icet` file, and what is true of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProtocolSource {
    /// The text.
    pub text: &'static str,
    /// Whether somebody who is no server may wait for ever.
    pub waits: bool,
    /// The statements that may fail, by number.
    pub fails: &'static [u32],
    /// Whether there may be a message that is never received.
    pub superfluous: bool,
}

const fn right(text: &'static str) -> ProtocolSource {
    ProtocolSource { text, waits: false, fails: &[], superfluous: false }
}

const fn waits(text: &'static str) -> ProtocolSource {
    ProtocolSource { waits: true, ..right(text) }
}

const fn fails(text: &'static str, fails: &'static [u32]) -> ProtocolSource {
    ProtocolSource { fails, ..right(text) }
}

const fn superfluous(text: &'static str) -> ProtocolSource {
    ProtocolSource { superfluous: true, ..right(text) }
}

/// All of them.
pub const PROTOCOL_SOURCES: [ProtocolSource; 12] = [
    // An answer, and one that may not come.
    right(include_str!("../../corpus/sources/a.icet")),
    waits(include_str!("../../corpus/sources/b.icet")),
    // As many answers as members, and one more.
    right(include_str!("../../corpus/sources/c.icet")),
    waits(include_str!("../../corpus/sources/d.icet")),
    // Whoever says his name hears of it once, or twice.
    right(include_str!("../../corpus/sources/e.icet")),
    superfluous(include_str!("../../corpus/sources/f.icet")),
    // A commit that counts the votes, and one that does not.
    right(include_str!("../../corpus/sources/g.icet")),
    fails(include_str!("../../corpus/sources/h.icet"), &[18]),
    // Work that ends, and work whose end nobody tells.
    right(include_str!("../../corpus/sources/i.icet")),
    waits(include_str!("../../corpus/sources/j.icet")),
    // A message has the value of when it was sent.
    right(include_str!("../../corpus/sources/k.icet")),
    fails(include_str!("../../corpus/sources/l.icet"), &[4]),
];
