//! Reports about protocols: one of each kind.

use ser_base::Limits;
use ser_report::run::End;
use ser_report::{Answer, Block, Kind, Level, Report, Rule, Run, Section, Source, SourceError};
use ser_session::method::{Context, Method, Wants};
use ser_session::sequentialization::{Sequentialization, promela, verify};
use ser_session::verified::Verified;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/messages")
}

fn source(text: &str) -> Arc<Source> {
    Arc::new(Source::new("test.ser", Kind::Protocol, text.to_owned()))
}

fn example(name: &str) -> Arc<Source> {
    let text = std::fs::read_to_string(folder().join(name)).expect("an example");
    Arc::new(Source::new(name, Kind::Protocol, text))
}

fn asked(method: &Sequentialization, source: &Arc<Source>, limits: &Limits) -> Report {
    let wants = Wants { certificate: true, ..Wants::default() };
    let context = Context { limits, progress: &|_| {}, wants, settle: &|_| {} };
    let mut reports = method.answer(source, &context);
    assert_eq!(reports.len(), 1);
    let report = reports.remove(0);
    assert_eq!(report.file, source.name);
    assert!(report.source.is_some());
    report
}

fn answer(source: &Arc<Source>) -> Report {
    asked(&Sequentialization::default(), source, &Limits::default())
}

fn with_sizes(source: &Arc<Source>, sizes: &[(&str, u32)]) -> Report {
    let sizes = sizes.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
    let method = Sequentialization { sizes: Some(sizes), ..Sequentialization::default() };
    asked(&method, source, &Limits::default())
}

/// All text that everybody gets to see.
fn text(report: &Report) -> String {
    let mut out = String::new();
    for Section { title, blocks, .. } in &report.sections {
        out += &format!("{}\n", title.as_deref().unwrap_or_default());
        for block in blocks {
            match block {
                Block::Text(text) | Block::Remark(text) | Block::Code(text) => out += text,
                Block::Snippet { diagnostic, .. } => out += &diagnostic.message,
                Block::Table(table) => out += &format!("{:?}", table.rows),
                _ => {}
            }
            out += "\n";
        }
    }
    out
}

fn run(report: &Report) -> &Run {
    report.answer.run().unwrap_or_else(|| panic!("no run: {report:#?}"))
}

fn sentences(run: &Run) -> Vec<String> {
    run.steps.iter().map(|step| run.sentence(step, None)).collect()
}

#[test]
fn a_sequential_program_is_shown_and_has_a_certificate() {
    let report = answer(&example("map-reduce.ser"));
    assert_eq!((report.verdict(), report.exit_code()), ("sequentialized", 0));
    let text = text(&report);
    assert!(
        text.contains(
            "For any number of members of `Mappers` (at least 1) and `Pieces`: no process waits \
             forever and every message is received."
        ),
        "{text}"
    );
    assert!(text.contains("for i in Pieces {\n    w := choose(Mappers);"), "{text}");
    assert_eq!(report.answer.checked(), Some("a derivation of 20 steps"));
    assert!(report.findings.is_empty() && !report.meaning.is_empty());
    assert_eq!(report.data["deadlock_free"], json!(true));
    assert_eq!(report.data["program"][0]["body"][1]["text"], json!("queue.x := w"));
    assert!(report.data["program"][0]["body"][1]["line"].is_u64());
    assert_eq!(report.data["servers"], json!({ "active": [], "unvisited": [] }));
    let certificate = report.certificate.expect("a certificate");
    let source = report.source.as_ref().expect("a source");
    let verified =
        |certificate: &str, source: &str| verify(certificate, source, &ser_base::Limits::default());
    let valid = verified(&certificate, &source.text);
    let Verified::Valid(valid) = valid else { panic!("{valid:?}") };
    assert!(valid.words.starts_with("sequentialized: no process waits forever"), "{valid:?}");
    assert!(matches!(verified(&certificate, "process p {}"), Verified::Rejected(_)));
    assert!(matches!(verified("{}", ""), Verified::Unreadable(_)));
}

