//! What `ser trace` has to tell, for every kind of answer.

use ser_base::Limits;
use ser_reachability_search::{Bound, Method as SearchMethod};
use ser_report::run::{End, Value};
use ser_report::{Answer, Block, Detail, Kind, Report, Rule, Source, SourceError};
use ser_session::method::{Context, Method as _, Wants};
use ser_session::reachability::{Exports, PictureFormat, Question, Reachability};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const EVERYTHING: Wants = Wants { certificate: true, page: true, verbose: true, statistics: true };

fn example(name: &str) -> Arc<Source> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples").join(name);
    let text = std::fs::read_to_string(path).expect("an example");
    Arc::new(Source::new(name, Kind::of(name).expect("a kind"), text))
}

fn ask(source: &Arc<Source>, method: &Reachability, limits: &Limits) -> Vec<Report> {
    assert!(method.reads(source.kind));
    method
        .answer(source, &Context { limits, progress: &|_| (), wants: EVERYTHING, settle: &|_| () })
}

fn tell(source: &Arc<Source>) -> Vec<Report> {
    ask(source, &Reachability::default(), &Limits::default())
}

/// The only report about a text with these options.
fn about(kind: Kind, text: &str, question: Question) -> Report {
    let source = Arc::new(Source::new("model", kind, text.to_owned()));
    let method = Reachability { question, ..Reachability::default() };
    let mut reports = ask(&source, &method, &Limits::default());
    assert_eq!(reports.len(), 1);
    reports.remove(0)
}

/// All text that everybody sees.
fn words(report: &Report) -> String {
    let sections = report.sections.iter().filter(|it| it.detail == Detail::Always);
    let blocks = sections.flat_map(|section| &section.blocks);
    let words = blocks.filter_map(|block| match block {
        Block::Text(text) | Block::Remark(text) | Block::Help(text) => Some(text.as_str()),
        _ => None,
    });
    words.collect::<Vec<_>>().join("\n")
}

fn has_picture(report: &Report) -> bool {
    let pages = report.sections.iter().filter(|it| it.detail == Detail::Page);
    pages.flat_map(|it| &it.blocks).any(|block| matches!(block, Block::Picture(_)))
}

#[test]
fn a_reachable_goal_comes_with_a_run() {
    let reports = tell(&example("processes/lost_update.ser"));
    assert_eq!(reports.len(), 2);
    let report = &reports[0];
    assert_eq!((report.verdict(), report.exit_code()), ("reachable", 1));
    assert_eq!(report.question.name.as_deref(), Some("two updates survive"));
    let text = report.question.text.as_deref().expect("a goal");
    assert!(text.starts_with("reach ") && text.ends_with("X == 23"), "{text}");
    let lines = &report.source.as_ref().expect("a source").lines;
    let span = report.question.span.expect("a place");
    assert!(lines.row_text(lines.row(span.start)).contains("two updates survive"));

    let run = report.answer.run().expect("a run");
    let names: Vec<&str> = run.lanes.iter().map(|lane| lane.name.as_str()).collect();
    assert_eq!(names, ["F", "G"]);
    assert_eq!(run.columns, ["X"]);
    assert_eq!(run.steps.last().expect("a step").after, [Value::Number(23)]);
    assert!(run.steps.iter().any(|step| !step.meanwhile.is_empty()));
    assert!(run.steps.iter().any(|step| step.end == Some(End::Ends)));
    assert!(run.steps.iter().all(|step| step.local.is_none()));
    let first = &run.steps[0].lines[0];
    assert_eq!(
        (first.code.as_str(), first.notes.as_slice()),
        ("a := X;", ["X is 0".to_owned()].as_slice())
    );
    let sentence = run.sentence(&run.steps[0], report.source.as_deref());
    assert!(sentence.starts_with("F reads X = 0 and pauses before line "), "{sentence}");

    let words = words(report);
    assert_eq!(words, "16 steps, 5 context switches:");
    assert_eq!(report.answer.checked(), Some("the run was replayed on the original, step by step"));
    let [finding] = report.findings.as_slice() else { panic!("{:?}", report.findings) };
    assert_eq!((finding.rule, finding.span, finding.run), (Rule::Reachable, Some(span), Some(0)));
    assert_eq!(
        finding.message,
        "\"two updates survive\" can be reached in 16 steps with 5 context switches"
    );
    assert!(report.run_data["order"]["links"].as_array().is_some_and(|it| !it.is_empty()));
    assert!(report.data["formula"]["clauses"].as_u64().is_some_and(|it| it > 0));
    assert!(report.statistics.iter().any(|(name, _)| name == "order triangles"));
    assert!(has_picture(report));
}

