//! Whether a serial run has an outcome, found out by trying.
//!
//! A depth-first search over pairs of a global state and a rest of the outcome, the responses in
//! the order in which they were given first: mostly, that is a serial run. The checker does the
//! same again, in its own way.

use super::ground::{Letter, Moves, Next};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::Stop;
use std::rc::Rc;

/// The most pairs to look at for one outcome. With more, it counts as serial.
const MOST_PAIRS: usize = 20_000;

/// The most states of one request that runs alone. With more, outcomes count as serial.
const MOST_ALONE: usize = 5_000;

/// What one request alone may respond, and where that leads; nothing if that is too much.
type Alone = Option<Rc<[(u32, u32)]>>;

/// What is known about serial runs.
#[derive(Default)]
pub(crate) struct Serial {
    /// By global state and request label.
    alone: FxHashMap<(u32, u32), Alone>,
    /// Outcomes, with how often each letter occurs, and whether they are known not to be serial.
    known: FxHashMap<Vec<(Letter, u32)>, bool>,
    pub work: usize,
}

impl Serial {
    /// Whether it is certain that no serial run has this outcome.
    pub fn has_none(&mut self, letters: &[Letter], moves: &mut Moves<'_>) -> Result<bool, Stop> {
        // By the order of the first time that each occurs.
        let mut order: Vec<(Letter, u32)> = Vec::new();
        for letter in letters {
            match order.iter_mut().find(|(known, _)| known == letter) {
                Some((_, count)) => *count += 1,
                None => order.push((*letter, 1)),
            }
        }
        self.work += letters.len();
        let mut key = order.clone();
        key.sort_unstable();
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let found = self.search(&order, moves)?;
        self.known.insert(key, found);
        Ok(found)
    }

    fn search(&mut self, order: &[(Letter, u32)], moves: &mut Moves<'_>) -> Result<bool, Stop> {
        let rest: Vec<u32> = order.iter().map(|(_, count)| *count).collect();
        let start = (moves.initial(), rest);
        let mut seen: FxHashSet<(u32, Vec<u32>)> = FxHashSet::from_iter([start.clone()]);
        let mut open = vec![start];
        while let Some((global, rest)) = open.pop() {
            if rest.iter().all(|count| *count == 0) || seen.len() > MOST_PAIRS {
                return Ok(false);
            }
            // The first letter is to be on top.
            for (at, ((label, response), _)) in order.iter().enumerate().rev() {
                if rest[at] == 0 {
                    continue;
                }
                let Some(edges) = self.alone(global, *label, moves)? else { return Ok(false) };
                for (_, after) in edges.iter().filter(|(given, _)| given == response) {
                    self.work += 1 + rest.len() / 4;
                    let mut less = rest.clone();
                    less[at] -= 1;
                    if seen.insert((*after, less.clone())) {
                        open.push((*after, less));
                    }
                }
            }
        }
        Ok(true)
    }

    /// What one request of this label may do with nobody else in flight.
    fn alone(&mut self, global: u32, label: u32, moves: &mut Moves<'_>) -> Result<Alone, Stop> {
        if let Some(known) = self.alone.get(&(global, label)) {
            return Ok(known.clone());
        }
        let mut edges: Vec<(u32, u32)> = Vec::new();
        let mut seen: FxHashSet<(u32, u32)> = FxHashSet::default();
        let mut open: Vec<(u32, u32)> = Vec::new();
        let entries = moves.entries().iter().enumerate();
        let own: Vec<usize> = entries.filter(|(_, (l, _))| *l == label).map(|(i, _)| i).collect();
        let mut todo = Vec::new();
        for entry in own {
            todo.extend(moves.arriving(global, entry)?.iter().copied());
        }
        let mut is_small = true;
        loop {
            for next in todo.drain(..) {
                match next.to {
                    Next::Responds(response) => edges.push((response, next.after)),
                    Next::InFlight(local) => {
                        if seen.insert((local, next.after)) {
                            open.push((local, next.after));
                        }
                    }
                }
            }
            let Some((local, global)) = open.pop() else { break };
            if seen.len() > MOST_ALONE {
                is_small = false;
                break;
            }
            todo.extend(moves.of(global, local)?.iter().copied());
            self.work += 1 + todo.len();
        }
        edges.sort_unstable();
        edges.dedup();
        let alone: Alone = is_small.then(|| edges.into());
        self.alone.insert((global, label), alone.clone());
        Ok(alone)
    }
}
