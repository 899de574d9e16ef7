//! Transactions in SQL: are they serializable at the isolation levels that they have, and which levels
//! are enough?

mod replay;
mod run;
mod tell;

use crate::method::{Command, Context, Method};
use ser_base::Limits;
use ser_isolation_checker::{Shown, check_anomaly};
use ser_isolation_model::ast::Program;
use ser_isolation_model::engine::Schedule;
use ser_isolation_search::anomaly::{self, Effort, Searched};
use ser_report::{Kind, Report, Source};
use std::sync::Arc;

pub use replay::Replay;
pub use ser_isolation_model::ast::Level;

/// `ser sql`.
#[derive(Clone, Debug, Default)]
pub struct Isolation {
    /// The level of all transactions, whatever the file says.
    pub level: Option<Level>,
    /// Look for the lowest levels that are enough.
    pub allocate: bool,
    /// Show the anomaly on a real server.
    pub replay: Option<Replay>,
}

/// What was found out about transactions at some levels.
enum Found {
    Anomaly(Box<Schedule>, Box<Shown>),
    /// How many runs were tried, and what could not be run.
    Nothing { runs: usize, beyond: Option<String> },
    /// A run was found, and the checker does not accept it.
    Withheld(String),
}

impl Method for Isolation {
    fn command(&self) -> Command {
        Command { name: "sql", method: ser_report::Method::Serializability, reads: &[Kind::Sql] }
    }

    fn answer(&self, source: &Arc<Source>, context: &Context<'_>) -> Vec<Report> {
        let read = ser_isolation_model::read::read(&source.text);
        let mut report = if read.diagnostics.iter().any(ser_base::Diagnostic::is_error) {
            tell::mistakes(source, read.diagnostics)
        } else {
            let program = read.program;
            let levels = self.levels(&program);
            let found = look(&program, &levels, context);
            let mut report = tell::report(source, &program, &levels, &found);
            if let (Some(replay), Found::Anomaly(schedule, _)) = (&self.replay, &found) {
                (context.settle)(vec![report.clone()]);
                (context.progress)("replaying on PostgreSQL".to_owned());
                replay::add(&mut report, replay, source, &program, schedule);
            }
            report.warnings = read.diagnostics;
            report
        };
        report.source = Some(Arc::clone(source));
        vec![report]
    }
}

impl Isolation {
    fn levels(&self, program: &Program) -> Vec<Level> {
        let levels = program.transactions.iter();
        levels.map(|it| self.level.or(it.level).unwrap_or(Level::ReadCommitted)).collect()
    }
}

fn look(program: &Program, levels: &[Level], context: &Context<'_>) -> Found {
    let limits: &Limits = context.limits;
    (context.progress)("looking for an anomaly".to_owned());
    match anomaly::find(program, levels, Effort::default(), limits) {
        Searched::Nothing { runs, beyond } => Found::Nothing { runs, beyond },
        Searched::Anomaly(schedule) => match check_anomaly(program, levels, &schedule) {
            Ok(shown) => Found::Anomaly(schedule, Box::new(shown)),
            Err(refused) => Found::Withheld(refused.to_string()),
        },
    }
}
