//! Causes in words.

use super::responses;
use crate::serializability::causes::{Causes, Order, OrderedAccess, PauseBlame, Race};
use ser_base::Line;
use ser_model::NetworkSystem;
use ser_report::text::and;

/// Which responses contradict each other, if that is less than the whole outcome of `requests`
/// requests.
pub fn contradiction(system: &NetworkSystem, causes: &Causes, requests: usize) -> Option<String> {
    let count: u32 = causes.contradiction.iter().map(|(_, n)| n).sum();
    if count == 0 || count as usize >= requests {
        return None;
    }
    let words = responses(system, &causes.contradiction).join(" and ");
    Some(match count {
        1 => format!("{words}: no serial run of these requests has this response"),
        _ => format!("{words}: no serial run of these requests has these responses together"),
    })
}

/// Why one request comes before another.
pub fn order(system: &NetworkSystem, order: &Order) -> String {
    let Order { first, second, variable, earlier, later } = order;
    let name = &system.variables()[variable.index()].name;
    let (a, b) = (at(earlier), at(later));
    let reason = match (earlier.writes, later.writes) {
        (false, _) => format!("#{first} reads {name} ({a}) before #{second} writes it ({b})"),
        (true, false) => format!("#{second} reads {name} ({b}) after #{first} wrote it ({a})"),
        (true, true) => format!("#{second} overwrites {name} ({b}), which #{first} wrote ({a})"),
    };
    format!("{reason}, so #{first} comes before #{second}")
}

fn at(access: &OrderedAccess) -> String {
    match &access.line {
        Some(line) => format!("line {line}"),
        None => format!("step {}", access.step + 1),
    }
}

/// What is known about a yield point: `line 21 of increment: ...`.
pub fn pause(pause: &PauseBlame) -> String {
    let column = pause.column.map(|column| format!(", column {column},")).unwrap_or_default();
    let mut words = format!("line {}{column} of `{}`", pause.line, pause.handler);
    if !pause.races.is_empty() {
        words += &format!(": meanwhile {}", races(pause));
    }
    match verdict(pause) {
        Some(verdict) => format!("{words}. {verdict}"),
        None => words,
    }
}

/// `races with line 7 (X)`; nothing if nothing got in the way.
pub fn races_in_short(pause: &PauseBlame) -> Option<String> {
    const SHOWN: usize = 2;
    let told: Vec<String> = pause
        .races
        .iter()
        .take(SHOWN)
        .map(|race| format!("line {} ({})", race.line, race.variables.join(", ")))
        .collect();
    let more = match pause.races.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    (!told.is_empty()).then(|| format!("races with {}{more}", told.join(", ")))
}

/// At most this many groups of lines are shown.
const MAX_RACES: usize = 3;

/// `line 23 of `take` touches Count`.
pub fn races(pause: &PauseBlame) -> String {
    // Lines that touch the same variables are grouped, in the order of the source.
    let mut groups: Vec<(&Race, Vec<&Line>)> = Vec::new();
    for race in &pause.races {
        let same = |(r, _): &&mut (&Race, Vec<&Line>)| {
            r.handler == race.handler && r.variables == race.variables
        };
        match groups.iter_mut().find(same) {
            Some((_, lines)) => lines.push(&race.line),
            None => groups.push((race, vec![&race.line])),
        }
    }
    let mut told: Vec<String> = groups
        .iter()
        .take(MAX_RACES)
        .map(|(race, lines)| {
            let plural = lines.len() > 1;
            let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
            format!(
                "{} {} of `{}` {} {}",
                if plural { "lines" } else { "line" },
                and(&lines),
                race.handler,
                if plural { "touch" } else { "touches" },
                and(&race.variables),
            )
        })
        .collect();
    let more: usize = groups.iter().skip(MAX_RACES).map(|(_, lines)| lines.len()).sum();
    match more {
        0 => {}
        1 => told.push("1 more line does the same".to_owned()),
        n => told.push(format!("{n} more lines do the same")),
    }
    told.join(", and ")
}

/// What becomes of the program without the yield point, or with no other.
pub fn verdict(pause: &PauseBlame) -> Option<String> {
    let alone = if pause.others_wait { "alone (besides those that wait)" } else { "alone" };
    Some(match (pause.removal_repairs, pause.enough_alone) {
        (Some(true), Some(true)) => format!(
            "This `yield` {alone} breaks the program: without it, the program is serializable"
        ),
        (Some(true), _) => "Without this `yield`, the program is serializable".to_owned(),
        (Some(false), Some(true)) => format!(
            "This `yield` {alone} is enough to break the program, but others break it as well"
        ),
        (Some(false), Some(false)) => {
            "It takes other yield points as well to break the program".to_owned()
        }
        (Some(false), None) => "Without this `yield`, the program breaks as well".to_owned(),
        (None, Some(true)) => format!("This `yield` {alone} is enough to break the program"),
        (None, _) => return None,
    })
}
