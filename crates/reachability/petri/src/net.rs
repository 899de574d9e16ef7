//! A place/transition net.

ser_base::ids! {
    /// A place of a [`PetriNet`].
    PlaceId,
    /// A transition of a [`PetriNet`].
    TransitionId,
}

/// A place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Its name, unique among the places.
    pub name: String,
    /// What it stands for, for people: `request main at line 4, y = 0`. May be empty.
    pub label: String,
    /// Its tokens at the start.
    pub initial: u64,
}

/// A transition. Arcs are sorted by place, each place once, with positive weights.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// Its name, unique among the transitions.
    pub name: String,
    /// What it stands for, for people. May be empty.
    pub label: String,
    /// The tokens it takes.
    pub takes: Vec<(PlaceId, u64)>,
    /// The tokens it gives.
    pub gives: Vec<(PlaceId, u64)>,
}

/// A place/transition net with its initial marking.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PetriNet {
    pub name: String,
    pub places: Vec<Place>,
    pub transitions: Vec<Transition>,
}

impl PetriNet {
    /// Whether the net keeps the rules that its types promise: unique names, arcs that are
    /// sorted, positive, and about places that exist. If not, what is wrong.
    pub fn check(&self) -> Result<(), String> {
        let mut seen = std::collections::HashSet::new();
        if let Some(twice) = self.places.iter().find(|p| !seen.insert(&p.name)) {
            return Err(format!("two places are called `{}`", twice.name));
        }
        seen.clear();
        if let Some(twice) = self.transitions.iter().find(|t| !seen.insert(&t.name)) {
            return Err(format!("two transitions are called `{}`", twice.name));
        }
        for t in &self.transitions {
            for arcs in [&t.takes, &t.gives] {
                let sorted = arcs.windows(2).all(|pair| match pair {
                    [a, b] => a.0 < b.0,
                    _ => true,
                });
                let known = |(p, n): &(PlaceId, u64)| p.index() < self.places.len() && *n > 0;
                if !sorted || !arcs.iter().all(known) {
                    return Err(format!("the arcs of the transition `{}`", t.name));
                }
            }
        }
        Ok(())
    }
}
