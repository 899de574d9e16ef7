//! Certificates that were changed: each change is noticed, and the rejection says where.

use crate::common::ticket::{LEAVE, TAKE, TICKET, WAIT, ticket};
use crate::common::{With, accept, case, follows, induction, reject};
use ser_invariance_checker::{
    CaseProof, Certificate, Claim, How, Instance, Lemma, Mover, Node, Place, Premise, Problem,
    Reason, Term, TermRef, read,
};

/// The ticket lock with a change.
fn changed(
    change: impl FnOnce(&mut Vec<Term>, &mut Vec<Node>, &mut Vec<CaseProof>),
) -> Certificate {
    let mut certificate = ticket();
    match &mut certificate.claim {
        Claim::Proved { terms, nodes, safety } => {
            change(terms, nodes, safety.get_or_insert_default());
        }
        _ => panic!("it is a proof by induction"),
    }
    certificate
}

/// The cases of consecution of a node.
fn consecution(node: &mut Node) -> &mut Vec<CaseProof> {
    match &mut node.how {
        How::Induction { consecution, .. } => consecution,
        How::Follows(_) => panic!("it is an induction"),
    }
}

fn initiation(node: &mut Node) -> &mut Vec<CaseProof> {
    match &mut node.how {
        How::Induction { initiation, .. } => initiation,
        How::Follows(_) => panic!("it is an induction"),
    }
}

/// The rejection as people see it.
fn says(certificate: &Certificate, wanted: &str) {
    assert_eq!(reject(certificate).to_string(), wanted);
}

#[test]
fn nothing_is_changed_and_it_is_accepted() {
    accept(&changed(|_, _, _| {}));
    let text = serde_json::to_string(&ticket()).expect("JSON");
    let again = read(&text).expect("a certificate");
    assert_eq!(again, ticket());
    accept(&again);
}

#[test]
fn a_lemma_is_left_out() {
    let certificate = changed(|_, nodes, _| consecution(&mut nodes[0])[0].lemmas.clear());
    says(
        &certificate,
        "invariant `activelow`, step of another thread, location 3 (`take`, line 8), path 0, threads i, mover: \
         the conditions leave a solution, and there are no lemmas",
    );
    let certificate = changed(|_, nodes, _| drop(consecution(&mut nodes[3])[0].lemmas.pop()));
    says(
        &certificate,
        "invariant `mutex`, step of thread `i`, location 4 (`wait`, line 10), path 0, threads i, j: \
         the conditions and the only lemma leave a solution",
    );
}

#[test]
fn a_whole_case_is_left_out() {
    let certificate = changed(|_, nodes, _| consecution(&mut nodes[2]).clear());
    let rejection = reject(&certificate);
    let Some(Place::Case(place)) = &rejection.place else { panic!("{rejection}") };
    assert_eq!(place.invariant.as_deref(), Some("minticket"));
    assert_eq!(place.premise, Premise::Other);
    assert_eq!(place.location.as_ref().map(|it| (it.number, it.line.number)), Some((6, 13)));
    assert_eq!(place.partition, [0, 1]);
    assert_eq!(*rejection.reason, Reason::Open { lemmas: 0 });
}

#[test]
fn support_is_left_out() {
    let certificate = changed(|_, nodes, _| consecution(&mut nodes[1])[0].uses.clear());
    says(
        &certificate,
        "invariant `notsame`, step of thread `i`, location 3 (`take`, line 8), path 0, threads i, j: \
         the conditions and the 2 lemmas leave a solution",
    );
}

#[test]
fn support_is_that_of_another_thread() {
    let certificate =
        changed(|_, nodes, _| consecution(&mut nodes[1])[0].uses[0].threads = vec![0]);
    let rejection = reject(&certificate);
    assert_eq!(*rejection.reason, Reason::Open { lemmas: 2 }, "{rejection}");
}

#[test]
fn support_is_no_node() {
    let certificate = changed(|_, nodes, _| drop(nodes.remove(0)));
    says(
        &certificate,
        "invariant `notsame`: the proof uses `activelow`, which is not among the invariants that are claimed",
    );
    let certificate = changed(|_, nodes, safety| {
        nodes.clear();
        safety.push(case(Mover::Fresh, TAKE, 0, &[0]).using("mutex", &[0, 0]));
    });
    let wanted = Reason::NotClaimed { invariant: "mutex".into() };
    assert_eq!(*reject(&certificate).reason, wanted);
}

