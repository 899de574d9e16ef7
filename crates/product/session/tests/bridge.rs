//! Programs without end become files for `ser prove`.

use ser_base::Limits;
use ser_generators::samples::TICKET_REQUESTS;
use ser_invariance_search::answer::{Effort, Verdict, answer};
use ser_invariance_search::explore::{Bounds, explore};
use ser_invariance_search::prove::Options;
use ser_session::serializability::bridge::{NoStart, start_proof};
use ser_syntax::inv;
use std::path::{Path, PathBuf};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples")
}

fn start(text: &str) -> String {
    start_proof("test.ser", text).expect("a file to begin with")
}

/// What is found about the generated file with these invariants.
fn verdict(text: &str, invariants: &str) -> Verdict {
    let text = format!("{}\n{invariants}\n", start(text));
    let parse = inv::parse(&text);
    assert!(!parse.has_errors(), "{text}\n{:?}", parse.diagnostics);
    let (options, limits) = (Options::default(), Limits::default());
    answer(&text, &parse.system, &options, &Effort::default(), &limits).verdict
}

fn is_refuted(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Refuted(_))
}

#[test]
fn every_example_becomes_a_file_without_errors() {
    let mut count = 0;
    for entry in std::fs::read_dir(examples()).expect("examples") {
        let path = entry.expect("an example").path();
        if path.extension().is_none_or(|it| it != "ser") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a readable example");
        let name = path.display().to_string();
        let start = match start_proof(&name, &text) {
            // Arrays and the like: models of threads do not have them.
            Err(NoStart::Beyond { .. }) => continue,
            start => start.unwrap_or_else(|e| panic!("{name}: {e}")),
        };
        let parse = inv::parse(&start);
        assert!(!parse.has_errors(), "{name}: {:?}\n{start}", parse.diagnostics);
        count += 1;
    }
    assert!(count >= 40, "only {count} examples");
}

#[test]
fn the_examples_in_the_file_are_invariants_once_they_are_no_comments() {
    let text = start("request main { X := X + 1; yield; X := X - 1 }");
    let shown = text.replace("// invariant", "invariant");
    let parse = inv::parse(&shown);
    assert!(!parse.has_errors(), "{shown}\n{:?}", parse.diagnostics);
    // Two clients can pause at the same place here: that they cannot is not proposed.
    assert_eq!(parse.system.invariants.len(), 1);
    assert!(!is_refuted(&verdict(TICKET_REQUESTS, "")));
}

/// The first proposal once was the place at which everybody waits.
#[test]
fn nothing_is_proposed_that_small_instances_refute() {
    let mut count = 0;
    for entry in std::fs::read_dir(examples()).expect("examples") {
        let path = entry.expect("an example").path();
        if path.extension().is_none_or(|it| it != "ser") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a readable example");
        let shown = match start_proof("test.ser", &text) {
            Err(NoStart::Beyond { .. }) => continue,
            shown => shown.expect("a file"),
        };
        let shown = shown.replace("// invariant", "invariant");
        let parse = inv::parse(&shown);
        assert!(!parse.has_errors(), "{shown}");
        let bounds = Bounds { threads: 2, states: 2_000, ..Bounds::default() };
        let explored = explore(&parse.system, &bounds, &Limits::default());
        assert!(explored.violations.is_empty(), "{}: {shown}", path.display());
        count += parse.system.invariants.len();
    }
    assert!(count >= 40, "only {count} proposals");
    let tickets = start(TICKET_REQUESTS);
    assert!(tickets.contains("at(i, enter.line_7)") && !tickets.contains("at(i, enter.line_4)"));
}

#[test]
fn a_ticket_lock_is_proved_and_a_wrong_claim_about_it_refuted() {
    let text = TICKET_REQUESTS;
    let lock = "
        invariant low(i): at(i, enter.line_4) -> enter.ticket[i] < Next;
        invariant low_inside(i): at(i, enter.line_7) -> enter.ticket[i] < Next;
        invariant differ(i, j): i != j && at(i, enter.line_4, enter.line_7) && at(j, enter.line_4, enter.line_7)
            -> enter.ticket[i] != enter.ticket[j];
        invariant served(i): at(i, enter.line_7) -> enter.ticket[i] == Serving;
        invariant alone(i, j): i != j -> !(at(i, enter.line_7) && at(j, enter.line_7));";
    assert_eq!(verdict(text, lock), Verdict::Proved, "{}", start(text));
    assert!(is_refuted(&verdict(text, "invariant few: Next <= 1;")));
    let never = "invariant never(i): !at(i, enter.line_7);";
    assert!(is_refuted(&verdict(text, never)));
}

