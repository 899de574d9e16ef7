//! From the syntax tree to a plan: where lines may end, and where they must.
//!
//! The walk over the tree takes the tokens one by one from the text, in order, and the tree only
//! says what to put between them. So nothing can get lost, and what a person may write in several
//! ways (`and` or `&&`, parentheses, a final `;`) stays as it was.

use super::plan::{Blocks as _, Op, Plan, is_a_plan};
use super::seam::Seam;
use super::words::Words;
use ser_syntax::ast::{BinaryOp, Block, Else, Expr, ExprKind, Program};
use ser_syntax::lexer::TokenKind;

/// Around an expression: how far its operators are indented when they start lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    /// In parentheses: not at all.
    Parentheses,
    Statement,
    /// After `if` or `while`: further than the block that follows.
    Condition,
}

/// The plan for a program, which is the meaning of these words and has no errors.
pub fn plan(program: &Program, words: &Words<'_>) -> Vec<Op> {
    let mut layout = Layout { plan: Plan::new(words) };
    layout.program(program);
    layout.plan.ops
}

struct Layout<'w, 't> {
    plan: Plan<'w, 't>,
}

is_a_plan!(Layout);

/// Things at top level.
enum Item<'p> {
    /// A constant or an initial value.
    Value(&'p Expr),
    Request(&'p ser_syntax::ast::Request),
}

impl Layout<'_, '_> {
    fn program(&mut self, program: &Program) {
        let constants = program.constants.iter().map(|c| (c.span.start, Item::Value(&c.value)));
        let initial = program.initial_values.iter().map(|v| (v.span.start, Item::Value(&v.value)));
        let requests = program.requests.iter().map(|r| (r.span.start, Item::Request(r)));
        let mut items: Vec<(u32, Item<'_>)> = constants.chain(initial).chain(requests).collect();
        items.sort_by_key(|(start, _)| *start);
        let mut items = items.into_iter().map(|(_, item)| item);
        let has_block = |it: &Self| it.at(TokenKind::Request);
        self.items(has_block, |it, _| match items.next() {
            Some(Item::Value(value)) => it.value(value),
            Some(Item::Request(request)) => it.request(request),
            // Whatever is left, though there should be nothing.
            None => it.token(),
        });
    }

    /// `const N = value` or `Name := value`.
    fn value(&mut self, value: &Expr) {
        let words = if self.at(TokenKind::Const) { 3 } else { 2 };
        self.apart(words);
        self.expression(value, Around::Statement);
    }

    fn request(&mut self, request: &ser_syntax::ast::Request) {
        self.token();
        self.seam(Seam::Space);
        self.token();
        if self.peek() == Some(TokenKind::LeftParenthesis) {
            self.seam(Seam::Glue);
            self.parameters(&request.parameters);
        }
        self.seam(Seam::Flush);
        self.push(Op::Begin);
        self.block(&request.body);
        self.push(Op::End);
    }

    fn parameters(&mut self, parameters: &[ser_syntax::ast::Parameter]) {
        self.push(Op::Begin);
        self.token();
        for (i, parameter) in parameters.iter().enumerate() {
            self.seam(if i == 0 { Seam::Open { brace: false } } else { Seam::List });
            self.apart(2);
            self.range(&parameter.low, &parameter.high);
            self.glued_if(TokenKind::Comma);
        }
        self.seam(if parameters.is_empty() { Seam::Glue } else { Seam::Close { brace: false } });
        self.token();
        self.push(Op::End);
    }

    /// So many tokens, with a space behind each.
    fn apart(&mut self, tokens: usize) {
        for _ in 0..tokens {
            self.token();
            self.seam(Seam::Space);
        }
    }

    /// `low..high`.
    fn range(&mut self, low: &Expr, high: &Expr) {
        self.expression(low, Around::Statement);
        self.glued();
        self.seam(Seam::Glue);
        self.expression(high, Around::Statement);
    }

    /// `{ ... }`, within a group of the caller's.
    fn block(&mut self, block: &Block) {
        if self.empty_braces() {
            return;
        }
        self.token();
        self.seam(Seam::Open { brace: true });
        self.sequence(block, Around::Statement);
        self.seam(Seam::Close { brace: true });
        self.token();
    }

    /// Expressions with `;` between them, up to the bracket that closes them.
    fn sequence(&mut self, block: &Block, around: Around) {
        let mut exprs = block.exprs.iter();
        let mut is_first = true;
        loop {
            match self.peek() {
                Some(TokenKind::Semicolon) => {
                    if !is_first {
                        self.seam(Seam::Glue);
                    }
                    self.token();
                }
                None | Some(TokenKind::RightBrace | TokenKind::RightParenthesis) => return,
                Some(_) => {
                    let Some(expr) = exprs.next() else { return };
                    if !is_first {
                        self.seam(Seam::Statement);
                    }
                    self.expression(expr, around);
                }
            }
            is_first = false;
        }
    }

    fn expression(&mut self, expr: &Expr, around: Around) {
        match &expr.kind {
            ExprKind::Number(_)
            | ExprKind::Coin
            | ExprKind::Read(_)
            | ExprKind::Yield
            | ExprKind::Abort => {
                // The smallest number has a sign of its own, which is a token of its own.
                if self.peek() == Some(TokenKind::Minus) {
                    self.token();
                    self.seam(Seam::Glue);
                }
                self.token();
            }
            ExprKind::Assign(_, value) => {
                self.apart(2);
                self.expression(value, Around::Statement);
            }
            ExprKind::Unary(_, operand) => {
                let operator = self.peek();
                self.token();
                let next = self.peek();
                // `--x` looks like a decrement.
                let apart = operator == Some(TokenKind::Not)
                    || operator == Some(TokenKind::Minus) && next == operator;
                self.seam(if apart { Seam::Space } else { Seam::Glue });
                self.expression(operand, Around::Statement);
            }
            ExprKind::Binary(operator, ..) => self.chain(expr, level(*operator), around),
            ExprKind::If(..) => {
                self.push(Op::Begin);
                self.conditional(expr);
                self.push(Op::End);
            }
            ExprKind::While(condition, body) => {
                self.push(Op::Begin);
                self.apart(1);
                self.expression(condition, Around::Condition);
                self.seam(Seam::Flush);
                self.block(body);
                self.push(Op::End);
            }
            ExprKind::Return(value) => {
                self.token();
                if let Some(value) = value {
                    self.seam(Seam::Space);
                    self.expression(value, Around::Statement);
                }
            }
            ExprKind::Assume(condition) => {
                self.token();
                self.seam(Seam::Glue);
                self.in_parentheses(|layout| {
                    layout.expression(condition, Around::Parentheses);
                });
            }
            ExprKind::Choose(low, high) => {
                self.token();
                self.seam(Seam::Glue);
                self.in_parentheses(|layout| layout.range(low, high));
            }
            ExprKind::Group(block) => {
                let around = match block.exprs.len() {
                    1 => Around::Parentheses,
                    _ => Around::Statement,
                };
                self.in_parentheses(|layout| layout.sequence(block, around));
            }
            ExprKind::Error => {}
        }
    }

    /// `if ... { } else if ... { } else { }`: all of its blocks are on one line, or none.
    fn conditional(&mut self, mut expr: &Expr) {
        while let ExprKind::If(condition, then, otherwise) = &expr.kind {
            self.apart(1);
            self.expression(condition, Around::Condition);
            self.seam(Seam::Flush);
            self.block(then);
            let Some(otherwise) = otherwise else { return };
            self.seam(Seam::Flush);
            self.token();
            self.seam(Seam::Flush);
            match otherwise {
                Else::If(next) => expr = next,
                Else::Block(block) => return self.block(block),
            }
        }
    }

    /// `a + b - c`: operators of the same level, all at the start of a line, or none.
    fn chain(&mut self, expr: &Expr, of: u8, around: Around) {
        let mut operands = Vec::new();
        let mut first = expr;
        while let ExprKind::Binary(operator, left, right) = &first.kind
            && level(*operator) == of
        {
            operands.push(right);
            first = left;
        }
        let indentation = match around {
            Around::Parentheses => 0,
            Around::Statement => 1,
            Around::Condition => 2,
        };
        self.push(Op::Begin);
        self.expression(first, Around::Statement);
        (0..indentation).for_each(|_| self.push(Op::Indent));
        for operand in operands.into_iter().rev() {
            self.seam(Seam::Operator);
            self.token();
            self.seam(Seam::Flush);
            self.expression(operand, Around::Statement);
        }
        (0..indentation).for_each(|_| self.push(Op::Dedent));
        self.push(Op::End);
    }
}

/// Operators that can stand in one chain have the same level.
fn level(operator: BinaryOp) -> u8 {
    match operator {
        BinaryOp::Or => 1,
        BinaryOp::And => 2,
        BinaryOp::Multiply => 5,
        BinaryOp::Add | BinaryOp::Subtract => 4,
        _ => 3,
    }
}
