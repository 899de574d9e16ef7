//! Bad input: a clear message, the right exit code, no panic, no hang.
//!
//! That nothing panics and everything ends in time is checked for every run of the binary; see
//! `common`.

use crate::common::{Output, file, folder, ser, ser_with, text};

/// An input error: exit code 2, and a message on standard error with each of these words.
fn assert_input_error(output: &Output, words: &[&str]) {
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(output.stderr.contains("error"), "{output:?}");
    for word in words {
        assert!(output.stderr.contains(word), "no `{word}` in:\n{}", output.stderr);
    }
    // A person reads this: a flood helps nobody.
    assert!(output.stderr.lines().count() < 400, "{} lines", output.stderr.lines().count());
}

/// An honest "unknown": exit code 3, and a message on standard output with each of these words.
fn assert_unknown(output: &Output, words: &[&str]) {
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(output.stdout.contains("unknown"), "{output:?}");
    let flat = output.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in words {
        assert!(flat.contains(word), "no `{word}` in:\n{}", output.stdout);
    }
    assert!(!flat.contains("internal error"), "{}", output.stdout);
}

/// Checks a program or system by writing it to a file of this name.
fn check(name: &str, content: impl AsRef<[u8]>) -> Output {
    let folder = folder(&format!("bad_input_{name}"));
    let path = file(&folder, name, content);
    ser(&["check", &path])
}

/// The same with few states, for programs that have no end of them.
fn check_some(name: &str, content: &str) -> Output {
    let path = file(&folder(&format!("bad_input_{name}")), name, content);
    ser(&["check", "--max-states", "500", "--without", "symbolic,rules,opaque,parts", &path])
}

#[test]
fn empty_files() {
    assert_input_error(&check("empty.ser", ""), &["empty", "help", "request main"]);
    assert_input_error(&check("blank.ser", " \n\t\n"), &["empty", "help"]);
    assert_input_error(&check("empty.json", ""), &["empty", "help", "initial_global"]);
    assert_input_error(&ser_with(&["check", "-"], b"", &[]), &["empty"]);
}

#[test]
fn programs_without_requests() {
    let only_comments = check("only_comments.ser", "// nothing to see here\n");
    assert_input_error(&only_comments, &["comments", "request"]);
    let no_requests = check("no_requests.ser", "X := 1\nconst N = 3\n");
    assert_input_error(&no_requests, &["nothing to check", "no_requests.ser:2", "help"]);
}

