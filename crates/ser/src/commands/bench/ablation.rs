//! `ser bench ablation`.

use super::BenchError;
use super::bar::Bar;
use super::output::{header, publish, this_tool};
use super::suite::{entries, limits, measure_all, plan};
use crate::cli::{AblationArgs, ReductionName};
use clap::ValueEnum as _;
use ser_bench::ablation::{Ablation, Configuration, document, plot};
use ser_bench::measurement::Judgement;
use ser_bench::plot::Plot;

/// Measures with everything on, and with each option off.
pub fn run(args: &AblationArgs) -> Result<u8, BenchError> {
    let switches = switches(&args.without)?;
    let entries = entries(&args.paths, args.expected.as_deref())?;
    let mut ablation = Ablation::default();
    if !args.sizes_only {
        let bar = Bar::new(entries.len() * (switches.len() + 1));
        let configurations =
            std::iter::once(Vec::new()).chain(switches.into_iter().map(|s| vec![s]));
        for without in configurations {
            let options: Vec<String> =
                without.iter().flat_map(|s| ["--without".to_owned(), s.clone()]).collect();
            let tool = this_tool(args.measure.timeout, args.measure.memory, &options)?;
            let rows = measure_all(&entries, &plan(&args.measure, tool, None), &bar);
            ablation.configurations.push(Configuration { without, rows });
        }
    }
    let facts = header(&args.report, limits(&args.measure));
    let plots: Vec<(&str, Plot)> = match ablation.configurations.len() {
        0 => Vec::new(),
        _ => vec![("ablation.svg", plot(&ablation))],
    };
    publish(&args.report, &document(facts, &ablation), plots)?;
    let wrong = |c: &Configuration| c.rows.iter().any(|r| r.judgement() == Judgement::Wrong);
    Ok(u8::from(ablation.configurations.iter().any(wrong)))
}

/// The options to switch off: those named, or all that `ser check --without` knows.
fn switches(names: &[String]) -> Result<Vec<String>, BenchError> {
    let known: Vec<String> = ReductionName::value_variants()
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
