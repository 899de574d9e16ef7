//! What a process does.

use super::Parser;
use crate::ast::Name;
use crate::grammar::{Expr, ExprKind, Expressions, Grammar};
use crate::icet::syntax::{Arm, Pattern, PatternKind, Stmt, StmtKind, Value};
use crate::lexer::TokenKind;
use crate::report::{Report as _, Reported, error};

impl Parser<'_> {
    /// The block of a process or a statement, with what `after` says before it.
    pub(super) fn block_after(&mut self, after: &str) -> Result<Vec<Stmt>, Reported> {
        self.block_of(after, Parser::statement).map(|(statements, _)| statements)
    }

    fn statement(&mut self) -> Result<Stmt, Reported> {
        self.one_more()?;
        let start = self.here();
        let kind = match self.word_at(0) {
            Some("if") => self.conditional()?,
            Some("match") => self.matching()?,
            Some("while") => self.while_loop()?,
            Some("loop") => {
                self.bump();
                StmtKind::Loop { body: self.block_after("loop")? }
            }
            Some("for") => self.for_loop()?,
            _ => {
                let kind = self.simple_statement()?;
                self.semicolon()?;
                kind
            }
        };
        Ok(Stmt { span: self.since(start), kind })
    }

    /// A statement that ends with `;`.
    fn simple_statement(&mut self) -> Result<StmtKind, Reported> {
        match self.word_at(0) {
            Some("send") => self.send(),
            Some("recv") => self.receive(None),
            Some("break") => self.alone(StmtKind::Break),
            Some("fail") => self.alone(StmtKind::Fail),
            Some("skip") => self.alone(StmtKind::Skip),
            Some("assert") => {
                self.bump();
                Ok(StmtKind::Assert { condition: self.expression()? })
            }
            Some(_) if self.at_misspelt_receive() => self.receive(None),
            Some(_) if self.pattern_follows() => {
                let pattern = self.pattern()?;
                self.arrow()?;
                self.receive(Some(pattern))
            }
            Some(_) if self.is_name_at(0) && self.peek_at(1) == Some(TokenKind::Assign) => {
                let name = self.name("a variable")?;
                self.bump();
                self.assigned(name)
            }
            Some(_) if self.is_name_at(0) && self.peek_at(1) == Some(TokenKind::Equal) => {
                let name = self.name("a variable")?;
                self.equals_for_assignment(&[]);
                self.bump();
                self.assigned(name)
            }
            _ => Err(self.mistaken_statement()),
        }
    }

    fn alone(&mut self, kind: StmtKind) -> Result<StmtKind, Reported> {
        self.bump();
        Ok(kind)
    }

    /// `send payload to whom`.
    fn send(&mut self) -> Result<StmtKind, Reported> {
        self.bump();
        let payload = self.expression()?;
        if !self.eat_word("to") {
            let message = format!("expected `to` and a process, found {}", self.found());
            let mut diagnostic = error("expected-to", message, self.gap(), "expected `to` here")
                .with_help("it looks like `send Ping to p;`");
            if matches!(payload.kind, ExprKind::Name(_)) && self.at(TokenKind::Comma) {
                diagnostic = diagnostic.with_fix("write `to`", self.here(), " to");
            }
            return Err(self.report(diagnostic));
        }
        let to = self.expression()?;
        Ok(StmtKind::Send { payload, to })
    }

    /// `recv TYPE from source`; the current token is the `recv`.
    fn receive(&mut self, pattern: Option<Pattern>) -> Result<StmtKind, Reported> {
        if !self.at_word("recv") && !self.misspelt_receive() {
            return Err(self.expected_receive());
        }
        self.bump();
        let message = self.name("a message type")?;
        if self.at(TokenKind::LeftParenthesis) {
            return Err(self.receive_with_fields(&message));
        }
        let from = match self.eat_word("from") {
            true if self.at(TokenKind::Star) => {
                self.bump();
                None
            }
            true => Some(self.expression()?),
            false => None,
        };
        Ok(StmtKind::Receive { pattern, message, from })
    }

    /// What stands behind `name :=`.
    fn assigned(&mut self, name: Name) -> Result<StmtKind, Reported> {
        let value = match self.word_at(0) {
            Some("any") => {
                self.bump();
                Value::Any(self.type_name()?)
            }
            Some("pick") => {
                self.bump();
                Value::Pick(self.name("a set")?)
            }
            Some(_) if self.at_word("recv") || self.at_misspelt_receive() => {
                self.assigned_receive();
                let pattern = Pattern { span: name.span, kind: PatternKind::Name(name) };
                return self.receive(Some(pattern));
            }
            Some("spawn") => return Err(self.spawn()),
            _ => Value::Expr(self.expression()?),
        };
        Ok(StmtKind::Assign { name, value })
    }

    /// Whether a pattern and `<-` (or what was meant to be one) stand here.
    fn pattern_follows(&self) -> bool {
        let Some(word) = self.word_at(0) else { return false };
        let mut end = 1;
        if self.peek_at(1) == Some(TokenKind::LeftParenthesis) {
            // Fields are names: nothing in brackets can stand inside.
            end = 2;
            while !matches!(
                self.peek_at(end),
                None | Some(
                    TokenKind::LeftParenthesis | TokenKind::RightParenthesis | TokenKind::Semicolon
                )
            ) {
                end += 1;
            }
            end += 1;
        } else if word != "_" && !self.is_name_at(0) {
            return false;
        }
        self.arrow_at(end) || self.wrong_arrow_at(end).is_some()
    }

    /// `_`, `x`, `None`, `Task(m, _)`.
    fn pattern(&mut self) -> Result<Pattern, Reported> {
        let start = self.here();
        if self.eat_word("_") {
            return Ok(Pattern { span: start, kind: PatternKind::Ignore });
        }
        let name = self.name("a variable or a constructor")?;
        let fields = self.in_parentheses(|parser| match parser.eat_word("_") {
            true => Ok(None),
            false => parser.field_of_pattern().map(Some),
        })?;
        let Some(fields) = fields else {
            return Ok(Pattern { span: start, kind: PatternKind::Name(name) });
        };
        Ok(Pattern { span: self.since(start), kind: PatternKind::Constructor(name, fields) })
    }

    fn field_of_pattern(&mut self) -> Result<Name, Reported> {
        if self.at(TokenKind::Number) || self.at_word("true") || self.at_word("false") {
            let label = "a pattern does not compare";
            let help = "take the field into a variable, and compare it with `if` or `assert`";
            return Err(self.expected("value-in-pattern", "a variable or `_`", label, &[help]));
        }
        self.name("a variable")
    }

    /// `if c { ... } else { ... }`; the current token is the `if`.
    fn conditional(&mut self) -> Result<StmtKind, Reported> {
        self.bump();
        let condition =
            match self.at(TokenKind::Star) && self.peek_at(1) == Some(TokenKind::LeftBrace) {
                true => {
                    self.bump();
                    None
                }
                false => Some(self.condition("if")?),
            };
        let then = self.block_after("if")?;
        let otherwise = self.alternative(
            |it| it.block_after("else"),
            |it| {
                let start = it.here();
                let kind = it.conditional()?;
                Ok(vec![Stmt { kind, span: it.since(start) }])
            },
        )?;
        Ok(StmtKind::If { condition, then, otherwise: otherwise.unwrap_or_default() })
    }

    fn condition(&mut self, after: &str) -> Result<Expr, Reported> {
        if self.at(TokenKind::LeftBrace) {
            self.missing_condition(after, "if either may happen, write `if * { ... }`");
            return Ok(Expr { span: self.gap(), kind: ExprKind::Error });
        }
        self.expression()
    }

    fn while_loop(&mut self) -> Result<StmtKind, Reported> {
        self.bump();
        if self.at(TokenKind::Star) && self.peek_at(1) == Some(TokenKind::LeftBrace) {
            return Err(self.while_star());
        }
        let condition = self.condition("while")?;
        Ok(StmtKind::While { condition, body: self.block_after("while")? })
    }

    fn for_loop(&mut self) -> Result<StmtKind, Reported> {
        self.bump();
        let name = self.name("the variable of the loop")?;
        self.expect_in(&name)?;
        if !self.is_name_at(0) {
            return Err(self.for_over_no_set());
        }
        let set = self.name("a set")?;
        if self.at(TokenKind::DotDot) {
            return Err(self.for_over_no_set());
        }
        Ok(StmtKind::For { name, set, body: self.block_after("for")? })
    }

    /// `match x { pattern => { ... } ... }`.
    fn matching(&mut self) -> Result<StmtKind, Reported> {
        self.bump();
        if !self.is_name_at(0) || self.peek_at(1) != Some(TokenKind::LeftBrace) {
            return Err(self.malformed_match());
        }
        let name = self.name("a variable")?;
        let arms = self.deeper(Parser::arms)?;
        Ok(StmtKind::Match { name, arms })
    }

    fn arms(&mut self) -> Result<Vec<Arm>, Reported> {
        let open = self.bump();
        let mut arms = Vec::new();
        while !self.eat(TokenKind::RightBrace) {
            if self.peek().is_none() || self.at_item() {
                self.unclosed(open, TokenKind::RightBrace, None);
                break;
            }
            match self.arm() {
                Ok(arm) => arms.push(arm),
                Err(reported) => {
                    // Where the arms are not understood, the rest of them are not, either.
                    self.skip_arms();
                    return Err(reported);
                }
            }
        }
        Ok(arms)
    }

    fn arm(&mut self) -> Result<Arm, Reported> {
        let pattern = self.pattern()?;
        if !self.at_double_arrow() {
            return Err(self.expected_double_arrow());
        }
        self.bump_all(2);
        let body = self.block_after("=>")?;
        self.eat(TokenKind::Comma);
        Ok(Arm { pattern, body })
    }
}
