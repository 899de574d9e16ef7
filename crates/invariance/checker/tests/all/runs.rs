//! Runs that show what is wrong: accepted, and tampered with.

use crate::common::{accept, certificate, reject};
use ser_invariance_checker::run::{Cell, Elem, RunStep, Shows, Value};
use ser_invariance_checker::{Certificate, Claim, Place, Reason, Run, Verdict};
use std::collections::BTreeMap;

/// A lock that is looked at and taken in two steps.
const LOCK: &str = "\
var free: bool = true;
var turn: int = 0;
set Threads  process thread for self in Threads {
  var seen: int = 0;
  loop {
    look: await free;
    take: atomic { free := false; seen := turn; turn := turn + 1; }
    crit: skip;
    leave: free := true;
  }
}
invariant mutex(i, j): i != j -> !(at(i, crit) && at(j, crit));
invariant once(i): seen[i] <= 1;
";

fn step(thread: u32, path: u32) -> RunStep {
    RunStep { thread, path, chosen: vec![] }
}

fn choosing(thread: u32, path: u32, chosen: Vec<Value>) -> RunStep {
    RunStep { thread, path, chosen }
}

fn violated(invariant: &str, threads: &[u32]) -> Shows {
    Shows::Violated { invariant: invariant.into(), threads: threads.to_vec() }
}

/// Two threads look, and both take.
fn lock_run() -> Run {
    Run {
        threads: 2,
        globals: vec![Value::Bool(true), Value::Int(0)],
        locals: vec![vec![Value::Int(0)]; 2],
        cells: BTreeMap::new(),
        steps: vec![step(0, 0), step(1, 0), step(0, 0), step(1, 0), step(0, 0), step(1, 0)],
        shows: violated("mutex", &[0, 1]),
    }
}

fn lock(change: impl FnOnce(&mut Run)) -> Certificate {
    let mut run = lock_run();
    change(&mut run);
    certificate(LOCK, Claim::Refuted(run))
}

fn says(certificate: &Certificate, wanted: &str) {
    assert_eq!(reject(certificate).to_string(), wanted);
}

#[test]
fn two_threads_in_a_broken_lock() {
    let verdict = accept(&lock(|_| {}));
    let wanted = Verdict::Refuted { shows: violated("mutex", &[0, 1]), threads: 2, steps: 6 };
    assert_eq!(verdict, wanted);
    // The other way around, and with a third thread that does nothing.
    accept(&lock(|run| run.shows = violated("mutex", &[1, 0])));
    accept(&lock(|run| {
        run.threads = 3;
        run.locals.push(vec![Value::Int(0)]);
    }));
}

#[test]
fn it_does_not_start_like_that() {
    says(
        &lock(|run| run.globals[1] = Value::Int(7)),
        "start of the run: `turn` does not have its initial value",
    );
    says(
        &lock(|run| run.locals[1][0] = Value::Int(1)),
        "start of the run: `seen` does not have its initial value",
    );
    says(
        &lock(|run| run.globals[0] = Value::Int(1)),
        "start of the run: the value of `free` does not have its type, or names a thread that does not exist",
    );
    says(
        &lock(|run| drop(run.globals.pop())),
        "start of the run: the run gives 1 values for 2 globals",
    );
    says(
        &lock(|run| run.locals[0].push(Value::Int(0))),
        "start of the run: the run gives 2 values for 1 locals",
    );
    says(
        &lock(|run| drop(run.locals.pop())),
        "start of the run: the run gives 1 values for 2 threads",
    );
}

#[test]
fn there_are_no_such_threads() {
    says(
        &lock(|run| {
            run.threads = 0;
            run.locals.clear();
        }),
        "start of the run: the run has 0 threads, but there is at least 1",
    );
    says(
        &lock(|run| run.threads = u32::MAX),
        "start of the run: the run has 4294967295 threads, but 1000 is the most",
    );
    says(&lock(|run| run.steps[3].thread = 2), "step 3: there is no such thread");
    let mut closed = lock(|_| {});
    closed.source = LOCK.replace("set Threads ", "set Threads == 3 ");
    says(&closed, "start of the run: the run has 2 threads, but the file says 3");
    closed.source = LOCK.replace("set Threads ", "set Threads == 2 ");
    accept(&closed);
}

