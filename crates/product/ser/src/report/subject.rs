//! What the steps of a run are about, for all formats.

use ser_model::NetworkSystem;
use ser_session::shown::Shown;
use ser_session::source::Source;
use ser_session::trace::TraceStep;

/// What the steps are about.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// Where the lines come from.
    pub source: Option<&'a Source>,
    /// The system.
    pub system: &'a NetworkSystem,
    /// How its variables are shown.
    pub shown: &'a Shown,
    /// Who takes part, by number; nothing for requests, which are told by number and label.
    pub names: Option<&'a [String]>,
    /// Whether responses matter.
    pub responds: bool,
}

impl Subject<'_> {
    /// Who takes a step: `#1 main`, or the name of a process.
    pub fn who(&self, step: &TraceStep) -> String {
        let name = |names: &[String]| names.get((step.number as usize).checked_sub(1)?).cloned();
        self.names.and_then(name).unwrap_or_else(|| {
            format!("#{} {}", step.number, self.system.request_name(step.request))
        })
    }
}
