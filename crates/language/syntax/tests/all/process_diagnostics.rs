//! What the tool says about `.events` files that are wrong: one row per mistake, shown as in
//! `diagnostics.rs`.

use crate::shared;

use ser_syntax::parse_events;

/// The messages about a file.
fn file(text: &str) -> String {
    shared::messages(text, &parse_events(text).diagnostics)
}

/// The messages about the statements of a process, which start at column 1 of line 2.
fn process(statements: &str) -> String {
    file(&format!(
        "X in 0..9 Flag : bool Q : queue[2] of 0..3 const N = 3 enum Colour {{ red, green }} enum Size {{ small, large }} Light : Colour process P(id in 0..1) {{\n{statements}\n}} reach X == 1"
    ))
}

// What is missing.

#[test]
fn an_empty_file() {
    insta::assert_snapshot!(file(""), @r"
    no-processes @ 1:1: this file is empty
        1:1-1:1: expected a process
        help: the smallest file is `X in 0..1  process P { X := 1 }  reach X == 1`
    ");
}

#[test]
fn nothing_but_comments() {
    insta::assert_snapshot!(file("// later\n"), @r"
    no-processes @ 1:9: this file has nothing but comments
        1:9-1:9: expected a process
        help: the smallest file is `X in 0..1  process P { X := 1 }  reach X == 1`
    ");
}

#[test]
fn no_process() {
    insta::assert_snapshot!(file("X in 0..1\nreach X == 1"), @r"
    no-processes @ 2:13: this file has no processes
        2:13-2:13: expected a process
        help: the smallest file is `X in 0..1  process P { X := 1 }  reach X == 1`
    ");
}

#[test]
fn nothing_to_look_for() {
    insta::assert_snapshot!(file("X in 0..1\nprocess P { X := 1 }\n"), @r"
    no-goals @ 2:21: this file does not say what to look for
        2:21-2:21: expected `reach`
        help: for example `reach X == 1`, or `reach done` for the end of all processes
    ");
}

// Values without bounds.

#[test]
fn a_variable_without_a_range() {
    insta::assert_snapshot!(file("X := 2\nprocess P { X := X + 1 }\nreach X == 3"), @r"
    unbounded-variable @ 1:1: say which values `X` can have
        1:1-1:2: its values have no bounds
        help: for example `X in 0..10 := 2` [1:2-1:2 -> ` in 0..10`]
    ");
}

#[test]
fn an_integer() {
    insta::assert_snapshot!(file("X : int := 2\nprocess P { X := X + 1 }\nreach X == 3"), @r"
    unbounded-type @ 1:5: `int` has no bounds
        1:5-1:8: which numbers?
        help: say from where to where, both included: `0..10`
        help: say how many bits: `bits 8` is 0 to 255, and wraps around
    ");
}

#[test]
fn a_queue_without_a_bound() {
    insta::assert_snapshot!(file("Q : queue of 0..3\nR : queue[] of bool\nX in 0..1\nprocess P { send Q(1); send R(X) }\nreach len(Q) == 3"), @r"
    unbounded-queue @ 1:5: this queue has no bound
        1:5-1:10: how many items fit in?
        help: say so, for example for two [1:10-1:10 -> `[2]`]
    unbounded-queue @ 2:10: this queue has no bound
        2:10-2:12: how many items fit in?
        help: say so, for example for two [2:10-2:12 -> `[2]`]
    ");
}

#[test]
fn a_queue_of_nothing() {
    insta::assert_snapshot!(file("Q : queue[2]\nP : queue[0] of bool\nR : queue[1000] of bool\nS : queue[2] of queue[3] of bool\nprocess P { skip }\nreach 1"), @r"
    malformed-type @ 1:13: expected `of` and the items, found the name `P`
        1:13-1:13: expected `of` here
        help: say what it holds: `queue[2] of 0..3`
    queue-capacity @ 2:11: a queue cannot hold 0 items
        2:11-2:12: 1 to 256 are possible
    queue-capacity @ 3:11: a queue cannot hold 1000 items
        3:11-3:15: 1 to 256 are possible
    malformed-type @ 4:17: the items of a queue are numbers, not queues
        4:17-4:33: expected a range, `bool`, `bits n` or the name of an `enum`
    ");
}

#[test]
fn ranges_that_are_no_ranges() {
    insta::assert_snapshot!(file("A in 3..1\nB in 0..4294967296\nC in 0,3\nD in 0\nE : bits 40\nF : bits\nG :\nprocess P { skip }\nreach A == B"), @r"
    empty-range @ 1:6: the range from 3 to 1 is empty
        1:6-1:10: the first end is larger than the second
        help: a range goes from its smallest to its largest value, both included
    range-too-large @ 2:6: the range from 0 to 4294967296 has 4294967297 values
        2:6-2:19: at most 4294967296 are possible
    malformed-range @ 3:7: the ends of a range are separated by `..`
        3:7-3:8: expected `..`
        help: write `..` [3:7-3:8 -> `..`]
    malformed-range @ 4:6: a range has two ends
        4:6-4:7: expected `..` and the other end after this
        help: a range is written `0..2`, which is 0, 1 and 2
    too-many-bits @ 5:10: a number cannot have 40 bits
        5:10-5:12: 1 to 32 are possible
    malformed-type @ 6:9: expected how many bits, found the name `G`
        6:9-6:9: expected a number here
        help: a byte is written `bits 8`
    malformed-type @ 7:4: expected which values there are, found the name `process`
        7:4-7:4: expected a type here
        help: write a range like `0..10`, `bool`, `bits 8`, or the name of an `enum`
    ");
}

#[test]
fn a_type_that_nobody_knows() {
    insta::assert_snapshot!(file("const N = 3 enum Colour { red }\nA : boole\nB : Color\nC : N\nD : unit\nprocess P { skip }\nreach A == B"), @r"
    undefined-type @ 2:5: there is no type `boole`
        2:5-2:10: not defined
        help: did you mean `bool`? [2:5-2:10 -> `bool`]
    undefined-type @ 3:5: there is no type `Color`
        3:5-3:10: not defined
        help: did you mean `Colour`? [3:5-3:10 -> `Colour`]
    undefined-type @ 4:5: there is no type `N`
        4:5-4:6: not defined
        help: a range has two ends: `0..N`
    malformed-type @ 5:5: `D` would have no values
        5:5-5:9: expected a range, `bool`, `bits n` or the name of an `enum`
    ");
}

// Declarations.

#[test]
fn first_values() {
    insta::assert_snapshot!(file("enum Colour { red, green } enum Size { small }\nA in 0..3 := 4\nB : bool = 1\nC : Colour := small\nQ : queue[2] of bool := 1\nD in 0..3 := A\nprocess P { skip }\nreach A == 1"), @r"
    first-value-out-of-range @ 2:14: `A` starts with 4, which is not one of its values
        2:14-2:15: not in 0..3
        2:6-2:10: its values
    equals-for-assignment @ 3:10: a first value is given with `:=`, not with `=`
        3:10-3:11: expected `:=`
        help: write `:=` [3:10-3:11 -> `:=`]
    wrong-enum @ 4:15: `C` is a `Colour`, and this is a `Size`
        4:15-4:20: expected a `Colour`
    queue-first-value @ 5:25: the queue `Q` is empty at first
        5:25-5:26: a queue has no first value
        help: let a process send what is to be there: `process Fill { send Q(1) }`
    not-constant @ 6:14: `A` is not a constant
        6:14-6:15: only numbers, constants and operators can stand here
        help: define it at the top of the file: `const A = 1`
    ");
}

#[test]
fn names_that_are_taken() {
    insta::assert_snapshot!(file("const N = 1\nN in 0..1\nX in 0..1\nX : bool\nx in 0..3\nenum A { a } enum A { a }\nDone : queue[2] of bool\nprocess P { skip }\nprocess P { skip }\nreach X"), @r"
    variable-shadows-constant @ 2:1: `N` is already a constant
        2:1-2:2: a variable needs a name of its own
        1:7-1:8: the constant
    duplicate-variable @ 4:1: `X` is declared twice
        4:1-4:2: again here
        3:1-3:2: first here
    declared-local @ 5:1: `x` is local to each process and starts at 0
        5:1-5:2: starts with a lowercase letter, so it is local
        help: call it `X` if all processes share it
        help: local variables are not declared: `x := 1` in a process is enough
    duplicate-enum @ 6:19: the enumeration `A` is defined twice
        6:19-6:20: again here
        6:6-6:7: first here
    duplicate-constant @ 6:23: the constant `a` is defined twice
        6:23-6:24: again here
        6:10-6:11: first here
    reserved-name @ 7:1: a queue cannot be called `Done`
        7:1-7:5: this name is taken
        help: choose another name
    duplicate-process @ 9:9: the process `P` is defined twice
        9:9-9:10: again here
        8:9-8:10: first here
    ");
}

#[test]
fn requests_are_no_processes() {
    insta::assert_snapshot!(file("X in 0..1\nrequest main { X := 1 }\nprocess P { X := 1 }\nreach X"), @r"
    request-for-process @ 2:1: there are no requests here, but processes
        2:1-2:8: expected `process`
        help: write `process` [2:1-2:8 -> `process`]
        help: requests come in any number, and stand in files that end in `.ser`
    ");
}

#[test]
fn statements_outside_of_processes() {
    insta::assert_snapshot!(file("X in 0..1\nprocess P { X := 1 } }\nawait(X == 1)\nreach X"), @r"
    stray-brace @ 2:22: this `}` closes nothing
        2:22-2:23: no `{` is open here
        2:20-2:21: the process `P` ended here
    ");
}

#[test]
fn brackets_that_are_not_closed() {
    insta::assert_snapshot!(file("enum Colour { red, green\nX in 0..1\nprocess P { if (X) { X := 1\nprocess R { X := (1 }\nreach X"), @r"
    unclosed-brace @ 1:13: this `{` is never closed
        1:13-1:14: opened here
        2:1-2:2: expected `}` before this
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
    insta::assert_snapshot!(file("X in 0..1\nprocess P:\n  X := 1\nreach X"), @r"
    colon-for-braces @ 2:10: a block stands in braces, it does not start with `:`
        2:10-2:11: expected `{`
        help: write `process P { x := 1; while (X == 1) { skip } }`
    ");
}

// Names in processes.

#[test]
fn names_that_are_not_declared() {
    insta::assert_snapshot!(process("Y := X; x := Flug; send R(1); receive X(x); y := len(q) + len(Flag)"), @r"
    undefined-name @ 2:1: `Y` is not declared
        2:1-2:2: no variable, queue or constant has this name
        help: say which values it can have: `Y in 0..10`, outside of the processes
    undefined-name @ 2:14: `Flug` is not declared
        2:14-2:18: no variable, queue or constant has this name
        help: did you mean `Flag`? [2:14-2:18 -> `Flag`]
    undefined-name @ 2:25: there is no queue `R`
        2:25-2:26: not declared
        help: a queue is declared like `R : queue[2] of 0..3`
    variable-as-queue @ 2:39: `X` is not a queue
        2:39-2:40: expected a queue
        help: a queue is declared like `X : queue[2] of 0..3`
    undefined-name @ 2:54: there is no queue `q`
        2:54-2:55: not declared
        help: a queue is declared like `q : queue[2] of 0..3`
    variable-as-queue @ 2:63: `Flag` is not a queue
        2:63-2:67: expected a queue
        help: a queue is declared like `Flag : queue[2] of 0..3`
    ");
}

#[test]
fn queues_are_no_variables() {
    insta::assert_snapshot!(process("Q := 1; x := Q + 1; receive Q(Q); send X(1)"), @r"
    queue-as-variable @ 2:1: `Q` is a queue, not a variable
        2:1-2:2: expected a variable
        help: `len(Q)` says how many items are in it
        help: `send Q(1)` and `receive Q(x)` put and take items
    queue-as-variable @ 2:14: `Q` is a queue, not a variable
        2:14-2:15: expected a variable
        help: `len(Q)` says how many items are in it
        help: `send Q(1)` and `receive Q(x)` put and take items
    queue-as-variable @ 2:31: `Q` is a queue, not a variable
        2:31-2:32: expected a variable
        help: `len(Q)` says how many items are in it
        help: `send Q(1)` and `receive Q(x)` put and take items
    variable-as-queue @ 2:40: `X` is not a queue
        2:40-2:41: expected a queue
        help: a queue is declared like `X : queue[2] of 0..3`
    ");
}

#[test]
fn constants_and_parameters_stay_as_they_are() {
    insta::assert_snapshot!(process("N := 1; id := 2; receive Q(N); red := 0"), @r"
    assign-to-constant @ 2:1: `N` is a constant and cannot be assigned
        2:1-2:2: assigned here
        1:50-1:51: the constant
    assign-to-parameter @ 2:9: `id` is a parameter and cannot be assigned
        2:9-2:11: assigned here
        1:135-1:137: the parameter
        help: copy it into another variable first: `copy := id`
    assign-to-constant @ 2:28: `N` is a constant and cannot be assigned
        2:28-2:29: assigned here
        1:50-1:51: the constant
    assign-to-constant @ 2:32: `red` is a constant and cannot be assigned
        2:32-2:35: assigned here
        1:70-1:73: the constant
    ");
}

#[test]
fn a_local_variable_that_is_always_0() {
    insta::assert_snapshot!(process("count := X; if (cuont == 3) { X := rad }"), @r"
    warning never-assigned @ 2:17: `cuont` never gets a value in this process, so it is 0
        2:17-2:22: always 0
        help: did you mean `count`? [2:17-2:22 -> `count`]
    warning never-assigned @ 2:36: `rad` never gets a value in this process, so it is 0
        2:36-2:39: always 0
        help: did you mean `red`? [2:36-2:39 -> `red`]
    ");
}

#[test]
fn true_and_false() {
    insta::assert_snapshot!(process("Flag := true; while (True) { skip }"), @r"
    true-or-false @ 2:9: there is no `true`; truth is a number
        2:9-2:13: 0 is false, anything else is true
        help: write 1 [2:9-2:13 -> `1`]
    true-or-false @ 2:22: there is no `True`; truth is a number
        2:22-2:26: 0 is false, anything else is true
        help: write 1 [2:22-2:26 -> `1`]
    ");
}

#[test]
fn members_of_the_wrong_enumeration() {
    insta::assert_snapshot!(process("Light := small; if (Light == large) { skip }; await(red == small)"), @r"
    wrong-enum @ 2:10: `Light` is a `Colour`, and this is a `Size`
        2:10-2:15: expected a `Colour`
    wrong-enum @ 2:21: a `Colour` and a `Size` have nothing in common
        2:21-2:35: members of two enumerations
        2:21-2:26: a `Colour`
        2:30-2:35: a `Size`
    wrong-enum @ 2:53: a `Colour` and a `Size` have nothing in common
        2:53-2:65: members of two enumerations
        2:53-2:56: a `Colour`
        2:60-2:65: a `Size`
    ");
}

#[test]
fn values_that_never_fit() {
    insta::assert_snapshot!(process("X := 10; X := N + 8 + id; Flag := -1"), @r"
    warning assignment-out-of-range @ 2:6: 10 is not one of the values of `X`
        2:6-2:8: not in 0..9
        help: `X` can have the values 0 to 9; this assignment never happens
    warning assignment-out-of-range @ 2:15: this is never one of the values of `X`
        2:15-2:25: from 11 to 12, and never in 0..9
        help: `X` can have the values 0 to 9; this assignment never happens
    warning assignment-out-of-range @ 2:35: -1 is not one of the values of `Flag`
        2:35-2:37: not in 0..1
        help: `Flag` can have the values 0 to 1; this assignment never happens
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
    insta::assert_snapshot!(process("X == 1; pass; X"), @r"
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
    insta::assert_snapshot!(process("while (X) { skip } X := 1 X := 2"), @r"
    missing-semicolon @ 2:26: expected `;` between two statements
        2:26-2:26: expected `;` here
        help: add it [2:26-2:26 -> `;`]
    ");
}

#[test]
fn a_block_that_is_no_statement() {
    insta::assert_snapshot!(process("{ X := 1; X := 2 }"), @r"
    expected-statement @ 2:1: expected a statement, found `{`
        2:1-2:2: unexpected block here
        help: if it is one action, write `atomic {` [2:1-2:2 -> `atomic {`]
    ");
}

#[test]
fn a_process_has_no_response() {
    insta::assert_snapshot!(process("x := (return 3); return X"), @r"
    return-in-expression @ 2:7: `return` is a statement of its own here
        2:7-2:15: not expected inside an expression
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
fn queues_are_used_with_parentheses() {
    insta::assert_snapshot!(process("send Q 1; receive Q; receive Q(1); send Q()"), @r"
    unexpected-token @ 2:8: expected `(`, found the number `1`
        2:8-2:9: expected `(`
        help: it is written like `send Q(1)`
    unexpected-token @ 2:20: expected `(`, found `;`
        2:20-2:21: expected `(`
        help: it is written like `receive Q(x)`
    expected-name @ 2:32: expected the name of a variable, found the number `1`
        2:32-2:33: what is received is put into a variable
        help: to wait for a certain item, look at it afterwards: `receive Q(x); await(x == 1)`
    expected-expression @ 2:43: expected an expression, found `)`
        2:43-2:44: expected an expression here
    ");
}

#[test]
fn loops_of_other_languages() {
    insta::assert_snapshot!(process("repeat { skip }; repeat X { skip }; repeat -1 { skip }; while X == 1 X := 2; if (X == 1) then { X := 2 } elif (X = 3) { X += 1 }; X++"), @r"
    expected-count @ 2:1: say how often this is repeated
        2:1-2:7: expected a number after this
        help: for example twice [2:7-2:7 -> ` 2`]
        help: forever is `while (1) { ... }`
    not-constant @ 2:25: `X` is not a constant
        2:25-2:26: only numbers, constants and operators can stand here
        help: define it at the top of the file: `const X = 1`
    negative-repeat @ 2:44: nothing can be repeated -1 times
        2:44-2:46: expected 0 or more
    expected-block @ 2:70: expected `{` after the condition, found the name `X`
        2:70-2:71: expected `{`
        help: write `while (...) { ... }`
    expected-block @ 2:90: expected `{` after the condition, found the name `then`
        2:90-2:94: expected `{`
        help: write `if (...) { ... }`
    misspelt-else-if @ 2:106: `elif` is written `else if`
        2:106-2:110: expected `else if`
        help: write `else if` [2:106-2:110 -> `else if`]
    equals-for-comparison @ 2:114: `=` does not compare; `==` does
        2:114-2:115: expected `==`
        help: write `==` to compare [2:114-2:115 -> `==`]
    compound-assignment @ 2:123: there is no `+=`
        2:123-2:125: unexpected
        help: write it out [2:123-2:125 -> `:= X +`]
    increment @ 2:132: there is no `++`
        2:132-2:134: unexpected
        help: write it out [2:131-2:134 -> `X := X + 1`]
    ");
}

#[test]
fn waiting_needs_parentheses() {
    insta::assert_snapshot!(process("await X == 1; await(X = 1)"), @r"
    unexpected-token @ 2:7: expected `(`, found the name `X`
        2:7-2:8: expected `(`
        help: it is written like `await(X == 1)`
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
    insta::assert_snapshot!(process("await(done(P)); done := 1; X := done"), @r"
    done-in-process @ 2:7: `done` can be asked only in `reach`
        2:7-2:14: a process cannot see this
        help: let the other process set a shared variable at its end
    ");
}

// Goals.

#[test]
fn goals_are_about_what_all_can_see() {
    insta::assert_snapshot!(file("X in 0..1\nQ : queue[1] of bool\nprocess P(id in 0..1) { x := X; send Q(x) }\nreach x == 1\nreach Y == 1 && Q\nreach done(R) || done(P(2)) || done(P[0])\nreach X = 1\nreach (X := 1)\nreach ? && true\nreach len(X)"), @r"
    local-in-goal @ 4:7: `x` is not a shared variable
        4:7-4:8: local variables cannot be seen from outside of their process
        help: copy it into a shared variable, and look at that
    undefined-name @ 5:7: `Y` is not declared
        5:7-5:8: no variable, queue or constant has this name
        help: say which values it can have: `Y in 0..10`, outside of the processes
    queue-as-variable @ 5:17: `Q` is a queue, not a variable
        5:17-5:18: expected a variable
        help: `len(Q)` says how many items are in it
        help: `send Q(1)` and `receive Q(x)` put and take items
    undefined-name @ 6:12: there is no process `R`
        6:12-6:13: not defined
    undefined-name @ 6:23: there is no process `P(2)`
        6:23-6:27: its parameters have no such values
        3:9-3:10: defined here
    unexpected-token @ 6:39: one of several processes is written with its parameters
        6:39-6:40: unexpected index here
        help: write `done(P(0))`
    equals-for-comparison @ 7:9: `=` does not compare; `==` does
        7:9-7:10: expected `==`
        help: write `==` to compare [7:9-7:10 -> `==`]
    not-a-condition @ 8:8: an assignment cannot stand here
        8:8-8:14: only variables, constants, numbers and operators can
        help: to compare, write `==`
    not-a-condition @ 9:7: `?` cannot stand here
        9:7-9:8: only variables, constants, numbers and operators can
    true-or-false @ 9:12: there is no `true`; truth is a number
        9:12-9:16: 0 is false, anything else is true
        help: write 1 [9:12-9:16 -> `1`]
    variable-as-queue @ 10:11: `X` is not a queue
        10:11-10:12: expected a queue
        help: a queue is declared like `X : queue[2] of 0..3`
    ");
}

#[test]
fn a_goal_with_a_name_needs_a_colon() {
    insta::assert_snapshot!(file("X in 0..1\nprocess P { X := 1 }\nreach \"one\" X == 1\nreach"), @r"
    malformed-goal @ 3:12: expected `:` and a condition, found the name `X`
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
