//! A proof on the page: the argument, its points, and the regions of one by arithmetic.

use super::{Text, linked};
use crate::report::human::capitalised;
use ser_model::NetworkSystem;
use ser_serializability_search::{Argument, Counting};
use ser_session::words;
use ser_session::{Report, Verdict};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// At most so many points or regions.
const MAX_SHOWN: usize = 300;

/// The section; empty if there is no proof.
pub fn section(report: &Report) -> String {
    let Verdict::Serializable { explanation, proof, .. } = &report.verdict else {
        return String::new();
    };
    let mut out = format!(
        "<section class=\"proof\" aria-labelledby=\"why\"><h2 id=\"why\">Why</h2><p class=\"lead\">{}.</p>",
        linked(&capitalised(&explanation.headline))
    );
    let counting = proof.as_ref().and_then(|p| match &p.argument {
        Argument::Arithmetic(counting) => Some(counting),
        _ => None,
    });
    // The regions have a table of their own.
    let is_region = |point: &str| counting.is_some() && point.starts_with("a region ");
    let points: Vec<&String> = explanation.points.iter().filter(|p| !is_region(p)).collect();
    if !points.is_empty() {
        out += "<ul class=\"plain points\">";
        for point in points.iter().take(MAX_SHOWN) {
            let _ = write!(out, "<li>{}.</li>", linked(&capitalised(point)));
        }
        if points.len() > MAX_SHOWN {
            let _ = write!(out, "<li>… and {} more</li>", points.len() - MAX_SHOWN);
        }
        out += "</ul>";
    }
    if let (Some(counting), Some(model)) = (counting, &report.model) {
        regions(&mut out, model.system(), counting);
    }
    out + "</section>"
}

/// What the checker has established; empty if there was nothing to check.
pub fn checked(report: &Report) -> String {
    let (what, accepted) = match &report.verdict {
        Verdict::Serializable { accepted, .. } => ("proof", accepted.to_string()),
        Verdict::NotSerializable { accepted, .. } => ("counterexample", accepted.to_string()),
        _ => return String::new(),
    };
    format!(
        "<section class=\"checked\" aria-labelledby=\"checked\"><h2 id=\"checked\">Checked</h2>\
         <p>A small independent checker has gone through the {what} step by step and accepted it.</p>\
         <p class=\"legend\">What it has established: {}. It shares no code with the search, only the \
         part that reads the source.</p></section>",
        Text(&accepted)
    )
}

/// The regions of the counts of responses, each with its serial schedule.
fn regions(out: &mut String, system: &NetworkSystem, counting: &Counting) {
    let mut used = BTreeSet::new();
    for (_, tree) in &counting.cases {
        tree.for_each_component(&mut |component| {
            used.insert(component);
        });
    }
    let _ = write!(
        out,
        "<h3>{}, each with its serial schedule</h3>\
         <div class=\"box scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Regions\"><table class=\"regions\"><thead><tr>\
         <th scope=\"col\">Region</th><th scope=\"col\">Run once</th>\
         <th scope=\"col\">And any number of times</th></tr></thead><tbody>",
        words::count(used.len(), "region")
    );
    let counts = |vector: &[i64]| {
        let mut chips = String::new();
        for (outcome, n) in counting.letters.iter().zip(vector).filter(|(_, n)| **n > 0) {
            let times = if *n > 1 { format!("{n} × ") } else { String::new() };
            let _ = write!(
                chips,
                "<span class=\"chip\">{times}{} <b>{}</b></span>",
                Text(system.request_name(outcome.request)),
                Text(system.response_name(outcome.response))
            );
        }
        if chips.is_empty() { "<span class=\"faint\">nothing</span>".to_owned() } else { chips }
    };
    for (at, component) in used.iter().take(MAX_SHOWN).enumerate() {
        let Some(set) = counting.components.get(*component) else { continue };
        let periods: Vec<String> =
            set.periods.iter().map(|p| format!("<li>{}</li>", counts(p))).collect();
        let periods = match periods.is_empty() {
            true => "<span class=\"faint\">nothing</span>".to_owned(),
            false => format!("<ul>{}</ul>", periods.concat()),
        };
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{periods}</td></tr>",
            at + 1,
            counts(&set.base)
        );
    }
    out.push_str("</tbody></table></div>");
    if used.len() > MAX_SHOWN {
        let _ = write!(out, "<p>… and {} more.</p>", used.len() - MAX_SHOWN);
    }
}
