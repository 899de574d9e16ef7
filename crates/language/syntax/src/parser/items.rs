//! The top level: `const`, initial values, requests.

use super::Parser;
use crate::ast::{Block, Constant, InitialValue, Parameter, Program, Request};
use crate::grammar::Grammar as _;
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Reported, error};
use ser_base::{Diagnostic, Span};

impl Parser<'_> {
    /// A whole file: items in any order, with `;` or `,` between them or not.
    pub(super) fn all_items<T: Default>(
        &mut self,
        item: fn(&mut Self, TokenKind, &mut T) -> Result<(), Reported>,
    ) -> T {
        let mut items = T::default();
        while let Some(kind) = self.peek() {
            if matches!(kind, TokenKind::Semicolon | TokenKind::Comma) {
                self.bump();
            } else if let Err(Reported) = item(self, kind, &mut items) {
                self.skip_to_item(true);
            }
        }
        items
    }

    /// An item of a `.ser` program.
    pub(super) fn program_item(
        &mut self,
        kind: TokenKind,
        program: &mut Program,
    ) -> Result<(), Reported> {
        match kind {
            _ if kind.is_keyword() && self.peek_at(1) == Some(TokenKind::Assign) => {
                program.initial_values.push(self.initial_value()?);
            }
            TokenKind::Request => match self.request() {
                Ok(item) => program.requests.push(item),
                Err(Reported) => self.skip_to_item(false),
            },
            TokenKind::Const => program.constants.push(self.constant()?),
            TokenKind::Name if self.at_initial_value(!program.requests.is_empty()) => {
                program.initial_values.push(self.initial_value()?);
            }
            _ => {
                let last = program.requests.last().map(|last| (&last.name, last.span));
                let expected = "`request`, `const` or an initial value like `X := 1`";
                let help = "what a request does stands in its braces: `request main { ... }`";
                self.mistaken_item(last, expected, help);
                self.skip_to_item(false);
            }
        }
        Ok(())
    }

    /// Whether `Name :=` stands here. If a request ended too early, `x := 1` is not the mistake
    /// of giving an initial value to a local variable.
    fn at_initial_value(&self, after_request: bool) -> bool {
        let local = self.here_text().starts_with(|c: char| c.is_ascii_lowercase());
        matches!(self.peek_at(1), Some(TokenKind::Assign | TokenKind::Equal))
            && !(local && after_request && self.extra_closer)
    }

    /// `const name = value`.
    pub(super) fn constant(&mut self) -> Result<Constant, Reported> {
        const CODE: &str = "constant-needs-equal";
        let start = self.bump();
        let name = self.name("a constant")?;
        if matches!(self.peek(), Some(TokenKind::Assign | TokenKind::EqualEqual)) {
            let message = format!("a constant is defined with `=`, not with {}", self.found());
            self.write_instead(CODE, message, 1, "=");
            self.bump();
        } else if !self.eat(TokenKind::Equal) {
            let help = format!("a constant looks like `const {} = 3`", name.text);
            return Err(self.expected(CODE, "`=` and a value", "expected `=`", &[&help]));
        }
        let value = self.expression(0)?.expr;
        let span = start.to(value.span);
        Ok(Constant { name, value, span })
    }

    /// `Name := value`; a `=` is reported and taken for a `:=`.
    fn initial_value(&mut self) -> Result<InitialValue, Reported> {
        let is_keyword = self.peek().is_some_and(TokenKind::is_keyword);
        let name = self.name("a variable")?;
        if !self.eat(TokenKind::Assign) {
            let message = "an initial value is given with `:=`, not with `=`";
            error("equals-for-assignment", message, self.here(), "expected `:=`")
                .with_right(":=")
                .with_help(format!("make it a constant: `const {} = ...`", name.text))
                .report(self);
            self.bump();
        }
        let value = self.expression(0)?.expr;
        if is_keyword {
            return Err(Reported);
        }
        let span = name.span.to(value.span);
        Ok(InitialValue { name, value, span })
    }

    /// `request name(parameters) { body }`.
    fn request(&mut self) -> Result<Request, Reported> {
        let start = self.bump();
        let name = self.name("a request")?;
        let parameters = self.parameters()?;
        self.body_follows(&name.text)?;
        let body: Block = self.block().0;
        let span = start.to(body.span);
        Ok(Request { name, parameters, body, span })
    }

    /// Whether the body of an item stands here; if not, it is reported.
    pub(super) fn body_follows(&mut self, name: &str) -> Result<(), Reported> {
        match self.peek() {
            Some(TokenKind::LeftBrace) => Ok(()),
            Some(TokenKind::Colon) => Err(self.colon()),
            _ => {
                let item = self.language.item;
                let help = format!("a {item} looks like `{item} {name} {{ ... }}`");
                Err(self.missing("expected-body", "`{` and a body", "{", &[&help]))
            }
        }
    }

    /// `(name in low..high, ...)`, or nothing.
    pub(super) fn parameters(&mut self) -> Result<Vec<Parameter>, Reported> {
        let Some(open) = self.accept(TokenKind::LeftParenthesis) else { return Ok(Vec::new()) };
        let inside = self.list(TokenKind::RightParenthesis, Parser::parameter);
        match self.close_parenthesis(open, inside, true) {
            // The body is worth reading even if the parameters are not.
            Err(Reported) if self.at(TokenKind::LeftBrace) => Ok(Vec::new()),
            inside => inside,
        }
    }

    /// `name in low..high`.
    fn parameter(&mut self) -> Result<Parameter, Reported> {
        let name = self.name("a parameter")?;
        if !self.eat(TokenKind::In) {
            let message = format!("the parameter `{}` needs a range of values", name.text);
            return Err(Diagnostic::error("parameter-without-range", message, name.span)
                .with_label("its values are not known")
                .with_fix("for example, for 0 and 1", Span::empty(name.span.end), " in 0..1")
                .report(self));
        }
        let (low, high) = self.range()?;
        let span = name.span.to(high.expr.span);
        Ok(Parameter { name, low: low.expr, high: high.expr, span })
    }
}
