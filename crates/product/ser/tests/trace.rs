//! `ser trace`: processes, requests and unwindings in, replayed runs or what is covered out.

use crate::common::{
    examples, file, file_name, folder, objects, screen, ser, ser_in, ser_with, text,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Nobody ever gets out of these loops, and the goal is never reached: there is always more to look
/// at.
const ENDLESS: &str = "enum Who { a, b }\nvar WantsA: bool\nvar WantsB: bool\nvar Turn: Who\nvar Inside: 0..2\n\
    process A { while (1) { WantsA := true; Turn := b; await(!WantsB || Turn == a);\n\
    Inside := Inside + 1; Inside := Inside - 1; WantsA := false } }\n\
    process B { while (1) { WantsB := true; Turn := a; await(!WantsA || Turn == b);\n\
    Inside := Inside + 1; Inside := Inside - 1; WantsB := false } }\n\
    var V: 0..999\nvar W: 0..999\n\
    process C { while (1) { V := choose(0..999); W := choose(0..999) } }\n\
    reach Inside == 2\n";

fn processes() -> PathBuf {
    examples().join("processes")
}

fn example(name: &str) -> String {
    text(&processes().join(name))
}

/// Runs `ser trace` and shows both streams, without times and folders.
fn traced(args: &[&str], folder: &Path) -> String {
    screen(&ser(&[&["trace"], args].concat())).replace(&format!("{}/", text(folder)), "")
}

fn traced_example(name: &str, more: &[&str]) -> String {
    let path = example(name);
    traced(&[&[path.as_str()], more].concat(), &processes())
}

/// The answers about a text on standard input.
fn answers(source: &str, more: &[&str]) -> (Option<i32>, Vec<Value>) {
    let args = [&["trace", "-", "--format", "json"], more].concat();
    let output = ser_with(&args, source.as_bytes(), &[]);
    (output.code, objects(&output))
}

fn answer(source: &str, more: &[&str]) -> Value {
    answers(source, more).1.into_iter().next().unwrap_or_default()
}

/// Every example says what to expect on its first line, and which command shows it.
#[test]
fn every_event_example_gives_what_it_promises() {
    let root = examples().join("..");
    let mut seen = BTreeSet::new();
    let mut found = 0;
    for entry in std::fs::read_dir(processes()).expect("the folder of examples") {
        let path = entry.expect("an entry").path();
        let name = file_name(&path);
        let content = std::fs::read_to_string(&path).expect("a readable example");
        let first = content.lines().next().unwrap_or_default();
        let words = first.strip_prefix("// expect: ");
        let words = words.unwrap_or_else(|| panic!("{name}: the first line is no expectation"));
        let expected: Vec<&str> = words.split(", ").collect();
        let command = content.lines().find_map(|l| l.strip_prefix("//     ser "));
        let command = command.unwrap_or_else(|| panic!("{name}: no command"));
        assert!(command.contains(&format!("examples/processes/{name}")), "{name}: {command}");
        let args: Vec<&str> = command.split(' ').chain(["--format", "json"]).collect();
        let output = ser_in(&root, &args, b"", &[]);
        let answers = objects(&output);
        let verdicts: Vec<&str> =
            answers.iter().map(|a| a["verdict"].as_str().unwrap_or_default()).collect();
        assert_eq!(verdicts, expected, "{name}: {output:?}");
        assert!(answers.iter().all(|a| a["warnings"].is_null()), "{name}: {output:?}");
        seen.extend(expected.iter().map(|v| (*v).to_owned()));
        found += 1;
    }
    assert!(found >= 11, "only {found} examples");
    assert_eq!(seen.len(), 6, "examples of all kinds: {seen:?}");
}

#[test]
fn a_run_of_processes() {
    insta::assert_snapshot!(traced_example("figure_1.ser", &[]));
}

#[test]
fn a_run_with_a_queue_and_goals_of_both_kinds() {
    insta::assert_snapshot!(without_numbers(&traced_example("queue.ser", &[])));
}

#[test]
fn a_run_with_names_for_values() {
    insta::assert_snapshot!(traced_example("two_phase_commit.ser", &[]));
}

#[test]
fn a_run_of_an_unwinding() {
    insta::assert_snapshot!(traced_example("figure_1.unw", &[]));
}

#[test]
fn unreachable_within_a_bound() {
    insta::assert_snapshot!(without_numbers(&traced_example("peterson.ser", &["--bound", "2"])));
    let steps = ["--method", "bmc", "--bound", "5"];
    insta::assert_snapshot!(
        "unreachable_within_steps",
        without_numbers(&traced_example("peterson.ser", &steps))
    );
}

/// Sizes of proofs may change with every improvement.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with("  The solver's proof derives ") {
            out.push_str("  The solver's proof ...\n");
            inside = true;
        }
        inside &= !line.is_empty() && !line.trim_start().starts_with("help:");
        if !inside {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

#[test]
fn requests_of_a_program() {
    let program = text(&examples().join("lost_update.ser"));
    let question = ["--requests", "increment*2", "--reach", "increment[0] == increment[1] && done"];
    let args = [&[program.as_str()], &question[..]].concat();
    insta::assert_snapshot!(traced(&args, &examples()));
    let question = ["--requests", "increment", "--reach", "done && increment[0] == 1"];
    let output = ser(&[&["trace", &program], &question[..]].concat());
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stdout.contains("No run of these requests reaches it"), "{output:?}");
}

