//! `ser bench PATH...`: a suite, program by program.

use super::BenchError;
use super::bar::Bar;
use super::output::{
    bounds, check_options, header, interrupted, publish, this_tool, with_interruption,
};
use crate::cli::{BenchArgs, MeasureArgs};
use crate::process::Process;
use ser_bench::measurement::{Plan, Row, measure};
use ser_bench::suite::{Entry, Expectations, find};
use ser_bench::suite_report::{document, exit_code, plots};
use ser_bench::tool::Tool;
use std::sync::Arc;

/// Runs a suite.
pub fn run(args: &BenchArgs, process: &Process) -> Result<u8, BenchError> {
    let entries = entries(&args.paths, args.expected.as_deref())?;
    let options = check_options(args.check.as_deref());
    let tool = this_tool(args.measure.timeout, args.measure.memory, &options)?;
    let against = match &args.against {
        Some(command) => {
            Some(Tool::other(command, &args.against_serializable, &args.against_not_serializable)?)
        }
        None => None,
    };
    let plan = plan(&args.measure, tool, against, process);
    let rows = measure_all(&entries, &plan, &Bar::new(entries.len()));
    let mut facts = header(&args.report, limits(&args.measure));
    if let Some(options) = &args.check {
        facts.push(("options".into(), options.clone()));
    }
    if let Some(command) = &args.against {
        facts.push(("other tool".into(), command.clone()));
    }
    if process.is_interrupted() {
        facts.push(interrupted(rows.len(), entries.len(), "programs"));
    }
    let title = format!("ser on {} programs", entries.len());
    publish(&args.report, &document(&title, facts, &rows), plots(&rows))?;
    Ok(with_interruption(exit_code(&rows), process))
}

/// The programs, and what is expected of them.
pub fn entries(paths: &[String], expected: Option<&str>) -> Result<Vec<Entry>, BenchError> {
    let expectations = match expected {
        Some(path) => Expectations::read(path)?,
        None => Expectations::default(),
    };
    let mut entries = find(paths, &expectations)?;
    // A list may live in the folder that it is about.
    entries.retain(|entry| Some(entry.path.as_str()) != expected);
    Ok(entries)
}

/// How to measure.
pub fn plan(args: &MeasureArgs, tool: Tool, against: Option<Tool>, process: &Process) -> Plan {
    Plan {
        tool,
        against,
        bounds: bounds(args.timeout, args.memory),
        repeat: args.repeat as usize,
        warmup: args.warmup as usize,
        jobs: args.jobs as usize,
        cancel: Arc::clone(&process.interrupt),
    }
}

/// The limits in words.
pub fn limits(args: &MeasureArgs) -> String {
    let mut words = format!("{} s, {} MiB", args.timeout, args.memory);
    if args.repeat > 1 {
        words.push_str(&format!(", median of {} runs", args.repeat));
    }
    if args.jobs > 1 {
        words.push_str(&format!(", {} programs at a time", args.jobs));
    }
    words
}

/// Measures all programs, with a bar that moves.
pub fn measure_all(entries: &[Entry], plan: &Plan, bar: &Bar) -> Vec<Row> {
    measure(entries, plan, |row| bar.step(row.name.clone()))
}
