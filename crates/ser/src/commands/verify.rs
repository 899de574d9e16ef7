//! `ser verify`.

use crate::check::check_certificate;
use crate::cli::VerifyArgs;
use crate::net_source::NetSource;
use crate::reach::model_of;
use crate::source::{ModelError, Source, read_bytes, text_of};
use ser_cert::{Accepted, Certificate};
use ser_model::Limits;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

pub fn run(args: &VerifyArgs) -> io::Result<u8> {
    match verify(args) {
        Ok(Ok(words)) => {
            writeln!(anstream::stdout(), "{}: valid: {words}", args.certificate)?;
            Ok(0)
        }
        Ok(Err(rejection)) => {
            writeln!(anstream::stdout(), "{}: rejected: {rejection}", args.certificate)?;
            Ok(1)
        }
        Err(message) => {
            writeln!(anstream::stderr(), "error: {}: {message}", args.certificate)?;
            Ok(2)
        }
    }
}

/// Valid or rejected, in words; or why that cannot be told.
fn verify(args: &VerifyArgs) -> Result<Result<String, String>, String> {
    let text = read(&args.certificate)?;
    let certificate = ser_cert::read(&text).map_err(|e| e.to_string())?;
    let file = match &args.source {
        Some(file) => file.clone(),
        None => find(&args.certificate, &certificate.source.file)?,
    };
    let text = read_bytes(&file)
        .and_then(text_of)
        .map_err(|_| format!("cannot read the source {file}; name it with --source FILE"))?;
    // A wrong source is told from the digest alone, whatever it contains.
    if ser_cert::digest(text.as_bytes()) != certificate.source.sha256 {
        return Ok(Err(format!(
            "source: the certificate belongs to another source than {file} (the digests differ)"
        )));
    }
    let limits = args.limits.start();
    if let Some(query) = &certificate.source.query {
        return verify_net(&certificate, &file, text, query, &limits);
    }
    let source = Source::from_bytes(&file, text.into_bytes())
        .map_err(|_| format!("cannot read the source {file}; name it with --source FILE"))?;
    let bytes = source.text.as_bytes();
    let model = source.model_for(&certificate.scope(), &limits).map_err(|e| match e {
        ModelError::Source(_) => format!("the source {file} has errors; see `ser check {file}`"),
        ModelError::Explore(error) => format!("the source {file}: {error}"),
    })?;
    match check_certificate(&certificate, bytes, &model, &limits) {
        Ok(accepted) => Ok(Ok(accepted.to_string())),
        Err(rejection) => Ok(Err(rejection.to_string())),
    }
}

/// A certificate about a net and the query that it names.
fn verify_net(
    certificate: &Certificate,
    file: &str,
    text: String,
    query: &str,
    limits: &Limits,
) -> Result<Result<String, String>, String> {
    let source = NetSource::from_text(file, text).map_err(|error| {
        let (message, place, _) = error.parts();
        format!("the source {place}: {message}")
    })?;
    let model = model_of(&source, query)?;
    match check_certificate(certificate, source.text.as_bytes(), &model, limits) {
        Ok(accepted) => {
            let verdict = match accepted {
                Accepted::NotSerializable { .. } => "reachable",
                Accepted::Serializable { .. } => "unreachable",
            };
            Ok(Ok(format!("{query}: the target is {verdict} (as a system: {accepted})")))
        }
        Err(rejection) => Ok(Err(rejection.to_string())),
    }
}

fn read(path: &str) -> Result<String, String> {
    use std::io::Read as _;
    let max = ser_cert::MAX_TEXT_BYTES as u64;
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
