//! An example of each kind of file that `ser` reads: its verdict, and what stands where.

use crate::client::{Client, example, strings};
use serde_json::Value;

/// What an editor shows of a file.
struct Shown {
    example: &'static str,
    verdict: &'static str,
    /// The code and the severity of each diagnostic about the answer, with the text of the line
    /// that it stands on, and the beginning of its message.
    diagnostics: &'static [(&'static str, u64, &'static str, &'static str)],
    /// What the first step of the run says; nothing if there is no run.
    first_step: Option<&'static str>,
    /// How the first lens begins.
    lens: &'static str,
    /// The hints.
    hints: &'static [&'static str],
}

const ALL: &[Shown] = &[
    Shown {
        example: "lost_update.ser",
        verdict: "not_serializable",
        diagnostics: &[(
            "not-serializable",
            2,
            "yield",
            "not serializable: 2 concurrent requests can end",
        )],
        first_step: Some("1. #1 increment arrives, reads Count = 0"),
        lens: "not serializable: 2 requests, 4 steps; show",
        hints: &["races with line 20 (Count), line 23 (Count)"],
    },
    Shown {
        example: "spin_lock.ser",
        verdict: "serializable",
        diagnostics: &[],
        first_step: None,
        lens: "serializable: every yield point is harmless",
        hints: &["harmless", "harmless"],
    },
    Shown {
        example: "login_session_race.json",
        verdict: "not_serializable",
        diagnostics: &[("not-serializable", 2, "", "not serializable: ")],
        first_step: Some("1. #1 "),
        lens: "not serializable: ",
        hints: &[],
    },
    Shown {
        example: "login_session.json",
        verdict: "serializable",
        diagnostics: &[],
        first_step: None,
        lens: "serializable: ",
        hints: &[],
    },
    Shown {
        example: "processes/broken_mutex.ser",
        verdict: "reachable",
        diagnostics: &[("reachable", 2, "reach", "\"both inside\" can be reached in ")],
        first_step: Some("1. "),
        lens: "reachable: ",
        hints: &["reachable"],
    },
    Shown {
        example: "processes/peterson.ser",
        verdict: "unreachable",
        diagnostics: &[],
        first_step: None,
        lens: "unreachable: no run of these processes reaches it",
        hints: &["unreachable"],
    },
    Shown {
        example: "processes/figure_1.unw",
        verdict: "reachable",
        diagnostics: &[("reachable", 2, "transition h", "`target h` can be reached in ")],
        first_step: Some("1. the net fires "),
        lens: "reachable: ",
        hints: &["reachable"],
    },
    Shown {
        example: "messages/broken/missing-send.ser",
        verdict: "refuted",
        diagnostics: &[("protocol", 2, "Reply(w) := recv", "`master` waits here for a `Reply`")],
        first_step: Some("1. master sets x to worker[0]"),
        lens: "refuted: 3 steps; show",
        hints: &[],
    },
    Shown {
        example: "messages/ping-sym.ser",
        verdict: "sequentialized",
        diagnostics: &[],
        first_step: None,
        lens: "sequentialized: every run ends in the same state",
        hints: &[],
    },
    Shown {
        example: "messages/broken/get-or-set.ser",
        verdict: "unknown",
        diagnostics: &[("unknown", 3, "", "")],
        first_step: None,
        lens: "unknown: ",
        hints: &[],
    },
    Shown {
        example: "threads/lost_update.ser",
        verdict: "refuted",
        diagnostics: &[(
            "invariant",
            2,
            "invariant exact: count == added",
            "`exact` does not hold: 2 threads",
        )],
        first_step: Some("1. t1 "),
        lens: "refuted: 6 steps; show",
        hints: &[],
    },
    Shown {
        example: "threads/ticket_lock.ser",
        verdict: "proved",
        diagnostics: &[],
        first_step: None,
        lens: "proved: what is claimed holds at the start",
        hints: &[],
    },
    // A net asks nothing by itself; its errors are shown.
    Shown {
        example: "nets/toy.net",
        verdict: "",
        diagnostics: &[],
        first_step: None,
        lens: "",
        hints: &[],
    },
];

