//! `.unw` files: what they mean, and what the tool says about those that are wrong.

use crate::shared;

use std::fmt::Write;

use ser_syntax::ast::ArcKind;
use ser_syntax::parse_unwinding;

/// The messages about a file, and what it means if there are no errors.
fn file(text: &str) -> String {
    let parse = parse_unwinding(text);
    let mut shown = shared::messages(text, &parse.diagnostics);
    let unwinding = &parse.unwinding;
    for transition in &unwinding.transitions {
        let _ = write!(shown, "{}:", transition.name.text);
        for variable in &transition.variables {
            let (name, values) = (&variable.name.text, &variable.values);
            let _ = write!(shown, " {name} in {}..{};", values.low, values.high);
        }
        for arc in &transition.arcs {
            let kind = match arc.kind {
                ArcKind::In => "in",
                ArcKind::Test => "test",
                ArcKind::Out => "out",
            };
            let place = unwinding.places.get(arc.place).map_or("?", |place| &place.name.text);
            let exprs: Vec<String> = arc.exprs.iter().map(shared::expr).collect();
            let _ = write!(shown, " {kind} {place}({});", exprs.join(", "));
        }
        for guard in &transition.guards {
            let _ = write!(shown, " when {};", shared::expr(guard));
        }
        shown.push('\n');
    }
    if !unwinding.targets.is_empty() {
        let _ = writeln!(shown, "targets {:?}", unwinding.targets);
    }
    shown
}

