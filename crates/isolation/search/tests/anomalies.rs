//! Runs that no serial order explains: found where there is no proof, and accepted in no other form.

use ser_base::Limits;
use ser_isolation_checker::{Claim, Evidence, check_anomaly, check_evidence};
use ser_isolation_model::ast::{Level, Program, TableId};
use ser_isolation_model::engine::Schedule;
use ser_isolation_model::read::read;
use ser_isolation_model::value::{Decimal, Value};
use ser_isolation_search::anomaly::{Effort, Searched, find};
use ser_isolation_search::{Answer, decide};
use std::path::Path;

const LEVELS: [Level; 3] = [Level::ReadCommitted, Level::RepeatableRead, Level::Serializable];

#[test]
fn what_is_proved_has_no_anomaly_and_each_anomaly_is_accepted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples/sql");
    let entries = std::fs::read_dir(folder).expect("examples");
    let effort = Effort { runs: 4_000, ..Effort::default() };
    let (mut proved, mut seen) = (0, 0);
    for path in entries.map(|it| it.expect("an entry").path()) {
        // Its runs are long.
        if path.ends_with("tpcc.sql") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let program = read(&text).program;
        for level in LEVELS {
            let levels = vec![level; program.transactions.len()];
            let answer = decide(&program, &levels, &Limits::default()).expect("time");
            let cycle = match &answer {
                Answer::Cycle(it) => Some(&**it),
                _ => None,
            };
            match find(&program, &levels, cycle, effort, &Limits::default()) {
                Searched::Anomaly(run) => {
                    let robust = matches!(answer, Answer::Robust(_));
                    assert!(!robust, "{} at {level}: {run:?}", path.display());
                    check_anomaly(&program, &levels, &run).expect("accepted");
                    seen += 1;
                }
                Searched::Nothing { .. } => {
                    proved += usize::from(matches!(answer, Answer::Robust(_)));
                }
            }
        }
    }
    assert!(proved >= 10 && seen >= 5, "{proved} proved, {seen} seen");
}

const TEXT: &str = "
    CREATE TABLE counter (id bigint PRIMARY KEY, value numeric(8, 2) NOT NULL CHECK (value < 50));
    CREATE FUNCTION add(p bigint, more numeric) RETURNS numeric LANGUAGE plpgsql AS $$
    DECLARE v numeric;
    BEGIN
        SELECT value INTO v FROM counter WHERE id = p;
        UPDATE counter SET value = v + more WHERE id = p;
        RETURN v;
    END $$;
    -- name: show :one
    SELECT value FROM counter WHERE id = :id;";

fn program() -> Program {
    let read = read(TEXT);
    assert!(read.is_complete(), "{:?}", read.diagnostics);
    read.program
}

fn number(it: i64) -> Value {
    Value::Decimal(it.into())
}

/// Two who add to the same counter, one after the other has read.
fn lost_update() -> Evidence {
    let call = |more| ser_isolation_model::engine::Call {
        transaction: 0,
        arguments: vec![Value::Int(1), number(more)],
        level: Level::ReadCommitted,
    };
    let schedule = Schedule {
        rows: vec![(TableId(0), vec![Value::Int(1), number(0)])],
        calls: vec![call(1), call(2)],
        turns: vec![0, 1, 0, 0, 1, 1],
    };
    Evidence { levels: vec![Level::ReadCommitted; 2], claim: Claim::Anomaly(schedule) }
}

#[test]
fn a_lost_update_is_accepted_also_when_it_was_written_and_read() {
    let evidence = lost_update();
    let text = serde_json::to_string(&evidence).expect("a text");
    let read: Evidence = serde_json::from_str(&text).expect("evidence");
    assert_eq!(read, evidence);
    check_evidence(&program(), &read, &Limits::default()).expect("accepted");
}

/// What is changed, and the evidence after that.
fn forged() -> Vec<(&'static str, Evidence)> {
    let mut all = Vec::new();
    let mut forge = |what, change: &dyn Fn(&mut Schedule, &mut Vec<Level>)| {
        let mut it = lost_update();
        let Evidence { levels, claim: Claim::Anomaly(schedule) } = &mut it else { return };
        change(schedule, levels);
        all.push((what, it));
    };
    forge("nobody runs", &|it, _| it.calls.clear());
    forge("one runs alone", &|it, _| drop(it.calls.pop()));
    forge("a transaction that there is not", &|it, _| it.calls[1].transaction = 2);
    forge("another transaction", &|it, _| it.calls[1].transaction = 1);
    forge("another level", &|it, _| it.calls[1].level = Level::RepeatableRead);
    forge("a level that nobody has", &|_, levels| levels[0] = Level::Serializable);
    forge("no levels", &|_, levels| levels.clear());
    forge("levels that prevent it", &|it, levels| {
        levels.fill(Level::RepeatableRead);
        it.calls.iter_mut().for_each(|it| it.level = Level::RepeatableRead);
    });
    forge("a parameter less", &|it, _| drop(it.calls[0].arguments.pop()));
    forge("a parameter more", &|it, _| it.calls[0].arguments.push(Value::Null));
    forge("a parameter of another type", &|it, _| it.calls[0].arguments[0] = Value::text("x"));
    forge("another row is meant", &|it, _| it.calls[0].arguments[0] = Value::Int(2));
    forge("more than the column allows", &|it, _| it.calls[0].arguments[1] = number(90));
    forge("one after the other", &|it, _| it.turns = vec![0, 0, 0, 1, 1, 1]);
    forge("no turns", &|it, _| it.turns.clear());
    forge("turns of others", &|it, _| it.turns = vec![7; 9]);
    forge("no rows", &|it, _| it.rows.clear());
    forge("a row twice", &|it, _| it.rows.push(it.rows[0].clone()));
    forge("a row of no table", &|it, _| it.rows[0].0 = TableId(4));
    forge("a row that is too short", &|it, _| drop(it.rows[0].1.pop()));
    forge("a row that is too long", &|it, _| it.rows[0].1.push(Value::Null));
    forge("a row without a value", &|it, _| it.rows[0].1[1] = Value::Null);
    forge("a row of another type", &|it, _| it.rows[0].1[1] = Value::text("much"));
    forge("a row that the table excludes", &|it, _| it.rows[0].1[1] = number(50));
    forge("a number of endless digits", &|it, _| {
        it.rows[0].1[1] = Value::Decimal(Decimal { digits: 1, scale: u32::MAX });
    });
    all
}

#[test]
fn what_was_tampered_with_is_rejected() {
    let (program, forged) = (program(), forged());
    assert!(forged.len() >= 10);
    for (what, it) in forged {
        let verdict = check_evidence(&program, &it, &Limits::default());
        assert!(verdict.is_err(), "{what}: {verdict:?}");
    }
}

#[test]
fn a_run_is_no_proof_and_no_run_of_another_program() {
    let evidence = lost_update();
    let other = read(&TEXT.replace("SET value = v + more", "SET value = value + more")).program;
    assert!(
        check_evidence(&other, &evidence, &Limits::default()).is_ok(),
        "it returns what it read"
    );
    let locked = read(
        &TEXT.replace("WHERE id = p;\n        UPDATE", "WHERE id = p FOR UPDATE;\n        UPDATE"),
    );
    let verdict = check_evidence(&locked.program, &evidence, &Limits::default());
    assert!(verdict.is_err(), "{verdict:?}");
    let text = serde_json::to_string(&evidence).expect("a text").replace("anomaly", "robust");
    assert!(serde_json::from_str::<Evidence>(&text).is_err());
}
