//! Replays concrete runs: sets have given sizes, and one process after the other executes its first
//! statement.
//!
//! Nothing is abstract here. Between two processes there is one queue for each type of message; a
//! run is accepted if each of its steps is possible, gives a choice exactly where its statement
//! leaves one, and if what it shows is there at its end.

use crate::local::{Instance, Local, Next, Senders, may_act_unasked};
use crate::rejection::{Part, Reason, Rejection};
use crate::run::{Actor, Choice, Run, Shows, Value};
use crate::witness::{Event, Message, Standing, What, Witness};
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::MessageId;
use std::collections::{BTreeMap, VecDeque};

/// How many processes may run, and how many members a set may have.
const ACTORS: u64 = 1_000;

/// All processes of an instance.
struct Machine<'p> {
    instance: Instance<'p>,
    running: BTreeMap<Actor, Local<'p>>,
    queues: BTreeMap<(Actor, Actor, MessageId), VecDeque<Value>>,
    /// Who failed in the last step.
    failed: Option<Actor>,
}

/// Replays a run, checks that it shows what it says, and tells what happens in it.
///
/// ```
/// use ser_sequentialization_checker::run::{Actor, Run, RunStep, Shows};
/// use ser_sequentialization_checker::{replay_run, witness::What};
/// let protocol = ser_syntax::icet::parse("msg A = A; process p { send A to q; } process q { skip; }").protocol;
/// let actor = |process| Actor { process, member: None };
/// let steps = [0, 1].map(|it| RunStep { who: actor(it), choice: None }).to_vec();
/// let shows = Shows::Orphan { from: actor(0), to: actor(1), message: 0 };
/// let witness = replay_run(&protocol, &Run { sizes: vec![], steps, shows })?;
/// assert!(matches!(witness.events[0].what, What::Sends(_)));
/// assert_eq!(witness.in_flight.len(), 1);
/// # Ok::<(), ser_sequentialization_checker::Rejection>(())
/// ```
pub fn replay_run(protocol: &Protocol, run: &Run) -> Result<Witness, Rejection> {
    let mut machine = Machine::new(protocol, &run.sizes)?;
    let mut events = Vec::new();
    for (place, step) in run.steps.iter().enumerate() {
        let done = machine.step(step.who, step.choice.as_ref());
        let event = done.map_err(|reason| Rejection {
            who: Some(machine.name(step.who)),
            ..Rejection::from(reason).within(Part::Step(place), None)
        })?;
        events.push(event);
    }
    machine.shows(&run.shows)?;
    Ok(Witness { events, ends: machine.ends(), in_flight: machine.in_flight() })
}

