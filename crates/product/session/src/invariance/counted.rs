//! Threads with finite data, decided by counting those that stand at the same place.
//!
//! This comes before induction in `ser check`, because it needs no help; `ser prove` does without.
//! Whoever asks `deadlock` is answered here alone.

use super::words::sets;
use super::{Checked, Found, Inferred, Shown, rejected};
use crate::method::{self, Context, checking_limits};
use ser_base::{Limits, Stop};
use ser_invariance_checker::{Certificate, How, Verdict as Accepted, check, witness};
use ser_invariance_search::answer::{Refutation, Verdict, Wrong};
use ser_invariance_search::crowd::{Counted, Deadlock, Decided, Undecided, deadlock, decide};
use ser_invariance_search::prove::{Judged, Rule, Safety};
use ser_report::text::count;
use ser_report::{
    Answer, Block, Finding, Level, Method, Proof, Question, Report, Rule as Broken, Section,
    Source, Unknown, Violation,
};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::InvId;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Induction may work where counting does not come to an end, so it must not take all of the time.
const MOST: Duration = Duration::from_secs(20);

/// What is found by counting; or why nothing was.
pub(super) fn proved(source: &Source, system: &System, limits: &Limits) -> Result<Found, String> {
    let start = Instant::now();
    let short = limits.parts_of_time(1, 2).at_most(MOST);
    let decided = decide(&source.text, system, &short).map_err(|why| words(&why))?;
    let time = start.elapsed();
    let Decided { proved, safe, refuted, proof, run, counted } = decided;
    let verdict = match refuted.is_empty() {
        true => Verdict::Proved,
        false => Verdict::Refuted(refuted.clone()),
    };
    let (certificate, besides) = match run {
        Some(run) => (Some(run), proof),
        None => (proof, None),
    };
    let judged = |invariant| Judged {
        invariant,
        rule: Rule::Basic,
        conditions: Vec::new(),
        how: How::Follows(Vec::new()),
        proved: proved.contains(&invariant),
        time: Duration::ZERO,
    };
    let mut checked = bare(source, system, verdict);
    checked.invariants = (0..system.invariants.len() as u32).map(InvId).map(judged).collect();
    checked.safety = Safety { proved: safe, time, ..Safety::default() };
    checked.certificate = certificate;
    checked.counted = Some(counted);
    let limits = checking_limits(limits);
    let accepted = |it: &Option<Certificate>| it.as_ref().map(|it| check(it, &limits)).transpose();
    match accepted(&checked.certificate).and_then(|it| Ok((it, accepted(&besides)?))) {
        Ok(both) => (checked.accepted, checked.besides) = both,
        Err(rejection) => return Ok(rejected(&rejection)),
    }
    if !checked.fits() {
        return Ok(Found::Rejected("the certificate shows something else".to_owned()));
    }
    match super::runs(source, system, &refuted, &limits) {
        Ok(runs) => checked.runs = runs,
        Err(rejection) => return Ok(rejected(&rejection)),
    }
    Ok(Found::Answer(Box::new(checked)))
}

/// An answer without what comes from induction.
fn bare(source: &Source, system: &System, verdict: Verdict) -> Checked {
    Checked {
        source: source.clone(),
        system: system.clone(),
        verdict,
        invariants: Vec::new(),
        safety: Safety::default(),
        counter_models: Vec::new(),
        runs: Vec::new(),
        explored: Vec::new(),
        unreached: Vec::new(),
        anchors: Vec::new(),
        certificate: None,
        accepted: None,
        besides: None,
        inferred: None::<Inferred>,
        drafts: BTreeMap::new(),
        counted: None,
        uncounted: None,
    }
}

/// Why nothing was found by counting, in words.
fn words(why: &Undecided) -> String {
    match why {
        Undecided::Unsuited(what) | Undecided::Other(what) => what.clone(),
        Undecided::Stopped(Stop::States { limit }) => {
            format!("there are more than {} states to list", ser_report::text::grouped(*limit))
        }
        Undecided::Stopped(stop) => stop.to_string(),
    }
}

