//! Transactions in SQL: are they serializable at the isolation levels that they have, and which
//! levels are enough?

mod allocation;
mod locks;
mod replay;
mod run;
mod tell;
mod words;

use crate::method::{Command, Context, Method};
use crate::verified::{Valid, Verified};
use ser_base::{Limits, Span, Stop};
use ser_isolation_checker::{Claim, Evidence, Shown, Unaccepted, check_anomaly, check_evidence};
use ser_isolation_model::ast::Program;
use ser_isolation_model::engine::Schedule;
use ser_isolation_model::operations::{Operations, Outside};
use ser_isolation_search::anomaly::{self, Effort, Searched};
use ser_isolation_search::{Answer, Search};
use ser_report::{Kind, Report, Source};
use std::sync::Arc;
use std::time::Instant;

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
    Robust(Evidence, String),
    Anomaly(Box<Evidence>, Box<Schedule>, Box<Shown>, String),
    Nothing(Box<Nothing>),
    /// Something was found, and the checker does not accept it.
    Withheld(String),
    Stopped(Stop),
}

/// There is no proof, and no run that shows an anomaly.
#[derive(Default)]
struct Nothing {
    /// How many runs were tried, and what could not be run.
    runs: usize,
    beyond: Option<String>,
    /// The limit that came before all runs were tried.
    stopped: Option<Stop>,
    /// The cycle of dependencies that is in the way of a proof: a sentence for each of its links.
    cycle: Vec<String>,
    /// Statements that no proof covers, with the reason, which names the transaction.
    outside: Vec<(Span, String)>,
    /// The statement that is in the way of a proof.
    place: Option<Span>,
}

impl Method for Isolation {
    fn command(&self) -> Command {
        Command { name: "sql", method: ser_report::Method::Serializability, reads: &[Kind::Sql] }
    }

    fn answer(&self, source: &Arc<Source>, context: &Context<'_>) -> Vec<Report> {
        let start = Instant::now();
        let read = ser_isolation_model::read::read(&source.text);
        let mut report = if read.is_complete() {
            self.about(source, &read.program, context)
        } else {
            tell::mistakes(source, read.diagnostics.clone())
        };
        if read.is_complete() {
            report.warnings = read.diagnostics;
        }
        report.source = Some(Arc::clone(source));
        report.timing.total = start.elapsed();
        vec![report]
    }
}

impl Isolation {
    fn about(&self, source: &Arc<Source>, program: &Program, context: &Context<'_>) -> Report {
        if program.transactions.is_empty() {
            return tell::without_transactions(source);
        }
        let start = Instant::now();
        let levels = self.levels(program);
        let search = Search::new(Operations::of(program));
        let found = look(source, program, &levels, &search, context);
        let mut report = tell::report(source, program, &levels, &found);
        if self.allocate
            && let ser_report::Answer::Unknown(unknown) = &mut report.answer
        {
            // This is about to be done.
            unknown.help.retain(|it| it != tell::ALLOCATE);
        }
        report.timing.total = start.elapsed();
        if let (Some(replay), Found::Anomaly(_, schedule, ..)) = (&self.replay, &found) {
            settle(source, &report, context);
            (context.progress)("replaying on PostgreSQL".to_owned());
            replay::add(&mut report, replay, source, program, schedule);
        }
        if self.allocate {
            settle(source, &report, context);
            (context.progress)("looking for the lowest levels".to_owned());
            allocation::add(&mut report, source, program, &search, context.limits);
            if !matches!(found, Found::Robust(..)) {
                settle(source, &report, context);
                locks::add(&mut report, source, program, &search, &levels, context.limits);
            }
        }
        report
    }

    fn levels(&self, program: &Program) -> Vec<Level> {
        let levels = program.transactions.iter();
        levels.map(|it| self.level.or(it.level).unwrap_or(Level::ReadCommitted)).collect()
    }
}

