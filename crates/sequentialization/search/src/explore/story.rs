//! A run, step by step in terms of the protocol: who does what at which statement.

use super::code::{Code, END, Operation, Pc};
use super::value::{Domain, Scope, Unclear, address, evaluate, truth};
use ser_sequentialization_checker::run::{Actor, Choice, Run, RunStep, Shows, Value};
use ser_syntax::icet::ast::{MessageId, Pattern, Protocol, SetKind, Source, StmtId, VarId};
use std::collections::{BTreeMap, VecDeque};

/// A run in terms of the protocol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Story {
    /// What happens, in order.
    pub events: Vec<Event>,
    /// Where everybody stands at the end, in the order of the file.
    pub ends: Vec<Standing>,
    /// Messages that nobody has received, oldest first for each pair and type.
    pub under_way: Vec<Letter>,
}

/// One step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// Who takes it.
    pub who: Actor,
    /// The statement.
    pub statement: StmtId,
    /// What happens.
    pub what: What,
}

/// What happens in a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// A message is sent.
    Sends(Letter),
    /// A message is received.
    Receives(Letter),
    /// A variable gets a value.
    Sets(VarId, Value),
    /// A `for` takes its next member, or a `pick` chooses one.
    Takes(VarId, Value),
    /// A decision: an `if`, a `while` or a `match`, with its outcome.
    Decides(bool),
    /// Nothing that is worth telling.
    Passes,
    /// The process fails.
    Fails,
    /// A message is received, which has another constructor than expected.
    Refuses(Letter),
}

/// A message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Letter {
    /// Who sent it.
    pub from: Actor,
    /// To whom.
    pub to: Actor,
    /// Its type.
    pub message: MessageId,
    /// What it says.
    pub value: Value,
}

/// Where a process stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The process.
    pub who: Actor,
    /// Its next statement; nothing if it has ended or failed.
    pub statement: Option<StmtId>,
    /// Whether it has failed.
    pub failed: bool,
    /// The values of its variables.
    pub values: Vec<Option<Value>>,
    /// Whom exactly it waits for, if it does and says so.
    pub waits_for: Option<Actor>,
}

/// Tells a run in terms of the protocol.
///
/// # Errors
/// It is no run of this protocol.
///
/// ```
/// use ser_sequentialization_search::explore::{Limits, smallest_trouble, story, What};
/// let text = "msg A = A; proc p { send A to q; } proc q { skip; }";
/// let protocol = ser_syntax::icet::parse(text).protocol;
/// let run = smallest_trouble(&protocol, &Limits::default()).run.expect("a run");
/// let story = story(&protocol, &run)?;
/// assert!(story.events.iter().any(|event| matches!(event.what, What::Sends(_))));
/// assert_eq!(story.under_way.len(), 1);
/// # Ok::<(), ser_sequentialization_search::explore::NotARun>(())
/// ```
pub fn story(protocol: &Protocol, run: &Run) -> Result<Story, NotARun> {
    let domain = Domain::new(protocol, &run.sizes);
    let codes = protocol.processes.iter().map(Code::new).collect();
    let mut teller = Teller { domain, codes, actors: BTreeMap::new(), queues: BTreeMap::new() };
    for who in teller.domain.actors() {
        let code = teller.codes.get(who.process as usize).ok_or(NotARun)?;
        let values =
            protocol.processes.get(who.process as usize).map_or(0, |it| it.variables.len());
        let state = State {
            pc: code.start,
            failed: false,
            progress: vec![0; code.loops],
            values: vec![None; values],
        };
        teller.actors.insert(who, state);
    }
    let mut events = Vec::new();
    for step in &run.steps {
        events.push(teller.step(step)?);
    }
    let ends = teller.ends();
    let under_way = teller.queues.into_values().flatten().collect();
    Ok(Story { events, ends, under_way })
}

/// The steps are not those of a run of the protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this is no run of the protocol")]
pub struct NotARun;

impl From<Unclear> for NotARun {
    fn from(_: Unclear) -> NotARun {
        NotARun
    }
}

