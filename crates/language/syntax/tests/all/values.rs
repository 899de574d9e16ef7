//! Types, arrays, records, functions, locks: what they are in the core, and what is said about
//! typical mistakes of people who come from other languages.

use crate::shared::{block, messages};
use ser_editing::parse;
use ser_syntax::core::{Expr, ExprKind, Shape};

/// The core of the only request.
fn core(text: &str) -> String {
    let parse = parse(text);
    assert!(!parse.has_errors(), "{}", messages(text, &parse.diagnostics));
    block(&parse.program.requests[0].body)
}

#[test]
fn what_the_papers_programs_use_is_its_own_core() {
    let text = "X := 2 request main { x := X; yield; if (x == 1 && !Y) { X := x + 1 } else { return 3 }; \
                while (Y < 2) { Y := Y + 1 }; assume(X > 0); choose(0..2) }";
    insta::assert_snapshot!(core(text), @r"
    { x := X; yield; if (([[x == 1] && !Y])) { X := [x + 1] } else { return 3 }; while (([Y < 2])) { Y := [Y + 1] }; assume([X > 0]); choose(0..2) }
    ");
}

#[test]
fn an_element_is_looked_for_in_halves() {
    let text = "var A: [0..2] of 0..3 request main(i in 0..2) { A[i] }";
    insta::assert_snapshot!(core(text), @r"
    { if ([i < 1]) { A[0] } else { if ([i < 2]) { A[1] } else { A[2] } } }
    ");
    let text = "var A: [0..2] of int request main { A[1] := A[X] }";
    insta::assert_snapshot!(core(text), @r"
    { A[1] := (.1 := X; if ([[.1 < 0] || [.1 > 2]]) { <`A` has no such element> } else { 0 }; if ([.1 < 1]) { A[0] } else { if ([.1 < 2]) { A[1] } else { A[2] } }) }
    ");
}

#[test]
fn leaving_a_range_fails() {
    insta::assert_snapshot!(core("var X: 0..3 request main { X := X + 1 }"), @r"
    { (.1 := [X + 1]; if ([.1 > 3]) { <`X` leaves its range 0..3> } else { 0 }; X := .1) }
    ");
    insta::assert_snapshot!(core("var X: 0..3 request main(n in 0..3) { X := n; X := 3 - X }"), @r"
    { X := n; X := [3 - X] }
    ");
}

#[test]
fn a_function_stands_where_it_is_called() {
    let text = "fn f(n) { if n == 0 { return 1 }; x := x + n; x } request main { f(X) + f(2) }";
    insta::assert_snapshot!(core(text), @r"
    { [(f().n := X; f().x := 0; 1: { if ([f().n == 0]) { leave 1 1 }; f().x := [f().x + f().n]; f().x }) + (f().n := 2; f().x := 0; 2: { if ([f().n == 0]) { leave 2 1 }; f().x := [f().x + f().n]; f().x })] }
    ");
}

#[test]
fn what_is_looked_for_is_evaluated_once() {
    insta::assert_snapshot!(core("request main(i in 0..3) { i in 1..2 }"), @"{ [[1 <= i] && [i <= 2]] }");
    insta::assert_snapshot!(core("request main { (X := X + 1) in N..2 * N }"), @"{ (.1 := (X := [X + 1]); .2 := N; .3 := [2 * N]; [[.2 <= .1] && [.1 <= .3]]) }");
    insta::assert_snapshot!(core("request main { (X := X + 1) in {1, Y} }"), @"{ (.1 := (X := [X + 1]); .2 := Y; [[.1 == 1] || [.1 == .2]]) }");
    insta::assert_snapshot!(core("request main { (X, Y) in {(0, 1), (1, 0)} }"), @"{ [[[X == 0] && [Y == 1]] || [[X == 1] && [Y == 0]]] }");
}

#[test]
fn quantifiers_stop_when_they_are_settled() {
    let all =
        "var A: [0..2] of 0..3 request main { if for all i in 0..2: A[i] > 0 { 1 } else { 2 } }";
    insta::assert_snapshot!(core(all), @"{ if (1: { i := 0; while ([i <= 2]) { if ([if ([i < 1]) { A[0] } else { if ([i < 2]) { A[1] } else { A[2] } } > 0]) { 0 } else { leave 1 0 }; i := [i + 1] }; 1 }) { 1 } else { 2 } }");
    let some = "request main { X == 1 || for some b in bool: b == (X > 2) && X < 5 }";
    insta::assert_snapshot!(core(some), @"{ [[X == 1] || 1: { b := 0; while ([b <= 1]) { if ([[b == ([X > 2])] && [X < 5]]) { leave 1 1 } else { 0 }; b := [b + 1] }; 0 }] }");
    insta::assert_snapshot!(core("request main { for all in 0..2 { X := all } }"), @"{ (all := 0; while ([all <= 2]) { X := all; all := [all + 1] }) }");
    let behind = "request main { for i in 0..2 { X := i }; i }";
    let parse = parse(behind);
    assert_eq!(parse.diagnostics[0].code, "counter-outside-loop");
    assert_eq!(&behind[parse.diagnostics[0].primary.span.range()], "i");
}

#[test]
fn members_are_in_the_order_of_their_declaration() {
    let text = "enum Step { idle, paid, sent } request main { S := paid; S < sent && idle <= S }";
    insta::assert_snapshot!(core(text), @"{ S := 1; [[S < 2] && [0 <= S]] }");
    let wrong =
        "enum A { a, b } enum C { c, d } request main { X := a; (X < c, X < 1, true < false) }";
    insta::assert_snapshot!(messages(wrong, &parse(wrong).diagnostics), @r"
    type-mismatch @ 1:61: expected an `A`, found a `C`
        1:61-1:62: this is a `C`
        1:57-1:58: the other side is an `A`
    type-mismatch @ 1:68: expected an `A`, found a number
        1:68-1:69: this is a number
        1:64-1:65: the other side is an `A`
    type-mismatch @ 1:71: expected a number, found a truth value
        1:71-1:75: this is a truth value
    type-mismatch @ 1:78: expected a number, found a truth value
        1:78-1:83: this is a truth value
    ");
}

#[test]
fn an_invariant_needs_no_name() {
    let text = "var X: 0..3 request main { X := 1 } invariant X in 0..3 invariant \"small\": X <= 3 \
                invariant f(X) invariant { X >= 0; X <= 3 } invariant safe: X == X fn f(x) { x <= 3 }";
    let parse = parse(text);
    assert!(!parse.has_errors(), "{}", messages(text, &parse.diagnostics));
    let name = |it: &ser_syntax::core::Question| it.name.clone().unwrap_or_default();
    let names: Vec<String> = parse.program.questions.iter().map(name).collect();
    assert_eq!(names, ["", "small", "", "", "safe"]);
    for wrong in ["invariant safe X == 1", "invariant \"a\" X == 1", "invariant X = 1", "invariant"]
    {
        let text = format!("request main {{ X := 1 }} {wrong}");
        assert!(ser_editing::parse(&text).has_errors(), "{wrong}");
    }
}

#[test]
fn loops_are_left_through_labels() {
    let text =
        "request main { for i in 0..2 { if X == i { continue }; if Y == i { break }; X := i }; X }";
    insta::assert_snapshot!(core(text), @r"
    { (i := 0; 1: { while ([i <= 2]) { 2: { if ([X == i]) { leave 2 0 }; if ([Y == i]) { leave 1 0 }; X := i }; i := [i + 1] } }); X }
    ");
}

/// How the responses of the only request are written.
fn shapes(text: &str) -> Vec<Shape> {
    fn all(expr: &Expr, shapes: &mut Vec<Shape>) {
        if let ExprKind::Return(response) = &expr.kind {
            shapes.push(response.shape.clone());
        }
        expr.for_each_child(&mut |child| all(child, shapes));
    }
    let parse = parse(text);
    assert!(!parse.has_errors(), "{}", messages(text, &parse.diagnostics));
    let mut shapes = Vec::new();
    parse.program.requests[0].body.exprs.iter().for_each(|it| all(it, &mut shapes));
    shapes
}

/// Clients would see `true` here and 1 there, and draw conclusions.
#[test]
fn comparisons_among_responses_that_are_truth_values_are_truth_values() {
    for (text, expected) in [
        ("request main { if X == 0 { return true }; Y == 0 }", vec![Shape::Bool, Shape::Bool]),
        (
            "request main { if X == 0 { Y == 0 } else { return F } } var F: bool",
            vec![Shape::Bool; 2],
        ),
        ("fn f() { ? } request main { if X == 0 { return f() }; false }", vec![Shape::Bool; 2]),
        // Numbers stay numbers, and so do truths that nobody compares with a `bool`.
        ("request main { if X == 0 { return true }; 1 }", vec![Shape::Bool]),
        ("request main { if X == 0 { return Y == 0 }; Y == 1 }", vec![Shape::Number]),
    ] {
        assert_eq!(shapes(text), expected, "{text}");
    }
}

#[test]
fn a_lock_is_freed_on_every_way_out() {
    let text = "lock L request main { with L { if X { return Y }; if Y { abort }; X := 1 }; 2 }";
    insta::assert_snapshot!(core(text), @r"
    { (while (L) { yield }; L := 1; (if (X) { (.1 := Y; L := 0; return .1) }; if (Y) { (L := 0; abort) }; X := 1); L := 0); 2 }
    ");
}

#[test]
fn values_of_several_parts() {
    let text = "enum Seat { free, held } record Order { seat: Seat, amount: 0..3 } var O: Order \
                request main { before := O; O := Order(seat: held, amount: 2); \
                (before == O, before.seat) }";
    insta::assert_snapshot!(core(text), @r"
    { (.1 := O.seat; .2 := O.amount; before.seat := .1; before.amount := .2); (O.seat := 1; O.amount := 2); return [[before.seat == O.seat] && [before.amount == O.amount]], before.seat }
    ");
    let text = "request main { (x, y) := (1, 2); (x, y) := (y, x); x }";
    insta::assert_snapshot!(core(text), @r"
    { (x := 1; y := 2); (.1 := y; .2 := x; x := .1; y := .2); x }
    ");
}

/// One program a line: what a person sees who has written it.
#[test]
fn wrong_programs() {
    let programs = include_str!("wrong_programs.txt");
    let mut shown = String::new();
    let mut accepted = Vec::new();
    for text in programs.lines() {
        let parse = parse(text);
        shown += &format!("{text}\n{}\n", messages(text, &parse.diagnostics));
        if parse.diagnostics.is_empty() {
            accepted.push(text);
        }
    }
    // What is left is right, if odd.
    insta::assert_snapshot!(accepted.join("\n"), @r"
    request main { return true and 1 }
    ");
    insta::assert_snapshot!(shown);
}
