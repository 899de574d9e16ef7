//! What can stand at the cursor, from the tokens before it.
//!
//! While a person types, the text rarely parses; but what may come next is mostly decided by the
//! token before, and by which brackets are open.

use ser_syntax::lexer::{Token, TokenKind};

/// What can stand at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// A constant, an initial value or a request.
    Item,
    /// A constant expression.
    Constant,
    /// `in`, after the name of a parameter.
    Range,
    /// A statement of a request.
    Statement,
    /// A value in a request.
    Value,
    /// Something that goes on with a value.
    Operator,
    /// `else`, after the block of an `if`.
    Else,
    /// `if`, after an `else`.
    ElseIf,
    /// A new name, or a sign: nothing that could be offered.
    Nothing,
}

impl Slot {
    /// The words of the language that can stand there.
    pub fn words(self) -> &'static [&'static str] {
        match self {
            Slot::Item => &["const", "request"],
            Slot::Range => &["in"],
            Slot::Statement => {
                &["abort", "assume", "choose", "if", "not", "return", "while", "yield"]
            }
            Slot::Value => &["choose", "if", "not"],
            Slot::Operator => &["and", "or"],
            Slot::Else => &["else"],
            Slot::ElseIf => &["if"],
            Slot::Constant | Slot::Nothing => &[],
        }
    }
}

/// What can stand at an offset; the word that is being typed there does not count.
pub fn slot(tokens: &[Token], offset: u32) -> Slot {
    let typed = |t: &Token| {
        let word = t.kind == TokenKind::Name || t.kind.is_keyword();
        word && t.span.start < offset && offset <= t.span.end
    };
    let before = tokens.iter().filter(|t| !t.kind.is_trivia()).take_while(|t| t.span.end <= offset);
    let mut scan = Scan::default();
    for token in before.filter(|t| !typed(t)) {
        scan.take(token.kind);
    }
    scan.slot()
}

/// Where the tokens so far have led.
#[derive(Default)]
struct Scan {
    /// The last token, and the one before.
    last: [Option<TokenKind>; 2],
    /// In the head of a request.
    head: bool,
    /// Open blocks: the word that each belongs to, and how many words waited for one outside.
    blocks: Vec<(Option<TokenKind>, usize)>,
    /// Words whose block is still to come.
    waiting: Vec<TokenKind>,
    /// What stands before each open parenthesis.
    parentheses: Vec<Option<TokenKind>>,
    /// The word of the block that was closed last.
    closed: Option<TokenKind>,
}

impl Scan {
    fn take(&mut self, kind: TokenKind) {
        match kind {
            TokenKind::Request => *self = Scan { head: true, ..Scan::default() },
            TokenKind::Const => *self = Scan::default(),
            TokenKind::If | TokenKind::While | TokenKind::Else => {
                if kind == TokenKind::If && self.last[0] == Some(TokenKind::Else) {
                    self.waiting.pop();
                }
                self.waiting.push(kind);
            }
            TokenKind::LeftBrace => {
                self.head = false;
                let word = self.waiting.pop();
                self.blocks.push((word, self.waiting.len()));
            }
            TokenKind::RightBrace => {
                if let Some((word, waiting)) = self.blocks.pop() {
                    self.closed = word;
                    self.waiting.truncate(waiting);
                }
            }
            TokenKind::Semicolon => {
                let outside = self.blocks.last().map_or(0, |(_, waiting)| *waiting);
                self.waiting.truncate(outside);
                self.parentheses.clear();
            }
            TokenKind::LeftParenthesis => self.parentheses.push(self.last[0]),
            TokenKind::RightParenthesis => {
                self.parentheses.pop();
            }
            _ => {}
        }
        self.last = [Some(kind), self.last[0]];
    }

    fn slot(&self) -> Slot {
        match self.last[0] {
            _ if self.head => self.in_head(),
            Some(last) if !self.blocks.is_empty() => self.in_body(last),
            last => self.at_top(last),
        }
    }

    fn at_top(&self, last: Option<TokenKind>) -> Slot {
        use TokenKind as T;
        match (last, self.last[1]) {
            (None | Some(T::RightBrace | T::Number | T::RightParenthesis), _) => Slot::Item,
            // The end of a constant expression; otherwise its own `=` or `:=` comes next.
            (Some(T::Name), Some(before)) if starts_value(before) => Slot::Item,
            (Some(last), _) if starts_value(last) => Slot::Constant,
            _ => Slot::Nothing,
        }
    }

