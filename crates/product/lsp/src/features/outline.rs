//! What the file consists of: its items, and what has a name in them.

use super::language::{Item, Language as _};
use crate::document::Document;
use lsp_types::{DocumentSymbol, DocumentSymbolResponse, Location, SymbolInformation, SymbolKind};
use ser_editing::symbols::SymbolKind as Kind;
use ser_syntax::Span;
use ser_syntax::ast::{Declared, Name, Parameter};

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
    // Bodies first, in the order in which symbols count them.
    let head = |parameters: &[Parameter]| match (parameters.first(), parameters.last()) {
        (Some(first), Some(last)) => format!("({})", text(first.span.to(last.span))),
        _ => String::new(),
    };
    let function = SymbolKind::FUNCTION;
    let requests = program.requests.iter();
    let requests = requests.map(|it| Item::new(&it.name, &head(&it.parameters), function, it.span));
    let functions = program.functions.iter().map(|it| Item::new(&it.name, "fn", function, it.span));
    let processes = program.processes.iter().map(|it| {
        let detail = format!("process {}", head(&it.parameters));
        Item::new(&it.name, detail.trim_end(), function, it.span)
    });
    let mut out: Vec<Item> = requests.chain(functions).chain(processes).collect();
    for variable in document.symbols.all() {
        let Some(span) = variable.definition() else { continue };
        let (body, detail) = match variable.kind {
            Kind::Parameter(body) => (body, "parameter"),
            Kind::Local(body) => (body, "local"),
            _ => continue,
        };
        let name = Name { text: variable.name.clone(), span };
        if let Some(body) = out.get_mut(body) {
            body.children.push(Item::small(&name, detail, SymbolKind::VARIABLE));
        }
    }
    for constant in &program.constants {
        let value = text(constant.value.span);
        out.push(Item::new(&constant.name, value, SymbolKind::CONSTANT, constant.span));
    }
    for item in &program.enumerations {
        let members = item.members.iter();
        let members = members.map(|it| Item::small(it, "", SymbolKind::ENUM_MEMBER));
        let children = members.collect();
        out.push(Item { children, ..Item::new(&item.name, "enum", SymbolKind::ENUM, item.span) });
    }
    for item in &program.records {
        let fields = item.fields.iter();
        let fields =
            fields.map(|(name, values)| Item::small(name, text(values.span), SymbolKind::FIELD));
        let children = fields.collect();
        out.push(Item {
            children,
            ..Item::new(&item.name, "record", SymbolKind::STRUCT, item.span)
        });
    }
    for item in &program.aliases {
        let meaning = text(item.meaning.span);
        out.push(Item::new(&item.name, meaning, SymbolKind::STRUCT, item.span));
    }
    for variable in document.symbols.all().iter().filter(|it| it.kind == Kind::Global) {
        let Some(span) = variable.definition() else { continue };
        let declared = program.globals.iter().find(|it| it.name.text == variable.name);
        let detail = match declared.map(|it| &it.declared) {
            Some(Declared::Var(Some(values))) => text(values.span),
            Some(Declared::Lock(_)) => "lock",
            _ => "global",
        };
        let name = Name { text: variable.name.clone(), span };
        out.push(Item::small(&name, detail, SymbolKind::VARIABLE));
    }
    for claim in &program.claims {
        let detail = claim.kind.word();
        let kind = SymbolKind::PROPERTY;
        match &claim.name {
            Some(name) => out.push(Item::new(name, detail, kind, claim.span)),
            None => {
                let condition = claim.conjuncts.first().map_or(claim.span, |it| it.condition.span);
                let name = Name { text: text(condition).to_owned(), span: condition };
                out.push(Item::new(&name, detail, kind, claim.span));
            }
        }
    }
    out
}
