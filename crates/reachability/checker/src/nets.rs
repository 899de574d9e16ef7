//! Evidence about place/transition nets: a firing sequence, or a certificate of the network system that is
//! not serializable if and only if the target is reachable.

use crate::reject::{Reason, Rejection};
use ser_base::Limits;
use ser_petri::{PetriNet, Query, ReachabilitySystem, TransitionId, Witness};
use ser_serializability_checker::{self as serializability, Certificate, Verdict};
use serde::{Deserialize, Serialize};

/// Why the target of a query can be reached, or cannot.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum NetEvidence {
    /// It can: the names of transitions, in the order in which they fire.
    Firing { transitions: Vec<String> },
    /// It cannot: the system that the net and the query become is serializable.
    System { certificate: Certificate },
}

/// What was established about the target of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NetAccepted {
    Reachable(Witness),
    Unreachable(serializability::Accepted),
}

/// Accepts or rejects evidence about a query. `net` and `query` must be what the readers make of `source`
/// and of the query's text.
///
/// ```
/// use ser_petri::{read_net, read_query};
/// use ser_reachability_checker::{NetAccepted, NetEvidence, check_net};
/// let source = "pl a (1)\ntr t a -> b\n";
/// let net = read_net(source)?;
/// let query = read_query("b = 1", &net)?;
/// let evidence = |names: &[&str]| NetEvidence::Firing {
///     transitions: names.iter().map(|name| (*name).to_owned()).collect(),
/// };
/// let check = |it| check_net(&it, source.as_bytes(), &net, &query, &Default::default());
/// assert!(matches!(check(evidence(&["t"]))?, NetAccepted::Reachable(_)));
/// for wrong in [&[][..], &["t", "t"], &["u"]] {
///     assert!(check(evidence(wrong)).is_err());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_net(
    evidence: &NetEvidence,
    source: &[u8],
    net: &PetriNet,
    query: &Query,
    limits: &Limits,
) -> Result<NetAccepted, Rejection> {
    match evidence {
        NetEvidence::Firing { transitions } => fire(net, query, transitions, limits),
        NetEvidence::System { certificate } => {
            if !matches!(certificate.verdict, Verdict::Serializable(_)) {
                return Err(Reason::OtherKind.at("system.certificate.verdict"));
            }
            let reach = ReachabilitySystem::new(net, query)
                .map_err(|error| Reason::Translation(error.to_string()).at("query"))?;
            serializability::check(certificate, source, reach.system(), limits)
                .map(NetAccepted::Unreachable)
                .map_err(|rejection| match rejection.reason {
                    serializability::Reason::Stopped(stop) => Reason::Stopped(stop).at("system"),
                    _ => Reason::System(rejection.to_string()).at("system.certificate"),
                })
        }
    }
}

fn fire(
    net: &PetriNet,
    query: &Query,
    transitions: &[String],
    limits: &Limits,
) -> Result<NetAccepted, Rejection> {
    let place = |index: usize| format!("firing.transitions[{index}]");
    let mut pace = limits.pace();
    let mut marking = net.initial_marking();
    let mut sequence = Vec::new();
    for (index, name) in transitions.iter().enumerate() {
        pace.steps(net.transitions.len() + marking.len())
            .map_err(|stop| Reason::from(stop).at(place(index)))?;
        let found = net.transitions.iter().position(|t| t.name == *name);
        let found = found.and_then(|t| u32::try_from(t).ok()).map(TransitionId);
        let found = found.ok_or_else(|| Reason::NoTransition(name.clone()).at(place(index)))?;
        marking = net
            .fire(&marking, found)
            .ok_or_else(|| Reason::CannotFire(name.clone()).at(place(index)))?;
        sequence.push(found);
    }
    match query.target().holds(&marking) {
        true => Ok(NetAccepted::Reachable(Witness { sequence, marking })),
        false => Err(Reason::NotTheTarget.at("firing.transitions")),
    }
}
