//! A propositional solver for formulas over atoms, to which axioms can be added.
//!
//! Formulas become clauses (after Plaisted and Greenbaum: a part that occurs with one sign needs
//! the clauses for one direction only). Where threads are is known to the solver itself: sets of
//! locations of one thread that exclude or contain one another are related as soon as they are
//! mentioned, and whatever else is impossible is found by [`Ground::misplaced`].

use super::instantiate::Step;
use crate::logic::{Atom, AtomId, Formula, Logic, Node, Sort, Term, TermRef};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::Limits;
use ser_invariance_checker::Lemma;
use ser_invariance_checker::axiom::Axioms;
use ser_invariance_checker::environment::Heap;
use ser_sat::{Answer, BatSat, Lit, Solver};
use ser_syntax::inv::ast::{LocId, ProcId, Scalar};

/// What is the same for all conditions of a system.
#[derive(Clone, Debug)]
pub struct Places {
    /// How many locations there are.
    pub locations: u32,
    /// The calls of each procedure that has several.
    pub sites: Vec<(ProcId, Vec<LocId>)>,
}

pub struct Ground<'a> {
    /// Terms, atoms, formulas.
    pub logic: &'a mut Logic,
    /// The heap versions of the path.
    pub heap: &'a Heap,
    places: &'a Places,
    solver: BatSat,
    truth: Lit,
    /// For each node its literal, and for which signs there are clauses.
    nodes: FxHashMap<u32, (Lit, [bool; 2])>,
    literals: FxHashMap<AtomId, Lit>,
    /// The atoms that are there, in the order of their appearance.
    pub atoms: Vec<AtomId>,
    at: FxHashMap<u32, Vec<AtomId>>,
    /// The terms that are there.
    pub terms: Vec<TermRef>,
    /// The same, as a set.
    pub in_play: FxHashSet<TermRef>,
    /// Numbers that sets may contain.
    pub members: Vec<TermRef>,
    seen_members: FxHashSet<TermRef>,
    lemmas: FxHashSet<Lemma>,
    /// What lemmas say that were looked at: most are looked at in every round.
    says: FxHashMap<Lemma, Vec<Formula>>,
}

