//! Conditions on token counts, made as simple as they can be on numbers that are never negative.

use ser_arith::{Int, Linear, Literal};
use ser_petri::{Formula, PlaceId, Relation, Sum};

/// Token counts, each so many times. Sorted by place, no zeros.
pub type Terms = Vec<(PlaceId, i64)>;

/// A condition on one marking.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Condition {
    /// The sum is at most this.
    AtMost(Terms, i64),
    /// The sum is not this.
    Different(Terms, i64),
    /// The sum and the first number together are not divisible by the second.
    NotDivisible(Terms, i64, i64),
}

/// One of some conditions holds.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Clause(pub Vec<Condition>);

/// A condition that is the same everywhere, or one that is not.
enum Simplified {
    Always,
    Never,
    Condition(Condition),
}

impl Clause {
    /// The clause of some literals over places; nothing if numbers become too large. A clause that
    /// always holds is `Some(None)`.
    pub(super) fn new(literals: &[Literal]) -> Option<Option<Clause>> {
        let mut conditions = Vec::new();
        for literal in literals {
            match simplified(literal)? {
                Simplified::Always => return Some(None),
                Simplified::Never => {}
                Simplified::Condition(condition) => conditions.push(condition),
            }
        }
        // Of two upper bounds on the same sum, the larger one says it all.
        let all = conditions.clone();
        conditions.retain(|c| match c {
            Condition::AtMost(terms, most) => !all
                .iter()
                .any(|other| matches!(other, Condition::AtMost(t, m) if t == terms && m > most)),
            _ => true,
        });
        conditions.sort();
        conditions.dedup();
        Some(Some(Clause(conditions)))
    }

    /// Whether it holds wherever the other one holds, as far as one can see.
    pub(super) fn follows_from(&self, other: &Clause) -> bool {
        other.0.iter().all(|condition| self.0.contains(condition))
    }

    /// The clause as a formula about markings; nothing if it takes a remainder.
    pub fn formula(&self) -> Option<Formula> {
        let parts: Option<Vec<Formula>> = self.0.iter().map(Condition::formula).collect();
        let mut parts: Vec<Formula> = parts?;
        Some(match parts.len() {
            // Never. Some tools have no empty disjunction.
            0 => at_most(&Terms::new(), -1),
            1 => parts.remove(0),
            _ => Formula::Or(parts),
        })
    }
}

impl Condition {
    fn formula(&self) -> Option<Formula> {
        match self {
            Condition::AtMost(terms, most) => Some(at_most(terms, *most)),
            // Only comparisons that every tool has.
            Condition::Different(terms, number) => {
                let negated: Terms = terms.iter().map(|(p, a)| (*p, -a)).collect();
                let above = number.checked_add(1)?.checked_neg()?;
                let below = at_most(terms, number.checked_sub(1)?);
                Some(Formula::Or(vec![below, at_most(&negated, above)]))
            }
            Condition::NotDivisible(..) => None,
        }
    }
}

/// `sum <= most`, with only positive numbers on either side.
fn at_most(terms: &Terms, most: i64) -> Formula {
    let side = |sign: i64, constant: i64| Sum {
        terms: terms
            .iter()
            .filter(|(_, a)| a.signum() == sign)
            .map(|(p, a)| (*p, a.abs()))
            .collect(),
        constant,
    };
    let (left, right) = if most >= 0 { (0, most) } else { (-most, 0) };
    Formula::Compare(side(1, left), Relation::AtMost, side(-1, right))
}

fn simplified(literal: &Literal) -> Option<Simplified> {
    Some(match literal {
        // form < 0: the terms are at most -constant - 1.
        Literal::Negative(form) => {
            let (terms, constant) = integers(form)?;
            at_most_simplified(&terms, constant.checked_neg()?.checked_sub(1)?)
        }
        Literal::NonZero(form) => {
            let (terms, constant) = integers(form)?;
            different(terms, constant.checked_neg()?)
        }
        Literal::NotDivisible(form, modulus) => {
            let modulus = modulus.to_i64()?;
            let (terms, constant) = integers(form)?;
            let rest = constant.rem_euclid(modulus);
            match (terms.is_empty(), rest) {
                (true, 0) => Simplified::Never,
                (true, _) => Simplified::Always,
                _ => Simplified::Condition(Condition::NotDivisible(terms, rest, modulus)),
            }
        }
    })
}

