//! Which laws does a propositional solution break?
//!
//! [`needed`] goes through the laws and collects instances whose premises hold in the solution and whose conclusion does
//! not (or is about atoms that nobody has asked for yet). If there are none, the solution describes a model: atoms that nobody asked for
//! are false. New terms are made only as witnesses, so this ends.

use super::ground::Ground;
use super::laws::{Laws, named};
use crate::environment::lowered;
use crate::logic::{Atom, CutId, F, Field, Sort, T, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_lang::inv::ast::Scalar;
use ser_premises::Lemma;
use std::collections::{BTreeMap, BTreeSet};

/// Lemmas that the solution breaks, or that are needed to tell. Also makes sure that what is asked for is there.
pub fn needed(ground: &mut Ground<'_>) -> Vec<Lemma> {
    let mut lemmas = Vec::new();
    equality(ground, &mut lemmas);
    reads(ground, &mut lemmas);
    order(ground, &mut lemmas);
    if lemmas.is_empty() {
        sets(ground, &mut lemmas);
        elements(ground, &mut lemmas);
        reachability(ground, &mut lemmas);
        ordered(ground, &mut lemmas);
    }
    lemmas
}

fn atoms<R>(ground: &Ground<'_>, pick: impl Fn(&Atom, bool) -> Option<R>) -> Vec<R> {
    let values = ground.atoms.iter().filter_map(|id| {
        let value = ground.value(*id)?;
        pick(ground.logic.atom(*id), value)
    });
    values.collect()
}

fn terms(ground: &Ground<'_>, sort: Sort) -> Vec<T> {
    ground.terms.iter().copied().filter(|t| ground.logic.sort(*t) == sort).collect()
}

/// The pairs that are equal in the solution, both ways.
fn equals(ground: &Ground<'_>) -> BTreeMap<T, BTreeSet<T>> {
    let mut equal: BTreeMap<T, BTreeSet<T>> = BTreeMap::new();
    for (x, y) in atoms(ground, |atom, value| match atom {
        Atom::Equal(x, y) if value => Some((*x, *y)),
        _ => None,
    }) {
        equal.entry(x).or_default().insert(y);
        equal.entry(y).or_default().insert(x);
    }
    equal
}

fn equality(ground: &mut Ground<'_>, lemmas: &mut Vec<Lemma>) {
    let equal = equals(ground);
    for (y, others) in &equal {
        for x in others {
            for z in others.range(T(x.0 + 1)..) {
                let goal = ground.logic.equal(*x, *z);
                if ground.eval(goal) != Some(true) {
                    lemmas.push(Lemma::Transitive(x.0, y.0, z.0));
                }
            }
        }
    }
}

/// Congruence, reading what was written, and `null`.
fn reads(ground: &mut Ground<'_>, lemmas: &mut Vec<Lemma>) {
    let null = ground.logic.null();
    let mut by_argument: BTreeMap<(Field, u32), Vec<(T, T)>> = BTreeMap::new();
    for t in ground.terms.clone() {
        let Term::Read(field, heap, x) = *ground.logic.term(t) else { continue };
        by_argument.entry((field, heap)).or_default().push((x, t));
        if heap > 0 {
            lemmas.push(Lemma::Read(named(field), heap, x.0));
        }
        let is_null = ground.logic.equal(x, null);
        if field != Field::Data && ground.eval(is_null) == Some(true) {
            lemmas.push(Lemma::OfNull(named(field), heap));
        }
    }
    for ((field, heap), reads) in by_argument {
        for (place, (x, fx)) in reads.iter().enumerate() {
            for (y, fy) in &reads[..place] {
                let same = ground.logic.equal(*x, *y);
                let goal = ground.logic.equal(*fx, *fy);
                if ground.eval(same) == Some(true) && ground.eval(goal) != Some(true) {
                    lemmas.push(Lemma::Congruent(named(field), heap, x.0, y.0));
                }
            }
        }
    }
    // Lemmas that are there already are none.
    retain_new(ground, lemmas);
}

fn retain_new(ground: &Ground<'_>, lemmas: &mut Vec<Lemma>) {
    lemmas.retain(|lemma| !ground.has_lemma(lemma));
}

/// `x <= y` as it follows from the solution: from whom to whom.
pub fn below(ground: &mut Ground<'_>) -> BTreeMap<T, BTreeSet<T>> {
    let elems = terms(ground, Sort::One(Scalar::Elem));
    let mut below: BTreeMap<T, BTreeSet<T>> = BTreeMap::new();
    for (x, y) in atoms(ground, |atom, value| match (atom, value) {
        (Atom::Le(x, y), true) => Some((*x, *y)),
        (Atom::Le(x, y), false) => Some((*y, *x)),
        _ => None,
    }) {
        below.entry(x).or_default().insert(y);
    }
    for (x, others) in equals(ground) {
        if ground.logic.sort(x) == Sort::One(Scalar::Elem) {
            below.entry(x).or_default().extend(others);
        }
    }
    for x in &elems {
        for y in &elems {
            if x != y && ground.logic.le(*x, *y) == F::TRUE {
                below.entry(*x).or_default().insert(*y);
            }
        }
    }
    below
}

/// The shortest way from `x` to `y`.
fn way(below: &BTreeMap<T, BTreeSet<T>>, x: T, y: T) -> Option<Vec<T>> {
    let mut from: FxHashMap<T, T> = FxHashMap::default();
    let mut open = std::collections::VecDeque::from([x]);
    while let Some(here) = open.pop_front() {
        if here == y && (x != y || from.contains_key(&y)) {
            let mut way = vec![y];
            let mut at = y;
            while at != x {
                at = from[&at];
                way.push(at);
            }
            way.reverse();
            return Some(way);
        }
        for next in below.get(&here).into_iter().flatten() {
            if *next != x && !from.contains_key(next) {
                from.insert(*next, here);
                open.push_back(*next);
            }
        }
    }
    None
}

/// Lemmas that make `x <= y` follow along a way.
fn follow(ground: &mut Ground<'_>, way: &[T], lemmas: &mut Vec<Lemma>) {
    for pair in way.windows(2) {
        let [x, y] = [pair[0], pair[1]];
        let direct = ground.logic.le(x, y);
        if ground.eval(direct) != Some(true) {
            let equal = ground.logic.equal(x, y);
            lemmas.push(match ground.eval(equal) {
                Some(true) => Lemma::Antisymmetric(x.0.min(y.0), x.0.max(y.0)),
                _ => Lemma::Total(x.0.min(y.0), x.0.max(y.0)),
            });
        }
    }
    if let [x, rest @ ..] = way {
        for pair in rest.windows(2) {
            lemmas.push(Lemma::LeTransitive(x.0, pair[0].0, pair[1].0));
        }
    }
}

fn order(ground: &mut Ground<'_>, lemmas: &mut Vec<Lemma>) {
    let before = lemmas.len();
    let below = below(ground);
    if below.is_empty() {
        return;
    }
    // `x <= y` is false: there must be no way from x to y.
    let false_ones = atoms(ground, |atom, value| match atom {
        Atom::Le(x, y) if !value => Some((*x, *y)),
        _ => None,
    });
    for (x, y) in false_ones {
        if let Some(way) = way(&below, x, y) {
            follow(ground, &way, lemmas);
        }
    }
    // The same for constants, whose order is fixed.
    let elems = terms(ground, Sort::One(Scalar::Elem));
    let ends = |term: &Term| elems.iter().copied().find(|t| ground.logic.term(*t) == term);
    if let (Some(lowest), Some(highest)) = (ends(&Term::Lowest), ends(&Term::Highest)) {
        if let Some(way) = way(&below, highest, lowest) {
            follow(ground, &way, lemmas);
        }
    }
    // Different, yet each below the other.
    let unequal = atoms(ground, |atom, value| match atom {
        Atom::Equal(x, y) if !value => Some((*x, *y)),
        _ => None,
    });
    for (x, y) in unequal {
        if ground.logic.sort(x) == Sort::One(Scalar::Elem) {
            if let (Some(there), Some(back)) = (way(&below, x, y), way(&below, y, x)) {
                follow(ground, &there, lemmas);
                follow(ground, &back, lemmas);
                lemmas.push(Lemma::Antisymmetric(x.0.min(y.0), x.0.max(y.0)));
            }
        }
    }
    // In a set or not, though each is below the other.
    let members = atoms(ground, |atom, value| match atom {
        Atom::In(x, s) => Some((*s, *x, value)),
        _ => None,
    });
    for (s, x, inside) in &members {
        for (t, y, other) in &members {
            if s == t && *inside && !other && ground.logic.sort(*x) == Sort::One(Scalar::Elem) {
                if let (Some(there), Some(back)) = (way(&below, *x, *y), way(&below, *y, *x)) {
                    follow(ground, &there, lemmas);
                    follow(ground, &back, lemmas);
                    lemmas.push(Lemma::Antisymmetric(x.0.min(y.0), x.0.max(y.0)));
                }
            }
        }
    }
    let mut tail = lemmas.split_off(before);
    retain_new(ground, &mut tail);
    lemmas.extend(tail);
}

/// What a set can contain: all terms that are mentioned (of numbers, those that are in or out of sets).
fn universe(ground: &Ground<'_>, scalar: Scalar) -> Vec<T> {
    match scalar {
        Scalar::Int => ground.members.clone(),
        _ => terms(ground, Sort::One(scalar)),
    }
}

/// Adds a lemma if one of its formulas does not hold (or may not).
fn unless_said(ground: &mut Ground<'_>, lemma: Lemma, lemmas: &mut Vec<Lemma>) {
    if ground.has_lemma(&lemma) {
        return;
    }
    let says = Laws { logic: ground.logic, writes: ground.writes }.say(&lemma);
    if says.into_iter().any(|f| ground.eval(f) != Some(true)) {
        lemmas.push(lemma);
    }
}

fn sets(ground: &mut Ground<'_>, lemmas: &mut Vec<Lemma>) {
    for id in ground.atoms.clone() {
        let Some(value) = ground.value(id) else { continue };
        match *ground.logic.atom(id) {
            Atom::Same(s, t) if value => {
                for u in universe(ground, ground.logic.element(s)) {
                    unless_said(ground, Lemma::Same(s.0, t.0, u.0), lemmas);
                }
            }
            Atom::Same(s, t) => unless_said(ground, Lemma::NotSame(s.0, t.0), lemmas),
            Atom::Subset(s, t) if value => {
                for u in universe(ground, ground.logic.element(s)) {
                    unless_said(ground, Lemma::Subset(s.0, t.0, u.0), lemmas);
                }
            }
            Atom::Subset(s, t) => unless_said(ground, Lemma::NotSubset(s.0, t.0), lemmas),
            Atom::Some(s) => {
                unless_said(ground, Lemma::Extreme(s.0), lemmas);
                for u in universe(ground, ground.logic.element(s)) {
                    unless_said(ground, Lemma::Some(s.0, u.0), lemmas);
                    unless_said(ground, Lemma::Least(s.0, u.0), lemmas);
                }
            }
            _ => {}
        }
    }
    // Equal things are in the same sets.
    let members = atoms(ground, |atom, value| match atom {
        Atom::In(x, s) => Some((*s, *x, value)),
        _ => None,
    });
    for (s, x, inside) in &members {
        for (t, y, other) in &members {
            if s == t && *inside && !other && ground.logic.sort(*x) != Sort::One(Scalar::Int) {
                let equal = ground.logic.equal(*x, *y);
                if ground.eval(equal) == Some(true) {
                    unless_said(ground, Lemma::Member(x.0, y.0, s.0), lemmas);
                }
            }
        }
    }
}

/// `set2elem`.
fn elements(ground: &mut Ground<'_>, lemmas: &mut Vec<Lemma>) {
    for t in ground.terms.clone() {
        let Term::Elems(heap, s) = *ground.logic.term(t) else { continue };
        let cells = terms(ground, Sort::One(Scalar::Addr));
        for a in &cells {
            let inside = ground.logic.member(*a, s);
            match ground.eval(inside) {
                None => {
                    ground.ensure(inside);
                    unless_said(ground, Lemma::ElemOf(heap, s.0, a.0), lemmas);
                }
                Some(true) => unless_said(ground, Lemma::ElemOf(heap, s.0, a.0), lemmas),
                Some(false) => {}
            }
        }
        let members = atoms(ground, |atom, value| match atom {
            Atom::In(e, set) if *set == t && value => Some(*e),
            _ => None,
        });
        for e in members {
            let carried = cells.iter().any(|a| {
                let inside = ground.logic.member(*a, s);
                let data = ground.logic.read(Field::Data, heap, *a);
                let same = ground.logic.equal(data, e);
                ground.eval(inside) == Some(true) && ground.eval(same) == Some(true)
            });
            if !carried {
                unless_said(ground, Lemma::Carrier(heap, s.0, e.0), lemmas);
            }
        }
    }
}

type Structure = (u32, CutId);

fn raw(cells: &[T]) -> Vec<u32> {
    cells.iter().map(|t| t.0).collect()
}

fn reachability(ground: &mut Ground<'_>, lemmas: &mut Vec<Lemma>) {
    let reach = atoms(ground, |atom, _| match atom {
        Atom::Reach(heap, cut, x, y) => Some(((*heap, *cut), *x, *y)),
        _ => None,
    });
    if reach.is_empty() {
        return;
    }
    let structures: BTreeSet<Structure> = reach.iter().map(|(it, ..)| *it).collect();
    let cut_cells: BTreeSet<T> =
        structures.iter().flat_map(|(_, cut)| ground.logic.cut(*cut).to_vec()).collect();
    // Down to the heap before the step, and to the finest cuts.
    for ((heap, cut), x, y) in &reach {
        let cells = ground.logic.cut(*cut).to_vec();
        if *heap > 0 {
            let written = ground.writes[*heap as usize - 1].address;
            let lemma = if cells.contains(&written) {
                Lemma::ReachWrite(*heap, raw(&cells), x.0, y.0)
            } else {
                Lemma::ReachCut(*heap, raw(&cells), written.0, x.0, y.0)
            };
            unless_said(ground, lemma, lemmas);
        } else {
            for u in &cut_cells {
                if let Some(finer) = finer(ground, *cut, *u) {
                    if structures.contains(&(0, finer)) {
                        let lemma = Lemma::ReachCut(0, raw(&cells), u.0, x.0, y.0);
                        unless_said(ground, lemma, lemmas);
                    }
                }
            }
        }
    }
    for (heap, cut) in &structures {
        let finest = *heap == 0
            && !cut_cells.iter().any(|u| {
                finer(ground, *cut, *u).is_some_and(|finer| structures.contains(&(0, finer)))
            });
        if finest {
            let mut laws = Paths { ground, heap: *heap, cut: *cut, lemmas };
            laws.all();
        }
    }
}

/// The cut with one more cell; nothing if it is in it already.
fn finer(ground: &mut Ground<'_>, cut: CutId, u: T) -> Option<CutId> {
    let mut cells = ground.logic.cut(cut).to_vec();
    if cells.contains(&u) {
        return None;
    }
    cells.push(u);
    cells.sort_unstable();
    Some(ground.logic.cut_id(&cells))
}

/// The laws of reachability in one heap with one cut.
struct Paths<'g, 'a, 'l> {
    ground: &'g mut Ground<'a>,
    heap: u32,
    cut: CutId,
    lemmas: &'l mut Vec<Lemma>,
}

