//! From a run of the reduced net back to a run of the raw network system.
//!
//! The reductions only ever leave runs out or call equivalent local states by one name, so every
//! run of the reduced net is a run of the raw system once each request is given a real local
//! state: the raw step that leads to a member of the right place exists because the members are
//! bisimilar. The checker replays the result anyway.

use crate::{Event, Run};
use ser_model::{GlobalId, LocalId, NetworkSystem, RequestId, Step};
use ser_net::{Effect, Net, Transition};

/// A request in flight.
struct Token {
    number: u32,
    place: u32,
    local: LocalId,
}

/// A run in which it does not matter who moves, of those in the same place.
pub(crate) fn anybody(run: &[u32]) -> Vec<(u32, Option<u32>)> {
    run.iter().map(|index| (*index, None)).collect()
}

/// Finds raw steps for a run of the net: transitions, and the number of the request that moves if
/// that matters. `None` would be a defect of a reduction.
pub(crate) fn expand(system: &NetworkSystem, net: &Net, run: &[(u32, Option<u32>)]) -> Option<Run> {
    let mut global = system.initial_global();
    let mut tokens: Vec<Token> = Vec::new();
    let mut arrived = 0u32;
    let mut last = 0u32;
    let mut events = Vec::new();
    for (index, who) in run {
        let t = net.transitions.get(*index as usize)?;
        if t.before != global {
            return None;
        }
        let (number, raw) = match t.takes {
            None => {
                arrived += 1;
                let (local, raw) = arrival(system, net, t, global)?;
                let request = request_of(net, t);
                events.push(Event::Arrive { number: arrived, request, local });
                (arrived, raw)
            }
            Some(place) => {
                // The one that moved last if it is there, otherwise the oldest.
                let mut there: Vec<&Token> =
                    tokens.iter().filter(|token| token.place == place.0).collect();
                there.retain(|token| who.is_none_or(|who| who == token.number));
                there.sort_by_key(|token| (token.number != last, token.number));
                let token = there.first()?;
                let (number, local) = (token.number, token.local);
                let raw = raw_step(system, net, t, local, global)?;
                tokens.retain(|token| token.number != number);
                (number, Some(raw))
            }
        };
        if let Some(step) = raw {
            events.push(Event::Step { number, step });
            if let Effect::InFlight(place) = t.effect {
                tokens.push(Token { number, place: place.0, local: step.to });
            }
        }
        if let Effect::Respond(outcome) = t.effect {
            events.push(Event::Respond { number, response: outcome.response });
        }
        last = number;
        global = t.after;
    }
    tokens.is_empty().then_some(Run { events })
}

fn request_of(net: &Net, t: &Transition) -> RequestId {
    match t.effect {
        Effect::InFlight(place) => net.places[place.index()].request,
        Effect::Respond(outcome) => outcome.request,
    }
}

/// An initial local state and the step from it; no step if it responds at once.
fn arrival(
    system: &NetworkSystem,
    net: &Net,
    t: &Transition,
    global: GlobalId,
) -> Option<(LocalId, Option<Step>)> {
    let request = request_of(net, t);
    let starts = || system.spawns().iter().filter(|(r, _)| *r == request).map(|(_, l)| *l);
    if let Effect::Respond(outcome) = t.effect
        && t.before == t.after
        && let Some(local) = starts().find(|l| system.replies_of(*l).any(|r| r == outcome.response))
    {
        return Some((local, None));
    }
    starts().find_map(|local| Some((local, Some(raw_step(system, net, t, local, global)?))))
}

fn raw_step(
    system: &NetworkSystem,
    net: &Net,
    t: &Transition,
    local: LocalId,
    global: GlobalId,
) -> Option<Step> {
    system.steps_at(local, global).iter().copied().find(|step| {
        step.after == t.after
            && match t.effect {
                Effect::InFlight(place) => net.places[place.index()].members.contains(&step.to),
                Effect::Respond(outcome) => {
                    system.replies_of(step.to).any(|r| r == outcome.response)
                }
            }
    })
}