/// The report about `deadlock`, if it is asked.
pub(super) fn waiting(
    source: &Arc<Source>,
    system: &System,
    context: &Context<'_>,
) -> Option<Report> {
    let span = system.deadlock?;
    let start = Instant::now();
    (context.progress)("counting threads that wait".to_owned());
    let question = Question {
        method: Method::Deadlock,
        name: None,
        text: Some("deadlock".to_owned()),
        span: Some(span),
    };
    let new = |answer| Report::new(&source.name, question.clone(), answer);
    let limits = checking_limits(context.limits);
    let mut report = match deadlock(&source.text, system, context.limits) {
        Err(Undecided::Stopped(
            stop @ (Stop::Time { .. } | Stop::Cancelled | Stop::Memory { .. }),
        )) => new(Answer::Unknown(method::stopped(&stop))),
        Err(why) => new(Answer::Unknown(Unknown {
            reason: "whether a thread can wait forever was not found out".to_owned(),
            tried: vec![format!("counting threads: {}", words(&why))],
            help: vec![
                "give numbers small ranges, and keep threads in shared variables".to_owned(),
            ],
            ..Unknown::default()
        })),
        Ok(Deadlock::Free(certificate, Counted { boxes, .. })) => {
            match check(&certificate, &limits) {
                Ok(Accepted::Finishing { ends, .. }) => {
                    let checked = format!("{}, and {} to the end", sets(boxes), count(ends, "way"));
                    let mut report = new(Answer::Holds(Proof {
                        method: "counting".to_owned(),
                        why: "from every state, every thread can come to the end of its round"
                            .to_owned(),
                        points: Vec::new(),
                        checked: Some(checked),
                    }));
                    report.meaning = free(system);
                    report.sections.push(Section::of([Block::Text(report.meaning.clone())]));
                    report.certificate = written(&certificate);
                    report
                }
                other => new(withheld(other.map(drop))),
            }
        }
        Ok(Deadlock::Waits { certificate, run, thread }) => {
            let shown = check(&certificate, &limits)
                .and_then(|_| witness(&source.text, system, &run, &limits));
            match shown {
                Ok(witness) => {
                    let refutation = Refutation { run: *run, what: Wrong::Waits(thread) };
                    let shown = Shown { refutation, witness };
                    let mut report = waits(source, system, shown);
                    report.question = question.clone();
                    report.certificate = written(&certificate);
                    report
                }
                Err(rejection) => new(withheld(Err(rejection))),
            }
        }
    };
    report.source = Some(Arc::clone(source));
    report.timing.total = start.elapsed();
    Some(report)
}

fn written(certificate: &Certificate) -> Option<String> {
    Some(serde_json::to_string(certificate).ok()? + "\n")
}

/// The checker has not accepted what was found.
fn withheld(why: Result<(), ser_invariance_checker::Rejection>) -> Answer {
    match why {
        Ok(()) => Answer::Withheld("the certificate shows something else".to_owned()),
        Err(rejection) => match rejected(&rejection) {
            Found::Stopped(stop) => Answer::Unknown(method::stopped(&stop)),
            Found::Unchecked(words) => Answer::Unknown(method::unchecked(&words)),
            _ => Answer::Withheld(rejection.to_string()),
        },
    }
}

/// What it means that nobody has to wait forever.
fn free(system: &System) -> String {
    let come = match system.threads {
        None => "; perhaps only after others have come",
        Some(_) => "",
    };
    format!(
        "Whatever has happened, every thread can still come to its end, or to the end of the round of \
         its `loop`{come}."
    )
}

/// The report about a run after which a thread waits forever.
fn waits(source: &Arc<Source>, system: &System, shown: Shown) -> Report {
    let mut checked = bare(source, system, Verdict::Refuted(vec![shown.refutation.clone()]));
    checked.runs.push(shown);
    let runs: Vec<_> =
        checked.runs.iter().map(|it| super::tell::run(source, &checked, it)).collect();
    let steps = checked.runs.iter().map(|it| it.witness.steps.len()).sum();
    let words = format!("a run of {}, and that nobody can help", count(steps, "step"));
    let answer = Answer::Violated(Violation { runs, checked: Some(words) });
    let mut report = Report::new(&source.name, Question::of(Method::Deadlock), answer);
    for (number, shown) in checked.runs.iter().enumerate() {
        let remark = super::run::run_remark(&checked, shown);
        report.findings.push(Finding {
            run: Some(number),
            ..Finding::of(Broken::Deadlock, Level::Error, &remark)
        });
        let mut blocks = vec![Block::Snippet { diagnostic: remark, other: None }];
        blocks.extend(super::tell::run_blocks(&checked, shown, number));
        report.sections.push(Section::of(blocks));
    }
    report
}
