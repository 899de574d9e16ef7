//! What holds of every language alike: messages lie inside the text, and a layout says the same as
//! the text.

use ser_base::{Diagnostic, LineIndex, Span};
use ser_syntax::lexer::lex;
use std::fmt::Debug;

/// All places that messages speak of lie inside the text, on character boundaries, and have a line.
pub(super) fn check_messages(text: &str, diagnostics: &[Diagnostic]) {
    let lines = LineIndex::new(text);
    for diagnostic in diagnostics {
        let inside = |span: Span| check_span(text, &lines, span, diagnostic);
        inside(diagnostic.primary.span);
        diagnostic.secondary.iter().for_each(|label| inside(label.span));
        diagnostic.help.iter().filter_map(|h| h.edit.as_ref()).for_each(|edit| inside(edit.span));
        assert!(!diagnostic.message.is_empty(), "a message without words: {diagnostic:?}");
    }
}

/// Each of these places lies inside the text.
pub(super) fn check_places(text: &str, spans: impl IntoIterator<Item = Span>) {
    let lines = LineIndex::new(text);
    spans.into_iter().for_each(|span| check_span(text, &lines, span, &"a place of the syntax"));
}

fn check_span(text: &str, lines: &LineIndex, span: Span, of: &dyn Debug) {
    assert!(text.get(span.range()).is_some(), "not inside: {span:?} of {of:?}");
    let (start, end) = (lines.position(span.start), lines.position(span.end));
    assert!((&start.line, start.column) <= (&end.line, end.column));
}

/// A text has a layout exactly if it has no errors (unless the layout would be too large). It has
/// the words of the text, is laid out already, and means the same, as far as `meanings` compares
/// that. Whether there is one whose meaning was compared.
pub(super) fn check_relaid<M: PartialEq + Debug>(
    text: &str,
    has_errors: bool,
    format: fn(&str) -> Result<String, Vec<Diagnostic>>,
    meanings: impl FnOnce(&str) -> Option<(M, M)>,
) -> bool {
    let formatted = match format(text) {
        Ok(formatted) => formatted,
        Err(diagnostics) => {
            let too_large = |d: &Diagnostic| d.code == "formatted-too-large";
            assert!(
                has_errors || diagnostics.iter().all(too_large),
                "no layout for a text without errors: {diagnostics:?}"
            );
            return false;
        }
    };
    assert!(!has_errors, "a layout for a text with errors");
    assert_eq!(words(text), words(&formatted), "the layout has other words");
    assert_eq!(format(&formatted).as_ref(), Ok(&formatted), "the layout is laid out differently");
    let Some((before, after)) = meanings(&formatted) else { return false };
    assert_eq!(before, after, "the layout means something else");
    true
}

/// What is between blanks and comments.
fn words(text: &str) -> Vec<&str> {
    lex(text).into_iter().filter(|t| !t.kind.is_trivia()).map(|t| t.text(text)).collect()
}

/// What a syntax tree says, apart from where it stands.
pub(super) fn without_places(tree: &impl Debug) -> String {
    const PLACE: &str = "Span { start: ";
    let shown = format!("{tree:?}");
    let mut parts = shown.split(PLACE);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // Names are words: none of them looks like a place.
        out += part.split_once('}').map_or(part, |(_, rest)| rest);
    }
    out
}
