//! What the file consists of: constants, globals, requests; processes; threads and invariants.

use super::language::{Item, Language as _};
use crate::document::Document;
use lsp_types::{DocumentSymbol, DocumentSymbolResponse, Location, SymbolInformation, SymbolKind};
use ser_editing::symbols::SymbolKind as Kind;
use ser_syntax::Span;
use ser_syntax::ast::{Name, Request};

/// The symbols of a document, in the order of the text.
pub fn symbols(document: &Document, nested: bool) -> DocumentSymbolResponse {
    let mut items = of_program(document);
    items.extend(document.protocol.outline());
    items.extend(document.invariants.outline());
    items.retain(|it| document.is_own(it.whole));
    items.sort_by_key(|it| it.whole);
    let all: Vec<DocumentSymbol> = items.into_iter().map(|it| it.symbol(document)).collect();
    if nested {
        return DocumentSymbolResponse::Nested(all);
    }
    #[allow(deprecated, reason = "the field has to be there")]
    let flat = all.into_iter().map(|s| SymbolInformation {
        name: s.name,
        kind: s.kind,
        tags: None,
        deprecated: None,
        location: Location::new(document.uri.clone(), s.range),
        container_name: None,
    });
    DocumentSymbolResponse::Flat(flat.collect())
}

fn of_program(document: &Document) -> Vec<Item> {
    let program = &document.parse.tree;
    let text = |span: Span| document.whole.as_str().get(span.range()).unwrap_or("");
    let mut out = Vec::new();
    for constant in &program.constants {
        let value = text(constant.value.span);
        out.push(Item::new(&constant.name, value, SymbolKind::CONSTANT, constant.span));
    }
    for request in &program.requests {
        let parameters = parameters(document, request);
        out.push(Item::new(&request.name, &parameters, SymbolKind::FUNCTION, request.span));
    }
    let requests = program.constants.len();
    for variable in document.symbols.all() {
        let Some(span) = variable.definition() else { continue };
        let (request, detail) = match variable.kind {
            Kind::Global => (None, "global"),
            Kind::Parameter(request) => (Some(request), "parameter"),
            Kind::Local(request) => (Some(request), "local"),
            _ => continue,
        };
        let name = Name { text: variable.name.clone(), span };
        let item = Item::small(&name, detail, SymbolKind::VARIABLE);
        match request.and_then(|request| out.get_mut(requests + request)) {
            Some(request) => request.children.push(item),
            None => out.push(item),
        }
    }
    out
}

fn parameters(document: &Document, request: &Request) -> String {
    match (request.parameters.first(), request.parameters.last()) {
        (Some(first), Some(last)) => {
            let text = document.whole.as_str().get(first.span.to(last.span).range());
            format!("({})", text.unwrap_or(""))
        }
        _ => String::new(),
    }
}
