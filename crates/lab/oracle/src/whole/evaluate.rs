//! One handler, evaluated from its start: an expression gives a value, or a signal says what
//! happened instead.
//!
//! What a request has seen so far is a *log*: the choices that were made, and the global variables
//! with which it went on after each pause. A handler with its log does the same again, so a step is
//! a second evaluation of all that came before, and something new at the end. That is slow and has
//! no trap: `yield` may stand anywhere.
//!
//! On the way it is noted where the evaluation stands (`path`: the expressions around) and which
//! values it holds besides those in variables (`held`). Two evaluations that agree on these and on
//! their variables go on in the same way, whatever they have seen before.

use super::tables::{Kind, NodeId, Scope, Tables, node};
use super::value::Value;
use crate::TooMuch;
use rustc_hash::FxHashMap;
use ser_syntax::ast::{
    self, Argument, BinaryOp, Block, Else, Expr, ExprKind, Pattern, Quantifier, Relation, TypeKind,
    UnaryOp,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Values of variables.
pub(super) type Store = BTreeMap<Rc<str>, Value>;

/// Something that a request cannot know by itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Event {
    /// Of so many, this one.
    Choice(usize),
    /// It goes on, and these are the global variables.
    Resume(Rc<Store>),
}

/// All that matters for how an evaluation goes on, but for the global variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Standing {
    path: Vec<NodeId>,
    held: Vec<Value>,
    frames: Vec<Store>,
}

/// Why there is no value.
pub(super) enum Signal {
    /// A pause, and nothing is known of what comes after it.
    Yield,
    Return(Value),
    Break,
    Continue,
    Abort,
    /// The step does not happen: a false `assume`, something that fails, or an endless loop.
    Stuck,
    TooMuch(TooMuch),
}

type Evaluated = Result<Value, Signal>;

/// States at the heads of loops within one step, with the first way in which they were reached: the
/// choices since the start of the step, and how many such states were met on it before.
pub(super) type Seen = FxHashMap<(Standing, Rc<Store>), (Vec<usize>, usize)>;

/// The most expressions that are evaluated in one step.
const FUEL: usize = 10_000;

/// An evaluation.
pub(super) struct Evaluation<'a> {
    tables: &'a Tables,
    log: &'a [Event],
    /// How much of the log has been used.
    at: usize,
    /// What is chosen after the log; the first of all where this ends.
    script: &'a [usize],
    /// What was chosen after the log, and of how many.
    pub(super) choices: Vec<(usize, usize)>,
    pub(super) globals: Rc<Store>,
    frames: Vec<Store>,
    scopes: Vec<Scope>,
    path: Vec<NodeId>,
    held: Vec<Value>,
    seen: &'a mut Seen,
    heads: usize,
    fuel: usize,
}

/// The value of an expression without variables.
pub(super) fn constant(tables: &Tables, expr: &Expr) -> Option<Value> {
    let mut seen = Seen::default();
    let mut evaluation = Evaluation::new(tables, &[], &[], &mut seen);
    evaluation.frames.push(Store::new());
    evaluation.eval(expr).ok()
}

/// A place that can be assigned, with its indices.
struct Place<'a> {
    name: &'a ast::Name,
    inside: Vec<Selected<'a>>,
}

#[derive(Clone)]
enum Selected<'a> {
    Field(&'a str),
    Element(Value),
}

