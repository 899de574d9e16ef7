//! Atoms: what a propositional formula is made of.

use super::{Formula, Logic, Sort, Term, TermRef};
use ser_syntax::inv::ast::{GlobalId, LocId, LocalId, ProcId, Scalar};

/// An atom, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AtomId(pub u32);

/// A set of locations, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocSetId(pub u32);

/// A list of cells that are not left, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CutId(pub u32);

/// A variable of type `bool`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BoolVar {
    /// A global before the step.
    Global(GlobalId),
    /// A local of a block before the step.
    Local(LocalId, u32),
    /// What a `choose` chooses.
    New(u32),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Atom {
    /// A variable.
    Bool(BoolVar),
    /// The block is at one of the locations, before the step.
    At(u32, LocSetId),
    /// The block has called the procedure from there.
    Site(ProcId, u32, LocId),
    /// Equality of addresses, threads or elements; the smaller term first.
    Equal(TermRef, TermRef),
    /// The order of elements.
    Le(TermRef, TermRef),
    /// A sum is at least 0; of a sum and its opposite, the one whose first coefficient is positive.
    Ge(TermRef),
    /// In a set that is a variable or `Elems`.
    In(TermRef, TermRef),
    /// One set is part of the other.
    Subset(TermRef, TermRef),
    /// Two sets are the same; the smaller term first.
    Same(TermRef, TermRef),
    /// A set is not empty.
    Some(TermRef),
    /// Reachability in a heap version, without leaving some cells.
    Reach(u32, CutId, TermRef, TermRef),
    /// An ordered list in a heap version.
    Ordered(u32, TermRef, TermRef),
}

impl Logic {
    /// The atom with this number.
    pub fn atom(&self, id: AtomId) -> &Atom {
        self.atoms.get(id.0)
    }

    pub fn atom_id(&mut self, atom: Atom) -> AtomId {
        AtomId(self.atoms.number(atom))
    }

    /// The number of an atom that is there already.
    pub fn known_atom(&self, atom: &Atom) -> Option<AtomId> {
        self.atoms.find(atom).map(AtomId)
    }

    pub fn locations(&self, set: LocSetId) -> &[LocId] {
        self.sets.get(set.0)
    }

    /// The cells of a cut.
    pub fn cut(&self, cut: CutId) -> &[TermRef] {
        self.cuts.get(cut.0)
    }

    /// The number of a cut. It depends on which cells are in it, not on their order.
    pub fn cut_id(&mut self, cells: &[TermRef]) -> CutId {
        let mut cells = cells.to_vec();
        cells.sort_unstable();
        cells.dedup();
        CutId(self.cuts.number(cells))
    }

    /// A variable of type `bool`.
    pub fn boolean(&mut self, variable: BoolVar) -> Formula {
        self.of_atom(Atom::Bool(variable))
    }

    /// The block is at one of these locations, which ascend.
    pub fn at(&mut self, block: u32, locations: &[LocId]) -> Formula {
        let set = LocSetId(self.sets.number(locations.to_vec()));
        self.of_atom(Atom::At(block, set))
    }

    /// Whether two of these that are not the same term are different values.
    fn constant(&self, t: TermRef) -> bool {
        matches!(
            self.term(t),
            Term::Thread(_) | Term::Nobody | Term::Null | Term::Lowest | Term::Highest
        )
    }

    /// `x = y` of two terms of one sort.
    pub fn equal(&mut self, x: TermRef, y: TermRef) -> Formula {
        if x == y {
            return Formula::TRUE;
        }
        match self.sort(x) {
            Sort::Many(_) => self.of_atom(Atom::Same(x.min(y), x.max(y))),
            Sort::One(Scalar::Int) => {
                let (below, above) = (self.at_least(x, y), self.at_least(y, x));
                self.and([below, above])
            }
            Sort::One(_) if self.constant(x) && self.constant(y) => Formula::FALSE,
            Sort::One(_) => self.of_atom(Atom::Equal(x.min(y), x.max(y))),
        }
    }

