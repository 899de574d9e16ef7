//! Each rule: what it takes, and what it refuses.

use crate::common::parse as protocol;
use ser_base::Limits;
use ser_sequentialization_checker::{Advance, Claim, Loop, Step};
use ser_sequentialization_search::{Answer, Kind, Options, Verdict, sequentialize};

/// The derivation, which the kernel accepts.
#[track_caller]
fn taken(text: &str) -> Vec<Step> {
    let answer = answer(text);
    match answer.certificate.map(|it| it.claim) {
        Some(Claim::Sequentialized { derivation, .. }) => derivation,
        _ => panic!("{:?}", answer.failure),
    }
}

fn answer(text: &str) -> Answer {
    let options = Options { explore: false, ..Options::default() };
    sequentialize(text, &protocol(text), &options, &Limits::default())
}

/// What is in the way.
#[track_caller]
fn refused(text: &str) -> Kind {
    let answer = answer(text);
    assert_ne!(answer.verdict, Verdict::Verified);
    answer.failure.expect("a failure").kind
}

/// All loops, also those inside.
fn loops(steps: &[Step]) -> Vec<Loop> {
    let mut found = Vec::new();
    for step in steps {
        match step {
            Step::Loop(it) => {
                found.push(it.clone());
                found.extend(loops(&it.steps));
            }
            Step::Each { steps, .. } => found.extend(loops(steps)),
            Step::Fork { arms, .. } => found.extend(arms.iter().flat_map(|arm| loops(arm))),
            _ => {}
        }
    }
    found
}

/// Whether a step of this kind is there, also inside.
fn has(steps: &[Step], test: &dyn Fn(&Step) -> bool) -> bool {
    steps.iter().any(|step| {
        test(step)
            || match step {
                Step::Loop(it) => has(&it.steps, test),
                Step::Each { steps, .. } => has(steps, test),
                Step::Fork { arms, .. } => arms.iter().any(|arm| has(arm, test)),
                _ => false,
            }
    })
}

#[test]
fn send_and_receive() {
    let steps = taken("msg A = A; process p { send A to q; } process q { recv A; }");
    assert!(matches!(steps[..], [Step::Run(_), Step::Run(_)]));
    // Nobody sends.
    let kind = refused("msg A = A; process p { skip; } process q { recv A; }");
    assert_eq!(kind, Kind::BlockedReceive);
    // Nobody receives.
    let kind = refused("msg A = A; process p { send A to q; } process q { skip; }");
    assert_eq!(kind, Kind::SuperfluousSend);
}

#[test]
fn a_send_whose_address_is_not_known() {
    let text = |address: &str| {
        format!(
            "msg A = A(pid); msg B = B;
             process p {{ send A({address}) to q; recv B from q; }}
             process q {{ A(x) := recv A; send B to x; }}"
        )
    };
    taken(&text("self"));
    assert_ne!(refused(&text("q")), Kind::AsymmetricRace);
}

#[test]
fn decisions_that_are_known() {
    taken("msg A = A; process p { x := 1; if x == 1 { send A to q; } } process q { recv A; }");
    let text = "msg A = A; process p { x := choose(int); if x == 1 { send A to q; } } process q { recv A; }";
    assert_eq!(refused(text), Kind::BlockedReceive);
}

#[test]
fn decisions_that_are_not_known() {
    let text = |second: &str| {
        format!(
            "msg M = Yes | No;
             process p {{ if ? {{ send Yes to q; }} else {{ {second} }} }}
             process q {{ v := recv M; }}"
        )
    };
    let steps = taken(&text("send No to q;"));
    assert!(has(&steps, &|step| matches!(step, Step::Fork { .. })));
    assert_eq!(refused(&text("skip;")), Kind::BlockedReceive);
}

