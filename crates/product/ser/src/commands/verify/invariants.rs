//! Certificates about invariants: a proof of all premises, or a run, which the checker goes through again.
//!
//! They hold the text of their file, so no other one is needed; `--source` compares it with one.

use super::Outcome;
use super::unreadable::why;
use ser_invariance_checker::run::Shows;
use ser_invariance_checker::{Reason, Verdict};
use ser_model::Limits;
use ser_session::source::{SourceError, read_bytes, text_of};
use ser_session::words::count;
use serde_json::Value;

/// Whether the text says that it is a certificate about invariants.
pub fn is_about_invariants(text: &str) -> bool {
    // Most certificates are about something else: they are not read twice.
    text.contains(ser_invariance_checker::FORMAT)
        && serde_json::from_str::<Value>(text).is_ok_and(|value| {
            value.get("format").and_then(Value::as_str) == Some(ser_invariance_checker::FORMAT)
        })
}

/// What there is to say about it, or why it cannot be read.
pub fn verify(text: &str, source: Option<&str>, limits: &Limits) -> Result<Outcome, String> {
    let certificate =
        ser_invariance_checker::read(text).map_err(|error| why(text, &error.to_string()))?;
    if let Some(file) = source {
        let own = read_bytes(file, limits).and_then(text_of).map_err(|error| match error {
            SourceError::Unreadable { message: why, help: Some(help) } => {
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
    Ok(match ser_invariance_checker::check(&certificate, limits) {
        Ok(verdict) => {
            let mut told = words(&certificate.source, &verdict);
            for claim in claims(&certificate.source, &verdict) {
                told += &format!("\n  {claim}");
            }
            if source.is_none() {
                told += "\n  This is about the text in the certificate, which was compared with no file: --source FILE does that.";
            }
            Outcome::Valid(told)
        }
        Err(rejection) => match *rejection.reason {
            Reason::Stopped(_) => Outcome::Stopped(rejection.to_string()),
            _ => Outcome::Rejected(rejection.to_string()),
        },
    })
}

/// So many invariants are written out.
const MOST: usize = 20;

/// So many characters of each.
const LONGEST: usize = 110;

/// What the invariants say, in short. A name can stand for anything.
fn claims(source: &str, verdict: &Verdict) -> Vec<String> {
    let system = ser_syntax::inv::parse(source).system;
    let names: Vec<&str> = match verdict {
        Verdict::Proved { invariants, .. } => invariants.iter().map(String::as_str).collect(),
        Verdict::Refuted { shows: Shows::Violated { invariant, .. }, .. } => vec![invariant],
        Verdict::Refuted { shows: Shows::Error, .. } => Vec::new(),
    };
    let told = |name: &&str| {
        let declared = system.invariants.iter().find(|it| it.name.text == **name)?;
        let text = source.get(declared.span.range())?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ");
        let text = text.trim_start_matches("invariant ").trim_end_matches(';');
        Some(match text.chars().count() > LONGEST {
            true => text.chars().take(LONGEST - 3).chain("...".chars()).collect(),
            false => text.to_owned(),
        })
    };
    let mut claims: Vec<String> = names.iter().take(MOST).filter_map(told).collect();
    if names.len() > MOST {
        claims.push(format!("and {} more", names.len() - MOST));
    }
    claims
}

/// What was shown.
fn words(source: &str, verdict: &Verdict) -> String {
    let system = ser_syntax::inv::parse(source).system;
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
