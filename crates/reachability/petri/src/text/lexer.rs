//! Tokens of the text syntax.

use crate::error::ReadError;
use crate::show::KEYWORDS;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind<'a> {
    /// A place or a transition.
    Name(String),
    Number(i64),
    Symbol(&'a str),
    Word(&'a str),
    End,
}

pub(super) struct Token<'a> {
    pub kind: Kind<'a>,
    /// The byte at which it starts.
    pub at: usize,
}

/// Longer ones first.
const SYMBOLS: [&str; 20] = [
    "&&", "||", "==", "!=", "<=", ">=", "=", "<", ">", "!", "(", ")", "+", "-", "*", ",", "&", "|",
    "\u{2264}", "\u{2265}",
];

pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ReadError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..)
        && let Some(c) = rest.chars().next()
    {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let (kind, length) = token(text, at, rest, c)?;
        tokens.push(Token { kind, at });
        at += length;
    }
    Ok(tokens)
}

fn token<'a>(
    text: &'a str,
    at: usize,
    rest: &'a str,
    c: char,
) -> Result<(Kind<'a>, usize), ReadError> {
    if c == '{' || c == '"' {
        return quoted(text, at, rest, if c == '{' { '}' } else { '"' });
    }
    if c.is_ascii_digit() {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let digits = rest.get(..end).unwrap_or_default();
        let value = digits.parse().map_err(|_| {
            ReadError::at(text, at, "this number is too large")
                .help(format!("numbers up to {} can be used", i64::MAX))
        })?;
        return Ok((Kind::Number(value), end));
    }
    if c.is_alphabetic() || c == '_' {
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '\'');
        let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
        let word = rest.get(..end).unwrap_or_default();
        let kind = match KEYWORDS.contains(&word) {
            true => Kind::Word(word),
            false => Kind::Name(word.to_owned()),
        };
        return Ok((kind, end));
    }
    match SYMBOLS.into_iter().find(|s| rest.starts_with(s)) {
        Some("\u{2264}") => Ok((Kind::Symbol("<="), 3)),
        Some("\u{2265}") => Ok((Kind::Symbol(">="), 3)),
        Some(symbol) => Ok((Kind::Symbol(symbol), symbol.len())),
        None => {
            Err(ReadError::at(text, at, format!("`{}` means nothing here", c.escape_default()))
                .help("names with such characters go in braces: `{my place}`"))
        }
    }
}

fn quoted<'a>(
    text: &str,
    at: usize,
    rest: &str,
    close: char,
) -> Result<(Kind<'a>, usize), ReadError> {
    let mut name = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((i, c)) = chars.next() {
        if c == close {
            return Ok((Kind::Name(name), i + c.len_utf8()));
        }
        let c = if c == '\\' { chars.next().map(|(_, escaped)| escaped) } else { Some(c) };
        name.extend(c);
    }
    Err(ReadError::at(text, at, "this name is never closed").help(format!("add a `{close}`")))
}
