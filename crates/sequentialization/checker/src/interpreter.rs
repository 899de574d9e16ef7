//! Replays concrete runs: sets have given sizes, and one process after the other executes its first
//! statement.
//!
//! Nothing is abstract here. Between two processes there is one queue for each type of message; a
//! run is accepted if each of its steps is possible, gives a choice exactly where its statement
//! leaves one, and if what it shows is there at its end.

use crate::code::acts;
use crate::rejection::{Part, Reason, Rejection};
use crate::run::{Actor, Choice, Run, Shows, Value};
use crate::witness::{Event, Message, Standing, What, Witness};
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{
    ConstructorId, Expr, ExprKind, MessageId, Operator, Pattern, Process, ProcessId, SetId,
    SetKind, Source, Stmt, StmtId, StmtKind, Type, VarId,
};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How many processes may run, and how many members a set may have.
const ACTORS: u64 = 1_000;

/// How many parts a value may have.
const VALUE: usize = 2_000;

/// Something that is still to be done.
enum Item<'p> {
    Statement(&'p Stmt),
    /// A `for` that was entered, with the members that were not visited yet.
    Rest(&'p Stmt, BTreeSet<u32>),
}

/// One process.
struct Running<'p> {
    process: &'p Process,
    /// What comes first is last.
    code: Vec<Item<'p>>,
    variables: BTreeMap<VarId, Value>,
    failed: bool,
}

/// All of them.
struct Machine<'p> {
    protocol: &'p Protocol,
    sizes: &'p [u32],
    running: BTreeMap<Actor, Running<'p>>,
    queues: BTreeMap<(Actor, Actor, MessageId), VecDeque<Value>>,
    /// Who failed in the last step.
    failed: Option<Actor>,
}

