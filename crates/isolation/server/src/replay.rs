//! Transactions side by side on a real server, step by step beside the interpreter.
//!
//! Every transaction has a session. Whether a session waits is asked of the server, so that a step
//! counts as done only when the server has nothing more to do.

use crate::{Answer, Client, Server, ServerError};
use ser_isolation_model::ast::{Program, Sql, TableId};
use ser_isolation_model::engine::{
    Engine, Event, Outcome, Schedule, SessionId, Standing, Upcoming,
};
use ser_isolation_model::value::{Decimal, Value};
use std::time::{Duration, Instant};

/// What the interpreter and the server made of one event.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    pub session: usize,
    /// As it was sent.
    pub sql: String,
    pub predicted: Outcome,
    pub seen: Seen,
}

/// What the server did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    Waits,
    Answer(Answer),
    /// It was not asked: the transaction ends by itself between two statements.
    NotAsked,
    /// Neither an answer, nor does it wait for another session.
    Nothing,
}

/// A whole run on both.
#[derive(Clone, PartialEq, Debug)]
pub struct Replayed {
    pub steps: Vec<Step>,
    /// The first thing that is not as predicted, in words.
    pub difference: Option<String>,
}

/// How long a session may neither answer nor wait.
const PATIENCE: Duration = Duration::from_secs(10);

/// Settings under which the server reads tables from start to end, as the interpreter does.
pub const WHOLE_TABLES: &str =
    "SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off";

/// Runs a schedule on the server, in a database of its own.
pub fn replay(
    server: &Server,
    program: &Program,
    text: &str,
    schedule: &Schedule,
    settings: &str,
) -> Result<Replayed, ServerError> {
    let database = server.database()?;
    let mut control = database.client()?;
    for span in &program.definitions {
        control.run(&text[span.range()])?;
    }
    for sql in &program.seed {
        control.run(&sql.filled(text, &mut |_| "NULL".to_owned()))?;
    }
    let mut clients = Vec::new();
    for _ in &schedule.calls {
        let mut client = database.client()?;
        if !settings.is_empty() {
            client.run(settings)?;
        }
        clients.push(client);
    }
    run(program, text, schedule, &mut control, &mut clients, false)
}

