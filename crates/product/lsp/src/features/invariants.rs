//! `.inv` documents: names, their places, and words.
//!
//! Who is who comes from the resolver ([`InvParse`](ser_syntax::inv::InvParse)), which has understood as much as it
//! can of a text with errors. What could come next comes from the tokens, because the text around the cursor
//! rarely parses.

use super::outline::symbol;
use crate::document::Document;
use lsp_types::{
    CompletionItem, CompletionItemKind, DocumentHighlight, DocumentHighlightKind, DocumentSymbol,
    Hover, HoverContents, Location, MarkupContent, MarkupKind, Position, SymbolKind,
};
use ser_editing::Names as _;
use ser_syntax::Occurrence;
use ser_syntax::Span;
use ser_syntax::inv::ast::ProcId;
use ser_syntax::inv::symbols::Symbol;
use ser_syntax::inv::{FIELDS, FUNCTIONS, KEYWORDS};
use ser_syntax::lexer::{Token, TokenKind, lex};
use std::collections::BTreeMap;

fn at(document: &Document, position: Position) -> Option<&Occurrence<Symbol>> {
    document.invariants.name_at(document.text.offset(position))
}

fn location(document: &Document, span: Span) -> Location {
    Location::new(document.uri.clone(), document.text.range(span))
}

/// Where the name at a position comes from.
pub fn definition(document: &Document, position: Position) -> Option<Location> {
    let here = at(document, position)?;
    Some(location(document, document.invariants.definition(here.symbol)?))
}

/// Every place of the name at a position; without the one that it comes from, if so wished.
pub fn references(
    document: &Document,
    position: Position,
    declaration: bool,
) -> Option<Vec<Location>> {
    let here = at(document, position)?;
    let places = document.invariants.places(here.symbol).filter(|it| declaration || !it.defines);
    Some(places.map(|it| location(document, it.span)).collect())
}

/// Every place of the name at a position.
pub fn highlights(document: &Document, position: Position) -> Option<Vec<DocumentHighlight>> {
    let here = at(document, position)?;
    let places = document.invariants.places(here.symbol).map(|it| DocumentHighlight {
        range: document.text.range(it.span),
        kind: Some(DocumentHighlightKind::TEXT),
    });
    Some(places.collect())
}

/// What the name or word at a position means.
pub fn hover(document: &Document, position: Position) -> Option<Hover> {
    let (span, value) = match at(document, position) {
        Some(here) => (here.span, on_name(document, here.symbol)),
        None => on_word(document, document.text.offset(position))?,
    };
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: Some(document.text.range(span)) })
}

fn on_name(document: &Document, symbol: Symbol) -> String {
    let system = &document.invariants.system;
    let words = match symbol {
        Symbol::Global(id) => match system.globals.get(id.0 as usize).is_some_and(|it| it.ghost) {
            true => "Shared by all threads, and there for the proof only.",
            false => "Shared by all threads.",
        },
        Symbol::Local(id) => match system.locals.get(id.0 as usize).is_some_and(|it| it.ghost) {
            true => "Every thread has its own; there for the proof only.",
            false => "Every thread has its own. In invariants, `x[i]` is that of the thread `i`.",
        },
        Symbol::Procedure(ProcId(0)) => {
            "What every thread does. As a place: everywhere in it, but not in procedures."
        }
        Symbol::Procedure(_) => "A procedure. As a place: everywhere in it.",
        Symbol::Statement(_) => "A statement: one step, and a place where a thread can be.",
        Symbol::Label(_) => "A name for all places inside.",
        Symbol::Let(_) => "A shorthand in invariants, written out where it is used.",
        Symbol::LetParameter(..) => "Stands for the thread that is named where it is used.",
        Symbol::Invariant(_) => "What always holds, for all threads that its parameters can be.",
        Symbol::Parameter(..) => "Stands for all threads.",
        Symbol::Conjunct(..) => "A part of the invariant that a proof can use alone.",
    };
    format!("```inv\n{}\n```\n\n{words}", document.invariants.declaration(symbol))
}

fn on_word(document: &Document, offset: u32) -> Option<(Span, String)> {
    let text = document.text.as_str();
    let tokens = lex(text);
    let here = tokens.iter().find(|it| it.span.start <= offset && offset < it.span.end)?;
    let (word, meaning) = MEANINGS.iter().find(|(word, _)| *word == here.text(text))?;
    Some((here.span, format!("`{word}`\n\n{meaning}")))
}