#[test]
fn servers_may_wait() {
    let report = answer(&example("ex7.ser"));
    assert_eq!(report.exit_code(), 0);
    assert!(text(&report).contains("no process other than a server waits forever"));
}

#[test]
fn a_process_that_waits_forever_has_a_run() {
    let report = answer(&example("broken/async-p-wrong-type.ser"));
    assert_eq!((report.verdict(), report.exit_code()), ("refuted", 1));
    assert!(text(&report).contains("There is a run with Q = 1 in which `master` waits forever."));
    assert!(text(&report).contains("every worker"), "what is left is shown");
    let run = run(&report);
    assert_eq!(run.title, "The run, with Q = 1");
    let lanes: Vec<&str> = run.lanes.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(lanes, ["master", "worker[0]"]);
    assert_eq!(
        sentences(run),
        [
            "master sets x to worker[0]",
            "master sends Hello(master) to worker[0]",
            "worker[0] receives Hello(master) from master",
            "worker[0] sends Number(1) to master",
            "master sets x to worker[0]",
        ]
    );
    assert!(
        run.steps.iter().all(|it| it.lines.len() == 1 && it.lines[0].line.number > 0),
        "{run:#?}"
    );
    assert_eq!(
        run.ends,
        [
            "master waits at line 18: `Reply(w) := recv Reply`",
            "worker[0] has ended",
            "Number(1) from worker[0] to master is never received",
        ]
    );
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert_eq!((finding.rule, finding.level, finding.run), (Rule::Protocol, Level::Error, Some(0)));
    let source = report.source.as_ref().expect("a source");
    assert_eq!(finding.span.map(|it| source.lines.line(it.start).number), Some(18));
    assert!(!finding.related.is_empty());
    assert_eq!(report.run_data["shows"]["kind"], json!("deadlock"));
    assert_eq!(report.run_data["sizes"], json!({ "Q": 1 }));
    assert_eq!(report.data["failure"]["kind"], json!("blocked_receive"));
    let certificate = report.certificate.as_deref().expect("a certificate");
    let source = &report.source.as_ref().expect("a source").text;
    let valid = verify(certificate, source, &ser_base::Limits::default());
    let Verified::Valid(valid) = valid else { panic!("{valid:?}") };
    assert_eq!(valid.words, "refuted: there is a run with Q = 1 in which `master` waits forever");
}

#[test]
fn an_assertion_that_fails_ends_the_run() {
    let text = "msg A = A(int); process p { send A(1) to q; } process q { A(x) := recv A; assert x == 2; }";
    let report = answer(&source(text));
    assert_eq!(report.exit_code(), 1, "{report:#?}");
    let last = run(&report).steps.last().expect("a step");
    assert_eq!(last.end, Some(End::Fails("the assertion does not hold".to_owned())));
    assert_eq!(report.data["failure"]["kind"], json!("failing_assertion"));
    assert!(self::text(&report).contains("The sequential program"), "{report:#?}");
}

#[test]
fn what_is_in_the_way_is_told_if_nothing_is_known() {
    let report = answer(&example("broken/get-or-set.ser"));
    assert_eq!(report.exit_code(), 3);
    let Answer::Unknown(unknown) = &report.answer else { panic!("{report:#?}") };
    assert_eq!(unknown.reason, "neither a sequential program nor a run that goes wrong was found");
    let [tried] = unknown.tried.as_slice() else { panic!("{unknown:?}") };
    assert!(tried.starts_with("no run goes wrong with up to"), "{tried}");
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert_eq!((finding.rule, finding.level), (Rule::Unknown, Level::Note));
    assert!(!finding.message.contains("no run goes wrong"), "said once: {}", finding.message);
    assert!(report.certificate.is_none());
}

