//! What a program is asked about its states: can something fail, can this be so, is that always so,
//! can somebody wait forever?
//!
//! Each question is asked by an *observer*: a request that may come at any time, changes nothing,
//! and fails where the answer is found. A request that fails ends in a state of its own, so all
//! of these questions are about the states that requests can be in.

use super::code::Code;
use super::explore::{ExploreError, Explored, explore, explore_exact};
use super::liveness::Liveness;
use super::machine::{Continuation, Runner, StepError};
use super::states::States;
use super::{ProgramModel, lowered};
use crate::{GlobalId, LocalId, Step};
use rustc_hash::FxHashMap;
use ser_base::{Limits, LineIndex, Span, Stop};
use ser_syntax::core::{Fault, Program};
use std::collections::VecDeque;

/// States of processes for the exploration of what their runs do.
const EXACT_STATES: usize = 20_000;

/// The most configurations that are looked at.
const MAX_CONFIGURATIONS: usize = 300_000;

/// The most requests in a run.
const MAX_REQUESTS: usize = 12;

/// What was found when runs were tried.
#[derive(Clone, Debug)]
pub enum Asked {
    Found(Box<Found>),
    /// Nothing, with so many requests.
    Open {
        requests: usize,
        stop: Option<Stop>,
    },
}

/// A run that ends in what was asked for.
#[derive(Clone, Debug)]
pub struct Found {
    /// The program, with the states on the way and perhaps some more.
    pub model: ProgramModel,
    pub run: Footsteps,
    /// The steps, each with the request that takes it; without the one that fails.
    pub steps: Vec<(usize, Step)>,
    /// What it fails with, and the expression at fault.
    pub fault: (Fault, Span),
}

/// A run, so that it can be followed: who comes, and who does what.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Footsteps {
    /// The label of each request that takes part, in the order in which they come.
    pub requests: Vec<String>,
    /// Who moves, and which of its outcomes the step has. A request comes with its first step.
    pub moves: Vec<(usize, usize)>,
}

/// Where a run leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The values of the global variables.
    pub values: Vec<i64>,
    /// What the last step has failed with.
    pub fault: Option<Fault>,
}

/// A configuration: the global state, and where the requests in flight stand, in order.
type Configuration = (GlobalId, Vec<LocalId>);

/// How a configuration came about: from which one, by which request (where it stood, and where it
/// stands), by which of its outcomes, and with which label if it arrived for that.
#[derive(Clone, Copy)]
struct Came {
    from: usize,
    local: LocalId,
    to: LocalId,
    outcome: usize,
    label: Option<usize>,
}

/// Whether this failure is looked for.
type Wanted<'w> = &'w dyn Fn(&Fault) -> bool;

/// The code of a program with its observers, in which failures are kept.
fn asked_code(program: &Program, limits: &Limits) -> Result<(Code, Liveness), ExploreError> {
    let mut whole = program.clone();
    whole.requests.extend(program.questions.iter().map(|it| it.observer.clone()));
    let (mut code, liveness) = lowered(&whole, limits)?;
    code.keeps_failures = true;
    Ok((code, liveness))
}

impl ProgramModel {
    /// All states of a program with its observers. Whoever fails is in a state of its own.
    ///
    /// ```
    /// use ser_base::Limits;
    /// use ser_model::ProgramModel;
    /// let text = "request main { X := 1; yield; X := 0 }  invariant small: X <= 1";
    /// let program = ser_syntax::parse(text).program;
    /// let model = ProgramModel::asked(&program, text, &Limits::default()).unwrap();
    /// let locals = 0..model.system().local_count();
    /// assert!(locals.map(ser_model::LocalId::from_index).all(|it| model.fault(it).is_none()));
    /// ```
    pub fn asked(
        program: &Program,
        text: &str,
        limits: &Limits,
    ) -> Result<ProgramModel, ExploreError> {
        let (code, liveness) = asked_code(super::closed(program)?, limits)?;
        let lines = LineIndex::new(text);
        // Of processes that are there once, runs reach few of the pairs of states: what runs do is
        // tried first. Whether that comes to an end must not depend on what the user allows.
        let few = Limits { max_states: EXACT_STATES, ..limits.clone() };
        let explored = match program.is_once() {
            true => explore_exact(&code, &liveness, &lines, &few).ok(),
            false => None,
        };
        let explored = match explored {
            Some(explored) => explored,
            None => explore(&code, &liveness, &lines, limits)?,
        };
        Ok(ProgramModel::from(program, code, liveness, explored))
    }

