//! From tokens to [`syntax`](super::syntax).
//!
//! The tokens are those of the other languages; what they do not know is put together here, where
//! it is clear from the place what is meant: `<-` is `<` and `-` without a blank between them,
//! behind a pattern (behind an expression, `x <-1` still compares), and `=>` is `=` and `>`.
//! Keywords of `.ser` that mean nothing here are names like others.
//!
//! One mistake, one message: whoever returns `Err(Reported)` has said what is wrong, and the block
//! (or the file) around it goes on behind the next `;` or `}`. Every token is skipped at most once.
//!
//! The height of the tree is at most [`MAX_DEPTH`](crate::MAX_DEPTH), counting blocks, brackets,
//! operators in a row and `else if` in a row alike, so that whoever walks it may recurse.
//!
//! - `items`: declarations;
//! - `statements`, `expressions`: what processes do;
//! - `mistakes`: what to say about things that other languages have, or that fingers do.

mod expressions;
mod items;
mod mistakes;
mod statements;

use super::syntax::Item;
use super::words::LANGUAGE;
use crate::cursor::parser_of;
use crate::lexer::TokenKind;

parser_of!(Item, LANGUAGE);

impl Parser<'_> {
    /// Whether `<-` stands here.
    fn arrow_at(&self, ahead: usize) -> bool {
        self.together_at(ahead, &[TokenKind::Less, TokenKind::Minus])
    }

    /// Whether `=>` stands here.
    fn at_double_arrow(&self) -> bool {
        self.together(&[TokenKind::Equal, TokenKind::Greater])
    }
}
