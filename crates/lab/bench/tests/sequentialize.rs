//! `ser-bench sequentialize`: our times, and Spin where it is found. No test here needs Spin: what
//! stands in for it is a script.

use crate::common::{Output, file, folder, ser_in, ser_with};
use crate::{bench, json, ser};
use ser_bench::papers::TABLE_1;
use std::path::Path;

const PING: &str = "// expect: verified
set Q; msg Ping = Ping; msg Pong = Pong;
process p { for x in Q { send Ping to x; w := recv Pong from x; } }
process server for q in Q { v := recv Ping; send Pong to p; }
";

fn text(path: &Path) -> &str {
    path.to_str().expect("a path")
}

fn repository() -> &'static Path {
    assert!(ser().is_file());
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.."))
}

#[test]
fn without_files_it_is_the_table_of_the_paper() {
    let arguments =
        ["sequentialize", "--no-spin", "--repeat", "1", "--no-date", "--format", "json"];
    let output = ser_in(repository(), &arguments, b"", &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let report = json(&output);
    let protocols = report["protocols"].as_array().expect("a list");
    assert_eq!((protocols.len(), &report["spin"]), (17, &"not asked".into()));
    for protocol in protocols {
        assert_eq!(protocol["verdict"], "verified", "{protocol:#}");
        assert!(protocol["process_ms"].is_number(), "{protocol:#}");
    }
    // The paper counts what our files have, too: as many sets.
    for (protocol, paper) in protocols.iter().zip(TABLE_1) {
        assert_eq!(protocol["protocol"], format!("{}.ser", paper.stem));
        assert_eq!(protocol["sets"], paper.parameters, "{protocol:#}");
        assert_eq!(protocol["paper_ms"], paper.milliseconds, "{protocol:#}");
    }
}

#[test]
fn broken_variants_are_as_expected() {
    let arguments = ["sequentialize", "--broken", "--no-spin", "--repeat", "1"];
    let output = ser_in(repository(), &arguments, b"", &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stdout.contains("0 not as expected"), "{output:?}");
    assert!(output.stdout.contains("broken/map-reduce-cf.ser"), "{output:?}");
}

#[test]
fn an_answer_that_is_not_expected_is_an_error() {
    let folder = folder("bench_sequentialize_wrong");
    let wrong = file(&folder, "wrong.ser", PING.replace("verified", "refuted, race, line 1"));
    let output = bench(&["sequentialize", &wrong, "--no-spin", "--repeat", "1"]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stdout.contains("verified (WRONG)"), "{output:?}");
}

#[test]
fn what_cannot_be_measured_is_told_with_a_way_out() {
    let folder = folder("bench_sequentialize_usage");
    let bad = file(&folder, "bad.ser", "process p { send A to q; }");
    let measure = |more: &[&str]| {
        let arguments = [&["sequentialize", "--repeat", "1"], more].concat();
        let output = ser_in(&folder, &arguments, b"", &[]);
        assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""), "{output:?}");
        output.stderr
    };
    let nothing = measure(&["--no-spin"]);
    assert!(nothing.contains("help: run this in the folder of the repository"), "{nothing}");
    let errors = measure(&["--no-spin", &bad]);
    assert!(
        errors.contains("bad.ser has errors") && errors.contains("help: `ser sequentialize "),
        "{errors}"
    );
    let missing = measure(&["--no-spin", "there-is-no-such.ser"]);
    assert!(missing.contains("there-is-no-such.ser"), "{missing}");
    let broken = measure(&["--no-spin", "--broken", text(&folder)]);
    assert!(broken.contains("help: name a folder that has one"), "{broken}");
    measure(&["--no-spin", "--spin-timeout", "3", &bad]);
    measure(&["--max-size", "1000", &bad]);
    std::fs::remove_file(&bad).expect("it was there");
    let empty = measure(&["--no-spin", text(&folder)]);
    assert!(empty.contains("no protocols (.ser)"), "{empty}");
}

#[test]
fn without_spin_ours_is_measured_and_it_is_told_how_to_get_spin() {
    let folder = folder("bench_sequentialize_no_spin");
    let ping = file(&folder, "ping.ser", PING);
    assert!(ser().is_file());
    let arguments = ["sequentialize", &ping, "--repeat", "1"];
    let output = ser_with(&arguments, b"", &[("PATH", text(&folder))]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stderr.contains("note: the model checker Spin was not found"), "{output:?}");
    assert!(output.stderr.contains("help: install Spin"), "{output:?}");
    assert!(output.stdout.contains("spin: the model checker Spin was not found"), "{output:?}");
}

/// A Spin that copes with three processes, and takes a model of two for broken if asked to.
#[cfg(unix)]
fn fake_spin(folder: &Path, finds_errors: bool) {
    use std::os::unix::fs::PermissionsExt as _;
    let errors = if finds_errors { "1" } else { "0" };
    let spin = "if [ \"$1\" = -V ]; then echo 'Spin Version 0'; fi";
    let compiler = format!(
        "cat > pan <<'END'\n#!/bin/sh\n\
         if grep -q 'Q = [123]\\.' model.pml; then\n\
         echo 'pan:1: invalid end state'; echo 'depth reached 5, errors: {errors}'\n\
         echo '  42 states, stored'\n\
         else while :; do :; done; fi\nEND\nchmod +x pan"
    );
    for (name, lines) in [("spin", spin), ("cc", &compiler)] {
        let path = file(folder, name, format!("#!/bin/sh\n{lines}\n"));
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    }
}

#[cfg(unix)]
fn with_fake_spin(name: &str, finds_errors: bool) -> Output {
    let folder = folder(name);
    fake_spin(&folder, finds_errors);
    let ping = file(&folder, "ping.ser", PING);
    assert!(ser().is_file());
    let path = format!("{}:/usr/bin:/bin", text(&folder));
    let arguments =
        ["sequentialize", &ping, "--repeat", "1", "--spin-timeout", "0.5", "--format", "json"];
    ser_with(&arguments, b"", &[("PATH", &path)])
}

#[test]
#[cfg(unix)]
fn the_size_at_which_spin_gives_up_is_found() {
    let output = with_fake_spin("bench_sequentialize_wall", false);
    assert_eq!(output.code, Some(0), "{output:?}");
    let report = json(&output);
    let wall = &report["spin_walls"][0];
    assert_eq!(wall["Spin_gives_up_at_n"], "4 (time)", "{wall:#}");
    let runs = report["rows"].as_array().expect("a list");
    let ends: Vec<&str> = runs.iter().filter_map(|run| run["spin"].as_str()).collect();
    assert_eq!(ends, ["clean", "clean", "clean", "time"], "{report:#}");
    assert_eq!((&runs[2]["states"], &wall["compared"]), (&42.into(), &3.into()));
}

#[test]
#[cfg(unix)]
fn a_spin_that_says_something_else_is_a_contradiction() {
    let output = with_fake_spin("bench_sequentialize_contradiction", true);
    assert_eq!(output.code, Some(1), "{output:?}");
    let report = json(&output);
    let contradictions = report["contradictions"].as_array().expect("a list");
    let first = contradictions[0].as_str().expect("a text");
    assert!(first.ends_with("with Q=1: we say verified, Spin says: invalid end state"), "{first}");
    assert_eq!(contradictions.len(), 3);
}
