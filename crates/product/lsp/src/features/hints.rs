//! What each yield point does, right behind its `yield`; and behind each goal whether it can be
//! reached.

use crate::document::Document;
use crate::verdict;
use lsp_types::{InlayHint, InlayHintLabel, InlayHintTooltip, Range};
use ser_syntax::Span;

/// The hints in a range.
pub fn hints(document: &Document, range: Range) -> Vec<InlayHint> {
    let asked = document.text.span(range);
    let yields = document.symbols.yields().iter().map(|(span, _)| *span);
    let yields = yields.filter(|span| document.is_own(*span));
    let yields = yields.filter_map(|span| Some((span, pause(document, span)?)));
    let goals = document.reports.iter().flatten().filter_map(|report| {
        let note = Note { words: verdict::words(report), sentence: verdict::sentence(report) };
        Some((report.question.span?, note))
    });
    let all = yields.chain(goals);
    let shown = all.filter(|(span, _)| asked.start <= span.end && span.start <= asked.end);
    shown.map(|(span, note)| hint(document, span, note)).collect()
}

/// What is known about a place.
pub struct Note {
    /// In a few words.
    pub words: String,
    /// In a sentence.
    pub sentence: String,
}

/// What is known about the pause at a `yield`.
pub fn pause(document: &Document, span: Span) -> Option<Note> {
    let report = document.of_program()?;
    let note = |words: &str, sentence: &str| {
        Some(Note { words: words.to_owned(), sentence: sentence.to_owned() })
    };
    let never = |d: &&ser_syntax::Diagnostic| d.code == "unreached-yield" && d.primary.span == span;
    if let Some(warning) = report.warnings.iter().find(never) {
        return note("never reached", &warning.message);
    }
    if let Some(mark) = report.marks.iter().find(|mark| mark.span == span) {
        return note(&mark.label, &mark.words);
    }
    let run = report.answer.run()?;
    match run.steps.iter().any(|step| step.pauses_at == Some(span)) {
        true => note(
            "not disturbed in the interleaving found",
            "In the interleaving found, a request pauses here, and nothing happens meanwhile that \
             it could notice. That does not make the pause harmless.",
        ),
        false => note(
            "not reached in the interleaving found",
            "In the interleaving found, no request pauses here. That does not make the pause \
             harmless.",
        ),
    }
}

fn hint(document: &Document, span: Span, note: Note) -> InlayHint {
    InlayHint {
        position: document.text.position(span.end),
        label: InlayHintLabel::String(note.words),
        kind: None,
        text_edits: None,
        tooltip: Some(InlayHintTooltip::String(note.sentence)),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }
}
