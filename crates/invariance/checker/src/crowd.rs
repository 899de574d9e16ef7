//! States of any number of threads, and what a step makes of them.
//!
//! In a step a thread sees the globals and its own locals, and nothing else of the others. So which
//! thread is which matters only where a variable says so (`owner == i`). A state is split
//! accordingly:
//!
//! - the *core*: the values of the globals, and where those threads stand that globals name;
//! - the *crowd*: all others, of whom it is enough to know how many stand where.
//!
//! A step of a thread changes the core, and moves at most three threads: the one that takes it, one
//! that `choose(Threads)` picks from the crowd, and whoever is named before or after it and not
//! both. It is the step of the interpreter that replays runs, in a state that has the named threads
//! and these alone. Others are not touched, and make no difference. So a core with a crowd has the
//! steps that [`Space::moves`] lists, however many threads there are besides; this is all that the
//! checks in [`crate::cover`] and [`crate::waiting`] need to know.
//!
//! The names of threads have no meaning: cores are *canonical* (named threads in the order of who
//! names them and where they stand, then alike), so that equal ones look equal.
//!
//! Sometimes one more thread is followed, whatever it does: the *hero*. It is named in the core,
//! too.
//!
//! # What does not fit
//!
//! Cells of a heap, threads in local variables (then it would matter who knows whom), and values at
//! the start or behind `choose` that are not bounded. A parameter of a function that is not called
//! yet has any value; nobody reads it before the call, and what invariants say of it must be said
//! of threads in the function, so one value stands for all ([`Space::new`] makes sure of that).

use crate::control::{Control, Path, Piece};
use crate::evaluate::View;
use crate::interpreter::{Attempt, attempt, may_start};
use crate::rejection::Reason;
use crate::run::{Elem, Fault, State, ThreadState, Value};
use ser_base::{Limits, LineIndex};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{
    ActionKind, Expr, ExprKind, GlobalId, LocId, LocalId, Operator, Place as Target, ProcId,
    Scalar, StmtKind, Thread, Type,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A program may start in so many ways.
const MAX_STARTS: usize = 4096;

/// A `choose` may have so many values.
const MAX_CHOICES: i64 = 1024;

/// So many threads may be named at once.
const MAX_NAMED: usize = 6;

/// Where one thread stands, with its locals.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standing {
    pub location: u32,
    pub locals: Vec<Value>,
    /// From where it has called procedures last: pairs of a procedure and a location, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<(u32, u32)>,
}

/// The values of the globals, and the threads that matter one by one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Core {
    /// A thread is its place in `named`.
    pub globals: Vec<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<Standing>,
    /// The thread that is followed, if one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hero: Option<u32>,
}

/// Where a thread is found: in the core or in the crowd.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Spot {
    Named(u32),
    Crowd(Standing),
}

/// A step that may be taken.
#[derive(Clone, Debug)]
pub struct Move {
    pub path: u32,
    pub chosen: Vec<Value>,
    pub outcome: Outcome,
}

#[derive(Clone, Debug)]
pub enum Outcome {
    Fault(Fault),
    Landed(Landing),
}

/// After a step.
#[derive(Clone, Debug)]
pub struct Landing {
    pub core: Core,
    /// Where those are that were named, then the one that moved if it came from the crowd, then the
    /// guest.
    pub threads: Vec<Spot>,
    /// Whether the step ends a round of the mover, or all that it does.
    pub completes: bool,
}

impl Landing {
    /// Those that are in the crowd now and were touched.
    pub fn released(&self) -> impl Iterator<Item = &Standing> {
        self.threads.iter().filter_map(|it| match it {
            Spot::Crowd(standing) => Some(standing),
            Spot::Named(_) => None,
        })
    }
}

/// A way to start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Start {
    pub core: Core,
    /// Where all others may stand, ascending.
    pub standings: Vec<Standing>,
    /// How many others there are; any number if nothing is said.
    pub others: Option<u32>,
}

/// What a program means for a core and a crowd.
pub struct Space<'s> {
    pub system: &'s System,
    pub control: &'s Control<'s>,
    pub(crate) lines: &'s LineIndex,
    /// Where a thread has come to the end of a round, or of all.
    ends: Vec<bool>,
    /// Where a thread is done for good.
    pub done: Vec<bool>,
}

