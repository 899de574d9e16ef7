//! Counterexamples: one that is true, and the ways in which one can be false.

use crate::common::{head, verdict};
use ser_base::Limits;
use ser_model::{ProgramModel, read_json};
use ser_serializability_checker::{
    Certificate, Counterexample, Event, OutcomeEntry, Reason, Scope, Source, Verdict, check,
    digest, read,
};

/// Listing 1.2 of the SER paper: `X := 1; yield; y := X; X := 0; y`.
const LISTING_1_2: &str = r#"{"initial_global": "X=0",
    "requests": [["main", "start"]],
    "responses": [["y=0", "0"], ["y=1", "1"]],
    "transitions": [["start", "X=0", "yield", "X=1"], ["start", "X=1", "yield", "X=1"],
        ["yield", "X=0", "y=0", "X=0"], ["yield", "X=1", "y=1", "X=0"]]}"#;

const START_1: &str = r#"{"request": 1, "start": "main", "local": "start"}"#;
const WRITE_1: &str = r#"{"request": 1, "step": {"local": "yield", "global": "X=1"}}"#;
const READ_1: &str = r#"{"request": 1, "step": {"local": "y=1", "global": "X=0"}}"#;
const RESPOND_1: &str = r#"{"request": 1, "respond": "1"}"#;
const START_2: &str = r#"{"request": 2, "start": "main", "local": "start"}"#;
const WRITE_2: &str = r#"{"request": 2, "step": {"local": "yield", "global": "X=1"}}"#;
const READ_2: &str = r#"{"request": 2, "step": {"local": "y=0", "global": "X=0"}}"#;
const READ_2_ONE: &str = r#"{"request": 2, "step": {"local": "y=1", "global": "X=0"}}"#;
const RESPOND_2: &str = r#"{"request": 2, "respond": "0"}"#;
const RESPOND_2_ONE: &str = r#"{"request": 2, "respond": "1"}"#;

/// The second request overwrites before the first reads, and then finds what the first left.
const RUN: [&str; 8] = [START_1, WRITE_1, START_2, WRITE_2, READ_1, RESPOND_1, READ_2, RESPOND_2];
const OUTCOME: &str = r#"{"request": "main", "response": "0", "count": 1},
    {"request": "main", "response": "1", "count": 1}"#;
const TWO_ONES: &str = r#"{"request": "main", "response": "1", "count": 2}"#;

fn certificate(outcome: &str, run: &[&str]) -> String {
    format!(
        r#"{{ {}, "verdict": "not_serializable",
            "counterexample": {{"outcome": [{outcome}], "run": [{}]}} }}"#,
        head(LISTING_1_2),
        run.join(", ")
    )
}

#[test]
fn listing_1_2_is_not_serializable() {
    assert_eq!(
        verdict(LISTING_1_2, &certificate(OUTCOME, &RUN)),
        "not serializable: 2 requests in 8 events, and none of the serial runs has this outcome \
         (2 states visited)"
    );
}

#[test]
fn the_order_of_independent_events_is_free() {
    // Both arrive first, and the first responds last.
    let run = [START_1, START_2, WRITE_1, WRITE_2, READ_1, READ_2, RESPOND_2, RESPOND_1];
    let message = verdict(LISTING_1_2, &certificate(OUTCOME, &run));
    assert!(message.starts_with("not serializable"), "{message}");
}

