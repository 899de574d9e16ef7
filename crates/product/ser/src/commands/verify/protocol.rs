//! Certificates about protocols: a derivation or a run, which the kernel replays.
//!
//! They hold the text of their protocol, so no other file is needed; `--source` compares it with one.

use super::Outcome;
use super::unreadable::why;
use ser_model::Limits;
use ser_sequentialization_checker::run::Shows;
use ser_sequentialization_checker::{Reason, Verdict};
use ser_sequentialization_search::actor_name;
use ser_session::source::{SourceError, read_bytes, text_of};
use ser_session::words::count;
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::StmtKind;
use serde_json::Value;

/// Whether the text says that it is a certificate about a protocol.
pub fn is_about_a_protocol(text: &str) -> bool {
    // Most certificates are about something else: they are not read twice.
    text.contains(ser_sequentialization_checker::FORMAT)
        && serde_json::from_str::<Value>(text).is_ok_and(|value| {
            value.get("format").and_then(Value::as_str)
                == Some(ser_sequentialization_checker::FORMAT)
        })
}

/// What there is to say about it, or why it cannot be read.
pub fn verify(text: &str, source: Option<&str>, limits: &Limits) -> Result<Outcome, String> {
    let certificate =
        ser_sequentialization_checker::read(text).map_err(|error| why(text, &error.to_string()))?;
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
    Ok(match ser_sequentialization_checker::check(&certificate, limits) {
        Ok(verdict) => Outcome::Valid(words(&certificate, &verdict)),
        Err(rejection) => match *rejection.reason {
            Reason::Budget | Reason::Stopped(_) => Outcome::Stopped(rejection.to_string()),
            _ => Outcome::Rejected(rejection.to_string()),
        },
    })
}

/// What was shown.
fn words(certificate: &ser_sequentialization_checker::Certificate, verdict: &Verdict) -> String {
    let protocol = ser_syntax::icet::parse(&certificate.source).protocol;
    match verdict {
        Verdict::Sequentialized { outcome, unproved } => {
            let mut text = "sequentialized: nobody waits for ever".to_owned();
            if !protocol.sets.is_empty() {
                let names: Vec<&str> =
                    protocol.sets.iter().map(|it| it.name.text.as_str()).collect();
                text += &format!(", whatever the sizes of {}", names.join(", "));
            }
            let all = assertions(&protocol);
            let proved = all.saturating_sub(unproved.len());
            match (proved, unproved.len()) {
                (0, 0) => {}
                (proved, 0) => text += &format!("; {} proved", count(proved, "assertion")),
                (proved, open) => {
                    text += &format!("; {proved} of {} proved", count(proved + open, "assertion"))
                }
            }
            if !outcome.active.is_empty() || !outcome.unvisited.is_empty() {
                text += " (nothing is said about servers that nobody asks)";
            }
            text
        }
        Verdict::Refuted { shows } => {
            let sizes = match &certificate.claim {
                ser_sequentialization_checker::Claim::Refuted(run) => {
                    ser_sequentialization_search::sizes_text(&protocol, &run.sizes)
                }
                ser_sequentialization_checker::Claim::Sequentialized { .. } => String::new(),
            };
            let with = if sizes.is_empty() { String::new() } else { format!(" with {sizes}") };
            let shown = match shows {
                Shows::Deadlock(actor) => {
                    format!("{} waits for ever", actor_name(&protocol, *actor))
                }
                Shows::Failure(actor) => format!("{} fails", actor_name(&protocol, *actor)),
                Shows::Orphan { from, to, .. } => format!(
                    "a message from {} to {} is never received",
                    actor_name(&protocol, *from),
                    actor_name(&protocol, *to)
                ),
            };
            format!("refuted: there is a run{with} in which {shown}")
        }
    }
}

/// How many statements can fail by what they say.
fn assertions(protocol: &Protocol) -> usize {
    let mut number = 0;
    for statement in protocol.processes.iter().flat_map(|it| &it.body) {
        statement.walk(&mut |it| {
            number += usize::from(matches!(it.kind, StmtKind::Assert { .. } | StmtKind::Fail));
        });
    }
    number
}
