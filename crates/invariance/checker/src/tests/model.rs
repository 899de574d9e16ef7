//! Models, for tests: what terms and formulas are in a concrete world.
//!
//! This is written after the text of the crate, not after the code of the axioms: an axiom that is
//! not true in such a world is wrong.

use crate::environment::Write;
use crate::logic::{Atom, BoolVar, Formula, Logic, Node, Sort, Term, TermRef};
use crate::run::{Elem, Value};
use fastrand::Rng;
use ser_generators::Draw;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Field, LocId, ProcId, Scalar, Type};
use std::collections::{BTreeMap, BTreeSet};

/// Addresses above this are not looked at when sets are compared; terms of tests do not come near
/// it.
const FAR: u32 = 48;

/// One version of the heap. Addresses beyond those in the maps are an infinite list, if there is a
/// tail, or have no next cell.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub next: BTreeMap<u32, u32>,
    pub data: BTreeMap<u32, Elem>,
    pub lockid: BTreeMap<u32, Option<u32>>,
    pub endless: bool,
}

impl Cells {
    pub fn next(&self, a: u32) -> u32 {
        match self.next.get(&a) {
            Some(next) => *next,
            None if self.endless && a > 0 => a + 1,
            None => 0,
        }
    }

    pub fn data(&self, a: u32) -> Elem {
        self.data.get(&a).copied().unwrap_or(Elem::Between(0))
    }

    pub fn lockid(&self, a: u32) -> Option<u32> {
        self.lockid.get(&a).copied().flatten()
    }

    /// The cells from `a` on, each of which is left, unless it is `null` or in the cut.
    pub fn walk(&self, a: u32, cut: &[u32]) -> Vec<u32> {
        let mut cells = vec![];
        let mut at = a;
        while !cells.contains(&at) && at <= FAR {
            cells.push(at);
            if at == 0 || cut.contains(&at) {
                break;
            }
            at = self.next(at);
        }
        cells
    }

    /// The first two neighbours from `a` to the first `b` whose data does not grow; nothing if `b`
    /// is not reached.
    fn fall(&self, a: u32, b: u32) -> Option<Option<(u32, u32)>> {
        let cells = self.walk(a, &[]);
        let end = cells.iter().position(|cell| *cell == b)?;
        let pairs = cells[..=end].windows(2);
        let mut falls = pairs.filter(|it| self.data(it[0]) >= self.data(it[1]));
        Some(falls.next().map(|it| (it[0], it[1])))
    }
}

/// A world.
pub(crate) struct Model {
    pub globals: Vec<Value>,
    /// By block.
    pub locals: Vec<Vec<Value>>,
    pub chosen: Vec<Value>,
    /// Where the blocks are.
    pub at: Vec<LocId>,
    pub sites: BTreeMap<(u32, ProcId), LocId>,
    /// The versions of the heap.
    pub heaps: Vec<Cells>,
    /// What a minimum of nothing is.
    pub nothing: i64,
}

pub(crate) fn random_value(random: &mut Rng, ty: Type, cells: u32, threads: u32) -> Value {
    let scalar = |random: &mut Rng, scalar: Scalar| match scalar {
        Scalar::Int => Value::Int(random.between(-2, 3)),
        Scalar::Tid => {
            let thread = random.below(threads as usize + 2) as u32;
            Value::Tid(thread.checked_sub(1))
        }
        Scalar::Addr => Value::Addr(random.below(cells as usize + 1) as u32),
        Scalar::Elem => Value::Elem(random_elem(random)),
    };
    match ty {
        Type::Bool => Value::Bool(random.one_in(2)),
        Type::Scalar(of) => scalar(random, of),
        Type::Set(of) => {
            let count = random.below(4);
            Value::Set((0..count).map(|_| scalar(random, of)).collect())
        }
    }
}

pub(crate) fn random_elem(random: &mut Rng) -> Elem {
    match random.below(5) {
        0 => Elem::Lowest,
        1 => Elem::Highest,
        _ => Elem::Between(random.between(0, 2)),
    }
}

