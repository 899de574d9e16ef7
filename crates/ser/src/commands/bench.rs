//! `ser bench`.

mod generate;

use crate::cli::{BenchArgs, BenchCommand};
use std::io;

pub fn run(args: &BenchArgs) -> io::Result<u8> {
    match &args.command {
        Some(BenchCommand::Families) => generate::list(),
        Some(BenchCommand::Generate(args)) => generate::run(args),
        None => Ok(2),
    }
}
