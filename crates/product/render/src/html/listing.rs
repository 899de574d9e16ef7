//! The source as a listing: line numbers, colours, and marks.
//!
//! A source may be as large as 4 MiB, and so may one of its lines. What is shown is bounded: of a
//! long text the beginning and the surroundings of the lines that the report is about, of a long
//! line its beginning. What is left out is counted.

use super::colours::{Colours, paint};
use ser_draw::Text;
use ser_report::text::count;
use ser_report::{Mark, MarkKind, Source};
use ser_syntax::{Line, LineIndex, Span};
use std::borrow::Cow;
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
const MAX_WIDTH: usize = 1000;

/// What is worth pointing out in a source.
#[derive(Debug, Default)]
pub struct Marks<'a> {
    /// Lines that the report is about.
    pub lines: BTreeSet<u32>,
    /// Lines with an error or a warning, and the class for it.
    pub wrong: BTreeMap<u32, &'static str>,
    /// Parts of the text, sorted by where they begin.
    spans: Vec<(Span, MarkKind, &'a str)>,
}

impl<'a> Marks<'a> {
    pub fn add(&mut self, marks: impl Iterator<Item = &'a Mark>) {
        self.spans.extend(marks.map(|mark| (mark.span, mark.kind, mark.words.as_str())));
        self.spans.sort_by_key(|(span, ..)| (span.start, span.end));
    }

    /// Something that is wrong on a line, with the class for it.
    pub fn add_wrong(&mut self, lines: &LineIndex, span: Span, class: &'static str) {
        let line = lines.row(span.start);
        self.lines.insert(line);
        self.wrong.entry(line).or_insert(class);
        self.spans.push((span, MarkKind::Wrong, ""));
        self.spans.sort_by_key(|(span, ..)| (span.start, span.end));
    }

    pub fn has(&self, kind: MarkKind) -> bool {
        self.spans.iter().any(|(_, other, _)| *other == kind)
    }

    /// The mark that a token lies in.
    fn at(&self, token: Span) -> Option<(MarkKind, &'a str)> {
        let end = self.spans.partition_point(|(span, ..)| span.start <= token.start);
        // The closest marks that begin before it; marks hardly ever lie within each other.
        let near = self.spans[..end].iter().rev().take(4);
        let mut around = near.filter(|(span, ..)| token.end <= span.end);
        around.next().map(|(_, kind, words)| (*kind, *words))
    }
}

/// The listing, as HTML.
pub fn listing(source: &Source, marks: &Marks<'_>) -> String {
    let lines = &source.lines;
    let pieces = coloured(source, marks);
    let mut out = format!("<ol class=\"code\" style=\"--digits:{}\">", digits(lines));
    let mut next = 1;
    for (first, last) in shown(lines, marks) {
        skipped(&mut out, next, first);
        let mut at = pieces.partition_point(|p| lines.row(p.span.end.saturating_sub(1)) < first);
        for line in first..=last {
            let class = marks.wrong.get(&line).copied().unwrap_or_default();
            let Line { number, file, .. } = lines.line_of_row(line);
            // Behind the last line end of a file there is no line.
            if lines.row_text(line).is_empty()
                && line < line_count(lines)
                && lines.line_of_row(line + 1).number == 0
            {
                continue;
            }
            if let (0, Some(file)) = (number, &file) {
                // All of it is one piece; nothing of it is code.
                while pieces.get(at).is_some_and(|it| it.span.end <= lines.row_span(line + 1).start)
                {
                    at += 1;
                }
                let _ = write!(out, "<li class=\"file\">{}</li>", Text(file));
                continue;
            }
            let name = Line { row: line, number, file }.to_string();
            let name = Text(&name);
            let _ = write!(
                out,
                "<li class=\"line {class}\" id=\"L{name}\" data-line=\"{name}\">\
                 <a class=\"no\" href=\"#L{name}\" tabindex=\"-1\">{number}</a>\
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
        let count = count((to - from) as usize, "line");
        let _ = write!(out, "<li class=\"gap\">… {count} left out …</li>");
    }
}

/// How many digits the largest line number has.
pub fn digits(lines: &LineIndex) -> usize {
    line_count(lines).to_string().len()
}

/// How many lines there are to show: after the last line end there is none.
fn line_count(lines: &LineIndex) -> u32 {
    let count = lines.row_count();
    if count > 1 && lines.row_text(count).is_empty() { count - 1 } else { count }
}

/// The ranges of lines to show, in order, without overlaps.
fn shown(lines: &LineIndex, marks: &Marks<'_>) -> Vec<(u32, u32)> {
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
    class: Cow<'static, str>,
    /// What to say when one points at it; may be empty.
    title: &'a str,
}

/// The tokens of the source, with their colours.
fn coloured<'a>(source: &Source, marks: &Marks<'a>) -> Vec<Piece<'a>> {
    let text = source.text.as_str();
    let colours = Colours::of(source.kind, text);
    let mut pieces = Vec::new();
    for token in colours.tokens(text) {
        let class = colours.class_of(token.kind, token.text(text));
        let mark = marks.at(token.span).filter(|_| !token.kind.is_trivia());
        let (class, title) = match mark {
            Some((MarkKind::Harmless, words)) => (format!("{class} yield harmless").into(), words),
            Some((MarkKind::Blamed, words)) => (format!("{class} yield blamed").into(), words),
            Some((MarkKind::Wrong, words)) => ("wrong".into(), words),
            None => (class.into(), ""),
        };
        pieces.push(Piece { span: token.span, class, title });
    }
    if pieces.is_empty() {
        let span = Span::new(0, u32::try_from(text.len()).unwrap_or(u32::MAX));
        pieces.push(Piece { span, class: "".into(), title: "" });
    }
    pieces
}

