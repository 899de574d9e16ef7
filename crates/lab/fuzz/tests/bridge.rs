//! What requests can do is what the file for `ser prove` that is made of them can do, at least.
//!
//! `ser-oracle` executes the rules of the paper and lists what the global variables can be whenever
//! requests pause or are done. Of each of these the file claims that it never comes up; a small
//! instance must violate all these claims. Otherwise something could be proved of the file that
//! does not hold for the program.

use ser_base::Limits;
use ser_fuzz::{Random, expressions, program};
use ser_invariance_search::explore::{Bounds, explore};
use ser_session::serializability::bridge::start_proof;
use ser_syntax::core::Program;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

type Globals = BTreeMap<String, i64>;

/// What the globals can be when one or two requests run; nothing if that is too much.
fn reachable(parsed: &Program) -> Option<BTreeSet<Globals>> {
    let names = parsed.requests.iter().filter(|it| it.parameters.is_empty());
    let names: Vec<String> = names.map(|it| it.name.text.clone()).collect();
    let mut found = BTreeSet::new();
    for first in &names {
        for second in &names {
            let configurations =
                ser_oracle::configurations(parsed, &[first.clone(), second.clone()], 3_000)?;
            found.extend(configurations.ok()?.into_iter().map(|it| it.globals));
        }
    }
    Some(found)
}

/// How many claims were compared; nothing if the program is too large.
fn compare(text: &str) -> Option<usize> {
    let parse = ser_syntax::parse(text);
    assert!(!parse.has_errors(), "{text}\n{:?}", parse.diagnostics);
    let reachable = reachable(&parse.program)?;
    if reachable.len() > 60 {
        return None;
    }
    let mut file = start_proof("test.ser", text).ok()?;
    for (number, globals) in reachable.iter().enumerate() {
        let parts: Vec<String> =
            globals.iter().map(|(name, value)| format!("{name} == {value}")).collect();
        let state = if parts.is_empty() { "true".to_owned() } else { parts.join(" && ") };
        let _ = writeln!(file, "invariant never{number}: !({state})");
    }
    let parse = ser_syntax::inv::parse(&file);
    assert!(!parse.has_errors(), "{text}\n{file}\n{:?}", parse.diagnostics);
    let bounds = Bounds { threads: 2, states: 60_000, ..Bounds::default() };
    let explored = explore(&parse.system, &bounds, &Limits::default());
    if explored.violations.len() < reachable.len() {
        if explored.stopped.is_some() {
            return None;
        }
        let violated: BTreeSet<u32> = explored.violations.iter().map(|it| it.invariant.0).collect();
        let lost = reachable.iter().zip(0..).filter(|(_, number)| !violated.contains(number));
        let lost: Vec<&Globals> = lost.map(|(globals, _)| globals).collect();
        panic!("the file never comes to {lost:?}\n{text}\n{file}");
    }
    Some(reachable.len())
}

fn campaign(seeds: std::ops::Range<u64>) {
    let (mut programs, mut claims) = (0, 0);
    for seed in seeds.clone() {
        let mut random = Random::new(seed ^ 0xb41d);
        let text = match seed % 3 {
            0 => program(&mut random),
            1 => expressions(&mut random),
            _ => loops(&mut random),
        };
        if let Some(compared) = compare(&text) {
            programs += 1;
            claims += compared;
        }
    }
    eprintln!("{programs} programs, {claims} claims");
    let least = (seeds.end - seeds.start) as usize / 2;
    assert!(programs > least && claims > 2 * least, "{programs} programs, {claims} claims");
}

/// Loops whose rounds pause sometimes, always or never, with something to do behind them.
fn loops(random: &mut Random) -> String {
    fn block(random: &mut Random, depth: usize, out: &mut String) {
        for _ in 0..random.between(1, 3) {
            match random.below(if depth == 0 { 5 } else { 8 }) {
                0 => out.push_str("yield; "),
                1 => out.push_str("X := X + 1; "),
                2 => out.push_str("Y := X; "),
                3 => out.push_str("x := X; "),
                4 => out.push_str("if (X > 3) { X := 0 }; "),
                5 => {
                    out.push_str("if (x == Y) { ");
                    block(random, depth - 1, out);
                    out.push_str("0 } else { ");
                    block(random, depth - 1, out);
                    out.push_str("0 }; ");
                }
                _ => {
                    let (name, rounds) = (["i", "j"][depth - 1], random.between(1, 3));
                    let _ = write!(
                        out,
                        "{name} := 0; while ({name} < {rounds}) {{ {name} := {name} + 1; "
                    );
                    block(random, depth - 1, out);
                    out.push_str("0 }; ");
                }
            }
        }
    }
    let mut out = String::from("request r { ");
    block(random, 2, &mut out);
    out.push_str("if (X > 3) { X := 0 }; X }\n");
    out
}

#[test]
fn whatever_requests_come_to_the_file_comes_to() {
    campaign(0..240);
}

#[test]
#[ignore = "a long campaign"]
fn whatever_many_requests_come_to_the_file_comes_to() {
    campaign(1_000..9_000);
}

/// Both were lost: what follows a loop was left out if the last round did not pause.
#[test]
fn what_follows_a_loop_is_done_even_if_its_last_round_does_not_pause() {
    for text in [
        "request b { i := 0; while (i < 2) { i := i + 1 }; X := 7; X }",
        "request b { i := 0; while (i < 3) { i := i + 1; if (i == 2) { yield } }; X := 7; X }",
    ] {
        assert_eq!(compare(text), Some(2), "{text}");
    }
}
