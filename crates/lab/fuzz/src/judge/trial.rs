//! One network system through engine, checker and oracle.

use ser_base::Limits;
use ser_model::{NetworkSystem, write_json};
use ser_oracle::{Findings, Outcome, SystemNetwork, compare};
use ser_serializability_checker::{Accepted, Certificate, Reason, Rejection};
use ser_serializability_search::{Answer, Argument, Options, Refutation, certify, decide};
use std::time::{Duration, Instant};
use thiserror::Error;

/// What came out of one input.
#[derive(Clone, Debug, Default)]
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
    /// Whether somebody else came to the same answer: all runs of at least two requests were listed
    /// and have serial outcomes, or the counterexample is among the smallest ones that were found.
    pub confirmed: bool,
}

/// Something that must never happen.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Finding {
    /// The checker rejected the engine's answer.
    #[error("the checker rejects our own answer: {0}")]
    Rejected(String),
    /// The answer is not what the oracle says.
    #[error("we say {engine}, but it is {oracle}")]
    Wrong { engine: String, oracle: String },
    /// With and without its global states, a program gets different verdicts.
    #[error("by its rules and parts {large}, by its network system {whole}")]
    Contradiction { large: &'static str, whole: &'static str },
    /// Something panicked.
    #[error("a panic: {0}")]
    Panic(String),
    /// The time limit was ignored.
    #[error("{took:?} under a limit of {limit:?}")]
    Late { took: Duration, limit: Duration },
}

/// That something serializable is so, as far as the oracle can see; and whether it can see enough.
pub(super) fn judge_proof(findings: &Findings, by: &str) -> Result<bool, Finding> {
    match findings {
        Findings::Unbroken { requests } => Ok(*requests >= 2),
        Findings::Broken { .. } => Err(Finding::Wrong {
            engine: format!("serializable, by {by}"),
            oracle: format!("{findings:?}"),
        }),
    }
}

/// That a counterexample is one, and has as few requests as it says; and whether the oracle knows
/// it.
pub(super) fn judge_refutation(
    findings: &Findings,
    found: &Refutation,
    system: &NetworkSystem,
) -> Result<bool, Finding> {
    let mut outcome = Outcome::new();
    for (pair, count) in &found.outcome {
        let request = system.request_name(pair.request);
        let response = system.response_name(pair.response);
        for _ in 0..*count {
            outcome.push((request.to_owned(), response.to_owned()));
        }
    }
    outcome.sort();
    let (right, confirmed) = match findings {
        Findings::Broken { requests, outcomes } if *requests == found.requests => {
            (outcomes.contains(&outcome), true)
        }
        // A larger one than needed, which was not listed; it must not say that it is the smallest.
        Findings::Broken { requests, .. } => (!found.fewest && *requests < found.requests, false),
        Findings::Unbroken { requests } => (*requests < found.requests, false),
    };
    if right {
        return Ok(confirmed);
    }
    Err(Finding::Wrong {
        engine: format!(
            "not serializable with {} requests ({}): {outcome:?}",
            found.requests,
            if found.fewest { "the fewest" } else { "perhaps fewer" }
        ),
        oracle: format!("{findings:?}"),
    })
}

/// Has a certificate checked as a user would: written, read again, checked. How long that took, and
/// how many bytes it has.
pub(super) fn recheck(
    certificate: &Certificate,
    check: impl FnOnce(&Certificate, &Limits) -> Result<Accepted, Rejection>,
) -> Result<(Duration, usize), Finding> {
    let started = Instant::now();
    let text = certificate.to_text();
    let again = ser_serializability_checker::read(&text)
        .map_err(|error| Finding::Rejected(error.to_string()))?;
    let limits = Limits::default().with_timeout(CHECKING);
    match check(&again, &limits) {
        // One that takes more than the limits allow is withheld, and not wrong.
        Err(Rejection {
            reason: Reason::Stopped(_) | Reason::TooManyEntries { .. } | Reason::TooMuchWork { .. },
            ..
        })
        | Ok(_) => Ok((started.elapsed(), text.len())),
        Err(rejection) => Err(Finding::Rejected(rejection.to_string())),
    }
}

/// Decides a system, and has the certificate checked.
pub(super) fn decided(
    system: &NetworkSystem,
    options: &Options,
    timeout: Duration,
) -> Result<(Answer, Trial), Finding> {
    let limits = Limits::default().with_timeout(timeout);
    let started = Instant::now();
    let (answer, _) = decide(system, options, &limits, &|_| {});
    let mut trial = Trial { engine: started.elapsed(), ..Trial::default() };
    if let Some(certificate) = certify(&answer, system, "random", b"random") {
        (trial.checker, trial.certificate) = recheck(&certificate, |c, limits| {
            ser_serializability_checker::check(c, b"random", system, limits)
        })?;
    }
    trial.decided_by = match &answer {
        Answer::Serializable(proof) => match proof.argument {
            Argument::Atomic => "atomic",
            Argument::Inclusion(_) => "inclusion",
            Argument::Arithmetic(_) => "arithmetic",
        },
        Answer::NotSerializable(_) => "refuted",
        Answer::Unknown(unknown) => {
            trial.tried = format!("{:?}", unknown.tried);
            "unknown"
        }
    };
    Ok((answer, trial))
}

/// Nobody's certificate takes that long to check; one that does is a finding.
const CHECKING: Duration = Duration::from_secs(60);

/// That nobody hangs. Many of these run at a time, so this is no measurement: tests of limits are.
pub(super) fn judge_time(took: Duration, limit: Duration) -> Result<(), Finding> {
    if took <= 2 * limit + Duration::from_secs(2) {
        return Ok(());
    }
    Err(Finding::Late { took, limit })
}

/// What naive enumeration says about a system, read again from its JSON.
pub fn brute_force(system: &NetworkSystem, requests: usize, max_states: usize) -> Findings {
    let text = write_json(system).to_string();
    let mut network = SystemNetwork::read(&text).expect("what was written can be read");
    compare(&mut network, requests, max_states).expect("there are no values that could overflow")
}

/// The most states that the oracle looks at, for each number of requests.
pub(crate) const ORACLE_STATES: usize = 20_000;

/// Decides a system, checks the certificate, and compares with naive enumeration up to `requests`.
pub fn try_system(
    system: &NetworkSystem,
    options: &Options,
    requests: usize,
    timeout: Duration,
) -> Result<Trial, Finding> {
    judge_system(system, options, &brute_force(system, requests, ORACLE_STATES), timeout)
}

/// Decides a system, checks the certificate, and compares with what is known.
pub(super) fn judge_system(
    system: &NetworkSystem,
    options: &Options,
    findings: &Findings,
    timeout: Duration,
) -> Result<Trial, Finding> {
    let (answer, mut trial) = decided(system, options, timeout)?;
    trial.confirmed = match &answer {
        Answer::Serializable(_) => judge_proof(findings, trial.decided_by)?,
        Answer::NotSerializable(found) => judge_refutation(findings, found, system)?,
        Answer::Unknown(_) => false,
    };
    Ok(trial)
}
