//! Arguments by rules: programs for which some proof is accepted, and programs that are not
//! serializable, for which none is, whatever places are said to be after the effect and in whatever
//! order reductions come.

use crate::common::rules::{places_of, rules_of};
use ser_base::Limits;
use ser_model::{ProgramModel, RuleSystem};
use ser_serializability_checker::{
    Amount, Certificate, Count, PlaceName, Proof, Rejection, RuleProof, RuleReduction, Scope,
    Source, Verdict, check, check_rules,
};
use std::collections::BTreeSet;

fn certificate(reductions: Vec<RuleReduction>, after: Vec<PlaceName>) -> Certificate {
    let verdict = Verdict::Serializable(Proof::Rules(RuleProof {
        reductions,
        after,
        ..RuleProof::default()
    }));
    Certificate { source: Source::new("p.ser", b"p"), verdict }
}

/// Shows a proof to the checker: what it says, in words.
fn shown(rules: &RuleSystem, reductions: Vec<RuleReduction>, after: Vec<PlaceName>) -> String {
    match check_rules(&certificate(reductions, after), b"p", rules, &Limits::default()) {
        Ok(accepted) => accepted.to_string(),
        Err(rejection) => rejection.to_string(),
    }
}

/// The first proof that is accepted, of all with up to three reductions.
fn first_proof(text: &str, counts: &[Count]) -> Option<(Vec<RuleReduction>, Vec<PlaceName>)> {
    let rules = rules_of(text);
    let places = places_of(&rules);
    assert!(places.len() <= 9, "{places:?}");
    let facts = [RuleReduction::Facts(Vec::new()), RuleReduction::Facts(counts.to_vec())];
    let kinds: Vec<RuleReduction> = facts
        .into_iter()
        .take(1 + usize::from(!counts.is_empty()))
        .chain([RuleReduction::Stuttering])
        .collect();
    let mut lists: Vec<Vec<RuleReduction>> = vec![Vec::new()];
    let mut longest = lists.clone();
    for _ in 0..3 {
        let mut longer = Vec::new();
        for list in &longest {
            longer.extend(
                kinds.iter().map(|kind| [list.as_slice(), std::slice::from_ref(kind)].concat()),
            );
        }
        lists.extend(longer.clone());
        longest = longer;
    }
    for list in lists {
        for chosen in 0..1usize << places.len() {
            let bits = (0..places.len()).filter(|i| chosen >> i & 1 == 1);
            let after: Vec<PlaceName> = bits.map(|i| places[i].clone()).collect();
            let cert = certificate(list.clone(), after.clone());
            if check_rules(&cert, b"p", &rules, &Limits::default()).is_ok() {
                return Some((list, after));
            }
        }
    }
    None
}

/// A variable that counts with this amount in some places.
fn counting(text: &str, variable: &str, amount: i64, holds: impl Fn(&PlaceName) -> bool) -> Count {
    let places = places_of(&rules_of(text)).into_iter().filter(holds);
    let amounts = places.map(|PlaceName(request, local)| Amount { request, local, amount });
    Count { variable: variable.into(), amounts: amounts.collect() }
}

fn refused(text: &str, counts: &[Count]) {
    let proof = first_proof(text, counts);
    assert!(proof.is_none(), "accepted, but it is broken: {proof:?}\n{text}");
}

fn proved(text: &str, counts: &[Count]) {
    assert!(first_proof(text, counts).is_some(), "no proof is accepted:\n{text}");
}

const LOCK: &str =
    "request r { while (L == 1) { yield }; L := 1; a := X; yield; X := 1 - a; L := 0; a }";

const READERS: &str = "
    request read { while (W == 1 || R == 2) { yield }; R := R + 1; a := X; yield;
        b := Y; if (R == 2) { R := 1 } else { R := 0 }; a + 2 * b }
    request write { while (W == 1 || R > 0) { yield }; W := 1; X := 1 - X; yield; Y := 1 - Y; W := 0 }";

#[test]
fn a_lock_makes_its_pauses_harmless() {
    proved(LOCK, &[]);
    // Each as long as the other, so that the names are the same; and none of them is a lock.
    for (old, new) in [("L == 1", "L == 2"), ("L := 1;", "L := 0;"), ("L := 0; a", "L := 1; X")] {
        let broken = LOCK.replace(old, new);
        assert_eq!(broken.len(), LOCK.len());
        if new != "L := 1; X" {
            refused(&broken, &[]);
        }
    }
    let facts = RuleReduction::Facts(Vec::new());
    let rules = rules_of(LOCK);
    let (after, none) = (places_of(&rules), Vec::new());
    let said = |list: &[&RuleReduction], after: &[PlaceName]| {
        shown(&rules, list.iter().map(|r| (*r).clone()).collect(), after.to_vec())
    };
    let idle = RuleReduction::Stuttering;
    assert_eq!(
        said(&[&idle, &facts], &none),
        "serializable, by rules: 2 harmless yield points, 8 commutations checked"
    );
    assert!(said(&[], &none).starts_with("effects: "), "{}", said(&[], &none));
    assert!(said(&[&idle], &after).starts_with("effects: "), "{}", said(&[&idle], &after));
}

