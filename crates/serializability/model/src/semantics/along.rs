//! The states along one run, and along all serial runs with its outcome.
//!
//! A counterexample needs no other states: that it is a run, and that no serial run has its
//! outcome. So a program may have any number of states, and the run any number of requests.
//!
//! *What is listed.* First the steps that requests of the run may take where the run has them move.
//! Then, for each pair of a global state and a rest of the outcome that serial runs reach, all that
//! one request alone can do there, for every label in the rest; a request that responds with a
//! letter of the rest leads to the next pair, and so does one that aborts without having done
//! anything. So of the serial runs with this outcome, and of their
//! beginnings, no step is missing. Every step that is listed is one of the program.
//!
//! Serial runs of the same requests with other responses are not part of this: they prove nothing.
//! Who wants to tell what the requests would have responded asks for what is *around* the run.

use super::machine::{Runner, StepError};
use super::states::{ABORT, States};
use super::{ProgramModel, lowered};
use crate::{ExploreError, GlobalId, LocalId};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::{Limits, LineIndex, Stop};
use ser_syntax::core::Program;
use std::collections::{BTreeMap, BTreeSet};

/// A run, as somebody tells it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outline {
    /// The labels of the requests, in the order of their arrival.
    pub requests: Vec<String>,
    /// The steps: who takes it, as an index into `requests`, and where it leads.
    pub steps: Vec<(usize, Target)>,
    /// The outcome: label, response, how often.
    pub outcome: Vec<(String, String, u64)>,
}

/// Where a step leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// To the local and the global state with these names.
    Named { local: String, global: String },
    /// To the one with this number, of all that there are; see [`Stepping::next`](super::Stepping).
    Numbered(usize),
}

/// Pairs of a global state and a rest for each state that the limits allow.
const PAIRS_PER_STATE: usize = 10;

impl ProgramModel {
    /// What a program does along a run and along all serial runs with its outcome; and where each
    /// step of the run leads. If the program has no such run, it is followed as far as there is
    /// one.
    ///
    /// ```
    /// use ser_base::Limits;
    /// use ser_model::{Outline, ProgramModel, Target};
    /// let text = "request count { n := N; yield; N := n + 1; n }";
    /// let program = ser_syntax::parse(text).program;
    /// let steps = [0, 1, 0, 1].map(|who| (who, Target::Numbered(0))).to_vec();
    /// let requests = vec!["count".to_owned(); 2];
    /// let outcome = vec![("count".to_owned(), "0".to_owned(), 2)];
    /// let outline = Outline { requests, steps, outcome };
    /// let along = ProgramModel::along(&program, text, &outline, &Limits::default());
    /// let (model, path) = along.unwrap();
    /// assert_eq!(path.len(), 4);
    /// // `N` grows with every request, but not here: nobody responds twice with 0.
    /// assert!(model.system().globals().len() < 4);
    /// ```
    pub fn along(
        program: &Program,
        text: &str,
        outline: &Outline,
        limits: &Limits,
    ) -> Result<(ProgramModel, Vec<(LocalId, GlobalId)>), ExploreError> {
        ProgramModel::listed(program, text, outline, limits, false)
    }

    /// The same, and what the program does along all serial runs of the same requests, whatever
    /// they respond. States and labels of the run have the same numbers as in what
    /// [`along`](ProgramModel::along) gives.
    ///
    /// ```
    /// use ser_base::Limits;
    /// use ser_model::{Outline, ProgramModel, Target};
    /// let text = "request count { N := N + 1; yield; M := M + 1; N }";
    /// let program = ser_syntax::parse(text).program;
    /// let steps = [0, 1, 0, 1].map(|who| (who, Target::Numbered(0))).to_vec();
    /// let requests = vec!["count".to_owned(); 2];
    /// let outcome = vec![("count".to_owned(), "2".to_owned(), 2)];
    /// let outline = Outline { requests, steps, outcome };
    /// let along = ProgramModel::along(&program, text, &outline, &Limits::default()).unwrap().0;
    /// let around = ProgramModel::around(&program, text, &outline, &Limits::default()).unwrap();
    /// // One after the other, they respond 1 and 2.
    /// assert!(along.system().steps().len() < around.system().steps().len());
    /// ```
    pub fn around(
        program: &Program,
        text: &str,
        outline: &Outline,
        limits: &Limits,
    ) -> Result<ProgramModel, ExploreError> {
        ProgramModel::listed(program, text, outline, limits, true).map(|(model, _)| model)
    }

    fn listed(
        program: &Program,
        text: &str,
        outline: &Outline,
        limits: &Limits,
        around: bool,
    ) -> Result<(ProgramModel, Vec<(LocalId, GlobalId)>), ExploreError> {
        let (code, liveness) = lowered(program, limits)?;
        let lines = LineIndex::new(text);
        let labels: BTreeSet<String> = outline.requests.iter().cloned().collect();
        let states = States::new(Runner::new(&code, &liveness, limits), &lines, Some(&labels));
        let mut listing = Along { states, fired: FxHashSet::default(), bytes: 0, limits };
        let followed = listing.follow(outline);
        let mut listed = followed.and_then(|path| listing.serial(outline).map(|()| path));
        if around {
            listed = listed.and_then(|path| listing.whatever(outline).map(|()| path));
        }
        let path = listed.map_err(|trouble| listing.states.explain(trouble))?;
        let explored = listing.states.into();
        let model = ProgramModel::from(program, code.clone(), liveness.clone(), explored);
        Ok((model, path))
    }
}

