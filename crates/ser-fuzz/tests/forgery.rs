//! A short attack with forged certificates: every kind of statement, and no mutant accepted without an
//! argument that does not rest on the checker. The long one is `cargo run --release -p ser-fuzz --bin forge`.

use ser_fuzz::Random;
use ser_fuzz::forgery::{Attack, Effort, Report, Subject, Target, examples, stored};
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
    let effort = Effort { mutants: 12, siblings: 1 };
    let report = attack(effort, 7, |attack| {
        for (text, genuine) in stored() {
            attack.on_stored(&text, &genuine);
        }
        for text in examples().iter().filter(|text| text.len() < 1_600) {
            attack.on_source(text);
        }
    });
    assert!(report.scandals.is_empty(), "{report}");
    assert_eq!(report.missing(), Vec::<&str>::new(), "{report}");
    // This is a test of more than the reader: many mutants get past it, and some are right.
    assert!(report.tried >= 1_000 && report.rejected_with_place() >= 500, "{report}");
    assert!(report.accepted_in_all() >= 20, "{report}");
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
