//! Expressions: an operand, then in a loop operators that bind at least as tightly as asked.

use super::Parser;
use crate::cursor::Reported;
use crate::icet::syntax::{Expr, ExprKind, Operator};
use crate::lexer::TokenKind;
use crate::parser::MAX_DEPTH;
use ser_base::{Diagnostic, Span};

/// An expression and the height of its tree: a chain like `1 + 1 + 1` makes the tree higher without
/// making the recursion deeper.
struct Tree {
    expr: Expr,
    height: usize,
    /// Whether it is a comparison without parentheses around it.
    compares: bool,
}

impl Tree {
    fn new(kind: ExprKind, span: Span, height: usize) -> Tree {
        Tree { expr: Expr { span, kind }, height, compares: false }
    }
}

/// How tightly comparisons bind.
const COMPARISON: u8 = 3;
/// How tightly `-` and `!` before an operand bind.
const UNARY: u8 = 6;

/// The operator that a token stands for, and how tightly it binds.
fn operator(kind: TokenKind) -> Option<(Operator, u8)> {
    Some(match kind {
        TokenKind::OrOr | TokenKind::Or => (Operator::Or, 1),
        TokenKind::AndAnd | TokenKind::And => (Operator::And, 2),
        TokenKind::EqualEqual => (Operator::Equal, COMPARISON),
        TokenKind::NotEqual => (Operator::NotEqual, COMPARISON),
        TokenKind::Less => (Operator::Less, COMPARISON),
        TokenKind::LessEqual => (Operator::LessEqual, COMPARISON),
        TokenKind::Greater => (Operator::Greater, COMPARISON),
        TokenKind::GreaterEqual => (Operator::GreaterEqual, COMPARISON),
        TokenKind::Plus => (Operator::Add, 4),
        TokenKind::Minus => (Operator::Subtract, 4),
        TokenKind::Star => (Operator::Multiply, 5),
        _ => return None,
    })
}

impl Parser<'_> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Result<Expr, Reported> {
        self.tree(0).map(|tree| tree.expr)
    }

    fn tree(&mut self, min_power: u8) -> Result<Tree, Reported> {
        self.enter()?;
        let tree = match self.operand() {
            Ok(left) => self.operators(left, min_power),
            Err(reported) => Err(reported),
        };
        self.leave();
        tree
    }

    fn operators(&mut self, mut left: Tree, min_power: u8) -> Result<Tree, Reported> {
        while let Some(kind) = self.peek() {
            let Some((op, power)) = self.infix(kind)? else { break };
            if power < min_power {
                break;
            }
            if power == COMPARISON && left.compares {
                let diagnostic = Diagnostic::error(
                    "chained-comparison",
                    "comparisons cannot be chained",
                    self.here(),
                )
                .with_label("a second comparison")
                .with_secondary(left.expr.span, "this is already a comparison")
                .with_help("to say both, write `a < b && b < c`");
                return Err(self.report(diagnostic));
            }
            let place = self.bump();
            let right = self.tree(power + 1)?;
            let below = left.height.max(right.height);
            if self.depth + below > MAX_DEPTH {
                return Err(self.nested_too_deeply());
            }
            let span = left.expr.span.to(right.expr.span);
            let kind = ExprKind::Binary(op, place, Box::new(left.expr), Box::new(right.expr));
            left = Tree::new(kind, span, below + 1);
            left.compares = power == COMPARISON;
        }
        Ok(left)
    }

    /// The operator at the current token; also one that was meant to be one.
    fn infix(&mut self, kind: TokenKind) -> Result<Option<(Operator, u8)>, Reported> {
        match kind {
            TokenKind::Equal => {
                self.single_equal();
                Ok(Some((Operator::Equal, COMPARISON)))
            }
            TokenKind::Assign => Err(self.assignment_to_expression()),
            TokenKind::Unknown => Err(self.unknown()),
            kind => {
                self.mistaken_pair()?;
                Ok(operator(kind))
            }
        }
    }

    fn operand(&mut self) -> Result<Tree, Reported> {
        let start = self.here();
        match self.peek() {
            Some(TokenKind::Number) => self.number(false),
            Some(TokenKind::LeftParenthesis) => {
                self.bump();
                let inside = self.tree(0)?;
                if !self.eat(TokenKind::RightParenthesis) {
                    return Err(self.unclosed_parenthesis(start));
                }
                // The parentheses belong to it, for messages and for edits.
                let span = self.since(start);
                Ok(Tree::new(inside.expr.kind, span, inside.height))
            }
            Some(TokenKind::Minus) => {
                self.bump();
                if self.at(TokenKind::Number) {
                    let mut number = self.number(true)?;
                    number.expr.span = self.since(start);
                    return Ok(number);
                }
                let operand = self.tree(UNARY)?;
                let kind = ExprKind::Negate(Box::new(operand.expr));
                Ok(Tree::new(kind, self.since(start), operand.height + 1))
            }
            Some(TokenKind::Bang | TokenKind::Not) => {
                self.bump();
                let operand = self.tree(UNARY)?;
                let kind = ExprKind::Not(Box::new(operand.expr));
                Ok(Tree::new(kind, self.since(start), operand.height + 1))
            }
            Some(_) => match self.word_at(0) {
                Some("true" | "false") => {
                    let kind = ExprKind::Bool(self.here_text() == "true");
                    Ok(Tree::new(kind, self.bump(), 1))
                }
                Some("self") => Ok(Tree::new(ExprKind::Me, self.bump(), 1)),
                Some(_) if self.is_name_at(0) => self.name_or_message(),
                _ => Err(self.mistaken_operand()),
            },
            None => Err(self.mistaken_operand()),
        }
    }

    /// `x` or `Task(a, b)`.
    fn name_or_message(&mut self) -> Result<Tree, Reported> {
        let start = self.here();
        let name = self.name("a variable")?;
        let open = self.here();
        if !self.eat(TokenKind::LeftParenthesis) {
            return Ok(Tree::new(ExprKind::Name(name), start, 1));
        }
        let mut fields = Vec::new();
        let mut height = 0;
        while !self.at(TokenKind::RightParenthesis) {
            let field = self.tree(0)?;
            height = height.max(field.height);
            fields.push(field.expr);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.close_list(open)?;
        let kind = ExprKind::Message(name, fields);
        Ok(Tree::new(kind, self.since(start), height + 1))
    }

    /// `42`; `negative` if a `-` stands before it.
    fn number(&mut self, negative: bool) -> Result<Tree, Reported> {
        let text = self.here_text();
        if !text.bytes().all(|b| b.is_ascii_digit()) {
            return Err(self.not_a_number());
        }
        let value = if negative { format!("-{text}").parse() } else { text.parse() };
        let kind = match value {
            Ok(value) => ExprKind::Number(value),
            Err(_) => {
                let message = "this number does not fit into 64 bits";
                let diagnostic = Diagnostic::error("number-out-of-range", message, self.here())
                    .with_label("too large")
                    .with_help(format!("numbers go from {} to {}", i64::MIN, i64::MAX));
                self.report(diagnostic);
                ExprKind::Error
            }
        };
        Ok(Tree::new(kind, self.bump(), 1))
    }
}
