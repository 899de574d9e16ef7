//! Conditions as SMT-LIB scripts, for a second opinion.
//!
//! The encoding says what terms *mean*; it does not know our axioms. Numbers are `Int`, sets of
//! numbers are arrays, threads and addresses are small enumerations (the threads of the case,
//! `nobody` and one more; `null` and [`Size::cells`] cells), elements are numbers between two
//! bounds, each heap version is a function for each field, defined from the one before by the write
//! that made it, and reachability is unrolled as far as there are cells. `unsat` says: no model
//! with so many cells breaks the condition. For conditions without a heap there is no such
//! restriction.

use crate::decide::ground::Places;
use crate::logic::{Atom, BoolVar, Field, Formula, Logic, Node, Sort, Term, TermRef};
use rustc_hash::FxHashSet;
use ser_invariance_checker::environment::Heap;
use ser_syntax::inv::ast::{LocId, Scalar};
use std::fmt::Write as _;

/// How large models may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Cells besides `null`.
    pub cells: u32,
}

impl Default for Size {
    fn default() -> Size {
        Size { cells: 4 }
    }
}

/// A script whose answer is `unsat` if and only if the formulas have no model of that size.
///
/// `comment` says what it is about; its lines are put in front.
pub fn script(
    logic: &mut Logic,
    comment: &str,
    heap: &Heap,
    places: &Places,
    blocks: u32,
    formulas: &[Formula],
    size: Size,
) -> String {
    let mut export =
        Export { logic, heap, blocks, size, text: String::new(), seen: FxHashSet::default() };
    let lines: Vec<String> = comment.lines().map(|line| format!("; {line}\n")).collect();
    export.preamble(places);
    let mut assertions = Vec::new();
    for f in formulas {
        let written = export.formula(*f);
        assertions.push(format!("(assert {written})\n"));
    }
    let Export { text, .. } = export;
    format!("{}(set-logic ALL)\n{text}{}(check-sat)\n", lines.concat(), assertions.concat())
}

struct Export<'a> {
    logic: &'a mut Logic,
    heap: &'a Heap,
    blocks: u32,
    size: Size,
    text: String,
    seen: FxHashSet<String>,
}

