//! The `.events` language: processes over shared variables and queues, and what to look for.
//!
//! ```text
//! file       = { item [ ";" | "," ] } ;
//! item       = "const" name "=" expr
//!            | "enum" name "{" name { "," name } [ "," ] "}"
//!            | name ( "in" | ":" ) type [ ":=" expr ]                 (* a shared variable *)
//!            | "process" name [ "(" parameter { "," parameter } ")" ] body
//!            | "reach" [ ( quoted | name ) ":" ] expr ;
//! type       = "bool" | "bits" number | name | expr ".." expr
//!            | "queue" "[" expr "]" "of" type ;
//! parameter  = name "in" expr ".." expr ;
//! body       = "{" { statement ";" } "}" ;                 (* no ";" needed after a "}" *)
//! statement  = name ":=" expr | "skip" | "return"
//!            | "await" "(" expr ")" [ body ]
//!            | "atomic" body
//!            | "if" "(" expr ")" body { "else" "if" "(" expr ")" body } [ "else" body ]
//!            | "while" "(" expr ")" body
//!            | "repeat" expr body
//!            | "choose" body { "or" body }
//!            | "send" name "(" expr ")" | "receive" name "(" name ")" ;
//! ```
//!
//! Expressions are those of `.ser` programs, with `len(queue)`; in goals also `done`,
//! `done(process)` and `done(process(value, ...))`. The words above that are no keywords of `.ser`
//! are names everywhere else.
//!
//! # What it means
//!
//! Variables that start with an uppercase letter are shared and have to be declared; others are
//! local to their process and start at 0. A process is a sequence of *actions*. Every assignment
//! that touches shared variables, every `send`, `receive` and `await`, and every evaluation of a
//! condition that reads shared variables is one; so is a whole `atomic { ... }` or `await(c) { ...
//! }`. Whatever touches local variables only costs nothing and happens together with the next
//! action. An action that would leave the range of a variable, send into a full queue or receive
//! from an empty one cannot happen (now); `bits n` wraps around instead.
//!
//! # Translation
//!
//! [`parse_events`] turns every process into a request of an ordinary program that runs once, with
//! a `yield` between two actions. Then everything that knows programs knows processes, too:
//!
//! - A `yield` stands right after an action, before anything else of the process, and never inside
//!   one. So an action that cannot happen never takes back the one before it, and local code that
//!   runs for ever takes back nothing. Nothing is put before the end of a process: its last action
//!   ends it.
//! - `await(c)` is `assume(c)`; an assignment that may leave its range is
//!   `(.t := e; assume(low <= .t && .t <= high); X := .t)`.
//! - `repeat n` counts with a hidden local variable; `choose` is `if (?)`, as balanced as possible.
//! - A queue is its length and one variable for each slot. Slots that are not in use have a fixed
//!   value, so that equal queues are equal states.
//! - `done(P)` reads a hidden variable, which `P` sets in its last action; only if a goal asks for
//!   it.

mod atomic;
mod desugar;
mod expressions;
mod goals;
mod locals;
mod names;
mod queue;
mod scope;
mod store;

use crate::ast::Model;
use crate::report::Messages as _;
use crate::{nothing_there, parser};
use ser_base::Diagnostic;

/// A `.events` file, understood as far as possible.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EventsParse {
    /// What it means; empty if there are errors.
    pub model: Model,
    /// Errors and warnings, sorted by position.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a `.events` file.
///
/// Never fails and never panics; what is wrong with the text is among the diagnostics. The program
/// of a model without errors satisfies everything that [`parse`](crate::parse) promises.
///
/// ```
/// let text = "
///     X in 0..63 := 2
///     Y in 0..63 := 5
///     process F { while (1) { Y := Y + 4 } }
///     process G { j := 3; while (1) { atomic { X := X + j; j := j + 1 } } }
///     process H { await(X == Y) }
///     reach done(H)
/// ";
/// let parse = ser_syntax::parse_events(text);
/// assert!(parse.diagnostics.is_empty());
/// assert_eq!(parse.model.program.requests.len(), 3);
/// assert_eq!(parse.model.ranges[0].high, 63);
/// assert_eq!(parse.model.ranges[2].name.text, "Done.H");
/// ```
///
/// ```
/// let parse = ser_syntax::parse_events("X := 2  process P { X := X + 1 }  reach X == 3");
/// let error = &parse.diagnostics[0];
/// assert_eq!(error.message, "say which values `X` can have");
/// assert_eq!(error.help[0].message, "for example `X in 0..10 := 2`");
/// ```
pub fn parse_events(text: &str) -> EventsParse {
    let (model, diagnostics) = crate::read(text, |tokens, sink| {
        let (items, calls) = parser::parse_processes(text, tokens, sink);
        if !sink.has_errors() && items.processes.is_empty() {
            let message = "this file has no processes";
            nothing_there(text, tokens, "no-processes", message, "a process")
                .with_help("the smallest file is `X in 0..1  process P { X := 1 }  reach X == 1`")
                .report(sink);
        } else if !sink.has_errors() && items.goals.is_empty() {
            let message = "this file does not say what to look for";
            let help = "for example `reach X == 1`, or `reach done` for the end of all processes";
            nothing_there(text, tokens, "no-goals", message, "`reach`")
                .with_help(help)
                .report(sink);
        }
        desugar::model(&items, &calls, sink)
    });
    EventsParse { model, diagnostics }
}
