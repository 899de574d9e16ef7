//! The words of the language.

use crate::cursor::{Cursor, Habit, LANGUAGE as BASE, Language};
use crate::lexer::TokenKind;
use crate::report::{error, instead};
use ser_base::{Diagnostic, Span};

/// Words that cannot be names in `.inv` files, in alphabetical order.
///
/// Other words have a meaning in one place only, and are names like others everywhere else: the
/// functions ([`FUNCTIONS`]) before `(`, the fields ([`FIELDS`]) behind `.`, `set` in types, and
/// `acyclic`, `follows`, `from`, `self`, `other` and `use` in proofs.
#[rustfmt::skip]
pub const KEYWORDS: [&str; 50] = [
    "addr", "and", "assert", "assume", "at", "atomic", "await", "bool", "call", "choice",
    "critical", "elem", "else", "exists", "false", "forall", "ghost", "global", "havoc", "highest",
    "if", "in", "int", "invariant", "label", "let", "local", "lock", "loop", "lowest", "malloc",
    "me", "nobody", "noncritical", "not", "null", "or", "proc", "proof", "return", "skip",
    "subset", "system", "thread", "threads", "tid", "true", "unlock", "where", "while",
];

/// Words that are functions if a `(` follows.
pub const FUNCTIONS: [&str; 6] = ["addr2set", "max", "min", "ordered", "reach", "set2elem"];

/// The fields of a cell of the heap.
pub const FIELDS: [&str; 3] = ["data", "lockid", "next"];

/// Whether this word cannot be a name.
pub fn is_reserved(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

#[rustfmt::skip]
const ITEMS: [&str; 10] = [
    "assume", "ghost", "global", "invariant", "let", "proc", "proof", "system", "thread",
    "threads",
];

#[rustfmt::skip]
const STATEMENTS: [&str; 15] = [
    "assert", "atomic", "await", "call", "choice", "critical", "if", "label", "lock", "loop",
    "noncritical", "return", "skip", "unlock", "while",
];

/// What `.inv` files say about themselves.
pub(crate) static LANGUAGE: Language = Language {
    file: "an `.inv`",
    is_reserved: |word| word == "_" || is_reserved(word),
    at_item,
    at_loose_item: |cursor| matches!(cursor.word_at(0), Some("assume" | "let")),
    goes_on,
    items: &ITEMS,
    statements: &STATEMENTS,
    statement_help: "statements look like `x := 1;`, `await x == 1;`, `call p(x);`",
    block_help: "blocks follow words like `if`, `loop` and `label NAME`",
    file_help: "the program of an `.inv` file looks like `thread { loop { critical; } }`",
    number_help: "numbers in the text go from -9223372036854775808 to 9223372036854775807; \
                  variables can have any value",
    shallower: "use several conjuncts, several statements, or a procedure",
    habits: &[
        Habit {
            words: &["or"],
            code: "or-without-choice",
            message: "this `or` belongs to no `choice`",
            label: "no `choice` ends right before this",
            help: "",
        },
        Habit {
            words: &["ghost"],
            code: "ghost-alone",
            message: "ghost code stands behind a statement, and is done in its step",
            label: "there is no statement before it",
            help: "for a step of its own, write `skip; ghost { ... }`",
        },
        Habit {
            words: &["break", "continue"],
            code: "no-break",
            message: "there is no `{}`",
            label: "loops end by their condition",
            help: "write `while c { ... }`, or leave a procedure with `return;`",
        },
        Habit {
            words: &["assume"],
            code: "assume-in-statements",
            message: "`assume` is about the start: it stands at top level",
            label: "not expected here",
            help: "to wait until something holds, write `await c;`",
        },
        Habit {
            words: &["let"],
            code: "let-in-statements",
            message: "`let` stands at top level",
            label: "not expected here",
            help: "declare `local x : int;` at the start of the body",
        },
        Habit {
            words: &["yield", "repeat", "send", "recv"],
            code: "other-language",
            message: "there is no `{}` in `.inv` files",
            label: "a word of other languages",
            help: "every statement is one step: others run between any two of them",
        },
        Habit {
            words: &["malloc", "havoc"],
            code: "expected-statement",
            message: "`{}` gives a value to a variable",
            label: "expected `x :=` before this",
            help: "write `x := {}...;`",
        },
    ],
    unknown,
    ..BASE
};

fn at_item(cursor: &Cursor<'_>) -> bool {
    match cursor.word_at(0) {
        Some("global" | "invariant" | "proc" | "system") => cursor.word_at(1).is_some(),
        Some("threads") => cursor.peek_at(1) == Some(TokenKind::Number),
        Some("thread") => cursor.peek_at(1) == Some(TokenKind::LeftBrace),
        Some("proof") => {
            cursor.peek_at(1) == Some(TokenKind::LeftBrace) || cursor.word_at(1) == Some("acyclic")
        }
        Some("ghost") => cursor.word_at(1) == Some("global"),
        _ => false,
    }
}

fn goes_on(cursor: &Cursor<'_>) -> bool {
    match (cursor.peek(), cursor.word_at(0)) {
        (None | Some(TokenKind::RightBrace), _) => false,
        (_, Some("else" | "or" | "and" | "in" | "subset" | "not")) => true,
        (_, Some("ghost")) => cursor.peek_at(1) == Some(TokenKind::LeftBrace),
        (_, word) => word.is_none(),
    }
}

fn unknown(text: &str, here: Span) -> Option<Diagnostic> {
    let right = match text {
        "→" | "⇒" | "⟶" | "⟹" => "->",
        "↔" | "⇔" | "⟷" => "<->",
        "∈" => "in",
        "⊆" => "subset",
        "∪" => "+",
        "∩" => "*",
        "\\" => "-",
        "/\\" => "&&",
        "\\/" => "||",
        "∅" => "{}",
        "∀" | "∃" => return Some(quantifier(text, here)),
        "%" | "/" | "÷" => {
            let message = format!("`{text}` is not supported");
            let diagnostic = error("unsupported-operator", message, here, "not supported")
                .with_help("there are `+`, `-`, `*` by a number, and comparisons");
            return Some(diagnostic);
        }
        "." => {
            let diagnostic = Diagnostic::error("unexpected-token", "unexpected `.` here", here);
            return Some(diagnostic.with_label("fields stand behind addresses: `a.next`"));
        }
        "@" => {
            let message = "a statement is named without `@`";
            let diagnostic = error("unknown-character", message, here, "unexpected").with_fix(
                "leave it out",
                here,
                "",
            );
            return Some(diagnostic);
        }
        _ => return None,
    };
    Some(instead("unsupported-operator", text, right, here))
}

/// `forall i . ...`.
pub(crate) fn quantifier(word: &str, here: Span) -> Diagnostic {
    let message = format!("there is no `{word}`: invariants have no quantifiers");
    let diagnostic = error("no-quantifiers", message, here, "not supported").with_help(
        "the parameters of an invariant stand for all threads: \
             `invariant mutex(i, j) = i != j -> ...;`",
    );
    match word {
        "exists" => diagnostic.with_help(
            "for one certain thread, declare `global chosen : tid;`, and use `x[chosen]`",
        ),
        _ => diagnostic,
    }
}
