//! From tokens to the syntax tree.
//!
//! A Pratt parser: one loop over operators with binding powers, so the depth of the recursion
//! is the depth of the tree and not a multiple of the number of precedence levels. The height
//! of the tree is limited to [`MAX_DEPTH`], counting brackets, chains of operators and chains
//! of `else if` alike; whoever walks the tree may therefore recurse.
//!
//! After an error the parser skips to a place where it knows again what is going on (see
//! `recovery`), leaves an [`ExprKind::Error`](crate::ast::ExprKind::Error) in the tree, and
//! goes on: one mistake, one message. A function that returns `Err(Reported)` has said what is
//! wrong and leaves it to its caller to skip.
//!
//! - `items`: `const`, initial values, requests;
//! - `expressions`: everything inside a handler;
//! - `recovery`: where to go on after an error;
//! - `mistakes`: what to say about syntax of other languages.

mod expressions;
mod items;
mod mistakes;
mod recovery;

use crate::ast::Program;
use crate::lexer::{Token, TokenKind};
use crate::sink::Sink;
use crate::{Diagnostic, Span};

/// How high a syntax tree can be.
///
/// Brackets, operators in a row (`1 + 1 + 1 + ...`) and `else if` in a row all count. Functions
/// that walk the tree may recurse: this height is safe on a stack of 2 MiB, in debug builds too.
pub const MAX_DEPTH: usize = 256;

/// Parses the tokens of `text`; what is wrong goes to `sink`.
pub(crate) fn parse_tokens(text: &str, tokens: &[Token], sink: &mut Sink) -> Program {
    let end_is_unknown = tokens.last().is_some_and(|t| t.kind == TokenKind::UnterminatedComment);
    let tokens: Vec<Token> =
        tokens.iter().copied().filter(|token| !token.kind.is_trivia()).collect();
    let extra_closer = has_extra_closer(&tokens);
    let mut parser = Parser {
        text,
        tokens,
        position: 0,
        sink,
        depth: 0,
        in_condition: false,
        last_error: None,
        end_is_unknown,
        extra_closer,
        too_deep: false,
        colon_seen: false,
    };
    parser.program()
}

/// Whether there is a `}` too many somewhere.
fn has_extra_closer(tokens: &[Token]) -> bool {
    let mut open = 0usize;
    for token in tokens {
        match token.kind {
            TokenKind::LeftBrace => open += 1,
            TokenKind::RightBrace if open == 0 => return true,
            TokenKind::RightBrace => open -= 1,
            _ => {}
        }
    }
    false
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
    /// How many expressions are being parsed around the current token.
    depth: usize,
    /// Whether a `=` here is more likely to be a `==` than a `:=`.
    in_condition: bool,
    /// The token at which the last error was reported: a second one there would be an echo.
    last_error: Option<usize>,
    /// Whether the end of the text was swallowed by something that has been reported: then
    /// nothing can be said about what is missing there.
    end_is_unknown: bool,
    /// Whether the file has a `}` too many: then code outside a request was probably meant to
    /// be inside.
    extra_closer: bool,
    /// Whether the height of the tree has been complained about.
    too_deep: bool,
    /// Whether `request main:` has been complained about; it comes in whole files.
    colon_seen: bool,
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

    /// Whether the tokens `ahead` and `ahead + 1` stand together without a blank.
    fn touching(&self, ahead: usize) -> bool {
        let left = self.tokens.get(self.position + ahead);
        let right = self.tokens.get(self.position + ahead + 1);
        matches!((left, right), (Some(left), Some(right)) if left.span.end == right.span.start)
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
    fn eat(&mut self, kind: TokenKind) -> Option<Span> {
        if self.at(kind) { Some(self.bump()) } else { None }
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

    /// What the current token is called in a message.
    fn found(&self) -> String {
        let shown = mistakes::quote(self.here_text());
        match self.peek() {
            None => "the end of the file".to_owned(),
            Some(TokenKind::Number) => format!("the number {shown}"),
            Some(TokenKind::Name) => format!("the name {shown}"),
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
}
