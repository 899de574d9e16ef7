//! Random processes, against an interpreter of their own: one small step for every statement and
//! every evaluation of a condition, and nothing shared with the translation.

use crate::network::{events, reachable};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Expressions without effects.
#[derive(Clone, Debug)]
enum Value {
    Number(i64),
    Shared(usize),
    Local(usize),
    Length,
    Coin,
    Add(Box<Value>, i64),
    Equal(Box<Value>, Box<Value>),
    Less(Box<Value>, Box<Value>),
}

#[derive(Clone, Debug)]
enum Statement {
    SetShared(usize, Value),
    SetLocal(usize, Value),
    Await(Value),
    AwaitThen(Value, Vec<Statement>),
    Atomic(Vec<Statement>),
    If(Value, Vec<Statement>, Vec<Statement>),
    While(Value, Vec<Statement>),
    Repeat(i64, Vec<Statement>),
    Choose(Vec<Vec<Statement>>),
    Send(Value),
    ReceiveShared(usize),
    ReceiveLocal(usize),
    Skip,
    Return,
}

const SHARED: [&str; 3] = ["X", "Y", "W"];
const LOCAL: [&str; 2] = ["a", "b"];
const DECLARATIONS: &str = "var X: 0..2 = 1 var Y: -1..1 var W: bits 1 var Q: queue[2] of 0..1\n";

// Text.

fn show_value(value: &Value) -> String {
    match value {
        Value::Number(number) => format!("({number})"),
        Value::Shared(index) => SHARED[*index].to_owned(),
        Value::Local(index) => LOCAL[*index].to_owned(),
        Value::Length => "len(Q)".to_owned(),
        Value::Coin => "?".to_owned(),
        Value::Add(left, right) => format!("({} + ({right}))", show_value(left)),
        Value::Equal(left, right) => format!("({} == {})", show_value(left), show_value(right)),
        Value::Less(left, right) => format!("({} < {})", show_value(left), show_value(right)),
    }
}

fn show_body(body: &[Statement]) -> String {
    let statements: Vec<String> = body.iter().map(show).collect();
    format!("{{ {} }}", statements.join("; "))
}

fn show(statement: &Statement) -> String {
    match statement {
        Statement::SetShared(index, value) => {
            format!("{} := {}", SHARED[*index], show_value(value))
        }
        Statement::SetLocal(index, value) => format!("{} := {}", LOCAL[*index], show_value(value)),
        Statement::Await(value) => format!("await({})", show_value(value)),
        Statement::AwaitThen(value, body) => {
            format!("await({}) {}", show_value(value), show_body(body))
        }
        Statement::Atomic(body) => format!("atomic {}", show_body(body)),
        Statement::If(value, then, otherwise) => {
            format!("if ({}) {} else {}", show_value(value), show_body(then), show_body(otherwise))
        }
        Statement::While(value, body) => {
            format!("while ({}) {}", show_value(value), show_body(body))
        }
        Statement::Repeat(count, body) => format!("for _ in 1..{count} {}", show_body(body)),
        Statement::Choose(bodies) => {
            let bodies: Vec<String> = bodies.iter().map(|body| show_body(body)).collect();
            format!("choose {}", bodies.join(" or "))
        }
        Statement::Send(value) => format!("send {} to Q", show_value(value)),
        Statement::ReceiveShared(index) => format!("{} := recv Q", SHARED[*index]),
        Statement::ReceiveLocal(index) => format!("{} := recv Q", LOCAL[*index]),
        Statement::Skip => "skip".to_owned(),
        Statement::Return => "return".to_owned(),
    }
}

// The interpreter.

/// What all processes see.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Memory {
    shared: [i64; 3],
    queue: Vec<i64>,
}

impl Memory {
    /// In the order of the declarations.
    fn values(&self) -> Vec<i64> {
        let slot = |index: usize| self.queue.get(index).copied().unwrap_or(0);
        let [x, y, w] = self.shared;
        vec![x, y, w, self.queue.len() as i64, slot(0), slot(1)]
    }

