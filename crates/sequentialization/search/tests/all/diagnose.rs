//! What is in the way of a sequential program: the kind, the line, and the words that help.

use ser_base::{Diagnostic, Limits, LineIndex, Severity};
use ser_sequentialization_search::{Options, diagnose, sequentialize};

fn found(text: &str) -> Vec<Diagnostic> {
    let parsed = ser_syntax::icet::parse(text);
    assert!(!parsed.has_errors(), "{text}\n{:#?}", parsed.diagnostics);
    let answer = sequentialize(text, &parsed.protocol, &Options::default(), &Limits::default());
    diagnose(&parsed.protocol, text, &answer)
}

/// The first message: its code, its line, and all its words.
fn first(text: &str) -> (&'static str, u32, String) {
    let all = found(text);
    let first = all.first().unwrap_or_else(|| panic!("nothing is wrong with {text}"));
    let mut words = format!("{}\n{}\n", first.message, first.primary.message);
    words.extend(first.secondary.iter().map(|it| format!("{}\n", it.message)));
    words.extend(first.help.iter().map(|it| format!("help: {}\n", it.message)));
    (first.code, LineIndex::new(text).row(first.primary.span.start), words)
}

fn check(text: &str, code: &str, line: u32, needed: &[&str]) {
    let (found, at, words) = first(text);
    assert_eq!((found, at), (code, line), "{words}");
    for word in needed {
        assert!(words.contains(word), "no `{word}` in:\n{words}");
    }
}

#[test]
fn nothing_is_said_about_what_is_verified() {
    assert!(found("msg A = A; process p { send A to q; } process q { recv A; }").is_empty());
}

#[test]
fn a_race_names_both_senders_and_three_ways_out() {
    let text = "msg A = A(int);\nprocess p { send A(1) to r; }\nprocess q { send A(2) to r; }\nprocess r { A(x) := recv A;\n A(y) := recv A; }";
    check(
        text,
        "asymmetric-race",
        4,
        &["`p`", "`q`", "types of their own", "recv A from p", "so does this"],
    );
    let set = "set Q;\nmsg A = A(int);\nprocess p { for x in Q { A(y) := recv A; } }\nprocess w for q in Q { if ? { send A(1) to p; } else { send A(2) to p; } }";
    check(
        set,
        "asymmetric-race",
        3,
        &["one single statement", "no run goes wrong with up to 3 members"],
    );
}

#[test]
fn a_message_of_another_type_is_pointed_at() {
    let text = "msg A = A;\nmsg B = B;\nprocess p { send A to q; }\nprocess q { recv B from p; }";
    check(
        text,
        "blocked-receive",
        4,
        &["nobody ever sends a `B` to `q`", "sends an `A` to `q` here"],
    );
}

#[test]
fn what_is_never_received_is_pointed_at() {
    let text = "msg A = A;\nprocess p {\n send A to q;\n}\nprocess q { skip; }";
    check(text, "superfluous-send", 3, &["`p` sends it to `q`", "recv A;", "a run shows it"]);
}

#[test]
fn a_circle_is_told_as_one() {
    let text = "msg A = A;\nmsg B = B;\nprocess p {\n recv A from q;\n send B to q;\n}\nprocess q {\n recv B from p;\n send A to p;\n}";
    check(text, "cyclic-wait", 4, &["`p` and `q` wait for each other", "`B` from `p`"]);
}

#[test]
fn an_empty_set_has_an_edit() {
    let text = "set Q;\nprocess p {\n x := choose(Q);\n}\nprocess w for q in Q { skip; }";
    check(text, "maybe-empty", 3, &["`Q` may have no members", "at least one"]);
    let edit = found(text)[0].help.iter().find_map(|it| it.edit.clone()).expect("an edit");
    assert_eq!((edit.span.start, edit.replacement.as_str()), (5, " >= 1"));
}

#[test]
fn only_servers_are_nothing_to_check() {
    let text = "msg A = A;\nserver process p { loop { recv A; } }";
    check(text, "nothing-to-check", 2, &["all processes are servers"]);
}

#[test]
fn an_assertion_that_fails_is_an_error_and_one_that_is_not_proved_a_warning() {
    let text = "process p {\n x := choose(int);\n assert x == 0;\n}";
    check(text, "failing-assertion", 3, &["this assertion can fail"]);
    assert_eq!(found(text)[0].severity, Severity::Error);
    let open = "process p {\n x := choose(int);\n assert x * x != 1234567;\n}";
    check(open, "unproved-assertion", 3, &["could not be proved"]);
    assert_eq!(found(open)[0].severity, Severity::Warning);
}
