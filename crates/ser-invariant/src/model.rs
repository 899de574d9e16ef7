//! From a solution to a concrete state: the smallest one that it describes.
//!
//! Addresses are the classes of equal address terms; a cell whose `next` is not mentioned goes on to the nearest cell that it
//! reaches. Elements are numbered in their order, threads of the case are 0, 1, ..., and whoever else is mentioned gets a
//! number behind them. Nothing here is believed: the state is evaluated ([`crate::explore`]) before anybody sees it.

use crate::decide::Solution;
use crate::environment::Value as Symbolic;
use crate::logic::{Atom, BoolVar, Field, Logic, Sort, T, Term};
use ser_lang::inv::System;
use ser_lang::inv::ast::{GlobalId, LocId, LocalId, ProcId, Scalar, Type};
use ser_premises::run::{Cell, Elem, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A state of some threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// The globals.
    pub globals: Vec<Value>,
    /// Of each thread, its locals.
    pub locals: Vec<Vec<Value>>,
    /// Where each thread is.
    pub at: Vec<LocId>,
    /// From where each thread has called a procedure, as far as it matters.
    pub sites: Vec<BTreeMap<ProcId, LocId>>,
    /// The cells that are mentioned.
    pub cells: BTreeMap<u32, Cell>,
    /// What `havoc` and `malloc` choose in the step.
    pub chosen: Vec<Value>,
}

/// Makes a state. `here` is where the mover is.
pub fn snapshot(
    system: &System,
    logic: &mut Logic,
    solution: &Solution,
    blocks: u32,
    here: Option<(u32, LocId)>,
    chosen: &[Symbolic],
) -> Snapshot {
    let mut make = Model::new(logic, solution, blocks);
    let globals = system.globals.iter().enumerate().map(|(place, it)| {
        let id = GlobalId(place as u32);
        make.variable(it.ty, Term::Global(id), BoolVar::Global(id))
    });
    let globals = globals.collect();
    let locals = (0..blocks).map(|block| {
        let locals = system.locals.iter().enumerate().map(|(place, it)| {
            let id = LocalId(place as u32);
            make.variable(it.ty, Term::Local(id, block), BoolVar::Local(id, block))
        });
        locals.collect()
    });
    let locals = locals.collect();
    let at = (0..blocks).map(|block| match here {
        Some((mover, location)) if mover == block => location,
        _ => {
            let possible = solution.places.get(block as usize);
            possible.and_then(|it| it.first()).copied().unwrap_or(LocId(0))
        }
    });
    let at = at.collect();
    let mut sites = vec![BTreeMap::new(); blocks as usize];
    for (id, value) in &solution.atoms {
        if let (Atom::Site(procedure, block, call), true) = (make.logic.atom(*id), value)
            && let Some(sites) = sites.get_mut(*block as usize)
        {
            sites.insert(*procedure, *call);
        }
    }
    let chosen = chosen.iter().map(|value| match value {
        Symbolic::Term(t) => make.value(*t),
        Symbolic::Formula(f) => Value::Bool(make.holds(*f)),
    });
    let chosen = chosen.collect();
    let cells = make.cells();
    Snapshot { globals, locals, at, sites, cells, chosen }
}

struct Model<'a> {
    logic: &'a mut Logic,
    solution: &'a Solution,
    addresses: BTreeMap<T, u32>,
    threads: BTreeMap<T, Option<u32>>,
    elements: BTreeMap<T, Elem>,
}

