//! Which variables matter: those of the goals and of what steps ask for first, then those that
//! stand in one statement with them.
//!
//! There is no bound on what could be said about a program, but there is one on how many candidates
//! are looked at. This decides which of them these are.

use ser_syntax::inv::System;
use ser_syntax::inv::ast::{
    Action, ActionKind, Expr, ExprKind, GlobalId, LocalId, Place, Stmt, StmtKind,
};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Variable {
    Global(GlobalId),
    /// A local, of whichever thread.
    Local(LocalId),
}

/// How far each variable is from the goals.
pub struct Relevance {
    ranks: BTreeMap<Variable, usize>,
}

/// Farther away is as far as this.
const FAR: usize = 4;

impl Relevance {
    /// Of a system with its goals.
    pub fn of(system: &System) -> Relevance {
        let mut first = BTreeSet::new();
        for invariant in &system.invariants {
            for conjunct in &invariant.conjuncts {
                first.extend(variables(&conjunct.formula));
            }
        }
        let mut together: Vec<BTreeSet<Variable>> = Vec::new();
        for procedure in &system.procedures {
            statements(&procedure.body, &mut together, &mut first);
        }
        let mut ranks: BTreeMap<Variable, usize> = first.into_iter().map(|it| (it, 0)).collect();
        for rank in 1..FAR {
            let near: Vec<Variable> = together
                .iter()
                .filter(|group| group.iter().any(|it| ranks.contains_key(it)))
                .flatten()
                .copied()
                .collect();
            for variable in near {
                ranks.entry(variable).or_insert(rank);
            }
        }
        Relevance { ranks }
    }

    /// How far the farthest variable of a formula is.
    pub fn rank(&self, formula: &Expr) -> usize {
        let ranks = variables(formula).into_iter().map(|it| *self.ranks.get(&it).unwrap_or(&FAR));
        ranks.max().unwrap_or(0)
    }
}

/// The variables of an expression.
pub fn variables(expr: &Expr) -> BTreeSet<Variable> {
    let mut found = BTreeSet::new();
    expr.walk(&mut |it| match it.kind {
        ExprKind::Global(id) => {
            found.insert(Variable::Global(id));
        }
        ExprKind::Local(id, _) => {
            found.insert(Variable::Local(id));
        }
        _ => {}
    });
    found
}

fn statements(
    all: &[Stmt],
    together: &mut Vec<BTreeSet<Variable>>,
    asked: &mut BTreeSet<Variable>,
) {
    for statement in all {
        let mut group = BTreeSet::new();
        let mut here = |expr: &Expr| group.extend(variables(expr));
        match &statement.kind {
            StmtKind::If { condition, then, otherwise } => {
                condition.walk(&mut |it| here(it));
                statements(then, together, asked);
                statements(otherwise, together, asked);
            }
            StmtKind::While { condition, body, .. } => {
                condition.walk(&mut |it| here(it));
                statements(body, together, asked);
            }
            StmtKind::Choice(branches) => {
                branches.iter().for_each(|branch| statements(branch, together, asked));
            }
            StmtKind::Match(cases) => {
                for (condition, case) in cases {
                    condition.walk(&mut |it| here(it));
                    statements(case, together, asked);
                }
            }
            StmtKind::Break | StmtKind::Continue => {}
            StmtKind::Call { target, procedure: _, .. } => {
                statement.walk(&mut |it| here(it));
                group.extend(target.as_ref().and_then(assigned));
            }
            StmtKind::Step(step) => {
                statement.walk(&mut |it| here(it));
                actions_of(step.actions(), &mut group, asked);
            }
            StmtKind::Return(_) => {
                statement.walk(&mut |it| here(it));
            }
        }
        actions_of(&statement.ghost, &mut group, asked);
        together.push(group);
    }
}

fn assigned(place: &Place) -> Option<Variable> {
    match place {
        Place::Global(id) => Some(Variable::Global(*id)),
        Place::Local(id) => Some(Variable::Local(*id)),
        Place::Field(..) => None,
    }
}

/// What actions assign, and what they ask for.
fn actions_of(all: &[Action], group: &mut BTreeSet<Variable>, asked: &mut BTreeSet<Variable>) {
    for action in all {
        match &action.kind {
            ActionKind::Assign { target, .. }
            | ActionKind::Havoc { target, .. }
            | ActionKind::Malloc { target, .. } => {
                group.extend(assigned(target));
                if let Place::Field(address, _) = target {
                    asked.extend(variables(address));
                }
            }
            ActionKind::Lock(it) | ActionKind::Unlock(it) | ActionKind::Assert(it) => {
                asked.extend(variables(it));
            }
            ActionKind::Await(_) => {}
            ActionKind::If { then, otherwise, .. } => {
                actions_of(then, group, asked);
                actions_of(otherwise, group, asked);
            }
        }
    }
}
