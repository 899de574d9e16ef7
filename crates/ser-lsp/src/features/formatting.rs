//! The usual layout.

use crate::document::Document;
use lsp_types::TextEdit;
use ser_check::source::Kind;

/// The edits that give a program its usual layout; nothing if it cannot be laid out.
pub fn format(document: &Document) -> Option<Vec<TextEdit>> {
    if document.kind != Kind::Program {
        return None;
    }
    let new_text = laid_out(document.text.as_str())?;
    if new_text == document.text.as_str() {
        return Some(Vec::new());
    }
    Some(vec![TextEdit { range: document.text.whole(), new_text }])
}

/// With the line ends that the text has; a text with errors has no layout.
fn laid_out(text: &str) -> Option<String> {
    let formatted = ser_lang::format(text).ok()?;
    Some(if text.contains("\r\n") { formatted.replace('\n', "\r\n") } else { formatted })
}
