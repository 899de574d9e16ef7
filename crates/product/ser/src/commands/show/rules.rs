//! The rules of a program, and the commit points of its requests: what is used where global states
//! are too many to list.

use super::{Request, Trouble, pretty};
use crate::cli::ShowFormat;
use ser_model::{Footprint, LocalId, NetworkSystem, RuleSystem, VariableId, program_rules};
use ser_net::{Effects, PlaceId, RuleNet, find_effects};
use ser_report::text::count;
use ser_session::source::Source;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;

pub fn show(request: &Request<'_>) -> Result<String, Trouble> {
    let Request { args, format, source, limits } = *request;
    let program = ser_session::source::program(source).map_err(Trouble::Source)?.program;
    let rules = program_rules(&program, &source.text, limits).map_err(Trouble::TooLarge)?;
    let net = RuleNet::new(&rules, limits)?;
    let arguments = args.engine.without.rules().arguments();
    let effects = find_effects(&net, arguments, limits)?;
    Ok(match format {
        ShowFormat::Json => pretty(to_json(&rules, &effects)),
        _ => text(source, &rules, &effects),
    })
}

/// What is known about a yield point.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pause {
    Gone,
    Before,
    After,
    Stuck,
    /// Of a reader.
    Reads,
}

impl Pause {
    fn of(effects: &Effects, used: &BTreeSet<PlaceId>, place: PlaceId) -> Pause {
        if !used.contains(&place) {
            Pause::Gone
        } else if effects.is_of_reader(place) {
            Pause::Reads
        } else if effects.stuck.contains(&place) {
            Pause::Stuck
        } else if effects.after.contains(&place) {
            Pause::After
        } else {
            Pause::Before
        }
    }

    fn words(self) -> &'static str {
        match self {
            Pause::Gone => "only waiting, or on no complete run",
            Pause::Before => "before the commit point",
            Pause::After => "after the commit point",
            Pause::Reads => "what is read was there at one moment of some serial order",
            Pause::Stuck => "may matter: the next step cannot always be brought forward",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Pause::Gone => "gone",
            Pause::Before => "before",
            Pause::After => "after",
            Pause::Reads => "reads",
            Pause::Stuck => "stuck",
        }
    }
}

/// Each place with its request and what is known of it.
fn pauses<'a>(
    frame: &'a NetworkSystem,
    effects: &'a Effects,
) -> impl Iterator<Item = (&'a str, LocalId, Pause)> + 'a {
    let used: BTreeSet<PlaceId> =
        effects.net.transitions.iter().filter_map(|t| t.gives()).collect();
    effects.net.places.iter().enumerate().map(move |(i, (request, local))| {
        let pause = Pause::of(effects, &used, PlaceId(i as u32));
        (frame.request_name(*request), *local, pause)
    })
}

fn values(frame: &NetworkSystem, list: &[(VariableId, i64)], sign: &str) -> String {
    let one = |(v, x): &(VariableId, i64)| {
        format!("{} {sign} {}", frame.variables()[v.index()].name, frame.value_name(*v, *x))
    };
    list.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn text(source: &Source, rules: &RuleSystem, effects: &Effects) -> String {
    let frame = rules.frame();
    let mut out = String::new();
    let _ = writeln!(out, "{}:\n", count(rules.rules().len(), "rule"));
    for rule in rules.rules() {
        let Footprint { reads, writes } = &rule.footprint;
        let mut line = format!("  {}", frame.local_name(rule.from));
        if !reads.is_empty() {
            let _ = write!(line, "  if {}", values(frame, reads, "="));
        }
        if !writes.is_empty() {
            let _ = write!(line, "  then {}", values(frame, writes, ":="));
        }
        let leaves = if rules.leaves(rule) { "  (out of range)" } else { "" };
        let _ = writeln!(out, "{line}  ->  {}{leaves}", frame.local_name(rule.to));
    }
    let _ = writeln!(out, "\nvalues:\n");
    for (variable, values) in frame.variables().iter().zip(rules.values()) {
        let shown: Vec<String> = values.iter().map(i64::to_string).collect();
        let _ = writeln!(out, "  {}: {}", variable.name, shown.join(", "));
    }
    let _ = writeln!(out, "\nyield points:\n");
    for (request, local, pause) in pauses(frame, effects) {
        let line = frame.local(local).span.map(|span| source.lines.line(span.start));
        let line = line.unwrap_or_default();
        let name = frame.local_name(local);
        let _ = writeln!(out, "  {request}, line {line}, {name}: {}", pause.words());
    }
    let verdict = if effects.is_proof() && !effects.stuck.is_empty() {
        "What is read was there at one moment of some order: the program is serializable."
    } else if effects.is_proof() {
        "Every yield point is harmless: the program is serializable."
    } else if effects.leaves {
        "Variables may leave the values above, so nothing follows from these rules."
    } else {
        "Some yield points may matter; the rules alone do not decide it."
    };
    let _ = writeln!(out, "\n{verdict}");
    out
}

fn to_json(rules: &RuleSystem, effects: &Effects) -> Value {
    let frame = rules.frame();
    let list = |list: &[(VariableId, i64)]| -> Value {
        let one =
            |(v, x): &(VariableId, i64)| (frame.variables()[v.index()].name.clone(), json!(x));
        Value::Object(list.iter().map(one).collect())
    };
    let rule = |rule: &ser_model::Rule| {
        json!({
            "from": frame.local_name(rule.from),
            "reads": list(&rule.footprint.reads),
            "writes": list(&rule.footprint.writes),
            "to": frame.local_name(rule.to),
            "out_of_range": rules.leaves(rule),
        })
    };
    let pause = |(request, local, pause): (&str, LocalId, Pause)| json!({ "request": request, "local": frame.local_name(local), "pause": pause.name() });
    json!({
        "rules": rules.rules().iter().map(rule).collect::<Vec<_>>(),
        "pauses": pauses(frame, effects).map(pause).collect::<Vec<_>>(),
        "every_pause_is_harmless": effects.is_proof(),
    })
}