#[test]
fn a_step_goes_from_pause_to_pause() {
    // Without a pause between test and assignment nobody else gets in.
    let text = "request main { if (L == 0) { L := 1; yield; L := 0 } }";
    let alone = "
        invariant held(i): at(i, main.line_1) -> L == 1;
        invariant decided(i): at(i, main) && main.test[i] -> L == 1 || L == 0;
        invariant alone(i, j): i != j -> !(at(i, main.line_1) && at(j, main.line_1));";
    assert!(!is_refuted(&verdict(text, alone)), "{}", start(text));
    let torn = "request main { if (L == 0) { yield; L := 1; yield; L := 0 } }";
    let two = "invariant alone(i, j): i != j -> !(at(i, main.line_1_2) && at(j, main.line_1_2));";
    assert!(is_refuted(&verdict(torn, two)), "{}", start(torn));
}

#[test]
fn locals_begin_at_zero_in_every_request() {
    let text = "request main { x := x + 1; yield; X := x }";
    assert_eq!(
        verdict(text, "invariant one(i): at(i, main.line_1) -> main.x[i] == 1;"),
        Verdict::Proved
    );
    assert!(is_refuted(&verdict(text, "invariant zero: X == 0;")));
}

#[test]
fn operands_are_evaluated_from_left_to_right() {
    let text = "X := 5 request main { Y := X + (X := 1); X := 5 }";
    let (six, two) = ("invariant six: Y == 0 || Y == 6;", "invariant two: Y != 6;");
    assert!(!is_refuted(&verdict(text, six)), "{}", start(text));
    assert!(is_refuted(&verdict(text, two)));
}

#[test]
fn choices_assumptions_parameters_and_responses() {
    let text = "
        const N = 2
        request put(v in 1..N) { assume(X == 0); X := v; yield; x := ?; return X + x }
        request take { while (X == 0) { yield }; X := 0; if (?) { 7 } else { 8 } }";
    let holds = "
        invariant range: 0 <= X && X <= 2;
        invariant value(i): at(i, put) -> 1 <= put.v[i] && put.v[i] <= 2;
        invariant drawn(i): 0 <= put_v[i] && put_v[i] <= 2;";
    let found = verdict(text, holds);
    assert!(!is_refuted(&found), "{found:?}\n{}", start(text));
    assert!(is_refuted(&verdict(text, "invariant small: X <= 1;")));
    assert!(is_refuted(&verdict(text, "invariant never(i): take.result[i] != 8;")));
}

#[test]
fn loops_go_round_until_their_condition_fails() {
    let text = "request main { i := 0; while (i < 2) { X := X + 1; yield; i := i + 1 }; Y := i; yield; 0 }";
    assert!(!is_refuted(&verdict(text, "invariant two: Y == 0 || Y == 2;")), "{}", start(text));
    assert!(is_refuted(&verdict(text, "invariant zero: Y == 0;")));
    assert!(is_refuted(&verdict(text, "invariant small: X <= 1;")));
}

#[test]
fn the_file_says_what_is_not_as_in_the_program() {
    let text = "request main { while (X < 3) { X := X + 1 }; X := X * X }";
    let start = start(text);
    assert!(
        start.contains("line 1: an iteration of this loop can go by without `yield`"),
        "{start}"
    );
    assert!(start.contains("line 1: a product of two variables"), "{start}");
    assert!(start.contains("choose(int);"), "{start}");
}

#[test]
fn names_that_mean_something_in_the_other_language_are_changed() {
    let text =
        "request lock { at := At; min := at; yield; self := min; At := self + 1; result := 1; result }
                request at { line_1 := 2; At := line_1 }";
    let start = start(text);
    assert!(start.contains("fn lock_2()") && start.contains("at_3 := At"), "{start}");
}

#[test]
fn programs_that_cannot_be_translated_are_refused() {
    assert_eq!(start_proof("x.ser", "request main {"), Err(NoStart::Errors));
    // Every `if` doubles what follows it.
    let branch = "if (?) { yield };".repeat(40);
    let text = format!("request main {{ {branch} 0 }}");
    let error = start_proof("x.ser", &text).expect_err("2^40 ways");
    assert!(matches!(&error, NoStart::TooLarge { line, .. } if line.number == 1), "{error}");
    // Nor does a long way overflow the stack.
    let text = format!("request main {{ {} 0 }}", "yield; ".repeat(50_000));
    assert!(matches!(start_proof("x.ser", &text), Err(NoStart::TooLarge { .. })));
}
