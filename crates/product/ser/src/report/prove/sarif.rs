//! Invariants as SARIF: one result for each run that violates one, with the run as its code flow, and for each condition that fails.

use super::words::open_models;
use crate::report::sarif::{self, Whole, rules};
use ser_invariance_search::answer;
use ser_session::invariants::told::{self, Moment};
use ser_session::invariants::{Checked, ProveReport, Proven, most_serious, unknown_words};
use ser_session::source::SourceError;
use ser_session::words::source_error;
use ser_session::{Report, Verdict};
use serde_json::{Value, json};

/// All reports as one log.
pub fn log(reports: &[ProveReport]) -> Value {
    let shells: Vec<Report> = reports.iter().map(shell).collect();
    let whole = Whole {
        about: "Proves invariants of threads with unbounded data, for any number of them",
        rules: rules::of_invariants(),
        successful: !reports
            .iter()
            .any(|it| matches!(it.result, Proven::Internal(_) | Proven::Error(_))),
        code: most_serious(reports.iter().map(ProveReport::exit_code)),
        notifications: shells.iter().filter_map(sarif::notification).collect(),
        artifacts: shells.iter().map(sarif::artifact).collect(),
        results: reports.iter().zip(&shells).flat_map(|(it, shell)| results(it, shell)).collect(),
    };
    whole.log()
}

/// Name and source, for what needs no more.
fn shell(report: &ProveReport) -> Report {
    let verdict = match &report.result {
        Proven::Internal(message) => Verdict::Internal(message.clone()),
        _ => Verdict::NotChecked,
    };
    Report::failed(&report.name, report.source.clone(), verdict)
}

fn results(report: &ProveReport, shell: &Report) -> Vec<Value> {
    let warnings = report.warnings.iter();
    let mut out: Vec<Value> =
        warnings.map(|it| sarif::diagnostic(shell, "warning", "warning", it)).collect();
    match &report.result {
        Proven::Answer(checked) => of_answer(&mut out, report, shell, checked),
        Proven::Stopped(stop) => {
            out.push(sarif::result(shell, "unknown", "note", &stop.to_string(), None));
        }
        Proven::Unchecked(message) => {
            let text = format!("{}: {message}", crate::report::UNCHECKED);
            out.push(sarif::result(shell, "unknown", "note", &text, None));
        }
        Proven::Internal(message) => {
            let text = format!("{}: {message}", crate::report::INTERNAL);
            out.push(sarif::result(shell, "unknown", "error", &text, None));
        }
        Proven::Error(SourceError::Diagnostics(diagnostics)) => {
            out.extend(diagnostics.iter().map(|it| {
                let level = if it.is_error() { "error" } else { "warning" };
                sarif::diagnostic(shell, "input", level, it)
            }));
        }
        Proven::Error(error) => {
            out.push(sarif::result(shell, "input", "error", &source_error(error), None));
        }
    }
    out
}

fn of_answer(out: &mut Vec<Value>, report: &ProveReport, shell: &Report, checked: &Checked) {
    for shown in &checked.runs {
        let remark = told::run_remark(checked, shown);
        let mut entry = sarif::diagnostic(shell, "invariant", "error", &remark);
        let told = told::run(checked, shown);
        let steps = told.moments.iter().map(|moment| {
            let text = step(&told.threads, moment);
            let mut location = sarif::located(shell, None, &text);
            location["physicalLocation"]["region"] = json!({ "startLine": moment.place.line });
            json!({ "location": location })
        });
        let steps: Vec<Value> = steps.collect();
        if !steps.is_empty() {
            entry["codeFlows"] = json!([{ "threadFlows": [{ "locations": steps }] }]);
        }
        out.push(entry);
    }
    // Places in a text that nobody has are of no use.
    let is_same = report.source.as_ref().is_some_and(|it| it.text == checked.source.text);
    for (model, _) in told::kinds(&open_models(checked, false)) {
        let breach = told::breach(checked, model);
        match is_same {
            true => out.push(sarif::diagnostic(shell, "not-inductive", "warning", &breach.remark)),
            false => {
                let text = &breach.remark.message;
                out.push(sarif::result(shell, "not-inductive", "warning", text, None));
            }
        }
    }
    if let answer::Verdict::Unknown(reason) = &checked.verdict {
        let (words, help) = unknown_words(reason);
        let text = format!("{words}. To go on: {help}");
        out.push(sarif::result(shell, "unknown", "note", &text, None));
    }
}

fn step(threads: &[String], moment: &Moment) -> String {
    let name = told::thread_name(threads, moment.thread);
    let more = match (&moment.fault, moment.words.is_empty()) {
        (Some(fault), _) => format!(": {fault}"),
        (None, true) => String::new(),
        (None, false) => format!(" ({})", moment.words),
    };
    format!("{name}: {}{more}", moment.place.statement)
}
