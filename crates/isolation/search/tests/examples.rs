//! Which levels are enough for the examples, and why not less.

use ser_base::Limits;
use ser_isolation_checker::{Certificate, check};
use ser_isolation_model::ast::{Level, Program};
use ser_isolation_model::operations::Operations;
use ser_isolation_model::read::read;
use ser_isolation_search::{Answer, Cycle, Lock, Search, allocate, largest_robust, repairs};
use std::fmt::Write;

fn example(name: &str) -> (String, Program) {
    let path = format!("{}/../../../examples/sql/{name}.sql", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("an example");
    let read = read(&text);
    assert!(read.is_complete(), "{:?}", read.diagnostics);
    (text, read.program)
}

/// The first line of a statement, and what its operation does.
fn place(text: &str, search: &Search, operation: u32) -> String {
    let operation = search.system().operation(operation);
    let line = text[..operation.span.start as usize].matches('\n').count() + 1;
    format!("{line} {}", operation.kind.word())
}

fn tell(text: &str, program: &Program, search: &Search, cycle: &Cycle) -> String {
    let mut told = String::new();
    for (number, (member, link)) in cycle.members.iter().zip(&cycle.links).enumerate() {
        let name = &program.transactions[member.transaction].name.text;
        let level = Certificate::level(member.level);
        let arrow = if number == 0 { "  split" } else { "       " };
        let before = place(text, search, link.before);
        let after = place(text, search, link.after);
        writeln!(told, "{arrow} {name} ({level}): {before} -> {after}").expect("a text");
    }
    told
}

fn summary(name: &str) -> String {
    let (text, program) = example(name);
    let limits = Limits::default();
    let search = Search::new(Operations::of(&program));
    let names = |set: &[usize]| {
        let names: Vec<_> =
            set.iter().map(|it| program.transactions[*it].name.text.clone()).collect();
        format!("{{{}}}", names.join(", "))
    };
    let mut told = String::new();
    for outside in &search.system().operations().outside {
        let name = &program.transactions[outside.transaction].name.text;
        writeln!(told, "outside: {name}: {}", outside.reason).expect("a text");
    }
    for level in [Level::ReadCommitted, Level::RepeatableRead, Level::Serializable] {
        let levels = vec![level; program.transactions.len()];
        write!(told, "{}: ", Certificate::level(level)).expect("a text");
        match search.decide(&levels, &limits).expect("time") {
            Answer::Robust(certificate) => {
                told.push_str("robust\n");
                check(&program, &levels, &certificate, &limits).expect("accepted");
                continue;
            }
            Answer::Cycle(cycle) => {
                writeln!(told, "a cycle\n{}", tell(&text, &program, &search, &cycle).trim_end())
                    .expect("a text");
            }
            Answer::Outside(_) => told.push_str("not covered\n"),
        }
        if level != Level::Serializable {
            for locks in repairs(&program, &levels, &limits).expect("time").iter().take(6) {
                let lock = |it: &Lock| {
                    let line = text[..it.span.start as usize].matches('\n').count() + 1;
                    format!("{line} for {:?}", it.strength)
                };
                let locks: Vec<_> = locks.iter().map(lock).collect();
                writeln!(told, "  repaired by locks in {}", locks.join(" and ")).expect("a text");
            }
            let sets = largest_robust(&program, level, &limits).expect("time").expect("few");
            let sets: Vec<_> = sets.iter().map(|it| names(it)).collect();
            writeln!(told, "  largest robust: {}", sets.join(", ")).expect("a text");
        }
    }
    match allocate(&search, program.transactions.len(), &limits).expect("time") {
        Ok(allocation) => {
            for (transaction, level) in program.transactions.iter().zip(&allocation.levels) {
                writeln!(told, "{}: {}", transaction.name.text, Certificate::level(*level))
                    .expect("a text");
            }
            let answer = search.decide(&allocation.levels, &limits).expect("time");
            let Answer::Robust(it) = answer else { panic!("not robust: {answer:?}") };
            check(&program, &allocation.levels, &it, &limits).expect("accepted");
            for need in &allocation.needs {
                let name = &program.transactions[need.transaction].name.text;
                let level = Certificate::level(need.lower);
                let cycle = tell(&text, &program, &search, &need.cycle);
                write!(told, "not {level}: {name}\n{cycle}").expect("a text");
            }
        }
        Err(outside) => assert!(!outside.is_empty()),
    }
    told
}

#[test]
fn what_the_examples_need() {
    for name in [
        "auction",
        "counter",
        "courseware",
        "idempotency",
        "job_queue",
        "ledger",
        "seats",
        "shop",
        "smallbank",
        "tpcc",
    ] {
        insta::assert_snapshot!(name, summary(name));
    }
}
