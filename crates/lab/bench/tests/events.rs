//! `ser-bench events`: the paper's family by both methods, for small C.

use crate::common::{Output, folder};
use crate::{bench, json};
use serde_json::Value;

fn small(more: &[&str]) -> Output {
    let arguments = ["events", "--from", "2", "--to", "3", "--no-date"];
    bench(&[&arguments, more].concat())
}

#[test]
fn both_methods_and_enumeration_agree_on_the_family() {
    // Slow machines must not cut anything.
    let output = small(&["--every", "3", "--bmc-timeout", "60", "--format", "json"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let report = json(&output);
    assert_eq!(report["disagreements"], 0);
    assert_eq!(report.get("date"), None);
    let groups = report["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 2);
    for (group, instances) in groups.iter().zip([5, 15]) {
        assert_eq!(group["instances"], instances, "{group:#}");
        assert_eq!(group["enumerated"], instances, "{group:#}");
        assert_eq!(group["unknown"], Value::Null, "{group:#}");
        assert_eq!(group["bmc_cut"], 0, "{group:#}");
        // A number, not a lower bound.
        assert!(group["median_speed_up"].is_number(), "{group:#}");
    }
    for trial in report["rows"].as_array().unwrap() {
        for method in ["events", "bmc"] {
            assert_eq!(trial[method], trial["enumeration"], "{trial:#}");
            assert!(trial[format!("{method}_ms")].as_f64().unwrap() > 0.0, "{trial:#}");
            assert!(trial[format!("{method}_kib")].as_u64().unwrap() > 0, "{trial:#}");
        }
        assert!(trial["bmc_clauses"].as_u64().unwrap() > 100, "{trial:#}");
    }
}

#[test]
fn a_run_that_is_cut_is_told_and_is_no_disagreement() {
    let output = bench(&[
        "events",
        "--from",
        "3",
        "--to",
        "3",
        "--every",
        "20",
        "--bmc-timeout",
        "0.000001",
    ]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stdout.contains(">= "), "{}", output.stdout);
    assert!(output.stdout.contains("3 of 3 were cut"), "{}", output.stdout);
}

#[test]
fn an_instance_without_an_answer_gives_exit_code_3() {
    let output = small(&["--no-bmc", "--timeout", "0.000001", "--check-up-to", "0"]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(output.stdout.contains("unknown"), "{}", output.stdout);
}

#[test]
fn proofs_are_timed_apart() {
    let arguments = ["--no-bmc", "--clock", "cpu", "--format", "json"];
    let report = json(&small(&arguments));
    for trial in report["rows"].as_array().unwrap() {
        assert_eq!(trial["bmc"], Value::Null);
        let is_checked = trial["checking_ms"].is_number();
        assert_eq!(is_checked, trial["events"] == "unreachable", "{trial:#}");
    }
}

#[test]
fn the_scatter_plot_has_a_point_for_each_instance() {
    let folder = folder("bench_events_plot");
    let plots = folder.to_str().unwrap();
    let output = small(&["--every", "7", "--plot", plots, "--format", "csv"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    // A line for each instance, and the names of the columns.
    assert_eq!(output.stdout.lines().count(), 1 + 3 + 7);
    let svg = std::fs::read_to_string(folder.join("events.svg")).unwrap();
    // Each series says how many points it has.
    let counts = svg.split("reachable").skip(1).filter_map(|rest| {
        let (_, rest) = rest.split_once('(')?;
        rest.split_once(')')?.0.parse::<usize>().ok()
    });
    assert_eq!(counts.sum::<usize>(), 3 + 7, "{svg}");
}

#[test]
fn every_change_of_the_encoding_has_a_row_and_the_same_answers() {
    let arguments = ["--ablation", "--every", "6", "--timeout", "20", "--format", "json"];
    let output = small(&arguments);
    assert_eq!(output.code, Some(0), "{output:?}");
    let report = json(&output);
    assert_eq!(report["disagreements"], 0);
    let rows = report["changes"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["changed"].as_str().unwrap()).collect();
    let changes = ["no-safe-places", "lazy-order", "no-static-order", "no-values", "many-links"];
    assert_eq!(names[0], "nothing");
    assert_eq!(names[1..6], changes);
    assert!(rows.iter().all(|row| row["instances"] == 3 + 8));
}

#[test]
fn questions_that_make_no_sense_are_refused() {
    let output = bench(&["events", "--from", "5", "--to", "4"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("--from 5 is larger than --to 4"), "{}", output.stderr);
    for wrong in [
        &["--from", "1"][..],
        &["--to", "1000000"],
        &["--every", "0"],
        &["--bmc-factor", "-1"],
        &["--bmc-factor", "2", "--bmc-timeout", "3"],
        &["--no-bmc", "--bmc-timeout", "3"],
        &["--ablation", "--no-bmc"],
        &["--encoding", "magic"],
    ] {
        let output = bench(&[&["events"], wrong].concat());
        assert_eq!(output.code, Some(2), "{wrong:?}: {output:?}");
    }
}
