//! Split schedules: what every anomaly looks like.
//!
//! # Which schedules there are
//!
//! Transactions that commit, each at a level. For an operation of a transaction, *what it sees* is
//! of the time of a snapshot: that of its statement at READ COMMITTED, that of the first statement
//! at the other levels. Updates, deletions and locking reads of an object that has been found wait
//! for conflicting locks, which are held to the end, and are then atomic (`operations` in the model
//! says which). At REPEATABLE READ and above they fail if the object was changed (not: only locked)
//! since the snapshot. `fresh` operations see what is committed when they run, whatever the level.
//! At SERIALIZABLE, no *dangerous structure*: no `A`, `B`, `C` at that level, `A` and `B`
//! concurrent, `B` and `C` concurrent, where `B` overwrites what `A` reads, `C` what `B` reads, and
//! `C` commits first of them (`A` and `C` may be the same; if `A` only reads, `C` commits before
//! `A` starts).
//!
//! # Theorem
//!
//! If not every schedule is conflict serializable, there are transactions `T1`, `T2`, ..., `Tm`
//! (m > 1), each once, with a dependency from each to the next, and from `Tm` to `T1`, such
//! that
//!
//! 1. `T1` depends on nothing of `T2`; `T2` overwrites what an operation `b1` of `T1` reads, and
//!    does not have to wait for a lock that `b1` holds;
//! 2. an operation `a1` of `T1` depends on `Tm`: it overwrites what `Tm` reads; or it is behind
//!    `b1` (in a later statement, or in the same one, behind its snapshot) and `T1` runs at READ
//!    COMMITTED or `a1` is fresh;
//! 3. no operation of `T1` in a statement before that of `b1` has a lock that `T2` has to wait for,
//!    or that another one of them has to wait for with an operation that depends on it;
//! 4. if `T1` runs at REPEATABLE READ or above: nothing that it changes or locks is changed by
//!    `T2`, and nothing that it changes or locks is changed by another one of them that then
//!    depends on it;
//! 5. `T1`, `T2` and `Tm` do not all run at SERIALIZABLE, if what `a1` does is to overwrite, or to
//!    insert a row with a key by which `Tm` has deleted one;
//! 6. if `T1` and `T2` run at SERIALIZABLE, `T2` reads nothing that `T1` changes;
//! 7. if m > 2, no change by `T1` depends on `T2`; `T1` reads nothing that `Tm` changes in a
//!    statement up to that of `b1`, or anywhere if it runs at REPEATABLE READ or above; and no
//!    dependency is between `T1` and others than `T2` and `Tm`;
//! 8. if `T1` and `Tm` run at REPEATABLE READ or above, `Tm` does not change an object that it
//!    reads and `a1` overwrites;
//! 9. `T2`, ..., `Tm` insert no row with the key of one that `T1` has found up to `b1` (or
//!    anywhere, at REPEATABLE READ or above), if nobody deletes rows of the table;
//! 10. they do not all run at SERIALIZABLE: that transactions at this level are protected from each
//!     other is what
//!     PostgreSQL promises, also where it looks at more than snapshots (keys of other tables).
//!
//! *Proof.* Take a cycle of direct dependencies with the fewest transactions. Let `T2` be the one
//! that commits first, `T1` the one before it, `c(T)` when `T` commits. If `U` depends on `T`
//! without overwriting what `T` reads, or with waiting for the lock of `T`, then `c(T)` is before
//! the operation of `U`, so `c(T) < c(U)`. As `c(T2) < c(T1)`, (1) holds: `T2` overwrites what `b1`
//! reads without waiting, and the snapshot `s` of `b1` is before `c(T2)`, the first of all commits.
//!
//! (2) If `a1` does not overwrite what `Tm` reads, or waits for its lock, `c(Tm)` is before what
//! `a1` sees. `s < c(T2) <= c(Tm)`, so `a1` sees something later than `b1`. Were `T1` at REPEATABLE
//! READ or above, both would have the same snapshot, unless `a1` is fresh (or waits for a lock and
//! nothing else, which does not fail: then it overwrites, and is behind `b1`).
//!
//! (3) Let `x` be such an operation and `y` the one of `Ti`. The lock of `x` is held before `s`. If
//! `y` has its lock before `x`, then `c(Ti) < x < s < c(T2)`, but `T2` is first. So `c(T1) < y`.
//! This contradicts `c(T2) < c(T1)` if `i` is 2. Otherwise `Ti` depends on `T1`, and without `T2`,
//! ..., `Ti-1` there is a shorter cycle. (4) If `y` is committed before `x` has its lock, then it
//! is before the snapshot of `T1`, or `x` fails; the rest is as before. (5) `T2` overwrites what
//! `T1` reads, `T1` what `Tm` reads, `T2` commits first, and `T1` is concurrent with both. (Whoever
//! deletes by a key reads which rows have it, and a new one overwrites that.) If `Tm` only reads,
//! it is not `T2`, and depends on its predecessor by seeing what that committed, not before
//! `c(T2)`. That is a dangerous structure. (6) `T2` starts and commits before `T1` commits, so `T1`
//! overwrites what `T2` reads, and `T2`, `T1`, `T2` is dangerous. (7) A dependency of `T1` on a
//! transaction but `Tm`, or on `T1` of one but `T2`, makes a shorter cycle. Changes by `T1` are
//! committed after `T2`; what `T1` reads from a snapshot not later than `s` is without what `Tm`
//! changes. (8) If `Tm` committed the change before `a1`, `T1` fails; if `a1` was committed before
//! the change, `Tm` does. (9) The row was there before `s`. ∎
//!
//! In (3), (4), (6) and (7), an object that is deleted may be followed by another one with the same
//! key. As `x` holds the only object with the key, `y` is about a later object only behind `c(T1)`,
//! which for `i` = 2 is a contradiction as before. For others there may be a dependency only
//! through the one who deleted it. So there, nobody must delete rows of the table.
//!
//! # Any number of transactions, rows and values
//!
//! Templates stand for all transactions that there may be, with any values of their terms. The
//! values that a cycle of `T1` needs to be told apart are those of the terms of `b1` and `a1`,
//! constants, and one *other* value: replacing every value that is none of these by the other one
//! keeps all dependencies of the cycle, and what is excluded is excluded by rows of `T1`. So there
//! are finitely many ways to enter a template with values, and to leave it; what can be reached
//! from `b1` has only to be closed under steps. What a template does not do for certain excludes
//! nothing, and neither does an update of a row that may not be there. A row is there if a
//! dependency of the cycle is about it, or the path says so; in tables of which rows come and go,
//! only then and there.
//!
//! The idea is that of Fekete et al. (TODS 2005), Vandevoort, Ketsman, Koch and Neven (PVLDB 2021)
//! and Vandevoort, Ketsman and Neven (PODS 2023; with Fekete, PVLDB 2025), for what PostgreSQL
//! does: locks of reads, which a later update at REPEATABLE READ does not respect once they are
//! released; inserts, deletions and phantoms; fresh operations; columns.

