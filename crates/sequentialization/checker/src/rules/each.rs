//! `Each`: every member of a set does the same, one after the other.
//!
//! The turns may be taken in any order. If the member is the sender of a message that somebody
//! receives from any of them (its *pivot*, at most one in a turn), the order is that of these
//! receives: those who have had their turn cannot send such a message again, so it comes from one
//! of the others, who are all alike.

use crate::derivation::{Step, Symbol};
use crate::kernel::{Frame, FrameKind, Kernel};
use crate::rejection::{Reason, Rejection};
use crate::rules::frame::{Havoc, enter, leave, moved, unchanged};
use crate::rules::unfold;
use crate::sequential::Sequential;
use crate::state::State;
use crate::value::Number;
use ser_syntax::icet::ast::SetId;

/// [`Step::Each`].
#[allow(clippy::too_many_arguments)]
pub fn each<'p>(
    kernel: &mut Kernel<'p>,
    frame: &Frame<'_>,
    state: &mut State<'p>,
    set: u32,
    symbol: Symbol,
    havoc: &Havoc,
    steps: &[Step],
) -> Result<(), Rejection> {
    let turn = enter_turn(kernel, frame, state, set, symbol, havoc)?;
    let mut end = turn.first.clone();
    kernel.steps(&turn.frame, &mut end, steps)?;
    *state = leave_turn(kernel, state, &turn, end, havoc)?;
    Ok(())
}

/// The turn of one member.
pub struct Turn<'p, 'f> {
    set: SetId,
    symbol: Symbol,
    since: Number,
    /// The frame of the turn.
    pub frame: Frame<'f>,
    /// The state at the start of every turn.
    pub start: State<'p>,
    /// The same, with the member unfolded.
    pub first: State<'p>,
}

/// The start of a turn.
pub fn enter_turn<'p, 'f>(
    kernel: &mut Kernel<'p>,
    outer: &'f Frame<'f>,
    state: &State<'p>,
    set: u32,
    symbol: Symbol,
    havoc: &Havoc,
) -> Result<Turn<'p, 'f>, Reason> {
    let set = kernel.process_set(set)?;
    if state.unfolded(set).is_some() {
        return Err(Reason::AlreadyUnfolded);
    }
    if !state.sets.get(&set).ok_or(Reason::NoSet)?.whole {
        return Err(Reason::NotWhole);
    }
    let since = kernel.numbers.now();
    let kind = FrameKind::Each { set, member: symbol };
    let (start, frame) = enter(kernel, outer, state, kind, havoc)?;
    let mut first = start.clone();
    first.bind(symbol, set)?;
    unfold::insert(kernel, &frame, &mut first, set, symbol, None)?;
    Ok(Turn { set, symbol, since, frame, start, first })
}

/// The state after the turns of all members, each of which ends in `end`.
pub fn leave_turn<'p>(
    kernel: &mut Kernel<'p>,
    state: &State<'p>,
    turn: &Turn<'p, '_>,
    mut end: State<'p>,
    havoc: &Havoc,
) -> Result<State<'p>, Reason> {
    let Turn { set, symbol, since, frame, start, .. } = turn;
    let (code, store) = moved(kernel, state, &mut end, frame, *set, *symbol, *since)?;
    unchanged(kernel, start, &end, havoc)?;
    let body = std::mem::take(&mut end.program);
    let mut after = leave(kernel, state, end, havoc, Some((*set, code, store)))?;
    after.program.push(Sequential::For { symbol: *symbol, set: *set, body });
    Ok(after)
}
