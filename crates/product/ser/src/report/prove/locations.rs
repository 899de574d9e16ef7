//! The locations of a program with their numbers.

use crate::report::human::{FAINT, STRONG, paint};
use ser_invariance_search::paths::Control;
use ser_session::invariants::told::{Place, Words};
use ser_session::source::Source;
use ser_session::words::{count, visible};
use ser_syntax::inv::System;
use ser_syntax::inv::ast::LocId;
use serde_json::{Value, json};
use std::fmt::Write as _;

fn places(source: &Source, system: &System) -> Vec<(Place, usize)> {
    let words = Words { system, text: &source.text, lines: &source.lines };
    let control = Control::new(system);
    let all = (0..system.locations.len() as u32).map(LocId);
    all.map(|id| (words.place(id), control.counted(id))).collect()
}

/// For people.
pub fn human(source: &Source, system: &System) -> String {
    let places = places(source, system);
    let transitions: usize = places.iter().map(|(_, counted)| counted).sum();
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{}: {}, {}\n",
        paint(STRONG, visible(&source.name)),
        count(places.len(), "location"),
        count(transitions, "transition")
    );
    let wide = |of: fn(&Place) -> &str| {
        places.iter().map(|(it, _)| of(it).chars().count()).max().unwrap_or(0)
    };
    let procedure = wide(|it| &it.procedure).max(4);
    let name = wide(|it| it.name.as_deref().unwrap_or("")).max(4);
    let header = format!("  number  line  {:procedure$}  {:name$}  statement", "in", "name");
    let _ = writeln!(out, "{}", paint(STRONG, header));
    for (it, counted) in &places {
        let more = match counted {
            0 | 1 => String::new(),
            n => paint(FAINT, format!("   {n} transitions")),
        };
        let own = it.name.as_deref().unwrap_or("");
        let _ = writeln!(
            out,
            "{:>8}  {:>4}  {:procedure$}  {own:name$}  {}{more}",
            it.number, it.line, it.procedure, it.statement
        );
    }
    out.push('\n');
    out
}

/// As JSON.
pub fn json(source: &Source, system: &System) -> Value {
    let places = places(source, system);
    let list = places.iter().map(|(it, counted)| {
        json!({
            "location": it.number,
            "line": it.line,
            "in": it.procedure,
            "name": it.name,
            "statement": it.statement,
            "transitions": counted,
        })
    });
    json!({ "file": source.name, "locations": list.collect::<Vec<_>>() })
}
