//! Exploration by counting: global states together with how many requests are in which local
//! state, exactly below a cap, and "that many or more" from the cap on.
//!
//! Sharper than [`spread`](super::spread) where a global variable counts requests (semaphores,
//! tickets): there, a request that leaves without having entered would count down for ever. And
//! more expensive: used only when pairs alone seem to have no end.
//!
//! Requests arrive at any time, so those that are where they started need not be counted; unless
//! only so many requests arrive at all, which gives all runs with that many requests.

use super::machine::Trouble;
use super::states::States;
use crate::{GlobalId, Limits, LocalId, Stop};
use rustc_hash::FxHashSet;

/// Requests in flight: local state and number, sorted.
type Crowd = Vec<(LocalId, u32)>;

/// Explores all configurations, at most `max` of them, when at most so many requests arrive.
pub(super) fn count(
    states: &mut States<'_>,
    cap: u32,
    requests: Option<u32>,
    max: usize,
    limits: &Limits,
) -> Result<(), Trouble> {
    let mut seen: FxHashSet<(GlobalId, Crowd, u32)> = FxHashSet::default();
    let mut fired: FxHashSet<(GlobalId, LocalId)> = FxHashSet::default();
    let start = (GlobalId(0), Vec::new(), requests.unwrap_or(0));
    seen.insert(start.clone());
    let mut open: Vec<(GlobalId, Crowd, u32)> = vec![start];
    let mut bytes = 0;
    let mut rounds = 0usize;
    let arriving: Vec<LocalId> = states.initial_locals.clone();
    while let Some((global, crowd, left)) = open.pop() {
        rounds += 1;
        if rounds.is_multiple_of(64) {
            states.check(limits, bytes)?;
        }
        let flying = crowd.iter().enumerate().map(|(i, (l, _))| (*l, Some(i)));
        let closed = requests.is_some() && left == 0;
        let arriving = if closed { &[][..] } else { &arriving };
        let movers = arriving.iter().map(|l| (*l, None)).chain(flying);
        for (local, place) in movers {
            // A step is recorded once, however many configurations it occurs in.
            let targets = if fired.insert((global, local)) {
                states.fire(global, local)?
            } else {
                states.look(global, local)?
            };
            for (to, after) in targets {
                for mut rest in without(&crowd, place, cap) {
                    let counts = requests.is_some() || !states.is_initial(to);
                    if !states.is_done(to) && counts {
                        add(&mut rest, to, cap);
                    }
                    let used = u32::from(place.is_none() && requests.is_some());
                    let configuration = (after, rest, left - used);
                    if seen.contains(&configuration) {
                        continue;
                    }
                    bytes += 200 + configuration.1.len() * 24;
                    if seen.len() >= max {
                        return Err(Trouble::Stop(Stop::States { limit: max }));
                    }
                    seen.insert(configuration.clone());
                    open.push(configuration);
                }
            }
        }
    }
    Ok(())
}

/// The crowd without one request of an entry; two possibilities at the cap.
fn without(crowd: &Crowd, entry: Option<usize>, cap: u32) -> Vec<Crowd> {
    let Some(at) = entry else { return vec![crowd.clone()] };
    let mut less = crowd.clone();
    let number = less[at].1;
    if number == 1 {
        less.remove(at);
    } else {
        less[at].1 -= 1;
    }
    if number < cap { vec![less] } else { vec![less, crowd.clone()] }
}

fn add(crowd: &mut Crowd, local: LocalId, cap: u32) {
    match crowd.binary_search_by_key(&local, |(l, _)| *l) {
        Ok(at) => crowd[at].1 = cap.min(crowd[at].1 + 1),
        Err(at) => crowd.insert(at, (local, 1)),
    }
}
