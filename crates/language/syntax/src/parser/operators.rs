//! Operators, and how tightly they bind.

use crate::ast::BinaryOp;
use crate::lexer::TokenKind;

/// How tightly operators bind.
pub(super) mod power {
    pub(in crate::parser) const IFF: u8 = 1;
    pub(in crate::parser) const IMPLIES: u8 = 2;
    pub(in crate::parser) const OR: u8 = 3;
    pub(in crate::parser) const AND: u8 = 4;
    pub(in crate::parser) const COMPARISON: u8 = 5;
    pub(in crate::parser) const SUM: u8 = 6;
    pub(in crate::parser) const PRODUCT: u8 = 7;
    pub(in crate::parser) const UNARY: u8 = 8;
}

/// The operator that a token stands for, and how tightly it binds.
pub(super) fn common(kind: TokenKind) -> Option<(BinaryOp, u8)> {
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
        TokenKind::Slash => (BinaryOp::Divide, power::PRODUCT),
        TokenKind::Percent => (BinaryOp::Remainder, power::PRODUCT),
        _ => return None,
    })
}
