//! The usual layout.

use crate::document::Document;
use lsp_types::TextEdit;
use ser_base::first_file;
use ser_report::Kind;

/// The edits that give a program its usual layout; nothing if it cannot be laid out.
pub fn format(document: &Document) -> Option<Vec<TextEdit>> {
    let text = document.whole.as_str();
    let new_text = match document.kind {
        Kind::Program | Kind::Protocol | Kind::Invariants | Kind::Processes => {
            first_file(&ser_editing::format(text).ok()?).to_owned()
        }
        Kind::Unwinding => ser_editing::format_unwinding(text).ok()?,
        Kind::System | Kind::Net | Kind::Sql => return None,
    };
    if new_text == document.text.as_str() {
        return Some(Vec::new());
    }
    Some(vec![TextEdit { range: document.text.whole(), new_text }])
}
