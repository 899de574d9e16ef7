//! What `.events` and `.unw` files share: enumerations and types.

use super::expressions::{Tree, power};
use super::{Dialect, Parser, Reported};
use crate::ast::process::{Enumeration, Items, Type, TypeKind};
use crate::ast::{Constant, Expr, ExprKind, Name};
use crate::lexer::TokenKind;
use ser_base::{Diagnostic, Span};

impl Parser<'_> {
    /// `enum name { member, ... }`; the members are constants, too.
    pub(super) fn enumeration(&mut self, items: &mut Items) -> Result<(), Reported> {
        self.bump();
        let name = self.name("an enumeration")?;
        if !self.at(TokenKind::LeftBrace) {
            let message = format!("expected `{{` and names, found {}", self.found());
            let diagnostic = Diagnostic::error("malformed-enum", message, self.gap())
                .with_label("expected `{` here")
                .with_help(format!("it looks like `enum {} {{ red, green }}`", name.text));
            return Err(self.report(diagnostic));
        }
        let open = self.bump();
        let mut members: Vec<Name> = Vec::new();
        while !self.at(TokenKind::RightBrace) {
            if self.peek().is_none() || self.at_item() || self.at_declaration() {
                self.unclosed(open, TokenKind::RightBrace, None);
                break;
            }
            match self.name("a member of the enumeration") {
                Ok(member) => members.push(member),
                Err(Reported) => self.skip_to(&[TokenKind::Comma]),
            }
            if self.eat(TokenKind::Comma).is_none() && !self.at(TokenKind::RightBrace) {
                if self.peek().is_none() || self.at_item() || self.at_declaration() {
                    continue;
                }
                let message = format!("expected `,` or `}}`, found {}", self.found());
                let mut diagnostic = Diagnostic::error("malformed-enum", message, self.gap())
                    .with_label("expected `,` here");
                if self.at(TokenKind::Name) {
                    diagnostic = diagnostic.with_fix("add it", self.gap(), ",");
                }
                self.report(diagnostic);
                if !self.at(TokenKind::Name) {
                    self.skip_to(&[TokenKind::Comma]);
                    self.eat(TokenKind::Comma);
                }
            }
        }
        self.eat(TokenKind::RightBrace);
        if members.is_empty() {
            let message = format!("the enumeration `{}` has no members", name.text);
            let span = Span::new(open.start, self.previous_end());
            self.report(
                Diagnostic::error("empty-enum", message, span)
                    .with_label("expected names here")
                    .with_help(format!("it looks like `enum {} {{ red, green }}`", name.text)),
            );
            items.holes = true;
        }
        for (index, member) in members.iter().enumerate() {
            let kind = ExprKind::Number(index as i64);
            items.constants.push(Constant {
                name: member.clone(),
                value: Expr { kind, span: member.span },
                span: member.span,
            });
        }
        items.enumerations.push(Enumeration { name, members });
        Ok(())
    }

    /// `bool`, `bits n`, `unit`, the name of an enumeration, `low..high`, `queue[n] of type`.
    pub(super) fn values(&mut self) -> Result<Type, Reported> {
        let start = self.here();
        let next = self.peek_at(1);
        let alone = next != Some(TokenKind::DotDot);
        let kind = match self.here_text() {
            "bool" | "boolean" if alone && self.at(TokenKind::Name) => {
                self.bump();
                TypeKind::Bool
            }
            "unit" if alone && self.at(TokenKind::Name) => {
                self.bump();
                TypeKind::Unit
            }
            "bits" if alone && self.at(TokenKind::Name) => {
                self.bump();
                if !self.at(TokenKind::Number)
                    && (!self.at(TokenKind::Name) || self.at_declaration())
                {
                    let message = format!("expected how many bits, found {}", self.found());
                    let diagnostic = Diagnostic::error("malformed-type", message, self.gap())
                        .with_label("expected a number here")
                        .with_help("a byte is written `bits 8`");
                    return Err(self.report(diagnostic));
                }
                TypeKind::Bits(self.expression(power::UNARY)?.expr)
            }
            "queue" if self.at(TokenKind::Name) && alone => self.queue()?,
            "int" | "integer" | "nat" | "number" if self.at(TokenKind::Name) && alone => {
                return Err(self.unbounded_type());
            }
            _ if self.at_item() || self.at_declaration() => return Err(self.expected_type()),
            _ if self.at(TokenKind::Name) && !self.range_follows() => {
                TypeKind::Named(self.name("a type")?)
            }
            _ => match self.peek() {
                Some(
                    TokenKind::Number
                    | TokenKind::Name
                    | TokenKind::Minus
                    | TokenKind::LeftParenthesis,
                ) => {
                    let (low, high) = self.declared_range()?;
                    TypeKind::Range(low.expr, high.expr)
                }
                _ => return Err(self.expected_type()),
            },
        };
        Ok(Type { kind, span: Span::new(start.start, self.previous_end()) })
    }

    /// `low..high`, where a missing end is not looked for on the next line.
    fn declared_range(&mut self) -> Result<(Tree, Tree), Reported> {
        let low = self.expression(power::SUM)?;
        if !matches!(self.peek(), Some(TokenKind::DotDot | TokenKind::Comma)) {
            let message = "a range has two ends";
            let diagnostic = Diagnostic::error("malformed-range", message, low.expr.span)
                .with_label("expected `..` and the other end after this")
                .with_help("a range is written `0..2`, which is 0, 1 and 2");
            return Err(self.report(diagnostic));
        }
        self.range_after(low, power::SUM)
    }

    /// Whether a variable is declared here.
    pub(super) fn at_declaration(&self) -> bool {
        self.dialect == Dialect::Processes
            && self.at(TokenKind::Name)
            && matches!(self.peek_at(1), Some(TokenKind::In | TokenKind::Colon))
    }

    /// Whether a range starts here, and not just a name.
    fn range_follows(&self) -> bool {
        matches!(
            self.peek_at(1),
            Some(TokenKind::DotDot | TokenKind::Plus | TokenKind::Minus | TokenKind::Star)
        )
    }

    fn expected_type(&mut self) -> Reported {
        let message = format!("expected which values there are, found {}", self.found());
        let diagnostic = Diagnostic::error("malformed-type", message, self.gap())
            .with_label("expected a type here")
            .with_help("write a range like `0..10`, `bool`, `bits 8`, or the name of an `enum`");
        self.report(diagnostic)
    }

    fn unbounded_type(&mut self) -> Reported {
        let text = self.here_text();
        let message = format!("`{text}` has no bounds");
        let diagnostic = Diagnostic::error("unbounded-type", message, self.here())
            .with_label("which numbers?")
            .with_help("say from where to where, both included: `0..10`")
            .with_help("or how many bits: `bits 8` is 0 to 255, and wraps around");
        self.report(diagnostic)
    }

    /// `queue[capacity] of type`; the current token is `queue`.
    fn queue(&mut self) -> Result<TypeKind, Reported> {
        let word = self.bump();
        let capacity = if let Some(open) = self.eat(TokenKind::LeftBracket) {
            if let Some(close) = self.eat(TokenKind::RightBracket) {
                return Err(self.unbounded_queue(open.to(close), open.to(close)));
            }
            let capacity = self.expression(power::SUM)?.expr;
            if self.eat(TokenKind::RightBracket).is_none() {
                let message = format!("expected `]`, found {}", self.found());
                let diagnostic = Diagnostic::error("unexpected-token", message, self.gap())
                    .with_label("expected `]` here")
                    .with_secondary(open, "to close this")
                    .with_fix("close it", self.gap(), "]");
                return Err(self.report(diagnostic));
            }
            capacity
        } else {
            return Err(self.unbounded_queue(word, Span::empty(word.end)));
        };
        if !self.at_word("of") {
            let message = format!("expected `of` and the items, found {}", self.found());
            let diagnostic = Diagnostic::error("malformed-type", message, self.gap())
                .with_label("expected `of` here")
                .with_help("say what it holds: `queue[2] of 0..3`");
            return Err(self.report(diagnostic));
        }
        self.bump();
        let items = self.values()?;
        if matches!(items.kind, TypeKind::Queue(..)) {
            let message = "the items of a queue are numbers, not queues";
            let diagnostic = Diagnostic::error("malformed-type", message, items.span)
                .with_label("expected a range, `bool`, `bits n` or the name of an `enum`");
            return Err(self.report(diagnostic));
        }
        Ok(TypeKind::Queue(capacity, Box::new(items)))
    }

    fn unbounded_queue(&mut self, span: Span, place: Span) -> Reported {
        let message = "this queue has no bound";
        let diagnostic = Diagnostic::error("unbounded-queue", message, span)
            .with_label("how many items fit in?")
            .with_fix("say so, for example for two", place, "[2]");
        let reported = self.report(diagnostic);
        // What it holds is worth skipping as a whole.
        if self.at_word("of") {
            self.bump();
            let _ = self.values();
        }
        reported
    }
}
