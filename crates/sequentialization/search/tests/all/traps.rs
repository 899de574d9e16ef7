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
             proc p {{ x := 1; send T(x) to q; x := 2; }}
             proc q {{ T(y) <- recv T; assert y == {wanted}; }}"
        )
    };
    fails(&text(2), &[]);
    verified(&text(1));
}

#[test]
fn trap_2_the_first_iteration_is_not_every_iteration() {
    refuted(
        "procs Q; msg A = A; msg B = B;
         proc p { x := 0; for c in Q { if x == 0 { send A to c; } else { send B to c; } x := 1; } }
         proc w for q in Q { recv A from p; }",
        &[2],
    );
}

#[test]
fn trap_3_after_a_loop_its_variables_are_neither_those_of_before_nor_those_of_inside() {
    let text = |wanted: u32| {
        format!(
            "procs Q; msg X = X; msg A = A;
             proc p {{ x := 0; for c in Q {{ recv X from c; x := 1; }} if x == {wanted} {{ send A to m; }} }}
             proc m {{ recv A from p; }}
             proc w for q in Q {{ send X to p; }}"
        )
    };
    refuted(&text(0), &[1]);
    refuted(&text(1), &[0]);
}

#[test]
fn trap_4_a_set_may_have_no_members() {
    let text = |size: &str| {
        format!(
            "procs Q{size}; index I; msg Id = Id(pid in Q); msg Stop = Stop(int);
             proc p {{ for i in I {{ Id(id) <- recv Id; send Stop(0) to id; }} }}
             server proc w for q in Q {{ loop {{ send Id(q) to p; Stop(s) <- recv Stop from p; if s == 1 {{ break; }} }} }}"
        )
    };
    refuted(&text(""), &[0, 1]);
    verified(&text(" >= 1"));
    refuted(
        "procs W; msg A = A; msg B = B;
         proc p { w := pick W; send A to w; recv B from w; }
         server proc s for w in W { loop { recv A from p; send B to p; } }",
        &[0],
    );
}

#[test]
fn trap_5_the_variable_of_a_loop_is_not_the_sender() {
    let text = |operator: &str| {
        format!(
            "procs Q; msg Id = Id(pid in Q);
             proc p {{ for c in Q {{ Id(i) <- recv Id from Q; assert i {operator} c; }} }}
             proc w for q in Q {{ send Id(self) to p; }}"
        )
    };
    fails(&text("=="), &[2]);
    fails(&text("!="), &[1]);
}

#[test]
fn trap_6_an_iteration_receives_what_it_sends() {
    refuted(
        "procs Q; msg T = T(int);
         proc p { for c in Q { send T(1) to c; send T(2) to c; } for c in Q { send T(3) to c; } }
         proc k for q in Q { T(v) <- recv T; T(w) <- recv T; assert w == 3; }",
        &[1],
    );
}

#[test]
fn trap_7_a_loop_that_never_ends_does_not_hide_what_comes_after() {
    let answer = refuted("proc p { loop { skip; } } proc q { fail; }", &[]);
    assert_eq!(answer.failure.map(|it| it.kind), Some(Kind::EndlessLoop));
}

#[test]
fn trap_8_cases_end_alike() {
    refuted(
        "procs Q; msg Go = Go; msg X = X;
         proc p { for c in Q { send Go to c; } }
         proc w for q in Q { recv Go from p; if * { send X to m; } }
         proc m { for c in Q { recv X from Q; } }",
        &[1],
    );
    refuted("msg A = A; proc p { if * { send A to q; } } proc q { recv A from p; }", &[]);
}

#[test]
fn trap_9_a_receive_is_not_put_off() {
    refuted(
        "procs Q; msg Done = Done; msg Go = Go; msg Go2 = Go2; msg Ok = Ok;
         proc p { for c in Q { recv Done from Q; } send Go to r; }
         proc r { recv Go from p; send Go2 to m; }
         proc m { recv Go2 from r; for c in Q { send Ok to c; } }
         proc w for q in Q { recv Ok from m; send Done to p; }",
        &[1],
    );
    refuted(
        "msg Ok = Ok; msg D = D; msg Go = Go;
         proc u { recv Ok from m; send D to p; }
         proc p { recv D from u; send Go to m; }
         proc m { recv Go from p; send Ok to u; }",
        &[],
    );
}

