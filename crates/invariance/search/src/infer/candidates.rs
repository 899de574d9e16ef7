//! What could be true of a program.
//!
//! Each candidate says something of no thread, of one that stands at a location, or of two
//! different ones that stand at two. What it says is an atom (`atoms`), maybe under a condition:
//! that a truth value is set, that somebody is the owner. Atoms are made of the variables that can
//! be seen there, and taken from the tests of the program, its assumptions and its goals.

use super::atoms::{Values, literals, regions, threads_of};
use super::relevance::{Relevance, Variable, variables};
use super::say;
use ser_base::{Limits, Stop};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{Expr, ExprKind, LocId, Operator, ProcId, Scalar, Thread, Type};
use std::collections::{BTreeMap, BTreeSet};

/// How many candidates there are at most. Programs with many locations and variables have more;
/// then those about variables that are far from the goals, and those with conditions, are left out.
pub const MOST: usize = 16_000;

/// Something that could be true.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// Where the threads stand of which it speaks: none, `i`, or `i` and `j` (which are different).
    pub at: Vec<LocId>,
    /// Under which condition.
    pub given: Option<Expr>,
    pub atom: Expr,
    /// The atom under its condition.
    pub body: Expr,
    /// `given` and `atom` as text.
    pub said: (String, String),
    /// How far it is from what is obvious.
    pub weight: usize,
    /// Whether it is something that is seldom said.
    pub rare: bool,
}

impl Candidate {
    /// How many threads it speaks of.
    pub fn parameters(&self) -> usize {
        self.at.len()
    }

    /// Whether it is about cells of the heap.
    pub fn reads_cells(&self) -> bool {
        let mut reads = false;
        self.body.walk(&mut |it| {
            reads |= matches!(
                it.kind,
                ExprKind::Field(..)
                    | ExprKind::Cells(_)
                    | ExprKind::Elems(_)
                    | ExprKind::Reach(..)
                    | ExprKind::Ordered(..)
            );
        });
        reads
    }

    /// All of it, with its places, as a formula.
    pub fn formula(&self) -> Expr {
        let mut given: Vec<Expr> = Vec::new();
        if let [_, _] = self.at.as_slice() {
            given.push(say::binary(Operator::NotEqual, &say::thread(0), &say::thread(1)));
        }
        for (thread, location) in self.at.iter().enumerate() {
            given.push(say::at(thread as u32, vec![*location]));
        }
        say::given(say::all(given), self.body.clone())
    }
}

/// What could be said, wherever it is.
#[derive(Clone)]
struct Saying {
    given: Option<Expr>,
    atom: Expr,
    weight: usize,
    rare: bool,
}

/// All sayings of a kind, none twice.
struct Sayings<'s> {
    system: &'s System,
    relevance: &'s Relevance,
    all: BTreeMap<(String, String), Saying>,
}

impl<'s> Sayings<'s> {
    fn new(system: &'s System, relevance: &'s Relevance) -> Sayings<'s> {
        Sayings { system, relevance, all: BTreeMap::new() }
    }

    fn add(&mut self, weight: usize, given: Option<Expr>, atom: Expr) {
        self.put(weight, given, atom, false);
    }

    /// Atoms, those that are rare with more weight.
    fn put_atoms(&mut self, weight: usize, atoms: &[Expr]) {
        for atom in atoms {
            let rare = is_rare(atom);
            self.put(weight + usize::from(rare), None, atom.clone(), rare);
        }
    }

    fn put(&mut self, weight: usize, given: Option<Expr>, atom: Expr, rare: bool) {
        let show = |it: &Expr| ser_editing::inv::show(self.system, it);
        let said = (given.as_ref().map(show).unwrap_or_default(), show(&atom));
        let far = given.iter().chain([&atom]).map(|it| self.relevance.rank(it)).max();
        let weight = weight + 2 * far.unwrap_or(0);
        let saying = Saying { given, atom, weight, rare };
        match self.all.get_mut(&said) {
            Some(known) if known.weight <= weight => {}
            _ => {
                self.all.insert(said, saying);
            }
        }
    }

    fn under(&mut self, weight: usize, conditions: &[Expr], atoms: &[Expr]) {
        for given in conditions {
            let of = variables(given);
            for atom in atoms {
                // A condition on the very thing that is said is no condition.
                if of.is_disjoint(&variables(atom)) || of.is_empty() {
                    self.add(weight, Some(given.clone()), atom.clone());
                }
            }
        }
    }

    fn at(&self, at: &[LocId], found: &mut Found) {
        for (said, Saying { given, atom, weight, rare }) in &self.all {
            let candidate = Candidate {
                at: at.to_vec(),
                given: given.clone(),
                atom: atom.clone(),
                body: say::given(given.clone(), atom.clone()),
                said: said.clone(),
                weight: *weight,
                rare: *rare,
            };
            found.push(candidate);
        }
    }
}

