//! A program as actions of processes: what an interleaving is made of.
//!
//! A process has places in its code where it yields; an *action* leads from one to another, if its
//! condition holds, and changes shared and local variables. Unlike an unwinding, loops are not
//! unrolled: an action may be taken again and again. This is what bounded model checking unrolls
//! step by step.

use crate::term::{Interval, Term};
use crate::unwind::{
    Location, Loops, Meaning, Start, StepError, Stepper, Task, Template, UnwindError, Unwinding,
    Way,
};
use ser_base::Limits;
use ser_model::{Code, Liveness, Pc};
use std::collections::BTreeSet;

/// An action.
pub(crate) struct Action {
    /// Whose.
    pub process: usize,
    /// Where it starts: an index into the process's places.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// What it does, over the variables of its template.
    pub way: Way,
    /// An index into [`Actions::templates`].
    pub template: usize,
}

/// The places of one process.
pub(crate) struct YieldPoints {
    /// Where in the code; the last one is the end.
    pub places: Vec<Option<Pc>>,
    /// The values of local variables and half-evaluated expressions, whatever the place; for the
    /// end, the first one is the response.
    pub values: Vec<Interval>,
    /// The first values.
    pub first: Vec<i64>,
}

/// A program as actions.
pub(crate) struct Actions {
    pub processes: Vec<YieldPoints>,
    pub actions: Vec<Action>,
    /// The terms and variables of the actions; those from one place share them.
    pub templates: Vec<Template>,
    /// First values of the shared variables.
    pub initial: Vec<i64>,
    /// Whether some action goes round a loop more often than was allowed.
    pub is_cut: bool,
}

impl Actions {
    /// The actions of a program. `unwinding` knows the values of the variables: runs in which they
    /// have other values are left out.
    pub fn new(
        task: &Task<'_>,
        unwinding: &Unwinding,
        max_rounds: u32,
        limits: &Limits,
    ) -> Result<Actions, UnwindError> {
        let code = Code::new(task.program);
        let (liveness, loops) = (Liveness::new(&code), Loops::new(&code));
        let stepper = Stepper::new(&code, &loops, &liveness, limits, max_rounds);
        let mut all = Actions {
            processes: Vec::new(),
            actions: Vec::new(),
            templates: Vec::new(),
            initial: code.initial.clone(),
            is_cut: false,
        };
        for index in 0..task.processes.len() {
            all.add_process(&stepper, task, unwinding, index)?;
        }
        Ok(all)
    }

    fn add_process(
        &mut self,
        stepper: &Stepper<'_>,
        task: &Task<'_>,
        unwinding: &Unwinding,
        index: usize,
    ) -> Result<(), UnwindError> {
        let process = &task.processes[index];
        let handlers = &stepper.code.handlers;
        let handler = handlers.iter().find(|h| h.name == process.handler);
        let handler = handler.ok_or_else(|| UnwindError::Handler(process.handler.clone()))?;
        let slots = handler.slots.len();
        let mine = (index, 0)..=(index, Pc::MAX);
        let known: Vec<(Pc, &Vec<Interval>)> =
            unwinding.locals.range(mine).map(|((_, pc), values)| (*pc, values)).collect();
        let mut first = process.arguments.clone();
        first.resize(slots, 0);
        let mut values: Vec<Interval> = first.iter().map(|v| Interval::only(*v)).collect();
        for (_, intervals) in &known {
            for (i, interval) in intervals.iter().enumerate() {
                match values.get_mut(i) {
                    Some(all) => *all = all.join(*interval),
                    None => values.push(interval.join(Interval::only(0))),
                }
            }
        }
        let mut places: Vec<Option<Pc>> = known.iter().map(|(pc, _)| Some(*pc)).collect();
        places.sort_unstable_by_key(|pc| (*pc != Some(handler.entry), *pc));
        places.push(None);
        let mut responses: Option<Interval> = None;
        for (from, pc) in places.iter().enumerate() {
            let Some(pc) = *pc else { continue };
            let Some((_, intervals)) = known.iter().find(|(known, _)| *known == pc) else {
                continue;
            };
            let mut template = Template::new(&unwinding.ranges);
            let variable = |(i, interval): (usize, &Interval)| match interval.is_single() {
                true => template.terms.number(interval.low),
                false => template.variable(Meaning::Component(i), *interval),
            };
            let mut terms: Vec<Term> = intervals.iter().enumerate().map(variable).collect();
            let stack = terms.split_off(slots);
            let nowhere = Location { rounds: Vec::new(), pc: Some(pc) };
            let location = stepper.loops.at(pc, &nowhere, false);
            let start = Start { location, locals: terms, stack };
            let ways = stepper.step(start, &mut template).map_err(|trouble| match trouble {
                StepError::Stop(stop) => UnwindError::Stop(stop),
                StepError::TooLarge(pc) => {
                    UnwindError::TooLarge { span: stepper.code.spans[pc as usize] }
                }
                StepError::Beyond(pc, what) => {
                    UnwindError::Beyond { span: stepper.code.spans[pc as usize], what }
                }
            })?;
            self.is_cut |= ways.is_cut;
            for way in ways.ways {
                // A place that no run within the bound comes to is none.
                let Some(to) = places.iter().position(|p| *p == way.to.pc) else { continue };
                if way.to.pc.is_none() {
                    let response = way.stack.first().map(|t| template.terms.interval(*t));
                    responses = match (responses, response) {
                        (Some(a), Some(b)) => Some(a.join(b)),
                        (a, b) => a.or(b),
                    };
                }
                let template = self.templates.len();
                self.actions.push(Action { process: index, from, to, way, template });
            }
            self.templates.push(template);
        }
        // There is room for a response, even if there is never one.
        let response = responses.unwrap_or(Interval::only(0));
        match values.first_mut() {
            Some(first) => *first = first.join(response),
            None => values.push(response.join(Interval::only(0))),
        }
        self.processes.push(YieldPoints { places, values, first });
        Ok(())
    }

    /// The shared variables that some action writes.
    pub fn written(&self) -> BTreeSet<ser_model::VariableId> {
        self.actions.iter().flat_map(|action| action.way.writes.keys().copied()).collect()
    }
}
