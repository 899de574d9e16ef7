//! What could come next: words of the language and names in scope.
//!
//! While a person types, the text around the cursor rarely parses. So names come from the tokens,
//! not from the tree, and so does what can stand there ([`Slot`]): all globals and constants of the
//! file, and the lowercase names of the request around the cursor, which reaches from its `request`
//! to the next one.

use super::cursor::{Cursor, within};
use super::keywords::keyword;
use super::language::{self, candidate};
use super::slot::{Slot, slot};
use crate::document::Document;
use crate::settings::Settings;
use lsp_types::{
    CompletionItem, CompletionItemKind, Documentation, InsertTextFormat, MarkupContent, MarkupKind,
    Position,
};
use ser_report::Kind;
use ser_syntax::lexer::TokenKind;
use std::collections::BTreeMap;

/// The candidates at a position; nothing for languages whose words are not known here.
pub fn complete(
    document: &Document,
    settings: &Settings,
    position: Position,
) -> Option<Vec<CompletionItem>> {
    // What it uses has names, too.
    let Some(cursor) = Cursor::new(&document.whole, document.text.offset(position)) else {
        return Some(Vec::new());
    };
    match document.kind {
        Kind::Program => Some(in_program(settings, &cursor)),
        Kind::Protocol => Some(language::complete(&document.protocol, &cursor)),
        Kind::Invariants => Some(language::complete(&document.invariants, &cursor)),
        Kind::System | Kind::Processes | Kind::Unwinding | Kind::Net => None,
    }
}

fn in_program(settings: &Settings, cursor: &Cursor<'_>) -> Vec<CompletionItem> {
    let slot = slot(&cursor.tokens, cursor.offset);
    let mut out = names(cursor, slot);
    for keyword in slot.words().iter().filter_map(|word| keyword(word)) {
        let documentation = format!("{}\n\n```ser\n{}\n```", keyword.meaning, keyword.example);
        let snippet = settings.snippets && keyword.snippet != keyword.word;
        out.push(CompletionItem {
            documentation: Some(Documentation::MarkupContent(MarkupContent {
                kind: MarkupKind::Markdown,
                value: documentation,
            })),
            insert_text: snippet.then(|| keyword.snippet.to_owned()),
            insert_text_format: snippet.then_some(InsertTextFormat::SNIPPET),
            ..candidate(keyword.word, CompletionItemKind::KEYWORD, "1", None)
        });
    }
    out
}

/// The names that can stand there.
fn names(cursor: &Cursor<'_>, slot: Slot) -> Vec<CompletionItem> {
    let (constants, globals, locals) = match slot {
        Slot::Item => (false, true, false),
        Slot::Constant => (true, false, false),
        Slot::Statement | Slot::Value => (true, true, true),
        _ => return Vec::new(),
    };
    let request = cursor.body(|t| t.kind == TokenKind::Request);
    let mut found: BTreeMap<&str, (CompletionItemKind, &str)> = BTreeMap::new();
    let mut before = None;
    for token in cursor.meaningful() {
        let previous = before.replace(token.kind);
        let is_name = token.kind == TokenKind::Name && !cursor.is_typed(token);
        if !is_name || previous == Some(TokenKind::Request) {
            continue;
        }
        let name = token.text(cursor.text);
        if previous == Some(TokenKind::Const) {
            found.insert(name, (CompletionItemKind::CONSTANT, "constant"));
        } else if name.starts_with(char::is_uppercase) {
            found.entry(name).or_insert((CompletionItemKind::VARIABLE, "global variable"));
        } else if locals && within(request, token.span) {
            found.entry(name).or_insert((CompletionItemKind::VARIABLE, "local variable"));
        }
    }
    let wanted = |kind: CompletionItemKind, detail: &str| match kind {
        CompletionItemKind::CONSTANT => constants,
        _ => detail != "global variable" || globals,
    };
    let found = found.into_iter().filter(|(_, (kind, detail))| wanted(*kind, detail));
    found.map(|(name, (kind, detail))| candidate(name, kind, "0", Some(detail))).collect()
}