impl From<&Standing> for ThreadState {
    fn from(it: &Standing) -> ThreadState {
        ThreadState {
            location: LocId(it.location),
            locals: it.locals.clone(),
            sites: it.sites.iter().map(|(of, call)| (ProcId(*of), LocId(*call))).collect(),
        }
    }
}

impl From<&ThreadState> for Standing {
    fn from(it: &ThreadState) -> Standing {
        Standing {
            location: it.location.0,
            locals: it.locals.clone(),
            sites: it.sites.iter().map(|(of, call)| (of.0, call.0)).collect(),
        }
    }
}

fn unsuited(what: impl Into<String>) -> Reason {
    Reason::Unsuited { what: what.into() }
}

impl<'s> Space<'s> {
    /// The space of a system, or why it does not fit.
    pub fn new(
        system: &'s System,
        control: &'s Control<'s>,
        lines: &'s LineIndex,
    ) -> Result<Space<'s>, Reason> {
        suits(system)?;
        let count = system.locations.len();
        let (mut ends, mut done) = (vec![false; count], vec![false; count]);
        let mut mark = |place: LocId, for_good: bool| {
            if let (Some(end), Some(over)) =
                (ends.get_mut(place.index()), done.get_mut(place.index()))
            {
                *end = true;
                *over |= for_good;
            }
        };
        for standing in crate::control::standing(system)? {
            if standing.procedure == ProcId(0)
                && matches!(standing.statement.kind, StmtKind::Return(_))
            {
                mark(standing.statement.location, true);
            }
        }
        let body = system.procedures.first().map_or(&[][..], |it| &it.body);
        let last = body.iter().rev().find(|it| !matches!(it.kind, StmtKind::Return(_)));
        if let Some(last) = last
            && matches!(last.kind, StmtKind::While { forever: true, .. })
        {
            mark(last.location, false);
        }
        for paths in &control.paths {
            for path in paths {
                let picks = chosen_in(path).filter(|it| type_of(system, it.0) == TID).count();
                if picks > 1 {
                    return Err(unsuited("a step chooses two threads at once"));
                }
                for (target, condition) in chosen_in(path) {
                    domain(system, target, condition, 0)?;
                }
            }
        }
        Ok(Space { system, control, lines, ends, done })
    }

    /// A state with the named threads, and these of the crowd behind them.
    pub fn state(&self, core: &Core, crowd: &[&Standing]) -> State {
        let threads = core.named.iter().chain(crowd.iter().copied()).map(ThreadState::from);
        State { globals: core.globals.clone(), threads: threads.collect(), cells: BTreeMap::new() }
    }

    /// The core of a state with its threads alone, and where these are then.
    pub fn split(&self, state: &State, hero: Option<u32>) -> Result<(Core, Vec<Spot>), Reason> {
        let standings: Vec<Standing> = state.threads.iter().map(Standing::from).collect();
        let names = |value: &Value, thread: u32| match value {
            Value::Tid(Some(named)) => *named == thread,
            Value::Set(members) => members.contains(&Value::Tid(Some(thread))),
            _ => false,
        };
        let mut named: Vec<(Vec<bool>, u32)> = Vec::new();
        for thread in 0..standings.len() as u32 {
            let mut by: Vec<bool> = state.globals.iter().map(|it| !names(it, thread)).collect();
            by.push(hero != Some(thread));
            if by.contains(&false) {
                named.push((by, thread));
            }
        }
        if named.len() > MAX_NAMED {
            return Err(unsuited(format!(
                "variables name more than {MAX_NAMED} threads at once, which is one by one"
            )));
        }
        // Who is named by the same variables and stands alike is interchangeable.
        named.sort_by(|(by, one), (other_by, other)| {
            let place = |it: u32| &standings[it as usize];
            by.cmp(other_by).then_with(|| place(*one).cmp(place(*other)))
        });
        let place_of = |thread: u32| named.iter().position(|it| it.1 == thread);
        let renamed = |value: &Value| match value {
            Value::Tid(Some(thread)) => Value::Tid(place_of(*thread).map(|place| place as u32)),
            value => value.clone(),
        };
        let globals = state.globals.iter().map(|value| match value {
            Value::Set(members) => Value::Set(members.iter().map(renamed).collect()),
            value => renamed(value),
        });
        let core = Core {
            globals: globals.collect(),
            named: named.iter().map(|it| standings[it.1 as usize].clone()).collect(),
            hero: hero.and_then(place_of).map(|place| place as u32),
        };
        let spots =
            standings.iter().enumerate().map(|(thread, standing)| match place_of(thread as u32) {
                Some(place) => Spot::Named(place as u32),
                None => Spot::Crowd(standing.clone()),
            });
        Ok((core, spots.collect()))
    }

    /// The same core with a hero: who is named, or somebody of the crowd.
    pub fn follow(&self, core: &Core, who: &Spot) -> Result<Core, Reason> {
        let (guest, hero) = match who {
            Spot::Named(place) => (None, *place),
            Spot::Crowd(standing) => (Some(standing), core.named.len() as u32),
        };
        let guests: Vec<&Standing> = guest.into_iter().collect();
        Ok(self.split(&self.state(core, &guests), Some(hero))?.0)
    }

    /// The steps of a thread; with a `guest`, those in which this other one of the crowd is chosen.
    pub fn moves(
        &self,
        core: &Core,
        mover: &Spot,
        guest: Option<&Standing>,
    ) -> Result<Vec<Move>, Reason> {
        let (own, me) = match mover {
            Spot::Named(place) => (None, *place),
            Spot::Crowd(standing) => (Some(standing), core.named.len() as u32),
        };
        let crowd: Vec<&Standing> = own.into_iter().chain(guest).collect();
        let state = self.state(core, &crowd);
        let guest = guest.map(|_| Value::Tid(Some(state.threads.len() as u32 - 1)));
        let Some(thread) = state.threads.get(me as usize) else { return Ok(Vec::new()) };
        let mut moves = Vec::new();
        for (number, path) in self.control.paths_of(thread.location).iter().enumerate() {
            if guest.is_some() && !self.picks(path) {
                continue;
            }
            let mut open: Vec<Vec<Value>> = vec![Vec::new()];
            while let Some(chosen) = open.pop() {
                let done = attempt(
                    self.system,
                    self.control,
                    self.lines,
                    state.clone(),
                    (me, path),
                    &chosen,
                )?;
                let outcome = match done {
                    Attempt::Blocked => continue,
                    Attempt::Lacks => {
                        let next = chosen_in(path).nth(chosen.len());
                        let Some((target, condition)) = next else { continue };
                        let threads = state.threads.len() as u32;
                        let values = domain(self.system, target, condition, threads)?;
                        let longer = |value| [chosen.clone(), vec![value]].concat();
                        open.extend(values.into_iter().rev().map(longer));
                        continue;
                    }
                    _ if guest.as_ref().is_some_and(|it| !chosen.contains(it)) => continue,
                    Attempt::Error(fault) => Outcome::Fault(fault),
                    Attempt::Moved(after) => {
                        let (core, threads) = self.split(&after, core.hero)?;
                        let completes = self.ends.get(path.target.index()) == Some(&true);
                        Outcome::Landed(Landing { core, threads, completes })
                    }
                };
                moves.push(Move { path: number as u32, chosen, outcome });
            }
        }
        Ok(moves)
    }

    /// Whether a thread may choose another one of the crowd in its next step.
    pub fn may_pick(&self, standing: &Standing) -> bool {
        self.control.paths_of(LocId(standing.location)).iter().any(|path| self.picks(path))
    }

    fn picks(&self, path: &Path<'_>) -> bool {
        chosen_in(path).any(|(target, _)| type_of(self.system, target) == TID)
    }

    /// All ways to start.
    pub fn starts(&self, limits: &Limits) -> Result<Vec<Start>, Reason> {
        let system = self.system;
        let open: Vec<usize> =
            (0..system.globals.len()).filter(|at| system.globals[*at].initial.is_none()).collect();
        let mut filled: Vec<(Vec<Option<Value>>, u32)> =
            vec![(vec![None; system.globals.len()], 0)];
        for at in open {
            let global = &system.globals[at];
            let mut next = Vec::new();
            for (values, named) in filled {
                limits.check_clock()?;
                let choices: Vec<Value> = match (global.ty, global.range) {
                    (Type::Bool, _) => vec![Value::Bool(false), Value::Bool(true)],
                    (_, Some((low, high))) => (low..=high).map(Value::Int).collect(),
                    _ => {
                        let nobody = (!global.fixed).then_some(Value::Tid(None));
                        let some = (0..=named).map(|it| Value::Tid(Some(it)));
                        nobody.into_iter().chain(some).collect()
                    }
                };
                for choice in choices {
                    let is_new = choice == Value::Tid(Some(named));
                    let mut values = values.clone();
                    values[at] = Some(choice);
                    next.push((values, named + u32::from(is_new)));
                }
                if next.len() > MAX_STARTS {
                    return Err(unsuited(format!("it can start in more than {MAX_STARTS} ways")));
                }
            }
            filled = next;
        }
        let mut starts: Vec<Start> = Vec::new();
        for (values, named) in filled {
            limits.check_clock()?;
            let others = match system.threads {
                Some(all) if all < named => continue,
                Some(all) => Some(all - named),
                None => None,
            };
            if named as usize > MAX_NAMED {
                return Err(unsuited(format!("more than {MAX_NAMED} threads have names")));
            }
            let Some(globals) = self.determined(values)? else { continue };
            let bare = State { globals, threads: Vec::new(), cells: BTreeMap::new() };
            let mut named_ways: Vec<Vec<ThreadState>> = vec![Vec::new()];
            for me in 0..named {
                let ways = self.first_locals(&bare, me)?;
                let longer = |before: &Vec<ThreadState>| {
                    let before = before.clone();
                    ways.iter().map(move |it| [before.clone(), vec![it.clone()]].concat())
                };
                named_ways = named_ways.iter().flat_map(longer).collect();
                if named_ways.len() > MAX_STARTS {
                    return Err(unsuited(format!("it can start in more than {MAX_STARTS} ways")));
                }
            }
            let free = self.first_locals(&bare, named)?;
            for threads in named_ways {
                let state = State { threads, ..bare.clone() };
                if !may_start(system, self.control, self.lines, state.clone())? {
                    continue;
                }
                let mut standings = BTreeSet::new();
                for other in &free {
                    let mut with = state.clone();
                    with.threads.push(other.clone());
                    if others != Some(0) && may_start(system, self.control, self.lines, with)? {
                        standings.insert(Standing::from(other));
                    }
                }
                let core = self.split(&state, None)?.0;
                let standings = standings.into_iter().collect();
                let start = Start { core, standings, others };
                if !starts.contains(&start) {
                    starts.push(start);
                }
                if starts.len() > MAX_STARTS {
                    return Err(unsuited(format!("it can start in more than {MAX_STARTS} ways")));
                }
            }
        }
        Ok(starts)
    }

    /// The globals with a value at the start, once the others have theirs.
    fn determined(&self, mut values: Vec<Option<Value>>) -> Result<Option<Vec<Value>>, Reason> {
        loop {
            let missing: Vec<usize> =
                (0..values.len()).filter(|at| values[*at].is_none()).collect();
            if missing.is_empty() {
                return Ok(values.into_iter().collect());
            }
            let given = values.iter().map(|it| it.clone().unwrap_or(Value::Bool(false)));
            let state =
                State { globals: given.collect(), threads: Vec::new(), cells: BTreeMap::new() };
            let view = View { state: &state, me: None, parameters: &[] };
            let mut progress = false;
            for at in missing {
                let Some(initial) = &self.system.globals[at].initial else { continue };
                let mut known = true;
                initial.walk(&mut |expr| {
                    if let ExprKind::Global(GlobalId(id)) = expr.kind {
                        known &= values.get(id as usize).is_some_and(Option::is_some);
                    }
                });
                if !known {
                    continue;
                }
                match view.value(initial) {
                    Ok(value) => values[at] = Some(value),
                    Err(crate::evaluate::NoValue::Empty) => return Ok(None),
                    Err(why) => return Err(why.into()),
                }
                progress = true;
            }
            if !progress {
                return Err(unsuited("values at the start are defined in a circle"));
            }
        }
    }

    /// How a thread of this number may start.
    fn first_locals(&self, bare: &State, me: u32) -> Result<Vec<ThreadState>, Reason> {
        let view = View { state: bare, me: Some(me), parameters: &[] };
        let mut ways: Vec<Vec<Value>> = vec![Vec::new()];
        for (local, id) in self.system.locals.iter().zip(0..) {
            let choices = match &local.initial {
                Some(initial) => match view.value(initial) {
                    Ok(value) => vec![value],
                    Err(crate::evaluate::NoValue::Empty) => Vec::new(),
                    Err(why) => return Err(why.into()),
                },
                None if is_parameter(self.system, LocalId(id)) => vec![any(local.ty)],
                None => vec![Value::Bool(false), Value::Bool(true)],
            };
            let longer = |before: &Vec<Value>| {
                let before = before.clone();
                choices.clone().into_iter().map(move |it| [before.clone(), vec![it]].concat())
            };
            ways = ways.iter().flat_map(longer).collect();
            if ways.len() > MAX_STARTS {
                return Err(unsuited(format!("it can start in more than {MAX_STARTS} ways")));
            }
        }
        let location = self.control.start;
        let state = |locals| ThreadState { location, locals, sites: BTreeMap::new() };
        Ok(ways.into_iter().map(state).collect())
    }
}