#[test]
fn a_goal_that_holds_at_the_start() {
    let output =
        ser_with(&["trace", "-"], b"var X: 0..3 = 2  process P { X := 1 }  reach X == 2", &[]);
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stdout.contains("It holds at the start: X=2."), "{output:?}");
}

/// Hidden variables are nowhere to be seen.
#[test]
fn queues_and_enumerations_are_shown_as_they_are_written() {
    let source = "enum Colour { red, green }\nvar Q: queue[2] of Colour\nvar Seen: Colour\n\
        process P { send green to Q; send red to Q }\nprocess R { Seen := recv Q }\n\
        reach done && len(Q) == 1\n";
    let object = answer(source, &[]);
    assert_eq!(object["verdict"], "reachable", "{object}");
    let steps = object["witness"]["steps"].as_array().expect("steps").clone();
    let last = steps.last().expect("a last step");
    assert_eq!(last["globals"], json!({ "Q": ["red"], "Seen": "green" }), "{object}");
    let text = ser_with(&["trace", "-"], source.as_bytes(), &[]).stdout;
    assert!(text.contains("[red]") && text.contains("Q is [green"), "{text}");
    for hidden in ["Q.", "Done", "responds", "#1", "."] {
        let table = text.lines().filter(|line| !line.trim_end().ends_with('.'));
        let lines: Vec<&str> = table.filter(|line| line.contains(hidden)).collect();
        let allowed = |line: &&str| line.contains(" ms)") || line.contains(" s)");
        assert!(lines.iter().all(allowed), "{hidden}: {lines:?}");
    }
    assert!(!object.to_string().contains("\"Done.P\":"), "{object}");
}

