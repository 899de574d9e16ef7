//! The `.unw` language: unwindings, written by hand or by other tools.
//!
//! ```text
//! file       = { item [ ";" | "," ] } ;
//! item       = "const" name "=" expr
//!            | "enum" name "{" name { "," name } [ "," ] "}"
//!            | "place" name [ ":" type { "," type } ]                (* no type: plain tokens *)
//!            | "transition" name "{" { part ";" } "}"
//!            | "target" name { "," name } ;
//! type       = "bool" | "bits" number | "unit" | name | expr ".." expr ;
//! part       = ( "in" | "test" | "out" ) name [ "(" expr { "," expr } ")" ]
//!            | "when" expr
//!            | "var" name ":" type ;
//! ```
//!
//! An unwinding is a net whose tokens carry values. Every transition occurs at most once: it takes
//! (`in`), looks at (`test`) and puts (`out`) one token for each of its arcs, where its variables
//! have one value each and its guards hold. There are no tokens at first; a transition without `in`
//! and `test` arcs puts the first ones. The question is whether a target can occur.
//!
//! Expressions are those of `.ser` programs, as far as they compute a value from values: numbers,
//! constants, variables, operators. Variables are lowercase names; a variable that is all of an
//! arc's expression has the values of that component, input and test arcs first; others need `var`.

mod check;
mod structure;
mod variables;

use crate::ast::Unwinding;
use crate::report::Messages as _;
use crate::{nothing_there, parser};
use ser_base::Diagnostic;

/// A `.unw` file, understood as far as possible.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UnwindingParse {
    /// What it means; empty if there are errors.
    pub unwinding: Unwinding,
    /// Errors and warnings, sorted by position.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a `.unw` file.
///
/// Never fails and never panics; what is wrong with the text is among the diagnostics. In an
/// unwinding without errors, arcs have one expression for each component of their place, every name
/// in an expression is a variable of its transition, there is at least one target, and no target is
/// unreachable merely because nobody fills a place on the way.
///
/// ```
/// let text = "
///     place px : 0..100
///     place py : 0..100
///     transition init { out px(2); out py(5) }
///     transition g1 { in px(x); out px(x + 3) }
///     transition h { test px(x); test py(y); when x == y }
///     target h
/// ";
/// let parse = ser_syntax::parse_unwinding(text);
/// assert!(parse.diagnostics.is_empty());
/// let h = &parse.unwinding.transitions[parse.unwinding.targets[0]];
/// assert_eq!((h.variables.len(), h.variables[0].values.high), (2, 100));
/// ```
///
/// ```
/// let text = "place p  transition t { out q }  target t";
/// let error = &ser_syntax::parse_unwinding(text).diagnostics[0];
/// assert_eq!(error.message, "there is no place `q`");
/// ```
pub fn parse_unwinding(text: &str) -> UnwindingParse {
    let (unwinding, diagnostics) = crate::with_tokens(text, |tokens, sink| {
        let items = parser::parse_unwinding(text, tokens, sink);
        if !sink.has_errors() && items.transitions.is_empty() {
            let message = "this unwinding has no transitions";
            nothing_there(text, tokens, "no-transitions", message, "a transition")
                .with_help("the smallest file is `place p  transition t { out p }  target t`")
                .report(sink);
        } else if !sink.has_errors() && items.targets.is_empty() {
            let last = items.transitions.last().map_or("t", |t| t.name.text.as_str());
            nothing_there(text, tokens, "no-target", "this unwinding has no target", "`target`")
                .with_help(format!("say which transition to look for: `target {last}`"))
                .report(sink);
        }
        check::check(&items, sink)
    });
    UnwindingParse { unwinding, diagnostics }
}
