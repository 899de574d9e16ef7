//! What one process of an instance does: the concrete semantics of statements.
//!
//! The interpreter replays runs with it, and so may whoever lists the runs of an instance. The
//! rules know nothing of it, nor it of them.

use crate::code::acts;
use crate::rejection::Reason;
use crate::run::{Actor, Choice, Value};
use crate::witness::{Event, Message, What};
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{
    ConstructorId, Expr, ExprKind, MessageId, Operator, Pattern, Process, ProcessId, SetId,
    SetKind, Source, Stmt, StmtId, StmtKind, Type, VarId,
};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// How many parts a value may have.
const VALUE: usize = 2_000;

/// A protocol whose sets have given sizes.
#[derive(Clone, Debug)]
pub struct Instance<'p> {
    pub protocol: &'p Protocol,
    /// How many members each set has, in the order of the file.
    pub sizes: Vec<u32>,
}

impl<'p> Instance<'p> {
    /// Sets for which no size is given are empty.
    pub fn new(protocol: &'p Protocol, sizes: &[u32]) -> Instance<'p> {
        let size = |set: usize| sizes.get(set).copied().unwrap_or(0);
        Instance { protocol, sizes: (0..protocol.sets.len()).map(size).collect() }
    }

    pub fn size(&self, set: SetId) -> u32 {
        self.sizes.get(set.0 as usize).copied().unwrap_or(0)
    }

    /// All processes that run: member by member, in the order of the file.
    pub fn actors(&self) -> Vec<Actor> {
        let mut actors = Vec::new();
        for (ProcessId(process), it) in self.protocol.each_process() {
            match it.set {
                None => actors.push(Actor { process, member: None }),
                Some(set) => {
                    actors.extend((0..self.size(set)).map(|it| Actor { process, member: Some(it) }))
                }
            }
        }
        actors
    }

    fn process(&self, actor: Actor) -> Option<&'p Process> {
        self.protocol.processes.get(actor.process as usize)
    }

    /// The set whose member this is.
    pub fn set_of(&self, actor: Actor) -> Option<SetId> {
        let set = self.process(actor)?.set?;
        actor.member.is_some_and(|it| it < self.size(set)).then_some(set)
    }

    /// A member of a set: an address, or a number.
    pub fn member(&self, set: SetId, member: u32) -> Value {
        match self.protocol.members_of(set) {
            Some(ProcessId(process)) => Value::Pid(Actor { process, member: Some(member) }),
            None => Value::Int(i64::from(member)),
        }
    }

    /// Whether this is a value of the type.
    pub fn has_type(&self, value: &Value, ty: Type) -> bool {
        match (value, ty) {
            (Value::Int(_), Type::Int) | (Value::Bool(_), Type::Bool) => true,
            (Value::Enum(it), Type::Enum(of)) => {
                let values = self.protocol.enums.get(of.0 as usize).map(|it| it.values.len());
                values.is_some_and(|count| (*it as usize) < count)
            }
            (Value::Pid(actor), Type::Pid) => match self.process(*actor) {
                Some(Process { set: None, .. }) => actor.member.is_none(),
                _ => self.set_of(*actor).is_some(),
            },
            (Value::Pid(actor), Type::Member(set)) => self.set_of(*actor) == Some(set),
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
}

/// Whether a process has a loop in which it does something before it waits.
pub fn may_act_unasked(process: &Process) -> bool {
    let mut active = false;
    for stmt in &process.body {
        stmt.walk(&mut |inner| {
            active |= matches!(inner.kind, StmtKind::Loop { .. }) && acts(inner);
        });
    }
    active
}

/// The state of one process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Local<'p> {
    /// What comes first is last.
    code: Vec<Item<'p>>,
    /// The values of its variables.
    pub values: Vec<Option<Value>>,
    pub failed: bool,
}

/// Something that is still to be done.
#[derive(Clone, Debug)]
struct Item<'p> {
    statement: &'p Stmt,
    /// Of a `for` that was entered, the members that were visited; as indices come in order, only
    /// the last one.
    visited: Option<BTreeSet<u32>>,
}

impl PartialEq for Item<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.statement.id, &self.visited) == (other.statement.id, &other.visited)
    }
}

impl Eq for Item<'_> {}

impl Hash for Item<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.statement.id, &self.visited).hash(state);
    }
}

/// What a process needs for its next step.
#[derive(Clone, Debug)]
pub enum Next {
    /// There is none: it has ended or failed.
    Ended,
    /// Nothing: the step leaves no choice, and concerns nobody else.
    Step,
    /// Nothing: it sends a message.
    Send,
    /// A decision.
    Branch,
    /// A value of this type.
    Value(Type),
    /// One of these members of a set.
    Member(Vec<u32>),
    /// A message.
    Receive { message: MessageId, from: Senders },
}

/// From whom a message is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Senders {
    One(Actor),
    Set(SetId),
    Anyone,
}

