//! Everything that a fixed set of requests can come to, each of which runs once.

use crate::network::{Network, TooMuch};
use crate::program::ProgramNetwork;
use ser_syntax::core;
use std::collections::{BTreeMap, BTreeSet};

/// A state between two steps.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GlobalConfiguration {
    /// The global variables that have been mentioned so far; all others are 0.
    pub globals: BTreeMap<String, i64>,
    /// The responses of the requests, in the order in which they were given.
    pub responses: Vec<Option<i64>>,
}

/// All configurations of all runs of these requests.
///
/// ```
/// let program = ser_syntax::parse("request main { x := X; yield; X := x + 1 }").program;
/// let twice = ["main".to_owned(), "main".to_owned()];
/// let configurations = ser_oracle::configurations(&program, &twice, 1000).unwrap().unwrap();
/// let last = configurations.iter().filter(|m| m.responses.iter().all(Option::is_some));
/// assert!(last.clone().any(|m| m.globals["X"] == 1) && last.clone().any(|m| m.globals["X"] == 2));
/// ```
///
/// Nothing if the program has errors or one of the labels does not exist.
pub fn configurations(
    program: &core::Program,
    labels: &[String],
    most: usize,
) -> Option<Result<BTreeSet<GlobalConfiguration>, TooMuch>> {
    let mut network = ProgramNetwork::new(program)?;
    let mut locals = Vec::new();
    for label in labels {
        let start = network.req().iter().find(|(l, _)| network.request_name(*l) == *label)?;
        locals.push(start.1);
    }
    Some(enumerate(&mut network, locals, most))
}

fn enumerate(
    network: &mut ProgramNetwork,
    locals: Vec<usize>,
    most: usize,
) -> Result<BTreeSet<GlobalConfiguration>, TooMuch> {
    let mut seen = BTreeSet::new();
    let mut open = vec![(network.g0(), locals)];
    let mut configurations = BTreeSet::new();
    while let Some(state) = open.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        if seen.len() > most {
            return Err(TooMuch::States);
        }
        let (global, locals) = state;
        let response = |local: &usize| network.response_value(*local);
        let responses = locals.iter().map(response).collect();
        configurations.insert(GlobalConfiguration { globals: network.globals(global), responses });
        for at in 0..locals.len() {
            for (local, global) in network.delta(locals[at], global)? {
                let mut locals = locals.clone();
                locals[at] = local;
                open.push((global, locals));
            }
        }
    }
    Ok(configurations)
}
