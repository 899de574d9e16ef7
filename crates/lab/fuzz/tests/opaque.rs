//! Proofs on rules where variables are opaque, any variables, against brute force: what is proved
//! without their values had better be true of all values.

use crate::inputs;
use crate::places::places_of;
use ser_base::Limits;
use ser_fuzz::{Findings, Random, ledger, locking, program, program_findings, some_opaque};
use ser_model::{LocalId, Rule, RuleSystem, VariableId, opaque_rules};
use ser_net::{Arguments, RuleNet, find_effects};
use ser_serializability_checker::{
    Certificate, Defer, PlaceName, Proof, RuleProof, RuleReduction, Source, Verdict, check_rules,
    digest,
};
use ser_serializability_search::certify_rules;
use std::collections::BTreeSet;

fn random_text(random: &mut Random) -> String {
    match random.below(8) {
        0 => program(random),
        1 => locking(random),
        _ => ledger(random),
    }
}

#[test]
fn what_is_proved_without_some_values_is_true() {
    let (mut tried, mut proved, mut with_arguments) = (0, 0, 0);
    for seed in 0..inputs(600) {
        let random = &mut Random::new(seed ^ 0x09a9);
        let text = random_text(random);
        let tree = ser_syntax::parse(&text).program;
        let mut findings = None;
        for _ in 0..3 {
            let Some(rules) = some_opaque(&tree, &text, random) else { continue };
            tried += 1;
            let net = RuleNet::new(&rules, &Limits::default()).expect("no limits");
            let effects =
                find_effects(&net, Arguments::ALL, &Limits::default()).expect("no limits");
            if !effects.is_proof() {
                continue;
            }
            proved += 1;
            with_arguments += usize::from(rules.opaque().iter().any(|name| name.contains('.')));
            let certificate = certify_rules(&effects, &rules, "o", text.as_bytes());
            let again = ser_serializability_checker::read(&certificate.to_text()).expect("reads");
            assert_eq!(again, certificate);
            let checked = check_rules(&again, text.as_bytes(), &rules, &Limits::default());
            if let Err(rejection) = checked {
                panic!("seed {seed}: {rejection}\n{text}\n{}", certificate.to_text());
            }
            let findings = findings.get_or_insert_with(|| program_findings(&tree, 3));
            assert!(
                !matches!(findings, Ok(Findings::Broken { .. })),
                "seed {seed}: proved, but {findings:?}\n{text}\n{}",
                certificate.to_text()
            );
        }
    }
    eprintln!("{proved} of {tried} proved, {with_arguments} with opaque arguments");
    assert!(proved >= 200 && with_arguments >= 40, "{proved} of {tried}, {with_arguments}");
}

/// A deferral, of any sort.
fn any_deferral(random: &mut Random, places: &[PlaceName]) -> RuleReduction {
    let request = random.pick(places).0.clone();
    let mut own: Vec<String> = Vec::new();
    for PlaceName(_, local) in places.iter().filter(|p| p.0 == request) {
        own.push(local.clone());
    }
    let from = random.chance(50).then(|| random.pick(&own).clone());
    let percent = *random.pick(&[30, 60]);
    let mut inside = |local: &String| Some(local) != from.as_ref() && random.chance(percent);
    let places = own.iter().filter(|place| inside(place)).cloned().collect();
    RuleReduction::Defer(Defer { request, from, places })
}

