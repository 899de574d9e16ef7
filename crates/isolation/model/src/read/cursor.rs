//! Where the reader is, and what it says when something else stands there.

use super::lexer::{Tok, Token};
use super::{Reader, Res, Stop};
use crate::ast::Name;
use ser_base::{Diagnostic, Span};

/// Names that must be quoted: `FROM account WHERE` has no table that is called `where`.
const RESERVED: &[&str] = &[
    "all",
    "analyse",
    "analyze",
    "and",
    "any",
    "array",
    "as",
    "asc",
    "asymmetric",
    "both",
    "case",
    "cast",
    "check",
    "collate",
    "column",
    "constraint",
    "create",
    "cross",
    "current_date",
    "current_time",
    "current_timestamp",
    "current_user",
    "default",
    "deferrable",
    "desc",
    "distinct",
    "do",
    "else",
    "end",
    "except",
    "false",
    "fetch",
    "for",
    "foreign",
    "from",
    "full",
    "grant",
    "group",
    "having",
    "in",
    "initially",
    "inner",
    "intersect",
    "into",
    "is",
    "isnull",
    "join",
    "lateral",
    "leading",
    "left",
    "like",
    "limit",
    "localtime",
    "localtimestamp",
    "natural",
    "not",
    "notnull",
    "null",
    "offset",
    "on",
    "only",
    "or",
    "order",
    "outer",
    "primary",
    "references",
    "returning",
    "right",
    "select",
    "some",
    "symmetric",
    "table",
    "then",
    "to",
    "trailing",
    "true",
    "union",
    "unique",
    "user",
];
const RESERVED_TOO: &[&str] = &[
    "using", "variadic", "when", "where", "window", "with", "loop", "overlaps", "similar", "ilike",
];

pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word) || RESERVED_TOO.contains(&word)
}

