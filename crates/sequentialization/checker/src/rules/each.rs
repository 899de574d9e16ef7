//! `Each`: every member of a set does the same, one after the other.
//!
//! The turns may be taken in any order. If the member is the sender of a message that somebody
//! receives from any of them (its *pivot*, at most one in a turn), the order is that of these
//! receives: those who have had their turn cannot send such a message again, so it comes from one
//! of the others, who are all alike.

use crate::derivation::{Step, Symbol};
use crate::kernel::{Context, Frame, FrameKind, Kernel};
use crate::rejection::{Reason, Rejection};
use crate::rules::frame::{Havoc, Round, enter, leave, moved, unchanged};
use crate::sequential::Sequential;
use crate::state::State;

impl Context<'_, '_> {
    /// [`Step::Each`].
    pub(crate) fn each(
        &mut self,
        set: u32,
        symbol: Symbol,
        havoc: &Havoc,
        steps: &[Step],
    ) -> Result<(), Rejection> {
        let turn = enter_turn(self.kernel, self.frame, self.state, set, symbol, havoc)?;
        let mut end = turn.first.clone();
        self.kernel.steps(&turn.frame, &mut end, steps)?;
        *self.state = leave_turn(self.kernel, self.state, &turn, end, symbol, havoc)?;
        Ok(())
    }
}

/// The start of the turn of a member.
pub fn enter_turn<'p, 'f>(
    kernel: &mut Kernel<'p>,
    outer: &'f Frame<'f>,
    state: &State<'p>,
    set: u32,
    symbol: Symbol,
    havoc: &Havoc,
) -> Result<Round<'p, 'f>, Reason> {
    let set = kernel.process_set(set)?;
    state.is_whole(set)?;
    let kind = FrameKind::Each { set, member: symbol };
    let mut turn = enter(kernel, outer, state, (set, kind), [symbol].into(), havoc)?;
    let (frame, state) = (&turn.frame, &mut turn.first);
    Context { kernel, frame, state }.insert(set, symbol, None)?;
    Ok(turn)
}

/// The state after the turns of all members, each of which ends in `end`.
pub fn leave_turn<'p>(
    kernel: &mut Kernel<'p>,
    state: &State<'p>,
    turn: &Round<'p, '_>,
    mut end: State<'p>,
    symbol: Symbol,
    havoc: &Havoc,
) -> Result<State<'p>, Reason> {
    let moved = moved(kernel, state, &mut end, turn, symbol)?;
    unchanged(kernel, &turn.start, &end, havoc)?;
    let body = std::mem::take(&mut end.program);
    let mut after = leave(kernel, state, end, havoc, Some(moved))?;
    after.program.push(Sequential::For { symbol, set: turn.set, body });
    Ok(after)
}
