//! `ser bench`.

mod ablation;
mod bar;
mod events;
mod generate;
mod output;
mod peak;
mod prove;
mod scaling;
mod sequentialize;
mod sizes;
mod suite;

use super::streams::err;
use crate::cli::{BenchArgs, BenchCommand};
use crate::process::Process;
use ser_bench::suite::SuiteError;
use ser_bench::tool::ToolError;
use std::io::{self, Write as _};

/// Why a measurement cannot begin or end.
#[derive(Debug)]
enum BenchError {
    /// What the user asked for makes no sense: a message, and perhaps help.
    Usage(String, Option<String>),
    /// The report cannot be printed.
    Output(io::Error),
}

impl From<io::Error> for BenchError {
    fn from(error: io::Error) -> BenchError {
        BenchError::Output(error)
    }
}

impl From<SuiteError> for BenchError {
    fn from(error: SuiteError) -> BenchError {
        let help = match &error {
            SuiteError::Empty(_) => Some("name files, or folders that contain some".into()),
            SuiteError::NoColumn { .. } => {
                Some("the first line names the columns: file,serializable".into())
            }
            SuiteError::Unreadable { .. } | SuiteError::BadRow { .. } => None,
        };
        BenchError::Usage(error.to_string(), help)
    }
}

impl From<ToolError> for BenchError {
    fn from(error: ToolError) -> BenchError {
        let help = matches!(error, ToolError::NoFile(_))
            .then(|| "for example: --against 'tool --quiet {file}'".into());
        BenchError::Usage(error.to_string(), help)
    }
}

pub fn run(args: &BenchArgs, process: &Process) -> io::Result<u8> {
    let result = match &args.command {
        None => suite::run(args, process),
        Some(BenchCommand::Families) => return generate::list(),
        Some(BenchCommand::Generate(args)) => return generate::run(args),
        Some(BenchCommand::Scaling(args)) => scaling::run(args, process),
        Some(BenchCommand::Ablation(args)) => ablation::run(args, process),
        Some(BenchCommand::Events(args)) => events::run(args, process),
        Some(BenchCommand::Sequentialize(args)) => sequentialize::run(args, process),
        Some(BenchCommand::Prove(args)) => prove::run(args, process),
    };
    match result {
        Ok(code) => Ok(code),
        Err(BenchError::Output(error)) => Err(error),
        Err(BenchError::Usage(message, help)) => {
            let mut err = err();
            writeln!(err, "error: {message}")?;
            if let Some(help) = help {
                writeln!(err, "help: {help}")?;
            }
            Ok(2)
        }
    }
}
