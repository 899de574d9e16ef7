//! Exploration by covering: global states together with how many requests are in which local state,
//! where "any number" is a number, too.
//!
//! Sharper than [`thread_modular`](super::thread_modular), which follows states that no run
//! reaches: a debit without its credit, a request that leaves a semaphore without having entered.
//! Used when pairs seem to have no end.
//!
//! A configuration is *below* another one if both have the same global state, and the other has at
//! least as many requests in every local state. Requests arrive at any time, so those that are
//! where they started are not counted: there are always enough of them.
//!
//! *Theorem.* Once nothing is open, every step of every run has been recorded. *Proof.* The first
//! configuration is listed. Each listed configuration was expanded, or it is below another listed
//! one that came later; so it is below one that was expanded. An expanded configuration had all its
//! steps recorded, and each of the configurations after them is below a listed one. More requests
//! can do what fewer can, so by induction every configuration of a run is below an expanded one,
//! and its steps are among those recorded there. ∎
//!
//! So it does not matter for this how configurations are made larger before they are listed. That
//! matters for coming to an end, and for not listing what no run does. It is done in two ways, both
//! after Karp and Miller: (1) what an unlimited supply of requests can do without changing the
//! global state, any number of them have done; (2) if the same global state was passed on the way
//! here with requests below those here, the way in between can be repeated, and there are any
//! number of those who became more. If there are finitely many global and local states, this ends
//! unless a limit is reached, and exactly the pairs of a global and a local state that some run
//! reaches are explored.

use super::explore::Growing;
use super::machine::StepError;
use super::states::States;
use crate::{GlobalId, LocalId};
use rustc_hash::FxHashSet;
use ser_base::{Limits, Stop};

/// Any number of requests.
const ANY: u32 = u32::MAX;

/// The most work: entries of configurations that are compared, and steps that are looked up.
const MAX_WORK: usize = 50_000_000;

/// How much work is done before the limits are looked at again.
const WORK_BETWEEN_CHECKS: usize = 2_000;

/// To look up what a request can do is as much work as so many comparisons.
const LOOK_UP: usize = 20;

/// The most entries of all configurations together.
const MAX_ENTRIES: usize = 4_000_000;

/// Only so many configurations on the way are looked at for one that can be repeated.
const MAX_ANCESTORS: usize = 2_000;

/// Requests in flight: local state and number, sorted.
pub(super) type Crowd = Vec<(LocalId, u32)>;

/// A configuration that is listed.
pub(super) struct Listed {
    pub global: GlobalId,
    pub crowd: Crowd,
    /// The one that it came from, by a step from one local state to another.
    pub came: Option<(usize, LocalId, LocalId)>,
}

/// Explores all configurations, listing at most `max` of them. If that has no end because of a
/// variable, it is named.
pub(super) fn cover(
    states: &mut States<'_>,
    max: usize,
    limits: &Limits,
) -> Result<(), (StepError, Option<Growing>)> {
    let mut covering = Covering {
        states,
        max,
        listed: Vec::new(),
        largest: Vec::new(),
        open: Vec::new(),
        fired: FxHashSet::default(),
        came: Vec::new(),
        entries: 0,
        work: 0,
    };
    covering.run(limits).map_err(|trouble| {
        let no_end = matches!(trouble, StepError::Stop(Stop::States { .. }));
        let growing = if no_end { covering.trend() } else { None };
        (trouble, growing)
    })
}

pub(super) struct Covering<'a, 'c> {
    pub states: &'a mut States<'c>,
    max: usize,
    pub listed: Vec<Listed>,
    /// For each global state, the listed configurations that are not below another one.
    largest: Vec<Vec<usize>>,
    /// Those that have not been expanded.
    open: Vec<usize>,
    /// Steps are recorded once, however many configurations they occur in.
    fired: FxHashSet<(GlobalId, LocalId)>,
    /// For each local state, where it was found first: in which global state, after a step of which
    /// other one.
    pub came: Vec<Option<(GlobalId, LocalId)>>,
    /// The entries of all crowds.
    entries: usize,
    /// The work so far.
    work: usize,
}

impl Covering<'_, '_> {
    fn run(&mut self, limits: &Limits) -> Result<(), StepError> {
        self.list(GlobalId(0), Crowd::new(), None)?;
        let mut checked = 0;
        while let Some(at) = self.open.pop() {
            if self.work >= checked + WORK_BETWEEN_CHECKS {
                checked = self.work;
                self.states.check(limits, self.listed.len() * 100 + self.entries * 8)?;
            }
            self.expand(at)?;
        }
        Ok(())
    }

    /// Lists all that may come next, unless a larger configuration does that.
    fn expand(&mut self, at: usize) -> Result<(), StepError> {
        let Listed { global, crowd, .. } = &self.listed[at];
        let (global, crowd) = (*global, crowd.clone());
        if !self.largest[global.index()].contains(&at) {
            return Ok(());
        }
        for local in self.states.initial_locals.clone() {
            for (to, after) in self.fire(global, local)? {
                self.list(after, self.with(crowd.clone(), to), Some((at, local, to)))?;
            }
        }
        for (entry, (local, _)) in crowd.iter().enumerate() {
            for (to, after) in self.fire(global, *local)? {
                self.list(after, self.with(without(&crowd, entry), to), Some((at, *local, to)))?;
            }
        }
        Ok(())
    }

