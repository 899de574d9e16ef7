//! The tokens of a source, with their colours.
//!
//! All our languages share their tokens, so one lexer serves them. What differs is which words are
//! keywords, and whether the first letter of a name says what is shared.

use ser_draw::Text;
use ser_report::Kind;
use ser_syntax::lexer::{Token, TokenKind, lex};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Words of files with processes, besides those that are keywords everywhere.
const PROCESSES: [&str; 24] = [
    "atomic",
    "await",
    "bits",
    "bool",
    "done",
    "enum",
    "false",
    "for",
    "invariant",
    "len",
    "loop",
    "of",
    "or",
    "process",
    "queue",
    "reach",
    "recv",
    "send",
    "skip",
    "to",
    "true",
    "type",
    "var",
    "in",
];
/// The same for `.unw` files.
const UNWINDINGS: [&str; 11] =
    ["bits", "bool", "enum", "out", "place", "target", "test", "transition", "unit", "var", "when"];

/// The same for files with messages.
const MESSAGES: [&str; 23] = [
    "assert", "bool", "break", "enum", "false", "for", "from", "index", "int", "loop", "match",
    "msg", "pid", "process", "recv", "self", "send", "server", "set", "skip", "to", "true", "var",
];

/// Words of models of threads.
const THREADS: [&str; 48] = [
    "acyclic",
    "and",
    "assert",
    "assume",
    "at",
    "atomic",
    "await",
    "choose",
    "elem",
    "else",
    "false",
    "fn",
    "follows",
    "for",
    "from",
    "ghost",
    "highest",
    "if",
    "in",
    "int",
    "addr",
    "bool",
    "invariant",
    "lock",
    "loop",
    "lowest",
    "malloc",
    "nobody",
    "not",
    "null",
    "of",
    "or",
    "other",
    "process",
    "proof",
    "return",
    "self",
    "set",
    "skip",
    "subset",
    "true",
    "unlock",
    "use",
    "var",
    "where",
    "while",
    "with",
    "request",
];

/// How to colour sources of a kind.
#[derive(Clone, Copy, Debug)]
struct Language {
    /// Whether the keywords of `.ser` programs are keywords here.
    has_program_keywords: bool,
    keywords: &'static [&'static str],
    /// Whether names that begin with a capital letter are shared, and others local.
    tells_globals: bool,
    /// What a declaration begins with: a listing opens there.
    declares: &'static str,
}

/// How to colour sources of this kind; nothing if they are written in a format of others.
fn language(kind: Kind) -> Option<Language> {
    let (has_program_keywords, keywords, tells_globals, declares): (_, &[&str], _, _) = match kind {
        Kind::Program => (true, &[], true, "request"),
        Kind::Processes => (true, &PROCESSES, true, "process"),
        Kind::Unwinding => (true, &UNWINDINGS, false, "transition"),
        Kind::Protocol => (true, &MESSAGES, false, "process"),
        Kind::Invariants => (false, &THREADS, false, "fn"),
        Kind::System | Kind::Net => return None,
    };
    Some(Language { has_program_keywords, keywords, tells_globals, declares })
}

/// Whether a run can point at lines of such a source.
pub fn has_lines(kind: Kind) -> bool {
    language(kind).is_some()
}

/// The colours of a source.
#[derive(Debug)]
pub struct Colours<'a> {
    language: Option<Language>,
    /// Names that look like globals but stand for numbers.
    constants: BTreeSet<&'a str>,
}

impl<'a> Colours<'a> {
    pub fn of(kind: Kind, text: &'a str) -> Colours<'a> {
        let language = language(kind);
        let mut constants = BTreeSet::new();
        if language.is_some_and(|it| it.tells_globals) {
            let mut tokens = lex(text).into_iter().filter(|t| !t.kind.is_trivia());
            while let Some(token) = tokens.next() {
                if token.kind == TokenKind::Const
                    && let Some(name) = tokens.next()
                {
                    constants.insert(name.text(text));
                }
            }
        }
        Colours { language, constants }
    }

    /// The tokens of a text in this language; none if it is written in a format of others.
    pub fn tokens(&self, text: &str) -> Vec<Token> {
        if self.language.is_some() { lex(text) } else { Vec::new() }
    }

    /// Where the first declaration is.
    pub fn first_declaration(&self, text: &str) -> Option<u32> {
        let word = self.language?.declares;
        lex(text).iter().find(|token| token.text(text) == word).map(|token| token.span.start)
    }

    /// A piece of code in colour.
    pub fn painted(&self, text: &str) -> String {
        let mut out = String::new();
        if self.language.is_none() {
            paint(&mut out, text, "", "");
        }
        for token in self.tokens(text) {
            let part = token.text(text);
            paint(&mut out, part, self.class_of(token.kind, part), "");
        }
        out
    }

    pub fn class_of(&self, kind: TokenKind, text: &str) -> &'static str {
        let Some(language) = self.language else { return "" };
        let is_keyword =
            kind.is_keyword() && language.has_program_keywords || language.keywords.contains(&text);
        match kind {
            TokenKind::LineComment | TokenKind::BlockComment | TokenKind::UnterminatedComment => {
                "comment"
            }
            TokenKind::Number => "number",
            _ if is_keyword => "keyword",
            TokenKind::Name if self.constants.contains(text) => "number",
            TokenKind::Name if !language.tells_globals => "",
            TokenKind::Name if text.starts_with(char::is_uppercase) => "global",
            TokenKind::Name => "local",
            _ => "",
        }
    }
}

/// Text with a class and with what to say when one points at it; both may be empty.
pub fn paint(out: &mut String, text: &str, class: &str, title: &str) {
    let _ = match (class, title) {
        ("", _) => write!(out, "{}", Text(text)),
        (class, "") => write!(out, "<span class=\"{class}\">{}</span>", Text(text)),
        (class, title) => {
            write!(out, "<span class=\"{class}\" title=\"{}\">{}</span>", Text(title), Text(text))
        }
    };
}