#[test]
fn a_step_is_not_possible() {
    // The second thread looks too late.
    says(
        &lock(|run| run.steps.swap(3, 4)),
        "step 4: the step is not possible: the condition in line 6 does not hold",
    );
    let late = lock(|run| {
        run.steps = vec![step(0, 0), step(0, 0), step(0, 0), step(1, 0), step(1, 0)];
    });
    says(&late, "step 4: the step is not possible: the condition in line 6 does not hold");
    says(&lock(|run| run.steps[2].path = 1), "step 2: its location has no path 1");
    // `loop` never ends.
    says(
        &lock(|run| run.steps[0].path = 1),
        "step 0: the step is not possible: the condition in line 5 does not hold",
    );
    let wanted = Reason::Choice { line: 6.into() };
    let chosen = lock(|run| run.steps[2].chosen.push(Value::Int(1)));
    assert_eq!(*reject(&chosen).reason, wanted);
}

#[test]
fn it_shows_something_else() {
    let shows = |shows: Shows| lock(|run| run.shows = shows);
    let wrong = "end of the run: the run does not show what it is said to show: ";
    says(&shows(violated("mutex", &[0, 0])), &format!("{wrong}the invariant holds"));
    says(&shows(violated("once", &[0])), &format!("{wrong}the invariant holds"));
    says(&shows(violated("mutex", &[0, 2])), &format!("{wrong}there is no such thread"));
    says(
        &shows(violated("mutex", &[0])),
        &format!("{wrong}the invariant has another number of parameters"),
    );
    says(&shows(violated("fair", &[])), &format!("{wrong}there is no such invariant"));
    says(&shows(Shows::Error), &format!("{wrong}the last step is no error"));
    let shorter = lock(|run| drop(run.steps.pop()));
    says(&shorter, &format!("{wrong}the invariant holds"));
}

/// A list: everything about the heap.
const LIST: &str = "\
var head: addr;
var seen: set of addr = {};
assume head != null && head.next == null && head.lockid == nobody;
set Threads  process thread for self in Threads {
  var new: addr = null;
  var e: elem;
  loop {
    pick: e := choose(elem) where e != lowest;
    make: new := malloc(e, head.next);
    take: lock head;
    link: head.next := new;
    give: unlock head;
    walk: new := new.next;
    again: new := new.next;
  }
}
invariant short: !reach(head, null) || head.next == null;
invariant locked: head.lockid == nobody;
";

fn elem(number: i64) -> Value {
    Value::Elem(Elem::Between(number))
}

fn list_run() -> Run {
    Run {
        threads: 1,
        globals: vec![Value::Addr(3), Value::Set(Default::default())],
        locals: vec![vec![Value::Addr(0), elem(9)]],
        cells: [(3, Cell { data: Elem::Lowest, ..Cell::default() })].into(),
        steps: vec![
            step(0, 0),
            choosing(0, 0, vec![elem(4)]),
            choosing(0, 0, vec![Value::Addr(8)]),
            step(0, 0),
            step(0, 0),
        ],
        shows: violated("short", &[]),
    }
}

fn list(change: impl FnOnce(&mut Run)) -> Certificate {
    let mut run = list_run();
    change(&mut run);
    certificate(LIST, Claim::Refuted(run))
}

#[test]
fn a_list_grows() {
    accept(&list(|_| {}));
    accept(&list(|run| {
        run.steps.pop();
        run.shows = violated("locked", &[]);
    }));
    // At last the thread reads from `null`.
    let walk = |run: &mut Run| {
        run.steps.extend([step(0, 0), step(0, 0), step(0, 0)]);
        run.shows = Shows::Error;
    };
    accept(&list(walk));
    let more = list(|run| {
        walk(run);
        run.steps.push(step(0, 0));
    });
    says(&more, "step 7: the step is an error (line 14), which the run does not say");
    let not_said = list(|run| {
        walk(run);
        run.shows = violated("short", &[]);
    });
    says(&not_said, "step 7: the step is an error (line 14), which the run does not say");
}

#[test]
fn choices_that_are_not_allowed() {
    let choice = |place: usize, value: Value| list(|run| run.steps[place].chosen = vec![value]);
    let at = |place: usize, line: u32, certificate: &Certificate| {
        let rejection = reject(certificate);
        assert_eq!(rejection.place, Some(Place::Step(place)), "{rejection}");
        assert_eq!(*rejection.reason, Reason::Choice { line: line.into() });
    };
    at(1, 8, &choice(1, Value::Elem(Elem::Lowest)));
    at(1, 8, &choice(1, Value::Int(3)));
    at(1, 8, &list(|run| run.steps[1].chosen.clear()));
    // Neither `null`, nor what somebody knows.
    at(2, 9, &choice(2, Value::Addr(0)));
    at(2, 9, &choice(2, Value::Addr(3)));
    at(2, 9, &list(|run| run.steps[2].chosen.push(Value::Addr(9))));
    let reached = list(|run| {
        run.cells.insert(3, Cell { next: 5, ..Cell::default() });
        run.steps[2].chosen = vec![Value::Addr(5)];
    });
    says(&reached, "start of the run: the assumption in line 3 does not hold");
    let mut reached = reached;
    reached.source = LIST.replace("&& head.next == null", "");
    at(2, 9, &reached);
    let mut known = list(|run| run.globals[1] = Value::Set([Value::Addr(8)].into()));
    known.source = LIST.replace("set of addr = {}", "set of addr");
    at(2, 9, &known);
}

