//! Steps of a program without values: what a request does from one `yield` to the next, as
//! conditions and linear forms over the variables.
//!
//! The code of a handler is executed with forms in place of numbers. Where it asks whether a form
//! is 0 (or compares two), the path divides, and each part remembers what it took for granted: the
//! *guard* of the step. So a step is possible exactly where its guard holds, and does exactly what
//! it says; numbers have no bounds here. What is not linear, and code that goes through too many
//! ways from one `yield` to the next, is refused.
//!
//! A *place* is a point of the code where requests yield, with the values of the local variables
//! that are known there: 0 or 1, say, of a flag. If there are too many of these, places are points
//! of the code alone. The other variables that may still be read are the variables of the place.
//! Arguments of a request are always among them, because they are part of its label: if a handler
//! assigns one, there is a variable for what it was at the start besides.
//!
//! Paths on which something goes wrong, or an assumption does not hold, do not exist, as in the
//! network system of a program.

mod linear;

pub use linear::{Linear, Literal, Var};

use super::code::{Code, Instr, Pc};
use super::liveness::Liveness;
use super::lower;
use ser_base::{Limits, LineIndex, Span, Stop};
use ser_syntax::core::{BinaryOp, Program, UnaryOp};
use std::collections::BTreeMap;

/// What is too large.
const MAX_WAYS: usize = 64;
const MAX_STEPS: usize = 300;
const MAX_PLACES: usize = 48;
const MAX_SPLIT_PLACES: usize = 12;
const MAX_INSTRUCTIONS: usize = 5_000;

/// Numbers of local variables that are no slots of the code: what is on the stack, and arguments as
/// they were at the start.
const STACK: u32 = 1 << 20;
const ARGUMENT: u32 = 1 << 21;

/// The steps of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolicNet {
    /// The global variables by name.
    pub globals: Vec<String>,
    /// Their first values.
    pub initial: Vec<i64>,
    pub handlers: Vec<SymbolicHandler>,
    pub places: Vec<SymbolicPlace>,
    pub steps: Vec<SymbolicStep>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolicHandler {
    pub name: String,
    /// Its local variables; the first ones are its parameters.
    pub slots: Vec<String>,
    /// The variables that have its arguments, everywhere.
    pub arguments: Vec<u32>,
}

/// Where requests in flight are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolicPlace {
    pub handler: usize,
    /// Where the handler goes on.
    pub span: Span,
    /// Each place has another one.
    pub name: String,
    /// Its variables, ascending.
    pub locals: Vec<u32>,
}

/// Where a step leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SymbolicTarget {
    Place(usize),
    /// A response of these values, written in this shape.
    Response {
        shape: u32,
        values: Vec<Linear>,
    },
    /// The end, without a response that counts.
    Aborted,
}

/// A step: it is possible where the guard holds, and then sets variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolicStep {
    pub handler: usize,
    /// Nothing if the request arrives.
    pub from: Option<usize>,
    pub to: SymbolicTarget,
    /// The values of each choice, both ends included; the guard says so, too.
    pub choices: Vec<(i64, i64)>,
    pub guard: Vec<Literal>,
    /// New values of global variables; the others stay.
    pub globals: BTreeMap<u32, Linear>,
    /// The values of all variables of the place that it leads to.
    pub locals: BTreeMap<u32, Linear>,
}

impl SymbolicStep {
    /// The place that it leads to.
    pub fn put(&self) -> Option<usize> {
        match self.to {
            SymbolicTarget::Place(place) => Some(place),
            _ => None,
        }
    }
}

/// Why a program has no symbolic steps.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotSymbolic {
    #[error("products of variables and division are not linear")]
    NotLinear(Span),
    #[error("a number has more than 64 bits")]
    Overflow(Span),
    #[error("there are too many ways from one `yield` to the next")]
    TooLarge(Span),
    #[error("{0}")]
    Stopped(#[from] Stop),
}

impl SymbolicNet {
    /// The steps of a program that has no errors. `text` is its source.
    ///
    /// ```
    /// use ser_base::Limits;
    /// use ser_model::SymbolicNet;
    /// let text = "request draw { mine := Next; yield; if (Next == mine) { Next := mine + 1 }; mine }";
    /// let program = ser_syntax::parse(text).program;
    /// let net = SymbolicNet::new(&program, text, &Limits::default()).unwrap();
    /// // It looks; then it takes the number, or finds another one.
    /// assert_eq!((net.places.len(), net.steps.len()), (1, 3));
    /// ```
    pub fn new(program: &Program, text: &str, limits: &Limits) -> Result<SymbolicNet, NotSymbolic> {
        limits.check_clock()?;
        let code = lower::lower(program);
        let liveness = Liveness::new(&code);
        let lines = LineIndex::new(text);
        let build = |splits| Builder::new(&code, &liveness, &lines, limits, splits).net();
        match build(true)? {
            Some(net) => Ok(net),
            None => build(false)?.ok_or(NotSymbolic::TooLarge(Span::default())),
        }
    }

