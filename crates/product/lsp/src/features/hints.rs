//! What each pause does, right behind its `yield`.

use crate::document::Document;
use crate::findings::Conclusion;
use lsp_types::{InlayHint, InlayHintLabel, InlayHintTooltip, Range};
use ser_session::serializability::words::causes;
use ser_syntax::Span;

/// The hints in a range.
pub fn hints(document: &Document, range: Range) -> Vec<InlayHint> {
    let asked = document.text.span(range);
    let yields = document.symbols.yields().iter().map(|(span, _)| *span);
    let shown = yields.filter(|span| asked.start <= span.end && span.start <= asked.end);
    shown
        .filter_map(|span| Some((span, pause(document, span)?)))
        .map(|(span, p)| hint(document, span, p))
        .collect()
}

/// What is known about a pause.
pub struct PauseNote {
    /// In a few words.
    pub words: String,
    /// In a sentence.
    pub sentence: String,
}

/// What is known about the pause at a `yield`.
pub fn pause(document: &Document, span: Span) -> Option<PauseNote> {
    let findings = document.findings.as_ref()?;
    let never = |d: &&ser_syntax::Diagnostic| d.code == "unreached-yield" && d.primary.span == span;
    if let Some(warning) = findings.warnings.iter().flatten().find(never) {
        let words = "never reached".to_owned();
        return Some(PauseNote { words, sentence: warning.message.clone() });
    }
    match findings.conclusion {
        Conclusion::Serializable => Some(PauseNote {
            words: "harmless".to_owned(),
            sentence: match &findings.proof {
                Some(proof) => format!("Proved harmless: {proof}."),
                None => "Proved harmless.".to_owned(),
            },
        }),
        Conclusion::NotSerializable => {
            let known = findings.pauses()?.get(&span);
            let told = known.and_then(|pause| Some((pause, causes::races_in_short(pause)?)));
            Some(match told {
                Some((pause, words)) => {
                    let sentence = causes::meanwhile(pause);
                    PauseNote { words, sentence }
                }
                None if findings.interleaving.as_ref()?.paused.contains(&span) => PauseNote {
                    words: "not disturbed in the interleaving found".to_owned(),
                    sentence: "In the interleaving found, a request pauses here, and nothing happens meanwhile that it could notice. That does not make the pause harmless.".to_owned(),
                },
                None => PauseNote {
                    words: "not reached in the interleaving found".to_owned(),
                    sentence: "In the interleaving found, no request pauses here. That does not make the pause harmless.".to_owned(),
                },
            })
        }
        Conclusion::Sequentialized
        | Conclusion::Refuted
        | Conclusion::Proved
        | Conclusion::NotInductive
        | Conclusion::Unknown
        | Conclusion::Error => None,
    }
}

fn hint(document: &Document, span: Span, note: PauseNote) -> InlayHint {
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
