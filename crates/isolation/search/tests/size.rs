//! Fifty transactions.

use ser_base::Limits;
use ser_isolation_model::operations::Operations;
use ser_isolation_model::read::read;
use ser_isolation_search::{Answer, Search, allocate};
use std::fmt::Write;
use std::time::Instant;

/// Transactions on ten tables: each reads two rows and updates one, by keys that it is given.
fn many(count: usize) -> String {
    let mut text = String::new();
    for table in 0..10 {
        writeln!(text, "CREATE TABLE t{table} (id bigint PRIMARY KEY, x bigint NOT NULL);")
            .expect("a text");
    }
    for number in 0..count {
        let (one, two, three) = (number % 10, (number * 3 + 1) % 10, (number * 7 + 2) % 10);
        let write = if number % 3 == 0 { one } else { three };
        writeln!(
            text,
            "CREATE FUNCTION f{number}(p bigint, q bigint, r bigint) RETURNS bigint LANGUAGE plpgsql AS $$
             DECLARE v bigint; w bigint;
             BEGIN
                SELECT x INTO v FROM t{one} WHERE id = p;
                SELECT x INTO w FROM t{two} WHERE id = q;
                IF v < w THEN
                    UPDATE t{write} SET x = x + v WHERE id = p;
                ELSE
                    UPDATE t{write} SET x = x + w WHERE id = p;
                END IF;
                UPDATE t{three} SET x = x + 1 WHERE id = r;
                RETURN v + w;
             END $$;"
        )
        .expect("a text");
    }
    text
}

#[test]
fn fifty_transactions_take_seconds() {
    let read = read(&many(50));
    assert!(read.is_complete(), "{:?}", read.diagnostics);
    let limits = Limits::default();
    let begun = Instant::now();
    let search = Search::new(Operations::of(&read.program));
    let allocation = allocate(&search, 50, &limits).expect("time").expect("levels");
    let allocated = begun.elapsed();
    let answer = search.decide(&allocation.levels, &limits).expect("time");
    let decided = begun.elapsed();
    let Answer::Robust(certificate) = answer else { panic!("{answer:?}") };
    ser_isolation_checker::check(&read.program, &allocation.levels, &certificate, &limits)
        .expect("accepted");
    let told = format!(
        "{} operations, {} needs, {} reached; allocated in {allocated:?}, decided after {decided:?}, \
         checked after {:?}",
        search.system().count(),
        allocation.needs.len(),
        certificate.chains.iter().map(|it| it.reached.len()).sum::<usize>(),
        begun.elapsed()
    );
    assert!(allocated.as_secs() < 100, "{told}");
}

#[test]
fn the_benchmarks_take_less_than_a_second() {
    for name in ["smallbank", "tpcc"] {
        let path = format!("{}/../../../examples/sql/{name}.sql", env!("CARGO_MANIFEST_DIR"));
        let read = read(&std::fs::read_to_string(path).expect("an example"));
        let begun = Instant::now();
        let search = Search::new(Operations::of(&read.program));
        let allocation = allocate(&search, 5, &Limits::default()).expect("time").expect("levels");
        assert_eq!(allocation.levels.len(), 5);
        let elapsed = begun.elapsed();
        // Ten times as much as it takes, for machines that are busy.
        assert!(elapsed.as_secs() < 10, "{name}: {elapsed:?}");
    }
}
