//! Certificates about protocols: their reader, and the kernel.

use super::derivation_sources::PROTOCOL_SOURCES;
use super::sources::chosen;
use super::text;
use ser_sequentialization_checker::run::Shows;
use ser_sequentialization_checker::{Verdict, check, read};

/// Reads a certificate about a protocol, and checks it against the source that the first byte chooses.
///
/// - What is written of a certificate reads as the same certificate.
/// - None is accepted with a claim that is not true of its source. The source is put into the certificate, so that
///   only the argument counts.
pub fn derivation(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let Some(text) = text(rest) else { return };
    let Ok(mut certificate) = read(text) else { return };
    let written = serde_json::to_string(&certificate).unwrap_or_else(|e| panic!("{e}"));
    let again = read(&written).unwrap_or_else(|e| panic!("{e}\n{written}"));
    assert_eq!(again, certificate);
    let source = chosen(&PROTOCOL_SOURCES, *first);
    source.text.clone_into(&mut certificate.source);
    let about = || format!("{}\n{written}", source.text);
    match check(&certificate, &ser_base::Limits::default()) {
        Ok(Verdict::Sequentialized { unproved, .. }) => {
            assert!(!source.waits, "nobody waits: {}", about());
            assert!(!source.superfluous, "all is received: {}", about());
            let claimed = |it: &u32| !unproved.iter().any(|open| open.0 == *it);
            assert!(!source.fails.iter().any(claimed), "nothing fails: {}", about());
        }
        Ok(Verdict::Refuted { shows }) => {
            let (what, wrong) = match shows {
                Shows::Deadlock(_) => ("waits", source.waits),
                Shows::Failure(_) => ("fails", !source.fails.is_empty()),
                Shows::Orphan { .. } => ("is not received", source.superfluous),
            };
            assert!(wrong, "something {what}: {}", about());
        }
        Err(rejection) => {
            assert!(!rejection.to_string().is_empty(), "a rejection without words");
        }
    }
}
