//! Processes of a file, run by brute force: each request of the system once.

use ser_base::Limits;
use ser_model::{GlobalId, LocalId, NetworkSystem, ProgramModel};
use ser_syntax::core::{Expr, ExprKind, Program};
use std::collections::{BTreeMap, BTreeSet};

/// The program of a file that must have no errors.
pub fn events(text: &str) -> Program {
    let parse = ser_syntax::parse_processes(text);
    assert!(!parse.has_errors(), "{text}\n{:?}", parse.diagnostics);
    parse.program
}

/// Every reachable state: the values of the shared variables, and whether all processes have ended.
pub fn reachable(program: &Program, text: &str) -> BTreeSet<(Vec<i64>, bool)> {
    let explored = ProgramModel::new(program, text, &Limits::default());
    let explored = explored.unwrap_or_else(|e| panic!("{text}\n{e}"));
    let system = explored.system();
    let order = declared_order(program, system);
    let start: Vec<LocalId> = system.spawns().iter().map(|(_, local)| *local).collect();
    let mut open: Vec<(GlobalId, Vec<LocalId>)> = vec![(system.initial_global(), start)];
    let mut seen: BTreeSet<_> = open.iter().cloned().collect();
    let mut found = BTreeSet::new();
    while let Some((global, locals)) = open.pop() {
        let values = system.valuation(global);
        let done = locals.iter().all(|local| system.replies_of(*local).next().is_some());
        found.insert((order.iter().map(|at| values[*at]).collect(), done));
        for (index, local) in locals.iter().enumerate() {
            for step in system.steps_at(*local, global) {
                let mut after = locals.clone();
                after[index] = step.to;
                let next = (step.after, after);
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    found
}

/// Where the variables of the model are in the valuations of the system.
fn declared_order(program: &Program, system: &NetworkSystem) -> Vec<usize> {
    let at = |name: &str| {
        let found = system.variables().iter().position(|v| v.name == name);
        found.unwrap_or_else(|| panic!("no variable {name}"))
    };
    program.globals.iter().map(|global| at(&global.name.text)).collect()
}

/// For each goal, whether it can be reached; and every value must stay in its range.
#[allow(dead_code, reason = "not every test file has goals")]
pub fn answers(text: &str) -> Vec<bool> {
    let program = events(text);
    let states = reachable(&program, text);
    for (values, _) in &states {
        for (global, value) in program.globals.iter().zip(values) {
            let (low, high) = global.range.unwrap_or((i64::MIN, i64::MAX));
            assert!(low <= *value && *value <= high, "{} = {value}", global.name.text);
        }
    }
    let holds = |goal: &Expr, values: &[i64]| {
        let names = program.globals.iter().map(|global| global.name.text.as_str());
        let values: BTreeMap<&str, i64> = names.zip(values.iter().copied()).collect();
        value(goal, &values) != 0
    };
    let reached = |goal: &Expr| states.iter().any(|(values, _)| holds(goal, values));
    let conditions = program.questions.iter().map(|it| it.condition().expect("a condition"));
    conditions.map(|condition| reached(&condition)).collect()
}

fn value(expr: &Expr, values: &BTreeMap<&str, i64>) -> i64 {
    match &expr.kind {
        ExprKind::Number(number) => *number,
        ExprKind::Read(name) => values[name.text.as_str()],
        ExprKind::Unary(op, operand) => op.apply(value(operand, values)).expect("small numbers"),
        ExprKind::Binary(op, left, right) => {
            op.apply(value(left, values), value(right, values)).expect("small numbers")
        }
        ExprKind::Group(block) => value(&block.exprs[0], values),
        other => panic!("not part of a condition: {other:?}"),
    }
}
