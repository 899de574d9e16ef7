//! Why evidence is not accepted, and where in it.

use crate::FormulaSize;
use ser_base::Stop;
use ser_clausal::ClausalError;
use ser_model::{ExploreError, FollowError};
use ser_reachability_model::{EncodeError, NotEnabled, UnwindError};
use std::fmt;

/// Evidence was not accepted. This says nothing about the goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejection {
    /// Where in the evidence: `events.stages[1].rounds`.
    pub place: String,
    pub reason: Reason,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reason {
    #[error("the source cannot be read: {0}")]
    Source(String),
    #[error("the source has no such goal")]
    NoGoal,
    #[error("such evidence is not about such a source")]
    OtherKind,
    #[error("the run is not one of the program: {0}")]
    Run(FollowError),
    #[error("there is no transition `{0}`")]
    NoTransition(String),
    #[error("`{transition}` has no variable `{variable}`")]
    NoVariable { transition: String, variable: String },
    #[error(transparent)]
    NotEnabled(#[from] NotEnabled),
    #[error("the target does not occur")]
    NotTheTarget,
    #[error("there are {processes} processes, and rounds for {rounds}")]
    OtherProcesses { processes: usize, rounds: usize },
    #[error("loops go round less often than in the stage before")]
    GoesBack,
    #[error("there is no stage")]
    NoStage,
    #[error("a cycle has a transition that the unwinding does not have")]
    NoCycle,
    #[error(transparent)]
    Unwind(UnwindError),
    #[error(transparent)]
    Encode(EncodeError),
    #[error("loops were cut, and the values of variables are not known beyond them")]
    NotComplete,
    #[error("an action goes round a loop more often than was looked at")]
    Cut,
    #[error(
        "the formula has {} variables and {} clauses instead of {} and {}: it comes from another \
         source, goal or version",
        found.variables, found.clauses, claimed.variables, claimed.clauses
    )]
    OtherFormula { claimed: FormulaSize, found: FormulaSize },
    #[error(transparent)]
    Proof(ClausalError),
    #[error("the goal holds in one of the states")]
    Reached,
    #[error("there are {found} states, not {claimed}")]
    OtherCount { claimed: usize, found: usize },
    #[error("the check was stopped: {0}")]
    Stopped(Stop),
}

impl Reason {
    pub(crate) fn at(self, place: impl Into<String>) -> Rejection {
        Rejection { place: place.into(), reason: self }
    }
}

impl From<FollowError> for Reason {
    fn from(error: FollowError) -> Reason {
        match error {
            FollowError::Explore(ExploreError::TooManyStates { stop, .. }) => Reason::Stopped(stop),
            error => Reason::Run(error),
        }
    }
}

impl From<UnwindError> for Reason {
    fn from(error: UnwindError) -> Reason {
        match error {
            UnwindError::Stop(stop) => Reason::Stopped(stop),
            error => Reason::Unwind(error),
        }
    }
}

impl From<EncodeError> for Reason {
    fn from(error: EncodeError) -> Reason {
        match error {
            EncodeError::Stopped(stop) => Reason::Stopped(stop),
            error => Reason::Encode(error),
        }
    }
}

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Reason {
        Reason::Stopped(stop)
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at `{}`: {}", self.place, self.reason)
    }
}

impl std::error::Error for Rejection {}