use crate::conflict::{Conflict, conflict};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_isolation_model::ast::{ColumnId, Level, TableId};
use ser_isolation_model::operations::{Kind, Operation, Operations, Template, Term};
use ser_isolation_model::value::Value;
use std::cell::RefCell;

/// A value of a term: [`OTHER`], a constant (from 1), or a value of `T1` (behind the constants).
pub type Code = u32;

/// None of the values that matter.
pub const OTHER: Code = 0;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Symbol {
    Free(u32),
    Constant(Code),
}

/// Templates with what may depend on what.
#[derive(Debug)]
pub struct System {
    operations: Operations,
    /// For each operation its template, and its place in it.
    places: Vec<(u32, u32)>,
    /// The first operation of each template.
    firsts: Vec<u32>,
    rows: Vec<Vec<(ColumnId, Symbol)>>,
    /// For each operation those that may depend on it.
    after: Vec<Vec<(u32, Conflict)>>,
    /// For each term of each template, with which columns it is compared.
    sorts: Vec<Vec<u32>>,
    constants: Vec<Value>,
    constants_of: FxHashMap<u32, Vec<Code>>,
}

/// Where a cycle leaves and enters `T1`, and which of its values are equal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Start {
    pub template: u32,
    /// `b1`.
    pub read: u32,
    /// `a1`, or the first of several reads that look for the same row.
    pub back: u32,
    /// The value of each term of the template.
    pub values: Vec<Code>,
    /// The sort of each value of `T1`.
    own: Vec<u32>,
}

/// Where a chain leaves a transaction.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node {
    pub operation: u32,
    /// The values of its row.
    pub values: Vec<Code>,
    /// `T1` and `T2` run at SERIALIZABLE.
    pub second: bool,
    /// All up to here do.
    pub all: bool,
}

