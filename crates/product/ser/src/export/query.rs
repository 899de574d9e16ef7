//! The query that a program is not serializable.
//!
//! A complete run ends with no request in flight; its outcome is the marking of the sinks. It is
//! not serial iff it is in none of the components of the serial outcomes. Being outside of one
//! component with linearly independent periods is a disjunction of linear conditions
//! (`ser_arith::non_member`); other components are first divided into such ones
//! (`ser_arith::simplicial`). So the query is a conjunction of clauses, and it is exact: nothing is
//! approximated. This is step 3 of section 3.1 of the SER paper.

use super::{Clause, ExportedNet};
use ser_arith::{Linear, Outcomes, Var, non_member, simplicial};
use ser_net::Outcome;
use ser_petri::{Formula, PlaceId, Quantifier, Query, Relation, Sum};

/// With more components than this, a query is too large to read or to answer.
const MAX_COMPONENTS: usize = 2_000;

/// When a marking is the end of a run that no serial run explains.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NonSerial {
    /// These places are all empty.
    pub in_flight: Vec<PlaceId>,
    /// All of these hold: the responses are in no component of the serial outcomes.
    pub clauses: Vec<Clause>,
}

/// Why there is no query.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoQuery {
    /// Too many components, or too large numbers.
    #[error("the query would be too large")]
    TooLarge,
    /// A clause speaks about remainders, which the contest's format cannot express.
    #[error(
        "the serial outcomes repeat with a period, so the query speaks about remainders, and the \
         contest's format cannot express them"
    )]
    Remainder,
}

/// The query about a net. Coordinate `i` of the outcomes counts `letters[i]`.
pub fn non_serial(
    net: &ExportedNet,
    letters: &[Outcome],
    serial: &Outcomes,
) -> Result<NonSerial, NoQuery> {
    // What the net never responds is counted as zero.
    let counts: Vec<Linear> = letters
        .iter()
        .map(|o| net.sink(*o).map_or_else(Linear::zero, |place| Linear::var(Var(place.0))))
        .collect();
    let mut clauses: Vec<Clause> = Vec::new();
    for component in serial.maximal.iter().filter_map(|at| serial.components.get(*at)) {
        let left = MAX_COMPONENTS.saturating_sub(clauses.len());
        let parts = simplicial(&component.base, &component.periods, left);
        for (base, periods) in parts.ok_or(NoQuery::TooLarge)? {
            let outside = non_member(&base, &periods, &counts).ok_or(NoQuery::TooLarge)?;
            if let Some(clause) = Clause::new(&outside.clause).ok_or(NoQuery::TooLarge)? {
                clauses.push(clause);
            }
        }
    }
    let all = clauses.clone();
    let mut at = 0;
    clauses.retain(|clause| {
        at += 1;
        // Of two that say the same, the first one stays.
        let implied = |(i, other): (usize, &Clause)| {
            clause.follows_from(other) && (!other.follows_from(clause) || i + 1 < at)
        };
        !all.iter().enumerate().any(implied)
    });
    Ok(NonSerial { in_flight: net.in_flight(), clauses })
}

impl NonSerial {
    /// The query as other tools have it: is such a marking reachable?
    pub fn query(&self) -> Result<Query, NoQuery> {
        let mut parts = Vec::new();
        if !self.in_flight.is_empty() {
            let terms = self.in_flight.iter().map(|place| (*place, 1)).collect();
            let nobody = Sum { terms, constant: 0 };
            parts.push(Formula::Compare(nobody, Relation::AtMost, Sum::default()));
        }
        for clause in &self.clauses {
            parts.push(clause.formula().ok_or(NoQuery::Remainder)?);
        }
        Ok(Query {
            name: "not-serializable".into(),
            quantifier: Quantifier::Possibly,
            formula: Formula::And(parts),
        })
    }
}
