//! `ser bench events`.

use super::BenchError;
use super::bar::Bar;
use super::output::{header, interrupted, publish, with_interruption};
use super::peak;
use crate::cli::{ClockName, Encoding, EventsArgs, TraceSolver, encoding_options};
use crate::process::Process;
use clap::ValueEnum as _;
use ser_bench::event_ablation::EventAblation;
use ser_bench::event_report::EventReport;
use ser_bench::event_run::{EventRun, FormulaSizes, Reached, Trial};
use ser_bench::lost_updates::{Instance, instances, largest, reachable};
use ser_bench::machine::Stopwatch;
use ser_model::Limits;
use ser_reachability_search::{Bound, Method, Options, SearchOptions};
use ser_session::events::{Answer, Evidence, Question, Reaching, trace_source};
use ser_session::source::Kind;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Sizes of the paper's own encoding are told, not its times: so long may solving take.
const GLANCE: Duration = Duration::from_secs(1);

/// Measures event tracing.
pub fn run(args: &EventsArgs, process: &Process) -> Result<u8, BenchError> {
    if args.from > args.to {
        let message = format!("--from {} is larger than --to {}", args.from, args.to);
        let help = format!("for example: --from {} --to {}", args.to, args.from);
        return Err(BenchError::Usage(message, Some(help)));
    }
    let wrong = |message| BenchError::Usage(message, None);
    let encoding = encoding_options(&args.encoding, args.solver).map_err(wrong)?;
    let bench = Bench { args, process };
    match args.ablation {
        true => bench.ablation(),
        false => bench.compare(&encoding),
    }
}

/// What everybody needs.
#[derive(Clone, Copy)]
struct Bench<'a> {
    args: &'a EventsArgs,
    process: &'a Process,
}

impl Bench<'_> {
    fn instances(&self) -> Vec<Instance> {
        (self.args.from..=self.args.to).flat_map(|c| instances(c, self.args.every)).collect()
    }

    fn facts(&self, done: usize) -> Vec<(String, String)> {
        let mut facts = header(&self.args.report, self.args.limits());
        facts.push(("solver".into(), name_of(self.args.solver)));
        if self.args.clock == ClockName::Cpu {
            facts.push(("clock".into(), "the time that the processor worked for it".into()));
        }
        if !self.args.encoding.is_empty() {
            let changes: Vec<String> = self.args.encoding.iter().map(|c| name_of(*c)).collect();
            facts.push(("encoding".into(), changes.join(", ")));
        }
        let every = match self.args.every {
            1 => "every instance".to_owned(),
            n => format!("one of {n} instances"),
        };
        facts.push(("family".into(), format!("C = {}..{}, {every}", self.args.from, self.args.to)));
        if self.process.is_interrupted() {
            facts.push(interrupted(done, self.instances().len(), "instances"));
        }
        facts
    }

    /// Limits with the clock running from now.
    fn limits(&self, time: Duration) -> Limits {
        let bytes = self.args.memory.saturating_mul(1 << 20);
        let max_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        let limits = Limits { max_bytes, ..Limits::default() };
        peak::watched(self.process.limit(limits).with_timeout(time))
    }

    /// Both methods on every instance.
    fn compare(&self, encoding: &Options) -> Result<u8, BenchError> {
        let args = self.args;
        let timeout = Duration::try_from_secs_f64(args.timeout).unwrap_or(Duration::MAX);
        let all = self.instances();
        let bar = Bar::new(all.len());
        let mut report = EventReport::default();
        let mut truths: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for instance in all {
            let mut search = SearchOptions {
                method: Method::Events,
                bound: Bound::Expand,
                encoding: encoding.clone(),
            };
            let asked = Asked { instance, search: &search, check_proofs: args.check_proofs };
            let events = self.ask(asked, timeout);
            let bmc = (!args.no_bmc).then(|| {
                let spent = Duration::try_from_secs_f64(events.milliseconds / 1e3);
                let time = args.bmc_time(spent.unwrap_or_default());
                (search.method, search.bound) = (Method::Bmc, Bound::Rounds(instance.steps()));
                self.ask(Asked { instance, search: &search, check_proofs: false }, time)
            });
            if self.process.is_interrupted() {
                break;
            }
            let truth = (instance.c <= args.check_up_to).then(|| {
                let ends = truths.entry(instance.c).or_insert_with(|| reachable(instance.c));
                ends.contains(&instance.d)
            });
            bar.step(format!("C = {}, D = {}", instance.c, instance.d));
            report.trials.push(Trial { instance, events, bmc, truth });
        }
        drop(bar);
        for c in args.from..=args.to {
            let sizes = self.sizes_as_in_the_paper(c, encoding);
            report.as_in_the_paper.extend(sizes.map(|sizes| (c, sizes)));
        }
        publish(&args.report, &report.document(self.facts(report.trials.len())), report.plots())?;
        let code = match (report.disagreements(), report.unknown()) {
            (1.., _) => 1,
            (0, 1..) => 3,
            (0, 0) => 0,
        };
        Ok(with_interruption(code, self.process))
    }

    /// How large the formula is without what the paper does not have.
    fn sizes_as_in_the_paper(&self, c: u32, encoding: &Options) -> Option<FormulaSizes> {
        let encoding = Options { static_order: false, values: false, ..encoding.clone() };
        let search = SearchOptions { method: Method::Events, bound: Bound::Expand, encoding };
        // Any D will do: it is one constant.
        let instance = Instance { c, d: largest(c) };
        let asked = Asked { instance, search: &search, check_proofs: false };
        Some(self.ask(asked, GLANCE).sizes).filter(|sizes| sizes.clauses > 0)
    }

    /// Every change on every instance.
    fn ablation(&self) -> Result<u8, BenchError> {
        let args = self.args;
        let timeout = Duration::try_from_secs_f64(args.timeout).unwrap_or(Duration::MAX);
        let configurations = configurations(args.solver)?;
        let all = self.instances();
        let bar = Bar::new(all.len());
        let rows = configurations.iter().map(|(name, _)| (name.clone(), Vec::new()));
        let mut ablation = EventAblation { instances: Vec::new(), rows: rows.collect() };
        for instance in all {
            let mut runs = Vec::new();
            for (name, encoding) in &configurations {
                bar.say(format!("C = {}, D = {}: {name}", instance.c, instance.d));
                let (method, bound) = (Method::Events, Bound::Expand);
                let search = SearchOptions { method, bound, encoding: encoding.clone() };
                let asked = Asked { instance, search: &search, check_proofs: false };
                runs.push(self.ask(asked, timeout));
            }
            if self.process.is_interrupted() {
                break;
            }
            ablation.instances.push(instance);
            for ((_, row), run) in ablation.rows.iter_mut().zip(runs) {
                row.push(run);
            }
            bar.step(format!("C = {}, D = {}", instance.c, instance.d));
        }
        drop(bar);
        publish(&args.report, &ablation.document(self.facts(ablation.instances.len())), [])?;
        let code = u8::from(ablation.disagreements() > 0);
        Ok(with_interruption(code, self.process))
    }

    /// Asks one question: from the text of the instance to an answer that has been replayed.
    fn ask(&self, asked: Asked<'_>, time: Duration) -> EventRun {
        let Asked { instance, search, check_proofs } = asked;
        let name = format!("lost_updates_{}_{}.events", instance.c, instance.d);
        let question =
            Question { search: search.clone(), trust_solver: !check_proofs, ..Question::default() };
        let text = instance.source();
        let start = Stopwatch::start(self.args.clock.clock());
        let limits = self.limits(time);
        let (answer, peak) = peak::measured(|| {
            let source = ser_session::source::from_text(&name, Kind::Processes, text).ok()?;
            let watch = |_| {
                peak::look();
            };
            trace_source(&source, &question, &limits, &watch).answers.ok()?.into_iter().next()
        });
        run_of(answer, start.elapsed(), peak)
    }
}

