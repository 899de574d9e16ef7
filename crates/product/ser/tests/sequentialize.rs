//! `ser sequentialize`: protocols in, sequential programs or what is in the way out.

use crate::common::{
    self, Output, examples, expectation, file, file_name, folder, object, ser, ser_in, ser_with,
    sources, text,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn messages(part: &str) -> PathBuf {
    examples().join("messages").join(part)
}

fn asked(path: &Path) -> (Output, Value) {
    let output = ser(&["sequentialize", "--format", "json", &text(path)]);
    let object = object(&output);
    (output, object)
}

#[test]
fn every_example_has_the_verdict_and_the_exit_code_that_it_promises() {
    for path in sources(&messages("")) {
        let (output, object) = asked(&path);
        let verified = expectation(&path).starts_with("verified");
        let (verdict, code) = if verified { ("sequentialized", 0) } else { ("unknown", 3) };
        let name = file_name(&path);
        assert_eq!(
            (object["verdict"].as_str(), output.code),
            (Some(verdict), Some(code)),
            "{name}: {object:#}"
        );
        assert_eq!(object["deadlock_free"], json!(verified), "{name}");
        if verified {
            assert_eq!(object["assertions"]["unproved"], json!([]), "{name}");
            assert!(object["program"].is_array() && object.get("failure").is_none(), "{name}");
        }
    }
}

/// The kind in a report for the words in the first line of a broken example.
fn kind(words: &str) -> &str {
    match words {
        "race" => "asymmetric_race",
        "superfluous send" => "superfluous_send",
        "indiscriminate communication" => "indiscriminate_communication",
        "stateful loop" => "stateful_loop",
        "blocked receive" => "blocked_receive",
        "failing assertion" => "failing_assertion",
        other => other,
    }
}

#[test]
fn every_broken_example_has_the_kind_and_the_line_that_it_promises() {
    let mut wrong = Vec::new();
    for path in sources(&messages("broken")) {
        let (output, object) = asked(&path);
        let expected = expectation(&path);
        if expected == "verified" {
            assert_eq!(object["verdict"], json!("sequentialized"), "{object:#}");
            continue;
        }
        let parts: Vec<&str> = expected.split(", ").collect();
        let [verdict, words, line] = parts[..] else { panic!("{path:?}: {expected}") };
        let (verdict, code) = if verdict == "refuted" { ("refuted", 1) } else { ("unknown", 3) };
        // Somebody is blocked forever, because nobody is there at all.
        let found_kind = match object["failure"]["kind"].as_str().unwrap_or_default() {
            "maybe_empty" => "blocked_receive",
            kind => kind,
        };
        let found = (
            object["verdict"].as_str().unwrap_or_default(),
            output.code.unwrap_or_default(),
            found_kind,
            format!("line {}", object["failure"]["line"]),
        );
        if found != (verdict, code, kind(words), line.to_owned()) {
            wrong.push(format!("{}: expected {expected}, found {found:?}", file_name(&path)));
        }
        let has_run = object.get("counterexample").is_some();
        assert_eq!(has_run, verdict == "refuted", "{object:#}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is printed, without times and folders.
fn told(args: &[&str]) -> String {
    let output = ser_in(&messages(""), &[&["sequentialize"], args].concat(), b"", &[]);
    let code = output.code.expect("an exit code");
    let all = format!("{}{}exit code {code}\n", output.stderr, output.stdout);
    let timeless = |line: &str| match line.rsplit_once(" (") {
        Some((rest, time)) if time.ends_with(" ms)") || time.ends_with(" s)") => {
            format!("{rest} (TIME)\n")
        }
        _ => format!("{line}\n"),
    };
    all.lines().map(timeless).collect()
}

#[test]
fn broken_examples_are_told_like_this() {
    let mut all = String::new();
    for path in sources(&messages("broken")) {
        all += &told(&["--color", "never", &format!("broken/{}", file_name(&path))]);
        all += "\n";
    }
    insta::assert_snapshot!(all);
}

#[test]
fn examples_are_told_like_this() {
    let mut all = String::new();
    for name in ["ex2.ser", "ex6.ser", "ex7.ser", "map-reduce.ser", "two-phase-commit.ser"] {
        all += &told(&["--color", "never", name]);
        all += "\n";
    }
    insta::assert_snapshot!(all);
}

#[test]
fn reports_as_json_have_a_program_a_failure_and_a_run() {
    let (_, good) = asked(&messages("map-reduce.ser"));
    let program = good["program"].as_array().expect("a list");
    assert_eq!(program[0]["kind"], json!("for"));
    assert_eq!(program[0]["set"], json!("Pieces"));
    assert_eq!(program[0]["body"][1]["text"], json!("queue.x := w"));
    assert!(program[0]["body"][1]["line"].is_u64(), "{good:#}");
    assert!(
        good["sequentialization"].as_str().is_some_and(|it| it.contains("w := choose(Mappers);"))
    );
    assert_eq!(good["servers"], json!({ "active": [], "unvisited": [] }));

    let (_, bad) = asked(&messages("broken/missing-send.ser"));
    let failure = &bad["failure"];
    for field in ["kind", "code", "line", "message", "label", "related", "help", "prefix", "left"] {
        assert!(failure.get(field).is_some(), "{field}: {bad:#}");
    }
    let run = &bad["counterexample"];
    assert_eq!(run["sizes"], json!({ "Q": 1 }));
    assert_eq!(run["shows"], json!({ "kind": "deadlock", "text": "`master` waits forever" }));
    let steps = run["steps"].as_array().expect("a list");
    let sends = |it: &Value| it["says"] == json!(["sends Hello(master) to worker[0]"]);
    assert!(steps.iter().any(|it| sends(it) && it["name"] == json!("master")), "{run:#}");
    assert!(steps.iter().all(|it| it["lines"][0].is_u64()), "{run:#}");
    let ends = run["ends"].as_array().expect("a list");
    let waits =
        |it: &Value| it.as_str().is_some_and(|it| it.starts_with("master waits at line 14"));
    assert!(ends.iter().any(waits), "{run:#}");
    assert_eq!(run["checked"], json!("a run of 3 steps"), "{run:#}");
}

/// A lint is no reason to say nothing else, and is not lost either.
#[test]
fn warnings_are_told_with_the_answer() {
    let path = text(&messages("ex7.ser"));
    let output = ser(&["sequentialize", &path]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stderr.contains("warning: the server `worker` is active"), "{output:?}");
    let (_, object) = asked(&messages("ex7.ser"));
    assert_eq!(object["warnings"][0]["code"], json!("active-server"), "{object:#}");
    let silent = ser(&["sequentialize", "--no-warnings", &path]);
    assert!(!silent.all().contains("warning"), "{silent:?}");
}

#[test]
fn sarif_has_a_result_with_the_run_as_its_flow() {
    let path = text(&messages("broken/missing-send.ser"));
    let output = ser(&["sequentialize", "--format", "sarif", &path, &text(&messages("ex2.ser"))]);
    assert_eq!(output.code, Some(1));
    let log: Value = serde_json::from_str(&output.stdout).expect("JSON");
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 1, "{log:#}");
    assert_eq!(results[0]["ruleId"], json!("protocol"));
    let index = results[0]["ruleIndex"].as_u64().expect("the place of the rule") as usize;
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], json!("protocol"));
    let region = &results[0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], json!(14));
    let flow = &results[0]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert!(flow.as_array().is_some_and(|it| it.len() >= 2), "{log:#}");
}