/// A random heap with so many cells besides `null`, whose data is anything.
pub(crate) fn random_cells(random: &mut Rng, cells: u32, threads: u32) -> Cells {
    let endless = random.one_in(3);
    let mut heap =
        Cells { next: BTreeMap::new(), data: BTreeMap::new(), lockid: BTreeMap::new(), endless };
    heap.data.insert(0, random_elem(random));
    for a in 1..=cells {
        // Now and then into the endless list.
        let far = if endless && random.one_in(4) { 2 } else { 0 };
        heap.next.insert(a, random.below((cells + far) as usize + 1) as u32);
        heap.data.insert(a, random_elem(random));
        heap.lockid.insert(a, (random.below(threads as usize + 1) as u32).checked_sub(1));
    }
    heap
}

impl Model {
    /// A random world with so many threads, before any write.
    pub fn random(
        random: &mut Rng,
        system: &System,
        blocks: u32,
        cells: u32,
        chosen: &[Type],
    ) -> Model {
        let mut value = |ty: Type| random_value(random, ty, cells, blocks);
        let globals = system.globals.iter().map(|it| value(it.ty)).collect();
        let locals = (0..blocks).map(|_| system.locals.iter().map(|it| value(it.ty)).collect());
        let locals = locals.collect();
        let chosen = chosen.iter().map(|ty| value(*ty)).collect();
        let locations = system.locations.len().max(1);
        let at = (0..blocks).map(|_| LocId(random.below(locations) as u32)).collect();
        let heaps = vec![random_cells(random, cells, blocks)];
        let nothing = random.between(-3, 3);
        Model { globals, locals, chosen, at, sites: BTreeMap::new(), heaps, nothing }
    }

    /// Adds a heap version.
    pub fn write(&mut self, logic: &Logic, write: &Write) {
        let mut heap = self.heaps.last().cloned().expect("there is version 0");
        let address = self.address(logic, write.address);
        if address != 0 {
            match (write.field, self.value(logic, write.value)) {
                (Field::Next, Value::Addr(next)) => drop(heap.next.insert(address, next)),
                (Field::Data, Value::Elem(data)) => drop(heap.data.insert(address, data)),
                (Field::Lockid, Value::Tid(id)) => drop(heap.lockid.insert(address, id)),
                other => panic!("{other:?}"),
            }
        }
        self.heaps.push(heap);
    }

    fn heap(&self, version: u32) -> &Cells {
        &self.heaps[version as usize]
    }

    pub fn address(&self, logic: &Logic, term: TermRef) -> u32 {
        match self.value(logic, term) {
            Value::Addr(address) => address,
            other => panic!("{other:?}"),
        }
    }

    fn int(&self, logic: &Logic, term: TermRef) -> i64 {
        match self.value(logic, term) {
            Value::Int(number) => number,
            other => panic!("{other:?}"),
        }
    }

    fn set(&self, logic: &Logic, term: TermRef) -> BTreeSet<Value> {
        match self.value(logic, term) {
            Value::Set(elements) => elements,
            other => panic!("{other:?}"),
        }
    }

    /// Anything of a type.
    fn anything(&self, sort: Sort) -> Value {
        match sort {
            Sort::One(Scalar::Int) => Value::Int(self.nothing),
            Sort::One(Scalar::Tid) => Value::Tid(None),
            Sort::One(Scalar::Addr) => Value::Addr(0),
            Sort::One(Scalar::Elem) => Value::Elem(Elem::Lowest),
            Sort::Many(_) => Value::Set(BTreeSet::new()),
        }
    }