#[test]
fn every_kind_of_file_has_its_verdict_on_its_lines() {
    let mut client = Client::new();
    for shown in ALL {
        let (name, text) = (shown.example, example(shown.example));
        let uri = format!("file:///examples/{name}");
        client.open_as(&uri, "plaintext", &text);
        if shown.verdict.is_empty() {
            assert_eq!(client.published(&uri, 1), Value::Array(Vec::new()), "{name}");
            continue;
        }
        let verdict = client.verdict(&uri, 1);
        assert_eq!(verdict["verdict"], shown.verdict, "{name}: {verdict}");
        let found = client.diagnostics(&uri);
        let codes: Vec<&str> = shown.diagnostics.iter().map(|(code, ..)| *code).collect();
        assert_eq!(strings(&found, "code"), codes, "{name}: {found:#}");
        for (found, (_, severity, line, message)) in
            found.as_array().expect("a list").iter().zip(shown.diagnostics)
        {
            assert_eq!(found["severity"], *severity, "{name}: {found:#}");
            let number = found["range"]["start"]["line"].as_u64().expect("a line") as usize;
            let there = text.lines().nth(number).expect("a line").trim();
            assert!(there.starts_with(line), "{name}: {there}");
            let said = found["message"].as_str().expect("words");
            assert!(said.starts_with(message), "{name}: {said}");
        }
        let first = &found[0]["relatedInformation"][0]["message"];
        let first = first.as_str().unwrap_or_default();
        assert!(first.starts_with(shown.first_step.unwrap_or_default()), "{name}: {first}");
        let run = client.request("ser/interleaving", serde_json::json!({"uri": uri}));
        assert_eq!(run.is_null(), shown.first_step.is_none(), "{name}: {run}");
        let lenses = client.lenses(&uri);
        assert!(lenses[0].1.starts_with(shown.lens), "{name}: {lenses:?}");
        let hints = client.hints(&uri);
        assert_eq!(strings(&hints, "label"), shown.hints, "{name}");
    }
    client.close();
}

#[test]
fn every_goal_of_a_file_has_its_own_answer() {
    let (uri, text) = ("file:///bank.ser", example("processes/bank.ser"));
    let mut client = Client::new();
    client.open_as(uri, "ser", &text);
    let verdict = client.verdict(uri, 1);
    assert_eq!(verdict["verdict"], "reachable");
    assert_eq!(verdict["summary"], "reachable: 1 of 2 goals");
    assert_eq!(strings(&client.diagnostics(uri), "code"), ["reachable"]);
    let hints = client.hints(uri);
    assert_eq!(strings(&hints, "label"), ["reachable", "unreachable"]);
    let lines: Vec<u64> = client.lenses(uri).iter().map(|(line, ..)| *line).collect();
    let goals: Vec<u64> = (0u64..)
        .zip(text.lines())
        .filter(|(_, it)| it.starts_with("reach"))
        .map(|(number, _)| number)
        .collect();
    assert_eq!(lines, goals);
    let at = serde_json::json!({"line": goals[1], "character": 2});
    let hover = client.at("textDocument/hover", uri, at);
    let said = hover["contents"]["value"].as_str().expect("words");
    assert!(said.starts_with("unreachable: "), "{said}");
    client.close();
}

#[test]
fn a_goal_of_which_nobody_knows_says_why_on_its_line() {
    let text = "var X: 0..9\nprocess P { while (X < 9) { X := X + 1 } }\nreach X == 9 && done\n";
    let params = serde_json::json!({
        "capabilities": crate::client::modern(), "initializationOptions": {"timeout": 1e-9}
    });
    let mut client = Client::with(ser_lsp::Host::default(), params);
    client.open_as("file:///a.ser", "ser", text);
    assert_eq!(client.verdict("file:///a.ser", 1)["verdict"], "unknown");
    let found = client.diagnostics("file:///a.ser")[0].clone();
    assert_eq!((&found["code"], &found["severity"]), (&"unknown".into(), &3.into()), "{found}");
    assert_eq!(found["range"]["start"]["line"], 2, "{found}");
    assert!(found["message"].as_str().expect("words").contains("time limit"), "{found}");
    client.close();
}

#[test]
fn a_net_with_errors_has_them_on_their_places() {
    let mut client = Client::new();
    let uri = "file:///broken.net";
    client.open_as(uri, "plaintext", "net n\npl a (0)\ntr t a => b\n");
    client.verdict(uri, 1);
    let found = client.diagnostics(uri)[0].clone();
    assert_eq!((&found["severity"], &found["range"]["start"]["line"]), (&1.into(), &2.into()));
    client.close();
}
