//! `Draw`: a receive gets any message of a bag.
//!
//! The bag has one message for each member of the loop's set, and each iteration draws one. If one
//! process sent them, they come in their order, and the value of the bag covers each of them. If
//! members of a set sent them, nobody can send another one of their kind any more, so whichever
//! comes next is in the bag.

use crate::derivation::{Bag, Slot};
use crate::kernel::{Context, FrameKind};
use crate::rejection::Reason;
use crate::sequential::{Place, Sequential, Term};
use crate::sources::Origin;
use crate::value::{ToOne, Value};
use ser_syntax::icet::ast::{Source, StmtKind};

impl Context<'_, '_> {
    /// [`Step::Draw`](crate::Step::Draw).
    pub(crate) fn draw(&mut self, slot: Slot, bag: Bag) -> Result<(), Reason> {
        let FrameKind::Loop { slots, draws, .. } = &self.frame.kind else {
            return Err(Reason::NoBag);
        };
        let fits = slots.contains(&slot) && draws.contains(&bag);
        let it = self.state.bags.get(&bag).filter(|_| fits).ok_or(Reason::NoBag)?.clone();
        if Slot::Process(it.receiver.0) != slot {
            return Err(Reason::NoBag);
        }
        let statement = self.state.actor(slot)?.code.statement().ok_or(Reason::NothingLeft)?;
        let StmtKind::Receive { pattern, message, from } = &statement.kind else {
            return Err(Reason::WrongStatement { found: "which is not a receive".to_owned() });
        };
        if *message != it.message {
            return Err(Reason::NoBag);
        }
        let set = self.kernel.protocol.process(it.sender).set;
        let reads_from_it = match (self.kernel.sources.origin(statement.id), from) {
            (Some(Origin::Process(process)), _) => process == it.sender,
            (Some(Origin::Members(from, tag)), _) => Some(from) == set && tag == it.tag,
            (Some(Origin::Written), Source::Pid(expr)) => {
                set.is_none() && self.value(slot, expr)? == Value::Process(it.sender)
            }
            _ => false,
        };
        if !reads_from_it {
            return Err(Reason::OtherSet);
        }
        if set.is_some() {
            let mut codes = self.state.actors.values().map(|actor| &actor.code);
            let left = codes.any(|code| code.contains(it.tag))
                || self.state.sets.values().any(|members| members.code.contains(it.tag))
                || self.state.queues.values().flatten().any(|message| message.tag == it.tag);
            if left {
                return Err(Reason::TagLeft);
            }
        }
        if !self.state.drawn.insert(bag) {
            return Err(Reason::Drawn);
        }
        let value = it.value.rewrite(&mut ToOne::new(&mut self.kernel.numbers, None));
        let process = self.state.actor(slot)?.process;
        let ghost = self.kernel.ghost(process, statement.id, &|_| true);
        let place = Place::Ghost(slot, ghost);
        self.state.program.push(Sequential::Take { bag, place });
        self.state.note_receive(slot, it.sender, *message)?;
        let values = self.unpack(pattern, *message, &value)?;
        self.state.keep(slot, pattern, values, Term::Place(place), statement.id)
    }
}
