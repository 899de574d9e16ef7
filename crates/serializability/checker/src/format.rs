//! The certificate as data. Names are those of the network system, as text.
//!
//! ```json
//! { "format": "ser-certificate", "version": 1,
//!   "source": { "file": "examples/lost_update.ser", "sha256": "..." },
//!   "verdict": "not_serializable",
//!   "counterexample": {
//!     "outcome": [ {"request": "main", "response": "0", "count": 1} ],
//!     "run": [ {"request": 1, "start": "main", "local": "main@2:3"},
//!              {"request": 1, "step": {"local": "main@4:5[y=0]", "global": "X=1"}},
//!              {"request": 1, "respond": "0"} ] } }
//! ```
//!
//! or, with the other verdict,
//!
//! ```json
//!   "verdict": "serializable",
//!   "proof": { "method": "inclusion",
//!     "reductions": [ "slice", "idle", {"merge": [ [["main", "l1"], ["main", "l2"]] ]},
//!         "exclude", {"move": {"place": ["main", "l1"], "side": "right", "sharp": true}} ],
//!     "labels": [ {"request": "main", "local": "l3", "response": "1"} ],
//!     "promises": [ {"request": "main", "local": "l3", "loops": [["main", "1"]]} ],
//!     "stand_ins": [ {"global": "X=1", "instead_of": "X=0", "loops": [["main", "0"]]} ],
//!     "invariant": [
//!       { "global": "X=0",
//!         "in_flight": [ {"request": "main", "local": "l1", "count": 1, "period": 0} ],
//!         "serial": [ {"global": "X=0", "loops": [["main", "1"]], "debts": [],
//!                      "waiting": ["main", "0"]} ] } ] }
//! ```
//!
//! or, for programs with more global states than can be listed,
//!
//! ```json
//!   "proof": { "method": "rules",
//!     "reductions": [ "idle", {"facts": [ {"variable": "Readers",
//!         "amounts": [ {"request": "main", "local": "l1", "amount": 1} ]} ]} ],
//!     "after": [ ["main", "l2"] ] }
//! ```
//!
//! (with `readers`, requests that only look at one part after the other, if there are such)
//!
//! or, for programs whose values have no end, where requests commit whatever the values are, with
//! what is known of two requests i and j in these places,
//!
//! ```json
//!   "proof": { "method": "symbolic",
//!     "facts": [ {"at": ["take@2:9", "take@2:9"], "terms": {"i.mine": -1, "j.mine": 1},
//!         "constant": -1, "is": "at_least_zero"} ],
//!     "after": [ ["take", "take@2:9"] ] }
//! ```
//!
//! or, for programs whose requests never yield, `"proof": { "method": "no_yield" }`,
//! or, for programs of parts that share no variable, or with variables that nobody sees,
//!
//! ```json
//!   "proof": { "method": "slices", "slices": [
//!       {"requests": ["work"], "dropped": ["Active", "work.a"], "proof": {"method": "no_yield"}} ] }
//! ```
//!
//! A counterexample of a program with many global states says of which `part` of it the run is one,
//! and of which `slice`, if it was found in one.
//! One with `"strict": true` is about real-time order: serial runs may have its outcome, but none
//! that keeps the order of requests that do not overlap.
//!
//! The lists `dropped`, `reductions`, `labels`, `promises`, `stand_ins`, `in_flight`, `loops` and
//! `debts` may be left out when they are empty, `sharp`, `strict` and `along` when false, and
//! `waiting` when nothing waits. Fields that are not listed here are errors. The other method,
//! `arithmetic`, is described in its own module.

/// Deserializes by way of the fields as they stand in the text; as a visitor, so that an error is
/// reported where the value is and not after it.
macro_rules! by_fields {
    ($type:ty, $fields:ty, $what:literal) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                struct ByFields;
                impl<'de> Visitor<'de> for ByFields {
                    type Value = $type;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($what)
                    }
                    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<$type, A::Error> {
                        let map = serde::de::value::MapAccessDeserializer::new(map);
                        let fields = <$fields>::deserialize(map)?;
                        <$type>::try_from(fields).map_err(A::Error::custom)
                    }
                }
                deserializer.deserialize_map(ByFields)
            }
        }
    };
}

mod arithmetic;

pub use arithmetic::{
    Arithmetic, Component, CutPlace, Cycle, EffectName, End, FinalCase, Member, Node, Part,
    Reading, Terms, TransitionName,
};

