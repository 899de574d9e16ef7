//! Certificates about invariants: a proof of all premises, or a run, which the checker goes through
//! again.

use super::words::sets;
use crate::verified::{Valid, Verified};
use ser_base::Limits;
use ser_invariance_checker::run::Shows;
use ser_invariance_checker::{Certificate, Reason, Verdict, check, read};
use ser_report::text::count;
use ser_syntax::inv::System;

/// Checks a certificate, which holds the text of its file; it must be that of the source.
pub fn verify(text: &str, source: &str, limits: &Limits) -> Verified {
    Verified::of_text(read(text), |it| it.source == source, |it| checked(it, limits))
}

fn checked(certificate: &Certificate, limits: &Limits) -> Verified {
    match check(certificate, limits) {
        Ok(verdict) => Verified::Valid(Valid {
            // Only the source says what its invariants mean; those that were inferred are a means.
            words: established(&certificate.source, &verdict),
            claims: claims(&certificate.source, &verdict),
        }),
        Err(rejection) => match *rejection.reason {
            Reason::Stopped(_) => Verified::Stopped(rejection.to_string()),
            _ => Verified::Rejected(rejection.to_string()),
        },
    }
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
        Verdict::Covered { invariants, .. } => invariants.iter().map(String::as_str).collect(),
        Verdict::Finishing { .. }
        | Verdict::Refuted { shows: Shows::Error | Shows::Waits { .. }, .. } => Vec::new(),
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

fn established(source: &str, verdict: &Verdict) -> String {
    let system = ser_syntax::inv::parse(source).system;
    match verdict {
        Verdict::Proved { invariants, safe, conditions, lemmas, .. } => {
            let cases = format!("{} with {}", count(*conditions, "case"), count(*lemmas, "lemma"));
            proved(&system, invariants, *safe, &cases)
        }
        Verdict::Covered { invariants, safe, boxes, .. } => {
            proved(&system, invariants, *safe, &sets(*boxes))
        }
        Verdict::Finishing { boxes, .. } => {
            format!("nobody has to wait forever, {} ({})", threads_of(&system), sets(*boxes))
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
                Shows::Waits { thread } => {
                    format!("there is {run} after which thread {} waits forever", thread + 1)
                }
                Shows::Error => {
                    format!("refuted: there is {run}, the last of which is an error")
                }
            }
        }
    }
}

/// For how many threads.
fn threads_of(system: &System) -> String {
    match system.threads {
        Some(fixed) => format!("for {}", count(fixed as usize, "thread")),
        None => "for any number of threads".to_owned(),
    }
}

fn proved(system: &System, invariants: &[String], safe: bool, by: &str) -> String {
    let threads = threads_of(system);
    let names = invariants.join(", ");
    let hold = if invariants.len() == 1 { "holds" } else { "hold" };
    let rest = match safe {
        true => ", and no step is an error",
        false => ", as long as no step is an error",
    };
    match (invariants.len(), safe) {
        (0, true) => format!("proved: {threads} no step is an error ({by})"),
        (0, false) => "nothing is claimed".to_owned(),
        _ => format!("proved: {names} {hold} {threads}{rest} ({by})"),
    }
}
