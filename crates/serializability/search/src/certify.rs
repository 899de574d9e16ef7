//! From an answer to a certificate that the checker can judge without the engine.

mod arithmetic;

use arithmetic::arithmetic;

use crate::{Answer, Argument, Event, PartRefutation, Proof, Refutation, SymbolicFound, Triple};
use ser_model::{GlobalId, LocalId, NetworkSystem, RequestId, ResponseId, RuleSystem, VariableId};
use ser_net::{Count, Effects, Foresight, Outcome, Place, PlaceId, Reduction, RuleReduction, Side};
use ser_serializability_checker as cert;
use std::collections::BTreeMap;

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
        Answer::Serializable(proof) => cert::Verdict::Serializable(match &proof.argument {
            Argument::Atomic => {
                cert::Proof::Inclusion(inclusion(proof, &[], identity(proof, system), system))
            }
            Argument::Inclusion(invariant) => {
                let triples = invariant.triples.iter().map(|t| triple(t, proof, system));
                let labels = &invariant.labels;
                let found = inclusion(proof, labels, triples.collect(), system);
                let promises = invariant.promises.iter().map(|(place, loops)| {
                    let PlaceName { request, local } = place_name(proof, system, *place);
                    let loops = loops.iter().map(|o| letter(o, system)).collect();
                    cert::Promise { request, local, loops }
                });
                let stand_ins = invariant.stand_ins.iter().map(|s| cert::StandIn {
                    global: system.global_name(GlobalId(s.global)),
                    instead_of: system.global_name(GlobalId(s.instead_of)),
                    loops: s.loops.iter().map(|o| letter(o, system)).collect(),
                });
                let (promises, stand_ins) = (promises.collect(), stand_ins.collect());
                cert::Proof::Inclusion(cert::Inclusion { promises, stand_ins, ..found })
            }
            Argument::Arithmetic(counting) => {
                cert::Proof::Arithmetic(arithmetic(proof, counting, system))
            }
        }),
        Answer::Unknown(_) => return None,
    };
    let source = cert::Source::new(file, source);
    Some(cert::Certificate { source, verdict })
}

/// The certificate of a counterexample in a part of a program.
pub fn certify_part(found: &PartRefutation, file: &str, source: &[u8]) -> cert::Certificate {
    let mut run = counterexample(&found.refutation, found.model.system());
    run.part = Some(cert::RunPart {
        labels: found.labels.iter().cloned().collect(),
        requests: found.bound.requests,
        preemptions: found.bound.preemptions,
    });
    let source = cert::Source::new(file, source);
    cert::Certificate { source, verdict: cert::Verdict::NotSerializable(run) }
}

/// The certificate of a counterexample that is about the states along its own run only; `system` is
/// what the program does there.
pub fn certify_along(
    refutation: &Refutation,
    system: &NetworkSystem,
    file: &str,
    source: &[u8],
) -> cert::Certificate {
    let run = counterexample(refutation, system);
    let verdict = cert::Verdict::NotSerializable(cert::Counterexample { along: true, ..run });
    cert::Certificate { source: cert::Source::new(file, source), verdict }
}

/// The certificate of a proof about the rules of a program.
pub fn certify_rules(
    proof: &Effects,
    rules: &RuleSystem,
    file: &str,
    source: &[u8],
) -> cert::Certificate {
    let frame = rules.frame();
    let reductions = proof.applied.iter().map(|(applied, _)| match applied {
        RuleReduction::Facts(counts) => {
            cert::RuleReduction::Facts(counts.iter().map(|c| count(c, proof, frame)).collect())
        }
        RuleReduction::Stuttering => cert::RuleReduction::Stuttering,
        RuleReduction::Defer(deferred) => {
            let local = |p: &PlaceId| frame.local_name(proof.net.places[p.index()].1).to_owned();
            cert::RuleReduction::Defer(cert::Defer {
                request: frame.request_name(deferred.request).to_owned(),
                from: deferred.from.as_ref().map(local),
                places: deferred.places.iter().map(local).collect(),
            })
        }
    });
    let place = |p: &PlaceId| {
        let (request, local) = proof.net.places[p.index()];
        name(frame, request, local)
    };
    let reader = |(request, line): (&RequestId, &Vec<ResponseId>)| cert::Reader {
        request: frame.request_name(*request).to_owned(),
        responses: line.iter().map(|response| frame.response_name(*response).to_owned()).collect(),
    };
    let variable = |v: &VariableId| frame.variables()[v.index()].name.clone();
    let proof = cert::Proof::Rules(cert::RuleProof {
        opaque: rules.opaque().iter().cloned().collect(),
        reductions: reductions.collect(),
        after: proof.after.iter().filter(|p| !proof.is_of_reader(**p)).map(place).collect(),
        readers: proof.readers.lines.iter().map(reader).collect(),
        falling: proof.readers.falling.iter().map(variable).collect(),
    });
    let source = cert::Source::new(file, source);
    cert::Certificate { source, verdict: cert::Verdict::Serializable(proof) }
}

