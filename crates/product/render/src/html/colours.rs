//! The tokens of a source, with their colours.
//!
//! All our languages share their tokens, so one lexer serves them. What differs is which words are
//! keywords, and whether the first letter of a name says what is shared.

use ser_draw::Text;
use ser_report::Kind;
use ser_syntax::lexer::{Token, TokenKind, lex};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Words of files with requests that are reserved, or names nowhere else.
const OF_REQUESTS: [&str; 14] = [
    "assert",
    "break",
    "continue",
    "deadlock",
    "enum",
    "false",
    "fn",
    "for",
    "invariant",
    "loop",
    "match",
    "true",
    "var",
    "with",
];

/// Words of files with processes, messages or threads.
const OF_PROCESSES: [&str; 64] = [
    "acyclic",
    "addr",
    "and",
    "assert",
    "assume",
    "at",
    "atomic",
    "await",
    "bits",
    "bool",
    "break",
    "choose",
    "done",
    "elem",
    "else",
    "enum",
    "false",
    "fn",
    "follows",
    "for",
    "from",
    "ghost",
    "highest",
    "if",
    "in",
    "index",
    "int",
    "invariant",
    "len",
    "lock",
    "loop",
    "lowest",
    "malloc",
    "match",
    "msg",
    "nobody",
    "not",
    "null",
    "of",
    "or",
    "other",
    "pid",
    "process",
    "proof",
    "queue",
    "reach",
    "recv",
    "request",
    "return",
    "self",
    "send",
    "server",
    "set",
    "skip",
    "subset",
    "to",
    "true",
    "type",
    "unlock",
    "use",
    "var",
    "where",
    "while",
    "with",
];

/// The same for `.unw` files.
const UNWINDINGS: [&str; 11] =
    ["bits", "bool", "enum", "out", "place", "target", "test", "transition", "unit", "var", "when"];

/// How to colour sources of a kind.
#[derive(Clone, Copy, Debug)]
struct Language {
    /// Words that are no keywords of the lexer.
    keywords: &'static [&'static str],
    /// Whether names that begin with a capital letter are shared, and others local.
    tells_globals: bool,
    /// What a declaration begins with: a listing opens there.
    declares: &'static str,
}

/// How to colour sources of this kind; nothing if they are written in a format of others.
fn language(kind: Kind) -> Option<Language> {
    let (keywords, tells_globals, declares): (&[&str], _, _) = match kind {
        Kind::Program => (&OF_REQUESTS, true, "request"),
        Kind::Processes => (&OF_PROCESSES, true, "process"),
        Kind::Unwinding => (&UNWINDINGS, false, "transition"),
        Kind::Protocol => (&OF_PROCESSES, false, "process"),
        Kind::Invariants => (&OF_PROCESSES, false, "fn"),
        Kind::System | Kind::Net | Kind::Sql => return None,
    };
    Some(Language { keywords, tells_globals, declares })
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
        let is_keyword = kind.is_keyword() || language.keywords.contains(&text);
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
