//! Reading sources: from a file to a text, and from a text to its meaning.

pub mod used;

use ser_base::{FILE_MARK, Limits};
use ser_model::{
    ExploreError, JsonError, NetworkSystem, ProgramModel, RuleSystem, SystemBuilder, opaque_rules,
};
pub use ser_report::{Kind, Source, SourceError};
use ser_serializability_checker::Scope;
use ser_syntax::core::Program;
use ser_syntax::{Diagnostic, Parse, Span};
use std::io::Read as _;
use std::path::Path;

/// A JSON system larger than this is refused.
const MAX_JSON_BYTES: usize = 256 << 20;

/// A source together with its meaning.
#[derive(Clone, Debug)]
pub enum Model {
    Program(Box<ProgramModel>),
    /// A network system that was written by hand.
    System(Box<NetworkSystem>),
    /// The rules of a program with too many global states to list.
    Rules(Box<RuleSystem>),
    /// A program whose states do not matter, with a network system that has none of them.
    Text(Box<Program>, Box<NetworkSystem>),
}

impl Model {
    /// The network system; of rules, the system without its steps; of a text, an empty one.
    pub fn system(&self) -> &NetworkSystem {
        match self {
            Model::Program(model) => model.system(),
            Model::System(system) => system,
            Model::Rules(rules) => rules.frame(),
            Model::Text(_, empty) => empty,
        }
    }

    /// A program whose states do not matter.
    pub fn text(program: Program) -> Model {
        let empty = SystemBuilder::new(Vec::new(), &[]).finish();
        Model::Text(Box::new(program), Box::new(empty))
    }
}

/// How many bytes of memory one byte of JSON takes while it is read, at most, by measurement.
const JSON_ROOM: usize = 10;

/// Names are printed in the middle of sentences and tables: one with line ends or escape sequences
/// could paint another verdict.
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
    Source(SourceError),
    Explore(ExploreError),
}

impl From<JsonError> for ModelError {
    fn from(JsonError { path, message, help }: JsonError) -> ModelError {
        ModelError::Source(SourceError::At { path, message, help })
    }
}

/// Reads a file; `-` is standard input. What has no room in the memory is not read.
pub fn read(name: &str, limits: &Limits) -> Result<Source, SourceError> {
    from_named_text(name, read_text(name, limits)?)
}

/// The text of a file, with everything that it uses if it is a program.
pub fn read_text(name: &str, limits: &Limits) -> Result<String, SourceError> {
    let text = text_of(read_bytes(name, limits)?)?;
    match Kind::of(name) {
        Some(Kind::Program) => {}
        None if !is_json(&text) => {}
        _ => return Ok(text),
    }
    if text.len() > ser_syntax::MAX_SOURCE_BYTES {
        return Err(too_long(text.len() as u64));
    }
    if text.contains(FILE_MARK) {
        let message = format!("this cannot be read: {}", used::MARKED);
        return Err(SourceError::unreadable(message, "leave it out"));
    }
    Ok(used::with_used_files(name, text, &used::from_disk))
}

fn is_json(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('{')
}

/// Makes a source of bytes; the name says what it is written in, and for standard input the first
/// character does.
pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Source, SourceError> {
    from_named_text(name, text_of(bytes)?)
}

fn from_named_text(name: &str, text: String) -> Result<Source, SourceError> {
    let kind = if is_json(&text) { Kind::System } else { Kind::Program };
    from_text(name, Kind::of(name).unwrap_or(kind), text)
}

/// The same, where it is known what it is written in.
pub fn from_text(name: &str, kind: Kind, text: String) -> Result<Source, SourceError> {
    let is_ours = !matches!(kind, Kind::System | Kind::Net);
    if is_ours && text.len() > ser_syntax::MAX_SOURCE_BYTES {
        return Err(too_long(text.len() as u64));
    }
    Ok(Source::new(name, kind, text))
}

/// What a program or a system means, and what is odd about it.
pub fn model(source: &Source, limits: &Limits) -> Result<(Model, Vec<Diagnostic>), ModelError> {
    if source.kind == Kind::System {
        // The reader does not check limits, so it is not started without room for it.
        let room = limits.check_room(JSON_ROOM.saturating_mul(source.text.len()));
        room.map_err(|stop| {
            ModelError::Explore(ExploreError::TooManyStates { stop, growing: None })
        })?;
        let mut odd = Vec::new();
        let system = ser_model::read_json_leniently(&source.text, &mut odd)?;
        no_control_characters(&system)?;
        let warning = |it: JsonError| {
            let message = format!("{}: {}", it.path, it.message);
            let warning = Diagnostic::warning("odd-system", message, Span::default());
            it.help.into_iter().fold(warning, Diagnostic::with_help)
        };
        let warnings = odd.into_iter().map(warning).collect();
        return Ok((Model::System(Box::new(system)), warnings));
    }
    let parse = program(source).map_err(ModelError::Source)?;
    let model =
        ProgramModel::new(&parse.program, &source.text, limits).map_err(ModelError::Explore)?;
    let warnings = all_warnings(parse.diagnostics, &model, &source.text);
    Ok((Model::Program(Box::new(model)), warnings))
}

