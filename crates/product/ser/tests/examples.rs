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
            Verdict::Unknown(_) | Verdict::TooLarge(..) => Err(()),
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
            // Values without end: what is proved of it is proved without its states.
            Err(ModelError::Explore(_)) => {}
            Err(ModelError::Source(error)) => panic!("{}: {error:?}", file_name(&path)),
        }
    }
    assert_eq!(warned, WITH_WARNINGS);
}

/// What comes out of the questions besides the first one, in the words of the examples; nothing if
/// it is good news.
fn news(report: &serde_json::Value) -> Option<String> {
    let name = || report["name"].as_str().unwrap_or_default();
    match report["verdict"].as_str().unwrap_or_default() {
        "never_fails" | "proved" | "unreachable" | "deadlock_free" => None,
        "can_fail" => Some("it can fail".to_owned()),
        "can_deadlock" => Some("somebody can wait forever".to_owned()),
        "reachable" => Some(format!("reachable \"{}\"", name())),
        "refuted" => Some(format!("refuted {}", name())),
        other => Some(other.to_owned()),
    }
}

/// What else a file asks, and whether it can fail: `// also: ...` below the first line has what is
/// no good news.
#[test]
fn other_questions_have_the_answers_that_are_promised() {
    let (mut wrong, mut asked) = (Vec::new(), 0);
    for path in sources(&examples()) {
        let content = std::fs::read_to_string(&path).expect("a readable example");
        let promised = content.lines().skip(1).map_while(|line| line.strip_prefix("// also: "));
        let promised: Vec<&str> = promised.collect();
        let output = ser(&["check", "--format", "json", &text(&path)]);
        let reports = output.stdout.lines().skip(1);
        let reports: Vec<serde_json::Value> =
            reports.map(|line| serde_json::from_str(line).expect("a report")).collect();
        asked += reports.len();
        let found: Vec<String> = reports.iter().filter_map(news).collect();
        if promised != found {
            wrong.push(format!("{}: promised {promised:?}, found {found:?}", file_name(&path)));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(asked >= 70, "only {asked} more questions");
}
