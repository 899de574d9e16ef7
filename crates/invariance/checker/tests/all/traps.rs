//! Ways in which a proof can go wrong without anybody noticing: here they are noticed.
//!
//! Each is tried without lemmas, and with all lemmas that one can think of: an axiom that is wrong
//! would show here.

use crate::common::flood::{Path, flood};
use crate::common::{
    Terms, With, accept, case, certificate, follows, induction, proved, reject, still,
};
use ser_invariance_checker::{
    CaseProof, Claim, Lemma, Mover, Place, Premise, Reason, Rejection, Term, TermRef, Verdict,
};
use ser_syntax::inv::ast::{Field, Scalar, Type};

/// That the invariant is kept everywhere but in this case, and that nothing helps there.
fn fails_at(source: &str, name: &str, hard: CaseProof, path: &Path) -> Rejection {
    let plain =
        reject(&proved(source, Terms::default(), vec![induction(name, vec![], vec![])], vec![]));
    let blocks = hard.partition.iter().max().map_or(0, |block| block + 1);
    let (terms, lemmas) = flood(source, blocks, path);
    let count = lemmas.len();
    let with_all = hard.with(lemmas);
    let node = match with_all.mover {
        Mover::Nobody => induction(name, vec![with_all], vec![]),
        _ => induction(name, vec![], vec![with_all]),
    };
    let flooded = reject(&proved(source, terms, vec![node], vec![]));
    assert_eq!(plain.place, flooded.place, "{plain}; {flooded}");
    assert_eq!(*plain.reason, Reason::Open { lemmas: 0 }, "{plain}");
    assert_eq!(*flooded.reason, Reason::Open { lemmas: count }, "{flooded}");
    plain
}

fn premise(rejection: &Rejection) -> &Premise {
    match &rejection.place {
        Some(Place::Case(place)) => &place.premise,
        _ => panic!("{rejection}"),
    }
}

#[test]
fn trap_1_steps_of_other_threads() {
    for parameter in ["i", "j", "mover", "k"] {
        let source = format!(
            "var owner: Threads;
             set Threads  process thread for self in Threads {{ loop {{ take: owner := self; crit: skip; }} }}
             invariant own({parameter}): at({parameter}, crit) -> owner == {parameter};"
        );
        let hard = case(Mover::Fresh, 1, 0, &[0, 1]);
        let rejection = fails_at(&source, "own", hard, &Path::default());
        assert_eq!(*premise(&rejection), Premise::Other);
    }
}

#[test]
fn trap_2_a_parameter_cannot_have_the_name_of_the_mover() {
    let source = "var owner: Threads;
        set Threads  process thread for self in Threads { loop { take: owner := self; crit: skip; } }
        invariant own(me): at(self, crit) -> owner == self;";
    let rejection = reject(&proved(source, Terms::default(), vec![], vec![]));
    assert!(matches!(*rejection.reason, Reason::Source { .. }), "{rejection}");
}

#[test]
fn trap_3_support_is_of_the_state_before() {
    let source = "var x: int = 0; set Threads  process thread for self in Threads { loop { x := x + 1; } } invariant zero: x == 0;";
    let hard = case(Mover::Fresh, 1, 0, &[0]).using("zero", &[]);
    fails_at(source, "zero", hard, &Path::default());
}

#[test]
fn trap_4_a_cycle_does_not_hold_itself_up() {
    let source = "set Threads  process thread for self in Threads { loop { skip; } } invariant p: false; invariant q: false;";
    let node = |name: &str, other: &str| {
        induction(name, vec![], vec![case(Mover::Fresh, 1, 0, &[0]).using(other, &[])])
    };
    let nodes = vec![node("p", "q"), node("q", "p")];
    let rejection = reject(&proved(source, Terms::default(), nodes, vec![]));
    assert_eq!(*premise(&rejection), Premise::Initiation);
    // Nor by using each other at the start.
    let at_start = |name: &str, other: &str| {
        let cases = vec![still(&[]).using(other, &[])];
        induction(name, cases, vec![])
    };
    let nodes = vec![at_start("p", "q"), at_start("q", "p")];
    let rejection = reject(&proved(source, Terms::default(), nodes, vec![]));
    assert_eq!(*rejection.reason, Reason::UsesAtStart { invariant: "q".into() });
    // Nor does one follow from the other.
    let follows_from = |name: &str, other: &str| follows(name, vec![still(&[]).using(other, &[])]);
    let nodes = vec![follows_from("p", "q"), follows_from("q", "p")];
    let rejection = reject(&proved(source, Terms::default(), nodes, vec![]));
    assert!(matches!(*rejection.reason, Reason::FollowsCycle { .. }), "{rejection}");
    // And one that follows from an induction that uses it is no better.
    let nodes = vec![follows_from("p", "q"), node("q", "p")];
    let rejection = reject(&proved(source, Terms::default(), nodes, vec![]));
    assert_eq!(*premise(&rejection), Premise::Initiation);
}