/// A transaction on the way.
#[derive(Clone, Debug)]
pub struct Step {
    pub enter: u32,
    pub node: Node,
    /// The value of each term of its template.
    pub values: Vec<Code>,
    /// The operations of `T1` that may depend on it.
    pub closes: Vec<u32>,
    /// Whether others may follow.
    pub goes_on: bool,
}

/// Keys of a table, and their values in a row.
type Slots = Vec<(usize, Vec<Code>)>;

/// An operation that a transaction does for certain, with the values of its keys.
type Certain = (u32, Slots);

/// What `T1` does for certain.
struct Own {
    operation: u32,
    slots: Slots,
    /// In a statement before that of the split.
    prefix: bool,
    /// There, or in the same one.
    early: bool,
}

/// Dependencies that would make a cycle shorter.
#[derive(Default)]
struct Chords {
    any: bool,
    /// A change by `T1` depends on the transaction.
    followed: bool,
    /// The transaction changes what `T1` has read.
    missed: bool,
}

/// What all chains of a start have in common.
pub struct Frame<'s> {
    system: &'s System,
    pub start: Start,
    levels: &'s [Level],
    level: Level,
    own: Vec<Own>,
    /// Keys of rows that are there, in tables whose rows stay.
    there: Vec<(TableId, usize, Vec<Code>)>,
    backs: Vec<u32>,
    /// Tables of `own`.
    tables: Vec<bool>,
    /// Ways into a template that have been gone: whoever comes again leaves in the same ways.
    entered: RefCell<FxHashSet<Entry>>,
}

/// An operation, the values of the terms of its row, and what is known of those before.
type Entry = (u32, Vec<Option<Code>>, bool, bool);

impl System {
    pub fn new(operations: Operations) -> System {
        let mut places = Vec::new();
        let mut firsts = Vec::new();
        for (number, template) in (0..).zip(&operations.templates) {
            firsts.push(u32::try_from(places.len()).unwrap_or(u32::MAX));
            places.extend((0..).zip(&template.operations).map(|(it, _)| (number, it)));
        }
        let mut system = System {
            operations,
            places,
            firsts,
            rows: Vec::new(),
            after: Vec::new(),
            sorts: Vec::new(),
            constants: Vec::new(),
            constants_of: FxHashMap::default(),
        };
        system.sort();
        let count = system.count();
        let mut after = vec![Vec::new(); count as usize];
        for before in 0..count {
            for next in 0..count {
                let facts = &system.operations.tables[system.operation(before).table.0 as usize];
                let found = conflict(facts, system.operation(before), system.operation(next));
                after[before as usize].extend(found.map(|it| (next, it)));
            }
        }
        system.after = after;
        system
    }

    /// Finds out which terms and columns are ever compared, and numbers constants.
    fn sort(&mut self) {
        let mut columns: FxHashMap<(TableId, ColumnId), u32> = FxHashMap::default();
        let mut terms: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut parents: Vec<u32> = Vec::new();
        fn root(parents: &mut [u32], mut at: u32) -> u32 {
            while parents[at as usize] != at {
                parents[at as usize] = parents[parents[at as usize] as usize];
                at = parents[at as usize];
            }
            at
        }
        let mut constants: Vec<Value> = Vec::new();
        let mut held: Vec<(u32, Value)> = Vec::new();
        let templates = &self.operations.templates;
        for (number, template) in (0..).zip(templates) {
            for operation in &template.operations {
                for (column, term) in &operation.row {
                    let mut new = || {
                        parents.push(u32::try_from(parents.len()).unwrap_or(u32::MAX));
                        parents.len() as u32 - 1
                    };
                    let one = *columns.entry((operation.table, *column)).or_insert_with(&mut new);
                    match term {
                        Term::Free(term) => {
                            let other = *terms.entry((number, *term)).or_insert_with(&mut new);
                            let (one, other) = (root(&mut parents, one), root(&mut parents, other));
                            parents[one as usize] = other;
                        }
                        Term::Value(value) => {
                            constants.push(value.clone());
                            held.push((one, value.clone()));
                        }
                    }
                }
            }
        }
        constants.sort();
        constants.dedup();
        let code = |value: &Value| {
            let place = constants.binary_search(value).unwrap_or(0);
            Code::try_from(place + 1).unwrap_or(Code::MAX)
        };
        for (column, value) in held {
            let sort = root(&mut parents, column);
            self.constants_of.entry(sort).or_default().push(code(&value));
        }
        for list in self.constants_of.values_mut() {
            list.sort_unstable();
            list.dedup();
        }
        for (number, template) in (0..).zip(templates) {
            let sorts = (0..template.origins.len() as u32).map(|term| {
                terms.get(&(number, term)).map_or(u32::MAX, |it| root(&mut parents, *it))
            });
            self.sorts.push(sorts.collect());
            for operation in &template.operations {
                let symbols = operation.row.iter().map(|(column, term)| match term {
                    Term::Free(term) => (*column, Symbol::Free(*term)),
                    Term::Value(value) => (*column, Symbol::Constant(code(value))),
                });
                self.rows.push(symbols.collect());
            }
        }
        self.constants = constants;
    }

