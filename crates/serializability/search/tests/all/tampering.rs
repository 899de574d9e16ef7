//! Certificates that somebody has tampered with are rejected, and the message names the place.
//!
//! For every kind of certificate that the engine makes, one that it really made, and a table of
//! changes that alter what it says. The checker must reject each of them: not because the verdict
//! would be false (it stays true of the system), but because the argument for it is broken.

use ser_base::Limits;
use ser_model::{NetworkSystem, ProgramModel, read_json};
use ser_net::Reductions;
use ser_serializability_checker::{
    Arithmetic, Certificate, Component, Counterexample, CutPlace, EffectName, Event, InFlight,
    Inclusion, Label, LetterName, Move, Node, PlaceName, Proof, Reduction, SerialElement, Side,
    Terms, Verdict,
};
use ser_serializability_search::{
    ArithmeticOptions, InclusionOptions, Methods, Options, certify, decide,
};
use std::collections::BTreeSet;

/// A change, and how the place begins that the message must name.
type Tampering = (&'static str, &'static str, fn(&mut Certificate));

/// A source with its system and the engine's certificate.
struct Original {
    source: &'static str,
    system: NetworkSystem,
    certificate: Certificate,
}

/// Explanations as they are, and letters that are read as late as possible.
const PLAIN: InclusionOptions = InclusionOptions {
    labels: true,
    loops: true,
    last: false,
    debts: true,
    waiting: true,
    promises: true,
    prophecy: false,
    stand_ins: false,
};

fn original(source: &'static str, methods: Methods) -> Original {
    // The tables know the shapes of proofs without these.
    let reductions = Reductions { deferral: false, alike: false, ..Reductions::default() };
    let arithmetic = ArithmeticOptions { clauses: false, ..ArithmeticOptions::default() };
    let options =
        Options { methods, reductions, arithmetic, inclusion: PLAIN, ..Options::default() };
    original_with(source, options)
}

fn original_with(source: &'static str, options: Options) -> Original {
    let limits = Limits::default();
    let system = if source.starts_with('{') {
        read_json(source).expect("a system")
    } else {
        let parse = ser_syntax::parse(source);
        assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
        ProgramModel::new(&parse.program, source, &limits).expect("few states").system().clone()
    };
    let (answer, _) = decide(&system, &options, &limits, &|_| {});
    let certificate = certify(&answer, &system, "test", source.as_bytes())
        .unwrap_or_else(|| panic!("no answer: {answer:?}"));
    ser_serializability_checker::check(&certificate, source.as_bytes(), &system, &limits)
        .unwrap_or_else(|rejection| panic!("{rejection}\n{}", certificate.to_text()));
    Original { source, system, certificate }
}

/// Applies every change of the table to a fresh copy.
fn reject_all(original: &Original, table: &[Tampering]) {
    let names: BTreeSet<&str> = table.iter().map(|(name, _, _)| *name).collect();
    assert_eq!(names.len(), table.len(), "every change has a name of its own");
    let mut wrong = Vec::new();
    for (name, place, tamper) in table {
        let mut tampered = original.certificate.clone();
        tamper(&mut tampered);
        assert_ne!(tampered, original.certificate, "{name} changes nothing");
        let source = original.source.as_bytes();
        match ser_serializability_checker::check(
            &tampered,
            source,
            &original.system,
            &Limits::default(),
        ) {
            Ok(accepted) => wrong.push(format!("{name}: accepted, {accepted}")),
            Err(rejection) if rejection.place.starts_with(place) => {
                assert!(!rejection.place.is_empty() && !rejection.reason.to_string().is_empty());
            }
            Err(rejection) => wrong.push(format!("{name}: not at `{place}`, but {rejection}")),
        }
    }
    let text = original.certificate.to_text();
    assert!(wrong.is_empty(), "\n{}\n{text}", wrong.join("\n"));
}

const ALL: Methods = Methods { refute: true, atomic: true, inclusion: true, arithmetic: true };
const INCLUSION: Methods =
    Methods { refute: false, atomic: false, inclusion: true, arithmetic: false };
const ARITHMETIC: Methods =
    Methods { refute: false, atomic: false, inclusion: false, arithmetic: true };

const GONE: &str = "the engine's certificate has nothing of the kind any more; find another source";

fn run(c: &mut Certificate) -> &mut Counterexample {
    let Verdict::NotSerializable(counterexample) = &mut c.verdict else { panic!("{GONE}") };
    counterexample
}

fn inclusion(c: &mut Certificate) -> &mut Inclusion {
    let Verdict::Serializable(Proof::Inclusion(inclusion)) = &mut c.verdict else {
        panic!("{GONE}")
    };
    inclusion
}

fn arithmetic(c: &mut Certificate) -> &mut Arithmetic {
    let Verdict::Serializable(Proof::Arithmetic(arithmetic)) = &mut c.verdict else {
        panic!("{GONE}")
    };
    arithmetic
}

fn letter(request: &str, response: &str) -> LetterName {
    LetterName(request.into(), response.into())
}

// -----------------------------------------------------------------------------------
// Counterexamples

