//! Colours by meaning: what the lexer sees, and for names what they stand for.

use super::keywords::keyword;
use crate::document::Document;
use lsp_types::{
    Position, SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens,
    SemanticTokensLegend,
};
use ser_editing::symbols::{Occurrence, Role, Symbol, SymbolKind};
use ser_report::Kind;
use ser_syntax::lexer::{Token, TokenKind, lex};
use std::collections::BTreeMap;

const TYPES: [SemanticTokenType; 10] = [
    SemanticTokenType::KEYWORD,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::NUMBER,
    SemanticTokenType::COMMENT,
    SemanticTokenType::OPERATOR,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::TYPE,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::PROPERTY,
];
const MODIFIERS: [SemanticTokenModifier; 6] = [
    SemanticTokenModifier::DECLARATION,
    SemanticTokenModifier::READONLY,
    SemanticTokenModifier::MODIFICATION,
    // Editors know `static` and have colours for it; `global` and `local` are for themes that care.
    SemanticTokenModifier::STATIC,
    SemanticTokenModifier::new("global"),
    SemanticTokenModifier::new("local"),
];

/// The types by their places in [`TYPES`].
#[derive(Clone, Copy)]
enum Type {
    Keyword,
    Variable,
    Parameter,
    Number,
    Comment,
    Operator,
    Function,
    Named,
    Member,
    Property,
}

const DECLARATION: u32 = 1 << 0;
const READONLY: u32 = 1 << 1;
const MODIFICATION: u32 = 1 << 2;
const STATIC: u32 = 1 << 3;
const GLOBAL: u32 = 1 << 4;
const LOCAL: u32 = 1 << 5;

/// What the numbers mean.
pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: TYPES.to_vec(), token_modifiers: MODIFIERS.to_vec() }
}

/// The tokens of a document with requests or processes: with messages and threads, names tell less.
pub fn tokens(document: &Document) -> Option<SemanticTokens> {
    if !matches!(document.kind, Kind::Program | Kind::Processes) {
        return None;
    }
    let text = document.text.as_str();
    let encoding = document.text.encoding();
    let names: BTreeMap<u32, (&Symbol, Occurrence)> =
        document.symbols.places().map(|(s, o)| (o.span.start, (s, o))).collect();
    let mut out: Vec<SemanticToken> = Vec::new();
    let mut last = Position::default();
    let mut last_start = 0;
    for token in lex(text) {
        let name = names.get(&token.span.start).filter(|(_, o)| o.span == token.span);
        let meaning = match name {
            Some((symbol, place)) => Some(on_name(symbol, *place)),
            None => on_token(token, token.text(text)),
        };
        let Some((token_type, token_modifiers_bitset)) = meaning else { continue };
        for (start, piece) in pieces(token, text) {
            let at = document.text.position_after((last_start, last), start);
            let delta_line = at.line - last.line;
            let from = if delta_line == 0 { last.character } else { 0 };
            out.push(SemanticToken {
                delta_line,
                delta_start: at.character - from,
                length: encoding.length(piece),
                token_type: token_type as u32,
                token_modifiers_bitset,
            });
            (last, last_start) = (at, start);
        }
    }
    Some(SemanticTokens { result_id: None, data: out })
}

/// The parts of a token on each line, with where they start: no token may cross a line's end.
fn pieces(token: Token, text: &str) -> impl Iterator<Item = (u32, &str)> {
    let mut start = token.span.start;
    token.text(text).split(['\n', '\r']).filter_map(move |piece| {
        let at = start;
        start += piece.len() as u32 + 1;
        (!piece.is_empty()).then_some((at, piece))
    })
}

fn on_name(symbol: &Symbol, place: Occurrence) -> (Type, u32) {
    let (kind, own) = match symbol.kind {
        SymbolKind::Constant => (Type::Variable, READONLY | STATIC),
        SymbolKind::Global => (Type::Variable, STATIC | GLOBAL),
        SymbolKind::Local(_) => (Type::Variable, LOCAL),
        SymbolKind::Parameter(_) => (Type::Parameter, READONLY),
        SymbolKind::Request | SymbolKind::Function | SymbolKind::Process | SymbolKind::Question => {
            (Type::Function, 0)
        }
        SymbolKind::Member => (Type::Member, READONLY | STATIC),
        SymbolKind::Field => (Type::Property, 0),
        SymbolKind::Type => (Type::Named, 0),
    };
    let role = match place.role {
        Role::Definition => DECLARATION,
        Role::Write => MODIFICATION,
        Role::Read => 0,
    };
    (kind, own | role)
}

/// Without a tree: by the looks.
fn on_token(token: Token, text: &str) -> Option<(Type, u32)> {
    match token.kind {
        kind if kind.is_keyword() => Some((Type::Keyword, 0)),
        TokenKind::LineComment | TokenKind::BlockComment | TokenKind::UnterminatedComment => {
            Some((Type::Comment, 0))
        }
        TokenKind::Number => Some((Type::Number, 0)),
        TokenKind::Name if matches!(text, "bool" | "int" | "bits" | "queue") => {
            Some((Type::Named, 0))
        }
        TokenKind::Name if matches!(text, "min" | "max" | "len" | "done") => {
            Some((Type::Function, 0))
        }
        // What stands for nothing is a word that is a name elsewhere.
        TokenKind::Name if keyword(text).is_some() => Some((Type::Keyword, 0)),
        TokenKind::Name if text.starts_with(char::is_uppercase) => {
            Some((Type::Variable, STATIC | GLOBAL))
        }
        TokenKind::Name => Some((Type::Variable, LOCAL)),
        TokenKind::Question
        | TokenKind::DotDot
        | TokenKind::Assign
        | TokenKind::EqualEqual
        | TokenKind::NotEqual
        | TokenKind::Less
        | TokenKind::LessEqual
        | TokenKind::Greater
        | TokenKind::GreaterEqual
        | TokenKind::Plus
        | TokenKind::Minus
        | TokenKind::Star
        | TokenKind::Slash
        | TokenKind::Percent
        | TokenKind::Bang
        | TokenKind::AndAnd
        | TokenKind::OrOr
        | TokenKind::Equal => Some((Type::Operator, 0)),
        _ => None,
    }
}
