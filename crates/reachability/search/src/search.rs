//! From a program and a goal to an answer: unwind, encode, solve, and unwind further where it
//! matters.
//!
//! If there is no token trace, the core of that answer tells for which processes it was needed that
//! their loops go round no further: those get more rounds, the others stay as they are. If it was
//! needed for none, the answer holds whatever the loops do.

use crate::tracer::{Options, Outcome, Solving, Tracer};
use ser_base::{Limits, Stop};
use ser_clausal::Lit;
use ser_model::{Code, Move, Plan};
use ser_reachability_checker::{Evidence, FormulaSize, Stage};
use ser_reachability_model::{
    ArcKind, Bmc, Covered, EncodeError, Formula, Grown, Origin, Sizes, Task, Term, TokenTrace,
    TransitionId, UnwindError, Unwinding, Why,
};
use ser_sat::{Answer, Solver};

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
    /// Loops whose end is not known go round so often; with [`Method::Bmc`], runs have so many
    /// steps.
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
    pub solving: Options,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            method: Method::default(),
            bound: Bound::Expand,
            solving: Options::default(),
        }
    }
}

/// What was found out about a goal.
pub struct Search {
    pub answer: SearchAnswer,
    /// How far it looked.
    pub covered: Covered,
    /// How large the last formula was; of event tracing only.
    pub sizes: Option<Sizes>,
    /// Variables and clauses of the last formula.
    pub formula: (usize, usize),
    /// The last formula, if its clauses were kept and there is no [`Refutation`], which has them
    /// too.
    pub clauses: Option<Clauses>,
}

/// A formula, as in the DIMACS format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Clauses {
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
    Reached { plan: Plan, trace: Option<Box<(Unwinding, TokenTrace)>> },
    /// It cannot, within what is covered. Why the formula has no solution, and what the checker
    /// needs to see it, if this was recorded.
    Unreached(Option<(Refutation, Evidence)>),
    /// Nobody knows.
    Unknown(Stop),
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
    let mut covered = Covered::Nothing;
    let by = match options.method {
        Method::Events => by_events,
        Method::Bmc => by_steps,
    };
    match by(&Quest { task, goal, options, limits, watch }, &mut covered) {
        Err(
            SearchError::Unwind(UnwindError::Stop(stop))
            | SearchError::Encode(EncodeError::Stopped(stop)),
        ) => {
            let answer = SearchAnswer::Unknown(stop);
            Ok(Search { answer, covered, sizes: None, formula: (0, 0), clauses: None })
        }
        found => found,
    }
}

/// What is looked for, and how.
struct Quest<'a> {
    task: &'a Task<'a>,
    goal: usize,
    options: &'a SearchOptions,
    limits: &'a Limits,
    watch: &'a dyn Fn(SearchProgress),
}

/// A little more than before.
fn more(rounds: u32) -> u32 {
    rounds.saturating_add(1 + rounds / 4).min(MAX_ROUNDS)
}

fn by_events(quest: &Quest<'_>, covered: &mut Covered) -> Result<Search, SearchError> {
    let Quest { task, goal, options, limits, watch } = *quest;
    let first = match options.bound {
        Bound::Rounds(rounds) => rounds.min(MAX_ROUNDS),
        Bound::Expand => 1,
    };
    let rounds = vec![first; task.processes.len()];
    let mut unwinding = Unwinding::with_rounds(task, rounds, limits)?;
    let mut tracer = Tracer::new(options.solving.clone());
    let mut stages: Vec<Stage> = Vec::new();
    loop {
        tracer.extend(&unwinding.net, limits)?;
        // It is the same goal in all rounds, so it may be part of the formula.
        tracer.require(&[unwinding.targets[goal]]);
        watch(SearchProgress {
            looks: Covered::Rounds(unwinding.open_rounds(task)),
            formula: tracer.formula().size(),
        });
        let outcome = tracer.solve(&unwinding.net, limits);
        let sizes = tracer.sizes();
        let count = sizes.total();
        let clauses = match &outcome {
            Outcome::Unsat { .. } => None,
            _ => Some(Clauses::of(tracer.formula(), tracer.assumptions())),
        };
        let done = |answer, covered| {
            let formula = (count.variables, count.clauses);
            Ok(Search { answer, covered, sizes: Some(sizes), formula, clauses })
        };
        let needed = match outcome {
            Outcome::Unknown(stop) => return done(SearchAnswer::Unknown(stop), covered.clone()),
            Outcome::Sat(trace) => {
                let trace = trace.past_of(&unwinding.net, unwinding.targets[goal]);
                let plan = plan(task, &unwinding, &trace)?;
                let trace = Some(Box::new((unwinding, trace)));
                return done(SearchAnswer::Reached { plan, trace }, covered.clone());
            }
            Outcome::Unsat { needed } => needed,
        };
        stages.push(tracer.stage(&unwinding.rounds));
        let is_complete =
            unwinding.is_complete() || needed.is_empty() && unwinding.ranges_are_given;
        *covered = match is_complete {
            true => Covered::All,
            false => Covered::Rounds(unwinding.open_rounds(task)),
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
            let found = tracer.refutation(&options.solving, stages, is_complete);
            return done(SearchAnswer::Unreached(found), covered.clone());
        }
        if wider == unwinding.rounds {
            let stop = Stop::States { limit: MAX_ROUNDS as usize };
            return done(SearchAnswer::Unknown(stop), covered.clone());
        }
        match unwinding.grow(task, wider, limits) {
            Ok(Grown::Extended) => {}
            Ok(Grown::Rebuilt) => {
                tracer = Tracer::new(options.solving.clone());
                stages.clear();
            }
            Err(UnwindError::Stop(stop)) => {
                return done(SearchAnswer::Unknown(stop), covered.clone());
            }
            Err(error) => return Err(error.into()),
        }
    }
}

