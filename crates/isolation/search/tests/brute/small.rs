//! Random sets of small programs on two tables.

use ser_isolation_model::ast::{ColumnId, Level, Strength, TableId, VariableId};
use ser_isolation_model::operations::{Facts, Kind, Operation, Operations, Origin, Template, Term};

/// What a statement does with the row that has a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    Read,
    Lock(Strength),
    /// Sets a column to what it was and more.
    Add,
    /// Sets a column.
    Set,
    Insert,
    Delete,
}

impl Act {
    /// Whether it may have to wait between its snapshot and its lock.
    pub fn waits(self) -> bool {
        !matches!(self, Act::Read | Act::Insert)
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Statement {
    pub act: Act,
    pub table: u32,
    pub term: u32,
    pub column: u32,
}

#[derive(Clone, Debug)]
pub struct Program {
    pub terms: u32,
    pub statements: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub struct Small {
    pub programs: Vec<Program>,
}

/// A transaction of a program with values.
#[derive(Clone, Debug)]
pub struct Instance {
    pub program: usize,
    pub values: Vec<u32>,
    pub level: Level,
}

impl Small {
    pub fn random(random: &mut fastrand::Rng) -> Small {
        let moves = random.u8(..10) < 3;
        let wide = random.u8(..10) < 2;
        let programs = random.usize(1..=2);
        let program = |random: &mut fastrand::Rng| {
            let terms = random.u32(1..=2);
            let length = if random.u8(..5) == 0 { 3 } else { random.usize(1..=2) };
            let statement = |random: &mut fastrand::Rng| Statement {
                act: match random.u8(..if moves { 14 } else { 10 }) {
                    0..=4 => Act::Read,
                    5 => Act::Lock(if random.bool() { Strength::Update } else { Strength::Share }),
                    6..=7 => Act::Add,
                    8..=9 => Act::Set,
                    10..=11 => Act::Insert,
                    _ => Act::Delete,
                },
                table: random.u32(..2),
                term: random.u32(..terms),
                column: if wide { random.u32(1..=2) } else { 1 },
            };
            let statements = (0..length).map(|_| statement(random)).collect();
            Program { terms, statements }
        };
        Small { programs: (0..programs).map(|_| program(random)).collect() }
    }

    fn has(&self, table: u32, act: Act) -> bool {
        let all = self.programs.iter().flat_map(|it| &it.statements);
        all.clone().any(|it| it.table == table && it.act == act)
    }

    /// Whether rows come or go.
    pub fn moves(&self) -> bool {
        (0..2).any(|it| self.has(it, Act::Insert) || self.has(it, Act::Delete))
    }

    /// Whether conflicts are those of rows: otherwise, rows may be locked without a conflict, or
    /// be there at some times only.
    pub fn is_exact(&self) -> bool {
        let columns = |table| {
            let all = self.programs.iter().flat_map(|it| &it.statements);
            let mut columns: Vec<u32> =
                all.filter(|it| it.table == table).map(|it| it.column).collect();
            columns.sort_unstable();
            columns.dedup();
            columns.len()
        };
        !self.moves() && (0..2).all(|it| columns(it) <= 1)
    }

    /// The rows that a transaction looks for.
    pub fn rows(&self, instance: &Instance) -> Vec<(u32, u32)> {
        let statements = &self.programs[instance.program].statements;
        statements.iter().map(|it| (it.table, instance.values[it.term as usize])).collect()
    }

    pub fn operations(&self) -> Operations {
        let key = ColumnId(0);
        let facts = |table: u32| Facts {
            stable: vec![true, false, false],
            grows: self.has(table, Act::Insert),
            shrinks: self.has(table, Act::Delete),
            keys: vec![vec![key]],
            moving_keys: false,
        };
        let tables: Vec<Facts> = (0..2).map(facts).collect();
        let mut templates = Vec::new();
        for (transaction, program) in self.programs.iter().enumerate() {
            let mut operations = Vec::new();
            for (number, it) in (1..).zip(&program.statements) {
                let column = vec![ColumnId(it.column)];
                let kind = match it.act {
                    Act::Read => Kind::Read { columns: column, lock: None },
                    Act::Lock(lock) => Kind::Read { columns: column, lock: Some(lock) },
                    Act::Add => Kind::Update {
                        reads: column.clone(),
                        writes: column,
                        lock: Strength::NoKeyUpdate,
                    },
                    Act::Set => Kind::Update {
                        reads: Vec::new(),
                        writes: column,
                        lock: Strength::NoKeyUpdate,
                    },
                    Act::Insert => Kind::Insert,
                    Act::Delete => Kind::Delete,
                };
                let new = |kind: Kind| Operation {
                    span: ser_base::Span::new(0, 0),
                    statement: number,
                    table: TableId(it.table),
                    row: vec![(key, Term::Free(it.term))],
                    found: kind == Kind::Insert,
                    fresh: kind == Kind::Insert,
                    kind,
                    certain: true,
                    shielded: false,
                    guards: Vec::new(),
                };
                if it.act != Act::Insert && !tables[it.table as usize].is_fixed() {
                    operations.push(new(Kind::Gap));
                }
                operations.push(new(kind));
            }
            let origins = (0..program.terms)
                .map(|it| Origin { variable: VariableId(it), assigned: None })
                .collect();
            templates.push(Template { transaction, operations, origins });
        }
        Operations { tables, templates, outside: Vec::new() }
    }
}
