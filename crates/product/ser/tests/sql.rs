//! `ser sql`: the levels that examples need, what goes wrong around it, and the anomaly on PostgreSQL.
//!
//! What needs a server says so and passes if there is none, unless `SER_REQUIRE_POSTGRES` is set.

use crate::common::{Output, example, examples, file, folder, ser, ser_in, ser_with, text};
use ser_isolation_server::Server;
use serde_json::Value;

const LEVELS: [&str; 3] = ["read-committed", "repeatable-read", "serializable"];

/// Exit codes at each level: 0 serializable, 1 not, 3 unknown.
const EXPECTED: &[(&str, [i32; 3])] = &[
    ("auction", [1, 0, 0]),
    ("counter", [1, 0, 0]),
    ("courseware", [1, 1, 0]),
    ("idempotency", [0, 0, 0]),
    ("job_queue", [1, 1, 3]),
    ("ledger", [1, 1, 0]),
    ("seats", [3, 3, 0]),
    ("shop", [1, 0, 0]),
    ("smallbank", [1, 1, 0]),
    ("tpcc", [1, 0, 0]),
];

fn sql(name: &str, more: &[&str]) -> Output {
    let path = example(&format!("sql/{name}.sql"));
    ser(&[&["sql", &path], more].concat())
}

#[test]
fn every_example_has_the_verdicts_of_its_levels() {
    let entries = std::fs::read_dir(examples().join("sql")).expect("the folder");
    assert_eq!(entries.count(), EXPECTED.len(), "an example without a verdict");
    let mut wrong = Vec::new();
    for (name, codes) in EXPECTED {
        for (level, code) in LEVELS.iter().zip(codes) {
            let output = sql(name, &["--isolation", level, "--format", "json"]);
            let report: Value = serde_json::from_str(&output.stdout).expect("an object");
            if output.code != Some(*code) {
                wrong.push(format!("{name} at {level}: {} ({:?})", report["verdict"], output.code));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is on the screen, without the time.
fn screen(args: &[&str]) -> String {
    let output = ser_in(&examples().join("sql"), args, b"", &[]);
    let code = output.code.expect("an exit code");
    let all = format!("{}{}exit code {code}\n", output.stderr, output.stdout);
    let (head, rest) = all.split_once(" (").expect("a time");
    let (_, rest) = rest.split_once(")\n").expect("a time");
    format!("{head} (TIME)\n{rest}")
}

#[test]
fn an_anomaly_is_told_like_this() {
    insta::assert_snapshot!(screen(&["sql", "counter.sql"]));
}

#[test]
fn levels_and_locks_are_told_like_this() {
    let args = ["sql", "--allocate", "--isolation", "repeatable-read", "smallbank.sql"];
    insta::assert_snapshot!(screen(&args));
}

#[test]
fn what_is_not_known_is_told_like_this() {
    insta::assert_snapshot!(screen(&["sql", "seats.sql", "--allocate"]));
}

#[test]
fn a_proof_is_told_like_this() {
    insta::assert_snapshot!(screen(&["sql", "idempotency.sql"]));
}

#[test]
fn check_says_the_same() {
    let timeless = |output: Output| {
        let mut report: Value = serde_json::from_str(&output.stdout).expect("an object");
        report["time_ms"] = Value::Null;
        report
    };
    for name in ["counter", "idempotency"] {
        let path = example(&format!("sql/{name}.sql"));
        let one = timeless(ser(&["check", "--format", "json", &path]));
        assert_eq!(one, timeless(sql(name, &["--format", "json"])));
    }
}

#[test]
fn a_program_comes_from_standard_input_too() {
    let text = std::fs::read(example("sql/counter.sql")).expect("an example");
    let output = ser_with(&["sql", "-"], &text, &[]);
    assert_eq!(output.code, Some(1), "{}", output.all());
    let output = ser_with(&["sql", "-", "--isolation", "serializable"], &text, &[]);
    assert_eq!(output.code, Some(0), "{}", output.all());
}

#[test]
fn bad_input_has_a_message_with_its_place() {
    let folder = folder("sql_bad");
    for (content, message) in [
        ("", "there are no transactions in this file"),
        ("CREATE TABLE t (a int);", "there are no transactions in this file"),
        ("SELEC 1;", "did you mean `SELECT`?"),
        ("-- name: a :exec\nSELECT x FROM nowhere;", "there is no table `nowhere`"),
        ("CREATE TABLE t (a int);\n-- name: a :exec\nSELECT b FROM t;", "there is no column `b`"),
        ("CREATE TABLE t (a int);\nDELETE FROM t;", "belongs to no transaction"),
        ("CREATE TABLE t (a int)\n-- name: a :exec\n\0\u{ff}", "bad.sql:"),
        ("-- name: a :exec\nSELECT 'never closed", "bad.sql:2:"),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN", "bad.sql:1:"),
    ] {
        let path = file(&folder, "bad.sql", content);
        let output = ser(&["sql", &path]);
        assert_eq!(output.code, Some(2), "{content}: {}", output.all());
        assert!(output.all().contains(message), "{content}: {}", output.all());
    }
    assert_eq!(ser(&["sql", "nowhere.sql"]).code, Some(2));
    let output = sql("counter", &["--isolation", "snapshot"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("repeatable-read"), "{}", output.stderr);
}

#[test]
fn limits_give_unknown() {
    let output = sql("tpcc", &["--timeout", "0.05"]);
    assert_eq!(output.code, Some(3), "{}", output.all());
    assert!(output.stdout.contains("--timeout"), "{}", output.stdout);
}

/// The verdict stands, and it is said why there was no replay.
fn not_replayed(output: &Output, why: &str) {
    assert_eq!(output.code, Some(1), "{}", output.all());
    let words = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("It was not replayed: "), "{}", output.stdout);
    assert!(words.contains(why), "{}", output.stdout);
}

#[test]
fn without_a_server_the_answer_stands() {
    let output = ser_with(
        &["sql", &example("sql/counter.sql"), "--replay=postgresql://a@localhost:1/b"],
        b"",
        &[("PATH", "/nowhere")],
    );
    not_replayed(&output, "`psql` was not found");
    if Server::for_a_test().is_none() {
        return;
    }
    let output = sql("counter", &["--replay=postgresql://a:secret@localhost:1/b"]);
    not_replayed(&output, "the server does not let us in");
    assert!(!output.all().contains("secret"), "{}", output.all());
    let output = sql("counter", &["--replay=host=/nowhere"]);
    not_replayed(&output, "No such file or directory");
    let output = sql("counter", &["--replay=no url"]);
    not_replayed(&output, "the server does not let us in");
}

#[test]
fn anomalies_happen_on_a_real_server() {
    let Some(server) = Server::for_a_test() else { return };
    let url = server.url();
    let databases = || {
        let mut client = server.client().expect("a client");
        client.run("SELECT datname FROM pg_database ORDER BY 1").expect("a list").rows
    };
    let before = databases();
    for (name, codes) in EXPECTED.iter().filter(|(name, _)| *name != "tpcc") {
        for (level, _) in LEVELS.iter().zip(codes).filter(|(_, code)| **code == 1) {
            let args = ["--isolation", level, "--format", "json", &format!("--replay={url}")];
            let output = sql(name, &args);
            let report: Value = serde_json::from_str(&output.stdout).expect("an object");
            let replay = &report["counterexample"]["replay"];
            assert_eq!(replay["agrees"], true, "{name} at {level}: {replay}");
        }
    }
    assert_eq!(databases(), before, "nothing of ours stays there");
    drop(server);
    let output = sql("counter", &["--replay"]);
    assert!(output.stdout.contains("PostgreSQL did just that"), "{}", output.stdout);
}

#[test]
fn certificates_that_were_tampered_with_are_rejected() {
    let folder = folder("sql_certificates");
    let path = text(&folder.join("c.json"));
    for (name, level, changes) in [
        (
            "counter",
            "read-committed",
            &[
                ("\"level\":\"read_committed\"", "\"level\":\"serializable\""),
                ("\"transaction\":1", "\"transaction\":0"),
                ("\"transaction\":3", "\"transaction\":9"),
                ("[{\"int\":1}]", "[{\"int\":7}]"),
                ("\"turns\":[0,", "\"turns\":[1,1,1,1,0,"),
                ("\"rows\":[]", "\"rows\":[[7,[]]]"),
                ("{\"int\":1}", "{\"text\":\"x\"}"),
                ("\"calls\":[{", "\"calls\":[], \"more\":[{"),
                ("\"anomaly\"", "\"robust\""),
            ][..],
        ),
        (
            "smallbank",
            "serializable",
            &[
                ("\"serializable\"", "\"read_committed\""),
                ("\"overwrites\"", "\"follows\""),
                ("\"follows\"", "\"overwrites\""),
                ("\"before\":1,", "\"before\":2,"),
                ("\"template\":0", "\"template\":1"),
                ("\"reached\":[{", "\"reached\":[], \"more\":[{"),
                ("\"robust\"", "\"anomaly\""),
            ][..],
        ),
    ] {
        let made = sql(name, &["--isolation", level, "--certificate", &path]);
        assert!(matches!(made.code, Some(0 | 1)), "{}", made.all());
        let good = std::fs::read_to_string(&path).expect("a certificate");
        let source = example(&format!("sql/{name}.sql"));
        let valid = ser(&["verify", &path, "--source", &source]);
        assert_eq!(valid.code, Some(0), "{}", valid.all());
        for (old, new) in changes {
            let bad = good.replacen(old, new, 1);
            assert_ne!(bad, good, "{name}: {old}");
            let bad = file(&folder, "bad.json", bad);
            let output = ser(&["verify", &bad, "--source", &source]);
            assert!(matches!(output.code, Some(1 | 2)), "{old} -> {new}: {}", output.all());
        }
    }
}
