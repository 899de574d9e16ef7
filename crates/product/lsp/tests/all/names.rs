//! What is told about names: types and values, members and fields, places, other names.

use crate::client::{Client, edited, find, strings};
use serde_json::{Value, json};

const URI: &str = "file:///project/shop.ser";

const TYPED: &str = "\
const LAST = 1
enum Seat { free, held, sold }
record Order { seat: Seat, paid: bool }
type Row = 0..LAST
var Plan: [Row] of Seat
var Orders: [0..LAST] of Order
lock Till

fn first(low: Row) {
    for i in 0..LAST { if Plan[i] == free { return i } };
    low
}

request buy(i in Row, wanted in Seat) {
    with Till {
        seat := first(i);
        order := Orders[i];
        if order.paid { abort };
        Orders[i] := Order(wanted, true);
        Plan[seat] := held;
        seat
    }
}

invariant room: Plan[0] != sold
";

const PROCESSES: &str = "\
enum Vote { none, yes }
var Q: queue[2] of 0..3
var V: Vote
process Put(id in 0..1) { for k in 1..2 { send k to Q }; V := yes }
process Take { x := recv Q; await V == yes; skip }
reach \"both\": done(Put(1)) && len(Q) == 0
";

fn opened(text: &str) -> Client {
    let mut client = Client::new();
    client.open(URI, text);
    client.published(URI, 1);
    client
}

fn hover(client: &mut Client, text: &str, what: &str, nth: usize) -> String {
    let hover = client.at("textDocument/hover", URI, find(text, what, nth));
    hover["contents"]["value"].as_str().unwrap_or("").to_owned()
}

/// What is told at the first place of each of these, and of each with a number, at that place.
fn told(text: &str, all: &[(&str, usize)]) -> String {
    let mut client = opened(text);
    let told = all.iter().map(|(what, nth)| hover(&mut client, text, what, *nth));
    let told = told.collect::<Vec<_>>().join("\n\n---\n\n");
    client.close();
    told
}

#[test]
fn hovering_tells_types_and_ranges() {
    let mut client = opened(TYPED);
    // Values come after the verdict.
    for _ in 0..1000 {
        if hover(&mut client, TYPED, "Plan", 0).contains("no other values") {
            break;
        }
        client.listen(std::time::Duration::from_millis(10));
    }
    let all = [
        ("LAST", 1),
        ("free", 0),
        ("Seat", 1),
        ("paid", 1),
        ("Row", 1),
        ("Plan", 1),
        ("Orders", 1),
        ("Till", 1),
        ("first", 1),
        ("low", 1),
        ("i in 0", 0),
        ("i in Row", 0),
        ("wanted", 1),
        ("seat :=", 0),
        ("order.", 0),
        ("room", 0),
        ("with", 0),
    ];
    let told: Vec<String> =
        all.iter().map(|(what, nth)| hover(&mut client, TYPED, what, *nth)).collect();
    insta::assert_snapshot!(told.join("\n\n---\n\n"));
    client.close();
}

#[test]
fn hovering_tells_the_same_about_processes() {
    let all = [
        ("Vote", 1),
        ("yes", 1),
        ("Q }", 0),
        ("V ==", 0),
        ("Put", 1),
        ("id", 0),
        ("k to", 0),
        ("x :=", 0),
        ("await", 0),
    ];
    insta::assert_snapshot!(told(PROCESSES, &all));
}

/// The labels of what is offered at a `@` in a text.
fn offered(client: &mut Client, text: &str) -> Vec<String> {
    let at = find(text, "@", 0);
    client.open(URI, &text.replacen('@', "", 1));
    let items = client.at("textDocument/completion", URI, at);
    strings(&items, "label").into_iter().map(str::to_owned).collect()
}

