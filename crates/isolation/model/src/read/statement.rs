//! One statement for the server, in whatever it stands.

use super::lexer::Tok;
use super::types::Ty;
use super::{Reader, Res};
use crate::ast::{Rows, Sql, SqlKind};
use ser_base::Span;

/// A statement, and the types of what it gives (`None`: it gives nothing).
pub(super) struct Asked {
    pub kind: SqlKind,
    pub types: Option<Vec<Ty>>,
}

impl Asked {
    pub(super) fn names(&self) -> Vec<String> {
        let items = match &self.kind {
            SqlKind::Select(it) => &it.items,
            SqlKind::Insert(it) => &it.returning,
            SqlKind::Update(it) => &it.returning,
            SqlKind::Delete(it) => &it.returning,
        };
        items.iter().map(|it| it.name.clone()).collect()
    }

    pub(super) fn sql(self, rows: Rows, span: Span) -> Sql {
        Sql { kind: self.kind, rows, span, into: None, head: "", quiet: false }
    }
}

impl Reader<'_> {
    /// `SELECT`, `INSERT`, `UPDATE` or `DELETE`.
    pub(super) fn ask(&mut self) -> Res<Asked> {
        let start = self.span();
        let Tok::Word(word) = self.peek().clone() else {
            return Err(self.expected("a statement"));
        };
        let given = |types: Vec<Ty>| if types.is_empty() { None } else { Some(types) };
        let asked = match word.as_str() {
            "select" => {
                let (query, types) = self.query()?;
                Asked { kind: SqlKind::Select(query), types: Some(types) }
            }
            "insert" => {
                let (it, types) = self.insert()?;
                Asked { kind: SqlKind::Insert(it), types: given(types) }
            }
            "update" => {
                let (it, types) = self.update()?;
                Asked { kind: SqlKind::Update(it), types: given(types) }
            }
            "delete" => {
                let (it, types) = self.delete()?;
                Asked { kind: SqlKind::Delete(it), types: given(types) }
            }
            _ => return Err(self.no_statement(&word)),
        };
        let locks = matches!(&asked.kind, SqlKind::Select(it) if !it.locks.is_empty());
        let writes = !matches!(asked.kind, SqlKind::Select(_));
        if self.frame.stable && (locks || writes) {
            let what = if writes { "write" } else { "lock rows" };
            let message = format!("a function that is `STABLE` cannot {what}");
            self.fail_with(
                "stable-writes",
                message,
                start,
                "declare it `VOLATILE`, or say nothing",
            );
        }
        Ok(asked)
    }

    /// A statement begins with a word that begins none.
    pub(super) fn no_statement(&mut self, word: &str) -> super::Stop {
        let span = self.span();
        if let Some((message, help)) = super::unknown::statement(word) {
            return self.fail_with("unsupported", message, span, help);
        }
        let message = format!("{} begins no statement that is understood", self.found());
        let known = [
            "select", "insert", "update", "delete", "if", "loop", "while", "for", "return",
            "raise", "perform", "exit", "continue", "begin", "end", "commit", "create", "declare",
        ];
        let guess = ser_base::closest_name(word, known.into_iter());
        let help = guess.map(|it| format!("did you mean `{}`?", it.to_ascii_uppercase()));
        match help {
            Some(help) => self.fail_with("syntax", message, span, help),
            None => self.fail("syntax", message, span),
        }
    }
}