    pub fn value(&self, logic: &Logic, term: TermRef) -> Value {
        use Term as K;
        let anything = || self.anything(logic.sort(term));
        match logic.term(term) {
            K::Global(global) => self.globals[*global as usize].clone(),
            K::Local(local, block) => self.locals[*block as usize][*local as usize].clone(),
            K::New(number) => self.chosen[*number as usize].clone(),
            K::Thread(block) => Value::Tid(Some(*block)),
            K::Nobody => Value::Tid(None),
            K::Null => Value::Addr(0),
            K::Lowest => Value::Elem(Elem::Lowest),
            K::Highest => Value::Elem(Elem::Highest),
            K::Sum { constant, parts } => {
                let parts = parts.iter().map(|(c, part)| self.int(logic, *part) * c);
                Value::Int(constant + parts.sum::<i64>())
            }
            K::Min(s) => self.set(logic, *s).first().cloned().unwrap_or_else(anything),
            K::Max(s) => self.set(logic, *s).last().cloned().unwrap_or_else(anything),
            K::Next(h, a) => Value::Addr(self.heap(*h).next(self.address(logic, *a))),
            K::Data(h, a) => Value::Elem(self.heap(*h).data(self.address(logic, *a))),
            K::Lockid(h, a) => Value::Tid(self.heap(*h).lockid(self.address(logic, *a))),
            K::Differ(s, t) => {
                let (s, t) = (self.set(logic, *s), self.set(logic, *t));
                (&s ^ &t).first().cloned().unwrap_or_else(anything)
            }
            K::Outside(s, t) => {
                let (s, t) = (self.set(logic, *s), self.set(logic, *t));
                (&s - &t).first().cloned().unwrap_or_else(anything)
            }
            K::First(h, a, b) | K::Second(h, a, b) => {
                let ends = (self.address(logic, *a), self.address(logic, *b));
                match self.heap(*h).fall(ends.0, ends.1) {
                    Some(Some((first, second))) => {
                        let is_first = matches!(logic.term(term), K::First(..));
                        Value::Addr(if is_first { first } else { second })
                    }
                    _ => anything(),
                }
            }
            K::Carrier(h, s, e) => {
                let (cells, data) = (self.set(logic, *s), self.value(logic, *e));
                let mut cells = cells.into_iter();
                let carries = |cell: &Value| match cell {
                    Value::Addr(cell) => Value::Elem(self.heap(*h).data(*cell)) == data,
                    _ => false,
                };
                cells.find(carries).unwrap_or_else(anything)
            }
            K::Empty => Value::Set(BTreeSet::new()),
            K::Singleton(t) => Value::Set([self.value(logic, *t)].into()),
            K::Union(s, t) => Value::Set(&self.set(logic, *s) | &self.set(logic, *t)),
            K::Intersection(s, t) => Value::Set(&self.set(logic, *s) & &self.set(logic, *t)),
            K::Difference(s, t) => Value::Set(&self.set(logic, *s) - &self.set(logic, *t)),
            K::Cells(h, a) => {
                let cells = self.heap(*h).walk(self.address(logic, *a), &[]);
                Value::Set(cells.into_iter().map(Value::Addr).collect())
            }
            K::Elems(h, s) => {
                let cells = self.set(logic, *s);
                let data = cells.iter().map(|cell| match cell {
                    Value::Addr(cell) => Value::Elem(self.heap(*h).data(*cell)),
                    other => panic!("{other:?}"),
                });
                Value::Set(data.collect())
            }
        }
    }

    fn atom(&self, logic: &Logic, atom: &Atom) -> bool {
        let value = |term: &TermRef| self.value(logic, *term);
        match atom {
            Atom::Ge(form) => self.int(logic, *form) >= 0,
            Atom::Equal(x, y) | Atom::Same(x, y) => value(x) == value(y),
            Atom::Le(x, y) => value(x) <= value(y),
            Atom::In(u, s) => self.set(logic, *s).contains(&value(u)),
            Atom::Subset(s, t) => self.set(logic, *s).is_subset(&self.set(logic, *t)),
            Atom::Some(s) => !self.set(logic, *s).is_empty(),
            Atom::Reach(h, cut, x, y) => {
                let cut = logic.cut(*cut);
                let cut: Vec<u32> = cut.iter().map(|it| self.address(logic, *it)).collect();
                let cells = self.heap(*h).walk(self.address(logic, *x), &cut);
                cells.contains(&self.address(logic, *y))
            }
            Atom::Ordered(h, a, b) => {
                let ends = (self.address(logic, *a), self.address(logic, *b));
                self.heap(*h).fall(ends.0, ends.1) == Some(None)
            }
            Atom::Bool(variable) => {
                let value = match variable {
                    BoolVar::Global(global) => &self.globals[global.0 as usize],
                    BoolVar::Local(local, block) => &self.locals[*block as usize][local.0 as usize],
                    BoolVar::New(number) => &self.chosen[*number as usize],
                };
                *value == Value::Bool(true)
            }
            Atom::At(block, locations) => {
                logic.locations(*locations).contains(&self.at[*block as usize])
            }
            Atom::Site(procedure, block, call) => {
                self.sites.get(&(*block, *procedure)) == Some(call)
            }
        }
    }

    pub fn holds(&self, logic: &Logic, formula: Formula) -> bool {
        let value = match logic.node(formula) {
            Node::Atom(atom) => self.atom(logic, logic.atom(*atom)),
            Node::And(parts) => parts.iter().all(|part| self.holds(logic, *part)),
        };
        value != formula.is_negated()
    }
}
