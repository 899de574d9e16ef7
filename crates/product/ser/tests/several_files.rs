//! `use "stock.ser"`: programs of several files, on the command line.

use crate::common::{Output, example, examples, file, folder, ser_in, text};
use serde_json::Value;
use std::path::Path;

const SHOP: &str = "use \"lib/stock.ser\"

request buy(n in 1..2) {
    if enough(n) {
        yield;
        take(n);
        true
    } else {
        false
    }
}
";

const STOCK: &str = "// What there is.
var Free: int = 3

fn enough(n) { Free >= n }
fn take(n) { Free := Free - n }

invariant never_negative: Free >= 0
";

/// A folder with a shop that uses its stock.
fn shop(name: &str) -> std::path::PathBuf {
    let folder = folder(name);
    std::fs::create_dir_all(folder.join("lib")).expect("a folder");
    file(&folder, "shop.ser", SHOP);
    file(&folder, "lib/stock.ser", STOCK);
    folder
}

fn run(folder: &Path, args: &[&str]) -> Output {
    ser_in(folder, args, b"", &[])
}

#[test]
fn what_happens_in_a_used_file_is_said_to_be_there() {
    let folder = shop("files_run");
    let output = run(&folder, &["check", "shop.ser"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    let text = &output.stdout;
    for part in ["lib/stock.ser:4  fn enough", "line lib/stock.ser:5", "line 5 of `buy`"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("never_negative"), "it is not asked again: {text}");

    let output = run(&folder, &["check", "--format", "json", "shop.ser"]);
    let report: Value = serde_json::from_str(&output.stdout).expect("a report");
    let lines = &report["counterexample"]["steps"][0]["lines"];
    assert_eq!(lines.to_string(), "[4,\"lib/stock.ser:4\",5]");

    let output = run(&folder, &["check", "--format", "sarif", "./shop.ser"]);
    let log: Value = serde_json::from_str(&output.stdout).expect("a log");
    let text = log.to_string();
    assert!(text.contains("\"uri\":\"lib/stock.ser\""), "{text}");
    let own = ser_base::sha256_hex(SHOP.as_bytes());
    assert_eq!(log["runs"][0]["artifacts"][0]["hashes"]["sha-256"], own, "that of the file alone");

    let page = folder.join("page.html");
    run(&folder, &["check", "--html", "page.html", "shop.ser"]);
    let page = std::fs::read_to_string(page).expect("a page");
    for part in ["<li class=\"file\">lib/stock.ser</li>", "id=\"Llib/stock.ser:4\""] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains('\u{1c}'), "nobody has written this");
}

#[test]
fn a_certificate_is_about_all_files() {
    let folder = shop("files_certificate");
    run(&folder, &["check", "--certificate", "shop.json", "shop.ser"]);
    let verify = |args: &[&str]| run(&folder, &[&["verify", "shop.json"], args].concat());
    let output = verify(&[]);
    assert!(output.stdout.contains("valid: not serializable"), "{output:?}");
    // Neither the place of the files nor the folder one works in matters.
    let elsewhere = folder.join("elsewhere/lib");
    std::fs::create_dir_all(&elsewhere).expect("a folder");
    file(&folder, "elsewhere/s.ser", SHOP);
    file(&folder, "elsewhere/lib/stock.ser", STOCK);
    let output = verify(&["--source", "elsewhere/s.ser"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    for changed in
        [STOCK.replace(":= Free - n", ":= Free"), STOCK.replace("What", "what"), "".into()]
    {
        file(&folder, "lib/stock.ser", &changed);
        let output = verify(&[]);
        assert_eq!(output.code, Some(1), "{output:?}");
        assert!(output.stdout.contains("the digests differ"), "{output:?}");
    }
    // What was in two files is not the same in one.
    let forged = format!("{SHOP}\n\u{1c}lib/stock.ser\n{STOCK}");
    file(&folder, "shop.ser", forged);
    let output = verify(&[]);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(output.stderr.contains("U+001C"), "{output:?}");
}

#[test]
fn what_cannot_be_used_is_said_where_it_is_used() {
    let folder = folder("files_unusable");
    std::fs::create_dir_all(folder.join("dir.ser")).expect("a folder");
    file(&folder, "marked.ser", "\u{1c}");
    file(&folder, "binary.ser", [0xff, 0xfe]);
    file(&folder, "large.ser", "//".repeat(2 << 20));
    file(&folder, "itself.ser", "use \"itself.ser\"\nrequest main { 0 }");
    file(&folder, "a.ser", "use \"b.ser\"\nrequest main { N }");
    file(&folder, "b.ser", "const N = 1\nuse \"./c.ser\"");
    file(&folder, "c.ser", "use \"./a.ser\"");
    for i in 0..102 {
        file(&folder, &format!("n{i}.ser"), format!("use \"n{}.ser\"", i + 1));
    }
    file(&folder, "n102.ser", "request main { 0 }");
    for (path, words) in [
        ("gone.ser", "there is no such file"),
        ("dir.ser", "this is not a file"),
        ("a.json", "only files whose names end in `.ser` can be used"),
        ("/dev/zero", "only files whose names end in `.ser` can be used"),
        ("", "only files whose names end in `.ser` can be used"),
        ("marked.ser", "U+001C, which separates files"),
        ("binary.ser", "is not valid UTF-8"),
        ("large.ser", "with it, there would be more than 4 MiB to read"),
        ("itself.ser", "this file uses itself"),
        ("b.ser", "a circle: `b.ser` uses `c.ser`, which uses `a.ser`, which uses `b.ser`"),
        ("n0.ser", "a program can use at most 100 other files"),
    ] {
        let text = format!("use \"{path}\"  request main {{ 0 }}");
        let output = ser_in(&folder, &["check", "-"], text.as_bytes(), &[]);
        assert_eq!(output.code, Some(2), "{path}: {output:?}");
        assert!(output.stderr.contains(words), "{path}: {output:?}");
    }
    let output = run(&folder, &["check", "a.ser"]);
    assert!(output.stderr.contains("--> c.ser:1:1"), "{output:?}");
    let circle = "`a.ser` uses `b.ser`, which uses `c.ser`, which uses `a.ser`";
    assert!(output.stderr.contains(circle), "{output:?}");
}

#[cfg(unix)]
#[test]
fn one_file_counts_once_by_whatever_name() {
    let folder = folder("files_once");
    file(&folder, "one.ser", "const N = 1  var X: 0..N = 0");
    let _ = std::os::unix::fs::symlink("one.ser", folder.join("two.ser"));
    let _ = std::os::unix::fs::symlink(".", folder.join("again"));
    let here = text(&folder);
    let text = format!(
        "use \"one.ser\" use \"./one.ser\" use \"two.ser\" use \"again/one.ser\" use \"{here}/two.ser\"\n\
         request main {{ X := N; X }}"
    );
    file(&folder, "main.ser", &text);
    let output = run(&folder, &["check", "main.ser"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    // A circle through a link is one.
    file(&folder, "main.ser", "use \"again/main.ser\"  request main { 0 }");
    let output = run(&folder, &["check", "main.ser"]);
    assert!(output.stderr.contains("this file uses itself"), "{output:?}");
}

#[test]
fn errors_and_warnings_stand_in_their_files() {
    let folder = folder("files_errors");
    file(&folder, "main.ser", "use \"lib.ser\"\nconst N = 2\nrequest main { N }");
    file(&folder, "lib.ser", "const N = 1\nvar Unused: int\n/* open");
    let output = run(&folder, &["check", "main.ser"]);
    for part in ["--> lib.ser:3:1", "never closed", "--> main.ser:2:7", "::: lib.ser:1:7"] {
        assert!(output.stderr.contains(part), "{part}: {output:?}");
    }
    let output = run(&folder, &["check", "--format", "json", "main.ser"]);
    assert!(output.stdout.contains("\"line\":\"lib.ser:3\""), "{output:?}");
    // A brace that is missing swallows nothing of the next file, and a warning is not repeated.
    file(&folder, "main.ser", "use \"lib.ser\"\nrequest main { N");
    file(&folder, "lib.ser", "const N = 1\nvar Unused: int");
    let output = run(&folder, &["check", "main.ser"]);
    assert!(output.stderr.contains("--> main.ser:2:"), "{output:?}");
    assert_eq!(output.stderr.matches("error:").count(), 1, "{output:?}");
    file(&folder, "main.ser", "use \"lib.ser\"\nrequest main { N }");
    let output = run(&folder, &["check", "main.ser"]);
    assert!(!output.stderr.contains("Unused"), "{output:?}");
    let output = run(&folder, &["check", "lib.ser"]);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(output.stderr.contains("this file has only definitions: there is nothing to check"));
}

#[test]
fn only_the_file_itself_is_changed() {
    let folder = shop("files_changes");
    file(&folder, "messy.ser", "use   \"lib/stock.ser\" request look{Free}");
    let output = run(&folder, &["fmt", "messy.ser", "lib/stock.ser"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file");
    assert_eq!(read("messy.ser"), "use \"lib/stock.ser\"\nrequest look { Free }\n");
    let output = run(&folder, &["repair", "--apply=1", "shop.ser"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(read("lib/stock.ser"), STOCK);
    assert!(read("shop.ser").starts_with("use \"lib/stock.ser\"\n"), "{}", read("shop.ser"));
    assert_eq!(run(&folder, &["check", "shop.ser"]).code, Some(0));
}

#[test]
fn nothing_is_written_over_a_used_file() {
    let folder = shop("files_spared");
    for option in ["--certificate", "--html"] {
        let output = run(&folder, &["check", "shop.ser", option, "lib/stock.ser"]);
        assert_eq!(output.code, Some(2), "{output:?}");
        assert!(output.stderr.contains("this is the input itself: lib/stock.ser"), "{output:?}");
    }
    assert_eq!(std::fs::read_to_string(folder.join("lib/stock.ser")).expect("a file"), STOCK);
}

#[test]
fn every_world_has_use() {
    let folder = folder("files_worlds");
    for (name, library, program, verdict) in [
        (
            "processes",
            "var X: 0..3 = 0\nconst TOP = 2",
            "process P { X := TOP }\nreach X == 2",
            "reachable",
        ),
        (
            "messages",
            "msg Ping = Ping\nmsg Pong = Pong",
            "process p { send Ping to q; recv Pong }\nprocess q { recv Ping; send Pong to p }",
            "sequentialized",
        ),
        (
            "threads",
            "set Threads\nvar Open: int = 0",
            "process t for i in Threads { Open := 1 }\ninvariant ok: Open >= 0",
            "proved",
        ),
    ] {
        file(&folder, &format!("{name}_lib.ser"), library);
        let text = format!("use \"{name}_lib.ser\"\n{program}\n");
        let path = file(&folder, &format!("{name}.ser"), text);
        let output = run(&folder, &["check", "--format", "json", &path]);
        let report: Value = serde_json::from_str(&output.stdout).expect("a report");
        assert_eq!(report["verdict"], verdict, "{name}: {output:?}");
        let output = run(&folder, &["fmt", "--check", &path]);
        assert_eq!(output.code, Some(0), "{name}: {output:?}");
    }
}

#[test]
fn the_example_is_fine() {
    let output = run(&examples().join("shop"), &["check", "shop.ser"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let output = run(&examples(), &["fmt", "--check", "shop/shop.ser", &example("shop/stock.ser")]);
    assert_eq!(output.code, Some(0), "{output:?}");
}
