//! `ser check FILE` answers everything that the file asks.

use crate::common::{examples, file, folder, ser, text};
use serde_json::Value;

/// The questions and the verdicts of a run with `--format json`, and its exit code.
fn answers(path: &str) -> (Vec<(String, String)>, Option<i32>) {
    let output = ser(&["check", path, "--format", "json"]);
    let pair = |line: &str| {
        let value: Value = serde_json::from_str(line).expect("JSON");
        let word = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        (word("question"), word("verdict"))
    };
    (output.stdout.lines().map(pair).collect(), output.code)
}

#[test]
fn one_file_asks_everything() {
    for name in ["ticket_lock", "two_phase_commit", "bounded_buffer"] {
        let (answers, code) = answers(&text(&examples().join(format!("{name}.ser"))));
        assert_eq!(code, Some(0), "{name}: {answers:?}");
        assert_eq!(answers[0], ("serializability".to_owned(), "serializable".to_owned()), "{name}");
        for (question, verdict) in [
            ("invariance", "proved"),
            ("reachability", "unreachable"),
            ("deadlock", "deadlock_free"),
        ] {
            let found = answers.iter().any(|(q, v)| q == question && v == verdict);
            assert!(found, "{name}: {answers:?}");
        }
    }
}

#[test]
fn every_kind_of_file_is_answered() {
    for (path, first, code) in [
        ("processes/bank.ser", ("reachability", ""), None),
        ("messages/ex2.ser", ("sequentialization", "sequentialized"), Some(0)),
        ("messages/broken/two-writers.ser", ("sequentialization", "refuted"), Some(1)),
        ("threads/ticket_lock.ser", ("invariance", "proved"), Some(0)),
        ("threads/lost_update.ser", ("invariance", "refuted"), Some(1)),
    ] {
        let (answers, exit) = answers(&text(&examples().join(path)));
        assert_eq!(answers[0].0, first.0, "{path}: {answers:?}");
        assert!(first.1.is_empty() || answers[0].1 == first.1, "{path}: {answers:?}");
        assert!(code.is_none() || exit == code, "{path}: {exit:?}");
    }
}

const CROSSED: &str = "lock A  lock B
    request ab { with A { yield; with B { In := In + 1; In := In - 1; 1 } } }
    request ba { with B { yield; with A { 2 } } }
    deadlock
    invariant alone: In == 0
    reach \"both are taken\": A && B";

#[test]
fn each_question_has_its_certificate() {
    let dir = folder("questions");
    let source = file(&dir, "crossed.ser", CROSSED);
    let certificate = text(&dir.join("c.json"));
    let output = ser(&["check", &source, "--certificate", &certificate]);
    assert_eq!(output.code, Some(1), "{output:?}");
    for words in ["serializable", "somebody can WAIT FOREVER", "proved", "reachable"] {
        assert!(output.stdout.contains(words), "{words}: {output:?}");
    }
    assert!(output.stdout.contains("can never complete, whatever comes"), "{output:?}");
    let numbered = [".json", ".2.json", ".3.json", ".4.json"];
    for end in numbered {
        let certificate = certificate.replace(".json", end);
        let verified = ser(&["verify", &certificate]);
        assert_eq!(verified.code, Some(0), "{end}: {verified:?}");
        // For a program in which it is wrong, it is not valid.
        let other = file(&dir, "other.ser", CROSSED.replace("yield; ", ""));
        let rejected = ser(&["verify", &certificate, "--source", &other]);
        assert_eq!(rejected.code, Some(1), "{end}: {rejected:?}");
    }
    let third = certificate.replace(".json", ".2.json");
    let tampered = std::fs::read_to_string(&third).expect("a certificate");
    let tampered = tampered.replacen("\"steps\":[[0,", "\"steps\":[[1,", 1);
    std::fs::write(&third, tampered).expect("a file");
    assert_eq!(ser(&["verify", &third]).code, Some(1));
}

/// The first question takes all the time that it gets, and the others take none.
#[test]
fn other_questions_have_time_of_their_own() {
    let dir = folder("questions_in_time");
    let source = "var Calls: [0..1] of 0..2
        request call(client in 0..1) {
            if Calls[client] == 2 { return false };
            Calls[client] := Calls[client] + 1;
            true
        }
        request next_window { for c in 0..1 { Calls[c] := 0; yield }; 0 }
        invariant limit: Calls[0] <= 2
        deadlock";
    let source = file(&dir, "windows.ser", source);
    let output = ser(&["check", "--quiet", "--timeout", "2", &source]);
    for words in ["nothing fails", "proved", "nobody has to wait forever"] {
        assert!(output.stdout.contains(words), "{words}: {output:?}");
    }
}

