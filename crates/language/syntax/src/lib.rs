//! The `.ser` language: from text to a syntax tree, with messages a person likes.
//!
//! A program is a set of *requests*. Each runs its handler, sees and changes the global
//! variables, lets others run where it says `yield`, and ends with a response. The same language
//! has processes over shared variables, processes that send each other messages, and models of
//! any number of threads. This crate reads such programs and knows nothing about what they do. The
//! language is described in `docs/language.md`.
//!
//! ```
//! let source = "
//!     request main {
//!         X := 1;
//!         yield;          // others run here
//!         y := X;
//!         X := 0;
//!         y               // the response
//!     }
//! ";
//! let parse = ser_syntax::parse(source);
//! assert!(parse.diagnostics.is_empty());
//! assert_eq!(parse.tree.requests[0].body.exprs.len(), 5);
//! ```
//!
//! The way through the crate, one step after the other: [`lexer`] (text to tokens), `parser`
//! (tokens to [`ast`], one grammar for all), `check` (what the grammar cannot say of all programs:
//! names, ranges, constants), and then what a file is a model of ([`world`]): [`parse`] for
//! requests, [`parse_processes`] for processes, [`icet`] for messages, [`inv`] for threads;
//! [`read()`] picks the right one. What is wrong is never an `Err`: a text always gives a tree, as
//! complete as possible, and a list of [`Diagnostic`]s. Layout, lints and what editors need are
//! `ser-editing`'s room.
//!
//! The same lexer, parser and messages serve more inputs: [`parse_unwinding`] (nets whose tokens
//! carry values), [`parse_requests`] and [`parse_goal`] (questions about a program).

pub mod ast;
mod check;
mod complaints;
mod constant;
pub mod core;
mod cursor;
mod domains;
mod elaborate;
mod files;
mod goal;
pub mod icet;
mod intervals;
pub mod inv;
pub mod lexer;
mod make;
mod naming;
mod parser;
mod processes;
mod report;
mod requests;
mod types;
mod unwindings;

pub use check::{MAX_CHOICES, MAX_LABELS};
pub use constant::{constant_value, constants};
pub use core::evaluate;
pub use domains::{Domain, Domains};
pub use files::{MAX_FILES, use_of, uses};
pub use parser::MAX_DEPTH;
pub use processes::{parse_processes, processes_as_requests};
pub use requests::{MAX_REQUESTS, parse_goal, parse_requests};
pub use ser_base::{
    Diagnostic, Edit, Help, Label, Line, LineIndex, Position, Severity, Span, did_you_mean,
};
pub use types::{MAX_BITS, MAX_CAPACITY, MAX_VALUES};
pub use unwindings::{UnwindingParse, parse_unwinding};

use ast::World;
use lexer::{Token, TokenKind};
use report::{Messages as _, error};
use ser_base::{FILE_MARK, Sink};

/// The error about a file without anything to check, which others may use.
pub const ONLY_DEFINITIONS: &str = "only-definitions";

/// The largest text that is read, in bytes.
pub const MAX_SOURCE_BYTES: usize = 4 << 20;

/// A source text, understood as far as possible.
///
/// ```
/// let parse = ser_syntax::parse("request main { x = 1; x }");
/// assert!(parse.has_errors());
/// let error = &parse.diagnostics[0];
/// assert_eq!(error.code, "equals-for-assignment");
/// assert_eq!(error.help[0].edit.as_ref().map(|edit| edit.replacement.as_str()), Some(":="));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parse {
    /// What stands there; with holes where there were errors.
    pub tree: ast::Program,
    /// What methods read: the same without sugar. Empty if there are errors.
    pub program: core::Program,
    /// Errors and warnings, sorted by position.
    pub diagnostics: Vec<Diagnostic>,
}

/// Whether there are errors, for all that reading gives.
macro_rules! has_errors {
    ($($parse:ty),+) => {$(
        impl $parse {
            /// Whether there are errors; if so, the rest has no meaning.
            pub fn has_errors(&self) -> bool {
                self.diagnostics.iter().any(Diagnostic::is_error)
            }
        }
    )+};
}

has_errors!(Parse, UnwindingParse, icet::IcetParse, inv::InvParse);

/// What files with definitions for processes are for.
const PROCESSES_USE: &str =
    "a file with processes can have them: write `use` and the path of this file in quotes";

