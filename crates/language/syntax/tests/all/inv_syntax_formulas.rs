//! What the tool says about models of threads whose formulas and proofs cannot be parsed: one row
//! per mistake, shown as in `diagnostics.rs`.

use crate::shared::threads::{formula, proof};

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
    insta::assert_snapshot!(formula("b <-> b <-> b"), @"
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
    insta::assert_snapshot!(formula("b => b"), @"
    unsupported-operator @ 3:3: `=>` is written `>=`
        3:3-3:5: expected `>=`
        help: write `>=` [3:3-3:5 -> `>=`]
    ");
}

#[test]
fn a_long_arrow() {
    insta::assert_snapshot!(formula("b ==> b"), @"
    expected-expression @ 3:5: expected an expression, found `>`
        3:5-3:6: expected an expression here
    ");
}

#[test]
fn a_fat_double_arrow() {
    insta::assert_snapshot!(formula("b <=> b"), @"
    expected-expression @ 3:5: expected an expression, found `>`
        3:5-3:6: expected an expression here
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
    insta::assert_snapshot!(formula("x == y → x ∈ s"), @"
    unsupported-operator @ 3:8: `→` is written `->`
        3:8-3:9: not supported
        help: write `->` [3:8-3:9 -> `->`]
    ");
}

#[test]
fn a_conjunction_of_another_language() {
    insta::assert_snapshot!(formula("b /\\ b"), @r"
    unknown-character @ 3:4: `\` is not part of the language
        3:4-3:5: unexpected
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
    insta::assert_snapshot!(formula("x / 2 == y"), @"
    not-linear @ 3:1: only constants are divided: only linear arithmetic is possible
        3:1-3:6: not constant, or divided by 0
        help: say what is wanted: `q := choose(int) where 2 * q <= x && x < 2 * q + 2`
    ");
}

#[test]
fn a_universal_quantifier() {
    insta::assert_snapshot!(formula("forall k. z[k] > 0"), @"
    other-language @ 3:1: there is no `forall`
        3:1-3:7: not part of the language
        help: write `for all i in 0..2: A[i] > 0`, or `for some`; for all threads stand the parameters of an invariant: `invariant mutex(i, j): i != j -> ...`
    ");
}

#[test]
fn an_existential_quantifier() {
    insta::assert_snapshot!(formula("exists k : at(k, crit)"), @"
    other-language @ 3:1: there is no `exists`
        3:1-3:7: not part of the language
        help: write `for all i in 0..2: A[i] > 0`, or `for some`; for all threads stand the parameters of an invariant: `invariant mutex(i, j): i != j -> ...`
    ");
}

#[test]
fn a_quantifier_sign() {
    insta::assert_snapshot!(formula("∀ k . z[k] > 0"), @"
    no-quantifiers @ 3:1: there are no quantifiers
        3:1-3:2: not supported
        help: the parameters of an invariant stand for all threads: `invariant mutex(i, j): i != j -> ...`
    ");
}

#[test]
fn a_number_that_is_too_large() {
    insta::assert_snapshot!(formula("x == 9223372036854775808"), @"
    number-out-of-range @ 3:6: this number does not fit into 64 bits
        3:6-3:25: too large
        help: numbers go from -9223372036854775808 to 9223372036854775807
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
    insta::assert_snapshot!(formula("(x == y"), @"
    unclosed-parenthesis @ 3:1: this `(` is never closed
        3:1-3:2: opened here
        3:9-3:9: expected `)` before the end of the file
        help: close it [3:8-3:8 -> `)`]
    ");
}

#[test]
fn a_chain_of_memberships() {
    insta::assert_snapshot!(formula("x in s == b"), @"
    chained-comparison @ 3:8: comparisons cannot be chained
        3:8-3:10: a second comparison
        3:1-3:7: this is already a comparison
        help: say which one comes first with parentheses
    ");
    insta::assert_snapshot!(formula("s subset s in s"), @"
    chained-comparison @ 3:12: comparisons cannot be chained
        3:12-3:14: a second comparison
        3:1-3:11: this is already a comparison
        help: say which one comes first with parentheses
    ");
    insta::assert_snapshot!(formula("(x in s) == b"), @"");
}

#[test]
fn a_set_in_parentheses() {
    insta::assert_snapshot!(formula("({x, 1} + s) subset s"), @"");
}

#[test]
fn blanks_before_an_index() {
    insta::assert_snapshot!(formula("thread.z [i] == p . n\n[i]"), @"");
}

#[test]
fn a_set_that_is_left_open() {
    insta::assert_snapshot!(formula("x in {1, 2"), @"
    unclosed-set @ 3:11: expected `,` or `}`, found `;`
        3:11-3:11: expected `,` or `}` here
        3:6-3:7: this is the start of a set
    ");
}

#[test]
fn a_bracket_that_is_not_closed() {
    insta::assert_snapshot!(formula("thread.z[i == 1"), @"
    unexpected-token @ 3:16: expected `]`, found `;`
        3:16-3:16: expected `]`
        3:9-3:10: to close this
        help: close it [3:16-3:16 -> `]`]
    ");
}

#[test]
fn an_index_of_an_expression() {
    insta::assert_snapshot!(formula("(x + y)[i] == 1"), @"
    malformed-index @ 3:1: only locals have an index
        3:1-3:11: unexpected `[` here
        3:1-3:8: this is not the name of a local
        help: the local `x` of the thread `i` is `x[i]`
    ");
}

#[test]
fn at_without_parentheses() {
    insta::assert_snapshot!(formula("at i"), @"
    expected-item @ 3:4: expected `process`, `var`, `const`, `enum`, `set`, `fn` or a claim such as `reach`, found the name `i`
        3:4-3:5: not expected outside a process
        1:336-1:337: the process `thread` ended here
        help: what a process does stands in its braces: `process p { ... }`
    ");
}

#[test]
fn at_without_a_place() {
    insta::assert_snapshot!(formula("at(i)"), @"
    malformed-at @ 3:5: expected `,` and a place, found `)`
        3:5-3:5: expected `,` here
        help: it looks like `at(i, wait)` or `at(i, wait..leave)`
    ");
}

#[test]
fn at_with_a_number() {
    insta::assert_snapshot!(formula("at(i, 5)"), @"
    expected-name @ 3:7: expected the name of a statement, a process or a function, found the number `5`
        3:7-3:8: expected a name
        help: a name is made of letters, digits and `_`, and starts with no digit
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
    insta::assert_snapshot!(formula("x == ?"), @"
    other-world @ 3:6: there is no `?` in a model of threads
        3:6-3:7: not expected beside a process for each member of a set
        help: for any truth value, write `x := choose(bool)` before; to do one thing or another, `choose { ... } or { ... }`
    ");
}

#[test]
fn a_list_in_brackets() {
    insta::assert_snapshot!(formula("x in [1, 2]"), @"
    other-world @ 3:6: there is no list in a model of threads
        3:6-3:12: not expected beside a process for each member of a set
        help: sets are written with braces: `{a, b}`
    ");
}

#[test]
fn havoc_in_a_value() {
    insta::assert_snapshot!(formula("x == choose(int)"), @"
    expected-expression @ 3:6: `choose` stands alone behind `:=`
        3:6-3:17: not expected inside of an expression
        help: write `x := choose(int)` before
    ");
}

#[test]
fn an_assignment_in_a_formula() {
    insta::assert_snapshot!(formula("x := 1"), @"
    expected-expression @ 3:1: an assignment has no value in a model of threads
        3:1-3:7: expected an expression here
        help: make it a statement of its own
    ");
}

#[test]
fn a_point_without_a_field() {
    insta::assert_snapshot!(formula("x. == 1"), @"
    expected-item @ 3:2: expected `process`, `var`, `const`, `enum`, `set`, `fn` or a claim such as `reach`, found `.`
        3:2-3:3: not expected outside a process
        1:336-1:337: the process `thread` ended here
        help: what a process does stands in its braces: `process p { ... }`
    ");
}

#[test]
fn a_missing_operator() {
    insta::assert_snapshot!(formula("x y"), @"
    expected-item @ 3:3: expected `process`, `var`, `const`, `enum`, `set`, `fn` or a claim such as `reach`, found the name `y`
        3:3-3:4: not expected outside a process
        1:336-1:337: the process `thread` ended here
        help: what a process does stands in its braces: `process p { ... }`
    ");
}

// Proofs.

#[test]
fn an_entry_without_a_semicolon() {
    insta::assert_snapshot!(proof("proof { a }"), @"");
}

#[test]
fn a_case_without_braces() {
    insta::assert_snapshot!(proof("proof { a at wait use b; }"), @"
    malformed-proof @ 2:11: expected `;`, `from`, `follows` or `{`, found the name `at`
        2:11-2:13: not expected here
        help: it looks like `mutex from notsame, minticket;`
    ");
}

#[test]
fn a_case_with_a_colon() {
    insta::assert_snapshot!(proof("proof { a : at wait use b; }"), @"
    malformed-proof @ 2:11: expected `;`, `from`, `follows` or `{`, found `:`
        2:11-2:12: not expected here
        help: it looks like `mutex from notsame, minticket;`
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
    insta::assert_snapshot!(proof("proof a from b;"), @"
    expected-item @ 2:1: expected `process`, `var`, `const`, `enum`, `set`, `fn` or a claim such as `reach`, found the name `proof`
        2:1-2:6: not expected outside a process
        1:122-1:123: the process `thread` ended here
        help: what a process does stands in its braces: `process p { ... }`
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
    insta::assert_snapshot!(proof("proof { a { at wait use b } }"), @"");
}
