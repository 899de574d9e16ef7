//! Whatever the text, reading a model of threads ends, soon, without a panic, and says where things
//! are.

use proptest::prelude::*;
use ser_base::Diagnostic;
use ser_editing::Names as _;
use ser_editing::inv::parse;
use ser_syntax::MAX_DEPTH;
use ser_syntax::inv::{MAX_STATEMENTS, MAX_VARIABLES};
use std::time::{Duration, Instant};

const VALID: [&str; 4] = [
    include_str!("inv/ticket_int.ser"),
    include_str!("inv/ticket_set.ser"),
    include_str!("inv/list.ser"),
    include_str!("inv/chosen.ser"),
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
        // What is wrong has no declaration, but nothing breaks.
        let _ = parse.declaration(occurrence.symbol);
    }
    for location in &parse.system.locations {
        assert!(text.get(location.span.range()).is_some());
    }
    for invariant in &parse.system.invariants {
        for conjunct in &invariant.conjuncts {
            ser_editing::inv::show(&parse.system, &conjunct.formula);
        }
    }
    parse.diagnostics
}

/// Pieces that the language is made of, and some that it is not.
fn piece() -> impl Strategy<Value = String> {
    let words = ser_syntax::inv::KEYWORDS.into_iter().chain(ser_syntax::inv::FUNCTIONS);
    let rest = "next data lockid set self other use from follows acyclic request x y s t a i j p q r wait crit 0 1 \
        99999999999999999999 12x { } ( ) [ ] ; , . .. : := = == != < <= > >= + - * -> <-> => <=> & && | || ! \" é ∀ → @";
    let pieces: Vec<String> = words
        .chain(rest.split_whitespace())
        .chain(["// c\n", "/* c */", "/*", "\n", "set of int", "p.x[i]", "a.next", "at(i, wait)"])
        .map(str::to_owned)
        .collect();
    prop::sample::select(pieces)
}

const AROUND: &str = "var x: int; var y: int; var s: set of int; var a: addr; ghost var t: set of addr; var i: Threads;\n\
    fn q(y_: int): int { return 1; } invariant r(j, k) { wait: x > y; }";

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn token_soup_is_read(pieces in prop::collection::vec(piece(), 0..80), glue in prop::bool::ANY) {
        let text = pieces.join(if glue { "" } else { " " });
        read(&text);
    }

    #[test]
    fn soup_in_a_body_is_read(pieces in prop::collection::vec(piece(), 0..60)) {
        let soup = pieces.join(" ");
        read(&format!("{AROUND} set Threads  process thread for self in Threads {{ var z: int; wait: {soup} }}"));
    }

    #[test]
    fn soup_in_an_invariant_is_read(pieces in prop::collection::vec(piece(), 0..40)) {
        let soup = pieces.join(" ");
        read(&format!("{AROUND} set Threads  process thread for self in Threads {{ var z: int; wait: x := 1; }} invariant p(j): {soup}; proof {{ p {soup}; }}"));
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
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            read(&text[..at]);
            read(&text[at..]);
        }
    }
}

/// The codes of the messages about a text that is read on a small stack, in a short time.
fn codes_soon(text: String) -> Vec<&'static str> {
    let started = Instant::now();
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    let shown: String = text.chars().take(200).collect();
    let reading = thread.spawn(move || read(&text).iter().map(|it| it.code).collect::<Vec<_>>());
    let codes = reading.expect("a thread").join().expect("no panic");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?} for {shown}", started.elapsed());
    codes
}

fn in_thread(text: String) -> String {
    format!(
        "var x: int; var a: addr; set Threads  process thread for self in Threads {{ {text} }} invariant t: true;"
    )
}

fn in_invariant(text: String) -> String {
    format!(
        "var x: int; set Threads  process thread for self in Threads {{ var y: int; w: skip; }} invariant t(i): {text};"
    )
}

