//! The rules, one file each.
//!
//! Every rule changes a symbolic state and notes the step in its script. A rule that does not apply says why and
//! leaves the state to be thrown away: whoever tries something keeps a copy.

mod branch;
mod each;
mod frame;
mod local;
pub mod loops;
mod nondet;
mod receive;
mod send;
mod take;
mod unfold;

pub use each::each;
pub use frame::{Entry, leftovers, superfluous};
pub use loops::{Shape, loops};

use crate::code::Item;
use crate::failure::{Stuck, Why};
use crate::state::{Context, State, cell_of};
use crate::value::Value;
use ser_sequentialization_checker::{Slot, Step, Symbol};
use ser_syntax::icet::ast::{MessageId, SetId, StmtId, StmtKind};

/// What a slot needs before it can take its next step.
#[derive(Clone, PartialEq, Debug)]
pub enum Need {
    /// A message of this type from this slot.
    Letter(Slot, MessageId),
    /// A message of this type from some member of a set, sent by this statement.
    Race(SetId, StmtId, MessageId),
    /// A slot of its own for this member.
    Unfolded(Symbol),
    /// A decision that is not known.
    Decision,
    /// A rule for its `for` loop.
    Loop,
    /// Nothing will help.
    Never(Stuck),
}

/// Executes the first statement of a slot if its effect is decided; or says what is missing.
pub fn run<'p>(state: &mut State<'p>, context: &Context<'p>, slot: Slot) -> Result<(), Need> {
    context.spend().map_err(Need::Never)?;
    let owner = context.process_of(cell_of(slot), state);
    let never = |why: Why, at: StmtId| Need::Never(Stuck::at(why, owner, at));
    match state.head(slot) {
        None | Some(Item::Stop) => return Err(Need::Never(Stuck::new(Why::Ended))),
        Some(Item::Postponed { tag, message, to, ghost }) => {
            send::postponed(state, slot, tag, message, to, ghost).map_err(|why| never(why, tag))?;
        }
        Some(Item::Statement(stmt)) => match &stmt.kind {
            StmtKind::Send { payload, message, to } => {
                send::send(state, context, slot, stmt.id, payload, *message, to)?;
            }
            StmtKind::Receive { pattern, message, from } => {
                receive::receive(state, context, slot, stmt.id, pattern, *message, from)?;
            }
            StmtKind::Pick { variable, set } => {
                let symbol = local::pick(state, context, slot, *variable, *set)
                    .map_err(|why| never(why, stmt.id))?;
                if let Some(code) = state.code_mut(slot) {
                    code.pop();
                }
                state.script.push(Step::Pick { slot, symbol });
                return Ok(());
            }
            StmtKind::For { .. } => return Err(Need::Loop),
            _ => {
                if !local::local(state, context, slot, stmt) {
                    return Err(Need::Decision);
                }
                state.script.push(Step::Run(slot));
                return Ok(());
            }
        },
    }
    if let Some(code) = state.code_mut(slot) {
        code.pop();
    }
    state.script.push(Step::Run(slot));
    Ok(())
}

/// Whether the first statement of a slot concerns nobody else, and is no loop.
pub fn is_local(state: &State<'_>, slot: Slot) -> bool {
    let Some(Item::Statement(stmt)) = state.head(slot) else { return false };
    matches!(
        stmt.kind,
        StmtKind::Assign { .. }
            | StmtKind::Any { .. }
            | StmtKind::If { .. }
            | StmtKind::Match { .. }
            | StmtKind::Break { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Skip
    )
}

/// The slot that an address names.
fn slot_at(value: &Value) -> Option<Slot> {
    match value {
        Value::Process(id) => Some(Slot::Process(id.0)),
        Value::Member(symbol) => Some(Slot::Member(*symbol)),
        _ => None,
    }
}

pub use branch::{cases, join};
pub use nondet::{bag_for, draw};
pub use take::take;
pub use unfold::{fold, unfold_named, unfold_sender};
