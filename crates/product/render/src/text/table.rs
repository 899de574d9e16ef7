//! A run as a table: one column for each lane, the source lines of each step, and the values of the
//! shared variables after it. With many lanes or a narrow terminal, one step below the other.

use super::{BAD, FAINT, GOOD, STRONG, left_out, paint};
use anstyle::{AnsiColor, Style};
use ser_report::run::{End, Run, Step, StepLine, Value, aborts};
use ser_report::text::visible;
use std::fmt::Write as _;

const HINT: Style = AnsiColor::Yellow.on_default();
const CHANGED: Style = AnsiColor::Cyan.on_default().bold();

/// Longer runs are shown by their beginning and end.
const MAX_STEPS: usize = 60;

/// At most so many source lines of one step.
const MAX_LINES: usize = 9;

/// A line in a cell: its text, and how to paint it.
type CellLine = (String, Style);

/// The table of a run, `width` columns wide.
pub fn render(run: &Run, width: usize) -> String {
    let lanes = run.lanes.len();
    let columns = Columns::new(run);
    let fixed = 7 + columns.width() + 2;
    let column = width.saturating_sub(fixed) / lanes.max(1);
    let mut out = match lanes <= 5 && column >= 24 {
        true => side_by_side(run, column.min(44), &columns),
        false => one_below_the_other(run, width),
    };
    if !run.ends.is_empty() {
        let _ = writeln!(out, "\n  {}", paint(STRONG, "In the end"));
        for words in &run.ends {
            super::point(&mut out, &visible(words), width);
        }
    }
    out
}

fn side_by_side(run: &Run, column: usize, columns: &Columns<'_>) -> String {
    let lanes = run.lanes.len();
    let mut out = String::new();
    let mut header = pad("  step", 8);
    for lane in &run.lanes {
        header += &pad(&clip(&visible(&lane.name), column - 2), column);
    }
    header += &columns.header();
    let _ = writeln!(out, "{}", paint(STRONG, header.trim_end()));
    let start = pad("", 8 + column * lanes) + &columns.row(&run.start, None);
    if !start.trim().is_empty() {
        let _ = writeln!(out, "{}", start.trim_end());
    }
    for_each_step(run, &mut out, |out, number, step| {
        let cell = cell(step, column - 2);
        let rows = cell.len().max(1);
        for row in 0..rows {
            let mut line = match row {
                0 => pad(&format!("{:>5}", number + 1), 8),
                _ => pad("", 8),
            };
            for lane in 0..lanes {
                let (text, style) = match cell.get(row) {
                    Some((text, style)) if step.lane == lane => (text.as_str(), *style),
                    _ => ("", Style::new()),
                };
                if !text.is_empty() {
                    line += &paint(style, text);
                }
                line += &" ".repeat(column.saturating_sub(text.chars().count()));
            }
            if row + 1 == rows {
                line += &columns.row(&step.after, Some(run.before(number)));
            }
            let _ = writeln!(out, "{}", line.trim_end());
        }
    });
    out
}

fn one_below_the_other(run: &Run, width: usize) -> String {
    let mut out = String::new();
    if !run.start.is_empty() {
        let start = visible(&run.assignments(None, &run.start));
        let _ = writeln!(out, "  {} {start}", paint(STRONG, "start"));
    }
    for_each_step(run, &mut out, |out, number, step| {
        let after = visible(&run.assignments(Some(run.before(number)), &step.after));
        let after = if after.is_empty() { String::new() } else { format!("   now {after}") };
        let who = paint(STRONG, visible(run.who(step)));
        let _ = writeln!(out, "{:>5}  {who}{}", number + 1, paint(CHANGED, after));
        for (text, style) in cell(step, width.saturating_sub(12).max(24)) {
            let _ = writeln!(out, "         {}", paint(style, text));
        }
    });
    out
}

/// Does something for each step, except for those in the middle of a long run.
fn for_each_step(run: &Run, out: &mut String, each: impl Fn(&mut String, usize, &Step)) {
    let count = run.steps.len();
    let skipped = match count > MAX_STEPS {
        true => MAX_STEPS / 2..count - MAX_STEPS / 2,
        false => count..count,
    };
    for (number, step) in run.steps.iter().enumerate() {
        if number == skipped.start {
            let _ = writeln!(out, "{}", left_out(skipped.len()));
        }
        if !skipped.contains(&number) {
            each(out, number, step);
        }
    }
}

