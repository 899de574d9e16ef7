//! Places of which exactly one is marked at any time, with one token.
//!
//! A set of places with one token at the start, such that every transition takes one token from it
//! and gives one to it, or does not touch it. By induction on the firing sequence exactly one of
//! the places is marked, with one token. In nets made from programs these are the global
//! states; in others, a controller or a lock.
//!
//! The set is grown from a marked place: a transition that takes from the set but does not give
//! to it wants one of the places that it gives to, and the other way round. Where there is a
//! choice, one after the other is tried, within a budget.

use crate::{PetriNet, PlaceId};

/// The most sets that are looked at.
const BUDGET: usize = 2_000;

/// Places in the control, in their order; or none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Control {
    pub places: Vec<PlaceId>,
}

impl Control {
    /// The number of a place among them.
    pub fn mode(&self, place: PlaceId) -> Option<usize> {
        self.places.binary_search(&place).ok()
    }
}

/// The set that the most transitions touch, if it pays: a transition that does not touch it is
/// written down once for each of its places.
pub(super) fn control_places(net: &PetriNet) -> Control {
    let mut search = Search { net, budget: BUDGET, best: None };
    for (i, place) in net.places.iter().enumerate() {
        if place.initial == 1 {
            let mut state = vec![State::Unknown; net.places.len()];
            state[i] = State::In;
            // One token is enough: other marked places stay out.
            for (other, p) in net.places.iter().enumerate() {
                if other != i && p.initial > 0 {
                    state[other] = State::Out;
                }
            }
            search.grow(state);
        }
    }
    let places = search.best.map_or(Vec::new(), |(_, places)| places);
    Control { places }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Unknown,
    In,
    Out,
}

struct Search<'a> {
    net: &'a PetriNet,
    budget: usize,
    /// How many transitions touch the best set so far, and its places.
    best: Option<(usize, Vec<PlaceId>)>,
}

/// How a transition looks at a set.
enum Look {
    Fine {
        touches: bool,
    },
    /// It needs one of these places on the other side.
    Wants(Vec<PlaceId>),
    Breaks,
}

impl Search<'_> {
    fn grow(&mut self, mut state: Vec<State>) {
        let mut touched = 0;
        let mut next = 0;
        while let Some(t) = self.net.transitions.get(next) {
            if self.budget == 0 {
                return;
            }
            match look(t, &state) {
                Look::Breaks => return,
                Look::Fine { touches } => {
                    touched += usize::from(touches);
                    next += 1;
                }
                Look::Wants(options) => {
                    self.budget -= 1;
                    let Some((last, others)) = options.split_last() else { return };
                    for option in others {
                        let mut with = state.clone();
                        with[option.index()] = State::In;
                        self.grow(with);
                        state[option.index()] = State::Out;
                    }
                    state[last.index()] = State::In;
                    // A new place may matter to transitions that were fine.
                    (touched, next) = (0, 0);
                }
            }
        }
        let places: Vec<PlaceId> = (0..state.len())
            .filter(|i| state[*i] == State::In)
            .map(|i| PlaceId(i as u32))
            .collect();
        let untouched = self.net.transitions.len() - touched;
        let pays = places.len() > 1 && untouched * (places.len() - 1) <= touched;
        if pays && self.best.as_ref().is_none_or(|(most, _)| touched > *most) {
            self.best = Some((touched, places));
        }
    }
}

fn look(t: &crate::Transition, state: &[State]) -> Look {
    let inside = |arcs: &[(PlaceId, u64)]| -> u64 {
        let inside = arcs.iter().filter(|(p, _)| state[p.index()] == State::In);
        inside.fold(0, |sum, (_, n)| sum.saturating_add(*n))
    };
    let options = |arcs: &[(PlaceId, u64)]| {
        let open = arcs.iter().filter(|(p, n)| *n == 1 && state[p.index()] == State::Unknown);
        Look::Wants(open.map(|(p, _)| *p).collect())
    };
    match (inside(&t.takes), inside(&t.gives)) {
        (0, 0) => Look::Fine { touches: false },
        (1, 1) => Look::Fine { touches: true },
        (1, 0) => options(&t.gives),
        (0, 1) => options(&t.takes),
        _ => Look::Breaks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(text: &str) -> Vec<String> {
        let net = crate::read_net(text).expect("a net");
        let places = control_places(&net).places;
        places.iter().map(|p| net.places[p.index()].name.clone()).collect()
    }

    #[test]
    fn a_lock_is_control() {
        let text = "pl free (1)\npl a (5)\ntr lock free a -> held\ntr unlock held -> free a\n";
        assert_eq!(control(text), ["free", "held"]);
    }

    #[test]
    fn choices_are_tried() {
        // The output `b` of t1 is multiplied by t2, so `c` it must be.
        let text = "pl a (1)\ntr t1 a -> b c\ntr t2 b -> b*2\ntr t3 c -> a\n";
        assert_eq!(control(text), ["a", "c"]);
    }

    #[test]
    fn two_tokens_are_no_control() {
        assert!(control("pl a (2)\ntr t a -> b\ntr u b -> a\n").is_empty());
        assert!(control("pl a (1)\ntr t a -> b*2\n").is_empty());
    }
}
