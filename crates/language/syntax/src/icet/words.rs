//! The words of the language.

use crate::cursor::{Habit, LANGUAGE as BASE, Language};
use crate::report::error;

/// Words that cannot be names in `.icet` files, in alphabetical order. (`server` is a word before
/// `proc`, and a name everywhere else.)
pub const KEYWORDS: [&str; 32] = [
    "and", "any", "assert", "bool", "break", "else", "enum", "fail", "false", "for", "from", "if",
    "in", "index", "int", "loop", "match", "msg", "not", "or", "pick", "pid", "proc", "procs",
    "recv", "self", "send", "skip", "spawn", "to", "true", "while",
];

/// Whether this word cannot be a name.
pub fn is_reserved(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

/// What `.icet` files say about themselves.
pub(crate) static LANGUAGE: Language = Language {
    file: "an `.icet`",
    is_reserved: |word| word == "_" || is_reserved(word),
    at_item: |cursor| match cursor.word_at(0) {
        Some("procs" | "index" | "enum" | "msg" | "proc") => cursor.word_at(1).is_some(),
        Some("server") => cursor.word_at(1) == Some("proc"),
        _ => false,
    },
    items: &["enum", "index", "msg", "proc", "procs", "server"],
    statements: &[
        "receive", "assert", "break", "fail", "for", "if", "loop", "match", "recv", "send", "skip",
        "while",
    ],
    statement_help: "statements look like `x := 1;`, `send Ping to p;`, `v <- recv Ping;`",
    block_help: "blocks follow words like `if`, `for` and `loop`",
    file_help: "the processes of an `.icet` file look like `proc p { send Ping to q; }`",
    underscore_help: "`_` stands in patterns, for what is not needed",
    habits: &[
        Habit {
            words: &["return", "exit", "stop", "halt"],
            code: "no-return",
            message: "there is no `{}`",
            label: "a process ends where its block ends",
            help: "to leave a loop, write `break;`",
        },
        Habit {
            words: &["await"],
            help: "to wait for a message, write `recv Ping;`",
            ..OTHER_LANGUAGE
        },
        Habit {
            words: &["repeat"],
            help: "`index I;` at top level and `for i in I { ... }` repeat any number of times",
            ..OTHER_LANGUAGE
        },
        Habit { words: &["choose"], help: "write `if * { ... } else { ... }`", ..OTHER_LANGUAGE },
        Habit {
            words: &["yield", "atomic", "assume"],
            help: "processes share nothing but messages: leave it out",
            ..OTHER_LANGUAGE
        },
    ],
    unknown: |text, span| {
        let message = format!("`{text}` is not supported");
        matches!(text, "%" | "/").then(|| {
            error("unsupported-operator", message, span, "not supported")
                .with_help("there are `+`, `-`, `*` and comparisons")
        })
    },
    ..BASE
};

const OTHER_LANGUAGE: Habit = Habit {
    words: &[],
    code: "other-language",
    message: "there is no `{}` in `.icet` files",
    label: "a word of `.ser` files",
    help: "",
};