#[test]
fn binary_files() {
    let bytes: Vec<u8> =
        (0..100_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    assert_input_error(&check("binary.ser", &bytes), &["not text", "UTF-8", "byte", "line"]);
    assert_input_error(&check("binary.json", &bytes), &["not text", "UTF-8"]);
    // Text with control characters is text, but not a program.
    assert_input_error(&check("nul.ser", "request main { \0 }"), &["nul.ser:1"]);
}

#[test]
fn invalid_utf_8_is_found_at_its_line() {
    let output = check("latin1.ser", b"request main {\n  X := 1; // \xe9t\xe9\n  1 }");
    assert_input_error(&output, &["not text", "line 2", "UTF-8"]);
}

#[test]
fn ten_megabytes() {
    let limit = ["10.0 MB", "4 MiB", "help"];
    assert_input_error(&check("garbage.ser", "@#$%^ foo ".repeat(1_000_000)), &limit);
    let valid = format!("request main {{ {} X }}", "X := 1;\n".repeat(1_250_000));
    assert_input_error(&check("valid.ser", valid), &limit);
    let garbage = "@#$%^ foo ".repeat(400_000);
    assert_input_error(
        &check("garbage_within_the_limit.ser", garbage),
        &["not part of the language"],
    );
    assert_input_error(&check("garbage.json", "@#$%^ foo ".repeat(1_000_000)), &["line 1"]);
}

/// A long program is not a bad one.
#[test]
fn a_program_just_within_the_limit_is_checked() {
    let long = format!("request main {{ {} X }}", "X := 1;\n".repeat(500_000));
    assert_eq!(check("long.ser", long).code, Some(0));
}

#[test]
fn a_large_system_is_checked() {
    let mut rows = Vec::new();
    for i in 0..250_000 {
        rows.push(format!(r#"["s{i}","A","d","B{i}"]"#));
    }
    let content = format!(
        r#"{{"initial_global":"A","requests":[["r","s0"]],"responses":[["d","ok"]],"transitions":[{}]}}"#,
        rows.join(",")
    );
    assert!(content.len() > 5_000_000);
    assert_eq!(check("large.json", content).code, Some(0));
}

#[test]
fn deep_nesting() {
    let deep = |open: &str, close: &str| {
        format!("request main {{ {}1{} }}", open.repeat(10_000), close.repeat(10_000))
    };
    for (name, content) in [
        ("parentheses.ser", deep("(", ")")),
        ("not.ser", deep("!", "")),
        ("minus.ser", deep("- ", "")),
        ("if.ser", deep("if (X) { ", " }")),
        ("else_if.ser", deep("if (X) { 1 } else ", "").replace("else 1", "else { 1 }")),
        ("sum.ser", deep("1 + ", "")),
        ("open.ser", format!("request main {{ {}", "(".repeat(10_000))),
    ] {
        assert_input_error(&check(name, content), &["nested more than", name, "help"]);
    }
    let braces = check("braces.ser", format!("request main {}", "{".repeat(10_000)));
    assert_input_error(&braces, &["braces.ser:1"]);
    let closed = check("closed.ser", "}".repeat(10_000));
    assert_input_error(&closed, &["closed.ser:1"]);
}

#[test]
fn files_that_are_not_there() {
    assert_input_error(&ser(&["check", "no/such/file.ser"]), &["no/such/file.ser", "no such file"]);
    let folder = folder("bad_input_directory");
    let output = ser(&["check", &text(&folder)]);
    assert_input_error(&output, &["this is a directory", "help"]);
    for stage in ["ast", "ns"] {
        assert_input_error(&ser(&["show", "--stage", stage, "no.ser"]), &["no such file"]);
    }
}

#[test]
fn an_infinite_state_space_names_the_variable_its_line_and_values() {
    let loops = "request main {\n  while (X >= 0) {\n    X := X + 1;\n    yield\n  }\n}\n";
    let words =
        ["`X` keeps growing: 0, 1, 2, ...", "finitely many states", "line 3: X := X + 1;", "help"];
    assert_unknown(&check_some("infinite.ser", loops), &words);
    let once = "request other { X }\nrequest main { while (X < 9) {\n  X := X - 2;\n  yield\n} }\n";
    let words = ["`X` keeps falling: 0, -2, -4, ...", "line 3: X := X - 2"];
    assert_unknown(&check_some("infinite_once.ser", once), &words);
    let local = "request main {\n  while (?) { x := x + 3; yield };\n  x }";
    assert_unknown(
        &check_some("infinite_local.ser", local),
        &["`x` keeps growing: 0, 3, 6", "line 2"],
    );
    // `show` needs the states too.
    let path = file(&folder("bad_input_show"), "infinite.ser", loops);
    let shown = ser(&["show", "--max-states", "5000", "--stage", "net", &path]);
    assert_eq!(shown.code, Some(3), "{shown:?}");
    assert!(shown.stderr.contains("`X` keeps growing"), "{shown:?}");
}

#[test]
fn an_infinite_program_in_json_names_the_line() {
    let path = file(
        &folder("bad_input_json"),
        "infinite.ser",
        "request main { while (X >= 0) {\n  X := X + 1;\n  yield\n} }",
    );
    let output = ser(&["check", "--format", "json", "--without", "symbolic", &path]);
    assert_eq!(output.code, Some(3));
    let object: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(object["verdict"], "unknown");
    assert_eq!(object["line"], 2);
    let reason = object["reason"].as_str().expect("a reason");
    assert!(reason.contains("`X` keeps growing: 0, 1, 2"), "{reason}");
    assert!(object["help"][0].as_str().is_some_and(|help| help.contains("bound")), "{object}");
}

#[test]
fn an_endless_step_that_grows() {
    let words = ["without reaching a `yield`", "keeps growing: 1, 2, 3, ...", "line 2", "help"];
    let local = "request main {\n  while (1) { x := x + 1 };\n  yield\n}\n";
    assert_unknown(&check_some("endless_local.ser", local), &words);
    let global = "request main {\n  while (1) { X := X + 1 };\n  yield;\n  X\n}\n";
    assert_unknown(&check_some("endless_global.ser", global), &words);
}

/// A step that runs in a circle comes to nothing, and is no trouble.
#[test]
fn an_endless_step_that_does_not_grow_is_no_trouble() {
    let circle = "request main { if (?) { while (1) { X := 1 - X } }; X }";
    assert_eq!(check("circle.ser", circle).code, Some(0));
}

#[test]
fn overflow() {
    let words = ["64-bit", "line 3", "help"];
    let square = "X := 2\nrequest main {\n  X := X * X;\n  yield;\n  assume(X > 0);\n  0\n}\n";
    assert_unknown(&check("square.ser", square), &words);
    let negate =
        "const LOW = -9223372036854775807\nrequest main {\n  X := LOW - 2;\n  yield;\n  X\n}\n";
    assert_unknown(&check("low.ser", negate), &words);
    let large = check("large_number.ser", "request main { 9223372036854775808 }");
    assert_input_error(&large, &["large_number.ser:1"]);
}

/// (name, system, words of the message)
#[test]
fn broken_systems() {
    const HEAD: &str = r#""initial_global": "A", "requests": [["r", "s"]]"#;
    const TAIL: &str = r#""responses": [["d", "ok"]], "transitions": [["s", "A", "d", "B"]]"#;
    let with = |responses: &str, transitions: &str| {
        format!(r#"{{ {HEAD}, "responses": {responses}, "transitions": {transitions} }}"#)
    };
    let ok = r#"[["d", "ok"]]"#;
    let table: Vec<(&str, String, &[&str])> = vec![
        ("no_fields", "{}".into(), &["initial_global", "missing", "help"]),
        ("no_requests", format!(r#"{{"initial_global": "A", {TAIL}}}"#), &["requests", "missing"]),
        ("no_transitions", format!(r#"{{{HEAD}, "responses": []}}"#), &["transitions", "missing"]),
        (
            "nothing_runs",
            format!(r#"{{"initial_global": "A", "requests": [], {TAIL}}}"#),
            &["there is no request"],
        ),
        (
            "number",
            format!(r#"{{"initial_global": 3, "requests": [["r", "s"]], {TAIL}}}"#),
            &["initial_global", "expected a string, found the number 3"],
        ),
        ("object", with("{}", "[]"), &["responses", "expected a list, found an object"]),
        ("row", with(ok, r#"["s"]"#), &["transitions[0]", "expected a list"]),
        ("short", with(ok, r#"[["s", "A", "d"]]"#), &["transitions[0]", "expected 4", "found 3"]),
        ("cell", with(ok, r#"[["s", "A", null, "B"]]"#), &["transitions[0][2]", "found null"]),
        ("name", with(r#"[["d", ""]]"#, "[]"), &["responses[0][1]", "empty"]),
        (
            "twice",
            format!(r#"{{ {HEAD}, {HEAD}, {TAIL} }}"#),
            &["`initial_global` appears twice", "line 1"],
        ),
        (
            "not_in_globals",
            format!(r#"{{ {HEAD}, {TAIL}, "globals": ["A"] }}"#),
            &["transitions[0][3]", "`B` is not declared", "`globals`"],
        ),
        (
            "not_in_locals",
            format!(r#"{{ {HEAD}, {TAIL}, "locals": ["s"] }}"#),
            &["transitions[0][2]", "`d` is not declared", "`locals`"],
        ),
        (
            "typing_error",
            format!(r#"{{ {HEAD}, {TAIL}, "transition": [] }}"#),
            &["transition", "unknown field", "did you mean `transitions`?"],
        ),
        ("array", "[]".into(), &["expected an object", "a list", "line 1, column 1"]),
        ("text", "\"x\"".into(), &["expected an object"]),
        ("null", "null".into(), &["expected an object", "found null"]),
        ("cut", format!("{{ {HEAD}, \"resp"), &["ends in the middle"]),
        ("comma", format!("{{ {HEAD}, }}"), &["comma", "line 1"]),
        ("trailing", format!("{{ {HEAD}, {TAIL} }} x"), &["more after the end", "line 1"]),
        ("deep_lists", "[".repeat(100_000), &["deep_lists.json"]),
        (
            "deep_value",
            format!(r#"{{"initial_global": {}"#, "[".repeat(100_000)),
            &["nested too deeply"],
        ),
        ("deep_objects", r#"{"a": "#.repeat(100_000), &["nested too deeply"]),
    ];
    for (name, content, words) in table {
        assert_input_error(&check(&format!("{name}.json"), &content), words);
    }
    let twice = with(ok, r#"[["s", "A", "d", "B"], ["s", "A", "d", "B"]]"#);
    let output = check("odd.json", &twice);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stderr.contains("transitions[1]: this entry repeats transitions[0]"));
}

#[test]
fn wrong_usage() {
    let folder = folder("bad_input_usage");
    let path = file(&folder, "ok.ser", "request main { 0 }");
    let path = path.as_str();
    let table: &[(&[&str], &[&str])] = &[
        (&["check"], &["nothing to check", "<FILE>", "ser new", "ser check -"]),
        (&["explain"], &["nothing to check", "<FILE>"]),
        (&["check", ""], &["empty", "<FILE>", "ser new"]),
        (&["check", "--timeout", "0", path], &["--timeout", "positive number of seconds"]),
        (&["check", "--timeout", "nan", path], &["--timeout", "positive number of seconds"]),
        (&["check", "--timeout", "soon", path], &["--timeout", "positive number of seconds"]),
        (&["check", "--memory", "0", path], &["--memory"]),
        (&["check", "--memory", "lots", path], &["--memory"]),
        (&["check", "--bogus", path], &["--bogus", "Usage"]),
        (&["check", "--format", "xml", path], &["human, json, sarif"]),
        (&["check", "--without", "everything", path], &["slice", "idle", "merge"]),
        (&["check", "-", "-"], &["standard input", "once"]),
        (&["bogus"], &["bogus", "Usage"]),
        (
            &["show", path, "--stage", "cfg"],
            &["ast, ns, rules, paper-net, net, automaton, outcomes, query"],
        ),
        (&["verify"], &["required", "<CERTIFICATE>"]),
        (&["verify", "no/such/certificate"], &["no/such/certificate", "cannot read it"]),
        (&["completions", "tcsh"], &["bash", "fish", "zsh"]),
    ];
    for (args, words) in table {
        assert_input_error(&ser(args), words);
    }
    let nothing = ser(&[]);
    assert_eq!(nothing.code, Some(2));
    assert!(nothing.all().contains("Usage: ser"), "{nothing:?}");
}

/// Odd but legal settings are legal.
#[test]
fn extreme_limits_are_not_errors() {
    let folder = folder("bad_input_limits");
    let atomic = file(&folder, "atomic.ser", "request main { X := 1 - X }");
    for option in ["--max-states", "--search-states", "--max-in-flight", "--max-requests"] {
        let output = ser(&["check", option, "0", &atomic]);
        assert!(matches!(output.code, Some(0 | 3)), "{option}: {output:?}");
        assert!(!output.all().to_lowercase().contains("internal error"), "{option}: {output:?}");
    }
    assert_eq!(ser(&["check", "--timeout", "1e300", &atomic]).code, Some(0));
    assert_eq!(ser(&["check", "--jobs", "1000000", &atomic]).code, Some(0));
    assert_eq!(ser(&["check", "--memory", "18446744073709551615", &atomic]).code, Some(0));
    let racy = file(&folder, "racy.ser", "request main { x := X; yield; X := 1 - x; x }");
    let short = ser(&["check", "--timeout", "0.000001", &racy]);
    assert!(matches!(short.code, Some(1 | 3)), "{short:?}");
}

#[test]
fn very_long_names() {
    let (request, global) = ("m".repeat(50_000), "X".repeat(50_000));
    let racy =
        format!("request {request} {{ {global} := 1; yield; y := {global}; {global} := 0; y }}");
    assert_eq!(check("long_names.ser", racy).code, Some(1));
}

/// Two requests are enough to break it, however many kinds of requests there are.
#[test]
fn twenty_racy_requests() {
    let racy: String =
        (0..20).map(|i| format!("request r{i} {{ X := {i}; yield; X }}\n")).collect();
    assert_eq!(check("twenty_racy_requests.ser", racy).code, Some(1));
}

#[test]
fn two_hundred_requests() {
    let folder = folder("bad_input_requests");
    let body = "{ X := 1; yield; X }";
    let program: String = (0..200).map(|i| format!("request r{i} {body}\n")).collect();
    let path = file(&folder, "many_requests.ser", program);
    let output = ser(&["check", "--timeout", "10", &path]);
    assert!(matches!(output.code, Some(0 | 3)), "{output:?}");
    let racy: String =
        (0..200).map(|i| format!("request r{i} {{ X := {i}; yield; X }}\n")).collect();
    let path = file(&folder, "many_racy_requests.ser", racy);
    let output = ser(&["check", "--timeout", "10", &path]);
    assert!(matches!(output.code, Some(1 | 3)), "{output:?}");
}

#[test]
fn the_time_limit_counts_for_reductions_too() {
    let steps: Vec<String> =
        (0..5000).map(|i| format!(r#"["s{i}", "G", "s{}", "G"]"#, i + 1)).collect();
    let content = format!(
        r#"{{"initial_global": "G", "requests": [["r", "s0"]], "responses": [["s5000", "ok"]],
            "transitions": [{}]}}"#,
        steps.join(", ")
    );
    let path = file(&folder("bad_input_chain"), "chain.json", content);
    let output = ser(&["check", "--timeout", "5", &path]);
    assert!(matches!(output.code, Some(0 | 3)), "{output:?}");
}

#[test]
fn ten_thousand_labels() {
    let atomic = check("labels.ser", "request put(p in 0..9999) { p }");
    assert_eq!(atomic.code, Some(0), "{atomic:?}");
    let put = "request put(p in 0..9999) { X := p; yield; assume(X + 1) }";
    let path = file(&folder("bad_input_labels"), "states.ser", put);
    // Those who list them notice when time is up.
    let states = ser(&["check", "--timeout", "3", "--without", "opaque,symbolic", &path]);
    assert_unknown(&states, &["could not be listed in time", "time limit of 3 s", "help"]);
    // Parameters have many values, but do not grow.
    assert!(!states.stdout.contains("growing"), "{}", states.stdout);
    let more = check("more_labels.ser", "request put(p in 0..10000) { p }");
    assert_input_error(&more, &["10000", "more_labels.ser:1"]);
    let product = "request put(a in 0..999, b in 0..999, c in 0..999) { a }";
    assert_input_error(&check("product.ser", product), &["10000"]);
    let huge = "request put(a in -9223372036854775807..9223372036854775807) { a }";
    assert_input_error(&check("huge_range.ser", huge), &["10000"]);
}

#[test]
fn thousands_of_globals() {
    let writes: String = (0..3000).map(|i| format!("G{i} := 1;\n")).collect();
    let reads: String = (0..3000).map(|i| format!("x := G{i};\n")).collect();
    let program = format!("request main {{ {writes} {reads} yield; x }}");
    let output = check("straight.ser", program);
    assert!(matches!(output.code, Some(0 | 3)), "{output:?}");
    // Two to the power of five hundred global states, and two requests that go wrong.
    let flips: String =
        (0..500).map(|i| format!("request r{i} {{ G{i} := 1 - G{i}; yield; G{i} }}\n")).collect();
    let output = check("flips.ser", flips);
    assert_eq!(output.code, Some(1), "{output:?}");
    // Two to the power of forty, all of them looked at in one step.
    let flips: String = (0..40).map(|i| format!("request r{i} {{ G{i} := 1 - G{i} }}\n")).collect();
    let sum = (0..40).map(|i| format!("G{i}")).collect::<Vec<_>>().join(" + ");
    let program = format!("{flips} request all {{ x := {sum}; yield; x }}");
    let path = file(&folder("bad_input_globals"), "product.ser", program);
    let output =
        ser(&["check", "--memory", "100", "--timeout", "20", "--without", "symbolic", &path]);
    assert_unknown(&output, &["could not be listed", "help"]);
    // Each variable has two values: nothing grows.
    assert!(!output.stdout.contains("growing"), "{}", output.stdout);
}

#[test]
fn nothing_is_said_about_requests_that_rules_cannot_see() {
    // Two increments make `q` pause, where no rule says so: the values of X have no end, and only
    // those up to 1 are followed.
    let program = "request r { X := X + 1 }
                   request q { if (X > 1) { A := 1; yield; t := A; A := 0; t } else { 1 } }";
    let path = file(&folder("bad_input_rules"), "beyond.ser", program);
    let output = ser(&["check", &path, "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(answer["verdict"], "not_serializable", "{answer}");
    assert_eq!(answer["counterexample"]["requests"], 4, "{answer}");
}

/// Names, comments and file names come from strangers: they must not clear the screen and paint
/// another verdict.
#[test]
fn strangers_cannot_paint_a_verdict() {
    let paint = "\u{1b}[2J\u{1b}[Hp.json: serializable\u{1b}[8m";
    let assert_harmless = |output: &Output| {
        let text = format!("{}{}", output.stdout, output.stderr);
        for steering in ["\u{1b}[2J", "\u{1b}[H", "\u{1b}[8m", "\u{202e}", "\u{9b}", "\r"] {
            assert!(!text.contains(steering), "{steering:?} in {text:?}");
        }
        assert!(!text.lines().any(|line| line.starts_with("p.json: serializable")), "{text}");
    };
    let folder = folder("bad_input_paint");
    let escaped = |text: &str| serde_json::to_string(text).expect("JSON");
    for name in [paint.to_owned(), "0\np.json: serializable".to_owned(), "0\u{9b}2J".to_owned()] {
        let system = format!(
            r#"{{"initial_global": "g", "requests": [["a", "s"]], "responses": [["d", {}], ["e", "1"]],
               "transitions": [["s", "g", "m", "h"], ["m", "h", "d", "g"], ["s", "h", "e", "h"]]}}"#,
            escaped(&name)
        );
        let path = file(&folder, "p.json", system);
        for command in ["check", "show"] {
            let output = ser(&["--color", "always", command, &path]);
            assert_harmless(&output);
            assert_input_error(&output, &["control character", "help"]);
        }
    }
    // Marks in names, escape sequences in comments and in the names of files and fields.
    let system = r#"{"initial_global": "g", "requests": [["a\u202e", "s"]], "responses": [["d", "0"], ["e", "1"]],
        "transitions": [["s", "g", "m", "h"], ["m", "h", "d", "g"], ["s", "h", "e", "h"]]}"#;
    let program =
        format!("request a {{ X := 1; /* {paint} \u{202e} */ yield; y := X; X := 0; y }}");
    let field = format!(r#"{{"initial_global": "g", {}: 1, "requests": [["a"]]}}"#, escaped(paint));
    for (name, text) in [
        ("marks.json", system),
        ("p.ser", &program),
        ("q\u{1b}[2J\u{202e}.ser", &program),
        ("f.json", &field),
    ] {
        let path = file(&folder, name, text);
        for command in ["check", "show"] {
            assert_harmless(&ser(&["--color", "always", command, &path]));
        }
    }
    let shown = ser(&["--color", "always", "check", &file(&folder, "p.ser", &program)]);
    assert!(shown.stdout.contains("[U+001B][2J"), "{shown:?}");
    assert!(shown.stdout.contains("\u{1b}[1m"), "our own colours are there: {shown:?}");
}
