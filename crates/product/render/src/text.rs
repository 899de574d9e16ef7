//! A report as text: the verdict first, then what it rests on, then ways out.

mod table;
mod wrap;

use crate::diagnostics;
use anstyle::{AnsiColor, Style};
use ser_report::text::{capitalised, count, duration, grouped, visible};
use ser_report::{
    Answer, Block, Detail, Method, Points, Report, Section, SourceError, Table, Unknown,
};
use std::fmt::Write as _;
pub use wrap::wrapped;

pub const GOOD: Style = AnsiColor::Green.on_default().bold();
pub const BAD: Style = AnsiColor::Red.on_default().bold();
pub const DOUBT: Style = AnsiColor::Yellow.on_default().bold();
pub const STRONG: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();

/// What to say when ser's own checker rejects its answer.
pub const WITHHELD: &str = "internal error, please report it: the independent checker rejected the \
                            answer that was found, which is therefore withheld";

/// How to lay out text.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// How many columns there are.
    pub width: usize,
    /// Whether to show everything.
    pub verbose: bool,
    /// Whether to show what it cost.
    pub statistics: bool,
}

/// `text` in a style.
pub fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The report for the terminal.
pub fn report(report: &Report, layout: Layout) -> String {
    let mut out = headline(report);
    if let Some(text) = &report.question.text {
        out.push('\n');
        let name = report.question.name.as_ref().filter(|name| !text.contains(name.as_str()));
        let name = name.map(|it| format!("{it}: ")).unwrap_or_default();
        wrapped(&mut out, "  ", "      ", &visible(&format!("{name}{text}")), layout.width);
    }
    match &report.answer {
        Answer::Unknown(unknown) => no_answer(&mut out, report, unknown, layout.width),
        Answer::Withheld(message) => {
            out.push('\n');
            paragraph(&mut out, &capitalised(WITHHELD), layout.width);
            paragraph(&mut out, message, layout.width);
        }
        _ => {}
    }
    for section in &report.sections {
        write_section(&mut out, report, section, layout);
    }
    if let Some(checked) = report.answer.checked() {
        let text = format!("Checked independently: {checked}.");
        out.push('\n');
        for line in wrap::lines("  ", "  ", &text, layout.width) {
            let _ = writeln!(out, "{}", paint(FAINT, line));
        }
    }
    if layout.statistics {
        statistics(&mut out, report);
    }
    out
}

/// `examples/lost_update.ser: NOT serializable (9.1 ms)`.
pub fn headline(report: &Report) -> String {
    let style = match &report.answer {
        Answer::Holds(_) => GOOD,
        Answer::Violated(_) | Answer::Error(_) => BAD,
        Answer::NotInductive | Answer::Unknown(_) | Answer::Withheld(_) => DOUBT,
    };
    format!(
        "{}: {} {}\n",
        paint(STRONG, visible(&report.file)),
        paint(style, report.answer.words(report.question.method)),
        paint(FAINT, format!("({})", duration(report.timing.total))),
    )
}

/// The headline, with the question where a file may pose several.
pub fn quiet(report: &Report) -> String {
    match report.question.text.as_deref().or(report.question.name.as_deref()) {
        Some(question) => {
            format!("{}  {}\n", headline(report).trim_end(), paint(FAINT, visible(question)))
        }
        None => headline(report),
    }
}

fn no_answer(out: &mut String, report: &Report, unknown: &Unknown, width: usize) {
    out.push('\n');
    paragraph(out, &sentence(&unknown.reason), width);
    if let (Some(span), Some(source)) = (unknown.span, &report.source) {
        let line = source.lines.line(span.start);
        let text = source.lines.row_text(line.row).trim();
        let _ = writeln!(out, "\n    {} {text}", paint(FAINT, format!("line {line}:")));
    }
    if !unknown.tried.is_empty() {
        out.push('\n');
        for tried in &unknown.tried {
            point(out, tried, width);
        }
    }
    if !unknown.help.is_empty() {
        out.push('\n');
        helps(out, &unknown.help, width);
    }
}

/// A section that stands alone.
pub fn section(section: &Section, width: usize) -> String {
    let question = ser_report::Question::of(Method::Serializability);
    let report = Report::unknown("", question, Unknown::default());
    let mut out = String::new();
    let layout = Layout { width, verbose: true, statistics: false };
    self::write_section(&mut out, &report, section, layout);
    out.trim_start().to_owned()
}