#[test]
fn an_unreachable_goal_comes_with_a_checked_proof() {
    let reports = tell(&example("processes/lost_update.ser"));
    let report = &reports[1];
    assert_eq!((report.verdict(), report.exit_code()), ("unreachable", 0));
    let Answer::Holds(proof) = &report.answer else { panic!("{:?}", report.answer) };
    assert_eq!(proof.method, "clauses");
    let checked = proof.checked.as_deref().expect("a checker");
    assert!(checked.starts_with("the solver's proof, "), "{checked}");
    let sentence = "No run of these processes reaches it, however often loops iterate.";
    assert_eq!(words(report), sentence);
    assert_eq!(report.meaning, sentence);
    assert_eq!(report.data["covered"], "all");
    assert!(report.data["proof"]["learnt_clauses"].as_u64().is_some());
    assert!(report.findings.is_empty());
}

#[test]
fn a_listing_tells_how_many_states_there_are() {
    let [report] = &tell(&example("processes/peterson.ser"))[..] else { panic!("one goal") };
    let Answer::Holds(proof) = &report.answer else { panic!("{:?}", report.answer) };
    assert_eq!((proof.method.as_str(), &proof.checked), ("listing", &None));
    assert!(words(report).contains("All states were listed: 32."), "{}", words(report));
    assert_eq!(report.data["proof"]["states"], 32);
}

#[test]
fn a_bound_is_told_with_a_way_to_look_further() {
    let mut question = Question::default();
    question.search.bound = Bound::Rounds(2);
    let text = "var X: 0..9\nprocess P { while (X < 9) { X := X + 1 } }\nreach X == 5\n";
    let report = about(Kind::Processes, text, question);
    assert_eq!(report.verdict(), "unreachable");
    let words = words(&report);
    assert!(words.starts_with("No run in which the loops of P iterate at most twice"), "{words}");
    assert!(words.contains("explore further with a larger --bound"), "{words}");
    assert_eq!(report.data["covered"]["rounds"]["P"], 2);
}

#[test]
fn queues_are_shown_as_lists() {
    let reports = tell(&example("processes/queue.ser"));
    let run = reports[1].answer.run().expect("a run");
    assert_eq!(run.columns, ["Q", "Sum"]);
    assert_eq!(run.start, [Value::List(Vec::new()), Value::Number(0)]);
    let sent = run.steps.iter().find(|it| !it.writes.is_empty()).expect("a step that sends");
    assert_eq!(sent.writes, [("Q".to_owned(), Value::List(vec![Value::Number(1)]))]);
}

#[test]
fn a_goal_may_hold_at_the_start() {
    let text = "var X: 0..1\nprocess P { X := 1 }\nreach X == 0\n";
    let report = about(Kind::Processes, text, Question::default());
    assert_eq!(report.verdict(), "reachable");
    assert_eq!(words(&report), "It holds at the start: X=0.");
    assert!(report.answer.run().is_some_and(|run| run.steps.is_empty()));
}

#[test]
fn an_unwinding_is_a_run_of_one_lane() {
    let [report] = &tell(&example("processes/figure_1.unw"))[..] else { panic!("one target") };
    assert_eq!(report.question.text.as_deref(), Some("target h"));
    let run = report.answer.run().expect("a run");
    assert_eq!(run.lanes.len(), 1);
    assert_eq!(run.steps.len(), 3);
    let sentence = run.sentence(&run.steps[1], report.source.as_deref());
    assert_eq!(sentence, "the net fires g1 with x=2, takes pg0, px(2), and puts px(5), pg1");
    assert_eq!(run.start[0], Value::List(Vec::new()));
    let px = run.columns.iter().position(|it| it == "px").expect("a column");
    assert_eq!(run.steps[1].after[px], Value::List(vec![Value::Number(5)]));
    let words = words(report);
    assert!(words.starts_with("3 events, one after the other:"), "{words}");
    assert!(words.ends_with("The tokens then: px(5), py(5), pf0, pg1."), "{words}");
    let table = report.sections.iter().flat_map(|it| &it.blocks).find_map(|block| match block {
        Block::Table(table) => Some(table),
        _ => None,
    });
    let row = &table.expect("a table").rows[1];
    assert_eq!(row[1..], ["g1", "x=2", "takes pg0, px(2); puts px(5), pg1"]);
    assert_eq!(report.run_data["events"][1]["transition"], "g1");
    assert_eq!(report.run_data["tokens"][0], "px(5)");
    assert!(has_picture(report));
}

#[test]
fn requests_of_a_program_respond() {
    let question = Question {
        requests: Some("increment*2".to_owned()),
        reach: vec!["increment[0] == increment[1] && done".to_owned()],
        ..Question::default()
    };
    let text = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/lost_update.ser"),
    );
    let report = about(Kind::Program, &text.expect("an example"), question);
    assert_eq!(report.verdict(), "reachable");
    assert_eq!(report.question.text.as_deref(), Some("reach increment[0] == increment[1] && done"));
    let run = report.answer.run().expect("a run");
    assert_eq!(run.lanes[1].name, "increment[1]");
    assert!(run.steps.iter().any(|step| matches!(step.end, Some(End::Responds(_)))));
}