/// Everything that could be true, and how much was left out.
pub fn candidates(system: &System, limits: &Limits) -> Result<(Vec<Candidate>, usize), Stop> {
    let relevance = Relevance::of(system);
    let relevance = &relevance;
    let make = Make { system, relevance, constants: constants(system), tests: tests(system) };
    let mut found = Found::default();
    make.globals().at(&[], &mut found);
    let procedures: Vec<ProcId> = (0..system.procedures.len() as u32).map(ProcId).collect();
    let locations = |of: ProcId| {
        let all = system.locations.iter().enumerate();
        // What cannot be named cannot be said.
        let all = all.filter(move |(_, it)| it.procedure == of && it.name.is_some());
        all.map(|(place, _)| LocId(place as u32)).collect::<Vec<LocId>>()
    };
    for procedure in &procedures {
        let sayings = make.one(*procedure);
        for location in locations(*procedure) {
            limits.check_clock()?;
            sayings.at(&[location], &mut found);
        }
    }
    for first in &procedures {
        for second in &procedures {
            let sayings = make.two(*first, *second);
            let apart = first <= second;
            for location in locations(*first) {
                for other in locations(*second) {
                    limits.check_clock()?;
                    let at = [location, other];
                    sayings.at(&at, &mut found);
                    if apart && location <= other {
                        let mut never = Sayings::new(system, relevance);
                        never.add(2, None, say::never());
                        never.at(&at, &mut found);
                    }
                }
            }
        }
    }
    found.shorten();
    let Found { mut candidates, left_out } = found;
    candidates.sort_by_key(|it| it.at.len());
    Ok((candidates, left_out))
}

/// The candidates that come first, and how many others there were. Those that cannot be among the
/// first any more are dropped early: there may be very many.
#[derive(Default)]
struct Found {
    candidates: Vec<Candidate>,
    left_out: usize,
}

impl Found {
    fn push(&mut self, candidate: Candidate) {
        self.candidates.push(candidate);
        if self.candidates.len() >= 4 * MOST {
            self.shorten();
        }
    }

    /// Keeps those that come first. Within one weight, all places of a saying together.
    fn shorten(&mut self) {
        self.candidates.sort_by(|x, y| {
            (x.weight, x.at.len(), &x.said, &x.at).cmp(&(y.weight, y.at.len(), &y.said, &y.at))
        });
        self.left_out += self.candidates.len().saturating_sub(MOST);
        self.candidates.truncate(MOST);
    }
}

/// Makes sayings.
struct Make<'s> {
    system: &'s System,
    relevance: &'s Relevance,
    constants: BTreeSet<i64>,
    /// Literals of the program and of the goals.
    tests: Vec<Expr>,
}

