//! What a net does: enabled transitions, firing, and formulas on one marking.

use crate::{Formula, PetriNet, Relation, Sum, TransitionId};

/// Tokens for each place.
pub type Marking = Vec<u64>;

impl PetriNet {
    /// The marking at the start.
    pub fn initial_marking(&self) -> Marking {
        self.places.iter().map(|p| p.initial).collect()
    }

    /// Whether a transition can fire.
    pub fn is_enabled(&self, marking: &[u64], transition: TransitionId) -> bool {
        self.transitions.get(transition.index()).is_some_and(|t| {
            t.takes.iter().all(|(p, n)| marking.get(p.index()).is_some_and(|have| have >= n))
        })
    }

    /// The marking after a transition; none if it is not enabled, or if a count of tokens
    /// leaves the machine integers.
    ///
    /// ```
    /// let net = ser_petri::read_net("pl a (1)\npl b\ntr t a -> b*2\n")?;
    /// let t = ser_petri::TransitionId(0);
    /// assert_eq!(net.fire(&net.initial_marking(), t), Some(vec![0, 2]));
    /// # Ok::<(), ser_petri::ReadError>(())
    /// ```
    pub fn fire(&self, marking: &[u64], transition: TransitionId) -> Option<Marking> {
        if !self.is_enabled(marking, transition) {
            return None;
        }
        let t = self.transitions.get(transition.index())?;
        let mut next = marking.to_vec();
        for (p, n) in &t.takes {
            let tokens = next.get_mut(p.index())?;
            *tokens = tokens.checked_sub(*n)?;
        }
        for (p, n) in &t.gives {
            let tokens = next.get_mut(p.index())?;
            *tokens = tokens.checked_add(*n)?;
        }
        Some(next)
    }
}

impl Formula {
    /// True of every marking.
    pub fn always() -> Formula {
        Formula::And(Vec::new())
    }

    /// True of no marking.
    pub fn never() -> Formula {
        Formula::Or(Vec::new())
    }

    /// Whether a marking satisfies the formula.
    pub fn holds(&self, marking: &[u64]) -> bool {
        match self {
            Formula::And(parts) => parts.iter().all(|f| f.holds(marking)),
            Formula::Or(parts) => parts.iter().any(|f| f.holds(marking)),
            Formula::Not(inner) => !inner.holds(marking),
            Formula::Compare(left, relation, right) => {
                relation.holds(left.value(marking), right.value(marking))
            }
        }
    }
}

impl Sum {
    pub fn constant(constant: i64) -> Sum {
        Sum { terms: Vec::new(), constant }
    }

    /// The tokens on one place.
    pub fn tokens(place: crate::PlaceId) -> Sum {
        Sum { terms: vec![(place, 1)], constant: 0 }
    }

    /// The value on a marking. A sum of a million terms still fits.
    pub fn value(&self, marking: &[u64]) -> i128 {
        let tokens = |p: &crate::PlaceId| i128::from(marking.get(p.index()).copied().unwrap_or(0));
        // |coefficient * tokens| < 2^127 and only malicious sums get near it.
        self.terms.iter().fold(i128::from(self.constant), |sum, (p, a)| {
            sum.saturating_add(tokens(p).saturating_mul(i128::from(*a)))
        })
    }
}

impl Relation {
    /// Whether two numbers are related in this way.
    pub fn holds(self, left: i128, right: i128) -> bool {
        match self {
            Relation::Equal => left == right,
            Relation::Different => left != right,
            Relation::Less => left < right,
            Relation::AtMost => left <= right,
            Relation::Greater => left > right,
            Relation::AtLeast => left >= right,
        }
    }

    /// The relation that holds exactly where this one does not.
    pub fn opposite(self) -> Relation {
        match self {
            Relation::Equal => Relation::Different,
            Relation::Different => Relation::Equal,
            Relation::Less => Relation::AtLeast,
            Relation::AtMost => Relation::Greater,
            Relation::Greater => Relation::AtMost,
            Relation::AtLeast => Relation::Less,
        }
    }

    /// As it is written in the text syntax.
    pub fn symbol(self) -> &'static str {
        match self {
            Relation::Equal => "=",
            Relation::Different => "!=",
            Relation::Less => "<",
            Relation::AtMost => "<=",
            Relation::Greater => ">",
            Relation::AtLeast => ">=",
        }
    }
}