#[test]
fn assertions_that_are_not_proved_are_told_with_the_program() {
    let text = "msg A = A(int);
        process p { x := choose(int); y := choose(int); send A(x * x * x) to q; }
        process q { A(z) := recv A; assert z != 1729000; }";
    let report = answer(&source(text));
    if let Answer::Unknown(unknown) = &report.answer
        && report.data["deadlock_free"] == json!(true)
    {
        assert!(unknown.reason.contains("not all assertions are proved"), "{unknown:?}");
        assert!(self::text(&report).contains("Checked independently: a derivation of"));
        assert!(self::text(&report).contains("The sequential program"));
    } else {
        panic!("{report:#?}");
    }
}

#[test]
fn limits_and_errors_are_told_by_the_answer() {
    let cancel = Some(Arc::new(AtomicBool::new(true)));
    let limits = Limits { cancel, ..Limits::default() };
    let report = asked(&Sequentialization::default(), &example("broken/get-or-set.ser"), &limits);
    assert!(report.is_interrupted() && report.sections.is_empty(), "{report:#?}");

    let report = answer(&source("process p { send A to q; }"));
    assert_eq!(report.exit_code(), 2);
    assert!(
        matches!(&report.answer, Answer::Error(SourceError::Diagnostics(list)) if !list.is_empty())
    );
}

#[test]
fn one_instance_ends_well_or_has_a_run_that_does_not() {
    let report = with_sizes(&example("ex2.ser"), &[("Q", 2)]);
    assert_eq!(report.exit_code(), 0, "{report:#?}");
    assert_eq!(report.question.text.as_deref(), Some("all runs with Q = 2"));
    assert_eq!(report.answer.words(report.question.method), "nothing goes wrong");
    assert!(text(&report).contains("All runs with Q = 2 end well: no process waits forever"));
    assert_eq!(report.data["complete"], json!(true));
    assert!(report.certificate.is_none());

    let report = with_sizes(&example("broken/async-p-wrong-type.ser"), &[("Q", 2)]);
    assert_eq!(report.exit_code(), 1, "{report:#?}");
    assert_eq!(run(&report).lanes.len(), 3);
    assert_eq!(report.data["findings"]["deadlock"], json!(true));
    let [finding] = report.findings.as_slice() else { panic!("{:#?}", report.findings) };
    assert!(finding.span.is_some() && finding.run == Some(0));
    let certificate = report.certificate.as_deref().expect("a certificate");
    let source = &report.source.as_ref().expect("a source").text;
    let verified = verify(certificate, source, &ser_base::Limits::default());
    assert!(matches!(verified, Verified::Valid(_)), "{verified:?}");

    for (sizes, words) in [
        (&[("R", 2)][..], "there is no set `R`"),
        (&[][..], "the size of the set `Q` is missing"),
        (&[("Q", 1000)][..], "at most"),
    ] {
        let report = with_sizes(&example("ex2.ser"), sizes);
        let Answer::Error(error) = &report.answer else { panic!("{report:#?}") };
        assert!(error.sentence().contains(words), "{error:?}");
    }
}

#[test]
fn every_example_has_the_verdict_that_it_promises() {
    for part in ["", "broken"] {
        for entry in std::fs::read_dir(folder().join(part)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_none_or(|it| it != "ser") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("an example");
            let promise = text.lines().next().and_then(|it| it.strip_prefix("// expect: "));
            let promise = promise.expect("a promise");
            let code = match () {
                _ if promise.starts_with("verified") => 0,
                _ if promise.starts_with("refuted") => 1,
                _ => 3,
            };
            let report = answer(&source(&text));
            assert_eq!(report.exit_code(), code, "{}: {report:#?}", path.display());
            assert_eq!(report.findings.is_empty(), code == 0, "{}", path.display());
            let words =
                format!("{} {:?} {:?}", self::text(&report), report.answer, report.findings);
            assert!(!words.contains("for ever"), "{}: {words}", path.display());
        }
    }
}

#[test]
fn an_instance_can_be_written_for_spin() {
    let text = promela(&example("ex2.ser"), &[("Q".to_owned(), 2)]).expect("a model");
    assert!(text.contains("proctype"), "{text}");
    assert!(promela(&example("ex2.ser"), &[]).is_err());
}