#[test]
fn counterexamples() {
    let original = original("request main { X := 1; yield; y := X; X := 0; y }", ALL);
    reject_all(
        &original,
        &[
            ("another source", "source", |c| {
                c.source.sha256 = ser_serializability_checker::digest(b"another")
            }),
            ("the run stops before its end", "end of run", |c| {
                run(c).run.pop();
            }),
            ("the first event is missing", "step 1", |c| {
                run(c).run.remove(0);
            }),
            ("an event in the middle is missing", "step", |c| {
                let step = |e: &Event| matches!(e, Event::Step { .. });
                let at = run(c).run.iter().position(step).expect(GONE);
                run(c).run.remove(at);
            }),
            ("an event happens twice", "step", |c| {
                let last = run(c).run.last().expect(GONE).clone();
                run(c).run.push(last);
            }),
            ("the run backwards", "step 1", |c| run(c).run.reverse()),
            ("a request arrives with the number of another", "step", |c| {
                for event in &mut run(c).run {
                    if let Event::Start { number, .. } = event {
                        *number = 1;
                    }
                }
            }),
            ("a request starts behind its first step", "step", |c| {
                let mut events = run(c).run.clone();
                let Some(Event::Step { local: to, .. }) =
                    events.iter().find(|e| matches!(e, Event::Step { .. })).cloned()
                else {
                    panic!("{GONE}")
                };
                if let Event::Start { local, .. } = &mut events[0] {
                    *local = to;
                }
                run(c).run = events;
            }),
            ("a step to another local state", "step", |c| {
                for event in &mut run(c).run {
                    if let Event::Step { local, .. } = event {
                        *local = "done(1)".into();
                        return;
                    }
                }
            }),
            ("a step to another global state", "step", |c| {
                for event in &mut run(c).run {
                    if let Event::Step { global, .. } = event {
                        *global = if global == "X=0" { "X=1" } else { "X=0" }.into();
                        return;
                    }
                }
            }),
            ("a step to a global state that does not exist", "step", |c| {
                for event in &mut run(c).run {
                    if let Event::Step { global, .. } = event {
                        *global = "X=2".into();
                        return;
                    }
                }
            }),
            ("the other response", "step", |c| {
                for event in &mut run(c).run {
                    if let Event::Respond { response, .. } = event {
                        *response = if response == "0" { "1" } else { "0" }.into();
                        return;
                    }
                }
            }),
            ("a count too many", "outcome[0]", |c| run(c).outcome[0].count += 1),
            ("a count of none", "outcome[0]", |c| run(c).outcome[0].count = 0),
            ("an entry of the outcome is missing", "outcome", |c| {
                run(c).outcome.pop();
            }),
            ("an entry of the outcome is listed twice", "outcome[", |c| {
                let first = run(c).outcome[0].clone();
                run(c).outcome.push(first);
            }),
            ("an entry of the outcome that is not in the run", "outcome[0]", |c| {
                run(c).outcome[0].response = "2".into();
            }),
            ("another request in the outcome", "outcome[0]", |c| {
                run(c).outcome[0].request = "mein".into();
            }),
            ("nothing happens", "end of run", |c| {
                run(c).run.clear();
                run(c).outcome.clear();
            }),
            ("one request alone, which is a serial run", "outcome", |c| {
                let alone = |e: &Event| {
                    let (Event::Start { number, .. }
                    | Event::Step { number, .. }
                    | Event::Respond { number, .. }) = e;
                    *number == 1
                };
                // Request 1 with the steps it would have alone: X = 1, and X = 0 with the response
                // 1.
                let mut events: Vec<Event> =
                    run(c).run.iter().filter(|e| alone(e)).cloned().collect();
                for event in &mut events {
                    match event {
                        Event::Step { local, global, .. } if local.starts_with("done") => {
                            (*local, *global) = ("done(1)".into(), "X=0".into());
                        }
                        Event::Respond { response, .. } => *response = "1".into(),
                        _ => {}
                    }
                }
                run(c).run = events;
                run(c).outcome.truncate(1);
                let entry = &mut run(c).outcome[0];
                (entry.response, entry.count) = ("1".into(), 1);
            }),
            ("the other verdict", "invariant", |c| {
                c.verdict = Verdict::Serializable(Proof::Inclusion(Inclusion::default()));
            }),
        ],
    );
}

// -----------------------------------------------------------------------------------
// Inclusion: reductions, and nothing in flight any more

/// The first mover of the certificate.
fn mover(c: &mut Certificate) -> &mut Move {
    let movers = inclusion(c).reductions.iter_mut();
    let mut movers = movers.filter_map(|r| if let Reduction::Move(m) = r { Some(m) } else { None });
    movers.next().expect(GONE)
}

/// Where the first mover is.
fn mover_at(c: &mut Certificate) -> usize {
    let is_mover = |r: &Reduction| matches!(r, Reduction::Move(_));
    inclusion(c).reductions.iter().position(is_mover).expect(GONE)
}

#[test]
fn reductions_and_movers() {
    // A lock, which needs to know who is together with whom, and a log that nobody reads.
    let source = "
        request main {
            while (L == 1) { yield };
            L := 1; X := 1;
            yield;
            y := X; X := 0; L := 0; y
        }
        request log { Log := 1; yield; 0 }";
    let original = original(source, ALL);
    let text = original.certificate.to_text();
    for needed in ["\"move\"", "\"sharp\": true", "\"idle\""] {
        assert!(text.contains(needed), "{needed}: {GONE}\n{text}");
    }
    reject_all(
        &original,
        &[
            ("another source", "source", |c| {
                c.source.sha256 = ser_serializability_checker::digest(b"another")
            }),
            ("no reductions at all", "invariant[", |c| inclusion(c).reductions.clear()),
            ("all but the movers", "invariant[", |c| {
                inclusion(c).reductions.retain(|r| !matches!(r, Reduction::Move(_)));
            }),
            ("no idling", "reductions[", |c| {
                inclusion(c).reductions.retain(|r| *r != Reduction::Stuttering);
            }),
            ("the sharp movers are plain", "reductions[", |c| {
                for reduction in &mut inclusion(c).reductions {
                    if let Reduction::Move(m) = reduction {
                        m.sharp = false;
                    }
                }
            }),
            ("the lock moves to the left", "reductions[", |c| {
                // The step into the critical section takes the lock, the step out of it gives it
                // back: neither commutes with the waiting of others in the plain form.
                for reduction in &mut inclusion(c).reductions {
                    if let Reduction::Move(m) = reduction {
                        m.side = if m.side == Side::Left { Side::Right } else { Side::Left };
                        m.sharp = false;
                    }
                }
            }),
            ("a mover twice", "reductions[", |c| {
                let at = mover_at(c);
                let again = inclusion(c).reductions[at].clone();
                inclusion(c).reductions.push(again);
            }),
            ("a mover of a place that is not there", "reductions[", |c| {
                mover(c).place.1 = "done(0)".into();
            }),
            ("a mover of another request", "reductions[", |c| {
                let name = &mut mover(c).place.0;
                *name = if name == "main" { "log" } else { "main" }.into();
            }),
            ("a mover of an unknown request", "reductions[", |c| mover(c).place.0 = "mein".into()),
            ("a group of one", "reductions[0].merge[0]", |c| {
                let place = mover(c).place.clone();
                inclusion(c).reductions.insert(0, Reduction::Merge(vec![vec![place]]));
            }),
            ("a group of places that differ", "reductions[0].merge[0]", |c| {
                let mover = mover(c).place.clone();
                let other = original_place(mover.0.as_str());
                inclusion(c).reductions.insert(0, Reduction::Merge(vec![vec![mover, other]]));
            }),
            ("a triple is missing", "invariant", |c| {
                inclusion(c).invariant.pop();
            }),
            ("the first triple is missing", "invariant", |c| {
                inclusion(c).invariant.remove(0);
            }),
            ("no triples", "invariant", |c| inclusion(c).invariant.clear()),
            ("another explanation", "invariant", |c| {
                for triple in &mut inclusion(c).invariant {
                    triple.serial[0].global = "L=1,X=1,Log=0".into();
                }
            }),
            ("a global state that does not exist", "invariant[0]", |c| {
                inclusion(c).invariant[0].global = "L=7".into();
            }),
            ("an invented loop", "invariant", |c| {
                for triple in &mut inclusion(c).invariant {
                    triple.serial[0].loops.push(letter("main", "0"));
                }
            }),
        ],
    );
}