    /// How a local variable is called.
    pub fn local_name(&self, handler: usize, local: u32) -> String {
        let slot = |slot: u32| {
            let slots = self.handlers.get(handler).map(|it| &it.slots);
            slots.and_then(|it| it.get(slot as usize)).cloned().unwrap_or_default()
        };
        match local {
            ARGUMENT.. => format!("{}'", slot(local - ARGUMENT)),
            STACK.. => format!("value {}", local - STACK + 1),
            _ => slot(local),
        }
    }

    /// How a variable is called; local ones are those of a request of this handler.
    pub fn var_name(&self, handler: usize, var: Var) -> String {
        match var {
            Var::Global(n) => self.globals.get(n as usize).cloned().unwrap_or_default(),
            Var::Local(_, local) => self.local_name(handler, local),
            Var::Choice(_, n) => format!("choice {}", n + 1),
        }
    }

    /// A step in words.
    pub fn show_step(&self, step: &SymbolicStep) -> String {
        let name = |var| self.var_name(step.handler, var);
        let place = |p: usize| self.places.get(p).map_or("?", |it| it.name.as_str());
        let from = step.from.map_or(self.handlers[step.handler].name.as_str(), place);
        let to = match &step.to {
            SymbolicTarget::Place(p) => place(*p).to_owned(),
            SymbolicTarget::Response { values, .. } => {
                let values: Vec<String> = values.iter().map(|it| it.show(&name)).collect();
                format!("response {}", values.join(", "))
            }
            SymbolicTarget::Aborted => "abort".to_owned(),
        };
        let guard: Vec<String> = step.guard.iter().map(|it| it.show(&name)).collect();
        let sets = step.globals.iter();
        let sets: Vec<String> = sets
            .map(|(g, value)| format!("{} := {}", name(Var::Global(*g)), value.show(&name)))
            .collect();
        let mut text = format!("{from} -> {to}");
        if !guard.is_empty() {
            text.push_str(&format!(" where {}", guard.join(" and ")));
        }
        if !sets.is_empty() {
            text.push_str(&format!(": {}", sets.join(", ")));
        }
        text
    }
}

/// What tells places apart.
type Key = (Pc, usize, Vec<(u32, i64)>);

struct Builder<'a> {
    code: &'a Code,
    liveness: &'a Liveness,
    lines: &'a LineIndex,
    limits: &'a Limits,
    /// Whether known values tell places apart.
    splits: bool,
    keys: BTreeMap<Key, usize>,
    /// Where requests go on: code, slots and stack.
    starts: Vec<(Pc, Vec<Linear>, Vec<Linear>)>,
    net: SymbolicNet,
}

/// A way through the code, so far.
#[derive(Clone)]
struct Way {
    pc: Pc,
    locals: Vec<Linear>,
    stack: Vec<Linear>,
    globals: BTreeMap<u32, Linear>,
    guard: Vec<Literal>,
    choices: Vec<(i64, i64)>,
}

impl Way {
    fn pop(&mut self) -> Linear {
        // The code keeps its stack balanced, so 0 is never seen.
        self.stack.pop().unwrap_or_default()
    }

    fn choose(&mut self, low: i64, high: i64) -> Option<Linear> {
        let choice = Linear::var(Var::Choice(0, self.choices.len() as u32));
        self.choices.push((low, high));
        self.guard.push(Literal::AtLeast(choice.minus(&Linear::number(low))?));
        self.guard.push(Literal::AtLeast(Linear::number(high).minus(&choice)?));
        Some(choice)
    }

    /// Goes on only if a condition holds; whether that is possible.
    fn assume(&mut self, condition: &Literal) -> Option<bool> {
        let condition = condition.clone().oriented()?;
        if let Some(known) = condition.known() {
            return Some(known);
        }
        if self.guard.contains(&condition) {
            return Some(true);
        }
        if self.guard.contains(&condition.negated()?.oriented()?) {
            return Some(false);
        }
        self.guard.push(condition);
        Some(true)
    }
}

