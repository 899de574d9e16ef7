//! What is known of the states that runs reach, and that it is inductive.
//!
//! Facts are linear conditions of three kinds: on the global variables; on these and the variables
//! of a request i in some place; and on two requests i and j in two places. If both places are
//! *after*, then i has committed before j. A fact may be said of some states only, those in which
//! other conditions hold: *given* that the version is what i has seen, so is the value. A *count* says besides that a global variable is its
//! first value plus the amounts of the places of all requests in flight; as all amounts are
//! positive, or all negative, it is at least (at most) the sum of those that are looked at.
//!
//! *Theorem.* Suppose that the facts on global variables hold at first, and that every step keeps
//! all facts: of requests that it does not belong to, and of its own request in its new place, where
//! all facts are assumed for the state before, of all requests that are looked at. Then all facts
//! hold in every state that a run reaches. *Proof.* At first nobody is in flight, and counts hold
//! because the sum is empty. Each step belongs to one request. A fact speaks of at most two, so
//! that at most three are looked at. If both are after, then the order in which they committed does
//! not change; if one commits just now, it is the second. ∎
//!
//! Facts on locals of others, and of globals that a step does not write, need not be looked at.

use super::case::Case;
use super::state::{State, equal, take};
use crate::Reason;
use crate::meter::Meter;
use ser_model::{Linear, Literal, SymbolicNet, SymbolicStep, Var};
use std::collections::{BTreeMap, BTreeSet};

/// Facts by what they are about. `Var::Local(0, _)` are those of i, `Var::Local(1, _)` those of j.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// On global variables.
    pub general: Vec<Fact>,
    /// On a request in a place.
    pub one: BTreeMap<usize, Vec<Fact>>,
    /// On two requests in two places.
    pub two: BTreeMap<(usize, usize), Vec<Fact>>,
    pub counts: Vec<Counted>,
}

/// Where all conditions that are given hold, there is one more.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fact {
    pub given: Vec<Literal>,
    pub then: Literal,
}

impl From<Literal> for Fact {
    fn from(then: Literal) -> Fact {
        Fact { given: Vec::new(), then }
    }
}

impl Fact {
    /// All its conditions.
    pub fn literals(&self) -> impl Iterator<Item = &Literal> {
        self.given.iter().chain([&self.then])
    }

    /// Whether it holds where variables have these values; false if they are too large to tell.
    pub fn holds(&self, of: &dyn Fn(Var) -> i64) -> bool {
        let holds = |it: &Literal| Some(it.holds(it.form().value(of)?));
        let given = self.given.iter().map(holds).collect::<Option<Vec<bool>>>();
        given.is_some_and(|all| all.contains(&false)) || holds(&self.then) == Some(true)
    }
}

/// A global variable that is its first value plus the amounts of all requests in flight.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counted {
    pub variable: u32,
    pub first: i64,
    /// By place, all positive or all negative; 0 elsewhere.
    pub amounts: BTreeMap<usize, i64>,
}

/// One of the facts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FactId {
    General(usize),
    One(usize, usize),
    Two((usize, usize), usize),
    Count(usize),
}

/// Orders of three requests, first comes first, in which 0 comes before 1.
const ORDERS: [[usize; 3]; 3] = [[0, 1, 2], [0, 2, 1], [2, 0, 1]];

/// The request that takes the step.
const MOVER: usize = 2;

impl Facts {
    fn of_place(&self, place: usize) -> &[Fact] {
        self.one.get(&place).map_or(&[], Vec::as_slice)
    }

    /// The keys of the facts on two requests, with the requests that are i and j.
    fn pairs(
        state: &State,
        [a, b]: [usize; 2],
        after: &BTreeSet<usize>,
        order: &[usize],
    ) -> Vec<((usize, usize), [usize; 2])> {
        let (Some(p), Some(q)) = (state.place(a), state.place(b)) else { return Vec::new() };
        if !after.contains(&p) || !after.contains(&q) {
            return vec![((p, q), [a, b]), ((q, p), [b, a])];
        }
        let position = |number| order.iter().position(|it| *it == number);
        match position(a) < position(b) {
            true => vec![((p, q), [a, b])],
            false => vec![((q, p), [b, a])],
        }
    }

