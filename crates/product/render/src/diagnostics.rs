//! Diagnostics for the terminal, in the manner of rustc.
//!
//! A diagnostic shows a few lines, so only these are handed to the renderer, whose work grows with
//! the text that it gets. Lines that no terminal has room for are not shown at all: the place is
//! enough.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet};
use ser_base::{parts, path_from};
use ser_syntax::{Diagnostic, Label, Severity, Span};
use std::borrow::Cow;

/// The longest line that is shown, in bytes.
const MAX_LINE: usize = 4000;

/// The longest message, in characters: names may be very long.
const MAX_MESSAGE: usize = 1000;

/// Renders one diagnostic about `text`, which the user knows as `name`. Each place is shown in the
/// file that it is in.
pub fn render(name: &str, text: &str, diagnostic: &Diagnostic) -> String {
    let parts = parts(text);
    let part_of = |span: Span| {
        let index = parts.partition_point(|part| part.span.start <= span.start);
        parts.get(index.saturating_sub(1)).map_or(Span::default(), |part| part.span)
    };
    let files = |span: Span| {
        let named = parts.iter().find(|part| part.span == span && !part.name.is_empty());
        let path = named.map_or(name.to_owned(), |part| path_from(name, part.name));
        (path, text.get(span.range()).unwrap_or_default())
    };
    let own = part_of(diagnostic.primary.span);
    let within = |file: Span, span: Span| {
        Span::new(span.start.saturating_sub(file.start), span.end.saturating_sub(file.start))
    };
    let mut diagnostic = diagnostic.clone();
    diagnostic.primary.span = within(own, diagnostic.primary.span);
    let mut elsewhere = Vec::new();
    for label in std::mem::take(&mut diagnostic.secondary) {
        let (file, Label { span, message }) = (part_of(label.span), label);
        let label = Label { span: within(file, span), message };
        if file == own { diagnostic.secondary.push(label) } else { elsewhere.push((file, label)) }
    }
    for edit in diagnostic.help.iter_mut().filter_map(|help| help.edit.as_mut()) {
        edit.span = within(own, edit.span);
    }
    let (name, text) = files(own);
    let Some(excerpt) = Excerpt::around(text, &diagnostic) else {
        return without_lines(&name, text, &diagnostic);
    };
    let elsewhere: Vec<(String, &str, Label)> = elsewhere
        .into_iter()
        .map(|(file, label)| (files(file), label))
        .map(|((name, text), label)| (name, text, label))
        .collect();
    with_lines(&name, &excerpt, &diagnostic, &elsewhere)
}

/// The lines of a text that a diagnostic is about.
struct Excerpt<'t> {
    text: &'t str,
    /// Where it starts in the whole text.
    start: usize,
    /// The number of its first line.
    line: usize,
}

impl<'t> Excerpt<'t> {
    /// From the first to the last line with a label or an edit, and one more on each side; nothing
    /// if some line is too long.
    fn around(text: &'t str, diagnostic: &Diagnostic) -> Option<Excerpt<'t>> {
        let edits = diagnostic.help.iter().filter_map(|help| help.edit.as_ref());
        let labels = diagnostic.secondary.iter().map(|label| label.span);
        let spans = labels.chain(edits.map(|edit| edit.span));
        let whole = clamp(text, diagnostic.primary.span);
        let whole = spans
            .map(|span| clamp(text, span))
            .fold(whole, |whole, span| whole.start.min(span.start)..whole.end.max(span.end));
        let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |i| i + 1);
        let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |i| at + i + 1);
        let start = line_start(line_start(whole.start).saturating_sub(1));
        let end = line_end(line_end(whole.end));
        let line = text[..start].matches('\n').count() + 1;
        let text = &text[start..end];
        let fits = text.lines().all(|line| line.len() <= MAX_LINE);
        fits.then_some(Excerpt { text, start, line })
    }

    /// Where a part of the whole text is in here.
    fn range(&self, span: Span) -> std::ops::Range<usize> {
        let at = |offset: u32| u32::try_from((offset as usize).saturating_sub(self.start));
        let end = u32::MAX;
        clamp(self.text, Span::new(at(span.start).unwrap_or(end), at(span.end).unwrap_or(end)))
    }

    fn snippet<'n, T: Clone>(&self, name: &'n str) -> Snippet<'n, T>
    where
        't: 'n,
    {
        Snippet::source(self.text).line_start(self.line).path(name)
    }
}

/// A message that is not too long.
fn shortened(message: &str) -> Cow<'_, str> {
    let Some((end, _)) = message.char_indices().nth(MAX_MESSAGE) else { return message.into() };
    let more = message[end..].chars().count();
    format!("{} ... ({more} more characters)", &message[..end]).into()
}

