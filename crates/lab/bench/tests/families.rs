//! The families of programs have the verdicts that they claim, where `ser` can tell.

use crate::common::{file, folder};
use crate::{bench, ser};
use ser_generators::families::{ALL, Family, FamilyError, MAX_N, Variant};
use serde_json::Value;
use std::process::{Command, Output};

/// Runs `ser`.
fn run(arguments: &[&str]) -> Output {
    Command::new(ser()).args(arguments).output().expect("`ser` runs")
}

/// What `ser check` says about a program.
fn check(name: &str, source: &str) -> Value {
    let path = file(&folder(&format!("families_{name}")), name, source);
    let output = run(&["check", "--format", "json", &path]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
}

#[test]
fn small_programs_of_all_families_have_their_verdicts() {
    for family in ALL {
        for n in 2..=4 {
            for variant in Variant::ALL {
                let source = family.program(n, variant).unwrap();
                let name = family.file_name(n, variant);
                let answer = check(&name, &source);
                assert_eq!(answer["verdict"], variant.verdict(), "{name}: {answer:#}");
                // A family teaches; a warning would say that it teaches something odd.
                assert_eq!(answer.get("warnings"), None, "{name}: {answer:#}");
            }
        }
    }
}

#[test]
fn the_counterexample_of_flip_has_two_flips_for_each_round() {
    let flip = ALL.into_iter().find(|f| f.name == "flip").unwrap();
    for n in 2..=4 {
        let answer = check(&format!("flip_{n}.ser"), &flip.program(n, Variant::Broken).unwrap());
        assert_eq!(answer["counterexample"]["requests"], 2 * n + 1);
    }
}

#[test]
fn the_largest_programs_are_programs() {
    let folder = folder("families_large");
    let n = MAX_N.to_string();
    let path = folder.to_str().unwrap();
    let output = bench(&["generate", "all", "--n", &n, "--out", path]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(output.stdout.lines().count(), 2 * ALL.len());
    for file in output.stdout.lines() {
        let output = run(&["show", "--stage", "ast", file]);
        assert!(output.status.success(), "{file}: {output:?}");
    }
}

#[test]
fn programs_are_printed_or_written() {
    let family = ALL[0];
    let output = bench(&["generate", family.name, "--n", "7"]);
    assert_eq!(output.stdout, family.program(7, Variant::Serializable).unwrap());
    let output = bench(&["generate", family.name, "--n", "7", "--broken"]);
    assert_eq!(output.stdout, family.program(7, Variant::Broken).unwrap());

    let output = bench(&["generate", "nonsense"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("help: `ser-bench families`"), "{}", output.stderr);
    for n in ["1", "0", "-3", "x", "99999999999999999999"] {
        assert_eq!(bench(&["generate", "counter", "--n", n]).code, Some(2), "{n}");
    }

    let output = bench(&["families"]);
    assert_eq!(output.stdout.lines().count(), ALL.len());
}

#[test]
fn names_are_unique_and_found() {
    for family in ALL {
        assert_eq!(Family::named(family.name).unwrap().summary, family.summary);
    }
    assert_eq!(
        Family::named("nonsense").unwrap_err(),
        FamilyError::NoSuchFamily("nonsense".into())
    );
}

#[test]
fn programs_grow_at_most_linearly() {
    for family in ALL {
        for variant in Variant::ALL {
            let length = |n| family.program(n, variant).unwrap().len();
            // Numbers have more digits when n is larger; that is all.
            assert!(length(800) < 9 * length(100), "{} {}", family.name, variant.name());
            assert!(length(MAX_N) < 4 << 20, "{} {}", family.name, variant.name());
        }
    }
}

#[test]
fn the_parameter_has_a_range() {
    for family in ALL {
        assert_eq!(
            family.program(1, Variant::Broken),
            Err(FamilyError::OutOfRange(1)),
            "{}",
            family.name
        );
        assert!(family.program(MAX_N + 1, Variant::Broken).is_err());
    }
}
