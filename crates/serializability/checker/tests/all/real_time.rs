//! What is said about real-time order: which proofs keep it, and which runs break it.

use crate::common::{head, verdict};
use ser_base::Limits;
use ser_model::read_json;
use ser_serializability_checker::{check, read};

/// Whether an argument by inclusion that is accepted is one for real-time order, too.
fn is_strict(source: &str, proof: &str) -> bool {
    let head = head(source);
    let text = format!(
        r#"{{ {head}, "verdict": "serializable", "proof": {{"method": "inclusion", {proof}}} }}"#
    );
    let certificate = read(&text).expect("a certificate");
    let system = read_json(source).expect("a system");
    let accepted = check(&certificate, source.as_bytes(), &system, &Limits::default());
    accepted.unwrap_or_else(|rejection| panic!("{rejection}\n{proof}")).is_strict()
}

/// `write` sets one bit and then the other one. Who sees only the first one has seen it too early:
/// if it has responded before another one looks at the second bit, the order is lost.
const TWO_BITS: &str = r#"{"initial_global": "00",
    "requests": [["write", "w"], ["first", "f"], ["second", "s"]],
    "responses": [["ok", "ok"], ["no", "0"], ["yes", "1"]],
    "transitions": [["w", "00", "m", "10"], ["w", "10", "m", "10"], ["w", "11", "m", "11"],
        ["m", "10", "ok", "11"], ["m", "11", "ok", "11"],
        ["f", "00", "no", "00"], ["f", "10", "yes", "10"], ["f", "11", "yes", "11"],
        ["s", "00", "no", "00"], ["s", "10", "no", "10"], ["s", "11", "yes", "11"]]}"#;

/// Some number of those who write, at least one of them where the second bit is not set.
const ANY: &str = r#""in_flight": [{"request": "write", "local": "m", "count": 0, "period": 1}]"#;
const SOME: &str = r#""in_flight": [{"request": "write", "local": "m", "count": 1, "period": 1}]"#;

#[test]
fn who_is_explained_later_may_be_out_of_order() {
    // What `first` has seen is explained later: a debt until the other bit is set.
    let proof = format!(
        r#""invariant": [{{"global": "00", "serial": [{{"global": "00"}}]}},
            {{"global": "10", {SOME}, "serial": [{{"global": "00", "debts": [["first", "1"]]}}]}},
            {{"global": "11", {ANY}, "serial": [{{"global": "11"}}]}}]"#
    );
    assert!(!is_strict(TWO_BITS, &proof));
}

#[test]
fn who_is_explained_earlier_may_be_out_of_order() {
    // `write` commits to its response with its first step; `second` is inserted before that.
    let proof = format!(
        r#""labels": [{{"request": "write", "local": "m", "response": "ok"}}],
        "invariant": [
            {{"global": "00", "serial": [{{"global": "00", "loops": [["second", "0"]]}}]}},
            {{"global": "10", {ANY}, "serial": [{{"global": "11", "loops": [["second", "0"]]}}]}},
            {{"global": "11", {ANY}, "serial": [{{"global": "11"}}]}}]"#
    );
    assert!(!is_strict(TWO_BITS, &proof));
}

