//! Which axioms does a propositional solution break?
//!
//! [`needed`] goes through the axioms and collects instances whose premises hold in the solution
//! and whose conclusion does not. If there are none, the solution is made into a model and compared
//! with it ([`differences`]). Atoms that nobody asked for have the value that follows from the
//! others: equal if the solution makes them equal, and otherwise false. So axioms are looked at for
//! one term of each class of equal terms only, and for terms about which something is asked. New
//! terms are made as witnesses only, and none for what is false: see `assumed` for why there are
//! not more and more of them.

mod concrete;
mod elements;
mod lists;
mod sets;

pub use concrete::{Differences, differences};
pub use elements::below;

use super::ground::Ground;
use crate::logic::{Atom, Field, Formula, Logic, Node, Sort, Term, TermRef};
use rustc_hash::FxHashMap;
use ser_invariance_checker::Lemma;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Something that is added: formulas, and the lemmas that they follow from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Step {
    /// What is said. It follows from the lemmas by propositional logic.
    pub says: Vec<Formula>,
    pub lemmas: Vec<Lemma>,
}

/// How far one looks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Care {
    /// At what is asked.
    Usual,
    /// Also where it is unlikely to matter.
    Thorough,
    /// Also, all ways are traced back to ways that leave none of the cells that any cut is about.
    Finest,
}

/// What the solution breaks, or what is needed to tell.
pub fn needed(ground: &mut Ground<'_>, care: Care) -> Vec<Step> {
    let classes = Classes::new(ground);
    let mut search = Search { ground, classes, care, steps: Vec::new() };
    search.equality();
    search.reads();
    search.order();
    if search.steps.is_empty() {
        search.sets();
        search.elements();
        search.lists();
    }
    search.steps
}

/// Terms that are equal in the solution.
struct Classes {
    /// One term of each class, for each term that is not alone.
    first: FxHashMap<TermRef, TermRef>,
    /// The equalities that hold.
    graph: Graph,
}

impl Classes {
    fn new(ground: &Ground<'_>) -> Classes {
        let mut pairs = Vec::new();
        for id in &ground.atoms {
            if let Atom::Equal(x, y) = *ground.logic.atom(*id)
                && ground.value(*id) == Some(true)
            {
                pairs.extend([(x, y), (y, x)]);
            }
        }
        let graph = Graph::new(pairs);
        let mut first: FxHashMap<TermRef, TermRef> = FxHashMap::default();
        for start in &graph.terms {
            if !first.contains_key(start) {
                let ways = graph.ways_from(*start);
                let reached = graph.terms.iter().zip(ways).filter(|(_, before)| before.is_some());
                first.extend(reached.map(|(term, _)| (*term, *start)));
            }
        }
        Classes { first, graph }
    }

    /// The term that stands for the class.
    fn of(&self, t: TermRef) -> TermRef {
        self.first.get(&t).copied().unwrap_or(t)
    }

    /// Whether two terms are equal.
    fn same(&self, x: TermRef, y: TermRef) -> bool {
        self.of(x) == self.of(y)
    }

    /// A shortest chain of equalities from one term to another of its class.
    fn chain(&self, x: TermRef, y: TermRef) -> Vec<TermRef> {
        self.graph.way(x, y).unwrap_or_else(|| vec![x, y])
    }
}

/// A relation between terms: which term leads to which, in one step.
struct Graph {
    /// Sorted.
    terms: Vec<TermRef>,
    /// For each term the places of those that it leads to, sorted.
    edges: Vec<Vec<usize>>,
}

impl Graph {
    fn new(mut pairs: Vec<(TermRef, TermRef)>) -> Graph {
        pairs.sort_unstable();
        pairs.dedup();
        let mut terms: Vec<TermRef> = pairs.iter().flat_map(|(x, y)| [*x, *y]).collect();
        terms.sort_unstable();
        terms.dedup();
        let mut graph = Graph { edges: vec![Vec::new(); terms.len()], terms };
        for (x, y) in pairs {
            if let (Some(x), Some(y)) = (graph.place(x), graph.place(y)) {
                graph.edges[x].push(y);
            }
        }
        graph
    }

    fn place(&self, term: TermRef) -> Option<usize> {
        self.terms.binary_search(&term).ok()
    }

    /// For each term that is reached from `x` in at least one step, the place of the one before it
    /// on a shortest way.
    fn ways_from(&self, x: TermRef) -> Vec<Option<usize>> {
        let mut before = vec![None; self.terms.len()];
        let mut open: VecDeque<usize> = self.place(x).into_iter().collect();
        while let Some(here) = open.pop_front() {
            for &next in &self.edges[here] {
                if before[next].is_none() {
                    before[next] = Some(here);
                    open.push_back(next);
                }
            }
        }
        before
    }

    /// The way from `x` to `y`, of all ways from `x`.
    fn way_in(&self, ways: &[Option<usize>], x: TermRef, y: TermRef) -> Option<Vec<TermRef>> {
        let mut way = vec![y];
        let mut at = y;
        while at != x {
            at = self.terms[ways[self.place(at)?]?];
            way.push(at);
        }
        way.reverse();
        Some(way)
    }

    /// The shortest way from `x` to `y`.
    fn way(&self, x: TermRef, y: TermRef) -> Option<Vec<TermRef>> {
        self.way_in(&self.ways_from(x), x, y)
    }
}

/// The search for broken axioms.
struct Search<'g, 'a> {
    ground: &'g mut Ground<'a>,
    classes: Classes,
    care: Care,
    steps: Vec<Step>,
}

/// Reasons for something: premises, negated, and the lemmas by which they lead to it.
#[derive(Clone, Default)]
struct Why {
    unless: Vec<Formula>,
    lemmas: Vec<Lemma>,
}

