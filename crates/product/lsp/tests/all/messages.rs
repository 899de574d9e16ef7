//! `.ser` documents: messages while they are typed, layout, names, and the verdict.

use crate::client::{Client, edited, find, strings};
use serde_json::{Value, json};

const URI: &str = "file:///project/ping.ser";

const TEXT: &str = "\
set Q;
msg Ping = Ping(Q, int);
msg Pong = Pong;
process p {
    for x in Q {
        Ping(id, n) := recv Ping;
        send Pong to id;
    }
}
process worker for q in Q { send Ping(q, 1) to p; recv Pong; }
";

fn opened(text: &str) -> Client {
    let mut client = Client::new();
    client.open_as(URI, "ser", text);
    client.published(URI, 1);
    client
}

#[test]
fn what_is_right_has_no_messages_and_a_verdict() {
    let mut client = Client::new();
    for (uri, language) in [(URI, "ser"), ("file:///a.SER", "plaintext"), ("untitled:1", "ser")] {
        client.open_as(uri, language, TEXT);
        assert_eq!(client.published(uri, 1), json!([]), "{uri} in {language}");
    }
    client.until(|c| c.verdicts.len() == 3);
    let sequentialized = |it: &Value| it["verdict"] == json!("sequentialized");
    assert!(client.verdicts.values().all(sequentialized), "{:?}", client.verdicts);
    assert_eq!(client.diagnostics(URI), json!([]));
    client.close();
}

#[test]
fn what_is_in_the_way_stands_on_its_line_with_the_places_that_explain_it() {
    let text =
        TEXT.replace("send Ping(q, 1) to p; ", "send Ping(q, 1) to p; send Ping(q, 2) to p; ");
    let mut client = Client::new();
    client.open_as(URI, "ser", &text);
    client.until(|c| c.verdicts.len() == 1);
    client.until(|c| {
        c.published.iter().any(|(_, _, list)| list.as_array().is_some_and(|it| !it.is_empty()))
    });
    let found = client.diagnostics(URI)[0].clone();
    assert_eq!(found["code"], json!("protocol"), "{found}");
    assert_eq!(found["range"]["start"], find(&text, "Ping(id, n)", 0), "{found}");
    // The run, step by step, and then the two sends that race.
    let related = strings(&found["relatedInformation"], "message");
    assert!(related[0].starts_with("1. p sets x to worker[0]"), "{found}");
    assert!(related[6].ends_with("may be first ...") && related.len() == 8, "{found}");
    client.close();
}

#[test]
fn errors_stand_on_their_places_and_come_with_fixes() {
    let text = TEXT.replace(":= recv", "<- recv");
    let mut client = opened(&text);
    let error = client.diagnostics(URI)[0].clone();
    assert_eq!(error["range"]["start"], find(&text, "<-", 0), "{error}");
    assert_eq!(client.fixed(URI, &text), TEXT);
    client.close();
}

#[test]
fn files_are_laid_out() {
    let crowded = TEXT.replace("    ", "").replace(" = ", "=");
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
        ("id;", "id, n"),
        ("Q {\n", "Q;"),
        ("Ping(id", "Ping(Q"),
        ("q, 1", "q in"),
        ("p; recv", "p {"),
        ("Pong to", "Pong;\nprocess"),
    ] {
        let place = client.at("textDocument/definition", URI, find(TEXT, asked, 0));
        assert_eq!(place["range"]["start"], find(TEXT, declared, 0), "{asked}: {place}");
    }
    let hover = client.at("textDocument/hover", URI, find(TEXT, "id;", 0));
    let said = hover["contents"]["value"].as_str().expect("text");
    assert!(said.contains("variable id: Q") && said.contains("`p`"), "{said}");
    let hover = client.at("textDocument/hover", URI, find(TEXT, "recv", 0));
    assert!(hover["contents"]["value"].as_str().expect("text").contains("oldest"), "{hover}");
    client.close();
}

#[test]
fn the_outline_has_declarations_and_variables() {
    let mut client = opened(TEXT);
    let outline = client.about("textDocument/documentSymbol", URI);
    assert_eq!(strings(&outline, "name"), ["Q", "Ping", "Pong", "p", "worker"]);
    client.close();
}

#[test]
fn words_and_names_are_completed() {
    let text = TEXT.replace("send Pong to id;", "send Pong to ");
    let mut client = opened(&text);
    let mut position = find(&text, "to \n", 0);
    position["character"] = json!(position["character"].as_u64().expect("a number") + 3);
    let items = client.at("textDocument/completion", URI, position);
    let labels = strings(&items, "label");
    for expected in ["id", "n", "x", "p", "worker", "self", "Pong"] {
        assert!(labels.contains(&expected), "{expected} is not among {labels:?}");
    }
    assert!(!labels.contains(&"q") && !labels.contains(&"set"), "{labels:?}");
    client.close();
}
