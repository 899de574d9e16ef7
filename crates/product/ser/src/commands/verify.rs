//! `ser verify`.

mod unreadable;

use super::streams::{err, out};
use super::watchdog::within;
use crate::cli::VerifyArgs;
use crate::process::Process;
use ser_model::{ExploreError, Limits};
use ser_serializability_checker::{Accepted, Certificate, Reason, Rejection};
use ser_session::check_certificate;
use ser_session::petri::{NetSource, model_of};
use ser_session::source::{ModelError, SourceError, read_bytes, text_of};
use ser_session::verified::Verified;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// What there is to say about a certificate.
enum Outcome {
    /// It is valid: what it establishes.
    Valid(String),
    /// It is not: where.
    Rejected(String),
    /// The limits were not enough to tell.
    Stopped(String),
    /// It, or its source, cannot be read.
    Unreadable(String),
}

pub fn run(args: VerifyArgs, process: &Process) -> io::Result<u8> {
    let limits = args.limits.start(process);
    let name = args.certificate.clone();
    let outcome = {
        let limits = limits.clone();
        within(&limits.clone(), move || verify(&args, &limits).unwrap_or_else(Outcome::Unreadable))
    };
    match outcome.unwrap_or_else(|stop| Outcome::Stopped(stop.to_string())) {
        Outcome::Valid(words) => {
            writeln!(out(), "{name}: valid: {words}")?;
            Ok(0)
        }
        Outcome::Rejected(rejection) => {
            writeln!(out(), "{name}: rejected: {rejection}")?;
            Ok(1)
        }
        Outcome::Unreadable(message) => {
            writeln!(err(), "error: {name}: {message}")?;
            Ok(2)
        }
        Outcome::Stopped(stop) => {
            writeln!(out(), "{name}: unknown: beyond the limits: {stop}")?;
            let help = "raise --timeout, --memory or --max-states";
            writeln!(err(), "help: {help}")?;
            Ok(3)
        }
    }
}

impl Outcome {
    fn of_rejection(rejection: &Rejection) -> Outcome {
        match rejection.reason {
            Reason::Stopped(_) | Reason::TooManyEntries { .. } | Reason::TooMuchWork { .. } => {
                Outcome::Stopped(rejection.to_string())
            }
            _ => Outcome::Rejected(rejection.to_string()),
        }
    }
}

/// What there is to say, or why nothing can be read.
fn verify(args: &VerifyArgs, limits: &Limits) -> Result<Outcome, String> {
    let text = read(&args.certificate)?;
    let source = |file: &String| read_bytes(file, limits).and_then(text_of).map_err(unread(file));
    if has_format(&text, ser_sequentialization_checker::FORMAT) {
        let source = args.source.as_ref().map(source).transpose()?;
        return outcome(ser_session::sequentialization::verify(&text, source.as_deref()));
    }
    if has_format(&text, ser_invariance_checker::FORMAT) {
        let source = args.source.as_ref().map(source).transpose()?;
        return outcome(ser_session::invariance::verify(&text, source.as_deref(), limits));
    }
    let certificate = ser_serializability_checker::read(&text)
        .map_err(|e| unreadable::why(&text, &e.to_string()))?;
    let file = match &args.source {
        Some(file) => file.clone(),
        None => find(&args.certificate, &certificate.source.file)?,
    };
    let text = source(&file)?;
    // A wrong source is told from the digest alone, whatever it contains.
    if ser_serializability_checker::digest(text.as_bytes()) != certificate.source.sha256 {
        return Ok(Outcome::Rejected(format!(
            "source: the certificate belongs to another source than {file} (the digests differ)"
        )));
    }
    if let Some(query) = &certificate.source.query {
        return verify_net(&certificate, &file, text, query, limits);
    }
    let source = ser_session::source::from_bytes(&file, text.into_bytes())
        .map_err(|_| format!("cannot read the source {file}; name it with --source FILE"))?;
    let bytes = source.text.as_bytes();
    let model = match ser_session::source::model_for(&source, &certificate.scope(), limits) {
        Ok(model) => model,
        Err(ModelError::Source(_)) => {
            return Err(format!("the source {file} has errors; see `ser check {file}`"));
        }
        Err(ModelError::Explore(ExploreError::TooManyStates { stop, .. })) => {
            return Ok(Outcome::Stopped(format!("the source {file}: {stop}")));
        }
        Err(ModelError::Explore(error)) => return Err(format!("the source {file}: {error}")),
    };
    Ok(match check_certificate(&certificate, bytes, &model, limits) {
        Ok(accepted) => Outcome::Valid(accepted.to_string()),
        Err(rejection) => Outcome::of_rejection(&rejection),
    })
}

/// Whether it says that it has this format. Most certificates have another: they are not read twice.
fn has_format(text: &str, format: &str) -> bool {
    text.contains(format)
        && serde_json::from_str::<serde_json::Value>(text)
            .is_ok_and(|value| value["format"].as_str() == Some(format))
}

fn unread(file: &str) -> impl Fn(SourceError) -> String {
    move |error| match error {
        SourceError::Unreadable { message, help: Some(help) } => {
            format!("the source {file}: {message}\n  help: {help}")
        }
        _ => format!("cannot read the source {file}; name it with --source FILE"),
    }
}

fn outcome(verified: Verified) -> Result<Outcome, String> {
    Ok(match verified {
        Verified::Valid(valid) => Outcome::Valid(valid.lines().join("\n  ")),
        Verified::Rejected(words) => Outcome::Rejected(words),
        Verified::Stopped(words) => Outcome::Stopped(words),
        Verified::Unreadable(words) => return Err(words),
    })
}

/// A certificate about a net and the query that it names.
fn verify_net(
    certificate: &Certificate,
    file: &str,
    text: String,
    query: &str,
    limits: &Limits,
) -> Result<Outcome, String> {
    let source = NetSource::from_text(file, text).map_err(|error| {
        let (message, place, _) = error.parts();
        format!("the source {place}: {message}")
    })?;
    let model = model_of(&source, query)?;
    Ok(match check_certificate(certificate, source.text.as_bytes(), &model, limits) {
        Ok(accepted) => {
            let verdict = match accepted {
                Accepted::NotSerializable { .. } => "reachable",
                Accepted::Serializable { .. } => "unreachable",
            };
            Outcome::Valid(format!("{query}: the target is {verdict} (as a system: {accepted})"))
        }
        Err(rejection) => Outcome::of_rejection(&rejection),
    })
}

fn read(path: &str) -> Result<String, String> {
    use std::io::Read as _;
    let max = ser_serializability_checker::MAX_TEXT_BYTES as u64;
    let mut bytes = Vec::new();
    let result = if path == "-" {
        io::stdin().lock().take(max + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|f| f.take(max + 1).read_to_end(&mut bytes))
    };
    result.map_err(|e| format!("cannot read it: {e}"))?;
    String::from_utf8(bytes).map_err(|_| "this is not text".into())
}

/// The source that a certificate names: as seen from here, or next to the certificate.
fn find(certificate: &str, named: &str) -> Result<String, String> {
    if named == "-" {
        return Err("the source was standard input; name it with --source FILE".into());
    }
    let beside = Path::new(certificate).parent().map(PathBuf::from).unwrap_or_default();
    let name_only = Path::new(named).file_name().map(PathBuf::from).unwrap_or_default();
    [PathBuf::from(named), beside.join(named), beside.join(name_only)]
        .into_iter()
        .find(|path| path.is_file())
        .map(|path| path.to_string_lossy().into_owned())
        .ok_or_else(|| format!("its source {named} is not here; name it with --source FILE"))
}