#[test]
fn trap_10_senders_that_are_not_alike() {
    fails(
        "msg T = T(int);
         proc p { send T(1) to r; } proc q { send T(2) to r; }
         proc r { T(x) <- recv T; T(y) <- recv T; assert x == 1; }",
        &[],
    );
    fails(
        "procs Q; msg T = T(int);
         proc w for q in Q { send T(1) to p; send T(2) to p; }
         proc p { for c in Q { T(x) <- recv T; assert x == 1; } for c in Q { recv T; } }",
        &[2],
    );
    fails(
        "procs Q >= 1; msg Peer = Peer(pid in Q); msg X = X(int);
         proc p { r := pick Q; for c in Q { send Peer(r) to c; send X(1) to c; } }
         proc w for q in Q { Peer(r) <- recv Peer; send X(2) to r; X(y) <- recv X; assert y == 1; }",
        &[1],
    );
}

#[test]
fn trap_11_all_cases_move_the_same_member_on() {
    refuted(
        "procs Q; msg Id = Id(pid in Q); msg Go = Go;
         proc p { for c in Q {
             if * { Id(i) <- recv Id from Q; send Go to i; } else { send Go to c; Id(i) <- recv Id from c; }
         } }
         proc w for q in Q { send Id(self) to p; recv Go from p; }",
        &[2],
    );
}

#[test]
fn trap_12_nothing_is_said_about_servers_that_go_on_by_themselves() {
    let text = "procs Q >= 1; index I; msg Id = Id(pid in Q); msg Go = Go;
        proc p { for i in I { Id(id) <- recv Id; send Go to id; } }
        server proc w for q in Q { loop { send Id(q) to p; recv Go from p; } }";
    let answer = answer(text);
    assert_eq!(answer.verdict, Verdict::Verified);
    assert_eq!(answer.outcome.map(|outcome| outcome.active.len()), Some(1));
}

#[test]
fn trap_13_two_loops_have_two_orders() {
    fails(
        "procs Q; msg T = T(int); msg U = U(int);
         proc p { k := 0; for c in Q { send T(k) to c; k := 1; } }
         proc w for q in Q { T(v) <- recv T; send U(v) to m; }
         proc m { n := 0; for c in Q { U(f) <- recv U from Q; if n == 0 { assert f == 0; n := 1; } } }",
        &[2],
    );
}

#[test]
fn trap_14_whom_one_talks_to_is_not_whom_one_hears_from() {
    fails(
        "procs Q; msg Ping = Ping; msg Pong = Pong(pid in Q);
         proc p { for c in Q { send Ping to c; Pong(v) <- recv Pong from Q; assert v == c; } }
         proc w for q in Q { send Pong(self) to p; recv Ping; }",
        &[2],
    );
    // It is, if the others have no reason to say anything.
    verified(
        "procs Q; msg Ping = Ping; msg Pong = Pong(pid in Q);
         proc p { for c in Q { send Ping to c; Pong(v) <- recv Pong from Q; assert v == c; } }
         proc w for q in Q { recv Ping; send Pong(self) to p; }",
    );
}

#[test]
fn trap_15_where_everybody_may_wait_forever_nothing_is_checked() {
    let answer = answer(
        "procs C; msg A = A(pid in C); msg B = B;
         server proc client for c in C { loop { send A(c) to db; recv B from db; } }
         server proc db { loop { A(x) <- recv A; } }",
    );
    assert_eq!(answer.verdict, Verdict::Unknown);
    assert_eq!(answer.failure.map(|it| it.kind), Some(Kind::NothingToCheck));
}

#[test]
fn trap_16_messages_of_different_types_overtake_each_other() {
    verified(
        "msg A = A; msg B = B;
         proc p { send A to q; send B to q; } proc q { recv B from p; recv A from p; }",
    );
}

#[test]
fn trap_17_whoever_is_served_may_come_again() {
    fails(
        "procs Q; msg Id = Id(pid in Q); msg Go = Go;
         proc p { for c in Q { Id(i) <- recv Id from Q; send Go to i; } }
         server proc w for q in Q { n := 0; loop { send Id(self) to p; recv Go from p; n := n + 1; assert n <= 1; } }",
        &[2],
    );
}