fn write_section(out: &mut String, report: &Report, section: &Section, layout: Layout) {
    match section.detail {
        Detail::Always => {}
        Detail::Verbose if layout.verbose => {}
        Detail::Verbose | Detail::Page => return,
    }
    let blocks = section.blocks.iter();
    let visible = blocks.filter(|it| !matches!(it, Block::Cycle(_) | Block::Picture(_)));
    let mut visible = visible.peekable();
    if visible.peek().is_none() {
        return;
    }
    if let Some(title) = &section.title {
        out.push('\n');
        for line in wrap::lines("  ", "  ", title, layout.width) {
            let _ = writeln!(out, "{}", paint(STRONG, line));
        }
    }
    let mut helped = false;
    for block in visible {
        // Ways out stand together.
        let is_help = matches!(block, Block::Help(_));
        if !(helped && is_help) {
            out.push('\n');
        }
        helped = is_help;
        self::block(out, report, block, layout);
    }
}

fn block(out: &mut String, report: &Report, block: &Block, layout: Layout) {
    let width = layout.width;
    match block {
        Block::Text(text) => paragraph(out, text, width),
        Block::Remark(text) => {
            for line in wrap::lines("  ", "  ", text, width) {
                let _ = writeln!(out, "{}", paint(FAINT, line));
            }
        }
        Block::Emphasis(lines) => {
            for line in lines {
                let _ = writeln!(out, "      {}", paint(STRONG, visible(line)));
            }
        }
        Block::Quote(lines) => {
            for line in lines.iter().map(|it| visible(it)) {
                // As it is, if there is room: columns of names and values stay columns.
                match line.chars().count() + 6 <= width.clamp(40, 96) {
                    true => {
                        let _ = writeln!(out, "      {}", line.trim_end());
                    }
                    false => wrapped(out, "      ", "        ", &line, width),
                }
            }
        }
        Block::Points(points) => self::points(out, points, layout),
        Block::Run(number) => {
            if let Answer::Violated(violation) = &report.answer
                && let Some(run) = violation.runs.get(*number)
            {
                out.push_str(&table::render(run, width));
            }
        }
        Block::Code(text) => {
            for line in text.trim_end().lines() {
                let _ = writeln!(out, "{}", format!("    {line}").trim_end());
            }
        }
        Block::Line(span) => {
            if let Some(source) = &report.source {
                let line = source.lines.line(span.start);
                let text = source.lines.row_text(line.row).trim();
                let _ = writeln!(out, "    {} {text}", paint(FAINT, format!("line {line}:")));
            }
        }
        Block::Snippet { diagnostic, other } => {
            let (name, text) = match (other, &report.source) {
                (Some((name, text)), _) => (visible(name), text.as_str()),
                (None, Some(source)) => (visible(&report.file), source.text.as_str()),
                (None, None) => return,
            };
            let _ = writeln!(out, "{}", diagnostics::render(&name, text, diagnostic));
        }
        Block::Table(table) => self::table(out, table),
        Block::Help(text) => wrapped(out, "  help: ", "        ", text, width),
        // Only a page draws these.
        Block::Cycle(_) | Block::Picture(_) => {}
    }
}

fn points(out: &mut String, points: &Points, layout: Layout) {
    let shown = match points.brief {
        Some(brief) if !layout.verbose => brief,
        _ => points.items.len(),
    };
    for item in points.items.iter().take(shown) {
        point(out, item, layout.width);
    }
    let more = points.items.len().saturating_sub(shown);
    if more > 0 {
        let hint = match points.more.is_empty() {
            true => String::new(),
            false => format!(": {}", points.more),
        };
        let _ = writeln!(out, "    {}", paint(FAINT, format!("... and {more} more{hint}")));
    }
}

fn table(out: &mut String, table: &Table) {
    let rows = || std::iter::once(&table.header).chain(&table.rows);
    let columns = rows().map(Vec::len).max().unwrap_or(0);
    let cell = |row: &[String], i: usize| row.get(i).map_or(String::new(), |it| visible(it));
    let widths: Vec<usize> = (0..columns)
        .map(|i| rows().map(|row| cell(row, i).chars().count()).max().unwrap_or(0))
        .collect();
    let is_number = |text: &str| {
        let is_part = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.' | '-');
        !text.is_empty() && text.chars().all(is_part)
    };
    let of_numbers: Vec<bool> = (0..columns)
        .map(|i| table.rows.iter().all(|row| row.is_empty() || is_number(&cell(row, i))))
        .collect();
    for (number, row) in rows().enumerate().filter(|(_, row)| !row.is_empty()) {
        let mut line = String::from("  ");
        for (i, width) in widths.iter().enumerate() {
            let text = cell(row, i);
            let pad = " ".repeat(width.saturating_sub(text.chars().count()));
            line += &if of_numbers[i] { pad + &text } else { text + &pad };
            line += "  ";
        }
        let style = if number == 0 { STRONG } else { Style::new() };
        let _ = writeln!(out, "{}", paint(style, line.trim_end()));
    }
}

