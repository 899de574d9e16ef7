//! From the tokens of an `.inv` file to a plan: where lines may end, and where they
//! must.
//!
//! No syntax tree is needed: in files without errors, tokens show where expressions and blocks end.
//! The one thing to look at twice is `{`: where an operand is missing it starts a set, behind an
//! operand a block. Recursion follows blocks and brackets, which are at most
//! [`MAX_DEPTH`](ser_syntax::MAX_DEPTH) deep.
//!
//! The layout: one declaration on a line; one statement on a line, or a whole block on one line if
//! it was on one line and there is room for it. Long expressions are broken before the operators
//! that bind least, and their parts again, one step further to the right. A formula that starts on
//! a line of its own stays there. Of names without brackets around them (those of globals, those in
//! proofs) as many as fit go on one line.

use super::plan::{Blocks as _, Op, Plan, is_a_plan};
use super::seam::Seam;
use super::words::Words;
use ser_syntax::lexer::TokenKind;

/// The plan for a file that has no errors, in the language with these reserved words.
pub fn plan(words: &Words<'_>, is_reserved: fn(&str) -> bool) -> Vec<Op> {
    let (plan, matching) = (Plan::new(words), matching(words));
    let mut layout =
        Layout { plan, matching, is_reserved, before: Before::Nothing, in_pattern: false };
    layout.file();
    layout.plan.ops
}

/// For each opening bracket, the one that closes it.
fn matching(words: &Words<'_>) -> Vec<usize> {
    use TokenKind::*;
    let mut matching = Vec::new();
    let mut open = Vec::new();
    let mut place = 0;
    while let Some(kind) = words.kind(place) {
        matching.push(place);
        match kind {
            LeftBrace | LeftParenthesis | LeftBracket => open.push(place),
            RightBrace | RightParenthesis | RightBracket => {
                if let Some(slot) = open.pop().and_then(|open| matching.get_mut(open)) {
                    *slot = place;
                }
            }
            _ => {}
        }
        place += 1;
    }
    matching
}

/// What stood before a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Nothing of the same line: what stands there was said already.
    Nothing,
    /// A value: a number, a closing bracket.
    Operand,
    /// A name, which a bracket may follow.
    Name,
    /// `.` or `..`.
    Dot,
    /// `!` or `-` that belong to what follows.
    Sign(TokenKind),
    /// An operator, `,`, `:=` or a reserved word: an operand follows.
    Operator,
}

/// How much room there can be behind the name of a statement.
const WIDEST: usize = 32;

/// The weakest and the tightest operators at which lines are broken.
const WEAKEST: u8 = 1;
const TIGHTEST: u8 = 4;

struct Layout<'w, 't> {
    plan: Plan<'w, 't>,
    /// For each opening bracket, the one that closes it.
    matching: Vec<usize>,
    is_reserved: fn(&str) -> bool,
    before: Before,
    /// Whether a `<-` can follow.
    in_pattern: bool,
}

is_a_plan!(Layout);

impl Layout<'_, '_> {
    /// The bracket that closes the one at this place.
    fn close_of(&self, place: usize) -> usize {
        self.matching.get(place).copied().unwrap_or(place)
    }

    fn file(&mut self) {
        while self.peek().is_some() {
            self.seam(Seam::Item);
            match self.word() {
                "thread" | "proc" | "server" => {
                    self.push(Op::Section);
                    self.block(Self::statement);
                }
                "proof" => {
                    self.push(Op::Section);
                    self.block(Self::entry);
                }
                "enum" => {
                    self.group(|it| {
                        it.header();
                        it.names_in_braces();
                    });
                    self.glued_if(TokenKind::Semicolon);
                }
                "invariant" => self.invariant(),
                "let" => self.definition(),
                _ => self.simple(),
            }
        }
        self.seam(Seam::Item);
    }

    /// Words up to a `{`, and the block.
    fn block(&mut self, inside: fn(&mut Self)) {
        self.group(|it| {
            it.header();
            it.braces(inside);
        });
    }

    /// Words up to a `{`, which is no set.
    fn header(&mut self) {
        self.before = Before::Nothing;
        let mut end = self.next;
        while !matches!(self.words.kind(end), None | Some(TokenKind::LeftBrace)) {
            end = self.close_of(end) + 1;
        }
        self.plain(end);
        self.seam(Seam::Flush);
    }

