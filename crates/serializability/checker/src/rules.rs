//! `rules`: every yield point is harmless, shown without looking at any global state.
//!
//! A rule net has the transitions of `net`, with what they read and write in place of global
//! states: `x -> e` with reads R and writes W stands for all `s + x -> s[W] + e` where the
//! valuation s agrees with R. It begins with one valuation. The normal form of a system of rules
//! is that of the network system that it stands for, by the theorem of `net`.
//!
//! A system of rules may be *partial*: some rules write values for which there are no rules. Then
//! the normal form also has the transitions to local states without rules and without responses,
//! the first reduction must be `facts`, and no transition that writes such a value may be possible.
//! *This is enough*: take a complete run of the program, and the first step in it that writes such
//! a value. All steps before it have rules, so up to this step it is a run of the normal form (with
//! arrivals just before first steps, and responses just after the steps that allow them), and the
//! step is possible. So there is none, and the rules have all complete runs of the program.
//!
//! Some variables may be *opaque*: nobody keeps track of their values, and a rule stands for many
//! steps of the program. Everything below is then said of the *full* net of a rule net: see
//! `opaque`.
//!
//! The reductions of a certificate, in their order: `facts` works out what may be the case while a
//! request is in flight (see `facts`) and drops what is ruled out; `stuttering` drops waiting;
//! `defer` lets requests come later that only look around. Each keeps the outcomes of the complete
//! runs.
//!
//! Then some places are *after*: a request in them has committed; all others are *before*. Every
//! transition into a place before moves right, every transition out of a place after moves left
//! (see `movers`), and no transition leads from a place after to a place before.
//!
//! *Theorem.* Then the system is serializable. *Proof* (after Lipton). In a complete run every
//! request has one transition with which it commits: it leads from before, or from its arrival, to
//! after, or to its response. Those in front of it lead into places before, and move right; those
//! behind it come out of places after, and move left. Let the requests be 1, 2, ..., n in the order
//! in which they commit. Suppose that 1, ..., i - 1 already run one after the other, each in one
//! go, at the place in the run where it commits. Move each transition of i that is in front of its
//! effect right, the last one first, past everything of others, until it is next to the following
//! one of i; it passes whole requests one transition at a time, and leaves them in one piece. Then
//! move those behind left, the first one first; what they pass belongs to requests that commit
//! later. A swap may replace transitions by others between the same places, so that what is before,
//! effect or after stays so; and it changes neither outcome nor the valuation after the two. In the
//! end every request runs in one go. Such a run is serial. ∎
//!
//! Requests that only read may do without a commit point, if what they find is always there at some
//! moment: see `readers`.

mod deferral;
mod facts;
mod movers;
mod opaque;
mod readers;
mod stuttering;

use crate::accept::{Accepted, Argument};
use crate::format::{PlaceName, RuleProof, RuleReduction, Side};
use crate::meter::Meter;
use crate::names::{Letter, Names, Place};
use crate::net::Effect;
use crate::reject::At;
use crate::{Reason, Rejection};
use facts::Facts;
use movers::Movers;
use readers::Readers;
use rustc_hash::FxHashSet;
use ser_model::{Precision, RequestId, RuleSystem, VariableId};
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
    /// The rule that it comes from, if that is all that is known of what it stands for.
    pub(crate) opaque: Option<usize>,
}

impl Transition {
    /// Whose it is.
    pub(crate) fn request(&self) -> RequestId {
        match (self.take, self.effect) {
            (Some(place), _) | (None, Effect::Place(place)) => place.request,
            (None, Effect::Outcome(letter)) => letter.request,
        }
    }

    /// The place that the request is in afterwards.
    pub(crate) fn put(&self) -> Option<Place> {
        self.effect.place()
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
                let arrival = Transition { take: None, reads, writes, effect, opaque: None };
                transitions.insert(arrival);
            }
            todo.push((None, Place { request, local, foresight: None }));
        }
        while let Some((take, place)) = todo.pop() {
            if !known.insert((take, place)) {
                continue;
            }
            let request = place.request;
            for (i, rule) in system.rules_of(place.local).iter().enumerate() {
                let is_exact = rule.precision == Precision::Exact;
                let opaque = (!is_exact).then_some(system.first_rule_of(place.local) + i);
                let mut effects: Vec<Effect> = frame
                    .replies_of(rule.to)
                    .map(|response| Effect::Outcome(Letter { request, response }))
                    .collect();
                let stuck = effects.is_empty() && system.is_partial();
                if !system.rules_of(rule.to).is_empty() || stuck {
                    let next = Place { request, local: rule.to, foresight: None };
                    effects.push(Effect::Place(next));
                    todo.push((Some(next), next));
                }
                for effect in effects {
                    meter.row(4 * rule.footprint.reads.len())?;
                    let reads = rule.footprint.reads.iter().copied().collect();
                    let writes = rule.footprint.writes.iter().copied().collect();
                    transitions.insert(Transition { take, reads, writes, effect, opaque });
                }
            }
        }
        Ok(RuleNet { system, transitions })
    }

    /// Whether a transition writes a value for which there are no rules.
    fn leaves(&self, t: &Transition) -> bool {
        let inside = |v: &VariableId, x: &i64| self.system.values()[v.index()].contains(x);
        t.writes.iter().any(|(v, x)| !inside(v, x))
    }

    /// The places that some transition takes from or puts into.
    fn places(&self) -> BTreeSet<Place> {
        self.transitions.iter().flat_map(|t| t.take.into_iter().chain(t.put())).collect()
    }
}

