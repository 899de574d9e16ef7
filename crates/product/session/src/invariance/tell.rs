//! From what was found about invariants to a report.
//!
//! The verdict comes first, in plain words, then a table with a row for each invariant, then what
//! is in the way: the run that violates an invariant, or the step that breaks it and the state in
//! which it does.

mod breach;
mod conditions;
mod data;
mod run;
mod sentences;
mod table;

pub(super) use run::{blocks as run_blocks, run};
pub(super) use table::rule;

use super::breach::{breach as breach_of, kinds};
use super::run::run_remark;
use super::words::named;
use super::{Checked, Found, Inferred, Invariance, graph, unknown_words};
use crate::method::{self, Wants};
use ser_invariance_search::answer::Verdict;
use ser_invariance_search::decide::Reason;
use ser_report::text::{and, count};
use ser_report::{
    Answer, Attachment, Block, Detail, Finding, Level, Method, Proof, Question, Report, Rule,
    Section, Source, SourceError, Unknown, Violation,
};
use ser_syntax::Diagnostic;

/// So many states that break a condition are shown to somebody who has not asked for all.
const SHOWN: usize = 3;

/// The report about a source.
pub fn report(source: &Source, found: &Found, options: &Invariance, wants: Wants) -> Report {
    let new = |answer| Report::new(&source.name, Question::of(Method::Invariance), answer);
    let mut report = match found {
        Found::Answer(checked) => {
            let mut report = new(answer_of(source, checked));
            report.meaning = sentences::verdict(checked).unwrap_or_default();
            report.sections = sections(source, checked, wants);
            report.findings = findings(source, checked);
            report.data = data::answer(checked, wants.verbose);
            report.run_data =
                checked.runs.first().map(|it| data::run(checked, it)).unwrap_or_default();
            if wants.certificate || wants.page {
                report.certificate = checked
                    .certificate
                    .as_ref()
                    .and_then(|it| Some(serde_json::to_string(it).ok()? + "\n"));
            }
            report
        }
        Found::Nothing => new(Answer::Error(nothing_to_prove())),
        Found::Stopped(stop) => new(Answer::Unknown(method::stopped(stop))),
        Found::Unchecked(words) => new(Answer::Unknown(method::unchecked(words))),
        Found::Rejected(words) => new(Answer::Withheld(words.clone())),
    };
    report.attachments = attachments(source, found, options);
    report
}

/// What is wrong with a file that claims nothing.
fn nothing_to_prove() -> SourceError {
    SourceError::unreadable(
        "there is nothing to prove: there are no invariants, and no step can be an error",
        "write `invariant name(i): ...`",
    )
}

fn attachments(source: &Source, found: &Found, options: &Invariance) -> Vec<Attachment> {
    let checked = match found {
        Found::Answer(checked) => Some(checked),
        _ => None,
    };
    let mut attachments = Vec::new();
    if options.infer {
        let text = match checked.and_then(|it| it.inferred.as_ref()) {
            Some(Inferred::Found(found)) => Ok(ser_base::first_file(&found.text).to_owned()),
            _ => Err("no invariants were found".to_owned()),
        };
        attachments.push(Attachment { option: "--write", text });
    }
    if let Some(format) = options.graph {
        let text = match checked {
            Some(checked) => format.draw(&source.name, checked),
            None => Err("there is no proof".to_owned()),
        };
        attachments.push(Attachment { option: "--graph", text });
    }
    attachments
}