    pub fn operations(&self) -> &Operations {
        &self.operations
    }

    /// How many operations there are in all templates.
    pub fn count(&self) -> u32 {
        u32::try_from(self.places.len()).unwrap_or(u32::MAX)
    }

    pub fn operation(&self, number: u32) -> &Operation {
        let (template, place) = self.places[number as usize];
        &self.operations.templates[template as usize].operations[place as usize]
    }

    pub fn template_of(&self, operation: u32) -> u32 {
        self.places[operation as usize].0
    }

    pub fn template(&self, number: u32) -> &Template {
        &self.operations.templates[number as usize]
    }

    /// The operations that may depend on one.
    pub fn after(&self, operation: u32) -> &[(u32, Conflict)] {
        &self.after[operation as usize]
    }

    /// What a value is, if it is a constant.
    pub fn constant(&self, code: Code) -> Option<&Value> {
        self.constants.get((code as usize).checked_sub(1)?)
    }

    /// The number of a constant.
    pub fn code(&self, value: &Value) -> Code {
        self.constants.binary_search(value).map_or(OTHER, |it| it as Code + 1)
    }

    /// Whether there is such an operation, with so many columns in its row.
    pub fn has(&self, operation: u32, values: &[Code]) -> bool {
        self.rows.get(operation as usize).is_some_and(|it| it.len() == values.len())
    }

    fn operations_of(&self, template: u32) -> std::ops::Range<u32> {
        let first = self.firsts[template as usize];
        first..first + self.template(template).operations.len() as u32
    }

    fn row_values(&self, operation: u32, values: &[Code]) -> Vec<Code> {
        self.rows[operation as usize].iter().map(|(_, it)| value(*it, values)).collect()
    }

    /// The values of each key of the table that the row has all columns of, if they are not just
    /// others.
    fn slots(&self, operation: u32, values: &[Code]) -> Slots {
        let row = &self.rows[operation as usize];
        let facts = &self.operations.tables[self.operation(operation).table.0 as usize];
        let mut slots = Vec::new();
        for (number, key) in facts.keys.iter().enumerate() {
            let of = |column: &ColumnId| {
                let found = row.iter().find(|(it, _)| it == column);
                found.map(|(_, it)| value(*it, values)).filter(|it| *it != OTHER)
            };
            if let Some(codes) = key.iter().map(of).collect() {
                slots.push((number, codes));
            }
        }
        slots
    }

    /// Every way in which a cycle may leave and enter a template as `T1`.
    pub fn starts(&self, template: u32) -> Vec<Start> {
        let mut starts = Vec::new();
        let range = self.operations_of(template);
        let depends: Vec<bool> = {
            let mut depends = vec![false; self.places.len()];
            let all = self.after.iter().flatten();
            all.for_each(|(it, _)| depends[*it as usize] = true);
            depends
        };
        let splits = |it: &u32| self.after(*it).iter().any(|(_, it)| it.overwritten && !it.waits);
        for read in range.clone().filter(splits) {
            let mut backs: Vec<u32> = Vec::new();
            for back in range.clone().filter(|it| depends[*it as usize]) {
                if !backs.iter().any(|it| self.alike(*it, back)) {
                    backs.push(back);
                }
            }
            for back in backs {
                let mut terms: Vec<u32> = Vec::new();
                for operation in [read, back] {
                    for (_, symbol) in &self.rows[operation as usize] {
                        if let Symbol::Free(term) = symbol
                            && !terms.contains(term)
                        {
                            terms.push(*term);
                        }
                    }
                }
                let start = Start {
                    template,
                    read,
                    back,
                    values: vec![OTHER; self.template(template).origins.len()],
                    own: Vec::new(),
                };
                self.merge(start, &terms, &mut starts);
            }
        }
        starts
    }

