//! Doubts about proofs by rules, each as a program for which a careless checker would say yes.
//!
//! The programs are broken, and small enough to try every choice of places after the effect, with
//! reductions in every order. Beside some stands a program of the same shape that is serializable,
//! to show that the doubt is about the right thing.

use crate::places::{places_of, rules_of};
use ser_base::Limits;
use ser_fuzz::{Findings, brute_force, try_program};
use ser_model::{ProgramModel, RuleSystem, RunBound};
use ser_serializability_checker::{
    Amount, Certificate, Count, Counterexample, Event, OutcomeEntry, PlaceName, Proof, Reason,
    RuleProof, RuleReduction, RunPart, Verdict, check, check_rules,
};
use ser_serializability_search::Options;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Shows a proof to the checker.
fn accepts(rules: &RuleSystem, reductions: Vec<RuleReduction>, after: Vec<PlaceName>) -> bool {
    let source = ser_serializability_checker::Source {
        file: "p".into(),
        sha256: ser_serializability_checker::digest(b"p"),
        query: None,
    };
    let verdict = Verdict::Serializable(Proof::Rules(RuleProof {
        reductions,
        after,
        ..RuleProof::default()
    }));
    let certificate = Certificate { source, verdict };
    check_rules(&certificate, b"p", rules, &Limits::default()).is_ok()
}

/// Whether some proof is accepted: every choice of places, and many lists of reductions with these
/// counts.
fn provable(text: &str, counts: &[Count]) -> bool {
    let rules = rules_of(text);
    let places = places_of(&rules);
    assert!(places.len() <= 10, "{places:?}");
    let idle = RuleReduction::Stuttering;
    let plain = RuleReduction::Facts(Vec::new());
    let counted = RuleReduction::Facts(counts.to_vec());
    let kinds = [idle, plain, counted];
    let mut lists: Vec<Vec<RuleReduction>> = vec![Vec::new()];
    for _ in 0..3 {
        for list in lists.clone() {
            for kind in &kinds {
                let mut longer = list.clone();
                longer.push(kind.clone());
                lists.push(longer);
            }
        }
        lists.sort_by_key(|list| format!("{list:?}"));
        lists.dedup();
    }
    (0..1usize << places.len()).any(|chosen| {
        let bits = (0..places.len()).filter(|i| chosen >> i & 1 == 1);
        let after: Vec<PlaceName> = bits.map(|i| places[i].clone()).collect();
        lists.iter().any(|list| accepts(&rules, list.clone(), after.clone()))
    })
}

/// A variable that counts with amount 1 in some places.
fn counting(text: &str, variable: &str, holds: impl Fn(&PlaceName) -> bool) -> Count {
    let places = places_of(&rules_of(text)).into_iter().filter(holds);
    let amounts = places.map(|PlaceName(request, local)| Amount { request, local, amount: 1 });
    Count { variable: variable.into(), amounts: amounts.collect() }
}

fn is_broken(text: &str) -> bool {
    let program = ser_syntax::parse(text).program;
    let model = ProgramModel::new(&program, text, &Limits::default()).unwrap();
    matches!(brute_force(model.system(), 4, 200_000), Findings::Broken { .. })
}

fn assert_broken(text: &str, counts: &[Count]) {
    assert!(is_broken(text), "{text}");
    assert!(!provable(text, counts), "accepted, but it is broken:\n{text}");
    try_program(text, &Options::default(), 3, Duration::from_secs(20)).unwrap();
}

fn assert_proved(text: &str, counts: &[Count]) {
    assert!(!is_broken(text), "{text}");
    assert!(provable(text, counts), "no proof is accepted:\n{text}");
    try_program(text, &Options::default(), 3, Duration::from_secs(20)).unwrap();
}

#[test]
fn a_value_written_back_is_still_read() {
    // The second write changes nothing if nobody came between: but it rests on what was read.
    assert_broken("request r { a := X; yield; X := a; a } request s { X := 1 - X }", &[]);
    assert_broken(
        "request r { X := 1; yield; if (X == 1) { X := 1; 1 } else { 0 } }
                   request s { X := 0 }",
        &[],
    );
    assert_proved("request r { X := X; yield; 0 } request s { X := 1 - X }", &[]);
}

