//! The steps of a run as data for the script: where each lane stands and what changes.

use super::run::{Figure, has_participants, name_parts};
use ser_report::run::{End, Run, Stand, Step};
use ser_report::text::visible;
use serde_json::{Value, json};

/// With more columns, only those that the run touches are shown.
const MAX_COLUMNS: usize = 60;

/// The run: columns, lanes, and steps that say what changes.
pub fn data(figure: &Figure<'_>) -> Value {
    let run = figure.run;
    let shown = shown_columns(run);
    let column = |at: &usize| {
        let value = run.start.get(*at).map_or(String::new(), ToString::to_string);
        json!({ "name": visible(&run.columns[*at]), "value": visible(&value) })
    };
    let lanes = run.lanes.iter().filter(|_| has_participants(figure.source));
    let lanes = lanes.enumerate().map(|(at, lane)| {
        let (short, rest) = name_parts(lane);
        let first = run.steps.iter().find(|step| step.lane == at);
        let arrives = first.is_some_and(|step| step.arrives);
        json!({ "short": visible(short), "name": visible(rest), "arrives": arrives })
    });
    let steps = run.steps.iter().enumerate();
    json!({
        "suffix": figure.suffix,
        "columns": shown.iter().map(column).collect::<Vec<_>>(),
        "left_out": run.columns.len() - shown.len(),
        "lanes": lanes.collect::<Vec<_>>(),
        "steps": steps.map(|(at, it)| step(figure, &shown, at, it)).collect::<Vec<_>>(),
    })
}

fn step(figure: &Figure<'_>, shown: &[usize], at: usize, step: &Step) -> Value {
    let Figure { run, source, .. } = *figure;
    let before = run.before(at);
    let changes = shown.iter().enumerate().filter_map(|(place, column)| {
        let value = step.after.get(*column)?;
        let changed = before.get(*column) != Some(value);
        changed.then(|| json!([place, visible(&value.to_string())]))
    });
    let mut entry = json!({
        "lane": step.lane,
        "lines": step.lines.iter().map(|line| &line.line).collect::<Vec<_>>(),
        "changes": changes.collect::<Vec<_>>(),
        "say": visible(&run.sentence(step, source)),
    });
    if let Some(end) = &step.end {
        entry["end"] = json!(match end {
            End::Responds(response) => format!("responded {}", visible(response)),
            End::Aborts(response) => match response.as_str() {
                "abort" => "aborted".to_owned(),
                _ => format!("responded {}, which does not count", visible(response)),
            },
            End::Ends => "ended".to_owned(),
            End::Fails(why) => format!("failed: {}", visible(why)),
        });
    }
    if let Some(Stand { next, locals }) = &step.stands {
        let line = next.zip(source).map(|(span, source)| source.lines.line(span.start));
        entry["stands"] = match (line, &step.local) {
            (Some(line), _) => json!({ "line": line }),
            (None, Some((_, after))) => json!({ "state": visible(after) }),
            (None, None) => json!({}),
        };
        let locals = locals.iter();
        entry["locals"] =
            locals.map(|(name, it)| json!([visible(name), visible(&it.to_string())])).collect();
    }
    entry
}

/// The columns to show: all, or those that the run touches.
fn shown_columns(run: &Run) -> Vec<usize> {
    let all = 0..run.columns.len();
    if run.columns.len() <= MAX_COLUMNS {
        return all.collect();
    }
    let is_touched = |at: &usize| {
        let name = &run.columns[*at];
        let mut accesses = run.steps.iter().flat_map(|step| step.reads.iter().chain(&step.writes));
        accesses.any(|(other, _)| other == name)
            || run.steps.iter().any(|step| step.after.get(*at) != run.start.get(*at))
    };
    all.filter(is_touched).take(MAX_COLUMNS * 5).collect()
}
