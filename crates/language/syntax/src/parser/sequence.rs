//! Things in brackets with `;` between them: expressions, statements, the arcs of a transition.
//!
//! Errors inside are dealt with here: skip to the next `;` or to the end of the brackets, leave a hole,
//! go on.

use super::expressions::starts_expression;
use super::{Parser, Reported};
use crate::ast::{Expr, ExprKind};
use crate::lexer::TokenKind;
use ser_base::{Diagnostic, Span};

/// What can stand in a sequence.
pub(super) trait Element: Sized {
    /// What several of them are called.
    const MANY: &'static str;
    /// Whether a `;` may be left out after one that ends with `}`.
    const BLOCKS_END: bool;

    /// Reads one, with the height of its tree.
    fn parse(parser: &mut Parser<'_>) -> Result<(Self, usize), Reported>;

    /// What to put where something was not understood.
    fn hole(span: Span) -> Self;

    /// Where it stands.
    fn span(&self) -> Span;

    /// Whether one can start with this token.
    fn can_start(kind: TokenKind) -> bool;
}

impl Element for Expr {
    const MANY: &'static str = "expressions";
    const BLOCKS_END: bool = false;

    fn parse(parser: &mut Parser<'_>) -> Result<(Expr, usize), Reported> {
        parser.expression(0).map(|tree| (tree.expr, tree.height))
    }

    fn hole(span: Span) -> Expr {
        Expr { kind: ExprKind::Error, span }
    }

    fn span(&self) -> Span {
        self.span
    }

    fn can_start(kind: TokenKind) -> bool {
        starts_expression(kind)
    }
}

/// What stands between two brackets.
pub(super) struct Sequence<T> {
    pub(super) elements: Vec<T>,
    /// With the brackets.
    pub(super) span: Span,
    /// The height of the highest one.
    pub(super) height: usize,
}

impl Parser<'_> {
    /// Elements with `;` between them, from the bracket at the current token to its `closer`.
    ///
    /// `Err` only if parentheses had errors inside *and* are not closed: then nobody knows what they
    /// were meant to contain.
    pub(super) fn sequence<T: Element>(
        &mut self,
        closer: TokenKind,
    ) -> Result<Sequence<T>, Reported> {
        let open = self.bump();
        let mut elements: Vec<T> = Vec::new();
        let mut height = 0;
        let mut failed = false;
        loop {
            if self.eat(closer).is_some() {
                break;
            }
            let first = elements.first().map(Element::span);
            match self.peek() {
                Some(TokenKind::Semicolon) => {
                    self.bump();
                }
                Some(TokenKind::RightParenthesis) => {
                    self.stray_parenthesis();
                    self.bump();
                }
                Some(TokenKind::LeftBrace)
                    if closer == TokenKind::RightParenthesis && !elements.is_empty() =>
                {
                    self.unclosed(open, closer, first);
                    break;
                }
                None | Some(TokenKind::RightBrace) => {
                    if failed && closer == TokenKind::RightParenthesis {
                        return Err(Reported);
                    }
                    self.unclosed(open, closer, first);
                    break;
                }
                _ if self.at_item() => {
                    self.unclosed(open, closer, first);
                    break;
                }
                Some(_) => {
                    let start = self.here();
                    match T::parse(self) {
                        Ok((element, its_height)) => {
                            height = height.max(its_height);
                            elements.push(element);
                            if !self.after_element::<T>(closer) {
                                failed = true;
                            }
                        }
                        Err(Reported) => {
                            failed = true;
                            self.skip_to(&[TokenKind::Semicolon, closer]);
                            let end = self.previous_end().max(start.start);
                            height = height.max(1);
                            elements.push(T::hole(Span::new(start.start, end)));
                        }
                    }
                }
            }
        }
        let span = Span::new(open.start, self.previous_end());
        Ok(Sequence { elements, span, height })
    }

    /// Checks that an element ends where it should; otherwise says so and finds a place to go on.
    fn after_element<T: Element>(&mut self, closer: TokenKind) -> bool {
        let Some(kind) = self.peek() else { return true };
        match kind {
            TokenKind::Semicolon | TokenKind::RightBrace | TokenKind::RightParenthesis => true,
            TokenKind::LeftBrace if closer == TokenKind::RightParenthesis => true,
            _ if self.at_item() => true,
            _ if closer == TokenKind::RightBrace && T::can_start(kind) => {
                let after_block = self.position.checked_sub(1).and_then(|i| self.tokens.get(i));
                if T::BLOCKS_END && after_block.is_some_and(|t| t.kind == TokenKind::RightBrace) {
                    return true;
                }
                let message = format!("expected `;` between two {}", T::MANY);
                let diagnostic = Diagnostic::error("missing-semicolon", message, self.gap())
                    .with_label("expected `;` here")
                    .with_fix("add it", self.gap(), ";");
                self.report(diagnostic);
                true
            }
            _ => {
                self.unexpected(kind, closer);
                self.skip_to(&[TokenKind::Semicolon, closer]);
                false
            }
        }
    }
}
