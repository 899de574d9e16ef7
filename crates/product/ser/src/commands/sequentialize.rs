//! `ser sequentialize`.

use super::answer::{self, Ask, Files};
use super::streams::err;
use crate::cli::SequentializeArgs;
use crate::process::Process;
use ser_session::sequentialization::Sequentialization;
use std::io::{self, Write as _};
use std::sync::Arc;

pub fn run(args: SequentializeArgs, process: &Process) -> io::Result<u8> {
    let sizes = match args.sizes() {
        Ok(sizes) => sizes,
        Err(message) => {
            writeln!(err(), "error: {message}")?;
            return Ok(2);
        }
    };
    let promela = args.promela.is_some();
    let ask = Ask {
        method: Arc::new(Sequentialization { sizes, raw: args.raw, promela }),
        more: vec![Files::new("--promela", &args.promela, "pml")],
        files: args.files,
        args: args.answer,
        verbose: args.raw,
    };
    answer::run(&ask, process)
}
