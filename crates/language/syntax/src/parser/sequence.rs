//! Things in brackets with `;` between them: expressions, statements, the arcs of a transition.
//!
//! Errors inside are dealt with here: skip to the next `;` or to the end of the brackets, leave a
//! hole, go on.

use super::Parser;
use super::expressions::starts_expression;
use crate::ast::{Expr, ExprKind, Node};
use crate::lexer::TokenKind;
use crate::report::Reported;
use ser_base::Span;

/// The kinds of things that can stand in a sequence.
pub(super) trait Element: Sized {
    /// What several of them are called.
    const MANY: &'static str;
    /// Whether a `;` may be left out after one that ends with `}`.
    const BLOCKS_END: bool;
    /// What to put where something was not understood.
    const HOLE: Self;

    /// Reads one, with the height of its tree.
    fn parse(parser: &mut Parser<'_>) -> Result<(Node<Self>, usize), Reported>;

    /// Whether one can start with this token.
    fn can_start(kind: TokenKind) -> bool {
        starts_expression(kind)
    }
}

impl Element for ExprKind {
    const MANY: &'static str = "expressions";
    const BLOCKS_END: bool = true;
    const HOLE: ExprKind = ExprKind::Error;

    fn parse(parser: &mut Parser<'_>) -> Result<(Expr, usize), Reported> {
        parser.statement_or_value().map(|tree| (tree.expr, tree.height))
    }
}

/// What was read between two brackets.
pub(super) struct Sequence<T> {
    pub(super) elements: Vec<Node<T>>,
    pub(super) span: Span,
    pub(super) height: usize,
}

impl Parser<'_> {
    /// Elements with `;` between them, from the bracket at the current token to its `closer`.
    ///
    /// `Err` only if parentheses had errors inside *and* are not closed: then nobody knows what
    /// they were meant to contain.
    pub(super) fn sequence<T: Element>(
        &mut self,
        closer: TokenKind,
    ) -> Result<Sequence<T>, Reported> {
        let open = self.bump();
        let mut elements: Vec<Node<T>> = Vec::new();
        let mut height = 0;
        let mut failed = false;
        loop {
            if self.eat(closer) {
                break;
            }
            let first = elements.first().map(|first| first.span.end);
            match self.peek() {
                Some(TokenKind::Semicolon) => {
                    self.bump();
                }
                Some(TokenKind::RightParenthesis) => {
                    self.stray_parenthesis();
                    self.bump();
                }
                None | Some(TokenKind::RightBrace)
                    if failed && closer == TokenKind::RightParenthesis =>
                {
                    return Err(Reported);
                }
                None | Some(TokenKind::RightBrace) => {
                    self.unclosed(open, closer, first);
                    break;
                }
                Some(TokenKind::LeftBrace)
                    if closer == TokenKind::RightParenthesis && !elements.is_empty() =>
                {
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
                            failed |= !self.after_element::<T>(closer);
                        }
                        Err(Reported) => {
                            failed = true;
                            self.skip_to(&[TokenKind::Semicolon, closer]);
                            let end = self.previous_end().max(start.start);
                            height = height.max(1);
                            let span = Span::new(start.start, end);
                            elements.push(Node { kind: T::HOLE, span });
                        }
                    }
                }
            }
        }
        Ok(Sequence { elements, span: self.since(open), height })
    }

    /// `{ a; b }`, where nothing is a condition; the current token is the `{`.
    pub(super) fn in_braces<T: Element>(&mut self) -> Sequence<T> {
        let start = self.here();
        self.in_condition(false, |parser| parser.sequence(TokenKind::RightBrace)).unwrap_or_else(
            |Reported| Sequence { elements: Vec::new(), span: self.since(start), height: 0 },
        )
    }

    /// What follows `after`, in braces. Without them, a single element is taken for it.
    pub(super) fn branch<T: Element>(&mut self, after: &str) -> Result<Sequence<T>, Reported> {
        match self.peek() {
            Some(TokenKind::LeftBrace) => return Ok(self.in_braces()),
            Some(TokenKind::Colon) => return Err(self.colon()),
            _ => {}
        }
        let reported = self.missing_body(after);
        match self.peek() {
            Some(TokenKind::LeftBrace) => Ok(self.in_braces()),
            Some(kind) if starts_expression(kind) => {
                let (only, height) = self.in_condition(false, T::parse)?;
                let span = only.span;
                Ok(Sequence { elements: vec![only], span, height })
            }
            _ => Err(reported),
        }
    }

    /// The `else` of an `if` that has just ended: whether an `if` stands there.
    pub(super) fn otherwise(&mut self) -> Option<bool> {
        match self.peek() {
            Some(TokenKind::Else) => {
                self.bump();
                Some(self.at(TokenKind::If))
            }
            Some(TokenKind::Name) if self.misspelt_else_if() => Some(true),
            _ => None,
        }
    }

    /// Checks that an element ends where it should; otherwise says so and finds a place to go on.
    fn after_element<T: Element>(&mut self, closer: TokenKind) -> bool {
        let Some(kind) = self.peek() else { return true };
        match kind {
            TokenKind::Semicolon | TokenKind::RightBrace | TokenKind::RightParenthesis => true,
            TokenKind::LeftBrace if closer == TokenKind::RightParenthesis => true,
            _ if self.at_item() => true,
            _ if closer == TokenKind::RightBrace && T::can_start(kind) => {
                let after_block =
                    self.previous().is_some_and(|token| token.kind == TokenKind::RightBrace);
                if !T::BLOCKS_END || !after_block {
                    let many = match self.in_processes {
                        false => T::MANY,
                        true => "statements",
                    };
                    self.missing_semicolon(format!("expected `;` between two {many}"));
                }
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
