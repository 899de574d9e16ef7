//! Certificates that were valid until somebody changed them.

use crate::common::*;
use ser_base::Limits;
use ser_sequentialization_checker::run::{Actor, Choice, RunStep, Shows};
use ser_sequentialization_checker::{
    Advance, Bag, Certificate, Claim, Run, Slot, Step, Symbol, Verdict, check,
};

#[track_caller]
fn refused(certificate: &Certificate, because: &str) {
    match check(certificate, &Limits::default()) {
        Ok(_) => panic!("accepted, but {because}"),
        Err(rejection) => {
            let text = rejection.to_string();
            assert!(text.contains(because), "{text}\nis not about: {because}");
        }
    }
}

fn valid(known: crate::common::known::Known) -> Certificate {
    let certificate = certificate(known.text, known.steps, Vec::new());
    assert!(check(&certificate, &Limits::default()).is_ok());
    certificate
}

fn steps(certificate: &mut Certificate) -> &mut Vec<Step> {
    match &mut certificate.claim {
        Claim::Sequentialized { derivation, .. } => derivation,
        Claim::Refuted(_) => panic!("a derivation"),
    }
}

/// The loop at this place.
fn a_loop(certificate: &mut Certificate, place: usize) -> &mut ser_sequentialization_checker::Loop {
    match &mut steps(certificate)[place] {
        Step::Loop(it) => it,
        other => panic!("a loop, not {other:?}"),
    }
}

#[test]
fn a_change_that_is_not_mentioned() {
    let mut it = valid(known::ex4());
    a_loop(&mut it, 0).havoc.clear();
    refused(&it, "the variable id of process p may change, but is not in `havoc`");
}

#[test]
fn a_change_of_something_that_is_not_there() {
    for (cell, because) in [
        (ser_sequentialization_checker::Cell::Process(77), "no such process"),
        (ser_sequentialization_checker::Cell::Set(77), "no such set"),
        (
            ser_sequentialization_checker::Cell::Member(Symbol(77)),
            "no such process or unfolded member",
        ),
    ] {
        let mut it = valid(known::ex4());
        a_loop(&mut it, 0).havoc.push((cell, 0));
        refused(&it, because);
    }
    let mut it = valid(known::ex4());
    a_loop(&mut it, 0).havoc.push((ser_sequentialization_checker::Cell::Process(0), u32::MAX));
    refused(&it, "no such variable");
}

#[test]
fn the_sender_called_by_the_name_of_the_loop() {
    let mut it = valid(known::ex5());
    let text = serde_json::to_string(&it).unwrap();
    let text = text.replace("\"sender\":2", "\"sender\":1").replace("\"member\":2", "\"member\":1");
    let text = text.replace("\"from\":2", "\"from\":1").replace("\"symbol\":2", "\"symbol\":1");
    it = ser_sequentialization_checker::read(&text).unwrap();
    refused(&it, "names its slots or symbols wrongly");
}

#[test]
fn the_named_member_instead_of_the_sender() {
    let mut it = valid(known::ex5());
    let own = a_loop(&mut it, 0);
    own.advance = Advance::Named;
    own.symbols = vec![Symbol(2)];
    own.steps[0] = Step::Unfold { set: 0, symbol: Symbol(2), sender_to: None };
    refused(&it, "somebody else's message may come first");
}

#[test]
fn nobody_instead_of_somebody() {
    let mut it = valid(known::ex2());
    a_loop(&mut it, 0).advance = Advance::Nobody;
    refused(&it, "members are unfolded that were not before");
}

#[test]
fn one_step_more_and_one_step_less() {
    for place in 0..5 {
        let mut shorter = valid(known::ex5());
        a_loop(&mut shorter, 0).steps.remove(place);
        assert!(check(&shorter, &Limits::default()).is_err(), "without step {place}");
        let mut longer = valid(known::ex5());
        let again = a_loop(&mut longer, 0).steps[place].clone();
        a_loop(&mut longer, 0).steps.insert(place, again);
        assert!(check(&longer, &Limits::default()).is_err(), "with step {place} twice");
    }
}

#[test]
fn steps_in_another_order() {
    let mut it = valid(known::ex1());
    steps(&mut it).swap(0, 1);
    refused(&it, "step 0, process q: no message is there for its receive");
    let mut it = valid(known::map_reduce());
    steps(&mut it).swap(1, 2);
    refused(&it, "somebody may still send messages like those in the bag");
}

