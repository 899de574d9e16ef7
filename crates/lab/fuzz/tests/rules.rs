//! Programs without their global states: rules, parts, and proofs about rules, against everything
//! that says the same in another way.

use crate::inputs;
use crate::places::places_of;
use ser_base::Limits;
use ser_fuzz::{Finding, Findings, Random, brute_force, locking, program, try_program};
use ser_model::{GlobalId, LocalId, NetworkSystem, ProgramModel, RuleSystem, program_rules};
use ser_serializability_checker::{
    Amount, Certificate, Count, PlaceName, Proof, RuleProof, RuleReduction, Verdict,
};
use ser_serializability_search::Options;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

fn random_text(seed: u64) -> String {
    let random = &mut Random::new(seed ^ 0x5e1e);
    if seed.is_multiple_of(3) { program(random) } else { locking(random) }
}

// -----------------------------------------------------------------------------------
// Rules and steps

/// The pairs of local and global states that runs of few requests pass.
fn passed(system: &NetworkSystem, requests: usize) -> BTreeSet<(LocalId, GlobalId)> {
    type State = (GlobalId, Vec<LocalId>, usize);
    let mut seen: BTreeSet<State> = BTreeSet::new();
    let mut open: Vec<State> = vec![(system.initial_global(), Vec::new(), requests)];
    let mut pairs = BTreeSet::new();
    while let Some(state) = open.pop() {
        if seen.len() > 3_000 || !seen.insert(state.clone()) {
            continue;
        }
        let (global, flying, coming) = state;
        for (i, local) in flying.iter().enumerate() {
            pairs.insert((*local, global));
            for step in system.steps_at(*local, global) {
                let mut flying = flying.clone();
                flying[i] = step.to;
                flying.sort_unstable();
                open.push((step.after, flying, coming));
            }
        }
        if coming > 0 {
            for (_, local) in system.spawns() {
                let mut flying = flying.clone();
                flying.push(*local);
                flying.sort_unstable();
                open.push((global, flying, coming - 1));
            }
        }
    }
    pairs
}

/// A name without the number that tells local states of the same name apart.
fn base(name: &str) -> &str {
    name.split('~').next().unwrap_or(name)
}

/// Compares the steps of a system, where runs pass, with the rules. How many there were.
fn compare_steps(system: &NetworkSystem, rules: &RuleSystem, text: &str) -> usize {
    let frame = rules.frame();
    assert_eq!(system.requests(), frame.requests(), "{text}");
    assert_eq!(system.variables(), frame.variables(), "{text}");
    let first = frame.valuation(frame.initial_global());
    assert_eq!(system.valuation(system.initial_global()), first, "{text}");
    let mut globals: BTreeMap<LocalId, Vec<GlobalId>> = BTreeMap::new();
    for (local, global) in passed(system, 3) {
        globals.entry(local).or_default().push(global);
    }
    // Local states that are one and the same, found from the start on.
    assert_eq!(system.spawns().len(), frame.spawns().len(), "{text}");
    let spawns = system.spawns().iter().zip(frame.spawns());
    let mut open: Vec<(LocalId, LocalId)> = spawns.map(|((_, a), (_, b))| (*a, *b)).collect();
    let mut seen = BTreeSet::new();
    let mut steps = 0;
    while let Some((ours, theirs)) = open.pop() {
        if !seen.insert((ours, theirs)) {
            continue;
        }
        let responses = |s: &NetworkSystem, l| {
            s.replies_of(l).map(|r| s.response_name(r).to_owned()).collect::<BTreeSet<_>>()
        };
        assert_eq!(responses(system, ours), responses(frame, theirs), "{text}");
        for &global in globals.get(&ours).into_iter().flatten() {
            // By name and valuation afterwards; more than one if only a number tells them apart.
            type Targets<'a> = BTreeMap<(&'a str, Vec<i64>), BTreeSet<LocalId>>;
            let mut listed: Targets<'_> = BTreeMap::new();
            for s in system.steps_at(ours, global) {
                let key = (base(system.local_name(s.to)), system.valuation(s.after).to_vec());
                listed.entry(key).or_default().insert(s.to);
            }
            let before = system.valuation(global);
            // There are rules for known values only.
            let known = |(x, values): (&i64, &Vec<i64>)| values.contains(x);
            if !before.iter().zip(rules.values()).all(known) {
                assert!(rules.is_partial(), "{text}");
                continue;
            }
            let mut applied: Targets<'_> = BTreeMap::new();
            for rule in rules.rules_of(theirs) {
                let (reads, writes) = (&rule.footprint.reads, &rule.footprint.writes);
                // What is written back is not written.
                assert!(writes.iter().all(|w| !reads.contains(w)), "{rule:?}\n{text}");
                if reads.iter().all(|(v, x)| before[v.index()] == *x) {
                    let mut after = before.to_vec();
                    writes.iter().for_each(|(v, x)| after[v.index()] = *x);
                    let key = (base(frame.local_name(rule.to)), after);
                    applied.entry(key).or_default().insert(rule.to);
                }
            }
            let shape = |t: &Targets<'_>| {
                t.iter().map(|(k, l)| ((k.0.to_owned(), k.1.clone()), l.len())).collect::<Vec<_>>()
            };
            assert_eq!(shape(&listed), shape(&applied), "{}\n{text}", system.local_name(ours));
            steps += listed.len();
            for (a, b) in listed.values().zip(applied.values()) {
                if let (1, Some(a), Some(b)) = (a.len(), a.first(), b.first()) {
                    open.push((*a, *b));
                }
            }
        }
    }
    steps
}

