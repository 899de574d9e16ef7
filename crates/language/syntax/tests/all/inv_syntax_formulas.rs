//! What the tool says about `.inv` files whose formulas and proofs cannot be parsed: one row per mistake, shown as in
//! `diagnostics.rs`.

use crate::shared;

use ser_editing::inv::parse;

/// The messages about a file.
fn file(text: &str) -> String {
    shared::messages(text, &parse(text).diagnostics)
}

/// The messages about a formula, which starts at column 1 of line 3.
fn formula(formula: &str) -> String {
    file(&format!(
        "global x, y : int; global b : bool; global t, chosen : tid; global a : addr; global e : elem; global s : set<int>; global as : set<addr>; proc p(n : int, z : int) {{ here: skip; }} proc q() {{ here: skip; }} thread {{ local z : int; local k : addr; first: t := me; label crit {{ wait: call p(1, 2); call q(); }} last: skip; }}\ninvariant inv(i, j) =\n{formula};"
    ))
}

/// The messages about a proof, which starts at column 1 of line 2.
fn proof(proof: &str) -> String {
    file(&format!(
        "global x : int; thread {{ local z : int; first: skip; label crit {{ wait: skip; }} last: skip; }} invariant a() = x >= 0; invariant b() = x >= 1; invariant c(i) {{ low: z[i] > 0; high: z[i] < 9; }}\n{proof}"
    ))
}

// Expressions.