    fn in_head(&self) -> Slot {
        use TokenKind as T;
        match (self.last[0], self.last[1]) {
            _ if self.parentheses.is_empty() => Slot::Nothing,
            (Some(T::Name), Some(T::LeftParenthesis | T::Comma)) if self.parentheses.len() == 1 => {
                Slot::Range
            }
            (Some(T::LeftParenthesis), _) if self.parentheses.len() > 1 => Slot::Constant,
            (Some(T::LeftParenthesis | T::Comma), _) => Slot::Nothing,
            (Some(last), _) if starts_value(last) => Slot::Constant,
            _ => Slot::Nothing,
        }
    }

    fn in_body(&self, last: TokenKind) -> Slot {
        use TokenKind as T;
        match last {
            T::LeftBrace | T::Semicolon => Slot::Statement,
            T::RightBrace if self.closed == Some(T::If) => Slot::Else,
            T::Else => Slot::ElseIf,
            T::Name | T::Number | T::Question | T::RightParenthesis => Slot::Operator,
            _ if starts_value(last) => match self.parentheses.last() {
                Some(Some(T::Choose)) => Slot::Constant,
                _ => Slot::Value,
            },
            T::If | T::While | T::Return => Slot::Value,
            _ => Slot::Nothing,
        }
    }
}

/// Whether a value follows, whatever else there is.
fn starts_value(kind: TokenKind) -> bool {
    use TokenKind as T;
    matches!(
        kind,
        T::Assign
            | T::Equal
            | T::EqualEqual
            | T::NotEqual
            | T::Less
            | T::LessEqual
            | T::Greater
            | T::GreaterEqual
            | T::Plus
            | T::Minus
            | T::Star
            | T::Bang
            | T::AndAnd
            | T::OrOr
            | T::And
            | T::Or
            | T::Not
            | T::In
            | T::DotDot
            | T::LeftParenthesis
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use ser_syntax::lexer::lex;

    fn at_end(text: &str) -> Slot {
        slot(&lex(text), text.len() as u32)
    }

    #[test]
    fn what_can_stand_there_is_offered() {
        let table = [
            ("", Slot::Item),
            ("req", Slot::Item),
            ("X := 1 ", Slot::Item),
            ("X := N ", Slot::Item),
            ("request a { 1 } ", Slot::Item),
            ("X := ", Slot::Constant),
            ("const N = 2 + ", Slot::Constant),
            ("const ", Slot::Nothing),
            ("const N", Slot::Nothing),
            ("const N ", Slot::Nothing),
            ("X ", Slot::Nothing),
            ("request ", Slot::Nothing),
            ("request a ", Slot::Nothing),
            ("request a(", Slot::Nothing),
            ("request a(p ", Slot::Range),
            ("request a(p i", Slot::Range),
            ("request a(p in ", Slot::Constant),
            ("request a(p in 0..", Slot::Constant),
            ("request a(p in 0..1 ", Slot::Nothing),
            ("request a(p in 0..1, ", Slot::Nothing),
            ("request a(p in 0..1, q ", Slot::Range),
            ("request a(p in 0..1) ", Slot::Nothing),
            ("request a { ", Slot::Statement),
            ("request a { yi", Slot::Statement),
            ("request a { x := X; ", Slot::Statement),
            ("request a { x := X; if (x) { ", Slot::Statement),
            ("request a { x := ", Slot::Value),
            ("request a { return ", Slot::Value),
            ("request a { if ", Slot::Value),
            ("request a { if (", Slot::Value),
            ("request a { x := choose(", Slot::Constant),
            ("request a { x := choose(0..", Slot::Constant),
            ("request a { x := X ", Slot::Operator),
            ("request a { if (X) ", Slot::Operator),
            ("request a { if (X) { 1 } ", Slot::Else),
            ("request a { if X { if Y { 1 } else { 2 } } ", Slot::Else),
            ("request a { if (X) { 1 } else ", Slot::ElseIf),
            ("request a { if (X) { 1 } else { 2 } ", Slot::Nothing),
            ("request a { if (X) { 1 } else if (Y) { 2 } ", Slot::Else),
            ("request a { while (X) { yield } ", Slot::Nothing),
            ("request a { yield ", Slot::Nothing),
            // A new request starts afresh, whatever is still open.
            ("request a { if (X { request b { ", Slot::Statement),
        ];
        for (text, expected) in table {
            assert_eq!(at_end(text), expected, "{text}");
        }
    }

    #[test]
    fn every_word_that_is_offered_can_be_read_there() {
        for slot in [Slot::Item, Slot::Range, Slot::Statement, Slot::Value, Slot::Operator] {
            for word in slot.words() {
                assert!(super::super::keywords::keyword(word).is_some(), "{word}");
            }
        }
    }
}
