use super::*;
use crate::term::Terms;
use ser_base::Limits;
use ser_sat::{Answer, BatSat, Solver};

/// Every operator on every pair of numbers of two small intervals, once with constants and once
/// without.
#[test]
fn circuits_and_evaluation_agree() {
    use BinaryOp::*;
    let ops = [
        Add,
        Subtract,
        Multiply,
        Divide,
        Remainder,
        Equal,
        NotEqual,
        Less,
        LessEqual,
        Greater,
        GreaterEqual,
        And,
        Or,
    ];
    for (a, b) in [((-3, 4), (-2, 5)), ((0, 6), (0, 3)), ((-4, -1), (1, 3)), ((5, 9), (-1, 0))] {
        let (a, b) = (Interval::new(a.0, a.1), Interval::new(b.0, b.1));
        let mut terms = Terms::default();
        let x = terms.variable(VariableId(0), a);
        let y = terms.variable(VariableId(1), b);
        let mut all: Vec<Term> = ops.iter().map(|op| terms.binary(*op, x, y)).collect();
        all.push(terms.unary(UnaryOp::Negate, x));
        all.push(terms.unary(UnaryOp::Not, x));
        all.push(terms.choice(x, y, x));
        for factor in [-7, -4, -1, 1, 2, 3, 4, 5, 6] {
            let factor = terms.number(factor);
            all.push(terms.binary(Multiply, x, factor));
            all.push(terms.binary(Divide, x, factor));
            all.push(terms.binary(Remainder, x, factor));
            all.push(terms.binary(Less, y, factor));
        }
        let square = terms.binary(Multiply, x, x);
        all.push(terms.binary(Subtract, square, y));
        agree(&terms, &all, a, b);
    }
}

fn agree(terms: &Terms, all: &[Term], a: Interval, b: Interval) {
    let mut formula = Formula::default();
    let mut bits = Bits::default();
    bits.variable(&mut formula, VariableId(0), a, true);
    bits.variable(&mut formula, VariableId(1), b, true);
    let numbers: Vec<Number> =
        all.iter().map(|term| bits.number(&mut formula, terms, *term)).collect();
    let mut seen = std::collections::BTreeSet::new();
    let mut solver = BatSat::solving(formula.variables(), formula.clauses());
    while solver.solve(&[], &Limits::default()) == Answer::Sat {
        let value = |lit: Lit| solver.value(lit);
        let x = bits.value(VariableId(0), &value).expect("it was made");
        let y = bits.value(VariableId(1), &value).expect("it was made");
        assert!(a.contains(x) && b.contains(y));
        assert!(seen.insert((x, y)), "the values decide the rest");
        for (term, number) in all.iter().zip(&numbers) {
            let expected = terms.evaluate(*term, &|v| if v == VariableId(0) { x } else { y });
            assert_eq!(Some(number.value(&value)), expected, "{:?} of {x}, {y}", terms.node(*term));
        }
        let mut clause = Vec::new();
        for variable in [VariableId(0), VariableId(1)] {
            let number = bits.variables[variable.index()].clone().expect("it was made");
            clause.extend(number.bits.iter().map(|bit| if value(*bit) { !*bit } else { *bit }));
        }
        solver.add_clause(&clause);
    }
    let sizes = [a, b].map(|i| (i.high - i.low + 1) as usize);
    assert_eq!(seen.len(), sizes[0] * sizes[1]);
}

#[test]
fn constants_make_no_gates() {
    let mut terms = Terms::default();
    let x = terms.variable(VariableId(0), Interval::new(0, 7));
    let eight = terms.number(8);
    let scaled = terms.binary(BinaryOp::Multiply, x, eight);
    let mut formula = Formula::default();
    let mut bits = Bits::default();
    bits.variable(&mut formula, VariableId(0), Interval::new(0, 7), true);
    let before = formula.variables();
    bits.number(&mut formula, &terms, scaled);
    assert_eq!(formula.variables(), before, "a shift is no gate");
}

#[test]
fn terms_may_be_very_deep() {
    let mut terms = Terms::default();
    let x = terms.variable(VariableId(0), Interval::new(0, 1));
    let mut deep = x;
    for _ in 0..100_000 {
        let not = terms.not(deep);
        deep = terms.choice(x, not, x);
    }
    assert!(terms.evaluate(deep, &|_| 1).is_some());
    let mut formula = Formula::default();
    let mut bits = Bits::default();
    bits.variable(&mut formula, VariableId(0), Interval::new(0, 1), true);
    bits.truth(&mut formula, &terms, deep);
}

/// A hundred terms that each have the one before twice: 2^100 ways lead from the last to the first.
#[test]
fn operands_that_are_shared_are_looked_at_once() {
    let interval = Interval::new(0, 7);
    let mut terms = Terms::default();
    let x = terms.variable(VariableId(0), interval);
    let (one, mut term) = (terms.number(1), x);
    for _ in 0..100 {
        let less = terms.binary(BinaryOp::Less, one, term);
        let before = terms.binary(BinaryOp::Subtract, term, less);
        term = terms.choice(term, before, x);
    }
    let conjunction = (0..100).fold(term, |all, _| terms.binary(BinaryOp::And, all, all));
    let mut formula = Formula::default();
    let mut bits = Bits::default();
    bits.variable(&mut formula, VariableId(0), interval, true);
    bits.require(&mut formula, &terms, TRUE, conjunction);
    bits.number(&mut formula, &terms, term);
    let mut solver = BatSat::solving(formula.variables(), formula.clauses());
    assert_eq!(solver.solve(&[], &Limits::default()), Answer::Sat);
    assert!(bits.value(VariableId(0), &|lit| solver.value(lit)) > Some(0));
}
