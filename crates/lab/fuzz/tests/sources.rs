//! The sources that certificates are tried on are what they are said to be.

use ser_base::Limits;
use ser_fuzz::readers::{INVARIANT_SOURCES, PROTOCOL_SOURCES, SOURCES};
use ser_invariance_search::answer::{Effort, answer};
use ser_invariance_search::explore::{Bounds, explore};
use ser_invariance_search::prove::Options;
use ser_oracle::{Findings, ProgramNetwork, SystemNetwork, compare};
use std::collections::BTreeSet;

#[test]
fn sources_that_are_called_broken_are() {
    for source in SOURCES {
        let text = source.text;
        let found = match text.starts_with('{') {
            true => compare(&mut SystemNetwork::read(text).expect("a system"), 6, 200_000),
            false => {
                let program = ser_syntax::parse(text).program;
                compare(&mut ProgramNetwork::new(&program).expect("no errors"), 6, 200_000)
            }
        };
        match found.expect("small values") {
            Findings::Broken { .. } => assert!(!source.serializable, "{text}"),
            Findings::Unbroken { requests } => {
                assert!(source.serializable && requests >= 3, "{requests} requests: {text}");
            }
        }
    }
}

/// What is said to hold is proved, and of everything else there is a run of few threads that shows
/// why not.
#[test]
fn invariants_hold_exactly_if_they_are_said_to() {
    for source in INVARIANT_SOURCES {
        let text = source.text;
        let parsed = ser_syntax::inv::parse(text);
        assert!(!parsed.has_errors(), "{text}\n{:?}", parsed.diagnostics);
        let system = &parsed.system;
        let all: BTreeSet<&str> =
            system.invariants.iter().map(|it| it.name.text.as_str()).collect();
        let effort = Effort { states: 1000, ..Effort::default() };
        let found = answer(text, system, &Options::default(), &effort, &Limits::default());
        let proved = found.proofs.invariants.iter().filter(|it| it.proved);
        let proved: BTreeSet<&str> = proved
            .map(|it| system.invariants[it.invariant.0 as usize].name.text.as_str())
            .collect();
        let (mut violated, mut faulty) = (BTreeSet::new(), false);
        for threads in 1..=system.threads.unwrap_or(2) {
            if system.threads.is_none_or(|fixed| fixed == threads) {
                let bounds = Bounds { threads, states: 3000, ..Bounds::default() };
                let explored = explore(system, &bounds, &Limits::default());
                let names = explored.violations.iter().map(|it| it.invariant.0 as usize);
                violated.extend(names.map(|it| system.invariants[it].name.text.as_str()));
                faulty |= !explored.faults.is_empty();
            }
        }
        assert_eq!(proved, source.hold.iter().copied().collect(), "proved: {text}");
        assert_eq!(violated, all.difference(&proved).copied().collect(), "violated: {text}");
        // A proof of safety may rest on an invariant that does not hold, and then there is none.
        assert!(source.safe || !found.proofs.safety.proved, "{text}");
        assert_eq!(faulty, !source.safe, "{text}");
    }
}

/// With few members of each set.
#[test]
fn protocols_go_wrong_exactly_as_they_are_said_to() {
    use ser_base::Limits;
    use ser_sequentialization_search::explore::explore;
    for source in PROTOCOL_SOURCES {
        let text = source.text;
        let parsed = ser_syntax::icet::parse(text);
        assert!(!parsed.has_errors(), "{text}\n{:?}", parsed.diagnostics);
        let (mut waits, mut superfluous, mut fails) = (false, false, BTreeSet::new());
        for size in 1..=2 {
            let sizes: Vec<u32> = parsed.protocol.sets.iter().map(|_| size).collect();
            let explored = explore(&parsed.protocol, &sizes, &Limits::default());
            assert!(explored.complete(), "{:?}: {text}", explored.stopped);
            waits |= explored.findings.deadlock.is_some();
            superfluous |= explored.findings.orphan.is_some();
            fails.extend(explored.findings.failing.iter().map(|it| it.0));
        }
        assert_eq!((waits, superfluous), (source.waits, source.superfluous), "{text}");
        assert_eq!(fails, source.fails.iter().copied().collect(), "{text}");
    }
}
