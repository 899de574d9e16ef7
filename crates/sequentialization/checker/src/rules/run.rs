//! `Run`: a slot executes its first item, whose effect is decided.
//!
//! A step that is possible now may be taken now: local steps concern nobody else, sends never wait,
//! and a receive that reads from one process takes the oldest message of a queue that nobody else
//! reads from. Therefore every run has an equal one that takes this step first.
//!
//! A step that is rejected leaves the state as it was.

use crate::code::{Item, Postponed};
use crate::derivation::Slot;
use crate::kernel::{Frame, Kernel};
use crate::rejection::Reason;
use crate::sequential::{Ghost, Place, Sequential, Term};
use crate::sources::Origin;
use crate::state::{Channel, Message, State};
use crate::value::Value;
use ser_syntax::icet::ast::{
    Arm, ConstructorId, Expr, MessageId, Pattern, ProcessId, Source, Stmt, StmtId, StmtKind, VarId,
};
use std::collections::BTreeSet;

/// [`Step::Run`](crate::Step::Run).
pub fn run<'p>(
    kernel: &mut Kernel<'p>,
    frame: &Frame<'_>,
    state: &mut State<'p>,
    slot: Slot,
) -> Result<(), Reason> {
    let statement = match state.actor(slot)?.code.first() {
        Some(Item::Statement(statement)) => statement,
        Some(Item::Postponed(send)) => return postponed(kernel, frame, state, slot, send),
        Some(Item::Stop) | None => return Err(Reason::NothingLeft),
    };
    let from = statement.id;
    match &statement.kind {
        StmtKind::Skip => advance(state, slot),
        StmtKind::Assign { variable, value } => {
            let new = kernel.value(state, slot, value)?;
            state.assign(slot, *variable, new)?;
            let (place, value) =
                (Place::Variable(slot, *variable), Term::Expr(slot, value.clone()));
            state.program.push(Sequential::Assign { place, value, from });
            advance(state, slot)
        }
        StmtKind::Any { variable } => {
            state.assign(slot, *variable, kernel.numbers.unknown())?;
            let (who, variable) = (slot, *variable);
            state.program.push(Sequential::Any { who, variable, from });
            advance(state, slot)
        }
        StmtKind::Assert { condition } => {
            let holds = kernel.truth(state, slot, condition)? == Some(true);
            assertion(state, slot, Some(condition), from, holds)
        }
        StmtKind::Fail => assertion(state, slot, None, from, false),
        StmtKind::Send { payload, message, to } => {
            let address = kernel.value(state, slot, to)?;
            let receiver = state.slot_of(&address).ok_or(Reason::UnknownReceiver)?;
            let value = kernel.value(state, slot, payload)?;
            let ghost = free_ghost(kernel, state, slot, from)?;
            let (place, term) = (Place::Ghost(slot, ghost), Term::Expr(slot, payload.clone()));
            state.program.push(Sequential::Assign { place, value: term, from });
            let mut knows = state.actor(slot)?.knows.clone();
            knows.insert(slot);
            let channel = (slot, receiver, *message);
            send(frame, state, channel, Message { tag: from, ghost, value, knows })
        }
        StmtKind::Receive { pattern, from: source, .. } => {
            let sender = sender(kernel, state, slot, statement, source)?;
            let (values, ghost, knows) = receive(kernel, frame, state, sender, slot, statement)?;
            state.actor_mut(slot)?.knows.extend(knows.into_iter().filter(|it| *it != slot));
            let term = Term::Place(Place::Ghost(sender, ghost));
            keep(state, slot, pattern, values, term, from)?;
            advance(state, slot)
        }
        StmtKind::If { condition, then, otherwise } => {
            let decided = match condition {
                Some(condition) => kernel.truth(state, slot, condition)?,
                None => None,
            };
            let block = match decided {
                Some(true) => then,
                Some(false) => otherwise,
                None => return Err(Reason::Undecided { found: "if".to_owned() }),
            };
            let code = &mut state.actor_mut(slot)?.code;
            code.advance();
            code.enter(block);
            Ok(())
        }
        StmtKind::While { condition, body } => match kernel.truth(state, slot, condition)? {
            Some(true) => {
                state.actor_mut(slot)?.code.enter(body);
                Ok(())
            }
            Some(false) => advance(state, slot),
            None => Err(Reason::Undecided { found: "while".to_owned() }),
        },
        StmtKind::Match { variable, arms } => {
            match state.actor(slot)?.store.variables.get(variable) {
                Some(Value::Message(constructor, fields)) => {
                    let (constructor, fields) = (*constructor, fields.clone());
                    enter_arm(state, slot, statement, *variable, arms, constructor, fields)
                }
                _ => Err(Reason::Undecided { found: "match".to_owned() }),
            }
        }
        StmtKind::Loop { body } => {
            state.actor_mut(slot)?.code.enter(body);
            Ok(())
        }
        StmtKind::Break { of } => {
            if state.actor_mut(slot)?.code.leave(*of) {
                Ok(())
            } else {
                Err(Reason::WrongStatement { found: "break".to_owned() })
            }
        }
        StmtKind::Pick { .. } => Err(Reason::WrongStatement { found: "pick".to_owned() }),
        StmtKind::For { .. } => Err(Reason::WrongStatement { found: "for".to_owned() }),
    }
}

