//! What stands here: what a name means, which values it can have, what a word does.

use super::keywords::{QUESTION, keyword};
use super::{hints, language};
use crate::document::Document;
use crate::values;
use crate::verdict::sentence;
use lsp_types::{Hover, Position};
use ser_editing::symbols::{Role, Symbol, SymbolKind};
use ser_report::Kind;
use ser_report::text::{capitalised, count};
use ser_syntax::ast::Request;
use ser_syntax::lexer::{Token, TokenKind, lex};
use ser_syntax::{Line, Span, constants};
use std::collections::BTreeSet;

/// What to show at a position: what stands there, or what is known about the goal there.
pub fn hover(document: &Document, position: Position) -> Option<Hover> {
    let (text, offset) = (document.text.as_str(), document.text.offset(position));
    let found = match document.kind {
        Kind::Protocol => language::hover(&document.protocol, text, offset),
        Kind::Invariants => language::hover(&document.invariants, text, offset),
        Kind::Program => match document.symbols.at(offset) {
            Some((symbol, place)) => Some((place.span, on_name(document, symbol))),
            None => on_word(document, offset),
        },
        Kind::System | Kind::Processes | Kind::Unwinding | Kind::Net => on_goal(document, offset),
    };
    found.map(|(span, value)| language::markdown(document, span, value))
}

fn on_goal(document: &Document, offset: u32) -> Option<(Span, String)> {
    document.reports.iter().flatten().find_map(|report| {
        let span = report.question.span?;
        (span.start <= offset && offset <= span.end).then(|| (span, sentence(report)))
    })
}

fn on_word(document: &Document, offset: u32) -> Option<(Span, String)> {
    let tokens = lex(document.text.as_str());
    let before = tokens.partition_point(|t| t.span.start <= offset).checked_sub(1)?;
    // The end of a word counts, unless another starts there.
    let here = tokens.get(before)?;
    let previous = before.checked_sub(1).and_then(|i| tokens.get(i));
    let known = |t: &Token| t.kind.is_keyword() || t.kind == TokenKind::Question;
    let at_its_end = previous.filter(|p| p.span.end == offset && !known(here));
    let token = at_its_end.filter(|p| known(p)).unwrap_or(here);
    let word = match token.kind {
        TokenKind::Question => &QUESTION,
        _ => keyword(token.text(document.text.as_str())).filter(|_| known(token))?,
    };
    let mut out = format!("`{}`\n\n{}\n\n{}", word.word, word.meaning, code(word.example));
    if token.kind == TokenKind::Yield
        && let Some(note) = hints::pause(document, token.span)
    {
        out += &format!("\n\n**Here: {}.** {}", note.words, note.sentence);
    }
    Some((token.span, out))
}