/// What happens in one step.
fn cell(step: &Step, width: usize) -> Vec<CellLine> {
    let mut out: Vec<CellLine> = Vec::new();
    for (name, then, now) in &step.meanwhile {
        let text = visible(&format!("! {name} went from {then} to {now} meanwhile"));
        out.push((clip(&text, width), HINT));
    }
    let skip = step.lines.len().saturating_sub(MAX_LINES);
    for (i, line) in step.lines.iter().enumerate() {
        let from = MAX_LINES / 2;
        if skip > 0 && i == from {
            out.push((format!("     ... {skip} more lines ..."), FAINT));
        }
        if skip > 0 && (from..from + skip).contains(&i) {
            continue;
        }
        source_line(&mut out, line, width);
    }
    for words in &step.says {
        out.extend(folded(&visible(words), width).into_iter().map(|it| (it, Style::new())));
    }
    if let (Some((before, after)), true) = (&step.local, step.lines.is_empty()) {
        out.push((clip(&visible(&format!("{before} -> {after}")), width), Style::new()));
    }
    match &step.end {
        Some(End::Responds(response)) => {
            out.push((clip(&visible(&format!("=> responds {response}")), width), GOOD));
        }
        Some(End::Aborts(response)) => {
            out.push((clip(&visible(&format!("=> {}", aborts(response))), width), FAINT));
        }
        Some(End::Fails(why)) => {
            let lines = folded(&visible(&format!("=> {why}")), width);
            out.extend(lines.into_iter().map(|it| (it, BAD)));
        }
        Some(End::Ends) if out.is_empty() => out.push(("ends".to_owned(), FAINT)),
        None if out.is_empty() => out.push(("goes on".to_owned(), FAINT)),
        Some(End::Ends) | None => {}
    }
    out
}

fn source_line(out: &mut Vec<CellLine>, line: &StepLine, width: usize) {
    let notes = visible(&line.notes.join(", "));
    let text = format!("{:>3}  {}", line.line, visible(&line.code));
    let both = format!("{text}   ({notes})");
    if notes.is_empty() {
        out.extend(rows_of_code(&text, width));
    } else if both.chars().count() <= width {
        out.push((both, Style::new()));
    } else {
        out.extend(rows_of_code(&text, width));
        // Nothing of what happened may get lost: a line each if they do not fit on one.
        match notes.chars().count() + 7 <= width {
            true => out.push((format!("     ({notes})"), FAINT)),
            false => out.extend(
                line.notes
                    .iter()
                    .map(|it| (clip(&format!("     ({})", visible(it)), width), FAINT)),
            ),
        }
    }
}

/// A line of the source on as many rows as it needs, up to a few.
fn rows_of_code(text: &str, width: usize) -> Vec<CellLine> {
    const INDENT: &str = "       ";
    const MOST: usize = 6;
    let mut rows = Vec::new();
    let mut rest = text.to_owned();
    while rest.chars().count() > width && rows.len() + 1 < MOST {
        let end = rest.char_indices().nth(width).map_or(rest.len(), |(at, _)| at);
        // Where the code begins there is no place to break.
        let Some(at) = rest[..end].rfind(' ').filter(|at| *at > INDENT.len()) else { break };
        let next = format!("{INDENT}{}", rest[at..].trim_start());
        rest.truncate(at);
        rows.push(std::mem::replace(&mut rest, next));
    }
    rows.push(clip(&rest, width));
    rows.into_iter().map(|row| (row, Style::new())).collect()
}

/// The columns for the values of what is shared.
struct Columns<'a> {
    run: &'a Run,
    /// Width of each; empty if there are too many for columns.
    widths: Vec<usize>,
}

impl<'a> Columns<'a> {
    fn new(run: &'a Run) -> Columns<'a> {
        /// What columns may take of the width at most.
        const ROOM: usize = 36;
        let states = || std::iter::once(&run.start).chain(run.steps.iter().map(|it| &it.after));
        let width = |(i, name): (usize, &String)| {
            let values = states().filter_map(|it| it.get(i));
            let widest = values.map(|it| it.to_string().chars().count()).max().unwrap_or(1);
            widest.max(name.chars().count()) + 2
        };
        let mut widths: Vec<usize> = run.columns.iter().enumerate().map(width).collect();
        if widths.iter().sum::<usize>() > ROOM {
            widths.clear();
        }
        Columns { run, widths }
    }

    fn width(&self) -> usize {
        match (self.widths.is_empty(), self.run.columns.is_empty()) {
            (true, true) => 0,
            (true, false) => 24,
            _ => self.widths.iter().sum(),
        }
    }

    fn header(&self) -> String {
        if self.widths.is_empty() {
            return if self.run.columns.is_empty() { "" } else { "what changed" }.into();
        }
        let names = self.run.columns.iter().zip(&self.widths);
        names.map(|(name, width)| pad(&visible(name), *width)).collect()
    }

    fn row(&self, after: &[Value], before: Option<&[Value]>) -> String {
        if self.widths.is_empty() {
            return match before {
                Some(before) if !self.run.columns.is_empty() => {
                    paint(CHANGED, visible(&self.run.assignments(Some(before), after)))
                }
                _ => String::new(),
            };
        }
        let mut out = String::new();
        for (i, (value, width)) in after.iter().zip(&self.widths).enumerate() {
            let changed = before.is_some_and(|before| before.get(i) != Some(value));
            let style = if changed { CHANGED } else { Style::new() };
            let text = visible(&value.to_string());
            out += &paint(style, &text);
            out += &" ".repeat(width.saturating_sub(text.chars().count()));
        }
        out
    }
}

fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.chars().count())))
}

/// Words below source lines, and on as many lines as they need: nothing of them is left out.
fn folded(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(last) if last.chars().count() + 1 + word.chars().count() <= width => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(format!("     {word}")),
        }
    }
    lines.into_iter().map(|line| clip(&line, width)).collect()
}

fn clip(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let cut: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{cut}…")
}
