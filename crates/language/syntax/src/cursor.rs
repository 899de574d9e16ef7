//! Tokens one after the other, with what every parser says about them: for `.icet` and `.inv` files.
//!
//! Both languages have words that are told from names by their text, and go on after a mistake in the same way:
//! whoever returns `Err(Reported)` has said what is wrong.

use crate::lexer::{Token, TokenKind};
use crate::parser::{MAX_DEPTH, quote};
use ser_base::Sink;
use ser_base::{Diagnostic, Span};

/// A message was given; the caller only has to find a place to go on.
pub(crate) struct Reported;

/// A place among the tokens of a file.
pub(crate) struct Cursor<'t> {
    pub(crate) text: &'t str,
    /// Without white space and comments.
    pub(crate) tokens: Vec<Token>,
    /// The index of the current token.
    pub(crate) position: usize,
    pub(crate) sink: &'t mut Sink,
    /// Whether a word cannot be a name.
    is_reserved: fn(&str) -> bool,
    /// How many blocks and expressions are around the current token.
    pub(crate) depth: usize,
    /// The token at which the last error was reported: a second one there would be an echo.
    pub(crate) last_error: Option<usize>,
    /// Whether nothing can be said about what is missing at the end of the text.
    end_is_unknown: bool,
    /// Whether the height of the tree has been complained about.
    pub(crate) too_deep: bool,
    /// What to do about too high a tree.
    shallower: &'static str,
    /// Whether something was not understood, and left out.
    pub(crate) holes: bool,
}

impl<'t> Cursor<'t> {
    /// Before the first token of a file.
    pub(crate) fn new(
        text: &'t str,
        tokens: &[Token],
        sink: &'t mut Sink,
        is_reserved: fn(&str) -> bool,
        shallower: &'static str,
    ) -> Cursor<'t> {
        let end_is_unknown =
            tokens.last().is_some_and(|t| t.kind == TokenKind::UnterminatedComment);
        let tokens = tokens.iter().copied().filter(|token| !token.kind.is_trivia()).collect();
        Cursor {
            text,
            tokens,
            position: 0,
            sink,
            is_reserved,
            depth: 0,
            last_error: None,
            end_is_unknown,
            too_deep: false,
            shallower,
            holes: false,
        }
    }

    /// The kind of the current token; `None` at the end.
    pub(crate) fn peek(&self) -> Option<TokenKind> {
        self.peek_at(0)
    }

    /// The kind of the token `ahead` of the current one.
    pub(crate) fn peek_at(&self, ahead: usize) -> Option<TokenKind> {
        self.tokens.get(self.position + ahead).map(|token| token.kind)
    }

    pub(crate) fn at(&self, kind: TokenKind) -> bool {
        self.peek() == Some(kind)
    }

    /// The text of the token `ahead`, if it is a word, reserved or not.
    pub(crate) fn word_at(&self, ahead: usize) -> Option<&'t str> {
        let token = self.tokens.get(self.position + ahead)?;
        let is_word = token.kind == TokenKind::Name || token.kind.is_keyword();
        is_word.then(|| token.text(self.text))
    }

    /// Whether the current token is this word.
    pub(crate) fn at_word(&self, word: &str) -> bool {
        self.word_at(0) == Some(word)
    }

    /// Whether the token `ahead` can be a name.
    pub(crate) fn is_name_at(&self, ahead: usize) -> bool {
        self.word_at(ahead).is_some_and(|word| !(self.is_reserved)(word) && word != "_")
    }

    /// Whether these tokens stand together, without a blank, from the current one.
    pub(crate) fn together(&self, kinds: &[TokenKind]) -> bool {
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
    pub(crate) fn span_of(&self, tokens: usize) -> Span {
        let last = self.tokens.get((self.position + tokens).saturating_sub(1));
        last.map_or(self.here(), |last| self.here().to(last.span))
    }

    /// The place of the current token; at the end of the text, an empty place there.
    pub(crate) fn here(&self) -> Span {
        self.tokens.get(self.position).map_or(Span::empty(self.text.len() as u32), |t| t.span)
    }

    /// The place of the current token; at the end of the text, right behind the last one.
    pub(crate) fn here_or_gap(&self) -> Span {
        if self.peek().is_some() { self.here() } else { self.gap() }
    }

    /// The text of the current token.
    pub(crate) fn here_text(&self) -> &'t str {
        self.text.get(self.here().range()).unwrap_or("")
    }

    /// Goes to the next token; returns the place of the one that was current.
    pub(crate) fn bump(&mut self) -> Span {
        let span = self.here();
        self.position = (self.position + 1).min(self.tokens.len());
        span
    }

    /// Goes to the next token if the current one is a `kind`.
    pub(crate) fn eat(&mut self, kind: TokenKind) -> bool {
        let there = self.at(kind);
        if there {
            self.bump();
        }
        there
    }

    /// Goes to the next token if the current one is this word.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let there = self.at_word(word);
        if there {
            self.bump();
        }
        there
    }

    /// Where the token before the current one ends.
    pub(crate) fn previous_end(&self) -> u32 {
        let previous = self.position.checked_sub(1).and_then(|index| self.tokens.get(index));
        previous.map_or(0, |token| token.span.end)
    }

    /// The empty place right after the previous token: where something is missing.
    pub(crate) fn gap(&self) -> Span {
        Span::empty(self.previous_end())
    }

    /// From there to the end of the previous token.
    pub(crate) fn since(&self, start: Span) -> Span {
        Span::new(start.start, self.previous_end().max(start.end))
    }

    /// What the current token is called in a message.
    pub(crate) fn found(&self) -> String {
        let shown = quote(self.here_text());
        match self.peek() {
            None => "the end of the file".to_owned(),
            Some(TokenKind::Number) => format!("the number {shown}"),
            Some(_) if self.is_name_at(0) => format!("the name {shown}"),
            Some(_) => shown,
        }
    }

    /// Reports an error, unless one was reported at the same token already.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        let at_unknown_end = self.end_is_unknown && self.position == self.tokens.len();
        if self.last_error != Some(self.position) && !at_unknown_end {
            self.last_error = Some(self.position);
            self.sink.push(diagnostic);
        }
        Reported
    }

    /// Nothing useful can be said about the rest of the file.
    pub(crate) fn give_up(&mut self) -> Reported {
        self.position = self.tokens.len();
        self.end_is_unknown = true;
        Reported
    }

    /// One level deeper; reported, once per file, if that is too deep.
    pub(crate) fn enter(&mut self) -> Result<(), Reported> {
        if self.depth >= MAX_DEPTH {
            return Err(self.nested_too_deeply());
        }
        self.depth += 1;
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    pub(crate) fn nested_too_deeply(&mut self) -> Reported {
        if !self.too_deep {
            self.too_deep = true;
            let message = format!("this is nested more than {MAX_DEPTH} levels deep");
            let diagnostic = Diagnostic::error("nested-too-deeply", message, self.here())
                .with_label("too deep here")
                .with_help("blocks, brackets, operators in a row and `else if` in a row all count")
                .with_help(self.shallower);
            self.report(diagnostic);
        }
        Reported
    }
}
