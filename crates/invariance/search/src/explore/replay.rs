//! States and runs from outside: evaluate, apply a step, go through a run.
//!
//! This is how counter-models are looked at again before they are shown, and how a run is known to be one. Nothing that the search has
//! found out is used.

use super::Bounds;
use super::choices::{Oracle, Pools};
use super::eval::{Scene, eval};
use super::fault::{Fault, Halt};
use super::memory::{Layout, Word};
use super::search::{Attempt, attempt};
use super::start::anchors;
use super::state::{Frame, MAX_THREADS, NotAState, State, ThreadState, place_thread};
use super::step::{Machine, Stepper};
use ser_invariance_checker::run::{Run, RunStep, Shows, Value};
use ser_syntax::inv::ast::{Expr, GlobalId, InvId, LocId, LocalId, System};
use std::collections::BTreeMap;
use thiserror::Error;

/// Why an expression has no value in a state.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NoValue {
    /// It is no state of the system.
    #[error(transparent)]
    NotAState(#[from] NotAState),
    /// A number is too large.
    #[error("a number is too large")]
    Overflow,
    /// A thread is spoken of that is not in the state.
    #[error("a thread is spoken of that is not there")]
    NoThread,
    /// The minimum or maximum of an empty set, outside of a formula.
    #[error("the minimum or maximum of the empty set")]
    EmptySet,
    /// There is no such invariant.
    #[error("there is no such invariant")]
    NoInvariant,
}

/// Why a step cannot be done.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NotEnabled {
    /// It is no state of the system.
    #[error(transparent)]
    NotAState(#[from] NotAState),
    /// A fact of the path does not hold: the thread waits, or takes another path.
    #[error("the thread waits")]
    Waits,
    /// The thread takes another path, or there is no such path, or the values that were chosen do not fit it.
    #[error("the thread cannot take this path with these values")]
    OtherPath,
    /// There is no such thread.
    #[error("there is no such thread")]
    NoThread,
    /// A number is too large.
    #[error("a number is too large")]
    Overflow,
    /// The step does something that it must not do.
    #[error("{}", .0.kind)]
    Fault(Fault),
}

fn machine(system: &System) -> Machine<'_> {
    Machine::new(system, Pools { ints: Vec::new(), members: Vec::new(), elems: Vec::new() })
}

/// The value of an expression in a state. `threads` are the values of the thread variables of the invariant that it is from; in
/// an expression of a statement, `me` is the first of them. Reading through `null` gives the field of [`Cell::default`](ser_invariance_checker::run::Cell).
pub fn evaluate(
    system: &System,
    state: &State,
    expr: &Expr,
    threads: &[u32],
) -> Result<Value, NoValue> {
    let mut machine = machine(system);
    let frame = Frame::new(&mut machine, state, &[])?;
    let word = word_of(&mut machine, &frame, expr, threads)?;
    Ok(frame.value(&machine.sets, expr.ty, word))
}

fn word_of(
    machine: &mut Machine<'_>,
    frame: &Frame,
    expr: &Expr,
    threads: &[u32],
) -> Result<Word, NoValue> {
    let me = threads.first().map_or(usize::MAX, |thread| *thread as usize);
    let Frame { layout, words, .. } = frame;
    let scene = Scene { layout, words, me, threads, strict: false, known: None };
    eval(&mut machine.sets, &scene, expr).map_err(|halt| match halt {
        Halt::Fault(_) => NoValue::EmptySet,
        Halt::NoThread => NoValue::NoThread,
        _ => NoValue::Overflow,
    })
}

/// Whether an invariant holds in a state, for a tuple of threads. Says which conjunct does not.
pub fn holds(
    system: &System,
    state: &State,
    invariant: InvId,
    threads: &[u32],
) -> Result<Result<(), usize>, NoValue> {
    let mut machine = machine(system);
    let frame = Frame::new(&mut machine, state, &[])?;
    let invariant = system.invariants.get(invariant.0 as usize).ok_or(NoValue::NoInvariant)?;
    if invariant.parameters.len() != threads.len() {
        return Err(NoValue::NoThread);
    }
    for (place, conjunct) in invariant.conjuncts.iter().enumerate() {
        if word_of(&mut machine, &frame, &conjunct.formula, threads)? == 0 {
            return Ok(Err(place));
        }
    }
    Ok(Ok(()))
}