/// (what is wrong, the run, the message)
#[test]
fn false_runs_are_rejected_at_the_step_that_is_wrong() {
    let with = |at: usize, event: &'static str| {
        let mut run = RUN;
        run[at] = event;
        run.to_vec()
    };
    let table: Vec<(&str, Vec<&str>, &str)> = vec![
        ("empty", vec![], "end of run: there is no request in this run"),
        (
            "truncated: a response is missing",
            RUN[..7].to_vec(),
            "end of run: request 2 never responds",
        ),
        (
            "truncated: the first request is left in flight",
            vec![START_1, WRITE_1, START_2, WRITE_2, READ_2_ONE, RESPOND_2_ONE],
            "end of run: request 1 never responds",
        ),
        (
            "reordered: the second reads first",
            vec![START_1, WRITE_1, START_2, WRITE_2, READ_2, RESPOND_2, READ_1, RESPOND_1],
            "step 5: no step leads from `yield` in global state `X=1` to `y=0` in `X=0`",
        ),
        (
            "reordered: a step before the arrival",
            vec![WRITE_1, START_1],
            "step 1: request 1 has not arrived",
        ),
        (
            "reordered: a response before the read",
            vec![START_1, WRITE_1, RESPOND_1],
            "step 3: a request in local state `yield` cannot respond `1`",
        ),
        (
            "wrong response",
            with(5, r#"{"request": 1, "respond": "0"}"#),
            "step 6: a request in local state `y=1` cannot respond `0`",
        ),
        (
            "unknown response",
            with(5, r#"{"request": 1, "respond": "7"}"#),
            "step 6: there is no response `7`",
        ),
        (
            "unknown request",
            with(2, r#"{"request": 2, "start": "mian", "local": "start"}"#),
            "step 3: there is no request `mian`",
        ),
        (
            "unknown local state",
            with(1, r#"{"request": 1, "step": {"local": "limbo", "global": "X=1"}}"#),
            "step 2: there is no local state `limbo`",
        ),
        (
            "unknown local state at the start",
            with(0, r#"{"request": 1, "start": "main", "local": "limbo"}"#),
            "step 1: there is no local state `limbo`",
        ),
        (
            "unknown global state",
            with(1, r#"{"request": 1, "step": {"local": "yield", "global": "X=2"}}"#),
            "step 2: there is no global state `X=2`",
        ),
        (
            "a step to another global state",
            with(1, r#"{"request": 1, "step": {"local": "yield", "global": "X=0"}}"#),
            "step 2: no step leads from `start` in global state `X=0` to `yield` in `X=0`",
        ),
        (
            "a start in the middle",
            with(0, r#"{"request": 1, "start": "main", "local": "yield"}"#),
            "step 1: request `main` cannot start in local state `yield`",
        ),
        (
            "numbers out of order",
            with(0, START_2),
            "step 1: request 2 arrives, but the next request to arrive is number 1",
        ),
        (
            "a number used twice",
            with(2, START_1),
            "step 3: request 1 arrives, but the next request to arrive is number 2",
        ),
        (
            "number 0",
            with(0, r#"{"request": 0, "start": "main", "local": "start"}"#),
            "step 1: request 0 arrives, but the next request to arrive is number 1",
        ),
        (
            "a step of number 0",
            vec![r#"{"request": 0, "respond": "1"}"#],
            "step 1: request 0 has not arrived",
        ),
        (
            "a number that no machine can count to",
            with(6, r#"{"request": 18446744073709551615, "respond": "1"}"#),
            "step 7: request 18446744073709551615 has not arrived",
        ),
        (
            "a step after the response",
            with(6, r#"{"request": 1, "step": {"local": "y=0", "global": "X=0"}}"#),
            "step 7: request 1 has responded already",
        ),
        ("a second response", with(6, RESPOND_1), "step 7: request 1 has responded already"),
    ];
    for (what, run, expected) in table {
        let message = verdict(LISTING_1_2, &certificate(OUTCOME, &run));
        assert_eq!(message, expected, "{what}");
    }
}

#[test]
fn a_serial_run_is_not_a_counterexample() {
    let run = [START_1, WRITE_1, READ_1, RESPOND_1, START_2, WRITE_2, READ_2_ONE, RESPOND_2_ONE];
    assert_eq!(
        verdict(LISTING_1_2, &certificate(TWO_ONES, &run)),
        "outcome: this outcome is also reached serially: main/1, main/1"
    );
}

#[test]
fn an_interleaved_run_with_a_serial_outcome_is_not_a_counterexample() {
    // The first writes and reads before the second writes, although both are in flight.
    let run = [START_1, START_2, WRITE_1, READ_1, WRITE_2, READ_2_ONE, RESPOND_2_ONE, RESPOND_1];
    assert_eq!(
        verdict(LISTING_1_2, &certificate(TWO_ONES, &run)),
        "outcome: this outcome is also reached serially: main/1, main/1"
    );
}

#[test]
fn the_outcome_must_be_that_of_the_run() {
    let table = [
        ("", "outcome: `main/0` is listed 0 times, but the run has it 1 times"),
        (
            r#"{"request": "main", "response": "0", "count": 1}"#,
            "outcome: `main/1` is listed 0 times, but the run has it 1 times",
        ),
        (
            r#"{"request": "main", "response": "0", "count": 2}"#,
            "outcome[0]: `main/0` is listed 2 times, but the run has it 1 times",
        ),
        (
            r#"{"request": "main", "response": "0", "count": 1},
               {"request": "main", "response": "1", "count": 1},
               {"request": "main", "response": "0", "count": 1}"#,
            "outcome[2]: `main/0` is listed twice",
        ),
        (
            r#"{"request": "main", "response": "2", "count": 1}"#,
            "outcome[0]: there is no response `2`",
        ),
        (
            r#"{"request": "man", "response": "0", "count": 1}"#,
            "outcome[0]: there is no request `man`",
        ),
    ];
    for (outcome, expected) in table {
        let message = verdict(LISTING_1_2, &certificate(outcome, &RUN));
        assert_eq!(message, expected, "{outcome}");
    }
    // A letter that never occurred is not part of an outcome, not even zero times.
    let one = r#"{"initial_global": "0", "requests": [["q", "s"]],
        "responses": [["d", "ok"], ["x", "no"]], "transitions": [["s", "0", "d", "0"], ["s", "0", "x", "0"]]}"#;
    let text = format!(
        r#"{{ {}, "verdict": "not_serializable", "counterexample": {{
            "outcome": [{{"request": "q", "response": "no", "count": 0}}],
            "run": [{{"request": 1, "start": "q", "local": "s"}},
                {{"request": 1, "step": {{"local": "d", "global": "0"}}}},
                {{"request": 1, "respond": "ok"}}] }} }}"#,
        head(one)
    );
    assert_eq!(
        verdict(one, &text),
        "outcome[0]: `q/no` is listed 0 times, but the run has it 0 times"
    );
}

#[test]
fn a_certificate_belongs_to_one_source() {
    let text = certificate(OUTCOME, &RUN);
    let other = LISTING_1_2.replace("main", "main ");
    let message = verdict(&other, &text);
    let expected = format!(
        "source: this certificate belongs to another source (sha256 `{}`, not `{}`)",
        digest(LISTING_1_2.as_bytes()),
        digest(other.as_bytes())
    );
    assert_eq!(message, expected);
}

#[test]
fn limits_are_not_a_verdict() {
    let certificate = read(&certificate(OUTCOME, &RUN)).expect("readable");
    let system = read_json(LISTING_1_2).expect("a system");
    let limits = Limits { max_states: 0, ..Limits::default() };
    let rejection = check(&certificate, LISTING_1_2.as_bytes(), &system, &limits)
        .expect_err("no work is allowed");
    assert_eq!(rejection.reason, Reason::TooManyEntries { limit: 0 });
    assert_eq!(rejection.place, "outcome");
}

#[test]
fn responses_without_steps_are_replayed() {
    // `s` may respond at once. The second request does so while the first is at `t`.
    let source = r#"{"initial_global": "0", "requests": [["q", "s"]],
        "responses": [["s", "now"], ["d", "later"]],
        "transitions": [["s", "0", "t", "1"], ["t", "1", "t", "2"], ["t", "2", "d", "0"],
            ["s", "2", "d", "2"]]}"#;
    let run = r#"{"request": 1, "start": "q", "local": "s"},
        {"request": 1, "step": {"local": "t", "global": "1"}},
        {"request": 2, "start": "q", "local": "s"},
        {"request": 2, "respond": "now"},
        {"request": 1, "step": {"local": "t", "global": "2"}},
        {"request": 1, "step": {"local": "d", "global": "0"}},
        {"request": 1, "respond": "later"}"#;
    let text = format!(
        r#"{{ {}, "verdict": "not_serializable", "counterexample": {{"outcome": [
            {{"request": "q", "response": "now", "count": 1}},
            {{"request": "q", "response": "later", "count": 1}}], "run": [{run}]}} }}"#,
        head(source)
    );
    let message = verdict(source, &text);
    assert!(message.starts_with("outcome: this outcome is also reached serially: q/"), "{message}");
}