#[test]
fn trap_5_two_parameters_can_be_one_thread() {
    let source = "var free: bool = true;
        set Threads  process thread for self in Threads { loop {
          enter: atomic { await free; free := false; }
          crit: skip;
          leave: free := true;
        } }
        invariant held(i): at(i, crit, leave) -> !free;
        invariant alone(i, j): !(at(i, crit) && at(j, crit));";
    let hard = case(Mover::Variable(0), 1, 0, &[0, 0]);
    let rejection = fails_at(source, "alone", hard, &Path::default());
    assert!(rejection.to_string().contains("threads i = j"), "{rejection}");
}

#[test]
fn trap_6_a_global_that_is_a_thread() {
    let source = "var chosen: Threads;
        var flag: int = 0;
        set Threads  process thread for self in Threads { before: atomic { if self == chosen { flag := 1; } } crit: skip; }
        invariant quiet: at(chosen, crit) -> flag == 0;";
    let hard = case(Mover::Variable(0), 0, 0, &[0]);
    let rejection = fails_at(source, "quiet", hard, &Path::default());
    assert_eq!(*premise(&rejection), Premise::Own { thread: "chosen".into() });
    // A step of another thread is none of `chosen`.
    let nodes = vec![induction("quiet", vec![], vec![case(Mover::Fresh, 0, 0, &[0, 0])])];
    let certificate = proved(source, Terms::default(), nodes, vec![]);
    assert!(matches!(*reject(&certificate).reason, Reason::Open { .. }));
}

#[test]
fn trap_6_a_global_that_names_a_thread_in_another_invariant_only() {
    // The mover may be `chosen`, although this invariant does not mention it.
    let source = "var chosen: Threads;
        var flag: int = 0;
        set Threads  process thread for self in Threads { before: atomic { if self == chosen { flag := 1; } } skip; }
        invariant quiet: flag == 0;
        invariant other: at(chosen, before) || true;";
    let hard = case(Mover::Fresh, 0, 0, &[0, 0]);
    fails_at(source, "quiet", hard, &Path::default());
}

#[test]
fn trap_7_no_support_about_threads_that_are_not_there() {
    let source = "var n: int = 0;
        set Threads  process thread for self in Threads { loop { up: n := n + 1; } }
        invariant two(i, j): i == j || true;
        invariant small(i): n == 0;";
    let nodes = |threads: &[u32]| {
        vec![
            induction("two", vec![], vec![]),
            induction(
                "small",
                vec![],
                vec![case(Mover::Variable(0), 1, 0, &[0]).using("two", threads)],
            ),
        ]
    };
    let rejection = reject(&proved(source, Terms::default(), nodes(&[0, 1]), vec![]));
    assert_eq!(*rejection.reason, Reason::NoThread { block: 1 });
    let rejection = reject(&proved(source, Terms::default(), nodes(&[0, 0]), vec![]));
    assert_eq!(*rejection.reason, Reason::Open { lemmas: 0 });
}

