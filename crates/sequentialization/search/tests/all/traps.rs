//! Soundness traps: protocols that a careless rule accepts. Each is wrong for some sizes, and the
//! explorer knows.

use ser_base::Limits;
use ser_sequentialization_checker::run::Shows;
use ser_sequentialization_search::{Answer, Kind, Options, Verdict, sequentialize};

fn answer(text: &str) -> Answer {
    let parsed = ser_syntax::icet::parse(text);
    assert!(!parsed.has_errors(), "{text}\n{:#?}", parsed.diagnostics);
    sequentialize(text, &parsed.protocol, &Options::default(), &Limits::default())
}

/// The protocol is refuted, by a run of these sizes.
#[track_caller]
fn refuted(text: &str, sizes: &[u32]) -> Answer {
    let answer = answer(text);
    assert_eq!(answer.verdict, Verdict::Refuted, "{:?}", answer.outcome);
    let run = answer.run.as_ref().expect("a run");
    assert_eq!(run.sizes, sizes, "{run:?}");
    answer
}

/// It is sequentialized, but its assertion fails in a run of these sizes.
#[track_caller]
fn fails(text: &str, sizes: &[u32]) {
    let answer = refuted(text, sizes);
    assert!(matches!(answer.run.map(|run| run.shows), Some(Shows::Failure(_))));
    if answer.outcome.is_some() {
        assert!(!answer.unproved.is_empty());
    }
}

#[track_caller]
fn verified(text: &str) {
    let answer = answer(text);
    assert_eq!(answer.verdict, Verdict::Verified, "{:?} {:?}", answer.failure, answer.run);
}

#[test]
fn trap_1_a_message_has_the_value_of_when_it_was_sent() {
    let text = |wanted: u32| {
        format!(
            "msg T = T(int);
             process p {{ x := 1; send T(x) to q; x := 2; }}
             process q {{ T(y) := recv T; assert y == {wanted}; }}"
        )
    };
    fails(&text(2), &[]);
    verified(&text(1));
}

#[test]
fn trap_2_the_first_iteration_is_not_every_iteration() {
    refuted(
        "set Q; msg A = A; msg B = B;
         process p { x := 0; for c in Q { if x == 0 { send A to c; } else { send B to c; } x := 1; } }
         process w for q in Q { recv A from p; }",
        &[2],
    );
}

#[test]
fn trap_3_after_a_loop_its_variables_are_neither_those_of_before_nor_those_of_inside() {
    let text = |wanted: u32| {
        format!(
            "set Q; msg X = X; msg A = A;
             process p {{ x := 0; for c in Q {{ recv X from c; x := 1; }} if x == {wanted} {{ send A to m; }} }}
             process m {{ recv A from p; }}
             process w for q in Q {{ send X to p; }}"
        )
    };
    refuted(&text(0), &[1]);
    refuted(&text(1), &[0]);
}

#[test]
fn trap_4_a_set_may_have_no_members() {
    let text = |size: &str| {
        format!(
            "set Q{size}; index I; msg Id = Id(Q); msg Stop = Stop(int);
             process p {{ for i in I {{ Id(id) := recv Id; send Stop(0) to id; }} }}
             server process w for q in Q {{ loop {{ send Id(q) to p; Stop(s) := recv Stop from p; if s == 1 {{ break; }} }} }}"
        )
    };
    refuted(&text(""), &[0, 1]);
    verified(&text(" >= 1"));
    refuted(
        "set W; msg A = A; msg B = B;
         process p { w := choose(W); send A to w; recv B from w; }
         server process s for w in W { loop { recv A from p; send B to p; } }",
        &[0],
    );
}

#[test]
fn trap_5_the_variable_of_a_loop_is_not_the_sender() {
    let text = |operator: &str| {
        format!(
            "set Q; msg Id = Id(Q);
             process p {{ for c in Q {{ Id(i) := recv Id from Q; assert i {operator} c; }} }}
             process w for q in Q {{ send Id(self) to p; }}"
        )
    };
    fails(&text("=="), &[2]);
    fails(&text("!="), &[1]);
}

#[test]
fn trap_6_an_iteration_receives_what_it_sends() {
    refuted(
        "set Q; msg T = T(int);
         process p { for c in Q { send T(1) to c; send T(2) to c; } for c in Q { send T(3) to c; } }
         process k for q in Q { T(v) := recv T; T(w) := recv T; assert w == 3; }",
        &[1],
    );
}

#[test]
fn trap_7_a_loop_that_never_ends_does_not_hide_what_comes_after() {
    let answer = refuted("process p { loop { skip; } } process q { assert false; }", &[]);
    assert_eq!(answer.failure.map(|it| it.kind), Some(Kind::EndlessLoop));
}

#[test]
fn trap_8_cases_end_alike() {
    refuted(
        "set Q; msg Go = Go; msg X = X;
         process p { for c in Q { send Go to c; } }
         process w for q in Q { recv Go from p; if ? { send X to m; } }
         process m { for c in Q { recv X from Q; } }",
        &[1],
    );
    refuted("msg A = A; process p { if ? { send A to q; } } process q { recv A from p; }", &[]);
}

