//! Certificates of one system, presented for another: the checker accepts none for a system that is
//! not serializable.
//!
//! A serializable random system gets a few steps more or less. The certificate of the system as it
//! was fits almost, the digest is made to fit, and what is accepted has to be true of the new
//! system.

use crate::inputs;
use ser_base::Limits;
use ser_fuzz::forgery::changed;
use ser_fuzz::{Findings, Random, brute_force, system};
use ser_model::write_json;
use ser_serializability_search::{Methods, Options, certify, decide};
use std::time::Duration;

#[test]
fn certificates_of_other_systems_prove_nothing_false() {
    let by = [
        Methods { refute: false, atomic: true, inclusion: true, arithmetic: true },
        Methods { refute: false, atomic: false, inclusion: true, arithmetic: false },
        Methods { refute: false, atomic: false, inclusion: false, arithmetic: true },
    ];
    let (mut rejected, mut accepted) = (0, 0);
    for seed in 0..inputs(240) {
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
            let checked = ser_serializability_checker::check(
                &certificate,
                b"random",
                &after,
                &Limits::default(),
            );
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