#[test]
fn trap_8_what_is_not_assigned_stays_and_what_is_does_not() {
    let source = "var n: int = 0;
        var m: int = 0;
        set Threads  process thread for self in Threads { var k: int = 0; var h: int = 0; loop { one: m := m + 1; two: k := 1; } }
        invariant stays: n == 0;
        invariant mine(i): h[i] == 0;
        invariant changes: m == 0;
        invariant changed(i): k[i] == 0;
        invariant theirs(i, j): at(j, two) || i == j || k[i] == 0;";
    let good = ["stays", "mine"].map(|name| induction(name, vec![], vec![]));
    accept(&proved(source, Terms::default(), good.to_vec(), vec![]));
    fails_at(source, "changes", case(Mover::Fresh, 1, 0, &[0]), &Path::default());
    let hard = case(Mover::Variable(0), 2, 0, &[0]);
    let rejection = fails_at(source, "changed", hard, &Path::default());
    assert_eq!(*premise(&rejection), Premise::Own { thread: "i".into() });
    let hard = case(Mover::Variable(0), 2, 0, &[0, 1]);
    fails_at(source, "theirs", hard, &Path::default());
}

#[test]
fn trap_9_a_new_cell_is_new_for_all_threads_of_the_case_only() {
    let source = "set Threads  process thread for self in Threads { var mine: addr = null; loop { new: mine := malloc(lowest, null); } }
        invariant apart(i, j): i != j && mine[i] != null -> mine[i] != mine[j];
        invariant never(i): mine[i] == null;";
    // Different from those of the threads that are known.
    let nodes = vec![induction("apart", vec![], vec![])];
    accept(&proved(source, Terms::default(), nodes, vec![]));
    let path = Path {
        chosen: vec![Type::Scalar(Scalar::Addr)],
        writes: [Field::Data, Field::Next, Field::Lockid].map(|it| (it, Term::New(0))).to_vec(),
    };
    fails_at(source, "never", case(Mover::Variable(0), 1, 0, &[0]), &path);
}

#[test]
fn trap_10_locks() {
    let source = "var a: addr;
        assume a != null && a.lockid == nobody;
        set Threads  process thread for self in Threads { take: lock a; crit: skip; leave: unlock a; }
        invariant held(i): at(i, crit, leave) -> a.lockid == i && a != null;
        invariant free: a.lockid == nobody;";
    let path = Path { writes: vec![(Field::Lockid, Term::Global(0))], ..Path::default() };
    fails_at(source, "free", case(Mover::Fresh, 0, 0, &[0]), &path);

    let mut t = Terms::default();
    let (a, nobody) = (t.global(0), t.add(Term::Nobody));
    let (me, other) = (t.add(Term::Thread(0)), t.add(Term::Thread(1)));
    let now = t.add(Term::Lockid(1, a));
    let before = t.add(Term::Lockid(0, a));
    let lemmas = |threads: &[TermRef]| {
        let mut lemmas = vec![Lemma::Read(Field::Lockid, 1, a)];
        for x in threads {
            for y in [nobody, me, other] {
                lemmas.push(Lemma::Transitive(*x, before, y));
                lemmas.push(Lemma::Transitive(*x, now, y));
            }
        }
        lemmas
    };
    let held = induction(
        "held",
        vec![],
        vec![
            case(Mover::Variable(0), 0, 0, &[0]).with(vec![Lemma::Read(Field::Lockid, 1, a)]),
            case(Mover::Fresh, 0, 0, &[0, 1]).with(lemmas(&[nobody, me, other])),
            case(Mover::Fresh, 2, 0, &[0, 1]).with(lemmas(&[nobody, me, other])),
        ],
    );
    // Without the guard, another thread would take it away.
    let safety = vec![case(Mover::Fresh, 2, 0, &[0]).using("held", &[0])];
    let rejection = reject(&proved(source, Terms(t.0.clone()), vec![held.clone()], safety.clone()));
    // That `a` is not `null` when it is locked is not known.
    assert_eq!(*premise(&rejection), Premise::Safety);
    // It can be left open, and then the verdict says so.
    let claim = Claim::Proved { terms: t.0.clone(), nodes: vec![held.clone()], safety: None };
    let open = accept(&certificate(source, claim));
    assert!(matches!(open, Verdict::Proved { safe: false, .. }), "{open:?}");
    let source =
        source.replace("invariant free: a.lockid == nobody;", "invariant there: a != null;");
    let there = induction("there", vec![], vec![]);
    let mut safety = safety;
    safety.push(case(Mover::Fresh, 0, 0, &[0]).using("there", &[]));
    accept(&proved(&source, t, vec![held, there], safety));
}

