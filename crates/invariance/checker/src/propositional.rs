//! Whether formulas have no propositional solution: clauses, a solver, and the check of its proof.
//!
//! Every node of a formula becomes a variable that says the same as the node; what is asserted
//! becomes clauses. Atoms are free, but for locations and sites: each thread is at exactly one
//! location. Locations that no atom of the formula tells apart are one *class*, so that there are
//! few variables.
//!
//! Unit propagation alone decides most cases ([`check_clausal`] with nothing learnt). For the
//! others a solver is asked, and what it has learnt is checked; it need not be trusted.

use crate::axiom::Clause;
use crate::logic::{Atom, Formula, Logic, Node};
use crate::rejection::Reason;
use rustc_hash::FxHashMap;
use ser_base::Limits;
use ser_clausal::{ClausalError, check_clausal};
use ser_sat::{Answer, BatSat, Lit, Solver};
use ser_syntax::inv::ast::{LocId, ProcId};
use std::collections::BTreeMap;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// There is no solution: a formula is `false`, or unit propagation finds a contradiction.
    Propagation,
    /// There is none, by search.
    Search,
    /// There is one.
    Solution,
}

/// What values locations and sites can have.
pub(crate) struct Domain<'a> {
    /// How many locations there are.
    pub locations: usize,
    /// The calls of each procedure.
    pub calls: &'a [Vec<LocId>],
}

/// Whether formulas and clauses have a solution together.
pub(crate) fn refute(
    logic: &Logic,
    domain: &Domain<'_>,
    asserted: &[Formula],
    clauses: &[Clause],
    limits: &Limits,
) -> Result<Found, Reason> {
    let mut encoder =
        Encoder { logic, clauses: Vec::new(), numbers: FxHashMap::default(), last: 0 };
    for formula in asserted {
        if encoder.assert(*formula) {
            return Ok(Found::Propagation);
        }
    }
    for clause in clauses {
        encoder.clause(clause);
    }
    encoder.define();
    encoder.places(domain);
    let (clauses, variables) = (encoder.clauses, encoder.last);
    match check_clausal(&clauses, &[], &[], limits) {
        Ok(_) => return Ok(Found::Propagation),
        Err(ClausalError::NoContradiction { .. }) => {}
        Err(error) => return Err(clausal(error)),
    }
    let mut solver = BatSat::new(true);
    for _ in 0..variables {
        solver.new_variable();
    }
    let mut buffer = Vec::new();
    for clause in &clauses {
        buffer.clear();
        buffer.extend(clause.iter().copied().filter_map(Lit::from_dimacs));
        solver.add_clause(&buffer);
    }
    match solver.solve(&[], limits) {
        Answer::Sat => Ok(Found::Solution),
        Answer::Unknown(stop) => Err(stop.into()),
        Answer::Unsat => {
            let learnt = solver.learnt().unwrap_or_default().iter();
            let dimacs = |clause: &Vec<Lit>| clause.iter().map(|lit| lit.dimacs()).collect();
            let learnt: Vec<Vec<i32>> = learnt.map(dimacs).collect();
            check_clausal(&clauses, &[], &learnt, limits).map_err(clausal)?;
            Ok(Found::Search)
        }
    }
}

fn clausal(error: ClausalError) -> Reason {
    match error {
        ClausalError::Stopped(stop) => stop.into(),
        error => Reason::Clausal { what: error.to_string() },
    }
}

/// The variable of an atom that says where a thread is.
type Known<'a> = (i32, &'a [LocId]);

struct Encoder<'a> {
    logic: &'a Logic,
    clauses: Vec<Vec<i32>>,
    /// The variable of a node.
    numbers: FxHashMap<u32, i32>,
    last: i32,
}

