//! Three-valued evaluation of expressions over abstract values.
//!
//! Whatever is not decided by constants, equal names and equal numbers is a new unknown.

use crate::derivation::{Slot, Symbol};
use crate::rejection::Reason;
use crate::state::Store;
use crate::value::{LARGEST_VALUE, Numbers, Value};
use ser_syntax::icet::ast::{Expr, ExprKind, Operator, ProcessId, SetId};

/// Everything that an expression is evaluated in.
pub(crate) struct Evaluation<'a> {
    pub slot: Slot,
    pub store: &'a Store,
    /// The set of processes that a symbol is a member of; nothing for indices.
    pub set_of: &'a dyn Fn(Symbol) -> Option<SetId>,
    /// For new unknowns.
    pub numbers: &'a mut Numbers,
}

impl Evaluation<'_> {
    /// The value of the expression. Fails only if it is too large.
    pub(crate) fn value(&mut self, expr: &Expr) -> Result<Value, Reason> {
        Ok(match &expr.kind {
            ExprKind::Int(it) => Value::Int(*it),
            ExprKind::Bool(it) => Value::Bool(*it),
            ExprKind::Enum(of, it) => Value::Enum(*of, *it),
            ExprKind::Process(process) => Value::Process(*process),
            ExprKind::Me => match self.slot {
                Slot::Process(process) => Value::Process(ProcessId(process)),
                Slot::Member(symbol) => Value::Member(symbol),
            },
            ExprKind::Variable(variable) => match self.store.variables.get(variable) {
                Some(value) => value.clone(),
                None => self.numbers.unknown(),
            },
            ExprKind::Message(_, constructor, fields) => {
                let fields: Result<Vec<Value>, Reason> =
                    fields.iter().map(|field| self.value(field)).collect();
                let value = Value::Message(*constructor, fields?);
                if value.size() > LARGEST_VALUE {
                    return Err(Reason::LargeValue { limit: LARGEST_VALUE });
                }
                value
            }
            ExprKind::Not(inner) => match self.value(inner)? {
                Value::Bool(it) => Value::Bool(!it),
                _ => self.numbers.unknown(),
            },
            ExprKind::Negate(inner) => match self.value(inner)? {
                Value::Int(it) => self.int(it.checked_neg()),
                _ => self.numbers.unknown(),
            },
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                self.binary(*operator, &left, &right)
            }
        })
    }

    fn binary(&mut self, operator: Operator, left: &Value, right: &Value) -> Value {
        let bool_of = |value: &Value| match value {
            Value::Bool(it) => Some(*it),
            _ => None,
        };
        let decided = match operator {
            Operator::Equal => equal(left, right, self.set_of),
            Operator::NotEqual => equal(left, right, self.set_of).map(|it| !it),
            Operator::And => match (bool_of(left), bool_of(right)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Operator::Or => match (bool_of(left), bool_of(right)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            _ => {
                let (Value::Int(left), Value::Int(right)) = (left, right) else {
                    return self.numbers.unknown();
                };
                match operator {
                    Operator::Add => return self.int(left.checked_add(*right)),
                    Operator::Subtract => return self.int(left.checked_sub(*right)),
                    Operator::Multiply => return self.int(left.checked_mul(*right)),
                    Operator::Less => Some(left < right),
                    Operator::LessEqual => Some(left <= right),
                    _ => None,
                }
            }
        };
        decided.map_or_else(|| self.numbers.unknown(), Value::Bool)
    }

    fn int(&mut self, value: Option<i64>) -> Value {
        value.map_or_else(|| self.numbers.unknown(), Value::Int)
    }
}

/// Whether two values are equal, if this is decided. Two symbols of one set may name the same
/// member, and indices may have any value; members of different sets, and members and single
/// processes, differ.
pub(crate) fn equal(
    left: &Value,
    right: &Value,
    set_of: &dyn Fn(Symbol) -> Option<SetId>,
) -> Option<bool> {
    match (left, right) {
        (Value::Int(l), Value::Int(r)) => Some(l == r),
        (Value::Bool(l), Value::Bool(r)) => Some(l == r),
        (Value::Enum(_, l), Value::Enum(_, r)) => Some(l == r),
        (Value::Process(l), Value::Process(r)) => Some(l == r),
        (Value::Unknown(l), Value::Unknown(r)) => (l == r).then_some(true),
        (Value::Member(l), Value::Member(r)) if l == r => Some(true),
        (Value::Member(l), Value::Member(r)) => match (set_of(*l), set_of(*r)) {
            (Some(l), Some(r)) if l != r => Some(false),
            _ => None,
        },
        (Value::Member(it), Value::Process(_)) | (Value::Process(_), Value::Member(it)) => {
            set_of(*it).map(|_| false)
        }
        (Value::Message(l, _), Value::Message(r, _)) if l != r => Some(false),
        (Value::Message(_, l), Value::Message(_, r)) => fields_equal(l, r, set_of),
        (Value::Choice(l, _), Value::Choice(r, _)) if l == r => Some(true),
        (Value::Choice(_, cases), Value::Message(constructor, fields))
        | (Value::Message(constructor, fields), Value::Choice(_, cases)) => {
            let fits = cases.iter().any(|(case, values)| {
                case == constructor && fields_equal(values, fields, set_of) != Some(false)
            });
            (!fits).then_some(false)
        }
        _ => None,
    }
}

fn fields_equal(
    left: &[Value],
    right: &[Value],
    set_of: &dyn Fn(Symbol) -> Option<SetId>,
) -> Option<bool> {
    let mut all = Some(true);
    for (left, right) in left.iter().zip(right) {
        match equal(left, right, set_of) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = None,
        }
    }
    all
}
