//! The book in `docs/` and the README are true: their programs have the verdicts that they say,
//! commands print what they show, pictures are what their commands make, links lead somewhere.
//!
//! | block | is checked |
//! | --- | --- |
//! | `ser` | no errors or warnings, and a verdict; options: the verdict, `warning`, `file=NAME` to use it in later blocks of the page |
//! | `ser` with processes, `unw` | no errors or warnings, and an answer for each goal; options: the answers, `file=NAME` |
//! | `ser` with messages, `threads` | no errors or warnings, and the verdict that its option names; `file=NAME` |
//! | `console` | each line `$ ser ...` prints what follows, up to times and `...`; a picture that is written to `pictures/` is the one in `docs/pictures/` |
//! | `json` | is JSON; option `lines`: one value on each line |
//!
//! With `SER_UPDATE_BOOK=1`, outputs and pictures are put right instead. Read the difference.

mod console;
mod markdown;
mod output;
mod page;

use crate::common;
use console::Session;
use std::path::{Path, PathBuf};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs")
}

/// The pages of the book, by name.
fn pages() -> Vec<(String, String)> {
    let mut pages: Vec<(String, String)> = std::fs::read_dir(docs())
        .expect("the folder of the book")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a page");
            (common::file_name(&path).to_owned(), text)
        })
        .collect();
    pages.sort();
    pages
}

fn report(problems: &[String]) {
    assert!(
        problems.is_empty(),
        "{}\n\nSER_UPDATE_BOOK=1 puts outputs and pictures right",
        problems.join("\n")
    );
}

#[test]
fn programs_and_commands_in_the_book_do_what_it_says() {
    let update = std::env::var_os("SER_UPDATE_BOOK").is_some();
    let (mut problems, mut made) = (Vec::new(), Vec::new());
    for (name, text) in pages() {
        let mut session = Session::new(&name);
        let (wrong, right) = page::run(&text, &mut session);
        if update && right != text {
            std::fs::write(docs().join(&name), right).expect("the page can be written");
        }
        let (pictures, differences) = page::pictures(&session, &docs(), update);
        made.extend(pictures);
        problems.extend(wrong.iter().chain(&differences).map(|p| format!("docs/{name}: {p}")));
    }
    made.sort();
    let mut kept: Vec<String> = std::fs::read_dir(docs().join("pictures"))
        .expect("the pictures")
        .map(|entry| common::file_name(&entry.expect("an entry").path()).to_owned())
        .collect();
    kept.sort();
    if made != kept {
        problems.push(format!("commands in the book make {made:?}, docs/pictures has {kept:?}"));
    }
    report(&problems);
}

#[test]
fn programs_and_commands_in_the_readme_do_what_it_says() {
    let path = docs().join("../README.md");
    let text = std::fs::read_to_string(&path).expect("the README");
    let (problems, right) = page::run(&text, &mut Session::new("readme"));
    if std::env::var_os("SER_UPDATE_BOOK").is_some() && right != text {
        std::fs::write(path, right).expect("the README can be written");
    }
    report(&problems);
}

#[test]
fn links_in_the_book_and_the_readme_lead_somewhere() {
    let mut problems = Vec::new();
    for (name, text) in pages() {
        let page = markdown::parse(&text).expect("a page");
        let dead = page::dead_links(&page, &docs());
        problems.extend(dead.iter().map(|p| format!("docs/{name}: {p}")));
    }
    let root = docs().join("..");
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(root.join(name)).expect("a page");
        let page = markdown::parse(&text).expect("a page");
        let dead = page::dead_links(&page, &root);
        problems.extend(dead.iter().map(|p| format!("{name}: {p}")));
    }
    report(&problems);
}

#[test]
fn the_summary_lists_every_page_once() {
    let pages = pages();
    let (_, summary) = pages.iter().find(|(n, _)| n == "SUMMARY.md").expect("a summary");
    let page = markdown::parse(summary).expect("a page");
    let mut listed: Vec<&str> = page.links.iter().map(|(_, target)| target.as_str()).collect();
    listed.sort_unstable();
    let names: Vec<&str> = pages.iter().map(|(n, _)| n.as_str()).collect();
    let expected: Vec<&str> = names.into_iter().filter(|n| *n != "SUMMARY.md").collect();
    assert_eq!(listed, expected);
}

/// The words of a page, with `-` and `_` in them.
fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric() && !"-_".contains(c)).collect()
}

