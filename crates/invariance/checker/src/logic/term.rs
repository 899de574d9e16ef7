//! Terms, and linear forms of numbers.

use super::{Field, Logic, Term, TermRef};
use ser_syntax::inv::ast::{Scalar, Type};

/// What kind of thing a term is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// A number, thread, address or element.
    One(Scalar),
    /// A set of them. The empty set has elements of any type.
    Many(Option<Scalar>),
}

impl Sort {
    /// Of a variable; there are no terms of type `bool`.
    pub fn of(ty: Type) -> Option<Sort> {
        match ty {
            Type::Bool => None,
            Type::Scalar(scalar) => Some(Sort::One(scalar)),
            Type::Set(scalar) => Some(Sort::Many(Some(scalar))),
        }
    }

    /// The sort of both, if they have the same.
    pub fn with(self, other: Sort) -> Option<Sort> {
        match (self, other) {
            (Sort::Many(None), Sort::Many(_)) => Some(other),
            (Sort::Many(_), Sort::Many(None)) => Some(self),
            _ => (self == other).then_some(self),
        }
    }
}

impl Logic {
    /// The term with this number.
    pub fn term(&self, t: TermRef) -> &Term {
        &self.terms.get(t.0).0
    }

    pub fn sort(&self, t: TermRef) -> Sort {
        self.terms.get(t.0).1
    }

    /// The number of a term; the caller says of which sort it is.
    pub fn mk(&mut self, term: Term, sort: Sort) -> TermRef {
        let key = (term, sort);
        if let Some(known) = self.terms.find(&key) {
            return TermRef(known);
        }
        let parts = key.0.parts().into_iter();
        let depth = parts.map(|part| self.depths[part.0 as usize] + 1).max().unwrap_or(0);
        self.depths.push(depth);
        self.deepest = self.deepest.max(depth);
        TermRef(self.terms.number(key))
    }

    /// The number of a term that is there already.
    pub fn find(&self, term: &Term, sort: Sort) -> Option<TermRef> {
        self.terms.find(&(term.clone(), sort)).map(TermRef)
    }

    pub fn scalar(&mut self, term: Term, of: Scalar) -> TermRef {
        self.mk(term, Sort::One(of))
    }

    pub fn set(&mut self, term: Term, of: Scalar) -> TermRef {
        self.mk(term, Sort::Many(Some(of)))
    }

    pub fn null(&mut self) -> TermRef {
        self.scalar(Term::Null, Scalar::Addr)
    }

    pub fn thread(&mut self, block: u32) -> TermRef {
        self.scalar(Term::Thread(block), Scalar::Tid)
    }

    pub fn nobody(&mut self) -> TermRef {
        self.scalar(Term::Nobody, Scalar::Tid)
    }

    /// `.field` of an address in a heap version.
    pub fn read(&mut self, field: Field, heap: u32, of: TermRef) -> TermRef {
        self.scalar(Term::read(field, heap, of), field_scalar(field))
    }

    pub fn singleton(&mut self, t: TermRef) -> TermRef {
        let of = match self.sort(t) {
            Sort::One(scalar) => Some(scalar),
            Sort::Many(of) => of,
        };
        self.mk(Term::Singleton(t), Sort::Many(of))
    }

    /// The union, intersection or difference of two sets of the same type.
    pub fn both(&mut self, term: fn(TermRef, TermRef) -> Term, l: TermRef, r: TermRef) -> TermRef {
        let sort = self.sort(l).with(self.sort(r)).unwrap_or(self.sort(l));
        self.mk(term(l, r), sort)
    }

    /// The type of the elements of a set, unless it is empty for sure.
    pub fn element(&self, set: TermRef) -> Option<Scalar> {
        match self.sort(set) {
            Sort::One(scalar) => Some(scalar),
            Sort::Many(of) => of,
        }
    }

    pub fn int(&mut self, value: i64) -> TermRef {
        self.scalar(Term::Sum { constant: value, parts: Vec::new() }, Scalar::Int)
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

    /// A sum of terms that ascend and are no sums; parts with coefficient 0 are left out.
    pub fn sum(&mut self, constant: i64, mut parts: Vec<(i64, TermRef)>) -> TermRef {
        parts.retain(|(coefficient, _)| *coefficient != 0);
        match parts[..] {
            [(1, t)] if constant == 0 => t,
            _ => self.scalar(Term::Sum { constant, parts }, Scalar::Int),
        }
    }
}

/// The type of a field.
pub(crate) fn field_scalar(field: Field) -> Scalar {
    match field {
        Field::Next => Scalar::Addr,
        Field::Data => Scalar::Elem,
        Field::Lockid => Scalar::Tid,
    }
}
