//! Walks through expressions: what stands inside of what.

use super::ast::{Action, ActionKind, Expr, ExprKind, Place, Step, Stmt, StmtKind, System};

macro_rules! children {
    ($(#[$doc:meta])* $name:ident, $children:ty, & $($mutable:ident)?, $iter:ident) => {
        $(#[$doc])*
        pub fn $name(& $($mutable)? self) -> $children {
            match & $($mutable)? self.kind {
                ExprKind::Field(inner, _)
                | ExprKind::Not(inner)
                | ExprKind::Negate(inner)
                | ExprKind::Min(inner)
                | ExprKind::Max(inner)
                | ExprKind::Cells(inner)
                | ExprKind::Elems(inner) => vec![inner],
                ExprKind::Binary(_, left, right)
                | ExprKind::Reach(left, right)
                | ExprKind::Ordered(left, right) => vec![left, right],
                ExprKind::Set(elements) => elements.$iter().collect(),
                ExprKind::Bool(_)
                | ExprKind::Int(_)
                | ExprKind::Null
                | ExprKind::Nobody
                | ExprKind::Lowest
                | ExprKind::Highest
                | ExprKind::Thread(_)
                | ExprKind::Global(_)
                | ExprKind::Local(..)
                | ExprKind::At(..) => Vec::new(),
            }
        }
    };
}

impl Expr {
    children!(
        /// The expressions directly inside, from left to right.
        children, Vec<&Expr>, &, iter
    );
    children!(
        /// The same, to be changed.
        children_mut, Vec<&mut Expr>, &mut, iter_mut
    );

    /// Visits an expression, and then all inside it.
    pub fn walk<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        visit(self);
        self.children().into_iter().for_each(|child| child.walk(visit));
    }
}

impl Step {
    /// The actions of a step, one after the other.
    pub fn actions(&self) -> &[Action] {
        match self {
            Step::Skip => &[],
            Step::Action(action) => std::slice::from_ref(action),
            Step::Atomic(actions) => actions,
        }
    }
}

impl Stmt {
    /// Visits all expressions of a statement and of the statements inside it.
    pub fn walk<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        let mut blocks: Vec<&'e [Stmt]> = Vec::new();
        match &self.kind {
            StmtKind::Step(step) => walk_actions(step.actions(), visit),
            StmtKind::If { condition, then, otherwise } => {
                condition.walk(visit);
                blocks.extend([&then[..], &otherwise[..]]);
            }
            StmtKind::While { condition, body, .. } => {
                condition.walk(visit);
                blocks.push(body);
            }
            StmtKind::Choice(branches) => blocks.extend(branches.iter().map(Vec::as_slice)),
            StmtKind::Match(cases) => {
                cases.iter().for_each(|(condition, _)| condition.walk(visit));
                blocks.extend(cases.iter().map(|(_, case)| case.as_slice()));
            }
            StmtKind::Break | StmtKind::Continue => {}
            StmtKind::Call { target, arguments, .. } => {
                arguments.iter().for_each(|argument| argument.walk(visit));
                target.iter().for_each(|target| walk_place(target, visit));
            }
            StmtKind::Return(result) => result.iter().for_each(|result| result.walk(visit)),
        }
        blocks.into_iter().flatten().for_each(|statement| statement.walk(visit));
        walk_actions(&self.ghost, visit);
    }
}

fn walk_place<'e>(place: &'e Place, visit: &mut dyn FnMut(&'e Expr)) {
    if let Place::Field(address, _) = place {
        address.walk(visit);
    }
}

fn walk_actions<'e>(actions: &'e [Action], visit: &mut dyn FnMut(&'e Expr)) {
    for action in actions {
        match &action.kind {
            ActionKind::Assign { target, value } => {
                walk_place(target, visit);
                value.walk(visit);
            }
            ActionKind::Havoc { condition, .. } => condition.iter().for_each(|it| it.walk(visit)),
            ActionKind::Malloc { data, next, .. } => {
                data.walk(visit);
                next.walk(visit);
            }
            ActionKind::Lock(it)
            | ActionKind::Unlock(it)
            | ActionKind::Await(it)
            | ActionKind::Assert(it) => it.walk(visit),
            ActionKind::If { condition, then, otherwise } => {
                condition.walk(visit);
                walk_actions(then, visit);
                walk_actions(otherwise, visit);
            }
        }
    }
}

impl System {
    /// Visits every expression: initial values, assumptions, invariants and statements.
    pub fn walk<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        let globals = self.globals.iter().filter_map(|global| global.initial.as_ref());
        let locals = self.locals.iter().filter_map(|local| local.initial.as_ref());
        let conjuncts = self.invariants.iter().flat_map(|invariant| &invariant.conjuncts);
        let formulas = self.assumptions.iter().chain(conjuncts.map(|conjunct| &conjunct.formula));
        globals.chain(locals).chain(formulas).for_each(|it| it.walk(visit));
        self.walk_statements(visit);
    }

    /// Visits the expressions of all statements.
    pub fn walk_statements<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        let statements = self.procedures.iter().flat_map(|procedure| &procedure.body);
        statements.for_each(|statement| statement.walk(visit));
    }
}
