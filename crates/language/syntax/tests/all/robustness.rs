//! Whatever the text, reading it as anything gives an answer, soon: no panic, no hang, no flood of
//! messages, nothing half understood, and messages say where things are.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use ser_base::Diagnostic;
use ser_editing::{Names as _, icet, inv, parse};
use ser_syntax::core::{Expr, ExprKind, Program};
use ser_syntax::{MAX_DEPTH, MAX_SOURCE_BYTES, Parse, lexer};
use ser_syntax::{parse_goal, parse_processes, parse_requests, parse_unwinding};

/// Words and signs of the language, of others, and of none.
const WORDS: &str = "request process const var enum record type fn lock with if else elif while \
    loop for in break continue match return abort assert assume yield atomic await choose or and \
    not true false skip at ghost set index msg server send to recv from self other use follows \
    acyclic where invariant reach deadlock proof done len queue of bits bool int pid unit addr \
    place transition target test out when next data lockid malloc unlock null spawn receive pick \
    any exit fail min max main P Q X N I M A B p q r x y w s t i red _ 0 1 2 99 12x \
    9223372036854775808 99999999999999999999 { } ( ) [ ] ; , . .. : := = == != < <= > >= + - * / \
    % ! & && | || ? -> <-> => <- $ @ é ← ∀ “ \" // /* */";

/// Longer pieces, so that soups are about something now and then.
const PIECES: [&str; 44] = [
    "\n",
    "\t",
    "// c\n",
    "/* c */",
    "\"a b\"",
    "request a { X := 1; yield; X }",
    "request b(p in 0..2) { p }",
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
    "set Workers",
    "here: X := 1",
    "X := 1 ghost { y := 1 }",
    "match y { 0 => X := 1, _ => skip }",
    "with L { X := 1 }",
    "var z: int = 2",
    "for i in Colour { X := i }",
    "X in {0, 1}",
    "X == 1 -> y == 2",
    "[0, 1]",
    "(X, y)",
    "reach X == 1",
    "send 1 to Q",
    "y := recv Q",
    "place p : 0..3",
    "transition t { out p(1) }",
    "in p(y)",
    "choose { X := 1 } or {",
    "await(X == 1) {",
    "} else {",
    "main[0]",
    "put(1)[0]",
    "done(P(1))",
    "set of int",
    "a.next",
];

/// What a soup may stand in, at `@`.
const AROUND: [&str; 7] = [
    "@",
    "request main { @ }",
    "var X: 0..3 var Q: queue[2] of 0..1 process P(n in 0..1) { @ } reach done",
    "place p : 0..3 transition t { out p(1); @ } target t",
    "set Q; index I; msg M = A(int, pid) | B; process p { @ } process w for q in Q { @ }",
    "var x: int; var s: set of int; var a: addr; ghost var t: set of addr; fn q(y: int): int { \
     return 1; } invariant r(j, k) { wait: x > y; } set T  process p for self in T { var z: int; \
     wait: @ }",
    "var x: int; set T  process p for self in T { var z: int; wait: x := 1; } invariant r(j): @; \
     proof { r @; }",
];

