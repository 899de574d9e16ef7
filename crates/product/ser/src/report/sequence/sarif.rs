//! Protocols as SARIF: one result for each thing that is in the way, with the run as its code flow.

use super::run::rows;
use crate::report::sarif::{self, Whole, rules};
use ser_sequentialization_search::actor_name;
use ser_session::sequence::{SequenceReport, Sequenced};
use ser_session::source::SourceError;
use ser_session::words::source_error;
use ser_session::{Report, Verdict, most_serious};
use serde_json::{Value, json};

/// All reports as one log.
pub fn log(reports: &[SequenceReport]) -> Value {
    let shells: Vec<Report> = reports.iter().map(shell).collect();
    let whole = Whole {
        about: "Turns protocols for any number of processes into sequential programs",
        rules: rules::of_protocols(),
        successful: !reports
            .iter()
            .any(|it| matches!(it.result, Sequenced::Internal(_) | Sequenced::Error(_))),
        code: most_serious(reports.iter().map(SequenceReport::exit_code)),
        notifications: shells.iter().filter_map(sarif::notification).collect(),
        artifacts: shells.iter().map(sarif::artifact).collect(),
        results: reports.iter().zip(&shells).flat_map(|(it, shell)| results(it, shell)).collect(),
    };
    whole.log()
}

/// Name and source, for what needs no more.
fn shell(report: &SequenceReport) -> Report {
    let verdict = match &report.result {
        Sequenced::Internal(message) => Verdict::Internal(message.clone()),
        _ => Verdict::NotChecked,
    };
    Report::failed(&report.name, report.source.clone(), verdict)
}

fn results(report: &SequenceReport, shell: &Report) -> Vec<Value> {
    let warnings = report.warnings.iter();
    let mut out: Vec<Value> =
        warnings.map(|it| sarif::diagnostic(shell, "warning", "warning", it)).collect();
    match &report.result {
        Sequenced::Answer(checked) => {
            let refuted = report.exit_code() == 1;
            let (rule, level) = if refuted { ("protocol", "error") } else { ("unknown", "note") };
            for diagnostic in &checked.diagnostics {
                let mut entry = sarif::diagnostic(shell, rule, level, diagnostic);
                if let Some(witness) = checked.answer.witness.as_ref().filter(|_| refuted) {
                    let steps = rows(report, &checked.protocol, witness);
                    let steps = steps.iter().map(|row| {
                        let text =
                            format!("{} {}", actor_name(&checked.protocol, row.who), row.words);
                        let mut location = sarif::located(shell, None, &text);
                        location["physicalLocation"]["region"] = json!({ "startLine": row.line });
                        json!({ "location": location })
                    });
                    let flow = json!({ "locations": steps.collect::<Vec<_>>() });
                    entry["codeFlows"] = json!([{ "threadFlows": [flow] }]);
                }
                out.push(entry);
            }
        }
        Sequenced::Instance(_) => {}
        Sequenced::Stopped(stop) => {
            out.push(sarif::result(shell, "unknown", "note", &stop.to_string(), None));
        }
        Sequenced::Internal(message) => {
            let text = format!("{}: {message}", crate::report::INTERNAL);
            out.push(sarif::result(shell, "unknown", "error", &text, None));
        }
        Sequenced::Error(SourceError::Diagnostics(diagnostics)) => {
            out.extend(diagnostics.iter().map(|it| {
                let level = if it.is_error() { "error" } else { "warning" };
                sarif::diagnostic(shell, "input", level, it)
            }));
        }
        Sequenced::Error(error) => {
            out.push(sarif::result(shell, "input", "error", &source_error(error), None));
        }
    }
    out
}
