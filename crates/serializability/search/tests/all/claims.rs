//! Questions about states: right answers, and evidence that the checker must not accept.

use ser_base::Limits;
use ser_serializability_checker::{
    Asked, ClaimAnswer, ClaimEvidence, CountBox, Refusal, check_claim,
};
use ser_serializability_search::{ClaimFound, decide_claims};
use ser_syntax::core::Program;

fn program(text: &str) -> Program {
    let parse = ser_syntax::parse(text);
    assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
    parse.program
}

/// The evidence for each question, once the checker has accepted it.
fn evidence(text: &str) -> Vec<Option<ClaimEvidence>> {
    let program = program(text);
    let asked: Vec<Asked> = (0..program.questions.len() as u32).map(Asked::Question).collect();
    let found = decide_claims(&program, text, &asked, &Limits::default());
    let evidence = found.into_iter().map(|found| match found {
        ClaimFound::Never(evidence, _)
        | ClaimFound::Happens(evidence, _)
        | ClaimFound::Stuck(evidence, _) => {
            check(text, &evidence).expect("accepted");
            Some(evidence)
        }
        ClaimFound::Open(_) => None,
    });
    evidence.collect()
}

fn check(text: &str, evidence: &ClaimEvidence) -> Result<String, Refusal> {
    check_claim(evidence, &program(text), text, &Limits::default())
}

/// In a word each: `never`, `happens`, `finishing`, `stuck`, `open`.
fn answers(text: &str) -> Vec<&'static str> {
    let word = |it: Option<ClaimEvidence>| match it.map(|it| it.answer) {
        Some(ClaimAnswer::Never { .. }) => "never",
        Some(ClaimAnswer::Happens { .. }) => "happens",
        Some(ClaimAnswer::Finishing { .. }) => "finishing",
        Some(ClaimAnswer::Stuck { .. }) => "stuck",
        None => "open",
    };
    evidence(text).into_iter().map(word).collect()
}

fn rejected(text: &str, evidence: &ClaimEvidence, why: &str) {
    match check(text, evidence) {
        Err(Refusal::Rejected(words)) => assert!(words.contains(why), "{words}"),
        other => panic!("{why}: {other:?}"),
    }
}

const LOCK: &str = "lock L
    request work { with L { In := In + 1; yield; In := In - 1 } }
    invariant mutex: In <= 1
    reach In == 1
    reach In == 2
    deadlock";

const CROSSED: &str = "lock A  lock B
    request ab { with A { yield; with B { 1 } } }
    request ba { with B { yield; with A { 2 } } }
    deadlock";

#[test]
fn locks() {
    assert_eq!(answers(LOCK), ["never", "happens", "never", "finishing"]);
    assert_eq!(answers(CROSSED), ["stuck"]);
    let ordered = "lock A  lock B
        request ab { with A { yield; with B { 1 } } }
        request ba { with A { yield; with B { 2 } } }
        deadlock";
    assert_eq!(answers(ordered), ["finishing"]);
}

#[test]
fn waiting_for_others_is_no_deadlock() {
    let waiting = "request take { assume(N > 0); N := N - 1 }
        request put { assume(N < 2); N := N + 1 }
        deadlock
        reach N == 2
        invariant bounded: N <= 2";
    assert_eq!(answers(waiting), ["finishing", "happens", "never"]);
    // Nobody ever puts anything there.
    assert_eq!(answers("request take { assume(N > 0); N := N - 1 } deadlock"), ["stuck"]);
    // The only help has come, and is gone.
    let once = "request take { yield; assume(N == 1); 0 }
        request put { if (Gone == 0) { N := 1 } else { N := 0 }; Gone := 1 }
        deadlock";
    assert_eq!(answers(once), ["stuck"]);
}

#[test]
fn requests_that_give_up_or_fail_have_not_waited() {
    assert_eq!(
        answers("request a { if (X == 1) { abort }; X := 1; yield; X := 0 } deadlock"),
        ["finishing"]
    );
    // A step that fails does not happen.
    assert_eq!(answers("request a { X := 1; yield; assert(X == 0) } deadlock"), ["stuck"]);
}

