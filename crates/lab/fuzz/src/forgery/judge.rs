//! Whether an accepted forgery is one.
//!
//! The checker has said yes. That is fine only by an argument that does not rest on the checker.

use super::claims::{Claim, Ground, try_slices};
use super::net::{Letter, global_id, letter, local_id, request_id};
use super::order::{Ordered, has_order};
use super::runs::Serial;
use super::subject::Subject;
use ser_model::{LocalId, NetworkSystem, RequestId};
use ser_serializability_checker::{Accepted, Certificate, Counterexample, Event, Proof, Verdict};

/// Why an accepted mutant is all right.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// It is the genuine certificate, in other words or with another file name.
    Same,
    /// Its run was replayed by definition on the whole system, and no order of its requests, one at
    /// a time, has its outcome.
    Replayed,
    /// Its statements were tried on all runs of few requests, and hold; and brute force finds no
    /// outcome that is not serial.
    Tried,
    /// Brute force finds no outcome that is not serial; there is too much to try its statements.
    VerdictOnly,
}

impl Class {
    /// In words, with what it rests on.
    pub fn words(self) -> &'static str {
        match self {
            Class::Same => "the same certificate once it is read",
            Class::Replayed => "another run: replayed, and no serial order has its outcome",
            Class::Tried => "another proof: its statements hold of all runs with 3 requests",
            Class::VerdictOnly => "another proof: too large to try, but the verdict is true",
        }
    }
}

/// The argument for an accepted certificate, or what is wrong with it.
pub fn judge(
    subject: &Subject,
    cert: &Certificate,
    genuine: &Certificate,
) -> Result<Class, String> {
    match &cert.verdict {
        Verdict::NotSerializable(run) => {
            match &run.slice {
                None => replay(run, &subject.whole)?,
                Some(slice) => {
                    let (_, model) = subject.slice(slice).ok_or("there is no such slice")?;
                    replay(run, model.system())?;
                    if !run.strict {
                        subject.knows_of(run)?;
                    }
                }
            }
            let same =
                cert.verdict == genuine.verdict && cert.source.sha256 == genuine.source.sha256;
            Ok(if same { Class::Same } else { Class::Replayed })
        }
        Verdict::Serializable(proof) => {
            if subject.is_broken() {
                return Err(format!("the system is broken: {:?}", subject.oracle));
            }
            if cert.verdict == genuine.verdict && cert.source.sha256 == genuine.source.sha256 {
                return Ok(Class::Same);
            }
            let claim = match proof {
                Proof::Slices(slices) => try_slices(slices, subject),
                proof => Ground::new(&subject.whole).try_proof(proof),
            };
            match claim {
                Claim::Holds => Ok(Class::Tried),
                Claim::TooMuch => Ok(Class::VerdictOnly),
                Claim::Fails(words) => Err(words),
            }
        }
    }
}

/// That what a proof is said to show about real-time order is true.
pub fn judge_order(subject: &Subject, accepted: &Accepted) -> Result<(), String> {
    match accepted.is_strict() && subject.keeps_order() == Some(false) {
        true => Err("it does not keep real-time order".into()),
        false => Ok(()),
    }
}

/// A run of the whole system, step by step; and no serial run has its outcome, or none that keeps
/// real-time order if that is what is claimed.
fn replay(run: &Counterexample, system: &NetworkSystem) -> Result<(), String> {
    let mut global = system.initial_global();
    let mut requests: Vec<(RequestId, Option<LocalId>)> = Vec::new();
    let mut outcome: Vec<Letter> = Vec::new();
    let mut ordered: Vec<(Vec<usize>, Option<Letter>)> = Vec::new();
    for event in &run.run {
        let wrong = || format!("this cannot happen: {event:?}");
        match event {
            Event::Start { number, request, local } => {
                let spawn = request_id(request, system).zip(local_id(local, system));
                let spawn = spawn.filter(|s| system.spawns().contains(s)).ok_or_else(wrong)?;
                if *number != requests.len() as u64 + 1 {
                    return Err(wrong());
                }
                let responded = requests.iter().enumerate().filter(|(_, it)| it.1.is_none());
                ordered.push((responded.map(|(i, _)| i).collect(), None));
                requests.push((spawn.0, Some(spawn.1)));
            }
            Event::Step { number, local, global: after } => {
                let (to, after) =
                    local_id(local, system).zip(global_id(after, system)).ok_or_else(wrong)?;
                let slot = slot(&mut requests, *number).ok_or_else(wrong)?;
                let possible = system.steps().iter().any(|s| {
                    Some(s.from) == slot.1 && s.before == global && s.to == to && s.after == after
                });
                if !possible {
                    return Err(wrong());
                }
                (slot.1, global) = (Some(to), after);
            }
            Event::Respond { number, response } => {
                let slot = slot(&mut requests, *number).ok_or_else(wrong)?;
                let name = system.request_name(slot.0);
                let letter = letter(name, response, system).ok_or_else(wrong)?;
                let possible =
                    system.replies().iter().any(|(l, r)| Some(*l) == slot.1 && *r == letter.1);
                if !possible {
                    return Err(wrong());
                }
                slot.1 = None;
                outcome.push(letter);
                let index = usize::try_from(*number).map_or(0, |n| n.saturating_sub(1));
                if let Some(entry) = ordered.get_mut(index) {
                    entry.1 = Some(letter);
                }
            }
        }
    }
    if outcome.is_empty() || requests.iter().any(|(_, local)| local.is_some()) {
        return Err("somebody is still in flight, or nobody ever was".into());
    }
    let listed: u64 = run.outcome.iter().map(|entry| entry.count).sum();
    if listed != outcome.len() as u64 {
        return Err("another outcome is listed".into());
    }
    let serial = Serial::of(system);
    let all = ordered.into_iter().map(|(before, letter)| Some((before, letter?)));
    let all: Vec<Ordered> = all.collect::<Option<_>>().ok_or("somebody does not respond")?;
    let is_serial = match run.strict {
        true => has_order(&serial, &all),
        false => serial.has_outcome(&outcome),
    };
    if is_serial {
        return Err(format!("{outcome:?} is serial"));
    }
    Ok(())
}

fn slot(
    requests: &mut [(RequestId, Option<LocalId>)],
    number: u64,
) -> Option<&mut (RequestId, Option<LocalId>)> {
    requests.get_mut(usize::try_from(number).ok()?.checked_sub(1)?)
}