#[test]
fn completion_knows_fields_members_and_what_fits() {
    let mut client = Client::new();
    let inside = |line: &str| {
        TYPED.replacen("        seat\n", &format!("        {line}\n        seat\n"), 1)
    };
    let mut starts = |text: &str, expected: &[&str]| {
        let offered = offered(&mut client, text);
        let first: Vec<&str> = offered.iter().take(expected.len()).map(String::as_str).collect();
        assert_eq!(first, expected, "{text}: {offered:?}");
        offered
    };
    let only = |offered: Vec<String>, size: usize| assert_eq!(offered.len(), size, "{offered:?}");
    only(starts(&inside("order.@"), &["seat", "paid"]), 2);
    only(starts(&inside("order.p@"), &["seat", "paid"]), 2);
    only(starts(&inside("x := Orders[first(0)].@;"), &["seat", "paid"]), 2);
    only(starts(&inside("x := Seat.@;"), &["free", "held", "sold"]), 3);
    only(starts(&inside("x := seat.@;"), &[]), 0);
    starts(&inside("if order.seat == @"), &["free", "held", "sold"]);
    starts(&inside("Plan[0] := @;"), &["free", "held", "sold"]);
    starts(&inside("Orders[0].paid := @;"), &["false", "true"]);
    starts(&inside("Orders[0] := @;"), &["Order(seat: free, paid: false)"]);
    starts(
        &inside("Orders := @;"),
        &["[Order(seat: free, paid: false), Order(seat: free, paid: false)]"],
    );
    starts(&inside("x := Order(@);"), &["seat: ", "paid: "]);
    starts(&inside("x := Order(seat: @);"), &["free", "held", "sold"]);
    starts(&inside("match wanted { @"), &["free", "held", "sold", "_"]);
    starts(&inside("match wanted { free => 1, @"), &["free", "held", "sold", "_"]);
    only(starts(&inside("with @"), &["Till"]), 1);
    starts(&inside("var x: @"), &["LAST", "Seat", "Order", "Row", "bool", "int"]);
    // What two enumerations have is told apart.
    let twice = inside("wanted == @").replace("enum Seat", "enum Door { free, shut }\nenum Seat");
    starts(&twice, &["Seat.free", "held", "sold"]);
    let values = starts(&inside("x := @;"), &[]);
    for wanted in ["first", "max", "wanted", "order", "Plan", "LAST", "free", "choose"] {
        assert!(values.iter().any(|it| it == wanted), "{wanted} in {values:?}");
    }
    for other in ["Seat", "paid", "yield", "room", "low", "send"] {
        assert!(!values.iter().any(|it| it == other), "{other} in {values:?}");
    }
    client.close();
}

#[test]
fn completion_in_processes_knows_queues_and_processes() {
    let mut client = Client::new();
    let with = |old: &str, new: &str| PROCESSES.replacen(old, new, 1);
    let mut is = |text: &str, expected: &[&str]| {
        assert_eq!(offered(&mut client, text), expected, "{text}");
    };
    is(&with("recv Q", "recv @"), &["Q"]);
    is(&with("send k to Q", "send k to @"), &["Q"]);
    is(&with("send k to Q", "send k @"), &["and", "or", "to"]);
    is(&with("done(Put(1))", "done(@"), &["Put", "Take"]);
    let statements = offered(&mut client, &with("skip }", "@ }"));
    for wanted in ["send", "recv", "await", "atomic", "x", "V"] {
        assert!(statements.iter().any(|it| it == wanted), "{wanted} in {statements:?}");
    }
    for other in ["yield", "abort", "k", "id", "Put"] {
        assert!(!statements.iter().any(|it| it == other), "{other} in {statements:?}");
    }
    let compared = offered(&mut client, &with("V == yes", "V == @"));
    assert_eq!(compared[..2], ["none", "yes"]);
    client.close();
}