/// The names of all fields of a JSON value, except where names are those of variables or places.
fn fields(value: &serde_json::Value, names: &mut Vec<String>) {
    const FREE: [&str; 11] = [
        "sizes",
        "start",
        "reads",
        "writes",
        "globals",
        "locals",
        "changed_meanwhile",
        "marking",
        "stages_ms",
        "rounds",
        "values",
    ];
    match value {
        serde_json::Value::Object(entries) => {
            for (name, value) in entries {
                names.push(name.clone());
                if !FREE.contains(&name.as_str()) {
                    fields(value, names);
                }
            }
        }
        serde_json::Value::Array(values) => values.iter().for_each(|v| fields(v, names)),
        _ => {}
    }
}

#[test]
fn the_book_has_every_field_of_the_json_reports() {
    let text = std::fs::read_to_string(docs().join("command_line.md")).expect("the page");
    let words = words(&text);
    let (net, growing) = (
        common::example("nets/toy.net"),
        b"request a { while (N >= M * M) { N := N + 1; M := M * M; yield } }",
    );
    let check = ["check", "--format", "json", "--statistics", "--max-states", "1000"];
    let mut outputs: Vec<common::Output> =
        ["lost_update.ser", "spin_lock.ser", "double_checked_init.ser", "login_session_race.json"]
            .iter()
            .map(|name| common::ser(&[&check[..], &[&common::example(name)]].concat()))
            .collect();
    for source in [
        &growing[..],
        b"request a { X := 1 }",
        b"request a { X := 1; yield; 0 }",
        b"request a { ",
        b"{}",
    ] {
        outputs.push(common::ser_with(&[&check[..], &["-"]].concat(), source, &[]));
    }
    for query in ["P1 >= 2", "P2 >= 1 && P3 >= 1"] {
        outputs.push(common::ser(&["reach", "--format", "json", &net, "--query", query]));
    }
    let trace = ["trace", "--format", "json", "--stats"];
    for name in ["figure_1.ser", "figure_1.unw", "queue.ser"] {
        let path = common::example(&format!("processes/{name}"));
        outputs.push(common::ser(&[&trace[..], &[&path]].concat()));
    }
    for (source, bound) in [
        ("var X: 0..9 process P { while (1) { X := X + 1 } } reach X == 5", "2"),
        ("var X: 0..9 process P { X := Y } reach X == 5", "1"),
        ("var X: 0..9 process P { X := 1; y := 2 } reach X == 5", "1"),
    ] {
        let args = [&trace[..], &["--bound", bound, "-"]].concat();
        outputs.push(common::ser_with(&args, source.as_bytes(), &[]));
    }
    let protocol = ["sequentialize", "--format", "json"];
    for name in ["map-reduce", "ex6", "firewall", "broken/two-writers", "broken/missing-send"] {
        let path = common::example(&format!("messages/{name}.ser"));
        outputs.push(common::ser(&[&protocol[..], &[&path]].concat()));
    }
    let sizes = ["--sizes", "Q=1", &common::example("messages/broken/missing-send.ser")];
    outputs.push(common::ser(&[&protocol[..], &sizes[..]].concat()));
    outputs.push(common::ser_with(
        &[&protocol[..], &["-"]].concat(),
        b"msg M = M process p {",
        &[],
    ));
    let prove = ["prove", "--format", "json"];
    for args in [
        &["--conditions", "threads/ticket_lock.ser"][..],
        &["threads/list_wrong.ser"],
        &["threads/foreign_unlock.ser"],
        &["--list-locations", "threads/token.ser"],
    ] {
        let (path, options) = args.split_last().expect("a file");
        let path = common::example(path);
        outputs.push(common::ser(&[&prove[..], options, &[path.as_str()]].concat()));
    }
    let lock = "var taken: bool = false;
        set Threads  process thread for self in Threads { loop { take: atomic { await !taken; taken := true; } leave: taken := false; } }
        invariant held(i): at(i, leave) -> taken;";
    for options in [&["-"][..], &["--infer", "-"]] {
        let args = [&prove[..], options].concat();
        outputs.push(common::ser_with(&args, lock.as_bytes(), &[]));
    }
    outputs.push(common::ser_with(
        &[&prove[..], &["-"]].concat(),
        b"set Threads  process thread for self in Threads {",
        &[],
    ));
    let mut names = Vec::new();
    for output in outputs {
        assert_ne!(output.stdout.lines().count(), 0, "{output:?}");
        for line in output.stdout.lines() {
            let report = serde_json::from_str(line);
            fields(&report.unwrap_or_else(|e| panic!("{e}: {output:?}")), &mut names);
        }
    }
    for name in
        ["counterexample", "proof", "warnings", "errors", "reason", "firing_sequence", "witness"]
    {
        assert!(names.iter().any(|n| n == name), "no report has the field {name}");
    }
    let missing: Vec<&String> = names.iter().filter(|n| !words.contains(&n.as_str())).collect();
    assert!(missing.is_empty(), "the page does not have the fields {missing:?}");
}

