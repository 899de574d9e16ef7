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
//! **Keys.** Values of a type with any number of them are *keys*. They are arguments, they are
//! compared with each other, and arrays are indexed by them; nothing else is done with them. So all
//! that matters of the keys of a request is their order. There is a handler for each order of its
//! keys: in `transfer[from < to]`, `from` is the first of its keys, and `to` is the second. An
//! element of an array, `Balance[Account#2]`, is that of its second key. Which keys of several
//! requests are the same, and which are smaller, is up to who looks at them together: there are
//! finitely many cases, whatever keys there are.
//!
//! Paths on which something goes wrong, or an assumption does not hold, do not exist, as in the
//! network system of a program.

mod linear;

pub use linear::{Linear, Literal, Var};

use super::code::{Code, Instr, Pc};
use super::liveness::Liveness;
use super::lower;
use ser_base::{Limits, LineIndex, Span, Stop};
use ser_syntax::core::{BinaryOp, Parameter, Program, Request, Shape, UnaryOp, element};
use std::collections::BTreeMap;

/// What is too large.
const MAX_WAYS: usize = 64;
const MAX_STEPS: usize = 300;
const MAX_PLACES: usize = 48;
const MAX_SPLIT_PLACES: usize = 12;
const MAX_INSTRUCTIONS: usize = 5_000;

/// Three requests with two keys each have so many keys of a type at most.
pub const MOST_KEYS: usize = 6;

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
    /// How many types there are with any number of values.
    pub types: usize,
    /// The arrays that are counted by one of them.
    pub arrays: Vec<SymbolicArray>,
    pub handlers: Vec<SymbolicHandler>,
    pub places: Vec<SymbolicPlace>,
    pub steps: Vec<SymbolicStep>,
}

/// An array with an element for each key of a type; all are the same at first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolicArray {
    pub of: usize,
    /// The elements of the first keys, by number of global variable.
    pub elements: Vec<u32>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolicHandler {
    pub name: String,
    /// Its local variables; the first ones are its parameters.
    pub slots: Vec<String>,
    /// The variables that have its arguments, everywhere; keys are no variables.
    pub arguments: Vec<u32>,
    /// How many keys of each type it has.
    pub keys: Vec<usize>,
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
    /// The values of each choice, both ends included; the guard says so, too, unless any number may
    /// be picked.
    pub choices: Vec<(i64, i64)>,
    pub guard: Vec<Literal>,
    /// New values of global variables; the others stay.
    pub globals: BTreeMap<u32, Linear>,
    /// The values of all variables of the place that it leads to.
    pub locals: BTreeMap<u32, Linear>,
}

