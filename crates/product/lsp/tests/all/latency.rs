//! From an edit to its diagnostics, the verdict included: soon for most programs.
//!
//! How soon depends on the machine; here only that nothing waits for something that it should not
//! wait for.

use crate::client::Client;
use serde_json::json;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Slower than this is no matter of the machine.
const GENEROUS: Duration = Duration::from_secs(5);

/// The programs in a folder next to the crates; none if it is not there.
fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> =
        paths.filter(|p| p.extension().is_some_and(|e| e == "ser")).collect();
    paths.sort();
    paths
}

/// The medians of the times from an edit to the first diagnostics and to the verdict.
fn medians(paths: &[PathBuf]) -> (Duration, Duration) {
    let mut client = Client::new();
    let (mut first, mut verdict) = (Vec::new(), Vec::new());
    for path in paths {
        let uri =
            format!("file:///{}", path.file_name().map_or("".into(), |n| n.to_string_lossy()));
        client.open(&uri, &std::fs::read_to_string(path).expect("a program"));
        client.verdict(&uri, 1);
        let start = json!({"line": 0, "character": 0});
        let range = json!({"start": start, "end": start});
        let started = Instant::now();
        client.change(&uri, 2, json!([{"range": range, "text": "// typed\n"}]));
        client.until(|c| c.published.iter().any(|p| p.0 == uri && p.1 == Some(2)));
        first.push(started.elapsed());
        client.verdict(&uri, 2);
        verdict.push(started.elapsed());
        client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    }
    client.close();
    let median = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2]
    };
    (median(&mut first), median(&mut verdict))
}

fn is_fast(paths: &[PathBuf]) {
    let (first, verdict) = medians(paths);
    // Nobody knows what else the machine does: this is far above what is seen on any.
    assert!(first < GENEROUS && verdict < GENEROUS, "medians: {first:?} and {verdict:?}");
}

#[test]
fn the_examples_have_their_diagnostics_soon() {
    let paths = programs("../../../examples");
    assert!(paths.len() > 20, "{paths:?}");
    is_fast(&paths);
}

#[test]
fn the_benchmarks_have_their_diagnostics_soon() {
    let paths = programs("../../../../shared/benchmarks/ser47");
    match paths.is_empty() {
        true => {
            let note = "note: the benchmarks are not there; nothing was measured";
            writeln!(std::io::stderr(), "{note}").expect("somebody listens");
        }
        false => is_fast(&paths),
    }
}
