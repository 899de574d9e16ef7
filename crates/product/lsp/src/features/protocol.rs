//! What an editor can ask about `.icet` files, as far as it is not the same for all languages.
//!
//! Where names stand and what they mean comes from the parser ([`IcetParse`](ser_syntax::icet::IcetParse)),
//! which has understood as much as it can of a text with errors. What could come next comes from the
//! tokens, because the text around the cursor rarely parses.

use super::outline::symbol;
use crate::document::Document;
use lsp_types::{
    CompletionItem, CompletionItemKind, DocumentHighlight, DocumentHighlightKind, DocumentSymbol,
    Hover, HoverContents, Location, MarkupContent, MarkupKind, Position, SymbolKind,
};
use ser_editing::Names as _;
use ser_syntax::Occurrence;
use ser_syntax::Span;
use ser_syntax::icet::KEYWORDS;
use ser_syntax::icet::symbols::Symbol;
use ser_syntax::lexer::{Token, TokenKind, lex};
use std::collections::BTreeMap;

fn at(document: &Document, position: Position) -> Option<&Occurrence<Symbol>> {
    document.protocol.name_at(document.text.offset(position))
}

fn location(document: &Document, span: Span) -> Location {
    Location::new(document.uri.clone(), document.text.range(span))
}

/// Where the name at a position comes from.
pub fn definition(document: &Document, position: Position) -> Option<Location> {
    let here = at(document, position)?;
    Some(location(document, document.protocol.definition(here.symbol)?))
}

/// Every place of the name at a position; without the one that it comes from, if so wished.
pub fn references(
    document: &Document,
    position: Position,
    declaration: bool,
) -> Option<Vec<Location>> {
    let here = at(document, position)?;
    let places = document.protocol.places(here.symbol).filter(|it| declaration || !it.defines);
    Some(places.map(|it| location(document, it.span)).collect())
}

