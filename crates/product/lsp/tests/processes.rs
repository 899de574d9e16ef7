//! Documents for `ser trace`: messages while they are typed, no verdict, and nothing about another language.

mod common;

use common::{Client, edited, find};
use serde_json::{Value, json};
use std::time::Duration;

const EVENTS: &str = "file:///project/count.events";
const UNW: &str = "file:///project/count.unw";

const PROCESSES: &str = "\
X in 0..4
process P {
    while (X < 2) { X := X + 1 }
    choose { X := 3 } or { skip }
}
reach done && X == 3
";
const UNWINDING: &str = "place p : 0..3\ntransition t { out p(1) }\ntarget t\n";

fn published(client: &mut Client, uri: &str, version: i64) -> Value {
    client.until(|c| c.published.iter().any(|(u, v, _)| u == uri && *v == Some(version)));
    client.diagnostics(uri)
}

#[test]
fn what_is_right_has_no_messages_and_no_verdict() {
    let mut client = Client::new();
    for (uri, language, text) in [
        (EVENTS, "ser-events", PROCESSES),
        (UNW, "ser-unw", UNWINDING),
        // The name tells where the editor does not know the language, and the other way round.
        ("file:///project/a.EVENTS", "ser", PROCESSES),
        ("file:///project/a.unw", "plaintext", UNWINDING),
        ("untitled:1", "ser-events", PROCESSES),
        ("untitled:2", "ser-unw", UNWINDING),
    ] {
        client.open_as(uri, language, text);
        assert_eq!(published(&mut client, uri, 1), json!([]), "{uri} in {language}");
    }
    client.listen(Duration::from_millis(300));
    assert_eq!(client.verdicts, [].into());
    client.close();
}

#[test]
fn errors_stand_on_their_places_and_come_with_fixes() {
    let mut client = Client::new();
    let text = "X in 0..1\nprocess Put { X := 1 }\nreach done(Pat)\n";
    client.open_as(EVENTS, "ser-events", text);
    let error = published(&mut client, EVENTS, 1)[0].clone();
    assert_eq!(error["range"]["start"], find(text, "Pat", 0), "{error}");
    assert_eq!(error["severity"], 1);
    let context = json!({"diagnostics": [error]});
    let params =
        json!({"textDocument": {"uri": EVENTS}, "range": error["range"], "context": context});
    let actions = client.request("textDocument/codeAction", params);
    let edits = &actions[0]["edit"]["documentChanges"][0]["edits"];
    assert_eq!(edited(text, edits), text.replace("Pat", "Put"));

    client.replace(EVENTS, 2, &text.replace("Pat", "Put"));
    assert_eq!(published(&mut client, EVENTS, 2), json!([]));

    client.open_as(UNW, "ser-unw", &UNWINDING.replace("out p", "out q"));
    let error = published(&mut client, UNW, 1)[0].clone();
    assert!(error["message"].as_str().unwrap().starts_with("there is no place `q`"), "{error}");
    assert_eq!(error["range"]["start"]["line"], 1);
    assert_eq!(client.verdicts, [].into());
    client.close();
}

#[test]
fn nothing_is_said_about_the_words_of_programs() {
    // A client that waits for lenses is not left waiting.
    let mut client = Client::with(ser_lsp::Host::default(), json!({"capabilities": {}}));
    client.open_as(EVENTS, "ser-events", PROCESSES);
    assert_eq!(published(&mut client, EVENTS, 1), json!([]));
    for (method, word) in [("textDocument/hover", "choose"), ("textDocument/completion", "choose")]
    {
        let answer = client.at(method, EVENTS, find(PROCESSES, word, 0));
        assert_eq!(answer, Value::Null, "{method}");
    }
    assert_eq!(client.about("textDocument/semanticTokens/full", EVENTS), Value::Null);
    assert_eq!(client.about("textDocument/codeLens", EVENTS), json!([]));
    let options = json!({"tabSize": 4, "insertSpaces": true});
    let params = json!({"textDocument": {"uri": EVENTS}, "options": options});
    assert!(client.request("textDocument/formatting", params).is_array(), "it can be laid out");
    // What needs brackets alone works.
    let folds = client.about("textDocument/foldingRange", EVENTS);
    assert_eq!(folds.as_array().unwrap().len(), 1);
    client.close();
}
