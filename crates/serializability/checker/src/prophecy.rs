//! `prophecy`: what a request will respond is part of where it is.
//!
//! Each place x becomes places (x, r, c), where r is a response and c says whether the request has
//! committed. The transitions are
//!
//! ```text
//! g             -> g' + letter          as before
//! g             -> g' + (y, r, f)       for g     -> g' + y
//! g + (x, r, c) -> g' + letter          for g + x -> g' + letter, where r is the response of the letter
//! g + (x, r, c) -> g' + (y, r, c or f)  for g + x -> g' + y
//! ```
//!
//! for every response r with which a request in y may end, where f says whether the step *fits* r:
//! the serial automaton has an edge from g to g' with the request and r.
//!
//! *Theorem.* The outcomes stay the same. *Proof.* In a complete run every request ends with one
//! response r. Put it into all places on its way; then c, which is whether a step has fitted r so
//! far, is determined, too, and each transition is one of those above. Conversely, forget r and c.
//! ∎
//!
//! The requests, their responses and their schedule stay the same. No step reads what is foreseen:
//! it is there for *labels* (see `labels`), which can be kept by places (x, r, c) where they could
//! not be by x.

use crate::Reason;
use crate::meter::Meter;
use crate::names::{Foresight, Letter, Names, Place};
use crate::net::{Effect, Net, Transition};
use crate::serial::SerialAutomaton;
use crate::slice::grouped;
use rustc_hash::FxHashMap;
use ser_model::ResponseId;
use std::collections::BTreeSet;

/// Splits places by what their requests will respond, and whether they have committed to it.
pub(crate) fn foresee(net: &Net, names: &Names<'_>, meter: &mut Meter<'_>) -> Result<Net, Reason> {
    if let Some(place) = net.places().into_iter().find(|place| place.foresight.is_some()) {
        return Err(Reason::Repeated { what: names.show_place(place) });
    }
    let automaton = SerialAutomaton::new(names.system(), meter)?;
    let ends = ends(net, meter)?;
    let mut transitions = Vec::new();
    for t in net.transitions() {
        let one;
        let responses = match t.effect {
            Effect::Outcome(letter) => {
                one = BTreeSet::from([letter.response]);
                Some(&one)
            }
            Effect::Place(place) => ends.get(&place),
        };
        for &response in responses.into_iter().flatten() {
            let letter = Letter { request: t.effect.request(), response };
            let fits = automaton.has_edge(t.before, letter, t.after);
            let split = |place: Place, committed| {
                let foresight = Some(Foresight { response, committed });
                Place { foresight, ..place }
            };
            let ways: &[bool] = if t.take.is_some() { &[false, true] } else { &[false] };
            for &committed in ways {
                meter.entry()?;
                let effect = match t.effect {
                    Effect::Place(place) => Effect::Place(split(place, committed || fits)),
                    outcome => outcome,
                };
                let take = t.take.map(|place| split(place, committed));
                transitions.push(Transition { take, effect, ..*t });
            }
        }
    }
    Ok(Net::new(net.initial, transitions))
}

