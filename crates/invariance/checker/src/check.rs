//! Reads and checks certificates.

use crate::certificate::{Certificate, Claim, Covers};
use crate::control::Control;
use crate::cover::{Boxes, always, forever};
use crate::crowd::Space;
use crate::interpreter::replay;
use crate::proof;
use crate::rejection::{Reason, Rejection};
use crate::run::{Run, Shows, State};
use crate::waiting::finishing;
use ser_base::{Limits, LineIndex};
use ser_syntax::inv::System;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// These invariants hold in every reachable state, for every number of threads. A run ends with
    /// the first step that is an error.
    Proved {
        /// Their names, in the order of the certificate.
        invariants: Vec<String>,
        /// Whether it was shown that no step is an error.
        safe: bool,
        /// How many cases were checked.
        conditions: usize,
        /// In how many of them something had to be shown at all, because the step could touch what
        /// is claimed.
        shown: usize,
        /// For how many of these the solver had to search.
        searched: usize,
        /// How many lemmas were used.
        lemmas: usize,
    },
    /// The same, because no step leaves certain sets of states.
    Covered { invariants: Vec<String>, safe: bool, boxes: usize, steps: usize },
    /// Nobody has to wait forever.
    Finishing { boxes: usize, ends: usize },
    /// An invariant is violated, or a step is an error, or a thread waits forever.
    Refuted {
        /// What the run shows.
        shows: Shows,
        /// How many threads it has.
        threads: u32,
        steps: usize,
    },
}

/// Reads a certificate.
///
/// ```
/// let error = ser_invariance_checker::read("{}").unwrap_err();
/// assert!(error.to_string().contains("source"), "{error}");
/// ```
pub fn read(text: &str) -> serde_json::Result<Certificate> {
    serde_json::from_str(text)
}

/// Checks a certificate: its claim about its file holds if this gives a verdict.
pub fn check(certificate: &Certificate, limits: &Limits) -> Result<Verdict, Rejection> {
    let mut system = system_of(&certificate.source)?;
    if let Some(completed) = &certificate.completed {
        let completed = system_of(completed)?;
        let is_proof = matches!(certificate.claim, Claim::Proved { .. });
        if !is_proof || !is_completion(&completed, &system) {
            return Err(Reason::OtherProgram.into());
        }
        system = completed;
    }
    check_claim(&system, &LineIndex::new(certificate.text()), &certificate.claim, limits)
}

fn system_of(text: &str) -> Result<System, Reason> {
    let parse = ser_syntax::inv::parse(text);
    match parse.diagnostics.iter().find(|it| it.is_error()) {
        Some(error) => Err(Reason::Source { what: error.message.clone() }),
        None => Ok(parse.system),
    }
}

/// Whether a system is another one with names for more statements, more invariants behind those
/// that are there, and any proof. What a proof of it shows of the invariants that both have then
/// holds of the other one.
fn is_completion(completed: &System, of: &System) -> bool {
    let program = |it: &System| {
        let procedures: Vec<_> = it.locations.iter().map(|it| it.procedure).collect();
        let declared = (&it.threads, &it.globals, &it.locals, &it.assumptions);
        shape(&(declared, &it.procedures, procedures))
    };
    // A statement with a name keeps it.
    let names = |it: &System| -> Vec<Option<String>> {
        it.locations.iter().map(|it| Some(it.name.as_ref()?.text.clone())).collect()
    };
    let (named, all) = (names(of), names(completed));
    let keeps_names =
        named.len() == all.len() && named.iter().zip(&all).all(|(a, b)| a.is_none() || a == b);
    let own = completed.invariants.get(..of.invariants.len());
    keeps_names
        && program(completed) == program(of)
        && own.is_some_and(|own| shape(&own) == shape(&of.invariants.as_slice()))
}

/// Everything that derived `Debug` tells, except for where it stands in the text. (Names are
/// identifiers: none of them looks like a span.)
fn shape(tree: &dyn std::fmt::Debug) -> String {
    let told = format!("{tree:?}");
    let mut parts = told.split("Span {");
    let mut shape = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shape.push_str(part.split_once('}').map_or(part, |(_, behind)| behind));
    }
    shape
}

/// Checks a claim about a system.
pub(crate) fn check_claim(
    system: &System,
    lines: &LineIndex,
    claim: &Claim,
    limits: &Limits,
) -> Result<Verdict, Rejection> {
    let control = Control::new(system)?;
    match claim {
        Claim::Proved { terms, nodes, safety } => {
            let safety = safety.as_deref();
            proof::check(system, &control, lines, limits, proof::Parts { terms, nodes, safety })
        }
        Claim::Refuted(Run { shows: Shows::Waits { .. }, .. }) => {
            let what = "that a thread never goes on needs sets of states".to_owned();
            Err(Reason::Shows { what }.into())
        }
        Claim::Covered { boxes, shows } => {
            let space = Space::new(system, &control, lines)?;
            covered(&space, boxes, shows, limits)
        }
        Claim::Refuted(run) => {
            replay(system, &control, lines, run, limits, &mut |_| {})?;
            Ok(Verdict::Refuted {
                shows: run.shows.clone(),
                threads: run.threads,
                steps: run.steps.len(),
            })
        }
    }
}

/// Checks what sets of states show.
fn covered(
    space: &Space<'_>,
    boxes: &Boxes,
    shows: &Covers,
    limits: &Limits,
) -> Result<Verdict, Rejection> {
    match shows {
        Covers::Always { invariants, safe } => {
            let went = always(space, boxes, (invariants, *safe), limits)?;
            let (invariants, safe) = (invariants.clone(), *safe);
            Ok(Verdict::Covered { invariants, safe, boxes: went.boxes, steps: went.steps })
        }
        Covers::Finishing { cap, ends } => {
            let went = finishing(space, boxes, (*cap, ends), limits)?;
            Ok(Verdict::Finishing { boxes: went.boxes, ends: ends.len() })
        }
        Covers::Waits(run) => {
            let Shows::Waits { thread } = run.shows else {
                let what = "it does not say who waits".to_owned();
                return Err(Reason::Shows { what }.into());
            };
            let mut seen: Vec<State> = Vec::new();
            let lines = space.lines;
            replay(space.system, space.control, lines, run, limits, &mut |state| {
                seen.extend(state.ok().cloned());
            })?;
            let (Some(first), Some(last)) = (seen.first(), seen.last()) else {
                return Err(Reason::Shows { what: "it has no states".to_owned() }.into());
            };
            // Who has not begun stands where the others began.
            let core = space.split(first, None)?.0;
            let starts = space.starts(limits)?;
            let start = starts.iter().find(|it| it.core == core);
            forever(space, boxes, last, (thread, start), limits)?;
            let (shows, threads) = (run.shows.clone(), run.threads);
            Ok(Verdict::Refuted { shows, threads, steps: run.steps.len() })
        }
    }
}
