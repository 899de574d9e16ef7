//! Expressions: what is special about those of `.inv` files.

use super::Parser;
use crate::ast::Name;
use crate::grammar::{
    Expr, ExprKind, Expressions, Grammar, Infix, Operator, Range, Tree, Where, power,
};
use crate::inv::words::quantifier;
use crate::lexer::TokenKind;
use crate::parser::MAX_DEPTH;
use crate::report::{Messages as _, Report as _, Reported};
use ser_base::{Diagnostic, Span};

impl<'t> Expressions<'t> for Parser<'t> {
    fn primary(&mut self) -> Result<Tree, Reported> {
        let atom = self.atom()?;
        self.postfix(atom)
    }

    fn infix(&mut self) -> Result<Option<Infix>, Reported> {
        use TokenKind::{Equal, EqualEqual, Greater, GreaterEqual, Less, LessEqual, Minus};
        let some = |operator, power, tokens| Ok(Some(Infix { operator, power, tokens }));
        if self.together(&[Less, Minus, Greater]) {
            return some(Operator::Iff, power::IFF, 3);
        }
        if self.together(&[Minus, Greater]) {
            return some(Operator::Implies, power::IMPLIES, 2);
        }
        if self.at_word("subset") {
            return some(Operator::Subset, power::COMPARISON, 1);
        }
        let Some(kind) = self.peek() else { return Ok(None) };
        match kind {
            TokenKind::Unknown if !self.at_character(".") => return Err(self.unknown()),
            TokenKind::Assign => {
                return Err(self.assignment_in_expression(&["to compare, write `==`"]));
            }
            _ => {}
        }
        self.wrong_operator(&[
            (&[Less, Equal, Greater], "<->"),
            (&[LessEqual, Greater], "<->"),
            (&[EqualEqual, Greater], "->"),
            (&[Equal, Greater], "->"),
            (&[Less, Greater], "!="),
            (&[Minus, GreaterEqual], "->"),
            (&[Equal, Less], "<="),
        ])?;
        if kind == Equal {
            self.single_equal();
        }
        Ok(Infix::of(kind))
    }
}

impl Parser<'_> {
    /// What can stand before `:=`: an operand without signs before it.
    pub(super) fn place_expression(&mut self) -> Result<Expr, Reported> {
        self.deeper(Parser::primary).map(|tree| tree.expr)
    }

    /// An operand without signs before it and fields behind it.
    fn atom(&mut self) -> Result<Tree, Reported> {
        match self.peek() {
            Some(TokenKind::Number) => return self.number(false),
            Some(TokenKind::LeftParenthesis) => return self.parenthesised(),
            Some(TokenKind::LeftBrace) if !self.block_follows() => return self.set(),
            _ => {}
        }
        let kind = match self.word_at(0) {
            Some("true") => ExprKind::Bool(true),
            Some("false") => ExprKind::Bool(false),
            Some("null") => ExprKind::Null,
            Some("nobody") => ExprKind::Nobody,
            Some("lowest") => ExprKind::Lowest,
            Some("highest") => ExprKind::Highest,
            Some("me") => ExprKind::Me,
            Some("at") => return self.at_places(),
            Some(word @ ("forall" | "exists")) => {
                let diagnostic = quantifier(word, self.here());
                return Err(self.report(diagnostic));
            }
            Some("thread") if self.character_at(1, ".") => {
                ExprKind::Name(Name { text: "thread".to_owned(), span: self.here() })
            }
            Some(_) if self.is_name_at(0) => return self.name_or_call(),
            _ => return Err(self.mistaken_operand()),
        };
        Ok(Tree::new(kind, self.bump(), 1))
    }

    /// `.next`, `[i]` and `.x[i]` behind an operand.
    fn postfix(&mut self, mut tree: Tree) -> Result<Tree, Reported> {
        let start = tree.expr.span;
        loop {
            if self.at(TokenKind::LeftBracket) {
                let ExprKind::Name(name) = tree.expr.kind else {
                    return Err(self.index_of_expression(start));
                };
                tree = self.indexed(None, name, start)?;
            } else if self.eat_dot() {
                let field = self.name("a field")?;
                tree = match tree.expr.kind {
                    ExprKind::Name(procedure) if self.at(TokenKind::LeftBracket) => {
                        self.indexed(Some(procedure), field, start)?
                    }
                    kind => {
                        let span = tree.expr.span;
                        let inside = Box::new(Expr { span, kind });
                        let kind = ExprKind::Field(inside, field);
                        Tree::new(kind, self.since(start), tree.height + 1)
                    }
                };
            } else {
                return Ok(tree);
            }
            if self.depth + tree.height > MAX_DEPTH {
                return Err(self.nested_too_deeply());
            }
        }
    }

    /// `[i]` behind the name of a local.
    fn indexed(
        &mut self,
        procedure: Option<Name>,
        name: Name,
        start: Span,
    ) -> Result<Tree, Reported> {
        let open = self.bump();
        let index = self.tree(0)?;
        self.close(open, TokenKind::RightBracket, "")?;
        let kind = ExprKind::Indexed { procedure, name, index: Box::new(index.expr) };
        Ok(Tree::new(kind, self.since(start), index.height + 1))
    }

    /// `{}`, `{a, b}`.
    fn set(&mut self) -> Result<Tree, Reported> {
        let open = self.bump();
        self.open_sets += 1;
        let (elements, height) = self.trees(TokenKind::RightBrace)?;
        if !self.eat(TokenKind::RightBrace) {
            let message = format!("expected `,` or `}}`, found {}", self.found());
            return Err(Diagnostic::error("unclosed-set", message, self.here_or_gap())
                .with_label("expected `,` or `}` here")
                .with_secondary(open, "this is the start of a set")
                .report(self));
        }
        self.open_sets = self.open_sets.saturating_sub(1);
        Ok(Tree::new(ExprKind::Set(elements), self.since(open), height + 1))
    }

    /// `at(i, places)`.
    fn at_places(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        let open = self.here();
        if !self.eat(TokenKind::LeftParenthesis) {
            return Err(self.malformed_at());
        }
        let thread = self.tree(0)?;
        if !self.eat(TokenKind::Comma) {
            return Err(self.malformed_at());
        }
        let places = self.places()?;
        self.close(open, TokenKind::RightParenthesis, "`,` or ")?;
        let kind = ExprKind::At(Box::new(thread.expr), places);
        Ok(Tree::new(kind, self.since(start), thread.height + 1))
    }

    /// `a, p.b, c..d`.
    pub(super) fn places(&mut self) -> Result<Vec<Range>, Reported> {
        let mut ranges = Vec::new();
        loop {
            let first = self.place()?;
            let last = match self.eat(TokenKind::DotDot) {
                true => Some(self.place()?),
                false => None,
            };
            ranges.push(Range { first, last });
            if !self.eat(TokenKind::Comma) {
                return Ok(ranges);
            }
        }
    }

    /// `link`, `insert.link`, `thread`.
    fn place(&mut self) -> Result<Where, Reported> {
        let first = self.place_name()?;
        if !self.eat_dot() {
            return Ok(Where { procedure: None, name: first });
        }
        Ok(Where { procedure: Some(first), name: self.place_name()? })
    }

    fn place_name(&mut self) -> Result<Name, Reported> {
        if self.at(TokenKind::Number) {
            return Err(self.number_as_place());
        }
        match self.at_word("thread") {
            true => Ok(Name { text: "thread".to_owned(), span: self.bump() }),
            false => self.name("a statement, a label or a procedure"),
        }
    }
}