/// What the words of the language mean.
const MEANINGS: [(&str, &str); 56] = [
    ("acyclic", "Every invariant is proved from others that do not need it."),
    ("addr", "The address of a cell of the heap, or `null`."),
    ("addr2set", "All cells from an address on: `addr2set(a)` has `a`, `a.next`, ...."),
    ("assert", "What must hold here, whatever happens: `assert x == 1;`."),
    ("assume", "What holds of the globals and the heap at the start."),
    ("at", "Where a thread is: `at(i, crit)`. In proofs: for the steps from there."),
    ("atomic", "Several things in one step: `atomic { x := y; y := y + 1; }`."),
    ("await", "Waits until a condition holds: `await x == 1;`."),
    ("call", "Goes to a procedure, and comes back: `x := call p(1);`."),
    ("choice", "Any of the branches: `choice { ... } or { ... }`."),
    ("critical", "The critical section: nothing happens in this step."),
    ("data", "The element in a cell: `a.data`."),
    ("elem", "An element of an order from `lowest` to `highest`."),
    ("follows", "It holds because others do, in every state: `a follows from b;`."),
    ("from", "What the proof of an invariant uses at every step."),
    ("ghost", "There for the proof only: without it, the program would do the same."),
    ("global", "A variable that all threads share: `global x : int = 0;`."),
    ("havoc", "Some value: `x := havoc;`, `x := havoc where x > 0;`."),
    ("highest", "The largest element."),
    ("if", "A choice by a condition, which is a step."),
    ("in", "Whether something is in a set: `x in s`."),
    ("int", "A whole number, of any size."),
    ("invariant", "What always holds: `invariant mutex(i, j) = i != j -> ...;`."),
    ("label", "A name for all places inside: `label crit { ... }`."),
    ("let", "A shorthand in invariants: `let active(i) = at(i, wait, crit);`."),
    ("local", "A variable of which every thread has its own: `local x : int = 0;`."),
    ("lock", "Waits until nobody has locked the cell, and locks it: `lock a;`."),
    ("lockid", "Who has locked a cell, or `nobody`: `a.lockid`."),
    ("loop", "Repeats for ever."),
    ("lowest", "The smallest element."),
    ("malloc", "A new cell, with its data and its next cell: `a := malloc(e, null);`."),
    ("max", "The largest number of a set that is not empty: `max(s)`."),
    ("me", "The thread that does the step."),
    ("min", "The smallest number of a set that is not empty: `min(s)`."),
    ("next", "The next cell: `a.next`."),
    ("nobody", "No thread."),
    ("noncritical", "Not the critical section: nothing happens in this step."),
    ("null", "The address of nothing: reading or writing there is an error."),
    ("ordered", "Whether `data` grows from cell to cell: `ordered(a, b)`, up to `b`."),
    ("other", "For steps of a thread that is not among those of the invariant."),
    ("proc", "A procedure: `proc insert(e : elem) { ... }`."),
    ("proof", "Which invariant is proved with the help of which others."),
    ("reach", "Whether one comes from a cell to another by `next`: `reach(a, b)`."),
    ("return", "Ends the procedure, or the thread."),
    ("self", "For steps of a thread that is among those of the invariant."),
    ("set", "A finite set: `set<int>`, `set<tid>`, `set<addr>`, `set<elem>`."),
    ("set2elem", "The data of all cells of a set: `set2elem(s)`."),
    ("skip", "A step in which nothing happens."),
    ("subset", "Whether all of one set is in another: `s subset t`."),
    ("system", "The name of the file's system: `system ticket;`."),
    ("thread", "What every thread does: `thread { ... }`."),
    ("threads", "Exactly so many threads: `threads 2;`. Any number without it."),
    ("tid", "A thread, or `nobody`; compared with `==` and `!=` only."),
    ("unlock", "Unlocks a cell that the thread itself has locked: `unlock a;`."),
    ("use", "What the proof uses for these steps."),
    ("while", "Repeats while the condition holds, each test being a step."),
];

