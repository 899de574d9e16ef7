//! What models of threads tell about themselves.

use super::cursor::{Cursor, depth_of, within};
use super::language::{Item, Language};
use lsp_types::{CompletionItemKind, SymbolKind};
use ser_syntax::Occurrence;
use ser_syntax::inv::ast::ProcId;
use ser_syntax::inv::symbols::Symbol;
use ser_syntax::inv::{FIELDS, FUNCTIONS, InvParse, KEYWORDS};
use ser_syntax::lexer::{Token, TokenKind};
use std::collections::BTreeMap;

/// The words that begin a declaration.
const ITEMS: [&str; 12] = [
    "assume",
    "const",
    "enum",
    "fn",
    "from",
    "ghost",
    "invariant",
    "process",
    "proof",
    "set",
    "type",
    "use",
];

/// Reserved words that models of threads have no use for.
const NOT_HERE: [&str; 8] =
    ["abort", "exists", "exit", "forall", "from", "request", "use", "yield"];

/// Words with a meaning that can be names, too.
const CONTEXTUAL: [&str; 9] =
    ["enum", "fn", "from", "invariant", "process", "proof", "set", "type", "use"];

impl Language for InvParse {
    const NAME: &'static str = "ser";

    const MEANINGS: &'static [(&'static str, &'static str)] = &[
        ("acyclic", "Every invariant is proved from others that do not need it."),
        ("addr", "The address of a cell of the heap, or `null`."),
        ("addr2set", "All cells from an address on: `addr2set(a)` has `a`, `a.next`, ...."),
        ("assert", "What must hold here, whatever happens: `assert x == 1`."),
        ("assume", "What holds of the globals and the heap at the start."),
        ("at", "Where a thread is: `at(i, crit)`. In proofs: for the steps from there."),
        ("atomic", "Several things in one step: `atomic { x := y; y := y + 1 }`."),
        ("await", "Waits until a condition holds: `await x == 1`."),
        ("break", "Leaves the loop around it."),
        (
            "choose",
            "Any of the branches: `choose { ... } or { ... }`; any value: `x := choose(int) where x > 0`.",
        ),
        ("const", "A name for a value: `const N = 3`."),
        ("continue", "Goes to the next round of the loop around it."),
        ("data", "The element in a cell: `a.data`."),
        ("elem", "An element of an order from `lowest` to `highest`."),
        ("enum", "Values with names: `enum Phase { idle, inside }`."),
        (
            "fn",
            "A function: `fn insert(e: elem) { ... }`; a shorthand in invariants: `fn active(i) = at(i, wait, crit)`.",
        ),
        ("follows", "It holds because others do, in every state: `a follows from b;`."),
        ("from", "What the proof of an invariant uses at every step."),
        ("ghost", "There for the proof only: without it, the program would do the same."),
        ("highest", "The largest element."),
        ("if", "A choice by a condition, which is a step."),
        ("in", "Whether something is in a set: `x in s`."),
        ("int", "A whole number, of any size."),
        ("invariant", "What always holds: `invariant mutex(i, j): i != j -> ...`."),
        (
            "lock",
            "Waits until nobody has locked the cell, and locks it: `lock a`. At top level, a lock: `lock L`.",
        ),
        ("lockid", "Who has locked a cell, or `nobody`: `a.lockid`."),
        ("loop", "Repeats forever."),
        ("lowest", "The smallest element."),
        ("malloc", "A new cell, with its data and its next cell: `a := malloc(e, null)`."),
        ("match", "Goes to the case that fits, in one step: `match x { 0 => skip, _ => x := 0 }`."),
        ("max", "The largest number of a set that is not empty: `max(s)`; of two: `max(x, y)`."),
        ("min", "The smallest number of a set that is not empty: `min(s)`; of two: `min(x, y)`."),
        ("next", "The next cell: `a.next`."),
        ("nobody", "No thread."),
        ("null", "The address of nothing: reading or writing there is an error."),
        ("ordered", "Whether `data` grows from cell to cell: `ordered(a, b)`, up to `b`."),
        ("other", "For steps of a thread that is not among those of the invariant."),
        ("process", "What every thread does: `process thread for self in Threads { ... }`."),
        ("proof", "Which invariant is proved with the help of which others."),
        ("reach", "Whether one comes from a cell to another by `next`: `reach(a, b)`."),
        ("return", "Ends the function, or the thread."),
        ("self", "In proofs: for steps of a thread that is among those of the invariant."),
        ("set", "The threads: `set Threads`, `set Threads == 2`; a type: `set of int`."),
        ("set2elem", "The data of all cells of a set: `set2elem(s)`."),
        ("skip", "A step in which nothing happens."),
        ("subset", "Whether all of one set is in another: `s subset t`."),
        ("type", "A name for a type: `type Count = 0..3`."),
        ("unlock", "Unlocks a cell that the thread itself has locked: `unlock a`."),
        ("use", "What the proof uses for these steps."),
        ("var", "A variable, shared or of each thread: `var x: int = 0`."),
        ("where", "Which values may be chosen: `x := choose(int) where x > 0`."),
        ("while", "Repeats while the condition holds, each test being a step."),
        ("with", "Takes a lock, and gives it back behind the block: `with L { ... }`."),
    ];

    fn explain(&self, symbol: Symbol) -> String {
        let system = &self.system;
        let words = match symbol {
            Symbol::Member => "The thread that does the step.",
            Symbol::Global(id) => {
                match system.globals.get(id.0 as usize).is_some_and(|it| it.ghost) {
                    true => "Shared by all threads, and there for the proof only.",
                    false => "Shared by all threads.",
                }
            }
            Symbol::Local(id) => {
                match system.locals.get(id.0 as usize).is_some_and(|it| it.ghost) {
                    true => "Every thread has its own; there for the proof only.",
                    false => {
                        "Every thread has its own. In invariants, `x[i]` is that of the thread `i`."
                    }
                }
            }
            Symbol::Constant(_) => "A constant.",
            Symbol::Enumeration(_) => "An enumeration.",
            Symbol::Value(..) => "A value of this enumeration.",
            Symbol::Alias(_) => "Another name for a type.",
            Symbol::Procedure(ProcId(0)) => {
                "What every thread does. As a place: everywhere in it, but not in functions."
            }
            Symbol::Procedure(_) => "A function. As a place: everywhere in it.",
            Symbol::Statement(_) => "A statement: one step, and a place where a thread can be.",
            Symbol::Label(_) => "A name for all places inside.",
            Symbol::Let(_) => "A shorthand in invariants, written out where it is used.",
            Symbol::LetParameter(..) => "Stands for the thread that is named where it is used.",
            Symbol::Invariant(_) => {
                "What always holds, for all threads that its parameters can be."
            }
            Symbol::Parameter(..) => "Stands for all threads.",
            Symbol::Conjunct(..) => "A part of the invariant that a proof can use alone.",
        };
        words.to_owned()
    }

    fn outline(&self) -> Vec<Item> {
        let system = &self.system;
        let mut out = Vec::new();
        if let Some(name) = &system.set {
            out.push(Item::small(name, "set", SymbolKind::ENUM));
        }
        for global in &system.globals {
            let detail = format!(
                "{}{}",
                if global.ghost { "ghost " } else { "" },
                ser_editing::inv::show_values(system, global.ty, global.enumeration, global.range,)
            );
            out.push(Item::small(&global.name, &detail, SymbolKind::VARIABLE));
        }
        for (number, procedure) in system.procedures.iter().enumerate() {
            let id = ProcId(number as u32);
            let places = system.locations.iter().filter(|it| it.procedure == id);
            let whole = places.clone().fold(procedure.name.span, |whole, it| whole.to(it.span));
            let detail = if number == 0 { "process" } else { "fn" };
            let locals = system.locals.iter().filter(|it| it.procedure == id);
            let locals = locals.map(|it| {
                let ty = ser_editing::inv::show_values(system, it.ty, it.enumeration, it.range);
                Item::small(&it.name, &ty, SymbolKind::VARIABLE)
            });
            let labels = self.labels.iter().filter(|it| it.procedure == id);
            let labels = labels.map(|it| Item::small(&it.name, "place", SymbolKind::KEY));
            let named = places.filter_map(|it| it.name.as_ref());
            let named = named.map(|it| Item::small(it, "", SymbolKind::KEY));
            let children = locals.chain(labels).chain(named).collect();
            let item = Item::new(&procedure.name, detail, SymbolKind::FUNCTION, whole);
            out.push(Item { children, ..item });
        }
        for item in &self.lets {
            out.push(Item::small(&item.name, "fn", SymbolKind::CONSTANT));
        }
        // That variables stay in their ranges is not written anywhere.
        let written = system.invariants.iter().filter(|it| it.span != it.name.span);
        for invariant in written {
            let names: Vec<&str> = invariant.parameters.iter().map(|it| it.text.as_str()).collect();
            let detail = format!("invariant ({})", names.join(", "));
            let tags = invariant.conjuncts.iter().filter_map(|it| it.tag.as_ref());
            let children = tags.map(|it| Item::small(it, "", SymbolKind::KEY)).collect();
            let item = Item::new(&invariant.name, &detail, SymbolKind::PROPERTY, invariant.span);
            out.push(Item { children, ..item });
        }
        out
    }

    fn words(&self, cursor: &Cursor<'_>) -> Vec<(&'static str, CompletionItemKind)> {
        if is_after_point(cursor) {
            return FIELDS.iter().map(|word| (*word, CompletionItemKind::FIELD)).collect();
        }
        let depth = cursor.depth();
        let words = KEYWORDS.iter().chain(&CONTEXTUAL).chain(&FUNCTIONS).filter(|word| {
            let known = !NOT_HERE.contains(word);
            known && (depth <= 0 || !ITEMS.contains(word))
        });
        let kind = |word: &str| match FUNCTIONS.contains(&word) {
            true => CompletionItemKind::FUNCTION,
            false => CompletionItemKind::KEYWORD,
        };
        words.map(|word| (*word, kind(word))).collect()
    }

    /// The names of the file, without locals of other bodies. What was typed last may have hidden
    /// what was known, so the tokens tell the names.
    fn names(&self, cursor: &Cursor<'_>) -> BTreeMap<String, CompletionItemKind> {
        if is_after_point(cursor) {
            return members(self, cursor.offset);
        }
        let text = cursor.text;
        let tokens: Vec<&Token> = cursor.meaningful().collect();
        let body = cursor.body(|it| matches!(it.text(text), "process" | "fn"));
        let is_word = |it: &str| KEYWORDS.contains(&it) || CONTEXTUAL.contains(&it);
        let mut found = BTreeMap::new();
        let (mut word, mut list, mut depth) = ("", false, 0);
        for (place, token) in tokens.iter().enumerate() {
            let this = token.text(text);
            depth += depth_of(token.kind);
            let is_name = token.kind == TokenKind::Name && !is_word(this) && this != "_";
            let next = tokens.get(place + 1);
            if is_name && !cursor.is_typed(token) {
                let near = within(body, token.span);
                let kind = match word {
                    // Those of other bodies are not known here.
                    "var" if list => (depth == 0 || near).then_some(CompletionItemKind::VARIABLE),
                    "fn" | "process" if list => Some(CompletionItemKind::FUNCTION),
                    "set" | "enum" | "type" if list => Some(CompletionItemKind::ENUM),
                    "const" if list => Some(CompletionItemKind::CONSTANT),
                    "lock" if list && depth == 0 => Some(CompletionItemKind::VARIABLE),
                    "invariant" if list => Some(CompletionItemKind::PROPERTY),
                    _ if next.is_some_and(|it| it.kind == TokenKind::Colon) => {
                        Some(CompletionItemKind::CONSTANT)
                    }
                    // Parameters of what is around the cursor.
                    "fn" | "for" | "invariant" => near.then_some(CompletionItemKind::VARIABLE),
                    _ => None,
                };
                if let Some(kind) = kind {
                    found.entry(this.to_owned()).or_insert(kind);
                }
                list = list && next.is_some_and(|it| it.kind == TokenKind::Comma);
            } else if is_word(this) {
                (word, list) = (this, true);
            } else if !matches!(token.kind, TokenKind::Comma) {
                list = false;
                if matches!(
                    token.kind,
                    TokenKind::Equal | TokenKind::LeftBrace | TokenKind::Semicolon
                ) {
                    word = "";
                }
            }
        }
        for member in self.system.enumerations.iter().flat_map(|it| &it.members) {
            found.entry(member.text.clone()).or_insert(CompletionItemKind::CONSTANT);
        }
        // In formulas all locals can be named, with an index.
        let in_formula = tokens
            .iter()
            .take_while(|it| it.span.start < cursor.offset)
            .filter(|it| matches!(it.text(text), "process" | "fn" | "invariant"))
            .last()
            .is_some_and(|it| {
                it.text(text) == "invariant" || it.text(text) == "fn" && cursor.depth() == 0
            });
        if in_formula {
            for local in &self.system.locals {
                found.entry(local.name.text.clone()).or_insert(CompletionItemKind::VARIABLE);
            }
        }
        found
    }
}

