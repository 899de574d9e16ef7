//! The `.inv` language: a program for any number of threads, invariants, and a proof.
//!
//! ```text
//! file      = { item } ;
//! item      = "system" name ";" | "threads" number ";"
//!           | [ "ghost" ] "global" name { "," name } ":" type [ "=" expr ] ";"
//!           | "assume" expr ";"
//!           | "thread" block | "proc" name "(" [ name ":" type { "," name ":" type } ] ")" [ ":" type ] block
//!           | "let" name [ "(" name { "," name } ")" ] "=" expr ";"                  (* a shorthand in invariants *)
//!           | "invariant" name "(" [ name { "," name } ] ")" ( "=" expr ";" | "{" { [ name ":" ] expr ";" } "}" )
//!           | "proof" [ "acyclic" ] "{" { entry } "}" ;
//! type      = scalar | "bool" | "set" "<" scalar ">" ;       scalar = "int" | "tid" | "addr" | "elem" ;
//! block     = "{" { local | statement } "}" ;                          (* locals first, in `thread` and `proc` only *)
//! local     = [ "ghost" ] "local" name { "," name } ":" type [ "=" expr ] ";" ;
//! statement = "label" name block | [ name ":" ] base ;
//! base      = ( action | "skip" ";" | "noncritical" ";" | "critical" ";" | "atomic" actions
//!             | [ place ":=" ] "call" name "(" [ expr { "," expr } ] ")" ";" | "return" [ expr ] ";" ) [ "ghost" actions ]
//!           | "if" expr [ "ghost" actions ] block [ "else" ( block | if-statement ) ]
//!           | "while" expr [ "ghost" actions ] block | "loop" block | "choice" block { "or" block } ;
//! actions   = "{" { action } "}" ;
//! action    = place ":=" ( expr | "havoc" [ "where" expr ] | "malloc" "(" expr "," expr ")" ) ";"
//!           | "await" expr ";" | "assert" expr ";" | "lock" expr ";" | "unlock" expr ";" | "skip" ";"
//!           | "if" expr actions [ "else" ( actions | if-action ) ] ;                       (* in `atomic` and `ghost` *)
//! place     = name | expr "." field ;                                             field = "next" | "data" | "lockid" ;
//! expr      = number | "true" | "false" | "null" | "nobody" | "lowest" | "highest" | "me"
//!           | name [ "[" name "]" ] | name "." name "[" name "]" | expr "." field
//!           | "at" "(" name "," places ")" | "{" [ expr { "," expr } ] "}" | "(" expr ")"
//!           | ( "min" | "max" | "addr2set" | "set2elem" ) "(" expr ")" | ( "reach" | "ordered" ) "(" expr "," expr ")"
//!           | name "(" name { "," name } ")"                                                  (* a `let` *)
//!           | ( "-" | "!" | "not" ) expr | expr operator expr ;
//! operator  = "<->" | "->" | "||" | "or" | "&&" | "and" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "subset"
//!           | "+" | "-" | "*" ;                                                       (* weakest first *)
//! places    = range { "," range } ;          range = where [ ".." where ] ;         where = name [ "." name ] ;
//! entry     = name [ "follows" ] [ "from" support { "," support } ] ( ";" | "{" { case } "}" ) ;
//! case      = "at" places [ "self" | "other" ] "use" support { "," support } ";" ;
//! support   = name [ "." name ] ;
//! ```
//!
//! The way through: the lexer of the crate, `parser` (to `syntax`), `resolve` (to [`System`]), `lint`. [`symbols`] says
//! where names stand.

pub mod ast;
mod lint;
mod parser;
mod resolve;
mod show;
pub mod symbols;
mod syntax;
mod words;

pub use ast::System;
pub use show::{show, show_action, show_place, show_with};
pub(crate) use words::is_reserved;
pub use words::{FIELDS, FUNCTIONS, KEYWORDS};

use crate::lexer::Token;
use crate::sink::Sink;
use crate::{Diagnostic, Span};
use symbols::{Label, Let, Occurrence};

/// How many statements and actions a file can have.
pub const MAX_STATEMENTS: usize = 65_536;
/// How many variables a file can have.
pub const MAX_VARIABLES: usize = 4096;
/// How many parameters an invariant can have.
pub const MAX_PARAMETERS: usize = 4;
/// The largest number behind `threads`.
pub const MAX_THREADS: u32 = 64;
/// How many terms shorthands and places can have when they are written out, in the whole file.
pub const MAX_EXPANDED: usize = 1 << 20;