/// The responses with which a request in each place may end.
fn ends(
    net: &Net,
    meter: &mut Meter<'_>,
) -> Result<FxHashMap<Place, BTreeSet<ResponseId>>, Reason> {
    let putting = grouped(net, Transition::put);
    let mut ends: FxHashMap<Place, BTreeSet<ResponseId>> = FxHashMap::default();
    let mut todo: Vec<(Place, ResponseId)> = Vec::new();
    for t in net.transitions() {
        if let (Some(place), Effect::Outcome(letter)) = (t.take, t.effect) {
            todo.push((place, letter.response));
        }
    }
    while let Some((place, response)) = todo.pop() {
        meter.work(1)?;
        if !ends.entry(place).or_default().insert(response) {
            continue;
        }
        for t in putting.get(&Some(place)).into_iter().flatten() {
            meter.work(1)?;
            todo.extend(t.take.map(|earlier| (earlier, response)));
        }
    }
    Ok(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::tests::{net_of, show};
    use ser_base::Limits;

    /// `set` writes and says what it read later; `get` looks twice and says what it saw first.
    const SYSTEM: &str = r#"{"initial_global": "0",
        "requests": [["set", "s"], ["get", "g"]],
        "responses": [["a", "0"], ["b", "1"]],
        "transitions": [["s", "0", "m", "1"], ["s", "1", "m", "1"],
            ["m", "1", "b", "1"], ["m", "0", "a", "0"],
            ["g", "0", "g0", "0"], ["g", "1", "g1", "1"],
            ["g0", "0", "a", "0"], ["g0", "1", "a", "1"], ["g1", "1", "b", "1"]]}"#;

    #[test]
    fn places_are_split_by_what_their_requests_will_respond() {
        let (system, net) = net_of(SYSTEM);
        let (names, limits) = (Names::new(&system), Limits::default());
        let mut meter = Meter::new(&limits);
        let split = foresee(&net, &names, &mut meter).expect("small");
        // A `set` that will respond 1 has committed with its first step, which is what it does if
        // it runs alone. One that will respond 0 has not.
        assert_eq!(
            show(&split, &system),
            [
                "0 + get@g0 -> 0 -> 0 + get/0",
                "0 + get@g0 => 0 -> 0 + get/0",
                "0 + set@m -> 0 -> 0 + set/0",
                "0 + set@m => 0 -> 0 + set/0",
                "0 -> 0 + get@g0 => 0",
                "0 -> 1 + set@m -> 0",
                "0 -> 1 + set@m => 1",
                "1 + get@g0 -> 0 -> 1 + get/0",
                "1 + get@g0 => 0 -> 1 + get/0",
                "1 + get@g1 -> 1 -> 1 + get/1",
                "1 + get@g1 => 1 -> 1 + get/1",
                "1 + set@m -> 1 -> 1 + set/1",
                "1 + set@m => 1 -> 1 + set/1",
                "1 -> 1 + get@g1 => 1",
                "1 -> 1 + set@m -> 0",
                "1 -> 1 + set@m => 1",
            ]
        );
        assert!(foresee(&split, &names, &mut meter).is_err(), "once is enough");
        for place in split.places() {
            let local = names.show_local(place);
            let request = system.request_name(place.request);
            assert_eq!(names.place(request, &local).ok(), Some(place), "{local}");
        }
    }

    #[test]
    fn what_is_foreseen_comes_from_any_number_of_steps_ahead() {
        // `go` has its effect first, and says later, after two more steps, what it has seen then.
        let text = r#"{"initial_global": "0",
            "requests": [["go", "s"]], "responses": [["a", "0"], ["b", "1"]],
            "transitions": [["s", "0", "x", "1"], ["x", "1", "y", "1"], ["y", "1", "z", "1"],
                ["z", "1", "b", "1"], ["z", "0", "a", "0"]]}"#;
        let (system, net) = net_of(text);
        let (names, limits) = (Names::new(&system), Limits::default());
        let split = foresee(&net, &names, &mut Meter::new(&limits)).expect("small");
        assert_eq!(
            show(&split, &system),
            [
                "0 + go@z -> 0 -> 0 + go/0",
                "0 + go@z => 0 -> 0 + go/0",
                "0 -> 1 + go@x -> 0",
                "0 -> 1 + go@x => 1",
                "1 + go@x -> 0 -> 1 + go@y -> 0",
                "1 + go@x -> 1 -> 1 + go@y -> 1",
                "1 + go@x => 0 -> 1 + go@y => 0",
                "1 + go@x => 1 -> 1 + go@y => 1",
                "1 + go@y -> 0 -> 1 + go@z -> 0",
                "1 + go@y -> 1 -> 1 + go@z -> 1",
                "1 + go@y => 0 -> 1 + go@z => 0",
                "1 + go@y => 1 -> 1 + go@z => 1",
                "1 + go@z -> 1 -> 1 + go/1",
                "1 + go@z => 1 -> 1 + go/1",
            ]
        );
    }
}
