//! The `.icet` language: processes that send each other messages, in sets of any size.
//!
//! ```text
//! file        = { declaration } ;
//! declaration = ( "procs" | "index" ) name [ ">=" number ] ";"
//!             | "enum" name "{" name { "," name } [ "," ] "}" [ ";" ]
//!             | "msg" name "=" constructor { "|" constructor } ";"
//!             | [ "server" ] "proc" name [ "for" name "in" name ] block ;
//! constructor = name [ "(" [ type { "," type } [ "," ] ] ")" ] ;
//! type        = "int" | "bool" | "pid" [ "in" name ] | name ;
//! block       = "{" { statement } "}" ;
//! statement   = "send" expr "to" expr ";"
//!             | [ pattern "<-" ] "recv" name [ "from" ( "*" | expr ) ] ";"
//!             | name ":=" ( expr | "any" type | "pick" name ) ";"
//!             | "if" ( "*" | expr ) block [ "else" ( block | statement ) ]    (* an "if" again *)
//!             | "match" name "{" { pattern "=>" block [ "," ] } "}"
//!             | "while" expr block | "loop" block | "break" ";"
//!             | "for" name "in" name block
//!             | "assert" expr ";" | "fail" ";" | "skip" ";" ;
//! pattern     = "_" | name [ "(" [ field { "," field } [ "," ] ] ")" ] ;
//! field       = "_" | name ;
//! expr        = number | "true" | "false" | "self" | name [ "(" [ expr { "," expr } [ "," ] ] ")" ]
//!             | "(" expr ")" | ( "-" | "!" | "not" ) expr | expr operator expr ;
//! operator    = "||" | "or" | "&&" | "and" | "==" | "!=" | "<" | "<=" | ">" | ">="
//!             | "+" | "-" | "*" ;
//! ```
//!
//! Operators bind as in `.ser` programs: `*`, then `+` and `-`, then comparisons (which cannot be
//! chained), then `&&`, then `||`. Comments are `// ...` and `/* ... */`. The words in quotes are
//! reserved ([`KEYWORDS`]), but `server` is one before `proc` only.
//!
//! # What it means
//!
//! `procs Q;` declares a set of processes, of any size (`>= 1`: at least one), and `proc p for q in
//! Q { ... }` what each of them does; `proc p { ... }` is a single process. `index I;` is a set of
//! numbers 0, 1, .... Processes share nothing. `send` never waits; `recv T` waits for a message of
//! type `T` and takes the oldest one of its sender, `from` whom it is wanted. Messages of one type
//! from one process to another stay in order. A constructor before `<-` that does not fit the
//! message is a failure, like `assert` and `fail`.
//!
//! Members of a set are alike: nobody can name one of them, compute with addresses or ask which is
//! smaller. This is what makes results for all sizes possible. A `server` may be left waiting at
//! the end.
//!
//! # Static rules
//!
//! - A variable belongs to its process; its first value in the text fixes its type. `pid in Q` fits
//!   where `pid` is wanted, and not the other way round.
//! - A variable has a value wherever it is read, whatever happens before (`assigned`).
//! - The variable of a `for` is read-only and known in its loop; several loops may use the same
//!   name if their members have the same type. There is no `break` out of a `for`.
//! - `match` has one arm for each constructor; `_` is last and stands for all the others.
//! - Every set of processes has exactly one `proc`. No process sends to itself by its own name.
//!
//! The way through: the lexer of the crate, `parser` (to `syntax`), `resolve` (to [`Protocol`]),
//! `assigned`, [`term_size`] measures it, [`symbols`] says where names stand.

mod assigned;
pub mod ast;
mod parser;
mod resolve;
mod size;
pub mod symbols;
mod syntax;
mod words;

pub use ast::Protocol;
pub use size::term_size;
pub use words::{KEYWORDS, is_reserved};

use crate::report::Messages as _;
use crate::{Occurrence, nothing_there};
use ser_base::{Diagnostic, Sink};
use symbols::Symbol;

pub use crate::cursor::MAX_STATEMENTS;
/// How many variables a process can have.
pub const MAX_VARIABLES: usize = 4096;
/// How many constructors a message type can have.
pub const MAX_CONSTRUCTORS: usize = 256;
/// How many fields a message can have.
pub const MAX_FIELDS: usize = 256;

/// An `.icet` file, understood as far as possible.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct IcetParse {
    /// What it means; with holes where there were errors.
    pub protocol: Protocol,
    /// Errors and warnings, sorted by position.
    pub diagnostics: Vec<Diagnostic>,
    /// Where names stand, in the order of the text. What was not understood is not among them.
    pub occurrences: Vec<Occurrence<Symbol>>,
}

/// Reads an `.icet` file.
///
/// Never fails and never panics; what is wrong with the text is among the diagnostics. In a
/// protocol without errors there is at least one process, all numbers ([`SetId`](ast::SetId), ...)
/// are those of something that is there, all expressions have the types that [`ast`] asks for,
/// every variable has a value wherever it is read, and statements are numbered without gaps.
///
/// ```
/// let text = "
///     procs Q;
///     msg Ping = Ping;
///     msg Pong = Pong;
///     proc p { for x in Q { send Ping to x; w <- recv Pong from x; } }
///     proc answer for q in Q { v <- recv Ping; send Pong to p; }
/// ";
/// let parse = ser_syntax::icet::parse(text);
/// assert!(parse.diagnostics.is_empty());
/// assert_eq!(parse.protocol.processes.len(), 2);
/// assert_eq!(parse.protocol.statements, 5);
/// ```
///
/// ```
/// let parse = ser_syntax::icet::parse("msg Ping = Ping;  proc p { send Ping to q; }");
/// let error = &parse.diagnostics[0];
/// assert_eq!(error.message, "there is no variable, process or constructor `q`");
/// ```
pub fn parse(text: &str) -> IcetParse {
    let ((protocol, mut occurrences), diagnostics) = crate::read(text, |tokens, sink| {
        let file = parser::parse_tokens(text, tokens, sink);
        // What the parser left out may be what resolving misses: its messages would be echoes.
        let mut echoes = Sink::default();
        let said = if file.holes { &mut echoes } else { &mut *sink };
        let (protocol, occurrences) = resolve::resolve(&file, said);
        if !sink.has_errors() && protocol.processes.is_empty() {
            let message = "this file has no processes";
            nothing_there(text, tokens, "no-processes", message, "a process")
                .with_help(
                    "a small file is \
                     `msg Ping = Ping;  proc p { send Ping to q; }  proc q { recv Ping; }`",
                )
                .report(sink);
        }
        if !sink.has_errors() {
            assigned::check(&protocol, sink);
        }
        (protocol, occurrences)
    });
    occurrences.sort_unstable();
    IcetParse { protocol, diagnostics, occurrences }
}
