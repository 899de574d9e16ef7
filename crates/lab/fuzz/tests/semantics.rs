//! The semantics against its own definition, stage by stage.
//!
//! Engine and checker share the front end, so nobody would notice if both were told the wrong thing
//! about a program. This test would: `ser-oracle` executes the rules of the paper, and the outcomes
//! of few requests, interleaved and serial, are compared with those of the network system that
//! `ser-model` makes of the same text; and with those of its rules and of its parts, which is what
//! there is to look at if there are too many global states.

mod large;

use crate::inputs;
use large::{Large, LargeTally};
use ser_base::Limits;
use ser_fuzz::{Findings, Random, brute_force, random_core};
use ser_model::{ExploreError, GlobalId, ProgramModel, RequestId, ResponseId, write_json};
use ser_oracle::{
    Network, Outcome, ProgramNetwork, Runs, SystemNetwork, TooMuch, core_program, explained,
};
use std::collections::BTreeSet;

/// The outcomes of exactly so many requests with at most `room` in flight.
fn outcomes(
    network: &mut impl Network,
    requests: usize,
    room: usize,
    max_states: usize,
) -> Result<BTreeSet<Outcome>, TooMuch> {
    let mut runs = Runs::new(network, room);
    for _ in 0..requests {
        runs.one_more(network, max_states)?;
    }
    Ok(runs.outcomes(network))
}

// -----------------------------------------------------------------------------------
// The comparison

#[derive(Default, Debug)]
struct Tally {
    compared: usize,
    broken: usize,
    too_large: usize,
    no_system: usize,
    /// Systems that have more steps than runs have.
    fewer: usize,
    large: LargeTally,
}

/// The requests that may give up, with the response that does not count.
fn given_up(model: &ProgramModel) -> Vec<(String, String)> {
    let system = model.system();
    let names = |(request, response): &(RequestId, ResponseId)| {
        (system.request_name(*request).to_owned(), system.response_name(*response).to_owned())
    };
    system.free().iter().map(names).collect()
}

/// The steps of a system, by name.
fn steps(model: &ProgramModel) -> BTreeSet<[String; 4]> {
    let system = model.system();
    let local = |l| system.local_name(l).to_owned();
    let names = |s: &ser_model::Step| {
        [local(s.from), system.global_name(s.before), local(s.to), system.global_name(s.after)]
    };
    system.steps().iter().map(names).collect()
}

