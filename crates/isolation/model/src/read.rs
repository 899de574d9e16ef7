//! Reads PostgreSQL's SQL and PL/pgSQL.
//!
//! Every word is either understood or an error with its place: nothing is skipped. Names become ids
//! while the text is read, and the types of what is compared and stored are checked, because the
//! server does the same before anything runs. `SELECT` says what it wants before it says from
//! where, so its `FROM` is read first.
//!
//! What the tree says is simpler than the text: `*`, `BETWEEN`, `CASE x WHEN` and the fields of
//! records are written out, and a condition of PL/pgSQL that asks the server is a statement of its
//! own ([`Sql::quiet`](crate::ast::Sql::quiet)).

mod body;
mod change;
mod cursor;
mod expr;
mod file;
mod function;
mod lexer;
mod names;
mod query;
mod section;
mod statement;
mod table;
#[cfg(test)]
mod tests;
mod types;
mod unknown;

use crate::ast::{Level, Program};
use lexer::Token;
use names::{Frame, Scope};
use ser_base::{Diagnostic, Span};
use types::{Enum, Ty};

/// What a text says, and what is wrong with it. With an error, the program is not all of it.
#[derive(Clone, Debug, Default)]
pub struct Read {
    pub program: Program,
    pub diagnostics: Vec<Diagnostic>,
}

impl Read {
    /// Whether the program is what the text says.
    pub fn is_complete(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Reads a file of SQL.
///
/// ```
/// let read = ser_isolation_model::read::read(
///     "CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL);
///      -- name: increment :exec
///      UPDATE counter SET n = n + 1 WHERE id = $1;",
/// );
/// assert!(read.is_complete());
/// assert_eq!(read.program.transactions[0].name.text, "increment");
/// ```
pub fn read(text: &str) -> Read {
    if u32::try_from(text.len()).is_err() {
        let it = Diagnostic::error("too-long", "this file is too long", Span::default());
        return Read { program: Program::default(), diagnostics: vec![it] };
    }
    let mut reader = Reader {
        text,
        tokens: Vec::new(),
        at: 0,
        program: Program::default(),
        details: Vec::new(),
        enums: Vec::new(),
        sequences: Vec::new(),
        functions: Vec::new(),
        level: None,
        diagnostics: Vec::new(),
        frame: Frame::default(),
        scopes: Vec::new(),
        nesting: 0,
        within: 0,
        parts: 0,
        asks: false,
    };
    reader.file();
    let Reader { program, mut diagnostics, .. } = reader;
    diagnostics.sort_by_key(|it| it.primary.span.start);
    diagnostics.dedup();
    Read { program, diagnostics }
}

/// A statement cannot be read further; it has been said why.
#[derive(Clone, Copy, Debug)]
struct Stop;

type Res<T> = Result<T, Stop>;

/// What is known of a table, and the tree does not say.
struct Details {
    types: Vec<Ty>,
    /// `GENERATED ALWAYS`: an `INSERT` must not say a value.
    always: Vec<bool>,
}

struct Reader<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// Which token comes next.
    at: usize,
    program: Program,
    /// As long as the tables of the program.
    details: Vec<Details>,
    enums: Vec<Enum>,
    sequences: Vec<String>,
    /// The functions of the file: one cannot call another.
    functions: Vec<String>,
    /// The level of transactions that say none.
    level: Option<Level>,
    diagnostics: Vec<Diagnostic>,
    /// The transaction that is being read.
    frame: Frame,
    /// The queries that are being read, from the outside.
    scopes: Vec<Scope>,
    /// How deep expressions, queries and statements are within each other.
    nesting: u32,
    /// How many expressions are within each other.
    within: u32,
    /// How many parts the outermost of them has so far.
    parts: u32,
    /// Whether the expression has a query in it.
    asks: bool,
}

/// Deeper, or longer, texts are not written by anyone; later passes go through trees recursively.
const DEEPEST: u32 = 48;
const MOST_PARTS: u32 = 1500;

impl Reader<'_> {
    /// Goes one level deeper.
    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.nesting == DEEPEST {
            let message =
                format!("more than {DEEPEST} levels within each other are not understood");
            return Err(self.fail_with("too-deep", message, self.span(), "write it flatter"));
        }
        self.nesting += 1;
        let result = inner(self);
        self.nesting -= 1;
        result
    }
}
