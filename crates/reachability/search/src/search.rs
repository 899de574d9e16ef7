//! From a program and a goal to an answer: unwind, encode, solve, and unwind further where it matters.
//!
//! If there is no token trace, the core of that answer tells for which processes it was needed that their loops go
//! round no further: those get more rounds, the others stay as they are. If it was needed for none, the answer
//! holds whatever the loops do.

use crate::bmc::{Bmc, BmcOutcome};
use crate::encode::{EncodeError, Encoder, Options, Outcome, Sizes};
use crate::formula::Formula;
use crate::ids::TransitionId;
use crate::net::ArcKind;
use crate::term::Term;
use crate::trace::{TokenTrace, Why};
use crate::unwind::{Grown, Origin, Task, UnwindError, Unwinding};
use ser_base::{Limits, Stop};
use ser_model::{Code, Move, Plan};
use ser_sat::Lit;

/// How to look for a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// Bounded event tracing.
    #[default]
    Events,
    /// Interleaving bounded model checking.
    Bmc,
}

/// How far to look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// Loops whose end is not known go round so often; with [`Method::Bmc`], runs have so many steps.
    Rounds(u32),
    /// Further and further.
    Expand,
}

/// What to do.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// How.
    pub method: Method,
    /// How far.
    pub bound: Bound,
    /// The encoding and the solver.
    pub encoding: Options,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            method: Method::default(),
            bound: Bound::Expand,
            encoding: Options::default(),
        }
    }
}

/// What was found out about a goal.
pub struct Search {
    /// The answer.
    pub answer: SearchAnswer,
    /// How far it looked.
    pub covered: Covered,
    /// How large the last formula was; of event tracing only.
    pub sizes: Option<Sizes>,
    /// Variables and clauses of the last formula.
    pub formula: (usize, usize),
    /// The last formula, if its clauses were kept and there is no [`Refutation`], which has them too.
    pub clauses: Option<Clauses>,
}

/// A formula, as in the DIMACS format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clauses {
    /// The clauses.
    pub clauses: Vec<Vec<i32>>,
    /// What was assumed besides.
    pub assumptions: Vec<i32>,
}

/// What a search is about to solve.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchProgress {
    /// How far it looks.
    pub looks: Covered,
    /// Variables and clauses of the formula.
    pub formula: (usize, usize),
}

/// The answer about a goal.
pub enum SearchAnswer {
    /// It can be reached.
    Reached {
        /// A run, to be replayed.
        plan: Plan,
        /// Where it comes from, if from event tracing.
        trace: Option<Box<(Unwinding, TokenTrace)>>,
    },
    /// It cannot, within what is covered.
    Unreached {
        /// Why the formula has no solution, if this was recorded.
        refutation: Option<Refutation>,
    },
    /// Nobody knows.
    Unknown(Stop),
}

/// How far a search looked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Covered {
    /// Everything: the answer is complete.
    All,
    /// All runs in which the loops of each process go round at most so often. Processes without loops whose end is not known are left out.
    Rounds(Vec<(String, u32)>),
    /// All runs of at most so many steps.
    Steps(u32),
    /// Nothing.
    Nothing,
}