#[test]
fn what_may_be_inserted_but_is_not_changes_nothing() {
    // The same without `second`: nobody has to be inserted.
    let source = TWO_BITS.replace(r#", ["second", "s"]"#, "");
    for (loops, zero) in [("", ""), (r#", "loops": [["first", "0"]]"#, "")] {
        let proof = format!(
            r#""labels": [{{"request": "write", "local": "m", "response": "ok"}}],
            "invariant": [{{"global": "00"{zero}, "serial": [{{"global": "00"{loops}}}]}},
                {{"global": "10", {ANY}, "serial": [{{"global": "11"{loops}}}]}},
                {{"global": "11", {ANY}, "serial": [{{"global": "11"{loops}}}]}}]"#
        );
        assert!(is_strict(&source, &proof), "{loops}");
    }
}

#[test]
fn who_waits_for_an_edge_may_be_out_of_order() {
    // Once somebody has peeked, only those come who see what was there before.
    let source = r#"{"initial_global": "0",
        "requests": [["write", "w"], ["peek", "p"], ["old", "o"]],
        "responses": [["ok", "ok"], ["no", "0"], ["yes", "1"]],
        "transitions": [["w", "0", "m", "new"], ["m", "new", "ok", "1"], ["m", "seen", "ok", "1"],
            ["w", "1", "ok", "1"], ["p", "0", "no", "0"], ["p", "new", "yes", "seen"],
            ["p", "1", "yes", "1"], ["o", "0", "no", "0"], ["o", "new", "no", "new"],
            ["o", "seen", "no", "seen"], ["o", "1", "yes", "1"]]}"#;
    let one = r#""in_flight": [{"request": "write", "local": "m", "count": 1, "period": 0}]"#;
    let proof = format!(
        r#""invariant": [{{"global": "0", "serial": [{{"global": "0"}}]}},
            {{"global": "new", {one}, "serial": [{{"global": "0"}}]}},
            {{"global": "seen", {one}, "serial": [{{"global": "0", "waiting": ["peek", "1"]}}]}},
            {{"global": "1", "serial": [{{"global": "1"}}]}}]"#
    );
    assert!(!is_strict(source, &proof));
}

#[test]
fn who_is_explained_from_a_stand_in_may_be_out_of_order() {
    // `k` in the middle of an `a` leads to 1, where `set` changes nothing. One after the other they
    // stay in 0, where `set` puts an end to `c`, and so has to come last.
    let source = r#"{"initial_global": "0",
        "requests": [["a", "s"], ["k", "l"], ["set", "t"], ["c", "u"], ["z", "v"]],
        "responses": [["ok", "ok"]],
        "transitions": [["s", "0", "p", "P"], ["p", "P", "ok", "0"], ["p", "Q", "ok", "1"],
            ["l", "0", "ok", "0"], ["l", "P", "ok", "Q"], ["v", "0", "ok", "1"],
            ["t", "0", "ok", "2"], ["t", "1", "ok", "1"], ["t", "2", "ok", "2"],
            ["u", "0", "ok", "0"], ["u", "1", "ok", "1"]]}"#;
    let one = r#""in_flight": [{"request": "a", "local": "p", "count": 1, "period": 0}]"#;
    let proof = format!(
        r#""stand_ins": [{{"global": "0", "instead_of": "1"}}],
        "invariant": [{{"global": "0", "serial": [{{"global": "0"}}]}},
            {{"global": "P", {one}, "serial": [{{"global": "0"}}]}},
            {{"global": "Q", {one}, "serial": [{{"global": "0"}}]}},
            {{"global": "1", "serial": [{{"global": "1"}}]}},
            {{"global": "2", "serial": [{{"global": "2"}}]}}]"#
    );
    assert!(!is_strict(source, &proof));
}

#[test]
fn what_a_stand_in_needs_has_to_be_there() {
    // 0 stands in for 1 given `get/1`, which only those can insert who have been in 1.
    let source = r#"{"initial_global": "0",
        "requests": [["a", "s"], ["k", "l"], ["get", "g"], ["z", "v"]],
        "responses": [["ok", "ok"], ["no", "0"], ["yes", "1"]],
        "transitions": [["s", "0", "p", "P"], ["p", "P", "ok", "0"], ["p", "Q", "ok", "1"],
            ["l", "0", "ok", "0"], ["l", "P", "ok", "Q"], ["v", "0", "ok", "1"],
            ["g", "0", "no", "0"], ["g", "1", "yes", "1"]]}"#;
    let one = r#""in_flight": [{"request": "a", "local": "p", "count": 1, "period": 0}]"#;
    let proof = format!(
        r#""stand_ins": [{{"global": "0", "instead_of": "1", "loops": [["get", "1"]]}}],
        "invariant": [{{"global": "0", "serial": [{{"global": "0"}}]}},
            {{"global": "P", {one}, "serial": [{{"global": "0"}}]}},
            {{"global": "Q", {one}, "serial": [{{"global": "0"}}]}},
            {{"global": "1", "serial": [{{"global": "1"}}]}}]"#
    );
    let head = head(source);
    let text = format!(
        r#"{{ {head}, "verdict": "serializable", "proof": {{"method": "inclusion", {proof}}} }}"#
    );
    let message = verdict(source, &text);
    assert!(message.contains("no triple covers the successor"), "{message}");
}

