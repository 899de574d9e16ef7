//! What could come next: words of the language and names in scope.
//!
//! While a person types, the text around the cursor rarely parses. So names come from the tokens,
//! not from the tree: all globals and constants of the file, and the lowercase names of the request
//! around the cursor, which reaches from its `request` to the next one.

use super::keywords::{KEYWORDS, Place};
use crate::document::Document;
use crate::settings::Settings;
use lsp_types::{
    CompletionItem, CompletionItemKind, Documentation, InsertTextFormat, MarkupContent, MarkupKind,
    Position,
};
use ser_lang::Span;
use ser_lang::lexer::{Token, TokenKind, lex};
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
    let Some(place) = place(&tokens, offset) else { return Vec::new() };
    let mut out: Vec<CompletionItem> = Vec::new();
    if place != Place::Head {
        out.extend(names(document, &tokens, offset, place));
    }
    for keyword in KEYWORDS.iter().filter(|k| k.place == place && k.word != "exit") {
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

/// Where the cursor is; nothing inside comments and numbers.
fn place(tokens: &[Token], offset: u32) -> Option<Place> {
    let inside = |t: &&Token| t.span.start < offset && offset < t.span.end;
    let at_end = |t: &&Token| t.span.end == offset && t.span.start < offset;
    let silent = |t: &Token| match t.kind {
        TokenKind::LineComment | TokenKind::UnterminatedComment | TokenKind::Number => true,
        TokenKind::BlockComment => t.span.end != offset,
        _ => false,
    };
    if tokens.iter().find(|t| inside(t) || at_end(t)).is_some_and(silent) {
        return None;
    }
    let mut depth = 0usize;
    let mut head = false;
    for token in tokens.iter().take_while(|t| t.span.end < offset) {
        match token.kind {
            TokenKind::LeftBrace => (depth, head) = (depth + 1, false),
            TokenKind::RightBrace => depth = depth.saturating_sub(1),
            TokenKind::Request => (depth, head) = (0, true),
            TokenKind::Const => head = false,
            _ => {}
        }
    }
    Some(match (depth, head) {
        (0, true) => Place::Head,
        (0, false) => Place::Top,
        _ => Place::Body,
    })
}

fn names(document: &Document, tokens: &[Token], offset: u32, place: Place) -> Vec<CompletionItem> {
    let text = document.text.as_str();
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
        } else if place == Place::Body
            && request.start <= token.span.start
            && token.span.end <= request.end
        {
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
    found.into_iter().map(item).collect()
}

/// From the last `request` before the cursor to the next one after it.
fn around(tokens: &[Token], offset: u32) -> Span {
    let requests = tokens.iter().filter(|t| t.kind == TokenKind::Request).map(|t| t.span.start);
    let start = requests.clone().take_while(|s| *s < offset).last().unwrap_or(0);
    let end = requests.into_iter().find(|s| *s >= offset).unwrap_or(u32::MAX);
    Span::new(start, end)
}
