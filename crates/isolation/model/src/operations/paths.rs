//! The ways through a transaction.
//!
//! Outside of loops, each combination of branches is a path of its own, up to [`PATHS`]; a path
//! that ends with `RAISE EXCEPTION` is none, because the transaction has then not happened. In
//! loops, and beyond that number, branches stay on the path and guard what is in them.

use super::access::{self, Scene};
use super::tables::each_sql;
use super::{Facts, Kind, Operation, Operations, Origin, Outside, Template, Term};
use crate::ast::{
    BinaryOp, Block, ColumnId, Expr, ExprKind, Program, Rows, Sql, Statement, StatementKind,
    Transaction, UnaryOp, VariableId,
};
use ser_base::Span;
use std::collections::BTreeSet;

/// How many paths of a transaction are kept apart.
const PATHS: usize = 128;

/// A way from the start of a transaction to somewhere in it.
#[derive(Clone)]
pub(super) struct Path {
    pub operations: Vec<Operation>,
    /// What each variable is, if it is known to be a term.
    values: Vec<Option<Term>>,
    origins: Vec<Origin>,
    pub statement: u32,
    pub guards: Vec<u32>,
    guard: u32,
    /// What the last statement looked for, if that is one row, so that `FOUND` says more.
    pub target: Option<Target>,
    /// Whether the last statement looked for the first row by some column.
    pub first: Option<First>,
    ended: bool,
}

/// A read of the row that has the least or greatest value of a column, which an item of the result
/// is.
#[derive(Clone, Copy)]
pub(super) struct First {
    pub main: usize,
    pub item: usize,
    pub column: ColumnId,
}

/// The operations of a statement that looks for one row.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub gap: Option<usize>,
    /// What is read of a row that is then not taken.
    pub loose: Option<usize>,
    pub main: usize,
    /// Whether the main operation happens even if nothing is found.
    pub keeps: bool,
}

impl Path {
    fn new(transaction: &Transaction) -> Path {
        let mut path = Path {
            operations: Vec::new(),
            values: vec![None; transaction.variables.len()],
            origins: Vec::new(),
            statement: 0,
            guards: Vec::new(),
            guard: 0,
            target: None,
            first: None,
            ended: false,
        };
        for (number, variable) in (0..).zip(&transaction.variables) {
            match &variable.first {
                Some(first) => path.assign(transaction, VariableId(number), first, first.span),
                None => path.forget(VariableId(number), None),
            }
        }
        path
    }

    pub fn value(&self, variable: VariableId) -> Option<Term> {
        self.values.get(variable.0 as usize).cloned().flatten()
    }

    /// From here on, the variable has a value of its own.
    fn forget(&mut self, variable: VariableId, assigned: Option<Span>) {
        let Ok(term) = u32::try_from(self.origins.len()) else { return };
        self.origins.push(Origin { variable, assigned });
        if let Some(value) = self.values.get_mut(variable.0 as usize) {
            *value = Some(Term::Free(term));
        }
    }

    fn assign(&mut self, transaction: &Transaction, to: VariableId, expr: &Expr, span: Span) {
        let variables = &transaction.variables;
        let copied = match &expr.kind {
            // An assignment casts: only the same type keeps the value.
            ExprKind::Variable(from) => {
                let one = variables.get(from.0 as usize);
                let other = variables.get(to.0 as usize);
                let same = one.zip(other).is_some_and(|(one, other)| {
                    one.ty == other.ty && (other.scale.is_none() || one.scale == other.scale)
                });
                if same { self.value(*from) } else { None }
            }
            _ => None,
        };
        match copied {
            Some(term) => {
                if let Some(value) = self.values.get_mut(to.0 as usize) {
                    *value = Some(term);
                }
            }
            None => self.forget(to, Some(span)),
        }
    }

    /// What the last statement did, given that it found something, or nothing.
    fn found(&mut self, found: bool) {
        let Some(target) = self.target else { return };
        let mut drop = BTreeSet::new();
        if found {
            drop.extend(target.gap);
            drop.extend(target.loose);
            if let Some(main) = self.operations.get_mut(target.main) {
                main.certain = true;
                main.found = true;
            }
        } else if !target.keeps {
            drop.insert(target.main);
        }
        // Nothing refers to the operations by number any more.
        self.target = None;
        let mut number = 0;
        self.operations.retain(|_| {
            number += 1;
            !drop.contains(&(number - 1))
        });
    }