impl<'p> Local<'p> {
    /// The process is at its start.
    pub fn new(process: &'p Process) -> Local<'p> {
        let values = vec![None; process.variables.len()];
        let mut local = Local { code: Vec::new(), values, failed: false };
        local.enter(&process.body);
        local
    }

    /// Whether nothing is left of its code, and it has not failed.
    pub fn has_ended(&self) -> bool {
        self.code.is_empty() && !self.failed
    }

    /// The statement that comes first.
    pub fn statement(&self) -> Option<&'p Stmt> {
        self.code.last().map(|item| item.statement)
    }

    pub fn next(&self, instance: &Instance<'p>, me: Actor) -> Result<Next, Reason> {
        let Some(item) = self.code.last() else { return Ok(Next::Ended) };
        Ok(match &item.statement.kind {
            StmtKind::Send { .. } => Next::Send,
            StmtKind::Receive { message, from, .. } => {
                let from = match from {
                    Source::Pid(expr) => Senders::One(self.address(me, expr)?),
                    Source::Set(set) => Senders::Set(*set),
                    Source::Anyone => Senders::Anyone,
                };
                Next::Receive { message: *message, from }
            }
            StmtKind::Any { variable } => {
                let variables = instance.process(me).map(|it| it.variables.as_slice());
                let variable = variables.unwrap_or_default().get(variable.0 as usize);
                Next::Value(variable.ok_or(Reason::NoVariable)?.ty)
            }
            StmtKind::Pick { set, .. } => Next::Member((0..instance.size(*set)).collect()),
            StmtKind::If { condition: None, .. } => Next::Branch,
            StmtKind::For { set, .. } if instance.protocol.set(*set).kind == SetKind::Processes => {
                let visited = |it: &u32| item.visited.as_ref().is_some_and(|set| set.contains(it));
                let left: Vec<u32> = (0..instance.size(*set)).filter(|it| !visited(it)).collect();
                if left.is_empty() { Next::Step } else { Next::Member(left) }
            }
            _ => Next::Step,
        })
    }

    /// Executes the first statement, with what it [needs](Next). Where this is an error, the state
    /// is as before.
    pub fn step(
        &mut self,
        instance: &Instance<'p>,
        me: Actor,
        choice: Option<&Choice>,
        received: Option<&Message>,
    ) -> Result<Event, Reason> {
        let item = self.code.pop().ok_or(Reason::Ended)?;
        let what = match self.execute(instance, me, &item, choice, received) {
            Ok(what) => what,
            Err(reason) => {
                self.code.push(item);
                return Err(reason);
            }
        };
        let event = Event { who: me, statement: item.statement.id, what };
        if event.failure().is_some() {
            self.code.clear();
            self.failed = true;
        }
        Ok(event)
    }

    fn execute(
        &mut self,
        instance: &Instance<'p>,
        me: Actor,
        item: &Item<'p>,
        choice: Option<&Choice>,
        received: Option<&Message>,
    ) -> Result<What, Reason> {
        Ok(match (&item.statement.kind, choice) {
            (StmtKind::For { variable, set, body }, choice) => {
                let mut visited = item.visited.clone().unwrap_or_default();
                let next = match (instance.protocol.set(*set).kind, choice) {
                    (SetKind::Indices, _) => {
                        let next = visited.pop_last().map_or(0, |last| last + 1);
                        (next < instance.size(*set)).then_some(next)
                    }
                    (SetKind::Processes, Some(Choice::Member(member))) => Some(*member),
                    (SetKind::Processes, _) => None,
                };
                let Some(next) = next else {
                    self.set(*variable, None);
                    return Ok(What::Passes);
                };
                visited.insert(next);
                self.code.push(Item { statement: item.statement, visited: Some(visited) });
                self.enter(body);
                self.take_member(*variable, instance.member(*set, next))
            }
            (StmtKind::Pick { variable, set }, Some(Choice::Member(member))) => {
                self.take_member(*variable, instance.member(*set, *member))
            }
            (StmtKind::Any { variable }, Some(Choice::Value(value))) => {
                self.set(*variable, Some(value.clone()));
                What::Sets(*variable, value.clone())
            }
            (StmtKind::If { condition: None, then, otherwise }, Some(Choice::Branch(it))) => {
                self.enter(if *it { then } else { otherwise });
                What::Decides(*it)
            }
            (StmtKind::Receive { pattern, .. }, _) => {
                let message = received.ok_or(Reason::NoMessage)?;
                match (pattern, &message.value) {
                    (Pattern::Ignore, _) => {}
                    (Pattern::Variable(variable), value) => {
                        self.set(*variable, Some(value.clone()));
                    }
                    (
                        Pattern::Constructor { constructor, fields },
                        Value::Message(found, values),
                    ) if constructor.0 == *found => self.set_fields(fields, values),
                    (Pattern::Constructor { .. }, _) => {
                        return Ok(What::Refuses(message.clone()));
                    }
                }
                What::Receives(message.clone())
            }
            (StmtKind::Skip, _) => What::Passes,
            (StmtKind::Assign { variable, value }, _) => {
                let value = self.value(me, value)?;
                self.set(*variable, Some(value.clone()));
                What::Sets(*variable, value)
            }
            (StmtKind::Send { payload, message, to }, _) => {
                let (value, to) = (self.value(me, payload)?, self.address(me, to)?);
                What::Sends(Message { from: me, to, message: *message, value })
            }
            (StmtKind::If { condition: Some(condition), then, otherwise }, _) => {
                let holds = self.truth(me, condition)?;
                self.enter(if holds { then } else { otherwise });
                What::Decides(holds)
            }
            (StmtKind::While { condition, body }, _) => {
                let holds = self.truth(me, condition)?;
                if holds {
                    self.code.push(item.clone());
                    self.enter(body);
                }
                What::Decides(holds)
            }
            (StmtKind::Loop { body }, _) => {
                self.code.push(item.clone());
                self.enter(body);
                What::Passes
            }
            (StmtKind::Match { variable, arms }, _) => {
                let value = self.values.get(variable.0 as usize).cloned().flatten();
                let Some(Value::Message(constructor, fields)) = value else {
                    return Err(Reason::NoValue);
                };
                let covers = |it: &ConstructorId| it.0 == constructor;
                let arm = arms.iter().find(|arm| arm.constructors.iter().any(covers));
                let arm = arm.ok_or(Reason::NoValue)?;
                self.set_fields(&arm.fields, &fields);
                self.enter(&arm.body);
                What::Passes
            }
            (StmtKind::Break { of }, _) => {
                self.leave(*of);
                What::Passes
            }
            (StmtKind::Assert { condition }, _) if self.truth(me, condition)? => What::Passes,
            (StmtKind::Assert { .. } | StmtKind::Fail, _) => What::Fails,
            (
                StmtKind::Pick { .. } | StmtKind::Any { .. } | StmtKind::If { condition: None, .. },
                _,
            ) => return Err(Reason::Choice),
        })
    }