fn answer_of(source: &Source, checked: &Checked) -> Answer {
    match &checked.verdict {
        Verdict::Proved if checked.counted.is_some() => Answer::Holds(Proof {
            method: "counting".to_owned(),
            why: "no step of any thread leaves the sets of states in which what is claimed holds"
                .to_owned(),
            points: Vec::new(),
            checked: sentences::accepted(checked),
        }),
        Verdict::Proved => Answer::Holds(Proof {
            method: "parametrized-invariance".to_owned(),
            why: "what is claimed holds at the start, and every step of every thread keeps it"
                .to_owned(),
            points: Vec::new(),
            checked: sentences::accepted(checked),
        }),
        Verdict::Refuted(_) => Answer::Violated(Violation {
            runs: checked.runs.iter().map(|it| run(source, checked, it)).collect(),
            checked: sentences::accepted(checked),
        }),
        Verdict::NotInductive => Answer::NotInductive,
        Verdict::Unknown(Reason::Stopped(stop)) => Answer::Unknown(method::stopped(stop)),
        Verdict::Unknown(reason) => {
            let (reason, help) = unknown_words(reason);
            Answer::Unknown(Unknown { reason, help: vec![help], ..Unknown::default() })
        }
        // There is no such answer.
        Verdict::Contradiction(_) => Answer::Withheld("the answer contradicts itself".to_owned()),
    }
}

fn sections(source: &Source, checked: &Checked, wants: Wants) -> Vec<Section> {
    let mut sections = Vec::new();
    sections.extend(sentences::verdict(checked).map(|it| Section::of([Block::Text(it)])));
    sections.extend(
        checked
            .uncounted
            .as_ref()
            .filter(|_| checked.verdict != Verdict::Proved)
            .map(|why| Section::of([Block::Text(format!("Threads were not counted: {why}."))])),
    );
    sections.extend(inferred(source, checked));
    sections.extend(table::table(checked).map(|it| Section::of([Block::Table(it)])));
    if wants.verbose || wants.page {
        sections.extend(conditions::sections(checked));
    }
    sections.extend(runs(source, checked, wants.verbose));
    sections.extend(breaches(source, checked, wants.verbose));
    if wants.page {
        let picture = graph::picture(&source.name, checked);
        let picture = picture.map(|it| Section::of([Block::Picture(Box::new(it))]));
        sections.extend(picture.map(|it| it.with_detail(Detail::Page)));
    }
    if matches!(checked.verdict, Verdict::NotInductive | Verdict::Unknown(_)) {
        let accepted = sentences::accepted(checked);
        sections.extend(accepted.map(|it| Section::of([method::checked_remark(&it)])));
    }
    if wants.certificate && checked.certificate.is_some() {
        sections.extend(certified(source, checked).map(|it| Section::of([Block::Remark(it)])));
    }
    sections
}

/// What there is to know about the certificate, if it is not just a proof of what is claimed.
fn certified(source: &Source, checked: &Checked) -> Option<String> {
    let words = match checked.verdict {
        Verdict::NotInductive | Verdict::Unknown(_) => "The certificate shows only what is proved.",
        _ if !is_about(source, checked) => {
            "The certificate contains the invariants that were found."
        }
        _ => return None,
    };
    Some(words.to_owned())
}

/// What became of the search for support.
fn inferred(source: &Source, checked: &Checked) -> Option<Section> {
    let inferred = checked.inferred.as_ref()?;
    let mut blocks = vec![Block::Text(sentences::inferred(inferred))];
    if let Inferred::Found(found) = inferred {
        blocks.push(Block::Code(
            found.added.iter().map(|it| format!("{}\n", it.trim_end())).collect(),
        ));
        let named = named(source, checked, &found.added);
        if !named.is_empty() {
            let places: Vec<String> =
                named.iter().map(|(name, line)| format!("`{name}` is line {line}")).collect();
            blocks.push(Block::Text(format!(
                "In this, {}: places that have no name in the file. `--write` names them.",
                and(&places)
            )));
        }
    }
    Some(Section::of(blocks))
}

