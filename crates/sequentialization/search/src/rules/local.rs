//! Statements that concern one process only, and decisions whose outcome is known (R-If-Then, R-If-Else,
//! R-While-Repeat, R-While-Remove).
//!
//! ```text
//! [x := e]_p  -->  x := e          [if c S1 else S2]_p, c known  -->  [S1]_p or [S2]_p
//! [loop A; E]_p  -->  [A; loop A; E]_p                  [break; ...; loop A; E]_p  -->  [E]_p
//! ```
//!
//! A loop is entered one iteration at a time, and left when its `break` is reached or its condition is known to be
//! false. Nothing is ever assumed about how often it runs: a loop that runs for ever is never finished here.

use crate::failure::Why;
use crate::state::{Context, Key, State, cell_of};
use crate::value::Value;
use ser_sequentialization_checker::{Slot, Symbol};
use ser_syntax::icet::ast::{Arm, SetId, SetKind, Stmt, StmtKind, VarId};

/// Executes a local statement, if its outcome is known.
pub fn local<'p>(state: &mut State<'p>, context: &Context<'p>, slot: Slot, stmt: &'p Stmt) -> bool {
    let mut next: Option<&'p [Stmt]> = None;
    let mut stays = false;
    match &stmt.kind {
        StmtKind::Assign { variable, value } => {
            let value = state.evaluate(context, slot, value);
            state.set(cell_of(slot), Key::Variable(*variable), value);
        }
        StmtKind::Any { variable } => {
            let value = Value::Unknown(context.fresh());
            state.set(cell_of(slot), Key::Variable(*variable), value);
        }
        StmtKind::If { condition, then, otherwise } => {
            let Some(condition) = condition else { return false };
            match state.evaluate(context, slot, condition) {
                Value::Bool(true) => next = Some(then),
                Value::Bool(false) => next = Some(otherwise),
                _ => return false,
            }
        }
        StmtKind::While { condition, body } => match state.evaluate(context, slot, condition) {
            Value::Bool(true) => (next, stays) = (Some(body.as_slice()), true),
            Value::Bool(false) => {}
            _ => return false,
        },
        StmtKind::Loop { body } => (next, stays) = (Some(body.as_slice()), true),
        StmtKind::Match { variable, arms } => {
            let value = state.get(cell_of(slot), Key::Variable(*variable)).cloned();
            let (constructor, fields) = match value {
                Some(Value::Message(constructor, fields)) => (constructor, fields),
                Some(Value::Choice(_, mut cases)) if cases.len() == 1 => cases.remove(0),
                _ => return false,
            };
            let Some(arm) = arms.iter().find(|arm| arm.constructors.contains(&constructor)) else {
                return false;
            };
            bind(state, slot, arm, &fields);
            next = Some(&arm.body);
        }
        StmtKind::Break { of } => {
            if let Some(code) = state.code_mut(slot) {
                code.leave(*of);
            }
            return true;
        }
        StmtKind::Assert { .. } | StmtKind::Fail | StmtKind::Skip => {}
        _ => return false,
    }
    if let Some(code) = state.code_mut(slot) {
        if !stays {
            code.pop();
        }
        code.prepend(next.unwrap_or_default());
    }
    true
}

/// Assigns the variables of an arm.
pub fn bind(state: &mut State<'_>, slot: Slot, arm: &Arm, fields: &[Value]) {
    for (variable, value) in arm.fields.iter().zip(fields) {
        if let Some(variable) = variable {
            state.set(cell_of(slot), Key::Variable(*variable), value.clone());
        }
    }
}

/// `x := pick S`: the chosen member gets a name. Without members it would wait for ever.
pub fn pick<'p>(
    state: &mut State<'p>,
    context: &Context<'p>,
    slot: Slot,
    variable: VarId,
    set: SetId,
) -> Result<Symbol, Why> {
    if !inhabited(state, context, set) {
        return Err(Why::MaybeEmpty { set });
    }
    let symbol = Symbol(context.fresh());
    let value = match context.protocol.set(set).kind {
        SetKind::Processes => {
            state.symbols.insert(symbol, set);
            Value::Member(symbol)
        }
        SetKind::Indices => Value::Unknown(context.fresh()),
    };
    state.set(cell_of(slot), Key::Variable(variable), value);
    Ok(symbol)
}

/// Whether a set certainly has a member.
pub fn inhabited<'p>(state: &State<'p>, context: &Context<'p>, set: SetId) -> bool {
    context.protocol.set(set).at_least >= 1 || state.inhabited.contains(&set)
}
