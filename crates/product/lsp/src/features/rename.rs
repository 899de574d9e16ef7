//! Another name for the same thing.

use super::actions::workspace_edit;
use super::navigation;
use crate::document::Document;
use crate::settings::Settings;
use lsp_types::{Position, PrepareRenameResponse, TextEdit, WorkspaceEdit};

/// What would be renamed at a position, if there is something.
pub fn prepare(document: &Document, position: Position) -> Option<PrepareRenameResponse> {
    let span = navigation::here(document, position)?;
    let placeholder = document.text.as_str().get(span.range())?.to_owned();
    let range = document.text.range(span);
    Some(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder })
}

/// The edits that rename what stands at a position, or why that cannot be.
pub fn rename(
    document: &Document,
    settings: &Settings,
    position: Position,
    name: &str,
) -> Result<WorkspaceEdit, String> {
    if navigation::here(document, position).is_none() {
        return Err("there is no name here".to_owned());
    }
    let (text, offset) = (document.whole.as_str(), document.text.offset(position));
    let places = ser_editing::rename(text, offset, name).map_err(|error| error.to_string())?;
    if let Some(other) = places.iter().find(|span| !document.is_own(**span)) {
        return Err(format!(
            "it also stands in another file, which others may use (line {}): change both by hand",
            document.line(other.start)
        ));
    }
    let edits = places
        .into_iter()
        .map(|span| TextEdit { range: document.text.range(span), new_text: name.to_owned() });
    Ok(workspace_edit(document, settings, edits.collect()))
}
