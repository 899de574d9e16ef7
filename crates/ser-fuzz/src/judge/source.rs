//! One source, as `ser check` does it: from the text to a checked answer.

use super::trial::{Finding, Trial, judge_proof, judge_refutation, judge_time};
use ser_check::source::Source;
use ser_check::{Verdict, check_source};
use ser_engine::Options;
use ser_model::Limits;
use ser_oracle::Findings;
use std::time::Duration;

/// Checks a program (`.ser`) or a network system (`.json`) and compares with what is known.
pub fn try_source(
    name: &str,
    text: &str,
    options: &Options,
    findings: &Findings,
    timeout: Duration,
) -> Result<Trial, Finding> {
    let wrong = |engine: String| Finding::Wrong { engine, oracle: format!("{findings:?}") };
    let source = Source::from_bytes(name, text.as_bytes().to_vec())
        .map_err(|error| wrong(format!("no source: {error:?}")))?;
    let limits = Limits::default().with_timeout(timeout);
    let report = check_source(source, options, &limits, &|_| {});
    judge_time(report.time, timeout)?;
    let certificate = report.verdict.certificate().map_or(0, |c| c.to_text().len());
    let (decided_by, tried) = match &report.verdict {
        Verdict::Serializable { explanation, .. } => {
            let by = explanation.method;
            judge_proof(findings, by)?;
            (by, String::new())
        }
        Verdict::NotSerializable { refutation, .. } => {
            let Some(model) = &report.model else {
                return Err(wrong("not serializable, without a model".into()));
            };
            judge_refutation(findings, refutation, model.system())?;
            ("refuted", String::new())
        }
        Verdict::Internal(reason) => return Err(Finding::Rejected(reason.clone())),
        Verdict::Error(error) => return Err(wrong(format!("an error: {error:?}"))),
        // Programs with a counter that has no end are outside of what can be decided.
        Verdict::TooLarge(error) => ("too large", error.to_string()),
        other => ("unknown", format!("{other:?}")),
    };
    Ok(Trial { decided_by, engine: report.time, checker: Duration::ZERO, certificate, tried })
}
