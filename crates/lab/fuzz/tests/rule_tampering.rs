//! Tampering with certificates about rules and parts.
//!
//! Each program comes with a sibling of the same shape, so that all names fit, that is broken.
//! Every mutant of the certificate is shown to the checker for both. For the broken one all must be
//! rejected, and the certificate as it was, too. For the other one the verdict is true whatever the
//! mutant says, so it may be accepted; but those that say nonsense must not be.

use crate::places::rules_of;
use ser_base::Limits;
use ser_fuzz::{Findings, brute_force};
use ser_model::{ProgramModel, RuleSystem, RunBound};
use ser_serializability_checker::{
    Amount, Certificate, Count, PlaceName, Proof, RuleProof, RuleReduction, Scope, Verdict, check,
    check_rules,
};
use ser_serializability_search::{
    LargeAnswer, LargeOptions, PartRefutation, RefuteOptions, RuleOptions, certify_part,
    certify_rules, decide_large,
};
use std::collections::BTreeSet;

/// What to replace in a program to break it.
struct Pair {
    name: &'static str,
    text: &'static str,
    /// This and what it becomes; both are equally long.
    slip: (&'static str, &'static str),
    /// Whether the proof needs variables that count.
    counts: bool,
}

const PAIRS: &[Pair] = &[
    Pair {
        name: "two-phase locking",
        text: "request t { while (A == 1) { yield }; A := 1; yield; while (B == 1) { yield };
                 B := 1; yield; while (C == 1) { yield }; C := 1; X := 1 - X; yield; Y := 1 - Y;
                 yield; a := X + Y; A := 0; yield; B := 0; yield; C := 0; a }",
        slip: ("== 1", "== 2"),
        counts: false,
    },
    Pair {
        name: "readers and writers",
        text: "request read { while (W == 1 || R == 2) { yield }; R := R + 1; a := X; yield;
                 b := Y; if (R == 2) { R := 1 } else { R := 0 }; a + 2 * b }
               request write { while (W == 1 || R > 0) { yield }; W := 1; X := 1 - X; yield;
                 Y := 1 - Y; W := 0 }",
        slip: ("R > 0", "R > 2"),
        counts: true,
    },
    Pair {
        name: "a monitor that freezes",
        text: "request look { while (F == 1) { yield }; F := 1; yield; a := X; yield; b := Y;
                 F := 0; a + 2 * b }
               request flip { assume(F == 0); X := 1 - X; Y := 1 - Y }",
        slip: ("F == 0", "F != 2"),
        counts: false,
    },
    Pair {
        name: "a semaphore",
        text: "request work { assume(S < 1); S := S + 1; a := X; yield; X := 1 - a;
                 assume(S > 0); S := S - 1; a }",
        slip: ("S < 1", "S < 2"),
        counts: true,
    },
];

fn part_of(text: &str, labels: &BTreeSet<String>, bound: RunBound) -> ProgramModel {
    let program = ser_syntax::parse(text).program;
    ProgramModel::part(&program, text, labels, bound, &Limits::default()).unwrap()
}

fn answer(text: &str, rules: &RuleSystem) -> LargeAnswer {
    let program = ser_syntax::parse(text).program;
    let part = |labels: &BTreeSet<String>, bound: RunBound, limits: &Limits| {
        ProgramModel::part(&program, text, labels, bound, limits)
    };
    let options = LargeOptions {
        prove: Some(RuleOptions::default()),
        refute: Some(RefuteOptions::default()),
    };
    decide_large(rules, &part, options, &Limits::default(), &|_| {})
}

fn oracle(text: &str) -> Findings {
    let program = ser_syntax::parse(text).program;
    let model = ProgramModel::new(&program, text, &Limits::default()).unwrap();
    brute_force(model.system(), 4, 400_000)
}

/// A mutant: what was done, the proof, and whether it is nonsense.
type Mutant = (String, RuleProof, bool);

