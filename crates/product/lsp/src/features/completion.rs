//! What could come next: words of the language and names in scope.
//!
//! While a person types, the text around the cursor rarely parses. So names come from the tokens,
//! not from the tree, and so does what can stand there ([`Slot`]): all globals and constants of the file, and the lowercase names of the request
//! around the cursor, which reaches from its `request` to the next one.

use super::keywords::keyword;
use super::slot::{Slot, slot};
use crate::document::Document;
use crate::settings::Settings;
use lsp_types::{
    CompletionItem, CompletionItemKind, Documentation, InsertTextFormat, MarkupContent, MarkupKind,
    Position,
};
use ser_syntax::Span;
use ser_syntax::lexer::{Token, TokenKind, lex};
use std::collections::BTreeMap;

/// The candidates at a position.
pub fn complete(
    document: &Document,
    settings: &Settings,
    position: Position,
) -> Vec<CompletionItem> {
    let text = document.text.as_str();
    let offset = document.text.offset(position);
    let tokens = lex(text);
    if is_silent(&tokens, offset) {
        return Vec::new();
    }
    let slot = slot(&tokens, offset);
    let mut out = names(document, &tokens, offset, slot);
    for keyword in slot.words().iter().filter_map(|word| keyword(word)) {
        let documentation = format!("{}\n\n```ser\n{}\n```", keyword.meaning, keyword.example);
        let snippet = settings.snippets && keyword.snippet != keyword.word;
        out.push(CompletionItem {
            label: keyword.word.to_owned(),
            kind: Some(CompletionItemKind::KEYWORD),
            documentation: Some(Documentation::MarkupContent(MarkupContent {
                kind: MarkupKind::Markdown,
                value: documentation,
            })),
            insert_text: snippet.then(|| keyword.snippet.to_owned()),
            insert_text_format: snippet.then_some(InsertTextFormat::SNIPPET),
            sort_text: Some(format!("1{}", keyword.word)),
            ..CompletionItem::default()
        });
    }
    out
}

/// Whether the cursor is in a comment or a number.
fn is_silent(tokens: &[Token], offset: u32) -> bool {
    let here = |t: &&Token| t.span.start < offset && offset <= t.span.end;
    tokens.iter().find(here).is_some_and(|t| match t.kind {
        TokenKind::LineComment | TokenKind::UnterminatedComment | TokenKind::Number => true,
        TokenKind::BlockComment => t.span.end != offset,
        _ => false,
    })
}

/// The names that can stand there.
fn names(document: &Document, tokens: &[Token], offset: u32, slot: Slot) -> Vec<CompletionItem> {
    let text = document.text.as_str();
    let (constants, globals, locals) = match slot {
        Slot::Item => (false, true, false),
        Slot::Constant => (true, false, false),
        Slot::Statement | Slot::Value => (true, true, true),
        _ => return Vec::new(),
    };
    let request = around(tokens, offset);
    let mut found: BTreeMap<&str, (CompletionItemKind, &str)> = BTreeMap::new();
    let mut before = None;
    for token in tokens.iter().filter(|t| !t.kind.is_trivia()) {
        let previous = before.replace(token.kind);
        // What is being typed is no candidate.
        let typed = token.span.start < offset && offset <= token.span.end;
        if token.kind != TokenKind::Name || typed || previous == Some(TokenKind::Request) {
            continue;
        }
        let name = token.text(text);
        if previous == Some(TokenKind::Const) {
            found.insert(name, (CompletionItemKind::CONSTANT, "constant"));
        } else if name.starts_with(char::is_uppercase) {
            found.entry(name).or_insert((CompletionItemKind::VARIABLE, "global variable"));
        } else if locals && request.start <= token.span.start && token.span.end <= request.end {
            found.entry(name).or_insert((CompletionItemKind::VARIABLE, "local variable"));
        }
    }
    let item = |(name, (kind, detail)): (&str, (CompletionItemKind, &str))| CompletionItem {
        label: name.to_owned(),
        kind: Some(kind),
        detail: Some(detail.to_owned()),
        sort_text: Some(format!("0{name}")),
        ..CompletionItem::default()
    };
    let wanted = |kind: CompletionItemKind, detail: &str| match kind {
        CompletionItemKind::CONSTANT => constants,
        _ => detail != "global variable" || globals,
    };
    found.into_iter().filter(|(_, (kind, detail))| wanted(*kind, detail)).map(item).collect()
}

/// From the last `request` before the cursor to the next one after it.
fn around(tokens: &[Token], offset: u32) -> Span {
    let requests = tokens.iter().filter(|t| t.kind == TokenKind::Request).map(|t| t.span.start);
    let start = requests.clone().take_while(|s| *s < offset).last().unwrap_or(0);
    let end = requests.into_iter().find(|s| *s >= offset).unwrap_or(u32::MAX);
    Span::new(start, end)
}
