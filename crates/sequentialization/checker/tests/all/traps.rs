//! The soundness traps of the method: protocols that go wrong, each with the derivation that a
//! careless kernel would accept.

use crate::common::*;
use ser_base::Limits;
use ser_sequentialization_checker::{Advance, Bag, Cell, Loop, Step, Symbol};

/// Accepted, with exactly these assertions open (by their place among all assertions).
#[track_caller]
fn open(text: &str, steps: &[Step], wanted: &[usize]) {
    let protocol = protocol(text);
    let all = assertions(&protocol);
    let found: Vec<u32> = accepted(&protocol, steps).open.iter().map(|it| it.0).collect();
    let wanted: Vec<u32> = wanted.iter().map(|place| all[*place]).collect();
    assert_eq!(found, wanted);
}

#[test]
fn trap_1_a_message_has_the_value_of_when_it_was_sent() {
    let text = "msg T = T(int);
        process p { x := 1; send T(x) to q; x := 2; }
        process q { T(y) := recv T; assert y == 2; assert y == 1; }";
    open(text, &seq![run(p(0), 3), run(p(1), 3)], &[0]);
}

const TRAP_2: &str = "set Q; msg A = A; msg B = B;
    process p { x := 0; for c in Q { if x == 0 { send A to c; } else { send B to c; } x := 1; } }
    process s for q in Q { recv A from p; }";

#[test]
fn trap_2_what_an_iteration_changes_is_not_known_at_its_start() {
    let protocol = protocol(TRAP_2);
    let body = seq![unfold(0, 1), run(p(0), 2), run(m(1), 1), run(p(0), 1)];
    let steps = seq![run(p(0), 1), named(p(0), 1, Vec::new(), body.clone())];
    rejected(&protocol, &steps, "the variable x of process p may change");
    let steps = seq![run(p(0), 1), named(p(0), 1, vec![(Cell::Process(0), 0)], body)];
    rejected(&protocol, &steps, "step 1 > step 1, process p: which case its `if` takes");
}

#[test]
fn trap_3_what_a_loop_changes_is_not_known_after_it() {
    let protocol = protocol(
        "set Q; msg X = X; msg A = A;
        process p { x := 0; for c in Q { recv X from c; x := 1; } if x == 0 { send A to m; } }
        process m { recv A from p; }
        process s for q in Q { send X to p; }",
    );
    let body = seq![unfold(0, 1), run(m(1), 1), run(p(0), 2)];
    let with = |havoc| seq![run(p(0), 1), named(p(0), 1, havoc, body.clone()), run(p(0), 2)];
    rejected(&protocol, &with(Vec::new()), "may change");
    rejected(&protocol, &with(vec![(Cell::Process(0), 0)]), "step 2, process p: which case");
}

#[test]
fn trap_4_a_set_may_be_empty() {
    for known in [known::ex7(), known::map_reduce(), known::dist_db()] {
        let text = known.text.replace(" >= 1", "");
        rejected(&protocol(&text), &known.steps, "the set may be empty");
    }
}

#[test]
fn trap_5_the_loop_variable_is_not_the_sender() {
    let text = "set Q; msg Id = Id(Q);
        process p { for c in Q { Id(i) := recv Id from Q; assert i == c; assert i != c; } }
        process s for q in Q { send Id(self) to p; }";
    let it = protocol(text);
    let body = |u: u32| seq![run(m(u), 1), take(p(0), u), run(p(0), 2)];
    let sent = seq![sender(0, 2, p(0)), body(2)];
    open(text, &by_sender(p(0), 1, 2, all_of(&it, 0), sent), &[0, 1]);
    let by_name = seq![unfold(0, 1), body(1)];
    let steps = named(p(0), 1, all_of(&it, 0), by_name);
    rejected(&it, &steps, "somebody else's message may come first");
    let same = seq![sender(0, 1, p(0)), body(1)];
    let steps = by_sender(p(0), 1, 1, all_of(&it, 0), same);
    rejected(&it, &steps, "names its slots or symbols wrongly");
}

