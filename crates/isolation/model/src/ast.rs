//! What a file of SQL says, with every name resolved.
//!
//! The tree has nothing that is not understood: what the reader does not know is an error with its
//! place. Functions, procedures and named sections are all [`Transaction`]s: a block of statements,
//! some of which ask the server ([`Sql`]), and some of which only say what comes next.

use crate::value::{Type, Value};
use ser_base::Span;
use serde::{Deserialize, Serialize};

/// A whole file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Program {
    /// The statements that define tables, keys and so on, in order: what a server has to run first.
    pub definitions: Vec<Span>,
    pub tables: Vec<Table>,
    /// `INSERT`s outside of transactions: the rows that are there at the start.
    pub seed: Vec<Sql>,
    pub transactions: Vec<Transaction>,
}

/// A name and where it stands; lower case unless it was quoted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// A table of [`Program::tables`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct TableId(pub u32);

/// A column of a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ColumnId(pub u32);

/// A parameter or variable of [`Transaction::variables`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub u32);

#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    pub name: Name,
    pub columns: Vec<Column>,
    /// The columns of the primary key and of each unique constraint or index; the primary key is
    /// the first, if there is one.
    pub keys: Vec<Key>,
    pub checks: Vec<Check>,
    pub foreign_keys: Vec<ForeignKey>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Column {
    pub name: Name,
    pub ty: Type,
    pub not_null: bool,
    pub default: Option<Default_>,
    /// `varchar(10)`: a longer text is an error.
    pub length: Option<u32>,
    /// `numeric(12, 2)`: what is stored is rounded to so many digits behind the point.
    pub scale: Option<u32>,
}

/// What a column gets that an `INSERT` leaves out.
#[derive(Clone, PartialEq, Debug)]
pub enum Default_ {
    Expr(Expr),
    /// `serial`, `GENERATED ... AS IDENTITY`: the next number, which no rollback gives back.
    Sequence,
}

/// Columns that no two rows agree on.
#[derive(Clone, PartialEq, Debug)]
pub struct Key {
    pub columns: Vec<ColumnId>,
    pub primary: bool,
    /// The name that the server would give it, for messages and `ON CONFLICT ON CONSTRAINT`.
    pub name: String,
}

/// `CHECK (condition)`; its columns are those of source 0.
#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    pub name: String,
    pub condition: Expr,
}

/// `FOREIGN KEY (columns) REFERENCES parent (key)`.
#[derive(Clone, PartialEq, Debug)]
pub struct ForeignKey {
    pub name: String,
    pub columns: Vec<ColumnId>,
    pub parent: TableId,
    /// The columns of the parent, a key of it.
    pub referenced: Vec<ColumnId>,
    pub on_delete: OnDelete,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnDelete {
    /// `NO ACTION` and `RESTRICT`.
    Refuse,
    Cascade,
    SetNull,
}

/// How much a transaction is kept apart from others. `READ UNCOMMITTED` is `READ COMMITTED`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    ReadCommitted,
    RepeatableRead,
    Serializable,
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Level::ReadCommitted => "READ COMMITTED",
            Level::RepeatableRead => "REPEATABLE READ",
            Level::Serializable => "SERIALIZABLE",
        })
    }
}

/// A function, a procedure or a named section: what a client runs between `BEGIN` and `COMMIT`.
#[derive(Clone, PartialEq, Debug)]
pub struct Transaction {
    pub name: Name,
    /// Parameters first, in order.
    pub variables: Vec<Variable>,
    /// How many of the variables are parameters.
    pub parameters: usize,
    pub body: Block,
    /// The level that the file says.
    pub level: Option<Level>,
    /// A `STABLE` or `IMMUTABLE` function sees the snapshot of the statement that calls it.
    pub stable: bool,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// What a user calls it; the field of a record is `record.field`.
    pub name: String,
    pub ty: Type,
    /// Its value when the transaction starts; `NULL` without one. Parameters have none.
    pub first: Option<Expr>,
    /// `numeric(12, 2)`: what it gets is rounded to so many digits behind the point.
    pub scale: Option<u32>,
    pub span: Span,
}

