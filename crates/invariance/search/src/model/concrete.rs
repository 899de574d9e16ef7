//! A solution made concrete: a value for every term, in every heap version.
//!
//! Addresses are the classes of equal address terms. A cell whose `next` is mentioned goes there;
//! any other goes on to the nearest cell that it reaches in the solution (on a cycle: to the next
//! one of some order of its cells), and to itself if it reaches nothing (to `null` if nobody asks
//! what is reached). Elements are numbered in their order, so that the element of `null`, if it is
//! spoken of, is the one that the cell of `null` has. Threads of the case are 0, 1, ..., and
//! whoever else is mentioned gets a number behind them.

use crate::decide::Solution;
use crate::logic::{Atom, Field, Logic, Sort, Term, TermRef};
use ser_invariance_checker::run::{Cell, Elem, Value};
use ser_syntax::inv::ast::Scalar;
use std::collections::{BTreeMap, BTreeSet};

type Heap = BTreeMap<u32, Cell>;

pub struct Model<'a> {
    logic: &'a Logic,
    solution: &'a Solution,
    addresses: BTreeMap<TermRef, u32>,
    threads: BTreeMap<TermRef, Option<u32>>,
    elements: BTreeMap<TermRef, Elem>,
    /// The element of `null`.
    null_data: Elem,
    /// By version.
    heaps: Vec<Heap>,
}

