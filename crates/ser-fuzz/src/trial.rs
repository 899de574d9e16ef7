//! One input through engine, checker and oracle.

use crate::{Oracle, brute_force};
use ser_engine::{Answer, Argument, Options, Refutation, certify, decide};
use ser_model::{Limits, NetworkSystem};
use std::time::{Duration, Instant};

/// What came out of one input.
#[derive(Clone, Debug)]
pub struct Trial {
    /// `refuted`, `atomic`, `inclusion`, `arithmetic`, `rules` or `unknown`.
    pub decided_by: &'static str,
    /// How long the engine took.
    pub engine: Duration,
    /// How long the checker took.
    pub checker: Duration,
    /// The size of the certificate in bytes.
    pub certificate: usize,
    /// What the engine tried in vain, if the answer is unknown.
    pub tried: String,
}

/// Something that must never happen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// The checker rejected the engine's answer.
    Rejected(String),
    /// The engine and brute force disagree.
    Wrong {
        /// What the engine says.
        engine: String,
        /// What brute force says.
        oracle: Oracle,
    },
    /// With and without its global states, a program gets different verdicts.
    Contradiction {
        /// By its rules and parts.
        large: &'static str,
        /// By its network system.
        whole: &'static str,
    },
}

/// Whether brute force says the same about a counterexample.
pub(crate) fn agrees(oracle: &Oracle, found: &Refutation) -> bool {
    match oracle {
        Oracle::Broken { requests, .. } => {
            *requests == found.requests || !found.fewest && *requests < found.requests
        }
        Oracle::Unbroken { requests } => *requests < found.requests,
    }
}

/// Decides a system, checks the certificate, and compares with brute force up to `requests`.
pub fn try_system(
    system: &NetworkSystem,
    requests: usize,
    timeout: Duration,
) -> Result<Trial, Finding> {
    try_system_with(system, &Options::default(), requests, timeout)
}

/// As [`try_system`], with other options.
pub fn try_system_with(
    system: &NetworkSystem,
    options: &Options,
    requests: usize,
    timeout: Duration,
) -> Result<Trial, Finding> {
    let limits = Limits::default().with_timeout(timeout);
    let started = Instant::now();
    let (answer, _) = decide(system, options, &limits, &|_| {});
    let engine = started.elapsed();
    let started = Instant::now();
    let mut certificate = 0;
    if let Some(cert) = certify(&answer, system, "random", b"random") {
        ser_cert::check(&cert, b"random", system, &Limits::default())
            .map_err(|rejection| Finding::Rejected(rejection.to_string()))?;
        certificate = cert.to_text().len();
    }
    let checker = started.elapsed();
    let oracle = brute_force(system, requests, 50_000);
    let wrong = |engine: String| Err(Finding::Wrong { engine, oracle: oracle.clone() });
    let (decided_by, tried) = match &answer {
        Answer::Serializable(proof) => {
            if let Oracle::Broken { .. } = oracle {
                return wrong("serializable".into());
            }
            let method = match proof.argument {
                Argument::Atomic => "atomic",
                Argument::Inclusion(_) => "inclusion",
                Argument::Arithmetic(_) => "arithmetic",
            };
            (method, String::new())
        }
        Answer::NotSerializable(found) => {
            if !agrees(&oracle, found) {
                return wrong(format!("not serializable with {} requests", found.requests));
            }
            ("refuted", String::new())
        }
        Answer::Unknown(unknown) => ("unknown", format!("{:?}", unknown.tried)),
    };
    Ok(Trial { decided_by, engine, checker, certificate, tried })
}
