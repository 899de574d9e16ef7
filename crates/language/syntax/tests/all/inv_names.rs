//! What the tool says about models of threads with names and procedures that are wrong: one row per
//! mistake, shown as in `diagnostics.rs`.

use crate::shared::threads::{body, file};

// Names.

#[test]
fn an_unknown_variable() {
    insta::assert_snapshot!(body("v := 1;"), @"
    unknown-name @ 2:1: there is no variable `v`
        2:1-2:2: not known here
        help: declare it: `var v: int` at top level, or at the start of the body
    ");
}

#[test]
fn a_misspelt_variable() {
    insta::assert_snapshot!(body("xx := ss;"), @r"
    unknown-name @ 2:1: there is no variable `xx`
        2:1-2:3: not known here
        help: did you mean `x`? [2:1-2:3 -> `x`]
    unknown-name @ 2:7: there is no variable `ss`
        2:7-2:9: not known here
        help: did you mean `as`? [2:7-2:9 -> `as`]
    ");
}

#[test]
fn a_variable_with_a_similar_name() {
    insta::assert_snapshot!(body("s := zs;"), @r"
    unknown-name @ 2:6: there is no variable `zs`
        2:6-2:8: not known here
        help: did you mean `as`? [2:6-2:8 -> `as`]
    ");
}

#[test]
fn a_local_of_another_procedure() {
    insta::assert_snapshot!(body("x := n;"), @"
    local-of-other-procedure @ 2:6: `n` belongs to `p`
        2:6-2:7: not known here
        1:143-1:144: declared here
        help: hand it over as an argument or a result, or declare it at top level
    ");
}

#[test]
fn a_procedure_as_a_value() {
    insta::assert_snapshot!(body("x := p;"), @"
    procedure-as-value @ 2:6: `p` is a procedure, not a value
        2:6-2:7: expected a value
        1:141-1:142: declared here
        help: to call it, write `x := p(...)` as a statement
        help: that a thread is in it: `at(i, p)`
    ");
}

#[test]
fn a_procedure_as_a_function() {
    insta::assert_snapshot!(body("x := p(1);"), @"");
}

#[test]
fn an_assigned_procedure() {
    insta::assert_snapshot!(body("p := 1;"), @"
    not-assignable @ 2:1: `p` is a procedure and cannot be assigned
        2:1-2:2: expected a variable or a field
        1:141-1:142: declared here
    ");
}

#[test]
fn an_assigned_thread() {
    insta::assert_snapshot!(body("self := t;"), @"
    not-assignable @ 2:1: `self` cannot be assigned
        2:1-2:5: this is the thread itself
    ");
}

#[test]
fn an_assigned_value() {
    insta::assert_snapshot!(body("(x + 1) := 2;"), @"
    not-assignable @ 2:1: only a variable can be assigned to
        2:1-2:8: this is not a variable
        2:9-2:11: assigned here
        help: leave the parentheses out: `x := 1`
    ");
}

#[test]
fn a_place_as_a_value() {
    insta::assert_snapshot!(body("x := here;"), @"
    unknown-name @ 2:6: there is no variable `here`
        2:6-2:10: not known here
        help: declare it: `var here: int` at top level, or at the start of the body
    ");
}

#[test]
fn an_assigned_local_with_an_index() {
    insta::assert_snapshot!(body("z[t] := 1;"), @"
    index-in-statement @ 2:1: a thread sees its own locals only, without an index
        2:1-2:5: unexpected `[`
        help: for the own `z` [2:1-2:5 -> `z`]
        help: what several threads see is declared at top level
    ");
}

#[test]
fn a_call_of_a_variable() {
    insta::assert_snapshot!(body("x(1);"), @"
    unknown-procedure @ 2:1: there is no procedure `x`
        2:1-2:2: not known here
        help: declare it at top level: `fn x() { ... }`
    ");
}

#[test]
fn an_unknown_procedure() {
    insta::assert_snapshot!(body("pp();"), @"
    unknown-procedure @ 2:1: there is no procedure `pp`
        2:1-2:3: not known here
        help: did you mean `p`? [2:1-2:3 -> `p`]
    ");
}

#[test]
fn a_call_of_thread() {
    insta::assert_snapshot!(body("thread();"), @"
    unknown-procedure @ 2:1: there is no procedure `thread`
        2:1-2:7: not known here
        help: declare it at top level: `fn thread() { ... }`
    ");
}

#[test]
fn a_call_with_too_few_arguments() {
    insta::assert_snapshot!(body("z := p();"), @"
    wrong-number-of-arguments @ 2:6: `p` takes 1 argument, found 0
        2:6-2:7: called with 0
        1:141-1:142: declared here
    ");
}

#[test]
fn a_call_with_too_many_arguments() {
    insta::assert_snapshot!(body("q(1, 2);"), @"
    wrong-number-of-arguments @ 2:1: `q` takes no arguments, found 2
        2:1-2:2: called with 2
        1:179-1:180: declared here
    ");
}

#[test]
fn a_call_with_an_argument_of_another_type() {
    insta::assert_snapshot!(body("z := p(a);"), @"
    type-mismatch @ 2:8: expected a number, found an address
        2:8-2:9: this is an address (`addr`)
    ");
}

#[test]
fn a_result_where_there_is_none() {
    insta::assert_snapshot!(body("z := q();"), @"
    no-result @ 2:6: `q` has no result
        2:6-2:7: nothing to assign
        1:179-1:180: declared here
        help: give it one: `fn p(): int { ...; return 1 }`
    ");
}

#[test]
fn a_result_of_another_type() {
    insta::assert_snapshot!(body("a := p(1);"), @"
    type-mismatch @ 2:6: expected an address, found a number
        2:6-2:7: this is a number (`int`)
        2:1-2:2: to be assigned to this, an address
    ");
}

#[test]
fn a_value_after_return_in_a_thread() {
    insta::assert_snapshot!(body("return 1;"), @"
    unexpected-result @ 2:8: a thread has no result
        2:8-2:9: unexpected value
        1:214-1:220: declared here
        help: `return` ends it
    ");
}

#[test]
fn statements_behind_return() {
    insta::assert_snapshot!(body("return; x := 1; y := 2;"), @r"
    unreachable @ 2:9: no thread ever comes here
        2:9-2:15: never done
        2:1-2:7: it ends here
        help: leave it out, or move it
    ");
}

#[test]
fn statements_behind_a_loop() {
    insta::assert_snapshot!(body("loop { skip; } x := 1;"), @r"
    unreachable @ 2:16: no thread ever comes here
        2:16-2:22: never done
        2:1-2:5: this goes on forever
        help: leave it out, or move it
    ");
}

#[test]
fn statements_behind_branches_that_end() {
    insta::assert_snapshot!(body("if b { return; } else { loop { skip; } } l: { x := 1; }"), @"
    unreachable @ 2:47: no thread ever comes here
        2:47-2:53: never done
        2:1-2:5: all branches end here
        help: leave it out, or move it
    ");
}

#[test]
fn an_empty_label() {
    insta::assert_snapshot!(body("l: { }"), @"
    empty-label @ 2:1: there is nothing in the place `l`
        2:1-2:2: names no place
        help: such a name is for the statements in its braces
    ");
}

#[test]
fn places_with_the_same_name() {
    insta::assert_snapshot!(body("l: skip; l: { skip; }"), @"
    name-clash @ 2:10: the name `l` is taken
        2:10-2:11: used again here
        2:1-2:2: first used here
        help: choose another name
    ");
}

#[test]
fn a_label_with_the_name_of_a_place_inside() {
    insta::assert_snapshot!(body("l: { l: skip; }"), @"
    name-clash @ 2:6: the name `l` is taken
        2:6-2:7: used again here
        2:1-2:2: first used here
        help: choose another name
    ");
}

#[test]
fn a_place_with_the_name_of_a_procedure() {
    insta::assert_snapshot!(body("q: skip;"), @"
    name-clash @ 2:1: the name `q` is taken
        2:1-2:2: used again here
        1:179-1:180: first used here
        help: choose another name
    ");
}

#[test]
fn a_local_with_an_index() {
    insta::assert_snapshot!(body("x := z[self];"), @"
    index-in-statement @ 2:6: a thread sees its own locals only, without an index
        2:6-2:13: unexpected `[`
        help: for the own `z` [2:6-2:13 -> `z`]
        help: what several threads see is declared at top level
    ");
}

#[test]
fn an_index_that_looks_like_an_array() {
    insta::assert_snapshot!(body("x := y[1];"), @"
    index-in-statement @ 2:6: `y` has no index: there are no arrays
        2:6-2:10: unexpected `[`
        help: there are sets, like `set of int`
    ");
}

#[test]
fn where_others_are() {
    insta::assert_snapshot!(body("await at(t, here);"), @"
    at-in-statement @ 2:7: a thread does not see where others are
        2:7-2:18: `at` stands in invariants only
        help: let threads say it in a variable, for example `busy := busy + 1`
    ");
}

#[test]
fn names_that_are_taken() {
    insta::assert_snapshot!(file("var x: int; var x: bool; fn x() { skip; } fn x = 1; fn y(a: int, a: int) { var a: int; var x: int; skip; } set Threads  process thread for self in Threads { y(1, 2); }\ninvariant t(i, i, x): true; invariant t: true;"), @"
    name-clash @ 1:17: the name `x` is taken
        1:17-1:18: used again here
        1:5-1:6: first used here
        help: choose another name
    name-clash @ 1:29: the name `x` is taken
        1:29-1:30: used again here
        1:5-1:6: first used here
        help: choose another name
    warning uncalled-procedure @ 1:29: the procedure `x` is never called
        1:29-1:30: no thread ever comes here
        help: call it with `x(...)`, or leave it out
    name-clash @ 1:46: the name `x` is taken
        1:46-1:47: used again here
        1:5-1:6: first used here
        help: choose another name
    name-clash @ 1:66: the name `a` is taken
        1:66-1:67: used again here
        1:58-1:59: first used here
        help: choose another name
    name-clash @ 1:80: the name `a` is taken
        1:80-1:81: used again here
        1:58-1:59: first used here
        help: choose another name
    name-clash @ 1:92: the name `x` is taken
        1:92-1:93: used again here
        1:5-1:6: first used here
        help: choose another name
    name-clash @ 2:16: the name `i` is taken
        2:16-2:17: used again here
        2:13-2:14: first used here
        help: choose another name
    name-clash @ 2:19: the name `x` is taken
        2:19-2:20: used again here
        1:5-1:6: first used here
        help: choose another name
    name-clash @ 2:39: the name `t` is taken
        2:39-2:40: used again here
        2:11-2:12: first used here
        help: choose another name
    ");
}

#[test]
fn an_assigned_shorthand() {
    insta::assert_snapshot!(file("fn two = 2; set Threads  process thread for self in Threads { two := 3; } invariant t: true;"), @"
    not-assignable @ 1:63: `two` is a shorthand and cannot be assigned
        1:63-1:66: expected a variable or a field
        1:4-1:7: declared here
    ");
}

#[test]
fn conjuncts_with_the_same_name() {
    insta::assert_snapshot!(file("set Threads  process thread for self in Threads { skip; } invariant t { a: true; b: true; a: false; }"), @"
    name-clash @ 1:91: the name `a` is taken
        1:91-1:92: used again here
        1:73-1:74: first used here
        help: choose another name
    ");
}

#[test]
fn a_shorthand_in_a_statement() {
    insta::assert_snapshot!(file("fn two = 2; var x: int; set Threads  process thread for self in Threads { x := two; } invariant t: true;"), @"
    let-in-statement @ 1:80: `two` is a shorthand for invariants
        1:80-1:83: not expected here
        1:4-1:7: declared here
        help: write it out
    ");
}

#[test]
fn too_many_of_everything() {
    insta::assert_snapshot!(file("set Threads == 2  process thread for self in Threads { skip; } set Threads == 2  process thread for self in Threads { skip; } proof { } proof { } invariant t: true;"), @"
    declared-twice @ 1:68: all threads are members of one set
        1:68-1:75: a second set
        1:1-1:17: the first one
    declared-twice @ 1:90: all threads run the same code
        1:90-1:96: a second process
        1:27-1:33: the first one
        help: let them choose with `choose { ... } or { ... }`
    declared-twice @ 1:137: `proof` stands in this file twice
        1:137-1:142: the second time
        1:127-1:132: the first time
        help: put all entries into one `proof { ... }`
    ");
}

#[test]
fn no_threads_at_all() {
    insta::assert_snapshot!(file("set Threads == 0  process thread for self in Threads { skip; } invariant t: true;"), @"
    thread-count @ 1:16: the number of threads is from 1 to 64
        1:16-1:17: nobody would do anything
        help: for any number of threads, write `set Threads`
    ");
}

#[test]
fn too_many_threads() {
    insta::assert_snapshot!(file("set Threads == 65  process thread for self in Threads { skip; } invariant t: true;"), @"
    thread-count @ 1:16: the number of threads is from 1 to 64
        1:16-1:18: too many
        help: for any number of threads, write `set Threads`
    ");
}

#[test]
fn a_parameter_too_many() {
    insta::assert_snapshot!(file("set Threads  process thread for self in Threads { skip; } invariant t(i, j, k, l, m): i == m;"), @"
    too-many-parameters @ 1:83: at most 4 threads can be spoken of at once
        1:83-1:84: one too many
        help: split it into several invariants
    ");
}

#[test]
fn a_procedure_without_its_result() {
    insta::assert_snapshot!(file("fn p(x: int): int { if x == 1 { return 2; } } set Threads  process thread for self in Threads { p(1); } invariant t: true;"), @"
    missing-return @ 1:45: `p` can end without a result
        1:45-1:46: expected `return` and a value before this
        1:15-1:18: the result is a number
    ");
}

#[test]
fn a_return_without_its_result() {
    insta::assert_snapshot!(file("fn p(): int { return; } set Threads  process thread for self in Threads { p(); } invariant t: true;"), @"
    missing-result @ 1:15: expected a number behind `return`
        1:15-1:21: there is no value
        1:9-1:12: the type of the result
    ");
}

#[test]
fn a_return_with_a_result_that_nobody_wants() {
    insta::assert_snapshot!(file("fn p() { return 1; } set Threads  process thread for self in Threads { p(); } invariant t: true;"), @"
    unexpected-result @ 1:17: the procedure `p` has no result
        1:17-1:18: unexpected value
        1:4-1:5: declared here
        help: declare its type: `fn p(...): int { ... }`
    ");
}

#[test]
fn a_result_of_another_type_than_declared() {
    insta::assert_snapshot!(file("fn p(): int { return true; } set Threads  process thread for self in Threads { p(); } invariant t: true;"), @"
    type-mismatch @ 1:22: expected a number, found a truth value
        1:22-1:26: this is a truth value (`bool`)
    ");
}

#[test]
fn a_procedure_that_calls_itself() {
    insta::assert_snapshot!(file("fn p() { p(); } set Threads  process thread for self in Threads { p(); } invariant t: true;"), @"
    recursion @ 1:10: the procedure `p` calls itself
        1:10-1:11: this call closes a circle
        help: every procedure has one set of locals for each thread, so that no call can be inside another of itself
        help: use `while c { ... }`
    ");
}

#[test]
fn procedures_that_call_each_other() {
    insta::assert_snapshot!(file("fn p() { q(); } fn q() { r(); } fn r() { p(); } set Threads  process thread for self in Threads { p(); } invariant t: true;"), @"
    recursion @ 1:10: procedures call each other in a circle: `p`, `q`, `r`, `p`
        1:10-1:11: this call closes a circle
        1:26-1:27: called by `q` here
        1:42-1:43: called by `r` here
        help: every procedure has one set of locals for each thread, so that no call can be inside another of itself
        help: use `while c { ... }`
    ");
}

#[test]
fn a_procedure_that_nobody_calls() {
    insta::assert_snapshot!(file("fn p(x: int) { here: skip; } set Threads  process thread for self in Threads { skip; } invariant t(i): at(i, here) -> x[i] == 1;"), @"
    warning uncalled-procedure @ 1:4: the procedure `p` is never called
        1:4-1:5: no thread ever comes here
        help: call it with `p(...)`, or leave it out
    uncalled-procedure @ 1:110: the procedure `p` is never called
        1:110-1:114: a part of it is mentioned here
        help: call it with `p(...)`, or leave this out
    uncalled-procedure @ 1:119: the procedure `p` is never called
        1:119-1:120: a part of it is mentioned here
        help: call it with `p(...)`, or leave this out
    ");
}

// The start.

#[test]
fn an_initial_value_that_speaks_of_threads() {
    insta::assert_snapshot!(file("var x: Threads = self; var y: int = z; var w: int = z[i]; set Threads  process thread for self in Threads { var z: int; var v: int = z; skip; } invariant t: true;"), @"
    me-outside-statements @ 1:18: nobody is `self` here
        1:18-1:22: `self` is the thread that does a step
        help: this is about the start, before any thread does anything
    local-at-start @ 1:37: `z` is a local: every thread has its own
        1:37-1:38: only globals can be mentioned here
        1:113-1:114: declared here
        help: give it a value where it is declared: `var z: int = ...`
    thread-at-start @ 1:53: threads cannot be spoken of here
        1:53-1:57: the local of a thread
        help: this is about globals and the heap at the start
        help: initial values of locals stand where they are declared
    local-at-start @ 1:134: `z` is a local: every thread has its own
        1:134-1:135: only globals can be mentioned here
        1:113-1:114: declared here
        help: give it a value where it is declared: `var z: int = ...`
    ");
}

#[test]
fn an_assumption_about_threads() {
    insta::assert_snapshot!(file("var x: int; var c: Threads; fn p(i) = z[i] == 1; fn q = at(c, s); assume x == z; assume z[c] == 1; assume at(c, s); assume q; assume self == c; set Threads  process thread for self in Threads { var z: int; s: skip; } invariant t: true;"), @"
    local-at-start @ 1:79: `z` is a local: every thread has its own
        1:79-1:80: only globals can be mentioned here
        1:199-1:200: declared here
        help: give it a value where it is declared: `var z: int = ...`
    thread-at-start @ 1:89: threads cannot be spoken of here
        1:89-1:93: the local of a thread
        help: this is about globals and the heap at the start
        help: initial values of locals stand where they are declared
    thread-at-start @ 1:107: threads cannot be spoken of here
        1:107-1:115: where a thread is
        help: at the start every thread is at the first statement of its process
    thread-at-start @ 1:124: threads cannot be spoken of here
        1:124-1:125: this is about threads
        1:53-1:54: declared here
        help: an assumption is about globals and the heap at the start
    me-outside-statements @ 1:134: nobody is `self` here
        1:134-1:138: `self` is the thread that does a step
        help: this is about the start, before any thread does anything
    ");
}
