//! `Take`: a receive from a set gets the message of one particular member.
//!
//! Allowed if it cannot be anybody else's message (*reply*), or if the member was chosen as the one
//! whose message it is (*pivot*). A pivot is looked for first.
//!
//! A reply: let `e1, e2, ...` be the messages of this tag to this receiver in the order in which
//! they are received. When `ek` is taken as a reply, the earlier ones have been received; the later
//! ones are sent later in the derivation, by somebody who then knew of the receiver (else the tag
//! is *told*), and as nobody knows of it right after the reply, these sends are caused by something
//! that the receiver does later. So in no order of the steps are they in flight together with `ek`.

use crate::derivation::{Slot, Symbol};
use crate::kernel::{Context, FrameKind};
use crate::rejection::Reason;
use crate::sequential::{Place, Term};
use crate::sources::Origin;
use ser_syntax::icet::ast::StmtKind;

impl Context<'_, '_> {
    /// [`Step::Take`](crate::Step::Take).
    pub(crate) fn take(&mut self, slot: Slot, from: Symbol) -> Result<(), Reason> {
        let statement = self.state.actor(slot)?.code.statement().ok_or(Reason::NothingLeft)?;
        let StmtKind::Receive { pattern, message, .. } = &statement.kind else {
            return Err(Reason::WrongStatement { found: "which is not a receive".to_owned() });
        };
        let Some(Origin::Members(set, tag)) = self.kernel.sources.origin(statement.id) else {
            return Err(Reason::WrongStatement { found: "a receive from one process".to_owned() });
        };
        let sender = Slot::Member(from);
        let member = self.state.actor(sender)?.member.as_ref().ok_or(Reason::NoSlot)?;
        if member.set != set {
            return Err(Reason::OtherSet);
        }
        let is_bag = |receiver: u32| Slot::Process(receiver) == slot;
        if self.state.bags.values().any(|bag| is_bag(bag.receiver.0) && bag.message == *message) {
            return Err(Reason::BagInTheWay);
        }
        let its_turn = matches!(self.frame.kind, FrameKind::Each { member: of, .. } if of == from)
            && member.pivots.is_empty();
        let chosen =
            member.sender_to == Some(slot) && !member.sent && member.frame == self.frame.number;
        let (values, ghost, knows) = self.receive(sender, slot, statement)?;
        if its_turn || chosen {
            if let Some(member) = &mut self.state.actor_mut(sender)?.member {
                member.pivots.insert(tag);
                member.sent = true;
            }
            self.state.actor_mut(slot)?.knows.extend(knows.into_iter().filter(|it| *it != slot));
        } else {
            if !knows.contains(&slot) {
                return Err(Reason::NotTheSender);
            }
            if self.state.queues.keys().any(|(_, to, ty)| *to == slot && ty == message) {
                return Err(Reason::SecondReply);
            }
            self.state.history.replies.insert(tag);
            self.state.actor_mut(slot)?.knows.extend(knows);
            self.state.forget(slot);
        }
        let term = Term::Place(Place::Ghost(sender, ghost));
        self.state.keep(slot, pattern, values, term, statement.id)
    }
}
