//! Documents with threads: messages while they are typed, layout, names, and the verdict.

use crate::client::{Client, edited, find, strings};
use serde_json::{Value, json};

const URI: &str = "file:///project/ticket.ser";

const TEXT: &str = "\
var avail: int = 0;
var bag: set of int = {};
set Threads
process thread for self in Threads {
    var ticket: int = 0;
    loop {
        take: atomic { ticket := avail; avail := avail + 1; }
        crit: { skip; done(ticket); }
    }
}
fn done(which: int) { var mine: int; out: bag := bag - {which}; }
fn inside(k) = at(k, crit, done);
invariant mutex(i, j) {
    apart: i != j -> !(inside(i) && inside(j));
    ticket[i] < avail;
}
proof { mutex { at done.out self use mutex.apart; } }
";

fn opened(text: &str) -> Client {
    let mut client = Client::new();
    client.open_as(URI, "ser", text);
    client.published(URI, 1);
    client
}

#[test]
fn what_is_right_has_no_messages() {
    let mut client = Client::new();
    for (uri, language) in [(URI, "ser"), ("file:///a.SER", "plaintext"), ("untitled:1", "ser")] {
        client.open_as(uri, language, TEXT);
        assert_eq!(client.published(uri, 1), json!([]), "{uri} in {language}");
    }
    client.close();
}

#[test]
fn errors_stand_on_their_places_and_come_with_fixes() {
    let text = TEXT.replace("ticket[i] < avail", "tickets[i] < avail");
    let mut client = opened(&text);
    let error = client.diagnostics(URI)[0].clone();
    assert_eq!(error["range"]["start"], find(&text, "tickets", 0), "{error}");
    assert_eq!(error["code"], json!("unknown-local"));
    assert_eq!(client.fixed(URI, &text), TEXT);
    client.close();
}

#[test]
fn files_are_laid_out() {
    let crowded = TEXT.replace("    ", "").replace(" = ", "=").replace(" && ", "&&");
    let mut client = opened(&crowded);
    let edits = client.layout(URI);
    assert_eq!(edited(&crowded, &edits), TEXT);
    client.close();
}

#[test]
fn names_lead_to_where_they_come_from() {
    let mut client = opened(TEXT);
    // What is asked about, and where it is declared: the beginnings of two pieces of the text.
    for (asked, declared) in [
        ("avail + 1", "avail: int"),
        ("ticket[i]", "ticket: int"),
        ("inside(j)", "inside(k)"),
        ("k, crit", "k) ="),
        ("crit, done", "crit: {"),
        ("done(ticket)", "done(which"),
        ("which};", "which: int"),
        ("j));", "j) {"),
        ("out self", "out: bag"),
        ("apart; }", "apart: i"),
        ("mutex.apart", "mutex(i"),
    ] {
        let place = client.at("textDocument/definition", URI, find(TEXT, asked, 0));
        assert_eq!(place["range"]["start"], find(TEXT, declared, 0), "{asked}: {place}");
    }
    client.close();
}

#[test]
fn names_and_words_are_explained() {
    let mut client = opened(TEXT);
    for (asked, expected) in [
        ("ticket[i]", "local ticket: int"),
        ("bag - ", "var bag: set of int"),
        ("done(ticket)", "fn done(which: int)"),
        ("crit, done", "place crit: locations 3 to 4"),
        ("inside(j)", "fn inside(k): bool"),
        ("atomic {", "in one step"),
        ("skip;", "nothing happens"),
        ("self use", "among those of the invariant"),
    ] {
        let hover = client.at("textDocument/hover", URI, find(TEXT, asked, 0));
        let said = hover["contents"]["value"].as_str().expect("text");
        assert!(said.contains(expected), "{asked}: {said}");
    }
    client.close();
}

#[test]
fn the_outline_has_declarations_and_what_is_in_them() {
    let mut client = opened(TEXT);
    let outline = client.about("textDocument/documentSymbol", URI);
    assert_eq!(
        strings(&outline, "name"),
        ["avail", "bag", "Threads", "thread", "done", "inside", "mutex"]
    );
    assert_eq!(strings(&outline[3]["children"], "name"), ["ticket", "take", "crit"]);
    assert_eq!(strings(&outline[4]["children"], "name"), ["which", "mine", "out"]);
    assert_eq!(strings(&outline[6]["children"], "name"), ["apart"]);
    client.close();
}