    /// Assumes all that is known of a state and of these requests in it. Those that are after have
    /// committed in this order.
    pub(super) fn assume(
        &self,
        case: &mut Case,
        state: &State,
        requests: &[usize],
        after: &BTreeSet<usize>,
        order: &[usize],
    ) {
        for fact in &self.general {
            state.assume(case, fact, [0, 0]);
        }
        for (at, a) in requests.iter().enumerate() {
            let Some(place) = state.place(*a) else { continue };
            for fact in self.of_place(place) {
                state.assume(case, fact, [*a, *a]);
            }
            for b in &requests[at + 1..] {
                for (key, roles) in Facts::pairs(state, [*a, *b], after, order) {
                    for fact in self.two.get(&key).into_iter().flatten() {
                        state.assume(case, fact, roles);
                    }
                }
            }
        }
        for count in &self.counts {
            case.assume(count.bound(state, requests));
        }
    }
}

impl Counted {
    fn amount(&self, place: Option<usize>) -> i64 {
        place.and_then(|it| self.amounts.get(&it)).copied().unwrap_or(0)
    }

    /// What the variable is at least, or at most.
    fn bound(&self, state: &State, requests: &[usize]) -> Option<Literal> {
        let mut amounts = requests.iter().map(|it| self.amount(state.place(*it)));
        let sum = amounts.try_fold(self.first, i64::checked_add)?;
        let value = state.globals.get(self.variable as usize)?.as_ref()?;
        let more = value.minus(&Linear::number(sum))?;
        match self.amounts.values().any(|it| *it < 0) {
            true => Some(Literal::AtLeast(more.times(-1)?)),
            false => Some(Literal::AtLeast(more)),
        }
    }
}

/// Places that some step leads to.
pub(super) fn used(net: &SymbolicNet) -> BTreeSet<usize> {
    net.steps.iter().filter_map(SymbolicStep::put).collect()
}

/// Looks for facts that some step may break, and hands them over; goes on with the next one.
pub fn broken(
    net: &SymbolicNet,
    facts: &Facts,
    after: &BTreeSet<usize>,
    meter: &mut Meter<'_>,
) -> Result<BTreeSet<FactId>, Reason> {
    let mut broken = BTreeSet::new();
    for (at, fact) in facts.general.iter().enumerate() {
        let initial = |var| match var {
            Var::Global(n) => net.initial.get(n as usize).copied().unwrap_or(0),
            _ => 0,
        };
        if !fact.holds(&initial) {
            broken.insert(FactId::General(at));
        }
    }
    let used = used(net);
    for step in &net.steps {
        if step.from.is_some_and(|from| !used.contains(&from)) {
            continue;
        }
        Steps { net, facts, after, step, broken: &mut broken }.all(&used, meter)?;
    }
    Ok(broken)
}

/// What one step may break.
struct Steps<'a> {
    net: &'a SymbolicNet,
    facts: &'a Facts,
    after: &'a BTreeSet<usize>,
    step: &'a SymbolicStep,
    broken: &'a mut BTreeSet<FactId>,
}

