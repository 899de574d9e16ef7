//! One source, as `ser check` does it: from the text to a checked answer.

use super::trial::{Finding, Trial, judge_proof, judge_refutation, judge_time, recheck};
use ser_base::{Limits, Stop};
use ser_model::ExploreError;
use ser_oracle::Findings;
use ser_serializability_checker::Reason;
use ser_serializability_search::Options;
use ser_session::{Verdict, check_certificate, check_source};
use std::time::Duration;

/// Checks a program (`.ser`) or a network system (`.json`) and compares with what is known. The
/// certificate is then checked again as `ser verify` does it, from its own text and the source's.
pub fn try_source(
    name: &str,
    text: &str,
    options: &Options,
    findings: &Findings,
    timeout: Duration,
) -> Result<Trial, Finding> {
    let wrong = |engine: String| Finding::Wrong { engine, oracle: format!("{findings:?}") };
    let source = ser_session::source::from_bytes(name, text.as_bytes().to_vec())
        .map_err(|error| wrong(format!("no source: {error:?}")))?;
    let limits = Limits::default().with_timeout(timeout);
    let report = check_source(source.clone(), options, &limits, &|_| {});
    judge_time(report.time, timeout)?;
    let (checker, certificate) = match report.verdict.certificate() {
        Some(certificate) => recheck(certificate, |certificate, limits| {
            let model = ser_session::source::model_for(&source, &certificate.scope(), limits);
            let model =
                model.map_err(|_| Reason::OtherDescription { needed: "source" }.at("source"))?;
            check_certificate(certificate, text.as_bytes(), &model, limits)
        })?,
        None => (Duration::ZERO, 0),
    };
    let no_answer = |decided_by, tried: String| {
        Ok(Trial { decided_by, engine: report.time, tried, ..Trial::default() })
    };
    let (decided_by, confirmed) = match &report.verdict {
        Verdict::Serializable { explanation, .. } => {
            let by = explanation.method;
            (by, judge_proof(findings, by)?)
        }
        Verdict::NotSerializable { refutation, .. } => {
            let Some(model) = &report.model else {
                return Err(wrong("not serializable, without a model".into()));
            };
            ("refuted", judge_refutation(findings, refutation, model.system())?)
        }
        Verdict::Internal(reason) => return Err(Finding::Rejected(reason.clone())),
        Verdict::Error(error) => return Err(wrong(format!("an error: {error:?}"))),
        // Programs with a counter that has no end, or with more states than anybody asked for, are
        // outside of what can be decided; others are a pity.
        Verdict::TooLarge(error, _) => {
            let endless = matches!(
                error,
                ExploreError::TooManyStates { stop: Stop::States { .. }, .. }
                    | ExploreError::EndlessStep { .. }
                    | ExploreError::Overflow { .. }
            );
            return no_answer(if endless { "too large" } else { "unknown" }, error.to_string());
        }
        other => return no_answer("unknown", format!("{other:?}")),
    };
    Ok(Trial {
        decided_by,
        engine: report.time,
        checker,
        certificate,
        confirmed,
        tried: String::new(),
    })
}
