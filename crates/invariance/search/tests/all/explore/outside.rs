//! States, steps and runs that come from outside.

use crate::explore::common::{NotARun, explored, first_state, replay, system, threads};
use ser_invariance_checker::run::{Cell, Elem, Run, RunStep, Shows, Value};
use ser_invariance_checker::witness;
use ser_invariance_search::explore::{
    Changed, NotAState, NotEnabled, State, apply, evaluate, holds, steps,
};
use ser_syntax::inv::ast::{Field, GlobalId, InvId, LocId, LocalId};
use std::collections::{BTreeMap, BTreeSet};

const TICKETS: &str = "
    var avail: int = 0; var serving: int = 0;
    set Threads  process thread for self in Threads {
        var ticket: int = 0;
        loop {
            take: atomic { ticket := avail; avail := avail + 1; }
            wait: await serving == ticket;
            leave: serving := serving + 1;
        }
    }
    invariant mutex(i, j): i != j -> !(at(i, leave) && at(j, leave));
    invariant served(i): at(i, leave) -> serving == ticket[i];";

fn tickets() -> (ser_syntax::inv::System, Run) {
    let system = system(TICKETS);
    let run = Run {
        threads: 2,
        globals: vec![Value::Int(0), Value::Int(0)],
        locals: vec![vec![Value::Int(0)]; 2],
        cells: BTreeMap::new(),
        steps: Vec::new(),
        shows: Shows::Error,
    };
    (system, run)
}

fn step(thread: u32, path: u32) -> RunStep {
    RunStep { thread, path, chosen: Vec::new() }
}

#[test]
fn a_counter_model_can_be_evaluated_and_stepped() {
    let (system, run) = tickets();
    let mut state = first_state(&system, &run).expect("a state");
    // Both have the ticket 5, which is being served: not reachable, but a state.
    for thread in &mut state.threads {
        thread.location = LocId(2);
        thread.locals = vec![Value::Int(5)];
    }
    state.globals = vec![Value::Int(9), Value::Int(5)];
    assert_eq!(holds(&system, &state, InvId(0), &[0, 1]), Ok(Ok(())));
    let next = apply(&system, &state, 0, 0, &[]).expect("enabled");
    let next = apply(&system, &next, 1, 0, &[]).expect("enabled");
    assert_eq!(holds(&system, &next, InvId(0), &[0, 1]), Ok(Err(0)));
    assert_eq!(holds(&system, &next, InvId(0), &[1, 1]), Ok(Ok(())));
    let next = apply(&system, &next, 1, 0, &[]).expect("enabled");
    assert_eq!(holds(&system, &next, InvId(1), &[0]), Ok(Err(0)));
    let formula = &system.invariants[1].conjuncts[0].formula;
    assert_eq!(evaluate(&system, &next, formula, &[0]), Ok(Value::Bool(false)));
    assert_eq!(apply(&system, &state, 7, 0, &[]), Err(NotEnabled::NoThread));
    assert_eq!(apply(&system, &state, 0, 1, &[]), Err(NotEnabled::OtherPath));
}

#[test]
fn a_step_that_waits_is_not_enabled() {
    let (system, run) = tickets();
    let mut state = first_state(&system, &run).expect("a state");
    state.threads[0].location = LocId(2);
    state.globals[1] = Value::Int(1);
    assert_eq!(apply(&system, &state, 0, 0, &[]), Err(NotEnabled::Waits));
}

#[test]
fn what_is_no_state_is_refused() {
    let (system, run) = tickets();
    let state = first_state(&system, &run).expect("a state");
    let broken = |change: &dyn Fn(&mut State)| {
        let mut state = state.clone();
        change(&mut state);
        apply(&system, &state, 0, 0, &[])
    };
    let refused =
        |outcome: Result<State, NotEnabled>| matches!(outcome, Err(NotEnabled::NotAState(_)));
    assert!(refused(broken(&|state| state.globals[0] = Value::Bool(true))));
    assert!(refused(broken(&|state| drop(state.globals.pop()))));
    assert!(refused(broken(&|state| state.threads[1].locals.clear())));
    assert!(refused(broken(&|state| state.threads[0].location = LocId(99))));
    assert!(refused(broken(&|state| {
        state.cells.insert(0, Cell::default());
    })));
    assert!(refused(broken(&|state| {
        state.globals[0] = Value::Set(BTreeSet::from([Value::Int(0), Value::Addr(1)]));
    })));
    let many = broken(&|state| state.threads = vec![state.threads[0].clone(); 2000]);
    assert_eq!(many, Err(NotEnabled::NotAState(NotAState::Threads)));
}

