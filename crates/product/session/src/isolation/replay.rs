//! The anomaly on a real server.

use ser_isolation_model::ast::Program;
use ser_isolation_model::engine::{Outcome, Schedule};
use ser_isolation_server::{Replayed, Seen, Server, ServerError, replay};
use ser_report::{Block, Report, Section, Source, Table};
use serde_json::json;

/// Where it is replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Replay {
    /// On a server of its own, which is started for the purpose.
    Own,
    /// On this one, in a database of its own.
    At(String),
}

/// Replays a schedule, and adds what came of it.
pub fn add(
    report: &mut Report,
    wanted: &Replay,
    source: &Source,
    program: &Program,
    schedule: &Schedule,
) {
    let replayed = on_server(wanted, source, program, schedule);
    let data = match &replayed {
        Ok(Replayed { difference: None, .. }) => json!({ "agrees": true }),
        Ok(Replayed { difference: Some(why), .. }) => json!({ "agrees": false, "difference": why }),
        Err(error) => json!({ "error": error.to_string() }),
    };
    report.run_data.insert("replay".to_owned(), data);
    let section = match replayed {
        Ok(replayed) => section(&replayed),
        Err(error) => Section::titled(
            "On PostgreSQL",
            [Block::Text(format!(
                "It was not replayed: {}.",
                error.to_string().trim_end_matches('.')
            ))],
        ),
    };
    report.sections.push(section);
}

fn on_server(
    wanted: &Replay,
    source: &Source,
    program: &Program,
    schedule: &Schedule,
) -> Result<Replayed, ServerError> {
    let server = match wanted {
        Replay::Own => Server::temporary()?,
        Replay::At(url) => Server::at(url),
    };
    replay(&server, program, &source.text, schedule, "")
}

fn section(replayed: &Replayed) -> Section {
    let mut table = Table {
        header: ["session", "statement", "the server"].map(str::to_owned).into(),
        rows: Vec::new(),
    };
    for step in &replayed.steps {
        let seen = match &step.seen {
            Seen::Waits => "waits".to_owned(),
            Seen::NotAsked => "is not asked".to_owned(),
            Seen::Nothing => "does not answer".to_owned(),
            Seen::Answer(answer) => match &answer.error {
                Some((state, message)) => format!("{message} ({state})"),
                None if answer.rows.is_empty() => match step.predicted {
                    Outcome::Done { .. } if answer.count == 1 => "1 row".to_owned(),
                    Outcome::Done { .. } => format!("{} rows", answer.count),
                    _ => "done".to_owned(),
                },
                None => {
                    let value = |it: &Option<String>| it.clone().unwrap_or("NULL".to_owned());
                    let row = |row: &Vec<Option<String>>| {
                        format!("({})", row.iter().map(value).collect::<Vec<_>>().join(", "))
                    };
                    answer.rows.iter().map(row).collect::<Vec<_>>().join(" ")
                }
            },
        };
        let sql = step.sql.split_whitespace().collect::<Vec<_>>().join(" ");
        table.rows.push(vec![format!("#{}", step.session + 1), sql, seen]);
    }
    let verdict = match &replayed.difference {
        None => "PostgreSQL did just that: every answer, every wait and the final tables are as \
                 predicted."
            .to_owned(),
        Some(difference) => format!(
            "PostgreSQL did something else, which is a defect of ser (please report it): {difference}."
        ),
    };
    Section::titled("On PostgreSQL", [Block::Table(table), Block::Text(verdict)])
}
