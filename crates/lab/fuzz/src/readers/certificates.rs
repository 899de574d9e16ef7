//! Certificates of all methods: their readers, and their checkers.
//!
//! Each is checked against the source that the first byte chooses.
//!
//! - What is written of a certificate reads as the same certificate.
//! - None is accepted with a claim that is not true of its source. The source, or its digest, is
//!   put into the certificate, so that only the argument counts.

use super::sources::{
    INVARIANT_SOURCES, PROTOCOL_SOURCES, SOURCES, Source, Understood, chosen, understood,
};
use super::text;
use ser_base::{Limits, sha256_hex};
use ser_invariance_checker as invariance;
use ser_model::{ProgramModel, opaque_rules};
use ser_sequentialization_checker as sequentialization;
use ser_serializability_checker::{
    self as serializability, Accepted, Certificate, Rejection, Scope, check, check_rules,
    check_text,
};
use serde_json::json;
use std::fmt::{Debug, Display};
use std::time::Duration;

/// The longest runs of a part of a program that are looked at.
const MAX_REQUESTS: u32 = 4;

fn limits() -> Limits {
    let limits = Limits { max_states: 2000, max_bytes: 256 << 20, ..Limits::default() };
    limits.with_timeout(Duration::from_secs(1))
}

/// Which of so many sources the first byte chooses, the certificate after it, and what is written
/// of it.
fn reread<C: PartialEq + Debug, E: Display>(
    data: &[u8],
    sources: usize,
    read: impl Fn(&str) -> Result<C, E>,
    write: impl Fn(&C) -> String,
) -> Option<(usize, C, String)> {
    let (first, rest) = data.split_first()?;
    let certificate = read(text(rest)?).ok()?;
    let written = write(&certificate);
    let again = read(&written).unwrap_or_else(|e| panic!("{e}\n{written}"));
    assert_eq!(again, certificate);
    Some((chosen(sources, *first), certificate, written))
}

/// What was accepted, if anything was.
pub(super) fn accepted<V>(checked: Result<V, impl Display>) -> Option<V> {
    checked
        .map_err(|rejection| {
            assert!(!rejection.to_string().is_empty(), "a rejection without words");
        })
        .ok()
}

/// A certificate about a program or a network system.
pub fn certificate(data: &[u8]) {
    let reread = reread(data, SOURCES.len(), serializability::read, Certificate::to_text);
    let Some((at, mut certificate, written)) = reread else { return };
    let source = &SOURCES[at];
    certificate.source.sha256 = sha256_hex(source.text.as_bytes());
    let claim = matches!(certificate.verdict, serializability::Verdict::Serializable(_));
    if let Some(accepted) = verify(&certificate, source, understood(at)).and_then(accepted) {
        assert_eq!(claim, source.serializable, "{accepted}: {}\n{written}", source.text);
    }
}

/// What the checker says; nothing if there is nothing of that scope to check against.
fn verify(
    certificate: &Certificate,
    source: &Source,
    Understood { system, program }: &Understood,
) -> Option<Result<Accepted, Rejection>> {
    let (limits, bytes) = (limits(), source.text.as_bytes());
    match certificate.scope() {
        Scope::Whole => Some(check(certificate, bytes, system, &limits)),
        Scope::Rules(opaque) => {
            let program = &program.as_ref()?.0;
            let rules = opaque_rules(program, source.text, &opaque, &limits).ok()?;
            Some(check_rules(certificate, bytes, &rules, &limits))
        }
        Scope::Text => Some(check_text(certificate, bytes, &program.as_ref()?.0, &limits)),
        Scope::Part(_, bound) if bound.requests > MAX_REQUESTS => None,
        Scope::Along(outline) => {
            let (program, _) = program.as_ref()?;
            let (part, _) = ProgramModel::along(program, source.text, &outline, &limits).ok()?;
            Some(check(certificate, bytes, part.system(), &limits))
        }
        Scope::Part(labels, bound) => {
            let (program, _) = program.as_ref()?;
            let part = ProgramModel::part(program, source.text, &labels, bound, &limits).ok()?;
            Some(check(certificate, bytes, part.system(), &limits))
        }
    }
}

/// A certificate about a protocol.
pub fn derivation(data: &[u8]) {
    use sequentialization::run::Shows;
    use sequentialization::{Verdict, check, read};
    let reread = reread(data, PROTOCOL_SOURCES.len(), read, |it| json!(it).to_string());
    let Some((at, mut certificate, written)) = reread else { return };
    let source = &PROTOCOL_SOURCES[at];
    source.text.clone_into(&mut certificate.source);
    let about = || format!("{}\n{written}", source.text);
    match accepted(check(&certificate, &Limits::default())) {
        Some(Verdict::Sequentialized { unproved, .. }) => {
            assert!(!source.waits, "nobody waits: {}", about());
            assert!(!source.superfluous, "all is received: {}", about());
            let claimed = |it: &u32| !unproved.iter().any(|open| open.0 == *it);
            assert!(!source.fails.iter().any(claimed), "nothing fails: {}", about());
        }
        Some(Verdict::Refuted { shows }) => {
            let (what, wrong) = match shows {
                Shows::Deadlock(_) => ("waits", source.waits),
                Shows::Failure(_) => ("fails", !source.fails.is_empty()),
                Shows::Orphan { .. } => ("is not received", source.superfluous),
            };
            assert!(wrong, "something {what}: {}", about());
        }
        None => {}
    }
}

/// A certificate about invariants.
pub fn invariance(data: &[u8]) {
    use invariance::run::Shows;
    use invariance::{Verdict, check, read};
    let reread = reread(data, INVARIANT_SOURCES.len(), read, |it| json!(it).to_string());
    let Some((at, mut certificate, written)) = reread else { return };
    let source = &INVARIANT_SOURCES[at];
    source.text.clone_into(&mut certificate.source);
    let holds = |name: &String| source.hold.contains(&name.as_str());
    let about = || format!("{}\n{written}", source.text);
    match accepted(check(&certificate, &limits())) {
        Some(Verdict::Proved { invariants, safe, .. }) => {
            assert!(invariants.iter().all(holds), "{invariants:?} are proved: {}", about());
            assert!(!safe || source.safe, "no step is an error: {}", about());
        }
        Some(Verdict::Refuted { shows: Shows::Violated { invariant, .. }, .. }) => {
            assert!(!holds(&invariant), "{invariant} is violated: {}", about());
        }
        Some(Verdict::Covered { invariants, safe, .. }) => {
            assert!(invariants.iter().all(holds), "{invariants:?} are proved: {}", about());
            assert!(!safe || source.safe, "no step is an error: {}", about());
        }
        Some(Verdict::Finishing { .. } | Verdict::Refuted { shows: Shows::Waits { .. }, .. }) => {}
        Some(Verdict::Refuted { shows: Shows::Error, .. }) => {
            assert!(!source.safe, "a step is an error: {}", about());
        }
        None => {}
    }
}
