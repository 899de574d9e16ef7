//! Whatever the text, reading a file with messages ends, soon, without a panic, and says where
//! things are.

use proptest::prelude::*;
use ser_base::Diagnostic;
use ser_editing::icet::parse;
use ser_syntax::MAX_DEPTH;
use ser_syntax::icet::{MAX_STATEMENTS, MAX_VARIABLES};
use std::time::{Duration, Instant};

const VALID: [&str; 3] = [
    "set Cs >= 1; index I; enum Colour { Red, Green }\nmsg Req = Req(Cs); msg Work = Task(pid, int) | None; msg Ack = Ack;\n\
     process server { for c in Cs { Req(p) := recv Req; item := choose(int); send Task(master, item) to p; } }\n\
     process master { for c in Cs { recv Ack; } }\n\
     process client for c in Cs { send Req(c) to server; w := recv Work from server;\n\
     match w { Task(m, t) => { send Ack to m; } None => { assert false; } } }",
    "set A; msg Prep = Prep; msg Vote = Yes | No; // votes\nprocess coord { for a in A { send Prep to a; } ok := true;\n\
     for a in A { v := recv Vote; if v == No { ok := false; } } assert ok || !ok; }\n\
     process acc for a in A { recv Prep; if ? { v := Yes; } else { v := No; } send v to coord; }",
    "msg M = M(int, bool); process p { x := 1; loop { x := x * 2 - -3; if x > 10 && not (x == 12) { break; } else if x < 3 { skip; } }\n\
     while x <= 3 { x := x + 1; } send M(x, true) to q; } server process q { M(a, _) := recv M from p; /* done */ }",
];

/// Everything that must hold of messages about a text.
fn sensible(text: &str, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        let labels = std::iter::once(&diagnostic.primary).chain(&diagnostic.secondary);
        let edits = diagnostic.help.iter().filter_map(|help| help.edit.as_ref());
        for span in labels.map(|label| label.span).chain(edits.map(|edit| edit.span)) {
            assert!(text.get(span.range()).is_some(), "{diagnostic:?} is not about {text:?}");
        }
        assert!(!diagnostic.message.is_empty());
    }
    assert!(diagnostics.is_sorted_by_key(|diagnostic| diagnostic.primary.span.start));
}

fn read(text: &str) -> Vec<Diagnostic> {
    let parse = parse(text);
    sensible(text, &parse.diagnostics);
    for occurrence in &parse.occurrences {
        assert!(text.get(occurrence.span.range()).is_some());
    }
    parse.diagnostics
}

/// Pieces that the language is made of, and some that it is not.
fn piece() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "set",
        "const",
        "var",
        "choose",
        "or",
        "where",
        "yield",
        "atomic",
        "at",
        "ghost",
        "?",
        ".",
        "[",
        "]",
        "procs",
        "index",
        "enum",
        "msg",
        "proc",
        "server",
        "for",
        "in",
        "send",
        "to",
        "recv",
        "from",
        "pick",
        "any",
        "match",
        "loop",
        "break",
        "while",
        "if",
        "else",
        "assert",
        "fail",
        "skip",
        "self",
        "int",
        "bool",
        "pid",
        "true",
        "false",
        "spawn",
        "receive",
        "request",
        "process",
        "x",
        "Q",
        "I",
        "p",
        "M",
        "A",
        "w",
        "_",
        "0",
        "1",
        "99999999999999999999",
        "12x",
        "{",
        "}",
        "(",
        ")",
        ";",
        ",",
        "<-",
        "->",
        "=>",
        "|",
        "||",
        "&&",
        "!",
        ":=",
        "=",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "+",
        "-",
        "*",
        "..",
        ":",
        "\"",
        "é",
        "←",
        "// c\n",
        "/* c */",
        "/*",
        "\n",
    ]);
    words.prop_map(str::to_owned)
}

#[test]
fn choices_between_many_blocks_are_an_error() {
    let choices = |count: usize| {
        let errors = read(&format!("process p {{ choose {{ }}{} }}", " or { }".repeat(count)));
        errors.iter().map(|it| it.code).collect::<Vec<_>>()
    };
    assert_eq!(choices(20), [""; 0]);
    assert_eq!(choices(100_000), ["too-many-choices"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn token_soup_is_read(pieces in prop::collection::vec(piece(), 0..80), glue in prop::bool::ANY) {
        let text = pieces.join(if glue { "" } else { " " });
        read(&text);
    }

    #[test]
    fn soup_in_a_process_is_read(pieces in prop::collection::vec(piece(), 0..60)) {
        let soup = pieces.join(" ");
        read(&format!("set Q; index I; msg M = A(int, pid) | B; process p {{ {soup} }} process w for q in Q {{ {soup} }}"));
    }

    #[test]
    fn changed_files_are_read(
        which in 0..VALID.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..12usize, piece()), 1..5),
    ) {
        let mut text = VALID[which].to_owned();
        for (at, removed, inserted) in changes {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.floor_char_boundary((start + removed).min(text.len())).max(start);
            text.replace_range(start..end, &inserted);
        }
        read(&text);
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,200}") {
        read(&text);
    }
}