impl<'p> Machine<'p> {
    fn new(protocol: &'p Protocol, sizes: &[u32]) -> Result<Machine<'p>, Reason> {
        let wanted = protocol.sets.len();
        if sizes.len() != wanted {
            return Err(Reason::Sizes { given: sizes.len(), wanted });
        }
        for (set, size) in protocol.sets.iter().zip(sizes) {
            if *size < set.at_least {
                let (set, least) = (set.name.text.clone(), set.at_least);
                return Err(Reason::Size { set, least, given: *size });
            }
        }
        let total: u64 = sizes.iter().map(|size| u64::from(*size)).sum();
        if total > ACTORS {
            return Err(Reason::LargeSizes);
        }
        let instance = Instance::new(protocol, sizes);
        let mut running = BTreeMap::new();
        for actor in instance.actors() {
            let process = protocol.processes.get(actor.process as usize).ok_or(Reason::NoActor)?;
            running.insert(actor, Local::new(process));
        }
        Ok(Machine { instance, running, queues: BTreeMap::new(), failed: None })
    }

    fn name(&self, actor: Actor) -> String {
        let process = self.instance.protocol.processes.get(actor.process as usize);
        match (process, actor.member) {
            (Some(it), None) => format!("process {}", it.name.text),
            (Some(it), Some(member)) => format!("process {}[{member}]", it.name.text),
            (None, _) => format!("process number {}", actor.process),
        }
    }

    fn step(&mut self, who: Actor, choice: Option<&Choice>) -> Result<Event, Reason> {
        self.failed = None;
        let local = self.running.get(&who).ok_or(Reason::NoActor)?;
        let mut received = None;
        match (local.next(&self.instance, who)?, choice) {
            (Next::Ended, _) => return Err(Reason::Ended),
            (Next::Receive { message, from }, choice) => {
                received = Some(self.take(who, message, from, choice)?);
            }
            (Next::Step | Next::Send, None) | (Next::Branch, Some(Choice::Branch(_))) => {}
            (Next::Value(ty), Some(Choice::Value(it))) if self.instance.has_type(it, ty) => {}
            (Next::Member(left), Some(Choice::Member(it))) if left.contains(it) => {}
            _ => return Err(Reason::Choice),
        }
        let local = self.running.get_mut(&who).ok_or(Reason::NoActor)?;
        let event = local.step(&self.instance, who, choice, received.as_ref())?;
        if let What::Sends(Message { from, to, message, value }) = &event.what {
            self.queues.entry((*from, *to, *message)).or_default().push_back(value.clone());
        }
        self.failed = event.failure().map(|_| who);
        Ok(event)
    }

    /// Takes the message that is received out of its queue.
    fn take(
        &mut self,
        to: Actor,
        message: MessageId,
        senders: Senders,
        choice: Option<&Choice>,
    ) -> Result<Message, Reason> {
        let from = match (senders, choice) {
            (Senders::One(from), None) => from,
            (Senders::Set(_) | Senders::Anyone, Some(Choice::From(from)))
                if self.fits(senders, *from) =>
            {
                *from
            }
            _ => return Err(Reason::Choice),
        };
        let channel = (from, to, message);
        let queue = self.queues.get_mut(&channel).ok_or(Reason::NoMessage)?;
        let value = queue.pop_front().ok_or(Reason::NoMessage)?;
        if queue.is_empty() {
            self.queues.remove(&channel);
        }
        Ok(Message { from, to, message, value })
    }

    /// Whether a sender is among these.
    fn fits(&self, senders: Senders, from: Actor) -> bool {
        match senders {
            Senders::One(actor) => actor == from,
            Senders::Set(set) => self.instance.set_of(from) == Some(set),
            Senders::Anyone => true,
        }
    }

    fn can_step(&self, who: Actor, local: &Local<'p>) -> Result<bool, Reason> {
        Ok(match local.next(&self.instance, who)? {
            Next::Ended => false,
            Next::Member(members) => !members.is_empty(),
            Next::Receive { message, from } => {
                let mut queues = self.queues.keys();
                queues.any(|(by, to, ty)| *to == who && *ty == message && self.fits(from, *by))
            }
            _ => true,
        })
    }

    /// Where everybody stands, in the order of the file.
    fn ends(&self) -> Vec<Standing> {
        let standing = |(who, local): (&Actor, &Local<'p>)| {
            let waits_for = match local.next(&self.instance, *who) {
                Ok(Next::Receive { from: Senders::One(actor), .. }) => Some(actor),
                _ => None,
            };
            let statement = local.statement().map(|it| it.id);
            let (failed, values) = (local.failed, local.values.clone());
            Standing { who: *who, statement, failed, values, waits_for }
        };
        self.running.iter().map(standing).collect()
    }

    /// Messages that nobody has received, oldest first for each pair and type.
    fn in_flight(&self) -> Vec<Message> {
        let messages = self.queues.iter().flat_map(|((from, to, message), queue)| {
            let (from, to, message) = (*from, *to, *message);
            queue.iter().map(move |value| Message { from, to, message, value: value.clone() })
        });
        messages.collect()
    }

    fn shows(&self, shows: &Shows) -> Result<(), Reason> {
        let wrong = |what: String| Err(Reason::Shows { what });
        if let Shows::Failure(who) = shows {
            return match self.failed {
                Some(failed) if failed == *who => Ok(()),
                _ => wrong(format!("{} does not fail in its last step", self.name(*who))),
            };
        }
        for (who, local) in &self.running {
            if self.can_step(*who, local)? {
                return wrong(format!("{} can still take a step", self.name(*who)));
            }
        }
        let processes = &self.instance.protocol.processes;
        match shows {
            Shows::Deadlock(who) => {
                let local = self.running.get(who).ok_or(Reason::NoActor)?;
                let server = processes.get(who.process as usize).is_some_and(|it| it.server);
                if server || local.failed || local.has_ended() {
                    return wrong(format!("{} does not wait, or may wait", self.name(*who)));
                }
            }
            Shows::Orphan { .. } if processes.iter().any(|it| it.server && may_act_unasked(it)) => {
                return wrong(
                    "a server may act without being asked, so nothing is claimed about messages"
                        .to_owned(),
                );
            }
            Shows::Orphan { from, to, message } => {
                if !self.queues.contains_key(&(*from, *to, MessageId(*message))) {
                    return wrong("no such message is in flight".to_owned());
                }
            }
            Shows::Failure(_) => {}
        }
        Ok(())
    }
}