    /// What a request in this state has failed with, and where.
    pub fn fault(&self, local: LocalId) -> Option<&(Fault, Span)> {
        match self.continuations.get(local.index())? {
            Continuation::Failed(fault) => self.code.faults.get(*fault as usize),
            _ => None,
        }
    }

    /// Looks for a run in which something fails that is wanted; with few requests first.
    ///
    /// ```
    /// use ser_base::Limits;
    /// use ser_model::{Asked, ProgramModel};
    /// let text = "request take { if (X == 0) { yield; assert(X == 0); X := 1 } }";
    /// let program = ser_syntax::parse(text).program;
    /// let found = ProgramModel::failing(&program, text, &|_| true, &Limits::default()).unwrap();
    /// let Asked::Found(found) = found else { panic!("two requests, one after the other") };
    /// assert_eq!(found.run.requests.len(), 2);
    /// ```
    pub fn failing(
        program: &Program,
        text: &str,
        wanted: Wanted<'_>,
        limits: &Limits,
    ) -> Result<Asked, ExploreError> {
        let (code, liveness) = asked_code(program, limits)?;
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
        let (found, requests) = match search.run(wanted, limits) {
            Ok(found) => found,
            Err(StepError::Stop(stop)) => {
                let requests = search.all.last().map_or(0, |(_, _, count)| *count);
                return Ok(Asked::Open { requests, stop: Some(stop) });
            }
            Err(trouble) => return Err(search.states.explain(trouble)),
        };
        let Some((at, fault)) = found else {
            return Ok(Asked::Open { requests, stop: None });
        };
        let fault = code.faults[fault as usize].clone();
        let (run, mut steps) = search.way(at);
        steps.pop();
        let explored = Explored::from(search.states);
        let model = ProgramModel::from(program, code.clone(), liveness.clone(), explored);
        let system = model.system();
        let steps = steps.into_iter().filter_map(|(request, from, before, to, after)| {
            let fits = |step: &&Step| step.before == before && step.to == to && step.after == after;
            Some((request, *system.steps_of(from).iter().find(fits)?))
        });
        let steps = steps.collect();
        Ok(Asked::Found(Box::new(Found { model, run, steps, fault })))
    }