#[test]
fn the_files_that_are_changed_are_right() {
    for text in VALID {
        assert_eq!(read(text), []);
    }
}

#[test]
fn every_beginning_and_every_end_is_read() {
    for text in VALID {
        for at in 0..text.len() {
            read(&text[..at]);
            read(&text[at..]);
        }
    }
}

/// The codes of the messages about a text that is read on a small stack, in a short time.
fn codes_soon(text: String) -> Vec<&'static str> {
    let started = Instant::now();
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    let reading = thread.spawn(move || read(&text).iter().map(|it| it.code).collect::<Vec<_>>());
    let codes = reading.expect("a thread").join().expect("no panic");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    codes
}

#[test]
fn deep_nesting_is_an_error() {
    let many = 100_000;
    let in_process = |text: String| format!("process p {{ x := 0; {text} }}");
    let texts = [
        in_process(format!("{}skip;{}", "loop { ".repeat(many), " }".repeat(many))),
        in_process("loop { ".repeat(many)),
        in_process(format!("x := {}1{};", "(".repeat(many), ")".repeat(many))),
        in_process(format!("x := {}1;", "-(".repeat(many))),
        in_process(format!("x := {}1;", "- ".repeat(many))),
        in_process(format!("x := 1{};", " + 1".repeat(many))),
        in_process(format!("assert {}true;", "!".repeat(many))),
        in_process(format!("if x == 1 {{ }} {}", "else if x == 2 { } ".repeat(many))),
        in_process(format!("send {}", "A(".repeat(many))),
        in_process("match x { A => { ".repeat(many)),
    ];
    for text in texts {
        assert_eq!(codes_soon(text), ["nested-too-deeply"]);
    }
}

#[test]
fn what_is_deep_enough_is_read() {
    let deep = MAX_DEPTH - 8;
    let text = format!("process p {{ {}skip;{} }}", "loop { ".repeat(deep), " }".repeat(deep));
    assert!(codes_soon(text).is_empty());
    let text = format!("process p {{ x := 1{}; }}", " + 1".repeat(deep));
    assert!(codes_soon(text).is_empty());
}

#[test]
fn large_files_are_read_soon() {
    let many = MAX_STATEMENTS - 10;
    let choices = "if ? { break; } ".repeat(many / 2 - MAX_VARIABLES);
    let values: String = (0..MAX_VARIABLES - 1).map(|i| format!("x{i} := 1; ")).collect();
    let text = format!("process p {{ loop {{ {values} {choices} }} assert x0 == 1; }}");
    assert!(codes_soon(text).is_empty());
    let constructors: Vec<String> = (0..256).map(|i| format!("C{i}")).collect();
    let text = format!(
        "msg M = {}; process q {{ m := recv M; {} }} process p {{ send C0 to q; }}",
        constructors.join(" | "),
        "match m { _ => { } } ".repeat(many)
    );
    assert!(codes_soon(text).is_empty());
}

#[test]
fn too_much_of_anything_is_an_error() {
    assert_eq!(
        codes_soon(format!("process p {{ {} }}", "skip; ".repeat(200_000))),
        ["too-many-statements"]
    );
    let values: String = (0..=MAX_VARIABLES).map(|i| format!("x{i} := 1; ")).collect();
    assert_eq!(codes_soon(format!("process p {{ {values} }}")), ["too-many-variables"]);
    let constructors: Vec<String> = (0..300).map(|i| format!("C{i}")).collect();
    let text = format!("msg M = {}; process p {{ skip; }}", constructors.join(" | "));
    assert_eq!(codes_soon(text), ["too-many-constructors"]);
    let text = format!("msg M = M({}); process p {{ skip; }}", vec!["int"; 300].join(", "));
    assert_eq!(codes_soon(text), ["too-many-fields"]);
}

#[test]
fn huge_broken_files_are_read_soon() {
    let mega = 1 << 20;
    for piece in [
        "x ",
        "( ",
        "{ ",
        "} ",
        "; ",
        "process p { ",
        "msg M = ",
        "a(b ",
        "x <- ",
        "y := z; ",
        "é",
        "| ",
    ] {
        let soup = piece.repeat(mega / piece.len());
        assert!(!codes_soon(soup.clone()).is_empty());
        assert!(!codes_soon(format!("process p {{ {soup}")).is_empty());
    }
}
