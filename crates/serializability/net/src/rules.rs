//! The interleaving net of a system of rules: reductions that never look at a global state.
//!
//! The same normal form as [`Net`](crate::Net), with what a transition reads and writes in place of
//! the global states before and after it. One transition stands for as many of the other kind as
//! there are valuations that agree with its reads. Arguments are about the few variables that
//! two transitions share, so that independent locks and accounts cost their sum and not their
//! product.
//!
//! Where variables are opaque, a transition stands for many, of which only what they touch is
//! known. Two of them still commute if neither writes what the other touches, or if they never
//! meet.
//!
//! If every yield point turns out to be harmless (see [`find_effects`]), the system is
//! serializable, without anybody having listed its global states.

mod counts;
mod deferral;
mod facts;
mod movers;
mod prove;
mod readers;
mod stuttering;

pub use counts::Count;
pub use facts::Facts;
pub use prove::{Arguments, Effects, RuleReduction, find_effects};
pub use readers::Readers;

use crate::{Effect, Outcome, PlaceId};
use rustc_hash::FxHashMap;
use ser_base::{Limits, Stop};
use ser_model::{Footprint, LocalId, Precision, RequestId, RuleSystem, VariableId};

/// One request moves, from nowhere (it arrives) or from a place, wherever the global variables
/// agree with what it reads.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RuleTransition {
    /// Where the request comes from; nothing if it arrives.
    pub takes: Option<PlaceId>,
    /// What is read and written. Nothing is written that was read with the same value.
    pub footprint: Footprint,
    /// What becomes of the request.
    pub effect: Effect,
    /// The rule that it comes from, if it touches opaque values: see [`Precision`].
    pub opaque: Option<OpaqueRule>,
}

/// A rule that touches opaque values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OpaqueRule {
    /// Its position among all rules.
    pub rule: u32,
    /// Whether requests in the local state that it leads from have opaque values.
    pub depends_on_request: bool,
    /// Whether it leaves its request in the same state, with the same opaque values.
    pub waits: bool,
}

impl RuleTransition {
    /// The place that receives the request, if it goes on.
    pub fn gives(&self) -> Option<PlaceId> {
        match self.effect {
            Effect::InFlight(place) => Some(place),
            Effect::Respond(_) => None,
        }
    }
}

/// The value that a list has for a variable.
fn value_of(list: &[(VariableId, i64)], variable: VariableId) -> Option<i64> {
    list.iter().find(|(v, _)| *v == variable).map(|(_, value)| *value)
}

/// The interleaving net of a system of rules, in normal form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleNet {
    /// The places: a request in a local state. Places are never renumbered.
    pub places: Vec<(RequestId, LocalId)>,
    /// The transitions, sorted and without repetition.
    pub transitions: Vec<RuleTransition>,
    /// The first value of each variable.
    pub initial: Vec<i64>,
    /// The values that each variable may take, sorted.
    pub values: Vec<Vec<i64>>,
    /// Which variables are opaque: nobody keeps track of their values.
    pub opaque_variables: Vec<bool>,
    /// Which places are of requests with opaque values.
    pub opaque_places: Vec<bool>,
    /// Whether some transition writes other values: then it has to be shown that none of them can
    /// happen.
    pub is_partial: bool,
}

impl RuleNet {
    /// The normal form: requests arrive right before their first step and respond right after the
    /// step that makes it possible. See [`normal_form`](crate::normal_form).
    ///
    /// ```
    /// use ser_base::Limits;
    /// use ser_model::program_rules;
    /// use ser_net::{Arguments, RuleNet, find_effects};
    /// let text = "request both { while (A == 1) { yield }; A := 1; yield;
    ///                            while (B == 1) { yield }; B := 1; yield;
    ///                            X := 1 - X; yield; A := 0; yield; B := 0 }";
    /// let limits = Limits::default();
    /// let rules = program_rules(&ser_syntax::parse(text).program, text, &limits).unwrap();
    /// let net = RuleNet::new(&rules, &limits).unwrap();
    /// assert_eq!(net.places.len(), 5);
    /// let effects = find_effects(&net, Arguments::ALL, &limits).unwrap();
    /// assert!(effects.is_proof());
    /// ```
    pub fn new(system: &RuleSystem, limits: &Limits) -> Result<RuleNet, Stop> {
        let frame = system.frame();
        let mut ids: FxHashMap<(RequestId, LocalId), PlaceId> = FxHashMap::default();
        let mut places: Vec<(RequestId, LocalId)> = Vec::new();
        let mut transitions = Vec::new();
        let mut open: Vec<(RequestId, LocalId, Option<PlaceId>)> = Vec::new();
        for &(request, local) in frame.spawns() {
            for response in frame.replies_of(local) {
                let effect = Effect::Respond(Outcome { request, response });
                let footprint = Footprint::default();
                let opaque = None;
                transitions.push(RuleTransition { takes: None, footprint, effect, opaque });
            }
            open.push((request, local, None));
        }
        while let Some((request, local, takes)) = open.pop() {
            limits.check(0, transitions.len() * 8 * size_of::<RuleTransition>())?;
            for (i, rule) in system.rules_of(local).iter().enumerate() {
                let opaque = (rule.precision != Precision::Exact).then(|| OpaqueRule {
                    rule: (system.first_rule_of(local) + i) as u32,
                    depends_on_request: system.has_opaque_values(local),
                    waits: rule.precision == Precision::Waits,
                });
                let mut add = |effect| {
                    let footprint = rule.footprint.clone();
                    transitions.push(RuleTransition { takes, footprint, effect, opaque });
                };
                for response in frame.replies_of(rule.to) {
                    add(Effect::Respond(Outcome { request, response }));
                }
                // Where some values have no rules, a request may go on that seems to be stuck.
                let stuck = frame.replies_of(rule.to).next().is_none();
                if !system.rules_of(rule.to).is_empty() || system.is_partial() && stuck {
                    let place = *ids.entry((request, rule.to)).or_insert_with(|| {
                        let place = PlaceId(places.len() as u32);
                        places.push((request, rule.to));
                        open.push((request, rule.to, Some(place)));
                        place
                    });
                    add(Effect::InFlight(place));
                }
            }
        }
        transitions.sort_unstable();
        transitions.dedup();
        let initial = frame.valuation(frame.initial_global()).to_vec();
        let values = system.values().to_vec();
        let variables = (0..initial.len()).map(VariableId::from_index);
        Ok(RuleNet {
            opaque_variables: variables.map(|v| system.is_opaque(v)).collect(),
            opaque_places: places.iter().map(|(_, l)| system.has_opaque_values(*l)).collect(),
            places,
            transitions,
            initial,
            values,
            is_partial: system.is_partial(),
        })
    }

    /// Whether a transition writes a value that is not among the known ones.
    pub(crate) fn leaves(&self, t: &RuleTransition) -> bool {
        let inside = |v: &VariableId, x| self.values[v.index()].binary_search(x).is_ok();
        t.footprint.writes.iter().any(|(v, x)| !inside(v, x))
    }
}
