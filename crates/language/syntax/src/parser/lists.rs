//! Lists, blocks, and names in braces.

use super::Parser;
use crate::ast::Name;
use crate::lexer::TokenKind;
use crate::report::{Report as _, Reported, error};
use ser_base::Span;

impl Parser<'_> {
    /// What stands up to the `}` that closes `open`, and the place of that `}`. Errors inside are
    /// dealt with.
    pub(super) fn up_to_brace<T>(
        &mut self,
        open: Span,
        element: fn(&mut Self) -> Result<T, Reported>,
    ) -> (Vec<T>, Span) {
        let mut elements = Vec::new();
        loop {
            let close = self.here();
            if self.eat(TokenKind::RightBrace) {
                return (elements, close);
            }
            if self.peek().is_none() || self.at_item() {
                self.unclosed(open, TokenKind::RightBrace, None);
                return (elements, self.gap());
            }
            let before = self.position;
            match element(self) {
                // What was read as nothing is in the way.
                Ok(element) if self.position > before => elements.push(element),
                _ => self.skip_part(before),
            }
        }
    }

    /// Elements with `,` between them, up to a closing bracket, which stays the current token if it
    /// is there.
    pub(super) fn list<T>(
        &mut self,
        closer: TokenKind,
        mut element: impl FnMut(&mut Self) -> Result<T, Reported>,
    ) -> Result<Vec<T>, Reported> {
        let mut elements = Vec::new();
        while !self.at(closer) {
            elements.push(element(self)?);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        Ok(elements)
    }

    /// `enum Colour { red, green }`, from `enum`.
    pub(super) fn names_of_enumeration(&mut self) -> Result<(Name, Vec<Name>), Reported> {
        const CODE: &str = "malformed-enum";
        self.bump();
        let name = self.name("an enumeration")?;
        let help = format!("it looks like `enum {} {{ red, green }}`", name.text);
        let Some(open) = self.accept(TokenKind::LeftBrace) else {
            return Err(self.missing(CODE, "`{` and names", "{", &[&help]));
        };
        let mut members = Vec::new();
        while !self.eat(TokenKind::RightBrace) {
            if self.item_follows() {
                self.unclosed(open, TokenKind::RightBrace, None);
                break;
            }
            match self.name("a member of the enumeration") {
                Ok(member) => members.push(member),
                Err(Reported) => self.skip_member(),
            }
            if self.eat(TokenKind::Comma) || self.at(TokenKind::RightBrace) || self.item_follows() {
                continue;
            }
            let message = format!("expected `,` or `}}`, found {}", self.found());
            let diagnostic = error(CODE, message, self.gap(), "expected `,` here");
            if self.is_name_at(0) {
                let diagnostic = diagnostic.with_fix("add it", self.gap(), ",");
                self.report(diagnostic);
            } else {
                self.report(diagnostic);
                self.skip_member();
                self.eat(TokenKind::Comma);
            }
        }
        if members.is_empty() {
            let message = format!("the enumeration {name} has no members");
            let span = self.since(open);
            self.report(error("empty-enum", message, span, "expected names here").with_help(help));
        }
        Ok((name, members))
    }

    /// Skips what is no member of an enumeration.
    fn skip_member(&mut self) {
        self.holes = true;
        self.skip_to(&[TokenKind::Comma]);
    }

    /// Whether nothing more of an item can follow.
    pub(super) fn item_follows(&self) -> bool {
        self.peek().is_none() || self.at_item() || self.at_loose_item()
    }

    /// `(a, b)`, from the `(` at the current token; nothing if there is none.
    pub(super) fn in_parentheses<T>(
        &mut self,
        element: impl FnMut(&mut Self) -> Result<T, Reported>,
    ) -> Result<Option<Vec<T>>, Reported> {
        let open = self.here();
        if !self.eat(TokenKind::LeftParenthesis) {
            return Ok(None);
        }
        let elements = self.list(TokenKind::RightParenthesis, element)?;
        self.close(open, TokenKind::RightParenthesis, "`,` or ")?;
        Ok(Some(elements))
    }

    /// Reads something one level deeper, unless that is too deep.
    pub(super) fn deeper<T>(
        &mut self,
        inside: impl FnOnce(&mut Self) -> Result<T, Reported>,
    ) -> Result<T, Reported> {
        self.enter()?;
        let outcome = inside(self);
        self.leave();
        outcome
    }
}
