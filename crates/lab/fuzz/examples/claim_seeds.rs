//! Writes certificates for the sources of the fuzz targets `invariance` and `derivation`:
//! `cargo run -p ser-fuzz --example claim_seeds -- fuzz/corpus`.

#![allow(clippy::print_stdout)]

use ser_base::Limits;
use ser_fuzz::readers::{INVARIANT_SOURCES, PROTOCOL_SOURCES};
use ser_invariance_search::answer::{Effort, answer};
use ser_invariance_search::prove::Options;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Larger ones are too slow to mutate.
const MAX_BYTES: usize = 9000;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("which folder?")?);
    for (source, letter) in INVARIANT_SOURCES.iter().zip('a'..) {
        let system = ser_syntax::inv::parse(source.text).system;
        let limits = Limits::default().with_timeout(Duration::from_secs(60));
        let found = answer(source.text, &system, &Options::default(), &Effort::default(), &limits);
        for (kind, certificate) in [("answer", found.certificate), ("besides", found.besides)] {
            let Some(mut certificate) = certificate else { continue };
            // The reader puts the source there.
            certificate.source.clear();
            let text = serde_json::to_string(&certificate)?;
            write(&folder.join("invariance"), letter, kind, &text)?;
        }
    }
    for (source, letter) in PROTOCOL_SOURCES.iter().zip('a'..) {
        let protocol = ser_syntax::icet::parse(source.text).protocol;
        let options = ser_sequentialization_search::Options::default();
        let limits = ser_base::Limits::default();
        let found =
            ser_sequentialization_search::sequentialize(source.text, &protocol, &options, &limits);
        if let Some(mut certificate) = found.certificate {
            certificate.source.clear();
            let text = serde_json::to_string(&certificate)?;
            write(&folder.join("derivation"), letter, "answer", &text)?;
        }
    }
    Ok(())
}

fn write(folder: &Path, letter: char, kind: &str, text: &str) -> Result<(), Box<dyn Error>> {
    let left_out = if text.len() > MAX_BYTES { ", left out" } else { "" };
    println!("{letter}: {kind}, {} bytes{left_out}", text.len());
    if text.len() <= MAX_BYTES {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join(format!("seed-{letter}-{kind}")), format!("{letter}{text}"))?;
    }
    Ok(())
}
