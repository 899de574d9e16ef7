//! Reports about invariants: one of each kind.

use ser_base::Limits;
use ser_generators::samples::{FLAG_LOCK, SHARED_CELL, TICKET_LOCK};
use ser_report::run::End;
use ser_report::{
    Answer, Block, Detail, Kind, Level, Report, Rule, Run, Section, Source, SourceError, Value,
};
use ser_session::invariance::{GraphFormat, Invariance, locations, verify};
use ser_session::method::{Context, Method, Wants};
use ser_session::verified::Verified;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/threads")
}

fn source(text: &str) -> Arc<Source> {
    Arc::new(Source::new("test.ser", Kind::Invariants, text.to_owned()))
}

fn example(name: &str) -> Arc<Source> {
    source(&std::fs::read_to_string(folder().join(name)).expect("an example"))
}

fn asked(method: &Invariance, source: &Arc<Source>, limits: &Limits, wants: Wants) -> Report {
    let context = Context { limits, progress: &|_| {}, wants, settle: &|_| {} };
    let mut reports = method.answer(source, &context);
    assert_eq!(reports.len(), 1);
    let report = reports.remove(0);
    assert!(report.source.is_some());
    report
}

fn answer(source: &Arc<Source>) -> Report {
    let wants = Wants { certificate: true, ..Wants::default() };
    asked(&Invariance::default(), source, &Limits::default(), wants)
}

fn inferred(text: &str) -> Report {
    let method = Invariance { infer: true, ..Invariance::default() };
    asked(&method, &source(text), &Limits::default(), Wants::default())
}

/// The text of the sections that are shown to these readers.
fn text(report: &Report, details: &[Detail]) -> String {
    let mut out = String::new();
    for Section { title, blocks, detail } in &report.sections {
        if !details.contains(detail) {
            continue;
        }
        out += &format!("{}\n", title.as_deref().unwrap_or_default());
        for block in blocks {
            match block {
                Block::Text(text) | Block::Remark(text) | Block::Code(text) => out += text,
                Block::Emphasis(lines) | Block::Quote(lines) => out += &lines.join("\n"),
                Block::Snippet { diagnostic, .. } => out += &diagnostic.message,
                Block::Table(table) => out += &format!("{:?}", table.rows),
                Block::Run(number) => out += &format!("run {number}"),
                _ => {}
            }
            out += "\n";
        }
    }
    out
}

fn shown(report: &Report) -> String {
    text(report, &[Detail::Always])
}

fn run(report: &Report) -> &Run {
    report.answer.run().unwrap_or_else(|| panic!("no run: {report:#?}"))
}

#[test]
fn a_proof_has_a_table_and_a_certificate() {
    let report = answer(&example("ticket_lock.ser"));
    assert_eq!((report.verdict(), report.exit_code()), ("proved", 0));
    let text = shown(&report);
    assert!(text.contains("hold for any number of threads"), "{text}");
    assert!(text.contains("\"mutex\", \"i, j\""), "{text}");
    let Answer::Holds(proof) = &report.answer else { panic!("{report:#?}") };
    assert_eq!(proof.method, "parametrized-invariance");
    assert!(proof.checked.as_ref().is_some_and(|it| it.contains("cases with")), "{proof:?}");
    assert!(report.findings.is_empty() && !report.meaning.is_empty());
    assert!(report.data["invariants"].as_array().is_some_and(|it| !it.is_empty()));
    let certificate = report.certificate.as_deref().expect("a certificate");
    let source = report.source.as_ref().expect("a source");
    let verified = verify(certificate, &source.text, &Limits::default());
    let Verified::Valid(valid) = verified else { panic!("{verified:?}") };
    assert!(valid.words.starts_with("proved: ") && !valid.claims.is_empty(), "{valid:?}");
    let other = verify(
        certificate,
        "set Threads  process thread for self in Threads {}",
        &Limits::default(),
    );
    assert!(matches!(other, Verified::Rejected(_)), "{other:?}");
}

