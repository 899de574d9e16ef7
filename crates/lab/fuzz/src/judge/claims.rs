//! What a program is asked about its states: the answers of the product against the states that the
//! oracle finds with few requests.

use super::trial::{Finding, ORACLE_STATES, Trial};
use fastrand::Rng;
use ser_base::Limits;
use ser_oracle::{Runs, WholeNetwork};
use ser_serializability_checker::{Asked, check_claim};
use ser_serializability_search::{ClaimFound, decide_claims};
use ser_syntax::core::{ClaimKind, Shape};
use std::fmt::Write as _;
use std::time::Duration;

/// How many more requests may come to the help of one that waits.
const HELPERS: usize = 2;

/// A program with questions about its variables.
///
/// ```
/// let text = ser_fuzz::with_claims("var X: 0..2 request a { X := 1; yield; X := 2 }", 1);
/// assert!(!ser_syntax::parse(&text).has_errors(), "{text}");
/// ```
pub fn with_claims(text: &str, seed: u64) -> String {
    let mut rng = Rng::with_seed(seed ^ 0x0063_6c61_696d);
    let program = ser_syntax::parse(text).program;
    let mut text = format!("{text}\ndeadlock\n");
    let mut conditions = Vec::new();
    for global in &program.globals {
        // Parts of tuples have no names in the language.
        let is_written =
            !global.name.text.split('.').skip(1).any(|it| it.starts_with(char::is_numeric));
        let value = match &global.shape {
            Shape::Number => rng.i64(-1..4).to_string(),
            Shape::Bool => rng.bool().to_string(),
            Shape::Member(names) => names[rng.usize(..names.len())].clone(),
            _ => continue,
        };
        let operator = match global.shape {
            Shape::Number => ["==", "!=", "<=", ">"][rng.usize(..4)],
            _ => ["==", "!="][rng.usize(..2)],
        };
        if is_written {
            conditions.push(format!("{} {operator} {value}", global.name.text));
        }
    }
    if conditions.is_empty() {
        return text;
    }
    for at in 0..3 {
        let one = conditions[rng.usize(..conditions.len())].clone();
        let other = conditions[rng.usize(..conditions.len())].clone();
        let joined = match rng.u32(..4) {
            0 => format!("{one} && {other}"),
            1 => format!("({one}) -> ({other})"),
            2 => format!("({one}) <-> ({other})"),
            _ => one,
        };
        let _ = match rng.bool() {
            true => writeln!(text, "reach \"goal {at}\": {joined}"),
            false => writeln!(text, "invariant always{at}: {joined}"),
        };
    }
    text
}

/// Compares all answers about states.
pub fn try_claims(text: &str, requests: usize, timeout: Duration) -> Result<Trial, Finding> {
    let wrong = |engine: String, oracle: &str| Finding::Wrong { engine, oracle: oracle.into() };
    let parse = ser_syntax::parse(text);
    if parse.has_errors() {
        // A random program may divide by 0 where it stands.
        return Ok(Trial { decided_by: "an error", ..Trial::default() });
    }
    let too_large = || Ok(Trial { decided_by: "too large", ..Trial::default() });
    let Some(mut network) = WholeNetwork::new(&parse.tree) else {
        return Err(wrong("a program".into(), "none"));
    };
    let program = parse.program;
    let asked: Vec<Asked> = (0..program.questions.len() as u32).map(Asked::Question).collect();
    let limits = Limits::default().with_timeout(timeout);
    let found = decide_claims(&program, text, &asked, &limits);
    // All runs of so many requests; of fewer, if there are too many.
    let mut all_runs = |most: usize, max_states: usize| {
        (1..=most).rev().find_map(|requests| {
            let mut runs = Runs::new(&network, usize::MAX);
            let whole = (0..requests).all(|_| runs.one_more(&mut network, max_states).is_ok());
            whole.then_some((runs, requests))
        })
    };
    let Some((runs, looked)) = all_runs(requests, 10 * ORACLE_STATES) else { return too_large() };
    let few = all_runs(2, 500);
    let mut globals: Vec<usize> = runs.globals().collect();
    globals.sort_unstable();
    globals.dedup();
    let mut open = 0;
    for (number, (question, found)) in program.questions.iter().zip(&found).enumerate() {
        let evidence = match found {
            ClaimFound::Never(evidence, _)
            | ClaimFound::Happens(evidence, _)
            | ClaimFound::Stuck(evidence, _) => evidence,
            ClaimFound::Open(_) => {
                open += 1;
                continue;
            }
        };
        if let Err(why) = check_claim(evidence, &program, text, &Limits::default()) {
            return Err(wrong(format!("question {number}: rejected: {why}"), "an answer"));
        }
        let (there, needs) = match question.kind {
            ClaimKind::Deadlock => {
                let Some((few, few_looked)) = &few else { continue };
                // Somebody may need more help than most.
                let mut waits =
                    |helpers| few.somebody_waits(&mut network, helpers, ORACLE_STATES / 10);
                let waits = match (waits(HELPERS), found) {
                    (Ok(true), ClaimFound::Never(..)) => waits(3 * HELPERS),
                    (waits, _) => waits,
                };
                let Ok(waits) = waits else { continue };
                let needs = match found {
                    ClaimFound::Stuck(_, waiting) => waiting.requests.len(),
                    _ => 0,
                };
                // Compared with what was looked at.
                (waits, if needs <= *few_looked { needs } else { usize::MAX })
            }
            kind => {
                // Where a condition has no value, it is not true.
                let is_so = |it: &usize| network.is_so(number, *it) == Some(true);
                let there = match kind {
                    ClaimKind::Reach => globals.iter().any(is_so),
                    _ => !globals.iter().all(is_so),
                };
                let needs = match found {
                    // Without the observer.
                    ClaimFound::Happens(_, found) => found.run.requests.len() - 1,
                    _ => 0,
                };
                (there, needs)
            }
        };
        match found {
            ClaimFound::Never(..) if there => {
                return Err(wrong(format!("question {number}: never"), "it happens"));
            }
            ClaimFound::Happens(..) | ClaimFound::Stuck(..) if !there && needs <= looked => {
                return Err(wrong(
                    format!("question {number}: with {needs} requests"),
                    "it does not happen",
                ));
            }
            _ => {}
        }
    }
    let decided_by = if open > 0 { "unknown" } else { "all" };
    Ok(Trial { decided_by, ..Trial::default() })
}
