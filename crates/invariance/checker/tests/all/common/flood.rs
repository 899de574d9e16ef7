//! All lemmas that one can think of: every axiom for all small terms.

use crate::common::Terms;
use ser_invariance_checker::{Lemma, Term, TermRef};
use ser_syntax::inv::ast::{Field, Scalar, Type};

/// What is known of the path.
#[derive(Default)]
pub struct Path {
    /// The types of what it chooses.
    pub chosen: Vec<Type>,
    /// What it writes: the field, and the term of the address.
    pub writes: Vec<(Field, Term)>,
}

/// Lemmas about all variables of so many threads, their fields and sums.
pub fn flood(source: &str, blocks: u32, path: &Path) -> (Terms, Vec<Lemma>) {
    let system = ser_syntax::inv::parse(source).system;
    let mut terms = Terms::default();
    let (mut ints, mut tids, mut addresses, mut elements) = (vec![], vec![], vec![], vec![]);
    let mut sets: Vec<(Scalar, TermRef)> = vec![];
    let mut add = |terms: &mut Terms, ty: Type, term: Term| {
        let number = terms.add(term);
        match ty {
            Type::Bool => {}
            Type::Scalar(Scalar::Int) => ints.push(number),
            Type::Scalar(Scalar::Tid) => tids.push(number),
            Type::Scalar(Scalar::Addr) => addresses.push(number),
            Type::Scalar(Scalar::Elem) => elements.push(number),
            Type::Set(of) => sets.push((of, number)),
        }
    };
    for (number, global) in system.globals.iter().enumerate() {
        if global.ty != Type::Bool {
            add(&mut terms, global.ty, Term::Global(number as u32));
        }
    }
    for (number, local) in system.locals.iter().enumerate() {
        for block in 0..blocks {
            if local.ty != Type::Bool {
                add(&mut terms, local.ty, Term::Local(number as u32, block));
            }
        }
    }
    for (number, ty) in path.chosen.iter().enumerate() {
        if *ty != Type::Bool {
            add(&mut terms, *ty, Term::New(number as u32));
        }
    }
    for block in 0..blocks {
        add(&mut terms, Type::Scalar(Scalar::Tid), Term::Thread(block));
    }
    add(&mut terms, Type::Scalar(Scalar::Tid), Term::Nobody);
    add(&mut terms, Type::Scalar(Scalar::Addr), Term::Null);
    add(&mut terms, Type::Scalar(Scalar::Elem), Term::Lowest);
    add(&mut terms, Type::Scalar(Scalar::Elem), Term::Highest);

    let mut lemmas = Vec::new();
    numbers(&mut terms, &mut ints, &sets, &mut lemmas);
    if addresses.len() > 1 {
        heap(&mut terms, &addresses, &mut elements, &mut tids, path, &mut lemmas);
    }
    for (of, set) in &sets {
        let members = match of {
            Scalar::Int => &ints,
            Scalar::Tid => &tids,
            Scalar::Addr => &addresses,
            Scalar::Elem => &elements,
        };
        for u in members.iter().take(12) {
            lemmas.push(Lemma::Some(*set, *u));
            lemmas.extend(members.iter().take(12).map(|v| Lemma::Member(*u, *v, *set)));
            for (_, other) in sets.iter().filter(|it| it.0 == *of) {
                lemmas.push(Lemma::Same(*set, *other, *u));
                lemmas.push(Lemma::Subset(*set, *other, *u));
            }
        }
        for (_, other) in sets.iter().filter(|it| it.0 == *of) {
            lemmas.push(Lemma::NotSame(*set, *other));
            lemmas.push(Lemma::NotSubset(*set, *other));
        }
    }
    for x in &elements {
        for y in &elements {
            lemmas.extend([Lemma::Total(*x, *y), Lemma::Antisymmetric(*x, *y)]);
            lemmas.extend(elements.iter().map(|z| Lemma::LeTransitive(*x, *y, *z)));
        }
    }
    for group in [&tids, &addresses, &elements] {
        for x in group {
            for y in group {
                lemmas.extend(group.iter().map(|z| Lemma::Transitive(*x, *y, *z)));
            }
        }
    }
    (terms, lemmas)
}

