//! Which values there are: `0..3`, `bool`, `Seat`, `[0..3] of Seat`, `(bool, int)`.

use super::Parser;
use super::expressions::RANGE;
use super::operators::power;
use crate::ast::{Expr, Index, Name, Type, TypeKind};
use crate::lexer::TokenKind;
use crate::make;
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
            _ if self.at_item() || self.at_loose_item() => return Err(self.expected_type()),
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
                "bits" => {
                    self.bump();
                    // Two words in a row are the next item.
                    let named = self.is_name_at(0) && self.word_at(1).is_none();
                    if !self.at(TokenKind::Number) && !named {
                        let message = format!("expected how many bits, found {}", self.found());
                        let label = "expected a number here";
                        return Err(error("malformed-type", message, self.gap(), label)
                            .with_help("a byte is written `bits 8`")
                            .report(self));
                    }
                    TypeKind::Bits(Box::new(self.expression(power::UNARY)?.expr))
                }
                "queue"
                    if self.peek_at(1) == Some(TokenKind::LeftBracket)
                        || self.word_at(1) == Some("of") =>
                {
                    self.bump();
                    let Some(open) = self.accept(TokenKind::LeftBracket) else {
                        return Err(self.unbounded_queue(start, Span::empty(start.end)));
                    };
                    if let Some(close) = self.accept(TokenKind::RightBracket) {
                        return Err(self.unbounded_queue(open.to(close), open.to(close)));
                    }
                    let capacity = self.up_to_bracket(open)?;
                    if !self.eat_word("of") {
                        let help = "say what it holds: `queue[2] of 0..3`";
                        return Err(self.missing(
                            "malformed-type",
                            "`of` and the items",
                            "of",
                            &[help],
                        ));
                    }
                    let items = self.a_type()?;
                    if matches!(items.kind, TypeKind::Queue(..)) {
                        let message = "the items of a queue are values, not queues";
                        let label = "a queue inside of a queue";
                        return Err(
                            error("malformed-type", message, items.span, label).report(self)
                        );
                    }
                    TypeKind::Queue(Box::new(capacity), Box::new(items))
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
            _ => return Err(self.expected_type()),
        };
        Ok(Type { kind, span: self.since(start) })
    }

    fn expected_type(&mut self) -> Reported {
        let message = format!("expected which values there are, found {}", self.found());
        error("malformed-type", message, self.gap(), "expected a type here")
            .with_help(TYPES)
            .report(self)
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
        if let (Some(TokenKind::Number), Some(TokenKind::RightBracket)) =
            (self.peek(), self.peek_at(1))
            && let Ok(size @ 1..) = self.here_text().parse::<i64>()
        {
            let message = "the index of an array is a range, and starts where it says";
            let last = size - 1;
            self.write_instead("malformed-type", message, 1, &format!("0..{last}"));
            let span = self.bump();
            self.bump();
            let [low, high] = [0, last].map(|end| Box::new(make::number(end, span)));
            return Ok(Index(Box::new(Type { kind: TypeKind::Range(low, high), span })));
        }
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

    /// `e]`, behind the `[` at `open`.
    pub(super) fn up_to_bracket(&mut self, open: Span) -> Result<Expr, Reported> {
        let inside = self.expression(power::SUM)?.expr;
        if self.eat(TokenKind::RightBracket) {
            return Ok(inside);
        }
        let message = format!("expected `]`, found {}", self.found());
        Err(error("unexpected-token", message, self.gap(), "expected `]` here")
            .with_secondary(open, "to close this")
            .with_fix("close it", self.gap(), "]")
            .report(self))
    }

    fn unbounded_queue(&mut self, span: Span, place: Span) -> Reported {
        let message = "this queue has no bound";
        let diagnostic = error("unbounded-queue", message, span, "how many items fit in?")
            .with_fix("say so, for example for two", place, "[2]");
        let reported = self.report(diagnostic);
        // What it holds is worth skipping as a whole.
        if self.eat_word("of") {
            let _ = self.a_type();
        }
        reported
    }

    /// Whether what starts with a name here is a range, `N + 1..3` or `A[0].low..3`, and not a
    /// type.
    fn range_goes_on(&self) -> bool {
        use TokenKind::{
            Dot, DotDot, LeftBrace, LeftBracket, LeftParenthesis, Minus, Percent, Plus,
            RightBracket, RightParenthesis, Semicolon, Slash, Star,
        };
        let (mut open, mut before) = (0usize, TokenKind::Name);
        for token in self.tokens.iter().skip(self.position + 1) {
            let behind = std::mem::replace(&mut before, token.kind);
            match token.kind {
                LeftBracket | LeftParenthesis => open += 1,
                RightBracket | RightParenthesis if open == 0 => return false,
                RightBracket | RightParenthesis => open -= 1,
                LeftBrace | Semicolon => return false,
                _ if open > 0 => {}
                DotDot | Plus | Minus | Star | Slash | Percent => return true,
                Dot => {}
                TokenKind::Name if behind == Dot => {}
                _ => return false,
            }
        }
        false
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