/// A place that behaves unlike the one that moves.
fn original_place(request: &str) -> PlaceName {
    PlaceName(request.into(), if request == "log" { "done(0)" } else { "done(1)" }.into())
}

// -----------------------------------------------------------------------------------
// Inclusion: counters, loops and debts

/// The first triple with somebody in flight.
fn flying(c: &mut Certificate) -> &mut InFlight {
    let triples = inclusion(c).invariant.iter_mut();
    triples.flat_map(|t| &mut t.in_flight).next().expect(GONE)
}

/// The first serial element that fits.
fn element(c: &mut Certificate, fits: fn(&SerialElement) -> bool) -> &mut SerialElement {
    let triples = inclusion(c).invariant.iter_mut();
    triples.flat_map(|t| &mut t.serial).find(|e| fits(e)).expect(GONE)
}

#[test]
fn inclusion_with_counters() {
    // Somebody must have left before the last one can: at X = 2 there are two in flight.
    let source = "
        request r0 {
            if (X == 2) { X := 0 } else { X := X + 1 };
            yield;
            assume(X == 2);
            X := b;
            a
        }
        request r1 { a := X; a }";
    let original = original(source, INCLUSION);
    let text = original.certificate.to_text();
    assert!(text.contains("\"count\": 2, \"period\": 1"), "{GONE}\n{text}");
    reject_all(
        &original,
        &[
            ("a triple is missing", "invariant", |c| {
                inclusion(c).invariant.pop();
            }),
            ("the start is missing", "invariant", |c| {
                inclusion(c).invariant.remove(0);
            }),
            ("one less in flight", "invariant", |c| {
                for n in inclusion(c).invariant.iter_mut().flat_map(|t| &mut t.in_flight) {
                    n.count -= 1;
                }
            }),
            ("one more in flight", "invariant", |c| flying(c).count += 1),
            ("exactly so many instead of more", "invariant", |c| {
                for n in inclusion(c).invariant.iter_mut().flat_map(|t| &mut t.in_flight) {
                    n.period = 0;
                }
            }),
            ("every other number only", "invariant", |c| {
                for n in inclusion(c).invariant.iter_mut().flat_map(|t| &mut t.in_flight) {
                    n.period *= 2;
                }
            }),
            ("any number where there was one", "invariant", |c| {
                let n = inclusion(c).invariant.iter_mut().flat_map(|t| &mut t.in_flight);
                n.filter(|n| n.count == 1).for_each(|n| (n.count, n.period) = (0, 1));
            }),
            ("nobody in flight", "invariant", |c| {
                let t = inclusion(c).invariant.iter_mut().find(|t| !t.in_flight.is_empty());
                t.expect(GONE).in_flight.clear();
            }),
            ("a place is listed twice", "invariant", |c| {
                let t = inclusion(c).invariant.iter_mut().find(|t| !t.in_flight.is_empty());
                let t = t.expect(GONE);
                let first = t.in_flight[0].clone();
                t.in_flight.push(first);
            }),
            ("a place of another request", "invariant", |c| flying(c).request = "r1".into()),
            ("a place that does not exist", "invariant", |c| flying(c).local = "nowhere".into()),
            ("an invented explanation", "invariant[", |c| {
                let t =
                    inclusion(c).invariant.iter_mut().find(|t| t.serial.is_empty()).expect(GONE);
                let global = t.global.clone();
                t.serial.push(SerialElement {
                    global,
                    loops: Vec::new(),
                    debts: Vec::new(),
                    waiting: None,
                });
            }),
            ("no explanation", "invariant[0]", |c| inclusion(c).invariant[0].serial.clear()),
            ("an invented loop", "invariant", |c| {
                inclusion(c).invariant[0].serial[0].loops.push(letter("r0", "0"));
            }),
            ("an invented debt", "invariant[0]", |c| {
                inclusion(c).invariant[0].serial[0].debts.push(letter("r0", "0"));
            }),
            ("a huge number", "invariant", |c| flying(c).count = u64::MAX),
        ],
    );
}

