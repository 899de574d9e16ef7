//! Every optimisation can be switched off; no answer becomes wrong.

use crate::common::{examples, file_name, sources, text};
use clap::ValueEnum as _;
use ser::cli::{SwitchName, WithoutArgs};
use ser_base::Limits;
use ser_serializability_search::{Options, RefuteOptions};
use ser_session::{Verdict, check_file};
use std::sync::atomic::{AtomicUsize, Ordering};

fn options(without: Vec<SwitchName>) -> Options {
    let args = WithoutArgs { without };
    Options {
        reductions: args.reductions(),
        inclusion: args.inclusion(),
        arithmetic: args.arithmetic(),
        rules: args.rules(),
        // Less than usual: what is found is found early.
        refute: RefuteOptions { max_states: 10_000, ..RefuteOptions::default() },
        ..Options::default()
    }
}

/// Whether it is serializable, if that is known. An answer that the checker rejects fails.
fn answer(path: &str, options: &Options) -> Option<bool> {
    let limits = Limits::default().with_timeout(std::time::Duration::from_secs(20));
    match check_file(path, options, &limits, &|_| {}).verdict {
        Verdict::Serializable { .. } => Some(true),
        Verdict::NotSerializable { .. } => Some(false),
        Verdict::Unknown(_) | Verdict::TooLarge(..) => None,
        other => panic!("{path}: {other:?}"),
    }
}

#[test]
fn no_switch_makes_an_answer_wrong() {
    let all = SwitchName::value_variants();
    let mut files = sources(&examples());
    // Its counterexample takes a long search, whatever is switched off.
    files.retain(|path| file_name(path) != "ticket_lock_wraps.ser");
    let (next, lost) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let check = |path: &str| {
        let expected = answer(path, &options(Vec::new()));
        assert!(expected.is_some(), "{path}");
        // Without rules and what comes before them, so that the other switches matter; unless rules
        // are all there is.
        let mut base = vec![SwitchName::NoYield, SwitchName::Rules];
        if answer(path, &options(base.clone())).is_none() {
            base.clear();
        }
        for switch in all {
            let found = answer(path, &options([base.as_slice(), &[*switch]].concat()));
            assert!(found.is_none() || found == expected, "{path} without {switch:?}: {found:?}");
            lost.fetch_add(usize::from(found.is_none()), Ordering::Relaxed);
        }
        let found = answer(path, &options(all.to_vec()));
        assert!(found.is_none() || found == expected, "{path} without anything: {found:?}");
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    check(&text(path));
                }
            });
        }
    });
    let lost = lost.into_inner();
    assert!(lost < 60, "{lost} answers are lost by a single switch");
}

#[test]
fn each_switch_switches_one_thing_off() {
    let all = options(Vec::new());
    let mut seen = Vec::new();
    for switch in SwitchName::value_variants() {
        let without = options(vec![*switch]);
        assert_ne!(without, all, "{switch:?} does nothing");
        assert!(!seen.contains(&without), "{switch:?} does what another one does");
        seen.push(without);
    }
    assert_eq!(seen.len(), 31);
}