impl<'a> Evaluation<'a> {
    /// An evaluation with this log that chooses as this script says.
    pub(super) fn new(
        tables: &'a Tables,
        log: &'a [Event],
        script: &'a [usize],
        seen: &'a mut Seen,
    ) -> Evaluation<'a> {
        Evaluation {
            tables,
            log,
            at: 0,
            script,
            choices: Vec::new(),
            globals: Rc::default(),
            frames: Vec::new(),
            scopes: Vec::new(),
            path: Vec::new(),
            held: Vec::new(),
            seen,
            heads: 0,
            fuel: FUEL,
        }
    }

    /// A request with these parameters.
    pub(super) fn request(&mut self, request: usize, parameters: &[Value]) -> Evaluated {
        let tables = self.tables;
        let handler = &tables.tree.requests[request];
        self.enter(Scope::Request(request));
        for (parameter, value) in handler.parameters.iter().zip(parameters) {
            self.set_local(&parameter.name.text, value.clone())?;
        }
        // Its start is like a pause.
        self.pause()?;
        match self.block(&handler.body) {
            Err(Signal::Return(value)) => Ok(value),
            other => other,
        }
    }

    /// A condition over these global variables.
    pub(super) fn condition(&mut self, condition: &Expr, globals: Rc<Store>) -> Option<bool> {
        self.frames.push(Store::new());
        self.globals = globals;
        Some(self.eval(condition).ok()?.is_true())
    }

    /// Where it stands.
    pub(super) fn standing(&self) -> Standing {
        Standing { path: self.path.clone(), held: self.held.clone(), frames: self.frames.clone() }
    }

    fn enter(&mut self, scope: Scope) {
        let tables = self.tables;
        let locals = tables.locals.get(&scope).into_iter().flatten();
        let frame = locals.map(|(name, kind)| (Rc::clone(name), tables.start(kind)));
        self.frames.push(frame.collect());
        self.scopes.push(scope);
    }

    /// `yield`.
    fn pause(&mut self) -> Evaluated {
        match self.log.get(self.at) {
            Some(Event::Resume(globals)) => {
                self.at += 1;
                self.globals = Rc::clone(globals);
                self.fuel = FUEL;
                Ok(Value::Number(0))
            }
            Some(Event::Choice(_)) => unreachable!("the log is that of another evaluation"),
            None => Err(Signal::Yield),
        }
    }

    /// Any number below this one.
    fn choose(&mut self, among: usize) -> usize {
        if let Some(Event::Choice(choice)) = self.log.get(self.at) {
            self.at += 1;
            return *choice;
        }
        let choice = self.script.get(self.choices.len()).copied().unwrap_or(0);
        self.choices.push((choice, among));
        choice
    }

    /// At the head of a loop: whatever follows was looked at before if everything is as it was.
    fn head(&mut self) -> Result<(), Signal> {
        if self.at < self.log.len() {
            return Ok(());
        }
        let choices: Vec<usize> = self.choices.iter().map(|(choice, _)| *choice).collect();
        let here = (choices, self.heads);
        self.heads += 1;
        let state = (self.standing(), Rc::clone(&self.globals));
        let first = self.seen.entry(state).or_insert_with(|| here.clone());
        if *first == here { Ok(()) } else { Err(Signal::Stuck) }
    }

    fn number(&mut self, expr: &Expr) -> Result<i64, Signal> {
        let value = self.eval(expr)?;
        number(&value)
    }

    fn eval(&mut self, expr: &Expr) -> Evaluated {
        if self.fuel == 0 {
            return Err(Signal::TooMuch(TooMuch::States));
        }
        self.fuel -= 1;
        let (held, around) = (self.held.len(), self.path.len());
        self.path.push(node(expr));
        let value = self.expression(expr);
        // Where an evaluation pauses, everything stays as it is.
        if !matches!(value, Err(Signal::Yield)) {
            self.path.truncate(around);
            self.held.truncate(held);
        }
        value
    }

    fn block(&mut self, block: &Block) -> Evaluated {
        let mut last = Value::Number(0);
        for expr in &block.exprs {
            last = self.eval(expr)?;
        }
        Ok(last)
    }

    /// 0 or 1, or `false` or `true`.
    fn truth(&self, expr: &Expr, truth: bool) -> Value {
        match self.tables.truths.binary_search(&node(expr)) {
            Ok(_) => Value::Bool(truth),
            Err(_) => Value::Number(i64::from(truth)),
        }
    }

    fn expression(&mut self, expr: &Expr) -> Evaluated {
        let zero = Ok(Value::Number(0));
        match &expr.kind {
            ExprKind::Number(number) => Ok(Value::Number(*number)),
            ExprKind::Bool(truth) => Ok(Value::Bool(*truth)),
            ExprKind::Coin => {
                let choice = self.choose(2);
                Ok(self.truth(expr, choice == 1))
            }
            ExprKind::Choose(values) => {
                let kind = self.tables.kind(values).ok_or(Signal::Stuck)?;
                let values = self.tables.values(&kind);
                let values = values.ok_or(Signal::TooMuch(TooMuch::States))?;
                let choice = self.choose(values.len());
                Ok(values[choice].clone())
            }
            ExprKind::Read(name) => self.read(&name.text),
            ExprKind::Index(array, index) => self.element(expr, array, index),
            ExprKind::Field(of, field) => {
                if let Some(value) = self.tables.member(of, &field.text) {
                    return Ok(value);
                }
                if is_place(expr) {
                    let place = self.place(expr)?;
                    return self.read_place(&place);
                }
                let record = self.eval(of)?;
                selected(&record, &Selected::Field(&field.text)).cloned().ok_or(Signal::Stuck)
            }
            ExprKind::Call(name, arguments) => self.call(name, arguments),
            ExprKind::Tuple(parts) => Ok(Value::Tuple(self.all(parts)?)),
            ExprKind::List(parts) => {
                let values = self.all(parts)?;
                let keys = self.tables.lists.get(&node(expr)).cloned();
                let counted = || (0..parts.len() as i64).map(Value::Number).collect();
                Ok(Value::Array(keys.unwrap_or_else(counted).into_iter().zip(values).collect()))
            }
            ExprKind::Assign(name, value) => {
                let value = self.eval(value)?;
                self.write(&Place { name, inside: Vec::new() }, value)
            }
            ExprKind::Store(place, value) => self.store(place, value),
            ExprKind::Var(variable) => {
                let scope = *self.scopes.last().ok_or(Signal::Stuck)?;
                let kind = self.tables.locals[&scope][&*variable.name.text].clone();
                let value = match &variable.value {
                    None => self.tables.start(&kind),
                    Some(value) => {
                        let value = self.eval(value)?;
                        self.tables.first(&kind, value).ok_or(Signal::Stuck)?
                    }
                };
                self.write(&Place { name: &variable.name, inside: Vec::new() }, value)
            }
            ExprKind::Unary(UnaryOp::Negate, operand) => {
                let operand = self.number(operand)?;
                exact(operand.checked_neg())
            }
            ExprKind::Unary(UnaryOp::Not, operand) => {
                let operand = self.eval(operand)?;
                Ok(self.truth(expr, !operand.is_true()))
            }
            ExprKind::Binary(op, left, right) => self.binary(expr, *op, left, right),
            ExprKind::If(condition, then, otherwise) => {
                if self.eval(condition)?.is_true() {
                    return self.block(then);
                }
                match otherwise {
                    None => zero,
                    Some(Else::Block(block)) => self.block(block),
                    Some(Else::If(expr)) => self.eval(expr),
                }
            }
            ExprKind::Match(value, arms) => {
                let value = self.eval(value)?;
                for arm in arms {
                    for pattern in &arm.patterns {
                        if self.fits(&value, pattern)? {
                            return self.eval(&arm.body);
                        }
                    }
                }
                Err(Signal::Stuck)
            }
            ExprKind::While(condition, body) => loop {
                self.head()?;
                if !self.eval(condition)?.is_true() {
                    return zero;
                }
                if self.round(body)? {
                    return zero;
                }
            },
            ExprKind::Loop(body) => loop {
                self.head()?;
                if self.round(body)? {
                    return zero;
                }
            },
            ExprKind::Quantified(quantifier, name, values, condition) => {
                let values = self.counted(values)?;
                let frame = self.frames.len() - 1;
                let name: Rc<str> = name.text.as_str().into();
                let before = self.frames[frame].get(&name).cloned();
                self.held.extend(before.clone());
                let wanted = *quantifier == Quantifier::Some;
                let mut ended = Ok(!wanted);
                for value in values {
                    self.fuel = self.fuel.saturating_sub(1);
                    self.frames[frame].insert(Rc::clone(&name), value);
                    match self.eval(condition) {
                        Ok(found) if found.is_true() == wanted => {
                            ended = Ok(wanted);
                            break;
                        }
                        Ok(_) => {}
                        Err(Signal::Yield) => return Err(Signal::Yield),
                        Err(signal) => {
                            ended = Err(signal);
                            break;
                        }
                    }
                }
                match before {
                    Some(value) => self.frames[frame].insert(name, value),
                    None => self.frames[frame].remove(&name),
                };
                ended.map(|so| self.truth(expr, so))
            }
            ExprKind::For(name, values, body) => {
                let values = self.counted(values)?;
                let frame = self.frames.len() - 1;
                let name: Rc<str> = name.text.as_str().into();
                let before = self.frames[frame].get(&name).cloned();
                self.held.extend(before.clone());
                let mut ended = zero;
                for value in values {
                    self.fuel = self.fuel.saturating_sub(1);
                    self.frames[frame].insert(Rc::clone(&name), value);
                    match self.round(body) {
                        Ok(false) => {}
                        Ok(true) => break,
                        Err(Signal::Yield) => return Err(Signal::Yield),
                        Err(signal) => {
                            ended = Err(signal);
                            break;
                        }
                    }
                }
                match before {
                    Some(value) => self.frames[frame].insert(name, value),
                    None => self.frames[frame].remove(&name),
                };
                ended
            }
            ExprKind::Either(blocks) => {
                let choice = self.choose(blocks.len());
                self.block(&blocks[choice])
            }
            ExprKind::With(lock, body) => self.with(lock, body),
            ExprKind::Break => Err(Signal::Break),
            ExprKind::Continue => Err(Signal::Continue),
            ExprKind::Yield => self.pause(),
            ExprKind::Return(None) => Err(Signal::Return(Value::Number(0))),
            ExprKind::Return(Some(value)) => {
                let value = self.eval(value)?;
                Err(Signal::Return(value))
            }
            ExprKind::Abort => Err(Signal::Abort),
            // A step that fails is as if it had not happened, like one that is not possible.
            ExprKind::Assume(condition) | ExprKind::Assert(condition) => {
                if self.eval(condition)?.is_true() { zero } else { Err(Signal::Stuck) }
            }
            ExprKind::Group(block) => self.block(block),
            ExprKind::Relation(Relation::Implies, left, right) => {
                let so = !self.eval(left)?.is_true() || self.eval(right)?.is_true();
                Ok(self.truth(expr, so))
            }
            ExprKind::Relation(Relation::In, left, right) => {
                let value = self.eval(left)?;
                self.held.push(value.clone());
                let so = match &right.kind {
                    ExprKind::Range(low, high) => {
                        let low = self.eval(low)?;
                        self.held.push(low.clone());
                        let high = self.number(high)?;
                        (number(&low)?..=high).contains(&number(&value)?)
                    }
                    ExprKind::Elements(parts) => {
                        let parts = self.all(parts)?;
                        parts.iter().any(|part| value.is_same(part))
                    }
                    _ => return Err(Signal::Stuck),
                };
                Ok(self.truth(expr, so))
            }
            ExprKind::Relation(Relation::Iff, left, right) => {
                let (left, right) = (self.eval(left)?.is_true(), self.eval(right)?.is_true());
                Ok(self.truth(expr, left == right))
            }
            // Requests have nothing else.
            _ => Err(Signal::Stuck),
        }
    }

    /// What a `for` goes over.
    fn counted(&mut self, values: &ast::Type) -> Result<Vec<Value>, Signal> {
        match &values.kind {
            TypeKind::Range(low, high) => {
                let low = self.number(low)?;
                self.held.push(Value::Number(low));
                let high = self.number(high)?;
                self.held.push(Value::Number(high));
                Ok((low..=high).map(Value::Number).take(FUEL).collect())
            }
            _ => {
                let kind = self.tables.kind(values).ok_or(Signal::Stuck)?;
                self.tables.values(&kind).ok_or(Signal::Stuck)
            }
        }
    }

    /// One round of a loop: whether it was the last one.
    fn round(&mut self, body: &Block) -> Result<bool, Signal> {
        match self.block(body) {
            Ok(_) | Err(Signal::Continue) => Ok(false),
            Err(Signal::Break) => Ok(true),
            Err(signal) => Err(signal),
        }
    }

    /// `while (lock) { yield }; lock := true; body; lock := false`.
    fn with(&mut self, lock: &Expr, body: &Block) -> Evaluated {
        let place = self.place(lock)?;
        self.hold(&place);
        loop {
            self.head()?;
            if !self.read_place(&place)?.is_true() {
                break;
            }
            self.pause()?;
        }
        self.write(&place, Value::Bool(true))?;
        // Inside is another place than outside.
        self.held.push(Value::Bool(true));
        let value = self.block(body);
        if let Ok(_) | Err(Signal::Return(_) | Signal::Break | Signal::Continue | Signal::Abort) =
            &value
        {
            self.write(&place, Value::Bool(false))?;
        }
        value
    }

    /// Several, from left to right.
    fn all(&mut self, parts: &[Expr]) -> Result<Vec<Value>, Signal> {
        let mut values = Vec::new();
        for part in parts {
            let value = self.eval(part)?;
            self.held.push(value.clone());
            values.push(value);
        }
        Ok(values)
    }

    fn fits(&mut self, value: &Value, pattern: &Pattern) -> Result<bool, Signal> {
        Ok(match pattern {
            Pattern::Value(pattern) => self.eval(pattern)?.is_same(value),
            Pattern::Range(low, high) => {
                let (low, high) = (self.number(low)?, self.number(high)?);
                (low..=high).contains(&number(value)?)
            }
            Pattern::Anything(_) => true,
        })
    }

    fn binary(&mut self, expr: &Expr, op: BinaryOp, left: &Expr, right: &Expr) -> Evaluated {
        let left = self.eval(left)?;
        let is_settled = match op {
            BinaryOp::And => !left.is_true(),
            BinaryOp::Or => left.is_true(),
            _ => false,
        };
        if is_settled {
            return Ok(self.truth(expr, left.is_true()));
        }
        self.held.push(left.clone());
        let right = self.eval(right)?;
        match op {
            BinaryOp::And | BinaryOp::Or => return Ok(self.truth(expr, right.is_true())),
            BinaryOp::Equal => return Ok(self.truth(expr, left.is_same(&right))),
            BinaryOp::NotEqual => return Ok(self.truth(expr, !left.is_same(&right))),
            _ => {}
        }
        let (a, b) = match (&left, &right) {
            (Value::Member { at: a, .. }, Value::Member { at: b, .. }) => (*a as i64, *b as i64),
            _ => (number(&left)?, number(&right)?),
        };
        match op {
            BinaryOp::Less => Ok(self.truth(expr, a < b)),
            BinaryOp::LessEqual => Ok(self.truth(expr, a <= b)),
            BinaryOp::Greater => Ok(self.truth(expr, a > b)),
            BinaryOp::GreaterEqual => Ok(self.truth(expr, a >= b)),
            BinaryOp::Add => exact(a.checked_add(b)),
            BinaryOp::Subtract => exact(a.checked_sub(b)),
            BinaryOp::Multiply => exact(a.checked_mul(b)),
            _ if b == 0 => Err(Signal::Stuck),
            _ => {
                // Rounded down, in numbers that have room.
                let (a, b) = (i128::from(a), i128::from(b));
                let rest = ((a % b) + b) % b;
                let result = if op == BinaryOp::Divide { (a - rest) / b } else { rest };
                exact(i64::try_from(result).ok())
            }
        }
    }

    fn call(&mut self, name: &ast::Name, arguments: &[Argument]) -> Evaluated {
        let tables = self.tables;
        let mut given = Vec::new();
        for argument in arguments {
            let value = self.eval(&argument.value)?;
            self.held.push(value.clone());
            given.push(value);
        }
        if let Some(at) = tables.record(&name.text) {
            let Value::Record(name, mut fields) = tables.start(&Kind::Record(at)) else {
                return Err(Signal::Stuck);
            };
            for (place, (argument, value)) in arguments.iter().zip(given).enumerate() {
                let field = match &argument.name {
                    Some(name) => fields.iter().position(|(field, _)| **field == *name.text),
                    None => Some(place),
                };
                let field = field.ok_or(Signal::Stuck)?;
                let kind = &tables.records[at][field].1;
                fields[field].1 = tables.first(kind, value).ok_or(Signal::Stuck)?;
            }
            return Ok(Value::Record(name, fields));
        }
        let Some(at) = tables.function(&name.text) else {
            let numbers = given.iter().map(number).collect::<Result<Vec<i64>, Signal>>()?;
            let least =
                if name.text == "min" { numbers.iter().min() } else { numbers.iter().max() };
            return least.map(|number| Value::Number(*number)).ok_or(Signal::Stuck);
        };
        let function = &tables.tree.functions[at];
        // The parameters hold them now.
        self.held.truncate(self.held.len() - given.len());
        self.enter(Scope::Function(at));
        for ((parameter, _), value) in function.parameters.iter().zip(given) {
            self.set_local(&parameter.text, value)?;
        }
        let value = match self.block(&function.body) {
            Err(Signal::Yield) => return Err(Signal::Yield),
            Err(Signal::Return(value)) => Ok(value),
            other => other,
        };
        self.frames.pop();
        self.scopes.pop();
        value
    }

    fn set_local(&mut self, name: &str, value: Value) -> Result<(), Signal> {
        let scope = self.scopes.last().ok_or(Signal::Stuck)?;
        let kind = self.tables.locals.get(scope).and_then(|locals| locals.get(name));
        let value = match kind {
            Some(kind) => self.tables.fitted(kind, value).ok_or(Signal::Stuck)?,
            None => value,
        };
        let frame = self.frames.last_mut().ok_or(Signal::Stuck)?;
        frame.insert(name.into(), value);
        Ok(())
    }

    fn read(&self, name: &str) -> Evaluated {
        let value = if let Some(value) = self.tables.constants.get(name) {
            Some(value)
        } else if name.starts_with(char::is_uppercase) {
            self.globals.get(name)
        } else {
            self.frames.last().and_then(|frame| frame.get(name))
        };
        value.cloned().ok_or(Signal::Stuck)
    }

    /// `array[index]`: an element of a variable is read when the index is known.
    fn element(&mut self, expr: &Expr, array: &Expr, index: &Expr) -> Evaluated {
        if is_place(expr) {
            let place = self.place(expr)?;
            return self.read_place(&place);
        }
        let array = self.eval(array)?;
        self.held.push(array.clone());
        let index = self.eval(index)?;
        selected(&array, &Selected::Element(index)).cloned().ok_or(Signal::Stuck)
    }

    fn store(&mut self, place: &Expr, value: &Expr) -> Evaluated {
        if let ExprKind::Tuple(places) = &place.kind {
            let value = self.eval(value)?;
            self.held.push(value.clone());
            return self.store_parts(places, value);
        }
        let place = self.place(place)?;
        self.hold(&place);
        let value = self.eval(value)?;
        self.write(&place, value)
    }

    /// From left to right, each with its indices evaluated when its turn comes.
    fn store_parts(&mut self, places: &[Expr], value: Value) -> Evaluated {
        let Value::Tuple(parts) = &value else { return Err(Signal::Stuck) };
        for (at, (place, part)) in places.iter().zip(parts).enumerate() {
            self.path.push(at);
            if let ExprKind::Tuple(places) = &place.kind {
                self.store_parts(places, part.clone())?;
            } else {
                let place = self.place(place)?;
                self.write(&place, part.clone())?;
            }
            self.path.pop();
        }
        Ok(value)
    }

    /// Notes the indices of a place.
    fn hold(&mut self, place: &Place<'_>) {
        for selected in &place.inside {
            if let Selected::Element(index) = selected {
                self.held.push(index.clone());
            }
        }
    }

    /// The variable, and its indices from left to right.
    fn place<'e>(&mut self, expr: &'e Expr) -> Result<Place<'e>, Signal> {
        Ok(match &expr.kind {
            ExprKind::Read(name) => Place { name, inside: Vec::new() },
            ExprKind::Field(of, field) => {
                let mut place = self.place(of)?;
                place.inside.push(Selected::Field(&field.text));
                place
            }
            ExprKind::Index(array, index) => {
                let mut place = self.place(array)?;
                let held = self.held.len();
                self.hold(&place);
                let index = self.eval(index)?;
                self.held.truncate(held);
                place.inside.push(Selected::Element(index));
                // An index that does not exist is noticed at once.
                self.read_place(&place)?;
                place
            }
            ExprKind::Group(block) if block.exprs.len() == 1 => self.place(&block.exprs[0])?,
            _ => return Err(Signal::Stuck),
        })
    }

    fn read_place(&self, place: &Place<'_>) -> Evaluated {
        let mut value = &self.read(&place.name.text)?;
        for inside in &place.inside {
            value = selected(value, inside).ok_or(Signal::Stuck)?;
        }
        Ok(value.clone())
    }

    fn write(&mut self, place: &Place<'_>, value: Value) -> Evaluated {
        let tables = self.tables;
        let name = &*place.name.text;
        let is_global = name.starts_with(char::is_uppercase);
        let kind = if is_global {
            tables.globals.get(name)
        } else {
            self.scopes.last().and_then(|scope| tables.locals.get(scope)?.get(name))
        };
        let mut kind = kind.ok_or(Signal::Stuck)?;
        let mut variable = self.read(name)?;
        let mut part = &mut variable;
        for inside in &place.inside {
            part = selected_mut(part, inside).ok_or(Signal::Stuck)?;
            kind = match (inside, kind) {
                (Selected::Element(_), Kind::Array(_, kind)) => kind,
                (Selected::Field(field), Kind::Record(at)) => {
                    let fields = tables.records[*at].iter();
                    let mut fields = fields.filter(|(name, _)| **name == **field);
                    fields.next().map(|(_, kind)| kind).ok_or(Signal::Stuck)?
                }
                _ => return Err(Signal::Stuck),
            };
        }
        let value = tables.fitted(kind, value).ok_or(Signal::Stuck)?;
        *part = value.clone();
        if is_global {
            Rc::make_mut(&mut self.globals).insert(name.into(), variable);
        } else {
            let frame = self.frames.last_mut().ok_or(Signal::Stuck)?;
            frame.insert(name.into(), variable);
        }
        Ok(value)
    }
}

