//! Diagnostics for the terminal, in the manner of rustc.

use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};
use ser_lang::{Diagnostic, Severity, Span};

/// Renders one diagnostic about `text`, which the user knows as `name`.
pub fn render(name: &str, text: &str, diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let primary = &diagnostic.primary;
    let mut annotation = AnnotationKind::Primary.span(clamp(text, primary.span));
    if !primary.message.is_empty() {
        annotation = annotation.label(primary.message.as_str());
    }
    let mut snippet = Snippet::source(text).path(name).annotation(annotation);
    for label in &diagnostic.secondary {
        let span = clamp(text, label.span);
        snippet =
            snippet.annotation(AnnotationKind::Context.span(span).label(label.message.as_str()));
    }
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut main = level.primary_title(diagnostic.message.as_str()).element(snippet);
    for help in diagnostic.help.iter().filter(|h| h.edit.is_none()) {
        main = main.element(Level::HELP.message(help.message.as_str()));
    }
    groups.push(main);
    for help in &diagnostic.help {
        if let Some(edit) = &help.edit {
            let patch = Patch::new(clamp(text, edit.span), edit.replacement.as_str());
            groups.push(
                Level::HELP
                    .secondary_title(help.message.as_str())
                    .element(Snippet::source(text).path(name).patch(patch)),
            );
        }
    }
    Renderer::styled().render(&groups)
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
