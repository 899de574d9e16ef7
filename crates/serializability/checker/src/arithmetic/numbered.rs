//! The reduced net with its transitions in the order of the certificate.

use crate::format::{EffectName, LetterName, PlaceName, TransitionName};
use crate::hypothesis;
use crate::meter::Meter;
use crate::names::{Letter, Names, Place};
use crate::net::{Effect, Net, Transition};
use crate::reject::At;
use crate::{Reason, Rejection};
use ser_model::GlobalId;
use std::collections::{BTreeMap, BTreeSet};

/// A place of the net: a control state, or requests in flight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Spot {
    Global(GlobalId),
    InFlight(Place),
}

/// The transitions `t0`, `t1`, ... and what they change.
pub(crate) struct Numbered {
    pub(crate) initial: GlobalId,
    pub(crate) transitions: Vec<Transition>,
    /// The global states and places of the net, with their names in hypotheses.
    pub(crate) spots: BTreeMap<Spot, String>,
    /// The transitions that put into each spot and those that take from it.
    pub(crate) flows: BTreeMap<Spot, (Vec<usize>, Vec<usize>)>,
    /// The transitions that respond with each letter, in the order of the names of letters.
    pub(crate) letters: BTreeMap<(LetterName, Letter), Vec<usize>>,
}

impl Transition {
    /// What it takes from.
    pub(crate) fn before_spots(&self) -> impl Iterator<Item = Spot> + use<> {
        let taken = self.take.map(Spot::InFlight);
        [Some(Spot::Global(self.before)), taken].into_iter().flatten()
    }

    /// What it puts into.
    pub(crate) fn after_spots(&self) -> impl Iterator<Item = Spot> + use<> {
        let put = self.put().map(Spot::InFlight);
        [Some(Spot::Global(self.after)), put].into_iter().flatten()
    }
}

impl Numbered {
    /// The list must have exactly the transitions of the net, each once.
    pub(crate) fn new(
        list: &[TransitionName],
        net: &Net,
        names: &Names<'_>,
        meter: &mut Meter<'_>,
    ) -> Result<Numbered, Rejection> {
        let mut seen = BTreeSet::new();
        let mut transitions = Vec::new();
        for (i, entry) in list.iter().enumerate() {
            let at = || format!("transitions[{i}]");
            meter.entry().at(at)?;
            let t = resolve(entry, names).at(at)?;
            let what = || names.show_transition(&t);
            if !net.contains(&t) {
                return Err(Reason::NotATransition { transition: what() }.at(at()));
            }
            if !seen.insert(t) {
                return Err(Reason::Repeated { what: what() }.at(at()));
            }
            transitions.push(t);
        }
        if let Some(missing) = net.transitions().iter().find(|t| !seen.contains(t)) {
            let what = names.show_transition(missing);
            return Err(Reason::Missing { what }.at("transitions"));
        }
        let mut flows: BTreeMap<Spot, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        flows.entry(Spot::Global(net.initial)).or_default();
        let mut letters: BTreeMap<(LetterName, Letter), Vec<usize>> = BTreeMap::new();
        for (i, t) in transitions.iter().enumerate() {
            for spot in t.after_spots() {
                flows.entry(spot).or_default().0.push(i);
            }
            for spot in t.before_spots() {
                flows.entry(spot).or_default().1.push(i);
            }
            if let Effect::Outcome(letter) = t.effect {
                let name = letter_name(letter, names);
                letters.entry((name, letter)).or_default().push(i);
            }
        }
        let system = names.system();
        let name = |spot: &Spot| match spot {
            Spot::Global(g) => hypothesis::global(&system.global_name(*g)),
            Spot::InFlight(p) => {
                hypothesis::place(system.request_name(p.request), system.local_name(p.local))
            }
        };
        let spots = flows.keys().map(|spot| (*spot, name(spot))).collect();
        Ok(Numbered { initial: net.initial, transitions, spots, flows, letters })
    }

    /// Where a run may end: in the initial global state, or in one that a transition leads to.
    pub(crate) fn finals(&self) -> BTreeSet<GlobalId> {
        self.transitions.iter().map(|t| t.after).chain([self.initial]).collect()
    }
}

/// The name of a letter; letters of a `member` node are in the order of their names.
pub(crate) fn letter_name(letter: Letter, names: &Names<'_>) -> LetterName {
    let system = names.system();
    let response = system.response_name(letter.response).to_owned();
    LetterName(system.request_name(letter.request).to_owned(), response)
}

fn resolve(entry: &TransitionName, names: &Names<'_>) -> Result<Transition, Reason> {
    let place = |PlaceName(request, local): &PlaceName| names.place(request, local);
    Ok(Transition {
        before: names.global(&entry.before)?,
        take: entry.takes.as_ref().map(place).transpose()?,
        after: names.global(&entry.after)?,
        effect: match &entry.effect {
            EffectName::Gives(given) => Effect::Place(place(given)?),
            EffectName::Responds(LetterName(request, response)) => {
                Effect::Outcome(names.letter(request, response)?)
            }
        },
    })
}