const TID: Type = Type::Scalar(Scalar::Tid);

/// Some value of a type.
fn any(ty: Type) -> Value {
    match ty {
        Type::Bool => Value::Bool(false),
        Type::Set(_) => Value::Set(BTreeSet::new()),
        Type::Scalar(Scalar::Int) => Value::Int(0),
        Type::Scalar(Scalar::Tid) => Value::Tid(None),
        Type::Scalar(Scalar::Addr) => Value::Addr(0),
        Type::Scalar(Scalar::Elem) => Value::Elem(Elem::Lowest),
    }
}

fn is_parameter(system: &System, local: LocalId) -> bool {
    system.procedures.iter().any(|it| it.parameters.contains(&local))
}

/// Whether what a file speaks of is finite where it is open, and no heap.
fn suits(system: &System) -> Result<(), Reason> {
    let is_heap = |ty| matches!(ty, Type::Scalar(Scalar::Addr) | Type::Set(Scalar::Addr));
    let mut heap = false;
    system.walk(&mut |expr| heap |= is_heap(expr.ty) || matches!(expr.kind, ExprKind::Elems(_)));
    let variables = system.globals.iter().map(|it| it.ty);
    if heap || variables.chain(system.locals.iter().map(|it| it.ty)).any(is_heap) {
        return Err(unsuited("it has cells of a heap"));
    }
    for global in &system.globals {
        let open = match (global.ty, global.range) {
            _ if global.initial.is_some() => false,
            (Type::Bool | TID, _) => false,
            (Type::Scalar(Scalar::Int), Some((low, high))) => {
                high.saturating_sub(low) > MAX_CHOICES
            }
            _ => true,
        };
        if open {
            let name = &global.name.text;
            return Err(unsuited(format!("`{name}` may start with too many values")));
        }
    }
    for (local, id) in system.locals.iter().zip(0..) {
        let name = &local.name.text;
        if matches!(local.ty, TID | Type::Set(Scalar::Tid)) {
            return Err(unsuited(format!("the local variable `{name}` is for threads")));
        }
        if local.initial.is_some() || local.ty == Type::Bool {
            continue;
        }
        if !is_parameter(system, LocalId(id)) {
            return Err(unsuited(format!("`{name}` may start with too many values")));
        }
    }
    for (local, id) in system.locals.iter().zip(0..) {
        let id = LocalId(id);
        let formulas = system.invariants.iter().flat_map(|it| &it.conjuncts);
        if local.initial.is_none()
            && is_parameter(system, id)
            && !formulas.into_iter().all(|it| is_guarded(system, &it.formula, id))
        {
            let name = &local.name.text;
            return Err(unsuited(format!(
                "an invariant asks for the parameter `{name}` of threads that may not be in its \
                 function"
            )));
        }
    }
    Ok(())
}

