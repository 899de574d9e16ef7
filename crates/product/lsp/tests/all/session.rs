//! The session as a whole: texts in step, nothing stale, nothing that blocks, nothing that ends it.

use crate::client::{Client, edited, modern};
use ser_lsp::{Ending, Host};
use ser_report::{Report, Source};
use ser_session::method::Context;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const URI: &str = "file:///project/a.ser";
const OTHER: &str = "file:///project/b.ser";

const RACY: &str = "request take {\n    seen := Count;\n    yield;\n    if (seen < 2) { Count := seen + 1 };\n    seen\n}\n";

/// A small generator of random numbers, the same every time (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// The position of a place between characters, worked out the slow way.
fn position(text: &str, offset: usize, utf8: bool) -> Value {
    let (mut line, mut character) = (0, 0);
    let mut rest = text[..offset].chars().peekable();
    while let Some(c) = rest.next() {
        // A `\r` before the place in question never belongs to a `\r\n` that is split: see `place`.
        if c == '\n' || c == '\r' && rest.peek() != Some(&'\n') {
            (line, character) = (line + 1, 0);
        } else if c != '\r' {
            character += if utf8 { c.len_utf8() } else { c.len_utf16() };
        }
    }
    json!({"line": line, "character": character})
}

/// A random place between characters, but not inside `\r\n`.
fn place(random: &mut Random, text: &str) -> usize {
    loop {
        let offset = random.below(text.len() + 1);
        let splits = text[..].as_bytes().get(offset) == Some(&b'\n')
            && offset > 0
            && text.as_bytes()[offset - 1] == b'\r';
        if text.is_char_boundary(offset) && !splits {
            return offset;
        }
    }
}

const PIECES: [&str; 24] = [
    "yield;",
    "X := 1;",
    "x := X;",
    " ",
    "\n",
    "\r\n",
    "// größe 🙂\n",
    "/* é */",
    "{",
    "}",
    "(",
    ")",
    "if (X == 1) { 0 }",
    "while (Y == 0) { yield };",
    "request r { 1 }\n",
    "const N = 2\n",
    "X",
    "?",
    "🙂",
    "é",
    ":=",
    ";",
    "Y := x + 1;",
    "0",
];

fn random_edits(utf8: bool, edits: usize, seed: u64) {
    let mut capabilities = modern();
    if utf8 {
        capabilities["general"] = json!({"positionEncodings": ["utf-8", "utf-16"]});
    }
    let mut client = Client::with(Host::default(), json!({"capabilities": capabilities}));
    assert_eq!(client.capabilities["positionEncoding"], if utf8 { "utf-8" } else { "utf-16" });
    let mut random = Random(seed);
    let mut text = RACY.to_owned();
    client.open(URI, &text);
    let mut version = 1;
    for round in 0..edits {
        version += 1;
        let mut changes = Vec::new();
        // Now and then everything is replaced by something that can be checked.
        if random.below(12) == 0 {
            text = RACY.replace("2", random.pick(&["2", "3", "1 // é🙂\r\n"]));
            changes.push(json!({"text": text}));
        }
        for _ in 0..1 + random.below(3) {
            let (a, b) = (place(&mut random, &text), place(&mut random, &text));
            let (from, to) = (a.min(b), a.max(b));
            let to = if to - from > 12 { from } else { to };
            let piece = random.pick(&PIECES);
            let start = position(&text, from, utf8);
            let end = position(&text, to, utf8);
            changes.push(json!({"range": {"start": start, "end": end}, "text": piece}));
            text.replace_range(from..to, piece);
        }
        client.change(URI, version, json!(changes));
        match round % 50 {
            // Requests in between see the text as it is.
            7 => {
                let tokens = client.about("textDocument/semanticTokens/full", URI);
                assert!(tokens["data"].is_array());
            }
            13 => client.listen(Duration::from_millis(60)),
            29 => {
                let end = position(&text, text.len(), utf8);
                for method in ["textDocument/hover", "textDocument/completion"] {
                    client.at(method, URI, end.clone());
                }
            }
            _ => {}
        }
    }
    // The same text, opened fresh, looks the same in every way: the text as it is, most likely
    // broken, and one that breaks in another way.
    looks_fresh(&mut client, version, 1, &text, 1);
    let all = json!({"start": position(&text, 0, utf8), "end": position(&text, text.len(), utf8)});
    let whole = RACY.replace("seen + 1", "/* 🙂 */ seen + 1");
    client.change(URI, version + 1, json!([{"range": all, "text": whole}]));
    looks_fresh(&mut client, version + 1, 2, &whole, 3);
    // Versions never go back.
    let versions: Vec<i64> =
        client.published.iter().filter(|p| p.0 == URI).filter_map(|p| p.1).collect();
    assert!(versions.is_sorted(), "{versions:?}");
    assert_eq!(versions.last(), Some(&i64::from(version + 1)));
    client.close();
}

