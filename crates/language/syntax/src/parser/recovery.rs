//! Where to go on after an error.
//!
//! Inside a block the parser skips to the next `;` or to the end of the block, passing over
//! whole bracketed pieces on the way; at top level to the next item. `request` always starts an
//! item, however many brackets are open: it cannot stand inside a handler, so a bracket must be
//! missing. Every token is skipped at most once, so recovery is linear.

use super::{Dialect, Parser, Reported};
use crate::lexer::TokenKind;
use ser_base::{Diagnostic, Span};

impl Parser<'_> {
    /// Whether a new item starts here: `request`, but not the mistake `request := 1`. In the other
    /// languages, two words in a row that never are next to each other elsewhere.
    pub(super) fn at_item(&self) -> bool {
        let words: &[&str] = match self.dialect {
            Dialect::Requests | Dialect::Goal => &[],
            Dialect::Processes => &["process", "enum", "reach"],
            Dialect::Unwinding => &["transition", "place", "target", "enum"],
        };
        match self.peek() {
            Some(TokenKind::Request) => {
                !matches!(self.peek_at(1), Some(TokenKind::Assign | TokenKind::Equal))
            }
            Some(TokenKind::Name) => {
                self.peek_at(1) == Some(TokenKind::Name) && words.contains(&self.here_text())
            }
            _ => false,
        }
    }

    /// Skips to the first of `stops` that is not inside brackets opened on the way, or to a
    /// `}` that was not opened on the way, or to the next request, or to the end.
    pub(super) fn skip_to(&mut self, stops: &[TokenKind]) {
        self.skip_until(&|_, kind| stops.contains(&kind));
    }

    /// The same, where `stop` says whether a token outside of brackets is one to stop at.
    fn skip_until(&mut self, stop: &dyn Fn(&Self, TokenKind) -> bool) {
        let mut open: Vec<TokenKind> = Vec::new();
        let mut open_braces = 0usize;
        while let Some(kind) = self.peek() {
            if self.at_item() || open.is_empty() && stop(self, kind) {
                break;
            }
            match kind {
                TokenKind::LeftBrace => {
                    open.push(kind);
                    open_braces += 1;
                }
                TokenKind::LeftParenthesis => open.push(kind),
                TokenKind::RightParenthesis if open.last() == Some(&TokenKind::LeftParenthesis) => {
                    open.pop();
                }
                TokenKind::RightBrace if open_braces == 0 => break,
                TokenKind::RightBrace => {
                    while open.pop() == Some(TokenKind::LeftParenthesis) {}
                    open_braces -= 1;
                }
                _ => {}
            }
            self.bump();
        }
        if self.too_deep && (self.peek().is_none() || self.at_item()) {
            // The rest was not looked at: nobody knows whether its brackets are closed.
            self.last_error = Some(self.position);
        }
    }

    /// Skips to the next `request` or `const`; with `separators`, also to a `;` or `,`. Where variables
    /// are declared, also to the next declaration.
    pub(super) fn skip_to_item(&mut self, separators: bool) {
        let stop = |parser: &Self, kind: TokenKind| match kind {
            TokenKind::Const => true,
            TokenKind::Semicolon | TokenKind::Comma => separators,
            TokenKind::Name => parser.at_declaration(),
            _ => false,
        };
        loop {
            self.skip_until(&stop);
            // At top level a `}` closes nothing; it was reported, or follows from what was.
            if self.eat(TokenKind::RightBrace).is_none() {
                break;
            }
        }
    }

    /// Reports, once per file, that the tree would be too high.
    pub(super) fn nested_too_deeply(&mut self) -> Reported {
        if !self.too_deep {
            self.too_deep = true;
            let limit = super::MAX_DEPTH;
            let message = format!("this is nested more than {limit} levels deep");
            let diagnostic = Diagnostic::error("nested-too-deeply", message, self.here())
                .with_label("too deep here")
                .with_help("brackets, operators in a row and `else if` in a row all count")
                .with_help("put a part of it into a local variable, or use several `if`s");
            self.report(diagnostic);
        }
        Reported
    }

    /// Reports a bracket that is not closed; `first` is the first expression inside, behind
    /// which a `)` was probably meant. Nothing is skipped.
    pub(super) fn unclosed(&mut self, open: Span, closer: TokenKind, first: Option<Span>) {
        let (code, opener, closer) = match closer {
            TokenKind::RightBrace => ("unclosed-brace", "{", "}"),
            _ => ("unclosed-parenthesis", "(", ")"),
        };
        let expected = match self.peek() {
            None => format!("expected `{closer}` before the end of the file"),
            Some(_) => format!("expected `{closer}` before this"),
        };
        let place = if self.peek().is_some() { self.here() } else { self.gap() };
        let mut diagnostic =
            Diagnostic::error(code, format!("this `{opener}` is never closed"), open)
                .with_label("opened here")
                .with_secondary(place, expected);
        if closer == ")" {
            let end = first.map_or(self.previous_end(), |first| first.end);
            diagnostic = diagnostic.with_fix("close it", Span::empty(end), closer);
        } else {
            diagnostic = diagnostic.with_help(format!("add a `{closer}`"));
        }
        self.report(diagnostic);
    }

    /// Goes past the `)` that belongs to `open`. `inside` says whether what stands between
    /// them was fine; if it was not, the rest of it is skipped. `stop_at_brace` is for places
    /// where a `{` must be the start of the body.
    pub(super) fn close_parenthesis<T>(
        &mut self,
        open: Span,
        inside: Result<T, Reported>,
        stop_at_brace: bool,
    ) -> Result<T, Reported> {
        const STOPS: [TokenKind; 3] =
            [TokenKind::RightParenthesis, TokenKind::Semicolon, TokenKind::LeftBrace];
        let stops = if stop_at_brace { &STOPS[..] } else { &STOPS[..2] };
        if inside.is_ok() && !self.at(TokenKind::RightParenthesis) {
            match self.peek() {
                None
                | Some(TokenKind::Semicolon | TokenKind::LeftBrace | TokenKind::RightBrace) => {
                    self.unclosed(open, TokenKind::RightParenthesis, None);
                    return inside;
                }
                _ if self.at_item() => {
                    self.unclosed(open, TokenKind::RightParenthesis, None);
                    return inside;
                }
                _ => {
                    let found = self.found();
                    let message = format!("expected `)`, found {found}");
                    let diagnostic = Diagnostic::error("unexpected-token", message, self.here())
                        .with_label("unexpected")
                        .with_secondary(open, "to close this");
                    self.report(diagnostic);
                }
            }
        }
        if !self.at(TokenKind::RightParenthesis) {
            self.skip_to(stops);
        }
        self.eat(TokenKind::RightParenthesis);
        inside
    }
}