/// The state after a step of a thread: a path of its location, and what `havoc` and `malloc` choose.
pub fn apply(
    system: &System,
    state: &State,
    thread: u32,
    path: u32,
    chosen: &[Value],
) -> Result<State, NotEnabled> {
    let mut machine = machine(system);
    let mut frame = Frame::new(&mut machine, state, chosen)?;
    if thread as usize >= frame.layout.threads {
        return Err(NotEnabled::NoThread);
    }
    let mut values = Vec::with_capacity(chosen.len());
    for value in chosen {
        values.push(frame.typed_word(&mut machine.sets, value)?);
    }
    let mut oracle = Oracle::Given { path: u64::from(path), values: &values, asked: 0 };
    let mut done = Vec::new();
    let Frame { layout, words, .. } = &mut frame;
    let thread = thread as usize;
    let mut stepper = Stepper::new(&mut machine, layout, words, thread, &mut oracle, &mut done);
    let outcome = stepper.step();
    let paths = stepper.paths();
    match outcome {
        Ok(()) => Ok(frame.state(&machine)),
        Err(Halt::Waits) => Err(NotEnabled::Waits),
        Err(Halt::Overflow) => Err(NotEnabled::Overflow),
        Err(Halt::NoThread) => Err(NotEnabled::NoThread),
        Err(Halt::Fault(fault)) if paths.contains(&u64::from(path)) => {
            Err(NotEnabled::Fault(fault))
        }
        Err(_) => Err(NotEnabled::OtherPath),
    }
}

/// How many steps are listed from one state.
pub const MAX_STEPS: usize = 100_000;

/// A step that is possible, and where it leads: another state, or a fault.
pub type Possible = (RunStep, Result<State, Fault>);

/// All steps that are possible from a state, by thread; where something is chosen, with the values that `bounds` allow. Nothing is
/// renamed, and new cells get the smallest address that is free. If there are very many steps, the list ends after [`MAX_STEPS`].
pub fn steps(system: &System, state: &State, bounds: &Bounds) -> Result<Vec<Possible>, NotAState> {
    let mut machine = Machine::new(system, Pools::of(system, bounds));
    let room: Vec<Value> = (1..=bounds.cells.min(1000)).map(Value::Addr).collect();
    let mut frame = Frame::new(&mut machine, state, &room)?;
    let before = frame.words.clone();
    let mut found = Vec::new();
    let mut chosen = Vec::new();
    for thread in 0..frame.layout.threads {
        let mut oracle = Oracle::every();
        loop {
            frame.words.clone_from(&before);
            let Frame { layout, words, .. } = &mut frame;
            let Attempt { outcome, path } =
                attempt(&mut machine, layout, words, thread, &mut oracle, &mut chosen);
            let after = match outcome {
                Ok(()) => Some(Ok(frame.state(&machine))),
                Err(Halt::Fault(fault)) => Some(Err(fault)),
                Err(_) => None,
            };
            if let (Some(after), Ok(path)) = (after, u32::try_from(path)) {
                let values = chosen.iter().map(|(ty, word)| frame.value(&machine.sets, *ty, *word));
                let chosen = values.collect();
                found.push((RunStep { thread: thread as u32, path, chosen }, after));
            }
            if found.len() >= MAX_STEPS {
                return Ok(found);
            }
            if !oracle.advance() {
                break;
            }
        }
    }
    Ok(found)
}

/// Why something is no run.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NotARun {
    /// Its first state is no state.
    #[error("at the start: {0}")]
    NotAState(#[from] NotAState),
    /// There are no threads, or not as many as the file says, or not as many as have locals.
    #[error("the number of threads is not right")]
    Threads,
    /// A value of type `tid` is no thread.
    #[error("a value of type `tid` is no thread of the run")]
    NoSuchThread,
    /// Nothing starts like this.
    #[error("an initial value or an assumption does not hold at the start")]
    NotInitial,
    /// A step that cannot be done, counted from 0.
    #[error("step {} cannot be done: {why}", step + 1)]
    Step {
        /// Its number.
        step: usize,
        /// Why.
        why: NotEnabled,
    },
    /// The run does not show what it says it shows.
    #[error("the end of the run does not show what it should")]
    ShowsNothing,
}

/// The states that a run goes through: one more than it has steps, or as many if the last one is a fault, which is told, too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replay {
    /// From the first on.
    pub states: Vec<State>,
    /// What the last step must not have done.
    pub fault: Option<Fault>,
}

/// The first state of a run, whether or not the system may start like that.
pub fn first_state(system: &System, run: &Run) -> Result<State, NotARun> {
    let count = run.threads as usize;
    let fits = count == run.locals.len() && system.threads.is_none_or(|fixed| fixed == run.threads);
    if count == 0 || count > MAX_THREADS || !fits {
        return Err(NotARun::Threads);
    }
    let machine = machine(system);
    let layout = machine.layout(1, 0);
    let mut words = vec![0; layout.words()];
    place_thread(&machine, &layout, &mut words, 0);
    let location = LocId(words[layout.location(0)] as u32);
    let threads = run.locals.iter().map(|locals| ThreadState {
        location,
        locals: locals.clone(),
        sites: BTreeMap::new(),
    });
    let threads = threads.collect();
    Ok(State { globals: run.globals.clone(), threads, cells: run.cells.clone() })
}

