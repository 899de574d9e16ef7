use super::*;
use crate::cli::ReportFormat;

fn run(end: SpinEnd) -> SpinRun {
    SpinRun {
        end,
        capacity: 2,
        states: Some(1000),
        memory_mib: Some(130.5),
        depth: Some(12),
        pan_seconds: Some(0.25),
        compile_seconds: 1.5,
    }
}

/// A Spin that copes with sizes below the wall.
fn series(sizing: Sizing, wall: u32, end: &SpinEnd) -> Series {
    let one = |size: u32| {
        let end = if size >= wall { SpinEnd::OutOfTime } else { end.clone() };
        Some((vec![size], run(end)))
    };
    let search = smallest(30, one, |(_, run)| run.gave_up());
    Series { sizing, sets: vec!["Q".into()], search }
}

fn protocol(file: &str, known: Verdict, spin: Vec<Series>) -> Protocol {
    let times = Summary::of([0.5, 0.25, 1.0]);
    let ours =
        Ours { known, parameters: 1, terms: 60, answer: times, check: times, process: times };
    Protocol { file: file.into(), expected: Some(known), ours, spin, trouble: None }
}

#[test]
fn ours_stands_beside_the_paper_and_spin() {
    let spin = vec![
        series(Sizing::Equal, 7, &SpinEnd::Clean),
        series(Sizing::LongerIndices, 6, &SpinEnd::Clean),
    ];
    let report = report(&[protocol("messages/ex3.ser", Verdict::Yes, spin)]);
    let text = report.text(ReportFormat::Human);
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.contains("messages/ex3.ser"))
        .map(|line| line.split_whitespace().collect())
        .collect();
    let ours = ["messages/ex3.ser", "verified", "1", "60", "57", "0.50", "0.50", "0.50", "20"];
    assert_eq!(rows[0], ours, "{text}");
    let spin = [
        "messages/ex3.ser",
        "7",
        "(time)",
        "6",
        "(time)",
        "11",
        "Q=6",
        "clean",
        "1000",
        "130",
        "0.25",
        "1.50",
        "8",
        "0",
    ];
    assert_eq!(rows[1], spin, "{text}");
    assert_eq!(report.code, 0);
    // 1, 2, 4, 8, 6, 7 and 1, 2, 4, 8, 6, 5, with the names of the columns.
    assert_eq!(report.text(ReportFormat::Csv).lines().count(), 13);
}

#[test]
fn an_error_anywhere_contradicts_what_is_verified() {
    let error = SpinEnd::Error("invalid end state".into());
    let spin = vec![series(Sizing::Equal, 3, &error)];
    let wrong = protocol("a.ser", Verdict::Yes, spin.clone());
    let says = "a.ser with Q=1: we say verified, Spin says: invalid end state";
    assert_eq!(wrong.contradictions().first().map(String::as_str), Some(says));
    assert_eq!((wrong.contradictions().len(), wrong.compared()), (2, 2));
    assert_eq!(report(&[wrong]).code, 1);
    let unknown = protocol("a.ser", Verdict::Unknown, spin);
    assert_eq!((unknown.contradictions().len(), unknown.compared()), (0, 0));
}

#[test]
fn what_is_refuted_may_be_fine_at_other_sizes_but_not_at_those_of_the_run() {
    let elsewhere = protocol("a.ser", Verdict::No, vec![series(Sizing::Equal, 3, &SpinEnd::Clean)]);
    assert!(elsewhere.contradictions().is_empty());
    let once = |end| {
        let search = smallest(1, |_| Some((vec![2], run(SpinEnd::clone(&end)))), |_| false);
        Series { sizing: Sizing::Once, sets: vec!["Q".into()], search }
    };
    let here = protocol("a.ser", Verdict::No, vec![once(SpinEnd::Clean)]);
    assert_eq!(
        here.contradictions(),
        ["a.ser with Q=2: we say refuted, Spin says: nothing is wrong"]
    );
    let agreed = protocol("a.ser", Verdict::No, vec![once(SpinEnd::Error("assertion".into()))]);
    assert_eq!((agreed.contradictions().len(), agreed.compared()), (0, 1));
}

#[test]
fn a_run_that_gave_up_contradicts_nothing() {
    let spin = vec![series(Sizing::Equal, 1, &SpinEnd::Clean)];
    let protocol = protocol("a.ser", Verdict::Yes, spin);
    assert_eq!((protocol.compared(), report(std::slice::from_ref(&protocol)).code), (0, 0));
    let text = report(&[protocol]).text(ReportFormat::Json);
    let value: serde_json::Value = serde_json::from_str(&text).expect("an object");
    assert_eq!(value["spin_walls"][0]["Spin_gives_up_at_n"], "1 (time)");
    assert_eq!(value["rows"][0]["spin"], "time");
    assert_eq!(value["protocols"][0]["paper_ms"], serde_json::Value::Null);
}

#[test]
fn answers_that_nobody_expects_are_wrong() {
    let mut wrong = protocol("a.ser", Verdict::Unknown, Vec::new());
    wrong.expected = None;
    assert_eq!(report(std::slice::from_ref(&wrong)).code, 3);
    wrong.expected = Some(Verdict::Yes);
    let report = report(&[wrong]);
    assert_eq!(report.code, 1);
    let text = report.text(ReportFormat::Human);
    assert!(text.contains("unknown (WRONG)") && text.contains("1 not as expected"), "{text}");
    assert!(!text.contains("Where Spin gives up"), "{text}");
}
