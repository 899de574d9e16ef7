//! Compares the engine with brute force on random inputs and prints a summary.

#![allow(clippy::print_stdout)]

use clap::Parser;
use ser_engine::Options;
use ser_fuzz::{
    Finding, Random, Trial, locking, net, options, program, system, try_net, try_program,
    try_system_with,
};
use ser_model::write_json;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

/// Random programs and systems against brute force.
#[derive(Parser)]
struct Args {
    /// How many programs.
    #[arg(long, default_value_t = 2000)]
    programs: u64,
    /// How many programs with locks.
    #[arg(long, default_value_t = 2000)]
    locking: u64,
    /// How many network systems.
    #[arg(long, default_value_t = 1000)]
    systems: u64,
    /// How many place/transition nets with queries.
    #[arg(long, default_value_t = 1000)]
    nets: u64,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Brute force looks at so many requests.
    #[arg(long, default_value_t = 4)]
    requests: usize,
    /// Seconds for each input.
    #[arg(long, default_value_t = 2.0)]
    timeout: f64,
    /// Switch optimisations off at random.
    #[arg(long)]
    switches: bool,
    /// Print inputs without an answer.
    #[arg(long)]
    show_unknown: bool,
}

#[derive(Default)]
struct Summary {
    by: BTreeMap<&'static str, Vec<Duration>>,
    checker: Vec<Duration>,
    certificates: Vec<usize>,
    skipped: usize,
    wrong: usize,
    /// Proofs by rules of programs whose global states can be listed.
    proved_twice: usize,
    /// Proofs that rules did not give.
    proved_once: usize,
}

impl Summary {
    /// A program goes through its rules, its parts and its network system.
    fn add_program(&mut self, args: &Args, seed: u64, text: &str, timeout: Duration) {
        let chosen = chosen(args, seed);
        let trial = try_program(text, &chosen, args.requests, timeout);
        let text = format!("seed {seed}\n{chosen:?}\n{text}");
        let trial = match trial {
            Ok(trial) => trial,
            Err(finding) => return self.add(args, Err(finding), &text),
        };
        let says = |t: &Option<Trial>| t.as_ref().map_or("", |t| t.decided_by);
        let proved = matches!(says(&trial.whole), "atomic" | "inclusion" | "arithmetic");
        match says(&trial.large) {
            "rules" => self.proved_twice += usize::from(proved),
            _ => self.proved_once += usize::from(proved),
        }
        match trial.first() {
            Some(trial) => self.add(args, Ok(trial.clone()), &text),
            None => self.skipped += 1,
        }
    }

    fn add(&mut self, args: &Args, result: Result<Trial, Finding>, text: &str) {
        match result {
            Ok(trial) => {
                self.by.entry(trial.decided_by).or_default().push(trial.engine);
                self.checker.push(trial.checker);
                self.certificates.push(trial.certificate);
                if args.show_unknown && trial.decided_by == "unknown" {
                    println!("UNKNOWN {text}\n{}", trial.tried);
                }
            }
            Err(finding) => {
                self.wrong += 1;
                println!("FINDING {finding:?}\n{text}");
            }
        }
    }

    fn print(&mut self, title: &str) {
        let total: usize = self.by.values().map(Vec::len).sum();
        println!(
            "{title}: {total} decided or unknown, {} too large, {} WRONG",
            self.skipped, self.wrong
        );
        for (name, times) in &mut self.by {
            times.sort();
            let ms = |d: Duration| d.as_secs_f64() * 1e3;
            let at = |q: f64| ms(times[((times.len() - 1) as f64 * q) as usize]);
            println!(
                "  {name:<11} {:>6}  ({:5.2} %)   median {:8.3} ms   95 % {:8.3} ms   max {:8.3} ms",
                times.len(),
                100.0 * times.len() as f64 / total as f64,
                at(0.5),
                at(0.95),
                at(1.0),
            );
        }
        if self.proved_twice + self.proved_once > 0 {
            println!(
                "  proved with and without global states: {}, only with them: {}",
                self.proved_twice, self.proved_once
            );
        }
        self.checker.sort();
        self.certificates.sort_unstable();
        if let (Some(slowest), Some(largest)) = (self.checker.last(), self.certificates.last()) {
            println!(
                "  checker at most {:.3} ms, certificates at most {largest} bytes",
                slowest.as_secs_f64() * 1e3
            );
        }
    }
}

/// How the engine is to work.
fn chosen(args: &Args, seed: u64) -> Options {
    if args.switches { options(&mut Random::new(seed ^ 0x1234_5678)) } else { Options::default() }
}

fn main() -> ExitCode {
    let args = Args::parse();
    let timeout = Duration::from_secs_f64(args.timeout);
    let seeds = |count: u64| args.seed..args.seed + count;
    let (mut programs, mut locks, mut systems) = <(Summary, Summary, Summary)>::default();
    let mut nets = Summary::default();
    for seed in seeds(args.programs) {
        programs.add_program(&args, seed, &program(&mut Random::new(seed)), timeout);
    }
    for seed in seeds(args.locking) {
        locks.add_program(&args, seed, &locking(&mut Random::new(seed)), timeout);
    }
    for seed in seeds(args.systems) {
        let system = system(&mut Random::new(seed ^ 0xabcd_ef00));
        let chosen = chosen(&args, seed);
        let text = format!("seed {seed}\n{chosen:?}\n{:#}", write_json(&system));
        let result = try_system_with(&system, &chosen, args.requests, timeout);
        systems.add(&args, result, &text);
    }
    for seed in seeds(args.nets) {
        let (net, query) = net(&mut Random::new(seed ^ 0x9e71));
        let text = format!("seed {seed}\n{}{}", ser_petri::write_net(&net), query.show(&net));
        nets.add(&args, try_net(&net, &query, 20_000, timeout), &text);
    }
    programs.print("programs");
    locks.print("programs with locks");
    systems.print("systems");
    nets.print("nets");
    if programs.wrong + locks.wrong + systems.wrong + nets.wrong > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
