//! Arguments by rules where variables are opaque: proofs that hold whatever their values are, what
//! becomes of them when somebody changes them, and programs that are not serializable, for which no
//! proof is accepted, whatever is opaque.

use crate::common::rules::places_of;
use ser_base::Limits;
use ser_model::{RuleSystem, opaque_rules};
use ser_serializability_checker::{
    Amount, Certificate, Count, Defer, PlaceName, Proof, RuleProof, RuleReduction, Scope, Source,
    Verdict, check_rules, read,
};
use std::collections::BTreeSet;

fn rules_of(text: &str, opaque: &[&str]) -> RuleSystem {
    let parse = ser_syntax::parse(text);
    assert!(!parse.has_errors(), "{:?}\n{text}", parse.diagnostics);
    let opaque = opaque.iter().map(|name| (*name).to_owned()).collect();
    opaque_rules(&parse.program, text, &opaque, &Limits::default()).expect("few rules")
}

fn certificate(proof: RuleProof) -> Certificate {
    let verdict = Verdict::Serializable(Proof::Rules(proof));
    Certificate { source: Source::new("p.ser", b"p"), verdict }
}

/// Shows a proof to the checker: what it says, in words.
fn shown(rules: &RuleSystem, proof: &RuleProof) -> String {
    match check_rules(&certificate(proof.clone()), b"p", rules, &Limits::default()) {
        Ok(accepted) => accepted.to_string(),
        Err(rejection) => rejection.to_string(),
    }
}

/// All reductions without counts: deferrals to everywhere, of one place or of all that are left.
fn reductions_of(places: &[PlaceName]) -> Vec<RuleReduction> {
    let mut all = vec![RuleReduction::Facts(Vec::new()), RuleReduction::Stuttering];
    let requests: BTreeSet<&String> = places.iter().map(|p| &p.0).collect();
    for request in requests {
        let own: Vec<&String> = places.iter().filter(|p| p.0 == *request).map(|p| &p.1).collect();
        for from in [None].into_iter().chain(own.iter().map(|local| Some((*local).clone()))) {
            let others: Vec<String> =
                own.iter().filter(|p| Some(**p) != from.as_ref()).map(|p| (*p).clone()).collect();
            let mut sets: Vec<Vec<String>> = others.iter().map(|p| vec![p.clone()]).collect();
            sets.push(others);
            sets.sort();
            sets.dedup();
            for places in sets.into_iter().filter(|set| !set.is_empty()) {
                let (request, from) = (request.clone(), from.clone());
                all.push(RuleReduction::Defer(Defer { request, from, places }));
            }
        }
    }
    all
}

/// The first proof that is accepted, of all with up to three reductions, the last one no deferral.
fn first_proof(text: &str, opaque: &[&str]) -> Option<RuleProof> {
    let rules = rules_of(text, opaque);
    let places = places_of(&rules);
    assert!(places.len() <= 6, "{places:?}");
    let opaque: Vec<String> = rules.opaque().iter().cloned().collect();
    let kinds = reductions_of(&places);
    let mut lists: Vec<Vec<RuleReduction>> = vec![Vec::new()];
    for length in 0..3 {
        let longest: Vec<_> = lists.iter().filter(|list| list.len() == length).cloned().collect();
        // The first two kinds are not about particular places.
        let kinds = if length < 2 { &kinds[..] } else { &kinds[..2] };
        for list in longest {
            lists.extend(kinds.iter().map(|kind| [&list[..], std::slice::from_ref(kind)].concat()));
        }
    }
    for reductions in lists {
        for chosen in 0..1usize << places.len() {
            let is_after = |i: &usize| chosen >> i & 1 == 1;
            let after = (0..places.len()).filter(is_after).map(|i| places[i].clone()).collect();
            let (opaque, reductions) = (opaque.clone(), reductions.clone());
            let proof = RuleProof { opaque, reductions, after, ..RuleProof::default() };
            if shown(&rules, &proof).starts_with("serializable") {
                return Some(proof);
            }
        }
    }
    None
}

const WITHDRAWALS: &str = "
    Balance := 1000
    request withdraw(amount in 1..500) {
        while (Lock) { yield };
        Lock := 1;
        r := 0;
        if (Balance >= amount) { yield; Balance := Balance - amount; r := amount };
        Lock := 0;
        r
    }
    request balance { while (Lock) { yield }; Balance }";

const BALANCE: [&str; 2] = ["Balance", "withdraw.amount"];

fn withdrawals() -> (RuleSystem, RuleProof) {
    let proof = first_proof(WITHDRAWALS, &BALANCE).expect("a proof");
    (rules_of(WITHDRAWALS, &BALANCE), proof)
}