#[test]
fn support_with_threads_that_are_not_there() {
    let with = |threads: &[u32], conjunct: Option<u32>| {
        changed(|_, nodes, _| {
            let uses = &mut consecution(&mut nodes[1])[0].uses[0];
            uses.threads = threads.to_vec();
            uses.conjunct = conjunct;
        })
    };
    let invariant = || "activelow".to_owned();
    assert_eq!(*reject(&with(&[2], None)).reason, Reason::NoThread { block: 2 });
    let wanted = Reason::InstanceThreads { invariant: invariant(), given: 2, wanted: 1 };
    assert_eq!(*reject(&with(&[0, 1], None)).reason, wanted);
    let wanted = Reason::NoConjunct { invariant: invariant(), conjunct: 1 };
    assert_eq!(*reject(&with(&[1], Some(1))).reason, wanted);
    accept(&with(&[1], Some(0)));
}

#[test]
fn an_invariant_that_is_not_in_the_file() {
    let certificate = changed(|_, nodes, _| nodes.push(induction("fairness", vec![], vec![])));
    says(&certificate, "invariant `fairness`: there is no such invariant");
}

#[test]
fn an_invariant_twice() {
    let certificate = changed(|_, nodes, _| nodes.push(nodes[0].clone()));
    says(&certificate, "invariant `activelow`: the invariant is listed twice");
}

#[test]
fn a_case_twice() {
    let certificate = changed(|_, nodes, _| {
        let cases = consecution(&mut nodes[0]);
        cases.push(cases[0].clone());
    });
    says(&certificate, "invariant `activelow`: the case is listed twice");
}

#[test]
fn cases_that_do_not_exist() {
    let wrong = [
        case(Mover::Fresh, 99, 0, &[0, 1]),
        case(Mover::Fresh, TAKE, 1, &[0, 1]),
        // The fresh mover is none of the threads of the invariant.
        case(Mover::Fresh, TAKE, 0, &[0, 0]),
        // Blocks are numbered as they appear.
        case(Mover::Fresh, TAKE, 0, &[1, 0]),
        case(Mover::Fresh, TAKE, 0, &[0, 2]),
        case(Mover::Fresh, TAKE, 0, &[0, 1, 2]),
        case(Mover::Fresh, TAKE, 0, &[]),
        case(Mover::Variable(1), TAKE, 0, &[0]),
        case(Mover::Variable(0), TAKE, 0, &[0, 1]),
        case(Mover::Nobody, 0, 0, &[0]),
        case(Mover::Fresh, TAKE, 0, &vec![0; 100_000]),
        case(Mover::Variable(u32::MAX), u32::MAX, u32::MAX, &[u32::MAX]),
    ];
    for case in wrong {
        let (mover, location, path) = (case.mover, case.location, case.path);
        let partition = case.partition.clone();
        let certificate = changed(|_, nodes, _| consecution(&mut nodes[0]).push(case));
        let wanted = Reason::NoCase { mover, location, path, partition };
        let rejection = reject(&certificate);
        assert_eq!(*rejection.reason, wanted);
        assert_eq!(rejection.place, Some(Place::Invariant("activelow".into())));
    }
    let certificate = changed(|_, nodes, _| {
        initiation(&mut nodes[0]).push(case(Mover::Nobody, 0, 1, &[0]));
    });
    assert!(matches!(*reject(&certificate).reason, Reason::NoCase { .. }));
    let certificate = changed(|_, _, safety| safety.push(case(Mover::Variable(0), 0, 0, &[0])));
    assert!(matches!(*reject(&certificate).reason, Reason::NoCase { .. }));
}

#[test]
fn nothing_is_used_at_the_start() {
    let certificate = changed(|_, nodes, _| {
        initiation(&mut nodes[3]).push(case(Mover::Nobody, 0, 0, &[0, 1]).using("mutex", &[0, 1]));
    });
    says(
        &certificate,
        "invariant `mutex`, initiation, threads i, j: nothing can be used at the start, but the proof uses `mutex`",
    );
}

#[test]
fn the_program_is_another_one() {
    // Two threads can get the same ticket.
    let mut certificate = ticket();
    certificate.source = TICKET.replace(
        "atomic { ticket := avail; avail := avail + 1; }",
        "atomic { ticket := avail; avail := avail + 0; }",
    );
    says(
        &certificate,
        "invariant `activelow`, step of thread `i`, location 3 (`take`, line 8), path 0, threads i: \
         the conditions leave a solution, and there are no lemmas",
    );
    // In one more step.
    certificate.source = TICKET.replace(
        "take: atomic { ticket := avail; avail := avail + 1; }",
        "look: ticket := avail; take: avail := avail + 1;",
    );
    let rejection = reject(&certificate);
    assert!(rejection.to_string().starts_with("invariant `activelow`"), "{rejection}");
    // It does not start as it did.
    certificate.source = TICKET.replace("serving : int = 0", "serving : int = 1");
    certificate.source += "invariant zero: serving >= 1;\n";
    accept(&certificate);
    certificate.source = TICKET.replace("active: {", "active: { ");
    accept(&certificate);
    certificate.source = TICKET.replace("await serving == ticket", "await serving <= ticket");
    says(
        &certificate,
        "invariant `minticket`, step of thread `i`, location 4 (`wait`, line 10), path 0, threads i: \
         the conditions leave a solution, and there are no lemmas",
    );
}

