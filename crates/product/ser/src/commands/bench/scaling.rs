//! `ser bench scaling`.

use super::BenchError;
use super::bar::Bar;
use super::output::{
    bounds, check_options, header, interrupted, publish, this_tool, with_interruption,
};
use crate::cli::ScalingArgs;
use crate::process::Process;
use ser_bench::families::{ALL, Family, Variant};
use ser_bench::scaling::{Curve, Plan, document, measure, plots};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Measures how the cost grows.
pub fn run(args: &ScalingArgs, process: &Process) -> Result<u8, BenchError> {
    let families = families(&args.families)?;
    let options = check_options(args.check.as_deref());
    let plan = Plan {
        tool: this_tool(args.budget, args.memory, &options)?,
        bounds: bounds(args.budget, args.memory),
        budget: Duration::try_from_secs_f64(args.budget).unwrap_or(Duration::MAX),
        max_n: args.max_n,
        cancel: Arc::clone(&process.interrupt),
    };
    let folder = Folder::new()?;
    let count = families.len() * Variant::ALL.len();
    let bar = Bar::new(count);
    let mut curves: Vec<Curve> = Vec::new();
    for family in families {
        for variant in Variant::ALL {
            if process.is_interrupted() {
                break;
            }
            let name = format!("{}, {}", family.name, variant.name());
            let curve = measure(family, variant, &plan, &folder.0, |n, sample| {
                bar.say(format!("{name}: n = {n}, {:.0} ms", sample.milliseconds));
            });
            let failed = |e| BenchError::Usage(format!("cannot write a program: {e}"), None);
            curves.push(curve.map_err(failed)?);
            bar.step(name);
        }
    }
    drop(bar);
    let limits = format!(
        "{} s and {} MiB for each program, n up to {}",
        args.budget, args.memory, args.max_n
    );
    let mut facts = header(&args.report, limits);
    if let Some(options) = &args.check {
        facts.push(("options".into(), options.clone()));
    }
    if process.is_interrupted() {
        facts.push(interrupted(curves.len(), count, "curves, the last one in part"));
    }
    let plots = plots(&curves);
    let plots = plots.iter().map(|(name, plot)| (name.as_str(), plot.clone()));
    publish(&args.report, &document(facts, &curves), plots)?;
    let code = u8::from(curves.iter().any(Curve::is_wrong));
    Ok(with_interruption(code, process))
}

fn families(names: &[String]) -> Result<Vec<Family>, BenchError> {
    if names.is_empty() {
        return Ok(ALL.to_vec());
    }
    let named = |name: &String| {
        Family::named(name).map_err(|error| {
            BenchError::Usage(error.to_string(), Some("`ser bench families` lists them".into()))
        })
    };
    names.iter().map(named).collect()
}

/// A folder that goes away with what is in it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Folder, BenchError> {
        let folder = std::env::temp_dir().join(format!("ser-scaling-{}", std::process::id()));
        match std::fs::create_dir_all(&folder) {
            Ok(()) => Ok(Folder(folder)),
            Err(error) => {
                let message = format!("cannot make the folder {}: {error}", folder.display());
                Err(BenchError::Usage(message, None))
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // It is a temporary folder; at worst it stays.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
