//! Expressions with values: what they are in a concrete state.

use crate::run::{Cell, Elem, Fault, FaultKind, State, ThreadState, Value};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Expr, ExprKind, Field, GlobalId, Operator, Scalar, Thread, Type};
use std::collections::BTreeSet;

/// Why an expression has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoValue {
    /// The minimum or maximum of an empty set.
    Empty,
    /// A number that does not fit.
    Overflow,
    /// Something that the types exclude.
    Type,
}

/// A state, and which threads are meant.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub state: &'a State,
    /// Who does the step.
    pub me: Option<u32>,
    /// The parameters of an invariant.
    pub parameters: &'a [u32],
}

impl State {
    pub fn cell(&self, address: u32) -> Cell {
        self.cells.get(&address).cloned().unwrap_or_default()
    }

    /// `addr2set(a)`: all cells from here on, in their order.
    pub fn cells_from(&self, address: u32) -> Vec<u32> {
        let (mut seen, mut order, mut current) = (BTreeSet::new(), Vec::new(), address);
        while seen.insert(current) {
            order.push(current);
            if current == 0 {
                break;
            }
            current = self.cell(current).next;
        }
        order
    }

    /// `ordered(a, b)`.
    pub fn is_ordered(&self, a: u32, b: u32) -> bool {
        let cells = self.cells_from(a);
        let Some(end) = cells.iter().position(|cell| *cell == b) else { return false };
        let data = |cell: &u32| self.cell(*cell).data;
        cells[..=end].windows(2).all(|pair| data(&pair[0]) < data(&pair[1]))
    }

    /// Whether somebody can get at an address: it is in a set, or reached from a variable. Ghosts
    /// do not count: they must not make a difference to what the program does.
    pub fn is_known(&self, system: &System, address: u32) -> bool {
        let globals = self.globals.iter().zip(&system.globals);
        let globals = globals.filter(|(_, it)| !it.ghost).map(|(value, _)| value);
        let locals = self.threads.iter().flat_map(|thread| {
            let locals = thread.locals.iter().zip(&system.locals);
            locals.filter(|(_, it)| !it.ghost).map(|(value, _)| value)
        });
        globals.chain(locals).any(|value| match value {
            Value::Set(elements) => elements.contains(&Value::Addr(address)),
            Value::Addr(from) => self.cells_from(*from).contains(&address),
            _ => false,
        })
    }
}

/// The value of `.field`.
fn field_of(cell: &Cell, field: Field) -> Value {
    match field {
        Field::Next => Value::Addr(cell.next),
        Field::Data => Value::Elem(cell.data),
        Field::Lockid => Value::Tid(cell.lockid),
    }
}

/// Whether a value has a type, in a system with so many threads.
pub(crate) fn has_type(value: &Value, ty: Type, threads: u32) -> bool {
    let scalar = |value: &Value, scalar: Scalar| match (value, scalar) {
        (Value::Int(_), Scalar::Int)
        | (Value::Addr(_), Scalar::Addr)
        | (Value::Elem(_), Scalar::Elem) => true,
        (Value::Tid(thread), Scalar::Tid) => thread.is_none_or(|thread| thread < threads),
        _ => false,
    };
    match (value, ty) {
        (Value::Bool(_), Type::Bool) => true,
        (Value::Set(elements), Type::Set(of)) => elements.iter().all(|it| scalar(it, of)),
        (value, Type::Scalar(of)) => scalar(value, of),
        _ => false,
    }
}

