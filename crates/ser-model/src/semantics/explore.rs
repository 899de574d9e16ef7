//! From code to a network system: all global and local states that can occur.
//!
//! A pair (g, l) is explored if some request may be in l while the global state is g. Which
//! pairs occur is over-approximated: when any step leads from g to g', every local state that
//! may be paired with g may be paired with g' (it belonged to another request), and so may the
//! target of the step. Requests arrive at any time, so initial local states are paired with
//! every g. The result may contain steps that no run takes, never the reverse.
//!
//! Big steps are memoised by what they read: the values that a local state asks for form a
//! decision tree, so a step is executed once for each combination of values that it looks at,
//! however many global states there are.

use super::code::{Code, Instr};
use super::liveness::Liveness;
use super::machine::{Continuation, Machine, Outcome, Runner, Trouble};
use crate::{
    Footprint, GlobalId, Limits, LocalId, LocalState, Stop, SystemBuilder, Variable, VariableId,
};
use rustc_hash::FxHashMap;
use ser_lang::ast::BinaryOp;
use ser_lang::{LineIndex, Span};
use std::fmt;

/// Why a program has no network system that we could build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExploreError {
    /// A limit was reached, probably because a variable takes more and more values.
    TooManyStates {
        /// The limit.
        stop: Stop,
        /// The variable that seems to grow without end.
        growing: Option<Growing>,
    },
    /// One step executes too many instructions without a `yield`.
    EndlessStep {
        /// Where it was when we gave up.
        span: Span,
        /// The variable that seems to grow without end.
        growing: Option<Growing>,
    },
    /// A value left the range of 64-bit integers.
    Overflow {
        /// The operation.
        span: Span,
    },
}

/// A variable that takes more and more values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Growing {
    /// Its name.
    pub variable: String,
    /// Some of its values, in the order in which they turned up.
    pub values: Vec<i64>,
    /// Where it is assigned.
    pub span: Option<Span>,
}

impl fmt::Display for Growing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> = self.values.iter().map(i64::to_string).collect();
        write!(f, "`{}` keeps growing: {}, ...", self.variable, values.join(", "))
    }
}

impl fmt::Display for ExploreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExploreError::TooManyStates { stop, growing: Some(growing) } => {
                write!(f, "{growing}; ser needs finitely many states ({stop})")
            }
            ExploreError::TooManyStates { stop, growing: None } => {
                write!(f, "the program has too many states: {stop}")
            }
            ExploreError::EndlessStep { growing, .. } => {
                f.write_str("one step runs on and on without reaching a `yield`")?;
                match growing {
                    Some(growing) => write!(f, "; {growing}"),
                    None => Ok(()),
                }
            }
            ExploreError::Overflow { .. } => {
                f.write_str("a value leaves the range of 64-bit integers")
            }
        }
    }
}

impl std::error::Error for ExploreError {}

/// A variable with at least this many values is suspected to grow without end.
const MANY_VALUES: usize = 50;

/// What the exploration found.
pub(super) struct Explored {
    pub builder: SystemBuilder,
    pub continuations: Vec<Continuation>,
    pub yields_reached: Vec<bool>,
}

/// Explores everything that the code may do.
pub(super) fn explore(
    code: &Code,
    liveness: &Liveness,
    lines: &LineIndex,
    limits: &Limits,
) -> Result<Explored, ExploreError> {
    let variables =
        code.globals.iter().map(|name| Variable { name: name.clone(), symbols: None }).collect();
    let mut explorer = Explorer {
        code,
        lines,
        limits,
        runner: Runner::new(code, liveness, limits),
        builder: SystemBuilder::new(variables, &code.initial),
        continuations: Vec::new(),
        ids: FxHashMap::default(),
        memo: Vec::new(),
        paired: Vec::new(),
        edges: Vec::new(),
        open: Vec::new(),
        pairs: 0,
        initial_locals: Vec::new(),
    };
    explorer.spawn_all();
    explorer.ensure_global(GlobalId(0));
    let result = explorer.run();
    result.map_err(|trouble| explorer.explain(trouble))?;
    let yields_reached = std::mem::take(&mut explorer.runner.yields_reached);
    Ok(Explored {
        builder: explorer.builder,
        continuations: explorer.continuations,
        yields_reached,
    })
}

