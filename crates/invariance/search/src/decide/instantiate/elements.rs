//! The order of elements.

use super::super::ground::Ground;
use super::{Graph, Search, Why};
use crate::logic::{Atom, Formula, Sort, Term, TermRef};
use rustc_hash::FxHashMap;
use ser_invariance_checker::Lemma;
use ser_syntax::inv::ast::Scalar;

const ELEM: Sort = Sort::One(Scalar::Elem);

/// `x <= y` as it follows from the solution: from whom to whom, in one step.
pub fn below(ground: &mut Ground<'_>) -> Vec<(TermRef, TermRef)> {
    let mut below = Vec::new();
    for id in ground.atoms.clone() {
        let Some(value) = ground.value(id) else { continue };
        match *ground.logic.atom(id) {
            Atom::Le(x, y) if value => below.push((x, y)),
            Atom::Le(x, y) => below.push((y, x)),
            Atom::Equal(x, y) if value && ground.logic.sort(x) == ELEM => {
                below.extend([(x, y), (y, x)]);
            }
            _ => {}
        }
    }
    let elems: Vec<TermRef> =
        ground.terms.iter().copied().filter(|t| ground.logic.sort(*t) == ELEM).collect();
    let end = |term: Term| elems.iter().copied().find(|t| *ground.logic.term(*t) == term);
    let (lowest, highest) = (end(Term::Lowest), end(Term::Highest));
    for x in &elems {
        if let Some(lowest) = lowest.filter(|it| it != x) {
            below.push((lowest, *x));
        }
        if let Some(highest) = highest.filter(|it| it != x) {
            below.push((*x, highest));
        }
    }
    below
}

impl Search<'_, '_> {
    pub(super) fn order(&mut self) {
        let below = below(self.ground);
        if below.is_empty() {
            return;
        }
        let graph = Graph::new(below);
        // `x <= y` is false, or must be: there is no way from x to y.
        let mut never = self.atoms(|atom, value| match atom {
            Atom::Le(x, y) if !value => Some((*x, *y)),
            _ => None,
        });
        let ends = self.terms(ELEM);
        let find = |term: &Term| ends.iter().copied().find(|t| self.ground.logic.term(*t) == term);
        if let (Some(lowest), Some(highest)) = (find(&Term::Lowest), find(&Term::Highest)) {
            never.push((highest, lowest));
        }
        let mut from: FxHashMap<TermRef, Vec<Option<usize>>> = FxHashMap::default();
        for (x, y) in never {
            let ways = from.entry(x).or_insert_with(|| graph.ways_from(x));
            if let Some(way) = graph.way_in(ways, x, y) {
                let mut why = Why::default();
                self.why_below(&way, &mut why);
                let goal = self.logic().le(x, y);
                self.conclude(why, goal);
            }
        }
        // Different, yet each below the other; or in a set and not in it.
        let mut apart = self.atoms(|atom, value| match atom {
            Atom::Equal(x, y) if !value => Some((*x, *y)),
            _ => None,
        });
        let members = self.atoms(|atom, value| match atom {
            Atom::In(x, s) => Some((*s, *x, value)),
            _ => None,
        });
        for (s, x, inside) in &members {
            let others = members.iter().filter(|(t, _, other)| s == t && *inside && !other);
            apart.extend(others.map(|(_, y, _)| (*x, *y)));
        }
        apart.retain(|(x, y)| self.ground.logic.sort(*x) == ELEM && !self.classes.same(*x, *y));
        for (x, y) in apart {
            if let (Some(there), Some(back)) = (graph.way(x, y), graph.way(y, x)) {
                let mut why = Why::default();
                self.why_below(&there, &mut why);
                self.why_below(&back, &mut why);
                why.lemmas.push(Lemma::Antisymmetric(x, y));
                let goal = self.logic().equal(x, y);
                self.conclude(why, goal);
            }
        }
    }

    /// Why the first of a way is below the last.
    fn why_below(&mut self, way: &[TermRef], why: &mut Why) {
        for pair in way.windows(2) {
            let [x, y] = [pair[0], pair[1]];
            let logic = &mut *self.ground.logic;
            let (le, back, equal) = (logic.le(x, y), logic.le(y, x), logic.equal(x, y));
            if le == Formula::TRUE || self.ground.eval(le) == Some(true) {
                why.unless.push(!le);
            } else if self.ground.eval(equal) == Some(true) {
                why.unless.push(!equal);
                why.lemmas.push(Lemma::Antisymmetric(x, y));
            } else {
                why.unless.push(back);
                why.lemmas.push(Lemma::Total(x, y));
            }
        }
        if let [x, rest @ ..] = way {
            for pair in rest.windows(2) {
                why.lemmas.push(Lemma::LeTransitive(*x, pair[0], pair[1]));
            }
        }
    }
}