impl<'s> Make<'s> {
    fn sayings(&self) -> Sayings<'s> {
        Sayings::new(self.system, self.relevance)
    }

    fn all_globals(&self) -> Vec<Expr> {
        (0..self.system.globals.len()).map(|g| say::global(self.system, g)).collect()
    }

    /// The locals that can be seen in a procedure.
    fn locals(&self, procedure: ProcId, thread: u32) -> Vec<Expr> {
        let locals = self.system.locals.iter().enumerate();
        let locals = locals.filter(|(_, it)| it.procedure == procedure);
        locals.map(|(l, _)| say::local(self.system, l, thread)).collect()
    }

    /// What could be said of globals.
    fn globals(&self) -> Sayings<'s> {
        let mut all = self.sayings();
        let globals = self.all_globals();
        let (own, constants) = (globals.as_slice(), &self.constants);
        let atoms = Values { own, others: &[], thread: None, constants }.atoms();
        let known = self.tests.iter().filter(|it| threads_of(it).is_some_and(|it| it.is_empty()));
        for atom in known.chain(&regions(self.system)) {
            all.add(0, None, atom.clone());
        }
        all.put_atoms(0, &atoms);
        let (guards, plain) = (guards(own, None), plain(&atoms));
        all.under(2, &guards, &plain);
        all
    }

    /// What could be said of a thread in a procedure.
    fn one(&self, procedure: ProcId) -> Sayings<'s> {
        let mut all = self.sayings();
        let (locals, globals) = (self.locals(procedure, 0), self.all_globals());
        let mut own = locals.clone();
        own.push(say::thread(0));
        let constants = &self.constants;
        let thread = Some(say::thread(0));
        let about = Values { own: &own, others: &globals, thread: thread.clone(), constants };
        let about = about.atoms();
        let of_globals = Values { own: &globals, others: &[], thread, constants }.atoms();
        let known: Vec<Expr> = self
            .tests
            .iter()
            .filter(|it| threads_of(it).is_some_and(|it| it.iter().all(|it| *it == 0)))
            .filter(|it| self.visible(it, procedure))
            .cloned()
            .collect();
        for atom in &known {
            all.add(1, None, atom.clone());
        }
        all.put_atoms(1, &about);
        all.put_atoms(2, &of_globals);
        let both: Vec<Expr> = locals.iter().chain(&globals).cloned().collect();
        let guards = guards(&both, Some(&say::thread(0)));
        let mut atoms = plain(&about);
        atoms.extend(plain(&of_globals));
        all.under(3, &guards, &atoms);
        all
    }

    /// What could be said of two threads in two procedures.
    fn two(&self, first: ProcId, second: ProcId) -> Sayings<'s> {
        let mut all = self.sayings();
        let (mine, theirs) = (self.locals(first, 0), self.locals(second, 1));
        let mut atoms: Vec<Expr> = Vec::new();
        let mut distant: Vec<Expr> = Vec::new();
        for x in &mine {
            for y in &theirs {
                let same = is_same(x, y);
                match (x.ty, y.ty) {
                    (Type::Scalar(Scalar::Int), ty) if ty == x.ty && same => {
                        atoms.push(say::binary(Operator::NotEqual, x, y));
                        for operator in [Operator::Less, Operator::LessEqual] {
                            atoms.push(say::binary(operator, x, y));
                        }
                    }
                    (Type::Scalar(Scalar::Addr | Scalar::Tid | Scalar::Elem), ty)
                        if ty == x.ty && same =>
                    {
                        atoms.push(say::binary(Operator::NotEqual, x, y));
                    }
                    (Type::Scalar(Scalar::Addr | Scalar::Int), ty) if ty == x.ty => {
                        distant.push(say::binary(Operator::NotEqual, x, y));
                    }
                    _ => {}
                }
            }
        }
        for global in self.all_globals() {
            if global.ty == Type::Scalar(Scalar::Tid) {
                let is = [0, 1].map(|it| say::binary(Operator::Equal, &global, &say::thread(it)));
                all.add(3, None, say::binary(Operator::Or, &is[0], &is[1]));
                for is in is {
                    all.add(3, None, say::not(&is));
                    all.add(3, None, is);
                }
            }
        }
        let known = self.tests.iter().filter(|it| threads_of(it).is_some_and(|it| it.len() == 2));
        for atom in known.filter(|it| self.fits(it, first, second)) {
            all.add(2, None, atom.clone());
        }
        for atom in &atoms {
            all.add(2, None, atom.clone());
        }
        for atom in &distant {
            all.add(if first == second { 3 } else { 4 }, None, atom.clone());
        }
        atoms.append(&mut distant);
        let truths = |of: &[Expr]| -> Vec<Expr> {
            let all = of.iter().filter(|it| it.ty == Type::Bool);
            all.flat_map(|it| [it.clone(), say::not(it)]).collect()
        };
        let (mine, theirs) = (truths(&mine), truths(&theirs));
        let mut guards: Vec<Expr> = mine.iter().chain(&theirs).cloned().collect();
        for x in &mine {
            let like = theirs.iter().filter(|y| is_same(x, y));
            guards.extend(like.map(|y| say::binary(Operator::And, x, y)));
        }
        atoms.push(say::never());
        all.under(4, &guards, &atoms);
        all
    }

    /// Whether all locals of a formula can be seen in a procedure.
    fn visible(&self, formula: &Expr, procedure: ProcId) -> bool {
        variables(formula).into_iter().all(|it| match it {
            Variable::Global(_) => true,
            Variable::Local(id) => {
                let of = self.system.locals[id.0 as usize].procedure;
                of == procedure || of == ProcId(0)
            }
        })
    }

    /// Whether the locals of `i` can be seen in one procedure, and those of `j` in another.
    fn fits(&self, formula: &Expr, first: ProcId, second: ProcId) -> bool {
        let mut fits = true;
        formula.walk(&mut |it| {
            if let ExprKind::Local(id, Thread::Index(place)) = it.kind {
                let of = self.system.locals[id.0 as usize].procedure;
                fits &= of == if place == 0 { first } else { second } || of == ProcId(0);
            }
        });
        fits
    }
}

/// Whether two formulas are the same but for their threads.
fn is_same(x: &Expr, y: &Expr) -> bool {
    let one = |it: &Expr| say::with_threads(it, &|_| Thread::Index(0));
    one(x) == one(y)
}