/// What a local state does, as far as known: a tree of the values it reads.
#[derive(Default)]
enum Memo {
    /// Never executed with these values.
    #[default]
    Unknown,
    /// It reads this variable next.
    Read(VariableId, FxHashMap<i64, Memo>),
    /// It has read enough.
    Steps(Vec<(Footprint, LocalId)>),
}

struct Explorer<'a> {
    code: &'a Code,
    lines: &'a LineIndex,
    limits: &'a Limits,
    runner: Runner<'a>,
    builder: SystemBuilder,
    continuations: Vec<Continuation>,
    ids: FxHashMap<Continuation, LocalId>,
    memo: Vec<Memo>,
    /// For each global state, the unfinished local states that may occur with it, as a bit set.
    paired: Vec<Vec<u64>>,
    /// For each global state, the global states that one step leads to.
    edges: Vec<Vec<GlobalId>>,
    /// Pairs to explore.
    open: Vec<(GlobalId, LocalId)>,
    pairs: usize,
    initial_locals: Vec<LocalId>,
}

impl Explorer<'_> {
    /// Registers the request labels: one for each combination of parameter values.
    fn spawn_all(&mut self) {
        for handler in &self.code.handlers {
            let mut arguments: Vec<i64> = handler.parameters.iter().map(|(low, _)| *low).collect();
            loop {
                let mut locals = arguments.clone();
                locals.resize(handler.slots.len(), 0);
                let start = self.runner.pause(handler.entry, locals, Vec::new());
                let local = self.local(start);
                let label = if arguments.is_empty() {
                    handler.name.clone()
                } else {
                    let values: Vec<String> = arguments.iter().map(i64::to_string).collect();
                    format!("{}({})", handler.name, values.join(","))
                };
                self.builder.spawn(&label, local);
                if !self.initial_locals.contains(&local) {
                    self.initial_locals.push(local);
                }
                // The next combination, the last parameter fastest.
                let Some(at) =
                    (0..arguments.len()).rev().find(|i| arguments[*i] < handler.parameters[*i].1)
                else {
                    break;
                };
                arguments[at] += 1;
                for (i, argument) in arguments.iter_mut().enumerate().skip(at + 1) {
                    *argument = handler.parameters[i].0;
                }
            }
        }
    }

    fn run(&mut self) -> Result<(), Trouble> {
        let mut rounds = 0usize;
        while let Some((global, local)) = self.open.pop() {
            rounds += 1;
            if rounds.is_multiple_of(64) {
                let states = self.builder.global_count() + self.continuations.len();
                self.limits.check(states, self.bytes()).map_err(Trouble::Stop)?;
            }
            for target in self.edges[global.index()].clone() {
                self.pair(target, local);
            }
            for (footprint, to) in self.steps(global, local)? {
                let mut values = self.builder.valuation(global).to_vec();
                for (variable, value) in &footprint.writes {
                    values[variable.index()] = *value;
                }
                let after = self.builder.global(&values);
                self.ensure_global(after);
                self.builder.step(local, global, to, after, footprint);
                self.edge(global, after);
                self.pair(after, to);
            }
        }
        Ok(())
    }

    /// A rough count of the memory in use.
    fn bytes(&self) -> usize {
        let width = self.code.globals.len();
        let bits: usize = self.builder.global_count() * self.continuations.len() / 8;
        self.builder.step_count() * 40
            + self.builder.global_count() * (width * 16 + 150)
            + self.continuations.len() * 250
            + self.pairs * 8
            + bits
    }

    fn steps(
        &mut self,
        global: GlobalId,
        local: LocalId,
    ) -> Result<Vec<(Footprint, LocalId)>, Trouble> {
        let values = self.builder.valuation(global).to_vec();
        let mut memo = &self.memo[local.index()];
        loop {
            match memo {
                Memo::Unknown => break,
                Memo::Steps(steps) => return Ok(steps.clone()),
                Memo::Read(variable, children) => match children.get(&values[variable.index()]) {
                    Some(child) => memo = child,
                    None => break,
                },
            }
        }
        let mut asked: Vec<(VariableId, i64)> = Vec::new();
        let start = self.continuations[local.index()].clone();
        let outcomes = self.runner.big_step(&start, |variable| {
            let value = values[variable.index()];
            if !asked.iter().any(|(v, _)| *v == variable) {
                asked.push((variable, value));
            }
            value
        })?;
        let steps: Vec<(Footprint, LocalId)> = outcomes
            .into_iter()
            .map(|Outcome { footprint, to, .. }| (footprint, self.local(to)))
            .collect();
        let mut memo = &mut self.memo[local.index()];
        for (variable, value) in asked {
            if matches!(memo, Memo::Unknown) {
                *memo = Memo::Read(variable, FxHashMap::default());
            }
            let Memo::Read(_, children) = memo else {
                return Ok(steps);
            };
            memo = children.entry(value).or_default();
        }
        *memo = Memo::Steps(steps.clone());
        Ok(steps)
    }

    /// Makes room for a global state; initial local states may always occur with it.
    fn ensure_global(&mut self, global: GlobalId) {
        if global.index() < self.paired.len() {
            return;
        }
        self.paired.push(Vec::new());
        self.edges.push(Vec::new());
        for local in self.initial_locals.clone() {
            self.pair(global, local);
        }
    }

    /// `local` may occur with `global`.
    fn pair(&mut self, global: GlobalId, local: LocalId) {
        if matches!(self.continuations[local.index()], Continuation::Done(_)) {
            return;
        }
        let row = &mut self.paired[global.index()];
        let (word, bit) = (local.index() / 64, 1u64 << (local.index() % 64));
        if row.len() <= word {
            row.resize(word + 1, 0);
        }
        if row[word] & bit == 0 {
            row[word] |= bit;
            self.pairs += 1;
            self.open.push((global, local));
        }
    }

    /// Some step leads from `before` to `after`.
    fn edge(&mut self, before: GlobalId, after: GlobalId) {
        if before == after || self.edges[before.index()].contains(&after) {
            return;
        }
        self.edges[before.index()].push(after);
        for (word, bits) in self.paired[before.index()].clone().into_iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let bit = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                self.pair(after, LocalId::from_index(word * 64 + bit));
            }
        }
    }

    fn local(&mut self, continuation: Continuation) -> LocalId {
        if let Some(id) = self.ids.get(&continuation) {
            return *id;
        }
        let state = self.describe(&continuation);
        let id = self.builder.add_local(state);
        if let Continuation::Done(value) = continuation {
            self.builder.reply(id, &value.to_string());
        }
        self.ids.insert(continuation.clone(), id);
        self.continuations.push(continuation);
        self.memo.push(Memo::Unknown);
        id
    }

    /// A name for people: `main@4:5[y=0]`.
    fn describe(&self, continuation: &Continuation) -> LocalState {
        let (pc, locals, stack) = match continuation {
            Continuation::Done(value) => {
                let name = format!("done({value})");
                return LocalState { name, span: None, variables: Vec::new() };
            }
            Continuation::Paused { pc, locals, stack } => (*pc, locals, stack),
        };
        let handler = &self.code.handlers[self.code.handler_of(pc)];
        let span = self.code.spans[pc as usize];
        let at = self.lines.position(span.start);
        let variables: Vec<(String, i64)> = handler
            .slots
            .iter()
            .zip(locals)
            .enumerate()
            .filter(|(slot, _)| self.runner.liveness.is_live(pc, *slot))
            .map(|(_, (name, value))| (name.clone(), *value))
            .collect();
        let mut inside: Vec<String> = variables.iter().map(|(n, v)| format!("{n}={v}")).collect();
        inside.extend(stack.iter().map(i64::to_string));
        let inside =
            if inside.is_empty() { String::new() } else { format!("[{}]", inside.join(",")) };
        let name = format!("{}@{}:{}{inside}", handler.name, at.line, at.column);
        LocalState { name, span: Some(span), variables }
    }

    /// Turns trouble into an error that says which variable is to blame.
    fn explain(&self, trouble: Trouble) -> ExploreError {
        match trouble {
            Trouble::Overflow { pc } => {
                ExploreError::Overflow { span: self.code.spans[pc as usize] }
            }
            Trouble::Endless { pc, seen } => {
                let handler = self.code.handler_of(pc);
                let growing = self.growing_in(handler, &seen);
                ExploreError::EndlessStep { span: self.code.spans[pc as usize], growing }
            }
            Trouble::Stop(stop) => ExploreError::TooManyStates { stop, growing: self.growing() },
        }
    }

    /// The variable with the most values in all states, if it has suspiciously many.
    fn growing(&self) -> Option<Growing> {
        // Without arithmetic there are only the values that the source spells out.
        let arithmetic = |i: &Instr| {
            matches!(i, Instr::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply))
        };
        if !self.code.instrs.iter().any(arithmetic) {
            return None;
        }
        let mut best: (usize, Option<Growing>) = (MANY_VALUES - 1, None);
        let mut consider =
            |values: Vec<i64>, name: &str, store: &dyn Fn(Instr) -> bool, handler| {
                if values.len() > best.0 {
                    best = (values.len(), Some(self.grown(name, values, store, handler)));
                }
            };
        for (i, name) in self.code.globals.iter().enumerate() {
            let variable = VariableId::from_index(i);
            let all = (0..self.builder.global_count())
                .map(|g| self.builder.valuation(GlobalId::from_index(g))[i]);
            consider(distinct(all), name, &|x| x == Instr::StoreGlobal(variable), None);
        }
        for (h, handler) in self.code.handlers.iter().enumerate() {
            // Parameters never change.
            for (slot, name) in handler.slots.iter().enumerate().skip(handler.parameters.len()) {
                let all = self.continuations.iter().filter_map(|c| match c {
                    Continuation::Paused { pc, locals, .. } if self.code.handler_of(*pc) == h => {
                        Some(locals[slot])
                    }
                    _ => None,
                });
                let store = Instr::StoreLocal(slot as u32);
                consider(distinct(all), name, &|x| x == store, Some(h));
            }
        }
        best.1
    }

    /// The same within one endless step of one handler.
    fn growing_in(&self, handler: usize, seen: &[Machine]) -> Option<Growing> {
        let mut best: (usize, Option<Growing>) = (MANY_VALUES - 1, None);
        for (i, name) in self.code.globals.iter().enumerate() {
            let variable = VariableId::from_index(i);
            let mut all: Vec<i64> = seen
                .iter()
                .filter_map(|m| m.writes.iter().find(|(v, _)| *v == variable).map(|(_, x)| *x))
                .collect();
            all.sort_unstable_by_key(|x| (x.unsigned_abs(), *x));
            let values = distinct(all.into_iter());
            if values.len() > best.0 {
                let store = |x| x == Instr::StoreGlobal(variable);
                best = (values.len(), Some(self.grown(name, values, &store, Some(handler))));
            }
        }
        for (slot, name) in self.code.handlers[handler].slots.iter().enumerate() {
            let mut all: Vec<i64> =
                seen.iter().filter_map(|m| m.locals.get(slot).copied()).collect();
            all.sort_unstable_by_key(|x| (x.unsigned_abs(), *x));
            let values = distinct(all.into_iter());
            if values.len() > best.0 {
                let store = |x| x == Instr::StoreLocal(slot as u32);
                best = (values.len(), Some(self.grown(name, values, &store, Some(handler))));
            }
        }
        best.1
    }

    /// Where the variable is assigned: best an assignment of something that is not a constant.
    fn grown(
        &self,
        name: &str,
        mut values: Vec<i64>,
        is_store: &dyn Fn(Instr) -> bool,
        handler: Option<usize>,
    ) -> Growing {
        values.truncate(3);
        let stores: Vec<usize> = (0..self.code.instrs.len())
            .filter(|pc| is_store(self.code.instrs[*pc]))
            .filter(|pc| handler.is_none_or(|h| self.code.handler_of(*pc as u32) == h))
            .collect();
        let computed = stores
            .iter()
            .find(|pc| **pc == 0 || !matches!(self.code.instrs[**pc - 1], Instr::Push(_)));
        let span = computed.or(stores.first()).map(|pc| self.code.spans[*pc]);
        Growing { variable: name.to_owned(), values, span }
    }
}

/// The distinct values, in the order of their first appearance.
fn distinct(values: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut seen = rustc_hash::FxHashSet::default();
    values.filter(|v| seen.insert(*v)).collect()
}
