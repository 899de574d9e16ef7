//! Everything against the explorer: whatever is said to be verified has nothing wrong in small
//! instances, its sequential program ends with all final stores of the protocol (Theorem 4.1 of the
//! paper), and every run replays.

use crate::common::{examples, instances, parse};
use crate::theorem_4_1::theorem_4_1;
use ser_base::Limits;
use ser_generators::protocols::{random_protocol, sound_protocol};
use ser_sequentialization_checker::{Sequential, replay_run};
use ser_sequentialization_search::explore::{Stop, explore};
use ser_sequentialization_search::{Options, Verdict, sequentialize};

fn limits() -> Limits {
    Limits { max_states: 30_000, ..Limits::default() }
}

#[derive(Default, Debug)]
struct Counts {
    verified: usize,
    sequentialized: usize,
    refuted: usize,
    unknown: usize,
    wrong: usize,
    instances: usize,
    compared: usize,
    runs: usize,
}

fn judge(what: &str, text: &str, most: u32, counts: &mut Counts) {
    let protocol = parse(text);
    let options = Options { explore: false, ..Options::default() };
    let answer = sequentialize(text, &protocol, &options, &Limits::default());
    match answer.verdict {
        Verdict::Verified => counts.verified += 1,
        Verdict::Refuted => counts.refuted += 1,
        Verdict::Unknown => counts.unknown += 1,
    }
    counts.sequentialized += usize::from(answer.outcome.is_some());
    let mut wrong = false;
    for sizes in instances(&protocol, most) {
        let exploration = explore(&protocol, &sizes, &limits());
        counts.instances += 1;
        let place = format!("{what} {sizes:?}\n{text}");
        let findings = &exploration.findings;
        for run in [&findings.deadlock, &findings.failure, &findings.orphan].into_iter().flatten() {
            counts.runs += 1;
            if let Err(rejection) = replay_run(&protocol, run) {
                panic!("{place}\n{rejection}\n{run:#?}");
            }
        }
        wrong |= !findings.none();
        let Some(outcome) = &answer.outcome else { continue };
        assert!(findings.deadlock.is_none(), "{place}");
        assert!(findings.blocked.is_none() || findings.failure.is_some(), "{place}");
        assert!(!outcome.active.is_empty() || findings.orphan.is_none(), "{place}");
        for failing in &findings.failing {
            assert!(outcome.open.contains(failing), "{place}: {failing:?}");
        }
        if answer.verdict == Verdict::Verified {
            assert!(findings.failure.is_none(), "{place}");
        }
        match theorem_4_1(&protocol, &outcome.sequential, &sizes, &limits()) {
            Ok(missing) => {
                assert_eq!(missing, None, "{place}\n{:#?}", outcome.sequential);
                counts.compared += 1;
            }
            Err(Stop::Limit(ser_base::Stop::States { .. })) => {}
            Err(stop) => panic!("{place}: {stop}"),
        }
    }
    counts.wrong += usize::from(wrong);
}

#[test]
fn the_theorem_holds_of_all_examples() {
    let mut counts = Counts::default();
    for place in ["", "broken/"] {
        for (name, text) in examples(place) {
            let most = if name == "theque.ser" { 1 } else { 2 };
            judge(&name, &text, most, &mut counts);
        }
    }
    assert!(counts.sequentialized >= 20 && counts.compared >= 70, "{counts:?}");
}

/// Judges the random protocols of these seeds.
fn judge_random(seeds: std::ops::Range<u64>) {
    let mut counts = Counts::default();
    for seed in seeds {
        let random = random_protocol(seed);
        // Three members take long, in a few protocols minutes, so not everywhere.
        let most = if seed < 400 && seed % 20 == 0 { 3 } else { 2 };
        judge(&format!("seed {seed} {:?}", random.changes), &random.text, most, &mut counts);
    }
    assert!(counts.sequentialized > 180 && counts.wrong > 100, "{counts:?}");
    assert!(counts.compared > 1_400, "{counts:?}");
}

// In two parts, which run side by side.
#[test]
fn the_theorem_holds_of_random_protocols() {
    judge_random(0..400);
}

#[test]
fn the_theorem_holds_of_more_random_protocols() {
    judge_random(1_000..1_400);
}

#[test]
#[ignore = "2,000 protocols that are sequentialized and as many changed ones, with up to 3 members: minutes"]
fn the_theorem_holds_of_thousands_of_random_protocols() {
    let mut counts = Counts::default();
    let mut seed = 100_000;
    while counts.sequentialized < 2_000 {
        let random = random_protocol(seed);
        judge(&format!("seed {seed} {:?}", random.changes), &random.text, 3, &mut counts);
        seed += 1;
    }
    assert!(counts.wrong > 1_000, "{counts:?}");
}

#[test]
fn most_sound_protocols_are_sequentialized() {
    let mut counts = Counts::default();
    for seed in 20_000..20_100 {
        judge(&format!("sound seed {seed}"), &sound_protocol(seed).text, 1, &mut counts);
    }
    assert!(counts.sequentialized > 85, "{counts:?}");
}

#[test]
fn a_sequential_program_that_lacks_a_statement_lacks_a_store() {
    let text = "set Q; msg A = A(int); process p { for x in Q { send A(1) to x; } n := 2; }
        process w for q in Q { A(v) := recv A; }";
    let protocol = ser_syntax::icet::parse(text).protocol;
    let outcome = sequentialize(text, &protocol, &Options::default(), &Limits::default())
        .outcome
        .expect("a program");
    let check = |program: &[Sequential]| theorem_4_1(&protocol, program, &[2], &limits());
    assert_eq!(check(&outcome.sequential), Ok(None));
    let mut noticed = 0;
    for place in 0..outcome.sequential.len() {
        let mut shorter = outcome.sequential.clone();
        shorter.remove(place);
        noticed += usize::from(check(&shorter).is_ok_and(|it| it.is_some()));
    }
    assert_eq!(noticed, 2, "the loop and the assignment: {:#?}", outcome.sequential);
}
