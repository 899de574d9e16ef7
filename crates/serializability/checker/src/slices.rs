//! `slices`: parts of a program that are decided one by one, without what nobody sees.
//!
//! A *slice* of a program has some of its handlers, [without](crate::unseen) some of their
//! variables, none of which it mentions. By the theorem there, its runs are those of these handlers
//! in the program, up to the values of variables that are left out.
//!
//! *Theorem 1.* If a slice has a complete run whose outcome is not serial (or not in real-time
//! order), so has the program. *Proof.* The run is one of the program in which nobody else arrives.
//! A serial run of the program with the same outcome has only requests of the slice, and so is a
//! serial run of the slice. ∎
//!
//! Slices are *independent* if none of them mentions a variable that another one assigns or leaves
//! out. Variables that nobody assigns always have their first values, and connect nothing. But one
//! that is left out of the handler that assigns it only seems to have it.
//!
//! *Theorem 2.* If every handler of a program is in exactly one of several independent slices, and
//! all of them are serializable, so is the program. *Proof.* Together, the slices mention nothing
//! that one of them leaves out. By the theorem about what nobody sees, the program may as well have
//! their handlers. What the requests of one slice do in a complete run of the program is a complete
//! run of the slice, because nobody else assigns what they mention. It has a serial run with the
//! same outcome. One after the other, these are a serial run of the program, again because nobody
//! else assigns what they mention. ∎
//!
//! *Theorem 3* (after Herlihy and Wing, TOPLAS 1990: linearizability is local). If all slices in
//! theorem 2 are strictly serializable, so is the program. *Proof.* For each slice there is an
//! order of its requests in which they can run serially with the same responses, and that keeps
//! precedence (r precedes s if r responds before s arrives). Together with precedence between
//! requests of different slices, these orders have no cycle: take a shortest one. Precedence is
//! transitive and so is each order, so both kinds of links alternate, and there is more than one
//! link. If r precedes s, s comes before t in the order of their slice, and t precedes u, then t
//! does not precede s, so s arrives before t responds; r responds before s arrives, and t responds
//! before u arrives, so r precedes u, and the cycle was not the shortest. If only two links are
//! left, r precedes s and s comes before r in the order of their slice, which does not keep
//! precedence. So all requests can be put into one order that keeps it, and each slice runs in it
//! as in its own. ∎

use crate::accept::{Accepted, Argument};
use crate::meter::Meter;
use crate::names::Names;
use crate::reject::At;
use crate::unseen::{Mentioned, without};
use crate::{Counterexample, Proof, Reason, Rejection, Slice, SliceProof};
use crate::{no_yield, replay, rules, symbolic, system_proof};
use ser_base::Limits;
use ser_model::{ExploreError, ProgramModel, RunBound, opaque_rules};
use ser_syntax::core::Program;
use std::collections::{BTreeMap, BTreeSet};

/// The program that a slice is.
///
/// ```
/// use ser_serializability_checker::{Slice, sliced};
/// let text = "N := 1 request work { N := N + 1; yield; X := 1; X } request other { Y }";
/// let program = ser_syntax::parse(text).program;
/// let slice = Slice { requests: vec!["work".into()], dropped: vec!["N".into()] };
/// let slice = sliced(&program, &slice).unwrap();
/// assert_eq!((slice.requests.len(), slice.globals.len()), (1, 0));
/// ```
pub fn sliced(program: &Program, slice: &Slice) -> Result<Program, Reason> {
    let wanted = set(&slice.requests)?;
    let dropped = set(&slice.dropped)?;
    let known: BTreeSet<&String> = program.requests.iter().map(|r| &r.name.text).collect();
    if let Some(name) = wanted.iter().find(|name| !known.contains(name)) {
        return Err(Reason::Unknown { kind: "handler", name: name.clone() });
    }
    let mut unknown = dropped.clone();
    let mut left = BTreeSet::new();
    let mut requests = Vec::new();
    for request in program.requests.iter().filter(|r| wanted.contains(&r.name.text)) {
        let here = Mentioned::of(request);
        unknown.retain(|name| !here.reads.contains(name) && !here.writes.contains(name));
        let request = without(request, &dropped);
        let mentioned = Mentioned::of(&request);
        if let Some(name) = mentioned.all().find(|name| dropped.contains(*name)) {
            return Err(Reason::StillSeen { variable: name.clone() });
        }
        left.extend(mentioned.all().cloned());
        requests.push(request);
    }
    if let Some(name) = unknown.into_iter().next() {
        return Err(Reason::Unknown { kind: "variable of these handlers", name });
    }
    let globals = program.globals.iter().filter(|it| left.contains(&it.name.text));
    let globals = globals.cloned().collect();
    Ok(Program { constants: program.constants.clone(), globals, requests, questions: Vec::new() })
}

/// Names, each once.
fn set(names: &[String]) -> Result<BTreeSet<String>, Reason> {
    let mut seen = BTreeSet::new();
    match names.iter().find(|name| !seen.insert((*name).clone())) {
        Some(name) => Err(Reason::Repeated { what: name.clone() }),
        None => Ok(seen),
    }
}

