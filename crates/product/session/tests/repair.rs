//! Every example that is not serializable has a proved repair, or there is a reason.

use ser_base::Limits;
use ser_serializability_search::Options;
use ser_session::{RepairKind, Verdict, check_source, repair};
use ser_syntax::lexer::{TokenKind, lex};
use std::path::PathBuf;
use std::time::Duration;

/// The comments of a text, sorted.
fn comments(text: &str) -> Vec<&str> {
    let is_comment = |k| matches!(k, TokenKind::LineComment | TokenKind::BlockComment);
    let mut found: Vec<&str> = lex(text)
        .into_iter()
        .filter(|t| is_comment(t.kind))
        .map(|t| t.text(text).trim_end())
        .collect();
    found.sort_unstable();
    found
}

fn programs(folder: &str) -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else { return Vec::new() };
    let paths = entries.filter_map(|e| e.ok().map(|e| e.path()));
    let mut found: Vec<PathBuf> =
        paths.filter(|p| p.extension().is_some_and(|e| e == "ser")).collect();
    found.sort();
    found
}

fn limits() -> Limits {
    Limits::default().with_timeout(Duration::from_secs(60))
}

/// Checks all suggestions for the programs of a folder; the programs without any.
fn try_all(folder: &str) -> Vec<String> {
    let mut without = Vec::new();
    for path in programs(folder) {
        let name = path.display().to_string();
        let source = ser_session::source::read(&name, &Limits::default()).expect("a program");
        let repairs = repair(&source, &Options::default(), &limits(), &|_| {});
        let Verdict::NotSerializable { .. } = repairs.report.verdict else {
            assert!(repairs.suggestions.is_empty(), "{name}");
            continue;
        };
        for suggestion in &repairs.suggestions {
            let text = suggestion.text.clone().into_bytes();
            let repaired = ser_session::source::from_bytes(&name, text).expect("a program");
            let report = check_source(repaired, &Options::default(), &limits(), &|_| {});
            assert_eq!(report.verdict.name(), "serializable", "{name}: {}", suggestion.title);
            assert_eq!(
                comments(&source.text),
                comments(&suggestion.text),
                "{name}: {} loses comments",
                suggestion.title
            );
            assert_eq!(
                ser_session::serializability::repair::apply_edits(&source.text, &suggestion.edits),
                suggestion.text
            );
        }
        if repairs.suggestions.is_empty() {
            without.push(path.file_stem().unwrap_or_default().to_string_lossy().into_owned());
        }
    }
    without
}

#[test]
fn every_broken_example_has_a_repair_or_a_reason() {
    // A request that completes only if others run meanwhile cannot be helped by pauses and locks.
    assert_eq!(try_all("examples"), ["flip_and_wait"]);
}

#[test]
fn the_benchmarks_have_repairs_or_reasons() {
    // Nothing to do where the benchmarks are not.
    let without = try_all("../shared/benchmarks/ser47");
    assert!(without.is_empty() || without == ["e2"], "{without:?}");
}

fn repairs(text: &str) -> ser_session::Repairs {
    let source =
        ser_session::source::from_bytes("test.ser", text.as_bytes().to_vec()).expect("a program");
    repair(&source, &Options::default(), &limits(), &|_| {})
}

fn locked(text: &str) -> Option<String> {
    let of_lock = |s: &ser_session::Repair| s.kind == RepairKind::Lock;
    repairs(text).suggestions.into_iter().find(of_lock).map(|s| s.text)
}

#[test]
fn a_lock_is_released_on_every_path() {
    let text = "request take {
    left := Stock;
    if (left == 0) {
        return Stock      // none
    };
    yield;
    Stock := left - 1;
    left
}
Stock := 2
";
    let expected = "request take {
    while (Lock == 1) { yield };
    Lock := 1;
    left := Stock;
    if (left == 0) {
        response := (Stock); Lock := 0; return response      // none
    };
    yield;
    Stock := left - 1;
    Lock := 0;
    left
}
Stock := 2
";
    assert_eq!(locked(text).as_deref(), Some(expected));
}

#[test]
fn a_lock_is_released_before_an_abort() {
    let text = "request order {
    if (Stock == 0) { abort };
    Stock := Stock - 1;
    yield;
    x := if (?) { Stock := Stock + 1; abort } else { 1 };
    x
}
request look { Stock }
Stock := 2
";
    let expected = "request order {
    while (Lock == 1) { yield };
    Lock := 1;
    if (Stock == 0) { Lock := 0; abort };
    Stock := Stock - 1;
    yield;
    x := if (?) { Stock := Stock + 1; Lock := 0; abort } else { 1 };
    Lock := 0;
    x
}
request look { while (Lock == 1) { yield }; Stock }
Stock := 2
";
    assert_eq!(locked(text).as_deref(), Some(expected));
    let operand = "request order { X := 1; yield; if (?) { _x := abort }; X := 0; 1 }
request look { X }";
    let locked = locked(operand).expect("a lock");
    assert!(locked.contains("_x := (Lock := 0; abort)"), "{locked}");
}