struct Along<'a> {
    states: States<'a>,
    /// Which steps have been recorded.
    fired: FxHashSet<(GlobalId, LocalId)>,
    bytes: usize,
    limits: &'a Limits,
}

/// What one request alone may do: its response, and the global state after it.
type Edge = (String, GlobalId);

/// A label, the response if that matters, and how often.
type Wanted<'a> = (&'a str, Option<&'a str>, u64);

impl Along<'_> {
    fn fire(
        &mut self,
        global: GlobalId,
        local: LocalId,
    ) -> Result<Vec<(LocalId, GlobalId)>, StepError> {
        self.states.check(self.limits, self.bytes)?;
        let record = self.fired.insert((global, local));
        self.states.fire(global, local, record)
    }

    /// The steps of the run, and where each of them leads.
    fn follow(&mut self, outline: &Outline) -> Result<Vec<(LocalId, GlobalId)>, StepError> {
        let spawned = |label: &String| self.states.spawned(label);
        let mut locals: Vec<Option<LocalId>> = outline.requests.iter().map(spawned).collect();
        let mut global = GlobalId(0);
        let mut path = Vec::new();
        for (who, target) in &outline.steps {
            let Some(local) = locals.get(*who).copied().flatten() else { break };
            let targets = self.fire(global, local)?;
            let found = match target {
                Target::Numbered(number) => targets.get(*number),
                Target::Named { local, global } => targets.iter().find(|(to, after)| {
                    self.states.builder.local_name(*to) == local
                        && self.states.builder.global_name(*after) == *global
                }),
            };
            let Some((to, after)) = found.copied() else { break };
            path.push((to, after));
            if let Some(slot) = locals.get_mut(*who) {
                *slot = Some(to);
            }
            global = after;
        }
        Ok(path)
    }

    /// The steps of all serial runs with this outcome, and of their beginnings.
    fn serial(&mut self, outline: &Outline) -> Result<(), StepError> {
        let letters = outline.outcome.iter();
        let letters: Vec<Wanted<'_>> = letters
            .map(|(label, response, n)| (label.as_str(), Some(response.as_str()), *n))
            .collect();
        self.serial_runs(&letters)
    }

    /// The steps of all serial runs of the requests, whatever they respond.
    fn whatever(&mut self, outline: &Outline) -> Result<(), StepError> {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        outline.requests.iter().for_each(|label| *counts.entry(label).or_default() += 1);
        let letters: Vec<Wanted<'_>> = counts.iter().map(|(label, n)| (*label, None, *n)).collect();
        self.serial_runs(&letters)
    }

    /// The steps of all serial runs with these letters, and of their beginnings.
    fn serial_runs(&mut self, letters: &[Wanted<'_>]) -> Result<(), StepError> {
        let most = self.limits.max_states.saturating_mul(PAIRS_PER_STATE);
        let rest: Vec<u64> = letters.iter().map(|(_, _, count)| *count).collect();
        let mut edges: FxHashMap<(GlobalId, &str), Vec<Edge>> = FxHashMap::default();
        let mut seen: FxHashSet<(GlobalId, Vec<u64>)> = FxHashSet::default();
        seen.insert((GlobalId(0), rest.clone()));
        let mut open = vec![(GlobalId(0), rest)];
        while let Some((global, rest)) = open.pop() {
            self.states.check(self.limits, self.bytes)?;
            for (at, (label, response, _)) in letters.iter().enumerate() {
                let Some(left) = rest.get(at).and_then(|count| count.checked_sub(1)) else {
                    continue;
                };
                let edges = match edges.entry((global, *label)) {
                    std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                    std::collections::hash_map::Entry::Vacant(new) => {
                        new.insert(self.alone(global, label)?)
                    }
                };
                let mut less = rest.clone();
                if let Some(count) = less.get_mut(at) {
                    *count = left;
                }
                let is_wanted = |given: &str| response.is_none_or(|response| given == response);
                for (_, after) in edges.iter().filter(|(given, _)| is_wanted(given)) {
                    let pair = (*after, less.clone());
                    if seen.contains(&pair) {
                        continue;
                    }
                    if seen.len() >= most {
                        return Err(StepError::Stop(Stop::States { limit: most }));
                    }
                    self.bytes += 2 * (64 + 8 * less.len());
                    seen.insert(pair.clone());
                    open.push(pair);
                }
            }
        }
        Ok(())
    }

    /// What one request with this label can do at `global` with nobody else in flight.
    fn alone(&mut self, global: GlobalId, label: &str) -> Result<Vec<Edge>, StepError> {
        let Some(start) = self.states.spawned(label) else { return Ok(Vec::new()) };
        // One that aborts may also have done nothing. To list more than there is does no harm.
        let mut edges = vec![(ABORT.to_owned(), global)];
        let mut seen: FxHashSet<(LocalId, GlobalId)> = FxHashSet::from_iter([(start, global)]);
        let mut open = vec![(start, global)];
        while let Some((local, now)) = open.pop() {
            if let Some(response) = self.states.response(local) {
                edges.push((response, now));
                continue;
            }
            for next in self.fire(now, local)? {
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        Ok(edges)
    }
}
