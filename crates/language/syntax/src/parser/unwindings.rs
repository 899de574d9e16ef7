//! The top level of `.unw` files: constants, enumerations, places, transitions, targets.

use super::Parser;
use super::expressions::starts_expression;
use super::sequence::Element;
use crate::ast::ArcKind;
use crate::ast::items::{Items, PlaceItem, TransitionItem, TransitionPart, TransitionPartKind};
use crate::lexer::TokenKind;
use crate::report::{Report as _, Reported, error};

impl Element for TransitionPartKind {
    const MANY: &'static str = "arcs";
    const BLOCKS_END: bool = false;
    const HOLE: TransitionPartKind = TransitionPartKind::Error;

    fn parse(parser: &mut Parser<'_>) -> Result<(TransitionPart, usize), Reported> {
        let start = parser.here();
        let (kind, height) = parser.transition_part()?;
        Ok((TransitionPart { kind, span: parser.since(start) }, height))
    }

    fn can_start(kind: TokenKind) -> bool {
        kind == TokenKind::In || starts_expression(kind)
    }
}

impl Parser<'_> {
    /// An item of a `.unw` file.
    pub(super) fn unwinding_item(
        &mut self,
        kind: TokenKind,
        items: &mut Items,
    ) -> Result<(), Reported> {
        let named = self.peek_at(1).is_some_and(|k| k == TokenKind::Name || k.is_keyword());
        let word = if named && kind == TokenKind::Name { self.here_text() } else { "" };
        match word {
            _ if kind == TokenKind::Const => items.constants.push(self.constant()?),
            "enum" => self.enumeration(items)?,
            "place" => items.places.push(self.place()?),
            "transition" => items.transitions.push(self.transition()?),
            "target" => {
                self.bump();
                items.targets.push(self.name("a transition")?);
                while self.at(TokenKind::Comma) && self.peek_at(1) == Some(TokenKind::Name) {
                    self.bump();
                    items.targets.push(self.name("a transition")?);
                }
            }
            _ => {
                let last = items.transitions.last().map(|it| ("transition", &it.name, it.span));
                let expected = "`place`, `transition` or `target`";
                let help = "arcs stand in the braces of a transition: `transition t { in p }`";
                return Err(self.mistaken_item(last, expected, help));
            }
        }
        Ok(())
    }

    /// `place name`, `place name : type, ...`.
    fn place(&mut self) -> Result<PlaceItem, Reported> {
        let start = self.bump();
        let name = self.name("a place")?;
        let mut components = Vec::new();
        if self.eat(TokenKind::Colon) || self.eat(TokenKind::In) {
            loop {
                // A token and nothing else.
                if !self.eat_word("unit") {
                    components.push(self.type_or_hole());
                }
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        let span = self.since(start);
        Ok(PlaceItem { name, components, span })
    }

    /// `transition name { part; ... }`.
    fn transition(&mut self) -> Result<TransitionItem, Reported> {
        let start = self.bump();
        let name = self.name("a transition")?;
        if !self.at(TokenKind::LeftBrace) {
            let example = format!("transition {} {{ in p(x); out q(x + 1) }}", name.text);
            let help = format!("a transition looks like `{example}`");
            return Err(self.missing("expected-body", "`{` and arcs", "{", &[&help]));
        }
        let inside = self.sequence::<TransitionPartKind>(TokenKind::RightBrace)?;
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
                if !self.eat(TokenKind::Colon) && !self.eat(TokenKind::In) {
                    let help = format!("it looks like `var {} : 0..5`", name.text);
                    return Err(self.missing("malformed-type", "`:` and a type", ":", &[&help]));
                }
                let values = self.a_type()?;
                return Ok((TransitionPartKind::Var(name, values), 0));
            }
            (Some(TokenKind::Unknown), _) => return Err(self.unknown()),
            _ => {
                let message = format!("expected an arc or a guard, found {}", self.found());
                let mut diagnostic =
                    error("expected-arc", message, self.here(), "not expected here")
                        .with_help("arcs are written `in p(x)`, `test p(x)` and `out p(x + 1)`");
                if matches!(self.here_text(), "if" | "guard" | "assume" | "await") {
                    diagnostic = diagnostic.with_fix("a guard is written", self.here(), "when");
                }
                return Err(self.report(diagnostic));
            }
        };
        self.bump();
        let place = self.name("a place")?;
        let exprs = match self.accept(TokenKind::LeftParenthesis) {
            None => Vec::new(),
            Some(open) => self.arguments_behind(open, false)?,
        };
        Ok((TransitionPartKind::Arc(kind, place, exprs), 0))
    }
}
