//! The lowest levels that are enough, each set checked like any other, and why they are not lower.

use super::words;
use ser_base::Limits;
use ser_isolation_checker::{Claim, Evidence, check_evidence};
use ser_isolation_model::ast::{Level, Program};
use ser_isolation_model::operations::Outside;
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
    let section = match found(source, program, search, limits) {
        Err(why) => {
            report.data.insert("allocation".to_owned(), json!(null));
            Section::titled(title, [Block::Text(format!("They are not known: {why}."))])
        }
        Ok(allocation) => {
            let data = program.transactions.iter().zip(&allocation.levels).map(
                |(it, level)| json!({ "transaction": it.name.text, "level": level.to_string() }),
            );
            report.data.insert("allocation".to_owned(), data.collect());
            let mut blocks = vec![table(program, &allocation)];
            let reasons = reasons(source, program, search, &allocation);
            if !reasons.is_empty() {
                blocks.push(Block::Text("Why they are not lower:".to_owned()));
                blocks.push(Block::points(reasons));
            }
            Section::titled(title, blocks)
        }
    };
    report.sections.push(section);
}

/// Levels that the checker has accepted.
fn found(
    source: &Source,
    program: &Program,
    search: &Search,
    limits: &Limits,
) -> Result<Allocation, String> {
    let count = program.transactions.len();
    let found = allocate(search, count, limits).map_err(|stop| stop.to_string())?;
    let found = found.map_err(|outside| {
        let reason = |it: &Outside| {
            let name = &program.transactions[it.transaction].name.text;
            let line = source.lines.line(it.span.start);
            format!("no proof covers `{name}` at any level, because {} (line {line})", it.reason)
        };
        outside.iter().map(reason).collect::<Vec<_>>().join("; ")
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

fn table(program: &Program, allocation: &Allocation) -> Block {
    let each = program.transactions.iter().zip(&allocation.levels);
    let rows = each.map(|(it, level)| vec![it.name.text.clone(), level.to_string()]).collect();
    Block::Table(Table { header: ["transaction", "level"].map(str::to_owned).into(), rows })
}

/// For each cycle, who cannot be lower because of it.
fn reasons(
    source: &Source,
    program: &Program,
    search: &Search,
    allocation: &Allocation,
) -> Vec<String> {
    let mut reasons: Vec<(Level, String, Vec<String>)> = Vec::new();
    for need in &allocation.needs {
        let name = format!("`{}`", program.transactions[need.transaction].name.text);
        let why = words::cycle(program, search, &need.cycle, &source.lines).join("; ");
        match reasons.iter_mut().find(|it| it.0 == need.lower && it.1 == why) {
            Some((_, _, names)) => names.push(name),
            None => reasons.push((need.lower, why, vec![name])),
        }
    }
    let reason = |(lower, why, names): (Level, String, Vec<String>)| {
        format!("{} at {lower}: {why}", ser_report::text::and(&names))
    };
    reasons.into_iter().map(reason).collect()
}
