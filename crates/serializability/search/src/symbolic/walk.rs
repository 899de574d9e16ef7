//! Random runs, for what is plainly false: a few requests at a time, with small arguments.

use ser_base::Limits;
use ser_model::{Literal, SymbolicNet, SymbolicStep, SymbolicTarget, Var};
use ser_serializability_checker::Reason;
use ser_serializability_checker::symbolic::{Counted, Facts};
use std::collections::{BTreeMap, BTreeSet};

/// How many runs, of how many steps, with so many requests in flight.
const RUNS: usize = 60;
const STEPS: usize = 40;
const IN_FLIGHT: usize = 4;

/// Larger numbers than this end a run.
const LARGE: u64 = 1 << 40;

/// A request in flight.
struct InFlight {
    place: usize,
    locals: Vec<(u32, i64)>,
    /// When it committed.
    committed: Option<usize>,
}

pub(super) struct Walks<'a> {
    net: &'a SymbolicNet,
    after: &'a BTreeSet<usize>,
    /// Steps by the place that they come from.
    from: BTreeMap<Option<usize>, Vec<usize>>,
    seed: u64,
    /// By how much steps have changed variables; nothing if not always by as much.
    changes: BTreeMap<(usize, u32), Option<i64>>,
}

impl<'a> Walks<'a> {
    pub(super) fn new(net: &'a SymbolicNet, after: &'a BTreeSet<usize>) -> Walks<'a> {
        let mut from: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
        for (n, step) in net.steps.iter().enumerate() {
            from.entry(step.from).or_default().push(n);
        }
        Walks { net, after, from, seed: 1, changes: BTreeMap::new() }
    }

    /// Drops facts that some run violates, and adds variables that seem to count.
    pub(super) fn drop_false(mut self, facts: &mut Facts, limits: &Limits) -> Result<(), Reason> {
        for _ in 0..RUNS {
            limits.check_clock()?;
            self.run(facts);
        }
        facts.two.retain(|_, all| !all.is_empty());
        let counts = (0..self.net.globals.len() as u32).filter_map(|it| self.count(it));
        facts.counts = counts.collect();
        Ok(())
    }

    fn random(&mut self, below: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.seed >> 33) as usize % below.max(1)
    }

    fn run(&mut self, facts: &mut Facts) {
        let mut globals = self.net.initial.clone();
        let mut requests: Vec<InFlight> = Vec::new();
        drop_false(facts, &globals, &requests, self.after);
        let most = 1 + self.random(IN_FLIGHT);
        for time in 0..STEPS {
            let who = self.random(requests.len() + 1);
            let arrives = who == requests.len();
            if arrives && requests.len() >= most {
                continue;
            }
            let place = requests.get(who).map(|it| it.place);
            let steps = self.from.get(&place).cloned().unwrap_or_default();
            let Some((number, picked)) = self.possible(&steps, &globals, requests.get(who)) else {
                continue;
            };
            let step = &self.net.steps[number];
            let Some(next) = take(step, &globals, requests.get(who), &picked) else { return };
            for (n, (old, new)) in globals.iter().zip(&next.globals).enumerate() {
                let change = new.checked_sub(*old);
                let known = self.changes.entry((number, n as u32)).or_insert(change);
                if *known != change {
                    *known = None;
                }
            }
            globals = next.globals;
            let known = requests.get(who).and_then(|it| it.committed);
            match step.to {
                SymbolicTarget::Place(place) => {
                    let commits = self.after.contains(&place).then_some(time);
                    let committed = known.or(commits);
                    let request = InFlight { place, locals: next.locals, committed };
                    match requests.get_mut(who) {
                        Some(old) => *old = request,
                        None => requests.push(request),
                    }
                }
                _ if arrives => {}
                _ => drop(requests.remove(who)),
            }
            drop_false(facts, &globals, &requests, self.after);
        }
    }

    /// A step that is possible, and what it picks.
    fn possible(
        &mut self,
        steps: &[usize],
        globals: &[i64],
        request: Option<&InFlight>,
    ) -> Option<(usize, Vec<i64>)> {
        for _ in 0..6 {
            let number = *steps.get(self.random(steps.len()))?;
            let step = &self.net.steps[number];
            let mut picked = Vec::new();
            for (low, high) in &step.choices {
                let width = usize::try_from(high.saturating_sub(*low)).unwrap_or(usize::MAX);
                let few = self.random(width.saturating_add(1).min(4)) as i64;
                picked.push(match self.random(4) {
                    0 => high - few,
                    _ => low + few,
                });
            }
            let value = |var| value(var, globals, request, &picked);
            let holds = |it: &Literal| it.form().value(&value).is_some_and(|v| it.holds(v));
            if step.guard.iter().all(holds) {
                return Some((number, picked));
            }
        }
        None
    }

    /// How a variable counts, if it seems to.
    fn count(&self, variable: u32) -> Option<Counted> {
        let mut amounts: BTreeMap<usize, i64> = BTreeMap::new();
        loop {
            let number = amounts.len();
            for (n, step) in self.net.steps.iter().enumerate() {
                let Some(change) = self.changes.get(&(n, variable)) else { continue };
                let here = match step.from {
                    None => Some(0),
                    Some(place) => amounts.get(&place).copied(),
                };
                let Some(next) = here.and_then(|it| it.checked_add((*change)?)) else { continue };
                if let Some(place) = step.put() {
                    amounts.entry(place).or_insert(next);
                }
            }
            if amounts.len() == number {
                break;
            }
        }
        amounts.retain(|_, amount| *amount != 0);
        let positive = amounts.values().filter(|it| **it > 0).count();
        let is_one_sign = positive == amounts.len() || positive == 0;
        let first = self.net.initial[variable as usize];
        (is_one_sign && !amounts.is_empty()).then_some(Counted { variable, first, amounts })
    }
}