#[test]
fn trap_6_every_iteration_leaves_the_queues_as_they_were() {
    let protocol = protocol(
        "set Q; msg T = T(int);
        process p { for c in Q { send T(1) to c; send T(2) to c; } for d in Q { send T(3) to d; } }
        process s for q in Q { T(v) := recv T; T(w) := recv T; assert w == 3; }",
    );
    let first = seq![unfold(0, 1), run(p(0), 2), run(m(1), 1)];
    let second = seq![unfold(0, 2), run(p(0), 1), run(m(2), 2)];
    let steps = seq![named(p(0), 1, vec![], first), named(p(0), 2, vec![], second)];
    rejected(&protocol, &steps, "step 0, process p: messages in flight are not what they were");
}

#[test]
fn trap_7_a_loop_that_never_ends_is_not_the_end() {
    let protocol = protocol("process p { loop { skip; } } process q { assert false; }");
    rejected(&protocol, &seq![run(p(0), 20), run(p(1), 1)], "at the end: p has not ended");
}

#[test]
fn trap_8_all_arms_end_alike() {
    let one =
        protocol("msg A = A; process p { if ? { send A to q; } } process q { recv A from p; }");
    let arms = vec![seq![run(p(0), 1), run(p(1), 1)], Vec::new()];
    rejected(&one, &fork(p(0), arms), "the arms end with different code left for process q");
    let set = protocol(
        "set Q; msg Go = Go; msg X = X;
        process p { for c in Q { send Go to c; } }
        process s for q in Q { recv Go from p; if ? { send X to m; } }
        process m { for c in Q { recv X from Q; } }",
    );
    let branch = fork(m(1), vec![run(m(1), 1), Vec::new()]);
    let body = seq![unfold(0, 1), run(p(0), 1), run(m(1), 1), branch];
    let rejection = rejected(&set, &named(p(0), 1, vec![], body), "different messages in flight");
    assert_eq!(rejection.path.to_string(), "step 0 > step 3");
}

#[test]
fn trap_9_a_receive_is_not_put_off() {
    let protocol = protocol(
        "set Q; msg Done = Done; msg Go = Go; msg Go2 = Go2; msg Ok = Ok;
        process p { for c in Q { recv Done from Q; } send Go to r; }
        process r { recv Go from p; send Go2 to m; }
        process m { recv Go2 from r; for c in Q { send Ok to c; } }
        process s for q in Q { recv Ok from m; send Done to p; }",
    );
    let body = seq![sender(0, 2, p(0)), run(m(2), 2), take(p(0), 2)];
    let steps = by_sender(p(0), 1, 2, vec![], body);
    rejected(&protocol, &steps, "step 0 > step 1, member 2: no message is there");
    let protocol = crate::common::protocol(
        "msg Ok = Ok; msg D = D; msg Go = Go;
        process u { recv Ok from m; send D to p; }
        process p { recv D from u; send Go to m; }
        process m { recv Go from p; send Ok to u; }",
    );
    for slot in 0..3 {
        rejected(&protocol, &run(p(slot), 1), "no message is there");
    }
}

#[test]
fn trap_10_races_are_rejected() {
    let texts = [
        "msg T = T(int); process p { send T(1) to r; } process q { send T(2) to r; }
        process r { T(x) := recv T; T(y) := recv T; assert x == 1; }",
        "set Q; msg T = T(int);
        process s for q in Q { send T(1) to p; send T(2) to p; }
        process p { for c in Q { T(x) := recv T; assert x == 1; } for d in Q { recv T; } }",
        "set Q >= 1; msg Peer = Peer(Q); msg X = X(int);
        process p { r := choose(Q); for c in Q { send Peer(r) to c; send X(1) to c; } }
        process s for q in Q { Peer(r) := recv Peer; send X(2) to r; X(y) := recv X; assert y == 1; }",
    ];
    for text in texts {
        rejected(&protocol(text), &[], "races");
    }
}

