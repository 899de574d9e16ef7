//! `ser trace`.

use super::answer::{self, Ask, Files};
use super::streams::err;
use crate::cli::TraceArgs;
use crate::process::Process;
use ser_session::reachability::{Exports, PictureFormat, Reachability};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

pub fn run(args: TraceArgs, process: &Process) -> io::Result<u8> {
    let ask = match ask(args) {
        Ok(ask) => ask,
        Err(message) => {
            writeln!(err(), "error: {message}")?;
            return Ok(2);
        }
    };
    answer::run(&ask, process)
}

fn ask(args: TraceArgs) -> Result<Ask, String> {
    let several = args.files.len() > 1;
    let picture = args.picture.as_deref().map(|path| format(path, several)).transpose()?;
    let exports = Exports { picture, formula: args.dimacs.is_some(), proof: args.proof.is_some() };
    let method = Reachability { question: args.question()?, exports };
    let extension = if picture == Some(PictureFormat::Dot) { "dot" } else { "svg" };
    Ok(Ask {
        method: Arc::new(method),
        more: vec![
            Files::new("--picture", &args.picture, extension),
            Files::new("--dimacs", &args.dimacs, "cnf"),
            Files::new("--proof", &args.proof, "drat"),
        ],
        files: args.files,
        args: args.answer,
        verbose: false,
    })
}

/// What a picture is to be, by its name.
fn format(path: &str, several: bool) -> Result<PictureFormat, String> {
    let extension = Path::new(path).extension().and_then(|e| e.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "svg" => Ok(PictureFormat::Svg),
        "dot" | "gv" => Ok(PictureFormat::Dot),
        // A folder.
        _ if several || extension.is_empty() || Path::new(path).is_dir() => Ok(PictureFormat::Svg),
        _ => Err(format!(
            "--picture {path}: the name does not say which kind of picture\n  \
             help: use one that ends in .svg or .dot"
        )),
    }
}
