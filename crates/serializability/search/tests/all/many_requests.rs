//! Families whose counterexamples need more and more requests.

use ser_base::Limits;
use ser_model::{GlobalId, ProgramModel, step_through};
use ser_serializability_checker::{
    Certificate, Counterexample, Event, OutcomeEntry, RunPart, Scope, Verdict, check, read,
};
use ser_serializability_search::{
    Answer, Decided, Options, Refutation, RuleOptions, Subject, certify, certify_along,
    decide_program,
};
use std::fmt::Write as _;

/// Programs are decided as one.
fn as_one() -> Options {
    let rules = RuleOptions { slices: false, ..RuleOptions::default() };
    Options { rules, ..Options::default() }
}

/// Decides a program, and has the answer checked along with whatever it is about.
fn refuted(text: &str) -> Refutation {
    let parse = ser_syntax::parse(text);
    assert!(!parse.has_errors(), "{text}");
    let limits = Limits::default();
    let small = ProgramModel::small(&parse.program, text, &limits);
    let subject = Subject { program: &parse.program, text, small, suspects: &|_, _, _| None };
    let (decided, _) = decide_program(subject, &as_one(), &limits, &|_| {});
    let (certificate, refutation) = match decided {
        Decided::Along(model, found) => {
            (certify_along(&found, model.system(), "p.ser", text.as_bytes()), *found)
        }
        Decided::Whole(model, answer, _) => {
            let certificate = certify(&answer, model.system(), "p.ser", text.as_bytes());
            let Answer::NotSerializable(found) = answer else { panic!("{answer:?}\n{text}") };
            (certificate.unwrap(), *found)
        }
        other => panic!("{other:?}\n{text}"),
    };
    assert_eq!(read(&certificate.to_text()).unwrap(), certificate);
    if let Err(rejection) = verify(&certificate, text) {
        panic!("{rejection}\n{}", certificate.to_text());
    }
    refutation
}

/// The certificate of a program that is refuted along a run.
fn along(text: &str) -> (Certificate, Refutation) {
    let program = ser_syntax::parse(text).program;
    let subject = Subject { program: &program, text, small: None, suspects: &|_, _, _| None };
    let (decided, _) = decide_program(subject, &as_one(), &Limits::default(), &|_| {});
    let Decided::Along(model, found) = decided else { panic!("{decided:?}") };
    (certify_along(&found, model.system(), "p.ser", text.as_bytes()), *found)
}

/// What the checker says of a certificate, and of what it is about.
fn verify(certificate: &Certificate, text: &str) -> Result<usize, String> {
    let program = ser_syntax::parse(text).program;
    let limits = Limits::default();
    let model = match certificate.scope() {
        Scope::Whole => ProgramModel::new(&program, text, &limits),
        Scope::Along(outline) => {
            ProgramModel::along(&program, text, &outline, &limits).map(|(model, _)| model)
        }
        Scope::Part(labels, bound) => ProgramModel::part(&program, text, &labels, bound, &limits),
        other => panic!("{other:?}"),
    };
    let system = model.map_err(|error| error.to_string())?.system().clone();
    let accepted = check(certificate, text.as_bytes(), &system, &limits);
    accepted.map_err(|rejection| rejection.to_string())?;
    Ok(system.globals().len())
}

fn leak(size: usize) -> String {
    format!(
        "Pool := {size}
         request take {{
             if (Pool == 0) {{ return 0 }};
             p := Pool; yield; Pool := p - 1; yield; Pool := Pool + 1; 1
         }}"
    )
}

#[test]
fn a_pool_that_leaks_runs_empty_when_it_is_full_of_takers() {
    for size in [7, 10, 16, 25, 40] {
        assert_eq!(refuted(&leak(size)).requests, size + 1, "{size}");
    }
}

#[test]
fn a_limit_that_nobody_reaches_alone_is_reached_together() {
    for size in [8, 12, 20, 40] {
        let text = format!(
            "request work(v in 0..2) {{
                 if (N == {size}) {{ return 9 }}; N := N + 1; yield; N := N - 1; v
             }}
             request flip {{ x := X; yield; X := 1 - x; 0 }}"
        );
        assert_eq!(refuted(&text).requests, size + 1, "{size}");
    }
}

#[test]
fn requests_that_abort_are_free_along_a_run_too() {
    // Whoever finds the pool empty gives up, which needs no explanation; that others see it empty
    // does.
    let text = "Pool := 12
         request take {
             if (Pool == 0) { abort }; p := Pool; yield; Pool := p - 1; yield; Pool := Pool + 1; 1
         }
         request see { Pool == 0 }";
    let found = refuted(text);
    assert!(found.requests > 6, "{}", found.requests);
    // If nobody sees it, nobody can tell.
    let unseen = text.replace("request see { Pool == 0 }", "request see { 0 }");
    let parse = ser_syntax::parse(&unseen);
    let limits = Limits::default().with_timeout(std::time::Duration::from_secs(2));
    let subject =
        Subject { program: &parse.program, text: &unseen, small: None, suspects: &|_, _, _| None };
    let (decided, _) = decide_program(subject, &as_one(), &limits, &|_| {});
    assert!(!matches!(decided, Decided::Along(..)), "{decided:?}");
}

#[test]
fn a_ring_of_neighbours_closes() {
    for size in [7, 8, 10] {
        let mut text = String::new();
        for i in 0..size {
            let next = (i + 1) % size;
            let _ = writeln!(text, "request t{i} {{ x := X{i}; yield; X{next} := 1; x }}");
        }
        assert_eq!(refuted(&text).requests, size, "{size}");
    }
}

#[test]
fn the_same_program_gives_the_same_run() {
    let (first, second) = (refuted(&leak(12)), refuted(&leak(12)));
    assert_eq!(first, second);
}