#[test]
fn heaps_that_cannot_be() {
    let null = list(|run| {
        run.cells.insert(0, Cell::default());
    });
    says(&null, "start of the run: the cell of `null` is given");
    let owner = list(|run| {
        run.cells.insert(4, Cell { lockid: Some(1), ..Cell::default() });
    });
    says(&owner, "start of the run: cell 4 is locked by a thread that does not exist");
    let locked = list(|run| {
        run.cells.insert(3, Cell { lockid: Some(0), ..Cell::default() });
    });
    says(&locked, "start of the run: the assumption in line 3 does not hold");
    // The lock is taken already.
    let waits = list(|run| {
        run.threads = 2;
        run.locals.push(run.locals[0].clone());
        run.steps.insert(4, step(1, 0));
        run.steps.insert(5, choosing(1, 0, vec![elem(1)]));
        run.steps.insert(6, choosing(1, 0, vec![Value::Addr(9)]));
        run.steps.insert(7, step(1, 0));
    });
    says(&waits, "step 7: the step is not possible: the condition in line 10 does not hold");
}

#[test]
fn threads_that_are_named() {
    let source = "var chosen: Threads;
        var flag: int = 0;
        set Threads  process thread for self in Threads { before: atomic { if self == chosen { flag := 1; } } crit: skip; }
        invariant quiet: at(chosen, crit) -> flag == 0;\n";
    let run = |chosen: Option<u32>, steps: Vec<RunStep>| {
        let run = Run {
            threads: 2,
            globals: vec![Value::Tid(chosen), Value::Int(0)],
            locals: vec![vec![]; 2],
            cells: BTreeMap::new(),
            steps,
            shows: violated("quiet", &[]),
        };
        certificate(source, Claim::Refuted(run))
    };
    accept(&run(Some(1), vec![step(1, 0)]));
    let wrong =
        "end of the run: the run does not show what it is said to show: the invariant holds";
    says(&run(Some(0), vec![step(1, 1)]), wrong);
    says(
        &run(Some(0), vec![step(1, 0)]),
        "step 0: the step is not possible: the condition in line 3 does not hold",
    );
    says(&run(None, vec![]), "start of the run: `chosen` has to be a thread");
    says(
        &run(Some(2), vec![]),
        "start of the run: the value of `chosen` does not have its type, or names a thread that does not exist",
    );
}

#[test]
fn a_procedure_returns_to_its_call() {
    let source = "var x: int = 0;
        set Threads  process thread for self in Threads { p(1); x := p(2); }
        fn p(k: int): int { return k + k; }
        invariant small: x < 4;
        invariant zero: x == 0;\n";
    let run = |steps: Vec<RunStep>| {
        let run = Run {
            threads: 1,
            globals: vec![Value::Int(0)],
            locals: vec![vec![Value::Int(5)]],
            cells: BTreeMap::new(),
            steps,
            shows: violated("small", &[]),
        };
        certificate(source, Claim::Refuted(run))
    };
    accept(&run(vec![step(0, 0), step(0, 0), step(0, 0), step(0, 1)]));
    says(&run(vec![step(0, 0), step(0, 1)]), "step 1: the procedure returns to another call");
    // The thread has ended.
    let ended = run(vec![step(0, 0), step(0, 0), step(0, 0), step(0, 1), step(0, 0)]);
    says(&ended, "step 4: its location has no path 0");
}

#[test]
fn numbers_that_are_too_large() {
    let source = "var x: int;
        set Threads  process thread for self in Threads { loop { x := 2 * x; } }
        invariant small: x < 4;\n";
    let run = Run {
        threads: 1,
        globals: vec![Value::Int(i64::MAX)],
        locals: vec![vec![]],
        cells: BTreeMap::new(),
        steps: vec![step(0, 0), step(0, 0)],
        shows: violated("small", &[]),
    };
    says(&certificate(source, Claim::Refuted(run)), "step 1: a number becomes too large");
}

#[test]
fn a_certificate_of_a_run_is_read_again() {
    for certificate in [lock(|_| {}), list(|_| {})] {
        let text = serde_json::to_string(&certificate).expect("JSON");
        assert_eq!(ser_invariance_checker::read(&text).expect("a certificate"), certificate);
    }
}