impl Paths<'_, '_, '_> {
    fn reach(&mut self, x: T, y: T) -> Option<bool> {
        let atom = self.ground.logic.known_atom(&Atom::Reach(self.heap, self.cut, x, y))?;
        self.ground.value(atom)
    }

    fn equal(&mut self, x: T, y: T) -> Option<bool> {
        let equal = self.ground.logic.equal(x, y);
        self.ground.eval(equal)
    }

    fn say(&mut self, lemma: Lemma) {
        if !self.ground.has_lemma(&lemma) {
            self.lemmas.push(lemma);
        }
    }

    fn all(&mut self) {
        let (heap, cut) = (self.heap, self.cut);
        let b = raw(self.ground.logic.cut(cut));
        let cells = terms(self.ground, Sort::One(Scalar::Addr));
        let known: BTreeMap<T, BTreeSet<T>> = {
            let mut known: BTreeMap<T, BTreeSet<T>> = BTreeMap::new();
            for (x, y) in atoms(self.ground, |atom, value| match atom {
                Atom::Reach(h, c, x, y) if *h == heap && *c == cut && value => Some((*x, *y)),
                _ => None,
            }) {
                known.entry(x).or_default().insert(y);
            }
            known
        };
        for (x, others) in equals(self.ground) {
            if self.ground.logic.sort(x) == Sort::One(Scalar::Addr) {
                for y in others {
                    if self.reach(x, y) != Some(true) {
                        self.say(Lemma::ReachEqual(heap, b.clone(), x.0, y.0));
                    }
                }
            }
        }
        for x in &cells {
            if self.reach(*x, *x) == Some(false) {
                self.say(Lemma::ReachEqual(heap, b.clone(), x.0, x.0));
            }
            let next = self.ground.logic.read(Field::Next, heap, *x);
            if self.ground.has_term(next) {
                self.say(Lemma::ReachStep(heap, b.clone(), x.0));
            }
        }
        for (x, reached) in &known {
            for y in reached {
                if x == y {
                    continue;
                }
                self.unfold(*x, *y, &b);
                for z in known.get(y).into_iter().flatten() {
                    if self.reach(*x, *z) != Some(true) && x != z && y != z {
                        self.say(Lemma::ReachTransitive(heap, b.clone(), x.0, y.0, z.0));
                    }
                }
                for z in reached.range(T(y.0 + 1)..) {
                    let either = [self.reach(*y, *z), self.reach(*z, *y)];
                    if x != z && !either.contains(&Some(true)) {
                        self.say(Lemma::ReachLinear(heap, b.clone(), x.0, y.0, z.0));
                    }
                }
                if self.reach(*y, *x) == Some(true) && self.equal(*x, *y) != Some(true) {
                    self.cycle(*x, *y, reached, &b);
                }
            }
        }
        self.loops(&known, &b);
    }

    fn unfold(&mut self, x: T, y: T, b: &[u32]) {
        if self.equal(x, y) == Some(true) {
            return;
        }
        let lemma = Lemma::ReachUnfold(self.heap, b.to_vec(), x.0, y.0);
        if self.ground.has_lemma(&lemma) {
            return;
        }
        let null = self.ground.logic.null();
        let mut ends: Vec<T> = self.ground.logic.cut(self.cut).to_vec();
        ends.push(null);
        let stuck = ends.into_iter().any(|end| self.equal(x, end) == Some(true));
        let next = self.ground.logic.read(Field::Next, self.heap, x);
        let on = self.ground.has_term(next) && self.reach(next, y) != Some(true);
        if stuck || on {
            self.say(lemma);
        }
    }

    fn cycle(&mut self, x: T, y: T, reached: &BTreeSet<T>, b: &[u32]) {
        for z in reached {
            if self.reach(*z, x) != Some(true) && *z != x {
                self.say(Lemma::ReachCycle(self.heap, b.to_vec(), x.0, y.0, z.0));
            }
        }
        let nexts = [x, y].map(|t| self.ground.logic.read(Field::Next, self.heap, t));
        if nexts.iter().all(|t| self.ground.has_term(*t))
            && self.equal(nexts[0], nexts[1]) == Some(true)
        {
            self.say(Lemma::ReachPredecessor(self.heap, b.to_vec(), x.0, y.0));
        }
    }

    /// Cycles all of whose steps are known: nothing else is reached from them.
    fn loops(&mut self, known: &BTreeMap<T, BTreeSet<T>>, b: &[u32]) {
        let cells: Vec<T> = known.keys().copied().collect();
        for start in &cells {
            let mut cycle = vec![*start];
            let mut seen: FxHashSet<T> = FxHashSet::from_iter([*start]);
            loop {
                let last = cycle[cycle.len() - 1];
                let next = self.ground.logic.read(Field::Next, self.heap, last);
                if !self.ground.has_term(next) {
                    break;
                }
                if self.equal(next, *start) == Some(true) {
                    for y in &known[start] {
                        let inside = cycle.iter().any(|t| self.equal(*t, *y) == Some(true));
                        if !inside {
                            let cells = raw(&cycle);
                            self.say(Lemma::ReachLoop(self.heap, b.to_vec(), cells, y.0));
                        }
                    }
                    break;
                }
                // A term that is equal to `next` and whose own successor is mentioned.
                let candidates: Vec<T> = cells.iter().copied().chain([next]).collect();
                let step = candidates.into_iter().find(|t| {
                    let on = self.ground.logic.read(Field::Next, self.heap, *t);
                    self.ground.has_term(on) && self.equal(*t, next) == Some(true)
                });
                match step {
                    Some(step) if seen.insert(step) => cycle.push(step),
                    _ => break,
                }
            }
        }
    }
}

