//! Lints: what is allowed but probably not meant.
//!
//! Only for texts without errors: where something is wrong, "never read" may just mean "not
//! understood".

mod invariants;
mod program;
mod protocol;

use ser_base::{Diagnostic, Sink};
use ser_syntax::Parse;
use ser_syntax::icet::IcetParse;
use ser_syntax::inv::InvParse;

/// Reads a program like [`ser_syntax::parse`], with lints among the diagnostics.
///
/// ```
/// let text = "request main { X := 1 }";
/// assert!(ser_syntax::parse(text).diagnostics.is_empty());
/// assert_eq!(ser_editing::parse(text).diagnostics[0].code, "never-read");
/// ```
pub fn parse(text: &str) -> Parse {
    let mut parse = ser_syntax::parse(text);
    with_lints(&mut parse.diagnostics, |sink| program::lint(&parse.tree, sink));
    parse
}

/// Reads a file with messages like [`ser_syntax::icet::parse`], with lints among the diagnostics.
pub fn parse_protocol(text: &str) -> IcetParse {
    let mut parse = ser_syntax::icet::parse(text);
    with_lints(&mut parse.diagnostics, |sink| protocol::lint(&parse.protocol, sink));
    parse
}

/// Reads a model of threads like [`ser_syntax::inv::parse`], with lints among the diagnostics.
pub fn parse_invariants(text: &str) -> InvParse {
    let mut parse = ser_syntax::inv::parse(text);
    with_lints(&mut parse.diagnostics, |sink| invariants::lint(&parse.system, sink));
    parse
}

fn with_lints(diagnostics: &mut Vec<Diagnostic>, lint: impl FnOnce(&mut Sink)) {
    if diagnostics.iter().any(Diagnostic::is_error) {
        return;
    }
    let mut sink = Sink::default();
    lint(&mut sink);
    diagnostics.drain(..).for_each(|warning| sink.push(warning));
    *diagnostics = sink.finish();
}