#[test]
fn trap_9_a_receive_is_not_put_off() {
    refuted(
        "set Q; msg Done = Done; msg Go = Go; msg Go2 = Go2; msg Ok = Ok;
         process p { for c in Q { recv Done from Q; } send Go to r; }
         process r { recv Go from p; send Go2 to m; }
         process m { recv Go2 from r; for c in Q { send Ok to c; } }
         process w for q in Q { recv Ok from m; send Done to p; }",
        &[1],
    );
    refuted(
        "msg Ok = Ok; msg D = D; msg Go = Go;
         process u { recv Ok from m; send D to p; }
         process p { recv D from u; send Go to m; }
         process m { recv Go from p; send Ok to u; }",
        &[],
    );
}

#[test]
fn trap_10_senders_that_are_not_alike() {
    fails(
        "msg T = T(int);
         process p { send T(1) to r; } process q { send T(2) to r; }
         process r { T(x) := recv T; T(y) := recv T; assert x == 1; }",
        &[],
    );
    fails(
        "set Q; msg T = T(int);
         process w for q in Q { send T(1) to p; send T(2) to p; }
         process p { for c in Q { T(x) := recv T; assert x == 1; } for c in Q { recv T; } }",
        &[2],
    );
    fails(
        "set Q >= 1; msg Peer = Peer(Q); msg X = X(int);
         process p { r := choose(Q); for c in Q { send Peer(r) to c; send X(1) to c; } }
         process w for q in Q { Peer(r) := recv Peer; send X(2) to r; X(y) := recv X; assert y == 1; }",
        &[1],
    );
}

#[test]
fn trap_11_all_cases_move_the_same_member_on() {
    refuted(
        "set Q; msg Id = Id(Q); msg Go = Go;
         process p { for c in Q {
             if ? { Id(i) := recv Id from Q; send Go to i; } else { send Go to c; Id(i) := recv Id from c; }
         } }
         process w for q in Q { send Id(self) to p; recv Go from p; }",
        &[2],
    );
}

#[test]
fn trap_12_nothing_is_said_about_servers_that_go_on_by_themselves() {
    let text = "set Q >= 1; index I; msg Id = Id(Q); msg Go = Go;
        process p { for i in I { Id(id) := recv Id; send Go to id; } }
        server process w for q in Q { loop { send Id(q) to p; recv Go from p; } }";
    let answer = answer(text);
    assert_eq!(answer.verdict, Verdict::Verified);
    assert_eq!(answer.outcome.map(|outcome| outcome.active.len()), Some(1));
}

#[test]
fn trap_13_two_loops_have_two_orders() {
    fails(
        "set Q; msg T = T(int); msg U = U(int);
         process p { k := 0; for c in Q { send T(k) to c; k := 1; } }
         process w for q in Q { T(v) := recv T; send U(v) to m; }
         process m { n := 0; for c in Q { U(f) := recv U from Q; if n == 0 { assert f == 0; n := 1; } } }",
        &[2],
    );
}

#[test]
fn trap_14_whom_one_talks_to_is_not_whom_one_hears_from() {
    fails(
        "set Q; msg Ping = Ping; msg Pong = Pong(Q);
         process p { for c in Q { send Ping to c; Pong(v) := recv Pong from Q; assert v == c; } }
         process w for q in Q { send Pong(self) to p; recv Ping; }",
        &[2],
    );
    // It is, if the others have no reason to say anything.
    verified(
        "set Q; msg Ping = Ping; msg Pong = Pong(Q);
         process p { for c in Q { send Ping to c; Pong(v) := recv Pong from Q; assert v == c; } }
         process w for q in Q { recv Ping; send Pong(self) to p; }",
    );
}

#[test]
fn trap_15_where_everybody_may_wait_forever_nothing_is_checked() {
    let answer = answer(
        "set C; msg A = A(C); msg B = B;
         server process client for c in C { loop { send A(c) to db; recv B from db; } }
         server process db { loop { A(x) := recv A; } }",
    );
    assert_eq!(answer.verdict, Verdict::Unknown);
    assert_eq!(answer.failure.map(|it| it.kind), Some(Kind::NothingToCheck));
}

#[test]
fn trap_16_messages_of_different_types_overtake_each_other() {
    verified(
        "msg A = A; msg B = B;
         process p { send A to q; send B to q; } process q { recv B from p; recv A from p; }",
    );
}

#[test]
fn trap_17_whoever_is_served_may_come_again() {
    fails(
        "set Q; msg Id = Id(Q); msg Go = Go;
         process p { for c in Q { Id(i) := recv Id from Q; send Go to i; } }
         server process w for q in Q { n := 0; loop { send Id(self) to p; recv Go from p; n := n + 1; assert n <= 1; } }",
        &[2],
    );
}