fn ordered(ground: &mut Ground<'_>, lemmas: &mut Vec<Lemma>) {
    for id in ground.atoms.clone() {
        let Atom::Ordered(heap, a, b) = *ground.logic.atom(id) else { continue };
        if ground.value(id) != Some(true) {
            unless_said(ground, Lemma::NotOrdered(heap, a.0, b.0), lemmas);
            continue;
        }
        unless_said(ground, Lemma::OrderedReaches(heap, a.0, b.0), lemmas);
        let (next, cut) = Laws { logic: ground.logic, writes: ground.writes }.way(heap, b);
        let data = lowered(ground.writes, heap, &[Field::Data]);
        let mut on = Vec::new();
        for x in terms(ground, Sort::One(Scalar::Addr)) {
            let ends = [ground.logic.reach(next, cut, a, x), ground.logic.reach(next, cut, x, b)];
            ends.iter().for_each(|f| ground.ensure(*f));
            if ends.iter().all(|f| ground.eval(*f) == Some(true)) {
                on.push(x);
            }
        }
        for x in &on {
            for y in &on {
                if x == y {
                    continue;
                }
                let reach = ground.logic.reach(next, cut, *x, *y);
                let equal = ground.logic.equal(*x, *y);
                let [dx, dy] = [*x, *y].map(|t| ground.logic.read(Field::Data, data, t));
                let less = ground.logic.less(dx, dy);
                match ground.eval(reach) {
                    None => ground.ensure(reach),
                    Some(true) if ground.eval(equal) != Some(true) => {
                        if ground.eval(less) != Some(true) {
                            let lemma = Lemma::OrderedGrows(heap, a.0, b.0, x.0, y.0);
                            unless_said(ground, lemma, lemmas);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
}
