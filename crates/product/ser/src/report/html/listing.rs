//! The source as a listing: line numbers, colours, marks on pauses and on what is wrong.
//!
//! A source may be as large as 4 MiB, and so may one of its lines. What is shown is bounded: of a long
//! text the beginning and the surroundings of the lines that the report is about, of a long line its
//! beginning. What is left out is counted.

use super::escape::Text;
use ser_session::source::{Kind, Source};
use ser_session::words;
use ser_syntax::lexer::{TokenKind, lex};
use ser_syntax::{LineIndex, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Texts with at most so many lines are shown as a whole.
const MAX_LINES: u32 = 1500;
/// Of longer ones, so many from the beginning.
const BEGINNING: u32 = 60;
/// And so many around each line that matters.
const AROUND: u32 = 8;
/// At most so many lines that matter.
const MAX_MARKED: usize = 200;
/// The most characters of a line.
const MAX_WIDTH: usize = 400;

/// What is worth pointing out in a source.
#[derive(Debug, Default)]
pub struct Marks {
    /// Lines that the report is about.
    pub lines: BTreeSet<u32>,
    /// What is wrong: where, and the class of the mark.
    pub wrong: Vec<(Span, &'static str)>,
    /// What is known about pauses.
    pub pauses: Pauses,
}

/// What is known about the `yield`s of a program.
#[derive(Debug, Default)]
pub enum Pauses {
    /// Nothing.
    #[default]
    Unknown,
    /// They make no difference: the program is serializable.
    Harmless,
    /// These let others interfere: where they are, and what is known about each.
    Blamed(BTreeMap<Span, String>),
}

/// The listing, as HTML.
pub fn listing(source: &Source, marks: &Marks) -> String {
    let lines = &source.lines;
    let pieces = match source.kind {
        Kind::Program => coloured(source, marks),
        Kind::System
        | Kind::Processes
        | Kind::Unwinding
        | Kind::Protocol
        | Kind::Invariants
        | Kind::Net => {
            vec![Piece { span: Span::new(0, source.text.len() as u32), class: "", title: "" }]
        }
    };
    let mut out = format!("<ol class=\"code\" style=\"--digits:{}\">", digits(lines));
    let mut next = 1;
    for (first, last) in shown(lines, marks) {
        skipped(&mut out, next, first);
        let mut at = pieces.partition_point(|p| lines.line(p.span.end.saturating_sub(1)) < first);
        for line in first..=last {
            let wrong = marks.wrong.iter().find(|(span, _)| lines.line(span.start) == line);
            let class = wrong.map_or("", |(_, class)| class);
            let _ = write!(
                out,
                "<li class=\"line {class}\" id=\"L{line}\" data-line=\"{line}\">\
                 <a class=\"no\" href=\"#L{line}\" tabindex=\"-1\">{line}</a>\
                 <span class=\"stand\"></span><code>"
            );
            code(&mut out, source, line, &pieces, &mut at);
            out.push_str("</code></li>");
        }
        next = last + 1;
    }
    skipped(&mut out, next, line_count(lines) + 1);
    out.push_str("</ol>");
    out
}

fn skipped(out: &mut String, from: u32, to: u32) {
    if from < to {
        let count = words::count((to - from) as usize, "line");
        let _ = write!(out, "<li class=\"gap\">… {count} left out …</li>");
    }
}

/// How many digits the largest line number has.
pub fn digits(lines: &LineIndex) -> usize {
    line_count(lines).to_string().len()
}

/// How many lines there are to show: after the last line end there is none.
fn line_count(lines: &LineIndex) -> u32 {
    let count = lines.line_count();
    if count > 1 && lines.line_text(count).is_empty() { count - 1 } else { count }
}

/// The ranges of lines to show, in order, without overlaps.
fn shown(lines: &LineIndex, marks: &Marks) -> Vec<(u32, u32)> {
    let last = line_count(lines);
    if last <= MAX_LINES {
        return vec![(1, last)];
    }
    let mut ranges = vec![(1, BEGINNING)];
    for line in marks.lines.iter().copied().take(MAX_MARKED) {
        let (from, to) = (line.saturating_sub(AROUND).max(1), (line + AROUND).min(last));
        match ranges.last_mut() {
            Some((_, end)) if from <= *end + 1 => *end = to.max(*end),
            _ => ranges.push((from, to)),
        }
    }
    ranges
}

/// A part of the text in one colour.
struct Piece<'a> {
    span: Span,
    class: &'static str,
    /// What to say when one points at it; may be empty.
    title: &'a str,
}

/// The tokens of a program, with their colours.
fn coloured<'a>(source: &Source, marks: &'a Marks) -> Vec<Piece<'a>> {
    let text = source.text.as_str();
    let constants = Constants::of(text);
    let mut pieces = Vec::new();
    for token in lex(text) {
        let wrong = marks
            .wrong
            .iter()
            .any(|(span, _)| span.start <= token.span.start && token.span.end <= span.end);
        let (class, title) = match token.kind {
            TokenKind::Yield => match &marks.pauses {
                Pauses::Harmless => ("keyword yield harmless", HARMLESS),
                Pauses::Blamed(pauses) => match pauses.get(&token.span) {
                    Some(known) => ("keyword yield blamed", known.as_str()),
                    None => ("keyword yield", ""),
                },
                Pauses::Unknown => ("keyword yield", ""),
            },
            kind if wrong && kind != TokenKind::Whitespace => ("wrong", ""),
            kind => (constants.class_of(kind, token.text(text)), ""),
        };
        pieces.push(Piece { span: token.span, class, title });
    }
    pieces
}