/// Checks a proof by rules.
pub(crate) fn check(
    proof: &RuleProof,
    system: &RuleSystem,
    names: &Names<'_>,
    meter: &mut Meter<'_>,
) -> Result<Accepted, Rejection> {
    if !proof.opaque.iter().eq(system.opaque()) {
        let opaque = Vec::from_iter(system.opaque().iter().cloned()).join(", ");
        return Err(Reason::OtherOpaque { opaque }.at("opaque"));
    }
    let mut net = RuleNet::new(system, meter).at(|| "normal form".into())?;
    if system.is_partial() && !matches!(proof.reductions.first(), Some(RuleReduction::Facts(_))) {
        return Err(Reason::FactsFirst.at("reductions"));
    }
    let mut facts = Facts::nothing_known();
    for (i, reduction) in proof.reductions.iter().enumerate() {
        let place = || format!("reductions[{i}]");
        meter.work(net.transitions.len() + 1).at(place)?;
        match reduction {
            RuleReduction::Facts(counts) => {
                facts = Facts::of(&net, counts, names, meter).at(place)?;
                let leaves = |t: &&Transition| net.leaves(t) && facts.possible(t);
                if let Some(t) = net.transitions.iter().find(leaves) {
                    let transition = names.show_rule(t);
                    return Err(Reason::Leaves { transition }.at(place()));
                }
                net.transitions.retain(|t| facts.possible(t));
                facts::keep_co_reachable(&mut net, meter).at(place)?;
            }
            RuleReduction::Defer(entry) => {
                deferral::defer(&mut net, entry, names, meter)
                    .at(|| format!("{}.defer", place()))?;
                // What is known was said of other transitions.
                facts = Facts::nothing_known();
            }
            RuleReduction::Stuttering => stuttering::drop_stuttering(&mut net, meter).at(place)?,
        }
    }
    let mut after: FxHashSet<Place> = FxHashSet::default();
    for (i, PlaceName(request, local)) in proof.after.iter().enumerate() {
        after.insert(names.place(request, local).at(|| format!("after[{i}]"))?);
    }
    let readers = Readers::new(proof, names).at(|| "readers".into())?;
    let effects = check_effects(&net, &facts, &after, &readers, names, meter);
    let commutations = effects.at(|| "effects".into())?;
    if !readers.is_empty() {
        readers.check(&net, &facts, names, meter).at(|| "readers".into())?;
    }
    let yield_points = net.places().iter().filter(|place| !readers.reads(place.request)).count();
    let readers = proof.readers.len();
    Ok(Accepted::Serializable {
        argument: Argument::Rules { yield_points, commutations, readers },
        transitions: net.transitions.len(),
        places: net.places().len(),
        serial_states: 0,
        in_real_time: readers == 0,
    })
}

/// Transitions into places before move right, those out of places after move left, except those of
/// readers.
fn check_effects(
    net: &RuleNet<'_>,
    facts: &Facts,
    after: &FxHashSet<Place>,
    readers: &Readers,
    names: &Names<'_>,
    meter: &mut Meter<'_>,
) -> Result<usize, Reason> {
    let mut movers = Movers::new(net, facts, names);
    for t in net.transitions.iter().filter(|t| !readers.has(t)) {
        let from_after = t.take.is_some_and(|place| after.contains(&place));
        let to_before = t.put().is_some_and(|place| !after.contains(&place));
        match (from_after, to_before) {
            (true, true) => {
                let transition = names.show_rule(t);
                return Err(Reason::CommitsTwice { transition });
            }
            (true, false) => movers.check(t, Side::Left, meter)?,
            (false, true) => movers.check(t, Side::Right, meter)?,
            (false, false) => {}
        }
    }
    Ok(movers.checked)
}