#[test]
fn deep_nesting_is_an_error() {
    let many = 100_000;
    let open = |piece: &str| piece.repeat(many);
    let texts = [
        in_thread(format!("{}skip;{}", open("loop { "), open(" }"))),
        in_thread(open("loop { ")),
        in_thread(open("l: { ")),
        in_thread(format!("{}skip;{}", open("choose { "), open(" } or { }"))),
        in_thread(format!("atomic {{ {}skip;{} }}", open("if x == 1 { "), open(" }"))),
        in_thread(format!("skip ghost {{ {} }}", open("if x == 1 { "))),
        in_thread(format!("x := {}1{};", open("("), open(")"))),
        in_thread(format!("x := {}1;", open("-("))),
        in_thread(format!("x := {}1;", open("- "))),
        in_thread(format!("x := 1{};", open(" + 1"))),
        in_thread(format!("a{} := a;", open(".next"))),
        in_thread(format!("a := a{};", open(".next"))),
        in_thread(format!("await {}true;", open("!"))),
        in_thread(format!("{}{{ skip; }}", open("if x == 1 { skip; } else "))),
        in_thread(format!("await {}x{};", open("min({"), open("})"))),
        in_invariant(format!("{}true", open("true -> "))),
        in_invariant(format!("true{}", open(" && true"))),
        in_invariant(format!("y{} == 1", open("[y"))),
        in_invariant(format!("{}x{} == {{}}", open("{"), open("}"))),
        in_invariant(open("at(")),
        in_invariant(open("p(")),
    ];
    for text in texts {
        let shown: String = text.chars().take(120).collect();
        let codes = codes_soon(text);
        assert!(codes.contains(&"nested-too-deeply"), "{codes:?} for {shown}");
        assert!(codes.len() <= 2, "{codes:?} for {shown}");
    }
}

#[test]
fn what_is_almost_too_deep_is_fine() {
    let deep = MAX_DEPTH - 4;
    let texts = [
        in_thread(format!("{}skip;{}", "while x == 1 { ".repeat(deep), " }".repeat(deep))),
        in_thread(format!("x := {}1{};", "(".repeat(deep), ")".repeat(deep))),
        in_thread(format!("x := 1{};", " + 1".repeat(deep))),
        in_thread(format!("a := a{};", ".next".repeat(deep))),
        in_invariant(format!("{}true", "true -> ".repeat(deep))),
        in_invariant(format!("{}true", "!".repeat(deep))),
    ];
    for text in texts {
        assert_eq!(codes_soon(text), Vec::<&str>::new());
    }
}