/// The first item is done.
pub fn advance(state: &mut State<'_>, slot: Slot) -> Result<(), Reason> {
    state.actor_mut(slot)?.code.advance();
    Ok(())
}

fn assertion(
    state: &mut State<'_>,
    slot: Slot,
    condition: Option<&Expr>,
    from: StmtId,
    holds: bool,
) -> Result<(), Reason> {
    if !holds {
        state.history.open.insert(from);
    }
    let (who, condition) = (slot, condition.cloned());
    state.program.push(Sequential::Assert { who, condition, from, holds });
    advance(state, slot)
}

/// A ghost of the slot that no message in flight and no postponed send uses.
fn free_ghost(
    kernel: &mut Kernel<'_>,
    state: &State<'_>,
    slot: Slot,
    tag: StmtId,
) -> Result<Ghost, Reason> {
    let actor = state.actor(slot)?;
    let sent = state.queues.iter().filter(|((from, _, _), _)| *from == slot);
    let sent = sent.flat_map(|(_, queue)| queue).map(|message| message.ghost);
    let postponed = actor.code.items().filter_map(|item| match item {
        Item::Postponed(send) => Some(send.ghost),
        _ => None,
    });
    let used: BTreeSet<Ghost> = sent.chain(postponed).collect();
    kernel.spend(used.len())?;
    Ok(kernel.ghost(actor.process, tag, &|ghost| !used.contains(&ghost)))
}

fn postponed<'p>(
    kernel: &mut Kernel<'p>,
    frame: &Frame<'_>,
    state: &mut State<'p>,
    slot: Slot,
    it: Postponed,
) -> Result<(), Reason> {
    let value = match state.actor(slot)?.store.ghosts.get(&it.ghost) {
        Some(value) => value.clone(),
        None => kernel.numbers.unknown(),
    };
    // It was sent before this frame, so nothing that its owner did in this frame is its cause.
    let message = Message { tag: it.tag, ghost: it.ghost, value, knows: BTreeSet::new() };
    send(frame, state, (slot, Slot::Process(it.to.0), it.message), message)?;
    state.actor_mut(slot)?.store.ghosts.remove(&it.ghost);
    Ok(())
}

/// Sends a message that is known to come from whom it `knows`.
fn send(
    frame: &Frame<'_>,
    state: &mut State<'_>,
    channel: Channel,
    message: Message,
) -> Result<(), Reason> {
    let (slot, receiver, ty) = channel;
    if slot == receiver {
        return Err(Reason::SelfSend);
    }
    if frame.frozen.contains(&channel) {
        return Err(Reason::Frozen);
    }
    let process = state.actor(slot)?.process;
    if state.has_bag(process, receiver, ty) {
        return Err(Reason::BagInTheWay);
    }
    if !message.knows.contains(&receiver) {
        state.history.told.insert(message.tag);
    }
    state.history.visited.insert(process);
    state.queues.entry(channel).or_default().push(message);
    advance(state, slot)
}

