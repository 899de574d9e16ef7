//! SARIF logs. That they are what the schema says is tested with the command itself.

use crate::samples;
use ser_render::sarif::log;
use ser_report::Report;
use serde_json::{Value, json};

/// The log; it is also written to a file, to be validated.
fn run(name: &str, reports: &[Report]) -> Value {
    let log = log(reports);
    let path = format!("{}/{name}.sarif", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(path, log.to_string()).expect("a file is written");
    log["runs"][0].clone()
}

#[test]
fn a_counterexample_is_a_result_with_a_code_flow() {
    let report = samples::counterexample();
    let run = run("counterexample", &[report]);
    let result = &run["results"][0];
    assert_eq!(result["ruleId"], "not-serializable");
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "not-serializable");
    assert_eq!(result["ruleIndex"], 0);
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b/lost_update.ser");
    assert_eq!(place["region"]["startLine"], 4);
    assert_eq!(result["relatedLocations"][0]["id"], 1);
    let flow = &result["codeFlows"][0];
    assert_eq!(flow["message"]["text"], "The interleaving in 4 steps, indented by who takes them");
    let flow = &flow["threadFlows"][0];
    assert_eq!(flow["initialState"], json!({ "Count": { "text": "0" } }));
    let steps = flow["locations"].as_array().expect("steps");
    let told: Vec<&str> =
        steps.iter().filter_map(|it| it["location"]["message"]["text"].as_str()).collect();
    assert!(told[0].starts_with("step 1: #1 increment arrives, reads Count = 0"), "{told:?}");
    assert!(told[3].contains("finds that Count changed from 0 to 1 meanwhile"), "{told:?}");
    let get = |key: &str| steps.iter().map(|it| it[key].clone()).collect::<Vec<_>>();
    assert_eq!(get("executionOrder"), [1, 2, 3, 4]);
    assert_eq!(get("nestingLevel"), [0, 1, 0, 1]);
    assert_eq!(get("importance"), ["important", "important", "essential", "essential"]);
    assert_eq!(steps[2]["state"]["Count"]["text"], "1");
    assert_eq!(steps[2]["location"]["physicalLocation"]["region"]["startLine"], 5);
    assert_eq!(steps[2]["location"]["logicalLocations"][0]["name"], "increment");
    assert_eq!(run["invocations"][0]["exitCode"], 1);
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn other_lines_leave_the_fingerprint_alone_and_twins_are_told_apart() {
    let print = |run: &Value, at: usize| {
        run["results"][at]["partialFingerprints"]["ser/v1"].as_str().map(str::to_owned)
    };
    let first = samples::counterexample();
    let mut moved = first.clone();
    moved.findings[0].span = None;
    moved.findings[0].message += " elsewhere";
    let mut other = first.clone();
    other.findings[0].identity = vec!["increment responds 2".into()];
    let of = |report: &Report| print(&run("prints", std::slice::from_ref(report)), 0);
    assert_eq!(of(&first), of(&moved));
    assert_ne!(of(&first), of(&other));
    let both = run("twins", &[first.clone(), moved]);
    let prints = [print(&both, 0), print(&both, 1)].map(Option::unwrap_or_default);
    assert_eq!(prints[0].strip_suffix(":1"), prints[1].strip_suffix(":2"));
    assert!(prints[0].ends_with(":1"));
    assert_eq!(both["artifacts"].as_array().map(Vec::len), Some(1), "a file is listed once");
}

#[test]
fn warnings_and_errors_are_results_with_codes() {
    let mut reports = vec![samples::proof()];
    reports.extend(samples::errors());
    let run = run("errors", &reports);
    let results = run["results"].as_array().expect("results");
    let get = |result: &'_ Value, path: &str| {
        result.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let told = results.iter().map(|it| ["/ruleId", "/level", "/message/text"].map(|p| get(it, p)));
    let told: Vec<[String; 3]> = told.collect();
    assert_eq!(
        told,
        [
            ["warning", "warning", "the response is always 1. Help: leave it out"],
            ["input", "error", "expected `:=`. Help: write `:=`"],
            ["input", "error", "--reach: expected `==`"],
            ["input", "error", "$.requests[0]: expected a name. Help: write one"],
            ["input", "error", "there is no such file. Help: look again"],
        ]
    );
    assert_eq!(results[0]["properties"]["code"], "unused");
    assert_eq!(results[0]["relatedLocations"][0]["message"]["text"], "of this request");
    assert_eq!(run["invocations"][0]["exitCode"], 2);
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    assert_eq!(run["artifacts"].as_array().map(Vec::len), Some(3));
}

#[test]
fn what_is_not_known_is_a_note_with_ways_out() {
    let unknown = run("unknown", &[samples::unknown()]);
    let result = &unknown["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("unknown"), &json!("note")));
    assert_eq!(
        result["message"]["text"],
        "the time was not enough. To go on: raise --timeout; or bound `Count`"
    );
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 5);
    let withheld = run("withheld", &[samples::withheld()]);
    assert_eq!(withheld["results"][0]["level"], "error");
    let words = &withheld["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert!(words.as_str().is_some_and(|it| it.ends_with(": step 3 is not possible")), "{words}");
    assert_eq!(withheld["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn every_violation_is_a_result() {
    let run = run("all", &samples::all().into_iter().flat_map(|it| it.1).collect::<Vec<_>>());
    let results = run["results"].as_array().expect("results");
    let ids: Vec<&str> = results.iter().filter_map(|it| it["ruleId"].as_str()).collect();
    let expected = [
        "not-serializable",
        "warning",
        "reachable",
        "reachable",
        "protocol",
        "not-inductive",
        "unknown",
        "unknown",
        "not-serializable",
    ];
    assert_eq!(ids[..expected.len()], expected);
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap_or(99) as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
}