#[test]
fn json_tells_everything() {
    let output = ser(&["trace", &example("lost_update.ser"), "--format", "json"]);
    let all = objects(&output);
    assert_eq!((output.code, all.len()), (Some(1), 2), "{output:?}");
    let (reached, not) = (&all[0], &all[1]);
    assert_eq!(reached["goal"], "reach \"two updates survive\": done && X == 23");
    assert_eq!(reached["name"], "two updates survive");
    assert_eq!(reached["line"], 25);
    assert!(reached["time_ms"].as_f64().is_some_and(|t| t > 0.0));
    assert!(reached["formula"]["clauses"].as_u64().is_some_and(|n| n > 100));
    assert!(reached["formula"]["parts"]["data"]["variables"].as_u64().is_some());
    assert_eq!(reached["witness"]["steps"].as_array().map(Vec::len), Some(16));
    let step = &reached["witness"]["steps"][0];
    assert_eq!(step["reads"], json!({ "X": 0 }), "{step}");
    assert!(step.get("responds").is_none() && step.get("local_before").is_none(), "{step}");
    assert_eq!(not["verdict"], "unreachable");
    assert_eq!(not["covered"], "all");
    assert!(not["proof"]["learnt_clauses"].as_u64().is_some(), "{not}");
    let bounded = answer(ENDLESS, &["--bound", "2"]);
    assert_eq!(bounded["covered"], json!({ "rounds": { "A": 2, "B": 2, "C": 2 } }), "{bounded}");
    let steps = answer(ENDLESS, &["--method", "bmc", "--bound", "3"]);
    assert_eq!(steps["covered"], json!({ "steps": 3 }), "{steps}");
    let firing = objects(&ser(&["trace", &example("figure_1.unw"), "--format", "json"]));
    let events = firing[0]["witness"]["events"].as_array().expect("events");
    let puts = json!([{ "place": "px", "token": [5] }, { "place": "pg1", "token": [] }]);
    assert_eq!((&events[1]["values"], &events[1]["puts"]), (&json!({ "x": 2 }), &puts));
    assert_eq!(firing[0]["witness"]["tokens"], json!(["px(5)", "py(5)", "pf0", "pg1"]));
}

/// Every reader of a token comes after the event that put it.
#[test]
fn the_partial_order_agrees_with_the_steps() {
    for name in ["queue.ser", "lost_update.ser", "figure_1.unw", "bank.ser"] {
        let output = ser(&["trace", &example(name), "--format", "json"]);
        let all = objects(&output);
        let reached = all.iter().find(|a| a["verdict"] == "reachable").expect("a run");
        let order = &reached["witness"]["order"];
        let events = order["events"].as_array().expect("events");
        let links = order["links"].as_array().expect("links");
        assert!(links.len() >= 4, "{order}");
        for link in links {
            let (from, to) = (link["from"].as_u64(), link["to"].as_u64());
            assert!(from < to && to.is_some_and(|to| (to as usize) < events.len()), "{link}");
        }
        let steps = reached["witness"]["steps"].as_array().expect("steps");
        if let Some(fired) = reached["witness"]["events"].as_array() {
            // In an unwinding, the events are the steps.
            let names: Vec<&Value> = events.iter().map(|e| &e["transition"]).collect();
            let fired: Vec<&Value> = fired.iter().map(|e| &e["transition"]).collect();
            assert_eq!((&names, names.len()), (&fired, steps.len()), "{name}");
            assert!(names.iter().all(|it| it.is_string()), "{name}: {order}");
        } else {
            // Each step belongs to exactly one event, of the same process.
            let mut owners = vec![0; steps.len()];
            for event in events.iter().filter(|e| e["process"].is_string()) {
                for number in event["steps"].as_array().expect("steps") {
                    let index = number.as_u64().expect("a number") as usize - 1;
                    assert_eq!(event["process"], steps[index]["name"], "{event}");
                    owners[index] += 1;
                }
            }
            assert!(owners.iter().all(|n| *n == 1), "{name}: {owners:?}");
        }
    }
}

/// The replay once tried all combinations of all choices, gave up, and called it an internal error.
#[test]
fn a_run_with_very_many_choices_is_replayed() {
    let source = "var X: 0..9000000\n\
        process P(id in 0..2) { n := choose(0..3000); x := X; X := x + n }\n\
        reach done && X == 2999 + 2998 + 2997\n";
    for method in ["events", "bmc"] {
        let object = answer(source, &["--method", method]);
        assert_eq!(object["verdict"], "reachable", "{method}: {object}");
    }
}