#[test]
fn the_invariant_is_another_one() {
    let mut certificate = ticket();
    certificate.source = TICKET.replace("ticket[i] < avail;", "ticket[i] < avail - 1;");
    let rejection = reject(&certificate);
    assert!(rejection.to_string().starts_with("invariant `activelow`, step of thread `i`"));
    // For all pairs, also of a thread with itself.
    certificate.source = TICKET.replace("i != j -> !(at", "true -> !(at");
    says(
        &certificate,
        "invariant `mutex`, step of thread `i`, location 4 (`wait`, line 10), path 0, threads i = j: \
         the conditions leave a solution, and there are no lemmas",
    );
    certificate.source = TICKET.replace("at(i, active) -> ticket", "true -> ticket");
    says(
        &certificate,
        "invariant `activelow`, initiation, threads i: the conditions leave a solution, and there are no lemmas",
    );
}

#[test]
fn lemmas_that_make_no_sense() {
    let wrong = [
        (Lemma::Farkas(vec![(TermRef(99), 1)]), Problem::NoTerm { term: TermRef(99) }),
        (Lemma::Farkas(vec![(TermRef(0), 1)]), Problem::NoContradiction),
        (
            Lemma::Total(TermRef(0), TermRef(1)),
            Problem::Sort { term: TermRef(0), wanted: "an element" },
        ),
        (Lemma::Transitive(TermRef(0), TermRef(1), TermRef(0)), Problem::Numbers),
        (
            Lemma::Extreme(TermRef(0)),
            Problem::Sort { term: TermRef(0), wanted: "a set of numbers" },
        ),
    ];
    for (lemma, problem) in wrong {
        let certificate = changed(|_, nodes, _| consecution(&mut nodes[0])[0].lemmas.push(lemma));
        let rejection = reject(&certificate);
        assert!(
            matches!(&*rejection.reason, Reason::Lemma { lemma: 1, problem: it, .. } if *it == problem),
            "{rejection}"
        );
    }
    // Also where nothing has to be shown.
    let certificate = changed(|_, nodes, _| {
        let lemmas = vec![Lemma::Farkas(vec![])];
        consecution(&mut nodes[0]).push(case(Mover::Variable(0), LEAVE, 0, &[0]).with(lemmas));
    });
    says(
        &certificate,
        "invariant `activelow`, step of thread `i`, location 6 (`leave`, line 13), path 0, threads i: \
         lemma 0 (farkas) is wrong: the sum of the products is no number below 0",
    );
}

#[test]
fn terms_that_make_no_sense() {
    let with = |term: Term| {
        changed(|terms, nodes, _| {
            terms.push(term);
            let lemma = Lemma::Split(last(terms));
            consecution(&mut nodes[0])[0].lemmas.push(lemma);
        })
    };
    let last = ticket_terms();
    let problem = |certificate: &Certificate| match *reject(certificate).reason {
        Reason::Lemma { problem, .. } => problem,
        other => panic!("{other}"),
    };
    assert_eq!(problem(&with(Term::Global(2))), Problem::NoVariable { term: last });
    assert_eq!(problem(&with(Term::Local(9, 0))), Problem::NoVariable { term: last });
    assert_eq!(problem(&with(Term::Local(0, 2))), Problem::NoThread { term: last, block: 2 });
    assert_eq!(problem(&with(Term::New(0))), Problem::NoChoice { term: last, choice: 0 });
    assert_eq!(problem(&with(Term::Thread(5))), Problem::NoThread { term: last, block: 5 });
    assert_eq!(
        problem(&with(Term::Min(TermRef(0)))),
        Problem::Sort { term: TermRef(0), wanted: "a set of numbers" }
    );
    assert_eq!(
        problem(&with(Term::Next(0, TermRef(0)))),
        Problem::Sort { term: TermRef(0), wanted: "an address" }
    );
    let nested = Term::Sum { constant: i64::MIN, parts: vec![(i64::MAX, TermRef(last.0 - 1))] };
    assert_eq!(problem(&with(nested)), Problem::NestedSum { term: last });
    let large = Term::Sum { constant: i64::MIN, parts: vec![(i64::MIN, TermRef(0)); 2] };
    assert_eq!(problem(&with(large)), Problem::Overflow);
    // One that mentions itself, or one behind it.
    for part in [last.0, last.0 + 1, u32::MAX] {
        let certificate = with(Term::Min(TermRef(part)));
        assert_eq!(*reject(&certificate).reason, Reason::TermOrder { term: last.0 as usize });
    }
}