/// Compares the outcomes of 1 to `most` requests.
fn compare(text: &str, most: usize, tally: &mut Tally) {
    let parse = ser_syntax::parse(text);
    assert!(!parse.has_errors(), "{:?}\n{text}", parse.diagnostics);
    let limits = Limits { max_states: 3_000, ..Limits::default() };
    let model = match ProgramModel::new(&parse.program, text, &limits) {
        Ok(model) => Some(model),
        Err(ExploreError::Overflow { .. } | ExploreError::EndlessStep { .. }) => None,
        Err(ExploreError::TooManyStates { .. } | ExploreError::AnyArguments { .. }) => {
            tally.no_system += 1;
            return;
        }
    };
    // Runs that really happen may be fewer, but do the same.
    let exact = model.as_ref().map(|model| {
        let exact = ProgramModel::exact(&parse.program, text, &limits).expect("as few states");
        assert!(steps(&exact).is_subset(&steps(model)), "a step is new:\n{text}");
        tally.fewer += usize::from(exact.system().steps().len() < model.system().steps().len());
        exact
    });
    let mut interpreted = ProgramNetwork::new(&parse.program).expect("no errors");
    let large = Large::new(text, &parse.program);
    let mut reached = 0;
    let mut first_broken = None;
    // What serial runs explain, by the number of requests.
    let mut by_size = vec![BTreeSet::from([Outcome::new()])];
    let given_up: BTreeSet<(String, String)> = model.iter().flat_map(given_up).collect();
    for requests in 1..=most {
        let max_states = 30_000;
        let (all, serial) = match (
            outcomes(&mut interpreted, requests, usize::MAX, max_states),
            outcomes(&mut interpreted, requests, 1, max_states),
        ) {
            (Ok(all), Ok(serial)) => (all, serial),
            (Err(TooMuch::Overflow), _) => {
                assert!(model.is_none(), "a value leaves 64 bits, but there is a system:\n{text}");
                large.compare(requests, None, max_states, &mut tally.large);
                tally.no_system += 1;
                return;
            }
            _ => break,
        };
        large.compare(requests, Some([&all, &serial]), 10 * max_states, &mut tally.large);
        // Trouble that more requests would meet, or that no run meets, is not our business here.
        for model in [&model, &exact].into_iter().flatten() {
            let text_of_system = write_json(model.system()).to_string();
            let mut system = SystemNetwork::read(&text_of_system).unwrap();
            let max_states = usize::MAX;
            let other = outcomes(&mut system, requests, usize::MAX, max_states).unwrap();
            assert_eq!(all, other, "interleaved outcomes of {requests} requests differ:\n{text}");
            let other = outcomes(&mut system, requests, 1, max_states).unwrap();
            assert_eq!(serial, other, "serial outcomes of {requests} requests differ:\n{text}");
        }
        if model.is_none() {
            continue;
        }
        assert!(serial.is_subset(&all));
        by_size.push(serial);
        let explained = explained(&by_size, &given_up).pop().unwrap_or_default();
        if !all.is_subset(&explained) && first_broken.is_none() {
            first_broken = Some(requests);
        }
        reached = requests;
    }
    let Some(model) = model else {
        tally.no_system += 1;
        return;
    };
    if reached == 0 {
        tally.too_large += 1;
        return;
    }
    // The oracle of the other tests sees the same.
    match (first_broken, brute_force(model.system(), reached, 200_000)) {
        (Some(n), Findings::Broken { requests, .. }) => assert_eq!(n, requests, "{text}"),
        (None, Findings::Unbroken { .. }) => {}
        (ours, oracle) => panic!("{ours:?} is not {oracle:?}:\n{text}"),
    }
    tally.compared += 1;
    tally.broken += usize::from(first_broken.is_some());
}

// -----------------------------------------------------------------------------------
// Tests

#[test]
fn random_programs_mean_what_the_rules_say() {
    let mut tally = Tally::default();
    for seed in 0..inputs(600) {
        let (program, text) = random_core(&mut Random::new(seed ^ 0x5eed_0000));
        let parse = ser_syntax::parse(&text);
        assert!(!parse.has_errors(), "seed {seed}: {:?}\n{text}", parse.diagnostics);
        let read = core_program(&parse.program).unwrap();
        assert_eq!(read, program, "seed {seed}: the parser differs\n{text}");
        compare(&text, 3, &mut tally);
    }
    eprintln!("{tally:?}");
    assert!(tally.compared >= 580, "{tally:?}");
    assert!(tally.large.rules >= 1_500 && tally.large.parts >= 3_000, "{tally:?}");
    assert!(tally.broken >= 40, "{tally:?}");
}

#[test]
fn programs_of_the_other_generator_mean_what_the_rules_say() {
    let mut tally = Tally::default();
    for seed in 0..inputs(150) {
        compare(&ser_fuzz::program(&mut Random::new(seed ^ 0xface)), 3, &mut tally);
    }
    eprintln!("{tally:?}");
    assert!(tally.compared >= 140, "{tally:?}");
    assert!(tally.broken >= 10, "{tally:?}");
}

#[test]
fn programs_with_locks_mean_what_the_rules_say() {
    let mut tally = Tally::default();
    for seed in 0..inputs(100) {
        compare(&ser_fuzz::locking(&mut Random::new(seed ^ 0x10c5)), 3, &mut tally);
    }
    eprintln!("{tally:?}");
    assert!(tally.compared >= 80 && tally.fewer >= 5, "{tally:?}");
    assert!(tally.large.rules >= 240 && tally.large.parts >= 480, "{tally:?}");
}

