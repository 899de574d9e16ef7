//! What a proof of invariants says: every run that violates one and every step that may break one, on their places.

use super::{Conclusion, Findings, Weight, told};
use ser_invariance_search::answer::{Verdict, Wrong};
use ser_invariance_search::counter::CounterModel;
use ser_session::invariants::told::{breach, kinds, run_remark};
use ser_session::invariants::{Checked, ProveReport, Proven, unknown_words};
use ser_session::serializability::words;
use ser_syntax::Diagnostic;

/// More steps that break something are not told: whoever repairs one of them asks again.
const MOST: usize = 10;

impl Findings {
    /// What a report about invariants says.
    pub fn of_invariants(report: &ProveReport) -> Findings {
        let mut findings = Findings::empty(report.time);
        match &report.result {
            Proven::Answer(checked) => {
                findings.warnings = Some(report.warnings.clone());
                findings.answered(checked);
            }
            Proven::Stopped(stop) => findings.unknown(stop.to_string(), None, &[]),
            Proven::Unchecked(message) => {
                let reason =
                    format!("the answer could not be checked within the limits: {message}");
                findings.unknown(reason, None, &[]);
            }
            Proven::Internal(message) => {
                let reason =
                    format!("a defect of ser: its own checker rejected the answer: {message}");
                findings.unknown(reason, None, &[]);
            }
            Proven::Error(error) => {
                findings.conclusion = Conclusion::Error;
                findings.summary = format!("error: {}", words::source_error(error));
            }
        }
        findings
    }

    fn answered(&mut self, checked: &Checked) {
        let runs = checked.runs.iter().map(|it| (run_remark(checked, it), Weight::Warning));
        let mut remarks: Vec<(Diagnostic, Weight)> = runs.collect();
        for (model, _) in kinds(&open(checked)) {
            remarks.push((breach(checked, model).remark, Weight::Information));
        }
        let first = remarks.first().map_or("", |(it, _)| it.message.as_str());
        (self.conclusion, self.summary) = match &checked.verdict {
            Verdict::Proved => {
                let threads = match checked.system.threads {
                    None => "any number of threads".to_owned(),
                    Some(fixed) => ser_report::text::count(fixed as usize, "thread"),
                };
                let count = checked.invariants.len();
                let hold = if count == 1 { "holds" } else { "hold" };
                let invariants = ser_report::text::count(count, "invariant");
                (Conclusion::Proved, format!("proved: {invariants} {hold} for {threads}"))
            }
            Verdict::Refuted(_) => (Conclusion::Refuted, format!("refuted: {first}")),
            Verdict::NotInductive => (Conclusion::NotInductive, format!("not inductive: {first}")),
            Verdict::Unknown(reason) => {
                let (reason, help) = unknown_words(reason);
                self.unknown(reason, None, &[help]);
                (Conclusion::Unknown, self.summary.clone())
            }
            // There is no such answer.
            Verdict::Contradiction(_) => (Conclusion::Unknown, "unknown".to_owned()),
        };
        self.remarks.extend(remarks.iter().take(MOST).map(|(it, weight)| told(it, *weight)));
    }
}

/// Conditions that fail and about which no run says more.
fn open(checked: &Checked) -> Vec<&CounterModel> {
    let is_shown = |model: &&CounterModel| {
        checked.runs.iter().any(|it| match it.refutation.what {
            Wrong::Violated(id, _) => model.invariant == Some(id),
            Wrong::Error(..) => model.invariant.is_none(),
        })
    };
    checked.counter_models.iter().filter(|it| !is_shown(it)).collect()
}
