//! `Each`: every member of a set does the same, one after the other.
//!
//! The turns may be taken in any order. If the member is the sender of a message that somebody receives from
//! any of them (its *pivot*, at most one in a turn), the order is that of these receives: those who have had
//! their turn cannot send such a message again, so it comes from one of the others, who are all alike.

use crate::derivation::{Step, Symbol};
use crate::kernel::{Frame, FrameKind, Kernel};
use crate::rejection::{Reason, Rejection};
use crate::rules::frame::{Havoc, enter, leave, moved, unchanged};
use crate::rules::unfold;
use crate::sequential::Sequential;
use crate::state::State;

/// [`Step::Each`].
#[allow(clippy::too_many_arguments)]
pub(crate) fn each<'p>(
    kernel: &mut Kernel<'p>,
    frame: &Frame<'_>,
    state: &mut State<'p>,
    set: u32,
    symbol: Symbol,
    havoc: &Havoc,
    steps: &[Step],
) -> Result<(), Rejection> {
    let set = kernel.process_set(set)?;
    if state.unfolded(set).is_some() {
        return Err(Reason::AlreadyUnfolded.into());
    }
    if !state.sets.get(&set).ok_or(Reason::NoSet)?.whole {
        return Err(Reason::NotWhole.into());
    }
    let since = kernel.numbers.now();
    let kind = FrameKind::Each { set, member: symbol };
    let (start, inner) = enter(kernel, frame, state, kind, havoc)?;
    let mut end = start.clone();
    end.bind(symbol, set)?;
    unfold::insert(kernel, &inner, &mut end, set, symbol, None)?;
    kernel.steps(&inner, &mut end, steps)?;
    let (code, store) = moved(kernel, state, &mut end, &inner, set, symbol, since)?;
    unchanged(kernel, &start, &end, havoc, None)?;
    let body = std::mem::take(&mut end.program);
    let mut after = leave(kernel, state, end, havoc, Some((set, code, store)))?;
    after.program.push(Sequential::For { symbol, set, body });
    *state = after;
    Ok(())
}