#[test]
fn a_violated_invariant_has_a_run() {
    let report = answer(&example("lost_update.ser"));
    assert_eq!((report.verdict(), report.exit_code()), ("refuted", 1));
    assert!(shown(&report).contains("`exact` is violated: there is a run that shows it."));
    let run = run(&report);
    let lanes: Vec<&str> = run.lanes.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(lanes, ["t1", "t2"]);
    assert_eq!(run.columns, ["count", "added"]);
    assert_eq!(run.start, [Value::Number(0), Value::Number(0)]);
    let last = run.steps.last().expect("a step");
    assert_eq!(last.after, [Value::Number(1), Value::Number(2)]);
    assert_eq!(last.writes, [("added".to_owned(), Value::Number(2))]);
    assert_eq!((last.lines[0].line.number, last.lines[0].code.as_str()), (21, "count := seen + 1"));
    assert_eq!(run.ends[0], "`exact` does not hold");
    assert!(run.ends.contains(&"t1 is at line 19".to_owned()), "{:?}", run.ends);
    assert!(run.ends.contains(&"added = 2".to_owned()), "{:?}", run.ends);
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert_eq!(
        (finding.rule, finding.level, finding.run),
        (Rule::Invariant, Level::Error, Some(0))
    );
    let lines = &report.source.as_ref().expect("a source").lines;
    assert_eq!(finding.span.map(|it| lines.row(it.start)), Some(25));
    assert_eq!(report.run_data["shows"]["invariant"], json!("exact"));
    assert_eq!(report.answer.checked(), Some("a run of 6 steps"));
    let certificate = report.certificate.as_deref().expect("a certificate");
    let source = &report.source.as_ref().expect("a source").text;
    let Verified::Valid(valid) = verify(certificate, source, &Limits::default()) else { panic!() };
    assert!(valid.words.starts_with("refuted: there is a run of 2 threads"), "{valid:?}");
}

#[test]
fn all_runs_are_there_and_the_others_are_told_in_short() {
    let report = answer(&example("peterson_any.ser"));
    let Answer::Violated(violation) = &report.answer else { panic!("{report:#?}") };
    assert_eq!(violation.runs.len(), 3);
    assert_eq!(report.findings.iter().filter(|it| it.rule == Rule::Invariant).count(), 3);
    let text = shown(&report);
    assert!(text.contains("`wants` holds for any number of threads."), "{text}");
    assert!(text.contains("run 0") && !text.contains("run 1"), "{text}");
    assert!(text.contains("is violated, too") && text.contains("--conditions shows them."));
    let all = self::text(&report, &[Detail::Always, Detail::Verbose]);
    assert!(all.contains("run 2"), "{all}");
}

#[test]
fn a_step_that_is_an_error_ends_the_run() {
    let report = answer(&example("foreign_unlock.ser"));
    assert_eq!(report.exit_code(), 1);
    let last = run(&report).steps.last().expect("a step");
    let why = "a cell is unlocked by a thread that has not locked it";
    assert_eq!(last.end, Some(End::Fails(why.to_owned())));
    assert!(shown(&report).contains("heap at the start:\n  cell -> a1"), "{}", shown(&report));
    assert_eq!(report.run_data["shows"]["kind"], json!("error"));
}

#[test]
fn a_step_that_may_break_an_invariant_is_shown_with_its_state() {
    let report = answer(&source(TICKET_LOCK));
    assert_eq!((report.verdict(), report.exit_code()), ("not_inductive", 4), "{report:#?}");
    let text = shown(&report);
    assert!(text.contains("the proof does not go through"), "{text}");
    assert!(text.contains("may break `mutex`"), "{text}");
    assert!(text.contains("then `mutex` does not hold"), "{text}");
    assert!(text.contains("A draft that excludes this state"), "{text}");
    assert!(!report.findings.is_empty());
    let is_warning = |it: &ser_report::Finding| {
        (it.rule, it.level, it.run) == (Rule::NotInductive, Level::Warning, None)
            && it.span.is_some()
    };
    assert!(report.findings.iter().all(is_warning), "{:#?}", report.findings);
    assert!(report.data["reason"].is_string());
    assert_eq!(report.data["counter_models"][0]["invariant"], json!("mutex"));
}