/// Files without mistakes, one of each kind at least.
const VALID: [&str; 10] = [
    "const N = 2\nA := N\nrequest put(v in 0..N) {\n    while (L == 1) { yield };\n    \
     L := 1; if (A == v) { A := choose(0..N) } else if (?) { return -1 } else { A := v };\n    \
     yield; L := 0; assume(A >= 0 && A <= N); A + 1\n}\nrequest get { A }\n",
    "const N = 3\nenum Colour { red, green }\nvar X: 0..N = 2\nvar Flag: bool\n\
     var Word: bits 8 = 255\nvar Light: Colour = red\nvar Q: queue[2] of 0..3\n\
     process P(id in 0..1) {\n  send id to Q; atomic { a := X; X := a + 1 };\n\
     while (Flag) { skip }\n  for _ in 1..3 { await(X == 1) { Flag := true } }\n\
     choose { a := recv Q } or { return }\n  if (len(Q) == 1) { Light := green } else if (?) \
     { Word := Word * 2 } else { X := 0 } }\nreach \"name\": done(P(1)) && X == N\nreach done\n",
    "enum Colour { red, green }\nplace p : 0..3, Colour\nplace q\n\
     transition a { out p(1, red); out q }\ntransition b { in p(x, k); test q; \
     when k == red && x + 1 < y; var y : 0..5; out p(y, green) }\ntarget a, b\n",
    "set Cs >= 1; index I; enum Colour { Red, Green }\nmsg Req = Req(Cs); \
     msg Work = Task(pid, int) | None; msg Ack = Ack;\n\
     process server { for c in Cs { Req(p) := recv Req; item := choose(int); \
     send Task(master, item) to p; } }\nprocess master { for c in Cs { recv Ack; } }\n\
     process client for c in Cs { send Req(c) to server; w := recv Work from server;\n\
     match w { Task(m, t) => { send Ack to m; } None => { assert false; } } }",
    "set A; msg Prep = Prep; msg Vote = Yes | No; // votes\nprocess coord { for a in A { send Prep \
     to a; } ok := true;\nfor a in A { v := recv Vote; if v == No { ok := false; } } \
     assert ok || !ok; }\nprocess acc for a in A { recv Prep; if ? { v := Yes; } else { v := No; } \
     send v to coord; }",
    "msg M = M(int, bool); process p { x := 1; loop { x := x * 2 - -3; if x > 10 && \
     not (x == 12) { break; } else if x < 3 { skip; } }\nwhile x <= 3 { x := x + 1; } \
     send M(x, true) to q; } server process q { M(a, _) := recv M from p; /* done */ }",
    include_str!("inv/ticket_int.ser"),
    include_str!("inv/ticket_set.ser"),
    include_str!("inv/list.ser"),
    include_str!("inv/chosen.ser"),
];

fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(WORDS.split_whitespace().chain(PIECES).collect::<Vec<_>>())
}

fn soup() -> impl Strategy<Value = String> {
    let separated = prop::collection::vec((piece(), prop::bool::weighted(0.8)), 0..80);
    separated.prop_map(|pieces| {
        let blank = |blank| if blank { " " } else { "" };
        pieces.into_iter().map(|(piece, with)| format!("{piece}{}", blank(with))).collect()
    })
}

/// What must hold of the messages about any text.
fn sensible(text: &str, diagnostics: &[Diagnostic]) -> Result<(), TestCaseError> {
    prop_assert!(diagnostics.is_sorted_by_key(|d| d.primary.span.start));
    let errors = diagnostics.iter().filter(|d| d.is_error()).count();
    prop_assert!(errors <= 21, "at most 20 errors and a count of the rest");
    for d in diagnostics {
        let labels = d.secondary.iter().chain([&d.primary]).map(|label| label.span);
        let edits = d.help.iter().filter_map(|help| help.edit.as_ref()).map(|edit| edit.span);
        for span in labels.chain(edits) {
            prop_assert!(text.get(span.range()).is_some(), "{} points outside: {span:?}", d.code);
        }
        prop_assert!(!d.message.is_empty() && !d.message.ends_with('.'), "{:?}", d.message);
    }
    Ok(())
}

fn for_each_expr<'e>(expr: &'e Expr, each: &mut dyn FnMut(&'e Expr)) {
    each(expr);
    expr.for_each_child(&mut |child| for_each_expr(child, each));
}

/// There are no holes in what methods read, and of processes, every shared name has a range.
fn complete(program: &Program, of_processes: bool) -> Result<(), TestCaseError> {
    prop_assert!(!program.requests.is_empty());
    let shared: BTreeSet<&str> = program.globals.iter().map(|it| it.name.text.as_str()).collect();
    if of_processes {
        prop_assert!(!program.questions.is_empty() || program.may_fail());
        prop_assert!(program.globals.iter().all(|it| it.range.is_some()));
        prop_assert_eq!(shared.len(), program.globals.len());
    }
    let mut wrong = Vec::new();
    let observers = program.questions.iter().map(|it| &it.observer);
    for expr in program.requests.iter().chain(observers).flat_map(|it| &it.body.exprs) {
        for_each_expr(expr, &mut |expr| match &expr.kind {
            ExprKind::Error => wrong.push("a hole".to_owned()),
            ExprKind::Read(name) | ExprKind::Assign(name, _)
                if of_processes && name.is_global() && !shared.contains(&*name.text) =>
            {
                wrong.push(name.text.clone());
            }
            _ => {}
        });
    }
    prop_assert!(wrong.is_empty(), "{wrong:?}");
    Ok(())
}

