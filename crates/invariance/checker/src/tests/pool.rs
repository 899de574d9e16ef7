//! Random terms and lemmas of the right types, for tests.

use crate::certificate::{Lemma, Term, TermRef};
use fastrand::Rng;
use ser_generators::Draw;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Field, Scalar, Type};
use std::collections::BTreeMap;

/// What terms can speak of.
#[derive(Clone, Copy)]
pub(crate) struct World<'a> {
    pub system: &'a System,
    pub blocks: u32,
    pub chosen: &'a [Type],
    /// The last version of the heap.
    pub versions: u32,
}

/// Terms of each type, made at random.
#[derive(Default)]
pub(crate) struct Pool {
    pub terms: Vec<Term>,
    scalars: BTreeMap<Scalar, Vec<TermRef>>,
    sets: BTreeMap<Scalar, Vec<TermRef>>,
    /// Forms that cannot all be at least 0.
    contradictions: Vec<Vec<TermRef>>,
    /// Terms that are in every pool with the same number.
    pub base: Vec<TermRef>,
    versions: u32,
}

impl Pool {
    fn scalar(&mut self, of: Scalar, term: Term) {
        self.terms.push(term);
        self.scalars.entry(of).or_default().push(TermRef(self.terms.len() as u32 - 1));
    }

    fn set(&mut self, of: Scalar, term: Term) {
        self.terms.push(term);
        self.sets.entry(of).or_default().push(TermRef(self.terms.len() as u32 - 1));
    }

    pub fn a_scalar(&self, random: &mut Rng, of: Scalar) -> TermRef {
        *random.pick(&self.scalars[&of])
    }

    fn a_set(&self, random: &mut Rng, of: Scalar) -> TermRef {
        *random.pick(&self.sets[&of])
    }

    pub fn new(random: &mut Rng, world: World<'_>) -> Pool {
        Pool::behind(Vec::new(), random, world)
    }

    /// New terms behind others.
    pub fn behind(terms: Vec<Term>, random: &mut Rng, world: World<'_>) -> Pool {
        use Scalar::{Addr, Elem, Int, Tid};
        let World { system, blocks, chosen, versions } = world;
        let mut pool = Pool { terms, versions, ..Pool::default() };
        let add = |pool: &mut Pool, ty: Type, term: Term| match ty {
            Type::Bool => {}
            Type::Scalar(of) => pool.scalar(of, term),
            Type::Set(of) => pool.set(of, term),
        };
        for (number, global) in system.globals.iter().enumerate() {
            add(&mut pool, global.ty, Term::Global(number as u32));
        }
        for (number, local) in system.locals.iter().enumerate() {
            for block in 0..blocks {
                add(&mut pool, local.ty, Term::Local(number as u32, block));
            }
        }
        for (number, ty) in chosen.iter().enumerate() {
            add(&mut pool, *ty, Term::New(number as u32));
        }
        for block in 0..blocks {
            pool.scalar(Tid, Term::Thread(block));
        }
        pool.scalar(Tid, Term::Nobody);
        pool.scalar(Addr, Term::Null);
        pool.scalar(Elem, Term::Lowest);
        pool.scalar(Elem, Term::Highest);
        for of in [Int, Addr, Elem, Tid] {
            pool.set(of, Term::Empty);
        }
        pool.base = pool.scalars[&Addr].clone();
        for _ in 0..5 {
            pool.contradict(random);
        }
        for _ in 0..24 {
            let h = random.below(versions as usize + 1) as u32;
            let kind = *random.pick(&[Int, Addr, Elem, Tid]);
            let a = pool.a_scalar(random, Addr);
            let b = pool.a_scalar(random, Addr);
            let (s, t) = (pool.a_set(random, kind), pool.a_set(random, kind));
            let element = pool.a_scalar(random, kind);
            match random.below(17) {
                0 => {
                    let constant = random.between(-2, 2);
                    let count = random.below(3);
                    let parts = (0..count).map(|_| {
                        let of = pool.a_scalar(random, Int);
                        (random.between(-2, 2), of)
                    });
                    let parts: Vec<_> = parts.collect();
                    let sum = |(_, part): &(i64, TermRef)| {
                        matches!(pool.terms[part.0 as usize], Term::Sum { .. })
                    };
                    if !parts.iter().any(sum) {
                        pool.scalar(Int, Term::Sum { constant, parts });
                    }
                }
                1 => {
                    let s = pool.a_set(random, Int);
                    pool.scalar(Int, Term::Min(s));
                }
                2 => {
                    let s = pool.a_set(random, Int);
                    pool.scalar(Int, Term::Max(s));
                }
                3 | 4 => pool.scalar(Addr, Term::Next(h, a)),
                5 => pool.scalar(Elem, Term::Data(h, a)),
                6 => pool.scalar(Tid, Term::Lockid(h, a)),
                7 => pool.scalar(pool.witness(kind, s, t), Term::Differ(s, t)),
                8 => pool.scalar(pool.witness(kind, s, t), Term::Outside(s, t)),
                9 => pool.scalar(Addr, Term::First(h, a, b)),
                10 => pool.scalar(Addr, Term::Second(h, a, b)),
                11 => {
                    let (s, e) = (pool.a_set(random, Addr), pool.a_scalar(random, Elem));
                    pool.scalar(Addr, Term::Carrier(h, s, e));
                }
                12 => pool.set(kind, Term::Singleton(element)),
                13 => pool.set(kind, Term::Union(s, t)),
                14 => pool.set(kind, Term::Intersection(s, t)),
                15 => pool.set(kind, Term::Difference(s, t)),
                _ => match random.one_in(2) {
                    true => pool.set(Addr, Term::Cells(h, a)),
                    false => {
                        let s = pool.a_set(random, Addr);
                        pool.set(Elem, Term::Elems(h, s));
                    }
                },
            }
        }
        pool
    }

