//! What processes turn into: where actions begin and end, and how data stays in its range.

mod shared;

use ser_lang::parse_events;

/// The model of a file without errors.
fn model(text: &str) -> String {
    let parse = parse_events(text);
    let messages = shared::messages(text, &parse.diagnostics);
    format!("{messages}{}", shared::model(&parse.model))
}

/// What the statements of one process turn into, with two shared variables `X` and `Y` and a queue `Q`.
fn process(statements: &str) -> String {
    let text = format!(
        "X in 0..9 Y in 0..9 Q : queue[2] of 0..3 process P {{ {statements} }} reach X == 1"
    );
    let parse = parse_events(&text);
    let messages = shared::messages(&text, &parse.diagnostics);
    let body = parse.model.program.requests.first().map(|r| shared::block(&r.body));
    format!("{messages}{}", body.unwrap_or_default())
}

#[test]
fn the_first_example_of_the_paper() {
    insta::assert_snapshot!(model("
        X in 0..63 := 2
        Y in 0..63 := 5
        process F { while (1) { Y := Y + 4 } }
        process G { j := 3; while (1) { atomic { X := X + j; j := j + 1 } } }
        process H { await(X == Y) }
        reach X == Y && done(H)
    "), @r"
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
        X in 0..C*C*C + 2*C*C - C
        process F { repeat C { a := X; X := a + C*C } }
        process G { repeat C { a := X; X := a + 2*C - 1 } }
        reach done && X == 7
    "), @r"
    X in 0..92 := 0
    Done.F in 0..1 := 0
    Done.G in 0..1 := 0
    F() { .round0 := 0; while ([.round0 < 4]) { a := X; yield; (.t := [a + [C * C]]; assume([.t <= 92]); X := .t); .round0 := [.round0 + 1]; if ([.round0 < 4]) { yield } }; Done.F := 1; 0 }
    G() { .round0 := 0; while ([.round0 < 4]) { a := X; yield; (.t := [[a + [2 * C]] - 1]; assume([.t <= 92]); X := .t); .round0 := [.round0 + 1]; if ([.round0 < 4]) { yield } }; Done.G := 1; 0 }
    reach [[Done.F && Done.G] && [X == 7]]
    ");
}

#[test]
fn everything_at_once() {
    insta::assert_snapshot!(model("
        const N = 3
        enum Colour { red, green, blue }
        X in 1..N
        Flag : bool
        Word : bits 8 := 255
        Light : Colour := green
        Q : queue[2] of 1..3
        process P(id in 0..1) {
            send Q(id + 1);
            Word := Word + id;
            choose { X := 1 } or { X := 2; X := 3 } or { skip }
            if (Flag) { return }
            receive Q(x);
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
    P(id) { (assume([Q.len < 2]); .item := [id + 1]; if ([Q.len == 0]) { Q.0 := .item }; if ([Q.len == 1]) { Q.1 := .item }; Q.len := [Q.len + 1]); yield; (.t := [Word + id]; if ([.t >= 256]) { .t := [.t - 256] }; Word := .t); yield; if (?) { if (?) { X := 1; yield } else { X := 2; yield; X := 3; yield } }; if ((Flag)) { if ([id == 0]) { Done.P(0) := 1 }; if ([id == 1]) { Done.P(1) := 1 }; return }; yield; (assume([Q.len > 0]); x := Q.0; Q.0 := Q.1; Q.1 := 1; Q.len := [Q.len - 1]); yield; Light := red; if ([id == 0]) { Done.P(0) := 1 }; if ([id == 1]) { Done.P(1) := 1 }; 0 }
    reach "both inside": [Done.P(1) && [Q.len == 2]]
    reach "third": [Done.P(0) && Done.P(1)]
    reach [[Done.P(0) && Done.P(1)] || [Light == 2]]
    "#);
}