#[test]
fn waiting_is_idle_only_if_nothing_is_learned() {
    // The pause comes after a look: who looked early may go on where others may not.
    assert_broken(
        "request r { assume(X == 0); yield; X := 1; yield; X := 0; Y := 1 - Y; Y }
                   request s { assume(X == 1); 1 }",
        &[],
    );
    assert_broken(
        "request r { a := X; yield; if (Y == a) { 1 } else { 0 } }
         request s { X := 1; Y := 1 }",
        &[],
    );
    assert_proved("request r { while (X == 1) { yield }; X := 1; yield; X := 0 }", &[]);
}

/// `end` never completes. So X is 2 in some rule and in no complete run.
#[test]
fn a_pause_is_not_idle_where_the_same_is_done_for_other_values() {
    assert_broken(
        "request r { if (X == 2) { return 7 }; assume(X == 1); yield; assume(X == 0); 7 }
         request flip { if (X == 0) { X := 1 } else { X := 0 } }
         request end { X := 2; yield; assume(0) }",
        &[],
    );
}

#[test]
fn a_pause_is_not_idle_where_something_else_is_written() {
    assert_broken(
        "request r { if (?) { return 7 }; assume(Y == 1); yield; assume(Y == 0); X := 1; 7 }
         request flip { Y := 1 - Y } request look { X }",
        &[],
    );
}

#[test]
fn arrivals_of_other_labels_do_not_stand_in_for_a_pause() {
    // `s` starts where `r` is after its pause, but it is another request.
    assert_broken("request r { a := X; yield; X := 1 - a; a } request s { X := 1 - X; X }", &[]);
}

#[test]
fn labels_that_share_local_states_are_looked_at_one_by_one() {
    assert_broken("request r(p in 0..1) { X := 1 - X; yield; X }", &[]);
    assert_broken("request r(p in 0..1) { if (p) { X := 1 - X }; yield; X }", &[]);
    assert_proved("request r(p in 0..1) { X := 1 - X; yield; p }", &[]);
}

#[test]
fn a_response_with_and_without_a_pause() {
    assert_broken("request r { a := X; if (?) { return 2 + a }; yield; X := 1 - a; a }", &[]);
    assert_broken("request r { X := 1; while (?) { yield }; a := X; X := 0; a }", &[]);
}

#[test]
fn a_variable_that_nobody_writes_may_be_read_at_any_time() {
    assert_proved("C := 5 request r { a := C; yield; b := C; yield; a + b + C }", &[]);
    assert_broken("C := 5 request r { a := C; X := 1 - X; yield; a + X + C }", &[]);
}

#[test]
fn counts_that_are_kept_only_by_some_prove_nothing() {
    // Only `work` counts itself; `reset` forgets who is inside.
    let text = "request work { assume(S < 1); S := S + 1; a := X; yield; X := 1 - a;
                  if (S > 0) { S := S - 1 }; a }
                request reset { if (S > 0) { S := S - 1 } }";
    assert_broken(text, &[counting(text, "S", |place| place.0 == "work")]);
    // Leaving twice.
    let text = "request work { assume(S < 1); S := S + 1; a := X; yield; X := 1 - a;
                  if (S > 0) { S := S - 1 }; yield; if (S > 0) { S := S - 1 }; a }";
    for first in [true, false] {
        let holds = |place: &PlaceName| places_of(&rules_of(text))[usize::from(first)] == *place;
        assert_broken(text, &[counting(text, "S", holds)]);
    }
    assert_broken(text, &[counting(text, "S", |_| true)]);
    // As it should be.
    let text = "request work { assume(S < 1); S := S + 1; a := X; yield; X := 1 - a;
                  assume(S > 0); S := S - 1; a }";
    assert_proved(text, &[counting(text, "S", |_| true)]);
}

#[test]
fn counts_begin_with_the_first_value() {
    // One is inside from the beginning, so that nobody ever gets in; and the other way round.
    let text = "S := 1 request work { assume(S < 2); S := S + 1; a := X; yield; X := 1 - a;
                  assume(S > 1); S := S - 1; a }";
    assert_proved(text, &[counting(text, "S", |_| true)]);
    let text = "S := -1 request work { assume(S < 1); S := S + 1; a := X; yield; X := 1 - a;
                  assume(S > -1); S := S - 1; a }";
    assert_broken(text, &[counting(text, "S", |_| true)]);
}

