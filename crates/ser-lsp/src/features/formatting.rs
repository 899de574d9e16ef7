//! The usual layout.

use crate::document::Document;
use lsp_types::TextEdit;
use ser_check::source::Kind;

/// The edits that give a program its usual layout; nothing if it cannot be laid out.
pub fn format(document: &Document) -> Option<Vec<TextEdit>> {
    if document.kind != Kind::Program {
        return None;
    }
    let new_text = ser_lang::format(document.text.as_str()).ok()?;
    if new_text == document.text.as_str() {
        return Some(Vec::new());
    }
    Some(vec![TextEdit { range: document.text.whole(), new_text }])
}
