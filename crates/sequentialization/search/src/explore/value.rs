//! Values of expressions when everything is known, and the values that `any` stands for.
//!
//! Expressions are evaluated exactly; a number that does not fit is an [`Unclear`], and whoever
//! explores then knows that something was left out. `any int` has infinitely many values. It gets a
//! few: 0, 1 and the literals of the file, because those are what a program can tell apart by
//! comparing.

use ser_sequentialization_checker::run::{Actor, Value};
use ser_syntax::icet::ast::{
    ConstructorId, EnumId, Expr, ExprKind, MessageId, Operator, Process, ProcessId, Protocol,
    SetId, SetKind, Stmt, StmtKind, Type, VarId,
};
use std::collections::BTreeSet;
use thiserror::Error;

/// How many literals of the file are values of `any int`, besides 0 and 1.
const LITERALS: usize = 3;
/// How many values `any` of a message type has at most.
const MESSAGES: usize = 64;

/// Why an expression has no value here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Unclear {
    /// A number does not fit.
    #[error("a number has more than 63 bits")]
    Overflow,
    /// A variable was never assigned, or an operand has the wrong type: no program that the parser
    /// accepts does this.
    #[error("an expression has no value")]
    Undefined,
}

/// Where an expression finds its variables.
pub trait Scope {
    /// The value of a variable.
    fn variable(&self, variable: VarId) -> Option<&Value>;
    /// Whose expression it is.
    fn me(&self) -> Actor;
}

/// The value of an expression.
pub fn evaluate(expr: &Expr, scope: &impl Scope) -> Result<Value, Unclear> {
    Ok(match &expr.kind {
        ExprKind::Int(number) => Value::Int(*number),
        ExprKind::Bool(truth) => Value::Bool(*truth),
        ExprKind::Enum(_, place) => Value::Enum(*place),
        ExprKind::Message(_, ConstructorId(constructor), fields) => {
            let fields =
                fields.iter().map(|field| evaluate(field, scope)).collect::<Result<_, _>>()?;
            Value::Message(*constructor, fields)
        }
        ExprKind::Variable(variable) => {
            scope.variable(*variable).cloned().ok_or(Unclear::Undefined)?
        }
        ExprKind::Me => Value::Pid(scope.me()),
        ExprKind::Process(ProcessId(process)) => {
            Value::Pid(Actor { process: *process, member: None })
        }
        ExprKind::Not(inner) => Value::Bool(!truth(inner, scope)?),
        ExprKind::Negate(inner) => {
            Value::Int(number(inner, scope)?.checked_neg().ok_or(Unclear::Overflow)?)
        }
        ExprKind::Binary(operator, left, right) => binary(*operator, left, right, scope)?,
    })
}

fn binary(
    operator: Operator,
    left: &Expr,
    right: &Expr,
    scope: &impl Scope,
) -> Result<Value, Unclear> {
    let arithmetic = |apply: fn(i64, i64) -> Option<i64>| {
        let (left, right) = (number(left, scope)?, number(right, scope)?);
        apply(left, right).map(Value::Int).ok_or(Unclear::Overflow)
    };
    match operator {
        Operator::Add => arithmetic(i64::checked_add),
        Operator::Subtract => arithmetic(i64::checked_sub),
        Operator::Multiply => arithmetic(i64::checked_mul),
        Operator::Equal => Ok(Value::Bool(evaluate(left, scope)? == evaluate(right, scope)?)),
        Operator::NotEqual => Ok(Value::Bool(evaluate(left, scope)? != evaluate(right, scope)?)),
        Operator::Less => Ok(Value::Bool(number(left, scope)? < number(right, scope)?)),
        Operator::LessEqual => Ok(Value::Bool(number(left, scope)? <= number(right, scope)?)),
        Operator::And => Ok(Value::Bool(truth(left, scope)? && truth(right, scope)?)),
        Operator::Or => Ok(Value::Bool(truth(left, scope)? || truth(right, scope)?)),
    }
}

/// The value of a condition.
pub fn truth(expr: &Expr, scope: &impl Scope) -> Result<bool, Unclear> {
    match evaluate(expr, scope)? {
        Value::Bool(truth) => Ok(truth),
        _ => Err(Unclear::Undefined),
    }
}

fn number(expr: &Expr, scope: &impl Scope) -> Result<i64, Unclear> {
    match evaluate(expr, scope)? {
        Value::Int(number) => Ok(number),
        _ => Err(Unclear::Undefined),
    }
}

/// The value of an address.
pub fn address(expr: &Expr, scope: &impl Scope) -> Result<Actor, Unclear> {
    match evaluate(expr, scope)? {
        Value::Pid(actor) => Ok(actor),
        _ => Err(Unclear::Undefined),
    }
}

/// The sizes of the sets of a protocol, and the values that there are then.
#[derive(Clone, Debug)]
pub struct Domain<'p> {
    protocol: &'p Protocol,
    sizes: Vec<u32>,
    numbers: Vec<i64>,
}