impl Steps<'_> {
    fn all(mut self, used: &BTreeSet<usize>, meter: &mut Meter<'_>) -> Result<(), Reason> {
        if !self.alone(meter)? {
            return Ok(());
        }
        for place in used {
            self.beside(*place, meter)?;
        }
        for key in self.facts.two.keys() {
            if used.contains(&key.0) && used.contains(&key.1) {
                self.beside_two(*key, meter)?;
            }
        }
        Ok(())
    }

    fn is_after(&self, place: Option<usize>) -> bool {
        place.is_some_and(|it| self.after.contains(&it))
    }

    /// Whether the step may change what a condition on others says.
    fn touches(&self, fact: &Fact) -> bool {
        let written = |var: &Var| match var {
            Var::Global(n) => self.step.globals.contains_key(n),
            _ => false,
        };
        fact.literals().any(|it| it.form().terms.iter().any(|(var, _)| written(var)))
    }

    fn show(
        &mut self,
        id: FactId,
        case: &Case,
        literal: Option<Literal>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Reason> {
        if !self.broken.contains(&id) && !case.implies(literal, meter)? {
            self.broken.insert(id);
        }
        Ok(())
    }

    /// The fact has to hold of these requests in the end.
    fn show_fact(
        &mut self,
        id: FactId,
        case: &Case,
        (end, fact, roles): (&State, &Fact, [usize; 2]),
        meter: &mut Meter<'_>,
    ) -> Result<(), Reason> {
        if fact.given.is_empty() || self.broken.contains(&id) {
            return self.show(id, case, end.literal(&fact.then, roles), meter);
        }
        let mut case = case.clone();
        fact.given.iter().for_each(|it| case.assume(end.literal(it, roles)));
        self.show(id, &case, end.literal(&fact.then, roles), meter)
    }

    /// Facts on global variables and on the request itself; whether the step is possible.
    fn alone(&mut self, meter: &mut Meter<'_>) -> Result<bool, Reason> {
        let (facts, step) = (self.facts, self.step);
        let mut case = Case::default();
        let before = State::any(self.net, [None, None, step.from]);
        facts.assume(&mut case, &before, &[MOVER], self.after, &[]);
        let (end, _) = take(&mut case, &before, step, MOVER);
        if case.is_impossible(meter)? {
            return Ok(false);
        }
        for (at, fact) in facts.general.iter().enumerate() {
            if self.touches(fact) {
                self.show_fact(FactId::General(at), &case, (&end, fact, [0, 0]), meter)?;
            }
        }
        if let Some(place) = step.put() {
            for (at, fact) in facts.of_place(place).iter().enumerate() {
                let fact = (&end, fact, [MOVER, MOVER]);
                self.show_fact(FactId::One(place, at), &case, fact, meter)?;
            }
        }
        for (at, count) in facts.counts.iter().enumerate() {
            let more = count.amount(step.put()).checked_sub(count.amount(step.from));
            let variable = count.variable as usize;
            let expected = before.globals.get(variable).cloned().flatten();
            let expected = expected.and_then(|it| it.plus(1, &Linear::number(more?)));
            let found = end.globals.get(variable).cloned().flatten();
            for same in equal(&[found], &[expected]) {
                self.show(FactId::Count(at), &case, same, meter)?;
            }
        }
        Ok(true)
    }

    /// Facts on another request, and on both.
    fn beside(&mut self, place: usize, meter: &mut Meter<'_>) -> Result<(), Reason> {
        let (facts, step, after) = (self.facts, self.step, self.after);
        let touched = facts.of_place(place).iter().any(|it| self.touches(it));
        let both = step.put().is_some_and(|p| {
            facts.two.contains_key(&(p, place)) || facts.two.contains_key(&(place, p))
        });
        if !touched && !both {
            return Ok(());
        }
        let orders: &[[usize; 2]] = match self.is_after(step.from) && after.contains(&place) {
            true => &[[0, MOVER], [MOVER, 0]],
            false => &[[0, MOVER]],
        };
        for order in orders {
            let mut case = Case::default();
            let before = State::any(self.net, [Some(place), None, step.from]);
            facts.assume(&mut case, &before, &[0, MOVER], after, order);
            let (end, _) = take(&mut case, &before, step, MOVER);
            if case.is_impossible(meter)? {
                continue;
            }
            for (at, fact) in facts.of_place(place).iter().enumerate() {
                if self.touches(fact) {
                    let fact = (&end, fact, [0, 0]);
                    self.show_fact(FactId::One(place, at), &case, fact, meter)?;
                }
            }
            // Whoever commits just now comes last, as in the first of the orders.
            for (key, roles) in Facts::pairs(&end, [0, MOVER], after, order) {
                for (at, fact) in facts.two.get(&key).into_iter().flatten().enumerate() {
                    self.show_fact(FactId::Two(key, at), &case, (&end, fact, roles), meter)?;
                }
            }
        }
        Ok(())
    }

    /// Facts on two others.
    fn beside_two(&mut self, key: (usize, usize), meter: &mut Meter<'_>) -> Result<(), Reason> {
        let (facts, step, after) = (self.facts, self.step, self.after);
        let Some(all) = facts.two.get(&key) else { return Ok(()) };
        if !all.iter().any(|it| self.touches(it)) {
            return Ok(());
        }
        let committed = after.contains(&key.0) || after.contains(&key.1);
        let orders = match self.is_after(step.from) && committed {
            true => &ORDERS[..],
            false => &ORDERS[..1],
        };
        for order in orders {
            let mut case = Case::default();
            let before = State::any(self.net, [Some(key.0), Some(key.1), step.from]);
            facts.assume(&mut case, &before, &[0, 1, MOVER], after, order);
            let (end, _) = take(&mut case, &before, step, MOVER);
            if case.is_impossible(meter)? {
                continue;
            }
            for (at, fact) in all.iter().enumerate() {
                if self.touches(fact) {
                    self.show_fact(FactId::Two(key, at), &case, (&end, fact, [0, 1]), meter)?;
                }
            }
        }
        Ok(())
    }
}