    fn fire(
        &mut self,
        global: GlobalId,
        local: LocalId,
    ) -> Result<Vec<(LocalId, GlobalId)>, StepError> {
        self.work += LOOK_UP;
        let is_new = self.fired.insert((global, local));
        let targets = self.states.fire(global, local, is_new)?;
        self.work += targets.len();
        // What was there at the start came from nowhere.
        self.came.resize(self.came.len().max(self.states.initial_locals.len()), None);
        self.came.resize(self.states.continuations.len(), Some((global, local)));
        Ok(targets)
    }

    /// Lists a configuration, made as large as is known to be right, unless it is below another.
    fn list(
        &mut self,
        global: GlobalId,
        mut crowd: Crowd,
        came: Option<(usize, LocalId, LocalId)>,
    ) -> Result<(), StepError> {
        if self.largest.len() <= global.index() {
            self.largest.resize(global.index() + 1, Vec::new());
        }
        let mut compared = 0;
        let known = &self.largest[global.index()];
        if known.iter().any(|at| is_below(&crowd, &self.listed[*at].crowd, &mut compared)) {
            self.work += compared;
            return Ok(());
        }
        // Nothing can be repeated in a global state that was never there before.
        let mut before = came.filter(|_| !known.is_empty());
        for _ in 0..MAX_ANCESTORS {
            let Some((at, ..)) = before else { break };
            let ancestor = &self.listed[at];
            if ancestor.global == global && is_below(&ancestor.crowd, &crowd, &mut compared) {
                repeat(&ancestor.crowd, &mut crowd);
            }
            before = ancestor.came;
        }
        self.saturate(global, &mut crowd)?;
        let listed = &self.listed;
        let largest = &mut self.largest[global.index()];
        largest.retain(|at| !is_below(&listed[*at].crowd, &crowd, &mut compared));
        largest.push(listed.len());
        self.work += compared;
        self.entries += crowd.len();
        let is_too_much = self.work > MAX_WORK || self.entries > MAX_ENTRIES;
        if listed.len() >= self.max || is_too_much {
            return Err(StepError::Stop(Stop::States { limit: self.max }));
        }
        self.open.push(listed.len());
        self.listed.push(Listed { global, crowd, came });
        Ok(())
    }

    /// What an unlimited supply of requests can do without changing the global state, any number
    /// of them have done.
    fn saturate(&mut self, global: GlobalId, crowd: &mut Crowd) -> Result<(), StepError> {
        let mut supply = self.states.initial_locals.clone();
        supply.extend(crowd.iter().filter(|(_, n)| *n == ANY).map(|(local, _)| *local));
        while let Some(local) = supply.pop() {
            for (to, after) in self.fire(global, local)? {
                if after != global || self.is_elsewhere(to) {
                    continue;
                }
                match crowd.binary_search_by_key(&to, |(local, _)| *local) {
                    Ok(at) if crowd[at].1 == ANY => continue,
                    Ok(at) => crowd[at].1 = ANY,
                    Err(at) => crowd.insert(at, (to, ANY)),
                }
                supply.push(to);
                if crowd.len() > self.max {
                    return Err(StepError::Stop(Stop::States { limit: self.max }));
                }
            }
        }
        Ok(())
    }

    /// Whether requests in this local state are not counted: they are complete, or there is always
    /// one more of them.
    fn is_elsewhere(&self, local: LocalId) -> bool {
        self.states.is_done(local) || self.states.is_initial(local)
    }

    /// The crowd with one more request.
    fn with(&self, mut crowd: Crowd, local: LocalId) -> Crowd {
        if !self.is_elsewhere(local) {
            match crowd.binary_search_by_key(&local, |(l, _)| *l) {
                Ok(at) => crowd[at].1 = crowd[at].1.saturating_add(1),
                Err(at) => crowd.insert(at, (local, 1)),
            }
        }
        crowd
    }
}

/// The crowd without one request of an entry.
fn without(crowd: &Crowd, entry: usize) -> Crowd {
    let mut less = crowd.clone();
    match less[entry].1 {
        ANY => {}
        1 => {
            less.remove(entry);
        }
        _ => less[entry].1 -= 1,
    }
    less
}

/// Whether the second crowd has at least as many requests in every local state.
pub(super) fn is_below(small: &Crowd, large: &Crowd, compared: &mut usize) -> bool {
    *compared += 1;
    if small.len() > large.len() {
        return false;
    }
    let mut rest = large.iter();
    small.iter().all(|(local, number)| {
        let found = rest.by_ref().inspect(|_| *compared += 1).find(|(l, _)| l >= local);
        found.is_some_and(|(l, n)| l == local && n >= number)
    })
}

/// Of those who became more there are any number; the first crowd is below the second.
fn repeat(before: &Crowd, crowd: &mut Crowd) {
    for (local, number) in crowd {
        let old = before.binary_search_by_key(local, |(l, _)| *l).map_or(0, |at| before[at].1);
        if old < *number {
            *number = ANY;
        }
    }
}
