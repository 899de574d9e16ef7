//! The whole way: from a protocol to an answer that was checked.
//!
//! 1. Whom can each receive get its message from ([`Sources`])?
//! 2. A derivation is searched; the kernel replays it and gives the sequential program.
//! 3. Assertions that the derivation leaves open are proved on the sequential program.
//! 4. Where any of that fails, small instances are tried: a run that goes wrong says that the
//!    protocol is at fault, no such run that it may be the method.

use crate::explore::smallest_violation;
use crate::failure::{Stuck, Why};
use crate::point::Search;
use crate::simplify;
use crate::top;
use ser_base::Limits;
use ser_sequentialization_checker::run::Shows;
use ser_sequentialization_checker::sources::{Race, Sources};
use ser_sequentialization_checker::{
    Certificate, Claim, Outcome, Prefix, Run, Sequential, Step, Witness, assertions, replay,
    replay_prefix, replay_run,
};
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{MessageId, ProcessId, StmtId, StmtKind};

/// How much work is allowed.
#[derive(Clone, Debug)]
pub struct Options {
    /// How much work the search may be, as the kernel counts it.
    pub budget: usize,
    /// Whether small instances are tried where no derivation is found.
    pub explore: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { budget: 40_000_000, explore: true }
    }
}

/// What is known about a protocol.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Verdict {
    /// No process other than a server waits forever, no assertion fails and every message is
    /// received, for all sizes of the sets.
    Verified,
    /// There is a run that goes wrong.
    Refuted,
    /// Neither is known.
    #[default]
    Unknown,
}

/// The answer about a protocol.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub verdict: Verdict,
    /// The sequential program and what the kernel says about it, if there is one.
    pub outcome: Option<Outcome>,
    /// Its program, or as much of one as there is, without what only the derivation needs.
    pub simplified: Vec<Sequential>,
    /// Assertions that hold, but not because of the derivation alone: they were proved on the
    /// sequential program.
    pub proved: Vec<StmtId>,
    /// Assertions of a protocol with a sequential program that could not be proved.
    pub unproved: Vec<StmtId>,
    /// Why there is no sequential program.
    pub failure: Option<Failure>,
    /// A run that goes wrong.
    pub run: Option<Run>,
    /// What happens in it.
    pub witness: Option<Witness>,
    /// Sizes that were searched completely without finding anything wrong.
    pub searched: Vec<Vec<u32>>,
    /// What can be checked again: a derivation, or the run.
    pub certificate: Option<Certificate>,
}

/// Why a protocol could not be sequentialized, and how far it went.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Which kind it is.
    pub kind: Kind,
    /// Where the search stood.
    pub stuck: Stuck,
    /// The races, if there are any: then nothing else was tried.
    pub races: Vec<Race>,
    /// What was sequentialized, and what is left.
    pub prefix: Option<Prefix>,
}

/// Kinds of failures: the four of the paper (section 2.3), and some of ours.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// A receive can get messages from senders that are not alike.
    AsymmetricRace,
    /// A message that nobody receives.
    SuperfluousSend,
    /// An iteration or turn talks to more than one member of a set.
    IndiscriminateCommunication,
    /// A loop whose end depends on earlier iterations.
    StatefulLoop,
    /// A loop that is never left.
    EndlessLoop,
    /// A receive whose message does not come.
    BlockedReceive,
    /// A set may be empty where a member is needed.
    MaybeEmpty,
    /// There are only servers: nothing has to end.
    NothingToCheck,
    /// The search was cut off.
    Limit,
    /// None of these.
    Other,
}

impl Kind {
    /// Its name in programs.
    pub fn name(self) -> &'static str {
        match self {
            Kind::AsymmetricRace => "asymmetric_race",
            Kind::SuperfluousSend => "superfluous_send",
            Kind::IndiscriminateCommunication => "indiscriminate_communication",
            Kind::StatefulLoop => "stateful_loop",
            Kind::EndlessLoop => "endless_loop",
            Kind::BlockedReceive => "blocked_receive",
            Kind::MaybeEmpty => "maybe_empty",
            Kind::NothingToCheck => "nothing_to_check",
            Kind::Limit => "limit",
            Kind::Other => "other",
        }
    }

    fn of(why: &Why) -> Kind {
        match why {
            Why::Blocked { .. } | Why::Cycle(_) | Why::Mismatch | Why::Address => {
                Kind::BlockedReceive
            }
            Why::SecondMember { .. } | Why::OutOfTurn { .. } => Kind::IndiscriminateCommunication,
            Why::Orphan { .. } => Kind::SuperfluousSend,
            Why::Stateful => Kind::StatefulLoop,
            Why::Endless => Kind::EndlessLoop,
            Why::MayBeEmpty { .. } => Kind::MaybeEmpty,
            Why::Budget => Kind::Limit,
            _ => Kind::Other,
        }
    }
}