/// The declarations of a file, with their places.
pub fn symbols(document: &Document) -> Vec<(Span, DocumentSymbol)> {
    let parse = &document.invariants;
    let system = &parse.system;
    let entry = |name: &ser_syntax::ast::Name, detail: &str, kind, whole: Span| {
        (whole, symbol(document, &name.text, detail, kind, whole, name.span))
    };
    let mut out = Vec::new();
    if let Some(name) = &system.name {
        out.push(entry(name, "system", SymbolKind::MODULE, name.span));
    }
    for global in &system.globals {
        let detail = format!("{}{}", if global.ghost { "ghost " } else { "" }, global.ty);
        out.push(entry(&global.name, &detail, SymbolKind::VARIABLE, global.name.span));
    }
    for (number, procedure) in system.procedures.iter().enumerate() {
        let id = ProcId(number as u32);
        let places = system.locations.iter().filter(|it| it.procedure == id);
        let whole = places.clone().fold(procedure.name.span, |whole, it| whole.to(it.span));
        let detail = if number == 0 { "" } else { "proc" };
        let (span, mut item) = entry(&procedure.name, detail, SymbolKind::FUNCTION, whole);
        let locals = system
            .locals
            .iter()
            .filter(|it| it.procedure == id)
            .map(|it| entry(&it.name, &it.ty.to_string(), SymbolKind::VARIABLE, it.name.span));
        let labels = parse.labels.iter().filter(|it| it.procedure == id);
        let labels = labels.map(|it| entry(&it.name, "label", SymbolKind::KEY, it.name.span));
        let named = places.filter_map(|it| it.name.as_ref());
        let named = named.map(|it| entry(it, "", SymbolKind::KEY, it.span));
        let mut children: Vec<(Span, DocumentSymbol)> = locals.chain(labels).chain(named).collect();
        children.sort_by_key(|(span, _)| *span);
        item.children = Some(children.into_iter().map(|(_, child)| child).collect());
        out.push((span, item));
    }
    for item in &parse.lets {
        out.push(entry(&item.name, "let", SymbolKind::CONSTANT, item.name.span));
    }
    for invariant in &system.invariants {
        let names: Vec<&str> = invariant.parameters.iter().map(|it| it.text.as_str()).collect();
        let detail = format!("invariant ({})", names.join(", "));
        let (span, mut item) =
            entry(&invariant.name, &detail, SymbolKind::PROPERTY, invariant.span);
        let tags = invariant.conjuncts.iter().filter_map(|it| it.tag.as_ref());
        let tags = tags.map(|it| entry(it, "", SymbolKind::KEY, it.span).1);
        item.children = Some(tags.collect());
        out.push((span, item));
    }
    out
}

/// What could come next: the words of the language, and the names of the file; locals of other bodies are
/// left out in a body, and fields come behind a `.`.
pub fn complete(document: &Document, position: Position) -> Vec<CompletionItem> {
    let text = document.text.as_str();
    let offset = document.text.offset(position);
    let tokens: Vec<Token> = lex(text);
    let inside = |it: &&Token| it.span.start < offset && offset <= it.span.end;
    let silent = tokens.iter().find(inside).is_some_and(|it| {
        it.kind == TokenKind::Number || it.kind.is_trivia() && it.kind != TokenKind::Whitespace
    });
    if silent {
        return Vec::new();
    }
    let is_word = |it: &Token| it.kind == TokenKind::Name || it.kind.is_keyword();
    let before = tokens.iter().filter(|it| !it.kind.is_trivia() && it.span.start < offset);
    let before = before.rev().find(|it| !(is_word(it) && offset <= it.span.end));
    if before.is_some_and(|it| it.text(text) == ".") {
        return fields(document, offset);
    }
    let depth = tokens.iter().take_while(|it| it.span.end <= offset).fold(0i64, |depth, it| {
        depth + i64::from(it.kind == TokenKind::LeftBrace)
            - i64::from(it.kind == TokenKind::RightBrace)
    });
    const ITEMS: [&str; 8] =
        ["assume", "global", "invariant", "let", "proc", "proof", "system", "threads"];
    let keywords = KEYWORDS.iter().chain(&FUNCTIONS).filter(|word| {
        let known = !["exists", "forall"].contains(word);
        known && (depth <= 0 || !ITEMS.contains(word))
    });
    let mut out: Vec<CompletionItem> = names(document, offset)
        .into_iter()
        .map(|(name, kind)| item(&name, kind, "0", None))
        .collect();
    out.extend(keywords.map(|word| {
        let kind = match FUNCTIONS.contains(word) {
            true => CompletionItemKind::FUNCTION,
            false => CompletionItemKind::KEYWORD,
        };
        let meaning = MEANINGS.iter().find(|(known, _)| known == word).map(|(_, it)| *it);
        item(word, kind, "1", meaning)
    }));
    out
}

