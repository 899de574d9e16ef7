//! Which values there are: `0..3`, `bool`, `Seat`, `[0..3] of Seat`, `(bool, int)`.

use super::Parser;
use super::expressions::RANGE;
use crate::ast::{Index, Name, Type, TypeKind};
use crate::grammar::{Grammar as _, power};
use crate::lexer::TokenKind;
use crate::report::{Messages as _, Report as _, Reported, error};
use ser_base::Span;

/// What types look like.
const TYPES: &str = "write a range like `0..10`, `bool`, `int`, `[0..3] of bool`, or the name of an `enum`, `record` or `type`";

impl Parser<'_> {
    /// `: type` or `in type`.
    pub(super) fn type_behind_colon(&mut self, name: &Name) -> Result<Type, Reported> {
        if !self.eat(TokenKind::Colon) && !self.eat(TokenKind::In) {
            let help = format!("for example `{}: 0..3`", name.text);
            return Err(self.expected(
                "malformed-type",
                "`:` and a type",
                "expected `:`",
                &[&help],
            ));
        }
        self.a_type()
    }

    pub(super) fn a_type(&mut self) -> Result<Type, Reported> {
        self.deeper(Parser::type_here)
    }

    fn type_here(&mut self) -> Result<Type, Reported> {
        let start = self.here();
        let word = if self.at(TokenKind::Name) { self.here_text() } else { "" };
        let kind = match self.peek() {
            Some(TokenKind::LeftBracket) => {
                let open = self.bump();
                let index = self.index_behind(open)?;
                if !self.eat_word("of") {
                    let help = "say what its elements are: `[0..3] of bool`";
                    return Err(self.missing("malformed-type", "`of` and a type", "of", &[help]));
                }
                TypeKind::Array(index, Box::new(self.a_type()?))
            }
            Some(TokenKind::LeftParenthesis) if !self.range_in_parentheses() => {
                let open = self.bump();
                let inside = self.list(TokenKind::RightParenthesis, Parser::a_type);
                TypeKind::Tuple(self.close_parenthesis(open, inside, true)?)
            }
            Some(TokenKind::Name) if !self.range_goes_on() => match word {
                "set" if self.word_at(1) == Some("of") => {
                    self.bump_all(2);
                    TypeKind::Set(Box::new(self.a_type()?))
                }
                "bits" if self.peek_at(1) == Some(TokenKind::Number) || self.is_name_at(1) => {
                    self.bump();
                    TypeKind::Bits(Box::new(self.expression(power::UNARY)?.expr))
                }
                "queue" if self.peek_at(1) == Some(TokenKind::LeftBracket) => {
                    self.bump_all(2);
                    let capacity = self.up_to_bracket(start)?;
                    if !self.eat_word("of") {
                        let help = "say what it holds: `queue[2] of 0..3`";
                        return Err(self.missing(
                            "malformed-type",
                            "`of` and the items",
                            "of",
                            &[help],
                        ));
                    }
                    TypeKind::Queue(Box::new(capacity), Box::new(self.a_type()?))
                }
                "int" | "integer" | "bool" | "boolean" => {
                    if matches!(word, "integer" | "boolean") {
                        let right = if word == "integer" { "int" } else { "bool" };
                        let message = format!("`{word}` is written `{right}`");
                        self.write_instead("malformed-type", message, 1, right);
                    }
                    self.bump();
                    self.index_behind_type(word)?;
                    if word.starts_with("int") { TypeKind::Int } else { TypeKind::Bool }
                }
                _ if self.foreign_type() => return Err(Reported),
                _ => {
                    let name = self.name("a type")?;
                    self.member_of_set()?;
                    TypeKind::Named(name)
                }
            },
            Some(kind) if super::expressions::starts_expression(kind) => {
                let low = self.expression(power::SUM)?;
                if !matches!(self.peek(), Some(TokenKind::DotDot | TokenKind::Comma)) {
                    let what = "`..` and the end of the range";
                    return Err(self.expected("malformed-range", what, "expected `..`", &[RANGE]));
                }
                let (low, high) = self.range_after(low, power::SUM)?;
                TypeKind::Range(Box::new(low.expr), Box::new(high.expr))
            }
            _ => {
                let message = format!("expected which values there are, found {}", self.found());
                return Err(error("malformed-type", message, self.gap(), "expected a type here")
                    .with_help(TYPES)
                    .report(self));
            }
        };
        Ok(Type { kind, span: self.since(start) })
    }

    /// `int[3]`, which is reported.
    fn index_behind_type(&mut self, word: &str) -> Result<(), Reported> {
        if !self.at(TokenKind::LeftBracket) || self.previous_end() != self.here().start {
            return Ok(());
        }
        let message = "the index of an array stands before its elements";
        let help = format!("three of them are `[0..2] of {word}`");
        let reported = self.wrong("malformed-type", message, "unexpected `[` here", &[&help]);
        self.skip_to(&[TokenKind::RightBracket]);
        self.bump();
        Err(reported)
    }

    /// `type]`, behind the `[` at `open`.
    pub(super) fn index_behind(&mut self, open: Span) -> Result<Index, Reported> {
        let index = self.a_type()?;
        if !self.eat(TokenKind::RightBracket) {
            let message = format!("expected `]`, found {}", self.found());
            let mut diagnostic = error("malformed-type", message, self.gap(), "expected `]` here")
                .with_secondary(open, "to close this");
            if matches!(index.kind, TypeKind::Range(..)) {
                diagnostic = diagnostic.with_fix("close it", self.gap(), "]");
            }
            return Err(self.report(diagnostic));
        }
        Ok(Index(Box::new(index)))
    }

    /// Whether what starts with a name here is a range, and not just a name.
    fn range_goes_on(&self) -> bool {
        use TokenKind::{DotDot, Minus, Percent, Plus, Slash, Star};
        matches!(self.peek_at(1), Some(DotDot | Plus | Minus | Star | Slash | Percent))
    }

    /// Whether a range starts with the parenthesis here: `(N + 1)..3`.
    fn range_in_parentheses(&self) -> bool {
        use TokenKind::{DotDot, LeftParenthesis, Minus, Plus, RightParenthesis, Star};
        let mut open = 0usize;
        for (at, token) in self.tokens.iter().enumerate().skip(self.position) {
            match token.kind {
                LeftParenthesis => open += 1,
                RightParenthesis => {
                    open -= 1;
                    if open == 0 {
                        let next = self.tokens.get(at + 1).map(|next| next.kind);
                        return matches!(next, Some(DotDot | Plus | Minus | Star));
                    }
                }
                TokenKind::LeftBrace | TokenKind::Semicolon => return false,
                _ => {}
            }
        }
        false
    }
}
