//! `Run`: a slot executes its first item, whose effect is decided.
//!
//! A step that is possible now may be taken now: local steps concern nobody else, sends never wait,
//! and a receive that reads from one process takes the oldest message of a queue that nobody else
//! reads from. Therefore every run has an equal one that takes this step first.
//!
//! A step that is rejected leaves the state as it was.

use crate::code::{Item, Postponed};
use crate::derivation::Slot;
use crate::kernel::Context;
use crate::rejection::Reason;
use crate::sequential::{Ghost, Place, Sequential, Term};
use crate::sources::Origin;
use crate::state::{Channel, Message, State};
use crate::value::Value;
use ser_syntax::icet::ast::{
    Arm, ConstructorId, Expr, MessageId, Pattern, ProcessId, Source, Stmt, StmtId, StmtKind, VarId,
};
use std::collections::BTreeSet;

impl<'p> Context<'_, 'p> {
    /// [`Step::Run`](crate::Step::Run).
    pub(crate) fn run(&mut self, slot: Slot) -> Result<(), Reason> {
        let statement = match self.state.actor(slot)?.code.first() {
            Some(Item::Statement(statement)) => statement,
            Some(Item::Postponed(send)) => return self.postponed(slot, send),
            Some(Item::Stop) | None => return Err(Reason::NothingLeft),
        };
        let from = statement.id;
        match &statement.kind {
            StmtKind::Skip => self.state.advance(slot),
            StmtKind::Assign { variable, value } => {
                let new = self.value(slot, value)?;
                let term = Term::Expr(slot, value.clone());
                self.state.assign_term(slot, *variable, new, term, from)?;
                self.state.advance(slot)
            }
            StmtKind::Any { variable } => {
                self.state.assign(slot, *variable, self.kernel.numbers.unknown())?;
                let program = &mut self.state.program;
                program.push(Sequential::Any { who: slot, variable: *variable, from });
                self.state.advance(slot)
            }
            StmtKind::Assert { condition } => {
                let holds = self.truth(slot, condition)? == Some(true);
                self.assertion(slot, Some(condition), from, holds)
            }
            StmtKind::Fail => self.assertion(slot, None, from, false),
            StmtKind::Send { payload, message, to } => {
                let address = self.value(slot, to)?;
                let receiver = self.state.slot_of(&address).ok_or(Reason::UnknownReceiver)?;
                let value = self.value(slot, payload)?;
                let ghost = self.free_ghost(slot, from)?;
                let (place, term) = (Place::Ghost(slot, ghost), Term::Expr(slot, payload.clone()));
                self.state.program.push(Sequential::Assign { place, value: term, from });
                let mut knows = self.state.actor(slot)?.knows.clone();
                knows.insert(slot);
                let channel = (slot, receiver, *message);
                self.send(channel, Message { tag: from, ghost, value, knows })
            }
            StmtKind::Receive { pattern, from: source, .. } => {
                let sender = self.sender(slot, statement, source)?;
                let (values, ghost, knows) = self.receive(sender, slot, statement)?;
                let actor = self.state.actor_mut(slot)?;
                actor.knows.extend(knows.into_iter().filter(|it| *it != slot));
                let term = Term::Place(Place::Ghost(sender, ghost));
                self.state.keep(slot, pattern, values, term, from)
            }
            StmtKind::If { condition, then, otherwise } => {
                let decided = match condition {
                    Some(condition) => self.truth(slot, condition)?,
                    None => None,
                };
                let block = match decided {
                    Some(true) => then,
                    Some(false) => otherwise,
                    None => return Err(Reason::Undecided { found: "if".to_owned() }),
                };
                let code = &mut self.state.actor_mut(slot)?.code;
                code.advance();
                code.enter(block);
                Ok(())
            }
            StmtKind::While { condition, body } => match self.truth(slot, condition)? {
                Some(true) => {
                    self.state.actor_mut(slot)?.code.enter(body);
                    Ok(())
                }
                Some(false) => self.state.advance(slot),
                None => Err(Reason::Undecided { found: "while".to_owned() }),
            },
            StmtKind::Match { variable, arms } => {
                match self.state.actor(slot)?.store.variables.get(variable) {
                    Some(Value::Message(constructor, fields)) => {
                        let (constructor, fields) = (*constructor, fields.clone());
                        enter_arm(self.state, slot, statement, *variable, arms, constructor, fields)
                    }
                    _ => Err(Reason::Undecided { found: "match".to_owned() }),
                }
            }
            StmtKind::Loop { body } => {
                self.state.actor_mut(slot)?.code.enter(body);
                Ok(())
            }
            StmtKind::Break { of } => {
                if self.state.actor_mut(slot)?.code.leave(*of) {
                    Ok(())
                } else {
                    Err(Reason::WrongStatement { found: "break".to_owned() })
                }
            }
            StmtKind::Pick { .. } => Err(Reason::WrongStatement { found: "pick".to_owned() }),
            StmtKind::For { .. } => Err(Reason::WrongStatement { found: "for".to_owned() }),
        }
    }

    fn assertion(
        &mut self,
        who: Slot,
        condition: Option<&Expr>,
        from: StmtId,
        holds: bool,
    ) -> Result<(), Reason> {
        if !holds {
            self.state.history.open.insert(from);
        }
        let condition = condition.cloned();
        self.state.program.push(Sequential::Assert { who, condition, from, holds });
        self.state.advance(who)
    }

    /// A ghost of the slot that no message in flight and no postponed send uses.
    fn free_ghost(&mut self, slot: Slot, tag: StmtId) -> Result<Ghost, Reason> {
        let actor = self.state.actor(slot)?;
        let sent = self.state.queues.iter().filter(|((from, _, _), _)| *from == slot);
        let sent = sent.flat_map(|(_, queue)| queue).map(|message| message.ghost);
        let postponed = actor.code.items().filter_map(|item| match item {
            Item::Postponed(send) => Some(send.ghost),
            _ => None,
        });
        let used: BTreeSet<Ghost> = sent.chain(postponed).collect();
        self.kernel.spend(used.len())?;
        Ok(self.kernel.ghost(actor.process, tag, &|ghost| !used.contains(&ghost)))
    }

    fn postponed(&mut self, slot: Slot, it: Postponed) -> Result<(), Reason> {
        let value = match self.state.actor(slot)?.store.ghosts.get(&it.ghost) {
            Some(value) => value.clone(),
            None => self.kernel.numbers.unknown(),
        };
        // It was sent before this frame, so nothing that its owner did in this frame is its cause.
        let message = Message { tag: it.tag, ghost: it.ghost, value, knows: BTreeSet::new() };
        self.send((slot, Slot::Process(it.to.0), it.message), message)?;
        self.state.actor_mut(slot)?.store.ghosts.remove(&it.ghost);
        Ok(())
    }

    /// Sends a message that is known to come from whom it `knows`.
    fn send(&mut self, channel: Channel, message: Message) -> Result<(), Reason> {
        let (slot, receiver, ty) = channel;
        if slot == receiver {
            return Err(Reason::SelfSend);
        }
        if self.frame.frozen.contains(&channel) {
            return Err(Reason::Frozen);
        }
        let process = self.state.actor(slot)?.process;
        if self.state.has_bag(process, receiver, ty) {
            return Err(Reason::BagInTheWay);
        }
        if !message.knows.contains(&receiver) {
            self.state.history.told.insert(message.tag);
        }
        self.state.history.visited.insert(process);
        self.state.queues.entry(channel).or_default().push(message);
        self.state.advance(slot)
    }

    /// The one process that this receive reads from.
    fn sender(&mut self, slot: Slot, receive: &Stmt, source: &Source) -> Result<Slot, Reason> {
        match (self.kernel.sources.origin(receive.id), source) {
            (Some(Origin::Written), Source::Pid(expr)) => {
                let address = self.value(slot, expr)?;
                self.state.slot_of(&address).ok_or(Reason::UnknownSender)
            }
            (Some(Origin::Process(process)), _) => Ok(Slot::Process(process.0)),
            (Some(Origin::Members(..)), _) => Err(Reason::ReceivesFromSet),
            _ => Err(Reason::NoMessage),
        }
    }

    /// The oldest message of a queue: what the pattern makes of it, its ghost, and whom it knows
    /// of.
    pub(crate) fn receive(
        &mut self,
        sender: Slot,
        receiver: Slot,
        statement: &Stmt,
    ) -> Result<(Vec<Value>, Ghost, BTreeSet<Slot>), Reason> {
        let StmtKind::Receive { pattern, message, .. } = &statement.kind else {
            return Err(Reason::WrongStatement { found: "which is not a receive".to_owned() });
        };
        let channel = (sender, receiver, *message);
        if self.frame.frozen.contains(&channel) {
            return Err(Reason::Frozen);
        }
        let process = self.state.actor(sender)?.process;
        if self.state.has_bag(process, receiver, *message) {
            return Err(Reason::BagInTheWay);
        }
        let queue = self.state.queues.get(&channel).ok_or(Reason::NoMessage)?;
        let oldest = queue.first().ok_or(Reason::NoMessage)?.value.clone();
        self.kernel.spend(queue.len())?;
        let values = self.unpack(pattern, *message, &oldest)?;
        let queue = self.state.queues.get_mut(&channel).ok_or(Reason::NoMessage)?;
        let oldest = queue.remove(0);
        if queue.is_empty() {
            self.state.queues.remove(&channel);
        }
        self.state.note_receive(receiver, process, *message)?;
        Ok((values, oldest.ghost, oldest.knows))
    }

    /// The values that a pattern takes out of a message.
    pub(crate) fn unpack(
        &mut self,
        pattern: &Pattern,
        message: MessageId,
        value: &Value,
    ) -> Result<Vec<Value>, Reason> {
        let kernel = &mut *self.kernel;
        match (pattern, value) {
            (Pattern::Ignore, _) => Ok(Vec::new()),
            (Pattern::Variable(_), _) => Ok(vec![value.clone()]),
            (Pattern::Constructor { constructor, .. }, Value::Message(it, values))
                if it == constructor =>
            {
                Ok(values.clone())
            }
            (Pattern::Constructor { fields, .. }, Value::Unknown(_))
                if kernel.protocol.message(message).constructors.len() == 1 =>
            {
                Ok(fields.iter().map(|_| kernel.numbers.unknown()).collect())
            }
            _ => Err(Reason::Constructor),
        }
    }
}

