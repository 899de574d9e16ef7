//! The top level of `.events` files: constants, enumerations, shared variables, processes, goals.

use super::expressions::power;
use super::{Parser, Reported};
use crate::ast::Name;
use crate::ast::process::{Body, GoalItem, Items, Process, Type, TypeKind, Variable};
use crate::lexer::TokenKind;
use ser_base::{Diagnostic, Span};

impl Parser<'_> {
    /// A whole file: items in any order, with `;` or `,` between them or not.
    pub(super) fn process_items(&mut self) -> Items {
        let mut items = Items::default();
        while let Some(kind) = self.peek() {
            if matches!(kind, TokenKind::Semicolon | TokenKind::Comma) {
                self.bump();
                continue;
            }
            if let Err(Reported) = self.process_item(kind, &mut items) {
                items.holes = true;
                self.skip_to_item(true);
            }
        }
        items
    }

    fn process_item(&mut self, kind: TokenKind, items: &mut Items) -> Result<(), Reported> {
        let next = self.peek_at(1);
        let word = if kind == TokenKind::Name { self.here_text() } else { "" };
        let declares = matches!(
            next,
            Some(TokenKind::In | TokenKind::Colon | TokenKind::Assign | TokenKind::Equal)
        );
        match word {
            _ if kind == TokenKind::Const => {
                let constant = self.constant()?;
                items.constants.push(constant);
            }
            _ if kind == TokenKind::Request => return Err(self.request_for_process()),
            "process" | "thread" if next == Some(TokenKind::Name) => {
                let process = self.process()?;
                items.processes.push(process);
            }
            "enum" if next == Some(TokenKind::Name) => self.enumeration(items)?,
            "reach" if !declares => {
                let goal = self.reach()?;
                items.goals.push(goal);
            }
            _ if declares && (kind == TokenKind::Name || kind.is_keyword()) => {
                let variable = self.variable()?;
                items.variables.push(variable);
            }
            _ => {
                self.not_an_item(items.processes.last().map(|last| (&last.name, last.span)));
                self.bump();
                return Err(Reported);
            }
        }
        Ok(())
    }

    fn request_for_process(&mut self) -> Reported {
        let message = "there are no requests here, but processes";
        let diagnostic = Diagnostic::error("request-for-process", message, self.here())
            .with_label("expected `process`")
            .with_fix("write `process`", self.here(), "process")
            .with_help("requests come in any number, and stand in files that end in `.ser`");
        let reported = self.report(diagnostic);
        self.bump();
        reported
    }

    /// `Name in low..high := first`, `Name : type := first`.
    fn variable(&mut self) -> Result<Variable, Reported> {
        let name = self.name("a variable")?;
        let values = match self.peek() {
            Some(TokenKind::In | TokenKind::Colon) => {
                self.bump();
                self.values()
            }
            _ => {
                let span = Span::empty(name.span.end);
                Ok(Type { kind: TypeKind::Error, span })
            }
        };
        let unbounded = matches!(&values, Ok(Type { kind: TypeKind::Error, .. }));
        if unbounded {
            let Name { text, span } = &name;
            let message = format!("say which values `{text}` can have");
            let rest = self.text.get(self.here().end as usize..).unwrap_or("");
            let number: String =
                rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
            let first = if number.is_empty() { "0" } else { &number };
            let high = first.parse::<i64>().map_or(10, |value| value.max(10));
            let diagnostic = Diagnostic::error("unbounded-variable", message, *span)
                .with_label("its values have no bounds")
                .with_fix(
                    format!("for example `{text} in 0..{high} := {first}`"),
                    Span::empty(span.end),
                    format!(" in 0..{high}"),
                );
            self.report(diagnostic);
        }
        let values = match values {
            Ok(values) => values,
            Err(Reported) => {
                // The name is worth knowing: everything that uses it is fine.
                self.skip_to_item(true);
                Type { kind: TypeKind::Error, span: self.gap() }
            }
        };
        let first = match self.peek() {
            Some(TokenKind::Assign) => {
                self.bump();
                Some(self.expression(power::OR)?.expr)
            }
            Some(TokenKind::Equal) => {
                let message = "a first value is given with `:=`, not with `=`";
                let diagnostic = Diagnostic::error("equals-for-assignment", message, self.here())
                    .with_label("expected `:=`")
                    .with_fix("write `:=`", self.here(), ":=");
                self.report(diagnostic);
                self.bump();
                Some(self.expression(power::OR)?.expr)
            }
            _ => None,
        };
        Ok(Variable { name, values, first })
    }

    /// `process name(parameters) { body }`.
    fn process(&mut self) -> Result<Process, Reported> {
        let start = self.bump();
        let name = self.name("a process")?;
        let parameters = match self.peek() {
            Some(TokenKind::LeftParenthesis) => self.parameters()?,
            _ => Vec::new(),
        };
        let body = match self.peek() {
            Some(TokenKind::LeftBrace) => self.body_of_statements().0,
            Some(TokenKind::Colon) => return Err(self.colon()),
            _ => {
                let message = format!("expected `{{` and a body, found {}", self.found());
                let diagnostic = Diagnostic::error("expected-body", message, self.gap())
                    .with_label("expected `{` here")
                    .with_help(format!("a process looks like `process {} {{ ... }}`", name.text));
                return Err(self.report(diagnostic));
            }
        };
        let span = Span::new(start.start, body.span.end);
        Ok(Process { name, parameters, body, span })
    }

    /// `reach condition`, `reach "name": condition`, `reach name: condition`.
    fn reach(&mut self) -> Result<GoalItem, Reported> {
        let start = self.bump();
        let name = match (self.peek(), self.peek_at(1)) {
            (Some(TokenKind::Quoted), _) => {
                let text = self.here_text().trim_matches('"').to_owned();
                self.bump();
                if self.eat(TokenKind::Colon).is_none() {
                    let message = format!("expected `:` and a condition, found {}", self.found());
                    let diagnostic = Diagnostic::error("malformed-goal", message, self.gap())
                        .with_label("expected `:` here")
                        .with_fix("add it", self.gap(), ":");
                    self.report(diagnostic);
                }
                Some(text)
            }
            (Some(TokenKind::Name), Some(TokenKind::Colon)) => {
                let text = self.here_text().to_owned();
                self.bump();
                self.bump();
                Some(text)
            }
            _ => None,
        };
        self.in_goal = true;
        let condition = self.condition();
        self.in_goal = false;
        let condition = condition?.expr;
        let span = start.to(condition.span);
        Ok(GoalItem { name, condition, span })
    }

    /// `{ statement; ... }`; the current token is the `{`.
    pub(super) fn body_of_statements(&mut self) -> (Body, usize) {
        let before = std::mem::replace(&mut self.in_condition, false);
        let start = self.here();
        let inside = self.sequence(TokenKind::RightBrace);
        self.in_condition = before;
        match inside {
            Ok(inside) => {
                let body = Body { statements: inside.elements, span: inside.span };
                (body, inside.height)
            }
            Err(Reported) => {
                let span = Span::new(start.start, self.previous_end());
                (Body { statements: Vec::new(), span }, 0)
            }
        }
    }
}
