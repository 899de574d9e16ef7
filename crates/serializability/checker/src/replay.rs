//! Counterexamples: a run, replayed, whose outcome no serial run has.
//!
//! *Theorem.* If [`check`] accepts, the network system is not serializable. *Proof.* Every event
//! is an arrival, a step or a response of the network system in the configuration that the
//! events before it have led to, and nobody is in flight at the end: it is a complete run, and
//! its outcome was counted on the way. By the theorem of [`serial`] no serial run has this
//! outcome. ∎
//!
//! *Theorem.* The same is true of a program if the network system is what it does *along* the run
//! ([`Scope::Along`](crate::Scope)). *Proof.* All its steps are steps of the program, and so the
//! run is one of the program. Take a serial run of the program with this outcome. After each of its
//! requests it is in a global state, and some rest of the outcome is still to come: that is a pair
//! for which all that one request alone can do has been listed, for every label in the rest, and
//! the next request is one of those (induction on how many there have been). So it would be a
//! serial run of the network system with this outcome, and there is none. The outcome in the
//! certificate, for which that was listed, is the one of the run: it is compared. ∎
//!
//! *Theorem.* If it accepts a counterexample that is *strict*, the network system is not strictly
//! serializable. *Proof.* It is a complete run, as before. A request precedes another one if it
//! had responded when the other one arrived, which is noted at each arrival. By the theorem of
//! [`real_time`] no serial run of these requests with these responses keeps this order. ∎

use crate::format::{Counterexample, Event};
use crate::meter::Meter;
use crate::names::{Letter, Names};
use crate::real_time::Ordered;
use crate::reject::At;
use crate::{Accepted, Reason, Rejection, real_time, serial};
use ser_model::{GlobalId, LocalId, RequestId};
use std::collections::BTreeMap;

/// The longest serial run that a message spells out.
const SHOWN: usize = 12;

/// Replays a counterexample and looks for a serial run with its outcome.
pub(crate) fn check(
    counterexample: &Counterexample,
    names: &Names<'_>,
    meter: &mut Meter<'_>,
) -> Result<Accepted, Rejection> {
    if counterexample.along && counterexample.part.is_some() {
        return Err(Reason::TwoParts.at("part"));
    }
    let mut configuration = Configuration::new(names);
    for (i, event) in counterexample.run.iter().enumerate() {
        let result = meter.work(1).and_then(|()| configuration.apply(event));
        result.at(|| format!("step {}", i + 1))?;
    }
    configuration.check_complete().at(|| "end of run".into())?;
    // A part with fewer requests does not have all their serial runs.
    if let Some(part) = &counterexample.part
        && configuration.requests.len() as u64 > u64::from(part.requests)
    {
        let (run, part) = (configuration.requests.len(), part.requests);
        return Err(Reason::PartTooSmall { run, part }.at("part"));
    }
    check_outcome(counterexample, &configuration.outcome, names)?;
    let search = match counterexample.strict {
        true => real_time::find_run(names.system(), &configuration.ordered, meter),
        false => {
            let outcome = configuration.outcome.iter().map(|(l, n)| (*l, *n));
            serial::find_run(names.system(), &outcome.collect::<Vec<_>>(), meter)
        }
    };
    let search = search.at(|| "outcome".into())?;
    if let Some(run) = search.run {
        let mut shown: Vec<String> = run.iter().map(|l| names.show_letter(*l)).collect();
        if shown.len() > SHOWN {
            shown.truncate(SHOWN);
            shown.push("...".into());
        }
        let run = shown.join(", ");
        return Err(Reason::AlsoSerial { run }.at("outcome"));
    }
    Ok(Accepted::NotSerializable {
        requests: configuration.requests.len(),
        events: counterexample.run.len(),
        serial_states: search.states,
        strict: counterexample.strict,
    })
}

/// Where a run has got to.
struct Configuration<'a> {
    names: &'a Names<'a>,
    global: GlobalId,
    /// For each request that has arrived: its label and its local state, none once it responded.
    requests: Vec<(RequestId, Option<LocalId>)>,
    outcome: BTreeMap<Letter, u64>,
    /// For each request that has arrived: who had responded by then, and its response.
    ordered: Vec<Ordered>,
}

