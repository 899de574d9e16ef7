//! Types where none are written: what a variable starts with, and whether a comparison gives 0 and
//! 1 or `false` and `true`.
//!
//! Programs have been accepted before, so nothing is ever rejected here: what does not fit together
//! is left alone. Everything is looked at a few times, because what comes later may say what
//! something earlier was.

use super::tables::{Kind, NodeId, Scope, Tables, node};
use super::value::Value;
use ser_syntax::ast::{
    self, BinaryOp, Block, Else, Expr, ExprKind, Pattern, Relation, TypeKind, UnaryOp,
};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What was found out.
pub(super) struct Found {
    pub(super) globals: BTreeMap<Rc<str>, Kind>,
    pub(super) locals: BTreeMap<Scope, BTreeMap<Rc<str>, Kind>>,
    pub(super) truths: Vec<NodeId>,
    pub(super) lists: BTreeMap<NodeId, Vec<Value>>,
}

/// How often everything is looked at.
const ROUNDS: usize = 4;

/// Nothing if a type that is written down means nothing.
pub(super) fn infer(tables: &Tables) -> Option<Found> {
    let mut known = Known {
        tables,
        slots: Vec::new(),
        nodes: BTreeMap::new(),
        lists: Vec::new(),
        globals: BTreeMap::new(),
        locals: BTreeMap::new(),
        declared: BTreeMap::new(),
        loops: Vec::new(),
        results: BTreeMap::new(),
        returned: BTreeMap::new(),
        scope: Scope::Request(0),
    };
    let mut declared_globals = BTreeMap::new();
    for _ in 0..ROUNDS {
        for item in &tables.tree.globals {
            let global = known.variable(&item.name.text);
            if let Some(kind) = tables.declared(&item.declared) {
                let shape = known.of_kind(&kind);
                known.unify(global, shape);
                declared_globals.insert(Rc::from(item.name.text.as_str()), kind);
            }
            if let Some(value) = &item.value {
                let value = known.infer(value, true)?;
                known.first(global, value);
            }
        }
        for (at, function) in tables.tree.functions.iter().enumerate() {
            known.scope = Scope::Function(at);
            for (name, written) in &function.parameters {
                known.local(name, written.as_ref())?;
            }
            let result = known.result(at);
            let value = known.block(&function.body, true)?;
            known.unify(result, value);
        }
        for (at, request) in tables.tree.requests.iter().enumerate() {
            known.scope = Scope::Request(at);
            for parameter in &request.parameters {
                known.local(&parameter.name, Some(&parameter.values))?;
            }
            known.block(&request.body, false)?;
            known.response_of(&request.body, at)?;
        }
        for conjunct in tables.tree.claims.iter().flat_map(|claim| &claim.conjuncts) {
            known.infer(&conjunct.condition, true)?;
        }
    }
    // Returned together with a `bool`.
    for all in std::mem::take(&mut known.returned).into_values() {
        let is_bool = |known: &Known<'_>, ty| known.known(ty) == Some(Shape::Bool);
        if let Some(truth) = all.iter().copied().find(|ty| is_bool(&known, *ty)) {
            for ty in all {
                if matches!(known.slots[known.root(ty)], Slot::Open { truth: true }) {
                    known.unify(ty, truth);
                }
            }
        }
    }
    Some(known.found(declared_globals))
}

type Ty = usize;

#[derive(Clone, PartialEq, Eq, Debug)]
enum Shape {
    Number,
    Bool,
    Enumeration(usize),
    Record(usize),
    Array(Keys, Ty),
    Tuple(Vec<Ty>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Keys {
    /// As somebody has declared it.
    Declared(Vec<Value>),
    /// As long as what was written.
    Written(usize),
}

#[derive(Clone, Debug)]
enum Slot {
    Same(Ty),
    Known(Shape),
    /// Whether it is a truth: a number or a `bool`, and a number if nobody says more.
    Open {
        truth: bool,
    },
}

struct Known<'a> {
    tables: &'a Tables,
    slots: Vec<Slot>,
    /// Expressions whose types are kept from round to round.
    nodes: BTreeMap<NodeId, Ty>,
    /// Those of `nodes` that are written arrays.
    lists: Vec<NodeId>,
    globals: BTreeMap<Rc<str>, Ty>,
    locals: BTreeMap<(Scope, Rc<str>), Ty>,
    declared: BTreeMap<(Scope, Rc<str>), Kind>,
    /// The variables of the loops around.
    loops: Vec<(Rc<str>, Ty)>,
    /// What functions give.
    results: BTreeMap<usize, Ty>,
    /// What requests respond.
    returned: BTreeMap<usize, Vec<Ty>>,
    scope: Scope,
}

impl Known<'_> {
    fn slot(&mut self, slot: Slot) -> Ty {
        self.slots.push(slot);
        self.slots.len() - 1
    }

