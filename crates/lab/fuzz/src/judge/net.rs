//! One net with a query through engine, checker, replay and brute force.

use super::trial::{Finding, Trial, method, recheck_answer};
use ser_base::Limits;
use ser_petri::{Found, PetriNet, Query, ReachabilitySystem, explore};
use ser_serializability_search::{Answer, Event, Options, decide};
use std::time::{Duration, Instant};

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
    let system = reach.system();
    let limits = Limits::default().with_timeout(timeout);
    let started = Instant::now();
    let (answer, _) = decide(system, options, &limits, &|_| {});
    let engine = started.elapsed();
    let (checker, certificate) = recheck_answer(&answer, system)?;
    let forced = explore(net, max_markings).find(&query.target());
    // Firing sequences have been fired, so they need nobody else.
    let confirmed = forced == Found::Unreachable || matches!(answer, Answer::NotSerializable(_));
    let (decided_by, tried) = match &answer {
        Answer::Serializable(proof) => {
            if let Found::Reachable(sequence) = forced {
                let oracle = format!("reachable by {} firings", sequence.len());
                return Err(Finding::Wrong { engine: "unreachable".into(), oracle });
            }
            (method(&proof.argument), String::new())
        }
        Answer::NotSerializable(found) => {
            let steps = found.run.events.iter().filter_map(|event| match event {
                Event::Step { step, .. } => Some(step),
                _ => None,
            });
            reach.witness(steps).map_err(|error| Finding::Rejected(error.to_string()))?;
            if forced == Found::Unreachable {
                let oracle = "unreachable".into();
                return Err(Finding::Wrong { engine: "reachable".into(), oracle });
            }
            ("refuted", String::new())
        }
        Answer::Unknown(unknown) => {
            let forced = match forced {
                Found::Reachable(_) => "brute force: reachable",
                Found::Unreachable => "brute force: unreachable",
                Found::Unknown => "brute force: unknown",
            };
            ("unknown", format!("{forced}; {:?}", unknown.tried))
        }
    };
    Ok(Trial { decided_by, engine, checker, certificate, tried, confirmed })
}
