//! Each axiom once: what it gives, that nothing else gives it, and a lemma that is refused.

use crate::axiom::Axioms;
use crate::certificate::{Lemma, Term, TermRef};
use crate::environment::{Heap, Write};
use crate::logic::{Formula, Logic};
use crate::propositional::{Domain, Found, refute};
use crate::rejection::Problem;
use crate::table::Table;
use rustc_hash::FxHashMap;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::Field;

const VARIABLES: &str = "
    var a: addr; var b: addr; var c: addr;
    var d: elem; var e: elem; var f: elem;
    var n: int; var m: int;
    var s: set of int; var t: set of int;
    var p: set of addr; var q: set of addr;
    set Threads  process thread for self in Threads { skip; }
";

// The terms of the table, by number.
const A: TermRef = TermRef(0);
const B: TermRef = TermRef(1);
const C: TermRef = TermRef(2);
const D: TermRef = TermRef(3);
const E: TermRef = TermRef(4);
const F: TermRef = TermRef(5);
const N: TermRef = TermRef(6);
const M: TermRef = TermRef(7);
const S: TermRef = TermRef(8);
const T: TermRef = TermRef(9);
const P: TermRef = TermRef(10);
const Q: TermRef = TermRef(11);
const NULL: TermRef = TermRef(12);
const NOBODY: TermRef = TermRef(13);
const NEXT_A: TermRef = TermRef(14);
const NEXT_B: TermRef = TermRef(15);
/// In the version after `a.next := b`.
const NEW_NEXT_C: TermRef = TermRef(16);
const NEW_NEXT_A: TermRef = TermRef(17);
const LOCKID_NULL: TermRef = TermRef(18);
const DIFFER: TermRef = TermRef(19);
const OUTSIDE: TermRef = TermRef(20);
const MIN: TermRef = TermRef(21);
const MAX: TermRef = TermRef(22);
const ELEMS: TermRef = TermRef(23);
const DATA_A: TermRef = TermRef(24);
const CARRIER: TermRef = TermRef(25);
const DATA_CARRIER: TermRef = TermRef(26);
const FIRST: TermRef = TermRef(27);
const SECOND: TermRef = TermRef(28);
/// `n - m`, `m - n - 2`.
const N_M: TermRef = TermRef(29);
const M_N: TermRef = TermRef(30);
const DATA_B: TermRef = TermRef(31);
const NEXT_C: TermRef = TermRef(32);
const DATA_FIRST: TermRef = TermRef(33);
const DATA_SECOND: TermRef = TermRef(34);
const CELLS: TermRef = TermRef(35);
const EMPTY: TermRef = TermRef(36);
const NEXT_NULL: TermRef = TermRef(37);
const CELLS_OF_C: TermRef = TermRef(38);
const NEW_NEXT_NULL: TermRef = TermRef(39);

fn terms() -> Vec<Term> {
    let mut terms: Vec<Term> = (0..12).map(Term::Global).collect();
    terms.extend([
        Term::Null,
        Term::Nobody,
        Term::Next(0, A),
        Term::Next(0, B),
        Term::Next(1, C),
        Term::Next(1, A),
        Term::Lockid(1, NULL),
        Term::Differ(S, T),
        Term::Outside(S, T),
        Term::Min(S),
        Term::Max(S),
        Term::Elems(0, P),
        Term::Data(0, A),
        Term::Carrier(0, P, E),
        Term::Data(0, CARRIER),
        Term::First(0, A, B),
        Term::Second(0, A, B),
        Term::Sum { constant: 0, parts: vec![(1, N), (-1, M)] },
        Term::Sum { constant: -2, parts: vec![(-1, N), (1, M)] },
        Term::Data(0, B),
        Term::Next(0, C),
        Term::Data(0, FIRST),
        Term::Data(0, SECOND),
        Term::Cells(0, A),
        Term::Empty,
        Term::Next(0, NULL),
        Term::Cells(0, C),
        Term::Next(1, NULL),
    ]);
    terms
}