    fn open(&mut self) -> Ty {
        self.slot(Slot::Open { truth: false })
    }

    fn shape(&mut self, shape: Shape) -> Ty {
        self.slot(Slot::Known(shape))
    }

    fn number(&mut self) -> Ty {
        self.shape(Shape::Number)
    }

    fn root(&self, mut ty: Ty) -> Ty {
        while let Slot::Same(next) = self.slots[ty] {
            ty = next;
        }
        ty
    }

    fn known(&self, ty: Ty) -> Option<Shape> {
        match &self.slots[self.root(ty)] {
            Slot::Known(shape) => Some(shape.clone()),
            _ => None,
        }
    }

    /// Takes two types for one, if they can be.
    fn is_key(&self, ty: Ty) -> bool {
        match self.slots[self.root(ty)] {
            Slot::Known(Shape::Enumeration(at)) => self.tables.tree.enumerations[at].open,
            _ => false,
        }
    }

    fn unify(&mut self, a: Ty, b: Ty) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        match (self.slots[a].clone(), self.slots[b].clone()) {
            (Slot::Open { truth: false }, _) => self.slots[a] = Slot::Same(b),
            (_, Slot::Open { truth: false }) => self.slots[b] = Slot::Same(a),
            (Slot::Open { .. }, Slot::Open { .. } | Slot::Known(Shape::Number | Shape::Bool)) => {
                self.slots[a] = Slot::Same(b)
            }
            (Slot::Known(Shape::Number | Shape::Bool), Slot::Open { .. }) => {
                self.slots[b] = Slot::Same(a);
            }
            (Slot::Known(Shape::Array(k, x)), Slot::Known(Shape::Array(_, y))) => {
                match k {
                    Keys::Declared(_) => self.slots[b] = Slot::Same(a),
                    Keys::Written(_) => self.slots[a] = Slot::Same(b),
                }
                self.unify(x, y);
            }
            (Slot::Known(Shape::Tuple(x)), Slot::Known(Shape::Tuple(y))) => {
                x.into_iter().zip(y).for_each(|(x, y)| self.unify(x, y));
            }
            _ => {}
        }
    }

    /// A first value: for an array, it may be that of an element.
    fn first(&mut self, mut variable: Ty, value: Ty) {
        if !matches!(self.known(value), Some(Shape::Array(..))) {
            while let Some(Shape::Array(_, elements)) = self.known(variable) {
                variable = elements;
            }
        }
        self.unify(variable, value);
    }

    fn of_kind(&mut self, kind: &Kind) -> Ty {
        let shape = match kind {
            Kind::Int | Kind::Range(..) => Shape::Number,
            Kind::Bool => Shape::Bool,
            Kind::Enumeration(at) => Shape::Enumeration(*at),
            Kind::Record(at) => Shape::Record(*at),
            Kind::Array(keys, kind) => {
                let elements = self.of_kind(kind);
                Shape::Array(Keys::Declared(keys.clone()), elements)
            }
            Kind::Tuple(parts) => Shape::Tuple(parts.iter().map(|p| self.of_kind(p)).collect()),
        };
        self.shape(shape)
    }

    fn of_value(&mut self, value: &Value) -> Ty {
        match value {
            Value::Bool(_) => self.shape(Shape::Bool),
            Value::Member { enumeration, .. } => self.shape(Shape::Enumeration(*enumeration)),
            _ => self.number(),
        }
    }

    fn result(&mut self, function: usize) -> Ty {
        let new = self.open();
        *self.results.entry(function).or_insert(new)
    }

    /// What this expression was in the round before.
    fn kept(&mut self, expr: &Expr, slot: Slot) -> Ty {
        let new = self.slot(slot);
        *self.nodes.entry(node(expr)).or_insert(new)
    }

    fn truth(&mut self, expr: &Expr) -> Ty {
        self.kept(expr, Slot::Open { truth: true })
    }

    fn variable(&mut self, name: &str) -> Ty {
        if let Some((_, ty)) = self.loops.iter().rev().find(|(other, _)| &**other == name) {
            return *ty;
        }
        let new = self.open();
        if name.starts_with(char::is_uppercase) {
            *self.globals.entry(name.into()).or_insert(new)
        } else {
            *self.locals.entry((self.scope, name.into())).or_insert(new)
        }
    }

    /// A local variable that is declared.
    fn local(&mut self, name: &ast::Name, written: Option<&ast::Type>) -> Option<Ty> {
        let ty = self.variable(&name.text);
        if let Some(written) = written {
            let kind = self.tables.kind(written)?;
            let shape = self.of_kind(&kind);
            self.unify(ty, shape);
            self.declared.insert((self.scope, name.text.as_str().into()), kind);
        }
        Some(ty)
    }

    fn block(&mut self, block: &Block, used: bool) -> Option<Ty> {
        let mut last = None;
        for (at, expr) in block.exprs.iter().enumerate() {
            last = Some(self.infer(expr, used && at + 1 == block.exprs.len())?);
        }
        Some(last.unwrap_or_else(|| self.number()))
    }

    /// What a request responds: its branches may be of different types.
    fn response_of(&mut self, block: &Block, request: usize) -> Option<()> {
        block.exprs.last().map_or(Some(()), |last| self.response(last, request))
    }

    fn response(&mut self, expr: &Expr, request: usize) -> Option<()> {
        match &expr.kind {
            ExprKind::If(_, then, otherwise) => {
                self.response_of(then, request)?;
                match otherwise {
                    None => Some(()),
                    Some(Else::Block(block)) => self.response_of(block, request),
                    Some(Else::If(expr)) => self.response(expr, request),
                }
            }
            ExprKind::Match(_, arms) => {
                arms.iter().try_for_each(|arm| self.response(&arm.body, request))
            }
            ExprKind::Either(blocks) => {
                blocks.iter().try_for_each(|block| self.response_of(block, request))
            }
            ExprKind::Group(block) | ExprKind::With(_, block) => self.response_of(block, request),
            _ => {
                let ty = self.infer(expr, true)?;
                self.returned.entry(request).or_default().push(ty);
                Some(())
            }
        }
    }

    /// The type of one of several: if nobody looks at it, they need not be the same.
    fn join(&mut self, expr: &Expr, parts: &[Ty], used: bool) -> Ty {
        let all = self.kept(expr, Slot::Open { truth: false });
        if used {
            parts.iter().for_each(|part| self.unify(all, *part));
        }
        all
    }

    #[allow(clippy::too_many_lines)] // one case for each construct
    fn infer(&mut self, expr: &Expr, used: bool) -> Option<Ty> {
        Some(match &expr.kind {
            ExprKind::Number(_) | ExprKind::Yield => self.number(),
            ExprKind::Bool(_) => self.shape(Shape::Bool),
            ExprKind::Coin => self.truth(expr),
            ExprKind::Choose(values) => {
                let kind = self.tables.kind(values)?;
                self.of_kind(&kind)
            }
            ExprKind::Read(name) => match self.tables.constants.get(&name.text) {
                Some(value) => {
                    let items = &self.tables.tree.constants;
                    match items.iter().find(|item| item.name.text == name.text) {
                        Some(item) => self.infer(&item.value, true)?,
                        None => self.of_value(value),
                    }
                }
                None => self.variable(&name.text),
            },
            ExprKind::Index(array, index) => {
                let (array, index) = (self.infer(array, true)?, self.infer(index, true)?);
                match self.known(array) {
                    Some(Shape::Array(keys, elements)) => {
                        let key = match &keys {
                            Keys::Declared(keys) => self.of_value(keys.first()?),
                            Keys::Written(_) => self.number(),
                        };
                        self.unify(index, key);
                        elements
                    }
                    _ => self.kept(expr, Slot::Open { truth: false }),
                }
            }
            ExprKind::Field(of, field) => {
                if let Some(value) = self.tables.member(of, &field.text) {
                    return Some(self.of_value(&value));
                }
                let record = self.infer(of, true)?;
                match self.known(record) {
                    Some(Shape::Record(at)) => {
                        let fields = &self.tables.records[at];
                        let kind = fields.iter().find(|(name, _)| **name == *field.text)?;
                        self.of_kind(&kind.1)
                    }
                    _ => self.kept(expr, Slot::Open { truth: false }),
                }
            }
            ExprKind::Call(name, arguments) => self.call(name, arguments)?,
            ExprKind::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.infer(part, true));
                let parts = parts.collect::<Option<_>>()?;
                self.shape(Shape::Tuple(parts))
            }
            ExprKind::List(parts) => {
                let elements = self.open();
                for part in parts {
                    let part = self.infer(part, true)?;
                    self.unify(elements, part);
                }
                let list = self.shape(Shape::Array(Keys::Written(parts.len()), elements));
                let all = self.kept(expr, Slot::Open { truth: false });
                self.unify(all, list);
                self.lists.push(node(expr));
                all
            }
            ExprKind::Assign(name, value) => {
                let (variable, value) = (self.variable(&name.text), self.infer(value, true)?);
                self.unify(variable, value);
                variable
            }
            ExprKind::Store(place, value) => {
                let (place, value) = (self.infer(place, true)?, self.infer(value, true)?);
                self.unify(place, value);
                place
            }
            ExprKind::Var(variable) => {
                let written = match &variable.declared {
                    ast::Declared::Var(written) => written.as_ref(),
                    _ => None,
                };
                let ty = self.local(&variable.name, written)?;
                if let Some(value) = &variable.value {
                    let value = self.infer(value, true)?;
                    self.first(ty, value);
                }
                ty
            }
            ExprKind::Unary(UnaryOp::Negate, operand) => {
                let (operand, number) = (self.infer(operand, true)?, self.number());
                self.unify(operand, number);
                number
            }
            ExprKind::Unary(UnaryOp::Not, operand) => {
                self.infer(operand, true)?;
                self.truth(expr)
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.infer(left, true)?, self.infer(right, true)?);
                match op {
                    BinaryOp::And | BinaryOp::Or => self.truth(expr),
                    BinaryOp::Equal | BinaryOp::NotEqual => {
                        self.unify(left, right);
                        self.truth(expr)
                    }
                    // Members are compared with members, in the order of their declaration.
                    _ if op.is_comparison()
                        && [left, right]
                            .iter()
                            .any(|it| matches!(self.known(*it), Some(Shape::Enumeration(_)))) =>
                    {
                        self.unify(left, right);
                        self.truth(expr)
                    }
                    // Keys have an order.
                    _ if op.is_comparison() && self.is_key(left) => {
                        self.unify(left, right);
                        self.truth(expr)
                    }
                    _ => {
                        let number = self.number();
                        self.unify(left, number);
                        self.unify(right, number);
                        if op.is_comparison() { self.truth(expr) } else { number }
                    }
                }
            }
            ExprKind::If(condition, then, otherwise) => {
                self.infer(condition, true)?;
                let then = self.block(then, used)?;
                let otherwise = match otherwise {
                    None => self.number(),
                    Some(Else::Block(block)) => self.block(block, used)?,
                    Some(Else::If(expr)) => self.infer(expr, used)?,
                };
                self.join(expr, &[then, otherwise], used)
            }
            ExprKind::Match(value, arms) => {
                let value = self.infer(value, true)?;
                let mut all = Vec::new();
                for arm in arms {
                    for pattern in &arm.patterns {
                        if let Pattern::Value(pattern) | Pattern::Range(pattern, _) = pattern {
                            let pattern = self.infer(pattern, true)?;
                            self.unify(value, pattern);
                        }
                    }
                    all.push(self.infer(&arm.body, used)?);
                }
                self.join(expr, &all, used)
            }
            ExprKind::While(condition, body) => {
                self.infer(condition, true)?;
                self.block(body, false)?;
                self.number()
            }
            ExprKind::For(name, values, body) => {
                let ty = self.counted(values)?;
                self.loops.push((name.text.as_str().into(), ty));
                self.block(body, false)?;
                self.loops.pop();
                self.number()
            }
            ExprKind::Quantified(_, name, values, condition) => {
                let ty = self.counted(values)?;
                self.loops.push((name.text.as_str().into(), ty));
                self.infer(condition, true)?;
                self.loops.pop();
                self.truth(expr)
            }
            ExprKind::Loop(body) => {
                self.block(body, false)?;
                self.number()
            }
            ExprKind::Either(blocks) => {
                let all = blocks.iter().map(|block| self.block(block, used));
                let all = all.collect::<Option<Vec<_>>>()?;
                self.join(expr, &all, used)
            }
            ExprKind::With(lock, body) => {
                self.infer(lock, true)?;
                self.block(body, used)?
            }
            ExprKind::Break | ExprKind::Continue | ExprKind::Abort => self.open(),
            ExprKind::Return(value) => {
                match (self.scope, value) {
                    (Scope::Request(at), Some(value)) => {
                        self.infer(value, false)?;
                        self.response(value, at)?;
                    }
                    (Scope::Request(_), None) => {}
                    (Scope::Function(at), value) => {
                        let value = match value {
                            Some(value) => self.infer(value, true)?,
                            None => self.number(),
                        };
                        let result = self.result(at);
                        self.unify(result, value);
                    }
                }
                self.open()
            }
            ExprKind::Assume(condition) | ExprKind::Assert(condition) => {
                self.infer(condition, true)?;
                self.number()
            }
            ExprKind::Group(block) => self.block(block, used)?,
            ExprKind::Relation(Relation::In, left, right) => {
                let value = self.infer(left, true)?;
                match &right.kind {
                    ExprKind::Range(low, high) => {
                        let number = self.number();
                        self.unify(value, number);
                        for end in [low, high] {
                            let end = self.infer(end, true)?;
                            self.unify(end, number);
                        }
                    }
                    ExprKind::Elements(parts) => {
                        for part in parts {
                            let part = self.infer(part, true)?;
                            self.unify(value, part);
                        }
                    }
                    _ => return None,
                }
                self.truth(expr)
            }
            ExprKind::Relation(_, left, right) => {
                self.infer(left, true)?;
                self.infer(right, true)?;
                self.truth(expr)
            }
            // Requests have nothing else.
            _ => return None,
        })
    }

    /// What a `for` goes over.
    fn counted(&mut self, values: &ast::Type) -> Option<Ty> {
        Some(match &values.kind {
            TypeKind::Range(low, high) => {
                let number = self.number();
                let (low, high) = (self.infer(low, true)?, self.infer(high, true)?);
                self.unify(low, number);
                self.unify(high, number);
                number
            }
            _ => {
                let kind = self.tables.kind(values)?;
                self.of_kind(&kind)
            }
        })
    }

    fn call(&mut self, name: &ast::Name, arguments: &[ast::Argument]) -> Option<Ty> {
        let mut given = Vec::new();
        for argument in arguments {
            given.push((argument.name.as_ref(), self.infer(&argument.value, true)?));
        }
        if let Some(at) = self.tables.record(&name.text) {
            for (place, (field, value)) in given.into_iter().enumerate() {
                let fields = &self.tables.records[at];
                let (_, kind) = match field {
                    Some(field) => fields.iter().find(|(name, _)| **name == *field.text)?,
                    None => fields.get(place)?,
                };
                let ty = self.of_kind(kind);
                self.first(ty, value);
            }
            return Some(self.shape(Shape::Record(at)));
        }
        if let Some(at) = self.tables.function(&name.text) {
            let scope = std::mem::replace(&mut self.scope, Scope::Function(at));
            let loops = std::mem::take(&mut self.loops);
            for ((_, value), (name, _)) in
                given.iter().zip(&self.tables.tree.functions[at].parameters)
            {
                let parameter = self.variable(&name.text);
                self.unify(parameter, *value);
            }
            (self.scope, self.loops) = (scope, loops);
            return Some(self.result(at));
        }
        // `min` and `max`.
        let number = self.number();
        given.iter().for_each(|(_, value)| self.unify(*value, number));
        Some(number)
    }

    /// The kind of what nobody has declared.
    fn kind(&self, ty: Ty) -> Kind {
        match self.known(ty) {
            None | Some(Shape::Number) => Kind::Int,
            Some(Shape::Bool) => Kind::Bool,
            Some(Shape::Enumeration(at)) => Kind::Enumeration(at),
            Some(Shape::Record(at)) => Kind::Record(at),
            Some(Shape::Array(keys, elements)) => {
                Kind::Array(written(keys), Box::new(self.kind(elements)))
            }
            Some(Shape::Tuple(parts)) => {
                Kind::Tuple(parts.into_iter().map(|part| self.kind(part)).collect())
            }
        }
    }

    fn found(self, declared_globals: BTreeMap<Rc<str>, Kind>) -> Found {
        let mut found = Found {
            globals: declared_globals,
            locals: BTreeMap::new(),
            truths: Vec::new(),
            lists: BTreeMap::new(),
        };
        for (name, ty) in &self.globals {
            let kind = self.kind(*ty);
            found.globals.entry(Rc::clone(name)).or_insert(kind);
        }
        for ((scope, name), ty) in &self.locals {
            let declared = self.declared.get(&(*scope, Rc::clone(name)));
            let kind = declared.cloned().unwrap_or_else(|| self.kind(*ty));
            found.locals.entry(*scope).or_default().insert(Rc::clone(name), kind);
        }
        for (node, ty) in &self.nodes {
            match self.known(*ty) {
                Some(Shape::Bool) => found.truths.push(*node),
                Some(Shape::Array(keys, _)) if self.lists.contains(node) => {
                    found.lists.insert(*node, written(keys));
                }
                _ => {}
            }
        }
        found
    }
}

fn written(keys: Keys) -> Vec<Value> {
    match keys {
        Keys::Declared(keys) => keys,
        Keys::Written(length) => (0..length as i64).map(Value::Number).collect(),
    }
}
