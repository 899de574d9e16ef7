//! The terms of a certificate, made anew for each case that mentions them.
//!
//! What `Next(1, t)` or `New(0)` means depends on the path; so a term of the table is looked at
//! only where a lemma mentions it. A term that makes no sense there is a mistake of that lemma.

use crate::axiom::{Axioms, Clause};
use crate::certificate::{Lemma, Term, TermRef};
use crate::logic::{Field, Sort, field_scalar};
use crate::rejection::{Problem, Reason};
use rustc_hash::FxHashMap;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Scalar, Type};
use std::collections::BTreeMap;

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
    pub axioms: Axioms<'a>,
    /// The types of what is chosen on the path.
    pub chosen: &'a [Type],
    /// How many threads the case has.
    pub blocks: u32,
    /// What was made already.
    pub made: FxHashMap<TermRef, TermRef>,
}

impl Table<'_> {
    /// The clauses of a lemma over the terms of the table.
    pub fn clauses(&mut self, lemma: &Lemma) -> Result<Vec<Clause>, Problem> {
        let mut own = lemma.clone();
        let clauses = (own.terms_mut().into_iter())
            .try_for_each(|term| self.term(*term).map(|made| *term = made))
            .and_then(|()| self.axioms.clauses(&own));
        // Problems speak of the terms as they are numbered in the certificate.
        let number = |made: TermRef| {
            let same = self.made.iter().filter(|(_, it)| **it == made).map(|(number, _)| *number);
            same.min().unwrap_or(made)
        };
        match clauses {
            _ if self.axioms.logic.overflowed() => Err(Problem::Overflow),
            Err(Problem::Sort { term, wanted }) => {
                Err(Problem::Sort { term: number(term), wanted })
            }
            Err(Problem::OtherSort { first, second }) => {
                Err(Problem::OtherSort { first: number(first), second: number(second) })
            }
            clauses => clauses,
        }
    }

    pub fn term(&mut self, number: TermRef) -> Result<TermRef, Problem> {
        if let Some(made) = self.made.get(&number) {
            return Ok(*made);
        }
        let terms = self.terms;
        let mut term =
            terms.get(number.0 as usize).cloned().ok_or(Problem::NoTerm { term: number })?;
        for part in term.parts_mut() {
            *part = self.term(*part)?;
        }
        let made = match term {
            Term::Sum { constant, parts } => self.sum(number, constant, &parts)?,
            mut term => {
                let sort = self.sort(number, &mut term)?;
                self.axioms.logic.mk(term, sort)
            }
        };
        self.made.insert(number, made);
        Ok(made)
    }

    /// The sort of a term whose parts are made. Its heap version is lowered.
    fn sort(&self, number: TermRef, term: &mut Term) -> Result<Sort, Problem> {
        use Scalar::{Addr, Elem, Int, Tid};
        let of =
            |ty: Option<Type>| ty.and_then(Sort::of).ok_or(Problem::NoVariable { term: number });
        let axioms = &self.axioms;
        let lower = |version: &mut u32, fields: &[Field]| {
            *version = axioms.version(*version, fields)?;
            Ok(())
        };
        if let Some((field, mut version, a)) = term.as_read() {
            lower(&mut version, &[field])?;
            axioms.addresses(&[a])?;
            *term = Term::read(field, version, a);
            return Ok(Sort::One(field_scalar(field)));
        }
        Ok(match term {
            Term::Global(global) => of(self.system.globals.get(*global as usize).map(|it| it.ty))?,
            Term::Local(local, block) => {
                self.block(number, *block)?;
                of(self.system.locals.get(*local as usize).map(|it| it.ty))?
            }
            Term::New(choice) => {
                let none = Problem::NoChoice { term: number, choice: *choice };
                of(Some(*self.chosen.get(*choice as usize).ok_or(none)?))?
            }
            Term::Thread(block) => {
                self.block(number, *block)?;
                Sort::One(Tid)
            }
            Term::Nobody => Sort::One(Tid),
            Term::Null => Sort::One(Addr),
            Term::Lowest | Term::Highest => Sort::One(Elem),
            Term::Min(s) | Term::Max(s) => {
                axioms.set_of(*s, Int)?;
                Sort::One(Int)
            }
            Term::Differ(s, t) | Term::Outside(s, t) => Sort::One(axioms.element_of(*s, *t)?),
            Term::First(version, a, b) | Term::Second(version, a, b) => {
                lower(version, &[Field::Next, Field::Data])?;
                axioms.addresses(&[*a, *b])?;
                Sort::One(Addr)
            }
            Term::Carrier(version, s, e) => {
                lower(version, &[Field::Data])?;
                axioms.set_of(*s, Addr)?;
                axioms.scalar(*e, Elem)?;
                Sort::One(Addr)
            }
            Term::Empty => Sort::Many(None),
            Term::Singleton(t) => match axioms.logic.sort(*t) {
                Sort::One(scalar) => Sort::Many(Some(scalar)),
                Sort::Many(_) => return Err(Problem::Sort { term: *t, wanted: "an element" }),
            },
            Term::Union(s, t) | Term::Intersection(s, t) | Term::Difference(s, t) => {
                axioms.two_sets(*s, *t)?
            }
            Term::Cells(version, a) => {
                lower(version, &[Field::Next])?;
                axioms.addresses(&[*a])?;
                Sort::Many(Some(Addr))
            }
            Term::Elems(version, s) => {
                lower(version, &[Field::Data])?;
                axioms.set_of(*s, Addr)?;
                Sort::Many(Some(Elem))
            }
            // These have been dealt with.
            Term::Sum { .. } | Term::Next(..) | Term::Data(..) | Term::Lockid(..) => Sort::One(Int),
        })
    }

    fn block(&self, term: TermRef, block: u32) -> Result<(), Problem> {
        if block < self.blocks { Ok(()) } else { Err(Problem::NoThread { term, block }) }
    }

    fn sum(
        &mut self,
        number: TermRef,
        constant: i64,
        parts: &[(i64, TermRef)],
    ) -> Result<TermRef, Problem> {
        let mut collected: BTreeMap<TermRef, i64> = BTreeMap::new();
        for (coefficient, part) in parts {
            self.axioms.scalar(*part, Scalar::Int)?;
            if let Term::Sum { .. } = self.axioms.logic.term(*part) {
                return Err(Problem::NestedSum { term: number });
            }
            let sum = collected.entry(*part).or_default();
            *sum = sum.checked_add(*coefficient).ok_or(Problem::Overflow)?;
        }
        let parts = collected.into_iter().map(|(part, coefficient)| (coefficient, part));
        Ok(self.axioms.logic.sum(constant, parts.collect()))
    }
}
