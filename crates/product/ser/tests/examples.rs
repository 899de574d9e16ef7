//! Every example says what to expect of it, and gets it.

use crate::common::{examples, file_name, ser, sources, text};
use ser_base::Limits;
use ser_serializability_search::Options;
use ser_session::source::ModelError;
use ser_session::{Verdict, check_file};
use std::path::Path;

/// Examples whose counterexamples have so many requests that nobody knows whether fewer would do.
const MANY_REQUESTS: &[&str] = &["connection_limit.ser"];

/// Serializable, but there is no proof yet. An entry that has become proved must go.
const NOT_YET_PROVED: &[&str] = &[];

/// What a file says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    Serializable,
    NotSerializable { requests: usize },
}

/// Reads `// expect: ...` on the first line of a program, or `_expect` in a system.
fn expected(path: &Path) -> Expected {
    let content = std::fs::read_to_string(path).expect("a readable example");
    let name = file_name(path);
    let words = if path.extension().is_some_and(|e| e == "json") {
        let value: serde_json::Value = serde_json::from_str(&content).expect("an example in JSON");
        value["_expect"].as_str().unwrap_or_else(|| panic!("{name}: no `_expect`")).to_owned()
    } else {
        let first = content.lines().next().unwrap_or_default();
        let words = first.strip_prefix("// expect: ");
        words.unwrap_or_else(|| panic!("{name}: the first line is no `// expect: ...`")).to_owned()
    };
    if words == "serializable" {
        return Expected::Serializable;
    }
    let number = words.strip_prefix("not_serializable, ").and_then(|w| {
        w.strip_suffix(" requests").or_else(|| w.strip_suffix(" request"))?.parse().ok()
    });
    match number {
        Some(requests) => Expected::NotSerializable { requests },
        None => panic!("{name}: cannot understand `expect: {words}`"),
    }
}

#[test]
fn every_example_has_an_expectation() {
    let files = sources(&examples());
    assert!(files.len() >= 15, "only {} examples", files.len());
    let expectations: Vec<Expected> = files.iter().map(|path| expected(path)).collect();
    let broken = expectations.iter().filter(|e| **e != Expected::Serializable).count();
    assert!(broken >= 5 && files.len() - broken >= 5, "examples of both kinds");
    assert!(files.iter().any(|f| f.extension().is_some_and(|e| e == "json")), "a JSON example");
}

#[test]
fn every_example_gives_what_it_promises() {
    let mut wrong = Vec::new();
    let mut unproved = Vec::new();
    for path in sources(&examples()) {
        let name = file_name(&path);
        let limits = Limits::default();
        let report = check_file(&text(&path), &Options::default(), &limits, &|_| {});
        let found = match &report.verdict {
            Verdict::Serializable { .. } => Ok(Expected::Serializable),
            Verdict::NotSerializable { refutation, .. } => {
                if refutation.fewest == MANY_REQUESTS.contains(&name) {
                    wrong.push(format!("{name}: fewest: {}", refutation.fewest));
                }
                Ok(Expected::NotSerializable { requests: refutation.requests })
            }
            Verdict::Unknown(_) | Verdict::TooLarge(_) => Err(()),
            other => {
                wrong.push(format!("{name}: {other:?}"));
                continue;
            }
        };
        match (expected(&path), found) {
            (Expected::Serializable, Err(())) => unproved.push(name.to_owned()),
            (expected, found) if found == Ok(expected) => {}
            (expected, found) => wrong.push(format!("{name}: expected {expected:?}, {found:?}")),
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert_eq!(unproved, NOT_YET_PROVED, "(left: without a proof now; right: the list)");
}

/// Examples teach; a warning in one of them must be what it teaches.
#[test]
fn only_the_examples_that_are_about_a_warning_have_one() {
    // The locks of `early_release` are so short that nobody ever finds one taken.
    const WITH_WARNINGS: &[&str] = &["early_release.ser", "never_completes.ser"];
    let mut warned = Vec::new();
    for path in sources(&examples()) {
        let source = ser_session::source::read(&text(&path), &Limits::default())
            .expect("a readable example");
        match ser_session::source::model(&source, &Limits::default()) {
            Ok((_, warnings)) if warnings.is_empty() => {}
            Ok(_) => warned.push(file_name(&path).to_owned()),
            Err(ModelError::Explore(_)) => assert!(NOT_YET_PROVED.contains(&file_name(&path))),
            Err(ModelError::Source(error)) => panic!("{}: {error:?}", file_name(&path)),
        }
    }
    assert_eq!(warned, WITH_WARNINGS);
}

/// Programs with claims are asked a second question, and say what comes out.
#[test]
fn what_can_fail_is_said() {
    let mut asked = 0;
    for path in sources(&examples()) {
        let content = std::fs::read_to_string(&path).expect("a readable example");
        let promised = content.lines().nth(1) == Some("// also: it can fail");
        let output = ser(&["check", "--format", "json", &text(&path)]);
        let verdicts = output.stdout.lines().skip(1).map(|line| {
            let report: serde_json::Value = serde_json::from_str(line).expect("a report");
            (report["question"].clone(), report["verdict"].clone())
        });
        // What is claimed besides holds in all examples.
        let (verdicts, claims): (Vec<_>, Vec<_>) =
            verdicts.partition(|(question, _)| question == "assertions");
        for (question, verdict) in claims {
            let holds = ["proved", "unreachable", "deadlock_free"].iter().any(|it| verdict == *it);
            assert!(holds, "{path:?}: {question}: {verdict}");
        }
        let expected = match (promised, verdicts.is_empty()) {
            (true, _) => vec![("assertions".into(), "can_fail".into())],
            (false, true) => Vec::new(),
            (false, false) => vec![("assertions".into(), "never_fails".into())],
        };
        assert_eq!(verdicts, expected, "{path:?}");
        asked += expected.len();
    }
    assert!(asked >= 8, "only {asked} programs have claims");
}