#[test]
fn inclusion_with_loops_and_debts() {
    let source = r#"{ "initial_global": "G0",
        "requests": [["r0", "L0"], ["r1", "L1"]],
        "responses": [["L0", "1"], ["L0", "2"], ["L1", "0"]],
        "transitions": [["L0", "G1", "L0", "G2"], ["L0", "G1", "L1", "G1"], ["L0", "G1", "L1", "G2"],
                        ["L1", "G0", "L0", "G1"], ["L1", "G1", "L1", "G2"]] }"#;
    let original = original(source, INCLUSION);
    reject_all(
        &original,
        &[
            ("a debt is forgotten", "invariant[", |c| {
                element(c, |e| !e.debts.is_empty()).debts.clear()
            }),
            ("a debt of another letter", "invariant[", |c| {
                element(c, |e| !e.debts.is_empty()).debts[0] = letter("r1", "0");
            }),
            ("a debt that cannot be", "invariant[", |c| {
                element(c, |e| !e.debts.is_empty()).debts[0] = letter("r1", "7");
            }),
            // Loops and debts are sets: one that is listed twice is the same one.
            ("a debt where there was none", "invariant[", |c| {
                element(c, |e| e.debts.is_empty()).debts.push(letter("r0", "0"));
            }),
            ("a loop that is none", "invariant[", |c| {
                element(c, |e| !e.debts.is_empty()).loops.push(letter("r0", "0"));
            }),
            ("a letter waits from the start", "invariant", |c| {
                element(c, |_| true).waiting = Some(letter("r0", "1"));
            }),
            ("the serial run is elsewhere", "invariant", |c| {
                element(c, |e| e.global == "G1").global = "G0".into();
            }),
            ("a triple is missing", "invariant", |c| {
                inclusion(c).invariant.remove(1);
            }),
            ("the last triple is missing", "invariant", |c| {
                inclusion(c).invariant.pop();
            }),
            ("a triple is of another global state", "invariant", |c| {
                inclusion(c).invariant[0].global = "G1".into();
            }),
            ("idling is not left out", "invariant", |c| {
                inclusion(c).reductions.retain(|r| *r != Reduction::Stuttering);
            }),
            // (Exactly one in flight instead of one or more would be right as well.)
            ("another number in flight", "invariant", |c| flying(c).count = 2),
            ("nobody in flight", "invariant", |c| {
                let t = inclusion(c).invariant.iter_mut().find(|t| !t.in_flight.is_empty());
                t.expect(GONE).in_flight.clear();
            }),
            ("an element of another triple", "invariant", |c| {
                let e = element(c, |e| e.global == "G1").clone();
                inclusion(c).invariant[0].serial.push(e);
            }),
        ],
    );
}

// -----------------------------------------------------------------------------------
// Inclusion: labels, and letters that wait

#[test]
fn inclusion_with_labels() {
    let source = "
        request r0 {
            if (X == 1) { X := 0 } else { X := X + 1 };
            yield;
            X := 1;
            b
        }
        request r1 { Y := 0; yield; b := X; yield; X := 1; Y }
        request r2 { b := Y; yield; assume(X == 1); a }";
    let original = original(source, ALL);
    let text = original.certificate.to_text();
    assert!(text.contains("\"labels\""), "{GONE}\n{text}");
    reject_all(
        &original,
        &[
            ("no labels", "invariant[", |c| inclusion(c).labels.clear()),
            ("another response", "labels[0]", |c| inclusion(c).labels[0].response = "1".into()),
            ("an unknown response", "labels[0]", |c| inclusion(c).labels[0].response = "x".into()),
            ("another request", "labels[0]", |c| inclusion(c).labels[0].request = "r1".into()),
            ("another place", "labels[0]", |c| inclusion(c).labels[0].local = "done(0)".into()),
            ("a label twice", "labels[1]", |c| {
                let first = inclusion(c).labels[0].clone();
                inclusion(c).labels.push(first);
            }),
            ("two labels for a place", "labels[1]", |c| {
                let first = inclusion(c).labels[0].clone();
                inclusion(c).labels.push(Label { response: "1".into(), ..first });
            }),
            ("a mover is missing", "invariant[", |c| {
                let at = mover_at(c);
                inclusion(c).reductions.remove(at);
            }),
            ("the labelled place moves, too", "reductions[", |c| {
                let Label { request, local, .. } = inclusion(c).labels[0].clone();
                let place = PlaceName(request, local);
                let entry = Move { place, side: Side::Right, sharp: true };
                inclusion(c).reductions.push(Reduction::Move(entry));
            }),
            ("a triple is missing", "invariant", |c| {
                inclusion(c).invariant.pop();
            }),
            ("nobody in flight", "invariant", |c| {
                let t = inclusion(c).invariant.iter_mut().find(|t| !t.in_flight.is_empty());
                t.expect(GONE).in_flight.clear();
            }),
            ("exactly so many instead of more", "invariant", |c| flying(c).period = 0),
            // Fewer loops would do: at X = 1 every letter is an edge of its own.
            ("the serial run is elsewhere", "invariant", |c| {
                for e in inclusion(c).invariant.iter_mut().flat_map(|t| &mut t.serial) {
                    e.global = "X=0,Y=0".into();
                }
            }),
            ("a loop from the start", "invariant", |c| {
                element(c, |e| e.loops.is_empty()).loops.push(letter("r2", "0"));
            }),
        ],
    );
}

#[test]
fn inclusion_with_a_letter_that_waits() {
    let source = "
        request r0 { if (X == 1) { X := 0 } else { X := X + 1 }; Y := 1; b }
        request r1 {
            while (L == 1) { yield };
            L := 1; Y := a;
            yield;
            a := X;
            yield;
            if (Y == 1) { a := Y };
            L := 0;
            a
        }
        request r2 { while (L == 1) { yield }; L := 1; Y := 1; Y }";
    let original = original(source, INCLUSION);
    fn waits(e: &SerialElement) -> bool {
        e.waiting.is_some()
    }
    let text = original.certificate.to_text();
    assert!(text.contains("\"waiting\""), "{GONE}\n{text}");
    reject_all(
        &original,
        &[
            ("nothing waits", "invariant", |c| element(c, waits).waiting = None),
            ("another letter waits", "invariant", |c| {
                element(c, waits).waiting = Some(letter("r2", "1"));
            }),
            ("a letter waits that cannot be", "invariant", |c| {
                element(c, waits).waiting = Some(letter("r2", "0"));
            }),
            ("a letter waits from the start", "invariant", |c| {
                element(c, |_| true).waiting = Some(letter("r0", "0"));
            }),
            ("an element that nothing waits in", "invariant", |c| {
                let mut e = element(c, waits).clone();
                e.waiting = None;
                let triples = inclusion(c).invariant.iter_mut();
                let t = triples.filter(|t| t.serial.iter().any(waits)).last().expect(GONE);
                t.serial.push(e);
            }),
            ("its debts are forgotten", "invariant", |c| element(c, waits).debts.clear()),
            ("its serial run is elsewhere", "invariant", |c| {
                element(c, waits).global = "X=0,Y=1,L=0".into();
            }),
            ("a loop for the letter", "invariant", |c| {
                element(c, waits).loops.push(letter("r0", "0"));
            }),
            ("a mover is missing", "invariant", |c| {
                let at = mover_at(c);
                inclusion(c).reductions.remove(at);
            }),
            ("a mover to the other side", "reductions[", |c| {
                let m = mover(c);
                m.side = if m.side == Side::Left { Side::Right } else { Side::Left };
            }),
            // That exclusion comes later changes nothing here: the sharp mover does not need it.
            ("idling comes too late", "reductions[", |c| {
                let list = &mut inclusion(c).reductions;
                let at = list.iter().position(|r| *r == Reduction::Stuttering).expect(GONE);
                let idle = list.remove(at);
                list.push(idle);
            }),
            ("a triple is missing", "invariant", |c| {
                let at = inclusion(c).invariant.iter().position(|t| t.serial.iter().any(waits));
                inclusion(c).invariant.remove(at.expect(GONE));
            }),
            ("one more in flight", "invariant", |c| flying(c).count += 1),
        ],
    );
}