#[test]
fn amounts_do_not_matter_under_a_lock() {
    let (rules, proof) = withdrawals();
    assert_eq!(Vec::from_iter(rules.opaque()), BALANCE);
    assert_eq!(rules.frame().requests(), ["withdraw(?)", "balance"]);
    let text = certificate(proof.clone()).to_text();
    assert_eq!(read(&text), Ok(certificate(proof.clone())));
    assert!(text.contains("    \"opaque\": [\"Balance\", \"withdraw.amount\"],\n"), "{text}");
    let opaque = BALANCE.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(certificate(proof).scope(), Scope::Rules(opaque));
}

#[test]
fn these_are_proved_whatever_the_values_are() {
    for (text, opaque) in [
        // A counter without an end, under a lock.
        ("request draw { while (L) { yield }; L := 1; n := N; yield; N := n + 1; L := 0; n }", "N"),
        // In one step, between steps that touch nothing shared.
        ("request draw { yield; n := N; N := n + 1; yield; n }", "N"),
        // What is computed from an opaque value is opaque, too.
        ("request move { while (L) { yield }; L := 1; Y := X; yield; X := 0; L := 0; Y }", "X"),
        // Somebody with an argument waits for a lock.
        (
            "request add(n in 1..9) { while (L) { yield }; L := 1; X := X + n; yield; L := 0; n }",
            "add.n",
        ),
        // Two that read and do not write.
        ("request look { x := X; yield; x + X }", "X"),
    ] {
        let proof = first_proof(text, &[opaque]);
        assert!(proof.is_some(), "{text}");
    }
}

/// None of these is serializable. Opaque is in each of them what would have to be known.
const BROKEN: [(&str, &[&str]); 17] = [
    // Lost updates.
    ("request add { x := X; yield; X := x + 1; 0 } request get { X }", &["X"]),
    ("request add(n in 1..2) { x := X; yield; X := x + n; 0 } request get { X }", &["add.n", "X"]),
    ("request add { x := X; yield; X := x + 1; x }", &["X"]),
    // What is written depends on what others have written.
    ("request move { Y := X; yield; X := Y + 1; 0 } request get { X }", &["X", "Y"]),
    // A variable that is flipped twice is not as it was.
    ("request flip { X := 1 - X; yield; X := 1 - X; 0 } request get { X }", &["X"]),
    // The lock itself is opaque.
    (
        "request add { while (L) { yield }; L := 1; x := X; yield; X := 1 - x; L := 0; x }
         request get { yield; X := 1; X }",
        &["L", "X"],
    ),
    // X becomes 2 only while T is 1: steps between the same places do not write the same.
    (
        "request a { while (T) { yield }; T := 1; yield; T := 0; 0 }
         request b { if (T == 0) { X := 1 } else { X := 2 }; 0 } request get { X }",
        &["X"],
    ),
    // Whoever goes back to where it looks has written on the way.
    (
        "request a { while (1) { yield; if (T) { return 0 }; yield; A := 1 - A } }
         request stop { T := 1; 0 } request get { A }",
        &["A"],
    ),
    // Between the two, X is what only others have seen.
    (
        "request set { assume(L == 0); L := 1; X := 1; yield; Y := 1; L := 0; 0 }
         request get { X + Y + Y }",
        &["X", "Y"],
    ),
    // X becomes 1 only while T is 1: otherwise the same step leads to the same place.
    (
        "request a { while (T) { yield }; T := 1; yield; T := 0; 0 }
         request b { if (T) { X := 1 }; 0 } request get { X }",
        &["X"],
    ),
    // X stays as it is only while T is 1: otherwise the same step leads to the same place.
    (
        "request a { while (T) { yield }; T := 1; yield; T := 0; 0 }
         request b { Z := 1; if (T == 0) { X := 1 }; 0 } request get { if (Z) { X } else { 5 } }",
        &["X"],
    ),
    // X becomes 1 only if T was 1: whoever has waited does not write what others write.
    (
        "request a { while (T) { yield }; T := 1; yield; T := 0; 0 }
         request b { if (?) { X := 2; 0 } else { assume(T); yield; X := 1; 0 } }
         request get { X }",
        &["X"],
    ),
    // The amount grows while the request waits, and it waits only while T is 1.
    (
        "request a { while (T) { yield }; T := 1; yield; T := 0; 0 }
         request b(n in 0..1) { k := n; yield; while (?) { assume(T); k := k + 1; yield }; X := k; 0 }
         request get { X }",
        &["b.n"],
    ),
    // The same in two steps.
    (
        "request a { while (T) { yield }; T := 1; yield; T := 0; 0 }
         request b(n in 0..1) {
             k := n; yield;
             while (?) { assume(T); k := k + 1; yield; yield }; X := k; 0 }
         request get { X }",
        &["b.n"],
    ),
    // Only T lets requests come to their end: X is never 5.
    (
        "request a { while (T) { yield }; T := 1; yield; T := 0; 0 }
         request b { if (?) { assume(T); yield } else { assume(X == 5); yield }; k := X; 1 }
         request c { X := 1 }",
        &["X"],
    ),
    // Two arguments that change places.
    (
        "request a { while (T) { yield }; T := 1; yield; T := 0; 0 }
         request b(m in 0..1, n in 0..1) {
             k := m; l := n; yield;
             while (?) { assume(T); h := k; k := l; l := h; yield }; X := 2 * k + l; k }",
        &["b.m", "b.n"],
    ),
    // A branch on an opaque value, and T is seen on one side of it.
    (
        "request a { while (T) { yield }; T := 1; yield; T := 0; 0 } request c { X := 1 - X; 0 }
         request b { if (X == 1) { k := T; yield; k } else { yield; 0 } }",
        &["X"],
    ),
];