/// Compares a document with another one that is opened with the text that it should have. What is
/// known in the end has been published after `news` messages.
fn looks_fresh(client: &mut Client, version: i32, fresh: i32, text: &str, news: usize) {
    let item = json!({"uri": OTHER, "languageId": "ser", "version": fresh, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": item}));
    for (uri, version) in [(URI, version), (OTHER, fresh)] {
        client.verdict(uri, version);
        let of = |p: &&(String, Option<i64>, Value)| p.0 == uri && p.1 == Some(i64::from(version));
        client.until(|c| c.published.iter().filter(of).count() >= news);
    }
    for method in ["semanticTokens/full", "documentSymbol", "foldingRange", "codeLens"] {
        let method = format!("textDocument/{method}");
        let answer = client.about(&method, URI).to_string();
        let fresh = client.about(&method, OTHER).to_string().replace(OTHER, URI);
        assert_eq!(answer, fresh, "{method}");
    }
    let last = client.diagnostics(URI).to_string();
    assert_eq!(last, client.diagnostics(OTHER).to_string().replace(OTHER, URI), "{text}");
}

#[test]
fn a_thousand_random_edits_leave_server_and_client_with_the_same_text() {
    random_edits(false, 1000, 0x5e12);
}

#[test]
fn random_edits_counted_in_bytes_do_so_too() {
    random_edits(true, 300, 0xbeef);
}

#[test]
fn the_text_that_the_server_has_can_be_read_back() {
    // A broken text has no layout, so the text is made whole first, by changes in several places.
    let mut client = Client::new();
    client.open(URI, "request main {\r\n  // größe 🙂 X\r\n  X := 1\r\n  yield }");
    let at = |line: u32, character: u32| json!({"line": line, "character": character});
    let change =
        |a: Value, b: Value, text: &str| json!({"range": {"start": a, "end": b}, "text": text});
    // Changes of one message apply one after the other.
    let changes = json!([
        change(at(2, 8), at(2, 8), ";"),
        change(at(1, 14), at(1, 15), "Y"),
        change(at(2, 2), at(2, 3), "Z"),
    ]);
    client.change(URI, 2, changes);
    let edits = client.layout(URI);
    let text = edits[0]["newText"].as_str().expect("a layout").replace("\r\n", "\n");
    assert_eq!(text, "request main {\n    // größe 🙂 Y\n    Z := 1;\n    yield\n}\n");
    let before = "request main {\r\n  // größe 🙂 Y\r\n  Z := 1;\r\n  yield }";
    assert_eq!(edited(before, &edits).replace("\r\n", "\n"), text, "the whole text is replaced");
    client.close();
}

/// Many independent cells that never come to an answer within the time of a test.
fn heavy() -> String {
    // Counters that wrap, and a sum of them that is not read at once.
    let mut text = String::from("const N = 40\nrequest sum { s := 0; ");
    for i in 0..6 {
        text += &format!("s := s + X{i}; yield; ");
    }
    text += "s }\n";
    for i in 0..6 {
        text += &format!(
            "request r{i} {{ x := X{i}; if (x < N) {{ X{i} := x + 1 }} else {{ X{i} := 0 }}; x }}\n"
        );
    }
    text
}

/// A check that takes until it is called off.
fn slow(source: &Arc<Source>, context: &Context<'_>) -> Vec<Report> {
    if source.text.contains("SLOW") {
        while context.limits.check_clock().is_ok() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    (Host::default().answer)(source, context)
}

fn host(answer: fn(&Arc<Source>, &Context<'_>) -> Vec<Report>) -> Host {
    Host { answer, ..Host::default() }
}

#[test]
fn a_panic_of_the_parser_leaves_nothing_of_the_old_text_and_nobody_waiting() {
    let parse = |text: &str| {
        assert!(!text.contains("PANIC"), "boom");
        ser_syntax::parse(text)
    };
    for capabilities in [modern(), json!({})] {
        let host = Host { parse, ..Host::default() };
        let mut client = Client::with(host, json!({"capabilities": capabilities}));
        client.open(URI, RACY);
        client.verdict(URI, 1);
        client.replace(URI, 2, &format!("{RACY}// PANIC"));
        // A client that cannot refresh would wait for a check.
        let lenses = client.about("textDocument/codeLens", URI);
        assert!(lenses.to_string().contains("boom"), "{lenses}");
        assert_eq!(client.about("textDocument/documentSymbol", URI), json!([]), "no old symbols");
        assert_eq!(client.verdict(URI, 2)["verdict"], "unknown");
        assert!(client.log.iter().all(|l| l.contains("boom")) && client.log.len() == 1);
        client.replace(URI, 3, RACY);
        assert_eq!(client.verdict(URI, 3)["verdict"], "not_serializable");
        client.log.clear();
        client.close();
    }
}

/// How many deaf checks run, and the most that ever did.
static DEAF: (AtomicUsize, AtomicUsize) = (AtomicUsize::new(0), AtomicUsize::new(0));

/// A check that does not listen for a while.
fn deaf(source: &Arc<Source>, context: &Context<'_>) -> Vec<Report> {
    if source.text.contains("DEAF") {
        let now = DEAF.0.fetch_add(1, Ordering::SeqCst) + 1;
        DEAF.1.fetch_max(now, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(1500));
        DEAF.0.fetch_sub(1, Ordering::SeqCst);
    }
    (Host::default().answer)(source, context)
}

#[test]
fn checks_that_were_called_off_do_not_pile_up() {
    let mut client = Client::with(host(deaf), json!({"capabilities": modern()}));
    // Each of these is checked at once, and called off by the next.
    for i in 0..40 {
        let item = json!({"uri": URI, "languageId": "ser", "version": i, "text": "// DEAF\nrequest a { 1 }"});
        client.notify("textDocument/didOpen", json!({"textDocument": item}));
        client.listen(Duration::from_millis(10));
    }
    client.replace(URI, 99, RACY);
    assert_eq!(client.verdict(URI, 99)["verdict"], "not_serializable", "it had its turn");
    let most = DEAF.1.load(Ordering::SeqCst);
    assert!((4..=12).contains(&most), "{most} at the same time");
    client.close();
}

#[test]
fn a_thousand_cursors_in_a_long_text_are_one_change() {
    let line = "// 🙂 a line that is long enough to be in a text of some size, as texts go\r\n";
    let mut client = Client::new();
    client.open(URI, &line.repeat(20_000));
    let at = |line: usize| json!({"line": line * 20, "character": 3});
    let insert = |line: usize| json!({"range": {"start": at(line), "end": at(line)}, "text": "é"});
    let started = Instant::now();
    client.change(URI, 2, (0..1000).rev().map(insert).collect());
    client.until(|c| c.published.iter().any(|p| p.1 == Some(2)));
    // Far less; how much less depends on the machine.
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    client.close();
}

#[test]
fn an_edit_calls_the_check_off_and_has_its_own_answer_soon() {
    let mut client = Client::new();
    client.open(URI, &heavy());
    client.listen(Duration::from_millis(400));
    assert!(client.verdicts.is_empty(), "it is heavy");
    // While it runs, everything else goes on: none of this waits for the check.
    client.about("textDocument/documentSymbol", URI);
    assert!(client.verdicts.is_empty(), "it still runs");
    client.replace(URI, 2, RACY);
    assert_eq!(client.verdict(URI, 2)["verdict"], "not_serializable");
    client.listen(Duration::from_millis(200));
    assert!(client.published.iter().all(|p| p.0 == URI));
    client.close();
}

#[test]
fn a_check_ends_with_its_time() {
    let options = json!({"timeout": 0.2});
    let params = json!({"capabilities": modern(), "initializationOptions": options});
    let mut client = Client::with(host(slow), params);
    client.open(URI, "// SLOW\nrequest main { X := 1; yield; y := X; X := 0; y }");
    let verdict = client.verdict(URI, 1);
    assert_eq!(verdict["verdict"], "unknown");
    assert_eq!(client.diagnostics(URI)[0]["severity"], 3, "for information");
    assert_eq!(client.diagnostics(URI)[0]["code"], "unknown");
    client.close();
}

#[test]
fn slow_checks_of_some_documents_do_not_keep_others_waiting() {
    let mut client = Client::with(host(slow), json!({"capabilities": modern()}));
    for i in 0..2 {
        client.open(&format!("file:///slow{i}.ser"), "// SLOW\nrequest main { X }");
    }
    client.listen(Duration::from_millis(100));
    client.open(URI, RACY);
    assert_eq!(client.verdict(URI, 1)["verdict"], "not_serializable");
    assert_eq!(client.verdicts.len(), 1);
    client.close();
}

#[test]
fn lenses_say_that_a_check_is_under_way() {
    let mut client = Client::with(host(slow), json!({"capabilities": modern()}));
    client.open(URI, "// SLOW\nrequest main { X }");
    let lenses = client.about("textDocument/codeLens", URI);
    assert_eq!(lenses[0]["command"]["title"], "checking…");
    client.close();
}

#[test]
fn a_request_that_waits_is_answered_when_the_text_changes_or_nobody_wants_it() {
    let mut client = Client::with(host(slow), json!({"capabilities": {}}));
    client.open(URI, "// SLOW\nrequest main { X }");
    let lens = |client: &mut Client| {
        client.ask("textDocument/codeLens", json!({"textDocument": {"uri": URI}}))
    };
    let first = lens(&mut client);
    client.replace(URI, 2, "// SLOW\nrequest main { Y }");
    assert_eq!(client.answer(&first).expect_err("stale").code, -32801);
    let second = lens(&mut client);
    client.notify("$/cancelRequest", json!({"id": 3}));
    assert_eq!(client.answer(&second).expect_err("cancelled").code, -32800);
    client.close();
}

#[test]
fn a_panic_in_a_check_is_told_and_the_session_goes_on() {
    let check = |source: &Arc<Source>, context: &Context<'_>| {
        assert!(!source.text.contains("PANIC"), "boom");
        (Host::default().answer)(source, context)
    };
    let mut client = Client::with(host(check), json!({"capabilities": modern()}));
    client.open(URI, "// PANIC\nrequest main { X }");
    assert_eq!(client.verdict(URI, 1)["verdict"], "unknown");
    client.until(|c| !c.log.is_empty());
    assert!(client.log[0].contains("boom"), "{:?}", client.log);
    client.replace(URI, 2, RACY);
    assert_eq!(client.verdict(URI, 2)["verdict"], "not_serializable");
    client.log.clear();
    client.close();
}

/// A check that takes its time and does not listen: its answers come when nobody wants them.
fn stubborn(source: &Arc<Source>, context: &Context<'_>) -> Vec<Report> {
    std::thread::sleep(Duration::from_millis(80));
    let limits = ser_base::Limits::default();
    let settle = |reports| (context.settle)(reports);
    let context =
        Context { limits: &limits, progress: &|_| (), wants: context.wants, settle: &settle };
    (Host::default().answer)(source, &context)
}

#[test]
fn what_is_published_is_never_about_an_older_text() {
    let mut client = Client::with(host(stubborn), json!({"capabilities": modern()}));
    client.open(URI, RACY);
    let broken = "request take { x = 1 }";
    for version in 2..60 {
        let text = if version % 2 == 0 { broken } else { RACY };
        client.replace(URI, version, text);
        client.listen(Duration::from_millis(u64::try_from(version).unwrap_or(0) % 7 * 30));
    }
    client.verdict(URI, 59);
    for (_, version, list) in &client.published {
        let version = version.expect("a version");
        let codes: Vec<&str> =
            list.as_array().unwrap().iter().filter_map(|d| d["code"].as_str()).collect();
        let allowed: &[&[&str]] = match version % 2 {
            0 => &[&["equals-for-assignment"]],
            _ => &[&[], &["not-serializable"]],
        };
        assert!(allowed.contains(&codes.as_slice()), "{version}: {codes:?}");
    }
    assert_eq!(client.diagnostics(URI)[0]["code"], "not-serializable");
    client.close();
}

#[test]
fn a_closed_document_has_no_diagnostics_and_is_forgotten() {
    let mut client = Client::new();
    client.open(URI, RACY);
    client.open(OTHER, "request main { x = 1 }");
    client.verdict(URI, 1);
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    client.until(|c| c.published.last().is_some_and(|p| p.0 == URI && p.2 == json!([])));
    assert_eq!(client.about("textDocument/documentSymbol", URI), Value::Null);
    assert_eq!(client.diagnostics(OTHER)[0]["code"], "equals-for-assignment");
    // Opened again, it is a new document, whatever its version.
    client.published.clear();
    client.verdicts.clear();
    client.open(URI, RACY);
    client.verdict(URI, 1);
    assert_eq!(client.diagnostics(URI)[0]["code"], "not-serializable");
    client.close();
}

#[test]
fn what_is_not_understood_is_answered_with_an_error_and_has_no_effect() {
    let mut client = Client::new();
    client.open(URI, RACY);
    let unknown = client.try_request("textDocument/noSuchThing", json!({}));
    assert_eq!(unknown.expect_err("unknown").code, -32601);
    let nonsense = client.try_request("textDocument/hover", json!({"nonsense": 1}));
    assert_eq!(nonsense.expect_err("nonsense").code, -32602);
    let far = json!({"line": 4_000_000_000u32, "character": 4_000_000_000u32});
    for method in ["hover", "definition", "documentHighlight", "completion", "prepareRename"] {
        client.at(&format!("textDocument/{method}"), URI, far.clone());
    }
    let uri = "file:///nowhere.ser";
    assert_eq!(client.about("textDocument/documentSymbol", uri), Value::Null);
    client.notify("textDocument/didChange", json!({"textDocument": 7}));
    client.change(uri, 2, json!([{"text": "x"}]));
    client.notify("noSuchThing", json!(null));
    client.verdict(URI, 1);
    assert!(!client.about("textDocument/documentSymbol", URI).is_null(), "still there");
    assert_eq!(client.log.len(), 2, "{:?}", client.log);
    client.log.clear();
    client.close();
}

#[test]
fn huge_deep_and_binary_texts_are_no_trouble() {
    let mut client = Client::new();
    let texts = [
        "(".repeat(100_000),
        "request r { 1 }\n".repeat(20_000),
        "\0\u{1}\u{2}".repeat(100),
        "request main { ".to_owned() + &"if (1) { ".repeat(5_000),
        "x".repeat(5 << 20),
        String::new(),
    ];
    for (i, text) in texts.iter().enumerate() {
        let version = i as i32 + 2;
        match i {
            0 => client.open(URI, text),
            _ => client.replace(URI, version, text),
        }
        let version = if i == 0 { 1 } else { i64::from(version) };
        client.until(|c| c.published.iter().any(|p| p.1 == Some(version)));
        client.about("textDocument/semanticTokens/full", URI);
        client.about("textDocument/foldingRange", URI);
    }
    client.close();
}

#[test]
fn without_a_shutdown_the_end_is_abrupt() {
    assert_eq!(Client::new().leave(), Ending::Abrupt);
}

#[test]
fn after_a_shutdown_there_are_no_answers() {
    let mut client = Client::new();
    assert_eq!(client.request("shutdown", Value::Null), Value::Null);
    let late = client.try_request("textDocument/hover", json!({}));
    assert_eq!(late.expect_err("late").code, -32600);
    assert_eq!(client.leave(), Ending::Orderly);
}

#[test]
fn wishes_that_are_not_understood_are_told() {
    let params = json!({"capabilities": modern(), "initializationOptions": {"timeout": "long"}});
    let mut client = Client::with(Host::default(), params);
    client.until(|c| !c.log.is_empty());
    assert!(client.log[0].contains("timeout"));
    client.log.clear();
    client.close();
}

#[test]
fn lenses_and_hints_can_be_switched_off() {
    let options = json!({"inlayHints": false, "codeLens": false});
    let params = json!({"capabilities": modern(), "initializationOptions": options});
    let mut client = Client::with(Host::default(), params);
    assert!(client.capabilities["codeLensProvider"].is_null());
    assert!(client.capabilities["inlayHintProvider"].is_null());
    client.open(URI, RACY);
    client.verdict(URI, 1);
    client.listen(Duration::from_millis(50));
    assert!(client.asked.is_empty());
    client.close();
}