/// The one that was added last.
fn last(terms: &[Term]) -> TermRef {
    TermRef(terms.len() as u32 - 1)
}

fn ticket_terms() -> TermRef {
    match ticket().claim {
        Claim::Proved { terms, .. } => TermRef(terms.len() as u32),
        _ => panic!("it is a proof by induction"),
    }
}

#[test]
fn a_tower_of_terms() {
    let certificate = changed(|terms, _, _| {
        let first = terms.len() as u32;
        terms.push(Term::Null);
        terms.extend((0..100_000).map(|it| Term::Next(0, TermRef(first + it))));
    });
    assert!(matches!(*reject(&certificate).reason, Reason::TermDepth { .. }));
}

#[test]
fn it_follows_from_itself() {
    let certificate = changed(|_, nodes, _| {
        nodes[3] =
            follows("mutex", vec![case(Mover::Nobody, 0, 0, &[0, 1]).using("mutex", &[0, 1])]);
    });
    says(&certificate, "the invariant follows from itself: mutex <- mutex");
    let certificate = changed(|_, nodes, _| {
        let from = |other: &str| {
            let one = case(Mover::Nobody, 0, 0, &[0]).using(other, &[0]);
            vec![one]
        };
        nodes[0] = follows("activelow", from("minticket"));
        nodes[2] = follows("minticket", from("activelow"));
    });
    says(&certificate, "the invariant follows from itself: activelow <- minticket <- activelow");
}

#[test]
fn what_follows_is_not_assumed() {
    let certificate = changed(|_, nodes, _| nodes[3] = follows("mutex", vec![]));
    says(
        &certificate,
        "invariant `mutex`, it follows from others, threads i, j: the conditions leave a solution, and there are no lemmas",
    );
}

#[test]
fn a_proof_without_cycles_is_asked_for() {
    let mut certificate = changed(|_, nodes, _| {
        let own = case(Mover::Fresh, WAIT, 0, &[0, 1]).using("notsame", &[0, 1]);
        consecution(&mut nodes[0]).push(own);
    });
    accept(&certificate);
    certificate.source += "proof acyclic { }\n";
    says(
        &certificate,
        "the file asks for a proof without cycles, but here is one: activelow <- notsame <- activelow",
    );
    let mut certificate = changed(|_, nodes, _| {
        // Its own instances are always there.
        let own = case(Mover::Fresh, WAIT, 0, &[0, 1]).using("activelow", &[1]);
        consecution(&mut nodes[0]).push(own);
    });
    certificate.source += "proof acyclic { }\n";
    accept(&certificate);
}

#[test]
fn invariants_may_be_added_but_the_program_stays_the_same() {
    let completed = |text: &dyn Fn(&str) -> String| {
        let mut certificate = ticket();
        certificate.completed = Some(text(&certificate.source));
        certificate
    };
    accept(&completed(&|it| format!("// Laid out anew.\n\n{it}invariant more: true;\n")));
    let changes: [&dyn Fn(&str) -> String; 7] = [
        // Then invariants would be read as saying something else.
        &|it| it.replace("take:", "wait_:").replace("wait:", "take:").replace("wait_:", "wait:"),
        &|it| it.replace("leave:", "wander:"),
        &|it| it.replace("avail + 1", "avail + 2"),
        &|it| it.replacen("int = 0", "int = 1", 1),
        &|it| format!("{it}assume false;\n"),
        &|it| format!("{it}var more: int;\n"),
        &|it| it.replace("invariant activelow", "invariant more: true;\ninvariant activelow"),
    ];
    for change in changes {
        says(
            &completed(change),
            "the file with further invariants has another program than the file itself",
        );
    }
    // A run refutes what the file itself says.
    let mut refuted = completed(&|it| format!("{it}invariant never: false;\n"));
    let run = r#"{"threads":1,"globals":[{"int":0},{"int":0}],"locals":[[{"int":0}]],"cells":{},
        "steps":[],"shows":{"violated":{"invariant":"never","threads":[]}}}"#;
    refuted.claim = Claim::Refuted(serde_json::from_str(run).expect("a run"));
    reject(&refuted);
    refuted.source = refuted.completed.take().expect("a text");
    accept(&refuted);
}

