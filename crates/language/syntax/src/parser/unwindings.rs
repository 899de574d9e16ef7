//! The top level of `.unw` files: constants, enumerations, places, transitions, targets.

use super::expressions::starts_expression;
use super::sequence::Element;
use super::{Parser, Reported};
use crate::ast::ArcKind;
use crate::ast::process::{
    Items, PlaceItem, TransitionItem, TransitionPart, TransitionPartKind, Type, TypeKind,
};
use crate::lexer::TokenKind;
use ser_base::{Diagnostic, Span};

impl Element for TransitionPart {
    const MANY: &'static str = "arcs";
    const BLOCKS_END: bool = false;

    fn parse(parser: &mut Parser<'_>) -> Result<(TransitionPart, usize), Reported> {
        let start = parser.here();
        let (kind, height) = parser.transition_part()?;
        let span = Span::new(start.start, parser.previous_end());
        Ok((TransitionPart { kind, span }, height))
    }

    fn hole(span: Span) -> TransitionPart {
        TransitionPart { kind: TransitionPartKind::Error, span }
    }

    fn span(&self) -> Span {
        self.span
    }

    fn can_start(kind: TokenKind) -> bool {
        kind == TokenKind::In || starts_expression(kind)
    }
}

impl Parser<'_> {
    /// A whole file: items in any order, with `;` or `,` between them or not.
    pub(super) fn unwinding_items(&mut self) -> Items {
        let mut items = Items::default();
        while let Some(kind) = self.peek() {
            if matches!(kind, TokenKind::Semicolon | TokenKind::Comma) {
                self.bump();
                continue;
            }
            if let Err(Reported) = self.unwinding_item(kind, &mut items) {
                items.holes = true;
                self.skip_to_item(true);
            }
        }
        items
    }

    fn unwinding_item(&mut self, kind: TokenKind, items: &mut Items) -> Result<(), Reported> {
        let named = self.peek_at(1).is_some_and(|k| k == TokenKind::Name || k.is_keyword());
        let word = if kind == TokenKind::Name { self.here_text() } else { "" };
        match word {
            _ if kind == TokenKind::Const => {
                let constant = self.constant()?;
                items.constants.push(constant);
            }
            "enum" if named => self.enumeration(items)?,
            "place" if named => {
                let place = self.place()?;
                items.places.push(place);
            }
            "transition" if named => {
                let transition = self.transition()?;
                items.transitions.push(transition);
            }
            "target" if named => {
                self.bump();
                let name = self.name("a transition")?;
                items.targets.push(name);
                while self.at(TokenKind::Comma) && self.peek_at(1) == Some(TokenKind::Name) {
                    self.bump();
                    let name = self.name("a transition")?;
                    items.targets.push(name);
                }
            }
            _ => {
                self.not_an_item(items.transitions.last().map(|last| (&last.name, last.span)));
                self.bump();
                return Err(Reported);
            }
        }
        Ok(())
    }

    /// `place name`, `place name : type, ...`.
    fn place(&mut self) -> Result<PlaceItem, Reported> {
        let start = self.bump();
        let name = self.name("a place")?;
        let mut components = Vec::new();
        if self.eat(TokenKind::Colon).is_some() || self.eat(TokenKind::In).is_some() {
            loop {
                let component = match self.values() {
                    Ok(component) => component,
                    Err(Reported) => {
                        // The name is worth knowing: everything that uses it is fine.
                        self.skip_to_item(true);
                        Type { kind: TypeKind::Error, span: self.gap() }
                    }
                };
                if let TypeKind::Queue(..) = component.kind {
                    let message = "a place is no queue";
                    let diagnostic = Diagnostic::error("malformed-type", message, component.span)
                        .with_label("expected a range, `bool`, `bits n` or the name of an `enum`")
                        .with_help("a place holds any number of tokens, in no order");
                    self.report(diagnostic);
                }
                components.push(component);
                if self.eat(TokenKind::Comma).is_none() {
                    break;
                }
            }
        }
        let span = Span::new(start.start, self.previous_end());
        Ok(PlaceItem { name, components, span })
    }

    /// `transition name { part; ... }`.
    fn transition(&mut self) -> Result<TransitionItem, Reported> {
        let start = self.bump();
        let name = self.name("a transition")?;
        if !self.at(TokenKind::LeftBrace) {
            let message = format!("expected `{{` and arcs, found {}", self.found());
            let diagnostic = Diagnostic::error("expected-body", message, self.gap())
                .with_label("expected `{` here")
                .with_help(format!(
                    "a transition looks like `transition {} {{ in p(x); out q(x + 1) }}`",
                    name.text
                ));
            return Err(self.report(diagnostic));
        }
        let inside = self.sequence::<TransitionPart>(TokenKind::RightBrace)?;
        let span = start.to(inside.span);
        Ok(TransitionItem { name, parts: inside.elements, span })
    }

    /// An arc, a guard, or the type of a variable.
    fn transition_part(&mut self) -> Result<(TransitionPartKind, usize), Reported> {
        let kind = match (self.peek(), self.here_text()) {
            (Some(TokenKind::In), _) => ArcKind::In,
            (Some(TokenKind::Name), "test") => ArcKind::Test,
            (Some(TokenKind::Name), "out") => ArcKind::Out,
            (Some(TokenKind::Name), "when") => {
                self.bump();
                let guard = self.condition()?;
                return Ok((TransitionPartKind::When(guard.expr), guard.height));
            }
            (Some(TokenKind::Name), "var") => {
                self.bump();
                let name = self.name("a variable")?;
                if self.eat(TokenKind::Colon).is_none() && self.eat(TokenKind::In).is_none() {
                    let message = format!("expected `:` and a type, found {}", self.found());
                    let diagnostic = Diagnostic::error("malformed-type", message, self.gap())
                        .with_label("expected `:` here")
                        .with_help(format!("it looks like `var {} : 0..5`", name.text));
                    return Err(self.report(diagnostic));
                }
                let values = self.values()?;
                return Ok((TransitionPartKind::Var(name, values), 0));
            }
            (Some(TokenKind::Unknown), _) => return Err(self.unknown()),
            _ => {
                let message = format!("expected an arc or a guard, found {}", self.found());
                let mut diagnostic = Diagnostic::error("expected-arc", message, self.here())
                    .with_label("not expected here")
                    .with_help("arcs are written `in p(x)`, `test p(x)` and `out p(x + 1)`");
                if matches!(self.here_text(), "if" | "guard" | "assume" | "await") {
                    diagnostic = diagnostic.with_fix("a guard is written", self.here(), "when");
                }
                return Err(self.report(diagnostic));
            }
        };
        self.bump();
        let place = self.name("a place")?;
        let exprs = match self.eat(TokenKind::LeftParenthesis) {
            None => Vec::new(),
            Some(open) => {
                let exprs = self.arguments();
                self.close_parenthesis(open, exprs, false)?
            }
        };
        Ok((TransitionPartKind::Arc(kind, place, exprs), 0))
    }
}
