//! Why a certificate is rejected, and where.

use ser_model::Stop;

/// A certificate is rejected: the place in it, and the reason.
///
/// ```
/// let rejection = ser_cert::Reason::EmptyRun.at("run");
/// assert_eq!(rejection.to_string(), "run: there is no request in this run");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct Rejection {
    /// Where: `step 3`, `invariant[4]`, `reductions[1]`, and so on.
    pub place: String,
    /// Why.
    #[source]
    pub reason: Reason,
}

/// What is wrong at the place that a [`Rejection`] names.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    /// The digest is not that of the source.
    #[error("this certificate belongs to another source (sha256 `{expected}`, not `{found}`)")]
    OtherSource {
        /// The digest in the certificate.
        expected: String,
        /// The digest of the source.
        found: String,
    },
    /// A name that the network system does not have.
    #[error("there is no {kind} `{name}`")]
    Unknown {
        /// What should have been named.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// Two entries for the same thing.
    #[error("`{what}` is listed twice")]
    Repeated {
        /// The thing.
        what: String,
    },

    /// A run without requests.
    #[error("there is no request in this run")]
    EmptyRun,
    /// Requests must be numbered in the order in which they arrive.
    #[error("request {found} arrives, but the next request to arrive is number {expected}")]
    Numbering {
        /// The number that is next.
        expected: u64,
        /// The number in the certificate.
        found: u64,
    },
    /// A request starts where it may not.
    #[error("request `{request}` cannot start in local state `{local}`")]
    NotInitial {
        /// The request label.
        request: String,
        /// The local state.
        local: String,
    },
    /// An event of a request that has not arrived.
    #[error("request {request} has not arrived")]
    NotArrived {
        /// The number of the request.
        request: u64,
    },
    /// An event of a request that is gone.
    #[error("request {request} has responded already")]
    Responded {
        /// The number of the request.
        request: u64,
    },
    /// A step that the network system does not have.
    #[error("no step leads from `{local}` in global state `{global}` to `{to}` in `{after}`")]
    NoStep {
        /// The local state before.
        local: String,
        /// The global state before.
        global: String,
        /// The local state after.
        to: String,
        /// The global state after.
        after: String,
    },
    /// A response that is not possible here.
    #[error("a request in local state `{local}` cannot respond `{response}`")]
    NoResponse {
        /// The local state.
        local: String,
        /// The response.
        response: String,
    },
    /// The run stops too early.
    #[error("request {request} never responds")]
    NeverResponds {
        /// The number of the first request in flight.
        request: u64,
    },
    /// The outcome that is listed is not the outcome of the run.
    #[error("`{letter}` is listed {listed} times, but the run has it {run} times")]
    OtherOutcome {
        /// Request and response.
        letter: String,
        /// The number in the certificate.
        listed: u64,
        /// The number in the run.
        run: u64,
    },
    /// Not a counterexample: a serial run has the same outcome.
    #[error("this outcome is also reached serially: {run}")]
    AlsoSerial {
        /// The serial run.
        run: String,
    },

    /// A group of one is no group.
    #[error("a group needs at least two places")]
    SmallGroup,
    /// A group across requests.
    #[error("`{first}` and `{second}` are places of different requests")]
    DifferentRequests {
        /// The representative.
        first: String,
        /// The member.
        second: String,
    },
    /// The system has this request and this local state, but the reduced net has no such place.
    #[error("the net has no place `{place}` here (it is removed, merged, or never marked)")]
    NotAPlace {
        /// Request and local state.
        place: String,
    },
    /// The members of a group behave differently.
    #[error("`{first}` and `{second}` differ: only one of them has the transition {witness}")]
    NotEqual {
        /// The representative.
        first: String,
        /// The member.
        second: String,
        /// What one of them can do and the other cannot.
        witness: String,
    },
    /// Nothing leads into the place that should be eliminated.
    #[error("no transition puts a request into `{place}`")]
    NoProducer {
        /// Request and local state.
        place: String,
    },
    /// The place that should be eliminated has a step to itself.
    #[error("`{place}` has a step to itself: {transition}")]
    StepToItself {
        /// Request and local state.
        place: String,
        /// The step.
        transition: String,
    },
    /// Two steps of different requests do not commute.
    #[error("{first} and then {second}, of another request, cannot be swapped")]
    NoSwap {
        /// The first step.
        first: String,
        /// The second step.
        second: String,
    },
    /// A committed request does not keep its word.
    #[error("the label `{label}` is not kept by the transition {transition}")]
    LabelNotKept {
        /// What was promised.
        label: String,
        /// The transition that breaks the promise.
        transition: String,
    },
    /// The invariant does not hold at the start.
    #[error("no triple covers the start: `{global}`, nobody in flight, nothing to explain")]
    StartNotCovered {
        /// The initial global state.
        global: String,
    },
    /// The invariant is not inductive.
    #[error("no triple covers the successor by the transition {transition}")]
    NotCovered {
        /// The transition.
        transition: String,
    },
    /// The invariant allows a complete run that is not explained.
    #[error(
        "all requests may have responded here, but every serial element has debts or a waiting letter"
    )]
    Unexplained,
    /// A number is too large to count on.
    #[error("a counter exceeds 2^64")]
    Overflow,

    /// The limits are not enough. Says nothing about the certificate.
    #[error("checking stopped: {0}")]
    Stopped(#[from] Stop),
    /// The tables of the checker grow too large. Says nothing about the certificate.
    #[error("checking stopped: its tables have more than {limit} entries")]
    TooManyEntries {
        /// The limit.
        limit: usize,
    },
    /// Checking takes too long. Says nothing about the certificate.
    #[error("checking stopped: it takes more than {limit} small steps")]
    TooMuchWork {
        /// The limit.
        limit: u64,
    },
}

impl Reason {
    /// This reason at a place.
    pub fn at(self, place: impl Into<String>) -> Rejection {
        Rejection { place: place.into(), reason: self }
    }
}

/// Names the place where a rule failed.
pub(crate) trait At<T> {
    /// The same result, with the place in the error.
    fn at(self, place: impl FnOnce() -> String) -> Result<T, Rejection>;
}

impl<T> At<T> for Result<T, Reason> {
    fn at(self, place: impl FnOnce() -> String) -> Result<T, Rejection> {
        self.map_err(|reason| reason.at(place()))
    }
}
