//! Solving, and what solutions mean.

use super::{Encoder, OrderMethod};
use crate::formula::{FALSE, Part};
use crate::ids::TransitionId;
use crate::net::Net;
use crate::order::find_cycles;
use crate::term::Node;
use crate::trace::TokenTrace;
use ser_base::{Limits, Stop};
use ser_sat::{Answer, Lit};

/// What came out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// A token trace with one of the targets.
    Sat(TokenTrace),
    /// There is none.
    Unsat {
        /// The growths (by their place in the net) that had to be left out for this answer. If there is none,
        /// it holds however far one unrolls.
        needed: Vec<usize>,
    },
    /// It was stopped.
    Unknown(Stop),
}

impl Encoder {
    /// Looks for a token trace of the net as it was at the last [`Encoder::extend`], with what was required.
    pub fn solve(&mut self, net: &Net, limits: &Limits) -> Outcome {
        self.ask(net, Vec::new(), limits)
    }

    /// Looks for a token trace in which one of these transitions occurs, in this call only.
    pub fn solve_for(&mut self, net: &Net, targets: &[TransitionId], limits: &Limits) -> Outcome {
        let occur: Vec<Lit> = targets.iter().map(|t| self.occurs(*t)).collect();
        let part = self.formula.set_part(Part::Links);
        let goal = self.formula.any(&occur);
        self.formula.set_part(part);
        if goal == FALSE {
            return Outcome::Unsat { needed: Vec::new() };
        }
        self.ask(net, vec![goal], limits)
    }

    fn ask(&mut self, net: &Net, goal: Vec<Lit>, limits: &Limits) -> Outcome {
        self.assumptions = goal;
        self.assumptions.extend(self.begun.iter().map(|lit| !*lit));
        loop {
            match self.formula.solver_mut().solve(&self.assumptions, limits) {
                Answer::Unknown(stop) => return Outcome::Unknown(stop),
                Answer::Unsat => {
                    let core = self.formula.solver().core();
                    let needed = (0..self.begun.len()).filter(|g| core.contains(&!self.begun[*g]));
                    return Outcome::Unsat { needed: needed.collect() };
                }
                Answer::Sat => {
                    let trace = self.trace(net);
                    if self.options.order == OrderMethod::Eliminate
                        || !self.forbid_cycles(net, &trace)
                    {
                        return Outcome::Sat(trace);
                    }
                }
            }
        }
    }

    /// Construction 1 of the paper.
    fn trace(&self, net: &Net) -> TokenTrace {
        let value = |lit: Lit| self.formula.solver().value(lit);
        let mut trace = TokenTrace::default();
        for (index, transition) in net.transitions.iter().enumerate().take(self.occurs.len()) {
            if !value(self.occurs[index]) {
                continue;
            }
            trace.events.insert(TransitionId::from_index(index));
            for variable in &transition.variables {
                if let Some(number) = self.bits.value(*variable, &value) {
                    trace.binding.insert(*variable, number);
                }
            }
        }
        for place in &self.places {
            for reader in place.inputs.iter().chain(&place.tests) {
                if trace.events.contains(&net.arc(reader.arc).transition)
                    && let Some((output, _)) = reader.links.iter().find(|(_, link)| value(*link))
                {
                    trace.source.insert(reader.arc, *output);
                }
            }
        }
        self.bind_ignored(net, &mut trace);
        trace
    }

    /// Variables without bits have the values of the tokens that they receive.
    fn bind_ignored(&self, net: &Net, trace: &mut TokenTrace) {
        let mut received = Vec::new();
        for (reader, output) in &trace.source {
            for (read, made) in net.arc(*reader).values.iter().zip(&net.arc(*output).values) {
                if let Node::Variable(variable) = net.terms.node(*read)
                    && self.ignored.contains(&variable)
                {
                    let value = |v| trace.binding.get(&v).copied().unwrap_or(0);
                    received.push((variable, net.terms.evaluate(*made, &value).unwrap_or(0)));
                }
            }
        }
        trace.binding.extend(received);
    }

    /// Forbids the cycles among the inequalities that a solution uses; whether there were any.
    ///
    /// It uses those that the trace asks for: makers before readers, testers before takers. Others
    /// may go in circles, nobody needs them.
    fn forbid_cycles(&mut self, net: &Net, trace: &TokenTrace) -> bool {
        let mut clauses = Vec::new();
        for cycle in find_cycles(&trace.precedences(net)) {
            let mut clause = Vec::new();
            for (i, before) in cycle.iter().enumerate() {
                let after = cycle[(i + 1) % cycle.len()];
                if let Some(lit) = self.order.find(*before, after) {
                    clause.push(!lit);
                }
            }
            clauses.push(clause);
        }
        let part = self.formula.set_part(Part::Order);
        for clause in &clauses {
            self.formula.clause(clause);
        }
        self.formula.set_part(part);
        !clauses.is_empty()
    }
}
