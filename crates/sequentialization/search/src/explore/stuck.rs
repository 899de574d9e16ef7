//! Processes that can never take a step again, even if others go on forever.
//!
//! A process is blocked forever in a state from which no step of it can be reached: backward from
//! its steps, whatever is not found.

use super::Stop;
use super::search::{Search, StateId};
use ser_base::Limits;
use ser_sequentialization_checker::run::Actor;
use std::collections::BTreeSet;

/// The steps of a search.
#[derive(Default)]
pub(super) struct Graph {
    edges: Vec<(StateId, StateId, u16)>,
}

impl Graph {
    pub(super) fn edge(&mut self, from: StateId, to: StateId, actor: u16) {
        self.edges.push((from, to, actor));
    }

    /// Somebody other than a server who is blocked forever in some state. Members of a set are
    /// alike: one of them stands for all.
    pub(super) fn blocked(
        &self,
        search: &Search<'_>,
        limits: &Limits,
    ) -> Result<Option<Actor>, Stop> {
        let states = search.len();
        // Who comes before whom, as one list with the place where each state's part starts.
        let mut start = vec![0_usize; states + 1];
        for (_, to, _) in &self.edges {
            start[*to as usize + 1] += 1;
        }
        for place in 0..states {
            start[place + 1] += start[place];
        }
        let mut fill = start.clone();
        let mut before: Vec<StateId> = vec![0; self.edges.len()];
        for (from, to, _) in &self.edges {
            before[fill[*to as usize]] = *from;
            fill[*to as usize] += 1;
        }
        let mut seen = BTreeSet::new();
        for (place, actor) in search.actors.iter().enumerate() {
            if !seen.insert(actor.process) {
                continue;
            }
            limits.check_clock()?;
            let mut lives = vec![false; states];
            let mut open: Vec<StateId> =
                self.edges.iter().filter(|it| it.2 as usize == place).map(|it| it.0).collect();
            while let Some(state) = open.pop() {
                if !std::mem::replace(&mut lives[state as usize], true) {
                    open.extend(&before[start[state as usize]..start[state as usize + 1]]);
                }
            }
            let dead = (0..states).find(|it| !lives[*it] && search.waiting(*it as StateId, place));
            if dead.is_some() {
                return Ok(Some(*actor));
            }
        }
        Ok(None)
    }
}
