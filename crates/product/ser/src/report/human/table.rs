//! The interleaving as a table: one column for each request, the source lines of each step, and
//! the values of the globals after it. With many requests or a narrow terminal, one request
//! below the other.

use super::{FAINT, GOOD, STRONG, paint};
use crate::report::subject::Subject;
use anstyle::{AnsiColor, Style};
use ser_model::GlobalId;
use ser_session::source::Source;
use ser_session::trace::{TraceLine, TraceStep};
use std::fmt::Write as _;

const HINT: Style = AnsiColor::Yellow.on_default();
const CHANGED: Style = AnsiColor::Cyan.on_default().bold();

/// Longer runs are shown by their beginning and end.
const MAX_STEPS: usize = 60;

/// At most so many source lines of one step.
const MAX_LINES: usize = 9;

/// A line in a cell: its text, and how to paint it.
type CellLine = (String, Style);

/// Renders the steps.
pub fn render(subject: Subject<'_>, steps: &[TraceStep], width: usize) -> String {
    let requests = steps.iter().map(|s| s.number).max().unwrap_or(0) as usize;
    let globals = Globals::new(subject);
    let fixed = 7 + globals.width() + 2;
    let column = width.saturating_sub(fixed) / requests.max(1);
    if requests <= 5 && column >= 24 {
        side_by_side(subject, steps, requests, column.min(44), &globals)
    } else {
        one_below_the_other(subject, steps, width)
    }
}

fn side_by_side(
    subject: Subject<'_>,
    steps: &[TraceStep],
    requests: usize,
    column: usize,
    globals: &Globals<'_>,
) -> String {
    let system = subject.system;
    let mut out = String::new();
    let mut header = pad("  step", 8);
    for number in 1..=requests {
        let first = steps.iter().find(|s| s.number as usize == number);
        let name = first.map_or(format!("#{number}"), |step| subject.who(step));
        header += &pad(&clip(&name, column - 2), column);
    }
    header += &globals.header();
    let _ = writeln!(out, "{}", paint(STRONG, header.trim_end()));
    let mut start = pad("", 8 + column * requests);
    start += &globals.row(system.initial_global(), None);
    let _ = writeln!(out, "{}", start.trim_end());

    let mut before = system.initial_global();
    let (skip_from, skip_to) = folded(steps.len());
    for (i, step) in steps.iter().enumerate() {
        if i == skip_from && skip_to > skip_from {
            let _ = writeln!(out, "{}", skipped(skip_to - skip_from));
        }
        if (skip_from..skip_to).contains(&i) {
            before = step.global;
            continue;
        }
        let cell = cell(subject, step, column - 2);
        let rows = cell.len().max(1);
        for row in 0..rows {
            let mut line = if row == 0 { pad(&format!("{:>5}", i + 1), 8) } else { pad("", 8) };
            for number in 1..=requests {
                let (text, style) = match cell.get(row) {
                    Some((text, style)) if step.number as usize == number => {
                        (text.as_str(), *style)
                    }
                    _ => ("", Style::new()),
                };
                let padding = " ".repeat(column.saturating_sub(text.chars().count()));
                if text.is_empty() {
                    line += &padding;
                } else {
                    line += &paint(style, text);
                    line += &padding;
                }
            }
            if row + 1 == rows {
                line += &globals.row(step.global, Some(before));
            }
            let _ = writeln!(out, "{}", line.trim_end());
        }
        before = step.global;
    }
    out
}

fn one_below_the_other(subject: Subject<'_>, steps: &[TraceStep], width: usize) -> String {
    let (system, shown) = (subject.system, subject.shown);
    let mut out = String::new();
    let mut before = system.initial_global();
    let _ = writeln!(out, "  {} {}", paint(STRONG, "start"), shown.all(system, before));
    let (skip_from, skip_to) = folded(steps.len());
    for (i, step) in steps.iter().enumerate() {
        if i == skip_from && skip_to > skip_from {
            let _ = writeln!(out, "{}", skipped(skip_to - skip_from));
        }
        if (skip_from..skip_to).contains(&i) {
            before = step.global;
            continue;
        }
        let after = shown.changes(system, before, step.global);
        let after = if after.is_empty() { String::new() } else { format!("   now {after}") };
        let who = paint(STRONG, subject.who(step));
        let _ = writeln!(out, "{:>5}  {who}{}", i + 1, paint(CHANGED, after));
        for (text, style) in cell(subject, step, width.saturating_sub(12).max(24)) {
            let _ = writeln!(out, "         {}", paint(style, text));
        }
        before = step.global;
    }
    out
}

/// The steps to leave out in the middle of a long run.
fn folded(count: usize) -> (usize, usize) {
    if count > MAX_STEPS { (MAX_STEPS / 2, count - MAX_STEPS / 2) } else { (count, count) }
}

