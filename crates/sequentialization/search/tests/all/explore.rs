//! The meaning of protocols: what small instances can do. The programs are the traps of the
//! calculus, whose truth must be known before anybody can fall into them.

use crate::common::parse;
use ser_base::Limits;
use ser_sequentialization_checker::run::{Actor, Choice, Shows, Value};
use ser_sequentialization_search::explore::{Exploration, Stop, explore, smallest_violation};

fn run(text: &str, sizes: &[u32]) -> Exploration {
    let exploration = explore(&parse(text), sizes, &Limits::default());
    assert!(exploration.complete(), "{text}: {:?}", exploration.stopped);
    exploration
}

/// What is wrong, for sizes 0, 1, 2 of the only set: D(eadlock), F(ailure), S(uperfluous message),
/// B(locked forever).
fn wrong(text: &str) -> [String; 3] {
    [0, 1, 2].map(|size| {
        let findings = run(text, &[size]).findings;
        let mut letters = String::new();
        for (found, letter) in [
            (findings.deadlock.is_some(), 'D'),
            (findings.failure.is_some(), 'F'),
            (findings.orphan.is_some(), 'S'),
            (findings.blocked.is_some(), 'B'),
        ] {
            letters.extend(found.then_some(letter));
        }
        letters
    })
}

#[test]
fn trap_1_payloads_are_those_of_the_send() {
    let program = |number| {
        format!(
            "msg T = T(int); process p {{ x := 1; send T(x) to q; x := 2; }}
             process q {{ T(y) := recv T; assert y == {number}; }}"
        )
    };
    assert!(run(&program(1), &[]).findings.none());
    assert!(run(&program(2), &[]).findings.failure.is_some());
}

#[test]
fn trap_2_constants_do_not_survive_into_the_next_round() {
    let text = "set Q; msg A = A; msg B = B;
        process p { x := 0; for c in Q { if x == 0 { send A to c; } else { send B to c; } x := 1; } }
        process w for q in Q { recv A from p; }";
    assert_eq!(wrong(text), ["", "", "DSB"]);
}

#[test]
fn trap_3_constants_do_not_survive_a_loop() {
    let text = "set Q; msg A = A; msg X = X;
        process p { x := 0; for c in Q { recv X from c; x := 1; } if x == 0 { send A to m; } }
        process m { recv A from p; } process w for q in Q { send X to p; }";
    assert_eq!(wrong(text), ["", "DB", "DB"]);
}

#[test]
fn trap_5_the_loop_variable_is_not_the_sender() {
    let text = "set Q; msg Id = Id(Q);
        process p { for c in Q { Id(i) := recv Id from Q; assert i == c; } }
        process w for q in Q { send Id(self) to p; }";
    assert_eq!(wrong(text), ["", "", "F"]);
    assert_eq!(wrong(&text.replace("i == c", "i != c")), ["", "F", "F"]);
}

#[test]
fn trap_6_what_is_left_over_comes_first() {
    let text = "set Q; msg T = T(int);
        process p { for c in Q { send T(1) to c; send T(2) to c; } for c in Q { send T(3) to c; } }
        process w for q in Q { T(v) := recv T; T(x) := recv T; assert x == 3; }";
    assert_eq!(wrong(text), ["", "F", "F"]);
    assert_eq!(wrong(&text.replace("== 3", "== 2")), ["", "S", "S"]);
}

#[test]
fn trap_7_somebody_who_runs_forever_does_not_hide_the_others() {
    for p in ["loop { skip; }", "loop { x := choose(bool); }", "n := 0; loop { n := 1 - n; }"] {
        let text = format!("msg A = A; process p {{ {p} }} process q {{ assert false; }}");
        assert!(run(&text, &[]).findings.failure.is_some(), "{p}");
        // `q` waits forever although others go on. So does nobody if it gets its message.
        let text =
            format!("msg A = A; process p {{ {p} }} process q {{ recv A; }} process r {{ skip; }}");
        let findings = run(&text, &[]).findings;
        assert_eq!(findings.blocked, Some(Actor { process: 1, member: None }), "{p}");
        assert!(findings.deadlock.is_none());
        let text = text.replace("process r { skip; }", "process r { send A to q; }");
        assert!(run(&text, &[]).findings.none(), "{p}");
    }
}