#[test]
fn questions_count_for_the_summary_and_the_exit_code() {
    let dir = folder("questions_of_several");
    let good = file(&dir, "good.ser", "request a { X := 1 - X; 0 }  invariant i: X <= 1");
    let bad = file(&dir, "bad.ser", "request a { X := 1; 0 }  invariant i: X == 0");
    let output = ser(&["check", "--quiet", &good, &bad]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stdout.contains("2 files: 2 serializable; 2 more questions"), "{output:?}");
    assert_eq!(ser(&["check", "--quiet", &good]).code, Some(0));
}

/// A loop without an end may stand anywhere: the end of each round counts, and whoever waits for a
/// round to begin waits there.
#[test]
fn loops_in_branches_end_with_each_round() {
    let dir = folder("questions_of_loops");
    let shared = "var X: 0..3  lock L  fn serve() { loop { await X > 0; X := X - 1 } }";
    for (body, words) in [
        // Only what can go on is chosen.
        ("choose { loop { X := 1 } } or { await X == 1 }", "nobody has to wait forever"),
        ("choose { loop { X := 1 } } or { X := 2 }", "nobody has to wait forever"),
        ("if X == 0 { loop { await X == 1 } }", "waits where a round of its `loop` begins"),
        ("loop { X := 1; if X == 1 { loop { X := 2; X := 3 } } }", "nobody has to wait forever"),
        ("loop { X := 1; if X == 1 { loop { await X == 2 } } }", "somebody can WAIT FOREVER"),
        ("seen := 1; if X == 0 { loop { await X != seen; seen := X; X := 1 - X } }", "nobody"),
        ("seen := 1; if X == 0 { loop { X := 1 - seen; await X != seen; seen := X } }", "nobody"),
        ("X := 3; serve()", "waits where a round of its `loop` begins"),
        ("with L { loop { X := 1; X := 0 } }", "nobody has to wait forever"),
        ("loop { X := 1; if X == 1 { break } }; await X == 0", "somebody can WAIT FOREVER"),
        ("loop { X := 1; if X == 1 { return } }", "nobody has to wait forever"),
    ] {
        let source = file(&dir, "loop.ser", format!("{shared} process P {{ {body} }} deadlock"));
        let output = ser(&["check", &source]);
        assert!(output.stdout.contains(words), "{body}: {output:?}");
    }
    // Somebody else holds the lock forever.
    let both = "var X: 0..1 lock L process P { with L { loop { X := 1 } } } \
                process Q { with L { skip } } deadlock";
    let output = ser(&["check", &file(&dir, "held.ser", both)]);
    assert!(output.stdout.contains("WAIT FOREVER"), "{output:?}");
}

#[test]
fn a_serializable_program_that_can_fail_says_so() {
    let dir = folder("questions_of_failures");
    let source = "var X: 0..1  request a { X := X + 1; 0 }";
    let output = ser(&["check", &file(&dir, "fails.ser", source)]);
    assert!(output.stdout.contains("this one is about a program that stops there"), "{output:?}");
    let source = "var X: 0..1  request a { X := 1 - X; 0 }";
    let output = ser(&["check", &file(&dir, "fine.ser", source)]);
    assert!(!output.stdout.contains("stops there"), "{output:?}");
}

#[test]
fn locks_that_are_taken_at_once_are_a_warning_where_deadlock_is_asked() {
    let dir = folder("questions_of_locks");
    let warned = |text: String| {
        let output = ser(&["check", &file(&dir, "locks.ser", text)]);
        format!("{}{}", output.stdout, output.stderr).contains("taken in one step")
    };
    let crossed = CROSSED.replace("yield; ", "");
    assert!(warned(crossed.clone()));
    assert!(!warned(crossed.replace("deadlock", "")));
    assert!(!warned(CROSSED.to_owned()));
    let chain = |a: &str, b: &str| {
        format!(
            "lock F: [0..2] request r(i in 0..2) {{ with F[{a}] {{ with F[{b}] {{ 1 }} }} }} deadlock"
        )
    };
    assert!(warned(chain("i", "(i + 1) % 3")));
    assert!(!warned(chain("0", "i + 0")) || !warned(chain("0", "1")));
}
