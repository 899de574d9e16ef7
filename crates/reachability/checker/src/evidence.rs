//! What is handed over to be checked: plain data.

use ser_model::Move;
use ser_reachability_model::{Encoding, Execution, Formula, Net};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why a goal can be reached, or cannot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Evidence {
    /// It can: a run of the processes.
    Run { moves: Vec<Move> },
    /// It can: a firing sequence of an unwinding.
    Firing { steps: Vec<Occurrence> },
    /// It cannot: the formula of event tracing has no solution.
    Events {
        encoding: Encoding,
        /// How the unwinding grew. The numbers of the formula's variables depend on it.
        stages: Vec<Stage>,
        /// Whether this holds however often loops go round.
        complete: bool,
        formula: FormulaSize,
        /// What the solver learnt: literals as in the DIMACS format.
        learnt: Vec<Vec<i32>>,
    },
    /// It cannot: the formula of an interleaving of so many steps has no solution.
    Steps { steps: u32, complete: bool, formula: FormulaSize, learnt: Vec<Vec<i32>> },
    /// It cannot: none of so many states is one.
    Listing { states: usize },
}

/// A transition of an unwinding occurs, with values for its variables.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Occurrence {
    pub transition: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, i64>,
}

/// An unwinding, and what was added to its formula before it grew further.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// How often the open loops of each process go round. Empty for an unwinding that a person
    /// wrote.
    pub rounds: Vec<u32>,
    /// Cycles in the order of events that were forbidden: transitions, each before the next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cycles: Vec<Vec<u32>>,
}

/// How large a formula is. If it is made anew with another size, then by another version.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FormulaSize {
    pub variables: usize,
    pub clauses: usize,
}

impl FormulaSize {
    pub fn of(formula: &Formula) -> FormulaSize {
        let (variables, clauses) = formula.size();
        FormulaSize { variables, clauses }
    }
}

impl Evidence {
    /// Whether it is to show that the goal can be reached.
    pub fn is_reachable(&self) -> bool {
        matches!(self, Evidence::Run { .. } | Evidence::Firing { .. })
    }

    /// The firing sequence of an execution.
    pub fn firing(net: &Net, execution: &Execution) -> Evidence {
        let occurrence = |step: &ser_reachability_model::Step| Occurrence {
            transition: net.transition(step.transition).name.clone(),
            values: (step.binding.iter())
                .map(|(v, value)| (net.variables[v.index()].name.clone(), *value))
                .collect(),
        };
        Evidence::Firing { steps: execution.steps.iter().map(occurrence).collect() }
    }

    /// Leaves out learnt clauses that the check did not look at; `used` are the places of the
    /// others, ascending. What is left is still a proof.
    pub fn trim(&mut self, used: &[usize]) {
        if let Evidence::Events { learnt, .. } | Evidence::Steps { learnt, .. } = self {
            let mut place = 0..;
            learnt.retain(|_| place.next().is_some_and(|i| used.binary_search(&i).is_ok()));
        }
    }
}
