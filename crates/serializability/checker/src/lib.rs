//! Certificates: what they look like, how they are read and written, and the **independent
//! checker** that accepts or rejects them.
//!
//! A [`Certificate`] claims that a network system is not serializable (and shows a run) or that
//! it is (and shows an argument). [`check`] believes nothing of it. It knows nothing about how
//! the claim was found: it shares only the front end (source text to [`NetworkSystem`]) with the
//! engine and works out everything else again from the network system:
//!
//! | module | what it establishes |
//! | --- | --- |
//! | `replay` | a run, step by step on the network system, whose outcome no serial run has |
//! | `serial` | the serial runs: one request alone, the automaton, the runs of an outcome |
//! | `net` | the normal form: the same outcomes with fewer kinds of steps |
//! | `alike` | states that nobody can tell apart are one |
//! | `slice`, `stuttering`, `merge`, `exclude`, `mover`, `deferral` | reductions of the net, each of which keeps the outcomes |
//! | `prophecy` | what a request will respond is part of where it is |
//! | `reduce` | the reductions of a certificate, in their order |
//! | `may_happen_in_parallel` | which places are occupied together |
//! | `counter`, `explain`, `stand_in`, `labels`, `inclusion` | an invariant: every outcome is serial |
//! | `arithmetic` | counts of transitions: every outcome is serial |
//! | `rules` | where requests commit, without global states |
//! | `symbolic` | where requests commit, whatever the values are |
//! | `no_yield` | no request can yield, whatever its numbers do |
//! | `unseen` | variables that no response or condition depends on need not be there |
//! | `slices` | parts of a program that share no variable are decided one by one |
//! | `claims` | what never happens, can happen, or leaves somebody waiting forever |
//! | `real_time` | which of these arguments keep the order of requests that do not overlap |
//!
//! Every module opens with its theorem. Every rejection names the place in the certificate.
//!
//! ```
//! use ser_serializability_checker::{check, digest, read};
//! use ser_base::Limits;
//! use ser_model::read_json;
//!
//! // One request that flips a switch: it runs in one step, so nothing can interleave.
//! let source = r#"{
//!     "initial_global": "Off",
//!     "requests": [["flip", "Start"]], "responses": [["Done", "ok"]],
//!     "transitions": [["Start", "Off", "Done", "On"], ["Start", "On", "Done", "Off"]] }"#;
//! let text = format!(r#"{{ "format": "ser-certificate", "version": 1,
//!     "source": {{ "file": "flip.json", "sha256": "{}" }},
//!     "verdict": "serializable",
//!     "proof": {{ "method": "inclusion", "invariant": [
//!         {{ "global": "Off", "serial": [{{ "global": "Off" }}] }},
//!         {{ "global": "On",  "serial": [{{ "global": "On" }}] }}] }} }}"#,
//!     digest(source.as_bytes()));
//!
//! let certificate = read(&text)?;
//! let system = read_json(source)?;
//! let accepted = check(&certificate, source.as_bytes(), &system, &Limits::default())?;
//! assert_eq!(accepted.to_string(), "serializable, by inclusion: 2 triples, 2 successors covered");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod accept;
mod alike;
mod arithmetic;
mod claims;
mod counter;
mod deferral;
mod exclude;
mod explain;
mod format;
pub mod hypothesis;
mod inclusion;
mod labels;
mod may_happen_in_parallel;
mod merge;
mod meter;
mod mover;
mod names;
mod net;
mod no_yield;
mod prophecy;
mod real_time;
mod reduce;
mod reject;
mod replay;
mod rules;
mod serial;
mod slice;
mod slices;
mod stand_in;
mod stuttering;
pub mod symbolic;
mod text;
mod unseen;

#[cfg(test)]
mod random_mover_tests;
#[cfg(test)]
mod random_tests;

