//! Can something fail: an assertion, a range, an index, a division?
//!
//! If no state of the listing leads to a failure, nothing fails, because every run stays within the
//! listing. Otherwise runs are tried, those with few requests first. A run that is found is a run
//! of the program, whatever the listing says.

use super::explore::{ExploreError, Explored};
use super::machine::{Runner, StepError};
use super::states::States;
use super::{ProgramModel, lowered};
use crate::{GlobalId, LocalId, Step};
use rustc_hash::FxHashMap;
use ser_base::{Limits, LineIndex, Span, Stop};
use ser_syntax::core::{Fault, Program};
use std::collections::VecDeque;

/// The most configurations that are looked at.
const MAX_CONFIGURATIONS: usize = 300_000;

/// The most requests in a run.
const MAX_REQUESTS: usize = 12;

/// Whether something fails.
#[derive(Clone, Debug)]
pub enum Failing {
    /// A run that ends where something fails.
    Run(Box<Failure>),
    /// A run was not found, with so many requests.
    Open { requests: usize, stop: Option<Stop> },
}

/// A run that ends where something fails.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The program, with the states on the way and perhaps some more.
    pub model: ProgramModel,
    /// The label of each request that takes part.
    pub requests: Vec<String>,
    /// The steps, each with the request that takes it.
    pub steps: Vec<(usize, Step)>,
    /// The request whose next step fails; if it has not stepped before, it arrives for that.
    pub request: usize,
    pub fault: Fault,
    /// The expression at fault.
    pub span: Span,
}

/// A configuration: the global state, and where the requests in flight stand, in order.
type Configuration = (GlobalId, Vec<LocalId>);

/// How a configuration came about: from which one, by which request (where it stood, and where it
/// stands), and with which label if it arrived for that.
#[derive(Clone, Copy)]
struct Came {
    from: usize,
    local: LocalId,
    to: LocalId,
    label: Option<usize>,
}

struct Search<'a> {
    states: States<'a>,
    labels: Vec<(String, LocalId)>,
    seen: FxHashMap<Configuration, usize>,
    all: Vec<(Configuration, Option<Came>, usize)>,
    open: VecDeque<usize>,
    /// Those with one request more.
    next: VecDeque<usize>,
}

impl ProgramModel {
    /// What can go wrong in a program, as far as its listing can tell: the place of each thing that
    /// might. Nothing outside of the list ever goes wrong.
    pub fn suspects(&self) -> impl Iterator<Item = &(Fault, Span)> {
        let faults = self.code.faults.iter().zip(&self.faults_reached);
        faults.filter(|(_, reached)| **reached).map(|(fault, _)| fault)
    }

    /// Looks for a run in which something fails; with few requests first.
    ///
    /// ```
    /// use ser_base::Limits;
    /// use ser_model::{Failing, ProgramModel};
    /// let text = "request take { if (X == 0) { yield; assert(X == 0); X := 1 } }";
    /// let program = ser_syntax::parse(text).program;
    /// let found = ProgramModel::failing(&program, text, &Limits::default()).unwrap();
    /// let Failing::Run(failure) = found else { panic!("two requests, one after the other") };
    /// assert_eq!(failure.requests.len(), 2);
    /// ```
    pub fn failing(
        program: &Program,
        text: &str,
        limits: &Limits,
    ) -> Result<Failing, ExploreError> {
        let (code, liveness) = lowered(program, limits)?;
        let lines = LineIndex::new(text);
        let states = States::new(Runner::new(&code, &liveness, limits), &lines, None);
        let mut search = Search {
            labels: states.starts(),
            states,
            seen: FxHashMap::default(),
            all: Vec::new(),
            open: VecDeque::new(),
            next: VecDeque::new(),
        };
        let (found, failed) = match search.run(limits) {
            Ok(found) => found,
            Err(StepError::Stop(stop)) => {
                let requests = search.all.last().map_or(0, |(_, _, count)| *count);
                return Ok(Failing::Open { requests, stop: Some(stop) });
            }
            Err(trouble) => return Err(search.states.explain(trouble)),
        };
        let Some((at, local, label)) = found else {
            return Ok(Failing::Open { requests: failed, stop: None });
        };
        let (requests, steps, request) = search.way(at, local, label);
        let (fault, span) = search.states.runner.code.faults[failed].clone();
        let explored = Explored::from(search.states);
        let model = ProgramModel::from(program, code.clone(), liveness.clone(), explored);
        let system = model.system();
        let steps = steps.into_iter().filter_map(|(request, from, before, to, after)| {
            let fits = |step: &&Step| step.before == before && step.to == to && step.after == after;
            Some((request, *system.steps_of(from).iter().find(fits)?))
        });
        let steps = steps.collect();
        Ok(Failing::Run(Box::new(Failure { model, requests, steps, request, fault, span })))
    }
}