/// A serializable program in which values have no end.
#[test]
fn what_grows_is_no_counterexample() {
    let text = "request count { N := N + 1; yield; 0 } request look { N }";
    let program = ser_syntax::parse(text).program;
    let subject = Subject { program: &program, text, small: None, suspects: &|_, _, _| None };
    let limits = Limits::default().with_timeout(std::time::Duration::from_secs(20));
    let (decided, _) = decide_program(subject, &as_one(), &limits, &|_| {});
    assert!(!matches!(decided, Decided::Along(..) | Decided::Part(_)), "{decided:?}");
}

#[test]
fn steps_are_worked_out_on_demand() {
    let text = "request count { n := N; yield; N := n + 1; n }";
    let program = ser_syntax::parse(text).program;
    let last = step_through(&program, text, &Limits::default(), |steps| {
        let mut global = GlobalId(0);
        for _ in 0..1_000 {
            let mut local = steps.starts()[0].1;
            while steps.response(local).is_none() {
                (local, global) = steps.next(global, local).unwrap()[0];
            }
        }
        global
    });
    assert_eq!(last.unwrap(), GlobalId(1_000));
}

fn run(certificate: &mut Certificate) -> &mut Counterexample {
    let Verdict::NotSerializable(run) = &mut certificate.verdict else { panic!("a run") };
    run
}

type Tampering = (&'static str, fn(&mut Counterexample));

/// Requests 1, 2, ... are takers; the last one finds the pool empty.
const TAMPERINGS: &[Tampering] = &[
    ("nobody", |run| run.run.clear()),
    ("no outcome", |run| run.outcome.clear()),
    ("one event missing", |run| drop(run.run.remove(5))),
    ("the last event missing", |run| drop(run.run.pop())),
    ("the first event missing", |run| drop(run.run.remove(0))),
    ("two events in the other order", |run| run.run.swap(1, 3)),
    ("an event twice", |run| run.run.insert(1, run.run[1].clone())),
    ("one response more", |run| run.outcome[0].count += 1),
    ("one response less", |run| run.outcome[1].count -= 1),
    ("very many responses", |run| run.outcome[1].count = u64::MAX),
    ("a response twice", |run| run.outcome.push(run.outcome[0].clone())),
    ("another response", |run| run.outcome[0].response = "2".into()),
    ("a response in other words", |run| run.outcome[0].response = "00".into()),
    ("another label", |run| run.outcome[0].request = "put".into()),
    ("a label of its own", |run| {
        let Event::Start { request, .. } = &mut run.run[0] else { panic!("a start") };
        *request = "put".into();
    }),
    ("another place to start", |run| {
        let Event::Start { local, .. } = &mut run.run[0] else { panic!("a start") };
        *local = "done(0)".into();
    }),
    ("another number", |run| {
        let Event::Step { number, .. } = &mut run.run[1] else { panic!("a step") };
        *number = 0;
    }),
    ("a number of nobody", |run| {
        let Event::Step { number, .. } = &mut run.run[1] else { panic!("a step") };
        *number = u64::MAX;
    }),
    ("another value", |run| {
        let Event::Step { global, .. } = &mut run.run[1] else { panic!("a step") };
        *global = "Pool=0".into();
    }),
    ("another place", |run| {
        let Event::Step { local, .. } = &mut run.run[1] else { panic!("a step") };
        *local = "done(1)".into();
    }),
    ("a part, too", |run| {
        let labels = vec!["take".to_owned()];
        run.part = Some(RunPart { labels, requests: 100, preemptions: None });
    }),
];

#[test]
fn tampered_runs_are_rejected() {
    let text = leak(8);
    let (original, found) = along(&text);
    assert_eq!(found, refuted(&text));
    // Few states are needed.
    assert!(verify(&original, &text).unwrap() < 20);
    for (what, tamper) in TAMPERINGS {
        let mut tampered = original.clone();
        tamper(run(&mut tampered));
        assert_ne!(tampered, original, "{what}");
        assert!(verify(&tampered, &text).is_err(), "{what}");
    }
    // The same run of a pool that is larger, of one that does not leak, and of another text.
    let others = [
        leak(9),
        text.replace("p - 1", "Pool - 1").replace("yield; Pool := Pool + 1", "Pool := Pool + 1"),
        text.replace("Pool == 0", "Pool == 99"),
    ];
    for other in others {
        assert!(verify(&original, &other).is_err());
        let mut forged = original.clone();
        forged.source = ser_serializability_checker::Source::new("p.ser", other.as_bytes());
        assert!(verify(&forged, &other).is_err(), "{other}");
    }
}

/// A run that is serial is none along itself, either.
#[test]
fn a_serial_run_is_no_counterexample_along_itself() {
    let text = leak(8);
    let (mut certificate, _) = along(&text);
    // One taker alone.
    let local = |event: &Event| match event {
        Event::Start { number, .. } | Event::Step { number, .. } => *number == 1,
        Event::Respond { number, .. } => *number == 1,
    };
    let run = run(&mut certificate);
    let mut steps = Vec::new();
    for (at, event) in run.run.iter().filter(|event| local(event)).enumerate() {
        let mut event = event.clone();
        if let Event::Step { global, .. } = &mut event {
            *global = format!("Pool={}", if at == 2 { 7 } else { 8 });
        }
        steps.push(event);
    }
    run.run = steps;
    let entry = |e: &OutcomeEntry| e.response == "1";
    run.outcome.retain(entry);
    run.outcome[0].count = 1;
    let rejection = verify(&certificate, &text).unwrap_err();
    assert!(rejection.contains("also reached serially"), "{rejection}");
}
