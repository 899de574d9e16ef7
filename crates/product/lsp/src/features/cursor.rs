//! Where the cursor is among the tokens of a text.

use ser_syntax::Span;
use ser_syntax::lexer::{Token, TokenKind, lex};

/// A place in a text where something may be typed.
pub struct Cursor<'t> {
    pub text: &'t str,
    /// All tokens, comments and spaces included.
    pub tokens: Vec<Token>,
    pub offset: u32,
}

impl<'t> Cursor<'t> {
    /// The cursor at an offset; nothing in a comment or a number, where nothing can be offered.
    pub fn new(text: &'t str, offset: u32) -> Option<Cursor<'t>> {
        let tokens = lex(text);
        let here = |t: &&Token| t.span.start < offset && offset <= t.span.end;
        let is_silent = tokens.iter().find(here).is_some_and(|t| match t.kind {
            TokenKind::LineComment | TokenKind::UnterminatedComment | TokenKind::Number => true,
            TokenKind::BlockComment => t.span.end != offset,
            _ => false,
        });
        (!is_silent).then_some(Cursor { text, tokens, offset })
    }

    /// The tokens that mean something.
    pub fn meaningful(&self) -> impl DoubleEndedIterator<Item = &Token> {
        self.tokens.iter().filter(|t| !t.kind.is_trivia())
    }

    /// Whether a token is being typed: then it is no candidate.
    pub fn is_typed(&self, token: &Token) -> bool {
        token.span.start < self.offset && self.offset <= token.span.end
    }

    /// How many braces are open.
    pub fn depth(&self) -> i64 {
        let before = self.tokens.iter().take_while(|t| t.span.end <= self.offset);
        before.map(|t| depth_of(t.kind)).sum()
    }

    /// From the last token before the cursor that starts a body to the next one after it.
    pub fn body(&self, starts: impl Fn(&Token) -> bool) -> Span {
        let starts = self.tokens.iter().filter(|t| starts(t)).map(|t| t.span.start);
        let start = starts.clone().take_while(|at| *at < self.offset).last().unwrap_or(0);
        let end = starts.into_iter().find(|at| *at >= self.offset).unwrap_or(u32::MAX);
        Span::new(start, end)
    }
}

/// By how much a token changes the number of open braces.
pub fn depth_of(kind: TokenKind) -> i64 {
    i64::from(kind == TokenKind::LeftBrace) - i64::from(kind == TokenKind::RightBrace)
}

/// Whether one place lies within another.
pub fn within(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
