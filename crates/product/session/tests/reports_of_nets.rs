//! What `ser reach` has to tell, for every kind of answer.

use ser_base::Limits;
use ser_report::run::Value;
use ser_report::{Answer, Block, Kind, Report, Rule, Source, SourceError};
use ser_session::method::{Context, Method as _, Wants};
use ser_session::petri::Nets;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

fn nets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/nets")
}

fn example(name: &str) -> Arc<Source> {
    let text = std::fs::read_to_string(nets().join(name)).expect("an example");
    Arc::new(Source::new(name, Kind::of(name).expect("a kind"), text))
}

fn ask(source: &Arc<Source>, method: &Nets, limits: &Limits) -> Vec<Report> {
    assert!(method.reads(source.kind));
    let wants = Wants { certificate: true, ..Wants::default() };
    method.answer(source, &Context { limits, progress: &|_| (), wants, settle: &|_| () })
}

fn query(source: &Arc<Source>, query: &str) -> Report {
    let method = Nets { query: Some(query.to_owned()), ..Nets::default() };
    let mut reports = ask(source, &method, &Limits::default());
    assert_eq!(reports.len(), 1);
    reports.remove(0)
}

fn words(report: &Report) -> Vec<&str> {
    let blocks = report.sections.iter().flat_map(|section| &section.blocks);
    let words = blocks.filter_map(|block| match block {
        Block::Text(text) => Some(text.as_str()),
        Block::Quote(lines) => lines.first().map(String::as_str),
        _ => None,
    });
    words.collect()
}

#[test]
fn a_reachable_marking_comes_with_a_firing_sequence() {
    let report = query(&example("toy.net"), "P1 >= 20 && P5 = 1");
    assert_eq!((report.verdict(), report.exit_code()), ("reachable", 1));
    assert_eq!(report.question.text.as_deref(), Some("EF P1 >= 20 && P5 = 1"));
    assert_eq!(report.question.name, None);
    let run = report.answer.run().expect("a run");
    assert_eq!(run.steps.len(), 23);
    assert_eq!(run.steps[0].says, ["fires t3", "takes P2", "puts P4"]);
    let last = run.steps.last().expect("a step");
    let p1 = run.columns.iter().position(|it| it == "P1").expect("a column");
    assert_eq!(last.after[p1], Value::Number(20));
    assert_eq!(
        words(&report),
        [
            "23 transitions, one after the other:",
            "t3, t5, t4, t1 (20 times)",
            "The marking then: P1 = 20, P5 = 1, P6 = 1.",
        ]
    );
    let checked = report.answer.checked().expect("a checker");
    assert!(checked.ends_with(", and the transitions were fired on the net itself"), "{checked}");
    assert_eq!(report.data["firing_sequence"].as_array().map(Vec::len), Some(23));
    assert_eq!(report.data["marking"]["P1"], 20);
    assert_eq!(report.data["holds"], true);
    assert_eq!(report.data["property"], "query");
    let [finding] = report.findings.as_slice() else { panic!("{:?}", report.findings) };
    assert_eq!((finding.rule, finding.run), (Rule::Reachable, Some(0)));
    assert!(report.certificate.is_some());
}

#[test]
fn a_property_that_holds_is_unreachable() {
    let report = query(&example("toy.net"), "AG P5 = P6");
    assert_eq!((report.verdict(), report.exit_code()), ("unreachable", 0));
    let Answer::Holds(proof) = &report.answer else { panic!("{:?}", report.answer) };
    assert_eq!(proof.method, "reductions");
    assert!(proof.checked.is_some());
    assert_eq!(report.meaning, "The property holds: no reachable marking breaks it.");
    let words = words(&report);
    assert_eq!(words[0], report.meaning);
    assert!(words[1].starts_with("Why: once what can never take part"), "{words:?}");
    assert_eq!(report.data["holds"], true);
    assert!(report.findings.is_empty());
}

#[test]
fn a_property_that_does_not_hold_is_reachable() {
    let report = query(&example("toy.net"), "AG P1 <= 3");
    assert_eq!(report.exit_code(), 1);
    assert!(report.meaning.starts_with("The property does NOT hold"));
    assert_eq!(report.data["holds"], false);
}

#[test]
fn the_initial_marking_may_be_it() {
    let report = query(&example("toy.net"), "P2 = 1");
    assert_eq!(words(&report), ["The initial marking is like this: P2 = 1."]);
}

#[test]
fn every_property_of_a_file_has_a_report() {
    let file = nets().join("producer_consumer.xml");
    let query_file = Some(file.to_str().expect("a path").to_owned());
    let source = example("producer_consumer.pnml");
    let method = Nets { query_file, ..Nets::default() };
    let reports = ask(&source, &method, &Limits::default());
    let verdicts: Vec<(Option<&str>, &str)> =
        reports.iter().map(|it| (it.question.name.as_deref(), it.verdict())).collect();
    assert_eq!(
        verdicts,
        [
            (Some("buffer-can-be-full"), "reachable"),
            (Some("buffer-never-overflows"), "unreachable"),
            (Some("no-deadlock"), "unreachable"),
            (Some("both-hands-full-with-two-items"), "reachable"),
        ]
    );
    let only = Nets { property: Some("no-deadlock".to_owned()), ..method.clone() };
    assert_eq!(ask(&source, &only, &Limits::default()).len(), 1);
    let none = Nets { property: Some("no-deadlok".to_owned()), ..method };
    let reports = ask(&source, &none, &Limits::default());
    let Answer::Error(SourceError::Unreadable { message, help }) = &reports[0].answer else {
        panic!("{:?}", reports[0].answer)
    };
    assert_eq!(message, "there is no property `no-deadlok`");
    assert!(help.as_deref().is_some_and(|help| help.contains("no-deadlock")), "{help:?}");
}

#[test]
fn errors_are_told_where_they_are() {
    let report = query(&example("toy.net"), "AG P5 = P9");
    let Answer::Error(SourceError::Argument { argument, diagnostics, .. }) = &report.answer else {
        panic!("{:?}", report.answer)
    };
    assert_eq!(*argument, "--query");
    assert_eq!(diagnostics[0].message, "the net has no place `P9`");
    assert_eq!(diagnostics[0].primary.span.start, 8);

    let source = Arc::new(Source::new("bad.net", Kind::Net, "pl p (1)\ntr t p?-1 -> q\n".into()));
    let report = query(&source, "p = 1");
    let Answer::Error(SourceError::Diagnostics(diagnostics)) = &report.answer else {
        panic!("{:?}", report.answer)
    };
    let at = source.lines.position(diagnostics[0].primary.span.start);
    assert_eq!((at.line.number, at.column), (2, 7));
    assert_eq!(report.exit_code(), 2);
}

#[test]
fn limits_give_no_answer_and_a_way_out() {
    let limits = Limits::default().with_timeout(Duration::ZERO);
    let method = Nets { query: Some("P1 = 7".to_owned()), ..Nets::default() };
    let reports = ask(&example("toy.net"), &method, &limits);
    let Answer::Unknown(unknown) = &reports[0].answer else { panic!("{:?}", reports[0].answer) };
    assert!(unknown.reason.starts_with("ser has found neither"), "{}", unknown.reason);
    assert_eq!(unknown.help, ["give it more time with --timeout"]);
    assert_eq!(reports[0].exit_code(), 3);
}
