//! One step of an interleaving as a sentence, for reports and editors that tell it step by step.

use crate::source::Source;
use crate::trace::TraceStep;
use ser_model::{NetworkSystem, VariableId};
use ser_report::text::and;

/// At most so many variables of a step are named; a program may read hundreds.
const MAX_NAMED: usize = 8;

/// `#2`, and the label of the request.
pub fn who(system: &NetworkSystem, step: &TraceStep) -> String {
    format!("#{} {}", step.number, system.request_name(step.request))
}

/// `#1 increment arrives, reads Count = 0, and pauses before line 22`.
pub fn step(system: &NetworkSystem, source: Option<&Source>, step: &TraceStep) -> String {
    let mut parts: Vec<String> = Vec::new();
    if step.arrives {
        parts.push("arrives".into());
    }
    if !step.changed_meanwhile.is_empty() {
        let words = step.changed_meanwhile.iter().map(|(v, then, now)| {
            let (name, then, now) =
                (name(system, *v), value(system, *v, *then), value(system, *v, *now));
            format!("{name} changed from {then} to {now}")
        });
        parts.push(format!("finds that {} meanwhile", listed(words.collect())));
    }
    if !step.chooses.is_empty() {
        let words = step.chooses.iter().map(i64::to_string);
        parts.push(format!("chooses {}", listed(words.collect())));
    }
    if !step.reads.is_empty() {
        let words = step
            .reads
            .iter()
            .map(|(v, x)| format!("{} = {}", name(system, *v), value(system, *v, *x)));
        parts.push(format!("reads {}", listed(words.collect())));
    }
    if !step.writes.is_empty() {
        let words = step
            .writes
            .iter()
            .map(|(v, x)| format!("{} := {}", name(system, *v), value(system, *v, *x)));
        parts.push(format!("writes {}", listed(words.collect())));
    }
    match (step.responds, &step.pause) {
        (Some(response), _) => parts.push(format!("responds {}", system.response_name(response))),
        (None, Some(pause)) => parts.push(match (pause.next, source) {
            (Some(span), Some(source)) => {
                format!("pauses before line {}", source.lines.line(span.start))
            }
            _ => match &step.locals {
                Some((_, after)) => format!("pauses in {after}"),
                None => "pauses".into(),
            },
        }),
        (None, None) => {}
    }
    let last = parts.pop().unwrap_or_else(|| "takes a step".into());
    let who = who(system, step);
    match parts.as_slice() {
        [] => format!("{who} {last}"),
        [one] => format!("{who} {one} and {last}"),
        _ => format!("{who} {}, and {last}", parts.join(", ")),
    }
}

fn name(system: &NetworkSystem, variable: VariableId) -> &str {
    system.variables().get(variable.index()).map_or("?", |v| &v.name)
}

fn value(system: &NetworkSystem, variable: VariableId, value: i64) -> String {
    system.value_name(variable, value)
}

/// `a, b and c`; what is too much is counted.
fn listed(mut words: Vec<String>) -> String {
    if words.len() > MAX_NAMED {
        let more = words.len() - MAX_NAMED;
        words.truncate(MAX_NAMED);
        words.push(format!("{more} more"));
    }
    and(&words)
}
