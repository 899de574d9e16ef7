//! From tokens to the syntax tree.
//!
//! A Pratt parser: one loop over operators with binding powers, so the depth of the recursion
//! is the depth of the tree and not a multiple of the number of precedence levels. The height
//! of the tree is limited to [`MAX_DEPTH`], counting brackets, chains of operators and chains
//! of `else if` alike; whoever walks the tree may therefore recurse.
//!
//! After an error the parser skips to a place where it knows again what is going on (see
//! `recovery`), leaves an [`ExprKind::Error`](crate::ast::ExprKind::Error) in the tree, and
//! goes on: one mistake, one message. A function that returns `Err(Reported)` has said what is
//! wrong and leaves it to its caller to skip.
//!
//! The same parser reads `.ser` and `.unw` files, and questions on the command line; its
//! [`Dialect`] says which. They share everything from the expressions down, and have their own
//! items. Words that only some files need (`process`, `await`, `place`, ...) are no keywords: they
//! are recognised by where they stand, so that they are names like others everywhere else.
//!
//! - `items`: `const`, initial values, requests;
//! - `expressions`: everything inside a handler;
//! - `operators`: how tightly they bind;
//! - `sequence`, `lists`: things in brackets with `;` and with `,` between them;
//! - `types`: which values there are;
//! - `words`: words of other languages;
//! - `members`, `claims`: processes and what they do; what is asked, and proofs;
//! - `unwindings`, `declarations`: the items of `.unw`, and their types;
//! - `references`: `done(main[0])`, `main[0]` in questions;
//! - `recovery`: where to go on after an error;
//! - `mistakes`, `messages`: what to say about syntax of other languages.

mod claims;
mod declarations;
mod expressions;
mod items;
mod lists;
mod members;
mod messages;
mod mistakes;
mod operators;
mod recovery;
mod references;
mod sequence;
mod types;
mod unwindings;
mod words;

pub(crate) use words::{instead_in_processes, instead_of};

use crate::ast::items::{Call, Items, Reference};
use crate::ast::{Expr, Program, World};
use crate::cursor::{Cursor, Language};
use crate::lexer::{Token, TokenKind, is_keyword};
use crate::report::{Report, Reported};
use ser_base::{Diagnostic, Sink};
use std::ops::{Deref, DerefMut};

/// How high a syntax tree can be.
///
/// Brackets, operators in a row (`1 + 1 + 1 + ...`) and `else if` in a row all count. Functions
/// that walk the tree may recurse: this height is safe on a stack of 2 MiB, in debug builds too.
pub const MAX_DEPTH: usize = 256;

/// Parses the tokens of one file, which `text` ends with; what is wrong goes to `sink`. What it is
/// a model of, all files of a program say together.
pub(crate) fn parse_tokens(text: &str, tokens: &[Token], world: World, sink: &mut Sink) -> Program {
    let mut parser = Parser::new(text, tokens, Dialect::Requests, world, sink);
    let program = parser.all_items(Parser::program_item);
    Program { holes: parser.holes || parser.sink.has_errors(), ..program }
}

/// Parses the tokens of a `.unw` file.
pub(crate) fn parse_unwinding(text: &str, tokens: &[Token], sink: &mut Sink) -> Items {
    Parser::new(text, tokens, Dialect::Unwinding, World::Requests, sink)
        .all_items(Parser::unwinding_item)
}

/// Parses the tokens of a goal; nothing if they are no expression.
pub(crate) fn parse_goal(
    text: &str,
    tokens: &[Token],
    sink: &mut Sink,
) -> (Option<Expr>, Vec<Call>) {
    let mut parser = Parser::new(text, tokens, Dialect::Goal, World::Requests, sink);
    let goal = parser.whole_goal().ok();
    (goal, parser.calls)
}

/// Parses the tokens of a list of requests with how many of each.
pub(crate) fn parse_requests(
    text: &str,
    tokens: &[Token],
    sink: &mut Sink,
) -> Vec<(Reference, Option<Expr>)> {
    Parser::new(text, tokens, Dialect::Goal, World::Requests, sink).request_list()
}

/// Which language the tokens are in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Dialect {
    /// `.ser`.
    Requests,
    /// `.unw`.
    Unwinding,
    /// A condition or a list of requests on the command line.
    Goal,
}

