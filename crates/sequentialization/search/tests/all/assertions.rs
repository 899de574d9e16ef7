//! Assertions that are proved on sequential programs: enough of them, and never one that fails.

use crate::common::{example, instances, parse};
use crate::finals::finals;
use ser_base::Limits;
use ser_generators::protocols::random_protocol;
use ser_sequentialization_checker::Outcome;
use ser_sequentialization_checker::assertions::{Proof, STEPS, prove};
use ser_sequentialization_search::explore::explore;
use ser_sequentialization_search::{Options, sequentialize};
use ser_syntax::icet::ast::{Protocol, StmtId, StmtKind};

struct Proved {
    protocol: Protocol,
    outcome: Outcome,
    proof: Proof,
}

/// Nothing if it cannot be sequentialized.
fn proved(text: &str) -> Option<Proved> {
    let protocol = parse(text);
    let options = Options { explore: false, ..Options::default() };
    let outcome = sequentialize(text, &protocol, &options, &Limits::default()).outcome?;
    let proof = prove(&protocol, &outcome.sequential, STEPS, &Limits::default());
    Some(Proved { protocol, outcome, proof })
}

/// The assertions (and `fail`s) of a protocol.
fn assertions(protocol: &Protocol) -> Vec<StmtId> {
    let mut all = Vec::new();
    for stmt in protocol.processes.iter().flat_map(|it| &it.body) {
        stmt.walk(&mut |it| {
            if matches!(it.kind, StmtKind::Assert { .. } | StmtKind::Fail) {
                all.push(it.id);
            }
        });
    }
    all
}

/// Everything is proved.
#[track_caller]
fn holds(name: &str, text: &str) {
    let Proved { protocol, outcome, proof } = proved(text).expect("a sequential program");
    assert!(!assertions(&protocol).is_empty(), "{name}");
    assert!(proof.still_open(&outcome).is_empty(), "{name}: {proof:?}\n{:#?}", outcome.sequential);
}

/// The only assertion is not proved, although there is a sequential program.
#[track_caller]
fn is_left_open(name: &str, text: &str) {
    let Proved { protocol, outcome, proof } = proved(text).expect("a sequential program");
    assert_eq!(proof.still_open(&outcome), assertions(&protocol), "{name}");
}

/// The only assertion is not proved; there may be no sequential program.
#[track_caller]
fn is_not_proved(name: &str, text: &str) {
    if let Some(Proved { protocol, outcome, proof }) = proved(text) {
        assert_eq!(proof.still_open(&outcome), assertions(&protocol), "{name}");
    }
}

#[test]
fn nobody_commits_who_has_voted_no() {
    holds("two-phase-commit", &example("two-phase-commit.ser"));
}

#[test]
fn clients_of_theque_get_the_answer_that_they_wait_for() {
    holds("theque", &example("theque.ser"));
}

#[test]
fn a_hasty_coordinator_proves_nothing() {
    is_not_proved("hasty", &example("broken/two-phase-commit-hasty.ser"));
}

#[test]
fn the_value_that_was_sent_is_the_one_of_then() {
    let text = |value: u32| {
        format!(
            "msg T = T(int); process p {{ x := 1; send T(x) to q; x := 2; }}
             process q {{ T(y) := recv T; assert y == {value}; }}"
        )
    };
    holds("trap 1", &text(1));
    is_left_open("trap 1", &text(2));
}

#[test]
fn the_sender_need_not_be_the_member_of_the_loop_nor_another_one() {
    for operator in ["==", "!="] {
        let text = format!(
            "set Q; msg Id = Id(Q);
             process p {{ for c in Q {{ Id(i) := recv Id from Q; assert i {operator} c; }} }}
             process sv for q in Q {{ send Id(self) to p; }}"
        );
        is_left_open("trap 5", &text);
    }
}

#[test]
fn who_came_last_is_not_who_comes_next() {
    // Both are called by the name of the loop's variable, one after the other.
    let text = |condition: &str| {
        format!(
            "set Q; msg T = T(int, pid);
             process p {{ k := 0; last := self; for c in Q {{ send T(k, last) to c; k := 1; last := c; }} }}
             process sv for q in Q {{ T(k, l) := recv T from p; assert {condition}; }}"
        )
    };
    is_left_open("last", &text("k == 0 || l == self"));
    holds("last", &text("k == 0 || k == 1"));
}

#[test]
fn loops_over_processes_have_orders_of_their_own() {
    is_left_open(
        "trap 13",
        "set Q; msg T = T(int); msg U = U(int);
         process p { k := 0; for c in Q { send T(k) to c; k := 1; } }
         process sv for q in Q { T(v) := recv T; send U(v) to m; }
         process m { n := 0; for c in Q { U(f) := recv U from Q; if n == 0 { assert f == 0; n := 1; } } }",
    );
}

#[test]
fn another_member_may_answer() {
    is_not_proved(
        "trap 14",
        "set Q; msg Ping = Ping; msg Pong = Pong(Q);
         process p { for x in Q { send Ping to x; Pong(v) := recv Pong from Q; assert v == x; } }
         process sv for q in Q { send Pong(self) to p; w := recv Ping; }",
    );
}

#[test]
fn a_server_may_be_asked_twice() {
    is_not_proved(
        "trap 17",
        "set Q; msg Id = Id(Q); msg Go = Go;
         process p { for c in Q { Id(i) := recv Id from Q; send Go to i; } }
         server process sv for q in Q { n := 0;
           loop { send Id(self) to p; recv Go from p; n := n + 1; assert n <= 1; } }",
    );
}

