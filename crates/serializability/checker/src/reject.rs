//! Why a certificate is rejected, and where.

use ser_base::Stop;

/// A certificate is rejected: the place in it, and the reason.
///
/// ```
/// let rejection = ser_serializability_checker::Reason::EmptyRun.at("run");
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
    /// The part of the program that the run is taken from has fewer requests than the run.
    #[error("the run has {run} requests, the part of the program only {part}")]
    PartTooSmall {
        /// Requests in the run.
        run: usize,
        /// Requests in the part.
        part: u32,
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
    #[error("{first} and then {second}, of another request, do not commute")]
    DoNotCommute {
        /// The first step.
        first: String,
        /// The second step.
        second: String,
    },
    /// A request commits once.
    #[error("a request that has committed cannot go back: {transition}")]
    CommitsTwice {
        /// A transition from after the effect to before it.
        transition: String,
    },
    /// A variable does not count.
    #[error("`{variable}` does not count requests: {transition}")]
    CountNotKept {
        /// The variable.
        variable: String,
        /// A transition that breaks it.
        transition: String,
    },
    /// Amounts that nothing can be concluded from.
    #[error("the amounts must be all positive or all negative, and {amount} is not like the first")]
    MixedAmounts {
        /// The amount.
        amount: i64,
    },
    /// A variable may take a value that there are no rules for.
    #[error("a variable may leave the values that are known: {transition}")]
    Leaves {
        /// The transition that does it.
        transition: String,
    },
    /// It is not shown that variables keep to the values that are known.
    #[error("some rules lead to values without rules: the first reduction must be `facts`")]
    FactsFirst,
    /// The certificate is about another kind of description than the one it is checked against.
    #[error("this proof needs the {needed} of the source")]
    OtherDescription {
        /// What it needs.
        needed: &'static str,
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

    /// Something that must be listed is not.
    #[error("there is no entry for `{what}`")]
    Missing {
        /// The thing.
        what: String,
    },
    /// The reduced net has no such transition.
    #[error("the net has no transition {transition} here")]
    NotATransition {
        /// The transition.
        transition: String,
    },
    /// A case for a global state that no run ends in.
    #[error("no run ends in `{global}`")]
    NotFinal {
        /// The global state.
        global: String,
    },
    /// A word that no serial run has.
    #[error("no request alone leads from `{from}` with `{letter}` to `{to}`")]
    NoSerialRun {
        /// The global state before.
        from: String,
        /// Request and response.
        letter: String,
        /// The global state after.
        to: String,
    },
    /// A cycle that is none.
    #[error("this is no cycle: it starts in `{start}` and ends in `{end}`")]
    NotClosed {
        /// Where it starts.
        start: String,
        /// Where it ends.
        end: String,
    },
    /// A number that refers to nothing.
    #[error("there is no {kind} {index}: there are {count}, counted from 0")]
    OutOfRange {
        /// What should have been referred to.
        kind: &'static str,
        /// The number.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A list that does not fit.
    #[error("{expected} entries are needed here, not {found}")]
    Length {
        /// How many there must be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// Components that cannot be merged because of their bases.
    #[error("the second base is not the first plus period {period}")]
    MergeBase {
        /// The number of the period.
        period: usize,
    },
    /// Components that cannot be merged because of their periods.
    #[error("the first component does not have period {period} of the second")]
    MergePeriod {
        /// The number of the period.
        period: usize,
    },
    /// A name that is in use already.
    #[error("the name `{name}` of a {kind} is taken")]
    NameTaken {
        /// What it should name.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// Not a number.
    #[error("`{text}` is not a number")]
    NotANumber {
        /// What it is.
        text: String,
    },
    /// An integer is needed.
    #[error("`{number}` is not an integer")]
    NotIntegral {
        /// The number.
        number: String,
    },
    /// A number in the certificate is too long.
    #[error("a number has more than {limit} digits")]
    NumberTooLong {
        /// The limit.
        limit: usize,
    },
    /// A number on the way is too large.
    #[error("a sum has more than {limit} bits")]
    NumberTooLarge {
        /// The limit.
        limit: usize,
    },
    /// Remainders by zero.
    #[error("there are no remainders by 0")]
    NoModulus,
    /// A cut at a place that is not empty.
    #[error("`{place}` is not empty at the {when}")]
    Marked {
        /// The global state.
        place: String,
        /// `start` or `end`.
        when: &'static str,
    },
    /// A cut of a part that it does not apply to.
    #[error("a cut of a phase is at the start of its first part or at the end of its second")]
    WrongPart,
    /// An inequality where only equalities count.
    #[error("`{name}` is an inequality; only equalities can be used here")]
    NotAnEquality {
        /// The hypothesis.
        name: String,
    },
    /// An inequality turned around.
    #[error("`{name}` is an inequality; its multiplier must not be negative")]
    NegativeMultiplier {
        /// The hypothesis.
        name: String,
    },
    /// An inequality is not proved.
    #[error("not proved: `{rest}` is left, which may be negative")]
    MayBeNegative {
        /// What is left.
        rest: String,
    },
    /// An equality is not proved.
    #[error("not proved: `{rest}` is left, which may be other than zero")]
    NotZero {
        /// What is left.
        rest: String,
    },
    /// A combination of equalities that contradicts nothing.
    #[error("not proved: `{rest}` may be zero")]
    MayBeZero {
        /// The combination.
        rest: String,
    },
    /// A tree is too deep.
    #[error("this tree is deeper than {limit}")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
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