#[test]
fn trap_11_both_arms_move_the_same_member_on() {
    let protocol = protocol(
        "set Q; msg Id = Id(Q); msg Go = Go;
        process p {
            for c in Q {
                if ? { Id(i) := recv Id from Q; send Go to i; }
                else { send Go to c; Id(i) := recv Id from c; }
            }
        }
        process s for q in Q { send Id(self) to p; recv Go from p; }",
    );
    let havoc = all_of(&protocol, 0);
    let sent = seq![sender(0, 2, p(0)), run(m(2), 1), take(p(0), 2), run(p(0), 1), run(m(2), 1)];
    let by_name = seq![unfold(0, 1), run(p(0), 1), run(m(1), 2), run(p(0), 1)];
    let body = fork(p(0), vec![sent.clone(), by_name.clone()]);
    let steps = named(p(0), 1, havoc.clone(), body.clone());
    rejected(&protocol, &steps, "step 0 > step 0 > arm 0 > step 0, member 2: members of this set");
    let steps = by_sender(p(0), 1, 2, havoc.clone(), body);
    rejected(&protocol, &steps, "step 0 > step 0");
    // The named member in both arms: then the receive from anyone has no sender that was chosen.
    let first = seq![run(m(1), 1), take(p(0), 1), run(p(0), 1), run(m(1), 1)];
    let second = seq![run(p(0), 1), run(m(1), 2), run(p(0), 1)];
    let body = seq![unfold(0, 1), fork(p(0), vec![first, second])];
    let steps = named(p(0), 1, havoc, body);
    rejected(&protocol, &steps, "somebody else's message may come first");
}

#[test]
fn trap_12_nothing_is_claimed_about_servers_that_go_on() {
    let known = known::ex7();
    let text = known.text.replace("loop { send", "s := 0; loop { assert s == 0; send");
    let it = protocol(&text);
    let body =
        seq![sender(0, 2, p(0)), run(m(2), 3), take(p(0), 2), run(p(0), 1), run(m(2), 2), fold(2),];
    let start = turns(0, 9, Vec::new(), run(m(9), 1));
    // `s` is 0 whenever this derivation looks at it, but a server that goes on is not looked at any
    // more.
    let havoc = all_of(&it, 0);
    let steps = seq![start, nobody(p(0), 1, havoc, body)];
    open(&text, &steps, &[0]);
    let outcome = accepted(&it, &steps);
    assert_eq!(outcome.active.len(), 1);
    // Nor does it help that it holds in the sequential program.
    assert_eq!(outcome.beyond, outcome.open);
    let rejection = ser_sequentialization_checker::check(
        &certificate(&text, steps, Vec::new()),
        &Limits::default(),
    )
    .unwrap_err();
    assert!(rejection.to_string().contains("is claimed to hold"), "{rejection}");
}

#[test]
fn trap_13_two_loops_visit_members_in_different_orders() {
    let text = "set Q; msg T = T(int); msg U = U(int);
        process p { k := 0; for c in Q { send T(k) to c; k := 1; } }
        process s for q in Q { T(v) := recv T; send U(v) to m; }
        process m { n := 0; for c in Q { U(f) := recv U from Q; if n == 0 { assert f == 0; n := 1; } } }";
    let it = protocol(text);
    let first = seq![unfold(0, 1), run(p(0), 2), run(m(1), 2)];
    let branch = fork(p(2), vec![run(p(2), 2), Vec::new()]);
    let second = seq![sender(0, 3, p(2)), run(m(3), 1), take(p(2), 3), branch];
    let steps = seq![
        run(p(0), 1),
        run(p(2), 1),
        named(p(0), 1, all_of(&it, 0), first),
        by_sender(p(2), 2, 3, all_of(&it, 2), second),
    ];
    open(text, &steps, &[0]);
}

