//! The words of threads.

/// Words that cannot be names in a model of threads, in alphabetical order.
///
/// Other words have a meaning in one place only, and are names like others everywhere else: the
/// functions ([`FUNCTIONS`]) before `(`, the fields ([`FIELDS`]) behind `.`, `set` in types and
/// before a name, and `acyclic`, `follows`, `from`, `self`, `other` and `use` in proofs.
#[rustfmt::skip]
pub const KEYWORDS: [&str; 45] = [
    "abort", "addr", "and", "assert", "assume", "at", "atomic", "await", "bool", "break", "choose",
    "const", "continue", "elem", "else", "exists", "exit", "false", "for", "forall", "ghost",
    "highest", "if", "in", "int", "lock", "loop", "lowest", "malloc", "match", "nobody", "not",
    "null", "or", "request", "return", "skip", "subset", "true", "unlock", "var", "where", "while",
    "with", "yield",
];

/// Words that are functions if a `(` follows.
pub const FUNCTIONS: [&str; 6] = ["addr2set", "max", "min", "ordered", "reach", "set2elem"];

/// The fields of a cell of the heap.
pub const FIELDS: [&str; 3] = ["data", "lockid", "next"];

/// Whether this word cannot be a name.
pub fn is_reserved(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}
