//! Numbers that count threads: `readers := readers + 1` here and `readers := readers - 1` there.
//!
//! What such a number means is how many threads are in some place, and formulas cannot count
//! threads. So no invariant in them ties it to the places, and its conditions fail whatever one
//! adds. A set of threads can be tied to places: `at(i, reading) -> i in readers`.

use ser_syntax::inv::System;
use ser_syntax::inv::ast::{
    Action, ActionKind, Expr, ExprKind, GlobalId, Operator, Place, Scalar, Step, Stmt, StmtKind,
    Type,
};
use std::collections::BTreeMap;

/// How a global is assigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Ways {
    up: bool,
    down: bool,
    other: bool,
}

/// Globals of type `int` that go up by one and down by one, and are never assigned otherwise.
pub(super) fn counters(system: &System) -> Vec<GlobalId> {
    let mut ways: BTreeMap<GlobalId, Ways> = BTreeMap::new();
    system.procedures.iter().for_each(|it| statements(&it.body, &mut ways));
    let is_number = |id: &GlobalId| {
        let declared = system.globals.get(id.0 as usize);
        declared.is_some_and(|it| it.ty == Type::Scalar(Scalar::Int))
    };
    let counts = |it: &Ways| it.up && it.down && !it.other;
    ways.into_iter().filter(|(id, it)| is_number(id) && counts(it)).map(|(id, _)| id).collect()
}

fn statements(all: &[Stmt], ways: &mut BTreeMap<GlobalId, Ways>) {
    for statement in all {
        match &statement.kind {
            StmtKind::Step(Step::Action(action)) => actions(std::slice::from_ref(action), ways),
            StmtKind::Step(Step::Atomic(inner)) => actions(inner, ways),
            StmtKind::Step(_) | StmtKind::Return(_) | StmtKind::Break | StmtKind::Continue => {}
            StmtKind::Match(cases) => cases.iter().for_each(|(_, it)| statements(it, ways)),
            StmtKind::If { then, otherwise, .. } => {
                statements(then, ways);
                statements(otherwise, ways);
            }
            StmtKind::While { body, .. } => statements(body, ways),
            StmtKind::Choice(branches) => branches.iter().for_each(|it| statements(it, ways)),
            StmtKind::Call { target, .. } => {
                if let Some(Place::Global(id)) = target {
                    ways.entry(*id).or_default().other = true;
                }
            }
        }
        actions(&statement.ghost, ways);
    }
}

fn actions(all: &[Action], ways: &mut BTreeMap<GlobalId, Ways>) {
    for action in all {
        match &action.kind {
            ActionKind::Assign { target: Place::Global(id), value } => {
                let ways = ways.entry(*id).or_default();
                match step_of(*id, value) {
                    Some(1) => ways.up = true,
                    Some(-1) => ways.down = true,
                    _ => ways.other = true,
                }
            }
            ActionKind::Havoc { target: Place::Global(id), .. }
            | ActionKind::Malloc { target: Place::Global(id), .. } => {
                ways.entry(*id).or_default().other = true;
            }
            ActionKind::If { then, otherwise, .. } => {
                actions(then, ways);
                actions(otherwise, ways);
            }
            _ => {}
        }
    }
}

/// By how much `x + 1` is more than `x`.
fn step_of(id: GlobalId, value: &Expr) -> Option<i64> {
    let ExprKind::Binary(operator, left, right) = &value.kind else { return None };
    let is_own = |it: &Expr| it.kind == ExprKind::Global(id);
    match (operator, &left.kind, &right.kind) {
        (Operator::Add, _, ExprKind::Int(by)) if is_own(left) => Some(*by),
        (Operator::Add, ExprKind::Int(by), _) if is_own(right) => Some(*by),
        (Operator::Subtract, _, ExprKind::Int(by)) if is_own(left) => by.checked_neg(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_goes_up_and_down_by_one_counts() {
        let text = "
            var count: int = 0; var tickets: int = 0; var reset: int = 0; var by_two: int = 0;
            set Threads  process thread for self in Threads {
                atomic { count := count + 1; tickets := tickets + 1; by_two := by_two + 2; }
                if true { reset := 1 + reset; } else { count := count - 1; reset := reset - 1; }
                skip ghost { }
                atomic { if count == 0 { reset := 0; } by_two := by_two - 2; }
            }";
        let system = ser_syntax::inv::parse(text).system;
        assert_eq!(counters(&system), [GlobalId(0)]);
    }
}
