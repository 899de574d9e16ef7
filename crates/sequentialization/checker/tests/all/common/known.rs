//! Protocols that can be sequentialized, each with a derivation.

use super::*;
use crate::seq;

/// A protocol with a derivation.
pub struct Known {
    pub text: &'static str,
    pub steps: Vec<Step>,
}

pub fn ex1() -> Known {
    let text = "msg Ping = Ping; msg Pong = Pong;
        process p { send Ping to q; w := recv Pong; }
        process q { v := recv Ping; send Pong to p; }";
    let steps = seq![run(p(0), 1), run(p(1), 2), run(p(0), 1)];
    Known { text, steps }
}

pub fn ex2() -> Known {
    let text = "set Q; msg Ping = Ping; msg Pong = Pong;
        process p { for x in Q { send Ping to x; w := recv Pong from x; } }
        process sv for q in Q { v := recv Ping; send Pong to p; }";
    let havoc = all_of(&protocol(text), 0);
    let body = seq![unfold(0, 1), run(p(0), 1), run(m(1), 2), run(p(0), 1)];
    Known { text, steps: named(p(0), 1, havoc, body) }
}

pub fn ex3() -> Known {
    let text = "set Q; msg Ping = Ping; msg Pong = Pong;
        process p { for x in Q { send Ping to x; } for y in Q { w := recv Pong; } }
        process sv for q in Q { v := recv Ping; send Pong to p; }";
    let havoc = all_of(&protocol(text), 0);
    let first = seq![unfold(0, 1), run(p(0), 1), run(m(1), 2)];
    let second = seq![sender(0, 3, p(0)), run(m(3), 1), take(p(0), 3)];
    let steps = seq![named(p(0), 1, Vec::new(), first), by_sender(p(0), 2, 3, havoc, second)];
    Known { text, steps }
}

pub fn ex4() -> Known {
    let text = "set Q; msg Id = Id(Q); msg Ping = Ping; msg Pong = Pong;
        process p { for x in Q { Id(id) := recv Id; send Ping to id; } }
        process m { for x in Q { w := recv Pong; } }
        process sv for q in Q { send Id(q) to p; send Pong to m; v := recv Ping; }";
    let it = protocol(text);
    let first = seq![sender(0, 2, p(0)), run(m(2), 1), take(p(0), 2), run(p(0), 1), run(m(2), 2)];
    let second = seq![sender(0, 4, p(1)), run(m(4), 1), take(p(1), 4)];
    let steps = seq![
        by_sender(p(0), 1, 2, all_of(&it, 0), first),
        by_sender(p(1), 3, 4, all_of(&it, 1), second),
    ];
    Known { text, steps }
}

pub fn ex5() -> Known {
    let text = "set Q; msg Id = Id(Q); msg Ping = Ping;
        process p { for x in Q { Id(id) := recv Id; send Ping to id; } }
        process sv for q in Q { send Id(q) to p; v := recv Ping; }";
    let havoc = all_of(&protocol(text), 0);
    let body = seq![sender(0, 2, p(0)), run(m(2), 1), take(p(0), 2), run(p(0), 1), run(m(2), 1)];
    Known { text, steps: by_sender(p(0), 1, 2, havoc, body) }
}

pub fn ex7() -> Known {
    let text = "set Q >= 1; index I; msg Id = Id(Q); msg Stop = Stop(int);
        process p { for i in I { Id(id) := recv Id; send Stop(0) to id; } }
        server process w for q in Q {
            loop { send Id(q) to p; Stop(s) := recv Stop from p; if s == 1 { break; } }
        }";
    let it = protocol(text);
    let havoc = seq![all_of(&it, 0), all_of(&it, 1)];
    let body =
        seq![sender(0, 2, p(0)), run(m(2), 2), take(p(0), 2), run(p(0), 1), run(m(2), 2), fold(2),];
    Known { text, steps: nobody(p(0), 1, havoc, body) }
}

pub fn task_service() -> Known {
    let text =
        "set Cs; msg Req = Req(Cs); msg Work = Task(pid, int) | None; msg Ack = Ack;
        process server0 {
            for c in Cs { Req(who) := recv Req; item := choose(int); send Task(master, item) to who; }
        }
        process master { for c in Cs { recv Ack; } }
        process client for c in Cs {
            send Req(c) to server0;
            w := recv Work;
            match w { Task(boss, t) => { send Ack to boss; } None => { assert false; } }
        }";
    let it = protocol(text);
    let first = seq![sender(0, 2, p(0)), run(m(2), 1), take(p(0), 2), run(p(0), 2), run(m(2), 3)];
    let second = seq![sender(0, 4, p(1)), run(m(4), 1), take(p(1), 4)];
    let steps = seq![
        by_sender(p(0), 1, 2, all_of(&it, 0), first),
        by_sender(p(1), 3, 4, all_of(&it, 1), second),
    ];
    Known { text, steps }
}