#[test]
fn an_existing_lock_is_used_before_a_new_one() {
    let text = "request take { while (L == 1) { yield }; L := 1; x := N; yield; if (x < 2) { N := x + 1 }; L := 0; x }
request fast { x := N; if (x < 2) { N := x + 1 }; x }
";
    let suggestions = repairs(text).suggestions;
    let titles: Vec<&str> = suggestions.iter().map(|s| s.title.as_str()).collect();
    assert!(titles.contains(&"wait until the lock `L` is free in `fast`"), "{titles:?}");
}

#[test]
fn what_would_spin_or_block_is_not_suggested() {
    // `look` waits for `set` between two reads: without its pause it would wait without letting
    // `set` in, and with a lock it would wait forever.
    let text = "request look { x := X; while (G == 0) { yield }; y := X; x + 2 * y }
request set { G := 1; X := 1 - X }
";
    let repairs = repairs(text);
    assert!(matches!(repairs.report.verdict, Verdict::NotSerializable { .. }));
    assert!(repairs.suggestions.is_empty(), "{:?}", repairs.suggestions);
    let tried = repairs.tried.join("\n");
    assert!(tried.contains("some would make a request wait without letting others in"), "{tried}");
    assert!(tried.contains("some would keep requests from completing"), "{tried}");
}

#[test]
fn a_moved_pause_takes_its_comment_along() {
    let text = "request up {
    seen := Count;
    yield;          // ask the other machine
    if (seen < 3) { Count := seen + 1 };
    seen
}
";
    let moved = |s: &ser_session::Repair| s.kind == RepairKind::MoveYields;
    let found = repairs(text).suggestions.into_iter().find(moved).expect("a move");
    let expected = "request up {
    yield;          // ask the other machine
    seen := Count;
    if (seen < 3) { Count := seen + 1 };
    seen
}
";
    assert_eq!(found.text, expected);
}

/// Nothing is suggested for a program in which requests wait for each other, if it would make them
/// wait forever.
fn never_suggested(text: &str, kind: RepairKind) {
    for suggestion in repairs(text).suggestions {
        assert_ne!(suggestion.kind, kind, "{}\n{}", suggestion.title, suggestion.text);
    }
}

#[test]
fn a_request_that_completes_only_with_others_is_not_killed() {
    let text = "request ask { x := X; yield; assume(Y); X := 1 - x; x }
request pulse { Y := 1; yield; Y := 0 }
";
    let repairs = repairs(text);
    assert!(repairs.suggestions.is_empty());
    assert!(repairs.tried[0].starts_with("`ask` completes only if other requests run meanwhile"));
}

#[test]
fn two_requests_do_not_block_each_other_where_they_did_not_before() {
    never_suggested(
        "request take { r := Z; yield; assume(Ready); r }
request put { Z := 1; Ready := 1 - Ready }
",
        RepairKind::Lock,
    );
    never_suggested(
        "request a { L := 1 - L; while (L == 1) { yield } }
request put { L := 1 }
",
        RepairKind::Lock,
    );
    never_suggested(
        "X := 1 request m { while (X) { yield }; yield; X } request f { X := 1 - X }",
        RepairKind::Lock,
    );
    never_suggested(
        "Y := 1 request put { L := 1; assume(Y == 0); yield; Y } request flip { Y := 1 - Y } request a2 { assume(L == 0); Y := 0 }",
        RepairKind::MoveYields,
    );
}

#[test]
fn comments_stay_wherever_they_are() {
    let texts = [
        "request a { x := X; yield /*1*/; X := 1 - x; x }",
        "request a { x := X; yield // k\n; X := 1 - x; x }",
        "request a { x := X; yield; X := 1 - x; return /*3*/ X }",
        "request a { x := X; /* 1 */ yield /* 2 */ ; /* 3 */ X := 1 - x; return /*5*/ X := 1 - x }",
        "request a { X := 1 - X; Y := X;\nyield; // why\nX := Y; Y := 1 - Y; X }",
    ];
    for text in texts {
        let found = repairs(text);
        assert!(matches!(found.report.verdict, Verdict::NotSerializable { .. }), "{text}");
        assert!(found.suggestions.len() >= 2, "{text}: {:?}", found.tried);
        for suggestion in found.suggestions {
            assert_eq!(comments(text), comments(&suggestion.text), "{}", suggestion.text);
        }
    }
}

#[test]
fn a_program_with_too_many_states_to_compare_is_judged_by_its_shape() {
    let noise = "request a(v in 0..20) { A := v } request b(v in 0..20) { B := v } request c(v in 0..20) { C := v }";
    let race = "request up { x := N; yield; if (x < 3) { N := x + 1 }; x }";
    let found = repairs(&format!("{race}\n{noise}\n")).suggestions;
    assert!(found.iter().any(|s| s.kind == RepairKind::Lock), "{found:?}");
    assert!(found.iter().all(|s| !s.compared), "{found:?}");
    // The pause of a loop that waits stays, by its shape alone.
    let waits = "request look { x := N; while (G == 0) { yield }; x + 2 * N } request set { G := 1; N := 1 - N }";
    let found = repairs(&format!("{waits}\n{noise}\n"));
    assert!(matches!(found.report.verdict, Verdict::NotSerializable { .. }));
    assert!(found.suggestions.is_empty(), "{:?}", found.suggestions);
}