#[test]
fn the_file_has_errors() {
    let mut certificate = ticket();
    certificate.source = TICKET.replace("ticket := avail;", "ticket := nobody;");
    let rejection = reject(&certificate);
    assert!(rejection.to_string().starts_with("the file has errors: "), "{rejection}");
    certificate.source.clear();
    assert!(matches!(*reject(&certificate).reason, Reason::Source { .. }));
}

#[test]
fn texts_that_are_no_certificates() {
    for text in ["", "{}", "[]", "{\"format\": 1}", "{\"format\": \"ser-invariance\"}"] {
        assert!(read(text).is_err(), "{text}");
    }
    let text = serde_json::to_string(&ticket()).expect("JSON");
    assert!(read(&text.replacen("\"claim\"", "\"unclaimed\"", 1)).is_err());
    assert!(read(&text.replacen("\"mover\":\"fresh\"", "\"mover\":\"stale\"", 1)).is_err());
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read(&deep).is_err());
}

#[test]
fn time_runs_out() {
    let limits = ser_base::Limits::default().with_timeout(std::time::Duration::ZERO);
    let rejection = ser_invariance_checker::check(&ticket(), &limits).expect_err("no time");
    assert!(matches!(*rejection.reason, Reason::Stopped(_)), "{rejection}");
}

#[test]
fn an_instance_that_is_more_than_the_state_before() {
    // Support speaks of the state before the step, never of the one after it.
    let source = "var x: int = 0;
        set Threads  process thread for self in Threads { loop { x := x + 1; } }
        invariant zero: x == 0;
        invariant still: x == 0;\n";
    let use_it = |name: &str| {
        vec![CaseProof {
            uses: vec![Instance { invariant: name.into(), conjunct: None, threads: vec![] }],
            ..case(Mover::Fresh, 1, 0, &[0])
        }]
    };
    let nodes = vec![
        induction("zero", vec![], use_it("still")),
        induction("still", vec![], use_it("zero")),
    ];
    let rejection = reject(&crate::common::proved(source, Default::default(), nodes, vec![]));
    assert_eq!(*rejection.reason, Reason::Open { lemmas: 0 });
}

/// Every place in a certificate at which there is a number.
fn numbers(value: &serde_json::Value, path: String, found: &mut Vec<String>) {
    match value {
        serde_json::Value::Number(_) => found.push(path),
        serde_json::Value::Array(list) => {
            for (place, it) in list.iter().enumerate() {
                numbers(it, format!("{path}/{place}"), found);
            }
        }
        serde_json::Value::Object(map) => {
            for (name, it) in map {
                numbers(it, format!("{path}/{name}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn numbers_that_are_anything_do_no_harm() {
    let certificate = changed(|terms, nodes, _| {
        // One of everything that has numbers.
        let set = terms.len() as u32;
        terms.extend([
            Term::Empty,
            Term::Min(TermRef(set)),
            Term::Thread(0),
            Term::Singleton(TermRef(0)),
            Term::Null,
        ]);
        let [set, number, thread, single, null] = [0, 1, 2, 3, 4].map(|it| TermRef(set + it));
        consecution(&mut nodes[0])[0].lemmas.extend([
            Lemma::Extreme(set),
            Lemma::Least(single, number),
            Lemma::Transitive(thread, thread, thread),
            Lemma::ReachCut(0, vec![null], null, null, null),
            Lemma::ReachLoop(0, vec![], vec![null, null], null),
            Lemma::OrderedGrows(0, null, null, null, null),
            Lemma::NotSame(single, single),
        ]);
    });
    accept(&certificate);
    let json = serde_json::to_value(&certificate).expect("JSON");
    let mut places = Vec::new();
    numbers(&json, String::new(), &mut places);
    assert!(places.len() > 100);
    let (mut read, mut accepted) = (0, 0);
    for place in &places {
        for number in [0i128, 1, 2, 3, 200, -1, u32::MAX.into(), i64::MIN.into(), u64::MAX.into()] {
            let mut changed = json.clone();
            let Some(it) = changed.pointer_mut(place) else { panic!("{place}") };
            *it = match u64::try_from(number) {
                Ok(number) => number.into(),
                Err(_) => (number as i64).into(),
            };
            let Ok(changed) = serde_json::from_value::<Certificate>(changed) else { continue };
            read += 1;
            // It is about the same file: whatever is accepted holds.
            accepted +=
                usize::from(ser_invariance_checker::check(&changed, &Default::default()).is_ok());
        }
    }
    assert!(accepted > 0 && accepted < read / 2, "{accepted} of {read}");
}
