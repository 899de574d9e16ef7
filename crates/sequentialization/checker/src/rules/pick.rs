//! `Pick`: a slot chooses a member of a set, which gets a name.
//!
//! If the set had no member, the process would wait forever; so there must be one.

use crate::derivation::{Slot, Symbol};
use crate::kernel::{Frame, Kernel};
use crate::rejection::Reason;
use crate::rules::run::advance;
use crate::sequential::{Place, Sequential, Term};
use crate::state::State;
use crate::value::Value;
use ser_syntax::icet::ast::StmtKind;

/// [`Step::Pick`](crate::Step::Pick).
pub fn pick<'p>(
    kernel: &mut Kernel<'p>,
    frame: &Frame<'_>,
    state: &mut State<'p>,
    slot: Slot,
    symbol: Symbol,
) -> Result<(), Reason> {
    let statement = state.actor(slot)?.code.statement().ok_or(Reason::NothingLeft)?;
    let StmtKind::Pick { variable, set } = &statement.kind else {
        return Err(Reason::WrongStatement { found: "which is not a pick".to_owned() });
    };
    kernel.not_empty(frame, *set)?;
    state.bind(symbol, *set)?;
    state.program.push(Sequential::Pick { symbol, set: *set });
    state.assign(slot, *variable, Value::Member(symbol))?;
    let (place, value) = (Place::Variable(slot, *variable), Term::Symbol(symbol));
    state.program.push(Sequential::Assign { place, value, from: statement.id });
    advance(state, slot)
}
