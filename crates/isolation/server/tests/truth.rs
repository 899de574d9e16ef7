//! The interpreter beside a real PostgreSQL: random schemas, transactions and interleavings, statement
//! by statement.
//!
//! `SER_TRUTH=20000 cargo test --release -p ser-isolation-server --test truth` is a campaign;
//! `SER_TRUTH_SEED` is where it starts.

#![allow(clippy::print_stderr)]

#[path = "truth/generate.rs"]
mod generate;

use generate::{Shape, case};
use ser_isolation_model::ast::Level;
use ser_isolation_model::engine::{Call, Concurrent, Failure, Outcome, Schedule};
use ser_isolation_server::{Client, Replayed, Server, WHOLE_TABLES, run};

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|it| it.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn the_server_does_what_the_interpreter_says() {
    let Some(server) = Server::for_a_test() else { return };
    let (first, count) = (number("SER_TRUTH_SEED", 1), number("SER_TRUTH", 150));
    let database = server.database().expect("a database");
    let mut control = database.client().expect("a client");
    let client = || {
        let mut client = database.client().expect("a client");
        let joins = "SET enable_hashjoin = off; SET enable_mergejoin = off";
        client.run(&format!("{WHOLE_TABLES}; {joins}")).expect("settings");
        client
    };
    let mut clients: Vec<Client> = (0..3).map(|_| client()).collect();
    let renewed = |control: &mut Client, old: &mut Vec<Client>| {
        for client in old.drain(..) {
            let end = format!("SELECT pg_terminate_backend({}, 5000)", client.backend);
            control.run(&end).expect("ends");
        }
        old.extend((0..3).map(|_| client()));
    };
    let mut wrong = Vec::new();
    let (mut statements, mut early, mut races) = (0, 0, 0);
    for seed in first..first + count {
        let made = case(seed, Shape { joins: true });
        let read = ser_isolation_model::read::read(&made.text);
        assert!(
            read.diagnostics.iter().all(|it| !it.is_error()),
            "{seed}: {:?}\n{}",
            read.diagnostics,
            made.text
        );
        let program = read.program;
        let level = |it: &u8| match it {
            0 => Level::ReadCommitted,
            1 => Level::RepeatableRead,
            _ => Level::Serializable,
        };
        let calls = made.levels.iter().enumerate().map(|(transaction, it)| Call {
            transaction,
            arguments: Vec::new(),
            level: level(it),
        });
        let schedule = Schedule { rows: Vec::new(), calls: calls.collect(), turns: made.turns };
        let many = schedule.calls.len();
        // Several who wait for the same one go on at once: either may be first.
        let mut attempts = (0..6).map(|attempt| {
            if attempt > 0 {
                renewed(&mut control, &mut clients);
            }
            for client in &mut clients {
                client.ask_and_wait("ROLLBACK").expect("lives");
            }
            control.run("DROP TABLE IF EXISTS b, a").expect("drops");
            for span in &program.definitions {
                control.run(&made.text[span.range()]).expect("a table");
            }
            for sql in &program.seed {
                control.run(&sql.filled(&made.text, &mut |_| String::new())).expect("a row");
            }
            let clients = &mut clients[..many];
            let last_first = attempt % 2 == 1;
            run(&program, &made.text, &schedule, &mut control, clients, last_first)
                .expect("the server lives")
        });
        let first = attempts.next().expect("an attempt");
        // Two that wait for the same one at the same time.
        let raced = |it: &Replayed| {
            let waits = it.steps.iter().filter(|it| matches!(it.predicted, Outcome::Waits(_)));
            let mut who: Vec<usize> = waits.map(|it| it.session).collect();
            who.sort();
            who.dedup();
            who.len() > 1
        };
        let replayed = match first.difference.is_some() && raced(&first) {
            true => attempts.find(|it| it.difference.is_none()).unwrap_or(first),
            false => first,
        };
        statements += replayed.steps.len();
        let ended = replayed
            .steps
            .iter()
            .filter(|it| matches!(it.predicted, Outcome::Committed | Outcome::Failed(_)));
        // Whoever still waits may wait for ever.
        if ended.count() < many {
            renewed(&mut control, &mut clients);
        }
        // The server did not look at a table that a statement mentions: no row came so far.
        let last = replayed.steps.last().map(|it| &it.predicted);
        let dependencies = Failure::Serialization(Concurrent::Dependencies);
        if replayed.difference.is_some() && last == Some(&Outcome::Failed(dependencies)) {
            early += 1;
            continue;
        }
        if replayed.difference.is_some() && raced(&replayed) {
            races += 1;
            continue;
        }
        if let Some(difference) = replayed.difference {
            let steps: Vec<String> = replayed
                .steps
                .iter()
                .map(|it| {
                    format!("  {} {}: {:?} / {:?}", it.session + 1, it.sql, it.predicted, it.seen)
                })
                .collect();
            let levels = &made.levels;
            wrong.push(format!(
                "seed {seed} {levels:?}: {difference}\n{}\n{}",
                made.text,
                steps.join("\n")
            ));
            if wrong.len() >= 5 {
                break;
            }
        }
    }
    eprintln!(
        "{count} interleavings, {statements} statements; {early} fail earlier than on the server, {races} race"
    );
    assert!(races * 200 <= count + 200, "{races} of {count} race");
    assert!(early * 50 <= count, "{early} of {count} fail earlier than on the server");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n\n"));
}
