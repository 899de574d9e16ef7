//! R-Branch: a decision that is not known.
//!
//! ```text
//! S1 || D  -->  delta1, R      S2 || D  -->  delta2, R      (same code, same messages under way)
//! ---------------------------------------------------------------------------------------------
//! [if c S1 else S2]_p || D  -->  if c { delta1 } else { delta2 };  R
//! ```
//!
//! In each case what was decided is known: a value that was compared is that value, everywhere.

use super::frame::cover;
use super::local::bind;
use crate::code::Item;
use crate::state::{Context, Key, Member, Origin, State, cell_of};
use crate::value::Value;
use ser_sequentialization_checker::{Slot, Step};
use ser_syntax::icet::ast::{
    ConstructorId, Expr, ExprKind, MessageId, Operator, Stmt, StmtKind, Type,
};
use std::collections::{BTreeMap, BTreeSet};

/// The states after each outcome of the decision that `slot` begins with.
pub fn cases<'p>(state: &State<'p>, context: &Context<'p>, slot: Slot) -> Vec<State<'p>> {
    let Some(Item::Statement(stmt)) = state.head(slot) else { return Vec::new() };
    let two = |condition: Option<&Expr>, then: &'p [Stmt], otherwise: &'p [Stmt], stays: bool| {
        let arm = |holds: bool, block: &'p [Stmt], stays: bool| {
            let mut arm = begin(state);
            if let Some(condition) = condition {
                refine(&mut arm, context, slot, condition, holds);
            }
            if let Some(code) = arm.code_mut(slot) {
                if !stays {
                    code.pop();
                }
                code.prepend(block);
            }
            arm
        };
        vec![arm(true, then, stays), arm(false, otherwise, false)]
    };
    match &stmt.kind {
        StmtKind::If { condition, then, otherwise } => {
            two(condition.as_ref(), then, otherwise, false)
        }
        StmtKind::While { condition, body } => two(Some(condition), body, &[], true),
        StmtKind::Match { variable, arms } => {
            let process = context.protocol.process(context.process_of(cell_of(slot), state));
            let ty = process.variables.get(variable.0 as usize).map(|variable| variable.ty);
            let value = state.get(cell_of(slot), Key::Variable(*variable)).cloned();
            let (Some(value), Some(Type::Message(message))) = (value, ty) else {
                return Vec::new();
            };
            let mut states = Vec::new();
            for (constructor, fields) in possible(context, message, &value) {
                let Some(arm) = arms.iter().find(|arm| arm.constructors.contains(&constructor))
                else {
                    continue;
                };
                let mut next = begin(state);
                replace(&mut next, &value, &Value::Message(constructor, fields.clone()));
                bind(&mut next, slot, arm, &fields);
                if let Some(code) = next.code_mut(slot) {
                    code.pop();
                    code.prepend(&arm.body);
                }
                states.push(next);
            }
            states
        }
        _ => Vec::new(),
    }
}

fn begin<'p>(state: &State<'p>) -> State<'p> {
    let mut arm = state.clone();
    arm.script = Vec::new();
    arm
}

/// The constructors that a message may have, with its fields.
fn possible(
    context: &Context<'_>,
    message: MessageId,
    value: &Value,
) -> Vec<(ConstructorId, Vec<Value>)> {
    match value {
        Value::Message(constructor, fields) => vec![(*constructor, fields.clone())],
        Value::Choice(_, cases) => cases.clone(),
        _ => {
            let all = context.protocol.message(message).constructors.iter().enumerate();
            let unknown = |count: usize| (0..count).map(|_| Value::Unknown(context.fresh()));
            all.map(|(place, constructor)| {
                (ConstructorId(place as u32), unknown(constructor.fields.len()).collect())
            })
            .collect()
        }
    }
}

/// Replaces a value that has a number wherever it is.
fn replace(state: &mut State<'_>, old: &Value, new: &Value) {
    if matches!(old, Value::Unknown(_) | Value::Choice(..)) {
        state.substitute(&mut |value| match (value, old) {
            (Value::Unknown(number), Value::Unknown(other)) if number == other => Some(new.clone()),
            (Value::Choice(number, _), Value::Choice(other, _)) if number == other => {
                Some(new.clone())
            }
            _ => None,
        });
    }
}

/// What is known if the condition holds, or does not.
fn refine<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    slot: Slot,
    condition: &Expr,
    holds: bool,
) {
    match &condition.kind {
        ExprKind::Variable(_) => {
            let value = state.evaluate(context, slot, condition);
            replace(state, &value, &Value::Bool(holds));
        }
        ExprKind::Not(inner) => refine(state, context, slot, inner, !holds),
        ExprKind::Binary(operator @ (Operator::Equal | Operator::NotEqual), left, right) => {
            let equal = holds == (*operator == Operator::Equal);
            let left = state.evaluate(context, slot, left);
            let right = state.evaluate(context, slot, right);
            for (value, constant) in [(&left, &right), (&right, &left)] {
                let constant_like = matches!(
                    constant,
                    Value::Int(_) | Value::Bool(_) | Value::Enum(_) | Value::Message(..)
                );
                if !constant_like {
                    continue;
                }
                if equal {
                    replace(state, value, constant);
                } else if let Value::Choice(_, cases) = value {
                    let rest: Vec<_> = cases
                        .iter()
                        .filter(|(constructor, fields)| {
                            let case = Value::Message(*constructor, fields.clone());
                            state.same(&case, constant) != Some(true)
                        })
                        .cloned()
                        .collect();
                    let new = match rest.as_slice() {
                        [(constructor, fields)] => Value::Message(*constructor, fields.clone()),
                        _ => Value::Choice(context.fresh(), rest),
                    };
                    replace(state, value, &new);
                } else if let (Value::Unknown(_), Value::Bool(other)) = (value, constant) {
                    replace(state, value, &Value::Bool(!other));
                }
            }
        }
        _ => {}
    }
}

