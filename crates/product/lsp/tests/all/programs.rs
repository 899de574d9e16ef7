//! Every feature, at the level of the protocol.

use crate::client::{Client, edited, example, find, modern, strings};
use ser_lsp::Host;
use ser_report::{Answer, Kind, Source};
use ser_session::method::{Context, Wants};
use serde_json::{Value, json};

const URI: &str = "file:///project/count.ser";

/// Not serializable: the first pause is to blame, the second one only waits.
const RACY: &str = "\
const LAST = 2
Free := 1

// takes a number
request take(step in 1..1) {
    seen := Count;
    yield;
    if (seen < LAST) { Count := seen + step };
    seen
}

request look {
    while (Free == 0) { yield };
    Free
}
";

const HARMLESS: &str = "\
request lock {
    while (Held == 1) { yield };
    Held := 1;
    yield;
    Held := 0;
    7
}
";

fn opened(text: &str) -> Client {
    let mut client = Client::new();
    client.open(URI, text);
    client.verdict(URI, 1);
    client
}

#[test]
fn a_program_that_breaks_is_a_warning_on_the_pause_with_the_interleaving() {
    let mut client = opened(RACY);
    let verdict = client.verdict(URI, 1);
    assert_eq!(verdict["verdict"], "not_serializable");
    assert!(verdict["summary"].as_str().unwrap().contains("no serial order"));
    let diagnostics = client.diagnostics(URI);
    let found = diagnostics.as_array().unwrap().iter().find(|d| d["code"] == "not-serializable");
    let found = found.expect("a warning");
    assert_eq!(found["severity"], 2);
    assert_eq!(found["source"], "ser");
    assert_eq!(found["range"]["start"], find(RACY, "yield;", 0));
    let steps = found["relatedInformation"].as_array().unwrap();
    assert!(steps.len() >= 3, "{steps:?}");
    assert!(
        steps[0]["message"].as_str().unwrap().starts_with("1. #1 take(1) arrives, reads Count = 0")
    );
    assert_eq!(steps[0]["location"]["uri"], URI);

    let run = client.request("ser/interleaving", json!({"uri": URI}));
    let told = run["steps"].as_array().unwrap();
    assert!(told.len() == 4 && told.len() < steps.len(), "why comes after how: {steps:?}");
    assert_eq!(run["version"], 1);

    // Who is to blame takes more checks, and follows.
    let told = |c: &Client| c.diagnostics(URI).to_string().contains("Without this `yield`");
    client.until(|c| told(c) || c.diagnostics(URI).to_string().contains("without it"));
    client.close();
}

#[test]
fn a_client_without_related_information_gets_the_interleaving_in_the_message() {
    let mut client = Client::with(Host::default(), json!({"capabilities": {}}));
    client.open(URI, RACY);
    client.verdict(URI, 1);
    let diagnostics = client.diagnostics(URI);
    let found = diagnostics.as_array().unwrap().iter().find(|d| d["code"] == "not-serializable");
    let message = found.expect("a warning")["message"].as_str().unwrap();
    assert!(message.contains("\nline 6: 1. #1 take(1) arrives"), "{message}");
    client.close();
}

#[test]
fn a_proved_program_has_no_diagnostics_and_harmless_pauses() {
    let mut client = opened(HARMLESS);
    assert_eq!(client.verdict(URI, 1)["verdict"], "serializable");
    assert_eq!(client.diagnostics(URI), json!([]));
    let hints = client.hints(URI);
    assert_eq!(strings(&hints, "label"), ["harmless", "harmless"]);
    let titles: Vec<String> = client.lenses(URI).into_iter().map(|(_, title, _)| title).collect();
    assert_eq!(
        titles,
        ["serializable: every yield point is harmless", "serializable: its 2 pauses are harmless"]
    );
    client.close();
}

#[test]
fn hints_name_the_line_that_races() {
    let mut client = opened(RACY);
    let hints = client.hints(URI);
    let labels = strings(&hints, "label");
    assert!(
        labels[0].starts_with("races with line") && labels[0].contains("(Count)"),
        "{labels:?}"
    );
    // `Free` is never 0, and only the model knows.
    assert_eq!(labels[1], "never reached");
    assert_eq!(hints[0]["position"], json!({"line": 6, "character": 9}));

    let some = json!({"start": {"line": 0, "character": 0}, "end": {"line": 7, "character": 0}});
    let params = json!({"textDocument": {"uri": URI}, "range": some});
    let hints = client.request("textDocument/inlayHint", params);
    assert_eq!(strings(&hints, "label").len(), 1, "only those that are visible");
    client.close();
}

