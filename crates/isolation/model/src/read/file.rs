//! A whole file: tables first, then the rows that are there at the start, and the transactions.

use super::lexer::{Comment, Tok, lex};
use super::names::{Frame, Language};
use super::{Reader, Res};
use crate::ast::{Block, Level, Name, Rows, SqlKind, Transaction};
use ser_base::{Diagnostic, Span};

/// A statement of the file, up to its semicolon.
pub(super) struct Piece {
    pub start: usize,
    /// The semicolon, or the end.
    pub end: usize,
    /// `-- name: transfer :exec` before it.
    pub name: Option<Section>,
    /// `-- isolation: serializable` before it; the first of two is that of the file.
    pub levels: Vec<(Level, Span)>,
}

/// `-- name: transfer :exec`.
#[derive(Clone)]
pub(super) struct Section {
    pub name: Name,
    /// `exec`, `one`, `many` ...
    pub kind: String,
    /// Where the comment stands.
    pub span: Span,
}

impl Reader<'_> {
    pub(super) fn file(&mut self) {
        let whole = Span::new(0, self.text.len() as u32);
        let lexed = lex(self.text, whole, &mut self.diagnostics);
        self.tokens = lexed.tokens;
        let mut pieces = self.pieces(&lexed.comments);
        self.level_of_file(&mut pieces);
        let before = self.diagnostics.len();
        let mut broken = false;
        let mut at = 0;
        while let Some(piece) = pieces.get(at) {
            if piece.name.is_some() {
                at = self.section_end(&pieces, at);
                continue;
            }
            self.at = piece.start;
            self.note_function();
            let first = self.span();
            let defines = self.defines(piece);
            if self.schema(piece).is_err() {
                broken = true;
            } else if defines {
                self.program.definitions.push(first.to(self.last_span()));
            }
            at += 1;
        }
        if broken && self.diagnostics.len() > before {
            // What is said about the rest would be about tables that are not there.
            return;
        }
        let mut at = 0;
        while let Some(piece) = pieces.get(at) {
            self.at = piece.start;
            let next = at + 1;
            at = match &piece.name {
                Some(section) => self.section(&pieces, at, section),
                None => {
                    _ = self.outside(piece, at.checked_sub(1).and_then(|it| pieces.get(it)));
                    next
                }
            };
        }
        if let Some(level) = self.level {
            let transactions = self.program.transactions.iter_mut();
            transactions.for_each(|it| it.level = it.level.or(Some(level)));
        }
    }

    fn pieces(&mut self, comments: &[Comment]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut comments = comments.iter().peekable();
        self.at = 0;
        while self.at < self.tokens.len() {
            let (start, end) = (self.at, self.statement_end());
            let mut piece = Piece { start, end, name: None, levels: Vec::new() };
            while let Some(comment) = comments.next_if(|it| it.before <= start) {
                self.comment(comment, &mut piece);
            }
            while let Some(comment) = comments.next_if(|it| it.before <= end) {
                self.comment_within(comment);
            }
            if start < end {
                pieces.push(piece);
            } else if let Some(section) = &piece.name {
                let message = format!("no statement follows `{}`", section.name.text);
                self.fail_with(
                    "empty-section",
                    message,
                    section.span,
                    "write one, or leave it out",
                );
            }
            self.at = end + 1;
        }
        pieces
    }

    fn comment(&mut self, comment: &Comment, piece: &mut Piece) {
        let Some((key, value)) = comment.text.split_once(':') else {
            return;
        };
        match key.trim().to_ascii_lowercase().as_str() {
            "name" => {
                let mut words = value.split_whitespace();
                let (Some(name), Some(kind)) = (words.next(), words.next()) else {
                    return;
                };
                let Some(kind) = kind.strip_prefix(':') else {
                    return;
                };
                let at = comment.span.start
                    + self.text[comment.span.range()].find(name).unwrap_or_default() as u32;
                let span = Span::new(at, at + name.len() as u32);
                let name = Name { text: name.to_owned(), span };
                let section = Section { name, kind: kind.to_owned(), span: comment.span };
                if let Some(first) = piece.name.replace(section) {
                    let message = format!("no statement follows `{}`", first.name.text);
                    self.fail_with("empty-section", message, first.span, "write one");
                }
            }
            "isolation" | "isolation level" => match level(value) {
                Some(it) => piece.levels.push((it, comment.span)),
                None => {
                    let message = format!("`{}` is no isolation level", value.trim());
                    let help = "write `read committed`, `repeatable read` or `serializable`";
                    self.fail_with("unknown-level", message, comment.span, help);
                }
            },
            _ => {}
        }
    }

    fn comment_within(&mut self, comment: &Comment) {
        let key = comment.text.split(':').next().unwrap_or_default();
        if comment.text.contains(':') && key.trim().eq_ignore_ascii_case("isolation") {
            let message = "a level within a statement has no effect";
            let it = Diagnostic::error("misplaced-level", message, comment.span);
            self.report(it.with_help("write it on a line of its own before the transaction"));
        }
    }

    /// A level before the first statement is that of the file, unless the statement is a
    /// transaction and has no other one.
    fn level_of_file(&mut self, pieces: &mut [Piece]) {
        for (at, piece) in pieces.iter_mut().enumerate() {
            self.at = piece.start;
            let function = self.begins_function();
            let transaction = function || piece.name.is_some();
            let mut own = std::mem::take(&mut piece.levels);
            let before_name = |(_, span): &(Level, Span)| match &piece.name {
                Some(section) => span.start < section.span.start,
                None => true,
            };
            let of_file = at == 0
                && match own.len() {
                    0 => false,
                    1 if transaction => piece.name.is_some() && before_name(&own[0]),
                    _ => true,
                };
            if of_file {
                self.level = Some(own.remove(0).0);
            }
            let extra = if transaction { 1 } else { 0 };
            for (_, span) in own.iter().skip(extra) {
                let message = "this level is that of no transaction";
                let help = "write it right before a transaction, or once at the top of the file";
                self.fail_with("misplaced-level", message, *span, help);
            }
            own.truncate(extra);
            piece.levels = own;
        }
    }

    fn begins_function(&self) -> bool {
        let at = if self.word_at(1, "or") { 3 } else { 1 };
        self.is_word("create") && (self.word_at(at, "function") || self.word_at(at, "procedure"))
    }

    /// Whether a server needs this statement, too. It may know neither the owner nor the extension.
    fn defines(&self, piece: &Piece) -> bool {
        let last_but = |ago: usize| piece.end.checked_sub(ago).map(|it| &self.tokens[it].kind);
        let owner = matches!(last_but(3), Some(Tok::Word(it)) if it == "owner")
            && matches!(last_but(2), Some(Tok::Word(it)) if it == "to");
        let creates =
            self.is_word("create") && !self.begins_function() && !self.word_at(1, "extension");
        creates || (self.is_word("alter") && !owner)
    }

    /// Remembers the name of a function that will be read.
    fn note_function(&mut self) {
        if self.begins_function() {
            let at = if self.word_at(1, "or") { 4 } else { 2 };
            let at = if self.symbol_at(at + 1, ".") { at + 2 } else { at };
            if let Tok::Word(name) | Tok::Quoted(name) = self.peek_at(at).clone() {
                self.functions.push(name);
            }
        }
    }

    /// Statements about tables.
    fn schema(&mut self, piece: &Piece) -> Res<()> {
        let start = self.span();
        let Tok::Word(word) = self.peek().clone() else {
            return Ok(());
        };
        match word.as_str() {
            "create" if !self.begins_function() => {
                self.at += 1;
                self.create(start)
            }
            "alter" => {
                self.at += 1;
                if self.eat_word("table") {
                    return self.alter_table();
                }
                if self.is_word("sequence") || self.is_word("function") || self.is_word("type") {
                    let owner = self.tokens[self.at..piece.end].iter().any(
                        |it| matches!(&it.kind, Tok::Word(it) if it == "owner" || it == "owned"),
                    );
                    if owner {
                        self.at = piece.end;
                        return Ok(());
                    }
                }
                let message = format!("`ALTER` of {} is not understood", self.found());
                let help = "write what is created as it is at the end";
                Err(self.fail_with("unsupported", message, start, help))
            }
            "drop" => self.drop(),
            // Who may do what, and what people say about it, changes no result.
            "comment" => self.comment_on(),
            "grant" | "revoke" => {
                self.at = piece.end;
                Ok(())
            }
            "set" => self.set(),
            _ => Ok(()),
        }
    }

    fn create(&mut self, start: Span) -> Res<()> {
        let replace = self.eat_words(&["or", "replace"]);
        if self.eat_word("unlogged") {
            self.expect_word("table")?;
            return self.create_table(start);
        }
        let Tok::Word(word) = self.peek().clone() else {
            return Err(self.expected("`TABLE`, `FUNCTION` or `INDEX`"));
        };
        self.at += 1;
        let (message, help) = match word.as_str() {
            "table" if !replace => return self.create_table(start),
            "index" => return self.create_index(false),
            "unique" => {
                self.expect_word("index")?;
                return self.create_index(true);
            }
            "type" => return self.create_type(),
            "sequence" => {
                self.eat_words(&["if", "not", "exists"]);
                let name = self.object("the name of a sequence")?;
                self.sequence_options()?;
                self.expect_done()?;
                self.sequences.push(name.text);
                return Ok(());
            }
            "extension" => {
                self.eat_words(&["if", "not", "exists"]);
                self.any_name("the name of an extension")?;
                if self.eat_words(&["with", "schema"]) || self.eat_word("schema") {
                    self.any_name("the name of a schema")?;
                }
                return self.expect_done();
            }
            "view" | "materialized" | "recursive" => {
                ("views are not understood", "write the query of the view where it is used")
            }
            "trigger" | "constraint" | "event" => (
                "triggers are not understood",
                "do what the trigger does in the transactions themselves",
            ),
            "rule" | "policy" => ("rules and policies are not understood", "leave them out"),
            "temp" | "temporary" | "global" | "local" => (
                "temporary tables are not understood",
                "use variables, or a table with a column that says whose rows they are",
            ),
            "schema" => ("there is only the schema `public`", "leave this out"),
            "domain" => ("domains are not understood", "use the type with a `CHECK`"),
            "database" | "role" | "user" | "server" | "publication" => {
                ("only tables and transactions are read here", "leave this out")
            }
            _ => {
                self.at -= 1;
                return Err(self.expected("`TABLE`, `FUNCTION`, `INDEX` or `TYPE`"));
            }
        };
        Err(self.fail_with("unsupported", message, start.to(self.last_span()), help))
    }

    /// `COMMENT ON COLUMN account.balance IS 'text'`.
    fn comment_on(&mut self) -> Res<()> {
        self.at += 1;
        self.expect_word("on")?;
        self.any_name("what the comment is about")?;
        self.dotted()?;
        if self.eat_word("on") {
            self.dotted()?;
        }
        self.expect_word("is")?;
        if !matches!(self.peek(), Tok::Text(_)) && !self.is_word("null") {
            return Err(self.expected("a text"));
        }
        self.at += 1;
        self.expect_done()
    }

    /// `public.account.balance`, or a function with the types of its parameters. The last name.
    fn dotted(&mut self) -> Res<String> {
        let mut name = self.any_name("a name")?.text;
        while self.eat_symbol(".") {
            name = self.any_name("a name")?.text;
        }
        if self.eat_symbol("(") {
            while !self.eat_symbol(")") {
                if !matches!(self.peek(), Tok::Word(_) | Tok::Quoted(_) | Tok::Symbol("," | ".")) {
                    return Err(self.expected("`)`"));
                }
                self.at += 1;
            }
        }
        Ok(name)
    }

    /// `DROP TABLE IF EXISTS account` before it is created.
    fn drop(&mut self) -> Res<()> {
        let start = self.span();
        self.at += 1;
        let kind = self.any_name("what is dropped")?;
        let mut fine = self.eat_words(&["if", "exists"]);
        loop {
            let name = self.dotted()?;
            fine &= !self.program.tables.iter().any(|it| it.name.text == name)
                && !self.enums.iter().any(|it| it.name == name);
            if !self.eat_symbol(",") {
                break;
            }
        }
        if self.eat_word("on") {
            self.dotted()?;
        }
        if !self.eat_word("cascade") {
            self.eat_word("restrict");
        }
        self.expect_done()?;
        if fine {
            return Ok(());
        }
        let message = format!("dropping a {} is not understood here", kind.text);
        let help = "only `DROP ... IF EXISTS` before something is created has no effect";
        Err(self.fail_with("unsupported", message, start, help))
    }

    /// Settings.
    fn set(&mut self) -> Res<()> {
        let start = self.span();
        self.at += 1;
        if self.eat_words(&["session", "characteristics", "as", "transaction"]) {
            let level = self.isolation_level()?;
            self.level = Some(level);
            return self.expect_done();
        }
        self.eat_word("session");
        let name = self.any_name("the name of a setting")?;
        match name.text.as_str() {
            "default_transaction_isolation" => {
                if !self.eat_symbol("=") {
                    self.expect_word("to")?;
                }
                let level = match self.peek().clone() {
                    Tok::Text(text) => level(&text),
                    Tok::Word(word) => level(&word),
                    _ => None,
                };
                let Some(level) = level else {
                    let help = "write `'read committed'`, `'repeatable read'` or `'serializable'`";
                    let message = format!("{} is no isolation level", self.found());
                    return Err(self.fail_with("unknown-level", message, self.span(), help));
                };
                self.at += 1;
                self.level = Some(level);
                self.expect_done()
            }
            "client_encoding"
            | "client_min_messages"
            | "standard_conforming_strings"
            | "search_path"
            | "xmloption"
            | "row_security"
            | "default_tablespace"
            | "default_table_access_method"
            | "check_function_bodies"
            | "statement_timeout"
            | "lock_timeout"
            | "idle_in_transaction_session_timeout"
            | "timezone"
            | "transaction_timeout" => {
                if !self.eat_symbol("=") {
                    self.expect_word("to")?;
                }
                if name.text == "lock_timeout" && self.text[self.span().range()] != *"0" {
                    let message = "a limit for waiting is not understood";
                    let span = start.to(name.span);
                    return Err(self.fail_with("unsupported", message, span, "leave it out"));
                }
                loop {
                    self.eat_symbol("-");
                    match self.peek() {
                        Tok::Text(_) | Tok::Number | Tok::Word(_) | Tok::Quoted(_) => self.at += 1,
                        _ => return Err(self.expected("the value of a setting")),
                    }
                    if !self.eat_symbol(",") {
                        break;
                    }
                }
                self.expect_done()
            }
            _ => {
                let message = format!("the setting `{}` is not understood", name.text);
                let span = start.to(name.span);
                Err(self.fail_with("unsupported", message, span, "leave it out"))
            }
        }
    }

    /// `ISOLATION LEVEL REPEATABLE READ`.
    pub(super) fn isolation_level(&mut self) -> Res<Level> {
        self.expect_word("isolation")?;
        self.expect_word("level")?;
        let found = [
            (&["serializable"][..], Level::Serializable),
            (&["repeatable", "read"], Level::RepeatableRead),
            (&["read", "committed"], Level::ReadCommitted),
            (&["read", "uncommitted"], Level::ReadCommitted),
        ];
        for (words, level) in found {
            if self.eat_words(words) {
                return Ok(level);
            }
        }
        Err(self.expected("`READ COMMITTED`, `REPEATABLE READ` or `SERIALIZABLE`"))
    }

    /// What is neither about tables nor a section.
    fn outside(&mut self, piece: &Piece, before: Option<&Piece>) -> Res<()> {
        let start = self.span();
        let Tok::Word(word) = self.peek().clone() else {
            return Err(self.expected("a statement"));
        };
        match word.as_str() {
            "create" if self.begins_function() => {
                let level = piece.levels.first().map(|(it, _)| *it);
                self.function(piece, level)
            }
            "create" | "alter" | "drop" | "comment" | "grant" | "revoke" | "set" => Ok(()),
            "insert" => {
                if let Some(section) = before.and_then(|it| it.name.as_ref()) {
                    let name = &section.name.text;
                    let message = format!("is this a part of `{name}`, or a row at the start?");
                    let help = "write `BEGIN;` and `COMMIT;` around the statements of a section, \
                                and rows at the start before all sections";
                    return Err(self.fail_with("unclear-statement", message, start, help));
                }
                self.frame = Frame::default();
                let asked = self.ask()?;
                let span = self.since(start);
                self.expect_done()?;
                if let SqlKind::Insert(it) = &asked.kind
                    && !it.returning.is_empty()
                {
                    self.fail_with(
                        "unsupported",
                        "nobody sees what this returns",
                        span,
                        "leave `RETURNING` out",
                    );
                }
                self.program.seed.push(asked.sql(Rows::Nowhere, span));
                Ok(())
            }
            // Scripts put these around what creates tables.
            "begin" | "start" | "commit" | "end" if self.at + 2 >= piece.end => Ok(()),
            "select" if self.is_word_of_dump() => self.call_of_dump(),
            "select" | "update" | "delete" | "begin" | "start" | "commit" | "end" => {
                self.no_transaction(start);
                Err(super::Stop)
            }
            _ => Err(self.no_statement(&word)),
        }
    }

    /// `SELECT pg_catalog.set_config(`, which `pg_dump` writes.
    fn is_word_of_dump(&self) -> bool {
        self.word_at(1, "pg_catalog")
    }

    fn call_of_dump(&mut self) -> Res<()> {
        let start = self.span();
        self.at += 3;
        let function = self.any_name("a function")?;
        if function.text == "setval" {
            let message = "where a sequence goes on is not understood";
            let help = "leave the rows out: `pg_dump --schema-only`";
            return Err(self.fail_with("unsupported", message, start, help));
        }
        self.expect_symbol("(")?;
        let is_path = matches!(self.peek(), Tok::Text(it) if it == "search_path");
        if function.text != "set_config" || !is_path {
            self.no_transaction(start);
            return Err(super::Stop);
        }
        self.at += 1;
        self.expect_symbol(",")?;
        if !matches!(self.peek(), Tok::Text(_)) {
            return Err(self.expected("a text"));
        }
        self.at += 1;
        self.expect_symbol(",")?;
        if !self.eat_word("false") {
            self.expect_word("true")?;
        }
        self.expect_symbol(")")?;
        self.expect_done()
    }

    fn no_transaction(&mut self, start: Span) {
        let message = "this statement belongs to no transaction";
        let help = "name it: write `-- name: transfer :exec` on the line before; a transaction of \
                    several statements has `BEGIN;` before and `COMMIT;` after them";
        self.report(Diagnostic::error("no-transaction", message, start).with_help(help));
    }

    /// Adds a transaction that has been read.
    pub(super) fn add_transaction(
        &mut self,
        name: Name,
        body: Block,
        level: Option<Level>,
        span: Span,
    ) {
        let frame = std::mem::take(&mut self.frame);
        let known = self.program.transactions.iter().find(|it| it.name.text == name.text);
        if let Some(known) = known {
            let first = known.name.span;
            let message = format!("two transactions are called `{}`", name.text);
            let it = Diagnostic::error("same-name", message, name.span)
                .with_secondary(first, "the first one")
                .with_help("give one of them another name");
            self.report(it);
        }
        let section = frame.language == Language::Section;
        let parameters = if section { frame.variables.len() } else { frame.parameters };
        self.program.transactions.push(Transaction {
            name,
            variables: frame.variables,
            parameters,
            body,
            level,
            stable: frame.stable,
            span,
        });
    }
}

/// `repeatable read`, however its words are put together.
fn level(text: &str) -> Option<Level> {
    let text = text.trim().trim_end_matches('.').to_ascii_lowercase().replace(['-', '_'], " ");
    Some(match text.split_whitespace().collect::<Vec<_>>()[..] {
        ["serializable"] => Level::Serializable,
        ["repeatable", "read"] => Level::RepeatableRead,
        ["read", "committed" | "uncommitted"] => Level::ReadCommitted,
        _ => return None,
    })
}
