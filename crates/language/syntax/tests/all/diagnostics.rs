//! What the tool says about programs that are wrong: one row per mistake.
//!
//! Each message is shown as `code @ line:column: message`, then what it says at the place, the
//! other places, and what to do. A row that changes should read better afterwards.

use crate::shared;

use ser_editing::parse;

/// The messages about a program, as a person would see them.
fn messages(text: &str) -> String {
    shared::messages(text, &parse(text).diagnostics)
}

// Separators and brackets.

#[test]
fn a_missing_semicolon() {
    insta::assert_snapshot!(messages("request main { X := 1 yield; X }"), @r"
    missing-semicolon @ 1:22: expected `;` between two expressions
        1:22-1:22: expected `;` here
        help: add it [1:22-1:22 -> `;`]
    ");
}

#[test]
fn a_missing_semicolon_after_a_loop() {
    insta::assert_snapshot!(messages("request main {\n    while (X == 1) { yield }\n    X := 1;\n    if (X) { X := 2 }\n    X\n}"), @"");
}

#[test]
fn a_comma_is_not_a_semicolon() {
    insta::assert_snapshot!(messages("request main { X := 1, X }"), @"
    unexpected-token @ 1:22: expected `;` or `}`, found `,`
        1:22-1:23: not expected here
        help: separate expressions with `;` [1:22-1:23 -> `;`]
        help: several values in one stand in parentheses: `(a, b)`
    ");
}

#[test]
fn a_brace_that_is_never_closed() {
    insta::assert_snapshot!(messages("request main {\n    if (X == 1) { X := 2;\n    X\n}"), @r"
    unclosed-brace @ 1:14: this `{` is never closed
        1:14-1:15: opened here
        4:2-4:2: expected `}` before the end of the file
        help: add a `}`
    ");
}

#[test]
fn a_brace_that_is_not_closed_before_the_next_request() {
    insta::assert_snapshot!(messages("request a { if (X) { X := 1 }\nrequest b { X }"), @r"
    unclosed-brace @ 1:11: this `{` is never closed
        1:11-1:12: opened here
        2:1-2:8: expected `}` before this
        help: add a `}`
    ");
}

#[test]
fn a_brace_that_closes_nothing() {
    insta::assert_snapshot!(messages("request main { X := 1 } }\nrequest other { X }"), @r"
    stray-brace @ 1:25: this `}` closes nothing
        1:25-1:26: no `{` is open here
        1:23-1:24: the request `main` ended here
    ");
}

#[test]
fn a_brace_too_early() {
    insta::assert_snapshot!(messages("request main {\n    if (X == 0) { X := 1 } };\n    y := X;\n    y\n}"), @r"
    expected-item @ 3:5: expected `request`, `fn`, `const`, `var` or an initial value like `X := 1`, found the name `y`
        3:5-3:6: not expected outside a request
        2:28-2:29: the request `main` ended here
        help: what a request does stands in its braces: `request main { ... }`
    ");
}

#[test]
fn a_parenthesis_that_is_never_closed() {
    insta::assert_snapshot!(messages("request main { while (X == 1 { yield }; X := (1 + 2; X }"), @r"
    unclosed-parenthesis @ 1:22: this `(` is never closed
        1:22-1:23: opened here
        1:30-1:31: expected `)` before this
        help: close it [1:29-1:29 -> `)`]
    unclosed-parenthesis @ 1:46: this `(` is never closed
        1:46-1:47: opened here
        1:56-1:57: expected `)` before this
        help: close it [1:52-1:52 -> `)`]
    ");
}

#[test]
fn a_parenthesis_that_closes_nothing() {
    insta::assert_snapshot!(messages("request main { X := 1); X }"), @r"
    stray-parenthesis @ 1:22: this `)` closes nothing
        1:22-1:23: no `(` is open here
    ");
}

#[test]
fn parentheses_with_nothing_inside() {
    insta::assert_snapshot!(messages("request main { X := (); X }"), @r"
    empty-parentheses @ 1:21: there is nothing between these parentheses
        1:21-1:23: expected an expression inside
        help: if nothing is meant, write 0 [1:21-1:23 -> `0`]
    ");
}

#[test]
fn a_comment_that_is_never_closed() {
    insta::assert_snapshot!(messages("request main { X := 1; /* and then\n X }"), @r"
    unterminated-comment @ 1:24: this comment is never closed
        1:24-1:26: opened here
        help: close it [2:5-2:5 -> ` */`]
    ");
}

#[test]
fn a_block_is_not_an_expression() {
    insta::assert_snapshot!(messages("request main { X := { 1 }; X }"), @r"
    expected-expression @ 1:21: expected an expression, found `{`
        1:21-1:22: unexpected block here
        help: braces follow `if`, `else`, `while` and the name of a request
        help: to put expressions together, use parentheses: `(a; b)`
    ");
}

// Operators.

#[test]
fn equals_for_assignment() {
    insta::assert_snapshot!(messages("X = 1; request main { y = X; X := y }"), @r"
    equals-for-assignment @ 1:3: an initial value is given with `:=`, not with `=`
        1:3-1:4: expected `:=`
        help: write `:=` [1:3-1:4 -> `:=`]
        help: make it a constant: `const X = ...`
    equals-for-assignment @ 1:25: `=` does not assign; `:=` does
        1:25-1:26: expected `:=`
        help: write `:=` to assign [1:25-1:26 -> `:=`]
        help: write `==` to compare
    ");
}

#[test]
fn equals_for_comparison() {
    insta::assert_snapshot!(messages("request main { while (X = 1) { yield }; if X = 2 && X == 1 { X := 3 }; assume(X = 4) }"), @r"
    equals-for-comparison @ 1:25: `=` does not compare; `==` does
        1:25-1:26: expected `==`
        help: write `==` to compare [1:25-1:26 -> `==`]
    equals-for-comparison @ 1:46: `=` does not compare; `==` does
        1:46-1:47: expected `==`
        help: write `==` to compare [1:46-1:47 -> `==`]
    equals-for-comparison @ 1:81: `=` does not compare; `==` does
        1:81-1:82: expected `==`
        help: write `==` to compare [1:81-1:82 -> `==`]
    ");
}

#[test]
fn comparisons_in_a_row() {
    insta::assert_snapshot!(messages("request main { a := X; X := 0 < a < 3; X := a == X == 1 }"), @r"
    chained-comparison @ 1:35: comparisons cannot be chained
        1:35-1:36: a second comparison
        1:29-1:34: this is already a comparison
        help: to say both, write `0 < a && a < ...`
    chained-comparison @ 1:52: comparisons cannot be chained
        1:52-1:54: a second comparison
        1:45-1:51: this is already a comparison
        help: say which one comes first with parentheses
    ");
}

#[test]
fn increments() {
    insta::assert_snapshot!(messages("request main { X++; X--; y := X--1; ++y }"), @r"
    increment @ 1:17: there is no `++`
        1:17-1:19: unexpected
        help: write it out [1:16-1:19 -> `X := X + 1`]
    increment @ 1:22: there is no `--`
        1:22-1:24: unexpected
        help: write it out [1:21-1:24 -> `X := X - 1`]
    increment @ 1:37: there is no `++`
        1:37-1:38: unexpected
        help: write `x := x + 1`
    ");
}

#[test]
fn compound_assignments() {
    insta::assert_snapshot!(messages("request main { X += 1; X -= 2; X *= 3; X }"), @r"
    compound-assignment @ 1:18: there is no `+=`
        1:18-1:20: unexpected
        help: write it out [1:18-1:20 -> `:= X +`]
    compound-assignment @ 1:26: there is no `-=`
        1:26-1:28: unexpected
        help: write it out [1:26-1:28 -> `:= X -`]
    compound-assignment @ 1:34: there is no `*=`
        1:34-1:36: unexpected
        help: write it out [1:34-1:36 -> `:= X *`]
    ");
}

#[test]
fn unsupported_operators() {
    insta::assert_snapshot!(messages("request main { X := X % 3; X := X / 2; X := X & 1 | 0; X := X ** 2; X }"), @r"
    unsupported-operator @ 1:47: `&` is written `&&`
        1:47-1:48: not supported
        help: write `&&` [1:47-1:48 -> `&&`]
    unsupported-operator @ 1:51: `|` is written `||`
        1:51-1:52: expected `||`
        help: write `||` [1:51-1:52 -> `||`]
    unsupported-operator @ 1:63: there is no operator for powers
        1:63-1:65: unexpected `**`
        help: write the product out: `x * x`
    ");
}

#[test]
fn operators_of_other_languages() {
    insta::assert_snapshot!(messages("request main { if (X <> 1) { X := 1 }; if (X =< 1) { X := 2 }; if (X === 1) { X := 3 }; if (X ≠ 2 ∧ X ≥ 1) { X := 4 } }"), @r"
    unsupported-operator @ 1:22: `<>` is written `!=`
        1:22-1:24: expected `!=`
        help: write `!=` [1:22-1:24 -> `!=`]
    unsupported-operator @ 1:46: `=<` is written `<=`
        1:46-1:48: expected `<=`
        help: write `<=` [1:46-1:48 -> `<=`]
    unsupported-operator @ 1:70: `===` is written `==`
        1:70-1:73: expected `==`
        help: write `==` [1:70-1:73 -> `==`]
    unsupported-operator @ 1:95: `≠` is written `!=`
        1:95-1:96: not supported
        help: write `!=` [1:95-1:96 -> `!=`]
    unsupported-operator @ 1:99: `∧` is written `&&`
        1:99-1:100: not supported
        help: write `&&` [1:99-1:100 -> `&&`]
    unsupported-operator @ 1:103: `≥` is written `>=`
        1:103-1:104: not supported
        help: write `>=` [1:103-1:104 -> `>=`]
    ");
}

#[test]
fn no_ternary_operator() {
    insta::assert_snapshot!(messages("request main { X := X ? 1 : 2; X }"), @r"
    no-ternary @ 1:23: there is no `? :`; `if` has a value itself
        1:23-1:24: unexpected `?` after an expression
        help: write `if (a) { b } else { c }`
    ");
}

#[test]
fn assigning_to_something_else() {
    insta::assert_snapshot!(messages("request main { 1 + X := 2; (X) := 3; X }"), @r"
    not-assignable @ 1:16: only a variable can be assigned to
        1:16-1:21: this is not a variable
        1:22-1:24: assigned here
        help: an assignment inside an expression needs parentheses: `1 + (x := 2)`
    not-assignable @ 1:28: only a variable can be assigned to
        1:28-1:31: this is not a variable
        1:32-1:34: assigned here
        help: leave the parentheses out: `x := 1`
    ");
}

#[test]
fn a_missing_operand() {
    insta::assert_snapshot!(messages("request main { X := ; X := 1 +; X := * 2; X }"), @r"
    expected-expression @ 1:21: expected an expression, found `;`
        1:21-1:22: expected an expression here
    expected-expression @ 1:31: expected an expression, found `;`
        1:31-1:32: expected an expression here
    expected-expression @ 1:38: expected an expression, found `*`
        1:38-1:39: expected an expression here
    ");
}

#[test]
fn an_empty_condition() {
    insta::assert_snapshot!(messages("request main { if { X := 1 }; while () { yield }; X }"), @r"
    expected-condition @ 1:18: expected a condition, found `{`
        1:18-1:18: expected a condition here
        help: for a condition that is always true, write `(1)`
    empty-parentheses @ 1:37: there is nothing between these parentheses
        1:37-1:39: expected an expression inside
        help: if nothing is meant, write 0 [1:37-1:39 -> `0`]
    ");
}

// Words.

#[test]
fn keywords_as_names() {
    insta::assert_snapshot!(messages("const if = 1\nwhile := 2\nrequest yield(in in 0..1) { not := 3; else := 4 }"), @r"
    keyword-as-name @ 1:7: `if` is a keyword and cannot be a name
        1:7-1:9: a keyword
        help: choose another name, for example [1:7-1:9 -> `if_`]
    keyword-as-name @ 2:1: `while` is a keyword and cannot be a name
        2:1-2:6: a keyword
        help: choose another name, for example [2:1-2:6 -> `while_`]
    keyword-as-name @ 3:9: `yield` is a keyword and cannot be a name
        3:9-3:14: a keyword
        help: choose another name, for example [3:9-3:14 -> `yield_`]
    keyword-as-name @ 3:15: `in` is a keyword and cannot be a name
        3:15-3:17: a keyword
        help: choose another name, for example [3:15-3:17 -> `in_`]
    keyword-as-name @ 3:29: `not` is a keyword and cannot be a name
        3:29-3:32: a keyword
        help: choose another name, for example [3:29-3:32 -> `not_`]
    keyword-as-name @ 3:39: `else` is a keyword and cannot be a name
        3:39-3:43: a keyword
        help: choose another name, for example [3:39-3:43 -> `else_`]
    ");
}

#[test]
fn exit() {
    insta::assert_snapshot!(messages("request main { if (X == 1) { exit }; exit(2); X := 1 }"), @r"
    exit @ 1:30: `exit` is not part of the language
        1:30-1:34: not supported
        help: to end the request, write `return` [1:30-1:34 -> `return`]
    exit @ 1:38: `exit` is not part of the language
        1:38-1:42: not supported
        help: to end the request, write `return` [1:38-1:42 -> `return`]
    ");
}

#[test]
fn abort_stands_alone() {
    let text = "request main { if (X) { abort 1 }; if (Y) { abort() }; abort (X + 1); X := 1 }";
    insta::assert_snapshot!(messages(text), @r"
    abort-with-value @ 1:31: `abort` stands alone: the request ends without a response
        1:31-1:32: nobody gets this value
        help: leave it out [1:25-1:32 -> `abort`]
        help: to respond with a value, write `return`
    abort-with-value @ 1:50: `abort` stands alone: the request ends without a response
        1:50-1:52: not needed
        help: leave it out [1:45-1:52 -> `abort`]
        help: to respond with a value, write `return`
    abort-with-value @ 1:62: `abort` stands alone: the request ends without a response
        1:62-1:69: nobody gets this value
        help: leave it out [1:56-1:69 -> `abort`]
        help: to respond with a value, write `return`
    ");
}

#[test]
fn abort_before_a_missing_semicolon() {
    insta::assert_snapshot!(messages("request main {\n    if (X) { abort\n    Y };\n    Y\n}"), @r"
    missing-semicolon @ 2:19: expected `;` between two expressions
        2:19-2:19: expected `;` here
        help: add it [2:19-2:19 -> `;`]
    ");
}

#[test]
fn abort_outside_a_request() {
    let text = "X := abort;\nconst N = 1 + abort\nrequest main(p in 0..abort) { X }\nabort";
    insta::assert_snapshot!(messages(text), @r"
    abort-outside-request @ 1:6: `abort` outside a request
        1:6-1:11: there is nothing to abort here
    abort-outside-request @ 2:15: `abort` outside a request
        2:15-2:20: there is nothing to abort here
    abort-outside-request @ 3:22: `abort` outside a request
        3:22-3:27: there is nothing to abort here
    abort-outside-request @ 4:1: `abort` outside a request
        4:1-4:6: there is nothing to abort here
        3:33-3:34: the request `main` ended here
    ");
}

#[test]
fn abort_is_no_name() {
    let text = "request main { abort := 1; X := abort + 1 } request abort { 0 }";
    insta::assert_snapshot!(messages(text), @r"
    keyword-as-name @ 1:16: `abort` is a keyword and cannot be a name
        1:16-1:21: a keyword
        help: choose another name, for example [1:16-1:21 -> `abort_`]
    keyword-as-name @ 1:53: `abort` is a keyword and cannot be a name
        1:53-1:58: a keyword
        help: choose another name, for example [1:53-1:58 -> `abort_`]
    ");
}

#[test]
fn return_outside_a_request() {
    insta::assert_snapshot!(messages("X := return 1;\nrequest main { X }\nreturn 2"), @r"
    return-outside-request @ 1:6: `return` outside a request
        1:6-1:14: there is nothing to return from here
    return-outside-request @ 3:1: `return` outside a request
        3:1-3:7: there is nothing to return from here
        2:18-2:19: the request `main` ended here
    ");
}

#[test]
fn else_if_in_other_words() {
    insta::assert_snapshot!(messages("request main { if (X == 0) { 1 } elif (X == 1) { 2 } elseif X == 2 { 3 } else { X := 0 } }"), @r"
    misspelt-else-if @ 1:34: `elif` is written `else if`
        1:34-1:38: expected `else if`
        help: write `else if` [1:34-1:38 -> `else if`]
    misspelt-else-if @ 1:54: `elseif` is written `else if`
        1:54-1:60: expected `else if`
        help: write `else if` [1:54-1:60 -> `else if`]
    ");
}

#[test]
fn else_after_a_semicolon() {
    insta::assert_snapshot!(messages("request main { if (X == 0) { X := 1 }; else { X := 2 } }"), @r"
    else-without-if @ 1:40: this `else` belongs to no `if`
        1:40-1:44: no `if` ends right before this
        1:38-1:39: the `if` ends with this `;`
        help: remove the `;` before `else` [1:38-1:39 -> ``]
    ");
}

#[test]
fn colons_for_braces() {
    insta::assert_snapshot!(messages("request main:\n    while X == 1:\n        yield\n    X := 1\nrequest other:\n    X"), @r"
    colon-for-braces @ 1:13: a block stands in braces, it does not start with `:`
        1:13-1:14: expected `{`
        help: write `request main { x := 1; while (X == 1) { yield }; x }`
    ");
}

#[test]
fn a_colon_inside_braces() {
    insta::assert_snapshot!(messages("request main {\n    if (X == 1) { 0 } else:\n    X := 1;\n    X = 2\n}"), @r"
    colon-for-braces @ 2:27: a block stands in braces, it does not start with `:`
        2:27-2:28: expected `{`
        help: write `request main { x := 1; while (X == 1) { yield }; x }`
    equals-for-assignment @ 4:7: `=` does not assign; `:=` does
        4:7-4:8: expected `:=`
        help: write `:=` to assign [4:7-4:8 -> `:=`]
        help: write `==` to compare
    ");
}

#[test]
fn a_branch_without_braces() {
    insta::assert_snapshot!(messages("request main { if (X == 1) X := 2 else X := 3; while (X == 1) do { yield }; X }"), @r"
    expected-block @ 1:28: expected `{` after the condition, found the name `X`
        1:28-1:29: expected `{`
        help: write `if (...) { ... }`
    expected-block @ 1:40: expected `{` after `else`, found the name `X`
        1:40-1:41: expected `{`
        help: write `else { ... }`
    expected-block @ 1:63: expected `{` after the condition, found the name `do`
        1:63-1:65: expected `{`
        help: write `while (...) { ... }`
    ");
}

#[test]
fn true_and_false() {
    insta::assert_snapshot!(messages("request main { while (true) { X := false }; X }"), @r"
    warning unreachable-code @ 1:45: this code never runs
        1:45-1:46: never runs
        1:22-1:28: this loop goes on forever
    ");
}

#[test]
fn no_functions() {
    insta::assert_snapshot!(messages("request main { x := max(X, 1); print(\"x\"); X := x }"), @r#"
    unknown-character @ 1:38: `"x"` is not part of the language
        1:38-1:41: unexpected
        help: there are no strings; cases of your own are an enumeration: `enum Color { red, green }`
    "#);
}

#[test]
fn a_word_at_top_level_that_is_nearly_one() {
    insta::assert_snapshot!(messages("Request main { X }"), @r"
    expected-item @ 1:1: expected `request`, `fn`, `const`, `var` or an initial value like `X := 1`, found the name `Request`
        1:1-1:8: not expected outside a request
        help: did you mean `request`? [1:1-1:8 -> `request`]
    ");
}

#[test]
fn const_inside_a_request() {
    insta::assert_snapshot!(messages("request main { const N = 3; X := N; X }"), @r"
    const-in-request @ 1:16: a constant is defined at top level
        1:16-1:21: unexpected `const` here
        help: move it to the top of the file
    ");
}

// Characters.

#[test]
fn strings() {
    insta::assert_snapshot!(messages("request main { X := \"one\"; X := ‘two’; return \"three\" }"), @r#"
    unknown-character @ 1:21: `"one"` is not part of the language
        1:21-1:26: unexpected
        help: there are no strings; cases of your own are an enumeration: `enum Color { red, green }`
    unknown-character @ 1:33: `‘` is not part of the language
        1:33-1:34: unexpected
        help: there are no strings; cases of your own are an enumeration: `enum Color { red, green }`
    unknown-character @ 1:47: `"three"` is not part of the language
        1:47-1:54: unexpected
        help: there are no strings; cases of your own are an enumeration: `enum Color { red, green }`
    "#);
}

#[test]
fn foreign_letters() {
    insta::assert_snapshot!(messages("request main { größe := 1; X := größe }"), @r"
    unknown-character @ 1:16: `größe` is not a name
        1:16-1:21: unexpected
        help: names are made of the letters a to z and A to Z, digits and `_`
    unknown-character @ 1:33: `größe` is not a name
        1:33-1:38: unexpected
        help: names are made of the letters a to z and A to Z, digits and `_`
    ");
}

#[test]
fn decimals_and_arrays() {
    insta::assert_snapshot!(messages("request main { X := 1.5; Y := Z[0]; # comment\n 0 }"), @r"
    no-decimals @ 1:22: numbers are whole: there are no decimals
        1:22-1:23: unexpected `.`
        help: count in a smaller unit, such as cents
    unknown-character @ 1:37: unexpected `#`
        1:37-1:38: unexpected
        help: a comment starts with `//`
    ");
}

#[test]
fn numbers_that_are_none() {
    insta::assert_snapshot!(messages("request main { X := 1_000; X := 0x10; X }"), @r"
    not-a-number @ 1:21: `1_000` is not a number
        1:21-1:26: numbers are written with the digits 0 to 9 only
        help: leave the `_` out [1:21-1:26 -> `1000`]
    not-a-number @ 1:33: `0x10` is not a number
        1:33-1:37: numbers are written with the digits 0 to 9 only
    ");
}

#[test]
fn an_invisible_character() {
    insta::assert_snapshot!(messages("request main { X :=\u{200b} 1; X }"), @r"
    unknown-character @ 1:20: there is an invisible character here (U+200B)
        1:20-1:21: unexpected
        help: delete it
    ");
}

#[test]
fn binary_content() {
    insta::assert_snapshot!(messages("\u{7f}ELF\0\0\u{1}"), @r"
    not-text @ 1:1: this does not look like text
        1:1-1:1: the first character that is not text
        help: a program is plain text in UTF-8
    ");
}

#[test]
fn decoded_binary_content() {
    insta::assert_snapshot!(messages("\u{fffd}\u{fffd}PNG\u{fffd}\u{fffd}\u{1}\u{2}\u{fffd}\u{fffd}\u{fffd}\u{fffd}"), @r"
    not-text @ 1:1: this does not look like text
        1:1-1:1: the first character that is not text
        help: a program is plain text in UTF-8
    ");
}

// Numbers and ranges.

#[test]
fn numbers_out_of_range() {
    insta::assert_snapshot!(messages("const N = 9223372036854775807 + 1\nrequest main { X := 9223372036854775808; X := -9223372036854775808; N + X }"), @r"
    number-out-of-range @ 1:11: the result does not fit into 64 bits
        1:11-1:34: too large or too small
        help: numbers go from -9223372036854775808 to 9223372036854775807
    number-out-of-range @ 2:21: this number does not fit into 64 bits
        2:21-2:40: too large
        help: numbers go from -9223372036854775808 to 9223372036854775807
    ");
}

#[test]
fn empty_ranges() {
    insta::assert_snapshot!(messages("const N = 3 request main(p in 1..0) { X := choose(N..2); X + p }"), @r"
    empty-range @ 1:31: the range from 1 to 0 is empty
        1:31-1:35: the first end is larger than the second
        help: a range goes from its smallest to its largest value, both included
    empty-range @ 1:51: the range from 3 to 2 is empty
        1:51-1:55: the first end is larger than the second
        help: a range goes from its smallest to its largest value, both included
    ");
}

#[test]
fn ranges_that_are_too_large() {
    insta::assert_snapshot!(messages("request main(p in 0..10000) { X := choose(0..9999); X := choose(0..10000); X := choose(-9223372036854775808..9223372036854775807); X + p }"), @r"
    range-too-large @ 1:19: the range from 0 to 10000 has 10001 values
        1:19-1:27: at most 10000 are possible
    range-too-large @ 1:65: the range from 0 to 10000 has 10001 values
        1:65-1:73: at most 10000 are possible
    range-too-large @ 1:88: the range from -9223372036854775808 to 9223372036854775807 has 18446744073709551616 values
        1:88-1:129: at most 10000 are possible
    ");
}

#[test]
fn too_many_labels() {
    insta::assert_snapshot!(messages("request main(p in 1..100, q in 0..100) { p + q } request fine(p in 1..100, q in 1..100) { p + q }"), @r"
    too-many-labels @ 1:14: the parameters of `main` have 10100 combinations of values
        1:14-1:38: at most 10000 are possible
        help: each combination is a request of its own; use smaller ranges
    ");
}

#[test]
fn malformed_ranges() {
    insta::assert_snapshot!(messages("request a(p in 0..=1) { p } request b(p in 1) { p } request c(p) { choose(0, 1) } request d(p, q in 0..1) { choose 0..1 }"), @r"
    malformed-range @ 1:17: `..=` is not needed: a range has both of its ends
        1:17-1:20: expected `..`
        help: write `..` [1:17-1:20 -> `..`]
    malformed-range @ 1:45: expected `..` and the end of the range, found `)`
        1:45-1:46: expected `..`
        help: a range is written `0..2`, which is 0, 1 and 2
    parameter-without-range @ 1:63: the parameter `p` needs a range of values
        1:63-1:64: its values are not known
        help: for example, for 0 and 1 [1:64-1:64 -> ` in 0..1`]
    malformed-range @ 1:76: the ends of a range are separated by `..`
        1:76-1:77: expected `..`
        help: write `..` [1:76-1:77 -> `..`]
    parameter-without-range @ 1:93: the parameter `p` needs a range of values
        1:93-1:94: its values are not known
        help: for example, for 0 and 1 [1:94-1:94 -> ` in 0..1`]
    unexpected-token @ 1:116: expected `(`, found the number `0`
        1:116-1:117: expected `(`
        help: it is written like `choose(0..2)`
    ");
}

#[test]
fn ends_that_are_not_constant() {
    insta::assert_snapshot!(messages("request main(p in 0..X) { y := 1; choose(0..y) + choose(p..?) }"), @r"
    not-constant @ 1:22: `X` is not a constant
        1:22-1:23: only numbers, constants and operators can stand here
        help: define it at the top of the file: `const X = 1`
    not-constant @ 1:45: `y` is not a constant
        1:45-1:46: only numbers, constants and operators can stand here
        help: define it at the top of the file: `const y = 1`
    not-constant @ 1:57: `p` is not a constant
        1:57-1:58: only numbers, constants and operators can stand here
        help: define it at the top of the file: `const p = 1`
    not-constant @ 1:60: `?` is not constant
        1:60-1:61: only numbers, constants and operators can stand here
    ");
}

// Names.

#[test]
fn a_request_defined_twice() {
    insta::assert_snapshot!(messages("request main { 0 }\nrequest other { 1 }\nrequest main { 2 }"), @r"
    duplicate-request @ 3:9: the request `main` is defined twice
        3:9-3:13: again here
        1:9-1:13: first here
    ");
}

#[test]
fn a_constant_defined_twice() {
    insta::assert_snapshot!(messages("const N = 1 const N = 2 request main { N }"), @r"
    duplicate-constant @ 1:19: the constant `N` is defined twice
        1:19-1:20: again here
        1:7-1:8: first here
    ");
}

#[test]
fn an_initial_value_given_twice() {
    insta::assert_snapshot!(messages("X := 1, X := 2 request main { X }"), @r"
    duplicate-initial-value @ 1:9: `X` has two initial values
        1:9-1:10: again here
        1:1-1:2: first here
    ");
}

#[test]
fn a_parameter_defined_twice() {
    insta::assert_snapshot!(messages("request main(p in 0..1, p in 0..2) { p }"), @r"
    duplicate-parameter @ 1:25: `main` has two parameters `p`
        1:25-1:26: again here
        1:14-1:15: first here
    ");
}

#[test]
fn assigning_to_constants_and_parameters() {
    insta::assert_snapshot!(messages("const N = 1\nN := 2\nrequest main(p in 0..1) { p := N; N := p }"), @r"
    assign-to-constant @ 2:1: `N` is a constant and cannot be assigned
        2:1-2:2: assigned here
        1:7-1:8: the constant
    assign-to-parameter @ 3:27: `p` is a parameter and cannot be assigned
        3:27-3:28: assigned here
        3:14-3:15: the parameter
        help: copy it into another variable first: `copy := p`
    assign-to-constant @ 3:35: `N` is a constant and cannot be assigned
        3:35-3:36: assigned here
        1:7-1:8: the constant
    ");
}

#[test]
fn an_initial_value_of_a_local_variable() {
    insta::assert_snapshot!(messages("x := 1; request main { x := x + 1 }"), @r"
    initial-value-of-local @ 1:1: `x` is local to each request and starts at 0
        1:1-1:2: starts with a lowercase letter, so it is local
        help: call it `X` if all requests share it
        help: write `const x = ...` if it never changes
    ");
}

#[test]
fn a_parameter_that_looks_global() {
    insta::assert_snapshot!(messages("request main(V in 0..1) { V }"), @r"
    parameter-looks-global @ 1:14: the parameter `V` has the name of a global variable
        1:14-1:15: starts with an uppercase letter
        help: a parameter is local, so its name starts with a lowercase letter
    ");
}

#[test]
fn a_parameter_with_the_name_of_a_constant() {
    insta::assert_snapshot!(messages("const n = 1 request main(n in 0..1) { n }"), @r"
    parameter-shadows-constant @ 1:26: `n` is already a constant
        1:26-1:27: a parameter needs a name of its own
        1:7-1:8: the constant
    ");
}

#[test]
fn constants_that_are_not_constant() {
    insta::assert_snapshot!(messages("const A = X const B = ? const C = (1; 2) X := yield request main { A + B + C + X }"), @r"
    not-constant @ 1:11: `X` is not a constant
        1:11-1:12: only numbers, constants and operators can stand here
        help: define it at the top of the file: `const X = 1`
    not-constant @ 1:23: `?` is not constant
        1:23-1:24: only numbers, constants and operators can stand here
    not-constant @ 1:35: a sequence of expressions is not constant
        1:35-1:41: only numbers, constants and operators can stand here
    not-constant @ 1:47: `yield` is not constant
        1:47-1:52: only numbers, constants and operators can stand here
    ");
}

#[test]
fn constants_in_the_wrong_order() {
    insta::assert_snapshot!(messages("const A = B + 1 const B = 2 const C = C request main { A + B + C }"), @r"
    constant-used-early @ 1:11: the constant `B` is used before it is defined
        1:11-1:12: used here
        1:23-1:24: defined here
        help: a constant is defined by numbers and the constants above it
    constant-used-early @ 1:39: the constant `C` is used before it is defined
        1:39-1:40: used here
        1:35-1:36: defined here
        help: a constant is defined by numbers and the constants above it
    ");
}

#[test]
fn a_constant_with_the_wrong_sign() {
    insta::assert_snapshot!(messages("const N := 1 const M request main { N }"), @r"
    constant-needs-equal @ 1:9: a constant is defined with `=`, not with `:=`
        1:9-1:11: expected `=`
        help: write `=` [1:9-1:11 -> `=`]
    constant-needs-equal @ 1:22: expected `=` and a value, found `request`
        1:22-1:29: expected `=`
        help: a constant looks like `const M = 3`
    ");
}

// Files.

#[test]
fn an_empty_file() {
    insta::assert_snapshot!(messages(""), @r"
    no-requests @ 1:1: this file is empty
        1:1-1:1: expected a request
        help: the smallest program is `request main { 0 }`
        help: one with something to check: `request main { X := 1; yield; y := X; X := 0; y }`
    ");
}

#[test]
fn a_file_of_blanks() {
    insta::assert_snapshot!(messages("\n\n  \n"), @r"
    no-requests @ 1:1: this file is empty
        1:1-1:1: expected a request
        help: the smallest program is `request main { 0 }`
        help: one with something to check: `request main { X := 1; yield; y := X; X := 0; y }`
    ");
}

#[test]
fn a_file_of_comments() {
    insta::assert_snapshot!(messages("// nothing here\n/* yet */\n"), @r"
    no-requests @ 2:10: this file has nothing but comments
        2:10-2:10: expected a request
        help: the smallest program is `request main { 0 }`
        help: one with something to check: `request main { X := 1; yield; y := X; X := 0; y }`
    ");
}

#[test]
fn no_requests() {
    insta::assert_snapshot!(messages("const N = 1\nX := N"), @r"
    only-definitions @ 2:7: this file has only definitions: there is nothing to check
        2:7-2:7: expected a request
        help: a file with requests can have them: write `use` and the path of this file in quotes
        help: the smallest program is `request main { 0 }`
    ");
}

#[test]
fn code_outside_of_requests() {
    insta::assert_snapshot!(messages("X := 0;\nyield;\ny := X;\ny"), @r"
    expected-item @ 2:1: expected `request`, `fn`, `const`, `var` or an initial value like `X := 1`, found `yield`
        2:1-2:6: not expected outside a request
        help: what a request does stands in its braces: `request main { ... }`
    ");
}

#[test]
fn something_else_entirely() {
    insta::assert_snapshot!(messages("def main(x) {\n    print(x)\n}"), @r"
    other-language @ 1:1: a function is written `fn name(x) { ... }`
        1:1-1:4: not part of the language
        help: what clients call is a `request name(x in 0..3) { ... }`
    ");
}

#[test]
fn a_request_without_a_name_or_body() {
    insta::assert_snapshot!(messages("request { X }\nrequest main\nrequest 1 { X }"), @r"
    expected-name @ 1:9: expected the name of a request, found `{`
        1:9-1:10: expected a name
        help: a name is made of letters, digits and `_`, and starts with no digit
    expected-body @ 2:13: expected `{` and a body, found `request`
        2:13-2:13: expected `{` here
        help: a request looks like `request main { ... }`
    expected-name @ 3:9: expected the name of a request, found the number `1`
        3:9-3:10: expected a name
        help: a name is made of letters, digits and `_`, and starts with no digit
    ");
}

#[test]
fn independent_errors_in_one_run() {
    insta::assert_snapshot!(messages("request a { X = 1; y := X % 2; y }\nrequest b { while (X == 1 { yield }; X }\nrequest a { exit }\nrequest c { X := 99999999999999999999 }"), @r"
    equals-for-assignment @ 1:15: `=` does not assign; `:=` does
        1:15-1:16: expected `:=`
        help: write `:=` to assign [1:15-1:16 -> `:=`]
        help: write `==` to compare
    unclosed-parenthesis @ 2:19: this `(` is never closed
        2:19-2:20: opened here
        2:27-2:28: expected `)` before this
        help: close it [2:26-2:26 -> `)`]
    duplicate-request @ 3:9: the request `a` is defined twice
        3:9-3:10: again here
        1:9-1:10: first here
    exit @ 3:13: `exit` is not part of the language
        3:13-3:17: not supported
        help: to end the request, write `return` [3:13-3:17 -> `return`]
    number-out-of-range @ 4:18: this number does not fit into 64 bits
        4:18-4:38: too large
        help: numbers go from -9223372036854775808 to 9223372036854775807
    ");
}

// Warnings.

#[test]
fn never_written() {
    insta::assert_snapshot!(messages("request main { x + X }"), @r"
    warning never-written @ 1:16: `x` is always 0 here
        1:16-1:17: `main` never assigns it
    warning never-written @ 1:20: `X` is always 0
        1:20-1:21: no request assigns it
        help: to start with another value: `X := 1` at top level
    ");
}

#[test]
fn never_written_here_but_in_another_request() {
    insta::assert_snapshot!(messages("request put { x := 1; x } request get { x }"), @r"
    warning never-written @ 1:41: `x` is always 0 here
        1:41-1:42: `get` never assigns it
        1:15-1:16: this is a variable of another request
        help: variables that requests share start with an uppercase letter
    ");
}

#[test]
fn never_read() {
    insta::assert_snapshot!(messages("request main { X := 1; y := 2; 0 }"), @r"
    warning never-read @ 1:16: `X` is written but never read
        1:16-1:17: no request can see this value
    warning never-read @ 1:24: `y` is written but never read
        1:24-1:25: written here
        help: if this is fine, call it `_y`
    ");
}

#[test]
fn what_is_asked_reads_variables_too() {
    insta::assert_snapshot!(messages("request main { X := 1 } invariant low: X <= 1"), @"");
}

#[test]
fn two_questions_of_one_name() {
    insta::assert_snapshot!(messages("request main { X := 1; X } reach a: X == 1 invariant a: X <= 1"), @"
    duplicate-claim @ 1:54: the question `a` is defined twice
        1:54-1:55: again here
        1:34-1:35: first here
    ");
}

#[test]
fn a_response_that_is_also_stored() {
    insta::assert_snapshot!(messages("request main { X := 1 } request other { y := 2 }"), @r"
    warning never-read @ 1:16: `X` is written but never read
        1:16-1:17: no request can see this value
    ");
}

#[test]
fn an_initial_value_that_nobody_reads() {
    insta::assert_snapshot!(messages("A := 1 request main { 0 }"), @r"
    warning never-read @ 1:1: `A` is written but never read
        1:1-1:2: no request can see this value
    ");
}

#[test]
fn after_return() {
    insta::assert_snapshot!(messages("request main { X := 1; return X; X := 2; X }"), @r"
    warning unreachable-code @ 1:34: this code never runs
        1:34-1:43: never runs
        1:24-1:32: the request ends here
    ");
}

#[test]
fn after_abort() {
    insta::assert_snapshot!(messages("request main { if (X) { abort; X := 1 } else { return 2 }; X }"), @r"
    warning unreachable-code @ 1:32: this code never runs
        1:32-1:38: never runs
        1:25-1:30: the request ends here
    warning unreachable-code @ 1:60: this code never runs
        1:60-1:61: never runs
        1:48-1:56: the request ends here
    ");
}

#[test]
fn after_returns_in_both_branches() {
    insta::assert_snapshot!(messages("request main { if (X) { X := 1; return 1 } else { return 2 }; X }"), @r"
    warning unreachable-code @ 1:63: this code never runs
        1:63-1:64: never runs
        1:51-1:59: the request ends here
    ");
}

#[test]
fn after_an_endless_loop() {
    insta::assert_snapshot!(messages("request main { while (1) { X := 1 - X; yield }; X }"), @r"
    warning unreachable-code @ 1:49: this code never runs
        1:49-1:50: never runs
        1:22-1:25: this loop goes on forever
    ");
}

#[test]
fn in_a_branch_that_is_never_taken() {
    insta::assert_snapshot!(messages("request main { if (0) { X := 1 }; if (2 > 1) { X } else { X := 2 }; while (0) { yield } }"), @r"
    warning unreachable-code @ 1:23: this code never runs
        1:23-1:33: never runs
        1:19-1:22: this condition is never true
    warning unreachable-code @ 1:57: this code never runs
        1:57-1:67: never runs
        1:38-1:45: this condition is always true
    warning unreachable-code @ 1:79: this code never runs
        1:79-1:88: never runs
        1:75-1:78: this condition is never true
    ");
}

#[test]
fn after_a_path_that_is_blocked() {
    insta::assert_snapshot!(messages("request main { assume(0); 1 }"), @r"
    warning unreachable-code @ 1:27: this code never runs
        1:27-1:28: never runs
        1:16-1:25: nothing gets past this
    ");
}

#[test]
fn unused_constants() {
    insta::assert_snapshot!(messages("const N = 1 const M = N + 1 const _K = 3 request main { 0 }"), @r"
    warning unused-constant @ 1:19: the constant `M` is never used
        1:19-1:20: defined here
    ");
}

#[test]
fn a_comparison_for_an_assignment() {
    insta::assert_snapshot!(messages("request main { X == 1; yield; X := 2 }"), @r"
    warning unused-comparison @ 1:16: nothing uses this comparison
        1:16-1:22: compares, and forgets the result
        help: write `:=` to assign
    ");
}

#[test]
fn a_negated_operand() {
    insta::assert_snapshot!(messages("request main { while (not X == 1) { yield }; X := 1 }"), @r"
    warning negated-operand @ 1:23: this negates only the left side of the comparison
        1:23-1:28: negated before it is compared
        help: to negate the comparison, put it into parentheses: `!(x == 1)`
        help: if it is meant like this, write `(!x) == 1`
    ");
}

#[test]
fn what_is_fine_gives_no_message() {
    let programs = [
        "request main { while (X == 1) { yield }; X := 1; yield; X := 0; y := X; y }",
        "request main { _x := 1; _y + _Z; 0 }",
        "request main(p in 0..2, unused in 0..1) { p }",
        "const DEBUG = 0 request main { if (DEBUG) { X := 1 }; X }",
        "request main { x := x + 1; x }",
        "request main { if (y := X) { 0 }; X := 1 }",
        "request main { if (X) { return 1 }; X := 2 }",
        "request main { a := X == 1; (not a) == X; X := !(a == 1) }",
    ];
    for program in programs {
        assert_eq!(messages(program), "", "{program}");
    }
}
