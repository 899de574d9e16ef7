//! `ser check` and `ser explain`.

use super::answer::{self, Ask, Files, Once};
use crate::cli::CheckArgs;
use crate::process::Process;
use ser_serializability_search::Options;
use ser_session::method::Everything;
use ser_session::serializability::{SMTLIB, START_PROOF, Serializability};
use std::io;
use std::sync::Arc;

pub fn run(args: CheckArgs, process: &Process) -> io::Result<u8> {
    let method = Serializability {
        engine: Options { strict: args.strict, ..args.engine.options() },
        smtlib: args.smtlib.is_some(),
        start_proof: args.start_proof.is_some(),
    };
    let start_proof = Files::new(START_PROOF, &args.start_proof, "ser");
    let ask = Ask {
        method: Arc::new(Everything(method)),
        files: args.files,
        args: args.answer,
        more: vec![
            Files::new(SMTLIB, &args.smtlib, "smt2"),
            Files { once: Once::Keep, ..start_proof },
        ],
        verbose: args.explain,
    };
    answer::run(&ask, process)
}
