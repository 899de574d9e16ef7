//! Expressions: what is special about those of `.icet` files.

use super::Parser;
use crate::grammar::{ExprKind, Expressions, Infix, Tree};
use crate::lexer::TokenKind;
use crate::report::Reported;

impl<'t> Expressions<'t> for Parser<'t> {
    fn primary(&mut self) -> Result<Tree, Reported> {
        match (self.peek(), self.word_at(0)) {
            (Some(TokenKind::Number), _) => self.number(false),
            (Some(TokenKind::LeftParenthesis), _) => self.parenthesised(),
            (_, Some(word @ ("true" | "false"))) => {
                Ok(Tree::new(ExprKind::Bool(word == "true"), self.bump(), 1))
            }
            (_, Some("self")) => Ok(Tree::new(ExprKind::Me, self.bump(), 1)),
            _ if self.is_name_at(0) => self.name_or_call(),
            _ => Err(self.mistaken_operand()),
        }
    }

    fn infix(&mut self) -> Result<Option<Infix>, Reported> {
        let Some(kind) = self.peek() else { return Ok(None) };
        match kind {
            TokenKind::Equal => self.single_equal(),
            TokenKind::Assign => {
                let help = ["write `x := 1;` before it", "to compare, write `==`"];
                return Err(self.assignment_in_expression(&help));
            }
            TokenKind::Unknown => return Err(self.unknown()),
            TokenKind::In => return Ok(None),
            _ => self.wrong_operator(&[(&[TokenKind::Less, TokenKind::Greater], "!=")])?,
        }
        Ok(Infix::of(kind))
    }
}
