//! From one statement for the server to the next: what a client, or the body of a function, does in
//! between.

use super::evaluate::{Evaluator, Scope, beyond, store};
use super::failure::Failure;
use crate::ast::{
    Block, Expr, ExprKind, Program, Query, Rows, Sql, SqlKind, Statement, StatementKind,
    Transaction, Variable, VariableId,
};
use crate::value::Value;

/// Steps between two statements for the server.
const MAX_STEPS: usize = 10_000;

/// Where a transaction is.
#[derive(Clone, PartialEq, Debug)]
pub struct Control<'p> {
    frames: Vec<Frame<'p>>,
    pub variables: Vec<Value>,
    declared: &'p [Variable],
    pub found: bool,
    pub row_count: i64,
    /// What the client got so far.
    pub results: Vec<Vec<Value>>,
    /// It depends on which of several rows the server comes to first, and nothing says which.
    pub arbitrary: bool,
}

#[derive(Clone, PartialEq, Debug)]
struct Frame<'p> {
    block: &'p [Statement],
    next: usize,
    round: Round<'p>,
}

/// What happens at the end of a block.
#[derive(Clone, PartialEq, Debug)]
enum Round<'p> {
    Once,
    While {
        label: Option<&'p str>,
        condition: Option<&'p Expr>,
    },
    Range {
        label: Option<&'p str>,
        variable: VariableId,
        at: i64,
        to: i64,
        step: i64,
    },
    /// At its end, `FOUND` says whether there was a round at all.
    Rows {
        label: Option<&'p str>,
        variables: &'p [VariableId],
        left: Vec<Vec<Value>>,
    },
}

impl<'p> Round<'p> {
    /// Whether it is the loop that `EXIT` or `CONTINUE` is about.
    fn is_loop(&self, wanted: Option<&str>) -> bool {
        match self {
            Round::Once => false,
            Round::While { label, .. } | Round::Range { label, .. } | Round::Rows { label, .. } => {
                wanted.is_none() || *label == wanted
            }
        }
    }
}

/// What the server is asked next.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Next<'p> {
    Sql(&'p Sql),
    /// Nothing more: the transaction commits.
    End,
}