// -----------------------------------------------------------------------------------
// Arithmetic

fn children(node: &mut Node) -> Vec<&mut Node> {
    match node {
        Node::Split { le, gt, .. } => vec![le, gt],
        Node::Sign { negative, zero, positive, .. } => vec![negative, zero, positive],
        Node::Modulo { cases, .. } => cases.iter_mut().collect(),
        Node::Cut { none, some, .. } => vec![none, some],
        Node::Last { never, some, .. } => vec![never, some],
        Node::Farkas { .. } | Node::Lattice { .. } | Node::Member { .. } => Vec::new(),
    }
}

fn find(node: &mut Node, fits: fn(&Node) -> bool) -> Option<&mut Node> {
    if fits(node) {
        return Some(node);
    }
    children(node).into_iter().find_map(|child| find(child, fits))
}

/// The first node of all trees that fits.
fn node(c: &mut Certificate, fits: fn(&Node) -> bool) -> &mut Node {
    let trees = arithmetic(c).cases.iter_mut().map(|case| &mut case.tree);
    trees.into_iter().find_map(|tree| find(tree, fits)).expect(GONE)
}

/// The first leaf that says "member" with at least one period.
fn member(c: &mut Certificate) -> &mut ser_serializability_checker::Member {
    let fits = |n: &Node| matches!(n, Node::Member { member } if !member.lambda.is_empty());
    let Node::Member { member } = node(c, fits) else { unreachable!() };
    member
}

fn is_cut(n: &Node) -> bool {
    matches!(n, Node::Cut { .. })
}

fn is_sign(n: &Node) -> bool {
    matches!(n, Node::Sign { .. })
}

fn is_split(n: &Node) -> bool {
    matches!(n, Node::Split { .. })
}

fn is_modulo(n: &Node) -> bool {
    matches!(n, Node::Modulo { .. })
}

fn farkas(c: &mut Certificate) -> &mut Terms {
    let Node::Farkas { multipliers } = node(c, |n| matches!(n, Node::Farkas { .. })) else {
        unreachable!()
    };
    multipliers
}

/// Every number becomes another one.
fn turn(terms: &mut Terms) {
    for number in terms.0.values_mut() {
        *number = match number.strip_prefix('-') {
            Some(positive) => positive.to_owned(),
            None => format!("-{number}"),
        };
    }
}

/// The first component with a word and cycles.
fn words(
    c: &mut Certificate,
) -> (&mut Vec<ser_serializability_checker::Reading>, &mut Vec<ser_serializability_checker::Cycle>)
{
    let components = arithmetic(c).components.iter_mut();
    let mut found = components.filter_map(|component| match component {
        Component::Words { word, cycles } if !word.is_empty() && !cycles.is_empty() => {
            Some((word, cycles))
        }
        _ => None,
    });
    found.next().expect(GONE)
}