impl Story {
    /// The statement that a person should look at first: where somebody who waits for ever waits, where somebody fails,
    /// or where the message that nobody receives was sent.
    pub fn place(&self, shows: &Shows) -> Option<StmtId> {
        match shows {
            Shows::Deadlock(actor) => {
                self.ends.iter().find(|it| it.who == *actor).and_then(|it| it.statement)
            }
            Shows::Failure(_) => self.events.last().map(|it| it.statement),
            Shows::Superfluous { from, to, message } => {
                let is_it = |letter: &Letter| {
                    letter.from == *from && letter.to == *to && letter.message.0 == *message
                };
                let sent = self.events.iter().rev().find(|it| match &it.what {
                    What::Sends(letter) => is_it(letter),
                    _ => false,
                });
                sent.map(|it| it.statement)
            }
        }
    }
}

struct State {
    pc: Pc,
    failed: bool,
    progress: Vec<u32>,
    values: Vec<Option<Value>>,
}

impl State {
    fn set(&mut self, variable: VarId, value: Option<Value>) {
        if let Some(place) = self.values.get_mut(variable.0 as usize) {
            *place = value;
        }
    }

    fn set_fields(&mut self, fields: &[Option<VarId>], values: Vec<Value>) {
        for (field, value) in fields.iter().zip(values) {
            if let Some(variable) = field {
                self.set(*variable, Some(value));
            }
        }
    }
}

impl Scope for (&State, Actor) {
    fn variable(&self, variable: VarId) -> Option<&Value> {
        self.0.values.get(variable.0 as usize).and_then(Option::as_ref)
    }
    fn me(&self) -> Actor {
        self.1
    }
}

struct Teller<'p> {
    domain: Domain<'p>,
    codes: Vec<Code<'p>>,
    actors: BTreeMap<Actor, State>,
    queues: BTreeMap<(Actor, Actor, MessageId), VecDeque<Letter>>,
}

impl Teller<'_> {
    fn step(&mut self, step: &RunStep) -> Result<Event, NotARun> {
        let who = step.who;
        let code = self.codes.get(who.process as usize).ok_or(NotARun)?;
        let state = self.actors.get_mut(&who).filter(|it| !it.failed).ok_or(NotARun)?;
        let instruction = code.at(state.pc);
        let statement = instruction.stmt.ok_or(NotARun)?;
        let mut next = instruction.next;
        let scope = (&*state, who);
        let what = match &instruction.operation {
            Operation::End => return Err(NotARun),
            Operation::Send { payload, message, to } => {
                let (value, to) = (evaluate(payload, &scope)?, address(to, &scope)?);
                let letter = Letter { from: who, to, message: *message, value };
                self.queues.entry((who, to, *message)).or_default().push_back(letter.clone());
                What::Sends(letter)
            }
            Operation::Receive { pattern, message, from } => {
                let from = match (from, &step.choice) {
                    (Source::Pid(expr), _) => address(expr, &scope)?,
                    (_, Some(Choice::From(from))) => *from,
                    _ => return Err(NotARun),
                };
                let queue = self.queues.get_mut(&(from, who, *message)).ok_or(NotARun)?;
                let letter = queue.pop_front().ok_or(NotARun)?;
                let value = letter.value.clone();
                match (pattern, value) {
                    (Pattern::Ignore, _) => What::Receives(letter),
                    (Pattern::Variable(variable), value) => {
                        state.set(*variable, Some(value));
                        What::Receives(letter)
                    }
                    (Pattern::Constructor { constructor, fields }, Value::Message(it, values))
                        if constructor.0 == it =>
                    {
                        state.set_fields(fields, values);
                        What::Receives(letter)
                    }
                    _ => What::Refuses(letter),
                }
            }
            Operation::Assign { variable, value } => {
                let value = evaluate(value, &scope)?;
                state.set(*variable, Some(value.clone()));
                What::Sets(*variable, value)
            }
            Operation::Any { variable } => {
                let Some(Choice::Value(value)) = &step.choice else { return Err(NotARun) };
                state.set(*variable, Some(value.clone()));
                What::Sets(*variable, value.clone())
            }
            Operation::Pick { variable, set } => {
                let Some(Choice::Member(member)) = step.choice else { return Err(NotARun) };
                let value = self.domain.member(*set, member);
                state.set(*variable, Some(value.clone()));
                What::Takes(*variable, value)
            }
            Operation::If { condition, then, otherwise } => {
                let holds = match (condition, &step.choice) {
                    (Some(condition), _) => truth(condition, &scope)?,
                    (None, Some(Choice::Branch(branch))) => *branch,
                    (None, _) => return Err(NotARun),
                };
                next = if holds { *then } else { *otherwise };
                What::Decides(holds)
            }
            Operation::Match { variable, arms } => {
                let value = state.values.get(variable.0 as usize).cloned().flatten();
                let Some(Value::Message(constructor, values)) = value else { return Err(NotARun) };
                let fits = |constructors: &[ser_syntax::icet::ast::ConstructorId]| {
                    constructors.iter().any(|it| it.0 == constructor)
                };
                let arm = arms.iter().find(|arm| fits(arm.constructors)).ok_or(NotARun)?;
                state.set_fields(arm.fields, values);
                next = arm.body;
                What::Passes
            }
            Operation::While { condition, body } => {
                let holds = truth(condition, &scope)?;
                if holds {
                    next = *body;
                }
                What::Decides(holds)
            }
            Operation::Loop { body } => {
                next = *body;
                What::Passes
            }
            Operation::Break { to } => {
                next = *to;
                What::Passes
            }
            Operation::For { variable, set, body, progress } => {
                let processes = self.domain.kind(*set) == SetKind::Processes;
                let size = self.domain.size(*set);
                let done = state.progress.get_mut(*progress).ok_or(NotARun)?;
                let member = match (&step.choice, processes) {
                    (Some(Choice::Member(member)), true) => {
                        *done |= 1 << (*member).min(31);
                        Some(*member)
                    }
                    (_, false) if *done < size => {
                        *done += 1;
                        Some(*done - 1)
                    }
                    _ => {
                        *done = 0;
                        None
                    }
                };
                let value = member.map(|member| self.domain.member(*set, member));
                state.set(*variable, value.clone());
                match value {
                    Some(value) => {
                        next = *body;
                        What::Takes(*variable, value)
                    }
                    None => What::Passes,
                }
            }
            Operation::Assert { condition } => match truth(condition, &scope)? {
                true => What::Passes,
                false => What::Fails,
            },
            Operation::Fail => What::Fails,
            Operation::Skip => What::Passes,
        };
        if matches!(what, What::Fails | What::Refuses(_)) {
            state.failed = true;
        } else {
            state.pc = next;
        }
        Ok(Event { who, statement, what })
    }

    fn ends(&self) -> Vec<Standing> {
        let mut ends = Vec::new();
        for (who, state) in &self.actors {
            let Some(code) = self.codes.get(who.process as usize) else { continue };
            let instruction = code.at(state.pc);
            let over = state.failed || state.pc == END;
            let statement = instruction.stmt.filter(|_| !over);
            let waits_for = match &instruction.operation {
                Operation::Receive { from: Source::Pid(expr), .. } if !over => {
                    address(expr, &(state, *who)).ok()
                }
                _ => None,
            };
            let (who, failed, values) = (*who, state.failed, state.values.clone());
            ends.push(Standing { who, statement, failed, values, waits_for });
        }
        ends
    }
}