#[test]
fn addresses_may_be_any_numbers() {
    let system = system(
        "var head: addr; ghost var reg: set of addr;
        set Threads  process thread for self in Threads { var new: addr = null; new := malloc(highest, head); head := new; }
        invariant exact: reg == addr2set(head);",
    );
    let far = u32::MAX;
    let cell = |next| Cell { next, data: Elem::Between(3), lockid: Some(77) };
    let state = State {
        globals: vec![
            Value::Addr(far),
            Value::Set(BTreeSet::from([Value::Addr(far), Value::Addr(9), Value::Addr(0)])),
        ],
        threads: first_state(
            &system,
            &Run {
                threads: 1,
                globals: Vec::new(),
                locals: vec![vec![Value::Addr(0)]],
                cells: BTreeMap::new(),
                steps: Vec::new(),
                shows: Shows::Error,
            },
        )
        .expect("a state")
        .threads,
        cells: BTreeMap::from([(far, cell(9)), (9, cell(0))]),
    };
    assert_eq!(holds(&system, &state, InvId(0), &[]), Ok(Ok(())));
    for used in [far, 9, 0] {
        assert_eq!(apply(&system, &state, 0, 0, &[Value::Addr(used)]), Err(NotEnabled::Waits));
    }
    let next = apply(&system, &state, 0, 0, &[Value::Addr(1_000_000)]).expect("enabled");
    let new = Cell { next: far, data: Elem::Highest, lockid: None };
    assert_eq!(next.cells.get(&1_000_000), Some(&new));
    assert_eq!(next.cells.get(&9), Some(&cell(0)));
    // Without a value, with two, or with one of another type, the step is none.
    assert_eq!(apply(&system, &state, 0, 0, &[]), Err(NotEnabled::OtherPath));
    let two = [Value::Addr(5), Value::Addr(6)];
    assert_eq!(apply(&system, &state, 0, 0, &two), Err(NotEnabled::OtherPath));
    assert_eq!(apply(&system, &state, 0, 0, &[Value::Int(5)]), Err(NotEnabled::OtherPath));
}

#[test]
fn a_run_is_followed_to_what_it_shows() {
    let system = system(
        "var x: int = 0; set Threads  process thread for self in Threads { var y: int = 0; y := x; x := y + 1; }
        invariant small: x < 2;",
    );
    let run = Run {
        threads: 2,
        globals: vec![Value::Int(0)],
        locals: vec![vec![Value::Int(0)]; 2],
        cells: BTreeMap::new(),
        steps: vec![step(0, 0), step(0, 0), step(1, 0), step(1, 0)],
        shows: Shows::Violated { invariant: "small".into(), threads: Vec::new() },
    };
    assert_eq!(replay(&system, &run).map(|replay| replay.states.len()), Ok(5));
    let broken = |change: &dyn Fn(&mut Run)| {
        let mut run = run.clone();
        change(&mut run);
        replay(&system, &run).err()
    };
    assert_eq!(broken(&|run| drop(run.steps.pop())), Some(NotARun::ShowsNothing));
    assert_eq!(broken(&|run| run.globals = vec![Value::Int(1)]), Some(NotARun::NotInitial));
    assert_eq!(broken(&|run| run.locals = vec![vec![Value::Int(1)]; 2]), Some(NotARun::NotInitial));
    assert_eq!(broken(&|run| run.threads = 3), Some(NotARun::Threads));
    assert_eq!(broken(&|run| run.threads = 0), Some(NotARun::Threads));
    assert_eq!(broken(&|run| run.shows = Shows::Error), Some(NotARun::ShowsNothing));
    assert_eq!(
        broken(&|run| run.shows = Shows::Violated { invariant: "large".into(), threads: vec![] }),
        Some(NotARun::ShowsNothing)
    );
    assert_eq!(
        broken(&|run| run.shows = Shows::Violated { invariant: "small".into(), threads: vec![0] }),
        Some(NotARun::ShowsNothing)
    );
    assert!(matches!(
        broken(&|run| run.steps.push(step(0, 0))),
        Some(NotARun::Step { step: 4, why: NotEnabled::Waits })
    ));
    assert!(matches!(broken(&|run| run.steps[0].path = 1), Some(NotARun::Step { step: 0, .. })));
}

