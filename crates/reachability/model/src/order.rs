//! The order of events: literals `t < u`, and what makes them an order.
//!
//! Which event comes before which is told by strict inequalities between the times of transitions.
//! They occur only positively in the formula, so that "not before" need not be told from "after":
//! one symbol for each unordered pair is enough, its negation is the other direction (section 5 of
//! the paper). Two ways make the symbols an order: [`eliminate`] adds triangles beforehand,
//! [`lazy`](find_cycles) adds the cycles that turn up in solutions.
//!
//! What is known of the order from the net alone ([`StaticOrder`]) is no symbol but a constant.
//! *Why this is allowed.* The static order says: if `u` occurs, then `t` has occurred before. Let
//! an execution be given, with events E. Give times to the events as they occur, and later times to
//! all other transitions, those among themselves in an order that agrees with the static one (it is
//! a strict partial order on all transitions that are not dead). Then `t < u` holds for every
//! static pair: if `u` is an event, because `t` is an earlier one; if `u` is none but `t` is,
//! because `u` comes after all events; if neither is, by the choice of the rest. And (21) holds as
//! in the paper, which wants no more than that transitions that do not occur come last. So the
//! static pairs can be added to the formula as facts, and be replaced by constants. Conversely, a
//! solution of the formula with these facts is a solution of the formula without.

mod elim;
mod lazy;
mod stat;

pub use self::elim::{Elimination, Triangle, eliminate};
pub use self::lazy::find_cycles;
pub use self::stat::StaticOrder;

use crate::formula::{FALSE, Formula, Part, TRUE};
use crate::ids::TransitionId;
use rustc_hash::{FxHashMap, FxHashSet};
use ser_clausal::Lit;

/// The first transition comes before the second.
pub type Inequality = (TransitionId, TransitionId);

/// The order literals made so far.
#[derive(Default)]
pub struct Order {
    /// For a pair with the smaller one in front: whether it comes first.
    symbols: FxHashMap<(TransitionId, TransitionId), Lit>,
    /// The inequalities that occur in the formula, in the order in which they were asked for.
    asked: Vec<Inequality>,
    seen: FxHashSet<Inequality>,
    triangles: FxHashSet<Triangle>,
}

impl Order {
    /// The literal `before < after` for the formula, where it has to stand positively.
    pub fn before(
        &mut self,
        formula: &mut Formula,
        known: &StaticOrder,
        before: TransitionId,
        after: TransitionId,
    ) -> Lit {
        let lit = self.symbol(formula, known, (before, after));
        if lit != TRUE && lit != FALSE && self.seen.insert((before, after)) {
            self.asked.push((before, after));
        }
        lit
    }

    fn symbol(
        &mut self,
        formula: &mut Formula,
        known: &StaticOrder,
        (before, after): Inequality,
    ) -> Lit {
        if before == after || known.is_before(after, before) {
            return FALSE;
        }
        if known.is_before(before, after) {
            return TRUE;
        }
        let key = (before.min(after), before.max(after));
        let symbol = *self.symbols.entry(key).or_insert_with(|| {
            let part = formula.set_part(Part::Order);
            let lit = formula.new_lit();
            formula.set_part(part);
            lit
        });
        if before < after { symbol } else { !symbol }
    }

    /// The inequalities in the formula.
    pub fn inequalities(&self) -> &[Inequality] {
        &self.asked
    }

    pub fn symbols(&self) -> usize {
        self.symbols.len()
    }

    pub fn triangles(&self) -> usize {
        self.triangles.len()
    }

    /// Fixes the symbols of pairs whose order has become known since they were made.
    pub fn settle(&mut self, formula: &mut Formula, known: &StaticOrder) {
        let mut settled: Vec<Lit> = Vec::new();
        for ((t, u), symbol) in &self.symbols {
            if known.is_before(*t, *u) {
                settled.push(*symbol);
            } else if known.is_before(*u, *t) {
                settled.push(!*symbol);
            }
        }
        settled.sort_unstable();
        for lit in settled {
            formula.clause(&[lit]);
        }
    }

    /// Adds triangles that are not there yet: they hold in every order, so that it does no harm to
    /// have those of several eliminations.
    pub fn add(&mut self, formula: &mut Formula, known: &StaticOrder, triangles: &[Triangle]) {
        let part = formula.set_part(Part::Order);
        for triangle in triangles {
            if self.triangles.insert(*triangle) {
                let [a, s, b] = triangle.corners();
                let first = self.symbol(formula, known, (s, a));
                let second = self.symbol(formula, known, (b, s));
                let third = self.symbol(formula, known, (a, b));
                formula.clause(&[first, second, third]);
            }
        }
        formula.set_part(part);
    }

    /// Not all of these inequalities, which go round in a cycle.
    pub fn forbid(&mut self, formula: &mut Formula, known: &StaticOrder, cycle: &[Inequality]) {
        let part = formula.set_part(Part::Order);
        let clause: Vec<Lit> = cycle.iter().map(|it| !self.symbol(formula, known, *it)).collect();
        formula.clause(&clause);
        formula.set_part(part);
    }
}