fn at_most_simplified(terms: &Terms, most: i64) -> Simplified {
    let (terms, divisor) = reduced(terms);
    let most = most.div_euclid(divisor);
    if most >= 0 && terms.iter().all(|(_, a)| *a < 0) {
        Simplified::Always
    } else if most < 0 && terms.iter().all(|(_, a)| *a > 0) {
        Simplified::Never
    } else {
        Simplified::Condition(Condition::AtMost(terms, most))
    }
}

fn different(terms: Terms, number: i64) -> Simplified {
    if terms.is_empty() {
        return if number == 0 { Simplified::Never } else { Simplified::Always };
    }
    let (mut terms, divisor) = reduced(&terms);
    if number % divisor != 0 {
        return Simplified::Always;
    }
    let mut number = number / divisor;
    if terms.iter().all(|(_, a)| *a < 0) {
        for (_, a) in &mut terms {
            *a = -*a;
        }
        number = -number;
    }
    let positive = terms.iter().all(|(_, a)| *a > 0);
    match number {
        _ if !positive => Simplified::Condition(Condition::Different(terms, number)),
        n if n < 0 => Simplified::Always,
        // Not zero is at least one.
        0 => {
            let negated = terms.into_iter().map(|(p, a)| (p, -a)).collect();
            at_most_simplified(&negated, -1)
        }
        _ => Simplified::Condition(Condition::Different(terms, number)),
    }
}

/// The terms divided by what divides them all, and that.
fn reduced(terms: &Terms) -> (Terms, i64) {
    let mut divisor = 0i64;
    for (_, a) in terms {
        let (mut x, mut y) = (divisor, a.abs());
        while y != 0 {
            (x, y) = (y, x % y);
        }
        divisor = x;
    }
    let divisor = divisor.max(1);
    (terms.iter().map(|(p, a)| (*p, a / divisor)).collect(), divisor)
}

/// The terms and the constant of a form whose variables are places. Forms of literals have integer
/// coefficients.
fn integers(form: &Linear) -> Option<(Terms, i64)> {
    let small = |n: Option<&Int>| n.and_then(Int::to_i64).filter(|n| n.abs() < i64::MAX / 4);
    let mut terms = Terms::new();
    for (var, factor) in form.terms() {
        terms.push((PlaceId(var.0), small(factor.to_int())?));
    }
    terms.sort_unstable();
    Some((terms, small(form.constant_term().to_int())?))
}

#[cfg(test)]
mod tests {
    use super::{Clause, Condition};
    use ser_arith::{Linear, Literal, Var};
    use ser_petri::PlaceId;

    fn clause(literals: &[Literal]) -> Option<Clause> {
        Clause::new(literals).expect("small numbers")
    }

    #[test]
    fn what_is_always_or_never_so_on_counts_disappears() {
        let (x, y) = (Linear::var(Var(0)), Linear::var(Var(1)));
        let sum = x.clone() + y.clone();
        // x + y < 0: never.
        assert_eq!(clause(&[Literal::Negative(sum.clone())]), Some(Clause(vec![])));
        // -x - 1 < 0: always.
        let below = Linear::constant(-1) - x.clone();
        assert_eq!(clause(&[Literal::Negative(below)]), None);
        // 2x - 1 != 0: always.
        let odd = x.clone() + x.clone() - Linear::constant(1);
        assert_eq!(clause(&[Literal::NonZero(odd)]), None);
        // x + y != 0: at least 1.
        let terms = vec![(PlaceId(0), -1), (PlaceId(1), -1)];
        assert_eq!(
            clause(&[Literal::NonZero(sum)]),
            Some(Clause(vec![Condition::AtMost(terms, -1)]))
        );
        // x < 1 or x < 3: x < 3.
        let below = |n| Literal::Negative(x.clone() - Linear::constant(n));
        let most = Condition::AtMost(vec![(PlaceId(0), 1)], 2);
        assert_eq!(clause(&[below(1), below(3)]), Some(Clause(vec![most])));
    }
}
