//! The command line's contract: exit codes, formats, certificates, determinism, help.

use crate::common::{
    Output, example, examples, file, folder, objects, ser, ser_with, sources, text,
};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// Nothing interleaves.
const ATOMIC: &str = "request flip { X := 1 - X }\n";
/// Two requests lose an update.
const RACY: &str = "request increment {\n    x := X;\n    yield;\n    X := 1 - x;\n    x\n}\n";
/// Numbers that leave the range of machine integers: no prover says more than "unknown".
const INFINITE: &str = "request grow { while (X >= 0) { X := X * X + 1; yield } }\n";
const WRONG: &str = "request oops { X = 1 }\n";
const ATOMIC_JSON: &str = r#"{"initial_global": "Off", "requests": [["flip", "s"]],
    "responses": [["d", "ok"]], "transitions": [["s", "Off", "d", "On"], ["s", "On", "d", "Off"]]}"#;
const RACY_JSON: &str = r#"{"initial_global": "X=0", "requests": [["main", "start"]],
    "responses": [["y=0", "0"], ["y=1", "1"]],
    "transitions": [["start", "X=0", "yield", "X=1"], ["start", "X=1", "yield", "X=1"],
        ["yield", "X=0", "y=0", "X=0"], ["yield", "X=1", "y=1", "X=0"]]}"#;

/// The four kinds of answers, as files: 0, 1, 2, 3.
fn four_files(folder: &Path) -> [String; 4] {
    [
        file(folder, "atomic.ser", ATOMIC),
        file(folder, "racy.ser", RACY),
        file(folder, "wrong.ser", WRONG),
        file(folder, "infinite.ser", INFINITE),
    ]
}

#[test]
fn exit_codes_of_single_files() {
    let files = four_files(&folder("cli_exit"));
    for (code, path) in files.iter().enumerate() {
        for format in ["human", "json", "sarif"] {
            let output = ser(&["check", "--format", format, path]);
            assert_eq!(output.code, Some(code as i32), "{format}: {output:?}");
        }
    }
}

#[test]
fn over_several_files_the_most_serious_code_wins() {
    let [zero, one, two, three] = four_files(&folder("cli_exit_several"));
    let table: &[(&[&str], i32)] = &[
        (&[&zero, &zero], 0),
        (&[&zero, &three], 3),
        (&[&three, &one, &zero], 1),
        (&[&one, &three], 1),
        (&[&one, &two], 2),
        (&[&two, &three, &one, &zero], 2),
        (&[&zero, "no/such/file.ser"], 2),
    ];
    for (files, code) in table {
        let output = ser(&[&["check"], *files].concat());
        assert_eq!(output.code, Some(*code), "{files:?}");
        // A broken file does not keep the others from being checked.
        let summary = output.stdout.lines().last().expect("a summary");
        assert!(summary.starts_with(&format!("{} files: ", files.len())), "{summary}");
    }
}

