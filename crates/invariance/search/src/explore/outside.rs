//! States from outside: evaluate, apply a step, list all steps.
//!
//! This is how counter-models are looked at again before they are shown. Nothing that the search
//! has found out is used.

use super::Bounds;
use super::choices::{Oracle, Pools};
use super::eval::{Scene, eval};
use super::fault::Halt;
use super::memory::{Layout, Word};
use super::search::{Attempt, attempt};
use super::start::anchors;
use super::state::{Frame, NotAState};
use super::step::{Machine, Stepper};
use ser_invariance_checker::run::{Fault, RunStep, State, Value};
use ser_syntax::inv::ast::{Expr, GlobalId, InvId, LocalId, System};

/// Why an expression has no value in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoValue {
    /// It is no state of the system.
    NotAState(NotAState),
    /// A number is too large.
    Overflow,
    /// A thread is spoken of that is not in the state.
    NoThread,
    /// The minimum or maximum of an empty set, outside of a formula.
    EmptySet,
    /// There is no such invariant.
    NoInvariant,
}

/// Why a step cannot be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotEnabled {
    /// It is no state of the system.
    NotAState(NotAState),
    /// A fact of the path does not hold: the thread waits, or takes another path.
    Waits,
    /// The thread takes another path, or there is no such path, or the values that were chosen do
    /// not fit it.
    OtherPath,
    /// There is no such thread.
    NoThread,
    /// A number is too large.
    Overflow,
    /// The step does something that it must not do.
    Fault(Fault),
}

impl From<NotAState> for NoValue {
    fn from(why: NotAState) -> NoValue {
        NoValue::NotAState(why)
    }
}

impl From<NotAState> for NotEnabled {
    fn from(why: NotAState) -> NotEnabled {
        NotEnabled::NotAState(why)
    }
}

fn machine(system: &System) -> Machine<'_> {
    Machine::new(system, Pools { ints: Vec::new(), members: Vec::new(), elems: Vec::new() })
}

/// The value of an expression in a state. `threads` are the values of the thread variables of the
/// invariant that it is from; in an expression of a statement, `me` is the first of them. Reading
/// through `null` gives the field of [`Cell::default`](ser_invariance_checker::run::Cell).
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

/// The state after a step of a thread: a path of its location, and what `choose` and `malloc`
/// choose.
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

/// All steps that are possible from a state, by thread; where something is chosen, with the values
/// that `bounds` allow. Nothing is renamed, and new cells get the smallest address that is free. If
/// there are very many steps, the list ends after [`MAX_STEPS`].
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