#[test]
fn a_pause_that_is_not_disturbed_is_told_from_one_that_is_not_reached() {
    let mut client = opened(&example("write_skew.ser"));
    let hints = client.hints(URI);
    let labels = strings(&hints, "label");
    assert_eq!(labels.iter().filter(|l| l.starts_with("races with line")).count(), 1, "{labels:?}");
    assert!(labels.contains(&"not disturbed in the interleaving found"), "{labels:?}");
    client.close();

    let other = format!("{RACY}\nrequest other {{ if (Free == 1) {{ yield }}; 0 }}\n");
    let mut client = opened(&other);
    let hints = client.hints(URI);
    let last = strings(&hints, "label").pop();
    assert_eq!(last, Some("not reached in the interleaving found"));
    client.close();
}

#[test]
fn a_variable_with_an_end_is_not_said_to_grow() {
    let cell = |r: &str, x: &str| {
        format!("request {r} {{ x := {x}; yield; if (x < 3000) {{ {x} := x + 1 }}; 0 }}\n")
    };
    let sum = "request sum { X + Y }\n";
    let options = json!({"timeout": 3.0});
    let params = json!({"capabilities": modern(), "initializationOptions": options});
    let mut client = Client::with(Host::default(), params);
    client.open(URI, &(cell("a", "X") + &cell("b", "Y") + sum));
    let summary = client.verdict(URI, 1)["summary"].as_str().unwrap().to_owned();
    assert!(!summary.contains("growing"), "{summary}");
    assert!(summary.contains("the time limit of"), "{summary}");
    // One without an end is named as before.
    client.replace(URI, 2, "request a { while (X >= Y * Y) { X := X + 1; Y := Y * Y; yield } }");
    let summary = client.verdict(URI, 2)["summary"].as_str().unwrap().to_owned();
    assert!(summary.contains("`X` keeps growing: 0, 1, 2"), "{summary}");
    client.close();
}

#[test]
fn lenses_tell_who_takes_part() {
    let mut client = opened(RACY);
    let lenses = client.lenses(URI);
    let told: Vec<(u64, &str, &str)> =
        lenses.iter().map(|(line, title, command)| (*line, &**title, &**command)).collect();
    assert_eq!(
        told,
        [
            (0, "not serializable: 2 requests, 4 steps; show", "ser.showInterleaving"),
            (0, "report", "ser.report"),
            (0, "repair", "ser.repair"),
            (4, "not serializable: #1, #2 of the interleaving; show", "ser.showInterleaving"),
            (11, "not part of the interleaving found", ""),
        ]
    );
    let lenses = client.about("textDocument/codeLens", URI);
    assert_eq!(lenses[0]["command"]["arguments"], json!([URI]));
    client.close();
}

#[test]
fn a_client_that_can_refresh_is_told_to() {
    let mut client = opened(RACY);
    client.until(|c| c.asked.iter().any(|m| m == "workspace/inlayHint/refresh"));
    assert!(client.asked.iter().any(|m| m == "workspace/codeLens/refresh"));
    client.close();
}

#[test]
fn a_client_that_cannot_refresh_waits_for_the_verdict_instead() {
    let mut client = Client::with(Host::default(), json!({"capabilities": {}}));
    client.open(URI, HARMLESS);
    let lenses = client.about("textDocument/codeLens", URI);
    assert_eq!(lenses[0]["command"]["title"], "serializable: every yield point is harmless");
    assert!(client.asked.is_empty());
    client.close();
}

#[test]
fn errors_come_with_fixes() {
    let mut client = Client::new();
    let text = "request main { x = 1; x }";
    client.open(URI, text);
    client.until(|c| !c.published.is_empty());
    let error = client.diagnostics(URI)[0].clone();
    assert_eq!((&error["severity"], &error["code"]), (&json!(1), &json!("equals-for-assignment")));
    let context = json!({"diagnostics": [error]});
    let params = json!({"textDocument": {"uri": URI}, "range": error["range"], "context": context});
    let actions = client.request("textDocument/codeAction", params);
    let edit = &actions[0]["edit"]["documentChanges"][0];
    assert_eq!(edit["textDocument"], json!({"uri": URI, "version": 1}));
    assert_eq!(actions[0]["kind"], "quickfix");
    assert_eq!(edited(text, &edit["edits"]), "request main { x := 1; x }");
    assert_eq!(client.verdict(URI, 1)["verdict"], "error");
    client.close();
}

