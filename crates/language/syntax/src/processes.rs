//! Processes over shared variables and queues: what they mean.
//!
//! ```text
//! var X: 0..63 = 2
//! var Jobs: queue[2] of 0..3
//! process F(id in 0..1) { send id to Jobs; X := X + 4 }
//! process G { for i in 1..2 { job := recv Jobs; await X == 2 * job { X := 0 } } }
//! reach "both jobs are done": done && len(Jobs) == 0
//! invariant small: X <= 10
//! ```
//!
//! The grammar is that of all programs (`docs/language.md`), and names and types are those of
//! requests (`elaborate`). Besides, there are `await`, `atomic`, `send`, `recv`, `bits n` and
//! `len(queue)`; in what is asked also `done`, `done(process)` and `done(process(value, ...))`.
//!
//! # What it means
//!
//! Variables that start with an uppercase letter are shared and have to be declared; others are
//! local to their process and start at 0. A process is a sequence of *actions*. Every assignment
//! that touches shared variables, every `send`, `recv`, `await`, `lock` and `unlock`, and every
//! evaluation of a condition that reads shared variables is one; so is a whole `atomic { ... }` or
//! `await(c) { ... }`. Whatever touches local variables only costs nothing and happens together
//! with the next action. An action that would leave the range of a shared variable, send into a
//! full queue, receive from an empty one or take a lock that somebody holds cannot happen (now);
//! `bits n` wraps around instead.
//!
//! # Translation
//!
//! [`parse_processes`] turns every process into a request of a core program that runs once, with
//! a `yield` between two actions. Then everything that knows programs knows processes, too:
//!
//! - A `yield` stands right after an action, before anything else of the process, and never inside
//!   one. So an action that cannot happen never takes back the one before it, and local code that
//!   runs for ever takes back nothing. Nothing is put before the end of a process: its last action
//!   ends it.
//! - `await(c)` is `assume(c)`; an assignment that may leave its range is
//!   `(.1 := e; assume(low <= .1 && .1 <= high); X := .1)`.
//! - A queue is its length and one variable for each slot. Slots that are not in use have a fixed
//!   value, so that equal queues are equal states.
//! - `done(P)` reads a hidden variable, which `P` sets in its last action; only if somebody asks
//!   for it.

mod once;

pub use once::processes_as_requests;

use crate::report::Messages as _;
use crate::{Parse, elaborate, files, nothing_there};

/// Reads a file with processes.
///
/// Never fails and never panics; what is wrong with the text is among the diagnostics. Every
/// process is a request of the program; every combination of values of its parameters is a process
/// of its own. Names with a `.` at the start, `Q.len`, `Q.0` and `Done P` are hidden.
///
/// ```
/// let text = "
///     var X: 0..63 = 2
///     var Y: 0..63 = 5
///     process F { while (1) { Y := Y + 4 } }
///     process G { j := 3; while (1) { atomic { X := X + j; j := j + 1 } } }
///     process H { await(X == Y) }
///     reach done(H)
/// ";
/// let parse = ser_syntax::parse_processes(text);
/// assert!(parse.diagnostics.is_empty());
/// assert_eq!(parse.program.requests.len(), 3);
/// assert_eq!(parse.program.globals[0].range, Some((0, 63)));
/// assert_eq!(parse.program.globals[2].name.text, "Done H");
/// ```
///
/// ```
/// let text = "X := 2  process P { X := X + 1 }  reach X == 3";
/// let error = &ser_syntax::parse_processes(text).diagnostics[0];
/// assert_eq!(error.message, "say which values `X` can have");
/// assert_eq!(error.help[0].message, "for example `var X: 0..10 = 2`");
/// ```
pub fn parse_processes(text: &str) -> Parse {
    let ((tree, program), diagnostics) = crate::with_tokens(text, |tokens, sink| {
        let tree = files::parse(text, tokens, sink);
        if !sink.has_errors() && tree.processes.is_empty() {
            let message = "this file has no processes";
            nothing_there(text, tokens, "no-processes", message, "a process")
                .with_help("the smallest file is `var X: 0..1  process P { X := 1 }  reach X == 1`")
                .report(sink);
        }
        let program = elaborate::elaborate(&tree, sink);
        if !sink.has_errors() && tree.claims.is_empty() && !program.may_fail() {
            let message = "this file does not say what to look for";
            let help = "for example `reach X == 1`, or `deadlock`: can somebody wait forever?";
            nothing_there(text, tokens, "no-goals", message, "`reach`")
                .with_help(help)
                .report(sink);
        }
        (tree, program)
    });
    Parse { tree, program, diagnostics }
}
