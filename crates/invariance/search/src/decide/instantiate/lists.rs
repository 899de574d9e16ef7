//! Reachability and ordered lists.
//!
//! Reachability in a heap after writes is traced back to the heap before the step, in which the
//! edges of the cells that were written are cut. Only there the axioms of paths are needed;
//! everything coarser is defined by it.
//!
//! There may be several such cuts, since an ordered list is cut at its end: none of them is finer
//! than the others, and two descriptions of the same ways need not fit together. With
//! [`Care::Finest`], all are traced back to the one that cuts at all of these cells.

use super::{Care, Search, Why};
use crate::logic::{Atom, CutId, Field, Sort, TermRef};
use ser_invariance_checker::Lemma;
use ser_syntax::inv::ast::Scalar;
use std::collections::{BTreeMap, BTreeSet};

type Structure = (u32, CutId);
type Relation = BTreeMap<TermRef, BTreeSet<TermRef>>;

impl Search<'_, '_> {
    pub(super) fn lists(&mut self) {
        self.ordered();
        let reach = self.atoms(|atom, value| match atom {
            Atom::Reach(heap, cut, x, y) => Some(((*heap, *cut), *x, *y, value)),
            _ => None,
        });
        let structures: BTreeSet<Structure> = reach.iter().map(|(it, ..)| *it).collect();
        let cut_cells: BTreeSet<TermRef> =
            structures.iter().flat_map(|(_, cut)| self.ground.logic.cut(*cut).to_vec()).collect();
        // Down to the heap before the step, and to finer cuts.
        for ((heap, cut), x, y, _) in &reach {
            let cells = self.ground.logic.cut(*cut).to_vec();
            if *heap > 0 {
                let written = self.ground.heap.writes()[*heap as usize - 1].address;
                self.say_if_broken(if cells.contains(&written) {
                    Lemma::ReachWrite(*heap, cells.clone(), *x, *y)
                } else {
                    Lemma::ReachCut(*heap, cells.clone(), written, *x, *y)
                });
            } else {
                for u in &cut_cells {
                    let finer = self.finer(*cut, *u);
                    let is_there = finer.is_some_and(|finer| structures.contains(&(0, finer)));
                    if is_there || (self.care == Care::Finest && finer.is_some()) {
                        self.say_if_broken(Lemma::ReachCut(0, cells.clone(), *u, *x, *y));
                    }
                    if self.care == Care::Finest && finer.is_some() {
                        break;
                    }
                }
            }
        }
        for structure in &structures {
            let (heap, cut) = *structure;
            let is_finer = |this: &mut Self, u: &TermRef| {
                let finer = this.finer(cut, *u);
                finer.is_some_and(|finer| structures.contains(&(0, finer)))
            };
            if heap == 0 && !cut_cells.iter().any(|u| is_finer(self, u)) {
                let pairs = reach.iter().filter(|(it, ..)| it == structure);
                let pairs: Vec<_> = pairs.map(|(_, x, y, value)| (*x, *y, *value)).collect();
                self.paths(heap, cut, &pairs);
            }
        }
    }

    /// The cut with one more cell; nothing if it is in it already.
    fn finer(&mut self, cut: CutId, u: TermRef) -> Option<CutId> {
        let mut cells = self.ground.logic.cut(cut).to_vec();
        if cells.contains(&u) {
            return None;
        }
        cells.push(u);
        cells.sort_unstable();
        Some(self.logic().cut_id(&cells))
    }

    /// The axioms of reachability in one heap with one cut, for one term of each class.
    fn paths(&mut self, heap: u32, cut: CutId, pairs: &[(TermRef, TermRef, bool)]) {
        let b = self.ground.logic.cut(cut).to_vec();
        let mut known: Relation = BTreeMap::new();
        for (x, y, value) in pairs {
            let [first, last] = [*x, *y].map(|t| self.classes.of(t));
            let both = self.logic().reach(heap, cut, first, last);
            match (value, self.ground.eval(both)) {
                (true, Some(true)) => {}
                (true, _) => self.carry(heap, cut, [*x, *y], [first, last]),
                (false, Some(true)) => self.carry(heap, cut, [first, last], [*x, *y]),
                (false, _) if first == last => self.reflexive(heap, cut, *x, *y),
                (false, _) => {}
            }
            if *value && first != last {
                known.entry(first).or_default().insert(last);
            }
        }
        let mut next: BTreeMap<TermRef, TermRef> = BTreeMap::new();
        for x in self.terms(Sort::One(Scalar::Addr)) {
            let read = self.logic().read(Field::Next, heap, x);
            if self.ground.has_term(read) {
                self.say(Lemma::ReachStep(heap, b.clone(), x));
                next.entry(self.classes.of(x)).or_insert(x);
            }
        }
        let has = |x: &TermRef, y: &TermRef| known.get(x).is_some_and(|all| all.contains(y));
        let null = self.logic().null();
        let ends: Vec<TermRef> = self.ground.logic.cut(cut).iter().copied().chain([null]).collect();
        for (x, reached) in &known {
            let stuck = ends.iter().any(|end| self.classes.same(*end, *x));
            for y in reached {
                if stuck {
                    self.say(Lemma::ReachUnfold(heap, b.clone(), *x, *y));
                } else if let Some(x) = next.get(x) {
                    let on = self.logic().read(Field::Next, heap, *x);
                    let on = self.classes.of(on);
                    if on != *y && !has(&on, y) {
                        self.say(Lemma::ReachUnfold(heap, b.clone(), *x, *y));
                    }
                }
                for z in known.get(y).into_iter().flatten() {
                    if x != z && !has(x, z) {
                        self.say(Lemma::ReachTransitive(heap, b.clone(), *x, *y, *z));
                    }
                }
                for z in reached.range(TermRef(y.0 + 1)..) {
                    if !has(y, z) && !has(z, y) {
                        self.say(Lemma::ReachLinear(heap, b.clone(), *x, *y, *z));
                    }
                }
                if has(y, x) {
                    for z in reached.iter().filter(|z| *z != y && !has(z, x)) {
                        self.say(Lemma::ReachCycle(heap, b.clone(), *x, *y, *z));
                    }
                    if let (Some(x), Some(y)) = (next.get(x), next.get(y)) {
                        let both = [*x, *y].map(|t| self.ground.logic.read(Field::Next, heap, t));
                        if self.classes.same(both[0], both[1]) {
                            self.say(Lemma::ReachPredecessor(heap, b.clone(), *x, *y));
                        }
                    }
                }
            }
            self.closed(heap, &b, *x, reached, &next);
        }
    }