/// Statements in order.
pub type Block = Vec<Statement>;

#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum StatementKind {
    Sql(Sql),
    Assign(VariableId, Expr),
    /// Conditions with their blocks, in order, and what is done if none holds.
    If(Vec<(Expr, Block)>, Block),
    /// `LOOP`, and `WHILE` with a condition.
    Loop {
        label: Option<String>,
        condition: Option<Expr>,
        body: Block,
    },
    /// `FOR variable IN [REVERSE] from..to [BY step]`.
    ForRange {
        label: Option<String>,
        variable: VariableId,
        from: Expr,
        to: Expr,
        step: Option<Expr>,
        reverse: bool,
        body: Block,
    },
    /// `FOR variables IN query`: the query runs once, before the first round.
    ForRows {
        label: Option<String>,
        sql: Sql,
        body: Block,
    },
    /// `EXIT [label] [WHEN condition]`.
    Exit {
        label: Option<String>,
        when: Option<Expr>,
    },
    Continue {
        label: Option<String>,
        when: Option<Expr>,
    },
    /// What the client gets; ends the function.
    Return(Option<Expr>),
    /// `RAISE EXCEPTION`, or a failed `ASSERT` if there is a condition: the transaction fails.
    Fail {
        unless: Option<Expr>,
        message: String,
    },
    /// `GET DIAGNOSTICS variable = ROW_COUNT`.
    RowCount(VariableId),
    /// `NULL;`, `RAISE NOTICE`.
    Nothing,
}

/// One statement for the server, and where its rows go.
#[derive(Clone, PartialEq, Debug)]
pub struct Sql {
    pub kind: SqlKind,
    pub rows: Rows,
    /// Where it stands, without `PERFORM` and `RETURN QUERY`.
    pub span: Span,
    /// The `INTO` in it, which the server must not see.
    pub into: Option<Span>,
    /// What has to be put before the text to make it a statement: `SELECT ` for `PERFORM` and for
    /// expressions, or nothing.
    pub head: &'static str,
    /// An expression of PL/pgSQL that asks the server, such as `IF EXISTS (SELECT ...)`: `FOUND`
    /// and `ROW_COUNT` stay what they are. The reader makes a statement of each such expression,
    /// so that those in [`StatementKind`] need no tables.
    pub quiet: bool,
}

/// Where the rows of a statement go.
#[derive(Clone, PartialEq, Debug)]
pub enum Rows {
    /// `PERFORM`, or a statement without rows.
    Nowhere,
    /// To the client: `SELECT` in a section, `RETURN QUERY`.
    Client,
    /// `INTO variables`: the first row, or nulls; `STRICT` fails unless there is just one. Values
    /// are cast to the types of the variables.
    Into { variables: Vec<VariableId>, strict: bool },
}

#[derive(Clone, PartialEq, Debug)]
pub enum SqlKind {
    Select(Query),
    Insert(Insert),
    Update(Update),
    Delete(Delete),
}

/// A row source in `FROM`; columns refer to it by its position.
#[derive(Clone, PartialEq, Debug)]
pub struct Source {
    pub table: TableId,
    /// The alias, or the name of the table.
    pub name: String,
    pub join: Join,
    pub span: Span,
}

/// How a source is joined with those before it.
#[derive(Clone, PartialEq, Debug)]
pub enum Join {
    /// A comma, `CROSS JOIN`, or the first.
    Cross,
    Inner(Expr),
    Left(Expr),
}

/// `SELECT`.
#[derive(Clone, PartialEq, Debug)]
pub struct Query {
    pub sources: Vec<Source>,
    pub filter: Option<Expr>,
    pub items: Vec<Item>,
    pub distinct: bool,
    pub group_by: Vec<Expr>,
    pub having: Option<Expr>,
    pub order_by: Vec<Order>,
    pub limit: Option<Expr>,
    pub offset: Option<Expr>,
    pub locks: Vec<Locking>,
}

