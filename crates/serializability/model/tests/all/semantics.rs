//! What programs mean, in tables: values, steps, local states, footprints, JSON.

use ser_base::{Limits, Stop};
use ser_model::{
    ExploreError, NetworkSystem, ProgramModel, RequestId, ResponseId, Trend, read_json, write_json,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn model(text: &str) -> Result<ProgramModel, ExploreError> {
    model_within(text, &Limits::default())
}

fn model_within(text: &str, limits: &Limits) -> Result<ProgramModel, ExploreError> {
    let parse = ser_syntax::parse(text);
    assert!(!parse.has_errors(), "{text}\n{:?}", parse.diagnostics);
    ProgramModel::new(&parse.program, text, limits)
}

fn system(text: &str) -> NetworkSystem {
    model(text).unwrap_or_else(|e| panic!("{text}\n{e}")).system().clone()
}

/// All ways in which one request of this label may run alone from the initial global state:
/// its response, and the global state that it leaves behind.
fn runs_of(system: &NetworkSystem, label: &str) -> BTreeSet<(String, String)> {
    let starts = system.spawns().iter().filter(|(r, _)| system.request_name(*r) == label);
    let mut open: Vec<_> = starts.map(|(_, l)| (*l, system.initial_global())).collect();
    let mut seen: BTreeSet<_> = open.iter().copied().collect();
    let mut found = BTreeSet::new();
    while let Some((local, global)) = open.pop() {
        for response in system.replies_of(local) {
            found.insert((system.response_name(response).to_owned(), system.global_name(global)));
        }
        for step in system.steps_at(local, global) {
            if seen.insert((step.to, step.after)) {
                open.push((step.to, step.after));
            }
        }
    }
    found
}

/// The responses of a handler with this body, sorted as text, in one string.
fn responses(body: &str) -> String {
    let system = system(&format!("request main {{ {body} }}"));
    let found: BTreeSet<String> = runs_of(&system, "main").into_iter().map(|(r, _)| r).collect();
    found.into_iter().collect::<Vec<_>>().join(" ")
}

fn assert_responses(table: &[(&str, &str)]) {
    for (body, expected) in table {
        assert_eq!(responses(body), *expected, "`{body}`");
    }
}

#[test]
fn every_expression_has_a_value() {
    assert_responses(&[
        ("", "0"),
        ("5", "5"),
        ("-3", "-3"),
        ("1; 2; 3", "3"),
        ("X", "0"),
        ("x", "0"),
        ("X := 3", "3"),
        ("x := 3", "3"),
        ("X := (x := 4)", "4"),
        ("yield", "0"),
        ("while (0) { 1 }", "0"),
        ("x := 2; while (x > 0) { x := x - 1; 7 }", "0"),
        ("if (1) { 7 }", "7"),
        ("if (0) { 7 }", "0"),
        ("if (2) { 7 } else { 8 }", "7"),
        ("if (0) { 7 } else { 8 }", "8"),
        ("if (0) { 7 } else if (1) { 8 } else { 9 }", "8"),
        ("if (0) { 7 } else if (0) { 8 }", "0"),
        ("assume(1)", "0"),
        ("(X := 1; X + 1)", "2"),
        ("7 - 2 * 3", "1"),
        ("(7 - 2) * 3", "15"),
        ("10 - 3 - 2", "5"),
        ("2 < 3", "1"),
        ("3 <= 2", "0"),
        ("3 > 2", "1"),
        ("2 >= 3", "0"),
        ("2 == 2", "1"),
        ("2 != 2", "0"),
        ("!0", "1"),
        ("!5", "0"),
        ("not 0", "1"),
    ]);
}

#[test]
fn truth_values_are_0_and_1() {
    assert_responses(&[
        ("1 && 5", "1"),
        ("0 && 5", "0"),
        ("5 && 0", "0"),
        ("0 || 7", "1"),
        ("7 || 0", "1"),
        ("0 || 0", "0"),
        ("2 and 3", "1"),
        ("0 or 3", "1"),
    ]);
}

#[test]
fn the_right_side_is_evaluated_only_where_it_matters() {
    assert_responses(&[
        ("0 && (X := 5); X", "0"),
        ("1 && (X := 5); X", "5"),
        ("1 || (X := 5); X", "0"),
        ("0 || (X := 5); X", "5"),
        ("0 && ?", "0"),
        ("1 || assume(0)", "1"),
        ("0 && (return 9); 1", "1"),
    ]);
}

#[test]
fn operands_are_evaluated_from_left_to_right() {
    assert_responses(&[
        ("(X := 1) + (X := 2) * 10; X", "2"),
        ("X + (X := 1)", "1"),
        ("(X := 1) + X", "2"),
        ("(x := 1; x) - (x := 5; x)", "-4"),
        ("x := 1; x := x + (x := 10)", "11"),
    ]);
}

#[test]
fn choices_go_through_all_their_values() {
    assert_responses(&[
        ("?", "0 1"),
        ("? + ?", "0 1 2"),
        ("choose(2..4)", "2 3 4"),
        ("choose(-1..1)", "-1 0 1"),
        ("choose(7..7)", "7"),
        ("x := ?; x - x", "0"),
        ("if (?) { 5 } else { 6 }", "5 6"),
        ("while (?) { x := 1 }; x", "0 1"),
    ]);
}

#[test]
fn assume_leaves_out_the_paths_where_it_is_false() {
    assert_responses(&[
        ("assume(0); 3", ""),
        ("assume(X == 1); 3", ""),
        ("assume(?); 3", "3"),
        ("x := choose(0..5); assume(x > 3); x", "4 5"),
        ("X := 1; yield; assume(X == 1); 3", "3"),
        ("X := 1; yield; assume(X == 0); 3", ""),
    ]);
}

#[test]
fn a_step_that_runs_in_circles_contributes_nothing() {
    assert_responses(&[
        ("while (1) { }", ""),
        ("while (1) { x := 1 - x }", ""),
        ("if (?) { while (1) { X := 1 - X } }; 3", "3"),
        ("while (x < 3) { if (?) { x := x + 1 } }; x", "3"),
        ("while (1) { if (?) { return 4 } }", "4"),
        ("while (1) { yield }", ""),
    ]);
    // A loop with `yield` is a step for every round.
    let waits = system("request main { while (X == 0) { yield } } request go { X := 1 }");
    assert!(waits.steps().iter().any(|s| s.from == s.to && s.before == s.after));
}

#[test]
fn return_ends_a_handler_anywhere() {
    assert_responses(&[
        ("return 4; 5", "4"),
        ("return; 5", "0"),
        ("if (?) { return 1 }; 2", "1 2"),
        ("while (1) { x := x + 1; if (x == 3) { return x } }", "3"),
        ("while (1) { yield; x := x + 1; if (x == 3) { return x } }", "3"),
        ("X + (return 8)", "8"),
    ]);
}

#[test]
fn globals_start_at_0_or_at_their_initial_value() {
    for (text, response) in [
        ("A := 100 request main { A + B }", "100"),
        ("const N = 3 A := N + 1 request main { A * N }", "12"),
        ("A := -2 request main { A }", "-2"),
        ("A := 7 request main { A := 15 - A; A }", "8"),
    ] {
        let runs = runs_of(&system(text), "main");
        assert_eq!(runs.first().map(|(r, _)| r.as_str()), Some(response), "{text}");
    }
    let bank = system("A := 100 B := 50 request main { A + B }");
    assert_eq!(bank.global_name(bank.initial_global()), "A=100,B=50");
}

#[test]
fn every_combination_of_parameters_is_a_request() {
    let two = system("request p(a in 0..1, b in 2..3) { 10 * a + b }");
    assert_eq!(two.requests(), ["p(0,2)", "p(0,3)", "p(1,2)", "p(1,3)"]);
    for (label, response) in [("p(0,2)", "2"), ("p(0,3)", "3"), ("p(1,2)", "12"), ("p(1,3)", "13")]
    {
        let runs = runs_of(&two, label);
        assert_eq!(runs.iter().map(|(r, _)| r.as_str()).collect::<Vec<_>>(), [response], "{label}");
    }
    let negative = system("request p(a in -1..0) { X := a } request q { X }");
    assert_eq!(negative.requests(), ["p(-1)", "p(0)", "q"]);
    // A parameter that is never read makes labels, but no states.
    let unread = system("request p(a in 0..9) { 1 }");
    assert_eq!((unread.requests().len(), unread.local_count()), (10, 2));
}

/// The names of the local states in which requests pause after their first step.
fn pauses(text: &str) -> Vec<String> {
    let system = system(text);
    let starts: BTreeSet<_> = system.spawns().iter().map(|(_, l)| *l).collect();
    let mut names: Vec<String> = system
        .steps()
        .iter()
        .filter(|s| system.replies_of(s.to).next().is_none() && !starts.contains(&s.to))
        .map(|s| system.local_name(s.to).to_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn dead_variables_are_forgotten() {
    assert_eq!(pauses("request main { x := ?; yield; x }").len(), 2);
    assert_eq!(pauses("request main { x := ?; yield; 0 }").len(), 1);
    assert_eq!(pauses("request main { x := ?; yield; x := 5; x }").len(), 1);
    assert_eq!(pauses("request main { x := ?; y := ?; yield; if (x) { y } else { 0 } }").len(), 4);
    assert_eq!(pauses("request main(p in 0..4) { X := 1; yield; 0 }").len(), 1);
    assert_eq!(pauses("request main(p in 0..4) { X := 1; yield; p }").len(), 5);
}

#[test]
fn the_end_of_a_loop_is_its_beginning() {
    // Waiting at the start is being at the start.
    let lock = system("request take { while (L == 1) { yield }; L := 1 } request give { L := 0 }");
    assert_eq!(lock.local_count(), 4, "two starts, done(1), done(0)");
    assert_eq!(pauses("request main { while (X == 0) { yield }; X }").len(), 0);
    assert_eq!(pauses("request main { Y := 1; while (X == 0) { yield }; X }").len(), 1);
    assert_eq!(pauses("request main { Y := 1; yield; while (X == 0) { yield }; X }").len(), 1);
}

#[test]
fn a_yield_inside_an_operand_remembers_the_rest() {
    let text = "request main { X + (yield; X) } request set { X := 1 }";
    assert_eq!(pauses(text), ["main@1:28[0]", "main@1:28[1]"]);
    let responses: BTreeSet<String> = system(text).responses().iter().cloned().collect();
    assert_eq!(responses, ["0", "1", "2"].map(String::from).into());
    // The old value is on the left: 0 and then 1 can happen.
    let order = system("request main { 2 * X - (yield; X) } request set { X := 1 }");
    assert!(order.responses().contains(&"-1".to_owned()));
}

/// The footprints of all steps, as `reads X=0 writes Y=1`.
fn footprints(text: &str) -> Vec<String> {
    let system = system(text);
    let mut all: Vec<String> = system
        .steps()
        .iter()
        .map(|step| {
            let footprint = system.footprint(step.footprint);
            let list = |entries: &[(ser_model::VariableId, i64)]| -> String {
                let name = |v: &ser_model::VariableId| &system.variables()[v.index()].name;
                entries.iter().map(|(v, x)| format!(" {}={x}", name(v))).collect()
            };
            // What a footprint promises is true of the step itself.
            let (before, after) = (system.valuation(step.before), system.valuation(step.after));
            for (v, x) in &footprint.reads {
                assert_eq!(before[v.index()], *x);
            }
            for (i, value) in after.iter().enumerate() {
                let written = footprint.writes.iter().find(|(v, _)| v.index() == i);
                assert_eq!(*value, written.map_or(before[i], |(_, x)| *x));
            }
            format!("reads{} writes{}", list(&footprint.reads), list(&footprint.writes))
        })
        .collect();
    all.sort();
    all.dedup();
    all
}

#[test]
fn footprints_say_what_a_step_depends_on_and_leaves_behind() {
    let table: &[(&str, &[&str])] = &[
        ("request main { 0 }", &["reads writes"]),
        ("request main { X }", &["reads X=0 writes"]),
        ("request main { X := 1 }", &["reads writes X=1"]),
        // Written before it is read: the step does not depend on it.
        ("request main { X := 1; Y := X }", &["reads writes X=1 Y=1"]),
        // The last write counts.
        ("request main { X := 1; X := 2; 0 }", &["reads writes X=2"]),
        // A write of the same value is a write.
        ("request main { X := X }", &["reads X=0 writes X=0"]),
        ("request main { X := 1 - X }", &["reads X=0 writes X=1", "reads X=1 writes X=0"]),
        // Only the branch that is taken reads.
        (
            "request main { if (X == 0) { Y := 1 } else { Z } } request set { X := 1 }",
            &["reads X=0 writes Y=1", "reads X=1 Z=0 writes", "reads writes X=1"],
        ),
        ("request main { 0 && X }", &["reads writes"]),
        // Each step has its own.
        (
            "request main { X := 1; yield; y := X; X := 0; y }",
            &["reads X=0 writes X=0", "reads X=1 writes X=0", "reads writes X=1"],
        ),
        // What a choice leads to is a step of its own.
        (
            "request main { if (?) { X := 1 } else { Y := 1 } }",
            &["reads writes X=1", "reads writes Y=1"],
        ),
    ];
    for (text, expected) in table {
        assert_eq!(footprints(text), *expected, "{text}");
    }
}

/// A system as sets of names, without the numbers of states.
type ByName = (String, BTreeSet<[String; 2]>, BTreeSet<[String; 2]>, BTreeSet<[String; 4]>);

fn by_name(system: &NetworkSystem) -> ByName {
    let local = |l| system.local_name(l).to_owned();
    let spawns =
        system.spawns().iter().map(|(r, l)| [system.request_name(*r).to_owned(), local(*l)]);
    let replies =
        system.replies().iter().map(|(l, r)| [local(*l), system.response_name(*r).to_owned()]);
    let steps = system.steps().iter().map(|s| {
        [local(s.from), system.global_name(s.before), local(s.to), system.global_name(s.after)]
    });
    let initial = system.global_name(system.initial_global());
    (initial, spawns.collect(), replies.collect(), steps.collect())
}

#[test]
fn json_that_is_written_can_be_read_back() {
    for text in [
        "request main { X := 1; yield; y := X; X := 0; y }",
        "request main { yield; ? }",
        "A := 5 request put(p in 0..2) { A := p; yield; A } request get { A }",
        "request main { while (X == 0) { yield }; X } request go { X := 1 }",
        "request main { X + (yield; Y) } request set { X := 1 - X; Y := 1 }",
        "request never { while (1) { yield } } request main { 1 }",
        "request blocked { assume(0); 1 }",
    ] {
        let written = system(text);
        let json = write_json(&written).to_string();
        let read = read_json(&json).unwrap_or_else(|e| panic!("{text}\n{json}\n{e}"));
        assert_eq!(by_name(&read), by_name(&written), "{text}");
        // And again, now from JSON.
        let again = read_json(&write_json(&read).to_string()).unwrap();
        assert_eq!(by_name(&again), by_name(&read), "{text}");
    }
}

#[test]
fn json_may_carry_comments_and_declarations() {
    let text = r#"{ "_comment": "a lamp", "$schema": "none", "globals": ["Off", "On", "Broken"],
        "locals": ["s", "d", "unused"], "initial_global": "Off", "requests": [["flip", "s"]],
        "responses": [["d", "ok"]], "transitions": [["s", "Off", "d", "On"]] }"#;
    let lamp = read_json(text).unwrap();
    assert_eq!(lamp.requests(), ["flip"]);
    assert_eq!(lamp.globals().len(), 2, "only states that are mentioned");
    assert!(read_json(&format!("\u{feff}{text}")).is_ok(), "a byte-order mark");
}

/// A good system with one field replaced or added.
fn with(field: &str, value: &str) -> String {
    let mut fields = vec![
        ("initial_global", r#""A""#),
        ("requests", r#"[["r", "s"]]"#),
        ("responses", r#"[["d", "ok"]]"#),
        ("transitions", r#"[["s", "A", "d", "B"]]"#),
    ];
    match fields.iter_mut().find(|(name, _)| *name == field) {
        Some(entry) => entry.1 = value,
        None => fields.push((field, value)),
    }
    let rows: Vec<String> = fields.iter().map(|(k, v)| format!(r#""{k}": {v}"#)).collect();
    format!("{{{}}}", rows.join(", "))
}

/// What is not evaluated after `abort` stands on both sides of it.
#[test]
fn abort_ends_the_request_wherever_it_stands() {
    assert_responses(&[
        ("abort", "abort"),
        ("abort; 1", "abort"),
        ("x := abort; 1", "abort"),
        ("1 + (yield; abort)", "abort"),
        ("return abort", "abort"),
        ("if (abort) { 1 } else { 2 }", "abort"),
        ("while (abort) { yield }", "abort"),
        ("assume(abort)", "abort"),
        ("? && abort", "0 abort"),
        ("if (?) { abort }; 7", "7 abort"),
    ]);
    let system = system("request main { X := 1; yield; if (?) { abort }; X := 0; X }");
    let left: Vec<(&str, &str)> = vec![("0", "X=0"), ("abort", "X=1")];
    let expected = left.into_iter().map(|(r, g)| (r.to_owned(), g.to_owned())).collect();
    assert_eq!(runs_of(&system, "main"), expected, "nothing is taken back");
}

/// Requests and responses that do not count.
fn free(system: &NetworkSystem) -> Vec<String> {
    let name = |(request, response): &(RequestId, ResponseId)| {
        format!("{}/{}", system.request_name(*request), system.response_name(*response))
    };
    system.free().iter().map(name).collect()
}

#[test]
fn whoever_may_abort_is_free_and_nobody_else() {
    let text = "request a { abort } request b(n in 0..2) { if (n == 1) { yield; abort }; n }
                request c { 5 } request d { if (0) { abort }; X }";
    let system = system(text);
    assert_eq!(free(&system), ["a/abort", "b(1)/abort"]);
    let counts = |(i, name): (usize, &String)| {
        assert_eq!(system.counts(ResponseId::from_index(i)), name != "abort", "{name}");
    };
    system.responses().iter().enumerate().for_each(counts);
    // In a system as in a program; steps count, whatever global states they need.
    let text = r#"{ "initial_global": "A", "requests": [["q", "s"], ["r", "e"], ["t", "x"]],
        "responses": [["e", "busy"], ["e", "ok"], ["x", "ok"], ["x", "late"]],
        "transitions": [["s", "A", "m", "A"], ["m", "Z", "e", "A"]],
        "uncounted": ["late", "busy"] }"#;
    let system = read_json(text).expect("a system");
    assert_eq!(free(&system), ["q/busy", "r/busy", "t/late"]);
    let again = read_json(&write_json(&system).to_string()).expect("what was written");
    assert_eq!(write_json(&again), write_json(&system));
    assert_eq!(free(&again), free(&system));
    let counted = read_json(&text.replace(r#""late", "busy""#, "")).expect("a system");
    assert!(counted.free().is_empty());
    assert!(write_json(&counted).get("uncounted").is_none());
}

#[test]
fn errors_in_json_name_their_place() {
    assert!(read_json(&with("_", "0")).is_ok());
    let table = [
        (with("initial_global", "7"), "initial_global: expected a string, found the number 7"),
        (
            with("initial_global", "true"),
            "initial_global: expected a string, found the truth value true",
        ),
        (with("requests", "{}"), "requests: expected a list, found an object"),
        (with("requests", "[]"), "requests: there is no request, so nothing ever runs"),
        (
            with("requests", r#"[["r"]]"#),
            "requests[0]: expected 2 strings [request, local state], found 1",
        ),
        (with("responses", r#"[["d", null]]"#), "responses[0][1]: expected a string, found null"),
        (
            with("responses", r#"[["", "ok"]]"#),
            "responses[0][0]: expected a name, found an empty string",
        ),
        (with("transitions", r#""x""#), r#"transitions: expected a list, found the string "x""#),
        (
            with("transitions", "[[]]"),
            "transitions[0]: expected 4 strings [local state, global state, local state after, \
             global state after], found 0",
        ),
        (
            with("globals", r#"["A"]"#),
            "transitions[0][3]: the global state `B` is not declared: `globals` does not list it",
        ),
        (
            with("locals", r#"["s"]"#),
            "transitions[0][2]: the local state `d` is not declared: `locals` does not list it",
        ),
        (with("globals", "3"), "globals: expected a list, found the number 3"),
        (with("uncounted", "true"), "uncounted: expected a list, found the truth value true"),
        (with("uncounted", r#"["ok", 1]"#), "uncounted[1]: expected a string, found the number 1"),
        (with("uncounted", r#"["okay"]"#), "uncounted[0]: there is no response `okay`"),
        (
            "[]".into(),
            "line 1, column 1: expected an object with the fields of a network system, found a list",
        ),
        (
            "{\n  \"requests\": [".into(),
            "line 2, column 15: the file ends in the middle of a value",
        ),
        (r#"{"a": 1} x"#.into(), "line 1, column 10: there is more after the end of the system"),
    ];
    for (text, message) in table {
        let error = read_json(&text).expect_err(&text);
        assert_eq!(error.to_string(), message, "{text}");
    }
    assert_eq!(read_json(" \n ").unwrap_err().message, "the file is empty");
}

#[test]
fn what_is_odd_in_json_is_a_warning() {
    let table = [
        (
            with("requests", r#"[["r", "s"], ["r", "s"]]"#),
            "requests[1]: this entry repeats requests[0]",
            Some("remove it"),
        ),
        (
            with("uncounted", r#"["ok", "ok"]"#),
            "uncounted[1]: the response `ok` is listed twice",
            Some("remove it"),
        ),
        (
            with("responses", r#"[["d", "ok"], ["dd", "ok"]]"#),
            "responses[1][0]: the local state `dd` plays no part: no request starts in it and no \
             transition mentions it",
            Some("did you mean `d`?"),
        ),
        (
            with("initial_global", r#""C""#),
            "initial_global: the global state `C` plays no part: no transition mentions it",
            None,
        ),
    ];
    for (text, message, help) in table {
        let mut warnings = Vec::new();
        ser_model::read_json_leniently(&text, &mut warnings).expect("a system");
        let [warning] = warnings.as_slice() else { panic!("{text}: {warnings:?}") };
        assert_eq!(warning.to_string(), message, "{text}");
        assert_eq!(warning.help.as_deref(), help, "{text}");
    }
}

#[test]
fn errors_in_json_come_with_help_where_there_is_any() {
    const FIELDS: &str = "the fields are initial_global, requests, responses, transitions";
    let table = [
        ("{}".into(), "initial_global: this field is missing", FIELDS),
        (with("extra", "[]"), "extra: unknown field", FIELDS),
        (with("request", "[]"), "request: unknown field", "did you mean `requests`?"),
        (
            "{ // the system\n}".into(),
            "line 1, column 3: expected the name of a field, in double quotes",
            "JSON has no comments; a field whose name starts with `_` is one",
        ),
    ];
    for (text, message, help) in table {
        let error = read_json(&text).expect_err(&text);
        assert_eq!(error.to_string(), message, "{text}");
        assert_eq!(error.help.as_deref(), Some(help), "{text}");
    }
}

#[test]
fn what_has_no_end_is_given_up_with_a_reason() {
    let grows = model("request main { X := X + 1 }").unwrap_err();
    let ExploreError::TooManyStates { growing: Some(growing), .. } = &grows else {
        panic!("{grows:?}")
    };
    assert_eq!((growing.variable.as_str(), growing.values.as_slice()), ("X", &[0, 1, 2][..]));
    assert!(growing.span.is_some());

    let endless = model("request main { while (1) { x := x + 2 } }").unwrap_err();
    let ExploreError::EndlessStep { growing: Some(growing), .. } = &endless else {
        panic!("{endless:?}")
    };
    assert_eq!((growing.variable.as_str(), growing.values.as_slice()), ("x", &[2, 4, 6][..]));

    let overflow = model("X := 2 request main { X := X * X }").unwrap_err();
    assert!(matches!(overflow, ExploreError::Overflow { .. }), "{overflow:?}");
}

/// Only with a run that shows it, with its direction and the line that does it.
#[test]
fn what_keeps_growing_or_falling_is_shown_by_a_run() {
    let few = Limits { max_states: 2000, ..Limits::default() };
    let cases = [
        ("request a { X := X + 1; yield }", Some(("X", [0, 1, 2], Trend::Grows, "X := X + 1"))),
        ("request a { X := X - 2; yield }", Some(("X", [0, -2, -4], Trend::Falls, "X := X - 2"))),
        // Another assignment comes first in the source, and does not do it.
        (
            "request a { X := X - X; yield; X } request b { y := X; Z := Z - y - 1; yield }
             request c { Z := Z + 0; yield }",
            Some(("Z", [0, -1, -2], Trend::Falls, "Z := Z - y - 1")),
        ),
        // Two steps for each round.
        (
            "request a { while (1) { x := x + 3; yield; x := x - 1; yield } }",
            Some(("x", [3, 5, 7], Trend::Grows, "x := x + 3")),
        ),
        // Tickets grow, and who is served follows.
        (
            "request a { t := N; N := t + 1; while (S != t) { yield }; yield; S := t + 1; t }",
            Some(("N", [0, 1, 2], Trend::Grows, "N := t + 1")),
        ),
        // Many values, and an end.
        ("request a { x := X; yield; if (x < 3000) { X := x + 1 }; x }", None),
        ("const K = 60 request a { if (X < K * K) { X := X + 1 }; yield; X }", None),
    ];
    for (text, expected) in cases {
        let error = model_within(text, &few).unwrap_err();
        let ExploreError::TooManyStates { growing: Some(growing), .. } = &error else {
            panic!("{text}: {error:?}")
        };
        let Some((variable, values, trend, assignment)) = expected else {
            assert!(!growing.is_shown(), "{text}: {error}");
            continue;
        };
        let found = (growing.variable.as_str(), growing.values.as_slice(), growing.trend);
        assert_eq!(found, (variable, &values[..], trend), "{text}");
        let span = growing.span.expect("an assignment");
        assert_eq!(&text[span.start as usize..span.end as usize], assignment, "{text}");
    }
}

/// What a program conserves does not grow, however the requests stand.
#[test]
fn money_under_a_lock_is_conserved() {
    let text = "A := 2 request transfer(up in 0..1) {
        while (Lock) { yield };
        if (up && A == 0 || !up && B == 0) { return 0 };
        Lock := 1; yield;
        if (up) { A := A - 1 } else { B := B - 1 }; yield;
        if (up) { B := B + 1 } else { A := A + 1 }; Lock := 0; 1 }";
    let model = model(text).expect("finitely many states");
    let system = model.system();
    let sums = system.globals().map(|g| system.valuation(g)[0] + system.valuation(g)[2]);
    assert!(system.variables()[0].name == "A" && system.variables()[2].name == "B");
    assert_eq!(sums.collect::<std::collections::BTreeSet<_>>(), [1, 2].into());
}

/// `X` has an end, only not within the limits.
#[test]
fn a_variable_that_keeps_within_the_numbers_of_the_program_is_not_blamed() {
    let few = Limits { max_states: 2000, ..Limits::default() };
    let bounded = "request a { x := X; yield; if (x < 3000) { X := x + 1 }; x }";
    let error = model_within(bounded, &few).unwrap_err();
    let said = error.to_string();
    assert!(
        said.starts_with("the program has too many states: more than 2,000 states; `X` has taken ")
    );
    assert!(said.ends_with(" values so far"), "{said}");
    let unbounded = bounded.replace("if (x < 3000) { X := x + 1 }", "X := x + 1");
    let error = model_within(&unbounded, &few).unwrap_err();
    assert!(error.to_string().starts_with("`X` keeps growing: 0, 1, 2, ...; "), "{error}");
}

/// Counting requests in flight bounds what a single look at pairs of states would not.
#[test]
fn what_goes_up_and_down_again_is_finite() {
    let semaphore = "request work {
        assume(N < 2); N := N + 1; yield; crowded := N > 2; N := N - 1; crowded }";
    let system = system(semaphore);
    let globals: BTreeSet<String> = system.globals().map(|g| system.global_name(g)).collect();
    assert_eq!(globals, ["N=0", "N=1", "N=2"].map(String::from).into());
}

#[test]
fn limits_are_kept() {
    // 2^12 global states.
    let flips: String = (0..12).map(|i| format!("request r{i} {{ G{i} := 1 - G{i} }}\n")).collect();
    assert!(model(&flips).is_ok());
    let stop = |limits: Limits| match model_within(&flips, &limits) {
        Err(ExploreError::TooManyStates { stop, growing: None }) => stop,
        other => panic!("{other:?}"),
    };
    let few = Limits { max_states: 1000, ..Limits::default() };
    assert_eq!(stop(few), Stop::States { limit: 1000 });
    let small = Limits { max_bytes: 100_000, ..Limits::default() };
    assert_eq!(stop(small), Stop::Memory { limit: 100_000 });
    let late = Limits::default().with_timeout(Duration::ZERO);
    assert_eq!(stop(late), Stop::Time { limit: Duration::ZERO });
    let cancelled = Limits { cancel: Some(Arc::new(AtomicBool::new(true))), ..Limits::default() };
    assert_eq!(stop(cancelled), Stop::Cancelled);
}

#[test]
fn warnings_that_only_the_semantics_can_give() {
    let codes = |text: &str| -> Vec<&str> {
        model(text).unwrap().warnings(text).iter().map(|w| w.code).collect()
    };
    assert!(codes("request main { X := 1; yield; X }").is_empty());
    assert_eq!(codes("request main { if (X == 1) { yield }; X }"), ["unreached-yield"]);
    assert_eq!(codes("request main { while (1) { yield } }"), ["never-completes"]);
    assert_eq!(codes("request main(p in 0..1) { assume(0); p }"), ["never-completes"]);
    assert!(codes("request main(p in 0..1) { assume(p); p }").is_empty(), "one of its labels does");
}

/// Certificates name states, so whoever explores a program must get the same system, whatever
/// limit is set; or none at all.
#[test]
fn the_system_does_not_depend_on_the_limit() {
    let programs = [
        // Pairs of states do not see that nobody leaves without having entered.
        "request r { assume(N < 2); N := N + 1; yield; if (N > -400) { N := N - 1 }; 0 }",
        "request r { assume(N < 5); N := N + 1; yield; N := N - 1 }",
        "request r { x := X; yield; X := 1 - x }",
    ];
    for text in programs {
        let parse = ser_syntax::parse(text);
        let explore = |max_states| {
            let limits = Limits { max_states, ..Limits::default() };
            ProgramModel::new(&parse.program, text, &limits).ok().map(|m| m.system().clone())
        };
        let whole = explore(100_000).expect("finitely many states");
        let mut explored = 0;
        for max_states in [0, 1, 5, 20, 100, 500, 900, 1_100, 5_000, 20_000] {
            if let Some(system) = explore(max_states) {
                explored += 1;
                assert!(system == whole, "{text} with at most {max_states} states");
            }
        }
        assert!(explored > 0, "{text}");
    }
}

/// The values of operands are kept while others are computed, whatever functions these call.
#[test]
fn operands_are_kept_until_they_are_needed() {
    let all = |text: &str| system(text).responses().join(" ");
    let functions = "fn first() { -1 }
        fn second() { var v: [0..1] of bool = false; (v, v[1]) := ([true, false], false); 2 }
        fn third(a) { x := a; yield; x }
        fn both(a, b) { a * 10 + b } ";
    assert_eq!(all(&format!("{functions} request r {{ first() / second() }}")), "-1");
    assert_eq!(all(&format!("{functions} request r {{ both(1, both(2, 3)) }}")), "33");
    assert_eq!(all(&format!("{functions} request r {{ third(1) * 10 + third(2) }}")), "12");
    assert_eq!(all(&format!("{functions} request r {{ max(third(1), third(2)) }}")), "2");
    let ends = "request r { n := 0; v := [2, 2]; for i in (-(v[0]))..third(1) { n := n + 1 }; n }";
    assert_eq!(all(&format!("{functions} {ends}")), "4");
}

/// A branch of the body of `with` that gives nothing frees the lock, too.
#[test]
fn every_way_out_frees_the_lock() {
    for body in [
        "if ? { }",
        "if ? { } else { 1 }",
        "choose { } or { Y }",
        "{ }",
        "match Y { 0 => { }, _ => 2 }",
    ] {
        let body = if body == "{ }" { String::new() } else { body.to_owned() };
        let system = system(&format!("lock L request r {{ with L {{ {body} }} }}"));
        assert_eq!(system.globals().len(), 1, "{body}");
    }
}
