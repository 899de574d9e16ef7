//! Sources with known verdicts, for certificates.
//!
//! They come in pairs that differ in little: a serializable one, and one that is not. Most of a
//! proof for the first fits the second, names included, so that an error in the checker would be close.
//! Do not change them: the corpus has certificates for them.

use ser_base::Limits;
use ser_model::{NetworkSystem, ProgramModel, RuleSystem, program_rules, read_json};
use ser_syntax::ast::Program;
use std::sync::OnceLock;

/// A program or a network system, and whether it is serializable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// The text. A system starts with a brace.
    pub text: &'static str,
    /// The verdict.
    pub serializable: bool,
}

const fn serializable(text: &'static str) -> Source {
    Source { text, serializable: true }
}

const fn broken(text: &'static str) -> Source {
    Source { text, serializable: false }
}

/// All of them.
pub const SOURCES: [Source; 14] = [
    // A lock, and one that nobody takes.
    serializable(include_str!("../../corpus/sources/a.ser")),
    broken(include_str!("../../corpus/sources/b.ser")),
    // Whoever sees the flag in spite of a pause could have come later; or not.
    serializable(include_str!("../../corpus/sources/c.ser")),
    broken(include_str!("../../corpus/sources/d.ser")),
    // Readers that are counted, and a writer that does not wait for them.
    serializable(include_str!("../../corpus/sources/e.ser")),
    broken(include_str!("../../corpus/sources/f.ser")),
    // A counter that goes round: whether it is seen at the end makes the difference.
    serializable(include_str!("../../corpus/sources/g.ser")),
    broken(include_str!("../../corpus/sources/h.ser")),
    // A login in two steps that looks again, and one that does not.
    serializable(include_str!("../../corpus/sources/i.json")),
    broken(include_str!("../../corpus/sources/j.json")),
    // A bucket of tokens, and one that is looked at too early.
    serializable(include_str!("../../corpus/sources/k.ser")),
    broken(include_str!("../../corpus/sources/l.ser")),
    // A system whose proof needs loops and debts, and one where a response depends on the global state.
    serializable(include_str!("../../corpus/sources/m.json")),
    broken(include_str!("../../corpus/sources/n.json")),
];

/// Which of the sources a byte stands for: `a` for the first one, and so on.
pub(super) fn chosen<S, const COUNT: usize>(sources: &[S; COUNT], byte: u8) -> &S {
    &sources[usize::from(byte.wrapping_sub(b'a')) % COUNT]
}

impl Source {
    /// The source that a byte stands for: `a` for the first one, and so on.
    pub fn chosen_by(byte: u8) -> &'static Source {
        chosen(&SOURCES, byte)
    }
}

/// What the front end makes of a source.
pub(super) struct Understood {
    pub system: NetworkSystem,
    /// If it is a program.
    pub program: Option<(Program, RuleSystem)>,
}

/// What the front end makes of a source of ours. It is worked out once.
pub(super) fn understood(source: &Source) -> &'static Understood {
    static ALL: OnceLock<Vec<Understood>> = OnceLock::new();
    let all = ALL.get_or_init(|| SOURCES.iter().map(understand).collect());
    let at = SOURCES.iter().position(|s| s == source).unwrap_or_else(|| panic!("not one of ours"));
    all.get(at).unwrap_or_else(|| panic!("one for each"))
}

fn understand(source: &Source) -> Understood {
    let (text, limits) = (source.text, Limits::default());
    if text.starts_with('{') {
        let system = read_json(text).unwrap_or_else(|e| panic!("{e}"));
        return Understood { system, program: None };
    }
    let parse = ser_syntax::parse(text);
    assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
    let model = ProgramModel::new(&parse.program, text, &limits).unwrap_or_else(|e| panic!("{e}"));
    let rules = program_rules(&parse.program, text, &limits).unwrap_or_else(|e| panic!("{e}"));
    Understood { system: model.system().clone(), program: Some((parse.program, rules)) }
}