#[test]
fn nothing_is_proved_of_what_depends_on_opaque_values() {
    for (text, opaque) in BROKEN {
        for opaque in [opaque, &opaque[..1]] {
            let found = first_proof(text, opaque);
            assert!(found.is_none(), "{text}\n{opaque:?}\n{found:?}");
        }
    }
}

#[test]
fn whoever_changes_such_a_proof_is_caught() {
    let (rules, proof) = withdrawals();
    let places = places_of(&rules);
    let changed = |change: &dyn Fn(&mut RuleProof)| {
        let mut proof = proof.clone();
        change(&mut proof);
        shown(&rules, &proof)
    };
    let set = |names: &[&str]| {
        changed(&|p| p.opaque = names.iter().map(|name| (*name).to_owned()).collect())
    };
    let all = "opaque: the opaque variables are: Balance, withdraw.amount";
    // Others are opaque than those that are said to be.
    for names in [
        &[][..],
        &["Balance"],
        &["withdraw.amount"],
        &["Balance", "Lock", "withdraw.amount"],
        &["withdraw.amount", "Balance"],
        &["Balance", "Balance", "withdraw.amount"],
        &["Balance", "withdraw.r"],
        &["Balance", "amount"],
        &["balance", "withdraw.amount"],
        &["Balance", "Nobody", "withdraw.amount"],
    ] {
        assert_eq!(set(names), all, "{names:?}");
    }
    // The same proof of rules where other variables are opaque.
    for other in [&["Balance"][..], &["Balance", "Lock", "withdraw.amount"]] {
        let said = shown(&rules_of(WITHDRAWALS, other), &proof);
        assert!(said.starts_with("opaque: "), "{other:?}: {said}");
    }
    // Without facts, nobody knows who holds the lock.
    let is_facts = |r: &RuleReduction| matches!(r, RuleReduction::Facts(_));
    let said = changed(&|p| p.reductions.retain(|r| !is_facts(r)));
    assert!(said.starts_with("effects: "), "{said}");
    // Without the others, waiting for it is no waiting.
    let said = changed(&|p| p.reductions.retain(is_facts));
    assert!(said.starts_with("effects: "), "{said}");
    // An opaque variable counts nothing.
    let one = |PlaceName(request, local): PlaceName| Amount { request, local, amount: 1 };
    let amounts = places.iter().cloned().map(one).collect();
    let count = Count { variable: "Balance".into(), amounts };
    let said = changed(&|p| p.reductions.push(RuleReduction::Facts(vec![count.clone()])));
    assert!(said.contains("Balance"), "{said}");
    // Requests with an amount in hand cannot be told to wait elsewhere.
    for PlaceName(request, local) in places.iter().filter(|p| p.0 == "withdraw(?)") {
        let (request, places) = (request.clone(), vec![local.clone()]);
        let defer = RuleReduction::Defer(Defer { request, from: None, places });
        let said = changed(&|p| p.reductions.insert(0, defer.clone()));
        assert!(said.ends_with("has opaque values"), "{said}");
    }
    // Every other choice of commit points than that of the proof needs other transitions to move;
    // whatever it is, it is looked at.
    let said = changed(&|p| p.after = vec![PlaceName("withdraw(1)".into(), "x".into())]);
    assert_eq!(said, "after[0]: there is no request `withdraw(1)`");
}

#[test]
fn other_methods_have_no_opaque_variables() {
    let (_, proof) = withdrawals();
    let text = certificate(proof).to_text();
    let error = read(&text.replace("\"rules\"", "\"arithmetic\"")).unwrap_err().to_string();
    assert_eq!(error, "proof.opaque: this method has no such field");
    let error = read(&text.replace("[\"Balance\", ", "[7, ")).unwrap_err().to_string();
    assert!(error.contains("expected a string"), "{error}");
}
