//! A run of transactions as everybody reads runs: a lane for each session, a column for each table.

use ser_base::Span;
use ser_isolation_model::ast::{Program, Rows, Sql, TableId};
use ser_isolation_model::engine::{Engine, Event, Outcome, Schedule, SessionId};
use ser_isolation_model::value::Value;
use ser_report::Source;
use ser_report::run::{End, Lane, Run, Step, StepLine, Value as Shown};

/// The run of a schedule that can be played.
pub fn run(source: &Source, program: &Program, schedule: &Schedule) -> Run {
    let Ok(mut engine) = Engine::of(program, schedule) else { return Run::default() };
    let mut run = Run {
        title: "The schedule".to_owned(),
        lanes: lanes(program, schedule),
        columns: program.tables.iter().map(|it| it.name.text.clone()).collect(),
        start: contents(program, &engine),
        ..Run::default()
    };
    let mut begun = vec![false; schedule.calls.len()];
    let turns = schedule.turns.iter().map(|it| vec![*it]).chain([Vec::new()]);
    for turn in turns {
        // The last one lets everybody go on who still can.
        let events = if turn.is_empty() { engine.play(&[]) } else { step(&mut engine, turn[0]) };
        let last = events.len().saturating_sub(1);
        for (at, event) in events.iter().enumerate() {
            let lane = event.session.0 as usize;
            let mut shown = one(source, &engine, event);
            shown.arrives = !std::mem::replace(&mut begun[lane], true);
            // Only then it is known what all of them have done.
            shown.after = match at == last {
                true => contents(program, &engine),
                false => run.before(run.steps.len()).to_vec(),
            };
            run.steps.push(shown);
        }
    }
    run
}

fn step<'p>(engine: &mut Engine<'p>, turn: usize) -> Vec<Event<'p>> {
    engine.step(SessionId(turn as u32))
}

fn lanes(program: &Program, schedule: &Schedule) -> Vec<Lane> {
    let calls = schedule.calls.iter().enumerate();
    calls
        .map(|(at, _)| {
            let label = label(program, schedule, at);
            Lane { name: format!("#{} {label}", at + 1), label }
        })
        .collect()
}

/// `transfer('a', 'b', 10)`.
pub fn label(program: &Program, schedule: &Schedule, call: usize) -> String {
    let call = &schedule.calls[call];
    let arguments: Vec<String> = call.arguments.iter().map(ToString::to_string).collect();
    let name = &program.transactions[call.transaction].name.text;
    if arguments.is_empty() { name.clone() } else { format!("{name}({})", arguments.join(", ")) }
}

fn contents(program: &Program, engine: &Engine<'_>) -> Vec<Shown> {
    let tables = (0..program.tables.len()).map(|at| {
        let rows = engine.contents(TableId(at as u32));
        Shown::Name(rows_in_words(rows.iter().map(|it| it.to_vec())))
    });
    tables.collect()
}

/// `(1, 'a') (2, NULL)`, or `no rows`.
pub fn rows_in_words(rows: impl IntoIterator<Item = Vec<Value>>) -> String {
    let row = |row: Vec<Value>| {
        let values: Vec<String> = row.iter().map(ToString::to_string).collect();
        format!("({})", values.join(", "))
    };
    let rows: Vec<String> = rows.into_iter().map(row).collect();
    if rows.is_empty() { "no rows".to_owned() } else { rows.join(" ") }
}

/// What a client has got: a single value as it is.
pub fn result_in_words(rows: &[Vec<Value>]) -> String {
    match rows {
        [row] if row.len() == 1 => row[0].to_string(),
        rows => rows_in_words(rows.iter().cloned()),
    }
}

fn one(source: &Source, engine: &Engine<'_>, event: &Event<'_>) -> Step {
    let mut step = Step { lane: event.session.0 as usize, ..Step::default() };
    if let Some(sql) = event.statement {
        step.lines = lines(source, sql.span);
    }
    match &event.outcome {
        Outcome::Done { rows, count } => {
            step.says
                .extend(event.statement.map(|sql| done(engine, event.session, sql, rows, *count)));
        }
        Outcome::Waits(on) => {
            let others: Vec<String> = on.iter().map(|it| format!("#{}", it.0 + 1)).collect();
            step.says.push(format!("waits for {}", others.join(" and ")));
        }
        Outcome::Failed(failure) => {
            let state = failure.sqlstate().map_or(String::new(), |it| format!(" ({it})"));
            step.end = Some(End::Fails(format!("{failure}{state}")));
        }
        Outcome::Committed => {
            step.says.push("commits".to_owned());
            let results = engine.results(event.session).unwrap_or_default();
            if !results.is_empty() {
                step.end = Some(End::Responds(result_in_words(results)));
            } else {
                step.end = Some(End::Ends);
            }
        }
    }
    step
}

/// What a statement has come to.
fn done(
    engine: &Engine<'_>,
    session: SessionId,
    sql: &Sql,
    rows: &[Vec<Value>],
    count: usize,
) -> String {
    let many = |verb: &str| match count {
        0 => format!("{verb} no row"),
        1 => format!("{verb} 1 row"),
        n => format!("{verb} {n} rows"),
    };
    use ser_isolation_model::ast::SqlKind::{Delete, Insert, Select, Update};
    let what = match &sql.kind {
        Select(_) => "finds",
        Insert(_) => "inserts",
        Update(_) => "changes",
        Delete(_) => "deletes",
    };
    match &sql.rows {
        Rows::Into { variables, .. } => {
            let declared = &engine.session(session).transaction.variables;
            let given = rows.first();
            let values = variables.iter().enumerate().map(|(at, variable)| {
                let name = declared.get(variable.0 as usize).map_or("?", |it| &it.name);
                let value = given.and_then(|row| row.get(at)).cloned().unwrap_or(Value::Null);
                format!("{name} is {value}")
            });
            values.collect::<Vec<_>>().join(", ")
        }
        _ if !rows.is_empty() => format!("{what} {}", rows_in_words(rows.iter().cloned())),
        _ => many(what),
    }
}

/// The lines of a statement; the whole of a short one stands on its first line.
fn lines(source: &Source, span: Span) -> Vec<StepLine> {
    let text = source.text.get(span.range()).unwrap_or_default();
    let code = text.split_whitespace().collect::<Vec<_>>().join(" ");
    vec![StepLine { line: source.lines.line(span.start), span, code, notes: Vec::new() }]
}