#[test]
fn arithmetic_with_signs_and_cuts() {
    let source = r#"{ "initial_global": "G0",
        "requests": [["r0", "L4"], ["r1", "L2"], ["r2", "L1"]],
        "responses": [["L0", "2"], ["L3", "2"]],
        "transitions": [["L0", "G1", "L4", "G1"], ["L1", "G0", "L0", "G1"], ["L2", "G1", "L0", "G1"],
                        ["L3", "G1", "L2", "G0"]] }"#;
    let original = original(source, ARITHMETIC);
    reject_all(
        &original,
        &[
            ("another source", "source", |c| {
                c.source.sha256 = ser_serializability_checker::digest(b"another")
            }),
            ("no reductions", "transitions", |c| arithmetic(c).reductions.clear()),
            ("a transition is missing", "transitions", |c| {
                arithmetic(c).transitions.pop();
            }),
            ("a transition twice", "transitions[2]", |c| {
                let first = arithmetic(c).transitions[0].clone();
                arithmetic(c).transitions.push(first);
            }),
            ("a transition with another response", "transitions[0]", |c| {
                arithmetic(c).transitions[0].effect = EffectName::Responds(letter("r1", "2"));
            }),
            ("a transition to another global state", "transitions[0]", |c| {
                arithmetic(c).transitions[0].after = "G0".into();
            }),
            ("transitions in another order", "cases[", |c| arithmetic(c).transitions.reverse()),
            ("a component is missing", "cases[", |c| {
                arithmetic(c).components.pop();
            }),
            ("components in another order", "cases[", |c| arithmetic(c).components.reverse()),
            ("another base word", "components[", |c| words(c).0[0].0 = letter("r1", "2")),
            ("a base word to another global state", "components[", |c| {
                words(c).0[0].1 = "G0".into()
            }),
            ("a base word without its letter", "components[", |c| words(c).0.clear()),
            ("a cycle elsewhere", "components[", |c| words(c).1[0].at = 0),
            ("a cycle nowhere", "components[", |c| words(c).1[0].at = 9),
            ("a cycle that is none", "components[", |c| words(c).1[0].word[0].1 = "G0".into()),
            ("a cycle is missing", "cases[", |c| words(c).1.clear()),
            ("a case is missing", "cases", |c| {
                arithmetic(c).cases.pop();
            }),
            ("a case twice", "cases[2]", |c| {
                let first = arithmetic(c).cases[0].clone();
                arithmetic(c).cases.push(first);
            }),
            ("a case for another end", "cases[", |c| {
                let (a, b) =
                    (arithmetic(c).cases[0].global.clone(), arithmetic(c).cases[1].global.clone());
                arithmetic(c).cases[0].global = b;
                arithmetic(c).cases[1].global = a;
            }),
            ("a case for no global state", "cases[0]", |c| {
                arithmetic(c).cases[0].global = Some("G9".into());
            }),
            ("one case for all", "cases", |c| arithmetic(c).cases[0].global = None),
            ("the first case for all, alone", "cases[", |c| {
                arithmetic(c).cases.truncate(1);
                arithmetic(c).cases[0].global = None;
            }),
            ("other multipliers", "cases[", |c| turn(farkas(c))),
            ("no multipliers", "cases[", |c| farkas(c).0.clear()),
            ("a multiplier of an unknown hypothesis", "cases[", |c| {
                farkas(c).0.insert("h99".into(), "1".into());
            }),
            ("a multiplier that is no number", "cases[", |c| {
                farkas(c).0.values_mut().for_each(|n| *n = "one".into());
            }),
            ("the sign of another form", "cases[", |c| {
                let Node::Sign { form, .. } = node(c, is_sign) else { unreachable!() };
                turn(form);
            }),
            ("the sign of half a form", "cases[", |c| {
                let Node::Sign { form, .. } = node(c, is_sign) else { unreachable!() };
                form.0.values_mut().for_each(|n| *n = "1/2".into());
            }),
            ("negative and positive swapped", "cases[", |c| {
                let Node::Sign { negative, positive, .. } = node(c, is_sign) else {
                    unreachable!()
                };
                std::mem::swap(negative, positive);
            }),
            ("the case of zero for all", "cases[", |c| {
                let Node::Sign { positive, zero, .. } = node(c, is_sign) else { unreachable!() };
                *positive = zero.clone();
            }),
            ("a sign is left out", "cases[", |c| {
                let sign = node(c, is_sign);
                let Node::Sign { zero, .. } = sign.clone() else { unreachable!() };
                *sign = *zero;
            }),
            ("a name is used again", "cases[", |c| {
                let Node::Sign { name, .. } = node(c, is_sign) else { unreachable!() };
                let taken = name.clone();
                let Node::Cut { name, .. } = node(c, is_cut) else { unreachable!() };
                *name = taken;
            }),
            ("a cut of nothing", "cases[", |c| {
                let Node::Cut { places, .. } = node(c, is_cut) else { unreachable!() };
                places.clear();
            }),
            ("a cut where the run starts", "cases[", |c| {
                let Node::Cut { places, .. } = node(c, is_cut) else { unreachable!() };
                places.push(CutPlace::Global { global: "G0".into() });
            }),
            // G1 is empty at the end, too, and the same multipliers show it. But not G0.
            ("a cut at the end, where the run ends", "cases[", |c| {
                let Node::Cut { places, side, .. } = node(c, is_cut) else { unreachable!() };
                *places = vec![CutPlace::Global { global: "G0".into() }];
                *side = ser_serializability_checker::End::End;
            }),
            ("a cut of a phase that is not there", "cases[", |c| {
                let Node::Cut { phase, part, .. } = node(c, is_cut) else { unreachable!() };
                (*phase, *part) =
                    (Some("p".into()), Some(ser_serializability_checker::Part::First));
            }),
            ("the two sides of a cut swapped", "cases[", |c| {
                let Node::Cut { none, some, .. } = node(c, is_cut) else { unreachable!() };
                std::mem::swap(none, some);
            }),
            ("another component", "cases[", |c| member(c).component = 0),
            ("a component that is not there", "cases[", |c| member(c).component = 7),
            ("a period less", "cases[", |c| {
                member(c).lambda.pop();
            }),
            ("another number of a period", "cases[", |c| turn(&mut member(c).lambda[0])),
            ("no reason why it is not negative", "cases[", |c| {
                member(c).nonneg.pop();
            }),
            ("a letter less", "cases[", |c| {
                member(c).equal.pop();
            }),
            ("no reason why they are equal", "cases[", |c| {
                member(c).equal.iter_mut().for_each(|terms| terms.0.clear());
            }),
            ("the counterpart in the other verdict", "end of run", |c| {
                let nothing = Counterexample::default();
                c.verdict = Verdict::NotSerializable(nothing);
            }),
        ],
    );
}

#[test]
fn arithmetic_with_splits() {
    let source = "
        request r0 { yield; if (Y == 2) { Y := 0 } else { Y := Y + 1 }; b }
        request r1 {
            if (Y == 2) { Y := 0 } else { Y := Y + 1 };
            yield;
            assume(Y == 1);
            if (Y == 2) { Y := 0 } else { Y := Y + 1 };
            a
        }";
    let original = original(source, ARITHMETIC);
    reject_all(
        &original,
        &[
            ("the split is one further", "cases[", |c| {
                let Node::Split { at, .. } = node(c, is_split) else { unreachable!() };
                *at += 1;
            }),
            ("the split is one before", "cases[", |c| {
                let Node::Split { at, .. } = node(c, is_split) else { unreachable!() };
                *at -= 1;
            }),
            ("a split of another form", "cases[", |c| {
                let Node::Split { form, .. } = node(c, is_split) else { unreachable!() };
                turn(form);
            }),
            ("the two sides swapped", "cases[", |c| {
                let Node::Split { le, gt, .. } = node(c, is_split) else { unreachable!() };
                std::mem::swap(le, gt);
            }),
            ("one side for both", "cases[", |c| {
                let Node::Split { le, gt, .. } = node(c, is_split) else { unreachable!() };
                *gt = le.clone();
            }),
            ("one side only", "cases[", |c| {
                let split = node(c, is_split);
                let Node::Split { le, .. } = split.clone() else { unreachable!() };
                *split = *le;
            }),
            ("the name of another hypothesis", "cases[", |c| {
                let Node::Split { name, .. } = node(c, is_split) else { unreachable!() };
                *name = "h7".into();
            }),
            ("the name of a hypothesis that is there", "cases[", |c| {
                let Node::Split { name, .. } = node(c, is_split) else { unreachable!() };
                *name = ser_serializability_checker::hypothesis::global("Y=0");
            }),
            ("an unknown variable", "cases[", |c| {
                let Node::Split { form, .. } = node(c, is_split) else { unreachable!() };
                form.0.insert("t99".into(), "1".into());
            }),
            ("the mover is missing", "transitions", |c| arithmetic(c).reductions.clear()),
            ("a leaf is impossible without a reason", "cases[", |c| {
                let Node::Split { gt, .. } = node(c, is_split) else { unreachable!() };
                **gt = Node::Farkas { multipliers: Terms::default() };
            }),
            ("a leaf has no integer solution without a reason", "cases[", |c| {
                let Node::Split { gt, .. } = node(c, is_split) else { unreachable!() };
                **gt = Node::Lattice { multipliers: Terms::default() };
            }),
            ("a base word is shorter", "components[", |c| {
                words(c).0.pop();
                words(c).1.iter_mut().for_each(|cycle| cycle.at = 1);
            }),
            ("a cycle is shorter", "components[", |c| {
                let cycle = words(c).1.iter_mut().find(|cycle| cycle.word.len() > 1).expect(GONE);
                cycle.word.pop();
            }),
            ("a period is left out", "components[", |c| {
                // Every component loses it; then nobody has as many periods as the leaves say, or a
                // merged component has none to merge with.
                for component in &mut arithmetic(c).components {
                    if let Component::Words { cycles, .. } = component {
                        cycles.remove(0);
                    }
                }
                arithmetic(c).components.push(Component::Merge { merge: (0, 1), period: 9 });
            }),
        ],
    );
}