/// Runs a schedule in a database whose tables are there and empty, but for what the program
/// inserts.
///
/// `last_first`: of several who wait for the same one, those go on first that came last.
pub fn run(
    program: &Program,
    text: &str,
    schedule: &Schedule,
    control: &mut Client,
    clients: &mut [Client],
    last_first: bool,
) -> Result<Replayed, ServerError> {
    let start = Engine::new(program);
    let mut engine = start.map_err(|failure| ServerError::Statement {
        statement: "INSERT".to_owned(),
        message: failure.to_string(),
    })?;
    for (table, values) in &schedule.rows {
        engine.put(*table, values.clone()).map_err(|failure| ServerError::Statement {
            statement: "INSERT".to_owned(),
            message: failure.to_string(),
        })?;
        let name = &program.tables[table.0 as usize].name.text;
        let values: Vec<String> = values.iter().map(literal).collect();
        control.run(&format!("INSERT INTO \"{name}\" VALUES ({})", values.join(", ")))?;
    }
    engine.last_first = last_first;
    let mut replayed = Replayed { steps: Vec::new(), difference: None };
    for (call, client) in schedule.calls.iter().zip(clients.iter_mut()) {
        let transaction = &program.transactions[call.transaction];
        let begun = engine.begin(transaction, &call.arguments, call.level);
        if let Err(failure) = begun {
            replayed.difference = Some(format!("it cannot begin: {failure}"));
            return Ok(replayed);
        }
        client.run(&format!("BEGIN ISOLATION LEVEL {}", call.level))?;
    }
    let mut beside = Beside { control, clients, asked: vec![String::new(); schedule.calls.len()] };
    let mut turns = schedule.turns.iter().copied().filter(|it| *it < schedule.calls.len());
    loop {
        // After all turns, everybody goes on who can, in order, as the interpreter plays it.
        let ready = |it: &usize| engine.standing(SessionId(*it as u32)) == Standing::Ready;
        let next = turns.next().or_else(|| (0..schedule.calls.len()).find(ready));
        let Some(turn) = next else { break };
        let id = SessionId(turn as u32);
        if engine.standing(id) != Standing::Ready {
            continue;
        }
        let upcoming = engine.upcoming(id);
        let sql = match &upcoming {
            Upcoming::Sql { sql, variables, found } => Some(written(sql, text, variables, *found)),
            Upcoming::Commit => Some("COMMIT".to_owned()),
            Upcoming::Fails => None,
        };
        beside.asked[turn] = sql.clone().unwrap_or_default();
        if let Some(sql) = &sql {
            beside.clients[turn].ask(sql)?;
        }
        for event in engine.step(id) {
            let step = beside.step(&event, sql.is_none() && event.session == id)?;
            let difference = difference(&step);
            replayed.steps.push(step);
            if difference.is_some() {
                replayed.difference = difference;
                return Ok(replayed);
            }
        }
        // Nobody else has gone on.
        for at in 0..schedule.calls.len() {
            if engine.standing(SessionId(at as u32)) == Standing::Waiting
                && let Some(answer) = beside.clients[at].answer(Duration::ZERO)?
            {
                let words = answer_in_words(&answer);
                replayed.difference =
                    Some(format!("session {} should wait, and got {words}", at + 1));
                return Ok(replayed);
            }
        }
    }
    for (at, table) in program.tables.iter().enumerate() {
        let name = &table.name.text;
        let answer = beside.control.run(&format!("SELECT * FROM \"{name}\""))?;
        let rows = engine.contents(TableId(at as u32));
        let rows: Vec<Vec<Value>> = rows.iter().map(|it| it.to_vec()).collect();
        if !same_rows(&rows, &answer.rows) {
            let (ours, theirs) = (in_words(&rows), format!("{:?}", answer.rows));
            replayed.difference =
                Some(format!("`{name}` should be {ours} in the end, and is {theirs}"));
            break;
        }
    }
    Ok(replayed)
}

struct Beside<'c> {
    control: &'c mut Client,
    clients: &'c mut [Client],
    asked: Vec<String>,
}

impl Beside<'_> {
    fn step(&mut self, event: &Event<'_>, by_itself: bool) -> Result<Step, ServerError> {
        let session = event.session.0 as usize;
        let sql = self.asked[session].clone();
        let predicted = event.outcome.clone();
        // A statement that was answered may still make the transaction fail by itself.
        let waits = matches!(predicted, Outcome::Waits(_));
        let seen = if by_itself { Seen::NotAsked } else { self.see(session, waits)? };
        if matches!(predicted, Outcome::Failed(_)) && !matches!(seen, Seen::Waits) {
            self.clients[session].ask_and_wait("ROLLBACK")?;
        }
        Ok(Step { session, sql, predicted, seen })
    }

    /// Waits until the server has answered a session, or lets it wait; if that is not expected, it
    /// has some time to find out that sessions wait for each other.
    fn see(&mut self, session: usize, expected: bool) -> Result<Seen, ServerError> {
        let start = Instant::now();
        let backends: Vec<String> = self.clients.iter().map(|it| it.backend.to_string()).collect();
        let mut within = Duration::from_micros(1500);
        while start.elapsed() < PATIENCE {
            if let Some(answer) = self.clients[session].answer(within)? {
                return Ok(Seen::Answer(answer));
            }
            let question = format!(
                "SELECT pg_isolation_test_session_is_blocked({}, '{{{}}}')",
                backends[session],
                backends.join(",")
            );
            // Who waits in a circle is let go by the server after a moment.
            let blocked = |it: &mut Client| {
                let answer = it.run(&question)?;
                Ok(answer.rows.first().and_then(|it| it.first().cloned().flatten()).as_deref()
                    == Some("t"))
            };
            if blocked(self.control)? {
                std::thread::sleep(Duration::from_millis(15));
                if let Some(answer) = self.clients[session].answer(Duration::ZERO)? {
                    return Ok(Seen::Answer(answer));
                }
                let patient = expected || start.elapsed() > PATIENCE / 4;
                if patient && blocked(self.control)? {
                    return Ok(Seen::Waits);
                }
            }
            within = (within * 2).min(Duration::from_millis(50));
        }
        Ok(Seen::Nothing)
    }
}