impl<'a> Model<'a> {
    /// Of a solution, for so many threads.
    pub fn new(logic: &'a Logic, solution: &'a Solution, blocks: u32) -> Model<'a> {
        let classes = classes(logic, solution);
        let addresses = addresses(logic, &classes);
        let threads = threads(logic, &classes, blocks);
        let elements = elements(logic, solution, &addresses);
        let data = addresses.iter().filter(|(_, number)| **number == 0).find_map(|(t, _)| {
            let read = Term::Data(0, *t);
            elements.get(&logic.find(&read, Sort::One(Scalar::Elem))?)
        });
        let null_data = data.copied().unwrap_or(Cell::default().data);
        let mut model =
            Model { logic, solution, addresses, threads, elements, null_data, heaps: Vec::new() };
        let first = model.cells();
        model.heaps.push(first);
        for write in &solution.writes {
            let mut heap = model.heaps.last().cloned().unwrap_or_default();
            let (address, value) = (model.address(write.address), model.value(write.value));
            // Writing to `null` changes nothing.
            if address != 0 {
                let cell = heap.entry(address).or_default();
                match (write.field, value) {
                    (Field::Next, Value::Addr(next)) => cell.next = next,
                    (Field::Data, Value::Elem(data)) => cell.data = data,
                    (Field::Lockid, Value::Tid(owner)) => cell.lockid = owner,
                    _ => {}
                }
            }
            model.heaps.push(heap);
        }
        model
    }

    /// The cells before the step.
    pub fn first_heap(&self) -> &BTreeMap<u32, Cell> {
        &self.heaps[0]
    }

    /// Whether the element of `null` is one that it cannot have in a run.
    pub fn null_is_odd(&self) -> bool {
        self.null_data != Cell::default().data
    }

    pub fn value(&self, t: TermRef) -> Value {
        match *self.logic.term(t) {
            Term::Next(heap, x) => Value::Addr(self.cell(heap, self.address(x)).next),
            Term::Data(heap, x) => Value::Elem(self.cell(heap, self.address(x)).data),
            Term::Lockid(heap, x) => Value::Tid(self.cell(heap, self.address(x)).lockid),
            Term::Min(s) | Term::Max(s) => {
                let set = self.set(s);
                let end = match self.logic.term(t) {
                    Term::Min(_) => set.first(),
                    _ => set.last(),
                };
                end.cloned().unwrap_or_else(|| Value::Int(self.assumed(t)))
            }
            _ => match self.logic.sort(t) {
                Sort::One(Scalar::Int) => Value::Int(self.number(t)),
                Sort::One(Scalar::Addr) => {
                    Value::Addr(self.addresses.get(&t).copied().unwrap_or(0))
                }
                Sort::One(Scalar::Tid) => Value::Tid(match self.logic.term(t) {
                    Term::Thread(block) => Some(*block),
                    _ => self.threads.get(&t).copied().flatten(),
                }),
                Sort::One(Scalar::Elem) => Value::Elem(match self.logic.term(t) {
                    Term::Lowest => Elem::Lowest,
                    Term::Highest => Elem::Highest,
                    _ => self.elements.get(&t).copied().unwrap_or(Elem::Between(0)),
                }),
                Sort::Many(_) => Value::Set(self.set(t)),
            },
        }
    }

    /// The value of a sum, in which minima are those of their sets.
    fn number(&self, t: TermRef) -> i64 {
        self.sum(t, |part| match self.logic.term(part) {
            Term::Min(_) | Term::Max(_) => match self.value(part) {
                Value::Int(value) => Some(value),
                _ => None,
            },
            _ => self.solution.numbers.get(&part).copied(),
        })
    }

    /// The value of a sum as arithmetic has it, also of minima.
    fn assumed(&self, t: TermRef) -> i64 {
        self.sum(t, |part| self.solution.numbers.get(&part).copied())
    }

    fn sum(&self, t: TermRef, value: impl Fn(TermRef) -> Option<i64>) -> i64 {
        let (constant, parts) = self.logic.linear(t);
        parts.into_iter().fold(constant, |sum, (coefficient, part)| {
            sum.wrapping_add(coefficient.wrapping_mul(value(part).unwrap_or(0)))
        })
    }

    /// The number of an address.
    pub fn address(&self, t: TermRef) -> u32 {
        match self.value(t) {
            Value::Addr(address) => address,
            _ => 0,
        }
    }

    fn element(&self, t: TermRef) -> Elem {
        match self.value(t) {
            Value::Elem(elem) => elem,
            _ => self.null_data,
        }
    }

    /// The cell of an address in a heap version.
    fn cell(&self, heap: u32, address: u32) -> Cell {
        if address == 0 {
            return Cell { data: self.null_data, ..Cell::default() };
        }
        let heap = self.heaps.get(heap as usize).or(self.heaps.last());
        heap.and_then(|heap| heap.get(&address)).cloned().unwrap_or_default()
    }

    /// The element of an address in a heap version.
    pub fn data(&self, heap: u32, address: u32) -> Value {
        Value::Elem(self.cell(heap, address).data)
    }

    /// The members of a set.
    pub fn set(&self, t: TermRef) -> BTreeSet<Value> {
        match *self.logic.term(t) {
            Term::Empty => BTreeSet::new(),
            Term::Singleton(x) => BTreeSet::from([self.value(x)]),
            Term::Union(a, b) => &self.set(a) | &self.set(b),
            Term::Intersection(a, b) => &self.set(a) & &self.set(b),
            Term::Difference(a, b) => &self.set(a) - &self.set(b),
            Term::Cells(heap, a) => {
                self.way(heap, &[], self.address(a)).into_iter().map(Value::Addr).collect()
            }
            Term::Elems(heap, s) => {
                let cells = self.set(s).into_iter().filter_map(|it| match it {
                    Value::Addr(address) => Some(Value::Elem(self.cell(heap, address).data)),
                    _ => None,
                });
                cells.collect()
            }
            _ => {
                let members = self.solution.atoms.iter().filter_map(|(id, value)| {
                    match self.logic.atom(*id) {
                        Atom::In(u, s) if *s == t && *value => {
                            let number = self.logic.sort(*u) == Sort::One(Scalar::Int);
                            Some(if number { Value::Int(self.assumed(*u)) } else { self.value(*u) })
                        }
                        _ => None,
                    }
                });
                members.collect()
            }
        }
    }

    /// The cells from one on, each once, without leaving those of a cut.
    fn way(&self, heap: u32, cut: &[u32], from: u32) -> Vec<u32> {
        let mut way = vec![from];
        let mut at = from;
        while at != 0 && !cut.contains(&at) {
            at = self.cell(heap, at).next;
            if way.contains(&at) {
                break;
            }
            way.push(at);
        }
        way
    }

    /// The cells on the way of an ordered list, if there is one that leads to its end.
    pub fn list(&self, heap: u32, a: TermRef, b: TermRef) -> Option<Vec<u32>> {
        let (from, to) = (self.address(a), self.address(b));
        let mut way = self.way(heap, &[to], from);
        let end = way.iter().position(|cell| *cell == to)?;
        way.truncate(end + 1);
        Some(way)
    }

    /// Neighbours on a way whose elements do not grow.
    pub fn disorder(&self, heap: u32, way: &[u32]) -> Vec<(u32, u32)> {
        let data = |cell: u32| self.cell(heap, cell).data;
        let pairs = way.windows(2).map(|pair| (pair[0], pair[1]));
        pairs.filter(|(x, y)| data(*x) >= data(*y)).collect()
    }

    /// Whether an atom holds.
    pub fn holds(&self, atom: &Atom) -> bool {
        match *atom {
            Atom::Bool(_) | Atom::At(..) | Atom::Site(..) => {
                let id = self.logic.known_atom(atom);
                id.and_then(|id| self.solution.atoms.get(&id)) == Some(&true)
            }
            Atom::Equal(x, y) => self.value(x) == self.value(y),
            Atom::Le(x, y) => self.element(x) <= self.element(y),
            Atom::Ge(x) => self.number(x) >= 0,
            Atom::In(u, s) => self.set(s).contains(&self.value(u)),
            Atom::Subset(s, t) => self.set(s).is_subset(&self.set(t)),
            Atom::Same(s, t) => self.set(s) == self.set(t),
            Atom::Some(s) => !self.set(s).is_empty(),
            Atom::Reach(heap, cut, x, y) => {
                let cut: Vec<u32> = self.logic.cut(cut).iter().map(|t| self.address(*t)).collect();
                self.way(heap, &cut, self.address(x)).contains(&self.address(y))
            }
            Atom::Ordered(heap, a, b) => {
                self.list(heap, a, b).is_some_and(|way| self.disorder(heap, &way).is_empty())
            }
        }
    }

    /// The cells before the step.
    fn cells(&self) -> Heap {
        let mut cells: Heap = BTreeMap::new();
        for number in self.addresses.values().filter(|it| **it != 0) {
            cells.entry(*number).or_default();
        }
        let mut fixed: BTreeSet<u32> = BTreeSet::new();
        let number = |t: TermRef| self.addresses.get(&t).copied().unwrap_or(0);
        for t in &self.solution.terms {
            let Some((field, 0, x)) = self.logic.term(*t).as_read() else { continue };
            let Some(cell) = cells.get_mut(&number(x)) else { continue };
            match field {
                Field::Next => {
                    cell.next = number(*t);
                    fixed.insert(number(x));
                }
                Field::Data => {
                    cell.data = self.elements.get(t).copied().unwrap_or(Elem::Between(0));
                }
                Field::Lockid => cell.lockid = self.threads.get(t).copied().flatten(),
            }
        }
        self.bypass(&mut cells, &fixed);
        cells
    }

    /// Gives a successor to cells whose successor is not mentioned.
    fn bypass(&self, cells: &mut Heap, fixed: &BTreeSet<u32>) {
        // What is reached without leaving written cells: there is one finest cut.
        let mut reach: BTreeMap<usize, BTreeSet<(u32, u32)>> = BTreeMap::new();
        for (id, value) in &self.solution.atoms {
            if let Atom::Reach(0, cut, x, y) = self.logic.atom(*id) {
                let pairs = reach.entry(self.logic.cut(*cut).len()).or_default();
                let number = |t: &TermRef| self.addresses.get(t).copied().unwrap_or(0);
                if *value {
                    pairs.insert((number(x), number(y)));
                }
            }
        }
        // Nobody asks for ways: the simplest is that they end.
        let Some((_, pairs)) = reach.pop_last() else { return };
        let numbers: Vec<u32> = cells.keys().copied().collect();
        let both = |x: u32, y: u32| pairs.contains(&(x, y)) && pairs.contains(&(y, x));
        for x in numbers.iter().filter(|x| !fixed.contains(x)) {
            let circle: Vec<u32> =
                numbers.iter().copied().filter(|y| x == y || both(*x, *y)).collect();
            let next = if circle.len() > 1 {
                around(*x, &circle, cells, fixed)
            } else {
                let all: Vec<u32> = (0..=numbers.len() as u32)
                    .filter(|y| y != x && pairs.contains(&(*x, *y)))
                    .collect();
                let nearest = |y: &&u32| all.iter().all(|z| z == *y || pairs.contains(&(**y, *z)));
                all.iter().find(nearest).copied().unwrap_or(*x)
            };
            if let Some(cell) = cells.get_mut(x) {
                cell.next = next;
            }
        }
    }

    /// A term that is mentioned for each address.
    pub fn cells_by_term(&self) -> BTreeMap<u32, TermRef> {
        let mut found = BTreeMap::new();
        for (t, number) in &self.addresses {
            found.entry(*number).or_insert(*t);
        }
        found
    }

    /// The terms of a sort that are mentioned, with their values.
    pub fn terms(&self, sort: Sort) -> Vec<(TermRef, Value)> {
        let terms = self.solution.terms.iter().copied();
        terms.filter(|t| self.logic.sort(*t) == sort).map(|t| (t, self.value(t))).collect()
    }
}