/// Whether a `.` stands before the word that is being typed.
fn is_after_point(cursor: &Cursor<'_>) -> bool {
    let is_word = |it: &Token| it.kind == TokenKind::Name || it.kind.is_keyword();
    let mut before = cursor.meaningful().rev().filter(|it| it.span.start < cursor.offset);
    let before = before.find(|it| !(is_word(it) && cursor.offset <= it.span.end));
    before.is_some_and(|it| it.text(cursor.text) == ".")
}

/// The places and locals of the procedure before a `.`.
fn members(parse: &InvParse, offset: u32) -> BTreeMap<String, CompletionItemKind> {
    let before = parse.occurrences.iter().rfind(|it| it.span.end < offset);
    let Some(Occurrence { symbol: Symbol::Procedure(id), span, .. }) = before else {
        return BTreeMap::new();
    };
    if span.end + 2 < offset {
        return BTreeMap::new();
    }
    let places = parse.system.locations.iter().filter(|it| it.procedure == *id);
    let places = places.filter_map(|it| it.name.as_ref());
    let labels = parse.labels.iter().filter(|it| it.procedure == *id).map(|it| &it.name);
    let places = places.chain(labels).map(|it| (it, CompletionItemKind::CONSTANT));
    let locals = parse.system.locals.iter().filter(|it| it.procedure == *id);
    let locals = locals.map(|it| (&it.name, CompletionItemKind::VARIABLE));
    places.chain(locals).map(|(name, kind)| (name.text.clone(), kind)).collect()
}