#[test]
fn fixes_of_other_kinds_and_places_are_not_offered() {
    let mut client = Client::new();
    client.open(URI, "request main { x = 1; x }");
    let place = |line: u32, character: u32| json!({"line": line, "character": character});
    let mut ask = |at: u32, only: Value| {
        let range = json!({"start": place(0, at), "end": place(0, at)});
        let context = json!({"diagnostics": [], "only": only});
        let params = json!({"textDocument": {"uri": URI}, "range": range, "context": context});
        client.request("textDocument/codeAction", params).as_array().unwrap().len()
    };
    assert_eq!(ask(17, json!(["quickfix"])), 1);
    assert_eq!(ask(17, json!(["source"])), 0);
    assert_eq!(ask(17, json!([])), 1, "no kind in particular");
    assert_eq!(ask(3, json!(["quickfix"])), 0);
    client.close();
}

/// The actions on the first pause of a text, whoever asks.
fn actions(client: &mut Client, text: &str, trigger: u32) -> Vec<Value> {
    let at = find(text, "yield", 0);
    let range = json!({"start": at, "end": at});
    let context = json!({"diagnostics": [], "triggerKind": trigger});
    let params = json!({"textDocument": {"uri": URI}, "range": range, "context": context});
    client.request("textDocument/codeAction", params).as_array().unwrap().clone()
}

#[test]
fn repairs_are_offered_and_work() {
    for text in [RACY.to_owned(), RACY.replace('\n', "\r\n")] {
        let mut client = opened(&text);
        let offered = actions(&mut client, &text, 1);
        assert!(!offered.is_empty());
        for action in &offered {
            let title = action["title"].as_str().unwrap();
            assert!(title.starts_with("Repair: "), "{title}");
            assert_eq!(action["kind"], "quickfix");
            assert_eq!(action["diagnostics"][0]["code"], "not-serializable");
            let change = &action["edit"]["documentChanges"][0];
            assert_eq!(change["textDocument"]["version"], 1);
            let repaired = edited(&text, &change["edits"]);
            let source = Source::new("a.ser", Kind::Program, repaired.clone()).into();
            let limits = ser_base::Limits::default();
            let (wants, nothing) = (Wants::default(), |_| ());
            let context = Context { limits: &limits, progress: &|_| (), wants, settle: &nothing };
            let reports = (Host::default().answer)(&source, &context);
            assert!(matches!(reports[0].answer, Answer::Holds(_)), "{title}: {repaired}");
        }
        assert_eq!(offered[0]["isPreferred"], true);
        client.close();
    }
}

#[test]
fn the_light_bulb_does_not_wait_for_repairs_but_has_them_later() {
    let mut client = opened(RACY);
    assert_eq!(actions(&mut client, RACY, 2), Vec::<Value>::new());
    let later = actions(&mut client, RACY, 1);
    assert_eq!(actions(&mut client, RACY, 2), later);
    client.close();
}

#[test]
fn a_program_without_a_defect_needs_no_repairs() {
    let mut client = opened(HARMLESS);
    assert_eq!(actions(&mut client, HARMLESS, 1), Vec::<Value>::new());
    client.close();
}

fn hover(client: &mut Client, at: Value) -> String {
    let hover = client.at("textDocument/hover", URI, at);
    hover["contents"]["value"].as_str().unwrap_or("").to_owned()
}