/// Behind `x`, the last of a row of cells with known successors on a cycle: the first of the next
/// such row.
fn around(x: u32, circle: &[u32], cells: &Heap, fixed: &BTreeSet<u32>) -> u32 {
    let successor = |cell: &u32| {
        let next = cells.get(cell).map(|it| it.next);
        next.filter(|next| fixed.contains(cell) && circle.contains(next))
    };
    let targets: BTreeSet<u32> = circle.iter().filter_map(successor).collect();
    let mut rows: Vec<(u32, u32)> = Vec::new();
    for first in circle.iter().filter(|cell| !targets.contains(cell)) {
        let mut last = *first;
        while let Some(next) = successor(&last) {
            last = next;
        }
        rows.push((*first, last));
    }
    let place = rows.iter().position(|(_, last)| *last == x).unwrap_or(0);
    rows.get((place + 1) % rows.len().max(1)).map_or(x, |(first, _)| *first)
}

/// Addresses and threads that are equal: one term for each of a class.
fn classes(logic: &Logic, solution: &Solution) -> BTreeMap<TermRef, TermRef> {
    let sorts = [Scalar::Addr, Scalar::Tid].map(Sort::One);
    let terms = solution.terms.iter().copied().filter(|t| sorts.contains(&logic.sort(*t)));
    let mut classes: BTreeMap<TermRef, TermRef> = terms.map(|t| (t, t)).collect();
    for (id, value) in &solution.atoms {
        if let (Atom::Equal(x, y), true) = (logic.atom(*id), value) {
            let (Some(x), Some(y)) = (classes.get(x).copied(), classes.get(y).copied()) else {
                continue;
            };
            classes.values_mut().filter(|it| **it == y).for_each(|it| *it = x);
        }
    }
    classes
}