#[test]
fn what_holds_before_anything_runs() {
    assert_eq!(
        answers("request a { X := 1 } reach X == 0 invariant one: X == 1"),
        ["happens", "happens"]
    );
}

#[test]
fn a_condition_without_a_value_is_not_true() {
    let text = "var K: 0..2  var Plan: [0..1] of bool
        request step { K := 2; yield; K := 0 }
        reach Plan[K]
        reach !Plan[K] && K == 2
        invariant empty: !Plan[K]
        invariant divided: 2 / (2 - K) >= 1";
    assert_eq!(answers(text), ["never", "never", "happens", "happens"]);
}

#[test]
fn several_conditions_of_one_invariant() {
    let text = "request a { X := 1; yield; X := 0 }
        invariant both { 0 <= X; X <= 1; }
        invariant wrong { 0 <= X; low: X <= 0; }";
    assert_eq!(answers(text), ["never", "happens"]);
}

#[test]
fn boxes_that_are_not_closed_are_rejected() {
    let genuine = evidence(LOCK).remove(0).expect("an answer");
    let ClaimAnswer::Never { boxes } = &genuine.answer else { panic!("a proof") };
    assert_eq!(boxes.len(), 2, "taken, and free");
    let with = |boxes: Vec<CountBox>| ClaimEvidence {
        answer: ClaimAnswer::Never { boxes },
        ..genuine.clone()
    };
    rejected(LOCK, &with(Vec::new()), "the first configuration");
    for at in 0..boxes.len() {
        let mut fewer = boxes.clone();
        fewer.remove(at);
        assert!(check(LOCK, &with(fewer)).is_err(), "without boxes[{at}]");
    }
    let mut changed = boxes.clone();
    changed[1].counts.push((0, 0, None));
    rejected(LOCK, &with(changed), "not counted");
    let mut changed = boxes.clone();
    changed[0].global = 99;
    rejected(LOCK, &with(changed), "no such global state");
    let counted = boxes.iter().position(|it| !it.counts.is_empty()).expect("somebody is there");
    let mut twice = boxes.clone();
    let first = twice[counted].counts[0];
    twice[counted].counts.push(first);
    rejected(LOCK, &with(twice), "twice");
    let mut empty = boxes.clone();
    empty[counted].counts[0] = (first.0, 2, Some(1));
    rejected(LOCK, &with(empty), "empty range");
    // The same boxes, and a question whose answer is yes.
    let other = ClaimEvidence { asked: Asked::Question(1), ..genuine.clone() };
    rejected(LOCK, &other, "fails in the way");
    let other = ClaimEvidence { asked: Asked::Question(3), ..genuine.clone() };
    rejected(LOCK, &other, "no answer to that question");
    let other = ClaimEvidence { asked: Asked::Question(4), ..genuine };
    rejected(LOCK, &other, "no such question");
}

#[test]
fn runs_that_are_none_are_rejected() {
    let genuine = evidence(LOCK).remove(1).expect("an answer");
    let ClaimAnswer::Happens { requests, moves } = genuine.answer.clone() else { panic!("a run") };
    let with = |requests: Vec<String>, moves: Vec<(usize, usize)>| ClaimEvidence {
        answer: ClaimAnswer::Happens { requests, moves },
        ..genuine.clone()
    };
    let mut shorter = moves.clone();
    shorter.pop();
    rejected(LOCK, &with(requests.clone(), shorter), "does not end");
    let mut other = moves.clone();
    other[0].1 = 7;
    rejected(LOCK, &with(requests.clone(), other), "no run");
    let mut nobody = moves.clone();
    nobody[0].0 = 7;
    rejected(LOCK, &with(requests.clone(), nobody), "no run");
    let unknown = vec!["nothing".to_owned(); requests.len()];
    rejected(LOCK, &with(unknown, moves.clone()), "no run");
    let other = ClaimEvidence { asked: Asked::Question(2), ..with(requests, moves) };
    rejected(LOCK, &other, "does not end");
}

