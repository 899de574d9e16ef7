//! The words of the language.

/// Words that cannot be names in `.inv` files, in alphabetical order.
///
/// Other words have a meaning in one place only, and are names like others everywhere else: the functions
/// ([`FUNCTIONS`]) before `(`, the fields ([`FIELDS`]) behind `.`, `set` in types, and `acyclic`, `follows`, `from`,
/// `self`, `other` and `use` in proofs.
pub const KEYWORDS: [&str; 50] = [
    "addr",
    "and",
    "assert",
    "assume",
    "at",
    "atomic",
    "await",
    "bool",
    "call",
    "choice",
    "critical",
    "elem",
    "else",
    "exists",
    "false",
    "forall",
    "ghost",
    "global",
    "havoc",
    "highest",
    "if",
    "in",
    "int",
    "invariant",
    "label",
    "let",
    "local",
    "lock",
    "loop",
    "lowest",
    "malloc",
    "me",
    "nobody",
    "noncritical",
    "not",
    "null",
    "or",
    "proc",
    "proof",
    "return",
    "skip",
    "subset",
    "system",
    "thread",
    "threads",
    "tid",
    "true",
    "unlock",
    "where",
    "while",
];

/// Words that are functions if a `(` follows.
pub const FUNCTIONS: [&str; 6] = ["addr2set", "max", "min", "ordered", "reach", "set2elem"];

/// The fields of a cell of the heap.
pub const FIELDS: [&str; 3] = ["data", "lockid", "next"];

/// Whether this word cannot be a name.
pub fn is_reserved(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

/// Words that start a statement.
pub(crate) const STATEMENTS: [&str; 15] = [
    "assert",
    "atomic",
    "await",
    "call",
    "choice",
    "critical",
    "if",
    "label",
    "lock",
    "loop",
    "noncritical",
    "return",
    "skip",
    "unlock",
    "while",
];

/// Words that start something at top level.
pub(crate) const ITEMS: [&str; 10] = [
    "assume",
    "ghost",
    "global",
    "invariant",
    "let",
    "proc",
    "proof",
    "system",
    "thread",
    "threads",
];
