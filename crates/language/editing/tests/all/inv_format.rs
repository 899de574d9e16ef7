//! Formatting models of threads changes the layout and nothing else, and changes it once.

use crate::shared::{assert_faithful, assert_formats, formatted, spaced, words};
use proptest::prelude::*;
use ser_editing::MAX_WIDTH;
use ser_generators::threads::system;
use ser_syntax::MAX_DEPTH;

#[test]
fn a_crowded_file_gets_room() {
    assert_formats(
        "var x: int= -1; var y: int= -1;ghost var h: set of int ={};var a: addr;var t: Threads;assume x<-1&&!(y==2)||not(x>3)<->y>2->true;\
         fn p(n: int,s: set of addr): int{var z: int=0;if n in{1,2}ghost{h:=h+{n};}{return n;}else if n== - -z{skip;}else{loop{z:=p_;}}return min({n});}var p_: int;\
         set Threads == 2  process thread for self in Threads{var r: int;ghost var g: bool;w:await x==y ghost{g:=true;}l:{atomic{r:=x;if r>1{r:=2;}else{skip;}}ghost{g:=false;}}\
         choose{r:=p(1,{a,null});}or{}while x in{y}-{}{a.next:=a.next.next;a:=malloc(a.data,null);lock a;unlock a;r:=choose(int) where r>0&&r<9;}}\
         fn q(i)=r[i]==p.z[i]*2;invariant k(i,j){one:at(i,w..l,p.n_)->q(i);q(j);}invariant m:reach(a,null);fn unused(){n_:skip;}proof acyclic{m;k from m{at w self use m,k.one;at l,p use m;}}"
            .replace("p.n_", "p")
            .as_str(),
        "\
var x: int = -1; var y: int = -1; ghost var h: set of int = {}; var a: addr; var t: Threads;
assume x < -1 && !(y == 2) || not (x > 3) <-> y > 2 -> true;
fn p(n: int, s: set of addr): int {
    var z: int = 0;
    if n in {1, 2} ghost { h := h + {n}; } {
        return n;
    } else if n == - -z {
        skip;
    } else {
        loop { z := p_; }
    }
    return min({n});
}
var p_: int; set Threads == 2
process thread for self in Threads {
    var r: int;
    ghost var g: bool;
    w: await x == y ghost { g := true; }
    l: { atomic { r := x; if r > 1 { r := 2; } else { skip; } } ghost { g := false; } }
    choose { r := p(1, {a, null}); } or { }
    while x in {y} - {} {
        a.next := a.next.next;
        a := malloc(a.data, null);
        lock a;
        unlock a;
        r := choose(int) where r > 0 && r < 9;
    }
}
fn q(i) = r[i] == p.z[i] * 2;
invariant k(i, j) { one: at(i, w..l, p) -> q(i); q(j); }
invariant m: reach(a, null);
fn unused() { n_: skip; }
proof acyclic { m; k from m { at w self use m, k.one; at l, p use m; } }
",
    );
}

#[test]
fn comments_and_blank_lines_stay_where_they_are() {
    let text = "\
// At the top.

var x: int = 0; // a variable
var y: set of int /* inside */ = {};

// Before the threads.
set Threads
process thread for self in Threads { // after a brace
    // on its own
    x := 1;

    y := {x};       // aligned
    x := 2;         // aligned
    if x == 1 { /* nothing */ }
    take: atomic { // in one step
        x := 2;
    } ghost {
        // nothing
    }
    // the last word
}

// Before an invariant.
invariant p(i):
    x == 1
    -> // why
    y == {};
invariant q {
    // first
    a: true; // one
    b: true;
}
fn r = // because
    true;
// At the end.
";
    assert_formats(text, text);
}

#[test]
fn long_lines_are_broken_where_operators_bind_least() {
    let atom = "first_number == second_number";
    let text = format!(
        "var first_number: int; var second_number: int; set Threads\nprocess thread for self in Threads {{ while {atom} && {atom} && {atom} && {atom} {{ skip; }} }}
        invariant p: {atom} && {atom} || {atom} && {atom} && {atom} && {atom} -> {atom} || ({atom} && {atom} && {atom} && {atom});"
    );
    assert_formats(
        &text,
        "\
var first_number: int; var second_number: int; set Threads
process thread for self in Threads {
    while first_number == second_number
            && first_number == second_number
            && first_number == second_number
            && first_number == second_number {
        skip;
    }
}
invariant p: first_number == second_number && first_number == second_number
        || first_number == second_number
            && first_number == second_number
            && first_number == second_number
            && first_number == second_number
    -> first_number == second_number
        || (
            first_number == second_number
            && first_number == second_number
            && first_number == second_number
            && first_number == second_number
        );
",
    );
    let places: Vec<String> = (0..30).map(|i| format!("statement{i}")).collect();
    let body: Vec<String> = places.iter().map(|name| format!("{name}: skip;")).collect();
    let text = format!(
        "set Threads\nprocess thread for self in Threads {{ {} }} invariant p(i): !at(i, {});",
        body.join(" "),
        places.join(", ")
    );
    assert!(formatted(&text).lines().all(|line| line.len() <= MAX_WIDTH));
    assert_faithful(&text);
}

