//! What a process does.
//!
//! Words like `await` are recognised by what follows them; `await := 1` is an assignment to a
//! variable.

use super::Parser;
use super::expressions::starts_expression;
use super::sequence::Element;
use crate::ast::ExprKind;
use crate::ast::process::{Body, Statement, StatementKind};
use crate::grammar::{Grammar as _, power};
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Reported, error};
use ser_base::Span;

/// A statement and the height of its tree.
type Parsed = (StatementKind, usize);

impl Element for StatementKind {
    const MANY: &'static str = "statements";
    const BLOCKS_END: bool = true;
    const HOLE: StatementKind = StatementKind::Error;

    fn parse(parser: &mut Parser<'_>) -> Result<(Statement, usize), Reported> {
        parser.statement()
    }
}

impl Parser<'_> {
    fn statement(&mut self) -> Result<(Statement, usize), Reported> {
        let start = self.here();
        let (kind, below) = self.deeper(Parser::statement_kind)?;
        Ok((Statement { kind, span: self.since(start) }, below + 1))
    }

    fn statement_kind(&mut self) -> Result<Parsed, Reported> {
        let next = self.peek_at(1);
        match (self.peek(), self.here_text()) {
            (Some(TokenKind::If), _) => self.if_statement(),
            (Some(TokenKind::While), _) => {
                self.bump();
                let condition = self.condition()?;
                let (body, height) = self.statement_branch("while")?;
                let below = condition.height.max(height);
                Ok((StatementKind::While(condition.expr, body), below))
            }
            (Some(TokenKind::Choose), _) if next == Some(TokenKind::LeftBrace) => {
                self.choose_statement()
            }
            (Some(TokenKind::Return), _) => self.return_statement(),
            (Some(TokenKind::Name), word) if next != Some(TokenKind::Assign) => match word {
                "await" => self.await_statement(),
                "atomic" if next == Some(TokenKind::LeftBrace) => {
                    self.bump();
                    let (body, height) = self.body_of_statements();
                    Ok((StatementKind::Atomic(body), height))
                }
                "repeat" if next == Some(TokenKind::LeftBrace) => {
                    let message = "say how often this is repeated";
                    let at = Span::empty(self.here().end);
                    error("expected-count", message, self.here(), "expected a number after this")
                        .with_fix("for example twice", at, " 2")
                        .with_help("forever is `while (1) { ... }`")
                        .report(self);
                    self.bump();
                    let (body, height) = self.body_of_statements();
                    Ok((StatementKind::Atomic(body), height))
                }
                "repeat" if next.is_some_and(starts_expression) => {
                    self.bump();
                    let count = self.expression(power::SUM)?;
                    let (body, height) = self.statement_branch("repeat")?;
                    let below = count.height.max(height);
                    Ok((StatementKind::Repeat(count.expr, body), below))
                }
                "send" if next == Some(TokenKind::Name) => self.send(),
                "receive" if next == Some(TokenKind::Name) => self.receive(),
                "skip" if next.is_none_or(|kind| !starts_expression(kind)) => {
                    self.bump();
                    Ok((StatementKind::Skip, 0))
                }
                _ => self.expression_statement(),
            },
            (Some(TokenKind::LeftBrace), _) => {
                let message = "expected a statement, found `{`";
                error("expected-statement", message, self.here(), "unexpected block here")
                    .with_fix("if it is one action, write `atomic {`", self.here(), "atomic {")
                    .report(self);
                let (body, height) = self.body_of_statements();
                Ok((StatementKind::Atomic(body), height))
            }
            _ => self.expression_statement(),
        }
    }

    fn expression_statement(&mut self) -> Result<Parsed, Reported> {
        let tree = self.expression(0)?;
        let kind = match tree.expr.kind {
            // The same thing under the name that it has in `.ser` programs.
            ExprKind::Assume(condition) => StatementKind::Await(*condition, None),
            kind => StatementKind::Expr(crate::ast::Expr { kind, span: tree.expr.span }),
        };
        Ok((kind, tree.height))
    }

    /// `if condition { ... } else ...`.
    fn if_statement(&mut self) -> Result<Parsed, Reported> {
        self.bump();
        let condition = self.condition()?;
        let (then, then_height) = self.statement_branch("if")?;
        let below = condition.height.max(then_height);
        let (otherwise, else_height) = match self.otherwise() {
            None => return Ok((StatementKind::If(condition.expr, then, None), below)),
            Some(false) => self.statement_branch("else")?,
            Some(true) => {
                let start = self.here();
                let (kind, height) = self.deeper(Parser::if_statement)?;
                let span = self.since(start);
                (Body { statements: vec![Statement { kind, span }], span }, height + 1)
            }
        };
        let kind = StatementKind::If(condition.expr, then, Some(otherwise));
        Ok((kind, below.max(else_height)))
    }

    /// The block after `if`, `else`, `while` or `repeat`.
    fn statement_branch(&mut self, after: &str) -> Result<(Body, usize), Reported> {
        let inside = self.branch(after)?;
        Ok((Body { statements: inside.elements, span: inside.span }, inside.height))
    }

    /// `await(condition)`, `await(condition) { ... }`.
    fn await_statement(&mut self) -> Result<Parsed, Reported> {
        self.bump();
        let open = self.open_parenthesis("await(X == 1)")?;
        let inside = self.condition();
        let condition = self.close_parenthesis(open, inside, false)?;
        if self.at(TokenKind::LeftBrace) {
            let (body, height) = self.body_of_statements();
            let below = condition.height.max(height);
            return Ok((StatementKind::Await(condition.expr, Some(body)), below));
        }
        Ok((StatementKind::Await(condition.expr, None), condition.height))
    }

    /// `choose { ... } or { ... }`.
    fn choose_statement(&mut self) -> Result<Parsed, Reported> {
        self.bump();
        let (first, mut below) = self.body_of_statements();
        let mut alternatives = vec![first];
        while self.eat(TokenKind::Or) {
            let (alternative, height) = self.statement_branch("or")?;
            below = below.max(height);
            alternatives.push(alternative);
        }
        Ok((StatementKind::Choose(alternatives), below))
    }

    /// `return`; a process has no response.
    fn return_statement(&mut self) -> Result<Parsed, Reported> {
        let start = self.bump();
        if self.peek().is_some_and(starts_expression) {
            let value = self.expression(0)?.expr;
            let message = "a process has no response";
            error("return-with-value", message, value.span, "nobody sees this value")
                .with_fix("end the process with `return`", start.to(value.span), "return")
                .report(self.sink);
        }
        Ok((StatementKind::Return, 0))
    }

    /// `send Q(value)`.
    fn send(&mut self) -> Result<Parsed, Reported> {
        self.bump();
        let queue = self.name("a queue")?;
        let open = self.open_parenthesis("send Q(1)")?;
        let inside = self.expression(0);
        let value = self.close_parenthesis(open, inside, false)?;
        Ok((StatementKind::Send(queue, value.expr), value.height))
    }

    /// `receive Q(variable)`.
    fn receive(&mut self) -> Result<Parsed, Reported> {
        self.bump();
        let queue = self.name("a queue")?;
        let open = self.open_parenthesis("receive Q(x)")?;
        let inside = match self.peek() {
            Some(TokenKind::Name) => self.name("a variable"),
            _ => {
                let label = "what is received is put into a variable";
                let help = "to wait for a certain item, look at it afterwards: \
                            `receive Q(x); await(x == 1)`";
                Err(self.expected("expected-name", "the name of a variable", label, &[help]))
            }
        };
        let variable = self.close_parenthesis(open, inside, false)?;
        Ok((StatementKind::Receive(queue, variable), 0))
    }
}