pub use accept::{Accepted, Argument};
pub use arithmetic::MAX_TREE_DEPTH;
pub use claims::{
    Asked, ClaimAnswer, ClaimEvidence, CountBox, End as CanEnd, Refusal, check_claim, is_asked,
};
pub use format::{
    Alike, Amount, Arithmetic, BeginToWait, Certificate, Component, Count, Counterexample,
    CutPlace, Cycle, Defer, EffectName, End, Event, FinalCase, InFlight, Inclusion, Label,
    LetterName, Member, Move, Node, OutcomeEntry, Part, PlaceName, Promise, Proof, Reader, Reading,
    Reduction, Relation, RuleProof, RuleReduction, RunPart, SerialElement, Side, Slice, SliceProof,
    Source, StandIn, SymbolicCondition, SymbolicFact, SymbolicProof, Terms, TransitionName, Triple,
    Verdict,
};
pub use no_yield::first_yield;
pub use reject::{Reason, Rejection};
pub use slices::sliced;
pub use text::{MAX_TEXT_BYTES, ReadError, read};
pub use unseen::{Mentioned, without};

use meter::Meter;
use names::Names;
use reject::At;
pub use ser_base::sha256_hex as digest;

use ser_base::Limits;
use ser_model::{NetworkSystem, Outline, RuleSystem, RunBound};
use ser_syntax::core::Program;
use std::collections::BTreeSet;

/// Accepts or rejects a certificate.
///
/// `system` must be what the front end makes of `source`: that is the one thing the checker
/// takes from its caller. Acceptance means that the verdict in the certificate is true of
/// `system`, whoever made the certificate. Rejection means nothing about the system: a true
/// verdict may come with a faulty argument, or the limits may not have been enough.
pub fn check(
    certificate: &Certificate,
    source: &[u8],
    system: &NetworkSystem,
    limits: &Limits,
) -> Result<Accepted, Rejection> {
    check_digest(certificate, source)?;
    let mut meter = Meter::new(limits);
    match &certificate.verdict {
        Verdict::NotSerializable(Counterexample { slice: Some(_), .. }) => {
            Err(Reason::OtherDescription { needed: "text" }.at("slice"))
        }
        Verdict::NotSerializable(counterexample) => {
            replay::check(counterexample, &Names::new(system), &mut meter)
        }
        Verdict::Serializable(proof) => system_proof(proof, system, &mut meter),
    }
}

/// Accepts or rejects a proof about a network system.
fn system_proof(
    proof: &Proof,
    system: &NetworkSystem,
    meter: &mut Meter<'_>,
) -> Result<Accepted, Rejection> {
    let quotient = match proof.reductions().first() {
        Some(Reduction::Alike(entry)) => {
            let place = || "reductions[0].alike".into();
            Some(alike::quotient(system, entry, meter).at(place)?)
        }
        _ => None,
    };
    let names = Names::new(quotient.as_ref().unwrap_or(system));
    match proof {
        Proof::Inclusion(inclusion) => inclusion::check(inclusion, &names, meter),
        Proof::Arithmetic(arithmetic) => arithmetic::check(arithmetic, &names, meter),
        Proof::Rules(_) => Err(Reason::OtherDescription { needed: "rules" }.at("proof")),
        Proof::Symbolic(_) | Proof::NoYield | Proof::Slices(_) => {
            Err(Reason::OtherDescription { needed: "text" }.at("proof"))
        }
    }
}

/// Accepts or rejects a certificate whose [scope](Certificate::scope) is the rules of a program.
///
/// `system` must be what the front end makes of `source`, as in [`check`].
pub fn check_rules(
    certificate: &Certificate,
    source: &[u8],
    system: &RuleSystem,
    limits: &Limits,
) -> Result<Accepted, Rejection> {
    check_digest(certificate, source)?;
    let Verdict::Serializable(Proof::Rules(proof)) = &certificate.verdict else {
        return Err(Reason::OtherDescription { needed: "network system" }.at("verdict"));
    };
    rules::check(proof, system, &Names::new(system.frame()), &mut Meter::new(limits))
}