impl Search<'_, '_> {
    fn logic(&mut self) -> &mut Logic {
        self.ground.logic
    }

    fn atoms<R>(&self, pick: impl Fn(&Atom, bool) -> Option<R>) -> Vec<R> {
        let values = self.ground.atoms.iter().filter_map(|id| {
            let value = self.ground.value(*id)?;
            pick(self.ground.logic.atom(*id), value)
        });
        values.collect()
    }

    /// The terms of a sort that are mentioned.
    fn terms(&self, sort: Sort) -> Vec<TermRef> {
        let logic = &self.ground.logic;
        self.ground.terms.iter().copied().filter(|t| logic.sort(*t) == sort).collect()
    }

    /// One term of each class of a sort.
    fn representatives(&self, sort: Sort) -> Vec<TermRef> {
        let all: BTreeSet<TermRef> =
            self.terms(sort).into_iter().map(|t| self.classes.of(t)).collect();
        all.into_iter().collect()
    }

    /// A lemma that was not added before.
    fn say(&mut self, lemma: Lemma) {
        if !self.ground.has_lemma(&lemma) {
            self.ground.note(&lemma);
            let mut says = self.ground.say(&lemma);
            // Nothing is said about the successor of a cell if nobody speaks of it.
            if let Lemma::ReachUnfold(heap, _, x, _) = lemma {
                let next = self.logic().read(Field::Next, heap, x);
                if !self.ground.has_term(next) {
                    says.pop();
                }
            }
            self.steps.push(Step { says, lemmas: vec![lemma] });
        }
    }

    /// A lemma, unless all that it says is so already.
    fn say_if_broken(&mut self, lemma: Lemma) {
        if self.ground.has_lemma(&lemma) {
            return;
        }
        let says = self.ground.say(&lemma);
        if says.into_iter().any(|f| self.ground.eval(f) != Some(true)) {
            self.say(lemma);
        }
    }

    /// A conclusion from premises.
    fn conclude(&mut self, why: Why, goal: Formula) {
        let mut clause = why.unless;
        clause.push(goal);
        let clause = self.logic().or(clause);
        if clause != Formula::TRUE {
            self.steps.push(Step { says: vec![clause], lemmas: why.lemmas });
        }
    }

    /// Why two terms are equal.
    fn why_equal(&mut self, x: TermRef, y: TermRef, why: &mut Why) {
        if x == y {
            return;
        }
        let chain = self.classes.chain(x, y);
        for pair in chain.windows(2) {
            let equal = self.logic().equal(pair[0], pair[1]);
            why.unless.push(!equal);
        }
        if let [x, rest @ ..] = chain.as_slice() {
            for pair in rest.windows(2) {
                why.lemmas.push(Lemma::Transitive(*x, pair[0], pair[1]));
            }
        }
    }

    /// What an atom is worth if nobody asked for it.
    fn truth(&self, f: Formula) -> bool {
        let logic = &self.ground.logic;
        let positive = match logic.node(f) {
            Node::And(parts) => parts.iter().all(|part| self.truth(*part)),
            Node::Atom(id) => match (self.ground.value(*id), logic.atom(*id)) {
                (Some(value), _) => value,
                (None, Atom::Equal(x, y)) => self.classes.same(*x, *y),
                (None, Atom::In(u, s)) => {
                    let other = Atom::In(self.classes.of(*u), *s);
                    let other = logic.known_atom(&other);
                    other.and_then(|it| self.ground.value(it)).unwrap_or(false)
                }
                (None, Atom::Reach(heap, cut, x, y)) => {
                    let [x, y] = [*x, *y].map(|t| self.classes.of(t));
                    let other = logic.known_atom(&Atom::Reach(*heap, *cut, x, y));
                    x == y || other.and_then(|it| self.ground.value(it)).unwrap_or(false)
                }
                (None, _) => false,
            },
        };
        positive != f.is_negated()
    }

    fn equality(&mut self) {
        // Different, yet equal by way of others; among them constants.
        let mut pairs = self.atoms(|atom, value| match atom {
            Atom::Equal(x, y) if !value => Some((*x, *y)),
            _ => None,
        });
        let constant = |t: &Term| {
            matches!(t, Term::Thread(_) | Term::Nobody | Term::Null | Term::Lowest | Term::Highest)
        };
        let constants: Vec<TermRef> = self
            .ground
            .terms
            .iter()
            .copied()
            .filter(|t| constant(self.ground.logic.term(*t)))
            .collect();
        for (place, x) in constants.iter().enumerate() {
            let others = constants[..place].iter();
            let others =
                others.filter(|y| self.ground.logic.sort(*x) == self.ground.logic.sort(**y));
            pairs.extend(others.map(|y| (*x, *y)));
        }
        for (x, y) in pairs {
            if self.classes.same(x, y) {
                let mut why = Why::default();
                self.why_equal(x, y, &mut why);
                let goal = self.logic().equal(x, y);
                self.conclude(why, goal);
            }
        }
    }

    /// Congruence, reading what was written, and `null`.
    fn reads(&mut self) {
        let null = self.logic().null();
        let mut groups: BTreeMap<(Field, u32, TermRef), (TermRef, TermRef)> = BTreeMap::new();
        for t in self.ground.terms.clone() {
            let Some((field, heap, x)) = self.ground.logic.term(t).as_read() else { continue };
            if heap > 0 {
                self.say(Lemma::Read(field, heap, x));
            }
            if field != Field::Data && self.classes.same(x, null) {
                self.say(Lemma::OfNull(field, heap));
            }
            let class = self.classes.of(x);
            let (y, other) = *groups.entry((field, heap, class)).or_insert((x, t));
            if x != y && !self.classes.same(t, other) {
                self.say(Lemma::Congruent(field, heap, y, x));
            }
        }
    }
}