/// Answers what is known about a protocol.
///
/// ```
/// use ser_base::Limits;
/// use ser_sequentialization_search::{Options, Verdict, sequentialize};
/// let text = "
///     set Q; msg Ping = Ping; msg Pong = Pong;
///     process p { for x in Q { send Ping to x; w := recv Pong from x; } }
///     process server for q in Q { v := recv Ping; send Pong to p; }
/// ";
/// let protocol = ser_syntax::icet::parse(text).protocol;
/// let answer = sequentialize(text, &protocol, &Options::default(), &Limits::default());
/// assert_eq!(answer.verdict, Verdict::Verified);
/// ```
pub fn sequentialize(
    text: &str,
    protocol: &Protocol,
    options: &Options,
    limits: &Limits,
) -> Answer {
    let certificate = |claim: Claim| Certificate { source: text.to_owned(), claim };
    let mut answer = Answer::default();
    match search(protocol, options, limits) {
        Ok((derivation, outcome)) => {
            let proof = assertions::prove(protocol, &outcome.sequential, assertions::STEPS, limits);
            answer.unproved = proof.still_open(&outcome);
            let open = outcome.open.iter().filter(|id| !answer.unproved.contains(id));
            answer.proved = open.copied().collect();
            let unproved = answer.unproved.iter().map(|id| id.0).collect();
            answer.certificate = Some(certificate(Claim::Sequentialized { derivation, unproved }));
            answer.simplified = simplify(protocol, &outcome.sequential, limits);
            answer.outcome = Some(outcome);
            if answer.unproved.is_empty() {
                answer.verdict = Verdict::Verified;
                return answer;
            }
        }
        Err(failure) => {
            let prefix = failure.prefix.as_ref().map_or(&[][..], |it| &it.sequential);
            answer.simplified = simplify(protocol, prefix, limits);
            answer.failure = Some(*failure);
        }
    }
    if options.explore {
        let small = smallest_violation(protocol, limits);
        answer.searched = small.searched;
        if let Some(run) = small.run {
            answer.verdict = Verdict::Refuted;
            answer.witness = replay_run(protocol, &run).ok();
            if let (Some(failure), Some(witness)) = (&mut answer.failure, &answer.witness) {
                point_at(failure, protocol, &run, witness);
            }
            answer.certificate = Some(certificate(Claim::Refuted(run.clone())));
            answer.run = Some(run);
        }
    }
    answer
}

/// Searches a derivation and lets the kernel replay it.
fn search(
    protocol: &Protocol,
    options: &Options,
    limits: &Limits,
) -> Result<(Vec<Step>, Outcome), Box<Failure>> {
    let failed =
        |kind: Kind, stuck: Stuck| Failure { kind, stuck, races: Vec::new(), prefix: None };
    if protocol.processes.iter().all(|process| process.server) {
        return Err(Box::new(failed(Kind::NothingToCheck, Stuck::new(Why::NoRule))));
    }
    let mut search = Search::new(protocol, limits, options.budget).map_err(|_| {
        let races = Sources::new(protocol).races().to_vec();
        Box::new(Failure { races, ..failed(Kind::AsymmetricRace, Stuck::new(Why::NoRule)) })
    })?;
    let (steps, stuck) = match top::derive(&mut search) {
        Ok(steps) => match replay(protocol, &steps, limits) {
            Ok(outcome) => return Ok((steps, outcome)),
            // Without the word of an independent replay nothing is claimed.
            Err(_) => (steps, Stuck::new(Why::Rejected)),
        },
        Err(stopped) => stopped,
    };
    let prefix = replay_prefix(protocol, &steps, limits).ok();
    Err(Box::new(Failure { prefix, ..failed(Kind::of(&stuck.why), stuck) }))
}

/// Where the search only noticed that something is not as it should be, the run knows what is.
fn point_at(failure: &mut Failure, protocol: &Protocol, run: &Run, witness: &Witness) {
    let vague = matches!(
        failure.stuck.why,
        Why::SecondMember { .. }
            | Why::OutOfTurn { .. }
            | Why::Apart
            | Why::NotBack { .. }
            | Why::NoProgress
            | Why::NoRule
            | Why::Rejected
            | Why::Address
    );
    let waits = matches!(run.shows, Shows::Deadlock(_));
    let superfluous = matches!(failure.stuck.why, Why::Orphan { .. });
    if !failure.races.is_empty() || !(vague || superfluous && waits) {
        return;
    }
    let Some(at) = witness.place(&run.shows) else { return };
    let (owner, why) = match run.shows {
        Shows::Deadlock(actor) => {
            let mut wanted = None;
            for stmt in protocol.processes.iter().flat_map(|it| &it.body) {
                stmt.walk(&mut |inner| match inner.kind {
                    StmtKind::Receive { message, .. } if inner.id == at => wanted = Some(message),
                    _ => {}
                });
            }
            let Some(message) = wanted else { return };
            (actor.process, Why::Blocked { message })
        }
        Shows::Orphan { from, to, message } => {
            let (from, to) = (ProcessId(from.process), ProcessId(to.process));
            (from.0, Why::Orphan { send: at, message: MessageId(message), from, to })
        }
        Shows::Failure(_) => return,
    };
    failure.kind = Kind::of(&why);
    failure.stuck = Stuck::at(why, ProcessId(owner), at);
}