/// A configuration, the request in it that fails, and its label if it arrives for that.
type Found = (usize, LocalId, Option<usize>);

impl Search<'_> {
    /// The first failure with its number; without one, how many requests there were.
    fn run(&mut self, limits: &Limits) -> Result<(Option<Found>, usize), StepError> {
        self.visit((GlobalId(0), Vec::new()), None, 0);
        let mut most = 0;
        loop {
            if self.open.is_empty() {
                std::mem::swap(&mut self.open, &mut self.next);
            }
            let Some(at) = self.open.pop_front() else { break };
            let ((global, locals), _, count) = self.all[at].clone();
            if self.all.len() > MAX_CONFIGURATIONS {
                break;
            }
            most = most.max(count);
            self.states.check(limits, self.all.len() * 100)?;
            let mut last = None;
            for (place, local) in locals.iter().enumerate() {
                if last.replace(*local) == Some(*local) {
                    continue;
                }
                let mut others = locals.clone();
                others.remove(place);
                if let Some(fault) = self.step(at, global, *local, &others, None, count)? {
                    return Ok((Some((at, *local, None)), fault));
                }
            }
            if count < MAX_REQUESTS {
                for label in 0..self.labels.len() {
                    let local = self.labels[label].1;
                    if let Some(fault) =
                        self.step(at, global, local, &locals, Some(label), count + 1)?
                    {
                        return Ok((Some((at, local, Some(label))), fault));
                    }
                }
            }
        }
        Ok((None, most))
    }

    /// Everything that one request can do; what fails, if something does.
    fn step(
        &mut self,
        at: usize,
        global: GlobalId,
        local: LocalId,
        others: &[LocalId],
        label: Option<usize>,
        count: usize,
    ) -> Result<Option<usize>, StepError> {
        let before = self.states.runner.faults_reached.clone();
        let targets = self.states.fire(global, local, true)?;
        let after = &self.states.runner.faults_reached;
        // A step is executed when it is needed first, so that is when it fails first.
        let failed = before.iter().zip(after).position(|(before, after)| before != after);
        if failed.is_some() {
            return Ok(failed);
        }
        for (to, after) in targets {
            let mut locals = others.to_vec();
            if !self.states.is_done(to) {
                locals.push(to);
                locals.sort_unstable();
            }
            self.visit((after, locals), Some(Came { from: at, local, to, label }), count);
        }
        Ok(None)
    }

    fn visit(&mut self, configuration: Configuration, came: Option<Came>, count: usize) {
        let known = self.seen.get(&configuration).map(|at| self.all[*at].2);
        if known.is_some_and(|known| known <= count) {
            return;
        }
        let at = self.all.len();
        self.seen.insert(configuration.clone(), at);
        match came {
            Some(Came { label: Some(_), .. }) => self.next.push_back(at),
            _ => self.open.push_back(at),
        }
        self.all.push((configuration, came, count));
    }

    /// The way to a configuration, and which request then fails.
    #[allow(clippy::type_complexity, reason = "taken apart at once")]
    fn way(
        &self,
        at: usize,
        local: LocalId,
        label: Option<usize>,
    ) -> (Vec<String>, Vec<(usize, LocalId, GlobalId, LocalId, GlobalId)>, usize) {
        let mut back = Vec::new();
        let mut here = at;
        while let Some(came) = self.all[here].1 {
            back.push((came, self.all[came.from].0.0, self.all[here].0.0));
            here = came.from;
        }
        let mut requests: Vec<String> = Vec::new();
        let mut stand: Vec<LocalId> = Vec::new();
        let mut steps = Vec::new();
        let mut who = |local: LocalId, label: Option<usize>, stand: &mut Vec<LocalId>| match label {
            Some(label) => {
                requests.push(self.labels[label].0.clone());
                stand.push(local);
                stand.len() - 1
            }
            None => stand.iter().position(|known| *known == local).unwrap_or(0),
        };
        for (came, before, after) in back.into_iter().rev() {
            let request = who(came.local, came.label, &mut stand);
            stand[request] = came.to;
            steps.push((request, came.local, before, came.to, after));
        }
        let request = who(local, label, &mut stand);
        (requests, steps, request)
    }
}
