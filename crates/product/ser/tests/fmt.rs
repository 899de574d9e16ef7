//! `ser fmt`: files in place, standard input, and `--check`.

use crate::common::{self, file, folder, ser, ser_in, ser_with, text};
use std::path::Path;

const CROWDED: &str = "request a{x:=X;// read\nX:=x+1}";
const TIDY: &str = "request a {\n    x := X; // read\n    X := x + 1\n}\n";
const WRONG: &str = "request a { x = 1 }\n";

#[test]
fn a_file_is_changed_in_place_and_only_once() {
    let folder = folder("fmt_in_place");
    let path = file(&folder, "a.ser", CROWDED);
    let output = ser(&["fmt", &path]);
    assert_eq!((output.code, output.stdout), (Some(0), format!("{path}: formatted\n")));
    assert_eq!(std::fs::read_to_string(&path).expect("a text"), TIDY);
    let before = std::fs::metadata(&path).expect("a file").modified().expect("a time");
    let output = ser(&["fmt", &path]);
    assert_eq!((output.code, output.all()), (Some(0), String::new()));
    let after = std::fs::metadata(&path).expect("a file").modified().expect("a time");
    assert_eq!(before, after, "a file that is fine is not written");
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1, "nothing is left behind");
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder("fmt_permissions");
    let path = file(&folder, "a.ser", CROWDED);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("permissions");
    let link = folder.join("link.ser");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    assert_eq!(ser(&["fmt", &text(&link)]).code, Some(0));
    assert!(std::fs::symlink_metadata(&link).expect("a link").is_symlink());
    assert_eq!(std::fs::read_to_string(&path).expect("a text"), TIDY);
    let mode = std::fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn standard_input_goes_to_standard_output() {
    for args in [&["fmt"][..], &["fmt", "-"]] {
        let windows = |text: &str| text.replace('\n', "\r\n");
        for (input, expected) in [
            (CROWDED.to_owned(), TIDY.to_owned()),
            (TIDY.to_owned(), TIDY.to_owned()),
            (windows(CROWDED), windows(TIDY)),
        ] {
            let output = ser_with(args, input.as_bytes(), &[]);
            assert_eq!((output.code, output.stdout), (Some(0), expected), "{input}");
            assert_eq!(output.stderr, "");
        }
    }
}

#[test]
fn check_prints_a_diff_and_changes_nothing() {
    let folder = folder("fmt_check");
    file(&folder, "a.ser", CROWDED);
    file(&folder, "b.ser", TIDY);
    let output = ser_in(&folder, &["fmt", "--check", "a.ser", "b.ser"], b"", &[]);
    assert_eq!(output.code, Some(1));
    let expected = "--- a.ser\n+++ a.ser\n@@ -1,2 +1,4 @@\n-request a{x:=X;// read\n-X:=x+1}\n\
        \\ No newline at end of file\n+request a {\n+    x := X; // read\n+    X := x + 1\n+}\n";
    assert_eq!(output.stdout, expected);
    assert!(output.stderr.contains("help"), "{output:?}");
    assert_eq!(std::fs::read_to_string(folder.join("a.ser")).expect("a text"), CROWDED);
    let output = ser_in(&folder, &["fmt", "--check", "b.ser"], b"", &[]);
    assert_eq!((output.code, output.all()), (Some(0), String::new()));
    let output = ser_with(&["fmt", "--check"], CROWDED.as_bytes(), &[]);
    assert_eq!(output.code, Some(1));
    assert!(output.stdout.starts_with("--- <stdin>\n"), "{output:?}");
}

#[test]
fn the_most_serious_exit_code_wins_and_the_other_files_are_done() {
    let folder = folder("fmt_errors");
    file(&folder, "wrong.ser", WRONG);
    file(&folder, "crowded.ser", CROWDED);
    let files = ["wrong.ser", "crowded.ser", "missing.ser"];
    let output = ser_in(&folder, &[&["fmt", "--check"], &files[..]].concat(), b"", &[]);
    assert_eq!(output.code, Some(2));
    assert!(output.stdout.contains("+++ crowded.ser"), "{output:?}");
    for part in ["wrong.ser:1:15", ":=", "missing.ser: there is no such file"] {
        assert!(output.stderr.contains(part), "{part}: {output:?}");
    }
    let output = ser_in(&folder, &[&["fmt"], &files[..]].concat(), b"", &[]);
    assert_eq!(output.code, Some(2));
    assert_eq!(std::fs::read_to_string(folder.join("crowded.ser")).expect("a text"), TIDY);
    assert_eq!(std::fs::read_to_string(folder.join("wrong.ser")).expect("a text"), WRONG);
}

