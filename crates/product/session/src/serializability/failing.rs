//! The second question that a program may ask: can something fail?
//!
//! It is asked of programs with assertions, ranges, indices or divisions. A step in which something
//! fails does not happen, so the first question is answered as if nothing failed; this one says
//! whether that is so.

use crate::method::Context;
use crate::run::run_of;
use crate::shown::Shown;
use crate::source::Model;
use crate::trace::trace_shown;
use ser_base::Limits;
use ser_model::{ExploreError, Failing, Failure, ProgramModel};
use ser_report::{
    Answer, Block, Finding, Kind, Level, Method, Proof, Question, Report, Rule, Section, Source,
    Unknown, Violation,
};
use ser_serializability_search::{Event, Run};
use ser_syntax::core::{Expr, ExprKind, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

/// The report about what can fail; nothing if a source has nothing that could.
pub(super) fn report(source: &Arc<Source>, context: &Context<'_>) -> Option<Report> {
    if source.kind != Kind::Program {
        return None;
    }
    let program = crate::source::program(source).ok()?.program;
    if !may_fail(&program) {
        return None;
    }
    let start = Instant::now();
    (context.progress)("looking for failures".to_owned());
    let (answer, last) = answer(source, &program, context.limits);
    let mut report = Report::new(&source.name, Question::of(Method::Assertions), answer);
    report.source = Some(Arc::clone(source));
    report.meaning = match &report.answer {
        Answer::Holds(_) => "Whatever requests come, no assertion fails, no variable leaves its \
                             range, no index is out of bounds, and nothing is divided by 0."
            .to_owned(),
        _ => String::new(),
    };
    let mut blocks = Vec::new();
    if !report.meaning.is_empty() {
        blocks.push(Block::Text(report.meaning.clone()));
    }
    if let Some((words, finding)) = last {
        blocks.extend(report.answer.run().map(|_| Block::Run(0)));
        blocks.push(Block::Text(words));
        report.findings.push(finding);
    }
    report.sections.push(Section::of(blocks));
    report.timing.total = start.elapsed();
    Some(report)
}

/// Whether something in a program could fail.
fn may_fail(program: &Program) -> bool {
    fn inside(expr: &Expr) -> bool {
        let mut found = matches!(expr.kind, ExprKind::Fail(_));
        expr.for_each_child(&mut |child| found = found || inside(child));
        found
    }
    program.requests.iter().flat_map(|request| &request.body.exprs).any(inside)
}

fn answer(
    source: &Source,
    program: &Program,
    limits: &Limits,
) -> (Answer, Option<(String, Finding)>) {
    let listed = ProgramModel::new(program, &source.text, limits);
    let mut suspects = BTreeSet::new();
    if let Ok(model) = &listed {
        suspects = model.suspects().map(|(_, span)| source.lines.line(span.start)).collect();
        if suspects.is_empty() {
            return (never(model), None);
        }
    }
    match ProgramModel::failing(program, &source.text, limits) {
        Ok(Failing::Run(failure)) => failed(source, *failure),
        Ok(Failing::Open { requests, stop }) => {
            // The listing may have more states than runs reach.
            let exact = match stop {
                None => ProgramModel::exact(program, &source.text, limits).ok(),
                Some(_) => None,
            };
            if let Some(model) = exact.filter(|model| model.suspects().next().is_none()) {
                return (never(&model), None);
            }
            let mut tried = vec![format!("runs of up to {requests} requests: nothing fails")];
            if let Err(error) = &listed {
                tried.push(format!("listing all states: {error}"));
            } else {
                let lines: Vec<String> = suspects.iter().map(u32::to_string).collect();
                tried.push(format!(
                    "listing all states: something might fail on line {}",
                    lines.join(", ")
                ));
            }
            tried.extend(stop.map(|stop| stop.to_string()));
            (
                unknown(
                    "no run in which something fails was found, and no proof that there is none",
                    tried,
                ),
                None,
            )
        }
        Err(error) => {
            (unknown("the states of this program cannot be explored", vec![said(&error)]), None)
        }
    }
}

/// Nothing fails in any of these states.
fn never(model: &ProgramModel) -> Answer {
    let (globals, locals) = (model.system().globals().len(), model.system().local_count());
    Answer::Holds(Proof {
        method: "listing".to_owned(),
        checked: Some(format!(
            "none of the {globals} global and {locals} local states leads to a failure"
        )),
        ..Proof::default()
    })
}

fn said(error: &ExploreError) -> String {
    error.to_string()
}

fn unknown(reason: &str, tried: Vec<String>) -> Answer {
    let help = vec!["make ranges smaller, or give it more time with --timeout".to_owned()];
    Answer::Unknown(Unknown { reason: reason.to_owned(), tried, help, ..Unknown::default() })
}

/// A run that ends where something fails.
fn failed(source: &Source, failure: Failure) -> (Answer, Option<(String, Finding)>) {
    let Failure { model, requests, steps, request, fault, span } = failure;
    let system = model.system();
    let id = |label: &String| {
        let place = system.requests().iter().position(|known| known == label);
        ser_model::RequestId::from_index(place.unwrap_or(0))
    };
    let mut events = Vec::new();
    let mut arrived = BTreeSet::new();
    for (index, step) in &steps {
        let number = *index as u32 + 1;
        if arrived.insert(number) {
            let request = requests.get(*index).map_or(ser_model::RequestId(0), id);
            events.push(Event::Arrive { number, request, local: step.from });
        }
        events.push(Event::Step { number, step: *step });
        if let Some(response) = system.replies_of(step.to).next() {
            events.push(Event::Respond { number, response });
        }
    }
    let shown = Shown::new(system, &BTreeMap::new(), false);
    let line = source.lines.line(span.start);
    let name = requests.get(request).cloned().unwrap_or_default();
    let who = format!("#{} {name}", request + 1);
    let comes = if arrived.contains(&(request as u32 + 1)) { "goes on" } else { "comes" };
    let words = match steps.is_empty() {
        true => format!("Right at the start {who} comes, and on line {line} {fault}."),
        false => format!("Then {who} {comes}, and on line {line} {fault}."),
    };
    let checked = Some(format!(
        "a run of {} in {} leads to the failure",
        counted(requests.len(), "request"),
        counted(steps.len(), "step")
    ));
    let model = Model::Program(Box::new(model.clone()));
    let steps = trace_shown(source, &model, &Run { events }, &shown);
    let run = run_of(Some(&source.lines), model.system(), &shown, None, true, &steps);
    let runs = if steps.is_empty() { Vec::new() } else { vec![run] };
    let finding = Finding {
        rule: Rule::Fails,
        level: Level::Error,
        message: words.clone(),
        span: Some(span),
        related: Vec::new(),
        run: (!steps.is_empty()).then_some(0),
        identity: vec![fault.to_string()],
    };
    (Answer::Violated(Violation { runs, checked }), Some((words, finding)))
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