use ser_model::{Outline, Target};
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// A claim about a source, with its argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// What the claim is about.
    pub source: Source,
    /// The claim.
    pub verdict: Verdict,
}

/// The source that a certificate belongs to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Where it was found; for people, never checked.
    pub file: String,
    /// The [`digest`](crate::digest) of its bytes.
    pub sha256: String,
    /// The query, if the source is a place/transition net: the network system is then what the
    /// front end makes of both. Absent for programs and systems.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

impl Source {
    /// A program or a network system.
    pub fn new(file: &str, bytes: &[u8]) -> Source {
        Source { file: file.to_owned(), sha256: crate::digest(bytes), query: None }
    }
}

/// A verdict with its argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Some outcome is not the outcome of any serial run.
    NotSerializable(Counterexample),
    /// Every outcome is the outcome of a serial run.
    Serializable(Proof),
}

/// A complete run whose outcome is not serial.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counterexample {
    /// The outcome of the run, each pair of request and response once.
    pub outcome: Vec<OutcomeEntry>,
    /// The run, from the initial global state until nobody is in flight.
    pub run: Vec<Event>,
    /// Whether the claim is about real-time order: no serial run with these responses keeps the
    /// order of requests that do not overlap.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// The part of the program that the run is taken from; nothing if it is the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<RunPart>,
    /// The slice of the program that the run is taken from; nothing if it is the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice: Option<Slice>,
    /// Whether it is about the states along this run and along all serial runs with its outcome;
    /// see [`ser_model::Outline`]. Its steps are steps of the program, and it has all serial runs
    /// with this outcome.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub along: bool,
}

impl Counterexample {
    /// The run as it is told here.
    pub(crate) fn outline(&self) -> Outline {
        let mut outline = Outline::default();
        for event in &self.run {
            match event {
                Event::Start { request, .. } => outline.requests.push(request.clone()),
                Event::Step { number, local, global } => {
                    // Nobody has a number that is too large, and so nobody takes the step.
                    let who = usize::try_from(*number).ok().and_then(|n| n.checked_sub(1));
                    let target = Target::Named { local: local.clone(), global: global.clone() };
                    outline.steps.push((who.unwrap_or(usize::MAX), target));
                }
                Event::Respond { .. } => {}
            }
        }
        let letters = self.outcome.iter();
        let letters = letters.map(|e| (e.request.clone(), e.response.clone(), e.count));
        outline.outcome = letters.collect();
        outline
    }
}

/// Some handlers of a program, without some variables.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slice {
    /// The handlers by name.
    pub requests: Vec<String>,
    /// The variables that are left out: `X` if it is shared, `handler.x` if it is local.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<String>,
}

/// A part of a program: steps of runs within a bound, with these labels only. Its runs are runs of
/// the whole program, and so are its serial runs, which are all that so many requests have: they
/// preempt nobody.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunPart {
    /// The request labels.
    pub labels: Vec<String>,
    /// How many requests arrive at most.
    pub requests: u32,
    /// How often requests are preempted at most in the whole run, if that matters; see
    /// [`ser_model::RunBound`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preemptions: Option<u32>,
}

/// How often a request was answered by a response.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutcomeEntry {
    pub request: String,
    pub response: String,
    /// How often.
    pub count: u64,
}

/// One event of a run. Requests are numbered 1, 2, 3, ... in the order of their arrival.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(into = "EventFields")]
pub enum Event {
    /// A request arrives.
    Start { number: u64, request: String, local: String },
    /// A request steps.
    Step { number: u64, local: String, global: String },
    /// A request responds and is gone.
    Respond { number: u64, response: String },
}

/// An event as it stands in the text.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EventFields {
    request: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    local: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    step: Option<StepFields>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    respond: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepFields {
    local: String,
    global: String,
}

by_fields!(Event, EventFields, "an event");

impl TryFrom<EventFields> for Event {
    type Error = &'static str;

    fn try_from(fields: EventFields) -> Result<Event, &'static str> {
        let number = fields.request;
        match (fields.start, fields.local, fields.step, fields.respond) {
            (Some(request), Some(local), None, None) => Ok(Event::Start { number, request, local }),
            (None, None, Some(StepFields { local, global }), None) => {
                Ok(Event::Step { number, local, global })
            }
            (None, None, None, Some(response)) => Ok(Event::Respond { number, response }),
            _ => Err("an event has either `start` and `local`, or `step`, or `respond`"),
        }
    }
}