impl<'p> Domain<'p> {
    /// The values of a protocol whose sets have these sizes (0 where nothing is said).
    pub fn new(protocol: &'p Protocol, sizes: &[u32]) -> Domain<'p> {
        let mut literals = BTreeSet::new();
        for process in &protocol.processes {
            for stmt in &process.body {
                stmt.walk(&mut |stmt| literals_of(stmt, &mut literals));
            }
        }
        let mut numbers = vec![0, 1];
        numbers.extend(literals.into_iter().filter(|it| !matches!(it, 0 | 1)).take(LITERALS));
        let sizes =
            (0..protocol.sets.len()).map(|it| sizes.get(it).copied().unwrap_or(0)).collect();
        Domain { protocol, sizes, numbers }
    }

    /// How many members a set has.
    pub fn size(&self, set: SetId) -> u32 {
        self.sizes.get(set.0 as usize).copied().unwrap_or(0)
    }

    /// The sizes of all sets.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// All processes that run: member by member, in the order of the file.
    pub fn actors(&self) -> Vec<Actor> {
        let mut actors = Vec::new();
        for (id, process) in self.protocol.each_process() {
            match process.set {
                None => actors.push(Actor { process: id.0, member: None }),
                Some(set) => actors.extend(
                    (0..self.size(set)).map(|it| Actor { process: id.0, member: Some(it) }),
                ),
            }
        }
        actors
    }

    /// What the members of a set are.
    pub fn kind(&self, set: SetId) -> SetKind {
        self.protocol.sets.get(set.0 as usize).map_or(SetKind::Indices, |it| it.kind)
    }

    /// The process that the members of a set run.
    pub fn process_of(&self, set: SetId) -> Option<ProcessId> {
        self.protocol.members_of(set)
    }

    /// A member of a set, as a value: a number or an address.
    pub fn member(&self, set: SetId, member: u32) -> Value {
        match self.protocol.sets.get(set.0 as usize).map(|it| it.kind) {
            Some(SetKind::Processes) => match self.protocol.members_of(set) {
                Some(ProcessId(process)) => Value::Pid(Actor { process, member: Some(member) }),
                None => Value::Int(i64::from(member)),
            },
            _ => Value::Int(i64::from(member)),
        }
    }

    /// All values of a type that are considered.
    pub fn values(&self, ty: Type) -> Vec<Value> {
        match ty {
            Type::Int => self.numbers.iter().copied().map(Value::Int).collect(),
            Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Type::Pid => self.actors().into_iter().map(Value::Pid).collect(),
            Type::Member(set) => (0..self.size(set)).map(|it| self.member(set, it)).collect(),
            Type::Enum(EnumId(id)) => {
                let count = self.protocol.enums.get(id as usize).map_or(0, |it| it.values.len());
                (0..count as u32).map(Value::Enum).collect()
            }
            Type::Message(message) => self.messages(message),
        }
    }

    fn messages(&self, MessageId(message): MessageId) -> Vec<Value> {
        let mut values = Vec::new();
        let Some(ty) = self.protocol.messages.get(message as usize) else { return values };
        for (constructor, it) in ty.constructors.iter().enumerate() {
            let mut tuples = vec![Vec::new()];
            for &field in &it.fields {
                let column = self.values(field);
                tuples = tuples
                    .iter()
                    .flat_map(|tuple: &Vec<Value>| {
                        column.iter().map(move |value| {
                            let mut longer = tuple.clone();
                            longer.push(value.clone());
                            longer
                        })
                    })
                    .take(MESSAGES)
                    .collect();
            }
            values.extend(tuples.into_iter().map(|it| Value::Message(constructor as u32, it)));
        }
        values.truncate(MESSAGES);
        values
    }
}

/// The variable's type, if there is such a variable.
pub fn type_of(process: &Process, variable: VarId) -> Option<Type> {
    process.variables.get(variable.0 as usize).map(|it| it.ty)
}

fn literals_of(stmt: &Stmt, literals: &mut BTreeSet<i64>) {
    let mut exprs: Vec<&Expr> = match &stmt.kind {
        StmtKind::Send { payload, .. } => vec![payload],
        StmtKind::Assign { value, .. } => vec![value],
        StmtKind::If { condition: Some(condition), .. }
        | StmtKind::While { condition, .. }
        | StmtKind::Assert { condition } => vec![condition],
        _ => Vec::new(),
    };
    while let Some(expr) = exprs.pop() {
        match &expr.kind {
            ExprKind::Int(number) => {
                literals.insert(*number);
            }
            ExprKind::Message(_, _, fields) => exprs.extend(fields),
            ExprKind::Not(inner) | ExprKind::Negate(inner) => exprs.push(inner),
            ExprKind::Binary(_, left, right) => exprs.extend([&**left, &**right]),
            _ => {}
        }
    }
}