#[test]
fn what_is_no_program_is_turned_down() {
    let folder = folder("fmt_no_program");
    let system = common::example("login_session.json");
    let binary = file(&folder, "binary.ser", [0xff, 0xfe, 0x00]);
    let empty = file(&folder, "empty.ser", "");
    for (args, parts) in [
        (&["fmt", &system][..], &["network system", "help"][..]),
        (&["fmt", &binary], &["UTF-8", "help"]),
        (&["fmt", &empty], &["empty", "help"]),
        (&["fmt", &text(&folder)], &["directory", "help"]),
        (&["fmt", "-", "-"], &["only once"]),
    ] {
        let output = ser(args);
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{output:?}");
        for part in parts {
            assert!(output.stderr.contains(part), "{part}: {output:?}");
        }
    }
}

/// Files with a layout in a folder and all folders inside.
fn with_a_layout(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let kind = path.extension().and_then(|it| it.to_str());
        if path.is_dir() {
            found.extend(with_a_layout(&path));
        } else if kind == Some("ser") {
            found.push(text(&path));
        }
    }
    found.sort();
    found
}

#[test]
fn the_examples_are_formatted() {
    let files = with_a_layout(&common::examples());
    let count = files.iter().filter(|it| it.ends_with(".ser")).count();
    assert!(count >= 20, "only {count} examples end with .ser");
    let mut args = vec!["fmt", "--check"];
    args.extend(files.iter().map(String::as_str));
    let output = ser(&args);
    assert_eq!((output.code, output.all()), (Some(0), String::new()));
}

#[test]
fn the_help_names_all_kinds_of_files_with_a_layout() {
    for option in ["-h", "--help"] {
        let output = ser(&["fmt", option]);
        for kind in [".ser", ".unw"] {
            assert!(output.stdout.contains(kind), "{kind}: {}", output.stdout);
        }
    }
}

#[test]
fn protocols_are_laid_out_too() {
    let crowded = "msg Ping=Ping;process p{send Ping to q;}\nprocess q{v:=recv Ping; // waits\n}";
    let tidy = "msg Ping = Ping;\nprocess p { send Ping to q; }\nprocess q {\n    v := recv Ping; // waits\n}\n";
    let folder = folder("fmt_protocol");
    let path = file(&folder, "a.ser", crowded);
    let output = ser(&["fmt", &path]);
    assert_eq!((output.code, output.stdout), (Some(0), format!("{path}: formatted\n")));
    assert_eq!(std::fs::read_to_string(&path).expect("a text"), tidy);
    let output = ser_with(&["fmt", "-"], crowded.as_bytes(), &[]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), tidy));
    let path = file(&folder, "b.ser", "msg M = M process p { skip skip }");
    let output = ser(&["fmt", &path]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("expected `;` between two"), "{}", output.stderr);
}

#[test]
fn threads_and_invariants_are_laid_out_too() {
    let crowded = "var x: int=0;\nset Threads  process thread for self in Threads{loop{x:=x+1; // again\n}}\ninvariant low:x>=0->x!=-1;";
    let tidy = "var x: int = 0;\nset Threads\nprocess thread for self in Threads {\n    loop {\n        x := x + 1; // again\n    }\n}\ninvariant low: x >= 0 -> x != -1;\n";
    let folder = folder("fmt_invariants");
    let path = file(&folder, "a.ser", crowded);
    let output = ser(&["fmt", &path]);
    assert_eq!((output.code, output.stdout), (Some(0), format!("{path}: formatted\n")));
    assert_eq!(std::fs::read_to_string(&path).expect("a text"), tidy);
    assert_eq!(ser(&["fmt", "--check", &path]).code, Some(0));
    let starts = ["", "ghost var g: int; ", "fn two = 2; "];
    for start in starts.into_iter().chain(["fn p() { } ", "invariant t: true; "]) {
        let output = ser_with(&["fmt", "-"], format!("{start}{crowded}").as_bytes(), &[]);
        assert_eq!(output.code, Some(0), "{}", output.stderr);
        assert!(output.stdout.ends_with(tidy), "{}", output.stdout);
    }
    let path =
        file(&folder, "b.ser", "set Threads  process thread for self in Threads { skip skip }");
    let output = ser(&["fmt", &path]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("expected `;` between two statements"), "{}", output.stderr);
}