    /// `invariant p(i) = formula;` or `invariant p(i) { ... }`.
    fn invariant(&mut self) {
        let open = self.next + 2;
        match self.words.kind(self.close_of(open) + 1) {
            Some(TokenKind::LeftBrace) => {
                self.block(Self::conjunct);
                self.glued_if(TokenKind::Semicolon);
            }
            _ => self.definition(),
        }
    }

    /// A head, `=`, a formula, and `;`.
    fn definition(&mut self) {
        self.indented(1, |it| {
            let end = it.next_of(&[TokenKind::Equal]);
            it.plain(end + 1);
            it.seam(Seam::Value);
            it.before = Before::Nothing;
            let end = it.next_of(&[TokenKind::Semicolon]);
            it.chain(end, WEAKEST, false);
        });
        self.glued();
    }

    /// Where the next of these is.
    fn next_of(&self, kinds: &[TokenKind]) -> usize {
        let mut end = self.next;
        while self.words.kind(end).is_some_and(|kind| !kinds.contains(&kind)) {
            end += 1;
        }
        end
    }

    /// A line; what follows of it on other lines is so much further to the right.
    fn indented(&mut self, indentation: usize, inside: impl FnOnce(&mut Self)) {
        self.group(|it| {
            it.before = Before::Nothing;
            it.indentation = indentation;
            inside(it);
            let started = indentation - std::mem::take(&mut it.indentation);
            (0..started).for_each(|_| it.push(Op::Dedent));
        });
    }

    /// A statement or declaration that ends with `;`.
    fn simple(&mut self) {
        self.indented(1, |it| {
            let end = it.next_of(&[TokenKind::Semicolon]);
            it.chain(end, WEAKEST, false);
        });
        self.glued();
    }

    /// `name:` before a statement or a conjunct. The room behind it stays as it is: where many
    /// statements have names, people write them like a table.
    fn name(&mut self) {
        if self.words.kind(self.next + 1) != Some(TokenKind::Colon) {
            return;
        }
        self.token();
        self.glued();
        let colon = self.next.checked_sub(1).and_then(|colon| self.words.span(colon));
        let room = colon.zip(self.words.span(self.next)).and_then(|(colon, next)| {
            let between = self.words.text.get(colon.end as usize..next.start as usize)?;
            let blank = between.bytes().all(|byte| byte == b' ');
            (blank && (2..=WIDEST).contains(&between.len())).then_some(between.len() as u32)
        });
        match room {
            Some(room) => self.push(Op::Room(room)),
            None => self.seam(Seam::Space),
        }
    }

    fn conjunct(&mut self) {
        self.name();
        self.simple();
    }

    /// `mutex from a { ... }`, `mutex;`.
    fn entry(&mut self) {
        self.group(|it| {
            it.indented(1, |it| {
                let end = it.next_of(&[TokenKind::Semicolon, TokenKind::LeftBrace]);
                it.plain(end);
            });
            if it.at(TokenKind::LeftBrace) {
                it.seam(Seam::Flush);
                it.braces(Self::simple);
            }
        });
        self.glued_if(TokenKind::Semicolon);
    }

    /// `Task(m, t) => { ... }`.
    fn arm(&mut self) {
        self.group(|it| {
            it.indented(1, |it| {
                let end = it.next_of(&[TokenKind::Equal]);
                it.plain(end);
            });
            it.seam(Seam::Space);
            it.token();
            it.token();
            it.seam(Seam::Flush);
            it.braces(Self::statement);
            it.glued_if(TokenKind::Comma);
        });
    }

    /// A statement, or an action in `atomic` or `ghost`.
    fn statement(&mut self) {
        self.name();
        match self.word() {
            "if" => self.group(Self::conditional),
            "while" => self.group(|it| {
                it.condition();
                it.braces(Self::statement);
            }),
            "label" | "loop" | "for" => self.block(Self::statement),
            "match" => self.block(Self::arm),
            "choice" => self.group(|it| {
                it.header();
                it.braces(Self::statement);
                while it.word() == "or" {
                    it.seam(Seam::Flush);
                    it.header();
                    it.braces(Self::statement);
                }
            }),
            "atomic" => {
                self.block(Self::statement);
                self.ghost();
            }
            word => {
                let assigns = self.words.word(self.next + 1) == ":=";
                self.in_pattern = !(self.is_reserved)(word) && !assigns;
                self.simple();
                self.in_pattern = false;
                self.ghost();
            }
        }
    }