/// An actor as people call it: `queue`, `worker[0]`.
pub fn actor_name(protocol: &Protocol, actor: Actor) -> String {
    let name =
        protocol.processes.get(actor.process as usize).map_or("?", |it| it.name.text.as_str());
    match actor.member {
        Some(member) => format!("{name}[{member}]"),
        None => name.to_owned(),
    }
}

/// A value of this type as people write it.
pub fn value_text(protocol: &Protocol, ty: ser_syntax::icet::ast::Type, value: &Value) -> String {
    use ser_syntax::icet::ast::Type;
    match (value, ty) {
        (Value::Int(number), _) => number.to_string(),
        (Value::Bool(value), _) => value.to_string(),
        (Value::Pid(actor), _) => actor_name(protocol, *actor),
        (Value::Enum(value), Type::Enum(id)) => {
            let values = protocol.enums.get(id.0 as usize).map(|it| it.values.as_slice());
            let name = values.unwrap_or_default().get(*value as usize);
            name.map_or_else(|| value.to_string(), |it| it.text.clone())
        }
        (Value::Message(constructor, fields), Type::Message(message)) => {
            let constructors = protocol.messages.get(message.0 as usize).map(|it| &it.constructors);
            let Some(it) = constructors.and_then(|it| it.get(*constructor as usize)) else {
                return "?".to_owned();
            };
            if fields.is_empty() {
                return it.name.text.clone();
            }
            let fields: Vec<String> = it
                .fields
                .iter()
                .zip(fields)
                .map(|(ty, field)| value_text(protocol, *ty, field))
                .collect();
            format!("{}({})", it.name.text, fields.join(", "))
        }
        (Value::Enum(value), _) => value.to_string(),
        (Value::Message(..), _) => "?".to_owned(),
    }
}
