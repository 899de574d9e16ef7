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
    OtherSource { expected: String, found: String },
    /// A name that the network system does not have.
    #[error("there is no {kind} `{name}`")]
    Unknown { kind: &'static str, name: String },
    /// Two entries for the same thing.
    #[error("`{what}` is listed twice")]
    Repeated { what: String },

    /// A run without requests.
    #[error("there is no request in this run")]
    EmptyRun,
    /// Requests must be numbered in the order in which they arrive.
    #[error("request {found} arrives, but the next request to arrive is number {expected}")]
    Numbering { expected: u64, found: u64 },
    /// A request starts where it may not.
    #[error("request `{request}` cannot start in local state `{local}`")]
    NotInitial { request: String, local: String },
    /// An event of a request that has not arrived.
    #[error("request {request} has not arrived")]
    NotArrived { request: u64 },
    /// An event of a request that is gone.
    #[error("request {request} has responded already")]
    Responded { request: u64 },
    /// A step that the network system does not have.
    #[error("no step leads from `{local}` in global state `{global}` to `{to}` in `{after}`")]
    NoStep { local: String, global: String, to: String, after: String },
    /// A response that is not possible here.
    #[error("a request in local state `{local}` cannot respond `{response}`")]
    NoResponse { local: String, response: String },
    /// The run stops too early.
    #[error("request {request} never responds")]
    NeverResponds { request: u64 },
    /// The outcome that is listed is not the outcome of the run.
    #[error("`{letter}` is listed {listed} times, but the run has it {run} times")]
    OtherOutcome { letter: String, listed: u64, run: u64 },
    /// The part of the program that the run is taken from has fewer requests than the run.
    #[error("the run has {run} requests, the part of the program only {part}")]
    PartTooSmall { run: usize, part: u32 },
    /// A run is taken from one part of a program.
    #[error("this run is about what is along it, and about another part of the program, too")]
    TwoParts,
    /// Too many requests to try the orders that they could have come in.
    #[error("the run has {requests} requests; orders of more than {most} are not tried")]
    TooManyRequests { requests: usize, most: usize },
    /// Not a counterexample: a serial run has the same outcome.
    #[error("this outcome is also reached serially: {run}")]
    AlsoSerial { run: String },

    /// A group of one is no group.
    #[error("a group needs at least two places")]
    SmallGroup,
    /// A group across requests.
    #[error("`{first}` and `{second}` are places of different requests")]
    DifferentRequests { first: String, second: String },
    /// The system has this request and this local state, but the reduced net has no such place.
    #[error("the net has no place `{place}` here (it is removed, merged, or never marked)")]
    NotAPlace { place: String },
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
    NoProducer { place: String },
    /// The place that should be eliminated has a step to itself.
    #[error("`{place}` has a step to itself: {transition}")]
    StepToItself { place: String, transition: String },
    /// Two steps of different requests do not commute.
    #[error("{first} and then {second}, of another request, do not commute")]
    DoNotCommute { first: String, second: String },
    /// States that are not alike.
    #[error("`{first}` and `{second}` can be told apart")]
    NotAlike { first: String, second: String },
    /// The quotient of a system comes before its net.
    #[error("`alike` is about the network system, so it must be the first reduction")]
    AlikeFirst,
    /// What a request does later cannot be done at once.
    #[error("a request in `{from}` cannot do this at once: {transition}")]
    CannotWait { from: String, transition: String },
    /// There are no more ways to begin to wait there.
    #[error("no request begins to wait in `{place}` for less than it asks anyway")]
    CannotBegin { place: String },
    /// Requests cannot wait in a place where nobody knows all their values.
    #[error("a request in `{place}` has opaque values")]
    OpaqueValues { place: String },
    /// The opaque variables that are listed are not those of the rules.
    #[error("the opaque variables are: {opaque}")]
    OtherOpaque { opaque: String },
    /// A request commits once.
    #[error("a request that has committed cannot go back: {transition}")]
    CommitsTwice {
        /// A transition from after the effect to before it.
        transition: String,
    },
    /// A variable does not count.
    #[error("`{variable}` does not count requests: {transition}")]
    CountNotKept { variable: String, transition: String },
    /// Amounts that nothing can be concluded from.
    #[error("the amounts must be all positive or all negative, and {amount} is not like the first")]
    MixedAmounts { amount: i64 },
    /// Nothing is known about readers of opaque values.
    #[error("there are no readers where variables are opaque")]
    OpaqueReaders,
    /// A reader changes something.
    #[error("a reader writes: {transition}")]
    ReaderWrites { transition: String },
    /// A reader may be stopped, or has a choice.
    #[error("a reader in `{place}` has {ways} ways on for some values of the variables, not one")]
    NotOneWay { place: String, ways: usize },
    /// A reader may see two values of a variable.
    #[error("a reader reads `{variable}` in two steps")]
    ReadTwice { variable: String },
    /// Readers see two variables that change together.
    #[error("readers see `{first}` and `{second}`, and other requests have to do with both")]
    BothSeen { first: String, second: String },
    /// A variable is on both sides of its first value.
    #[error("`{variable}` is {first} at first, and may be {value}, on the wrong side of that")]
    BelowFirst { variable: String, first: i64, value: i64 },
    /// The response of a reader falls where it should rise.
    #[error("where a variable is higher, `{low}` may become `{high}`, which is listed before it")]
    NotRising { low: String, high: String },
    /// The response of a reader leaves out another one.
    #[error(
        "this may turn `{low}` into `{high}`, which is listed more than one place later: {transition}"
    )]
    Jumps { transition: String, low: String, high: String },
    /// A writer raises twice what readers see.
    #[error("a request that has raised what readers see may do so again: {transition}")]
    RaisesTwice { transition: String },
    /// A variable may take a value that there are no rules for.
    #[error("a variable may leave the values that are known: {transition}")]
    Leaves { transition: String },
    /// It is not shown that variables keep to the values that are known.
    #[error("some rules lead to values without rules: the first reduction must be `facts`")]
    FactsFirst,
    /// A program without symbolic steps.
    #[error("the program has no symbolic steps: {why}")]
    NoSteps { why: String },
    /// A fact is not inductive.
    #[error("`{fact}` may be false at first, or after some step")]
    NotKept { fact: String },
    /// A request may yield.
    #[error("the `yield` at byte {at} of the source is in reach")]
    Yields { at: usize },
    /// A variable cannot be left out.
    #[error(
        "`{variable}` cannot be left out: a response, a condition or another variable needs it"
    )]
    StillSeen { variable: String },
    /// Slices are not independent.
    #[error("`{variable}` is assigned or left out in another slice")]
    NotIndependent { variable: String },
    /// A slice whose states cannot be listed.
    #[error("the slice has no list of its states: {why}")]
    NoStates { why: String },
    /// The certificate is about another kind of description than the one it is checked against.
    #[error("this proof needs the {needed} of the source")]
    OtherDescription { needed: &'static str },
    /// A committed request does not keep its word.
    #[error("the label `{label}` is not kept by the transition {transition}")]
    LabelNotKept { label: String, transition: String },
    /// A state of a serial run that is said to stand in for another one cannot.
    #[error("the stand-in has no answer to `{letter}`")]
    NoStandIn { letter: String },
    /// The invariant does not hold at the start.
    #[error("no triple covers the start: `{global}`, nobody in flight, nothing to explain")]
    StartNotCovered { global: String },
    /// The invariant is not inductive.
    #[error("no triple covers the successor by the transition {transition}")]
    NotCovered { transition: String },
    /// The invariant allows a complete run that is not explained.
    #[error(
        "all requests may have responded here, but every serial element has debts or a waiting letter"
    )]
    Unexplained,

    /// Something that must be listed is not.
    #[error("there is no entry for `{what}`")]
    Missing { what: String },
    /// The reduced net has no such transition.
    #[error("the net has no transition {transition} here")]
    NotATransition { transition: String },
    /// A case for a global state that no run ends in.
    #[error("no run ends in `{global}`")]
    NotFinal { global: String },
    /// A word that no serial run has.
    #[error("no request alone leads from `{from}` with `{letter}` to `{to}`")]
    NoSerialRun { from: String, letter: String, to: String },
    /// A cycle that is none.
    #[error("this is no cycle: it starts in `{start}` and ends in `{end}`")]
    NotClosed { start: String, end: String },
    /// A number that refers to nothing.
    #[error("there is no {kind} {index}: there are {count}, counted from 0")]
    OutOfRange { kind: &'static str, index: usize, count: usize },
    /// A list that does not fit.
    #[error("{expected} entries are needed here, not {found}")]
    Length { expected: usize, found: usize },
    /// Components that cannot be merged because of their bases.
    #[error("the second base is not the first plus period {period}")]
    MergeBase { period: usize },
    /// Components that cannot be merged because of their periods.
    #[error("the first component does not have period {period} of the second")]
    MergePeriod { period: usize },
    /// A name that is in use already.
    #[error("the name `{name}` of a {kind} is taken")]
    NameTaken { kind: &'static str, name: String },
    /// Not a number.
    #[error("`{text}` is not a number")]
    NotANumber { text: String },
    /// An integer is needed.
    #[error("`{number}` is not an integer")]
    NotIntegral { number: String },
    /// A number in the certificate is too long.
    #[error("a number has more than {limit} digits")]
    NumberTooLong { limit: usize },
    /// A number on the way is too large.
    #[error("a sum has more than {limit} bits")]
    NumberTooLarge { limit: usize },
    /// Remainders by zero.
    #[error("there are no remainders by 0")]
    NoModulus,
    /// A cut at a place that is not empty.
    #[error("`{place}` is not empty at the {when}")]
    Marked { place: String, when: &'static str },
    /// A cut of a part that it does not apply to.
    #[error("a cut of a phase is at the start of its first part or at the end of its second")]
    WrongPart,
    /// An inequality where only equalities count.
    #[error("`{name}` is an inequality; only equalities can be used here")]
    NotAnEquality { name: String },
    /// An inequality turned around.
    #[error("`{name}` is an inequality; its multiplier must not be negative")]
    NegativeMultiplier { name: String },
    /// An inequality is not proved.
    #[error("not proved: `{rest}` is left, which may be negative")]
    MayBeNegative { rest: String },
    /// An equality is not proved.
    #[error("not proved: `{rest}` is left, which may be other than zero")]
    NotZero { rest: String },
    /// A combination of equalities that contradicts nothing.
    #[error("not proved: `{rest}` may be zero")]
    MayBeZero { rest: String },
    /// A tree is too deep.
    #[error("this tree is deeper than {limit}")]
    TooDeep { limit: usize },
    /// A number is too large to count on.
    #[error("a counter exceeds 2^64")]
    Overflow,

    /// The limits are not enough. Says nothing about the certificate.
    #[error("checking stopped: {0}")]
    Stopped(#[from] Stop),
    /// The tables of the checker grow too large. Says nothing about the certificate.
    #[error("checking stopped: its tables have more than {limit} entries")]
    TooManyEntries { limit: usize },
    /// Checking takes too long. Says nothing about the certificate.
    #[error("checking stopped: it takes more than {limit} small steps")]
    TooMuchWork { limit: u64 },
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