    /// The type of the witness for two sets: of sets that are made of `{}` alone it is a number.
    fn witness(&self, of: Scalar, s: TermRef, t: TermRef) -> Scalar {
        if self.is_bare(s) && self.is_bare(t) { Scalar::Int } else { of }
    }

    fn is_bare(&self, set: TermRef) -> bool {
        match self.terms[set.0 as usize] {
            Term::Empty => true,
            Term::Union(s, t) | Term::Intersection(s, t) | Term::Difference(s, t) => {
                self.is_bare(s) && self.is_bare(t)
            }
            _ => false,
        }
    }

    /// `x - y >= 0`, `y - z >= 0`, `z - x - 1 >= 0`, and the like.
    fn contradict(&mut self, random: &mut Rng) {
        let numbers = self.scalars[&Scalar::Int].iter().copied();
        let is_sum = |it: &TermRef| matches!(self.terms[it.0 as usize], Term::Sum { .. });
        let numbers: Vec<TermRef> = numbers.filter(|it| !is_sum(it)).collect();
        let around: Vec<TermRef> =
            (0..1 + random.below(3)).map(|_| *random.pick(&numbers)).collect();
        let mut forms = Vec::new();
        let mut constants = 0;
        for (place, x) in around.iter().enumerate() {
            let y = around.get(place + 1).unwrap_or(&around[0]);
            let mut constant = random.between(-2, 2);
            if place + 1 == around.len() {
                constant = constant.min(-1 - constants);
            }
            constants += constant;
            let factor = random.between(1, 3);
            let parts = vec![(factor, *x), (-factor, *y)];
            self.scalar(Scalar::Int, Term::Sum { constant: constant * factor, parts });
            forms.push(TermRef(self.terms.len() as u32 - 1));
        }
        self.contradictions.push(forms);
    }