#[test]
fn serial_runs_are_listed_for_the_outcome_of_the_run() {
    // Nobody finishes serially where both finish here; so it matters for which outcome serial runs
    // are looked at.
    let text = "request a { X := 1 - X; yield; 0 }";
    let program = ser_syntax::parse(text).program;
    let model = ProgramModel::new(&program, text, &Limits::default()).expect("few states");
    let system = model.system();
    let (_, start) = system.spawns()[0];
    let name = |local| system.local_name(local).to_owned();
    let flying = name(system.steps_of(start)[0].to);
    let step = |number, local: &str, global: &str| Event::Step {
        number,
        local: local.into(),
        global: global.into(),
    };
    let (mut run, mut ends) = (Vec::new(), Vec::new());
    for number in [1, 2] {
        run.push(Event::Start { number, request: "a".into(), local: name(start) });
        ends.push(step(number, "done(0)", "X=0"));
        ends.push(Event::Respond { number, response: "0".into() });
    }
    run.extend([step(1, &flying, "X=1"), step(2, &flying, "X=0")]);
    run.extend(ends);
    let said = |outcome: &[u64]| {
        let entry =
            |count: &u64| OutcomeEntry { request: "a".into(), response: "0".into(), count: *count };
        let outcome = outcome.iter().map(entry).collect();
        let run = Counterexample { outcome, run: run.clone(), along: true, ..Default::default() };
        let source = Source::new("p.ser", text.as_bytes());
        let certificate = Certificate { source, verdict: Verdict::NotSerializable(run) };
        let Scope::Along(outline) = certificate.scope() else { panic!("{certificate:?}") };
        let along = ProgramModel::along(&program, text, &outline, &Limits::default());
        let (part, _) = along.expect("few states");
        let accepted = check(&certificate, text.as_bytes(), part.system(), &Limits::default());
        accepted.map_or_else(|it| it.to_string(), |it| it.to_string())
    };
    assert_eq!(said(&[2]), "outcome: this outcome is also reached serially: a/0, a/0");
    for outcome in [&[][..], &[1], &[3]] {
        let message = said(outcome);
        assert!(message.starts_with("outcome"), "{message}");
        assert!(!message.contains("serially"), "{message}");
    }
}
