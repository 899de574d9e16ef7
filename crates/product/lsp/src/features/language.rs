//! What a language tells about itself, and what is made of it: the same for `.icet` files and models of threads.
//!
//! Where names stand and what they mean comes from the parser ([`Names`]), which has understood as
//! much as it can of a text with errors. What could come next comes from the tokens, because the
//! text around the cursor rarely parses.

use super::cursor::Cursor;
use crate::document::Document;
use lsp_types::{
    CompletionItem, CompletionItemKind, DocumentSymbol, Hover, HoverContents, MarkupContent,
    MarkupKind, SymbolKind,
};
use ser_editing::Names;
use ser_syntax::Span;
use ser_syntax::core::Name;
use std::collections::BTreeMap;

/// A language, as far as editors care: a text of it that was parsed.
pub trait Language: Names {
    /// Its name in Markdown.
    const NAME: &'static str;

    /// What its words mean.
    const MEANINGS: &'static [(&'static str, &'static str)];

    /// What something with a name is, in a sentence.
    fn explain(&self, symbol: Self::Symbol) -> String;

    /// The declarations of the text.
    fn outline(&self) -> Vec<Item>;

    /// The words that can stand at the cursor.
    fn words(&self, cursor: &Cursor<'_>) -> Vec<(&'static str, CompletionItemKind)>;

    /// The names that can stand there.
    fn names(&self, cursor: &Cursor<'_>) -> BTreeMap<String, CompletionItemKind>;

    fn meaning(word: &str) -> Option<&'static str> {
        Self::MEANINGS.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
    }
}

/// A declaration.
pub struct Item {
    pub name: String,
    pub detail: String,
    pub kind: SymbolKind,
    /// All that belongs to it, and its name in it.
    pub whole: Span,
    pub place: Span,
    pub children: Vec<Item>,
}

impl Item {
    pub fn new(name: &Name, detail: &str, kind: SymbolKind, whole: Span) -> Item {
        Item {
            name: name.text.clone(),
            detail: detail.to_owned(),
            kind,
            whole,
            place: name.span,
            children: Vec::new(),
        }
    }

    /// One that consists of its name.
    pub fn small(name: &Name, detail: &str, kind: SymbolKind) -> Item {
        Item::new(name, detail, kind, name.span)
    }

    /// The item as the protocol wants it, with its children in the order of the text.
    pub fn symbol(mut self, document: &Document) -> DocumentSymbol {
        self.children.sort_by_key(|it| it.whole);
        let children: Vec<DocumentSymbol> =
            self.children.into_iter().map(|it| it.symbol(document)).collect();
        #[allow(deprecated, reason = "the field has to be there")]
        DocumentSymbol {
            name: self.name,
            detail: Some(self.detail).filter(|it| !it.is_empty()),
            kind: self.kind,
            tags: None,
            deprecated: None,
            range: document.text.range(self.whole),
            selection_range: document.text.range(self.place),
            children: Some(children).filter(|it| !it.is_empty()),
        }
    }
}

/// Markdown about a place.
pub fn markdown(document: &Document, span: Span, value: String) -> Hover {
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Hover { contents, range: Some(document.text.range(span)) }
}

/// What the name or word at an offset means.
pub fn hover<L: Language>(language: &L, text: &str, offset: u32) -> Option<(Span, String)> {
    if let Some(here) = language.name_at(offset) {
        let (declaration, words) =
            (language.declaration(here.symbol), language.explain(here.symbol));
        return Some((here.span, format!("```{}\n{declaration}\n```\n\n{words}", L::NAME)));
    }
    let tokens = ser_syntax::lexer::lex(text);
    let here = tokens.iter().find(|it| it.span.start <= offset && offset < it.span.end)?;
    let word = here.text(text);
    Some((here.span, format!("`{word}`\n\n{}", L::meaning(word)?)))
}

/// What could come next: the words of the language, and names.
pub fn complete<L: Language>(language: &L, cursor: &Cursor<'_>) -> Vec<CompletionItem> {
    let names = language.names(cursor).into_iter();
    let mut out: Vec<CompletionItem> =
        names.map(|(name, kind)| candidate(&name, kind, "0", None)).collect();
    let words = language.words(cursor).into_iter();
    out.extend(words.map(|(word, kind)| candidate(word, kind, "1", L::meaning(word))));
    out
}

/// A candidate; `order` comes first when they are sorted.
pub fn candidate(
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
