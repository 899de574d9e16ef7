//! Messages, and whoever takes them.

use crate::ast::Name;
use ser_base::{Diagnostic, Sink, Span};
use std::fmt::Display;

/// A message was given; the caller only has to find a way to go on.
pub(crate) struct Reported;

/// Whoever takes messages.
pub(crate) trait Report {
    fn report(&mut self, diagnostic: Diagnostic) -> Reported;
}

impl Report for Sink {
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.push(diagnostic);
        Reported
    }
}

impl Report for Vec<Diagnostic> {
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.push(diagnostic);
        Reported
    }
}

/// An error with a label at its place.
pub(crate) fn error(
    code: &'static str,
    message: impl Into<String>,
    span: Span,
    label: impl Into<String>,
) -> Diagnostic {
    Diagnostic::error(code, message, span).with_label(label)
}

impl Name {
    /// An error about what this names: "`x` is a set".
    pub(crate) fn error(
        &self,
        code: &'static str,
        what: impl Display,
        label: impl Into<String>,
    ) -> Diagnostic {
        self.wrong(code, what).with_label(label)
    }

    /// The same without a label.
    pub(crate) fn wrong(&self, code: &'static str, what: impl Display) -> Diagnostic {
        Diagnostic::error(code, format!("`{}` {what}", self.text), self.span)
    }

    /// The error that there is no such thing.
    pub(crate) fn missing(&self, code: &'static str, what: &str, label: &str) -> Diagnostic {
        error(code, format!("there is no {what} `{}`", self.text), self.span, label)
    }
}

/// `wrong` is how other languages write `right`.
pub(crate) fn instead(code: &'static str, wrong: &str, right: &str, span: Span) -> Diagnostic {
    let message = format!("`{wrong}` is written `{right}`");
    error(code, message, span, format!("expected `{right}`")).with_right(right)
}

/// What messages say again and again.
pub(crate) trait Messages: Sized {
    fn report(self, to: &mut impl Report) -> Reported;
    fn with_helps(self, helps: &[&str]) -> Self;
    /// Where the name at fault is declared.
    fn declared(self, at: impl Into<Option<Span>>) -> Self;
    /// Offers to write `right` at the place of the mistake.
    fn with_right(self, right: &str) -> Self;
    /// Offers the name that was probably meant.
    fn meant(self, name: &str) -> Self;

    /// Reports it where a value is expected.
    fn none<T>(self, to: &mut impl Report) -> Option<T> {
        self.report(to);
        None
    }
}

impl Messages for Diagnostic {
    fn report(self, to: &mut impl Report) -> Reported {
        to.report(self)
    }

    fn with_helps(self, helps: &[&str]) -> Diagnostic {
        helps.iter().fold(self, |diagnostic, help| diagnostic.with_help(*help))
    }

    fn declared(self, at: impl Into<Option<Span>>) -> Diagnostic {
        match at.into() {
            Some(at) => self.with_secondary(at, "declared here"),
            None => self,
        }
    }

    fn with_right(self, right: &str) -> Diagnostic {
        let span = self.primary.span;
        self.with_fix(format!("write `{right}`"), span, right)
    }

    fn meant(self, name: &str) -> Diagnostic {
        let span = self.primary.span;
        self.with_fix(format!("did you mean `{name}`?"), span, name)
    }
}

/// So many of something, in words for messages.
pub(crate) fn count_of(count: usize, what: &str) -> String {
    match count {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

/// The error about two things of different types, which stand at these places.
pub(crate) fn different(
    message: String,
    place: Span,
    (left, one): (Span, &str),
    (right, other): (Span, &str),
) -> Diagnostic {
    error("type-mismatch", message, place, "of different types")
        .with_secondary(left, format!("this is {one}"))
        .with_secondary(right, format!("this is {other}"))
}
