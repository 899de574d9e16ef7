//! What this server adds to the protocol.

use lsp_types::{Range, Uri};
use lsp_types::{notification::Notification, request::Request};
use serde::{Deserialize, Serialize};

/// Lens and menu commands that the client provides; their argument is the document's address.
pub mod commands {
    /// Shows the interleaving.
    pub const SHOW_INTERLEAVING: &str = "ser.showInterleaving";
    /// Shows the HTML report.
    pub const REPORT: &str = "ser.report";
    /// Looks for repairs.
    pub const REPAIR: &str = "ser.repair";
}

/// `ser/verdict`, from the server, after each check.
pub enum VerdictNotification {}

impl Notification for VerdictNotification {
    type Params = VerdictParams;
    const METHOD: &'static str = "ser/verdict";
}

/// The verdict on a document.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct VerdictParams {
    /// The document.
    pub uri: Uri,
    /// Which text of it.
    pub version: i32,
    /// As in the JSON of the command that answers the question: `serializable`, `reachable`, ...
    pub verdict: String,
    /// In one sentence.
    pub summary: String,
    /// How long the check took.
    pub time_ms: f64,
}

/// `ser/interleaving`, to the server: the run that shows what is wrong.
pub enum InterleavingRequest {}

impl Request for InterleavingRequest {
    type Params = InterleavingParams;
    type Result = Option<InterleavingResult>;
    const METHOD: &'static str = "ser/interleaving";
}

/// Which document.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct InterleavingParams {
    /// The document.
    pub uri: Uri,
}

/// The run, step by step; nothing (`null`) if there is none for the text as it is.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct InterleavingResult {
    /// Which text of the document.
    pub version: i32,
    /// The verdict in one sentence.
    pub summary: String,
    /// The steps in order.
    pub steps: Vec<InterleavingStep>,
}

/// One step of the run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct InterleavingStep {
    /// Who takes it, from 1: requests by their order of arrival.
    pub number: u32,
    /// The label of the request, or the name of the process or thread.
    pub request: String,
    /// What happened.
    pub message: String,
    /// Where.
    pub range: Range,
}