impl Query {
    /// Whether `ORDER BY` leaves no two rows of which either could come first: there is one row, or
    /// the groups are sorted, or a key of every source.
    pub fn has_total_order(&self, program: &Program) -> bool {
        let sorted = |wanted: &ExprKind| {
            let is_column = matches!(wanted, ExprKind::Column { .. });
            is_column && self.order_by.iter().any(|by| by.expr.kind == *wanted)
        };
        if self.is_grouped() {
            return self.group_by.iter().all(|it| sorted(&it.kind));
        }
        self.sources.iter().zip(0..).all(|(source, number)| {
            let table = &program.tables[source.table.0 as usize];
            let told = |column: &ColumnId| {
                table.columns[column.0 as usize].not_null
                    && sorted(&ExprKind::Column { up: 0, source: number, column: *column })
            };
            table.keys.iter().any(|key| key.columns.iter().all(told))
        })
    }

    /// Whether rows are put together into groups.
    pub fn is_grouped(&self) -> bool {
        !self.group_by.is_empty()
            || self.having.is_some()
            || self.items.iter().any(|it| it.expr.has_aggregate())
            || self.order_by.iter().any(|it| it.expr.has_aggregate())
    }
}

/// A column of a result. `*` has been written out.
#[derive(Clone, PartialEq, Debug)]
pub struct Item {
    pub expr: Expr,
    pub name: String,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Order {
    pub expr: Expr,
    pub descending: bool,
    pub nulls_first: bool,
}

/// `FOR UPDATE [OF sources] [NOWAIT | SKIP LOCKED]`.
#[derive(Clone, PartialEq, Debug)]
pub struct Locking {
    pub strength: Strength,
    /// Positions of sources; all of them if nothing is said.
    pub of: Vec<usize>,
    pub wait: Wait,
}

/// How much of a row is locked; which conflicts with which is in the manual (13.3.2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Strength {
    KeyShare,
    Share,
    NoKeyUpdate,
    Update,
}

