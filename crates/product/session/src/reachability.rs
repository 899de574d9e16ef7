//! From processes, requests or an unwinding to what they can reach: the answers of `ser trace`.
//!
//! A goal that can be reached comes with a run, which the interpreter of the original has replayed
//! before anyone sees it: programs are run by the machine of `ser-model`, unwindings are fired. A
//! goal that cannot comes with what was covered; where the solver has written down its proof, the
//! proof was checked against the formula and the assumptions that the claim rests on.

mod claim;
mod data;
mod export;
mod firing;
mod order;
mod picture;
mod states;
mod tell;
mod words;

use crate::shown::Shown;
use crate::source::{Kind, Model, Source, SourceError};
use crate::trace::{TraceStep, trace_shown};
use ser_base::{Limits, Stop};
use ser_clausal::ClausalProof;
use ser_model::{Followed, GlobalId, ProgramModel, RequestId};
use ser_reachability_checker::{self as checker, Accepted, Argument};
use ser_reachability_search::{
    Bound, Clauses, Condition, Covered, EncodeError, Execution, Goal, Method, Net, Outcome,
    Participants, Refutation, SearchAnswer, SearchError, SearchOptions, SearchProgress, Sizes,
    Task, TokenTrace, Tracer, TransitionId, UnwindError, Unwinding, search_watched,
};
use ser_serializability_search::{Event, Run};
use ser_syntax::core::{ClaimKind, Expr};
use ser_syntax::{Diagnostic, Line, LineIndex, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

pub use claim::Claim;
pub use export::{Exports, PictureFormat};
pub use tell::Reachability;

/// What to look for, and how.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The requests of a program that run, as on the command line: `main*2,flip`.
    pub requests: Option<String>,
    /// Conditions to reach; those of the source, if there are none.
    pub reach: Vec<String>,
    /// How to look.
    pub search: SearchOptions,
    /// Never list all states, however few there are: the solver is to answer.
    pub never_lists: bool,
}

/// What `ser trace` has to say about one file.
#[derive(Debug)]
pub struct EventReport {
    /// Warnings about the source.
    pub warnings: Vec<Diagnostic>,
    /// The answer for each goal, or what is wrong with the question.
    pub answers: Result<Vec<Answer>, SourceError>,
    /// Wall time from reading the source to the last answer.
    pub time: Duration,
}

/// The answer about one goal.
#[derive(Debug)]
pub struct Answer {
    /// The goal, as it is written.
    pub goal: String,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Where it stands in the source, if it does.
    pub span: Option<Span>,
    /// Its number among all that the source asks.
    pub number: usize,
    /// Whether it is an invariant, and the goal a state that violates it.
    pub is_invariant: bool,
    /// The answer.
    pub verdict: Reaching,
    /// How far was looked.
    pub covered: Covered,
    /// How large the formula was.
    pub sizes: Option<Sizes>,
    /// Variables and clauses of the formula.
    pub formula: (usize, usize),
    /// The formula of a goal that is not refuted.
    pub clauses: Option<Clauses>,
    /// What the checker has accepted; nothing if there is nothing that it could check.
    pub evidence: Option<checker::Evidence>,
    /// How long it took, the check of the solver's proof included.
    pub time: Duration,
}

/// Whether a goal can be reached.
#[derive(Debug)]
pub enum Reaching {
    /// Yes, like this. It has been replayed.
    Reachable(Box<Witness>),
    /// Not within what is covered.
    Unreachable(Evidence),
    Unknown(NoAnswer),
}

/// Why a goal cannot be reached.
#[derive(Debug)]
pub enum Evidence {
    /// The formula has no solution: the solver's proof, and what was examined to check it.
    Proof {
        /// The proof.
        refutation: Refutation,
        /// What was examined.
        proof: ClausalProof,
        /// How long that took.
        time: Duration,
    },
    /// All states were listed: so many.
    Listed(usize),
}