#[test]
fn a_run_speaks_of_its_own_threads_only() {
    let system = system(
        "var t: Threads; set Threads  process thread for self in Threads { t := choose(Threads); } invariant somebody: t != nobody;",
    );
    let run = |start: Option<u32>, chosen: Option<u32>| Run {
        threads: 2,
        globals: vec![Value::Tid(start)],
        locals: vec![Vec::new(); 2],
        cells: BTreeMap::new(),
        steps: vec![
            RunStep { thread: 0, path: 0, chosen: vec![Value::Tid(chosen)] },
            RunStep { thread: 1, path: 0, chosen: vec![Value::Tid(None)] },
        ],
        shows: Shows::Violated { invariant: "somebody".into(), threads: Vec::new() },
    };
    assert!(replay(&system, &run(Some(1), Some(0))).is_ok());
    assert_eq!(replay(&system, &run(Some(2), Some(0))), Err(NotARun::NoSuchThread));
    assert_eq!(replay(&system, &run(None, Some(2))), Err(NotARun::NoSuchThread));
}

#[test]
fn a_witness_has_lines_and_changes() {
    let text = "var a: addr = null;\nset Threads  process thread for self in Threads {\n    var x: int = 0;\n    x := 3;\n    a := malloc(lowest, null);\n    a.data := highest;\n}\ninvariant low: a != null -> a.data == lowest;";
    let system = system(text);
    let explored = explored(text, 1);
    let run = &explored.violations[0].run;
    let witnessed = witness(text, &system, run, &Default::default()).expect("a run").steps;
    let lines = ser_base::LineIndex::new(text);
    let told: Vec<u32> =
        witnessed.iter().map(|step| lines.position(step.span.start).line.number).collect();
    assert_eq!(told, [4, 5, 6]);
    let what = |step: usize| -> Vec<Changed> {
        witnessed[step].changes.iter().map(|change| change.what).collect()
    };
    assert_eq!(what(0), [Changed::Local(0, LocalId(0))]);
    assert_eq!(what(1), [Changed::Global(GlobalId(0)), Changed::Field(1, Field::Data)]);
    let change = &witnessed[2].changes[0];
    assert_eq!(change.before, Value::Elem(Elem::Lowest));
    assert_eq!(change.after, Value::Elem(Elem::Highest));
    assert!(witnessed.iter().all(|step| step.fault.is_none()));
}

#[test]
fn a_witness_ends_with_its_fault() {
    let text = "var a: addr = null; set Threads  process thread for self in Threads { skip; lock a; } invariant t: true;";
    let system = system(text);
    let explored = explored(text, 1);
    let run = &explored.faults[0].run;
    let witnessed = witness(text, &system, run, &Default::default()).expect("a run").steps;
    assert_eq!(witnessed[1].fault, Some(explored.faults[0].fault));
    assert_eq!(witnessed.len(), 2);
    assert!(witnessed[1].fault.is_some() && witnessed[1].changes.is_empty());
    assert_eq!(witnessed[1].from, witnessed[1].to);
}

#[test]
fn the_steps_of_a_state_are_those_that_can_be_applied() {
    let (system, run) = tickets();
    let mut state = first_state(&system, &run).expect("a state");
    for _ in 0..6 {
        let steps = steps(&system, &state, &threads(2)).expect("a state");
        assert!(!steps.is_empty());
        for (step, after) in &steps {
            let applied = apply(&system, &state, step.thread, step.path, &step.chosen);
            assert_eq!(applied.as_ref().ok(), after.as_ref().ok());
        }
        let (_, after) = steps.last().expect("a step").clone();
        state = after.expect("no fault");
    }
}