/// Whether a formula holds whatever the value of a parameter is of threads outside of its function:
/// it is `at(i, ...) && ... -> ...` with places in the function, for every `i` whose parameter it
/// mentions.
fn is_guarded(system: &System, formula: &Expr, parameter: LocalId) -> bool {
    let mut whose: BTreeSet<Thread> = BTreeSet::new();
    formula.walk(&mut |expr| {
        if let ExprKind::Local(id, thread) = expr.kind
            && id == parameter
        {
            whose.insert(thread);
        }
    });
    let procedure = system.locals.get(parameter.index()).map(|it| it.procedure);
    let inside =
        |place: &LocId| system.locations.get(place.index()).map(|it| it.procedure) == procedure;
    let mut guards = Vec::new();
    if let ExprKind::Binary(Operator::Implies, when, _) = &formula.kind {
        conjuncts(when, &mut guards);
    }
    whose.into_iter().all(|thread| {
        guards.iter().any(|guard| match &guard.kind {
            ExprKind::At(who, places) => *who == thread && places.iter().all(inside),
            _ => false,
        })
    })
}

fn conjuncts<'e>(formula: &'e Expr, into: &mut Vec<&'e Expr>) {
    match &formula.kind {
        ExprKind::Binary(Operator::And, left, right) => {
            conjuncts(left, into);
            conjuncts(right, into);
        }
        _ => into.push(formula),
    }
}

