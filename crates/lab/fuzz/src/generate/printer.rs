//! Terms as text, with as few parentheses as the grammar allows, and some more by chance.

use crate::Random;
use ser_oracle::Term::{self, *};
use ser_syntax::core::{BinaryOp, UnaryOp};

/// Writes expressions with as few parentheses as the grammar allows, and some more by chance.
pub(super) struct Printer {
    pub(super) random: Random,
    pub(super) text: String,
}

impl Printer {
    pub(super) fn new(random: Random) -> Printer {
        Printer { random, text: String::new() }
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// One of two ways to write the same.
    fn either(&mut self, one: &str, other: &str) {
        let text = if self.random.chance(50) { one } else { other };
        self.text.push_str(text);
    }

    pub(super) fn block(&mut self, e: &Term) {
        self.push("{ ");
        if *e != Value(0) || self.random.chance(50) {
            self.sequence(e);
        }
        self.either(" }", "; }");
    }

    fn sequence(&mut self, e: &Term) {
        let mut rest = e;
        while let Sequence(a, b) = rest {
            self.expression(a, 0);
            self.push("; ");
            rest = b;
        }
        self.expression(rest, 0);
    }

    /// Levels as in the grammar: 0 assignment, 1 or, 2 and, 3 comparison, 4 sum, 5 product,
    /// 6 prefix, 7 atom.
    fn expression(&mut self, e: &Term, level: usize) {
        let own = match e {
            SetLocal(..) | SetGlobal(..) | Return(_) => 0,
            Binary(BinaryOp::Or, ..) => 1,
            Binary(BinaryOp::And, ..) => 2,
            Binary(BinaryOp::Add | BinaryOp::Subtract, ..) => 4,
            Binary(BinaryOp::Multiply, ..) => 5,
            Binary(..) => 3,
            Unary(..) => 6,
            _ => 7,
        };
        if own < level || matches!(e, Sequence(..)) || self.random.chance(5) {
            self.push("(");
            self.sequence(e);
            self.push(")");
            return;
        }
        match e {
            Value(2) => self.either("2", "TWO"),
            Value(-1) => self.push("MINUS"),
            Value(v) => self.push(&v.to_string()),
            Coin => self.push("?"),
            Choose(a, b) => self.push(&format!("choose({a}..{b})")),
            Local(x) | Global(x) => self.push(x),
            SetLocal(x, a) | SetGlobal(x, a) => {
                self.push(&format!("{x} := "));
                self.expression(a, 0);
            }
            Unary(op, a) => {
                match op {
                    UnaryOp::Negate => self.push("-"),
                    UnaryOp::Not => self.either("!", "not "),
                }
                self.expression(a, 6);
            }
            Binary(BinaryOp::And, a, b) => {
                self.expression(a, 2);
                self.either(" && ", " and ");
                self.expression(b, 3);
            }
            Binary(BinaryOp::Or, a, b) => {
                self.expression(a, 1);
                self.either(" || ", " or ");
                self.expression(b, 2);
            }
            Binary(op, a, b) => {
                // Comparisons do not chain; the others associate to the left.
                let left = if own == 3 { 4 } else { own };
                self.expression(a, left);
                self.push(&format!(" {} ", op.symbol()));
                self.expression(b, own + 1);
            }
            If(c, a, b) => {
                self.push("if ");
                self.expression(c, 0);
                self.push(" ");
                self.block(a);
                match &**b {
                    Value(0) if self.random.chance(50) => {}
                    If(..) if self.random.chance(50) => {
                        // The chance for parentheses must not come between `else` and `if`.
                        self.push(" else ");
                        let mark = self.text.len();
                        self.expression(b, 7);
                        if self.text[mark..].starts_with('(') {
                            self.text.insert_str(mark, "{ ");
                            self.push(" }");
                        }
                    }
                    _ => {
                        self.push(" else ");
                        self.block(b);
                    }
                }
            }
            While(c, a) => {
                self.push("while ");
                self.expression(c, 0);
                self.push(" ");
                self.block(a);
            }
            Yield => self.push("yield"),
            Abort => self.push("abort"),
            Return(a) if **a == Value(0) && self.random.chance(50) => self.push("return"),
            Return(a) => {
                self.push("return ");
                self.expression(a, 0);
            }
            Assume(a) => {
                self.push("assume(");
                self.expression(a, 0);
                self.push(")");
            }
            Sequence(..) => unreachable!("written with parentheses"),
        }
    }
}
