//! Sequential programs as people see them: all examples, and the same final states as before.

use ser_generators::protocols::random_protocol;
use ser_sequentialization_search::explore::{Limits, sequential::finals};
use ser_sequentialization_search::{Options, describe, sequentialize, simplify};
use ser_syntax::icet::ast::Protocol;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn examples() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/icet");
    let files = std::fs::read_dir(path).expect("a folder of examples");
    let mut paths: Vec<PathBuf> = files.map(|it| it.expect("a file").path()).collect();
    paths.retain(|it| it.extension().is_some_and(|it| it == "icet"));
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("a text"))
    };
    paths.iter().map(read).collect()
}

fn parse(text: &str) -> Protocol {
    let parsed = ser_syntax::icet::parse(text);
    assert!(!parsed.has_errors(), "{text}\n{:#?}", parsed.diagnostics);
    parsed.protocol
}

/// Sizes for all sets, each on its own.
fn instances(protocol: &Protocol, most: u32) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    for set in &protocol.sets {
        let longer = |start: &Vec<u32>| {
            let start = start.clone();
            (set.at_least..=most).map(move |size| [start.clone(), vec![size]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Both programs end in the same states and fail at the same assertions.
fn mean_the_same(name: &str, text: &str) -> Option<String> {
    let protocol = parse(text);
    let options = Options { explore: None, ..Options::default() };
    let program = sequentialize(text, &protocol, &options).outcome?.sequential;
    let simple = simplify(&protocol, &program);
    assert_eq!(simplify(&protocol, &simple), simple, "{name}: nothing is left to do");
    let limits = Limits { max_states: 4_000, ..Limits::default() };
    let mut compared = 0;
    for sizes in instances(&protocol, 2) {
        let Ok(raw) = finals(&protocol, &program, &sizes, &limits) else { continue };
        let printed = finals(&protocol, &simple, &sizes, &limits).expect("fewer states");
        assert_eq!(raw.stores, printed.stores, "{name}: {sizes:?}");
        assert_eq!(raw.failing, printed.failing, "{name}: {sizes:?}");
        compared += 1;
    }
    assert!(compared > 0, "{name}: no instance is small enough");
    Some(describe(&protocol, &program))
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
    let text = "msg T = T(int); proc p { x := 1; send T(x) to q; x := 2; recv T from q; }
        proc q { T(y) <- recv T; send T(y) to p; }";
    assert!(printed(text).contains("p.x := 2;"), "{}", printed(text));
    let late = "msg T = T(int); msg U = U; proc p { x := 1; send T(x) to q; x := 2; send U to q; }
        proc q { U <- recv U from p; T(y) <- recv T; }";
    let text = printed(late);
    assert!(text.contains("p.sent_T := T(p.x);\np.x := 2;\nT(q.y) := p.sent_T;"), "{text}");
}

#[test]
fn names_are_made_unique() {
    let text = "procs Q; msg A = A(pid in Q); proc q { for x in Q { A(y) <- recv A; } }
        proc w for me in Q { sent_A := 1; send A(me) to q; }";
    let text = printed(text);
    assert!(text.contains("    me.sent_A := 1;\n    q.y := me;"), "{text}");
    let text = "procs Q >= 1; index I; msg A = A; msg B = B;
        proc master { for i in I { x := pick Q; send A to x; _ <- recv B from x; } }
        server proc w for q in Q { loop { a <- recv A; send B to master; } }";
    let text = printed(text);
    assert!(
        text.contains("for _ in I {\n    pick q in Q;\n    master.x := q;\n    q.a := A;"),
        "{text}"
    );
}

#[test]
fn the_examples_are_printed_like_this_and_mean_the_same() {
    let mut all = String::new();
    for (name, text) in examples() {
        let printed = mean_the_same(&name, &text);
        let _ = writeln!(all, "== {name}\n{}", printed.unwrap_or_else(|| "nothing\n".to_owned()));
    }
    insta::assert_snapshot!(all);
}
