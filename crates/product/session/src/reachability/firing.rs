//! Runs of unwindings: the events one after the other, with their values and tokens.

use ser_reachability_search::{ArcKind, Execution, Marking, Net, PlaceId, Step, Token};
use ser_report::run::{Lane, Step as RunStep};
use ser_report::{Run, Table, Value};
use std::collections::BTreeSet;

/// Longer sequences are shown by their beginning and end.
const MAX_EVENTS: usize = 60;

/// At most so many places have a column.
const MAX_COLUMNS: usize = 20;

/// The kinds of arcs, and the verb for each.
const KINDS: [(ArcKind, &str); 3] =
    [(ArcKind::Input, "takes"), (ArcKind::Test, "tests"), (ArcKind::Output, "puts")];

/// The events with their values and tokens, a row each.
pub fn table(net: &Net, execution: &Execution) -> Table {
    let count = execution.steps.len();
    let skipped = match count > MAX_EVENTS {
        true => MAX_EVENTS / 2..count - MAX_EVENTS / 2,
        false => count..count,
    };
    let mut rows = Vec::new();
    for (index, step) in execution.steps.iter().enumerate() {
        if index == skipped.start {
            let words = format!("{} more; --format json shows all of them", skipped.len());
            rows.push(vec!["...".to_owned(), words]);
        }
        if !skipped.contains(&index) {
            rows.push(vec![
                format!("{:>3}", index + 1),
                net.transition(step.transition).name.clone(),
                values(net, step),
                moves(net, step).join("; "),
            ]);
        }
    }
    // A column without entries needs no room.
    if rows.iter().all(|row| row.get(2).is_none_or(String::is_empty)) {
        rows.iter_mut().filter(|row| row.len() > 2).for_each(|row| {
            row.remove(2);
        });
    }
    Table { header: Vec::new(), rows }
}

/// The events as the steps of a run with one lane.
pub fn run(net: &Net, execution: &Execution) -> Run {
    let mut touched: BTreeSet<PlaceId> = BTreeSet::new();
    for step in &execution.steps {
        let arcs = KINDS.iter().flat_map(|(kind, _)| net.arcs_of(step.transition, *kind));
        touched.extend(arcs.map(|arc| net.arc(arc).place));
    }
    let places: Vec<PlaceId> = touched.into_iter().take(MAX_COLUMNS).collect();
    let content = |marking: &Marking| places.iter().map(|p| content(net, marking, *p)).collect();
    let mut marking = Marking::default();
    let start = content(&marking);
    let mut steps = Vec::new();
    for step in &execution.steps {
        // It has been fired before, so it can be fired.
        marking = marking.fire(net, step).unwrap_or(marking);
        let name = &net.transition(step.transition).name;
        let fires = match values(net, step) {
            values if values.is_empty() => format!("fires {name}"),
            values => format!("fires {name} with {values}"),
        };
        let says = std::iter::once(fires).chain(moves(net, step)).collect();
        steps.push(RunStep { says, after: content(&marking), ..RunStep::default() });
    }
    Run {
        title: "The run".to_owned(),
        lanes: vec![Lane { name: "the net".to_owned(), label: "the net".to_owned() }],
        columns: places.iter().map(|place| net.place(*place).name.clone()).collect(),
        start,
        steps,
        ends: Vec::new(),
    }
}

/// The tokens on a place: their values, or how many they are if they have none.
fn content(net: &Net, marking: &Marking, place: PlaceId) -> Value {
    if net.place(place).colours.is_empty() {
        return Value::Number(i64::try_from(marking.count(place)).unwrap_or(i64::MAX));
    }
    let tokens = marking.tokens(place).flat_map(|(token, n)| std::iter::repeat_n(token, n));
    let value = |token: &Token| match token.as_slice() {
        [number] => Value::Number(*number),
        several => Value::Name(format!("({})", numbers(several))),
    };
    Value::List(tokens.map(value).collect())
}

fn numbers(token: &[i64]) -> String {
    token.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

/// `x=5 y=5`.
fn values(net: &Net, step: &Step) -> String {
    let words = binding(net, step).into_iter().map(|(name, value)| format!("{name}={value}"));
    words.collect::<Vec<_>>().join(" ")
}

/// What happens to tokens: `takes pg0, px(2)`, `puts px(5)`.
fn moves(net: &Net, step: &Step) -> Vec<String> {
    let of = |(kind, verb): &(ArcKind, &str)| {
        let arcs = net.arcs_of(step.transition, *kind).map(|arc| net.arc(arc));
        let words: Vec<String> = arcs
            .map(|arc| token(net, arc.place, &step.token(net, arc).unwrap_or_default()))
            .collect();
        (!words.is_empty()).then(|| format!("{verb} {}", words.join(", ")))
    };
    KINDS.iter().filter_map(of).collect()
}

/// The variables of an event that have names, with their values.
pub fn binding(net: &Net, step: &Step) -> Vec<(String, i64)> {
    let named = step.binding.iter();
    named
        .filter_map(|(v, value)| Some((net.variables.get(v.index())?.name.clone(), *value)))
        .collect()
}

/// `px(2)`, `pg0`.
fn token(net: &Net, place: PlaceId, token: &Token) -> String {
    let name = &net.place(place).name;
    if token.is_empty() { name.clone() } else { format!("{name}({})", numbers(token)) }
}

/// The tokens of a marking, in the order of the places.
pub fn tokens(net: &Net, marking: &Marking) -> Vec<String> {
    let mut words = Vec::new();
    for place in (0..net.places.len()).map(PlaceId::from_index) {
        for (value, number) in marking.tokens(place) {
            let token = token(net, place, value);
            words.push(match number {
                1 => token,
                n => format!("{token} ({n} times)"),
            });
        }
    }
    words
}
