//! The answer itself: the invariant of a proof by inclusion, and the certificate.

use super::{Request, Trouble, pretty};
use crate::cli::ShowFormat;
use ser_report::text::count;
use ser_serializability_checker::{Inclusion, LetterName, SerialElement, Triple};
use ser_session::{Decision, Verdict, check_source};
use serde_json::json;
use std::fmt::Write as _;

/// Checks the source; an answer, or trouble.
fn check(request: &Request<'_>) -> Result<Decision, Trouble> {
    let Request { args, source, limits, .. } = *request;
    let report = check_source(source.clone(), &args.engine.options(), limits, &|_| {});
    match report.verdict {
        Verdict::Serializable { .. } | Verdict::NotSerializable { .. } => Ok(report),
        _ => Err(Trouble::NoAnswer(Box::new(report))),
    }
}

fn script(report: &Decision) -> Result<String, Trouble> {
    ser_session::serializability::smtlib::of_report(report).ok_or_else(|| {
        let message = match report.verdict {
            Verdict::Serializable { .. } => "the proof needs no arithmetic: reductions are enough",
            _ => "there is no proof of serializability: the program is not serializable",
        };
        Trouble::Nothing(message.into(), vec!["use --stage certificate --format json".into()])
    })
}

/// The certificate, or the proof as an SMT-LIB script.
pub fn certificate(request: &Request<'_>) -> Result<String, Trouble> {
    let report = check(request)?;
    if request.format == ShowFormat::Smtlib {
        return script(&report);
    }
    let certificate = report.verdict.certificate();
    let text = certificate.map(ser_serializability_checker::Certificate::to_text);
    text.ok_or_else(|| Trouble::Nothing("there is no certificate".into(), Vec::new()))
}

/// The triples of a proof by inclusion.
pub fn triples(request: &Request<'_>) -> Result<String, Trouble> {
    let report = check(request)?;
    let inclusion = match report.verdict.certificate().map(|c| &c.verdict) {
        Some(ser_serializability_checker::Verdict::Serializable(
            ser_serializability_checker::Proof::Inclusion(inclusion),
        )) => inclusion,
        Some(ser_serializability_checker::Verdict::Serializable(
            ser_serializability_checker::Proof::Arithmetic(_),
        )) => {
            let message = "the program is proved by arithmetic, which has no triples".to_owned();
            let help = ["force a proof by inclusion with --only inclusion", "--stage certificate"];
            return Err(Trouble::Nothing(message, help.map(str::to_owned).to_vec()));
        }
        Some(ser_serializability_checker::Verdict::Serializable(
            ser_serializability_checker::Proof::Rules(_),
        )) => {
            let message = "the program is proved by reductions of its rules, without triples";
            let help = ["force a proof by inclusion with --only inclusion", "--stage certificate"];
            return Err(Trouble::Nothing(message.into(), help.map(str::to_owned).to_vec()));
        }
        Some(ser_serializability_checker::Verdict::Serializable(
            ser_serializability_checker::Proof::Symbolic(_),
        )) => {
            let message = "the program is proved on steps without values, which needs no triples";
            let help = ["--stage certificate"];
            return Err(Trouble::Nothing(message.into(), help.map(str::to_owned).to_vec()));
        }
        Some(ser_serializability_checker::Verdict::Serializable(
            ser_serializability_checker::Proof::NoYield,
        )) => {
            let message = "no request of the program can yield, which needs no triples";
            let help = ["force a proof by inclusion with --only inclusion", "--stage certificate"];
            return Err(Trouble::Nothing(message.into(), help.map(str::to_owned).to_vec()));
        }
        Some(ser_serializability_checker::Verdict::Serializable(
            ser_serializability_checker::Proof::Slices(_),
        )) => {
            let message = "the program is proved in slices, each with a proof of its own";
            let help = [
                "force a proof of the whole with --without program-slices --only inclusion",
                "--stage certificate",
            ];
            return Err(Trouble::Nothing(message.into(), help.map(str::to_owned).to_vec()));
        }
        _ => {
            let message = "there is no proof: the program is not serializable".to_owned();
            let help = format!("see `ser check {}`", request.source.name);
            return Err(Trouble::Nothing(message, vec![help]));
        }
    };
    match request.format {
        ShowFormat::Smtlib => script(&report),
        ShowFormat::Json => {
            let labels = serde_json::to_value(&inclusion.labels);
            let promises = serde_json::to_value(&inclusion.promises);
            let stand_ins = serde_json::to_value(&inclusion.stand_ins);
            let triples = serde_json::to_value(&inclusion.invariant);
            let [labels, promises, stand_ins, triples] =
                [labels, promises, stand_ins, triples].map(|it| it.unwrap_or_default());
            Ok(pretty(json!({
                "labels": labels,
                "promises": promises,
                "stand_ins": stand_ins,
                "triples": triples,
            })))
        }
        _ => Ok(text(inclusion)),
    }
}

fn text(inclusion: &Inclusion) -> String {
    let mut out = String::new();
    let number = inclusion.invariant.len();
    let _ = writeln!(
        out,
        "Whatever has happened is in one of {}: a global state, requests in flight, and serial runs\n\
         that explain what has been responded so far.",
        count(number, "triple")
    );
    for label in &inclusion.labels {
        let _ = writeln!(
            out,
            "A request {} in {} has already committed to {}.",
            label.request, label.local, label.response
        );
    }
    for promise in &inclusion.promises {
        let loops: Vec<String> = promise.loops.iter().map(letter).collect();
        let _ = writeln!(
            out,
            "While a request {} is in {}, any number of these can be added to every serial run: {}.",
            promise.request,
            promise.local,
            loops.join(" ")
        );
    }
    for entry in &inclusion.stand_ins {
        let loops: Vec<String> = entry.loops.iter().map(letter).collect();
        let given = match loops.is_empty() {
            true => String::new(),
            false => format!(" on which these can be repeated: {}", loops.join(" ")),
        };
        let _ = writeln!(
            out,
            "A serial run to {} stands in for one to {}{given}.",
            entry.global, entry.instead_of
        );
    }
    for (at, triple) in inclusion.invariant.iter().enumerate() {
        let _ = writeln!(out, "\n{}. global state {}", at + 1, triple.global);
        let _ = writeln!(out, "   in flight: {}", in_flight(triple));
        for element in &triple.serial {
            let _ = writeln!(out, "   explained by: {}", explanation(element));
        }
    }
    out
}

fn in_flight(triple: &Triple) -> String {
    let words: Vec<String> = triple
        .in_flight
        .iter()
        .map(|place| {
            let number = match (place.count, place.period) {
                (n, 0) => format!("{n}"),
                (0, 1) => "any number of".to_owned(),
                (n, 1) => format!("{n} or more"),
                (n, period) => format!("{n}, {}, {}, ...", n + period, n + 2 * period),
            };
            format!("{number} {} in {}", place.request, place.local)
        })
        .collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}

fn explanation(element: &SerialElement) -> String {
    let list = |letters: &[LetterName]| {
        let names: Vec<String> = letters.iter().map(letter).collect();
        names.join(" ")
    };
    let mut out = format!("a serial run to {}", element.global);
    if !element.loops.is_empty() {
        let _ =
            write!(out, ", to which any number of these can be added: {}", list(&element.loops));
    }
    if !element.debts.is_empty() {
        let _ = write!(out, ", up to these, any number of times: {}", list(&element.debts));
    }
    if let Some(waiting) = &element.waiting {
        let _ = write!(out, ", up to one {}", letter(waiting));
    }
    out
}

fn letter(LetterName(request, response): &LetterName) -> String {
    format!("{request}/{response}")
}
