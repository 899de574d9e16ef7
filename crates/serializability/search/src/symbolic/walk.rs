//! Random runs, for what is plainly false: a few requests at a time, with small arguments.

use ser_base::Limits;
use ser_model::{Literal, SymbolicNet, SymbolicStep, SymbolicTarget, Var};
use ser_serializability_checker::Reason;
use ser_serializability_checker::symbolic::{
    Counted, Facts, Keys, Meant, one_key, own_keys, shared,
};
use std::collections::{BTreeMap, BTreeSet};

/// How many runs, of how many steps, with so many requests in flight.
const RUNS: usize = 60;
const STEPS: usize = 40;
const IN_FLIGHT: usize = 4;

/// So many keys of each type.
const KEYS: usize = 3;

/// Larger numbers than this end a run.
const LARGE: u64 = 1 << 40;

/// A request in flight.
struct InFlight {
    place: usize,
    keys: Keys,
    /// What variables mean, given its keys.
    meant: Meant,
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
    /// What variables of facts mean that are about no key.
    plain: Meant,
    /// By how much steps have changed variables; nothing if not always by as much.
    changes: BTreeMap<(usize, u32), Option<i64>>,
}

impl<'a> Walks<'a> {
    pub(super) fn new(net: &'a SymbolicNet, after: &'a BTreeSet<usize>) -> Walks<'a> {
        let mut from: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
        for (n, step) in net.steps.iter().enumerate() {
            from.entry(step.from).or_default().push(n);
        }
        let plain = own_keys(net, &Keys::new());
        Walks { net, after, from, seed: 1, plain, changes: BTreeMap::new() }
    }

    /// Drops facts that some run violates, and adds variables that seem to count.
    pub(super) fn drop_false(mut self, facts: &mut Facts, limits: &Limits) -> Result<(), Reason> {
        for _ in 0..RUNS {
            limits.check_clock()?;
            self.run(facts);
        }
        facts.two.retain(|_, all| !all.is_empty());
        let counts = (0..self.net.globals.len() as u32).filter(|n| self.net.array_of(*n).is_none());
        let counts = counts.filter_map(|it| self.count(it));
        facts.counts = counts.collect();
        Ok(())
    }

    fn random(&mut self, below: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.seed >> 33) as usize % below.max(1)
    }

    /// Some keys for the requests of a handler, ascending.
    fn keys(&mut self, handler: usize) -> Keys {
        let counts = self.net.handlers[handler].keys.clone();
        let mut all = Keys::new();
        for count in counts {
            let mut keys: Vec<usize> = (0..KEYS).collect();
            while keys.len() > count {
                keys.remove(self.random(keys.len()));
            }
            all.push(keys);
        }
        all
    }

    fn run(&mut self, facts: &mut Facts) {
        let first = |n: u32| {
            let of_all = self.net.array_of(n).map_or(n, |(array, _)| self.net.element(array, 0));
            self.net.initial.get(of_all as usize).copied().unwrap_or(0)
        };
        let mut globals: Vec<i64> = (0..self.net.all_globals() as u32).map(first).collect();
        let mut requests: Vec<InFlight> = Vec::new();
        self.drop_what_is_false(facts, &globals, &requests);
        let most = 1 + self.random(IN_FLIGHT);
        for time in 0..STEPS {
            let who = self.random(requests.len() + 1);
            let arrives = who == requests.len();
            if arrives && requests.len() >= most {
                continue;
            }
            let place = requests.get(who).map(|it| it.place);
            let steps = self.from.get(&place).cloned().unwrap_or_default();
            let Some((number, picked, keys)) = self.possible(&steps, &globals, requests.get(who))
            else {
                continue;
            };
            let meant = own_keys(self.net, &keys);
            let step = &self.net.steps[number];
            let request = requests.get(who).map(|it| it.locals.as_slice());
            let here = Here { globals: &globals, locals: [request; 2], meant: &meant };
            let Some(next) = take(step, &here, &picked) else { return };
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
                    let request = InFlight { place, keys, meant, locals: next.locals, committed };
                    match requests.get_mut(who) {
                        Some(old) => *old = request,
                        None => requests.push(request),
                    }
                }
                _ if arrives => {}
                _ => drop(requests.remove(who)),
            }
            self.drop_what_is_false(facts, &globals, &requests);
        }
    }

    /// A step that is possible, what it picks, and the keys of the request.
    fn possible(
        &mut self,
        steps: &[usize],
        globals: &[i64],
        request: Option<&InFlight>,
    ) -> Option<(usize, Vec<i64>, Keys)> {
        for _ in 0..6 {
            let number = *steps.get(self.random(steps.len()))?;
            let step = &self.net.steps[number];
            let mut picked = Vec::new();
            for (low, high) in &step.choices {
                // Of all numbers, small ones.
                let (low, high) = if *low == i64::MIN { (-2, 3) } else { (*low, *high) };
                let width = usize::try_from(high.saturating_sub(low)).unwrap_or(usize::MAX);
                let few = self.random(width.saturating_add(1).min(4)) as i64;
                picked.push(match self.random(4) {
                    0 => high - few,
                    _ => low + few,
                });
            }
            let keys = match request {
                Some(request) => request.keys.clone(),
                None => self.keys(step.handler),
            };
            let meant = own_keys(self.net, &keys);
            let locals = [request.map(|it| it.locals.as_slice()); 2];
            let here = Here { globals, locals, meant: &meant };
            let value = |var| here.value(var, &picked);
            let holds = |it: &Literal| it.form().value(&value).is_some_and(|v| it.holds(v));
            if step.guard.iter().all(holds) {
                return Some((number, picked, keys));
            }
        }
        None
    }

    /// Drops what is false in this state.
    fn drop_what_is_false(&self, facts: &mut Facts, globals: &[i64], requests: &[InFlight]) {
        let (net, after) = (self.net, self.after);
        facts.general.retain(|fact| {
            let holds = |meant: &Meant| {
                let here = Here { globals, locals: [None; 2], meant };
                fact.holds(&|var| here.value(var, &[]))
            };
            match fact.key_of(net) {
                None => holds(&self.plain),
                Some(of) => (0..KEYS).all(|key| holds(&one_key(net, of, key))),
            }
        });
        for request in requests {
            if let Some(all) = facts.one.get_mut(&request.place) {
                let locals = [Some(request.locals.as_slice()); 2];
                let here = Here { globals, locals, meant: &request.meant };
                all.retain(|it| it.holds(&|var| here.value(var, &[])));
            }
        }
        for (n, first) in requests.iter().enumerate() {
            for (m, second) in requests.iter().enumerate() {
                let ordered = after.contains(&first.place) && after.contains(&second.place);
                if n == m || ordered && first.committed > second.committed {
                    continue;
                }
                let (keys, meant) = shared(net, &first.keys, &second.keys);
                let key = (first.place, second.place, keys);
                let Some(all) = facts.two.get_mut(&key) else { continue };
                let locals = [first, second].map(|it| Some(it.locals.as_slice()));
                let here = Here { globals, locals, meant: &meant };
                all.retain(|it| it.holds(&|var| here.value(var, &[])));
            }
        }
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

/// What variables are.
struct Here<'a> {
    globals: &'a [i64],
    locals: [Option<&'a [(u32, i64)]>; 2],
    meant: &'a Meant,
}

impl Here<'_> {
    fn value(&self, var: Var, picked: &[i64]) -> i64 {
        match var {
            Var::Global(n) => {
                let meant = self.meant.get(n as usize).copied().flatten();
                meant.and_then(|it| self.globals.get(it as usize)).copied().unwrap_or(0)
            }
            Var::Local(role, local) => {
                let locals = self.locals[usize::from(role.min(1))].unwrap_or_default();
                locals.iter().find(|(n, _)| *n == local).map_or(0, |(_, value)| *value)
            }
            Var::Choice(_, n) => picked.get(n as usize).copied().unwrap_or(0),
        }
    }
}

fn take(step: &SymbolicStep, here: &Here<'_>, picked: &[i64]) -> Option<Next> {
    let value = |var| here.value(var, picked);
    let small =
        |form: &ser_model::Linear| form.value(&value).filter(|it| it.unsigned_abs() < LARGE);
    let mut next = here.globals.to_vec();
    for (n, form) in &step.globals {
        let meant = here.meant.get(*n as usize).copied().flatten()?;
        *next.get_mut(meant as usize)? = small(form)?;
    }
    let locals = step.locals.iter().map(|(n, form)| Some((*n, small(form)?)));
    Some(Next { globals: next, locals: locals.collect::<Option<_>>()? })
}
