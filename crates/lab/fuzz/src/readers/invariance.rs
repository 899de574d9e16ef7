//! Certificates about invariants: their reader, and the checker.

use super::invariance_sources::{INVARIANT_SOURCES, InvariantSource};
use super::sources::chosen;
use super::text;
use ser_base::Limits;
use ser_invariance_checker::run::Shows;
use ser_invariance_checker::{Verdict, check, read};
use std::time::Duration;

/// Reads a certificate about invariants, and checks it against the source that the first byte chooses.
///
/// - What is written of a certificate reads as the same certificate.
/// - None is accepted with a claim that is not true of its source. The source is put into the certificate, so that
///   only the argument counts.
pub fn invariance(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let Some(text) = text(rest) else { return };
    let Ok(mut certificate) = read(text) else { return };
    let written = serde_json::to_string(&certificate).unwrap_or_else(|e| panic!("{e}"));
    let again = read(&written).unwrap_or_else(|e| panic!("{e}\n{written}"));
    assert_eq!(again, certificate);
    let source = chosen(&INVARIANT_SOURCES, *first);
    source.text.clone_into(&mut certificate.source);
    let limits = Limits { max_bytes: 256 << 20, ..Limits::default() };
    match check(&certificate, &limits.with_timeout(Duration::from_secs(1))) {
        Ok(Verdict::Proved { invariants, safe, .. }) => {
            for name in &invariants {
                assert!(source.holds(name), "{name} is proved: {}\n{written}", source.text);
            }
            assert!(!safe || source.safe, "no step is an error: {}\n{written}", source.text);
        }
        Ok(Verdict::Refuted { shows: Shows::Violated { invariant, .. }, .. }) => {
            assert!(
                !source.holds(&invariant),
                "{invariant} is violated: {}\n{written}",
                source.text
            );
        }
        Ok(Verdict::Refuted { shows: Shows::Error, .. }) => {
            assert!(!source.safe, "a step is an error: {}\n{written}", source.text);
        }
        Err(rejection) => {
            assert!(!rejection.to_string().is_empty(), "a rejection without words");
        }
    }
}

impl InvariantSource {
    /// Whether the invariant of this name holds.
    pub fn holds(&self, name: &str) -> bool {
        self.hold.contains(&name)
    }
}