fn as_requests(text: &str) -> Result<Parse, TestCaseError> {
    let parse = parse(text);
    sensible(text, &parse.diagnostics)?;
    if !parse.has_errors() {
        complete(&parse.program, false)?;
        let constants = ser_syntax::constants(&parse.tree);
        prop_assert_eq!(&constants, &parse.program.constants);
        prop_assert!(parse.tree.constants.iter().all(|c| constants.contains_key(&c.name.text)));
    }
    Ok(parse)
}

fn as_threads(text: &str) -> Result<(), TestCaseError> {
    let parse = inv::parse(text);
    sensible(text, &parse.diagnostics)?;
    for occurrence in &parse.occurrences {
        prop_assert!(text.get(occurrence.span.range()).is_some());
        // What is wrong has no declaration, but nothing breaks.
        let _ = parse.declaration(occurrence.symbol);
    }
    for location in &parse.system.locations {
        prop_assert!(text.get(location.span.range()).is_some());
    }
    for conjunct in parse.system.invariants.iter().flat_map(|it| &it.conjuncts) {
        inv::show(&parse.system, &conjunct.formula);
    }
    Ok(())
}

/// What must hold for any text, whatever it is read as.
fn check(text: &str) -> Result<(), TestCaseError> {
    let tokens = lexer::lex(text);
    let together: String = tokens.iter().map(|token| token.text(text)).collect();
    prop_assert_eq!(&together, text, "lexing is lossless");
    prop_assert!(tokens.iter().all(|token| token.span.start < token.span.end), "no empty tokens");

    as_requests(text)?;
    as_threads(text)?;
    let parse = parse_processes(text);
    sensible(text, &parse.diagnostics)?;
    if !parse.has_errors() {
        complete(&parse.program, true)?;
    }
    let parse = icet::parse(text);
    sensible(text, &parse.diagnostics)?;
    prop_assert!(parse.occurrences.iter().all(|it| text.get(it.span.range()).is_some()));
    let parse = parse_unwinding(text);
    sensible(text, &parse.diagnostics)?;
    if !parse.has_errors() {
        let unwinding = parse.unwinding;
        prop_assert!(!unwinding.targets.is_empty());
        for arc in unwinding.transitions.iter().flat_map(|it| &it.arcs) {
            prop_assert_eq!(arc.exprs.len(), unwinding.places[arc.place].components.len());
        }
    }
    let program = ser_syntax::parse("X := 1 request main { X } request put(n in 0..1) { n }");
    let (requests, diagnostics) = parse_requests(text, &program.program);
    sensible(text, &diagnostics)?;
    prop_assert!(!requests.is_empty() || !diagnostics.is_empty());
    let instances = [("main".to_owned(), 2), ("put(1)".to_owned(), 1)];
    let (goal, diagnostics) = parse_goal(text, &program.program, &instances);
    sensible(text, &diagnostics)?;
    prop_assert_eq!(goal.kind == ExprKind::Error, diagnostics.iter().any(Diagnostic::is_error));
    Ok(())
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        check(&text)?;
    }

    #[test]
    fn a_request_after_a_soup_is_found(text in soup()) {
        // Without stars, because a comment that is not closed would swallow it.
        let text = text.replace('*', "");
        let parse = as_requests(&format!("request first {{ {text}\nrequest last {{ 42 }}"))?;
        let last = parse.tree.requests.last();
        prop_assert_eq!(last.map(|request| &*request.name.text), Some("last"));
    }

    #[test]
    fn changed_files_are_survived(
        text in prop::sample::select(VALID.to_vec()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..20usize, piece()), 1..5),
    ) {
        let mut text = text.to_owned();
        for (at, removed, inserted) in changes {
            let start = text.floor_char_boundary(at.index(text.len() + 1));
            let end = text.floor_char_boundary((start + removed).min(text.len())).max(start);
            text.replace_range(start..end, inserted);
        }
        check(&text)?;
    }
}

proptest! {
    #![proptest_config(config(9000))]

    #[test]
    fn any_soup_of_tokens_is_survived(around in prop::sample::select(&AROUND), text in soup()) {
        check(&around.replace('@', &text))?;
    }
}

#[test]
fn the_files_that_are_changed_are_right() {
    for text in VALID {
        let unwinding = text.contains("transition").then(|| parse_unwinding(text).diagnostics);
        let all = unwinding.unwrap_or_else(|| ser_syntax::read(text).diagnostics().to_vec());
        assert!(!all.iter().any(Diagnostic::is_error), "{all:?}\n{text}");
    }
}