fn number(value: &Value) -> Result<i64, Signal> {
    match value {
        Value::Number(number) => Ok(*number),
        _ => Err(Signal::Stuck),
    }
}

fn exact(result: Option<i64>) -> Evaluated {
    result.map(Value::Number).ok_or(Signal::TooMuch(TooMuch::Overflow))
}

/// Whether this is a variable or a part of one.
fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Read(_) => true,
        ExprKind::Field(of, _) | ExprKind::Index(of, _) => is_place(of),
        ExprKind::Group(block) => block.exprs.len() == 1 && is_place(&block.exprs[0]),
        _ => false,
    }
}

fn selected<'v>(value: &'v Value, part: &Selected<'_>) -> Option<&'v Value> {
    match (value, part) {
        (Value::Array(elements), Selected::Element(index)) => {
            elements.iter().find(|(key, _)| key == index).map(|(_, value)| value)
        }
        (Value::Record(_, fields), Selected::Field(field)) => {
            fields.iter().find(|(name, _)| **name == **field).map(|(_, value)| value)
        }
        _ => None,
    }
}

fn selected_mut<'v>(value: &'v mut Value, part: &Selected<'_>) -> Option<&'v mut Value> {
    match (value, part) {
        (Value::Array(elements), Selected::Element(index)) => {
            elements.iter_mut().find(|(key, _)| key == index).map(|(_, value)| value)
        }
        (Value::Record(_, fields), Selected::Field(field)) => {
            fields.iter_mut().find(|(name, _)| **name == **field).map(|(_, value)| value)
        }
        _ => None,
    }
}