    fn enter(&mut self, block: &'p [Stmt]) {
        let items = block.iter().rev().map(|statement| Item { statement, visited: None });
        self.code.extend(items);
    }

    fn leave(&mut self, of: StmtId) {
        while let Some(item) = self.code.pop() {
            if item.statement.id == of {
                break;
            }
        }
    }

    fn set(&mut self, variable: VarId, value: Option<Value>) {
        if let Some(place) = self.values.get_mut(variable.0 as usize) {
            *place = value;
        }
    }

    fn set_fields(&mut self, fields: &[Option<VarId>], values: &[Value]) {
        for (field, value) in fields.iter().zip(values) {
            if let Some(variable) = field {
                self.set(*variable, Some(value.clone()));
            }
        }
    }

    fn take_member(&mut self, variable: VarId, member: Value) -> What {
        self.set(variable, Some(member.clone()));
        What::Takes(variable, member)
    }

    fn value(&self, me: Actor, expr: &Expr) -> Result<Value, Reason> {
        evaluate(expr, me, &|variable| self.values.get(variable.0 as usize)?.as_ref())
    }

    fn truth(&self, me: Actor, condition: &Expr) -> Result<bool, Reason> {
        match self.value(me, condition)? {
            Value::Bool(it) => Ok(it),
            _ => Err(Reason::NoValue),
        }
    }

    fn address(&self, me: Actor, expr: &Expr) -> Result<Actor, Reason> {
        match self.value(me, expr)? {
            Value::Pid(it) => Ok(it),
            _ => Err(Reason::NoValue),
        }
    }
}

/// The value of an expression of `me`, whose variables have these values.
pub fn evaluate<'v>(
    expr: &Expr,
    me: Actor,
    variables: &dyn Fn(VarId) -> Option<&'v Value>,
) -> Result<Value, Reason> {
    let value = |expr: &Expr| evaluate(expr, me, variables);
    Ok(match &expr.kind {
        ExprKind::Int(it) => Value::Int(*it),
        ExprKind::Bool(it) => Value::Bool(*it),
        ExprKind::Enum(_, it) => Value::Enum(*it),
        ExprKind::Me => Value::Pid(me),
        ExprKind::Process(ProcessId(process)) => {
            Value::Pid(Actor { process: *process, member: None })
        }
        ExprKind::Variable(variable) => variables(*variable).cloned().ok_or(Reason::NoValue)?,
        ExprKind::Message(_, constructor, fields) => {
            let fields: Result<Vec<_>, _> = fields.iter().map(value).collect();
            let value = Value::Message(constructor.0, fields?);
            if value.size() > VALUE {
                return Err(Reason::LargeValue { limit: VALUE });
            }
            value
        }
        ExprKind::Not(inner) => match value(inner)? {
            Value::Bool(it) => Value::Bool(!it),
            _ => return Err(Reason::NoValue),
        },
        ExprKind::Negate(inner) => match value(inner)? {
            Value::Int(it) => Value::Int(it.checked_neg().ok_or(Reason::Overflow)?),
            _ => return Err(Reason::NoValue),
        },
        ExprKind::Binary(operator, left, right) => match (operator, value(left)?) {
            // The other side does not matter, not even if a number in it does not fit.
            (Operator::And, Value::Bool(false)) => Value::Bool(false),
            (Operator::Or, Value::Bool(true)) => Value::Bool(true),
            (operator, left) => binary(*operator, &left, &value(right)?)?,
        },
    })
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
