//! `ser prove`: invariants in, proofs or what is in their way out.

use crate::common::{
    self, examples, expectation, file, file_name, folder, object, ser, ser_in, ser_with, sources,
    text,
};
use ser_generators::samples::{FLAG_LOCK, SHARED_CELL, TICKET_LOCK};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn inv(name: &str) -> PathBuf {
    examples().join("threads").join(name)
}

/// Both invariants need each other, and the proof says that they do not.
fn weak_lock() -> String {
    format!("{FLAG_LOCK}proof {{ held; mutex; }}\n")
}

#[test]
fn every_example_has_the_verdict_that_it_promises_and_a_certificate_that_verifies() {
    let folder = folder("prove-examples");
    let mut wrong = Vec::new();
    for path in sources(&inv("")) {
        let name = file_name(&path);
        let certificate = text(&folder.join(format!("{name}.json")));
        let output =
            ser(&["prove", "--format", "json", "--certificate", &certificate, &text(&path)]);
        let object = object(&output);
        let expected = expectation(&path);
        let (verdict, code) = if expected == "proved" { ("proved", 0) } else { ("refuted", 1) };
        if (object["verdict"].as_str(), output.code) != (Some(verdict), Some(code)) {
            wrong.push(format!("{name}: expected {expected}, found {object:#}"));
            continue;
        }
        let more = object["other_counterexamples"].as_array().cloned().unwrap_or_default();
        let runs: Vec<Value> =
            object.get("counterexample").into_iter().cloned().chain(more).collect();
        let names: BTreeSet<&str> =
            runs.iter().filter_map(|it| it["shows"]["invariant"].as_str()).collect();
        let errors = runs.iter().filter(|it| it["shows"]["kind"] == json!("error")).count();
        let promised: BTreeSet<&str> =
            expected.strip_prefix("refuted ").unwrap_or_default().split(", ").collect();
        let promised = promised.into_iter().filter(|it| !it.is_empty()).collect();
        if names != promised || (errors > 0) != (expected == "error") {
            wrong.push(format!("{name}: expected {expected}, found {names:?}, {errors} errors"));
        }
        for invariant in object["invariants"].as_array().expect("a list") {
            let is_proved = !names.contains(invariant["name"].as_str().unwrap_or_default());
            if expected != "error" && invariant["proved"] != json!(is_proved) {
                wrong.push(format!("{name}: {invariant:#}"));
            }
        }
        for source in [vec![], vec!["--source".to_owned(), text(&path)]] {
            let source: Vec<&str> = source.iter().map(String::as_str).collect();
            let verified = ser(&[&["verify", &certificate][..], &source].concat());
            if verified.code != Some(0) || !verified.stdout.contains(&format!("valid: {verdict}: "))
            {
                wrong.push(format!("{name}: {verified:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A text without times: `(3.1 ms)`, `  0.21 s`.
fn timeless(text: &str) -> String {
    let is_time = |word: &str| word.trim_start_matches('(').parse::<f64>().is_ok();
    let mut out = String::new();
    for line in text.lines() {
        let unit = [" ms)", " s)", " ms", " s"].into_iter().find(|it| line.ends_with(it));
        let line = match unit.and_then(|unit| line.strip_suffix(unit)).map(|it| it.rsplit_once(' '))
        {
            Some(Some((rest, number))) if is_time(number) => format!("{} TIME", rest.trim_end()),
            _ if line.starts_with("  invariant  ") && line.ends_with(" time") => {
                format!("{} time", line.trim_end_matches("time").trim_end())
            }
            _ => line.to_owned(),
        };
        out += &line;
        out.push('\n');
    }
    out
}

/// What is printed about files in a folder, without times.
fn told(folder: &Path, args: &[&str]) -> String {
    let output =
        ser_in(folder, &[&["prove", "--color", "never", "--jobs", "1"], args].concat(), b"", &[]);
    let code = output.code.expect("an exit code");
    timeless(&format!("{}{}exit code {code}\n", output.stderr, output.stdout))
}

#[test]
fn proofs_are_told_like_this() {
    let mut all = String::new();
    for args in [
        &["ticket_lock.ser"][..],
        &["--only", "notsame", "ticket_lock.ser"],
        &["--conditions", "spin_lock.ser"],
        &["peterson.ser", "ticket_set.ser"],
    ] {
        all += &told(&inv(""), args);
        all += "\n";
    }
    insta::assert_snapshot!(all);
}

#[test]
fn refutations_are_told_like_this() {
    let mut all = String::new();
    for name in ["lost_update.ser", "peterson_any.ser", "foreign_unlock.ser", "list_wrong.ser"] {
        all += &told(&inv(""), &[name]);
        all += "\n";
    }
    insta::assert_snapshot!(all);
}

#[test]
fn what_is_not_inductive_is_told_like_this() {
    let folder = folder("prove-not-inductive");
    file(&folder, "lock.ser", weak_lock());
    file(&folder, "start.ser", FLAG_LOCK.replace("taken: bool = false", "taken: bool"));
    let wrong = FLAG_LOCK.replace("invariant held", "invariant free: !taken;\ninvariant held");
    file(&folder, "follows.ser", format!("{wrong}proof {{ mutex follows from free; }}\n"));
    let mut all = told(&folder, &["lock.ser"]);
    all += &told(&folder, &["--conditions", "--only", "mutex", "lock.ser"]);
    all += &told(&folder, &["start.ser"]);
    all += &told(&folder, &["follows.ser"]);
    insta::assert_snapshot!(all);
}

#[test]
fn steps_that_are_errors_are_told_like_this() {
    let folder = folder("prove-errors");
    file(&folder, "cell.ser", SHARED_CELL);
    insta::assert_snapshot!(told(&folder, &["--conditions", "cell.ser"]));
}

#[test]
fn what_is_found_is_told_like_this_and_can_be_proved() {
    let folder = folder("prove-infer");
    file(&folder, "goal.ser", TICKET_LOCK);
    file(&folder, "lock.ser", FLAG_LOCK);
    let mut all = told(&folder, &["--infer", "--write", "whole.ser", "goal.ser"]);
    all += &std::fs::read_to_string(folder.join("whole.ser")).expect("the completed file");
    all += &told(&folder, &["--infer", "lock.ser"]);
    let violated = TICKET_LOCK.replace("serving == ticket", "serving <= ticket");
    file(&folder, "violated.ser", violated);
    all += &told(&folder, &["--infer", "--write", "nothing.ser", "violated.ser"]);
    insta::assert_snapshot!(all);
    assert!(!folder.join("nothing.ser").exists());
    let whole = ser(&["prove", &text(&folder.join("whole.ser"))]);
    assert_eq!(whole.code, Some(0), "{whole:?}");
    let laid_out = ser(&["fmt", "--check", &text(&folder.join("whole.ser"))]);
    assert_eq!(laid_out.code, Some(0), "{laid_out:?}");
    // The certificate is about the file as it is, and has what was found in it.
    let certificate = folder.join("c.json");
    let goal = text(&folder.join("goal.ser"));
    let output = ser(&["prove", "--infer", "--certificate", &text(&certificate), &goal]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stdout.contains("contains the invariants that were found"), "{output:?}");
    let verified = ser(&["verify", "--source", &goal, &text(&certificate)]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert!(verified.stdout.contains("inferred"), "{verified:?}");
    // Neither the program nor what was found can be changed.
    let sealed = std::fs::read_to_string(&certificate).expect("the certificate");
    for (old, new) in [("avail + 1", "avail + 2"), ("ticket[i] != ticket[j]", "ticket[i] != 7")] {
        let (front, back) = sealed.split_once("\"completed\"").expect("what was found");
        assert!(back.contains(old), "{back}");
        let changed = format!("{front}\"completed\"{}", back.replace(old, new));
        file(&folder, "changed.json", &changed);
        let verified = ser(&["verify", &text(&folder.join("changed.json")), "--source", &goal]);
        assert_eq!(verified.code, Some(1), "{verified:?}");
    }
}

#[test]
fn bad_input_is_told_like_this() {
    let folder = folder("prove-bad-input");
    file(&folder, "types.ser", FLAG_LOCK.replace("-> taken", "-> taken + 1"));
    file(&folder, "names.ser", FLAG_LOCK.replace("at(j, crit)", "at(j, critical_section)"));
    file(&folder, "order.ser", FLAG_LOCK.replace("i != j ->", "i < j ->"));
    let mut all = String::new();
    for args in [
        &["types.ser"][..],
        &["names.ser"],
        &["order.ser"],
        &["--only", "mutexes", "names.ser"],
        &["nothing.ser"],
        &["."],
    ] {
        all += &told(&folder, args);
        all += "\n";
    }
    file(&folder, "lock.ser", FLAG_LOCK);
    all += &told(&folder, &["--only", "mutexes", "lock.ser"]);
    insta::assert_snapshot!(all);
}

#[test]
fn the_most_serious_exit_code_wins() {
    let folder = folder("prove-codes");
    let proved = file(&folder, "proved.ser", FLAG_LOCK);
    let weak = file(&folder, "weak.ser", weak_lock());
    let refuted = file(&folder, "refuted.ser", FLAG_LOCK.replace("await !taken; ", ""));
    let broken = file(&folder, "broken.ser", "set Threads  process thread for self in Threads {");
    let code = |files: &[&str]| {
        let output = ser(&[&["prove"], files].concat());
        (output.code, output.stdout.lines().last().unwrap_or_default().to_owned())
    };
    assert_eq!(code(&[&proved]).0, Some(0));
    assert_eq!(code(&[&proved, &weak]).0, Some(4));
    assert_eq!(code(&[&weak, &refuted, &proved]).0, Some(1));
    let (all, last) = code(&[&weak, &refuted, &broken, &proved]);
    assert_eq!(all, Some(2));
    assert_eq!(last, "4 files: 1 proved, 1 refuted, 1 not inductive, 1 with errors");
    let late = ser(&["prove", "--timeout", "0.000001", &text(&inv("lock_coupling_list.ser"))]);
    assert_eq!(late.code, Some(3), "{late:?}");
    let both = ser(&["prove", "--timeout", "0.000001", &weak, &text(&inv("list_search.ser"))]);
    assert!(matches!(both.code, Some(3 | 4)), "{both:?}");
}

#[test]
fn reports_as_json_have_what_the_book_says() {
    let output = ser(&["prove", "--format", "json", &text(&inv("ticket_lock.ser"))]);
    let good = object(&output);
    assert_eq!((&good["schema"], &good["question"]), (&json!(2), &json!("invariance")));
    assert_eq!(good["proof"]["method"], json!("parametrized-invariance"));
    assert_eq!(good["proof"]["checked"], json!("125 cases with 7 lemmas"));
    assert!(good["proof"]["why"].as_str().is_some_and(|it| it.contains("every thread")));
    assert_eq!(good["threads"], json!(null));
    let closed = object(&ser(&["prove", "--format", "json", &text(&inv("peterson.ser"))]));
    assert_eq!(closed["threads"], json!(2));
    let mutex = good["invariants"]
        .as_array()
        .and_then(|all| all.iter().find(|it| it["name"] == json!("mutex")))
        .expect("the invariant");
    assert_eq!(mutex["index"], json!(2));
    assert_eq!(mutex["conditions"], json!(28));
    assert_eq!(mutex["rule"], json!("SP-INV"));
    assert_eq!(mutex["proved"], json!(true));
    assert_eq!(mutex["support"], json!(["notsame", "minticket"]));
    let by = mutex["by"].as_object().expect("an object");
    assert_eq!(by.values().filter_map(Value::as_u64).sum::<u64>(), 28);
    assert_eq!(by.keys().collect::<Vec<_>>(), ["lists", "locations", "numbers", "sets"]);
    assert!(mutex.get("all").is_none() && mutex["time_ms"].is_number(), "{mutex:#}");

    let path = text(&inv("ticket_lock.ser"));
    let all = object(&ser(&["prove", "--format", "json", "--conditions", &path]));
    let conditions = all["invariants"][3]["all"].as_array().expect("all conditions");
    assert_eq!(conditions.len(), 28);
    let wait = |it: &&Value| {
        it["name"] == json!("wait")
            && it["premise"] == json!("i")
            && it["which"] == json!("goes on")
    };
    let wait = conditions.iter().find(wait).expect("the step that needs support");
    assert_eq!(wait["support"], json!(["notsame", "minticket"]), "{wait:#}");
    assert_eq!((&wait["status"], &wait["by"]), (&json!("valid"), &json!("numbers")));

    let bad = object(&ser(&["prove", "--format", "json", &text(&inv("broken_ticket_lock.ser"))]));
    let run = &bad["counterexample"];
    assert_eq!(run["shows"]["kind"], json!("violated"));
    assert_eq!(run["shows"]["invariant"], json!("notsame"));
    assert_eq!(run["threads"], json!(2));
    let moves = run["moves"].as_array().expect("moves");
    assert!(moves.iter().all(|it| it["line"].is_u64() && it["thread"].is_string()), "{run:#}");
    let count =
        |it: &Value| it["changes"] == json!([{"name": "avail", "before": "0", "after": "1"}]);
    let place = moves.iter().position(count).unwrap_or_else(|| panic!("{run:#}"));
    let steps = run["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), moves.len());
    for (step, it) in steps.iter().zip(moves) {
        assert_eq!((&step["name"], &step["lines"]), (&it["thread"], &json!([it["line"]])));
    }
    assert_eq!(steps[place]["writes"], json!({ "avail": 1 }));
    assert_eq!(steps[place]["globals"], json!({ "avail": 1 }));
    assert_eq!(run["start"], json!({ "avail": 0 }));
    assert_eq!(run["initial"], json!({ "values": [], "heap": [] }));
    assert!(run["checked"].as_str().is_some_and(|it| it.starts_with("a run of 8 steps")));
    let others = bad["other_counterexamples"].as_array().expect("the other runs");
    let shown: Vec<&Value> = others.iter().map(|it| &it["shows"]["invariant"]).collect();
    assert_eq!(shown, [&json!("minticket"), &json!("mutex")]);
    assert!(others.iter().all(|it| it["steps"].as_array().is_some_and(|it| !it.is_empty())));

    let weak = ser_with(&["prove", "--format", "json", "-"], weak_lock().as_bytes(), &[]);
    let weak = object(&weak);
    assert_eq!(weak["verdict"], json!("not_inductive"));
    let models = weak["counter_models"].as_array().expect("states");
    let take = |it: &&Value| it["step"]["name"] == json!("take");
    let take = models.iter().find(take).expect("the step that breaks it");
    assert_eq!(take["class"], json!("not_inductive"));
    assert_eq!(take["premise"], json!("self"));
    assert_eq!(take["mover"], json!("i"));
    assert_eq!(take["excluded_by"], json!(["held"]));
    assert!(take["values"].as_array().is_some_and(|it| !it.is_empty()), "{take:#}");
    assert!(weak["explored"].as_array().is_some_and(|it| it.len() == 3), "{weak:#}");
    assert!(weak["reason"].is_string());
}

#[test]
fn sarif_has_runs_as_flows_and_steps_that_are_not_inductive() {
    let folder = folder("prove-sarif");
    let weak = file(&folder, "weak.ser", weak_lock());
    let bad = text(&inv("broken_ticket_lock.ser"));
    let output = ser(&["prove", "--format", "sarif", &bad, &weak, &text(&inv("token.ser"))]);
    assert_eq!(output.code, Some(1));
    let log: Value = serde_json::from_str(&output.stdout).expect("JSON");
    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("results");
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[index]["id"], result["ruleId"], "{result:#}");
    }
    let of = |rule: &str| results.iter().filter(|it| it["ruleId"] == json!(rule)).count();
    assert_eq!((of("invariant"), of("not-inductive")), (3, 2), "{log:#}");
    let flow = &results[0]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert!(flow.as_array().is_some_and(|it| it.len() == 8), "{log:#}");
    assert_eq!(run["invocations"][0]["exitCode"], json!(1));
}

/// Ways to touch a certificate.
type Touch = (&'static str, fn(&mut Value));

fn proved_touches() -> Vec<Touch> {
    fn nodes(value: &mut Value) -> &mut Vec<Value> {
        value["evidence"]["claim"]["proved"]["nodes"].as_array_mut().expect("nodes")
    }
    fn of<'v>(value: &'v mut Value, name: &str) -> &'v mut Vec<Value> {
        let node = nodes(value).iter_mut().find(|it| it["invariant"] == json!(name));
        let node = node.expect("a node");
        node["how"]["induction"]["consecution"].as_array_mut().expect("cases")
    }
    vec![
        ("a text with errors", |it| {
            it["evidence"]["source"] = json!("set Threads  process thread for self in Threads {")
        }),
        ("another program", |it| {
            let text = it["evidence"]["source"].as_str().expect("a text");
            it["evidence"]["source"] = json!(text.replace("await serving == ticket", "skip"));
        }),
        ("another invariant", |it| {
            let text = it["evidence"]["source"].as_str().expect("a text");
            let text = text.replace("ticket[i] < avail", "ticket[i] < serving");
            it["evidence"]["source"] = json!(text);
        }),
        ("a node without what it uses", |it| {
            nodes(it).retain(|node| node["invariant"] != json!("notsame"));
        }),
        ("a node twice", |it| {
            let first = nodes(it)[0].clone();
            nodes(it).push(first);
        }),
        ("a node that is not in the file", |it| nodes(it)[0]["invariant"] = json!("peace")),
        ("no support", |it| of(it, "mutex").iter_mut().for_each(|case| case["uses"] = json!([]))),
        ("no lemmas", |it| {
            of(it, "minticket").iter_mut().for_each(|case| case["lemmas"] = json!([]));
        }),
        ("no cases", |it| of(it, "mutex").clear()),
        ("a case twice", |it| {
            let first = of(it, "mutex")[0].clone();
            of(it, "mutex").push(first);
        }),
        ("a case that is not there", |it| of(it, "mutex")[0]["path"] = json!(7)),
        ("a thread that is not there", |it| {
            of(it, "mutex")[0]["uses"][0]["threads"] = json!([0, 5]);
        }),
        ("it follows from itself", |it| {
            let uses = json!([{ "invariant": "mutex", "conjunct": 0, "threads": [0, 1] }]);
            let case = json!({ "mover": "nobody", "location": 0, "path": 0, "partition": [0, 1], "uses": uses });
            let node = nodes(it).iter_mut().find(|it| it["invariant"] == json!("mutex"));
            node.expect("a node")["how"] = json!({ "follows": [case] });
        }),
    ]
}

fn refuted_touches() -> Vec<Touch> {
    fn run(value: &mut Value) -> &mut Value {
        &mut value["evidence"]["claim"]["refuted"]
    }
    vec![
        ("a step less", |it| {
            run(it)["steps"].as_array_mut().expect("steps").pop();
        }),
        ("another thread", |it| run(it)["steps"][0]["thread"] = json!(9)),
        ("another path", |it| run(it)["steps"][0]["path"] = json!(5)),
        ("another start", |it| run(it)["globals"][0] = json!({ "int": 7 })),
        ("other threads at the end", |it| {
            run(it)["shows"]["violated"]["threads"] = json!([0, 0]);
        }),
        ("another invariant at the end", |it| {
            run(it)["shows"]["violated"] = json!({ "invariant": "activelow", "threads": [0] });
        }),
        ("another program", |it| {
            let text = it["evidence"]["source"].as_str().expect("a text").to_owned();
            it["evidence"]["source"] = json!(text.replace("skip;", "skip; skip;"));
        }),
    ]
}

#[test]
fn certificates_that_were_touched_are_rejected() {
    let folder = folder("prove-tampering");
    for (name, touches) in
        [("ticket_lock.ser", proved_touches()), ("broken_ticket_lock.ser", refuted_touches())]
    {
        let certificate = text(&folder.join("c.json"));
        ser(&["prove", "--certificate", &certificate, &text(&inv(name))]);
        let whole = std::fs::read_to_string(&certificate).expect("the certificate");
        let value: Value = serde_json::from_str(&whole).expect("JSON");
        assert_eq!(ser(&["verify", &certificate]).code, Some(0));
        let rejected = |what: &str, touched: &Value| {
            assert_ne!(*touched, value, "{what}");
            std::fs::write(&certificate, touched.to_string()).expect("written");
            let output = ser(&["verify", &certificate]);
            assert_eq!(output.code, Some(1), "{what}: {output:?}");
            assert!(output.stdout.contains("rejected: "), "{what}: {output:?}");
        };
        for (what, touch) in touches {
            let mut touched = value.clone();
            touch(&mut touched);
            rejected(what, &touched);
            let source = touched["evidence"]["source"].as_str().expect("a text").to_owned();
            if value["evidence"]["source"] != json!(source) {
                // A source that fits does not help.
                let file = file(&folder, "touched.ser", &source);
                let digest = ser_base::sha256_hex(source.as_bytes());
                touched["source"] = json!({ "file": file, "sha256": digest });
                rejected(what, &touched);
            }
        }
        let mut touched = value.clone();
        touched["source"]["sha256"] = json!("0".repeat(64));
        rejected("another digest", &touched);
        touched = value.clone();
        touched["version"] = json!(99);
        std::fs::write(&certificate, touched.to_string()).expect("written");
        let output = ser(&["verify", &certificate]);
        assert_eq!(output.code, Some(2), "{output:?}");
        assert!(output.stderr.contains("version 99"), "{output:?}");
    }
}

#[test]
fn certificates_of_other_sources_and_without_sense_are_refused() {
    let folder = folder("prove-nonsense");
    let certificate = text(&folder.join("c.json"));
    ser(&["prove", "--certificate", &certificate, &text(&inv("token.ser"))]);
    let wrong = ser(&["verify", &certificate, "--source", &text(&inv("once.ser"))]);
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    assert!(wrong.stdout.contains("another source"), "{wrong:?}");
    for content in [
        r#"{"format": "ser-invariance"}"#.to_owned(),
        r#"{"format": "ser-invariance", "version": 1, "source": "", "claim": {}}"#.to_owned(),
        format!("{}\"ser-invariance\"{}", "[".repeat(100_000), "]".repeat(100_000)),
    ] {
        std::fs::write(&certificate, content).expect("written");
        let output = ser(&["verify", &certificate]);
        assert_eq!(output.code, Some(2), "{output:?}");
        assert!(output.stderr.contains("error: "), "{output:?}");
    }
    let late = ser(&["prove", "--certificate", &certificate, &text(&inv("once.ser"))]);
    assert_eq!(late.code, Some(0), "{late:?}");
    let none = folder.join("none.json");
    let weak = file(&folder, "weak.ser", weak_lock());
    let output = ser(&["prove", "--certificate", &text(&none), &weak]);
    assert_eq!(output.code, Some(4), "{output:?}");
    assert!(output.stderr.contains("no certificate was written"), "{output:?}");
    assert!(!none.exists());
}

#[test]
fn what_is_proved_besides_has_a_certificate_too() {
    let folder = folder("prove-besides");
    let certificate = text(&folder.join("c.json"));
    let half = format!(
        "{FLAG_LOCK}invariant idle(i): at(i, take) -> !at(i, crit);\nproof {{ held; mutex; }}\n"
    );
    let half = file(&folder, "half.ser", half);
    let output = ser(&["prove", "--certificate", &certificate, &half]);
    assert_eq!(output.code, Some(4), "{output:?}");
    assert!(output.stdout.contains("The certificate shows only what is proved."), "{output:?}");
    assert!(output.stdout.contains("Checked independently: what is proved ("), "{output:?}");
    let verified = ser(&["verify", &certificate]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert!(verified.stdout.contains("proved: idle holds for any number"), "{verified:?}");

    let unsafe_step = "\
var top: addr = null;
set Threads  process thread for self in Threads { var x: int = 0; grow: x := x + 1; write: top.next := null; }
invariant small(i): at(i, grow) -> x[i] == 0;
";
    let unsafe_step = file(&folder, "unsafe.ser", unsafe_step);
    let output = ser(&["prove", &unsafe_step]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(
        output.stdout.contains("Checked independently: a run of 2 steps and what is proved ("),
        "{output:?}"
    );
}

#[test]
fn graphs_are_text_dot_or_svg_by_their_names() {
    let folder = folder("prove-graph");
    let path = text(&inv("ticket_lock.ser"));
    for (name, start, part) in [
        ("graph.txt", "", "  from notsame: wait self"),
        ("graph.dot", "digraph proof {", "wait self"),
        ("graph.svg", "<svg ", "leave other"),
    ] {
        let target = text(&folder.join(name));
        let output = ser(&["prove", "--graph", &target, &path]);
        assert_eq!(output.code, Some(0), "{output:?}");
        let content = std::fs::read_to_string(&target).expect("a graph");
        assert!(content.starts_with(start) && content.contains(part), "{name}: {content}");
    }
    let both = text(&folder.join("both"));
    let output = ser(&["prove", "--graph", &both, &path, &text(&inv("token.ser"))]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let entries = std::fs::read_dir(&both).expect("a folder").count();
    assert_eq!(entries, 2);
    for wrong in ["-", " "] {
        let output = ser(&["prove", "--graph", wrong, &path]);
        assert_eq!(output.code, Some(2), "{output:?}");
    }
}

#[test]
fn locations_are_listed_with_their_numbers() {
    let path = text(&inv("ticket_lock.ser"));
    let output = ser(&["prove", "--list-locations", "--color", "never", &path]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stdout.contains("7 locations, 9 transitions"), "{output:?}");
    assert!(output.stdout.contains("await serving == ticket"), "{output:?}");
    let object = object(&ser(&["prove", "--list-locations", "--format", "json", &path]));
    let list = object["locations"].as_array().expect("a list");
    assert_eq!(list[2]["name"], json!("take"));
    assert_eq!((&list[2]["location"], &list[2]["transitions"]), (&json!(3), &json!(1)));
    let broken = ser_with(
        &["prove", "--list-locations", "-"],
        b"set Threads  process thread for self in Threads {",
        &[],
    );
    assert_eq!(broken.code, Some(2), "{broken:?}");
    assert!(broken.stderr.contains("error"), "{broken:?}");
}

#[test]
fn every_choice_of_tactics_proves_the_ticket_locks() {
    for name in ["ticket_lock.ser", "ticket_set.ser"] {
        let path = text(&inv(name));
        for tactics in ["none", "all", "needed", "offending,lazy", "lazy,simplify", "simplify"] {
            let output = ser(&["prove", "--tactics", tactics, &path]);
            assert_eq!(output.code, Some(0), "{tactics}: {output:?}");
        }
        let wrong = ser(&["prove", "--tactics", "none,lazy", &path]);
        assert_eq!(wrong.code, Some(2), "{wrong:?}");
        assert!(wrong.stderr.contains("stand alone"), "{wrong:?}");
    }
}

#[test]
fn one_invariant_takes_along_what_it_needs_and_nothing_else() {
    let path = text(&inv("ticket_lock.ser"));
    let names = |only: &str| -> Vec<String> {
        let object = object(&ser(&["prove", "--format", "json", "--only", only, &path]));
        assert_eq!(object["verdict"], json!("proved"));
        let all = object["invariants"].as_array().expect("a list").iter();
        all.filter_map(|it| it["name"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(names("activelow"), ["activelow"]);
    assert_eq!(names("notsame"), ["activelow", "notsame"]);
    assert_eq!(names("mutex"), ["activelow", "notsame", "minticket", "mutex"]);
    let folder = folder("prove-only");
    let certificate = text(&folder.join("c.json"));
    ser(&["prove", "--only", "notsame", "--certificate", &certificate, &path]);
    let verified = ser(&["verify", &certificate]);
    assert!(verified.stdout.contains("proved: activelow, notsame hold for any"), "{verified:?}");
}

#[test]
fn places_that_nobody_reaches_are_told() {
    // What is in the bag is always below every ticket: nobody ever enters.
    let content = std::fs::read_to_string(inv("ticket_set.ser")).expect("the example");
    let content = content.replace("bag := bag + {ticket}", "bag := bag + {ticket - 1}");
    let output = ser_with(&["prove", "-"], content.as_bytes(), &[]);
    assert!(output.stderr.contains("what is claimed about this may be empty"), "{output:?}");
    let silent = ser_with(&["prove", "--no-warnings", "-"], content.as_bytes(), &[]);
    assert!(!silent.stderr.contains("may be empty"), "{silent:?}");
}

#[test]
fn other_kinds_of_files_are_sent_to_their_commands() {
    for (name, command) in [
        ("lost_update.ser", "`ser check`"),
        ("processes/bank.ser", "`ser trace`"),
        ("messages/ex2.ser", "`ser sequentialize`"),
    ] {
        let output = ser(&["prove", &common::example(name)]);
        assert_eq!(output.code, Some(2), "{output:?}");
        assert!(output.stderr.contains(command), "{output:?}");
    }
    let path = text(&inv("token.ser"));
    for command in ["trace", "sequentialize", "repair", "show"] {
        let output = ser(&[command, &path]);
        assert_eq!(output.code, Some(2), "{command}: {output:?}");
        assert!(output.stderr.contains("`ser prove`"), "{command}: {output:?}");
    }
}

#[test]
fn help_manual_and_completions_know_the_command() {
    for args in [&["--help"][..], &["man"], &["completions", "bash"], &["completions", "zsh"]] {
        let output = ser(args);
        assert!(output.stdout.contains("prove"), "{args:?}");
    }
    let help = ser(&["prove", "--help"]).stdout;
    for option in
        ["--infer", "--write", "--conditions", "--graph", "--only", "--tactics", "not inductive"]
    {
        assert!(help.contains(option), "{option}: {help}");
    }
}

#[test]
fn bad_input_gets_a_message_and_never_a_panic() {
    let folder = folder("prove-bad");
    let nested = format!(
        "set Threads  process thread for self in Threads {{ {} skip; {} }}",
        "if true { ".repeat(20_000),
        "}".repeat(20_000)
    );
    let deep = format!(
        "set Threads  process thread for self in Threads {{ skip; }} invariant p: {}true;",
        "!".repeat(200_000)
    );
    let long = format!(
        "set Threads  process thread for self in Threads {{ {} }}",
        "skip; ".repeat(70_000)
    );
    for content in [
        "",
        "thread",
        "set Threads  process thread for self in Threads { x := 1; }",
        "\u{0}\u{1}",
        &nested,
        &deep,
        &long,
    ] {
        let path = file(&folder, "bad.ser", content);
        let output = ser(&["prove", "--timeout", "20", &path]);
        assert_eq!(output.code, Some(2), "{:?} {output:?}", content.get(..20));
        assert!(output.stderr.contains("error"), "{output:?}");
        let json = ser(&["prove", "--format", "json", &path]);
        assert_eq!(object(&json)["verdict"], json!("error"));
    }
    let bytes = ser_with(&["prove", "-"], &[0xff, 0xfe, 0x00], &[]);
    assert_eq!(bytes.code, Some(2), "{bytes:?}");
    for args in [&["-", "-"][..], &[""], &["--write", "x.ser", "a.ser"], &["--threads", "0", "-"]] {
        let output = ser(&[&["prove"], args].concat());
        assert_eq!(output.code, Some(2), "{output:?}");
    }
    let path = file(&folder, "own.ser", FLAG_LOCK);
    let own = ser(&["prove", "--infer", "--write", &path, &path]);
    assert_eq!(own.code, Some(2), "{own:?}");
    assert!(own.stderr.contains("this is the input itself"), "{own:?}");
}

#[test]
fn files_without_invariants_have_steps_that_may_be_errors() {
    let good = ser_with(
        &["prove", "-"],
        b"var x: int = 0; set Threads  process thread for self in Threads { x := 1; }",
        &[],
    );
    assert_eq!(good.code, Some(2), "{good:?}");
    assert!(good.stderr.contains("there is nothing to prove"), "{good:?}");
    assert!(good.stderr.contains("help: write `invariant"), "{good:?}");
    let bad = ser_with(
        &["prove", "-"],
        b"var x: int = 0; set Threads  process thread for self in Threads { assert x == 1; }",
        &[],
    );
    assert_eq!(bad.code, Some(1), "{bad:?}");
    assert!(bad.stdout.contains("an assertion does not hold"), "{bad:?}");
}
