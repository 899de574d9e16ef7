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
//! The height of the tree is at most [`MAX_DEPTH`], counting blocks, brackets, operators in a row and
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
use crate::lexer::{Token, TokenKind};
use crate::parser::{MAX_DEPTH, quote};
use crate::sink::Sink;
use crate::{Diagnostic, Span};

/// Parses the tokens of a file; what is wrong goes to `sink`.
pub(super) fn parse_tokens(text: &str, tokens: &[Token], sink: &mut Sink) -> File {
    let end_is_unknown = tokens.last().is_some_and(|t| t.kind == TokenKind::UnterminatedComment);
    let tokens = tokens.iter().copied().filter(|token| !token.kind.is_trivia()).collect();
    let mut parser = Parser {
        text,
        tokens,
        position: 0,
        sink,
        depth: 0,
        statements: 0,
        last_error: None,
        end_is_unknown,
        too_deep: false,
        holes: false,
    };
    parser.file()
}

/// A message was given; the caller only has to find a place to go on.
struct Reported;

struct Parser<'t> {
    text: &'t str,
    /// Without white space and comments.
    tokens: Vec<Token>,
    /// The index of the current token.
    position: usize,
    sink: &'t mut Sink,
    /// How many blocks and expressions are around the current token.
    depth: usize,
    /// How many statements there were.
    statements: usize,
    /// The token at which the last error was reported: a second one there would be an echo.
    last_error: Option<usize>,
    /// Whether nothing can be said about what is missing at the end of the text.
    end_is_unknown: bool,
    /// Whether the height of the tree has been complained about.
    too_deep: bool,
    /// Whether something was not understood, and left out.
    holes: bool,
}

impl<'t> Parser<'t> {
    /// The kind of the current token; `None` at the end.
    fn peek(&self) -> Option<TokenKind> {
        self.peek_at(0)
    }

    /// The kind of the token `ahead` of the current one.
    fn peek_at(&self, ahead: usize) -> Option<TokenKind> {
        self.tokens.get(self.position + ahead).map(|token| token.kind)
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.peek() == Some(kind)
    }

    /// The text of the token `ahead`, if it is a word, reserved or not.
    fn word_at(&self, ahead: usize) -> Option<&'t str> {
        let token = self.tokens.get(self.position + ahead)?;
        let is_word = token.kind == TokenKind::Name || token.kind.is_keyword();
        is_word.then(|| token.text(self.text))
    }

    /// Whether the current token is this word.
    fn at_word(&self, word: &str) -> bool {
        self.word_at(0) == Some(word)
    }

    /// Whether the token `ahead` can be a name.
    fn is_name_at(&self, ahead: usize) -> bool {
        self.word_at(ahead).is_some_and(|word| !is_reserved(word) && word != "_")
    }

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

    /// The place of the current token; at the end of the text, an empty place there.
    fn here(&self) -> Span {
        self.tokens.get(self.position).map_or(Span::empty(self.text.len() as u32), |t| t.span)
    }

    /// The text of the current token.
    fn here_text(&self) -> &'t str {
        self.text.get(self.here().range()).unwrap_or("")
    }

    /// Goes to the next token; returns the place of the one that was current.
    fn bump(&mut self) -> Span {
        let span = self.here();
        self.position = (self.position + 1).min(self.tokens.len());
        span
    }

    /// Goes to the next token if the current one is a `kind`.
    fn eat(&mut self, kind: TokenKind) -> bool {
        let there = self.at(kind);
        if there {
            self.bump();
        }
        there
    }

    /// Goes to the next token if the current one is this word.
    fn eat_word(&mut self, word: &str) -> bool {
        let there = self.at_word(word);
        if there {
            self.bump();
        }
        there
    }

    /// Where the token before the current one ends.
    fn previous_end(&self) -> u32 {
        let previous = self.position.checked_sub(1).and_then(|index| self.tokens.get(index));
        previous.map_or(0, |token| token.span.end)
    }

    /// The empty place right after the previous token: where something is missing.
    fn gap(&self) -> Span {
        Span::empty(self.previous_end())
    }

    /// From there to the end of the previous token.
    fn since(&self, start: Span) -> Span {
        Span::new(start.start, self.previous_end().max(start.end))
    }

    /// What the current token is called in a message.
    fn found(&self) -> String {
        let shown = quote(self.here_text());
        match self.peek() {
            None => "the end of the file".to_owned(),
            Some(TokenKind::Number) => format!("the number {shown}"),
            Some(_) if self.is_name_at(0) => format!("the name {shown}"),
            Some(_) => shown,
        }
    }

    /// Reports an error, unless one was reported at the same token already.
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        let at_unknown_end = self.end_is_unknown && self.position == self.tokens.len();
        if self.last_error != Some(self.position) && !at_unknown_end {
            self.last_error = Some(self.position);
            self.sink.push(diagnostic);
        }
        Reported
    }

    /// Nothing useful can be said about the rest of the file.
    fn give_up(&mut self) -> Reported {
        self.position = self.tokens.len();
        self.end_is_unknown = true;
        Reported
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

    /// One level deeper; reported, once per file, if that is too deep.
    fn enter(&mut self) -> Result<(), Reported> {
        if self.depth >= MAX_DEPTH {
            return Err(self.nested_too_deeply());
        }
        self.depth += 1;
        Ok(())
    }

    fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn nested_too_deeply(&mut self) -> Reported {
        if !self.too_deep {
            self.too_deep = true;
            let message = format!("this is nested more than {MAX_DEPTH} levels deep");
            let diagnostic = Diagnostic::error("nested-too-deeply", message, self.here())
                .with_label("too deep here")
                .with_help("blocks, brackets, operators in a row and `else if` in a row all count")
                .with_help("put a part of it into a variable, or use several `if`s");
            self.report(diagnostic);
        }
        Reported
    }
}