impl Export<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn preamble(&mut self, places: &Places) {
        let threads: Vec<String> = (0..self.blocks).map(|b| format!("(t{b})")).collect();
        let cells: Vec<String> = (1..=self.size.cells).map(|c| format!("(c{c})")).collect();
        let threads = threads.join(" ");
        let cells = cells.join(" ");
        self.line(&format!("(declare-datatypes ((Tid 0)) (({threads} (nobody) (somebody))))"));
        self.line(&format!("(declare-datatypes ((Addr 0)) (((null) {cells})))"));
        self.line("(define-sort Elem () Int)");
        self.line("(declare-const lowest Elem)\n(declare-const highest Elem)");
        self.line("(assert (< lowest highest))");
        for block in 0..self.blocks {
            self.line(&format!("(declare-const pc{block} Int)"));
            self.line(&format!(
                "(assert (and (<= 0 pc{block}) (< pc{block} {})))",
                places.locations
            ));
            for (procedure, calls) in &places.sites {
                let name = format!("site{}_{block}", procedure.0);
                let any: Vec<String> =
                    calls.iter().map(|call| format!("(= {name} {})", call.0)).collect();
                self.line(&format!("(declare-const {name} Int)\n(assert (or {}))", any.join(" ")));
            }
        }
        self.heaps();
    }

    fn cells(&self) -> Vec<String> {
        (1..=self.size.cells).map(|c| format!("c{c}")).collect()
    }

    fn heaps(&mut self) {
        for (field, sort) in [("next", "Addr"), ("data", "Elem"), ("lockid", "Tid")] {
            self.line(&format!("(declare-fun {field}_0 (Addr) {sort})"));
        }
        self.line("(assert (= (next_0 null) null))\n(assert (= (lockid_0 null) nobody))");
        for cell in self.cells().into_iter().chain(["null".to_owned()]) {
            let data = format!("(data_0 {cell})");
            self.line(&format!("(assert (and (<= lowest {data}) (<= {data} highest)))"));
        }
        let heap = self.heap;
        for (before, write) in heap.writes().iter().enumerate() {
            let address = self.term(write.address);
            let value = self.term(write.value);
            for (field, sort) in [("next", "Addr"), ("data", "Elem"), ("lockid", "Tid")] {
                let now = before + 1;
                let old = format!("({field}_{before} x)");
                let body = match name(write.field) == field {
                    true => format!("(ite (and (= x {address}) (not (= x null))) {value} {old})"),
                    false => old,
                };
                self.line(&format!("(define-fun {field}_{now} ((x Addr)) {sort} {body})"));
            }
        }
    }

    fn scalar(scalar: Scalar) -> &'static str {
        match scalar {
            Scalar::Int => "Int",
            Scalar::Tid => "Tid",
            Scalar::Addr => "Addr",
            Scalar::Elem => "Elem",
        }
    }

    fn declare(&mut self, name: &str, sort: Sort) {
        if !self.seen.insert(name.to_owned()) {
            return;
        }
        match sort {
            Sort::One(scalar) => {
                self.line(&format!("(declare-const {name} {})", Self::scalar(scalar)));
                if scalar == Scalar::Elem {
                    self.line(&format!("(assert (and (<= lowest {name}) (<= {name} highest)))"));
                }
            }
            Sort::Many(scalar) => {
                let scalar = scalar.unwrap_or(Scalar::Int);
                let of = Self::scalar(scalar);
                self.line(&format!("(declare-const {name} (Array {of} Bool))"));
                if scalar == Scalar::Int {
                    // Finite sets have a smallest and a largest element, unless they are empty.
                    let bounds = format!("(and (<= {name}_low x) (<= x {name}_high))");
                    self.line(&format!(
                        "(declare-const {name}_low Int)\n(declare-const {name}_high Int)"
                    ));
                    self.line(&format!(
                        "(assert (forall ((x Int)) (=> (select {name} x) {bounds})))"
                    ));
                }
            }
        }
    }

    fn term(&mut self, t: TermRef) -> String {
        let sort = self.logic.sort(t);
        match self.logic.term(t).clone() {
            Term::Global(id) => self.constant(format!("g{id}"), sort),
            Term::Local(id, block) => self.constant(format!("l{id}_{block}"), sort),
            Term::New(number) => self.constant(format!("new{number}"), sort),
            Term::Thread(block) => format!("t{block}"),
            Term::Nobody => "nobody".to_owned(),
            Term::Null => "null".to_owned(),
            Term::Lowest => "lowest".to_owned(),
            Term::Highest => "highest".to_owned(),
            Term::Sum { constant, parts } => {
                let mut sum = format!("(+ {}", number(constant));
                for (coefficient, part) in parts {
                    let part = self.term(part);
                    let _ = write!(sum, " (* {} {part})", number(coefficient));
                }
                sum.push(')');
                sum
            }
            Term::Min(set) => self.extreme(set, true),
            Term::Max(set) => self.extreme(set, false),
            Term::Next(heap, address) => format!("(next_{heap} {})", self.term(address)),
            Term::Data(heap, address) => format!("(data_{heap} {})", self.term(address)),
            Term::Lockid(heap, address) => format!("(lockid_{heap} {})", self.term(address)),
            // Witnesses are not part of conditions, and sets are spoken of by membership only.
            _ => self.constant(format!("w{}", t.0), sort),
        }
    }

    fn constant(&mut self, name: String, sort: Sort) -> String {
        self.declare(&name, sort);
        name
    }

    /// The smallest (or largest) element of a set, which is one if the set has any.
    fn extreme(&mut self, set: TermRef, smallest: bool) -> String {
        let name = format!("{}{}", if smallest { "min" } else { "max" }, set.0);
        if self.seen.insert(name.clone()) {
            let inside = self.contains("x", set);
            let own = self.contains(&name, set);
            let order = if smallest { format!("(<= {name} x)") } else { format!("(<= x {name})") };
            self.line(&format!("(declare-const {name} Int)"));
            self.line(&format!("(assert (forall ((x Int)) (=> {inside} (and {own} {order}))))"));
        }
        name
    }

    /// Whether something (as text) is in a set.
    fn contains(&mut self, u: &str, set: TermRef) -> String {
        match *self.logic.term(set) {
            Term::Empty => "false".to_owned(),
            Term::Singleton(t) => format!("(= {u} {})", self.term(t)),
            Term::Union(a, b) => format!("(or {} {})", self.contains(u, a), self.contains(u, b)),
            Term::Intersection(a, b) => {
                format!("(and {} {})", self.contains(u, a), self.contains(u, b))
            }
            Term::Difference(a, b) => {
                format!("(and {} (not {}))", self.contains(u, a), self.contains(u, b))
            }
            Term::Cells(heap, from) => {
                let from = self.term(from);
                self.reaches(heap, &[], &from, u)
            }
            Term::Elems(heap, cells) => {
                let mut any = vec!["false".to_owned()];
                for cell in self.cells().into_iter().chain(["null".to_owned()]) {
                    let inside = self.contains(&cell, cells);
                    any.push(format!("(and {inside} (= {u} (data_{heap} {cell})))"));
                }
                format!("(or {})", any.join(" "))
            }
            _ => {
                let set = self.term(set);
                format!("(select {set} {u})")
            }
        }
    }

    /// Reachability, by a function that is unrolled once for each cell.
    fn reaches(&mut self, heap: u32, cut: &[TermRef], from: &str, to: &str) -> String {
        let cut: Vec<String> = cut.iter().map(|t| self.term(*t)).collect();
        let stops: Vec<String> = cut.iter().map(|t| format!("(= x {t})")).collect();
        let stuck = format!("(or (= x null) {})", stops.join(" "));
        let key = format!("reach_{heap}_{}", cut.join("_").replace(['(', ')', ' '], "-"));
        if self.seen.insert(key.clone()) {
            self.line(&format!("(define-fun |{key}_0| ((x Addr) (y Addr)) Bool (= x y))"));
            for step in 1..=self.size.cells + 1 {
                let on = format!("(|{key}_{}| (next_{heap} x) y)", step - 1);
                self.line(&format!(
                    "(define-fun |{key}_{step}| ((x Addr) (y Addr)) Bool (or (= x y) (and (not {stuck}) {on})))"
                ));
            }
        }
        format!("(|{key}_{}| {from} {to})", self.size.cells + 1)
    }

    fn formula(&mut self, f: Formula) -> String {
        let positive = match self.logic.node(f).clone() {
            Node::And(parts) if parts.is_empty() => "true".to_owned(),
            Node::And(parts) => {
                let parts: Vec<String> = parts.into_iter().map(|it| self.formula(it)).collect();
                format!("(and {})", parts.join(" "))
            }
            Node::Atom(id) => {
                let atom = self.logic.atom(id).clone();
                self.atom(&atom)
            }
        };
        if f.is_negated() { format!("(not {positive})") } else { positive }
    }

    fn atom(&mut self, atom: &Atom) -> String {
        match atom {
            Atom::Bool(variable) => {
                let name = match variable {
                    BoolVar::Global(id) => format!("g{}", id.0),
                    BoolVar::Local(id, block) => format!("l{}_{block}", id.0),
                    BoolVar::New(number) => format!("new{number}"),
                };
                if self.seen.insert(name.clone()) {
                    self.line(&format!("(declare-const {name} Bool)"));
                }
                name
            }
            Atom::At(block, set) => {
                let locations: Vec<LocId> = self.logic.locations(*set).to_vec();
                let any = locations.iter().map(|it| format!("(= pc{block} {})", it.0));
                format!("(or {})", any.collect::<Vec<_>>().join(" "))
            }
            Atom::Site(procedure, block, call) => {
                format!("(= site{}_{block} {})", procedure.0, call.0)
            }
            Atom::Equal(x, y) => format!("(= {} {})", self.term(*x), self.term(*y)),
            Atom::Le(x, y) => format!("(<= {} {})", self.term(*x), self.term(*y)),
            Atom::Ge(sum) => format!("(>= {} 0)", self.term(*sum)),
            Atom::In(u, s) => {
                let u = self.term(*u);
                self.contains(&u, *s)
            }
            Atom::Subset(s, t) => {
                let (s, t, sort) = self.both(*s, *t);
                format!("(forall ((x {sort})) (=> {s} {t}))")
            }
            Atom::Same(s, t) => {
                let (s, t, sort) = self.both(*s, *t);
                format!("(forall ((x {sort})) (= {s} {t}))")
            }
            Atom::Some(s) => {
                let (inside, _, sort) = self.both(*s, *s);
                format!("(exists ((x {sort})) {inside})")
            }
            Atom::Reach(heap, cut, x, y) => {
                let cut = self.logic.cut(*cut).to_vec();
                let (x, y) = (self.term(*x), self.term(*y));
                self.reaches(*heap, &cut, &x, &y)
            }
            Atom::Ordered(heap, a, b) => self.ordered(*heap, *a, *b),
        }
    }

    /// Membership of `x` in two sets, and the sort of `x`.
    fn both(&mut self, s: TermRef, t: TermRef) -> (String, String, &'static str) {
        let element = self.logic.element(s).or(self.logic.element(t));
        let sort = Self::scalar(element.unwrap_or(Scalar::Int));
        (self.contains("x", s), self.contains("x", t), sort)
    }

    /// On the way from `a` to the first `b`, each cell but the last is below the next one.
    fn ordered(&mut self, heap: u32, a: TermRef, b: TermRef) -> String {
        let start = self.term(a);
        let end = self.term(b);
        let mut all = vec![self.reaches(heap, &[b], &start, &end)];
        for cell in self.cells() {
            let on = self.reaches(heap, &[b], &start, &cell);
            let grows = format!("(< (data_{heap} {cell}) (data_{heap} (next_{heap} {cell})))");
            all.push(format!("(=> (and {on} (not (= {cell} {end}))) {grows})"));
        }
        format!("(and {})", all.join(" "))
    }
}

fn name(field: Field) -> &'static str {
    match field {
        Field::Next => "next",
        Field::Data => "data",
        Field::Lockid => "lockid",
    }
}

fn number(value: i64) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}
