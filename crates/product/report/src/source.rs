//! Sources: a text, what it is written in, and what can be wrong with it.

use ser_syntax::ast::World;
use ser_syntax::{Diagnostic, Line, LineIndex, Span};
use std::path::Path;

/// What a source is written in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Request handlers, `.ser`.
    Program,
    /// A network system, `.json`.
    System,
    /// Processes with shared variables, `.ser`.
    Processes,
    /// An unwinding, `.unw`.
    Unwinding,
    /// Processes that send each other messages, `.ser`.
    Protocol,
    /// Any number of threads, with invariants, `.ser`.
    Invariants,
    /// A Petri net: `.net`, `.pnml` or `.ndr`.
    Net,
    /// Transactions in SQL, `.sql`.
    Sql,
}

/// Everything that depends on the kind of a source and is not about its meaning.
struct Description {
    kind: Kind,
    extensions: &'static [&'static str],
    /// What such a file holds: `these are request handlers`.
    holds: &'static str,
    /// Which command answers the question that such a file poses, and what it decides.
    command: &'static str,
    tells: &'static str,
}

const DESCRIPTIONS: [Description; 8] = [
    Description {
        kind: Kind::Program,
        extensions: &["ser"],
        holds: "these are request handlers",
        command: "check",
        tells: "decides whether they are serializable",
    },
    Description {
        kind: Kind::System,
        extensions: &["json"],
        holds: "this is a network system",
        command: "check",
        tells: "decides whether it is serializable",
    },
    Description {
        kind: Kind::Processes,
        extensions: &["ser"],
        holds: "these are processes with shared variables",
        command: "trace",
        tells: "shows what they can reach",
    },
    Description {
        kind: Kind::Unwinding,
        extensions: &["unw"],
        holds: "this is an unwinding",
        command: "trace",
        tells: "shows what it can reach",
    },
    Description {
        kind: Kind::Protocol,
        extensions: &["ser"],
        holds: "these are processes that send messages",
        command: "sequentialize",
        tells: "checks whether one of them can wait forever",
    },
    Description {
        kind: Kind::Invariants,
        extensions: &["ser"],
        holds: "these are threads with invariants",
        command: "prove",
        tells: "proves the invariants",
    },
    Description {
        kind: Kind::Net,
        extensions: &["net", "pnml", "ndr"],
        holds: "this is a Petri net",
        command: "reach",
        tells: "decides which markings it can reach",
    },
    Description {
        kind: Kind::Sql,
        extensions: &["sql"],
        holds: "these are transactions in SQL",
        command: "sql",
        tells: "finds out which isolation levels they need",
    },
];

impl Kind {
    /// What a file of this name is written in, if its extension says so.
    ///
    /// ```
    /// use ser_report::Kind;
    /// assert_eq!(Kind::of("a/b.SER"), Some(Kind::Program));
    /// assert_eq!(Kind::of("README"), None);
    /// ```
    pub fn of(name: &str) -> Option<Kind> {
        let extension = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        let known = DESCRIPTIONS.iter().find(|it| it.extensions.contains(&extension.as_str()))?;
        Some(known.kind)
    }

    pub fn all() -> impl Iterator<Item = Kind> {
        DESCRIPTIONS.iter().map(|it| it.kind)
    }

    fn description(self) -> &'static Description {
        // Every kind is in the table; a test says so.
        DESCRIPTIONS.iter().find(|it| it.kind == self).unwrap_or(&DESCRIPTIONS[0])
    }

    /// The kind of this text, whose name says so much.
    pub fn of_text(self, text: &str) -> Kind {
        match (self, ser_syntax::world(text)) {
            (Kind::Program, World::Processes) => Kind::Processes,
            (Kind::Program, World::Messages) => Kind::Protocol,
            (Kind::Program, World::Threads) => Kind::Invariants,
            (kind, _) => kind,
        }
    }

    /// The usual extension, without the dot.
    pub fn extension(self) -> &'static str {
        self.description().extensions.first().copied().unwrap_or_default()
    }

    /// The subcommand that answers the question that such a file poses.
    pub fn command(self) -> &'static str {
        self.description().command
    }

    /// What to say when such a file is given to a command that does not read it.
    pub fn not_read_here(self) -> SourceError {
        let Description { holds, command: other, tells, .. } = self.description();
        SourceError::Unreadable {
            message: format!("{holds}, which this command does not read"),
            help: Some(format!("`ser {other}` {tells}")),
        }
    }
}

/// A source text, with everything that it uses behind it.
#[derive(Clone, Debug)]
pub struct Source {
    /// How the user calls it.
    pub name: String,
    pub kind: Kind,
    /// All files in one ([`ser_base::parts`]); offsets are those in the file itself, as it comes
    /// first.
    pub text: String,
    pub lines: LineIndex,
}

impl Source {
    /// A text of a known kind; of what a `.ser` file is a model, its text says.
    pub fn new(name: &str, kind: Kind, text: String) -> Source {
        let kind = kind.of_text(&text);
        let lines = LineIndex::new(&text);
        Source { name: name.to_owned(), kind, text, lines }
    }

    /// The text of the file itself.
    pub fn own_text(&self) -> &str {
        ser_base::first_file(&self.text)
    }

    /// Whether a place is in the file itself, and not in one that it uses.
    pub fn is_own(&self, span: Span) -> bool {
        span.end as usize <= self.own_text().len()
    }

    /// How the user calls the file that a line is in: what it is called from its own folder, seen
    /// from here.
    pub fn file_of(&self, line: &Line) -> String {
        match &line.file {
            None => self.name.clone(),
            Some(name) => ser_base::path_from(&self.name, name),
        }
    }
}

/// Why a source has no meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourceError {
    /// It cannot be read at all, or not by this command: a sentence, and a way out.
    Unreadable { message: String, help: Option<String> },
    /// It has errors.
    Diagnostics(Vec<Diagnostic>),
    /// It has an error at a place that is not a place in the text: a path in JSON or XML.
    At { path: String, message: String, help: Option<String> },
    /// Something on the command line that is read like a source has errors: `--reach`.
    Argument { argument: &'static str, text: String, diagnostics: Vec<Diagnostic> },
}

impl SourceError {
    /// A sentence and a way out.
    pub fn unreadable(message: impl Into<String>, help: impl Into<String>) -> SourceError {
        SourceError::Unreadable { message: message.into(), help: Some(help.into()) }
    }

    /// The error in one line, without its place.
    pub fn sentence(&self) -> String {
        match self {
            SourceError::Unreadable { message, .. } => message.clone(),
            SourceError::At { path, message, .. } => format!("{path}: {message}"),
            SourceError::Diagnostics(diagnostics) | SourceError::Argument { diagnostics, .. } => {
                let errors = diagnostics.iter().filter(|d| d.is_error());
                let first = errors.clone().next().map_or("", |d| &d.message);
                match errors.count() {
                    0 | 1 => first.to_owned(),
                    n => format!("{first} (and {} more)", crate::text::count(n - 1, "error")),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_described() {
        for kind in [
            Kind::Program,
            Kind::System,
            Kind::Processes,
            Kind::Unwinding,
            Kind::Protocol,
            Kind::Invariants,
            Kind::Net,
            Kind::Sql,
        ] {
            assert_eq!(kind.description().kind, kind);
            // Of what a `.ser` file is a model, its text says.
            let named = Kind::of(&format!("a.{}", kind.extension()));
            assert!(named == Some(kind) || named == Some(Kind::Program));
        }
    }
}
