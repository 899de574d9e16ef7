//! The top level of `.events` files: constants, enumerations, shared variables, processes, goals.

use super::Parser;
use crate::ast::Name;
use crate::ast::process::{Body, GoalItem, Items, Process, Type, TypeKind, Variable};
use crate::grammar::power;
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Report as _, Reported, error};
use ser_base::Span;

impl Parser<'_> {
    /// An item of an `.events` file.
    pub(super) fn process_item(
        &mut self,
        kind: TokenKind,
        items: &mut Items,
    ) -> Result<(), Reported> {
        use TokenKind::{Assign, Colon, Equal, In};
        let next = self.peek_at(1);
        let word = if kind == TokenKind::Name { self.here_text() } else { "" };
        let declares = matches!(next, Some(In | Colon | Assign | Equal));
        let named = next == Some(TokenKind::Name);
        match word {
            _ if kind == TokenKind::Const => items.constants.push(self.constant()?),
            _ if kind == TokenKind::Request => return Err(self.request_for_process()),
            "process" | "thread" if named => items.processes.push(self.process()?),
            "enum" if named => self.enumeration(items)?,
            "reach" if !declares => items.goals.push(self.reach()?),
            _ if declares && (kind == TokenKind::Name || kind.is_keyword()) => {
                items.variables.push(self.variable()?);
            }
            _ => {
                let last = items.processes.last().map(|last| (&last.name, last.span));
                let expected = "`process`, `reach`, or a variable like `X in 0..3`";
                let help = "what a process does stands in its braces: `process P { ... }`";
                return Err(self.mistaken_item(last, expected, help));
            }
        }
        Ok(())
    }

    fn request_for_process(&mut self) -> Reported {
        let message = "there are no requests here, but processes";
        let diagnostic = error("request-for-process", message, self.here(), "expected `process`")
            .with_right("process")
            .with_help("requests come in any number, and stand in files that end in `.ser`");
        let reported = self.report(diagnostic);
        self.bump();
        reported
    }

    /// `Name in low..high := first`, `Name : type := first`.
    fn variable(&mut self) -> Result<Variable, Reported> {
        let name = self.name("a variable")?;
        let values = if matches!(self.peek(), Some(TokenKind::In | TokenKind::Colon)) {
            self.bump();
            self.values_or_hole()
        } else {
            self.unbounded_variable(&name);
            Type { kind: TypeKind::Error, span: Span::empty(name.span.end) }
        };
        if self.at(TokenKind::Equal) {
            let message = "a first value is given with `:=`, not with `=`";
            self.write_instead("equals-for-assignment", message, 1, ":=");
        }
        let first = match self.eat(TokenKind::Assign) || self.eat(TokenKind::Equal) {
            true => Some(self.expression(power::OR)?.expr),
            false => None,
        };
        Ok(Variable { name, values, first })
    }

    /// A type; where it is not understood, the rest of the item is skipped.
    pub(super) fn values_or_hole(&mut self) -> Type {
        self.values().unwrap_or_else(|Reported| {
            // The name is worth knowing: everything that uses it is fine.
            self.skip_to_item(true);
            Type { kind: TypeKind::Error, span: self.gap() }
        })
    }

    fn unbounded_variable(&mut self, Name { text, span }: &Name) {
        let rest = self.text.get(self.here().end as usize..).unwrap_or("").trim_start();
        let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let first = if number.is_empty() { "0" } else { &number };
        let high = first.parse::<i64>().map_or(10, |value| value.max(10));
        let example = format!("for example `{text} in 0..{high} := {first}`");
        let message = format!("say which values `{text}` can have");
        error("unbounded-variable", message, *span, "its values have no bounds")
            .with_fix(example, Span::empty(span.end), format!(" in 0..{high}"))
            .report(self);
    }

    /// `process name(parameters) { body }`.
    fn process(&mut self) -> Result<Process, Reported> {
        let start = self.bump();
        let name = self.name("a process")?;
        let parameters = self.parameters()?;
        self.body_follows(&name.text)?;
        let body = self.body_of_statements().0;
        let span = start.to(body.span);
        Ok(Process { name, parameters, body, span })
    }

    /// `reach condition`, `reach "name": condition`, `reach name: condition`.
    fn reach(&mut self) -> Result<GoalItem, Reported> {
        let start = self.bump();
        let name = match (self.peek(), self.peek_at(1)) {
            (Some(TokenKind::Quoted), _) => {
                let text = self.here_text().trim_matches('"').to_owned();
                self.bump();
                if !self.eat(TokenKind::Colon) {
                    let message = format!("expected `:` and a condition, found {}", self.found());
                    error("malformed-goal", message, self.gap(), "expected `:` here")
                        .with_fix("add it", self.gap(), ":")
                        .report(self);
                }
                Some(text)
            }
            (Some(TokenKind::Name), Some(TokenKind::Colon)) => {
                let text = self.here_text().to_owned();
                self.bump_all(2);
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
        let inside = self.in_braces();
        (Body { statements: inside.elements, span: inside.span }, inside.height)
    }
}
