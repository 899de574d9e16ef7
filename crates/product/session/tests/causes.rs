//! Why programs break.

use ser_base::Limits;
use ser_serializability_search::{Options, SerialRuns};
use ser_session::serializability::words::causes as words;
use ser_session::serializability::words::serial_run;
use ser_session::{Causes, Decision, Verdict, check_source, find_causes};

fn causes(text: &str) -> (Decision, Causes) {
    let source =
        ser_session::source::from_bytes("test.ser", text.as_bytes().to_vec()).expect("a program");
    let report = check_source(source, &Options::default(), &Limits::default(), &|_| {});
    let causes = find_causes(&report, &Options::default(), &Limits::default());
    (report, causes.expect("a program that breaks"))
}

const LOST_UPDATE: &str = "request up {
    seen := Count;
    yield;
    if (seen < 3) { Count := seen + 1 };
    seen
}";

#[test]
fn a_lost_update_goes_in_a_circle() {
    let (report, causes) = causes(LOST_UPDATE);
    let system = report.model.as_ref().expect("a model").system();
    let orders: Vec<String> = causes.orders.iter().map(|o| words::order(system, o)).collect();
    assert_eq!(
        orders,
        [
            "#1 reads Count (line 2) before #2 writes it (line 4), so #1 comes before #2",
            "#2 reads Count (line 2) before #1 writes it (line 4), so #2 comes before #1",
        ]
    );
}

#[test]
fn the_only_pause_is_to_blame() {
    let (_, causes) = causes(LOST_UPDATE);
    let [pause] = causes.pauses.as_slice() else { panic!("{:?}", causes.pauses) };
    assert_eq!((pause.line.number, pause.handler.as_str()), (3, "up"));
    assert_eq!((pause.removal_repairs, pause.enough_alone), (Some(true), Some(true)));
    assert_eq!(pause.races.iter().map(|r| r.line.number).collect::<Vec<_>>(), [2, 4]);
    assert_eq!(pause.races[0].variables, ["Count"]);
}

#[test]
fn two_pauses_that_each_suffice_do_not_repair_alone() {
    let text = "request a { x := N; yield; if (x < 2) { N := x + 1 }; x }
                request b { x := N; yield; if (x < 2) { N := x + 1 }; x }";
    let (_, causes) = causes(text);
    assert!(!causes.pauses.is_empty());
    for pause in &causes.pauses {
        assert_eq!((pause.removal_repairs, pause.enough_alone), (Some(false), Some(true)));
    }
}

#[test]
fn a_pause_that_only_waits_is_never_to_blame_alone() {
    let text = "request a { while (L == 1) { yield }; L := 1; x := N; yield; if (x < 2) { N := x + 1 }; L := 0; x }
                request b { x := N; if (x < 2) { N := x + 1 }; x }";
    let (_, causes) = causes(text);
    let blamed: Vec<_> = causes.pauses.iter().filter(|p| p.removal_repairs == Some(true)).collect();
    let [pause] = blamed.as_slice() else { panic!("{:?}", causes.pauses) };
    assert_eq!(text[..pause.span.start as usize].matches("yield").count(), 1);
}

#[test]
fn one_response_alone_can_be_the_contradiction() {
    // A reader sees the middle of an update: 1 is impossible, whatever the writer responds.
    let text = "request write { A := 1; yield; A := 2; 7 } request read { A }";
    let (report, causes) = causes(text);
    let system = report.model.as_ref().expect("a model").system();
    assert_eq!(
        words::contradiction(system, &causes, 2).as_deref(),
        Some("read responds 1: no serial run of these requests has this response")
    );
}

#[test]
fn a_program_that_holds_has_no_causes() {
    let source = ser_session::source::from_bytes("test.ser", b"request a { X := 1 }".to_vec())
        .expect("text");
    let report = check_source(source, &Options::default(), &Limits::default(), &|_| {});
    assert_eq!(find_causes(&report, &Options::default(), &Limits::default()), None);
}

/// The serial runs that come closest to the counterexample of a program, in words.
fn closest(text: &str) -> Vec<String> {
    let (report, _) = causes(text);
    let Verdict::NotSerializable { serial, .. } = &report.verdict else {
        panic!("{:?}", report.verdict)
    };
    let SerialRuns::Closest(runs) = serial else { panic!("{serial:?}") };
    let system = report.model.as_ref().expect("a model").system();
    runs.iter().map(|run| serial_run(system, run)).collect()
}

#[test]
fn serial_runs_with_other_responses_are_known_where_states_have_no_end() {
    // The counterexample comes with what is along it, and nobody responds 2 there first.
    let text = "request a { A := A + 1; yield; B := B + 1; if (B > 1000) { 99 } else { A } }";
    assert_eq!(closest(text), ["a responds 1, then a responds 2"]);
    // The same in a slice.
    let text = format!("{text} request b {{ C := 1 - C; yield; 0 }}");
    assert_eq!(closest(&text), ["a responds 1, then a responds 2"]);
}

#[test]
fn who_has_not_given_up_does_not_give_up_in_a_serial_run() {
    // Alone, nobody finds `B` set.
    let up = "B := 0; X := X + 1; yield; if (X > 2) { X := 2 }; X";
    let text = format!("request r {{ if (B == 1) {{ abort }}; B := 1; yield; {up} }}");
    assert_eq!(closest(&text), ["r responds 1, then r responds 2"]);
}

#[test]
fn who_has_given_up_may_do_nothing_in_a_serial_run() {
    // What one who gives up leaves behind is seen; alone, nobody gives up.
    let text = "request w { if (B == 1) { X := 1; abort }; B := 1; yield; B := 0; 0 }
                request look { X }";
    let runs = closest(text);
    assert!(runs.iter().any(|run| run.contains("w aborts")), "{runs:?}");
    assert!(runs.iter().all(|run| run.matches("w aborts").count() <= 1), "{runs:?}");
    assert!(runs.iter().all(|run| run.contains("look responds 0")), "{runs:?}");
}
