//! `Unfold`: one member of a set gets a slot of its own.
//!
//! Either somebody has named it, or it is whoever sends the next message of a certain receive: all
//! members that may do so are at the same code, and what is known about them all is known about it.

use crate::derivation::{Advance, Slot, Symbol};
use crate::kernel::{Frame, FrameKind, Kernel};
use crate::rejection::Reason;
use crate::sequential::Sequential;
use crate::sources::Origin;
use crate::state::{Actor, Member, State};
use crate::value::ToOne;
use ser_syntax::icet::ast::{SetId, StmtKind};
use std::collections::BTreeSet;

/// [`Step::Unfold`](crate::Step::Unfold).
pub fn unfold<'p>(
    kernel: &mut Kernel<'p>,
    frame: &Frame<'_>,
    state: &mut State<'p>,
    set: u32,
    symbol: Symbol,
    sender_to: Option<Slot>,
) -> Result<(), Reason> {
    let set = kernel.process_set(set)?;
    if state.unfolded(set).is_some() {
        return Err(Reason::AlreadyUnfolded);
    }
    let whole = state.sets.get(&set).ok_or(Reason::NoSet)?.whole;
    let in_loop = |wanted: Advance| match &frame.kind {
        FrameKind::Loop { set: over, advance, .. } => *over == set && *advance == wanted,
        _ => false,
    };
    match sender_to {
        None => {
            if state.symbols.get(&symbol) != Some(&set) {
                return Err(Reason::NotAMember);
            }
            let named = in_loop(Advance::Named) && frame.moves_on() == Some(symbol);
            if !whole && !named {
                return Err(Reason::NotWhole);
            }
        }
        Some(receiver) => {
            waits_for(kernel, state, receiver, set)?;
            if whole {
                kernel.not_empty(frame, set)?;
                state.program.push(Sequential::Pick { symbol, set });
            } else if !in_loop(Advance::Sender(symbol)) {
                return Err(Reason::NotWhole);
            }
            state.bind(symbol, set)?;
        }
    }
    insert(kernel, frame, state, set, symbol, sender_to)
}

/// The receiver waits for a message from the set, and none is in flight.
fn waits_for<'p>(
    kernel: &Kernel<'p>,
    state: &State<'p>,
    receiver: Slot,
    set: SetId,
) -> Result<(), Reason> {
    let statement = state.actor(receiver)?.code.statement().ok_or(Reason::NoReceive)?;
    let StmtKind::Receive { message, .. } = &statement.kind else {
        return Err(Reason::NoReceive);
    };
    match kernel.sources.origin(statement.id) {
        Some(Origin::Members(from, _)) if from == set => {}
        _ => return Err(Reason::NoReceive),
    }
    let process = state.sets.get(&set).ok_or(Reason::NoSet)?.process;
    let queued = state.queues.keys().any(|(_, to, ty)| *to == receiver && ty == message);
    if queued || state.has_bag(process, receiver, *message) {
        return Err(Reason::MessageInFlight);
    }
    Ok(())
}

/// The member gets a slot.
pub fn insert<'p>(
    kernel: &mut Kernel<'p>,
    frame: &Frame<'_>,
    state: &mut State<'p>,
    set: SetId,
    symbol: Symbol,
    sender_to: Option<Slot>,
) -> Result<(), Reason> {
    let members = state.sets.get(&set).ok_or(Reason::NoSet)?;
    kernel.spend(members.store.size() + members.code.len())?;
    let member =
        Member { set, frame: frame.number, sender_to, sent: false, pivots: BTreeSet::new() };
    let actor = Actor {
        process: members.process,
        member: Some(member),
        code: members.code.clone(),
        store: members.store.rewrite(&mut ToOne::new(&mut kernel.numbers, Some(symbol))),
        knows: BTreeSet::new(),
    };
    state.actors.insert(Slot::Member(symbol), actor);
    Ok(())
}