/// All small changes of a proof.
fn mutants(proof: &RuleProof, rules: &RuleSystem) -> Vec<Mutant> {
    let mut list: Vec<Mutant> = Vec::new();
    let mut add = |what: String, nonsense: bool, change: &dyn Fn(&mut RuleProof)| {
        let mut mutant = proof.clone();
        change(&mut mutant);
        list.push((what, mutant, nonsense));
    };
    let frame = rules.frame();
    let locals: Vec<String> = (0..frame.local_count())
        .map(|l| frame.local_name(ser_model::LocalId::from_index(l)).to_owned())
        .collect();
    let mut all_places = Vec::new();
    for request in frame.requests() {
        all_places.extend(locals.iter().map(|l| PlaceName(request.clone(), l.clone())));
    }

    // Places after the effect.
    for i in 0..proof.after.len() {
        add(format!("drop after[{i}]"), false, &|p| drop(p.after.remove(i)));
        add(format!("repeat after[{i}]"), false, &|p| p.after.push(p.after[i].clone()));
    }
    for place in &all_places {
        add(format!("{place:?} is after"), false, &|p| p.after.push(place.clone()));
    }
    add("nothing is after".into(), false, &|p| p.after.clear());
    add("everything is after".into(), false, &|p| p.after = all_places.clone());
    for (request, local) in [("nobody", locals[0].as_str()), (&frame.requests()[0], "nowhere")] {
        let place = PlaceName(request.into(), local.into());
        add(format!("{place:?} is after"), true, &|p| p.after.push(place.clone()));
    }

    // Reductions.
    let size = proof.reductions.len();
    for i in 0..size {
        add(format!("drop reduction {i}"), false, &|p| drop(p.reductions.remove(i)));
        add(format!("only reduction {i}"), false, &|p| {
            p.reductions = vec![p.reductions[i].clone()];
        });
        add(format!("repeat reduction {i}"), false, &|p| {
            p.reductions.insert(i, p.reductions[i].clone());
        });
        for j in 0..i {
            add(format!("swap reductions {j} and {i}"), false, &|p| p.reductions.swap(i, j));
        }
    }
    add("no reductions".into(), false, &|p| p.reductions.clear());
    add("reductions backwards".into(), false, &|p| p.reductions.reverse());
    add("only idle".into(), false, &|p| p.reductions = vec![RuleReduction::Stuttering]);
    add("idle last".into(), false, &|p| p.reductions.push(RuleReduction::Stuttering));

    // Variables that count.
    let somewhere = &all_places[0];
    let amount = |place: &PlaceName, amount: i64| {
        let PlaceName(request, local) = place.clone();
        Amount { request, local, amount }
    };
    for (i, reduction) in proof.reductions.iter().enumerate() {
        let RuleReduction::Facts(counts) = reduction else { continue };
        fn facts(p: &mut RuleProof, i: usize) -> &mut Vec<Count> {
            match &mut p.reductions[i] {
                RuleReduction::Facts(counts) => counts,
                _ => unreachable!(),
            }
        }
        for variable in frame.variables() {
            for value in [1, 2, i64::MAX] {
                add(format!("{i}: {} counts {value} everywhere", variable.name), false, &|p| {
                    let amounts = all_places.iter().map(|p| amount(p, value)).collect();
                    facts(p, i).push(Count { variable: variable.name.clone(), amounts });
                });
                for place in &all_places {
                    add(
                        format!("{i}: {} counts {value} at {place:?}", variable.name),
                        false,
                        &|p| {
                            let amounts = vec![amount(place, value)];
                            facts(p, i).push(Count { variable: variable.name.clone(), amounts });
                        },
                    );
                }
            }
            add(format!("{i}: {} counts nothing", variable.name), false, &|p| {
                facts(p, i).push(Count { variable: variable.name.clone(), amounts: vec![] });
            });
        }
        for (what, count) in [
            ("unknown variable", Count { variable: "Nobody".into(), amounts: vec![] }),
            ("amount 0", count_of(frame, amount(somewhere, 0))),
            ("amount -1", count_of(frame, amount(somewhere, -1))),
            ("least amount", count_of(frame, amount(somewhere, i64::MIN))),
            ("unknown place", count_of(frame, amount(&PlaceName("x".into(), "y".into()), 1))),
        ] {
            add(format!("{i}: {what}"), true, &|p| facts(p, i).push(count.clone()));
        }
        for (j, count) in counts.iter().enumerate() {
            add(format!("{i}: drop count {j}"), false, &|p| drop(facts(p, i).remove(j)));
            add(format!("{i}: repeat count {j}"), false, &|p| facts(p, i).push(count.clone()));
            for variable in frame.variables() {
                let other = variable.name != count.variable;
                add(format!("{i}: count {j} on {}", variable.name), other, &|p| {
                    facts(p, i)[j].variable.clone_from(&variable.name);
                });
            }
            for k in 0..count.amounts.len() {
                add(format!("{i}: count {j} without amount {k}"), true, &|p| {
                    drop(facts(p, i)[j].amounts.remove(k));
                });
                add(format!("{i}: count {j} with amount {k} twice"), true, &|p| {
                    facts(p, i)[j].amounts.push(count.amounts[k].clone());
                });
                let old = count.amounts[k].amount;
                for new in [-old, 0, old + 1, 2 * old, i64::MAX, i64::MIN, i64::MAX / 2] {
                    add(format!("{i}: count {j}, amount {k} is {new}"), true, &|p| {
                        facts(p, i)[j].amounts[k].amount = new;
                    });
                }
            }
        }
    }
    list
}

/// The first variable counts at one place.
fn count_of(frame: &ser_model::NetworkSystem, amount: Amount) -> Count {
    Count { variable: frame.variables()[0].name.clone(), amounts: vec![amount] }
}

fn certificate(proof: RuleProof, text: &str) -> Certificate {
    let source = ser_serializability_checker::Source {
        file: "p.ser".into(),
        sha256: ser_serializability_checker::digest(text.as_bytes()),
        query: None,
    };
    Certificate { source, verdict: Verdict::Serializable(Proof::Rules(proof)) }
}

