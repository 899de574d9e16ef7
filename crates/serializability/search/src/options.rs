//! How to decide: every method and every optimisation has its switch.
//!
//! Switching anything off can make an answer slower or `unknown`, never wrong.

use crate::RefuteOptions;
use ser_arith::OutcomeOptions;
use ser_net::{Arguments, Reductions};

/// How to decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Which reductions to use.
    pub reductions: Reductions,
    /// Which methods to use.
    pub methods: Methods,
    /// In which order.
    pub strategy: Strategy,
    /// How much the refuter may do.
    pub refute: RefuteOptions,
    /// How to prove by inclusion.
    pub inclusion: InclusionOptions,
    /// How to prove by arithmetic.
    pub arithmetic: ArithmeticOptions,
    /// How to deal with programs without listing their global states.
    pub rules: RuleOptions,
    /// Whether the question is about strict serializability: requests that do not overlap keep
    /// their order.
    pub strict: bool,
}

/// The order in which refuter and provers take their turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strategy {
    /// In turns, cheap before expensive.
    #[default]
    Portfolio,
    /// The whole search first, then proofs.
    RefuteFirst,
    /// All proofs first, then the whole search.
    ProveFirst,
    /// Suspects first, whose arguments a solver has found; then in turns. Of interest to whoever
    /// decides programs: a system has no arguments.
    EventsFirst,
}

impl Strategy {
    /// Whether search and proofs go on in turns.
    pub(crate) fn takes_turns(self) -> bool {
        matches!(self, Strategy::Portfolio | Strategy::EventsFirst)
    }
}

ser_base::switches! {
    /// The methods, each with its switch.
    pub struct Methods {
        /// Look for counterexamples.
        pub refute: bool,
        /// Prove by reductions alone: nothing can interleave.
        pub atomic: bool,
        /// Prove by inclusion.
        pub inclusion: bool,
        /// Prove by arithmetic.
        pub arithmetic: bool,
    }

    /// What proofs by inclusion may use.
    pub struct InclusionOptions {
        /// Requests may commit as soon as their response is determined, not only with their last
        /// step.
        pub labels: bool,
        /// A response may be explained earlier than it happened, as a self-loop of the serial run.
        pub loops: bool,
        /// A response that is possible whatever comes may be explained last.
        pub last: bool,
        /// A response may be explained later than it happened, by a self-loop of what is to come.
        pub debts: bool,
        /// One response may wait for an edge of its own.
        pub waiting: bool,
        /// While requests are in some place, all explanations have some self-loops.
        pub promises: bool,
        /// A request may commit to a response before it is determined.
        pub prophecy: bool,
        /// A state of a serial run may stand in for another one that can do less.
        pub stand_ins: bool,
    }

    /// What may be used of a program without listing its global states.
    pub struct RuleOptions {
        /// Prove by the text alone that no request can yield.
        pub no_yield: bool,
        /// Decide independent parts one by one, without variables that nobody sees.
        pub slices: bool,
        /// Prove on rules that every yield point is harmless.
        pub prove: bool,
        /// Such proofs may use variables that count requests.
        pub counts: bool,
        /// Such proofs may place requests that only read among intermediate values.
        pub readers: bool,
        /// Such proofs need not keep track of variables that take many values.
        pub opaque: bool,
        /// Prove on steps without values that every yield point is harmless.
        pub symbolic: bool,
        /// Look for counterexamples in parts of a large program.
        pub parts: bool,
        /// Ask a solver for the arguments of suspects, if a large program has many request labels.
        pub events: bool,
    }
}

impl RuleOptions {
    /// What a proof on rules may use.
    pub fn arguments(&self) -> Arguments {
        Arguments { counts: self.counts, readers: self.readers }
    }
}

/// What proofs by arithmetic may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArithmeticOptions {
    /// How the semilinear set of serial outcomes is built.
    pub outcomes: OutcomeOptions,
    /// Whoever takes a token needs somebody who brought it.
    pub cuts: bool,
    /// Runs may be divided at the last occurrence of a transition.
    pub phases: bool,
    /// What the outcomes of all runs have in common comes before cases of transitions.
    pub clauses: bool,
}

impl Default for ArithmeticOptions {
    fn default() -> ArithmeticOptions {
        let outcomes = OutcomeOptions::default();
        ArithmeticOptions { outcomes, cuts: true, phases: true, clauses: true }
    }
}
