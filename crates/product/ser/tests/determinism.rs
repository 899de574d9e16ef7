//! The same input gives the same output, byte for byte, whatever the number of workers: answers for
//! people and for programs, pages, certificates, proofs. Only measured times differ.

use crate::common::{self, example, examples, folder, ser, sources, text};
use std::collections::BTreeMap;
use std::path::Path;

/// The answers about this one are found by searches of seconds, which the clock may cut short on a
/// busy machine.
const SLOW: &str = "ticket_lock_wraps.ser";

fn files() -> Vec<String> {
    let all = sources(&examples());
    let quick = all.iter().filter(|path| common::file_name(path) != SLOW);
    quick.map(|path| text(path)).collect()
}

/// A text without its measured times: numbers in front of `ms` or `s`, and the fields of JSON that
/// have one.
fn timeless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        let end = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
        let (number, after) = number.split_at(end);
        // A machine that is busy makes seconds of milliseconds.
        let with_unit = [" ms", " s"].iter().find_map(|unit| {
            let after = after.strip_prefix(unit)?;
            (!after.starts_with(|c: char| c.is_alphanumeric())).then_some(after)
        });
        let is_time = with_unit.is_some()
            || before.ends_with("time_ms\":")
            || before.ends_with("time_ms\": ");
        out.push_str(before);
        out.push_str(if is_time { "?" } else { number });
        rest = with_unit.unwrap_or(after);
    }
    out + rest
}

fn contents(folder: &Path) -> BTreeMap<String, String> {
    std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("text");
            (common::file_name(&path).to_owned(), text)
        })
        .collect()
}

/// Everything that a check prints and writes.
fn everything(jobs: &str, format: &str) -> BTreeMap<String, String> {
    let folder = folder("determinism");
    let folders = ["certificates", "pages", "proofs"].map(|name| folder.join(name));
    let [certificates, pages, proofs] = folders.each_ref().map(|folder| text(folder));
    let mut args = vec!["check", "--jobs", jobs, "--format", format, "--search-states", "20000"];
    args.extend(["--certificate", &certificates, "--html", &pages, "--smtlib", &proofs]);
    let files = files();
    args.extend(files.iter().map(String::as_str));
    let output = ser(&args);
    let mut all = BTreeMap::from([
        ("standard output".to_owned(), timeless(&output.stdout)),
        ("standard error".to_owned(), timeless(&output.stderr)),
    ]);
    for path in &folders {
        for (name, content) in contents(path) {
            // A page tells with which command it was made.
            let content = content.replace(&format!("--jobs {jobs}"), "--jobs N");
            let content = content.replace(&format!("--format {format}"), "--format F");
            let is_page = name.ends_with(".html");
            all.insert(name, if is_page { timeless(&content) } else { content });
        }
    }
    all
}

fn assert_same(one: &BTreeMap<String, String>, other: &BTreeMap<String, String>) {
    assert!(one.keys().eq(other.keys()), "{:?} {:?}", one.keys(), other.keys());
    for (name, text) in one {
        let other = &other[name];
        let differs = text.lines().zip(other.lines()).find(|(a, b)| a != b);
        assert!(text == other, "{name}: {differs:?}");
    }
}

#[test]
fn all_that_a_check_prints_and_writes_is_the_same_each_time() {
    let human = everything("1", "human");
    assert!(human.len() > files().len(), "{:?}", human.keys());
    assert_same(&human, &everything("4", "human"));
    let (one, other) = (everything("1", "sarif"), everything("3", "sarif"));
    assert_same(&one, &other);
    // What is written does not depend on what is printed.
    for (name, text) in human.iter().filter(|(name, _)| !name.starts_with("standard")) {
        assert!(&one[name] == text, "{name}");
    }
}

#[test]
fn every_other_command_prints_the_same_each_time() {
    let racy = example("forgotten_lock.ser");
    let net = example("nets/toy.net");
    let commands: Vec<Vec<&str>> = vec![
        vec!["repair", &racy],
        vec!["repair", "--format", "json", &racy],
        vec!["explain", &racy],
        vec!["reach", &net, "--query", "P1 >= 2 && P5 = 1"],
        vec!["reach", &net, "--query", "P2 >= 1 && P3 >= 1", "--format", "json"],
        vec!["show", "--stage", "net", "--steps", &racy],
        vec!["show", "--stage", "net", "--format", "svg", &racy],
        vec!["show", "--stage", "outcomes", &racy],
        vec!["show", "--stage", "query", "--format", "smtlib", &racy],
        vec!["show", "--stage", "rules", &racy],
        vec!["man"],
    ];
    for args in commands {
        let (one, other) = (ser(&args), ser(&args));
        assert_eq!(one.code, other.code, "{args:?}");
        assert_eq!(timeless(&one.stdout), timeless(&other.stdout), "{args:?}");
        assert_eq!(timeless(&one.stderr), timeless(&other.stderr), "{args:?}");
    }
}

#[test]
fn times_are_told_from_other_numbers() {
    assert_eq!(timeless("a (1.5 ms), 2 s; 3 states"), "a (?), ?; 3 states");
    assert_eq!(timeless(r#"{"time_ms":0.25,"n":7}"#), r#"{"time_ms":?,"n":7}"#);
}
