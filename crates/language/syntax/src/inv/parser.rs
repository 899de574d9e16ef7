//! From tokens to [`syntax`](super::syntax).
//!
//! The tokens are those of the other languages; what they do not know is put together here, where
//! it is clear from the place what is meant: `->` is `-` and `>` without a blank between them,
//! `<->` is `<`, `-` and `>`, and a single `.` is a character of its own. Keywords of `.ser` that
//! mean nothing here are names like others.
//!
//! One mistake, one message: whoever returns `Err(Reported)` has said what is wrong, and the block
//! (or the file) around it goes on behind the next `;` or `}`. Every token is skipped at most once.
//!
//! The height of the tree is at most [`MAX_DEPTH`](crate::MAX_DEPTH), counting blocks, brackets,
//! operators in a row and `else if` in a row alike, so that whoever walks it may recurse.
//!
//! - `items`: what stands at top level; `proofs`: what stands in `proof`;
//! - `statements`, `actions`, `expressions`: what threads do, and what is said about it;
//! - `mistakes`: what to say about things that other languages have, or that fingers do.

mod actions;
mod expressions;
mod items;
mod mistakes;
mod proofs;
mod statements;

use super::syntax::Item;
use super::words::LANGUAGE;
use crate::ast::Name;
use crate::cursor::parser_of;
use crate::lexer::TokenKind;
use crate::report::Reported;

parser_of!(Item, LANGUAGE);

impl Parser<'_> {
    /// Goes to the next token if the current one is a single `.`.
    fn eat_dot(&mut self) -> bool {
        let there = self.at_character(".");
        if there {
            self.bump();
        }
        there
    }

    /// `name:` before a statement or a conjunct, if it is there.
    fn tag(&mut self, what: &str) -> Result<Option<Name>, Reported> {
        let colon = self.peek_at(1) == Some(TokenKind::Colon);
        if !colon || self.word_at(0).is_none() {
            return Ok(None);
        }
        let name = self.name(what)?;
        self.bump();
        Ok(Some(name))
    }
}