impl From<Event> for EventFields {
    fn from(event: Event) -> EventFields {
        let (request, mut fields) = match event {
            Event::Start { number, request, local } => {
                let (start, local) = (Some(request), Some(local));
                (number, EventFields { start, local, ..EventFields::default() })
            }
            Event::Step { number, local, global } => {
                let step = Some(StepFields { local, global });
                (number, EventFields { step, ..EventFields::default() })
            }
            Event::Respond { number, response } => {
                (number, EventFields { respond: Some(response), ..EventFields::default() })
            }
        };
        fields.request = request;
        fields
    }
}

/// An argument for serializability.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// An inductive invariant that explains every complete run.
    Inclusion(Inclusion),
    /// A count of the transitions of every complete run.
    Arithmetic(Arithmetic),
    /// Where requests commit, and that their other steps can be moved there.
    Rules(RuleProof),
    /// Where requests commit, whatever the values are.
    Symbolic(SymbolicProof),
    /// No request can yield.
    NoYield,
    /// Each slice of the program has a proof of its own.
    Slices(Vec<SliceProof>),
}

/// A slice of a program with its proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SliceProof {
    pub slice: Slice,
    pub proof: Proof,
}

/// Reductions of the rules, and where requests commit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RuleProof {
    /// Variables and parameters whose values do not matter, sorted.
    pub opaque: Vec<String>,
    /// Reductions, in the order in which they are applied.
    pub reductions: Vec<RuleReduction>,
    /// The places in which a request has committed; in all others it has not.
    pub after: Vec<PlaceName>,
    /// Requests that need no commit point, because what they respond was right at some moment.
    pub readers: Vec<Reader>,
    /// The variables that readers see and that are never higher than at first; all others are never
    /// lower.
    pub falling: Vec<String>,
}

/// A request that only reads.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reader {
    pub request: String,
    /// Its responses, from low to high.
    pub responses: Vec<String>,
}

/// Where requests commit, whatever the values are, and what has to be known for that.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SymbolicProof {
    /// What is known of the program before requests wait: variables that count, and facts.
    pub waiting_counts: Vec<Count>,
    pub waiting: Vec<SymbolicFact>,
    /// Requests that come later; handlers for requests, places for local states.
    pub defer: Vec<Defer>,
    /// Requests that may begin to wait though they could go on.
    pub begin: Vec<BeginToWait>,
    /// Variables that count requests.
    pub counts: Vec<Count>,
    /// What is known of what is left.
    pub facts: Vec<SymbolicFact>,
    /// The places in which a request has committed; in all others it has not.
    pub after: Vec<PlaceName>,
}

/// Requests of a handler may begin to wait in a place, whatever it is that they wait for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeginToWait {
    pub request: String,
    /// The place that they come from; nothing if they arrive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    pub place: String,
}

/// A linear condition on variables, and on those of one or two requests.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SymbolicFact {
    /// The places of the requests; `i` is in the first, `j` in the second.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<String>,
    /// The number of each key of `i`, and of `j`, among the keys of both, the smallest first;
    /// nothing if they have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<Vec<u8>>,
    /// It holds where all of these do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<SymbolicCondition>,
    /// Variables (`X`, `i.x`, `j.x`) and coefficients.
    pub terms: BTreeMap<String, i64>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub constant: i64,
    /// What the sum of all this is.
    #[serde(rename = "is")]
    pub relation: Relation,
}

/// What a sum of variables is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SymbolicCondition {
    pub terms: BTreeMap<String, i64>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub constant: i64,
    #[serde(rename = "is")]
    pub relation: Relation,
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}

/// What a sum is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    AtLeastZero,
    Zero,
    NotZero,
}

/// A change of the rules that keeps the outcomes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleReduction {
    /// Work out what may be the case while a request is in flight, given variables that count
    /// requests; drop what cannot happen and what cannot complete.
    Facts(Vec<Count>),
    /// Drop steps that change nothing but could as well have waited.
    #[serde(rename = "idle")]
    Stuttering,
    /// Let requests wait where they are, or outside, instead of looking around.
    Defer(Defer),
}