/// The one process that this receive reads from.
fn sender<'p>(
    kernel: &mut Kernel<'p>,
    state: &State<'p>,
    slot: Slot,
    receive: &Stmt,
    source: &Source,
) -> Result<Slot, Reason> {
    match (kernel.sources.origin(receive.id), source) {
        (Some(Origin::Written), Source::Pid(expr)) => {
            let address = kernel.value(state, slot, expr)?;
            state.slot_of(&address).ok_or(Reason::UnknownSender)
        }
        (Some(Origin::Process(process)), _) => Ok(Slot::Process(process.0)),
        (Some(Origin::Members(..)), _) => Err(Reason::ReceivesFromSet),
        _ => Err(Reason::NoMessage),
    }
}

/// The oldest message of a queue: what the pattern makes of it, its ghost, and whom it knows of.
pub fn receive<'p>(
    kernel: &mut Kernel<'p>,
    frame: &Frame<'_>,
    state: &mut State<'p>,
    sender: Slot,
    receiver: Slot,
    statement: &Stmt,
) -> Result<(Vec<Value>, Ghost, BTreeSet<Slot>), Reason> {
    let StmtKind::Receive { pattern, message, .. } = &statement.kind else {
        return Err(Reason::WrongStatement { found: "which is not a receive".to_owned() });
    };
    let channel = (sender, receiver, *message);
    if frame.frozen.contains(&channel) {
        return Err(Reason::Frozen);
    }
    let process = state.actor(sender)?.process;
    if state.has_bag(process, receiver, *message) {
        return Err(Reason::BagInTheWay);
    }
    let queue = state.queues.get_mut(&channel).ok_or(Reason::NoMessage)?;
    let oldest = queue.first().ok_or(Reason::NoMessage)?;
    let values = unpack(kernel, pattern, *message, &oldest.value)?;
    kernel.spend(queue.len())?;
    let oldest = queue.remove(0);
    if queue.is_empty() {
        state.queues.remove(&channel);
    }
    note_receive(state, receiver, process, *message)?;
    Ok((values, oldest.ghost, oldest.knows))
}

/// The values that a pattern takes out of a message.
pub fn unpack(
    kernel: &mut Kernel<'_>,
    pattern: &Pattern,
    message: MessageId,
    value: &Value,
) -> Result<Vec<Value>, Reason> {
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

/// The receiver has got a message of this type from this process.
pub fn note_receive(
    state: &mut State<'_>,
    receiver: Slot,
    sender: ProcessId,
    message: MessageId,
) -> Result<(), Reason> {
    state.received.insert((receiver, sender, message));
    let process = state.actor(receiver)?.process;
    state.history.visited.insert(process);
    Ok(())
}

/// What becomes of a message that was received.
pub fn keep(
    state: &mut State<'_>,
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
                state.assign(slot, *variable, value)?;
            }
            let place = Place::Variable(slot, *variable);
            state.program.push(Sequential::Assign { place, value: term, from });
        }
        Pattern::Constructor { constructor, fields } => {
            assign_fields(state, slot, (term, *constructor), fields, values, from)?;
        }
    }
    Ok(())
}

/// The variables for the fields of a message get their values.
fn assign_fields(
    state: &mut State<'_>,
    slot: Slot,
    (term, constructor): (Term, ConstructorId),
    fields: &[Option<VarId>],
    values: Vec<Value>,
    from: StmtId,
) -> Result<(), Reason> {
    for (number, (field, value)) in fields.iter().zip(values).enumerate() {
        let Some(variable) = field else { continue };
        state.assign(slot, *variable, value)?;
        let place = Place::Variable(slot, *variable);
        let value = Term::Field(Box::new(term.clone()), constructor, number as u32);
        state.program.push(Sequential::Assign { place, value, from });
    }
    Ok(())
}

/// The `match` that comes first goes on with the arm for this constructor.
pub fn enter_arm<'p>(
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
    assign_fields(state, slot, (term, constructor), &arm.fields, values, statement.id)?;
    let code = &mut state.actor_mut(slot)?.code;
    code.advance();
    code.enter(&arm.body);
    Ok(())
}
