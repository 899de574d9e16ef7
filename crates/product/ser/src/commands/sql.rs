//! `ser sql`.

use super::answer::{self, Ask};
use crate::cli::SqlArgs;
use crate::process::Process;
use std::io;
use std::sync::Arc;

pub fn run(args: SqlArgs, process: &Process) -> io::Result<u8> {
    let method = Arc::new(args.method());
    let ask =
        Ask { method, files: args.files, args: args.answer, more: Vec::new(), verbose: false };
    answer::run(&ask, process)
}
