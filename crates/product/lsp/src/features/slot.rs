//! What can stand at the cursor, from the tokens before it.
//!
//! While a person types, the text rarely parses; but what may come next is mostly decided by the
//! token before, and by which brackets are open.

use ser_syntax::lexer::{Token, TokenKind};

/// What can stand at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// An item: a constant, a variable, a request, a process, a question.
    Item,
    /// A constant expression.
    Constant,
    /// A type, or a range.
    Type,
    /// A type with few values, or a range.
    Values,
    /// `of`, after the index of an array.
    Of,
    /// `in`, after the name of a parameter or of the variable of a loop.
    Range,
    /// A statement of a body.
    Statement,
    /// A value in a body.
    Value,
    /// A condition about what all share.
    Claim,
    /// Something that goes on with a value.
    Operator,
    /// The same after a condition at top level, where the next item may begin, too.
    OperatorOrItem,
    /// `to`, or something that goes on with a value.
    To,
    /// A field, or a member of an enumeration: what stands before the `.` says which.
    Member,
    /// The case of a `match`; where the `{` stands among the tokens that mean something.
    Case(usize),
    /// A lock.
    Lock,
    /// A queue.
    Queue,
    /// A process.
    Process,
    /// `else`, after the block of an `if`.
    Else,
    /// `or`, after a block of a `choose`.
    Or,
    /// `if`, after an `else`.
    ElseIf,
    /// A new name, or a sign: nothing that could be offered.
    Nothing,
}

/// Words that only processes have.
const OF_PROCESSES: [&str; 12] = [
    "process", "atomic", "await", "send", "recv", "skip", "to", "queue", "bits", "len", "done",
    "of",
];

/// Words that only requests have.
const OF_REQUESTS: [&str; 10] =
    ["request", "abort", "assume", "deadlock", "yield", "lock", "with", "match", "record", "type"];

impl Slot {
    /// The words of the language that can stand there, in files with processes or without.
    pub fn words(self, processes: bool) -> impl Iterator<Item = &'static str> {
        let words: &[&str] = match self {
            Slot::Range => &["in"],
            Slot::Type => &["bits", "bool", "int", "queue"],
            Slot::Values => &["bool"],
            Slot::Of => &["of"],
            Slot::Statement => &[
                "abort", "assert", "assume", "atomic", "await", "break", "choose", "continue",
                "for", "if", "loop", "match", "not", "recv", "return", "send", "skip", "var",
                "while", "with", "yield",
            ],
            Slot::Value => &["choose", "false", "if", "len", "match", "not", "recv", "true"],
            Slot::Claim => &["done", "false", "len", "not", "true"],
            Slot::Case(_) => &["false", "true"],
            Slot::Operator | Slot::OperatorOrItem => &["and", "or"],
            Slot::To => &["and", "or", "to"],
            Slot::Else => &["else"],
            Slot::Or => &["or"],
            Slot::ElseIf => &["if"],
            Slot::Item
            | Slot::Constant
            | Slot::Member
            | Slot::Lock
            | Slot::Queue
            | Slot::Process
            | Slot::Nothing => &[],
        };
        let starts_item = matches!(self, Slot::Item | Slot::OperatorOrItem);
        let items = ITEMS.iter().filter(move |_| starts_item);
        let elsewhere: &[&str] = match processes {
            true => &OF_REQUESTS,
            // A file becomes one with processes by the first of them.
            false => OF_PROCESSES.get(1..).unwrap_or_default(),
        };
        let of = self == Slot::Of;
        words.iter().chain(items).copied().filter(move |word| of || !elsewhere.contains(word))
    }
}

/// What can stand behind these tokens, which all mean something.
pub fn slot(text: &str, before: &[&Token]) -> Slot {
    let mut scan = Scan::default();
    for (at, token) in before.iter().enumerate() {
        scan.take(token.kind, token.text(text), at);
    }
    scan.slot()
}

/// What is in the braces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Block {
    /// Statements, after this word.
    Body(&'static str),
    /// The cases of a `match`.
    Cases(usize),
    /// New names, with types or without.
    Names,
    /// What is claimed.
    Claims,
}

