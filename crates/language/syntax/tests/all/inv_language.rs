//! What threads have of the rest of the language: constants, enumerations, ranges, `match`, locks, loops
//! that are left.

use crate::shared;

use ser_editing::inv::{parse, show_action, show_with};
use ser_syntax::inv::ast::{Step, Stmt, StmtKind};

/// The messages about a file; each item and statement stands on a line of its own.
fn file(text: &str) -> String {
    let text = text.replace("; ", ";\n");
    shared::messages(&text, &parse(&text).diagnostics)
}

/// What a file means: assumptions, invariants, and statements with their locations.
fn meaning(text: &str) -> String {
    let parse = parse(text);
    assert!(!parse.has_errors(), "{:#?}", parse.diagnostics);
    let system = &parse.system;
    let mut shown = String::new();
    for it in &system.assumptions {
        shown += &format!("assume {}\n", show_with(system, it, &[]));
    }
    for it in &system.invariants {
        let formula = &it.conjuncts[0].formula;
        shown += &format!("{}: {}\n", it.name.text, show_with(system, formula, &it.parameters));
    }
    for procedure in &system.procedures {
        shown += &format!("{}\n", procedure.name.text);
        statements(system, &procedure.body, 1, &mut shown);
    }
    shown
}

fn statements(system: &ser_syntax::inv::System, all: &[Stmt], depth: usize, shown: &mut String) {
    let expr = |it| show_with(system, it, &[]);
    for it in all {
        let mut inside: Vec<(String, &[Stmt])> = Vec::new();
        let actions = |all: &[_]| -> Vec<String> {
            all.iter().map(|action| show_action(system, action)).collect()
        };
        let what = match &it.kind {
            StmtKind::Step(Step::Skip) => "skip".to_owned(),
            StmtKind::Step(step) => actions(step.actions()).join("; "),
            StmtKind::If { condition, then, otherwise } => {
                inside = vec![("then".to_owned(), then), ("else".to_owned(), otherwise)];
                format!("if {}", expr(condition))
            }
            StmtKind::While { condition, body, .. } => {
                inside = vec![("do".to_owned(), body)];
                format!("while {}", expr(condition))
            }
            StmtKind::Choice(branches) => {
                inside = branches.iter().map(|it| ("or".to_owned(), it.as_slice())).collect();
                "choose".to_owned()
            }
            StmtKind::Match(cases) => {
                inside = cases.iter().map(|(it, case)| (expr(it), case.as_slice())).collect();
                "match".to_owned()
            }
            StmtKind::Break => "break".to_owned(),
            StmtKind::Continue => "continue".to_owned(),
            StmtKind::Call { arguments, .. } => {
                format!("call {}", arguments.iter().map(expr).collect::<Vec<_>>().join(", "))
            }
            StmtKind::Return(value) => {
                format!("return {}", value.as_ref().map_or(String::new(), expr))
            }
        };
        let then = match it.ghost.is_empty() {
            true => String::new(),
            false => format!(" | {}", actions(&it.ghost).join("; ")),
        };
        let indent = "  ".repeat(depth);
        *shown += &format!("{indent}{} {what}{then}\n", it.location.0 + 1);
        for (condition, block) in inside {
            *shown += &format!("{indent} {condition}:\n");
            statements(system, block, depth + 1, shown);
        }
    }
}

