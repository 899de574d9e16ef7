//! What is known of the states that runs reach, and that it is inductive.
//!
//! Facts are linear conditions of three kinds: on the global variables; on these and the variables
//! of a request i in some place; and on two requests i and j in two places. If both places are
//! *after*, then i has committed before j. A fact may be said of some states only, those in which
//! other conditions hold: *given* that the version is what i has seen, so is the value. A *count*
//! says besides that a global variable is its first value plus the amounts of the places of all
//! requests in flight; as all amounts are positive, or all negative, it is at least (at most) the
//! sum of those that are looked at.
//!
//! *Theorem.* Suppose that the facts on global variables hold at first, and that every step keeps
//! all facts: of requests that it does not belong to, and of its own request in its new place,
//! where all facts are assumed for the state before, of all requests that are looked at. Then all
//! facts hold in every state that a run reaches. *Proof.* At first nobody is in flight, and counts
//! hold because the sum is empty. Each step belongs to one request. A fact speaks of at most two,
//! so that at most three are looked at. If both are after, then the order in which they committed
//! does not change; if one commits just now, it is the second. ∎
//!
//! Facts on locals of others, and of globals that a step does not write, need not be looked at.

use super::case::Case;
use super::keys::{Joint, Shared};
use super::state::{About, State, equal, take};
use crate::Reason;
use crate::meter::Meter;
use ser_model::{Linear, Literal, SymbolicNet, SymbolicStep, Var};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Facts by what they are about. `Var::Local(0, _)` are those of i, `Var::Local(1, _)` those of j.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// On global variables.
    pub general: Vec<Fact>,
    /// On a request in a place.
    pub one: BTreeMap<usize, Vec<Fact>>,
    /// On two requests in two places.
    pub two: BTreeMap<Pair, Vec<Fact>>,
    pub counts: Vec<Counted>,
}