/// Every place of the name at a position.
pub fn highlights(document: &Document, position: Position) -> Option<Vec<DocumentHighlight>> {
    let here = at(document, position)?;
    let places = document.protocol.places(here.symbol).map(|it| DocumentHighlight {
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
    let protocol = &document.protocol.protocol;
    let process = |id: usize| protocol.processes.get(id);
    let words = match symbol {
        Symbol::Set(id) => match protocol.sets.get(id.0 as usize).map(|set| set.kind) {
            Some(ser_syntax::icet::ast::SetKind::Indices) => {
                "A set of numbers 0, 1, ..., as many as one likes.".to_owned()
            }
            _ => "A set of processes that run the same code, as many as one likes.".to_owned(),
        },
        Symbol::Enum(_) => "An enumeration.".to_owned(),
        Symbol::EnumValue(..) => "A value of this enumeration.".to_owned(),
        Symbol::Message(_) => {
            "A message type: its messages from one process to another stay in order.".to_owned()
        }
        Symbol::Constructor(..) => "A constructor of this message type.".to_owned(),
        Symbol::Process(id) => match process(id.0 as usize) {
            Some(process) if process.server => "A process that may wait for ever.".to_owned(),
            Some(process) if process.set.is_some() => {
                "A process for each member of the set.".to_owned()
            }
            _ => "A single process; its name is its address.".to_owned(),
        },
        Symbol::Me(_) => "The address of the process itself.".to_owned(),
        Symbol::Variable(owner, id) => {
            let owner = process(owner.0 as usize);
            let variable = owner.and_then(|process| process.variables.get(id.0 as usize));
            let name = owner.map_or("?", |process| &process.name.text);
            match variable {
                Some(variable) if variable.of_loop => {
                    format!("The variable of a loop of `{name}`.")
                }
                _ => format!("A variable of `{name}`."),
            }
        }
    };
    format!("```icet\n{}\n```\n\n{words}", document.protocol.declaration(symbol))
}

fn on_word(document: &Document, offset: u32) -> Option<(Span, String)> {
    let text = document.text.as_str();
    let tokens = lex(text);
    let here = tokens.iter().find(|it| it.span.start <= offset && offset < it.span.end)?;
    let (word, meaning) = MEANINGS.iter().find(|(word, _)| *word == here.text(text))?;
    Some((here.span, format!("`{word}`\n\n{meaning}")))
}

/// What the words of the language mean.
const MEANINGS: [(&str, &str); 21] = [
    ("any", "Some value of a type: `x := any int;`."),
    ("assert", "What must hold here, whatever happens: `assert x == 1;`."),
    ("break", "Leaves the innermost `loop` or `while`."),
    ("enum", "An enumeration: `enum Colour { Red, Green }`."),
    ("fail", "Must not be reached."),
    (
        "for",
        "Once for each member of a set, in any order (processes) or ascending (numbers): `for q in Q { ... }`.",
    ),
    ("from", "From whom a message is wanted: a process, a set, or `*` for anyone."),
    ("if", "A choice: `if x == 1 { ... } else { ... }`; with `*`, either may happen."),
    ("index", "A set of numbers 0, 1, ..., as many as one likes: `index I;`."),
    ("loop", "Repeats until a `break`."),
    (
        "match",
        "One block for each constructor of a message: `match w { Task(m) => { ... } _ => { ... } }`.",
    ),
    ("msg", "A message type with its constructors: `msg Work = Task(pid, int) | None;`."),
    ("pick", "Some member of a set: `x := pick Q;`."),
    ("pid", "The address of a process; `pid in Q`: of a member of `Q`."),
    (
        "proc",
        "A process: `proc p { ... }`; one for each member of a set: `proc p for q in Q { ... }`.",
    ),
    ("procs", "A set of processes, as many as one likes: `procs Q;`, `procs Q >= 1;`."),
    (
        "recv",
        "Waits for a message, and takes the oldest one of its sender: `v <- recv Ping from p;`.",
    ),
    ("self", "The address of the process itself."),
    ("send", "Sends a message, and never waits: `send Ping to p;`."),
    ("server", "Before `proc`: the process may wait for ever."),
    ("while", "Repeats while the condition holds."),
];

/// The declarations of a file, with their places.
pub fn symbols(document: &Document) -> Vec<(Span, DocumentSymbol)> {
    let protocol = &document.protocol.protocol;
    let entry = |name: &ser_syntax::ast::Name, detail: &str, kind, whole: Span| {
        (whole, symbol(document, &name.text, detail, kind, whole, name.span))
    };
    let mut out = Vec::new();
    for set in &protocol.sets {
        let detail = match set.kind {
            ser_syntax::icet::ast::SetKind::Processes => "procs",
            ser_syntax::icet::ast::SetKind::Indices => "index",
        };
        out.push(entry(&set.name, detail, SymbolKind::ARRAY, set.name.span));
    }
    for item in &protocol.enums {
        let end = item.values.last().map_or(item.name.span, |value| value.span);
        out.push(entry(&item.name, "enum", SymbolKind::ENUM, item.name.span.to(end)));
    }
    for item in &protocol.messages {
        let end = item.constructors.last().map_or(item.name.span, |it| it.name.span);
        out.push(entry(&item.name, "msg", SymbolKind::STRUCT, item.name.span.to(end)));
    }
    for process in &protocol.processes {
        let end = process.body.last().map_or(process.name.span, |it| it.span);
        let detail = if process.server { "server proc" } else { "proc" };
        let whole = process.name.span.to(end);
        let (span, mut symbol) = entry(&process.name, detail, SymbolKind::FUNCTION, whole);
        let variables = process.variables.iter().map(|variable| {
            let ty = ser_editing::type_name(protocol, variable.ty);
            entry(&variable.name, &ty, SymbolKind::VARIABLE, variable.name.span).1
        });
        symbol.children = Some(variables.collect());
        out.push((span, symbol));
    }
    out
}

/// What could come next: the words of the language, and names that stand at top level or in the process
/// around the cursor.
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
    let depth = tokens.iter().take_while(|it| it.span.end <= offset).fold(0i64, |depth, it| {
        depth + i64::from(it.kind == TokenKind::LeftBrace)
            - i64::from(it.kind == TokenKind::RightBrace)
    });
    const ITEMS: [&str; 6] = ["enum", "index", "msg", "proc", "procs", "server"];
    let keywords = KEYWORDS.iter().chain(&["server"]).filter(|word| match depth {
        0 => ITEMS.contains(word) || ["pid", "in", "int", "bool", "for"].contains(word),
        _ => !ITEMS.contains(word) && **word != "spawn",
    });
    let mut out: Vec<CompletionItem> = names(text, &tokens, offset)
        .into_iter()
        .map(|(name, kind)| CompletionItem {
            label: name.to_owned(),
            kind: Some(kind),
            sort_text: Some(format!("0{name}")),
            ..CompletionItem::default()
        })
        .collect();
    out.extend(keywords.map(|word| CompletionItem {
        label: (*word).to_owned(),
        kind: Some(CompletionItemKind::KEYWORD),
        detail: MEANINGS.iter().find(|(known, _)| known == word).map(|(_, it)| (*it).to_owned()),
        sort_text: Some(format!("1{word}")),
        ..CompletionItem::default()
    }));
    out
}

/// Names that can stand at an offset.
fn names<'t>(
    text: &'t str,
    tokens: &[Token],
    offset: u32,
) -> BTreeMap<&'t str, CompletionItemKind> {
    let starts = tokens.iter().filter(|it| it.text(text) == "proc").map(|it| it.span.start);
    let start = starts.clone().take_while(|at| *at < offset).last().unwrap_or(0);
    let end = starts.into_iter().find(|at| *at >= offset).unwrap_or(u32::MAX);
    let mut found = BTreeMap::new();
    let (mut depth, mut before) = (0i64, "");
    for token in tokens.iter().filter(|it| !it.kind.is_trivia()) {
        let word = token.text(text);
        match token.kind {
            TokenKind::LeftBrace => depth += 1,
            TokenKind::RightBrace => depth -= 1,
            _ => {}
        }
        let typed = token.span.start < offset && offset <= token.span.end;
        let is_name = token.kind == TokenKind::Name && !typed && word != "_";
        if is_name && !KEYWORDS.contains(&word) {
            let kind = match before {
                "proc" => CompletionItemKind::FUNCTION,
                "procs" | "index" | "enum" | "msg" => CompletionItemKind::STRUCT,
                _ if word.starts_with(char::is_uppercase) => CompletionItemKind::CONSTRUCTOR,
                _ => CompletionItemKind::VARIABLE,
            };
            let local = kind == CompletionItemKind::VARIABLE && (depth > 0 || before == "for");
            let near = start <= token.span.start && token.span.end <= end;
            if !local || near {
                found.entry(word).or_insert(kind);
            }
        }
        before = word;
    }
    found
}