    /// Stores a value; false if it does not fit.
    fn set(&mut self, index: usize, value: i64) -> bool {
        let (low, high) = [(0, 2), (-1, 1), (0, 1)][index];
        self.shared[index] = if index == 2 { value.rem_euclid(2) } else { value };
        let value = self.shared[index];
        low <= value && value <= high
    }
}

/// What a process still has to do; statements by their place in memory.
#[derive(Clone, Copy, Debug)]
enum Rest<'s> {
    Statement(&'s Statement),
    Rounds(&'s [Statement], i64),
}

impl Rest<'_> {
    fn key(&self) -> (usize, i64) {
        match self {
            Rest::Statement(statement) => (std::ptr::from_ref(*statement) as usize, 0),
            Rest::Rounds(body, count) => (body.as_ptr() as usize, *count),
        }
    }
}

#[derive(Clone, Debug)]
struct Process<'s> {
    locals: [i64; 2],
    /// The next one is the last.
    rest: Vec<Rest<'s>>,
}

type Key = (Memory, Vec<([i64; 2], Vec<(usize, i64)>)>);

fn key(memory: &Memory, processes: &[Process<'_>]) -> Key {
    let each = processes.iter().map(|p| (p.locals, p.rest.iter().map(Rest::key).collect()));
    (memory.clone(), each.collect())
}

/// All values that an expression may have.
fn values(value: &Value, memory: &Memory, locals: &[i64; 2]) -> BTreeSet<i64> {
    let pairs = |left: &Value, right: &Value, op: fn(i64, i64) -> bool| {
        let right = values(right, memory, locals);
        let left = values(left, memory, locals);
        left.iter().flat_map(|l| right.iter().map(move |r| i64::from(op(*l, *r)))).collect()
    };
    match value {
        Value::Number(number) => BTreeSet::from([*number]),
        Value::Shared(index) => BTreeSet::from([memory.shared[*index]]),
        Value::Local(index) => BTreeSet::from([locals[*index]]),
        Value::Length => BTreeSet::from([memory.queue.len() as i64]),
        Value::Coin => BTreeSet::from([0, 1]),
        Value::Add(left, right) => {
            values(left, memory, locals).into_iter().map(|value| value + right).collect()
        }
        Value::Equal(left, right) => pairs(left, right, |l, r| l == r),
        Value::Less(left, right) => pairs(left, right, |l, r| l < r),
    }
}

/// Everything that a process can do next.
fn steps<'s>(memory: &Memory, process: &Process<'s>) -> Vec<(Memory, Process<'s>)> {
    let mut process = process.clone();
    let mut found = Vec::new();
    let push = |process: &mut Process<'s>, body: &'s [Statement]| {
        process.rest.extend(body.iter().rev().map(Rest::Statement));
    };
    let statement = match process.rest.pop() {
        None => return found,
        Some(Rest::Rounds(body, count)) => {
            if count > 0 {
                process.rest.push(Rest::Rounds(body, count - 1));
                push(&mut process, body);
            }
            return vec![(memory.clone(), process)];
        }
        Some(Rest::Statement(statement)) => statement,
    };
    let all = |value: &Value| values(value, memory, &process.locals);
    match statement {
        Statement::SetShared(index, value) => {
            for value in all(value) {
                let mut memory = memory.clone();
                if memory.set(*index, value) {
                    found.push((memory, process.clone()));
                }
            }
        }
        Statement::SetLocal(index, value) => {
            for value in all(value) {
                let mut process = process.clone();
                process.locals[*index] = value;
                found.push((memory.clone(), process));
            }
        }
        Statement::Await(value) => {
            if all(value).iter().any(|value| *value != 0) {
                found.push((memory.clone(), process));
            }
        }
        Statement::AwaitThen(value, body) => {
            if all(value).iter().any(|value| *value != 0) {
                found = at_once(memory, &process, body);
            }
        }
        Statement::Atomic(body) => found = at_once(memory, &process, body),
        Statement::If(value, then, otherwise) => {
            for value in all(value) {
                let mut process = process.clone();
                push(&mut process, if value != 0 { then } else { otherwise });
                found.push((memory.clone(), process));
            }
        }
        Statement::While(value, body) => {
            for value in all(value) {
                let mut process = process.clone();
                if value != 0 {
                    process.rest.push(Rest::Statement(statement));
                    push(&mut process, body);
                }
                found.push((memory.clone(), process));
            }
        }
        Statement::Repeat(count, body) => {
            process.rest.push(Rest::Rounds(body, *count));
            found.push((memory.clone(), process));
        }
        Statement::Choose(bodies) => {
            for body in bodies {
                let mut process = process.clone();
                push(&mut process, body);
                found.push((memory.clone(), process));
            }
        }
        Statement::Send(value) => {
            for value in all(value) {
                let mut memory = memory.clone();
                if memory.queue.len() < 2 && (0..=1).contains(&value) {
                    memory.queue.push(value);
                    found.push((memory, process.clone()));
                }
            }
        }
        Statement::ReceiveShared(index) => {
            let mut memory = memory.clone();
            if !memory.queue.is_empty() {
                let item = memory.queue.remove(0);
                if memory.set(*index, item) {
                    found.push((memory, process));
                }
            }
        }
        Statement::ReceiveLocal(index) => {
            let mut memory = memory.clone();
            if !memory.queue.is_empty() {
                process.locals[*index] = memory.queue.remove(0);
                found.push((memory, process));
            }
        }
        Statement::Skip => found.push((memory.clone(), process)),
        Statement::Return => {
            process.rest.clear();
            found.push((memory.clone(), process));
        }
    }
    found
}

