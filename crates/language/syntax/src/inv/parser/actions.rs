//! The parts of a step.

use super::Parser;
use crate::grammar::{Expr, Expressions, Grammar};
use crate::inv::syntax::{Action, ActionKind};
use crate::lexer::TokenKind;
use crate::report::Reported;

/// What a statement that starts with a word of an action turned out to be.
pub(super) enum Simple {
    Action(Action),
    /// `x := call`: the target; the current token is the `call`.
    Call(Expr),
}

impl Parser<'_> {
    /// `{ action ... }` behind `atomic`, `ghost`, or an `if` inside.
    pub(super) fn actions(&mut self, after: &str) -> Result<Vec<Action>, Reported> {
        self.block_of(after, Parser::action).map(|(actions, _)| actions)
    }

    fn action(&mut self) -> Result<Action, Reported> {
        self.one_more()?;
        match self.word_at(0) {
            Some("if") => return self.conditional_action(),
            Some(
                "label" | "noncritical" | "critical" | "atomic" | "call" | "return" | "while"
                | "loop" | "choice" | "ghost",
            ) => return Err(self.statement_in_action()),
            Some(_) if self.peek_at(1) == Some(TokenKind::Colon) => {
                return Err(self.named_action());
            }
            _ => {}
        }
        let action = match self.simple_action(false)? {
            Simple::Action(action) => action,
            Simple::Call(_) => return Err(self.statement_in_action()),
        };
        self.semicolon()?;
        Ok(action)
    }

    /// `if c { ... } else { ... }` in `atomic` or `ghost`.
    fn conditional_action(&mut self) -> Result<Action, Reported> {
        let start = self.bump();
        let condition = self.condition("if")?;
        let then = self.actions("if")?;
        let otherwise = self
            .alternative(|it| it.actions("else"), |it| Ok(vec![it.conditional_action()?]))?
            .unwrap_or_default();
        let kind = ActionKind::If { condition, then, otherwise };
        Ok(Action { span: self.since(start), kind })
    }

    /// An action without its `;`.
    pub(super) fn simple_action(&mut self, is_statement: bool) -> Result<Simple, Reported> {
        let start = self.here();
        let kind = match self.word_at(0) {
            Some("skip") => {
                self.bump();
                ActionKind::Skip
            }
            Some("await") => ActionKind::Await(self.argument()?),
            Some("assert") => ActionKind::Assert(self.argument()?),
            Some("lock") => ActionKind::Lock(self.argument()?),
            Some("unlock") => ActionKind::Unlock(self.argument()?),
            _ if self.starts_place() => {
                let target = self.target(is_statement)?;
                if self.at_word("call") {
                    return Ok(Simple::Call(target));
                }
                self.assigned(target)?
            }
            _ => return Err(self.mistaken_statement()),
        };
        Ok(Simple::Action(Action { span: self.since(start), kind }))
    }

    /// What stands behind a word like `await`.
    fn argument(&mut self) -> Result<Expr, Reported> {
        self.bump();
        self.expression()
    }

    /// Whether something that could be assigned stands here.
    fn starts_place(&self) -> bool {
        let is_word = matches!(self.word_at(0), Some("break" | "continue" | "yield"))
            && self.peek_at(1) == Some(TokenKind::Semicolon);
        self.is_name_at(0)
            && !is_word
            && !matches!(self.peek_at(1), Some(kind) if kind == TokenKind::Name || kind.is_keyword())
            || self.at(TokenKind::LeftParenthesis)
            || matches!(self.word_at(0), Some("me" | "null" | "nobody" | "at"))
                && self.peek_at(1) != Some(TokenKind::Name)
    }

    /// What stands before `:=`, and the `:=`.
    fn target(&mut self, is_statement: bool) -> Result<Expr, Reported> {
        self.compound_assignment()?;
        let target = self.place_expression()?;
        if self.eat(TokenKind::Assign) {
            return Ok(target);
        }
        if self.at(TokenKind::Equal) {
            self.equals_for_assignment(&[]);
            self.bump();
            return Ok(target);
        }
        Err(self.not_an_assignment(&target, is_statement))
    }

    /// What stands behind `:=`.
    fn assigned(&mut self, target: Expr) -> Result<ActionKind, Reported> {
        match self.word_at(0) {
            Some("havoc") => {
                self.bump();
                let condition = match self.eat_word("where") {
                    true => Some(self.expression()?),
                    false => None,
                };
                Ok(ActionKind::Havoc { target, condition })
            }
            Some("malloc") => {
                self.bump();
                let open = self.here();
                if !self.eat(TokenKind::LeftParenthesis) {
                    return Err(self.malformed_malloc());
                }
                let data = self.expression()?;
                if !self.eat(TokenKind::Comma) {
                    return Err(self.malformed_malloc());
                }
                let next = self.expression()?;
                self.close(open, TokenKind::RightParenthesis, "`,` or ")?;
                Ok(ActionKind::Malloc { target, data, next })
            }
            _ => Ok(ActionKind::Assign { target, value: self.expression()? }),
        }
    }
}
