//! What all measurements share: limits, and where reports go.

use super::BenchError;
use crate::cli::ReportArgs;
use crate::commands::files::write_whole;
use crate::commands::streams::out;
use crate::process::Process;
use ser_bench::document::{Document, facts};
use ser_bench::machine::today;
use ser_bench::plot::Plot;
use ser_bench::process::Bounds;
use ser_bench::tool::Tool;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

/// A process gets a little more than its limits, so that it can say itself that they are spent.
const GRACE: Duration = Duration::from_secs(2);
const GRACE_KIB: u64 = 64 << 10;

/// Bounds for processes with these limits.
pub fn bounds(timeout: f64, memory_mib: u64) -> Bounds {
    let time = Duration::try_from_secs_f64(timeout).unwrap_or(Duration::MAX);
    Bounds {
        time: time.saturating_add(GRACE),
        memory_kib: memory_mib.saturating_mul(1024).saturating_add(GRACE_KIB),
    }
}

/// This program itself as a tool, with further options of `ser check`.
pub fn this_tool(timeout: f64, memory_mib: u64, options: &[String]) -> Result<Tool, BenchError> {
    let program = std::env::current_exe().map_err(|error| {
        BenchError::Usage(format!("cannot tell where this program is: {error}"), None)
    })?;
    Ok(Tool::ser(&program, timeout, memory_mib, options))
}

/// Options for `ser check` in one text.
pub fn check_options(text: Option<&str>) -> Vec<String> {
    text.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

/// Where, when and with which limits.
pub fn header(report: &ReportArgs, limits: String) -> Vec<(String, String)> {
    facts((!report.no_date).then(today), limits)
}

/// What to say about a measurement that was interrupted.
pub fn interrupted(done: usize, all: usize, what: &str) -> (String, String) {
    ("interrupted".into(), format!("after {done} of {all} {what}"))
}

/// The exit code, if the measurement may have been interrupted: wrong verdicts count more.
pub fn with_interruption(code: u8, process: &Process) -> u8 {
    if code == 0 && process.is_interrupted() { 3 } else { code }
}

/// Writes a report and its plots where they belong.
pub fn publish<'a>(
    args: &ReportArgs,
    document: &Document,
    plots: impl IntoIterator<Item = (&'a str, Plot)>,
) -> Result<(), BenchError> {
    let failed = |path: &Path, error| {
        BenchError::Usage(format!("cannot write {}: {error}", path.display()), None)
    };
    if let Some(folder) = &args.plot {
        let folder = Path::new(folder);
        std::fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
        for (name, plot) in plots {
            let path = folder.join(name);
            write_whole(&path, &plot.svg(), "-").map_err(|e| failed(&path, e))?;
        }
    }
    let text = document.text(args.format.format());
    match &args.output {
        Some(path) => {
            let path = Path::new(path);
            write_whole(path, &text, "-").map_err(|e| failed(path, e))?;
        }
        None => {
            let mut out = out();
            out.write_all(text.as_bytes())?;
            out.flush()?;
        }
    }
    Ok(())
}