/// Replays a run, checks that it shows what it says, and tells what happens in it.
///
/// ```
/// use ser_sequentialization_checker::run::{Actor, Run, RunStep, Shows};
/// use ser_sequentialization_checker::{replay_run, witness::What};
/// let protocol = ser_syntax::icet::parse("msg A = A; proc p { send A to q; } proc q { skip; }").protocol;
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
    /// Whether a server has a loop in which it does something before it waits.
    fn may_act_unasked(&self) -> bool {
        let mut active = false;
        for process in self.protocol.processes.iter().filter(|process| process.server) {
            for stmt in &process.body {
                stmt.walk(&mut |inner| {
                    active |= matches!(inner.kind, StmtKind::Loop { .. }) && acts(inner);
                });
            }
        }
        active
    }

    fn new(protocol: &'p Protocol, sizes: &'p [u32]) -> Result<Machine<'p>, Reason> {
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
        let size_of = |set: SetId| sizes.get(set.0 as usize).copied().unwrap_or(0);
        let mut running = BTreeMap::new();
        for (id, process) in protocol.each_process() {
            let members: Vec<Option<u32>> = match process.set {
                None => vec![None],
                Some(set) => (0..size_of(set)).map(Some).collect(),
            };
            for member in members {
                let code = process.body.iter().rev().map(Item::Statement).collect();
                let variables = BTreeMap::new();
                let it = Running { process, code, variables, failed: false };
                running.insert(Actor { process: id.0, member }, it);
            }
        }
        Ok(Machine { protocol, sizes, running, queues: BTreeMap::new(), failed: None })
    }

    fn name(&self, actor: Actor) -> String {
        let process = self.protocol.processes.get(actor.process as usize);
        match (process, actor.member) {
            (Some(it), None) => format!("process {}", it.name.text),
            (Some(it), Some(member)) => format!("process {}[{member}]", it.name.text),
            (None, _) => format!("process number {}", actor.process),
        }
    }

    fn size(&self, set: SetId) -> u32 {
        self.sizes.get(set.0 as usize).copied().unwrap_or(0)
    }

    fn get(&mut self, who: Actor) -> Result<&mut Running<'p>, Reason> {
        self.running.get_mut(&who).ok_or(Reason::NoActor)
    }

    fn step(&mut self, who: Actor, choice: Option<&Choice>) -> Result<Event, Reason> {
        self.failed = None;
        let first = self.get(who)?.code.pop().ok_or(Reason::Ended)?;
        let (statement, left) = match first {
            Item::Statement(statement) => (statement, None),
            Item::Rest(statement, left) => (statement, Some(left)),
        };
        let what = self.execute(who, statement, left, choice)?;
        if matches!(what, What::Fails | What::Refuses(_)) {
            let it = self.get(who)?;
            it.code.clear();
            it.failed = true;
            self.failed = Some(who);
        }
        Ok(Event { who, statement: statement.id, what })
    }

    fn execute(
        &mut self,
        who: Actor,
        statement: &'p Stmt,
        left: Option<BTreeSet<u32>>,
        choice: Option<&Choice>,
    ) -> Result<What, Reason> {
        match &statement.kind {
            StmtKind::For { set, .. } => {
                let left = left.unwrap_or_else(|| (0..self.size(*set)).collect());
                self.iterate(who, statement, left, choice)
            }
            StmtKind::Pick { variable, set } => {
                let Some(Choice::Member(member)) = choice else { return Err(Reason::Choice) };
                if *member >= self.size(*set) {
                    return Err(Reason::Choice);
                }
                let value = self.member(*set, *member)?;
                self.assign(who, *variable, value.clone())?;
                Ok(What::Takes(*variable, value))
            }
            StmtKind::Any { variable } => {
                let Some(Choice::Value(value)) = choice else { return Err(Reason::Choice) };
                let ty = self.get(who)?.process.variables.get(variable.0 as usize);
                let ty = ty.map(|it| it.ty).ok_or(Reason::NoVariable)?;
                if !self.has_type(value, ty) {
                    return Err(Reason::Choice);
                }
                self.assign(who, *variable, value.clone())?;
                Ok(What::Sets(*variable, value.clone()))
            }
            StmtKind::If { condition: None, then, otherwise } => {
                let Some(Choice::Branch(it)) = choice else { return Err(Reason::Choice) };
                self.enter(who, if *it { then } else { otherwise })?;
                Ok(What::Decides(*it))
            }
            StmtKind::Receive { pattern, message, from } => {
                self.receive(who, pattern, *message, from, choice)
            }
            _ if choice.is_some() => Err(Reason::Choice),
            StmtKind::Skip => Ok(What::Passes),
            StmtKind::Assign { variable, value } => {
                let value = self.value(who, value)?;
                self.assign(who, *variable, value.clone())?;
                Ok(What::Sets(*variable, value))
            }
            StmtKind::Send { payload, message, to } => {
                let value = self.value(who, payload)?;
                let Value::Pid(to) = self.value(who, to)? else { return Err(Reason::NoValue) };
                self.queues.entry((who, to, *message)).or_default().push_back(value.clone());
                Ok(What::Sends(Message { from: who, to, message: *message, value }))
            }
            StmtKind::If { condition: Some(condition), then, otherwise } => {
                let holds = self.truth(who, condition)?;
                self.enter(who, if holds { then } else { otherwise })?;
                Ok(What::Decides(holds))
            }
            StmtKind::While { condition, body } => {
                let holds = self.truth(who, condition)?;
                if holds {
                    self.again(who, statement, body)?;
                }
                Ok(What::Decides(holds))
            }
            StmtKind::Loop { body } => {
                self.again(who, statement, body)?;
                Ok(What::Passes)
            }
            StmtKind::Match { variable, arms } => {
                let value = self.get(who)?.variables.get(variable).cloned();
                let Some(Value::Message(constructor, fields)) = value else {
                    return Err(Reason::NoValue);
                };
                let covers = |it: &ConstructorId| it.0 == constructor;
                let arm = arms.iter().find(|arm| arm.constructors.iter().any(covers));
                let arm = arm.ok_or(Reason::NoValue)?;
                self.fields(who, &arm.fields, fields)?;
                self.enter(who, &arm.body)?;
                Ok(What::Passes)
            }
            StmtKind::Break { of } => {
                self.leave(who, *of)?;
                Ok(What::Passes)
            }
            StmtKind::Assert { condition } => {
                Ok(if self.truth(who, condition)? { What::Passes } else { What::Fails })
            }
            StmtKind::Fail => Ok(What::Fails),
        }
    }

    /// One iteration of a `for`, or its end.
    fn iterate(
        &mut self,
        who: Actor,
        statement: &'p Stmt,
        mut left: BTreeSet<u32>,
        choice: Option<&Choice>,
    ) -> Result<What, Reason> {
        let StmtKind::For { variable, set, body } = &statement.kind else {
            return Err(Reason::NoValue);
        };
        let processes = self.protocol.set(*set).kind == SetKind::Processes;
        let next = match (left.first().copied(), choice) {
            (None, None) => {
                self.get(who)?.variables.remove(variable);
                return Ok(What::Passes);
            }
            (Some(_), Some(Choice::Member(member))) if processes => *member,
            (Some(first), None) if !processes => first,
            _ => return Err(Reason::Choice),
        };
        if !left.remove(&next) {
            return Err(Reason::Choice);
        }
        let value = self.member(*set, next)?;
        self.assign(who, *variable, value.clone())?;
        self.get(who)?.code.push(Item::Rest(statement, left));
        self.enter(who, body)?;
        Ok(What::Takes(*variable, value))
    }

    fn receive(
        &mut self,
        who: Actor,
        pattern: &'p Pattern,
        message: MessageId,
        source: &'p Source,
        choice: Option<&Choice>,
    ) -> Result<What, Reason> {
        let from = match (source, choice) {
            (Source::Pid(expr), None) => match self.value(who, expr)? {
                Value::Pid(from) => from,
                _ => return Err(Reason::NoValue),
            },
            (Source::Set(_) | Source::Anyone, Some(Choice::From(from))) => *from,
            _ => return Err(Reason::Choice),
        };
        if !self.fits(source, from) {
            return Err(Reason::Choice);
        }
        let channel = (from, who, message);
        let queue = self.queues.get_mut(&channel).ok_or(Reason::NoMessage)?;
        let value = queue.pop_front().ok_or(Reason::NoMessage)?;
        if queue.is_empty() {
            self.queues.remove(&channel);
        }
        let received = Message { from, to: who, message, value: value.clone() };
        match (pattern, value) {
            (Pattern::Ignore, _) => {}
            (Pattern::Variable(variable), value) => self.assign(who, *variable, value)?,
            (Pattern::Constructor { constructor, fields }, Value::Message(found, values))
                if constructor.0 == found =>
            {
                self.fields(who, fields, values)?;
            }
            (Pattern::Constructor { .. }, _) => return Ok(What::Refuses(received)),
        }
        Ok(What::Receives(received))
    }

    /// Whether a sender is among those that are written.
    fn fits(&self, source: &Source, from: Actor) -> bool {
        match source {
            Source::Set(set) => {
                let process = self.protocol.processes.get(from.process as usize);
                process.is_some_and(|process| process.set == Some(*set))
            }
            Source::Pid(_) | Source::Anyone => true,
        }
    }

    fn enter(&mut self, who: Actor, block: &'p [Stmt]) -> Result<(), Reason> {
        self.get(who)?.code.extend(block.iter().rev().map(Item::Statement));
        Ok(())
    }

    fn again(&mut self, who: Actor, statement: &'p Stmt, body: &'p [Stmt]) -> Result<(), Reason> {
        self.get(who)?.code.push(Item::Statement(statement));
        self.enter(who, body)
    }

    fn leave(&mut self, who: Actor, of: StmtId) -> Result<(), Reason> {
        let code = &mut self.get(who)?.code;
        while let Some(item) = code.pop() {
            if matches!(item, Item::Statement(it) if it.id == of) {
                break;
            }
        }
        Ok(())
    }

    fn assign(&mut self, who: Actor, variable: VarId, value: Value) -> Result<(), Reason> {
        self.get(who)?.variables.insert(variable, value);
        Ok(())
    }

    fn fields(
        &mut self,
        who: Actor,
        fields: &[Option<VarId>],
        values: Vec<Value>,
    ) -> Result<(), Reason> {
        for (field, value) in fields.iter().zip(values) {
            if let Some(variable) = field {
                self.assign(who, *variable, value)?;
            }
        }
        Ok(())
    }

    /// A member of a set: an address, or a number.
    fn member(&self, set: SetId, member: u32) -> Result<Value, Reason> {
        match self.protocol.set(set).kind {
            SetKind::Indices => Ok(Value::Int(i64::from(member))),
            SetKind::Processes => {
                let ProcessId(process) = self.protocol.members_of(set).ok_or(Reason::NoSet)?;
                Ok(Value::Pid(Actor { process, member: Some(member) }))
            }
        }
    }

    fn has_type(&self, value: &Value, ty: Type) -> bool {
        match (value, ty) {
            (Value::Int(_), Type::Int) | (Value::Bool(_), Type::Bool) => true,
            (Value::Enum(it), Type::Enum(of)) => {
                let values = self.protocol.enums.get(of.0 as usize).map(|it| it.values.len());
                values.is_some_and(|count| (*it as usize) < count)
            }
            (Value::Pid(actor), Type::Pid) => self.running.contains_key(actor),
            (Value::Pid(actor), Type::Member(set)) => {
                let of = self.running.get(actor).and_then(|it| it.process.set);
                of == Some(set)
            }
            (Value::Message(constructor, values), Type::Message(message)) => {
                let constructors = &self.protocol.message(message).constructors;
                constructors.get(*constructor as usize).is_some_and(|it| {
                    it.fields.len() == values.len()
                        && it.fields.iter().zip(values).all(|(ty, it)| self.has_type(it, *ty))
                })
            }
            _ => false,
        }
    }

    fn truth(&mut self, who: Actor, condition: &Expr) -> Result<bool, Reason> {
        match self.value(who, condition)? {
            Value::Bool(it) => Ok(it),
            _ => Err(Reason::NoValue),
        }
    }

    fn value(&self, who: Actor, expr: &Expr) -> Result<Value, Reason> {
        Ok(match &expr.kind {
            ExprKind::Int(it) => Value::Int(*it),
            ExprKind::Bool(it) => Value::Bool(*it),
            ExprKind::Enum(_, it) => Value::Enum(*it),
            ExprKind::Me => Value::Pid(who),
            ExprKind::Process(process) => Value::Pid(Actor { process: process.0, member: None }),
            ExprKind::Variable(variable) => {
                let it = self.running.get(&who).ok_or(Reason::NoActor)?;
                it.variables.get(variable).cloned().ok_or(Reason::NoValue)?
            }
            ExprKind::Message(_, constructor, fields) => {
                let fields: Result<Vec<_>, _> =
                    fields.iter().map(|it| self.value(who, it)).collect();
                let value = Value::Message(constructor.0, fields?);
                if size(&value) > VALUE {
                    return Err(Reason::LargeValue { limit: VALUE });
                }
                value
            }
            ExprKind::Not(inner) => match self.value(who, inner)? {
                Value::Bool(it) => Value::Bool(!it),
                _ => return Err(Reason::NoValue),
            },
            ExprKind::Negate(inner) => match self.value(who, inner)? {
                Value::Int(it) => Value::Int(it.checked_neg().ok_or(Reason::Overflow)?),
                _ => return Err(Reason::NoValue),
            },
            ExprKind::Binary(operator, left, right) => {
                binary(*operator, &self.value(who, left)?, &self.value(who, right)?)?
            }
        })
    }

    /// Whether this process can take a step.
    fn can_step(&self, who: Actor, it: &Running<'p>) -> Result<bool, Reason> {
        let Some(Item::Statement(statement)) = it.code.last() else {
            return Ok(!it.code.is_empty());
        };
        Ok(match &statement.kind {
            StmtKind::Pick { set, .. } => self.size(*set) > 0,
            StmtKind::Receive { message, from: Source::Pid(expr), .. } => {
                let Value::Pid(from) = self.value(who, expr)? else { return Err(Reason::NoValue) };
                self.queues.contains_key(&(from, who, *message))
            }
            StmtKind::Receive { message, from, .. } => self
                .queues
                .keys()
                .any(|(by, to, ty)| *to == who && ty == message && self.fits(from, *by)),
            _ => true,
        })
    }

    /// Where everybody stands, in the order of the file.
    fn ends(&self) -> Vec<Standing> {
        let standing = |(who, it): (&Actor, &Running<'p>)| {
            let next = it.code.last().map(|item| match item {
                Item::Statement(statement) | Item::Rest(statement, _) => *statement,
            });
            let waits_for = match next.map(|it| &it.kind) {
                Some(StmtKind::Receive { from: Source::Pid(expr), .. }) => {
                    match self.value(*who, expr) {
                        Ok(Value::Pid(actor)) => Some(actor),
                        _ => None,
                    }
                }
                _ => None,
            };
            let variables = 0..it.process.variables.len() as u32;
            let values =
                variables.map(|number| it.variables.get(&VarId(number)).cloned()).collect();
            let (statement, failed) = (next.map(|it| it.id), it.failed);
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
        for (who, it) in &self.running {
            if self.can_step(*who, it)? {
                return wrong(format!("{} can still take a step", self.name(*who)));
            }
        }
        match shows {
            Shows::Deadlock(who) => {
                let it = self.running.get(who).ok_or(Reason::NoActor)?;
                if it.process.server || it.failed || it.code.is_empty() {
                    return wrong(format!("{} does not wait, or may wait", self.name(*who)));
                }
            }
            Shows::Orphan { .. } if self.may_act_unasked() => {
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

fn size(value: &Value) -> usize {
    match value {
        Value::Message(_, fields) => 1 + fields.iter().map(size).sum::<usize>(),
        _ => 1,
    }
}

fn binary(operator: Operator, left: &Value, right: &Value) -> Result<Value, Reason> {
    let int = |value: Option<i64>| value.map(Value::Int).ok_or(Reason::Overflow);
    Ok(match (operator, left, right) {
        (Operator::Equal, left, right) => Value::Bool(left == right),
        (Operator::NotEqual, left, right) => Value::Bool(left != right),
        (Operator::And, Value::Bool(left), Value::Bool(right)) => Value::Bool(*left && *right),
        (Operator::Or, Value::Bool(left), Value::Bool(right)) => Value::Bool(*left || *right),
        (Operator::Add, Value::Int(left), Value::Int(right)) => int(left.checked_add(*right))?,
        (Operator::Subtract, Value::Int(left), Value::Int(right)) => int(left.checked_sub(*right))?,
        (Operator::Multiply, Value::Int(left), Value::Int(right)) => int(left.checked_mul(*right))?,
        (Operator::Less, Value::Int(left), Value::Int(right)) => Value::Bool(left < right),
        (Operator::LessEqual, Value::Int(left), Value::Int(right)) => Value::Bool(left <= right),
        _ => return Err(Reason::NoValue),
    })
}