/// Conditions: truth values, who a global thread is, whether a set is empty.
fn guards(values: &[Expr], thread: Option<&Expr>) -> Vec<Expr> {
    let mut all = Vec::new();
    for value in values {
        match value.ty {
            Type::Bool => all.extend([value.clone(), say::not(value)]),
            Type::Scalar(Scalar::Tid) => {
                let nobody = say::constant(Scalar::Tid, ExprKind::Nobody);
                let free = say::binary(Operator::Equal, value, &nobody);
                all.push(say::not(&free));
                if let Some(thread) = thread {
                    let mine = say::binary(Operator::Equal, value, thread);
                    all.extend([say::not(&mine), mine]);
                }
                all.push(free);
            }
            Type::Set(Scalar::Tid) => {
                let empty = say::binary(Operator::Equal, value, &say::set(Scalar::Tid, vec![]));
                all.extend([say::not(&empty), empty]);
            }
            _ => {}
        }
    }
    all
}

/// What is said under conditions: nothing that compares by order, which is too much.
fn plain(atoms: &[Expr]) -> Vec<Expr> {
    let wanted = |it: &&Expr| match &it.kind {
        ExprKind::Binary(Operator::Less | Operator::LessEqual, ..)
        | ExprKind::Reach(..)
        | ExprKind::Ordered(..) => false,
        ExprKind::Binary(Operator::Equal | Operator::NotEqual, left, right) => {
            left.ty != Type::Scalar(Scalar::Elem)
                && !(is_field(left) && is_field(right))
                && left.ty != Type::Bool
        }
        _ => true,
    };
    atoms.iter().filter(wanted).cloned().collect()
}

/// What seldom holds, or seldom helps: that a neighbour is not this or that, how elements of two
/// cells compare.
fn is_rare(atom: &Expr) -> bool {
    match &atom.kind {
        ExprKind::Binary(operator, left, right) => {
            let (x, y) = (is_field(left), is_field(right));
            let ends = |it: &Expr| matches!(it.kind, ExprKind::Lowest | ExprKind::Highest);
            match operator {
                _ if x && y => true,
                Operator::NotEqual | Operator::LessEqual if x || y => {
                    !matches!(right.kind, ExprKind::Null)
                }
                Operator::Equal if x || y => ends(left) || ends(right),
                Operator::In => x,
                _ => false,
            }
        }
        ExprKind::Not(inner) => is_rare(inner),
        ExprKind::Reach(..) => true,
        _ => false,
    }
}

fn is_field(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Field(..))
}

/// Constants that the program and its goals compare with or assign.
fn constants(system: &System) -> BTreeSet<i64> {
    let mut found = BTreeSet::from([0]);
    let mut visit = |expr: &Expr| {
        if let ExprKind::Int(value) = expr.kind {
            found.insert(value);
        }
    };
    for procedure in &system.procedures {
        procedure.body.iter().for_each(|it| it.walk(&mut visit));
    }
    for invariant in &system.invariants {
        invariant.conjuncts.iter().for_each(|it| it.formula.walk(&mut visit));
    }
    found.into_iter().take(6).collect()
}

/// What the program tests, what it assumes, and what the goals are made of; `me` is `i`.
fn tests(system: &System) -> Vec<Expr> {
    let mut found = Vec::new();
    let conjuncts = system.invariants.iter().flat_map(|it| &it.conjuncts);
    conjuncts.for_each(|it| literals(&it.formula, &mut found));
    for assumption in &system.assumptions {
        literals(assumption, &mut found);
    }
    let mut visit = |expr: &Expr| {
        if expr.ty == Type::Bool {
            let mine = |it| if it == Thread::Me { Thread::Index(0) } else { it };
            literals(&say::with_threads(expr, &mine), &mut found);
        }
    };
    for procedure in &system.procedures {
        procedure.body.iter().for_each(|it| it.walk(&mut visit));
    }
    found
        .into_iter()
        .filter(|it| threads_of(it).is_some_and(|it| it.len() <= 2))
        .flat_map(normal)
        .collect()
}

/// With `i`, or with `i` and `j`, as its threads: both ways.
fn normal(formula: Expr) -> Vec<Expr> {
    let threads = threads_of(&formula).unwrap_or_default();
    let threads: Vec<u32> = threads.into_iter().collect();
    let named = |all: [u32; 2]| {
        let to = |it: Thread| match it {
            Thread::Index(place) => {
                let place = threads.iter().position(|it| *it == place).unwrap_or(0);
                Thread::Index(all[place.min(1)])
            }
            other => other,
        };
        say::with_threads(&formula, &to)
    };
    match threads.len() {
        0 | 1 => vec![named([0, 1])],
        _ => vec![named([0, 1]), named([1, 0])],
    }
}