impl<'p> State<'p> {
    /// The first item of the slot is done.
    pub(crate) fn advance(&mut self, slot: Slot) -> Result<(), Reason> {
        self.actor_mut(slot)?.code.advance();
        Ok(())
    }

    /// The receiver has got a message of this type from this process.
    pub(crate) fn note_receive(
        &mut self,
        receiver: Slot,
        sender: ProcessId,
        message: MessageId,
    ) -> Result<(), Reason> {
        self.received.insert((receiver, sender, message));
        let process = self.actor(receiver)?.process;
        self.history.visited.insert(process);
        Ok(())
    }

    /// A variable gets a value, which the sequential program gets from `term`.
    pub(crate) fn assign_term(
        &mut self,
        slot: Slot,
        variable: VarId,
        value: Value,
        term: Term,
        from: StmtId,
    ) -> Result<(), Reason> {
        self.assign(slot, variable, value)?;
        let place = Place::Variable(slot, variable);
        self.program.push(Sequential::Assign { place, value: term, from });
        Ok(())
    }

    /// The receive that comes first is done, and has got these values.
    pub(crate) fn keep(
        &mut self,
        slot: Slot,
        pattern: &Pattern,
        values: Vec<Value>,
        term: Term,
        from: StmtId,
    ) -> Result<(), Reason> {
        match pattern {
            Pattern::Ignore => {}
            Pattern::Variable(variable) => {
                for value in values {
                    self.assign_term(slot, *variable, value, term.clone(), from)?;
                }
            }
            Pattern::Constructor { constructor, fields } => {
                self.assign_fields(slot, (term, *constructor), fields, values, from)?;
            }
        }
        self.advance(slot)
    }

