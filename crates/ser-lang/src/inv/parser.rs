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
//! The height of the tree is at most [`MAX_DEPTH`], counting blocks, brackets, operators in a row and
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
        open_sets: 0,
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
    /// How many braces of sets are open.
    open_sets: usize,
    /// How many statements and actions there were.
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

    /// Whether the token `ahead` is a single `.`.
    fn dot_at(&self, ahead: usize) -> bool {
        self.tokens
            .get(self.position + ahead)
            .is_some_and(|token| token.kind == TokenKind::Unknown && token.text(self.text) == ".")
    }

    /// Whether these tokens stand together, without a blank, from the current one.
    fn together(&self, kinds: &[TokenKind]) -> bool {
        let Some(tokens) = self.tokens.get(self.position..self.position + kinds.len()) else {
            return false;
        };
        tokens.iter().map(|token| token.kind).eq(kinds.iter().copied())
            && tokens.windows(2).all(|pair| match pair {
                [left, right] => left.span.end == right.span.start,
                _ => true,
            })
    }

    /// The place of so many tokens from the current one.
    fn span_of(&self, tokens: usize) -> Span {
        let last = self.tokens.get((self.position + tokens).saturating_sub(1));
        last.map_or(self.here(), |last| self.here().to(last.span))
    }

    /// The place of the current token; at the end of the text, an empty place there.
    fn here(&self) -> Span {
        self.tokens.get(self.position).map_or(Span::empty(self.text.len() as u32), |t| t.span)
    }

    /// The place of the current token; at the end of the text, right behind the last one.
    fn here_or_gap(&self) -> Span {
        if self.peek().is_some() { self.here() } else { self.gap() }
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

    /// Goes to the next token if the current one is a single `.`.
    fn eat_dot(&mut self) -> bool {
        let there = self.dot_at(0);
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
                .with_help("use several conjuncts, several statements, or a procedure");
            self.report(diagnostic);
        }
        Reported
    }
}
