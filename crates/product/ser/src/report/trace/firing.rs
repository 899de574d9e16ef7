//! Runs of unwindings: the events one after the other, with their values and tokens.

use crate::report::human::{FAINT, STRONG, paint, paragraph};
use ser_reachability_search::{ArcKind, Execution, Marking, Net, PlaceId, Step, Token};
use ser_session::words::{count, visible};
use std::fmt::Write as _;

/// Longer sequences are shown by their beginning and end.
const MAX_EVENTS: usize = 60;

/// The events and the tokens that are left.
pub fn human(out: &mut String, net: &Net, execution: &Execution, residual: &Marking, width: usize) {
    let steps = &execution.steps;
    let _ = writeln!(out, "  {}, one after the other:\n", count(steps.len(), "event"));
    let rows: Vec<[String; 3]> = steps.iter().map(|step| row(net, step)).collect();
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).min(40)
    };
    let (names, values) = (widest(0), widest(1));
    let skip = match rows.len() > MAX_EVENTS {
        true => MAX_EVENTS / 2..rows.len() - MAX_EVENTS / 2,
        false => rows.len()..rows.len(),
    };
    for (index, [name, binding, tokens]) in rows.iter().enumerate() {
        if index == skip.start {
            let words = format!(
                "    ... {} more; --format json shows all of them ...",
                count(skip.len(), "event")
            );
            let _ = writeln!(out, "{}", paint(FAINT, words));
        }
        if skip.contains(&index) {
            continue;
        }
        let padding = " ".repeat(names.saturating_sub(name.chars().count()));
        let gap = if values == 0 { "" } else { "  " };
        let _ = writeln!(
            out,
            "{:>5}  {}{padding}{gap}{binding:values$}  {tokens}",
            index + 1,
            paint(STRONG, name),
        );
    }
    let left = tokens_left(net, residual);
    let words = match left.is_empty() {
        true => "There are no tokens left then.".to_owned(),
        false => format!("The tokens then: {}.", left.join(", ")),
    };
    let _ = writeln!(out);
    paragraph(out, "", &words, width);
}

/// Name, values of variables, and what happens to tokens.
fn row(net: &Net, step: &Step) -> [String; 3] {
    let name = visible(&net.transition(step.transition).name);
    let binding = binding(net, step).into_iter().map(|(name, value)| format!("{name}={value}"));
    let binding: Vec<String> = binding.collect();
    let kinds = [(ArcKind::Input, "takes"), (ArcKind::Test, "looks at"), (ArcKind::Output, "puts")];
    let mut tokens = Vec::new();
    for (kind, verb) in kinds {
        let words: Vec<String> = net
            .arcs_of(step.transition, kind)
            .map(|arc| net.arc(arc))
            .map(|arc| token(net, arc.place, &step.token(net, arc).unwrap_or_default()))
            .collect();
        if !words.is_empty() {
            tokens.push(format!("{verb} {}", words.join(", ")));
        }
    }
    [name, binding.join(" "), tokens.join("; ")]
}

/// The variables of an event that have names, with their values.
pub fn binding(net: &Net, step: &Step) -> Vec<(String, i64)> {
    let name = |v: &ser_reachability_search::VariableId| {
        net.variables.get(v.index()).map(|v| visible(&v.name))
    };
    step.binding.iter().filter_map(|(v, value)| Some((name(v)?, *value))).collect()
}

/// `px(2)`, `pg0`.
pub fn token(net: &Net, place: PlaceId, token: &Token) -> String {
    let name = visible(&net.place(place).name);
    let values: Vec<String> = token.iter().map(i64::to_string).collect();
    if values.is_empty() { name } else { format!("{name}({})", values.join(", ")) }
}

/// The tokens of a marking, in the order of the places.
pub fn tokens_left(net: &Net, marking: &Marking) -> Vec<String> {
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