/// A run of [`TWO_BITS`]: who looks at the second bit arrives before or after `first` responds.
fn look(arrival: &str, rest: &str) -> String {
    let second = r#"{"request": 3, "start": "second", "local": "s"}"#;
    let (early, late) = if arrival == "early" { (second, "") } else { ("", second) };
    let [first, events] = [
        r#"{"request": 1, "start": "write", "local": "w"},
            {"request": 1, "step": {"local": "m", "global": "10"}},
            {"request": 2, "start": "first", "local": "f"},"#,
        r#"{"request": 2, "step": {"local": "yes", "global": "10"}},
            {"request": 2, "respond": "1"},"#,
    ];
    let comma = |event: &str| if event.is_empty() { String::new() } else { format!("{event},") };
    let (early, late) = (comma(early), comma(late));
    let head = head(TWO_BITS);
    format!(
        r#"{{ {head}, "verdict": "not_serializable", "counterexample": {{
        "outcome": [{{"request": "write", "response": "ok", "count": 1}},
            {{"request": "first", "response": "1", "count": 1}},
            {{"request": "second", "response": "0", "count": 1}}], "run": [{first} {early} {events} {late}
            {{"request": 3, "step": {{"local": "no", "global": "10"}}}},
            {{"request": 3, "respond": "0"}},
            {{"request": 1, "step": {{"local": "ok", "global": "11"}}}},
            {{"request": 1, "respond": "ok"}}]{rest} }} }}"#
    )
}

#[test]
fn a_run_is_out_of_order_if_all_serial_runs_with_its_outcome_are() {
    let strict = r#", "strict": true"#;
    let table = [
        ("late", strict, "not strictly serializable: 3 requests in 10 events"),
        ("late", "", "outcome: this outcome is also reached serially"),
        ("early", strict, "outcome: this outcome is also reached serially"),
        ("early", "", "outcome: this outcome is also reached serially"),
    ];
    for (arrival, rest, expected) in table {
        let message = verdict(TWO_BITS, &look(arrival, rest));
        assert!(message.starts_with(expected), "{arrival} {rest}: {message}");
    }
}

#[test]
fn the_order_of_too_many_requests_is_not_looked_at() {
    let claim = |requests: u64| {
        let events = (1..=requests).map(|n| {
            format!(
                r#"{{"request": {n}, "start": "first", "local": "f"}},
                   {{"request": {n}, "step": {{"local": "no", "global": "00"}}}},
                   {{"request": {n}, "respond": "0"}}"#
            )
        });
        let events: Vec<String> = events.collect();
        let (head, events) = (head(TWO_BITS), events.join(","));
        format!(
            r#"{{ {head}, "verdict": "not_serializable", "counterexample": {{"strict": true,
            "outcome": [{{"request": "first", "response": "0", "count": {requests}}}],
            "run": [{events}] }} }}"#
        )
    };
    let message = verdict(TWO_BITS, &claim(64));
    assert!(message.contains("also reached serially"), "{message}");
    let message = verdict(TWO_BITS, &claim(65));
    assert!(!message.contains("serially"), "{message}");
    assert!(message.starts_with("outcome: "), "{message}");
}
