//! Dependencies in words.

use ser_base::LineIndex;
use ser_isolation_checker::Why;
use ser_isolation_model::ast::Program;
use ser_isolation_model::operations::Kind;
use ser_isolation_search::{Cycle, Search};

/// A sentence for each link: who depends on whom, by what, and on which lines.
pub fn cycle(program: &Program, search: &Search, cycle: &Cycle, lines: &LineIndex) -> Vec<String> {
    let count = cycle.members.len();
    let names: Vec<String> = (0..count).map(|at| name(program, cycle, at)).collect();
    let links = cycle.links.iter().enumerate().map(|(at, link)| {
        let (one, other) = (&names[at], &names[(at + 1) % count]);
        let before = search.system().operation(link.before);
        let after = search.system().operation(link.after);
        let table = program.tables.get(before.table.0 as usize).map_or("?", |it| &it.name.text);
        let verb = match (&before.kind, link.why) {
            (Kind::Read { .. }, _) => "reads",
            (Kind::Gap, _) => "looks for rows in",
            (Kind::Insert, _) => "inserts into",
            (Kind::Delete, _) => "deletes from",
            (Kind::Update { .. }, _) => "changes",
        };
        let then = match (link.why, &after.kind) {
            (Why::Overwrites | Why::OverwritesLocked, Kind::Insert) => "inserts such a row later",
            (Why::Overwrites | Why::OverwritesLocked, Kind::Delete) => "deletes it later",
            (Why::Overwrites | Why::OverwritesLocked, _) => "changes it later",
            (Why::Follows, it) if it.is_write() => "changes it after that",
            (Why::Follows, _) => "finds that",
        };
        let [here, there] = [before, after].map(|it| lines.line(it.span.start));
        let place = match here == there {
            true => format!("line {here}"),
            false => format!("lines {here} and {there}"),
        };
        format!("{one} {verb} {table}, and {other} {then} ({place})")
    });
    links.collect()
}

/// `#1 transfer`, or the name alone if it is there once.
fn name(program: &Program, cycle: &Cycle, at: usize) -> String {
    let own = cycle.members[at].transaction;
    let name = program.transactions.get(own).map_or("?", |it| &it.name.text);
    let several = cycle.members.iter().filter(|it| it.transaction == own).count() > 1;
    if several { format!("`{name}` (#{})", at + 1) } else { format!("`{name}`") }
}