#[test]
fn tampered_proofs_by_rules_prove_nothing_false() {
    for Pair { name, text, slip, counts } in PAIRS {
        let limits = Limits::default();
        let rules = rules_of(text);
        let LargeAnswer::Serializable(effects) = answer(text, &rules) else {
            panic!("{name}: no proof");
        };
        let cert = certify_rules(&effects, &rules, "p.ser", text.as_bytes());
        let accepted = check_rules(&cert, text.as_bytes(), &rules, &limits);
        assert!(accepted.is_ok(), "{name}: {accepted:?}");
        assert!(matches!(oracle(text), Findings::Unbroken { .. }), "{name}");
        let Verdict::Serializable(Proof::Rules(proof)) = &cert.verdict else { unreachable!() };
        let uses_counts = proof
            .reductions
            .iter()
            .any(|r| matches!(r, RuleReduction::Facts(counts) if !counts.is_empty()));
        assert_eq!(uses_counts, *counts, "{name}: {proof:?}");

        // The sibling has all the names, and is broken.
        let broken = text.replace(slip.0, slip.1);
        assert!(broken != *text && broken.len() == text.len(), "{name}");
        let sibling = rules_of(&broken);
        assert!(matches!(oracle(&broken), Findings::Broken { .. }), "{name}");

        let mut list = mutants(proof, &rules);
        list.push(("as it was".into(), proof.clone(), false));
        let (mut accepted, mut rejected) = (0, 0);
        for (what, mutant, nonsense) in list {
            let forged = certificate(mutant.clone(), &broken);
            let found = check_rules(&forged, broken.as_bytes(), &sibling, &limits);
            assert!(found.is_err(), "{name}, {what}: accepted for the broken sibling");
            let tampered = certificate(mutant, text);
            // What is written can be read again, if it can be written at all.
            let read = ser_serializability_checker::read(&tampered.to_text());
            assert_eq!(read.as_ref().ok(), Some(&tampered), "{name}, {what}: {read:?}");
            match check_rules(&tampered, text.as_bytes(), &rules, &limits) {
                Ok(_) if nonsense => panic!("{name}, {what}: accepted"),
                Ok(_) => accepted += 1,
                Err(_) => rejected += 1,
            }
        }
        eprintln!("{name}: {accepted} accepted, {rejected} rejected");
        assert!(rejected >= 20, "{name}: only {rejected} rejected");
        // Another source, another kind of system.
        assert!(check_rules(&cert, broken.as_bytes(), &rules, &limits).is_err(), "{name}");
        let labels = rules.frame().requests().iter().cloned().collect();
        let part = part_of(text, &labels, RunBound { requests: 2, preemptions: None });
        assert!(check(&cert, text.as_bytes(), part.system(), &limits).is_err(), "{name}");
    }
}

#[test]
fn tampered_counterexamples_in_parts_refute_nothing_true() {
    for Pair { name, text, slip, .. } in PAIRS {
        let limits = Limits::default();
        let broken = text.replace(slip.0, slip.1);
        let rules = rules_of(&broken);
        let LargeAnswer::NotSerializable(found) = answer(&broken, &rules) else {
            panic!("{name}: no counterexample");
        };
        let PartRefutation { labels, bound, refutation, .. } = &*found;
        let cert = certify_part(&found, "p.ser", broken.as_bytes());
        assert_eq!(cert.scope(), Scope::Part(labels.clone(), *bound), "{name}");
        let Findings::Broken { requests: fewest, .. } = oracle(&broken) else { unreachable!() };
        assert!(refutation.fewest && refutation.requests == fewest, "{name}");

        // Whatever part a certificate names, it is checked against that part of its program.
        let try_part = |labels: &BTreeSet<String>, requests: u32, text: &str| {
            let mut cert = cert.clone();
            cert.source.sha256 = ser_serializability_checker::digest(text.as_bytes());
            let Verdict::NotSerializable(run) = &mut cert.verdict else { unreachable!() };
            let part = run.part.as_mut().unwrap();
            part.labels = labels.iter().cloned().collect();
            part.requests = requests;
            let Scope::Part(labels, bound) = cert.scope() else { unreachable!() };
            check(&cert, text.as_bytes(), part_of(text, &labels, bound).system(), &limits)
        };
        let all: BTreeSet<String> = rules.frame().requests().iter().cloned().collect();
        for arriving in 0..=6 {
            // Fewer requests than in the run: not all serial runs are there, so nothing is shown.
            let enough = arriving as usize >= refutation.requests;
            assert_eq!(try_part(labels, arriving, &broken).is_ok(), enough, "{name}, {arriving}");
            assert_eq!(try_part(&all, arriving, &broken).is_ok(), enough, "{name}, {arriving}");
            // In the program with its locks, no run ends like that.
            assert!(try_part(labels, arriving, text).is_err(), "{name}, {arriving}");
            for label in labels {
                let mut fewer = labels.clone();
                fewer.remove(label);
                assert!(try_part(&fewer, arriving, &broken).is_err(), "{name}, without {label}");
            }
        }
        let mut more = labels.clone();
        more.insert("nobody".into());
        assert!(try_part(&more, bound.requests, &broken).is_ok(), "{name}");
        assert!(check_rules(&cert, broken.as_bytes(), &rules, &limits).is_err(), "{name}");
    }
}
