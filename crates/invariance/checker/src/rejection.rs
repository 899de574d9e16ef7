//! Why a certificate is not accepted: where, and what is wrong there.

use crate::certificate::{Mover, TermRef};
use ser_base::{Line, Stop};
use std::fmt;
use thiserror::Error;

/// A certificate that is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub struct Rejection {
    /// Where, if it is not about the certificate as a whole.
    pub place: Option<Place>,
    pub reason: Box<Reason>,
}

/// A part of a certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    Invariant(String),
    /// One case of one premise.
    Case(Box<CasePlace>),
    /// The start of a run.
    Start,
    /// A step of a run, from 0.
    Step(usize),
    /// The end of a run.
    End,
}

/// A case of a premise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CasePlace {
    /// The invariant; nothing for safety.
    pub invariant: Option<String>,
    pub premise: Premise,
    /// From where the step goes, if there is one.
    pub location: Option<LocationPlace>,
    /// Which path of the location.
    pub path: u32,
    /// The variables of the case in words, those that are the same thread joined: `i = chosen, j`.
    pub threads: String,
    /// The block of each variable.
    pub partition: Vec<u32>,
}

/// A location as people see it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocationPlace {
    /// Its number, from 1.
    pub number: u32,
    /// Its name, if it has one.
    pub name: Option<String>,
    pub line: Line,
}

/// A premise of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Premise {
    /// It holds at the start.
    Initiation,
    /// It is kept by the steps of one of its threads.
    Own {
        /// The name of the parameter or global.
        thread: String,
    },
    /// It is kept by the steps of other threads.
    Other,
    /// It follows from others.
    Follows,
    /// No step is an error.
    Safety,
}

impl fmt::Display for Premise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Premise::Initiation => write!(f, "initiation"),
            Premise::Own { thread } => write!(f, "step of thread `{thread}`"),
            Premise::Other => write!(f, "step of another thread"),
            Premise::Follows => write!(f, "it follows from others"),
            Premise::Safety => write!(f, "safety"),
        }
    }
}

impl fmt::Display for LocationPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "location {}", self.number)?;
        match &self.name {
            Some(name) => write!(f, " (`{name}`, line {})", self.line),
            None => write!(f, " (line {})", self.line),
        }
    }
}

impl fmt::Display for CasePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(invariant) = &self.invariant {
            write!(f, "invariant `{invariant}`, ")?;
        }
        write!(f, "{}", self.premise)?;
        if let Some(location) = &self.location {
            write!(f, ", {location}, path {}", self.path)?;
        }
        if !self.threads.is_empty() {
            write!(f, ", threads {}", self.threads)?;
        }
        Ok(())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Invariant(name) => write!(f, "invariant `{name}`"),
            Place::Case(case) => write!(f, "{case}"),
            Place::Start => write!(f, "start of the run"),
            Place::Step(step) => write!(f, "step {step}"),
            Place::End => write!(f, "end of the run"),
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        write!(f, "{}", self.reason)
    }
}

impl From<Reason> for Rejection {
    fn from(reason: Reason) -> Rejection {
        Rejection { place: None, reason: Box::new(reason) }
    }
}

