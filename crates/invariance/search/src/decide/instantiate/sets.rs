//! Sets: equality, inclusion, minimum, `set2elem`.

use super::{Care, Search};
use crate::logic::{Atom, Sort, Term, TermRef};
use ser_invariance_checker::Lemma;
use ser_syntax::inv::ast::Scalar;
use std::collections::BTreeSet;

impl Search<'_, '_> {
    /// What a set is made of: variables, singletons, ....
    fn parts(&self, set: TermRef, parts: &mut BTreeSet<TermRef>) {
        match *self.ground.logic.term(set) {
            Term::Union(a, b) | Term::Intersection(a, b) | Term::Difference(a, b) => {
                self.parts(a, parts);
                self.parts(b, parts);
            }
            _ => {
                parts.insert(set);
            }
        }
    }

    /// Terms of which it matters whether they are in one of these sets: those of which it is asked,
    /// one of each class.
    fn asked(&mut self, sets: &[TermRef]) -> Vec<TermRef> {
        let mut parts = BTreeSet::new();
        sets.iter().for_each(|set| self.parts(*set, &mut parts));
        let mut found: BTreeSet<TermRef> = BTreeSet::new();
        for part in &parts {
            if let Term::Singleton(t) = self.ground.logic.term(*part) {
                found.insert(*t);
            }
        }
        let cells: BTreeSet<(u32, TermRef)> = parts
            .iter()
            .filter_map(|part| match self.ground.logic.term(*part) {
                Term::Cells(heap, a) => Some((*heap, *a)),
                _ => None,
            })
            .collect();
        // In the end, every cell may be one of those that are reached.
        if self.care >= Care::Thorough && !cells.is_empty() {
            let null = self.ground.logic.null();
            found.extend(self.representatives(Sort::One(Scalar::Addr)).into_iter().chain([null]));
        }
        found.extend(self.atoms(|atom, _| match atom {
            Atom::In(u, s) if parts.contains(s) => Some(*u),
            Atom::Reach(heap, cut, a, u)
                if cells.contains(&(*heap, *a)) && self.ground.logic.cut(*cut).is_empty() =>
            {
                Some(*u)
            }
            _ => None,
        }));
        let numbers = sets.iter().any(|set| self.ground.logic.element(*set) == Some(Scalar::Int));
        if numbers {
            return self.ground.members.clone();
        }
        let found: BTreeSet<TermRef> = found.into_iter().map(|t| self.classes.of(t)).collect();
        found.into_iter().collect()
    }

    pub(super) fn sets(&mut self) {
        // A minimum that is spoken of is that of a set that is empty or not.
        for t in self.ground.terms.clone() {
            if let Term::Min(s) | Term::Max(s) = *self.ground.logic.term(t) {
                let some = self.logic().some(s);
                self.ground.ensure(some);
            }
        }
        for id in self.ground.atoms.clone() {
            let Some(value) = self.ground.value(id) else { continue };
            match *self.ground.logic.atom(id) {
                Atom::Same(s, t) if value => {
                    for u in self.asked(&[s, t]) {
                        self.say_if_broken(Lemma::Same(s, t, u));
                    }
                }
                Atom::Same(s, t) => self.say(Lemma::NotSame(s, t)),
                Atom::Subset(s, t) if value => {
                    for u in self.asked(&[s, t]) {
                        self.say_if_broken(Lemma::Subset(s, t, u));
                    }
                }
                Atom::Subset(s, t) => self.say(Lemma::NotSubset(s, t)),
                Atom::Some(s) => {
                    self.say_if_broken(Lemma::Extreme(s));
                    for u in self.asked(&[s]) {
                        self.say_if_broken(Lemma::Some(s, u));
                        self.say_if_broken(Lemma::Least(s, u));
                    }
                }
                // What is equal is in the same sets: ask for the one that stands for its class.
                Atom::In(u, s) if self.ground.logic.element(s) != Some(Scalar::Int) => {
                    let first = self.classes.of(u);
                    let other = self.logic().member(first, s);
                    if first != u && value && self.ground.eval(other) != Some(true) {
                        self.say(Lemma::Member(u, first, s));
                    } else if first != u && !value && self.ground.eval(other) == Some(true) {
                        self.say(Lemma::Member(first, u, s));
                    }
                }
                _ => {}
            }
        }
    }

    /// `set2elem`.
    pub(super) fn elements(&mut self) {
        let cells = self.terms(Sort::One(Scalar::Addr));
        for t in self.ground.terms.clone() {
            let Term::Elems(heap, s) = *self.ground.logic.term(t) else { continue };
            // One cell of each class. It is not asked of all of a class whether they are inside.
            let mut inside: BTreeSet<TermRef> = BTreeSet::new();
            for a in &cells {
                let member = self.logic().member(*a, s);
                if self.truth(member) && inside.insert(self.classes.of(*a)) {
                    self.say_if_broken(Lemma::ElemOf(heap, s, *a));
                }
            }
            let carried: BTreeSet<TermRef> = self
                .ground
                .terms
                .iter()
                .filter_map(|data| match *self.ground.logic.term(*data) {
                    Term::Data(at, x) if at == heap && inside.contains(&self.classes.of(x)) => {
                        Some(self.classes.of(*data))
                    }
                    _ => None,
                })
                .collect();
            let members = self.atoms(|atom, value| match atom {
                Atom::In(e, set) if *set == t && value => Some(*e),
                _ => None,
            });
            // One element of each class needs a cell.
            let mut open: BTreeSet<TermRef> = BTreeSet::new();
            for e in members {
                let class = self.classes.of(e);
                if !carried.contains(&class) && open.insert(class) {
                    self.say(Lemma::Carrier(heap, s, e));
                }
            }
        }
    }
}