    /// Follows a run step by step; nothing if it is none of the program's.
    ///
    /// ```
    /// use ser_base::Limits;
    /// use ser_model::{Footsteps, ProgramModel};
    /// let text = "request take { X := 1; yield; assert(X == 0) }";
    /// let program = ser_syntax::parse(text).program;
    /// let moves = vec![(0, 0), (0, 0)];
    /// let run = Footsteps { requests: vec!["take".to_owned()], moves };
    /// let place = ProgramModel::retrace(&program, text, &run, &Limits::default()).unwrap();
    /// assert!(place.is_some_and(|place| place.fault.is_some()));
    /// ```
    pub fn retrace(
        program: &Program,
        text: &str,
        run: &Footsteps,
        limits: &Limits,
    ) -> Result<Option<Place>, ExploreError> {
        let (code, liveness) = asked_code(program, limits)?;
        let lines = LineIndex::new(text);
        let mut states = States::new(Runner::new(&code, &liveness, limits), &lines, None);
        let mut stand: Vec<Option<LocalId>> =
            run.requests.iter().map(|label| states.spawned(label)).collect();
        let (mut global, mut last) = (GlobalId(0), None);
        for (who, outcome) in &run.moves {
            let Some(Some(local)) = stand.get(*who).copied() else { return Ok(None) };
            let targets = match states.fire(global, local, false) {
                Ok(targets) => targets,
                Err(trouble) => return Err(states.explain(trouble)),
            };
            let Some((to, after)) = targets.get(*outcome).copied() else { return Ok(None) };
            (stand[*who], global, last) = (Some(to), after, Some(to));
        }
        let fault = last.and_then(|local| match &states.continuations[local.index()] {
            Continuation::Failed(fault) => Some(code.faults[*fault as usize].0.clone()),
            _ => None,
        });
        Ok(Some(Place { values: states.builder.valuation(global).to_vec(), fault }))
    }
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

/// A step of one request: from where to where.
type Taken = (usize, LocalId, GlobalId, LocalId, GlobalId);

impl Search<'_> {
    /// The first configuration in which somebody has just failed as is wanted, and with what;
    /// without one, how many requests there were.
    fn run(
        &mut self,
        wanted: Wanted<'_>,
        limits: &Limits,
    ) -> Result<(Option<(usize, u32)>, usize), StepError> {
        self.visit((GlobalId(0), Vec::new()), None, 0);
        let mut most = 0;
        loop {
            if self.open.is_empty() {
                std::mem::swap(&mut self.open, &mut self.next);
            }
            let Some(at) = self.open.pop_front() else { break };
            let ((global, locals), came, count) = self.all[at].clone();
            if let Some(came) = came
                && let Continuation::Failed(fault) = &self.states.continuations[came.to.index()]
            {
                return Ok((Some((at, *fault)), count));
            }
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
                self.step(wanted, at, (global, *local), &others, None, count)?;
            }
            if count < MAX_REQUESTS {
                for label in 0..self.labels.len() {
                    let local = self.labels[label].1;
                    self.step(wanted, at, (global, local), &locals, Some(label), count + 1)?;
                }
            }
        }
        Ok((None, most))
    }

    /// Everything that one request can do.
    fn step(
        &mut self,
        wanted: Wanted<'_>,
        at: usize,
        (global, local): (GlobalId, LocalId),
        others: &[LocalId],
        label: Option<usize>,
        count: usize,
    ) -> Result<(), StepError> {
        let targets = self.states.fire(global, local, true)?;
        for (outcome, (to, after)) in targets.into_iter().enumerate() {
            let mut locals = others.to_vec();
            if !self.states.is_done(to) {
                locals.push(to);
                locals.sort_unstable();
            }
            let came = Came { from: at, local, to, outcome, label };
            if let Continuation::Failed(fault) = &self.states.continuations[to.index()] {
                if wanted(&self.states.code.faults[*fault as usize].0) {
                    // Others have been here, without this failure.
                    self.all.push(((after, locals), Some(came), count));
                    let queue = if label.is_some() { &mut self.next } else { &mut self.open };
                    queue.push_back(self.all.len() - 1);
                }
                continue;
            }
            self.visit((after, locals), Some(came), count);
        }
        Ok(())
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

    /// The way to a configuration.
    fn way(&self, at: usize) -> (Footsteps, Vec<Taken>) {
        let mut back = Vec::new();
        let mut here = at;
        while let Some(came) = self.all[here].1 {
            back.push((came, self.all[came.from].0.0, self.all[here].0.0));
            here = came.from;
        }
        let mut run = Footsteps::default();
        let mut stand: Vec<LocalId> = Vec::new();
        let mut steps = Vec::new();
        for (came, before, after) in back.into_iter().rev() {
            let request = match came.label {
                Some(label) => {
                    run.requests.push(self.labels[label].0.clone());
                    stand.push(came.local);
                    stand.len() - 1
                }
                None => stand.iter().position(|known| *known == came.local).unwrap_or(0),
            };
            stand[request] = came.to;
            run.moves.push((request, came.outcome));
            steps.push((request, came.local, before, came.to, after));
        }
        (run, steps)
    }
}
