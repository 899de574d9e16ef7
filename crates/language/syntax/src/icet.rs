//! Processes that send each other messages, in sets of any size: what files with `msg` mean.
//!
//! The grammar is that of all `.ser` files (`docs/language.md`); this reads the tree.
//!
//! # What it means
//!
//! `set Q` declares a set of processes, of any size (`>= 1`: at least one), and `process p for q in
//! Q { ... }` what each of them does; `process p { ... }` is a single process. `index I` is a set
//! of numbers 0, 1, .... Processes share nothing. `send` never waits; `recv T` waits for a message
//! of type `T` and takes the oldest one of its sender, `from` whom it is wanted. Messages of one
//! type from one process to another stay in order. A constructor before `:=` that does not fit the
//! message is a failure, like an assertion that does not hold. `choose(T)` is any value of a type,
//! or any member of a set; `if ?` and `choose { ... } or { ... }` do either.
//!
//! Members of a set are alike: nobody can name one of them, compute with addresses or ask which is
//! smaller. This is what makes results for all sizes possible. A `server` may be left waiting at
//! the end.
//!
//! # Static rules
//!
//! - A variable belongs to its process; its first value in the text fixes its type, or its `var`.
//!   The name of a set is the type of its members, which fit where `pid` is wanted, and not the
//!   other way round.
//! - A variable has a value wherever it is read, whatever happens before (`assigned`).
//! - The variable of a `for` is read-only and known in its loop; several loops may use the same
//!   name if their members have the same type. There is no `break` out of a `for`.
//! - `match` has one arm for each constructor; `_` is last and stands for all the others.
//! - Every set of processes has exactly one `process`. No process sends to itself by its own name.
//!
//! The way through: the lexer and the parser of the crate, `resolve` (to [`Protocol`]), `assigned`,
//! [`term_size`] measures it, [`symbols`] says where names stand.

mod assigned;
pub mod ast;
mod resolve;
mod size;
pub mod symbols;

pub use ast::Protocol;
pub use size::term_size;

use crate::ast::Program;
use crate::report::Messages as _;
use crate::{Occurrence, PROCESSES_USE, nothing_there};
use ser_base::{Diagnostic, Sink};
use symbols::Symbol;

pub use crate::cursor::MAX_STATEMENTS;
/// How many variables a process can have.
pub const MAX_VARIABLES: usize = 4096;
/// How many constructors a message type can have.
pub const MAX_CONSTRUCTORS: usize = 256;
/// How many fields a message can have.
pub const MAX_FIELDS: usize = 256;

/// A file with messages, understood as far as possible.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct IcetParse {
    /// What stands there.
    pub tree: Program,
    /// What it means; with holes where there were errors.
    pub protocol: Protocol,
    /// Errors and warnings, sorted by position.
    pub diagnostics: Vec<Diagnostic>,
    /// Where names stand, in the order of the text. What was not understood is not among them.
    pub occurrences: Vec<Occurrence<Symbol>>,
}

/// Reads a file with messages.
///
/// Never fails and never panics; what is wrong with the text is among the diagnostics. In a
/// protocol without errors there is at least one process, all numbers ([`SetId`](ast::SetId), ...)
/// are those of something that is there, all expressions have the types that [`ast`] asks for,
/// every variable has a value wherever it is read, and statements are numbered without gaps.
///
/// ```
/// let text = "
///     set Q
///     msg Ping = Ping
///     msg Pong = Pong
///     process p { for x in Q { send Ping to x; w := recv Pong from x } }
///     process answer for q in Q { v := recv Ping; send Pong to p }
/// ";
/// let parse = ser_syntax::icet::parse(text);
/// assert!(parse.diagnostics.is_empty());
/// assert_eq!(parse.protocol.processes.len(), 2);
/// assert_eq!(parse.protocol.statements, 5);
/// ```
///
/// ```
/// let parse = ser_syntax::icet::parse("msg Ping = Ping  process p { send Ping to q }");
/// let error = &parse.diagnostics[0];
/// assert_eq!(error.message, "there is no variable, process or constructor `q`");
/// ```
pub fn parse(text: &str) -> IcetParse {
    let ((tree, protocol, mut occurrences), diagnostics) =
        crate::with_tokens(text, |tokens, sink| {
            let tree = crate::files::parse(text, tokens, sink);
            // What the parser left out may be what resolving misses: its messages would be echoes.
            let mut echoes = Sink::default();
            // Types of messages and sets alone are for others to use.
            let is_library = tree.processes.is_empty()
                && tree.requests.is_empty()
                && !(tree.sets.is_empty() && tree.messages.is_empty());
            let said = if tree.holes || is_library { &mut echoes } else { &mut *sink };
            let (protocol, occurrences) = resolve::resolve(text, &tree, said);
            if !sink.has_errors() && protocol.processes.is_empty() {
                let (code, message) = match is_library {
                    true => (
                        crate::ONLY_DEFINITIONS,
                        "this file has no processes: there is nothing to check",
                    ),
                    false => ("no-processes", "this file has no processes"),
                };
                let diagnostic = nothing_there(text, tokens, code, message, "a process");
                match is_library {
                    true => diagnostic.with_help(PROCESSES_USE),
                    false => diagnostic,
                }
                .with_help(
                    "a small file is \
                     `msg Ping = Ping  process p { send Ping to q }  process q { recv Ping }`",
                )
                .report(sink);
            }
            if !sink.has_errors() {
                assigned::check(&protocol, sink);
            }
            (tree, protocol, occurrences)
        });
    occurrences.sort_unstable();
    IcetParse { tree, protocol, diagnostics, occurrences }
}