/// What `.ser` programs say about themselves.
static REQUESTS: Language = Language {
    whole: "file",
    item: "request",
    is_reserved: |word| is_keyword(word) || RESERVED.contains(&word),
    at_item,
    at_loose_item: |cursor| {
        matches!(cursor.here_text(), "var" | "lock") && cursor.peek_at(1) == Some(TokenKind::Name)
    },
    has_signs: true,
    items: &[
        "enum",
        "record",
        "type",
        "fn",
        "process",
        "server",
        "msg",
        "set",
        "index",
        "invariant",
        "reach",
    ],
    block_help: "braces follow `if`, `else`, `while` and the name of a request",
    file_help: "write `request main { x := 1; while (X == 1) { yield }; x }`",
};

/// What they say if there are processes.
static MODELS: Language = Language {
    item: "process",
    block_help: "braces follow words like `if`, `while` and `loop`",
    file_help: "write `process p { x := 1; while x == 1 { skip } }`",
    ..REQUESTS
};

/// Words of `.ser` programs that are no names there, and that other languages may use as names.
const RESERVED: [&str; 9] =
    ["true", "false", "break", "continue", "for", "loop", "match", "with", "assert"];

/// What `.unw` files say about themselves.
static UNWINDING: Language = Language {
    whole: "file",
    item: "transition",
    items: &["transition", "place", "target", "enum"],
    ..GOAL
};

/// What questions on the command line say about themselves.
static GOAL: Language =
    Language { whole: "text", items: &[], is_reserved: is_keyword, has_signs: false, ..REQUESTS };

/// Whether a new item starts here: `request`, but not the mistake `request := 1`, or two words in a
/// row that never are next to each other elsewhere.
fn at_item(cursor: &Cursor<'_>) -> bool {
    match cursor.peek() {
        Some(TokenKind::Request) => {
            !matches!(cursor.peek_at(1), Some(TokenKind::Assign | TokenKind::Equal))
        }
        Some(TokenKind::Name) => {
            // `set of int` is a type.
            match cursor.peek_at(1) {
                Some(TokenKind::Name) => {
                    cursor.word_at(1) != Some("of")
                        && cursor.language.items.contains(&cursor.here_text())
                }
                Some(TokenKind::Quoted) => {
                    cursor.at_word("use") && !cursor.language.items.is_empty()
                }
                _ => false,
            }
        }
        _ => false,
    }
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    dialect: Dialect,
    /// What the file is a model of.
    world: World,
    /// Whether the words of processes and claims mean something here.
    in_processes: bool,
    /// Whether a `=` here is more likely to be a `==` than a `:=`.
    in_condition: bool,
    /// Whether the file has a `}` too many: then code outside a request was probably meant to
    /// be inside.
    extra_closer: bool,
    /// Whether `request main:` has been complained about; it comes in whole files.
    colon_seen: bool,
    /// What looks like calls, so far.
    calls: Vec<Call>,
}

impl<'t> Deref for Parser<'t> {
    type Target = Cursor<'t>;

    fn deref(&self) -> &Cursor<'t> {
        &self.cursor
    }
}

impl<'t> DerefMut for Parser<'t> {
    fn deref_mut(&mut self) -> &mut Cursor<'t> {
        &mut self.cursor
    }
}

impl Report for Parser<'_> {
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.cursor.report(diagnostic)
    }
}

impl<'t> Parser<'t> {
    fn new(
        text: &'t str,
        tokens: &[Token],
        dialect: Dialect,
        world: World,
        sink: &'t mut Sink,
    ) -> Parser<'t> {
        let language = match dialect {
            Dialect::Requests if world != World::Requests => &MODELS,
            Dialect::Requests => &REQUESTS,
            Dialect::Unwinding => &UNWINDING,
            Dialect::Goal => &GOAL,
        };
        let cursor = Cursor::new(text, tokens, sink, language);
        Parser {
            extra_closer: has_extra_closer(&cursor.tokens),
            world,
            in_processes: world != World::Requests,
            cursor,
            dialect,
            in_condition: false,
            colon_seen: false,
            calls: Vec::new(),
        }
    }

    /// Reads something where the words of processes and claims mean something.
    fn in_processes<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.in_processes, true);
        let outcome = inside(self);
        self.in_processes = before;
        outcome
    }

    /// Does something with the answer to whether this is a condition changed.
    fn in_condition<T>(&mut self, is: bool, inside: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.in_condition, is);
        let outcome = inside(self);
        self.in_condition = before;
        outcome
    }
}

/// Whether there is a `}` too many somewhere.
fn has_extra_closer(tokens: &[Token]) -> bool {
    let mut open = 0usize;
    for token in tokens {
        match token.kind {
            TokenKind::LeftBrace => open += 1,
            TokenKind::RightBrace if open == 0 => return true,
            TokenKind::RightBrace => open -= 1,
            _ => {}
        }
    }
    false
}
