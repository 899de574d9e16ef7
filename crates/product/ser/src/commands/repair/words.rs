//! Repairs, for people and for programs.

use crate::diff::unified;
use ser_render::text;
use ser_render::text::{BAD, DOUBT, FAINT, GOOD, Layout, STRONG, paint, wrapped};
use ser_report::text::{count, duration, shell_file};
use ser_session::serializability::told;
use ser_session::source::Source;
use ser_session::{Repair, Repairs, Verdict};
use ser_syntax::Edit;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::time::Duration;

/// 0: there is a repair, or nothing to repair; 1: none was found; 3: none was found in time;
/// otherwise as for `ser check`.
pub fn exit_code(repairs: &Repairs) -> u8 {
    match &repairs.report.verdict {
        Verdict::NotSerializable { .. } if !repairs.suggestions.is_empty() => 0,
        Verdict::NotSerializable { .. } => {
            if repairs.ended_early {
                3
            } else {
                1
            }
        }
        verdict => verdict.exit_code(),
    }
}

/// The suggestions for the terminal, `width` columns wide.
pub fn human(repairs: &Repairs, time: Duration, width: usize) -> String {
    let report = &repairs.report;
    let name = &report.name;
    let mut out = String::new();
    match (&report.verdict, repairs.suggestions.as_slice()) {
        (Verdict::NotSerializable { .. }, []) => {
            let words = match repairs.ended_early {
                true => paint(DOUBT, "no repair found in time"),
                false => paint(BAD, "no repair found"),
            };
            let _ = writeln!(out, "{}: {words} {}\n", paint(STRONG, name), spent(time));
            let words = "The program is not serializable. What was found out:";
            wrapped(&mut out, "  ", "  ", words, width);
            let _ = writeln!(out);
            for tried in &repairs.tried {
                wrapped(&mut out, "    - ", "      ", tried, width);
            }
            let _ = writeln!(out);
            let help =
                format!("help: `ser check {}` shows how it breaks, and where\n", shell_file(name));
            let _ = writeln!(out, "  {}", paint(FAINT, help));
        }
        (Verdict::NotSerializable { .. }, all) => {
            let count = paint(GOOD, count(all.len(), "repair"));
            let _ = writeln!(out, "{}: {count} {}\n", paint(STRONG, name), spent(time));
            for (i, suggestion) in all.iter().enumerate() {
                let number = format!("  {}. ", i + 1);
                wrapped(&mut out, &number, "     ", &suggestion.title, width);
                let proof = format!("proved: {}", suggestion.proof.headline);
                wrapped(&mut out, "     ", "     ", &proof, width);
                if !suggestion.compared {
                    wrapped(&mut out, "     ", "     ", NOT_COMPARED, width);
                }
                let _ = writeln!(out);
                for line in diff(repairs, suggestion).lines() {
                    let _ = writeln!(out, "     {}", coloured(line));
                }
                let _ = writeln!(out);
            }
            if repairs.ended_early {
                let note =
                    "note: the search ended early; there may be smaller changes: raise --timeout";
                let _ = writeln!(out, "  {}", paint(FAINT, note));
            }
            let second = if all.len() > 1 { ", --apply=2 the second" } else { "" };
            let help = match name.as_str() {
                "-" => "help: with --apply, the repaired program is printed".to_owned(),
                _ => format!(
                    "help: `ser repair --apply {}` makes the first change{second}",
                    shell_file(name)
                ),
            };
            let _ = writeln!(out, "  {}\n", paint(FAINT, help));
        }
        (Verdict::Serializable { .. }, _) => {
            let words = paint(GOOD, "already serializable");
            let _ = writeln!(
                out,
                "{}: {words}, nothing to repair {}\n",
                paint(STRONG, name),
                spent(time)
            );
        }
        _ => {
            let layout = Layout { width, verbose: false, statistics: false };
            out = text::report(&told(report), layout);
        }
    }
    out
}

const NOT_COMPARED: &str = "note: there are too many states to compare with the original program; whether requests still do the same alone, and still complete, is judged by the shape of the program";

fn spent(time: Duration) -> String {
    paint(FAINT, format!("({})", duration(time)))
}

fn coloured(line: &str) -> String {
    match line.as_bytes().first() {
        _ if line.starts_with("---") || line.starts_with("+++") => paint(STRONG, line),
        Some(b'+') => paint(GOOD, line),
        Some(b'-') => paint(BAD, line),
        Some(b'@') => paint(FAINT, line),
        _ => line.to_owned(),
    }
}

fn diff(repairs: &Repairs, suggestion: &Repair) -> String {
    let Some(source) = &repairs.report.source else { return String::new() };
    let name = if source.name == "-" { "<stdin>" } else { &source.name };
    unified(name, source.own_text(), &suggestion.text)
}

/// The suggestions as one JSON object.
pub fn json(repairs: &Repairs, time: Duration) -> Value {
    let mut object = ser_render::json::report(&told(&repairs.report), false);
    object["time_ms"] = json!((time.as_secs_f64() * 1e6).round() / 1e3);
    let Some(source) = &repairs.report.source else { return object };
    if let Verdict::NotSerializable { .. } = repairs.report.verdict {
        let suggestion = |s: &Repair| {
            json!({
                "title": s.title,
                "kind": s.kind.name(),
                "diff": diff(repairs, s),
                "edits": s.edits.iter().map(|e| edit(source, e)).collect::<Vec<_>>(),
                "proof": s.proof.headline,
                "method": s.proof.method,
                "compared": s.compared,
            })
        };
        object["repairs"] = repairs.suggestions.iter().map(suggestion).collect();
        object["tried"] = json!(repairs.tried);
        object["ended_early"] = json!(repairs.ended_early);
    }
    object
}

/// An edit with lines and columns counted from 1, columns in characters.
pub(super) fn edit(source: &Source, edit: &Edit) -> Value {
    let place = |at: u32| {
        let position = source.lines.position(at);
        json!({ "line": position.line, "column": position.column })
    };
    json!({
        "start": place(edit.span.start),
        "end": place(edit.span.end),
        "text": edit.replacement,
    })
}