/// Pairs of global and local states alone would let a request leave that never entered, and count
/// down forever: these are explored by covering.
#[test]
fn programs_that_count_requests_mean_what_the_rules_say() {
    let mut tally = Tally::default();
    for seed in 0..inputs(40) {
        let text = counting_program(&mut Random::new(seed ^ 0xc0de));
        compare(&text, 4, &mut tally);
    }
    eprintln!("{tally:?}");
    assert!(tally.compared >= 30, "{tally:?}");
    assert!(tally.broken >= 5, "{tally:?}");
    assert_eq!(tally.fewer, 0, "{tally:?}");
}

/// Any number may wait, and go on one after the other when nobody can come after them.
#[test]
fn any_number_of_requests_may_wait() {
    let text = "
        request r { assume(P == 0); yield; assume(P == 1 && T < 4); T := T + 1; T }
        request close { P := 1 }
        request room { assume(N < 1); N := N + 1; yield; N := N - 1; 0 }";
    let mut tally = Tally::default();
    compare(text, 4, &mut tally);
    assert_eq!(tally.compared, 1, "{tally:?}");
    // Pairs alone would count N down forever; and T reaches 4 if and only if four have waited.
    let parse = ser_syntax::parse(text);
    let model = ProgramModel::new(&parse.program, text, &Limits::default()).unwrap();
    let system = model.system();
    let value = |g: GlobalId, name: &str| {
        let at = system.variables().iter().position(|v| v.name == name).unwrap();
        system.valuation(g)[at]
    };
    assert!(system.globals().all(|g| (0..=1).contains(&value(g, "N"))));
    assert_eq!(system.globals().map(|g| value(g, "T")).max(), Some(4));
}

/// Requests that enter a room with a few seats and leave it, in several steps.
fn counting_program(random: &mut Random) -> String {
    let mut text = String::new();
    let seats = random.between(1, 3);
    for i in 0..random.between(1, 2) {
        let weight = random.between(1, 2).min(seats);
        let enter = match random.below(3) {
            0 => format!("assume(N + {weight} <= {seats});"),
            1 => format!("while (N + {weight} > {seats}) {{ yield }};"),
            _ => format!("if (N + {weight} > {seats}) {{ return 9 }};"),
        };
        // Leaving at once or one by one; where the request started, or on the way.
        let leave = match random.below(3) {
            0 => format!("N := N - {weight};"),
            1 => format!("k := {weight}; while (k > 0) {{ N := N - 1; k := k - 1; yield }};"),
            _ => format!("yield; N := -{weight} + N;"),
        };
        let middle = match random.below(4) {
            0 => "a := N; yield;",
            1 => "yield; a := N;",
            2 => "X := 1 - X; yield; a := X;",
            _ => "yield; a := N; yield;",
        };
        let before = if random.chance(30) { "while (?) { yield };" } else { "" };
        text.push_str(&format!(
            "request r{i} {{ {before} {enter} N := N + {weight}; {middle} {leave} a }}\n"
        ));
    }
    text
}

