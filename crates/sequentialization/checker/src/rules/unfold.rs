//! `Unfold`: one member of a set gets a slot of its own.
//!
//! Either somebody has named it, or it is whoever sends the next message of a certain receive: all
//! members that may do so are at the same code, and what is known about them all is known about it.

use crate::derivation::{Advance, Slot, Symbol};
use crate::kernel::{Context, FrameKind};
use crate::rejection::Reason;
use crate::sequential::Sequential;
use crate::sources::Origin;
use crate::state::{Actor, Member};
use crate::value::ToOne;
use ser_syntax::icet::ast::{SetId, StmtKind};
use std::collections::BTreeSet;

impl Context<'_, '_> {
    /// [`Step::Unfold`](crate::Step::Unfold).
    pub(crate) fn unfold(
        &mut self,
        set: u32,
        symbol: Symbol,
        sender_to: Option<Slot>,
    ) -> Result<(), Reason> {
        let set = self.kernel.process_set(set)?;
        if self.state.unfolded(set).is_some() {
            return Err(Reason::AlreadyUnfolded);
        }
        let whole = self.state.sets.get(&set).ok_or(Reason::NoSet)?.whole;
        let in_loop = |wanted: Advance| match &self.frame.kind {
            FrameKind::Loop { set: over, advance, .. } => *over == set && *advance == wanted,
            _ => false,
        };
        match sender_to {
            None => {
                if self.state.symbols.get(&symbol) != Some(&set) {
                    return Err(Reason::NotAMember);
                }
                let named = in_loop(Advance::Named) && self.frame.moves_on() == Some(symbol);
                if !whole && !named {
                    return Err(Reason::NotWhole);
                }
            }
            Some(receiver) => {
                self.waits_for(receiver, set)?;
                if whole {
                    self.kernel.not_empty(self.frame, set)?;
                    self.state.program.push(Sequential::Pick { symbol, set });
                } else if !in_loop(Advance::Sender(symbol)) {
                    return Err(Reason::NotWhole);
                }
                self.state.bind(symbol, set)?;
            }
        }
        self.insert(set, symbol, sender_to)
    }

    /// The receiver waits for a message from the set, and none is in flight.
    fn waits_for(&self, receiver: Slot, set: SetId) -> Result<(), Reason> {
        let statement = self.state.actor(receiver)?.code.statement().ok_or(Reason::NoReceive)?;
        let StmtKind::Receive { message, .. } = &statement.kind else {
            return Err(Reason::NoReceive);
        };
        match self.kernel.sources.origin(statement.id) {
            Some(Origin::Members(from, _)) if from == set => {}
            _ => return Err(Reason::NoReceive),
        }
        let process = self.state.sets.get(&set).ok_or(Reason::NoSet)?.process;
        let queued = self.state.queues.keys().any(|(_, to, ty)| *to == receiver && ty == message);
        if queued || self.state.has_bag(process, receiver, *message) {
            return Err(Reason::MessageInFlight);
        }
        Ok(())
    }

    /// The member gets a slot.
    pub(crate) fn insert(
        &mut self,
        set: SetId,
        symbol: Symbol,
        sender_to: Option<Slot>,
    ) -> Result<(), Reason> {
        let members = self.state.sets.get(&set).ok_or(Reason::NoSet)?;
        self.kernel.spend(members.store.size() + members.code.len())?;
        let member = Member {
            set,
            frame: self.frame.number,
            sender_to,
            sent: false,
            pivots: BTreeSet::new(),
        };
        let actor = Actor {
            process: members.process,
            member: Some(member),
            code: members.code.clone(),
            store: members.store.rewrite(&mut ToOne::new(&mut self.kernel.numbers, Some(symbol))),
            knows: BTreeSet::new(),
        };
        self.state.actors.insert(Slot::Member(symbol), actor);
        Ok(())
    }
}
