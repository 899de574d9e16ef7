//! Looks for inputs on which something is wrong, and prints a summary.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use clap::{Parser, ValueEnum as _};
use ser_fuzz::campaign::{Kind, Plan, Settings, Tally, run};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Random inputs against naive enumeration: programs and network systems against the rules of the
/// paper, nets against all markings, sets against all words, linear systems against all points.
///
/// Exit code 1 if anything is wrong.
#[derive(Parser)]
struct Args {
    /// What to try, with how many inputs: `programs`, `locking=5000`, ... Everything, if nothing is
    /// given.
    #[arg(value_parser = kind)]
    kinds: Vec<(Kind, Option<u64>)>,
    /// Stop after so many seconds. Without this, kinds without a number get 1000 inputs.
    #[arg(long, value_parser = seconds)]
    time: Option<Duration>,
    /// The first seed; inputs have this one and those after it.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many requests the oracle looks at.
    #[arg(long, default_value_t = 4)]
    requests: usize,
    /// Seconds for each input.
    #[arg(long, default_value = "2", value_parser = seconds)]
    timeout: Duration,
    /// How many inputs at a time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Switch optimisations off at random.
    #[arg(long)]
    switches: bool,
    /// Print inputs without an answer.
    #[arg(long)]
    show_unknown: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn kind(text: &str) -> Result<(Kind, Option<u64>), String> {
    let (name, count) = match text.split_once('=') {
        None => (text, None),
        Some((name, count)) => {
            (name, Some(count.parse().map_err(|_| format!("`{count}` is no number"))?))
        }
    };
    Kind::from_str(name, false).map(|kind| (kind, count)).map_err(|_| {
        let all: Vec<String> = Kind::value_variants().iter().map(|kind| kind.name()).collect();
        format!("there are {}", all.join(", "))
    })
}

fn main() -> ExitCode {
    let args = Args::parse();
    let mut kinds = args.kinds;
    if kinds.is_empty() {
        kinds = Kind::value_variants().iter().map(|kind| (*kind, None)).collect();
    }
    if args.time.is_none() {
        kinds.iter_mut().for_each(|(_, count)| *count = count.or(Some(1000)));
    }
    let settings =
        Settings { requests: args.requests, timeout: args.timeout, switches: args.switches };
    let plan = Plan { kinds, seed: args.seed, time: args.time, jobs: args.jobs, settings };
    let started = Instant::now();
    let told = AtomicU64::new(0);
    let tallies = run(&plan, &|number| {
        // A line a minute.
        let minute = started.elapsed().as_secs() / 60;
        if told.fetch_max(minute, Ordering::Relaxed) < minute {
            eprintln!("{minute} min: {number} inputs");
        }
    });
    let mut wrong = 0;
    let (mut inputs, mut confirmed, mut unknown, mut too_large) = (0, 0, 0, 0);
    for (kind, tally) in &tallies {
        print(*kind, tally, args.show_unknown);
        wrong += tally.findings.len();
        inputs += tally.inputs();
        confirmed += tally.confirmed;
        unknown += tally.count("unknown");
        too_large += tally.count("too large");
    }
    println!(
        "{inputs} inputs from seed {} in {:.0} s: {wrong} WRONG, {confirmed} confirmed, {unknown} unknown \
         ({:.2} % of those that are not too large), {too_large} too large",
        args.seed,
        started.elapsed().as_secs_f64(),
        100.0 * unknown as f64 / (inputs - too_large).max(1) as f64,
    );
    if wrong > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn print(kind: Kind, tally: &Tally, show_unknown: bool) {
    let total = tally.inputs();
    println!("{}: {total} inputs, {} WRONG", kind.name(), tally.findings.len());
    for (name, times) in &tally.by {
        let mut times = times.clone();
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
    if tally.proved_twice > 0 {
        println!("  proved with and without global states: {}", tally.proved_twice);
    }
    if tally.certificate > 0 {
        println!("  certificates at most {} bytes", tally.certificate);
    }
    println!("  confirmed by somebody else: {}", tally.confirmed);
    for finding in &tally.findings {
        println!("WRONG {finding}");
    }
    if show_unknown {
        tally.unanswered.iter().for_each(|unknown| println!("UNKNOWN {unknown}"));
    }
}
