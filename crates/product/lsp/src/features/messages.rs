//! What files with messages tell about themselves.

use super::cursor::{Cursor, depth_of, within};
use super::language::{Item, Language};
use lsp_types::{CompletionItemKind, SymbolKind};
use ser_syntax::icet::IcetParse;
use ser_syntax::icet::ast::{SetKind, Type};
use ser_syntax::icet::symbols::Symbol;
use ser_syntax::lexer::TokenKind;
use std::collections::BTreeMap;

/// The words that begin a declaration.
const ITEMS: [&str; 7] = ["const", "enum", "index", "msg", "process", "server", "set"];

/// All words that mean something in files with messages.
const WORDS: [&str; 32] = [
    "and", "assert", "bool", "break", "choose", "const", "else", "enum", "false", "for", "from",
    "if", "in", "index", "int", "loop", "match", "msg", "not", "or", "pid", "process", "recv",
    "self", "send", "server", "set", "skip", "to", "true", "var", "while",
];

impl Language for IcetParse {
    const NAME: &'static str = "ser";

    const MEANINGS: &'static [(&'static str, &'static str)] = &[
        ("assert", "What must hold here, whatever happens: `assert x == 1`."),
        ("break", "Leaves the innermost `loop` or `while`."),
        (
            "choose",
            "Some value of a type, or some member of a set: `x := choose(int)`, `x := choose(Q)`; or one of several blocks: `choose { ... } or { ... }`.",
        ),
        ("const", "A name for a number: `const N = 3`."),
        ("enum", "An enumeration: `enum Colour { red, green }`."),
        (
            "for",
            "Once for each member of a set, in any order (processes) or ascending (numbers): `for q in Q { ... }`.",
        ),
        ("from", "From whom a message is wanted: a process, or a set; without it, anyone."),
        ("if", "A choice: `if x == 1 { ... } else { ... }`; with `?`, either may happen."),
        ("index", "A set of numbers 0, 1, ..., as many as one likes: `index I`."),
        ("loop", "Repeats until a `break`."),
        (
            "match",
            "One block for each constructor of a message: `match w { Task(m) => { ... } _ => { ... } }`.",
        ),
        ("msg", "A message type with its constructors: `msg Work = Task(pid, int) | None`."),
        ("pid", "The address of a process; that of a member of `Q` has the type `Q`."),
        (
            "process",
            "A process: `process p { ... }`; one for each member of a set: `process p for q in Q { ... }`.",
        ),
        (
            "recv",
            "Waits for a message, and takes the oldest one of its sender: `v := recv Ping from p`.",
        ),
        ("self", "The address of the process itself."),
        ("send", "Sends a message, and never waits: `send Ping to p`."),
        ("server", "Before `process`: it may wait forever."),
        ("set", "A set of processes, as many as one likes: `set Q`, `set Q >= 1`."),
        ("var", "Declares a variable with its type and first value: `var x: pid = q`."),
        ("while", "Repeats while the condition holds."),
    ];

    fn explain(&self, symbol: Symbol) -> String {
        let protocol = &self.protocol;
        let process = |id: usize| protocol.processes.get(id);
        match symbol {
            Symbol::Constant(_) => "A constant.".to_owned(),
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
                SetKind::Processes => "set",
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
            let detail = if process.server { "server process" } else { "process" };
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
        if wanted(self, cursor).is_some() {
            return Vec::new();
        }
        let depth = cursor.depth();
        let words = WORDS.iter().filter(|word| match depth {
            0 => ITEMS.contains(word) || ["pid", "in", "int", "bool", "for"].contains(word),
            _ => !ITEMS.contains(word),
        });
        words.map(|word| (*word, CompletionItemKind::KEYWORD)).collect()
    }

    /// Names that stand at top level or in the process around the cursor.
    fn names(&self, cursor: &Cursor<'_>) -> BTreeMap<String, CompletionItemKind> {
        if let Some(wanted) = wanted(self, cursor) {
            return wanted.into_iter().collect();
        }
        let body = cursor.body(|it| it.text(cursor.text) == "process");
        let mut found = BTreeMap::new();
        let (mut depth, mut before) = (0, "");
        for token in cursor.meaningful() {
            let word = token.text(cursor.text);
            depth += depth_of(token.kind);
            let is_name = token.kind == TokenKind::Name && !cursor.is_typed(token) && word != "_";
            if is_name && !WORDS.contains(&word) {
                let kind = match before {
                    "process" => CompletionItemKind::FUNCTION,
                    "set" | "index" | "enum" | "msg" => CompletionItemKind::STRUCT,
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

/// What alone can stand at the cursor: message types behind `recv`, sets behind `in`, and values of
/// an enumeration or a message type where one is compared or matched.
fn wanted(parse: &IcetParse, cursor: &Cursor<'_>) -> Option<Vec<(String, CompletionItemKind)>> {
    let protocol = &parse.protocol;
    let words: Vec<&str> = cursor
        .meaningful()
        .take_while(|it| it.span.start < cursor.offset)
        .filter(|it| !(cursor.is_typed(it) && it.kind == TokenKind::Name))
        .map(|it| it.text(cursor.text))
        .collect();
    let (last, before) = words.split_last()?;
    // The variable of `v ==`, `match v {`.
    let variable = match *last {
        "==" | "!=" => before.last(),
        "{" => before.last().filter(|_| before.iter().rev().nth(1) == Some(&"match")),
        "recv" => {
            let names = protocol.messages.iter().map(|it| it.name.text.clone());
            return Some(names.map(|name| (name, CompletionItemKind::STRUCT)).collect());
        }
        "in" => {
            let names = protocol.sets.iter().map(|it| it.name.text.clone());
            return Some(names.map(|name| (name, CompletionItemKind::STRUCT)).collect());
        }
        _ => None,
    }?;
    // That of the process around the cursor.
    let at = before.iter().rposition(|word| *word == "process")?;
    let process =
        protocol.processes.iter().find(|it| Some(&it.name.text.as_str()) == before.get(at + 1))?;
    let names: Vec<String> =
        match process.variables.iter().find(|it| it.name.text == **variable)?.ty {
            Type::Enum(id) => {
                let values = protocol.enums.get(id.index())?.values.iter();
                values.map(|it| it.text.clone()).collect()
            }
            Type::Message(id) => {
                let constructors = protocol.messages.get(id.index())?.constructors.iter();
                constructors.map(|it| it.name.text.clone()).collect()
            }
            _ => return None,
        };
    Some(names.into_iter().map(|name| (name, CompletionItemKind::ENUM_MEMBER)).collect())
}
