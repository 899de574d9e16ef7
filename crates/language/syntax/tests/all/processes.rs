//! What processes turn into: where actions begin and end, and how data stays in its range.

use crate::shared;

use ser_syntax::parse_processes;

/// The model of a file without errors.
fn model(text: &str) -> String {
    let parse = parse_processes(text);
    let messages = shared::messages(text, &parse.diagnostics);
    format!("{messages}{}", shared::model(&parse.program))
}

/// What the statements of one process turn into, with two shared variables `X` and `Y` and a queue `Q`.
fn process(statements: &str) -> String {
    let text = format!(
        "var X: 0..9 var Y: 0..9 var Q: queue[2] of 0..3 process P {{ {statements} }} reach X == 1"
    );
    let parse = parse_processes(&text);
    let messages = shared::messages(&text, &parse.diagnostics);
    let body = parse.program.requests.first().map(|r| shared::block(&r.body));
    format!("{messages}{}", body.unwrap_or_default())
}

#[test]
fn the_first_example_of_the_paper() {
    insta::assert_snapshot!(model("
        var X: 0..63 = 2
        var Y: 0..63 = 5
        process F { while (1) { Y := Y + 4 } }
        process G { j := 3; while (1) { atomic { X := X + j; j := j + 1 } } }
        process H { await(X == Y) }
        reach X == Y && done(H)
    "), @"
    X in 0..63 := 2
    Y in 0..63 := 5
    Done.H in 0..1 := 0
    F() { while ((1)) { (.t := [Y + 4]; assume([.t <= 63]); Y := .t); yield }; 0 }
    G() { j := 3; while ((1)) { ((.t := [X + j]; assume([[.t >= 0] && [.t <= 63]]); X := .t); j := [j + 1]); yield }; 0 }
    H() { assume([X == Y]); Done.H := 1; 0 }
    reach [[X == Y] && Done.H]
    ");
}

#[test]
fn the_family_of_the_paper_has_two_actions_for_each_round() {
    insta::assert_snapshot!(model("
        const C = 4
        var X: 0..C*C*C + 2*C*C - C
        process F { for _ in 1..C { a := X; X := a + C*C } }
        process G { for _ in 1..C { a := X; X := a + 2*C - 1 } }
        reach done && X == 7
    "), @"
    X in 0..92 := 0
    Done.F in 0..1 := 0
    Done.G in 0..1 := 0
    F() { .round0 := 1; while ([.round0 <= 4]) { a := X; yield; (.t := [a + [4 * 4]]; assume([.t <= 92]); X := .t); .round0 := [.round0 + 1]; if ([.round0 <= 4]) { yield } }; Done.F := 1; 0 }
    G() { .round0 := 1; while ([.round0 <= 4]) { a := X; yield; (.t := [[a + [2 * 4]] - 1]; assume([.t <= 92]); X := .t); .round0 := [.round0 + 1]; if ([.round0 <= 4]) { yield } }; Done.G := 1; 0 }
    reach [[Done.F && Done.G] && [X == 7]]
    ");
}

#[test]
fn everything_at_once() {
    insta::assert_snapshot!(model("
        const N = 3
        enum Colour { red, green, blue }
        var X: 1..N
        var Flag: bool
        var Word: bits 8 = 255
        var Light: Colour = green
        var Q: queue[2] of 1..3
        process P(id in 0..1) {
            send id + 1 to Q;
            Word := Word + id;
            choose { X := 1 } or { X := 2; X := 3 } or { skip }
            if (Flag) { return }
            x := recv Q;
            Light := red
        }
        reach \"both inside\": done(P(1)) && len(Q) == 2
        reach third: done(P)
        reach done || Light == blue
    "), @r#"
    X in 1..3 := 1
    Flag in 0..1 := 0
    Word in 0..255 wraps := 255
    Light in 0..2 := 1
    Q.len in 0..2 := 0
    Q.0 in 1..3 := 1
    Q.1 in 1..3 := 1
    Done.P(0) in 0..1 := 0
    Done.P(1) in 0..1 := 0
    P(id) { (assume([Q.len < 2]); .item := [id + 1]; if ([Q.len == 0]) { Q.0 := .item }; if ([Q.len == 1]) { Q.1 := .item }; Q.len := [Q.len + 1]); yield; (.t := [Word + id]; if ([.t >= 256]) { .t := [.t - 256] }; Word := .t); yield; if (?) { if (?) { X := 1; yield } else { X := 2; yield; X := 3; yield } }; if ((Flag)) { if ([id == 0]) { Done.P(0) := 1 }; if ([id == 1]) { Done.P(1) := 1 }; return 0 }; yield; (assume([Q.len > 0]); x := Q.0; Q.0 := Q.1; Q.1 := 1; Q.len := [Q.len - 1]); yield; Light := 0; if ([id == 0]) { Done.P(0) := 1 }; if ([id == 1]) { Done.P(1) := 1 }; 0 }
    reach "both inside": [Done.P(1) && [Q.len == 2]]
    reach "third": [Done.P(0) && Done.P(1)]
    reach [[Done.P(0) && Done.P(1)] || [Light == 2]]
    "#);
}

// Where actions begin and end.

#[test]
fn a_pause_between_two_actions_and_none_at_the_ends() {
    insta::assert_snapshot!(process("X := 1; Y := 2"), @r"
    { X := 1; yield; Y := 2; 0 }
    ");
    insta::assert_snapshot!(process("a := 1; X := a; b := 2; Y := b"), @r"
    { a := 1; X := a; yield; b := 2; Y := b; 0 }
    ");
    insta::assert_snapshot!(process("a := X; b := a + 1; c := b; Y := 3"), @r"
    { a := X; yield; b := [a + 1]; c := b; Y := 3; 0 }
    ");
}

#[test]
fn waiting_is_an_action() {
    insta::assert_snapshot!(process("await(X == 1); await(Y == 1) { Y := 2; X := 0 }; a := 1; await(a == 2)"), @"{ assume([X == 1]); yield; (assume([Y == 1]); Y := 2; X := 0); yield; a := 1; assume([a == 2]); 0 }");
}

#[test]
fn an_atomic_block_has_no_pauses() {
    insta::assert_snapshot!(process("X := 1; atomic { a := X; if (a == 1) { Y := a } else { return }; while (a < 3) { a := a + 1 }; for _ in 1..2 { Y := a }; choose { X := 2 } or { send 1 to Q }; await(Y == 1) }"), @"{ X := 1; yield; (a := X; if (([a == 1])) { (.t := a; assume([[.t >= 0] && [.t <= 9]]); Y := .t) } else { return 0 }; while (([a < 3])) { a := [a + 1] }; .round0 := 1; while ([.round0 <= 2]) { (.t := a; assume([[.t >= 0] && [.t <= 9]]); Y := .t); .round0 := [.round0 + 1] }; if (?) { X := 2 } else { (assume([Q.len < 2]); .item := 1; if ([Q.len == 0]) { Q.0 := .item }; if ([Q.len == 1]) { Q.1 := .item }; Q.len := [Q.len + 1]) }; assume([Y == 1])); 0 }");
}

#[test]
fn a_condition_over_shared_variables_is_an_action() {
    insta::assert_snapshot!(process("if (X == 1) { Y := 1 } else { skip }; Y := 2"), @r"
    { if (([X == 1])) { yield; Y := 1 }; yield; Y := 2; 0 }
    ");
    insta::assert_snapshot!(process("if (X == 1) { a := 1 }; Y := 2"), @r"
    { if (([X == 1])) { yield; a := 1 } else { yield }; Y := 2; 0 }
    ");
}

#[test]
fn a_condition_over_local_variables_belongs_to_the_next_action() {
    insta::assert_snapshot!(process("a := X; if (a == 1) { Y := 1 } else if (a == 2) { b := 1 }; Y := 2"), @r"
    { a := X; yield; if (([a == 1])) { Y := 1; yield } else { if (([a == 2])) { b := 1 } }; Y := 2; 0 }
    ");
    insta::assert_snapshot!(process("a := X; if (a == 1) { Y := 1 }"), @r"
    { a := X; yield; if (([a == 1])) { Y := 1 }; 0 }
    ");
}

#[test]
fn each_evaluation_of_a_shared_condition_is_an_action() {
    insta::assert_snapshot!(process("while (X == 1) { }; Y := 1"), @r"
    { while (([X == 1])) { yield }; yield; Y := 1; 0 }
    ");
    insta::assert_snapshot!(process("while (X == 1) { Y := 1 }"), @r"
    { while (([X == 1])) { yield; Y := 1; yield }; 0 }
    ");
    insta::assert_snapshot!(process("while (X == 1) { a := a + 1 }; Y := a"), @r"
    { while (([X == 1])) { yield; a := [a + 1] }; yield; (.t := a; assume([[.t >= 0] && [.t <= 9]]); Y := .t); 0 }
    ");
}

#[test]
fn a_loop_over_local_variables_pauses_after_its_actions() {
    insta::assert_snapshot!(process("while (a < 3) { a := a + 1; Y := a }; X := 1"), @r"
    { while (([a < 3])) { a := [a + 1]; (.t := a; assume([[.t >= 0] && [.t <= 9]]); Y := .t); yield }; X := 1; 0 }
    ");
    insta::assert_snapshot!(process("while (a < 3) { a := a + 1; Y := a }"), @r"
    { while (([a < 3])) { a := [a + 1]; (.t := a; assume([[.t >= 0] && [.t <= 9]]); Y := .t); if (([a < 3])) { yield } }; 0 }
    ");
    insta::assert_snapshot!(process("while (?) { X := 1 }"), @r"
    { while ((?)) { X := 1; yield }; 0 }
    ");
    insta::assert_snapshot!(process("while (a < 3) { a := a + 1 }; X := a"), @r"
    { while (([a < 3])) { a := [a + 1] }; (.t := a; assume([[.t >= 0] && [.t <= 9]]); X := .t); 0 }
    ");
}

#[test]
fn repeating_counts_in_secret() {
    insta::assert_snapshot!(process("for _ in 1..2 { for _ in 1..3 { X := 1 } }"), @"{ .round0 := 1; while ([.round0 <= 2]) { .round1 := 1; while ([.round1 <= 3]) { X := 1; .round1 := [.round1 + 1]; if ([.round1 <= 3]) { yield } }; .round0 := [.round0 + 1]; if ([.round0 <= 2]) { yield } }; 0 }");
    insta::assert_snapshot!(process("for _ in 1..2 { X := 1 } Y := 2"), @"{ .round0 := 1; while ([.round0 <= 2]) { X := 1; .round0 := [.round0 + 1]; yield }; Y := 2; 0 }");
    insta::assert_snapshot!(process("for _ in 1..1 { X := 1 } for _ in 1..0 { X := 2 } Y := 1"), @"{ X := 1; yield; Y := 1; 0 }");
}

#[test]
fn a_choice_costs_nothing() {
    insta::assert_snapshot!(process("X := 1; choose { X := 2 } or { a := 1 } or { return }; Y := a"), @r"
    { X := 1; yield; if (?) { if (?) { X := 2; yield } else { a := 1 } } else { return 0 }; Y := a; 0 }
    ");
}

#[test]
fn the_end_is_told_on_every_path() {
    insta::assert_snapshot!(model("var X: 0..1 process P { if (X) { return } atomic { if (X) { X := 0; return } X := 1 } } process R { while (1) { X := 0 } } reach done(P) && !done(R)"), @"
    X in 0..1 := 0
    Done.P in 0..1 := 0
    Done.R in 0..1 := 0
    P() { if ((X)) { Done.P := 1; return 0 }; yield; (if ((X)) { X := 0; Done.P := 1; return 0 }; X := 1); Done.P := 1; 0 }
    R() { while ((1)) { X := 0; yield }; 0 }
    reach [Done.P && !Done.R]
    ");
}

// Data.

#[test]
fn an_assignment_is_guarded_only_where_it_may_leave_the_range() {
    insta::assert_snapshot!(process("X := Y; X := 9; X := (Y == 1) + 3; a := Y; X := a; a := a + 1; X := a; X := Y - 1"), @r"
    { X := Y; yield; X := 9; yield; X := [([Y == 1]) + 3]; yield; a := Y; yield; (.t := a; assume([[.t >= 0] && [.t <= 9]]); X := .t); yield; a := [a + 1]; (.t := a; assume([[.t >= 0] && [.t <= 9]]); X := .t); yield; (.t := [Y - 1]; assume([.t >= 0]); X := .t); 0 }
    ");
}

#[test]
fn assignments_inside_expressions_are_guarded_too() {
    insta::assert_snapshot!(process("a := (X := Y + 1) + 1; send a to Q; X := recv Q"), @r"
    { a := [((.t := [Y + 1]; assume([.t <= 9]); X := .t)) + 1]; yield; (assume([Q.len < 2]); (.t := a; assume([.t <= 3]); .item := .t); if ([Q.len == 0]) { Q.0 := .item }; if ([Q.len == 1]) { Q.1 := .item }; Q.len := [Q.len + 1]); yield; (assume([Q.len > 0]); X := Q.0; Q.0 := Q.1; Q.1 := 0; Q.len := [Q.len - 1]); 0 }
    ");
}

#[test]
fn bits_wrap_around() {
    insta::assert_snapshot!(model("var W: bits 2 process P(n in 0..9) { W := W + n; W := W - n; a := a + 1; W := a; W := 2 } reach W"), @"
    W in 0..3 wraps := 0
    P(n) { (.t := [W + n]; if ([.t >= 8]) { .t := [.t - 8] }; if ([.t >= 4]) { .t := [.t - 4] }; W := .t); yield; (.t := [[W - n] + 12]; if ([.t >= 8]) { .t := [.t - 8] }; if ([.t >= 4]) { .t := [.t - 4] }; W := .t); yield; a := [a + 1]; (.t := a; while ([.t > 3]) { .t := [.t - 4] }; while ([.t < 0]) { .t := [.t + 4] }; W := .t); yield; W := 2; 0 }
    reach W
    ");
}

#[test]
fn a_queue_of_one_needs_no_search() {
    insta::assert_snapshot!(model("var Q: queue[1] of 5..6 process P { send 5 to Q; x := recv Q } reach len(Q) == 1"), @r"
    Q.len in 0..1 := 0
    Q.0 in 5..6 := 5
    P() { (assume([Q.len < 1]); Q.0 := 5; Q.len := 1); yield; (assume([Q.len > 0]); x := Q.0; Q.0 := 5; Q.len := [Q.len - 1]); 0 }
    reach [Q.len == 1]
    ");
}

#[test]
fn words_of_the_language_are_names_elsewhere() {
    insta::assert_snapshot!(process("process := 1; await := process; send := await; done := send; len := 2; X := len + done"), @"{ process := 1; await := process; send := await; done := send; len := 2; X := [len + done]; 0 }");
}

#[test]
fn more_ways_to_say_it() {
    insta::assert_snapshot!(model("
        type Small = 0..2
        enum Colour { red, green }
        var X: Small = 1
        var Flag = true
        var Light = green
        var Q: queue[1] of Colour
        process P(id in Small, of in Colour) {
            var x: int = 3;
            var y = 0;
            for i in 1..3 { X := i; y := y + i }
            loop {
                await X == 1 { Flag := false };
                Light := Colour.red;
                send green to Q;
                recv Q;
                Light := recv Q;
                Light := choose(Colour)
            }
        }
        reach late: Flag -> X == 2
        invariant same: Flag <-> X == 1
        invariant both { X == 1; named: !Flag; }
    "), @r#"
    X in 0..2 := 1
    Flag in 0..1 := 1
    Light in 0..1 := 1
    Q.len in 0..1 := 0
    Q.0 in 0..1 := 0
    P(id, of) { x := 3; y := 0; i := 1; while ([i <= 3]) { (.t := i; assume([.t <= 2]); X := .t); yield; y := [y + i]; i := [i + 1] }; while (1) { (assume([X == 1]); Flag := 0); yield; Light := 0; yield; (assume([Q.len < 1]); Q.0 := 1; Q.len := 1); yield; (assume([Q.len > 0]); Q.0 := 0; Q.len := [Q.len - 1]); yield; (assume([Q.len > 0]); Light := Q.0; Q.0 := 0; Q.len := [Q.len - 1]); yield; Light := ?; yield }; 0 }
    reach "late": [!Flag || [X == 2]]
    reach "same is violated": ![!Flag == ![X == 1]]
    reach "both is violated": ![[X == 1] && !Flag]
    "#);
}