#[test]
fn trap_14_who_was_sent_to_is_not_who_answers() {
    let protocol = protocol(
        "set Q; msg Ping = Ping; msg Pong = Pong(Q);
        process p { for x in Q { send Ping to x; Pong(v) := recv Pong from Q; assert v == x; } }
        process s for q in Q { send Pong(self) to p; recv Ping; }",
    );
    let body = seq![unfold(0, 1), run(p(0), 1), run(m(1), 1), take(p(0), 1), run(m(1), 1)];
    let steps = named(p(0), 1, all_of(&protocol, 0), body);
    rejected(&protocol, &steps, "step 0 > step 3, process p: somebody else's message");
}

#[test]
fn trap_15_something_must_have_been_checked() {
    let only = protocol(
        "msg A = A; server process p { loop { send A to q; } } server process q { recv A; }",
    );
    rejected(&only, &[], "there are only servers");
    let idle = protocol(
        "msg A = A; server process p { loop { recv A; send A to q; } } process q { skip; }",
    );
    let outcome = accepted(&idle, &run(p(1), 1));
    assert_eq!(outcome.unvisited.len(), 1);
}

#[test]
fn trap_16_messages_of_different_types_overtake_each_other() {
    let protocol = protocol(
        "msg A = A; msg B = B;
        process p { send A to q; send B to q; }
        process q { recv B from p; recv A from p; }",
    );
    accepted(&protocol, &seq![run(p(0), 2), run(p(1), 2)]);
}

#[test]
fn trap_17_who_may_be_chosen_again_does_not_move_on() {
    let protocol = protocol(
        "set Q; msg Id = Id(Q); msg Go = Go;
        process p { for c in Q { Id(i) := recv Id from Q; send Go to i; } }
        server process s for q in Q {
            n := 0;
            loop { send Id(self) to p; recv Go from p; n := n + 1; assert n <= 1; }
        }",
    );
    let body = seq![sender(0, 2, p(0)), run(m(2), 3), take(p(0), 2), run(p(0), 1), run(m(2), 3)];
    let steps = by_sender(p(0), 1, 2, all_of(&protocol, 0), body);
    rejected(&protocol, &steps, "may send the message by which it was chosen once more");
}

/// What an iteration leaves behind is in flight in the next one, and comes first there.
#[test]
fn what_is_left_behind_is_not_overtaken() {
    let protocol = protocol(
        "index K; msg T = T(int);
        process p { for i in K { send T(1) to r; send T(2) to r; } }
        process r { for i in K { T(x) := recv T; assert x == 1; } for j in K { T(y) := recv T; } }",
    );
    let first = Loop {
        slots: vec![p(0), p(1)],
        symbols: vec![Symbol(1), Symbol(1)],
        advance: Advance::Nobody,
        havoc: all_of(&protocol, 1),
        draws: Vec::new(),
        leaves: vec![leave(0, p(0), 1, 0)],
        steps: seq![run(p(0), 1), run(p(1), 2), run(p(0), 1)],
    };
    let mut second = each_of(p(1), 2, Advance::Nobody, all_of(&protocol, 1), draw(p(1), 0));
    second.draws = vec![Bag(0)];
    let steps = [Step::Loop(first), Step::Loop(second)];
    rejected(&protocol, &steps, "messages like those that are left in a bag are received");
}

/// Were this accepted, each iteration would choose the sender of one and the same message.
#[test]
fn who_is_chosen_as_a_sender_must_be_heard() {
    let protocol = protocol(
        "set Q; msg T = T;
        process p { for c in Q { skip; } }
        server process r { loop { recv T; } }
        process s for q in Q { x := 1; send T to r; }",
    );
    let body = seq![sender(0, 2, p(1)), run(m(2), 1), run(p(0), 1)];
    let steps = seq![run(p(1), 1), by_sender(p(0), 1, 2, Vec::new(), body)];
    rejected(&protocol, &steps, "sender of a message that nobody has received");
}