    /// A random lemma whose terms have the right types.
    pub fn lemma(&self, random: &mut Rng) -> Lemma {
        let versions = self.versions;
        use Scalar::{Addr, Elem, Int, Tid};
        let h = random.below(versions as usize + 1) as u32;
        let field = *random.pick(&[Field::Next, Field::Data, Field::Lockid]);
        let kind = *random.pick(&[Int, Addr, Elem, Tid]);
        // Few addresses, so that there are equal ones.
        let some: Vec<TermRef> = (0..3).map(|_| self.a_scalar(random, Addr)).collect();
        let address = |random: &mut Rng| match random.one_in(3) {
            true => self.a_scalar(random, Addr),
            false => *random.pick(&some),
        };
        let count = random.below(3);
        let cut: Vec<TermRef> = (0..count).map(|_| address(random)).collect();
        let [a, b, c, d] = [(); 4].map(|()| address(random));
        let [x, y, z] = [(); 3].map(|()| self.a_scalar(random, Elem));
        let [s, t] = [(); 2].map(|()| self.a_set(random, kind));
        let [u, v] = [(); 2].map(|()| self.a_scalar(random, kind));
        let cells = self.a_set(random, Addr);
        match random.below(32) {
            0 => Lemma::Transitive(a, b, c),
            1 => {
                let kind = *random.pick(&[Addr, Elem, Tid]);
                let [x, y, z] = [(); 3].map(|()| self.a_scalar(random, kind));
                match random.one_in(2) {
                    true => Lemma::Transitive(x, y, z),
                    false => {
                        let [x, y, z] = [(); 3].map(|()| self.a_set(random, kind));
                        Lemma::Transitive(x, y, z)
                    }
                }
            }
            2 => Lemma::Congruent(field, h, a, b),
            3 => Lemma::Total(x, y),
            4 => Lemma::LeTransitive(x, y, z),
            5 => Lemma::Antisymmetric(x, y),
            6 => self.farkas(random),
            7 => Lemma::Split(self.a_scalar(random, Int)),
            8 => Lemma::Read(field, h, a),
            9 => Lemma::OfNull(field, h),
            10 => Lemma::Same(s, t, u),
            11 => Lemma::NotSame(s, t),
            12 => Lemma::Subset(s, t, u),
            13 => Lemma::NotSubset(s, t),
            14 => Lemma::Member(u, v, s),
            15 => Lemma::Some(s, u),
            16 => Lemma::Extreme(self.a_set(random, Int)),
            17 => Lemma::Least(self.a_set(random, Int), self.a_scalar(random, Int)),
            18 => Lemma::ElemOf(h, cells, a),
            19 => Lemma::Carrier(h, cells, x),
            20 => Lemma::ReachEqual(h, cut, a, b),
            21 => Lemma::ReachTransitive(h, cut, a, b, c),
            22 => Lemma::ReachLinear(h, cut, a, b, c),
            23 => Lemma::ReachStep(h, cut, a),
            24 => Lemma::ReachUnfold(h, cut, a, b),
            25 => Lemma::ReachCycle(h, cut, a, b, c),
            26 => Lemma::ReachPredecessor(h, cut, a, b),
            27 => {
                let count = 1 + random.below(3);
                let around = (0..count).map(|_| address(random)).collect();
                Lemma::ReachLoop(h, cut, around, a)
            }
            28 => Lemma::ReachCut(h, cut, a, b, c),
            29 => {
                let cut = (0..4).map(|_| *random.pick(&self.base)).collect();
                Lemma::ReachWrite(h, cut, a, b)
            }
            30 => match random.one_in(2) {
                true => Lemma::OrderedReaches(h, a, b),
                false => Lemma::NotOrdered(h, a, b),
            },
            _ => Lemma::OrderedGrows(h, a, b, c, d),
        }
    }

    /// A combination that may or may not be a contradiction.
    fn farkas(&self, random: &mut Rng) -> Lemma {
        let mut forms: Vec<(TermRef, u64)> = Vec::new();
        for form in random.pick(&self.contradictions) {
            // So that all have the same factor.
            let factor = match &self.terms[form.0 as usize] {
                Term::Sum { parts, .. } => 6 / parts[0].0.unsigned_abs(),
                _ => 1,
            };
            forms.push((*form, factor));
        }
        if random.one_in(4) {
            forms.push((self.a_scalar(random, Scalar::Int), random.below(2) as u64));
        }
        Lemma::Farkas(forms)
    }
}