impl Strength {
    /// Whether a transaction has to wait for another one that holds the other lock.
    pub fn conflicts(self, other: Strength) -> bool {
        use Strength::{KeyShare, NoKeyUpdate, Share, Update};
        match self {
            KeyShare => other == Update,
            Share => matches!(other, NoKeyUpdate | Update),
            NoKeyUpdate => other != KeyShare,
            Update => true,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wait {
    Wait,
    NoWait,
    SkipLocked,
}

/// `INSERT`. In `returning`, source 0 is the table.
#[derive(Clone, PartialEq, Debug)]
pub struct Insert {
    pub table: TableId,
    pub columns: Vec<ColumnId>,
    pub rows: InsertRows,
    pub conflict: Option<OnConflict>,
    pub returning: Vec<Item>,
}

#[derive(Clone, PartialEq, Debug)]
pub enum InsertRows {
    /// `VALUES`; nothing is `DEFAULT`.
    Values(Vec<Vec<Option<Expr>>>),
    Query(Box<Query>),
}

/// `ON CONFLICT`.
#[derive(Clone, PartialEq, Debug)]
pub struct OnConflict {
    /// Which of [`Table::keys`]; any of them if nothing is said.
    pub key: Option<usize>,
    pub action: ConflictAction,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ConflictAction {
    Nothing,
    /// Source 0 is the row that is there, source 1 is `excluded`.
    Update {
        sets: Vec<(ColumnId, Expr)>,
        filter: Option<Expr>,
    },
}

/// `UPDATE`. Source 0 is the table, those of `FROM` follow.
#[derive(Clone, PartialEq, Debug)]
pub struct Update {
    pub sources: Vec<Source>,
    pub sets: Vec<(ColumnId, Expr)>,
    pub filter: Option<Expr>,
    pub returning: Vec<Item>,
}

/// `DELETE`. Source 0 is the table, those of `USING` follow.
#[derive(Clone, PartialEq, Debug)]
pub struct Delete {
    pub sources: Vec<Source>,
    pub filter: Option<Expr>,
    pub returning: Vec<Item>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    Value(Value),
    /// A column of a source of the query `up` levels further out (0: of this one).
    Column {
        up: u32,
        source: u32,
        column: ColumnId,
    },
    Variable(VariableId),
    /// Whether the last statement had a row.
    Found,
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    IsNull(Box<Expr>),
    /// `IN` a list; `BETWEEN` and `NOT IN` are written out by the reader.
    InList(Box<Expr>, Vec<Expr>),
    InQuery(Box<Expr>, Box<Query>),
    Exists(Box<Query>),
    /// A query that stands for one value.
    Scalar(Box<Query>),
    /// Conditions with values, and the value otherwise. `CASE x WHEN y` is written out.
    Case(Vec<(Expr, Expr)>, Option<Box<Expr>>),
    Call(Function, Vec<Expr>),
    Aggregate {
        function: Aggregate,
        distinct: bool,
        argument: Option<Box<Expr>>,
    },
    Cast(Box<Expr>, Type),
}

impl Expr {
    /// Whether rows are put together for it, outside of queries within it.
    pub fn has_aggregate(&self) -> bool {
        let mut found = false;
        self.walk(&mut |it| found |= matches!(it.kind, ExprKind::Aggregate { .. }));
        found
    }

    /// Shows this expression and those within it, but for those of inner queries.
    pub fn walk<'e>(&'e self, see: &mut dyn FnMut(&'e Expr)) {
        see(self);
        match &self.kind {
            ExprKind::Value(_)
            | ExprKind::Column { .. }
            | ExprKind::Variable(_)
            | ExprKind::Found
            | ExprKind::Exists(_)
            | ExprKind::Scalar(_) => {}
            ExprKind::Unary(_, it) | ExprKind::IsNull(it) | ExprKind::Cast(it, _) => it.walk(see),
            ExprKind::InQuery(it, _) => it.walk(see),
            ExprKind::Binary(_, left, right) => {
                left.walk(see);
                right.walk(see);
            }
            ExprKind::InList(it, list) => {
                it.walk(see);
                list.iter().for_each(|it| it.walk(see));
            }
            ExprKind::Case(cases, otherwise) => {
                for (condition, value) in cases {
                    condition.walk(see);
                    value.walk(see);
                }
                otherwise.iter().for_each(|it| it.walk(see));
            }
            ExprKind::Call(_, arguments) => arguments.iter().for_each(|it| it.walk(see)),
            ExprKind::Aggregate { argument, .. } => argument.iter().for_each(|it| it.walk(see)),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    Not,
    Minus,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// `IS NOT DISTINCT FROM`.
    Same,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    /// `||`.
    Concat,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Function {
    Coalesce,
    Greatest,
    Least,
    NullIf,
    Abs,
    Modulo,
    Lower,
    Upper,
    Length,
    /// `now()`, `current_timestamp`: the same in a whole transaction.
    Now,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Aggregate {
    Count,
    Sum,
    Min,
    Max,
    Avg,
}

impl Sql {
    /// Every place in the text where a variable stands (`None`: `FOUND`), in order.
    pub fn occurrences(&self) -> Vec<(Span, Option<VariableId>)> {
        let mut found = Vec::new();
        self.visit(&mut |it| match it.kind {
            ExprKind::Variable(variable) => found.push((it.span, Some(variable))),
            ExprKind::Found => found.push((it.span, None)),
            _ => {}
        });
        // What is written out, such as `BETWEEN`, stands at one place.
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The statement for the server: the text of the file without `INTO`, with what `value` gives
    /// for each variable (`None`: `FOUND`) at its place.
    pub fn filled(
        &self,
        source: &str,
        value: &mut dyn FnMut(Option<VariableId>) -> String,
    ) -> String {
        let mut text = self.head.to_owned();
        let mut at = self.span.start;
        let cuts = self.into.iter().map(|span| (*span, String::new()));
        let mut changes: Vec<(Span, String)> = self
            .occurrences()
            .into_iter()
            .map(|(span, it)| (span, apart(source, span, value(it))))
            .collect();
        changes.extend(cuts);
        changes.sort_by_key(|(span, _)| *span);
        for (span, new) in changes {
            text.push_str(&source[Span::new(at, span.start).range()]);
            text.push_str(&new);
            at = span.end;
        }
        text.push_str(&source[Span::new(at, self.span.end).range()]);
        text
    }

    /// Shows every expression, also those of inner queries.
    pub fn visit<'e>(&'e self, see: &mut dyn FnMut(&'e Expr)) {
        match &self.kind {
            SqlKind::Select(query) => query.visit(see),
            SqlKind::Insert(it) => {
                match &it.rows {
                    InsertRows::Values(rows) => {
                        rows.iter().flatten().flatten().for_each(|it| it.visit(see));
                    }
                    InsertRows::Query(query) => query.visit(see),
                }
                if let Some(OnConflict {
                    action: ConflictAction::Update { sets, filter }, ..
                }) = &it.conflict
                {
                    sets.iter().for_each(|(_, it)| it.visit(see));
                    filter.iter().for_each(|it| it.visit(see));
                }
                it.returning.iter().for_each(|it| it.expr.visit(see));
            }
            SqlKind::Update(it) => {
                it.sources.iter().for_each(|it| it.visit(see));
                it.sets.iter().for_each(|(_, it)| it.visit(see));
                it.filter.iter().for_each(|it| it.visit(see));
                it.returning.iter().for_each(|it| it.expr.visit(see));
            }
            SqlKind::Delete(it) => {
                it.sources.iter().for_each(|it| it.visit(see));
                it.filter.iter().for_each(|it| it.visit(see));
                it.returning.iter().for_each(|it| it.expr.visit(see));
            }
        }
    }
}

/// A value in place of a variable, in parentheses where it would become a part of what is beside
/// it: `x -:y` must not become a comment, and `WHERE:id` no name.
fn apart(source: &str, span: Span, value: String) -> String {
    let joins = |it: char| it.is_alphanumeric() || matches!(it, '_' | '$' | '.' | '\'');
    let before = source[..span.start as usize].chars().next_back();
    let after = source[span.end as usize..].chars().next();
    if value.starts_with(['-', '+']) || before.is_some_and(joins) || after.is_some_and(joins) {
        return format!("({value})");
    }
    value
}

impl Source {
    fn visit<'e>(&'e self, see: &mut dyn FnMut(&'e Expr)) {
        if let Join::Inner(on) | Join::Left(on) = &self.join {
            on.visit(see);
        }
    }
}

impl Query {
    /// Shows every expression, also those of inner queries.
    pub fn visit<'e>(&'e self, see: &mut dyn FnMut(&'e Expr)) {
        self.sources.iter().for_each(|it| it.visit(see));
        self.items.iter().for_each(|it| it.expr.visit(see));
        let parts = self.filter.iter().chain(&self.group_by).chain(&self.having);
        let parts = parts.chain(&self.limit).chain(&self.offset);
        parts.for_each(|it| it.visit(see));
        self.order_by.iter().for_each(|it| it.expr.visit(see));
    }
}

impl Expr {
    /// Shows this expression and those within it, also those of inner queries.
    pub fn visit<'e>(&'e self, see: &mut dyn FnMut(&'e Expr)) {
        self.walk(&mut |it| {
            see(it);
            if let ExprKind::InQuery(_, query) | ExprKind::Exists(query) | ExprKind::Scalar(query) =
                &it.kind
            {
                query.visit(see);
            }
        });
    }
}
