//! Brute force: all reachable markings, up to a number of them.
//!
//! Nothing clever, on purpose: this is what clever answers are compared with.

use crate::{
    Formula, Marking, Names, PetriNet, Quantifier, Query, ReadError, TransitionId, read_net,
    read_properties,
};
use std::collections::BTreeMap;

/// The markings that were reached, in the order of their distance from the start.
#[derive(Clone, Debug)]
pub struct Exploration {
    markings: Vec<Marking>,
    /// For each marking but the first, the one before it and the transition between them.
    parents: Vec<Option<(usize, TransitionId)>>,
    complete: bool,
}

/// What brute force says about a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// A shortest sequence of transitions to a marking that satisfies it.
    Reachable(Vec<TransitionId>),
    /// All reachable markings were looked at, and none satisfies it.
    Unreachable,
    /// Not all markings were looked at.
    Unknown,
}

/// Fires everything in every order until there are `max_markings` markings or no new ones.
///
/// ```
/// let net = ser_petri::read_net("pl a (1)\ntr t a -> b\n")?;
/// let all = ser_petri::explore(&net, 100);
/// assert!(all.is_complete());
/// assert_eq!(all.markings(), [vec![1, 0], vec![0, 1]]);
/// # Ok::<(), ser_petri::ReadError>(())
/// ```
pub fn explore(net: &PetriNet, max_markings: usize) -> Exploration {
    let start = net.initial_marking();
    let mut known = BTreeMap::from([(start.clone(), 0)]);
    let mut found = Exploration { markings: vec![start], parents: vec![None], complete: true };
    let mut next = 0;
    while let Some(marking) = found.markings.get(next).cloned() {
        for t in (0..net.transitions.len() as u32).map(TransitionId) {
            if !net.is_enabled(&marking, t) {
                continue;
            }
            // More tokens than a machine integer holds: that marking is out of reach for us.
            let Some(after) = net.fire(&marking, t) else {
                found.complete = false;
                continue;
            };
            if known.contains_key(&after) {
                continue;
            }
            if found.markings.len() >= max_markings {
                found.complete = false;
                return found;
            }
            known.insert(after.clone(), found.markings.len());
            found.markings.push(after);
            found.parents.push(Some((next, t)));
        }
        next += 1;
    }
    found
}

impl Exploration {
    pub fn markings(&self) -> &[Marking] {
        &self.markings
    }

    /// Whether these are all reachable markings.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The first marking that satisfies a formula.
    pub fn find(&self, formula: &Formula) -> Found {
        match self.markings.iter().position(|m| formula.holds(m)) {
            Some(at) => Found::Reachable(self.path(at)),
            None if self.complete => Found::Unreachable,
            None => Found::Unknown,
        }
    }

    fn path(&self, mut at: usize) -> Vec<TransitionId> {
        let mut sequence = Vec::new();
        while let Some(Some((before, t))) = self.parents.get(at) {
            sequence.push(*t);
            at = *before;
        }
        sequence.reverse();
        sequence
    }
}

impl Query {
    /// The formula whose reachability answers the query: the formula itself, or its opposite if
    /// the query says that it always holds.
    pub fn target(&self) -> Formula {
        match self.quantifier {
            Quantifier::Possibly => self.formula.clone(),
            Quantifier::Always => Formula::Not(Box::new(self.formula.clone())),
        }
    }

    /// Whether the query is true, if its target is reachable or not.
    pub fn is_true(&self, target_reachable: bool) -> bool {
        match self.quantifier {
            Quantifier::Possibly => target_reachable,
            Quantifier::Always => !target_reachable,
        }
    }
}

/// Reads a net in Tina's format and properties in the contest's XML, as another tool would, and
/// answers each property by brute force: its name, and whether it is true, if up to
/// `max_markings` markings tell.
///
/// For tests of pairs of files that are written for other tools.
pub fn answer_pair_by_force(
    net: &str,
    properties: &str,
    max_markings: usize,
) -> Result<Vec<(String, Option<bool>)>, ReadError> {
    let net = read_net(net)?;
    let queries = read_properties(properties, &net, &Names::of(&net))?;
    let all = explore(&net, max_markings);
    let answer = |query: &Query| match all.find(&query.target()) {
        Found::Reachable(_) => Some(query.is_true(true)),
        Found::Unreachable => Some(query.is_true(false)),
        Found::Unknown => None,
    };
    Ok(queries.iter().map(|query| (query.name.clone(), answer(query))).collect())
}