#[test]
fn readers_share_and_writers_do_not() {
    let inside = |text: &str| {
        counting(text, "R", 1, |PlaceName(request, local)| {
            request == "read" && *local != start(text, "read")
        })
    };
    proved(READERS, &[inside(READERS)]);
    let broken = READERS.replace("R > 0", "R > 2");
    refused(&broken, &[inside(&broken)]);
    // Without a count, or with a wrong one, nobody knows that readers keep writers out.
    refused(READERS, &[]);
    for amount in [2, -1, i64::MAX, i64::MIN] {
        let mut wrong = inside(READERS);
        wrong.amounts.iter_mut().for_each(|entry| entry.amount = amount);
        refused(READERS, &[wrong]);
    }
}

/// The local state in which a request starts.
fn start(text: &str, request: &str) -> String {
    let rules = rules_of(text);
    let frame = rules.frame();
    let spawn = frame.spawns().iter().find(|(r, _)| frame.request_name(*r) == request);
    frame.local_name(spawn.expect("a request").1).to_owned()
}

#[test]
fn programs_that_are_broken_have_no_proof() {
    for text in [
        "request r { a := X; yield; X := 1 - a; a }",
        "request r { a := X; yield; X := a; a } request s { X := 1 - X }",
        "request r { X := 1 - X; yield; X }",
        "request r { a := X; yield; b := X; a + 2 * b } request s { X := 1 - X }",
        "request r { X := 1; yield; Y := 1; X + Y } request s { X := 0; Y := 0; yield; X }",
        "request r { a := X; yield; b := Y; a + 2 * b } request s { X := 1; Y := 1 - Y }",
        "request r { assume(X == 0); yield; X := 1; yield; X := 0; Y := 1 - Y; Y }
         request s { assume(X == 1); 1 }",
        "request r { if (X == 2) { return 7 }; assume(X == 1); yield; assume(X == 0); 7 }
         request flip { if (X == 0) { X := 1 } else { X := 0 } }
         request end { X := 2; yield; assume(0) }",
        "request r { if (?) { return 7 }; assume(Y == 1); yield; assume(Y == 0); X := 1; 7 }
         request flip { Y := 1 - Y } request look { X }",
        "request r(p in 0..1) { if (p) { X := 1 - X }; yield; X }",
        "request r { X := 1; while (?) { yield }; a := X; X := 0; a }",
        // Takes effect twice: a transfer in two halves, and somebody who looks between.
        "A := 1 request move { A := 0; yield; B := 1; 0 } request sum { A + B }",
        // Locks for the writer only.
        "request w { while (L == 1) { yield }; L := 1; X := 1 - X; yield; Y := X; L := 0; 0 }
         request look { X + 2 * Y }",
        // What may be the case at the end of a way through many pauses, against their order: X is
        // 4.
        "request r { assume(L == 0); L := 1; i := choose(1..4); X := i; while (i > 0) { yield; i := i - 1 };
           if (X == 4) { L := 0; a := Y; yield; Y := 1 - a; a } else { L := 0; 0 } }",
        // X comes down to 0 one step at a time, against the order in which rules are looked at.
        "X := 6 request step { if (X > 0) { X := X - 1 }; 0 }
         request r { assume(X == 0); a := Y; yield; Y := 1 - a; a }",
        "X := 6 request step { if (X > 0) { X := X - 1 }; yield; 0 }
         request r { assume(X == 0); a := Y; yield; Y := 1 - a; a }",
        // The same while somebody holds a lock.
        "X := 6 request hold { assume(M == 0 && X == 6); M := 1; yield;
           if (X == 0) { M := 0; 7 } else { M := 0; 0 } }
         request step { if (X > 0) { X := X - 1 }; 0 }
         request reset { assume(M == 0); X := choose(0..6); 0 }",
        // Only where X is 1 already, the first step may as well come later.
        "request r { assume(L == 0); L := 1; X := 1; yield; X := 0; L := 0; 0 }
         request s { assume(X == 1); 5 }",
        // One way to the pause changes nothing and one does: only the first is idle.
        "request r { if (?) { return 0 }; if (?) { X := 1 - X }; yield; 0 }
         request s { a := X; yield; b := X; 2 * a + b }",
        // Two locks, each of which guards something else.
        "request r { assume(L == 0); L := 1; a := X; yield; X := 1 - a; L := 0; a }
         request s { assume(M == 0); M := 1; a := X; yield; X := 1 - a; M := 0; a }",
    ] {
        refused(text, &[]);
    }
}

