//! HTML reports in a real browser, and SARIF against its schema.
//!
//! This needs node, the packages of `tests/browser` (`npm ci` there) and chromium; `SER_BROWSER`
//! names another browser of its family. Without them the tests say so and pass, unless
//! `SER_REQUIRE_BROWSER` is set.

use crate::common::{example, examples, file, file_name, folder, generated, ser, sources, text};
use ser_generators::families::Variant;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A system whose names try to become elements, attributes and scripts.
const HOSTILE: &str = r##"{
    "initial_global": "</script><script>window.ran = 1</script>",
    "requests": [["<img src=x onerror=\"window.ran = 1\">", "'\"><b>start"]],
    "responses": [["done</code>", "<script>window.ran = 1</script>"], ["${1}`", "{{data}}"]],
    "transitions": [
        ["'\"><b>start", "</script><script>window.ran = 1</script>", "mid &amp; \u202e", "<!-- "],
        ["'\"><b>start", "<!-- ", "mid &amp; \u202e", "<!-- "],
        ["mid &amp; \u202e", "<!-- ", "done</code>", "</script><script>window.ran = 1</script>"],
        ["mid &amp; \u202e", "</script><script>window.ran = 1</script>", "${1}`", "</script><script>window.ran = 1</script>"]
    ]
}"##;

const WRONG: &str = "request a<script>alert(1)</script> {\n    X = 1;\n    yield\n    while (Y == { y };\n    X\n}\n";

/// A program that goes wrong only when so many requests are in flight at the same time.
fn at_once(requests: usize) -> String {
    format!(
        "request enter {{\n    if (N < {requests}) {{ N := N + 1 }};\n    yield;\n    \
         if (N == {requests}) {{ seen := 1 }};\n    N := 0;\n    seen\n}}\n"
    )
}

/// What is missing to run a script; nothing if all is there.
fn missing(browser: Option<&Path>) -> Option<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let node = Command::new("node").arg("--version").output();
    if !node.is_ok_and(|output| output.status.success()) {
        return Some("node is not there".into());
    }
    if !here.join("node_modules/playwright-core").is_dir() {
        return Some(format!("run `npm ci` in {}", here.display()));
    }
    match browser {
        Some(browser) if !browser.is_file() => {
            Some(format!("there is no browser at {}; SER_BROWSER names another", browser.display()))
        }
        _ => None,
    }
}

/// Whether to go on; a test that cannot run says why.
fn can_run(browser: Option<&Path>) -> bool {
    let Some(why) = missing(browser) else { return true };
    assert!(std::env::var_os("SER_REQUIRE_BROWSER").is_none(), "{why}");
    say(&format!("skipped: {why}"));
    false
}

fn browser() -> PathBuf {
    std::env::var_os("SER_BROWSER").map_or_else(|| "/usr/bin/chromium".into(), PathBuf::from)
}

fn node(script: &str, arguments: &[String]) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    let output =
        Command::new("node").arg(here.join(script)).args(arguments).output().expect("node starts");
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{script} failed:\n{out}{err}");
    say(&out);
}

/// A word to whoever runs the tests; it is not captured.
fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", text.trim_end());
}

fn answer(options: &[&str], source: &str) -> Value {
    let output = ser(&[&["check", "--format", "json"], options, &[source]].concat());
    serde_json::from_str(&output.stdout).expect("one JSON object")
}

#[test]
fn reports_can_be_stepped_through_in_a_browser() {
    if !can_run(Some(&browser())) {
        return;
    }
    let folder = folder("browser_reports");
    let shots = folder.join("screenshots");
    std::fs::create_dir_all(&shots).expect("a folder for screenshots");
    let hostile = file(&folder, "</title><script>.json".replace('/', "_").as_str(), HOSTILE);
    let wrong = file(&folder, "wrong.ser", WRONG);
    let flips = generated("flip", 16, Variant::Broken);
    let flips = file(&folder, "flips.ser", flips);
    let long = std::fs::read_to_string(example("lost_update.ser")).expect("an example");
    let long = file(&folder, "long.ser", format!("{}{long}", "// nothing\n".repeat(5000)));
    let ten = file(&folder, "ten.ser", at_once(10));
    let table: &[(&str, String, &[&str], &str)] = &[
        ("rules", example("spin_lock.ser"), &[], "serializable"),
        ("arithmetic", example("bounded_counter.ser"), &["--only", "arithmetic"], "serializable"),
        ("two_requests", example("lost_update.ser"), &[], "not_serializable"),
        ("seven_requests", example("flip_and_wait.ser"), &[], "not_serializable"),
        ("many_requests", flips, &[], "not_serializable"),
        ("ten_at_once", ten, &[], "not_serializable"),
        ("long", long, &[], "not_serializable"),
        ("system", example("login_session_race.json"), &[], "not_serializable"),
        ("hostile", hostile.clone(), &[], "not_serializable"),
        ("error", wrong, &[], "error"),
        ("missing", text(&folder.join("no_such_file.ser")), &[], "error"),
        (
            "unknown",
            example("flip_and_wait.ser"),
            &["--only", "refute", "--max-requests", "3"],
            "unknown",
        ),
    ];
    let mut reports = Vec::new();
    for (name, source, options, verdict) in table {
        let page = text(&folder.join(format!("{name}.html")));
        ser(&[&["check", "--html", &page], *options, &[source]].concat());
        let json = answer(options, source);
        assert_eq!(json["verdict"], *verdict, "{name}");
        reports.push(json!({ "name": name, "page": page, "json": json }));
    }
    // Several files at once have a list.
    let many = text(&folder.join("many"));
    let files = [example("spin_lock.ser"), example("lost_update.ser"), hostile.clone()];
    let arguments: Vec<&str> =
        ["check", "--html", &many].into_iter().chain(files.iter().map(String::as_str)).collect();
    ser(&arguments);
    let specification = json!({
        "out": text(&shots),
        "reports": reports,
        "index": { "page": format!("{many}/index.html"), "names": files },
        "watch": {
            "command": env!("CARGO_BIN_EXE_ser"),
            "source": text(&folder.join("watched.ser")),
            "page": text(&folder.join("watched.html")),
            "text": "request a {\n    X := 1;\n    yield;\n    y := X;\n    X := 0;\n    y\n}\n",
        },
    });
    let specification = file(&folder, "specification.json", specification.to_string());
    node("report.mjs", &[text(&browser()), specification]);
}

#[test]
fn sarif_is_what_its_schema_says() {
    if !can_run(None) {
        return;
    }
    let folder = folder("browser_sarif");
    let wrong = file(&folder, "wrong.ser", WRONG);
    let odd = file(&folder, "odd name <&>.json", HOSTILE);
    let infinite = file(&folder, "infinite.ser", "request grow { X := X + 1 }\n");
    let all = sources(&examples());
    let everything: Vec<String> = all.iter().map(|p| text(p)).collect();
    let every: Vec<&str> = everything.iter().map(String::as_str).collect();
    let mut logs = Vec::new();
    let mut log = |name: &str, arguments: &[&str]| {
        let output = ser(&[&["check", "--format", "sarif"], arguments].concat());
        logs.push(file(&folder, &format!("{name}.sarif"), output.stdout));
    };
    log("everything", &every);
    for path in &all {
        log(file_name(path), &[&text(path)]);
    }
    log("wrong", &[&wrong, "no/such/file.ser"]);
    log("odd", &[&odd]);
    log("unknown", &[&infinite, &example("lost_update.ser")]);
    log("search", &["--only", "refute", "--max-requests", "2", &example("ticket_lock.ser")]);
    node("sarif.mjs", &logs);
}
