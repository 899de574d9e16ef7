//! A proof by rules, held against the runs of the program's network system.
//!
//! Local states that the network system does not have are never reached, so what is said about them
//! does not matter. What is said after `facts` is about those who may still complete.

use super::{Claim, Ground, LONG, WIDE};
use crate::forgery::net::{Effect, Place, place, request_id};
use crate::forgery::runs::{Letters, Run, complete_runs, configurations};
use ser_model::RequestId;
use ser_serializability_checker::{Count, PlaceName, RuleProof, RuleReduction};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn try_all(proof: &RuleProof, ground: &Ground<'_>) -> Claim {
    if !proof.opaque.is_empty() {
        // It speaks of other requests and states: whether the verdict is true has to do.
        return Claim::TooMuch;
    }
    let mut net = ground.net.clone();
    for reduction in &proof.reductions {
        match reduction {
            RuleReduction::Stuttering => {
                let stuttering = [ser_serializability_checker::Reduction::Stuttering];
                net = net.reduced(&stuttering, ground.system).unwrap_or(net);
            }
            RuleReduction::Defer(entry) => {
                let deferral = [ser_serializability_checker::Reduction::Defer(entry.clone())];
                net = net.reduced(&deferral, ground.system).unwrap_or(net);
            }
            RuleReduction::Facts(counts) => {
                let Some(all) = configurations(&net, WIDE, &|_| None) else {
                    return Claim::TooMuch;
                };
                let configurations: BTreeSet<_> =
                    all.into_iter().map(|(g, flying, _)| (g, flying)).collect();
                for (global, flying) in &configurations {
                    let values = ground.system.valuation(*global);
                    if let Some(wrong) =
                        counts.iter().find(|count| !counts_right(count, values, flying, ground))
                    {
                        let shown = format!("{} at {global:?}, {flying:?}", wrong.variable);
                        return Claim::Fails(format!("this does not count: {shown}"));
                    }
                }
                net = net.without_dead_ends();
            }
        }
    }
    let after: BTreeSet<Place> =
        proof.after.iter().filter_map(|name| place(name, ground.system)).collect();
    let runs = complete_runs(&net, LONG);
    let readers: BTreeSet<RequestId> =
        proof.readers.iter().filter_map(|it| request_id(&it.request, ground.system)).collect();
    match runs.iter().find(|run| !serial_by_effect(run, &after, &readers, ground)) {
        None => Claim::Holds,
        Some(run) => Claim::Fails(format!("not serial in the order of effects: {run:?}")),
    }
}

/// Whether a variable has its first value, plus the amounts of all requests in flight.
fn counts_right(count: &Count, values: &[i64], flying: &[Place], ground: &Ground<'_>) -> bool {
    let system = ground.system;
    let Some(at) = system.variables().iter().position(|v| v.name == count.variable) else {
        return false;
    };
    let first = system.valuation(system.initial_global());
    let mut amounts: BTreeMap<Place, i128> = BTreeMap::new();
    for entry in &count.amounts {
        let name = PlaceName(entry.request.clone(), entry.local.clone());
        if let Some(place) = place(&name, system) {
            amounts.insert(place, entry.amount.into());
        }
    }
    let sum: i128 = flying.iter().filter_map(|place| amounts.get(place)).sum();
    match (values.get(at), first.get(at)) {
        (Some(value), Some(first)) => i128::from(*value) == i128::from(*first) + sum,
        _ => false,
    }
}

/// Whether the requests can run one after the other, in the order of their commit points, each
/// with the response that it has in the run. Readers come in somewhere, perhaps in another order.
fn serial_by_effect(
    run: &Run,
    after: &BTreeSet<Place>,
    readers: &BTreeSet<RequestId>,
    ground: &Ground<'_>,
) -> bool {
    let mut order: Vec<usize> = Vec::new();
    let mut letters = BTreeMap::new();
    for (t, request) in &run.steps {
        let effective = t.put().is_none_or(|place| after.contains(&place));
        if effective && !order.contains(request) {
            order.push(*request);
        }
        if let Effect::Letter(letter) = t.effect {
            letters.insert(*request, letter);
        }
    }
    let word = order.iter().filter_map(|request| letters.get(request).copied());
    let (read, word): (Letters, Letters) = word.partition(|letter| readers.contains(&letter.0));
    let all: Letters = read.iter().chain(&word).copied().collect();
    ground.serial.has_word(&word) && (read.is_empty() || ground.serial.has_outcome(&all))
}