    /// What comes now is run if a variable has a value, which it has if there is a row with it.
    fn goes_on_with(&mut self, variable: Option<VariableId>) {
        let Some(term @ Term::Free(_)) = variable.and_then(|it| self.value(it)) else { return };
        for operation in &mut self.operations {
            let uses = operation.row.iter().any(|(_, it)| *it == term);
            if uses && operation.kind != Kind::Gap {
                operation.guards.push(self.guard);
            }
        }
    }

    /// What comes now is not certain any more.
    fn guarded(&mut self) {
        self.guard += 1;
        self.guards.push(self.guard);
    }
}

/// Adds the templates of a transaction.
pub(super) fn templates(program: &Program, number: usize, into: &mut Operations) {
    let transaction = &program.transactions[number];
    let scene = Scene { program, transaction, number, tables: &into.tables };
    let mut walk = Walk { scene, outside: Vec::new() };
    let paths = walk.block(vec![Path::new(transaction)], &transaction.body);
    let mut outside = walk.outside;
    outside.dedup();
    into.outside.extend(outside.into_iter().fold(Vec::new(), |mut all: Vec<Outside>, it| {
        if !all.contains(&it) {
            all.push(it);
        }
        all
    }));
    let first = into.templates.len();
    for path in paths {
        let Path { operations, origins, .. } = path;
        let operations = tidy(operations, &into.tables);
        let known = &into.templates[first..];
        if !known.iter().any(|it| is_same(&it.operations, &operations)) {
            into.templates.push(Template { transaction: number, operations, origins });
        }
    }
}

/// Whether two paths do the same, in whatever statements.
fn is_same(one: &[Operation], other: &[Operation]) -> bool {
    let same = |(one, other): (&Operation, &Operation)| {
        *one == Operation { span: one.span, ..other.clone() }
    };
    one.len() == other.len() && one.iter().zip(other).all(same)
}

/// Without what is said twice, and without looking for what always is there or never.
fn tidy(operations: Vec<Operation>, tables: &[Facts]) -> Vec<Operation> {
    let mut kept: Vec<Operation> = Vec::new();
    for operation in operations {
        let looks = match &operation.kind {
            Kind::Gap => true,
            Kind::Read { columns, lock } => columns.is_empty() && lock.is_none(),
            _ => false,
        };
        if looks && !operation.found && tables[operation.table.0 as usize].is_fixed() {
            continue;
        }
        let known = kept.iter().any(|it| {
            it.statement == operation.statement
                && it.table == operation.table
                && it.row == operation.row
                && it.kind == operation.kind
                && it.guards == operation.guards
                && it.certain >= operation.certain
                && it.found >= operation.found
                && it.fresh == operation.fresh
        });
        if !known {
            kept.push(operation);
        }
    }
    kept
}

struct Walk<'p> {
    scene: Scene<'p>,
    outside: Vec<Outside>,
}