/// All contradictions of two or three differences.
fn numbers(
    terms: &mut Terms,
    ints: &mut Vec<TermRef>,
    sets: &[(Scalar, TermRef)],
    lemmas: &mut Vec<Lemma>,
) {
    for (_, set) in sets.iter().filter(|it| it.0 == Scalar::Int) {
        let (min, max) = (terms.add(Term::Min(*set)), terms.add(Term::Max(*set)));
        ints.extend([min, max]);
        lemmas.push(Lemma::Extreme(*set));
    }
    for (_, set) in sets.iter().filter(|it| it.0 == Scalar::Int) {
        lemmas.extend(ints.iter().map(|u| Lemma::Least(*set, *u)));
    }
    ints.truncate(6);
    for x in ints.iter() {
        for c in -2..3 {
            let (f, g) = (terms.sum(c, &[(1, *x)]), terms.sum(-c - 1, &[(-1, *x)]));
            lemmas.push(Lemma::Farkas(vec![(f, 1), (g, 1)]));
        }
        for y in ints.iter() {
            for c in -2..3 {
                for d in -2..(-c) {
                    lemmas.push(terms.apart(*x, *y, c, d));
                }
            }
            for z in ints.iter() {
                for (c, d, e) in [(0, 0, -1), (0, -1, 0), (-1, 0, 0), (1, -1, -1), (-1, 1, -1)] {
                    let forms =
                        [terms.minus(*x, *y, c), terms.minus(*y, *z, d), terms.minus(*z, *x, e)];
                    lemmas.push(Lemma::Farkas(forms.iter().map(|it| (*it, 1)).collect()));
                }
            }
        }
    }
}

/// Fields in all versions, and ways from all cells to all others.
fn heap(
    terms: &mut Terms,
    addresses: &[TermRef],
    elements: &mut Vec<TermRef>,
    tids: &mut Vec<TermRef>,
    path: &Path,
    lemmas: &mut Vec<Lemma>,
) {
    let written: Vec<TermRef> = path.writes.iter().map(|it| terms.add(it.1.clone())).collect();
    let mut cells = addresses.to_vec();
    for h in 0..=path.writes.len() as u32 {
        for a in addresses {
            cells.push(terms.add(Term::Next(h, *a)));
            elements.push(terms.add(Term::Data(h, *a)));
            tids.push(terms.add(Term::Lockid(h, *a)));
        }
    }
    elements.truncate(8);
    tids.truncate(12);
    cells.truncate(10);
    for h in 0..=path.writes.len() as u32 {
        lemmas.extend([Lemma::OfNull(Field::Next, h), Lemma::OfNull(Field::Lockid, h)]);
        if let Some((field, _)) = (h as usize).checked_sub(1).and_then(|it| path.writes.get(it)) {
            lemmas.extend(cells.iter().map(|x| Lemma::Read(*field, h, *x)));
            let cut = vec![written[h as usize - 1]];
            if *field == Field::Next {
                for x in &cells {
                    let write = |y: &TermRef| Lemma::ReachWrite(h, cut.clone(), *x, *y);
                    lemmas.extend(cells.iter().map(write));
                }
            }
        }
        let cuts: Vec<Vec<TermRef>> =
            std::iter::once(vec![]).chain(addresses.iter().take(3).map(|it| vec![*it])).collect();
        for x in &cells {
            for y in &cells {
                for field in [Field::Next, Field::Data, Field::Lockid] {
                    lemmas.push(Lemma::Congruent(field, h, *x, *y));
                }
                lemmas.push(Lemma::OrderedReaches(h, *x, *y));
                lemmas.push(Lemma::NotOrdered(h, *x, *y));
                lemmas.push(Lemma::OrderedGrows(h, *x, *y, *x, *y));
                for cut in &cuts {
                    let cut = || cut.clone();
                    lemmas.push(Lemma::ReachEqual(h, cut(), *x, *y));
                    lemmas.push(Lemma::ReachUnfold(h, cut(), *x, *y));
                    lemmas.push(Lemma::ReachPredecessor(h, cut(), *x, *y));
                    lemmas.push(Lemma::ReachLoop(h, cut(), vec![*x], *y));
                    lemmas.push(Lemma::ReachStep(h, cut(), *x));
                    for z in cells.iter().take(4) {
                        lemmas.push(Lemma::ReachTransitive(h, cut(), *x, *y, *z));
                        lemmas.push(Lemma::ReachLinear(h, cut(), *x, *y, *z));
                        lemmas.push(Lemma::ReachCycle(h, cut(), *x, *y, *z));
                        lemmas.push(Lemma::ReachCut(h, cut(), *x, *y, *z));
                    }
                }
            }
        }
    }
}
