//! All abstract states at every statement of a program.

use super::condition::{assume, is_condition, term};
use super::live::{Line, Live};
use super::state::{State, States};
use super::value::Value;
use super::{Attempt, Stop};
use crate::derivation::{Slot, Symbol};
use crate::sequential::{Place, Sequential, Term};
use ser_base::{Limits, Pace};
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{Expr, ProcessId, SetId, SetKind, StmtId, Type, VarId};
use std::collections::BTreeSet;

/// A state, class or message is looked at in so many small steps.
const COST: usize = 64;

/// Walks through a program with sets of states.
pub(super) struct Walk<'p> {
    protocol: &'p Protocol,
    attempt: Attempt,
    /// How much work is left.
    left: u64,
    pace: Pace<'p>,
    /// How many states were looked at.
    pub states: usize,
    /// Assertions that may fail.
    pub failing: BTreeSet<StmtId>,
}

impl<'p> Walk<'p> {
    pub(super) fn new(
        protocol: &'p Protocol,
        attempt: Attempt,
        steps: u64,
        limits: &'p Limits,
    ) -> Walk<'p> {
        let (pace, failing) = (limits.pace(), BTreeSet::new());
        Walk { protocol, attempt, left: steps, pace, states: 0, failing }
    }

    /// Walks through the whole program.
    pub(super) fn run(&mut self, lines: &[Line<'p>]) -> Result<(), Stop> {
        let mut states = States::default();
        states.insert(State::start(self.protocol), self.attempt);
        self.block(lines, states).map(|_| ())
    }

    /// Adds a state to a set, in its final form; gives it back if it is new.
    fn add(
        &mut self,
        to: &mut States,
        mut state: State,
        live: Option<&Live>,
    ) -> Result<Option<State>, Stop> {
        state.settle(live);
        let work = 1 + state.possible.size() as u64;
        self.left = self.left.checked_sub(work).ok_or(Stop::Budget)?;
        self.pace.steps(COST * work as usize).map_err(|_| Stop::Budget)?;
        self.states += 1;
        Ok(to.insert(state, self.attempt))
    }

    /// Walks through a block; the names that it binds are gone afterwards.
    fn block(&mut self, lines: &[Line<'p>], mut states: States) -> Result<States, Stop> {
        let mut bound = Vec::new();
        for line in lines {
            if states.is_empty() {
                return Ok(states);
            }
            if let Sequential::Pick { symbol, .. } = line.stmt {
                bound.push(*symbol);
            }
            states = self.line(line, &states)?;
        }
        if bound.is_empty() {
            return Ok(states);
        }
        let mut after = States::default();
        for mut state in states.each() {
            for symbol in bound.iter().rev() {
                state.forget(*symbol)?;
            }
            self.add(&mut after, state, None)?;
        }
        Ok(after)
    }

    fn line(&mut self, line: &Line<'p>, states: &States) -> Result<States, Stop> {
        match line.stmt {
            Sequential::For { symbol, set, .. } => {
                let kind = self.protocol.sets.get(set.0 as usize).map(|it| it.kind);
                match kind.ok_or(Stop::Shape)? {
                    SetKind::Processes => self.members(line, *symbol, *set, states),
                    SetKind::Indices => self.indices(line, *symbol, *set, states),
                }
            }
            Sequential::If { who, condition, .. } => {
                let mut after = States::default();
                for (block, truth) in line.blocks.iter().zip([true, false]) {
                    let mut chosen = States::default();
                    for state in states.each() {
                        for state in self.assume(state, *who, condition.as_ref(), truth)? {
                            self.add(&mut chosen, state, None)?;
                        }
                    }
                    let ends = self.block(block, chosen)?;
                    self.add_all(&mut after, &ends, &line.live)?;
                }
                Ok(after)
            }
            Sequential::Match { who, variable, message, cases, .. } => {
                let types = self.protocol.messages.get(message.0 as usize).ok_or(Stop::Shape)?;
                let mut after = States::default();
                for ((constructor, _), block) in cases.iter().zip(&line.blocks) {
                    let fields = types.constructors.get(constructor.0 as usize);
                    let fields = fields.map_or(0, |it| it.fields.len());
                    let mut chosen = States::default();
                    for mut state in states.each() {
                        match state.read(Place::Variable(*who, *variable))? {
                            Value::Message(it, _) if it != *constructor => continue,
                            Value::Unknown(number) => {
                                let fields = (0..fields).map(|_| state.unknown()).collect();
                                let message = Value::Message(*constructor, fields);
                                state.replace(&Value::Unknown(number), &message);
                            }
                            _ => {}
                        }
                        self.add(&mut chosen, state, None)?;
                    }
                    let ends = self.block(block, chosen)?;
                    self.add_all(&mut after, &ends, &line.live)?;
                }
                Ok(after)
            }
            _ => {
                let mut after = States::default();
                for state in states.each() {
                    for state in self.simple(line.stmt, state)? {
                        self.add(&mut after, state, Some(&line.live))?;
                    }
                }
                Ok(after)
            }
        }
    }

    fn add_all(&mut self, to: &mut States, all: &States, live: &Live) -> Result<(), Stop> {
        for state in all.each() {
            self.add(to, state, Some(live))?;
        }
        Ok(())
    }

    fn assume(
        &self,
        state: State,
        who: Slot,
        condition: Option<&Expr>,
        truth: bool,
    ) -> Result<Vec<State>, Stop> {
        match condition {
            Some(condition) => assume(state, who, condition, truth, self.attempt),
            None => Ok(vec![state]),
        }
    }

    /// A loop over processes: rounds, each with a member that was not visited. It may end wherever
    /// all have been visited.
    fn members(
        &mut self,
        line: &Line<'p>,
        symbol: Symbol,
        set: SetId,
        states: &States,
    ) -> Result<States, Stop> {
        let mut heads = States::default();
        let mut news = Vec::new();
        for state in states.each() {
            news.extend(self.add(&mut heads, state, Some(&line.head))?);
        }
        self.rounds(line, symbol, &mut heads, news, |state| state.choose(symbol, set, true))?;
        let at_least = self.protocol.sets.get(set.0 as usize).map_or(0, |it| it.at_least);
        let mut after = States::default();
        for state in heads.each() {
            if let Some(state) = state.finish(symbol, set, at_least) {
                self.add(&mut after, state, Some(&line.live))?;
            }
        }
        Ok(after)
    }

    /// A loop over indices: no round if there may be no index, else one or more, with any index.
    fn indices(
        &mut self,
        line: &Line<'p>,
        symbol: Symbol,
        set: SetId,
        states: &States,
    ) -> Result<States, Stop> {
        let mut after = States::default();
        let mut heads = States::default();
        let mut news = Vec::new();
        for state in states.each() {
            if let Some(state) = self.inhabited(state.clone(), set, false) {
                self.add(&mut after, state, Some(&line.live))?;
            }
            news.extend(self.inhabited(state, set, true));
        }
        self.rounds(line, symbol, &mut heads, news, |mut state| {
            bind_index(&mut state, symbol)?;
            Ok(vec![state])
        })?;
        self.add_all(&mut after, &heads, &line.live)?;
        Ok(after)
    }

    /// Rounds of a loop from these states, until nothing new comes to its head.
    fn rounds(
        &mut self,
        line: &Line<'p>,
        symbol: Symbol,
        heads: &mut States,
        mut news: Vec<State>,
        begin: impl Fn(State) -> Result<Vec<State>, Stop>,
    ) -> Result<(), Stop> {
        let body = line.blocks.first().ok_or(Stop::Shape)?;
        while !news.is_empty() {
            let mut begun = States::default();
            for state in news.drain(..) {
                for state in begin(state)? {
                    self.add(&mut begun, state, None)?;
                }
            }
            for mut state in self.block(body, begun)?.each() {
                state.forget(symbol)?;
                news.extend(self.add(heads, state, Some(&line.head))?);
            }
        }
        Ok(())
    }

    /// The state in which the set of indices has members, or has none, if that can be.
    fn inhabited(&self, mut state: State, set: SetId, some: bool) -> Option<State> {
        let at_least = self.protocol.sets.get(set.0 as usize).map_or(0, |it| it.at_least);
        let known = state.known.inhabited.insert(set, some);
        (known.is_none_or(|it| it == some) && (some || at_least == 0)).then_some(state)
    }

    /// What a statement without blocks does.
    fn simple(&mut self, stmt: &Sequential, mut state: State) -> Result<Vec<State>, Stop> {
        let attempt = self.attempt;
        match stmt {
            Sequential::Assign { place, value: Term::Expr(who, expr), .. }
                if is_condition(expr) =>
            {
                let mut after = Vec::new();
                for truth in [true, false] {
                    for mut state in assume(state.clone(), *who, expr, truth, attempt)? {
                        state.assign(*place, Value::Bool(truth))?;
                        after.push(state);
                    }
                }
                return Ok(after);
            }
            Sequential::Assign { place, value, .. } => {
                let value = term(&mut state, value, attempt)?;
                state.assign(*place, value)?;
            }
            Sequential::Any { who, variable, .. } => {
                return self.any(state, *who, *variable);
            }
            Sequential::Pick { symbol, set } => {
                let kind = self.protocol.sets.get(set.0 as usize).map(|it| it.kind);
                if kind.ok_or(Stop::Shape)? == SetKind::Processes {
                    return state.choose(*symbol, *set, false);
                }
                let Some(mut state) = self.inhabited(state, *set, true) else {
                    return Ok(Vec::new());
                };
                bind_index(&mut state, *symbol)?;
                return Ok(vec![state]);
            }
            Sequential::Assert { who, condition, from, holds } => {
                let condition = condition.as_ref();
                if !holds && !self.assume(state.clone(), *who, condition, false)?.is_empty() {
                    self.failing.insert(*from);
                }
            }
            Sequential::Put { bag, value } => {
                let value = term(&mut state, value, attempt)?;
                state.put(*bag, value);
            }
            Sequential::Take { bag, place } => {
                let mut after = state.take(*bag);
                for (state, value) in &mut after {
                    state.assign(*place, value.clone())?;
                }
                return Ok(after.into_iter().map(|(state, _)| state).collect());
            }
            Sequential::If { .. } | Sequential::Match { .. } | Sequential::For { .. } => {
                return Err(Stop::Shape);
            }
        }
        Ok(vec![state])
    }

    /// One state for each value of an enumeration; else a new unknown.
    fn any(&self, mut state: State, who: Slot, variable: VarId) -> Result<Vec<State>, Stop> {
        let process = match who {
            Slot::Process(process) => Some(ProcessId(process)),
            Slot::Member(symbol) => {
                state.set_of(symbol).and_then(|it| self.protocol.members_of(it))
            }
        };
        let process = process.and_then(|it| self.protocol.processes.get(it.0 as usize));
        let ty = process.and_then(|it| it.variables.get(variable.0 as usize)).map(|it| it.ty);
        let values = match ty.ok_or(Stop::Shape)? {
            Type::Enum(of) => {
                let count = self.protocol.enums.get(of.0 as usize).map_or(0, |it| it.values.len());
                (0..count as u32).map(Value::Enum).collect()
            }
            _ => vec![state.unknown()],
        };
        let with = |value: Value| {
            let mut state = state.clone();
            state.assign(Place::Variable(who, variable), value)?;
            Ok(state)
        };
        values.into_iter().map(with).collect()
    }
}

/// The symbol is some index.
fn bind_index(state: &mut State, symbol: Symbol) -> Result<(), Stop> {
    let index = state.unknown();
    let known = &mut state.known;
    if known.names.contains_key(&symbol) || known.indices.insert(symbol, index).is_some() {
        return Err(Stop::Shape);
    }
    Ok(())
}