#[test]
fn every_beginning_and_every_end_is_survived() {
    for text in VALID {
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            for part in [&text[..at], &text[at..]] {
                as_requests(part).expect("sensible");
                as_threads(part).expect("sensible");
                sensible(part, &icet::parse(part).diagnostics).expect("sensible");
                sensible(part, &parse_processes(part).diagnostics).expect("sensible");
            }
        }
    }
}

/// The codes of the messages about a file that is read on a small stack, in a short time.
fn codes(text: impl Into<String>) -> Vec<&'static str> {
    let text = text.into();
    let started = Instant::now();
    let shown: String = text.chars().take(120).collect();
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    let reading = thread.spawn(move || {
        let file = ser_syntax::read(&text);
        file.diagnostics().iter().map(|it| it.code).collect::<Vec<_>>()
    });
    let codes = reading.expect("a thread").join().unwrap_or_else(|_| panic!("a panic: {shown}"));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}: {shown}", started.elapsed());
    codes
}

fn in_request(text: &str) -> String {
    format!("request main {{ {text} }}")
}

fn in_process(text: &str) -> String {
    format!("var X: 0..1 var Q: queue[2] of 0..1 process P {{ {text} }} reach X")
}

fn in_messages(text: &str) -> String {
    format!("msg A = A  process p {{ x := 0; {text} }}")
}

fn in_thread(text: &str) -> String {
    format!(
        "var x: int; var a: addr; set T  process p for self in T {{ {text} }} invariant t: true;"
    )
}

fn in_invariant(text: &str) -> String {
    format!(
        "var x: int; set T  process p for self in T {{ var y: int; w: skip; }} invariant t(i): {text};"
    )
}

/// What stands between « and » comes so often.
fn repeated(pattern: &str, count: usize) -> String {
    let mut parts = pattern.split(['«', '»']);
    let mut text = parts.next().unwrap_or_default().to_owned();
    while let Some(again) = parts.next() {
        text += &again.repeat(count);
        text += parts.next().unwrap_or_default();
    }
    text
}

/// Where something is written, and what is nested there.
type Nested = (fn(&str) -> String, &'static [&'static str]);

const CLOSED: [Nested; 5] = [
    (in_request, &["«(»1«)»", "«if (x) { »1« }»", "1« + 1»", "«!»1", "«- »1"]),
    (
        in_process,
        &[
            "«atomic { »« }»",
            "«if (X) { »« }»",
            "«while (X) { »« }»",
            "«for _ in 1..2 { »« }»",
            "«choose { »« }»",
            "«if (X) { } else { »« }»",
            "«if (X) { } else »if (X) { }",
            "X := «(»1«)»",
        ],
    ),
    (in_messages, &["«loop { »skip;« }»", "x := «(»1«)»;", "x := 1« + 1»;", "assert «!»true;"]),
    (
        in_thread,
        &[
            "«while x == 1 { »skip;« }»",
            "«choose { »skip;« } or { }»",
            "atomic { «if x == 1 { »skip;« }» }",
            "x := «(»1«)»;",
            "x := 1« + 1»;",
            "a«.next» := a;",
            "a := a«.next»;",
            "await «!»true;",
            "«if x == 1 { skip; } else »{ skip; }",
        ],
    ),
    (in_invariant, &["«true -> »true", "true« && true»", "«!»true"]),
];

const OPEN: [Nested; 4] = [
    (in_process, &["«await(X) { »", "«send (»"]),
    (in_messages, &["«loop { »", "x := «-(»1;", "send «A(»", "«match x { A => { »"]),
    (in_thread, &["«loop { »", "«l: { »", "skip ghost { «if x == 1 { »", "await «min({»x«})»;"]),
    (in_invariant, &["y«[y»« ]» == 1", "«{»x«}» == {}", "«at(»", "«p(»"]),
];

#[test]
fn deep_nesting_is_an_error_and_not_a_crash() {
    for (within, patterns) in CLOSED.iter().chain(&OPEN) {
        for pattern in *patterns {
            let codes = codes(within(&repeated(pattern, 100_000)));
            assert!(codes.contains(&"nested-too-deeply"), "{pattern}: {codes:?}");
            assert!(codes.len() <= 2, "{pattern}: {codes:?}");
        }
    }
}

#[test]
fn what_is_almost_too_deep_is_fine() {
    for (within, patterns) in CLOSED {
        for pattern in patterns {
            assert_eq!(codes(within(&repeated(pattern, MAX_DEPTH - 8))), [""; 0], "{pattern}");
        }
    }
}

