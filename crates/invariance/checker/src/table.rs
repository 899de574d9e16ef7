//! The terms of a certificate, made anew for each case that mentions them.
//!
//! What `Next(1, t)` or `New(0)` means depends on the path; so a term of the table is looked at
//! only where a lemma mentions it. A term that makes no sense there is a mistake of that lemma.

use crate::certificate::{SetRef, Term, TermRef};
use crate::environment::{Heap, Write};
use crate::formula::{Formula, Store};
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
        for part in term.parts() {
            let below = depths.get(part.0 as usize).ok_or(Reason::TermOrder { term: number })?;
            depth = depth.max(below + 1);
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
    pub made: FxHashMap<TermRef, TermId>,
}

impl Table<'_> {
    pub fn term(&mut self, number: TermRef) -> Result<TermId, Problem> {
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
    pub fn scalar(&mut self, number: TermRef, scalar: Scalar) -> Result<TermId, Problem> {
        let term = self.term(number)?;
        match self.store.sort(term) == Sort::Scalar(scalar) {
            true => Ok(term),
            false => Err(Problem::Sort { term: number, wanted: word(scalar) }),
        }
    }

    pub fn address(&mut self, number: TermRef) -> Result<TermId, Problem> {
        self.scalar(number, Scalar::Addr)
    }

    pub fn element(&mut self, number: TermRef) -> Result<TermId, Problem> {
        self.scalar(number, Scalar::Elem)
    }

    pub fn addresses<const N: usize>(
        &mut self,
        numbers: [TermRef; N],
    ) -> Result<[TermId; N], Problem> {
        self.scalars(numbers, Scalar::Addr)
    }

    pub fn elements<const N: usize>(
        &mut self,
        numbers: [TermRef; N],
    ) -> Result<[TermId; N], Problem> {
        self.scalars(numbers, Scalar::Elem)
    }

    fn scalars<const N: usize>(
        &mut self,
        numbers: [TermRef; N],
        scalar: Scalar,
    ) -> Result<[TermId; N], Problem> {
        let mut made = [TermId(0); N];
        for (place, number) in made.iter_mut().zip(numbers) {
            *place = self.scalar(number, scalar)?;
        }
        Ok(made)
    }

    pub fn form(&mut self, number: TermRef) -> Result<Linear, Problem> {
        let term = self.scalar(number, Scalar::Int)?;
        Ok(self.store.form(term))
    }

    /// A set, with the type of its elements if it is known.
    pub fn set(&mut self, number: TermRef) -> Result<(TermId, Option<Scalar>), Problem> {
        let term = self.term(number)?;
        match self.store.sort(term) {
            Sort::Set(of) => Ok((term, of)),
            Sort::Scalar(_) => Err(Problem::Sort { term: number, wanted: "a set" }),
        }
    }

    /// A set of elements of this type.
    pub fn set_of(&mut self, number: TermRef, scalar: Scalar) -> Result<TermId, Problem> {
        let term = self.term(number)?;
        match self.store.sort(term) {
            Sort::Set(of) if of.is_none_or(|of| of == scalar) => Ok(term),
            _ => Err(Problem::Sort { term: number, wanted: words(scalar) }),
        }
    }

    /// A set, and something of the type of its elements.
    pub fn set_and_element(
        &mut self,
        set: SetRef,
        element: TermRef,
    ) -> Result<(TermId, TermId), Problem> {
        let (made, of) = self.set(set)?;
        let u = self.term(element)?;
        match (of, self.store.sort(u)) {
            (Some(of), Sort::Scalar(scalar)) if of == scalar => Ok((made, u)),
            (None, Sort::Scalar(_)) => Ok((made, u)),
            _ => Err(Problem::OtherSort { first: set, second: element }),
        }
    }

    /// Two terms of one type.
    pub fn two(
        &mut self,
        first: TermRef,
        second: TermRef,
    ) -> Result<(TermId, TermId, Sort), Problem> {
        let (x, y) = (self.term(first)?, self.term(second)?);
        match self.store.sort(x).with(self.store.sort(y)) {
            Some(sort) => Ok((x, y, sort)),
            None => Err(Problem::OtherSort { first, second }),
        }
    }

    /// Two sets of one type.
    pub fn two_sets(
        &mut self,
        first: TermRef,
        second: TermRef,
    ) -> Result<(TermId, TermId), Problem> {
        self.set(first)?;
        let (s, t, _) = self.two(first, second)?;
        Ok((s, t))
    }

    /// Two sets, and something of the type of their elements.
    pub fn two_sets_and_element(
        &mut self,
        s: SetRef,
        t: SetRef,
        u: TermRef,
    ) -> Result<(TermId, TermId, TermId), Problem> {
        let (first, second) = self.two_sets(s, t)?;
        self.set_and_element(t, u)?;
        let (_, element) = self.set_and_element(s, u)?;
        Ok((first, second, element))
    }

    /// The write of this field that made a heap version, and the version before it, lowered.
    pub fn write(&self, version: u32, field: Field) -> Result<(Write, u32), Problem> {
        let lowered = self.version(version, &[field])?;
        match self.heap.write(version) {
            Some(write) if write.field == field && lowered == version => {
                Ok((*write, self.version(version - 1, &[field])?))
            }
            _ => Err(Problem::NoWrite { version }),
        }
    }

    /// `.field` of an address in a heap version that is lowered.
    pub fn read(&mut self, version: u32, field: Field, address: TermId) -> TermId {
        read(self.store, version, field, address)
    }

    pub fn equal(&mut self, x: TermId, y: TermId) -> Result<Formula, Problem> {
        Ok(self.store.equal(x, y)?)
    }

    pub fn member(&mut self, u: TermId, s: TermId) -> Result<Formula, Problem> {
        Ok(self.store.member(u, s)?)
    }

    /// Two sets, and the type of their elements.
    pub fn element_of(
        &mut self,
        s: SetRef,
        t: SetRef,
    ) -> Result<(TermId, TermId, Scalar), Problem> {
        let (first, second, sort) = self.two(s, t)?;
        match sort {
            Sort::Set(Some(of)) => Ok((first, second, of)),
            // Both are made of `{}` alone: what they do not contain may be of any type.
            Sort::Set(None) => Ok((first, second, Scalar::Int)),
            _ => Err(Problem::Sort { term: s, wanted: "a set" }),
        }
    }

    fn make(&mut self, number: TermRef) -> Result<TermId, Problem> {
        let terms = self.terms;
        let Some(term) = terms.get(number.0 as usize) else {
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
            Term::Next(version, a) => self.field(Field::Next, *version, *a)?,
            Term::Data(version, a) => self.field(Field::Data, *version, *a)?,
            Term::Lockid(version, a) => self.field(Field::Lockid, *version, *a)?,
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

    fn block(&self, term: TermRef, block: u32) -> Result<(), Problem> {
        if block < self.blocks { Ok(()) } else { Err(Problem::NoThread { term, block }) }
    }

    fn field(&mut self, field: Field, version: u32, address: TermRef) -> Result<TermId, Problem> {
        let version = self.version(version, &[field])?;
        let address = self.address(address)?;
        Ok(self.read(version, field, address))
    }

    fn sum(
        &mut self,
        number: TermRef,
        constant: i64,
        parts: &[(i64, TermRef)],
    ) -> Result<TermId, Problem> {
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
