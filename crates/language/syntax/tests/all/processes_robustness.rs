//! Whatever the text, reading it as processes, an unwinding, a goal or a list of requests gives an
//! answer: no panic, no hang, no flood of messages, nothing half understood.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use ser_base::Diagnostic;
use ser_syntax::core::{Expr, ExprKind, Program};
use ser_syntax::{MAX_DEPTH, parse_goal, parse_processes, parse_requests, parse_unwinding};

/// Pieces that make texts look like files of these languages.
const PIECES: &[&str] = &[
    "process",
    "enum",
    "reach",
    "await",
    "atomic",
    "for",
    "loop",
    "queue",
    "send",
    "to",
    "recv",
    "from",
    "skip",
    "match",
    "with",
    "break",
    "assert",
    "lock",
    "ghost",
    "set",
    "server",
    "invariant",
    "deadlock",
    "proof",
    "record",
    "type",
    "fn",
    "repeat",
    "receive",
    "done",
    "len",
    "place",
    "transition",
    "target",
    "test",
    "out",
    "when",
    "var",
    "bool",
    "bits",
    "unit",
    "of",
    "request",
    "const",
    "if",
    "else",
    "while",
    "yield",
    "return",
    "assume",
    "choose",
    "in",
    "and",
    "or",
    "not",
    "exit",
    "elif",
    "true",
    "int",
    "P",
    "Q",
    "X",
    "y",
    "N",
    "red",
    "p",
    "t",
    "main",
    "0",
    "1",
    "99",
    "9223372036854775808",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    "?",
    "..",
    ":",
    ":=",
    "==",
    "!=",
    "<",
    "+",
    "-",
    "*",
    "!",
    "&&",
    "||",
    "=",
    "\"",
    "\"a b\"",
    "%",
    "$",
    "é",
    "//",
    "/*",
    "*/",
    "\n",
    "var X: 0..3",
    "var Q: queue[2] of bool",
    "process P { X := 1 }",
    "enum Colour { red }",
    "Colour.red",
    "type Small = 0..1",
    "record Pair { a: 0..1 }",
    "lock L",
    "fn twice(x) = x + x",
    "assume X == 1",
    "invariant small: X <= 1",
    "invariant each(i): at(i, here)",
    "deadlock",
    "set Workers",
    "here: X := 1",
    "X := 1 ghost { y := 1 }",
    "match y { 0 => X := 1, _ => skip }",
    "with L { X := 1 }",
    "var z: int = 2",
    "for i in 0..1 {",
    "for i in Colour { X := i }",
    "X in {0, 1}",
    "X == 1 -> y == 2",
    "X / 2",
    "[0, 1]",
    "(X, y)",
    "reach X == 1",
    "send 1 to Q",
    "y := recv Q",
    "place p : 0..3",
    "transition t { out p(1) }",
    "target t",
    "in p(y)",
    "out p(y + 1)",
    "choose { X := 1 } or {",
    "await(X == 1) {",
    "while (X == 1) {",
    "} else {",
    "main[0]",
    "put(1)[0]",
    "done(P(1))",
    "main*2",
];

fn soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(PIECES);
    let separated = prop::collection::vec((piece, prop::bool::weighted(0.8)), 0..60);
    separated.prop_map(|pieces| {
        pieces
            .into_iter()
            .map(|(piece, blank)| format!("{piece}{}", if blank { " " } else { "" }))
            .collect()
    })
}

fn for_each_expr<'e>(expr: &'e Expr, each: &mut dyn FnMut(&'e Expr)) {
    each(expr);
    expr.for_each_child(&mut |child| for_each_expr(child, each));
}