#[test]
fn ends_without_progress_are_rejected() {
    let genuine = evidence(LOCK).remove(3).expect("an answer");
    let ClaimAnswer::Finishing { boxes, ends } = genuine.answer.clone() else { panic!("a proof") };
    let with = |ends| ClaimEvidence {
        answer: ClaimAnswer::Finishing { boxes: boxes.clone(), ends },
        ..genuine.clone()
    };
    rejected(LOCK, &with(Vec::new()), "nothing says");
    let mut backwards = ends.clone();
    backwards.reverse();
    rejected(LOCK, &with(backwards), "does not lead to an end before it");
    for at in 0..ends.len() {
        // Fewer others than are needed.
        let mut changed = ends.clone();
        if changed[at].others.pop().is_some() {
            assert!(check(LOCK, &with(changed)).is_err(), "ends[{at}] without others");
        }
        let mut changed = ends.clone();
        changed[at].by_hero = !changed[at].by_hero;
        assert!(check(LOCK, &with(changed)).is_err(), "ends[{at}] by somebody else");
    }
}

#[test]
fn a_hero_that_can_complete_is_not_stuck() {
    let genuine = evidence(CROSSED).remove(0).expect("an answer");
    let ClaimAnswer::Stuck { requests, steps, who, ends } = genuine.answer.clone() else {
        panic!("a run")
    };
    let with = |requests: &[String], steps: &[(usize, u32)], who, ends: &[_]| ClaimEvidence {
        answer: ClaimAnswer::Stuck {
            requests: requests.to_vec(),
            steps: steps.to_vec(),
            who,
            ends: ends.to_vec(),
        },
        ..genuine.clone()
    };
    // Without the other one.
    rejected(CROSSED, &with(&requests[..1], &steps[..1], 0, &ends), "can still complete");
    rejected(CROSSED, &with(&requests, &steps, 9, &ends), "no such request");
    let mut other = steps.clone();
    other.swap(0, 1);
    rejected(CROSSED, &with(&requests, &other, who, &ends), "no such step");
    // Ends that are left out would make everybody stuck.
    rejected(CROSSED, &with(&requests, &steps, who, &[]), "completes, and no end says so");
    for at in 0..ends.len() {
        let mut fewer = ends.clone();
        fewer.remove(at);
        assert!(check(CROSSED, &with(&requests, &steps, who, &fewer)).is_err(), "ends[{at}]");
    }
    // An observer is no request.
    let text = format!("{CROSSED}\ninvariant no: A && B");
    let genuine = evidence(&text).remove(0).expect("an answer");
    let ClaimAnswer::Stuck { ends, .. } = genuine.answer.clone() else { panic!("a run") };
    let (requests, steps) = (vec!["invariant 2".to_owned()], Vec::new());
    let answer = ClaimAnswer::Stuck { requests, steps, who: 0, ends };
    rejected(&text, &ClaimEvidence { answer, ..genuine }, "no request");
}

#[test]
fn evidence_is_read_as_it_was_written() {
    for evidence in evidence(LOCK).into_iter().chain(evidence(CROSSED)).flatten() {
        let text = serde_json::to_string(&evidence).expect("JSON");
        let read: ClaimEvidence = serde_json::from_str(&text).expect("evidence");
        assert_eq!(read, evidence);
    }
}

/// A semaphore: that nobody is ever let in too much needs numbers up to how many there are.
#[test]
fn as_many_as_a_semaphore_lets_in_are_counted() {
    for number in [2, 5, 6] {
        let text = format!(
            "var Free: 0..{number} = {number}
            request work {{
                assume(Free > 0);
                Free := Free - 1;
                yield;
                Free := Free + 1;
                0
            }}"
        );
        let program = program(&text);
        let found = decide_claims(&program, &text, &[Asked::Failures], &Limits::default());
        let ClaimFound::Never(evidence, _) = &found[0] else { panic!("{number}: {found:?}") };
        check(&text, evidence).unwrap();
    }
}