/// Long texts of one repeated piece, at top level and inside something.
#[test]
fn long_texts_are_read_in_linear_time() {
    const LENGTH: usize = 1 << 15;
    let phrases = "a b |x := |if (x) {|if {|else |if x { } else |a == |a % |a<b<c;|x++;|/* */|\
        request m {|request a(|const A = B |A := 1 |return; |choose(|a:=b:=|\
        process P {|process P(|process p |process t for x |await {a, |x in {a} + |({a|x [|\
        enum A {|a, |var X: 0..1 |X : |send 1 to |{0, |a -> |loop {|invariant a: |reach |\
        reach done && |done(|await(|atomic {|for _ in 1..2 {|choose {|choose { } or |} or {|\
        send Q(|x := recv Q;|X := X + 1;|place p : |transition t {|in p(x);|out p(|when x;|\
        target t |while (X) { |main[|main,|X == 1 && |msg M = |a(b |x <- |y := z; || ";
    let pieces = phrases.split('|').chain("( ) { } [ ] ; $ é \" 1+ - (} {) ({ /*".split(' '));
    let program = ser_syntax::parse("X := 1 request main { X }").program;
    let start = Instant::now();
    for piece in pieces.filter(|it| !it.is_empty()) {
        let many = piece.repeat(LENGTH / piece.len());
        for around in ["@", "request m { @ }", "place p : 0..1 transition t { @ } target t"] {
            let text = around.replace('@', &many);
            for diagnostics in [
                parse(&text).diagnostics,
                parse_processes(&text).diagnostics,
                icet::parse(&text).diagnostics,
                inv::parse(&text).diagnostics,
                parse_unwinding(&text).diagnostics,
                parse_requests(&text, &program).1,
                parse_goal(&text, &program, &[]).1,
            ] {
                assert!(diagnostics.len() <= 122, "{piece}");
            }
        }
    }
    // A quadratic pass over one of them alone would take minutes.
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn a_text_that_is_too_large_gives_one_error() {
    let largest = " ".repeat(MAX_SOURCE_BYTES - 18) + "request main { 0 }";
    assert_eq!(parse(&largest).diagnostics, []);
    assert_eq!(codes(largest + " "), ["source-too-large"]);
}

#[test]
fn many_errors_are_counted_but_not_all_shown() {
    let text = format!("request main {{ {} }}", "x = 1; ".repeat(50));
    let diagnostics = parse(&text).diagnostics;
    assert_eq!(diagnostics.len(), 21);
    assert_eq!(diagnostics[20].message, "30 more errors were left out");
}

#[test]
fn empty_places_in_a_text_are_places() {
    // Messages at the end of the text, after blanks, and in the middle of characters.
    for text in ["é", "process é", "X in é", "reach \"é", "place é :", "main[é"] {
        check(text).expect("sensible");
    }
}

// Much of what each kind of file has.

#[test]
fn many_names_are_no_problem() {
    const COUNT: usize = 5_000;
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
fn queues_that_take_too_much_code_are_an_error() {
    let sends = "send 1 to Q;".repeat(5_000);
    let text = format!("var Q: queue[256] of 0..1 process P {{ {sends} }} reach done");
    assert_eq!(codes(text), ["too-large"]);
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
            let codes = codes(text(parameters, goal));
            let told = |it: &&str| ["too-many-labels", "range-too-large"].contains(it);
            assert!(codes.iter().any(told), "{parameters}, {goal}: {codes:?}");
        }
    }
    assert_eq!(codes(text("i in 0..99, j in 0..99", "done(P) && done(P(1, 1))")), [""; 0]);
}

#[test]
fn choices_between_many_blocks_are_an_error() {
    let choices =
        |count: usize| codes(in_messages(&format!("choose {{ }}{}", " or { }".repeat(count))));
    assert_eq!(choices(20), [""; 0]);
    assert_eq!(choices(100_000), ["too-many-choices"]);
}

#[test]
fn large_protocols_are_read() {
    let many = ser_syntax::icet::MAX_STATEMENTS - 10;
    let choices = "if ? { break; } ".repeat(many / 2 - ser_syntax::icet::MAX_VARIABLES);
    let values: String =
        (0..ser_syntax::icet::MAX_VARIABLES - 1).map(|i| format!("x{i} := 1; ")).collect();
    let text = format!("msg A = A  process p {{ loop {{ {values} {choices} }} assert x0 == 1; }}");
    assert!(codes(text).is_empty());
    let constructors: Vec<String> = (0..256).map(|i| format!("C{i}")).collect();
    let text = format!(
        "msg M = {}; process q {{ m := recv M; {} }} process p {{ send C0 to q; }}",
        constructors.join(" | "),
        "match m { _ => { } } ".repeat(many)
    );
    assert!(codes(text).is_empty());
}

