//! Values of expressions, and states in which a condition holds.

use super::state::State;
use super::value::{LARGEST, Value, equal};
use super::{Attempt, Stop};
use crate::derivation::Slot;
use crate::sequential::{Place, Term};
use ser_syntax::icet::ast::{Expr, ExprKind, Operator};

/// The value of an expression over the variables of a process; a new unknown if it is not decided.
pub(super) fn evaluate(
    state: &mut State,
    who: Slot,
    expr: &Expr,
    attempt: Attempt,
) -> Result<Value, Stop> {
    let value = match &expr.kind {
        ExprKind::Int(it) => Value::Int(*it),
        ExprKind::Bool(it) => Value::Bool(*it),
        ExprKind::Enum(_, it) => Value::Enum(*it),
        ExprKind::Process(process) => Value::Process(*process),
        ExprKind::Me => state.address(who)?,
        ExprKind::Variable(variable) => state.read(Place::Variable(who, *variable))?,
        ExprKind::Message(_, constructor, fields) => {
            let mut values = Vec::new();
            for field in fields {
                values.push(evaluate(state, who, field, attempt)?);
            }
            let value = Value::Message(*constructor, values);
            if value.size() > LARGEST { state.unknown() } else { value }
        }
        ExprKind::Not(inner) => match evaluate(state, who, inner, attempt)? {
            Value::Bool(it) => Value::Bool(!it),
            _ => state.unknown(),
        },
        ExprKind::Negate(inner) => match evaluate(state, who, inner, attempt)? {
            Value::Int(it) => number(state, it.checked_neg(), attempt),
            _ => state.unknown(),
        },
        ExprKind::Binary(operator, left, right) => {
            let left = evaluate(state, who, left, attempt)?;
            let right = evaluate(state, who, right, attempt)?;
            binary(state, *operator, &left, &right, attempt)
        }
    };
    Ok(value)
}

fn binary(
    state: &mut State,
    operator: Operator,
    left: &Value,
    right: &Value,
    attempt: Attempt,
) -> Value {
    let decided = match (operator, left, right) {
        (Operator::Equal, _, _) => equal(left, right),
        (Operator::NotEqual, _, _) => equal(left, right).map(|it| !it),
        (Operator::And, Value::Bool(false), _) | (Operator::And, _, Value::Bool(false)) => {
            Some(false)
        }
        (Operator::And, Value::Bool(true), Value::Bool(true)) => Some(true),
        (Operator::Or, Value::Bool(true), _) | (Operator::Or, _, Value::Bool(true)) => Some(true),
        (Operator::Or, Value::Bool(false), Value::Bool(false)) => Some(false),
        (_, Value::Int(l), Value::Int(r)) => match operator {
            Operator::Add => return number(state, l.checked_add(*r), attempt),
            Operator::Subtract => return number(state, l.checked_sub(*r), attempt),
            Operator::Multiply => return number(state, l.checked_mul(*r), attempt),
            Operator::Less => Some(l < r),
            Operator::LessEqual => Some(l <= r),
            _ => None,
        },
        _ => None,
    };
    decided.map_or_else(|| state.unknown(), Value::Bool)
}

/// The result of an operation: known only if it is small, so that counting comes to an end.
fn number(state: &mut State, result: Option<i64>, attempt: Attempt) -> Value {
    match result {
        Some(it) if it.unsigned_abs() <= attempt.largest => Value::Int(it),
        _ => state.unknown(),
    }
}

/// Whether the expression is a condition that [`assume`] looks into.
pub(super) fn is_condition(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Not(_) => true,
        ExprKind::Binary(operator, _, _) => {
            !matches!(operator, Operator::Add | Operator::Subtract | Operator::Multiply)
        }
        _ => false,
    }
}

/// States that cover everything in which the condition is `truth`; none if it cannot be.
pub(super) fn assume(
    mut state: State,
    who: Slot,
    condition: &Expr,
    truth: bool,
    attempt: Attempt,
) -> Result<Vec<State>, Stop> {
    match &condition.kind {
        ExprKind::Not(inner) => assume(state, who, inner, !truth, attempt),
        ExprKind::Binary(operator @ (Operator::And | Operator::Or), left, right) => {
            // `both` is the truth of the two sides in the case in which both are needed.
            let both = *operator == Operator::And;
            let mut states = Vec::new();
            if truth != both {
                states.extend(assume(state.clone(), who, left, !both, attempt)?);
            }
            for state in assume(state, who, left, both, attempt)? {
                states.extend(assume(state, who, right, truth, attempt)?);
            }
            Ok(if states.len() > attempt.most_cases { return Err(Stop::Budget) } else { states })
        }
        ExprKind::Binary(operator @ (Operator::Equal | Operator::NotEqual), left, right) => {
            let same = (*operator == Operator::Equal) == truth;
            let left = evaluate(&mut state, who, left, attempt)?;
            let right = evaluate(&mut state, who, right, attempt)?;
            Ok(match equal(&left, &right) {
                Some(it) if it == same => vec![state],
                Some(_) => Vec::new(),
                None if same => unify(state, left, right).into_iter().collect(),
                None => vec![differ(state, &left, &right)],
            })
        }
        _ => Ok(match evaluate(&mut state, who, condition, attempt)? {
            Value::Bool(it) if it != truth => Vec::new(),
            Value::Unknown(number) => {
                state.replace(&Value::Unknown(number), &Value::Bool(truth));
                vec![state]
            }
            _ => vec![state],
        }),
    }
}

/// The state in which the values are equal, if they can be.
fn unify(mut state: State, left: Value, right: Value) -> Option<State> {
    let mut pairs = vec![(left, right)];
    while let Some((left, right)) = pairs.pop() {
        match (left, right) {
            (left, right) if left == right => {}
            (Value::Unknown(number), value) | (value, Value::Unknown(number)) => {
                let unknown = Value::Unknown(number);
                if value.any(&|leaf| *leaf == unknown) {
                    continue;
                }
                state.replace(&unknown, &value);
                for (left, right) in &mut pairs {
                    left.replace(&unknown, &value);
                    right.replace(&unknown, &value);
                }
            }
            (Value::Message(l, left), Value::Message(r, right)) if l == r => {
                pairs.extend(left.into_iter().zip(right));
            }
            (left, right) => {
                if equal(&left, &right) == Some(false) {
                    return None;
                }
            }
        }
    }
    Some(state)
}

/// The state in which the values differ.
fn differ(mut state: State, left: &Value, right: &Value) -> State {
    if let (Value::Unknown(number), Value::Bool(it)) | (Value::Bool(it), Value::Unknown(number)) =
        (left, right)
    {
        state.replace(&Value::Unknown(*number), &Value::Bool(!it));
    }
    state
}

/// The value of a term.
pub(super) fn term(state: &mut State, term_: &Term, attempt: Attempt) -> Result<Value, Stop> {
    match term_ {
        Term::Expr(who, expr) => evaluate(state, *who, expr, attempt),
        Term::Place(place) => state.read(*place),
        Term::Symbol(symbol) => state.symbol(*symbol),
        Term::Field(inner, constructor, field) => {
            let value = match term(state, inner, attempt)? {
                Value::Message(it, fields) if it == *constructor => {
                    fields.into_iter().nth(*field as usize)
                }
                _ => None,
            };
            Ok(value.unwrap_or_else(|| state.unknown()))
        }
    }
}