const HARMLESS: &str = "Other requests may run here, and it makes no difference.";

/// One line of code; `at` is where the pieces of the line begin.
fn code(out: &mut String, source: &Source, line: u32, pieces: &[Piece<'_>], at: &mut usize) {
    let text = source.lines.line_text(line);
    let mut budget = MAX_WIDTH;
    while let Some(piece) = pieces.get(*at) {
        let range = source.lines.line_span(line);
        let (from, to) = (piece.span.start.max(range.start), piece.span.end.min(range.end));
        if from < to && budget > 0 {
            let part = source.text.get(from as usize..to as usize).unwrap_or("");
            let kept: String = part.chars().take(budget).collect();
            budget -= kept.chars().count();
            painted(out, &kept, piece.class, piece.title);
        }
        // A piece that goes on beyond the line is needed again.
        if piece.span.end > range.end {
            break;
        }
        *at += 1;
    }
    if budget == 0 {
        let more = text.chars().count().saturating_sub(MAX_WIDTH);
        if more > 0 {
            let _ = write!(
                out,
                "<span class=\"gap\"> … {} more</span>",
                words::count(more, "character")
            );
        }
    }
}

/// The names of a program that look like globals but stand for numbers.
#[derive(Debug, Default)]
pub struct Constants<'a>(BTreeSet<&'a str>);

impl<'a> Constants<'a> {
    /// The names that follow `const`.
    pub fn of(text: &'a str) -> Constants<'a> {
        let mut tokens = lex(text).into_iter().filter(|t| !t.kind.is_trivia());
        let mut names = BTreeSet::new();
        while let Some(token) = tokens.next() {
            if token.kind == TokenKind::Const
                && let Some(name) = tokens.next()
            {
                names.insert(name.text(text));
            }
        }
        Constants(names)
    }

    /// A short piece of code in colour, such as one line of a step.
    pub fn snippet(&self, text: &str) -> String {
        let mut out = String::new();
        for token in lex(text) {
            let part = token.text(text);
            painted(&mut out, part, self.class_of(token.kind, part), "");
        }
        out
    }

    fn class_of(&self, kind: TokenKind, text: &str) -> &'static str {
        match kind {
            TokenKind::LineComment | TokenKind::BlockComment | TokenKind::UnterminatedComment => {
                "comment"
            }
            TokenKind::Number => "number",
            TokenKind::Name if self.0.contains(text) => "number",
            TokenKind::Name if text.starts_with(char::is_uppercase) => "global",
            TokenKind::Name => "local",
            kind if kind.is_keyword() => "keyword",
            _ => "",
        }
    }
}

fn painted(out: &mut String, text: &str, class: &str, title: &str) {
    let _ = match (class, title) {
        ("", _) => write!(out, "{}", Text(text)),
        (class, "") => write!(out, "<span class=\"{class}\">{}</span>", Text(text)),
        (class, title) => {
            write!(out, "<span class=\"{class}\" title=\"{}\">{}</span>", Text(title), Text(text))
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown_as(text: &str, marks: &Marks) -> String {
        let source =
            ser_session::source::from_bytes("a.ser", text.as_bytes().to_vec()).expect("a source");
        listing(&source, marks)
    }

    #[test]
    fn constants_globals_and_locals_differ() {
        let text = "const LAST = 3 // a < b\nrequest a { x := X + LAST }\n";
        let out = shown_as(text, &Marks::default());
        for part in [
            "<span class=\"number\">LAST</span>",
            "<span class=\"global\">X</span>",
            "<span class=\"local\">x</span>",
            "<span class=\"comment\">// a &lt; b</span>",
        ] {
            assert!(out.contains(part), "{part}: {out}");
        }
        assert_eq!(out.matches("<li").count(), 2, "after the last line end there is no line");
    }

    #[test]
    fn comments_over_several_lines_stay_comments() {
        let out = shown_as("/* one\ntwo\n\nthree */ request a { 0 }", &Marks::default());
        for part in ["/* one", "two", "three */"] {
            assert!(out.contains(&format!("<span class=\"comment\">{part}</span>")), "{out}");
        }
    }

    #[test]
    fn of_a_long_text_the_lines_that_matter_are_shown() {
        let text = "// nothing\n".repeat(5000);
        let marks = Marks { lines: BTreeSet::from([3000, 3004]), ..Marks::default() };
        let out = shown_as(&text, &marks);
        assert!(out.contains("id=\"L1\"") && out.contains("id=\"L3012\""));
        assert!(!out.contains("id=\"L2000\"") && !out.contains("id=\"L3013\""));
        assert_eq!(out.matches("class=\"gap\"").count(), 2);
    }
}
