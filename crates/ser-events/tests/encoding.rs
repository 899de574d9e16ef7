//! The encoding against explicit enumeration, with every option.

mod common;

use common::{grown_net, mark_safe, transitions, truth};
use ser_events::{Encoder, Net, Options, OrderMethod, Outcome, TransitionId};
use ser_model::Limits;
use std::collections::BTreeSet;

/// All combinations of the options.
fn all_options() -> Vec<Options> {
    let mut all = Vec::new();
    for safe_places in [true, false] {
        for order in [OrderMethod::Eliminate, OrderMethod::Lazy] {
            for static_order in [true, false] {
                for values in [true, false] {
                    let single_links = all.len() % 3 != 0;
                    all.push(Options {
                        safe_places,
                        order,
                        static_order,
                        values,
                        single_links,
                        ..Options::default()
                    });
                }
            }
        }
    }
    all
}

/// Asks for a target; a trace has to be one, and its execution has to be one.
fn ask(
    encoder: &mut Encoder,
    net: &Net,
    target: TransitionId,
    seed: u64,
) -> Result<(), Vec<usize>> {
    match encoder.solve_for(net, &[target], &Limits::default()) {
        Outcome::Sat(trace) => {
            assert_eq!(trace.check(net), Ok(()), "net {seed}, {target:?}");
            assert!(trace.events.contains(&target), "net {seed}");
            let execution = trace.to_execution(net, &|t| t.index() % 2).expect("it was checked");
            assert_eq!(execution.check(net), Ok(trace.residual(net)), "net {seed}");
            assert_eq!(execution.events(), trace.events, "net {seed}");
            Ok(())
        }
        Outcome::Unsat { needed } => Err(needed),
        Outcome::Unknown(stop) => panic!("net {seed}: {stop}"),
    }
}

/// Nets whose executions are too many are left out; returns whether it was used.
fn compare(seed: u64, options: &[Options]) -> bool {
    let mut grown = grown_net(seed);
    let (Some(at_first), Some(in_the_end)) = (truth(&grown.small), truth(&grown.large)) else {
        return false;
    };
    mark_safe(&mut grown.large, &in_the_end.unsafe_places);
    let in_both: BTreeSet<_> =
        at_first.unsafe_places.union(&in_the_end.unsafe_places).copied().collect();
    mark_safe(&mut grown.small, &in_both);
    for options in options {
        let limits = Limits::default();
        let mut once = Encoder::new(options.clone());
        once.extend(&grown.large, &limits).expect("small");
        let mut twice = Encoder::new(options.clone());
        twice.extend(&grown.small, &limits).expect("small");
        for target in transitions(&grown.small) {
            let answer = ask(&mut twice, &grown.small, target, seed);
            let is_reachable = at_first.reachable.contains(&target);
            assert_eq!(answer.is_ok(), is_reachable, "net {seed} small, {target:?}, {options:?}");
            if answer == Err(Vec::new()) {
                // Nothing was left out for this answer: it has to hold for the large net, too.
                let later = in_the_end.reachable.contains(&target);
                assert!(!later, "net {seed} grown, {target:?}, {options:?}");
            }
        }
        twice.extend(&grown.large, &limits).expect("small");
        for target in transitions(&grown.large) {
            let expected =
                if in_the_end.reachable.contains(&target) { Ok(()) } else { Err(vec![]) };
            let answer = ask(&mut once, &grown.large, target, seed);
            assert_eq!(answer, expected, "net {seed} at once, {target:?}, {options:?}");
            let answer = ask(&mut twice, &grown.large, target, seed);
            assert_eq!(answer, expected, "net {seed} in two steps, {target:?}, {options:?}");
        }
    }
    true
}

#[test]
fn formulas_and_enumeration_agree_on_random_nets() {
    let options = all_options();
    let used = (0..4_000).filter(|seed| {
        // Every net with two of the combinations, one after the other.
        let first = *seed as usize * 2 % options.len();
        compare(*seed, &options[first..first + 2])
    });
    assert!(used.count() >= 3_000);
}

#[test]
fn all_options_agree_on_some_random_nets() {
    let options = all_options();
    let used = (10_000..10_400).filter(|seed| compare(*seed, &options));
    assert!(used.count() >= 300);
}
