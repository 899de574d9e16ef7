//! Places and transitions by their names.

use crate::{PetriNet, PlaceId, TransitionId};
use std::collections::HashMap;

/// The names of a net and, where it came from PNML, the identifiers in that file.
#[derive(Clone, Debug, Default)]
pub struct Names {
    places: Table,
    transitions: Table,
}

#[derive(Clone, Debug, Default)]
struct Table {
    names: HashMap<String, u32>,
    identifiers: HashMap<String, u32>,
}

impl Table {
    fn find(&self, name: &str) -> Option<u32> {
        self.names.get(name).or_else(|| self.identifiers.get(name)).copied()
    }

    fn find_identifier(&self, identifier: &str) -> Option<u32> {
        self.identifiers.get(identifier).or_else(|| self.names.get(identifier)).copied()
    }

    fn guess(&self, name: &str) -> Option<String> {
        let mut known: Vec<&str> = self.names.keys().map(String::as_str).collect();
        known.sort_unstable();
        ser_base::did_you_mean(name, known.into_iter())
    }
}

impl Names {
    /// The names of a net.
    pub fn of(net: &PetriNet) -> Names {
        let table = |names: Vec<&String>| Table {
            names: names.into_iter().zip(0..).map(|(name, i)| (name.clone(), i)).collect(),
            identifiers: HashMap::new(),
        };
        Names {
            places: table(net.places.iter().map(|p| &p.name).collect()),
            transitions: table(net.transitions.iter().map(|t| &t.name).collect()),
        }
    }

    /// The same with the identifiers of a PNML file.
    pub(crate) fn with_identifiers(
        mut self,
        places: HashMap<String, u32>,
        transitions: HashMap<String, u32>,
    ) -> Names {
        self.places.identifiers = places;
        self.transitions.identifiers = transitions;
        self
    }

    /// A place by its name, or else by its identifier.
    pub fn place(&self, name: &str) -> Option<PlaceId> {
        self.places.find(name).map(PlaceId)
    }

    /// A transition by its name, or else by its identifier.
    pub fn transition(&self, name: &str) -> Option<TransitionId> {
        self.transitions.find(name).map(TransitionId)
    }

    /// A place by its identifier, or else by its name: how the contest's queries are meant.
    pub fn place_by_identifier(&self, identifier: &str) -> Option<PlaceId> {
        self.places.find_identifier(identifier).map(PlaceId)
    }

    /// A transition by its identifier, or else by its name.
    pub fn transition_by_identifier(&self, identifier: &str) -> Option<TransitionId> {
        self.transitions.find_identifier(identifier).map(TransitionId)
    }

    /// `did you mean ...?`, about places.
    pub fn guess_place(&self, name: &str) -> Option<String> {
        self.places.guess(name)
    }

    /// `did you mean ...?`, about transitions.
    pub fn guess_transition(&self, name: &str) -> Option<String> {
        self.transitions.guess(name)
    }
}
