//! From tokens to [`syntax`](super::syntax).
//!
//! The tokens are those of the other languages; what they do not know is put together here, where it is
//! clear from the place what is meant: `<-` is `<` and `-` without a blank between them, behind a pattern
//! (behind an expression, `x <-1` still compares), and `=>` is `=` and `>`. Keywords of `.ser` that mean
//! nothing here are names like others.
//!
//! One mistake, one message: whoever returns `Err(Reported)` has said what is wrong, and the block (or
//! the file) around it goes on behind the next `;` or `}`. Every token is skipped at most once.
//!
//! The height of the tree is at most [`MAX_DEPTH`](crate::MAX_DEPTH), counting blocks, brackets, operators in a row and
//! `else if` in a row alike, so that whoever walks it may recurse.
//!
//! - `items`: declarations;
//! - `statements`, `expressions`: what processes do;
//! - `mistakes`: what to say about things that other languages have, or that fingers do.

mod expressions;
mod items;
mod mistakes;
mod statements;

use super::syntax::File;
use super::words::is_reserved;
use crate::ast::Name;
use crate::cursor::{Cursor, Reported};
use crate::lexer::{Token, TokenKind};
use ser_base::Diagnostic;
use ser_base::Sink;
use std::ops::{Deref, DerefMut};

/// Parses the tokens of a file; what is wrong goes to `sink`.
pub(super) fn parse_tokens(text: &str, tokens: &[Token], sink: &mut Sink) -> File {
    let shallower = "put a part of it into a variable, or use several `if`s";
    let cursor = Cursor::new(text, tokens, sink, is_reserved, shallower);
    Parser { cursor, statements: 0 }.file()
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    /// How many statements there were.
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
    /// Whether these two tokens stand together, without a blank, `ahead` of the current one.
    fn pair_at(&self, ahead: usize, first: TokenKind, second: TokenKind) -> bool {
        let left = self.tokens.get(self.position + ahead);
        let right = self.tokens.get(self.position + ahead + 1);
        matches!((left, right), (Some(left), Some(right))
            if left.kind == first && right.kind == second && left.span.end == right.span.start)
    }

    /// Whether `<-` stands here.
    fn arrow_at(&self, ahead: usize) -> bool {
        self.pair_at(ahead, TokenKind::Less, TokenKind::Minus)
    }

    /// Whether `=>` stands here.
    fn at_double_arrow(&self) -> bool {
        self.pair_at(0, TokenKind::Equal, TokenKind::Greater)
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
            let message = format!("`_` is not the name of {what}");
            let diagnostic = Diagnostic::error("expected-name", message, self.here())
                .with_label("expected a name")
                .with_help("`_` stands in patterns, for what is not needed");
            return Err(self.report(diagnostic));
        }
        Ok(Name { text: word.to_owned(), span: self.bump() })
    }

    /// Whether a new item starts here, however many brackets are open.
    fn at_item(&self) -> bool {
        match self.word_at(0) {
            Some("procs" | "index" | "enum" | "msg" | "proc") => self.word_at(1).is_some(),
            Some("server") => self.word_at(1) == Some("proc"),
            _ => false,
        }
    }

    /// Goes to the next item, or to the end.
    fn skip_to_item(&mut self) {
        while self.peek().is_some() && !self.at_item() {
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
                TokenKind::RightBrace if open == 0 => return,
                TokenKind::RightBrace if open == 1 => {
                    self.bump();
                    if !self.at_word("else") {
                        return;
                    }
                    open = 0;
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
}
