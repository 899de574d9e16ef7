//! The words of the language.

/// Words that cannot be names in `.icet` files, in alphabetical order. (`server` is a word before `proc`,
/// and a name everywhere else.)
pub const KEYWORDS: [&str; 32] = [
    "and", "any", "assert", "bool", "break", "else", "enum", "fail", "false", "for", "from", "if",
    "in", "index", "int", "loop", "match", "msg", "not", "or", "pick", "pid", "proc", "procs",
    "recv", "self", "send", "skip", "spawn", "to", "true", "while",
];

/// Whether this word cannot be a name.
pub fn is_reserved(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

/// Words that start a statement.
pub(crate) const STATEMENTS: [&str; 11] =
    ["assert", "break", "fail", "for", "if", "loop", "match", "recv", "send", "skip", "while"];

/// Words that start something at top level.
pub(crate) const ITEMS: [&str; 6] = ["enum", "index", "msg", "proc", "procs", "server"];
