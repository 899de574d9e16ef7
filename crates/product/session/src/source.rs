//! Sources: where programs and systems come from, and what can be wrong with them.

use ser_model::{
    ExploreError, JsonError, Limits, NetworkSystem, ProgramModel, RuleSystem, program_rules,
};
use ser_serializability_checker::Scope;
use ser_syntax::{Diagnostic, LineIndex, Parse};
use std::io::Read as _;
use std::path::Path;

/// A JSON system larger than this is refused.
const MAX_JSON_BYTES: usize = 256 << 20;

/// What a source is written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A program, `.ser`.
    Program,
    /// A network system, `.json`.
    System,
    /// Processes, `.events`.
    Processes,
    /// An unwinding, `.unw`.
    Unwinding,
    /// Processes that send each other messages, `.icet`.
    Protocol,
    /// Threads and invariants, `.inv`.
    Invariants,
}

impl Kind {
    /// What a file of this name is written in; nothing if the name does not tell.
    pub fn of(name: &str) -> Option<Kind> {
        let extension = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "json" => Kind::System,
            "events" => Kind::Processes,
            "unw" => Kind::Unwinding,
            "icet" => Kind::Protocol,
            "inv" => Kind::Invariants,
            _ => Kind::Program,
        })
    }
}

/// A source text.
#[derive(Clone, Debug)]
pub struct Source {
    /// How the user calls it.
    pub name: String,
    /// What it is written in.
    pub kind: Kind,
    /// The text.
    pub text: String,
    /// Lines and columns of the text.
    pub lines: LineIndex,
}

/// A source together with its meaning.
#[derive(Clone, Debug)]
pub enum Model {
    /// A program.
    Program(Box<ProgramModel>),
    /// A network system that was written by hand.
    System(Box<NetworkSystem>),
    /// The rules of a program with too many global states to list.
    Rules(Box<RuleSystem>),
}

impl Model {
    /// The network system; of rules, the system without its steps.
    pub fn system(&self) -> &NetworkSystem {
        match self {
            Model::Program(model) => model.system(),
            Model::System(system) => system,
            Model::Rules(rules) => rules.frame(),
        }
    }
}

/// Why a source has no meaning.
#[derive(Clone, Debug)]
pub enum SourceError {
    /// It cannot be read at all: a sentence, and a way out.
    Unreadable(String, Option<String>),
    /// The program has errors.
    Program(Vec<Diagnostic>),
    /// The system has errors.
    System(JsonError),
}

/// How many bytes of memory one byte of JSON takes while it is read, at most, by measurement.
const JSON_ROOM: usize = 10;

/// Names are printed in the middle of sentences and tables: one with line ends or escape sequences could
/// paint another verdict.
fn no_control_characters(system: &NetworkSystem) -> Result<(), JsonError> {
    let look = |path: &str, name: &str| match name.chars().any(char::is_control) {
        false => Ok(()),
        true => Err(JsonError {
            path: path.into(),
            message: format!("the name {name:?} has a control character"),
            help: Some("names are printed as they are: leave it out".into()),
        }),
    };
    for (request, local) in system.spawns() {
        look("requests", system.request_name(*request))?;
        look("requests", system.local_name(*local))?;
    }
    for (local, response) in system.replies() {
        look("responses", system.local_name(*local))?;
        look("responses", system.response_name(*response))?;
    }
    for step in system.steps() {
        look("transitions", system.local_name(step.from))?;
        look("transitions", system.local_name(step.to))?;
    }
    system.globals().try_for_each(|global| look("transitions", &system.global_name(global)))
}

/// Why there is no model: the source is wrong, or its states are too many.
#[derive(Clone, Debug)]
pub enum ModelError {
    /// The source is wrong.
    Source(SourceError),
    /// The source is fine, but its states cannot be enumerated.
    Explore(ExploreError),
}

impl Source {
    /// Reads a file; `-` is standard input. What has no room in the memory is not read.
    pub fn read(name: &str, limits: &Limits) -> Result<Source, SourceError> {
        Source::from_bytes(name, read_bytes(name, limits)?)
    }

