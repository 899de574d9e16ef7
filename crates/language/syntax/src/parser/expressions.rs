//! Everything inside a handler.
//!
//! [`Parser::expression`] reads an operand and then, in a loop, operators that bind at least as
//! tightly as asked. The height of what was read travels along, because a chain like
//! `1 + 1 + 1` makes the tree higher without making the recursion deeper.

use super::sequence::Sequence;
use super::{Dialect, MAX_DEPTH, Parser};
use crate::ast::{BinaryOp, Block, Else, Expr, ExprKind, Name, UnaryOp};
use crate::grammar::{Grammar as _, common, power};
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Reported, error};
use ser_base::Span;

/// An expression and the height of its tree.
pub(super) struct Tree {
    pub(super) expr: Expr,
    pub(super) height: usize,
}

impl Tree {
    pub(super) fn leaf(kind: ExprKind, span: Span) -> Tree {
        Tree { expr: Expr { kind, span }, height: 1 }
    }

    pub(super) fn node(kind: ExprKind, span: Span, below: usize) -> Tree {
        Tree { expr: Expr { kind, span }, height: below + 1 }
    }
}

/// What stands between two operands.
pub(super) enum Infix {
    Binary(BinaryOp),
    /// A `=` that should have been a `:=`; reported.
    Assign(Name),
    /// An operator that the language does not have; reported.
    Unsupported,
}

/// What a range looks like.
pub(super) const RANGE: &str = "a range is written `0..2`, which is 0, 1 and 2";

/// Whether an expression can start with this token.
pub(super) fn starts_expression(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Number
            | TokenKind::Name
            | TokenKind::If
            | TokenKind::While
            | TokenKind::Yield
            | TokenKind::Return
            | TokenKind::Abort
            | TokenKind::Assume
            | TokenKind::Choose
            | TokenKind::Not
            | TokenKind::Exit
            | TokenKind::LeftParenthesis
            | TokenKind::Question
            | TokenKind::Minus
            | TokenKind::Bang
    )
}

