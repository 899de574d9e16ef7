//! `ser bench ablation`.

use super::BenchError;
use super::bar::Bar;
use super::output::{header, interrupted, publish, this_tool, with_interruption};
use super::sizes;
use super::suite::{entries, limits, measure_all, plan};
use crate::cli::{AblationArgs, SwitchName};
use crate::process::Process;
use clap::ValueEnum as _;
use ser_bench::ablation::{Ablation, Configuration, document, plot};
use ser_bench::measurement::Judgement;
use ser_bench::plot::Plot;
use ser_bench::suite::Entry;

/// Measures with everything on, and with each option off.
pub fn run(args: &AblationArgs, process: &Process) -> Result<u8, BenchError> {
    let switches = switches(&args.without)?;
    let entries = entries(&args.paths, args.expected.as_deref())?;
    let mut ablation = Ablation::default();
    let limits_of_one = || args.size_limits(process);
    let bar = Bar::new(entries.len());
    sizes::measure(&entries, &switches, &limits_of_one, &mut ablation, |name| {
        bar.step(name.to_owned());
    });
    drop(bar);
    if !args.sizes_only {
        ablation.configurations = configurations(args, &entries, switches, process)?;
    }
    let mut facts = header(&args.report, limits(&args.measure));
    if process.is_interrupted() {
        let done = ablation.configurations.iter().map(|c| c.rows.len()).min().unwrap_or(0);
        facts.push(interrupted(done, entries.len(), "programs"));
    }
    let plots: Vec<(&str, Plot)> = match ablation.configurations.len() {
        0 => Vec::new(),
        _ => vec![("ablation.svg", plot(&ablation))],
    };
    publish(&args.report, &document(facts, &ablation), plots)?;
    let wrong = |c: &Configuration| c.rows.iter().any(|r| r.judgement() == Judgement::Wrong);
    let code = u8::from(ablation.configurations.iter().any(wrong));
    Ok(with_interruption(code, process))
}

/// Measures all configurations. A program takes its turns in all of them before the next one, so that
/// a machine that is slower for a while is slower for all.
fn configurations(
    args: &AblationArgs,
    entries: &[Entry],
    switches: Vec<String>,
    process: &Process,
) -> Result<Vec<Configuration>, BenchError> {
    let mut configurations = Vec::new();
    let mut plans = Vec::new();
    for without in std::iter::once(Vec::new()).chain(switches.into_iter().map(|s| vec![s])) {
        let options: Vec<String> =
            without.iter().flat_map(|s| ["--without".to_owned(), s.clone()]).collect();
        let tool = this_tool(args.measure.timeout, args.measure.memory, &options)?;
        plans.push(plan(&args.measure, tool, None, process));
        configurations.push(Configuration { without, rows: Vec::new() });
    }
    let bar = Bar::new(entries.len() * plans.len());
    for some in entries.chunks(args.measure.jobs.max(1) as usize) {
        for (plan, configuration) in plans.iter().zip(&mut configurations) {
            configuration.rows.extend(measure_all(some, plan, &bar));
        }
    }
    Ok(configurations)
}

/// The options to switch off: those named, or all that `ser check --without` knows.
fn switches(names: &[String]) -> Result<Vec<String>, BenchError> {
    let known: Vec<String> = SwitchName::value_variants()
        .iter()
        .filter_map(|v| Some(v.to_possible_value()?.get_name().to_owned()))
        .collect();
    if names.is_empty() {
        return Ok(known);
    }
    match names.iter().find(|name| !known.contains(name)) {
        Some(name) => Err(BenchError::Usage(
            format!("there is no option `{name}`"),
            Some(format!("there are {}", known.join(", "))),
        )),
        None => Ok(names.to_vec()),
    }
}
