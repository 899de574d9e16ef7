//! The table of the book that says what every command can do: each cell is tried.

use crate::common::{example, file, folder, ser, text};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// A command that answers questions, with a file for which there is evidence.
struct Column {
    command: &'static str,
    example: &'static str,
    options: &'static [&'static str],
    code: i32,
    verdict: &'static str,
}

const COLUMNS: [Column; 13] = [
    Column {
        command: "check",
        example: "dirty_read.ser",
        options: &[],
        code: 1,
        verdict: "not_serializable",
    },
    Column {
        command: "check",
        example: "lost_update.ser",
        options: &[],
        code: 1,
        verdict: "not_serializable",
    },
    Column {
        command: "check",
        example: "spin_lock.ser",
        options: &[],
        code: 0,
        verdict: "serializable",
    },
    Column {
        command: "trace",
        example: "processes/broken_mutex.ser",
        options: &[],
        code: 1,
        verdict: "reachable",
    },
    Column {
        command: "trace",
        example: "processes/peterson.ser",
        options: &[],
        code: 0,
        verdict: "unreachable",
    },
    Column {
        command: "sequentialize",
        example: "messages/map-reduce.ser",
        options: &[],
        code: 0,
        verdict: "sequentialized",
    },
    Column {
        command: "sequentialize",
        example: "messages/broken/map-reduce-no-master.ser",
        options: &[],
        code: 1,
        verdict: "refuted",
    },
    Column {
        command: "prove",
        example: "threads/ticket_lock.ser",
        options: &[],
        code: 0,
        verdict: "proved",
    },
    Column {
        command: "prove",
        example: "threads/list_wrong.ser",
        options: &[],
        code: 1,
        verdict: "refuted",
    },
    Column {
        command: "reach",
        example: "nets/toy.net",
        options: &["--query", "P1 >= 20 && P5 = 1"],
        code: 1,
        verdict: "reachable",
    },
    Column {
        command: "reach",
        example: "nets/toy.net",
        options: &["--query", "P1 + P2 + P3 + P4 + P5 < 0"],
        code: 0,
        verdict: "unreachable",
    },
    Column {
        command: "sql",
        example: "sql/counter.sql",
        options: &[],
        code: 1,
        verdict: "not_serializable",
    },
    Column {
        command: "sql",
        example: "sql/idempotency.sql",
        options: &[],
        code: 0,
        verdict: "serializable",
    },
];

impl Column {
    fn args<'a>(&'a self, file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        let words = [self.command, file].into_iter();
        words.chain(self.options.iter().copied()).chain(more.iter().copied()).collect()
    }

    fn objects(&self, file: &str, more: &[&str]) -> Vec<Value> {
        let mut all = vec!["--format", "json"];
        all.extend(more);
        let output = ser(&self.args(file, &all));
        assert_eq!(output.code, Some(self.code), "{}: {}", self.example, output.all());
        let parse = |line: &str| serde_json::from_str(line).expect("one object per line");
        output.stdout.lines().map(parse).collect()
    }
}

/// The names of the columns and rows of the table in the book.
fn table() -> (Vec<String>, Vec<(String, Vec<String>)>) {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/command_line.md");
    let book = std::fs::read_to_string(book).expect("the chapter");
    let lines = book.lines().skip_while(|line| !line.starts_with("| feature |"));
    let cells = |line: &str| -> Vec<String> {
        let inner = line.trim().trim_matches('|').split('|');
        inner.map(|cell| cell.trim().trim_matches('`').to_owned()).collect()
    };
    let mut rows = lines.take_while(|line| line.starts_with('|')).map(cells);
    let header = rows.next().expect("a table of features");
    let rows = rows.skip(1).map(|mut row| (row.remove(0), row));
    (header[1..].to_vec(), rows.collect())
}

#[test]
fn the_book_promises_what_is_tried_here() {
    let (commands, rows) = table();
    let tried =
        ["ser check", "ser trace", "ser sequentialize", "ser prove", "ser reach", "ser sql"];
    assert_eq!(commands, tried);
    let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    let features = [
        "text",
        "--format json",
        "--format sarif",
        "--html",
        "--certificate",
        "ser verify",
        "--jobs",
        "--watch",
        "--quiet",
        "editor",
    ];
    assert_eq!(names, features);
    for (name, cells) in &rows {
        // Nets ask nothing by themselves.
        let expected = match name.as_str() {
            "editor" => ["yes", "yes", "yes", "yes", "no", "yes"],
            _ => ["yes"; 6],
        };
        assert_eq!(*cells, expected, "{name}");
    }
}

/// What the table says of editors, tried with the server that they start.
#[test]
fn editors_get_the_same_verdicts() {
    let mut session = crate::lsp::initialized();
    for column in COLUMNS.iter().filter(|column| column.command != "reach") {
        let uri = format!("file:///{}", column.example);
        let text = std::fs::read_to_string(example(column.example)).expect("an example");
        let item = json!({"uri": uri, "languageId": "plaintext", "version": 1, "text": text});
        session.notify("textDocument/didOpen", json!({"textDocument": item}));
        let told = session.receive_until(|message| {
            message["method"] == "ser/verdict" && message["params"]["uri"] == uri
        });
        assert_eq!(told["params"]["verdict"], column.verdict, "{}", column.example);
    }
    session.notify("exit", Value::Null);
    assert_eq!(session.end().0, Some(1));
}

