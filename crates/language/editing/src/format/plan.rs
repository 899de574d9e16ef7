//! Where lines may end, and where they must: what the layouts of all languages have in common.

use super::seam::Seam;
use super::words::{Comment, Words};
use ser_base::Span;
use ser_syntax::lexer::TokenKind;
use std::ops::DerefMut;

/// A plan is a list of these.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Token(Span),
    Comment(Comment),
    Space,
    /// So many spaces, at least one, that the author has put there.
    Room(u32),
    /// The end of a line if the group is broken, otherwise a space or nothing.
    Soft {
        space: bool,
    },
    /// The end of a line if what follows does not fit, otherwise a space.
    Fill,
    /// The end of a line, perhaps with a blank line, and with more indentation just this once.
    Hard {
        blank: bool,
        extra: bool,
    },
    /// A group starts: all of its soft ends of lines are broken, or none.
    Begin,
    /// A group ends.
    End,
    /// More indentation from here on.
    Indent,
    /// Less indentation from here on.
    Dedent,
    /// Comments on either side are not aligned with each other.
    Section,
}

/// A plan in the making: the tokens are taken from the text one by one, so nothing can get lost.
pub struct Plan<'w, 't> {
    pub words: &'w Words<'t>,
    /// The index of the next token.
    pub next: usize,
    pub ops: Vec<Op>,
    /// How far lines are indented from the next token on: lines are indented when they start, and
    /// this one has started.
    pub indentation: usize,
}

impl<'w, 't> Plan<'w, 't> {
    pub fn new(words: &'w Words<'t>) -> Plan<'w, 't> {
        Plan { words, next: 0, ops: Vec::new(), indentation: 0 }
    }

    pub fn peek(&self) -> Option<TokenKind> {
        self.words.kind(self.next)
    }

    pub fn at(&self, kind: TokenKind) -> bool {
        self.peek() == Some(kind)
    }

    pub fn word(&self) -> &'t str {
        self.words.word(self.next)
    }

    pub fn push(&mut self, op: Op) {
        self.ops.push(op);
    }

    /// The next token.
    pub fn token(&mut self) {
        if let Some(span) = self.words.span(self.next) {
            self.push(Op::Token(span));
            self.next += 1;
            let indentation = std::mem::take(&mut self.indentation);
            (0..indentation).for_each(|_| self.push(Op::Indent));
        }
    }

    /// The next token, right behind the one before it.
    pub fn glued(&mut self) {
        self.seam(Seam::Glue);
        self.token();
    }

    /// The next token, if it is this one, right behind the one before it.
    pub fn glued_if(&mut self, kind: TokenKind) {
        if self.at(kind) {
            self.glued();
        }
    }

    /// What stands before the next token, with the comments that are there.
    pub fn seam(&mut self, seam: Seam) {
        let (gap, comments) = self.words.gap(self.next);
        seam.plan(&gap, comments, &mut self.ops);
    }

    /// `{ }`, if nothing but comments stands between the braces.
    pub fn empty_braces(&mut self) -> bool {
        if self.words.kind(self.next + 1) != Some(TokenKind::RightBrace) {
            return false;
        }
        self.token();
        match self.words.gap(self.next).1 {
            [] => self.push(Op::Space),
            _ => self.seam(Seam::Inside),
        }
        self.token();
        true
    }
}

/// Groups and blocks, forevery layout.
pub trait Blocks<'w, 't: 'w>: DerefMut<Target = Plan<'w, 't>> + Sized {
    /// All items of a file where `;` and `,` may stand between items. `has_block` says whether the
    /// next one has a block, and so a line of its own.
    fn items(&mut self, has_block: impl Fn(&Self) -> bool, mut item: impl FnMut(&mut Self, bool)) {
        let mut after_block = false;
        let mut after_separator = false;
        while let Some(kind) = self.peek() {
            let is_first = self.next == 0;
            if matches!(kind, TokenKind::Semicolon | TokenKind::Comma) {
                self.seam(if is_first { Seam::Item } else { Seam::Glue });
                self.token();
                after_separator = true;
                continue;
            }
            let is_block = has_block(self);
            let same_line = after_separator && !is_first && !after_block && !is_block;
            self.seam(if same_line { Seam::SameLine } else { Seam::Item });
            if is_block {
                self.push(Op::Section);
            }
            item(self, is_block);
            (after_block, after_separator) = (is_block, false);
        }
        self.seam(Seam::Item);
    }

    /// Things in parentheses, which are broken together or not at all.
    fn in_parentheses(&mut self, inside: impl FnOnce(&mut Self)) {
        self.group(|it| {
            it.token();
            it.seam(Seam::Open { brace: false });
            inside(it);
            it.seam(Seam::Close { brace: false });
            it.token();
        });
    }

    /// A group: all of its soft ends of lines are broken, or none.
    fn group(&mut self, inside: impl FnOnce(&mut Self)) {
        self.push(Op::Begin);
        inside(self);
        self.push(Op::End);
    }

    /// `{ ... }` with statements inside, within a group of the caller's.
    fn braces(&mut self, inside: fn(&mut Self)) {
        if self.empty_braces() {
            return;
        }
        self.token();
        let mut seam = Seam::Open { brace: true };
        while !matches!(self.peek(), None | Some(TokenKind::RightBrace)) {
            self.seam(seam);
            inside(self);
            seam = Seam::Statement;
        }
        self.seam(Seam::Close { brace: true });
        self.token();
    }

    /// `{ Red, Green }`.
    fn names_in_braces(&mut self) {
        self.token();
        let mut seam = Seam::Open { brace: true };
        while !matches!(self.peek(), None | Some(TokenKind::RightBrace)) {
            self.seam(seam);
            self.token();
            self.glued_if(TokenKind::Comma);
            seam = Seam::List;
        }
        self.seam(Seam::Close { brace: true });
        self.token();
    }
}

impl<'w, 't: 'w, L: DerefMut<Target = Plan<'w, 't>>> Blocks<'w, 't> for L {}

/// A layout that is a plan with things of its own.
macro_rules! is_a_plan {
    ($layout:ident) => {
        impl<'w, 't> std::ops::Deref for $layout<'w, 't> {
            type Target = super::plan::Plan<'w, 't>;

            fn deref(&self) -> &Self::Target {
                &self.plan
            }
        }

        impl std::ops::DerefMut for $layout<'_, '_> {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.plan
            }
        }
    };
}
pub(super) use is_a_plan;