/// Reads a program: lexer, parser, static checks.
///
/// Never fails and never panics; what is wrong with the text is among the diagnostics.
/// A program without errors has at least one request, no
/// [`ExprKind::Error`](ast::ExprKind::Error), only constants that
/// [`constants`] has a value for, ranges that are neither empty nor larger than
/// [`MAX_CHOICES`], and at most [`MAX_LABELS`] combinations of parameters per request.
///
/// ```
/// let parse = ser_syntax::parse("request main { X := 1 }\nrequest main { X }");
/// let error = &parse.diagnostics[0];
/// assert_eq!(error.message, "the request `main` is defined twice");
/// ```
pub fn parse(text: &str) -> Parse {
    let parsed = with_tokens(text, |tokens, sink| {
        let tree = files::parse(text, tokens, sink);
        // What is there for threads means nothing in a program: others use it.
        if !tree.sets.is_empty() && tree.requests.is_empty() && !sink.has_errors() {
            let message = "this file has only definitions: there is nothing to check";
            nothing_there(text, tokens, ONLY_DEFINITIONS, message, "a process")
                .with_help(PROCESSES_USE)
                .report(sink);
            return (tree, core::Program::default());
        }
        let program = elaborate::elaborate(&tree, sink);
        if !sink.has_errors() && tree.requests.is_empty() && tree.only_defines() {
            let message = match tree.claims.is_empty() {
                true => "this file has only definitions: there is nothing to check",
                false => "this file has no requests: there is nothing to check",
            };
            nothing_there(text, tokens, ONLY_DEFINITIONS, message, "a request")
                .with_help("a file with requests can have them: write `use` and the path of this file in quotes")
                .with_help("the smallest program is `request main { 0 }`")
                .report(sink);
        } else if tree.requests.is_empty() && !sink.has_errors() {
            nothing_there(text, tokens, "no-requests", "this program has no requests", "a request")
                .with_help("the smallest program is `request main { 0 }`")
                .with_help(
                    "one with something to check: \
                     `request main { X := 1; yield; y := X; X := 0; y }`",
                )
                .report(sink);
        }
        (tree, program)
    });
    let ((tree, program), diagnostics) = parsed;
    Parse { tree, program, diagnostics }
}

/// A file, read as what it is a model of.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one for each file, and none is moved often")]
pub enum File {
    /// Requests.
    Requests(Parse),
    /// Processes over shared variables and queues.
    Processes(Parse),
    /// Processes that send each other messages.
    Messages(icet::IcetParse),
    /// Any number of threads.
    Threads(inv::InvParse),
}

impl File {
    /// What stands there; with holes where there were errors.
    pub fn tree(&self) -> &ast::Program {
        match self {
            File::Requests(parse) => &parse.tree,
            File::Processes(parse) => &parse.tree,
            File::Messages(parse) => &parse.tree,
            File::Threads(parse) => &parse.tree,
        }
    }

    /// Errors and warnings, sorted by position.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            File::Requests(parse) => &parse.diagnostics,
            File::Processes(parse) => &parse.diagnostics,
            File::Messages(parse) => &parse.diagnostics,
            File::Threads(parse) => &parse.diagnostics,
        }
    }

    /// Whether there are errors; if so, the rest has no meaning.
    pub fn has_errors(&self) -> bool {
        self.diagnostics().iter().any(Diagnostic::is_error)
    }

    /// The first error in what is written. That a file only defines things for others, and so has
    /// no meaning of its own, is none.
    pub fn error(&self) -> Option<&Diagnostic> {
        self.diagnostics().iter().find(|it| it.is_error() && it.code != ONLY_DEFINITIONS)
    }
}

/// Reads a file, whatever it is a model of ([`world`]).
///
/// ```
/// let file = ser_syntax::read("var X: 0..1  process P { X := 1 }  reach X == 1");
/// assert!(!file.has_errors());
/// assert_eq!(file.tree().processes.len(), 1);
/// ```
pub fn read(text: &str) -> File {
    match world(text) {
        World::Requests => File::Requests(parse(text)),
        World::Processes => File::Processes(parse_processes(text)),
        World::Messages => File::Messages(icet::parse(text)),
        World::Threads => File::Threads(inv::parse(text)),
    }
}

/// What a file is a model of; whatever is wrong with it.
///
/// ```
/// use ser_syntax::{ast::World, world};
/// assert_eq!(world("request main { 0 }"), World::Requests);
/// assert_eq!(world("var X: 0..1  process a { X := 1 }  process b { X := 0 }"), World::Processes);
/// assert_eq!(world("set Threads  process thread for t in Threads { skip }"), World::Threads);
/// assert_eq!(world("msg Go = Go  process a { send Go to b }  process b { recv Go }"), World::Messages);
/// ```
pub fn world(text: &str) -> World {
    world_of(text, &lexer::lex(text))
}

