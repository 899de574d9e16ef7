//! What the tool says about models of threads that name threads or use ghosts where they must not:
//! one row per mistake, shown as in `diagnostics.rs`.

use crate::shared::threads::{body, file, formula};

// Threads in invariants.

#[test]
fn a_local_without_an_index() {
    insta::assert_snapshot!(formula("z > 0"), @"
    local-without-index @ 3:1: `z` is a local: every thread has its own
        3:1-3:2: of which thread?
        1:154-1:155: declared here
        help: for the one of the thread `i` [3:1-3:2 -> `p.z[i]`]
    ");
}

#[test]
fn an_index_of_a_global() {
    insta::assert_snapshot!(formula("x[i] == 1"), @"
    index-of-global @ 3:1: `x` is global: all threads share it
        3:1-3:2: not a local
        1:5-1:6: declared here
        help: leave the index out: `x`
    ");
}

#[test]
fn me_in_a_formula() {
    insta::assert_snapshot!(formula("t == self"), @"
    me-outside-statements @ 3:6: nobody is `self` here
        3:6-3:10: `self` is the thread that does a step
        help: an invariant is about its parameters: `invariant mutex(i, j): ...`
    ");
}

#[test]
fn an_index_that_is_me() {
    insta::assert_snapshot!(formula("thread.z[self] == 1"), @"
    me-outside-statements @ 3:10: nobody is `self` here
        3:10-3:14: `self` is the thread that does a step
        help: name a parameter of the invariant, like `i`
    ");
}

#[test]
fn an_index_that_is_a_number() {
    insta::assert_snapshot!(formula("thread.z[0] == 1"), @"
    thread-constant @ 3:10: threads have no numbers: `0` is not a thread
        3:10-3:11: expected a thread
        help: threads are all alike: they are only compared with `==` and `!=`, which is what makes a proof valid for any number of threads
        help: for one certain thread, declare `var chosen: Threads`
    ");
}

#[test]
fn a_place_of_a_number() {
    insta::assert_snapshot!(formula("at(0, crit)"), @"
    thread-constant @ 3:4: threads have no numbers: `0` is not a thread
        3:4-3:5: expected a thread
        help: threads are all alike: they are only compared with `==` and `!=`, which is what makes a proof valid for any number of threads
        help: for one certain thread, declare `var chosen: Threads`
    ");
}

#[test]
fn a_thread_that_is_compared_with_a_number() {
    insta::assert_snapshot!(formula("i == 0"), @"
    thread-constant @ 3:6: threads have no numbers: `0` is not a thread
        3:6-3:7: expected a thread
        help: threads are all alike: they are only compared with `==` and `!=`, which is what makes a proof valid for any number of threads
        help: for one certain thread, declare `var chosen: Threads`
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
    insta::assert_snapshot!(formula("thread.z[t] == 1"), @"
    thread-variable @ 3:10: `t` does not always name the same thread
        3:10-3:11: cannot be an index
        1:283-1:284: it is assigned here
        1:42-1:43: declared here
        help: a thread is a parameter of the invariant, or a shared variable for a thread that nobody assigns
        help: say it with a parameter: `invariant p(i): t == i -> x[i] == 1`
    ");
}

#[test]
fn an_index_that_is_no_thread() {
    insta::assert_snapshot!(formula("thread.z[x] == 1"), @"
    type-mismatch @ 3:10: expected a thread, found a number
        3:10-3:11: this is a number (`int`)
        help: a thread is a parameter of the invariant, or a shared variable for a thread that nobody assigns
    ");
}

#[test]
fn an_index_that_is_an_expression() {
    insta::assert_snapshot!(formula("thread.z[a.lockid] == 1"), @"
    thread-expression @ 3:10: this does not say which thread is meant
        3:10-3:18: expected the name of a thread
        help: a thread is a parameter of the invariant, or a shared variable for a thread that nobody assigns
        help: say it with a parameter: `invariant p(i, j): a.lockid == j -> x[j] == 1`
    ");
}

#[test]
fn an_index_that_is_a_local() {
    insta::assert_snapshot!(formula("thread.z[k] == 1"), @"
    thread-expression @ 3:10: this does not say which thread is meant
        3:10-3:11: expected the name of a thread
        help: a thread is a parameter of the invariant, or a shared variable for a thread that nobody assigns
        help: say it with a parameter: `invariant p(i, j): a.lockid == j -> x[j] == 1`
    ");
}

#[test]
fn an_index_that_is_a_procedure() {
    insta::assert_snapshot!(formula("thread.z[p] == 1"), @"
    procedure-as-value @ 3:10: `p` is a procedure, not a value
        3:10-3:11: expected a value
        1:144-1:145: declared here
        help: to call it, write `x := p(...)` as a statement
        help: that a thread is in it: `at(i, p)`
    ");
}

#[test]
fn an_unknown_index() {
    insta::assert_snapshot!(formula("thread.z[m] == 1"), @"
    unknown-name @ 3:10: there is no variable `m`
        3:10-3:11: not known here
        help: a thread is named as a parameter: `invariant mutex(m, ...): ...`; a variable is declared: `var m: int`
    ");
}

#[test]
fn a_thread_that_is_nobody() {
    insta::assert_snapshot!(formula("at(nobody, crit)"), @"
    thread-expression @ 3:4: this does not say which thread is meant
        3:4-3:10: expected the name of a thread
        help: a thread is a parameter of the invariant, or a shared variable for a thread that nobody assigns
        help: say it with a parameter: `invariant p(i, j): a.lockid == j -> x[j] == 1`
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
    insta::assert_snapshot!(formula("v[i] > 0"), @"
    unknown-local @ 3:1: there is no local `v`
        3:1-3:2: not known here
        help: locals are declared at the start of a process or of a function
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
    insta::assert_snapshot!(formula("at(i, somewhere)"), @"
    unknown-place @ 3:7: there is no place `somewhere`
        3:7-3:16: not known here
        help: name the statement (`wait: await x == 1`), or put `wait: { ... }` around some
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
    insta::assert_snapshot!(formula("at(i, p.wait)"), @"
    unknown-place @ 3:9: there is no place `wait` in `p`
        3:9-3:13: not known here
        help: name the statement (`wait: await x == 1`), or put `wait: { ... }` around some
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
    insta::assert_snapshot!(formula("at(i, last..first)"), @"
    malformed-range @ 3:7: there is nothing in this range: its end comes before its start
        3:7-3:18: the wrong way round
        1:324-1:328: the start
        1:276-1:281: the end
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
    insta::assert_snapshot!(formula("b && q()"), @"
    not-a-function @ 3:6: `q` is a procedure, not a value
        3:6-3:7: unexpected `(` behind this
        1:181-1:182: declared here
        help: to call it, write `x := q(...)` as a statement
    ");
}

#[test]
fn an_index_with_an_initial_value() {
    insta::assert_snapshot!(file("var c: Threads = nobody; set Threads  process thread for self in Threads { var z: int; skip; } invariant t: z[c] == 1;"), @"
    thread-variable @ 1:111: `c` does not always name the same thread
        1:111-1:112: cannot be an index
        1:18-1:24: it has a value at the start
        1:5-1:6: declared here
        help: a thread is a parameter of the invariant, or a shared variable for a thread that nobody assigns
        help: say it with a parameter: `invariant p(i): c == i -> x[i] == 1`
    ");
}

// Shorthands.

#[test]
fn a_shorthand_with_too_many_threads() {
    insta::assert_snapshot!(file("set Threads  process thread for self in Threads { s: skip; } fn p(i) = at(i, s); invariant t(i, j): p(i, j) && p;"), @"
    wrong-number-of-arguments @ 1:101: `p` is about 1 thread, found 2
        1:101-1:108: found 2
        1:65-1:66: declared here
    wrong-number-of-arguments @ 1:112: `p` is about 1 thread, found 0
        1:112-1:113: found 0
        1:65-1:66: declared here
    ");
}

#[test]
fn a_shorthand_that_is_not_known() {
    insta::assert_snapshot!(file("set Threads  process thread for self in Threads { s: skip; } fn prs(i) = at(i, s); invariant t(i): prz(i) && unknown_thing(i);"), @"
    unknown-function @ 1:100: there is no function `prz`
        1:100-1:103: not known here
        help: did you mean `prs`? [1:100-1:103 -> `prs`]
    unknown-function @ 1:110: there is no function `unknown_thing`
        1:110-1:123: not known here
        help: there are `min`, `max`, `addr2set`, `set2elem`, `reach`, `ordered`, and shorthands: `fn name(i) = ...`
    ");
}

#[test]
fn a_shorthand_of_itself() {
    insta::assert_snapshot!(file("set Threads  process thread for self in Threads { s: skip; } fn p(i) = p(i) || q(i); fn q(i) = at(i, s); invariant t(i): p(i);"), @"
    let-order @ 1:72: `p` is used in its own definition
        1:72-1:73: not known yet
        1:65-1:66: declared here
        help: a shorthand can use those before it
    let-order @ 1:80: `q` is declared later
        1:80-1:81: not known yet
        1:89-1:90: declared here
        help: a shorthand can use those before it
    ");
}

#[test]
fn a_shorthand_as_an_index() {
    insta::assert_snapshot!(file("set Threads  process thread for self in Threads { var z: int; s: skip; } var c: Threads; fn one = 1; fn same = c; invariant t(i): z[one] == 1 && one(i) == 1 && z[same] == 1;"), @"
    type-mismatch @ 1:133: expected a thread, found a number
        1:133-1:136: this is a number (`int`)
        help: a thread is a parameter of the invariant, or a shared variable for a thread that nobody assigns
    wrong-number-of-arguments @ 1:146: `one` is about no threads, found 1
        1:146-1:152: found 1
        1:93-1:96: declared here
    thread-expression @ 1:163: this does not say which thread is meant
        1:163-1:167: expected the name of a thread
        help: a thread is a parameter of the invariant, or a shared variable for a thread that nobody assigns
        help: say it with a parameter: `invariant p(i, j): a.lockid == j -> x[j] == 1`
    ");
}

#[test]
fn a_shorthand_of_a_number() {
    insta::assert_snapshot!(file("set Threads  process thread for self in Threads { s: skip; } fn p(i) = at(i, s); invariant t(i): p(0) && p(i == i);"), @"
    thread-constant @ 1:100: threads have no numbers: `0` is not a thread
        1:100-1:101: expected a thread
        help: threads are all alike: they are only compared with `==` and `!=`, which is what makes a proof valid for any number of threads
        help: for one certain thread, declare `var chosen: Threads`
    thread-expression @ 1:108: this does not say which thread is meant
        1:108-1:114: expected the name of a thread
        help: a thread is a parameter of the invariant, or a shared variable for a thread that nobody assigns
        help: say it with a parameter: `invariant p(i, j): a.lockid == j -> x[j] == 1`
    ");
}

#[test]
fn a_shorthand_with_the_name_of_a_variable() {
    insta::assert_snapshot!(file("var x: int; set Threads  process thread for self in Threads { s: skip; } fn p(x) = at(x, s); invariant t(i): x(i) && p(i);"), @"
    name-clash @ 1:79: the name `x` is taken
        1:79-1:80: used again here
        1:5-1:6: first used here
        help: choose another name
    not-a-function @ 1:110: `x` is a variable
        1:110-1:111: unexpected `(` behind this
        1:5-1:6: declared here
        help: leave the parentheses out: `x`
    ");
}

#[test]
fn a_mistake_in_a_shorthand_is_said_once() {
    insta::assert_snapshot!(file("set Threads  process thread for self in Threads { s: skip; } fn p(i) = at(i, there); invariant t(i): p(i) && p(i); invariant u(i): !p(i);"), @"
    unknown-place @ 1:78: there is no place `there`
        1:78-1:83: not known here
        help: name the statement (`wait: await x == 1`), or put `wait: { ... }` around some
    ");
}

// Ghosts.

#[test]
fn a_ghost_in_a_condition() {
    insta::assert_snapshot!(body("if g == 1 { skip; }"), @"
    ghost-interference @ 2:4: `g` is a ghost variable, and this is a condition
        2:4-2:5: would decide what the program does
        1:130-1:131: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}

#[test]
fn a_ghost_in_a_loop() {
    insta::assert_snapshot!(body("while z in h { skip; }"), @"
    ghost-interference @ 2:12: `h` is a ghost variable, and this is a condition
        2:12-2:13: would decide what the program does
        1:278-1:279: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}

#[test]
fn waiting_for_a_ghost() {
    insta::assert_snapshot!(body("await x == g;"), @"
    ghost-interference @ 2:12: `g` is a ghost variable, and this is a condition
        2:12-2:13: would decide what the program does
        1:130-1:131: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}

#[test]
fn a_ghost_in_a_variable() {
    insta::assert_snapshot!(body("x := g + 1;"), @"
    ghost-interference @ 2:6: `g` is a ghost variable, and this is the value of a variable that is not ghost
        2:6-2:7: would decide what the program does
        1:130-1:131: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}

#[test]
fn a_ghost_in_an_argument() {
    insta::assert_snapshot!(body("z := p(g);"), @"
    ghost-interference @ 2:8: `g` is a ghost variable, and this is an argument of a call
        2:8-2:9: would decide what the program does
        1:130-1:131: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}

#[test]
fn a_ghost_in_a_condition_of_havoc() {
    insta::assert_snapshot!(body("x := choose(int) where x > g;"), @"
    ghost-interference @ 2:28: `g` is a ghost variable, and this is a condition that can make a thread wait
        2:28-2:29: would decide what the program does
        1:130-1:131: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}

#[test]
fn a_ghost_that_becomes_what_is_fit() {
    insta::assert_snapshot!(body("g := choose(int) where g > 0;"), @"
    ghost-interference @ 2:24: a thread would wait for a ghost variable
        2:24-2:29: if there is no such value, the thread waits
        help: leave out `where`, or assign a value
    ");
}

#[test]
fn a_ghost_in_a_condition_in_atomic() {
    insta::assert_snapshot!(body("atomic { if g == 1 { g := 2; } }"), @"
    ghost-interference @ 2:13: `g` is a ghost variable, and this is a condition
        2:13-2:14: would decide what the program does
        1:130-1:131: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}

#[test]
fn ghosts_that_are_fine() {
    insta::assert_snapshot!(body("g := g + x; assert g > 0; skip ghost { if g == 1 { g := choose(int); } assert z in h; h := {}; }"), @"");
}

#[test]
fn ghost_code_that_changes_the_program() {
    insta::assert_snapshot!(body("skip ghost { x := 1; }"), @"
    ghost-action @ 2:14: ghost code assigns ghost variables only
        2:14-2:15: not a ghost variable
        1:5-1:6: declared here
        help: to do several things in one step, write `atomic { ... }`
    ");
}

#[test]
fn ghost_code_that_changes_a_local() {
    insta::assert_snapshot!(body("skip ghost { z := 1; }"), @"
    ghost-action @ 2:14: ghost code assigns ghost variables only
        2:14-2:15: not a ghost variable
        1:247-1:248: declared here
        help: to do several things in one step, write `atomic { ... }`
    ");
}

#[test]
fn ghost_code_that_writes_to_the_heap() {
    insta::assert_snapshot!(body("skip ghost { a.next := null; }"), @"
    ghost-action @ 2:14: ghost code does not write to the heap
        2:14-2:20: a field
        help: to do several things in one step, write `atomic { ... }`
    ");
}

#[test]
fn ghost_code_that_waits() {
    insta::assert_snapshot!(body("skip ghost { await x == 1; }"), @"
    ghost-action @ 2:14: ghost code does not wait
        2:14-2:26: cannot stand in `ghost { ... }`
        help: ghost code assigns ghost variables, and nothing else
        help: to do several things in one step, write `atomic { ... }`
    ");
}

#[test]
fn ghost_code_that_locks() {
    insta::assert_snapshot!(body("skip ghost { lock a; if b { unlock a; } }"), @"
    ghost-action @ 2:14: ghost code does not lock
        2:14-2:20: cannot stand in `ghost { ... }`
        help: ghost code assigns ghost variables, and nothing else
        help: to do several things in one step, write `atomic { ... }`
    ghost-action @ 2:29: ghost code does not lock
        2:29-2:37: cannot stand in `ghost { ... }`
        help: ghost code assigns ghost variables, and nothing else
        help: to do several things in one step, write `atomic { ... }`
    ");
}

#[test]
fn ghost_code_that_makes_cells() {
    insta::assert_snapshot!(body("skip ghost { w := malloc(e, null); }"), @"
    ghost-action @ 2:14: ghost code does not make cells
        2:14-2:34: cannot stand in `ghost { ... }`
        help: ghost code assigns ghost variables, and nothing else
        help: to do several things in one step, write `atomic { ... }`
    ");
}

#[test]
fn ghost_code_that_may_wait() {
    insta::assert_snapshot!(body("skip ghost { g := choose(int) where g > 3; }"), @"
    ghost-interference @ 2:37: a thread would wait for a ghost variable
        2:37-2:42: if there is no such value, the thread waits
        help: leave out `where`, or assign a value
    ");
}

#[test]
fn ghosts_in_addresses() {
    insta::assert_snapshot!(file("ghost var ga: addr; ghost var ge: elem; var a: addr; set Threads  process thread for self in Threads { lock ga; unlock ga; ga.next := a; a.next := ga; a.data := ge; a := malloc(ge, ga); ga := malloc(highest, null); } invariant t: true;"), @"
    ghost-interference @ 1:109: `ga` is a ghost variable, and this is the address of a lock
        1:109-1:111: would decide what the program does
        1:11-1:13: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ghost-interference @ 1:120: `ga` is a ghost variable, and this is the address of a lock
        1:120-1:122: would decide what the program does
        1:11-1:13: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ghost-interference @ 1:124: `ga` is a ghost variable, and this is the address of a field that is written
        1:124-1:126: would decide what the program does
        1:11-1:13: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ghost-interference @ 1:148: `ga` is a ghost variable, and this is the value of a field
        1:148-1:150: would decide what the program does
        1:11-1:13: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ghost-interference @ 1:162: `ge` is a ghost variable, and this is the value of a field
        1:162-1:164: would decide what the program does
        1:31-1:33: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ghost-interference @ 1:178: `ge` is a ghost variable, and this is the value of a field
        1:178-1:180: would decide what the program does
        1:31-1:33: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ghost-interference @ 1:182: `ga` is a ghost variable, and this is the value of a field
        1:182-1:184: would decide what the program does
        1:11-1:13: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ghost-interference @ 1:187: `malloc` changes the heap, and this is a ghost variable
        1:187-1:189: a ghost variable
        help: take a variable of the program, and copy it: `x := malloc(e, null) ghost { g := x }`
    ");
}

#[test]
fn a_ghost_in_a_result() {
    insta::assert_snapshot!(file("ghost var g: int; fn p(): int { return g; } set Threads  process thread for self in Threads { p(); } invariant t: true;"), @"
    ghost-interference @ 1:40: `g` is a ghost variable, and this is the result of a procedure
        1:40-1:41: would decide what the program does
        1:11-1:12: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}

#[test]
fn a_ghost_in_an_initial_value() {
    insta::assert_snapshot!(file("ghost var g: int; var x: int = g; ghost var f: int = g; set Threads  process thread for self in Threads { skip; } invariant t: true;"), @"
    ghost-interference @ 1:32: `g` is a ghost variable, and this is the initial value of a variable that is not ghost
        1:32-1:33: would decide what the program does
        1:11-1:12: declared here
        help: ghost variables are there for the proof only; without `ghost`, the variable is a part of the program
    ");
}
