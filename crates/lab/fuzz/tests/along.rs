//! What a program does along a run, and along all serial runs with its outcome: whether a run is a
//! counterexample does not depend on whether all states are listed, or just these.

use ser_base::Limits;
use ser_fuzz::{Random, program};
use ser_model::{LocalId, NetworkSystem, ProgramModel};
use ser_serializability_checker::{
    Certificate, Counterexample, Event, OutcomeEntry, Reason, Scope, Source, Verdict, check,
};
use std::collections::BTreeMap;

/// A random complete run; nothing if somebody waits forever.
fn random_run(system: &NetworkSystem, random: &mut Random) -> Option<Counterexample> {
    let most = random.between(1, 6);
    let mut global = system.initial_global();
    let mut labels: Vec<String> = Vec::new();
    let mut flying: Vec<(u64, LocalId)> = Vec::new();
    let mut run = Vec::new();
    let mut outcome: BTreeMap<(String, String), u64> = BTreeMap::new();
    for _ in 0..100 {
        if labels.len() < most && (flying.is_empty() || random.chance(40)) {
            let spawns = system.spawns();
            let (request, local) = spawns[random.below(spawns.len())];
            let name = system.request_name(request).to_owned();
            labels.push(name.clone());
            let number = labels.len() as u64;
            let local_name = system.local_name(local).to_owned();
            run.push(Event::Start { number, request: name, local: local_name });
            flying.push((number, local));
        } else if flying.is_empty() {
            let outcome = outcome.into_iter().map(|((request, response), count)| OutcomeEntry {
                request,
                response,
                count,
            });
            let outcome = outcome.collect();
            return Some(Counterexample { outcome, run, ..Counterexample::default() });
        }
        let at = random.below(flying.len());
        let (number, local) = flying[at];
        if let Some(response) = system.replies_of(local).next() {
            let response = system.response_name(response).to_owned();
            let label = labels[number as usize - 1].clone();
            *outcome.entry((label, response.clone())).or_default() += 1;
            run.push(Event::Respond { number, response });
            flying.remove(at);
            continue;
        }
        let steps = system.steps_at(local, global);
        if !steps.is_empty() {
            let step = steps[random.below(steps.len())];
            (flying[at].1, global) = (step.to, step.after);
            let local = system.local_name(step.to).to_owned();
            run.push(Event::Step { number, local, global: system.global_name(step.after) });
        }
    }
    None
}

#[test]
fn a_run_is_a_counterexample_along_itself_if_it_is_one() {
    let limits = Limits { max_states: 3_000, ..Limits::default() };
    let (mut accepted, mut serial, mut strict_only) = (0, 0, 0);
    for seed in 0..1_500 {
        let mut random = Random::new(seed);
        let text = program(&mut random);
        let parsed = ser_syntax::parse(&text).program;
        let Ok(model) = ProgramModel::new(&parsed, &text, &limits) else { continue };
        for _ in 0..10 {
            let Some(run) = random_run(model.system(), &mut random) else { continue };
            for strict in [false, true] {
                let claim = |along| {
                    let run = Counterexample { along, strict, ..run.clone() };
                    let source = Source::new("p.ser", text.as_bytes());
                    Certificate { source, verdict: Verdict::NotSerializable(run) }
                };
                let whole = check(&claim(false), text.as_bytes(), model.system(), &limits);
                let along = claim(true);
                let Scope::Along(outline) = along.scope() else { panic!("{along:?}") };
                let (part, path) =
                    ProgramModel::along(&parsed, &text, &outline, &limits).expect("few states");
                let found = check(&along, text.as_bytes(), part.system(), &limits);
                match (&whole, &found) {
                    (Ok(_), Ok(_)) if strict => strict_only += 1,
                    (Ok(_), Ok(_)) => accepted += 1,
                    (Err(whole), Err(along)) => {
                        let is_serial = matches!(whole.reason, Reason::AlsoSerial { .. });
                        assert!(is_serial, "{whole}\n{text}");
                        let is_serial = matches!(along.reason, Reason::AlsoSerial { .. });
                        assert!(is_serial, "{along}\n{text}");
                        serial += 1;
                    }
                    _ => panic!("{whole:?}, but along the run {found:?}:\n{run:?}\n{text}"),
                }
                // It is followed to its end.
                assert_eq!(path.len(), outline.steps.len(), "{text}");
            }
        }
    }
    eprintln!("{accepted} counterexamples, {strict_only} strict ones, {serial} are serial");
    assert!(accepted > 100 && strict_only > 100 && serial > 1_000);
}