#[test]
fn programs_whose_pauses_are_harmless_have_a_proof() {
    for text in [
        "request r { X := X; yield; 0 } request s { X := 1 - X }",
        "request r { yield; X := 1 - X; X }",
        "request r { X := 1 - X; yield; 0 }",
        "request r { a := X; yield; a } request s { Y := 1 }",
        "request r { while (X == 1) { yield }; X := 1; yield; X := 0 }",
        "C := 5 request r { a := C; yield; b := C; yield; a + b + C }",
        "request r { X; yield; X } request s { X := 1; yield; assume(0) }",
        "request r(p in 0..1) { X := 1 - X; yield; p }",
        // One commits early, the other late.
        "request r { X := 1 - X; yield; yield; 0 } request s { yield; yield; X }",
        // A lock for each of two accounts.
        "request r { assume(L == 0); L := 1; a := X; yield; X := 1 - a; L := 0; a }
         request s { assume(M == 0); M := 1; a := Y; yield; Y := 1 - a; M := 0; a }",
        // Freezes everybody else.
        "request look { while (F == 1) { yield }; F := 1; yield; a := X; yield; b := Y; F := 0; a + 2 * b }
         request flip { assume(F == 0); X := 1 - X; Y := 1 - Y }",
        // Who never completes does not matter, however far it gets.
        "request r { X; yield; X } request s { X := 1; yield; yield; assume(0) }",
        // Whatever X was, `s` says the same.
        "request r { X := 1; yield; a := Y; Y := 1 - a; a } request s { if (X == 1) { 5 } else { 5 } }",
        // Writes that commute: each leads to the same.
        "request r { X := 1; yield; 0 } request s { X := 1; yield; 1 }",
        // Adding does not depend on the order, and nobody looks.
        "request r { if (X == 2) { X := 0 } else { X := X + 1 }; yield; 0 }
         request s { if (X == 2) { X := 0 } else { X := X + 1 }; yield; 1 }",
    ] {
        proved(text, &[]);
    }
}

#[test]
fn counts_must_be_kept_by_everybody() {
    let semaphore = "request work { assume(S < 1); S := S + 1; a := X; yield; X := 1 - a;
        assume(S > 0); S := S - 1; a }";
    proved(semaphore, &[counting(semaphore, "S", 1, |_| true)]);
    let two = semaphore.replace("S < 1", "S < 2");
    refused(&two, &[counting(&two, "S", 1, |_| true)]);
    // Only `work` counts itself; `reset` forgets who is inside.
    let text = "request work { assume(S < 1); S := S + 1; a := X; yield; X := 1 - a;
                  if (S > 0) { S := S - 1 }; a }
                request reset { if (S > 0) { S := S - 1 } }";
    refused(text, &[counting(text, "S", 1, |place| place.0 == "work")]);
    // Somebody writes without a look.
    let text = semaphore.to_owned() + " request zero { S := 0 }";
    refused(&text, &[counting(&text, "S", 1, |_| true)]);
    // Seats that are free: amounts are negative.
    let seats = "S := 1 request work { assume(S > 0); S := S - 1; a := X; yield; X := 1 - a;
        S := S + 1; a }";
    proved(seats, &[counting(seats, "S", -1, |_| true)]);
    let wrong = RuleReduction::Facts(vec![counting(seats, "S", 1, |_| true)]);
    let found = shown(&rules_of(seats), vec![wrong], Vec::new());
    assert!(found.starts_with("reductions[0]: "), "{found}");
    let more = seats.replace("S := 1 ", "S := 2 ");
    refused(&more, &[counting(&more, "S", -1, |_| true)]);
    // The first value counts from the beginning.
    let late = "S := -1 request work { assume(S < 1); S := S + 1; a := X; yield; X := 1 - a;
        assume(S > -1); S := S - 1; a }";
    refused(late, &[counting(late, "S", 1, |_| true)]);
}

