//! Replies: derivations that were once accepted for protocols that go wrong.
//!
//! A message may be taken as a reply if it was sent because of something that its receiver did
//! after the last reply. Both protocols make something look like that which is not.

use ser_base::Limits;
use ser_sequentialization_checker::{Certificate, check, read};
use serde_json::{Value, json};

/// A certificate for the protocol with this claim.
fn certificate(source: &str, claim: &str) -> Certificate {
    let claim: Value = serde_json::from_str(claim).expect("JSON");
    let text = json!({ "source": source, "claim": claim });
    read(&text.to_string()).expect("a certificate")
}

#[test]
fn a_message_that_was_sent_in_an_earlier_frame_is_no_request() {
    // `Hello` was sent before the first `T` was received: the second `T`, which it causes, may come
    // first.
    let source = "
set D;
set S >= 1;
msg Hello = Hello(D);
msg Q1 = Q1;
msg W = W(D, int);
msg Fwd = Fwd(D);
msg T = T(int);
process p {
    for x in D {
        recv Q1 from x;
        s := choose(S);
        send W(x, 1) to s;
    }
    for y in D {
        Fwd(a) := recv Fwd from z;
        r := choose(S);
        send W(a, 2) to r;
    }
}
process z {
    for c in D {
        Hello(b) := recv Hello from D;
        send Fwd(b) to p;
    }
}
server process srv for me in S {
    loop {
        W(a, n) := recv W from p;
        send T(n) to a;
    }
}
process d for me in D {
    send Hello(self) to z;
    send Q1 to p;
    T(v) := recv T from S;
    assert v == 1;
    T(w) := recv T from S;
    assert w == 2;
}
";
    let claim = r#"{"sequentialized":{"derivation":[{"loop":{"slots":[{"process":0}],"symbols":[25],"advance":"named","havoc":[[{"process":0},1],[{"set":1},0],[{"set":1},1]],"draws":[],"leaves":[],"steps":[{"unfold":{"set":0,"symbol":25,"sender_to":null}},
    {"run":{"member":25}},
    {"run":{"member":25}},
    {"run":{"process":0}},
    {"pick":{"slot":{"process":0},"symbol":29}},
    {"unfold":{"set":1,"symbol":29,"sender_to":null}},
    {"run":{"process":0}},
    {"run":{"member":29}},
    {"run":{"member":29}},
    {"run":{"member":29}},
    {"take":{"slot":{"member":25},"from":29}},
    {"run":{"member":25}},
    {"fold":29}]}},
    {"loop":{"slots":[{"process":0},
    {"process":1}],"symbols":[118,119],"advance":{"sender":121},"havoc":[[{"process":0},3],[{"process":0},4],[{"process":1},1]],"draws":[],"leaves":[],"steps":[{"unfold":{"set":0,"symbol":121,"sender_to":{"process":1}}},
    {"run":{"member":121}},
    {"take":{"slot":{"process":1},"from":121}},
    {"run":{"process":1}},
    {"run":{"process":0}},
    {"pick":{"slot":{"process":0},"symbol":123}},
    {"unfold":{"set":1,"symbol":123,"sender_to":null}},
    {"run":{"process":0}},
    {"run":{"member":123}},
    {"run":{"member":123}},
    {"run":{"member":123}},
    {"take":{"slot":{"member":121},"from":123}},
    {"run":{"member":121}},
    {"fold":123}]}}]}}"#;
    let rejection =
        check(&certificate(source, claim), &Limits::default()).expect_err("a rejection");
    assert!(
        rejection.to_string().contains("somebody else's message may come first"),
        "{rejection}"
    );
}

#[test]
fn two_names_may_be_one_receiver() {
    // Both names may be the same member, who then has two messages to choose from.
    let source = "
set C >= 1;
set S >= 1;
msg Go = Go(int);
msg Ack = Ack;
msg W = W(C, int);
msg T = T(int);
process b {
    x := choose(C);
    send Go(0) to x;
    recv Ack from x;
    y := choose(C);
    send Go(0) to y;
    recv Ack from y;
    s := choose(S);
    send W(x, 1) to s;
    send Go(1) to x;
    r := choose(S);
    send W(y, 2) to r;
    send Go(2) to y;
}
server process c for me in C {
    loop {
        Go(k) := recv Go from b;
        if k == 0 {
            send Ack to b;
        } else {
            T(v) := recv T from S;
            assert v == k;
        }
    }
}
server process srv for me in S {
    loop {
        W(a, n) := recv W from b;
        send T(n) to a;
    }
}
";
    let claim = r#"{"sequentialized":{"derivation":[{"pick":{"slot":{"process":0},"symbol":1}},
    {"unfold":{"set":0,"symbol":1,"sender_to":null}},
    {"run":{"process":0}},
    {"run":{"member":1}},
    {"run":{"member":1}},
    {"run":{"member":1}},
    {"run":{"member":1}},
    {"run":{"process":0}},
    {"fold":1},
    {"pick":{"slot":{"process":0},"symbol":4}},
    {"unfold":{"set":0,"symbol":4,"sender_to":null}},
    {"run":{"process":0}},
    {"run":{"member":4}},
    {"run":{"member":4}},
    {"run":{"member":4}},
    {"run":{"member":4}},
    {"run":{"process":0}},
    {"fold":4},
    {"pick":{"slot":{"process":0},"symbol":8}},
    {"unfold":{"set":1,"symbol":8,"sender_to":null}},
    {"run":{"process":0}},
    {"run":{"member":8}},
    {"run":{"member":8}},
    {"unfold":{"set":0,"symbol":1,"sender_to":null}},
    {"run":{"member":8}},
    {"run":{"member":1}},
    {"run":{"process":0}},
    {"run":{"member":1}},
    {"run":{"member":1}},
    {"take":{"slot":{"member":1},"from":8}},
    {"run":{"member":1}},
    {"fold":1},
    {"fold":8},
    {"pick":{"slot":{"process":0},"symbol":13}},
    {"unfold":{"set":1,"symbol":13,"sender_to":null}},
    {"run":{"process":0}},
    {"run":{"member":13}},
    {"run":{"member":13}},
    {"unfold":{"set":0,"symbol":4,"sender_to":null}},
    {"run":{"member":13}},
    {"run":{"member":4}},
    {"run":{"process":0}},
    {"run":{"member":4}},
    {"run":{"member":4}},
    {"take":{"slot":{"member":4},"from":13}},
    {"run":{"member":4}},
    {"fold":4},
    {"fold":13}]}}"#;
    let rejection =
        check(&certificate(source, claim), &Limits::default()).expect_err("a rejection");
    assert!(
        rejection.to_string().contains("somebody else's message may come first"),
        "{rejection}"
    );
}
