//! The serial outcomes: a semilinear set, in words.

use super::{Request, Trouble, pretty};
use crate::cli::ShowFormat;
use ser_arith::{Limits, Outcomes, TooLarge};
use ser_model::NetworkSystem;
use ser_net::{Outcome, PaperNet, SerialAutomaton};
use ser_report::text::count;
use ser_serializability_search::serial_outcomes;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// The serial outcomes, with what their coordinates count.
pub struct Serial {
    /// Coordinate `i` counts this.
    pub letters: Vec<Outcome>,
    /// The set.
    pub outcomes: Outcomes,
}

/// Larger sets are of no use.
const MAX_COMPONENTS: usize = 2_000;

/// Builds the set.
pub fn serial(request: &Request<'_>, system: &NetworkSystem) -> Result<Serial, Trouble> {
    let automaton = SerialAutomaton::new(system, request.limits)?;
    let letters = PaperNet::new(system, request.limits)?.sinks;
    let limits =
        Limits { components: MAX_COMPONENTS, clock: request.limits.clone(), ..Limits::default() };
    let options = request.args.engine.without.outcomes();
    let outcomes = serial_outcomes(&automaton, &letters, options, &limits);
    let outcomes = outcomes.map_err(|error| match (error, request.limits.check_clock()) {
        (TooLarge::Stopped, Err(stop)) => Trouble::from(stop),
        (error, _) => {
            let help = "the other stages, and `ser check`, do not need this set";
            Trouble::Nothing(error.to_string(), vec![help.to_owned()])
        }
    })?;
    Ok(Serial { letters, outcomes })
}

pub fn show(request: &Request<'_>, system: &NetworkSystem) -> Result<String, Trouble> {
    let serial = serial(request, system)?;
    Ok(match request.format {
        ShowFormat::Json => pretty(to_json(system, &serial)),
        _ => text(system, &serial),
    })
}

/// `2 main/0 + main/1`.
fn sum(system: &NetworkSystem, letters: &[Outcome], counts: &[i64]) -> String {
    let terms: Vec<String> = letters
        .iter()
        .zip(counts)
        .filter(|(_, n)| **n != 0)
        .map(|(o, n)| match n {
            1 => o.name(system),
            n => format!("{n} {}", o.name(system)),
        })
        .collect();
    if terms.is_empty() { "nothing".to_owned() } else { terms.join(" + ") }
}

fn text(system: &NetworkSystem, serial: &Serial) -> String {
    let Serial { letters, outcomes } = serial;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "What requests can respond if they run one after the other: {}.",
        count(outcomes.maximal.len(), "component")
    );
    let components = outcomes.maximal.iter().filter_map(|at| outcomes.components.get(*at));
    for (at, component) in components.enumerate() {
        let _ = writeln!(out, "\n{}. {}", at + 1, sum(system, letters, &component.base));
        for period in &component.periods {
            let _ = writeln!(out, "   and any number of times: {}", sum(system, letters, period));
        }
    }
    out
}

fn to_json(system: &NetworkSystem, serial: &Serial) -> Value {
    let Serial { letters, outcomes } = serial;
    let counts = |counts: &[i64]| -> Value {
        let terms = letters.iter().zip(counts).filter(|(_, n)| **n != 0);
        Value::Object(terms.map(|(o, n)| (o.name(system), json!(n))).collect::<Map<_, _>>())
    };
    let components: Vec<Value> = outcomes
        .maximal
        .iter()
        .filter_map(|at| outcomes.components.get(*at))
        .map(|c| {
            let periods: Vec<Value> = c.periods.iter().map(|p| counts(p)).collect();
            json!({"base": counts(&c.base), "periods": periods})
        })
        .collect();
    let names: Vec<String> = letters.iter().map(|o| o.name(system)).collect();
    json!({"letters": names, "components": components})
}
