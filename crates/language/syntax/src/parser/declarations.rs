//! What `.events` and `.unw` files share: enumerations and types.

use super::Parser;
use super::expressions::{RANGE, Tree};
use crate::ast::process::{Enumeration, Items, Type, TypeKind};
use crate::ast::{Constant, Expr, ExprKind};
use crate::grammar::{Grammar as _, power};
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Report as _, Reported, error};
use crate::types::{NUMBERS, TYPES};
use ser_base::{Diagnostic, Span};

impl Parser<'_> {
    /// `enum name { member, ... }`; the members are constants, too.
    pub(super) fn enumeration(&mut self, items: &mut Items) -> Result<(), Reported> {
        let (name, members) = self.names_of_enumeration()?;
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
        let word = if alone && self.at(TokenKind::Name) { self.here_text() } else { "" };
        let kind = match word {
            "bool" | "boolean" => {
                self.bump();
                TypeKind::Bool
            }
            "unit" => {
                self.bump();
                TypeKind::Unit
            }
            "bits" => {
                self.bump();
                let is_name = self.at(TokenKind::Name) && !self.at_loose_item();
                if !self.at(TokenKind::Number) && !is_name {
                    let message = format!("expected how many bits, found {}", self.found());
                    return Err(Diagnostic::error("malformed-type", message, self.gap())
                        .with_label("expected a number here")
                        .with_help("a byte is written `bits 8`")
                        .report(self));
                }
                TypeKind::Bits(self.expression(power::UNARY)?.expr)
            }
            "queue" => self.queue()?,
            "int" | "integer" | "nat" | "number" => return Err(self.unbounded_type()),
            _ if self.at_item() || self.at_loose_item() => return Err(self.expected_type()),
            _ if self.at(TokenKind::Name) && !self.range_follows() => {
                TypeKind::Named(self.name("a type")?)
            }
            _ => {
                use TokenKind::{LeftParenthesis, Minus, Name, Number};
                if !matches!(self.peek(), Some(Number | Name | Minus | LeftParenthesis)) {
                    return Err(self.expected_type());
                }
                let (low, high) = self.declared_range()?;
                TypeKind::Range(low.expr, high.expr)
            }
        };
        Ok(Type { kind, span: self.since(start) })
    }

    /// `low..high`, where a missing end is not looked for on the next line.
    fn declared_range(&mut self) -> Result<(Tree, Tree), Reported> {
        let low = self.expression(power::SUM)?;
        if !matches!(self.peek(), Some(TokenKind::DotDot | TokenKind::Comma)) {
            let message = "a range has two ends";
            let label = "expected `..` and the other end after this";
            return Err(error("malformed-range", message, low.expr.span, label)
                .with_help(RANGE)
                .report(self));
        }
        self.range_after(low, power::SUM)
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
        error("malformed-type", message, self.gap(), "expected a type here")
            .with_help(TYPES)
            .report(self)
    }

    fn unbounded_type(&mut self) -> Reported {
        let message = format!("`{}` has no bounds", self.here_text());
        let help = [
            "say from where to where, both included: `0..10`",
            "say how many bits: `bits 8` is 0 to 255, and wraps around",
        ];
        self.wrong("unbounded-type", message, "which numbers?", &help)
    }

    /// `e]`, behind the `[` at `open`.
    pub(super) fn up_to_bracket(&mut self, open: Span) -> Result<Expr, Reported> {
        let inside = self.expression(power::SUM)?.expr;
        if self.eat(TokenKind::RightBracket) {
            return Ok(inside);
        }
        let message = format!("expected `]`, found {}", self.found());
        Err(error("unexpected-token", message, self.gap(), "expected `]` here")
            .with_secondary(open, "to close this")
            .with_fix("close it", self.gap(), "]")
            .report(self))
    }

    /// `queue[capacity] of type`; the current token is `queue`.
    fn queue(&mut self) -> Result<TypeKind, Reported> {
        let word = self.bump();
        let Some(open) = self.accept(TokenKind::LeftBracket) else {
            return Err(self.unbounded_queue(word, Span::empty(word.end)));
        };
        if let Some(close) = self.accept(TokenKind::RightBracket) {
            return Err(self.unbounded_queue(open.to(close), open.to(close)));
        }
        let capacity = self.up_to_bracket(open)?;
        if !self.eat_word("of") {
            let help = "say what it holds: `queue[2] of 0..3`";
            return Err(self.missing("malformed-type", "`of` and the items", "of", &[help]));
        }
        let items = self.values()?;
        if matches!(items.kind, TypeKind::Queue(..)) {
            let message = "the items of a queue are numbers, not queues";
            return Err(error("malformed-type", message, items.span, NUMBERS).report(self));
        }
        Ok(TypeKind::Queue(capacity, Box::new(items)))
    }

    fn unbounded_queue(&mut self, span: Span, place: Span) -> Reported {
        let message = "this queue has no bound";
        let diagnostic = error("unbounded-queue", message, span, "how many items fit in?")
            .with_fix("say so, for example for two", place, "[2]");
        let reported = self.report(diagnostic);
        // What it holds is worth skipping as a whole.
        if self.eat_word("of") {
            let _ = self.values();
        }
        reported
    }
}