/// A `(` or a `[`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bracket {
    kind: TokenKind,
    /// What stands before it.
    after: Opener,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Opener {
    Choose,
    Done,
    Len,
    /// In a type.
    Type,
    Other,
}

/// Where the tokens so far have led.
#[derive(Default)]
struct Scan {
    /// The last token, and the one before.
    last: [Option<TokenKind>; 2],
    /// The last token, if it is a word that means something here.
    word: Option<&'static str>,
    /// The item at top level: its word.
    item: Option<&'static str>,
    /// In the head of a request, a process or a function.
    head: bool,
    /// Behind the `:` or `in` of a declaration, in the type.
    in_type: bool,
    /// In a statement that starts with `var`, `for` or `send`.
    statement: Option<&'static str>,
    /// Open blocks, and how many words waited for one outside.
    blocks: Vec<(Block, usize)>,
    /// Words whose block is still to come.
    waiting: Vec<&'static str>,
    brackets: Vec<Bracket>,
    /// The block that was closed last.
    closed: Option<Block>,
}

/// Words that start an item, where they are not followed by a sign.
const ITEMS: [&str; 12] = [
    "const",
    "deadlock",
    "enum",
    "fn",
    "invariant",
    "lock",
    "process",
    "reach",
    "record",
    "request",
    "type",
    "var",
];

/// Words that a block belongs to.
const BLOCKS: [&str; 9] =
    ["if", "while", "else", "loop", "for", "with", "match", "choose", "atomic"];

/// Words that mean something at once, wherever they stand in a body.
const WORDS: [&str; 15] = [
    "with", "for", "loop", "match", "atomic", "await", "send", "recv", "to", "var", "of", "if",
    "while", "return", "choose",
];

