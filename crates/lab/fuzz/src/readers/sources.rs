//! Sources with known verdicts, for certificates.
//!
//! They come in pairs or groups that differ in little: one is right, and one is not. Most of a
//! proof for the first fits the second, names included, so that an error in a checker would be
//! close. Do not change them: the corpus has certificates for them.

use ser_base::Limits;
use ser_model::{NetworkSystem, ProgramModel, RuleSystem, program_rules, read_json};
use ser_syntax::core::Program;
use std::sync::OnceLock;

macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("../../corpus/sources/", $name))
    };
}

/// A program or a network system, and whether it is serializable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// A system starts with a brace.
    pub text: &'static str,
    pub serializable: bool,
}

const fn serializable(text: &'static str) -> Source {
    Source { text, serializable: true }
}

const fn broken(text: &'static str) -> Source {
    Source { text, serializable: false }
}

pub const SOURCES: [Source; 14] = [
    // A lock, and one that nobody takes.
    serializable(text!("a.ser")),
    broken(text!("b.ser")),
    // Whoever sees the flag in spite of a yield point could have come later; or not.
    serializable(text!("c.ser")),
    broken(text!("d.ser")),
    // Readers that are counted, and a writer that does not wait for them.
    serializable(text!("e.ser")),
    broken(text!("f.ser")),
    // A counter that goes round: whether it is seen at the end makes the difference.
    serializable(text!("g.ser")),
    broken(text!("h.ser")),
    // A login in two steps that looks again, and one that does not.
    serializable(text!("i.json")),
    broken(text!("j.json")),
    // A bucket of tokens, and one that is looked at too early.
    serializable(text!("k.ser")),
    broken(text!("l.ser")),
    // A system whose proof needs loops and debts, and one where a response depends on the global
    // state.
    serializable(text!("m.json")),
    broken(text!("n.json")),
];

/// A file with messages, and what is true of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProtocolSource {
    pub text: &'static str,
    /// Whether somebody who is not a server may wait forever.
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

pub const PROTOCOL_SOURCES: [ProtocolSource; 12] = [
    // An answer, and one that may not come.
    right(text!("messages_a.ser")),
    waits(text!("messages_b.ser")),
    // As many answers as members, and one more.
    right(text!("messages_c.ser")),
    waits(text!("messages_d.ser")),
    // Whoever says his name hears of it once, or twice.
    right(text!("messages_e.ser")),
    ProtocolSource { superfluous: true, ..right(text!("messages_f.ser")) },
    // A commit that counts the votes, and one that does not.
    right(text!("messages_g.ser")),
    fails(text!("messages_h.ser"), &[18]),
    // Work that ends, and work whose end nobody tells.
    right(text!("messages_i.ser")),
    waits(text!("messages_j.ser")),
    // A message has the value of when it was sent.
    right(text!("messages_k.ser")),
    fails(text!("messages_l.ser"), &[4]),
];

/// A model of threads, and what is true of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InvariantSource {
    pub text: &'static str,
    /// The invariants that hold, as long as no step is an error. All others do not.
    pub hold: &'static [&'static str],
    /// Whether no step is an error.
    pub safe: bool,
}

const fn of(text: &'static str, hold: &'static [&'static str], safe: bool) -> InvariantSource {
    InvariantSource { text, hold, safe }
}

pub const INVARIANT_SOURCES: [InvariantSource; 13] = [
    // A ticket that is taken in one step, and one that is taken in two.
    of(text!("a.threads.ser"), &["low", "notsame", "served", "mutex"], true),
    of(text!("b.threads.ser"), &["low"], true),
    // The lock of a cell; one that is given back too early; and a cell that may not be there.
    of(text!("c.threads.ser"), &["held", "mutex", "low", "there", "owns"], true),
    of(text!("d.threads.ser"), &["low", "there", "owns"], true),
    of(text!("e.threads.ser"), &["held", "mutex", "low", "owns"], false),
    // Numbers below a bound, and up to it.
    of(text!("f.threads.ser"), &["below", "upto", "got"], true),
    of(text!("g.threads.ser"), &["upto", "got"], true),
    // A stack that ends, and one whose top is below itself.
    of(text!("h.threads.ser"), &["ends", "whole"], true),
    of(text!("i.threads.ser"), &[], true),
    // What one thread counts is exact; two lose some.
    of(text!("j.threads.ser"), &["fresh", "exact"], true),
    of(text!("k.threads.ser"), &[], true),
    // A procedure that is called twice, and one that gives something else; one thread is chosen.
    of(text!("l.threads.ser"), &["got", "told", "late", "only"], true),
    of(text!("m.threads.ser"), &["got"], true),
];

/// Which of some sources a byte stands for: `a` for the first one, and so on.
pub(super) fn chosen(count: usize, byte: u8) -> usize {
    usize::from(byte.wrapping_sub(b'a')) % count
}

/// What the front end makes of a source.
pub(super) struct Understood {
    pub system: NetworkSystem,
    /// If it is a program.
    pub program: Option<(Program, RuleSystem)>,
}

/// What the front end makes of one of [`SOURCES`]. It is worked out once.
pub(super) fn understood(at: usize) -> &'static Understood {
    static ALL: OnceLock<Vec<Understood>> = OnceLock::new();
    &ALL.get_or_init(|| SOURCES.iter().map(|source| understand(source.text)).collect())[at]
}

fn understand(text: &str) -> Understood {
    if text.starts_with('{') {
        let system = read_json(text).unwrap_or_else(|e| panic!("{e}"));
        return Understood { system, program: None };
    }
    let (limits, parse) = (Limits::default(), ser_syntax::parse(text));
    assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
    let model = ProgramModel::new(&parse.program, text, &limits).unwrap_or_else(|e| panic!("{e}"));
    let rules = program_rules(&parse.program, text, &limits).unwrap_or_else(|e| panic!("{e}"));
    Understood { system: model.system().clone(), program: Some((parse.program, rules)) }
}
