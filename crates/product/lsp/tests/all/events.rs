//! Documents for `ser trace`: messages while they are typed, verdicts on goals, and nothing about
//! another language.

use crate::client::{Client, find, strings};
use serde_json::{Value, json};

const EVENTS: &str = "file:///project/count.ser";
const UNW: &str = "file:///project/count.unw";

const PROCESSES: &str = "\
var X: 0..4
process P {
    while (X < 2) { X := X + 1 }
    choose { X := 3 } or { skip }
}
reach done && X == 3
";
const UNWINDING: &str = "place p : 0..3\ntransition t { out p(1) }\ntarget t\n";

#[test]
fn what_is_right_has_no_errors_and_a_verdict() {
    let mut client = Client::new();
    for (uri, language, text) in [
        (EVENTS, "ser", PROCESSES),
        (UNW, "ser-unw", UNWINDING),
        // The name tells where the editor does not know the language, and the other way round.
        ("file:///project/a.SER", "plaintext", PROCESSES),
        ("file:///project/a.unw", "plaintext", UNWINDING),
        ("untitled:1", "ser", PROCESSES),
        ("untitled:2", "ser-unw", UNWINDING),
    ] {
        client.open_as(uri, language, text);
        assert_eq!(client.verdict(uri, 1)["verdict"], "reachable", "{uri} in {language}");
        let codes = client.diagnostics(uri);
        assert_eq!(strings(&codes, "code"), ["reachable"], "{uri} in {language}");
    }
    client.close();
}

#[test]
fn errors_stand_on_their_places_and_come_with_fixes() {
    let mut client = Client::new();
    let text = "var X: 0..1\nprocess Put { X := 1 }\nreach done(Pat)\n";
    client.open_as(EVENTS, "ser", text);
    let error = client.published(EVENTS, 1)[0].clone();
    assert_eq!(error["range"]["start"], find(text, "Pat", 0), "{error}");
    assert_eq!(error["severity"], 1);
    assert_eq!(client.fixed(EVENTS, text), text.replace("Pat", "Put"));
    assert_eq!(client.verdict(EVENTS, 1)["verdict"], "error");

    client.replace(EVENTS, 2, &text.replace("Pat", "Put"));
    assert_eq!(client.verdict(EVENTS, 2)["verdict"], "reachable");

    client.open_as(UNW, "ser-unw", &UNWINDING.replace("out p", "out q"));
    let error = client.published(UNW, 1)[0].clone();
    assert!(error["message"].as_str().unwrap().starts_with("there is no place `q`"), "{error}");
    assert_eq!(error["range"]["start"]["line"], 1);
    client.close();
}

#[test]
fn nothing_is_said_about_the_words_of_programs_in_unwindings() {
    // A client that waits for lenses is not left waiting.
    let mut client = Client::with(ser_lsp::Host::default(), json!({"capabilities": {}}));
    client.open_as(UNW, "ser-unw", UNWINDING);
    client.open_as(EVENTS, "ser", PROCESSES);
    client.published(UNW, 1);
    client.published(EVENTS, 1);
    for method in ["textDocument/hover", "textDocument/completion"] {
        let answer = client.at(method, UNW, find(UNWINDING, "out", 0));
        assert_eq!(answer, Value::Null, "{method}");
    }
    assert_eq!(client.about("textDocument/semanticTokens/full", UNW), Value::Null);
    assert_ne!(client.about("textDocument/semanticTokens/full", EVENTS), Value::Null);
    let lens = (5, "reachable: 6 steps; show".to_owned(), "ser.showInterleaving".to_owned());
    assert_eq!(client.lenses(EVENTS), [lens]);
    assert!(client.layout(EVENTS).is_array(), "it can be laid out");
    // What needs brackets alone works.
    let folds = client.about("textDocument/foldingRange", EVENTS);
    assert_eq!(folds.as_array().unwrap().len(), 1);
    client.close();
}