#[test]
fn exit_codes_tell_the_most_serious_answer() {
    let folder = folder("trace_codes");
    let reached = file(&folder, "yes.ser", "var X: 0..1 process P { X := 1 } reach X == 1");
    let never = file(&folder, "no.ser", "var X: 0..2 process P { X := 1 } reach X == 2");
    let wrong = file(&folder, "wrong.ser", "var X: 0..2 process P { X := Y } reach X == 2");
    let endless = file(&folder, "endless.ser", ENDLESS);
    let code = |files: &[&String]| {
        let files: Vec<&str> = files.iter().map(|f| f.as_str()).collect();
        ser(&[&["trace", "--timeout", "0.3"], &files[..]].concat()).code
    };
    assert_eq!(code(&[&never]), Some(0));
    assert_eq!(code(&[&reached]), Some(1));
    assert_eq!(code(&[&wrong]), Some(2));
    assert_eq!(code(&[&endless]), Some(3));
    assert_eq!(code(&[&never, &endless]), Some(3));
    assert_eq!(code(&[&endless, &reached, &never]), Some(1));
    assert_eq!(code(&[&reached, &wrong, &endless]), Some(2));
    let output = ser(&["trace", &never, &reached, &wrong]);
    assert!(
        output.stdout.ends_with("3 goals: 1 unreachable, 1 reachable, 1 with errors\n"),
        "{output:?}"
    );
}

#[test]
fn limits_end_the_search_and_tell_what_is_known() {
    let started = Instant::now();
    let (code, all) = answers(ENDLESS, &["--timeout", "1"]);
    assert_eq!(code, Some(3), "{all:?}");
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(all[0]["reason"], "the time limit of 1 s was reached", "{all:?}");
    assert!(all[0]["covered"]["rounds"]["A"].as_u64().is_some_and(|n| n >= 1), "{all:?}");
    let output = ser_with(&["trace", "-", "--timeout", "1"], ENDLESS.as_bytes(), &[]);
    assert!(output.stdout.contains("- so far, no run in which the loops of A"), "{output:?}");
    assert!(output.stdout.contains("help: give it more time with --timeout"), "{output:?}");
    let (code, all) = answers(ENDLESS, &["--memory", "1"]);
    assert_eq!(code, Some(3), "{all:?}");
    let reason = all[0]["reason"].as_str().expect("a reason");
    assert!(reason.ends_with("more than 1 MiB of memory"), "{reason}");
}

/// What is wrong with a source, with the place.
#[test]
fn bad_sources_get_located_messages() {
    let cases: &[(&str, &str, &str)] = &[
        ("X := 2\nprocess P { X := 1 }\nreach X == 1", "say which values `X` can have", ":1:1"),
        ("var Q: queue of 0..3\nprocess P { send 1 to Q }\nreach done", "queue", ":1:"),
        ("var X: 0..2\nprocess P { X := Z }\nreach X == 1", "`Z`", ":2:18"),
        ("var X: 0..2\nprocess P { X := 1 }\nreach Y == 1", "`Y`", ":3:7"),
        ("enum A { a }\nenum B { b }\nvar X: A\nprocess P { X := b }\nreach X == a", "", ":4:18"),
        ("var X: 0..2 = 3\nprocess P { X := 1 }\nreach X == 1", "", ":1:15"),
        ("var X: 0..2\nprocess P { X := 1 }\n", "does not say what to look for", ":2:21"),
        ("var X: 0..2\nreach X == 1\n", "", ":2:13"),
        ("var X: 0..2\nprocess P { X := 1; yield }\nreach X == 1", "yield", ":2:21"),
    ];
    for (source, message, place) in cases {
        let folder = folder("trace_bad");
        let path = file(&folder, "bad.ser", source);
        let output = ser(&["trace", &path]);
        assert_eq!(output.code, Some(2), "{source}: {output:?}");
        assert!(output.stderr.contains(&format!("bad.ser{place}")), "{source}: {output:?}");
        assert!(output.stderr.contains(message), "{source}: {output:?}");
        let object = &objects(&ser(&["trace", &path, "--format", "json"]))[0];
        assert_eq!(object["verdict"], "error", "{object}");
        assert!(object["errors"][0]["line"].as_u64().is_some(), "{object}");
    }
}

