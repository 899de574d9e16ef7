//! The encoding against explicit enumeration, with every option.

use crate::common::{grown_net, mark_safe, transitions, truth};
use ser_base::Limits;
use ser_reachability_search::{
    Encoding, Explored, Net, OrderMethod, Outcome, Tracer, TransitionId,
};

/// All combinations of the options.
fn all_options() -> Vec<Encoding> {
    let mut all = Vec::new();
    for safe_places in [true, false] {
        for order in [OrderMethod::Eliminate, OrderMethod::Lazy] {
            for static_order in [true, false] {
                for values in [true, false] {
                    let single_links = all.len() % 3 != 0;
                    all.push(Encoding { safe_places, order, static_order, values, single_links });
                }
            }
        }
    }
    all
}

/// Asks for a target; a trace has to be one, and its execution has to be one.
fn ask(tracer: &mut Tracer, net: &Net, target: TransitionId, seed: u64) -> Result<(), Vec<usize>> {
    match tracer.solve_for(net, &[target], &Limits::default()) {
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

/// Every version of a net, encoded at once and one after the other. Nets whose executions are too
/// many are left out; returns whether it was used.
fn compare(seed: u64, options: &[Encoding]) -> bool {
    let mut versions = grown_net(seed);
    let truths: Option<Vec<Explored>> = versions.iter().map(truth).collect();
    let Some(truths) = truths else {
        return false;
    };
    let unsafe_places = truths.iter().flat_map(|truth| &truth.unsafe_places).copied().collect();
    versions.iter_mut().for_each(|net| mark_safe(net, &unsafe_places));
    let limits = Limits::default();
    for options in options {
        let mut step_by_step = Tracer::new(options.clone());
        for (version, net) in versions.iter().enumerate() {
            let mut at_once = Tracer::new(options.clone());
            at_once.extend(net, &limits).expect("small");
            step_by_step.extend(net, &limits).expect("small");
            for tracer in [&mut at_once, &mut step_by_step] {
                for target in transitions(net) {
                    let what = format!("net {seed}, version {version}, {target:?}, {options:?}");
                    let answer = ask(tracer, net, target, seed);
                    assert_eq!(
                        answer.is_ok(),
                        truths[version].reachable.contains(&target),
                        "{what}"
                    );
                    if answer == Err(Vec::new()) {
                        // Nothing was left out for this answer: it has to hold for later versions,
                        // too.
                        let mut later = truths[version..].iter();
                        assert!(!later.any(|truth| truth.reachable.contains(&target)), "{what}");
                    }
                    if version + 1 == versions.len() && answer.is_err() {
                        assert_eq!(answer, Err(Vec::new()), "nothing is left out: {what}");
                    }
                }
            }
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

/// In this net, transitions turn out to be dead only in the last version; their order, which is
/// none, once made the whole formula contradictory.
#[test]
fn a_net_whose_transitions_die_late_is_decided_as_by_enumeration() {
    assert!(compare(13_830, &all_options()));
}