/// A send to oneself is no tag, so it must not happen.
#[test]
fn nobody_sends_to_oneself() {
    let text = "set Q >= 1; msg T = T;
        process p { skip; }
        process s for q in Q { me := self; send T to me; recv T; }";
    let steps = turns(0, 1, Vec::new(), run(m(1), 2));
    rejected(&protocol(text), &steps, "sends a message to itself");
}

/// Everybody has heard of `p` once, so a second answer may come before it is asked for.
#[test]
fn a_reply_is_caused_by_what_was_done_after_the_last_one() {
    let protocol = protocol(
        "set Q >= 1; msg Ask = Ask; msg Answer = Answer(int);
        process p { x := choose(Q); send Ask to x; Answer(a) := recv Answer; Answer(b) := recv Answer; }
        server process s for q in Q { loop { recv Ask; for i in K { send Answer(i) to p; } } }
        index K;",
    );
    let steps = seq![pick(p(0), 1), unfold(0, 1), run(p(0), 1), run(m(1), 2)];
    let body = run(m(1), 1);
    let mut inner = each_of(m(1), 2, Advance::Nobody, Vec::new(), body);
    inner.leaves = vec![leave(0, m(1), 0, 1)];
    let left = seq![steps.clone(), vec![Step::Loop(inner)], take(p(0), 1)];
    rejected(&protocol, &left, "messages of this kind are in a bag");
    let two = crate::common::protocol(
        "set Q >= 1; msg Ask = Ask; msg Answer = Answer;
        process p { x := choose(Q); send Ask to x; a := recv Answer; b := recv Answer; }
        server process s for q in Q { n := 0; loop { recv Ask; while n < 2 { send Answer to p; n := n + 1; } } }",
    );
    let start = seq![pick(p(0), 1), unfold(0, 1), run(p(0), 1), run(m(1), 3)];
    let twice = seq![start.clone(), run(m(1), 6), take(p(0), 1)];
    rejected(&two, &twice, "another message of its type is in flight");
    let turn = seq![run(m(1), 3), take(p(0), 1)];
    let steps = seq![start, turn.clone(), turn];
    rejected(&two, &steps, "somebody else's message may come first");
}

/// A member may be unfolded in all arms, by a name that was there before; not in one of them only.
#[test]
fn members_stay_unfolded_after_a_fork_if_all_arms_agree() {
    let protocol = protocol(
        "set Q; msg A = A(int);
        process p { for c in Q { if ? { send A(1) to c; } else { send A(2) to c; } } }
        process s for q in Q { A(x) := recv A; }",
    );
    let arm = seq![unfold(0, 1), run(p(0), 1), run(m(1), 1)];
    let steps = named(p(0), 1, Vec::new(), fork(p(0), vec![arm.clone(), arm.clone()]));
    accepted(&protocol, &steps);
    let steps = named(p(0), 1, Vec::new(), fork(p(0), vec![arm, Vec::new()]));
    rejected(&protocol, &steps, "the arms end with different members unfolded");
}

/// In one arm the member was heard, in the other it was not: they are not at the same point.
#[test]
fn arms_agree_on_whether_a_sender_was_heard() {
    let protocol = protocol(
        "set Q >= 1; msg A = A;
        process p { if ? { skip; } }
        server process r { loop { recv A; } }
        server process s for q in Q { loop { send A to r; } }",
    );
    let heard = seq![run(p(0), 1), run(m(1), 2), take(p(1), 1), run(p(1), 1)];
    let again = seq![heard.clone(), fold(1), unfold(0, 1)];
    let start = seq![run(p(1), 1), sender(0, 1, p(1))];
    for arm in [heard, again] {
        let steps = seq![start.clone(), fork(p(0), vec![arm, Vec::new()]), fold(1)];
        rejected(&protocol, &steps, "different messages in flight");
    }
}
