//! Everything that has a name can have another one, unless that would change what the text means.

use ser_base::Span;
use ser_editing::{RenameError, rename};
use ser_syntax::lexer::{TokenKind, lex};
use std::path::{Path, PathBuf};

fn examples(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            examples(&path, out);
        } else if path.extension().is_some_and(|it| it == "ser") {
            out.push(path);
        }
    }
}

fn replaced(text: &str, places: &[Span], name: &str) -> String {
    let mut out = text.to_owned();
    for place in places.iter().rev() {
        out.replace_range(place.range(), name);
    }
    out
}

#[test]
fn every_name_of_the_examples_can_be_another_and_back() {
    let mut files = Vec::new();
    examples(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../examples"), &mut files);
    let mut count = 0;
    for file in &files {
        let text = std::fs::read_to_string(file).expect("an example");
        // The long ones are alike, and what uses other files stays as it is.
        if text.len() > 3_000 || text.contains("\nuse \"") {
            continue;
        }
        let mut done: Vec<Span> = Vec::new();
        for token in lex(&text).iter().filter(|it| it.kind == TokenKind::Name) {
            let old = token.text(&text);
            let upper = old.starts_with(char::is_uppercase);
            let name = if upper { "Zz9" } else { "zz9" };
            if done.contains(&token.span) {
                continue;
            }
            // Words are no names, and `_` is everything.
            let Ok(places) = rename(&text, token.span.start, name) else {
                let error = rename(&text, token.span.start, name).expect_err("just seen");
                let said = error.to_string();
                assert!(said == "there is no name here" || old == "_", "{file:?} {old}: {said}");
                continue;
            };
            let there = replaced(&text, &places, name);
            let first = places.first().expect("a place").start;
            let back = rename(&there, first, old).expect("the way back");
            assert_eq!(replaced(&there, &back, old), text, "{file:?}: {old}");
            done.extend(places);
            count += 1;
        }
    }
    assert!(count > 500, "{count} names in {} files", files.len());
}

const TEXT: &str = "const n = 2
enum Seat { free, held }
record Order { seat: Seat, paid: bool }
var Plan: [0..n] of Order
lock Till
X := n
fn find(low) { for i in 0..n { if Plan[i].seat == free { return i } }; low }
request a(p in 0..n) { x := X; yield; with Till { X := x + p }; find(0) }
request b { y := Y; Plan[0] := Order(seat: Seat.held, paid: true); y }
invariant room: X <= 3";

const PROCESSES: &str = "enum Vote { none, yes }
var Q: queue[2] of 0..3
var V: Vote
process Put(id in 0..1) { for k in 1..2 { send k to Q }; left := id; V := yes; V := none; left := 2 }
process Take { x := recv Q; await V == yes }
reach done(Put(1)) && len(Q) == 0";

const MESSAGES: &str = "set Q
msg Ping = Ping(Q, int)
process p { for x in Q { Ping(id, n) := recv Ping; assert n == 1; } }
process worker for q in Q { send Ping(q, 1) to p; }";

const THREADS: &str = "set T
var x: int = 0
process thread for t in T { var y: int = 0; take: y := x; crit: { put: x := y + 1; } }
invariant low(i): at(i, crit) -> y[i] <= x
invariant more { one: x >= 0; }
proof { low { at take self use more.one; } }";

/// The text with another name for what stands at the `nth` place of a word.
fn again(text: &str, old: &str, nth: usize, new: &str) -> Result<String, RenameError> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let whole = |(at, _): &(usize, &str)| {
        !text[..*at].ends_with(is_word) && !text[at + old.len()..].starts_with(is_word)
    };
    let mut found = text.match_indices(old).filter(whole);
    let (at, _) = found.nth(nth).expect("there is one");
    rename(text, at as u32, new).map(|places| replaced(text, &places, new))
}

/// The lines that are not the same any more.
fn lines(before: &str, after: &str) -> Vec<String> {
    let pairs = before.lines().zip(after.lines());
    pairs.filter(|(a, b)| a != b).map(|(_, b)| b.to_owned()).collect()
}

