//! The locations of a program with their numbers.

use super::system_of;
use super::words::{Place, Words};
use ser_invariance_search::paths::Control;
use ser_report::text::count;
use ser_report::{Block, Section, Source, SourceError, Table};
use ser_syntax::inv::ast::LocId;
use serde_json::{Value, json};

/// The locations of the program in a source, for people and for programs.
pub fn locations(source: &Source) -> Result<(Section, Value), SourceError> {
    let (system, _) = system_of(&source.text).map_err(SourceError::Diagnostics)?;
    let words = Words { system: &system, text: &source.text, lines: &source.lines };
    let control = Control::new(&system);
    let all = (0..system.locations.len() as u32).map(LocId);
    let places: Vec<(Place, usize)> =
        all.map(|id| (words.place(id), control.counted(id))).collect();
    let transitions: usize = places.iter().map(|(_, counted)| counted).sum();
    let title =
        format!("{}, {}", count(places.len(), "location"), count(transitions, "transition"));
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
    let data = json!({ "file": source.name, "locations": list.collect::<Vec<_>>() });
    let rows = places.into_iter().map(|(it, counted)| {
        let more = match counted {
            0 | 1 => String::new(),
            n => format!("{n} transitions"),
        };
        let name = it.name.unwrap_or_default();
        vec![it.number.to_string(), it.line.to_string(), it.procedure, name, it.statement, more]
    });
    let header = ["number", "line", "in", "name", "statement", ""].map(str::to_owned).to_vec();
    let table = Table { header, rows: rows.collect() };
    Ok((Section::titled(title, [Block::Table(table)]), data))
}
