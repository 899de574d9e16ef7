//! `ser new`: programs to start from; and what to try without one.

use crate::common::{self, Output, file, folder, ser, ser_in};
use std::path::Path;

const TEMPLATES: [&str; 5] = ["bank", "lock", "cache", "firewall", "queue"];

fn new_in(folder: &Path, args: &[&str]) -> Output {
    ser_in(folder, &[&["new"], args].concat(), b"", &[])
}

#[test]
fn every_template_has_the_verdict_that_it_promises_and_is_formatted() {
    let folder = folder("new_templates");
    let mut broken = Vec::new();
    for template in TEMPLATES {
        let output = new_in(&folder, &[template]);
        assert_eq!(output.code, Some(0), "{output:?}");
        let name = format!("{template}.ser");
        assert!(output.stdout.contains(&format!("ser check {name}")), "{output:?}");
        let text = std::fs::read_to_string(folder.join(&name)).expect("the program");
        let promise = text.lines().find_map(|line| line.strip_prefix("// Verdict: "));
        let code = match promise {
            Some(promise) if promise.starts_with("serializable") => 0,
            Some(promise) if promise.starts_with("not serializable, on purpose") => 1,
            _ => panic!("{template} promises nothing"),
        };
        if code == 1 {
            broken.push(template);
            assert!(output.stdout.contains(&format!("ser repair {name}")), "{output:?}");
            assert!(text.contains("ser repair"), "{template}");
        }
        let check = ser_in(&folder, &["check", &name], b"", &[]);
        assert_eq!(check.code, Some(code), "{check:?}");
        assert_eq!(check.stderr, "", "no warnings");
        let fmt = ser_in(&folder, &["fmt", "--check", &name], b"", &[]);
        assert_eq!((fmt.code, fmt.all()), (Some(0), String::new()));
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{template} is too wide");
    }
    assert_eq!(broken, ["bank"]);
}

/// A template after a change that it proposes.
fn changed(template: &str, changes: &[(&str, &str)]) -> Output {
    let mut text = ser(&["new", "-", "--template", template]).stdout;
    for (before, after) in changes {
        // What the header says about the code is not the code.
        let at = text.rfind(before).unwrap_or_else(|| panic!("{template} has no {before}"));
        text.replace_range(at..at + before.len(), after);
    }
    common::ser_with(&["check", "--no-warnings", "-"], text.as_bytes(), &[])
}

#[test]
fn the_experiments_that_templates_propose_end_as_they_say() {
    let cache = ("value := Store;", "value := if (Valid) { Cache } else { Store };");
    for (code, template, changes) in [
        (1, "lock", &[("while (Lock == 1) { yield };", "")][..]),
        (1, "lock", &[("Lock := 0; ", ""), ("yield;", "Lock := 0; yield;")]),
        (0, "lock", &[("yield; ", "")]),
        (1, "cache", &[cache]),
        (
            0,
            "cache",
            &[
                cache,
                ("Cache := seen;", "if (Store == seen) { Cache := seen;"),
                ("Valid := 1;", "Valid := 1 };"),
            ],
        ),
        (
            1,
            "firewall",
            &[("Allowed := 1", "A := 1"), ("Sent := 1", "Allowed := 1"), ("A := 1", "Sent := 1")],
        ),
        (
            1,
            "firewall",
            &[("request reply", "request close { Sent := 0; Allowed := 0; 1 } request reply")],
        ),
        (1, "queue", &[("Size := Size + 1", "yield; Size := Size + 1")]),
        (0, "queue", &[("v in 1..2", "v in 0..2")]),
    ] {
        let output = changed(template, changes);
        assert_eq!(output.code, Some(code), "{template} {changes:?}: {output:?}");
    }
}

#[test]
fn names_with_and_without_extension_and_none() {
    let folder = folder("new_names");
    for (args, expected, story) in [
        (&[][..], "bank.ser", "bank"),
        (&["mine"], "mine.ser", "bank"),
        (&["yours.ser", "--template", "queue"], "yours.ser", "queue"),
        (&["--template", "cache"], "cache.ser", "cache"),
        (&["lock.ser"], "lock.ser", "lock"),
        (&["./two words"], "./two words.ser", "bank"),
        (&["v1.2"], "v1.2.ser", "bank"),
    ] {
        let output = new_in(&folder, args);
        assert_eq!(output.code, Some(0), "{output:?}");
        assert!(output.stdout.starts_with(&format!("{expected}: ")), "{output:?}");
        let text = std::fs::read_to_string(folder.join(expected)).expect("the program");
        assert_eq!(text, ser(&["new", "-", "--template", story]).stdout);
    }
    let output = new_in(&folder, &["two words", "--force"]);
    assert!(output.stdout.contains("ser check 'two words.ser'"), "{output:?}");
}

