//! Sequential programs as people see them: all examples, and the same final states as before.

use crate::common::{examples, instances, parse};
use crate::finals::finals;
use ser_base::Limits;
use ser_generators::protocols::random_protocol;
use ser_sequentialization_search::{Options, Style, nodes, sequentialize, simplify, text_of};
use std::fmt::Write as _;

/// Both programs end in the same states and fail at the same assertions.
fn mean_the_same(name: &str, text: &str) -> Option<String> {
    let protocol = parse(text);
    let options = Options { explore: false, ..Options::default() };
    let limits = Limits { max_states: 4_000, ..Limits::default() };
    let answer = sequentialize(text, &protocol, &options, &limits);
    let (program, simple) = (answer.outcome?.sequential, answer.simplified);
    let again = simplify(&protocol, &simple, &limits);
    assert_eq!(again, simple, "{name}: nothing is left to do");
    let mut compared = 0;
    for sizes in instances(&protocol, 2) {
        let Ok(raw) = finals(&protocol, &program, &sizes, &limits) else { continue };
        let printed = finals(&protocol, &simple, &sizes, &limits).expect("fewer states");
        assert_eq!(raw.stores, printed.stores, "{name}: {sizes:?}");
        assert_eq!(raw.failing, printed.failing, "{name}: {sizes:?}");
        compared += 1;
    }
    assert!(compared > 0, "{name}: no instance is small enough");
    Some(text_of(&nodes(&protocol, &simple, Style::Readable), &Default::default()))
}

fn printed(text: &str) -> String {
    mean_the_same("a protocol", text).unwrap_or_else(|| panic!("not sequentialized: {text}"))
}

#[test]
fn random_protocols_mean_the_same() {
    let mut compared = 0;
    for seed in 0..120 {
        let text = random_protocol(seed).text;
        compared += usize::from(mean_the_same(&format!("seed {seed}:\n{text}"), &text).is_some());
    }
    assert!(compared > 30, "{compared} of 120 were sequentialized");
}

#[test]
fn a_message_keeps_the_value_of_its_send() {
    let text = "msg T = T(int); process p { x := 1; send T(x) to q; x := 2; recv T from q; }
        process q { T(y) := recv T; send T(y) to p; }";
    assert!(printed(text).contains("p.x := 2;"), "{}", printed(text));
    let late =
        "msg T = T(int); msg U = U; process p { x := 1; send T(x) to q; x := 2; send U to q; }
        process q { U := recv U from p; T(y) := recv T; }";
    let text = printed(late);
    assert!(text.contains("p.sent_T := T(p.x);\np.x := 2;\nT(q.y) := p.sent_T;"), "{text}");
}

#[test]
fn names_are_made_unique() {
    let text = "set Q; msg A = A(Q); process q { for x in Q { A(y) := recv A; } }
        process w for me in Q { sent_A := 1; send A(me) to q; }";
    let text = printed(text);
    assert!(text.contains("    me.sent_A := 1;\n    q.y := me;"), "{text}");
    let text = "set Q >= 1; index I; msg A = A; msg B = B;
        process master { for i in I { x := choose(Q); send A to x; recv B from x; } }
        server process w for q in Q { loop { a := recv A; send B to master; } }";
    let text = printed(text);
    assert!(
        text.contains("for _ in I {\n    q := choose(Q);\n    master.x := q;\n    q.a := A;"),
        "{text}"
    );
}

#[test]
fn the_examples_are_printed_like_this_and_mean_the_same() {
    let mut all = String::new();
    for (name, text) in examples("") {
        let printed = mean_the_same(&name, &text);
        let _ = writeln!(all, "== {name}\n{}", printed.unwrap_or_else(|| "nothing\n".to_owned()));
    }
    insta::assert_snapshot!(all);
}