#[test]
fn counts_at_the_ends_of_the_range_do_not_overflow() {
    const LEAST: &str = "-9223372036854775807 - 1";
    let text = format!(
        "const M = 9223372036854775807 S := {LEAST}
         request work {{ assume(S != M); S := M; a := X; yield; X := 1 - a; S := {LEAST}; a }}"
    );
    assert!(!is_broken(&text));
    // From the least to the largest is more than 64 bits can say.
    for amount in [1, 2, i64::MAX] {
        let mut count = counting(&text, "S", |_| true);
        count.amounts.iter_mut().for_each(|a| a.amount = amount);
        let rules = rules_of(&text);
        assert!(!accepts(&rules, vec![RuleReduction::Facts(vec![count])], Vec::new()));
    }
    try_program(&text, &Options::default(), 3, Duration::from_secs(20)).unwrap();
    let broken = text.replace("S != M", "S <= M");
    assert_broken(&broken, &[counting(&broken, "S", |_| true)]);
}

#[test]
fn places_of_other_requests_or_without_rules_mean_nothing() {
    let text = "request r { a := X; yield; X := 1 - a; a } request s { X := 1 - X; yield; X }";
    let rules = rules_of(text);
    let frame = rules.frame();
    let all: Vec<PlaceName> = frame
        .requests()
        .iter()
        .flat_map(|request| {
            let locals = (0..frame.local_count()).map(ser_model::LocalId::from_index);
            locals.map(|l| PlaceName(request.clone(), frame.local_name(l).to_owned()))
        })
        .collect();
    assert!(!accepts(&rules, Vec::new(), all));
    assert_broken(text, &[]);
}

#[test]
fn requests_that_never_complete_break_nothing() {
    // `s` gets stuck, so that no complete run has one.
    assert_proved("request r { X; yield; X } request s { X := 1; yield; assume(0) }", &[]);
    assert_broken(
        "request r { a := X; yield; 2 * a + X }
                   request s { X := 1; yield; assume(Y == 1); 0 } request t { Y := 1 }",
        &[],
    );
}

/// With one request, X is 1 whenever it has responded, and nobody sees what a second one does then.
/// Two that run side by side pass only states that one alone passes as well.
#[test]
fn a_part_with_fewer_requests_than_the_run_refutes_nothing() {
    let text = "request r { X := ?; yield; if (X == 1) { 1 } else { X := 1; 0 } }";
    let program = ser_syntax::parse(text).program;
    let labels = BTreeSet::from(["r".to_owned()]);
    let part = |requests| {
        let bound = RunBound { requests, preemptions: None };
        ProgramModel::part(&program, text, &labels, bound, &Limits::default()).unwrap()
    };
    let alone = part(1);
    let system = alone.system();
    let start = system.local_name(system.spawns()[0].1).to_owned();
    let pause = system.steps_of(system.spawns()[0].1)[0].to;
    let pause = system.local_name(pause).to_owned();
    let begin = |number| Event::Start { number, request: "r".into(), local: start.clone() };
    let step = |number, local: &str, global: &str| Event::Step {
        number,
        local: local.to_owned(),
        global: global.to_owned(),
    };
    let respond = |number, response: &str| Event::Respond { number, response: response.into() };
    let run = vec![
        begin(1),
        begin(2),
        step(1, &pause, "X=0"),
        step(2, &pause, "X=0"),
        step(1, "done(0)", "X=1"),
        respond(1, "0"),
        step(2, "done(1)", "X=1"),
        respond(2, "1"),
    ];
    let entry = |response: &str| {
        let (request, response) = ("r".into(), response.into());
        OutcomeEntry { request, response, count: 1 }
    };
    for requests in [1, 2, 3] {
        let counterexample = Counterexample {
            along: false,
            outcome: vec![entry("0"), entry("1")],
            run: run.clone(),
            strict: false,
            part: Some(RunPart { labels: vec!["r".into()], requests, preemptions: None }),
            slice: None,
        };
        let source = ser_serializability_checker::Source {
            file: "p".into(),
            sha256: ser_serializability_checker::digest(b"p"),
            query: None,
        };
        let verdict = Verdict::NotSerializable(counterexample);
        let certificate = Certificate { source, verdict };
        let model = part(requests);
        let rejection = check(&certificate, b"p", model.system(), &Limits::default()).unwrap_err();
        match requests {
            1 => assert_eq!(rejection.reason, Reason::PartTooSmall { run: 2, part: 1 }),
            _ => assert!(matches!(rejection.reason, Reason::AlsoSerial { .. }), "{rejection}"),
        }
    }
}