/// The same, from tokens.
fn world_of(text: &str, tokens: &[Token]) -> World {
    let tokens: Vec<Token> = tokens.iter().copied().filter(|it| !it.kind.is_trivia()).collect();
    let word = |token: &Token| text.get(token.span.range()).unwrap_or_default();
    let (mut depth, mut world) = (0_usize, World::Requests);
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::LeftBrace => depth += 1,
            TokenKind::RightBrace => depth = depth.saturating_sub(1),
            // Nothing reaches from one file into the next.
            TokenKind::File => depth = 0,
            TokenKind::Name if depth == 0 => {
                if tokens.get(at + 1).map(|next| next.kind) != Some(TokenKind::Name) {
                    continue;
                }
                match word(token) {
                    "msg" => return World::Messages,
                    // Up to the body, and not into the next item where there is none.
                    "process"
                        if tokens
                            .iter()
                            .enumerate()
                            .skip(at + 1)
                            .take_while(|(_, it)| {
                                it.kind != TokenKind::LeftBrace && word(it) != "process"
                            })
                            .any(|(place, it)| {
                                let behind = tokens.get(place + 2).map(|behind| behind.kind);
                                word(it) == "for" && behind == Some(TokenKind::In)
                            }) =>
                    {
                        world = World::Threads;
                    }
                    "process" if world == World::Requests => world = World::Processes,
                    _ => {}
                }
            }
            _ => {}
        }
    }
    world
}

/// What `parse` makes of the tokens of a text, and what is wrong with it.
fn with_tokens<T: Default>(
    text: &str,
    parse: impl FnOnce(&[Token], &mut Sink) -> T,
) -> (T, Vec<Diagnostic>) {
    let mut sink = Sink::default();
    let tokens = readable_tokens(text, &mut sink);
    let tree = tokens.map(|tokens| parse(&tokens, &mut sink));
    (tree.unwrap_or_default(), sink.finish())
}

/// The message about a file that lacks what all of its kind have.
fn nothing_there(
    text: &str,
    tokens: &[Token],
    code: &'static str,
    message: &str,
    expected: &str,
) -> Diagnostic {
    let text = ser_base::first_file(text);
    let message = if text.trim().is_empty() {
        "this file is empty"
    } else if tokens.iter().all(|token| token.kind.is_trivia()) {
        "this file has nothing but comments"
    } else {
        message
    };
    let end = Span::empty(text.trim_end().len() as u32);
    error(code, message, end, format!("expected {expected}"))
}

/// A place where a name stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Occurrence<S> {
    /// The place of the name.
    pub span: Span,
    /// What it stands for.
    pub symbol: S,
    /// Whether it is declared there; of a variable without a declaration, whether it gets its first
    /// value there.
    pub defines: bool,
}

/// The tokens of a text; nothing if it cannot be read at all, which is reported.
fn readable_tokens(text: &str, sink: &mut Sink) -> Option<Vec<Token>> {
    if let Some(diagnostic) = unreadable(text) {
        sink.push(diagnostic);
        return None;
    }
    let tokens = lexer::lex(text);
    for comment in tokens.iter().filter(|t| t.kind == TokenKind::UnterminatedComment) {
        let open = Span::new(comment.span.start, comment.span.start + 2);
        let message = "this comment is never closed";
        error("unterminated-comment", message, open, "opened here")
            .with_fix("close it", Span::empty(comment.span.end), " */")
            .report(sink);
    }
    Some(tokens)
}

/// Whether this is too large, or no text at all.
fn unreadable(text: &str) -> Option<Diagnostic> {
    if text.len() > MAX_SOURCE_BYTES {
        let message = format!(
            "this file is too large: {} bytes, where at most {MAX_SOURCE_BYTES} are read",
            text.len()
        );
        return Some(Diagnostic::error("source-too-large", message, Span::default()));
    }
    let is_strange = |c: char| {
        let is_usual = matches!(c, '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | FILE_MARK);
        c == '\u{fffd}' || c.is_control() && !is_usual
    };
    let first = text.find(is_strange)?;
    let strange = text.chars().filter(|c| is_strange(*c)).count();
    // Blanks do not count: the same program is text in every layout.
    let visible = text.chars().filter(|c| !c.is_whitespace()).count();
    let binary = text.contains('\0') || strange > 8 && strange > visible / 20;
    binary.then(|| {
        let at = Span::empty(first as u32);
        Diagnostic::error("not-text", "this does not look like text", at)
            .with_label("the first character that is not text")
            .with_help("a program is plain text in UTF-8")
    })
}