fn statistics(out: &mut String, report: &Report) {
    let mut rows = Vec::new();
    if !report.timing.stages.is_empty() {
        let stages = report.timing.stages.iter();
        let words = stages.map(|(name, time)| format!("{name} {:.1}", time.as_secs_f64() * 1e3));
        rows.push(("time".to_owned(), format!("{} ms", words.collect::<Vec<_>>().join(" "))));
    }
    rows.extend(report.statistics.iter().cloned());
    let widest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let _ = writeln!(out, "\n  Statistics");
    for (name, words) in rows {
        let _ = writeln!(out, "    {name:widest$} {words}");
    }
}

/// Errors and warnings about the source, for standard error.
pub fn complaints(report: &Report, warnings: bool) -> String {
    let mut out = String::new();
    let name = visible(&report.file);
    let text = report.source.as_ref().map_or("", |source| &source.text);
    let mut show = |name: &str, text: &str, list: &[ser_syntax::Diagnostic]| {
        for d in list.iter().filter(|d| warnings || d.is_error()) {
            let _ = writeln!(out, "{}\n", diagnostics::render(name, text, d));
        }
    };
    if let Answer::Error(error) = &report.answer {
        match error {
            SourceError::Diagnostics(list) => show(&name, text, list),
            SourceError::Argument { argument, text, diagnostics } => {
                show(argument, text, diagnostics);
            }
            SourceError::At { path, message, help } => {
                let _ = writeln!(out, "{}: {}", paint(BAD, "error"), visible(message));
                let _ = writeln!(out, "  --> {name}: {}", visible(path));
                help_line(&mut out, help.as_deref());
            }
            SourceError::Unreadable { message, help } => {
                let _ = writeln!(out, "{}: {name}: {message}", paint(BAD, "error"));
                help_line(&mut out, help.as_deref());
            }
        }
    }
    if warnings {
        for d in &report.warnings {
            let _ = writeln!(out, "{}\n", diagnostics::render(&name, text, d));
        }
    }
    out
}

fn help_line(out: &mut String, help: Option<&str>) {
    if let Some(help) = help {
        let _ = writeln!(out, "  help: {help}");
    }
}

/// One line about many reports of a method, of which the names of the verdicts are given, and about
/// further questions.
pub fn summary(method: Method, verdicts: &[&str], more: &[&str]) -> String {
    let summary =
        format!("{}: {}", counted(verdicts.len(), method.noun(verdicts.len())), tally(verdicts));
    match more.len() {
        0 => summary,
        1 => format!("{summary}; 1 more question: {}", tally(more)),
        count => format!("{summary}; {} more questions: {}", grouped(count), tally(more)),
    }
}

fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}", grouped(count))
}

/// How often there is which verdict.
fn tally(verdicts: &[&str]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (names, style) in [
        (
            &[
                "serializable",
                "unreachable",
                "sequentialized",
                "explored",
                "proved",
                "never_fails",
                "deadlock_free",
            ][..],
            GOOD,
        ),
        (&["not_serializable", "reachable", "refuted", "can_fail", "can_deadlock"], BAD),
        (&["not_inductive", "unknown"], DOUBT),
        (&["error"], BAD),
    ] {
        for name in names {
            let n = verdicts.iter().filter(|it| *it == name).count();
            let words = match *name {
                "error" => "with errors".to_owned(),
                "explored" => "explored for the given sizes".to_owned(),
                name => name.replace('_', " "),
            };
            if n > 0 {
                parts.push(paint(style, format!("{} {words}", grouped(n))));
            }
        }
    }
    parts.join(", ")
}

/// A sentence with a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let text = capitalised(text);
    if text.ends_with(['.', '!', '?', ':']) { text } else { format!("{text}.") }
}

fn paragraph(out: &mut String, text: &str, width: usize) {
    wrapped(out, "  ", "  ", text, width);
}

fn point(out: &mut String, text: &str, width: usize) {
    wrapped(out, "    - ", "      ", text, width);
}

fn helps(out: &mut String, help: &[String], width: usize) {
    for text in help {
        wrapped(out, "  help: ", "        ", text, width);
    }
}

/// How many steps of a run were left out, in words.
fn left_out(steps: usize) -> String {
    let steps = count(steps, "more step");
    paint(FAINT, format!("    ... {steps}; --format json shows all of them ..."))
}
