//! A run as a code flow.

use super::located;
use ser_report::run::{Run, Step, Value as Shared};
use ser_report::{Report, text::count};
use ser_syntax::Span;
use serde_json::{Map, Value, json};

/// At most so many shared values are listed with a step.
const MAX_STATE: usize = 40;

pub fn code_flow(report: &Report, run: &Run) -> Value {
    let locations: Vec<Value> =
        run.steps.iter().enumerate().map(|(at, step)| location(report, run, at, step)).collect();
    let mut message = format!("{} in {}", run.title, count(run.steps.len(), "step"));
    if run.lanes.len() > 1 {
        message += ", indented by who takes them";
    }
    for words in &run.ends {
        message += &format!(". {words}");
    }
    json!({
        "message": { "text": message },
        "threadFlows": [{ "initialState": state(run, &run.start), "locations": locations }],
    })
}

fn location(report: &Report, run: &Run, at: usize, step: &Step) -> Value {
    // A place is in one file.
    let file = step.lines.first().and_then(|first| first.line.file.as_ref());
    let here = step.lines.iter().filter(|it| it.line.file.as_ref() == file);
    let span = here.map(|line| line.span).reduce(Span::to);
    let text = format!("step {}: {}", at + 1, run.sentence(step, report.source.as_deref()));
    let mut location = located(report, span, &text);
    if let Some(lane) = run.lanes.get(step.lane) {
        location["logicalLocations"] = json!([{ "name": lane.label, "kind": "function" }]);
    }
    let is_essential = step.end.is_some() || !step.meanwhile.is_empty();
    json!({
        "location": location,
        "executionOrder": at + 1,
        "nestingLevel": step.lane,
        "importance": if is_essential { "essential" } else { "important" },
        "state": state(run, &step.after),
    })
}

fn state(run: &Run, values: &[Shared]) -> Value {
    let values = run.columns.iter().zip(values).take(MAX_STATE);
    let entries = values.map(|(name, value)| (name.clone(), json!({ "text": value.to_string() })));
    Value::Object(entries.collect::<Map<String, Value>>())
}
