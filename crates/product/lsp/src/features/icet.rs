//! What `.icet` files tell about themselves.

use super::cursor::{Cursor, depth_of, within};
use super::language::{Item, Language};
use lsp_types::{CompletionItemKind, SymbolKind};
use ser_syntax::icet::ast::SetKind;
use ser_syntax::icet::symbols::Symbol;
use ser_syntax::icet::{IcetParse, KEYWORDS};
use ser_syntax::lexer::TokenKind;
use std::collections::BTreeMap;

/// The words that begin a declaration.
const ITEMS: [&str; 6] = ["enum", "index", "msg", "proc", "procs", "server"];

impl Language for IcetParse {
    const NAME: &'static str = "icet";

    const MEANINGS: &'static [(&'static str, &'static str)] = &[
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
        ("server", "Before `proc`: the process may wait forever."),
        ("while", "Repeats while the condition holds."),
    ];

    fn explain(&self, symbol: Symbol) -> String {
        let protocol = &self.protocol;
        let process = |id: usize| protocol.processes.get(id);
        match symbol {
            Symbol::Set(id) => match protocol.sets.get(id.0 as usize).map(|set| set.kind) {
                Some(SetKind::Indices) => {
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
                Some(process) if process.server => "A process that may wait forever.".to_owned(),
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
        }
    }

    fn outline(&self) -> Vec<Item> {
        let protocol = &self.protocol;
        let mut out = Vec::new();
        for set in &protocol.sets {
            let detail = match set.kind {
                SetKind::Processes => "procs",
                SetKind::Indices => "index",
            };
            out.push(Item::small(&set.name, detail, SymbolKind::ARRAY));
        }
        for item in &protocol.enums {
            let end = item.values.last().map_or(item.name.span, |value| value.span);
            out.push(Item::new(&item.name, "enum", SymbolKind::ENUM, item.name.span.to(end)));
        }
        for item in &protocol.messages {
            let end = item.constructors.last().map_or(item.name.span, |it| it.name.span);
            out.push(Item::new(&item.name, "msg", SymbolKind::STRUCT, item.name.span.to(end)));
        }
        for process in &protocol.processes {
            let end = process.body.last().map_or(process.name.span, |it| it.span);
            let detail = if process.server { "server proc" } else { "proc" };
            let whole = process.name.span.to(end);
            let variables = process.variables.iter().map(|variable| {
                let ty = ser_editing::type_name(protocol, variable.ty);
                Item::small(&variable.name, &ty, SymbolKind::VARIABLE)
            });
            let children = variables.collect();
            let item = Item::new(&process.name, detail, SymbolKind::FUNCTION, whole);
            out.push(Item { children, ..item });
        }
        out
    }

    fn words(&self, cursor: &Cursor<'_>) -> Vec<(&'static str, CompletionItemKind)> {
        let depth = cursor.depth();
        let words = KEYWORDS.iter().chain(&["server"]).filter(|word| match depth {
            0 => ITEMS.contains(word) || ["pid", "in", "int", "bool", "for"].contains(word),
            _ => !ITEMS.contains(word) && **word != "spawn",
        });
        words.map(|word| (*word, CompletionItemKind::KEYWORD)).collect()
    }

    /// Names that stand at top level or in the process around the cursor.
    fn names(&self, cursor: &Cursor<'_>) -> BTreeMap<String, CompletionItemKind> {
        let body = cursor.body(|it| it.text(cursor.text) == "proc");
        let mut found = BTreeMap::new();
        let (mut depth, mut before) = (0, "");
        for token in cursor.meaningful() {
            let word = token.text(cursor.text);
            depth += depth_of(token.kind);
            let is_name = token.kind == TokenKind::Name && !cursor.is_typed(token) && word != "_";
            if is_name && !KEYWORDS.contains(&word) {
                let kind = match before {
                    "proc" => CompletionItemKind::FUNCTION,
                    "procs" | "index" | "enum" | "msg" => CompletionItemKind::STRUCT,
                    _ if word.starts_with(char::is_uppercase) => CompletionItemKind::CONSTRUCTOR,
                    _ => CompletionItemKind::VARIABLE,
                };
                let local = kind == CompletionItemKind::VARIABLE && (depth > 0 || before == "for");
                if !local || within(body, token.span) {
                    found.entry(word.to_owned()).or_insert(kind);
                }
            }
            before = word;
        }
        found
    }
}
