//! Another name for the same thing.

use super::actions::workspace_edit;
use crate::document::Document;
use crate::settings::Settings;
use lsp_types::{Position, PrepareRenameResponse, TextEdit, WorkspaceEdit};

/// What would be renamed at a position, if there is something.
pub fn prepare(document: &Document, position: Position) -> Option<PrepareRenameResponse> {
    let (symbol, place) = document.symbols.at(document.text.offset(position))?;
    let range = document.text.range(place.span);
    Some(PrepareRenameResponse::RangeWithPlaceholder { range, placeholder: symbol.name.clone() })
}

/// The edits that rename what stands at a position, or why that cannot be.
pub fn rename(
    document: &Document,
    settings: &Settings,
    position: Position,
    name: &str,
) -> Result<WorkspaceEdit, String> {
    let found = document.symbols.at(document.text.offset(position));
    let (symbol, _) = found.ok_or("there is no name here")?;
    if document.parse.has_errors() {
        return Err("the program has errors; some places of the name may not be known".to_owned());
    }
    let places = ser_editing::rename(&document.symbols, symbol, name).map_err(|e| e.to_string())?;
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