impl<'p> Control<'p> {
    pub fn new(transaction: &'p Transaction, variables: Vec<Value>) -> Control<'p> {
        let frames = vec![Frame { block: &transaction.body, next: 0, round: Round::Once }];
        let declared = &transaction.variables;
        let results = Vec::new();
        let (found, row_count, arbitrary) = (false, 0, false);
        Control { frames, variables, declared, found, row_count, results, arbitrary }
    }

    /// Goes on to the next question for the server. Other expressions look at no table.
    pub fn next(&mut self, evaluator: &Evaluator<'_>) -> Result<Next<'p>, Failure> {
        for _ in 0..MAX_STEPS {
            let Some(frame) = self.frames.last_mut() else { return Ok(Next::End) };
            let Some(statement) = frame.block.get(frame.next) else {
                self.end_of_block(evaluator)?;
                continue;
            };
            if let StatementKind::Sql(sql) | StatementKind::ForRows { sql, .. } = &statement.kind {
                return Ok(Next::Sql(sql));
            }
            self.run(statement, evaluator)?;
        }
        Err(beyond("a loop that does not seem to end"))
    }

    fn run(&mut self, statement: &'p Statement, evaluator: &Evaluator<'_>) -> Result<(), Failure> {
        let variables = std::mem::take(&mut self.variables);
        let evaluator = Evaluator { variables: &variables, found: self.found, ..*evaluator };
        let decided = self.decide(statement, &evaluator);
        self.variables = variables;
        for (variable, value) in decided? {
            self.set(variable, value)?;
        }
        Ok(())
    }

    fn advance(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.next += 1;
        }
    }

    fn enter(&mut self, block: &'p Block, round: Round<'p>) {
        self.frames.push(Frame { block, next: 0, round });
    }

    /// What a statement does; which variables get which values.
    fn decide(
        &mut self,
        statement: &'p Statement,
        evaluator: &Evaluator<'_>,
    ) -> Result<Vec<(VariableId, Value)>, Failure> {
        let value = |expr: &Expr| evaluator.expr(expr, &Scope::NONE);
        let holds = |when: &Option<Expr>| {
            when.as_ref().map_or(Ok(true), |it| evaluator.holds(it, &Scope::NONE))
        };
        let integer = |expr: &Expr| match value(expr)? {
            Value::Int(it) => Ok(it),
            _ => Err(beyond("a bound of a loop that is no integer")),
        };
        match &statement.kind {
            StatementKind::Sql(_) | StatementKind::ForRows { .. } => {}
            StatementKind::Assign(variable, expr) => {
                let value = value(expr)?;
                self.advance();
                return Ok(vec![(*variable, value)]);
            }
            StatementKind::If(cases, otherwise) => {
                let mut chosen = otherwise;
                for (condition, block) in cases {
                    if evaluator.holds(condition, &Scope::NONE)? {
                        chosen = block;
                        break;
                    }
                }
                self.advance();
                self.enter(chosen, Round::Once);
            }
            StatementKind::Loop { label, condition, body } => {
                let enters = holds(condition)?;
                self.advance();
                if enters {
                    let (label, condition) = (label.as_deref(), condition.as_ref());
                    self.enter(body, Round::While { label, condition });
                }
            }
            StatementKind::ForRange { label, variable, from, to, step, reverse, body } => {
                let (at, to) = (integer(from)?, integer(to)?);
                let step = step.as_ref().map_or(Ok(1), integer)?;
                if step <= 0 {
                    return Err(beyond("a step of a loop that is not positive"));
                }
                let step = if *reverse { -step } else { step };
                self.advance();
                if (step > 0 && at <= to) || (step < 0 && at >= to) {
                    let label = label.as_deref();
                    let variable = *variable;
                    self.enter(body, Round::Range { label, variable, at, to, step });
                    return Ok(vec![(variable, Value::Int(at))]);
                }
            }
            StatementKind::Exit { label, when } => {
                let leaves = holds(when)?;
                self.advance();
                if leaves {
                    self.leave(label.as_deref())?;
                    self.frames.pop();
                }
            }
            StatementKind::Continue { label, when } => {
                let leaves = holds(when)?;
                self.advance();
                if leaves {
                    self.leave(label.as_deref())?;
                    if let Some(frame) = self.frames.last_mut() {
                        frame.next = frame.block.len();
                    }
                }
            }
            StatementKind::Return(expr) => {
                if let Some(expr) = expr {
                    let value = value(expr)?;
                    self.results.push(vec![value]);
                }
                self.frames.clear();
            }
            StatementKind::Fail { unless, message } => {
                let fine = match unless {
                    Some(condition) => evaluator.holds(condition, &Scope::NONE)?,
                    None => false,
                };
                if !fine {
                    return Err(Failure::Raised(message.clone()));
                }
                self.advance();
            }
            StatementKind::RowCount(variable) => {
                self.advance();
                return Ok(vec![(*variable, Value::Int(self.row_count))]);
            }
            StatementKind::Nothing => self.advance(),
        }
        Ok(Vec::new())
    }

    /// Up to the loop with this label, or the innermost one.
    fn leave(&mut self, label: Option<&str>) -> Result<(), Failure> {
        while self.frames.last().is_some_and(|it| !it.round.is_loop(label)) {
            self.frames.pop();
        }
        if self.frames.is_empty() { Err(beyond("no such loop")) } else { Ok(()) }
    }

    fn end_of_block(&mut self, evaluator: &Evaluator<'_>) -> Result<(), Failure> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let (mut set, mut found) = (None, None);
        let again = match &mut frame.round {
            Round::Once => false,
            Round::While { condition, .. } => match condition {
                None => true,
                Some(condition) => {
                    let found = self.found;
                    let evaluator = Evaluator { variables: &self.variables, found, ..*evaluator };
                    evaluator.holds(condition, &Scope::NONE)?
                }
            },
            Round::Range { variable, at, to, step, .. } => {
                *at = at.saturating_add(*step);
                set = Some((*variable, Value::Int(*at)));
                if *step > 0 { *at <= *to } else { *at >= *to }
            }
            Round::Rows { variables, left, .. } => match left.pop() {
                Some(row) => {
                    let variables: Vec<VariableId> = variables.to_vec();
                    frame.next = 0;
                    for (variable, value) in variables.into_iter().zip(row) {
                        self.set(variable, value)?;
                    }
                    return Ok(());
                }
                None => {
                    found = Some(true);
                    false
                }
            },
        };
        self.found = found.unwrap_or(self.found);
        if again {
            frame.next = 0;
            if let Some((variable, value)) = set {
                self.set(variable, value)?;
            }
        } else {
            self.frames.pop();
        }
        Ok(())
    }

    /// Assigns, as a value of the type of the variable.
    fn set(&mut self, variable: VariableId, value: Value) -> Result<(), Failure> {
        let at = variable.0 as usize;
        if let (Some(place), Some(declared)) = (self.variables.get_mut(at), self.declared.get(at)) {
            *place = store(value, declared.ty, declared.scale, None)?;
        }
        Ok(())
    }

    /// The server has answered the statement that [`next`](Control::next) stopped at.
    pub fn answered(
        &mut self,
        program: &Program,
        rows: Vec<Vec<Value>>,
        count: usize,
    ) -> Result<(), Failure> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let Some(statement) = frame.block.get(frame.next) else { return Ok(()) };
        self.advance();
        if let StatementKind::Sql(sql) | StatementKind::ForRows { sql, .. } = &statement.kind {
            let one_by_one = matches!(sql.rows, Rows::Into { .. }) && rows.len() > 1;
            self.arbitrary |= cuts(sql, program) || (one_by_one && !is_sorted(sql, program));
        }
        match &statement.kind {
            StatementKind::Sql(sql) => {
                if !sql.quiet {
                    self.row_count = count as i64;
                    self.found = count > 0;
                }
                match &sql.rows {
                    Rows::Nowhere => {}
                    Rows::Client => self.results.extend(rows),
                    Rows::Into { variables, strict } => {
                        if *strict && rows.is_empty() {
                            return Err(Failure::NoRow);
                        }
                        // INSERT, UPDATE and DELETE may not return several rows, STRICT or not.
                        let must = *strict || !matches!(sql.kind, SqlKind::Select(_));
                        if must && rows.len() > 1 {
                            return Err(Failure::ManyRows);
                        }
                        let row = rows.into_iter().next();
                        for (at, variable) in variables.iter().enumerate() {
                            let value = row.as_ref().and_then(|it| it.get(at)).cloned();
                            self.set(*variable, value.unwrap_or(Value::Null))?;
                        }
                    }
                }
            }
            StatementKind::ForRows { label, sql, body } => {
                if rows.is_empty() {
                    self.found = false;
                }
                let Rows::Into { variables, .. } = &sql.rows else {
                    return Err(beyond("a loop over rows without variables"));
                };
                let mut left = rows;
                left.reverse();
                let label = label.as_deref();
                if let Some(row) = left.pop() {
                    for (variable, value) in variables.iter().zip(row) {
                        self.set(*variable, value)?;
                    }
                    self.enter(body, Round::Rows { label, variables, left });
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Whether a `LIMIT` leaves out rows that nothing tells from those that it keeps.
fn cuts(sql: &Sql, program: &Program) -> bool {
    let is_cut = |query: &Query| {
        (query.limit.is_some() || query.offset.is_some()) && !query.has_total_order(program)
    };
    let mut cut = match &sql.kind {
        SqlKind::Select(query) => is_cut(query),
        _ => false,
    };
    sql.visit(&mut |it| {
        if let ExprKind::Scalar(query) | ExprKind::InQuery(_, query) = &it.kind {
            cut |= is_cut(query);
        }
    });
    cut
}

/// Whether the rows of a statement come in an order that the statement says.
fn is_sorted(sql: &Sql, program: &Program) -> bool {
    matches!(&sql.kind, SqlKind::Select(query) if query.has_total_order(program))
}
