//! Questions that were answered wrongly once.

use ser_base::Limits;
use ser_reachability_search::{Bound, Covered, Method, SearchOptions};
use ser_session::reachability::{Question, Reaching, trace_source};
use ser_session::source::Kind;
use std::time::Duration;

/// Whether the first goal can be reached, and what is covered.
fn ask(kind: Kind, text: &str, question: &Question) -> (&'static str, Covered) {
    let source = ser_session::source::from_text("model", kind, text.to_owned()).unwrap();
    let limits = Limits::default().with_timeout(Duration::from_secs(60));
    let mut report = trace_source(&source, question, &limits, &|_| {});
    let answers = report.answers.as_mut().unwrap();
    let answer = answers.remove(0);
    if let Reaching::Unknown(reason) = &answer.verdict {
        assert!(!reason.to_string().contains("internal"), "{reason}");
    }
    (answer.verdict.name(), answer.covered)
}

fn processes(text: &str, method: Method, bound: Bound) -> (&'static str, Covered) {
    let search = SearchOptions { method, bound, ..SearchOptions::default() };
    ask(Kind::Processes, text, &Question { search, never_lists: true, ..Question::default() })
}

fn requests(text: &str, requests: &str, reach: &str, bound: Bound) -> &'static str {
    let search = SearchOptions { bound, ..SearchOptions::default() };
    let (requests, reach) = (Some(requests.to_owned()), vec![reach.to_owned()]);
    ask(Kind::Program, text, &Question { requests, reach, search, never_lists: true }).0
}

#[test]
fn what_follows_a_loop_is_not_forgotten_when_the_loop_goes_round_more_often() {
    // G is let go round; meanwhile P comes to the code behind its first loop on new ways.
    let text = "
        var X: 0..1 = 0
        var W: 0..1 = 0
        var G: 0..40 = 0
        var V: 0..1 = 0
        process P {
            while (k < 3 && X == 0) { k := k + 1 }
            W := 1;
            atomic { G := 0; while (G < 20) { G := G + 1 } }
            if (k == 0) { V := 1 }
        }
        process Q { X := 1 }
        reach V == 1
    ";
    assert_eq!(processes(text, Method::Events, Bound::Expand).0, "reachable");
}

#[test]
fn steps_are_not_complete_because_a_counter_has_too_few_bits() {
    let text = "
        var X: 0..1 = 0
        process P { while (X == 0) { i := i + 1; if (i == 9) { X := 1 } } }
        reach X == 1
    ";
    for steps in [4, 8] {
        let (answer, covered) = processes(text, Method::Bmc, Bound::Rounds(steps));
        assert_eq!((answer, covered), ("unreachable", Covered::Steps(steps)));
    }
    assert_eq!(processes(text, Method::Bmc, Bound::Expand).0, "reachable");
    assert_eq!(processes(text, Method::Events, Bound::Expand).0, "reachable");
}

#[test]
fn one_action_may_go_round_a_loop_more_often_than_there_are_steps() {
    let text = "
        var X: 0..9 = 0
        process P { atomic { while (X < 5) { X := X + 1 } } }
        reach X == 5
    ";
    assert_eq!(processes(text, Method::Bmc, Bound::Rounds(1)).0, "reachable");
}

#[test]
fn a_loop_in_the_condition_of_a_loop_is_counted_by_itself() {
    let text = "request main {
        while ((while (X < 2) { X := X + 1; yield }; Y < 2)) { Y := Y + 1; X := 0; yield };
        Y
    }";
    assert_eq!(requests(text, "main", "main[0] == 2", Bound::Rounds(4)), "reachable");
}

#[test]
fn a_run_through_a_loop_that_only_reads_is_replayed() {
    let text = "
        var B: 0..1 = 0
        var Y: 0..1 = 0
        process P { B := 1 }
        process Q {
            while (Y == 0) { if (B == 0) { j := j + 1 } else { if (j == 3) { Y := 1 } } }
        }
        reach Y == 1
    ";
    assert_eq!(processes(text, Method::Events, Bound::Expand).0, "reachable");
    assert_eq!(processes(text, Method::Bmc, Bound::Expand).0, "reachable");
}

#[test]
fn many_requests_are_replayed() {
    let text = "request main { X := 1; yield; Y := 1 }";
    assert_eq!(requests(text, "main*40", "done", Bound::Rounds(1)), "reachable");
}

#[test]
fn an_action_without_an_end_ends_the_search() {
    let text = "
        var X: 0..1 = 0
        var Y: 0..1 = 0
        process P { atomic { if (X == 1) { while (1) { Y := 0 } } } }
        process Q { X := 1 }
        reach Y == 1
    ";
    let (answer, _) = processes(text, Method::Bmc, Bound::Rounds(3));
    assert_eq!(answer, "unknown");
}
