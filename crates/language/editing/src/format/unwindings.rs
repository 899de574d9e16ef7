//! From the tokens of a `.unw` file to a plan.
//!
//! The tokens of a file without errors show where things end: two operands never stand next to each
//! other inside an item, a block follows `transition`, and `;` stands between its parts.
//!
//! The layout is that of programs: one item on a line (several if `,` or `;` stands between them
//! and they were on one line), one part on a line, or a whole block on one line if it was on
//! one line and there is room for it.

use super::plan::{Blocks as _, Op, Plan, is_a_plan};
use super::seam::Seam;
use super::words::Words;
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

/// What stood before a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// A value, or `)` or `]`.
    Operand,
    /// A name, which `(` or `[` may follow.
    Name,
    /// `(`, `[` or `..`: nothing separates it from what follows.
    Open,
    /// `!` or `-` that belong to what follows.
    Sign(TokenKind),
    /// An operator, `,`, `:=` or a word like `if`: an operand follows.
    Operator,
}

impl Layout<'_, '_> {
    fn file(&mut self) {
        let has_block = |it: &Self| it.starts("transition");
        self.items(has_block, |it, has_block| match has_block {
            true => it.group(|layout| {
                layout.tokens(1);
                layout.seam(Seam::Flush);
                layout.braces(Self::part);
            }),
            false if it.starts("enum") => it.group(|layout| {
                layout.token();
                layout.seam(Seam::Space);
                layout.token();
                layout.seam(Seam::Flush);
                layout.names_in_braces();
            }),
            false => it.tokens(1),
        });
    }

    /// Whether an item starts here with this word.
    fn starts(&self, word: &str) -> bool {
        self.word() == word && self.words.kind(self.next + 1) == Some(TokenKind::Name)
    }

    /// A part of a transition, with the `;` behind it.
    fn part(&mut self) {
        if self.at(TokenKind::Semicolon) {
            return self.token();
        }
        self.group(|layout| layout.tokens(2));
        while self.at(TokenKind::Semicolon) {
            self.glued();
        }
    }

    /// The tokens of an item, a part or the head of a block, with operators that may start
    /// lines, so much further to the right.
    fn tokens(&mut self, indentation: usize) {
        let mut before = None;
        let mut depth = 0usize;
        let lists = matches!(self.word(), "place" | "target");
        self.group(|layout| {
            layout.indentation = indentation;
            // What stands between two `||` is broken at `&&` only if it has no room on a line.
            layout.push(Op::Begin);
            while let Some(kind) = layout.peek() {
                if depth == 0 && layout.is_over(before, kind, lists) {
                    break;
                }
                match kind {
                    TokenKind::LeftParenthesis | TokenKind::LeftBracket => depth += 1,
                    TokenKind::RightParenthesis | TokenKind::RightBracket => {
                        depth = depth.saturating_sub(1);
                    }
                    _ => {}
                }
                let is_or = depth == 0 && matches!(kind, TokenKind::OrOr | TokenKind::Or);
                if is_or {
                    layout.push(Op::End);
                }
                if let Some(before) = before {
                    layout.seam(between(before, kind, depth));
                }
                before = Some(layout.becomes(before, kind));
                layout.token();
                if is_or {
                    layout.push(Op::Begin);
                }
            }
            layout.push(Op::End);
            let started = indentation - std::mem::take(&mut layout.indentation);
            (0..started).for_each(|_| layout.push(Op::Dedent));
        });
    }

    /// Whether what the tokens belong to ends before this one. At the start of a line there is none
    /// before it.
    fn is_over(&self, before: Option<Before>, kind: TokenKind, lists: bool) -> bool {
        let operand_before = matches!(before, Some(Before::Operand | Before::Name));
        match kind {
            TokenKind::Semicolon | TokenKind::LeftBrace | TokenKind::RightBrace => true,
            TokenKind::Comma => !lists || self.item_follows(),
            TokenKind::Const => before.is_some(),
            TokenKind::Name => operand_before && !self.is_prefixed(),
            _ => false,
        }
    }

    /// Whether an item starts behind the `,` at the next token.
    fn item_follows(&self) -> bool {
        let word = self.words.word(self.next + 1);
        word == "const"
            || matches!(word, "enum" | "place" | "transition" | "target")
                && self.words.kind(self.next + 2) == Some(TokenKind::Name)
    }

    /// Whether the word before the next token belongs to it: `place p`, `in p`.
    fn is_prefixed(&self) -> bool {
        const PREFIXES: [&str; 9] =
            ["enum", "place", "transition", "target", "in", "test", "out", "when", "var"];
        let before = |back: usize| self.next.checked_sub(back).map_or("", |at| self.words.word(at));
        let starts = |back: usize| {
            let gap = self.next.checked_sub(back + 1);
            gap.is_none_or(|at| !matches!(self.words.word(at), ":=" | "=" | ".."))
        };
        PREFIXES.contains(&before(1)) && starts(1)
    }

    /// What the next token is for the one behind it.
    fn becomes(&self, before: Option<Before>, kind: TokenKind) -> Before {
        let operand_before = matches!(before, Some(Before::Operand | Before::Name));
        match kind {
            TokenKind::LeftParenthesis | TokenKind::LeftBracket | TokenKind::DotDot => Before::Open,
            TokenKind::RightParenthesis | TokenKind::RightBracket => Before::Operand,
            TokenKind::Number | TokenKind::Question | TokenKind::Quoted => Before::Operand,
            TokenKind::Minus | TokenKind::Bang if !operand_before => Before::Sign(kind),
            TokenKind::Choose | TokenKind::Assume => Before::Name,
            TokenKind::Name => match self.word() {
                "when" if before.is_none() => Before::Operator,
                _ => Before::Name,
            },
            _ => Before::Operator,
        }
    }
}

/// What stands between two tokens.
fn between(before: Before, kind: TokenKind, depth: usize) -> Seam {
    match (before, kind) {
        (Before::Open, _)
        | (
            _,
            TokenKind::RightParenthesis
            | TokenKind::RightBracket
            | TokenKind::Comma
            | TokenKind::DotDot,
        )
        | (Before::Name, TokenKind::LeftParenthesis | TokenKind::LeftBracket) => Seam::Glue,
        // `--x` looks like a decrement.
        (Before::Sign(TokenKind::Minus), TokenKind::Minus) => Seam::Space,
        (Before::Sign(_), _) => Seam::Glue,
        (_, TokenKind::AndAnd | TokenKind::OrOr | TokenKind::And | TokenKind::Or) if depth == 0 => {
            Seam::Operator
        }
        _ => Seam::Space,
    }
}