#[test]
fn a_file_is_replaced_only_by_force() {
    let folder = folder("new_force");
    file(&folder, "mine.ser", "precious");
    let output = new_in(&folder, &["mine"]);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(output.stderr.contains("already exists") && output.stderr.contains("--force"));
    assert_eq!(std::fs::read_to_string(folder.join("mine.ser")).expect("a text"), "precious");
    assert_eq!(new_in(&folder, &["mine", "--force"]).code, Some(0));
    assert!(std::fs::read_to_string(folder.join("mine.ser")).expect("a text").contains("request"));
}

#[test]
fn names_that_are_none_are_turned_down() {
    let folder = folder("new_bad_names");
    std::fs::create_dir(folder.join("taken.ser")).expect("a folder");
    for (args, parts) in [
        (&[""][..], &["empty", "ser new my_program"][..]),
        (&["no/such/folder/x"], &["no folder no/such/folder", "mkdir -p no/such/folder"]),
        (&["x/"], &["is not a file name"]),
        (&[".."], &["is not a file name"]),
        (&[".ser"], &["cannot be the name of a program"]),
        (&["x.json"], &[".json", "ser new x"]),
        (&["a\nb"], &["characters"]),
        (&["taken"], &["already exists"]),
        (&["taken", "--force"], &["cannot write taken.ser"]),
        (&["--template", "bnak"], &["bank"]),
    ] {
        let output = new_in(&folder, args);
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{args:?}: {output:?}");
        for part in parts {
            assert!(output.stderr.contains(part), "{part}: {output:?}");
        }
    }
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1, "nothing was written");
}

#[test]
fn the_list_has_every_template() {
    let output = ser(&["new", "--list"]);
    assert_eq!(output.code, Some(0));
    for template in TEMPLATES {
        assert!(output.stdout.lines().any(|line| line.starts_with(template)), "{output:?}");
    }
    assert_eq!(output.stdout.matches("broken on purpose").count(), 1);
}

#[test]
fn check_without_a_file_names_what_is_there() {
    let folder = folder("new_hints");
    let output = ser_in(&folder, &["check"], b"", &[]);
    assert_eq!(output.code, Some(2));
    for part in ["nothing to check", "ser new", "ser check -"] {
        assert!(output.stderr.contains(part), "{part}: {output:?}");
    }
    assert!(!output.stderr.contains("examples/"), "no such file here: {output:?}");
    for name in ["a.ser", "b b.ser", "c.ser", "d.ser", "e.txt"] {
        file(&folder, name, "request a { 1 }");
    }
    for args in [&["check"][..], &["check", ""], &["check", "--format", "json", " "]] {
        let output = ser_in(&folder, args, b"", &[]);
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{output:?}");
        for part in ["ser check a.ser", "ser check 'b b.ser'", "ser check c.ser"] {
            assert!(output.stderr.contains(part), "{part}: {output:?}");
        }
        assert!(!output.stderr.contains("d.ser") && !output.stderr.contains("e.txt"));
    }
}

#[test]
fn check_of_a_folder_or_a_missing_file_says_what_to_try() {
    let folder = folder("new_hints_folder");
    std::fs::create_dir(folder.join("full")).expect("a folder");
    std::fs::create_dir(folder.join("empty")).expect("a folder");
    file(&folder.join("full"), "a.ser", "request a { 1 }");
    file(&folder.join("full"), "voucher.ser", "request a { 1 }");
    for (name, part) in [
        ("full", "`ser check full/a.ser`"),
        ("empty", "no programs (.ser) in it; `ser new`"),
        ("full/b.ser", "there are others: `ser check full/a.ser`"),
        ("full/a", "did you mean `ser check full/a.ser`?"),
        ("full/vuocher.ser", "did you mean `ser check full/voucher.ser`?"),
        ("missing.ser", "`ser new` writes a program"),
    ] {
        let output = ser_in(&folder, &["check", name], b"", &[]);
        assert_eq!(output.code, Some(2));
        assert!(output.stderr.contains(part), "{part}: {output:?}");
    }
}