    /// Makes a source of bytes; the name tells what it is written in, and for standard input
    /// the first character does.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Source, SourceError> {
        let text = text_of(bytes)?;
        let kind = Kind::of(name).unwrap_or_else(|| {
            let is_json = text.trim_start_matches('\u{feff}').trim_start().starts_with('{');
            if is_json { Kind::System } else { Kind::Program }
        });
        Source::from_text(name, kind, text)
    }

    /// The same, where it is known what it is written in.
    pub fn from_text(name: &str, kind: Kind, text: String) -> Result<Source, SourceError> {
        if kind != Kind::System && text.len() > ser_syntax::MAX_SOURCE_BYTES {
            return Err(too_long(text.len() as u64));
        }
        let lines = LineIndex::new(&text);
        Ok(Source { name: name.to_owned(), kind, text, lines })
    }

    /// What the source means, and what is odd about it.
    pub fn model(&self, limits: &Limits) -> Result<(Model, Vec<Diagnostic>), ModelError> {
        match self.kind {
            Kind::System => {
                // The reader does not look at limits, so it is not begun without room for it.
                let room = limits.check_room(JSON_ROOM.saturating_mul(self.text.len()));
                room.map_err(|stop| {
                    ModelError::Explore(ExploreError::TooManyStates { stop, growing: None })
                })?;
                let system = ser_model::read_json(&self.text)
                    .map_err(|e| ModelError::Source(SourceError::System(e)))?;
                no_control_characters(&system)
                    .map_err(|e| ModelError::Source(SourceError::System(e)))?;
                Ok((Model::System(Box::new(system)), Vec::new()))
            }
            Kind::Program
            | Kind::Processes
            | Kind::Unwinding
            | Kind::Protocol
            | Kind::Invariants => {
                let parse = self.program().map_err(ModelError::Source)?;
                let model = ProgramModel::new(&parse.program, &self.text, limits)
                    .map_err(ModelError::Explore)?;
                let warnings = all_warnings(parse.diagnostics, &model);
                Ok((Model::Program(Box::new(model)), warnings))
            }
        }
    }

    /// What a certificate of this scope is about.
    pub fn model_for(&self, scope: &Scope, limits: &Limits) -> Result<Model, ModelError> {
        let explored = match scope {
            Scope::Whole => return self.model(limits).map(|(model, _)| model),
            Scope::Part(labels, bound) => {
                let program = self.program().map_err(ModelError::Source)?.program;
                ProgramModel::part(&program, &self.text, labels, *bound, limits)
                    .map(|model| Model::Program(Box::new(model)))
            }
            Scope::Rules => {
                let program = self.program().map_err(ModelError::Source)?.program;
                program_rules(&program, &self.text, limits)
                    .map(|rules| Model::Rules(Box::new(rules)))
            }
        };
        explored.map_err(ModelError::Explore)
    }

    /// The program, if that is what the source is and it has no errors.
    pub fn program(&self) -> Result<Parse, SourceError> {
        let (message, help) = match self.kind {
            Kind::Program => ("", ""),
            Kind::System => (
                "this is a network system, not a program",
                "what needs global states works for it: `ser check`, `ser show --stage ns`",
            ),
            Kind::Processes => (
                "these are processes, not request handlers",
                "`ser trace` tells what they can reach",
            ),
            Kind::Unwinding => {
                ("this is an unwinding, not a program", "`ser trace` tells what it can reach")
            }
            Kind::Protocol => (
                "these are processes that send messages, not request handlers",
                "`ser sequentialize` looks at them",
            ),
            Kind::Invariants => (
                "these are threads with invariants, not request handlers",
                "`ser prove` proves the invariants",
            ),
        };
        if self.kind != Kind::Program {
            return Err(SourceError::Unreadable(message.to_owned(), Some(help.to_owned())));
        }
        let parse = ser_editing::parse(&self.text);
        if parse.has_errors() { Err(SourceError::Program(parse.diagnostics)) } else { Ok(parse) }
    }
}

/// The warnings about a program, and those that only its model can give.
pub(crate) fn all_warnings(mut warnings: Vec<Diagnostic>, model: &ProgramModel) -> Vec<Diagnostic> {
    // What is unreachable by its syntax alone has been reported already.
    for warning in model.warnings() {
        let span = warning.primary.span;
        let known = |w: &Diagnostic| {
            w.code == "unreachable-code"
                && w.primary.span.start <= span.start
                && span.end <= w.primary.span.end
        };
        if !warnings.iter().any(known) {
            warnings.push(warning);
        }
    }
    warnings.sort_by_key(|w| w.primary.span);
    warnings
}

/// What to say about a program of so many bytes.
fn too_long(bytes: u64) -> SourceError {
    let size = bytes as f64 / 1e6;
    let max = ser_syntax::MAX_SOURCE_BYTES >> 20;
    let help = "ser is made for models; leave out what does not touch shared state";
    let message = format!("the program has {size:.1} MB; the limit is {max} MiB");
    SourceError::Unreadable(message, Some(help.into()))
}

/// The bytes of a file, within reason and within the memory; `-` is standard input.
pub fn read_bytes(name: &str, limits: &Limits) -> Result<Vec<u8>, SourceError> {
    let unreadable = |message: String, help: Option<&str>| {
        SourceError::Unreadable(message, help.map(str::to_owned))
    };
    let max = MAX_JSON_BYTES.min(limits.max_bytes);
    let mut bytes = Vec::new();
    let too_large = || match max == MAX_JSON_BYTES {
        true => {
            let message = format!("the input is larger than {} MiB", max >> 20);
            unreadable(message, Some("ser is made for models; split or abstract the input"))
        }
        false => {
            let message = format!("the input is larger than the memory of {} MiB", max >> 20);
            unreadable(message, Some("raise --memory, or split or abstract the input"))
        }
    };
    if name == "-" {
        let stdin = std::io::stdin().lock();
        stdin
            .take(max as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| unreadable(format!("cannot read standard input: {e}"), None))?;
    } else {
        let path = Path::new(name);
        if path.is_dir() {
            let help = format!("name the files in it: `{}/*.ser`", name.trim_end_matches('/'));
            return Err(unreadable("this is a directory".into(), Some(&help)));
        }
        let file = std::fs::File::open(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => unreadable("there is no such file".into(), None),
            _ => unreadable(format!("cannot open the file: {e}"), None),
        })?;
        // What is known to be too large need not be read to its end.
        let size = file.metadata().ok().filter(|m| m.is_file()).map_or(0, |m| m.len());
        let is_program = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("ser"));
        if is_program && size > ser_syntax::MAX_SOURCE_BYTES as u64 {
            return Err(too_long(size));
        }
        match usize::try_from(size) {
            Ok(size) if size <= max => bytes.reserve_exact(size + 1),
            _ => return Err(too_large()),
        }
        file.take(max as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| unreadable(format!("cannot read the file: {e}"), None))?;
    }
    if bytes.len() > max {
        return Err(too_large());
    }
    Ok(bytes)
}

/// Bytes as text.
pub fn text_of(bytes: Vec<u8>) -> Result<String, SourceError> {
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let line = e.as_bytes()[..at].iter().filter(|b| **b == b'\n').count() + 1;
        SourceError::Unreadable(
            format!("this is not text: byte {} on line {line} is not valid UTF-8", at + 1),
            Some("save the file as UTF-8".into()),
        )
    })
}