/// Accepts or rejects a certificate whose [scope](Certificate::scope) is the text of a program.
///
/// `program` must be what the front end makes of `source`, without errors.
pub fn check_text(
    certificate: &Certificate,
    source: &[u8],
    program: &Program,
    limits: &Limits,
) -> Result<Accepted, Rejection> {
    check_digest(certificate, source)?;
    let text = || {
        let text = std::str::from_utf8(source);
        text.map_err(|_| Reason::OtherDescription { needed: "text" }.at("source"))
    };
    match &certificate.verdict {
        Verdict::Serializable(Proof::NoYield) => no_yield::check(program),
        Verdict::Serializable(Proof::Symbolic(proof)) => {
            symbolic::check(proof, program, text()?, limits)
        }
        Verdict::Serializable(Proof::Slices(found)) => {
            slices::check_proofs(found, program, text()?, limits)
        }
        Verdict::NotSerializable(run @ Counterexample { slice: Some(slice), .. }) => {
            slices::check_run(run, slice, program, text()?, limits)
        }
        _ => Err(Reason::OtherDescription { needed: "states" }.at("verdict")),
    }
}

fn check_digest(certificate: &Certificate, source: &[u8]) -> Result<(), Rejection> {
    let found = digest(source);
    if certificate.source.sha256 == found {
        return Ok(());
    }
    let expected = certificate.source.sha256.clone();
    Err(Reason::OtherSource { expected, found }.at("source"))
}

/// Which description of a source a certificate is to be checked against.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Its network system.
    Whole,
    /// The network system of a part: runs within the bound, with these labels only.
    Part(BTreeSet<String>, RunBound),
    /// The network system of what is along a run and along all serial runs with its outcome.
    Along(Outline),
    /// Its rules: steps without global states, where these variables are opaque.
    Rules(BTreeSet<String>),
    /// Its text: the program as it was parsed.
    Text,
}

impl Proof {
    /// The reductions of the net, if it is a proof about one.
    pub fn reductions(&self) -> &[Reduction] {
        match self {
            Proof::Inclusion(proof) => &proof.reductions,
            Proof::Arithmetic(proof) => &proof.reductions,
            Proof::Rules(_) | Proof::Symbolic(_) | Proof::NoYield | Proof::Slices(_) => &[],
        }
    }
}

impl Certificate {
    /// Whether it is about some runs of the program only: a counterexample in a part of it.
    pub fn is_about_a_part(&self) -> bool {
        matches!(&self.verdict, Verdict::NotSerializable(Counterexample { part: Some(_), .. }))
    }

    /// The slice of the program that a counterexample was found in, if it was.
    pub fn slice(&self) -> Option<&Slice> {
        match &self.verdict {
            Verdict::NotSerializable(run) => run.slice.as_ref(),
            Verdict::Serializable(_) => None,
        }
    }

    /// What this certificate is about.
    pub fn scope(&self) -> Scope {
        match &self.verdict {
            Verdict::Serializable(Proof::Rules(proof)) => {
                Scope::Rules(proof.opaque.iter().cloned().collect())
            }
            Verdict::Serializable(Proof::Symbolic(_) | Proof::NoYield | Proof::Slices(_)) => {
                Scope::Text
            }
            Verdict::NotSerializable(Counterexample { slice: Some(_), .. }) => Scope::Text,
            Verdict::NotSerializable(run) if run.along => Scope::Along(run.outline()),
            Verdict::NotSerializable(Counterexample { part: Some(part), .. }) => {
                let RunPart { labels, requests, preemptions } = part;
                let bound = RunBound { requests: *requests, preemptions: *preemptions };
                Scope::Part(labels.iter().cloned().collect(), bound)
            }
            _ => Scope::Whole,
        }
    }
}
