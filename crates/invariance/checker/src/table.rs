//! The terms of a certificate, made anew for each case that mentions them.
//!
//! What `Next(1, t)` or `New(0)` means depends on the path; so a term of the table is looked at only where a lemma
//! mentions it. A term that makes no sense there is a mistake of that lemma.

use crate::certificate::Term;
use crate::environment::Heap;
use crate::formula::Store;
use crate::linear::Linear;
use crate::rejection::{Overflow, Problem, Reason};
use crate::term::{Sort, TermId, TermKind};
use crate::translate::read;
use rustc_hash::FxHashMap;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Field, Scalar, Type};

/// Terms may be nested so deep.
const MAX_DEPTH: u32 = 200;

/// Whether every term mentions only those before it, and is not too deep.
pub(crate) fn check_order(terms: &[Term]) -> Result<(), Reason> {
    let mut depths: Vec<u32> = Vec::with_capacity(terms.len());
    for (number, term) in terms.iter().enumerate() {
        let mut depth = 0;
        let mut see = |part: u32| match depths.get(part as usize) {
            Some(below) => {
                depth = depth.max(below + 1);
                Ok(())
            }
            None => Err(Reason::TermOrder { term: number }),
        };
        use Term::*;
        match term {
            Global(_) | Local(..) | New(_) | Thread(_) | Nobody | Null | Lowest | Highest
            | Empty => {}
            Sum { parts, .. } => parts.iter().try_for_each(|(_, part)| see(*part))?,
            Min(t) | Max(t) | Singleton(t) => see(*t)?,
            Next(_, t) | Data(_, t) | Lockid(_, t) | Cells(_, t) | Elems(_, t) => see(*t)?,
            Differ(s, t) | Outside(s, t) | Union(s, t) | Intersection(s, t) | Difference(s, t) => {
                see(*s)?;
                see(*t)?;
            }
            First(_, s, t) | Second(_, s, t) | Carrier(_, s, t) => {
                see(*s)?;
                see(*t)?;
            }
        }
        if depth > MAX_DEPTH {
            return Err(Reason::TermDepth { term: number });
        }
        depths.push(depth);
    }
    Ok(())
}

/// Makes the terms of one case.
pub(crate) struct Table<'a> {
    pub system: &'a System,
    /// In the order that was checked.
    pub terms: &'a [Term],
    pub store: &'a mut Store,
    /// The heap versions of the path.
    pub heap: &'a Heap,
    /// The types of what is chosen on the path.
    pub chosen: &'a [Type],
    /// How many threads the case has.
    pub blocks: u32,
    /// What was made already.
    pub made: FxHashMap<u32, TermId>,
}