impl View<'_> {
    pub fn thread(&self, thread: Thread) -> Result<u32, NoValue> {
        match thread {
            Thread::Me => self.me.ok_or(NoValue::Type),
            Thread::Index(place) => {
                self.parameters.get(place as usize).copied().ok_or(NoValue::Type)
            }
            Thread::Global(GlobalId(global)) => match self.state.globals.get(global as usize) {
                Some(Value::Tid(Some(thread))) => Ok(*thread),
                _ => Err(NoValue::Type),
            },
        }
    }

    fn of_thread(&self, thread: Thread) -> Result<&ThreadState, NoValue> {
        self.state.threads.get(self.thread(thread)? as usize).ok_or(NoValue::Type)
    }

    fn int(&self, expr: &Expr) -> Result<i64, NoValue> {
        match self.value(expr)? {
            Value::Int(number) => Ok(number),
            _ => Err(NoValue::Type),
        }
    }

    pub fn address(&self, expr: &Expr) -> Result<u32, NoValue> {
        match self.value(expr)? {
            Value::Addr(address) => Ok(address),
            _ => Err(NoValue::Type),
        }
    }

    fn set(&self, expr: &Expr) -> Result<BTreeSet<Value>, NoValue> {
        match self.value(expr)? {
            Value::Set(elements) => Ok(elements),
            _ => Err(NoValue::Type),
        }
    }

    /// The value of an expression.
    pub fn value(&self, expr: &Expr) -> Result<Value, NoValue> {
        use ExprKind as E;
        Ok(match &expr.kind {
            E::Int(number) => Value::Int(*number),
            E::Null => Value::Addr(0),
            E::Nobody => Value::Tid(None),
            E::Lowest => Value::Elem(Elem::Lowest),
            E::Highest => Value::Elem(Elem::Highest),
            E::Thread(thread) => Value::Tid(Some(self.thread(*thread)?)),
            E::Global(global) => {
                self.state.globals.get(global.0 as usize).cloned().ok_or(NoValue::Type)?
            }
            E::Local(local, thread) => {
                let locals = &self.of_thread(*thread)?.locals;
                locals.get(local.0 as usize).cloned().ok_or(NoValue::Type)?
            }
            E::Field(address, field) => field_of(&self.state.cell(self.address(address)?), *field),
            E::Negate(inner) => {
                Value::Int(self.int(inner)?.checked_neg().ok_or(NoValue::Overflow)?)
            }
            E::Binary(operator, l, r) => match operator {
                Operator::Add | Operator::Subtract | Operator::Multiply => {
                    let (l, r) = (self.int(l)?, self.int(r)?);
                    let result = match operator {
                        Operator::Add => l.checked_add(r),
                        Operator::Subtract => l.checked_sub(r),
                        _ => l.checked_mul(r),
                    };
                    Value::Int(result.ok_or(NoValue::Overflow)?)
                }
                Operator::Union | Operator::Difference | Operator::Intersection => {
                    let (l, r) = (self.set(l)?, self.set(r)?);
                    Value::Set(match operator {
                        Operator::Union => &l | &r,
                        Operator::Difference => &l - &r,
                        _ => &l & &r,
                    })
                }
                _ => Value::Bool(self.holds(expr)?),
            },
            E::Set(elements) => {
                Value::Set(elements.iter().map(|it| self.value(it)).collect::<Result<_, _>>()?)
            }
            E::Min(set) => self.set(set)?.first().cloned().ok_or(NoValue::Empty)?,
            E::Max(set) => self.set(set)?.last().cloned().ok_or(NoValue::Empty)?,
            E::Cells(address) => {
                let cells = self.state.cells_from(self.address(address)?);
                Value::Set(cells.into_iter().map(Value::Addr).collect())
            }
            E::Elems(set) => {
                let mut data = BTreeSet::new();
                for cell in self.set(set)? {
                    let Value::Addr(cell) = cell else { return Err(NoValue::Type) };
                    data.insert(Value::Elem(self.state.cell(cell).data));
                }
                Value::Set(data)
            }
            E::Bool(_) | E::At(..) | E::Not(_) | E::Reach(..) | E::Ordered(..) => {
                Value::Bool(self.holds(expr)?)
            }
        })
    }

    /// Whether a formula holds.
    pub fn holds(&self, expr: &Expr) -> Result<bool, NoValue> {
        use ExprKind as E;
        use Operator as O;
        match &expr.kind {
            E::Bool(value) => Ok(*value),
            E::Global(_) | E::Local(..) => match self.value(expr)? {
                Value::Bool(value) => Ok(value),
                _ => Err(NoValue::Type),
            },
            E::At(thread, locations) => Ok(locations.contains(&self.of_thread(*thread)?.location)),
            E::Not(inner) => Ok(!self.holds(inner)?),
            E::Reach(a, b) => {
                let (a, b) = (self.address(a)?, self.address(b)?);
                Ok(self.state.cells_from(a).contains(&b))
            }
            E::Ordered(a, b) => Ok(self.state.is_ordered(self.address(a)?, self.address(b)?)),
            E::Binary(operator, l, r) => match operator {
                O::And => Ok(self.holds(l)? && self.holds(r)?),
                O::Or => Ok(self.holds(l)? || self.holds(r)?),
                O::Implies => Ok(!self.holds(l)? || self.holds(r)?),
                O::Iff => Ok(self.holds(l)? == self.holds(r)?),
                O::Equal if l.ty == Type::Bool => Ok(self.holds(l)? == self.holds(r)?),
                O::NotEqual if l.ty == Type::Bool => Ok(self.holds(l)? != self.holds(r)?),
                // Nothing compares with the minimum of the empty set.
                O::NotEqual => Ok(!self.compare(O::Equal, l, r).or_else(empty)?),
                _ => self.compare(*operator, l, r).or_else(empty),
            },
            _ => Err(NoValue::Type),
        }
    }

    fn compare(&self, operator: Operator, l: &Expr, r: &Expr) -> Result<bool, NoValue> {
        let (l, r) = (self.value(l)?, self.value(r)?);
        Ok(match (operator, &l, &r) {
            (Operator::Equal, ..) => l == r,
            (Operator::Less, Value::Int(_), Value::Int(_))
            | (Operator::Less, Value::Elem(_), Value::Elem(_)) => l < r,
            (Operator::LessEqual, Value::Int(_), Value::Int(_))
            | (Operator::LessEqual, Value::Elem(_), Value::Elem(_)) => l <= r,
            (Operator::In, _, Value::Set(elements)) => elements.contains(&l),
            (Operator::Subset, Value::Set(s), Value::Set(t)) => s.is_subset(t),
            _ => return Err(NoValue::Type),
        })
    }

    /// What is wrong with evaluating an expression in a statement, if something is.
    pub fn fault(&self, expr: &Expr) -> Result<Option<Fault>, NoValue> {
        self.fault_in(expr, expr.ty == Type::Bool)
    }

    fn fault_in(&self, expr: &Expr, in_formula: bool) -> Result<Option<Fault>, NoValue> {
        use ExprKind as E;
        let mut children = expr.children();
        if let E::Binary(operator @ (Operator::And | Operator::Or | Operator::Implies), l, _) =
            &expr.kind
        {
            let fault = self.fault_in(l, in_formula)?;
            if fault.is_some() || self.holds(l)? == (*operator == Operator::Or) {
                return Ok(fault);
            }
            children.remove(0);
        }
        for child in children {
            let fault = self.fault_in(child, in_formula)?;
            if fault.is_some() {
                return Ok(fault);
            }
        }
        let kind = match &expr.kind {
            E::Field(address, _) if self.address(address)? == 0 => FaultKind::NullRead,
            E::Min(set) | E::Max(set) if !in_formula && self.set(set)?.is_empty() => {
                FaultKind::EmptySet
            }
            _ => return Ok(None),
        };
        Ok(Some(Fault { kind, span: expr.span }))
    }
}

fn empty(why: NoValue) -> Result<bool, NoValue> {
    if why == NoValue::Empty { Ok(false) } else { Err(why) }
}