    /// The variables for the fields of a message get their values.
    fn assign_fields(
        &mut self,
        slot: Slot,
        (term, constructor): (Term, ConstructorId),
        fields: &[Option<VarId>],
        values: Vec<Value>,
        from: StmtId,
    ) -> Result<(), Reason> {
        for (number, (field, value)) in fields.iter().zip(values).enumerate() {
            if let Some(variable) = field {
                let term = Term::Field(Box::new(term.clone()), constructor, number as u32);
                self.assign_term(slot, *variable, value, term, from)?;
            }
        }
        Ok(())
    }
}

/// The `match` that comes first goes on with the arm for this constructor.
pub(crate) fn enter_arm<'p>(
    state: &mut State<'p>,
    slot: Slot,
    statement: &'p Stmt,
    variable: VarId,
    arms: &'p [Arm],
    constructor: ConstructorId,
    values: Vec<Value>,
) -> Result<(), Reason> {
    let covers = |arm: &&Arm| arm.constructors.contains(&constructor);
    let Some(arm) = arms.iter().find(covers) else {
        return Err(Reason::WrongStatement { found: "match".to_owned() });
    };
    let term = Term::Place(Place::Variable(slot, variable));
    state.assign_fields(slot, (term, constructor), &arm.fields, values, statement.id)?;
    let code = &mut state.actor_mut(slot)?.code;
    code.advance();
    code.enter(&arm.body);
    Ok(())
}