#[test]
fn bad_unwindings_get_located_messages() {
    let cases: &[(&str, &str)] = &[
        ("", "empty"),
        ("place p", "transition"),
        ("place p : 0..3\ntransition t { out p(1) }", "target"),
        (
            "place p : 0..3\nplace q\ntransition t { out p(1) }\ntransition u { in q }\ntarget u",
            "q",
        ),
        ("place p : 0..3\ntransition t { out p(7) }\ntarget t", "7"),
        ("place p : 0..3\ntransition t { out r(1) }\ntarget t", "`r`"),
        ("place p : 0..3\ntransition t { out p(1) }\ntarget v", "`v`"),
    ];
    for (source, word) in cases {
        let folder = folder("trace_unw");
        let path = file(&folder, "bad.unw", source);
        let output = ser(&["trace", &path]);
        assert_eq!(output.code, Some(2), "{source}: {output:?}");
        assert!(output.stderr.contains("bad.unw:"), "{source}: {output:?}");
        assert!(output.stderr.contains(word), "{source}: {output:?}");
    }
}

#[test]
fn bad_questions_get_a_way_out() {
    let program = text(&examples().join("lost_update.ser"));
    let path = example("queue.ser");
    let unwinding = example("figure_1.unw");
    let system = text(&examples().join("login_session.json"));
    let cases: &[(&[&str], &[&str])] = &[
        (&[&program], &["which requests run?", "--requests 'increment*2'"]),
        (&[&program, "--requests", "increment"], &["what should be reached?", "--reach 'done'"]),
        (
            &[&program, "--requests", "incremnt*2", "--reach", "done"],
            &["there is no request `incremnt`", "--> --requests:1:1", "increment"],
        ),
        (
            &[&program, "--requests", "increment", "--reach", "done && Cuont == 1"],
            &["Cuont", "--> --reach:1:9"],
        ),
        (&[&program, "--requests", "increment", "--reach", "("], &["--> --reach:1:1"]),
        (&[&path, "--reach", "done"], &["--reach is for programs (.ser)", "help: "]),
        (&[&path, "--requests", "P"], &["--requests is for programs (.ser)", "help: "]),
        (&[&unwinding, "--reach", "done"], &["are for programs (.ser)", "`target t`"]),
        (
            &[&system],
            &[
                "this is a network system, which this command does not read",
                "help: `ser check` decides whether it is serializable",
            ],
        ),
        (&["nothing.ser"], &["there is no such file", "help: "]),
        (&[&text(&processes())], &["this is a directory", "help: for example: `ser trace "]),
        (&["-", "-"], &["can be given only once"]),
        (&[""], &["the name of a file is empty"]),
        (&[&path, "--picture", "-"], &["--picture -", "--picture answer.svg"]),
        (&[&path, "--picture", "run.png"], &["which kind of picture", ".svg or .dot"]),
        (&[&path, "--dimacs", "a.cnf", "--proof", "a.cnf"], &["the same file a.cnf"]),
        (&[&path, "--bound", "2", "--expand"], &["cannot be used with"]),
    ];
    let folder = folder("trace_questions");
    for (args, words) in cases {
        let output = ser_in(&folder, &[&["trace"], *args].concat(), b"", &[]);
        assert_eq!(output.code, Some(2), "{args:?}: {output:?}");
        for word in *words {
            assert!(output.stderr.contains(word), "{args:?}, {word}: {output:?}");
        }
    }
    let unknown = ser(&["trace", &unwinding, "--method", "bmc"]);
    assert_eq!(unknown.code, Some(3), "{unknown:?}");
    assert!(unknown.stdout.contains("help: leave out --method bmc"), "{unknown:?}");
}

#[test]
fn other_commands_say_which_one_to_use() {
    for name in ["queue.ser", "figure_1.unw"] {
        for command in ["repair", "show"] {
            let output = ser(&[command, &example(name)]);
            assert_eq!(output.code, Some(2), "{command} {name}: {output:?}");
            assert!(output.stderr.contains("`ser trace` shows what"), "{command}: {output:?}");
        }
    }
}

