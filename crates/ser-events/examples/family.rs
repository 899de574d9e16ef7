//! The family of section 7 of the paper, built by hand: two processes, each of which adds to one shared `x`
//! for C rounds, in two steps. F reads `x` and then puts back C*C more than it has read; G 2C-1 more. Can `x` be D
//! at the end?
//!
//!     cargo run --release -p ser-events --example family -- [--unsafe] [--lazy] [--dynamic] [--bits] [--many] [--proof]
//!         [--cadical] [--step N] [--sizes] C...

#![allow(clippy::print_stdout, reason = "it is a measurement")]

use ser_events::{
    ArcKind, Encoder, Interval, Lit, Net, NewTransition, Options, OrderMethod, Outcome, SolverKind,
    Term, TransitionId,
};
use ser_lang::ast::BinaryOp;
use ser_model::Limits;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Makes the net for `C`; the target says that `x` is `D` at the end.
fn family(c: i64, d: i64) -> (Net, TransitionId) {
    let mut net = Net::default();
    let most = c * c * c + 2 * c * c - c;
    let x_values = Interval::new(0, most);
    let px = net.add_place("px", vec![x_values], true);
    let yes = net.terms.number(1);
    let mut init = vec![(ArcKind::Output, px, vec![net.terms.number(0)])];
    let mut ends = Vec::new();
    for (name, more) in [("f", c * c), ("g", 2 * c - 1)] {
        let mut here = net.add_place(format!("p{name}0"), Vec::new(), true);
        init.push((ArcKind::Output, here, Vec::new()));
        for round in 0..c {
            let middle = net.add_place(format!("p{name}{}", 2 * round + 1), vec![x_values], true);
            let a = net.add_variable("a", x_values);
            let arcs = vec![
                (ArcKind::Input, here, Vec::new()),
                (ArcKind::Test, px, vec![a]),
                (ArcKind::Output, middle, vec![a]),
            ];
            let name_of = |what: &str| format!("{name}{round} {what}");
            net.add_transition(NewTransition { name: name_of("reads"), guard: yes, arcs });
            here = net.add_place(format!("p{name}{}", 2 * round + 2), Vec::new(), true);
            let a = net.add_variable("a", x_values);
            let x = net.add_variable("x", x_values);
            let more = net.terms.number(more);
            let sum = net.terms.binary(BinaryOp::Add, a, more);
            let arcs = vec![
                (ArcKind::Input, middle, vec![a]),
                (ArcKind::Input, px, vec![x]),
                (ArcKind::Output, px, vec![sum]),
                (ArcKind::Output, here, Vec::new()),
            ];
            net.add_transition(NewTransition { name: name_of("writes"), guard: yes, arcs });
        }
        ends.push((ArcKind::Input, here, Vec::<Term>::new()));
    }
    net.add_transition(NewTransition { name: "init".into(), guard: yes, arcs: init });
    let x = net.add_variable("x", x_values);
    let d = net.terms.number(d);
    let guard = net.terms.binary(BinaryOp::Equal, x, d);
    ends.push((ArcKind::Test, px, vec![x]));
    let target = net.add_transition(NewTransition { name: "target".into(), guard, arcs: ends });
    (net, target)
}

/// The values that `x` can have at the end, by trying everything.
fn explicit(c: i64) -> BTreeSet<i64> {
    let mut seen = BTreeSet::from([(0i64, 0i64, 0i64, 0i64, 0i64)]);
    let mut open: Vec<_> = seen.iter().copied().collect();
    let mut ends = BTreeSet::new();
    while let Some((i, j, a, b, x)) = open.pop() {
        if i == 2 * c && j == 2 * c {
            ends.insert(x);
        }
        let f = (i < 2 * c).then(|| match i % 2 {
            0 => (i + 1, j, x, b, x),
            _ => (i + 1, j, 0, b, a + c * c),
        });
        let g = (j < 2 * c).then(|| match j % 2 {
            0 => (i, j + 1, a, x, x),
            _ => (i, j + 1, a, 0, b + 2 * c - 1),
        });
        open.extend(f.into_iter().chain(g).filter(|state| seen.insert(*state)));
    }
    ends
}

fn main() {
    let mut options = Options::default();
    let (mut sizes, mut step, mut parameters) = (false, 1usize, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--unsafe" => options.safe_places = false,
            "--lazy" => options.order = OrderMethod::Lazy,
            "--dynamic" => options.static_order = false,
            "--bits" => options.values = false,
            "--many" => options.single_links = false,
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
    let most = c * c * c + 2 * c * c - c;
    for d in (0..=most).step_by(step) {
        let start = Instant::now();
        let (net, target) = family(c, d);
        let mut encoder = Encoder::new(options.clone());
        let limits = Limits::default().with_timeout(Duration::from_secs(120));
        encoder.extend(&net, &limits).expect("it is small");
        encoder.require(&[target]);
        encoding += start.elapsed();
        if sizes && d == 0 {
            println!("{:#?}\n{:?}", encoder.sizes(), encoder.sizes().total());
        }
        let outcome = encoder.solve(&net, &limits);
        times.push(start.elapsed());
        if options.keep && matches!(outcome, Outcome::Unsat { .. }) {
            checking += check_proof(&encoder);
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
fn check_proof(encoder: &Encoder) -> Duration {
    let numbers = |clauses: &[Vec<Lit>]| -> Vec<Vec<i32>> {
        clauses.iter().map(|clause| clause.iter().map(|lit| lit.dimacs()).collect()).collect()
    };
    let clauses = numbers(encoder.formula().clauses().expect("they were kept"));
    let learnt = numbers(encoder.formula().solver().learnt().expect("they were kept"));
    let assumptions: Vec<i32> = encoder.assumptions().iter().map(|lit| lit.dimacs()).collect();
    let start = Instant::now();
    let checked = ser_cert::check_clausal(&clauses, &assumptions, &learnt, &Limits::default());
    checked.expect("it is a proof");
    start.elapsed()
}