    /// `ghost { ... }` behind a statement or a condition, if it is there.
    fn ghost(&mut self) {
        if self.word() == "ghost" && self.words.kind(self.next + 1) == Some(TokenKind::LeftBrace) {
            self.seam(Seam::Flush);
            self.block(Self::statement);
        }
    }

    /// `if ... { } else if ... { } else { }`: all of its blocks are on one line, or none.
    fn conditional(&mut self) {
        loop {
            self.condition();
            self.braces(Self::statement);
            if self.word() != "else" {
                return;
            }
            self.seam(Seam::Flush);
            self.token();
            self.seam(Seam::Flush);
            if self.word() != "if" {
                return self.braces(Self::statement);
            }
        }
    }

    /// From `if` or `while` to the block.
    fn condition(&mut self) {
        self.indented(2, |it| {
            let end = it.end_of_condition();
            it.chain(end, WEAKEST, false);
        });
        self.ghost();
        self.seam(Seam::Flush);
    }

    /// Where the block behind `if` or `while` starts, or its `ghost`.
    fn end_of_condition(&self) -> usize {
        let mut place = self.next;
        let mut before = Before::Nothing;
        while let Some(kind) = self.words.kind(place) {
            let operand = matches!(before, Before::Operand | Before::Name);
            if operand && (kind == TokenKind::LeftBrace || self.words.word(place) == "ghost") {
                break;
            }
            before = self.becomes(before, place);
            let close = self.close_of(place);
            if close > place {
                before = Before::Operand;
            }
            place = close + 1;
        }
        place
    }

    /// How weakly the operator at this place binds, if lines can be broken at it, and how many
    /// tokens it has.
    fn operator(&self, place: usize) -> Option<(u8, usize)> {
        use TokenKind::{And, AndAnd, Bar, Greater, Less, Minus, Or, OrOr};
        let touches = |place: usize| {
            let (left, right) = (self.words.span(place), self.words.span(place + 1));
            left.zip(right).is_some_and(|(left, right)| left.end == right.start)
        };
        let kind = |ahead: usize| self.words.kind(place + ahead);
        match kind(0)? {
            Less if kind(1) == Some(Minus)
                && kind(2) == Some(Greater)
                && touches(place)
                && touches(place + 1) =>
            {
                Some((1, 3))
            }
            Minus if kind(1) == Some(Greater) && touches(place) => Some((2, 2)),
            OrOr | Or => Some((3, 1)),
            // Between constructors.
            Bar => Some((3, 1)),
            AndAnd | And => Some((4, 1)),
            _ => None,
        }
    }

    /// Tokens up to `end`, broken at the operators that bind least; `further` if what follows on
    /// other lines is further to the right than what is around it.
    fn chain(&mut self, end: usize, level: u8, further: bool) {
        if level > TIGHTEST {
            return self.plain(end);
        }
        let mut operators = Vec::new();
        let mut place = self.next;
        while place < end {
            match self.operator(place) {
                Some((found, tokens)) => {
                    if found == level {
                        operators.push((place, tokens));
                    }
                    place += tokens;
                }
                None => place = self.close_of(place) + 1,
            }
        }
        if operators.is_empty() {
            return self.chain(end, level + 1, further);
        }
        self.push(Op::Begin);
        let ends = operators.iter().map(|(place, _)| *place).chain([end]);
        let mut tokens = operators.iter().map(|(_, tokens)| *tokens);
        for (number, end) in ends.enumerate() {
            if number > 0 {
                self.seam(Seam::Operator);
                (0..tokens.next().unwrap_or(1)).for_each(|_| self.token());
                self.seam(Seam::Flush);
                self.before = Before::Nothing;
            }
            self.chain(end, level + 1, true);
            if number == 0 && further {
                self.push(Op::Indent);
            }
        }
        if further {
            self.push(Op::Dedent);
        }
        self.push(Op::End);
    }

