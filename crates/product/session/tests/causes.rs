//! Why programs break.

use ser_base::Limits;
use ser_serializability_search::Options;
use ser_session::serializability::words::causes as words;
use ser_session::{Causes, Decision, check_source, find_causes};

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
    assert_eq!((pause.line, pause.handler.as_str()), (3, "up"));
    assert_eq!((pause.removal_repairs, pause.enough_alone), (Some(true), Some(true)));
    assert_eq!(pause.races.iter().map(|r| r.line).collect::<Vec<_>>(), [2, 4]);
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
