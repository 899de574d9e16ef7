//! What is found at places: what an editor underlines, and what a code-scanning service lists.

use crate::answer::{Answer, Method};
use ser_syntax::{Diagnostic, Label, Span};

/// The kinds of findings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    NotSerializable,
    /// A goal can be reached.
    Reachable,
    /// An assertion, a range, an index or a division fails.
    Fails,
    /// A request can wait forever.
    Deadlock,
    /// A process may wait forever, fail, or send a message that is never received.
    Protocol,
    /// An invariant is violated, or a step is an error.
    Invariant,
    NotInductive,
    Unknown,
    /// The input is wrong.
    Input,
    Warning,
}

/// How serious a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    Error,
    Warning,
    Note,
}

/// One finding.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    pub rule: Rule,
    pub level: Level,
    /// In words, without line numbers where they are not needed.
    pub message: String,
    /// The place; without one, the file as a whole.
    pub span: Option<Span>,
    /// Other places that explain it.
    pub related: Vec<Related>,
    /// The number of the run that shows it.
    pub run: Option<usize>,
    /// What stays the same when lines move: two findings with these words are the same one.
    pub identity: Vec<String>,
}

/// Another place that explains a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Related {
    pub span: Span,
    pub message: String,
}

/// Something to point out in a listing of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    pub span: Span,
    pub kind: MarkKind,
    /// In a few words, for the margin of an editor.
    pub label: String,
    /// What to show when the user points at it; may be empty.
    pub words: String,
}

/// What a mark says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MarkKind {
    /// A yield point that makes no difference.
    Harmless,
    /// A yield point that lets others interfere.
    Blamed,
    /// The place that is to blame for something else.
    Wrong,
}

impl Rule {
    /// Its name in SARIF and in editors.
    pub fn id(self) -> &'static str {
        match self {
            Rule::NotSerializable => "not-serializable",
            Rule::Reachable => "reachable",
            Rule::Fails => "fails",
            Rule::Deadlock => "deadlock",
            Rule::Protocol => "protocol",
            Rule::Invariant => "invariant",
            Rule::NotInductive => "not-inductive",
            Rule::Unknown => "unknown",
            Rule::Input => "input",
            Rule::Warning => "warning",
        }
    }

    /// The rule that an answer breaks if it does not hold.
    pub fn of(answer: &Answer, method: Method) -> Rule {
        match answer {
            Answer::NotInductive => Rule::NotInductive,
            _ => Rule::of_question(method),
        }
    }

    /// The rule that is broken if the answer to a question of this kind is no good news.
    pub fn of_question(method: Method) -> Rule {
        match method {
            Method::Serializability | Method::Isolation => Rule::NotSerializable,
            Method::Reachability => Rule::Reachable,
            Method::Sequentialization => Rule::Protocol,
            Method::Invariance => Rule::Invariant,
            Method::Assertions => Rule::Fails,
            Method::Deadlock => Rule::Deadlock,
        }
    }
}

impl Finding {
    /// What a diagnostic says, as a finding: its label and its ways out are part of the message.
    pub fn of(rule: Rule, level: Level, diagnostic: &Diagnostic) -> Finding {
        let Label { span, message: label } = &diagnostic.primary;
        let mut message = diagnostic.message.clone();
        if !label.is_empty() {
            message += &format!(": {label}");
        }
        for help in &diagnostic.help {
            message += &format!("\nhelp: {}", help.message);
        }
        let related = diagnostic.secondary.iter();
        Finding {
            rule,
            level,
            message,
            span: Some(*span),
            related: related
                .map(|it| Related { span: it.span, message: it.message.clone() })
                .collect(),
            run: None,
            identity: vec![diagnostic.code.to_owned(), diagnostic.message.clone()],
        }
    }
}
