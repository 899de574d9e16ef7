//! What the tool has to say about a source text: errors, warnings, and what to do.
//!
//! A diagnostic is data. It is rendered at the edge (terminal, JSON, editor), never here.

use crate::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The program has no meaning until this is repaired.
    Error,
    /// The program has a meaning, but perhaps not the one that was wanted.
    Warning,
}

/// A remark attached to a place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What to say there; may be empty.
    pub message: String,
}

/// A change of the source that would repair the problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// What to replace; empty to insert.
    pub span: Span,
    /// What to put there.
    pub replacement: String,
}

/// A way out, in words and, where it is obvious, as an edit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Help {
    /// In words, lowercase, without a full stop.
    pub message: String,
    /// The edit that does it.
    pub edit: Option<Edit>,
}

/// One message about the source.
///
/// ```
/// use ser_base::{Diagnostic, Span};
/// let d = Diagnostic::error("missing-semicolon", "expected `;` between two expressions", Span::new(3, 4))
///     .with_label("expected `;` before this")
///     .with_help("separate expressions with `;`");
/// assert!(d.is_error());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// A stable name in kebab case, for filters and tests.
    pub code: &'static str,
    /// What is wrong, in one plain sentence, lowercase, without a full stop.
    pub message: String,
    /// The place that is to blame, with what to say there.
    pub primary: Label,
    /// Other places that explain it ("first defined here").
    pub secondary: Vec<Label>,
    /// What to do about it.
    pub help: Vec<Help>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: &'static str, message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, message.into(), span)
    }

    /// A warning at `span`.
    pub fn warning(code: &'static str, message: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, message.into(), span)
    }

    fn new(severity: Severity, code: &'static str, message: String, span: Span) -> Diagnostic {
        let primary = Label { span, message: String::new() };
        Diagnostic { severity, code, message, primary, secondary: Vec::new(), help: Vec::new() }
    }

    /// Says something at the primary place.
    pub fn with_label(mut self, message: impl Into<String>) -> Diagnostic {
        self.primary.message = message.into();
        self
    }

    /// Points at another place.
    pub fn with_secondary(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label { span, message: message.into() });
        self
    }

    /// Says what to do.
    pub fn with_help(mut self, message: impl Into<String>) -> Diagnostic {
        self.help.push(Help { message: message.into(), edit: None });
        self
    }

    /// Says what to do, with the edit that does it.
    pub fn with_fix(
        mut self,
        message: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Diagnostic {
        let edit = Some(Edit { span, replacement: replacement.into() });
        self.help.push(Help { message: message.into(), edit });
        self
    }

    /// Whether this is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
