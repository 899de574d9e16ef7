//! `ser verify`.

use super::streams::{err, out};
use super::watchdog::within;
use crate::cli::VerifyArgs;
use crate::process::Process;
use ser_base::Limits;
use ser_report::{Kind, SourceError};
use ser_session::certificate::{MAX_BYTES, open};
use ser_session::source::{from_text, read_text};
use ser_session::verified::Verified;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

pub fn run(args: VerifyArgs, process: &Process) -> io::Result<u8> {
    let limits = args.limits.start(process);
    let name = args.certificate.clone();
    let verified = {
        let limits = limits.clone();
        within(&limits.clone(), move || verify(&args, &limits).unwrap_or_else(Verified::Unreadable))
    };
    match verified.unwrap_or_else(|stop| Verified::Stopped(stop.to_string())) {
        Verified::Valid(valid) => {
            writeln!(out(), "{name}: valid: {}", valid.lines().join("\n  "))?;
            Ok(0)
        }
        Verified::Rejected(rejection) => {
            writeln!(out(), "{name}: rejected: {rejection}")?;
            Ok(1)
        }
        Verified::Unreadable(message) => {
            writeln!(err(), "error: {name}: {message}")?;
            Ok(2)
        }
        Verified::Stopped(stop) => {
            writeln!(out(), "{name}: unknown: beyond the limits: {stop}")?;
            writeln!(err(), "help: raise --timeout, --memory or --max-states")?;
            Ok(3)
        }
    }
}

/// What there is to say, or why nothing can be read.
fn verify(args: &VerifyArgs, limits: &Limits) -> Result<Verified, String> {
    let text = read(&args.certificate, limits)?;
    let opened = open(&text)?;
    let file = match &args.source {
        Some(file) => file.clone(),
        None => find(&args.certificate, &opened.source.file)?,
    };
    let unreadable = |error| match error {
        SourceError::Unreadable { message, help: Some(help) } => {
            format!("the source {file}: {message}\n  help: {help}")
        }
        _ => format!("cannot read the source {file}; name it with --source FILE"),
    };
    let text = read_text(&file, limits).map_err(unreadable)?;
    // A file may have been renamed since: its old name also says what it is written in.
    let kind = Kind::of(&opened.source.file).or_else(|| Kind::of(&file));
    let kind = kind.unwrap_or(if text.trim_start().starts_with('{') {
        Kind::System
    } else {
        Kind::Program
    });
    let source = from_text(&file, kind, text).map_err(unreadable)?;
    Ok(opened.verify(&source, limits))
}

fn read(path: &str, limits: &Limits) -> Result<String, String> {
    let max = MAX_BYTES.min(limits.max_bytes);
    let mut bytes = Vec::new();
    let result = match path {
        "-" => io::stdin().lock().take(max as u64 + 1).read_to_end(&mut bytes),
        _ => std::fs::File::open(path).and_then(|f| f.take(max as u64 + 1).read_to_end(&mut bytes)),
    };
    result.map_err(|e| format!("cannot read it: {e}"))?;
    if bytes.len() > max {
        return Err(format!(
            "it is larger than {} MiB\n  help: raise --memory, or make a smaller one",
            max >> 20
        ));
    }
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
