//! From what was found about a protocol to a report.
//!
//! A protocol that is sequentialized is shown as the sequential program. Otherwise what is in the
//! way is shown on its lines, then how far the rewriting came, then the run that goes wrong, if
//! there is one.

use super::{Checked, Found, Instance, data, run, words};
use crate::method::{self, Wants};
use ser_report::text::{capitalised, count, grouped};
use ser_report::{
    Answer, Block, EXPLORATION, Finding, Level, Method, Proof, Question, Report, Rule, Section,
    Source, Table, Unknown, Violation,
};
use ser_sequentialization_checker::{Certificate, Prefix, Sequential};
use ser_sequentialization_search::{Style, Verdict, nodes, sizes_text, small_instances, text_of};
use ser_syntax::Diagnostic;
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::StmtId;
use std::collections::BTreeSet;

/// The report about a source.
pub fn report(source: &Source, found: &Found, raw: bool, wants: Wants) -> Report {
    let new = |answer| Report::new(&source.name, Question::of(Method::Sequentialization), answer);
    let mut report = match found {
        Found::Answer(checked) => answer(new, source, checked, raw),
        Found::Instance(it) => instance(new, source, it),
        Found::Stopped(stop) => new(Answer::Unknown(method::stopped(stop))),
        Found::Unchecked(words) => new(Answer::Unknown(method::unchecked(words))),
        Found::Rejected(words) => new(Answer::Withheld(words.clone())),
    };
    let certificate = match found {
        Found::Answer(checked) => checked.answer.certificate.as_ref(),
        Found::Instance(it) => it.certificate.as_ref(),
        _ => None,
    };
    if wants.certificate || wants.page {
        report.certificate = certificate.and_then(text_of_certificate);
    }
    report
}

fn text_of_certificate(certificate: &Certificate) -> Option<String> {
    Some(serde_json::to_string_pretty(certificate).ok()? + "\n")
}

fn answer(new: impl Fn(Answer) -> Report, source: &Source, checked: &Checked, raw: bool) -> Report {
    let (protocol, answer) = (&checked.protocol, &checked.answer);
    let accepted = answer.certificate.as_ref().map(|it| words::accepted(&it.claim));
    let small = small_instances(protocol, answer);
    let mut sections = Vec::new();
    let mut report = match (answer.verdict, &answer.run) {
        (Verdict::Verified, _) => {
            let mut report = new(Answer::Holds(Proof {
                method: "sequentialization".to_owned(),
                why: "every run ends in the same state as a run of one sequential program"
                    .to_owned(),
                points: Vec::new(),
                checked: accepted,
            }));
            report.meaning = words::verified(checked);
            sections.push(Section::of([Block::Text(report.meaning.clone())]));
            report
        }
        (Verdict::Refuted, Some(run)) => {
            let runs = answer.witness.iter().map(|it| run::run(source, protocol, run, it));
            let violation = Violation { runs: runs.collect(), checked: accepted };
            let mut report = new(Answer::Violated(violation));
            report.meaning = words::goes_wrong(protocol, run);
            report.run_data = data::run(protocol, run);
            let mut texts = vec![Block::Text(report.meaning.clone())];
            if answer.outcome.is_some() {
                let words = words::only_deadlock_free(checked);
                texts.push(Block::Text(format!("{}.", capitalised(words))));
            }
            sections.push(Section::of(texts));
            report
        }
        _ => {
            let reason = match &answer.outcome {
                Some(_) => words::only_deadlock_free(checked),
                None => "neither a sequential program nor a run that goes wrong was found",
            };
            new(Answer::Unknown(Unknown {
                reason: reason.to_owned(),
                tried: small.iter().cloned().collect(),
                ..Unknown::default()
            }))
        }
    };
    // The answer says what small instances show.
    let without_small = |it: &Diagnostic| {
        let mut diagnostic = it.clone();
        diagnostic.help.retain(|help| Some(&help.message) != small.as_ref());
        diagnostic
    };
    let diagnostics: Vec<Diagnostic> = checked.diagnostics.iter().map(without_small).collect();
    let is_refuted = answer.verdict == Verdict::Refuted;
    let (rule, level) = match is_refuted {
        true => (Rule::Protocol, Level::Error),
        false => (Rule::Unknown, Level::Note),
    };
    for diagnostic in diagnostics {
        let finding = Finding::of(rule, level, &diagnostic);
        report.findings.push(Finding { run: is_refuted.then_some(0), ..finding });
        sections.push(Section::of([Block::Snippet { diagnostic, other: None }]));
    }
    if let Some(outcome) = &answer.outcome {
        let sequential = if raw { &outcome.sequential } else { &answer.simplified };
        let text = program(protocol, sequential, &answer.unproved, raw);
        let about = Block::Remark(words::about_program(protocol).to_owned());
        sections.push(Section::titled("The sequential program", [about, Block::Code(text)]));
    }
    let notes = words::server_notes(checked);
    if !notes.is_empty() {
        sections.push(Section::of(notes.into_iter().map(Block::Text)));
    }
    if let Some(prefix) = answer.failure.as_ref().and_then(|it| it.prefix.as_ref()) {
        let sequential = if raw { &prefix.sequential } else { &answer.simplified };
        sections.extend(so_far(source, protocol, prefix, sequential, raw));
    }
    if let Some(run) = report.answer.run() {
        let title = run.title.clone();
        sections.push(Section::titled(title, [Block::Run(0)]));
    }
    if let (Answer::Unknown(_), Some(certificate)) = (&report.answer, &answer.certificate) {
        let words = words::accepted(&certificate.claim);
        sections.push(Section::of([method::checked_remark(&words)]));
    }
    report.sections = sections;
    report.data = data::answer(source, checked);
    report
}

