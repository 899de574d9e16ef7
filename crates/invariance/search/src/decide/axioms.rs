//! The axioms: what each lemma says, as clauses.
//!
//! The same axioms as in the text of `ser-invariance-checker`, where each is explained. The checker
//! has its own version, so that a mistake in one of them does not go unnoticed.

use crate::environment::{Write, lowered};
use crate::logic::{CutId, Field, Formula, Logic, Sort, Term, TermRef};
use ser_invariance_checker::Lemma;
use ser_syntax::inv::ast::Scalar;

type Clauses = Vec<Vec<Formula>>;

/// Instantiates axioms.
pub struct Axioms<'a> {
    pub logic: &'a mut Logic,
    /// The writes of the path.
    pub writes: &'a [Write],
}

/// `reach` in a heap version with a cut.
struct Reach<'l> {
    logic: &'l mut Logic,
    heap: u32,
    cut: CutId,
}

impl Reach<'_> {
    fn to(&mut self, x: TermRef, y: TermRef) -> Formula {
        self.logic.reach(self.heap, self.cut, x, y)
    }

    fn next(&mut self, x: TermRef) -> TermRef {
        self.logic.read(Field::Next, self.heap, x)
    }

    /// `null`, or equal to a cell of the cut.
    fn stuck(&mut self, x: TermRef) -> Vec<Formula> {
        let mut cells = self.logic.cut(self.cut).to_vec();
        cells.push(self.logic.null());
        cells.into_iter().map(|cell| self.logic.equal(x, cell)).collect()
    }
}

