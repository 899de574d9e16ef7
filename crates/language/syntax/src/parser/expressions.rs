//! Everything inside a handler.
//!
//! [`Parser::expression`] reads an operand and then, in a loop, operators that bind at least as
//! tightly as asked. The height of what was read travels along, because a chain like
//! `1 + 1 + 1` makes the tree higher without making the recursion deeper.

use super::sequence::Sequence;
use super::{Dialect, MAX_DEPTH, Parser, Reported};
use crate::ast::{BinaryOp, Block, Else, Expr, ExprKind, Name, UnaryOp};
use crate::lexer::TokenKind;
use ser_base::{Diagnostic, Span};

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

/// How tightly things bind; 0 is everything, also assignments.
pub(super) mod power {
    pub(crate) const OR: u8 = 1;
    pub(crate) const AND: u8 = 2;
    pub(crate) const COMPARISON: u8 = 3;
    pub(crate) const SUM: u8 = 4;
    pub(crate) const PRODUCT: u8 = 5;
    pub(crate) const UNARY: u8 = 6;
}

/// The operator that a token stands for.
fn binary(kind: TokenKind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        TokenKind::OrOr | TokenKind::Or => (BinaryOp::Or, power::OR),
        TokenKind::AndAnd | TokenKind::And => (BinaryOp::And, power::AND),
        TokenKind::EqualEqual => (BinaryOp::Equal, power::COMPARISON),
        TokenKind::NotEqual => (BinaryOp::NotEqual, power::COMPARISON),
        TokenKind::Less => (BinaryOp::Less, power::COMPARISON),
        TokenKind::LessEqual => (BinaryOp::LessEqual, power::COMPARISON),
        TokenKind::Greater => (BinaryOp::Greater, power::COMPARISON),
        TokenKind::GreaterEqual => (BinaryOp::GreaterEqual, power::COMPARISON),
        TokenKind::Plus => (BinaryOp::Add, power::SUM),
        TokenKind::Minus => (BinaryOp::Subtract, power::SUM),
        TokenKind::Star => (BinaryOp::Multiply, power::PRODUCT),
        _ => return None,
    })
}

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

fn is_comparison(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Binary(
            BinaryOp::Equal
                | BinaryOp::NotEqual
                | BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterEqual,
            ..
        )
    )
}