fn item(
    label: &str,
    kind: CompletionItemKind,
    order: &str,
    detail: Option<&str>,
) -> CompletionItem {
    CompletionItem {
        label: label.to_owned(),
        kind: Some(kind),
        detail: detail.map(str::to_owned),
        sort_text: Some(format!("{order}{label}")),
        ..CompletionItem::default()
    }
}

/// What can stand behind a `.`: fields, and places and locals of the procedure before it.
fn fields(document: &Document, offset: u32) -> Vec<CompletionItem> {
    let before = document.invariants.occurrences.iter().rfind(|it| it.span.end < offset);
    let mut out: Vec<CompletionItem> = FIELDS
        .iter()
        .map(|word| {
            let meaning = MEANINGS.iter().find(|(known, _)| known == word).map(|(_, it)| *it);
            item(word, CompletionItemKind::FIELD, "1", meaning)
        })
        .collect();
    if let Some(Occurrence { symbol: Symbol::Procedure(id), span, .. }) = before
        && span.end + 2 >= offset
    {
        let system = &document.invariants.system;
        let places = system.locations.iter().filter(|it| it.procedure == *id);
        let places = places.filter_map(|it| it.name.as_ref());
        let labels = document.invariants.labels.iter().filter(|it| it.procedure == *id);
        for name in places.chain(labels.map(|it| &it.name)) {
            out.push(item(&name.text, CompletionItemKind::CONSTANT, "0", None));
        }
        for local in system.locals.iter().filter(|it| it.procedure == *id) {
            let ty = local.ty.to_string();
            out.push(item(&local.name.text, CompletionItemKind::VARIABLE, "0", Some(&ty)));
        }
    }
    out
}

/// Names that can stand at an offset. What was typed last may have hidden what was known: then the tokens
/// tell the names.
fn names(document: &Document, offset: u32) -> BTreeMap<String, CompletionItemKind> {
    let text = document.text.as_str();
    let tokens: Vec<Token> = lex(text).into_iter().filter(|it| !it.kind.is_trivia()).collect();
    let starts_body = |it: &&Token| matches!(it.text(text), "thread" | "proc");
    let starts = tokens.iter().filter(starts_body).map(|it| it.span.start);
    let start = starts.clone().take_while(|at| *at < offset).last().unwrap_or(0);
    let end = starts.into_iter().find(|at| *at >= offset).unwrap_or(u32::MAX);
    let mut found = BTreeMap::new();
    let (mut word, mut list) = ("", false);
    for (place, token) in tokens.iter().enumerate() {
        let this = token.text(text);
        let typed = token.span.start < offset && offset <= token.span.end;
        let is_name = token.kind == TokenKind::Name && !KEYWORDS.contains(&this) && this != "_";
        let next = tokens.get(place + 1);
        if is_name && !typed {
            let near = start <= token.span.start && token.span.end <= end;
            let kind = match word {
                "global" if list => Some(CompletionItemKind::VARIABLE),
                "local" if list => near.then_some(CompletionItemKind::VARIABLE),
                "proc" if list => Some(CompletionItemKind::FUNCTION),
                "let" if list => Some(CompletionItemKind::FUNCTION),
                "invariant" if list => Some(CompletionItemKind::PROPERTY),
                "label" if list => Some(CompletionItemKind::CONSTANT),
                _ if next.is_some_and(|it| it.kind == TokenKind::Colon) => {
                    Some(CompletionItemKind::CONSTANT)
                }
                // Parameters of what is around the cursor.
                "proc" | "let" | "invariant" => near.then_some(CompletionItemKind::VARIABLE),
                _ => None,
            };
            if let Some(kind) = kind {
                found.entry(this.to_owned()).or_insert(kind);
            }
            list = list && next.is_some_and(|it| it.kind == TokenKind::Comma);
        } else if KEYWORDS.contains(&this) {
            (word, list) = (this, true);
        } else if !matches!(token.kind, TokenKind::Comma) {
            list = false;
            if matches!(token.kind, TokenKind::Equal | TokenKind::LeftBrace | TokenKind::Semicolon)
            {
                word = "";
            }
        }
    }
    // In formulas all locals can be named, with an index.
    let in_formula = tokens
        .iter()
        .take_while(|it| it.span.start < offset)
        .filter(|it| matches!(it.text(text), "thread" | "proc" | "invariant" | "let"))
        .last()
        .is_some_and(|it| matches!(it.text(text), "invariant" | "let"));
    if in_formula {
        for local in &document.invariants.system.locals {
            found.entry(local.name.text.clone()).or_insert(CompletionItemKind::VARIABLE);
        }
    }
    found
}
