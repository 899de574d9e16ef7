//! Many inputs, in several threads, for a given time or number; and what came of them.

use crate::judge::ORACLE_STATES;
use crate::shrink::{shrink_program, shrink_system};
use crate::{
    Finding, Random, Trial, border, edited, equations, expressions, judge_program, locking, net,
    options, processes, program, program_findings, requests, set_recipe, shards, sliced, system,
    try_claims, try_equations, try_net, try_processes, try_requests, try_set, try_source,
    try_whole, with_claims,
};
use clap::ValueEnum;
use ser_base::Limits;
use ser_model::write_json;
use ser_oracle::{Findings, SystemNetwork, compare};
use ser_serializability_search::Options;
use std::collections::BTreeMap;
use std::mem::discriminant;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What an input is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, ValueEnum)]
pub enum Kind {
    /// Small programs with few statements.
    Programs,
    /// Programs that protect what they share.
    Locking,
    /// Programs with every construct in every place.
    Expressions,
    /// Programs of the other kinds, weakened or strengthened a little.
    Border,
    /// Programs of independent parts, with variables that nobody sees.
    Sliced,
    /// Programs of shards that some requests change and others add up.
    Shards,
    /// Network systems with everything that programs never do.
    Systems,
    /// Network systems of programs, changed a little.
    Edited,
    /// Place/transition nets with queries.
    Nets,
    /// Semilinear sets.
    Sets,
    /// Linear systems.
    Equations,
    /// Processes with goals.
    Processes,
    /// Programs with requests and goals.
    Requests,
    /// Programs of the whole language.
    Whole,
    /// Programs with questions about their states.
    Claims,
}

impl Kind {
    /// What it is called on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
    }
}

/// How to look at inputs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The oracle looks at so many requests.
    pub requests: usize,
    /// Time for each input.
    pub timeout: Duration,
    /// Whether optimisations are switched off at random.
    pub switches: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { requests: 4, timeout: Duration::from_secs(2), switches: false }
    }
}

/// How much there is to do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The kinds, each with the number of its inputs; without one, as many as time allows.
    pub kinds: Vec<(Kind, Option<u64>)>,
    /// The first seed.
    pub seed: u64,
    /// When to stop.
    pub time: Option<Duration>,
    /// How many threads.
    pub jobs: usize,
    /// How to look at inputs.
    pub settings: Settings,
}

/// What came of the inputs of one kind.
#[derive(Default, Debug)]
pub struct Tally {
    /// Times of the answers, by what decided.
    pub by: BTreeMap<&'static str, Vec<Duration>>,
    /// How often rules alone gave a proof where listing states gave one too.
    pub proved_twice: usize,
    /// The longest time that a check of a certificate took.
    pub checker: Duration,
    /// The largest certificate in bytes.
    pub certificate: usize,
    /// Answers that somebody else came to as well; see [`Trial::confirmed`].
    pub confirmed: usize,
    /// Inputs without an answer, with what was tried: those that are too large among them.
    pub unanswered: Vec<String>,
    /// Everything that must never happen, with the smallest input that shows it.
    pub findings: Vec<String>,
}

impl Tally {
    /// How many inputs were decided so.
    pub fn count(&self, decided_by: &str) -> usize {
        self.by.get(decided_by).map_or(0, Vec::len)
    }

    /// How many inputs there were.
    pub fn inputs(&self) -> usize {
        self.by.values().map(Vec::len).sum::<usize>() + self.findings.len()
    }

    fn add(&mut self, result: Result<Judged, String>) {
        let judged = match result {
            Ok(judged) => judged,
            Err(words) => return self.findings.push(words),
        };
        let Judged { trial, proved_twice, text } = judged;
        self.by.entry(trial.decided_by).or_default().push(trial.engine);
        self.checker = self.checker.max(trial.checker);
        self.certificate = self.certificate.max(trial.certificate);
        self.proved_twice += usize::from(proved_twice);
        self.confirmed += usize::from(trial.confirmed);
        if ["unknown", "too large"].contains(&trial.decided_by) {
            self.unanswered.push(format!("{text}\n{}", trial.tried));
        }
    }
}