#[test]
fn errors_are_told_where_they_are() {
    let report = about(Kind::Processes, "var X: 0..1\nprocess P { X := }\n", Question::default());
    assert_eq!(report.exit_code(), 2);
    assert!(
        matches!(&report.answer, Answer::Error(SourceError::Diagnostics(list)) if !list.is_empty())
    );

    let program = "request main { X := 1; X }";
    let with = |requests: &str, reach: &str| Question {
        requests: Some(requests.to_owned()),
        reach: vec![reach.to_owned()],
        ..Question::default()
    };
    for (question, wrong) in
        [(with("mian", "done"), "--requests"), (with("main", "Y =="), "--reach")]
    {
        let report = about(Kind::Program, program, question);
        let Answer::Error(SourceError::Argument { argument, diagnostics, .. }) = &report.answer
        else {
            panic!("{:?}", report.answer)
        };
        assert_eq!(*argument, wrong);
        assert!(!diagnostics.is_empty());
    }
    let report = about(Kind::Program, program, Question::default());
    let Answer::Error(SourceError::Unreadable { message, help }) = &report.answer else {
        panic!("{:?}", report.answer)
    };
    assert_eq!(message, "which requests run? A program alone does not say");
    assert_eq!(help.as_deref(), Some("for example --requests 'main*2'"));
}

#[test]
fn limits_give_no_answer_and_a_way_out() {
    let source = example("processes/lost_update.ser");
    let cancel = Some(Arc::new(AtomicBool::new(true)));
    let reports = ask(&source, &Reachability::default(), &Limits { cancel, ..Limits::default() });
    for report in reports {
        assert_eq!((report.verdict(), report.exit_code()), ("unknown", 3));
        assert!(report.is_interrupted());
        let Answer::Unknown(unknown) = &report.answer else { panic!("{:?}", report.answer) };
        assert_eq!(unknown.reason, "interrupted");
        assert!(!unknown.help.is_empty());
    }
}

#[test]
fn warnings_are_told_once() {
    let text = "var X: 0..1\nprocess P { X := y }\nreach X == 1\nreach X == 0\n";
    let source = Arc::new(Source::new("model", Kind::Processes, text.to_owned()));
    let reports = tell(&source);
    assert_eq!(reports.len(), 2);
    assert!(!reports[0].warnings.is_empty());
    assert!(reports[1].warnings.is_empty());
}

#[test]
fn files_are_attached_or_it_is_told_why_not() {
    let exports = Exports { picture: Some(PictureFormat::Dot), formula: true, proof: true };
    let method = Reachability { exports, ..Reachability::default() };
    let reports = ask(&example("processes/lost_update.ser"), &method, &Limits::default());
    let attached = |report: &Report| -> Vec<(&str, Result<String, String>)> {
        report.attachments.iter().map(|it| (it.option, it.text.clone())).collect()
    };
    let [(_, picture), (_, formula), (_, proof)] = &attached(&reports[0])[..] else { panic!() };
    assert!(picture.as_ref().is_ok_and(|text| text.starts_with("digraph")), "{picture:?}");
    assert!(formula.as_ref().is_ok_and(|text| text.contains("p cnf ")));
    assert_eq!(proof, &Err("the goal is reachable".to_owned()));
    let [picture, _, (option, proof)] = &attached(&reports[1])[..] else { panic!() };
    assert_eq!(picture, &("--picture", Err("there is no run".to_owned())));
    assert_eq!(*option, "--proof");
    assert!(proof.is_ok());

    let mut question = Question::default();
    question.search.method = SearchMethod::Bmc;
    let method = Reachability { question, exports };
    let reports = ask(&example("processes/broken_mutex.ser"), &method, &Limits::default());
    assert_eq!(attached(&reports[0])[0].1, Err("--method bmc has no token trace".to_owned()));
}

#[test]
fn standard_input_is_recognised_by_its_words() {
    let method = Reachability::default();
    let kind = |text| method.kind_of(text);
    assert_eq!(kind("var X: 0..1\nprocess P { X := 1 }\nreach X == 1"), Kind::Processes);
    assert_eq!(kind("// a net\nenum E { a }\nplace p : E\n"), Kind::Unwinding);
    assert_eq!(kind("process P {\n  place := 1\n}"), Kind::Processes);
    assert_eq!(kind("request main { X := 1 }"), Kind::Program);
    let question = Question { requests: Some("main".to_owned()), ..Question::default() };
    let method = Reachability { question, ..Reachability::default() };
    assert_eq!(method.kind_of("X := 1"), Kind::Program);
}
