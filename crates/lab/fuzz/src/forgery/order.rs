//! Real-time order, by definition: who responds before another one arrives comes first.

use super::net::Letter;
use super::runs::Serial;
use ser_model::{GlobalId, LocalId, NetworkSystem, RequestId, ResponseId};
use std::collections::BTreeSet;

/// A request of a complete run: who had responded when it arrived, and its letter.
pub(super) type Ordered = (Vec<usize>, Letter);

/// A request of a run: its label, who had responded when it arrived, and where it is or what it
/// has responded.
type Request = (RequestId, Vec<usize>, Result<LocalId, ResponseId>);

/// The most configurations to look at.
const MOST: usize = 10_000;

/// Whether some order of these requests that keeps precedence is that of a serial run.
pub(super) fn has_order(serial: &Serial, requests: &[Ordered]) -> bool {
    fn go_on(serial: &Serial, at: GlobalId, requests: &[Ordered], done: &mut Vec<usize>) -> bool {
        if done.len() == requests.len() {
            return true;
        }
        (0..requests.len()).any(|i| {
            let (before, letter) = &requests[i];
            if done.contains(&i) || !before.iter().all(|it| done.contains(it)) {
                return false;
            }
            done.push(i);
            let found = serial.next(at, *letter).any(|to| go_on(serial, to, requests, done));
            done.pop();
            found
        })
    }
    go_on(serial, serial.initial, requests, &mut Vec::new())
}

/// Whether every complete run of at most so many requests has such an order; nothing if there are
/// too many to tell.
pub(super) fn keeps_order(system: &NetworkSystem, most: usize) -> Option<bool> {
    let serial = Serial::of(system);
    let start: (GlobalId, Vec<Request>) = (system.initial_global(), Vec::new());
    let mut seen = BTreeSet::from([start.clone()]);
    let mut open = vec![start];
    while let Some((global, requests)) = open.pop() {
        let mut next = Vec::new();
        for (i, (_, _, at)) in requests.iter().enumerate() {
            let Ok(local) = *at else { continue };
            let steps = system.steps_at(local, global).iter().map(|s| (s.after, Ok(s.to)));
            for (global, at) in steps.chain(system.replies_of(local).map(|r| (global, Err(r)))) {
                let mut requests = requests.clone();
                requests[i].2 = at;
                next.push((global, requests));
            }
        }
        let responded = requests.iter().enumerate().filter(|(_, it)| it.2.is_err());
        let before: Vec<usize> = responded.map(|(i, _)| i).collect();
        if requests.len() < most {
            for (request, local) in system.spawns() {
                let mut requests = requests.clone();
                requests.push((*request, before.clone(), Ok(*local)));
                next.push((global, requests));
            }
        }
        if before.len() == requests.len() {
            let letter = |it: &Request| it.2.err().map(|response| (it.1.clone(), (it.0, response)));
            let ordered: Vec<Ordered> = requests.iter().filter_map(letter).collect();
            if !has_order(&serial, &ordered) {
                return Some(false);
            }
        }
        open.extend(next.into_iter().filter(|it| seen.insert(it.clone())));
        if seen.len() > MOST {
            return None;
        }
    }
    Some(true)
}