/// Runs a plan. `watch` is told now and then how many inputs are done.
pub fn run(plan: &Plan, watch: &(dyn Fn(u64) + Sync)) -> BTreeMap<Kind, Tally> {
    let started = Instant::now();
    let tallies: Mutex<BTreeMap<Kind, Tally>> = Mutex::default();
    let next = AtomicU64::new(0);
    let kinds = plan.kinds.len() as u64;
    let most = plan.kinds.iter().map(|(_, n)| n.unwrap_or(u64::MAX)).max().unwrap_or(0);
    let work = || {
        loop {
            // Kinds take turns.
            let number = next.fetch_add(1, Ordering::Relaxed);
            let round = number / kinds;
            let (kind, count) = plan.kinds[(number % kinds) as usize];
            if round >= most || plan.time.is_some_and(|time| started.elapsed() > time) {
                return;
            }
            if count.is_some_and(|count| round >= count) {
                continue;
            }
            watch(number);
            let result = try_input(kind, plan.seed + round, &plan.settings);
            if let Ok(mut tallies) = tallies.lock() {
                tallies.entry(kind).or_default().add(result);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs.max(1) {
            // Handlers that are nested deeply are no business of this crate, but they need a stack.
            let thread = std::thread::Builder::new().stack_size(64 << 20);
            thread.spawn_scoped(scope, work).expect("a thread");
        }
    });
    tallies.into_inner().unwrap_or_default()
}

/// An input that was looked at.
struct Judged {
    trial: Trial,
    proved_twice: bool,
    text: String,
}

/// One input; if something is wrong, words about it and about the smallest input that shows it.
fn try_input(kind: Kind, seed: u64, settings: &Settings) -> Result<Judged, String> {
    let mut random = Random::new(seed ^ ((kind as u64) << 48) ^ 0xabcd_ef00);
    let chosen = match settings.switches {
        true => options(&mut Random::new(seed ^ 0x1234_5678)),
        false => Options::default(),
    };
    let random = &mut random;
    let (text, judge, shrink): (String, Box<Judge<'_>>, Shrink) = match kind {
        Kind::Programs
        | Kind::Locking
        | Kind::Expressions
        | Kind::Border
        | Kind::Sliced
        | Kind::Shards => {
            let generate = match kind {
                Kind::Programs => program,
                Kind::Locking => locking,
                Kind::Expressions => expressions,
                Kind::Sliced => sliced,
                Kind::Shards => shards,
                _ => border,
            };
            (generate(random), Box::new(|text| try_text(text, &chosen, settings)), shrink_program)
        }
        Kind::Systems | Kind::Edited => {
            let system = match kind {
                Kind::Systems => Some(system(random)),
                // Some programs have too many states, and some changes leave no system.
                _ => (0..50).find_map(|_| edited(random)),
            };
            let Some(system) = system else { return Ok(nothing()) };
            let judge = |text: &str| try_system_text(text, &chosen, settings);
            (write_json(&system).to_string(), Box::new(judge), shrink_system_json)
        }
        Kind::Processes | Kind::Requests => {
            let (text, judge): (_, fn(&str, &mut Random, Duration) -> _) = match kind {
                Kind::Processes => (processes(random), try_processes),
                _ => (requests(random), try_requests),
            };
            let judge = move |text: &str| {
                plain(text, || judge(text, &mut Random::new(seed), settings.timeout))
            };
            (text, Box::new(judge), shrink_lines)
        }
        Kind::Whole => {
            let judge = |text: &str| {
                let requests = settings.requests.min(3);
                plain(text, || try_whole(text, &chosen, requests, settings.timeout))
            };
            (ser_generators::whole::program(seed), Box::new(judge), shrink_program)
        }
        Kind::Claims => {
            let plain_text = match seed % 3 {
                0 => ser_generators::whole::program(seed),
                1 => locking(random),
                _ => program(random),
            };
            let judge = |text: &str| {
                let requests = settings.requests.min(3);
                plain(text, || try_claims(text, requests, settings.timeout))
            };
            (with_claims(&plain_text, seed), Box::new(judge), shrink_program)
        }
        Kind::Nets => {
            let (net, query) = net(random);
            let text = format!("{}{}", ser_petri::write_net(&net), query.show(&net));
            let (chosen, timeout) = (&chosen, settings.timeout);
            let judge = move |text: &str| {
                plain(text, || try_net(&net, &query, chosen, ORACLE_STATES, timeout))
            };
            (text, Box::new(judge), as_it_is)
        }
        Kind::Sets => {
            let (recipe, outcomes) = (set_recipe(random), chosen.arithmetic.outcomes);
            let text = format!("{recipe:?}");
            (text, Box::new(move |text| plain(text, || try_set(&recipe, outcomes))), as_it_is)
        }
        Kind::Equations => {
            let equations = equations(random);
            let text = format!("{equations:?}");
            (text, Box::new(move |text| plain(text, || try_equations(&equations))), as_it_is)
        }
    };
    judge(&text).map_err(|finding| {
        let (finding, small) = smallest(finding, &text, |text| judge(text).err(), shrink);
        let mut words = format!("{} {seed}: {finding}\n{small}", kind.name());
        if settings.switches {
            words.push_str(&format!("\n{chosen:?}"));
        }
        if small != text {
            words.push_str(&format!("\nshrunk from\n{text}"));
        }
        words
    })
}

/// Looks at one text.
type Judge<'a> = dyn Fn(&str) -> Result<Judged, Finding> + 'a;

/// Makes a text smaller that keeps a fault.
type Shrink = fn(&str, &mut dyn FnMut(&str) -> bool) -> String;

fn as_it_is(text: &str, _: &mut dyn FnMut(&str) -> bool) -> String {
    text.to_owned()
}

fn shrink_system_json(text: &str, keeps: &mut dyn FnMut(&str) -> bool) -> String {
    shrink_system(text, &mut |text| ser_model::read_json(text).is_ok() && keeps(text))
}

fn plain(text: &str, work: impl FnOnce() -> Result<Trial, Finding>) -> Result<Judged, Finding> {
    caught(work).map(|trial| judged(trial, text))
}

/// The text without some of its lines.
fn shrink_lines(text: &str, keeps: &mut dyn FnMut(&str) -> bool) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut at = lines.len();
    while at > 0 {
        at -= 1;
        let line = lines.remove(at);
        if !keeps(&lines.join("\n")) {
            lines.insert(at, line);
        }
    }
    lines.join("\n")
}

