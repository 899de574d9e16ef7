//! Linear forms and conditions.

use ser_model::{Linear, Literal, Var};

fn form(constant: i64, terms: &[(u32, i64)]) -> Linear {
    Linear { constant, terms: terms.iter().map(|(v, c)| (Var::Global(*v), *c)).collect() }
}

#[test]
fn forms_are_added_and_shown() {
    let sum = form(1, &[(0, 2), (1, -1)]).plus(-1, &form(3, &[(1, -1), (2, 1)]));
    assert_eq!(sum, Some(form(-2, &[(0, 2), (2, -1)])));
    let name = |var| match var {
        Var::Global(n) => ["X", "Y", "Z"][n as usize].to_owned(),
        _ => String::new(),
    };
    let shown = |literal: Literal| literal.show(&name);
    assert_eq!(shown(Literal::AtLeast(form(-2, &[(0, 2), (2, -1)]))), "2 * X >= Z + 2");
    assert_eq!(shown(Literal::AtLeast(form(-1, &[(0, -1), (2, 1)]))), "Z > X");
    assert_eq!(shown(Literal::AtLeast(form(3, &[(0, -1)]))), "X <= 3");
    assert_eq!(shown(Literal::NotZero(form(0, &[(0, 1), (1, -1)]))), "X != Y");
    assert_eq!(form(0, &[(0, i64::MAX)]).plus(2, &form(0, &[(0, 1)])), None);
}

#[test]
fn what_is_not_at_least_zero_is_at_most_minus_one() {
    let not = Literal::AtLeast(form(0, &[(0, 1)])).negated();
    assert_eq!(not, Some(Literal::AtLeast(form(-1, &[(0, -1)]))));
    assert_eq!(Literal::Zero(form(0, &[])).known(), Some(true));
}
