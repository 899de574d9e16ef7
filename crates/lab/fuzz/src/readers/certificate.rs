//! Certificates: their reader, and the checker.

use super::sources::{Source, Understood, understood};
use super::text;
use ser_base::Limits;
use ser_model::ProgramModel;
use ser_serializability_checker::{
    Accepted, Certificate, Rejection, Scope, Verdict, check, check_rules, read,
};
use std::time::Duration;

/// The longest runs of a part of a program that are looked at.
const MAX_REQUESTS: u32 = 4;

/// Reads a certificate, and checks it against the source that the first byte chooses.
///
/// - What is written of a certificate reads as the same certificate.
/// - None is accepted with a verdict that is not true of its source. The digest is made to fit, so
///   that only the argument counts.
pub fn certificate(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let Some(text) = text(rest) else { return };
    let Ok(mut certificate) = read(text) else { return };
    let written = certificate.to_text();
    let again = read(&written).unwrap_or_else(|e| panic!("{e}\n{written}"));
    assert_eq!(again, certificate);
    let source = Source::chosen_by(*first);
    certificate.source.sha256 = ser_serializability_checker::digest(source.text.as_bytes());
    let claim = matches!(certificate.verdict, Verdict::Serializable(_));
    match verify(&certificate, source) {
        Some(Ok(accepted)) => {
            assert_eq!(claim, source.serializable, "{accepted}: {}\n{written}", source.text);
        }
        Some(Err(rejection)) => {
            assert!(!rejection.to_string().is_empty(), "a rejection without words");
        }
        None => {}
    }
}

/// What the checker says; nothing if there is nothing of that scope to check against.
fn verify(certificate: &Certificate, source: &Source) -> Option<Result<Accepted, Rejection>> {
    let limits = Limits { max_states: 2000, max_bytes: 256 << 20, ..Limits::default() };
    let limits = limits.with_timeout(Duration::from_secs(1));
    let bytes = source.text.as_bytes();
    let Understood { system, program } = understood(source);
    match certificate.scope() {
        Scope::Whole => Some(check(certificate, bytes, system, &limits)),
        Scope::Rules => {
            let (_, rules) = program.as_ref()?;
            Some(check_rules(certificate, bytes, rules, &limits))
        }
        Scope::Part(labels, bound) => {
            let (program, _) = program.as_ref()?;
            if bound.requests > MAX_REQUESTS {
                return None;
            }
            let part = ProgramModel::part(program, source.text, &labels, bound, &limits).ok()?;
            Some(check(certificate, bytes, part.system(), &limits))
        }
    }
}
