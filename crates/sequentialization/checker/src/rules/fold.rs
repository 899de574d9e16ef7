//! `Fold`: an unfolded member is again like all the others of its set.
//!
//! What is known about the set afterwards must hold for the others and for this one. A variable
//! that the member has not assigned to since it was unfolded has the value that it had as one of
//! the set.

use crate::derivation::{Cell, Slot, Symbol};
use crate::join::Join;
use crate::kernel::Context;
use crate::rejection::Reason;
use crate::value::ToMany;

impl Context<'_, '_> {
    /// [`Step::Fold`](crate::Step::Fold).
    pub(crate) fn fold(&mut self, symbol: Symbol) -> Result<(), Reason> {
        let slot = Slot::Member(symbol);
        let actor = self.state.actors.get(&slot).ok_or(Reason::NotUnfoldedHere)?;
        let member = actor.member.as_ref().ok_or(Reason::NotUnfoldedHere)?;
        if member.frame != self.frame.number {
            return Err(Reason::NotUnfoldedHere);
        }
        if self.frame.moves_on() == Some(symbol) {
            return Err(Reason::MovesOn);
        }
        if member.sender_to.is_some() && !member.sent {
            return Err(Reason::PivotMissing);
        }
        if self.state.queues.keys().any(|(from, to, _)| *from == slot || *to == slot) {
            return Err(Reason::MemberMessages);
        }
        let set = member.set;
        let members = self.state.sets.get_mut(&set).ok_or(Reason::NoSet)?;
        if members.code != actor.code {
            return Err(Reason::OtherCode);
        }
        let actor = self.state.actors.remove(&slot).ok_or(Reason::NotUnfoldedHere)?;
        for (variable, value) in &actor.store.variables {
            if !self.state.assigned.contains(&(Cell::Member(symbol), *variable)) {
                continue;
            }
            let everything = self.kernel.numbers.end();
            let value = value.rewrite(&mut ToMany::new(
                &mut self.kernel.numbers,
                Some(symbol),
                everything,
                &|_| true,
            ));
            let old = members.store.variables.get(variable);
            let joined = Join::many(&mut self.kernel.numbers).optional(old, Some(&value));
            members.store.variables.extend(joined.map(|it| (*variable, it)));
            self.state.assigned.insert((Cell::Set(set.0), *variable));
        }
        // Another name may mean this member, too: what is known of it under this one would not be
        // forgotten when it gets a reply under the other.
        self.state.forget(slot);
        Ok(())
    }
}