/// One line of code; `at` is where the pieces of the line begin.
fn code(out: &mut String, source: &Source, line: u32, pieces: &[Piece<'_>], at: &mut usize) {
    let text = source.lines.row_text(line);
    let mut budget = MAX_WIDTH;
    while let Some(piece) = pieces.get(*at) {
        let range = source.lines.row_span(line);
        let (from, to) = (piece.span.start.max(range.start), piece.span.end.min(range.end));
        if from < to && budget > 0 {
            let part = source.text.get(from as usize..to as usize).unwrap_or("");
            let kept: String = part.chars().take(budget).collect();
            budget -= kept.chars().count();
            paint(out, &kept, piece.class.trim(), piece.title);
        }
        // A piece that goes on beyond the line is needed again.
        if piece.span.end > range.end {
            break;
        }
        *at += 1;
    }
    let more = text.chars().count().saturating_sub(MAX_WIDTH);
    if more > 0 {
        let more = count(more, "more character");
        let _ = write!(out, "<span class=\"gap\"> … {more} on this line left out</span>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ser_report::Kind;

    fn shown_as(kind: Kind, text: &str, marks: &Marks<'_>) -> String {
        listing(&Source::new("a", kind, text.to_owned()), marks)
    }

    #[test]
    fn constants_globals_and_locals_differ() {
        let text = "const LAST = 3 // a < b\nrequest a { x := X + LAST }\n";
        let out = shown_as(Kind::Program, text, &Marks::default());
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
    fn every_language_has_its_own_keywords() {
        for (kind, word) in [
            (Kind::Program, "request"),
            (Kind::Processes, "await"),
            (Kind::Unwinding, "transition"),
            (Kind::Protocol, "recv"),
            (Kind::Invariants, "invariant"),
        ] {
            let out = shown_as(kind, &format!("{word} request2"), &Marks::default());
            assert!(out.contains(&format!("<span class=\"keyword\">{word}</span>")), "{out}");
        }
        for kind in [Kind::System, Kind::Net] {
            let out = shown_as(kind, "{ \"if\": 1 }", &Marks::default());
            assert!(out.contains("<code>{ &quot;if&quot;: 1 }</code>"), "{out}");
        }
    }

    #[test]
    fn comments_over_several_lines_stay_comments() {
        let text = "/* one\ntwo\n\nthree */ request a { 0 }";
        let out = shown_as(Kind::Program, text, &Marks::default());
        for part in ["/* one", "two", "three */"] {
            assert!(out.contains(&format!("<span class=\"comment\">{part}</span>")), "{out}");
        }
    }

    #[test]
    fn of_a_long_text_the_lines_that_matter_are_shown() {
        let text = "// nothing\n".repeat(5000);
        let marks = Marks { lines: BTreeSet::from([3000, 3004]), ..Marks::default() };
        let out = shown_as(Kind::Program, &text, &marks);
        assert!(out.contains("id=\"L1\"") && out.contains("id=\"L3012\""));
        assert!(!out.contains("id=\"L2000\"") && !out.contains("id=\"L3013\""));
        assert_eq!(out.matches("class=\"gap\"").count(), 2);
    }

    #[test]
    fn of_a_long_line_what_is_left_out_is_counted() {
        let out = shown_as(Kind::System, &"<".repeat(MAX_WIDTH + 1234), &Marks::default());
        assert_eq!(out.matches("&lt;").count(), MAX_WIDTH);
        assert!(out.contains("… 1,234 more characters on this line left out"), "{out}");
    }

    #[test]
    fn marks_are_where_they_were_put() {
        let text = "request a {\n    yield;\n    yield;\n    1 +\n}\n";
        let source = Source::new("a.ser", Kind::Program, text.to_owned());
        let yields: Vec<usize> = text.match_indices("yield").map(|(at, _)| at).collect();
        let span = |at: usize, length: usize| Span::new(at as u32, (at + length) as u32);
        let mark = |at: usize, kind, words: &str| {
            let label = String::new();
            Mark { span: span(at, 5), kind, label, words: words.into() }
        };
        let list = [
            mark(yields[1], MarkKind::Harmless, "no difference"),
            mark(yields[0], MarkKind::Blamed, "others \"write\" X"),
        ];
        let mut marks = Marks::default();
        marks.add(list.iter());
        marks.add_wrong(&source.lines, span(text.find('+').unwrap_or(0), 1), "error");
        let out = listing(&source, &marks);
        let title = "title=\"others &quot;write&quot; X\"";
        for part in [
            format!("<span class=\"keyword yield blamed\" {title}>yield</span>"),
            "<span class=\"keyword yield harmless\" title=\"no difference\">yield</span>".into(),
            "<span class=\"wrong\">+</span>".into(),
            "<li class=\"line error\" id=\"L4\"".into(),
        ] {
            assert!(out.contains(&part), "{part}: {out}");
        }
    }
}
