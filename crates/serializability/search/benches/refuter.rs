//! How fast the refuter is: states a second on one core, and bytes a state.
//!
//! `cargo bench -p ser-serializability-search --bench refuter`. Criterion's "elem/s" are states a
//! second; the bytes a state are printed before each group that runs to its budget.

#![allow(missing_docs, clippy::print_stdout)]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ser_base::Limits;
use ser_model::{NetworkSystem, ProgramModel};
use ser_net::{Net, Reductions, SerialAutomaton, normal_form, reduce};
use ser_serializability_search::{RefuteOptions, Refuted, SearchStop, Searched, refute};
use std::hint::black_box;

/// Benchmark e2 of the SER paper for any number of rounds: `main` completes only between
/// 2 * rounds flips, so the shortest counterexample has 2 * rounds + 1 requests.
fn e2(rounds: u32) -> String {
    format!(
        "request flip {{ X := 1 - X }}
         request main {{
             i := {rounds};
             while (i > 0) {{
                 while (X == 0) {{ yield }};
                 while (X == 1) {{ yield }};
                 i := i - 1
             }};
             1
         }}"
    )
}

/// Serializable, with many requests in flight and many outcomes: a packet crosses two switches
/// and keeps the version under which it entered.
const PACKETS: &str = "
    request update { V := 1 - V; V }
    request send(from in 0..2) { v := V; A := from; yield; B := v; yield; 2 * from + v }";

/// What the refuter gets: the system, its net as the engine would reduce it, the automaton.
struct Input {
    system: NetworkSystem,
    net: Net,
    automaton: SerialAutomaton,
}

impl Input {
    fn new(text: &str) -> Input {
        let parse = ser_syntax::parse(text);
        assert!(!parse.has_errors(), "{:?}", parse.diagnostics);
        let model = ProgramModel::new(&parse.program, text, &Limits::default()).unwrap();
        let system = model.system().clone();
        let net = reduce(
            &normal_form(&system, &Limits::default()).expect("no limit"),
            Reductions::ALL.step_by_step(),
            &Limits::default(),
        )
        .net;
        let automaton = SerialAutomaton::new(&system, &Limits::default()).expect("no limit");
        Input { system, net, automaton }
    }

    fn refute(&self, options: &RefuteOptions) -> Refuted {
        let limits = Limits::default();
        refute(&self.system, &self.net, &self.automaton, options, &limits, &|_| {})
    }

    /// Runs to the budget; it must not find anything.
    fn exhaust(&self, options: &RefuteOptions) -> Searched {
        match self.refute(options) {
            Refuted::No(searched) => searched,
            Refuted::Yes(found) => panic!("found a run with {} requests", found.requests),
        }
    }
}

/// From the net to the shortest counterexample: tens to hundreds of states.
fn to_the_counterexample(c: &mut Criterion) {
    let mut group = c.benchmark_group("e2_to_the_counterexample");
    for rounds in [3, 20, 50] {
        let input = Input::new(&e2(rounds));
        let Refuted::Yes(found) = input.refute(&RefuteOptions::default()) else {
            panic!("e2 is not serializable")
        };
        assert_eq!(found.requests, 2 * rounds as usize + 1);
        println!("e2 with {rounds} rounds: {} states to {} requests", found.states, found.requests);
        group.throughput(Throughput::Elements(found.states as u64));
        group.bench_function(format!("{rounds}_rounds"), |b| {
            b.iter(|| black_box(input.refute(&RefuteOptions::default())));
        });
    }
    group.finish();
}

/// Hundreds of thousands of states without a counterexample.
fn to_the_budget(c: &mut Criterion) {
    let mut group = c.benchmark_group("to_the_budget");
    group.sample_size(10);
    let budget = RefuteOptions { max_states: 300_000, ..RefuteOptions::default() };
    // One request fewer than the counterexample needs.
    let short = RefuteOptions { max_requests: 100, ..budget };
    let table = [
        ("e2_50_rounds_any_in_flight", e2(50), short),
        ("e2_50_rounds_8_in_flight", e2(50), RefuteOptions { max_in_flight: 8, ..short }),
        ("e2_50_rounds_2_in_flight", e2(50), RefuteOptions { max_in_flight: 2, ..short }),
        ("packets_any_in_flight", PACKETS.to_owned(), budget),
        ("packets_2_in_flight", PACKETS.to_owned(), RefuteOptions { max_in_flight: 2, ..budget }),
    ];
    for (name, text, options) in table {
        let input = Input::new(&text);
        let searched = input.exhaust(&options);
        let stopped = match searched.stopped {
            SearchStop::Budget => "at the budget",
            SearchStop::Exhausted => "with nothing left",
            SearchStop::Limit(_) => "at a limit",
        };
        println!(
            "{name}: {} states, {:.1} bytes a state, stopped {stopped}",
            searched.states,
            searched.bytes as f64 / searched.states as f64
        );
        group.throughput(Throughput::Elements(searched.states as u64));
        group.bench_function(name, |b| b.iter(|| black_box(input.exhaust(&options))));
    }
    group.finish();
}

criterion_group!(benches, to_the_counterexample, to_the_budget);
criterion_main!(benches);
