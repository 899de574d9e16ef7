//! What the tool says about models of threads that cannot be parsed: one row per mistake, shown as
//! in `diagnostics.rs`.

use crate::shared::threads::{body, file};

// What is missing.

#[test]
fn an_empty_file() {
    insta::assert_snapshot!(file(""), @"
    no-thread @ 1:1: this file is empty
        1:1-1:1: expected a process for each thread
        help: a small one is `set Threads  var x: int = 0  process thread for self in Threads { x := x + 1 }  invariant positive: x >= 0`
    ");
}

#[test]
fn nothing_but_comments() {
    insta::assert_snapshot!(file("// later"), @"
    no-thread @ 1:9: this file has nothing but comments
        1:9-1:9: expected a process for each thread
        help: a small one is `set Threads  var x: int = 0  process thread for self in Threads { x := x + 1 }  invariant positive: x >= 0`
    ");
}

#[test]
fn no_thread() {
    insta::assert_snapshot!(file("var x: int;"), @"
    no-thread @ 1:12: this program does not say what threads do
        1:12-1:12: expected a process for each thread
        help: a small one is `set Threads  var x: int = 0  process thread for self in Threads { x := x + 1 }  invariant positive: x >= 0`
    ");
}

#[test]
fn no_invariants() {
    insta::assert_snapshot!(file("set Threads  process thread for self in Threads { skip; }"), @"
    warning no-invariants @ 1:22: there are no invariants here
        1:22-1:28: all that is looked at is whether a step can be an error
        help: say what always holds: `invariant mutex(i, j): i != j -> ...`
    ");
}

#[test]
fn a_file_of_another_kind() {
    insta::assert_snapshot!(file("request main { X := 1 }"), @"
    other-world @ 1:9: there is no `request` in a model of threads
        1:9-1:13: not expected beside a process for each member of a set
        help: what a thread does again and again stands in a `loop { ... }`
    ");
}

#[test]
fn a_file_with_processes_that_send_messages() {
    insta::assert_snapshot!(file("procs Q; msg Ping = Ping;"), @"
    other-language @ 1:1: a set of processes is declared with `set`
        1:1-1:6: expected `set`
        help: write `set` [1:1-1:6 -> `set`]
    ");
}

#[test]
fn a_file_with_processes_over_variables() {
    insta::assert_snapshot!(file("process P { X := 1 }"), @"
    declared-twice @ 1:9: `P` is one process, and the others are any number
        1:9-1:10: not for each member of a set
        help: all threads are members of one set, and run the same code
    ");
}

#[test]
fn a_file_with_places() {
    insta::assert_snapshot!(file("place p : 0..3"), @"
    expected-item @ 1:1: expected `request`, `fn`, `const`, `var` or an initial value like `X := 1`, found the name `place`
        1:1-1:6: not expected outside a request
        help: what a request does stands in its braces: `request main { ... }`
    ");
}

#[test]
fn a_statement_at_top_level() {
    insta::assert_snapshot!(file("x := 1;\nthread { skip; }"), @"
    other-language @ 2:1: threads are one process for each member of a set
        2:1-2:7: not part of the language
        help: write `set Threads` and `process thread for self in Threads { ... }`
    ");
}

#[test]
fn a_local_at_top_level() {
    insta::assert_snapshot!(file("var x: int; set Threads  process thread for self in Threads { skip; }"), @"
    warning no-invariants @ 1:34: there are no invariants here
        1:34-1:40: all that is looked at is whether a step can be an error
        help: say what always holds: `invariant mutex(i, j): i != j -> ...`
    ");
}

#[test]
fn a_misspelt_item() {
    insta::assert_snapshot!(file("globl x : int; set Threads  process thread for self in Threads { skip; }"), @"
    expected-item @ 1:1: expected `process`, `var`, `const`, `enum`, `set`, `fn` or a claim such as `reach`, found the name `globl`
        1:1-1:6: not expected outside a process
        help: what a process does stands in its braces: `process p { ... }`
    ");
}

#[test]
fn a_semicolon_that_ends_nothing() {
    insta::assert_snapshot!(file("var x: int; ; set Threads  process thread for self in Threads { skip; }"), @"
    warning no-invariants @ 1:36: there are no invariants here
        1:36-1:42: all that is looked at is whether a step can be an error
        help: say what always holds: `invariant mutex(i, j): i != j -> ...`
    ");
}

// Declarations.

#[test]
fn a_system_without_a_name() {
    insta::assert_snapshot!(file("system; set Threads  process thread for self in Threads { skip; }"), @"
    other-language @ 1:1: a model has no name
        1:1-1:7: not part of the language
        help: leave this line out
    ");
}

#[test]
fn a_name_that_is_none() {
    insta::assert_snapshot!(file("var _: int; set Threads  process thread for self in Threads { skip; }"), @"
    warning no-invariants @ 1:34: there are no invariants here
        1:34-1:40: all that is looked at is whether a step can be an error
        help: say what always holds: `invariant mutex(i, j): i != j -> ...`
    ");
}

#[test]
fn a_word_as_a_name() {
    insta::assert_snapshot!(file("var label: int; set Threads  process thread for self in Threads { skip; }"), @"
    warning no-invariants @ 1:38: there are no invariants here
        1:38-1:44: all that is looked at is whether a step can be an error
        help: say what always holds: `invariant mutex(i, j): i != j -> ...`
    ");
}

#[test]
fn threads_without_a_number() {
    insta::assert_snapshot!(file("set Threads == many  process thread for self in Threads { skip; }"), @"
    expected-number @ 1:16: expected a number, found the name `many`
        1:16-1:20: expected how many there are
        help: at least one: `set W >= 1`
        help: exactly two: `set W == 2`
    unknown-set @ 1:49: there is no set `Threads`
        1:49-1:56: not known here
        help: declare it: `set Threads`
    ");
}

#[test]
fn a_global_without_a_type() {
    insta::assert_snapshot!(file("var x = 0; set Threads  process thread for self in Threads { skip; }"), @"
    warning no-invariants @ 1:33: there are no invariants here
        1:33-1:39: all that is looked at is whether a step can be an error
        help: say what always holds: `invariant mutex(i, j): i != j -> ...`
    ");
}

#[test]
fn a_global_with_the_wrong_sign() {
    insta::assert_snapshot!(file("var x: int := 0; set Threads  process thread for self in Threads { skip; } invariant t: true;"), @"
    var-needs-equal @ 1:12: the first value of a `var` is given with `=`
        1:12-1:14: expected `=`
        help: write `=` [1:12-1:14 -> `=`]
    ");
}

#[test]
fn a_type_of_another_language() {
    insta::assert_snapshot!(file("var x: integer; set Threads  process thread for self in Threads { skip; }"), @"
    malformed-type @ 1:8: `integer` is written `int`
        1:8-1:15: expected `int`
        help: write `int` [1:8-1:15 -> `int`]
    ");
}

#[test]
fn a_type_that_does_not_exist() {
    insta::assert_snapshot!(file("var x: string; set Threads  process thread for self in Threads { skip; }"), @"
    undefined-type @ 1:8: there is no type `string`
        1:8-1:14: not part of the language
        help: name the values that matter: `enum Name { alice, bob }`
    ");
}

#[test]
fn a_type_in_full() {
    insta::assert_snapshot!(file("var x: boolean; set Threads  process thread for self in Threads { skip; }"), @"
    malformed-type @ 1:8: `boolean` is written `bool`
        1:8-1:15: expected `bool`
        help: write `bool` [1:8-1:15 -> `bool`]
    ");
}

#[test]
fn a_set_without_a_type() {
    insta::assert_snapshot!(file("var s: set; set Threads  process thread for self in Threads { skip; }"), @"
    undefined-type @ 1:8: there is no type `set`
        1:8-1:11: not part of the language
        help: threads have sets, like `set of int`; for requests, a set is an array of truth values: `[0..3] of bool`
    ");
}

#[test]
fn a_set_of_sets() {
    insta::assert_snapshot!(file("var s: set of setint>>; set Threads  process thread for self in Threads { skip; }"), @"
    expected-type @ 1:15: there is no type `setint`
        1:15-1:21: not a type
        help: types are `bool`, `int`, `addr`, `elem`, `Threads` (a thread), and sets like `set of int`
    expected-item @ 1:21: expected `process`, `var`, `const`, `enum`, `set`, `fn` or a claim such as `reach`, found `>`
        1:21-1:22: not expected outside a process
        help: what a process does stands in its braces: `process p { ... }`
    ");
}

#[test]
fn a_set_of_truth_values() {
    insta::assert_snapshot!(file("var s: set of bool; set Threads  process thread for self in Threads { skip; }"), @"
    expected-type @ 1:15: there are no sets of truth values
        1:15-1:19: not a type of elements
        help: sets are `set of int`, `set of addr`, `set of elem`, and sets of threads
    ");
}

#[test]
fn a_set_that_is_not_closed() {
    insta::assert_snapshot!(file("var s: set of int {}; set Threads  process thread for self in Threads { skip; }"), @"
    expected-item @ 1:19: expected `process`, `var`, `const`, `enum`, `set`, `fn` or a claim such as `reach`, found `{`
        1:19-1:20: not expected outside a process
        help: what a process does stands in its braces: `process p { ... }`
    ");
}

#[test]
fn a_missing_semicolon_between_items() {
    insta::assert_snapshot!(file("var x: int\nvar y: int\nset Threads  process thread for self in Threads { skip; } invariant t: true;"), @"");
}

#[test]
fn a_procedure_without_parentheses() {
    insta::assert_snapshot!(file("fn p { skip; } set Threads  process thread for self in Threads { p(); }"), @"
    warning no-invariants @ 1:37: there are no invariants here
        1:37-1:43: all that is looked at is whether a step can be an error
        help: say what always holds: `invariant mutex(i, j): i != j -> ...`
    ");
}

#[test]
fn a_parameter_without_a_type() {
    insta::assert_snapshot!(file("fn p(x) { skip; } set Threads  process thread for self in Threads { p(1); }"), @"
    malformed-declaration @ 1:6: the parameter `x` needs a type
        1:6-1:7: expected `:` and a type
        help: for example `x: int`
    ");
}

#[test]
fn a_procedure_without_a_body() {
    insta::assert_snapshot!(file("fn p(); thread { skip; }"), @"
    expected-body @ 1:7: expected `{` and a body, found `;`
        1:7-1:7: expected `{` here
        help: a request looks like `request p { ... }`
    other-language @ 1:9: threads are one process for each member of a set
        1:9-1:15: not part of the language
        help: write `set Threads` and `process thread for self in Threads { ... }`
    ");
}

#[test]
fn a_thread_with_a_name() {
    insta::assert_snapshot!(file("thread main { skip; }"), @"
    other-language @ 1:1: threads are one process for each member of a set
        1:1-1:7: not part of the language
        help: write `set Threads` and `process thread for self in Threads { ... }`
    ");
}

#[test]
fn an_invariant_without_parameters() {
    insta::assert_snapshot!(file("set Threads  process thread for self in Threads { skip; } invariant t: true;"), @"");
}

#[test]
fn an_invariant_without_a_formula() {
    insta::assert_snapshot!(file("set Threads  process thread for self in Threads { skip; } invariant t;"), @"
    unknown-name @ 1:69: there is no variable `t`
        1:69-1:70: not known here
        help: a thread is named as a parameter: `invariant mutex(t, ...): ...`; a variable is declared: `var t: int`
    ");
}

#[test]
fn an_invariant_that_is_assigned() {
    insta::assert_snapshot!(file("set Threads  process thread for self in Threads { skip; } invariant t := true;"), @"
    malformed-invariant @ 1:71: what is claimed stands behind `:`
        1:71-1:73: expected `:`
        help: write `:` [1:71-1:73 -> `:`]
    ");
}

#[test]
fn an_invariant_without_conjuncts() {
    insta::assert_snapshot!(file("set Threads  process thread for self in Threads { skip; } invariant t { }"), @"
    empty-invariant @ 1:71: the invariant `t` says nothing
        1:71-1:74: expected a condition here
        help: it looks like `invariant t { X >= 0; }`
    ");
}

#[test]
fn a_conjunct_without_a_semicolon() {
    insta::assert_snapshot!(file("set Threads  process thread for self in Threads { skip; } invariant t { true }"), @"");
}

#[test]
fn conjuncts_with_a_comma() {
    insta::assert_snapshot!(file("set Threads  process thread for self in Threads { skip; } invariant t { true, false }"), @"
    missing-semicolon @ 1:77: expected `;` after the conjunct
        1:77-1:77: expected `;` here
        help: add it [1:77-1:77 -> `;`]
    ");
}

#[test]
fn a_let_without_a_value() {
    insta::assert_snapshot!(file("set Threads  process thread for self in Threads { skip; } fn p(i); invariant t: true;"), @"
    expected-body @ 1:66: expected `{` and a body, found `;`
        1:66-1:66: expected `{` here
        help: a process looks like `process p { ... }`
    ");
}

// Statements.

#[test]
fn a_statement_without_a_semicolon() {
    insta::assert_snapshot!(body("x := 1\ny := 2;"), @"
    missing-semicolon @ 2:7: expected `;` between two statements
        2:7-2:7: expected `;` here
        help: add it [2:7-2:7 -> `;`]
    ");
}

#[test]
fn an_empty_statement() {
    insta::assert_snapshot!(body(";"), @"");
}

#[test]
fn an_equals_sign_that_should_assign() {
    insta::assert_snapshot!(body("x = 1;"), @"
    equals-for-assignment @ 2:3: `=` does not assign; `:=` does
        2:3-2:4: expected `:=`
        help: write `:=` to assign [2:3-2:4 -> `:=`]
        help: write `==` to compare
    ");
}

#[test]
fn a_compound_assignment() {
    insta::assert_snapshot!(body("x += 2;"), @r"
    compound-assignment @ 2:3: there is no `+=`
        2:3-2:5: unexpected
        help: write it out [2:3-2:5 -> `:= x +`]
    ");
}

#[test]
fn an_increment() {
    insta::assert_snapshot!(body("x++;"), @"
    increment @ 2:2: there is no `++`
        2:2-2:4: unexpected
        help: write it out [2:1-2:4 -> `x := x + 1`]
    ");
}

#[test]
fn a_call_without_the_word() {
    insta::assert_snapshot!(body("q();"), @"");
}

#[test]
fn a_call_without_parentheses() {
    insta::assert_snapshot!(body("call q;"), @"
    other-language @ 2:1: a function is called by its name
        2:1-2:5: not part of the language
        help: write `p(x)`, or `y := p(x)`
    ");
}

#[test]
fn a_late_local() {
    insta::assert_snapshot!(body("x := 1; var v: int;"), @"
    late-local @ 2:9: variables of a thread are declared before the first statement
        2:9-2:19: unexpected declaration here
        help: move it to the start of the body
    ");
}

#[test]
fn a_choice_with_one_branch() {
    insta::assert_snapshot!(body("choose { skip; }"), @"
    single-choice @ 2:1: a choice has at least two branches
        2:1-2:7: expected `or { ... }` behind this
        help: to do it or nothing, write `choose { ... } or { skip }`
    ");
}

#[test]
fn an_or_without_a_choice() {
    insta::assert_snapshot!(body("or { skip; }"), @"
    expected-expression @ 2:1: expected an expression, found `or`
        2:1-2:3: expected an expression here
    ");
}

#[test]
fn an_else_without_an_if() {
    insta::assert_snapshot!(body("else { skip; }"), @r"
    else-without-if @ 2:1: this `else` belongs to no `if`
        2:1-2:5: no `if` ends right before this
    ");
}

#[test]
fn a_misspelt_else_if() {
    insta::assert_snapshot!(body("if x == 1 { skip; } elif x == 2 { skip; }"), @r"
    misspelt-else-if @ 2:21: `elif` is written `else if`
        2:21-2:25: expected `else if`
        help: write `else if` [2:21-2:25 -> `else if`]
    ");
}

#[test]
fn an_if_without_a_condition() {
    insta::assert_snapshot!(body("if { x := 1; }"), @"
    expected-condition @ 2:3: expected a condition, found `{`
        2:3-2:3: expected a condition here
        help: if either may happen, write `if ? { ... }`
    ");
}

#[test]
fn a_while_without_a_condition() {
    insta::assert_snapshot!(body("while { skip; }"), @"
    expected-condition @ 2:6: expected a condition, found `{`
        2:6-2:6: expected a condition here
        help: to repeat forever, write `loop { ... }`
    ");
}

#[test]
fn an_if_without_braces() {
    insta::assert_snapshot!(body("if x == 1 skip;"), @"
    expected-block @ 2:11: expected `{` after the condition, found the name `skip`
        2:11-2:15: expected `{`
        help: write `if (...) { ... }`
    ");
}

#[test]
fn an_if_with_a_star() {
    insta::assert_snapshot!(body("if * { skip; }"), @"
    star-for-coin @ 2:4: where either may happen, the condition is `?`
        2:4-2:5: expected `?`
        help: write `?` [2:4-2:5 -> `?`]
    ");
}

#[test]
fn a_loop_without_braces() {
    insta::assert_snapshot!(body("loop skip;"), @"
    expected-block @ 2:6: expected `{` after `loop`, found the name `skip`
        2:6-2:10: expected `{`
        help: write `loop { ... }`
    ");
}

#[test]
fn a_label_without_a_name() {
    insta::assert_snapshot!(body("label { skip; }"), @"
    other-language @ 2:1: a place is named with `:`
        2:1-2:6: not part of the language
        help: write `crit: { ... }`
    ");
}

#[test]
fn a_label_with_two_names() {
    insta::assert_snapshot!(body("l: m: { skip; }"), @"
    expected-statement @ 2:4: `m` alone does nothing
        2:4-2:5: expected a statement here
        help: statements look like `x := 1`, `await x == 1`, `p(x)`
    colon-for-braces @ 2:5: a block stands in braces, it does not start with `:`
        2:5-2:6: expected `{`
        help: write `process p { x := 1; while x == 1 { skip } }`
    ");
}

#[test]
fn a_block_alone() {
    insta::assert_snapshot!(body("{ skip; }"), @"
    expected-statement @ 2:1: expected a statement, found `{`
        2:1-2:2: unexpected block here
        help: if it is one step, write `atomic {` [2:1-2:2 -> `atomic {`]
    ");
}

#[test]
fn ghost_code_alone() {
    insta::assert_snapshot!(file("ghost var g: int; set Threads  process thread for self in Threads { ghost { g := 1; } }"), @"
    other-language @ 1:69: ghost code stands behind a statement, and is done in its step
        1:69-1:74: not part of the language
        help: write it without `;` before it: `x := 1 ghost { y := 2 }`; for a step of its own, `skip ghost { ... }`
    ");
}

#[test]
fn an_assumption_among_statements() {
    insta::assert_snapshot!(body("assume x == 1;"), @"
    other-world @ 2:1: there is no `assume` in a model of threads
        2:1-2:14: not expected beside a process for each member of a set
        help: `assume` is about the start, and stands at top level; to wait until something holds, write `await c`
    ");
}

#[test]
fn a_let_among_statements() {
    insta::assert_snapshot!(body("fn v = 1;"), @"
    unclosed-brace @ 1:241: this `{` is never closed
        1:241-1:242: opened here
        2:1-2:3: expected `}` before this
        help: add a `}`
    stray-brace @ 3:1: this `}` closes nothing
        3:1-3:2: no `{` is open here
    ");
}

#[test]
fn a_yield() {
    insta::assert_snapshot!(body("yield;"), @"
    other-world @ 2:1: there is no `yield` in a model of threads
        2:1-2:6: not expected beside a process for each member of a set
        help: every statement is one step: others run between any two of them
    ");
}

#[test]
fn a_misspelt_statement() {
    insta::assert_snapshot!(body("awiat x == 1;"), @"
    expected-statement @ 2:1: `awiat` alone does nothing
        2:1-2:6: expected a statement here
        help: statements look like `x := 1`, `await x == 1`, `p(x)`
    missing-semicolon @ 2:6: expected `;` between two statements
        2:6-2:6: expected `;` here
        help: add it [2:6-2:6 -> `;`]
    expected-statement @ 2:7: an operator alone does nothing
        2:7-2:13: expected a statement here
        help: statements look like `x := 1`, `await x == 1`, `p(x)`
    ");
}

#[test]
fn havoc_alone() {
    insta::assert_snapshot!(body("choose(int) x;"), @"
    expected-statement @ 2:1: `choose` alone does nothing
        2:1-2:12: expected a statement here
        help: statements look like `x := 1`, `await x == 1`, `p(x)`
    missing-semicolon @ 2:12: expected `;` between two statements
        2:12-2:12: expected `;` here
        help: add it [2:12-2:12 -> `;`]
    expected-statement @ 2:13: `x` alone does nothing
        2:13-2:14: expected a statement here
        help: statements look like `x := 1`, `await x == 1`, `p(x)`
    ");
}

#[test]
fn malloc_with_one_argument() {
    insta::assert_snapshot!(body("w := malloc(e);"), @"
    malformed-malloc @ 2:6: `malloc` takes 2 arguments
        2:6-2:15: expected `malloc(data, next)`
        help: a new cell gets its data and its next cell: `a := malloc(e, null)`
    ");
}

#[test]
fn a_call_in_atomic() {
    insta::assert_snapshot!(body("atomic { q(); }"), @"
    statement-in-atomic @ 2:10: a call cannot stand in `atomic` or `ghost`
        2:10-2:13: not expected here
        help: in one step there are assignments, `await`, `assert`, `lock`, `unlock`, `skip`, `if` and `match`
    ");
}

#[test]
fn a_loop_in_atomic() {
    insta::assert_snapshot!(body("atomic { while x == 1 { skip; } }"), @"
    statement-in-atomic @ 2:10: `while` cannot stand in `atomic` or `ghost`
        2:10-2:32: not expected here
        help: in one step there are assignments, `await`, `assert`, `lock`, `unlock`, `skip`, `if` and `match`
    ");
}

#[test]
fn a_name_in_atomic() {
    insta::assert_snapshot!(body("atomic { n: x := 1; }"), @r"
    named-action @ 2:10: what stands in `atomic` or `ghost` has no name
        2:10-2:11: unexpected name here
        help: the whole step is one location: `take: atomic { ... }`
    ");
}

#[test]
fn an_arrow_for_a_field() {
    insta::assert_snapshot!(body("a->next := null;"), @"
    not-assignable @ 2:1: only a variable can be assigned to
        2:1-2:8: this is not a variable
        2:9-2:11: assigned here
        help: an assignment looks like `x := 1`
    ");
}

#[test]
fn a_value_alone() {
    insta::assert_snapshot!(body("x;"), @"
    expected-statement @ 2:1: `x` alone does nothing
        2:1-2:2: expected a statement here
        help: statements look like `x := 1`, `await x == 1`, `p(x)`
    ");
}

#[test]
fn something_else_than_an_assignment() {
    insta::assert_snapshot!(body("x + 1;"), @"
    expected-statement @ 2:1: an operator alone does nothing
        2:1-2:6: expected a statement here
        help: statements look like `x := 1`, `await x == 1`, `p(x)`
    ");
}

#[test]
fn a_statement_in_another_alphabet() {
    insta::assert_snapshot!(body("größe := 1;"), @r"
    unknown-character @ 2:1: `größe` is not a name
        2:1-2:6: unexpected
        help: names are made of the letters a to z and A to Z, digits and `_`
    ");
}

#[test]
fn a_named_statement_with_an_at_sign() {
    insta::assert_snapshot!(body("@n: x := 1;"), @"
    unknown-character @ 2:1: `@` is not part of the language
        2:1-2:2: unexpected
    ");
}

#[test]
fn one_mistake_is_one_message() {
    insta::assert_snapshot!(body("s := s + {x y}; x := ; y := 3; if x == { skip; } skip;"), @"
    unclosed-set @ 2:12: expected `,` or `}`, found the name `y`
        2:12-2:12: expected `,` or `}` here
        2:10-2:11: this is the start of a set
    expected-expression @ 2:22: expected an expression, found `;`
        2:22-2:23: expected an expression here
    unclosed-set @ 2:46: expected `,` or `}`, found `;`
        2:46-2:46: expected `,` or `}` here
        2:40-2:41: this is the start of a set
    ");
}
