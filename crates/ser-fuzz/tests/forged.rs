//! Certificates of one system, presented for another: the checker accepts none for a system that is
//! not serializable.
//!
//! A serializable random system gets a few steps more or less. The certificate of the system as it was
//! fits almost, the digest is made to fit, and what is accepted has to be true of the new system.

#![allow(clippy::print_stderr)]

use ser_engine::{Methods, Options, certify, decide};
use ser_fuzz::{Findings, Random, brute_force, system};
use ser_model::{Limits, NetworkSystem, SystemBuilder, write_json};
use std::time::Duration;

/// The same system with a few steps that are new, gone, or lead elsewhere.
fn changed(system: &NetworkSystem, random: &mut Random) -> NetworkSystem {
    let mut builder = SystemBuilder::with_state_names("G0");
    let globals: Vec<_> =
        system.globals().map(|g| builder.named_global(&system.global_name(g))).collect();
    let locals: Vec<_> = (0..system.local_count())
        .map(|l| builder.local(system.local_name(ser_model::LocalId::from_index(l))))
        .collect();
    for (request, local) in system.spawns() {
        builder.spawn(system.request_name(*request), locals[local.index()]);
    }
    for (local, response) in system.replies() {
        builder.reply(locals[local.index()], system.response_name(*response));
    }
    let mut steps: Vec<[usize; 4]> = system
        .steps()
        .iter()
        .map(|s| [s.from.index(), s.before.index(), s.to.index(), s.after.index()])
        .collect();
    for _ in 0..random.between(1, 4) {
        let (l, g) = (locals.len(), globals.len());
        let new = [random.below(l), random.below(g), random.below(l), random.below(g)];
        let at = random.below(steps.len().max(1));
        match (random.below(4), steps.get_mut(at)) {
            (0, Some(_)) => {
                steps.remove(at);
            }
            (1, Some(step)) => step[2] = new[2],
            (2, Some(step)) => step[3] = new[3],
            _ => steps.push(new),
        }
    }
    for [from, before, to, after] in steps {
        builder.named_step(locals[from], globals[before], locals[to], globals[after]);
    }
    builder.finish()
}

#[test]
fn certificates_of_other_systems_prove_nothing_false() {
    let by = [
        Methods { refute: false, atomic: true, inclusion: true, arithmetic: true },
        Methods { refute: false, atomic: false, inclusion: true, arithmetic: false },
        Methods { refute: false, atomic: false, inclusion: false, arithmetic: true },
    ];
    let (mut rejected, mut accepted) = (0, 0);
    // More where somebody asks for it.
    let factor = std::env::var("SER_FUZZ_FACTOR").ok().and_then(|text| text.parse().ok());
    for seed in 0..240 * factor.unwrap_or(1u64) {
        let random = &mut Random::new(seed ^ 0xf09e);
        let before = system(random);
        if let Findings::Broken { .. } = brute_force(&before, 2, 20_000) {
            continue;
        }
        let options = Options { methods: by[seed as usize % 3], ..Options::default() };
        let limits = Limits::default().with_timeout(Duration::from_millis(100));
        let (answer, _) = decide(&before, &options, &limits, &|_| {});
        let Some(certificate) = certify(&answer, &before, "random", b"random") else { continue };
        for _ in 0..20 {
            let after = changed(&before, random);
            let checked = ser_cert::check(&certificate, b"random", &after, &Limits::default());
            let Ok(good) = checked else {
                rejected += 1;
                continue;
            };
            accepted += 1;
            if let Findings::Broken { requests, outcomes } = brute_force(&after, 3, 5_000) {
                let (text, json) = (certificate.to_text(), write_json(&after));
                panic!(
                    "seed {seed}: accepted ({good}), but {requests} requests have {outcomes:?}\n\
                     {json:#}\n{text}"
                );
            }
        }
    }
    eprintln!("{rejected} rejected, {accepted} accepted, and all of these are true");
    // Many do not fit any more, and many still do: this is a test of more than names.
    assert!(rejected >= 500 && accepted >= 500, "{rejected} rejected, {accepted} accepted");
}
