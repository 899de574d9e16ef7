//! Expressions of the file as terms and formulas, in an environment.

use crate::environment::{Environment, Scope, Value, Variable};
use crate::formula::{Atom, Flag, Formula, Store};
use crate::linear::Linear;
use crate::rejection::Reason;
use crate::term::{Sort, TermId, TermKind};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Expr, ExprKind, Field, Operator, Scalar, Thread, Type};

/// A set may be written with so many elements.
const MAX_ELEMENTS: usize = 1000;

/// Translates expressions.
pub(crate) struct Translator<'a> {
    pub system: &'a System,
    pub store: &'a mut Store,
    pub environment: &'a Environment,
    pub scope: Scope<'a>,
    /// Sets whose minimum or maximum was asked for in the atom at hand.
    guards: Vec<TermId>,
}

/// The front end does not let these through.
fn wrong(what: &str) -> Reason {
    Reason::Source { what: format!("an expression {what}") }
}

impl<'a> Translator<'a> {
    pub fn new(
        system: &'a System,
        store: &'a mut Store,
        environment: &'a Environment,
        scope: Scope<'a>,
    ) -> Translator<'a> {
        Translator { system, store, environment, scope, guards: Vec::new() }
    }

    /// A value of any type.
    pub fn value(&mut self, expr: &Expr) -> Result<Value, Reason> {
        match expr.ty {
            Type::Bool => Ok(Value::Formula(self.formula(expr)?)),
            _ => Ok(Value::Term(self.term(expr)?)),
        }
    }

    pub fn block(&self, thread: Thread) -> Result<u32, Reason> {
        let scope = &self.scope;
        let block = match thread {
            Thread::Me => scope.me,
            Thread::Index(place) => scope.parameters.get(place as usize).copied(),
            Thread::Global(global) => {
                scope.anchors.iter().find(|(anchor, _)| *anchor == global).map(|(_, block)| *block)
            }
        };
        block.ok_or_else(|| wrong("names a thread that is not known here"))
    }

    fn variable(&mut self, variable: Variable) -> Result<Value, Reason> {
        if let Some(value) = self.environment.get(variable) {
            return Ok(value);
        }
        let (ty, kind, flag) = match variable {
            Variable::Global(global) => {
                let found = self.system.globals.get(global as usize).map(|it| it.ty);
                (found, TermKind::Global(global), Flag::Global(global))
            }
            Variable::Local(local, block) => {
                let found = self.system.locals.get(local as usize).map(|it| it.ty);
                (found, TermKind::Local(local, block), Flag::Local(local, block))
            }
        };
        let ty = ty.ok_or_else(|| wrong("names a variable that does not exist"))?;
        Ok(match Sort::of(ty) {
            None => Value::Formula(self.store.atom(Atom::Flag(flag))),
            Some(sort) => Value::Term(self.store.term(kind, sort)),
        })
    }

    pub fn global(&mut self, global: u32) -> Result<Value, Reason> {
        self.variable(Variable::Global(global))
    }

    pub fn local(&mut self, local: u32, block: u32) -> Result<Value, Reason> {
        self.variable(Variable::Local(local, block))
    }

    /// `.field` in the current heap version.
    pub fn read(&mut self, field: Field, address: TermId) -> TermId {
        let heap = &self.environment.heap;
        read(self.store, heap.lowered(heap.version(), &[field]), field, address)
    }

    /// `reach(a, b)` in the current heap version.
    pub fn reach(&mut self, a: TermId, b: TermId) -> Formula {
        let heap = &self.environment.heap;
        let version = heap.lowered(heap.version(), &[Field::Next]);
        self.store.reach(version, Vec::new(), a, b)
    }

    fn form(&mut self, expr: &Expr) -> Result<Linear, Reason> {
        let term = self.term(expr)?;
        Ok(self.store.form(term))
    }

    /// A value that is no formula.
    pub fn term(&mut self, expr: &Expr) -> Result<TermId, Reason> {
        use ExprKind as E;
        let environment = self.environment;
        let heap = &environment.heap;
        match &expr.kind {
            E::Int(number) => Ok(self.store.sum(Linear::constant(i128::from(*number)))),
            E::Null => Ok(self.store.null()),
            E::Nobody => Ok(self.store.nobody()),
            E::Lowest => Ok(self.store.scalar(TermKind::Lowest, Scalar::Elem)),
            E::Highest => Ok(self.store.scalar(TermKind::Highest, Scalar::Elem)),
            E::Thread(thread) => {
                let block = self.block(*thread)?;
                Ok(self.store.scalar(TermKind::Thread(block), Scalar::Tid))
            }
            E::Global(_) | E::Local(..) => match self.known(expr)? {
                Value::Term(term) => Ok(term),
                Value::Formula(_) => Err(wrong("of type `bool` where a value is wanted")),
            },
            E::Field(address, field) => {
                let address = self.term(address)?;
                Ok(self.read(*field, address))
            }
            E::Negate(inner) => {
                let form = self.form(inner)?.times(-1)?;
                Ok(self.store.sum(form))
            }
            E::Binary(operator, l, r) => self.binary(*operator, l, r),
            E::Set(elements) => {
                if elements.len() > MAX_ELEMENTS {
                    let what = format!("a set is written with more than {MAX_ELEMENTS} elements");
                    return Err(Reason::Size { what });
                }
                let mut whole = None;
                for element in elements {
                    let element = self.term(element)?;
                    let single = self.store.singleton(element);
                    whole = Some(match whole {
                        None => single,
                        Some(set) => self.store.both(TermKind::Union, set, single),
                    });
                }
                Ok(whole.unwrap_or_else(|| self.store.set(TermKind::Empty, None)))
            }
            E::Min(set) | E::Max(set) => {
                let set = self.term(set)?;
                self.guards.push(set);
                let is_min = matches!(expr.kind, E::Min(_));
                let kind = if is_min { TermKind::Min(set) } else { TermKind::Max(set) };
                Ok(self.store.scalar(kind, Scalar::Int))
            }
            E::Cells(address) => {
                let version = heap.lowered(heap.version(), &[Field::Next]);
                let address = self.term(address)?;
                Ok(self.store.set(TermKind::Cells(version, address), Some(Scalar::Addr)))
            }
            E::Elems(set) => {
                let version = heap.lowered(heap.version(), &[Field::Data]);
                let set = self.term(set)?;
                Ok(self.store.set(TermKind::Elems(version, set), Some(Scalar::Elem)))
            }
            E::Bool(_) | E::At(..) | E::Not(_) | E::Reach(..) | E::Ordered(..) => {
                Err(wrong("of type `bool` where a value is wanted"))
            }
        }
    }

    fn binary(&mut self, operator: Operator, l: &Expr, r: &Expr) -> Result<TermId, Reason> {
        use Operator as O;
        match operator {
            O::Add | O::Subtract => {
                let (l, r) = (self.form(l)?, self.form(r)?);
                let form = l.add(if operator == O::Add { 1 } else { -1 }, &r)?;
                Ok(self.store.sum(form))
            }
            O::Multiply => {
                let (l, r) = (self.form(l)?, self.form(r)?);
                let form = match (l.number(), r.number()) {
                    (Some(factor), _) => r.times(factor)?,
                    (None, Some(factor)) => l.times(factor)?,
                    (None, None) => return Err(wrong("that multiplies two variables")),
                };
                Ok(self.store.sum(form))
            }
            O::Union | O::Difference | O::Intersection => {
                let kind = match operator {
                    O::Union => TermKind::Union,
                    O::Difference => TermKind::Difference,
                    _ => TermKind::Intersection,
                };
                let (l, r) = (self.term(l)?, self.term(r)?);
                Ok(self.store.both(kind, l, r))
            }
            _ => Err(wrong("of type `bool` where a value is wanted")),
        }
    }

    /// The value of a variable.
    fn known(&mut self, expr: &Expr) -> Result<Value, Reason> {
        match &expr.kind {
            ExprKind::Global(global) => self.global(global.0),
            ExprKind::Local(local, thread) => {
                let block = self.block(*thread)?;
                self.local(local.0, block)
            }
            _ => Err(wrong("that is no variable")),
        }
    }

    pub fn formula(&mut self, expr: &Expr) -> Result<Formula, Reason> {
        use ExprKind as E;
        match &expr.kind {
            E::Bool(value) => Ok(Formula::of(*value)),
            E::Global(_) | E::Local(..) => match self.known(expr)? {
                Value::Formula(formula) => Ok(formula),
                Value::Term(_) => Err(wrong("that is no formula")),
            },
            E::At(thread, locations) => {
                let block = self.block(*thread)?;
                if let Some(known) = self.environment.position.of(block) {
                    return Ok(Formula::of(locations.contains(&known)));
                }
                match locations.len() {
                    0 => Ok(Formula::FALSE),
                    all if all >= self.system.locations.len() => Ok(Formula::TRUE),
                    _ => Ok(self.store.atom(Atom::At(block, locations.as_slice().into()))),
                }
            }
            E::Not(inner) => Ok(!self.formula(inner)?),
            E::Binary(operator, l, r) => self.connective(*operator, l, r),
            E::Reach(a, b) => {
                let (a, b) = (self.term(a)?, self.term(b)?);
                Ok(self.reach(a, b))
            }
            E::Ordered(a, b) => {
                let (a, b) = (self.term(a)?, self.term(b)?);
                let heap = &self.environment.heap;
                let version = heap.lowered(heap.version(), &[Field::Next, Field::Data]);
                Ok(self.store.ordered(version, a, b))
            }
            _ => Err(wrong("that is no formula")),
        }
    }

    fn connective(&mut self, operator: Operator, l: &Expr, r: &Expr) -> Result<Formula, Reason> {
        use Operator as O;
        let is_bool = l.ty == Type::Bool;
        match operator {
            O::And => {
                let (l, r) = (self.formula(l)?, self.formula(r)?);
                Ok(self.store.and(l, r))
            }
            O::Or => {
                let (l, r) = (self.formula(l)?, self.formula(r)?);
                Ok(self.store.or(l, r))
            }
            O::Implies => {
                let (l, r) = (self.formula(l)?, self.formula(r)?);
                Ok(self.store.implies(l, r))
            }
            O::Iff | O::Equal | O::NotEqual if operator == O::Iff || is_bool => {
                let (l, r) = (self.formula(l)?, self.formula(r)?);
                let same = self.store.iff(l, r);
                Ok(same.signed(operator != O::NotEqual))
            }
            O::Equal | O::NotEqual | O::Less | O::LessEqual | O::In | O::Subset => {
                let positive = self.atom(operator, l, r)?;
                Ok(positive.signed(operator != O::NotEqual))
            }
            _ => Err(wrong("that is no formula")),
        }
    }

    /// An atom of the file, which holds only if no set whose minimum or maximum it mentions is
    /// empty. (`!=` as `==`.)
    fn atom(&mut self, operator: Operator, l: &Expr, r: &Expr) -> Result<Formula, Reason> {
        use Operator as O;
        let outer = std::mem::take(&mut self.guards);
        let of_numbers = l.ty == Type::Scalar(Scalar::Int);
        let (l, r) = (self.term(l)?, self.term(r)?);
        let store = &mut *self.store;
        let formula = match operator {
            O::Equal | O::NotEqual => store.equal(l, r)?,
            O::Less if of_numbers => !store.at_most(r, l)?,
            O::LessEqual if of_numbers => store.at_most(l, r)?,
            O::Less => !store.less_equal(r, l),
            O::LessEqual => store.less_equal(l, r),
            O::In => store.member(l, r)?,
            _ => store.subset(l, r),
        };
        Ok(self.guarded(formula, outer))
    }

    /// An atom, with the guards that were collected for it.
    fn guarded(&mut self, formula: Formula, outer: Vec<TermId>) -> Formula {
        let guards = std::mem::replace(&mut self.guards, outer);
        let mut parts = vec![formula];
        parts.extend(guards.into_iter().map(|set| self.store.some(set)));
        self.store.all(parts)
    }

    /// `x == e` for a variable with this value.
    pub fn equation(&mut self, variable: Value, expr: &Expr) -> Result<Formula, Reason> {
        match variable {
            Value::Formula(variable) => {
                let value = self.formula(expr)?;
                Ok(self.store.iff(variable, value))
            }
            Value::Term(variable) => {
                let outer = std::mem::take(&mut self.guards);
                let value = self.term(expr)?;
                let formula = self.store.equal(variable, value)?;
                Ok(self.guarded(formula, outer))
            }
        }
    }
}

/// `.field` in a heap version, which is lowered.
pub(crate) fn read(store: &mut Store, version: u32, field: Field, address: TermId) -> TermId {
    match field {
        Field::Next => store.scalar(TermKind::Next(version, address), Scalar::Addr),
        Field::Data => store.scalar(TermKind::Data(version, address), Scalar::Elem),
        Field::Lockid => store.scalar(TermKind::Lockid(version, address), Scalar::Tid),
    }
}
