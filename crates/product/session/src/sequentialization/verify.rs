//! Certificates about protocols: a derivation or a run, which the kernel replays.

use super::{statements_that_can_fail, words};
use crate::verified::{Valid, Verified};
use ser_base::Limits;
use ser_report::text::count;
use ser_sequentialization_checker::{Certificate, Claim, Reason, Verdict, check, read};

/// Checks a certificate, which holds the text of its protocol; it must be that of the source.
pub fn verify(text: &str, source: &str, limits: &Limits) -> Verified {
    Verified::of_text(read(text), |it| it.source == source, |it| checked(it, limits))
}

fn checked(certificate: &Certificate, limits: &Limits) -> Verified {
    match check(certificate, limits) {
        Ok(verdict) => {
            Verified::Valid(Valid { words: established(certificate, &verdict), claims: Vec::new() })
        }
        Err(rejection) => match *rejection.reason {
            Reason::Budget | Reason::Stopped(_) => Verified::Stopped(rejection.to_string()),
            _ => Verified::Rejected(rejection.to_string()),
        },
    }
}

fn established(certificate: &Certificate, verdict: &Verdict) -> String {
    let protocol = ser_syntax::icet::parse(&certificate.source).protocol;
    match verdict {
        Verdict::Sequentialized { outcome, unproved } => {
            let who = words::who_has_to_end(&protocol);
            let mut text = format!("sequentialized: {who} waits forever");
            if !protocol.sets.is_empty() {
                let names: Vec<&str> =
                    protocol.sets.iter().map(|it| it.name.text.as_str()).collect();
                text += &format!(", whatever the sizes of {}", names.join(", "));
            }
            let all = statements_that_can_fail(&protocol).len();
            match (all, all.saturating_sub(unproved.len())) {
                (0, _) => {}
                (all, proved) if all == proved => {
                    text += &format!("; {} proved", count(all, "assertion"));
                }
                (all, proved) => {
                    text += &format!("; {proved} of {} proved", count(all, "assertion"))
                }
            }
            if !outcome.active.is_empty() || !outcome.unvisited.is_empty() {
                text += " (this says nothing about servers that no process asks)";
            }
            text
        }
        Verdict::Refuted { shows } => {
            let with = match &certificate.claim {
                Claim::Refuted(run) => words::with_sizes(&protocol, &run.sizes),
                Claim::Sequentialized { .. } => String::new(),
            };
            let shown = words::shown(&protocol, shows);
            format!("refuted: there is a run{with} in which {shown}")
        }
    }
}
