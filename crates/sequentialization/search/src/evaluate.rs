//! What an expression is worth, as far as that is known.

use crate::state::{Context, Key, State, cell_of};
use crate::value::Value;
use ser_sequentialization_checker::Slot;
use ser_syntax::icet::ast::{Expr, ExprKind, Operator};

impl<'p> State<'p> {
    /// The value of an expression of a slot.
    pub fn evaluate(&self, context: &Context<'p>, slot: Slot, expr: &Expr) -> Value {
        let unknown = || Value::Unknown(context.fresh());
        match &expr.kind {
            ExprKind::Int(value) => Value::Int(*value),
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Enum(_, value) => Value::Enum(*value),
            ExprKind::Message(_, constructor, fields) => {
                let fields = fields.iter().map(|field| self.evaluate(context, slot, field));
                Value::Message(*constructor, fields.collect())
            }
            ExprKind::Variable(variable) => {
                let value = self.get(cell_of(slot), Key::Variable(*variable));
                value.cloned().unwrap_or_else(unknown)
            }
            ExprKind::Me => match slot {
                Slot::Member(symbol) => Value::Member(symbol),
                Slot::Process(id) => Value::Process(ser_syntax::icet::ast::ProcessId(id)),
            },
            ExprKind::Process(id) => Value::Process(*id),
            ExprKind::Not(inner) => match self.evaluate(context, slot, inner) {
                Value::Bool(value) => Value::Bool(!value),
                _ => unknown(),
            },
            ExprKind::Negate(inner) => match self.evaluate(context, slot, inner) {
                Value::Int(value) => value.checked_neg().map_or_else(unknown, Value::Int),
                _ => unknown(),
            },
            ExprKind::Binary(operator, left, right) => {
                let left = self.evaluate(context, slot, left);
                let right = self.evaluate(context, slot, right);
                self.binary(*operator, &left, &right).unwrap_or_else(unknown)
            }
        }
    }

    fn binary(&self, operator: Operator, left: &Value, right: &Value) -> Option<Value> {
        use Operator::{Add, And, Equal, Less, LessEqual, Multiply, NotEqual, Or, Subtract};
        match operator {
            Equal => return self.same(left, right).map(Value::Bool),
            NotEqual => return self.same(left, right).map(|same| Value::Bool(!same)),
            And => {
                return match (left, right) {
                    (Value::Bool(false), _) | (_, Value::Bool(false)) => Some(Value::Bool(false)),
                    (Value::Bool(true), Value::Bool(true)) => Some(Value::Bool(true)),
                    _ => None,
                };
            }
            Or => {
                return match (left, right) {
                    (Value::Bool(true), _) | (_, Value::Bool(true)) => Some(Value::Bool(true)),
                    (Value::Bool(false), Value::Bool(false)) => Some(Value::Bool(false)),
                    _ => None,
                };
            }
            _ => {}
        }
        let (Value::Int(left), Value::Int(right)) = (left, right) else { return None };
        match operator {
            Add => left.checked_add(*right).map(Value::Int),
            Subtract => left.checked_sub(*right).map(Value::Int),
            Multiply => left.checked_mul(*right).map(Value::Int),
            Less => Some(Value::Bool(left < right)),
            LessEqual => Some(Value::Bool(left <= right)),
            _ => None,
        }
    }

    /// Whether two values are the same, if that is known.
    pub fn same(&self, left: &Value, right: &Value) -> Option<bool> {
        use Value::{Bool, Choice, Enum, Int, Member, Message, Process, Unknown};
        match (left, right) {
            (Int(left), Int(right)) => Some(left == right),
            (Bool(left), Bool(right)) => Some(left == right),
            (Enum(left), Enum(right)) => Some(left == right),
            (Process(left), Process(right)) => Some(left == right),
            (Process(_), Member(_)) | (Member(_), Process(_)) => Some(false),
            (Member(left), Member(right)) if left == right => Some(true),
            (Member(left), Member(right)) if self.set_of(*left) != self.set_of(*right) => {
                Some(false)
            }
            (Unknown(left), Unknown(right)) if left == right => Some(true),
            (Choice(left, _), Choice(right, _)) if left == right => Some(true),
            (Message(left, fields), Message(right, others)) => {
                if left != right {
                    return Some(false);
                }
                let mut all = Some(true);
                for (field, other) in fields.iter().zip(others) {
                    match self.same(field, other) {
                        Some(true) => {}
                        Some(false) => return Some(false),
                        None => all = None,
                    }
                }
                all
            }
            (Choice(_, cases), message @ Message(..))
            | (message @ Message(..), Choice(_, cases)) => {
                let never = cases.iter().all(|(constructor, fields)| {
                    self.same(&Message(*constructor, fields.clone()), message) == Some(false)
                });
                never.then_some(false)
            }
            _ => None,
        }
    }
}
