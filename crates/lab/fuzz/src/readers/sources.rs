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
    serializable(
        "request main { while (L == 1) { yield }; L := 1; X := 1; yield; y := X; X := 0; L := 0; y }",
    ),
    broken(
        "request main { while (L == 1) { yield }; L := 0; X := 1; yield; y := X; X := 0; L := 0; y }",
    ),
    // Whoever sees the flag in spite of a pause could have come later; or not.
    serializable("request a { x := F; if (?) { yield } else { x := 1 - x }; F := 1; x }"),
    broken("request a { x := F; if (?) { yield }; F := 1; x }"),
    // Readers that are counted, and a writer that does not wait for them.
    serializable(
        "request read { while (W == 1 || R == 2) { yield }; R := R + 1; a := X; yield; b := Y; R := R - 1; a + 2 * b }
         request write(v in 0..1) { while (W == 1 || R > 0) { yield }; W := 1; X := v; yield; Y := v; W := 0 }",
    ),
    broken(
        "request read { while (W == 1 || R == 2) { yield }; R := R + 1; a := X; yield; b := Y; R := R - 1; a + 2 * b }
         request write(v in 0..1) { while (W == 1) { yield }; W := 1; X := v; yield; Y := v; W := 0 }",
    ),
    // A counter that goes round: whether it is seen at the end makes the difference.
    serializable(
        "request r0 { yield; if (Y == 2) { Y := 0 } else { Y := Y + 1 }; 0 }
         request r1 { if (Y == 2) { Y := 0 } else { Y := Y + 1 }; yield; assume(Y == 1); if (Y == 2) { Y := 0 } else { Y := Y + 1 }; 0 }",
    ),
    broken(
        "request r0 { yield; if (Y == 2) { Y := 0 } else { Y := Y + 1 }; 0 }
         request r1 { if (Y == 2) { Y := 0 } else { Y := Y + 1 }; yield; if (Y == 2) { Y := 0 } else { Y := Y + 1 }; Y }",
    ),
    // A login in two steps that looks again, and one that does not.
    serializable(
        r#"{ "initial_global": "Out",
             "requests": [["login", "Password"], ["logout", "Leaving"]],
             "responses": [["Welcome", "ok"], ["Refused", "no"], ["Left", "bye"]],
             "transitions": [["Password", "Out", "Code", "Out"], ["Password", "In", "Refused", "In"],
                             ["Code", "Out", "Welcome", "In"], ["Code", "In", "Refused", "In"],
                             ["Leaving", "In", "Left", "Out"]] }"#,
    ),
    broken(
        r#"{ "initial_global": "Out",
             "requests": [["login", "Password"], ["logout", "Leaving"]],
             "responses": [["Welcome", "ok"], ["Refused", "no"], ["Left", "bye"]],
             "transitions": [["Password", "Out", "Code", "Out"], ["Password", "In", "Refused", "In"],
                             ["Code", "Out", "Welcome", "In"], ["Code", "In", "Welcome", "In"],
                             ["Leaving", "In", "Left", "Out"]] }"#,
    ),
    // A bucket of tokens, and one that is looked at too early.
    serializable(
        "T := 2 request call { ok := T > 0; if (ok) { T := T - 1; yield }; ok } request refill { T := 2 }",
    ),
    broken(
        "T := 2 request call { ok := T > 0; if (ok) { yield; if (T > 0) { T := T - 1 } }; ok } request refill { T := 2 }",
    ),
    // A system whose proof needs loops and debts, and one where a response depends on the global state.
    serializable(
        r#"{ "initial_global": "G0",
             "requests": [["r0", "L0"], ["r1", "L1"]],
             "responses": [["L0", "1"], ["L0", "2"], ["L1", "0"]],
             "transitions": [["L0", "G1", "L0", "G2"], ["L0", "G1", "L1", "G1"], ["L0", "G1", "L1", "G2"],
                             ["L1", "G0", "L0", "G1"], ["L1", "G1", "L1", "G2"]] }"#,
    ),
    broken(
        r#"{ "initial_global": "G0",
             "requests": [["r0", "L0"], ["r1", "L1"]],
             "responses": [["L2", "1"], ["L1", "0"]],
             "transitions": [["L0", "G1", "L2", "G2"], ["L0", "G1", "L1", "G1"], ["L0", "G1", "L1", "G2"],
                             ["L1", "G0", "L0", "G1"], ["L1", "G1", "L1", "G2"]] }"#,
    ),
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
