//! The hypotheses of a tree against the complete runs of random nets: whatever the rules suppose
//! must be true of every run, in at least one of the children of a node.

use super::counts::{Counts, divide, state_equation};
use super::cut::cut;
use super::numbered::{Numbered, Spot};
use super::rational::Rational;
use super::scope::Scope;
use crate::format::{CutPlace, EffectName, End, PlaceName, TransitionName};
use crate::hypothesis;
use crate::meter::Meter;
use crate::names::{Names, Place};
use crate::net::{Effect, Net};
use crate::random_mover_tests::{NAMES, net};
use crate::random_tests::{config, deterministic};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use ser_base::Limits;
use ser_model::{NetworkSystem, read_json};
use std::cell::Cell;
use std::collections::BTreeMap;

/// Complete runs of up to three requests and seven transitions, as numbers of transitions.
fn complete_runs(net: &Net, most: usize) -> Vec<Vec<usize>> {
    let mut runs = Vec::new();
    let mut todo = vec![(net.initial, Vec::<Place>::new(), 0, Vec::new())];
    while let Some((global, places, arrived, run)) = todo.pop() {
        if places.is_empty() {
            runs.push(run.clone());
        }
        if runs.len() >= most || run.len() == 7 {
            continue;
        }
        for (i, t) in net.transitions().iter().enumerate().filter(|(_, t)| t.before == global) {
            let (mut places, mut arrived, mut run) = (places.clone(), arrived, run.clone());
            match t.take {
                Some(p) => match places.iter().position(|q| *q == p) {
                    Some(at) => drop(places.remove(at)),
                    None => continue,
                },
                None => arrived += 1,
            }
            places.extend(t.put());
            run.push(i);
            if arrived <= 3 {
                todo.push((t.after, places, arrived, run));
            }
        }
    }
    runs
}

fn place_name(p: Place, system: &NetworkSystem) -> PlaceName {
    PlaceName(system.request_name(p.request).into(), system.local_name(p.local).into())
}

fn names_of(net: &Net, names: &Names<'_>) -> Vec<TransitionName> {
    let system = names.system();
    let name = |t: &crate::net::Transition| TransitionName {
        before: system.global_name(t.before),
        takes: t.take.map(|p| place_name(p, system)),
        after: system.global_name(t.after),
        effect: match t.effect {
            Effect::Place(p) => EffectName::Gives(place_name(p, system)),
            Effect::Outcome(l) => EffectName::Responds(super::numbered::letter_name(l, names)),
        },
    };
    net.transitions().iter().map(name).collect()
}

fn cut_place(spot: Spot, system: &NetworkSystem) -> CutPlace {
    match spot {
        Spot::Global(g) => CutPlace::Global { global: system.global_name(g) },
        Spot::InFlight(p) => {
            let PlaceName(request, local) = place_name(p, system);
            CutPlace::InFlight { request, local }
        }
    }
}

/// How often each transition fires in a part of a run, by the names of variables.
fn values(run: &[usize], name: impl Fn(usize) -> String) -> BTreeMap<String, i64> {
    let mut counts = BTreeMap::new();
    for i in run {
        *counts.entry(name(*i)).or_insert(0) += 1;
    }
    counts
}

#[test]
fn what_is_supposed_is_true_of_every_run() {
    let system = read_json(NAMES).expect("a system");
    let names = Names::new(&system);
    let (cuts, phases) = (Cell::new(0), Cell::new(0));
    let mut runner = TestRunner::new_with_rng(config(200), deterministic());
    let result = runner.run(&(net(), any::<u64>()), |(net, bits)| {
        let limits = Limits::default();
        let mut meter = Meter::new(&limits);
        let list = names_of(&net, &names);
        let numbered = Numbered::new(&list, &net, &names, &mut meter).expect("all of them");
        for run in complete_runs(&net, 40) {
            let end = run.last().map_or(net.initial, |i| numbered.transitions[*i].after);
            prop_assert!(numbered.finals().contains(&end));
            let mut scope = Scope::default();
            let counts = Counts::of_run(&numbered, &mut scope, &mut meter).expect("new");
            // The same where it is not said where the run ends.
            let told = (bits >> 63 == 0).then_some(end);
            state_equation(&numbered, &counts, told, &mut scope, &mut meter).expect("new");
            let mut known = values(&run, hypothesis::count);
            let broken = scope.broken(&|name| known.get(name).copied().unwrap_or(0));
            prop_assert_eq!(broken, None, "{:?} {:?}", run, net);

            // Any set of places without the one that is marked, at either end of the run or of
            // its parts around the last occurrence of any transition.
            let check = |side: End,
                         counts: &Counts,
                         scope: &Scope,
                         known: &BTreeMap<String, i64>,
                         meter: &mut Meter<'_>| {
                let marked = match side {
                    End::Start => Some(net.initial),
                    End::End => told,
                };
                let chosen = |(i, spot): &(usize, &Spot)| {
                    let may_be_marked = match spot {
                        Spot::Global(g) => marked.is_none_or(|marked| marked == *g),
                        Spot::InFlight(_) => false,
                    };
                    bits >> (i % 63) & 1 == 1 && !may_be_marked
                };
                let spots = numbered.spots.keys().enumerate().filter(chosen);
                let places: Vec<CutPlace> = spots.map(|(_, s)| cut_place(*s, &system)).collect();
                let cut = cut(&places, side, told, &numbered, counts, &names, meter)
                    .expect("empty places");
                let value = |name: &str| known.get(name).copied().unwrap_or(0);
                let none = scope.value(&cut.none, &value).is_zero();
                let some = !scope.value(&cut.some, &value).is_negative();
                cuts.set(cuts.get() + u32::from(!none));
                none || some
            };
            for side in [End::Start, End::End] {
                prop_assert!(check(side, &counts, &scope, &known, &mut meter), "{:?}", run);
            }
            for k in 0..numbered.transitions.len() {
                let Some(last) = run.iter().rposition(|i| *i == k) else { continue };
                phases.set(phases.get() + 1);
                let mark = scope.mark();
                let phase = divide(&numbered, &counts, k, "p", &mut scope, &mut meter);
                let phase = phase.expect("new");
                let after = run.get(last + 1..).unwrap_or_default();
                let more = values(after, |i| hypothesis::phase_count("p", i));
                let old = known.clone();
                known.extend(more);
                let broken = scope.broken(&|name| known.get(name).copied().unwrap_or(0));
                prop_assert_eq!(broken, None, "{:?} {:?} {:?}", k, run, net);
                prop_assert!(check(End::Start, &phase.first, &scope, &known, &mut meter));
                prop_assert!(check(End::End, &phase.second, &scope, &known, &mut meter));
                let value = |name: &str| known.get(name).copied().unwrap_or(0);
                for i in 0..numbered.transitions.len() {
                    let before = run.iter().take(last).filter(|j| **j == i).count() as i64;
                    let form = phase.first.get(i).expect("each");
                    prop_assert_eq!(scope.value(form, &value), Rational::from(before));
                }
                known = old;
                scope.forget(mark, &mut meter);
            }
        }
        Ok(())
    });
    result.expect("true of every run");
    // The test is worth nothing if these never happen.
    assert!(cuts.get() > 500, "{} cuts with takers", cuts.get());
    assert!(phases.get() > 500, "{} phases", phases.get());
}