/// The picture has all events and says what is read.
#[test]
fn pictures_of_token_traces() {
    let folder = folder("trace_pictures");
    let picture = |example_name: &str, name: &str| {
        let output =
            ser_in(&folder, &["trace", &example(example_name), "--picture", name], b"", &[]);
        assert_eq!(output.code, Some(1), "{output:?}");
        output
    };
    picture("figure_1.ser", "run.dot");
    let dot = std::fs::read_to_string(folder.join("run.dot")).expect("a picture");
    insta::assert_snapshot!("figure_1_as_dot", dot);
    picture("figure_1.unw", "run.svg");
    let svg = std::fs::read_to_string(folder.join("run.svg")).expect("a picture");
    for word in [">px = 5<", ">h<", ">g1<", "edge dashed", "prefers-color-scheme"] {
        assert!(svg.contains(word), "{word}: {svg}");
    }
    // A queue is one thing, and of two goals one has a run.
    let output = picture("queue.ser", "both.svg");
    let note = "note: --picture: nothing was written: there is no run";
    assert!(output.stderr.contains(note), "{output:?}");
    let svg = std::fs::read_to_string(folder.join("both.2.svg")).expect("the second goal");
    assert!(svg.contains(">Q = [10]<") && !svg.contains("Q.len"), "{svg}");
    assert!(!folder.join("both.1.svg").exists() && !folder.join("both.svg").exists());
    let two = ["figure_1.ser", "figure_1.unw"].map(example);
    let two = [two[0].as_str(), &two[1]];
    let output = ser_in(&folder, &[&["trace", "--picture", "all"], &two[..]].concat(), b"", &[]);
    assert_eq!(output.code, Some(1), "{output:?}");
    let count = std::fs::read_dir(folder.join("all")).expect("a folder").count();
    assert_eq!(count, 2, "one for each file");
}

#[test]
fn the_input_is_never_overwritten() {
    let folder = folder("trace_overwrite");
    let source = "var X: 0..1 process P { X := 1 } reach X == 1";
    file(&folder, "a.svg", source);
    let args = ["trace", "a.svg", "--picture", "a.svg"];
    let output = ser_in(&folder, &args, b"", &[]);
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(output.stderr.contains("this is the input itself"), "{output:?}");
    assert_eq!(std::fs::read_to_string(folder.join("a.svg")).ok().as_deref(), Some(source));
}

/// A formula and its proof are for other tools; here a few lines of our own read them.
#[test]
fn formulas_and_proofs_fit_together() {
    let folder = folder("trace_proofs");
    let source = "var X: 0..9\nprocess F { for _ in 1..2 { a := X; X := a + 2 } }\n\
        process G { b := X; X := b + 3 }\nreach done && X == 5\nreach done && X == 2\n";
    let path = file(&folder, "small.ser", source);
    for method in ["events", "bmc"] {
        let args = ["trace", &path, "--method", method];
        let args = [&args[..], &["--dimacs", "f.cnf", "--proof", "p.drat"]].concat();
        let output = ser_in(&folder, &args, b"", &[]);
        assert_eq!(output.code, Some(1), "{output:?}");
        let note = "note: --proof: nothing was written: the goal is reachable";
        assert!(output.stderr.contains(note), "{output:?}");
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a file");
        let clauses = clauses(&read("f.2.cnf"));
        let learnt = clauses_of(&read("p.2.drat"));
        assert!(clauses.len() > 100 && learnt.last().is_some_and(Vec::is_empty));
        assert!(is_refuted(clauses.clone(), &learnt), "the proof of {method} does not hold");
        // Without the formula it says nothing; so the check is a check.
        assert!(!is_refuted(clauses[..clauses.len() / 2].to_vec(), &learnt));
        assert!(read("f.1.cnf").contains("reach done && X == 5"));
    }
}

fn clauses_of(text: &str) -> Vec<Vec<i32>> {
    let lines = text.lines().filter(|line| !line.starts_with(['c', 'p']));
    let number = |word: &str| word.parse::<i32>().expect("a number");
    lines.map(|l| l.split(' ').map(number).take_while(|n| *n != 0).collect()).collect()
}

fn clauses(text: &str) -> Vec<Vec<i32>> {
    let header = text.lines().find(|l| l.starts_with("p cnf ")).expect("a header");
    let numbers: Vec<i32> = header[6..].split(' ').map(|w| w.parse().expect("a number")).collect();
    let clauses = clauses_of(text);
    assert_eq!(clauses.len(), numbers[1] as usize, "the header tells how many clauses there are");
    let largest = clauses.iter().flatten().map(|lit| lit.abs()).max();
    assert!(largest <= Some(numbers[0]), "the header tells how many variables there are");
    clauses
}