impl Parser<'_> {
    /// An expression whose operators bind at least as tightly as `min_power`.
    pub(super) fn expression(&mut self, min_power: u8) -> Result<Tree, Reported> {
        if self.depth >= MAX_DEPTH {
            return Err(self.nested_too_deeply());
        }
        self.depth += 1;
        let tree = match self.operand(min_power) {
            Ok(left) => self.operators(left, min_power),
            Err(reported) => Err(reported),
        };
        self.depth -= 1;
        tree
    }

    fn operators(&mut self, mut left: Tree, min_power: u8) -> Result<Tree, Reported> {
        let mut chain_reported = false;
        while let Some((infix, power)) = self.operator(&left.expr, min_power)? {
            let chained = power == power::COMPARISON && is_comparison(&left.expr);
            if chained && !chain_reported {
                self.chained_comparison(&left.expr);
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
        let Some(kind) = self.peek() else {
            return Ok(None);
        };
        let Some((op, power)) = binary(kind) else {
            return self.mistaken_operator(kind, left, min_power);
        };
        if power < min_power {
            return Ok(None);
        }
        if self.touching(0) {
            self.mistaken_pair(kind, left)?;
        }
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
        let Some(kind) = self.peek() else {
            return Err(self.expected_expression());
        };
        let next = self.peek_at(1);
        if kind.is_keyword() && next == Some(TokenKind::Assign) {
            let reported = self.keyword_as_name(self.here());
            self.bump();
            self.bump();
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
            TokenKind::Assume => self.assume(),
            TokenKind::Choose => self.choose(),
            TokenKind::Minus => self.unary(UnaryOp::Negate),
            TokenKind::Bang | TokenKind::Not => self.unary(UnaryOp::Not),
            _ => Err(self.mistaken_operand(kind)),
        }
    }

    /// `42`; `negative` if a `-` stands before it.
    fn number(&mut self, negative: bool) -> Result<Tree, Reported> {
        let text = self.here_text();
        let value = if text.bytes().all(|b| b.is_ascii_digit()) {
            // 2^63 has no positive value, only a negative one.
            if negative { format!("-{text}").parse() } else { text.parse() }.ok()
        } else {
            return Err(self.not_a_number());
        };
        match value {
            Some(value) => Ok(Tree::leaf(ExprKind::Number(value), self.bump())),
            None => {
                let message = "this number does not fit into 64 bits";
                let diagnostic = Diagnostic::error("number-out-of-range", message, self.here())
                    .with_label("too large")
                    .with_help(format!("numbers go from {} to {}", i64::MIN, i64::MAX));
                self.report(diagnostic);
                Ok(Tree::leaf(ExprKind::Error, self.bump()))
            }
        }
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
            let diagnostic = Diagnostic::error("empty-parentheses", message, block.span)
                .with_label("expected an expression inside")
                .with_fix("if nothing is meant, write 0", block.span, "0");
            self.report(diagnostic);
            return Ok(Tree::leaf(ExprKind::Error, block.span));
        }
        Ok(Tree::node(ExprKind::Group(block), span, height))
    }

    /// `{ e; ...; e }`; the current token is the `{`.
    pub(super) fn block(&mut self) -> (Block, usize) {
        let before = std::mem::replace(&mut self.in_condition, false);
        let start = self.here();
        let inside = self.sequence(TokenKind::RightBrace).unwrap_or_else(|Reported| {
            let span = Span::new(start.start, self.previous_end());
            Sequence { elements: Vec::new(), span, height: 0 }
        });
        self.in_condition = before;
        (Block { exprs: inside.elements, span: inside.span }, inside.height)
    }

    /// A condition: an expression in which a `=` is a mistaken `==`.
    pub(super) fn condition(&mut self) -> Result<Tree, Reported> {
        let before = std::mem::replace(&mut self.in_condition, true);
        let condition = match self.peek() {
            Some(TokenKind::LeftBrace) => Ok(self.missing_condition()),
            _ => self.expression(0),
        };
        self.in_condition = before;
        condition
    }

    fn missing_condition(&mut self) -> Tree {
        let message = "expected a condition, found `{`";
        let diagnostic = Diagnostic::error("expected-condition", message, self.gap())
            .with_label("expected a condition here")
            .with_help("for a condition that is always true, write `(1)`");
        self.report(diagnostic);
        Tree::leaf(ExprKind::Error, self.gap())
    }

    /// `if condition { then } else ...`.
    fn if_expression(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        let condition = self.condition()?;
        let (then, then_height) = self.branch("if")?;
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

    fn else_part(&mut self) -> Result<(Option<Else>, usize), Reported> {
        let is_else_if = match self.peek() {
            Some(TokenKind::Else) => {
                self.bump();
                self.at(TokenKind::If)
            }
            Some(TokenKind::Name) if self.misspelt_else_if() => true,
            _ => return Ok((None, 0)),
        };
        if !is_else_if {
            let (block, height) = self.branch("else")?;
            return Ok((Some(Else::Block(block)), height));
        }
        if self.depth >= MAX_DEPTH {
            return Err(self.nested_too_deeply());
        }
        self.depth += 1;
        let tree = self.if_expression();
        self.depth -= 1;
        let tree = tree?;
        Ok((Some(Else::If(Box::new(tree.expr))), tree.height))
    }

    /// `while condition { body }`.
    fn while_expression(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        let condition = self.condition()?;
        let (body, height) = self.branch("while")?;
        let span = start.to(body.span);
        let below = condition.height.max(height);
        Ok(Tree::node(ExprKind::While(Box::new(condition.expr), body), span, below))
    }

    /// The block after `if`, `else` or `while`.
    fn branch(&mut self, after: &str) -> Result<(Block, usize), Reported> {
        match self.peek() {
            Some(TokenKind::LeftBrace) => Ok(self.block()),
            Some(TokenKind::Colon) => Err(self.colon()),
            _ => self.branch_without_braces(after),
        }
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

    /// `assume(e)`.
    fn assume(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        let open = self.open_parenthesis("assume(X == 1)")?;
        let inside = self.condition();
        let condition = self.close_parenthesis(open, inside, false)?;
        let span = Span::new(start.start, self.previous_end());
        Ok(Tree::node(ExprKind::Assume(Box::new(condition.expr)), span, condition.height))
    }

    /// `choose(low..high)`.
    fn choose(&mut self) -> Result<Tree, Reported> {
        let start = self.bump();
        let open = self.open_parenthesis("choose(0..2)")?;
        let inside = self.range();
        let (low, high) = self.close_parenthesis(open, inside, false)?;
        let span = Span::new(start.start, self.previous_end());
        let below = low.height.max(high.height);
        Ok(Tree::node(ExprKind::Choose(Box::new(low.expr), Box::new(high.expr)), span, below))
    }

    pub(super) fn open_parenthesis(&mut self, example: &str) -> Result<Span, Reported> {
        if let Some(open) = self.eat(TokenKind::LeftParenthesis) {
            return Ok(open);
        }
        let message = format!("expected `(`, found {}", self.found());
        let diagnostic = Diagnostic::error("unexpected-token", message, self.here())
            .with_label("expected `(`")
            .with_help(format!("it is written like `{example}`"));
        Err(self.report(diagnostic))
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
                if self.touching(0) && self.peek_at(1) == Some(TokenKind::Equal) {
                    let span = self.here();
                    let span = Span::new(span.start, span.end + 1);
                    let message = "`..=` is not needed: a range has both of its ends";
                    let diagnostic = Diagnostic::error("malformed-range", message, span)
                        .with_label("expected `..`")
                        .with_fix("write `..`", span, "..");
                    self.report(diagnostic);
                    self.bump();
                }
                self.bump();
            }
            Some(TokenKind::Comma) => {
                let message = "the ends of a range are separated by `..`";
                let diagnostic = Diagnostic::error("malformed-range", message, self.here())
                    .with_label("expected `..`")
                    .with_fix("write `..`", self.here(), "..");
                self.report(diagnostic);
                self.bump();
            }
            _ => {
                let message =
                    format!("expected `..` and the end of the range, found {}", self.found());
                let diagnostic = Diagnostic::error("malformed-range", message, self.here())
                    .with_label("expected `..`")
                    .with_help("a range is written `0..2`, which is 0, 1 and 2");
                return Err(self.report(diagnostic));
            }
        }
        let high = self.expression(min_power)?;
        Ok((low, high))
    }
}