#[test]
fn a_chain_of_comparisons() {
    insta::assert_snapshot!(formula("x < y < 3"), @r"
    chained-comparison @ 3:7: comparisons cannot be chained
        3:7-3:8: a second comparison
        3:1-3:6: this is already a comparison
        help: to say both, write `x < y && y < ...`
    ");
}

#[test]
fn a_chain_of_equivalences() {
    insta::assert_snapshot!(formula("b <-> b <-> b"), @r"
    chained-comparison @ 3:9: `<->` cannot be chained
        3:9-3:12: a second `<->`
        3:1-3:8: there is one here already
        help: say what is meant with parentheses: `(a <-> b) && (b <-> c)`
    ");
}

#[test]
fn a_single_equals_sign() {
    insta::assert_snapshot!(formula("x = y"), @r"
    equals-for-comparison @ 3:3: `=` does not compare; `==` does
        3:3-3:4: expected `==`
        help: write `==` to compare [3:3-3:4 -> `==`]
    ");
}

#[test]
fn a_fat_arrow() {
    insta::assert_snapshot!(formula("b => b"), @r"
    unsupported-operator @ 3:3: `=>` is written `->`
        3:3-3:5: expected `->`
        help: write `->` [3:3-3:5 -> `->`]
    ");
}

#[test]
fn a_long_arrow() {
    insta::assert_snapshot!(formula("b ==> b"), @r"
    unsupported-operator @ 3:3: `==>` is written `->`
        3:3-3:6: expected `->`
        help: write `->` [3:3-3:6 -> `->`]
    ");
}

#[test]
fn a_fat_double_arrow() {
    insta::assert_snapshot!(formula("b <=> b"), @r"
    unsupported-operator @ 3:3: `<=>` is written `<->`
        3:3-3:6: expected `<->`
        help: write `<->` [3:3-3:6 -> `<->`]
    ");
}

#[test]
fn an_unequal_sign_of_another_language() {
    insta::assert_snapshot!(formula("x <> y"), @r"
    unsupported-operator @ 3:3: `<>` is written `!=`
        3:3-3:5: expected `!=`
        help: write `!=` [3:3-3:5 -> `!=`]
    ");
}

#[test]
fn mathematical_signs() {
    insta::assert_snapshot!(formula("x == y → x ∈ s"), @r"
    unsupported-operator @ 3:8: `→` is written `->`
        3:8-3:9: expected `->`
        help: write `->` [3:8-3:9 -> `->`]
    ");
}

#[test]
fn a_conjunction_of_another_language() {
    insta::assert_snapshot!(formula("b /\\ b"), @r"
    unsupported-operator @ 3:3: `/\` is written `&&`
        3:3-3:5: expected `&&`
        help: write `&&` [3:3-3:5 -> `&&`]
    ");
}

#[test]
fn a_single_ampersand() {
    insta::assert_snapshot!(formula("b & b"), @r"
    unsupported-operator @ 3:3: `&` is written `&&`
        3:3-3:4: not supported
        help: write `&&` [3:3-3:4 -> `&&`]
    ");
}

#[test]
fn a_division() {
    insta::assert_snapshot!(formula("x / 2 == y"), @r"
    unsupported-operator @ 3:3: `/` is not supported
        3:3-3:4: not supported
        help: there are `+`, `-`, `*` by a number, and comparisons
    ");
}

#[test]
fn a_universal_quantifier() {
    insta::assert_snapshot!(formula("forall k. z[k] > 0"), @r"
    no-quantifiers @ 3:1: there is no `forall`: invariants have no quantifiers
        3:1-3:7: not supported
        help: the parameters of an invariant stand for all threads: `invariant mutex(i, j) = i != j -> ...;`
    ");
}

#[test]
fn an_existential_quantifier() {
    insta::assert_snapshot!(formula("exists k : at(k, crit)"), @r"
    no-quantifiers @ 3:1: there is no `exists`: invariants have no quantifiers
        3:1-3:7: not supported
        help: the parameters of an invariant stand for all threads: `invariant mutex(i, j) = i != j -> ...;`
        help: for one certain thread, declare `global chosen : tid;`, and use `x[chosen]`
    ");
}

#[test]
fn a_quantifier_sign() {
    insta::assert_snapshot!(formula("∀ k . z[k] > 0"), @r"
    no-quantifiers @ 3:1: there is no `∀`: invariants have no quantifiers
        3:1-3:2: not supported
        help: the parameters of an invariant stand for all threads: `invariant mutex(i, j) = i != j -> ...;`
    ");
}

#[test]
fn a_number_that_is_too_large() {
    insta::assert_snapshot!(formula("x == 9223372036854775808"), @r"
    number-out-of-range @ 3:6: this number does not fit into 64 bits
        3:6-3:25: too large
        help: numbers in the text go from -9223372036854775808 to 9223372036854775807; variables can have any value
    ");
}

#[test]
fn digits_with_letters() {
    insta::assert_snapshot!(formula("x == 12x"), @r"
    not-a-number @ 3:6: `12x` is not a number
        3:6-3:9: numbers are written with the digits 0 to 9 only
    ");
}

#[test]
fn a_parenthesis_that_is_not_closed() {
    insta::assert_snapshot!(formula("(x == y"), @r"
    unclosed-parenthesis @ 3:8: expected `)`, found `;`
        3:8-3:9: expected `)` here
        3:1-3:2: to close this
    ");
}

#[test]
fn a_set_that_is_left_open() {
    insta::assert_snapshot!(formula("x in {1, 2"), @r"
    unclosed-set @ 3:11: expected `,` or `}`, found `;`
        3:11-3:12: expected `,` or `}` here
        3:6-3:7: this is the start of a set
    ");
}

#[test]
fn a_bracket_that_is_not_closed() {
    insta::assert_snapshot!(formula("thread.z[i == 1"), @r"
    unclosed-bracket @ 3:16: expected `]`, found `;`
        3:16-3:17: expected `]` here
        3:9-3:10: to close this
    ");
}

#[test]
fn an_index_of_an_expression() {
    insta::assert_snapshot!(formula("(x + y)[i] == 1"), @r"
    malformed-index @ 3:8: only locals have an index
        3:8-3:9: unexpected `[` here
        3:1-3:8: this is not the name of a local
        help: the local `x` of the thread `i` is `x[i]`
    ");
}

#[test]
fn at_without_parentheses() {
    insta::assert_snapshot!(formula("at i"), @r"
    malformed-at @ 3:4: expected `at(thread, place)`, found the name `i`
        3:4-3:5: not expected here
        help: it looks like `at(i, crit)`: the thread `i` is at a place named `crit`
    ");
}

#[test]
fn at_without_a_place() {
    insta::assert_snapshot!(formula("at(i)"), @r"
    malformed-at @ 3:5: expected `at(thread, place)`, found `)`
        3:5-3:6: not expected here
        help: it looks like `at(i, crit)`: the thread `i` is at a place named `crit`
    ");
}

#[test]
fn at_with_a_number() {
    insta::assert_snapshot!(formula("at(i, 5)"), @r"
    number-as-place @ 3:7: places have names: `5` is a number
        3:7-3:8: expected the name of a statement or a label
        help: name the statement: `wait: await x == 1;`, then write `at(i, wait)`
        help: numbers would change with every line; names do not
    ");
}

#[test]
fn an_operator_without_a_right_side() {
    insta::assert_snapshot!(formula("x =="), @r"
    expected-expression @ 3:5: expected an expression, found `;`
        3:5-3:6: expected an expression here
    ");
}

#[test]
fn a_value_that_is_not_known() {
    insta::assert_snapshot!(formula("x == ?"), @r"
    expected-expression @ 3:6: expected an expression, found `?`
        3:6-3:7: expected an expression here
        help: for any value, write `x := havoc;` before
    ");
}

#[test]
fn a_list_in_brackets() {
    insta::assert_snapshot!(formula("x in [1, 2]"), @r"
    expected-expression @ 3:6: expected an expression, found `[`
        3:6-3:7: expected an expression here
        help: sets are written with braces: `{a, b}`
    ");
}

#[test]
fn havoc_in_a_value() {
    insta::assert_snapshot!(formula("x == havoc"), @r"
    expected-expression @ 3:6: expected an expression, found `havoc`
        3:6-3:11: expected an expression here
        help: `havoc` stands alone behind `:=`
    ");
}

#[test]
fn an_assignment_in_a_formula() {
    insta::assert_snapshot!(formula("x := 1"), @r"
    assignment-in-expression @ 3:3: an assignment is a statement of its own
        3:3-3:5: unexpected `:=` here
        help: to compare, write `==`
    ");
}

#[test]
fn a_point_without_a_field() {
    insta::assert_snapshot!(formula("x. == 1"), @r"
    expected-name @ 3:4: expected the name of a field, found `==`
        3:4-3:6: expected a name
        help: a name is made of letters, digits and `_`, and starts with no digit
    ");
}

#[test]
fn a_missing_operator() {
    insta::assert_snapshot!(formula("x y"), @r"
    unexpected-token @ 3:3: expected `;` after the invariant, found the name `y`
        3:3-3:4: not expected here
    ");
}

// Proofs.

#[test]
fn an_entry_without_a_semicolon() {
    insta::assert_snapshot!(proof("proof { a }"), @r"
    missing-semicolon @ 2:10: expected `;` after this
        2:10-2:10: expected `;` here
        help: add it [2:10-2:10 -> `;`]
    ");
}

#[test]
fn a_case_without_braces() {
    insta::assert_snapshot!(proof("proof { a at wait use b; }"), @r"
    malformed-proof @ 2:11: expected `{` before the cases, found `at`
        2:11-2:13: expected `{` here
        help: cases stand in braces: `mutex { at wait self use notsame; }`
    ");
}

#[test]
fn a_case_with_a_colon() {
    insta::assert_snapshot!(proof("proof { a : at wait use b; }"), @r"
    malformed-proof @ 2:11: expected `{` before the cases, found `:`
        2:11-2:12: expected `{` here
        help: cases stand in braces: `mutex { at wait self use notsame; }`
    ");
}

#[test]
fn a_case_without_places() {
    insta::assert_snapshot!(proof("proof { a { use b; } }"), @r"
    malformed-proof @ 2:13: expected `at` and places, found the name `use`
        2:13-2:16: expected `at` here
        help: a case looks like `at wait self use notsame;`
    ");
}

#[test]
fn a_case_without_support() {
    insta::assert_snapshot!(proof("proof { a { at wait self; } }"), @r"
    malformed-proof @ 2:25: expected `use` and invariants, found `;`
        2:25-2:25: expected `use` here
        help: a case looks like `at wait self use notsame;`
        help: `self` and `other` say who moves: a thread of the formula, or another
    ");
}

#[test]
fn follows_without_from() {
    insta::assert_snapshot!(proof("proof { a follows b; }"), @r"
    malformed-proof @ 2:18: expected `from` and what it follows from
        2:18-2:18: expected `from` here
        2:11-2:18: it follows
        help: it looks like `a follows from a, b;`
    ");
}

#[test]
fn a_proof_without_braces() {
    insta::assert_snapshot!(proof("proof a from b;"), @r"
    expected-body @ 2:6: expected `{`, found the name `a`
        2:6-2:6: expected `{` here
        help: a proof looks like `proof { mutex from notsame; }`
    ");
}

#[test]
fn something_else_in_an_entry() {
    insta::assert_snapshot!(proof("proof { a using b; }"), @r"
    malformed-proof @ 2:11: expected `;`, `from`, `follows` or `{`, found the name `using`
        2:11-2:16: not expected here
        help: it looks like `mutex from notsame, minticket;`
    ");
}

#[test]
fn a_case_without_a_semicolon() {
    insta::assert_snapshot!(proof("proof { a { at wait use b } }"), @r"
    missing-semicolon @ 2:26: expected `;` after the case
        2:26-2:26: expected `;` here
        help: add it [2:26-2:26 -> `;`]
    ");
}
