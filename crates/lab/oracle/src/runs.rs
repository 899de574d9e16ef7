//! All complete runs of few requests: Int and Ser of section 2.3, as far as they can be listed.
//!
//! What a request responds does not count if it has given up. An outcome is then explained by any
//! serial run that has it, or that has what is left of it without some of those who have given up.

use crate::network::{Network, State, TooMuch, new_request, processing_step, response};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// A multiset of pairs (request, response), sorted.
pub type Outcome = Vec<(String, String)>;

/// All states that so many requests can be in, with at most so many of them in flight at a time.
pub struct Runs {
    states: FxHashSet<State>,
    in_flight: usize,
}

impl Runs {
    /// Nobody has arrived. `in_flight` is 1 for serial runs.
    pub fn new(network: &impl Network, in_flight: usize) -> Runs {
        let start = State { g: network.g0(), r: Vec::new(), z: Vec::new() };
        Runs { states: FxHashSet::from_iter([start]), in_flight }
    }

    /// One more request arrives, and everybody does whatever can be done.
    pub fn one_more(
        &mut self,
        network: &mut impl Network,
        max_states: usize,
    ) -> Result<(), TooMuch> {
        let mut open = Vec::new();
        for state in std::mem::take(&mut self.states) {
            if state.r.len() < self.in_flight {
                open.append(&mut new_request(network, &state));
            }
        }
        while let Some(state) = open.pop() {
            if self.states.contains(&state) {
                continue;
            }
            if self.states.len() >= max_states {
                return Err(TooMuch::States);
            }
            open.append(&mut processing_step(network, &state)?);
            open.append(&mut response(network, &state));
            self.states.insert(state);
        }
        Ok(())
    }

    /// The global states that were met.
    pub fn globals(&self) -> impl Iterator<Item = usize> + '_ {
        self.states.iter().map(|state| state.g)
    }

    /// Whether somebody who is there in one of these states can never complete, not even if so many
    /// more arrive.
    pub fn somebody_waits(
        &self,
        network: &mut impl Network,
        more: usize,
        max_states: usize,
    ) -> Result<bool, TooMuch> {
        for state in &self.states {
            for at in 0..state.r.len() {
                if at > 0 && state.r[at - 1] == state.r[at] {
                    continue;
                }
                if !can_complete(network, state, at, more, max_states)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn complete(&self) -> impl Iterator<Item = &Vec<(usize, usize)>> {
        self.states.iter().filter(|state| state.r.is_empty()).map(|state| &state.z)
    }

    /// The outcomes of complete runs.
    pub fn outcomes(&self, network: &impl Network) -> BTreeSet<Outcome> {
        self.complete().map(|z| named(network, z)).collect()
    }
}

/// Whether the request at this place of a state can complete.
fn can_complete(
    network: &mut impl Network,
    state: &State,
    at: usize,
    more: usize,
    max_states: usize,
) -> Result<bool, TooMuch> {
    let hero = state.r[at].0;
    let mut others: Vec<usize> = state.r.iter().map(|(local, _)| *local).collect();
    others.remove(at);
    others.sort_unstable();
    let mut open = vec![(state.g, hero, others, more)];
    let mut seen = FxHashSet::from_iter(open.clone());
    let arriving: Vec<usize> = network.req().iter().map(|(_, local)| *local).collect();
    while let Some((g, hero, others, more)) = open.pop() {
        if !network.resp(hero).is_empty() {
            return Ok(true);
        }
        if seen.len() > max_states {
            return Err(TooMuch::States);
        }
        let mut next = Vec::new();
        for (to, after) in network.delta(hero, g)? {
            next.push((after, to, others.clone(), more));
        }
        for at in 0..others.len() {
            for (to, after) in network.delta(others[at], g)? {
                let mut others = others.clone();
                others[at] = to;
                others.sort_unstable();
                next.push((after, hero, others, more));
            }
        }
        if more > 0 {
            for local in &arriving {
                let mut others = others.clone();
                others.push(*local);
                others.sort_unstable();
                next.push((g, hero, others, more - 1));
            }
        }
        next.retain(|it| seen.insert(it.clone()));
        open.append(&mut next);
    }
    Ok(false)
}

fn named(network: &impl Network, z: &[(usize, usize)]) -> Outcome {
    let name = |(label, response): &(usize, usize)| {
        (network.request_name(*label), network.response_name(*response))
    };
    let mut outcome: Outcome = z.iter().map(name).collect();
    outcome.sort();
    outcome
}

/// Whether a serial run has this outcome, or one that lacks some of the requests that have given
/// up. `serial` has the outcomes of serial runs by the number of requests.
fn is_explained(
    network: &impl Network,
    z: &[(usize, usize)],
    serial: &[FxHashSet<Vec<(usize, usize)>>],
) -> bool {
    let given_up = (0..z.len()).filter(|at| !network.counts(z[*at].1));
    let mut candidates = vec![z.to_vec()];
    // From the last one on, so that places stay what they are.
    for at in given_up.collect::<Vec<_>>().into_iter().rev() {
        let mut without = candidates.clone();
        for z in &mut without {
            z.remove(at);
        }
        candidates.append(&mut without);
    }
    candidates.iter().any(|z| serial.get(z.len()).is_some_and(|known| known.contains(z)))
}

/// What serial runs explain: `serial` has their outcomes by the number of requests, and `given_up`
/// requests with responses that do not count.
pub fn explained(
    serial: &[BTreeSet<Outcome>],
    given_up: &BTreeSet<(String, String)>,
) -> Vec<BTreeSet<Outcome>> {
    let mut explained: Vec<BTreeSet<Outcome>> = Vec::new();
    for outcomes in serial {
        let mut more = outcomes.clone();
        for outcome in explained.last().into_iter().flatten() {
            for pair in given_up {
                let mut outcome = outcome.clone();
                outcome.push(pair.clone());
                outcome.sort();
                more.insert(outcome);
            }
        }
        explained.push(more);
    }
    explained
}

/// What was found about runs of few requests.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Findings {
    /// Some outcome of this many requests, and of no fewer, is not serial.
    Broken { requests: usize, outcomes: BTreeSet<Outcome> },
    /// Every outcome of at most this many requests is serial.
    Unbroken { requests: usize },
}

/// Compares interleaved with serial outcomes of 1, 2, ... `most` requests, as far as `max_states`
/// go.
///
/// The only error is a value that leaves 64 bits, in a run of that many requests.
pub fn compare(
    network: &mut impl Network,
    most: usize,
    max_states: usize,
) -> Result<Findings, TooMuch> {
    let mut int = Runs::new(network, usize::MAX);
    let mut ser = Runs::new(network, 1);
    let mut serial = vec![FxHashSet::from_iter([Vec::new()])];
    for requests in 1..=most {
        let both = int.one_more(network, max_states).and(ser.one_more(network, max_states));
        match both {
            Ok(()) => {}
            Err(TooMuch::States) => return Ok(Findings::Unbroken { requests: requests - 1 }),
            Err(TooMuch::Overflow) => return Err(TooMuch::Overflow),
        }
        serial.push(ser.complete().cloned().collect());
        let broken: BTreeSet<Outcome> = int
            .complete()
            .filter(|z| !is_explained(network, z, &serial))
            .map(|z| named(network, z))
            .collect();
        if !broken.is_empty() {
            return Ok(Findings::Broken { requests, outcomes: broken });
        }
    }
    Ok(Findings::Unbroken { requests: most })
}
