//! From an answer to a certificate that the checker can judge without the engine.

use crate::{Answer, AtomicProof, Event, Refutation};
use ser_cert as cert;
use ser_model::{GlobalId, LocalId, NetworkSystem, RequestId};
use ser_net::Reduction;

/// The certificate of an answer; none if the answer is "unknown".
///
/// `file` is recorded for people; `source` are the bytes that `system` was made from.
pub fn certify(
    answer: &Answer,
    system: &NetworkSystem,
    file: &str,
    source: &[u8],
) -> Option<cert::Certificate> {
    let verdict = match answer {
        Answer::NotSerializable(refutation) => {
            cert::Verdict::NotSerializable(counterexample(refutation, system))
        }
        Answer::Serializable(proof) => {
            cert::Verdict::Serializable(cert::Proof::Inclusion(atomic(proof, system)))
        }
        Answer::Unknown(_) => return None,
    };
    let source = cert::Source { file: file.to_owned(), sha256: cert::digest(source) };
    Some(cert::Certificate { source, verdict })
}

fn counterexample(refutation: &Refutation, system: &NetworkSystem) -> cert::Counterexample {
    let outcome = refutation
        .outcome
        .iter()
        .map(|(outcome, count)| cert::OutcomeEntry {
            request: system.request_name(outcome.request).to_owned(),
            response: system.response_name(outcome.response).to_owned(),
            count: u64::from(*count),
        })
        .collect();
    let run = refutation
        .run
        .events
        .iter()
        .map(|event| match event {
            Event::Arrive { number, request, local } => cert::Event::Start {
                number: u64::from(*number),
                request: system.request_name(*request).to_owned(),
                local: system.local_name(*local).to_owned(),
            },
            Event::Step { number, step } => cert::Event::Step {
                number: u64::from(*number),
                local: system.local_name(step.to).to_owned(),
                global: system.global_name(step.after),
            },
            Event::Respond { number, response } => cert::Event::Respond {
                number: u64::from(*number),
                response: system.response_name(*response).to_owned(),
            },
        })
        .collect();
    cert::Counterexample { outcome, run }
}

/// Where nothing interleaves, the global state itself explains what has happened so far: the
/// invariant is one triple for each global state, with nobody in flight.
fn atomic(proof: &AtomicProof, system: &NetworkSystem) -> cert::Inclusion {
    let mut globals: Vec<GlobalId> = proof
        .net
        .transitions
        .iter()
        .flat_map(|t| [t.before, t.after])
        .chain([proof.net.initial])
        .collect();
    globals.sort_unstable();
    globals.dedup();
    let invariant = globals
        .into_iter()
        .map(|g| {
            let global = system.global_name(g);
            let here = cert::SerialElement {
                global: global.clone(),
                loops: Vec::new(),
                debts: Vec::new(),
            };
            cert::Triple { global, in_flight: Vec::new(), serial: vec![here] }
        })
        .collect();
    let reductions = proof.reductions.iter().map(|r| reduction(r, system)).collect();
    cert::Inclusion { reductions, labels: Vec::new(), invariant }
}

fn reduction(reduction: &Reduction, system: &NetworkSystem) -> cert::Reduction {
    let name = |(request, local): &(RequestId, LocalId)| {
        cert::PlaceName(
            system.request_name(*request).to_owned(),
            system.local_name(*local).to_owned(),
        )
    };
    match reduction {
        Reduction::Slice => cert::Reduction::Slice,
        Reduction::Idle => cert::Reduction::Idle,
        Reduction::Merge(groups) => cert::Reduction::Merge(
            groups.iter().map(|group| group.iter().map(name).collect()).collect(),
        ),
    }
}