impl<'a> Configuration<'a> {
    fn new(names: &'a Names<'a>) -> Configuration<'a> {
        Configuration {
            names,
            global: names.system().initial_global(),
            requests: Vec::new(),
            outcome: BTreeMap::new(),
            ordered: Vec::new(),
        }
    }

    fn apply(&mut self, event: &Event) -> Result<(), Reason> {
        match event {
            Event::Start { number, request, local } => self.start(*number, request, local),
            Event::Step { number, local, global } => self.step(*number, local, global),
            Event::Respond { number, response } => self.respond(*number, response),
        }
    }

    /// A request arrives: it has the next number and starts where its label may.
    fn start(&mut self, number: u64, request: &str, local: &str) -> Result<(), Reason> {
        let expected = self.requests.len() as u64 + 1;
        if number != expected {
            let found = number;
            return Err(Reason::Numbering { expected, found });
        }
        let spawn = (self.names.request(request)?, self.names.local(local)?);
        if !self.names.system().spawns().contains(&spawn) {
            return Err(Reason::NotInitial {
                request: request.to_owned(),
                local: local.to_owned(),
            });
        }
        // With more, nobody asks.
        let known = self.requests.iter().take(real_time::MOST);
        let responded = known.enumerate().filter(|(_, (_, l))| l.is_none());
        let before = responded.map(|(i, _)| i).collect();
        self.ordered.push(Ordered { before, letter: None });
        self.requests.push((spawn.0, Some(spawn.1)));
        Ok(())
    }

    /// A request in flight steps, and the global state with it.
    fn step(&mut self, number: u64, local: &str, global: &str) -> Result<(), Reason> {
        let (to, after) = (self.names.local(local)?, self.names.global(global)?);
        let (system, before) = (self.names.system(), self.global);
        let (_, slot) = self.in_flight(number)?;
        let mut steps = slot.iter().flat_map(|from| system.steps_at(*from, before));
        if !steps.any(|s| s.to == to && s.after == after) {
            let from = slot.map_or("", |l| system.local_name(l));
            return Err(Reason::NoStep {
                local: from.to_owned(),
                global: system.global_name(before),
                to: local.to_owned(),
                after: global.to_owned(),
            });
        }
        *slot = Some(to);
        self.global = after;
        Ok(())
    }

    /// A request in flight responds and is gone.
    fn respond(&mut self, number: u64, response: &str) -> Result<(), Reason> {
        let answer = self.names.response(response)?;
        let system = self.names.system();
        let (request, slot) = self.in_flight(number)?;
        if !slot.is_some_and(|l| system.replies_of(l).any(|r| r == answer)) {
            let local = slot.map_or("", |l| system.local_name(l)).to_owned();
            let response = response.to_owned();
            return Err(Reason::NoResponse { local, response });
        }
        *slot = None;
        let letter = Letter { request, response: answer };
        *self.outcome.entry(letter).or_insert(0) += 1;
        let index = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
        if let Some(ordered) = index.and_then(|i| self.ordered.get_mut(i)) {
            ordered.letter = Some(letter);
        }
        Ok(())
    }

    /// The label of a request in flight, and its local state.
    fn in_flight(&mut self, number: u64) -> Result<(RequestId, &mut Option<LocalId>), Reason> {
        let request = number;
        let index = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
        match index.and_then(|i| self.requests.get_mut(i)) {
            None => Err(Reason::NotArrived { request }),
            Some((_, None)) => Err(Reason::Responded { request }),
            Some((label, local)) => Ok((*label, local)),
        }
    }

    /// The run has a request, and nobody is in flight any more.
    fn check_complete(&self) -> Result<(), Reason> {
        if self.requests.is_empty() {
            return Err(Reason::EmptyRun);
        }
        match self.requests.iter().position(|(_, l)| l.is_some()) {
            Some(i) => Err(Reason::NeverResponds { request: i as u64 + 1 }),
            None => Ok(()),
        }
    }
}

/// The outcome that the certificate lists is the one that the run has.
fn check_outcome(
    counterexample: &Counterexample,
    outcome: &BTreeMap<Letter, u64>,
    names: &Names<'_>,
) -> Result<(), Rejection> {
    let mut listed = BTreeMap::new();
    for (i, entry) in counterexample.outcome.iter().enumerate() {
        let place = || format!("outcome[{i}]");
        let letter = names.letter(&entry.request, &entry.response).at(place)?;
        let run = outcome.get(&letter).copied().unwrap_or(0);
        let what = names.show_letter(letter);
        if listed.insert(letter, entry.count).is_some() {
            return Err(Reason::Repeated { what }.at(place()));
        }
        if run != entry.count || run == 0 {
            let (letter, listed) = (what, entry.count);
            return Err(Reason::OtherOutcome { letter, listed, run }.at(place()));
        }
    }
    match outcome.iter().find(|(letter, _)| !listed.contains_key(letter)) {
        Some((letter, run)) => {
            let (letter, run) = (names.show_letter(*letter), *run);
            let listed = 0;
            Err(Reason::OtherOutcome { letter, listed, run }.at("outcome"))
        }
        None => Ok(()),
    }
}