impl Parser<'_> {
    /// An expression whose operators bind at least as tightly as `min_power`.
    pub(super) fn expression(&mut self, min_power: u8) -> Result<Tree, Reported> {
        self.deeper(|parser| {
            let left = parser.operand(min_power)?;
            parser.operators(left, min_power)
        })
    }

    fn operators(&mut self, mut left: Tree, min_power: u8) -> Result<Tree, Reported> {
        let mut chain_reported = false;
        while let Some((infix, power)) = self.operator(&left.expr, min_power)? {
            if let ExprKind::Binary(op, _, middle) = &left.expr.kind
                && power == power::COMPARISON
                && op.is_comparison()
                && !chain_reported
            {
                self.chained_comparison(left.expr.span, middle.span, 1);
                chain_reported = true;
            }
            self.bump();
            let right = match infix {
                Infix::Assign(_) => self.expression(0)?,
                _ => self.expression(power + 1)?,
            };
            left = self.combine(left, infix, right)?;
        }
        Ok(left)
    }

    /// The operator at the current token, if it binds tightly enough. The current token is then
    /// the last one of the operator.
    fn operator(&mut self, left: &Expr, min_power: u8) -> Result<Option<(Infix, u8)>, Reported> {
        let Some(kind) = self.peek() else { return Ok(None) };
        let Some((op, power)) = common(kind) else {
            return self.mistaken_operator(kind, left, min_power);
        };
        if power < min_power {
            return Ok(None);
        }
        self.mistaken_pair(left)?;
        Ok(Some((Infix::Binary(op), power)))
    }

    fn combine(&mut self, left: Tree, infix: Infix, right: Tree) -> Result<Tree, Reported> {
        let below = left.height.max(right.height);
        if self.depth + below > MAX_DEPTH {
            return Err(self.nested_too_deeply());
        }
        let span = left.expr.span.to(right.expr.span);
        let kind = match infix {
            Infix::Binary(op) => ExprKind::Binary(op, Box::new(left.expr), Box::new(right.expr)),
            Infix::Assign(name) => ExprKind::Assign(name, Box::new(right.expr)),
            Infix::Unsupported => ExprKind::Error,
        };
        Ok(Tree::node(kind, span, below))
    }

    /// An atom, or a prefix operator or assignment with what follows it.
    fn operand(&mut self, min_power: u8) -> Result<Tree, Reported> {
        let Some(kind) = self.peek() else { return Err(self.expected_expression()) };
        let next = self.peek_at(1);
        if kind.is_keyword() && next == Some(TokenKind::Assign) {
            let reported = self.keyword_as_name();
            self.bump_all(2);
            self.expression(0)?;
            return Err(reported);
        }
        match kind {
            TokenKind::Number => self.number(false),
            TokenKind::Name if next == Some(TokenKind::Assign) && min_power == 0 => {
                self.assignment()
            }
            TokenKind::Name if self.dialect != Dialect::Requests && self.at_call() => self.call(),
            TokenKind::Name => {
                let name = Name { text: self.here_text().to_owned(), span: self.here() };
                Ok(Tree::leaf(ExprKind::Read(name), self.bump()))
            }
            TokenKind::Question => Ok(Tree::leaf(ExprKind::Coin, self.bump())),
            TokenKind::Yield => Ok(Tree::leaf(ExprKind::Yield, self.bump())),
            TokenKind::LeftParenthesis => self.group(),
            TokenKind::If => self.if_expression(),
            TokenKind::While => self.while_expression(),
            TokenKind::Return => self.return_expression(),
            TokenKind::Abort => self.abort_expression(),
            TokenKind::Assume => self.assume(),
            TokenKind::Choose => self.choose(),
            TokenKind::Minus => self.unary(UnaryOp::Negate),
            TokenKind::Bang | TokenKind::Not => self.unary(UnaryOp::Not),
            _ => Err(self.mistaken_operand(kind)),
        }
    }

    fn number(&mut self, negative: bool) -> Result<Tree, Reported> {
        let value = self.number_value(negative)?;
        Ok(Tree::leaf(value.map_or(ExprKind::Error, ExprKind::Number), self.bump()))
    }

    /// `name := value`.
    fn assignment(&mut self) -> Result<Tree, Reported> {
        let name = Name { text: self.here_text().to_owned(), span: self.bump() };
        self.bump();
        let value = self.expression(0)?;
        let span = name.span.to(value.expr.span);
        Ok(Tree::node(ExprKind::Assign(name, Box::new(value.expr)), span, value.height))
    }

    /// `-e`, `!e`, `not e`.
    fn unary(&mut self, op: UnaryOp) -> Result<Tree, Reported> {
        const SMALLEST: &str = "9223372036854775808";
        let start = self.bump();
        if op == UnaryOp::Negate && self.here_text() == SMALLEST {
            let mut number = self.number(true)?;
            number.expr.span = start.to(number.expr.span);
            return Ok(number);
        }
        let operand = self.expression(power::UNARY)?;
        let span = start.to(operand.expr.span);
        Ok(Tree::node(ExprKind::Unary(op, Box::new(operand.expr)), span, operand.height))
    }

    /// `(e; ...; e)`.
    fn group(&mut self) -> Result<Tree, Reported> {
        let Sequence { elements: exprs, span, height } =
            self.sequence(TokenKind::RightParenthesis)?;
        let block = Block { exprs, span };
        if block.exprs.is_empty() {
            let message = "there is nothing between these parentheses";
            error("empty-parentheses", message, block.span, "expected an expression inside")
                .with_fix("if nothing is meant, write 0", block.span, "0")
                .report(self);
            return Ok(Tree::leaf(ExprKind::Error, block.span));
        }
        Ok(Tree::node(ExprKind::Group(block), span, height))
    }

    /// `{ e; ...; e }`; the current token is the `{`.
    pub(super) fn block(&mut self) -> (Block, usize) {
        let inside = self.in_braces();
        (Block { exprs: inside.elements, span: inside.span }, inside.height)
    }

    /// A condition: an expression in which a `=` is a mistaken `==`.
    pub(super) fn condition(&mut self) -> Result<Tree, Reported> {
        self.in_condition(true, |parser| {
            if parser.at(TokenKind::LeftBrace) {
                let help = "for a condition that is always true, write `(1)`";
                parser.missing_condition("", help);
                return Ok(Tree::leaf(ExprKind::Error, parser.gap()));
            }
            parser.expression(0)
        })
    }

    /// `if condition { then } else ...`.
    fn if_expression(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        let condition = self.condition()?;
        let (then, then_height) = self.block_after("if")?;
        let (otherwise, else_height) = self.else_part()?;
        let end = match &otherwise {
            None => then.span,
            Some(Else::Block(block)) => block.span,
            Some(Else::If(expr)) => expr.span,
        };
        let below = condition.height.max(then_height).max(else_height);
        let kind = ExprKind::If(Box::new(condition.expr), then, otherwise);
        Ok(Tree::node(kind, start.to(end), below))
    }

    /// What stands behind the block of an `if`, and its height.
    fn else_part(&mut self) -> Result<(Option<Else>, usize), Reported> {
        match self.otherwise() {
            None => Ok((None, 0)),
            Some(false) => {
                let (block, height) = self.block_after("else")?;
                Ok((Some(Else::Block(block)), height))
            }
            Some(true) => {
                let tree = self.deeper(Parser::if_expression)?;
                Ok((Some(Else::If(Box::new(tree.expr))), tree.height))
            }
        }
    }

    /// `while condition { body }`.
    fn while_expression(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        let condition = self.condition()?;
        let (body, height) = self.block_after("while")?;
        let span = start.to(body.span);
        let below = condition.height.max(height);
        Ok(Tree::node(ExprKind::While(Box::new(condition.expr), body), span, below))
    }

    /// The block of `if`, `else` or `while`.
    fn block_after(&mut self, after: &str) -> Result<(Block, usize), Reported> {
        let inside = self.branch(after)?;
        Ok((Block { exprs: inside.elements, span: inside.span }, inside.height))
    }

    /// `return` or `return e`.
    fn return_expression(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        match self.peek() {
            Some(kind) if starts_expression(kind) => {
                let value = self.expression(0)?;
                let span = start.to(value.expr.span);
                let kind = ExprKind::Return(Some(Box::new(value.expr)));
                Ok(Tree::node(kind, span, value.height))
            }
            _ => Ok(Tree::leaf(ExprKind::Return(None), start)),
        }
    }

    /// `abort`.
    fn abort_expression(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        self.aborted_value(start)?;
        Ok(Tree::leaf(ExprKind::Abort, start))
    }

    /// `assume(e)`.
    fn assume(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        let open = self.open_parenthesis("assume(X == 1)")?;
        let inside = self.condition();
        let condition = self.close_parenthesis(open, inside, false)?;
        let span = self.since(start);
        Ok(Tree::node(ExprKind::Assume(Box::new(condition.expr)), span, condition.height))
    }

    /// `choose(low..high)`.
    fn choose(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        let open = self.open_parenthesis("choose(0..2)")?;
        let inside = self.range();
        let (low, high) = self.close_parenthesis(open, inside, false)?;
        let span = self.since(start);
        let below = low.height.max(high.height);
        Ok(Tree::node(ExprKind::Choose(Box::new(low.expr), Box::new(high.expr)), span, below))
    }

    pub(super) fn open_parenthesis(&mut self, example: &str) -> Result<Span, Reported> {
        if let Some(open) = self.accept(TokenKind::LeftParenthesis) {
            return Ok(open);
        }
        let help = format!("it is written like `{example}`");
        Err(self.expected("unexpected-token", "`(`", "expected `(`", &[&help]))
    }

    /// `low..high`.
    pub(super) fn range(&mut self) -> Result<(Tree, Tree), Reported> {
        let low = self.expression(0)?;
        self.range_after(low, 0)
    }

    /// `..high`, where the operators of `high` bind at least as tightly as `min_power`.
    pub(super) fn range_after(
        &mut self,
        low: Tree,
        min_power: u8,
    ) -> Result<(Tree, Tree), Reported> {
        match self.peek() {
            Some(TokenKind::DotDot) => {
                if self.together(&[TokenKind::DotDot, TokenKind::Equal]) {
                    let message = "`..=` is not needed: a range has both of its ends";
                    self.write_instead("malformed-range", message, 2, "..");
                    self.bump();
                }
            }
            Some(TokenKind::Comma) => {
                let message = "the ends of a range are separated by `..`";
                self.write_instead("malformed-range", message, 1, "..");
            }
            _ => {
                let (what, help) = ("`..` and the end of the range", RANGE);
                return Err(self.expected("malformed-range", what, "expected `..`", &[help]));
            }
        }
        self.bump();
        let high = self.expression(min_power)?;
        Ok((low, high))
    }
}