#[test]
fn loops_without_end_of_their_own() {
    let text = |last: &str| {
        format!(
            "msg M = More | Stop;
             process p {{ send More to q; send More to q; {last} }}
             process q {{ loop {{ m := recv M; if m == Stop {{ break; }} }} }}"
        )
    };
    taken(&text("send Stop to q;"));
    assert_eq!(refused(&text("")), Kind::BlockedReceive);
}

#[test]
fn while_loops_are_decided_or_refused() {
    taken("process p { i := 0; while i < 3 { i := i + 1; } }");
    let text = "process p { i := choose(int); while i < 3 { i := i + 1; } }";
    assert_eq!(refused(text), Kind::StatefulLoop);
}

#[test]
fn a_loop_moves_on_those_that_it_names() {
    let text = |body: &str| {
        format!(
            "set Q; msg A = A; process p {{ for x in Q {{ {body} }} }} process w for q in Q {{ recv A from p; }}"
        )
    };
    let steps = taken(&text("send A to x;"));
    assert_eq!(loops(&steps)[0].advance, Advance::Named);
    assert_eq!(refused(&text("send A to x; send A to x;")), Kind::SuperfluousSend);
    assert_eq!(refused(&text("skip;")), Kind::BlockedReceive);
}

#[test]
fn a_loop_moves_on_those_that_it_hears_of() {
    let text = |body: &str| {
        format!(
            "set Q; msg A = A(Q); msg B = B;
             process p {{ for x in Q {{ {body} }} }}
             process w for q in Q {{ send A(self) to p; recv B from p; }}"
        )
    };
    let steps = taken(&text("A(i) := recv A; send B to i;"));
    assert!(matches!(loops(&steps)[0].advance, Advance::Sender(_)));
    // One is heard of, another one is answered.
    assert_eq!(refused(&text("A(i) := recv A; send B to x;")), Kind::IndiscriminateCommunication);
}

#[test]
fn a_loop_whose_partners_are_back_in_each_iteration() {
    let text = |body: &str| {
        format!(
            "set Q >= 1; index I; msg A = A(Q); msg B = B;
             process p {{ for i in I {{ A(x) := recv A; send B to x; }} }}
             server process w for q in Q {{ loop {{ send A(self) to p; {body} }} }}"
        )
    };
    let steps = taken(&text("recv B from p;"));
    assert_eq!(loops(&steps)[0].advance, Advance::Nobody);
    let kind = refused(&text("recv B from p; recv B from p;"));
    assert_ne!(kind, Kind::AsymmetricRace);
}

#[test]
fn a_loop_with_a_single_server() {
    let text = |reply: &str| {
        format!(
            "index I; msg A = A; msg B = B;
             process p {{ for i in I {{ send A to s; recv B from s; }} }}
             server process s {{ loop {{ recv A; {reply} }} }}"
        )
    };
    taken(&text("send B to p;"));
    assert_eq!(refused(&text("skip;")), Kind::BlockedReceive);
}

#[test]
fn loops_that_go_together() {
    let text = |other: &str| {
        format!(
            "index I; index J; msg A = A(int);
             process p {{ for i in I {{ send A(i) to q; }} }}
             process q {{ for j in {other} {{ A(k) := recv A; assert k == j; }} }}"
        )
    };
    let steps = taken(&text("I"));
    assert_eq!(loops(&steps)[0].slots.len(), 2);
    let answer =
        sequentialize(&text("I"), &protocol(&text("I")), &Options::default(), &Limits::default());
    assert_eq!(answer.verdict, Verdict::Verified);
    let kind = refused(&text("J"));
    assert!(matches!(kind, Kind::SuperfluousSend | Kind::BlockedReceive), "{kind:?}");
}

#[test]
fn a_loop_alone() {
    taken("set Q; process p { n := 0; for x in Q { n := n + 1; } } process w for q in Q { skip; }");
    let text = "set Q; index I; process p { n := 0; for i in I { x := choose(Q); } } process w for q in Q { skip; }";
    assert_eq!(refused(text), Kind::MaybeEmpty);
}