/// Clauses that have no solution, and how one sees it.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The clauses, as in the DIMACS format.
    pub clauses: Vec<Vec<i32>>,
    /// What was assumed besides.
    pub assumptions: Vec<i32>,
    /// Clauses that follow, one after the other.
    pub learnt: Vec<Vec<i32>>,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SearchError {
    /// The program cannot be unwound.
    #[error(transparent)]
    Unwind(#[from] UnwindError),
    /// The unwinding cannot be encoded.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// What the solver found is no token trace. This is a bug.
    #[error("not a token trace: {0}")]
    Trace(#[from] Why),
}

/// Loops go round at most so often.
const MAX_ROUNDS: u32 = 4096;

/// Within one action of an interleaving, loops go round at most so often.
const IN_STEP: u32 = 64;

/// Looks for a run of a program to one of its goals.
pub fn search(
    task: &Task<'_>,
    goal: usize,
    options: &SearchOptions,
    limits: &Limits,
) -> Result<Search, SearchError> {
    search_watched(task, goal, options, limits, &|_| {})
}

/// The same; tells now and then what it is doing.
pub fn search_watched(
    task: &Task<'_>,
    goal: usize,
    options: &SearchOptions,
    limits: &Limits,
    watch: &dyn Fn(SearchProgress),
) -> Result<Search, SearchError> {
    match options.method {
        Method::Events => by_events(task, goal, options, limits, watch),
        Method::Bmc => by_steps(task, goal, options, limits, watch),
    }
}

/// A little more than before.
fn more(rounds: u32) -> u32 {
    rounds.saturating_add(1 + rounds / 4).min(MAX_ROUNDS)
}

fn by_events(
    task: &Task<'_>,
    goal: usize,
    options: &SearchOptions,
    limits: &Limits,
    watch: &dyn Fn(SearchProgress),
) -> Result<Search, SearchError> {
    let first = match options.bound {
        Bound::Rounds(rounds) => rounds.min(MAX_ROUNDS),
        Bound::Expand => 1,
    };
    let rounds = vec![first; task.processes.len()];
    let mut covered = Covered::Nothing;
    let mut unwinding = match Unwinding::with_rounds(task, rounds, limits) {
        Ok(unwinding) => unwinding,
        Err(UnwindError::Stop(stop)) => return Ok(Search::stopped(stop, covered)),
        Err(error) => return Err(error.into()),
    };
    let mut encoder = Encoder::new(options.encoding.clone());
    loop {
        match encoder.extend(&unwinding.net, limits) {
            Ok(()) => {}
            Err(EncodeError::Stopped(stop)) => return Ok(Search::stopped(stop, covered)),
            Err(error) => return Err(error.into()),
        }
        // It is the same goal in all rounds, so it may be part of the formula.
        encoder.require(&[unwinding.targets[goal]]);
        watch(SearchProgress {
            looks: Covered::Rounds(open_rounds(&unwinding, task)),
            formula: encoder.formula().size(),
        });
        let outcome = encoder.solve(&unwinding.net, limits);
        let sizes = encoder.sizes();
        let count = sizes.total();
        let clauses = match &outcome {
            Outcome::Unsat { .. } => None,
            _ => Clauses::of(encoder.formula(), encoder.assumptions()),
        };
        let done = |answer, covered| {
            let formula = (count.variables, count.clauses);
            Ok(Search { answer, covered, sizes: Some(sizes), formula, clauses })
        };
        let needed = match outcome {
            Outcome::Unknown(stop) => return done(SearchAnswer::Unknown(stop), covered),
            Outcome::Sat(trace) => {
                let trace = trace.past_of(&unwinding.net, unwinding.targets[goal]);
                let plan = plan(task, &unwinding, &trace)?;
                let trace = Some(Box::new((unwinding, trace)));
                return done(SearchAnswer::Reached { plan, trace }, covered);
            }
            Outcome::Unsat { needed } => needed,
        };
        let is_complete =
            unwinding.is_complete() || needed.is_empty() && unwinding.ranges_are_given;
        covered = match is_complete {
            true => Covered::All,
            false => Covered::Rounds(open_rounds(&unwinding, task)),
        };
        // Where the values of variables are not known, everything that is cut may matter.
        let grows: Vec<usize> = match unwinding.ranges_are_given {
            true => needed,
            false => (0..unwinding.net.growths.len()).collect(),
        };
        let grows: Vec<usize> =
            grows.into_iter().filter_map(|g| unwinding.process_of(task, g)).collect();
        let mut wider = unwinding.rounds.clone();
        for process in grows {
            wider[process] = more(wider[process]);
        }
        if is_complete || options.bound != Bound::Expand {
            let refutation = Refutation::of(&encoder);
            return done(SearchAnswer::Unreached { refutation }, covered);
        }
        if wider == unwinding.rounds {
            let stop = Stop::States { limit: MAX_ROUNDS as usize };
            return done(SearchAnswer::Unknown(stop), covered);
        }
        match unwinding.grow(task, wider, limits) {
            Ok(Grown::Extended) => {}
            Ok(Grown::Rebuilt) => encoder = Encoder::new(options.encoding.clone()),
            Err(UnwindError::Stop(stop)) => return done(SearchAnswer::Unknown(stop), covered),
            Err(error) => return Err(error.into()),
        }
    }
}

fn open_rounds(unwinding: &Unwinding, task: &Task<'_>) -> Vec<(String, u32)> {
    let growths = 0..unwinding.net.growths.len();
    let processes = growths.filter_map(|g| unwinding.process_of(task, g));
    processes.map(|p| (task.processes[p].name.clone(), unwinding.rounds[p])).collect()
}

fn numbers(lits: &[Lit]) -> Vec<i32> {
    lits.iter().map(|lit| lit.dimacs()).collect()
}

impl Clauses {
    /// What was asked last, if clauses were kept.
    pub fn of(formula: &Formula, assumptions: &[Lit]) -> Option<Clauses> {
        let clauses = formula.clauses()?.iter().map(|clause| numbers(clause)).collect();
        Some(Clauses { clauses, assumptions: numbers(assumptions) })
    }
}

impl Refutation {
    /// Why the last question to an encoder has no solution, if clauses and proof were kept.
    pub fn of(encoder: &Encoder) -> Option<Refutation> {
        // The core, not all assumptions: that no growth was needed is part of the claim.
        let core = encoder.formula().solver().core();
        Refutation::of_formula(encoder.formula(), &core)
    }

    /// Why a formula has no solution under assumptions, if clauses and proof were kept.
    pub fn of_formula(formula: &Formula, assumptions: &[Lit]) -> Option<Refutation> {
        let Clauses { clauses, assumptions } = Clauses::of(formula, assumptions)?;
        let learnt = formula.solver().learnt()?.iter().map(|clause| numbers(clause)).collect();
        Some(Refutation { clauses, assumptions, learnt })
    }
}

/// The names of the local variables of a handler.
pub(crate) fn slots<'c>(code: &'c Code, handler: &str) -> &'c [String] {
    code.handlers.iter().find(|h| h.name == handler).map_or(&[], |h| &h.slots)
}

