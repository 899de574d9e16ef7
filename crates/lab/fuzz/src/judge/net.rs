//! One net with a query through engine, checker, replay and brute force.

use super::trial::{Finding, Trial, decided};
use ser_petri::{Found, PetriNet, Query, ReachabilitySystem, explore};
use ser_serializability_search::{Answer, Event, Options};
use std::time::Duration;

/// Decides a query about a net, checks the certificate, replays the firing sequence, and compares
/// with brute force on at most so many markings.
pub fn try_net(
    net: &PetriNet,
    query: &Query,
    options: &Options,
    max_markings: usize,
    timeout: Duration,
) -> Result<Trial, Finding> {
    let reach = ReachabilitySystem::new(net, query)
        .map_err(|error| Finding::Rejected(error.to_string()))?;
    let (answer, mut trial) = decided(reach.system(), options, timeout)?;
    let forced = explore(net, max_markings).find(&query.target());
    let wrong = |engine: &str, oracle: String| Finding::Wrong { engine: engine.into(), oracle };
    match (&answer, &forced) {
        (Answer::Serializable(_), Found::Reachable(sequence)) => {
            let oracle = format!("reachable by {} firings", sequence.len());
            return Err(wrong("unreachable", oracle));
        }
        (Answer::NotSerializable(found), forced) => {
            let steps = found.run.events.iter().filter_map(|event| match event {
                Event::Step { step, .. } => Some(step),
                _ => None,
            });
            reach.witness(steps).map_err(|error| Finding::Rejected(error.to_string()))?;
            if *forced == Found::Unreachable {
                return Err(wrong("reachable", "unreachable".into()));
            }
        }
        _ => {}
    }
    // Firing sequences have been fired, so they need nobody else.
    trial.confirmed = forced == Found::Unreachable || matches!(answer, Answer::NotSerializable(_));
    if matches!(answer, Answer::Unknown(_)) {
        trial.tried = format!("by brute force {forced:?}; {}", trial.tried);
    }
    Ok(trial)
}