#[test]
fn rules_are_the_steps_of_the_network_system() {
    let (mut compared, mut steps) = (0, 0);
    for seed in 0..inputs(300) {
        let text = random_text(seed);
        let tree = ser_syntax::parse(&text).program;
        let limits = Limits { max_states: 5_000, ..Limits::default() };
        let model = ProgramModel::new(&tree, &text, &limits);
        let (Ok(model), Ok(rules)) = (model, program_rules(&tree, &text, &limits)) else {
            continue;
        };
        steps += compare_steps(model.system(), &rules, &format!("seed {seed}\n{text}"));
        compared += 1;
    }
    eprintln!("{compared} programs, {steps} steps");
    assert!(compared >= 240 && steps >= 3_000, "{compared} programs, {steps} steps");
}

// -----------------------------------------------------------------------------------
// Verdicts

#[test]
fn proofs_by_rules_and_refutations_in_parts_are_true() {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    let mut missed = 0;
    for seed in 0..inputs(120) {
        let text = random_text(seed ^ 0x1000);
        let trial = match try_program(&text, &Options::default(), 3, Duration::from_secs(20)) {
            Ok(trial) => trial,
            Err(Finding::Rejected(why)) => panic!("seed {seed}: rejected: {why}\n{text}"),
            Err(finding) => panic!("seed {seed}: {finding:?}\n{text}"),
        };
        let large = trial.large.map_or("no rules", |t| t.decided_by);
        let whole = trial.whole.map_or("no system", |t| t.decided_by);
        *count.entry(large).or_default() += 1;
        missed += usize::from(large == "unknown" && whole != "no system" && whole != "refuted");
    }
    eprintln!("{count:?}; proved with global states only: {missed}");
    let of = |name: &str| count.get(name).copied().unwrap_or(0);
    assert!(of("rules") >= 40 && of("refuted") >= 20, "{count:?}");
}

// -----------------------------------------------------------------------------------
// Forged proofs

/// A list of reductions, of any sort.
fn any_reductions(
    random: &mut Random,
    places: &[PlaceName],
    system: &NetworkSystem,
) -> Vec<RuleReduction> {
    let mut list = Vec::new();
    for _ in 0..random.between(0, 4) {
        if random.chance(40) {
            list.push(RuleReduction::Stuttering);
            continue;
        }
        let mut counts = Vec::new();
        for _ in 0..random.below(3) {
            if system.variables().is_empty() {
                break;
            }
            let variable = random.pick(system.variables()).name.clone();
            let mut amounts = Vec::new();
            for PlaceName(request, local) in places {
                if random.chance(50) {
                    let amount = *random.pick(&[1, 1, 1, 2, 3, i64::MAX]);
                    let (request, local) = (request.clone(), local.clone());
                    amounts.push(Amount { request, local, amount });
                }
            }
            counts.push(Count { variable, amounts });
        }
        list.push(RuleReduction::Facts(counts));
    }
    list
}

/// Every choice of places after the effect, with all sorts of reductions: if the checker accepts
/// one of them, the program had better be serializable.
#[test]
fn no_proof_by_rules_is_accepted_for_a_broken_program() {
    let (mut broken, mut rejected) = (0, 0);
    for seed in 0..inputs(250) {
        let text = random_text(seed ^ 0x2000);
        let tree = ser_syntax::parse(&text).program;
        let limits = Limits { max_states: 2_000, ..Limits::default() };
        let Ok(model) = ProgramModel::new(&tree, &text, &limits) else { continue };
        let Ok(rules) = program_rules(&tree, &text, &limits) else { continue };
        let Findings::Broken { requests, .. } = brute_force(model.system(), 3, 5_000) else {
            continue;
        };
        broken += 1;
        let places = places_of(&rules);
        let random = &mut Random::new(seed);
        for round in 0..120 {
            let reductions = any_reductions(random, &places, rules.frame());
            let sides = 1usize << places.len().min(20);
            let chosen = if sides <= 64 { round % sides } else { random.below(sides) };
            let is_after = |i: &usize| i >= &20 || chosen >> i & 1 == 1;
            let after = (0..places.len()).filter(is_after).map(|i| places[i].clone()).collect();
            let proof = RuleProof { reductions, after, ..RuleProof::default() };
            let source = ser_serializability_checker::Source {
                file: "r".into(),
                sha256: ser_serializability_checker::digest(b"r"),
                query: None,
            };
            let verdict = Verdict::Serializable(Proof::Rules(proof));
            let certificate = Certificate { source, verdict };
            let checked = ser_serializability_checker::check_rules(
                &certificate,
                b"r",
                &rules,
                &Limits::default(),
            );
            assert!(
                checked.is_err(),
                "seed {seed}: accepted, but {requests} requests break it\n{text}\n{}",
                certificate.to_text()
            );
            rejected += 1;
        }
    }
    eprintln!("{broken} broken programs, {rejected} proofs rejected");
    assert!(broken >= 50, "only {broken} broken programs");
}