/// The answer stands, whatever becomes of the rest.
fn settle(source: &Arc<Source>, report: &Report, context: &Context<'_>) {
    let mut report = report.clone();
    report.source = Some(Arc::clone(source));
    (context.settle)(vec![report]);
}

fn look(
    source: &Source,
    program: &Program,
    levels: &[Level],
    search: &Search,
    context: &Context<'_>,
) -> Found {
    let limits: &Limits = context.limits;
    (context.progress)("looking for cycles of dependencies".to_owned());
    let accept = |claim: Claim| {
        let evidence = Evidence { levels: levels.to_vec(), claim };
        match check_evidence(program, &evidence, limits) {
            Ok(words) => Ok((evidence, words)),
            Err(Unaccepted::Rejected(why)) => Err(Found::Withheld(why)),
            Err(Unaccepted::Stopped(stop)) => Err(Found::Stopped(stop)),
        }
    };
    let mut nothing = Nothing::default();
    let cycle = match search.decide(levels, limits) {
        Err(stop) => return Found::Stopped(stop),
        Ok(Answer::Robust(certificate)) => {
            return match accept(Claim::Robust(certificate)) {
                Ok((evidence, words)) => Found::Robust(evidence, words),
                Err(found) => found,
            };
        }
        Ok(Answer::Cycle(cycle)) => Some(cycle),
        Ok(Answer::Outside(all)) => {
            let reason = |it: &Outside| {
                let name = &program.transactions[it.transaction].name.text;
                format!("no proof covers `{name}`, because {}", it.reason)
            };
            nothing.outside = all.iter().map(|it| (it.span, reason(it))).collect();
            nothing.place = all.first().map(|it| it.span);
            None
        }
    };
    (context.progress)("looking for an anomaly".to_owned());
    match anomaly::find(program, levels, cycle.as_deref(), Effort::default(), limits) {
        Searched::Nothing { runs, beyond, stopped } => {
            (nothing.runs, nothing.beyond, nothing.stopped) = (runs, beyond, stopped);
            if let Some(cycle) = cycle {
                let first = cycle.links.first().map(|it| search.system().operation(it.before));
                nothing.place = first.map(|it| it.span);
                nothing.cycle = words::cycle(program, search, &cycle, &source.lines);
            }
            Found::Nothing(Box::new(nothing))
        }
        Searched::Anomaly(schedule) => match check_anomaly(program, levels, &schedule) {
            Ok(shown) => match accept(Claim::Anomaly((*schedule).clone())) {
                Ok((evidence, words)) => {
                    Found::Anomaly(Box::new(evidence), schedule, Box::new(shown), words)
                }
                Err(found) => found,
            },
            Err(refused) => Found::Withheld(refused.to_string()),
        },
    }
}

/// Has evidence checked again.
pub(crate) fn verify(evidence: &str, source: &Source, limits: &Limits) -> Verified {
    let evidence: Evidence = match serde_json::from_str(evidence) {
        Ok(evidence) => evidence,
        Err(error) => return Verified::Unreadable(error.to_string()),
    };
    let read = ser_isolation_model::read::read(&source.text);
    if !read.is_complete() {
        let name = &source.name;
        return Verified::Unreadable(format!("the source {name} has errors; see `ser sql {name}`"));
    }
    let verdict = match &evidence.claim {
        Claim::Robust(_) => "serializable",
        Claim::Anomaly(_) => "not serializable",
    };
    match check_evidence(&read.program, &evidence, limits) {
        Ok(words) => {
            let each = read.program.transactions.iter().zip(&evidence.levels);
            let claims = each.map(|(it, level)| format!("{} at {level}", it.name.text)).collect();
            Verified::Valid(Valid { words: format!("{verdict}: {words}"), claims })
        }
        Err(Unaccepted::Rejected(why)) => Verified::Rejected(why),
        Err(Unaccepted::Stopped(stop)) => Verified::Stopped(stop.to_string()),
    }
}