/// The messages point into the text, in order, and are not too many.
fn check_messages(text: &str, diagnostics: &[Diagnostic]) -> Result<(), TestCaseError> {
    prop_assert!(diagnostics.is_sorted_by_key(|d| d.primary.span.start));
    let errors = diagnostics.iter().filter(|d| d.is_error()).count();
    prop_assert!(errors <= 21, "at most 20 errors and a count of the rest");
    for d in diagnostics {
        let labels = d.secondary.iter().chain([&d.primary]).map(|label| label.span);
        let edits = d.help.iter().filter_map(|help| help.edit.as_ref()).map(|edit| edit.span);
        for span in labels.chain(edits) {
            prop_assert!(text.get(span.range()).is_some(), "{} points outside: {span:?}", d.code);
        }
        prop_assert!(!d.message.ends_with('.'), "{}", d.message);
    }
    Ok(())
}

/// A program without errors has no holes, and every shared name in it has a range.
fn check_program(program: &Program) -> Result<(), TestCaseError> {
    prop_assert!(!program.requests.is_empty());
    prop_assert!(!program.questions.is_empty() || program.may_fail());
    prop_assert!(program.globals.iter().all(|it| it.range.is_some()));
    let shared: BTreeSet<&str> = program.globals.iter().map(|it| it.name.text.as_str()).collect();
    prop_assert_eq!(shared.len(), program.globals.len());
    let mut wrong = Vec::new();
    let observers = program.questions.iter().map(|it| &it.observer);
    let handlers = program.requests.iter().chain(observers);
    for expr in handlers.flat_map(|it| &it.body.exprs) {
        for_each_expr(expr, &mut |expr| match &expr.kind {
            ExprKind::Error => wrong.push("a hole".to_owned()),
            ExprKind::Read(name) | ExprKind::Assign(name, _) => {
                let known = shared.contains(&*name.text);
                if !known && name.is_global() {
                    wrong.push(name.text.clone());
                }
            }
            _ => {}
        });
    }
    prop_assert!(wrong.is_empty(), "{wrong:?}");
    Ok(())
}

fn check(text: &str) -> Result<(), TestCaseError> {
    let parse = parse_processes(text);
    check_messages(text, &parse.diagnostics)?;
    if !parse.has_errors() {
        check_program(&parse.program)?;
    }
    let parse = parse_unwinding(text);
    check_messages(text, &parse.diagnostics)?;
    if !parse.has_errors() {
        let unwinding = parse.unwinding;
        prop_assert!(!unwinding.targets.is_empty());
        for transition in &unwinding.transitions {
            for arc in &transition.arcs {
                prop_assert_eq!(arc.exprs.len(), unwinding.places[arc.place].components.len());
            }
        }
    }
    let program =
        ser_syntax::parse("X := 1 request main { X } request put(n in 0..1) { n }").program;
    let (requests, diagnostics) = parse_requests(text, &program);
    check_messages(text, &diagnostics)?;
    prop_assert!(!requests.is_empty() || !diagnostics.is_empty());
    let instances = [("main".to_owned(), 2), ("put(1)".to_owned(), 1)];
    let (goal, diagnostics) = parse_goal(text, &program, &instances);
    check_messages(text, &diagnostics)?;
    prop_assert_eq!(goal.kind == ExprKind::Error, diagnostics.iter().any(Diagnostic::is_error));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        check(&text)?;
    }

    #[test]
    fn any_soup_of_tokens_is_survived(text in soup()) {
        check(&text)?;
    }

    #[test]
    fn any_soup_inside_a_process_is_survived(text in soup()) {
        check(&format!("var X: 0..3 var Q: queue[2] of 0..1 process P(n in 0..1) {{ {text} }} reach done"))?;
    }

    #[test]
    fn any_soup_inside_a_transition_is_survived(text in soup()) {
        check(&format!("place p : 0..3 transition t {{ out p(1); {text} }} target t"))?;
    }

    #[test]
    fn a_file_with_a_piece_missing_is_survived(start in 0usize..700, length in 0usize..20) {
        let processes = "const N = 3\nenum Colour { red, green }\nvar X: 0..N = 2\nvar Flag: bool\nvar Word: bits 8 = 255\n\
            var Light: Colour = red\nvar Q: queue[2] of 0..3\nprocess P(id in 0..1) {\n  send id to Q; atomic { a := X; X := a + 1 };\n\
            while (Flag) { skip }\n  for _ in 1..3 { await(X == 1) { Flag := 1 } }\n  choose { a := recv Q } or { return }\n\
            if (len(Q) == 1) { Light := green } else if (?) { Word := Word * 2 } else { X := 0 } }\n\
            reach \"name\": done(P(1)) && X == N\nreach done\n";
        let net = "enum Colour { red, green }\nplace p : 0..3, Colour\nplace q\ntransition a { out p(1, red); out q }\n\
            transition b { in p(x, k); test q; when k == red && x + 1 < y; var y : 0..5; out p(y, green) }\ntarget a, b\n";
        for text in [processes, net] {
            let start = text.floor_char_boundary(start.min(text.len()));
            let (before, rest) = text.split_at(start);
            let rest: String = rest.chars().skip(length).collect();
            check(&format!("{before}{rest}"))?;
        }
    }
}