#[test]
fn a_rule_that_reads_thousands_of_variables_does_not_overflow_the_stack() {
    let reads: Vec<String> = (0..20_000).map(|i| format!("V{i}")).collect();
    let text = format!(
        "X := 0 request r {{ if (?) {{ {} }}; X := 1 - X; yield; X := 0; 1 }}",
        reads.join("; ")
    );
    let rules = rules_of(&text);
    let started = Instant::now();
    assert!(!accepts(&rules, Vec::new(), Vec::new()));
    // It took minutes where it did not overflow.
    assert!(started.elapsed() < Duration::from_secs(30));
}

/// A program with infinitely many states, so that rules follow only some of the values of `X`. No
/// proof is accepted, and a part of the program shows why.
fn assert_broken_beyond_the_range(text: &str, labels: &[&str], requests: u32) {
    assert!(rules_of(text).is_partial(), "{text}");
    assert!(!provable(text, &[]), "accepted, but it is broken:\n{text}");
    let labels = labels.iter().map(|label| (*label).to_owned()).collect();
    let bound = RunBound { requests, preemptions: None };
    let program = ser_syntax::parse(text).program;
    let part = ProgramModel::part(&program, text, &labels, bound, &Limits::default()).unwrap();
    let found = brute_force(part.system(), requests as usize, 200_000);
    assert!(matches!(found, Findings::Broken { .. }), "{text}");
}

#[test]
fn values_without_rules_must_not_be_reached() {
    // Up to the largest number in the program nothing is wrong.
    let text = "G := 2
        request up { X := X + G }
        request r { a := X; if (a > 3) { yield; X - a } else { 0 } }";
    assert_broken_beyond_the_range(text, &["up", "r"], 4);
}

#[test]
fn a_request_that_is_stuck_within_the_range_may_go_on_beyond_it() {
    // `r` waits for a value out of range; without its first step nobody would ever get there.
    let text = "G := 2
        request up { if (F == 1) { X := X + G } else { 0 } }
        request r { F := 1; yield; assume(X > 3); F }";
    assert_broken_beyond_the_range(text, &["up", "r"], 3);
}

#[test]
fn a_semaphore_keeps_to_its_range() {
    let text = "S := 3
        request use { while (S == 0) { yield }; S := S - 1; yield; S := S + 1; 1 }";
    let rules = rules_of(text);
    let start = rules.frame().local_name(rules.frame().spawns()[0].1).to_owned();
    let held = places_of(&rules).into_iter().filter(|PlaceName(_, local)| *local != start);
    let amounts: Vec<Amount> =
        held.map(|PlaceName(request, local)| Amount { request, local, amount: -1 }).collect();
    assert_eq!(amounts.len(), 1);
    let count = Count { variable: "S".into(), amounts };
    assert_proved(text, std::slice::from_ref(&count));
    // Without the count nobody knows that the semaphore never runs over; and it must be known
    // before anything else is done.
    let idle_first = vec![RuleReduction::Stuttering, RuleReduction::Facts(vec![count.clone()])];
    assert!(!accepts(&rules, idle_first, Vec::new()));
    assert!(!accepts(&rules, vec![RuleReduction::Facts(Vec::new())], Vec::new()));
    // Amounts of both signs say nothing.
    let mixed = Count {
        amounts: count
            .amounts
            .iter()
            .cloned()
            .chain([Amount { request: "use".into(), local: "use@2:23".into(), amount: 1 }])
            .collect(),
        ..count
    };
    assert!(!accepts(&rules, vec![RuleReduction::Facts(vec![mixed])], Vec::new()));
}
