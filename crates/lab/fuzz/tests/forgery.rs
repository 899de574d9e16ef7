//! A short attack with forged certificates: every kind of statement, and no mutant accepted without
//! an argument that does not rest on the checker. The long one is `cargo run --release -p ser-fuzz
//! --bin forge`.

use ser_fuzz::Random;
use ser_fuzz::forgery::{Attack, Class, Effort, Report, Subject, Target, examples, judge, stored};
use serde_json::Value;

fn attack(effort: Effort, seed: u64, act: impl Fn(&mut Attack<'_>)) -> Report {
    let (mut donor, mut random) = (Value::Null, Random::new(seed));
    let mut report = Report::default();
    let random = &mut random;
    act(&mut Attack { effort, donor: &mut donor, random, report: &mut report });
    report
}

#[test]
fn forged_certificates_of_every_kind_prove_nothing_false() {
    let effort = Effort { mutants: 6, siblings: 1 };
    let report = attack(effort, 7, |attack| {
        for (text, genuine) in stored() {
            attack.on_stored(&text, &genuine);
        }
        for text in examples().iter().filter(|text| text.len() < 1_000) {
            attack.on_source(text);
        }
        // Rare among examples, and not every choice of switches leads there.
        for _ in 0..4 {
            attack.on_source("request main { X := X + 1; X }");
        }
    });
    assert!(report.scandals.is_empty(), "{report}");
    assert_eq!(report.missing(), Vec::<&str>::new(), "{report}");
    // This is a test of more than the reader: many mutants get past it, and some are right.
    assert!(report.tried >= 600 && report.rejected_with_place() >= 250, "{report}");
    assert!(report.accepted_in_all() >= 10, "{report}");
    assert!(report.targets.get(&Target::Opposite).is_some_and(|n| *n >= 100), "{report}");
}

#[test]
fn stored_certificates_are_genuine() {
    let all = stored();
    assert!(all.len() >= 10, "{}", all.len());
    for (text, genuine) in all {
        let subject = Subject::new(&text).expect("a small source");
        let accepted = subject.present(&genuine.cert).expect("a model");
        assert!(accepted.is_ok(), "{}: {accepted:?}", genuine.cert.source.file);
    }
}

#[test]
fn what_is_said_after_facts_is_about_those_who_may_complete() {
    let cert = |text: &str, reductions: &str| {
        let digest = ser_serializability_checker::digest(text.as_bytes());
        let text = format!(
            r#"{{"format": "ser-certificate", "version": 1, "source": {{"file": "p", "sha256": "{digest}"}},
                "verdict": "serializable", "proof": {{"method": "rules", "reductions": [{reductions}],
                "after": []}}}}"#
        );
        ser_serializability_checker::read(&text).expect("readable")
    };
    let counts = r#"{"facts": [{"variable": "S", "amounts": []}]}"#;
    // Nobody ever gets past the last line, so nothing is left, and of nothing `S` counts nothing.
    let text = "request r { assume(S < 1); S := 1; yield; assume(T != 0); S := 0; 0 }";
    let subject = Subject::new(text).expect("a small program");
    let genuine = cert(text, r#"{"facts": []}"#);
    for reductions in [counts.to_owned(), format!(r#"{{"facts": []}}, {counts}"#)] {
        let mutant = cert(text, &reductions);
        assert!(subject.present(&mutant).is_some_and(|answer| answer.is_ok()));
        assert_eq!(judge(&subject, &mutant, &genuine), Ok(Class::Tried));
    }
    // Where requests complete, `S` does not count nothing, and both say so.
    let text = "request r { assume(S < 1); S := 1; yield; S := 0; 0 }";
    let subject = Subject::new(text).expect("a small program");
    let (genuine, wrong) = (cert(text, r#"{"facts": []}"#), cert(text, counts));
    assert!(subject.present(&wrong).is_some_and(|answer| answer.is_err()));
    assert!(judge(&subject, &wrong, &genuine).is_err());
}
