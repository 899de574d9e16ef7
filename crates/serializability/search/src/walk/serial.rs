//! Whether a serial run has an outcome, found out by trying.
//!
//! Mostly, the requests one after the other in the order of their responses, or of their arrival,
//! are a serial run already, or nearly so. If not, there is a depth-first search over pairs of
//! a global state and a rest of the outcome. The checker does the same again, in its own way.

use super::ground::{Letter, Moves, Next};
use rustc_hash::{FxHashMap, FxHashSet};
use ser_base::Stop;
use std::rc::Rc;

/// The most pairs to look at for one outcome. With more, it counts as serial.
pub(super) const MOST_PAIRS: usize = 200_000;

/// So many pairs are looked at in a promising order.
const GUIDED: usize = 200;

/// The most states of one request that runs alone. With more, outcomes count as serial.
const MOST_ALONE: usize = 5_000;

/// What one request alone may respond, and where that leads; nothing if that is too much.
type Alone = Option<Rc<[(u32, u32)]>>;

/// What is known about serial runs.
#[derive(Default)]
pub(crate) struct Serial {
    /// By global state and request label.
    alone: FxHashMap<(u32, u32), Alone>,
    /// Outcomes, with how often each letter occurs.
    known: FxHashMap<Vec<(Letter, u32)>, Found>,
    pub work: usize,
    /// How much of it was for outcomes that needed a closer look.
    pub close: usize,
}

/// What a search for a serial run came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    Run,
    Nothing,
    /// It was given up after so many pairs.
    GivenUp(usize),
}

impl Serial {
    /// Whether it is certain that no serial run has this outcome, as far as a look at so many pairs
    /// tells. The responses come in the order in which they were given, each with the number of
    /// its request by arrival.
    pub fn has_none(
        &mut self,
        letters: &[(usize, Letter)],
        most: usize,
        moves: &mut Moves<'_>,
    ) -> Result<bool, Stop> {
        self.work += letters.len();
        let mut given: Vec<Letter> = letters.iter().map(|(_, letter)| *letter).collect();
        let mut order: Vec<(Letter, u32)> = Vec::new();
        for letter in &given {
            match order.iter_mut().find(|(known, _)| known == letter) {
                Some((_, count)) => *count += 1,
                None => order.push((*letter, 1)),
            }
        }
        let most = most.min(MOST_PAIRS);
        order.sort_unstable();
        match self.known.get(&order) {
            Some(Found::GivenUp(after)) if *after < most => {}
            Some(known) => return Ok(*known == Found::Nothing),
            None => {}
        }
        let mut arrived = letters.to_vec();
        arrived.sort_unstable_by_key(|(who, _)| *who);
        let mut arrived: Vec<Letter> = arrived.into_iter().map(|(_, letter)| letter).collect();
        let found = match self.greedy(&mut given, moves)? || self.greedy(&mut arrived, moves)? {
            true => Found::Run,
            false => self.search(&order, most, moves)?,
        };
        self.known.insert(order, found);
        Ok(found == Found::Nothing)
    }

    /// Whether a serial run comes about if always the first response is next that is possible.
    fn greedy(&mut self, rest: &mut Vec<Letter>, moves: &mut Moves<'_>) -> Result<bool, Stop> {
        let mut global = moves.initial();
        'next: while !rest.is_empty() {
            for at in 0..rest.len() {
                let (label, response) = rest[at];
                let edges = self.alone(global, label, moves)?;
                self.work += 1;
                let edges = edges.as_deref().unwrap_or_default();
                if let Some((_, after)) = edges.iter().find(|(given, _)| *given == response) {
                    global = *after;
                    rest.remove(at);
                    continue 'next;
                }
            }
            return Ok(false);
        }
        Ok(true)
    }

    fn search(
        &mut self,
        order: &[(Letter, u32)],
        most: usize,
        moves: &mut Moves<'_>,
    ) -> Result<Found, Stop> {
        let rest: Vec<u32> = order.iter().map(|(_, count)| *count).collect();
        let start = (moves.initial(), rest);
        let mut seen: FxHashSet<(u32, Vec<u32>)> = FxHashSet::from_iter([start.clone()]);
        let mut open = vec![start];
        let mut looked = 0usize;
        let mut next: Vec<(usize, u32, Vec<u32>)> = Vec::new();
        while let Some((global, rest)) = open.pop() {
            if rest.iter().all(|count| *count == 0) {
                return Ok(Found::Run);
            }
            if seen.len() > most {
                return Ok(Found::GivenUp(most));
            }
            looked += 1;
            if looked.is_multiple_of(1 << 8) {
                moves.check()?;
            }
            for (at, ((label, response), _)) in order.iter().enumerate() {
                if rest[at] == 0 {
                    continue;
                }
                let Some(edges) = self.alone(global, *label, moves)? else {
                    return Ok(Found::GivenUp(MOST_PAIRS));
                };
                for (_, after) in edges.iter().filter(|(given, _)| given == response) {
                    self.work += 1 + rest.len() / 4;
                    let mut less = rest.clone();
                    less[at] -= 1;
                    if seen.insert((*after, less.clone())) {
                        // Where all has to be seen, the order does not matter.
                        let possible = match seen.len() > GUIDED {
                            true => 0,
                            false => self.possible(*after, order, &less, moves)?,
                        };
                        next.push((possible, *after, less));
                    }
                }
            }
            // Whatever leaves most of the rest possible comes first.
            next.sort_by_key(|(possible, ..)| *possible);
            open.extend(next.drain(..).map(|(_, global, rest)| (global, rest)));
        }
        Ok(Found::Nothing)
    }

    /// How many letters of the rest are possible at `global`.
    fn possible(
        &mut self,
        global: u32,
        order: &[(Letter, u32)],
        rest: &[u32],
        moves: &mut Moves<'_>,
    ) -> Result<usize, Stop> {
        let mut possible = 0;
        for (((label, response), _), _) in order.iter().zip(rest).filter(|(_, left)| **left > 0) {
            self.work += 1;
            let edges = self.alone(global, *label, moves)?;
            let edges = edges.as_deref().unwrap_or_default();
            possible += usize::from(edges.iter().any(|(given, _)| given == response));
        }
        Ok(possible)
    }

    /// What one request of this label may do with nobody else in flight.
    fn alone(&mut self, global: u32, label: u32, moves: &mut Moves<'_>) -> Result<Alone, Stop> {
        if let Some(known) = self.alone.get(&(global, label)) {
            return Ok(known.clone());
        }
        let free = moves.free(label).into_iter();
        let mut edges: Vec<(u32, u32)> = free.map(|response| (response, global)).collect();
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