#[test]
fn long_texts_are_read_in_linear_time() {
    const LENGTH: usize = 1 << 17;
    let pieces = [
        "(",
        "{",
        "}",
        "[",
        "]",
        "\"",
        "\"a\" ",
        "process P {",
        "process P(",
        "process p ",
        "process t for x ",
        "if {",
        "await {a, ",
        "x in {a} + ",
        "({a",
        "x [",
        "enum A {",
        "a, ",
        "var X: 0..1 ",
        "X : ",
        "var X: ",
        "send 1 to ",
        "recv ",
        "{0, ",
        "a -> ",
        "loop {",
        "invariant a: ",
        "reach ",
        "reach done && ",
        "done(",
        "await(",
        "atomic {",
        "for _ in 1..2 {",
        "choose {",
        "choose { } or ",
        "} or {",
        "send Q(",
        "send 1 to Q;",
        "x := recv Q;",
        "x := x;",
        "X := X + 1;",
        "place p ",
        "place p : ",
        "transition t {",
        "in p(x);",
        "out p(",
        "when x;",
        "target t ",
        "if (x) { } else ",
        "while (X) { ",
        "main[",
        "main,",
        "X == 1 && ",
        "return;",
    ];
    let start = Instant::now();
    for piece in pieces {
        let many = piece.repeat(LENGTH / piece.len());
        for text in [
            format!("var X: 0..1 var Q: queue[2] of 0..1 process P {{ {many} }} reach done"),
            format!("place p : 0..1 transition t {{ {many} }} target t"),
            many,
        ] {
            assert!(parse_processes(&text).diagnostics.len() <= 122, "{piece}");
            assert!(parse_unwinding(&text).diagnostics.len() <= 122, "{piece}");
            let program = ser_syntax::parse("X := 1 request main { X }").program;
            assert!(parse_requests(&text, &program).1.len() <= 122, "{piece}");
            assert!(parse_goal(&text, &program, &[]).1.len() <= 122, "{piece}");
        }
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

fn codes(text: &str) -> Vec<&'static str> {
    parse_processes(text).diagnostics.iter().map(|d| d.code).collect()
}

#[test]
fn deep_nesting_is_an_error_and_not_a_crash() {
    for (open, close) in [
        ("atomic { ", " }"),
        ("if (X) { ", " }"),
        ("while (X) { ", " }"),
        ("for _ in 1..2 { ", " }"),
        ("choose { ", " }"),
        ("if (X) { } else { ", " }"),
        ("if (X) { } else ", ""),
        ("await(X) { ", " }"),
        ("X := (", "1)"),
    ] {
        let nested = |depth: usize| {
            let body = format!("{}{}", open.repeat(depth), close.repeat(depth));
            codes(&format!("var X: 0..1 process P {{ {body} }} reach X"))
        };
        assert!(nested(MAX_DEPTH * 40).contains(&"nested-too-deeply"), "{open}");
        assert!(!nested(MAX_DEPTH / 4).contains(&"nested-too-deeply"), "{open}");
    }
}

#[test]
fn queues_that_take_too_much_code_are_an_error() {
    let sends = "send 1 to Q;".repeat(10_000);
    let text = format!("var Q: queue[256] of 0..1 process P {{ {sends} }} reach done");
    assert_eq!(codes(&text), ["too-large"]);
    let text = "process P(n in 0..9999) { if (n == 1) { return } } reach done";
    assert_eq!(codes(text), [""; 0]);
}

/// `done` is about all processes, and the parameters of each are its numbers.
#[test]
fn processes_that_are_too_many_to_end_are_an_error() {
    let text = |parameters: &str, goal: &str| {
        format!("var X: 0..1 process P({parameters}) {{ X := 1 }} reach {goal}")
    };
    for goal in ["done", "done(P)", "done(P(1, 1))", "!done && done(P) && X == 1"] {
        let many = [
            "i in 0..4294967296",
            "i in -9223372036854775808..9223372036854775807",
            "i in 0..9999, j in 0..9999",
            "i in 0..4294967296, j in 0..4294967296",
        ];
        for parameters in many {
            let codes = codes(&text(parameters, goal));
            let told = |it: &&str| ["too-many-labels", "range-too-large"].contains(it);
            assert!(codes.iter().any(told), "{parameters}, {goal}: {codes:?}");
        }
    }
    assert_eq!(codes(&text("i in 0..99, j in 0..99", "done(P) && done(P(1, 1))")), [""; 0]);
}

#[test]
fn many_names_are_no_problem() {
    const COUNT: usize = 20_000;
    let many = |piece: &dyn Fn(usize) -> String| (0..COUNT).map(piece).collect::<String>();
    let chain = many(&|i| format!("v{i} := v{};", i + 1));
    let texts = [
        format!("var X: 0..9 process P {{ {chain} v{COUNT} := X; X := v0 }} reach X"),
        format!("var X: 0..9 process P {{ {} }} reach X", many(&|i| format!("Y{i} := x{i};"))),
        many(&|i| format!("process P{i} {{ a := v{i} }} ")) + "reach done",
        many(&|i| format!("X{i} in 0..9 "))
            + "process P { X1 := 1 } "
            + &many(&|i| format!("reach Y{i} ")),
        many(&|i| format!("X{i} : Type{i} ")) + "process P { X1 := 1 } reach done",
        "process P(n in 0..9999) { skip } ".to_owned() + &"reach done(P(7)) ".repeat(COUNT),
        "process P(n in 0..9999) { skip } ".to_owned() + &"reach done ".repeat(COUNT),
        many(&|i| format!("place p{i} : 0..9 transition t{i} {{ in p{i}(x{i}) }} target t{i} ")),
        format!(
            "place p : 0..9 transition t {{ {} }} target t",
            many(&|i| format!("out p(x{i});"))
        ),
        format!(
            "place p : 0..9 transition t {{ {} }} target t",
            many(&|i| format!("out q{i}(y{i});"))
        ),
        many(&|i| format!("target t{i} ")) + "transition u { }",
    ];
    let program =
        ser_syntax::parse(&many(&|i| format!("request main{i} {{ X{i} := 1 }} "))).program;
    for text in texts {
        let start = Instant::now();
        parse_processes(&text);
        parse_unwinding(&text);
        let seconds = start.elapsed().as_secs();
        assert!(seconds < 20, "{seconds} s: {}", &text[..100]);
    }
    let start = Instant::now();
    parse_requests(&many(&|i| format!("mian{i},")), &program);
    let goal = (0..200).map(|i| format!("main{i}[0] + Z{i}")).collect::<Vec<_>>().join(" + ");
    parse_goal(&goal, &program, &[("main1".to_owned(), 10_000)]);
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn empty_places_in_a_text_are_places() {
    // Messages at the end of the text, after blanks, and in the middle of characters.
    for text in ["é", "process é", "X in é", "reach \"é", "place é :", "main[é"] {
        let diagnostics = parse_processes(text).diagnostics;
        assert!(diagnostics.iter().all(|d| text.get(d.primary.span.range()).is_some()), "{text}");
    }
}
