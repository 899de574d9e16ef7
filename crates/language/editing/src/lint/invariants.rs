//! What is allowed but probably not meant.

use ser_base::{Diagnostic, Sink};
use ser_syntax::inv::ast::System;

/// Warns about a system without errors.
pub(super) fn lint(system: &System, sink: &mut Sink) {
    if system.invariants.is_empty()
        && let Some(thread) = system.procedures.first()
    {
        sink.push(
            Diagnostic::warning("no-invariants", "there are no invariants here", thread.name.span)
                .with_label("all that is looked at is whether a step can be an error")
                .with_help("say what always holds: `invariant mutex(i, j): i != j -> ...`"),
        );
    }
}