impl Encoder<'_> {
    fn new_variable(&mut self) -> i32 {
        self.last += 1;
        self.last
    }

    fn literal(&mut self, formula: Formula) -> i32 {
        let number = match self.numbers.get(&formula.node()) {
            Some(number) => *number,
            None => {
                let number = self.new_variable();
                self.numbers.insert(formula.node(), number);
                number
            }
        };
        if formula.is_negated() { -number } else { number }
    }

    /// Asserts a formula; whether it is `false`.
    fn assert(&mut self, formula: Formula) -> bool {
        let mut open = vec![formula];
        while let Some(formula) = open.pop() {
            match (self.logic.node(formula), formula.is_negated()) {
                (Node::And(parts), false) => open.extend(parts.iter().copied()),
                (Node::And(parts), true) if parts.is_empty() => return true,
                (Node::And(parts), true) => {
                    let clause = parts.iter().map(|part| self.literal(!*part)).collect();
                    self.clauses.push(clause);
                }
                (Node::Atom(_), _) => {
                    let literal = self.literal(formula);
                    self.clauses.push(vec![literal]);
                }
            }
        }
        false
    }

    /// Adds a disjunction.
    fn clause(&mut self, clause: &Clause) {
        if clause.contains(&Formula::TRUE) {
            return;
        }
        let parts = clause.iter().filter(|it| **it != Formula::FALSE);
        let clause = parts.map(|part| self.literal(*part)).collect();
        self.clauses.push(clause);
    }

    /// Says of every node that has a variable what it is.
    fn define(&mut self) {
        let mut open: Vec<(u32, i32)> =
            self.numbers.iter().map(|(node, it)| (*node, *it)).collect();
        // In the order of their variables, whatever the order of the map is.
        open.sort_unstable_by_key(|(_, number)| -number);
        while let Some((node, number)) = open.pop() {
            let Node::And(parts) = self.logic.node(Formula::positive(node)) else { continue };
            let mut whole = vec![number];
            for part in parts {
                let before = self.last;
                let literal = self.literal(*part);
                if self.last > before {
                    open.push((part.node(), self.last));
                }
                self.clauses.push(vec![-number, literal]);
                whole.push(-literal);
            }
            self.clauses.push(whole);
        }
    }

    /// Every thread is at exactly one location, and every procedure was called from exactly one
    /// call.
    fn places(&mut self, domain: &Domain<'_>) {
        let logic = self.logic;
        let mut at: BTreeMap<u32, Vec<Known<'_>>> = BTreeMap::new();
        let mut sites: BTreeMap<(u32, ProcId), BTreeMap<LocId, i32>> = BTreeMap::new();
        for (node, number) in &self.numbers {
            let Node::Atom(atom) = logic.node(Formula::positive(*node)) else { continue };
            match logic.atom(*atom) {
                Atom::At(block, locations) => {
                    let locations = logic.locations(*locations);
                    at.entry(*block).or_default().push((*number, locations));
                }
                Atom::Site(procedure, block, call) => {
                    sites.entry((*block, *procedure)).or_default().insert(*call, *number);
                }
                _ => {}
            }
        }
        for (_, mut atoms) in at {
            atoms.sort_unstable();
            self.locations(domain.locations, &atoms);
        }
        for ((_, procedure), known) in sites {
            let calls = domain.calls.get(procedure.0 as usize).map_or(&[][..], Vec::as_slice);
            let all_known = calls.iter().all(|call| known.contains_key(call));
            let variables: Vec<i32> = known.into_values().collect();
            self.at_most_one(&variables);
            if all_known {
                self.clauses.push(variables);
            }
        }
    }

    /// A thread is at exactly one of the classes of locations.
    fn locations(&mut self, locations: usize, atoms: &[Known<'_>]) {
        if atoms.len() < 2 {
            // It is neither all nor none of the locations.
            return;
        }
        let mut marks = vec![Vec::new(); locations];
        for (place, (_, at)) in atoms.iter().enumerate() {
            for location in at.iter() {
                if let Some(marks) = marks.get_mut(location.0 as usize) {
                    marks.push(place);
                }
            }
        }
        let mut classes: BTreeMap<Vec<usize>, i32> = BTreeMap::new();
        for marks in marks {
            classes.entry(marks).or_insert_with(|| self.new_variable());
        }
        let variables: Vec<i32> = classes.values().copied().collect();
        self.at_most_one(&variables);
        self.clauses.push(variables);
        let mut members = vec![Vec::new(); atoms.len()];
        for (marks, class) in &classes {
            for place in marks {
                members[*place].push(*class);
                self.clauses.push(vec![-class, atoms[*place].0]);
            }
        }
        for ((number, _), mut members) in atoms.iter().zip(members) {
            members.push(-number);
            self.clauses.push(members);
        }
    }

    /// At most one of them. Many get a ladder: a variable for each place that says that one up to
    /// there is true. Whatever has at most one of them fits one way of setting the ladder, so
    /// nothing is excluded by it.
    fn at_most_one(&mut self, variables: &[i32]) {
        if variables.len() <= PAIRS {
            for (place, first) in variables.iter().enumerate() {
                for second in &variables[place + 1..] {
                    self.clauses.push(vec![-first, -second]);
                }
            }
            return;
        }
        let mut before: Option<i32> = None;
        for variable in variables {
            let rung = self.new_variable();
            self.clauses.push(vec![-variable, rung]);
            if let Some(before) = before {
                self.clauses.push(vec![-before, rung]);
                self.clauses.push(vec![-before, -variable]);
            }
            before = Some(rung);
        }
    }
}

/// Up to so many, all pairs are cheaper than a ladder.
const PAIRS: usize = 16;

#[cfg(test)]
mod tests;
