//! Reachability as serializability: a net and a query become a network system that is *not*
//! serializable if and only if the target of the query is reachable.
//!
//! So the engine that decides serializability decides reachability, and its certificates are
//! certificates of reachability.
//!
//! # The system
//!
//! A token on a place is a request in flight in that local state. Global states say what is
//! going on. There are two requests:
//!
//! - `run` arrives in the global state `idle`, the only one that may do anything there, and waits.
//!   It responds `reached` at the end of a successful check, and the global state is then `end`,
//!   where nothing happens any more.
//! - `token` appears on a place when a token is given, and responds `gone` when it is taken.
//!
//! The phases are:
//!
//! 1. *Load*: one token after the other is put where the initial marking wants it. If it wants
//!    none, a request `token` responds at once instead.
//! 2. *Play*: in the global state `play`, a transition of the net fires as a chain of steps that
//!    take and give one token each, through global states of its own ([`schedule`]).
//! 3. *Check*: `run` moves from `play` to the check of one of the alternatives ([`target`]). The
//!    check takes tokens away as the bounds allow it: for `low <= sum <= high` it takes `low`
//!    tokens of the sum, then up to `high - low` more, or any number if there is no upper bound; a
//!    token with a positive and one with a negative sign cancel each other. A place that counts
//!    several times, or in several sums, is first changed into that many tokens on accumulators of
//!    those sums. Tokens on places in no sum are taken freely. At any point of the last state `run`
//!    may respond.
//!
//! # Why it is right
//!
//! *Serial runs are empty.* In `idle` only `run` can step. Alone it cannot leave the load, because
//! that takes at least one request `token`. So no request alone completes, and the only
//! serial outcome is that of no request at all. Hence the system is not serializable if and
//! only if some complete run is not empty.
//!
//! *A complete run reaches the target.* It is not empty, so it begins with `run`, which must
//! respond and so goes through one load, a sequence of firings and one check. Chains of steps
//! belong to one global state each, so nothing comes between them; the schedule takes no token that
//! the same firing has given. So the tokens at the start of the check are a reachable marking. At
//! the end nobody is in flight: every token has been taken by the check, which for each sum is
//! possible only if the sum is within its bounds.
//!
//! *A marking of the target gives a complete run.* Fire the sequence, enter the check of an
//! alternative that the marking satisfies, and take all tokens as above.
//!
//! # Places that are in the control
//!
//! Many nets have places of which exactly one is marked at any time, with one token ([`control`]).
//! They need no tokens: the global state remembers which one it is, and `play` becomes one state
//! for each of them. A firing that touches no other place is a step of `run`.
//!
//! A place whose tokens and weights have a common factor is counted in units of it.
//!
//! What the engine finds is not believed: [`ReachabilitySystem::witness`] turns a run into a firing
//! sequence, fires it on the net itself, and evaluates the formula.

mod builder;
mod control;
mod schedule;
mod target;

use crate::{Formula, Marking, PetriNet, Query, TransitionId};
use builder::Builder;
use ser_model::{GlobalId, LocalId, NetworkSystem, Step};
use std::collections::BTreeMap;

/// Why a net and a query have no network system.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TranslationError {
    /// The net breaks a rule of [`PetriNet`]; readers never make such nets.
    #[error("the net is not well formed: {0}")]
    Malformed(String),
    /// Tokens are moved one at a time, and there are too many.
    #[error(
        "{what} needs {number} tokens; tokens are moved one at a time, and at most {limit} at once"
    )]
    TooManyTokens {
        /// What: a transition, the initial marking, a bound of the query.
        what: String,
        /// The number of tokens.
        number: u128,
        limit: u128,
    },
    /// The formula has too many alternatives.
    #[error("the query has more than {limit} alternatives once it is written as a disjunction")]
    TooManyAlternatives { limit: usize },
    #[error("the net and the query need more than {limit} steps")]
    TooManySteps { limit: usize },
    /// A firing sequence leads to the target, but through larger numbers than can be counted.
    #[error(
        "the target may be reachable, but a place gets more than {} tokens on the way",
        u64::MAX
    )]
    Marking,
    /// Numbers larger than the arithmetic is made for.
    #[error("the numbers in the query are too large")]
    Numbers,
}

impl TranslationError {
    /// A way out.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            TranslationError::Malformed(_) => None,
            TranslationError::TooManyTokens { .. } => {
                Some("use smaller weights, markings and numbers; common factors do not count")
            }
            TranslationError::TooManyAlternatives { .. } => {
                Some("split the query into several ones, one for each part of an `||`")
            }
            TranslationError::TooManySteps { .. } => Some("use a smaller net or smaller weights"),
            TranslationError::Marking => Some("divide the tokens and weights by a common factor"),
            TranslationError::Numbers => Some("use smaller numbers"),
        }
    }
}

/// A step, known by its ends.
type StepKey = (LocalId, GlobalId, LocalId, GlobalId);

/// A net and a query as a network system.
///
/// ```
/// use ser_petri::{ReachabilitySystem, read_net, read_query};
/// let net = read_net("pl a (1)\ntr t a -> b\n")?;
/// let reach = ReachabilitySystem::new(&net, &read_query("b = 1", &net)?)?;
/// assert_eq!(reach.system().requests(), ["run", "token"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReachabilitySystem {
    net: PetriNet,
    target: Formula,
    system: NetworkSystem,
    /// The first step of each firing.
    firings: BTreeMap<StepKey, TransitionId>,
}

/// A firing sequence that has been fired on the net, and leads to the target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// The transitions in their order.
    pub sequence: Vec<TransitionId>,
    /// The marking at the end.
    pub marking: Marking,
}

/// A run that is no witness.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    /// A place gets more tokens than a machine integer holds. All other errors are defects of the
    /// translation or of the engine.
    #[error("a place gets more than {} tokens on the way", u64::MAX)]
    TooManyTokens,
    /// A transition is not enabled.
    #[error("transition {0} of the sequence is not enabled")]
    NotEnabled(usize),
    /// The last marking is not what was asked for.
    #[error("the last marking does not satisfy the formula")]
    NotTheTarget,
}

impl ReachabilitySystem {
    /// Translates a net and a query.
    pub fn new(net: &PetriNet, query: &Query) -> Result<ReachabilitySystem, TranslationError> {
        net.check().map_err(TranslationError::Malformed)?;
        let target = query.target();
        let (system, firings) = Builder::build(net, &target)?;
        Ok(ReachabilitySystem { net: net.clone(), target, system, firings })
    }

    /// The network system.
    pub fn system(&self) -> &NetworkSystem {
        &self.system
    }

    /// The firing sequence of a complete run, if it really leads to the target.
    pub fn witness<'a>(
        &self,
        steps: impl IntoIterator<Item = &'a Step>,
    ) -> Result<Witness, ReplayError> {
        let key = |s: &Step| (s.from, s.before, s.to, s.after);
        let fired = steps.into_iter().filter_map(|s| self.firings.get(&key(s)).copied());
        let sequence: Vec<TransitionId> = fired.collect();
        let mut marking = self.net.initial_marking();
        for (i, t) in sequence.iter().enumerate() {
            if !self.net.is_enabled(&marking, *t) {
                return Err(ReplayError::NotEnabled(i + 1));
            }
            marking = self.net.fire(&marking, *t).ok_or(ReplayError::TooManyTokens)?;
        }
        if !self.target.holds(&marking) {
            return Err(ReplayError::NotTheTarget);
        }
        Ok(Witness { sequence, marking })
    }
}