#[test]
fn too_much_of_anything_in_a_protocol_is_an_error() {
    assert_eq!(
        codes(format!("msg A = A  process p {{ {} }}", "skip; ".repeat(200_000))),
        ["too-many-statements"]
    );
    let values: String =
        (0..=ser_syntax::icet::MAX_VARIABLES).map(|i| format!("x{i} := 1; ")).collect();
    assert_eq!(codes(format!("msg A = A  process p {{ {values} }}")), ["too-many-variables"]);
    let constructors: Vec<String> = (0..300).map(|i| format!("C{i}")).collect();
    let text = format!("msg M = {}; process p {{ skip; }}", constructors.join(" | "));
    assert_eq!(codes(text), ["too-many-constructors"]);
    let text = format!("msg M = M({}); process p {{ skip; }}", vec!["int"; 300].join(", "));
    assert_eq!(codes(text), ["too-many-fields"]);
}

#[test]
fn large_models_of_threads_are_read() {
    let many = 50_000;
    let texts = [
        (in_thread(&"x := x + 1;".repeat(many)), None),
        (
            in_thread(&"skip;".repeat(ser_syntax::inv::MAX_STATEMENTS + 10)),
            Some("too-many-statements"),
        ),
        (
            in_thread(&format!(
                "atomic {{ {} }}",
                "skip; ".repeat(ser_syntax::inv::MAX_STATEMENTS)
            )),
            Some("too-many-statements"),
        ),
        (in_thread(&"y := 1;".repeat(many)), Some("unknown-name")),
        (in_thread(&format!("choose {{ }} {}", "or { x := 1; }".repeat(many))), None),
        (in_thread(&"return; ".repeat(many)), Some("unreachable")),
        (in_thread(&"l: skip; ".repeat(many)), Some("name-clash")),
        (in_thread(&"l: { skip; } ".repeat(many / 2)), Some("name-clash")),
        (in_invariant(&("y[i] == x && ".repeat(many) + "true")), Some("nested-too-deeply")),
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
            in_invariant("true") + &format!("proof {{ {} }}", "t from t; ".repeat(many)),
            Some("proved-twice"),
        ),
        (
            in_invariant("true") + &format!("proof {{ {} }}", "s; ".repeat(many)),
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
        let codes = codes(text);
        match code {
            None => assert!(codes.iter().all(|it| *it == "no-invariants"), "{codes:?} for {shown}"),
            Some(code) => assert!(codes.contains(&code), "{codes:?} for {shown}"),
        }
    }
    assert!(ser_syntax::inv::MAX_VARIABLES < many);
}

#[test]
fn shorthands_do_not_explode() {
    // Each is twice as large as the one before.
    let doubling: String =
        (1..200).map(|i| format!("fn a{i}(i) = a{}(i) && a{}(i); ", i - 1, i - 1)).collect();
    let text = format!(
        "set Threads  process thread for self in Threads {{ s: skip; }} fn a0(i) = at(i, s); {doubling} invariant t(i): a150(i);"
    );
    assert_eq!(codes(text), ["expanded-too-large"]);
    // Each is higher than the one before.
    let stacking: String = (1..50_000).map(|i| format!("fn a{i} = !a{}; ", i - 1)).collect();
    let text = format!(
        "set Threads  process thread for self in Threads {{ s: skip; }} fn a0 = true; {stacking} invariant t: a49999;"
    );
    assert_eq!(codes(text), ["nested-too-deeply"]);
    // Many uses of something large.
    let large = "true && ".repeat(200) + "true";
    let text = format!(
        "set Threads  process thread for self in Threads {{ }} fn a = {large}; invariant t {{ {} }}",
        "a; ".repeat(100_000)
    );
    assert_eq!(codes(text), ["expanded-too-large"]);
    // Many places, many times.
    let text = format!(
        "set Threads  process thread for self in Threads {{ {} }} invariant t(i) {{ {} }}",
        "skip; ".repeat(60_000),
        "at(i, thread); ".repeat(100_000)
    );
    assert_eq!(codes(text), ["expanded-too-large"]);
}