/// All ways to run a body without anybody else.
fn at_once<'s>(
    memory: &Memory,
    process: &Process<'s>,
    body: &'s [Statement],
) -> Vec<(Memory, Process<'s>)> {
    let after = &process.rest;
    let rest = body.iter().rev().map(Rest::Statement).collect();
    let mut open = vec![(memory.clone(), Process { locals: process.locals, rest })];
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    while let Some((memory, inside)) = open.pop() {
        if !seen.insert(key(&memory, std::slice::from_ref(&inside))) {
            continue;
        }
        if inside.rest.is_empty() {
            found.push((memory, Process { locals: inside.locals, rest: after.clone() }));
            continue;
        }
        if let Some(Rest::Statement(Statement::Return)) = inside.rest.last() {
            found.push((memory, Process { locals: inside.locals, rest: Vec::new() }));
            continue;
        }
        let Some(Rest::Statement(next @ (Statement::Atomic(body) | Statement::AwaitThen(_, body)))) =
            inside.rest.last()
        else {
            open.extend(steps(&memory, &inside));
            continue;
        };
        // Blocks inside blocks add nothing but a condition: their statements are just next.
        if let Statement::AwaitThen(value, _) = next
            && values(value, &memory, &inside.locals).iter().all(|value| *value == 0)
        {
            continue;
        }
        let mut inside = inside.clone();
        inside.rest.pop();
        inside.rest.extend(body.iter().rev().map(Rest::Statement));
        open.push((memory, inside));
    }
    found
}

fn interpret(bodies: &[Vec<Statement>]) -> BTreeSet<(Vec<i64>, bool)> {
    let memory = Memory { shared: [1, 0, 0], queue: Vec::new() };
    let start = bodies.iter().map(|body| {
        let rest = body.iter().rev().map(Rest::Statement).collect();
        Process { locals: [0, 0], rest }
    });
    let mut open = vec![(memory, start.collect::<Vec<_>>())];
    let mut seen = BTreeSet::new();
    let mut found = BTreeSet::new();
    while let Some((memory, processes)) = open.pop() {
        if !seen.insert(key(&memory, &processes)) {
            continue;
        }
        let done = processes.iter().all(|process| process.rest.is_empty());
        found.insert((memory.values(), done));
        for (index, process) in processes.iter().enumerate() {
            for (memory, after) in steps(&memory, process) {
                let mut processes = processes.clone();
                processes[index] = after;
                open.push((memory, processes));
            }
        }
    }
    found
}