/// How long a fault is made smaller.
const SHRINKING: Duration = Duration::from_secs(60);

/// The smallest input with the same kind of fault, and that fault.
fn smallest(
    finding: Finding,
    text: &str,
    again: impl Fn(&str) -> Option<Finding>,
    shrink: Shrink,
) -> (Finding, String) {
    let started = Instant::now();
    let mut smallest = finding.clone();
    let small = shrink(text, &mut |text| {
        if started.elapsed() > SHRINKING {
            return false;
        }
        match again(text) {
            Some(other) if discriminant(&other) == discriminant(&finding) => {
                smallest = other;
                true
            }
            _ => false,
        }
    });
    (smallest, small)
}

fn judged(trial: Trial, text: &str) -> Judged {
    Judged { trial, proved_twice: false, text: text.to_owned() }
}

fn nothing() -> Judged {
    judged(Trial { decided_by: "left out", ..Trial::default() }, "")
}

/// A panic is a finding, too.
fn caught<T>(work: impl FnOnce() -> Result<T, Finding>) -> Result<T, Finding> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|t| (*t).to_owned()));
        Err(Finding::Panic(text.unwrap_or_default()))
    })
}

/// By its rules and by its network system, and as `ser check` does it.
fn try_text(text: &str, chosen: &Options, settings: &Settings) -> Result<Judged, Finding> {
    caught(|| {
        let parse = ser_syntax::parse(text);
        if parse.has_errors() {
            let engine = format!("errors: {:?}", parse.diagnostics);
            return Err(Finding::Wrong { engine, oracle: "a program".into() });
        }
        let findings = program_findings(&parse.program, settings.requests);
        let both = judge_program(text, chosen, findings.as_ref().ok(), settings.timeout)?;
        let Ok(findings) = findings else {
            // It may be a value that nobody sees.
            let limits = Limits::default();
            if ser_serializability_search::find_slices(&parse.program, &limits).is_some() {
                return Ok(judged(Trial { decided_by: "too large", ..Trial::default() }, text));
            }
            // Nothing is true of such a program, so nothing may be said about it.
            let none = Findings::Unbroken { requests: 0 };
            let trial = try_source("random.ser", text, chosen, &none, settings.timeout)?;
            if !["unknown", "too large"].contains(&trial.decided_by) {
                let oracle = "a value leaves 64 bits".into();
                return Err(Finding::Wrong { engine: trial.decided_by.into(), oracle });
            }
            return Ok(judged(Trial { decided_by: "too large", ..trial }, text));
        };
        let trial = try_source("random.ser", text, chosen, &findings, settings.timeout)?;
        let proved = |t: &Option<Trial>| {
            t.as_ref().is_some_and(|t| !["unknown", "refuted"].contains(&t.decided_by))
        };
        let proved_twice = proved(&both.large) && proved(&both.whole);
        Ok(Judged { proved_twice, ..judged(trial, text) })
    })
}

/// As `ser check` does it.
fn try_system_text(text: &str, chosen: &Options, settings: &Settings) -> Result<Judged, Finding> {
    caught(|| {
        let wrong = |oracle: String| Finding::Wrong { engine: "a system".into(), oracle };
        let mut network = SystemNetwork::read(text).map_err(|e| wrong(e.to_string()))?;
        let findings = compare(&mut network, settings.requests, ORACLE_STATES);
        let findings = findings.map_err(|e| wrong(e.to_string()))?;
        let trial = try_source("random.json", text, chosen, &findings, settings.timeout)?;
        Ok(judged(trial, text))
    })
}
