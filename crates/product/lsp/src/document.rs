//! An open document: its text, what its syntax says, and what checks have found out about it.

use crate::files::with_used;
use crate::repairs::Fix;
use crate::text::Text;
use crate::values::Values;
use lsp_types::{TextDocumentContentChangeEvent, Uri};
use ser_editing::symbols::Symbols;
use ser_report::{Answer, Kind, Question, Report, Source};
use ser_session::method::usual;
use ser_syntax::icet::IcetParse;
use ser_syntax::inv::InvParse;
use ser_syntax::{Diagnostic, Parse, Span, parse_processes, parse_unwinding};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// What its name says about that.
    named: Kind,
    /// The text.
    pub text: Text,
    /// The text as it was parsed, with everything that it uses behind it.
    pub whole: String,
    /// The files that it uses.
    pub used: Vec<PathBuf>,
    /// What the parser understood of requests, and the tree of processes; of other texts, only the
    /// messages.
    pub parse: Parse,
    /// Who is who.
    pub symbols: Symbols,
    /// What a file with messages says; nothing for others.
    pub protocol: IcetParse,
    /// What a model of threads says; nothing for others.
    pub invariants: InvParse,
    /// Whether the text has changed since it was parsed.
    pub changed: bool,
    /// Whether somebody is typing: an edit was the last thing that happened to it.
    pub typed: bool,
    /// What is known about this text, once there is something.
    pub reports: Option<Vec<Report>>,
    /// The values of variables, once they are there.
    pub values: Option<Values>,
    /// What is known about repairs.
    pub repairs: Repairs,
}

impl Document {
    /// A document that was opened; it is not parsed yet.
    pub fn new(uri: Uri, language: &str, version: i32, revision: Revision, text: Text) -> Document {
        let kind = kind(uri.as_str().split(['?', '#']).next().unwrap_or(""), language);
        Document {
            uri,
            version,
            revision,
            kind,
            named: kind,
            text,
            whole: String::new(),
            used: Vec::new(),
            parse: Parse::default(),
            symbols: Symbols::default(),
            protocol: IcetParse::default(),
            invariants: InvParse::default(),
            changed: true,
            typed: false,
            reports: None,
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
        self.version = version;
        self.outdate(revision);
    }

    /// Its text, or one that it uses, is another.
    pub fn outdate(&mut self, revision: Revision) {
        self.revision = revision;
        (self.changed, self.typed) = (true, true);
        (self.reports, self.values, self.repairs) = (None, None, Repairs::NotAsked);
    }

    /// Parses the text, if it has changed, with what it uses: `open` has the texts of documents.
    ///
    /// If the parser panics, nothing is left of what it said about older texts.
    pub fn refresh(&mut self, parse: fn(&str) -> Parse, open: &dyn Fn(&Path) -> Option<String>) {
        self.changed = false;
        (self.parse, self.symbols) = (Parse::default(), Symbols::default());
        (self.protocol, self.invariants) = (IcetParse::default(), InvParse::default());
        (self.whole, self.used) = match self.named {
            Kind::Program => with_used(self.uri.as_str(), self.text.as_str(), open),
            _ => (self.text.as_str().to_owned(), Vec::new()),
        };
        let text = self.whole.as_str();
        self.kind = self.named.of_text(text);
        match self.kind {
            Kind::Program => {
                self.parse = parse(text);
                self.symbols = Symbols::of(&self.parse.tree);
            }
            Kind::Processes => {
                self.parse = parse_processes(text);
                self.symbols = Symbols::of(&self.parse.tree);
            }
            Kind::Unwinding => self.parse.diagnostics = parse_unwinding(text).diagnostics,
            Kind::Protocol => {
                self.protocol = ser_editing::icet::parse(text);
                self.parse.diagnostics.clone_from(&self.protocol.diagnostics);
            }
            Kind::Invariants => {
                self.invariants = ser_editing::inv::parse(text);
                self.parse.diagnostics.clone_from(&self.invariants.diagnostics);
            }
            Kind::System | Kind::Net | Kind::Sql => {}
        }
        // What is odd about another file is said there.
        let length = self.text.as_str().len();
        let is_own = |it: &Diagnostic| it.primary.span.end as usize <= length;
        self.parse.diagnostics.retain(|it| it.is_error() || is_own(it));
    }

    /// The text as a source to check; nothing if it has errors.
    pub fn source(&self) -> Option<Arc<Source>> {
        let text = || self.whole.clone();
        let source = || Arc::new(Source::new(self.name(), self.kind, text()));
        (!self.parse.has_errors()).then(source)
    }

    /// A report about the whole text.
    pub fn report(&self, answer: Answer) -> Report {
        let question = Question::of(usual(self.kind).method());
        Report::new(self.name(), question, answer)
    }

    /// The name of the file.
    fn name(&self) -> &str {
        let path = self.uri.as_str().split(['?', '#']).next().unwrap_or("");
        path.rsplit('/').next().unwrap_or(path)
    }

    /// What is known about the program as a whole, if this is one.
    pub fn of_program(&self) -> Option<&Report> {
        let reports = self.reports.as_ref().filter(|_| self.kind == Kind::Program);
        reports.and_then(|reports| reports.first())
    }

    /// The name of the first item, where whatever is about the whole text stands.
    pub fn heading(&self) -> Span {
        let program = &self.parse.tree;
        let constants = program.constants.iter().map(|it| &it.name);
        let initial = program.globals.iter().map(|it| &it.name);
        let requests = program.requests.iter().map(|it| &it.name);
        let processes = self.protocol.protocol.processes.iter().map(|it| &it.name);
        let globals = self.invariants.system.globals.iter().map(|it| &it.name);
        let threads = self.invariants.system.procedures.iter().map(|it| &it.name);
        let items = constants.chain(initial).chain(requests);
        let all = items.chain(processes).chain(globals).chain(threads);
        all.map(|name| name.span).filter(|it| self.is_own(*it)).min().unwrap_or_default()
    }
}

/// What a document is written in: the end of its name tells, or else what the editor calls it.
fn kind(path: &str, language: &str) -> Kind {
    Kind::of(path).unwrap_or(match language {
        "ser-unw" => Kind::Unwinding,
        _ if language.starts_with("json") => Kind::System,
        _ => Kind::Program,
    })
}