/// A variable that counts: its value is its first value plus the amounts of all requests in flight.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    pub variable: String,
    /// What requests add; nothing in places that are not listed.
    pub amounts: Vec<Amount>,
}

/// What a request in this place adds to a variable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Amount {
    pub request: String,
    /// The local state.
    pub local: String,
    /// The amount: all of a variable are positive, or all are negative.
    pub amount: i64,
}

/// Reductions of the net, then an invariant of what is left.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inclusion {
    /// Reductions, in the order in which they are applied.
    pub reductions: Vec<Reduction>,
    /// Places of the reduced net whose response is decided.
    pub labels: Vec<Label>,
    /// What every explanation has while a place of the reduced net is occupied.
    pub promises: Vec<Promise>,
    /// States of serial runs that stand in for others.
    pub stand_ins: Vec<StandIn>,
    pub invariant: Vec<Triple>,
}

/// A change of the net that keeps its outcomes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reduction {
    /// Do not tell apart states between which nobody sees a difference; only as the first one.
    Alike(Alike),
    /// Drop what cannot happen and what cannot complete.
    Slice,
    /// Drop steps that change nothing but could as well have waited.
    #[serde(rename = "idle")]
    Stuttering,
    /// Merge places that behave alike; the first of each group stays.
    Merge(Vec<Vec<PlaceName>>),
    /// Drop what cannot happen, given which places are occupied together.
    Exclude,
    /// Eliminate a place: the steps into it, or those out of it, commute with everything else.
    Move(Move),
    /// Let requests wait where they are, or outside, instead of looking around.
    Defer(Defer),
    /// Split places by what their requests will respond, and whether they have committed to it.
    /// From then on a local state is named `l1 -> ok`, or `l1 => ok` once committed.
    Prophecy,
}

/// Groups of states and of requests; the first of each stands for all.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alike {
    pub globals: Vec<Vec<String>>,
    /// Local states.
    pub locals: Vec<Vec<String>>,
    /// Request labels; may be left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<Vec<String>>,
}

/// Requests wait in `from` until they leave these places.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Defer {
    pub request: String,
    /// The local state in which the request waits; nothing if it arrives later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The local states that it need not be in.
    pub places: Vec<String>,
}

/// Eliminate a place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    pub place: PlaceName,
    /// Which steps move.
    pub side: Side,
    /// Whether steps need not commute that can never meet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sharp: bool,
}

/// In which direction steps move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Steps into the place move right, to the next step of their request.
    Right,
    /// Steps out of the place move left, to the step of their request before.
    Left,
}

/// A request in flight: request label and local state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct PlaceName(
    /// The request.
    pub String,
    /// The local state.
    pub String,
);

/// A request with its response.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct LetterName(
    /// The request.
    pub String,
    /// The response.
    pub String,
);

/// A request in this local state is committed to this response.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Label {
    pub request: String,
    /// The local state.
    pub local: String,
    pub response: String,
}

/// While a request is in this local state, these letters can be inserted into every explanation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Promise {
    pub request: String,
    /// The local state.
    pub local: String,
    pub loops: Vec<LetterName>,
}

/// Given these self-loops on its way, a serial run in one state can do whatever it can do in
/// another one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandIn {
    /// The state that can do more.
    pub global: String,
    /// The state that it stands in for.
    pub instead_of: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<LetterName>,
}

/// A part of the invariant: in this global state, with so many requests in flight, each of these
/// serial elements explains what has been read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Triple {
    /// The global state.
    pub global: String,
    /// The requests in flight; places that are not listed are empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_flight: Vec<InFlight>,
    pub serial: Vec<SerialElement>,
}

/// How many requests are in flight in a place: `count` if the period is 0, otherwise any of
/// `count`, `count + period`, `count + 2 * period`, ...
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InFlight {
    pub request: String,
    /// The local state.
    pub local: String,
    /// The least number.
    pub count: u64,
    /// The distance between two numbers, 0 if there is only one.
    pub period: u64,
}

/// A serial run so far, up to letters that can be inserted into it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SerialElement {
    /// The global state that the serial run has reached.
    pub global: String,
    /// Letters that can be inserted into it: self-loops on its way, or possible for good.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<LetterName>,
    /// Letters that were read and cannot be inserted yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub debts: Vec<LetterName>,
    /// A letter that was read once and still waits for an edge of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<LetterName>,
}