#[test]
fn a_loop_that_is_missing() {
    for place in 0..2 {
        let mut it = valid(known::ex4());
        steps(&mut it).remove(place);
        assert!(check(&it, &Limits::default()).is_err());
    }
    let mut it = valid(known::map_reduce());
    steps(&mut it).pop();
    refused(&it, "messages are in flight at the end");
}

#[test]
fn arms_that_were_swapped_or_lost() {
    let fork = |certificate: &mut Certificate, change: &dyn Fn(&mut Vec<Vec<Step>>)| {
        let Some(Step::Each { steps, .. }) = steps(certificate).get_mut(0) else { panic!() };
        let Some(Step::Fork { arms, .. }) = steps.get_mut(4) else { panic!() };
        change(arms);
    };
    let mut it = valid(known::firewall());
    fork(&mut it, &|arms| arms.swap(0, 1));
    refused(&it, "step 0 > step 4 > arm 1 > step 2, process backend: no message");
    let mut it = valid(known::firewall());
    fork(&mut it, &|arms| drop(arms.pop()));
    refused(&it, "there are 1 arms for 2 cases");
    let mut it = valid(known::firewall());
    fork(&mut it, &|arms| arms[1].clear());
    refused(&it, "the arms end with different code");
}

#[test]
fn a_member_that_is_folded_too_early() {
    let mut it = valid(known::ex7());
    let own = a_loop(&mut it, 0);
    own.steps.swap(6, 7);
    refused(&it, "the code of the member is not that of its set");
}

#[test]
fn another_set() {
    let mut it = valid(known::dist_db());
    let Step::Each { set, .. } = &mut steps(&mut it)[1] else { panic!() };
    *set = 1;
    assert!(check(&it, &Limits::default()).is_err());
    let mut it = valid(known::ex5());
    a_loop(&mut it, 0).steps[0] =
        Step::Unfold { set: 9, symbol: Symbol(2), sender_to: Some(Slot::Process(0)) };
    refused(&it, "no such set");
}

#[test]
fn a_bag_of_another_size() {
    let known = known::map_reduce();
    let text = known.text.replace("process master { for i in K", "process master { for i in J");
    let text = text.replace("index K;", "index K; index J;");
    refused(&certificate(&text, known.steps, Vec::new()), "no bag fits");
}

#[test]
fn a_bag_that_is_drawn_from_never_or_twice() {
    let mut it = valid(known::map_reduce());
    a_loop(&mut it, 2).draws.clear();
    refused(&it, "no bag fits");
    let mut it = valid(known::map_reduce());
    a_loop(&mut it, 2).draws.push(Bag(7));
    refused(&it, "no bag fits");
    let mut it = valid(known::map_reduce());
    a_loop(&mut it, 0).leaves.clear();
    assert!(check(&it, &Limits::default()).is_err());
}

#[test]
fn a_name_that_is_used_twice() {
    let mut it = valid(known::ex3());
    let own = a_loop(&mut it, 1);
    own.symbols = vec![Symbol(1)];
    refused(&it, "the name 1 is not new");
}

#[test]
fn an_assertion_that_was_not_shown() {
    let known = known::two_phase_commit();
    // Without what the coordinator does about a `No`, the assertion does not hold.
    let text = known.text.replace("ok := false", "ok := true");
    assert_ne!(text, known.text);
    let open = assertions(&protocol(&text));
    let mut it = certificate(&text, known.steps, open.clone());
    assert!(check(&it, &Limits::default()).is_ok());
    let Claim::Sequentialized { unproved, .. } = &mut it.claim else { panic!() };
    unproved.clear();
    refused(&it, "is claimed to hold, but this is not shown");
    let Claim::Sequentialized { unproved, .. } = &mut it.claim else { panic!() };
    *unproved = vec![open[0], 0];
    refused(&it, "statement 0 is not an assertion");
}

#[test]
fn another_protocol_than_the_one_that_was_derived() {
    let mut it = valid(known::ex1());
    it.source = it.source.replace("send Pong to p;", "send Pong to p; send Pong to p;");
    refused(&it, "q has not ended");
    let mut it = valid(known::ex5());
    it.source = it.source.replace("send Id(q) to p;", "send Id(q) to p; send Id(q) to p;");
    refused(&it, "races");
    let mut it = valid(known::ex1());
    it.source.push('{');
    refused(&it, "the protocol has errors");
}

