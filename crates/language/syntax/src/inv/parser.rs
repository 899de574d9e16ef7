//! From tokens to [`syntax`](super::syntax).
//!
//! The tokens are those of the other languages; what they do not know is put together here, where it is
//! clear from the place what is meant: `->` is `-` and `>` without a blank between them, `<->` is `<`, `-`
//! and `>`, and a single `.` is a character of its own. Keywords of `.ser` that mean nothing here are names
//! like others.
//!
//! One mistake, one message: whoever returns `Err(Reported)` has said what is wrong, and the block (or
//! the file) around it goes on behind the next `;` or `}`. Every token is skipped at most once.
//!
//! The height of the tree is at most [`MAX_DEPTH`](crate::MAX_DEPTH), counting blocks, brackets, operators in a row and
//! `else if` in a row alike, so that whoever walks it may recurse.
//!
//! - `items`: what stands at top level; `proofs`: what stands in `proof`;
//! - `statements`, `actions`, `expressions`: what threads do, and what is said about it;
//! - `mistakes`: what to say about things that other languages have, or that fingers do.

mod actions;
mod expressions;
mod items;
mod mistakes;
mod proofs;
mod statements;

use super::syntax::File;
use super::words::is_reserved;
use crate::ast::Name;
use crate::cursor::{Cursor, Reported};
use crate::lexer::{Token, TokenKind};
use ser_base::Sink;
use ser_base::{Diagnostic, Span};
use std::ops::{Deref, DerefMut};

/// Parses the tokens of a file; what is wrong goes to `sink`.
pub(super) fn parse_tokens(text: &str, tokens: &[Token], sink: &mut Sink) -> File {
    let shallower = "use several conjuncts, several statements, or a procedure";
    let cursor = Cursor::new(text, tokens, sink, is_reserved, shallower);
    Parser { cursor, open_sets: 0, statements: 0 }.file()
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    /// How many braces of sets are open.
    open_sets: usize,
    /// How many statements and actions there were.
    statements: usize,
}

impl<'t> Deref for Parser<'t> {
    type Target = Cursor<'t>;

    fn deref(&self) -> &Cursor<'t> {
        &self.cursor
    }
}

impl<'t> DerefMut for Parser<'t> {
    fn deref_mut(&mut self) -> &mut Cursor<'t> {
        &mut self.cursor
    }
}

impl Parser<'_> {
    /// Whether the token `ahead` is a single `.`.
    fn dot_at(&self, ahead: usize) -> bool {
        self.tokens
            .get(self.position + ahead)
            .is_some_and(|token| token.kind == TokenKind::Unknown && token.text(self.text) == ".")
    }

    /// Goes to the next token if the current one is a single `.`.
    fn eat_dot(&mut self) -> bool {
        let there = self.dot_at(0);
        if there {
            self.bump();
        }
        there
    }

    /// A name for `what`. A reserved word is reported, and then taken for the name.
    fn name(&mut self, what: &str) -> Result<Name, Reported> {
        let Some(word) = self.word_at(0).filter(|_| !self.at_item() || self.is_name_at(0)) else {
            return Err(self.expected_name(what));
        };
        if is_reserved(word) {
            let message = format!("`{word}` is a word of the language and cannot be a name");
            let diagnostic = Diagnostic::error("keyword-as-name", message, self.here())
                .with_label(format!("expected the name of {what}"))
                .with_fix("choose another name, for example", self.here(), format!("{word}_"));
            self.report(diagnostic);
        } else if word == "_" {
            return Err(self.expected_name(what));
        }
        Ok(Name { text: word.to_owned(), span: self.bump() })
    }

    /// Names with `,` between them, up to `)`; the `(` was there.
    fn names_up_to_parenthesis(&mut self, open: Span, what: &str) -> Result<Vec<Name>, Reported> {
        let mut names = Vec::new();
        while !self.at(TokenKind::RightParenthesis) {
            names.push(self.name(what)?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close_list(open)?;
        Ok(names)
    }

    /// The `)` behind a list.
    fn close_list(&mut self, open: Span) -> Result<(), Reported> {
        if self.eat(TokenKind::RightParenthesis) {
            return Ok(());
        }
        let message = format!("expected `,` or `)`, found {}", self.found());
        let diagnostic = Diagnostic::error("unclosed-parenthesis", message, self.here_or_gap())
            .with_label("expected `,` or `)` here")
            .with_secondary(open, "to close this");
        Err(self.report(diagnostic))
    }

    /// Whether a new item starts here, however many brackets are open.
    fn at_item(&self) -> bool {
        match self.word_at(0) {
            Some("global" | "invariant" | "proc") => self.word_at(1).is_some(),
            Some("system") => self.word_at(1).is_some(),
            Some("threads") => self.peek_at(1) == Some(TokenKind::Number),
            Some("thread") => self.peek_at(1) == Some(TokenKind::LeftBrace),
            Some("proof") => {
                self.peek_at(1) == Some(TokenKind::LeftBrace) || self.word_at(1) == Some("acyclic")
            }
            Some("ghost") => self.word_at(1) == Some("global"),
            _ => false,
        }
    }

    /// Goes to the next item, or to the end.
    fn skip_to_item(&mut self) {
        let starts = |parser: &Parser<'_>| {
            parser.at_item() || parser.at_word("assume") || parser.at_word("let")
        };
        self.open_sets = 0;
        while self.peek().is_some() && !starts(self) {
            self.bump();
        }
        if self.too_deep {
            self.last_error = Some(self.position);
        }
    }

    /// Goes behind the end of a statement that was not understood: behind its `;`, or behind a block
    /// that was opened on the way. Stops before a `}` that was not, and before the next item.
    fn skip_statement(&mut self) {
        let mut open = 0usize;
        // The braces of sets around the mistake do not end a statement.
        let mut sets = std::mem::take(&mut self.open_sets);
        while let Some(kind) = self.peek() {
            if self.at_item() {
                break;
            }
            match kind {
                TokenKind::Semicolon if open == 0 => {
                    self.bump();
                    return;
                }
                TokenKind::LeftBrace => open += 1,
                TokenKind::RightBrace if open == 0 && sets > 0 => sets -= 1,
                TokenKind::RightBrace if open == 0 => return,
                TokenKind::RightBrace if open == 1 && sets == 0 => {
                    self.bump();
                    open = 0;
                    if self.statement_may_start() {
                        return;
                    }
                    continue;
                }
                TokenKind::RightBrace => open -= 1,
                _ => {}
            }
            self.bump();
        }
        if self.too_deep {
            // The rest was not looked at: nobody knows whether its brackets are closed.
            self.last_error = Some(self.position);
        }
    }

    /// Whether a statement can start here, and what stands here does not go on with the one before.
    fn statement_may_start(&self) -> bool {
        match (self.peek(), self.word_at(0)) {
            (None | Some(TokenKind::RightBrace), _) => true,
            (_, Some("else" | "or" | "and" | "in" | "subset" | "not")) => false,
            (_, Some("ghost")) => self.peek_at(1) != Some(TokenKind::LeftBrace),
            (_, word) => word.is_some(),
        }
    }
}
