//! The laws: what each lemma says, as formulas.
//!
//! The same table as in the text of `ser-invariance-checker`, where each is explained; the checker has its own.

use crate::environment::{Write, lowered};
use crate::logic::{CutId, F, Field, Logic, T, Term};
use ser_invariance_checker::Lemma;
use ser_invariance_checker::certificate::Field as Named;
use ser_syntax::inv::ast::Scalar;

/// The field of a lemma.
pub fn named(field: Field) -> Named {
    match field {
        Field::Next => Named::Next,
        Field::Data => Named::Data,
        Field::Lockid => Named::Lockid,
    }
}

fn field_of(field: Named) -> Field {
    match field {
        Named::Next => Field::Next,
        Named::Data => Field::Data,
        Named::Lockid => Field::Lockid,
    }
}

/// One law after the other.
pub struct Laws<'a> {
    /// Where formulas are made.
    pub logic: &'a mut Logic,
    /// The writes of the path.
    pub writes: &'a [Write],
}

impl Laws<'_> {
    /// `.f` of an address.
    pub fn read(&mut self, field: Field, heap: u32, x: T) -> T {
        self.logic.read(field, heap, x)
    }

    fn cut(&mut self, cells: &[u32]) -> CutId {
        let mut cells: Vec<T> = cells.iter().map(|t| T(*t)).collect();
        cells.sort_unstable();
        cells.dedup();
        self.logic.cut_id(&cells)
    }

    /// `null`, or equal to a cell of the cut.
    fn stuck(&mut self, cut: CutId, x: T) -> Vec<F> {
        let mut cells = self.logic.cut(cut).to_vec();
        cells.push(self.logic.null());
        cells.into_iter().map(|cell| self.logic.equal(x, cell)).collect()
    }

    fn next(&mut self, heap: u32, x: T) -> T {
        self.read(Field::Next, heap, x)
    }

    /// What a lemma says, without what is about the successor of a cell that nobody speaks of.
    pub fn partly(mut self, lemma: &Lemma, spoken_of: impl Fn(T) -> bool) -> Vec<F> {
        let mut says = self.say(lemma);
        if let Lemma::ReachUnfold(heap, _, x, _) = lemma {
            let next = self.next(*heap, T(*x));
            if !spoken_of(next) {
                says.pop();
            }
        }
        says
    }

    /// What a lemma says: all of these formulas, which are clauses up to memberships.
    pub fn say(&mut self, lemma: &Lemma) -> Vec<F> {
        match lemma {
            Lemma::Transitive(x, y, z) => {
                let (x, y, z) = (T(*x), T(*y), T(*z));
                let equal = [self.logic.equal(x, y), self.logic.equal(y, z)];
                let goal = self.logic.equal(x, z);
                vec![self.logic.or([!equal[0], !equal[1], goal])]
            }
            Lemma::Congruent(field, heap, x, y) => {
                let (field, x, y) = (field_of(*field), T(*x), T(*y));
                let (fx, fy) = (self.read(field, *heap, x), self.read(field, *heap, y));
                let (given, goal) = (self.logic.equal(x, y), self.logic.equal(fx, fy));
                vec![self.logic.implies(given, goal)]
            }
            Lemma::Total(x, y) => {
                let both = [self.logic.le(T(*x), T(*y)), self.logic.le(T(*y), T(*x))];
                vec![self.logic.or(both)]
            }
            Lemma::LeTransitive(x, y, z) => {
                let (x, y, z) = (T(*x), T(*y), T(*z));
                let le = [self.logic.le(x, y), self.logic.le(y, z), self.logic.le(x, z)];
                vec![self.logic.or([!le[0], !le[1], le[2]])]
            }
            Lemma::Antisymmetric(x, y) => {
                let (x, y) = (T(*x), T(*y));
                let (there, back) = (self.logic.le(x, y), self.logic.le(y, x));
                let equal = self.logic.equal(x, y);
                let one = self.logic.or([!there, !back, equal]);
                vec![one, self.logic.implies(equal, there), self.logic.implies(equal, back)]
            }
            Lemma::Farkas(forms) => {
                let forms: Vec<F> =
                    forms.iter().map(|(form, _)| !self.logic.not_negative(T(*form))).collect();
                vec![self.logic.or(forms)]
            }
            Lemma::Split(form) => {
                let atom = self.logic.not_negative(T(*form));
                vec![self.logic.or([atom, !atom])]
            }
            Lemma::Read(field, heap, x) => self.read_over_write(field_of(*field), *heap, T(*x)),
            Lemma::OfNull(field, heap) => {
                let field = field_of(*field);
                let null = self.logic.null();
                let read = self.read(field, *heap, null);
                let value = match field {
                    Field::Next => null,
                    _ => self.logic.nobody(),
                };
                vec![self.logic.equal(read, value)]
            }
            Lemma::Same(s, t, u) => {
                let same = self.logic.equal(T(*s), T(*t));
                let (s, t) = (self.logic.member(T(*u), T(*s)), self.logic.member(T(*u), T(*t)));
                vec![self.logic.or([!same, !s, t]), self.logic.or([!same, s, !t])]
            }
            Lemma::NotSame(s, t) => {
                let (s, t) = (T(*s), T(*t));
                let same = self.logic.equal(s, t);
                let scalar = self.logic.element(s);
                let u = self.logic.mk(Term::Differ(s, t), crate::logic::Sort::One(scalar));
                let (s, t) = (self.logic.member(u, s), self.logic.member(u, t));
                vec![self.logic.or([same, s, t]), self.logic.or([same, !s, !t])]
            }
            Lemma::Subset(s, t, u) => {
                let part = self.logic.subset(T(*s), T(*t));
                let (s, t) = (self.logic.member(T(*u), T(*s)), self.logic.member(T(*u), T(*t)));
                vec![self.logic.or([!part, !s, t])]
            }
            Lemma::NotSubset(s, t) => {
                let (s, t) = (T(*s), T(*t));
                let part = self.logic.subset(s, t);
                let scalar = self.logic.element(s);
                let u = self.logic.mk(Term::Outside(s, t), crate::logic::Sort::One(scalar));
                let (s, t) = (self.logic.member(u, s), self.logic.member(u, t));
                vec![self.logic.or([part, s]), self.logic.or([part, !t])]
            }
            Lemma::Member(u, v, s) => {
                let equal = self.logic.equal(T(*u), T(*v));
                let (u, v) = (self.logic.member(T(*u), T(*s)), self.logic.member(T(*v), T(*s)));
                vec![self.logic.or([!equal, !u, v])]
            }
            Lemma::Some(s, u) => {
                let (some, inside) = (self.logic.some(T(*s)), self.logic.member(T(*u), T(*s)));
                vec![self.logic.implies(inside, some)]
            }
            Lemma::Extreme(s) => {
                let some = self.logic.some(T(*s));
                let ends = self.ends(T(*s));
                ends.map(|end| {
                    let inside = self.logic.member(end, T(*s));
                    self.logic.implies(some, inside)
                })
                .to_vec()
            }
            Lemma::Least(s, u) => {
                let inside = self.logic.member(T(*u), T(*s));
                let [min, max] = self.ends(T(*s));
                let (low, high) =
                    (self.logic.at_least(T(*u), min), self.logic.at_least(max, T(*u)));
                vec![self.logic.implies(inside, low), self.logic.implies(inside, high)]
            }
            Lemma::ElemOf(heap, s, a) => {
                let (s, a) = (T(*s), T(*a));
                let inside = self.logic.member(a, s);
                let elems = self.logic.set(Term::Elems(*heap, s), Scalar::Elem);
                let data = self.read(Field::Data, *heap, a);
                let goal = self.logic.member(data, elems);
                vec![self.logic.implies(inside, goal)]
            }
            Lemma::Carrier(heap, s, e) => {
                let (s, e) = (T(*s), T(*e));
                let elems = self.logic.set(Term::Elems(*heap, s), Scalar::Elem);
                let given = self.logic.member(e, elems);
                let sort = crate::logic::Sort::One(Scalar::Addr);
                let carrier = self.logic.mk(Term::Carrier(*heap, s, e), sort);
                let inside = self.logic.member(carrier, s);
                let data = self.read(Field::Data, *heap, carrier);
                let equal = self.logic.equal(data, e);
                vec![self.logic.implies(given, inside), self.logic.implies(given, equal)]
            }
            _ => self.say_of_lists(lemma),
        }
    }

    fn ends(&mut self, s: T) -> [T; 2] {
        let sort = crate::logic::Sort::One(Scalar::Int);
        [Term::Min(s), Term::Max(s)].map(|end| self.logic.mk(end, sort))
    }

    fn read_over_write(&mut self, field: Field, heap: u32, x: T) -> Vec<F> {
        let Write { address, value, .. } = self.writes[heap as usize - 1];
        let before = lowered(self.writes, heap - 1, &[field]);
        let (now, then) = (self.read(field, heap, x), self.read(field, before, x));
        let here = self.logic.equal(x, address);
        let (new, old) = (self.logic.equal(now, value), self.logic.equal(now, then));
        let null = self.logic.null();
        // Writing to `null` changes nothing: that it does not happen has to be shown, not assumed.
        let nowhere = self.logic.equal(address, null);
        vec![self.logic.or([!here, nowhere, new]), self.logic.or([here, old])]
    }

    fn say_of_lists(&mut self, lemma: &Lemma) -> Vec<F> {
        match lemma {
            Lemma::ReachEqual(heap, cut, x, y) => {
                let cut = self.cut(cut);
                let equal = self.logic.equal(T(*x), T(*y));
                let reach = self.logic.reach(*heap, cut, T(*x), T(*y));
                vec![self.logic.implies(equal, reach)]
            }
            Lemma::ReachTransitive(heap, cut, x, y, z) => {
                let cut = self.cut(cut);
                let (x, y, z) = (T(*x), T(*y), T(*z));
                let first = self.logic.reach(*heap, cut, x, y);
                let second = self.logic.reach(*heap, cut, y, z);
                let goal = self.logic.reach(*heap, cut, x, z);
                vec![self.logic.or([!first, !second, goal])]
            }
            Lemma::ReachLinear(heap, cut, x, y, z) => {
                let cut = self.cut(cut);
                let (x, y, z) = (T(*x), T(*y), T(*z));
                let given =
                    [self.logic.reach(*heap, cut, x, y), self.logic.reach(*heap, cut, x, z)];
                let goal = [self.logic.reach(*heap, cut, y, z), self.logic.reach(*heap, cut, z, y)];
                vec![self.logic.or([!given[0], !given[1], goal[0], goal[1]])]
            }
            Lemma::ReachStep(heap, cut, x) => {
                let cut = self.cut(cut);
                let mut any = self.stuck(cut, T(*x));
                let next = self.next(*heap, T(*x));
                any.push(self.logic.reach(*heap, cut, T(*x), next));
                vec![self.logic.or(any)]
            }
            Lemma::ReachUnfold(heap, cut, x, y) => {
                let cut = self.cut(cut);
                let (x, y) = (T(*x), T(*y));
                let given = self.logic.reach(*heap, cut, x, y);
                let equal = self.logic.equal(x, y);
                let next = self.next(*heap, x);
                let mut ends: Vec<F> = self.stuck(cut, x).into_iter().map(|f| !f).collect();
                ends.push(self.logic.reach(*heap, cut, next, y));
                ends.into_iter().map(|end| self.logic.or([!given, equal, end])).collect()
            }
            Lemma::ReachCycle(heap, cut, x, y, z) => {
                let cut = self.cut(cut);
                let (x, y, z) = (T(*x), T(*y), T(*z));
                let pairs = [(x, y), (y, x), (x, z), (z, x)];
                let [there, back, on, goal] =
                    pairs.map(|(a, b)| self.logic.reach(*heap, cut, a, b));
                let equal = self.logic.equal(x, y);
                vec![self.logic.or([!there, !back, !on, equal, goal])]
            }
            Lemma::ReachPredecessor(heap, cut, x, y) => {
                let cut = self.cut(cut);
                let (x, y) = (T(*x), T(*y));
                let there = self.logic.reach(*heap, cut, x, y);
                let back = self.logic.reach(*heap, cut, y, x);
                let (nx, ny) = (self.next(*heap, x), self.next(*heap, y));
                let (same, equal) = (self.logic.equal(nx, ny), self.logic.equal(x, y));
                vec![self.logic.or([!there, !back, !same, equal])]
            }
            Lemma::ReachLoop(heap, cut, cells, y) => {
                let cut = self.cut(cut);
                let cells: Vec<T> = cells.iter().map(|t| T(*t)).collect();
                let Some(first) = cells.first().copied() else { return Vec::new() };
                let mut any = vec![!self.logic.reach(*heap, cut, first, T(*y))];
                for (place, cell) in cells.iter().enumerate() {
                    let to = cells.get(place + 1).copied().unwrap_or(first);
                    let next = self.next(*heap, *cell);
                    any.push(!self.logic.equal(next, to));
                    any.push(self.logic.equal(T(*y), *cell));
                }
                vec![self.logic.or(any)]
            }
            Lemma::ReachCut(heap, cut, u, x, y) => {
                let whole = self.cut(cut);
                let mut more = cut.clone();
                more.push(*u);
                let part = self.cut(&more);
                let (u, x, y) = (T(*u), T(*x), T(*y));
                let reach = self.logic.reach(*heap, whole, x, y);
                let direct = self.logic.reach(*heap, part, x, y);
                let to = self.logic.reach(*heap, part, x, u);
                let next = self.next(*heap, u);
                let on = self.logic.reach(*heap, part, next, y);
                let mut through: Vec<F> = self.stuck(whole, u).into_iter().map(|f| !f).collect();
                through.extend([to, on]);
                let through = self.logic.and(through);
                let either = self.logic.or([direct, through]);
                vec![self.logic.implies(reach, either), self.logic.implies(either, reach)]
            }
            Lemma::ReachWrite(heap, cut, x, y) => {
                let cut = self.cut(cut);
                let before = lowered(self.writes, heap - 1, &[Field::Next]);
                let now = self.logic.reach(*heap, cut, T(*x), T(*y));
                let then = self.logic.reach(before, cut, T(*x), T(*y));
                vec![self.logic.implies(now, then), self.logic.implies(then, now)]
            }
            Lemma::OrderedReaches(heap, a, b) => {
                let given = self.logic.ordered(*heap, T(*a), T(*b));
                let goal = self.on_the_way(*heap, T(*b), T(*a), T(*b));
                vec![self.logic.implies(given, goal)]
            }
            Lemma::OrderedGrows(heap, a, b, x, y) => {
                let (a, b, x, y) = (T(*a), T(*b), T(*x), T(*y));
                let given = self.logic.ordered(*heap, a, b);
                let mut any = vec![!given];
                for (from, to) in [(a, x), (x, b), (a, y), (y, b), (x, y)] {
                    any.push(!self.on_the_way(*heap, b, from, to));
                }
                any.push(self.logic.equal(x, y));
                let (dx, dy) = self.data(*heap, x, y);
                any.push(self.logic.less(dx, dy));
                vec![self.logic.or(any)]
            }
            Lemma::NotOrdered(heap, a, b) => {
                let (a, b) = (T(*a), T(*b));
                let ordered = self.logic.ordered(*heap, a, b);
                let reached = self.on_the_way(*heap, b, a, b);
                let sort = crate::logic::Sort::One(Scalar::Addr);
                let x = self.logic.mk(Term::First(*heap, a, b), sort);
                let y = self.logic.mk(Term::Second(*heap, a, b), sort);
                let mut goals = Vec::new();
                for (from, to) in [(a, x), (x, b), (a, y), (y, b), (x, y)] {
                    goals.push(self.on_the_way(*heap, b, from, to));
                }
                goals.push(!self.logic.equal(x, y));
                let (dx, dy) = self.data(*heap, x, y);
                goals.push(self.logic.le(dy, dx));
                goals.into_iter().map(|goal| self.logic.or([ordered, !reached, goal])).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The heap version whose `next` an ordered list in `heap` follows, and the cut at its end.
    pub fn way(&mut self, heap: u32, end: T) -> (u32, CutId) {
        (lowered(self.writes, heap, &[Field::Next]), self.logic.cut_id(&[end]))
    }

    fn on_the_way(&mut self, heap: u32, end: T, from: T, to: T) -> F {
        let (heap, cut) = self.way(heap, end);
        self.logic.reach(heap, cut, from, to)
    }

    fn data(&mut self, heap: u32, x: T, y: T) -> (T, T) {
        let heap = lowered(self.writes, heap, &[Field::Data]);
        (self.read(Field::Data, heap, x), self.read(Field::Data, heap, y))
    }
}
