//! What a check cost: times of stages, sizes, memory.

use ser_serializability_checker::{Accepted, Argument};
use ser_session::source::Model;
use ser_session::stages::StageName;
use ser_session::{Report, Verdict};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::time::Duration;

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// The most memory that this process has ever had, in KiB, where the system tells.
pub fn peak_memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// What the checker looked at, by name.
fn looked_at(report: &Report) -> Vec<(&'static str, usize)> {
    let accepted = match &report.verdict {
        Verdict::Serializable { accepted, .. } | Verdict::NotSerializable { accepted, .. } => {
            accepted
        }
        _ => return Vec::new(),
    };
    match accepted {
        Accepted::NotSerializable { requests, events, .. } => {
            vec![("requests", *requests), ("events", *events)]
        }
        Accepted::Serializable { argument, .. } => match argument {
            Argument::Inclusion { triples, .. } => vec![("triples", *triples)],
            Argument::Rules { pauses, commutations } => {
                vec![("pauses", *pauses), ("commutations", *commutations)]
            }
            Argument::Arithmetic { components, nodes, .. } => {
                vec![("components", *components), ("tree_nodes", *nodes)]
            }
        },
    }
}

/// States that the search for a counterexample has visited.
fn states_searched(report: &Report) -> usize {
    match &report.verdict {
        Verdict::NotSerializable { refutation, .. } => refutation.states,
        Verdict::Unknown(unknown) => unknown.searched.as_ref().map_or(0, |s| s.states),
        _ => report.stages.states_searched,
    }
}

/// Everything, for programs.
pub fn json(report: &Report) -> Value {
    let stages: Map<String, Value> = StageName::ALL
        .iter()
        .map(|s| (s.name().to_owned(), json!(milliseconds(report.stages.time(*s)))))
        .collect();
    let mut object = json!({
        "stages_ms": stages,
        "total_ms": milliseconds(report.time),
        "states_searched": states_searched(report),
        "check_ms": milliseconds(report.stages.time(StageName::Check)),
    });
    if let Some(certificate) = report.verdict.certificate() {
        object["certificate_bytes"] = json!(certificate.to_text().len());
    }
    for (name, number) in looked_at(report) {
        object[name] = json!(number);
    }
    if let Some(kib) = peak_memory_kib() {
        object["peak_memory_kib"] = json!(kib);
    }
    object
}

/// Everything, for people.
pub fn human(report: &Report) -> String {
    let mut text = String::from("  Statistics\n");
    let _ = write!(text, "    time       ");
    for stage in StageName::ALL {
        let _ = write!(text, " {} {:.1}", stage.name(), milliseconds(report.stages.time(stage)));
    }
    let _ = writeln!(text, " ms");
    // Rules stand for global states that nobody has listed.
    if let Some(model @ (Model::Program(_) | Model::System(_))) = &report.model {
        let system = model.system();
        let sizes = &report.sizes;
        let _ = writeln!(
            text,
            "    states      {} global, {} local, {} steps",
            system.globals().len(),
            system.local_count(),
            system.steps().len()
        );
        let _ = writeln!(
            text,
            "    net         {} in-flight places and {} transitions, reduced to {} and {}, without movers {} and {}",
            sizes.before.0,
            sizes.before.1,
            sizes.after.0,
            sizes.after.1,
            sizes.moved.0,
            sizes.moved.1
        );
    }
    let _ = writeln!(text, "    search      {} states", states_searched(report));
    if let Some(certificate) = report.verdict.certificate() {
        let _ = write!(text, "    certificate {} bytes", certificate.to_text().len());
        for (name, number) in looked_at(report) {
            let name = name.replace('_', " ");
            let name = if number == 1 { name.trim_end_matches('s') } else { &name };
            let _ = write!(text, ", {number} {name}");
        }
        let _ = writeln!(text);
    }
    if let Some(kib) = peak_memory_kib() {
        let _ = writeln!(text, "    memory      {:.1} MiB at most", kib as f64 / 1024.0);
    }
    text
}