pub fn two_phase_commit() -> Known {
    let text =
        "set A; msg Prep = Prep; msg Vote = Yes | No; msg Dec = Commit | Abort; msg Ack = Ack;
        process coord {
            for a in A { send Prep to a; }
            ok := true;
            for b in A { v := recv Vote; if v == No { ok := false; } }
            if ok { for c in A { send Commit to c; } } else { for d in A { send Abort to d; } }
            for e in A { recv Ack; }
        }
        process acc for a in A {
            recv Prep;
            if ? { v := Yes; } else { v := No; }
            send v to coord;
            d := recv Dec;
            assert d == Abort || v == Yes;
            send Ack to coord;
        }";
    let havoc = all_of(&protocol(text), 0);
    let ask = seq![
        unfold(0, 1),
        run(p(0), 1),
        run(m(1), 1),
        fork(m(1), vec![run(m(1), 1), run(m(1), 1)]),
        run(m(1), 1),
    ];
    let votes = seq![
        sender(0, 3, p(0)),
        run(m(3), 1),
        take(p(0), 3),
        fork(p(0), vec![run(p(0), 1), Vec::new()]),
    ];
    let tell = |symbol: u32| {
        let body = seq![unfold(0, symbol), run(p(0), 1), run(m(symbol), 3)];
        named(p(0), symbol, Vec::new(), body)
    };
    let acks = seq![sender(0, 7, p(0)), run(m(7), 1), take(p(0), 7)];
    let steps = seq![
        named(p(0), 1, Vec::new(), ask),
        run(p(0), 1),
        by_sender(p(0), 2, 3, havoc, votes),
        fork(p(0), vec![tell(4), tell(5)]),
        by_sender(p(0), 6, 7, Vec::new(), acks),
    ];
    Known { text, steps }
}

pub fn map_reduce() -> Known {
    let text = "set M >= 1; index K; msg Req = Req(M); msg Work = Job(int) | Term;
        msg Res = Res(int);
        process queue {
            for i in K { Req(x) := recv Req; send Job(i) to x; }
            for y in M { Req(z) := recv Req; send Term to z; }
        }
        process master { for i in K { Res(r) := recv Res; } }
        process mapper for w in M {
            loop {
                send Req(w) to queue;
                a := recv Work;
                match a { Job(i) => { send Res(i) to master; } Term => { break; } }
            }
        }";
    let it = protocol(text);
    let jobs = seq![sender(0, 2, p(0)), run(m(2), 2), take(p(0), 2), run(p(0), 1), run(m(2), 3)];
    let mut first = each_of(p(0), 1, Advance::Nobody, seq![all_of(&it, 0), all_of(&it, 2)], jobs);
    first.leaves = vec![leave(0, m(2), 1, 2)];
    let stop = seq![sender(0, 4, p(0)), run(m(4), 2), take(p(0), 4), run(p(0), 1), run(m(4), 3)];
    let mut last = each_of(p(1), 5, Advance::Nobody, all_of(&it, 1), draw(p(1), 0));
    last.draws = vec![Bag(0)];
    let steps = seq![
        vec![Step::Loop(first)],
        by_sender(p(0), 3, 4, all_of(&it, 0), stop),
        vec![Step::Loop(last)],
    ];
    Known { text, steps }
}

pub fn dist_db() -> Known {
    let text = "set C; set W >= 1;
        msg Order = Allocate(C, int) | Lookup(C, int); msg Answer = Found(int);
        server process db { loop { o := recv Order from C; w := choose(W); send o to w; } }
        server process worker for w in W {
            value := 0;
            loop {
                o := recv Order from db;
                match o {
                    Allocate(who, key) => { value := key; }
                    Lookup(who, key) => { send Found(value) to who; }
                }
            }
        }
        process client for c in C {
            wanted := choose(int);
            if ? { mine := Allocate(self, wanted); } else { mine := Lookup(self, wanted); }
            send mine to db;
            match mine { Allocate(_, _) => { skip; } Lookup(_, _) => { Found(v) := recv Answer; } }
        }";
    let it = protocol(text);
    let arms =
        vec![seq![run(m(3), 1), run(m(2), 2)], seq![run(m(3), 1), run(m(2), 1), take(m(2), 3)]];
    let turn = seq![
        run(m(2), 1),
        fork(m(2), vec![run(m(2), 1), run(m(2), 1)]),
        run(m(2), 1),
        run(p(0), 1),
        take(p(0), 2),
        pick(p(0), 3),
        unfold(1, 3),
        run(p(0), 1),
        run(m(3), 2),
        fork(m(3), arms),
        fold(3),
    ];
    let havoc = seq![all_of(&it, 0), all_of(&it, 1)];
    let steps = seq![turns(1, 1, Vec::new(), run(m(1), 1)), turns(0, 2, havoc, turn)];
    Known { text, steps }
}

pub fn firewall() -> Known {
    let text = "set C; msg Message = Good(C) | Bad; msg Forward = FGood(pid) | FBad;
        msg Back = Back; msg Answer = Answer;
        server process fw {
            loop {
                x := recv Message;
                match x {
                    Good(who) => {
                        send FGood(self) to backend;
                        recv Back from backend;
                        send Answer to who;
                    }
                    Bad => { skip; }
                }
            }
        }
        server process backend {
            loop {
                f := recv Forward from fw;
                match f { FGood(back) => { send Back to back; } FBad => { assert false; } }
            }
        }
        process client for c in C {
            if ? { mine := Good(self); } else { mine := Bad; }
            send mine to fw;
            if mine != Bad { recv Answer from fw; }
        }";
    let it = protocol(text);
    let good = seq![run(p(0), 1), run(p(1), 4), run(p(0), 2), run(m(1), 2)];
    let bad = seq![run(p(0), 1), run(m(1), 1)];
    let turn = seq![
        fork(m(1), vec![run(m(1), 1), run(m(1), 1)]),
        run(m(1), 1),
        run(p(0), 1),
        take(p(0), 1),
        fork(p(0), vec![good, bad]),
    ];
    let havoc = seq![all_of(&it, 0), all_of(&it, 1)];
    Known { text, steps: turns(0, 1, havoc, turn) }
}
