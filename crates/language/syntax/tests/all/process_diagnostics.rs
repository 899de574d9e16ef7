//! What the tool says about files with processes that are wrong: one row per mistake, shown as in
//! `diagnostics.rs`.

use crate::shared;

use ser_syntax::parse_processes;

/// The messages about a file.
fn file(text: &str) -> String {
    shared::messages(text, &parse_processes(text).diagnostics)
}

/// The messages about the statements of a process, which start at column 1 of line 2.
fn process(statements: &str) -> String {
    file(&format!(
        "var X: 0..9 var Flag: bool var Q: queue[2] of 0..3 const N = 3 enum Colour {{ red, green }} enum Size {{ small, large }} var Light: Colour process P(id in 0..1) {{\n{statements}\n}} reach X == 1"
    ))
}

// What is missing.

#[test]
fn an_empty_file() {
    insta::assert_snapshot!(file(""), @r"
    no-processes @ 1:1: this file is empty
        1:1-1:1: expected a process
        help: the smallest file is `var X: 0..1  process P { X := 1 }  reach X == 1`
    ");
}

#[test]
fn nothing_but_comments() {
    insta::assert_snapshot!(file("// later\n"), @r"
    no-processes @ 1:9: this file has nothing but comments
        1:9-1:9: expected a process
        help: the smallest file is `var X: 0..1  process P { X := 1 }  reach X == 1`
    ");
}

#[test]
fn no_process() {
    insta::assert_snapshot!(file("var X: 0..1\nreach X == 1"), @r"
    no-processes @ 2:13: this file has no processes
        2:13-2:13: expected a process
        help: the smallest file is `var X: 0..1  process P { X := 1 }  reach X == 1`
    ");
}

#[test]
fn nothing_to_look_for() {
    insta::assert_snapshot!(file("var X: 0..1\nprocess P { X := 1 }\n"), @"
    no-goals @ 2:21: this file does not say what to look for
        2:21-2:21: expected `reach`
        help: for example `reach X == 1`, or `deadlock`: can somebody wait forever?
    ");
}

// Values without bounds.

#[test]
fn a_variable_without_a_range() {
    insta::assert_snapshot!(file("X := 2\nprocess P { X := X + 1 }\nreach X == 3"), @"
    unbounded-variable @ 1:1: say which values `X` can have
        1:1-1:2: its values have no bounds
        help: for example `var X: 0..10 = 2` [1:1-1:6 -> `var X: 0..10 = `]
    ");
}

#[test]
fn an_integer() {
    insta::assert_snapshot!(file("var X: int = 2\nprocess P { X := X + 1 }\nreach X == 3"), @"
    unbounded-type @ 1:8: `int` has no bounds
        1:8-1:11: which numbers?
        help: say from where to where, both included: `0..10`
        help: say how many bits: `bits 8` is 0 to 255, and wraps around
    ");
}

#[test]
fn a_queue_without_a_bound() {
    insta::assert_snapshot!(file("var Q: queue of 0..3\nvar R: queue[] of bool\nvar X: 0..1\nprocess P { send 1 to Q; send X to R }\nreach len(Q) == 3"), @"
    unbounded-queue @ 1:8: this queue has no bound
        1:8-1:13: how many items fit in?
        help: say so, for example for two [1:13-1:13 -> `[2]`]
    unbounded-queue @ 2:13: this queue has no bound
        2:13-2:15: how many items fit in?
        help: say so, for example for two [2:13-2:15 -> `[2]`]
    ");
}

#[test]
fn a_queue_of_nothing() {
    insta::assert_snapshot!(file("var Q: queue[2]\nvar P: queue[0] of bool\nvar R: queue[1000] of bool\nvar S: queue[2] of queue[3] of bool\nprocess P { skip }\nreach 1"), @"
    malformed-type @ 1:16: expected `of` and the items, found the name `var`
        1:16-1:16: expected `of` here
        help: say what it holds: `queue[2] of 0..3`
    queue-capacity @ 2:14: a queue cannot hold 0 items
        2:14-2:15: 1 to 256 are possible
    queue-capacity @ 3:14: a queue cannot hold 1000 items
        3:14-3:18: 1 to 256 are possible
    malformed-type @ 4:20: the items of a queue are values, not queues
        4:20-4:36: a queue inside of a queue
    ");
}

#[test]
fn ranges_that_are_no_ranges() {
    insta::assert_snapshot!(file("var A: 3..1\nvar B: 0..4294967296\nvar C: 0,3\nvar D: 0\nvar E: bits 40\nvar F: bits\nvar G:\nprocess P { skip }\nreach A == B"), @"
    empty-range @ 1:8: the range from 3 to 1 is empty
        1:8-1:12: the first end is larger than the second
        help: a range goes from its smallest to its largest value, both included
    range-too-large @ 2:8: the range from 0 to 4294967296 has 4294967297 values
        2:8-2:21: at most 4294967296 are possible
    malformed-range @ 3:9: the ends of a range are separated by `..`
        3:9-3:10: expected `..`
        help: write `..` [3:9-3:10 -> `..`]
    malformed-range @ 5:1: expected `..` and the end of the range, found the name `var`
        5:1-5:4: expected `..`
        help: a range is written `0..2`, which is 0, 1 and 2
    too-many-bits @ 5:13: a number cannot have 40 bits
        5:13-5:15: 1 to 32 are possible
    malformed-type @ 6:12: expected how many bits, found the name `var`
        6:12-6:12: expected a number here
        help: a byte is written `bits 8`
    malformed-type @ 7:7: expected which values there are, found the name `process`
        7:7-7:7: expected a type here
        help: write a range like `0..10`, `bool`, `int`, `[0..3] of bool`, or the name of an `enum`, `record` or `type`
    ");
}

#[test]
fn a_type_that_nobody_knows() {
    insta::assert_snapshot!(file("const N = 3 enum Colour { red }\nvar A: boole\nvar B: Color\nvar C: N\nvar D: unit\nprocess P { skip }\nreach A == B"), @"
    undefined-type @ 2:8: there is no type `boole`
        2:8-2:13: not defined
        help: did you mean `bool`? [2:8-2:13 -> `bool`]
    undefined-type @ 3:8: there is no type `Color`
        3:8-3:13: not defined
        help: did you mean `Colour`? [3:8-3:13 -> `Colour`]
    undefined-type @ 4:8: there is no type `N`
        4:8-4:9: not defined
        help: a range has two ends: `0..N`
    undefined-type @ 5:8: there is no type `unit`
        5:8-5:12: not part of the language
        help: leave the type out
    ");
}

// Declarations.

#[test]
fn first_values() {
    insta::assert_snapshot!(file("enum Colour { red, green } enum Size { small }\nvar A: 0..3 = 4\nvar B: bool := 1\nvar C: Colour = small\nvar Q: queue[2] of bool = 1\nvar D: 0..3 = A\nprocess P { skip }\nreach A == 1"), @"
    var-needs-equal @ 3:13: the first value of a `var` is given with `=`
        3:13-3:15: expected `=`
        help: write `=` [3:13-3:15 -> `=`]
    type-mismatch @ 3:16: expected a truth value, found a number
        3:16-3:17: this is a number
        3:5-3:6: the variable is a truth value
        help: truth values are `true` and `false`
    type-mismatch @ 4:17: expected a `Colour`, found a `Size`
        4:17-4:22: this is a `Size`
        4:5-4:6: the variable is a `Colour`
    queue-first-value @ 5:27: the queue `Q` is empty at first
        5:27-5:28: a queue has no first value
        help: let a process send what is to be there: `process Fill { send 1 to Q }`
    not-constant @ 6:15: `A` is not a constant
        6:15-6:16: only numbers, constants and operators can stand here
        help: define it at the top of the file: `const A = 1`
    ");
}

#[test]
fn names_that_are_taken() {
    insta::assert_snapshot!(file("const N = 1\nvar N: 0..1\nvar X: 0..1\nvar X: bool\nvar x: 0..3\nenum A { a } enum A { a }\nvar Done: queue[2] of bool\nprocess P { skip }\nprocess P { skip }\nreach X"), @"
    name-clash @ 2:5: `N` is already a constant
        2:5-2:6: a variable needs a name of its own
        1:7-1:8: the constant
    duplicate-initial-value @ 4:5: `X` is declared twice
        4:5-4:6: again here
        3:5-3:6: first here
    initial-value-of-local @ 5:5: `x` is local to each process and starts at 0
        5:5-5:6: starts with a lowercase letter, so it is local
        help: call it `X` if all processes share it
    duplicate-type @ 6:19: the type `A` is defined twice
        6:19-6:20: again here
        6:6-6:7: first here
    duplicate-process @ 9:9: the process `P` is defined twice
        9:9-9:10: again here
        8:9-8:10: first here
    ");
}

#[test]
fn requests_are_no_processes() {
    insta::assert_snapshot!(file("var X: 0..1\nrequest main { X := 1 }\nprocess P { X := 1 }\nreach X"), @"
    request-for-process @ 2:1: requests and processes do not stand in one file
        2:1-2:8: the request `main`
        help: make it a process [2:1-2:8 -> `process`]
        help: requests come in any number and respond; processes run once
    ");
}

#[test]
fn statements_outside_of_processes() {
    insta::assert_snapshot!(file("var X: 0..1\nprocess P { X := 1 } }\nawait(X == 1)\nreach X"), @r"
    stray-brace @ 2:22: this `}` closes nothing
        2:22-2:23: no `{` is open here
        2:20-2:21: the process `P` ended here
    ");
}

#[test]
fn brackets_that_are_not_closed() {
    insta::assert_snapshot!(file("enum Colour { red, green\nvar X: 0..1\nprocess P { if (X) { X := 1\nprocess R { X := (1 }\nreach X"), @"
    unclosed-brace @ 1:13: this `{` is never closed
        1:13-1:14: opened here
        2:1-2:4: expected `}` before this
        help: add a `}`
    unclosed-brace @ 3:20: this `{` is never closed
        3:20-3:21: opened here
        4:1-4:8: expected `}` before this
        help: add a `}`
    unclosed-parenthesis @ 4:18: this `(` is never closed
        4:18-4:19: opened here
        4:21-4:22: expected `)` before this
        help: close it [4:20-4:20 -> `)`]
    ");
}

#[test]
fn a_colon_for_braces() {
    insta::assert_snapshot!(file("var X: 0..1\nprocess P:\n  X := 1\nreach X"), @"
    colon-for-braces @ 2:10: a block stands in braces, it does not start with `:`
        2:10-2:11: expected `{`
        help: a process looks like `process P { ... }`
    ");
}

// Names in processes.

#[test]
fn names_that_are_not_declared() {
    insta::assert_snapshot!(process("Y := X; x := Flug; send 1 to R; x := recv X; y := len(q) + len(Flag)"), @"
    undefined-name @ 2:1: `Y` is not declared
        2:1-2:2: no variable, queue or constant has this name
        help: say which values it can have: `var Y: 0..10`, outside of the processes
    undefined-name @ 2:14: `Flug` is not declared
        2:14-2:18: no variable, queue or constant has this name
        help: did you mean `Flag`? [2:14-2:18 -> `Flag`]
    undefined-name @ 2:30: there is no queue `R`
        2:30-2:31: not declared
        help: a queue is declared like `var R: queue[2] of 0..3`
    variable-as-queue @ 2:43: `X` is not a queue
        2:43-2:44: expected a queue
        help: a queue is declared like `var X: queue[2] of 0..3`
    undefined-name @ 2:55: there is no queue `q`
        2:55-2:56: not declared
        help: a queue is declared like `var q: queue[2] of 0..3`
    variable-as-queue @ 2:64: `Flag` is not a queue
        2:64-2:68: expected a queue
        help: a queue is declared like `var Flag: queue[2] of 0..3`
    ");
}

#[test]
fn queues_are_no_variables() {
    insta::assert_snapshot!(process("Q := 1; x := Q + 1; Q := recv Q; send 1 to X"), @"
    queue-as-variable @ 2:1: `Q` is a queue, not a variable
        2:1-2:2: expected a variable
        help: `len(Q)` says how many items are in it
        help: `send 1 to Q` and `x := recv Q` put and take items
    queue-as-variable @ 2:14: `Q` is a queue, not a variable
        2:14-2:15: expected a variable
        help: `len(Q)` says how many items are in it
        help: `send 1 to Q` and `x := recv Q` put and take items
    queue-as-variable @ 2:21: `Q` is a queue, not a variable
        2:21-2:22: expected a variable
        help: `len(Q)` says how many items are in it
        help: `send 1 to Q` and `x := recv Q` put and take items
    variable-as-queue @ 2:44: `X` is not a queue
        2:44-2:45: expected a queue
        help: a queue is declared like `var X: queue[2] of 0..3`
    ");
}

#[test]
fn constants_and_parameters_stay_as_they_are() {
    insta::assert_snapshot!(process("N := 1; id := 2; N := recv Q; red := 0"), @"
    assign-to-constant @ 2:1: `N` is a constant and cannot be assigned
        2:1-2:2: assigned here
        1:58-1:59: the constant
    assign-to-parameter @ 2:9: `id` is a parameter and cannot be assigned
        2:9-2:11: assigned here
        1:146-1:148: the parameter
        help: copy it into another variable first: `copy := id`
    assign-to-constant @ 2:18: `N` is a constant and cannot be assigned
        2:18-2:19: assigned here
        1:58-1:59: the constant
    assign-to-constant @ 2:31: `red` is a constant and cannot be assigned
        2:31-2:34: assigned here
        1:78-1:81: the constant
    ");
}

#[test]
fn a_local_variable_that_is_always_0() {
    insta::assert_snapshot!(process("count := X; if (cuont == 3) { X := rad }"), @"
    undefined-name @ 2:36: `rad` is never assigned
        2:36-2:39: not known here
        help: did you mean `red`? [2:36-2:39 -> `red`]
    ");
}

#[test]
fn true_and_false() {
    insta::assert_snapshot!(process("Flag := true; while (True) { skip }; x := null; Flag := False"), @r#"
    other-language @ 2:22: `True` is written `true`
        2:22-2:26: not part of the language
    other-language @ 2:43: there is no `null`
        2:43-2:47: not part of the language
        help: use a number that means "nothing", such as -1, or a member of an `enum`: `enum Owner { nobody, alice, bob }`
    other-language @ 2:57: `False` is written `false`
        2:57-2:62: not part of the language
    "#);
}

#[test]
fn members_of_the_wrong_enumeration() {
    insta::assert_snapshot!(process("Light := small; if (Light == large) { skip }; await(red == small)"), @"
    type-mismatch @ 2:10: expected a `Colour`, found a `Size`
        2:10-2:15: this is a `Size`
        2:1-2:6: the variable is a `Colour`
    type-mismatch @ 2:30: expected a `Colour`, found a `Size`
        2:30-2:35: this is a `Size`
        2:21-2:26: the other side is a `Colour`
    type-mismatch @ 2:60: expected a `Colour`, found a `Size`
        2:60-2:65: this is a `Size`
        2:53-2:56: the other side is a `Colour`
    ");
}

#[test]
fn values_that_never_fit() {
    insta::assert_snapshot!(process("X := 10; X := N + 8 + id; Flag := -1"), @"
    type-mismatch @ 2:35: expected a truth value, found a number
        2:35-2:37: this is a number
        2:27-2:31: the variable is a truth value
        help: truth values are `true` and `false`
    ");
}

// Statements.

#[test]
fn yield_is_not_needed() {
    insta::assert_snapshot!(process("X := 1; yield; X := 2"), @r"
    yield-in-process @ 2:9: `yield` is not needed here
        2:9-2:14: every statement is an action of its own
        help: leave it out [2:9-2:14 -> ``]
        help: to make several statements one action, write `atomic { ... }`
    ");
}

#[test]
fn statements_without_an_effect() {
    insta::assert_snapshot!(process("X == 1; pass; X"), @"
    no-effect @ 2:1: this statement does nothing
        2:1-2:7: its value is not used
        help: to assign, write `:=`
        help: to wait until it is true, write `await(...)`
    no-effect @ 2:9: this statement does nothing
        2:9-2:13: its value is not used
        help: to do nothing, write `skip` [2:9-2:13 -> `skip`]
    no-effect @ 2:15: this statement does nothing
        2:15-2:16: its value is not used
        help: a process has no response; leave it out
    ");
}

#[test]
fn a_missing_semicolon_matters_only_after_expressions() {
    insta::assert_snapshot!(process("while (X) { skip } X := 1 X := 2"), @"
    missing-semicolon @ 2:26: expected `;` between two statements
        2:26-2:26: expected `;` here
        help: add it [2:26-2:26 -> `;`]
    ");
}

#[test]
fn a_block_that_is_no_statement() {
    insta::assert_snapshot!(process("{ X := 1; X := 2 }"), @"
    expected-statement @ 2:1: expected a statement, found `{`
        2:1-2:2: unexpected block here
        help: if it is one step, write `atomic {` [2:1-2:2 -> `atomic {`]
    ");
}

#[test]
fn a_process_has_no_response() {
    insta::assert_snapshot!(process("x := (return 3); return X"), @"
    return-with-value @ 2:14: a process has no response
        2:14-2:15: nobody sees this value
        help: end the process with `return` [2:7-2:15 -> `return`]
    return-with-value @ 2:25: a process has no response
        2:25-2:26: nobody sees this value
        help: end the process with `return` [2:18-2:26 -> `return`]
    ");
}

#[test]
fn a_process_does_not_abort() {
    insta::assert_snapshot!(process("if (X) { abort }; x := (abort)"), @r"
    abort-in-process @ 2:10: `abort` is for requests: a process has no response
        2:10-2:15: not expected in a process
        help: to end the process, write `return` [2:10-2:15 -> `return`]
    abort-in-process @ 2:25: `abort` is for requests: a process has no response
        2:25-2:30: not expected in a process
        help: to end the process, write `return` [2:25-2:30 -> `return`]
    ");
}

#[test]
fn sending_and_receiving() {
    insta::assert_snapshot!(process("send Q 1; receive Q; receive Q(x); 1 := recv Q; send to Q; send Q(X + 1); x := recv Q from P; send 1 to 2"), @"
    expected-to @ 2:7: expected `to` and a receiver, found the number `1`
        2:7-2:7: expected `to` here
        help: it looks like `send Ping to p` or `send 1 to Q`
    misspelt-recv @ 2:11: `receive` is written `recv`
        2:11-2:18: expected `recv`
        help: write `recv` [2:11-2:18 -> `recv`]
    misspelt-recv @ 2:22: `receive` is written `recv`
        2:22-2:29: expected `recv`
        help: write `recv` [2:22-2:29 -> `recv`]
    fields-after-recv @ 2:31: the fields of a message are taken before `:=`
        2:31-2:32: unexpected fields here
        help: write the pattern first: `Q(x) := recv ...`
    not-assignable @ 2:36: only a variable can be assigned to
        2:36-2:37: this is not a variable
        2:38-2:40: assigned here
        help: an assignment looks like `x := 1`
    expected-to @ 2:56: expected `to` and a receiver, found the name `Q`
        2:56-2:56: expected `to` here
        help: it looks like `send Ping to p` or `send 1 to Q`
    expected-to @ 2:60: what is sent stands before `to`, and the receiver behind it
        2:60-2:73: sent to nobody
        help: write it like this [2:60-2:73 -> `send X + 1 to Q`]
    not-in-processes @ 2:92: a queue does not know who has sent what is in it
        2:92-2:93: not supported here
        help: use one queue for each sender
    variable-as-queue @ 2:105: processes send to queues
        2:105-2:106: expected the name of a queue
        help: it looks like `send 1 to Q`, after `var Q: queue[2] of 0..3`
    ");
}

#[test]
fn loops_of_other_languages() {
    insta::assert_snapshot!(process("repeat { skip }; for _ in 1..X { skip }; for _ in 1..-1 { skip }; while X == 1 X := 2; if (X == 1) then { X := 2 } elif (X = 3) { X += 1 }; X++"), @"
    other-language @ 2:1: there is no `repeat`
        2:1-2:7: not part of the language
        help: write `for i in 1..3 { ... }`, or `loop { ... }` and `break`
    empty-range @ 2:51: the range from 1 to -1 is empty
        2:51-2:56: the first end is larger than the second
        help: a range goes from its smallest to its largest value, both included
    expected-block @ 2:80: expected `{` after the condition, found the name `X`
        2:80-2:81: expected `{`
        help: write `while (...) { ... }`
    expected-block @ 2:100: expected `{` after the condition, found the name `then`
        2:100-2:104: expected `{`
        help: write `if (...) { ... }`
    misspelt-else-if @ 2:116: `elif` is written `else if`
        2:116-2:120: expected `else if`
        help: write `else if` [2:116-2:120 -> `else if`]
    equals-for-comparison @ 2:124: `=` does not compare; `==` does
        2:124-2:125: expected `==`
        help: write `==` to compare [2:124-2:125 -> `==`]
    compound-assignment @ 2:133: there is no `+=`
        2:133-2:135: unexpected
        help: write it out [2:133-2:135 -> `:= X +`]
    increment @ 2:142: there is no `++`
        2:142-2:144: unexpected
        help: write it out [2:141-2:144 -> `X := X + 1`]
    ");
}

#[test]
fn waiting_needs_no_parentheses() {
    insta::assert_snapshot!(process("await X == 1; await(X = 1)"), @"
    equals-for-comparison @ 2:23: `=` does not compare; `==` does
        2:23-2:24: expected `==`
        help: write `==` to compare [2:23-2:24 -> `==`]
    ");
}

#[test]
fn code_after_the_end() {
    insta::assert_snapshot!(process("while (1) { X := 1 }; X := 2"), @r"
    warning unreachable-code @ 2:23: this code never runs
        2:23-2:29: never runs
    ");
}

#[test]
fn processes_do_not_see_each_other_end() {
    insta::assert_snapshot!(process("await(done(P)); done := 1; X := done"), @"
    done-in-process @ 2:7: `done` can be asked only in `reach` and `invariant`
        2:7-2:14: a process cannot see this
        help: let the other process set a shared variable at its end
    ");
}

// Goals.

#[test]
fn goals_are_about_what_all_can_see() {
    insta::assert_snapshot!(file("var X: 0..1\nvar Q: queue[1] of bool\nprocess P(id in 0..1) { x := X; send x to Q }\nreach x == 1\nreach Y == 1 && Q\nreach done(R) || done(P(2)) || done(P[0])\nreach X = 1\nreach (X := 1)\nreach ? && true\nreach len(X)"), @"
    type-mismatch @ 3:38: expected a truth value, found a number
        3:38-3:39: this is a number
        3:43-3:44: an item of the queue is a truth value
        help: truth values are `true` and `false`
    unknown-name @ 4:7: `x` is no shared variable
        4:7-4:8: each process has its own
        help: what is asked is about variables that all share, like `X`
    undefined-name @ 5:7: `Y` is not declared
        5:7-5:8: no variable, queue or constant has this name
        help: say which values it can have: `var Y: 0..10`, outside of the processes
    queue-as-variable @ 5:17: `Q` is a queue, not a variable
        5:17-5:18: expected a variable
        help: `len(Q)` says how many items are in it
        help: `send 1 to Q` and `x := recv Q` put and take items
    undefined-name @ 6:12: there is no process `R`
        6:12-6:13: not defined
    undefined-name @ 6:23: there is no such process
        6:23-6:27: its parameters have no such values
        3:9-3:10: defined here
    unexpected-token @ 6:39: one of several processes is written with its parameters
        6:39-6:40: unexpected index here
        help: write `done(P(0))`
    equals-for-comparison @ 7:9: `=` does not compare; `==` does
        7:9-7:10: expected `==`
        help: write `==` to compare [7:9-7:10 -> `==`]
    claim-with-effect @ 8:8: what is asked only looks at variables, and this changes one
        8:8-8:14: not allowed here
    claim-with-effect @ 9:7: what is asked only looks at variables, and this chooses
        9:7-9:8: not allowed here
    variable-as-queue @ 10:11: `X` is not a queue
        10:11-10:12: expected a queue
        help: a queue is declared like `var X: queue[2] of 0..3`
    ");
}

#[test]
fn a_goal_with_a_name_needs_a_colon() {
    insta::assert_snapshot!(file("var X: 0..1\nprocess P { X := 1 }\nreach \"one\" X == 1\nreach"), @"
    malformed-claim @ 3:12: expected `:` and a condition, found the name `X`
        3:12-3:12: expected `:` here
        help: add it [3:12-3:12 -> `:`]
    expected-expression @ 4:6: expected an expression, found the end of the file
        4:6-4:6: expected an expression here
    ");
}

#[test]
fn parameters_have_few_values() {
    insta::assert_snapshot!(file("process P(a in 0..999, b in 0..99) { skip }\nreach done"), @r"
    too-many-labels @ 1:11: the parameters of `P` have 100000 combinations of values
        1:11-1:34: at most 10000 are possible
        help: each combination is a process of its own; use smaller ranges
    ");
}

// What other files have.

#[test]
fn items_that_are_not_for_processes() {
    insta::assert_snapshot!(file("fn twice(x) { x + x }\nrecord Pair { a: 0..1 }\nset Workers\nassume X == 0\nproof { small; }\nlock Till\nghost var G: 0..1\nvar X: 0..1\nvar A: [0..1] of bool\nvar T: (bool, bool)\nserver process P { X := 1 }\nprocess w for w in Workers { X := 1 }\ninvariant each(i): X == 0\ndeadlock"), @"
    not-in-processes @ 3:5: a file with processes has no sets
        3:5-3:12: a set, not supported here
        help: a fixed number of processes is `process P(id in 0..1) { ... }`
    not-in-processes @ 4:8: a file with processes has no assumptions
        4:8-4:14: an assumption, not supported here
        help: say what a variable is at first: `var X: 0..3 = 1`
    not-in-processes @ 5:1: a file with processes has no proofs
        5:1-5:6: a proof, not supported here
        help: leave it out: what is asked needs no proof
    not-in-processes @ 7:1: a file with processes has no ghost variables
        7:1-7:18: a ghost variable, not supported here
        help: leave `ghost` out: every variable may be looked at in `reach`
    not-in-processes @ 11:16: a file with processes has no servers
        11:16-11:17: a server, not supported here
        help: leave `server` out; `deadlock` asks whether somebody can wait forever
    not-in-processes @ 12:15: a file with processes has no processes that come in any number
        12:15-12:27: one for each member of a set, not supported here
        help: a fixed number of processes is `process P(id in 0..1) { ... }`
    claim-with-parameters @ 13:16: what is asked about processes has no parameters
        13:16-13:17: any thread
        help: count those who are in a place with a variable: `invariant one: Inside <= 1`
    ");
}

#[test]
fn statements_that_are_not_for_processes() {
    insta::assert_snapshot!(process("A[0] := 1; x := (1, 2); match x { 0 => X := 1, _ => skip }; with L { X := 1 }; lock L; loop { break }; assert X == 1; here: X := 1; X := 1 ghost { y := 1 }; x := choose(0..1) where x == 1; x := X / 2; x := X % 2; x := y.size; x := f(1); if (X in {0, 1}) { skip }; x := (skip) + 1; x := Colour.blue"), @"
    undefined-name @ 2:1: `A` is not declared
        2:1-2:2: no variable, queue or constant has this name
        help: say which values it can have: `var A: 0..10`, outside of the processes
    type-mismatch @ 2:31: `match` cannot look at a tuple of 2 values
        2:31-2:32: this is a tuple of 2 values
        help: look at one of its parts
    type-mismatch @ 2:35: expected a tuple of 2 values, found a number
        2:35-2:36: this is a number
        2:31-2:32: what is compared is a tuple of 2 values
    not-a-lock @ 2:66: there is no lock `L`
        2:66-2:67: not declared
        help: declare it at top level: `lock L`
    not-a-lock @ 2:85: there is no lock `L`
        2:85-2:86: not declared
        help: declare it at top level: `lock L`
    not-in-processes @ 2:119: a process has no places with names
        2:119-2:131: not supported here
        help: set a shared variable where it matters, and look at that
    not-in-processes @ 2:133: a process has no ghost code
        2:133-2:156: not supported here
        help: write it into the same `atomic { ... }`
    not-in-processes @ 2:163: a process has no `where`
        2:163-2:188: not supported here
        help: write `x := choose(0..9)`, and then `await(condition)`
    type-mismatch @ 2:195: expected a tuple of 2 values, found a number
        2:195-2:200: this is a number
        2:190-2:191: the variable is a tuple of 2 values
    type-mismatch @ 2:207: expected a tuple of 2 values, found a number
        2:207-2:212: this is a number
        2:202-2:203: the variable is a tuple of 2 values
    undefined-function @ 2:232: there is no function `f`
        2:232-2:233: not defined
        help: define it at top level: `fn f(x) { ... }`
    type-mismatch @ 2:270: expected a tuple of 2 values, found a number
        2:270-2:280: this is a number
        2:265-2:266: the variable is a tuple of 2 values
    type-mismatch @ 2:287: expected a tuple of 2 values, found a `Colour`
        2:287-2:298: this is a `Colour`
        2:282-2:283: the variable is a tuple of 2 values
    undefined-member @ 2:294: `Colour` has no member `blue`
        2:294-2:298: not known here
        help: its members are: red, green
    ");
}

#[test]
fn local_variables_have_no_types() {
    insta::assert_snapshot!(process("var x = 1; var y: int = 2; var z: 0..3 = 1; var Z = 1; var q = recv Q"), @"
    global-in-request @ 2:49: `Z` would be shared by all processes
        2:49-2:50: starts with an uppercase letter
        help: a variable of this process starts with a lowercase letter; one that all share is declared at top level
    ");
}

#[test]
fn what_a_for_counts_with_is_its_own() {
    insta::assert_snapshot!(process("for i in 0..1 { i := 2; for i in 0..1 { skip } }; x := i; for X in 0..1 { skip }; for id in 0..1 { skip }; for N in 0..1 { skip }; for j in int { skip }; for k in 0..9223372036854775807 { skip }"), @"
    assign-to-counter @ 2:17: `i` counts a `for` and cannot be assigned
        2:17-2:18: assigned here
        help: use a `while` loop, or another variable
    assign-to-counter @ 2:29: `i` counts a `for` around this one, too
        2:29-2:30: needs a name of its own
    global-in-request @ 2:63: `X` would be shared by all processes
        2:63-2:64: starts with an uppercase letter
        help: the variable of a `for` is local, so it starts with a lowercase letter
    name-clash @ 2:87: `id` is a variable already
        2:87-2:89: counts a loop here
        help: choose another name for the variable of the `for`
    global-in-request @ 2:112: `N` would be shared by all processes
        2:112-2:113: starts with an uppercase letter
        help: the variable of a `for` is local, so it starts with a lowercase letter
    name-clash @ 2:112: `N` is already a constant
        2:112-2:113: a variable needs a name of its own
        1:58-1:59: the constant
    malformed-for @ 2:141: `for` needs a range, or a type with few values
        2:141-2:144: too many values, or none
        help: a loop over 0, 1 and 2 is `for i in 0..2 { ... }`
    ");
}

#[test]
fn words_of_the_old_language() {
    insta::assert_snapshot!(file("X in 0..3 := 1\nFlag : bool\nQ : queue[2] of 0..1\nthread A { X := 1 }\nprocess P { repeat 2 { X := 2 } }\nprocess R { send Q(1); receive Q(x) }\nreach X == 1"), @"
    missing-var @ 1:1: the variable `X` is declared with `var`
        1:1-1:2: expected `var` before this
        help: write `var X: 0..3 =` [1:1-1:13 -> `var X: 0..3 =`]
    missing-var @ 2:1: the variable `Flag` is declared with `var`
        2:1-2:5: expected `var` before this
        help: write `var Flag: bool` [2:1-2:12 -> `var Flag: bool`]
    missing-var @ 3:1: the variable `Q` is declared with `var`
        3:1-3:2: expected `var` before this
        help: write `var Q: queue[2] of 0..1` [3:1-3:21 -> `var Q: queue[2] of 0..1`]
    other-language @ 4:1: threads are one process for each member of a set
        4:1-4:7: not part of the language
        help: write `set Threads` and `process thread for self in Threads { ... }`
    other-language @ 5:13: there is no `repeat`
        5:13-5:19: not part of the language
        help: write `for i in 1..3 { ... }`, or `loop { ... }` and `break`
    expected-to @ 6:13: what is sent stands before `to`, and the receiver behind it
        6:13-6:22: sent to nobody
        help: write it like this [6:13-6:22 -> `send 1 to Q`]
    misspelt-recv @ 6:24: `receive` is written `recv`
        6:24-6:31: expected `recv`
        help: write `recv` [6:24-6:31 -> `recv`]
    fields-after-recv @ 6:33: the fields of a message are taken before `:=`
        6:33-6:34: unexpected fields here
        help: write the pattern first: `Q(x) := recv ...`
    ");
}

#[test]
fn types_by_other_names() {
    insta::assert_snapshot!(file("type Small = 0..3\ntype Round = Round\ntype Bad = int\nvar X: Small = 4\nvar Y: Round\nvar Z: Bad\nvar U = 3\nvar V\nenum Mode { idle, done }\nprocess P(id in Small) { X := id }\nreach X == 1"), @"
    undefined-type @ 2:14: there is no type `Round`
        2:14-2:19: not defined
        help: write a range like `0..10`, `bool`, `int`, or define it: `enum`, `record`, `type`
    undefined-type @ 5:8: there is no type `Round`
        5:8-5:13: not defined
        help: write a range like `0..10`, `bool`, `int`, or define it: `enum`, `record`, `type`
    unbounded-type @ 6:8: `int` has no bounds
        6:8-6:11: which numbers?
        help: say from where to where, both included: `0..10`
        help: say how many bits: `bits 8` is 0 to 255, and wraps around
    unbounded-variable @ 7:5: say which values `U` can have
        7:5-7:6: its values have no bounds
        help: for example `var U: 0..10 = 3` [7:6-7:6 -> `: 0..10`]
    malformed-var @ 9:1: expected a type or a first value, found the name `enum`
        9:1-9:5: expected `:` or `=`
        help: for example `var V: 0..3` or `var V = 0`
    reserved-name @ 9:19: `done` asks in `reach` whether processes have ended
        9:19-9:23: this name is taken
        help: choose another name
    ");
}
