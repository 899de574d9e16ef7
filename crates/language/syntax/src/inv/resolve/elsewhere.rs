//! Statements that mean nothing here, and how it is said.

use super::Resolver;
use crate::ast::{self, ExprKind as Source, Name};
use crate::inv::words::FUNCTIONS;
use crate::report::{Messages as _, error};

impl<'f> Resolver<'f, '_> {
    /// Something that does nothing here.
    pub(super) fn no_statement<T>(&mut self, expr: &ast::Expr) -> Option<T> {
        let (span, what) = (expr.span, expr.kind.described());
        let help = match &expr.kind {
            Source::Error => return None,
            Source::Yield => "every statement is one step: others run between any two of them",
            Source::Abort => "`return` ends a thread",
            Source::For(..) => "count in a variable: `while n < 3 { n := n + 1 }`",
            Source::Send(..) | Source::Receive(..) => {
                "threads share variables, sets, and cells of the heap"
            }
            Source::Assume(_) => {
                "`assume` is about the start, and stands at top level; to wait until something holds, write `await c`"
            }
            _ => return self.nothing_done(expr),
        };
        self.not_here(what, span, help);
        None
    }

    /// Something that only has a value.
    fn nothing_done<T>(&mut self, expr: &ast::Expr) -> Option<T> {
        const STATEMENTS: &str = "statements look like `x := 1`, `await x == 1`, `p(x)`";
        const EXPECTED: &str = "expected a statement here";
        let (message, label, help) = match &expr.kind {
            Source::Read(name) => {
                let help = match name.text.as_str() {
                    "critical" | "noncritical" => "for a step that does nothing, write `skip`",
                    _ => STATEMENTS,
                };
                (format!("{name} alone does nothing"), EXPECTED, help.to_owned())
            }
            Source::Call(name, _) if matches!(name.text.as_str(), "lock" | "unlock") => (
                format!("{name} stands before a cell, without parentheses"),
                "looks like a call",
                format!("write `{} a`", name.text),
            ),
            Source::Call(name, _) => {
                let is_known = self.tree.functions.iter().any(|it| it.name.text == name.text);
                if !is_known && !FUNCTIONS.contains(&name.text.as_str()) && name.text != "malloc" {
                    return self.no_procedure(name);
                }
                let message = format!("{name} has a value, and does nothing");
                (message, EXPECTED, "assign it: `x := ...`".to_owned())
            }
            Source::Block(_) => {
                let help = "a place is named like this: `crit: { ... }`";
                ("what stands in these braces has no name".to_owned(), EXPECTED, help.to_owned())
            }
            kind => {
                let message = format!("{} alone does nothing", kind.described());
                (message, EXPECTED, STATEMENTS.to_owned())
            }
        };
        error("expected-statement", message, expr.span, label).with_help(help).none(self.form)
    }

    fn no_procedure<T>(&mut self, name: &Name) -> Option<T> {
        let known = self.tree.functions.iter().filter(|it| !it.is_shorthand);
        let known = known.map(|it| it.name.text.as_str());
        let diagnostic = name.missing("unknown-procedure", "procedure", "not known here");
        match self.form.closest(&name.text, known) {
            Some(right) => diagnostic.meant(right),
            None => {
                let help = format!("declare it at top level: `fn {}() {{ ... }}`", name.text);
                diagnostic.with_help(help)
            }
        }
        .none(self.form)
    }
}
