//! `ser reach`.

use super::answer::{self, Ask};
use crate::cli::ReachArgs;
use crate::process::Process;
use ser_session::petri::Nets;
use std::io;
use std::sync::Arc;

pub fn run(args: ReachArgs, process: &Process) -> io::Result<u8> {
    let options = args.options();
    let (query, query_file, property) = (args.query, args.query_file, args.property);
    let ask = Ask {
        method: Arc::new(Nets { query, query_file, property, options }),
        files: args.nets,
        args: args.answer,
        more: Vec::new(),
        verbose: false,
    };
    answer::run(&ask, process)
}