/// Whether each clause of a proof follows from those before it by propagation, and the empty one is
/// among them.
fn is_refuted(mut clauses: Vec<Vec<i32>>, learnt: &[Vec<i32>]) -> bool {
    for clause in learnt {
        let mut true_lits: BTreeSet<i32> = clause.iter().map(|lit| -lit).collect();
        let mut changed = true;
        let mut conflict = false;
        while changed && !conflict {
            changed = false;
            for c in &clauses {
                if c.iter().any(|lit| true_lits.contains(lit)) {
                    continue;
                }
                let mut open = c.iter().filter(|lit| !true_lits.contains(&-**lit));
                match (open.next(), open.next()) {
                    (None, _) => conflict = true,
                    (Some(lit), None) => changed |= true_lits.insert(*lit),
                    _ => {}
                }
            }
        }
        if !conflict {
            return false;
        }
        if clause.is_empty() {
            return true;
        }
        clauses.push(clause.clone());
    }
    false
}

#[test]
fn sizes_are_told_on_demand() {
    let path = example("figure_1.ser");
    let output = ser(&["trace", &path, "--stats"]);
    for word in ["places", "transitions", "possible links", "order triangles", "consumption"] {
        assert!(output.stdout.contains(word), "{word}: {output:?}");
    }
    assert!(!ser(&["trace", &path]).stdout.contains("triangles"));
}

/// All switches give the same answers.
#[test]
fn every_encoding_and_method_agrees() {
    let changes = ["no-safe-places", "lazy-order", "no-static-order", "no-values", "many-links"];
    for name in ["lost_update.ser", "broken_mutex.ser", "two_phase_commit_patient.ser"] {
        let path = example(name);
        let verdicts = |more: &[&str]| {
            let output = ser(&[&["trace", &path, "--format", "json"], more].concat());
            objects(&output).iter().map(|a| a["verdict"].clone()).collect::<Vec<Value>>()
        };
        let expected = verdicts(&[]);
        assert_eq!(verdicts(&["--method", "bmc"]), expected, "{name}");
        for change in changes {
            assert_eq!(verdicts(&["--encoding", change]), expected, "{name}: {change}");
        }
    }
}

/// The same question has the same answer, byte for byte but for the times.
#[test]
fn answers_do_not_depend_on_chance() {
    let path = example("queue.ser");
    let once = || {
        let mut all = objects(&ser(&["trace", &path, "--format", "json"]));
        all.iter_mut().for_each(|object| object["time_ms"] = json!(0));
        all
    };
    assert_eq!(once(), once());
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it_with_what_is_known() {
    use rustix::process::{Pid, Signal, kill_process};
    use std::io::Read as _;
    use std::process::{Command, Stdio};
    let folder = folder("trace_interrupt");
    let path = file(&folder, "endless.ser", ENDLESS);
    let mut child = Command::new(env!("CARGO_BIN_EXE_ser"))
        .args(["trace", &path, &path])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    std::thread::sleep(Duration::from_millis(1500));
    kill_process(Pid::from_child(&child), Signal::INT).expect("a signal");
    let started = Instant::now();
    let status = child.wait().expect("it ends");
    assert!(started.elapsed() < Duration::from_secs(20));
    let mut text = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut text).expect("text");
    assert_eq!(status.code(), Some(3), "{text}");
    assert!(text.contains("Interrupted."), "{text}");
    assert!(text.contains("2 goals: 2 unknown"), "{text}");
}

#[cfg(unix)]
#[test]
fn whoever_has_heard_enough_may_leave() {
    use std::process::{Command, Stdio};
    let path = example("lost_update.ser");
    let paths = vec![path.as_str(); 40];
    let mut child = Command::new(env!("CARGO_BIN_EXE_ser"))
        .args([&["trace", "--format", "json"], &paths[..]].concat())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}
