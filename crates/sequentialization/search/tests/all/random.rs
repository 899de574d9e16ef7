//! Random protocols, as the explorer sees them.

use crate::common::{parse, sizes};
use ser_base::Limits;
use ser_generators::protocols::{Change, random_protocol, sound_protocol};
use ser_sequentialization_search::explore::{Coverage, Exploration, Findings, explore_with};
use ser_syntax::icet::ast::Protocol;
use std::collections::BTreeSet;

fn explore(protocol: &Protocol, sizes: &[u32], reduce: bool) -> Exploration {
    let limits = Limits { max_states: 20_000, ..Limits::default() };
    explore_with(protocol, sizes, Coverage { reduce, ..Coverage::default() }, &limits)
}

fn kinds(findings: &Findings) -> [bool; 4] {
    [
        findings.deadlock.is_some(),
        findings.failure.is_some(),
        findings.orphan.is_some(),
        findings.blocked.is_some(),
    ]
}

#[test]
fn what_is_put_together_from_sound_conversations_has_no_deadlock() {
    let mut complete = 0;
    for seed in 0..300 {
        let text = sound_protocol(seed).text;
        let protocol = parse(&text);
        for most in 0..=2 {
            let sizes = sizes(&protocol, most);
            let exploration = explore(&protocol, &sizes, true);
            let findings = &exploration.findings;
            complete += usize::from(exploration.complete());
            assert!(
                findings.deadlock.is_none()
                    && findings.orphan.is_none()
                    && (findings.blocked.is_none() || findings.failure.is_some()),
                "seed {seed} {sizes:?}:\n{text}\n{findings:#?}"
            );
        }
    }
    assert!(complete > 700, "{complete} of 900 instances are small enough");
}

#[test]
fn changes_of_all_kinds_happen_and_many_of_them_do_harm() {
    let (mut seen, mut wrong, mut changed) = (BTreeSet::new(), 0, 0);
    for seed in 0..600 {
        let random = random_protocol(seed);
        let protocol = parse(&random.text);
        if random.changes.is_empty() {
            continue;
        }
        changed += 1;
        seen.extend(random.changes);
        let bad =
            (0..=2).any(|most| !explore(&protocol, &sizes(&protocol, most), true).findings.none());
        wrong += usize::from(bad);
    }
    assert!(seen.len() == 13 && seen.contains(&Change::OtherSet), "{seen:?}");
    assert!(changed > 250 && wrong * 3 > changed && wrong < changed, "{wrong} of {changed}");
}

#[test]
fn leaving_out_interleavings_changes_nothing_that_is_reported() {
    let mut compared = 0;
    for seed in 1000..1400 {
        let text = random_protocol(seed).text;
        let protocol = parse(&text);
        for most in [1, 2] {
            let sizes = sizes(&protocol, most);
            let all = explore(&protocol, &sizes, false);
            let some = explore(&protocol, &sizes, true);
            if !all.complete() {
                continue;
            }
            compared += 1;
            let what = format!("seed {seed} {sizes:?}:\n{text}");
            assert!(some.complete(), "{what}");
            assert_eq!(some.finals, all.finals, "{what}");
            assert_eq!(kinds(&some.findings), kinds(&all.findings), "{what}");
            assert_eq!(some.findings.failing, all.findings.failing, "{what}");
        }
    }
    assert!(compared > 400, "{compared} of 800 instances were compared");
}
