//! Terms.

use super::Logic;
use ser_syntax::inv::ast::{GlobalId, LocalId, Scalar};

pub use ser_syntax::inv::ast::Field;

/// A term, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct T(pub u32);

/// What kind of thing a term is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// A number, thread, address or element.
    One(Scalar),
    /// A set of them.
    Many(Scalar),
}

/// A term. See `ser_invariance_checker::Term` for the meaning of each.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "said in ser_invariance_checker::Term")]
pub enum Term {
    Global(GlobalId),
    Local(LocalId, u32),
    New(u32),
    Thread(u32),
    Nobody,
    Null,
    Lowest,
    Highest,
    /// Parts are sorted, no coefficient is 0, and it is not just one part with coefficient 1.
    Sum(i64, Vec<(i64, T)>),
    Min(T),
    Max(T),
    Read(Field, u32, T),
    Differ(T, T),
    Outside(T, T),
    First(u32, T, T),
    Second(u32, T, T),
    Carrier(u32, T, T),
    Empty,
    Singleton(T),
    Union(T, T),
    Intersection(T, T),
    Difference(T, T),
    Cells(u32, T),
    Elems(u32, T),
}

impl Logic {
    /// The term with this number.
    pub fn term(&self, t: T) -> &Term {
        &self.terms[t.0 as usize].0
    }

    /// Its sort.
    pub fn sort(&self, t: T) -> Sort {
        self.terms[t.0 as usize].1
    }

    /// The number of a term of a sort (which variables and `Empty` need to be told).
    pub fn mk(&mut self, term: Term, sort: Sort) -> T {
        let key = (term, sort);
        if let Some(known) = self.term_ids.get(&key) {
            return *known;
        }
        let t = T(self.terms.len() as u32);
        self.terms.push(key.clone());
        self.term_ids.insert(key, t);
        t
    }

    /// The number of a term that is there already.
    pub fn find(&self, term: &Term, sort: Sort) -> Option<T> {
        self.term_ids.get(&(term.clone(), sort)).copied()
    }

    /// Constants of type `addr`, `tid`, `elem`.
    pub fn null(&mut self) -> T {
        self.mk(Term::Null, Sort::One(Scalar::Addr))
    }

    /// The thread of a block.
    pub fn thread(&mut self, block: u32) -> T {
        self.mk(Term::Thread(block), Sort::One(Scalar::Tid))
    }

    /// `nobody`.
    pub fn nobody(&mut self) -> T {
        self.mk(Term::Nobody, Sort::One(Scalar::Tid))
    }

    /// `.f` of an address in a heap version.
    pub fn read(&mut self, field: Field, heap: u32, of: T) -> T {
        let scalar = match field {
            Field::Next => Scalar::Addr,
            Field::Data => Scalar::Elem,
            Field::Lockid => Scalar::Tid,
        };
        self.mk(Term::Read(field, heap, of), Sort::One(scalar))
    }

    /// A number.
    pub fn int(&mut self, value: i64) -> T {
        self.mk(Term::Sum(value, Vec::new()), Sort::One(Scalar::Int))
    }

    /// Constant and parts of a term of type `int`.
    pub fn linear(&self, t: T) -> (i64, Vec<(i64, T)>) {
        match self.term(t) {
            Term::Sum(constant, parts) => (*constant, parts.clone()),
            _ => (0, vec![(1, t)]),
        }
    }

    /// `x + factor * y`.
    pub fn add_scaled(&mut self, x: T, factor: i64, y: T) -> T {
        let (mut constant, mut parts) = self.linear(x);
        let (c, more) = self.linear(y);
        let mut fits = true;
        let mut sum = |a: i64, b: i64| {
            let sum = b.checked_mul(factor).and_then(|b| a.checked_add(b));
            fits &= sum.is_some();
            sum.unwrap_or(0)
        };
        constant = sum(constant, c);
        for (coefficient, part) in more {
            match parts.binary_search_by_key(&part, |(_, t)| *t) {
                Ok(place) => parts[place].0 = sum(parts[place].0, coefficient),
                Err(place) => parts.insert(place, (sum(0, coefficient), part)),
            }
        }
        self.overflow |= !fits;
        self.sum(constant, parts)
    }

    /// A sum; parts with coefficient 0 are left out.
    pub fn sum(&mut self, constant: i64, mut parts: Vec<(i64, T)>) -> T {
        parts.retain(|(coefficient, _)| *coefficient != 0);
        match parts[..] {
            [(1, t)] if constant == 0 => t,
            _ => self.mk(Term::Sum(constant, parts), Sort::One(Scalar::Int)),
        }
    }

    /// A term that is made of sets.
    pub fn set(&mut self, term: Term, of: Scalar) -> T {
        self.mk(term, Sort::Many(of))
    }

    /// What the elements of a set are.
    pub fn element(&self, set: T) -> Scalar {
        match self.sort(set) {
            Sort::One(scalar) | Sort::Many(scalar) => scalar,
        }
    }

    /// The terms directly inside, in their order.
    pub fn inside(&self, t: T) -> Vec<T> {
        match self.term(t) {
            Term::Global(_)
            | Term::Local(..)
            | Term::New(_)
            | Term::Thread(_)
            | Term::Nobody
            | Term::Null
            | Term::Lowest
            | Term::Highest
            | Term::Empty => Vec::new(),
            Term::Sum(_, parts) => parts.iter().map(|(_, t)| *t).collect(),
            Term::Min(a)
            | Term::Max(a)
            | Term::Read(_, _, a)
            | Term::Singleton(a)
            | Term::Cells(_, a)
            | Term::Elems(_, a) => vec![*a],
            Term::Differ(a, b)
            | Term::Outside(a, b)
            | Term::First(_, a, b)
            | Term::Second(_, a, b)
            | Term::Carrier(_, a, b)
            | Term::Union(a, b)
            | Term::Intersection(a, b)
            | Term::Difference(a, b) => vec![*a, *b],
        }
    }
}