/// The longest prefix, what is left, and what is in flight.
fn so_far(
    source: &Source,
    protocol: &Protocol,
    prefix: &Prefix,
    sequential: &[Sequential],
    raw: bool,
) -> Vec<Section> {
    let mut sections = Vec::new();
    let text = program(protocol, sequential, &[], raw);
    if !prefix.sequential.is_empty() && !text.starts_with("skip") {
        sections.push(Section::titled("Sequentialized so far", [Block::Code(text)]));
    }
    let left = words::left(source, protocol, prefix);
    if !left.is_empty() {
        let rows = left.into_iter().map(|it| {
            let more = match it.more {
                0 => String::new(),
                more => format!("and {} after it", count(more, "statement")),
            };
            vec![it.who, it.line.to_string(), it.text, more]
        });
        let header = ["process", "line", "next", ""].map(str::to_owned).to_vec();
        let table = Table { header, rows: rows.collect() };
        sections.push(Section::titled("What is left", [Block::Table(table)]));
    }
    let in_flight = words::in_flight(source, protocol, prefix);
    if !in_flight.is_empty() {
        sections.push(Section::titled("Messages in flight", [Block::points(in_flight)]));
    }
    sections
}

fn instance(new: impl Fn(Answer) -> Report, source: &Source, instance: &Instance) -> Report {
    let protocol = &instance.protocol;
    let sentence = Section::of([Block::Text(words::instance(instance))]);
    let mut report = match (instance.findings.none(), &instance.stopped) {
        (true, Some(stop)) => new(Answer::Unknown(Unknown {
            reason: stop.to_string(),
            tried: vec![format!(
                "nothing goes wrong{} in the {} states that were explored",
                words::with_sizes(protocol, &instance.sizes),
                grouped(instance.states)
            )],
            ..Unknown::default()
        })),
        (true, None) => {
            let mut report = new(Answer::Holds(Proof {
                method: EXPLORATION.to_owned(),
                why: words::instance(instance).trim_end_matches('.').to_owned(),
                ..Proof::default()
            }));
            report.meaning = words::instance(instance);
            report.sections.push(sentence);
            report
        }
        (false, _) => {
            let mut runs = Vec::new();
            let mut sections = vec![sentence];
            let mut findings = Vec::new();
            if let (Some(run), Some(witness)) = (&instance.run, &instance.witness) {
                let told = run::run(source, protocol, run, witness);
                sections.push(Section::titled(told.title.clone(), [Block::Run(0)]));
                runs.push(told);
                let place = witness.place(&run.shows);
                findings.push(Finding {
                    rule: Rule::Protocol,
                    level: Level::Error,
                    message: words::goes_wrong(protocol, run),
                    span: place.and_then(|id| Some(words::Place::of(source, protocol, id)?.span)),
                    related: Vec::new(),
                    run: Some(0),
                    identity: vec![words::shown(protocol, &run.shows)],
                });
            }
            let accepted = instance.certificate.as_ref().map(|it| words::accepted(&it.claim));
            let mut report = new(Answer::Violated(Violation { runs, checked: accepted }));
            report.meaning = words::instance(instance);
            report.run_data =
                instance.run.as_ref().map(|it| data::run(protocol, it)).unwrap_or_default();
            report.sections = sections;
            report.findings = findings;
            report
        }
    };
    report.question.text = Some(match sizes_text(protocol, &instance.sizes) {
        sizes if sizes.is_empty() => "all runs".to_owned(),
        sizes => format!("all runs with {sizes}"),
    });
    report.data = data::instance(instance);
    report
}

/// A sequential program as text.
pub fn program(
    protocol: &Protocol,
    sequential: &[Sequential],
    unproved: &[StmtId],
    raw: bool,
) -> String {
    let unproved: BTreeSet<StmtId> = unproved.iter().copied().collect();
    let lines = nodes(protocol, sequential, if raw { Style::Raw } else { Style::Readable });
    match text_of(&lines, &unproved) {
        text if text.is_empty() => "skip; // nothing is assigned\n".to_owned(),
        text => text,
    }
}