/// The options and the names of values that the help of a command lists.
fn listed_in_help(help: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in help.lines().map(str::trim_start) {
        let option = line.strip_prefix("-h, ").unwrap_or(line);
        if option.starts_with("--") {
            // `--cross-check[=<SOLVER>]` is `--cross-check`.
            let is_end = |c: char| c.is_whitespace() || c == '[';
            names.extend(option.split(is_end).next().map(str::to_owned));
        } else if let Some((name, _)) = line.strip_prefix("- ").and_then(|l| l.split_once(':')) {
            names.push(name.to_owned());
        }
    }
    names.retain(|name| name != "--help");
    names
}

#[test]
fn the_book_has_every_option_and_value_of_every_command() {
    let text = std::fs::read_to_string(docs().join("command_line.md")).expect("the page");
    let commands: [&[&str]; 11] = [
        &["check"],
        &["fmt"],
        &["new"],
        &["explain"],
        &["verify"],
        &["show"],
        &["reach"],
        &["trace"],
        &["sequentialize"],
        &["prove"],
        &["lsp"],
    ];
    let words = words(&text);
    for command in commands {
        let help = common::ser(&[command, &["--help"]].concat());
        let names = listed_in_help(&help.stdout);
        assert!(names.contains(&"--color".to_owned()), "{command:?}: {help:?}");
        let missing: Vec<&String> = names.iter().filter(|n| !words.contains(&n.as_str())).collect();
        assert!(missing.is_empty(), "ser {command:?} has {missing:?}; the page does not");
    }
}

#[test]
fn benchmarks_have_a_machine_and_a_date_and_no_wrong_verdict() {
    let text = std::fs::read_to_string(docs().join("benchmarks.md")).expect("the benchmarks");
    for part in text.split("\n## ").skip(1) {
        assert!(part.contains("\n- machine: "), "no machine: {part}");
        assert!(part.contains("\n- date: 20"), "no date: {part}");
    }
    assert!(text.contains(" 0 wrong, 0 unknown"), "the suite was not solved");
    assert!(text.contains("n up to 50"), "growth was not measured up to 50");
}

/// What is wrong with a page that has this text.
fn problems_of(name: &str, text: &str) -> Vec<String> {
    page::run(text, &mut Session::new(name)).0
}

#[test]
fn a_right_page_has_no_problems() {
    let text = "# Page\n\n```ser,file=a.ser,serializable\nrequest main { 1 }\n```\n\n\
        ```console\n$ ser check a.ser\na.ser: serializable (7 ms)\n...\n$ echo $?\n0\n```\n\n\
        ```json\n{\"a\": 1}\n```\n";
    assert_eq!(problems_of("right", text), [] as [&str; 0]);
}

#[test]
fn a_program_with_another_verdict_an_error_or_a_warning_is_noticed() {
    for (options, program) in [
        (",not_serializable", "request main { 1 }"),
        (",serializable", "request main { X := 1; yield; y := X; X := 0; y }"),
        ("", "request main { "),
        ("", "request main { while (X >= Y * Y) { X := X + 1; Y := Y * Y; yield } }"),
        ("", "request main { Y }"),
        (",warning", "request main { 1 }"),
        (",serialisable", "request main { 1 }"),
    ] {
        let text = format!("```ser{options}\n{program}\n```\n");
        assert_eq!(problems_of("program", &text).len(), 1, "{text}");
    }
}

#[test]
fn processes_with_another_answer_an_error_or_a_warning_are_noticed() {
    let goals = "var X: 0..1 process P { X := 1 } reach X == 1 reach X == 0 && done";
    for (options, text, problems) in [
        (",reachable,unreachable,file=a.ser", goals, 0),
        ("", goals, 0),
        (",reachable", goals, 1),
        (",unreachable,reachable", goals, 1),
        (",reachible", goals, 1),
        ("", "var X: 0..1 process P { X := Y } reach X == 1", 1),
        (",error", "var X: 0..1 process P { X := Y } reach X == 1", 0),
        ("", "", 1),
    ] {
        let text = format!("```ser{options}\n{text}\n```\n");
        assert_eq!(problems_of("processes", &text).len(), problems, "{text}");
    }
    let text = "```unw,unreachable\nplace p\ntransition t { out p; when 1 == 2 }\ntarget t\n```\n";
    assert_eq!(problems_of("unwinding", text), [] as [&str; 0]);
}