    /// Reads that can stand for one another where a cycle closes.
    fn alike(&self, one: u32, other: u32) -> bool {
        let (first, second) = (self.operation(one), self.operation(other));
        let read = |it: &Operation| matches!(it.kind, Kind::Read { .. });
        read(first)
            && read(second)
            && first.table == second.table
            && first.row == second.row
            && first.guards == second.guards
    }

    /// All ways in which some terms may be equal to each other and to constants.
    fn merge(&self, start: Start, terms: &[u32], into: &mut Vec<Start>) {
        let Some((term, rest)) = terms.split_first() else {
            into.push(start);
            return;
        };
        let sort = self.sorts[start.template as usize][*term as usize];
        let mut domain = self.domain(&start, sort);
        domain.push(self.first_own() + start.own.len() as Code);
        for code in domain.into_iter().filter(|it| *it != OTHER) {
            let mut start = start.clone();
            start.values[*term as usize] = code;
            if code == self.first_own() + start.own.len() as Code {
                start.own.push(sort);
            }
            self.merge(start, rest, into);
        }
    }

    fn first_own(&self) -> Code {
        self.constants.len() as Code + 1
    }

    /// The values that a term of a sort may have.
    fn domain(&self, start: &Start, sort: u32) -> Vec<Code> {
        let mut domain = vec![OTHER];
        domain.extend(self.constants_of.get(&sort).into_iter().flatten());
        let own = (self.first_own()..).zip(&start.own);
        domain.extend(own.filter(|(_, it)| **it == sort).map(|(code, _)| code));
        domain
    }

    /// What all chains of a start have in common, at some levels.
    pub fn frame<'s>(&'s self, start: Start, levels: &'s [Level]) -> Frame<'s> {
        let level = levels[self.template(start.template).transaction];
        let mut frame = Frame {
            system: self,
            start,
            levels,
            level,
            own: Vec::new(),
            there: Vec::new(),
            backs: Vec::new(),
            tables: vec![false; self.operations.tables.len()],
            entered: RefCell::default(),
        };
        frame.prepare();
        frame
    }
}

fn value(symbol: Symbol, values: &[Code]) -> Code {
    match symbol {
        Symbol::Free(term) => values[term as usize],
        Symbol::Constant(code) => code,
    }
}