#[test]
fn support_that_was_found_is_shown_and_can_be_written() {
    let report = inferred(TICKET_LOCK);
    assert_eq!(report.exit_code(), 0, "{report:#?}");
    let text = shown(&report);
    assert!(text.contains("Found: of") && text.contains("invariant "), "{text}");
    let [attachment] = report.attachments.as_slice() else { panic!("{report:#?}") };
    assert_eq!(attachment.option, "--write");
    let completed = attachment.text.clone().expect("a file");
    assert_eq!(answer(&source(&completed)).exit_code(), 0, "{completed}");
    let unneeded = inferred(FLAG_LOCK);
    assert!(unneeded.attachments[0].text.is_err());
    assert!(shown(&unneeded).contains("No support had to be found"));
}

#[test]
fn places_in_a_text_with_what_was_found_are_not_places_in_the_file() {
    // What is found helps, but not enough: the goal counts threads.
    let text = "var a: int = 0; var b: int = 0;
        set Threads  process thread for self in Threads { loop { p: a := a + 1; q: b := b + 1; } }
        invariant close: b <= a;
        invariant up(i): at(i, q) -> a >= 0;";
    let report = inferred(text);
    if matches!(report.data.get("inferred"), Some(it) if it.get("text").is_some()) {
        assert!(report.findings.iter().all(|it| it.span.is_none()), "{:#?}", report.findings);
    }
    assert_ne!(report.exit_code(), 0, "{report:#?}");
}

#[test]
fn every_condition_is_there_for_whoever_asks() {
    let (limits, method) = (Limits::default(), Invariance::default());
    let brief = asked(&method, &source(FLAG_LOCK), &limits, Wants::default());
    assert!(brief.certificate.is_none() && brief.data["invariants"][0].get("all").is_none());
    let wants = Wants { verbose: true, ..Wants::default() };
    let report = asked(&method, &source(FLAG_LOCK), &limits, wants);
    let all = text(&report, &[Detail::Verbose]);
    assert!(all.contains("mutex: ") && all.contains("\"start\""), "{all}");
    assert!(report.data["invariants"][0]["all"].is_array());
    let page =
        asked(&method, &source(FLAG_LOCK), &limits, Wants { page: true, ..Wants::default() });
    let is_picture = |it: &Section| matches!(it.blocks.as_slice(), [Block::Picture(_)]);
    assert!(page.sections.iter().any(|it| it.detail == Detail::Page && is_picture(it)));
    assert!(page.certificate.is_some());
}

#[test]
fn heaps_and_real_breaches_are_told_in_full() {
    let wants = Wants { verbose: true, ..Wants::default() };
    let report = asked(&Invariance::default(), &source(SHARED_CELL), &Limits::default(), wants);
    assert_eq!(report.exit_code(), 1);
    let text = text(&report, &[Detail::Always, Detail::Verbose]);
    assert!(text.contains("Real: a run violates this invariant (see above)."), "{text}");
    assert!(text.contains("heap at the end:\n  mine[t2] -> a1 (lowest) -> null"), "{text}");
    assert!(!text.contains("--conditions"), "{text}");
}