#[test]
fn trap_8_a_message_that_may_not_be_sent_may_be_missed() {
    let text = "set Q; msg Go = Go; msg X = X;
        process p { for c in Q { send Go to c; } } process m { for c in Q { recv X from Q; } }
        process w for q in Q { recv Go from p; if ? { send X to m; } }";
    assert_eq!(wrong(text), ["", "DB", "DB"]);
}

#[test]
fn trap_9_four_wait_in_a_circle() {
    let text = "set Q; msg Done = Done; msg Go = Go; msg Go2 = Go2; msg Ok = Ok;
        process p { for c in Q { recv Done from Q; } send Go to r; }
        process r { recv Go from p; send Go2 to m; }
        process m { recv Go2 from r; for c in Q { send Ok to c; } }
        process w for q in Q { recv Ok from m; send Done to p; }";
    assert_eq!(wrong(text), ["", "DB", "DB"]);
}

#[test]
fn trap_10_races() {
    let text = "set Q; msg T = T(int);
        process p { for c in Q { T(x) := recv T; assert x == 1; } for c in Q { recv T; } }
        process w for q in Q { send T(1) to p; send T(2) to p; }";
    assert_eq!(wrong(text), ["", "", "F"]);
    let peers = "set Q >= 1; msg Peer = Peer(Q); msg X = X(int);
        process p { r := choose(Q); for c in Q { send Peer(r) to c; send X(1) to c; } }
        process w for q in Q { Peer(r) := recv Peer; send X(2) to r; X(y) := recv X; assert y == 1; }";
    assert!(run(peers, &[2]).findings.failure.is_some());
}

#[test]
fn trap_11_a_member_may_be_used_up_already() {
    let text = "set Q; msg Id = Id(Q); msg Go = Go;
        process p { for c in Q {
            if ? { Id(i) := recv Id from Q; send Go to i; } else { send Go to c; Id(i) := recv Id from c; }
        } }
        process w for q in Q { send Id(self) to p; recv Go from p; }";
    assert_eq!(wrong(text), ["", "", "DSB"]);
}

#[test]
fn trap_13_every_loop_has_an_order_of_its_own() {
    let text = "set Q; msg T = T(int); msg U = U(int);
        process p { k := 0; for c in Q { send T(k) to c; k := 1; } }
        process m { n := 0; for c in Q { U(f) := recv U from Q; if n == 0 { assert f == 0; n := 1; } } }
        process w for q in Q { T(v) := recv T; send U(v) to m; }";
    assert_eq!(wrong(text), ["", "", "F"]);
}

#[test]
fn trap_14_another_member_may_be_heard() {
    let text = "set Q; msg Ping = Ping; msg Pong = Pong(Q);
        process p { for x in Q { send Ping to x; Pong(v) := recv Pong from Q; assert v == x; } }
        process w for q in Q { send Pong(self) to p; recv Ping; }";
    assert_eq!(wrong(text), ["", "", "FB"]);
}

#[test]
fn trap_16_queues_of_different_types_are_independent() {
    let text = "msg A = A; msg B = B; process p { send A to q; send B to q; }
        process q { recv B from p; recv A from p; }";
    assert!(run(text, &[]).findings.none());
}

#[test]
fn trap_17_one_worker_may_be_served_twice() {
    let text = "set Q; msg Id = Id(Q); msg Go = Go;
        process p { for c in Q { Id(i) := recv Id from Q; send Go to i; } }
        server process w for q in Q {
            n := 0; loop { send Id(self) to p; recv Go from p; n := n + 1; assert n <= 1; }
        }";
    assert_eq!(wrong(text)[1..], ["", "F"]);
}

#[test]
fn picking_from_nobody_waits_forever() {
    let text = "set Q; process p { x := choose(Q); } process w for q in Q { skip; }";
    assert_eq!(wrong(text), ["DB", "", ""]);
}