/// A formula over numbers of terms.
enum Says {
    Equal(TermRef, TermRef),
    Le(TermRef, TermRef),
    AtMost(TermRef, TermRef),
    In(TermRef, TermRef),
    Subset(TermRef, TermRef),
    Some(TermRef),
    Reach(u32, Vec<TermRef>, TermRef, TermRef),
    Ordered(TermRef, TermRef),
    /// The form is at least 0.
    Form(TermRef),
    Not(Box<Says>),
}

use Says::{AtMost, Equal, Form, In, Le, Ordered, Reach, Some as SomeOf, Subset};

fn not(says: Says) -> Says {
    Says::Not(Box::new(says))
}

impl Says {
    fn formula(&self, table: &mut Table<'_>) -> Formula {
        let mut term = |number: TermRef| -> TermRef { table.term(number).expect("typed") };
        match self {
            Equal(x, y) => {
                let (x, y) = (term(*x), term(*y));
                table.axioms.logic.equal(x, y)
            }
            Le(x, y) => {
                let (x, y) = (term(*x), term(*y));
                table.axioms.logic.le(x, y)
            }
            AtMost(x, y) => {
                let (x, y) = (term(*x), term(*y));
                table.axioms.logic.at_least(y, x)
            }
            In(u, s) => {
                let (u, s) = (term(*u), term(*s));
                table.axioms.logic.member(u, s)
            }
            Subset(s, t) => {
                let (s, t) = (term(*s), term(*t));
                table.axioms.logic.subset(s, t)
            }
            SomeOf(s) => {
                let s = term(*s);
                table.axioms.logic.some(s)
            }
            Reach(version, cut, x, y) => {
                let cut: Vec<TermRef> = cut.iter().map(|it| term(*it)).collect();
                let (x, y) = (term(*x), term(*y));
                let cut = table.axioms.logic.cut_id(&cut);
                table.axioms.logic.reach(*version, cut, x, y)
            }
            Ordered(a, b) => {
                let (a, b) = (term(*a), term(*b));
                table.axioms.logic.ordered(0, a, b)
            }
            Form(form) => {
                let form = term(*form);
                table.axioms.logic.not_negative(form)
            }
            Says::Not(inner) => !inner.formula(table),
        }
    }
}