#[test]
fn completion_in_messages_knows_cases_sets_and_message_types() {
    let text = "set Q\nmsg Vote = Yes | No\nprocess p { for q in Q { v := recv Vote; } w := recv Vote; match w { Yes => { } No => { } } if w == No { } }\nprocess worker for q in Q { send Yes to p; }\n";
    let mut client = Client::new();
    let mut is = |old: &str, new: &str, expected: &[&str]| {
        assert_eq!(offered(&mut client, &text.replacen(old, new, 1)), expected, "{new}");
    };
    is("recv Vote; match", "recv @; match", &["Vote"]);
    is("for q in Q {", "for q in @ {", &["Q"]);
    is("match w { Yes", "match w { @ Yes", &["No", "Yes"]);
    is("w == No", "w == @", &["No", "Yes"]);
    client.close();
}

fn renamed(client: &mut Client, text: &str, at: Value, name: &str) -> Result<String, String> {
    let params = json!({"textDocument": {"uri": URI}, "position": at, "newName": name});
    let edit = client.try_request("textDocument/rename", params).map_err(|it| it.message)?;
    Ok(edited(text, &edit["documentChanges"][0]["edits"]))
}

#[test]
fn names_of_processes_lead_to_each_other_and_have_other_names() {
    let mut client = opened(PROCESSES);
    let place = client.at("textDocument/definition", URI, find(PROCESSES, "Put", 1));
    assert_eq!(place["range"]["start"], find(PROCESSES, "Put", 0));
    let marks = client.at("textDocument/documentHighlight", URI, find(PROCESSES, "Q", 2));
    assert_eq!(marks.as_array().unwrap().len(), 4);
    let after = renamed(&mut client, PROCESSES, find(PROCESSES, "Put", 1), "Writer");
    assert_eq!(after, Ok(PROCESSES.replace("Put", "Writer")));
    let refused = renamed(&mut client, PROCESSES, find(PROCESSES, "Put", 1), "Take");
    assert_eq!(refused, Err("there is a `Take` already".to_owned()));
    client.close();
}

#[test]
fn names_in_messages_and_threads_have_other_names() {
    let messages = "set Q\nmsg Ping = Ping(Q, int)\nprocess p { for x in Q { Ping(id, n) := recv Ping; } }\nprocess worker for q in Q { send Ping(q, 1) to p; }\n";
    let mut client = opened(messages);
    let prepared = client.at("textDocument/prepareRename", URI, find(messages, "p {", 0));
    assert_eq!(prepared["placeholder"], "p");
    let after = renamed(&mut client, messages, find(messages, "p;", 0), "master");
    let expected = messages.replace("process p", "process master").replace("to p", "to master");
    assert_eq!(after, Ok(expected));
    client.close();

    let threads = "set T\nvar x: int = 0\nprocess thread for t in T { take: x := x + 1; }\ninvariant low(i): at(i, take) -> x >= 0\n";
    let mut client = opened(threads);
    let after = renamed(&mut client, threads, find(threads, "take", 0), "get");
    assert_eq!(after, Ok(threads.replace("take", "get")));
    client.close();
}

#[test]
fn the_outline_has_all_items() {
    let mut client = opened(TYPED);
    let symbols = client.about("textDocument/documentSymbol", URI);
    let names = ["LAST", "Seat", "Order", "Row", "Plan", "Orders", "Till", "first", "buy", "room"];
    assert_eq!(strings(&symbols, "name"), names);
    assert_eq!(strings(&symbols[1]["children"], "name"), ["free", "held", "sold"]);
    assert_eq!(symbols[2]["children"][1]["detail"], "bool");
    assert_eq!(strings(&symbols[7]["children"], "name"), ["low", "i"]);
    client.close();

    let mut client = opened(PROCESSES);
    let symbols = client.about("textDocument/documentSymbol", URI);
    assert_eq!(strings(&symbols, "name"), ["Vote", "Q", "V", "Put", "Take", "both"]);
    assert_eq!(symbols[3]["detail"], "process (id in 0..1)");
    assert_eq!(strings(&symbols[3]["children"], "name"), ["id", "k"]);
    client.close();
}