/// The runs of a refutation: the first one for everybody, the others for whoever asks for all.
fn runs(source: &Source, checked: &Checked, all: bool) -> Vec<Section> {
    let mut sections = Vec::new();
    for (number, shown) in checked.runs.iter().enumerate() {
        let mut blocks = vec![snippet(source, checked, run_remark(checked, shown))];
        blocks.extend(run::blocks(checked, shown, number));
        let detail = if number == 0 { Detail::Always } else { Detail::Verbose };
        sections.push(Section::of(blocks).with_detail(detail));
    }
    if checked.runs.len() > 1 && !all {
        let others = checked.runs.iter().skip(1).map(|it| sentences::shown(checked, it));
        let mut blocks: Vec<Block> = others.map(Block::Text).collect();
        let them = if blocks.len() == 1 { "it" } else { "them" };
        blocks.push(Block::Remark(format!("--conditions shows {them}.")));
        // Right after the run that everybody sees.
        sections.insert(1, Section::of(blocks));
    }
    sections
}

/// The conditions that fail. Of invariants that a run violates, the run says more.
fn breaches(source: &Source, checked: &Checked, all: bool) -> Vec<Section> {
    let open = sentences::open_models(checked, false);
    let models = sentences::open_models(checked, true);
    let (mut sections, mut shown, mut more) = (Vec::new(), 0, 0);
    for (model, others) in kinds(&models) {
        let is_open = open.iter().any(|it| std::ptr::eq(*it, model));
        let is_shown = is_open && shown < SHOWN;
        shown += usize::from(is_shown);
        more += if is_open && !is_shown { 1 + others.len() } else { 0 };
        let breach = breach_of(checked, model);
        let mut blocks = vec![snippet(source, checked, breach.remark.clone())];
        blocks.extend(breach::blocks(checked, model, &breach, &others));
        let detail = if is_shown { Detail::Always } else { Detail::Verbose };
        sections.push(Section::of(blocks).with_detail(detail));
    }
    if more > 0 && !all {
        let fail = if more == 1 { "fails" } else { "fail" };
        let words = format!("{} {fail}; --conditions shows all.", count(more, "more condition"));
        sections.push(Section::of([Block::Remark(words)]));
    }
    sections
}

/// Whether the answer is about the source itself, and not about the source with support that was
/// found.
fn is_about(source: &Source, checked: &Checked) -> bool {
    source.text == checked.source.text
}

/// A remark on source lines.
fn snippet(source: &Source, checked: &Checked, diagnostic: Diagnostic) -> Block {
    let other = (!is_about(source, checked))
        .then(|| (format!("{} with what was found", source.name), checked.source.text.clone()));
    Block::Snippet { diagnostic, other }
}

fn findings(source: &Source, checked: &Checked) -> Vec<Finding> {
    let runs = checked.runs.iter().enumerate().map(|(number, shown)| {
        let remark = run_remark(checked, shown);
        Finding { run: Some(number), ..Finding::of(Rule::Invariant, Level::Error, &remark) }
    });
    let mut findings: Vec<Finding> = runs.collect();
    for (model, _) in kinds(&sentences::open_models(checked, false)) {
        let remark = breach_of(checked, model).remark;
        findings.push(Finding::of(Rule::NotInductive, Level::Warning, &remark));
    }
    if !is_about(source, checked) {
        // Places in a text that nobody has are of no use.
        for finding in &mut findings {
            finding.span = None;
            finding.related.clear();
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use ser_base::Stop;
    use ser_report::Kind;

    #[test]
    fn what_the_checker_rejects_is_withheld() {
        let source = Source::new("a.ser", Kind::Invariants, String::new());
        let told = |found| {
            let options = Invariance { graph: Some(graph::GraphFormat::Dot), ..Default::default() };
            report(&source, &found, &options, Wants::default())
        };
        let report = told(Found::Rejected("premise 3".to_owned()));
        assert!(matches!(&report.answer, Answer::Withheld(words) if words == "premise 3"));
        assert!(report.attachments[0].text.is_err());
        let report = told(Found::Unchecked("too deep".to_owned()));
        assert!(matches!(&report.answer, Answer::Unknown(it) if it.tried == ["too deep"]));
        assert!(told(Found::Stopped(Stop::Cancelled)).is_interrupted());
        assert_eq!(told(Found::Nothing).exit_code(), 2);
    }
}
