//! `ser-bench PATH...`: exit codes, formats, comparison with another tool, scaling, ablation.

use crate::common::{file, folder};
use crate::{bench, json, ser};
use std::path::{Path, PathBuf};

const GOOD: &str = "// expect: serializable\nrequest flip { X := 1 - X }\n";
const BROKEN: &str = "// expect: not_serializable, 2 requests\nrequest increment {\n    x := X;\n    yield;\n    X := 1 - x;\n    x\n}\n";
const GROWING: &str = "// expect: serializable\nrequest grow { while (X >= Y * Y) { X := X + 1; Y := Y * Y; yield } }\n";

/// A folder with a program of each kind that is decided, one of them further down.
fn suite(name: &str) -> PathBuf {
    let suite = folder(name);
    let inner = suite.join("inner");
    std::fs::create_dir_all(&inner).unwrap();
    file(&suite, "good.ser", GOOD);
    file(&inner, "broken.ser", BROKEN);
    file(&suite, "notes.txt", "not a program");
    suite
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_suite_is_found_judged_and_summed_up() {
    let suite = suite("bench_suite");
    let output = bench(&[text(&suite), "--format", "json", "--no-date"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let report = json(&output);
    assert_eq!(report.get("date"), None);
    let names: Vec<&str> =
        report["rows"].as_array().unwrap().iter().map(|r| r["file"].as_str().unwrap()).collect();
    assert_eq!(names, ["good.ser", "inner/broken.ser"]);
    assert_eq!(report["solved"], 2);
    assert_eq!(report["methods"]["search"], 1);
    let ours = &report["rows"][1];
    assert_eq!(ours["verdict"], "not_serializable");
    assert_eq!(ours["requests"], 2);
    assert!(ours["certificate_bytes"].as_u64().unwrap() > 100);
    let stages = ours.as_object().unwrap().iter().filter(|(name, _)| name.ends_with("_ms"));
    let stages = stages.filter(|(name, _)| *name != "total_ms");
    let sum: f64 = stages.map(|(_, ms)| ms.as_f64().unwrap()).sum();
    // Stages are part of the whole; the rest is the start of the process.
    assert!(sum > 0.0 && sum <= ours["total_ms"].as_f64().unwrap(), "{ours:#}");
}

#[test]
fn exit_codes_tell_wrong_from_unknown() {
    let suite = folder("bench_codes");
    let good = file(&suite, "good.ser", GOOD);
    let wrong = file(&suite, "wrong.ser", GOOD.replace("serializable", "not_serializable"));
    let growing = file(&suite, "growing.ser", GROWING);
    let code = |files: &[&str]| bench(files).code;
    assert_eq!(code(&[&good]), Some(0));
    assert_eq!(code(&[&good, &growing]), Some(3));
    assert_eq!(code(&[&growing, &wrong, &good]), Some(1));
    assert_eq!(code(&[]), Some(2));
    assert_eq!(code(&["there/is/no/such.ser"]), Some(2));
    let empty = folder("bench_empty");
    let output = bench(&[text(&empty)]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("there are no programs"), "{}", output.stderr);
}

#[test]
fn where_nothing_is_expected_nothing_is_right_or_wrong() {
    let suite = folder("bench_unexpected");
    let program = file(&suite, "good.ser", "request flip { X := 1 - X }\n");
    let output = bench(&[&program]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let line = "1 of 1 solved, none had an expected verdict, 0 unknown";
    assert!(output.stdout.contains(line), "{output:?}");
}

#[test]
fn a_ser_that_is_not_there_is_told() {
    let suite = suite("bench_no_ser");
    let output = bench(&[text(&suite), "--ser", "/there/is/no/ser"]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(output.stdout.contains("cannot be started"), "{output:?}");
}

#[test]
fn a_list_of_expected_verdicts_wins_over_comments() {
    let suite = suite("bench_expected");
    let list = file(
        &suite,
        "expected.csv",
        "file,serializable,paper_certificate_ms,paper_total_ms\ngood.ser,no,1,2\nbroken.ser,no,5,TIMEOUT\n",
    );
    let output = bench(&[text(&suite), "--expected", &list]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stdout.contains("WRONG: good.ser: not_serializable expected"));
    assert!(output.stdout.contains("paper ms"));
    assert!(output.stdout.contains("1 of 2 solved, 1 wrong, 0 unknown"));

    let list = file(&suite, "expected.csv", "file,serializable\ngood.ser,perhaps\n");
    let output = bench(&[text(&suite), "--expected", &list]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("row 2"), "{}", output.stderr);
}

#[test]
fn reports_and_plots_go_where_they_are_wanted() {
    let suite = suite("bench_output");
    let folder = folder("bench_output_to");
    let report = folder.join("report.csv");
    let plots = folder.join("plots");
    let arguments =
        [text(&suite), "--format", "csv", "--output", text(&report), "--plot", text(&plots)];
    let output = bench(&arguments);
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), ""), "{output:?}");
    let csv = std::fs::read_to_string(&report).unwrap();
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert!(csv.starts_with("file,verdict,expected,ok,method,requests,states,"), "{csv}");
    assert!(std::fs::read_to_string(plots.join("cactus.svg")).unwrap().starts_with("<svg"));

    let output = bench(&[text(&suite), "--format", "markdown"]);
    assert!(output.stdout.contains("| inner/broken.ser | not_serializable |"), "{output:?}");
    let output = bench(&[text(&suite), "--output", "/no/such/folder/report"]);
    assert_eq!(output.code, Some(2));
}

#[test]
fn repeats_and_jobs_do_not_change_verdicts_or_order() {
    let suite = suite("bench_repeat");
    let arguments =
        [text(&suite), "--repeat", "3", "--warmup", "1", "--jobs", "2", "--format", "json"];
    let report = json(&bench(&arguments));
    assert_eq!(report["rows"][0]["file"], "good.ser");
    assert_eq!(report["solved"], 2);
    assert!(report["limits"].as_str().unwrap().contains("median of 3 runs"));
}

#[test]
#[cfg(unix)]
fn another_tool_runs_side_by_side() {
    use std::os::unix::fs::PermissionsExt as _;
    let suite = suite("bench_against");
    let tool = file(
        &folder("bench_against_tool"),
        "tool",
        "#!/bin/sh\ncase \"$1\" in *good*) echo IT IS FINE;; *) echo IT IS FINE TOO;; esac\n",
    );
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    let command = format!("'{tool}' {{file}}");
    let arguments = [
        text(&suite),
        "--against",
        &command,
        "--against-serializable",
        "FINE",
        "--against-not-serializable",
        "BROKEN",
        "--format",
        "json",
    ];
    let output = bench(&arguments);
    // The other tool's mistakes are not ours.
    assert_eq!(output.code, Some(0), "{output:?}");
    let report = json(&output);
    assert_eq!(report["rows"][0]["other_verdict"], "serializable");
    assert_eq!(report["disagreements"], serde_json::json!(["inner/broken.ser"]));
    let summary = report["summary"].as_array().unwrap();
    let ratio = summary.iter().find(|it| it["quantity"] == "other / time").unwrap();
    assert!(ratio["median"].as_f64().unwrap() > 0.0);

    let same = format!("'{}' check --format json {{file}}", ser().display());
    let report = json(&bench(&[text(&suite), "--against", &same, "--format", "json"]));
    assert_eq!(report["disagreements"], serde_json::json!([]));
    assert_eq!(report["rows"][1]["other_verdict"], "not_serializable");

    let output = bench(&[text(&suite), "--against", "tool"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("help: for example: --against"), "{}", output.stderr);
}

#[test]
fn growth_is_measured_until_the_largest_size() {
    let arguments =
        ["scaling", "counter", "flip", "--max-n", "5", "--budget", "20", "--format", "json"];
    let output = bench(&arguments);
    assert_eq!(output.code, Some(0), "{output:?}");
    let report = json(&output);
    let curves = report["curves"].as_array().unwrap();
    assert_eq!(curves.len(), 4);
    for curve in curves {
        assert_eq!(curve["largest_n"], "5", "{curve:#}");
    }
    assert_eq!(report["rows"].as_array().unwrap().len(), 4 * 3, "{report:#}");
    let output = bench(&["scaling", "nonsense"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("help: `ser-bench families`"), "{}", output.stderr);
}

#[test]
fn switching_an_option_off_is_measured() {
    let suite = suite("bench_ablation");
    let arguments = ["ablation", text(&suite), "--without", "movers,slice", "--format", "json"];
    let output = bench(&arguments);
    assert_eq!(output.code, Some(0), "{output:?}");
    let report = json(&output);
    let configurations = report["configurations"].as_array().unwrap();
    assert_eq!(configurations.len(), 3);
    assert_eq!(configurations[1]["options"], "without movers");
    assert!(configurations.iter().all(|c| c["solved"] == 2), "{report:#}");
    let output = bench(&["ablation", text(&suite), "--without", "magic"]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("help: there are slice, "), "{}", output.stderr);
}