#[test]
fn two_servers_may_hear_of_clients_in_different_orders() {
    fails(
        "set Q; msg A = A(Q, int); msg B = B(int); msg R = R; msg Last = Last(int);
         process s { v := 0; for c in Q { A(x, n) := recv A; send R to x; v := n; } send Last(v) to m; }
         process t { v := 0; for c in Q { B(n) := recv B; v := n; } send Last(v) to m; }
         process m { Last(a) := recv Last from s; Last(b) := recv Last from t; assert a == b; }
         process w for q in Q { n := choose(int); send A(self, n) to s; recv R from s; send B(n) to t; }",
        &[2],
    );
    // The same with servers: one turn of a client must not be one turn of both.
    fails(
        "set Q; msg A = A(Q, int); msg B = B(Q, int); msg R = R; msg S = S;
         msg End = End; msg Last = Last(int);
         server process s { v := 0; loop { A(x, n) := recv A; v := n; send R to x; } }
         server process t { v := 0; loop { B(x, n) := recv B; if n == 2 { assert v == 2; } v := n; send S to x; } }
         process w for q in Q { n := choose(int); send A(self, n) to s; recv R from s; send B(self, n) to t; recv S from t; }",
        &[1],
    );
}

#[test]
fn a_reply_may_be_overtaken_by_one_that_was_asked_for_before() {
    // Somebody else, told by `p` in time, makes another worker answer `p`.
    let text = "set W >= 1; msg Ping = Ping(int); msg Pong = Pong(int); msg X = X;
        process p { send X to m; w := choose(W); send Ping(1) to w; Pong(a) := recv Pong; assert a == 1; Pong(b) := recv Pong; }
        process m { recv X from p; w := choose(W); send Ping(2) to w; }
        server process s for w in W { loop { Ping(n) := recv Ping; send Pong(n) to p; } }";
    let answer = answer(text);
    assert_ne!(answer.verdict, Verdict::Verified, "{:?}", answer.outcome);
}

#[test]
fn a_message_that_was_postponed_is_no_request() {
    // `Hello` is sent before the first `T` is received, so the second `T` may come first.
    let text = "set D; set S >= 1; msg Hello = Hello(D); msg Q1 = Q1; msg W = W(D, int);
        msg Fwd = Fwd(D); msg T = T(int);
        process p {
            for x in D { recv Q1 from x; s := choose(S); send W(x, 1) to s; }
            for y in D { Fwd(a) := recv Fwd from z; r := choose(S); send W(a, 2) to r; }
        }
        process z { for c in D { Hello(b) := recv Hello from D; send Fwd(b) to p; } }
        server process srv for me in S { loop { W(a, n) := recv W from p; send T(n) to a; } }
        process d for me in D {
            send Hello(self) to z; send Q1 to p;
            T(v) := recv T from S; assert v == 1; T(w) := recv T from S; assert w == 2;
        }";
    fails(text, &[1, 2]);
}

#[test]
fn two_names_may_be_one_receiver() {
    let text = "set C >= 1; set S >= 1; msg Go = Go(int); msg Ack = Ack; msg W = W(C, int); msg T = T(int);
        process b {
            x := choose(C); send Go(0) to x; recv Ack from x; y := choose(C); send Go(0) to y; recv Ack from y;
            s := choose(S); send W(x, 1) to s; send Go(1) to x; r := choose(S); send W(y, 2) to r; send Go(2) to y;
        }
        server process c for me in C {
            loop { Go(k) := recv Go from b; if k == 0 { send Ack to b; } else { T(v) := recv T from S; assert v == k; } }
        }
        server process srv for me in S { loop { W(a, n) := recv W from b; send T(n) to a; } }";
    fails(text, &[1, 2]);
}

/// Each ends at once: a loop that leads back to where it began is recognised, and one that grows
/// uses up the work that is allowed.
#[test]
fn loops_that_never_end_are_not_followed_forever() {
    let endless = Kind::EndlessLoop;
    let cases = [
        ("process p { loop { skip; } } process q { skip; }", endless),
        ("process p { x := 1; while x == 1 { skip; } } process q { skip; }", endless),
        ("process p { x := 0; loop { x := 1 - x; } } process q { skip; }", endless),
        ("process p { loop { x := 0; while x < 3 { x := x + 1; } } } process q { skip; }", endless),
        (
            "msg Ping = Ping; process p { loop { send Ping to q; } } process q { recv Ping; }",
            endless,
        ),
        ("msg A = A; process p { recv A from q; } server process q { loop { skip; } }", endless),
        ("process p { x := 0; loop { x := x + 1; } } process q { skip; }", Kind::Limit),
        (
            "msg T = T(int); process p { x := 0; loop { x := x + 1; send T(x) to q; } }
             process q { T(y) := recv T; }",
            Kind::Limit,
        ),
    ];
    for (text, kind) in cases {
        let answer = answer(text);
        assert_eq!(answer.verdict, Verdict::Unknown, "{text}");
        assert_eq!(answer.failure.map(|it| it.kind), Some(kind), "{text}");
    }
}

#[test]
fn a_server_that_never_stops_sending_is_asked_for_as_much_as_is_needed() {
    verified(
        "msg A = A; process p { recv A from s; recv A from s; recv A from s; }
         server process s { loop { send A to p; } }",
    );
}