impl Axioms<'_> {
    /// What a lemma says: all of these formulas, which are clauses up to memberships.
    pub fn say(&mut self, lemma: &Lemma) -> Vec<Formula> {
        let clauses = self.clauses(lemma);
        clauses.into_iter().map(|clause| self.logic.or(clause)).collect()
    }

    /// What a lemma says, without what is about the successor of a cell that nobody speaks of.
    pub fn partly(mut self, lemma: &Lemma, spoken_of: impl Fn(TermRef) -> bool) -> Vec<Formula> {
        let mut says = self.say(lemma);
        if let Lemma::ReachUnfold(heap, _, x, _) = *lemma {
            let next = self.logic.read(Field::Next, heap, x);
            if !spoken_of(next) {
                says.pop();
            }
        }
        says
    }

    fn reach(&mut self, heap: u32, cells: &[TermRef]) -> Reach<'_> {
        let mut cells = cells.to_vec();
        cells.sort_unstable();
        cells.dedup();
        let cut = self.logic.cut_id(&cells);
        Reach { logic: self.logic, heap, cut }
    }

    fn extremes(&mut self, s: TermRef) -> [TermRef; 2] {
        [Term::Min(s), Term::Max(s)].map(|end| self.logic.mk(end, Sort::One(Scalar::Int)))
    }

    fn clauses(&mut self, lemma: &Lemma) -> Clauses {
        let logic = &mut *self.logic;
        match *lemma {
            Lemma::Transitive(x, y, z) => {
                let [xy, yz, xz] = [(x, y), (y, z), (x, z)].map(|(l, r)| logic.equal(l, r));
                vec![vec![!xy, !yz, xz]]
            }
            Lemma::Congruent(field, heap, x, y) => {
                let [of_x, of_y] = [x, y].map(|cell| logic.read(field, heap, cell));
                vec![vec![!logic.equal(x, y), logic.equal(of_x, of_y)]]
            }
            Lemma::Total(x, y) => vec![vec![logic.le(x, y), logic.le(y, x)]],
            Lemma::LeTransitive(x, y, z) => {
                vec![vec![!logic.le(x, y), !logic.le(y, z), logic.le(x, z)]]
            }
            Lemma::Antisymmetric(x, y) => {
                let (up, down, equal) = (logic.le(x, y), logic.le(y, x), logic.equal(x, y));
                vec![vec![!up, !down, equal], vec![!equal, up], vec![!equal, down]]
            }
            Lemma::Farkas(ref forms) => {
                vec![forms.iter().map(|(form, _)| !logic.not_negative(*form)).collect()]
            }
            Lemma::Split(form) => {
                let atom = logic.not_negative(form);
                vec![vec![atom, !atom]]
            }
            Lemma::Read(field, heap, x) => {
                let Write { address, value, .. } = self.writes[heap as usize - 1];
                let before = lowered(self.writes, heap - 1, &[field]);
                let [now, then] = [heap, before].map(|heap| logic.read(field, heap, x));
                let here = logic.equal(x, address);
                let (new, old) = (logic.equal(now, value), logic.equal(now, then));
                // Writing to `null` changes nothing: that it does not happen has to be shown.
                let null = logic.null();
                vec![vec![!here, logic.equal(address, null), new], vec![here, old]]
            }
            Lemma::OfNull(field, heap) => {
                let null = logic.null();
                let read = logic.read(field, heap, null);
                let value = if field == Field::Next { null } else { logic.nobody() };
                vec![vec![logic.equal(read, value)]]
            }
            Lemma::Same(s, t, u) => {
                let same = logic.equal(s, t);
                let (in_s, in_t) = (logic.member(u, s), logic.member(u, t));
                vec![vec![!same, !in_s, in_t], vec![!same, in_s, !in_t]]
            }
            Lemma::NotSame(s, t) => {
                let same = logic.equal(s, t);
                let u = logic.witness(Term::Differ(s, t), s);
                let (in_s, in_t) = (logic.member(u, s), logic.member(u, t));
                vec![vec![same, in_s, in_t], vec![same, !in_s, !in_t]]
            }
            Lemma::Subset(s, t, u) => {
                vec![vec![!logic.subset(s, t), !logic.member(u, s), logic.member(u, t)]]
            }
            Lemma::NotSubset(s, t) => {
                let subset = logic.subset(s, t);
                let u = logic.witness(Term::Outside(s, t), s);
                vec![vec![subset, logic.member(u, s)], vec![subset, !logic.member(u, t)]]
            }
            Lemma::Member(u, v, s) => {
                vec![vec![!logic.equal(u, v), !logic.member(u, s), logic.member(v, s)]]
            }
            Lemma::Some(s, u) => vec![vec![!logic.member(u, s), logic.some(s)]],
            Lemma::Extreme(s) => {
                let some = logic.some(s);
                let extremes = self.extremes(s);
                extremes.map(|end| vec![!some, self.logic.member(end, s)]).to_vec()
            }
            Lemma::Least(s, u) => {
                let inside = logic.member(u, s);
                let [min, max] = self.extremes(s);
                let logic = &mut *self.logic;
                vec![vec![!inside, logic.at_least(u, min)], vec![!inside, logic.at_least(max, u)]]
            }
            Lemma::ElemOf(heap, s, a) => {
                let inside = logic.member(a, s);
                let elems = logic.set(Term::Elems(heap, s), Scalar::Elem);
                let data = logic.read(Field::Data, heap, a);
                vec![vec![!inside, logic.member(data, elems)]]
            }
            Lemma::Carrier(heap, s, e) => {
                let elems = logic.set(Term::Elems(heap, s), Scalar::Elem);
                let given = logic.member(e, elems);
                let carrier = logic.mk(Term::Carrier(heap, s, e), Sort::One(Scalar::Addr));
                let inside = logic.member(carrier, s);
                let data = logic.read(Field::Data, heap, carrier);
                vec![vec![!given, inside], vec![!given, logic.equal(data, e)]]
            }
            _ => self.clauses_of_lists(lemma),
        }
    }

    fn clauses_of_lists(&mut self, lemma: &Lemma) -> Clauses {
        match *lemma {
            Lemma::ReachEqual(heap, ref cut, x, y) => {
                let mut r = self.reach(heap, cut);
                vec![vec![!r.logic.equal(x, y), r.to(x, y)]]
            }
            Lemma::ReachTransitive(heap, ref cut, x, y, z) => {
                let mut r = self.reach(heap, cut);
                vec![vec![!r.to(x, y), !r.to(y, z), r.to(x, z)]]
            }
            Lemma::ReachLinear(heap, ref cut, x, y, z) => {
                let mut r = self.reach(heap, cut);
                vec![vec![!r.to(x, y), !r.to(x, z), r.to(y, z), r.to(z, y)]]
            }
            Lemma::ReachStep(heap, ref cut, x) => {
                let mut r = self.reach(heap, cut);
                let mut clause = r.stuck(x);
                let next = r.next(x);
                clause.push(r.to(x, next));
                vec![clause]
            }
            Lemma::ReachUnfold(heap, ref cut, x, y) => {
                let mut r = self.reach(heap, cut);
                let (given, equal, next) = (r.to(x, y), r.logic.equal(x, y), r.next(x));
                let mut goals: Vec<Formula> = r.stuck(x).into_iter().map(|stuck| !stuck).collect();
                goals.push(r.to(next, y));
                goals.into_iter().map(|goal| vec![!given, equal, goal]).collect()
            }
            Lemma::ReachCycle(heap, ref cut, x, y, z) => {
                let mut r = self.reach(heap, cut);
                let equal = r.logic.equal(x, y);
                vec![vec![!r.to(x, y), !r.to(y, x), !r.to(x, z), equal, r.to(z, x)]]
            }
            Lemma::ReachPredecessor(heap, ref cut, x, y) => {
                let mut r = self.reach(heap, cut);
                let (after_x, after_y) = (r.next(x), r.next(y));
                let (same, equal) = (r.logic.equal(after_x, after_y), r.logic.equal(x, y));
                vec![vec![!r.to(x, y), !r.to(y, x), !same, equal]]
            }
            Lemma::ReachLoop(heap, ref cut, ref cells, y) => {
                let Some(first) = cells.first().copied() else { return Vec::new() };
                let mut r = self.reach(heap, cut);
                let mut clause = vec![!r.to(first, y)];
                for (place, cell) in cells.iter().enumerate() {
                    let to = cells.get(place + 1).copied().unwrap_or(first);
                    let next = r.next(*cell);
                    clause.extend([!r.logic.equal(next, to), r.logic.equal(y, *cell)]);
                }
                vec![clause]
            }
            Lemma::ReachCut(heap, ref cut, u, x, y) => {
                let mut r = self.reach(heap, cut);
                let (whole, stuck, next) = (r.to(x, y), r.stuck(u), r.next(u));
                let mut c = self.reach(heap, &[cut.as_slice(), &[u]].concat());
                let (short, to_u, from_u) = (c.to(x, y), c.to(x, u), c.to(next, y));
                let mut clauses = vec![vec![!whole, short, to_u], vec![!whole, short, from_u]];
                clauses.extend(stuck.iter().map(|stuck| vec![!whole, short, !*stuck]));
                clauses.push(vec![!short, whole]);
                clauses.push([!to_u, !from_u, whole].into_iter().chain(stuck).collect());
                clauses
            }
            Lemma::ReachWrite(heap, ref cut, x, y) => {
                let before = lowered(self.writes, heap - 1, &[Field::Next]);
                let [now, then] = [heap, before].map(|heap| self.reach(heap, cut).to(x, y));
                vec![vec![!now, then], vec![now, !then]]
            }
            Lemma::OrderedReaches(heap, a, b) => {
                let ordered = self.logic.ordered(heap, a, b);
                vec![vec![!ordered, self.stretch(heap, b).to(a, b)]]
            }
            Lemma::OrderedGrows(heap, a, b, x, y) => {
                let mut clause = vec![!self.logic.ordered(heap, a, b)];
                let mut r = self.stretch(heap, b);
                let on = [(a, x), (x, b), (a, y), (y, b), (x, y)];
                clause.extend(on.map(|(from, to)| !r.to(from, to)));
                clause.extend([self.logic.equal(x, y), !self.falls(heap, x, y)]);
                vec![clause]
            }
            Lemma::NotOrdered(heap, a, b) => {
                let ordered = self.logic.ordered(heap, a, b);
                let [x, y] = [Term::First(heap, a, b), Term::Second(heap, a, b)]
                    .map(|witness| self.logic.mk(witness, Sort::One(Scalar::Addr)));
                let mut r = self.stretch(heap, b);
                let reached = r.to(a, b);
                let on = [(a, x), (x, b), (a, y), (y, b), (x, y)];
                let mut goals = on.map(|(from, to)| r.to(from, to)).to_vec();
                goals.extend([!self.logic.equal(x, y), self.falls(heap, x, y)]);
                goals.into_iter().map(|goal| vec![ordered, !reached, goal]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The heap version whose `next` an ordered list in `heap` follows, and the cut at its end.
    pub fn way(&mut self, heap: u32, end: TermRef) -> (u32, CutId) {
        let Reach { heap, cut, .. } = self.stretch(heap, end);
        (heap, cut)
    }

    fn stretch(&mut self, heap: u32, end: TermRef) -> Reach<'_> {
        self.reach(lowered(self.writes, heap, &[Field::Next]), &[end])
    }

    /// `y.data <= x.data`.
    fn falls(&mut self, heap: u32, x: TermRef, y: TermRef) -> Formula {
        let heap = lowered(self.writes, heap, &[Field::Data]);
        let [x, y] = [x, y].map(|cell| self.logic.read(Field::Data, heap, cell));
        self.logic.le(y, x)
    }
}