impl Frame<'_> {
    fn prepare(&mut self) {
        let system = self.system;
        let start = &self.start;
        let read = system.operation(start.read);
        let range = system.operations_of(start.template);
        let guards: Vec<u32> = [start.read, start.back]
            .iter()
            .flat_map(|it| &system.operation(*it).guards)
            .copied()
            .collect();
        let happens = |it: &Operation| it.certain && it.guards.iter().all(|it| guards.contains(it));
        self.backs = if matches!(system.operation(start.back).kind, Kind::Read { .. }) {
            range.clone().filter(|it| system.alike(start.back, *it)).collect()
        } else {
            vec![start.back]
        };
        // Where nothing can come back, there is no cycle.
        let low = self.level == Level::ReadCommitted;
        self.backs.retain(|it| {
            let back = system.operation(*it);
            back.kind.is_write() || back.fresh || low && back.statement >= read.statement
        });
        if self.backs.is_empty() {
            return;
        }
        // Rows that are there, and rows of which `T1` knows it while it runs with one snapshot.
        let mut there = Vec::new();
        let mut seen = Vec::new();
        for number in range.clone() {
            let operation = system.operation(number);
            let found = operation.found && happens(operation);
            let object = operation.kind != Kind::Gap;
            let used = number == start.read || number == start.back;
            if found || object && used {
                let fixed = system.operations.tables[operation.table.0 as usize].is_fixed();
                for (key, codes) in system.slots(number, &start.values) {
                    if fixed {
                        there.push((operation.table, key, codes));
                    } else if found || number == start.read {
                        seen.push((operation.table, key, codes));
                    }
                }
            }
        }
        for number in range {
            let operation = system.operation(number);
            let slots = system.slots(number, &start.values);
            if slots.is_empty() {
                continue;
            }
            let is = |list: &[(TableId, usize, Vec<Code>)]| {
                list.iter().any(|(table, key, codes)| {
                    *table == operation.table
                        && slots.iter().any(|(other, own)| other == key && own == codes)
                })
            };
            let used = number == start.read || number == start.back && self.backs.len() == 1;
            // Where rows stay, whoever shares the row with it shows that it is there.
            let fixed = system.operations.tables[operation.table.0 as usize].is_fixed();
            let present = operation.found
                || fixed
                || self.level != Level::ReadCommitted && is(&seen)
                || operation.kind == Kind::Gap;
            if used || happens(operation) && present {
                let prefix = operation.statement < read.statement;
                self.tables[operation.table.0 as usize] = true;
                let early = operation.statement <= read.statement;
                self.own.push(Own { operation: number, slots, prefix, early });
            }
        }
        self.there = there;
    }

    /// Every step from the split into `T2`.
    pub fn begin(&self, see: &mut dyn FnMut(Step)) {
        let node = Node {
            operation: self.start.read,
            values: self.system.row_values(self.start.read, &self.start.values),
            second: false,
            all: self.level == Level::Serializable,
        };
        self.advance(&node, true, see);
    }

    /// Every step from a transaction of the chain into the next, but for those that were shown
    /// before: a way into a template that was gone from another node is not gone again.
    pub fn steps(&self, node: &Node, see: &mut dyn FnMut(Step)) {
        self.advance(node, false, see);
    }

    fn advance(&self, node: &Node, first: bool, see: &mut dyn FnMut(Step)) {
        let system = self.system;
        if self.backs.is_empty() {
            return;
        }
        for (enter, conflict) in system.after(node.operation) {
            if first && (!conflict.overwritten || conflict.waits) {
                continue;
            }
            let template = system.template_of(*enter);
            let Some(bound) = self.bind(node, *enter, conflict) else { continue };
            let entry = (*enter, bound, node.second, node.all);
            if !first && !self.entered.borrow_mut().insert(entry.clone()) {
                continue;
            }
            let bound = entry.1;
            for leave in system.operations_of(template) {
                if system.after(leave).is_empty() {
                    continue;
                }
                self.leave(node, first, *enter, leave, bound.clone(), see);
            }
        }
    }

    /// The values of terms that the dependency gives.
    fn bind(&self, node: &Node, enter: u32, conflict: &Conflict) -> Option<Vec<Option<Code>>> {
        let system = self.system;
        let terms = system.template(system.template_of(enter)).origins.len();
        let mut bound: Vec<Option<Code>> = vec![None; terms];
        let before = &system.rows[node.operation as usize];
        for ((column, _), code) in before.iter().zip(&node.values) {
            if !conflict.columns.contains(column) {
                continue;
            }
            let found = system.rows[enter as usize].iter().find(|(it, _)| it == column);
            match found.map(|(_, symbol)| *symbol) {
                Some(Symbol::Constant(own)) if own != *code => return None,
                Some(Symbol::Free(term)) => match &mut bound[term as usize] {
                    Some(own) if own != code => return None,
                    own => *own = Some(*code),
                },
                _ => {}
            }
        }
        Some(bound)
    }

    /// Leaves a template at an operation, with any values that it may have there.
    fn leave(
        &self,
        node: &Node,
        first: bool,
        enter: u32,
        leave: u32,
        bound: Vec<Option<Code>>,
        see: &mut dyn FnMut(Step),
    ) {
        let system = self.system;
        let template = system.template_of(enter);
        let open = system.rows[leave as usize].iter().find_map(|(_, symbol)| match symbol {
            Symbol::Free(term) if bound[*term as usize].is_none() => Some(*term),
            _ => None,
        });
        if let Some(term) = open {
            let sort = system.sorts[template as usize][term as usize];
            for code in system.domain(&self.start, sort) {
                let mut bound = bound.clone();
                bound[term as usize] = Some(code);
                self.leave(node, first, enter, leave, bound, see);
            }
            return;
        }
        let values: Vec<Code> = bound.into_iter().map(|it| it.unwrap_or(OTHER)).collect();
        let level = self.levels[system.template(template).transaction];
        let both = self.level == Level::Serializable && level == Level::Serializable;
        let certain = self.certain(template, &[enter, leave], &values);
        if self.is_excluded(first, &certain) || first && both && self.reads_back(&certain) {
            return;
        }
        let next = Node {
            operation: leave,
            values: system.row_values(leave, &values),
            second: if first { both } else { node.second },
            all: node.all && both,
        };
        let chords = self.chords(&certain);
        let mut closes = Vec::new();
        // (10)
        if (first || !chords.missed) && !next.all {
            let all = next.second && both;
            closes.extend(
                self.backs.iter().copied().filter(|it| self.closes(&next, &certain, *it, all)),
            );
        }
        let goes_on = if first { !chords.followed } else { !chords.any };
        if goes_on || !closes.is_empty() {
            see(Step { enter, node: next, values, closes, goes_on });
        }
    }

    /// (7): dependencies that there are for certain between a transaction and `T1`.
    fn chords(&self, certain: &[Certain]) -> Chords {
        let mut chords = Chords::default();
        let system = self.system;
        for (number, slots) in certain {
            let theirs = system.operation(*number);
            let facts = &system.operations.tables[theirs.table.0 as usize];
            if facts.shrinks {
                continue;
            }
            for own in &self.own {
                let mine = system.operation(own.operation);
                if mine.table != theirs.table || !own.slots.iter().any(|it| slots.contains(it)) {
                    continue;
                }
                let follows = conflict(facts, theirs, mine);
                let leads = conflict(facts, mine, theirs);
                chords.any |= follows.is_some() || leads.is_some();
                chords.followed |= follows.is_some() && mine.kind.is_write();
                let early = self.level != Level::ReadCommitted || own.early;
                let reads = leads.is_some_and(|it| it.overwritten) && !mine.fresh;
                chords.missed |= reads && early;
            }
        }
        chords
    }

    /// Whether no value of a transaction is one of `T1`.
    fn is_far(&self, values: &[Code]) -> bool {
        self.own.is_empty()
            || self.system.constants.is_empty() && values.iter().all(|it| *it == OTHER)
    }

    /// (3) and (4): whether a transaction would have to wait for `T1`, or make it fail.
    fn is_excluded(&self, first: bool, certain: &[Certain]) -> bool {
        let system = self.system;
        for (number, slots) in certain {
            let theirs = system.operation(*number);
            let Some(other) = theirs.kind.lock() else { continue };
            for own in &self.own {
                let mine = system.operation(own.operation);
                if mine.table != theirs.table || !own.slots.iter().any(|it| slots.contains(it)) {
                    continue;
                }
                let facts = &system.operations.tables[mine.table.0 as usize];
                let split = own.operation == self.start.read;
                let was_there = (mine.found || split && mine.kind != Kind::Gap)
                    && (own.prefix || split || self.level != Level::ReadCommitted)
                    && !mine.fresh;
                if theirs.kind == Kind::Insert && was_there && !facts.shrinks {
                    // The object was there before, and stays.
                    return true;
                }
                if !mine.kind.lock().is_some_and(|it| it.conflicts(other)) {
                    continue;
                }
                if mine.kind == Kind::Insert && theirs.kind == Kind::Insert && !facts.shrinks {
                    // Both cannot succeed.
                    return true;
                }
                let changes = theirs.kind.is_write() && theirs.kind != Kind::Insert;
                let one = self.level != Level::ReadCommitted && mine.kind != Kind::Insert;
                if !(own.prefix || one && changes) {
                    continue;
                }
                let depends = || !facts.shrinks && conflict(facts, mine, theirs).is_some();
                if first || depends() {
                    return true;
                }
            }
        }
        false
    }

    /// The operations that a transaction does for certain, with their keys, if they can be those of
    /// `T1`.
    fn certain(&self, template: u32, used: &[u32], values: &[Code]) -> Vec<Certain> {
        if self.is_far(values) {
            return Vec::new();
        }
        let system = self.system;
        let level = self.levels[system.template(template).transaction];
        let guards: Vec<u32> =
            used.iter().flat_map(|it| &system.operation(*it).guards).copied().collect();
        let happens = |it: &Operation| it.certain && it.guards.iter().all(|it| guards.contains(it));
        let mut all: Vec<(u32, bool, Slots)> = Vec::new();
        let mut there: Vec<(TableId, usize, Vec<Code>)> = Vec::new();
        for number in system.operations_of(template) {
            let operation = system.operation(number);
            let is_used = used.contains(&number);
            let elsewhere = !self.tables[operation.table.0 as usize];
            if !is_used && (elsewhere || !happens(operation)) {
                continue;
            }
            let slots = system.slots(number, values);
            if slots.is_empty() {
                continue;
            }
            let object = operation.kind != Kind::Gap;
            let sure = is_used && object || operation.found;
            // With one snapshot, what it has read is there when it changes it, or it fails.
            let read = matches!(operation.kind, Kind::Read { .. }) && !operation.fresh;
            let seen = level != Level::ReadCommitted && read;
            let table = operation.table;
            if sure && (seen || system.operations.tables[table.0 as usize].is_fixed()) {
                there.extend(slots.iter().map(|(key, codes)| (table, *key, codes.clone())));
            }
            all.push((number, sure || !object, slots));
        }
        let known = |table: TableId, slots: &[(usize, Vec<Code>)]| {
            self.there.iter().chain(&there).any(|(other, key, codes)| {
                *other == table && slots.iter().any(|(it, own)| it == key && own == codes)
            })
        };
        all.retain(|(number, sure, slots)| *sure || known(system.operation(*number).table, slots));
        all.into_iter().map(|(number, _, slots)| (number, slots)).collect()
    }

    /// (6): `T2` reads what `T1` changes.
    fn reads_back(&self, certain: &[Certain]) -> bool {
        self.own.iter().any(|own| {
            certain.iter().any(|(reader, slots)| {
                self.tracked(*reader, own.operation)
                    && own.slots.iter().any(|it| slots.contains(it))
            })
        })
    }

    /// Whether the server takes down that one overwrites what the other one reads.
    fn tracked(&self, reader: u32, writer: u32) -> bool {
        let reader = self.system.operation(reader);
        let writer = self.system.operation(writer);
        let facts = &self.system.operations.tables[reader.table.0 as usize];
        !reader.fresh
            && !facts.shrinks
            && conflict(facts, reader, writer).is_some_and(|it| it.overwritten)
    }

    /// (2), (5) and (8): whether an operation of `T1` may depend on the last transaction.
    fn closes(&self, last: &Node, certain: &[Certain], back: u32, all_serializable: bool) -> bool {
        let system = self.system;
        let Some((_, conflict)) = system.after(last.operation).iter().find(|(it, _)| *it == back)
        else {
            return false;
        };
        let row = &system.rows[last.operation as usize];
        let agrees = row.iter().zip(&last.values).all(|((column, _), code)| {
            let own = system.rows[back as usize].iter().find(|(it, _)| it == column);
            !conflict.columns.contains(column)
                || own.is_none_or(|(_, symbol)| value(*symbol, &self.start.values) == *code)
        });
        if !agrees {
            return false;
        }
        let (split, reader) = (system.operation(self.start.read), system.operation(last.operation));
        let back = system.operation(back);
        let late = back.kind.is_write() || back.kind.lock().is_some() || back.fresh;
        let behind = back.statement > split.statement || back.statement == split.statement && late;
        let over = conflict.overwritten && (!conflict.waits || behind);
        // The condition by which a row was deleted was read, too, and holds for the new row.
        let freed = reader.kind == Kind::Delete
            && back.kind == Kind::Insert
            && row.iter().all(|(column, _)| conflict.columns.contains(column));
        let tracked = (over || freed) && !reader.fresh && !split.fresh;
        if all_serializable && tracked || over && self.changes_both(last, certain, back) {
            return false;
        }
        let later =
            behind && (self.level == Level::ReadCommitted || back.fresh && !conflict.overwritten);
        over || later
    }

    /// (8): whether the last transaction changes the object that it reads and `T1` overwrites.
    fn changes_both(&self, last: &Node, certain: &[Certain], back: &Operation) -> bool {
        let system = self.system;
        let reader = system.operation(last.operation);
        let level = self.levels[system.template(system.template_of(last.operation)).transaction];
        if self.level == Level::ReadCommitted
            || level == Level::ReadCommitted
            || reader.fresh
            || reader.kind == Kind::Gap
        {
            return false;
        }
        let read = certain.iter().find(|(number, _)| *number == last.operation);
        read.is_some_and(|(_, slots)| {
            certain.iter().any(|(number, other)| {
                let change = system.operation(*number);
                let locks = change.kind.lock().zip(back.kind.lock());
                change.table == reader.table
                    && change.kind.is_write()
                    && change.kind != Kind::Insert
                    && locks.is_some_and(|(one, other)| one.conflicts(other))
                    && slots.iter().any(|it| other.contains(it))
            })
        })
    }
}
