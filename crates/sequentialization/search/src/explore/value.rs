//! The values that `any` stands for.
//!
//! `any int` has infinitely many values. It gets a few: 0, 1 and some literals of the file, because
//! those are what a program can tell apart by comparing. What is found is real; where
//! [`is_narrowed`], that nothing is found says nothing about other values.

use ser_sequentialization_checker::local::Instance;
use ser_sequentialization_checker::run::Value;
use ser_sequentialization_checker::sequential::walk_expr;
use ser_syntax::icet::ast::{EnumId, ExprKind, MessageId, Protocol, Stmt, StmtKind, Type, VarId};
use std::collections::BTreeSet;

/// How many literals of the file are values of `any int`, besides 0 and 1.
const LITERALS: usize = 3;
/// How many values `any` of a message type has at most.
const MESSAGES: usize = 64;

/// Whether `any` stands for more values in a protocol than are tried.
pub fn is_narrowed(protocol: &Protocol) -> bool {
    let mut narrowed = false;
    for process in &protocol.processes {
        let variable = |it: &VarId| process.variables.get(it.0 as usize);
        let is_finite = |ty: Type| !matches!(ty, Type::Int | Type::Message(_));
        for stmt in &process.body {
            stmt.walk(&mut |stmt| {
                if let StmtKind::Any { variable: id } = &stmt.kind {
                    narrowed |= !variable(id).is_some_and(|it| is_finite(it.ty));
                }
            });
        }
    }
    narrowed
}

/// An instance of a protocol, and the values that there are.
#[derive(Clone, Debug)]
pub struct Domain<'p> {
    pub instance: Instance<'p>,
    numbers: Vec<i64>,
}

impl<'p> Domain<'p> {
    /// Sets for which no size is given are empty.
    pub fn new(protocol: &'p Protocol, sizes: &[u32]) -> Domain<'p> {
        let mut literals = BTreeSet::new();
        for stmt in protocol.processes.iter().flat_map(|process| &process.body) {
            stmt.walk(&mut |stmt| literals_of(stmt, &mut literals));
        }
        let mut numbers = vec![0, 1];
        numbers.extend(literals.into_iter().filter(|it| !matches!(it, 0 | 1)).take(LITERALS));
        Domain { instance: Instance::new(protocol, sizes), numbers }
    }

    /// All values of a type that are considered.
    pub fn values(&self, ty: Type) -> Vec<Value> {
        match ty {
            Type::Int => self.numbers.iter().copied().map(Value::Int).collect(),
            Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Type::Pid => self.instance.actors().into_iter().map(Value::Pid).collect(),
            Type::Member(set) => {
                let members = 0..self.instance.size(set);
                members.map(|it| self.instance.member(set, it)).collect()
            }
            Type::Enum(EnumId(id)) => {
                let count =
                    self.instance.protocol.enums.get(id as usize).map_or(0, |it| it.values.len());
                (0..count as u32).map(Value::Enum).collect()
            }
            Type::Message(message) => self.messages(message),
        }
    }

    fn messages(&self, MessageId(message): MessageId) -> Vec<Value> {
        let mut values = Vec::new();
        let Some(ty) = self.instance.protocol.messages.get(message as usize) else { return values };
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

fn literals_of(stmt: &Stmt, literals: &mut BTreeSet<i64>) {
    let expr = match &stmt.kind {
        StmtKind::Send { payload: expr, .. }
        | StmtKind::Assign { value: expr, .. }
        | StmtKind::If { condition: Some(expr), .. }
        | StmtKind::While { condition: expr, .. }
        | StmtKind::Assert { condition: expr } => expr,
        _ => return,
    };
    walk_expr(expr, &mut |it| {
        if let ExprKind::Int(number) = it.kind {
            literals.insert(number);
        }
    });
}