#[test]
fn hovering_tells_what_a_name_means_and_which_values_it_takes() {
    let mut client = opened(RACY);
    // Values come shortly after the verdict.
    let mut global = String::new();
    for _ in 0..500 {
        global = hover(&mut client, find(RACY, "Count", 0));
        if global.contains("takes no other values") {
            break;
        }
        client.listen(std::time::Duration::from_millis(10));
    }
    assert!(global.contains("A global variable"), "{global}");
    assert!(global.contains("starts at 0 and takes no other values than 0..2"), "{global}");
    assert!(global.contains("Written on line 8; read on line 6."), "{global}");
    let local = hover(&mut client, find(RACY, "seen", 1));
    assert!(local.contains("local variable of `take`") && local.contains("0..2"), "{local}");
    let free = hover(&mut client, find(RACY, "Free", 1));
    assert!(free.contains("starts at 1 and never changes"), "{free}");
    assert!(hover(&mut client, find(RACY, "LAST", 1)).contains("const LAST = 2"));
    assert!(hover(&mut client, find(RACY, "step", 1)).contains("step in 1..1"));
    assert!(hover(&mut client, find(RACY, "take", 1)).contains("request take(step in 1..1)"));
    let pause = hover(&mut client, find(RACY, "yield", 0));
    assert!(
        pause.contains("Other requests may run here") && pause.contains("races with"),
        "{pause}"
    );
    assert!(hover(&mut client, find(RACY, "while", 0)).contains("Repeats"));
    assert_eq!(hover(&mut client, find(RACY, "takes a number", 0)), "");
    client.close();
}

#[test]
fn names_lead_to_their_definitions_and_back() {
    let mut client = opened(RACY);
    let goes = |client: &mut Client, from: Value| {
        client.at("textDocument/definition", URI, from)["range"]["start"].clone()
    };
    assert_eq!(goes(&mut client, find(RACY, "LAST", 1)), find(RACY, "LAST", 0));
    assert_eq!(goes(&mut client, find(RACY, "Free", 2)), find(RACY, "Free", 0));
    assert_eq!(goes(&mut client, find(RACY, "Count", 0)), find(RACY, "Count", 1), "first write");
    assert_eq!(goes(&mut client, find(RACY, "seen", 3)), find(RACY, "seen", 0));
    assert_eq!(goes(&mut client, find(RACY, "step", 1)), find(RACY, "step", 0));
    assert_eq!(goes(&mut client, find(RACY, "yield", 0)), Value::Null);

    let ask = |client: &mut Client, declaration: bool| {
        let params = json!({
            "textDocument": {"uri": URI}, "position": find(RACY, "Free", 1),
            "context": {"includeDeclaration": declaration}
        });
        client.request("textDocument/references", params).as_array().unwrap().len()
    };
    assert_eq!((ask(&mut client, true), ask(&mut client, false)), (3, 2));
    let marks = client.at("textDocument/documentHighlight", URI, find(RACY, "Count", 0));
    let kinds: Vec<u64> =
        marks.as_array().unwrap().iter().map(|m| m["kind"].as_u64().unwrap()).collect();
    assert_eq!(kinds, [2, 3], "read, then write");
    client.close();
}

#[test]
fn renaming_changes_every_place_or_says_why_not() {
    let mut client = opened(RACY);
    let prepared = client.at("textDocument/prepareRename", URI, find(RACY, "Count", 0));
    assert_eq!(prepared["placeholder"], "Count");
    assert_eq!(client.at("textDocument/prepareRename", URI, find(RACY, "yield", 0)), Value::Null);
    let ask = |client: &mut Client, name: &str| {
        let position = find(RACY, "Count", 0);
        let params = json!({"textDocument": {"uri": URI}, "position": position, "newName": name});
        client.try_request("textDocument/rename", params)
    };
    let edit = ask(&mut client, "Total").expect("a good name");
    let edits = &edit["documentChanges"][0]["edits"];
    assert_eq!(edited(RACY, edits), RACY.replace("Count", "Total"));
    for (bad, why) in [
        ("total", "uppercase"),
        ("Free", "already"),
        ("LAST", "already"),
        ("yield", "word of the language"),
        ("9", "not a name"),
    ] {
        let error = ask(&mut client, bad).expect_err(bad);
        assert!(error.message.contains(why), "{bad}: {}", error.message);
    }
    client.close();
}

#[test]
fn completion_knows_words_and_names_in_scope() {
    let mut client = Client::new();
    let text = format!("{RACY}request more {{\n    own := 1;\n    \n");
    client.open(URI, &text);
    let complete = |client: &mut Client, line: usize, character: u32| {
        let position = json!({"line": line, "character": character});
        let items = client.at("textDocument/completion", URI, position);
        strings(&items, "label").iter().map(|s| (*s).to_owned()).collect::<Vec<String>>()
    };
    let last = text.lines().count() - 1;
    let inside = complete(&mut client, last, 4);
    for wanted in ["own", "Count", "Free", "LAST", "yield", "while", "if"] {
        assert!(inside.iter().any(|l| l == wanted), "{wanted} in {inside:?}");
    }
    for other in ["seen", "request", "const", "take"] {
        assert!(!inside.iter().any(|l| l == other), "{other} in {inside:?}");
    }
    let top = complete(&mut client, 2, 0);
    assert!(top.iter().any(|l| l == "request") && !top.iter().any(|l| l == "yield"), "{top:?}");
    assert!(complete(&mut client, 3, 9).is_empty(), "in a comment");
    client.close();
}