#[test]
fn a_derivation_that_is_nested_too_deeply_or_too_long() {
    let text = "process p { b := choose(bool); loop { if b { skip; } } }";
    let mut inner = Vec::new();
    for _ in 0..100 {
        inner = seq![run(p(0), 2), fork(p(0), vec![inner, Vec::new()])];
    }
    let steps = seq![run(p(0), 2), fork(p(0), vec![inner, Vec::new()])];
    refused(&certificate(text, steps, Vec::new()), "nested too deeply");
    let long = "msg T = T; process p { loop { send T to q; } } process q { recv T; }";
    let steps = run(p(0), 20_000);
    refused(&certificate(long, steps, Vec::new()), "too long to be replayed");
}

#[test]
fn numbers_that_grow_without_end_become_unknown() {
    let text = "process p { x := 1; loop { x := x + x; assert x != 0; break; } }";
    let text = text.replace("break;", "if x == 7 { break; }");
    let steps = seq![run(p(0), 1), run(p(0), 4 * 70)];
    refused(&certificate(&text, steps, Vec::new()), "which case its `if` takes is not decided");
}

const DEADLOCK: &str = "set Q; msg A = A(int);
    process p { for c in Q { A(x) := recv A from Q; assert x == 1; } recv A from Q; }
    process s for q in Q { if ? { send A(1) to p; } else { x := choose(int); y := A(x); send A(2) to p; } }";

fn member(member: u32) -> Actor {
    Actor { process: 1, member: Some(member) }
}

const MAIN: Actor = Actor { process: 0, member: None };

fn a_run() -> Run {
    let step = |who, choice| RunStep { who, choice };
    Run {
        sizes: vec![1],
        steps: vec![
            step(member(0), Some(Choice::Branch(true))),
            step(member(0), None),
            step(MAIN, Some(Choice::Member(0))),
            step(MAIN, Some(Choice::From(member(0)))),
            step(MAIN, None),
            step(MAIN, None),
        ],
        shows: Shows::Deadlock(MAIN),
    }
}

fn with(run: Run) -> Certificate {
    let claim = Claim::Refuted(run);
    Certificate { claim, ..certificate(DEADLOCK, Vec::new(), Vec::new()) }
}

#[test]
fn a_run_that_ends_in_a_deadlock_is_accepted() {
    assert!(matches!(check(&with(a_run()), &Limits::default()), Ok(Verdict::Refuted { .. })));
}

#[test]
fn a_run_that_was_forged() {
    let forged = |change: &dyn Fn(&mut Run), because: &str| {
        let mut run = a_run();
        change(&mut run);
        refused(&with(run), because);
    };
    forged(&|run| drop(run.steps.pop()), "can still take a step");
    forged(&|run| drop(run.steps.remove(1)), "step 2, process p: no message");
    forged(&|run| run.steps[2].choice = None, "step 2, process p: a choice");
    forged(
        &|run| run.steps[1].choice = Some(Choice::Branch(true)),
        "step 1, process s[0]: a choice",
    );
    forged(&|run| run.steps[2].choice = Some(Choice::Member(1)), "a choice");
    forged(&|run| run.steps[3].choice = Some(Choice::From(MAIN)), "a choice");
    forged(&|run| run.sizes = vec![2], "step 5, process p: a choice");
    forged(&|run| run.sizes = vec![], "0 sizes for 1 sets");
    forged(&|run| run.sizes = vec![u32::MAX], "too large to be run");
    forged(&|run| run.shows = Shows::Failure(MAIN), "does not fail in its last step");
    forged(&|run| run.shows = Shows::Deadlock(member(0)), "does not wait");
    forged(&|run| run.shows = Shows::Deadlock(member(7)), "there is no such process");
    let orphan = Shows::Orphan { from: member(0), to: MAIN, message: 0 };
    forged(&|run| run.shows = orphan.clone(), "no such message is in flight");
    forged(&|run| run.steps[0].who.process = 5, "there is no such process");
}

#[test]
fn sizes_respect_what_is_declared() {
    let mut it = with(a_run());
    it.source = it.source.replace("set Q;", "set Q >= 2;");
    refused(&it, "the set Q has at least 2 members, not 1");
}