/// The statement that is sent.
fn written(sql: &Sql, text: &str, variables: &[Value], found: bool) -> String {
    sql.filled(text, &mut |variable| match variable {
        None => found.to_string(),
        Some(id) => variables.get(id.0 as usize).map_or("NULL".to_owned(), literal),
    })
}

/// A value as SQL writes it.
pub fn literal(value: &Value) -> String {
    match value {
        Value::Int(it) if *it < 0 => format!("({it})"),
        // `5 / 2` would be a division of integers.
        Value::Decimal(it) => format!("({it}::numeric)"),
        other => other.to_string(),
    }
}

fn difference(step: &Step) -> Option<String> {
    let who = format!("session {}: `{}`", step.session + 1, step.sql.trim());
    let should = match &step.predicted {
        Outcome::Waits(_) => "wait".to_owned(),
        Outcome::Failed(failure) => format!("fail ({failure})"),
        Outcome::Committed => "commit".to_owned(),
        Outcome::Done { rows, count } => format!("give {count}: {}", in_words(rows)),
    };
    let fits = match (&step.predicted, &step.seen) {
        (Outcome::Waits(_), Seen::Waits) => true,
        (Outcome::Failed(failure), Seen::Answer(Answer { error: Some((state, _)), .. })) => {
            failure.sqlstate() == Some(state)
        }
        (Outcome::Failed(_), Seen::NotAsked) => true,
        // It fails because of what it was answered.
        (Outcome::Failed(failure), Seen::Answer(Answer { error: None, .. })) => {
            matches!(failure.sqlstate(), Some("P0001" | "P0002" | "P0003" | "2F005"))
        }
        (Outcome::Committed, Seen::Answer(Answer { error: None, .. })) => true,
        (Outcome::Done { rows, count }, Seen::Answer(answer @ Answer { error: None, .. })) => {
            answer.count == *count && (rows.is_empty() || same_rows(rows, &answer.rows))
        }
        _ => false,
    };
    let got = match &step.seen {
        Seen::Waits => "it waits".to_owned(),
        Seen::Answer(answer) => format!("the server gives {}", answer_in_words(answer)),
        Seen::NotAsked => "it was not asked".to_owned(),
        Seen::Nothing => "the server does not answer".to_owned(),
    };
    (!fits).then(|| format!("{who} should {should}, and {got}"))
}

fn answer_in_words(answer: &Answer) -> String {
    match &answer.error {
        Some((state, message)) => format!("an error ({state}: {message})"),
        None => format!("{}: {:?}", answer.count, answer.rows),
    }
}

fn in_words(rows: &[Vec<Value>]) -> String {
    let row = |row: &Vec<Value>| {
        let values: Vec<String> = row.iter().map(ToString::to_string).collect();
        format!("({})", values.join(", "))
    };
    rows.iter().map(row).collect::<Vec<_>>().join(" ")
}

/// Whether the server's rows are these, in any order.
fn same_rows(ours: &[Vec<Value>], theirs: &[Vec<Option<String>>]) -> bool {
    let mut left: Vec<&Vec<Option<String>>> = theirs.iter().collect();
    let same = |ours: &Vec<Value>, theirs: &Vec<Option<String>>| {
        // `RETURNING` without columns is a row without values.
        ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(one, it)| same_value(one, it))
    };
    ours.len() == theirs.len()
        && ours.iter().all(|row| match left.iter().position(|it| same(row, it)) {
            Some(at) => {
                left.remove(at);
                true
            }
            None => false,
        })
}

fn same_value(ours: &Value, theirs: &Option<String>) -> bool {
    let Some(theirs) = theirs else { return ours.is_null() };
    match ours {
        Value::Null => false,
        Value::Bool(it) => theirs == if *it { "t" } else { "f" },
        Value::Int(it) => *theirs == it.to_string(),
        Value::Decimal(it) => Decimal::read(theirs) == Some(*it),
        // A time is what it is.
        Value::Text(it) => **it == **theirs || &**it == "now",
    }
}