/// What a path chooses, in its order.
fn chosen_in<'p>(path: &'p Path<'p>) -> impl Iterator<Item = (&'p Target, Option<&'p Expr>)> + 'p {
    path.pieces.iter().filter_map(|piece| match piece {
        Piece::Act(action) => match &action.kind {
            ActionKind::Havoc { target, condition } => Some((target, condition.as_ref())),
            _ => None,
        },
        _ => None,
    })
}

fn type_of(system: &System, target: &Target) -> Type {
    match target {
        Target::Global(id) => system.globals.get(id.index()).map_or(Type::Bool, |it| it.ty),
        Target::Local(id) => system.locals.get(id.index()).map_or(Type::Bool, |it| it.ty),
        Target::Field(..) => Type::Scalar(Scalar::Addr),
    }
}

/// All values that can be chosen, and perhaps some that do not fulfil the condition.
fn domain(
    system: &System,
    target: &Target,
    condition: Option<&Expr>,
    threads: u32,
) -> Result<Vec<Value>, Reason> {
    match type_of(system, target) {
        Type::Bool => Ok(vec![Value::Bool(false), Value::Bool(true)]),
        TID => {
            let some = (0..threads).map(|it| Value::Tid(Some(it)));
            Ok([Value::Tid(None)].into_iter().chain(some).collect())
        }
        Type::Scalar(Scalar::Int) => {
            let is_it = |expr: &Expr| match (target, &expr.kind) {
                (Target::Global(id), ExprKind::Global(other)) => id == other,
                (Target::Local(id), ExprKind::Local(other, Thread::Me)) => id == other,
                _ => false,
            };
            let (mut low, mut high): (Option<i64>, Option<i64>) = (None, None);
            let mut parts = Vec::new();
            condition.into_iter().for_each(|it| conjuncts(it, &mut parts));
            for part in parts {
                let ExprKind::Binary(operator, left, right) = &part.kind else { continue };
                let by = match operator {
                    Operator::LessEqual => 0,
                    Operator::Less => 1,
                    _ => continue,
                };
                match (number(left), number(right)) {
                    (Some(least), _) if is_it(right) => {
                        let least = least.saturating_add(by);
                        low = Some(low.map_or(least, |known| known.max(least)));
                    }
                    (_, Some(most)) if is_it(left) => {
                        let most = most.saturating_sub(by);
                        high = Some(high.map_or(most, |known| known.min(most)));
                    }
                    _ => {}
                }
            }
            match (low, high) {
                (Some(low), Some(high)) if high.saturating_sub(low) <= MAX_CHOICES => {
                    Ok((low..=high).map(Value::Int).collect())
                }
                _ => Err(unsuited("a step may choose any number")),
            }
        }
        _ => Err(unsuited("a step may choose a value of too many")),
    }
}

/// A number that is written down.
fn number(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Int(number) => Some(*number),
        ExprKind::Negate(inner) => number(inner)?.checked_neg(),
        _ => None,
    }
}