#[test]
fn a_file_that_claims_nothing_is_an_input_error() {
    let report = answer(&source(
        "var x: int = 0; set Threads  process thread for self in Threads { x := 1; }",
    ));
    assert_eq!((report.verdict(), report.exit_code()), ("error", 2));
    let Answer::Error(SourceError::Unreadable { message, help: Some(help) }) = &report.answer
    else {
        panic!("{report:#?}")
    };
    assert!(message.starts_with("there is nothing to prove"), "{message}");
    assert!(help.contains("`invariant "), "{help}");
    assert!(report.warnings.is_empty(), "said once: {:#?}", report.warnings);
    // That no step is an error is something to prove.
    let report = answer(&source(
        "var x: int = 0; set Threads  process thread for self in Threads { atomic { x := 1; assert x == 1; } }",
    ));
    assert_eq!(report.exit_code(), 0, "{report:#?}");
    assert!(shown(&report).contains("no step is an error"));
    assert!(report.warnings.is_empty(), "{:#?}", report.warnings);
    let report = answer(&source(
        "var x: int = 0; set Threads  process thread for self in Threads { assert x == 1; }",
    ));
    assert_eq!(report.exit_code(), 1, "{report:#?}");
}

#[test]
fn limits_and_errors_are_told_by_the_answer() {
    let cancel = Some(Arc::new(AtomicBool::new(true)));
    let limits = Limits { cancel, ..Limits::default() };
    let report =
        asked(&Invariance::default(), &example("ticket_lock.ser"), &limits, Wants::default());
    assert!(report.is_interrupted(), "{report:#?}");

    let report = answer(&source(
        "var x: int = 0; set Threads  process thread for self in Threads { y := 1; }",
    ));
    assert!(
        matches!(&report.answer, Answer::Error(SourceError::Diagnostics(it)) if !it.is_empty())
    );
    let method = Invariance { only: vec!["nothing".to_owned()], ..Invariance::default() };
    let report = asked(&method, &source(FLAG_LOCK), &Limits::default(), Wants::default());
    let Answer::Error(error) = &report.answer else { panic!("{report:#?}") };
    assert!(error.sentence().contains("there is no invariant `nothing`"), "{error:?}");

    let stuck = source(
        "var x: int = 0; assume x == 1; set Threads  process thread for self in Threads { x := 1; } invariant a: x == 1;",
    );
    let report = answer(&stuck);
    let Answer::Unknown(unknown) = &report.answer else { panic!("{report:#?}") };
    assert!(unknown.reason.starts_with("there is no state in which the program can start"));
    assert!(!unknown.help.is_empty() && !shown(&report).contains("Checked independently"));
}

#[test]
fn graphs_and_locations_are_there() {
    for (path, format) in
        [("a.svg", GraphFormat::Svg), ("a.gv", GraphFormat::Dot), ("a", GraphFormat::Text)]
    {
        assert_eq!(GraphFormat::of(path, false), Ok(format));
        let method = Invariance { graph: Some(format), ..Invariance::default() };
        let report = asked(&method, &source(FLAG_LOCK), &Limits::default(), Wants::default());
        let [attachment] = report.attachments.as_slice() else { panic!("{report:#?}") };
        assert_eq!(attachment.option, "--graph");
        let text = attachment.text.as_deref().expect("a graph");
        assert!(text.contains("mutex"), "{text}");
    }
    assert_eq!(GraphFormat::of("folder", true), Ok(GraphFormat::Svg));
    assert!(GraphFormat::of("a.png", false).is_err());

    let (section, data) = locations(&source(FLAG_LOCK)).expect("locations");
    assert!(section.title.is_some_and(|it| it.contains("locations, ")));
    assert_eq!(data["locations"][1]["name"], json!("take"));
    assert!(locations(&source("set Threads  process thread for self in Threads {")).is_err());
}

#[test]
fn every_example_has_the_verdict_that_it_promises() {
    for entry in std::fs::read_dir(folder()).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("an example");
        let promise = text.lines().next().and_then(|it| it.strip_prefix("// expect: "));
        let code = if promise == Some("proved") { 0 } else { 1 };
        let report = answer(&source(&text));
        assert_eq!(report.exit_code(), code, "{}: {report:#?}", path.display());
        assert_eq!(report.findings.is_empty(), code == 0, "{}", path.display());
        assert!(report.certificate.is_some(), "{}", path.display());
    }
}
