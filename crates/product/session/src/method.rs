//! A method with its options: the way from a source to checked reports.

use ser_model::Limits;
use ser_report::{Kind, Report, Source};
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