/// The certificate of a proof on symbolic steps.
pub fn certify_symbolic(found: &SymbolicFound, file: &str, source: &[u8]) -> cert::Certificate {
    let source = cert::Source::new(file, source);
    let proof = cert::Proof::Symbolic(found.proof.clone());
    cert::Certificate { source, verdict: cert::Verdict::Serializable(proof) }
}

/// A certificate that no request can yield.
pub fn certify_no_yield(file: &str, source: &[u8]) -> cert::Certificate {
    let source = cert::Source::new(file, source);
    cert::Certificate { source, verdict: cert::Verdict::Serializable(cert::Proof::NoYield) }
}

/// The certificate of a program all of whose slices have proofs.
pub fn certify_slices(
    proofs: Vec<(cert::Slice, cert::Proof)>,
    file: &str,
    source: &[u8],
) -> cert::Certificate {
    let slices = proofs.into_iter().map(|(slice, proof)| cert::SliceProof { slice, proof });
    let proof = cert::Proof::Slices(slices.collect());
    let source = cert::Source::new(file, source);
    cert::Certificate { source, verdict: cert::Verdict::Serializable(proof) }
}

/// The certificate of a counterexample in a slice, as one of the program.
pub fn in_slice(mut certificate: cert::Certificate, slice: &cert::Slice) -> cert::Certificate {
    if let cert::Verdict::NotSerializable(run) = &mut certificate.verdict {
        run.slice = Some(slice.clone());
    }
    certificate
}

fn count(count: &Count, proof: &Effects, frame: &NetworkSystem) -> cert::Count {
    let places = proof.net.places.iter().zip(&count.amounts).filter(|(_, amount)| **amount != 0);
    cert::Count {
        variable: frame.variables()[count.variable.index()].name.clone(),
        amounts: places
            .map(|((request, local), amount)| {
                let cert::PlaceName(request, local) = name(frame, *request, *local);
                cert::Amount { request, local, amount: *amount }
            })
            .collect(),
    }
}

fn name(system: &NetworkSystem, request: RequestId, local: LocalId) -> cert::PlaceName {
    let (request, local) = (system.request_name(request), system.local_name(local));
    cert::PlaceName(request.to_owned(), local.to_owned())
}

fn side(side: Side) -> cert::Side {
    match side {
        Side::Right => cert::Side::Right,
        Side::Left => cert::Side::Left,
    }
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
    cert::Counterexample {
        outcome,
        run,
        strict: refutation.strict,
        part: None,
        slice: None,
        along: false,
    }
}

fn inclusion(
    proof: &Proof,
    labels: &[(PlaceId, Outcome)],
    invariant: Vec<cert::Triple>,
    system: &NetworkSystem,
) -> cert::Inclusion {
    let labels = labels.iter().map(|(place, outcome)| {
        let PlaceName { request, local } = place_name(proof, system, *place);
        let response = system.response_name(outcome.response).to_owned();
        cert::Label { request, local, response }
    });
    cert::Inclusion {
        reductions: proof.reductions.iter().map(|a| reduction(&a.reduction, system)).collect(),
        labels: labels.collect(),
        promises: Vec::new(),
        stand_ins: Vec::new(),
        invariant,
    }
}

struct PlaceName {
    request: String,
    local: String,
}

fn place_name(proof: &Proof, system: &NetworkSystem, place: PlaceId) -> PlaceName {
    let place = &proof.net.places[place.index()];
    PlaceName {
        request: system.request_name(place.request).to_owned(),
        local: local_name(place, system),
    }
}

/// The representative, with what is foreseen.
fn local_name(place: &Place, system: &NetworkSystem) -> String {
    let local = system.local_name(place.members[0]);
    let Some(Foresight { response, committed }) = place.foresight else { return local.to_owned() };
    let sign = if committed { "=>" } else { "->" };
    format!("{local} {sign} {}", system.response_name(response))
}