#[test]
fn several_files_have_a_summary_and_the_most_serious_exit_code() {
    let path = |name: &str| text(&messages(name));
    let good = path("ex2.ser");
    let unknown = path("ex6.ser");
    let bad = path("broken/missing-send.ser");
    let missing = path("there-is-no-such.ser");
    let code = |files: &[&str]| {
        let output = ser(&[&["seq", "--quiet"], files].concat());
        let last = output.stdout.lines().last().unwrap_or_default().to_owned();
        (output.code, last)
    };
    assert_eq!(code(&[&good, &unknown]).0, Some(3));
    let (three, last) = code(&[&good, &unknown, &bad]);
    assert_eq!(three, Some(1));
    assert_eq!(last, "3 files: 1 sequentialized, 1 refuted, 1 unknown");
    assert_eq!(code(&[&good, &unknown, &bad, &missing]).0, Some(2));
}

#[test]
fn certificates_are_verified_and_those_that_were_touched_are_not() {
    let folder = folder("sequentialize-certificates");
    for (name, code, words) in [
        ("two-phase-commit.ser", 0, "valid: sequentialized: no process waits forever"),
        ("broken/missing-send.ser", 1, "valid: refuted: there is a run with Q = 1"),
    ] {
        let path = text(&messages(name));
        let certificate = text(&folder.join("c.json"));
        let output = ser(&["sequentialize", "--quiet", "--certificate", &certificate, &path]);
        assert_eq!(output.code, Some(code), "{output:?}");
        for source in [vec![], vec!["--source", &path]] {
            let verified = ser(&[&["verify", &certificate][..], &source].concat());
            assert_eq!(verified.code, Some(0), "{verified:?}");
            assert!(verified.stdout.contains(words), "{verified:?}");
        }
        let other = text(&messages("ex3.ser"));
        let wrong = ser(&["verify", &certificate, "--source", &other]);
        assert_eq!(wrong.code, Some(1), "{wrong:?}");
        assert!(wrong.stdout.contains("another source"), "{wrong:?}");

        let text_of = std::fs::read_to_string(&certificate).expect("the certificate");
        let value: Value = serde_json::from_str(&text_of).expect("JSON");
        let mut touched: Vec<Value> = Vec::new();
        assert_eq!(value["format"], json!("ser-certificate"));
        assert_eq!(value["kind"], json!("sequentialization"));
        assert_eq!(value["source"]["file"], json!(path));
        let steps = |value: &mut Value| {
            let claim = &mut value["evidence"]["claim"];
            let list = match claim.get("sequentialized") {
                Some(_) => &mut claim["sequentialized"]["derivation"],
                None => &mut claim["refuted"]["steps"],
            };
            list.as_array_mut().expect("steps").pop()
        };
        let mut shorter = value.clone();
        assert!(steps(&mut shorter).is_some());
        touched.push(shorter);
        let mut source = value.clone();
        source["evidence"]["source"] = json!("process p {");
        touched.push(source);
        let mut digest = value.clone();
        digest["source"]["sha256"] = json!("0".repeat(64));
        touched.push(digest);
        for (number, value) in touched.iter().enumerate() {
            std::fs::write(&certificate, value.to_string()).expect("written");
            let output = ser(&["verify", &certificate]);
            assert_eq!(output.code, Some(1), "{number}: {output:?}");
            assert!(output.stdout.contains("rejected: "), "{output:?}");
        }
        // An envelope of another version or kind cannot be opened, nor is evidence read that has
        // more to say than is understood.
        let wrong = [
            ("/version", json!(99)),
            ("/kind", json!("astrology")),
            ("/evidence", json!({ "source": "", "claim": {}, "version": 99 })),
        ];
        for (field, wrong) in wrong {
            let mut touched = value.clone();
            *touched.pointer_mut(field).expect("a field") = wrong;
            std::fs::write(&certificate, touched.to_string()).expect("written");
            let output = ser(&["verify", &certificate]);
            assert_eq!(output.code, Some(2), "{field}: {output:?}");
            assert!(output.stderr.contains("error: "), "{output:?}");
        }
    }
}