fn shown(text: &str, old: &str, new: &str) -> String {
    match again(text, old, 0, new) {
        Ok(after) => lines(text, &after).join("\n"),
        Err(error) => format!("refused: {error}"),
    }
}

#[test]
fn every_place_changes_and_nothing_else() {
    let all = [
        (TEXT, "n", "Limit"),
        (TEXT, "free", "empty"),
        (TEXT, "held", "taken"),
        (TEXT, "Seat", "Chair"),
        (TEXT, "Order", "Booking"),
        (TEXT, "paid", "done"),
        (TEXT, "seat", "place"),
        (TEXT, "Plan", "Room"),
        (TEXT, "Till", "Desk"),
        (TEXT, "find", "first"),
        (TEXT, "low", "from"),
        (TEXT, "i", "index"),
        (TEXT, "p", "more"),
        (TEXT, "x", "y"),
        (TEXT, "room", "space"),
        (TEXT, "b", "other"),
        (PROCESSES, "Vote", "Answer"),
        (PROCESSES, "Q", "Queue"),
        (PROCESSES, "yes", "no"),
        (PROCESSES, "Put", "Writer"),
        (PROCESSES, "id", "k2"),
        (PROCESSES, "k", "i"),
        (PROCESSES, "left", "rest"),
        (PROCESSES, "x", "left"),
        (MESSAGES, "Q", "Workers"),
        (MESSAGES, "Ping", "Pong"),
        (MESSAGES, "x", "y"),
        (MESSAGES, "id", "who"),
        (MESSAGES, "n", "number"),
        (MESSAGES, "p", "master"),
        (MESSAGES, "q", "me"),
        (THREADS, "T", "Threads"),
        (THREADS, "x", "z"),
        (THREADS, "thread", "worker"),
        (THREADS, "t", "me"),
        (THREADS, "y", "z"),
        (THREADS, "take", "get"),
        (THREADS, "crit", "inside"),
        (THREADS, "low", "bound"),
        (THREADS, "i", "j"),
        (THREADS, "one", "first"),
    ];
    let told = all.map(|(text, old, new)| format!("{old} -> {new}\n{}\n", shown(text, old, new)));
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn what_cannot_be_is_refused_with_the_reason() {
    let all = [
        (TEXT, "X", ""),
        (TEXT, "X", " Z"),
        (TEXT, "X", "9"),
        (TEXT, "X", "Ümlaut"),
        (TEXT, "X", "Z//"),
        (TEXT, "X", "yield"),
        (TEXT, "x", "true"),
        (TEXT, "x", "null"),
        (TEXT, "X", "x2"),
        (TEXT, "p", "P"),
        (TEXT, "X", "Y"),
        (TEXT, "x", "p"),
        (TEXT, "p", "x"),
        (TEXT, "x", "n"),
        (TEXT, "x", "free"),
        (TEXT, "free", "held"),
        (TEXT, "free", "X"),
        (TEXT, "seat", "paid"),
        (TEXT, "Seat", "Order"),
        (TEXT, "Seat", "Plan"),
        (TEXT, "a", "b"),
        (TEXT, "find", "min"),
        (TEXT, "find", "Find"),
        (TEXT, "i", "low"),
        (PROCESSES, "Put", "Take"),
        (PROCESSES, "Q", "V"),
        (PROCESSES, "k", "id"),
        (PROCESSES, "left", "yes"),
        (PROCESSES, "left", "Left"),
        (MESSAGES, "p", "worker"),
        (MESSAGES, "id", "n"),
        (MESSAGES, "Q", "Ping"),
        (THREADS, "x", "y"),
        (THREADS, "take", "crit"),
        (THREADS, "low", "more"),
    ];
    let told = all.map(|(text, old, new)| format!("{old} -> {new}: {}", shown(text, old, new)));
    insta::assert_snapshot!(told.join("\n"));
    assert_eq!(rename(TEXT, 0, "Z"), Err(RenameError::NothingHere));
    assert_eq!(rename("request a { x := 1; y := }", 12, "z"), Err(RenameError::HasErrors));
}
