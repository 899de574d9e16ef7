//! Enumerations and types of `.unw` files.

use super::Parser;
use super::expressions::{RANGE, Tree};
use super::operators::power;
use crate::ast::items::{Items, Type, TypeKind};
use crate::ast::{Constant, Enumeration, Expr, ExprKind};
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Reported, error};
use crate::types::TYPES;
use ser_base::Diagnostic;

impl Parser<'_> {
    /// `enum name { member, ... }`; the members are constants, too.
    pub(super) fn enumeration(&mut self, items: &mut Items) -> Result<(), Reported> {
        let start = self.here();
        let (name, members) = self.names_of_enumeration()?;
        for (index, member) in members.iter().enumerate() {
            let kind = ExprKind::Number(index as i64);
            items.constants.push(Constant {
                name: member.clone(),
                value: Expr { kind, span: member.span },
                span: member.span,
            });
        }
        let span = self.since(start);
        items.enumerations.push(Enumeration { name, members, open: false, span });
        Ok(())
    }

    /// `bool`, `bits n`, `unit`, the name of an enumeration, `low..high`.
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
                if !matches!(self.peek(), Some(TokenKind::Number | TokenKind::Name)) {
                    let message = format!("expected how many bits, found {}", self.found());
                    return Err(Diagnostic::error("malformed-type", message, self.gap())
                        .with_label("expected a number here")
                        .with_help("a byte is written `bits 8`")
                        .report(self));
                }
                TypeKind::Bits(self.expression(power::UNARY)?.expr)
            }
            "queue" => {
                let message = "a place is no queue";
                let label = "expected which values a token has";
                let help = "a place holds any number of tokens, in no order";
                return Err(self.wrong("malformed-type", message, label, &[help]));
            }
            "int" | "integer" | "nat" | "number" => return Err(self.unbounded_type()),
            _ if self.at_item() => return Err(self.expected_values()),
            _ if self.at(TokenKind::Name) && !self.range_follows() => {
                TypeKind::Named(self.name("a type")?)
            }
            _ => {
                use TokenKind::{LeftParenthesis, Minus, Name, Number};
                if !matches!(self.peek(), Some(Number | Name | Minus | LeftParenthesis)) {
                    return Err(self.expected_values());
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

    fn expected_values(&mut self) -> Reported {
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

    /// A type; where it is not understood, the rest of the item is skipped.
    pub(super) fn values_or_hole(&mut self) -> Type {
        self.values().unwrap_or_else(|Reported| {
            // The name is worth knowing: everything that uses it is fine.
            self.skip_to_item(true);
            Type { kind: TypeKind::Error, span: self.gap() }
        })
    }
}
