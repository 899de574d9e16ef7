//! Named sections, as sqlc has them: one statement, or several between `BEGIN` and `COMMIT`.

use super::file::{Piece, Section};
use super::names::{Frame, Language};
use super::types::Ty;
use super::{Reader, Res};
use crate::ast::{Block, Level, Rows, Statement, StatementKind};
use ser_base::{Diagnostic, Span};

impl Reader<'_> {
    /// Reads a section; says which piece comes after it.
    pub(super) fn section(&mut self, pieces: &[Piece], at: usize, section: &Section) -> usize {
        self.frame = Frame {
            language: Language::Section,
            name: section.name.text.clone(),
            ..Frame::default()
        };
        let next = self.section_end(pieces, at);
        let several =
            self.piece_begins(&pieces[at], "begin") || self.piece_begins(&pieces[at], "start");
        let pieces = &pieces[at..next];
        let start = self.span();
        let mut level = pieces[0].levels.first().map(|(it, _)| *it);
        let body =
            if several { self.several(pieces, section, &mut level) } else { self.single(section) };
        let end = pieces.last().map_or(start, |it| self.tokens[it.end].span);
        if let Ok(body) = body {
            let untyped = self.frame.types.iter().position(|it| *it == Ty::Unknown);
            let errors = self.diagnostics.iter().any(Diagnostic::is_error);
            if let Some(at) = untyped.filter(|_| !errors) {
                self.untyped(at, section);
            }
            let span = section.span.to(end);
            self.add_transaction(section.name.clone(), body, level, span);
        }
        next
    }

    /// Which piece comes after the section that begins here: all up to `COMMIT` belong to it, if it
    /// begins with `BEGIN`.
    pub(super) fn section_end(&self, pieces: &[Piece], at: usize) -> usize {
        let mut next = at + 1;
        let several = ["begin", "start"].iter().any(|it| self.piece_begins(&pieces[at], it));
        let belongs = |it: &Piece| it.name.is_none() && !self.piece_begins(it, "create");
        while several && pieces.get(next).is_some_and(belongs) {
            next += 1;
            if self.ends_transaction(&pieces[next - 1]) {
                break;
            }
        }
        next
    }

    fn piece_begins(&self, piece: &Piece, word: &str) -> bool {
        let it = self.tokens.get(piece.start).map(|it| &it.kind);
        matches!(it, Some(super::lexer::Tok::Word(it)) if it == word)
    }

    fn ends_transaction(&self, piece: &Piece) -> bool {
        ["commit", "end", "rollback", "abort"].iter().any(|it| self.piece_begins(piece, it))
    }

    /// A parameter that meets nothing that has a type.
    fn untyped(&mut self, at: usize, section: &Section) {
        let it = &self.frame.variables[at];
        let (name, span) = (it.name.clone(), it.span);
        let diagnostic = if span == Span::default() {
            let message = format!("the parameter `{name}` is never used");
            Diagnostic::error("unused-parameter", message, section.name.span)
                .with_help("number parameters from `$1` on, without gaps")
        } else {
            let message = format!("the type of `{name}` is not known");
            let help = format!("write it, as in `{}::bigint`", &self.text[span.range()]);
            Diagnostic::error("unknown-type", message, span).with_help(help)
        };
        self.report(diagnostic);
    }

    /// Who gets the rows, by what is behind the name.
    fn rows_of(&mut self, section: &Section) -> Option<Rows> {
        match section.kind.as_str() {
            "one" | "many" => Some(Rows::Client),
            "exec" | "execrows" | "execresult" => Some(Rows::Nowhere),
            kind => {
                let message = format!("`:{kind}` is not understood");
                let help = "write `:exec` if nothing is returned, `:one` for a row, or `:many`";
                self.fail_with("unknown-kind", message, section.span, help);
                None
            }
        }
    }

    fn single(&mut self, section: &Section) -> Res<Block> {
        let rows = self.rows_of(section).unwrap_or(Rows::Nowhere);
        let start = self.span();
        let asked = self.ask()?;
        let span = self.since(start);
        self.expect_done()?;
        if rows == Rows::Client && asked.types.is_none() {
            let message = format!("`:{}` needs rows, but this returns none", section.kind);
            let help = "write `:exec`, or `RETURNING` and what is wanted";
            self.fail_with("no-rows", message, section.span, help);
        }
        let rows = if asked.types.is_none() { Rows::Nowhere } else { rows };
        Ok(vec![Statement { kind: StatementKind::Sql(asked.sql(rows, span)), span }])
    }

    /// Between `BEGIN` and `COMMIT`, the client gets all rows.
    fn several(
        &mut self,
        pieces: &[Piece],
        section: &Section,
        level: &mut Option<Level>,
    ) -> Res<Block> {
        self.rows_of(section);
        let mut body = Vec::new();
        let mut closed = false;
        for (at, piece) in pieces.iter().enumerate() {
            self.at = piece.start;
            let start = self.span();
            if at == 0 {
                self.begin(level)?;
            } else if self.eat_word("commit") || self.eat_word("end") {
                if !self.eat_word("work") {
                    self.eat_word("transaction");
                }
                closed = true;
            } else if self.is_word("set") {
                self.at += 1;
                let local = self.eat_word("local");
                if local || !self.eat_word("transaction") {
                    let message = "settings within a transaction are not understood";
                    return Err(self.fail_with("unsupported", message, start, "leave this out"));
                }
                if at > 1 {
                    let message = "the level must be set before the first statement";
                    let help = "write it right after `BEGIN`";
                    self.fail_with("misplaced-level", message, start, help);
                }
                self.modes(level)?;
            } else {
                let asked = self.ask()?;
                let span = self.since(start);
                let rows = if asked.types.is_some() { Rows::Client } else { Rows::Nowhere };
                body.push(Statement { kind: StatementKind::Sql(asked.sql(rows, span)), span });
            }
            self.expect_done()?;
        }
        if !closed {
            let message = format!("`{}` has a `BEGIN`, but no `COMMIT`", section.name.text);
            let help = "write `COMMIT;` after its last statement";
            self.fail_with("no-commit", message, section.name.span, help);
        }
        Ok(body)
    }

    /// `BEGIN ISOLATION LEVEL SERIALIZABLE`.
    fn begin(&mut self, level: &mut Option<Level>) -> Res<()> {
        if self.eat_word("start") {
            self.expect_word("transaction")?;
        } else {
            self.expect_word("begin")?;
            if !self.eat_word("work") {
                self.eat_word("transaction");
            }
        }
        if self.is_end() || self.is_symbol(";") {
            return Ok(());
        }
        self.modes(level)
    }

    fn modes(&mut self, level: &mut Option<Level>) -> Res<()> {
        loop {
            let start = self.span();
            if self.is_word("isolation") {
                let found = self.isolation_level()?;
                if level.is_some_and(|it| it != found) {
                    let message = "the comment before this says another level";
                    let span = self.since(start);
                    self.fail_with("two-levels", message, span, "leave one of them out");
                }
                *level = Some(found);
            } else if !self.eat_words(&["read", "write"]) {
                if self.is_word("read") || self.is_word("deferrable") || self.is_word("not") {
                    let message = format!("{} is not understood here", self.found());
                    let help = "leave it out: a transaction that only reads is known by itself";
                    return Err(self.fail_with("unsupported", message, start, help));
                }
                return Err(self.expected("`ISOLATION LEVEL`"));
            }
            if !self.eat_symbol(",") && !self.is_word("isolation") && !self.is_word("read") {
                return Ok(());
            }
        }
    }
}
