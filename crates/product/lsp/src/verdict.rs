//! Reports in one sentence, for whoever has no room for more, and runs on the text.

use crate::document::Document;
use crate::protocol::VerdictParams;
use ser_report::run::{Run, Step};
use ser_report::{Answer, Report, most_serious, noun_of};
use ser_syntax::Span;
use std::time::Duration;

/// What to tell about all answers together; nothing if nothing was asked.
pub fn overall(document: &Document, reports: &[Report]) -> Option<VerdictParams> {
    let code = most_serious(reports.iter().map(Report::exit_code));
    let gravest = reports.iter().find(|report| report.exit_code() == code)?;
    let alike = reports.iter().filter(|report| report.verdict() == gravest.verdict()).count();
    let noun = noun_of(reports.iter().map(|it| it.question.method), reports.len());
    let summary = match reports.len() {
        1 => sentence(gravest),
        all => format!("{}: {alike} of {all} {noun}", words(gravest)),
    };
    let time: Duration = reports.iter().map(|report| report.timing.total).sum();
    Some(VerdictParams {
        uri: document.uri.clone(),
        version: document.version,
        verdict: gravest.verdict().to_owned(),
        summary,
        time_ms: (time.as_secs_f64() * 1e6).round() / 1e3,
    })
}

/// The verdict in a word or two.
pub fn words(report: &Report) -> String {
    report.verdict().replace('_', " ")
}

/// The verdict in one sentence.
pub fn sentence(report: &Report) -> String {
    let meaning = report.meaning.split_once(". ").map_or(report.meaning.as_str(), |(it, _)| it);
    let more = match &report.answer {
        // What comes after a colon goes into details.
        Answer::Holds(proof) => proof.why.split(':').next().unwrap_or_default().to_owned(),
        Answer::Violated(_) | Answer::NotInductive => meaning.trim_end_matches('.').to_owned(),
        Answer::Unknown(unknown) => unknown.reason.clone(),
        Answer::Withheld(message) => message.clone(),
        Answer::Error(error) => error.sentence(),
    };
    match more.is_empty() {
        true => words(report),
        false => format!("{}: {more}", words(report)),
    }
}

/// The steps of a run, in words and on their places. One that has no line of its own stands where
/// the question does.
pub fn steps<'r>(
    report: &'r Report,
    run: &'r Run,
) -> impl Iterator<Item = (&'r Step, Span, String)> {
    run.steps.iter().map(|step| {
        let line = step.lines.first().map(|line| line.span);
        let span = line.or(report.question.span).unwrap_or_default();
        (step, span, run.sentence(step, report.source.as_deref()))
    })
}