#[test]
fn words_and_names_are_completed() {
    let after = |text: &str, piece: &str| {
        let mut position = find(text, piece, 0);
        let column = position["character"].as_u64().expect("a number");
        position["character"] = json!(column + piece.trim_end().len() as u64 + 1);
        position
    };
    // In a body: its own locals.
    let text = TEXT.replace("ticket := avail;", "ticket := ");
    let mut client = opened(&text);
    let items = client.at("textDocument/completion", URI, after(&text, "ticket := "));
    let found = strings(&items, "label");
    for expected in ["avail", "bag", "ticket", "done", "self", "min", "choose"] {
        assert!(found.contains(&expected), "{expected} is not among {found:?}");
    }
    assert!(!found.contains(&"mine") && !found.contains(&"invariant"), "{found:?}");
    client.close();
    // In a formula: all locals, parameters, places and shorthands.
    let text = TEXT.replace("ticket[i] < avail;", "true && ");
    let mut client = opened(&text);
    let items = client.at("textDocument/completion", URI, after(&text, "true && "));
    let found = strings(&items, "label");
    for expected in ["ticket", "mine", "i", "j", "at", "inside", "crit", "take", "avail"] {
        assert!(found.contains(&expected), "{expected} is not among {found:?}");
    }
    client.close();
    // Behind a point: fields, and what is in a procedure.
    let text = TEXT.replace("at done.out self use mutex.apart;", "at done. self use mutex;");
    let mut client = opened(&text);
    let mut position = find(&text, "done. self", 0);
    position["character"] = json!(position["character"].as_u64().expect("a number") + 5);
    let items = client.at("textDocument/completion", URI, position);
    let found = strings(&items, "label");
    for expected in ["next", "data", "lockid"] {
        assert!(found.contains(&expected), "{expected} is not among {found:?}");
    }
    assert!(!found.contains(&"avail"), "{found:?}");
    client.close();
    let mut client = opened(TEXT);
    let mut position = find(TEXT, "done.out", 0);
    position["character"] = json!(position["character"].as_u64().expect("a number") + 5);
    let items = client.at("textDocument/completion", URI, position);
    let found = strings(&items, "label");
    for expected in ["out", "mine", "which"] {
        assert!(found.contains(&expected), "{expected} is not among {found:?}");
    }
    client.close();
}

const LOCK: &str = "\
var taken: bool = false;
set Threads
process thread for self in Threads {
    loop {
        take: atomic { await !taken; taken := true; }
        crit: { skip; leave: taken := false; }
    }
}
invariant held(i): at(i, crit) -> taken;
invariant mutex(i, j): i != j -> !(at(i, crit) && at(j, crit));
";

/// The verdict on a text, and what is published with it.
fn verdict(text: &str) -> (Value, Value) {
    let mut client = Client::new();
    client.open_as(URI, "ser", text);
    client.until(|c| c.verdicts.len() == 1);
    let verdict = client.verdicts.values().next().cloned().expect("a verdict");
    if verdict["verdict"] != json!("proved") {
        client.until(|c| {
            c.published.iter().any(|(_, _, list)| list.as_array().is_some_and(|it| !it.is_empty()))
        });
    }
    let found = client.diagnostics(URI);
    client.close();
    (verdict, found)
}

#[test]
fn a_proof_has_a_verdict_and_no_remarks() {
    let (verdict, found) = verdict(LOCK);
    assert_eq!(verdict["verdict"], json!("proved"), "{verdict}");
    let summary = verdict["summary"].as_str().unwrap_or_default();
    assert!(summary.starts_with("proved: "), "{verdict}");
    assert_eq!(found, json!([]));
}

#[test]
fn steps_that_may_break_an_invariant_stand_on_their_lines() {
    // What has no end is not counted.
    let endless = LOCK.replace("taken := true;", "taken := true; n := n + 1;");
    let text = format!("var n: int = 0;\n{endless}proof {{ held; mutex; }}\n");
    let (verdict, found) = verdict(&text);
    assert_eq!(verdict["verdict"], json!("not_inductive"), "{verdict}");
    let list = found.as_array().expect("a list");
    assert_eq!(list.len(), 2, "{found}");
    let mutex = &list[1];
    assert_eq!(mutex["code"], json!("not-inductive"), "{found}");
    assert_eq!(mutex["range"]["start"], find(&text, "atomic", 0), "{found}");
    let related = mutex["relatedInformation"].as_array().expect("places");
    assert_eq!(related[0]["location"]["range"]["start"], find(&text, "i != j ->", 0), "{found}");
    let message = mutex["message"].as_str().unwrap_or_default();
    assert!(message.contains("mutex { at take self use held; }"), "{found}");
}

#[test]
fn a_run_that_violates_an_invariant_stands_at_the_invariant() {
    let text = LOCK.replace("await !taken; ", "");
    let (verdict, found) = verdict(&text);
    assert_eq!(verdict["verdict"], json!("refuted"), "{verdict}");
    let list = found.as_array().expect("a list");
    let codes: Vec<&str> = list.iter().filter_map(|it| it["code"].as_str()).collect();
    assert_eq!(codes, ["invariant", "invariant"], "{found}");
    assert_eq!(list[1]["range"]["start"], find(&text, "i != j ->", 0), "{found}");
}
