//! What the tool says about `.inv` files that name threads or use ghosts where they must not: one row per mistake, shown as in
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

/// The messages about a formula, which starts at column 1 of line 3.
fn formula(formula: &str) -> String {
    file(&format!(
        "global x, y : int; global b : bool; global t, chosen : tid; global a : addr; global e : elem; global s : set<int>; global as : set<addr>; proc p(n : int, z : int) {{ here: skip; }} proc q() {{ here: skip; }} thread {{ local z : int; local k : addr; first: t := me; label crit {{ wait: call p(1, 2); call q(); }} last: skip; }}\ninvariant inv(i, j) =\n{formula};"
    ))
}

// Threads in invariants.

#[test]
fn a_local_without_an_index() {
    insta::assert_snapshot!(formula("z > 0"), @r"
    local-without-index @ 3:1: `z` is a local: every thread has its own
        3:1-3:2: of which thread?
        1:155-1:156: declared here
        help: for the one of the thread `i` [3:1-3:2 -> `p.z[i]`]
    ");
}

#[test]
fn an_index_of_a_global() {
    insta::assert_snapshot!(formula("x[i] == 1"), @r"
    index-of-global @ 3:1: `x` is global: all threads share it
        3:1-3:2: not a local
        1:8-1:9: declared here
        help: leave the index out: `x`
    ");
}

#[test]
fn me_in_a_formula() {
    insta::assert_snapshot!(formula("t == me"), @r"
    me-outside-statements @ 3:6: nobody is `me` here
        3:6-3:8: `me` is the thread that does a step
        help: an invariant is about its parameters: `invariant mutex(i, j) = ...;`
    ");
}

#[test]
fn an_index_that_is_me() {
    insta::assert_snapshot!(formula("thread.z[me] == 1"), @r"
    me-outside-statements @ 3:10: nobody is `me` here
        3:10-3:12: `me` is the thread that does a step
        help: name a parameter of the invariant, like `i`
    ");
}

#[test]
fn an_index_that_is_a_number() {
    insta::assert_snapshot!(formula("thread.z[0] == 1"), @r"
    thread-constant @ 3:10: threads have no numbers: `0` is not a thread
        3:10-3:11: expected a thread
        help: threads are all alike: they are only compared with `==` and `!=`, which is what makes a proof valid for any number of threads
        help: for one certain thread, declare `global chosen : tid;` and use `chosen`
    ");
}

#[test]
fn a_place_of_a_number() {
    insta::assert_snapshot!(formula("at(0, crit)"), @r"
    thread-constant @ 3:4: threads have no numbers: `0` is not a thread
        3:4-3:5: expected a thread
        help: threads are all alike: they are only compared with `==` and `!=`, which is what makes a proof valid for any number of threads
        help: for one certain thread, declare `global chosen : tid;` and use `chosen`
    ");
}

#[test]
fn a_thread_that_is_compared_with_a_number() {
    insta::assert_snapshot!(formula("i == 0"), @r"
    thread-constant @ 3:6: threads have no numbers: `0` is not a thread
        3:6-3:7: expected a thread
        help: threads are all alike: they are only compared with `==` and `!=`, which is what makes a proof valid for any number of threads
        help: for one certain thread, declare `global chosen : tid;` and use `chosen`
    ");
}

#[test]
fn threads_that_are_ordered() {
    insta::assert_snapshot!(formula("i < j"), @r"
    thread-order @ 3:3: threads have no order
        3:3-3:4: cannot compare threads by size
        3:1-3:2: this is a thread
        help: threads are all alike: they are only compared with `==` and `!=`, which is what makes a proof valid for any number of threads
    ");
}

#[test]
fn threads_that_are_computed_with() {
    insta::assert_snapshot!(formula("i + 1 == j"), @r"
    thread-arithmetic @ 3:1: threads cannot be computed with
        3:1-3:2: this is a thread
        help: threads are all alike: they are only compared with `==` and `!=`, which is what makes a proof valid for any number of threads
    ");
}

#[test]
fn an_index_that_is_assigned() {
    insta::assert_snapshot!(formula("thread.z[t] == 1"), @r"
    thread-variable @ 3:10: `t` does not always name the same thread
        3:10-3:11: cannot be an index
        1:252-1:253: it is assigned here
        1:44-1:45: declared here
        help: a thread is a parameter of the invariant, or a `global` of type `tid` that nobody assigns
        help: say it with a parameter: `invariant p(i) = t == i -> x[i] == 1;`
    ");
}

#[test]
fn an_index_that_is_no_thread() {
    insta::assert_snapshot!(formula("thread.z[x] == 1"), @r"
    type-mismatch @ 3:10: expected a thread, found a number
        3:10-3:11: this is a number (`int`)
        help: a thread is a parameter of the invariant, or a `global` of type `tid` that nobody assigns
    ");
}

#[test]
fn an_index_that_is_an_expression() {
    insta::assert_snapshot!(formula("thread.z[a.lockid] == 1"), @r"
    thread-expression @ 3:10: this does not say which thread is meant
        3:10-3:18: expected the name of a thread
        help: a thread is a parameter of the invariant, or a `global` of type `tid` that nobody assigns
        help: say it with a parameter: `invariant p(i, j) = a.lockid == j -> x[j] == 1;`
    ");
}

#[test]
fn an_index_that_is_a_local() {
    insta::assert_snapshot!(formula("thread.z[k] == 1"), @r"
    thread-expression @ 3:10: this does not say which thread is meant
        3:10-3:11: expected the name of a thread
        help: a thread is a parameter of the invariant, or a `global` of type `tid` that nobody assigns
        help: say it with a parameter: `invariant p(i, j) = a.lockid == j -> x[j] == 1;`
    ");
}

#[test]
fn an_index_that_is_a_procedure() {
    insta::assert_snapshot!(formula("thread.z[p] == 1"), @r"
    procedure-as-value @ 3:10: `p` is a procedure, not a value
        3:10-3:11: expected a value
        1:144-1:145: declared here
        help: to call it, write `x := call p(...);` as a statement
        help: that a thread is in it: `at(i, p)`
    ");
}

#[test]
fn an_unknown_index() {
    insta::assert_snapshot!(formula("thread.z[m] == 1"), @r"
    unknown-name @ 3:10: there is no variable `m`
        3:10-3:11: not known here
        help: a thread is named as a parameter: `invariant mutex(m, ...) = ...;`; a variable is declared: `global m : int;`
    ");
}

#[test]
fn a_thread_that_is_nobody() {
    insta::assert_snapshot!(formula("at(nobody, crit)"), @r"
    thread-expression @ 3:4: this does not say which thread is meant
        3:4-3:10: expected the name of a thread
        help: a thread is a parameter of the invariant, or a `global` of type `tid` that nobody assigns
        help: say it with a parameter: `invariant p(i, j) = a.lockid == j -> x[j] == 1;`
    ");
}

#[test]
fn a_local_that_several_procedures_have() {
    insta::assert_snapshot!(formula("z[i] > 0"), @r"
    ambiguous-local @ 3:1: several procedures have a local `z`
        3:1-3:2: which one?
        help: name the procedure [3:1-3:2 -> `p.z`]
        help: there is also `thread.z`
    ");
}

#[test]
fn a_local_that_does_not_exist() {
    insta::assert_snapshot!(formula("v[i] > 0"), @r"
    unknown-local @ 3:1: there is no local `v`
        3:1-3:2: not known here
        help: locals are declared at the start of `thread` or of a procedure
    ");
}

#[test]
fn a_local_of_the_wrong_procedure() {
    insta::assert_snapshot!(formula("p.k[i] == a"), @r"
    unknown-local @ 3:3: there is no local `k` in `p`
        3:3-3:4: not known here
        help: the locals are declared at the start of `p`
    ");
}

#[test]
fn a_local_of_no_procedure() {
    insta::assert_snapshot!(formula("pp.z[i] == 1"), @r"
    unknown-procedure @ 3:1: there is no procedure `pp`
        3:1-3:3: not known here
        help: did you mean `p`? [3:1-3:3 -> `p`]
    ");
}

#[test]
fn a_place_that_does_not_exist() {
    insta::assert_snapshot!(formula("at(i, crt)"), @r"
    unknown-place @ 3:7: there is no place `crt`
        3:7-3:10: not known here
        help: did you mean `crit`? [3:7-3:10 -> `crit`]
    ");
}

#[test]
fn a_place_that_is_not_there() {
    insta::assert_snapshot!(formula("at(i, somewhere)"), @r"
    unknown-place @ 3:7: there is no place `somewhere`
        3:7-3:16: not known here
        help: name the statement (`wait: await x == 1;`), or put `label wait { ... }` around some
    ");
}

#[test]
fn a_place_that_several_procedures_have() {
    insta::assert_snapshot!(formula("at(i, here)"), @r"
    ambiguous-place @ 3:7: several procedures have a place `here`
        3:7-3:11: which one?
        help: name the procedure [3:7-3:11 -> `p.here`]
        help: there is also `q.here`
    ");
}

#[test]
fn a_place_of_the_wrong_procedure() {
    insta::assert_snapshot!(formula("at(i, p.wait)"), @r"
    unknown-place @ 3:9: there is no place `wait` in `p`
        3:9-3:13: not known here
        help: name the statement (`wait: await x == 1;`), or put `label wait { ... }` around some
    ");
}

#[test]
fn a_range_over_procedures() {
    insta::assert_snapshot!(formula("at(i, wait..p.here)"), @r"
    malformed-range @ 3:7: a range stays in one procedure
        3:7-3:19: from `thread` to `p`
        help: write a range for each, with `,` between them
    ");
}

#[test]
fn a_range_the_wrong_way_round() {
    insta::assert_snapshot!(formula("at(i, last..first)"), @r"
    malformed-range @ 3:7: there is nothing in this range: its end comes before its start
        3:7-3:18: the wrong way round
        1:306-1:310: the start
        1:245-1:250: the end
    ");
}

#[test]
fn a_place_as_a_formula() {
    insta::assert_snapshot!(formula("at(i, crit) && crit"), @r"
    unknown-name @ 3:16: there is no variable `crit`
        3:16-3:20: not known here
        help: that a thread is there: `at(i, crit)`
    ");
}

#[test]
fn a_call_in_a_formula() {
    insta::assert_snapshot!(formula("b && q()"), @r"
    not-a-function @ 3:6: `q` is a procedure, not a value
        3:6-3:7: unexpected `(` behind this
        1:185-1:186: declared here
        help: to call it, write `x := call q(...);` as a statement
    ");
}

#[test]
fn an_index_with_an_initial_value() {
    insta::assert_snapshot!(file("global c : tid = nobody; thread { local z : int; skip; } invariant t() = z[c] == 1;"), @r"
    thread-variable @ 1:76: `c` does not always name the same thread
        1:76-1:77: cannot be an index
        1:18-1:24: it has a value at the start
        1:8-1:9: declared here
        help: a thread is a parameter of the invariant, or a `global` of type `tid` that nobody assigns
        help: say it with a parameter: `invariant p(i) = c == i -> x[i] == 1;`
    ");
}

// Shorthands.

#[test]
fn a_shorthand_with_too_many_threads() {
    insta::assert_snapshot!(file("thread { s: skip; } let p(i) = at(i, s); invariant t(i, j) = p(i, j) && p;"), @r"
    wrong-number-of-arguments @ 1:62: `p` is about 1 thread, found 2
        1:62-1:69: found 2
        1:25-1:26: declared here
    wrong-number-of-arguments @ 1:73: `p` is about 1 thread, found 0
        1:73-1:74: found 0
        1:25-1:26: declared here
    ");
}

#[test]
fn a_shorthand_that_is_not_known() {
    insta::assert_snapshot!(file("thread { s: skip; } let prs(i) = at(i, s); invariant t(i) = prz(i) && unknown_thing(i);"), @r"
    unknown-function @ 1:61: there is no function `prz`
        1:61-1:64: not known here
        help: did you mean `prs`? [1:61-1:64 -> `prs`]
    unknown-function @ 1:71: there is no function `unknown_thing`
        1:71-1:84: not known here
        help: there are `min`, `max`, `addr2set`, `set2elem`, `reach`, `ordered`, and what `let` declares
    ");
}

#[test]
fn a_shorthand_of_itself() {
    insta::assert_snapshot!(file("thread { s: skip; } let p(i) = p(i) || q(i); let q(i) = at(i, s); invariant t(i) = p(i);"), @r"
    let-order @ 1:32: `p` is used in its own definition
        1:32-1:33: not known yet
        1:25-1:26: declared here
        help: a `let` can use those before it
    let-order @ 1:40: `q` is declared later
        1:40-1:41: not known yet
        1:50-1:51: declared here
        help: a `let` can use those before it
    ");
}

#[test]
fn a_shorthand_as_an_index() {
    insta::assert_snapshot!(file("thread { local z : int; s: skip; } global c : tid; let one = 1; let same = c; invariant t(i) = z[one] == 1 && one(i) == 1 && z[same] == 1;"), @r"
    type-mismatch @ 1:98: expected a thread, found a number
        1:98-1:101: this is a number (`int`)
        help: a thread is a parameter of the invariant, or a `global` of type `tid` that nobody assigns
    wrong-number-of-arguments @ 1:111: `one` is about no threads, found 1
        1:111-1:117: found 1
        1:56-1:59: declared here
    thread-expression @ 1:128: this does not say which thread is meant
        1:128-1:132: expected the name of a thread
        help: a thread is a parameter of the invariant, or a `global` of type `tid` that nobody assigns
        help: say it with a parameter: `invariant p(i, j) = a.lockid == j -> x[j] == 1;`
    ");
}

#[test]
fn a_shorthand_of_a_number() {
    insta::assert_snapshot!(file("thread { s: skip; } let p(i) = at(i, s); invariant t(i) = p(0) && p(i == i);"), @r"
    thread-constant @ 1:61: threads have no numbers: `0` is not a thread
        1:61-1:62: expected a thread
        help: threads are all alike: they are only compared with `==` and `!=`, which is what makes a proof valid for any number of threads
        help: for one certain thread, declare `global chosen : tid;` and use `chosen`
    thread-expression @ 1:69: this does not say which thread is meant
        1:69-1:75: expected the name of a thread
        help: a thread is a parameter of the invariant, or a `global` of type `tid` that nobody assigns
        help: say it with a parameter: `invariant p(i, j) = a.lockid == j -> x[j] == 1;`
    ");
}

#[test]
fn a_shorthand_with_the_name_of_a_variable() {
    insta::assert_snapshot!(file("global x : int; thread { s: skip; } let p(x) = at(x, s); invariant t(i) = x(i) && p(i);"), @r"
    name-clash @ 1:43: the name `x` is taken
        1:43-1:44: used again here
        1:8-1:9: first used here
        help: choose another name
    not-a-function @ 1:75: `x` is a variable
        1:75-1:76: unexpected `(` behind this
        1:8-1:9: declared here
        help: leave the parentheses out: `x`
    ");
}

#[test]
fn a_mistake_in_a_shorthand_is_said_once() {
    insta::assert_snapshot!(file("thread { s: skip; } let p(i) = at(i, there); invariant t(i) = p(i) && p(i); invariant u(i) = !p(i);"), @r"
    unknown-place @ 1:38: there is no place `there`
        1:38-1:43: not known here
        help: name the statement (`wait: await x == 1;`), or put `label wait { ... }` around some
    ");
}

// Ghosts.

#[test]
fn a_ghost_in_a_condition() {
    insta::assert_snapshot!(body("if g == 1 { skip; }"), @r"
    ghost-interference @ 2:4: `g` is a ghost variable, and this is a condition
        2:4-2:5: would decide what the program does
        1:144-1:145: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}

#[test]
fn a_ghost_in_a_loop() {
    insta::assert_snapshot!(body("while z in h { skip; }"), @r"
    ghost-interference @ 2:12: `h` is a ghost variable, and this is a condition
        2:12-2:13: would decide what the program does
        1:266-1:267: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}

#[test]
fn waiting_for_a_ghost() {
    insta::assert_snapshot!(body("await x == g;"), @r"
    ghost-interference @ 2:12: `g` is a ghost variable, and this is a condition
        2:12-2:13: would decide what the program does
        1:144-1:145: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}

#[test]
fn a_ghost_in_a_variable() {
    insta::assert_snapshot!(body("x := g + 1;"), @r"
    ghost-interference @ 2:6: `g` is a ghost variable, and this is the value of a variable that is not ghost
        2:6-2:7: would decide what the program does
        1:144-1:145: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}

#[test]
fn a_ghost_in_an_argument() {
    insta::assert_snapshot!(body("z := call p(g);"), @r"
    ghost-interference @ 2:13: `g` is a ghost variable, and this is an argument of a call
        2:13-2:14: would decide what the program does
        1:144-1:145: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}

#[test]
fn a_ghost_in_a_condition_of_havoc() {
    insta::assert_snapshot!(body("x := havoc where x > g;"), @r"
    ghost-interference @ 2:22: `g` is a ghost variable, and this is a condition that can make a thread wait
        2:22-2:23: would decide what the program does
        1:144-1:145: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}

#[test]
fn a_ghost_that_becomes_what_is_fit() {
    insta::assert_snapshot!(body("g := havoc where g > 0;"), @r"
    ghost-interference @ 2:18: a thread would wait for a ghost variable
        2:18-2:23: if there is no such value, the thread waits
        help: leave out `where`, or assign a value
    ");
}

#[test]
fn a_ghost_in_a_condition_in_atomic() {
    insta::assert_snapshot!(body("atomic { if g == 1 { g := 2; } }"), @r"
    ghost-interference @ 2:13: `g` is a ghost variable, and this is a condition
        2:13-2:14: would decide what the program does
        1:144-1:145: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}

#[test]
fn ghosts_that_are_fine() {
    insta::assert_snapshot!(body("g := g + x; assert g > 0; skip; ghost { if g == 1 { g := havoc; } assert z in h; h := {}; }"), @"");
}

#[test]
fn ghost_code_that_changes_the_program() {
    insta::assert_snapshot!(body("skip; ghost { x := 1; }"), @r"
    ghost-action @ 2:15: ghost code assigns ghost variables only
        2:15-2:16: not a ghost variable
        1:8-1:9: declared here
        help: to do several things in one step, write `atomic { ... }`
    ");
}

#[test]
fn ghost_code_that_changes_a_local() {
    insta::assert_snapshot!(body("skip; ghost { z := 1; }"), @r"
    ghost-action @ 2:15: ghost code assigns ghost variables only
        2:15-2:16: not a ghost variable
        1:229-1:230: declared here
        help: to do several things in one step, write `atomic { ... }`
    ");
}

#[test]
fn ghost_code_that_writes_to_the_heap() {
    insta::assert_snapshot!(body("skip; ghost { a.next := null; }"), @r"
    ghost-action @ 2:15: ghost code does not write to the heap
        2:15-2:21: a field
        help: to do several things in one step, write `atomic { ... }`
    ");
}

#[test]
fn ghost_code_that_waits() {
    insta::assert_snapshot!(body("skip; ghost { await x == 1; }"), @r"
    ghost-action @ 2:15: ghost code does not wait
        2:15-2:27: cannot stand in `ghost { ... }`
        help: ghost code assigns ghost variables, and nothing else
        help: to do several things in one step, write `atomic { ... }`
    ");
}

#[test]
fn ghost_code_that_locks() {
    insta::assert_snapshot!(body("skip; ghost { lock a; if b { unlock a; } }"), @r"
    ghost-action @ 2:15: ghost code does not lock
        2:15-2:21: cannot stand in `ghost { ... }`
        help: ghost code assigns ghost variables, and nothing else
        help: to do several things in one step, write `atomic { ... }`
    ghost-action @ 2:30: ghost code does not lock
        2:30-2:38: cannot stand in `ghost { ... }`
        help: ghost code assigns ghost variables, and nothing else
        help: to do several things in one step, write `atomic { ... }`
    ");
}

#[test]
fn ghost_code_that_makes_cells() {
    insta::assert_snapshot!(body("skip; ghost { w := malloc(e, null); }"), @r"
    ghost-action @ 2:15: ghost code does not make cells
        2:15-2:35: cannot stand in `ghost { ... }`
        help: ghost code assigns ghost variables, and nothing else
        help: to do several things in one step, write `atomic { ... }`
    ");
}

#[test]
fn ghost_code_that_may_wait() {
    insta::assert_snapshot!(body("skip; ghost { g := havoc where g > 3; }"), @r"
    ghost-interference @ 2:32: a thread would wait for a ghost variable
        2:32-2:37: if there is no such value, the thread waits
        help: leave out `where`, or assign a value
    ");
}

#[test]
fn ghosts_in_addresses() {
    insta::assert_snapshot!(file("ghost global ga : addr; ghost global ge : elem; global a : addr; thread { lock ga; unlock ga; ga.next := a; a.next := ga; a.data := ge; a := malloc(ge, ga); ga := malloc(highest, null); } invariant t() = true;"), @r"
    ghost-interference @ 1:80: `ga` is a ghost variable, and this is the address of a lock
        1:80-1:82: would decide what the program does
        1:14-1:16: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ghost-interference @ 1:91: `ga` is a ghost variable, and this is the address of a lock
        1:91-1:93: would decide what the program does
        1:14-1:16: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ghost-interference @ 1:95: `ga` is a ghost variable, and this is the address of a field that is written
        1:95-1:97: would decide what the program does
        1:14-1:16: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ghost-interference @ 1:119: `ga` is a ghost variable, and this is the value of a field
        1:119-1:121: would decide what the program does
        1:14-1:16: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ghost-interference @ 1:133: `ge` is a ghost variable, and this is the value of a field
        1:133-1:135: would decide what the program does
        1:38-1:40: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ghost-interference @ 1:149: `ge` is a ghost variable, and this is the value of a field
        1:149-1:151: would decide what the program does
        1:38-1:40: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ghost-interference @ 1:153: `ga` is a ghost variable, and this is the value of a field
        1:153-1:155: would decide what the program does
        1:14-1:16: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ghost-interference @ 1:158: `malloc` changes the heap, and this is a ghost variable
        1:158-1:160: a ghost variable
        help: take a variable of the program, and copy it: `x := malloc(e, null); ghost { g := x; }`
    ");
}

#[test]
fn a_ghost_in_a_result() {
    insta::assert_snapshot!(file("ghost global g : int; proc p() : int { return g; } thread { call p(); } invariant t() = true;"), @r"
    ghost-interference @ 1:47: `g` is a ghost variable, and this is the result of a procedure
        1:47-1:48: would decide what the program does
        1:14-1:15: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}

#[test]
fn a_ghost_in_an_initial_value() {
    insta::assert_snapshot!(file("ghost global g : int; global x : int = g; ghost global f : int = g; thread { skip; } invariant t() = true;"), @r"
    ghost-interference @ 1:40: `g` is a ghost variable, and this is the initial value of a variable that is not ghost
        1:40-1:41: would decide what the program does
        1:14-1:15: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}