impl Reader<'_> {
    pub(super) fn peek(&self) -> &Tok {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> &Tok {
        self.tokens.get(self.at + ahead).map_or(&Tok::End, |it| &it.kind)
    }

    /// Where the next word stands.
    pub(super) fn span(&self) -> Span {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(Span::default(), |it| it.span)
    }

    /// Where the word before stands.
    pub(super) fn last_span(&self) -> Span {
        let last = self.at.checked_sub(1).and_then(|it| self.tokens.get(it));
        last.map_or_else(|| self.span(), |it| it.span)
    }

    /// From a place to the word before this one.
    pub(super) fn since(&self, start: Span) -> Span {
        let end = self.last_span().end;
        Span::new(start.start, end.max(start.start))
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.word_at(0, word)
    }

    pub(super) fn word_at(&self, ahead: usize, word: &str) -> bool {
        matches!(self.peek_at(ahead), Tok::Word(it) if it == word)
    }

    pub(super) fn is_symbol(&self, symbol: &str) -> bool {
        self.symbol_at(0, symbol)
    }

    pub(super) fn symbol_at(&self, ahead: usize, symbol: &str) -> bool {
        matches!(self.peek_at(ahead), Tok::Symbol(it) if *it == symbol)
    }

    pub(super) fn is_end(&self) -> bool {
        matches!(self.peek(), Tok::End)
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    /// All of the words, or none of them.
    pub(super) fn eat_words(&mut self, words: &[&str]) -> bool {
        let found = words.iter().enumerate().all(|(ahead, word)| self.word_at(ahead, word));
        if found {
            self.at += words.len();
        }
        found
    }

    pub(super) fn eat_symbol(&mut self, symbol: &str) -> bool {
        let found = self.is_symbol(symbol);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Res<()> {
        if self.eat_word(word) {
            return Ok(());
        }
        Err(self.expected(&format!("`{}`", word.to_ascii_uppercase())))
    }

    pub(super) fn expect_symbol(&mut self, symbol: &str) -> Res<()> {
        if self.eat_symbol(symbol) {
            return Ok(());
        }
        Err(self.expected(&format!("`{symbol}`")))
    }

    /// A name that is not a keyword.
    pub(super) fn name(&mut self, what: &str) -> Res<Name> {
        let span = self.span();
        match self.peek().clone() {
            Tok::Word(word) if is_reserved(&word) => {
                // A keyword of the statement that goes on is simply in the wrong place.
                let message = format!("expected {what}, but found the keyword `{word}`");
                let help = format!("a name like this must be quoted: `\"{word}\"`");
                Err(self.fail_with("syntax", message, span, help))
            }
            Tok::Word(text) | Tok::Quoted(text) => {
                self.at += 1;
                Ok(Name { text, span })
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A name that may be one of the keywords, as after `AS`.
    pub(super) fn any_name(&mut self, what: &str) -> Res<Name> {
        let span = self.span();
        match self.peek().clone() {
            Tok::Word(text) | Tok::Quoted(text) => {
                self.at += 1;
                Ok(Name { text, span })
            }
            _ => Err(self.expected(what)),
        }
    }

    /// A name, perhaps with `public.` before it.
    pub(super) fn object(&mut self, what: &str) -> Res<Name> {
        let name = self.name(what)?;
        if !self.is_symbol(".") {
            return Ok(name);
        }
        if name.text != "public" {
            return Err(self.fail_with(
                "unsupported-schema",
                format!("`{}` is a schema, and there is only one: `public`", name.text),
                name.span,
                "leave the schema out",
            ));
        }
        self.at += 1;
        let inner = self.name(what)?;
        Ok(Name { span: name.span.to(inner.span), ..inner })
    }

    /// What the next word is, for messages.
    pub(super) fn found(&self) -> String {
        match self.peek() {
            Tok::End => "the end".to_owned(),
            _ => {
                let text = &self.text[self.span().range()];
                let short: String = text.chars().take(30).collect();
                let dots = if short.len() < text.len() { "..." } else { "" };
                format!("`{}{dots}`", short.replace('\n', " "))
            }
        }
    }

    /// Says that something else is needed here.
    pub(super) fn expected(&mut self, what: &str) -> Stop {
        if *self.peek() == Tok::Bad {
            // It has been said what is wrong with it.
            return Stop;
        }
        let message = format!("expected {what}, but found {}", self.found());
        self.fail("syntax", message, self.span())
    }

    pub(super) fn fail(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        at: Span,
    ) -> Stop {
        self.report(Diagnostic::error(code, message, at));
        Stop
    }

    pub(super) fn fail_with(
        &mut self,
        code: &'static str,
        message: impl Into<String>,
        at: Span,
        help: impl Into<String>,
    ) -> Stop {
        self.report(Diagnostic::error(code, message, at).with_help(help));
        Stop
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Ends the statement: nothing may be left of it.
    pub(super) fn expect_done(&mut self) -> Res<()> {
        if self.is_end() || self.is_symbol(";") {
            return Ok(());
        }
        Err(self.unexpected())
    }

    /// Something stands where a statement should go on or end.
    pub(super) fn unexpected(&mut self) -> Stop {
        if *self.peek() == Tok::Bad {
            return Stop;
        }
        let span = self.span();
        if let Tok::Word(word) = self.peek().clone()
            && let Some((message, help)) = super::unknown::part(&word)
        {
            return self.fail_with("unsupported", message, span, help);
        }
        let message = format!("{} is not understood here", self.found());
        // A misspelt keyword before this was taken for a name.
        let before = self.at.checked_sub(1).and_then(|it| self.tokens.get(it)).cloned();
        if let Some(Token { kind: Tok::Word(word), span: at }) = before {
            let known = [
                "from",
                "where",
                "group",
                "having",
                "order",
                "limit",
                "set",
                "values",
                "into",
                "join",
                "returning",
                "update",
            ];
            if let Some(it) = ser_base::closest_name(&word, known.into_iter())
                && it != word
            {
                let it = it.to_ascii_uppercase();
                let help = format!("did you mean `{it}`?");
                self.report(Diagnostic::error("syntax", message, span).with_fix(help, at, it));
                return Stop;
            }
        }
        self.fail("syntax", message, span)
    }

    /// `END IF` and its kin, for something that begins at a place.
    pub(super) fn expect_end(&mut self, of: &str, start: Span) -> Res<()> {
        if self.eat_words(&["end", of]) {
            return Ok(());
        }
        if *self.peek() == Tok::Bad {
            return Err(Stop);
        }
        let of = of.to_ascii_uppercase();
        let found = if self.is_word("end") { "another `END`".into() } else { self.found() };
        let message = format!("expected `END {of}`, but found {found}");
        let it = Diagnostic::error("syntax", message, self.span());
        self.report(it.with_secondary(start, format!("this needs `END {of}`")));
        Err(Stop)
    }

    /// Where the statement ends: the next `;` outside of parentheses, or the end.
    pub(super) fn statement_end(&self) -> usize {
        let (mut depth, mut first) = (0i64, None);
        for (at, Token { kind, .. }) in self.tokens.iter().enumerate().skip(self.at) {
            match kind {
                Tok::Symbol("(") => depth += 1,
                Tok::Symbol(")") => depth -= 1,
                Tok::Symbol(";") if depth <= 0 => return at,
                Tok::Symbol(";") => _ = first.get_or_insert(at),
                _ => {}
            }
        }
        first.unwrap_or(self.tokens.len().saturating_sub(1))
    }
}