fn known(list: &[&'static str], word: &str) -> Option<&'static str> {
    list.iter().copied().find(|it| *it == word)
}

impl Scan {
    fn take(&mut self, kind: TokenKind, word: &str, at: usize) {
        let is_word = kind == TokenKind::Name || kind.is_keyword();
        let starts_item = match kind {
            TokenKind::Request | TokenKind::Const => true,
            TokenKind::Name if self.blocks.is_empty() => {
                matches!(self.slot(), Slot::Item | Slot::OperatorOrItem)
            }
            _ => false,
        };
        if starts_item && let Some(item) = known(&ITEMS, word) {
            let head = matches!(item, "request" | "process" | "fn");
            *self = Scan { item: Some(item), head, word: Some(item), ..Scan::default() };
            self.last = [Some(kind), None];
            return;
        }
        let inside = !self.blocks.is_empty();
        // `or` between two blocks of a `choose`.
        let or = kind == TokenKind::Or
            && self.last[0] == Some(TokenKind::RightBrace)
            && self.closed == Some(Block::Body("choose"));
        let block = known(&BLOCKS, word).or(or.then_some("choose"));
        let found = known(&WORDS, word).filter(|_| is_word && inside);
        match kind {
            _ if is_word && inside && block.is_some() => {
                if word == "if" && self.last[0] == Some(TokenKind::Else) {
                    self.waiting.pop();
                }
                self.waiting.extend(block);
                self.statement = known(&["for"], word).or(self.statement);
            }
            _ if is_word && inside && matches!(word, "var" | "send") => {
                self.statement = known(&["var", "send"], word);
            }
            TokenKind::Colon | TokenKind::In => {
                let declares = self.brackets.is_empty()
                    && matches!(self.statement, Some("var" | "for"))
                    || self.blocks.is_empty() && !matches!(self.item, Some("reach" | "invariant"))
                    || self.blocks.last().is_some_and(|(block, _)| *block == Block::Names);
                self.in_type = declares;
            }
            TokenKind::Equal => {
                self.in_type = self.item == Some("type") && !inside;
                self.statement = None;
            }
            TokenKind::LeftBrace => self.open(at),
            TokenKind::RightBrace => {
                if let Some((block, waiting)) = self.blocks.pop() {
                    self.closed = Some(block);
                    self.waiting.truncate(waiting);
                }
                self.brackets.clear();
                (self.in_type, self.statement) = (false, None);
            }
            TokenKind::Semicolon => {
                let outside = self.blocks.last().map_or(0, |(_, waiting)| *waiting);
                self.waiting.truncate(outside);
                self.brackets.clear();
                (self.in_type, self.statement) = (false, None);
            }
            TokenKind::Comma if self.head || self.in_type && self.brackets.is_empty() => {
                self.in_type = false;
            }
            TokenKind::LeftParenthesis | TokenKind::LeftBracket => {
                let after = match (self.last[0], self.word) {
                    (Some(TokenKind::Choose), _) => Opener::Choose,
                    (_, Some("done")) => Opener::Done,
                    (_, Some("len")) => Opener::Len,
                    _ if self.in_type => Opener::Type,
                    _ => Opener::Other,
                };
                self.brackets.push(Bracket { kind, after });
            }
            TokenKind::RightParenthesis | TokenKind::RightBracket => {
                self.brackets.pop();
            }
            _ => {}
        }
        self.word = found.or_else(|| known(&["done", "len"], word));
        self.last = [Some(kind), self.last[0]];
    }

    fn open(&mut self, at: usize) {
        let block = match (self.blocks.is_empty(), self.item) {
            (true, Some("enum" | "record")) => Block::Names,
            (true, Some("invariant")) => Block::Claims,
            (true, _) => Block::Body("item"),
            _ => match self.waiting.pop() {
                Some("match") => Block::Cases(at),
                word => Block::Body(word.unwrap_or("")),
            },
        };
        self.blocks.push((block, self.waiting.len()));
        self.brackets.clear();
        (self.head, self.in_type, self.statement) = (false, false, None);
    }

    fn slot(&self) -> Slot {
        use TokenKind as T;
        if self.last[0] == Some(T::Dot) {
            return Slot::Member;
        }
        if self.in_type {
            return self.in_type();
        }
        match (self.brackets.last().map(|it| it.after), self.last[0]) {
            (Some(Opener::Choose), Some(T::LeftParenthesis)) => return Slot::Values,
            (Some(Opener::Choose), Some(T::DotDot)) => return Slot::Constant,
            (Some(Opener::Done), Some(T::LeftParenthesis)) => return Slot::Process,
            (Some(Opener::Len), Some(T::LeftParenthesis)) => return Slot::Queue,
            _ => {}
        }
        match self.last[0] {
            _ if self.head => self.in_head(),
            Some(last) => match self.blocks.last() {
                None => self.at_top(Some(last)),
                Some((Block::Names, _)) => Slot::Nothing,
                Some((Block::Claims, _)) => match last {
                    T::LeftBrace | T::Semicolon | T::Colon => Slot::Claim,
                    last if starts_value(last) => Slot::Claim,
                    T::Name | T::Number | T::RightParenthesis | T::RightBracket => Slot::Operator,
                    _ => Slot::Nothing,
                },
                Some((Block::Cases(open), _)) => self.in_cases(*open, last),
                Some((Block::Body(_), _)) => self.in_body(last),
            },
            None => Slot::Item,
        }
    }

    /// Behind `name:` or `name in`.
    fn in_type(&self) -> Slot {
        use TokenKind as T;
        // Of parameters and of loops, and the indices of arrays.
        let few = self.head && self.item != Some("fn") || self.statement == Some("for");
        match (self.last[0], self.last[1]) {
            (Some(T::LeftBracket), _) => Slot::Values,
            (Some(T::Colon | T::In), _) if few => Slot::Values,
            (Some(T::Colon | T::In | T::Equal | T::LeftParenthesis), _) => Slot::Type,
            (Some(T::Comma), _) => Slot::Type,
            (Some(T::RightBracket), _) => Slot::Of,
            // `of` is a name to the lexer.
            (Some(T::Name), Some(T::RightBracket)) => Slot::Type,
            (Some(last), _) if starts_value(last) => Slot::Constant,
            _ if self.head || !self.brackets.is_empty() => Slot::Nothing,
            _ if self.blocks.is_empty() => Slot::Item,
            _ => Slot::Nothing,
        }
    }

    fn at_top(&self, last: Option<TokenKind>) -> Slot {
        use TokenKind as T;
        let claims = matches!(self.item, Some("reach" | "invariant"));
        match (last, self.last[1]) {
            (Some(T::Name), None) if self.item == Some("deadlock") => Slot::Item,
            (Some(T::Name), None) if self.item == Some("reach") => Slot::Claim,
            (Some(T::RightBrace), _) => Slot::Item,
            (Some(T::Quoted), _) => Slot::Nothing,
            (Some(T::Colon), _) if claims => Slot::Claim,
            (Some(last), _) if claims && starts_value(last) => Slot::Claim,
            (Some(T::Name), Some(T::Name)) if self.item == Some("invariant") => Slot::Nothing,
            (Some(T::Name | T::Number | T::RightParenthesis | T::RightBracket), _) if claims => {
                match self.brackets.is_empty() {
                    true => Slot::OperatorOrItem,
                    false => Slot::Operator,
                }
            }
            (Some(T::Number | T::RightParenthesis | T::RightBracket), _) => Slot::Item,
            // The name of a lock is all there is to say.
            (Some(T::Name), Some(_)) if self.item == Some("lock") => Slot::Item,
            // The end of a constant expression; otherwise its own `=` or `:=` comes next.
            (Some(T::Name), Some(before)) if starts_value(before) => Slot::Item,
            (Some(last), _) if starts_value(last) => Slot::Constant,
            _ => Slot::Nothing,
        }
    }

    fn in_head(&self) -> Slot {
        use TokenKind as T;
        match (self.last[0], self.last[1]) {
            _ if self.brackets.is_empty() => Slot::Nothing,
            (Some(T::Name), Some(T::LeftParenthesis | T::Comma)) if self.brackets.len() == 1 => {
                match self.item {
                    Some("fn") => Slot::Nothing,
                    _ => Slot::Range,
                }
            }
            _ => Slot::Nothing,
        }
    }

    fn in_cases(&self, open: usize, last: TokenKind) -> Slot {
        use TokenKind as T;
        match (last, self.last[1]) {
            (T::LeftBrace | T::RightBrace | T::Bar, _) => Slot::Case(open),
            (T::Comma, _) if self.brackets.is_empty() => Slot::Case(open),
            // `=>`
            (T::Greater, Some(T::Equal)) => Slot::Statement,
            (T::DotDot, _) => Slot::Constant,
            _ => self.in_body(last),
        }
    }

    fn in_body(&self, last: TokenKind) -> Slot {
        use TokenKind as T;
        match (last, self.word) {
            (_, Some("with")) => Slot::Lock,
            (_, Some("recv" | "to")) => Slot::Queue,
            (_, Some("for" | "var" | "of" | "loop" | "atomic")) => Slot::Nothing,
            (_, Some("match" | "await" | "send" | "if" | "while" | "return")) => Slot::Value,
            (T::LeftBrace | T::Semicolon, _) => Slot::Statement,
            (T::RightBrace, _) if self.closed == Some(Block::Body("if")) => Slot::Else,
            (T::RightBrace, _) if self.closed == Some(Block::Body("choose")) => Slot::Or,
            (T::Else, _) => Slot::ElseIf,
            (T::Name, _) if self.statement == Some("for") && !self.in_type => Slot::Range,
            (T::Name, _) if self.statement == Some("var") => Slot::Nothing,
            (T::Name | T::Number | T::Question | T::RightParenthesis | T::RightBracket, _) => {
                match self.statement {
                    Some("send") => Slot::To,
                    _ => Slot::Operator,
                }
            }
            // The field of a record.
            (T::Colon, _) => Slot::Value,
            (T::LeftBracket | T::Comma, _) => Slot::Value,
            (last, _) if starts_value(last) => Slot::Value,
            (T::If | T::While | T::Return, _) => Slot::Value,
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
            | T::Slash
            | T::Percent
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

    /// What can stand at the end of a text; a word that is being typed there does not count.
    fn at_end(text: &str) -> Slot {
        let tokens = lex(text);
        let typed = |t: &&Token| {
            (t.kind == TokenKind::Name || t.kind.is_keyword()) && t.span.end == text.len() as u32
        };
        let before: Vec<&Token> =
            tokens.iter().filter(|t| !t.kind.is_trivia() && !typed(t)).collect();
        slot(text, &before)
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
            ("request a(p in ", Slot::Values),
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
            ("request a { x := choose(", Slot::Values),
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
            // Types.
            ("var ", Slot::Nothing),
            ("var X ", Slot::Nothing),
            ("var X: ", Slot::Type),
            ("var X: [", Slot::Values),
            ("var X: [0..2] ", Slot::Of),
            ("var X: [0..2] of ", Slot::Type),
            ("var X: 0..", Slot::Constant),
            ("var X: Seat ", Slot::Item),
            ("var X: Seat = ", Slot::Constant),
            ("lock Till ", Slot::Item),
            ("type Row = ", Slot::Type),
            ("enum Seat { free, ", Slot::Nothing),
            ("record Order { seat: ", Slot::Type),
            ("record Order { seat: Seat, ", Slot::Nothing),
            ("fn f(a: ", Slot::Type),
            ("fn f(a) { ", Slot::Statement),
            ("request a { var x: ", Slot::Type),
            ("request a { var x: 0..3 = ", Slot::Value),
            ("request a { for i ", Slot::Range),
            ("request a { for i in ", Slot::Values),
            ("request a { for i in 0..2 { ", Slot::Statement),
            // What is behind a sign or a word says what comes.
            ("request a { x := order.", Slot::Member),
            ("request a { x := order.pa", Slot::Member),
            ("request a { with ", Slot::Lock),
            ("request a { with Till { ", Slot::Statement),
            ("request a { x := Order(seat: ", Slot::Value),
            ("request a { x := Plan[", Slot::Value),
            ("request a { match x { ", Slot::Case(5)),
            ("request a { match x { free ", Slot::Operator),
            ("request a { match x { free => ", Slot::Statement),
            ("request a { match x { free => 1, ", Slot::Case(5)),
            ("request a { match x { free => { 1 } ", Slot::Case(5)),
            ("request a { match x { free | ", Slot::Case(5)),
            ("request a { choose { 1 } ", Slot::Or),
            ("request a { choose { 1 } or { ", Slot::Statement),
            // Processes and what is asked.
            ("process P(i in 0..1) { ", Slot::Statement),
            ("process P { send ", Slot::Value),
            ("process P { send 1 ", Slot::To),
            ("process P { send 1 to ", Slot::Queue),
            ("process P { x := recv ", Slot::Queue),
            ("process P { await len(", Slot::Queue),
            ("reach ", Slot::Claim),
            ("reach \"both\": ", Slot::Claim),
            ("reach X == ", Slot::Claim),
            ("reach X == 1 ", Slot::OperatorOrItem),
            ("reach done(", Slot::Process),
            ("invariant room ", Slot::Nothing),
            ("invariant room: ", Slot::Claim),
            ("invariant room { X > 0; ", Slot::Claim),
            ("deadlock ", Slot::Item),
        ];
        for (text, expected) in table {
            assert_eq!(at_end(text), expected, "{text}");
        }
    }

    #[test]
    fn every_word_that_is_offered_has_a_meaning() {
        let slots = [
            Slot::Item,
            Slot::Range,
            Slot::Type,
            Slot::Values,
            Slot::Of,
            Slot::Statement,
            Slot::Claim,
            Slot::Operator,
            Slot::OperatorOrItem,
            Slot::To,
            Slot::Or,
            Slot::Else,
            Slot::Case(0),
        ];
        for (slot, processes) in slots.iter().flat_map(|slot| [(slot, false), (slot, true)]) {
            for word in slot.words(processes) {
                assert!(super::super::keywords::keyword(word).is_some(), "{word}");
            }
        }
    }
}