#[test]
fn names_for_numbers() {
    let text = "
        const MOST = 2 * 3
        const OPEN = true
        enum Phase { idle, busy = 0 }
    ";
    assert!(parse(text).has_errors());
    insta::assert_snapshot!(meaning("
        const MOST = 2 * 3
        const OPEN = true
        const FIRST = idle
        enum Phase { idle, busy }
        type Count = 0..MOST
        set Threads
        var n: Count
        var phase = FIRST
        var other: Phase
        process p for t in Threads {
            var own: Count = 0;
            if OPEN { n := MOST } else { phase := Phase.busy };
            own := choose(Count) where own < n;
            other := choose(Phase);
            n := max(own, n - 1)
        }
        fn f(n2: Count) { skip }
        invariant i: phase == idle -> other in {idle, busy} && n < MOST / 2
    "), @"");
}

#[test]
fn cases_are_one_step() {
    insta::assert_snapshot!(meaning("
        enum E { a, b, c }
        set Threads
        var x: E = a
        var n = 0
        process p for t in Threads {
            match x { a | b => n := 1, c => { n := 2; n := 3 } };
            match n { 0..2 => x := b, 5 => { } _ => skip };
            atomic { match x { a => n := 1, _ => { n := 2 } } }
        }
        invariant i: n >= 0
    "), @"");
}

#[test]
fn locks_are_given_back_on_every_way_out() {
    insta::assert_snapshot!(meaning("
        set Threads
        lock L
        lock M
        var x = 0
        process p for t in Threads {
            loop {
                with L {
                    loop { with M { if x == 1 { break } else if x == 2 { continue }; x := f(x) } };
                    if x == 0 { break };
                    if x == 4 { return }
                }
            };
            skip
        }
        fn f(n: int): int { with M { if n == x { return x }; x + 1 } }
        invariant i(i): at(i, f) -> M == i
    "), @"");
}

#[test]
fn the_last_value_is_the_result() {
    insta::assert_snapshot!(meaning("
        set Threads
        var x = 0
        process p for t in Threads { x := f(x); x := f(1) }
        fn f(n: int): int { choose { n } or { match n { 0 => 5, _ => { skip; n + 1 } } } }
        invariant i: x >= 0
    "), @"");
}

#[test]
fn a_constant_is_assigned() {
    insta::assert_snapshot!(file("const N = 3 set Threads var x: int process p for t in Threads { N := 1; x := N + 1 }"), @"");
}

#[test]
fn values_of_enumerations_are_no_numbers() {
    insta::assert_snapshot!(file("enum E { a, b } enum F { c, d } set Threads var x: E = a var y: F = c var n: int process p for t in Threads { x := c; x := 1; n := a; n := b + 1; await x == 1; await x == y; x := choose(F) } invariant i: x == c || y == 1"), @"");
}

#[test]
fn a_value_of_two_enumerations() {
    insta::assert_snapshot!(file("enum E { a, b } enum F { b, c } set Threads var x: E = b process p for t in Threads { x := E.b; x := E.c }"), @"");
}

#[test]
fn an_enumeration_as_value_or_type() {
    insta::assert_snapshot!(file("enum E { a, b } set Threads var x: E = E var y: e process p for t in Threads { a := 1 }"), @"");
}

#[test]
fn types_are_above() {
    insta::assert_snapshot!(file("type A = B type B = 0..3 type C = (int, int) set Threads var x: B = 0 process p for t in Threads { x := 1 }"), @"");
}

#[test]
fn ranges_that_say_nothing() {
    insta::assert_snapshot!(file("set Threads var x: 3..0 var s: set of 0..3 fn f(): 0..3 { 1 } process p for t in Threads { var y: 0..3; var z: 1..3; y := f() }"), @"");
}

#[test]
fn matches_that_do_not_fit() {
    insta::assert_snapshot!(file("enum E { a, b } set Threads var x: E = a var n: int process p for t in Threads { match x { a => skip }; match n { 0 => skip, 1 => skip }; match x { _ => skip, a => skip }; match x { 1 => skip, b => skip, a => skip }; match n { n => skip, _ => skip }; match n == 1 { true => skip } }"), @"");
}

#[test]
fn locks_that_are_none() {
    insta::assert_snapshot!(file("lock L set Threads var x: int var a: addr process p for t in Threads { L := t; with x { skip }; with M { skip }; with a { skip }; lock L; atomic { with L { skip } } }"), @"");
}

#[test]
fn break_outside_of_a_loop() {
    insta::assert_snapshot!(file("set Threads process p for t in Threads { break; while true { atomic { continue }; break; skip } }"), @"");
}

#[test]
fn the_value_of_a_function() {
    insta::assert_snapshot!(file("set Threads var x: int fn f(n: int): int { if n == 0 { 1 } else { skip } } fn g(n: int) { n + 1 } process p for t in Threads { x := f(1); g(1); x := f(1) + 1 }"), @"");
}

#[test]
fn a_deadlock() {
    insta::assert_snapshot!(file("set Threads process p for t in Threads { skip } deadlock reach true"), @"");
}

#[test]
fn divisions() {
    insta::assert_snapshot!(file("const N = 7 set Threads var x: int process p for t in Threads { x := N / 2; x := N % 2; x := x / 2; x := 1 / 0 }"), @"");
}

#[test]
fn names_are_taken_once() {
    insta::assert_snapshot!(file("const N = 1 enum N { N, b } type T = int set Threads var T: int process p for b in Threads { var N: int = 0; skip }"), @"");
}