    /// `x >= y` of numbers.
    pub fn at_least(&mut self, x: TermRef, y: TermRef) -> Formula {
        let difference = self.add_scaled(x, -1, y);
        self.not_negative(difference)
    }

    /// `sum >= 0`. Divided by the greatest common divisor of the coefficients: `d * f + c >= 0` if
    /// and only if `f >= -c / d`, so `f + floor(c / d) >= 0`. Of it and its opposite,
    /// `-f - 1 >= 0`, the one with a first coefficient above 0 is the atom.
    pub fn not_negative(&mut self, sum: TermRef) -> Formula {
        let (constant, mut parts) = self.linear(sum);
        let gcd = parts.iter().fold(0_u64, |g, (c, _)| gcd(g, c.unsigned_abs()));
        let Ok(gcd) = i64::try_from(gcd) else {
            self.overflow = true;
            return Formula::TRUE;
        };
        if gcd == 0 {
            return Formula::constant(constant >= 0);
        }
        let mut constant = constant.div_euclid(gcd);
        let negated = parts[0].0 < 0;
        for (coefficient, _) in &mut parts {
            *coefficient /= gcd;
        }
        if negated {
            // `f >= 0` is the opposite of `-f - 1 >= 0`.
            let opposite = constant.checked_neg().and_then(|c| c.checked_sub(1));
            self.overflow |= opposite.is_none() || parts.iter().any(|(c, _)| *c == i64::MIN);
            constant = opposite.unwrap_or(0);
            parts.iter_mut().for_each(|(c, _)| *c = c.wrapping_neg());
        }
        let form = self.sum(constant, parts);
        let atom = self.of_atom(Atom::Ge(form));
        if negated { !atom } else { atom }
    }

    /// `x <= y` of elements.
    pub fn le(&mut self, x: TermRef, y: TermRef) -> Formula {
        match (self.term(x), self.term(y)) {
            _ if x == y => Formula::TRUE,
            (Term::Lowest, _) | (_, Term::Highest) => Formula::TRUE,
            (Term::Highest, Term::Lowest) => Formula::FALSE,
            _ => self.of_atom(Atom::Le(x, y)),
        }
    }

    /// `x < y` of elements.
    pub fn less(&mut self, x: TermRef, y: TermRef) -> Formula {
        !self.le(y, x)
    }

    /// `u in s`, by the structure of `s`.
    pub fn member(&mut self, u: TermRef, s: TermRef) -> Formula {
        if let Some(known) = self.memberships.get(&(u, s)) {
            return *known;
        }
        let member = self.member_of(u, s);
        self.memberships.insert((u, s), member);
        member
    }

    fn member_of(&mut self, u: TermRef, s: TermRef) -> Formula {
        match *self.term(s) {
            Term::Empty => Formula::FALSE,
            Term::Singleton(t) => self.equal(u, t),
            Term::Union(a, b) => {
                let (a, b) = (self.member(u, a), self.member(u, b));
                self.or([a, b])
            }
            Term::Intersection(a, b) => {
                let (a, b) = (self.member(u, a), self.member(u, b));
                self.and([a, b])
            }
            Term::Difference(a, b) => {
                let (a, b) = (self.member(u, a), self.member(u, b));
                self.and([a, !b])
            }
            Term::Cells(heap, a) => {
                let nothing = self.cut_id(&[]);
                self.reach(heap, nothing, a, u)
            }
            _ => self.of_atom(Atom::In(u, s)),
        }
    }

    /// `s subset t`.
    pub fn subset(&mut self, s: TermRef, t: TermRef) -> Formula {
        self.of_atom(Atom::Subset(s, t))
    }

    /// The set is not empty.
    pub fn some(&mut self, s: TermRef) -> Formula {
        self.of_atom(Atom::Some(s))
    }

    /// Reachability.
    pub fn reach(&mut self, heap: u32, cut: CutId, x: TermRef, y: TermRef) -> Formula {
        self.of_atom(Atom::Reach(heap, cut, x, y))
    }

    /// `ordered(a, b)`.
    pub fn ordered(&mut self, heap: u32, a: TermRef, b: TermRef) -> Formula {
        self.of_atom(Atom::Ordered(heap, a, b))
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
