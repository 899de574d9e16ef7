//! Genuine certificates: of the examples, and of random programs and systems, by every method.

use super::subject::Subject;
use super::weaken::roomy;
use crate::{Random, ledger, locking, options, program, shards, sliced, some_opaque, system};
use ser_base::Limits;
use ser_model::{RuleSystem, RunBound, write_json};
use ser_net::{Arguments, Effects, RuleNet, find_effects};
use ser_serializability_checker::{Certificate, Verdict};
use ser_serializability_search::{
    LargeAnswer, LargeOptions, Methods, Options, RefuteOptions, RuleOptions, certify,
    certify_no_yield, certify_part, certify_rules, decide, decide_large, decide_strictly,
};
use ser_session::check_source;
use ser_session::source::{Kind, Source};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A certificate as it was made, typed and as JSON.
#[derive(Debug)]
pub struct Genuine {
    pub cert: Certificate,
    /// Its text as a value.
    pub value: Value,
}

/// How long the engine may take for one certificate.
const ENGINE: Duration = Duration::from_millis(400);

/// The longest certificates of a campaign, in bytes: large ones cost time and show nothing new.
const MAX_BYTES: usize = 12_000;

/// A random source.
pub fn source(random: &mut Random) -> String {
    match random.below(10) {
        0..=3 => {
            let text = serde_json::to_string_pretty(&write_json(&system(random)));
            text.unwrap_or_default()
        }
        4 => roomy(&locking(random)),
        5 => ledger(random),
        6 => roomy(&sliced(random)),
        7 => roomy(&shards(random)),
        _ => roomy(&program(random)),
    }
}

/// The sources of the folder with examples, in the order of their names.
pub fn examples() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples");
    let paths = sorted_files(&folder);
    let wanted =
        |path: &&PathBuf| path.extension().is_some_and(|end| end == "ser" || end == "json");
    let texts = paths.iter().filter(wanted).filter_map(|path| std::fs::read_to_string(path).ok());
    texts.map(|text| roomy(&text)).collect()
}

/// Sources with a certificate of a rare kind, in the order of their names.
pub fn stored() -> Vec<(String, Genuine)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/certificates");
    let mut found = Vec::new();
    for path in sorted_files(&folder) {
        let sources = ["ser", "json"].map(|end| std::fs::read_to_string(path.with_extension(end)));
        let source = sources.into_iter().find_map(Result::ok);
        let cert = path.extension().is_some_and(|end| end == "cert");
        let text = std::fs::read_to_string(&path).ok().filter(|_| cert);
        if let Some((text, source)) = text.zip(source)
            && let (Ok(cert), Ok(value)) =
                (ser_serializability_checker::read(&text), serde_json::from_str(&text))
        {
            found.push((source, Genuine { cert, value }));
        }
    }
    found
}

fn sorted_files(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = files.map(|file| file.path()).collect();
    paths.sort();
    paths
}

/// Proofs on rules of a program where some random variables are opaque.
fn with_opaque_variables(subject: &Subject, random: &mut Random) -> Vec<Certificate> {
    let program = match subject.rules {
        Some(_) => ser_syntax::parse(&subject.text).program,
        None => return Vec::new(),
    };
    let limits = Limits::default().with_timeout(ENGINE);
    let proof = |rules: RuleSystem| {
        let net = RuleNet::new(&rules, &limits).ok()?;
        let effects = find_effects(&net, Arguments::ALL, &limits).ok().filter(Effects::is_proof)?;
        Some(certify_rules(&effects, &rules, "source", subject.text.as_bytes()))
    };
    (0..4).filter_map(|_| some_opaque(&program, &subject.text, random)).filter_map(proof).collect()
}

/// The certificate of a program that is decided slice by slice.
fn by_slices(subject: &Subject) -> Option<Certificate> {
    let source = Source::new("source", Kind::Program, subject.text.clone());
    let limits = Limits::default().with_timeout(ENGINE);
    let decision = check_source(source, &Options::default(), &limits, &|_| {});
    let certificate = decision.verdict.certificate().cloned()?;
    (!decision.slices.is_empty() || certificate.slice().is_some()).then_some(certificate)
}

/// The certificates that the engine finds for a subject, by several methods, all of them accepted.
pub fn certificates(subject: &Subject, random: &mut Random) -> Vec<Genuine> {
    let only =
        |inclusion| Methods { refute: false, atomic: false, inclusion, arithmetic: !inclusion };
    let mut choices = vec![Options::default()];
    if !subject.is_broken() {
        choices.push(Options { methods: only(true), ..Options::default() });
        choices.push(Options { methods: only(false), ..Options::default() });
        let some = options(random);
        let methods = only(random.chance(40));
        choices.push(Options { methods, ..some });
    }
    let source = subject.text.as_bytes();
    let mut found: Vec<Certificate> = Vec::new();
    for choice in choices {
        let limits = Limits::default().with_timeout(ENGINE);
        let (answer, _) = decide(&subject.whole, &choice, &limits, &|_| {});
        found.extend(certify(&answer, &subject.whole, "source", source));
    }
    // The same question about real-time order.
    let limits = Limits::default().with_timeout(ENGINE);
    let (answer, _) = decide_strictly(&subject.whole, &Options::default(), &limits, &|_| {});
    found.extend(certify(&answer, &subject.whole, "source", source));
    // What is not serializable is not strictly so, either.
    if let Some(mut cert) = found.first().cloned()
        && let Verdict::NotSerializable(run) = &mut cert.verdict
    {
        run.strict = true;
        found.push(cert);
    }
    found.extend(with_opaque_variables(subject, random));
    if let Some(rules) = &subject.rules {
        found.push(certify_no_yield("source", source));
        found.extend(by_slices(subject));
        // The same runs, along which alone the program is explored.
        for mut cert in found.clone() {
            if let Verdict::NotSerializable(run) = &mut cert.verdict {
                run.along = true;
                found.push(cert);
            }
        }
        let prove = RuleOptions::default();
        let refute = RefuteOptions { max_states: 20_000, max_requests: 3, ..Default::default() };
        let large = LargeOptions { prove: Some(prove), refute: Some(refute) };
        let part = |labels: &BTreeSet<String>, bound: RunBound, limits: &Limits| {
            subject.part(labels, bound, limits)
        };
        let limits = Limits::default().with_timeout(ENGINE);
        match decide_large(rules, &part, large, &limits, &|_| {}) {
            LargeAnswer::Serializable(proof) => {
                found.push(certify_rules(&proof, rules, "source", source));
            }
            LargeAnswer::NotSerializable(refuted) => {
                let mut cert = certify_part(&refuted, "source", source);
                found.push(cert.clone());
                // The same run, in a part with few preemptions.
                if let Verdict::NotSerializable(run) = &mut cert.verdict
                    && let Some(part) = &mut run.part
                {
                    part.preemptions = Some(random.between(1, 3) as u32);
                    found.push(cert);
                }
            }
            LargeAnswer::Unknown(_) => {}
        }
    }
    let mut genuine: Vec<Genuine> = Vec::new();
    for cert in found {
        let text = cert.to_text();
        let known = genuine.iter().any(|g| g.cert == cert);
        if known || text.len() > MAX_BYTES || !matches!(subject.present(&cert), Some(Ok(_))) {
            continue;
        }
        if let Ok(value) = serde_json::from_str(&text) {
            genuine.push(Genuine { cert, value });
        }
    }
    genuine
}