/// A token trace as a plan for the program: its events in order, with what they write.
fn plan(task: &Task<'_>, unwinding: &Unwinding, trace: &TokenTrace) -> Result<Plan, SearchError> {
    let net = &unwinding.net;
    let process = |t: TransitionId| match &unwinding.origins[t.index()] {
        Origin::Step { process, .. } => *process,
        _ => usize::MAX,
    };
    let execution = trace.to_execution(net, &process)?;
    let code = Code::new(task.program);
    let mut moves = Vec::new();
    for step in &execution.steps {
        let origin = &unwinding.origins[step.transition.index()];
        let Origin::Step { process, writes, locals, to } = origin else { continue };
        let mut written = Vec::new();
        for arc in net.arcs_of(step.transition, ArcKind::Output) {
            let arc = net.arc(arc);
            let shared = writes.iter().find(|v| v.index() == arc.place.index());
            if let (Some(variable), Some(token)) = (shared, step.token(net, arc))
                && let Some(value) = token.first()
            {
                written.push((unwinding.shared[variable.index()].clone(), *value));
            }
        }
        // Whatever is not among the values of this event does not matter any more.
        let known = |(name, term): (&String, &Term)| {
            Some((name.clone(), net.terms.evaluate_in(*term, &step.binding)?))
        };
        let slots = slots(&code, &task.processes[*process].handler);
        let locals = slots.iter().zip(locals).filter_map(known).collect();
        moves.push(Move { request: *process, writes: written, locals, stands_at: Some(*to) });
    }
    let requests = task.processes.iter().map(|p| p.label.clone()).collect();
    Ok(Plan { requests, moves })
}

fn by_steps(
    task: &Task<'_>,
    goal: usize,
    options: &SearchOptions,
    limits: &Limits,
    watch: &dyn Fn(SearchProgress),
) -> Result<Search, SearchError> {
    let mut steps = match options.bound {
        Bound::Rounds(steps) => steps.min(MAX_ROUNDS),
        Bound::Expand => 4,
    };
    let mut covered = Covered::Nothing;
    loop {
        let unwound = Unwinding::new(task, steps, limits);
        let unwinding = match unwound {
            Ok(unwinding) => unwinding,
            Err(UnwindError::Stop(stop)) => return Ok(Search::stopped(stop, covered)),
            Err(error) => return Err(error.into()),
        };
        let in_step = steps.max(IN_STEP);
        let mut bmc = Bmc::new(task, &unwinding, in_step, &options.encoding, limits)?;
        watch(SearchProgress { looks: Covered::Steps(steps), formula: bmc.formula().size() });
        let outcome = match bmc.solve(goal, steps as usize, limits) {
            Ok(outcome) => outcome,
            Err(UnwindError::Stop(stop)) => BmcOutcome::Unknown(stop),
            Err(error) => return Err(error.into()),
        };
        let formula = bmc.formula().size();
        let asked = bmc.asked();
        let clauses = match &outcome {
            BmcOutcome::Unreached { .. } => None,
            _ => Clauses::of(bmc.formula(), asked),
        };
        let done = |answer, covered| Ok(Search { answer, covered, sizes: None, formula, clauses });
        match outcome {
            BmcOutcome::Unknown(stop) => return done(SearchAnswer::Unknown(stop), covered),
            BmcOutcome::Reached(plan) => {
                return done(SearchAnswer::Reached { plan, trace: None }, covered);
            }
            BmcOutcome::Unreached { is_complete } => {
                if bmc.is_cut() {
                    // A single action may go round a loop more often: nobody knows what so many steps do.
                    let stop = Stop::States { limit: in_step as usize };
                    return done(SearchAnswer::Unknown(stop), covered);
                }
                // The bits of local variables are those of so many rounds: whether more steps are possible is known only if
                // there are no more rounds.
                let is_complete = is_complete && unwinding.is_complete();
                covered = if is_complete { Covered::All } else { Covered::Steps(steps) };
                if is_complete || options.bound != Bound::Expand {
                    let refutation = Refutation::of_formula(bmc.formula(), asked);
                    return done(SearchAnswer::Unreached { refutation }, covered);
                }
            }
        }
        if steps >= MAX_ROUNDS {
            let stop = Stop::States { limit: MAX_ROUNDS as usize };
            return done(SearchAnswer::Unknown(stop), covered);
        }
        steps = steps.saturating_mul(2).min(MAX_ROUNDS);
    }
}

impl Search {
    fn stopped(stop: Stop, covered: Covered) -> Search {
        let answer = SearchAnswer::Unknown(stop);
        Search { answer, covered, sizes: None, formula: (0, 0), clauses: None }
    }
}