#[test]
fn arithmetic_with_remainders() {
    let source = "
        request r0 { b := X; yield; Z := 0; X := b; Y }
        request r1 {
            while (L == 1) { yield };
            L := 1;
            a := ?;
            while (Y == 1) { yield };
            b := X;
            if (Z == 1) { Z := 0 } else { Z := Z + 1 };
            L := 0;
            b
        }";
    let original = original(source, ARITHMETIC);
    reject_all(
        &original,
        &[
            ("remainders by another number", "cases[", |c| {
                let Node::Modulo { q, .. } = node(c, is_modulo) else { unreachable!() };
                *q += 1;
            }),
            ("remainders by 0", "cases[", |c| {
                let Node::Modulo { q, .. } = node(c, is_modulo) else { unreachable!() };
                *q = 0;
            }),
            ("remainders by 1", "cases[", |c| {
                let Node::Modulo { q, cases, .. } = node(c, is_modulo) else { unreachable!() };
                *q = 1;
                cases.truncate(1);
            }),
            ("a remainder is missing", "cases[", |c| {
                let Node::Modulo { cases, .. } = node(c, is_modulo) else { unreachable!() };
                cases.pop();
            }),
            ("a remainder too many", "cases[", |c| {
                let Node::Modulo { cases, .. } = node(c, is_modulo) else { unreachable!() };
                let first = cases[0].clone();
                cases.push(first);
            }),
            ("remainders in another order", "cases[", |c| {
                let Node::Modulo { cases, .. } = node(c, is_modulo) else { unreachable!() };
                cases.reverse();
            }),
            ("the same for all remainders", "cases[", |c| {
                let Node::Modulo { cases, .. } = node(c, is_modulo) else { unreachable!() };
                cases[1] = cases[0].clone();
            }),
            ("remainders of another form", "cases[", |c| {
                let Node::Modulo { form, .. } = node(c, is_modulo) else { unreachable!() };
                form.0.insert("1".into(), "1".into());
            }),
            ("the quotient has the name of a count", "cases[", |c| {
                let Node::Modulo { variable, .. } = node(c, is_modulo) else { unreachable!() };
                *variable = "t0".into();
            }),
            ("the quotient has another name", "cases[", |c| {
                let Node::Modulo { variable, .. } = node(c, is_modulo) else { unreachable!() };
                *variable = "z9".into();
            }),
            ("the hypothesis has another name", "cases[", |c| {
                let Node::Modulo { name, .. } = node(c, is_modulo) else { unreachable!() };
                *name = "h9".into();
            }),
            ("the quotient is used where it is not known", "cases[", |c| {
                let modulo = node(c, is_modulo);
                let Node::Modulo { cases, .. } = modulo.clone() else { unreachable!() };
                *modulo = cases[0].clone();
            }),
            ("half a period", "cases[", |c| {
                member(c).lambda[0].0.insert("t0".into(), "1/2".into());
            }),
            ("one more of a period", "cases[", |c| {
                let terms = &mut member(c).lambda[0].0;
                let constant =
                    terms.get("1").map_or(1, |n| n.parse::<i64>().expect("a number") + 1);
                terms.insert("1".into(), constant.to_string());
            }),
        ],
    );
}

#[test]
fn arithmetic_with_merged_components() {
    let source = "
        request r0 { X := 1; b }
        request r1 { yield; b }
        request r2 { b := X; 0 }";
    let original = original(source, ARITHMETIC);
    fn merged(c: &mut Certificate) -> (&mut (usize, usize), &mut usize) {
        let components = arithmetic(c).components.iter_mut();
        let mut found = components.filter_map(|component| match component {
            Component::Merge { merge, period } => Some((merge, period)),
            Component::Words { .. } => None,
        });
        found.next().expect(GONE)
    }
    reject_all(
        &original,
        &[
            ("merged the other way round", "components[", |c| {
                let merge = merged(c).0;
                *merge = (merge.1, merge.0);
            }),
            ("merged with itself", "components[", |c| merged(c).0.1 = 0),
            ("merged with one that comes later", "components[", |c| merged(c).0.1 = 2),
            ("merged with one that is not there", "components[", |c| merged(c).0.1 = 9),
            ("merged by another period", "components[", |c| *merged(c).1 = 0),
            ("merged by a period that is not there", "components[", |c| *merged(c).1 = 9),
            ("one of the two is missing", "components[", |c| {
                arithmetic(c).components.remove(0);
            }),
            ("the first has a period less", "components[", |c| {
                let Component::Words { cycles, .. } = &mut arithmetic(c).components[0] else {
                    panic!("{GONE}")
                };
                cycles.clear();
            }),
            ("the second base is longer", "components[", |c| {
                let (word, _) = words(c);
                let again = word[0].clone();
                word.push(again);
            }),
            ("the leaves mean a part only", "cases[", |c| member(c).component = 1),
            ("the leaves mean the other part", "cases[", |c| member(c).component = 0),
            ("a mover is missing", "transitions", |c| arithmetic(c).reductions.clear()),
            ("a mover to the other side, of a place that is not there", "reductions[", |c| {
                let Some(Reduction::Move(m)) = arithmetic(c).reductions.first_mut() else {
                    panic!("{GONE}")
                };
                m.place.1 = "done(0)".into();
            }),
            ("a case is missing", "cases", |c| {
                arithmetic(c).cases.remove(0);
            }),
        ],
    );
}