impl Walk<'_> {
    fn block(&mut self, mut paths: Vec<Path>, block: &Block) -> Vec<Path> {
        for statement in block {
            let (ended, open): (Vec<Path>, Vec<Path>) = paths.into_iter().partition(|it| it.ended);
            paths = self.statement(open, statement);
            paths.extend(ended);
        }
        paths
    }

    fn statement(&mut self, mut paths: Vec<Path>, statement: &Statement) -> Vec<Path> {
        match &statement.kind {
            StatementKind::If(arms, otherwise)
                if paths.len().saturating_mul(arms.len() + 1) <= PATHS =>
            {
                self.branch(paths, arms, otherwise)
            }
            StatementKind::Fail { unless: None, .. } => Vec::new(),
            StatementKind::Return(_) => {
                paths.iter_mut().for_each(|it| it.ended = true);
                paths
            }
            _ => {
                for path in &mut paths {
                    // Guards of a loop end with it; a `RETURN` in it guards all that follows.
                    let end = self.within(path, statement);
                    if end == End::Transaction {
                        path.guarded();
                    }
                }
                paths
            }
        }
    }

    fn branch(&mut self, paths: Vec<Path>, arms: &[(Expr, Block)], otherwise: &Block) -> Vec<Path> {
        let mut done = Vec::new();
        let mut open = paths;
        for (condition, block) in arms {
            let mut taken = open.clone();
            if let Some(found) = says_found(condition, true) {
                taken.iter_mut().for_each(|it| it.found(found));
            }
            if let Some(found) = says_found(condition, false) {
                open.iter_mut().for_each(|it| it.found(found));
            }
            done.extend(self.block(taken, block));
        }
        done.extend(self.block(open, otherwise));
        done
    }

    /// A statement that stays on one path.
    fn within(&mut self, path: &mut Path, statement: &Statement) -> End {
        let transaction = self.scene.transaction;
        match &statement.kind {
            StatementKind::Sql(sql) => {
                self.sql(path, sql);
                End::No
            }
            StatementKind::Assign(variable, expr) => {
                path.assign(transaction, *variable, expr, statement.span);
                End::No
            }
            StatementKind::RowCount(variable) => {
                path.forget(*variable, Some(statement.span));
                End::No
            }
            StatementKind::If(arms, otherwise) => {
                self.guarded_if(path, arms, otherwise, statement.span)
            }
            StatementKind::Loop { body, .. } => self.rounds(path, body, &[], statement.span),
            StatementKind::ForRange { variable, body, .. } => {
                self.rounds(path, body, &[*variable], statement.span)
            }
            StatementKind::ForRows { sql, body, .. } => {
                let mut variables = Vec::new();
                assigned_by(sql, &mut variables);
                self.sql(path, sql);
                self.rounds(path, body, &variables, statement.span)
            }
            // It may leave any number of loops.
            StatementKind::Exit { label: Some(_), .. }
            | StatementKind::Continue { label: Some(_), .. } => End::Transaction,
            StatementKind::Exit { when, .. } | StatementKind::Continue { when, .. } => {
                if when.is_some() { End::Perhaps } else { End::Round }
            }
            StatementKind::Return(_) => End::Transaction,
            StatementKind::Fail { unless, .. } => {
                if unless.is_some() {
                    End::No
                } else {
                    End::Failed
                }
            }
            StatementKind::Nothing => End::No,
        }
    }

    fn sql(&mut self, path: &mut Path, sql: &Sql) {
        access::sql(&self.scene, path, sql, &mut self.outside);
        if let Rows::Into { variables, strict } = &sql.rows {
            let before = path.origins.len();
            for variable in variables {
                path.forget(*variable, Some(sql.span));
            }
            if let Some(first) = path.first.take()
                && let Some(variable) = variables.get(first.item)
            {
                self.only_first(path, first, *variable, before + first.item);
            }
            if *strict && !sql.quiet {
                path.found(true);
            }
        }
    }

    /// The row that was found has the value in the column that the variable now has.
    fn only_first(&self, path: &mut Path, first: First, variable: VariableId, term: usize) {
        let Some(operation) = path.operations.get_mut(first.main) else { return };
        let table = operation.table.0 as usize;
        let column = self.scene.program.tables[table].columns.get(first.column.0 as usize);
        let variable = self.scene.transaction.variables.get(variable.0 as usize);
        let same = column.zip(variable).is_some_and(|(column, variable)| {
            column.ty == variable.ty && (variable.scale.is_none() || variable.scale == column.scale)
        });
        let stable = self.scene.tables[table].is_stable(first.column);
        let new = operation.row.iter().all(|(it, _)| *it != first.column);
        if let Ok(term) = u32::try_from(term)
            && same
            && stable
            && new
        {
            operation.row.push((first.column, Term::Free(term)));
            operation.row.sort();
        }
    }

    /// Branches of which any may be taken, on one path.
    fn guarded_if(
        &mut self,
        path: &mut Path,
        arms: &[(Expr, Block)],
        otherwise: &Block,
        span: Span,
    ) -> End {
        let mut end = End::No;
        let mut changed = Vec::new();
        let mut kept = false;
        let before = path.values.clone();
        for (condition, block) in arms {
            let mut arm = path.clone();
            arm.guarded();
            let inner = self.run(&mut arm, block);
            if inner == End::Failed {
                // Nobody has been here. What was not found is then known of all who go on.
                path.guard = arm.guard;
                if let Some(found) = says_found(condition, false).filter(|_| !kept) {
                    path.found(found);
                }
                continue;
            }
            kept = true;
            arm.guards.clone_from(&path.guards);
            arm.values.clone_from(&before);
            arm.target = None;
            *path = arm;
            end = end.or(inner);
            assigned(block, &mut changed);
        }
        let mut arm = path.clone();
        arm.guarded();
        let inner = self.run(&mut arm, otherwise);
        if inner == End::Failed {
            path.guard = arm.guard;
        } else {
            arm.guards.clone_from(&path.guards);
            arm.values = before;
            arm.target = if otherwise.is_empty() { path.target } else { None };
            *path = arm;
            end = end.or(inner);
            assigned(otherwise, &mut changed);
        }
        changed.into_iter().for_each(|it| path.forget(it, Some(span)));
        end
    }

    /// Two rounds of a loop, and whatever they leave behind.
    fn rounds(&mut self, path: &mut Path, body: &Block, own: &[VariableId], span: Span) -> End {
        let mut changed = own.to_vec();
        assigned(body, &mut changed);
        let outer = path.guards.clone();
        let mut end = End::No;
        for _ in 0..2 {
            path.target = None;
            changed.iter().for_each(|it| path.forget(*it, Some(span)));
            path.guarded();
            let inner = self.run(path, body);
            if inner == End::Transaction {
                end = End::Transaction;
            }
            path.guards.clone_from(&outer);
        }
        path.target = None;
        changed.iter().for_each(|it| path.forget(*it, Some(span)));
        end
    }

    /// A block on one path. After a statement that may end it, nothing is certain.
    fn run(&mut self, path: &mut Path, block: &Block) -> End {
        let mut end = End::No;
        for statement in block {
            match self.within(path, statement) {
                End::No => {}
                // Whatever was before it has not happened either.
                End::Failed if end == End::No => return End::Failed,
                it => {
                    end = end.or(it);
                    path.guarded();
                    path.goes_on_with(leaves_without(statement));
                }
            }
        }
        end
    }
}

