//! Every example that is not serializable has a proved repair, or there is a reason.

use ser_check::source::Source;
use ser_check::{Verdict, check_source, repair};
use ser_engine::Options;
use ser_lang::lexer::{TokenKind, lex};
use ser_model::Limits;
use std::path::PathBuf;
use std::time::{Duration, Instant};

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
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
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
        let source = Source::read(&name).expect("a program");
        let started = Instant::now();
        let repairs = repair(&source, &Options::default(), &limits(), &|_| {});
        let time = started.elapsed();
        let Verdict::NotSerializable { .. } = repairs.report.verdict else {
            assert!(repairs.suggestions.is_empty(), "{name}");
            continue;
        };
        println!("{name}: {time:.0?}");
        for words in &repairs.tried {
            println!("    {words}");
        }
        for suggestion in &repairs.suggestions {
            println!("  * {} ({} lines)", suggestion.title, suggestion.lines);
            if std::env::var_os("SHOW").is_some() {
                println!("{}", suggestion.text);
            }
            let text = suggestion.text.clone().into_bytes();
            let repaired = Source::from_bytes(&name, text).expect("a program");
            let report = check_source(repaired, &Options::default(), &limits(), &|_| {});
            assert_eq!(report.verdict.name(), "serializable", "{name}: {}", suggestion.title);
            assert_eq!(
                comments(&source.text),
                comments(&suggestion.text),
                "{name}: {} loses comments",
                suggestion.title
            );
            assert_eq!(
                ser_check::repair::apply_edits(&source.text, &suggestion.edits),
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
fn the_benchmarks_have_repairs() {
    let without = try_all("../shared/benchmarks/ser47");
    println!("without a repair: {without:?}");
}