/// What a step leads to.
struct Next {
    globals: Vec<i64>,
    locals: Vec<(u32, i64)>,
}

fn take(
    step: &SymbolicStep,
    globals: &[i64],
    request: Option<&InFlight>,
    picked: &[i64],
) -> Option<Next> {
    let value = |var| value(var, globals, request, picked);
    let small =
        |form: &ser_model::Linear| form.value(&value).filter(|it| it.unsigned_abs() < LARGE);
    let mut next = globals.to_vec();
    for (n, form) in &step.globals {
        next[*n as usize] = small(form)?;
    }
    let locals = step.locals.iter().map(|(n, form)| Some((*n, small(form)?)));
    Some(Next { globals: next, locals: locals.collect::<Option<_>>()? })
}

fn value(var: Var, globals: &[i64], request: Option<&InFlight>, picked: &[i64]) -> i64 {
    match var {
        Var::Global(n) => globals[n as usize],
        Var::Local(_, local) => local_of(request, local),
        Var::Choice(_, n) => picked.get(n as usize).copied().unwrap_or(0),
    }
}

fn local_of(request: Option<&InFlight>, local: u32) -> i64 {
    let locals = request.map_or(&[][..], |it| it.locals.as_slice());
    locals.iter().find(|(n, _)| *n == local).map_or(0, |(_, value)| *value)
}

/// Drops what is false in this state.
fn drop_false(facts: &mut Facts, globals: &[i64], requests: &[InFlight], after: &BTreeSet<usize>) {
    facts.general.retain(|it| it.holds(&|var| value(var, globals, None, &[])));
    for request in requests {
        if let Some(all) = facts.one.get_mut(&request.place) {
            all.retain(|it| it.holds(&|var| value(var, globals, Some(request), &[])));
        }
    }
    for (n, first) in requests.iter().enumerate() {
        for (m, second) in requests.iter().enumerate() {
            let ordered = after.contains(&first.place) && after.contains(&second.place);
            if n == m || ordered && first.committed > second.committed {
                continue;
            }
            let Some(all) = facts.two.get_mut(&(first.place, second.place)) else { continue };
            let both = |var| match var {
                Var::Local(1, local) => local_of(Some(second), local),
                _ => value(var, globals, Some(first), &[]),
            };
            all.retain(|it| it.holds(&both));
        }
    }
}
