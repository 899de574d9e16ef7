//! One program of the whole language: the reading of the product against that of the oracle.
//!
//! Product and oracle share the syntax tree and nothing else. The outcomes of few requests,
//! interleaved and serial, are compared as the texts that a person sees.

use super::source::try_source;
use super::trial::{Finding, ORACLE_STATES, Trial};
use crate::judge_program;
use ser_base::Limits;
use ser_model::{ExploreError, ProgramModel, write_json};
use ser_oracle::{
    Network, Outcome, ProgramNetwork, Runs, SystemNetwork, TooMuch, WholeNetwork, compare,
};
use ser_serializability_search::Options;
use std::collections::BTreeSet;
use std::time::Duration;

/// Most states of a network system that are listed.
const SYSTEM_STATES: usize = 4_000;

/// Compares outcomes up to so many requests, and the verdict with them. The old constructs alone
/// have one more reading, the rules of the paper, which then takes part.
///
/// ```
/// use ser_fuzz::try_whole;
/// let text = "lock L var X: 0..1 request r { with L { X := 1 - X; yield; X == 1 } }";
/// let trial = try_whole(text, &Default::default(), 2, std::time::Duration::from_secs(10)).unwrap();
/// assert_ne!(trial.decided_by, "refuted");
/// ```
pub fn try_whole(
    text: &str,
    options: &Options,
    requests: usize,
    timeout: Duration,
) -> Result<Trial, Finding> {
    let parse = ser_syntax::parse(text);
    let wrong = |engine: String, oracle: &str| Finding::Wrong { engine, oracle: oracle.into() };
    if parse.has_errors() {
        // A random program may divide by 0 where it stands, or have a range without values.
        return Ok(Trial { decided_by: "an error", ..Trial::default() });
    }
    let Some(mut whole) = WholeNetwork::new(&parse.tree) else {
        return Err(wrong("a program".into(), "none"));
    };
    let limits = Limits { max_states: SYSTEM_STATES, ..Limits::default() }.with_timeout(timeout);
    let too_large = || Ok(Trial { decided_by: "too large", ..Trial::default() });
    let model = match ProgramModel::new(&parse.program, text, &limits) {
        Ok(model) => model,
        Err(ExploreError::TooManyStates { .. }) => return too_large(),
        Err(error) => {
            // Trouble that few requests need not meet.
            return match sets(&mut whole, requests, usize::MAX) {
                Ok(_) => Ok(Trial {
                    decided_by: "unknown",
                    tried: format!("{error}"),
                    ..Trial::default()
                }),
                Err(_) => too_large(),
            };
        }
    };
    let system = write_json(model.system()).to_string();
    let mut system = SystemNetwork::read(&system).expect("what was written can be read");
    let mut old = ProgramNetwork::new(&parse.program);
    for room in [usize::MAX, 1] {
        let ours = match sets(&mut whole, requests, room) {
            Ok(ours) => ours,
            Err(TooMuch::States) => return too_large(),
            Err(TooMuch::Overflow) => {
                return Err(wrong("there is a system".into(), "a value leaves 64 bits"));
            }
        };
        let theirs = sets(&mut system, ours.len(), room).map_err(|e| wrong(e.to_string(), ""))?;
        differ("the product", "the oracle", &theirs, &ours, room)?;
        if let Some(old) = &mut old
            && let Ok(old) = sets(old, ours.len(), room)
        {
            differ("by the rules", "the oracle", &old, &ours[..old.len()], room)?;
        }
    }
    let Ok(findings) = compare(&mut whole, requests, ORACLE_STATES) else { return too_large() };
    judge_program(text, options, Some(&findings), timeout)?;
    try_source("random.ser", text, options, &findings, timeout)
}

/// The outcomes of 1, 2, ... requests, as far as there are few states: at least of one request.
fn sets(
    network: &mut impl Network,
    requests: usize,
    room: usize,
) -> Result<Vec<BTreeSet<Outcome>>, TooMuch> {
    let mut runs = Runs::new(network, room);
    let mut sets = Vec::new();
    for _ in 0..requests {
        match runs.one_more(network, 10 * ORACLE_STATES) {
            Ok(()) => sets.push(runs.outcomes(network)),
            Err(TooMuch::States) if !sets.is_empty() => break,
            Err(error) => return Err(error),
        }
    }
    Ok(sets)
}

fn differ(
    one: &str,
    other: &str,
    ours: &[BTreeSet<Outcome>],
    theirs: &[BTreeSet<Outcome>],
    room: usize,
) -> Result<(), Finding> {
    let how = if room == 1 { "serial" } else { "interleaved" };
    for (at, (a, b)) in ours.iter().zip(theirs).enumerate() {
        if a != b {
            let only = |a: &BTreeSet<Outcome>, b: &BTreeSet<Outcome>| -> Vec<Outcome> {
                a.difference(b).take(4).cloned().collect()
            };
            return Err(Finding::Wrong {
                engine: format!("{how} with {} requests, {one} alone has {:?}", at + 1, only(a, b)),
                oracle: format!("{other} alone has {:?}", only(b, a)),
            });
        }
    }
    Ok(())
}