impl<'a> Model<'a> {
    fn new(logic: &'a mut Logic, solution: &'a Solution, blocks: u32) -> Model<'a> {
        let mut classes: BTreeMap<T, T> = BTreeMap::new();
        let sorts = [Scalar::Addr, Scalar::Tid].map(Sort::One);
        for t in &solution.terms {
            if sorts.contains(&logic.sort(*t)) {
                classes.insert(*t, *t);
            }
        }
        for (id, value) in &solution.atoms {
            if let (Atom::Equal(x, y), true) = (logic.atom(*id), value) {
                let (Some(x), Some(y)) = (classes.get(x).copied(), classes.get(y).copied()) else {
                    continue;
                };
                classes.values_mut().filter(|it| **it == y).for_each(|it| *it = x);
            }
        }
        let (mut addresses, mut threads) = (BTreeMap::new(), BTreeMap::new());
        let null = logic.null();
        let mut numbers: BTreeMap<T, u32> = BTreeMap::new();
        for (t, class) in &classes {
            if logic.sort(*t) == Sort::One(Scalar::Addr) {
                let number = if classes.get(&null) == Some(class) || *t == null {
                    0
                } else {
                    let next = numbers.len() as u32 + 1;
                    *numbers.entry(*class).or_insert(next)
                };
                addresses.insert(*t, number);
            }
        }
        let mut known: BTreeMap<T, Option<u32>> = BTreeMap::new();
        for (t, class) in &classes {
            match logic.term(*t) {
                Term::Thread(block) => known.insert(*class, Some(*block)),
                Term::Nobody => known.insert(*class, None),
                _ => None,
            };
        }
        let mut others = blocks;
        for (t, class) in &classes {
            if logic.sort(*t) == Sort::One(Scalar::Tid) {
                let number = *known.entry(*class).or_insert_with(|| {
                    others += 1;
                    Some(others - 1)
                });
                threads.insert(*t, number);
            }
        }
        let elements = elements(logic, solution);
        Model { logic, solution, addresses, threads, elements }
    }

    fn holds(&self, f: crate::logic::F) -> bool {
        self.solution.holds(self.logic, f)
    }

    fn variable(&mut self, ty: Type, term: Term, boolean: BoolVar) -> Value {
        match crate::environment::sort_of(ty) {
            None => {
                let f = self.logic.boolean(boolean);
                Value::Bool(self.holds(f))
            }
            Some(sort) => {
                let t = self.logic.mk(term, sort);
                self.value(t)
            }
        }
    }

    fn number(&self, t: T) -> i64 {
        let (constant, parts) = self.logic.linear(t);
        parts.into_iter().fold(constant, |sum, (coefficient, part)| {
            let value = self.solution.numbers.get(&part).copied().unwrap_or(0);
            sum.wrapping_add(coefficient.wrapping_mul(value))
        })
    }

    fn value(&self, t: T) -> Value {
        match self.logic.sort(t) {
            Sort::One(Scalar::Int) => Value::Int(self.number(t)),
            Sort::One(Scalar::Addr) => Value::Addr(self.address(t)),
            Sort::One(Scalar::Tid) => Value::Tid(match self.logic.term(t) {
                Term::Thread(block) => Some(*block),
                _ => self.threads.get(&t).copied().flatten(),
            }),
            Sort::One(Scalar::Elem) => Value::Elem(self.element(t)),
            Sort::Many(_) => {
                let members = self.solution.atoms.iter().filter_map(|(id, value)| {
                    match self.logic.atom(*id) {
                        Atom::In(u, s) if *s == t && *value => Some(self.value(*u)),
                        _ => None,
                    }
                });
                Value::Set(members.collect())
            }
        }
    }

    fn address(&self, t: T) -> u32 {
        self.addresses.get(&t).copied().unwrap_or(0)
    }

    fn element(&self, t: T) -> Elem {
        match self.logic.term(t) {
            Term::Lowest => Elem::Lowest,
            Term::Highest => Elem::Highest,
            _ => self.elements.get(&t).copied().unwrap_or(Elem::Between(0)),
        }
    }

    fn cells(&self) -> BTreeMap<u32, Cell> {
        let mut cells: BTreeMap<u32, Cell> = BTreeMap::new();
        for number in self.addresses.values().filter(|it| **it != 0) {
            cells.entry(*number).or_default();
        }
        let mut fixed: BTreeSet<u32> = BTreeSet::new();
        for t in &self.solution.terms {
            let Term::Read(field, 0, x) = *self.logic.term(*t) else { continue };
            let Some(cell) = cells.get_mut(&self.address(x)) else { continue };
            match field {
                Field::Next => {
                    cell.next = self.address(*t);
                    fixed.insert(self.address(x));
                }
                Field::Data => cell.data = self.element(*t),
                Field::Lockid => cell.lockid = self.threads.get(t).copied().flatten(),
            }
        }
        self.bypass(&mut cells, &fixed);
        cells
    }

    /// Cells whose successor is not mentioned go on to the nearest cell that they reach.
    fn bypass(&self, cells: &mut BTreeMap<u32, Cell>, fixed: &BTreeSet<u32>) {
        let mut reach: BTreeMap<usize, BTreeSet<(u32, u32)>> = BTreeMap::new();
        for (id, value) in &self.solution.atoms {
            if let Atom::Reach(0, cut, x, y) = self.logic.atom(*id) {
                let pairs = reach.entry(self.logic.cut(*cut).len()).or_default();
                if *value {
                    pairs.insert((self.address(*x), self.address(*y)));
                }
            }
        }
        let Some((_, pairs)) = reach.pop_last() else { return };
        let numbers: Vec<u32> = cells.keys().copied().collect();
        for x in numbers.iter().filter(|x| !fixed.contains(x)) {
            let all: Vec<u32> = (0..=numbers.len() as u32)
                .filter(|y| y != x && pairs.contains(&(*x, *y)))
                .collect();
            let first =
                all.iter().find(|y| all.iter().all(|z| z == *y || pairs.contains(&(**y, *z))));
            if let Some(cell) = cells.get_mut(x) {
                cell.next = first.copied().unwrap_or(*x);
            }
        }
    }
}

/// Numbers elements in their order: those that are below one another are the same.
fn elements(logic: &Logic, solution: &Solution) -> BTreeMap<T, Elem> {
    let terms: Vec<T> = solution
        .terms
        .iter()
        .copied()
        .filter(|t| logic.sort(*t) == Sort::One(Scalar::Elem))
        .collect();
    // Everything that is at least as large.
    let above: BTreeMap<T, BTreeSet<T>> = terms
        .iter()
        .map(|t| {
            let mut seen = BTreeSet::from([*t]);
            let mut open = vec![*t];
            while let Some(next) = open.pop() {
                for more in solution.below.get(&next).into_iter().flatten() {
                    if seen.insert(*more) {
                        open.push(*more);
                    }
                }
            }
            (*t, seen)
        })
        .collect();
    let same = |x: T, y: T| above[&x].contains(&y) && above[&y].contains(&x);
    let mut classes: Vec<T> = Vec::new();
    for t in &terms {
        if !classes.iter().any(|class| same(*class, *t)) {
            classes.push(*t);
        }
    }
    // The more there is above, the smaller; a class is below all that it has above.
    classes.sort_by_key(|class| (std::cmp::Reverse(above[class].len()), *class));
    let end = |term: &Term| terms.iter().copied().find(|t| logic.term(*t) == term);
    let (lowest, highest) = (end(&Term::Lowest), end(&Term::Highest));
    let mut elements = BTreeMap::new();
    for t in &terms {
        let is = |end: Option<T>| end.is_some_and(|end| same(end, *t));
        let rank = classes.iter().position(|class| same(*class, *t)).unwrap_or(0);
        elements.insert(
            *t,
            match () {
                () if is(lowest) => Elem::Lowest,
                () if is(highest) => Elem::Highest,
                () => Elem::Between(rank as i64),
            },
        );
    }
    elements
}