impl Rejection {
    /// The same with a place, if it has none yet.
    pub(crate) fn at(mut self, place: impl FnOnce() -> Place) -> Rejection {
        self.place.get_or_insert_with(place);
        self
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
pub enum Reason {
    #[error("the file with further invariants has another program than the file itself")]
    OtherProgram,
    #[error("the file has errors: {what}")]
    Source { what: String },
    #[error("the file is too large to be checked: {what}")]
    Size { what: String },
    #[error("the check was stopped: {0}")]
    Stopped(#[from] Stop),

    #[error("there is no such invariant")]
    NoInvariant,
    #[error("the invariant is listed twice")]
    Twice,
    #[error("the proof uses `{invariant}`, which is not among the invariants that are claimed")]
    NotClaimed { invariant: String },
    #[error("the invariant follows from itself: {}", cycle.join(" <- "))]
    FollowsCycle { cycle: Vec<String> },
    #[error("the file asks for a proof without cycles, but here is one: {}", cycle.join(" <- "))]
    SupportCycle { cycle: Vec<String> },
    #[error(
        "the proof has a case that does not exist: {mover:?}, location {location}, path {path}, partition {partition:?}"
    )]
    NoCase { mover: Mover, location: u32, path: u32, partition: Vec<u32> },
    #[error("the case is listed twice")]
    CaseTwice,
    #[error("the term {term} mentions one that does not come before it")]
    TermOrder { term: usize },
    #[error("the term {term} is nested too deeply")]
    TermDepth { term: usize },

    #[error("nothing can be used at the start, but the proof uses `{invariant}`")]
    UsesAtStart { invariant: String },
    #[error("`{invariant}` has no conjunct {conjunct}")]
    NoConjunct { invariant: String, conjunct: u32 },
    #[error("`{invariant}` has {wanted} parameters, but {given} threads are given")]
    InstanceThreads { invariant: String, given: usize, wanted: usize },
    #[error("there is no thread {block} in this case")]
    NoThread { block: u32 },
    #[error("lemma {lemma} ({axiom}) is wrong: {problem}")]
    Lemma { lemma: usize, axiom: String, problem: Problem },
    #[error("a number becomes too large")]
    Overflow,
    #[error("{}", open(*lemmas))]
    Open { lemmas: usize },
    #[error("the proof of the solver was not accepted: {what}")]
    Clausal { what: String },

    #[error("the run has {given} threads, but {wanted}")]
    RunThreads { given: u32, wanted: String },
    #[error("the run gives {given} values for {wanted} {of}")]
    Values { given: usize, wanted: usize, of: &'static str },
    #[error(
        "the value of `{variable}` does not have its type, or names a thread that does not exist"
    )]
    ValueType { variable: String },
    #[error("the cell of `null` is given")]
    NullCell,
    #[error("cell {cell} is locked by a thread that does not exist")]
    CellOwner { cell: u32 },
    #[error("`{variable}` does not have its initial value")]
    Initial { variable: String },
    #[error("`{variable}` has to be a thread")]
    Anchor { variable: String },
    #[error("the assumption in line {line} does not hold")]
    Assumption { line: Line },
    #[error("there is no such thread")]
    NoActor,
    #[error("its location has no path {path}")]
    NoPath { path: u32 },
    #[error("the step is not possible: the condition in line {line} does not hold")]
    Blocked { line: Line },
    #[error("the procedure returns to another call")]
    OtherCall,
    #[error("a choice is missing, too much, or not allowed (line {line})")]
    Choice { line: Line },
    #[error("the step is an error (line {line}), which the run does not say")]
    UnexpectedError { line: Line },
    #[error("the run does not show what it is said to show: {what}")]
    Shows { what: String },
    #[error("threads cannot be counted here: {what}")]
    Unsuited { what: String },
    #[error("the sets of states do not show it: {what}")]
    Boxes { what: String },
}

fn open(lemmas: usize) -> String {
    match lemmas {
        0 => "the conditions leave a solution, and there are no lemmas".into(),
        1 => "the conditions and the only lemma leave a solution".into(),
        _ => format!("the conditions and the {lemmas} lemmas leave a solution"),
    }
}

/// What is wrong with a lemma.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[allow(missing_docs)]
pub enum Problem {
    #[error("there is no term {term}")]
    NoTerm { term: TermRef },
    #[error("term {term} is not {wanted}")]
    Sort { term: TermRef, wanted: &'static str },
    #[error("the terms {first} and {second} have different types")]
    OtherSort { first: TermRef, second: TermRef },
    #[error("term {term} names a variable that does not exist, or one of type `bool`")]
    NoVariable { term: TermRef },
    #[error("term {term} names thread {block}, which is not in this case")]
    NoThread { term: TermRef, block: u32 },
    #[error("term {term} names the choice {choice}, which this path does not have")]
    NoChoice { term: TermRef, choice: u32 },
    #[error("this path has no heap version {version}")]
    NoVersion { version: u32 },
    #[error("the heap version {version} was not made by a write of this field")]
    NoWrite { version: u32 },
    #[error("the address that was written is not in the cut")]
    NotCut,
    #[error("nothing is known of the data of `null`")]
    DataOfNull,
    #[error("the loop has no cells")]
    EmptyLoop,
    #[error("term {term} is a sum in a sum")]
    NestedSum { term: TermRef },
    #[error("the sum of the products is no number below 0")]
    NoContradiction,
    #[error("the axiom is not for numbers")]
    Numbers,
    #[error("a number becomes too large")]
    Overflow,
}