// Random processes.

/// A value for a condition or a shared variable.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        3 => (-1..3i64).prop_map(Value::Number),
        4 => (0..3usize).prop_map(Value::Shared),
        4 => (0..2usize).prop_map(Value::Local),
        1 => Just(Value::Length),
        1 => Just(Value::Coin),
    ];
    leaf.prop_recursive(2, 6, 2, |inside| {
        prop_oneof![
            (inside.clone(), -2..3i64).prop_map(|(left, right)| Value::Add(left.into(), right)),
            (inside.clone(), inside.clone())
                .prop_map(|(left, right)| Value::Equal(left.into(), right.into())),
            (inside.clone(), inside)
                .prop_map(|(left, right)| Value::Less(left.into(), right.into())),
        ]
    })
}

/// A value for a local variable: nothing that could grow forever.
fn bounded_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-1..3i64).prop_map(Value::Number),
        (0..3usize).prop_map(Value::Shared),
        (0..3usize, -1..2i64)
            .prop_map(|(index, more)| Value::Add(Value::Shared(index).into(), more)),
        (any_value(), any_value())
            .prop_map(|(left, right)| Value::Equal(left.into(), right.into())),
        Just(Value::Coin),
    ]
}

fn statement() -> impl Strategy<Value = Statement> {
    let simple = prop_oneof![
        6 => (0..3usize, any_value()).prop_map(|(i, value)| Statement::SetShared(i, value)),
        4 => (0..2usize, bounded_value()).prop_map(|(i, value)| Statement::SetLocal(i, value)),
        2 => any_value().prop_map(Statement::Await),
        1 => any_value().prop_map(Statement::Send),
        1 => (0..3usize).prop_map(Statement::ReceiveShared),
        1 => (0..2usize).prop_map(Statement::ReceiveLocal),
        1 => Just(Statement::Skip),
        1 => Just(Statement::Return),
    ];
    simple.prop_recursive(3, 12, 3, |inside| {
        let body = prop::collection::vec(inside, 0..3);
        prop_oneof![
            (any_value(), body.clone()).prop_map(|(v, b)| Statement::AwaitThen(v, b)),
            body.clone().prop_map(Statement::Atomic),
            (any_value(), body.clone(), body.clone())
                .prop_map(|(v, then, other)| Statement::If(v, then, other)),
            (any_value(), body.clone()).prop_map(|(v, b)| Statement::While(v, b)),
            (1..4i64, body.clone()).prop_map(|(n, b)| Statement::Repeat(n, b)),
            prop::collection::vec(body, 1..4).prop_map(Statement::Choose),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn processes_reach_the_states_that_their_statements_say(
        bodies in prop::collection::vec(prop::collection::vec(statement(), 1..4), 1..3)
    ) {
        let mut text = DECLARATIONS.to_owned();
        for (index, body) in bodies.iter().enumerate() {
            let _ = writeln!(text, "process P{index} {}", show_body(body));
        }
        text.push_str("reach X == 1");
        let found = reachable(&events(&text), &text);
        let expected = interpret(&bodies);
        let shared = |states: &BTreeSet<(Vec<i64>, bool)>| -> BTreeSet<Vec<i64>> {
            states.iter().map(|(values, _)| values.clone()).collect()
        };
        let ends = |states: &BTreeSet<(Vec<i64>, bool)>| -> BTreeSet<Vec<i64>> {
            states.iter().filter(|(_, done)| *done).map(|(values, _)| values.clone()).collect()
        };
        prop_assert_eq!(shared(&found), shared(&expected), "{}", &text);
        prop_assert_eq!(ends(&found), ends(&expected), "{}", &text);
    }
}