fn letter(o: &Outcome, system: &NetworkSystem) -> cert::LetterName {
    let (request, response) = (system.request_name(o.request), system.response_name(o.response));
    cert::LetterName(request.to_owned(), response.to_owned())
}

fn triple(triple: &Triple, proof: &Proof, system: &NetworkSystem) -> cert::Triple {
    let letter = |o: &Outcome| letter(o, system);
    let in_flight = triple.in_flight.iter().map(|(place, count, period)| {
        let PlaceName { request, local } = place_name(proof, system, *place);
        let (count, period) = (u64::from(*count), u64::from(*period));
        cert::InFlight { request, local, count, period }
    });
    let serial = triple.serial.iter().map(|e| cert::SerialElement {
        global: system.global_name(GlobalId(e.global)),
        loops: e.loops.iter().map(letter).collect(),
        debts: e.debts.iter().map(letter).collect(),
        waiting: e.waiting.as_ref().map(letter),
    });
    cert::Triple {
        global: system.global_name(GlobalId(triple.global)),
        in_flight: in_flight.collect(),
        serial: serial.collect(),
    }
}

/// Where nothing interleaves, the global state itself explains what has happened so far: the
/// invariant is one triple for each global state, with nobody in flight.
fn identity(proof: &Proof, system: &NetworkSystem) -> Vec<cert::Triple> {
    // Only those that are reached: others have no place in the serial automaton.
    let mut reached = vec![false; proof.net.global_count];
    reached[proof.net.initial.index()] = true;
    let starts = proof.net.starts_by_global();
    let mut globals = vec![proof.net.initial];
    let mut next = 0;
    while let Some(global) = globals.get(next).map(|g| g.index()) {
        for t in &proof.net.transitions[starts[global] as usize..starts[global + 1] as usize] {
            if !reached[t.after.index()] {
                reached[t.after.index()] = true;
                globals.push(t.after);
            }
        }
        next += 1;
    }
    globals.sort_unstable();
    globals
        .into_iter()
        .map(|g| {
            let global = system.global_name(g);
            let here = cert::SerialElement {
                global: global.clone(),
                loops: Vec::new(),
                debts: Vec::new(),
                waiting: None,
            };
            cert::Triple { global, in_flight: Vec::new(), serial: vec![here] }
        })
        .collect()
}

fn reduction(reduction: &Reduction, system: &NetworkSystem) -> cert::Reduction {
    let name = |(request, local): &(RequestId, LocalId)| name(system, *request, *local);
    match reduction {
        Reduction::Slice => cert::Reduction::Slice,
        Reduction::Stuttering => cert::Reduction::Stuttering,
        Reduction::Exclude => cert::Reduction::Exclude,
        Reduction::Prophecy => cert::Reduction::Prophecy,
        Reduction::Move { place, side: direction, sharp } => cert::Reduction::Move(cert::Move {
            place: name(place),
            side: side(*direction),
            sharp: *sharp,
        }),
        Reduction::Alike(alike) => {
            let global = |i| system.global_name(GlobalId::from_index(i));
            let local = |i| system.local_name(LocalId::from_index(i)).to_owned();
            let request = |i| system.request_name(RequestId::from_index(i)).to_owned();
            cert::Reduction::Alike(cert::Alike {
                globals: groups(&alike.globals, global),
                locals: groups(&alike.locals, local),
                requests: groups(&alike.requests, request),
            })
        }
        Reduction::Defer { request, from, places } => cert::Reduction::Defer(cert::Defer {
            request: system.request_name(*request).to_owned(),
            from: from.map(|local| system.local_name(local).to_owned()),
            places: places.iter().map(|local| system.local_name(*local).to_owned()).collect(),
        }),
        Reduction::Merge(groups) => cert::Reduction::Merge(
            groups.iter().map(|group| group.iter().map(name).collect()).collect(),
        ),
    }
}

/// The groups of two or more states with the same representative, which comes first, by name.
fn groups<T: Copy + Ord>(
    representatives: &[T],
    name: impl Fn(usize) -> String,
) -> Vec<Vec<String>> {
    let mut groups: BTreeMap<T, Vec<usize>> = BTreeMap::new();
    for (i, first) in representatives.iter().enumerate() {
        groups.entry(*first).or_default().push(i);
    }
    let groups = groups.into_values().filter(|group| group.len() > 1);
    groups.map(|group| group.into_iter().map(&name).collect()).collect()
}
