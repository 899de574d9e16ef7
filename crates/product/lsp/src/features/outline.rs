//! What the file consists of: constants, globals, requests.

use crate::document::Document;
use lsp_types::{DocumentSymbol, DocumentSymbolResponse, Location, SymbolInformation, SymbolKind};
use ser_editing::symbols::{Symbol, SymbolKind as Kind};
use ser_syntax::Span;
use ser_syntax::ast::Request;
use std::collections::BTreeMap;

/// The symbols of a document, in the order of the text.
pub fn symbols(document: &Document, nested: bool) -> DocumentSymbolResponse {
    let program = &document.parse.program;
    let mut out: Vec<(Span, DocumentSymbol)> = super::protocol::symbols(document);
    out.extend(super::invariants::symbols(document));
    for constant in &program.constants {
        let detail = document.text.as_str().get(constant.value.span.range()).unwrap_or("");
        let symbol = symbol(
            document,
            &constant.name.text,
            detail,
            SymbolKind::CONSTANT,
            constant.span,
            constant.name.span,
        );
        out.push((constant.span, symbol));
    }
    for global in document.symbols.all().iter().filter(|s| s.kind == Kind::Global) {
        let Some(span) = global.definition() else { continue };
        let symbol = symbol(document, &global.name, "global", SymbolKind::VARIABLE, span, span);
        out.push((span, symbol));
    }
    let mut locals = locals(document);
    for (index, request) in program.requests.iter().enumerate() {
        let detail = parameters(document, request);
        let mut symbol = symbol(
            document,
            &request.name.text,
            &detail,
            SymbolKind::FUNCTION,
            request.span,
            request.name.span,
        );
        symbol.children = Some(locals.remove(&index).unwrap_or_default());
        out.push((request.span, symbol));
    }
    out.sort_by_key(|(span, _)| *span);
    let all: Vec<DocumentSymbol> = out.into_iter().map(|(_, symbol)| symbol).collect();
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

/// The parameters and locals of each request, by its index, in the order of the text.
fn locals(document: &Document) -> BTreeMap<usize, Vec<DocumentSymbol>> {
    let mut all: Vec<(Span, usize, &str, &Symbol)> = Vec::new();
    for local in document.symbols.all() {
        let (request, detail) = match local.kind {
            Kind::Parameter(request) => (request, "parameter"),
            Kind::Local(request) => (request, "local"),
            _ => continue,
        };
        all.extend(local.definition().map(|span| (span, request, detail, local)));
    }
    all.sort_by_key(|(span, ..)| *span);
    let mut out: BTreeMap<usize, Vec<DocumentSymbol>> = BTreeMap::new();
    for (span, request, detail, local) in all {
        let symbol = symbol(document, &local.name, detail, SymbolKind::VARIABLE, span, span);
        out.entry(request).or_default().push(symbol);
    }
    out
}

fn parameters(document: &Document, request: &Request) -> String {
    match (request.parameters.first(), request.parameters.last()) {
        (Some(first), Some(last)) => {
            let text = document.text.as_str().get(first.span.to(last.span).range());
            format!("({})", text.unwrap_or(""))
        }
        _ => String::new(),
    }
}

/// One symbol.
pub fn symbol(
    document: &Document,
    name: &str,
    detail: &str,
    kind: SymbolKind,
    whole: Span,
    name_span: Span,
) -> DocumentSymbol {
    #[allow(deprecated, reason = "the field has to be there")]
    DocumentSymbol {
        name: name.to_owned(),
        detail: Some(detail.to_owned()).filter(|d| !d.is_empty()),
        kind,
        tags: None,
        deprecated: None,
        range: document.text.range(whole),
        selection_range: document.text.range(name_span),
        children: None,
    }
}