    /// Tokens up to `end` without operators at which lines are broken.
    fn plain(&mut self, end: usize) {
        use TokenKind::{Colon, LeftBrace, LeftBracket, LeftParenthesis};
        let mut is_type = false;
        while self.next < end
            && let Some(kind) = self.peek()
        {
            if self.before != Before::Nothing {
                let after_comma = self.next.checked_sub(1).and_then(|last| self.words.kind(last))
                    == Some(TokenKind::Comma);
                let seam = if after_comma { Seam::Names } else { self.between(kind) };
                self.seam(seam);
            }
            if is_type && self.word() == "set" {
                self.set_type();
                is_type = false;
                continue;
            }
            is_type = kind == Colon;
            if self.in_pattern && kind == TokenKind::Less {
                // `<-`, which is two tokens.
                self.token();
                self.token();
                (self.before, self.in_pattern) = (Before::Operator, false);
                continue;
            }
            match kind {
                LeftBrace | LeftBracket | LeftParenthesis => self.list(kind),
                _ => {
                    self.before = self.becomes(self.before, self.next);
                    self.token();
                }
            }
        }
    }

    /// `set<int>`; the `>` may be one token with a `=` behind it.
    fn set_type(&mut self) {
        self.token();
        self.glued();
        self.glued();
        let is_last = self.at(TokenKind::Greater);
        self.glued();
        self.before = if is_last { Before::Operand } else { Before::Operator };
    }

    /// Brackets and what is in them.
    fn list(&mut self, open: TokenKind) {
        let close = self.close_of(self.next);
        // What is in parentheses alone is as far to the right as they ask for.
        let alone = open == TokenKind::LeftParenthesis && self.before != Before::Name;
        self.push(Op::Begin);
        self.token();
        if self.next == close {
            self.glued();
        } else {
            let mut seam = Seam::Open { brace: false };
            while self.next < close {
                self.seam(seam);
                self.before = Before::Nothing;
                let mut end = self.next;
                while end < close && self.words.kind(end) != Some(TokenKind::Comma) {
                    end = self.close_of(end) + 1;
                }
                self.chain(end, WEAKEST, !alone);
                if self.next < close {
                    self.glued();
                }
                seam = Seam::List;
            }
            self.seam(Seam::Close { brace: false });
            self.token();
        }
        self.push(Op::End);
        self.before = Before::Operand;
    }

    /// What the token at this place is for the one behind it.
    fn becomes(&self, before: Before, place: usize) -> Before {
        let operand_before = matches!(before, Before::Operand | Before::Name);
        let Some(kind) = self.words.kind(place) else { return Before::Nothing };
        match kind {
            TokenKind::Number => Before::Operand,
            // Whatever it may be.
            TokenKind::Star if !operand_before => Before::Operand,
            TokenKind::Minus | TokenKind::Bang if !operand_before => Before::Sign(kind),
            TokenKind::DotDot | TokenKind::Dot | TokenKind::Unknown => Before::Dot,
            kind if kind == TokenKind::Name || kind.is_keyword() => match self.words.word(place) {
                word if !(self.is_reserved)(word) => Before::Name,
                "at" | "malloc" | "thread" => Before::Name,
                "true" | "false" | "null" | "nobody" | "lowest" | "highest" | "me" | "self"
                | "int" | "bool" | "tid" | "addr" | "elem" | "pid" | "havoc" => Before::Operand,
                _ => Before::Operator,
            },
            _ => Before::Operator,
        }
    }

    /// What stands between the last token and the next one, which is a `kind`.
    fn between(&self, kind: TokenKind) -> Seam {
        match (self.before, kind) {
            (Before::Dot, _)
            | (_, TokenKind::Comma | TokenKind::DotDot | TokenKind::Dot | TokenKind::Unknown) => {
                Seam::Glue
            }
            (Before::Name, TokenKind::LeftParenthesis | TokenKind::LeftBracket) => Seam::Glue,
            // `--x` looks like a decrement.
            (Before::Sign(TokenKind::Minus), TokenKind::Minus) => Seam::Space,
            (Before::Sign(_), _) => Seam::Glue,
            _ => Seam::Space,
        }
    }
}