#[test]
fn certificates_that_make_no_sense_are_refused() {
    let folder = folder("sequentialize-nonsense");
    let path = folder.join("c.json");
    for (content, code) in [
        (r#"{"format": "ser-protocol"}"#.to_owned(), 2),
        (r#"{"format": "ser-protocol", "version": 1, "source": "", "claim": {}}"#.to_owned(), 2),
        (format!("{}\"ser-protocol\"{}", "[".repeat(100_000), "]".repeat(100_000)), 2),
    ] {
        std::fs::write(&path, content).expect("written");
        let output = ser(&["verify", &text(&path)]);
        assert_eq!(output.code, Some(code), "{output:?}");
        assert!(output.stderr.contains("error: "), "{output:?}");
    }
}

#[test]
fn sizes_are_tried_exactly() {
    let path = text(&messages("broken/map-reduce-cf.ser"));
    let with = |sizes: &str| ser(&["sequentialize", "--format", "json", "--sizes", sizes, &path]);
    let (equal, more) = (with("Mappers=1,Pieces=1"), with("Mappers=1, Pieces=2"));
    assert_eq!((equal.code, more.code), (Some(0), Some(1)), "{equal:?} {more:?}");
    assert_eq!(object(&equal)["complete"], json!(true));
    assert_eq!(object(&more)["findings"]["deadlock"], json!(true));
    assert_eq!(object(&more)["counterexample"]["sizes"], json!({ "Mappers": 1, "Pieces": 2 }));
    for (sizes, words) in [
        ("Mappers=1", "the size of the set `Pieces` is missing"),
        ("Mappers=0,Pieces=1", "with at least 1 member\n"),
        ("Mappers=1,Pieces=1,Q=3", "there is no set `Q`"),
        ("Mappers=1,Pieces=1000000", "at most 30 members"),
        ("Mappers=x,Pieces=1", "expected a set and its size"),
        ("Mappers=1,Mappers=1", "has two sizes"),
        ("", "expected a set and its size"),
    ] {
        let output = ser(&["sequentialize", "--sizes", sizes, &path]);
        assert_eq!(output.code, Some(2), "{sizes}: {output:?}");
        assert!(output.stderr.contains(words), "{sizes}: {output:?}");
    }
    let none = ser(&["sequentialize", "--sizes", "none", &text(&messages("ex1.ser"))]);
    assert_eq!(none.code, Some(0), "{none:?}");
}

#[test]
fn promela_is_written_for_given_sizes() {
    let folder = folder("sequentialize-promela");
    let target = text(&folder.join("m.pml"));
    let path = text(&messages("ex2.ser"));
    let output = ser(&["sequentialize", "--promela", &target, "--sizes", "Q=2", &path]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(std::fs::read_to_string(&target).expect("a model").contains("proctype"));
    let without = ser(&["sequentialize", "--promela", &target, &path]);
    assert_eq!(without.code, Some(2), "{without:?}");
    let wrong = ser(&["sequentialize", "--promela", &target, "--sizes", "R=2", &path]);
    assert_eq!(wrong.code, Some(2), "{wrong:?}");
}

#[test]
fn other_kinds_of_files_are_sent_to_their_commands() {
    let program = ser(&["sequentialize", &common::example("lost_update.ser")]);
    assert_eq!(program.code, Some(2), "{program:?}");
    assert!(program.stderr.contains("`ser check`"), "{program:?}");
    let processes = ser(&["sequentialize", &common::example("processes/bank.ser")]);
    assert!(processes.stderr.contains("`ser trace`"), "{processes:?}");
    let protocol = text(&messages("ex2.ser"));
    for command in ["trace", "prove"] {
        let output = ser(&[command, &protocol]);
        assert_eq!(output.code, Some(2), "{output:?}");
        assert!(output.stderr.contains("`ser sequentialize`"), "{output:?}");
    }
}

#[test]
fn bad_input_gets_a_message_and_never_a_panic() {
    let folder = folder("sequentialize-bad");
    let nested =
        format!("process p {{ {} skip; {} }}", "if ? { ".repeat(20_000), "}".repeat(20_000));
    let long = format!("msg A = A; process p {{ {} }}", "skip; ".repeat(70_000));
    for content in
        ["", "proc", "process p { send A to q; }", "\u{0}\u{1}", &nested, &long, "set Q;"]
    {
        let path = file(&folder, "bad.ser", content);
        let output = ser(&["sequentialize", "--timeout", "20", &path]);
        assert_eq!(output.code, Some(2), "{:?} {output:?}", content.get(..20));
        assert!(output.stderr.contains("error"), "{output:?}");
        let json = ser(&["sequentialize", "--format", "json", &path]);
        assert_eq!(object(&json)["verdict"], json!("error"));
    }
    let bytes = ser_with(&["sequentialize", "-"], &[0xff, 0xfe, 0x00], &[]);
    assert_eq!(bytes.code, Some(2), "{bytes:?}");
    let directory = ser(&["sequentialize", &text(&folder)]);
    assert_eq!(directory.code, Some(2), "{directory:?}");
    let twice = ser(&["sequentialize", "-", "-"]);
    assert_eq!(twice.code, Some(2), "{twice:?}");
}

#[test]
fn standard_input_is_taken_for_a_protocol() {
    let content = b"msg A = A; process p { send A to q; } process q { recv A; }";
    let output = ser_with(&["sequentialize", "-"], content, &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stdout.contains("nothing is assigned"), "{output:?}");
}

#[test]
fn a_protocol_without_end_is_left_in_time() {
    let content = b"set A; set B; set C; set D; msg T = T(int); process p { x := 0; for r in A { T(y) := recv T; x := x + y; } while 0 < x { x := x - 1; } }
        process a for q in A { n := choose(int); send T(n) to p; send T(n) to p; }
        process b for q in B { skip; } process c for q in C { skip; } process d for q in D { skip; }";
    let started = std::time::Instant::now();
    let output = ser_with(&["sequentialize", "--timeout", "1", "-"], content, &[]);
    assert!(matches!(output.code, Some(1 | 3)), "{output:?}");
    assert!(started.elapsed() < std::time::Duration::from_secs(10));
}
