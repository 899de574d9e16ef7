//! Reports about nets: for people, and as JSON.

use super::human::{
    BAD, DOUBT, FAINT, GOOD, STRONG, capitalised, helps, paint, paragraph, wrapped,
};
use ser_model::Stop;
use ser_petri::Quantifier;
use ser_serializability_search::{Tried, Unknown};
use ser_session::Withheld;
use ser_session::petri::{ReachReport, ReachVerdict};
use ser_session::words::{count, grouped};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// The report for the terminal, `width` columns wide.
pub fn human(report: &ReachReport, width: usize) -> String {
    let mut out = String::new();
    headline(&mut out, report);
    if let Some((query, text)) = &report.query {
        let name = if query.name == "query" { String::new() } else { format!("{}: ", query.name) };
        let words = ser_session::words::visible(&format!("{name}{text}"));
        wrapped(&mut out, "  ", "      ", &words, width);
        let _ = writeln!(out);
    }
    if let Some(sentence) = sentence(report) {
        paragraph(&mut out, "", sentence, width);
        let _ = writeln!(out);
    }
    match &report.verdict {
        ReachVerdict::Reachable { sequence, marking, .. } => {
            let transitions = count(sequence.len(), "transition");
            if !sequence.is_empty() {
                paragraph(&mut out, "", &format!("{transitions}, one after the other:"), width);
                let _ = writeln!(out);
                wrapped(&mut out, "      ", "      ", &run_lengths(sequence), width);
                let _ = writeln!(out);
            }
            let tokens: Vec<String> = marking.iter().map(|(p, n)| format!("{p} = {n}")).collect();
            let marking = match (sequence.is_empty(), tokens.is_empty()) {
                (true, true) => "The initial marking is it: no tokens at all.".into(),
                (true, false) => format!("The initial marking is it: {}.", tokens.join(", ")),
                (false, true) => "There are no tokens left then.".into(),
                (false, false) => format!("The marking then: {}.", tokens.join(", ")),
            };
            paragraph(&mut out, "", &marking, width);
            let _ = writeln!(out);
            let checked = "Checked independently, and fired on the net itself.";
            let _ = writeln!(out, "  {}", paint(FAINT, checked));
        }
        ReachVerdict::Unreachable { method, accepted, .. } => {
            paragraph(&mut out, "Why: ", &why(method), width);
            let _ = writeln!(out);
            let checked = format!("Checked independently, by {}.", accepted.evidence());
            let _ = writeln!(out, "  {}", paint(FAINT, checked));
        }
        ReachVerdict::Error(_) => {}
        other => {
            let (reason, points, help) = reasons(other);
            paragraph(&mut out, "", &capitalised(&reason), width);
            for point in points {
                wrapped(&mut out, "    - ", "      ", &point, width);
            }
            let _ = writeln!(out);
            helps(&mut out, &help, width);
        }
    }
    out
}

fn headline(out: &mut String, report: &ReachReport) {
    let style = match report.verdict.name() {
        "unreachable" => GOOD,
        "unknown" => DOUBT,
        _ => BAD,
    };
    let time = report.time.as_secs_f64() * 1e3;
    let time = if time < 100.0 { format!("{time:.1} ms") } else { format!("{:.2} s", time / 1e3) };
    let _ = writeln!(
        out,
        "{}: {} {}\n",
        paint(STRONG, &report.file),
        paint(style, report.verdict.name()),
        paint(FAINT, format!("({time})")),
    );
}

/// What the answer means for a property that is to hold always.
fn sentence(report: &ReachReport) -> Option<&'static str> {
    let (query, _) = report.query.as_ref()?;
    match (query.quantifier, report.holds()?) {
        (Quantifier::Always, true) => Some("The property holds: no reachable marking breaks it."),
        (Quantifier::Always, false) => {
            Some("The property does NOT hold: a marking that breaks it is reachable.")
        }
        (Quantifier::Possibly, _) => None,
    }
}

fn why(method: &str) -> String {
    match method {
        "reductions" => {
            "once what can never take part in such a run is dropped, nothing is left of it."
        }
        "inclusion" => "a finite invariant with capped token counts rules it out.",
        _ => "the state equation of the net, with cuts, has no solution.",
    }
    .into()
}

/// `t1, t2 (3 times), t1`.
fn run_lengths(sequence: &[String]) -> String {
    let groups = sequence.chunk_by(|a, b| a == b).filter_map(|group| {
        let name = ser_session::words::visible(group.first()?);
        Some(match group.len() {
            1 => name.clone(),
            n => format!("{name} ({} times)", grouped(n)),
        })
    });
    groups.collect::<Vec<_>>().join(", ")
}