#[test]
fn completion_offers_only_what_can_stand_there() {
    let mut client = Client::new();
    let complete = |client: &mut Client, text: &str| {
        client.open(URI, text);
        let position = json!({"line": 0, "character": text.len()});
        let items = client.at("textDocument/completion", URI, position);
        strings(&items, "label").iter().map(|s| (*s).to_owned()).collect::<Vec<String>>()
    };
    let none: [&str; 0] = [];
    assert_eq!(complete(&mut client, "const N = 2 request "), none);
    assert_eq!(complete(&mut client, "const "), none);
    assert_eq!(complete(&mut client, "const N = 2 request a(p "), ["in"]);
    assert_eq!(complete(&mut client, "const N = 2 request a(p in "), ["N", "bool"]);
    assert_eq!(complete(&mut client, "const N = 2 request a(p in 0.."), ["N"]);
    assert_eq!(complete(&mut client, "request a { X := 1 "), ["and", "or"]);
    assert_eq!(complete(&mut client, "request a { if (X) { 1 } "), ["else"]);
    let start = complete(&mut client, "request a { ");
    let words = "abort assert assume break choose continue for if loop match not return var while with yield";
    assert_eq!(start.join(" "), words);
    let top = complete(&mut client, "request a { 1 } ");
    let words = "const deadlock enum fn invariant lock reach record request type var";
    assert_eq!(top.join(" "), words);
    client.close();
}

#[test]
fn hovering_over_a_question_mark_tells_what_it_means() {
    let text = "request main { if (?) { 1 } else { 0 } }";
    let mut client = opened(text);
    assert!(hover(&mut client, find(text, "?", 0)).contains("Either 0 or 1"));
    assert!(hover(&mut client, find(text, ")", 0)).contains("Either 0 or 1"), "at its end");
    client.close();
}

#[test]
fn snippets_are_for_clients_that_understand_them() {
    for (capabilities, expected) in [(modern(), true), (json!({}), false)] {
        let mut client = Client::with(Host::default(), json!({"capabilities": capabilities}));
        client.open(URI, "request main { \n }");
        let items = client.at("textDocument/completion", URI, json!({"line": 1, "character": 0}));
        let items = items.as_array().unwrap();
        let item = items.iter().find(|i| i["label"] == "while").expect("while");
        assert_eq!(item["insertTextFormat"] == 2, expected);
        assert_eq!(item["insertText"].is_string(), expected);
        client.close();
    }
}

#[test]
fn formatting_gives_the_usual_layout() {
    let mut client = Client::new();
    let text = "request main{\nx:=X;yield; // größe 🙂\nX:=x+1}";
    client.open(URI, text);
    let edits = client.layout(URI);
    let formatted = edited(text, &edits);
    assert_eq!(Ok(&formatted), ser_editing::format(text).as_ref());
    client.replace(URI, 2, &formatted);
    assert_eq!(client.layout(URI), json!([]));
    client.replace(URI, 3, "request main {");
    assert_eq!(client.layout(URI), Value::Null);
    client.close();
}

#[test]
fn symbols_are_constants_globals_and_requests() {
    let mut client = opened(RACY);
    let symbols = client.about("textDocument/documentSymbol", URI);
    assert_eq!(strings(&symbols, "name"), ["LAST", "Free", "take", "Count", "look"]);
    assert_eq!(strings(&symbols[2]["children"], "name"), ["step", "seen"]);
    client.close();

    let mut client = Client::with(Host::default(), json!({"capabilities": {}}));
    client.open(URI, RACY);
    let symbols = client.about("textDocument/documentSymbol", URI);
    assert_eq!(symbols[0]["location"]["uri"], URI, "flat, for old clients");
    client.close();
}

