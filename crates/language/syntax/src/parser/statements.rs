//! What a process does.
//!
//! Words like `await` are recognised by what follows them; `await := 1` is an assignment to a variable.

use super::expressions::{power, starts_expression};
use super::sequence::Element;
use super::{MAX_DEPTH, Parser, Reported};
use crate::ast::ExprKind;
use crate::ast::process::{Body, Statement, StatementKind};
use crate::lexer::TokenKind;
use ser_base::{Diagnostic, Span};

/// A statement and the height of its tree.
type Parsed = (StatementKind, usize);

impl Element for Statement {
    const MANY: &'static str = "statements";
    const BLOCKS_END: bool = true;

    fn parse(parser: &mut Parser<'_>) -> Result<(Statement, usize), Reported> {
        parser.statement()
    }

    fn hole(span: Span) -> Statement {
        Statement { kind: StatementKind::Error, span }
    }

    fn span(&self) -> Span {
        self.span
    }

    fn can_start(kind: TokenKind) -> bool {
        starts_expression(kind)
    }
}

impl Parser<'_> {
    fn statement(&mut self) -> Result<(Statement, usize), Reported> {
        if self.depth >= MAX_DEPTH {
            return Err(self.nested_too_deeply());
        }
        self.depth += 1;
        let start = self.here();
        let parsed = self.statement_kind();
        self.depth -= 1;
        let (kind, below) = parsed?;
        let span = Span::new(start.start, self.previous_end());
        Ok((Statement { kind, span }, below + 1))
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
                    let diagnostic = Diagnostic::error("expected-count", message, self.here())
                        .with_label("expected a number after this")
                        .with_fix("for example twice", at, " 2")
                        .with_help("forever is `while (1) { ... }`");
                    self.report(diagnostic);
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
                let diagnostic = Diagnostic::error("expected-statement", message, self.here())
                    .with_label("unexpected block here")
                    .with_fix("if it is one action, write `atomic {`", self.here(), "atomic {");
                self.report(diagnostic);
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
        let is_else_if = match self.peek() {
            Some(TokenKind::Else) => {
                self.bump();
                self.at(TokenKind::If)
            }
            Some(TokenKind::Name) if self.misspelt_else_if() => true,
            _ => {
                let below = condition.height.max(then_height);
                return Ok((StatementKind::If(condition.expr, then, None), below));
            }
        };
        let (otherwise, else_height) = if is_else_if {
            if self.depth >= MAX_DEPTH {
                return Err(self.nested_too_deeply());
            }
            self.depth += 1;
            let start = self.here();
            let chained = self.if_statement();
            self.depth -= 1;
            let (kind, height) = chained?;
            let span = Span::new(start.start, self.previous_end());
            (Body { statements: vec![Statement { kind, span }], span }, height + 1)
        } else {
            self.statement_branch("else")?
        };
        let below = condition.height.max(then_height).max(else_height);
        Ok((StatementKind::If(condition.expr, then, Some(otherwise)), below))
    }

    /// The block after `if`, `else`, `while` or `repeat`.
    fn statement_branch(&mut self, after: &str) -> Result<(Body, usize), Reported> {
        match self.peek() {
            Some(TokenKind::LeftBrace) => Ok(self.body_of_statements()),
            Some(TokenKind::Colon) => Err(self.colon()),
            _ => {
                let reported = self.missing_braces(after);
                match self.peek() {
                    Some(TokenKind::LeftBrace) => Ok(self.body_of_statements()),
                    Some(kind) if starts_expression(kind) => {
                        let before = std::mem::replace(&mut self.in_condition, false);
                        let only = self.statement();
                        self.in_condition = before;
                        let (only, height) = only?;
                        let span = only.span;
                        Ok((Body { statements: vec![only], span }, height))
                    }
                    _ => Err(reported),
                }
            }
        }
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
        while self.eat(TokenKind::Or).is_some() {
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
            let diagnostic = Diagnostic::error("return-with-value", message, value.span)
                .with_label("nobody sees this value")
                .with_fix("end the process with `return`", start.to(value.span), "return");
            self.sink.push(diagnostic);
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
                let message = format!("expected the name of a variable, found {}", self.found());
                let diagnostic = Diagnostic::error("expected-name", message, self.here())
                    .with_label("what is received is put into a variable")
                    .with_help(
                        "to wait for a certain item, look at it afterwards: `receive Q(x); await(x == 1)`",
                    );
                Err(self.report(diagnostic))
            }
        };
        let variable = self.close_parenthesis(open, inside, false)?;
        Ok((StatementKind::Receive(queue, variable), 0))
    }
}