#[test]
fn what_an_active_server_asserts_stays_open() {
    // The second round begins after the program has ended, and gets as far as the assertion.
    is_not_proved(
        "active",
        "set Q >= 1; index I; msg Id = Id(Q); msg Stop = Stop;
         process p { for i in I { Id(id) := recv Id; send Stop to id; } }
         server process sv for q in Q { n := 0;
           loop { assert n <= 0; send Id(self) to p; recv Stop from p; n := 0; assert n == 0; n := 1; } }",
    );
}

#[test]
fn an_unknown_value_that_goes_round_is_still_the_same() {
    holds(
        "echo",
        "set Q; msg T = T(int); msg U = U(int);
         process p { k := choose(int); for c in Q { send T(k) to c; U(v) := recv U from c; assert v == k; } }
         process sv for q in Q { T(w) := recv T; send U(w) to p; }",
    );
    holds(
        "echo in two phases",
        "set Q; msg T = T(int); msg U = U(int);
         process p { k := choose(int); for c in Q { send T(k) to c; }
                  for c in Q { U(v) := recv U from c; assert v == k; } }
         process sv for q in Q { T(w) := recv T; send U(w) to p; }",
    );
    is_left_open(
        "another one for everybody",
        "set Q; msg T = T(int); msg U = U(int);
         process p { k := 0; for c in Q { k := choose(int); send T(k) to c; }
                  for c in Q { U(v) := recv U from c; assert v == k; } }
         process sv for q in Q { T(w) := recv T; send U(w) to p; }",
    );
}

#[test]
fn everybody_has_the_same_choice_although_it_was_not_kept() {
    holds(
        "one choice",
        "set Q; enum D { A, B } msg T = T(D); msg U = U(D);
         process p { d := choose(D); for c in Q { send T(d) to c; } }
         process sv for q in Q { T(w) := recv T; send U(w) to m; }
         process m { first := true; seen := A;
           for c in Q { U(v) := recv U from Q;
             if first { first := false; seen := v; } else { assert v == seen; } } }",
    );
    is_left_open(
        "a choice for everybody",
        "set Q; enum D { A, B } msg U = U(D);
         process sv for q in Q { w := choose(D); send U(w) to m; }
         process m { first := true; seen := A;
           for c in Q { U(v) := recv U from Q;
             if first { first := false; seen := v; } else { assert v == seen; } } }",
    );
}

#[test]
fn sets_are_empty_in_all_loops_or_in_none() {
    let text = |size: &str, condition: &str| {
        format!(
            "set Q{size}; index I{size}; msg T = T;
             process p {{ x := 0; y := 0; z := 0; w := 0;
               for c in Q {{ send T to c; x := 1; }} for c in Q {{ recv T from c; y := 1; }}
               for i in I {{ z := 1; }} for i in I {{ w := 1; }}
               assert {condition}; }}
             process sv for q in Q {{ recv T from p; send T to p; }}"
        )
    };
    holds("equal", &text("", "x == y && z == w"));
    holds("some", &text(" >= 1", "x == 1 && z == 1"));
    is_left_open("some", &text("", "x == 1"));
    is_left_open("some", &text("", "z == 1"));
}

#[test]
fn conditions_tell_what_unknowns_are() {
    holds(
        "conditions",
        "enum D { A, B } msg M = X(int) | Y;
         process p { k := choose(int); b := choose(bool); d := choose(D); m := Y; if ? { m := X(k); }
           ok := k == 3 && b;
           if ok { assert k == 3; assert b; } else { if b { assert b; } else { assert !b; } }
           assert b || !b; assert d == A || d == B;
           if m != Y { match m { X(i) => { assert i == k; } Y => { assert false; } } } }
         process q { }",
    );
    is_left_open(
        "wrong",
        "process p { k := choose(int); if k != 3 { assert k == 4; } } process q { }",
    );
}

fn small(protocol: &Protocol, most: u32) -> Vec<Vec<u32>> {
    let mut all = instances(protocol, most);
    all.retain(|it| it.iter().sum::<u32>() <= 4);
    all
}

#[test]
fn what_is_proved_never_fails_in_small_instances() {
    let limits = Limits { max_states: 400, ..Limits::default() };
    let (mut held, mut failed, mut compared) = (0, 0, 0);
    for seed in 0..300 {
        let text = random_protocol(seed).text;
        let Some(Proved { protocol, outcome, proof }) = proved(&text) else { continue };
        let open = proof.still_open(&outcome);
        let closed: Vec<StmtId> =
            assertions(&protocol).into_iter().filter(|it| !open.contains(it)).collect();
        held += closed.len();
        for sizes in small(&protocol, 3) {
            let what = format!("seed {seed} {sizes:?}\n{text}\n{proof:?}");
            let exploration = explore(&protocol, &sizes, &limits);
            let failing = &exploration.findings.failing;
            assert!(closed.iter().all(|it| !failing.contains(it)), "{what}\n{failing:?}");
            failed += failing.len();
            if let Ok(finals) = finals(&protocol, &outcome.sequential, &sizes, &limits) {
                assert!(finals.failing.is_disjoint(&proof.holds), "{what}\n{:?}", finals.failing);
                compared += 1;
            }
        }
    }
    assert!(held > 50 && failed > 50 && compared > 500, "{held} {failed} {compared}");
}
