//! Certificates about invariants: a proof of all premises, or a run, which the checker goes through again.
//!
//! They hold the text of their file, so no other one is needed; `--source` compares it with one.

use super::Outcome;
use ser_check::source::{SourceError, read_bytes, text_of};
use ser_check::words::count;
use ser_model::Limits;
use ser_premises::run::Shows;
use ser_premises::{Reason, Verdict};
use serde_json::Value;

/// Whether the text says that it is a certificate about invariants.
pub fn is_about_invariants(text: &str) -> bool {
    // Most certificates are about something else: they are not read twice.
    text.contains(ser_premises::FORMAT)
        && serde_json::from_str::<Value>(text).is_ok_and(|value| {
            value.get("format").and_then(Value::as_str) == Some(ser_premises::FORMAT)
        })
}

/// What there is to say about it, or why it cannot be read.
pub fn verify(text: &str, source: Option<&str>, limits: &Limits) -> Result<Outcome, String> {
    let certificate = ser_premises::read(text).map_err(|error| error.to_string())?;
    if let Some(file) = source {
        let own = read_bytes(file, limits).and_then(text_of).map_err(|error| match error {
            SourceError::Unreadable(why, Some(help)) => {
                format!("the source {file}: {why}\n  help: {help}")
            }
            _ => format!("cannot read the source {file}"),
        })?;
        if own != certificate.source {
            return Ok(Outcome::Rejected(format!(
                "source: the certificate belongs to another source than {file} (the texts differ)"
            )));
        }
    }
    Ok(match ser_premises::check(&certificate, limits) {
        Ok(verdict) => Outcome::Valid(words(&certificate.source, &verdict)),
        Err(rejection) => match *rejection.reason {
            Reason::Stopped(_) => Outcome::Stopped(rejection.to_string()),
            _ => Outcome::Rejected(rejection.to_string()),
        },
    })
}

/// What was shown.
fn words(source: &str, verdict: &Verdict) -> String {
    let system = ser_lang::inv::parse(source).system;
    match verdict {
        Verdict::Proved { invariants, safe, conditions, lemmas, .. } => {
            let threads = match system.threads {
                Some(fixed) => format!("for {}", count(fixed as usize, "thread")),
                None => "for any number of threads".to_owned(),
            };
            let cases = format!("{} with {}", count(*conditions, "case"), count(*lemmas, "lemma"));
            let names = invariants.join(", ");
            let hold = if invariants.len() == 1 { "holds" } else { "hold" };
            let rest = match safe {
                true => ", and no step is an error",
                false => ", as long as no step is an error",
            };
            match (invariants.len(), safe) {
                (0, true) => format!("proved: {threads} no step is an error ({cases})"),
                (0, false) => "nothing is claimed".to_owned(),
                _ => format!("proved: {names} {hold} {threads}{rest} ({cases})"),
            }
        }
        Verdict::Refuted { shows, threads, steps } => {
            let run = format!(
                "a run of {} with {}",
                count(*threads as usize, "thread"),
                count(*steps, "step")
            );
            match shows {
                Shows::Violated { invariant, .. } => {
                    format!("refuted: there is {run} after which {invariant} does not hold")
                }
                Shows::Error => {
                    format!("refuted: there is {run}, the last of which is an error")
                }
            }
        }
    }
}