impl Table<'_> {
    /// The term with this number.
    pub fn term(&mut self, number: u32) -> Result<TermId, Problem> {
        if let Some(made) = self.made.get(&number) {
            return Ok(*made);
        }
        let made = self.make(number)?;
        self.made.insert(number, made);
        Ok(made)
    }

    /// A heap version, lowered.
    pub fn version(&self, version: u32, fields: &[Field]) -> Result<u32, Problem> {
        match version > self.heap.version() {
            true => Err(Problem::NoVersion { version }),
            false => Ok(self.heap.lowered(version, fields)),
        }
    }

    /// A term of a scalar type.
    pub fn scalar(&mut self, number: u32, scalar: Scalar) -> Result<TermId, Problem> {
        let term = self.term(number)?;
        match self.store.sort(term) == Sort::Scalar(scalar) {
            true => Ok(term),
            false => Err(Problem::Sort { term: number, wanted: word(scalar) }),
        }
    }

    pub fn address(&mut self, number: u32) -> Result<TermId, Problem> {
        self.scalar(number, Scalar::Addr)
    }

    pub fn element(&mut self, number: u32) -> Result<TermId, Problem> {
        self.scalar(number, Scalar::Elem)
    }

    /// A form of numbers.
    pub fn form(&mut self, number: u32) -> Result<Linear, Problem> {
        let term = self.scalar(number, Scalar::Int)?;
        Ok(self.store.form(term))
    }

    /// A set, with the type of its elements if it is known.
    pub fn set(&mut self, number: u32) -> Result<(TermId, Option<Scalar>), Problem> {
        let term = self.term(number)?;
        match self.store.sort(term) {
            Sort::Set(of) => Ok((term, of)),
            Sort::Scalar(_) => Err(Problem::Sort { term: number, wanted: "a set" }),
        }
    }

    /// A set of elements of this type.
    pub fn set_of(&mut self, number: u32, scalar: Scalar) -> Result<TermId, Problem> {
        let term = self.term(number)?;
        match self.store.sort(term) {
            Sort::Set(of) if of.is_none_or(|of| of == scalar) => Ok(term),
            _ => Err(Problem::Sort { term: number, wanted: words(scalar) }),
        }
    }

    /// A set, and something of the type of its elements.
    pub fn set_and_element(&mut self, set: u32, element: u32) -> Result<(TermId, TermId), Problem> {
        let (made, of) = self.set(set)?;
        let u = self.term(element)?;
        match (of, self.store.sort(u)) {
            (Some(of), Sort::Scalar(scalar)) if of == scalar => Ok((made, u)),
            (None, Sort::Scalar(_)) => Ok((made, u)),
            _ => Err(Problem::OtherSort { first: set, second: element }),
        }
    }

    /// Two terms of one type.
    pub fn two(&mut self, first: u32, second: u32) -> Result<(TermId, TermId, Sort), Problem> {
        let (x, y) = (self.term(first)?, self.term(second)?);
        match self.store.sort(x).with(self.store.sort(y)) {
            Some(sort) => Ok((x, y, sort)),
            None => Err(Problem::OtherSort { first, second }),
        }
    }

    /// Two sets of one type.
    pub fn two_sets(&mut self, first: u32, second: u32) -> Result<(TermId, TermId), Problem> {
        self.set(first)?;
        let (s, t, _) = self.two(first, second)?;
        Ok((s, t))
    }

    /// The type of the elements of two sets.
    fn element_of(&mut self, s: u32, t: u32) -> Result<(TermId, TermId, Scalar), Problem> {
        let (first, second, sort) = self.two(s, t)?;
        match sort {
            Sort::Set(Some(of)) => Ok((first, second, of)),
            // Both are made of `{}` alone: what they do not contain may be of any type.
            Sort::Set(None) => Ok((first, second, Scalar::Int)),
            _ => Err(Problem::Sort { term: s, wanted: "a set" }),
        }
    }

    fn make(&mut self, number: u32) -> Result<TermId, Problem> {
        let terms = self.terms;
        let Some(term) = terms.get(number as usize) else {
            return Err(Problem::NoTerm { term: number });
        };
        let sort =
            |ty: Option<Type>| ty.and_then(Sort::of).ok_or(Problem::NoVariable { term: number });
        Ok(match term {
            Term::Global(global) => {
                let sort = sort(self.system.globals.get(*global as usize).map(|it| it.ty))?;
                self.store.term(TermKind::Global(*global), sort)
            }
            Term::Local(local, block) => {
                let sort = sort(self.system.locals.get(*local as usize).map(|it| it.ty))?;
                self.block(number, *block)?;
                self.store.term(TermKind::Local(*local, *block), sort)
            }
            Term::New(choice) => {
                let none = Problem::NoChoice { term: number, choice: *choice };
                let ty = *self.chosen.get(*choice as usize).ok_or(none)?;
                self.store.term(TermKind::New(*choice, ty), sort(Some(ty))?)
            }
            Term::Thread(block) => {
                self.block(number, *block)?;
                self.store.scalar(TermKind::Thread(*block), Scalar::Tid)
            }
            Term::Nobody => self.store.nobody(),
            Term::Null => self.store.null(),
            Term::Lowest => self.store.scalar(TermKind::Lowest, Scalar::Elem),
            Term::Highest => self.store.scalar(TermKind::Highest, Scalar::Elem),
            Term::Sum { constant, parts } => self.sum(number, *constant, parts)?,
            Term::Min(s) => {
                let set = self.set_of(*s, Scalar::Int)?;
                self.store.scalar(TermKind::Min(set), Scalar::Int)
            }
            Term::Max(s) => {
                let set = self.set_of(*s, Scalar::Int)?;
                self.store.scalar(TermKind::Max(set), Scalar::Int)
            }
            Term::Next(version, a) => self.read(Field::Next, *version, *a)?,
            Term::Data(version, a) => self.read(Field::Data, *version, *a)?,
            Term::Lockid(version, a) => self.read(Field::Lockid, *version, *a)?,
            Term::Differ(s, t) => {
                let (s, t, of) = self.element_of(*s, *t)?;
                self.store.scalar(TermKind::Differ(s, t), of)
            }
            Term::Outside(s, t) => {
                let (s, t, of) = self.element_of(*s, *t)?;
                self.store.scalar(TermKind::Outside(s, t), of)
            }
            Term::First(version, a, b) | Term::Second(version, a, b) => {
                let version = self.version(*version, &[Field::Next, Field::Data])?;
                let (a, b) = (self.address(*a)?, self.address(*b)?);
                let kind = match term {
                    Term::First(..) => TermKind::First(version, a, b),
                    _ => TermKind::Second(version, a, b),
                };
                self.store.scalar(kind, Scalar::Addr)
            }
            Term::Carrier(version, s, e) => {
                let version = self.version(*version, &[Field::Data])?;
                let (s, e) = (self.set_of(*s, Scalar::Addr)?, self.element(*e)?);
                self.store.scalar(TermKind::Carrier(version, s, e), Scalar::Addr)
            }
            Term::Empty => self.store.set(TermKind::Empty, None),
            Term::Singleton(t) => {
                let element = self.term(*t)?;
                if let Sort::Set(_) = self.store.sort(element) {
                    return Err(Problem::Sort { term: *t, wanted: "an element" });
                }
                self.store.singleton(element)
            }
            Term::Union(s, t) => {
                let (s, t) = self.two_sets(*s, *t)?;
                self.store.both(TermKind::Union, s, t)
            }
            Term::Intersection(s, t) => {
                let (s, t) = self.two_sets(*s, *t)?;
                self.store.both(TermKind::Intersection, s, t)
            }
            Term::Difference(s, t) => {
                let (s, t) = self.two_sets(*s, *t)?;
                self.store.both(TermKind::Difference, s, t)
            }
            Term::Cells(version, a) => {
                let version = self.version(*version, &[Field::Next])?;
                let a = self.address(*a)?;
                self.store.set(TermKind::Cells(version, a), Some(Scalar::Addr))
            }
            Term::Elems(version, s) => {
                let version = self.version(*version, &[Field::Data])?;
                let s = self.set_of(*s, Scalar::Addr)?;
                self.store.set(TermKind::Elems(version, s), Some(Scalar::Elem))
            }
        })
    }

    fn block(&self, term: u32, block: u32) -> Result<(), Problem> {
        if block < self.blocks { Ok(()) } else { Err(Problem::NoThread { term, block }) }
    }

    fn read(&mut self, field: Field, version: u32, address: u32) -> Result<TermId, Problem> {
        let version = self.version(version, &[field])?;
        let address = self.address(address)?;
        Ok(read(self.store, version, field, address))
    }

    fn sum(&mut self, number: u32, constant: i64, parts: &[(i64, u32)]) -> Result<TermId, Problem> {
        let mut collected: FxHashMap<TermId, i128> = FxHashMap::default();
        for (coefficient, part) in parts {
            let term = self.scalar(*part, Scalar::Int)?;
            if let TermKind::Sum(_) = self.store.kind(term) {
                return Err(Problem::NestedSum { term: number });
            }
            let sum = collected.entry(term).or_default();
            *sum = sum.checked_add(i128::from(*coefficient)).ok_or(Overflow)?;
        }
        let mut parts: Vec<_> = collected.into_iter().filter(|(_, it)| *it != 0).collect();
        parts.sort_unstable();
        Ok(self.store.sum(Linear { constant: i128::from(constant), parts }))
    }
}

fn word(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Int => "a number",
        Scalar::Tid => "a thread",
        Scalar::Addr => "an address",
        Scalar::Elem => "an element",
    }
}

fn words(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Int => "a set of numbers",
        Scalar::Tid => "a set of threads",
        Scalar::Addr => "a set of addresses",
        Scalar::Elem => "a set of elements",
    }
}
