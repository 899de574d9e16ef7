//! What the tool says about `.inv` files with names and procedures that are wrong: one row per mistake, shown as in
//! `diagnostics.rs`.

use crate::shared;

use ser_editing::inv::parse;

/// The messages about a file.
fn file(text: &str) -> String {
    shared::messages(text, &parse(text).diagnostics)
}

/// The messages about the statements of a body, which start at column 1 of line 2.
fn body(statements: &str) -> String {
    file(&format!(
        "global x, y : int; global b : bool; global t : tid; global a : addr; global e : elem; global s : set<int>; global as : set<addr>; ghost global g : int; proc p(n : int) : int {{ here: return n; }} proc q() {{ skip; }} thread {{ local z : int; local w : addr; ghost local h : set<int>; w: z := call p(1); call q();\n{statements}\n}} invariant i() = true;"
    ))
}

// Names.

#[test]
fn an_unknown_variable() {
    insta::assert_snapshot!(body("v := 1;"), @r"
    unknown-name @ 2:1: there is no variable `v`
        2:1-2:2: not known here
        help: declare it: `global v : int;` at top level, or `local v : int;` at the start of the body
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
    insta::assert_snapshot!(body("x := n;"), @r"
    local-of-other-procedure @ 2:6: `n` belongs to `p`
        2:6-2:7: not known here
        1:160-1:161: declared here
        help: hand it over as an argument or a result, or make it `global`
    ");
}

#[test]
fn a_procedure_as_a_value() {
    insta::assert_snapshot!(body("x := p;"), @r"
    procedure-as-value @ 2:6: `p` is a procedure, not a value
        2:6-2:7: expected a value
        1:158-1:159: declared here
        help: to call it, write `x := call p(...);` as a statement
        help: that a thread is in it: `at(i, p)`
    ");
}

#[test]
fn a_procedure_as_a_function() {
    insta::assert_snapshot!(body("x := p(1);"), @r"
    not-a-function @ 2:6: `p` is a procedure, not a value
        2:6-2:7: unexpected `(` behind this
        1:158-1:159: declared here
        help: to call it, write `x := call p(...);` as a statement
    ");
}

#[test]
fn an_assigned_procedure() {
    insta::assert_snapshot!(body("p := 1;"), @r"
    not-assignable @ 2:1: `p` is a procedure and cannot be assigned
        2:1-2:2: expected a variable or a field
        1:158-1:159: declared here
    ");
}

#[test]
fn an_assigned_thread() {
    insta::assert_snapshot!(body("me := t;"), @r"
    not-assignable @ 2:1: `me` cannot be assigned
        2:1-2:3: expected a variable or a field
        help: assign a variable (`x := 1;`) or a field (`a.next := b;`)
    ");
}

#[test]
fn an_assigned_value() {
    insta::assert_snapshot!(body("(x + 1) := 2;"), @r"
    not-assignable @ 2:1: this cannot be assigned
        2:1-2:8: expected a variable or a field
        help: assign a variable (`x := 1;`) or a field (`a.next := b;`)
    ");
}

#[test]
fn a_place_as_a_value() {
    insta::assert_snapshot!(body("x := here;"), @r"
    unknown-name @ 2:6: there is no variable `here`
        2:6-2:10: not known here
        help: declare it: `global here : int;` at top level, or `local here : int;` at the start of the body
    ");
}

#[test]
fn an_assigned_local_with_an_index() {
    insta::assert_snapshot!(body("z[t] := 1;"), @r"
    index-in-statement @ 2:1: a thread sees its own locals only, without an index
        2:1-2:5: unexpected `[`
        help: for the own `z` [2:1-2:5 -> `z`]
        help: what several threads see is `global`
    ");
}

#[test]
fn a_call_of_a_variable() {
    insta::assert_snapshot!(body("call x(1);"), @r"
    not-a-procedure @ 2:6: `x` is not a procedure
        2:6-2:7: cannot be called
        1:8-1:9: declared here
    ");
}

#[test]
fn an_unknown_procedure() {
    insta::assert_snapshot!(body("call pp();"), @r"
    unknown-procedure @ 2:6: there is no procedure `pp`
        2:6-2:8: not known here
        help: did you mean `p`? [2:6-2:8 -> `p`]
    ");
}

#[test]
fn a_call_of_thread() {
    insta::assert_snapshot!(body("call thread();"), @r"
    call-of-thread @ 2:6: `thread` cannot be called
        2:6-2:12: this is what every thread does
        help: to do it again, put a `loop { ... }` around it
    ");
}

#[test]
fn a_call_with_too_few_arguments() {
    insta::assert_snapshot!(body("z := call p();"), @r"
    wrong-number-of-arguments @ 2:11: `p` takes 1 argument, found 0
        2:11-2:12: called with 0
        1:158-1:159: declared here
    ");
}

#[test]
fn a_call_with_too_many_arguments() {
    insta::assert_snapshot!(body("call q(1, 2);"), @r"
    wrong-number-of-arguments @ 2:6: `q` takes no arguments, found 2
        2:6-2:7: called with 2
        1:200-1:201: declared here
    ");
}

#[test]
fn a_call_with_an_argument_of_another_type() {
    insta::assert_snapshot!(body("z := call p(a);"), @r"
    type-mismatch @ 2:13: expected a number, found an address
        2:13-2:14: this is an address (`addr`)
    ");
}

#[test]
fn a_result_where_there_is_none() {
    insta::assert_snapshot!(body("z := call q();"), @r"
    no-result @ 2:11: `q` has no result
        2:11-2:12: nothing to assign
        1:200-1:201: declared here
        help: give it one: `proc p() : int { ... return 1; }`
    ");
}

#[test]
fn a_result_of_another_type() {
    insta::assert_snapshot!(body("a := call p(1);"), @r"
    type-mismatch @ 2:11: expected an address, found a number
        2:11-2:12: this is a number (`int`)
        2:1-2:2: to be assigned to this, an address
    ");
}

#[test]
fn a_value_after_return_in_a_thread() {
    insta::assert_snapshot!(body("return 1;"), @r"
    unexpected-result @ 2:8: a thread has no result
        2:8-2:9: unexpected value
        1:214-1:220: declared here
        help: `return;` ends it
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
    insta::assert_snapshot!(body("if b { return; } else { loop { skip; } } label l { x := 1; }"), @r"
    unreachable @ 2:52: no thread ever comes here
        2:52-2:58: never done
        2:1-2:5: all branches end here
        help: leave it out, or move it
    ");
}

#[test]
fn an_empty_label() {
    insta::assert_snapshot!(body("label l { }"), @r"
    empty-label @ 2:7: there is nothing in the label `l`
        2:7-2:8: names no place
        help: a label is around the statements that it names
    ");
}

#[test]
fn places_with_the_same_name() {
    insta::assert_snapshot!(body("l: skip; label l { skip; }"), @r"
    name-clash @ 2:16: the name `l` is taken
        2:16-2:17: used again here
        2:1-2:2: first used here
        help: choose another name
    ");
}

#[test]
fn a_label_with_the_name_of_a_place_inside() {
    insta::assert_snapshot!(body("label l { l: skip; }"), @r"
    name-clash @ 2:11: the name `l` is taken
        2:11-2:12: used again here
        2:7-2:8: first used here
        help: choose another name
    ");
}

#[test]
fn a_place_with_the_name_of_a_procedure() {
    insta::assert_snapshot!(body("q: skip;"), @r"
    name-clash @ 2:1: the name `q` is taken
        2:1-2:2: used again here
        1:200-1:201: first used here
        help: choose another name
    ");
}

#[test]
fn a_local_with_an_index() {
    insta::assert_snapshot!(body("x := z[me];"), @r"
    index-in-statement @ 2:6: a thread sees its own locals only, without an index
        2:6-2:11: unexpected `[`
        help: for the own `z` [2:6-2:11 -> `z`]
        help: what several threads see is `global`
    ");
}

#[test]
fn an_index_that_looks_like_an_array() {
    insta::assert_snapshot!(body("x := y[1];"), @r"
    index-in-statement @ 2:6: `y` has no index: there are no arrays
        2:6-2:10: unexpected `[`
        help: there are sets, like `set<int>`
    ");
}

#[test]
fn where_others_are() {
    insta::assert_snapshot!(body("await at(t, here);"), @r"
    at-in-statement @ 2:7: a thread does not see where others are
        2:7-2:18: `at` stands in invariants only
        help: let threads say it in a variable, for example `busy := busy + {me};`
    ");
}

#[test]
fn names_that_are_taken() {
    insta::assert_snapshot!(file("global x : int; global x : bool; proc x() { skip; } let x = 1; proc y(a : int, a : int) { local a : int; local x : int; skip; } thread { call y(1, 2); }\ninvariant t(i, i, x) = true; invariant t() = true;"), @r"
    name-clash @ 1:24: the name `x` is taken
        1:24-1:25: used again here
        1:8-1:9: first used here
        help: choose another name
    name-clash @ 1:39: the name `x` is taken
        1:39-1:40: used again here
        1:8-1:9: first used here
        help: choose another name
    warning uncalled-procedure @ 1:39: the procedure `x` is never called
        1:39-1:40: no thread ever comes here
        help: call it with `call x(...);`, or leave it out
    name-clash @ 1:57: the name `x` is taken
        1:57-1:58: used again here
        1:8-1:9: first used here
        help: choose another name
    name-clash @ 1:80: the name `a` is taken
        1:80-1:81: used again here
        1:71-1:72: first used here
        help: choose another name
    name-clash @ 1:97: the name `a` is taken
        1:97-1:98: used again here
        1:71-1:72: first used here
        help: choose another name
    name-clash @ 1:112: the name `x` is taken
        1:112-1:113: used again here
        1:8-1:9: first used here
        help: choose another name
    name-clash @ 2:16: the name `i` is taken
        2:16-2:17: used again here
        2:13-2:14: first used here
        help: choose another name
    name-clash @ 2:19: the name `x` is taken
        2:19-2:20: used again here
        1:8-1:9: first used here
        help: choose another name
    name-clash @ 2:40: the name `t` is taken
        2:40-2:41: used again here
        2:11-2:12: first used here
        help: choose another name
    ");
}

#[test]
fn an_assigned_shorthand() {
    insta::assert_snapshot!(file("let two = 2; thread { two := 3; } invariant t() = true;"), @r"
    not-assignable @ 1:23: `two` is a shorthand and cannot be assigned
        1:23-1:26: expected a variable or a field
        1:5-1:8: declared here
    ");
}

#[test]
fn conjuncts_with_the_same_name() {
    insta::assert_snapshot!(file("thread { skip; } invariant t() { a: true; b: true; a: false; }"), @r"
    name-clash @ 1:52: the name `a` is taken
        1:52-1:53: used again here
        1:34-1:35: first used here
        help: choose another name
    ");
}

#[test]
fn a_shorthand_in_a_statement() {
    insta::assert_snapshot!(file("let two = 2; global x : int; thread { x := two; } invariant t() = true;"), @r"
    let-in-statement @ 1:44: `two` is a shorthand for invariants
        1:44-1:47: not expected here
        1:5-1:8: declared here
        help: write it out
    ");
}

#[test]
fn too_many_of_everything() {
    insta::assert_snapshot!(file("system a; system b; threads 2; threads 3; thread { skip; } thread { skip; } proof { } proof { } invariant t() = true;"), @r"
    declared-twice @ 1:18: `system` stands in this file twice
        1:18-1:19: the second time
        1:8-1:9: the first time
        help: leave one of them out
    declared-twice @ 1:40: `threads` stands in this file twice
        1:40-1:41: the second time
        1:29-1:30: the first time
        help: leave one of them out
    declared-twice @ 1:60: `thread` stands in this file twice
        1:60-1:66: the second time
        1:43-1:49: the first time
        help: all threads run the same code; let them choose with `choice { ... } or { ... }`
    declared-twice @ 1:87: `proof` stands in this file twice
        1:87-1:92: the second time
        1:77-1:82: the first time
        help: put all entries into one `proof { ... }`
    ");
}

#[test]
fn no_threads_at_all() {
    insta::assert_snapshot!(file("threads 0; thread { skip; } invariant t() = true;"), @r"
    thread-count @ 1:9: the number of threads is from 1 to 64
        1:9-1:10: nobody would do anything
        help: for any number of threads, leave `threads` out
    ");
}

#[test]
fn too_many_threads() {
    insta::assert_snapshot!(file("threads 65; thread { skip; } invariant t() = true;"), @r"
    thread-count @ 1:9: the number of threads is from 1 to 64
        1:9-1:11: too many
        help: for any number of threads, leave `threads` out
    ");
}

#[test]
fn a_parameter_too_many() {
    insta::assert_snapshot!(file("thread { skip; } invariant t(i, j, k, l, m) = i == m;"), @r"
    too-many-parameters @ 1:42: at most 4 threads can be spoken of at once
        1:42-1:43: one too many
        help: split it into several invariants
    ");
}

#[test]
fn a_procedure_without_its_result() {
    insta::assert_snapshot!(file("proc p(x : int) : int { if x == 1 { return 2; } } thread { call p(1); } invariant t() = true;"), @r"
    missing-return @ 1:49: `p` can end without a result
        1:49-1:50: expected `return` and a value before this
        1:19-1:22: the result is a number
    ");
}

#[test]
fn a_return_without_its_result() {
    insta::assert_snapshot!(file("proc p() : int { return; } thread { call p(); } invariant t() = true;"), @r"
    missing-result @ 1:18: expected a number behind `return`
        1:18-1:24: there is no value
        1:12-1:15: the type of the result
    ");
}

#[test]
fn a_return_with_a_result_that_nobody_wants() {
    insta::assert_snapshot!(file("proc p() { return 1; } thread { call p(); } invariant t() = true;"), @r"
    unexpected-result @ 1:19: the procedure `p` has no result
        1:19-1:20: unexpected value
        1:6-1:7: declared here
        help: declare its type: `proc p(...) : int { ... }`
    ");
}

#[test]
fn a_result_of_another_type_than_declared() {
    insta::assert_snapshot!(file("proc p() : int { return true; } thread { call p(); } invariant t() = true;"), @r"
    type-mismatch @ 1:25: expected a number, found a truth value
        1:25-1:29: this is a truth value (`bool`)
    ");
}

#[test]
fn a_procedure_that_calls_itself() {
    insta::assert_snapshot!(file("proc p() { call p(); } thread { call p(); } invariant t() = true;"), @r"
    recursion @ 1:17: the procedure `p` calls itself
        1:17-1:18: this call closes a circle
        help: every procedure has one set of locals for each thread, so that no call can be inside another of itself
        help: use `while c { ... }`
    ");
}

#[test]
fn procedures_that_call_each_other() {
    insta::assert_snapshot!(file("proc p() { call q(); } proc q() { call r(); } proc r() { call p(); } thread { call p(); } invariant t() = true;"), @r"
    recursion @ 1:17: procedures call each other in a circle: `p`, `q`, `r`, `p`
        1:17-1:18: this call closes a circle
        1:40-1:41: called by `q` here
        1:63-1:64: called by `r` here
        help: every procedure has one set of locals for each thread, so that no call can be inside another of itself
        help: use `while c { ... }`
    ");
}

#[test]
fn a_procedure_that_nobody_calls() {
    insta::assert_snapshot!(file("proc p(x : int) { here: skip; } thread { skip; } invariant t(i) = at(i, here) -> x[i] == 1;"), @r"
    warning uncalled-procedure @ 1:6: the procedure `p` is never called
        1:6-1:7: no thread ever comes here
        help: call it with `call p(...);`, or leave it out
    uncalled-procedure @ 1:73: the procedure `p` is never called
        1:73-1:77: a part of it is mentioned here
        help: call it with `call p(...);`, or leave this out
    uncalled-procedure @ 1:82: the procedure `p` is never called
        1:82-1:83: a part of it is mentioned here
        help: call it with `call p(...);`, or leave this out
    ");
}

// The start.

#[test]
fn an_initial_value_that_speaks_of_threads() {
    insta::assert_snapshot!(file("global x : tid = me; global y : int = z; global w : int = z[i]; thread { local z : int; local v : int = z; skip; } invariant t() = true;"), @r"
    me-outside-statements @ 1:18: nobody is `me` here
        1:18-1:20: `me` is the thread that does a step
        help: this is about the start, before any thread does anything
    local-at-start @ 1:39: `z` is a local: every thread has its own
        1:39-1:40: only globals can be mentioned here
        1:80-1:81: declared here
        help: give it a value where it is declared: `local z : int = ...;`
    thread-at-start @ 1:59: threads cannot be spoken of here
        1:59-1:63: the local of a thread
        help: this is about globals and the heap at the start
        help: initial values of locals stand where they are declared
    local-at-start @ 1:105: `z` is a local: every thread has its own
        1:105-1:106: only globals can be mentioned here
        1:80-1:81: declared here
        help: give it a value where it is declared: `local z : int = ...;`
    ");
}

#[test]
fn an_assumption_about_threads() {
    insta::assert_snapshot!(file("global x : int; global c : tid; let p(i) = z[i] == 1; let q = at(c, s); assume x == z; assume z[c] == 1; assume at(c, s); assume q; assume me == c; thread { local z : int; s: skip; } invariant t() = true;"), @r"
    local-at-start @ 1:85: `z` is a local: every thread has its own
        1:85-1:86: only globals can be mentioned here
        1:164-1:165: declared here
        help: give it a value where it is declared: `local z : int = ...;`
    thread-at-start @ 1:95: threads cannot be spoken of here
        1:95-1:99: the local of a thread
        help: this is about globals and the heap at the start
        help: initial values of locals stand where they are declared
    thread-at-start @ 1:113: threads cannot be spoken of here
        1:113-1:121: where a thread is
        help: at the start every thread is at the first statement of `thread`
    thread-at-start @ 1:130: threads cannot be spoken of here
        1:130-1:131: this is about threads
        1:59-1:60: declared here
        help: an assumption is about globals and the heap at the start
    me-outside-statements @ 1:140: nobody is `me` here
        1:140-1:142: `me` is the thread that does a step
        help: this is about the start, before any thread does anything
    ");
}