#[test]
fn corners_of_the_language_mean_what_the_rules_say() {
    let corners = [
        // Operands are read when their turn comes, before or after a `yield`.
        "request r { X := X + (yield; 1); if (X > 3) { X := 0 }; X }",
        "request r { X := (X := 1) + (yield; X) - 1 }",
        "request r { a := X + (X := 1 - X; yield; X); a }",
        "request r { (yield) + (yield) + (X := !X) * 2 + (yield; X) }",
        // Dead and live variables around loops: `a` is dead at one `yield` and live at the other.
        "request r { a := X; yield; a := 1 - X; X := a; yield; b := a; a := 0; yield; b + X }",
        "request r { while (?) { a := X; yield; X := !a; a := 5; yield }; a }",
        "request r { a := X; while (a) { yield; a := X; b := a }; X := !X; b }",
        "request r { if (X) { a := 1 }; X := !X; yield; if (?) { a := 2 }; a }",
        // A local that is written only after it was read is 0 at first.
        "request r { b := a; a := X; X := 1 - X; yield; a + b }",
        // Conditions with effects.
        "request r { (X := !X) && (yield; Y := !Y) || (yield; X); X + 2 * Y }",
        "request r { while ((X := !X) && (yield; Y)) { Y := !Y; yield }; Y }",
        "request r { if ((yield; X) || (X := 1; 0)) { X := 0; 1 } else { 2 } }",
        "request r { !(X := !X) && (yield; 1) || 7 }",
        // Leaving loops and operands by `return`.
        "request r { while (1) { X := !X; yield; if (X) { return 1 + (return 2) } } }",
        "request r { 5 * (if (X) { X := 0; return 3 } else { X := 1; yield; 4 }) + X }",
        "request r { return (yield; return X := 1 - X) }",
        // Steps that run forever without a `yield` do not happen.
        "request r { while (X) { }; X := 1; yield; X := 0; X }",
        "request r { X := ?; yield; while (X) { if (?) { X := 0 } }; X }",
        "request r { while (a < 3) { a := a + 1; while (X) { yield } }; X := ?; a }",
        "request r { while (1) { 0 } } request s { X := !X; yield; X }",
        "request r { a := ?; while (a) { a := a }; X := !X; yield; X }",
        // A false `assume` takes back the whole step, choices and writes included.
        "request r { X := ?; assume(X); yield; X } request s { X := 0; yield; X }",
        "request r { a := choose(0..2); Y := a; assume(Y != X); yield; X := a; Y }",
        "request r { yield; X := 1; assume((X := 0) || Y); X } request s { Y := 1 - Y }",
        "request r { assume(0) } request s { X := 1 - X; yield; X }",
        // Parameters and initial values.
        "X := 2 request r(p in -1..1, q in 0..1) { a := X; yield; X := p * q; a + X }",
        "request r(p in 0..2) { while (X != p) { yield }; X := (X + 1) * (X < 2); p }",
        "const N = 2 X := N - 1 request r { a := choose(-N..N - 1) ; X := a * a; yield; X - N }",
        // Handlers that start where they wait, or end where they yield.
        "request r { while (X) { yield }; X := 1; yield }",
        "request r { yield; yield; X := 1 - X } request s { X; yield }",
        "request r { } request s { yield } request t { 3 }",
        "request r { while (1) { X := !X; yield; if (X) { return 1 } else { return 0 } } }",
        "request r { while (X < 2) { yield; X := (X + 1) * (X < 2); yield }; X := 0; 1 }",
        // Two handlers with the same body, and with the same continuation.
        "request r { X := 1; yield; X := 0; X } request s { X := 1; yield; X := 0; X }",
        "request r { a := X; yield; X := a; a } request s { a := 1; X := 0; yield; X := a; a }",
        // Several ways to the same step with different footprints.
        "request r { if (?) { Y } else { X }; X := 0; yield; X + Y } request s { X := 1; Y := 1 }",
        "request r { if (?) { X := 0 } else { X := X }; yield; X } request s { X := 1; yield; X }",
        "request r { if (X) { if (Y) { Z := 1 } } else { Z := Y }; yield; Z := 0; X + 2 * Y }
         request s { X := !X } request t { Y := !Y; yield; Z }",
        // Values at the edge of the range, in and out.
        "const M = 9223372036854775807 request r { a := M - X; X := 1; yield; a - X == M - 1 }",
        "const M = 9223372036854775807 request r { a := M - 1 + X; X := 1; yield; a + X; X := 0 }",
    ];
    let mut tally = Tally::default();
    for text in corners {
        compare(text, 3, &mut tally);
    }
    eprintln!("{tally:?}");
    // Only the last one leaves the range.
    assert_eq!((tally.no_system, tally.too_large), (1, 0), "{tally:?}");
    assert_eq!(tally.compared, corners.len() - 1);
}
