//! An open document: its text, what its syntax says, and what checks have found out about it.

use crate::findings::Findings;
use crate::repairs::Fix;
use crate::text::Text;
use crate::values::Values;
use lsp_types::{TextDocumentContentChangeEvent, Uri};
use ser_editing::symbols::Symbols;
use ser_session::source::{Kind, Source};
use ser_syntax::icet::IcetParse;
use ser_syntax::inv::InvParse;
use ser_syntax::{LineIndex, Parse, parse_events, parse_unwinding};

/// Which text of which document: never the same for two texts of a session, not even if a
/// document is closed and opened again. Whatever is computed in the background carries it, and
/// is dropped if the document has moved on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Revision(pub u64);

/// What is known about repairs.
#[derive(Clone, Debug, Default)]
pub enum Repairs {
    /// Nobody has asked.
    #[default]
    NotAsked,
    /// They are being looked for.
    Searching,
    /// These were found.
    Known(Vec<Fix>),
}

/// An open document.
#[derive(Debug)]
pub struct Document {
    /// Its address.
    pub uri: Uri,
    /// The client's number of this text.
    pub version: i32,
    /// Our number of this text.
    pub revision: Revision,
    /// What it is written in.
    pub kind: Kind,
    /// The text.
    pub text: Text,
    /// What the parser understood; nothing for network systems, and only its messages for processes,
    /// unwindings, protocols and invariants.
    pub parse: Parse,
    /// Who is who.
    pub symbols: Symbols,
    /// What an `.icet` file says; nothing for others.
    pub protocol: IcetParse,
    /// What an `.inv` file says; nothing for others.
    pub invariants: InvParse,
    /// Whether the text has changed since it was parsed.
    pub changed: bool,
    /// Whether somebody is typing: an edit was the last thing that happened to it.
    pub typed: bool,
    /// What the check of this text found out, once it is there.
    pub findings: Option<Findings>,
    /// The values of variables, once they are there.
    pub values: Option<Values>,
    /// What is known about repairs.
    pub repairs: Repairs,
}

impl Document {
    /// A document that was opened; it is not parsed yet.
    pub fn new(uri: Uri, language: &str, version: i32, revision: Revision, text: Text) -> Document {
        let path = uri.as_str().split(['?', '#']).next().unwrap_or("").to_ascii_lowercase();
        Document {
            uri,
            version,
            revision,
            kind: kind(&path, language),
            text,
            parse: Parse::default(),
            symbols: Symbols::default(),
            protocol: IcetParse::default(),
            invariants: InvParse::default(),
            changed: true,
            typed: false,
            findings: None,
            values: None,
            repairs: Repairs::NotAsked,
        }
    }

    /// Takes the client's changes, in order.
    pub fn change(
        &mut self,
        version: i32,
        revision: Revision,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) {
        for change in changes {
            self.text.change(change);
        }
        (self.version, self.revision) = (version, revision);
        (self.changed, self.typed) = (true, true);
        (self.findings, self.values, self.repairs) = (None, None, Repairs::NotAsked);
    }

    /// Parses the text, if it has changed.
    ///
    /// If the parser panics, nothing is left of what it said about older texts.
    pub fn refresh(&mut self, parse: fn(&str) -> Parse) {
        self.changed = false;
        (self.parse, self.symbols) = (Parse::default(), Symbols::default());
        (self.protocol, self.invariants) = (IcetParse::default(), InvParse::default());
        let text = self.text.as_str();
        match self.kind {
            Kind::Program => {
                self.parse = parse(text);
                self.symbols = Symbols::of(&self.parse.program);
            }
            Kind::Processes => self.parse.diagnostics = parse_events(text).diagnostics,
            Kind::Unwinding => self.parse.diagnostics = parse_unwinding(text).diagnostics,
            Kind::Protocol => {
                self.protocol = ser_editing::icet::parse(text);
                self.parse.diagnostics.clone_from(&self.protocol.diagnostics);
            }
            Kind::Invariants => {
                self.invariants = ser_editing::inv::parse(text);
                self.parse.diagnostics.clone_from(&self.invariants.diagnostics);
            }
            Kind::System | Kind::Net => {}
        }
    }

    /// Whether there is a verdict on it: processes and unwindings are for `ser trace`, which nobody
    /// runs while they are typed.
    pub fn is_checked(&self) -> bool {
        matches!(self.kind, Kind::Program | Kind::System | Kind::Protocol | Kind::Invariants)
    }

    /// The text as a source to check; nothing if it has errors or is not checked.
    pub fn source(&self) -> Option<Source> {
        if !self.is_checked() || self.parse.has_errors() {
            return None;
        }
        let path = self.uri.as_str().split(['?', '#']).next().unwrap_or("");
        let name = path.rsplit('/').next().unwrap_or(path).to_owned();
        let text = self.text.as_str().to_owned();
        Some(Source { name, kind: self.kind, lines: LineIndex::new(&text), text })
    }

    /// The line of a byte offset as people count, from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.text.position(offset).line + 1
    }
}

/// What a document is written in: the end of its name tells, or else what the editor calls it.
fn kind(path: &str, language: &str) -> Kind {
    let by_name = [
        (".ser", Kind::Program),
        (".json", Kind::System),
        (".events", Kind::Processes),
        (".unw", Kind::Unwinding),
        (".icet", Kind::Protocol),
        (".inv", Kind::Invariants),
    ];
    if let Some((_, kind)) = by_name.iter().find(|(end, _)| path.ends_with(end)) {
        return *kind;
    }
    match language {
        "ser-events" => Kind::Processes,
        "ser-unw" => Kind::Unwinding,
        "icet" => Kind::Protocol,
        "inv" => Kind::Invariants,
        _ if language.starts_with("json") => Kind::System,
        _ => Kind::Program,
    }
}