#[test]
fn the_first_example_of_the_paper() {
    insta::assert_snapshot!(file("
        const LAST = 100
        place px : 0..LAST
        place py : 0..LAST
        place pg0
        place pg1
        transition init { out px(2); out py(5); out pg0 }
        transition g1 { in px(x); in pg0; out px(x + 3); out pg1 }
        transition g2 { in px(x); in pg1; out px(x + 4) }
        transition f1 { in py(y); out py(y + 4) }
        transition h { test px(x); test py(y); when x == y }
        target h
    "), @r"
    init: out px(2); out py(5); out pg0();
    g1: x in 0..100; in px(x); in pg0(); out px([x + 3]); out pg1();
    g2: x in 0..100; in px(x); in pg1(); out px([x + 4]);
    f1: y in 0..100; in py(y); out py([y + 4]);
    h: x in 0..100; y in 0..100; test px(x); test py(y); when [x == y];
    targets [4]
    ");
}

#[test]
fn types_of_variables_come_from_where_they_stand_alone() {
    insta::assert_snapshot!(file("
        enum Colour { red, green }
        place a : 0..10
        place b : 5..20, Colour
        place c : bits 8
        place d : unit
        transition start { out a(3); out b(n, red); out c(300 - 45); out d }
        transition meet { in a(x); test b(x, k); out c(x + 1); out c(free); when k == green && z < x; var z : 0..3 }
        target meet, start
    "), @r"
    start: n in 5..20; out a(3); out b(n, 0); out c([300 - 45]); out d();
    meet: x in 5..10; k in 0..1; free in 0..255; z in 0..3; in a(x); test b(x, k); out c([x + 1]); out c(free); when [[k == 1] && [z < x]];
    targets [1, 0]
    ");
}

#[test]
fn an_empty_file() {
    insta::assert_snapshot!(file("  "), @r"
    no-transitions @ 1:1: this file is empty
        1:1-1:1: expected a transition
        help: the smallest file is `place p  transition t { out p }  target t`
    ");
}

#[test]
fn no_transitions() {
    insta::assert_snapshot!(file("place p"), @r"
    no-transitions @ 1:8: this unwinding has no transitions
        1:8-1:8: expected a transition
        help: the smallest file is `place p  transition t { out p }  target t`
    ");
}

#[test]
fn no_target() {
    insta::assert_snapshot!(file("place p\ntransition t { out p }"), @r"
    no-target @ 2:23: this unwinding has no target
        2:23-2:23: expected `target`
        help: say which transition to look for: `target t`
    ");
}

#[test]
fn names_that_are_not_defined() {
    insta::assert_snapshot!(file("place px : 0..1\nplace unrelated\ntransition t { out pz(1); out unrelatad }\ntransition u { in px(X); when y == M }\ntarget tt"), @r"
    undefined-name @ 3:20: there is no place `pz`
        3:20-3:22: not defined
        help: did you mean `px`? [3:20-3:22 -> `px`]
    undefined-name @ 3:31: there is no place `unrelatad`
        3:31-3:40: not defined
        help: did you mean `unrelated`? [3:31-3:40 -> `unrelated`]
    undefined-name @ 4:22: there is no constant `X`
        4:22-4:23: not defined
        help: variables of transitions start with a lowercase letter
    untyped-variable @ 4:31: nobody knows which values `y` can have
        4:31-4:32: stands alone on no arc
        help: say so in `u`: `var y : 0..5`
    undefined-name @ 4:36: there is no constant `M`
        4:36-4:37: not defined
        help: variables of transitions start with a lowercase letter
    undefined-name @ 5:8: there is no transition `tt`
        5:8-5:10: not defined
        help: did you mean `t`? [5:8-5:10 -> `t`]
    ");
}

#[test]
fn names_that_are_taken() {
    insta::assert_snapshot!(file("place p\nplace p : bool\ntransition t { out p }\ntransition t { in p }\ntarget t"), @r"
    duplicate-place @ 2:7: the place `p` is defined twice
        2:7-2:8: again here
        1:7-1:8: first here
    duplicate-transition @ 4:12: the transition `t` is defined twice
        4:12-4:13: again here
        3:12-3:13: first here
    ");
}

#[test]
fn the_wrong_number_of_components() {
    insta::assert_snapshot!(file("place p\nplace q : bool, 0..3\nplace r : bool\ntransition t { out p(1); out q(1); out r; out r(1, 0) }\ntarget t"), @r"
    wrong-components @ 4:16: tokens on `p` carry no values
        4:16-4:24: 1 value given
        help: leave the parentheses out [4:21-4:24 -> ``]
    wrong-components @ 4:26: tokens on `q` carry 2 values
        4:26-4:34: 1 value given
        help: it is written `q(x, y)`
    wrong-components @ 4:36: tokens on `r` carry 1 value
        4:36-4:41: no values given
        help: it is written `r(x)`
    wrong-components @ 4:43: tokens on `r` carry 1 value
        4:43-4:54: 2 values given
        help: it is written `r(x)`
    ");
}

#[test]
fn values_that_never_fit() {
    insta::assert_snapshot!(file("enum Colour { red, green } enum Size { small }\nplace p : 0..3\nplace q : 5..9\nplace c : Colour\nplace s : Size\ntransition t { out p(4); out q(8); out c(small); out c(red); out s(small) }\ntransition u { in p(x); in q(x) }\ntransition v { in p(x); out q(x) }\ntransition w { in c(k); in s(k); when k == red }\ntransition y { in c(k); when k == small }\ntarget u"), @r"
    value-out-of-range @ 6:22: tokens on `p` never carry 4
        6:22-6:23: not in 0..3
        2:11-2:15: its values
    wrong-enum @ 6:42: tokens on `c` carry a `Colour`, not a `Size`
        6:42-6:47: this is a `Size`
        4:11-4:17: expected a `Colour`
    ranges-never-meet @ 7:30: `x` has no value that fits everywhere
        7:30-7:31: from 5 to 9 here
        2:11-2:15: from 0 to 3 here
    value-out-of-range @ 8:31: tokens on `q` never carry such a value
        8:31-8:32: from 0 to 3, and never in 5..9
        3:11-3:15: its values
    wrong-enum @ 9:30: `k` cannot be both a `Colour` and a `Size`
        9:30-9:31: a `Size` here
        4:11-4:17: a `Colour` here
    wrong-enum @ 10:30: a `Colour` and a `Size` have nothing in common
        10:30-10:40: members of two enumerations
        10:30-10:31: a `Colour`
        10:35-10:40: a `Size`
    ");
}

#[test]
fn a_variable_without_a_type() {
    insta::assert_snapshot!(file("place p : 0..9\ntransition t { out p(x + 1) }\ntransition u { in p(count); when cuont == 3 }\ntransition v { in p(x); var y : unit; var x : 0..3; var x : 0..4; when true }\ntarget t"), @r"
    untyped-variable @ 2:22: nobody knows which values `x` can have
        2:22-2:23: stands alone on no arc
        help: say so in `t`: `var x : 0..5`
    untyped-variable @ 3:34: nobody knows which values `cuont` can have
        3:34-3:39: stands alone on no arc
        help: did you mean `count`? [3:34-3:39 -> `count`]
        help: say so in `u`: `var cuont : 0..5`
    undefined-type @ 4:33: there is no type `unit`
        4:33-4:37: not part of the language
        help: leave the type out
    duplicate-variable @ 4:57: the variable `x` is declared twice
        4:57-4:58: again here
    ");
}

#[test]
fn a_place_that_nobody_fills() {
    insta::assert_snapshot!(file("place p\nplace q\nplace r\ntransition t { out p }\ntransition u { in p; test q }\ntarget t"), @r"
    warning never-filled @ 2:7: no transition puts a token into the place `q`
        2:7-2:8: always empty
        5:22-5:28: so this can never occur
    warning unused-place @ 3:7: the place `r` is never used
        3:7-3:8: on no arc
    t: out p();
    u: in p(); test q();
    targets [0]
    ");
}

#[test]
fn a_target_that_nothing_leads_to() {
    insta::assert_snapshot!(file("place p\nplace q\nplace r\ntransition t { out p }\ntransition u { in q; out r }\ntransition v { in r; out q }\ntransition w { test r }\ntarget w\ntarget t"), @r"
    unreachable-target @ 8:8: the target `w` can never occur
        8:8-8:9: nothing leads here
        6:16-6:20: whoever fills `r` needs a token from here first
        help: add a transition with `out r`
    ");
}

#[test]
fn things_out_of_place() {
    insta::assert_snapshot!(file("place p : 0..3\ntransition t { out p(1) out p(2); if (1); x := 2; out p(?); when choose(0..1) }\nin p(x)\ntransition u in p(x)\ntarget t"), @r"
    missing-semicolon @ 2:24: expected `;` between two arcs
        2:24-2:24: expected `;` here
        help: add it [2:24-2:24 -> `;`]
    expected-arc @ 2:35: expected an arc or a guard, found `if`
        2:35-2:37: not expected here
        help: arcs are written `in p(x)`, `test p(x)` and `out p(x + 1)`
        help: a guard is written [2:35-2:37 -> `when`]
    expected-arc @ 2:43: expected an arc or a guard, found the name `x`
        2:43-2:44: not expected here
        help: arcs are written `in p(x)`, `test p(x)` and `out p(x + 1)`
    expected-item @ 3:1: expected `place`, `transition` or `target`, found `in`
        3:1-3:3: not expected outside a transition
        2:79-2:80: the transition `t` ended here
        help: arcs stand in the braces of a transition: `transition t { in p }`
    expected-body @ 4:13: expected `{` and arcs, found `in`
        4:13-4:13: expected `{` here
        help: a transition looks like `transition u { in p(x); out q(x + 1) }`
    ");
}

#[test]
fn types_that_are_none() {
    insta::assert_snapshot!(file("place p : int\nplace q : queue[2] of bool\nplace r : 3..1\nplace s : Colour\ntransition t { out p(1); out q; out r(1); out s(2) }\ntarget t"), @"
    unbounded-type @ 1:11: `int` has no bounds
        1:11-1:14: which numbers?
        help: say from where to where, both included: `0..10`
        help: say how many bits: `bits 8` is 0 to 255, and wraps around
    malformed-type @ 2:11: tokens carry single values
        2:11-2:27: made of several values
        help: write a range like `0..10`, `bool`, `bits 8`, or the name of an `enum`
    empty-range @ 3:11: the range from 3 to 1 is empty
        3:11-3:15: the first end is larger than the second
        help: a range goes from its smallest to its largest value, both included
    undefined-type @ 4:11: there is no type `Colour`
        4:11-4:17: not defined
        help: write a range like `0..10`, `bool`, `bits 8`, or the name of an `enum`
    ");
}