#[test]
fn trap_11_null_is_an_error_and_not_a_reason_to_wait() {
    for statement in [
        "lock a;",
        "unlock a;",
        "a.next := b;",
        "b := a.next;",
        "await a.data == lowest;",
        "a.data := lowest;",
        "if a.next == b { skip; }",
        "while a.lockid == self { }",
        "b := malloc(a.data, null);",
        "p(a.next);",
        "b := q();",
        "atomic { await true; b := a.next.next; }",
        "skip ghost { g := a.next; }",
        "assert a == b || a.next == b;",
        "assert false;",
        "n := min(s);",
    ] {
        let source = format!(
            "var a: addr; var b: addr; var n: int; var s: set of int; ghost var g: addr;
             set Threads  process thread for self in Threads {{ {statement} }}
             {} {}",
            if statement.contains("p(a") { "fn p(x: addr) { }" } else { "" },
            if statement.contains("q()") { "fn q(): addr { return a.next; }" } else { "" },
        );
        let rejection = reject(&proved(&source, Terms::default(), vec![], vec![]));
        assert_eq!(*premise(&rejection), Premise::Safety, "{statement}: {rejection}");
        // With all lemmas, for the path that fails.
        let Some(Place::Case(place)) = &rejection.place else { panic!("{rejection}") };
        let (field, chosen) = match statement {
            "lock a;" | "unlock a;" => (Some(Field::Lockid), vec![]),
            "a.next := b;" => (Some(Field::Next), vec![]),
            "a.data := lowest;" => (Some(Field::Data), vec![]),
            _ => (None, vec![]),
        };
        if statement.contains("malloc") {
            continue;
        }
        let path =
            Path { chosen, writes: field.map(|it| (it, Term::Global(0))).into_iter().collect() };
        let (terms, lemmas) = flood(&source, 1, &path);
        let count = lemmas.len();
        let location = place.location.as_ref().map_or(0, |it| it.number - 1);
        let hard = case(Mover::Fresh, location, place.path, &[0]).with(lemmas);
        let flooded = reject(&proved(&source, terms, vec![], vec![hard]));
        assert_eq!(*flooded.reason, Reason::Open { lemmas: count }, "{statement}: {flooded}");
    }
    for statement in [
        "await a == null || a.next == b;",
        "await a != null && a.next == b;",
        "await a != null -> a.next == b;",
        "atomic { await a != null; b := a.next; }",
        "n := choose(int) where a.next == b;",
        "await min(s) == n;",
        "atomic { assert true; await n == min(s); }",
        "atomic { if a != null { b := a.next; a.next := b; } }",
        "skip;",
        "atomic { b := malloc(lowest, null); b.next := a; }",
    ] {
        let source = format!(
            "var a: addr; var b: addr; var n: int; var s: set of int; set Threads  process thread for self in Threads {{ {statement} }}"
        );
        accept(&proved(&source, Terms::default(), vec![], vec![]));
    }
}

#[test]
fn writing_to_null_is_no_contradiction() {
    // If it were one, then `a != null` would follow from nothing: `null.next` would be both `b` and
    // `null`.
    let source = "var a: addr; var b: addr;
        assume b != null;
        set Threads  process thread for self in Threads { loop { write: a.next := b; } }
        invariant there: b != null;";
    let path = Path { writes: vec![(Field::Next, Term::Global(0))], ..Path::default() };
    let (terms, lemmas) = flood(source, 1, &path);
    let count = lemmas.len();
    let hard = case(Mover::Fresh, 1, 0, &[0]).using("there", &[]).with(lemmas);
    let nodes = vec![induction("there", vec![], vec![])];
    let rejection = reject(&proved(source, terms, nodes, vec![hard]));
    assert_eq!(*premise(&rejection), Premise::Safety);
    assert_eq!(*rejection.reason, Reason::Open { lemmas: count });
}