fn numbers(lits: &[Lit]) -> Vec<i32> {
    lits.iter().map(|lit| lit.dimacs()).collect()
}

impl Clauses {
    /// What was asked last.
    pub fn of(formula: &Formula, assumptions: &[Lit]) -> Clauses {
        Clauses {
            clauses: formula.clauses().iter().map(|clause| numbers(clause)).collect(),
            assumptions: numbers(assumptions),
        }
    }
}

impl Refutation {
    /// Why a formula has no solution under assumptions, if there is a proof.
    pub(crate) fn of_formula(
        formula: &Formula,
        assumptions: &[Lit],
        solver: &dyn Solver,
    ) -> Option<Refutation> {
        let numbered = |clauses: &[Vec<Lit>]| clauses.iter().map(|c| numbers(c)).collect();
        let learnt = numbered(solver.learnt()?);
        let clauses = numbered(formula.clauses());
        Some(Refutation { clauses, assumptions: numbers(assumptions), learnt })
    }
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
        let slots = code.slots(&task.processes[*process].handler);
        let locals = slots.iter().zip(locals).filter_map(known).collect();
        moves.push(Move {
            request: *process,
            writes: written,
            locals,
            stands_at: Some((*to).into()),
        });
    }
    let requests = task.processes.iter().map(|p| p.label.clone()).collect();
    Ok(Plan { requests, moves })
}

fn by_steps(quest: &Quest<'_>, covered: &mut Covered) -> Result<Search, SearchError> {
    let Quest { task, goal, options, limits, watch } = *quest;
    let mut steps = match options.bound {
        Bound::Rounds(steps) => steps.min(MAX_ROUNDS),
        Bound::Expand => 4,
    };
    loop {
        let unwinding = Unwinding::new(task, steps, limits)?;
        let mut bmc = Bmc::new(task, &unwinding, steps, limits)?;
        let formula = bmc.formula().size();
        watch(SearchProgress { looks: Covered::Steps(steps), formula });
        let reached = [bmc.goal(goal)?];
        let mut solving = Solving::new(&options.solving);
        let answer = solving.solve(bmc.formula(), &reached, limits);
        let clauses = match &answer {
            Answer::Unsat => None,
            _ => Some(Clauses::of(bmc.formula(), &reached)),
        };
        let done = |answer, covered| Ok(Search { answer, covered, sizes: None, formula, clauses });
        match answer {
            Answer::Unknown(stop) => return done(SearchAnswer::Unknown(stop), covered.clone()),
            Answer::Sat => {
                let plan = bmc.plan(&|lit| solving.solver.value(lit));
                return done(SearchAnswer::Reached { plan, trace: None }, covered.clone());
            }
            Answer::Unsat => {}
        }
        if bmc.is_cut() {
            // A single action may go round a loop more often: nobody knows what so many steps do.
            let stop = Stop::States { limit: bmc.in_step() as usize };
            return done(SearchAnswer::Unknown(stop), covered.clone());
        }
        // Is there a run with one more step? The bits of local variables are those of so many
        // rounds, so this is known only if there are no more rounds.
        let goes_on = bmc.goes_on();
        let is_complete = unwinding.is_complete()
            && solving.solve(bmc.formula(), &[goes_on], limits) == Answer::Unsat;
        *covered = if is_complete { Covered::All } else { Covered::Steps(steps) };
        if is_complete || options.bound != Bound::Expand {
            let solver = &*solving.solver;
            let found = Refutation::of_formula(bmc.formula(), &reached, solver).map(|refutation| {
                let evidence = Evidence::Steps {
                    steps,
                    complete: is_complete,
                    formula: FormulaSize::of(bmc.formula()),
                    learnt: refutation.learnt.clone(),
                };
                (refutation, evidence)
            });
            return done(SearchAnswer::Unreached(found), covered.clone());
        }
        if steps >= MAX_ROUNDS {
            let stop = Stop::States { limit: MAX_ROUNDS as usize };
            return done(SearchAnswer::Unknown(stop), covered.clone());
        }
        steps = steps.saturating_mul(2).min(MAX_ROUNDS);
    }
}