/// Checks a counterexample in a slice.
pub(crate) fn check_run(
    run: &Counterexample,
    slice: &Slice,
    program: &Program,
    text: &str,
    limits: &Limits,
) -> Result<Accepted, Rejection> {
    let program = sliced(program, slice).at(|| "slice".into())?;
    let model = match &run.part {
        None if run.along => {
            ProgramModel::along(&program, text, &run.outline(), limits).map(|(model, _)| model)
        }
        None => ProgramModel::new(&program, text, limits),
        Some(part) => {
            let labels = part.labels.iter().cloned().collect();
            let bound = RunBound { requests: part.requests, preemptions: part.preemptions };
            ProgramModel::part(&program, text, &labels, bound, limits)
        }
    };
    let model = model.map_err(no_states).at(|| "slice".into())?;
    replay::check(run, &Names::new(model.system()), &mut Meter::new(limits))
}

/// Checks proofs about slices.
pub(crate) fn check_proofs(
    slices: &[SliceProof],
    program: &Program,
    text: &str,
    limits: &Limits,
) -> Result<Accepted, Rejection> {
    let place = |at: usize| format!("slices[{at}]");
    if program.is_open() {
        // What slices leave alone is shown for the arguments in the core.
        return Err(Reason::OtherDescription { needed: "program without any number of arguments" }
            .at("proof"));
    }
    let programs = slices.iter().enumerate().map(|(at, it)| {
        let sliced = sliced(program, &it.slice);
        sliced.at(|| place(at))
    });
    let programs: Vec<Program> = programs.collect::<Result<_, _>>()?;
    check_independent(program, slices, &programs)?;
    let mut arguments = Vec::new();
    let mut sum = (0, 0, 0, true);
    for (at, (slice, program)) in slices.iter().zip(&programs).enumerate() {
        let accepted = check_proof(&slice.proof, program, text, limits).map_err(|inside| {
            let place = format!("{}.{}", place(at), inside.place);
            Rejection { place, ..inside }
        })?;
        // What proves something about a slice never says that it is not serializable.
        let Accepted::Serializable { argument, transitions, places, serial_states, in_real_time } =
            accepted
        else {
            return Err(Reason::OtherDescription { needed: "proof" }.at(place(at)));
        };
        arguments.push(argument);
        sum.0 += transitions;
        sum.1 += places;
        sum.2 += serial_states;
        sum.3 &= in_real_time;
    }
    let (transitions, places, serial_states, in_real_time) = sum;
    let dropped = slices.iter().flat_map(|it| &it.slice.dropped);
    let dropped: BTreeSet<&String> = dropped.filter(|name| !name.contains('.')).collect();
    let argument = Argument::Slices { dropped: dropped.len(), slices: arguments };
    Ok(Accepted::Serializable { argument, transitions, places, serial_states, in_real_time })
}

/// Checks that every handler is in one slice, and that no slice mentions what another one assigns
/// or leaves out. `programs` are the slices as programs.
fn check_independent(
    program: &Program,
    slices: &[SliceProof],
    programs: &[Program],
) -> Result<(), Rejection> {
    let mut of_handler: BTreeMap<&String, usize> = BTreeMap::new();
    let mut assigned: BTreeMap<String, usize> = BTreeMap::new();
    let mut mentioned: Vec<BTreeSet<String>> = Vec::new();
    for (at, slice) in programs.iter().enumerate() {
        let mut all = BTreeSet::new();
        for request in &slice.requests {
            let name = &request.name.text;
            if of_handler.insert(name, at).is_some() {
                let what = name.clone();
                return Err(Reason::Repeated { what }.at(format!("slices[{at}].requests")));
            }
            let here = Mentioned::of(request);
            all.extend(here.all().cloned());
            assigned.extend(here.writes.into_iter().map(|name| (name, at)));
        }
        mentioned.push(all);
    }
    if let Some(request) = program.requests.iter().find(|r| !of_handler.contains_key(&r.name.text))
    {
        return Err(Reason::Missing { what: request.name.text.clone() }.at("slices"));
    }
    let left_out: BTreeSet<&String> = slices.iter().flat_map(|it| &it.slice.dropped).collect();
    // If two slices assign a variable, one of them is not the one that is known to.
    for (at, names) in mentioned.iter().enumerate() {
        let by_another = |name: &&String| assigned.get(*name).is_some_and(|by| *by != at);
        let shared = names.iter().find(|name| by_another(name) || left_out.contains(name));
        if let Some(name) = shared {
            let variable = name.clone();
            return Err(Reason::NotIndependent { variable }.at(format!("slices[{at}]")));
        }
    }
    Ok(())
}

/// Checks the proof of a slice: a program of its own.
fn check_proof(
    proof: &Proof,
    program: &Program,
    text: &str,
    limits: &Limits,
) -> Result<Accepted, Rejection> {
    let mut meter = Meter::new(limits);
    match proof {
        Proof::NoYield => no_yield::check(program),
        Proof::Symbolic(proof) => symbolic::check(proof, program, text, limits),
        Proof::Rules(proof) => {
            let opaque: BTreeSet<String> = proof.opaque.iter().cloned().collect();
            let rules = opaque_rules(program, text, &opaque, limits);
            let rules = rules.map_err(no_states).at(|| "proof".into())?;
            rules::check(proof, &rules, &Names::new(rules.frame()), &mut meter)
        }
        Proof::Slices(_) => Err(Reason::OtherDescription { needed: "states" }.at("proof")),
        Proof::Inclusion(_) | Proof::Arithmetic(_) => {
            let model = ProgramModel::new(program, text, limits);
            let model = model.map_err(no_states).at(|| "proof".into())?;
            system_proof(proof, model.system(), &mut meter)
        }
    }
}

fn no_states(error: ExploreError) -> Reason {
    match error {
        ExploreError::TooManyStates { stop, .. } => Reason::Stopped(stop),
        error => Reason::NoStates { why: error.to_string() },
    }
}
