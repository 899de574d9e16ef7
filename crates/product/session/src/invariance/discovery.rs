//! The search for support: what small instances leave of the candidates, and the proof with what
//! was found.
//!
//! A file whose proof goes through needs nothing, and one that is refuted cannot be helped, so both
//! are told first, after a short look. Only then candidates are made. Most of them are false in
//! some state of two or three threads, which is much cheaper to see than a counter-model.

use super::{Found, Invariance, effort, proved};
use ser_base::Limits;
use ser_invariance_search::answer::{Effort, Verdict};
use ser_invariance_search::explore::{Bounds, Explorer};
use ser_invariance_search::infer::{Candidate, Discovery, Undiscovered, infer};
use ser_report::{Kind, Source};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::LocId;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What became of the search for support.
#[derive(Clone, Debug)]
pub enum Inferred {
    /// The proof goes through without it.
    Unneeded,
    /// What is claimed is wrong: no support can help.
    Hopeless,
    /// This was found, and the answer is about the file with it.
    Found(Discovery),
    /// Nothing was found, and the answer is about the file as it is.
    Nothing(Undiscovered),
}

/// How many threads the small instances have, how many of their states are looked at, and from how
/// many at the start. Few threads, and few states at the start, come farther.
const INSTANCES: [(u32, usize, usize); 4] =
    [(1, 10_000, 40), (2, 8_000, 40), (2, 60_000, 1), (3, 12_000, 4)];

/// How long the states of small instances are looked at, at most.
const LOOK: Duration = Duration::from_secs(3);

/// Proves a file, with support that is found if there has to be some.
pub(super) fn proved_with_support(
    source: &Source,
    system: System,
    options: &Invariance,
    limits: &Limits,
) -> Found {
    let short = Effort { states: 20_000, time: Duration::from_millis(500), ..effort(options) };
    let first = proved(source, None, system.clone(), options, &short, limits, None);
    let Found::Answer(mut checked) = first else { return first };
    match checked.verdict {
        Verdict::Proved => {
            checked.inferred = Some(Inferred::Unneeded);
            return Found::Answer(checked);
        }
        Verdict::Refuted(_) => {
            checked.inferred = Some(Inferred::Hopeless);
            return Found::Answer(checked);
        }
        _ => {}
    }
    let again =
        |inferred| proved(source, None, system, options, &effort(options), limits, Some(inferred));
    let plausible = |with_all: &System, all: &[Candidate]| plausible(with_all, all, limits);
    let found = match infer(&source.text, plausible, limits) {
        Ok(found) => found,
        Err(undiscovered) => return again(Inferred::Nothing(undiscovered)),
    };
    let text = ser_editing::format(&found.text).unwrap_or_else(|_| found.text.clone());
    let completed = Source::new(&source.name, Kind::Invariants, text.clone());
    let parse = ser_syntax::inv::parse(&completed.text);
    match parse.diagnostics.iter().find(|it| it.is_error()) {
        Some(error) => again(Inferred::Nothing(Undiscovered::Text(error.message.clone()))),
        None => {
            let inferred = Inferred::Found(Discovery { text, ..found });
            // All of the file is proved again: what was found is a file like any other.
            let options = Invariance { only: Vec::new(), ..options.clone() };
            let (system, effort) = (parse.system, effort(&options));
            proved(&completed, Some(source), system, &options, &effort, limits, Some(inferred))
        }
    }
}

/// Which candidates no state of a small instance refutes.
fn plausible(system: &System, all: &[Candidate], limits: &Limits) -> Vec<bool> {
    let mut keep = vec![true; all.len()];
    // By where threads stand, so that in each state only few formulas have to be looked at.
    let mut claims: BTreeMap<&[LocId], Vec<usize>> = BTreeMap::new();
    for (number, candidate) in all.iter().enumerate() {
        claims.entry(candidate.at.as_slice()).or_default().push(number);
    }
    let mut limits = limits.clone();
    let end = Instant::now() + LOOK;
    if limits.deadline.is_none_or(|(deadline, _)| deadline > end) {
        limits.deadline = Some((end, LOOK));
    }
    let mut reached = vec![false; system.locations.len()];
    let mut far = false;
    for (threads, states, initial) in INSTANCES {
        // Two threads that come everywhere need not come farther.
        if system.threads.is_some_and(|fixed| fixed != threads) || (initial == 1 && far) {
            continue;
        }
        let bounds = Bounds { threads, states, initial, ..Bounds::default() };
        let mut explorer = Explorer::new(system, &bounds);
        let seen = explorer.run(&limits);
        far = seen.reached.iter().zip(&reached).all(|(now, before)| *now || !before);
        reached.iter_mut().zip(&seen.reached).for_each(|(all, now)| *all |= now);
        explorer.for_each_state(|state| {
            let standing: Vec<(u32, LocId)> = (0..state.threads())
                .filter_map(|thread| Some((thread, state.location(thread)?)))
                .collect();
            let mut look = |at: &[LocId], threads: &[u32]| {
                let Some(here) = claims.get_mut(at) else { return };
                here.retain(|number| {
                    let holds = state.holds(&all[*number].body, threads) != Some(false);
                    keep[*number] &= holds;
                    holds
                });
            };
            look(&[], &[]);
            for (i, at) in &standing {
                look(&[*at], &[*i]);
                for (j, other) in standing.iter().filter(|(j, _)| j != i) {
                    look(&[*at, *other], &[*i, *j]);
                }
            }
        });
        if limits.check_clock().is_err() {
            break;
        }
    }
    keep
}
