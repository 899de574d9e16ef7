//! What one process can do next, computed once for each of its local states.
//!
//! A local state is *settled*: steps that are the process's own business and leave no choice have
//! been taken (at most [`SETTLE`] of them, should they never end). Every step is counted, so that
//! runs can list them all.

use super::search::Numbers;
use super::value::Domain;
use rustc_hash::FxHashMap;
use ser_sequentialization_checker::Reason;
use ser_sequentialization_checker::local::{self, Local, Senders};
use ser_sequentialization_checker::run::{Actor, Choice};
use ser_sequentialization_checker::witness::{Message, What};
use ser_syntax::icet::ast::{MessageId, Process, StmtId};
use std::rc::Rc;

/// How many steps without choice are taken at once at most.
const SETTLE: u32 = 512;

/// A local state: its number among those of one actor.
pub(crate) type LocalId = u32;

/// How a process goes on.
#[derive(Clone, Debug)]
pub(crate) enum Next {
    /// It takes no step any more: it has ended or failed, or there is nothing to choose from.
    Halted,
    /// A number does not fit, so nobody knows.
    Unclear,
    /// It does something of its own.
    Local(Vec<Outcome>),
    Send {
        message: Message,
        outcome: Outcome,
    },
    /// It waits for a message.
    Receive {
        message: MessageId,
        from: Senders,
    },
}

/// What one step, and those without choice that follow it, lead to.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// What was chosen in the first step.
    pub(crate) choice: Option<Choice>,
    /// How many steps there are, with the first.
    pub(crate) steps: u32,
    /// The state afterwards.
    pub(crate) to: LocalId,
    /// The statement that failed in the last of the steps, if it did.
    pub(crate) failed: Option<StmtId>,
}

/// All local states of one actor that were met, and how each goes on.
pub(crate) struct Locals<'p> {
    domain: Rc<Domain<'p>>,
    actor: Actor,
    states: Numbers<Local<'p>>,
    nexts: FxHashMap<LocalId, Rc<Next>>,
    received: FxHashMap<(LocalId, u32), Outcome>,
}

impl<'p> Locals<'p> {
    /// The states of an actor, none met yet.
    pub(crate) fn new(domain: Rc<Domain<'p>>, actor: Actor) -> Locals<'p> {
        let states = Numbers::new();
        let (nexts, received) = (FxHashMap::default(), FxHashMap::default());
        Locals { domain, actor, states, nexts, received }
    }

    /// The state at the start, settled (`steps` counts only what settling took).
    pub(crate) fn start(&mut self, process: &'p Process) -> Outcome {
        self.settle(Local::new(process), None, 0, None)
    }

    /// A state by its number.
    pub(crate) fn state(&self, id: LocalId) -> &Local<'p> {
        self.states.thing(id)
    }

    /// How a state goes on.
    pub(crate) fn next(&mut self, id: LocalId) -> Rc<Next> {
        if let Some(next) = self.nexts.get(&id) {
            return Rc::clone(next);
        }
        let next = Rc::new(self.compute(id).unwrap_or(Next::Unclear));
        self.nexts.insert(id, Rc::clone(&next));
        next
    }

    /// What a message leads to in a state that waits for it. The choice is left to the caller.
    pub(crate) fn receive(&mut self, id: LocalId, number: u32, message: &Message) -> Outcome {
        if let Some(outcome) = self.received.get(&(id, number)) {
            return outcome.clone();
        }
        let mut local = self.state(id).clone();
        let event = local.step(&self.domain.instance, self.actor, None, Some(message));
        let failed = event.ok().and_then(|it| it.failure());
        let outcome = self.settle(local, None, 1, failed);
        self.received.insert((id, number), outcome.clone());
        outcome
    }

    fn compute(&mut self, id: LocalId) -> Result<Next, Reason> {
        let domain = Rc::clone(&self.domain);
        let local = self.state(id).clone();
        let choices: Vec<Option<Choice>> = match local.next(&domain.instance, self.actor)? {
            local::Next::Ended => return Ok(Next::Halted),
            local::Next::Receive { message, from } => return Ok(Next::Receive { message, from }),
            local::Next::Step | local::Next::Send => vec![None],
            local::Next::Branch => vec![Some(Choice::Branch(true)), Some(Choice::Branch(false))],
            local::Next::Value(ty) => {
                domain.values(ty).into_iter().map(|it| Some(Choice::Value(it))).collect()
            }
            local::Next::Member(members) => {
                members.into_iter().map(|it| Some(Choice::Member(it))).collect()
            }
        };
        let mut outcomes = Vec::new();
        for choice in choices {
            let mut after = local.clone();
            let event = after.step(&domain.instance, self.actor, choice.as_ref(), None)?;
            let outcome = self.settle(after, choice, 1, event.failure());
            if let What::Sends(message) = event.what {
                return Ok(Next::Send { message, outcome });
            }
            outcomes.push(outcome);
        }
        Ok(if outcomes.is_empty() { Next::Halted } else { Next::Local(outcomes) })
    }

    /// Takes steps without choice as long as there are any.
    fn settle(
        &mut self,
        mut local: Local<'p>,
        choice: Option<Choice>,
        mut steps: u32,
        mut failed: Option<StmtId>,
    ) -> Outcome {
        let instance = &self.domain.instance;
        let limit = steps + SETTLE;
        while failed.is_none()
            && steps < limit
            && let Ok(local::Next::Step) = local.next(instance, self.actor)
            && let Ok(event) = local.step(instance, self.actor, None, None)
        {
            steps += 1;
            failed = event.failure();
        }
        if local.failed {
            // What the variables hold does not matter any more.
            local.values.fill(None);
        }
        Outcome { choice, steps, to: self.states.number(local).0, failed }
    }
}
