//! Whether a set of transactions is robust: what can be reached from every split.

use crate::cycle::{Cycle, Link, Member};
use rustc_hash::FxHashSet;
use ser_base::{Limits, Stop};
use ser_isolation_checker::split::{Frame, Node, Start, Step, System};
use ser_isolation_checker::{Certificate, Chains, Dependency, Reached, Why};
use ser_isolation_model::ast::{Level, Program};
use ser_isolation_model::operations::{Operations, Outside, Term};

/// What is known about a set of transactions at some levels.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    Robust(Box<Certificate>),
    Cycle(Box<Cycle>),
    /// Statements that conflicts do not explain.
    Outside(Vec<Outside>),
}

/// Whether a program is robust for the level of each transaction.
pub fn decide(program: &Program, levels: &[Level], limits: &Limits) -> Result<Answer, Stop> {
    Search::new(Operations::of(program)).decide(levels, limits)
}

/// Templates, and what is remembered of splits.
#[derive(Debug)]
pub struct Search {
    system: System,
    starts: Vec<Vec<Start>>,
}

/// How a node was reached: from which one, and by which step.
type Way = (Option<usize>, Step);

impl Search {
    pub fn new(operations: Operations) -> Search {
        let system = System::new(operations);
        let templates = 0..system.operations().templates.len() as u32;
        let starts = templates.map(|it| system.starts(it)).collect();
        Search { system, starts }
    }

    pub fn system(&self) -> &System {
        &self.system
    }

    /// A certificate, or a shortest cycle.
    pub fn decide(&self, levels: &[Level], limits: &Limits) -> Result<Answer, Stop> {
        if !self.system.operations().outside.is_empty() {
            return Ok(Answer::Outside(self.system.operations().outside.clone()));
        }
        let mut best: Option<Cycle> = None;
        let mut chains = Vec::new();
        for starts in &self.starts {
            for start in starts {
                let longest = best.as_ref().map_or(usize::MAX, |it| it.members.len() - 1);
                match self.explore(start, levels, longest, limits)? {
                    Ok(reached) => chains.push(Chains {
                        template: start.template,
                        read: start.read,
                        back: start.back,
                        values: start.values.clone(),
                        reached,
                    }),
                    Err(cycle) => best = Some(cycle),
                }
                if best.as_ref().is_some_and(|it| it.members.len() == 2) {
                    break;
                }
            }
        }
        Ok(match best {
            Some(cycle) => Answer::Cycle(Box::new(cycle)),
            None => Answer::Robust(Box::new(Certificate {
                levels: levels.iter().map(|it| Certificate::level(*it).to_owned()).collect(),
                dependencies: Dependency::all(&self.system),
                chains,
            })),
        })
    }

    /// A cycle that splits a transaction, if there is any.
    pub fn cycle_of(
        &self,
        transaction: usize,
        levels: &[Level],
        limits: &Limits,
    ) -> Result<Option<Cycle>, Stop> {
        for (template, starts) in self.system.operations().templates.iter().zip(&self.starts) {
            if template.transaction != transaction {
                continue;
            }
            for start in starts {
                if let Err(cycle) = self.explore(start, levels, usize::MAX, limits)? {
                    return Ok(Some(cycle));
                }
            }
        }
        Ok(None)
    }

    /// What can be reached from a split, or a shortest cycle with at most so many transactions.
    fn explore(
        &self,
        start: &Start,
        levels: &[Level],
        longest: usize,
        limits: &Limits,
    ) -> Result<Result<Vec<Reached>, Cycle>, Stop> {
        let frame = self.system.frame(start.clone(), levels);
        let mut pace = limits.pace();
        let mut numbers: FxHashSet<Node> = FxHashSet::default();
        let mut ways: Vec<Way> = Vec::new();
        let mut at = 0;
        // Breadth first: chains of one more transaction begin behind the last one that was found.
        let mut length = 2;
        let mut layer = 0;
        let mut steps = Vec::new();
        frame.begin(&mut |it| steps.push(it));
        let mut from = None;
        loop {
            pace.steps(1 + steps.len())?;
            for step in steps.drain(..) {
                if !step.closes.is_empty() && length <= longest {
                    return Ok(Err(self.cycle(&frame, &ways, (from, step), levels)));
                }
                if step.goes_on && !numbers.contains(&step.node) {
                    numbers.insert(step.node.clone());
                    ways.push((from, step));
                }
            }
            if at == layer {
                length += 1;
                layer = ways.len();
            }
            let Some((_, step)) = ways.get(at) else { break };
            frame.steps(&step.node, &mut |it| steps.push(it));
            from = Some(at);
            at += 1;
        }
        let mut reached: Vec<Reached> =
            ways.into_iter().map(|(_, step)| Reached::from(step.node)).collect();
        reached.sort_unstable();
        Ok(Ok(reached))
    }

    fn cycle(&self, frame: &Frame<'_>, ways: &[Way], last: Way, levels: &[Level]) -> Cycle {
        let system = &self.system;
        let mut steps = vec![last.1];
        let mut from = last.0;
        while let Some(at) = from {
            let (before, step) = &ways[at];
            steps.push(step.clone());
            from = *before;
        }
        steps.reverse();
        let member = |template: u32, values: &[u32]| {
            let transaction = system.template(template).transaction;
            Member { template, transaction, level: levels[transaction], values: values.to_vec() }
        };
        let mut members = vec![member(frame.start.template, &frame.start.values)];
        let mut links = Vec::new();
        let mut before = frame.start.read;
        for step in &steps {
            links.push(self.link(before, step.enter, &members[members.len() - 1].values));
            members.push(member(system.template_of(step.enter), &step.values));
            before = step.node.operation;
        }
        if let Some(step) = steps.last()
            && let Some(back) = step.closes.first()
        {
            links.push(self.link(before, *back, &step.values));
        }
        Cycle { members, links }
    }

    fn link(&self, before: u32, after: u32, values: &[u32]) -> Link {
        let found = self.system.after(before).iter().find(|(it, _)| *it == after);
        let columns = found.map_or(&[][..], |(_, it)| &it.columns);
        let row = self.system.operation(before).row.iter();
        let row = row.filter(|(column, _)| columns.contains(column));
        let row = row.map(|(column, term)| {
            let code = match term {
                Term::Free(term) => values[*term as usize],
                Term::Value(value) => self.system.code(value),
            };
            (*column, code)
        });
        let why = found.map_or(Why::Follows, |(_, it)| Why::of(it));
        Link { before, after, why, row: row.collect() }
    }
}