/// A question, and how to look for its answer.
#[derive(Clone, Copy)]
struct Asked<'a> {
    instance: Instance,
    search: &'a SearchOptions,
    check_proofs: bool,
}

/// An answer as a row of a report.
fn run_of(answer: Option<Answer>, time: Duration, peak: usize) -> EventRun {
    let mut run = EventRun {
        answer: Reached::Unknown,
        milliseconds: 0.0,
        checking: None,
        peak_kib: (peak >> 10) as u64,
        sizes: FormulaSizes::default(),
        reason: "internal error: the instance is no model".to_owned(),
    };
    let mut checking = Duration::ZERO;
    if let Some(answer) = answer {
        run.reason = String::new();
        match answer.verdict {
            Reaching::Reachable(_) => run.answer = Reached::Yes,
            Reaching::Unreachable(evidence) => {
                run.answer = Reached::No;
                if let Evidence::Proof { time: spent, .. } = evidence {
                    checking = spent;
                    run.checking = Some(spent.as_secs_f64() * 1e3);
                }
            }
            Reaching::Unknown(reason) => run.reason = reason.to_string(),
        }
        let (variables, clauses) = answer.formula;
        run.sizes = FormulaSizes { variables, clauses, ..FormulaSizes::default() };
        if let Some(sizes) = answer.sizes {
            run.sizes.transitions = sizes.transitions;
            run.sizes.links = sizes.links;
            run.sizes.order_symbols = sizes.order_symbols;
            run.sizes.triangles = sizes.triangles;
        }
    }
    run.milliseconds = time.saturating_sub(checking).as_secs_f64() * 1e3;
    run
}

/// Nothing changed, each change of the encoding alone, and the other solver if there is one.
fn configurations(solver: TraceSolver) -> Result<Vec<(String, Options)>, BenchError> {
    let wrong = |message| BenchError::Usage(message, None);
    let options = |changes: &[Encoding], solver| encoding_options(changes, solver).map_err(wrong);
    let mut all = vec![("nothing".to_owned(), options(&[], solver)?)];
    for change in Encoding::value_variants() {
        all.push((name_of(*change), options(&[*change], solver)?));
    }
    for other in TraceSolver::value_variants().iter().filter(|other| **other != solver) {
        // A solver that is not built in cannot be compared.
        if let Ok(encoding) = encoding_options(&[], *other) {
            all.push((format!("solver {}", name_of(*other)), encoding));
        }
    }
    Ok(all)
}

/// A value of the command line, as it is written there.
fn name_of(value: impl clap::ValueEnum) -> String {
    value.to_possible_value().map_or(String::new(), |v| v.get_name().to_owned())
}