#[test]
fn a_command_that_prints_something_else_is_noticed() {
    for lines in [
        "$ ser check examples/no_yield.ser\nexamples/no_yield.ser: NOT serializable (1 ms)\n...",
        "$ ser check examples/no_yield.ser\nexamples/no_yield.ser: serializable (1 ms)",
        "$ ser check examples/no_yield.ser\n...",
        "$ ser check examples/no_yield.ser",
        "$ ser check examples/no_yield.ser > out.txt\n$ echo $?\n1",
        "$ ser check examples/there_is_no_such_example.ser > out.txt",
        "$ cat no_such_file",
        "$ rm -r .",
        "ser check examples/no_yield.ser",
    ] {
        let text = format!("```console\n{lines}\n```\n");
        assert_eq!(problems_of("command", &text).len(), 1, "{text}");
    }
}

#[test]
fn bad_json_unknown_languages_and_open_blocks_are_noticed() {
    for text in ["```json\n{a: 1}\n```\n", "```\nx\n```\n", "```python\nx\n```\n", "```ser\nx\n"] {
        assert_eq!(problems_of("blocks", text).len(), 1, "{text}");
    }
    assert_eq!(problems_of("lines", "```json,lines\n{}\n[]\n```\n"), [] as [&str; 0]);
}

#[test]
fn a_page_is_put_right_where_it_was_wrong_and_nowhere_else() {
    let text = "a\n\n```console\n$ echo $?\n5\n```\n\n```console\n$ ser check - < examples/no_yield.ser > x\nwrong\n\
        $ echo $?\n7\n8\n```\n\nb\n";
    let (problems, right) = page::run(text, &mut Session::new("update"));
    assert_eq!(problems.len(), 3, "{problems:?}");
    let expected = "a\n\n```console\n$ echo $?\n5\n```\n\n```console\n$ ser check - < examples/no_yield.ser > x\n\n\
        $ echo $?\n0\n```\n\nb\n";
    assert_eq!(right, expected);
}

#[test]
fn a_picture_that_differs_is_noticed() {
    let mut session = Session::new("picture");
    let text = "```console\n$ ser show --stage ns --format svg examples/no_yield.ser > pictures/a.svg\n```\n";
    assert_eq!(page::run(text, &mut session).0, [] as [&str; 0]);
    let folder = common::folder("book-pictures");
    std::fs::create_dir(folder.join("pictures")).expect("a folder");
    let (made, problems) = page::pictures(&session, &folder, false);
    assert_eq!((made.len(), problems.len()), (1, 1));
    let _ = page::pictures(&session, &folder, true);
    assert_eq!(page::pictures(&session, &folder, false).1, [] as [&str; 0]);
    common::file(&folder.join("pictures"), "a.svg", "<svg/>");
    assert_eq!(page::pictures(&session, &folder, false).1.len(), 1);
}

#[test]
fn dead_links_are_noticed() {
    for (text, dead) in [
        ("[a](language.md) [b](language.md#4-steps) ![c](SUMMARY.md) [d](https://example.org/)", 0),
        ("[a](no_such_page.md)", 1),
        ("[a](language.md#no-such-heading)", 1),
        ("# Here\n[a](#here) [b](#there)", 1),
        ("`ser check examples/lost_update.ser` and `examples/no_such_example.ser`", 1),
        ("`[a](no_such_page.md)` is code", 0),
    ] {
        let page = markdown::parse(text).expect("a page");
        let problems = page::dead_links(&page, &docs());
        assert_eq!(problems.len(), dead, "{text}: {problems:?}");
    }
}

#[test]
fn times_and_dots_match_and_nothing_else_does() {
    assert!(output::matches("a (1.5 ms)\n...\nz", "a (23 s)\nb\nc\nz\n\n"));
    assert!(output::matches("a ... z\n...", "a b z"));
    assert!(output::matches("", "\n"));
    assert!(!output::matches("a ... z", "a b y"));
    assert!(!output::matches("a\n...\nz", "a\nb"));
    assert!(!output::matches("...", "a"));
    assert!(!output::matches("", "a"));
    assert!(!output::matches("a 5 msx", "a 6 msx"));
    assert!(!output::matches("5 states", "6 states"));
}