#[test]
fn large_files_are_read() {
    let many = 50_000;
    let texts = [
        (in_thread("x := x + 1;".repeat(many)), None),
        (in_thread("skip;".repeat(MAX_STATEMENTS + 10)), Some("too-many-statements")),
        (
            in_thread(format!("atomic {{ {} }}", "skip; ".repeat(MAX_STATEMENTS))),
            Some("too-many-statements"),
        ),
        (in_thread("y := 1;".repeat(many)), Some("unknown-name")),
        (in_thread(format!("choose {{ }} {}", "or { x := 1; }".repeat(many))), None),
        (in_thread("return; ".repeat(many)), Some("unreachable")),
        (in_thread("l: skip; ".repeat(many)), Some("name-clash")),
        (in_thread("l: { skip; } ".repeat(many / 2)), Some("name-clash")),
        (in_invariant("y[i] == x && ".repeat(many) + "true"), Some("nested-too-deeply")),
        (
            (0..many).map(|i| format!("var g{i} : int; ")).collect::<String>()
                + "set Threads  process thread for self in Threads { }",
            Some("too-many-variables"),
        ),
        (
            format!(
                "var x: int; set Threads  process thread for self in Threads {{ }} {}",
                "invariant t: x == 1; ".repeat(many)
            ),
            Some("name-clash"),
        ),
        (
            in_invariant("true".to_owned()) + &format!("proof {{ {} }}", "t from t; ".repeat(many)),
            Some("proved-twice"),
        ),
        (
            in_invariant("true".to_owned()) + &format!("proof {{ {} }}", "s; ".repeat(many)),
            Some("unknown-invariant"),
        ),
        (
            format!(
                "set Threads  process thread for self in Threads {{ }} invariant t({}): {};",
                (0..many).map(|i| format!("i{i}, ")).collect::<String>() + "j",
                "i1 == i2 && ".repeat(100) + "true"
            ),
            Some("too-many-parameters"),
        ),
        (
            format!(
                "set Threads  process thread for self in Threads {{ }} invariant t {{ {} }}",
                "true; ".repeat(many * 4)
            ),
            None,
        ),
        (
            format!(
                "set Threads  process thread for self in Threads {{ }} invariant t {{ {} }} proof {{ t {{ at thread use {} t.b; }} }}",
                (0..many).map(|i| format!("a{i}: true; ")).collect::<String>(),
                (0..many).map(|i| format!("t.a{i}, ")).collect::<String>()
            ),
            Some("unknown-conjunct"),
        ),
        (
            format!(
                "{} set Threads  process thread for self in Threads {{ p0(); }} invariant t: true;",
                (0..10_000).map(|i| format!("fn p{i}() {{ p{}(); }} ", i + 1)).collect::<String>()
                    + "fn p10000() { }"
            ),
            None,
        ),
        (
            format!(
                "{} set Threads  process thread for self in Threads {{ p0(); }}",
                (0..10_000)
                    .map(|i| format!("fn p{i}(x: int) {{ s: p{}(1); }} ", (i + 1) % 10_000))
                    .collect::<String>()
            ),
            Some("recursion"),
        ),
        (
            format!(
                "{} set Threads  process thread for self in Threads {{ skip; }} invariant t(i) {{ {} }}",
                (0..3_000).map(|i| format!("fn p{i}(x: int) {{ s: skip; }} ")).collect::<String>(),
                "x[i] == 1 && at(i, s); ".repeat(many)
            ),
            Some("ambiguous-local"),
        ),
    ];
    for (text, code) in texts {
        let shown: String = text.chars().take(100).collect();
        let codes = codes_soon(text);
        match code {
            None => assert!(codes.iter().all(|it| *it == "no-invariants"), "{codes:?} for {shown}"),
            Some(code) => assert!(codes.contains(&code), "{codes:?} for {shown}"),
        }
    }
    assert!(MAX_VARIABLES < many);
}

#[test]
fn shorthands_do_not_explode() {
    // Each is twice as large as the one before.
    let doubling: String =
        (1..200).map(|i| format!("fn a{i}(i) = a{}(i) && a{}(i); ", i - 1, i - 1)).collect();
    let text = format!(
        "set Threads  process thread for self in Threads {{ s: skip; }} fn a0(i) = at(i, s); {doubling} invariant t(i): a150(i);"
    );
    assert_eq!(codes_soon(text), ["expanded-too-large"]);
    // Each is higher than the one before.
    let stacking: String = (1..50_000).map(|i| format!("fn a{i} = !a{}; ", i - 1)).collect();
    let text = format!(
        "set Threads  process thread for self in Threads {{ s: skip; }} fn a0 = true; {stacking} invariant t: a49999;"
    );
    assert_eq!(codes_soon(text), ["nested-too-deeply"]);
    // Many uses of something large.
    let large = "true && ".repeat(200) + "true";
    let text = format!(
        "set Threads  process thread for self in Threads {{ }} fn a = {large}; invariant t {{ {} }}",
        "a; ".repeat(100_000)
    );
    assert_eq!(codes_soon(text), ["expanded-too-large"]);
    // Many places, many times.
    let text = format!(
        "set Threads  process thread for self in Threads {{ {} }} invariant t(i) {{ {} }}",
        "skip; ".repeat(60_000),
        "at(i, thread); ".repeat(100_000)
    );
    assert_eq!(codes_soon(text), ["expanded-too-large"]);
}
