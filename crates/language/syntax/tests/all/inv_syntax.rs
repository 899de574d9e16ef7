//! What the tool says about `.inv` files that cannot be parsed: one row per mistake, shown as in
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

// What is missing.

#[test]
fn an_empty_file() {
    insta::assert_snapshot!(file(""), @r"
    no-thread @ 1:1: this file is empty
        1:1-1:1: expected `thread { ... }`
        help: a small file is `global x : int = 0;  thread { x := x + 1; }  invariant positive() = x >= 0;`
    ");
}

#[test]
fn nothing_but_comments() {
    insta::assert_snapshot!(file("// later"), @r"
    no-thread @ 1:9: this file has nothing but comments
        1:9-1:9: expected `thread { ... }`
        help: a small file is `global x : int = 0;  thread { x := x + 1; }  invariant positive() = x >= 0;`
    ");
}

#[test]
fn no_thread() {
    insta::assert_snapshot!(file("global x : int;"), @r"
    no-thread @ 1:16: this file does not say what threads do
        1:16-1:16: expected `thread { ... }`
        help: a small file is `global x : int = 0;  thread { x := x + 1; }  invariant positive() = x >= 0;`
    ");
}

#[test]
fn no_invariants() {
    insta::assert_snapshot!(file("thread { skip; }"), @r"
    warning no-invariants @ 1:1: there are no invariants here
        1:1-1:7: all that is looked at is whether a step can be an error
        help: say what always holds: `invariant mutex(i, j) = i != j -> ...;`
    ");
}

#[test]
fn a_file_of_another_kind() {
    insta::assert_snapshot!(file("request main { X := 1 }"), @r"
    other-language @ 1:1: this looks like a `.ser` file, not like an `.inv` file
        1:1-1:8: this is how `.ser` files are written
        help: give it a name that ends with `.ser`, and run `ser check` on it
        help: the program of an `.inv` file looks like `thread { loop { critical; } }`
    ");
}

#[test]
fn a_file_with_processes_that_send_messages() {
    insta::assert_snapshot!(file("procs Q; msg Ping = Ping;"), @r"
    other-language @ 1:1: this looks like an `.icet` file, not like an `.inv` file
        1:1-1:6: this is how `.icet` files are written
        help: give it a name that ends with `.icet`, and run `ser sequentialize` on it
        help: the program of an `.inv` file looks like `thread { loop { critical; } }`
    ");
}

#[test]
fn a_file_with_processes_over_variables() {
    insta::assert_snapshot!(file("process P { X := 1 }"), @"
    other-language @ 1:1: this looks like a `.ser` file, not like an `.inv` file
        1:1-1:8: this is how `.ser` files are written
        help: give it a name that ends with `.ser`, and run `ser trace` on it
        help: the program of an `.inv` file looks like `thread { loop { critical; } }`
    ");
}

#[test]
fn a_file_with_places() {
    insta::assert_snapshot!(file("place p : 0..3"), @r"
    other-language @ 1:1: this looks like a `.unw` file, not like an `.inv` file
        1:1-1:6: this is how `.unw` files are written
        help: give it a name that ends with `.unw`, and run `ser trace` on it
        help: the program of an `.inv` file looks like `thread { loop { critical; } }`
    ");
}

#[test]
fn a_comment_without_an_end() {
    insta::assert_snapshot!(file("thread { skip; } /* invariants"), @r"
    unterminated-comment @ 1:18: this comment is never closed
        1:18-1:20: opened here
        help: close it [1:31-1:31 -> ` */`]
    ");
}

#[test]
fn a_statement_at_top_level() {
    insta::assert_snapshot!(file("x := 1;\nthread { skip; }"), @r"
    expected-item @ 1:1: what is done stands in `thread` or in a procedure
        1:1-1:2: not expected at top level
        help: for an initial value, write `global x : int = 0;`
    ");
}

#[test]
fn a_local_at_top_level() {
    insta::assert_snapshot!(file("local x : int; thread { skip; }"), @r"
    expected-item @ 1:1: locals stand at the start of `thread` or of a procedure
        1:1-1:6: not expected outside a body
        help: for a variable that all threads share, write `global`
    ");
}

#[test]
fn a_misspelt_item() {
    insta::assert_snapshot!(file("globl x : int; thread { skip; }"), @r"
    expected-item @ 1:1: expected `global`, `thread`, `proc`, `invariant` or `proof`, found the name `globl`
        1:1-1:6: not expected at top level
        help: did you mean `global`? [1:1-1:6 -> `global`]
    ");
}

#[test]
fn a_brace_that_closes_nothing() {
    insta::assert_snapshot!(file("thread { skip; } }"), @r"
    stray-brace @ 1:18: this `}` closes nothing
        1:18-1:19: no `{` is open here
    ");
}

#[test]
fn a_semicolon_that_ends_nothing() {
    insta::assert_snapshot!(file("global x : int; ; thread { skip; }"), @r"
    stray-semicolon @ 1:17: this `;` ends nothing
        1:17-1:18: unexpected
        help: remove it [1:17-1:18 -> ``]
    ");
}

#[test]
fn a_brace_that_is_not_closed() {
    insta::assert_snapshot!(file("thread { loop { skip; }\ninvariant t() = true;"), @r"
    unclosed-brace @ 1:8: this `{` is never closed
        1:8-1:9: opened here
        2:1-2:10: expected `}` before this
        help: add a `}`
    ");
}

// Declarations.

#[test]
fn a_system_without_a_name() {
    insta::assert_snapshot!(file("system; thread { skip; }"), @r"
    expected-name @ 1:7: expected the name of the system, found `;`
        1:7-1:8: expected a name
        help: a name is made of letters, digits and `_`, and starts with no digit
    ");
}

#[test]
fn a_name_that_is_none() {
    insta::assert_snapshot!(file("global _ : int; thread { skip; }"), @r"
    expected-name @ 1:8: expected the name of a variable, found `_`
        1:8-1:9: expected a name
        help: a name is made of letters, digits and `_`, and starts with no digit
    ");
}

#[test]
fn a_word_as_a_name() {
    insta::assert_snapshot!(file("global label : int; thread { skip; }"), @r"
    keyword-as-name @ 1:8: `label` is a keyword and cannot be a name
        1:8-1:13: a keyword
        help: choose another name, for example [1:8-1:13 -> `label_`]
    ");
}

#[test]
fn threads_without_a_number() {
    insta::assert_snapshot!(file("threads many; thread { skip; }"), @r"
    expected-number @ 1:9: expected a number, found the name `many`
        1:9-1:13: expected how many threads there are
        help: for exactly two threads, write `threads 2;`
        help: for any number of threads, leave it out
    ");
}

#[test]
fn a_global_without_a_type() {
    insta::assert_snapshot!(file("global x = 0; thread { skip; }"), @r"
    malformed-declaration @ 1:9: expected `:` and a type, found `=`
        1:9-1:9: expected `:` here
        help: it looks like `global x : int = 0;`
    ");
}

#[test]
fn a_global_with_the_wrong_sign() {
    insta::assert_snapshot!(file("global x : int := 0; thread { skip; } invariant t() = true;"), @r"
    malformed-declaration @ 1:16: an initial value stands behind `=`, not behind `:=`
        1:16-1:18: expected `=`
        help: write `=` [1:16-1:18 -> `=`]
    ");
}

#[test]
fn a_type_of_another_language() {
    insta::assert_snapshot!(file("global x : integer; thread { skip; }"), @r"
    expected-type @ 1:12: expected a type, found the name `integer`
        1:12-1:19: not a type
        help: did you mean `int`? [1:12-1:19 -> `int`]
    ");
}

#[test]
fn a_type_that_does_not_exist() {
    insta::assert_snapshot!(file("global x : string; thread { skip; }"), @r"
    expected-type @ 1:12: expected a type, found the name `string`
        1:12-1:18: not a type
        help: types are `bool`, `int`, `tid`, `addr`, `elem`, and sets like `set<int>`
    ");
}

#[test]
fn a_type_in_full() {
    insta::assert_snapshot!(file("global x : boolean; thread { skip; }"), @r"
    expected-type @ 1:12: expected a type, found the name `boolean`
        1:12-1:19: not a type
        help: did you mean `bool`? [1:12-1:19 -> `bool`]
    ");
}

#[test]
fn a_set_without_a_type() {
    insta::assert_snapshot!(file("global s : set; thread { skip; }"), @r"
    expected-type @ 1:15: expected `<` and a type, found `;`
        1:15-1:15: expected `<` here
        help: sets are `set<int>`, `set<tid>`, `set<addr>` and `set<elem>`
    ");
}

#[test]
fn a_set_of_sets() {
    insta::assert_snapshot!(file("global s : set<set<int>>; thread { skip; }"), @r"
    expected-type @ 1:16: there are no sets of sets
        1:16-1:19: not a type of elements
        help: sets are `set<int>`, `set<tid>`, `set<addr>` and `set<elem>`
    ");
}

#[test]
fn a_set_of_truth_values() {
    insta::assert_snapshot!(file("global s : set<bool>; thread { skip; }"), @r"
    expected-type @ 1:16: there are no sets of truth values
        1:16-1:20: not a type of elements
        help: sets are `set<int>`, `set<tid>`, `set<addr>` and `set<elem>`
    ");
}

#[test]
fn a_set_that_is_not_closed() {
    insta::assert_snapshot!(file("global s : set<int = {}; thread { skip; }"), @r"
    expected-type @ 1:19: expected `>`, found `=`
        1:19-1:19: expected `>` here
        1:15-1:16: to close this
    ");
}

#[test]
fn a_missing_semicolon_between_items() {
    insta::assert_snapshot!(file("global x : int\nglobal y : int\nthread { skip; } invariant t() = true;"), @r"
    missing-semicolon @ 1:15: expected `;` after the declaration
        1:15-1:15: expected `;` here
        help: add it [1:15-1:15 -> `;`]
    missing-semicolon @ 2:15: expected `;` after the declaration
        2:15-2:15: expected `;` here
        help: add it [2:15-2:15 -> `;`]
    ");
}

#[test]
fn a_procedure_without_parentheses() {
    insta::assert_snapshot!(file("proc p { skip; } thread { call p(); }"), @r"
    expected-parameters @ 1:7: expected `(` and parameters, found `{`
        1:7-1:7: expected `(` here
        help: without parameters, write `proc p() { ... }`
        help: with one, `proc p(e : elem) { ... }`
    ");
}

#[test]
fn a_parameter_without_a_type() {
    insta::assert_snapshot!(file("proc p(x) { skip; } thread { call p(1); }"), @r"
    malformed-declaration @ 1:9: expected `:` and a type, found `)`
        1:9-1:9: expected `:` here
        help: parameters have types: `x : int`
    ");
}

#[test]
fn a_procedure_without_a_body() {
    insta::assert_snapshot!(file("proc p(); thread { skip; }"), @r"
    expected-body @ 1:9: expected `{` and a body, found `;`
        1:9-1:9: expected `{` here
        help: a procedure looks like `proc p() { ... }`
    ");
}

#[test]
fn a_thread_with_a_name() {
    insta::assert_snapshot!(file("thread main { skip; }"), @r"
    expected-body @ 1:7: expected `{` and a body, found the name `main`
        1:7-1:7: expected `{` here
        help: all threads run the same code: `thread { ... }`
        help: for procedures, write `proc name() { ... }`
    ");
}

#[test]
fn an_invariant_without_parameters() {
    insta::assert_snapshot!(file("thread { skip; } invariant t = true;"), @r"
    expected-parameters @ 1:29: expected `(` and threads, found `=`
        1:29-1:29: expected `(` here
        help: about every two threads: `invariant t(i, j) = ...;`
        help: about globals only: `invariant t() = ...;`
    ");
}

#[test]
fn an_invariant_without_a_formula() {
    insta::assert_snapshot!(file("thread { skip; } invariant t();"), @r"
    malformed-declaration @ 1:31: expected `=` and a formula, found `;`
        1:31-1:31: expected `=` here
        help: it looks like `invariant t(i) = at(i, wait) -> x >= 0;`
    ");
}

#[test]
fn an_invariant_that_is_assigned() {
    insta::assert_snapshot!(file("thread { skip; } invariant t() := true;"), @r"
    malformed-declaration @ 1:32: expected `=`, found `:=`
        1:32-1:34: expected `=`
        help: write `=` [1:32-1:34 -> `=`]
    ");
}

#[test]
fn an_invariant_without_conjuncts() {
    insta::assert_snapshot!(file("thread { skip; } invariant t() { }"), @r"
    empty-invariant @ 1:32: the invariant `t` says nothing
        1:32-1:35: expected a formula here
        help: it looks like `invariant t() { x >= 0; }`
    ");
}

#[test]
fn a_conjunct_without_a_semicolon() {
    insta::assert_snapshot!(file("thread { skip; } invariant t() { true }"), @r"
    missing-semicolon @ 1:38: expected `;` after the conjunct
        1:38-1:38: expected `;` here
        help: add it [1:38-1:38 -> `;`]
    ");
}

#[test]
fn conjuncts_with_a_comma() {
    insta::assert_snapshot!(file("thread { skip; } invariant t() { true, false }"), @r"
    unexpected-token @ 1:38: expected `;` after the conjunct, found `,`
        1:38-1:39: not expected here
    ");
}

#[test]
fn a_let_without_a_value() {
    insta::assert_snapshot!(file("thread { skip; } let p(i); invariant t() = true;"), @r"
    malformed-declaration @ 1:26: expected `=` and a formula, found `;`
        1:26-1:26: expected `=` here
        help: it looks like `let p(i) = at(i, wait) -> x >= 0;`
    ");
}

// Statements.

#[test]
fn a_statement_without_a_semicolon() {
    insta::assert_snapshot!(body("x := 1\ny := 2;"), @r"
    missing-semicolon @ 2:7: expected `;` after this statement
        2:7-2:7: expected `;` here
        help: add it [2:7-2:7 -> `;`]
    ");
}

#[test]
fn an_empty_statement() {
    insta::assert_snapshot!(body(";"), @r"
    stray-semicolon @ 2:1: there is no statement before this `;`
        2:1-2:2: unexpected
        help: remove it [2:1-2:2 -> ``]
        help: to do nothing, write `skip;`
    ");
}

#[test]
fn an_equals_sign_that_should_assign() {
    insta::assert_snapshot!(body("x = 1;"), @r"
    equals-for-assignment @ 2:3: `=` does not assign; `:=` does
        2:3-2:4: expected `:=`
        help: write `:=` to assign [2:3-2:4 -> `:=`]
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
    insta::assert_snapshot!(body("x++;"), @r"
    compound-assignment @ 2:2: there is no `++`
        2:2-2:4: unexpected
        help: write it out [2:2-2:4 -> ` := x + 1`]
    ");
}

#[test]
fn a_call_without_the_word() {
    insta::assert_snapshot!(body("q();"), @r"
    missing-call @ 2:1: `q` is called with `call`
        2:1-2:4: looks like a call
        help: write `call` [2:1-2:1 -> `call `]
    ");
}

#[test]
fn a_call_without_parentheses() {
    insta::assert_snapshot!(body("call q;"), @r"
    expected-arguments @ 2:7: expected `(` and arguments, found `;`
        2:7-2:7: expected `(` here
        help: without arguments, write `call q();`
    ");
}

#[test]
fn a_late_local() {
    insta::assert_snapshot!(body("x := 1; local v : int;"), @r"
    late-local @ 2:9: locals are declared before the first statement
        2:9-2:14: unexpected declaration here
        help: move it to the start of `thread` or of the procedure
    ");
}

#[test]
fn a_choice_with_one_branch() {
    insta::assert_snapshot!(body("choice { skip; }"), @r"
    single-choice @ 2:17: a `choice` has at least two branches
        2:17-2:17: expected `or { ... }` here
        2:1-2:7: the choice
        help: to do it or nothing, write `choice { ... } or { skip; }`
    ");
}

#[test]
fn an_or_without_a_choice() {
    insta::assert_snapshot!(body("or { skip; }"), @r"
    or-without-choice @ 2:1: this `or` belongs to no `choice`
        2:1-2:3: no `choice` ends right before this
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
fn a_misspelt_else_if_in_one_step() {
    insta::assert_snapshot!(body("atomic { if x == 1 { skip; } elsif x == 2 { skip; } }"), @r"
    misspelt-else-if @ 2:30: `elsif` is written `else if`
        2:30-2:35: expected `else if`
        help: write `else if` [2:30-2:35 -> `else if`]
    ");
}

#[test]
fn an_if_without_a_condition() {
    insta::assert_snapshot!(body("if { x := 1; }"), @r"
    expected-condition @ 2:3: expected a condition, found `{`
        2:3-2:3: expected a condition here
        help: if either may happen, write `choice { ... } or { ... }`
    ");
}

#[test]
fn a_while_without_a_condition() {
    insta::assert_snapshot!(body("while { skip; }"), @r"
    expected-condition @ 2:6: expected a condition, found `{`
        2:6-2:6: expected a condition here
        help: to repeat forever, write `loop { ... }`
    ");
}

#[test]
fn an_if_without_braces() {
    insta::assert_snapshot!(body("if x == 1 skip;"), @r"
    expected-block @ 2:11: expected `{` after the condition, found `skip`
        2:11-2:15: expected `{`
        help: write `if x == 1 { ... }`
    ");
}

#[test]
fn an_if_with_a_star() {
    insta::assert_snapshot!(body("if * { skip; }"), @r"
    star-condition @ 2:4: `if` needs a condition
        2:4-2:5: expected a condition
        help: if either may happen, write `choice { ... } or { ... }`
    ");
}

#[test]
fn a_loop_without_braces() {
    insta::assert_snapshot!(body("loop skip;"), @r"
    expected-block @ 2:6: expected `{` after `loop`, found `skip`
        2:6-2:10: expected `{`
        help: write `loop { ... }`
    ");
}

#[test]
fn a_label_without_a_name() {
    insta::assert_snapshot!(body("label { skip; }"), @r"
    expected-name @ 2:7: expected the name of a label, found `{`
        2:7-2:8: expected a name
        help: a name is made of letters, digits and `_`, and starts with no digit
    ");
}

#[test]
fn a_label_with_two_names() {
    insta::assert_snapshot!(body("l: label m { skip; }"), @r"
    named-label @ 2:4: a `label` has its name behind it, and no other
        2:4-2:9: unexpected `label` here
        help: write `label crit { ... }`
    ");
}

#[test]
fn a_block_alone() {
    insta::assert_snapshot!(body("{ skip; }"), @r"
    expected-statement @ 2:1: expected a statement, found `{`
        2:1-2:2: unexpected block here
        help: blocks follow words like `if`, `loop` and `label NAME`
    ");
}

#[test]
fn ghost_code_alone() {
    insta::assert_snapshot!(file("ghost global g : int; thread { ghost { g := 1; } }"), @r"
    ghost-alone @ 1:32: ghost code stands behind a statement, and is done in its step
        1:32-1:37: there is no statement before it
        help: for a step of its own, write `skip; ghost { ... }`
    ");
}

#[test]
fn a_break() {
    insta::assert_snapshot!(body("while true { break; }"), @r"
    no-break @ 2:14: there is no `break`
        2:14-2:19: loops end by their condition
        help: write `while c { ... }`, or leave a procedure with `return;`
    ");
}

#[test]
fn an_assumption_among_statements() {
    insta::assert_snapshot!(body("assume x == 1;"), @r"
    assume-in-statements @ 2:1: `assume` is about the start: it stands at top level
        2:1-2:7: not expected here
        help: to wait until something holds, write `await c;`
    ");
}

#[test]
fn a_let_among_statements() {
    insta::assert_snapshot!(body("let v = 1;"), @r"
    let-in-statements @ 2:1: `let` stands at top level
        2:1-2:4: not expected here
        help: declare `local x : int;` at the start of the body
    ");
}

#[test]
fn a_yield() {
    insta::assert_snapshot!(body("yield;"), @r"
    other-language @ 2:1: there is no `yield` in `.inv` files
        2:1-2:6: a word of other languages
        help: every statement is one step: others run between any two of them
    ");
}

#[test]
fn a_misspelt_statement() {
    insta::assert_snapshot!(body("awiat x == 1;"), @r"
    expected-statement @ 2:1: expected a statement, found the name `awiat`
        2:1-2:6: unexpected
        help: did you mean `await`? [2:1-2:6 -> `await`]
    ");
}

#[test]
fn havoc_alone() {
    insta::assert_snapshot!(body("havoc x;"), @r"
    expected-statement @ 2:1: `havoc` gives a value to a variable
        2:1-2:6: expected `x :=` before this
        help: write `x := havoc...;`
    ");
}

#[test]
fn malloc_with_one_argument() {
    insta::assert_snapshot!(body("w := malloc(e);"), @r"
    malformed-malloc @ 2:14: expected `malloc(data, next)`, found `)`
        2:14-2:15: not expected here
        help: a new cell gets its data and its next cell: `a := malloc(e, null);`
    ");
}

#[test]
fn a_call_in_atomic() {
    insta::assert_snapshot!(body("atomic { call q(); }"), @r"
    statement-in-atomic @ 2:10: `call` cannot stand in `atomic` or `ghost`
        2:10-2:14: not expected here
        help: in one step there are assignments, `await`, `assert`, `lock`, `unlock`, `skip` and `if`
    ");
}

#[test]
fn a_loop_in_atomic() {
    insta::assert_snapshot!(body("atomic { while x == 1 { skip; } }"), @r"
    statement-in-atomic @ 2:10: `while` cannot stand in `atomic` or `ghost`
        2:10-2:15: not expected here
        help: in one step there are assignments, `await`, `assert`, `lock`, `unlock`, `skip` and `if`
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
    insta::assert_snapshot!(body("a->next := null;"), @r"
    arrow-for-field @ 2:2: fields stand behind `.`
        2:2-2:4: expected `.`
        help: write `.` [2:2-2:4 -> `.`]
    ");
}

#[test]
fn a_value_alone() {
    insta::assert_snapshot!(body("x;"), @r"
    expected-assignment @ 2:2: expected `:=`, found `;`
        2:2-2:3: expected `:=` here
        help: statements look like `x := 1;`, `await x == 1;`, `call p(x);`
    ");
}

#[test]
fn something_else_than_an_assignment() {
    insta::assert_snapshot!(body("x + 1;"), @r"
    expected-assignment @ 2:3: expected `:=`, found `+`
        2:3-2:4: expected `:=` here
        help: statements look like `x := 1;`, `await x == 1;`, `call p(x);`
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
    insta::assert_snapshot!(body("@n: x := 1;"), @r"
    unknown-character @ 2:1: a statement is named without `@`
        2:1-2:2: unexpected
        help: leave it out [2:1-2:2 -> ``]
    ");
}

#[test]
fn one_mistake_is_one_message() {
    insta::assert_snapshot!(body("s := s + {x y}; x := ; y := 3; if x == { skip; } skip;"), @r"
    unclosed-set @ 2:13: expected `,` or `}`, found the name `y`
        2:13-2:14: expected `,` or `}` here
        2:10-2:11: this is the start of a set
    expected-expression @ 2:22: expected an expression, found `;`
        2:22-2:23: expected an expression here
    expected-expression @ 2:40: expected an expression, found `{`
        2:40-2:41: expected an expression here
    ");
}