#[test]
fn json_has_one_object_per_file_in_the_order_given() {
    let files = four_files(&folder("cli_json"));
    let args: Vec<&str> =
        ["check", "--format", "json"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let output = ser(&args);
    let found = objects(&output);
    let verdicts = ["serializable", "not_serializable", "error", "unknown"];
    assert_eq!(found.len(), 4);
    for ((object, path), verdict) in found.iter().zip(&files).zip(verdicts) {
        assert_eq!(object["file"], json!(path));
        assert_eq!(object["verdict"], json!(verdict));
        assert!(object["time_ms"].is_number(), "{object}");
        let has = |field: &str| !object[field].is_null();
        assert_eq!(has("proof"), verdict == "serializable", "{object}");
        assert_eq!(has("counterexample"), verdict == "not_serializable", "{object}");
        assert_eq!(has("reason"), verdict == "error" || verdict == "unknown", "{object}");
    }
    // Nothing for people in between.
    assert_eq!(output.stderr, "");
}

#[test]
fn a_proof_in_json_names_its_method() {
    let path = file(&folder("cli_proof"), "atomic.ser", ATOMIC);
    let object = objects(&ser(&["check", "--format", "json", &path])).remove(0);
    assert_eq!(object["proof"]["method"], "no_yield");
    for (without, method) in [("no-yield", "rules"), ("no-yield,rules", "atomic")] {
        let output = ser(&["check", "--format", "json", "--without", without, &path]);
        let object = objects(&output).remove(0);
        assert_eq!(object["proof"]["method"], method);
        let checked = object["proof"]["checked"].as_str();
        assert!(checked.is_some_and(|s| s.starts_with("serializable")));
    }
}

#[test]
fn a_counterexample_in_json_is_complete() {
    let path = file(&folder("cli_counterexample"), "racy.ser", RACY);
    let object = objects(&ser(&["check", "--format", "json", &path])).remove(0);
    let found = &object["counterexample"];
    assert_eq!(found["requests"], 2);
    assert_eq!(found["fewest_requests"], true);
    let outcome = json!([{"request": "increment", "response": "0", "count": 2}]);
    assert_eq!(found["outcome"], outcome);
    let steps = found["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 4);
    let who: Vec<u64> = steps.iter().map(|s| s["request"].as_u64().expect("a number")).collect();
    assert_eq!(who, [1, 2, 2, 1]);
    for step in steps {
        assert_eq!(step["name"], "increment");
        assert!(step["lines"].as_array().is_some_and(|lines| !lines.is_empty()), "{step}");
        assert!(step["globals"]["X"].is_number(), "{step}");
    }
    let responses = steps.iter().filter(|s| s["responds"] == "0").count();
    assert_eq!(responses, 2);
    assert_eq!(steps[0]["reads"], json!({"X": 0}));
    assert_eq!(steps[3]["changed_meanwhile"], json!({"X": [0, 1]}));
    assert_eq!(steps[2]["writes"], json!({"X": 1}));
    let serial = found["closest_serial_runs"].as_array().expect("serial runs");
    assert!(serial.iter().all(|run| run.as_array().is_some_and(|r| r.len() == 2)), "{found}");
}

/// Goes through a SARIF log and insists on what the standard (2.1.0) requires.
fn assert_sarif(log: &Value) -> Vec<Value> {
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().is_some_and(|s| s.contains("sarif")));
    let runs = log["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 1);
    let driver = &runs[0]["tool"]["driver"];
    assert_eq!(driver["name"], "ser");
    let rules: Vec<&str> = driver["rules"]
        .as_array()
        .expect("rules")
        .iter()
        .map(|rule| rule["id"].as_str().expect("an id"))
        .collect();
    let results = runs[0]["results"].as_array().expect("results").clone();
    for result in &results {
        assert!(rules.contains(&result["ruleId"].as_str().expect("a rule")), "{result}");
        assert!(
            ["none", "note", "warning", "error"]
                .contains(&result["level"].as_str().expect("a level"))
        );
        assert!(result["message"]["text"].as_str().is_some_and(|t| !t.is_empty()), "{result}");
        let locations = result["locations"].as_array().expect("locations");
        assert_eq!(locations.len(), 1);
        assert_location(&locations[0]);
        for flow in result["codeFlows"].as_array().into_iter().flatten() {
            for thread in flow["threadFlows"].as_array().expect("thread flows") {
                let steps = thread["locations"].as_array().expect("locations");
                assert!(!steps.is_empty());
                for step in steps {
                    assert_location(&step["location"]);
                    assert!(step["location"]["message"]["text"].is_string(), "{step}");
                }
            }
        }
    }
    results
}

fn assert_location(location: &Value) {
    let physical = &location["physicalLocation"];
    assert!(physical["artifactLocation"]["uri"].is_string(), "{location}");
    if let Some(region) = physical.get("region") {
        assert!(region["startLine"].as_u64().is_some_and(|line| line >= 1), "{location}");
        for field in ["startColumn", "endColumn", "endLine"] {
            assert!(region[field].is_null() || region[field].as_u64().is_some_and(|n| n >= 1));
        }
    }
}

#[test]
fn sarif_has_a_result_for_everything_that_is_not_shown_serializable() {
    let files = four_files(&folder("cli_sarif"));
    let args: Vec<&str> = ["check", "--format", "sarif"]
        .into_iter()
        .chain(files.iter().map(String::as_str))
        .collect();
    let log: Value = serde_json::from_str(&ser(&args).stdout).expect("JSON");
    let results = assert_sarif(&log);
    let rule = |id: &str| -> Vec<&Value> { results.iter().filter(|r| r["ruleId"] == id).collect() };
    assert_eq!(rule("not-serializable").len(), 1);
    assert_eq!(rule("unknown").len(), 1);
    assert_eq!(rule("input").len(), 1);
    let success = |log: &Value| log["runs"][0]["invocations"][0]["executionSuccessful"].clone();
    assert_eq!(success(&log), false, "a file was not understood");
    let readable = ser(&["check", "--format", "sarif", &files[0], &files[1]]);
    assert_eq!(success(&serde_json::from_str(&readable.stdout).expect("JSON")), true);
    let missing = ser(&["check", "--format", "sarif", &files[0], "no/such/file.ser"]);
    assert_eq!(missing.code, Some(2));
    assert_eq!(success(&serde_json::from_str(&missing.stdout).expect("JSON")), false);
    let counterexample = rule("not-serializable")[0];
    // It is placed at the pause that lets it happen.
    assert_eq!(counterexample["locations"][0]["physicalLocation"]["region"]["startLine"], 3);
    let flow = &counterexample["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(flow.as_array().map(Vec::len), Some(4));
    let uri = &rule("input")[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(*uri, json!(format!("file://{}", files[2])));
}

#[test]
fn sarif_tells_each_step_with_the_values_after_it() {
    let path = file(&folder("cli_sarif_steps"), "racy.ser", RACY);
    let log: Value =
        serde_json::from_str(&ser(&["check", "--format", "sarif", &path]).stdout).expect("JSON");
    let run = &log["runs"][0];
    assert_eq!(run["invocations"][0]["exitCode"], 1);
    let thread = &run["results"][0]["codeFlows"][0]["threadFlows"][0];
    assert_eq!(thread["initialState"]["X"]["text"], "0");
    let steps = thread["locations"].as_array().expect("steps");
    let values: Vec<&Value> = steps.iter().map(|s| &s["state"]["X"]["text"]).collect();
    assert_eq!(values, ["0", "0", "1", "1"]);
    let levels: Vec<&Value> = steps.iter().map(|s| &s["nestingLevel"]).collect();
    assert_eq!(levels, [0, 1, 1, 0]);
    let last = steps[3]["location"]["message"]["text"].as_str().expect("words");
    assert_eq!(
        last,
        "step 4: #1 increment finds that X changed from 0 to 1 meanwhile, writes X := 1, and responds 0"
    );
}

#[test]
fn sarif_findings_stay_the_same_when_lines_move() {
    let folder = folder("cli_sarif_prints");
    let prints = |content: &str| -> Vec<Value> {
        let path = file(&folder, "a.ser", content);
        let log: Value = serde_json::from_str(&ser(&["check", "--format", "sarif", &path]).stdout)
            .expect("JSON");
        let results = log["runs"][0]["results"].as_array().expect("results");
        results.iter().map(|r| r["partialFingerprints"]["ser/v1"].clone()).collect()
    };
    let twice = format!("{RACY}request b {{ unread := 1; 0 }}\nrequest c {{ unread := 1; 0 }}\n");
    let found = prints(&twice);
    assert_eq!(found.len(), 3, "a counterexample and two warnings");
    assert_eq!(prints(&format!("// moved\n\n{twice}")), found);
    let different: std::collections::BTreeSet<String> =
        found.iter().map(Value::to_string).collect();
    assert_eq!(different.len(), 3, "{found:?}");
}

#[test]
fn sarif_of_a_system_and_of_missing_files() {
    let path = file(&folder("cli_sarif_json"), "racy.json", RACY_JSON);
    let output = ser(&["check", "--format", "sarif", &path, "no/such/file.ser"]);
    assert_eq!(output.code, Some(2));
    let results = assert_sarif(&serde_json::from_str(&output.stdout).expect("JSON"));
    assert_eq!(results.len(), 2);
    let nothing =
        ser(&["check", "--format", "sarif", &file(&folder("cli_sarif_0"), "a.ser", ATOMIC)]);
    assert_eq!(assert_sarif(&serde_json::from_str(&nothing.stdout).expect("JSON")).len(), 0);
}

#[test]
fn standard_input_is_a_program_or_a_system() {
    for (text, code) in
        [(ATOMIC, 0), (RACY, 1), (WRONG, 2), (INFINITE, 3), (ATOMIC_JSON, 0), (RACY_JSON, 1)]
    {
        let output = ser_with(&["check", "-"], text.as_bytes(), &[]);
        assert_eq!(output.code, Some(code), "{text}\n{output:?}");
    }
    let marked = format!("\u{feff}  {RACY_JSON}");
    assert_eq!(ser_with(&["check", "-"], marked.as_bytes(), &[]).code, Some(1));
    let output = ser_with(&["check", "--format", "json", "-"], RACY.as_bytes(), &[]);
    assert_eq!(objects(&output)[0]["file"], "-");
}

/// Checks a source, keeps the certificate, and returns (source, certificate).
fn certified(folder: &Path, name: &str, content: &str) -> (String, String) {
    let source = file(folder, name, content);
    let certificate = text(&folder.join(format!("{name}.cert.json")));
    let output = ser(&["check", "--certificate", &certificate, &source]);
    assert!(matches!(output.code, Some(0 | 1)), "{output:?}");
    (source, certificate)
}

#[test]
fn certificates_are_verified_again() {
    let folder = folder("cli_certificates");
    for (name, content, words) in [
        ("atomic.ser", ATOMIC, "valid: serializable"),
        ("racy.ser", RACY, "valid: not serializable: 2 requests"),
        ("atomic.json", ATOMIC_JSON, "valid: serializable"),
        ("racy.json", RACY_JSON, "valid: not serializable: 2 requests"),
    ] {
        let (source, certificate) = certified(&folder, name, content);
        // Named in the certificate, named by the user, and through standard input.
        let verified = ser(&["verify", &certificate]);
        assert_eq!(verified.code, Some(0), "{verified:?}");
        assert!(verified.stdout.contains(words), "{verified:?}");
        assert_eq!(ser(&["verify", "--source", &source, &certificate]).code, Some(0));
        let bytes = std::fs::read(&certificate).expect("the certificate");
        assert_eq!(ser_with(&["verify", "-"], &bytes, &[]).code, Some(0));
        let wrong = file(&folder, "other.ser", format!("{content}\n"));
        let rejected = ser(&["verify", "--source", &wrong, &certificate]);
        assert_eq!(rejected.code, Some(1), "{rejected:?}");
        assert!(rejected.stdout.contains("another source"), "{rejected:?}");
    }
}

#[test]
fn a_certificate_moves_with_its_source() {
    let (source, certificate) = certified(&folder("cli_moved"), "racy.ser", RACY);
    let elsewhere = folder("cli_moved_elsewhere");
    let moved = text(&elsewhere.join("kept.json"));
    std::fs::rename(&certificate, &moved).expect("a move");
    std::fs::rename(&source, elsewhere.join("racy.ser")).expect("a move");
    assert_eq!(ser(&["verify", &moved]).code, Some(0));
    std::fs::remove_file(elsewhere.join("racy.ser")).expect("a removal");
    let lost = ser(&["verify", &moved]);
    assert_eq!(lost.code, Some(2), "{lost:?}");
    assert!(lost.stderr.contains("--source"), "{lost:?}");
}

#[test]
fn what_is_not_a_certificate_is_unreadable() {
    let folder = folder("cli_garbage");
    for (name, content) in [
        ("empty", &b""[..]),
        ("text", b"hello"),
        ("binary", b"\xff\xfe\x00\x01"),
        ("array", b"[]"),
        ("object", b"{}"),
        ("system", ATOMIC_JSON.as_bytes()),
        ("deep", &b"[".repeat(100_000)),
    ] {
        let path = file(&folder, name, content);
        let output = ser(&["verify", &path]);
        assert_eq!(output.code, Some(2), "{name}: {output:?}");
        assert!(output.stderr.starts_with("error: "), "{name}: {output:?}");
        assert_eq!(output.stdout, "", "{name}");
    }
    assert_eq!(ser(&["verify", &text(&folder)]).code, Some(2));
}

#[test]
fn a_tampered_run_is_rejected_at_its_step() {
    let folder = folder("cli_tampered");
    let (_, certificate) = certified(&folder, "racy.ser", RACY);
    let good: Value =
        serde_json::from_str(&std::fs::read_to_string(&certificate).expect("text")).expect("JSON");
    let run = good["evidence"]["counterexample"]["run"].as_array().expect("a run").clone();
    assert_eq!(run.len(), 8, "two arrivals, four steps, two responses");
    let verify = |name: &str, run: Vec<Value>, outcome: Option<Value>| {
        let mut bad = good.clone();
        bad["evidence"]["counterexample"]["run"] = Value::Array(run);
        if let Some(outcome) = outcome {
            bad["evidence"]["counterexample"]["outcome"] = outcome;
        }
        // Next to its source, which it names.
        let path = file(&folder, name, bad.to_string());
        let output = ser(&["verify", &path]);
        assert_eq!(output.code, Some(1), "{name}: {output:?}");
        assert!(output.stdout.contains("rejected: "), "{name}: {output:?}");
        output.stdout
    };
    let truncated = verify("truncated", run[..7].to_vec(), None);
    assert!(truncated.contains("never responds"), "{truncated}");
    let empty = verify("empty", Vec::new(), None);
    assert!(empty.contains("no request in this run"), "{empty}");
    let mut reordered = run.clone();
    reordered.swap(0, 1);
    let reordered = verify("reordered", reordered, None);
    assert!(reordered.contains("step 1: request 1 has not arrived"), "{reordered}");
    let mut unknown = run.clone();
    unknown[1]["step"]["local"] = json!("nowhere");
    let unknown = verify("unknown", unknown, None);
    assert!(unknown.contains("step 2: there is no local state `nowhere`"), "{unknown}");
    let mut unknown = run.clone();
    unknown[1]["step"]["global"] = json!("X=7");
    let unknown = verify("unknown_global", unknown, None);
    assert!(unknown.contains("step 2: there is no global state `X=7`"), "{unknown}");
    // A true run of the program, but a serial one.
    let of = |number: u64| run.iter().filter(move |e| e["request"] == number).cloned();
    let mut serial: Vec<Value> = of(2).chain(of(2)).collect();
    assert_eq!(serial.len(), 8);
    // Events are arrive, step to the yield, step to the end, respond.
    serial[0]["request"] = json!(1);
    serial[1]["request"] = json!(1);
    serial[2]["request"] = json!(1);
    serial[3]["request"] = json!(1);
    let locals =
        ser(&["show", "--stage", "ns", "--format", "json", &text(&folder.join("racy.ser"))]);
    let system: Value = serde_json::from_str(&locals.stdout).expect("JSON");
    let step = |from: &Value, before: &str| -> (Value, Value) {
        let rows = system["transitions"].as_array().expect("transitions");
        let row = rows.iter().find(|r| r[0] == *from && r[1] == before).expect("a step");
        (row[2].clone(), row[3].clone())
    };
    let start = serial[4]["local"].clone();
    let mut global = "X=0".to_owned();
    let mut outcome = Vec::new();
    for request in 0..2 {
        let mut local = start.clone();
        for i in 1..3 {
            let (to, after) = step(&local, &global);
            serial[request * 4 + i]["step"] = json!({"local": to, "global": after});
            local = to;
            global = after.as_str().expect("a global state").to_owned();
        }
        serial[request * 4 + 3]["respond"] = json!(request.to_string());
        outcome.push(json!({"request": "increment", "response": request.to_string(), "count": 1}));
    }
    let serial = verify("serial", serial, Some(Value::Array(outcome)));
    assert!(serial.contains("also reached serially"), "{serial}");
}

#[test]
fn a_tampered_proof_is_rejected() {
    let folder = folder("cli_tampered_proof");
    let (_, certificate) = certified(&folder, "atomic.json", ATOMIC_JSON);
    let mut bad: Value =
        serde_json::from_str(&std::fs::read_to_string(&certificate).expect("text")).expect("JSON");
    bad["evidence"]["proof"]["invariant"].as_array_mut().expect("an invariant").pop();
    let output = ser(&["verify", &file(&folder, "bad", bad.to_string())]);
    assert_eq!(output.code, Some(1), "{output:?}");
    // A counterexample cannot be passed off as a proof.
    bad["evidence"]["verdict"] = json!("not_serializable");
    let output = ser(&["verify", &file(&folder, "worse", bad.to_string())]);
    assert_eq!(output.code, Some(2), "{output:?}");
}

#[test]
fn certificates_of_several_files_go_into_a_folder() {
    let folder = folder("cli_folder");
    let [zero, one, two, three] = four_files(&folder);
    let target = folder.join("new/certificates");
    let output = ser(&["check", "--certificate", &text(&target), &zero, &one, &two, &three]);
    assert_eq!(output.code, Some(2));
    let mut names: Vec<String> = std::fs::read_dir(&target)
        .expect("the folder")
        .map(|e| text(&e.expect("an entry").path()))
        .collect();
    names.sort();
    assert_eq!(names.len(), 2, "{names:?}");
    for name in &names {
        assert_eq!(ser(&["verify", name]).code, Some(0), "{name}");
    }
    // A folder that exists takes the certificate of a single file, too.
    let other = folder.join("other");
    std::fs::create_dir(&other).expect("a folder");
    assert_eq!(ser(&["check", "--certificate", &text(&other), &zero]).code, Some(0));
    assert_eq!(std::fs::read_dir(&other).expect("the folder").count(), 1);
    // A file is no folder.
    let output = ser(&["check", "--certificate", &zero, &zero, &one]);
    assert_eq!(output.code, Some(2));
    assert!(output.stderr.contains("must be a folder"), "{output:?}");
    assert_eq!(std::fs::read_to_string(&zero).expect("the source"), ATOMIC);
}

#[test]
fn a_certificate_that_cannot_be_written_is_an_error() {
    let folder = folder("cli_unwritable");
    let source = file(&folder, "racy.ser", RACY);
    let nowhere = text(&folder.join("no/such/folder/c.json"));
    let output = ser(&["check", "--certificate", &nowhere, &source]);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(output.stderr.contains("error: --certificate: cannot write"), "{output:?}");
    assert!(output.stderr.contains(&nowhere), "{output:?}");
    // The verdict is not lost.
    assert!(output.stdout.contains("NOT serializable"), "{output:?}");
    let below_a_file = text(&Path::new(&source).join("c.json"));
    assert_eq!(ser(&["check", "--certificate", &below_a_file, &source]).code, Some(2));
}

/// All lines without the times.
fn timeless(output: &Output) -> Vec<Value> {
    let mut all = objects(output);
    for object in &mut all {
        assert!(object.as_object_mut().expect("an object").remove("time_ms").is_some());
    }
    all
}

#[test]
fn the_same_input_gives_the_same_output() {
    let files: Vec<String> = sources(&examples()).iter().map(|path| text(path)).collect();
    let run = |jobs: &str| {
        let mut args =
            vec!["check", "--format", "json", "--search-states", "20000", "--jobs", jobs];
        args.extend(files.iter().map(String::as_str));
        timeless(&ser(&args))
    };
    let one = run("1");
    let about_files = one.iter().filter(|report| report["question"] == "serializability");
    assert_eq!(about_files.count(), files.len());
    assert_eq!(one, run("1"));
    assert_eq!(one, run("4"));
}

#[test]
fn certificates_are_the_same_byte_for_byte() {
    let folder = folder("cli_same_certificates");
    for (name, content) in [("racy.ser", RACY), ("atomic.ser", ATOMIC)] {
        let (_, certificate) = certified(&folder, name, content);
        let first = std::fs::read(&certificate).expect("a certificate");
        certified(&folder, name, content);
        assert_eq!(first, std::fs::read(&certificate).expect("a certificate"));
    }
}

#[test]
fn colours_only_where_they_are_wanted() {
    let folder = folder("cli_colours");
    let racy = file(&folder, "racy.ser", RACY);
    let wrong = file(&folder, "wrong.ser", WRONG);
    let colourful = |args: &[&str], environment: &[(&str, &str)]| {
        ser_with(args, b"", environment).all().contains('\u{1b}')
    };
    for path in [racy.as_str(), wrong.as_str()] {
        assert!(!colourful(&["check", path], &[]), "a pipe is no terminal");
        assert!(!colourful(&["check", path], &[("NO_COLOR", "1")]));
        assert!(!colourful(&["check", path, "--color", "never"], &[("CLICOLOR_FORCE", "1")]));
        assert!(colourful(&["check", path, "--color", "always"], &[]));
        assert!(colourful(&["--color", "always", "check", path], &[]), "before the subcommand");
        // What is meant for programs never has colours.
        assert!(!colourful(&["check", path, "--color", "always", "--format", "json"], &[]));
        assert!(!colourful(&["check", path, "--color", "always", "--format", "sarif"], &[]));
    }
}

#[test]
fn warnings_go_to_standard_error_and_can_be_turned_off() {
    let path = file(&folder("cli_odd"), "odd.ser", "request main { X := 1; y := 2; 0 }");
    let output = ser(&["check", &path]);
    assert_eq!(output.code, Some(0));
    assert!(output.stderr.contains("warning"), "{output:?}");
    assert!(!output.stdout.contains("warning"), "{output:?}");
    let quiet = ser(&["check", "--no-warnings", &path]);
    assert_eq!(quiet.stderr, "");
    let object = objects(&ser(&["check", "--format", "json", &path])).remove(0);
    let warnings = object["warnings"].as_array().expect("warnings");
    assert!(warnings.iter().all(|w| w["severity"] == "warning" && w["line"] == 1), "{object}");
}

#[test]
fn reductions_can_be_left_out_without_changing_the_verdict() {
    let folder = folder("cli_without");
    let racy = file(&folder, "racy.ser", RACY);
    for without in ["slice", "idle", "merge", "slice,idle,merge"] {
        let output = ser(&["check", "--format", "json", "--without", without, &racy]);
        assert_eq!(output.code, Some(1), "{output:?}");
        assert_eq!(objects(&output)[0]["counterexample"]["requests"], 2);
    }
}

#[test]
fn help_is_something_a_newcomer_can_live_from() {
    let help = ser(&["--help"]);
    assert_eq!(help.code, Some(0));
    for word in [
        "check",
        "verify",
        "show",
        "completions",
        "man",
        "lost_update.ser",
        "request",
        "yield",
        "Exit codes",
        "--color",
    ] {
        assert!(help.stdout.contains(word), "no `{word}` in\n{}", help.stdout);
    }
    let check = ser(&["check", "--help"]);
    for word in [
        "--format",
        "--certificate",
        "--jobs",
        "--timeout",
        "--memory",
        "--max-states",
        "standard input",
        "Exit codes",
    ] {
        assert!(check.stdout.contains(word), "no `{word}` in\n{}", check.stdout);
    }
    for command in ["verify", "show", "completions", "man"] {
        assert_eq!(ser(&[command, "--help"]).code, Some(0), "{command}");
    }
    let version = ser(&["--version"]);
    assert_eq!(version.stdout.trim(), format!("ser {}", env!("CARGO_PKG_VERSION")));
    for line in help.stdout.lines().chain(check.stdout.lines()) {
        assert!(line.chars().count() <= 100, "a long line: {line}");
    }
}

#[test]
fn completions_and_manual_page() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = ser(&["completions", shell]);
        assert_eq!(script.code, Some(0));
        assert!(script.stdout.contains("ser") && script.stdout.contains("verify"), "{shell}");
    }
    let page = ser(&["man"]).stdout;
    for word in [".TH ser 1", ".SH NAME", ".SH SYNOPSIS", "SER CHECK", "SER VERIFY", "SER SHOW"] {
        assert!(page.contains(word), "no `{word}` in the manual page");
    }
}

#[test]
fn every_stage_in_every_format() {
    for name in ["lost_update.ser", "spin_lock.ser", "language_tour.ser", "login_session.json"] {
        let path = example(name);
        for stage in ["ast", "ns", "net", "automaton"] {
            for format in ["text", "json", "dot"] {
                let output = ser(&["show", "--stage", stage, "--format", format, &path]);
                if stage == "ast" && name.ends_with(".json") {
                    assert_eq!(output.code, Some(2));
                    assert!(output.stderr.contains("--stage ns"), "{output:?}");
                    continue;
                }
                assert_eq!(output.code, Some(0), "{stage} {format}: {output:?}");
                match format {
                    "json" => {
                        let value: Result<Value, _> = serde_json::from_str(&output.stdout);
                        assert!(value.is_ok_and(|v| v.is_object()), "{stage}");
                    }
                    "dot" => {
                        assert!(output.stdout.starts_with("digraph "), "{stage}");
                        assert!(output.stdout.ends_with("}\n"), "{stage}");
                        let count = |c: char| output.stdout.matches(c).count();
                        assert_eq!(count('{'), count('}'), "{stage}");
                    }
                    _ => assert!(output.stdout.lines().count() > 2, "{stage}: {}", output.stdout),
                }
                // The same again.
                let again = ser(&["show", "--stage", stage, "--format", format, &path]);
                assert_eq!(output.stdout, again.stdout);
            }
        }
    }
    let raw = ser(&["show", "--stage", "net", "--raw", &example("spin_lock.ser")]).stdout;
    let reduced = ser(&["show", "--stage", "net", &example("spin_lock.ser")]).stdout;
    assert!(raw.lines().count() > reduced.lines().count());
}

#[test]
fn a_shown_network_system_can_be_checked_with_the_same_verdict() {
    let folder = folder("cli_round_trip");
    let mut files: Vec<String> = [
        "lost_update.ser",
        "aba.ser",
        "bounded_counter.ser",
        "flip_and_wait.ser",
        "snapshot_isolation.ser",
    ]
    .iter()
    .map(|name| example(name))
    .collect();
    files.push(file(&folder, "racy.json", RACY_JSON));
    files.push(file(&folder, "no_globals.ser", "request main { yield; ? }"));
    for path in files {
        let shown = ser(&["show", "--stage", "ns", "--format", "json", &path]);
        assert_eq!(shown.code, Some(0), "{shown:?}");
        let original = timeless(&ser(&["check", "--format", "json", &path])).remove(0);
        let args = ["check", "--format", "json", "-"];
        let again = timeless(&ser_with(&args, shown.stdout.as_bytes(), &[])).remove(0);
        assert_eq!(original["verdict"], again["verdict"], "{path}");
        for field in ["requests", "fewest_requests", "outcome"] {
            let (a, b) = (&original["counterexample"][field], &again["counterexample"][field]);
            assert_eq!(a, b, "{path}");
        }
    }
}

#[test]
fn a_reader_that_has_heard_enough_is_no_trouble() {
    // More than a pipe holds.
    let folder = folder("cli_pipe");
    let program = "request put(a in 0..20, b in 0..20) { X := a; yield; Y := b; yield; X + Y }";
    let path = file(&folder, "large.ser", program);
    let many: Vec<&str> = vec![&path; 40];
    let commands: Vec<Vec<&str>> = vec![
        vec!["show", "--stage", "ns", &path],
        vec!["show", "--stage", "ns", "--format", "dot", &path],
        vec!["completions", "zsh"],
        [vec!["check", "--search-states", "100", "--max-states", "10"], many].concat(),
    ];
    for args in commands {
        let mut child = Command::new(env!("CARGO_BIN_EXE_ser"))
            .args(&args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut first = String::new();
        let stdout = child.stdout.take().expect("standard output");
        BufReader::with_capacity(16, stdout).read_line(&mut first).expect("a line");
        assert!(!first.is_empty());
        let mut stderr = String::new();
        child.stderr.take().expect("standard error").read_to_string(&mut stderr).expect("text");
        let status = child.wait().expect("it ends");
        assert!(status.code().is_some_and(|code| code < 4), "{args:?}: {status}: {stderr}");
        assert!(!stderr.contains("panicked"), "{args:?}: {stderr}");
    }
}

#[test]
fn statistics_of_a_check_are_told_on_request() {
    const PAUSING: &str =
        "request increment {\n    x := X;\n    yield;\n    X := 1 - x;\n    x\n}\n";
    let json = |output: Output| -> Value { serde_json::from_str(&output.stdout).expect("JSON") };
    let folder = folder("cli_statistics");
    let broken = file(&folder, "broken.ser", PAUSING);
    let answer = json(ser(&["check", "--format", "json", "--statistics", &broken]));
    let statistics = &answer["statistics"];
    assert_eq!(statistics["requests"], 2);
    assert!(statistics["states_searched"].as_u64().unwrap() > 0);
    assert_eq!(statistics["stages_ms"].as_object().unwrap().len(), 8);
    let without = json(ser(&["check", "--format", "json", &broken]));
    assert_eq!(without.get("statistics"), None);
    let human = ser(&["check", "--statistics", &broken]).stdout;
    assert!(human.contains("  Statistics\n    time "), "{human}");
}

/// A stale answer is serializable, and not in the order of the clock.
#[test]
fn strict_asks_for_real_time_order() {
    let folder = folder("cli_strict");
    let stale = example("cache_aside.ser");
    assert_eq!(ser(&["check", &stale]).code, Some(0));
    let certificate = text(&folder.join("stale.json"));
    let output = ser(&["check", "--strict", "--certificate", &certificate, &stale]);
    assert_eq!(output.code, Some(1), "{}", output.all());
    assert!(
        output.stdout.contains("no serial order that keeps real-time order"),
        "{}",
        output.stdout
    );
    assert!(output.stdout.contains("not strictly serializable"), "{}", output.stdout);
    assert_eq!(ser(&["verify", &certificate, "--source", &stale]).code, Some(0));
    // Without the word, it would be a claim about all orders, which is wrong.
    let claim = std::fs::read_to_string(&certificate).expect("a certificate");
    assert!(claim.contains("\"strict\""), "{claim}");
    let forged = file(&folder, "forged.json", claim.replace("\"strict\": true,", ""));
    assert_ne!(ser(&["verify", &forged, "--source", &stale]).code, Some(0));
    let locked = ser(&["check", "--strict", &example("spin_lock.ser")]);
    assert_eq!(locked.code, Some(0), "{}", locked.all());
}

/// A proof that makes promises may keep the order all the same.
#[test]
fn strict_takes_proofs_that_need_not_make_their_promises() {
    let folder = folder("cli_strict_promises");
    let stock = "Stock := 10
        request buy(n in 1..3) {
            tries := 0;
            while (tries < 3) {
                seen := Stock;
                if (seen < n) { return 0 };
                yield;
                if (Stock == seen) { Stock := seen - n; return n };
                tries := tries + 1
            };
            abort
        }";
    let stock = file(&folder, "stock.ser", stock);
    let output = ser(&["check", "--strict", &stock]);
    assert_eq!(output.code, Some(0), "{}", output.all());
}

/// `ser program.ser` is what one types first.
#[test]
fn a_file_without_a_command_is_told_which_one() {
    for (file, command) in [("a b.ser", "check 'a b.ser'"), ("bank.unw", "trace bank.unw")] {
        let output = ser(&[file]);
        assert_eq!(output.code, Some(2), "{}", output.all());
        assert!(output.stderr.contains(&format!("did you mean `ser {command}`?")), "{output:?}");
    }
    assert!(ser(&["chekc"]).stderr.contains("'check'"));
}

/// Two `yield`s on a line have columns; many equal requests in a row are said once.
#[test]
fn words_about_a_counterexample_are_short_and_clear() {
    let folder = folder("cli_words");
    let check = |name: &str, text: &str| {
        let output = ser(&["check", &file(&folder, name, text)]);
        assert_eq!(output.code, Some(1), "{}", output.all());
        output.stdout
    };
    let many = "request tick { if (N < 20) { N := N + 1 }; 0 }
        request watch { a := N; yield; if (a == 0 && N == 20) { 1 } else { 0 } }";
    let many = check("many.ser", many);
    assert!(many.contains("tick responds 0 (20 times), then watch responds 0"), "{many}");
    let one_line = "request flip { x := X; yield; y := Y; yield; X := 1 - x; Y := 1 - y; x + y }";
    let one_line = check("one_line.ser", one_line);
    assert!(one_line.contains("- line 1, column "), "{one_line}");
    let repair = ser(&["repair", &text(&folder.join("one_line.ser"))]);
    assert!(repair.stdout.contains("on lines 1 (column 24) and 1 (column 39)"), "{}", repair.all());
}

/// What takes too long to show says how long it took, and what else there is.
#[test]
fn a_stage_that_takes_too_long_says_so() {
    let folder = folder("cli_slow_stage");
    let slow = "request a(x in 0..1, y in 0..9) { if (?) { A := 1 } else { B := 1 }; yield; A + B + choose(0..9) + x * y }";
    let slow = file(&folder, "slow.ser", slow);
    let output = ser(&["show", "--stage", "outcomes", "--timeout", "1", &slow]);
    assert_eq!(output.code, Some(3), "{}", output.all());
    assert!(output.stderr.contains("nothing to show yet; the time limit of 1 s"), "{output:?}");
    assert!(!output.stderr.contains("(0.0 ms)"), "{output:?}");
}

/// What places promise is part of the proof: less is not enough, and more is not so.
#[test]
fn promises_that_are_not_kept_are_rejected() {
    let folder = folder("cli_promises");
    let source = example("cache_aside.ser");
    let certificate = text(&folder.join("cache.json"));
    assert_eq!(ser(&["check", "--certificate", &certificate, &source]).code, Some(0));
    let genuine = std::fs::read_to_string(&certificate).expect("a certificate");
    let promise = r#""local": "read@21:14[seen=1]", "loops": [["read", "1"]"#;
    assert!(genuine.contains(promise), "{genuine}");
    let changes = [
        ("less", promise.replace(r#"[["read", "1"]"#, r#"[["write(1)", "0"]"#)),
        ("more", promise.replace(r#"[["read", "1"]"#, r#"[["read", "1"], ["read", "2"]"#)),
    ];
    for (name, other) in changes {
        let forged = file(&folder, name, genuine.replace(promise, &other));
        let output = ser(&["verify", &forged, "--source", &source]);
        assert_eq!(output.code, Some(1), "{name}: {}", output.all());
        assert!(output.all().contains("invariant"), "{name}: {}", output.all());
    }
}

/// Who aborts is listed, and does not count; and what counts is for the source to say.
#[test]
fn requests_that_abort_do_not_count() {
    let folder = folder("cli_abort");
    let dirty = example("dirty_read.ser");
    let certificate = text(&folder.join("dirty.json"));
    let told = ser(&["check", "--certificate", &certificate, &dirty]);
    assert_eq!(told.code, Some(1), "{}", told.all());
    for words in ["order aborts\n", "=> aborts", "Requests that abort do not count"] {
        assert!(told.stdout.contains(words), "{words}: {}", told.stdout);
    }
    let output = ser(&["check", "--format", "json", &dirty]);
    let object: Value = serde_json::from_str(&output.stdout).expect("an object");
    let run = &object["counterexample"];
    let aborted = json!({ "request": "order", "response": "abort", "count": 1, "counts": false });
    let listed = run["outcome"].as_array().expect("an outcome");
    assert!(listed.contains(&aborted), "{listed:?}");
    let last = run["steps"].as_array().and_then(|it| it.last()).expect("a step");
    assert_eq!((&last["responds"], &last["counts"]), (&json!("abort"), &json!(false)));
    assert_eq!(ser(&["verify", &certificate, "--source", &dirty]).code, Some(0));
    let claim = std::fs::read_to_string(&certificate).expect("a certificate");
    let forged = file(&folder, "forged.json", claim.replace("\"abort\"", "\"1\""));
    assert_ne!(ser(&["verify", &forged, "--source", &dirty]).code, Some(0));

    // With responses that count, it is a violation; as a system, it is the same.
    let polite = example("optimistic_abort.ser");
    let counts =
        std::fs::read_to_string(&polite).expect("an example").replace("abort }", "return 9 }");
    let counts = file(&folder, "counts.ser", counts);
    let system = ser(&["show", "--format", "json", &polite]).stdout;
    assert!(system.contains("\"uncounted\""), "{system}");
    let same = file(&folder, "system.json", &system);
    let mut object: Value = serde_json::from_str(&system).expect("a system");
    object["uncounted"] = json!([]);
    let other = file(&folder, "other.json", object.to_string());
    for (path, code) in [(&polite, 0), (&counts, 1), (&same, 0), (&other, 1)] {
        assert_eq!(ser(&["check", path]).code, Some(code), "{path}");
    }

    // A goal is about responses.
    let output = ser(&["trace", &polite, "--requests", "book(1)", "--reach", "done"]);
    assert_eq!(output.code, Some(2), "{}", output.all());
    assert!(output.all().contains("`book` may abort"), "{}", output.all());
    let fine = ser(&["trace", &polite, "--requests", "cancel*2", "--reach", "done"]);
    assert_eq!(fine.code, Some(1), "{}", fine.all());
}
