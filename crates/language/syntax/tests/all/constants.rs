//! Constant expressions.

use ser_syntax::{constants, parse};
use std::collections::BTreeMap;

fn value(text: &str) -> Result<i64, &'static str> {
    let parse = parse(&format!("const N = 3 const V = {text} request main {{ 0 }}"));
    let said = || parse.diagnostics.first().map_or("nothing", |it| it.code);
    constants(&parse.tree).get("V").copied().ok_or_else(said)
}

#[test]
fn operators_mean_what_they_mean_in_handlers() {
    assert_eq!(value("2 + 3 * -N"), Ok(-7));
    assert_eq!(value("(1 - 2) - 3"), Ok(-4));
    assert_eq!(value("!N == 0 && not 0"), Ok(1));
    assert_eq!(value("-9223372036854775808"), Ok(i64::MIN));
}

#[test]
fn what_is_not_constant_has_no_value() {
    assert_eq!(value("Y"), Err("not-constant"));
    assert_eq!(value("?"), Err("not-constant"));
    assert_eq!(value("(1; 2)"), Err("not-constant"));
    assert_eq!(value("9223372036854775807 + N"), Err("number-out-of-range"));
    assert_eq!(value("return 1"), Err("return-outside-request"));
}

#[test]
fn a_constant_without_a_value_is_left_out() {
    let program = parse("const A = X const B = A const C = 1 const C = 2").tree;
    assert_eq!(constants(&program), BTreeMap::from([("C".to_owned(), 1)]));
}