/// Two places, and which keys the requests there share.
pub type Pair = (usize, usize, Shared);

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

    /// The type whose key it is about; that of the first element in it.
    pub fn key_of(&self, net: &SymbolicNet) -> Option<usize> {
        let vars = self.literals().flat_map(|it| &it.form().terms);
        vars.filter_map(|(var, _)| match var {
            Var::Global(n) => net.array_of(*n).map(|(array, _)| net.arrays[array].of),
            _ => None,
        })
        .next()
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
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FactId {
    General(usize),
    One(usize, usize),
    Two(Pair, usize),
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
    ) -> Vec<(Pair, About)> {
        let (Some(p), Some(q)) = (state.place(a), state.place(b)) else { return Vec::new() };
        let both = |(p, q): (usize, usize), requests: [usize; 2]| {
            let (shared, meant) = state.joint.pair(requests)?;
            Some(((p, q, shared.clone()), About { requests, meant: meant.clone() }))
        };
        let position = |number| order.iter().position(|it| *it == number);
        let ordered = after.contains(&p) && after.contains(&q);
        let here = [((p, q), [a, b]), ((q, p), [b, a])].into_iter();
        let here = here.filter(|(_, [a, b])| !ordered || position(*a) < position(*b));
        here.filter_map(|(places, requests)| both(places, requests)).collect()
    }

    /// Assumes all that is known of a state and of these requests in it. Those that are after have
    /// committed in this order.
    pub(super) fn assume(
        &self,
        net: &SymbolicNet,
        case: &mut Case,
        state: &State,
        requests: &[usize],
        after: &BTreeSet<usize>,
        order: &[usize],
    ) {
        for fact in &self.general {
            for about in state.about_none(net, fact) {
                state.assume(case, fact, &about);
            }
        }
        for (at, a) in requests.iter().enumerate() {
            let Some(place) = state.place(*a) else { continue };
            for fact in self.of_place(place) {
                state.assume(case, fact, &state.about_one(*a));
            }
            for b in &requests[at + 1..] {
                for (key, about) in Facts::pairs(state, [*a, *b], after, order) {
                    for fact in self.two.get(&key).into_iter().flatten() {
                        state.assume(case, fact, &about);
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
        let (net, mover) = (self.net, self.step.handler);
        let handler = |place: usize| Some(net.places[place].handler);
        if !self.alone(&Joint::alone(net, MOVER, mover), meter)? {
            return Ok(());
        }
        for place in used {
            for joint in Joint::all(net, [handler(*place), None, Some(mover)]) {
                self.beside(*place, &joint, meter)?;
            }
        }
        let keys: BTreeSet<(usize, usize)> =
            self.facts.two.keys().map(|(p, q, _)| (*p, *q)).collect();
        for (p, q) in keys.into_iter().filter(|(p, q)| used.contains(p) && used.contains(q)) {
            if !self.may_touch_two(p, q) {
                continue;
            }
            for joint in Joint::all(net, [handler(p), handler(q), Some(mover)]) {
                self.beside_two([p, q], &joint, meter)?;
            }
        }
        Ok(())
    }

    fn is_after(&self, place: Option<usize>) -> bool {
        place.is_some_and(|it| self.after.contains(&it))
    }

    /// Whether the step may change what a condition on others says.
    fn touches(&self, fact: &Fact, about: &About, joint: &Joint) -> bool {
        let own = joint.own(MOVER);
        let is = |global: u32, meant: u32| own.get(global as usize) == Some(&Some(meant));
        let is_written = |var: &Var| match var {
            Var::Global(n) => {
                let meant = about.meant.get(*n as usize).copied().flatten();
                meant.is_none_or(|it| self.step.globals.keys().any(|global| is(*global, it)))
            }
            _ => false,
        };
        fact.literals().any(|it| it.form().terms.iter().any(|(var, _)| is_written(var)))
    }

    /// Whether some fact on two requests in these places speaks of what the step writes, or of an
    /// element of an array.
    fn may_touch_two(&self, p: usize, q: usize) -> bool {
        let may = |var: &Var| match var {
            Var::Global(n) => self.step.globals.contains_key(n) || self.net.array_of(*n).is_some(),
            _ => false,
        };
        let here = self.facts.two.iter().filter(|((a, b, _), _)| (*a, *b) == (p, q));
        let mut literals = here.flat_map(|(_, facts)| facts).flat_map(Fact::literals);
        literals.any(|it| it.form().terms.iter().any(|(var, _)| may(var)))
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
        (end, fact, about): (&State, &Fact, &About),
        meter: &mut Meter<'_>,
    ) -> Result<(), Reason> {
        if fact.given.is_empty() || self.broken.contains(&id) {
            return self.show(id, case, end.literal(&fact.then, about), meter);
        }
        let mut case = case.clone();
        fact.given.iter().for_each(|it| case.assume(end.literal(it, about)));
        self.show(id, &case, end.literal(&fact.then, about), meter)
    }

    /// Facts on global variables and on the request itself; whether the step is possible.
    fn alone(&mut self, joint: &Rc<Joint>, meter: &mut Meter<'_>) -> Result<bool, Reason> {
        let (net, facts, step) = (self.net, self.facts, self.step);
        let mut case = Case::default();
        let before = State::any(net, [None, None, step.from], joint);
        facts.assume(net, &mut case, &before, &[MOVER], self.after, &[]);
        let (end, _) = take(&mut case, &before, step, MOVER);
        if case.is_impossible(meter)? {
            return Ok(false);
        }
        for (at, fact) in facts.general.iter().enumerate() {
            for about in end.about_none(net, fact) {
                if self.touches(fact, &about, joint) {
                    self.show_fact(FactId::General(at), &case, (&end, fact, &about), meter)?;
                }
            }
        }
        if let Some(place) = step.put() {
            let about = end.about_one(MOVER);
            for (at, fact) in facts.of_place(place).iter().enumerate() {
                self.show_fact(FactId::One(place, at), &case, (&end, fact, &about), meter)?;
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
    fn beside(
        &mut self,
        place: usize,
        joint: &Rc<Joint>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Reason> {
        let (net, facts, step, after) = (self.net, self.facts, self.step, self.after);
        let before = State::any(net, [Some(place), None, step.from], joint);
        let about = before.about_one(0);
        let touched = facts.of_place(place).iter().any(|it| self.touches(it, &about, joint));
        let both = step.put().is_some_and(|p| {
            let has = |p, q, requests| {
                let shared = joint.pair(requests).map(|(shared, _)| shared.clone());
                shared.is_some_and(|shared| facts.two.contains_key(&(p, q, shared)))
            };
            has(p, place, [MOVER, 0]) || has(place, p, [0, MOVER])
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
            facts.assume(net, &mut case, &before, &[0, MOVER], after, order);
            let (end, _) = take(&mut case, &before, step, MOVER);
            if case.is_impossible(meter)? {
                continue;
            }
            for (at, fact) in facts.of_place(place).iter().enumerate() {
                if self.touches(fact, &about, joint) {
                    self.show_fact(FactId::One(place, at), &case, (&end, fact, &about), meter)?;
                }
            }
            // Whoever commits just now comes last, as in the first of the orders.
            for (key, about) in Facts::pairs(&end, [0, MOVER], after, order) {
                for (at, fact) in facts.two.get(&key).into_iter().flatten().enumerate() {
                    let id = FactId::Two(key.clone(), at);
                    self.show_fact(id, &case, (&end, fact, &about), meter)?;
                }
            }
        }
        Ok(())
    }

    /// Facts on two others.
    fn beside_two(
        &mut self,
        [p, q]: [usize; 2],
        joint: &Rc<Joint>,
        meter: &mut Meter<'_>,
    ) -> Result<(), Reason> {
        let (net, facts, step, after) = (self.net, self.facts, self.step, self.after);
        meter.work(1)?;
        let Some((shared, meant)) = joint.pair([0, 1]) else { return Ok(()) };
        let key = (p, q, shared.clone());
        let about = About { requests: [0, 1], meant: meant.clone() };
        let Some(all) = facts.two.get(&key) else { return Ok(()) };
        if !all.iter().any(|it| self.touches(it, &about, joint)) {
            return Ok(());
        }
        let committed = after.contains(&p) || after.contains(&q);
        let orders = match self.is_after(step.from) && committed {
            true => &ORDERS[..],
            false => &ORDERS[..1],
        };
        for order in orders {
            let mut case = Case::default();
            let before = State::any(net, [Some(p), Some(q), step.from], joint);
            facts.assume(net, &mut case, &before, &[0, 1, MOVER], after, order);
            let (end, _) = take(&mut case, &before, step, MOVER);
            if case.is_impossible(meter)? {
                continue;
            }
            for (at, fact) in all.iter().enumerate() {
                if self.touches(fact, &about, joint) {
                    let id = FactId::Two(key.clone(), at);
                    self.show_fact(id, &case, (&end, fact, &about), meter)?;
                }
            }
        }
        Ok(())
    }
}
