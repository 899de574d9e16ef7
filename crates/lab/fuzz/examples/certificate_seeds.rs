//! Writes certificates of every kind for the sources of the fuzz target `certificate`:
//! `cargo run -p ser-fuzz --example certificate_seeds -- fuzz/corpus/certificate`.

#![allow(clippy::print_stdout)]

use ser_base::Limits;
use ser_fuzz::readers::{SOURCES, Source};
use ser_model::{NetworkSystem, ProgramModel, program_rules, read_json};
use ser_net::Reductions;
use ser_serializability_checker::Certificate;
use ser_serializability_search::{
    LargeAnswer, LargeOptions, Methods, Options, RefuteOptions, RuleOptions, certify, certify_part,
    certify_rules, decide, decide_large,
};
use std::collections::BTreeSet;
use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

/// Larger ones are too slow to mutate.
const MAX_BYTES: usize = 9000;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("which folder?")?);
    for (source, letter) in SOURCES.iter().zip('a'..) {
        let mut written = BTreeSet::new();
        for (method, certificate) in certificates(source)? {
            let text = format!("{letter}{}", certificate.to_text());
            if text.len() <= MAX_BYTES && written.insert(text.clone()) {
                std::fs::write(folder.join(format!("seed-{letter}-{method}")), text)?;
                println!("{letter}: {method}");
            }
        }
    }
    Ok(())
}

fn limits() -> Limits {
    Limits::default().with_timeout(Duration::from_secs(20))
}

/// What the engine finds with each method alone, with and without reductions.
fn certificates(source: &Source) -> Result<Vec<(&'static str, Certificate)>, Box<dyn Error>> {
    let mut found = Vec::new();
    let text = source.text;
    let system = if text.starts_with('{') {
        read_json(text)?
    } else {
        let program = ser_syntax::parse(text).program;
        found.extend(without_states(&program, text)?);
        ProgramModel::new(&program, text, &limits())?.system().clone()
    };
    let (off, none) = (Methods::NONE, Reductions::NONE);
    let by = [
        ("run", Methods { refute: true, ..off }, Reductions::default()),
        ("atomic", Methods { atomic: true, ..off }, Reductions::default()),
        ("inclusion", Methods { inclusion: true, ..off }, Reductions::default()),
        ("inclusion-unreduced", Methods { inclusion: true, ..off }, none),
        ("arithmetic", Methods { arithmetic: true, ..off }, Reductions::default()),
        ("arithmetic-unreduced", Methods { arithmetic: true, ..off }, none),
    ];
    for (name, methods, reductions) in by {
        let options = Options { methods, reductions, ..Options::default() };
        found.extend(whole(&system, &options, text).map(|certificate| (name, certificate)));
    }
    Ok(found)
}

fn whole(system: &NetworkSystem, options: &Options, text: &str) -> Option<Certificate> {
    let (answer, _) = decide(system, options, &limits(), &|_| {});
    certify(&answer, system, "source", text.as_bytes())
}

fn without_states(
    program: &ser_syntax::core::Program,
    text: &str,
) -> Result<Option<(&'static str, Certificate)>, Box<dyn Error>> {
    let rules = program_rules(program, text, &limits())?;
    let options = LargeOptions {
        prove: Some(RuleOptions::default()),
        refute: Some(RefuteOptions { max_states: 50_000, max_requests: 4, ..Default::default() }),
    };
    let part = |labels: &BTreeSet<String>, bound, limits: &Limits| {
        ProgramModel::part(program, text, labels, bound, limits)
    };
    let bytes = text.as_bytes();
    Ok(match decide_large(&rules, &part, options, &limits(), &|_| {}) {
        LargeAnswer::Serializable(proof) => {
            Some(("rules", certify_rules(&proof, &rules, "source", bytes)))
        }
        LargeAnswer::NotSerializable(found) => {
            Some(("part", certify_part(&found, "source", bytes)))
        }
        LargeAnswer::Unknown(_) => None,
    })
}