/// Goes through a run, from a state in which the system may start to what it shows.
pub fn replay(system: &System, run: &Run) -> Result<Replay, NotARun> {
    let first = first_state(system, run)?;
    check_tids(run)?;
    let mut machine = machine(system);
    let frame = Frame::new(&mut machine, &first, &[])?;
    if !is_initial(&mut machine, &frame) {
        return Err(NotARun::NotInitial);
    }
    // The same state, with the sites of all threads spelled out.
    let mut states = vec![frame.state(&machine)];
    let mut fault = None;
    let last = run.steps.len().wrapping_sub(1);
    for (number, step) in run.steps.iter().enumerate() {
        let RunStep { thread, path, chosen } = step;
        let Some(state) = states.last() else {
            return Err(NotARun::ShowsNothing);
        };
        match apply(system, state, *thread, *path, chosen) {
            Ok(next) => states.push(next),
            Err(NotEnabled::Fault(found)) if number == last && run.shows == Shows::Error => {
                fault = Some(found);
            }
            Err(why) => return Err(NotARun::Step { step: number, why }),
        }
    }
    let is_shown = match (&run.shows, states.last()) {
        (Shows::Error, _) => fault.is_some(),
        (Shows::Violated { invariant, threads }, Some(state)) => {
            let mut numbered = (0..).map(InvId).zip(&system.invariants);
            let found = numbered.find(|(_, known)| known.name.text == *invariant);
            let fits = threads.iter().all(|thread| *thread < run.threads);
            found.is_some_and(|(id, _)| {
                fits && matches!(holds(system, state, id, threads), Ok(Err(_)))
            })
        }
        (Shows::Violated { .. }, None) => false,
    };
    if is_shown { Ok(Replay { states, fault }) } else { Err(NotARun::ShowsNothing) }
}

fn check_tids(run: &Run) -> Result<(), NotARun> {
    let is_thread = |thread: &u32| *thread < run.threads;
    let is_fine = |value: &Value| match value {
        Value::Tid(thread) => thread.as_ref().is_none_or(is_thread),
        Value::Set(members) => members.iter().all(|member| match member {
            Value::Tid(thread) => thread.as_ref().is_none_or(is_thread),
            _ => true,
        }),
        _ => true,
    };
    let chosen = run.steps.iter().flat_map(|step| &step.chosen);
    let values = run.globals.iter().chain(run.locals.iter().flatten()).chain(chosen);
    let cells = run.cells.values().filter_map(|cell| cell.lockid.as_ref());
    match values.into_iter().all(is_fine) && cells.into_iter().all(is_thread) {
        true => Ok(()),
        false => Err(NotARun::NoSuchThread),
    }
}

/// Whether a system may start in a state. Where the threads stand is not looked at.
pub fn is_start(system: &System, state: &State) -> bool {
    let mut machine = machine(system);
    Frame::new(&mut machine, state, &[]).is_ok_and(|frame| is_initial(&mut machine, &frame))
}

/// Whether a system may start like this. Where the threads stand is not looked at.
fn is_initial(machine: &mut Machine<'_>, frame: &Frame) -> bool {
    let system = machine.system;
    let Frame { layout, words, .. } = frame;
    let layout: &Layout = layout;
    let mut value = |expr: &Expr, me: usize| {
        let scene = Scene { layout, words, me, threads: &[], strict: false, known: None };
        eval(&mut machine.sets, &scene, expr).ok()
    };
    let globals = (0..).map(GlobalId).zip(&system.globals).all(|(id, global)| {
        let Some(initial) = &global.initial else {
            return true;
        };
        value(initial, usize::MAX) == Some(words[layout.global(id)])
    });
    let locals = (0..layout.threads).all(|thread| {
        (0..).map(LocalId).zip(&system.locals).all(|(id, local)| {
            let Some(initial) = &local.initial else {
                return true;
            };
            value(initial, thread) == Some(words[layout.local(thread, id)])
        })
    });
    let assumptions =
        system.assumptions.iter().all(|assumption| value(assumption, usize::MAX) == Some(1));
    let is_thread = |word: Word| word > 0 && word <= layout.threads as Word;
    let anchored = anchors(system).into_iter().all(|id| is_thread(words[layout.global(id)]));
    globals && locals && assumptions && anchored
}