#[test]
fn counts_say_what_is_wrong_with_them() {
    let text = "request work { assume(S < 1); S := S + 1; a := X; yield; X := 1 - a;
        assume(S > 0); S := S - 1; a }";
    let rules = rules_of(text);
    let good = counting(text, "S", 1, |_| true);
    let said = |count: Count| shown(&rules, vec![RuleReduction::Facts(vec![count])], Vec::new());
    assert_eq!(
        said(good.clone()),
        "serializable, by rules: 2 harmless yield points, 8 commutations checked"
    );
    let with = |change: &dyn Fn(&mut Count)| {
        let mut count = good.clone();
        change(&mut count);
        said(count)
    };
    type Tampering<'a> = (&'a str, &'a dyn Fn(&mut Count));
    let table: [Tampering<'_>; 8] = [
        ("reductions[0]: there is no variable `T`", &|c| c.variable = "T".into()),
        ("reductions[0]: there is no request `x`", &|c| c.amounts[0].request = "x".into()),
        ("reductions[0]: there is no local state `x`", &|c| c.amounts[0].local = "x".into()),
        ("reductions[0]: the amounts must be all positive or all negative, and 0", &|c| {
            c.amounts[0].amount = 0
        }),
        ("is listed twice", &|c| c.amounts.push(c.amounts[0].clone())),
        ("`S`", &|c| c.amounts.clear()),
        ("`X`", &|c| c.variable = "X".into()),
        ("`S`", &|c| c.amounts[0].amount = 2),
    ];
    for (expected, change) in table {
        let found = with(change);
        assert!(!found.starts_with("serializable"), "{found}");
        assert!(found.contains(expected), "{found}, not {expected}");
    }
}

#[test]
fn values_without_rules_must_not_be_reached() {
    // Up to the largest number in the program nothing is wrong.
    let text = "G := 2
        request up { X := X + G }
        request r { a := X; if (a > 3) { yield; X - a } else { 0 } }";
    assert!(rules_of(text).is_partial());
    refused(text, &[]);
    // `r` waits for a value out of range; without its first step nobody would ever get there.
    let text = "G := 2
        request up { if (F == 1) { X := X + G } else { 0 } }
        request r { F := 1; yield; assume(X > 3); F }";
    assert!(rules_of(text).is_partial());
    refused(text, &[]);
    // A semaphore keeps to its range, and only its count says so; before anything else is done.
    let text = "S := 3
        request use { while (S == 0) { yield }; S := S - 1; yield; S := S + 1; 1 }";
    let rules = rules_of(text);
    assert!(rules.is_partial());
    let count = counting(text, "S", -1, |place| place.1 != start(text, "use"));
    proved(text, std::slice::from_ref(&count));
    refused(text, &[]);
    let facts = RuleReduction::Facts(vec![count]);
    let late = shown(&rules, vec![RuleReduction::Stuttering, facts.clone()], Vec::new());
    assert!(late.starts_with("reductions: "), "{late}");
    let without = shown(&rules, vec![RuleReduction::Facts(Vec::new())], Vec::new());
    assert!(without.starts_with("reductions[0]: "), "{without}");
    let twice = shown(&rules, vec![facts.clone(), facts, RuleReduction::Stuttering], Vec::new());
    assert!(twice.starts_with("serializable"), "{twice}");
}

#[test]
fn places_after_the_effect_are_places_and_nobody_goes_back() {
    let text = "request r { X := 1 - X; yield; a := Y; yield; a }";
    let rules = rules_of(text);
    let places = places_of(&rules);
    assert_eq!(places.len(), 2);
    let unknown = vec![PlaceName("r".into(), "nowhere".into())];
    assert_eq!(shown(&rules, Vec::new(), unknown), "after[0]: there is no local state `nowhere`");
    let nobody = vec![places[0].clone(), PlaceName("x".into(), "nowhere".into())];
    assert_eq!(shown(&rules, Vec::new(), nobody), "after[1]: there is no request `x`");
    let all = shown(&rules, Vec::new(), places.clone());
    assert_eq!(all, "serializable, by rules: 2 harmless yield points, 0 commutations checked");
    // Somebody who was after the effect is before it again.
    for i in 0..places.len() {
        let one = shown(&rules, Vec::new(), vec![places[i].clone()]);
        let last = i + 1 == places.len();
        assert!(!one.starts_with("serializable") || last, "{one}");
    }
}

#[test]
fn each_scope_has_its_own_check() {
    let rules = rules_of(LOCK);
    let program = ser_syntax::parse(LOCK).program;
    let model = ProgramModel::new(&program, LOCK, &Limits::default()).expect("a model");
    let facts = RuleReduction::Facts(Vec::new());
    let cert = certificate(vec![RuleReduction::Stuttering, facts], Vec::new());
    assert_eq!(cert.scope(), Scope::Rules(BTreeSet::new()));
    let place = |found: Result<_, Rejection>| found.map(|_| ()).unwrap_err().place;
    let limits = Limits::default();
    assert_eq!(place(check(&cert, b"p", model.system(), &limits)), "proof");
    assert_eq!(place(check_rules(&cert, b"q", &rules, &limits)), "source");
    let accepted = check_rules(&cert, b"p", &rules, &limits).expect("a proof");
    assert_eq!(accepted.evidence(), "rules: 2 harmless yield points, 8 commutations checked");
    let tight = Limits { max_states: 0, ..Limits::default() };
    assert_eq!(place(check_rules(&cert, b"p", &rules, &tight)), "normal form");
}
