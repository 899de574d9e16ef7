//! One function for each kind of evidence.

use crate::evidence::{Evidence, FormulaSize, Occurrence, Stage};
use crate::reject::{Reason, Rejection};
use ser_base::Diagnostic;
use ser_base::Limits;
use ser_clausal::{ClausalError, ClausalProof, Lit, check_clausal};
use ser_model::{Followed, Plan, ProgramModel};
use ser_reachability_model::{
    Bmc, Condition, Covered, Encoder, Encoding, Execution, Formula, Goal, Grown, Net, Participants,
    Step, Task, TransitionId, Unwinding,
};
use std::collections::BTreeMap;

/// What is asked: a source, and one of its goals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question<'a> {
    /// Processes, and the number of the `reach` or `invariant` among all that the file asks: the
    /// goal is where it is reached or violated.
    Processes { text: &'a str, goal: usize },
    /// Requests of a program (`main*2,flip`), and a condition.
    Requests { text: &'a str, requests: &'a str, reach: &'a str },
    /// An unwinding that a person wrote, and the place of the target in the file's list.
    Unwinding { text: &'a str, target: usize },
}

/// What was established.
#[derive(Debug)]
pub enum Accepted {
    /// The goal can be reached: the run.
    Followed(Box<Followed>),
    /// The target can be reached: the execution.
    Fired(Execution),
    /// It cannot, within what is covered.
    Unreachable { covered: Covered, argument: Argument },
}

/// Why a goal cannot be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// The formula has no solution.
    Proof(ClausalProof),
    /// All states were listed.
    Listing { states: usize },
}

/// Accepts or rejects evidence about a goal.
///
/// Acceptance means that the goal can be reached, or that it cannot within what is covered, whoever
/// made the evidence.
///
/// ```
/// use ser_reachability_checker::{Accepted, Evidence, Question, check};
/// let text = "var X: 0..1 = 0  process P { X := 1 }  reach X == 1";
/// let question = Question::Processes { text, goal: 0 };
/// let evidence: Evidence = serde_json::from_str(
///     r#"{ "run": { "moves": [{ "request": 0, "writes": [["X", 1]] }] } }"#)?;
/// let accepted = check(&evidence, &question, &Default::default())?;
/// assert!(matches!(accepted, Accepted::Followed(_)));
/// let none = Evidence::Listing { states: 1 };
/// assert!(check(&none, &question, &Default::default()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(
    evidence: &Evidence,
    question: &Question<'_>,
    limits: &Limits,
) -> Result<Accepted, Rejection> {
    match *question {
        Question::Processes { text, goal } => {
            let parse = ser_syntax::parse_processes(text);
            readable(&parse.diagnostics)?;
            let condition = parse.program.questions.get(goal).and_then(|it| it.condition());
            let condition = condition.ok_or_else(|| Reason::NoGoal.at("goal"))?;
            let participants = Participants::of_processes(&parse.program);
            let goal = Goal { name: String::new(), condition };
            of_program(evidence, &participants.task(text, goal), limits)
        }
        Question::Requests { text, requests, reach } => {
            let parse = ser_syntax::parse(text);
            readable(&parse.diagnostics)?;
            let (list, diagnostics) = ser_syntax::parse_requests(requests, &parse.program);
            readable(&diagnostics)?;
            let (condition, diagnostics) = ser_syntax::parse_goal(reach, &parse.program, &list);
            readable(&diagnostics)?;
            let participants = Participants::of_requests(&parse.program, &list);
            let goal = Goal { name: String::new(), condition };
            of_program(evidence, &participants.task(text, goal), limits)
        }
        Question::Unwinding { text, target } => {
            let parse = ser_syntax::parse_unwinding(text);
            readable(&parse.diagnostics)?;
            let (net, targets) =
                Net::written(&parse.unwinding).map_err(|e| Reason::from(e).at("source"))?;
            let target = targets.get(target).ok_or_else(|| Reason::NoGoal.at("goal"))?;
            of_unwinding(evidence, &net, *target, limits)
        }
    }
}

fn readable(diagnostics: &[Diagnostic]) -> Result<(), Rejection> {
    match diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
        Some(error) => Err(Reason::Source(error.message.clone()).at("source")),
        None => Ok(()),
    }
}