/// An `.inv` file, understood as far as possible.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InvParse {
    /// What it means; with holes where there were errors.
    pub system: System,
    /// Errors and warnings, sorted by position.
    pub diagnostics: Vec<Diagnostic>,
    /// Where names stand, in the order of the text. What was not understood is not among them.
    pub occurrences: Vec<Occurrence>,
    /// The labels, in the order of the procedures and there in that of the text.
    pub labels: Vec<Label>,
    /// The shorthands, in their order.
    pub lets: Vec<Let>,
}

impl InvParse {
    /// Whether there are errors; if so, the system has no meaning.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Reads an `.inv` file.
///
/// Never fails and never panics; what is wrong with the text is among the diagnostics. In a system
/// without errors there is a `thread`, all numbers ([`LocId`](ast::LocId), ...) are those of something that is
/// there, all expressions have the types that [`ast`] asks for and trees of at most [`MAX_DEPTH`](crate::MAX_DEPTH) levels, every
/// procedure is called and none calls itself, and everything else that [`ast`] promises.
///
/// ```
/// let text = "
///     global turn : tid;
///     thread { loop { take: await turn == me; crit: critical; } }
///     invariant mutex(i, j) = at(i, crit) && at(j, crit) -> i == j;
/// ";
/// let parse = ser_lang::inv::parse(text);
/// assert!(parse.diagnostics.is_empty());
/// // The loop, its two statements, and the end.
/// assert_eq!(parse.system.locations.len(), 4);
/// ```
///
/// ```
/// let parse = ser_lang::inv::parse("thread { x := 1; }");
/// let error = &parse.diagnostics[0];
/// assert_eq!(error.message, "there is no variable `x`");
/// ```
pub fn parse(text: &str) -> InvParse {
    let mut sink = Sink::default();
    let Some(tokens) = crate::readable_tokens(text, &mut sink) else {
        return InvParse { diagnostics: sink.finish(), ..InvParse::default() };
    };
    let file = parser::parse_tokens(text, &tokens, &mut sink);
    // What the parser left out may be what resolving misses: its messages would be echoes.
    let mut echoes = Sink::default();
    let said = if file.holes { &mut echoes } else { &mut sink };
    let mut resolved = resolve::resolve(&file, said);
    if !sink.has_errors() && !resolved.has_thread {
        sink.push(no_thread(text, &tokens));
    }
    if !sink.has_errors() {
        lint::lint(&resolved.system, &mut sink);
    }
    resolved.occurrences.sort_unstable();
    InvParse {
        system: resolved.system,
        diagnostics: sink.finish(),
        occurrences: resolved.occurrences,
        labels: resolved.labels,
        lets: resolved.lets,
    }
}

/// Lays out an `.inv` file anew, as [`format`](crate::format()) does with programs.
///
/// Declarations and statements have lines of their own; a block stays on one line if it was on one line and
/// there is room for it. A formula that starts on a line of its own stays there. Blank lines are kept, one
/// at a time, and so are comments. A text with errors has no layout: the result is what [`parse`] says about it.
///
/// ```
/// let text = "global x:int=0;thread{loop{x:=x+1;// again\n}}\ninvariant low()=x>=0||x<-1;";
/// let formatted = ser_lang::inv::format(text)?;
/// assert_eq!(formatted, "\
/// global x : int = 0;
/// thread {
///     loop {
///         x := x + 1; // again
///     }
/// }
/// invariant low() = x >= 0 || x < -1;
/// ");
/// assert_eq!(ser_lang::inv::format(&formatted)?, formatted);
/// # Ok::<(), Vec<ser_lang::Diagnostic>>(())
/// ```
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let parsed = parse(text);
    match parsed.has_errors() {
        true => Err(parsed.diagnostics),
        false => crate::format::format_invariants(text),
    }
}

fn no_thread(text: &str, tokens: &[Token]) -> Diagnostic {
    let message = if text.trim().is_empty() {
        "this file is empty"
    } else if tokens.iter().all(|token| token.kind.is_trivia()) {
        "this file has nothing but comments"
    } else {
        "this file does not say what threads do"
    };
    Diagnostic::error("no-thread", message, Span::empty(text.trim_end().len() as u32))
        .with_label("expected `thread { ... }`")
        .with_help("a small file is `global x : int = 0;  thread { x := x + 1; }  invariant positive() = x >= 0;`")
}
