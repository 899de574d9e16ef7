//! Measures the family of section 7 of the paper (see `tests/common/family.rs`).
//!
//!     cargo run --release -p ser-reachability-search --example family -- [--unsafe] [--lazy] [--dynamic] [--bits] [--many]
//!         [--proof] [--cadical] [--step N] [--sizes] C...

#![allow(clippy::print_stdout, reason = "it is a measurement")]

#[path = "../tests/common/family.rs"]
mod family;

use family::{explicit, family, largest};
use ser_base::Limits;
use ser_reachability_search::{Lit, Options, OrderMethod, Outcome, SolverKind, Tracer};
use std::time::{Duration, Instant};

fn main() {
    let mut options = Options::default();
    let (mut sizes, mut step, mut parameters) = (false, 1usize, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--unsafe" => options.encoding.safe_places = false,
            "--lazy" => options.encoding.order = OrderMethod::Lazy,
            "--dynamic" => options.encoding.static_order = false,
            "--bits" => options.encoding.values = false,
            "--many" => options.encoding.single_links = false,
            "--proof" => options.keep = true,
            "--sizes" => sizes = true,
            #[cfg(feature = "cadical")]
            "--cadical" => options.solver = SolverKind::CaDiCaL,
            "--batsat" => options.solver = SolverKind::BatSat,
            "--step" => step = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1),
            other => parameters.extend(other.parse::<i64>().ok()),
        }
    }
    println!(" C  instances  reachable  encode s  total s   mean s  median s    max s  unknown");
    for c in parameters {
        measure(c, step, &options, sizes);
    }
}

fn measure(c: i64, step: usize, options: &Options, sizes: bool) {
    let truth = explicit(c);
    let (mut times, mut reachable, mut unknown) = (Vec::new(), 0, 0);
    let (mut encoding, mut checking) = (Duration::ZERO, Duration::ZERO);
    for d in (0..=largest(c)).step_by(step) {
        let start = Instant::now();
        let (net, target) = family(c, d);
        let mut tracer = Tracer::new(options.clone());
        let limits = Limits::default().with_timeout(Duration::from_secs(120));
        tracer.extend(&net, &limits).expect("it is small");
        tracer.require(&[target]);
        encoding += start.elapsed();
        if sizes && d == 0 {
            println!("{:#?}\n{:?}", tracer.sizes(), tracer.sizes().total());
        }
        let outcome = tracer.solve(&net, &limits);
        times.push(start.elapsed());
        if options.keep && matches!(outcome, Outcome::Unsat { .. }) {
            checking += check_proof(&tracer);
        }
        match outcome {
            Outcome::Unknown(_) => unknown += 1,
            outcome => {
                let found = matches!(outcome, Outcome::Sat(_));
                assert_eq!(found, truth.contains(&d), "C = {c}, D = {d}");
                reachable += usize::from(found);
            }
        }
    }
    times.sort_unstable();
    let total: f64 = times.iter().map(Duration::as_secs_f64).sum();
    let (median, max) =
        (times[times.len() / 2].as_secs_f64(), times[times.len() - 1].as_secs_f64());
    println!(
        "{c:2}  {:9}  {reachable:9}  {:8.3}  {total:7.2}  {:7.4}  {median:8.4}  {max:7.3}  {unknown:7}",
        times.len(),
        encoding.as_secs_f64(),
        total / times.len() as f64,
    );
    if options.keep {
        println!("    checking the proofs: {:.2} s", checking.as_secs_f64());
    }
}

/// How long it takes to check the proof of the last answer.
fn check_proof(tracer: &Tracer) -> Duration {
    let numbers = |clauses: &[Vec<Lit>]| -> Vec<Vec<i32>> {
        clauses.iter().map(|clause| clause.iter().map(|lit| lit.dimacs()).collect()).collect()
    };
    let clauses = numbers(tracer.formula().clauses());
    let learnt = numbers(tracer.solver().learnt().expect("they were kept"));
    let assumptions: Vec<i32> = tracer.assumptions().iter().map(|lit| lit.dimacs()).collect();
    let start = Instant::now();
    let checked = ser_clausal::check_clausal(&clauses, &assumptions, &learnt, &Limits::default());
    checked.expect("it is a proof");
    start.elapsed()
}
