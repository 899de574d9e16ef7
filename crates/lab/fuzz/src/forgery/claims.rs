//! What a proof says, held against all runs of few requests.
//!
//! That a verdict is true does not make its argument one. So the statements inside an accepted
//! proof are tried out, by definition and not by the checker's rules:
//!
//! - *reductions* keep the outcomes of few requests;
//! - an *invariant*: every configuration of few requests is covered by a triple all of whose
//!   explanations are explanations of what has been read, and if nobody is in flight, that is
//!   serial;
//! - *arithmetic*: the numbers of every short run lead down the tree to leaves that say how the
//!   outcome is made up of a component, and never to one that is said to be impossible; components
//!   have only serial outcomes;
//! - *rules*: variables count what they are said to count, and running the requests of a short run
//!   alone, in the order of their commit points, gives each the response that it had;
//! - *no yield*: no request is in flight between two steps;
//! - *slices*: few requests of a slice have the outcomes that they have in the program, and what is
//!   said about the slice is true of it.

mod arithmetic;
mod inclusion;
mod rules;
mod slices;

pub(super) use slices::try_slices;

use super::net::{Effect, Net, request_id};
use super::runs::{Extent, Letters, Serial, outcomes};
use ser_model::{GlobalId, LocalId, NetworkSystem, RequestId};
use ser_serializability_checker::{Alike, Proof, Reduction};
use std::collections::BTreeSet;

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Claim {
    /// Every statement is true of all runs that were looked at.
    Holds,
    /// There is too much to look at.
    TooMuch,
    /// One is false: this one.
    Fails(String),
}

/// A system, with what all its proofs are held against.
#[derive(Debug)]
pub(super) struct Ground<'a> {
    pub(super) system: &'a NetworkSystem,
    pub(super) net: Net,
    pub(super) serial: Serial,
}

/// The most requests of runs.
const REQUESTS: usize = 3;

/// For configurations.
const WIDE: Extent = Extent { requests: REQUESTS, length: 0, most: 4_000 };

/// For runs that are listed one by one.
const LONG: Extent = Extent { requests: REQUESTS, length: 9, most: 1_500 };

impl<'a> Ground<'a> {
    pub(super) fn new(system: &'a NetworkSystem) -> Ground<'a> {
        Ground { system, net: Net::of(system), serial: Serial::of(system) }
    }

    /// Tries the statements of a proof.
    pub(super) fn try_proof(&self, proof: &Proof) -> Claim {
        let reductions = match proof {
            Proof::Inclusion(proof) => proof.reductions.as_slice(),
            Proof::Arithmetic(proof) => proof.reductions.as_slice(),
            Proof::Rules(_) | Proof::Symbolic(_) | Proof::NoYield | Proof::Slices(_) => &[],
        };
        let Some(Reduction::Alike(entry)) = reductions.first() else {
            return self.try_argument(proof);
        };
        let Some(quotient) = quotient(self.system, entry) else {
            return Claim::Fails("there are no such states".into());
        };
        let ground = Ground::new(&quotient);
        let (Some(all), Some(left)) = (outcomes(&self.net, WIDE), outcomes(&ground.net, WIDE))
        else {
            return Claim::TooMuch;
        };
        let all: BTreeSet<Letters> =
            all.into_iter().map(|it| renamed(it, self.system, entry)).collect();
        if all != left {
            return Claim::Fails(format!("what is not alike: {all:?} becomes {left:?}"));
        }
        ground.try_argument(proof)
    }

    /// Tries the statements of a proof, once states that are alike are one.
    fn try_argument(&self, proof: &Proof) -> Claim {
        match proof {
            Proof::Inclusion(proof) => self.on_reduced(&proof.reductions, |net| {
                inclusion::Invariant::try_all(proof, net, self)
            }),
            Proof::Arithmetic(proof) => {
                self.on_reduced(&proof.reductions, |net| arithmetic::try_all(proof, net, self))
            }
            Proof::Rules(proof) => rules::try_all(proof, self),
            Proof::NoYield => self.try_no_yield(),
            // These are about several systems, not about this one.
            Proof::Slices(_) => Claim::Fails("slices of a slice".into()),
            // Its statements are about all values.
            Proof::Symbolic(_) => Claim::TooMuch,
        }
    }

    /// Whether nobody is in flight between two steps.
    fn try_no_yield(&self) -> Claim {
        let flies = self.net.transitions.iter().find(|t| matches!(t.effect, Effect::Place(_)));
        match flies {
            Some(t) => Claim::Fails(format!("a request yields: {t:?}")),
            None => Claim::Holds,
        }
    }

    fn on_reduced(&self, list: &[Reduction], then: impl Fn(&Net) -> Claim) -> Claim {
        let Some(reduced) = self.net.reduced(list, self.system) else {
            return Claim::Fails("a reduction names what does not exist".into());
        };
        let (Some(all), Some(left)) = (outcomes(&self.net, WIDE), outcomes(&reduced, WIDE)) else {
            return Claim::TooMuch;
        };
        if all != left {
            let shown = format!("the reductions change the outcomes: {all:?} becomes {left:?}");
            return Claim::Fails(shown);
        }
        then(&reduced)
    }
}

/// The system with the first state of each group in place of the others.
fn quotient(system: &NetworkSystem, entry: &Alike) -> Option<NetworkSystem> {
    let mut globals: Vec<GlobalId> = system.globals().collect();
    let mut locals: Vec<LocalId> = (0..system.local_count()).map(LocalId::from_index).collect();
    for group in &entry.globals {
        let find = |name: &String| system.globals().find(|g| system.global_name(*g) == *name);
        let first = find(group.first()?)?;
        for name in group {
            globals[find(name)?.index()] = first;
        }
    }
    for group in &entry.locals {
        let all = locals.clone();
        let find = |name: &String| {
            (0..all.len()).map(LocalId::from_index).find(|l| system.local_name(*l) == name)
        };
        let first = find(group.first()?)?;
        for name in group {
            locals[find(name)?.index()] = first;
        }
    }
    let request = |r| standing_for(r, system, entry);
    Some(system.quotient(|g| globals[g.index()], |l| locals[l.index()], request))
}

/// The request that stands for this one.
fn standing_for(request: RequestId, system: &NetworkSystem, entry: &Alike) -> RequestId {
    let name = system.request_name(request);
    let group = entry.requests.iter().find(|group| group.iter().any(|it| it == name));
    group.and_then(|group| request_id(group.first()?, system)).unwrap_or(request)
}

/// The letters with the names of requests that stand for others.
fn renamed(letters: Letters, system: &NetworkSystem, entry: &Alike) -> Letters {
    let of = |request| standing_for(request, system, entry);
    let mut letters: Letters = letters.into_iter().map(|(request, r)| (of(request), r)).collect();
    letters.sort_unstable();
    letters
}
