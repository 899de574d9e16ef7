//! Terms.

use super::Logic;
use ser_syntax::inv::ast::Scalar;

pub use ser_invariance_checker::{Term, TermRef};

pub use ser_syntax::inv::ast::Field;

/// What kind of thing a term is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// A number, thread, address or element.
    One(Scalar),
    /// A set of them.
    Many(Scalar),
}

impl Logic {
    /// The term with this number.
    pub fn term(&self, t: TermRef) -> &Term {
        &self.terms[t.0 as usize].0
    }

    pub fn sort(&self, t: TermRef) -> Sort {
        self.terms[t.0 as usize].1
    }

    /// The number of a term of a sort (which variables and `Empty` need to be told).
    pub fn mk(&mut self, term: Term, sort: Sort) -> TermRef {
        let key = (term, sort);
        if let Some(known) = self.term_ids.get(&key) {
            return *known;
        }
        let t = TermRef(self.terms.len() as u32);
        self.terms.push(key.clone());
        self.term_ids.insert(key, t);
        t
    }

    /// The number of a term that is there already.
    pub fn find(&self, term: &Term, sort: Sort) -> Option<TermRef> {
        self.term_ids.get(&(term.clone(), sort)).copied()
    }

    /// Constants of type `addr`, `tid`, `elem`.
    pub fn null(&mut self) -> TermRef {
        self.mk(Term::Null, Sort::One(Scalar::Addr))
    }

    pub fn thread(&mut self, block: u32) -> TermRef {
        self.mk(Term::Thread(block), Sort::One(Scalar::Tid))
    }

    /// `nobody`.
    pub fn nobody(&mut self) -> TermRef {
        self.mk(Term::Nobody, Sort::One(Scalar::Tid))
    }

    /// `.f` of an address in a heap version.
    pub fn read(&mut self, field: Field, heap: u32, of: TermRef) -> TermRef {
        let scalar = match field {
            Field::Next => Scalar::Addr,
            Field::Data => Scalar::Elem,
            Field::Lockid => Scalar::Tid,
        };
        self.mk(Term::read(field, heap, of), Sort::One(scalar))
    }

    /// A witness for an axiom about a set: one of the kind of its elements.
    pub fn witness(&mut self, term: Term, set: TermRef) -> TermRef {
        let scalar = self.element(set);
        self.mk(term, Sort::One(scalar))
    }

    /// A number.
    pub fn int(&mut self, value: i64) -> TermRef {
        self.mk(Term::Sum { constant: value, parts: Vec::new() }, Sort::One(Scalar::Int))
    }

    /// Constant and parts of a term of type `int`.
    pub fn linear(&self, t: TermRef) -> (i64, Vec<(i64, TermRef)>) {
        match self.term(t) {
            Term::Sum { constant, parts } => (*constant, parts.clone()),
            _ => (0, vec![(1, t)]),
        }
    }

    /// `x + factor * y`.
    pub fn add_scaled(&mut self, x: TermRef, factor: i64, y: TermRef) -> TermRef {
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
    pub fn sum(&mut self, constant: i64, mut parts: Vec<(i64, TermRef)>) -> TermRef {
        parts.retain(|(coefficient, _)| *coefficient != 0);
        match parts[..] {
            [(1, t)] if constant == 0 => t,
            _ => self.mk(Term::Sum { constant, parts }, Sort::One(Scalar::Int)),
        }
    }

    /// A term that is made of sets.
    pub fn set(&mut self, term: Term, of: Scalar) -> TermRef {
        self.mk(term, Sort::Many(of))
    }

    pub fn element(&self, set: TermRef) -> Scalar {
        match self.sort(set) {
            Sort::One(scalar) | Sort::Many(scalar) => scalar,
        }
    }
}