impl Reaching {
    /// How it is called in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Reaching::Reachable(_) => "reachable",
            Reaching::Unreachable(_) => "unreachable",
            Reaching::Unknown(_) => "unknown",
        }
    }
}

/// A run to a goal.
#[derive(Debug)]
pub enum Witness {
    /// Of a program.
    Run {
        /// The program, with the states on the way.
        model: Model,
        /// How its shared variables are shown.
        shown: Shown,
        /// The processes that take part, by the numbers in the steps, which start at 1.
        processes: Vec<String>,
        /// Whether processes have responses.
        responds: bool,
        /// The steps, for people.
        steps: Vec<TraceStep>,
        /// For each step, to which event of the token trace it belongs: its number among those of
        /// processes.
        events: Vec<usize>,
        /// The last state.
        last: GlobalId,
        /// The token trace that it comes from.
        trace: Option<Box<(Unwinding, TokenTrace)>>,
    },
    /// Of an unwinding.
    Firing {
        net: Net,
        trace: TokenTrace,
        /// Its events, one after the other.
        execution: Execution,
    },
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoAnswer {
    /// A limit.
    #[error(transparent)]
    Stopped(#[from] Stop),
    /// Numbers may become too large.
    #[error("numbers may become larger than 2^48 on line {line}")]
    TooLarge {
        /// Where.
        line: Line,
    },
    /// The same, at an unknown place.
    #[error("numbers may become larger than 2^48")]
    LargeNumbers,
    /// A variable takes very many values.
    #[error("`{variable}` may take very many values")]
    Unbounded {
        /// Which one.
        variable: String,
    },
    /// The method does not work for such a source.
    #[error("bounded model checking needs processes or requests, and this is an unwinding")]
    NotForUnwindings,
    /// The limits were not enough to replay the run.
    #[error("the goal seems to be in reach, but the limits were not enough to replay the run: {0}")]
    NotReplayed(Stop),
    /// The limits were not enough to check the proof.
    #[error("the goal is out of reach, but the limits were not enough to check the proof: {0}")]
    Unchecked(Stop),
    /// The solver does not say why.
    #[error("the solver finds no way to the goal, but writes no proof that could be checked")]
    Unproved,
    /// The proof does not hold. This is a bug.
    #[error("internal error: the proof of the solver was rejected: {0}")]
    Rejected(String),
    /// The run does not replay. This is a bug.
    #[error("internal error: the run that was found does not replay: {0}")]
    Replay(String),
    /// Something that should not happen.
    #[error("internal error: {0}")]
    Internal(String),
}

/// What every search needs.
#[derive(Clone, Copy)]
struct Looking<'a> {
    source: &'a Source,
    question: &'a Question,
    limits: &'a Limits,
    watch: &'a dyn Fn(SearchProgress),
}

/// Answers a question about a source; `watch` hears now and then how far it is.
pub fn trace_source(
    source: &Source,
    question: &Question,
    limits: &Limits,
    watch: &dyn Fn(SearchProgress),
) -> EventReport {
    let start = Instant::now();
    let mut warnings = Vec::new();
    let looking = Looking { source, question, limits, watch };
    let answers = match source.kind {
        Kind::Processes => of_processes(looking, &mut warnings),
        Kind::Unwinding => of_unwinding(looking, &mut warnings),
        Kind::Program => of_requests(looking, &mut warnings),
        other => Err(other.not_read_here()),
    };
    let time = start.elapsed();
    EventReport { warnings, answers, time }
}

/// A goal and where it stands.
struct Asked {
    number: usize,
    is_invariant: bool,
    text: String,
    name: Option<String>,
    span: Option<Span>,
    condition: Expr,
}

fn of_processes(
    looking: Looking<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<Answer>, SourceError> {
    let Looking { source, question, .. } = looking;
    if question.requests.is_some() {
        let message =
            "--requests is for programs (.ser): the processes of this file all run".to_owned();
        return Err(SourceError::unreadable(message, "leave it out".to_owned()));
    }
    if !question.reach.is_empty() {
        let message =
            "--reach is for programs (.ser): this file says itself what to reach".to_owned();
        return Err(SourceError::unreadable(
            message,
            "write `reach CONDITION` into the file".to_owned(),
        ));
    }
    let parse = ser_syntax::parse_processes(&source.text);
    if parse.has_errors() {
        return Err(SourceError::Diagnostics(parse.diagnostics));
    }
    *warnings = parse.diagnostics;
    let program = parse.program;
    let asked = program.questions.iter().enumerate().filter_map(|(number, question)| {
        let text = source.text.get(question.span.range()).unwrap_or_default();
        // Who waits forever is up to another method, and so is what takes more than operators.
        if question.kind == ClaimKind::Deadlock {
            return None;
        }
        Some(Asked {
            number,
            is_invariant: question.kind == ClaimKind::Invariant,
            text: text.trim().to_owned(),
            name: question.name.clone(),
            span: Some(question.span),
            condition: question.condition()?,
        })
    });
    let participants = Participants::of_processes(&program);
    let parties = Parties { participants, respond: false };
    Ok(answers(looking, &parties, asked.collect()))
}

fn of_requests(
    looking: Looking<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<Answer>, SourceError> {
    let Looking { source, question, .. } = looking;
    let parse = crate::source::program(source)?;
    let program = parse.program;
    *warnings = parse.diagnostics;
    let Some(requests) = &question.requests else {
        let first = program.requests.first().map_or("main", |r| &r.name.text);
        let message = "which requests run? A program alone does not say".to_owned();
        return Err(SourceError::unreadable(
            message,
            format!("for example --requests '{first}*2'"),
        ));
    };
    let wrong = |argument, text: &str, diagnostics: Vec<Diagnostic>| SourceError::Argument {
        argument,
        text: text.to_owned(),
        diagnostics,
    };
    let (list, diagnostics) = ser_syntax::parse_requests(requests, &program);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(wrong("--requests", requests, diagnostics));
    }
    if question.reach.is_empty() {
        let message = "what should be reached? A program alone does not say".to_owned();
        let global = "for example --reach 'done', or a condition on globals and responses";
        return Err(SourceError::unreadable(message, global.to_owned()));
    }
    let mut asked = Vec::new();
    for text in &question.reach {
        let (condition, diagnostics) = ser_syntax::parse_goal(text, &program, &list);
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(wrong("--reach", text, diagnostics));
        }
        let (number, is_invariant, text) = (asked.len(), false, text.clone());
        asked.push(Asked { number, is_invariant, text, name: None, span: None, condition });
    }
    let parties =
        Parties { participants: Participants::of_requests(&program, &list), respond: true };
    Ok(answers(looking, &parties, asked))
}

/// Who runs.
struct Parties {
    participants: Participants,
    /// Whether they have responses.
    respond: bool,
}

/// Looks for each goal.
fn answers(looking: Looking<'_>, parties: &Parties, asked: Vec<Asked>) -> Vec<Answer> {
    let Looking { source, question, limits, watch } = looking;
    let mut answers = Vec::new();
    for asked in asked {
        let start = Instant::now();
        let name = asked.text.strip_prefix("reach").unwrap_or(&asked.text).trim().to_owned();
        let goal = Goal { name, condition: asked.condition.clone() };
        let task = parties.participants.task(&source.text, goal);
        let condition = Condition::new(&task, &task.goals[0]);
        let found = search_watched(&task, 0, &few_rounds(&question.search), limits, watch);
        // Where loops go on, there may be few states all the same. If not, the loops iterate more
        // often.
        let goes_on = limits.check_clock().is_ok()
            && found.as_ref().is_ok_and(|found| match &found.answer {
                SearchAnswer::Unreached { .. } => found.covered != Covered::All,
                SearchAnswer::Unknown(_) => true,
                SearchAnswer::Reached { .. } => false,
            });
        let search = &question.search;
        let expands = search.bound == Bound::Expand && search.method == Method::Events;
        let listed = match goes_on && expands && !question.never_lists {
            true => list(&task, &condition, limits),
            false => None,
        };
        let found = match goes_on && expands && listed.is_none() {
            true => search_watched(&task, 0, &question.search, limits, watch),
            false => found,
        };
        let about = match &question.requests {
            Some(requests) => {
                checker::Question::Requests { text: &source.text, requests, reach: &asked.text }
            }
            None => checker::Question::Processes { text: &source.text, goal: asked.number },
        };
        let of_run = |accepted, trace| match accepted {
            Accepted::Followed(followed) => Some(witness(source, parties, *followed, trace)),
            _ => None,
        };
        let mut covered = Covered::Nothing;
        let (mut sizes, mut formula, mut clauses) = (None, (0, 0), None);
        let (verdict, evidence) = match found {
            Err(error) => (Reaching::Unknown(no_answer(&error, &source.lines)), None),
            Ok(found) => {
                (covered, sizes) = (found.covered, found.sizes);
                (formula, clauses) = (found.formula, found.clauses);
                match (found.answer, listed) {
                    (_, Some(states)) => {
                        covered = Covered::All;
                        let evidence = checker::Evidence::Listing { states };
                        confirm(looking, &about, evidence, |_| None, None)
                    }
                    (SearchAnswer::Unknown(stop), None) => (Reaching::Unknown(stop.into()), None),
                    (SearchAnswer::Unreached(Some((refutation, evidence))), None) => {
                        confirm(looking, &about, evidence, |_| None, Some(refutation))
                    }
                    (SearchAnswer::Unreached(None), None) => {
                        (Reaching::Unknown(NoAnswer::Unproved), None)
                    }
                    (SearchAnswer::Reached { plan, trace }, None) => {
                        let evidence = checker::Evidence::Run { moves: plan.moves };
                        confirm(looking, &about, evidence, |it| of_run(it, trace), None)
                    }
                }
            }
        };
        answers.push(Answer {
            goal: asked.text,
            name: asked.name,
            span: asked.span,
            number: asked.number,
            is_invariant: asked.is_invariant,
            verdict,
            covered,
            sizes,
            formula,
            clauses,
            evidence,
            time: start.elapsed(),
        });
    }
    answers
}

/// The same search, but loops iterate at most a few times.
fn few_rounds(search: &SearchOptions) -> SearchOptions {
    let bound = match (search.bound, search.method) {
        (Bound::Expand, Method::Events) => Bound::Rounds(FEW_ROUNDS),
        (bound, _) => bound,
    };
    SearchOptions { bound, ..search.clone() }
}

/// How often loops iterate before all states are listed.
const FEW_ROUNDS: u32 = 3;

/// At most so many states are listed.
const MAX_LISTED: usize = 50_000;

/// The number of states, if there are few and the condition holds in none of them.
fn list(task: &Task<'_>, condition: &Condition<'_>, limits: &Limits) -> Option<usize> {
    let labels: Vec<String> = task.processes.iter().map(|p| p.label.clone()).collect();
    let holds = |globals: &[i64], responses: &[Option<i64>]| condition.holds(globals, responses);
    let listing =
        ProgramModel::list(task.program, task.text, &labels, MAX_LISTED, limits, holds).ok()?;
    (!listing.found).then_some(listing.states)
}

fn no_answer(error: &SearchError, lines: &LineIndex) -> NoAnswer {
    match error {
        SearchError::Unwind(UnwindError::Stop(stop)) => NoAnswer::Stopped(stop.clone()),
        SearchError::Unwind(UnwindError::TooLarge { span }) => {
            NoAnswer::TooLarge { line: lines.line(span.start) }
        }
        SearchError::Encode(EncodeError::TooLarge) => NoAnswer::LargeNumbers,
        SearchError::Encode(EncodeError::Stopped(stop)) => NoAnswer::Stopped(stop.clone()),
        SearchError::Unwind(UnwindError::Unbounded { variable }) => {
            NoAnswer::Unbounded { variable: variable.clone() }
        }
        other => NoAnswer::Internal(other.to_string()),
    }
}

/// Has the evidence for an answer checked, and says what was established. Proofs are then as short
/// as they can be.
fn confirm(
    looking: Looking<'_>,
    question: &checker::Question<'_>,
    mut evidence: checker::Evidence,
    witness: impl FnOnce(Accepted) -> Option<Witness>,
    refutation: Option<Refutation>,
) -> (Reaching, Option<checker::Evidence>) {
    let start = Instant::now();
    let accepted = match checker::check(&evidence, question, looking.limits) {
        Ok(accepted) => accepted,
        Err(checker::Rejection { reason: checker::Reason::Stopped(stop), .. }) => {
            let reason = match evidence.is_reachable() {
                true => NoAnswer::NotReplayed(stop),
                false => NoAnswer::Unchecked(stop),
            };
            return (Reaching::Unknown(reason), None);
        }
        Err(rejection) => {
            let reason = match evidence.is_reachable() {
                true => NoAnswer::Replay(rejection.to_string()),
                false => NoAnswer::Rejected(rejection.to_string()),
            };
            return (Reaching::Unknown(reason), None);
        }
    };
    let time = start.elapsed();
    let verdict = match (accepted, refutation) {
        (Accepted::Unreachable { argument: Argument::Proof(proof), .. }, Some(refutation)) => {
            evidence.trim(&proof.used);
            Reaching::Unreachable(Evidence::Proof { refutation, proof, time })
        }
        (Accepted::Unreachable { argument: Argument::Listing { states }, .. }, _) => {
            Reaching::Unreachable(Evidence::Listed(states))
        }
        (accepted, _) => match witness(accepted) {
            Some(witness) => Reaching::Reachable(Box::new(witness)),
            None => Reaching::Unknown(NoAnswer::Internal("other evidence".to_owned())),
        },
    };
    (verdict, Some(evidence))
}

/// A replayed run as a table of steps. The processes that take part have numbers in the order of
/// the source.
fn witness(
    source: &Source,
    parties: &Parties,
    followed: Followed,
    token_trace: Option<Box<(Unwinding, TokenTrace)>>,
) -> Witness {
    let Followed { model, steps, moves, last, .. } = followed;
    let system = model.system();
    let numbers: BTreeSet<usize> = steps.iter().map(|(process, _)| *process).collect();
    let numbers: Vec<usize> = numbers.into_iter().collect();
    let mut arrived = BTreeSet::new();
    let mut run = Vec::new();
    for (process, step) in &steps {
        let number = numbers.iter().position(|n| n == process).unwrap_or(0) as u32 + 1;
        if arrived.insert(number) {
            let spawn = system.spawns().iter().find(|(_, local)| *local == step.from);
            let request = spawn.map_or(RequestId(0), |(request, _)| *request);
            run.push(Event::Arrive { number, request, local: step.from });
        }
        run.push(Event::Step { number, step: *step });
        if let Some(response) = system.replies_of(step.to).next() {
            run.push(Event::Respond { number, response });
        }
    }
    let name = |index: &usize| parties.participants.processes.get(*index).map(|p| p.name.clone());
    let processes = numbers.iter().filter_map(name).collect();
    let shown = Shown::new(system, &BTreeMap::new(), !parties.respond);
    let model = Model::Program(Box::new(model));
    let steps = trace_shown(source, &model, &Run { events: run }, &shown);
    let responds = parties.respond;
    let (events, trace) = (moves, token_trace);
    Witness::Run { model, shown, processes, responds, steps, events, last, trace }
}

fn of_unwinding(
    looking: Looking<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<Answer>, SourceError> {
    let Looking { source, question, .. } = looking;
    if question.requests.is_some() || !question.reach.is_empty() {
        let message = "--requests and --reach are for programs (.ser)".to_owned();
        let help = "an unwinding says itself what to reach: `target t`".to_owned();
        return Err(SourceError::unreadable(message, help));
    }
    let parse = ser_syntax::parse_unwinding(&source.text);
    if parse.has_errors() {
        return Err(SourceError::Diagnostics(parse.diagnostics));
    }
    *warnings = parse.diagnostics;
    let net = Net::written(&parse.unwinding);
    let mut answers = Vec::new();
    for (index, target) in parse.unwinding.targets.iter().enumerate() {
        let start = Instant::now();
        let transition = parse.unwinding.transitions.get(*target);
        let ((verdict, evidence), sizes, clauses) = match &net {
            Ok((net, targets)) => match targets.get(index) {
                Some(target) => {
                    let about = checker::Question::Unwinding { text: &source.text, target: index };
                    fire(net, *target, &about, looking)
                }
                None => no_firing(NoAnswer::Internal("no target".to_owned())),
            },
            Err(error) => {
                let error = SearchError::Unwind(error.clone());
                no_firing(no_answer(&error, &source.lines))
            }
        };
        let covered = match verdict {
            Reaching::Unreachable(_) => Covered::All,
            _ => Covered::Nothing,
        };
        let count = sizes.as_ref().map(Sizes::total).unwrap_or_default();
        answers.push(Answer {
            goal: transition.map_or(String::new(), |t| t.name.text.clone()),
            name: None,
            span: transition.map(|t| t.name.span),
            number: index,
            is_invariant: false,
            verdict,
            covered,
            formula: (count.variables, count.clauses),
            sizes,
            clauses,
            evidence,
            time: start.elapsed(),
        });
    }
    Ok(answers)
}

type Fired = ((Reaching, Option<checker::Evidence>), Option<Sizes>, Option<Clauses>);

fn no_firing(reason: NoAnswer) -> Fired {
    ((Reaching::Unknown(reason), None), None, None)
}

/// Looks for a one-off execution with a transition.
fn fire(
    net: &Net,
    target: TransitionId,
    about: &checker::Question<'_>,
    looking: Looking<'_>,
) -> Fired {
    let Looking { question, limits, .. } = looking;
    if question.search.method == ser_reachability_search::Method::Bmc {
        return no_firing(NoAnswer::NotForUnwindings);
    }
    let options = &question.search.solving;
    let mut tracer = Tracer::new(options.clone());
    if let Err(error) = tracer.extend(net, limits) {
        return no_firing(no_answer(&SearchError::Encode(error), &LineIndex::new("")));
    }
    tracer.require(&[target]);
    let outcome = tracer.solve(net, limits);
    let sizes = Some(tracer.sizes());
    let clauses = match &outcome {
        Outcome::Unsat { .. } => None,
        _ => Some(Clauses::of(tracer.formula(), tracer.assumptions())),
    };
    let answer = match outcome {
        Outcome::Unknown(stop) => (Reaching::Unknown(stop.into()), None),
        Outcome::Unsat { .. } => match tracer.refutation(options, Vec::new(), true) {
            Some((refutation, evidence)) => {
                confirm(looking, about, evidence, |_| None, Some(refutation))
            }
            None => (Reaching::Unknown(NoAnswer::Unproved), None),
        },
        Outcome::Sat(trace) => {
            let trace = trace.past_of(net, target);
            match trace.to_execution(net, &|_| 0) {
                Err(why) => (Reaching::Unknown(NoAnswer::Replay(why.to_string())), None),
                Ok(execution) => {
                    let evidence = checker::Evidence::firing(net, &execution);
                    let of_firing = |accepted| match accepted {
                        Accepted::Fired(execution) => {
                            Some(Witness::Firing { net: net.clone(), trace, execution })
                        }
                        _ => None,
                    };
                    confirm(looking, about, evidence, of_firing, None)
                }
            }
        }
    };
    (answer, sizes, clauses)
}
