//! Linear forms, and what `form >= 0` is as an atom.

use super::*;

const X: u32 = 0;
const Y: u32 = 1;

/// A logic with two numbers, `x` and `y`, and the sum of them with these coefficients.
fn form(logic: &mut Logic, constant: i64, x: i64, y: i64) -> TermRef {
    let int = Sort::One(ser_syntax::inv::ast::Scalar::Int);
    let variables = [X, Y].map(|it| logic.mk(Term::Global(it), int));
    logic.sum(constant, vec![(x, variables[0]), (y, variables[1])])
}

/// The value of a formula without conjunctions for these values of `x` and `y`.
fn holds(logic: &Logic, f: Formula, x: i64, y: i64) -> bool {
    let value = match logic.node(f) {
        Node::And(parts) => parts.is_empty(),
        Node::Atom(atom) => match logic.atom(*atom) {
            Atom::Ge(form) => {
                let (constant, parts) = logic.linear(*form);
                let value = |t: TermRef| match logic.term(t) {
                    Term::Global(X) => x,
                    _ => y,
                };
                constant + parts.iter().map(|(c, t)| c * value(*t)).sum::<i64>() >= 0
            }
            other => panic!("{other:?}"),
        },
    };
    value != f.is_negated()
}

#[test]
fn atoms_say_what_their_form_says_and_the_opposite_is_the_same_atom() {
    let mut logic = Logic::new();
    for (constant, a, b) in (-7..7).flat_map(|c| {
        [-6, -3, -2, -1, 0, 1, 2, 4].into_iter().flat_map(move |a| (-2..3).map(move |b| (c, a, b)))
    }) {
        let sum = form(&mut logic, constant, a, b);
        let opposite = form(&mut logic, -constant - 1, -a, -b);
        let (f, g) = (logic.not_negative(sum), logic.not_negative(opposite));
        assert_eq!(f, !g, "{constant} + {a} x + {b} y");
        for (x, y) in [(-9, 4), (-2, -1), (-1, 0), (0, 0), (1, 1), (2, -3), (8, 5)] {
            assert_eq!(holds(&logic, f, x, y), constant + a * x + b * y >= 0);
        }
    }
    // 2x - 3 >= 0 is x >= 2.
    let (rounded, plain) = (form(&mut logic, -3, 2, 0), form(&mut logic, -2, 1, 0));
    assert_eq!(logic.not_negative(rounded), logic.not_negative(plain));
}

#[test]
fn equal_parts_are_collected_and_zeros_dropped() {
    let mut logic = Logic::new();
    let (f, g) = (form(&mut logic, 1, 2, 1), form(&mut logic, 4, 1, 5));
    let wanted = form(&mut logic, -7, 0, -9);
    assert_eq!(logic.add_scaled(f, -2, g), wanted);
    let zero = logic.int(0);
    assert_eq!(logic.add_scaled(f, -1, f), zero);
    assert!(!logic.overflowed());
}

#[test]
fn numbers_that_are_too_large_are_noticed() {
    type Work = fn(&mut Logic, TermRef);
    let all: [Work; 3] = [
        |logic, f| assert_ne!(logic.add_scaled(f, 1, f), f),
        |logic, f| assert_ne!(logic.add_scaled(f, 2, f), f),
        |logic, f| assert_ne!(logic.not_negative(f), Formula::FALSE),
    ];
    for work in all {
        let mut logic = Logic::new();
        let f = form(&mut logic, i64::MAX, i64::MIN, 0);
        work(&mut logic, f);
        assert!(logic.overflowed());
    }
}
