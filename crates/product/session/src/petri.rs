//! Deciding a query about a net: from a net and a query to an answer that the independent checker
//! has accepted and that has been fired on the net itself.

mod source;
mod tell;

use crate::source::Model;
use crate::{Withheld, checked};
use ser_base::{Limits, Stop};
use ser_petri::{Query, ReachabilitySystem, ReplayError, TranslationError, Witness};
use ser_serializability_checker::{Accepted, Certificate};
use ser_serializability_search::{
    Answer, Argument, Event, Options, Progress, Sizes, Unknown, certify, decide,
};
pub use source::{NetError, NetSource};
use std::time::{Duration, Instant};
pub use tell::Nets;
pub(crate) use tell::size_of_net;

/// What `ser reach` has to say about one query.
#[derive(Debug)]
struct ReachReport {
    /// The query and its text.
    pub query: (Query, String),
    /// The answer.
    pub verdict: ReachVerdict,
    /// Sizes of the engine's net.
    pub sizes: Sizes,
    /// Wall time.
    pub time: Duration,
}

/// The answer to one query: whether its target is reachable. The target is the formula, or its
/// opposite if the query says that the formula always holds.
#[derive(Debug)]
enum ReachVerdict {
    /// The target is reachable.
    Reachable {
        /// The names of transitions that have been fired one after the other.
        sequence: Vec<String>,
        /// The marking after them: places with tokens.
        marking: Vec<(String, u64)>,
        certificate: Certificate,
        /// What the checker established.
        accepted: Accepted,
    },
    /// The target is not reachable.
    Unreachable {
        /// How that was proved.
        method: &'static str,
        certificate: Certificate,
        /// What the checker established.
        accepted: Accepted,
    },
    /// Neither was found.
    Unknown(Unknown),
    /// The net or the query is too large.
    TooLarge(TranslationError),
    /// There is an answer that is not given.
    Withheld(Withheld),
}

impl ReachVerdict {
    /// Whether the target is reachable, if that is known.
    fn is_reachable(&self) -> Option<bool> {
        match self {
            ReachVerdict::Reachable { .. } => Some(true),
            ReachVerdict::Unreachable { .. } => Some(false),
            _ => None,
        }
    }

    /// The certificate, if there is one.
    fn certificate(&self) -> Option<&Certificate> {
        match self {
            ReachVerdict::Reachable { certificate, .. }
            | ReachVerdict::Unreachable { certificate, .. } => Some(certificate),
            _ => None,
        }
    }
}

impl ReachReport {
    /// A report about work that a limit ended from outside.
    fn stopped(query: (Query, String), stop: Stop) -> ReachReport {
        let unknown = Unknown { searched: None, tried: Vec::new(), stop: Some(stop) };
        ReachReport {
            query,
            verdict: ReachVerdict::Unknown(unknown),
            sizes: Sizes::default(),
            time: Duration::ZERO,
        }
    }

    /// Whether the query is true, if that is known.
    fn holds(&self) -> Option<bool> {
        self.verdict.is_reachable().map(|reachable| self.query.0.is_true(reachable))
    }
}

/// Decides one query.
fn decide_query(
    source: &NetSource,
    query: &Query,
    options: &Options,
    limits: &Limits,
    progress: &dyn Fn(Progress),
) -> ReachReport {
    let started = Instant::now();
    let text = query.show(&source.net).to_string();
    let mut sizes = Sizes::default();
    let verdict = match ReachabilitySystem::new(&source.net, query) {
        Err(error) => ReachVerdict::TooLarge(error),
        Ok(reach) => {
            let (answer, found) = decide(reach.system(), options, limits, progress);
            sizes = found;
            verdict(source, &text, &reach, answer, limits)
        }
    };
    ReachReport { query: (query.clone(), text), verdict, sizes, time: started.elapsed() }
}

/// Turns an answer into a verdict if the checker agrees and, for a run, if the net does.
fn verdict(
    source: &NetSource,
    query: &str,
    reach: &ReachabilitySystem,
    answer: Answer,
    limits: &Limits,
) -> ReachVerdict {
    let bytes = source.text.as_bytes();
    let internal = |words: String| ReachVerdict::Withheld(Withheld::Internal(words));
    let Some(mut certificate) = certify(&answer, reach.system(), &source.name, bytes) else {
        return match answer {
            Answer::Unknown(unknown) => ReachVerdict::Unknown(*unknown),
            _ => internal("there is no certificate for the answer".into()),
        };
    };
    certificate.source.query = Some(query.to_owned());
    let model = Model::System(Box::new(reach.system().clone()));
    let accepted = match checked(&certificate, bytes, &model, limits) {
        Ok(accepted) => accepted,
        Err(withheld) => return ReachVerdict::Withheld(withheld),
    };
    match answer {
        Answer::Serializable(proof) => {
            let method = match proof.argument {
                Argument::Atomic => "reductions",
                Argument::Inclusion(_) => "inclusion",
                Argument::Arithmetic(_) => "arithmetic",
            };
            ReachVerdict::Unreachable { method, certificate, accepted }
        }
        Answer::NotSerializable(found) => {
            let steps = found.run.events.iter().filter_map(|event| match event {
                Event::Step { step, .. } => Some(step),
                _ => None,
            });
            match reach.witness(steps) {
                Ok(witness) => {
                    let (sequence, marking) = named(source, &witness);
                    ReachVerdict::Reachable { sequence, marking, certificate, accepted }
                }
                Err(ReplayError::TooManyTokens) => {
                    ReachVerdict::TooLarge(TranslationError::Marking)
                }
                Err(error) => internal(format!("the firing sequence is wrong: {error}")),
            }
        }
        Answer::Unknown(unknown) => ReachVerdict::Unknown(*unknown),
    }
}

/// A witness in words: names of transitions, and places with tokens.
fn named(source: &NetSource, witness: &Witness) -> (Vec<String>, Vec<(String, u64)>) {
    let transitions = &source.net.transitions;
    let name = |i: usize| transitions.get(i).map(|t| t.name.clone()).unwrap_or_default();
    let sequence = witness.sequence.iter().map(|t| name(t.index())).collect();
    let marking = source.net.places.iter().zip(&witness.marking).filter(|(_, n)| **n > 0);
    (sequence, marking.map(|(p, n)| (p.name.clone(), *n)).collect())
}

/// The network system that a certificate about a net is about.
pub fn model_of(source: &NetSource, query: &str) -> Result<Model, String> {
    let query = source.query(query).map_err(|error| {
        let (message, place, _) = error.parts();
        format!("the query in the certificate ({place}): {message}")
    })?;
    let reach = ReachabilitySystem::new(&source.net, &query).map_err(|error| error.to_string())?;
    Ok(Model::System(Box::new(reach.system().clone())))
}