fn addresses(logic: &Logic, classes: &BTreeMap<TermRef, TermRef>) -> BTreeMap<TermRef, u32> {
    let null = logic.find(&Term::Null, Sort::One(Scalar::Addr));
    let null = null.and_then(|null| classes.get(&null));
    let mut numbers: BTreeMap<TermRef, u32> = BTreeMap::new();
    let mut addresses = BTreeMap::new();
    for (t, class) in classes.iter().filter(|(t, _)| logic.sort(**t) == Sort::One(Scalar::Addr)) {
        let number = if null == Some(class) {
            0
        } else {
            let next = numbers.len() as u32 + 1;
            *numbers.entry(*class).or_insert(next)
        };
        addresses.insert(*t, number);
    }
    addresses
}

fn threads(
    logic: &Logic,
    classes: &BTreeMap<TermRef, TermRef>,
    blocks: u32,
) -> BTreeMap<TermRef, Option<u32>> {
    let mut known: BTreeMap<TermRef, Option<u32>> = BTreeMap::new();
    for (t, class) in classes {
        match logic.term(*t) {
            Term::Thread(block) => known.insert(*class, Some(*block)),
            Term::Nobody => known.insert(*class, None),
            _ => None,
        };
    }
    let mut others = blocks;
    let mut threads = BTreeMap::new();
    for (t, class) in classes.iter().filter(|(t, _)| logic.sort(**t) == Sort::One(Scalar::Tid)) {
        let number = *known.entry(*class).or_insert_with(|| {
            others += 1;
            Some(others - 1)
        });
        threads.insert(*t, number);
    }
    threads
}

/// Numbers elements in their order: those that are below one another are the same.
fn elements(
    logic: &Logic,
    solution: &Solution,
    addresses: &BTreeMap<TermRef, u32>,
) -> BTreeMap<TermRef, Elem> {
    let is_elem = |t: &TermRef| logic.sort(*t) == Sort::One(Scalar::Elem);
    let terms: Vec<TermRef> = solution.terms.iter().copied().filter(is_elem).collect();
    // Everything that is at least as large.
    let above: BTreeMap<TermRef, BTreeSet<TermRef>> = terms
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
    let same = |x: TermRef, y: TermRef| above[&x].contains(&y) && above[&y].contains(&x);
    let mut classes: Vec<TermRef> = Vec::new();
    for t in &terms {
        if !classes.iter().any(|class| same(*class, *t)) {
            classes.push(*t);
        }
    }
    // The more there is above, the smaller; a class is below all that it has above.
    classes.sort_by_key(|class| (std::cmp::Reverse(above[class].len()), *class));
    let rank = |t: TermRef| classes.iter().position(|class| same(*class, t)).unwrap_or(0) as i64;
    let of_null = terms.iter().find(|t| match logic.term(**t) {
        Term::Data(_, x) => addresses.get(x) == Some(&0),
        _ => false,
    });
    let middle = of_null.map_or(0, |t| rank(*t));
    let end = |term: &Term| terms.iter().copied().find(|t| logic.term(*t) == term);
    let (lowest, highest) = (end(&Term::Lowest), end(&Term::Highest));
    let number = |t: TermRef| {
        let is = |end: Option<TermRef>| end.is_some_and(|end| same(end, t));
        if is(lowest) {
            Elem::Lowest
        } else if is(highest) {
            Elem::Highest
        } else {
            Elem::Between(rank(t) - middle)
        }
    };
    terms.iter().map(|t| (*t, number(*t))).collect()
}