/// The variable that is `NULL` if a statement leaves a round, so that it goes on with any other
/// value.
fn leaves_without(statement: &Statement) -> Option<VariableId> {
    let condition = match &statement.kind {
        StatementKind::Exit { when, .. } | StatementKind::Continue { when, .. } => when.as_ref()?,
        StatementKind::If(arms, otherwise) if otherwise.is_empty() => match arms.as_slice() {
            [(condition, _)] => condition,
            _ => return None,
        },
        _ => return None,
    };
    match &condition.kind {
        ExprKind::IsNull(it) => match it.kind {
            ExprKind::Variable(variable) => Some(variable),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a block may be left before its end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    No,
    /// The transaction has then not happened.
    Failed,
    Perhaps,
    Round,
    Transaction,
}

impl End {
    fn or(self, other: End) -> End {
        match (self, other) {
            (End::Failed, End::No) | (End::No, End::Failed) => End::Perhaps,
            _ => self.max(other),
        }
    }
}

/// What a condition says about `FOUND` if it holds, or if it does not.
fn says_found(condition: &Expr, holds: bool) -> Option<bool> {
    match &condition.kind {
        ExprKind::Found => Some(holds),
        ExprKind::Unary(UnaryOp::Not, it) => says_found(it, !holds),
        ExprKind::Binary(op, left, right)
            if (*op, holds) == (BinaryOp::And, true) || (*op, holds) == (BinaryOp::Or, false) =>
        {
            says_found(left, holds).or_else(|| says_found(right, holds))
        }
        _ => None,
    }
}

/// The variables that a block assigns.
fn assigned(block: &Block, into: &mut Vec<VariableId>) {
    each_sql(block, &mut |sql| assigned_by(sql, into));
    for statement in block {
        match &statement.kind {
            StatementKind::Assign(variable, _) | StatementKind::RowCount(variable) => {
                into.push(*variable);
            }
            StatementKind::If(arms, otherwise) => {
                arms.iter().for_each(|(_, it)| assigned(it, into));
                assigned(otherwise, into);
            }
            StatementKind::Loop { body, .. } | StatementKind::ForRows { body, .. } => {
                assigned(body, into);
            }
            StatementKind::ForRange { variable, body, .. } => {
                into.push(*variable);
                assigned(body, into);
            }
            _ => {}
        }
    }
    into.sort_unstable();
    into.dedup();
}

fn assigned_by(sql: &Sql, into: &mut Vec<VariableId>) {
    if let Rows::Into { variables, .. } = &sql.rows {
        into.extend(variables);
    }
}

impl Kind {
    /// The kind in a word, for messages.
    pub fn word(&self) -> &'static str {
        match self {
            Kind::Read { lock: None, .. } => "reads",
            Kind::Read { .. } => "locks",
            Kind::Gap => "looks for",
            Kind::Update { .. } => "updates",
            Kind::Insert => "inserts",
            Kind::Delete => "deletes",
        }
    }
}
