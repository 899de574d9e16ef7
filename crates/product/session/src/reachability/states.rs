//! What event tracing does not answer about processes: who waits forever, what can fail, conditions
//! with more than operators, and goals that it has no answer for. The method that lists states
//! does, where there are few.

use super::Question;
use crate::method::Context;
use crate::serializability::claims;
use ser_reachability_search::{Bound, Method};
use ser_report::{Answer, Report, Source};
use ser_serializability_checker::Asked;
use std::sync::Arc;

/// The reports about all that a file asks, in its order, with those about goals by number.
pub(super) fn completed(
    source: &Arc<Source>,
    question: &Question,
    reports: Vec<(usize, Report)>,
    context: &Context<'_>,
) -> Vec<Report> {
    let program = ser_syntax::parse_processes(&source.text).program;
    let is_unknown = |report: &Report| matches!(report.answer, Answer::Unknown(_));
    // Whoever bounds the search wants to know what is within the bound.
    let search = &question.search;
    let goes_on = search.bound == Bound::Expand
        && search.method == Method::Events
        && context.limits.check_clock().is_ok();
    let mut asked = Vec::new();
    asked.extend(program.may_fail().then_some(Asked::Failures));
    for number in 0..program.questions.len() {
        let known = reports.iter().find(|(known, _)| *known == number);
        if known.is_none_or(|(_, report)| goes_on && is_unknown(report)) {
            asked.push(Asked::Question(number as u32));
        }
    }
    if asked.is_empty() {
        return reports.into_iter().map(|(_, report)| report).collect();
    }
    // What is about the source is said once, with the first of them.
    let (mut reports, mut warnings) = (reports, Vec::new());
    for (_, report) in &mut reports {
        warnings.append(&mut report.warnings);
    }
    let mut all: Vec<(Option<usize>, Report)> =
        reports.into_iter().map(|(number, report)| (Some(number), report)).collect();
    let found = claims::of_processes(source, &program, &asked, context);
    for (asked, report) in asked.into_iter().zip(found) {
        let number = match asked {
            Asked::Failures => None,
            Asked::Question(number) => Some(number as usize),
        };
        match all.iter_mut().find(|(known, _)| *known == number) {
            // Both do not know: what was tried first says more.
            Some((_, before)) => match (&mut before.answer, &report.answer) {
                (Answer::Unknown(before), Answer::Unknown(now)) => {
                    before.tried.extend(now.tried.iter().cloned());
                }
                _ => *before = report,
            },
            None => all.push((number, report)),
        }
    }
    all.sort_by_key(|(number, _)| *number);
    let mut reports: Vec<Report> = all.into_iter().map(|(_, report)| report).collect();
    if let Some(first) = reports.first_mut() {
        first.warnings = warnings;
    }
    reports
}