#[test]
fn turns_of_clients() {
    let text = |client: &str| {
        format!(
            "set Q; msg A = A(Q); msg B = B;
             server process s {{ loop {{ A(x) := recv A; send B to x; }} }}
             process w for q in Q {{ {client} }}"
        )
    };
    let steps = taken(&text("send A(self) to s; recv B from s;"));
    assert!(matches!(steps[..], [Step::Each { .. }]));
    let kind = refused(&text("send A(self) to s; recv B from s; recv B from s;"));
    assert_eq!(kind, Kind::BlockedReceive);
    assert_eq!(refused(&text("send A(self) to s;")), Kind::SuperfluousSend);
}

#[test]
fn one_race_in_each_turn() {
    // Whose `B` follows on an `A` is not known, unless the server says whose it wants.
    let text = |from: &str| {
        format!(
            "set Q; msg A = A(Q); msg B = B;
             server process s {{ loop {{ A(x) := recv A; recv B from {from}; }} }}
             process w for q in Q {{ send A(self) to s; send B to s; }}"
        )
    };
    taken(&text("x"));
    assert_eq!(refused(&text("Q")), Kind::IndiscriminateCommunication);
}

#[test]
fn replies_of_a_member() {
    let text = |worker: &str| {
        format!(
            "set W >= 1; msg A = A; msg B = B;
             process p {{ w := choose(W); send A to w; recv B; }}
             server process s for w in W {{ loop {{ {worker} }} }}"
        )
    };
    let steps = taken(&text("recv A from p; send B to p;"));
    assert!(has(&steps, &|step| matches!(step, Step::Fold(_))));
    assert_eq!(refused(&text("recv A from p;")), Kind::BlockedReceive);
}

#[test]
fn messages_to_somebody_who_comes_later() {
    let text = |size: &str| {
        format!(
            "set Q; set R; msg A = A; msg B = B;
             process p {{ for x in Q {{ send A to x; }} }}
             process m {{ for x in {size} {{ recv B from Q; }} }}
             process w for q in Q {{ recv A from p; send B to m; }}
             process v for r in R {{ skip; }}"
        )
    };
    taken(&text("Q"));
    let kind = refused(&text("R"));
    assert_ne!(kind, Kind::AsymmetricRace);
}

#[test]
fn messages_that_a_loop_leaves_behind() {
    let text = |other: &str| {
        format!(
            "set W >= 1; index K; index J; msg A = A(W); msg R = More | Stop; msg D = D;
             process p {{
                 for k in K {{ A(x) := recv A; send More to x; }}
                 for y in W {{ A(x) := recv A; send Stop to x; }}
             }}
             process m {{ for k in {other} {{ recv D; }} }}
             process s for w in W {{ loop {{
                 send A(self) to p; v := recv R from p;
                 match v {{ More => {{ send D to m; }} Stop => {{ break; }} }}
             }} }}"
        )
    };
    let steps = taken(&text("K"));
    assert!(has(&steps, &|step| matches!(step, Step::Draw { .. })));
    assert_eq!(loops(&steps).iter().map(|it| it.leaves.len()).sum::<usize>(), 1);
    assert_ne!(refused(&text("J")), Kind::AsymmetricRace);
}

#[test]
fn a_server_that_decides_forever_is_not_followed_forever() {
    let text = "msg A = A; server process s { loop { if ? { recv A from p; } } } process p { send A to s; }";
    let start = std::time::Instant::now();
    assert_ne!(refused(text), Kind::AsymmetricRace);
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn servers_prepare_before_others_take_their_turn() {
    taken(
        "set Q; set W >= 1; msg R = R(Q); msg S = S;
         process w for q in Q { k := choose(W); send R(self) to k; recv S from k; }
         server process v for z in W { n := 0; loop { R(c) := recv R; send S to c; } }",
    );
}