#[test]
fn trap_12_the_minimum_of_nothing_is_no_number() {
    let source = "var s: set of int;
        var n: int = 0;
        set Threads  process thread for self in Threads { loop { await min(s) == n; n := n + 1; } }
        invariant no: !(min({}) == n) && !(min({}) < n) && !(n <= max({}));
        invariant either: min(s) == n || min(s) != n;
        invariant wrong: min(s) == min(s);";
    // `min({})` compares with nothing; what is not equal is different.
    let mut t = Terms::default();
    let empty = t.add(Term::Empty);
    let no = vec![still(&[]).with(vec![Lemma::Extreme(empty)])];
    let nodes = vec![follows("no", no), follows("either", vec![])];
    accept(&proved(source, t, nodes, vec![]));
    fails_at(source, "wrong", still(&[]), &Path::default());
}

#[test]
fn trap_13_sets_grow_by_what_is_no_variable() {
    let source = "var n: int = 0;
        var s: set of int; var t: set of int;
        assume t == {} && !(n + 1 in s);
        set Threads  process thread for self in Threads { loop { put: atomic { s := s + {n + 1}; t := t + {n + 1}; } } }
        invariant out: !(n + 1 in s);
        invariant never: t == {};";
    fails_at(source, "out", case(Mover::Fresh, 1, 0, &[0]), &Path::default());
    fails_at(source, "never", case(Mover::Fresh, 1, 0, &[0]), &Path::default());
}

#[test]
fn trap_15_only_what_is_reached_is_reached() {
    let source = "var head: addr; var a: addr; var b: addr;
        assume head != null && head.next == null && a.next == b && b.next == a && a != b
            && head != a && head != b && a != null && b != null;
        set Threads  process thread for self in Threads { skip; }
        invariant apart: !(a in addr2set(head));
        invariant together: a in addr2set(head);
        invariant round: reach(a, b) && reach(b, a);
        invariant ends: reach(a, null);";
    let mut t = Terms::default();
    let (head, a, b, null) = (t.global(0), t.global(1), t.global(2), t.add(Term::Null));
    let next = |t: &mut Terms, x: TermRef| t.add(Term::Next(0, x));
    let (after_head, after_a, after_b) = (next(&mut t, head), next(&mut t, a), next(&mut t, b));
    // From the head one comes to `null`, where there is no way on.
    let apart = vec![still(&[]).with(vec![
        Lemma::ReachUnfold(0, vec![], head, a),
        Lemma::ReachUnfold(0, vec![], after_head, a),
        Lemma::Transitive(null, after_head, a),
    ])];
    let round = vec![still(&[]).with(vec![
        Lemma::ReachStep(0, vec![], a),
        Lemma::ReachStep(0, vec![], b),
        Lemma::ReachEqual(0, vec![], after_a, b),
        Lemma::ReachEqual(0, vec![], after_b, a),
        Lemma::ReachTransitive(0, vec![], a, after_a, b),
        Lemma::ReachTransitive(0, vec![], b, after_b, a),
    ])];
    let nodes = vec![induction("apart", apart, vec![]), induction("round", round, vec![])];
    accept(&proved(source, t, nodes, vec![]));
    fails_at(source, "together", still(&[]), &Path::default());
    fails_at(source, "ends", still(&[]), &Path::default());
}

#[test]
fn trap_17_the_data_of_null_is_anything() {
    let source = "var a: addr;
        assume a != null && a.data == lowest && a.next == null;
        set Threads  process thread for self in Threads { skip; }
        invariant lowest_only: !(highest in set2elem(addr2set(a)));
        invariant without_null: !(highest in set2elem({a}));";
    fails_at(source, "lowest_only", still(&[]), &Path::default());
    let mut t = Terms::default();
    let a = t.global(0);
    let (single, highest, lowest) =
        (t.add(Term::Singleton(a)), t.add(Term::Highest), t.add(Term::Lowest));
    let witness = t.add(Term::Carrier(0, single, highest));
    let (data, own) = (t.add(Term::Data(0, witness)), t.add(Term::Data(0, a)));
    let lemmas = vec![
        Lemma::Carrier(0, single, highest),
        Lemma::Congruent(Field::Data, 0, witness, a),
        Lemma::Transitive(highest, data, own),
        Lemma::Transitive(highest, own, lowest),
    ];
    let nodes = vec![induction("without_null", vec![still(&[]).with(lemmas)], vec![])];
    accept(&proved(source, t, nodes, vec![]));
}

