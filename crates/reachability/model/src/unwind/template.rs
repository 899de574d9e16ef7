//! The variables that a step is run on, before they become those of transitions.

use super::location::Location;
use super::symbolic::Supply;
use crate::term::{Interval, Term, Terms};
use rustc_hash::FxHashMap;
use ser_model::VariableId;

/// The variables of one step, and its terms.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pub terms: Terms,
    /// What each variable stands for, and its values.
    pub variables: Vec<(Meaning, Interval)>,
    ranges: Vec<Interval>,
    index: FxHashMap<Meaning, Term>,
}

/// What a variable of a step stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Meaning {
    /// A component of the token at its location.
    Component(usize),
    /// A shared variable before the step.
    Shared(VariableId),
    Choice(Location),
}

impl Supply for Template {
    fn terms(&mut self) -> &mut Terms {
        &mut self.terms
    }

    fn global(&mut self, variable: VariableId) -> Term {
        let interval = self.ranges[variable.index()];
        self.variable(Meaning::Shared(variable), interval)
    }

    fn choice(&mut self, location: &Location, interval: Interval) -> Term {
        self.variable(Meaning::Choice(location.clone()), interval)
    }
}

impl Template {
    /// Nothing yet. `ranges` are the values of the shared variables.
    pub fn new(ranges: &[Interval]) -> Template {
        Template {
            terms: Terms::default(),
            variables: Vec::new(),
            ranges: ranges.to_vec(),
            index: FxHashMap::default(),
        }
    }

    /// The variable for something that is mentioned.
    pub fn find(&self, meaning: &Meaning) -> Option<Term> {
        self.index.get(meaning).copied()
    }

    /// The values of a shared variable.
    pub fn range(&self, variable: VariableId) -> Interval {
        self.ranges[variable.index()]
    }

    /// The variable for something.
    pub fn variable(&mut self, meaning: Meaning, interval: Interval) -> Term {
        if let Some(term) = self.index.get(&meaning) {
            return *term;
        }
        let id = crate::VariableId::from_index(self.variables.len());
        let term = self.terms.variable(id, interval);
        self.variables.push((meaning.clone(), interval));
        self.index.insert(meaning, term);
        term
    }
}
