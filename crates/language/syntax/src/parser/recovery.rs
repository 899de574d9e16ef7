//! Where to go on after an error.
//!
//! Inside a block the parser skips to the next `;` or to the end of the block, passing over
//! whole bracketed pieces on the way; at top level to the next item. `request` always starts an
//! item, however many brackets are open: it cannot stand inside a handler, so a bracket must be
//! missing. Every token is skipped at most once, so recovery is linear.

use super::Parser;
use crate::cursor::Cursor;
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Reported, error};
use ser_base::Span;

impl Parser<'_> {
    /// Skips to the next `request` or `const`; with `separators`, also to a `;` or `,`. Where
    /// variables are declared, also to the next declaration.
    pub(super) fn skip_to_item(&mut self, separators: bool) {
        let stop = |cursor: &Cursor<'_>, kind: TokenKind| match kind {
            TokenKind::Const => true,
            TokenKind::Semicolon | TokenKind::Comma => separators,
            TokenKind::Name => cursor.at_loose_item(),
            _ => false,
        };
        loop {
            self.skip_until(&stop);
            // At top level a `}` closes nothing; it was reported, or follows from what was.
            if !self.eat(TokenKind::RightBrace) {
                break;
            }
        }
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
            let over = matches!(
                self.peek(),
                None | Some(TokenKind::Semicolon | TokenKind::LeftBrace | TokenKind::RightBrace)
            );
            if over || self.at_item() {
                self.unclosed(open, TokenKind::RightParenthesis, None);
                return inside;
            }
            let message = format!("expected `)`, found {}", self.found());
            error("unexpected-token", message, self.here(), "unexpected")
                .with_secondary(open, "to close this")
                .report(self);
        }
        if !self.at(TokenKind::RightParenthesis) {
            self.skip_to(stops);
        }
        self.eat(TokenKind::RightParenthesis);
        inside
    }
}
