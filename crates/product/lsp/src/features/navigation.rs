//! Where a name comes from, and where else it stands.

use crate::document::Document;
use lsp_types::{DocumentHighlight, DocumentHighlightKind, Location, Position};
use ser_editing::symbols::Role;

/// Where the name at a position comes from.
pub fn definition(document: &Document, position: Position) -> Option<Location> {
    let (symbol, _) = document.symbols.at(document.text.offset(position))?;
    let span = symbol.definition()?;
    Some(Location::new(document.uri.clone(), document.text.range(span)))
}

/// Every place of the name at a position; without the one that it comes from, if so wished.
pub fn references(
    document: &Document,
    position: Position,
    declaration: bool,
) -> Option<Vec<Location>> {
    let (symbol, _) = document.symbols.at(document.text.offset(position))?;
    let definition = symbol.definition();
    let places = symbol.occurrences.iter().map(|o| o.span);
    let shown = places.filter(|span| declaration || Some(*span) != definition);
    Some(shown.map(|span| Location::new(document.uri.clone(), document.text.range(span))).collect())
}

/// Every place of the name at a position, with what happens there.
pub fn highlights(document: &Document, position: Position) -> Option<Vec<DocumentHighlight>> {
    let (symbol, _) = document.symbols.at(document.text.offset(position))?;
    let places = symbol.occurrences.iter().map(|o| DocumentHighlight {
        range: document.text.range(o.span),
        kind: Some(match o.role {
            Role::Read => DocumentHighlightKind::READ,
            Role::Write => DocumentHighlightKind::WRITE,
            Role::Definition => DocumentHighlightKind::TEXT,
        }),
    });
    Some(places.collect())
}
