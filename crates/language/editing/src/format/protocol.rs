//! From the tokens of an `.icet` file to a plan: where lines may end, and where they must.
//!
//! The language says with its first word what every statement is, so that no syntax tree is needed: the
//! tokens of a file without errors show where expressions and blocks end. Recursion follows the blocks,
//! which are at most [`MAX_DEPTH`](ser_syntax::MAX_DEPTH) deep.
//!
//! The layout: one declaration on a line; one statement on a line, or a whole block on one line if it
//! was on one line and there is room for it. Long conditions are broken before `&&` and `||`, long message
//! types before `|`.

use super::plan::{Blocks as _, Op, Plan, is_a_plan};
use super::seam::Seam;
use super::words::Words;
use ser_syntax::icet::is_reserved;
use ser_syntax::lexer::TokenKind;

/// The plan for a file that has no errors.
pub fn plan(words: &Words<'_>) -> Vec<Op> {
    let mut layout = Layout { plan: Plan::new(words) };
    layout.file();
    layout.plan.ops
}

struct Layout<'w, 't> {
    plan: Plan<'w, 't>,
}

is_a_plan!(Layout);

/// What stood before a token of an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// A word or a number, or `)`.
    Operand,
    /// The name of a constructor, perhaps.
    Name,
    /// `(`.
    Open,
    /// `!` or `-` that belong to what follows.
    Sign(TokenKind),
    /// An operator, `,`, `:=` or a reserved word: an operand follows.
    Operator,
}

impl Layout<'_, '_> {
    fn file(&mut self) {
        while self.peek().is_some() {
            self.seam(Seam::Item);
            match self.word() {
                "proc" | "server" => {
                    self.push(Op::Section);
                    self.push(Op::Begin);
                    self.token();
                    self.header();
                    self.block();
                    self.push(Op::End);
                }
                "enum" => self.enumeration(),
                _ => self.simple(),
            }
        }
        self.seam(Seam::Item);
    }

    /// Words up to a `{`.
    fn header(&mut self) {
        while !matches!(self.peek(), None | Some(TokenKind::LeftBrace)) {
            self.seam(Seam::Space);
            self.token();
        }
        self.seam(Seam::Flush);
    }

    /// `enum Colour { Red, Green }`.
    fn enumeration(&mut self) {
        self.push(Op::Begin);
        self.token();
        self.header();
        self.names_in_braces();
        self.push(Op::End);
        self.glued_if(TokenKind::Semicolon);
    }

    fn block(&mut self) {
        self.braces(Self::statement);
    }

    fn statement(&mut self) {
        match self.word() {
            "if" => self.group(|it| {
                it.conditional();
            }),
            "while" => self.group(|it| {
                it.token();
                it.condition();
                it.block();
            }),
            "loop" | "for" => self.group(|it| {
                it.token();
                it.header();
                it.block();
            }),
            "match" => self.group(|it| {
                it.token();
                it.header();
                it.braces(Self::arm);
            }),
            _ => self.simple(),
        }
    }

    /// `if ... { } else if ... { } else { }`: all of its blocks are on one line, or none.
    fn conditional(&mut self) {
        loop {
            self.token();
            self.condition();
            self.block();
            if self.word() != "else" {
                return;
            }
            self.seam(Seam::Flush);
            self.token();
            self.seam(Seam::Flush);
            if self.word() != "if" {
                return self.block();
            }
        }
    }

    /// What stands between `if` or `while` and the block.
    fn condition(&mut self) {
        self.seam(Seam::Space);
        self.tokens(TokenKind::LeftBrace, 2);
        self.seam(Seam::Flush);
    }

    /// `Task(m, t) => { ... }`.
    fn arm(&mut self) {
        self.push(Op::Begin);
        self.tokens(TokenKind::Equal, 1);
        self.seam(Seam::Space);
        self.token();
        self.token();
        self.seam(Seam::Flush);
        self.block();
        self.glued_if(TokenKind::Comma);
        self.push(Op::End);
    }

    /// A statement or declaration that ends with `;`.
    fn simple(&mut self) {
        self.tokens(TokenKind::Semicolon, 1);
        self.seam(Seam::Glue);
        self.token();
    }

    /// Tokens up to `end`, with operators that may start lines, so much further to the right.
    fn tokens(&mut self, end: TokenKind, indentation: usize) {
        self.push(Op::Begin);
        let mut depth = 0usize;
        let mut before = None;
        let mut started = false;
        let is_pattern = !is_reserved(self.word()) && self.words.word(self.next + 1) != ":=";
        let mut arrow = is_pattern && end == TokenKind::Semicolon;
        while let Some(kind) = self.peek().filter(|kind| *kind != end) {
            match before {
                Some(before) => {
                    let seam = self.between(before, kind, depth);
                    self.seam(seam);
                }
                // Lines are indented when they start, and this one has started.
                None => started = true,
            }
            if arrow && kind == TokenKind::Less {
                // `<-`, which is two tokens.
                arrow = false;
                self.token();
                self.token();
                before = Some(Before::Operator);
                continue;
            }
            match kind {
                TokenKind::LeftParenthesis => depth += 1,
                TokenKind::RightParenthesis => depth = depth.saturating_sub(1),
                _ => {}
            }
            before = Some(self.becomes(before, kind));
            self.token();
            if std::mem::take(&mut started) {
                (0..indentation).for_each(|_| self.push(Op::Indent));
            }
        }
        if before.is_some() {
            (0..indentation).for_each(|_| self.push(Op::Dedent));
        }
        self.push(Op::End);
    }

    /// What the next token is for the one behind it.
    fn becomes(&self, before: Option<Before>, kind: TokenKind) -> Before {
        let operand_before = matches!(before, Some(Before::Operand | Before::Name));
        match kind {
            TokenKind::LeftParenthesis => Before::Open,
            TokenKind::RightParenthesis | TokenKind::Number => Before::Operand,
            TokenKind::Minus | TokenKind::Bang if !operand_before => Before::Sign(kind),
            TokenKind::Name | TokenKind::In => match self.word() {
                "true" | "false" | "self" | "int" | "bool" | "pid" => Before::Operand,
                word if is_reserved(word) => Before::Operator,
                _ => Before::Name,
            },
            kind if kind.is_keyword() && !is_reserved(self.word()) => Before::Name,
            _ => Before::Operator,
        }
    }

    /// What stands between two tokens of an expression.
    fn between(&self, before: Before, kind: TokenKind, depth: usize) -> Seam {
        match (before, kind) {
            (Before::Open, _)
            | (_, TokenKind::RightParenthesis | TokenKind::Comma)
            | (Before::Name, TokenKind::LeftParenthesis) => Seam::Glue,
            // `--x` looks like a decrement.
            (Before::Sign(TokenKind::Minus), TokenKind::Minus) => Seam::Space,
            (Before::Sign(_), _) => Seam::Glue,
            (_, TokenKind::AndAnd | TokenKind::OrOr | TokenKind::And | TokenKind::Or)
                if depth == 0 =>
            {
                Seam::Operator
            }
            (_, TokenKind::Unknown) if depth == 0 => Seam::Operator,
            _ => Seam::Space,
        }
    }
}