/// The message, its place, and the help, for lines that are too long.
fn without_lines(name: &str, text: &str, diagnostic: &Diagnostic) -> String {
    let before = &text[..clamp(text, diagnostic.primary.span).start];
    let line = before.matches('\n').count() + 1;
    let column = before[before.rfind('\n').map_or(0, |i| i + 1)..].chars().count() + 1;
    let title = level(diagnostic).primary_title(shortened(&diagnostic.message));
    let place = Origin::path(name).line(line).char_column(column);
    let helps = diagnostic.help.iter().map(|h| Level::HELP.message(shortened(&h.message)));
    let main = helps.fold(title.element(place), |group, help| group.element(help));
    Renderer::styled().render(&[main])
}

/// Everything, on the lines that it is about.
fn with_lines(
    name: &str,
    excerpt: &Excerpt<'_>,
    diagnostic: &Diagnostic,
    elsewhere: &[(String, &str, Label)],
) -> String {
    let primary = &diagnostic.primary;
    let mut annotation = AnnotationKind::Primary.span(excerpt.range(primary.span));
    if !primary.message.is_empty() {
        annotation = annotation.label(primary.message.as_str());
    }
    let mut snippet = excerpt.snippet(name).annotation(annotation);
    for label in &diagnostic.secondary {
        let span = excerpt.range(label.span);
        snippet =
            snippet.annotation(AnnotationKind::Context.span(span).label(label.message.as_str()));
    }
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut main = level(diagnostic).primary_title(shortened(&diagnostic.message)).element(snippet);
    for (name, text, Label { span, message }) in elsewhere {
        let about = Diagnostic::error("", "", *span);
        if let Some(excerpt) = Excerpt::around(text, &about) {
            let annotation = AnnotationKind::Context.span(excerpt.range(*span)).label(message);
            main = main.element(excerpt.snippet(name).annotation(annotation));
        }
    }
    for help in diagnostic.help.iter().filter(|h| h.edit.is_none()) {
        main = main.element(Level::HELP.message(shortened(&help.message)));
    }
    groups.push(main);
    for help in &diagnostic.help {
        if let Some(edit) = &help.edit {
            let patch = Patch::new(excerpt.range(edit.span), edit.replacement.as_str());
            groups.push(
                Level::HELP
                    .secondary_title(shortened(&help.message))
                    .element(excerpt.snippet(name).patch(patch)),
            );
        }
    }
    Renderer::styled().render(&groups)
}

fn level(diagnostic: &Diagnostic) -> Level<'static> {
    match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    }
}

/// A span that lies within the text, on character boundaries.
fn clamp(text: &str, span: Span) -> std::ops::Range<usize> {
    let floor = |at: usize| {
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (start, end) = (floor(span.start as usize), floor(span.end as usize));
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str, diagnostic: &Diagnostic) -> String {
        anstream::adapter::strip_str(&render("p.ser", text, diagnostic)).to_string()
    }

    #[test]
    fn lines_and_columns_are_those_of_the_whole_text() {
        let text = format!("{}é := wrong;\nend\n", "X := 1;\n".repeat(40));
        let start = text.find("wrong").unwrap_or(0) as u32;
        let diagnostic = Diagnostic::error("e", "this is wrong", Span::new(start, start + 5))
            .with_secondary(Span::new(16, 17), "because of this");
        let shown = plain(&text, &diagnostic);
        assert!(shown.contains("--> p.ser:41:6"), "{shown}");
        assert!(shown.contains("41 | é := wrong;"), "{shown}");
        assert!(shown.contains(" 3 | X := 1;"), "{shown}");
        let end = Diagnostic::error("e", "more", Span::new(text.len() as u32, text.len() as u32));
        assert!(plain(&text, &end).contains("more"), "{}", plain(&text, &end));
    }

    #[test]
    fn every_place_is_shown_in_its_file() {
        let mut text = "one\ntwo\n".to_owned();
        ser_base::add_file(&mut text, "../b.ser", Ok("three\nfour\n"));
        let place = |word: &str| {
            let start = text.find(word).expect("there") as u32;
            Span::new(start, start + word.len() as u32)
        };
        let diagnostic = Diagnostic::error("e", "this is wrong", place("four"))
            .with_secondary(place("two"), "because of this")
            .with_secondary(place("three"), "and this");
        let shown =
            anstream::adapter::strip_str(&render("lib/p.ser", &text, &diagnostic)).to_string();
        for part in ["--> b.ser:2:1", "::: lib/p.ser:2", "2 | two", "2 | four", "1 | three"] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_has_a_place_only() {
        let text = format!("first\n{}wrong", "é".repeat(10_000));
        let start = text.find("wrong").unwrap_or(0) as u32;
        let message = "x".repeat(5000);
        let diagnostic = Diagnostic::error("e", message, Span::new(start, start + 5));
        let shown = plain(&text, &diagnostic.with_help("do it right"));
        assert!(shown.contains("--> p.ser:2:10001"), "{shown}");
        assert!(shown.contains("(4000 more characters)"), "{shown}");
        assert!(shown.contains("do it right"), "{shown}");
        assert!(!shown.contains('é'), "{shown}");
    }
}