fn on_name(document: &Document, symbol: &Symbol) -> String {
    let name = &symbol.name;
    let program = &document.parse.tree;
    let constants = constants(program);
    let request = |index: usize| program.requests.get(index);
    let values = document.values.as_ref();
    let variable = |kind: &str, words: &str, all: Option<&BTreeSet<i64>>| {
        let declaration = code(&format!("{kind} {name}"));
        let places = places(document, symbol);
        format!("{declaration}\n\n{words}{}.\n\n{places}", possible(all))
    };
    match symbol.kind {
        SymbolKind::Constant => {
            let value = constants.get(name).map_or("?".to_owned(), i64::to_string);
            format!("{}\n\nA constant.", code(&format!("const {name} = {value}")))
        }
        SymbolKind::Global => {
            let item = program.globals.iter().find(|i| i.name.text == *name);
            let first = item.and_then(|item| item.value.as_ref());
            let initial = match first {
                None => "starts at 0".to_owned(),
                Some(value) => {
                    format!(
                        "starts at {}",
                        document.whole.as_str().get(value.span.range()).unwrap_or("?")
                    )
                }
            };
            let all = values.and_then(|v| v.globals.get(name));
            let words = format!("A global variable: all requests share it. It {initial}");
            variable("global", &words, all)
        }
        SymbolKind::Local(index) => {
            let handler = request(index).map_or("?", |r| &r.name.text);
            let all = values.and_then(|v| v.locals.get(&(handler.to_owned(), name.clone())));
            let words = "each request has its own. It starts at 0";
            variable("local", &format!("A local variable of `{handler}`: {words}"), all)
        }
        SymbolKind::Parameter(index) => {
            let handler = request(index).map_or("?", |r| &r.name.text);
            let range = request(index).and_then(|r| range_of(r, name, document));
            let range = range.map_or(String::new(), |range| format!(" in {range}"));
            format!(
                "{}\n\nA parameter of `{handler}`: each of its values is a request of its own.",
                code(&format!("{name}{range}"))
            )
        }
        SymbolKind::Request => on_request(document, name),
        SymbolKind::Member => format!("{}\n\nThe member of an enumeration.", code(name)),
        SymbolKind::Field => format!("{}\n\nA field of a record.", code(name)),
        SymbolKind::Type => on_item(document, symbol, "A type."),
        SymbolKind::Function => {
            on_item(document, symbol, "A function: it is put in place wherever it is called.")
        }
    }
}

/// The first line of the item that introduces a name.
fn on_item(document: &Document, symbol: &Symbol, words: &str) -> String {
    let line = symbol.definition().map_or(0, |span| document.line(span.start).row);
    let text = document.whole.as_str().lines().nth(line.saturating_sub(1) as usize).unwrap_or("");
    format!("{}\n\n{words}", code(text.trim().trim_end_matches('{').trim_end()))
}

fn on_request(document: &Document, name: &str) -> String {
    let requests = &document.parse.tree.requests;
    let found = requests.iter().enumerate().find(|(_, r)| r.name.text == *name);
    let Some((index, request)) = found else { return code(&format!("request {name}")) };
    let pauses = document.symbols.yields().iter().filter(|(_, r)| *r == index).count();
    let pauses = match pauses {
        0 => "It never pauses.".to_owned(),
        n => format!("It has {}.", count(n, "pause")),
    };
    let head = Span::new(request.span.start, request.body.span.start);
    let head = document.whole.as_str().get(head.range()).unwrap_or(name).trim_end();
    let report = document.of_program();
    let summary = report.map_or(String::new(), |report| format!("\n\n{}", sentence(report)));
    format!("{}\n\nA request handler. {pauses}{summary}", code(head))
}

fn range_of<'d>(request: &Request, name: &str, document: &'d Document) -> Option<&'d str> {
    let parameter = request.parameters.iter().find(|p| p.name.text == *name)?;
    document.whole.as_str().get(parameter.values.span.range())
}

fn possible(values: Option<&BTreeSet<i64>>) -> String {
    match values {
        None => String::new(),
        Some(all) if all.len() == 1 => " and never changes".to_owned(),
        Some(all) => format!(" and takes no other values than {}", values::in_words(all)),
    }
}

/// `Written on lines 3, 7; read on line 2.`
fn places(document: &Document, symbol: &Symbol) -> String {
    let lines = |role: Role| -> BTreeSet<Line> {
        let places = symbol.occurrences.iter().filter(|o| o.role == role);
        places.map(|o| document.line(o.span.start)).collect()
    };
    let words = |lines: BTreeSet<Line>, how: &str| {
        let list: Vec<String> = lines.iter().map(ToString::to_string).collect();
        match list.len() {
            0 => format!("never {how}"),
            1 => format!("{how} on line {}", list.join("")),
            _ => format!("{how} on lines {}", list.join(", ")),
        }
    };
    let written = words(lines(Role::Write), "written");
    capitalised(&format!("{written}; {}.", words(lines(Role::Read), "read")))
}

fn code(text: &str) -> String {
    format!("```ser\n{text}\n```")
}
