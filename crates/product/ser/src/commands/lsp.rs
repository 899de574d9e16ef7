//! `ser lsp`: the language server on standard input and output.

use super::streams::err;
use crate::process::Process;
use ser_lsp::{Ending, Host, transport};
use std::io::Write as _;

/// Serves an editor until it leaves. Nothing but the protocol goes to standard output.
pub fn run(process: &Process) -> std::io::Result<u8> {
    let (connection, threads) = transport::stdio()?;
    let host = Host { memory: process.memory, ..Host::default() };
    let ending = ser_lsp::run(&connection, host);
    // The writer ends when nothing can send to it any more; the reader has read its last message.
    drop(connection);
    let problem = threads.join().err();
    if let Some(problem) = &problem {
        writeln!(err(), "error: {problem}")?;
        let help = "`ser lsp` speaks the Language Server Protocol with an editor; to check a file, use `ser check FILE`";
        writeln!(err(), "help: {help}")?;
    }
    Ok(u8::from(problem.is_some() || ending != Ending::Orderly))
}
