//! Questions about `.ser` programs on the command line.

use crate::shared;

use ser_syntax::{parse, parse_goal, parse_requests};

const PROGRAM: &str = "const N = 2 X := 1
request main { Y := X; yield; Y }
request put(n in 0..3, m in 0..N) { X := n }
request flip { X := 1 - X }";

fn requests(text: &str) -> String {
    let (requests, diagnostics) = parse_requests(text, &parse(PROGRAM).program);
    let shown: Vec<String> = requests.iter().map(|(label, n)| format!("{label}*{n}")).collect();
    format!("{}{}", shared::messages(text, &diagnostics), shown.join(" "))
}

fn goal(text: &str) -> String {
    let instances = [("main".to_owned(), 2), ("put(3,1)".to_owned(), 1), ("flip".to_owned(), 1)];
    let (goal, diagnostics) = parse_goal(text, &parse(PROGRAM).program, &instances);
    format!("{}{}", shared::messages(text, &diagnostics), shared::expr(&goal))
}

#[test]
fn requests_are_counted_and_added_up() {
    assert_eq!(requests("main*2,flip, put(3, N - 1)*N,main"), "main*3 flip*1 put(3,1)*2");
}

#[test]
fn requests_that_are_wrong() {
    insta::assert_snapshot!(requests("mian, main(1), put, put(4,0), put(0,X), flip*0, flip*99999, main[0], main main*2"), @r"
    undefined-name @ 1:1: there is no request `mian`
        1:1-1:5: not defined
        help: did you mean `main`? [1:1-1:5 -> `main`]
    wrong-parameters @ 1:7: the request `main` has no parameters
        1:7-1:14: 1 given
        help: for example `main`
    wrong-parameters @ 1:16: the request `put` has 2 parameters
        1:16-1:19: 0 given
        help: for example `put(0,0)`
    wrong-parameters @ 1:25: the parameter `n` of `put` is never 4
        1:25-1:26: 0 to 3 are possible
    not-constant @ 1:37: `X` is not a constant
        1:37-1:38: only numbers, constants and operators can stand here
        help: define it at the top of the file: `const X = 1`
    wrong-count @ 1:46: there cannot be 0 of them
        1:46-1:47: 1 to 10000 are possible
    wrong-count @ 1:54: there cannot be 99999 of them
        1:54-1:59: 1 to 10000 are possible
    unexpected-token @ 1:66: how many requests there are is written with `*`
        1:66-1:67: unexpected index here
        help: for two of them, write `main*2`
    unexpected-token @ 1:75: expected `,` between requests, found the name `main`
        1:75-1:79: not expected here
        help: requests are listed like `main*2,flip`
    main*1
    ");
}

#[test]
fn brackets_in_a_list_of_requests() {
    insta::assert_snapshot!(requests("main*2}, put(1,, flip), )"), @r"
    unexpected-token @ 1:7: expected `,` between requests, found `}`
        1:7-1:8: not expected here
        help: requests are listed like `main*2,flip`
    expected-name @ 1:8: expected the name of a request, found `,`
        1:8-1:9: expected a name
        help: a name is made of letters, digits and `_`, and starts with no digit
    expected-expression @ 1:16: expected an expression, found `,`
        1:16-1:17: expected an expression here
    expected-name @ 1:25: expected the name of a request, found `)`
        1:25-1:26: expected a name
        help: a name is made of letters, digits and `_`, and starts with no digit
    main*2
    ");
}

#[test]
fn no_requests() {
    insta::assert_snapshot!(requests(" "), @r"
    no-requests @ 1:1: no requests are listed
        1:1-1:1: expected a request
        help: for example `main*2` for two of the request `main`
    ");
}

#[test]
fn goals_name_responses_and_ends() {
    assert_eq!(goal("main[0] == 1 && X == N"), "[[main[0] == 1] && [X == 2]]");
    assert_eq!(goal("put(3, 1)[0] == 0"), "[put(3,1)[0] == 0]");
    assert_eq!(goal("done(main[1]) || !done(flip)"), "[Done main[1] || !Done flip[0]]");
    assert_eq!(
        goal("done"),
        "[[Done main[0] && Done main[1]] && [Done put(3,1)[0] && Done flip[0]]]"
    );
}

#[test]
fn goals_that_are_wrong() {
    insta::assert_snapshot!(goal("main == 1 && Z == 1 && x == 2 && main[2] == 1 && put(0,0)[0] == 1"), @r"
    request-without-index @ 1:1: `main` is a request; which one?
        1:1-1:5: its response is written with an index
        help: the first of them is `main[0]`
    undefined-name @ 1:14: there is no global variable `Z`
        1:14-1:15: not defined
        help: the global variables are: X, Y
    undefined-name @ 1:24: there is no global variable `x`
        1:24-1:25: not defined
        help: local variables cannot be seen from outside of their request
    no-such-instance @ 1:34: there is no request `main[2]`
        1:34-1:41: there are 2, with the indices 0 to 1
    no-such-instance @ 1:50: no request `put(0,0)` runs here
        1:50-1:61: not among the requests that run
        help: those are: main, put(3,1), flip
    <error>
    ");
}

#[test]
fn goals_about_nothing() {
    insta::assert_snapshot!(goal("flop[0] == 1 && done(main) && main[X] == 0"), @r"
    undefined-name @ 1:1: there is no request `flop`
        1:1-1:5: not defined
        help: did you mean `flip`? [1:1-1:5 -> `flip`]
    request-without-index @ 1:22: `main` runs 2 times; which one?
        1:22-1:26: expected an index
        help: the first of them is `main[0]`
    not-constant @ 1:36: `X` is not a constant
        1:36-1:37: only numbers, constants and operators can stand here
        help: define it at the top of the file: `const X = 1`
    <error>
    ");
}

#[test]
fn goals_that_are_no_conditions() {
    insta::assert_snapshot!(goal("X = 1; Y == 2"), @r"
    equals-for-comparison @ 1:3: `=` does not compare; `==` does
        1:3-1:4: expected `==`
        help: write `==` to compare [1:3-1:4 -> `==`]
    unexpected-token @ 1:6: expected the end of the condition, found `;`
        1:6-1:7: not expected here
        help: to say that both hold, write `&&` between them
    <error>
    ");
    insta::assert_snapshot!(goal("(X := 1) + ?"), @r"
    not-a-condition @ 1:2: an assignment cannot stand here
        1:2-1:8: only variables, constants, numbers and operators can
        help: to compare, write `==`
    not-a-condition @ 1:12: `?` cannot stand here
        1:12-1:13: only variables, constants, numbers and operators can
    <error>
    ");
    insta::assert_snapshot!(goal(""), @r"
    expected-condition @ 1:1: there is no condition
        1:1-1:1: expected a condition
        help: for example `X == 1`, or `done` for the end of all requests
    <error>
    ");
    insta::assert_snapshot!(goal("main[0"), @r"
    unexpected-token @ 1:7: expected `]`, found the end of the text
        1:7-1:7: expected `]` here
        1:5-1:6: to close this
        help: close it [1:7-1:7 -> `]`]
    <error>
    ");
    insta::assert_snapshot!(goal("yield"), @r"
    not-a-condition @ 1:1: `yield` cannot stand here
        1:1-1:6: only variables, constants, numbers and operators can
    <error>
    ");
}

#[test]
fn requests_that_may_abort_are_not_followed() {
    let text = "request try { if (X) { x := (abort) }; X := 1 } request look { X }";
    let (requests, diagnostics) = parse_requests("look*2,try", &parse(text).program);
    assert_eq!(requests, [("look".to_owned(), 2)]);
    insta::assert_snapshot!(shared::messages("look*2,try", &diagnostics), @r"
    traced-abort @ 1:8: `try` may abort, and that cannot be followed
        1:8-1:11: a request that says `abort`
        help: goals are about responses, and a request that aborts has none; to follow it, write `return` instead
    ");
}