#[test]
fn trap_19_actions_come_one_after_the_other() {
    let source = "var x: int = 1;
        var y: int = 1;
        set Threads  process thread for self in Threads { loop { both: atomic { x := 1; y := x; x := y + y - 1; } } }
        invariant one: x == 1 && y == 1;
        invariant two: x == 2 || y == 2;";
    accept(&proved(source, Terms::default(), vec![induction("one", vec![], vec![])], vec![]));
    fails_at(source, "two", still(&[]), &Path::default());
}

#[test]
fn trap_20_a_choice_is_no_fact() {
    let source = "var x: int = 0;
        var b: bool;
        set Threads  process thread for self in Threads { loop { await b || x == 1; x := x; } }
        invariant one: x == 1;
        invariant still: b -> x == 0;";
    fails_at(source, "one", still(&[]), &Path::default());
    // The other branch of an `if` is not assumed either.
    let source = "var x: int = 0;
        set Threads  process thread for self in Threads { loop { atomic { if x == 0 { x := 1; } else { x := 0; } } } }
        invariant zero: x == 0;";
    fails_at(source, "zero", case(Mover::Fresh, 1, 0, &[0]), &Path::default());
}

#[test]
fn trap_21_threads_are_alike() {
    for formula in ["i < j", "i == 0", "i + 1 == j"] {
        let source = format!(
            "set Threads  process thread for self in Threads {{ skip; }} invariant p(i, j): {formula};"
        );
        let rejection = reject(&proved(&source, Terms::default(), vec![], vec![]));
        assert!(matches!(*rejection.reason, Reason::Source { .. }), "{formula}: {rejection}");
    }
}

#[test]
fn trap_22_ghosts_do_not_act() {
    for statement in ["await g == 0;", "x := g;", "skip ghost { x := 1; }", "if g == 0 { skip; }"] {
        let source = format!(
            "var x: int; ghost var g: int; set Threads  process thread for self in Threads {{ {statement} }}"
        );
        let rejection = reject(&proved(&source, Terms::default(), vec![], vec![]));
        assert!(matches!(*rejection.reason, Reason::Source { .. }), "{statement}: {rejection}");
    }
}

#[test]
fn a_thread_that_is_assigned_is_no_thread_of_an_invariant() {
    let source = "var chosen: Threads; set Threads  process thread for self in Threads { loop { chosen := self; } }
        invariant p: at(chosen, 1) || true;";
    let rejection = reject(&proved(source, Terms::default(), vec![], vec![]));
    assert!(matches!(*rejection.reason, Reason::Source { .. }), "{rejection}");
}

#[test]
fn a_procedure_returns_to_its_call() {
    let source = "var x: int = 0;
        set Threads  process thread for self in Threads { loop { first: p(); behind: skip; second: p(); x := 1; } }
        fn p() { inner: skip; }
        invariant zero: x == 0;
        invariant at_first(i): at(i, p) -> x == 0;";
    fails_at(source, "zero", case(Mover::Fresh, 4, 0, &[0]), &Path::default());
    // A return to the other call is not possible, but that is not known without an invariant.
    let source =
        "set Threads  process thread for self in Threads { var k: int = 0; loop { k := 0; first: p(); k := 1; second: p(); } }
        fn p() { inner: skip; }
        invariant zero(i): at(i, first) -> k[i] == 0;";
    accept(&proved(source, Terms::default(), vec![induction("zero", vec![], vec![])], vec![]));
}

#[test]
fn in_a_closed_system_there_are_only_so_many_threads() {
    let source = |threads: &str| {
        format!(
            "set Threads{threads} var n: int = 0;
             process thread for self in Threads {{ first: n := n + 1; second: skip; }}
             invariant once(i): at(i, first) -> n == 0;"
        )
    };
    let nodes = || vec![induction("once", vec![], vec![])];
    accept(&proved(&source(" == 1"), Terms::default(), nodes(), vec![]));
    let hard = case(Mover::Fresh, 0, 0, &[0, 1]);
    fails_at(&source(" == 2"), "once", hard.clone(), &Path::default());
    fails_at(&source(""), "once", hard, &Path::default());
}
