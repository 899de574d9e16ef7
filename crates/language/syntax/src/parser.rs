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
//! The same parser reads all languages of this crate; its [`Dialect`] says which one. They share
//! everything from the expressions down, and have their own items and statements. Words that only one
//! of them knows (`process`, `await`, `place`, ...) are no keywords: they are recognised by where they
//! stand, so that they are names like others everywhere else.
//!
//! - `items`: `const`, initial values, requests;
//! - `expressions`: everything inside a handler;
//! - `sequence`: things in brackets with `;` between them;
//! - `declarations`: what `.events` and `.unw` share: enumerations, types, and names of goals;
//! - `processes`, `statements`: the items of `.events`, and what a process does;
//! - `unwindings`: the items of `.unw`;
//! - `references`: `len(Q)`, `done(P)`, `main[0]`;
//! - `recovery`: where to go on after an error;
//! - `mistakes`: what to say about syntax of other languages.

mod declarations;
mod expressions;
mod items;
mod mistakes;
mod processes;
mod recovery;
mod references;
mod sequence;
mod statements;
mod unwindings;

use crate::ast::process::{Call, Items, Reference};
use crate::ast::{Expr, Program};
use crate::complaints::quote;
use crate::lexer::{Token, TokenKind};
use ser_base::Sink;
use ser_base::{Diagnostic, Span};

/// How high a syntax tree can be.
///
/// Brackets, operators in a row (`1 + 1 + 1 + ...`) and `else if` in a row all count. Functions
/// that walk the tree may recurse: this height is safe on a stack of 2 MiB, in debug builds too.
pub const MAX_DEPTH: usize = 256;

/// Parses the tokens of `text`; what is wrong goes to `sink`.
pub(crate) fn parse_tokens(text: &str, tokens: &[Token], sink: &mut Sink) -> Program {
    Parser::new(text, tokens, Dialect::Requests, sink).program()
}

/// Parses the tokens of a `.events` file.
pub(crate) fn parse_processes(text: &str, tokens: &[Token], sink: &mut Sink) -> (Items, Vec<Call>) {
    let mut parser = Parser::new(text, tokens, Dialect::Processes, sink);
    let items = parser.process_items();
    (items, parser.calls)
}

/// Parses the tokens of a `.unw` file.
pub(crate) fn parse_unwinding(text: &str, tokens: &[Token], sink: &mut Sink) -> Items {
    Parser::new(text, tokens, Dialect::Unwinding, sink).unwinding_items()
}

/// Parses the tokens of a goal; nothing if they are no expression.
pub(crate) fn parse_goal(
    text: &str,
    tokens: &[Token],
    sink: &mut Sink,
) -> (Option<Expr>, Vec<Call>) {
    let mut parser = Parser::new(text, tokens, Dialect::Goal, sink);
    let goal = parser.whole_goal().ok();
    (goal, parser.calls)
}

/// Parses the tokens of a list of requests with how many of each.
pub(crate) fn parse_requests(
    text: &str,
    tokens: &[Token],
    sink: &mut Sink,
) -> Vec<(Reference, Option<Expr>)> {
    Parser::new(text, tokens, Dialect::Goal, sink).request_list()
}

/// Which language the tokens are in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Dialect {
    /// `.ser`.
    Requests,
    /// `.events`.
    Processes,
    /// `.unw`.
    Unwinding,
    /// A condition or a list of requests on the command line.
    Goal,
}

impl Dialect {
    /// What the items with bodies are called.
    fn item(self) -> &'static str {
        match self {
            Dialect::Requests | Dialect::Goal => "request",
            Dialect::Processes => "process",
            Dialect::Unwinding => "transition",
        }
    }
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, tokens: &[Token], dialect: Dialect, sink: &'t mut Sink) -> Parser<'t> {
        let end_is_unknown =
            tokens.last().is_some_and(|t| t.kind == TokenKind::UnterminatedComment);
        let tokens: Vec<Token> =
            tokens.iter().copied().filter(|token| !token.kind.is_trivia()).collect();
        let extra_closer = has_extra_closer(&tokens);
        Parser {
            text,
            dialect,
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
            in_goal: dialect == Dialect::Goal,
            calls: Vec::new(),
        }
    }
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
    dialect: Dialect,
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
    /// Whether the current token is part of a goal, where `done` has a meaning.
    in_goal: bool,
    /// What looks like calls, so far.
    calls: Vec<Call>,
}

impl<'t> Parser<'t> {
    /// The kind of the current token; `None` at the end.
    fn peek(&self) -> Option<TokenKind> {
        self.peek_at(0)
    }

    /// The kind of the token `ahead` of the current one.
    fn peek_at(&self, ahead: usize) -> Option<TokenKind> {
        let kind = self.tokens.get(self.position + ahead)?.kind;
        Some(match (self.dialect, kind) {
            (
                Dialect::Requests,
                TokenKind::LeftBracket | TokenKind::RightBracket | TokenKind::Quoted,
            ) => TokenKind::Unknown,
            _ => kind,
        })
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.peek() == Some(kind)
    }

    /// Whether the current token is this word; no keyword.
    fn at_word(&self, word: &str) -> bool {
        self.at(TokenKind::Name) && self.here_text() == word
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
        let shown = quote(self.here_text());
        match self.peek() {
            None if self.dialect == Dialect::Goal => "the end of the text".to_owned(),
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