#[test]
fn members_of_a_loop_are_taken_in_every_order_and_indices_ascend() {
    let text =
        "set Q; index I; process p { for c in Q { last := c; } } process r { for i in I { n := i; } }
        process w for q in Q { skip; }";
    let finals = run(text, &[3, 3]).finals;
    assert_eq!(finals.len(), 3);
    let r = Actor { process: 1, member: None };
    assert!(finals.iter().all(|store| store.values().any(|it| *it == Value::Int(2))), "{finals:?}");
    assert!(finals.iter().all(|store| store.keys().any(|it| it.0 == r)));
}

#[test]
fn a_failing_run_has_only_what_led_to_the_failure() {
    let text = "msg A = A(int); msg B = B; process noise { x := 1; x := 2; send B to sink; }
        process p { send A(1) to q; y := 3; } process q { A(v) := recv A; assert v == 2; } process sink { recv B; }";
    let run = run(text, &[]).findings.failure.expect("a failure");
    let who: Vec<u32> = run.steps.iter().map(|it| it.who.process).collect();
    assert_eq!(who, [1, 2, 2]);
    assert_eq!(run.steps[1].choice, Some(Choice::From(Actor { process: 1, member: None })));
    assert_eq!(run.shows, Shows::Failure(Actor { process: 2, member: None }));
}

#[test]
fn an_unexpected_constructor_is_a_failure() {
    let text =
        "msg A = Yes(int) | No; process p { send No to q; } process q { Yes(v) := recv A from p; }";
    assert!(run(text, &[]).findings.failure.is_some());
}

#[test]
fn the_smallest_instance_is_found_first() {
    // Wrong only if there are more pieces than members, and two members at least.
    let text = "set Q >= 1; index I; msg A = A(Q); msg B = B;
        process p { for i in I { A(x) := recv A; send B to x; } }
        process w for q in Q { send A(self) to p; recv B; }";
    let found = smallest_violation(&parse(text), &Limits::default());
    assert_eq!(found.run.map(|it| it.sizes), Some(vec![1, 0]));
    assert!(found.searched.is_empty());
}

#[test]
fn limits_are_kept_and_told() {
    let text = "msg A = A; process p { loop { send A to q; } } process q { skip; }";
    let limits = Limits { max_states: 100, ..Limits::default() };
    let exploration = explore(&parse(text), &[], &limits);
    assert_eq!(exploration.stopped, Some(Stop::Limit(ser_base::Stop::States { limit: 100 })));
    let exploration = explore(&parse(text), &[], &Limits::default());
    assert!(matches!(exploration.stopped, Some(Stop::Queue { .. })));
    let text = "set Q; process w for q in Q { skip; }";
    assert_eq!(explore(&parse(text), &[1000], &limits).stopped, Some(Stop::TooLarge));
    let stopped = |limits: Limits| explore(&parse(text), &[1], &limits).stopped;
    let limit = std::time::Duration::ZERO;
    let over = Limits::default().with_timeout(limit);
    assert_eq!(stopped(over), Some(Stop::Limit(ser_base::Stop::Time { limit })));
    let full = Limits { max_bytes: 1, memory: Some(|| 2), ..Limits::default() };
    assert_eq!(stopped(full), Some(Stop::Limit(ser_base::Stop::Memory { limit: 1 })));
}

#[test]
fn a_number_that_does_not_fit_is_not_guessed() {
    let text = "process p { n := 9223372036854775807; n := n + 1; assert n == 0; }";
    let exploration = explore(&parse(text), &[], &Limits::default());
    assert!(!exploration.complete() && exploration.findings.none());
}

#[test]
fn a_sender_that_never_stops_does_not_hide_a_failure() {
    let text = "msg A = A; process p { loop { send A to q; } } process q { recv A; assert false; }";
    let limits = Limits { max_states: 1000, ..Limits::default() };
    assert!(explore(&parse(text), &[], &limits).findings.failure.is_some());
}

#[test]
fn nobody_is_put_off_forever_by_a_loop_of_somebody_else() {
    let text = "msg A = A; process p { loop { x := choose(bool); } }
        process q { send A to r; send A to r; send A to r; send A to r; y := choose(bool); assert y; }
        process r { recv A; recv A; recv A; recv A; }";
    assert!(run(text, &[]).findings.failure.is_some());
}