#[test]
fn arithmetic_with_clauses() {
    // Who reads 2 needs two additions: cases of responses first, and then of transitions.
    let source = "
        request add { n := N; yield; if (n < 3) { N := n + 1 }; 0 }
        request read { N }";
    let options = Options { methods: ARITHMETIC, ..Options::default() };
    let original = original_with(source, options);
    reject_all(
        &original,
        &[
            ("the split is one further", "cases[", |c| {
                let Node::Split { at, .. } = node(c, is_split) else { unreachable!() };
                *at += 1;
            }),
            ("the split is one before", "cases[", |c| {
                let Node::Split { at, .. } = node(c, is_split) else { unreachable!() };
                *at -= 1;
            }),
            ("a split of another form", "cases[", |c| {
                let Node::Split { form, .. } = node(c, is_split) else { unreachable!() };
                turn(form);
            }),
            ("the two sides swapped", "cases[", |c| {
                let Node::Split { le, gt, .. } = node(c, is_split) else { unreachable!() };
                std::mem::swap(le, gt);
            }),
            ("runs with one end only", "cases", |c| {
                arithmetic(c).cases[0].global = Some("N=0".into());
            }),
            ("the same case twice", "cases", |c| {
                let case = arithmetic(c).cases[0].clone();
                arithmetic(c).cases.push(case);
            }),
            ("no case", "cases", |c| arithmetic(c).cases.clear()),
            ("a clause without its proof", "cases[", |c| {
                let place = node(c, is_cut);
                let Node::Cut { none, .. } = &*place else { unreachable!() };
                *place = (**none).clone();
            }),
            ("a clause whose cut brings nothing", "cases[", |c| {
                let place = node(c, is_cut);
                let Node::Cut { some, .. } = &*place else { unreachable!() };
                *place = (**some).clone();
            }),
            ("a cut at fewer places", "cases[", |c| {
                let Node::Cut { places, .. } = node(c, is_cut) else { unreachable!() };
                places.clear();
            }),
            ("other multipliers", "cases[", |c| turn(farkas(c))),
            ("no multipliers", "cases[", |c| farkas(c).0.clear()),
            ("another component", "cases[", |c| member(c).component += 1),
            ("a period less often", "cases[", |c| {
                member(c).lambda.iter_mut().for_each(|form| {
                    form.0.insert("1".into(), "-7".into());
                });
            }),
        ],
    );
}

// -----------------------------------------------------------------------------------
// Stand-ins

/// A cache that may be refreshed late, with a value that has been written over since.
const STALE: &str = "request refresh { v := Db; yield; Cache := v; 0 }
    request write { if (Db < 4) { Db := Db + 1 } else { Db := 0 }; 0 }
    request read { Cache }";

#[test]
fn stand_ins() {
    let reductions = Reductions { deferral: false, alike: false, ..Reductions::default() };
    let options = Options {
        methods: INCLUSION,
        reductions,
        inclusion: InclusionOptions { stand_ins: true, ..PLAIN },
        ..Options::default()
    };
    let original = original_with(STALE, options);
    reject_all(
        &original,
        &[
            ("nothing stands in for anything", "invariant[", |c| inclusion(c).stand_ins.clear()),
            ("the first entry is missing", "", |c| drop(inclusion(c).stand_ins.remove(0))),
            ("the last entry is missing", "", |c| drop(inclusion(c).stand_ins.pop())),
            ("only one entry is left", "stand_ins[0]", |c| inclusion(c).stand_ins.truncate(1)),
            ("an entry twice", "stand_ins[", |c| {
                let entry = inclusion(c).stand_ins[0].clone();
                inclusion(c).stand_ins.push(entry);
            }),
            ("an entry the other way round", "stand_ins[0]", |c| {
                let entry = &mut inclusion(c).stand_ins[0];
                std::mem::swap(&mut entry.global, &mut entry.instead_of);
            }),
            ("all the other way round", "stand_ins[", |c| {
                for entry in &mut inclusion(c).stand_ins {
                    std::mem::swap(&mut entry.global, &mut entry.instead_of);
                }
            }),
            ("no letters are needed", "stand_ins[0]", |c| {
                inclusion(c).stand_ins[0].loops.clear();
            }),
            ("no letters are needed anywhere", "stand_ins[", |c| {
                inclusion(c).stand_ins.iter_mut().for_each(|entry| entry.loops.clear());
            }),
            ("another letter is needed", "stand_ins[0]", |c| {
                inclusion(c).stand_ins[0].loops = vec![letter("write", "0")];
            }),
            ("letters that nobody has", "invariant[", |c| {
                for entry in &mut inclusion(c).stand_ins {
                    entry.loops.push(letter("read", "4"));
                }
            }),
            ("a state of its own", "stand_ins[0]", |c| {
                inclusion(c).stand_ins[0].global = "Db=9,Cache=9".into();
            }),
            ("instead of what is not there", "stand_ins[0]", |c| {
                inclusion(c).stand_ins[0].instead_of = "Db=9,Cache=9".into();
            }),
            ("a letter that is not there", "stand_ins[0].loops[0]", |c| {
                inclusion(c).stand_ins[0].loops[0] = letter("read", "9");
            }),
            ("one state for all", "stand_ins[", |c| {
                let others: Vec<String> =
                    inclusion(c).stand_ins.iter().map(|entry| entry.instead_of.clone()).collect();
                for (entry, other) in inclusion(c).stand_ins.iter_mut().zip(others).skip(1) {
                    entry.instead_of = other;
                    entry.global = "Db=0,Cache=0".into();
                }
            }),
        ],
    );
}
