//! Values that hold whatever loops do: intervals for shared variables, local variables and
//! responses.
//!
//! Every place in the code where a process yields gets an interval for each local variable, every
//! shared variable gets one; steps are run on them until nothing changes any more. What is found
//! then holds for runs of any length, by induction over the run. Counters without an end never come
//! to rest: then nothing is claimed.

use super::location::Location;
use super::symbolic::{Start, Stepper, Supply};
use super::template::{Meaning, Template};
use super::{Frame, UnwindError};
use crate::term::{Interval, Term};
use ser_model::Pc;
use std::collections::BTreeMap;

/// So often every step is run at most.
const MAX_PASSES: usize = 40;

/// Intervals that hold in every state.
pub(super) struct Invariant {
    /// Of each shared variable.
    pub shared: Vec<Interval>,
    /// Of the response of each process, if it has one.
    pub responses: Vec<Option<Interval>>,
}

impl Frame<'_> {
    /// Intervals that hold whatever happens, if some are found soon. Those of `given` variables are
    /// not looked for.
    pub(super) fn invariant(
        &self,
        given: &[Option<Interval>],
    ) -> Result<Option<Invariant>, UnwindError> {
        let first = given.iter().zip(&self.code.initial);
        let mut shared: Vec<Interval> =
            first.map(|(given, value)| given.unwrap_or(Interval::only(*value))).collect();
        let mut responses = vec![None; self.task.processes.len()];
        let mut yield_points: BTreeMap<(usize, Pc), YieldPoint> = BTreeMap::new();
        for (index, process) in self.task.processes.iter().enumerate() {
            let found = self.code.handlers.iter().find(|h| h.name == process.handler);
            let handler = found.ok_or_else(|| UnwindError::Handler(process.handler.clone()))?;
            let mut values: Vec<Interval> = match self.task.is_open {
                true => handler.parameters.iter().map(|(l, h)| Interval::new(*l, *h)).collect(),
                false => process.arguments.iter().map(|v| Interval::only(*v)).collect(),
            };
            values.resize(handler.slots.len(), Interval::only(0));
            yield_points
                .insert((index, handler.entry), YieldPoint { values, locals: handler.slots.len() });
        }
        let stepper = Stepper::new(self.code, self.loops, self.liveness, self.limits, 8);
        for _ in 0..MAX_PASSES {
            let mut changed = false;
            let here: Vec<((usize, Pc), YieldPoint)> =
                yield_points.iter().map(|(at, point)| (*at, point.clone())).collect();
            for ((process, pc), point) in here {
                let mut template = Template::new(&shared);
                let start = point.start(pc, &stepper, &mut template);
                // Whatever goes wrong here goes wrong again where it matters.
                let Ok(ways) = stepper.step(start, &mut template) else { return Ok(None) };
                if ways.is_cut {
                    return Ok(None);
                }
                for way in ways.ways {
                    let interval = |term: &Term| template.terms.interval(*term);
                    for (variable, term) in &way.writes {
                        if given[variable.index()].is_none() {
                            changed |= widen(&mut shared[variable.index()], interval(term));
                        }
                    }
                    let Some(to) = way.to.pc else {
                        let response = way.stack.first().map_or(Interval::only(0), interval);
                        match &mut responses[process] {
                            Some(known) => changed |= widen(known, response),
                            none => (*none, changed) = (Some(response), true),
                        }
                        continue;
                    };
                    let values: Vec<Interval> =
                        way.locals.iter().chain(&way.stack).map(interval).collect();
                    let new = YieldPoint { values, locals: way.locals.len() };
                    let known = yield_points.entry((process, to)).or_insert_with(|| {
                        changed = true;
                        new.clone()
                    });
                    for (known, new) in known.values.iter_mut().zip(&new.values) {
                        changed |= widen(known, *new);
                    }
                }
            }
            if !changed {
                return Ok(Some(Invariant { shared, responses }));
            }
        }
        Ok(None)
    }
}

/// Makes an interval cover another; whether that changed it.
fn widen(known: &mut Interval, new: Interval) -> bool {
    let joined = known.join(new);
    let changed = joined != *known;
    *known = joined;
    changed
}

/// What is known where a process yields.
#[derive(Clone)]
struct YieldPoint {
    /// Of the local variables, and then of half-evaluated expressions.
    values: Vec<Interval>,
    locals: usize,
}

impl YieldPoint {
    fn start(&self, pc: Pc, stepper: &Stepper<'_>, template: &mut Template) -> Start {
        let variable = |(i, interval): (usize, &Interval)| match interval.is_single() {
            true => template.terms().number(interval.low),
            false => template.variable(Meaning::Component(i), *interval),
        };
        let mut terms: Vec<Term> = self.values.iter().enumerate().map(variable).collect();
        let stack = terms.split_off(self.locals);
        let nowhere = Location { rounds: Vec::new(), pc: Some(pc) };
        let location = stepper.loops.at(pc, &nowhere, false);
        Start { location, locals: terms, stack }
    }
}