/// What a certificate of this scope is about.
pub fn model_for(source: &Source, scope: &Scope, limits: &Limits) -> Result<Model, ModelError> {
    let whole = || program(source).map_err(ModelError::Source).map(|parse| parse.program);
    let explored = match scope {
        Scope::Whole => return model(source, limits).map(|(model, _)| model),
        Scope::Part(labels, bound) => {
            ProgramModel::part(&whole()?, &source.text, labels, *bound, limits)
                .map(|model| Model::Program(Box::new(model)))
        }
        Scope::Along(outline) => ProgramModel::along(&whole()?, &source.text, outline, limits)
            .map(|(model, _)| Model::Program(Box::new(model))),
        Scope::Rules(opaque) => opaque_rules(&whole()?, &source.text, opaque, limits)
            .map(|rules| Model::Rules(Box::new(rules))),
        Scope::Text => Ok(Model::text(whole()?)),
    };
    explored.map_err(ModelError::Explore)
}

/// The program, if that is what the source is and it has no errors.
pub fn program(source: &Source) -> Result<Parse, SourceError> {
    match source.kind {
        Kind::Program => {}
        Kind::System => {
            return Err(SourceError::unreadable(
                "this is a network system, not a program",
                "what needs global states works for it: `ser check`, `ser show --stage ns`",
            ));
        }
        other => return Err(other.not_read_here()),
    }
    let parse = ser_editing::parse(&source.text);
    if parse.has_errors() { Err(SourceError::Diagnostics(parse.diagnostics)) } else { Ok(parse) }
}

/// The warnings about a program, and those that only its model can give.
pub(crate) fn all_warnings(
    mut warnings: Vec<Diagnostic>,
    model: &ProgramModel,
    text: &str,
) -> Vec<Diagnostic> {
    // What is unreachable by its syntax alone has been reported already.
    for warning in model.warnings(text) {
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
    SourceError::unreadable(
        format!("the program has {size:.1} MB; the limit is {max} MiB"),
        "ser is made for models; leave out what does not touch shared state",
    )
}

/// The bytes of a file, within reason and within the memory; `-` is standard input.
pub fn read_bytes(name: &str, limits: &Limits) -> Result<Vec<u8>, SourceError> {
    let unreadable = |message: String| SourceError::Unreadable { message, help: None };
    let max = MAX_JSON_BYTES.min(limits.max_bytes);
    let mut bytes = Vec::new();
    let too_large = || match max == MAX_JSON_BYTES {
        true => SourceError::unreadable(
            format!("the input is larger than {} MiB", max >> 20),
            "ser is made for models; split or abstract the input",
        ),
        false => SourceError::unreadable(
            format!("the input is larger than the memory of {} MiB", max >> 20),
            "raise --memory, or split or abstract the input",
        ),
    };
    if name == "-" {
        let stdin = std::io::stdin().lock();
        stdin
            .take(max as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| unreadable(format!("cannot read standard input: {e}")))?;
    } else {
        let path = Path::new(name);
        if path.is_dir() {
            return Err(SourceError::unreadable("this is a directory", "name files in it"));
        }
        let file = std::fs::File::open(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => unreadable("there is no such file".into()),
            _ => unreadable(format!("cannot open the file: {e}")),
        })?;
        // What is known to be too large need not be read to its end.
        let size = file.metadata().ok().filter(|m| m.is_file()).map_or(0, |m| m.len());
        if Kind::of(name) == Some(Kind::Program) && size > ser_syntax::MAX_SOURCE_BYTES as u64 {
            return Err(too_long(size));
        }
        match usize::try_from(size) {
            Ok(size) if size <= max => bytes.reserve_exact(size + 1),
            _ => return Err(too_large()),
        }
        file.take(max as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| unreadable(format!("cannot read the file: {e}")))?;
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
        SourceError::unreadable(
            format!("this is not text: byte {} on line {line} is not valid UTF-8", at + 1),
            "save the file as UTF-8",
        )
    })
}
