//! Where a name comes from, and where else it stands.

use crate::document::Document;
use lsp_types::{DocumentHighlight, DocumentHighlightKind, Location, Position};
use ser_editing::Names;
use ser_editing::symbols::Role;
use ser_report::Kind;
use ser_syntax::Span;

/// A place of a name: whether the name comes from there, and how to highlight it.
struct Place {
    span: Span,
    defines: bool,
    kind: DocumentHighlightKind,
}

/// All places of the name at a position, in the order of the text.
fn places(document: &Document, position: Position) -> Option<Vec<Place>> {
    let offset = document.text.offset(position);
    match document.kind {
        Kind::Protocol => named(&document.protocol, offset),
        Kind::Invariants => named(&document.invariants, offset),
        _ => {
            let (symbol, _) = document.symbols.at(offset)?;
            let definition = symbol.definition();
            let place = |span: Span, role: Role| Place {
                span,
                defines: Some(span) == definition,
                kind: match role {
                    Role::Read => DocumentHighlightKind::READ,
                    Role::Write => DocumentHighlightKind::WRITE,
                    Role::Definition => DocumentHighlightKind::TEXT,
                },
            };
            Some(symbol.occurrences.iter().map(|it| place(it.span, it.role)).collect())
        }
    }
}

fn named(names: &impl Names, offset: u32) -> Option<Vec<Place>> {
    let here = names.name_at(offset)?;
    let places = names.places(here.symbol);
    let kind = DocumentHighlightKind::TEXT;
    Some(places.map(|it| Place { span: it.span, defines: it.defines, kind }).collect())
}

/// The place of the name at a position.
pub fn here(document: &Document, position: Position) -> Option<Span> {
    let offset = document.text.offset(position);
    let places = places(document, position)?;
    places.iter().rev().map(|it| it.span).find(|it| it.start <= offset && offset <= it.end)
}

fn location(document: &Document, place: &Place) -> Location {
    document.location(place.span)
}

/// Where the name at a position comes from.
pub fn definition(document: &Document, position: Position) -> Option<Location> {
    let places = places(document, position)?;
    Some(location(document, places.iter().find(|it| it.defines)?))
}

/// Every place of the name at a position; without those that it comes from, if so wished.
pub fn references(
    document: &Document,
    position: Position,
    declaration: bool,
) -> Option<Vec<Location>> {
    let places = places(document, position)?;
    let shown = places.iter().filter(|it| declaration || !it.defines);
    Some(shown.map(|it| location(document, it)).collect())
}

/// Every place of the name at a position, with what happens there.
pub fn highlights(document: &Document, position: Position) -> Option<Vec<DocumentHighlight>> {
    let range = |span| document.text.range(span);
    let places = places(document, position)?.into_iter().filter(|it| document.is_own(it.span));
    let places = places.map(|it| DocumentHighlight { range: range(it.span), kind: Some(it.kind) });
    Some(places.collect())
}
