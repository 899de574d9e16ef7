//! A short run of random inputs through engine, checker and brute force.
//!
//! `cargo run --release -p ser-fuzz` is the long run; this one is short enough for every day.

use ser_fuzz::{Random, Trial, options, program, system, try_system, try_system_with};
use ser_model::{Limits, ProgramModel, write_json};
use std::collections::BTreeMap;
use std::time::Duration;

/// Generous: a slow machine must not turn an answer into "unknown".
const TIMEOUT: Duration = Duration::from_secs(60);

/// What came of all inputs of one kind.
#[derive(Default)]
struct Summary {
    decided_by: BTreeMap<&'static str, usize>,
    unknown: Vec<String>,
    wrong: Vec<String>,
}

impl Summary {
    fn add(&mut self, system: &ser_model::NetworkSystem, text: &str) {
        match try_system(system, 3, TIMEOUT) {
            Ok(Trial { decided_by, tried, .. }) => {
                *self.decided_by.entry(decided_by).or_default() += 1;
                if decided_by == "unknown" {
                    self.unknown.push(format!("{text}\n{tried}"));
                }
            }
            Err(finding) => self.wrong.push(format!("{finding:?}\n{text}")),
        }
    }

    /// No wrong verdict, no rejected certificate, hardly any "unknown".
    fn judge(&self, inputs: usize) {
        assert!(self.wrong.is_empty(), "\n{}", self.wrong.join("\n\n"));
        let (unknown, list) = (self.unknown.len(), self.unknown.join("\n\n"));
        assert!(100 * unknown <= inputs, "{unknown} of {inputs} are unknown:\n{list}");
        // The inputs are of all sorts; otherwise the generator has lost its way.
        for method in ["refuted", "atomic", "inclusion"] {
            let count = self.decided_by.get(method).copied().unwrap_or(0);
            assert!(20 * count >= inputs, "only {count} of {inputs}: {method}");
        }
    }
}

#[test]
fn random_programs_are_decided_as_brute_force_says() {
    const PROGRAMS: u64 = 300;
    let mut summary = Summary::default();
    for seed in 0..PROGRAMS {
        let text = program(&mut Random::new(seed ^ 0x7e57));
        let model = ProgramModel::new(&ser_lang::parse(&text).program, &text, &Limits::default());
        summary.add(model.expect("few states").system(), &format!("seed {seed}\n{text}"));
    }
    summary.judge(PROGRAMS as usize);
}

#[test]
fn random_systems_are_decided_as_brute_force_says() {
    const SYSTEMS: u64 = 200;
    let mut summary = Summary::default();
    for seed in 0..SYSTEMS {
        let system = system(&mut Random::new(seed ^ 0x7e57));
        summary.add(&system, &format!("seed {seed}\n{:#}", write_json(&system)));
    }
    summary.judge(SYSTEMS as usize);
}

#[test]
fn no_switch_makes_an_answer_wrong() {
    // The first one once found a proof with a variable of another branch.
    for seed in [266].into_iter().chain(0..100) {
        let system = system(&mut Random::new(seed ^ 0xabcd_ef00));
        let chosen = options(&mut Random::new(seed ^ 0x1234_5678));
        let trial = try_system_with(&system, &chosen, 3, Duration::from_millis(500));
        assert!(trial.is_ok(), "seed {seed}: {trial:?}\n{chosen:?}");
    }
}