#[test]
fn two_servers_may_hear_of_clients_in_different_orders() {
    fails(
        "procs Q; msg A = A(pid in Q, int); msg B = B(int); msg R = R; msg Last = Last(int);
         proc s { v := 0; for c in Q { A(x, n) <- recv A; send R to x; v := n; } send Last(v) to m; }
         proc t { v := 0; for c in Q { B(n) <- recv B; v := n; } send Last(v) to m; }
         proc m { Last(a) <- recv Last from s; Last(b) <- recv Last from t; assert a == b; }
         proc w for q in Q { n := any int; send A(self, n) to s; recv R from s; send B(n) to t; }",
        &[2],
    );
    // The same with servers: one turn of a client must not be one turn of both.
    fails(
        "procs Q; msg A = A(pid in Q, int); msg B = B(pid in Q, int); msg R = R; msg S = S;
         msg End = End; msg Last = Last(int);
         server proc s { v := 0; loop { A(x, n) <- recv A; v := n; send R to x; } }
         server proc t { v := 0; loop { B(x, n) <- recv B; if n == 2 { assert v == 2; } v := n; send S to x; } }
         proc w for q in Q { n := any int; send A(self, n) to s; recv R from s; send B(self, n) to t; recv S from t; }",
        &[1],
    );
}

#[test]
fn a_reply_may_be_overtaken_by_one_that_was_asked_for_before() {
    // Somebody else, told by `p` in time, makes another worker answer `p`.
    let text = "procs W >= 1; msg Ping = Ping(int); msg Pong = Pong(int); msg X = X;
        proc p { send X to m; w := pick W; send Ping(1) to w; Pong(a) <- recv Pong; assert a == 1; Pong(b) <- recv Pong; }
        proc m { recv X from p; w := pick W; send Ping(2) to w; }
        server proc s for w in W { loop { Ping(n) <- recv Ping; send Pong(n) to p; } }";
    let answer = answer(text);
    assert_ne!(answer.verdict, Verdict::Verified, "{:?}", answer.outcome);
}

#[test]
fn a_message_that_was_postponed_is_no_request() {
    // `Hello` is sent before the first `T` is received, so the second `T` may come first.
    let text =
        "procs D; procs S >= 1; msg Hello = Hello(pid in D); msg Q1 = Q1; msg W = W(pid in D, int);
        msg Fwd = Fwd(pid in D); msg T = T(int);
        proc p {
            for x in D { recv Q1 from x; s := pick S; send W(x, 1) to s; }
            for y in D { Fwd(a) <- recv Fwd from z; r := pick S; send W(a, 2) to r; }
        }
        proc z { for c in D { Hello(b) <- recv Hello from D; send Fwd(b) to p; } }
        server proc srv for me in S { loop { W(a, n) <- recv W from p; send T(n) to a; } }
        proc d for me in D {
            send Hello(self) to z; send Q1 to p;
            T(v) <- recv T from S; assert v == 1; T(w) <- recv T from S; assert w == 2;
        }";
    fails(text, &[1, 2]);
}

#[test]
fn two_names_may_be_one_receiver() {
    let text = "procs C >= 1; procs S >= 1; msg Go = Go(int); msg Ack = Ack; msg W = W(pid in C, int); msg T = T(int);
        proc b {
            x := pick C; send Go(0) to x; recv Ack from x; y := pick C; send Go(0) to y; recv Ack from y;
            s := pick S; send W(x, 1) to s; send Go(1) to x; r := pick S; send W(y, 2) to r; send Go(2) to y;
        }
        server proc c for me in C {
            loop { Go(k) <- recv Go from b; if k == 0 { send Ack to b; } else { T(v) <- recv T from S; assert v == k; } }
        }
        server proc srv for me in S { loop { W(a, n) <- recv W from b; send T(n) to a; } }";
    fails(text, &[1, 2]);
}

/// Each ends at once: a loop that leads back to where it began is recognised, and one that grows
/// uses up the work that is allowed.
#[test]
fn loops_that_never_end_are_not_followed_forever() {
    let endless = Kind::EndlessLoop;
    let cases = [
        ("proc p { loop { skip; } } proc q { skip; }", endless),
        ("proc p { x := 1; while x == 1 { skip; } } proc q { skip; }", endless),
        ("proc p { x := 0; loop { x := 1 - x; } } proc q { skip; }", endless),
        ("proc p { loop { x := 0; while x < 3 { x := x + 1; } } } proc q { skip; }", endless),
        (
            "msg Ping = Ping; proc p { loop { send Ping to q; } } proc q { _ <- recv Ping; }",
            endless,
        ),
        ("msg A = A; proc p { recv A from q; } server proc q { loop { skip; } }", endless),
        ("proc p { x := 0; loop { x := x + 1; } } proc q { skip; }", Kind::Limit),
        (
            "msg T = T(int); proc p { x := 0; loop { x := x + 1; send T(x) to q; } }
             proc q { T(y) <- recv T; }",
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
        "msg A = A; proc p { recv A from s; recv A from s; recv A from s; }
         server proc s { loop { send A to p; } }",
    );
}
