//! A method with its options: the way from a source to checked reports.

use ser_model::{Limits, Stop};
use ser_report::{Block, Kind, Report, Source, Unknown};
use std::sync::Arc;

/// A method together with its options.
///
/// Whoever implements it answers the questions that a source poses, has a checker accept every
/// answer before it is given, and looks at the limits in every loop that can run long.
pub trait Method: Send + Sync {
    fn method(&self) -> ser_report::Method;

    /// The subcommand, for messages.
    fn command(&self) -> &'static str;

    /// Whether it reads sources of this kind.
    fn reads(&self, kind: Kind) -> bool;

    /// One report for each question that the source poses.
    fn answer(&self, source: &Arc<Source>, context: &Context<'_>) -> Vec<Report>;
}

/// How to work on a source.
pub struct Context<'a> {
    pub limits: &'a Limits,
    /// Told now and then what is going on, in a few words.
    pub progress: &'a dyn Fn(String),
    pub wants: Wants,
    /// Told what is known already, when what is left to do is not worth losing it. Should the work
    /// not come to its end, these reports stand.
    pub settle: &'a dyn Fn(Vec<Report>),
}

/// What is computed only if somebody wants it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wants {
    /// The certificate, to be kept.
    pub certificate: bool,
    /// A page: pictures, and whatever else only a page has room for.
    pub page: bool,
    /// All there is to say.
    pub verbose: bool,
    pub statistics: bool,
}

/// There is no answer because the limits came first.
pub(crate) fn stopped(stop: &Stop) -> Unknown {
    let help = match stop {
        Stop::Cancelled => None,
        Stop::Memory { .. } => Some("raise --memory"),
        Stop::States { .. } => Some("raise --max-states"),
        Stop::Time { .. } => Some("raise --timeout"),
    };
    Unknown {
        reason: stop.to_string(),
        help: help.into_iter().map(str::to_owned).collect(),
        interrupted: *stop == Stop::Cancelled,
        ..Unknown::default()
    }
}

/// There is an answer, but the limits were not enough to have it checked.
pub(crate) fn unchecked(why: &str) -> Unknown {
    Unknown {
        reason: crate::check::UNCHECKED.to_owned(),
        tried: vec![why.to_owned()],
        help: vec!["raise --timeout or --memory".to_owned()],
        ..Unknown::default()
    }
}

/// What the checker has accepted, for answers that do not say it themselves.
pub(crate) fn checked_remark(words: &str) -> Block {
    Block::Remark(format!("Checked independently: {words}."))
}