fn with_table<R>(work: impl FnOnce(&mut Table<'_>) -> R) -> R {
    let parse = ser_syntax::inv::parse(VARIABLES);
    assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
    let system: System = parse.system;
    let (mut logic, terms) = (Logic::new(), terms());
    let mut heap = Heap::default();
    let table = |logic: &mut Logic, heap: &Heap, work: &mut dyn FnMut(&mut Table<'_>)| {
        let made = FxHashMap::default();
        let axioms = Axioms { logic, heap };
        work(&mut Table { system: &system, terms: &terms, axioms, chosen: &[], blocks: 1, made });
    };
    let mut write = None;
    table(&mut logic, &Heap::default(), &mut |table| {
        let (address, value) = (table.term(A).expect("typed"), table.term(B).expect("typed"));
        write = Some(Write { field: Field::Next, address, value });
    });
    heap.push(write.expect("made"));
    let (mut work, mut result) = (Some(work), None);
    table(&mut logic, &heap, &mut |table| result = work.take().map(|work| work(table)));
    result.expect("done")
}

/// The lemma gives the conclusion from the premises, which do not give it without.
fn gives(premises: Vec<Says>, lemma: Lemma, conclusion: Says) {
    with_table(|table| {
        let found = table.clauses(&lemma);
        let found = found.unwrap_or_else(|problem| panic!("{lemma:?}: {problem}"));
        let mut asserted: Vec<Formula> = premises.iter().map(|it| it.formula(table)).collect();
        asserted.push(!conclusion.formula(table));
        let domain = Domain { locations: 2, calls: &[] };
        let limits = Default::default();
        let refuted = |clauses: &[Vec<Formula>]| {
            let found = refute(table.axioms.logic, &domain, &asserted, clauses, &limits);
            !matches!(found.expect("no limits"), Found::Solution)
        };
        assert!(refuted(&found), "{lemma:?}");
        assert!(!refuted(&[]), "without {lemma:?}");
    });
}

fn refused(lemma: Lemma, wanted: Problem) {
    with_table(|table| {
        assert_eq!(table.clauses(&lemma), Err(wanted), "{lemma:?}");
    });
}

fn no_address(term: TermRef) -> Problem {
    Problem::Sort { term, wanted: "an address" }
}

fn no_element(term: TermRef) -> Problem {
    Problem::Sort { term, wanted: "an element" }
}

fn r(x: TermRef, y: TermRef) -> Says {
    Reach(0, vec![], x, y)
}

/// With the cut `{b}`.
fn rb(x: TermRef, y: TermRef) -> Says {
    Reach(0, vec![B], x, y)
}

#[test]
fn transitive() {
    gives(vec![Equal(A, B), Equal(B, C)], Lemma::Transitive(A, B, C), Equal(A, C));
    gives(vec![Equal(A, B), not(Equal(A, C))], Lemma::Transitive(A, B, C), not(Equal(B, C)));
    gives(vec![Equal(P, Q), Equal(Q, CELLS)], Lemma::Transitive(P, Q, CELLS), Equal(P, CELLS));
    refused(Lemma::Transitive(A, B, D), Problem::OtherSort { first: B, second: D });
    // The empty set has any type, but does not make numbers addresses.
    refused(Lemma::Transitive(S, EMPTY, P), Problem::OtherSort { first: S, second: P });
    refused(Lemma::Transitive(N, M, N), Problem::Numbers);
    refused(Lemma::Transitive(A, B, TermRef(99)), Problem::NoTerm { term: TermRef(99) });
}

#[test]
fn congruent() {
    gives(vec![Equal(A, B)], Lemma::Congruent(Field::Next, 0, A, B), Equal(NEXT_A, NEXT_B));
    gives(vec![Equal(A, B)], Lemma::Congruent(Field::Data, 1, A, B), Equal(DATA_A, DATA_B));
    refused(Lemma::Congruent(Field::Next, 0, A, D), no_address(D));
    refused(Lemma::Congruent(Field::Next, 2, A, B), Problem::NoVersion { version: 2 });
}

#[test]
fn total() {
    gives(vec![not(Le(D, E))], Lemma::Total(D, E), Le(E, D));
    refused(Lemma::Total(D, N), no_element(N));
}

#[test]
fn le_transitive() {
    gives(vec![Le(D, E), Le(E, F)], Lemma::LeTransitive(D, E, F), Le(D, F));
    refused(Lemma::LeTransitive(D, E, A), no_element(A));
}

#[test]
fn antisymmetric() {
    gives(vec![Le(D, E), Le(E, D)], Lemma::Antisymmetric(D, E), Equal(D, E));
    gives(vec![Equal(D, E)], Lemma::Antisymmetric(D, E), Le(D, E));
    gives(vec![Equal(D, E)], Lemma::Antisymmetric(D, E), Le(E, D));
    refused(Lemma::Antisymmetric(A, B), no_element(A));
}

#[test]
fn farkas() {
    let both = Lemma::Farkas(vec![(N_M, 1), (M_N, 1)]);
    gives(vec![Form(N_M)], both.clone(), not(Form(M_N)));
    gives(vec![Form(M_N)], both, not(Form(N_M)));
    refused(Lemma::Farkas(vec![(N_M, 1)]), Problem::NoContradiction);
    refused(Lemma::Farkas(vec![(N_M, 2), (M_N, 1)]), Problem::NoContradiction);
    refused(Lemma::Farkas(vec![(N_M, 0), (M_N, 0)]), Problem::NoContradiction);
    refused(Lemma::Farkas(vec![]), Problem::NoContradiction);
    refused(Lemma::Farkas(vec![(A, 1)]), Problem::Sort { term: A, wanted: "a number" });
    let large = vec![(N_M, u64::MAX); 3];
    refused(Lemma::Farkas(large), Problem::NoContradiction);
}

#[test]
fn split_says_nothing() {
    with_table(|table| {
        let form = Form(N_M).formula(table);
        assert_eq!(table.clauses(&Lemma::Split(N_M)), Ok(vec![vec![form, !form]]));
    });
    refused(Lemma::Split(A), Problem::Sort { term: A, wanted: "a number" });
}

#[test]
fn read() {
    let lemma = |x| Lemma::Read(Field::Next, 1, x);
    gives(vec![Equal(C, A), not(Equal(A, NULL))], lemma(C), Equal(NEW_NEXT_C, B));
    gives(vec![not(Equal(A, NULL))], lemma(A), Equal(NEW_NEXT_A, B));
    gives(vec![not(Equal(C, A))], lemma(C), Equal(NEW_NEXT_C, NEXT_C));
    refused(Lemma::Read(Field::Data, 1, A), Problem::NoWrite { version: 1 });
    refused(Lemma::Read(Field::Next, 0, A), Problem::NoWrite { version: 0 });
    refused(Lemma::Read(Field::Next, 2, A), Problem::NoVersion { version: 2 });
    refused(Lemma::Read(Field::Next, u32::MAX, A), Problem::NoVersion { version: u32::MAX });
    refused(lemma(D), no_address(D));
}

#[test]
fn what_is_written_to_null_is_not_read() {
    with_table(|table| {
        let mut found = Vec::new();
        for lemma in [
            Lemma::Read(Field::Next, 1, A),
            Lemma::Read(Field::Next, 1, NULL),
            Lemma::OfNull(Field::Next, 0),
            Lemma::OfNull(Field::Next, 1),
            Lemma::Congruent(Field::Next, 1, A, NULL),
            Lemma::Transitive(NEW_NEXT_A, NULL, B),
            Lemma::Transitive(NULL, NEW_NEXT_NULL, B),
        ] {
            found.extend(table.clauses(&lemma).expect("typed"));
        }
        // `null.next := b` for a `b` that is not `null` is no contradiction: it is an error that
        // has to be found.
        let asserted = [Equal(A, NULL).formula(table), not(Equal(B, NULL)).formula(table)];
        let domain = Domain { locations: 2, calls: &[] };
        let answer = refute(table.axioms.logic, &domain, &asserted, &found, &Default::default());
        assert!(matches!(answer, Ok(Found::Solution)), "{answer:?}");
    });
}

#[test]
fn of_null() {
    gives(vec![], Lemma::OfNull(Field::Next, 0), Equal(NEXT_NULL, NULL));
    gives(vec![], Lemma::OfNull(Field::Lockid, 1), Equal(LOCKID_NULL, NOBODY));
    refused(Lemma::OfNull(Field::Data, 0), Problem::DataOfNull);
    refused(Lemma::OfNull(Field::Next, 7), Problem::NoVersion { version: 7 });
}

#[test]
fn same() {
    gives(vec![Equal(S, T), In(N, S)], Lemma::Same(S, T, N), In(N, T));
    gives(vec![Equal(S, T), In(N, T)], Lemma::Same(S, T, N), In(N, S));
    refused(Lemma::Same(S, T, A), Problem::OtherSort { first: T, second: A });
    refused(Lemma::Same(S, P, N), Problem::OtherSort { first: S, second: P });
    refused(Lemma::Same(S, EMPTY, A), Problem::OtherSort { first: S, second: A });
}

#[test]
fn not_same() {
    gives(vec![not(Equal(S, T)), not(In(DIFFER, S))], Lemma::NotSame(S, T), In(DIFFER, T));
    gives(vec![not(Equal(S, T)), In(DIFFER, S)], Lemma::NotSame(S, T), not(In(DIFFER, T)));
    refused(Lemma::NotSame(N, M), Problem::Sort { term: N, wanted: "a set" });
}

#[test]
fn subset() {
    gives(vec![Subset(S, T), In(N, S)], Lemma::Subset(S, T, N), In(N, T));
    refused(Lemma::Subset(S, T, S), Problem::OtherSort { first: T, second: S });
}

#[test]
fn not_subset() {
    gives(vec![not(Subset(S, T))], Lemma::NotSubset(S, T), In(OUTSIDE, S));
    gives(vec![not(Subset(S, T))], Lemma::NotSubset(S, T), not(In(OUTSIDE, T)));
    refused(Lemma::NotSubset(S, P), Problem::OtherSort { first: S, second: P });
}

#[test]
fn member() {
    gives(vec![Equal(A, B), In(A, P)], Lemma::Member(A, B, P), In(B, P));
    gives(vec![Equal(A, B), r(C, A)], Lemma::Member(A, B, CELLS_OF_C), r(C, B));
    refused(Lemma::Member(A, N, P), Problem::OtherSort { first: P, second: N });
    refused(Lemma::Member(A, N, EMPTY), Problem::OtherSort { first: A, second: N });
}

#[test]
fn some() {
    gives(vec![In(N, S)], Lemma::Some(S, N), SomeOf(S));
    refused(Lemma::Some(N, S), Problem::Sort { term: N, wanted: "a set" });
}

#[test]
fn extreme() {
    gives(vec![SomeOf(S)], Lemma::Extreme(S), In(MIN, S));
    gives(vec![SomeOf(S)], Lemma::Extreme(S), In(MAX, S));
    refused(Lemma::Extreme(P), Problem::Sort { term: P, wanted: "a set of numbers" });
}

#[test]
fn least() {
    gives(vec![In(N, S)], Lemma::Least(S, N), AtMost(MIN, N));
    gives(vec![In(N, S)], Lemma::Least(S, N), AtMost(N, MAX));
    refused(Lemma::Least(P, A), Problem::Sort { term: P, wanted: "a set of numbers" });
}

#[test]
fn elem_of() {
    gives(vec![In(A, P)], Lemma::ElemOf(0, P, A), In(DATA_A, ELEMS));
    refused(Lemma::ElemOf(0, S, A), Problem::Sort { term: S, wanted: "a set of addresses" });
}

#[test]
fn carrier() {
    gives(vec![In(E, ELEMS)], Lemma::Carrier(0, P, E), In(CARRIER, P));
    gives(vec![In(E, ELEMS)], Lemma::Carrier(0, P, E), Equal(DATA_CARRIER, E));
    refused(Lemma::Carrier(0, P, A), no_element(A));
}

#[test]
fn reach_equal() {
    gives(vec![Equal(A, C)], Lemma::ReachEqual(0, vec![B], A, C), rb(A, C));
    refused(Lemma::ReachEqual(0, vec![D], A, C), no_address(D));
}

#[test]
fn reach_transitive() {
    gives(vec![r(A, B), r(B, C)], Lemma::ReachTransitive(0, vec![], A, B, C), r(A, C));
    refused(Lemma::ReachTransitive(0, vec![], A, B, N), no_address(N));
}

#[test]
fn reach_linear() {
    let lemma = Lemma::ReachLinear(0, vec![], A, B, C);
    gives(vec![r(A, B), r(A, C), not(r(B, C))], lemma, r(C, B));
    refused(Lemma::ReachLinear(3, vec![], A, B, C), Problem::NoVersion { version: 3 });
}

#[test]
fn reach_step() {
    let lemma = Lemma::ReachStep(0, vec![B], A);
    gives(vec![not(Equal(A, NULL)), not(Equal(A, B))], lemma, rb(A, NEXT_A));
    refused(Lemma::ReachStep(0, vec![], S), no_address(S));
}

#[test]
fn reach_unfold() {
    let lemma = || Lemma::ReachUnfold(0, vec![B], A, C);
    gives(vec![rb(A, C), not(Equal(A, C))], lemma(), rb(NEXT_A, C));
    gives(vec![rb(A, C), not(Equal(A, C))], lemma(), not(Equal(A, B)));
    gives(vec![rb(A, C), not(Equal(A, C))], lemma(), not(Equal(A, NULL)));
    refused(Lemma::ReachUnfold(0, vec![], A, E), no_address(E));
}

#[test]
fn reach_cycle() {
    let lemma = Lemma::ReachCycle(0, vec![], A, B, C);
    gives(vec![r(A, B), r(B, A), r(A, C), not(Equal(A, B))], lemma, r(C, A));
    refused(
        Lemma::ReachCycle(0, vec![TermRef(99)], A, B, C),
        Problem::NoTerm { term: TermRef(99) },
    );
}

#[test]
fn reach_predecessor() {
    let lemma = Lemma::ReachPredecessor(0, vec![], A, B);
    gives(vec![r(A, B), r(B, A), Equal(NEXT_A, NEXT_B)], lemma, Equal(A, B));
    refused(Lemma::ReachPredecessor(0, vec![], A, T), no_address(T));
}

#[test]
fn reach_loop() {
    let lemma = Lemma::ReachLoop(0, vec![], vec![A, B], C);
    let premises = vec![Equal(NEXT_A, B), Equal(NEXT_B, A), r(A, C), not(Equal(C, A))];
    gives(premises, lemma, Equal(C, B));
    refused(Lemma::ReachLoop(0, vec![], vec![], C), Problem::EmptyLoop);
}

#[test]
fn reach_cut() {
    // From `a` to `c`, around `b` or through it.
    let lemma = || Lemma::ReachCut(0, vec![], B, A, C);
    gives(vec![r(A, C), not(rb(A, C))], lemma(), rb(A, B));
    gives(vec![r(A, C), not(rb(A, C))], lemma(), rb(NEXT_B, C));
    gives(vec![r(A, C), not(rb(A, C))], lemma(), not(Equal(B, NULL)));
    gives(vec![rb(A, C)], lemma(), r(A, C));
    gives(vec![rb(A, B), rb(NEXT_B, C), not(Equal(B, NULL))], lemma(), r(A, C));
    refused(Lemma::ReachCut(0, vec![], D, A, C), no_address(D));
}

#[test]
fn reach_write() {
    let lemma = || Lemma::ReachWrite(1, vec![B, A], B, C);
    gives(vec![Reach(1, vec![A, B], B, C)], lemma(), Reach(0, vec![A, B], B, C));
    gives(vec![Reach(0, vec![A, B], B, C)], lemma(), Reach(1, vec![A, B], B, C));
    refused(Lemma::ReachWrite(1, vec![B], B, C), Problem::NotCut);
    refused(Lemma::ReachWrite(0, vec![A], B, C), Problem::NoWrite { version: 0 });
}

#[test]
fn ordered_reaches() {
    gives(vec![Ordered(A, B)], Lemma::OrderedReaches(0, A, B), rb(A, B));
    refused(Lemma::OrderedReaches(0, A, D), no_address(D));
}

#[test]
fn ordered_grows() {
    let premises = vec![Ordered(A, B), rb(A, A), rb(A, B), rb(B, B), not(Equal(A, B))];
    gives(premises, Lemma::OrderedGrows(0, A, B, A, B), not(Le(DATA_B, DATA_A)));
    refused(Lemma::OrderedGrows(9, A, B, A, B), Problem::NoVersion { version: 9 });
}

#[test]
fn not_ordered() {
    let lemma = || Lemma::NotOrdered(0, A, B);
    let premises = || vec![not(Ordered(A, B)), rb(A, B)];
    for (x, y) in [(A, FIRST), (FIRST, B), (A, SECOND), (SECOND, B), (FIRST, SECOND)] {
        gives(premises(), lemma(), rb(x, y));
    }
    gives(premises(), lemma(), not(Equal(FIRST, SECOND)));
    gives(premises(), lemma(), Le(DATA_SECOND, DATA_FIRST));
    refused(Lemma::NotOrdered(0, P, Q), no_address(P));
}