impl<'a> Builder<'a> {
    fn new(
        code: &'a Code,
        liveness: &'a Liveness,
        lines: &'a LineIndex,
        limits: &'a Limits,
        splits: bool,
    ) -> Builder<'a> {
        let mut handlers = Vec::new();
        for (at, handler) in code.handlers.iter().enumerate() {
            let end = code.handlers.get(at + 1).map_or(code.instrs.len(), |it| it.entry as usize);
            let own = code.instrs.get(handler.entry as usize..end).unwrap_or_default();
            let argument = |slot: u32| match own.contains(&Instr::StoreLocal(slot)) {
                true => ARGUMENT + slot,
                false => slot,
            };
            handlers.push(SymbolicHandler {
                name: handler.name.clone(),
                slots: handler.slots.clone(),
                arguments: (0..handler.parameters.len() as u32).map(argument).collect(),
            });
        }
        let net = SymbolicNet {
            globals: code.globals.clone(),
            initial: code.initial.clone(),
            handlers,
            places: Vec::new(),
            steps: Vec::new(),
        };
        let (keys, starts) = (BTreeMap::new(), Vec::new());
        Builder { code, liveness, lines, limits, splits, keys, starts, net }
    }

    /// The steps; nothing if known values tell too many places apart.
    fn net(mut self) -> Result<Option<SymbolicNet>, NotSymbolic> {
        for (at, handler) in self.code.handlers.iter().enumerate() {
            let span = self.span(handler.entry);
            let mut way = Way {
                pc: handler.entry,
                locals: Vec::new(),
                stack: Vec::new(),
                globals: BTreeMap::new(),
                guard: Vec::new(),
                choices: Vec::new(),
            };
            let mut empty = false;
            for (low, high) in &handler.parameters {
                empty |= low > high;
                let value = way.choose(*low, *high).ok_or(NotSymbolic::Overflow(span))?;
                way.locals.push(value);
            }
            way.locals.resize(handler.slots.len(), Linear::default());
            if !empty {
                self.steps(at, None, way, span)?;
            }
            // Places are made on the way.
            let mut next = self.places_of(at).start;
            while next < self.net.places.len() {
                if self.splits && self.places_of(at).len() > MAX_SPLIT_PLACES {
                    return Ok(None);
                }
                let (pc, locals, stack) = self.starts[next].clone();
                let (globals, guard, choices) = (BTreeMap::new(), Vec::new(), Vec::new());
                let way = Way { pc, locals, stack, globals, guard, choices };
                self.steps(at, Some(next), way, self.net.places[next].span)?;
                next += 1;
            }
        }
        Ok(Some(self.net))
    }

    fn places_of(&self, handler: usize) -> std::ops::Range<usize> {
        let first = self.net.places.iter().position(|it| it.handler == handler);
        first.unwrap_or(self.net.places.len())..self.net.places.len()
    }

    fn span(&self, pc: Pc) -> Span {
        self.code.spans.get(pc as usize).copied().unwrap_or_default()
    }

    /// All steps from a place.
    fn steps(
        &mut self,
        handler: usize,
        from: Option<usize>,
        start: Way,
        span: Span,
    ) -> Result<(), NotSymbolic> {
        let mut open = vec![start];
        let (mut ways, mut executed) = (0, 0);
        while let Some(mut way) = open.pop() {
            loop {
                executed += 1;
                if executed > MAX_INSTRUCTIONS || open.len() + ways > MAX_WAYS {
                    return Err(NotSymbolic::TooLarge(span));
                }
                let pc = way.pc;
                let here = self.span(pc);
                let overflow = NotSymbolic::Overflow(here);
                let Some(instr) = self.code.instrs.get(pc as usize) else { break };
                way.pc += 1;
                match *instr {
                    Instr::Push(value) => way.stack.push(Linear::number(value)),
                    Instr::Pop => {
                        way.pop();
                    }
                    Instr::LoadLocal(slot) => {
                        let value = way.locals.get(slot as usize).cloned().unwrap_or_default();
                        way.stack.push(value);
                    }
                    Instr::StoreLocal(slot) => {
                        let value = way.stack.last().cloned().unwrap_or_default();
                        if let Some(local) = way.locals.get_mut(slot as usize) {
                            *local = value;
                        }
                    }
                    Instr::LoadGlobal(variable) => {
                        let number = variable.index() as u32;
                        let own = || Linear::var(Var::Global(number));
                        let value = way.globals.get(&number).cloned().unwrap_or_else(own);
                        way.stack.push(value);
                    }
                    Instr::StoreGlobal(variable) => {
                        let value = way.stack.last().cloned().unwrap_or_default();
                        way.globals.insert(variable.index() as u32, value);
                    }
                    Instr::Unary(UnaryOp::Negate) => {
                        let value = way.pop().times(-1).ok_or(overflow)?;
                        way.stack.push(value);
                    }
                    Instr::Unary(UnaryOp::Not) => {
                        let condition = Literal::Zero(way.pop());
                        if !divide(&mut way, &condition, &mut open).ok_or(overflow)? {
                            break;
                        }
                    }
                    Instr::Binary(op) => {
                        let (right, left) = (way.pop(), way.pop());
                        match comparison(op, &left, &right).ok_or(overflow.clone())? {
                            Some(condition) => {
                                if !divide(&mut way, &condition, &mut open).ok_or(overflow)? {
                                    break;
                                }
                            }
                            None => {
                                let value = calculate(op, &left, &right, here)?;
                                way.stack.push(value);
                            }
                        }
                    }
                    Instr::Choose(low, high) => {
                        if low > high {
                            break;
                        }
                        let value = way.choose(low, high).ok_or(overflow)?;
                        way.stack.push(value);
                    }
                    Instr::Jump(target) => way.pc = target,
                    Instr::JumpIfZero(target) => {
                        let zero = Literal::Zero(way.pop());
                        let mut other = way.clone();
                        other.pc = target;
                        let negated = zero.negated().ok_or(overflow.clone())?;
                        if other.assume(&zero).ok_or(overflow.clone())? {
                            open.push(other);
                        }
                        if !way.assume(&negated).ok_or(overflow)? {
                            break;
                        }
                    }
                    Instr::Assume => {
                        let holds = Literal::NotZero(way.pop());
                        if !way.assume(&holds).ok_or(overflow)? {
                            break;
                        }
                        way.stack.push(Linear::default());
                    }
                    // As if nobody could have got here.
                    Instr::Fail(_) => break,
                    Instr::Drop(count) => {
                        let top = way.pop();
                        let left = way.stack.len().saturating_sub(count as usize);
                        way.stack.truncate(left);
                        way.stack.push(top);
                    }
                    Instr::Yield => {
                        way.stack.push(Linear::default());
                        let (to, locals) = self.place(handler, from, &mut way, span)?;
                        ways += 1;
                        self.step(handler, from, SymbolicTarget::Place(to), locals, way, span)?;
                        break;
                    }
                    Instr::Return(shape) => {
                        let width = self.code.shapes.get(shape as usize).map_or(1, |s| s.width());
                        let values = way.stack.split_off(way.stack.len().saturating_sub(width));
                        let to = SymbolicTarget::Response { shape, values };
                        ways += 1;
                        self.step(handler, from, to, BTreeMap::new(), way, span)?;
                        break;
                    }
                    Instr::Abort => {
                        ways += 1;
                        let to = SymbolicTarget::Aborted;
                        self.step(handler, from, to, BTreeMap::new(), way, span)?;
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds a step, once.
    fn step(
        &mut self,
        handler: usize,
        from: Option<usize>,
        to: SymbolicTarget,
        locals: BTreeMap<u32, Linear>,
        way: Way,
        span: Span,
    ) -> Result<(), NotSymbolic> {
        self.limits.check_clock()?;
        let Way { globals, mut guard, choices, .. } = way;
        let stays = |(g, value): &(u32, Linear)| *value != Linear::var(Var::Global(*g));
        let globals = globals.into_iter().filter(stays).collect();
        guard.sort();
        let step = SymbolicStep { handler, from, to, choices, guard, globals, locals };
        if !self.net.steps.contains(&step) {
            self.net.steps.push(step);
        }
        match self.net.steps.len() > MAX_STEPS {
            true => Err(NotSymbolic::TooLarge(span)),
            false => Ok(()),
        }
    }

    /// The place where a way yields, and the values of its variables. Goes over what only moves
    /// constants, as the network system does.
    fn place(
        &mut self,
        handler: usize,
        from: Option<usize>,
        way: &mut Way,
        span: Span,
    ) -> Result<(usize, BTreeMap<u32, Linear>), NotSymbolic> {
        for _ in 0..self.code.instrs.len() {
            match self.code.instrs[way.pc as usize] {
                Instr::Push(value) => way.stack.push(Linear::number(value)),
                Instr::Pop => {
                    way.pop();
                }
                Instr::Jump(target) => {
                    way.pc = target;
                    continue;
                }
                _ => break,
            }
            way.pc += 1;
        }
        let arguments = self.net.handlers[handler].arguments.clone();
        let mut locals: BTreeMap<u32, Linear> = BTreeMap::new();
        for (i, local) in arguments.iter().enumerate() {
            let value = match from {
                None => Linear::var(Var::Choice(0, i as u32)),
                Some(_) => Linear::var(Var::Local(0, *local)),
            };
            locals.insert(*local, value);
        }
        let mut known = Vec::new();
        let slots = way.locals.iter().enumerate();
        let slots = slots.filter(|(slot, _)| self.liveness.is_live(way.pc, *slot));
        let slots = slots.map(|(slot, value)| (slot as u32, value));
        let stack = way.stack.iter().enumerate().map(|(at, it)| (STACK + at as u32, it));
        for (local, value) in slots.chain(stack).filter(|(local, _)| !arguments.contains(local)) {
            match value.as_number().filter(|_| self.splits) {
                Some(number) => known.push((local, number)),
                None => {
                    locals.insert(local, value.clone());
                }
            }
        }
        let key: Key = (way.pc, way.stack.len(), known);
        if let Some(place) = self.keys.get(&key) {
            return Ok((*place, locals));
        }
        let place = self.net.places.len();
        if place >= MAX_PLACES {
            return Err(NotSymbolic::TooLarge(span));
        }
        let value = |local: u32| match key.2.iter().find(|(known, _)| *known == local) {
            Some((_, number)) => Linear::number(*number),
            None if locals.contains_key(&local) => Linear::var(Var::Local(0, local)),
            // It is never read.
            None => Linear::default(),
        };
        let slots = (0..way.locals.len() as u32).map(value).collect();
        let stack = (0..way.stack.len() as u32).map(|at| value(STACK + at)).collect();
        self.starts.push((way.pc, slots, stack));
        let span = self.span(way.pc);
        let name = self.name(handler, span, &key);
        let names: Vec<u32> = locals.keys().copied().collect();
        self.net.places.push(SymbolicPlace { handler, span, name, locals: names });
        self.keys.insert(key, place);
        Ok((place, locals))
    }

    fn name(&self, handler: usize, span: Span, key: &Key) -> String {
        let at = self.lines.position(span.start);
        let mut name = format!("{}@{}:{}", self.net.handlers[handler].name, at.line, at.column);
        let known: Vec<String> = key
            .2
            .iter()
            .filter(|(local, _)| *local < STACK)
            .map(|(local, number)| format!("{}={number}", self.net.local_name(handler, *local)))
            .collect();
        if !known.is_empty() {
            name.push_str(&format!("[{}]", known.join(", ")));
        }
        let first = name.clone();
        for n in 2.. {
            if !self.net.places.iter().any(|it| it.name == name) {
                break;
            }
            name = format!("{first}#{n}");
        }
        name
    }
}

/// Goes on with 1 on the stack where the condition holds, and with 0 elsewhere; false if neither is
/// possible here (the other one waits).
fn divide(way: &mut Way, condition: &Literal, open: &mut Vec<Way>) -> Option<bool> {
    let mut other = way.clone();
    if other.assume(&condition.negated()?)? {
        other.stack.push(Linear::number(0));
        open.push(other);
    }
    if !way.assume(condition)? {
        return Some(false);
    }
    way.stack.push(Linear::number(1));
    Some(true)
}

/// The condition that an operator asks for, if it compares; `None` if it is too large.
fn comparison(op: BinaryOp, left: &Linear, right: &Linear) -> Option<Option<Literal>> {
    let one = Linear::number(1);
    Some(Some(match op {
        BinaryOp::Equal => Literal::Zero(left.minus(right)?),
        BinaryOp::NotEqual => Literal::NotZero(left.minus(right)?),
        BinaryOp::Less => Literal::AtLeast(right.minus(left)?.minus(&one)?),
        BinaryOp::LessEqual => Literal::AtLeast(right.minus(left)?),
        BinaryOp::Greater => Literal::AtLeast(left.minus(right)?.minus(&one)?),
        BinaryOp::GreaterEqual => Literal::AtLeast(left.minus(right)?),
        _ => return Some(None),
    }))
}

fn calculate(
    op: BinaryOp,
    left: &Linear,
    right: &Linear,
    span: Span,
) -> Result<Linear, NotSymbolic> {
    let overflow = NotSymbolic::Overflow(span);
    match (op, left.as_number(), right.as_number()) {
        (BinaryOp::Add, ..) => left.plus(1, right).ok_or(overflow),
        (BinaryOp::Subtract, ..) => left.minus(right).ok_or(overflow),
        (BinaryOp::Multiply, Some(factor), _) => right.times(factor).ok_or(overflow),
        (BinaryOp::Multiply, _, Some(factor)) => left.times(factor).ok_or(overflow),
        (_, Some(left), Some(right)) => op.apply(left, right).map(Linear::number).ok_or(overflow),
        _ => Err(NotSymbolic::NotLinear(span)),
    }
}
