//! Putting a net together piece by piece, as readers do.

use crate::{PetriNet, Place, PlaceId, Transition, TransitionId};
use std::collections::{BTreeMap, HashMap};

type Arcs = BTreeMap<PlaceId, u64>;

/// A net in the making: places and transitions by name, arcs that add up.
#[derive(Default)]
pub(crate) struct NetBuilder {
    pub name: String,
    places: Vec<Place>,
    transitions: Vec<(Transition, Arcs, Arcs)>,
    place_ids: HashMap<String, PlaceId>,
    transition_ids: HashMap<String, TransitionId>,
}

/// A number became larger than a machine integer.
pub(crate) struct Overflow;

impl NetBuilder {
    pub fn place(&mut self, name: &str) -> PlaceId {
        if let Some(id) = self.place_ids.get(name) {
            return *id;
        }
        let id = PlaceId(self.places.len() as u32);
        self.place_ids.insert(name.to_owned(), id);
        self.places.push(Place { name: name.to_owned(), label: String::new(), initial: 0 });
        id
    }

    pub fn transition(&mut self, name: &str) -> TransitionId {
        if let Some(id) = self.transition_ids.get(name) {
            return *id;
        }
        let id = TransitionId(self.transitions.len() as u32);
        self.transition_ids.insert(name.to_owned(), id);
        let (name, label) = (name.to_owned(), String::new());
        let transition = Transition { name, label, takes: Vec::new(), gives: Vec::new() };
        self.transitions.push((transition, Arcs::new(), Arcs::new()));
        id
    }

    pub fn known_place(&self, name: &str) -> Option<PlaceId> {
        self.place_ids.get(name).copied()
    }

    pub fn known_transition(&self, name: &str) -> Option<TransitionId> {
        self.transition_ids.get(name).copied()
    }

    pub fn place_mut(&mut self, id: PlaceId) -> &mut Place {
        &mut self.places[id.index()]
    }

    pub fn label_transition(&mut self, id: TransitionId, label: String) {
        self.transitions[id.index()].0.label = label;
    }

    /// An arc from the place to the transition.
    pub fn take(&mut self, t: TransitionId, p: PlaceId, weight: u64) -> Result<(), Overflow> {
        add(&mut self.transitions[t.index()].1, p, weight)
    }

    /// An arc from the transition to the place.
    pub fn give(&mut self, t: TransitionId, p: PlaceId, weight: u64) -> Result<(), Overflow> {
        add(&mut self.transitions[t.index()].2, p, weight)
    }

    pub fn finish(self) -> PetriNet {
        let transitions = self.transitions.into_iter().map(|(t, takes, gives)| Transition {
            takes: takes.into_iter().collect(),
            gives: gives.into_iter().collect(),
            ..t
        });
        PetriNet { name: self.name, places: self.places, transitions: transitions.collect() }
    }
}

fn add(arcs: &mut Arcs, place: PlaceId, weight: u64) -> Result<(), Overflow> {
    if weight == 0 {
        return Ok(());
    }
    let entry = arcs.entry(place).or_insert(0);
    *entry = entry.checked_add(weight).ok_or(Overflow)?;
    Ok(())
}