/// Why there is no answer, what was tried, and ways out.
fn reasons(verdict: &ReachVerdict) -> (String, Vec<String>, Vec<String>) {
    match verdict {
        ReachVerdict::Unknown(unknown) => {
            let mut reason = "ser has found neither a firing sequence nor a proof".to_owned();
            if let Some(stop) = &unknown.stop {
                let _ = write!(reason, "; {stop}");
            }
            let help = match &unknown.stop {
                Some(Stop::Time { .. }) => "give it more time with --timeout",
                Some(Stop::Memory { .. }) => "give it more memory with --memory",
                Some(Stop::Cancelled) => "let it run to its end, or bound it with --timeout",
                _ => "search further with --search-states",
            };
            (reason, tried(unknown), vec![help.to_owned()])
        }
        ReachVerdict::TooLarge(error) => {
            let help = error.help().map(str::to_owned);
            (error.to_string(), Vec::new(), help.into_iter().collect())
        }
        ReachVerdict::Withheld(Withheld::Unchecked(words)) => {
            let help = "raise --memory or --timeout".to_owned();
            (format!("{}: {words}", super::UNCHECKED), Vec::new(), vec![help])
        }
        ReachVerdict::Withheld(Withheld::Internal(words)) => {
            (format!("{}: {words}", super::INTERNAL), Vec::new(), Vec::new())
        }
        _ => Default::default(),
    }
}

fn tried(unknown: &Unknown) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(searched) = &unknown.searched {
        out.push(format!("search: {} without a hit", count(searched.states, "state")));
    }
    let counted = unknown.tried.iter().filter_map(|t| match t {
        Tried::Inclusion(attempt, _) => Some(attempt.cap),
        _ => None,
    });
    if let Some(most) = counted.max() {
        out.push(format!("invariants with token counts up to {most}: none found"));
    }
    if unknown.tried.iter().any(|t| matches!(t, Tried::Arithmetic(_))) {
        out.push("state equation with cuts: not enough to rule it out".into());
    }
    out
}

/// An error in the net or the query, for standard error.
pub fn complaint(report: &ReachReport) -> String {
    let ReachVerdict::Error(error) = &report.verdict else { return String::new() };
    let (message, place, help) = error.parts();
    let mut out = format!("{}: {message}\n  --> {place}\n", paint(BAD, "error"));
    if let Some(help) = help {
        let _ = writeln!(out, "  help: {help}");
    }
    out
}

/// One line about many properties.
pub fn summary(reports: &[ReachReport]) -> String {
    let mut parts = Vec::new();
    for (name, style) in
        [("unreachable", GOOD), ("reachable", BAD), ("unknown", DOUBT), ("error", BAD)]
    {
        match reports.iter().filter(|r| r.verdict.name() == name).count() {
            0 => {}
            n => parts.push(paint(style, format!("{} {name}", grouped(n)))),
        }
    }
    let noun = if reports.len() == 1 { "property" } else { "properties" };
    format!("{} {noun}: {}", grouped(reports.len()), parts.join(", "))
}

/// The report as one JSON object.
pub fn json(report: &ReachReport) -> Value {
    let mut object = json!({
        "file": report.file,
        "verdict": report.verdict.name(),
        "time_ms": (report.time.as_secs_f64() * 1e6).round() / 1e3,
    });
    if let Some((query, text)) = &report.query {
        object["property"] = json!(query.name);
        object["query"] = json!(text);
        object["size"] = json!({
            "places": report.sizes.before.0,
            "transitions": report.sizes.before.1,
            "places_reduced": report.sizes.after.0,
            "transitions_reduced": report.sizes.after.1,
            "places_moved": report.sizes.moved.0,
            "transitions_moved": report.sizes.moved.1,
        });
    }
    if let Some(holds) = report.holds() {
        object["holds"] = json!(holds);
    }
    match &report.verdict {
        ReachVerdict::Reachable { sequence, marking, accepted, .. } => {
            let marking: Map<String, Value> =
                marking.iter().map(|(p, n)| (p.clone(), json!(n))).collect();
            object["firing_sequence"] = json!(sequence);
            object["marking"] = Value::Object(marking);
            object["checked"] = json!(accepted.evidence());
        }
        ReachVerdict::Unreachable { method, accepted, .. } => {
            object["proof"] = json!({ "method": method, "checked": accepted.evidence() });
        }
        ReachVerdict::Error(error) => {
            let (message, place, help) = error.parts();
            object["reason"] = json!(message);
            object["place"] = json!(place);
            object["help"] = json!(help);
        }
        other => {
            let (reason, points, help) = reasons(other);
            object["reason"] = json!(reason);
            object["tried"] = json!(points);
            object["help"] = json!(help);
        }
    }
    object
}