#[test]
fn nothing_is_proved_of_broken_programs_whatever_is_opaque() {
    let (mut broken, mut rejected) = (0, 0);
    for seed in 0..inputs(250) {
        let random = &mut Random::new(seed ^ 0x0bad);
        let text = random_text(random);
        let tree = ser_syntax::parse(&text).program;
        let Ok(Findings::Broken { .. }) = program_findings(&tree, 3) else { continue };
        broken += 1;
        for _ in 0..4 {
            let Some(rules) = some_opaque(&tree, &text, random) else { continue };
            let places = places_of(&rules);
            for _ in 0..40 {
                let mut reductions = Vec::new();
                for _ in 0..random.between(0, 5) {
                    reductions.push(match random.below(3) {
                        0 => RuleReduction::Stuttering,
                        1 if !places.is_empty() => any_deferral(random, &places),
                        _ => RuleReduction::Facts(Vec::new()),
                    });
                }
                let percent = *random.pick(&[20, 50, 80]);
                let after = places.iter().filter(|_| random.chance(percent)).cloned().collect();
                let opaque = rules.opaque().iter().cloned().collect();
                let source = Source { file: "o".into(), sha256: digest(b"o"), query: None };
                let proof = RuleProof { opaque, reductions, after, ..RuleProof::default() };
                let verdict = Verdict::Serializable(Proof::Rules(proof));
                let certificate = Certificate { source, verdict };
                let checked = check_rules(&certificate, b"o", &rules, &Limits::default());
                let shown = certificate.to_text();
                assert!(checked.is_err(), "seed {seed}: accepted\n{text}\n{shown}");
                rejected += 1;
            }
        }
    }
    eprintln!("{broken} broken programs, {rejected} proofs rejected");
    assert!(broken >= 30 && rejected >= 3_000, "{broken} broken programs, {rejected} rejected");
}

/// Whether a name with numbers is one of those that a name with question marks stands for.
fn looks_like(name: &str, pattern: &str) -> bool {
    let split = |text: &str| -> Vec<String> {
        text.split_inclusive(['=', ',', '[', ']', '(', ')']).map(str::to_owned).collect()
    };
    let (name, pattern) = (split(name), split(pattern));
    let fits = |(a, b): (&String, &String)| {
        a == b || b.strip_prefix('?').is_some_and(|end| a.ends_with(end))
    };
    name.len() == pattern.len() && name.iter().zip(&pattern).all(fits)
}

#[test]
fn every_rule_is_covered_where_some_values_are_opaque() {
    let (mut programs, mut compared) = (0, 0);
    for seed in 0..inputs(150) {
        let random = &mut Random::new(seed ^ 0xc0de);
        let text = random_text(random);
        let tree = ser_syntax::parse(&text).program;
        let plain = opaque_rules(&tree, &text, &BTreeSet::new(), &Limits::default());
        let (Ok(plain), Some(coarse)) = (plain, some_opaque(&tree, &text, random)) else {
            continue;
        };
        let of = |rules: &RuleSystem| -> Vec<String> {
            let frame = rules.frame();
            (0..frame.local_count())
                .map(|l| frame.local_name(LocalId::from_index(l)).to_owned())
                .collect()
        };
        let (names, patterns) = (of(&plain), of(&coarse));
        if plain.is_partial() || names.iter().chain(&patterns).any(|name| name.contains('~')) {
            continue;
        }
        programs += 1;
        let tracked = |list: &[(VariableId, i64)]| -> Vec<(VariableId, i64)> {
            list.iter().filter(|(v, _)| !coarse.is_opaque(*v)).copied().collect()
        };
        let touched = |list: &[(VariableId, i64)]| -> BTreeSet<VariableId> {
            list.iter().map(|(v, _)| *v).filter(|v| coarse.is_opaque(*v)).collect()
        };
        for rule in plain.rules() {
            let (from, to) = (&names[rule.from.index()], &names[rule.to.index()]);
            for (at, pattern) in patterns.iter().enumerate() {
                if !looks_like(from, pattern) {
                    continue;
                }
                compared += 1;
                let covers = |other: &&Rule| {
                    let (fine, rough) = (&rule.footprint, &other.footprint);
                    looks_like(to, &patterns[other.to.index()])
                        && tracked(&fine.reads) == tracked(&rough.reads)
                        && tracked(&fine.writes) == tracked(&rough.writes)
                        && touched(&fine.reads).is_subset(&touched(&rough.reads))
                        && touched(&fine.writes).is_subset(&touched(&rough.writes))
                };
                let mut others = coarse.rules_of(LocalId::from_index(at)).iter();
                assert!(
                    others.any(|other| covers(&other)),
                    "seed {seed}: {from} -> {to}, seen as {pattern}\n{:?}\n{text}",
                    coarse.opaque()
                );
            }
        }
    }
    eprintln!("{programs} programs, {compared} rules covered");
    assert!(programs >= 60 && compared >= 800, "{programs} programs, {compared} rules");
}