/// One state for all cases, if they end alike.
pub fn join<'p>(
    before: &State<'p>,
    context: &Context<'p>,
    slot: Slot,
    arms: Vec<State<'p>>,
    mark: u32,
) -> Option<State<'p>> {
    let mut states = arms.iter();
    let mut joined = states.next()?.clone();
    for other in states {
        joined = pair(context, &joined, other)?;
    }
    // A member that was unfolded in the cases must have had its name before.
    let unnamed = joined.members.iter().any(|(symbol, member)| {
        !before.members.contains_key(symbol) && (member.origin != Origin::Named || symbol.0 >= mark)
    });
    if unnamed {
        return None;
    }
    let strange = |value: &Value| matches!(value, Value::Member(symbol) if symbol.0 >= mark);
    let forget = |value: &Value| strange(value).then(|| Value::Unknown(context.fresh()));
    joined.substitute(&mut |value| forget(value));
    for (cell, values) in &joined.cells {
        for (key, value) in values {
            if before.get(*cell, *key) != Some(value) {
                joined.assigned.insert((*cell, *key));
            }
        }
    }
    joined.script = before.script.clone();
    let arms = arms.into_iter().map(|arm| arm.script).collect();
    joined.script.push(Step::Fork { slot, arms });
    Some(joined)
}

fn pair<'p>(context: &Context<'p>, one: &State<'p>, two: &State<'p>) -> Option<State<'p>> {
    let alike = one.singles == two.singles
        && one.sets == two.sets
        && one.bags.keys().eq(two.bags.keys())
        && one.draws == two.draws
        && one.members.len() == two.members.len();
    if !alike {
        return None;
    }
    let mut joined = one.clone();
    let anything = || Value::Unknown(context.fresh());
    for (symbol, member) in &mut joined.members {
        let other = two.members.get(symbol)?;
        if (member.set, &member.code, member.depth) != (other.set, &other.code, other.depth) {
            return None;
        }
        member.origin = either(member, other)?;
    }
    let open = |state: &State<'p>| {
        let channels = state.queues.iter().filter(|(_, queue)| !queue.is_empty());
        let tags = channels
            .map(|(channel, queue)| (*channel, queue.iter().map(|letter| letter.tag).collect()));
        tags.collect::<BTreeMap<_, Vec<_>>>()
    };
    if open(one) != open(two) {
        return None;
    }
    for (channel, queue) in &mut joined.queues {
        let others = two.queues.get(channel).into_iter().flatten();
        for (letter, other) in queue.iter_mut().zip(others) {
            letter.value = cover(context, &letter.value, &other.value, &anything);
            letter.knows = letter.knows.intersection(&other.knows).copied().collect();
            if letter.ghost != other.ghost {
                letter.ghost = context.fresh();
            }
        }
    }
    for (channel, queue) in &joined.queues {
        for letter in queue {
            let cell = joined.cells.entry(cell_of(channel.0)).or_default();
            cell.insert(Key::Ghost(letter.ghost), letter.value.clone());
        }
    }
    for (bag, sack) in &mut joined.bags {
        let other = two.bags.get(bag)?;
        sack.value = cover(context, &sack.value, &other.value, &|| Value::Top);
    }
    for (cell, values) in &mut joined.cells {
        let others = two.cells.get(cell).cloned().unwrap_or_default();
        let top = matches!(cell, ser_sequentialization_checker::Cell::Set(_));
        let anything = || if top { Value::Top } else { anything() };
        for (key, value) in values.iter_mut() {
            if !matches!(key, Key::Ghost(_)) {
                *value = match others.get(key) {
                    Some(other) => cover(context, value, other, &anything),
                    None => anything(),
                };
            }
        }
        for key in others.into_keys() {
            values.entry(key).or_insert_with(anything);
        }
    }
    for (slot, known) in &mut joined.knows {
        let other: BTreeSet<Slot> = two.knows.get(slot).cloned().unwrap_or_default();
        known.retain(|slot| other.contains(slot));
    }
    joined.symbols.extend(two.symbols.iter().map(|(symbol, set)| (*symbol, *set)));
    joined.assigned.extend(two.assigned.iter().copied());
    joined.told.extend(two.told.iter().copied());
    joined.replies.extend(two.replies.iter().copied());
    joined.outdated.extend(two.outdated.iter().copied());
    Some(joined)
}

/// A member whose message was taken in one case counts as one whose message was taken.
fn either(one: &Member<'_>, two: &Member<'_>) -> Option<Origin> {
    match (one.origin, two.origin) {
        (Origin::Turn { pivot: None } | Origin::Sender { pivot: None, .. }, other) => Some(other),
        (origin, Origin::Turn { pivot: None } | Origin::Sender { pivot: None, .. }) => Some(origin),
        (one, two) => (one == two).then_some(one),
    }
}
