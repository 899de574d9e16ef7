//! The lowest levels that are enough, each set checked like any other, and why they are not lower.

use super::words;
use ser_base::Limits;
use ser_isolation_checker::{Claim, Evidence, check_evidence};
use ser_isolation_model::ast::{Level, Program};
use ser_isolation_search::{Allocation, Answer, Search, allocate};
use ser_report::{Block, Report, Section, Source, Table};
use serde_json::json;

/// Adds the lowest levels to a report.
pub fn add(
    report: &mut Report,
    source: &Source,
    program: &Program,
    search: &Search,
    limits: &Limits,
) {
    let title = "The lowest levels that are enough";
    let section = match found(program, search, limits) {
        Err(why) => {
            report.data.insert("allocation".to_owned(), json!(null));
            Section::titled(title, [Block::Text(format!("They are not known: {why}."))])
        }
        Ok(allocation) => {
            let data = program.transactions.iter().zip(&allocation.levels).map(
                |(it, level)| json!({ "transaction": it.name.text, "level": level.to_string() }),
            );
            report.data.insert("allocation".to_owned(), data.collect());
            Section::titled(title, [table(source, program, search, &allocation)])
        }
    };
    report.sections.push(section);
}

/// Levels that the checker has accepted.
fn found(program: &Program, search: &Search, limits: &Limits) -> Result<Allocation, String> {
    let count = program.transactions.len();
    let found = allocate(search, count, limits).map_err(|stop| stop.to_string())?;
    let found = found.map_err(|outside| {
        let words = outside.iter().map(|it| {
            let name = &program.transactions[it.transaction].name.text;
            format!("`{name}` cannot be proved at any level: {}", it.reason)
        });
        words.collect::<Vec<_>>().join("; ")
    })?;
    match search.decide(&found.levels, limits) {
        Ok(Answer::Robust(certificate)) => {
            let levels = found.levels.clone();
            let evidence = Evidence { levels, claim: Claim::Robust(certificate) };
            check_evidence(program, &evidence, limits).map_err(|it| it.to_string())?;
            Ok(found)
        }
        Ok(_) => Err("the levels that were found are not proved".to_owned()),
        Err(stop) => Err(stop.to_string()),
    }
}

fn table(source: &Source, program: &Program, search: &Search, allocation: &Allocation) -> Block {
    let mut rows = Vec::new();
    for (at, (transaction, level)) in
        program.transactions.iter().zip(&allocation.levels).enumerate()
    {
        let need = allocation.needs.iter().find(|it| it.transaction == at);
        let why = match (need, level) {
            (None, Level::ReadCommitted) => "the lowest there is".to_owned(),
            (None, _) => String::new(),
            (Some(need), _) => {
                let links = words::cycle(program, search, &need.cycle);
                let lines = words::lines(search, &need.cycle, &source.lines);
                let links = links.iter().zip(lines);
                let links: Vec<String> = links
                    .map(|(link, (one, other))| format!("{link} (lines {one}, {other})"))
                    .collect();
                format!("at {}: {}", need.lower, links.join("; "))
            }
        };
        rows.push(vec![transaction.name.text.clone(), level.to_string(), why]);
    }
    let header = ["transaction", "level", "why not lower"].map(str::to_owned).into();
    Block::Table(Table { header, rows })
}
