//! Data for programs that only reports about goals have.

use super::firing;
use super::order::Order;
use super::{Answer, Evidence, Reaching};
use ser_reachability_search::{ArcKind, Covered, Execution, Marking, Net, Part, Sizes, Step};
use ser_report::text::grouped;
use serde_json::{Map, Value, json};

/// How far was looked, how large the formula was, and what the proof consists of.
pub fn answer(answer: &Answer) -> Map<String, Value> {
    let mut object = Map::new();
    let covered = match &answer.covered {
        Covered::All => Some(json!("all")),
        Covered::Rounds(rounds) => {
            let rounds = rounds.iter().map(|(process, n)| (process.clone(), json!(n)));
            Some(json!({ "rounds": rounds.collect::<Map<String, Value>>() }))
        }
        Covered::Steps(steps) => Some(json!({ "steps": steps })),
        Covered::Nothing => None,
    };
    object.extend(covered.map(|covered| ("covered".to_owned(), covered)));
    if answer.formula != (0, 0) {
        object.insert("formula".to_owned(), formula(answer));
    }
    let proof = match &answer.verdict {
        Reaching::Unreachable(Evidence::Proof { proof, .. }) => {
            Some(json!({ "clauses": proof.clauses, "learnt_clauses": proof.learnt }))
        }
        Reaching::Unreachable(Evidence::Listed(states)) => Some(json!({ "states": states })),
        _ => None,
    };
    object.extend(proof.map(|proof| ("proof".to_owned(), proof)));
    object
}

fn formula(answer: &Answer) -> Value {
    let mut object = json!({ "variables": answer.formula.0, "clauses": answer.formula.1 });
    if let Some(sizes) = &answer.sizes {
        for (_, key, number) in numbers(sizes) {
            object[key] = json!(number);
        }
        for (part, count) in &sizes.parts {
            object["parts"][part_name(*part)] = json!({
                "variables": count.variables, "clauses": count.clauses, "literals": count.literals,
            });
        }
    }
    object
}

/// The numbers of a net and of its formula: in words, the key, and the number.
fn numbers(sizes: &Sizes) -> [(&'static str, &'static str, usize); 5] {
    [
        ("places", "places", sizes.places),
        ("transitions", "transitions", sizes.transitions),
        ("possible links", "links", sizes.links),
        ("order symbols", "order_symbols", sizes.order_symbols),
        ("order triangles", "triangles", sizes.triangles),
    ]
}

fn part_name(part: Part) -> &'static str {
    match part {
        Part::Data => "data",
        Part::Links => "links",
        Part::Consumption => "consumption",
        Part::Order => "order",
        Part::Growth => "growth",
    }
}

/// How large the formula was, a line each.
pub fn statistics(answer: &Answer) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for (words, _, number) in answer.sizes.iter().flat_map(numbers) {
        lines.push((words.to_owned(), grouped(number)));
    }
    lines.push(("variables".to_owned(), grouped(answer.formula.0)));
    lines.push(("clauses".to_owned(), grouped(answer.formula.1)));
    for (part, count) in answer.sizes.iter().flat_map(|sizes| &sizes.parts) {
        let words = format!(
            "{} variables, {} clauses, {} literals",
            grouped(count.variables),
            grouped(count.clauses),
            grouped(count.literals)
        );
        lines.push((format!("part `{}`", part_name(*part)), words));
    }
    lines
}

/// The events of an unwinding, and the tokens that are left.
pub fn firing(net: &Net, execution: &Execution, left: &Marking) -> Map<String, Value> {
    let event = |step: &Step| {
        let values = firing::binding(net, step).into_iter();
        let values: Map<String, Value> = values.map(|(name, it)| (name, json!(it))).collect();
        json!({
            "transition": net.transition(step.transition).name,
            "values": values,
            "takes": tokens(net, step, ArcKind::Input),
            "tests": tokens(net, step, ArcKind::Test),
            "puts": tokens(net, step, ArcKind::Output),
        })
    };
    let events: Vec<Value> = execution.steps.iter().map(event).collect();
    let entries = [("events", json!(events)), ("tokens", json!(firing::tokens(net, left)))];
    entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn tokens(net: &Net, step: &Step, kind: ArcKind) -> Vec<Value> {
    let arcs = net.arcs_of(step.transition, kind).map(|arc| net.arc(arc));
    let token = |arc| step.token(net, arc).unwrap_or_default();
    arcs.map(|arc| json!({ "place": net.place(arc.place).name, "token": token(arc) })).collect()
}

/// Events, who reads whose tokens, and who only has to come earlier.
pub fn order(order: &Order) -> Value {
    let events = order.events.iter().map(|event| match &event.process {
        Some(process) => json!({ "process": process, "lines": event.lines, "steps": event.steps }),
        None => json!({ "transition": event.name }),
    });
    let links = order.links.iter().map(|link| {
        let kind = if link.takes { "take" } else { "test" };
        json!({
            "from": link.from, "to": link.to,
            "place": link.place, "token": link.token, "kind": kind,
        })
    });
    json!({
        "events": events.collect::<Vec<_>>(),
        "links": links.collect::<Vec<_>>(),
        "before": order.before,
    })
}