/// For each parameter that is a key, its type and which one it is.
type Order = Vec<Option<(usize, usize)>>;

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
    #[error("elements of arrays are looked at that no argument stands for")]
    OtherKeys(Span),
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
        let build = |splits| Builder::new(program, &code, &liveness, &lines, limits, splits).net();
        match build(true)? {
            Some(net) => Ok(net),
            None => build(false)?.ok_or(NotSymbolic::TooLarge(Span::default())),
        }
    }

    /// The global variables, and elements of arrays for as many keys as three requests may have.
    pub fn all_globals(&self) -> usize {
        self.globals.len() + self.arrays.len() * MOST_KEYS
    }

    /// The element of an array for the n-th of all keys that are looked at.
    pub fn element(&self, array: usize, key: usize) -> u32 {
        let known = self.arrays.get(array).and_then(|it| it.elements.get(key)).copied();
        known.unwrap_or((self.globals.len() + array * MOST_KEYS + key) as u32)
    }

    /// The array and the key, if it is an element.
    pub fn array_of(&self, global: u32) -> Option<(usize, usize)> {
        if let Some(more) = (global as usize).checked_sub(self.globals.len()) {
            let (array, key) = (more / MOST_KEYS, more % MOST_KEYS);
            return (array < self.arrays.len()).then_some((array, key));
        }
        self.arrays.iter().enumerate().find_map(|(array, it)| {
            Some((array, it.elements.iter().position(|element| *element == global)?))
        })
    }

    /// Whether all elements of arrays are known as such, and are the same at first.
    fn has_whole_arrays(&self) -> bool {
        let first = |n: &u32| self.initial.get(*n as usize);
        let mut known = self.globals.iter().zip(0..);
        known.all(|(name, n)| element(name).is_none() || self.array_of(n).is_some())
            && self.arrays.iter().all(|array| {
                array.elements.iter().all(|n| first(n) == array.elements.first().and_then(first))
            })
    }

    /// Whether the steps of each handler mention elements of its own keys alone.
    fn mentions_own_keys(&self) -> bool {
        self.steps.iter().all(|step| {
            let keys = &self.handlers[step.handler].keys;
            let is_own = |n: u32| match self.array_of(n) {
                Some((array, key)) => key < keys[self.arrays[array].of],
                None => true,
            };
            let own = |form: &Linear| {
                form.terms.iter().all(|(var, _)| !matches!(var, Var::Global(n) if !is_own(*n)))
            };
            let responds = match &step.to {
                SymbolicTarget::Response { values, .. } => values.iter().all(own),
                _ => true,
            };
            responds
                && step.globals.keys().all(|n| is_own(*n))
                && step.globals.values().all(own)
                && step.locals.values().all(own)
                && step.guard.iter().all(|it| own(it.form()))
        })
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

    /// How a global variable is called.
    pub fn global_name(&self, global: u32) -> String {
        if let Some(name) = self.globals.get(global as usize) {
            return name.clone();
        }
        let Some((array, key)) = self.array_of(global) else { return String::new() };
        let first = self.arrays[array].elements.first().copied().unwrap_or_default();
        let first = self.globals.get(first as usize).map_or("", String::as_str);
        first.replacen("#1]", &format!("#{}]", key + 1), 1)
    }

    /// How a variable is called; local ones are those of a request of this handler.
    pub fn var_name(&self, handler: usize, var: Var) -> String {
        match var {
            Var::Global(n) => self.global_name(n),
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
type Key = (usize, Pc, usize, Vec<(u32, i64)>);

struct Builder<'a> {
    code: &'a Code,
    liveness: &'a Liveness,
    lines: &'a LineIndex,
    limits: &'a Limits,
    /// Whether known values tell places apart.
    splits: bool,
    /// What each handler of the code has for parameters.
    requests: &'a [Request],
    /// The types with any number of values.
    types: Vec<&'a str>,
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

    fn any_number(&mut self) -> Linear {
        let choice = Linear::var(Var::Choice(0, self.choices.len() as u32));
        self.choices.push((i64::MIN, i64::MAX));
        choice
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
        program: &'a Program,
        code: &'a Code,
        liveness: &'a Liveness,
        lines: &'a LineIndex,
        limits: &'a Limits,
        splits: bool,
    ) -> Builder<'a> {
        let mut types: Vec<&str> = Vec::new();
        let mut arrays: BTreeMap<String, SymbolicArray> = BTreeMap::new();
        for (n, name) in code.globals.iter().enumerate() {
            let Some((array, of, key)) = element(name) else { continue };
            let at = types.iter().position(|it| *it == of).unwrap_or(types.len());
            if at == types.len() {
                types.push(of);
            }
            let new = || SymbolicArray { of: at, elements: Vec::new() };
            let array = arrays.entry(array).or_insert_with(new);
            if key == array.elements.len() {
                array.elements.push(n as u32);
            }
        }
        // Keys of types without arrays are compared, too.
        let parameters = program.requests.iter().flat_map(|it| &it.parameters);
        for name in parameters.filter_map(type_of) {
            if !types.contains(&name) {
                types.push(name);
            }
        }
        let net = SymbolicNet {
            globals: code.globals.clone(),
            initial: code.initial.clone(),
            types: types.len(),
            arrays: arrays.into_values().collect(),
            handlers: Vec::new(),
            places: Vec::new(),
            steps: Vec::new(),
        };
        let (keys, starts) = (BTreeMap::new(), Vec::new());
        let requests = &program.requests;
        Builder { code, liveness, lines, limits, splits, requests, types, keys, starts, net }
    }

    /// What is known of a handler whose keys are in this order.
    fn handler(
        &self,
        at: usize,
        order: &[Option<(usize, usize)>],
        name: String,
    ) -> SymbolicHandler {
        let handler = &self.code.handlers[at];
        let next = self.code.handlers.get(at + 1);
        let end = next.map_or(self.code.instrs.len(), |it| it.entry as usize);
        let own = self.code.instrs.get(handler.entry as usize..end).unwrap_or_default();
        let argument = |slot: u32| match own.contains(&Instr::StoreLocal(slot)) {
            true => ARGUMENT + slot,
            false => slot,
        };
        let arguments = order.iter().enumerate().filter(|(_, key)| key.is_none());
        let mut keys = vec![0; self.net.types];
        for (of, key) in order.iter().flatten() {
            keys[*of] = keys[*of].max(key + 1);
        }
        SymbolicHandler {
            name,
            slots: handler.slots.clone(),
            arguments: arguments.map(|(slot, _)| argument(slot as u32)).collect(),
            keys,
        }
    }

    /// The orders of the keys among the parameters of a handler: for each parameter that is one,
    /// its type, and which one it is; and how the handler with this order is called.
    fn orders(&self, at: usize) -> Vec<(Order, String)> {
        let parameters = self.requests.get(at).map_or(&[][..], |it| &it.parameters);
        let of = |it: &Parameter| self.types.iter().position(|of| Some(*of) == type_of(it));
        let types: Vec<Option<usize>> = parameters.iter().map(of).collect();
        let mut all = vec![(vec![None; parameters.len()], self.code.handlers[at].name.clone())];
        for number in 0..self.types.len() {
            let own = types.iter().enumerate().filter(|(_, of)| **of == Some(number));
            let own: Vec<usize> = own.map(|(n, _)| n).collect();
            let mut next = Vec::new();
            for (order, name) in &all {
                for ranks in weak_orders(own.len()) {
                    let mut order = order.clone();
                    for (parameter, rank) in own.iter().zip(&ranks) {
                        order[*parameter] = Some((number, *rank));
                    }
                    let mut sorted: Vec<(usize, usize)> =
                        ranks.iter().copied().zip(own.iter().copied()).collect();
                    sorted.sort_unstable();
                    let mut text = String::new();
                    for (n, (rank, parameter)) in sorted.iter().enumerate() {
                        text.push_str(match n.checked_sub(1).map(|it| sorted[it].0 == *rank) {
                            None => "",
                            Some(true) => " == ",
                            Some(false) => " < ",
                        });
                        text.push_str(&parameters[*parameter].name.text);
                    }
                    let name = match own.len() {
                        0 | 1 => name.clone(),
                        _ => format!("{name}[{text}]"),
                    };
                    next.push((order, name));
                }
            }
            all = next;
        }
        all
    }

    /// The steps; nothing if known values tell too many places apart.
    fn net(mut self) -> Result<Option<SymbolicNet>, NotSymbolic> {
        let has_keys = !self.types.is_empty();
        let orders = (0..self.code.handlers.len())
            .flat_map(|of| self.orders(of).into_iter().map(move |(order, name)| (of, order, name)));
        let orders: Vec<_> = orders.collect();
        for (at, (of, order, name)) in orders.into_iter().enumerate() {
            let handler = &self.code.handlers[of];
            self.net.handlers.push(self.handler(of, &order, name));
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
            for (n, (low, high)) in handler.parameters.iter().enumerate() {
                empty |= low > high;
                let parameter = self.requests.get(of).and_then(|it| it.parameters.get(n));
                let value = match order.get(n).copied().flatten() {
                    Some((_, key)) => Linear::number(key as i64),
                    None if parameter.is_some_and(|it| it.open) => way.any_number(),
                    None => way.choose(*low, *high).ok_or(NotSymbolic::Overflow(span))?,
                };
                way.locals.push(value);
            }
            way.locals.resize(handler.slots.len(), Linear::default());
            if !empty {
                self.steps(at, None, way, span)?;
            }
            // Places are made on the way.
            let mut next = self.places_of(at).start;
            while next < self.net.places.len() {
                if self.splits && !has_keys && self.places_of(at).len() > MAX_SPLIT_PLACES {
                    return Ok(None);
                }
                let (pc, locals, stack) = self.starts[next].clone();
                let (globals, guard, choices) = (BTreeMap::new(), Vec::new(), Vec::new());
                let way = Way { pc, locals, stack, globals, guard, choices };
                self.steps(at, Some(next), way, self.net.places[next].span)?;
                next += 1;
            }
        }
        match self.net.mentions_own_keys() && self.net.has_whole_arrays() {
            true => Ok(Some(self.net)),
            false => Err(NotSymbolic::OtherKeys(Span::default())),
        }
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
        let key: Key = (handler, way.pc, way.stack.len(), known);
        if let Some(place) = self.keys.get(&key) {
            return Ok((*place, locals));
        }
        let place = self.net.places.len();
        if place >= MAX_PLACES {
            return Err(NotSymbolic::TooLarge(span));
        }
        let value = |local: u32| match key.3.iter().find(|(known, _)| *known == local) {
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
        let is_key = |local: u32| {
            let slots = &self.net.handlers[handler].slots;
            let slot = slots.get(local as usize).map_or("", String::as_str);
            let mut parameters = self.requests.iter().flat_map(|it| &it.parameters);
            parameters.any(|it| it.is_key() && it.name.text == slot)
        };
        let known: Vec<String> = key
            .3
            .iter()
            .filter(|(local, _)| *local < STACK && !is_key(*local))
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

/// The type of a key.
fn type_of(parameter: &Parameter) -> Option<&str> {
    match &parameter.shape {
        Shape::Member(names) if parameter.is_key() => {
            names.first().and_then(|it| it.split('#').next())
        }
        _ => None,
    }
}

/// All ways to put so many things into an order, where some may be the same: the rank of each.
fn weak_orders(many: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..many {
        let longer = |ranks: &Vec<usize>| {
            (0..many).map(|rank| [&ranks[..], &[rank]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    // No rank is left out.
    all.retain(|ranks| ranks.iter().all(|it| *it == 0 || ranks.contains(&(it - 1))));
    all
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