impl<'a> Ground<'a> {
    /// Without clauses.
    pub fn new(logic: &'a mut Logic, heap: &'a Heap, places: &'a Places) -> Ground<'a> {
        let mut solver = BatSat::new(false);
        let truth = solver.new_variable();
        solver.add_clause(&[truth]);
        Ground {
            logic,
            heap,
            places,
            solver,
            truth,
            nodes: FxHashMap::default(),
            literals: FxHashMap::default(),
            atoms: Vec::new(),
            at: FxHashMap::default(),
            terms: Vec::new(),
            in_play: FxHashSet::default(),
            members: Vec::new(),
            seen_members: FxHashSet::default(),
            lemmas: FxHashSet::default(),
            says: FxHashMap::default(),
        }
    }

    /// One more formula that holds.
    pub fn assert(&mut self, f: Formula) {
        self.assert_unless(None, f);
    }

    /// A formula that holds if a new variable does; the variable.
    pub fn assert_if(&mut self, formulas: &[Formula]) -> Lit {
        let selector = self.solver.new_variable();
        for f in formulas {
            self.assert_unless(Some(!selector), *f);
        }
        selector
    }

    fn assert_unless(&mut self, unless: Option<Lit>, f: Formula) {
        let parts = match self.logic.node(f) {
            Node::And(parts) if !f.is_negated() => parts.clone(),
            _ => vec![f],
        };
        for part in parts {
            let mut clause: Vec<Lit> = unless.into_iter().collect();
            match self.logic.node(part) {
                Node::And(inner) if part.is_negated() => {
                    for inner in inner.clone() {
                        clause.push(self.literal(!inner));
                    }
                }
                _ => clause.push(self.literal(part)),
            }
            self.solver.add_clause(&clause);
        }
    }

    /// The literal of a formula that is used with this sign.
    fn literal(&mut self, f: Formula) -> Lit {
        let sign = usize::from(f.is_negated());
        let (lit, done) = match self.nodes.get(&f.node()) {
            Some(known) => *known,
            None => {
                let known = match self.logic.node(f).clone() {
                    Node::Atom(atom) => (self.atom(atom), [true, true]),
                    Node::And(parts) if parts.is_empty() => (self.truth, [true, true]),
                    Node::And(_) => (self.solver.new_variable(), [false, false]),
                };
                self.nodes.insert(f.node(), known);
                known
            }
        };
        if !done[sign] {
            if let Some(entry) = self.nodes.get_mut(&f.node()) {
                entry.1[sign] = true;
            }
            if let Node::And(parts) = self.logic.node(f).clone() {
                if f.is_negated() {
                    // Not all of them, if it is false.
                    let mut clause = vec![lit];
                    for part in parts {
                        clause.push(self.literal(!part));
                    }
                    self.solver.add_clause(&clause);
                } else {
                    for part in parts {
                        let part = self.literal(part);
                        self.solver.add_clause(&[!lit, part]);
                    }
                }
            }
        }
        if f.is_negated() { !lit } else { lit }
    }

    /// Makes sure that all atoms of a formula have values from now on.
    pub fn ensure(&mut self, f: Formula) {
        match self.logic.node(f).clone() {
            Node::Atom(atom) => {
                self.atom(atom);
            }
            Node::And(parts) => parts.into_iter().for_each(|part| self.ensure(part)),
        }
    }

    fn atom(&mut self, id: AtomId) -> Lit {
        if let Some(known) = self.literals.get(&id) {
            return *known;
        }
        // What is in a set, reached, or equal for no reason calls for witnesses that nobody needs.
        let lit = match self.logic.atom(id) {
            Atom::In(..) | Atom::Reach(..) | Atom::Equal(..) | Atom::Ordered(..) => {
                self.solver.new_reluctant_variable()
            }
            _ => self.solver.new_variable(),
        };
        self.literals.insert(id, lit);
        self.atoms.push(id);
        match self.logic.atom(id).clone() {
            Atom::Bool(_) => {}
            Atom::At(block, _) => self.place(id, lit, block),
            Atom::Site(procedure, block, _) => self.sites(procedure, block),
            Atom::Equal(x, y) | Atom::Le(x, y) | Atom::Subset(x, y) | Atom::Same(x, y) => {
                self.play(x);
                self.play(y);
            }
            Atom::In(x, s) => {
                self.play(x);
                self.play(s);
                if self.logic.sort(x) == Sort::One(Scalar::Int) {
                    self.member(x);
                }
            }
            Atom::Ge(x) | Atom::Some(x) => self.play(x),
            Atom::Reach(_, cut, x, y) => {
                self.play(x);
                self.play(y);
                self.logic.cut(cut).to_vec().into_iter().for_each(|t| self.play(t));
            }
            Atom::Ordered(_, x, y) => {
                self.play(x);
                self.play(y);
            }
        }
        lit
    }

    fn member(&mut self, t: TermRef) {
        if self.seen_members.insert(t) {
            self.members.push(t);
        }
    }

    fn play(&mut self, t: TermRef) {
        if !self.in_play.insert(t) {
            return;
        }
        self.terms.push(t);
        for inner in self.logic.term(t).parts() {
            self.play(inner);
        }
        match *self.logic.term(t) {
            Term::Singleton(u) if self.logic.sort(u) == Sort::One(Scalar::Int) => self.member(u),
            Term::Min(_) | Term::Max(_) => self.member(t),
            Term::Differ(..) | Term::Outside(..)
                if self.logic.sort(t) == Sort::One(Scalar::Int) =>
            {
                self.member(t);
            }
            _ => {}
        }
    }

    /// Whether a term is mentioned.
    pub fn has_term(&self, t: TermRef) -> bool {
        self.in_play.contains(&t)
    }

    /// A new atom about where a thread is: relates it to the others about the same thread.
    fn place(&mut self, id: AtomId, lit: Lit, block: u32) {
        let others = self.at.entry(block).or_default().clone();
        let mine = self.places_of(id);
        if mine.len() == self.places.locations as usize {
            self.solver.add_clause(&[lit]);
        }
        for other in others {
            let theirs = self.places_of(other);
            let lit_of = self.literals[&other];
            let common = mine.iter().filter(|it| theirs.binary_search(it).is_ok()).count();
            if common == 0 {
                self.solver.add_clause(&[!lit, !lit_of]);
                if mine.len() + theirs.len() == self.places.locations as usize {
                    self.solver.add_clause(&[lit, lit_of]);
                }
            } else if common == mine.len() {
                self.solver.add_clause(&[!lit, lit_of]);
            } else if common == theirs.len() {
                self.solver.add_clause(&[lit, !lit_of]);
            }
        }
        self.at.entry(block).or_default().push(id);
    }

    fn places_of(&self, id: AtomId) -> Vec<LocId> {
        match self.logic.atom(id) {
            Atom::At(_, set) => self.logic.locations(*set).to_vec(),
            _ => Vec::new(),
        }
    }

    fn sites(&mut self, procedure: ProcId, block: u32) {
        let sites = self.places.sites.iter().find(|(it, _)| *it == procedure);
        let sites = sites.map(|(_, calls)| calls.clone()).unwrap_or_default();
        let mut lits = Vec::new();
        for call in &sites {
            let id = self.logic.atom_id(Atom::Site(procedure, block, *call));
            // All at once: those that are there already did this.
            let fresh = !self.literals.contains_key(&id);
            let lit = if fresh { self.solver.new_variable() } else { self.literals[&id] };
            if fresh {
                self.literals.insert(id, lit);
                self.atoms.push(id);
            }
            lits.push(lit);
        }
        self.solver.add_clause(&lits);
        for (place, lit) in lits.iter().enumerate() {
            for other in &lits[..place] {
                self.solver.add_clause(&[!*lit, !*other]);
            }
        }
    }

    /// Remembers a lemma.
    pub fn note(&mut self, lemma: &Lemma) {
        self.lemmas.insert(lemma.clone());
    }

    /// A lemma as a step.
    pub fn step(&mut self, lemma: Lemma) -> Step {
        Step { says: self.say(&lemma), lemmas: vec![lemma] }
    }

    /// What a lemma says: all of these formulas, which are clauses up to memberships.
    pub fn say(&mut self, lemma: &Lemma) -> Vec<Formula> {
        if let Some(known) = self.says.get(lemma) {
            return known.clone();
        }
        let clauses = Axioms { logic: self.logic, heap: self.heap }.clauses(lemma);
        debug_assert!(clauses.is_ok(), "{lemma:?}: {clauses:?}");
        let clauses = clauses.unwrap_or_default().into_iter();
        let says: Vec<Formula> = clauses.map(|clause| self.logic.or(clause)).collect();
        self.says.insert(lemma.clone(), says.clone());
        says
    }

    /// Whether a lemma was noted.
    pub fn has_lemma(&self, lemma: &Lemma) -> bool {
        self.lemmas.contains(lemma)
    }

    /// Looks for a solution.
    pub fn solve(&mut self, assumptions: &[Lit], limits: &Limits) -> Answer {
        self.solver.solve(assumptions, limits)
    }

    /// Assumptions that were enough for there to be no solution.
    pub fn core(&self) -> Vec<Lit> {
        self.solver.core()
    }

    /// The value of an atom in the solution; nothing if nobody asked for the atom.
    pub fn value(&self, id: AtomId) -> Option<bool> {
        self.literals.get(&id).map(|lit| self.solver.value(*lit))
    }

    /// The value of a formula in the solution; nothing if it depends on atoms that nobody asked
    /// for.
    pub fn eval(&self, f: Formula) -> Option<bool> {
        let positive = match self.logic.node(f) {
            Node::Atom(atom) => self.value(*atom),
            Node::And(parts) => {
                let mut result = Some(true);
                for part in parts {
                    match self.eval(*part) {
                        Some(true) => {}
                        Some(false) => {
                            result = Some(false);
                            break;
                        }
                        None => result = None,
                    }
                }
                result
            }
        };
        positive.map(|value| value != f.is_negated())
    }

    /// Where a thread can be in the solution.
    pub fn whereabouts(&self, block: u32) -> Vec<LocId> {
        let mut all: Vec<LocId> = (0..self.places.locations).map(LocId).collect();
        for id in self.at.get(&block).into_iter().flatten() {
            let places = self.places_of(*id);
            let inside = self.value(*id) == Some(true);
            all.retain(|it| places.binary_search(it).is_ok() == inside);
        }
        all
    }

    /// Excludes a solution in which some thread is nowhere; whether there was one.
    pub fn misplaced(&mut self) -> bool {
        let blocks: Vec<u32> = self.at.keys().copied().collect();
        let mut found = false;
        for block in blocks {
            if !self.whereabouts(block).is_empty() {
                continue;
            }
            found = true;
            // Those that are needed for this, greedily.
            let mut used = self.at[&block].clone();
            let nowhere = |used: &[AtomId]| {
                (0..self.places.locations).map(LocId).all(|location| {
                    used.iter().any(|id| {
                        let inside = self.places_of(*id).binary_search(&location).is_ok();
                        Some(inside) != self.value(*id)
                    })
                })
            };
            let mut place = 0;
            while place < used.len() {
                let mut fewer = used.clone();
                fewer.remove(place);
                if nowhere(&fewer) {
                    used = fewer;
                } else {
                    place += 1;
                }
            }
            let clause: Vec<Lit> = used
                .iter()
                .map(|id| {
                    let lit = self.literals[id];
                    if self.solver.value(lit) { !lit } else { lit }
                })
                .collect();
            self.solver.add_clause(&clause);
        }
        found
    }
}