#[test]
fn names_without_brackets_go_on_on_the_next_line() {
    let places: Vec<String> = (10..25).map(|n| format!("place_{n}")).collect();
    let body: Vec<String> = places.iter().map(|it| format!("{it}: skip; ")).collect();
    let others: Vec<String> = (10..25).map(|n| format!("other_{n}")).collect();
    let invariants: Vec<String> =
        others.iter().map(|it| format!("invariant {it}(): true; ")).collect();
    let text = format!(
        "set Threads\nprocess thread for self in Threads {{ {} }} {} invariant a: true; invariant b: true; proof {{ a from {}; b {{ at {} self use {}; }} }}",
        body.concat(),
        invariants.concat(),
        others.join(","),
        places.join(","),
        others.join(", /* and */ "),
    );
    assert_faithful(&text);
    let once = formatted(&text);
    let widest = once.lines().map(str::len).max();
    assert!(widest.is_some_and(|it| it > 85 && it <= MAX_WIDTH), "{widest:?}: {once}");
    let proof = once.split_once("proof").map(|(_, proof)| proof).unwrap_or_default();
    assert!(proof.contains(",\n        other_"), "further to the right: {proof}");
    assert!(proof.contains(",\n            place_"), "further to the right: {proof}");
}

#[test]
fn a_formula_on_its_own_line_stays_there() {
    let text = "set Threads\nprocess thread for self in Threads { s: skip; }\ninvariant p(i):\n    at(i, s) -> at(i, s);\nfn q =\n    true;\n";
    assert_formats(text, text);
    assert_formats(
        "set Threads\nprocess thread for self in Threads { s: skip; } invariant p(i): at(i,\ns) -> true;",
        "set Threads\nprocess thread for self in Threads { s: skip; }\ninvariant p(i): at(i, s) -> true;\n",
    );
}

#[test]
fn statements_behind_names_can_be_a_table() {
    let text = "\
set Threads
process thread for self in Threads {
    again:   loop {
        rest:    skip;
        work:    atomic { }
    }
}
invariant p {
    a:   true;
    bcd: true;
}
";
    assert_formats(text, text);
    assert_formats(
        "set Threads\nprocess thread for self in Threads { a  :  skip; b:\n skip; c:\t\tskip; }",
        "set Threads\nprocess thread for self in Threads { a:  skip; b: skip; c: skip; }\n",
    );
}

#[test]
fn lines_end_as_the_first_one_does() {
    assert_eq!(
        formatted("set Threads\r\nprocess thread for self in Threads {\r\nskip;\r\n}"),
        "set Threads\r\nprocess thread for self in Threads {\r\n    skip;\r\n}\r\n"
    );
}

#[test]
fn the_deepest_files_are_formatted() {
    let deep = MAX_DEPTH - 8;
    let labels: String = (0..deep).map(|i| format!("l{i}: {{ ")).collect();
    for open in ["loop { ".repeat(deep), labels, "choose { } or { ".repeat(deep)] {
        let close = " }".repeat(deep);
        assert_faithful(&format!(
            "set Threads\nprocess thread for self in Threads {{ {open}skip;{close} }}"
        ));
    }
    let (open, close) = ("if x == 1 { ".repeat(deep), " }".repeat(deep));
    assert_faithful(&format!(
        "var x: int; set Threads\nprocess thread for self in Threads {{ atomic {{ {open}skip;{close} }} }}"
    ));
}

#[test]
fn the_deepest_formulas_are_formatted() {
    let deep = MAX_DEPTH - 8;
    for (open, inside, close) in [
        ("(", "true", ")"),
        ("!", "true", ""),
        ("true -> ", "true", ""),
        ("true && (", "true", ")"),
    ] {
        let deep = if open.len() > 8 { deep / 2 } else { deep };
        let formula = format!("{}{inside}{}", open.repeat(deep), close.repeat(deep));
        assert_faithful(&format!(
            "set Threads\nprocess thread for self in Threads {{ skip; }} invariant t: {formula};"
        ));
    }
}

#[test]
fn the_programs_of_the_tests_are_formatted_already() {
    for text in [
        include_str!("../../../syntax/tests/all/inv/ticket_int.ser"),
        include_str!("../../../syntax/tests/all/inv/ticket_set.ser"),
        include_str!("../../../syntax/tests/all/inv/list.ser"),
        include_str!("../../../syntax/tests/all/inv/chosen.ser"),
    ] {
        assert_formats(text, text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_file_keeps_its_words_and_its_meaning(
        seed in any::<u64>(),
        trivia in prop::collection::vec(any::<u8>(), 1..100),
        dense in prop::bool::weighted(0.3),
    ) {
        let text = system(seed);
        assert_faithful(&spaced(&words(&text), &trivia, dense));
    }
}
