//! How large the formula of a goal was.

use ser_reachability_search::Part;
use ser_session::events::Answer;
use ser_session::words::grouped;
use serde_json::{Value, json};
use std::fmt::Write as _;

fn name(part: Part) -> &'static str {
    match part {
        Part::Data => "data",
        Part::Links => "links",
        Part::Consumption => "consumption",
        Part::Order => "order",
        Part::Growth => "growth",
    }
}

/// A few lines.
pub fn human(out: &mut String, answer: &Answer) {
    let mut line = |words: &str, number: usize| {
        let _ = writeln!(out, "  {words:<24}{:>14}", grouped(number));
    };
    if let Some(sizes) = &answer.sizes {
        line("places", sizes.places);
        line("transitions", sizes.transitions);
        line("possible links", sizes.links);
        line("order symbols", sizes.order_symbols);
        line("order triangles", sizes.triangles);
    }
    line("variables", answer.formula.0);
    line("clauses", answer.formula.1);
    if let Some(sizes) = &answer.sizes {
        let _ = writeln!(
            out,
            "\n  {:<14}{:>12}{:>12}{:>12}",
            "part", "variables", "clauses", "literals"
        );
        for (part, count) in &sizes.parts {
            let (v, c, l) =
                (grouped(count.variables), grouped(count.clauses), grouped(count.literals));
            let _ = writeln!(out, "  {:<14}{v:>12}{c:>12}{l:>12}", name(*part));
        }
    }
}

/// The same as an object.
pub fn json(answer: &Answer) -> Value {
    let mut object = json!({ "variables": answer.formula.0, "clauses": answer.formula.1 });
    if let Some(sizes) = &answer.sizes {
        object["places"] = json!(sizes.places);
        object["transitions"] = json!(sizes.transitions);
        object["links"] = json!(sizes.links);
        object["order_symbols"] = json!(sizes.order_symbols);
        object["triangles"] = json!(sizes.triangles);
        for (part, count) in &sizes.parts {
            object["parts"][name(*part)] = json!({
                "variables": count.variables, "clauses": count.clauses, "literals": count.literals,
            });
        }
    }
    object
}