fn skipped(count: usize) -> String {
    paint(FAINT, format!("    ... {count} more steps; --format json shows all of them ..."))
}

/// What a request does in one step.
fn cell(subject: Subject<'_>, step: &TraceStep, width: usize) -> Vec<CellLine> {
    let Subject { source, system, .. } = subject;
    let mut out: Vec<CellLine> = Vec::new();
    for (name, then, now) in subject.shown.changed_meanwhile(system, step) {
        let text = format!("! {name} went from {then} to {now} meanwhile");
        out.push((clip(&text, width), HINT));
    }
    match source {
        Some(source) if !step.lines.is_empty() => {
            let skip = step.lines.len().saturating_sub(MAX_LINES);
            for (i, line) in step.lines.iter().enumerate() {
                let from = MAX_LINES / 2;
                if skip > 0 && i == from {
                    out.push((format!("     ... {skip} more lines ..."), FAINT));
                }
                if skip > 0 && (from..from + skip).contains(&i) {
                    continue;
                }
                source_line(&mut out, source, line, width);
            }
        }
        _ if subject.names.is_some() => {
            let words = if step.responds.is_some() { "ends" } else { "goes on" };
            out.push((words.to_owned(), FAINT));
        }
        _ => {
            if let Some((before, after)) = &step.locals {
                out.push((clip(&format!("{before} -> {after}"), width), Style::new()));
            }
        }
    }
    if let Some(response) = step.responds.filter(|_| subject.responds) {
        let text = format!("=> responds {}", system.response_name(response));
        out.push((clip(&text, width), GOOD));
    }
    out
}

fn source_line(out: &mut Vec<CellLine>, source: &Source, line: &TraceLine, width: usize) {
    let code = code_of(source, line);
    let notes = line.notes.join(", ");
    let text = format!("{:>3}  {code}", line.line);
    let both = format!("{text}   ({notes})");
    if notes.is_empty() {
        out.push((clip(&text, width), Style::new()));
    } else if both.chars().count() <= width {
        out.push((both, Style::new()));
    } else {
        out.push((clip(&text, width), Style::new()));
        out.push((clip(&format!("     ({notes})"), width), FAINT));
    }
}

/// The code on a line without its comment; only what was executed if the line holds several
/// expressions.
pub fn code_of(source: &Source, line: &TraceLine) -> String {
    let full = source.lines.line_text(line.line);
    let code = full.split("//").next().unwrap_or(full).trim();
    let inner = code.trim_end_matches(';');
    if inner.contains(';') || inner.contains("request ") || inner.contains("process ") {
        let part = source.text.get(line.span.range()).unwrap_or(code).trim();
        return part.to_owned();
    }
    code.to_owned()
}

/// The columns for the values of the globals.
struct Globals<'a> {
    subject: Subject<'a>,
    /// Width of each variable's column; empty if there are too many for columns.
    widths: Vec<usize>,
}

impl<'a> Globals<'a> {
    fn new(subject: Subject<'a>) -> Globals<'a> {
        let system = subject.system;
        let mut widths: Vec<usize> = Vec::new();
        for column in &subject.shown.columns {
            let widest = system
                .globals()
                .take(1000)
                .map(|g| column.value(system.valuation(g)).to_string().chars().count())
                .max()
                .unwrap_or(1);
            widths.push(widest.max(column.name.chars().count()) + 2);
        }
        if widths.iter().sum::<usize>() > 36 {
            widths.clear();
        }
        Globals { subject, widths }
    }

    fn width(&self) -> usize {
        if self.widths.is_empty() { 24 } else { self.widths.iter().sum() }
    }

    fn header(&self) -> String {
        if self.widths.is_empty() {
            return "globals that changed".into();
        }
        let names = self.subject.shown.columns.iter().zip(&self.widths);
        names.map(|(c, w)| pad(&c.name, *w)).collect()
    }

    fn row(&self, global: GlobalId, before: Option<GlobalId>) -> String {
        let Subject { system, shown, .. } = self.subject;
        if self.widths.is_empty() {
            return match before {
                Some(before) => paint(CHANGED, shown.changes(system, before, global)),
                None => String::new(),
            };
        }
        let mut out = String::new();
        for (column, width) in shown.columns.iter().zip(&self.widths) {
            let value = column.value(system.valuation(global));
            let changed = before.is_some_and(|b| column.value(system.valuation(b)) != value);
            let style = if changed { CHANGED } else { Style::new() };
            let text = value.to_string();
            let padding = " ".repeat(width.saturating_sub(text.chars().count()));
            out += &paint(style, text);
            out += &padding;
        }
        out
    }
}

fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.chars().count())))
}

fn clip(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let cut: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{cut}…")
}