#[test]
fn every_command_prints_text_and_quiet_prints_less() {
    for column in &COLUMNS {
        let file = example(column.example);
        let long = ser(&column.args(&file, &[]));
        assert_eq!(long.code, Some(column.code), "{}", long.all());
        let words = column.verdict.replace("not_serializable", "NOT serializable");
        assert!(long.stdout.contains(&words), "{}", long.stdout);
        let short = ser(&column.args(&file, &["--quiet"]));
        assert_eq!(short.code, Some(column.code));
        assert!(short.stdout.lines().count() < long.stdout.lines().count(), "{}", short.stdout);
        let first = short.stdout.lines().next().expect("a headline");
        assert!(first.contains(": "), "{first}");
    }
}

#[test]
fn every_object_follows_the_schema() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/report.schema.json");
    let path = text(&path.canonicalize().expect("the schema"));
    let mut schemas = boon::Schemas::new();
    let index = boon::Compiler::new().compile(&path, &mut schemas).expect("a schema");
    let check = |value: &Value| {
        if let Err(error) = schemas.validate(value, index) {
            panic!("{error:#}\n{value:#}");
        }
    };
    for column in &COLUMNS {
        let objects = column.objects(&example(column.example), &["--statistics"]);
        assert!(objects.iter().any(|it| it["verdict"] == column.verdict), "{objects:?}");
        objects.iter().for_each(check);
    }
    // Errors and unknown answers, too.
    let folder = folder("features_schema");
    let broken = [("a.ser", "request {"), ("b.ser", "process P {"), ("c.ser", "msg A")];
    for (name, content) in broken {
        let path = file(&folder, name, content);
        let command = ser_report::Kind::of(name).expect("a kind").of_text(content).command();
        let output = ser(&[command, &path, "--format", "json"]);
        assert_eq!(output.code, Some(2), "{}", output.all());
        check(&serde_json::from_str(&output.stdout).expect("an object"));
    }
    let growing = file(&folder, "b.ser", "request a { X := X + 1; yield; X }");
    let output = ser(&["check", &growing, "--format", "json", "--timeout", "5"]);
    check(&serde_json::from_str(&output.stdout).expect("an object"));
    assert!(schemas.validate(&serde_json::json!({ "file": 1 }), index).is_err());
}

#[test]
fn every_command_writes_sarif() {
    for column in &COLUMNS {
        let output = ser(&column.args(&example(column.example), &["--format", "sarif"]));
        assert_eq!(output.code, Some(column.code), "{}", output.all());
        let log: Value = serde_json::from_str(&output.stdout).expect("one log");
        let results = log["runs"][0]["results"].as_array().expect("results");
        let is_bad = |it: &Value| it["level"] == "error";
        assert_eq!(results.iter().any(is_bad), column.code == 1, "{}", column.example);
        if column.code == 1 {
            let steps = &results.iter().find(|it| is_bad(it)).expect("one")["codeFlows"][0]["threadFlows"]
                [0]["locations"];
            assert!(steps.as_array().is_some_and(|it| !it.is_empty()), "{}", column.example);
        }
    }
}

#[test]
fn every_command_writes_a_page() {
    let folder = folder("features_page");
    for column in &COLUMNS {
        let page = text(&folder.join("page.html"));
        let output = ser(&column.args(&example(column.example), &["--html", &page]));
        assert_eq!(output.code, Some(column.code), "{}", output.all());
        let html = std::fs::read_to_string(&page).expect("a page");
        assert!(html.contains("</html>") && html.contains("Content-Security-Policy"));
        assert_eq!(html.contains("class=\"lanes"), column.code == 1, "{}", column.example);
    }
}

#[test]
fn every_certificate_is_valid_again() {
    let folder = folder("features_certificate");
    for column in &COLUMNS {
        let path = text(&folder.join("c.json"));
        let _ = std::fs::remove_file(&path);
        let file = example(column.example);
        let output = ser(&column.args(&file, &["--certificate", &path]));
        assert_eq!(output.code, Some(column.code), "{}", output.all());
        // With several goals there is a certificate for each.
        let first = match Path::new(&path).is_file() {
            true => path.clone(),
            false => text(&folder.join("c.1.json")),
        };
        let output = ser(&["verify", &first, "--source", &file]);
        assert_eq!(output.code, Some(0), "{}: {}", column.example, output.all());
        assert!(output.stdout.contains("valid"), "{}", output.stdout);
        let other = example("stale_read.ser");
        let output = ser(&["verify", &first, "--source", &other]);
        assert_eq!(output.code, Some(1), "{}: {}", column.example, output.all());
        let _ = std::fs::remove_file(&first);
    }
}

#[test]
fn every_command_takes_many_files_at_once() {
    for column in &COLUMNS {
        let file = example(column.example);
        let mut args = column.args(&file, &["--format", "json", "--jobs", "2"]);
        args.insert(1, &file);
        let output = ser(&args);
        assert_eq!(output.code, Some(column.code), "{}", output.all());
        let once = ser(&column.args(&file, &["--format", "json"]));
        let (two, one) = (output.stdout.lines().count(), once.stdout.lines().count());
        assert_eq!(two, 2 * one, "{}", column.example);
    }
}

#[test]
fn every_command_watches() {
    for column in &COLUMNS {
        let mut child = Command::new(crate::PROGRAM)
            .args(column.args(&example(column.example), &["--watch", "--format", "json"]))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let mut lines = BufReader::new(child.stdout.take().expect("standard output")).lines();
        let line = lines.next().expect("an answer").expect("text");
        let object: Value = serde_json::from_str(&line).expect("an object");
        assert_eq!(object["file"], example(column.example));
        assert!(child.try_wait().expect("a child").is_none(), "it stays");
        child.kill().expect("the child can be ended");
        let _ = child.wait();
    }
}
