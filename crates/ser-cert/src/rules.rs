//! `rules`: every pause is harmless, shown without looking at any global state.
//!
//! A rule net has the transitions of `net`, with what they read and write in place of global
//! states: `x -> e` with reads R and writes W stands for all `s + x -> s[W] + e` where the
//! valuation s agrees with R. It begins with one valuation. The normal form of a system of rules
//! is that of the network system that it stands for, by the theorem of `net`.
//!
//! The reductions of a certificate, in their order: `facts` works out what may be the case while a
//! request is in flight (see `facts`) and drops what is ruled out; `idle` drops waiting; `move`
//! eliminates a place (see `mover`). Each keeps the outcomes of the complete runs.
//!
//! *Theorem.* If at the end no transition puts a request into a place, the system is serializable.
//! *Proof.* Every complete run of the reduced net is a sequence of transitions that take nothing
//! and complete a request (one that takes from a place has nothing to take). Every transition of
//! every net on the way is made of steps that one request takes one after the other, with nobody
//! in between. So every outcome is that of a run in which requests run one after the other. ∎

mod facts;
mod idle;
mod mover;

use crate::accept::{Accepted, Argument};
use crate::format::{RuleProof, RuleReduction};
use crate::meter::Meter;
use crate::names::{Letter, Names, Place};
use crate::net::Effect;
use crate::reject::At;
use crate::{Reason, Rejection};
use facts::Facts;
use ser_model::{RuleSystem, VariableId};
use std::collections::{BTreeMap, BTreeSet};

/// Values of some of the variables.
pub(crate) type Values = BTreeMap<VariableId, i64>;

/// `take -> effect`, wherever the valuation agrees with `reads`; it changes by `writes`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Transition {
    /// The place that the request was in; none if it arrives.
    pub(crate) take: Option<Place>,
    pub(crate) reads: Values,
    pub(crate) writes: Values,
    pub(crate) effect: Effect,
}

impl Transition {
    /// The place that the request is in afterwards.
    pub(crate) fn put(&self) -> Option<Place> {
        match self.effect {
            Effect::Place(place) => Some(place),
            Effect::Outcome(_) => None,
        }
    }
}

/// A rule net.
pub(crate) struct RuleNet<'a> {
    pub(crate) system: &'a RuleSystem,
    pub(crate) transitions: BTreeSet<Transition>,
}

impl<'a> RuleNet<'a> {
    /// The normal form of a system of rules.
    fn new(system: &'a RuleSystem, meter: &mut Meter<'_>) -> Result<RuleNet<'a>, Reason> {
        let frame = system.frame();
        let mut transitions = BTreeSet::new();
        let mut known: BTreeSet<(Option<Place>, Place)> = BTreeSet::new();
        let mut todo: Vec<(Option<Place>, Place)> = Vec::new();
        for &(request, local) in frame.spawns() {
            for response in frame.replies_of(local) {
                meter.entry()?;
                let effect = Effect::Outcome(Letter { request, response });
                let (reads, writes) = (Values::new(), Values::new());
                transitions.insert(Transition { take: None, reads, writes, effect });
            }
            todo.push((None, Place { request, local }));
        }
        while let Some((take, place)) = todo.pop() {
            if !known.insert((take, place)) {
                continue;
            }
            let request = place.request;
            for rule in system.rules_of(place.local) {
                let mut effects: Vec<Effect> = frame
                    .replies_of(rule.to)
                    .map(|response| Effect::Outcome(Letter { request, response }))
                    .collect();
                if !system.rules_of(rule.to).is_empty() {
                    let next = Place { request, local: rule.to };
                    effects.push(Effect::Place(next));
                    todo.push((Some(next), next));
                }
                for effect in effects {
                    meter.row(4 * rule.footprint.reads.len())?;
                    let reads = rule.footprint.reads.iter().copied().collect();
                    let writes = rule.footprint.writes.iter().copied().collect();
                    transitions.insert(Transition { take, reads, writes, effect });
                }
            }
        }
        Ok(RuleNet { system, transitions })
    }

    fn puts_into(&self, place: Place) -> impl Iterator<Item = &Transition> {
        self.transitions.iter().filter(move |t| t.put() == Some(place))
    }
}

/// Checks a proof by rules.
pub(crate) fn check(
    proof: &RuleProof,
    system: &RuleSystem,
    names: &Names<'_>,
    meter: &mut Meter<'_>,
) -> Result<Accepted, Rejection> {
    let mut net = RuleNet::new(system, meter).at(|| "normal form".into())?;
    let mut facts = Facts::nothing_known();
    let mut moved = 0;
    for (i, reduction) in proof.reductions.iter().enumerate() {
        let place = || format!("reductions[{i}]");
        meter.work(net.transitions.len() + 1).at(place)?;
        match reduction {
            RuleReduction::Facts => {
                facts = Facts::of(&net, meter).at(place)?;
                facts::drop_impossible(&mut net, &facts);
                facts::drop_hopeless(&mut net, meter).at(place)?;
            }
            RuleReduction::Idle => idle::drop_idle(&mut net, meter).at(place)?,
            RuleReduction::Move(entry) => {
                let inside = || format!("{}.move", place());
                mover::eliminate(&mut net, entry, &facts, names, meter).at(inside)?;
                moved += 1;
            }
        }
    }
    if let Some(t) = net.transitions.iter().find(|t| t.put().is_some()) {
        let transition = names.show_rule(t);
        return Err(Reason::StillInFlight { transition }.at("end of reductions"));
    }
    let transitions = net.transitions.len();
    let argument = Argument::Rules { moved };
    Ok(Accepted::Serializable { argument, transitions, places: 0, serial_states: 0 })
}
