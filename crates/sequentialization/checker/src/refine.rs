//! What is known in one arm of a fork besides what was known before.

use crate::derivation::Slot;
use crate::evaluate::equal;
use crate::kernel::Kernel;
use crate::rejection::Reason;
use crate::state::State;
use crate::value::Value;
use ser_syntax::icet::ast::{Expr, ExprKind, Operator};

/// The condition of the slot is `holds` from now on: an unknown that is compared with something
/// known becomes this everywhere; of a choice, the cases that cannot be are dropped.
pub(crate) fn refine<'p>(
    kernel: &mut Kernel<'p>,
    state: &mut State<'p>,
    slot: Slot,
    condition: &Expr,
    holds: bool,
) -> Result<(), Reason> {
    match &condition.kind {
        ExprKind::Variable(_) => {
            if let Value::Unknown(number) = kernel.value(state, slot, condition)? {
                state.substitute(number, &Value::Bool(holds))?;
            }
            Ok(())
        }
        ExprKind::Not(inner) => refine(kernel, state, slot, inner, !holds),
        ExprKind::Binary(operator @ (Operator::Equal | Operator::NotEqual), left, right) => {
            let left = kernel.value(state, slot, left)?;
            let right = kernel.value(state, slot, right)?;
            let same = (*operator == Operator::Equal) == holds;
            compared(kernel, state, &left, &right, same)?;
            compared(kernel, state, &right, &left, same)
        }
        _ => Ok(()),
    }
}

fn compared<'p>(
    kernel: &Kernel<'p>,
    state: &mut State<'p>,
    value: &Value,
    with: &Value,
    same: bool,
) -> Result<(), Reason> {
    let is_known = !matches!(with, Value::Unknown(_) | Value::Choice(..) | Value::Top);
    match value {
        Value::Unknown(number) if is_known && same => state.substitute(*number, with),
        Value::Choice(number, cases) if is_known => {
            let before = state.clone();
            let set_of = |symbol| before.process_set(kernel.protocol, symbol);
            let left: Vec<_> = cases
                .iter()
                .filter(|(constructor, fields)| {
                    let case = Value::Message(*constructor, fields.clone());
                    equal(&case, with, &set_of) != Some(!same)
                })
                .cloned()
                .collect();
            match left.as_slice() {
                // No case is left: this arm is never taken, and whatever is derived in it holds.
                [] => Ok(()),
                [(constructor, fields)] => {
                    let only = Value::Message(*constructor, fields.clone());
                    state.substitute(*number, &only)
                }
                _ => state.substitute(*number, &Value::Choice(*number, left)),
            }
        }
        _ => Ok(()),
    }
}