fn of_program(
    evidence: &Evidence,
    task: &Task<'_>,
    limits: &Limits,
) -> Result<Accepted, Rejection> {
    let condition = Condition::new(task, &task.goals[0]);
    let holds = |globals: &[i64], responses: &[Option<i64>]| condition.holds(globals, responses);
    let labels = || task.processes.iter().map(|process| process.label.clone()).collect();
    match evidence {
        Evidence::Run { moves } => {
            let plan = Plan { requests: labels(), moves: moves.clone() };
            match ProgramModel::follow(task.program, task.text, &plan, limits, holds) {
                Ok(followed) => Ok(Accepted::Followed(Box::new(followed))),
                Err(error) => Err(Reason::from(error).at("run.moves")),
            }
        }
        Evidence::Events { encoding, stages, complete, formula, learnt } => {
            let (unwinding, encoder) = unwind(task, encoding, stages, limits)?;
            let covered = match complete {
                true => Covered::All,
                false => Covered::Rounds(unwinding.open_rounds(task)),
            };
            // If no growth had to be left out, nothing is gained by more copies, provided that the
            // values of variables stay what they are.
            if *complete && !unwinding.is_complete() && !unwinding.ranges_are_given {
                return Err(Reason::NotComplete.at("events.complete"));
            }
            let assumptions = if *complete { Vec::new() } else { encoder.not_begun() };
            same_size(formula, encoder.formula(), "events.formula")?;
            let argument = refute(encoder.formula(), &[&assumptions], learnt, "events", limits)?;
            Ok(Accepted::Unreachable { covered, argument })
        }
        Evidence::Steps { steps, complete, formula, learnt } => {
            let (covered, argument) = interleave(task, *steps, *complete, formula, learnt, limits)?;
            Ok(Accepted::Unreachable { covered, argument })
        }
        Evidence::Listing { states } => {
            let labels: Vec<String> = labels();
            let most = (*states).min(limits.max_states);
            let listing = ProgramModel::list(task.program, task.text, &labels, most, limits, holds)
                .map_err(|error| Reason::from(error).at("listing.states"))?;
            if listing.found {
                return Err(Reason::Reached.at("listing"));
            }
            if listing.states != *states {
                let (claimed, found) = (*states, listing.states);
                return Err(Reason::OtherCount { claimed, found }.at("listing.states"));
            }
            let argument = Argument::Listing { states: *states };
            Ok(Accepted::Unreachable { covered: Covered::All, argument })
        }
        Evidence::Firing { .. } => Err(Reason::OtherKind.at("firing")),
    }
}

fn of_unwinding(
    evidence: &Evidence,
    net: &Net,
    target: TransitionId,
    limits: &Limits,
) -> Result<Accepted, Rejection> {
    match evidence {
        Evidence::Firing { steps } => fire(net, target, steps),
        Evidence::Events { encoding, stages, formula, learnt, .. } => {
            let mut encoder = Encoder::new(encoding.clone());
            let [Stage { rounds, cycles }] = stages.as_slice() else {
                return Err(Reason::NoStage.at("events.stages"));
            };
            if !rounds.is_empty() {
                let reason = Reason::OtherProcesses { processes: 0, rounds: rounds.len() };
                return Err(reason.at("events.stages[0].rounds"));
            }
            add_stage(&mut encoder, net, target, 0, cycles, limits)?;
            same_size(formula, encoder.formula(), "events.formula")?;
            let argument = refute(encoder.formula(), &[&[]], learnt, "events", limits)?;
            Ok(Accepted::Unreachable { covered: Covered::All, argument })
        }
        Evidence::Run { .. } => Err(Reason::OtherKind.at("run")),
        Evidence::Steps { .. } => Err(Reason::OtherKind.at("steps")),
        Evidence::Listing { .. } => Err(Reason::OtherKind.at("listing")),
    }
}

/// Fires a sequence, and looks for the target in it.
fn fire(net: &Net, target: TransitionId, steps: &[Occurrence]) -> Result<Accepted, Rejection> {
    let mut execution = Execution::default();
    for (index, Occurrence { transition, values }) in steps.iter().enumerate() {
        let place = format!("firing.steps[{index}]");
        let found = net.transitions.iter().position(|t| t.name == *transition);
        let found =
            found.ok_or_else(|| Reason::NoTransition(transition.clone()).at(place.clone()))?;
        let transition = &net.transitions[found];
        let mut binding = BTreeMap::new();
        for (variable, value) in values {
            let named = |v: &&ser_reachability_model::VariableId| {
                net.variables[v.index()].name == *variable
            };
            let Some(id) = transition.variables.iter().find(named) else {
                let (transition, variable) = (transition.name.clone(), variable.clone());
                return Err(Reason::NoVariable { transition, variable }.at(place));
            };
            binding.insert(*id, *value);
        }
        execution.steps.push(Step { transition: TransitionId::from_index(found), binding });
    }
    if let Err((index, why)) = execution.check(net) {
        return Err(Reason::from(why).at(format!("firing.steps[{index}]")));
    }
    match execution.events().contains(&target) {
        true => Ok(Accepted::Fired(execution)),
        false => Err(Reason::NotTheTarget.at("firing.steps")),
    }
}