    /// A cycle all of whose steps are known: nothing else is reached from it.
    fn closed(
        &mut self,
        heap: u32,
        b: &[TermRef],
        start: TermRef,
        reached: &BTreeSet<TermRef>,
        next: &BTreeMap<TermRef, TermRef>,
    ) {
        let mut cells = Vec::new();
        let mut classes = BTreeSet::new();
        let mut at = start;
        while classes.insert(at) {
            let Some(cell) = next.get(&at) else { return };
            cells.push(*cell);
            let on = self.logic().read(Field::Next, heap, *cell);
            at = self.classes.of(on);
        }
        if at != start {
            return;
        }
        for y in reached.iter().filter(|y| !classes.contains(y)) {
            self.say(Lemma::ReachLoop(heap, b.to_vec(), cells.clone(), *y));
        }
    }

    /// Equal cells reach equal cells.
    fn carry(&mut self, heap: u32, cut: CutId, [x, y]: [TermRef; 2], [to_x, to_y]: [TermRef; 2]) {
        let b = self.ground.logic.cut(cut).to_vec();
        let mut why = Why::default();
        self.why_equal(to_x, x, &mut why);
        self.why_equal(y, to_y, &mut why);
        let given = self.logic().reach(heap, cut, x, y);
        why.unless.push(!given);
        why.lemmas.extend([
            Lemma::ReachEqual(heap, b.clone(), to_x, x),
            Lemma::ReachEqual(heap, b.clone(), y, to_y),
            Lemma::ReachTransitive(heap, b.clone(), to_x, x, y),
            Lemma::ReachTransitive(heap, b, to_x, y, to_y),
        ]);
        let goal = self.logic().reach(heap, cut, to_x, to_y);
        self.conclude(why, goal);
    }

    /// Everything reaches what it is equal to.
    fn reflexive(&mut self, heap: u32, cut: CutId, x: TermRef, y: TermRef) {
        let b = self.ground.logic.cut(cut).to_vec();
        let mut why = Why::default();
        self.why_equal(x, y, &mut why);
        why.lemmas.push(Lemma::ReachEqual(heap, b, x, y));
        let goal = self.logic().reach(heap, cut, x, y);
        self.conclude(why, goal);
    }

    fn ordered(&mut self) {
        for id in self.ground.atoms.clone() {
            let Atom::Ordered(heap, a, b) = *self.ground.logic.atom(id) else { continue };
            if self.ground.value(id) != Some(true) {
                self.say(Lemma::NotOrdered(heap, a, b));
                continue;
            }
            self.say(Lemma::OrderedReaches(heap, a, b));
            let next = self.ground.heap.lowered(heap, &[Field::Next]);
            let data = self.ground.heap.lowered(heap, &[Field::Data]);
            let cut = self.logic().cut_id(&[b]);
            // Cells on the way whose element is spoken of.
            let mut on = Vec::new();
            for x in self.representatives(Sort::One(Scalar::Addr)) {
                let read = self.logic().read(Field::Data, data, x);
                if !self.ground.has_term(read) {
                    continue;
                }
                let logic = self.logic();
                let ends = [logic.reach(next, cut, a, x), logic.reach(next, cut, x, b)];
                ends.iter().for_each(|f| self.ground.ensure(*f));
                if ends.iter().all(|f| self.truth(*f)) {
                    on.push(x);
                }
            }
            for x in &on {
                for y in on.iter().filter(|y| *y != x) {
                    let logic = self.logic();
                    let reach = logic.reach(next, cut, *x, *y);
                    let [dx, dy] = [*x, *y].map(|t| logic.read(Field::Data, data, t));
                    let less = logic.less(dx, dy);
                    match self.ground.eval(reach) {
                        None => self.ground.ensure(reach),
                        Some(true) if self.ground.eval(less) != Some(true) => {
                            self.say(Lemma::OrderedGrows(heap, a, b, *x, *y));
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}