/// Semantic tokens as (text, type, modifiers), read back from the text.
fn tokens(client: &mut Client, text: &str) -> Vec<(String, String, Vec<String>)> {
    let legend = client.capabilities["semanticTokensProvider"]["legend"].clone();
    let data = client.about("textDocument/semanticTokens/full", URI)["data"].clone();
    let numbers: Vec<u64> = data.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    let lines: Vec<Vec<u16>> = text.split('\n').map(|l| l.encode_utf16().collect()).collect();
    let (mut line, mut column) = (0, 0);
    let mut out = Vec::new();
    for token in numbers.chunks(5) {
        line += token[0] as usize;
        column = if token[0] == 0 { column + token[1] as usize } else { token[1] as usize };
        let piece = &lines[line][column..column + token[2] as usize];
        let modifiers = legend["tokenModifiers"].as_array().unwrap().iter().enumerate();
        let modifiers = modifiers.filter(|(i, _)| token[4] & (1 << i) != 0);
        out.push((
            String::from_utf16(piece).unwrap(),
            legend["tokenTypes"][token[3] as usize].as_str().unwrap().to_owned(),
            modifiers.map(|(_, m)| m.as_str().unwrap().to_owned()).collect(),
        ));
    }
    out
}

#[test]
fn tokens_are_coloured_by_meaning() {
    let text = "/* größe\r\n 🙂 */ request main(p in 0..1) { // x\r\n  X := y + p; yield }";
    let mut client = opened(text);
    let all = tokens(&mut client, text);
    let told: Vec<String> =
        all.iter().map(|(t, k, m)| format!("{t} {k} {}", m.join(" "))).collect();
    assert_eq!(
        told.iter().map(|t| t.trim_end()).collect::<Vec<_>>(),
        [
            "/* größe comment",
            " 🙂 */ comment",
            "request keyword",
            "main function declaration",
            "p parameter declaration readonly",
            "in keyword",
            "0 number",
            ".. operator",
            "1 number",
            "// x comment",
            "X variable modification static global",
            ":= operator",
            "y variable local",
            "+ operator",
            "p parameter readonly",
            "yield keyword",
        ]
    );
    client.close();
}

#[test]
fn blocks_and_comments_fold() {
    let text = "// one\n// two\nrequest main {\n  if (X) {\n    1\n  }\n}\n";
    let mut client = opened(text);
    let folds = client.about("textDocument/foldingRange", URI);
    let told: Vec<(u64, u64)> = folds
        .as_array()
        .unwrap()
        .iter()
        .map(|f| (f["startLine"].as_u64().unwrap(), f["endLine"].as_u64().unwrap()))
        .collect();
    assert_eq!(told, [(0, 1), (2, 5), (3, 4)]);
    client.close();
}

#[test]
fn selections_grow_from_the_word_to_the_file() {
    let text = "request main { X := (a + 1) }";
    let mut client = opened(text);
    let params = json!({"textDocument": {"uri": URI}, "positions": [find(text, "a +", 0)]});
    let mut range = client.request("textDocument/selectionRange", params)[0].clone();
    let mut pieces = Vec::new();
    while !range.is_null() {
        let column = |end: &str| range["range"][end]["character"].as_u64().unwrap() as usize;
        pieces.push(text[column("start")..column("end")].to_owned());
        range = range["parent"].clone();
    }
    assert_eq!(pieces, ["a", "a + 1", "(a + 1)", " X := (a + 1) ", "{ X := (a + 1) }", text]);
    client.close();
}

#[test]
fn network_systems_have_diagnostics_and_a_verdict() {
    let uri = "file:///project/system.json";
    let mut client = Client::new();
    client.open(uri, "{\"initial_global\": \"g\",\n oops");
    let verdict = client.verdict(uri, 1);
    assert_eq!(verdict["verdict"], "error");
    assert_eq!(client.diagnostics(uri)[0]["range"]["start"]["line"], 1);
    let system = json!({
        "initial_global": "g", "requests": [["r", "a"]], "responses": [["b", "ok"]],
        "transitions": [["a", "g", "b", "g"]]
    });
    client.replace(uri, 2, &system.to_string());
    assert_eq!(client.verdict(uri, 2)["verdict"], "serializable");
    assert_eq!(client.diagnostics(uri), json!([]));
    let lenses = client.about("textDocument/codeLens", uri);
    assert_eq!(lenses.as_array().unwrap().len(), 1);
    client.close();
}