/// The unwinding and its formula, made anew in the same stages.
fn unwind(
    task: &Task<'_>,
    encoding: &Encoding,
    stages: &[Stage],
    limits: &Limits,
) -> Result<(Unwinding, Encoder), Rejection> {
    let mut built: Option<(Unwinding, Encoder)> = None;
    for (index, Stage { rounds, cycles }) in stages.iter().enumerate() {
        let wrong = |reason: Reason| reason.at(format!("events.stages[{index}].rounds"));
        let processes = task.processes.len();
        if rounds.len() != processes {
            return Err(wrong(Reason::OtherProcesses { processes, rounds: rounds.len() }));
        }
        let (unwinding, mut encoder) = match built {
            None => {
                let unwinding = Unwinding::with_rounds(task, rounds.clone(), limits);
                (unwinding.map_err(|e| wrong(e.into()))?, Encoder::new(encoding.clone()))
            }
            Some((mut unwinding, encoder)) => {
                if rounds.iter().zip(&unwinding.rounds).any(|(new, old)| new < old) {
                    return Err(wrong(Reason::GoesBack));
                }
                let grown = unwinding.grow(task, rounds.clone(), limits);
                match grown.map_err(|e| wrong(e.into()))? {
                    Grown::Extended => (unwinding, encoder),
                    Grown::Rebuilt => (unwinding, Encoder::new(encoding.clone())),
                }
            }
        };
        let target = *unwinding.targets.first().ok_or_else(|| Reason::NoGoal.at("goal"))?;
        add_stage(&mut encoder, &unwinding.net, target, index, cycles, limits)?;
        built = Some((unwinding, encoder));
    }
    built.ok_or_else(|| Reason::NoStage.at("events.stages"))
}

/// Encodes what is new. Forbidden cycles are lemmas: no order of events has a cycle.
fn add_stage(
    encoder: &mut Encoder,
    net: &Net,
    target: TransitionId,
    index: usize,
    cycles: &[Vec<u32>],
    limits: &Limits,
) -> Result<(), Rejection> {
    let place = format!("events.stages[{index}]");
    encoder.extend(net, limits).map_err(|error| Reason::from(error).at(place.clone()))?;
    encoder.require(&[target]);
    for (number, cycle) in cycles.iter().enumerate() {
        let cycle: Vec<TransitionId> = cycle.iter().copied().map(TransitionId).collect();
        if cycle.is_empty() || cycle.iter().any(|t| t.index() >= net.transitions.len()) {
            return Err(Reason::NoCycle.at(format!("{place}.cycles[{number}]")));
        }
        encoder.forbid_cycle(&cycle);
    }
    Ok(())
}

fn same_size(claimed: &FormulaSize, formula: &Formula, place: &str) -> Result<(), Rejection> {
    let (claimed, found) = (*claimed, FormulaSize::of(formula));
    match claimed == found {
        true => Ok(()),
        false => Err(Reason::OtherFormula { claimed, found }.at(place)),
    }
}

/// An interleaving of so many steps, made anew; that the goal is not reached in it, and, if it is
/// to be complete, that nothing can be done after it.
fn interleave(
    task: &Task<'_>,
    steps: u32,
    complete: bool,
    claimed: &FormulaSize,
    learnt: &[Vec<i32>],
    limits: &Limits,
) -> Result<(Covered, Argument), Rejection> {
    let wrong = |error| Reason::from(error).at("steps.steps");
    let unwinding = Unwinding::new(task, steps, limits).map_err(wrong)?;
    let mut bmc = Bmc::new(task, &unwinding, steps, limits).map_err(wrong)?;
    let reached = bmc.goal(0).map_err(wrong)?;
    let goes_on = bmc.goes_on();
    if bmc.is_cut() {
        return Err(Reason::Cut.at("steps.steps"));
    }
    // The bits of local variables are those of so many rounds.
    if complete && !unwinding.is_complete() {
        return Err(Reason::NotComplete.at("steps.complete"));
    }
    same_size(claimed, bmc.formula(), "steps.formula")?;
    let claims: &[&[Lit]] = match complete {
        true => &[&[reached], &[goes_on]],
        false => &[&[reached]],
    };
    let covered = if complete { Covered::All } else { Covered::Steps(steps) };
    Ok((covered, refute(bmc.formula(), claims, learnt, "steps", limits)?))
}

/// That a formula has no solution under each of these lists of assumptions.
fn refute(
    formula: &Formula,
    claims: &[&[Lit]],
    learnt: &[Vec<i32>],
    place: &str,
    limits: &Limits,
) -> Result<Argument, Rejection> {
    let numbers = |lits: &[Lit]| lits.iter().map(|lit| lit.dimacs()).collect::<Vec<i32>>();
    let clauses: Vec<Vec<i32>> = formula.clauses().iter().map(|clause| numbers(clause)).collect();
    let mut proof = ClausalProof::default();
    for assumptions in claims {
        let found = check_clausal(&clauses, &numbers(assumptions), learnt, limits);
        let found = found.map_err(|error| match error {
            ClausalError::Stopped(stop) => Reason::Stopped(stop).at(format!("{place}.learnt")),
            ClausalError::DoesNotFollow { step } => {
                Reason::Proof(error).at(format!("{place}.learnt[{step}]"))
            }
            error => Reason::Proof(error).at(format!("{place}.learnt")),
        })?;
        proof.join(found);
    }
    Ok(Argument::Proof(proof))
}
