//! What must hold of the layout of any file.

use ser_base::Span;
use ser_editing::format;
use ser_syntax::lexer::{TokenKind, lex};
use ser_syntax::{File, read};
use std::fmt::Write as _;

/// A text that must have a layout.
pub fn formatted(text: &str) -> String {
    format(text).unwrap_or_else(|errors| panic!("{errors:#?}\nin\n{text}"))
}

/// Tokens without white space and comments.
fn tokens(text: &str) -> Vec<(TokenKind, &str)> {
    let tokens = lex(text);
    tokens.into_iter().filter(|t| !t.kind.is_trivia()).map(|t| (t.kind, t.text(text))).collect()
}

/// The texts of the comments, without blanks at their ends, with the kind of line they stand on:
/// whether there is code before and after them on their lines.
fn comments(text: &str) -> Vec<(String, bool, bool)> {
    let tokens = lex(text).into_iter().filter(|t| t.kind.is_trivia());
    let tokens = tokens.filter(|t| t.kind != TokenKind::Whitespace);
    let is_empty = |part: Option<&str>| part.is_none_or(|part| part.trim().is_empty());
    tokens
        .map(|t| {
            let before = text[..t.span.start as usize].rsplit('\n').next();
            let after = text[t.span.end as usize..].split('\n').next();
            let after = if t.kind == TokenKind::LineComment { None } else { after };
            let content = t.text(text).replace("\r\n", "\n").trim_end().to_owned();
            (content, !is_empty(before), !is_empty(after))
        })
        .collect()
}

/// What a file means, without places.
fn meaning(text: &str) -> String {
    without_places(&match read(text) {
        File::Requests(parse) | File::Processes(parse) => format!("{:?}", parse.program),
        File::Messages(parse) => format!("{:?}", parse.protocol),
        File::Threads(parse) => format!("{:?}", parse.system),
    })
}

/// A tree that is shown, without the places in it.
pub fn without_places(tree: &str) -> String {
    let mut out = String::new();
    let mut rest = tree;
    while let Some((before, after)) = rest.split_once("Span {") {
        out.push_str(before);
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
    out + rest
}

/// Everything that must hold for any file.
pub fn assert_faithful(text: &str) {
    let once = formatted(text);
    assert_eq!(tokens(text), tokens(&once), "tokens of\n{text}\n--- became\n{once}");
    let texts = |text: &str| comments(text).into_iter().map(|c| c.0).collect::<Vec<_>>();
    assert_eq!(texts(text), texts(&once), "comments of\n{text}\n--- became\n{once}");
    for (before, after) in comments(text).iter().zip(comments(&once)) {
        if before.0.starts_with("//") {
            assert_eq!(before.1, after.1, "the place of {}\n{text}\n--- became\n{once}", before.0);
        }
    }
    assert_eq!(meaning(text), meaning(&once));
    assert_eq!(formatted(&once), once, "twice is not once for\n{text}\n---\n{once}");
    assert!(once.ends_with('\n') && !once.ends_with("\n\n") && !once.starts_with('\n'));
    assert!(!once.contains("\n\n\n"), "two blank lines in\n{once}");
    if !once.contains("/*") {
        assert!(once.lines().all(|line| line.trim_end() == line), "blanks at an end in\n{once}");
    }
}

/// Compares with what is expected, which is formatted itself.
pub fn assert_formats(text: &str, expected: &str) {
    let once = formatted(text);
    assert_eq!(once, expected, "\n{once}\n--- instead of\n{expected}");
    assert_faithful(text);
}

/// The words of a file, without what stands between them. Arrows are one word.
pub fn words(text: &str) -> Vec<&str> {
    let is_arrow = |word: &str| word.chars().all(|c| "=-<>".contains(c));
    let mut spans: Vec<Span> = Vec::new();
    for token in lex(text).into_iter().filter(|t| !t.kind.is_trivia()) {
        match spans.last_mut() {
            Some(last)
                if last.end == token.span.start
                    && is_arrow(token.text(text))
                    && is_arrow(&text[last.range()]) =>
            {
                *last = last.to(token.span);
            }
            _ => spans.push(token.span),
        }
    }
    spans.iter().map(|span| &text[span.range()]).collect()
}

/// What may stand between two words.
const TRIVIA: [&str; 16] = [
    " ",
    "\n",
    "  ",
    "\n\n\n",
    "\t",
    "\r\n    ",
    " // a comment\n",
    "      // aligned\n",
    "\n   // on its own \n",
    "\n\n    // on its own, apart\n\n",
    " /* inline */ ",
    "/**/",
    "/* over\n   lines */",
    " /* trailing */\n",
    "\n    /* leading */ ",
    " // ends with blanks  \n      // continues\n",
];

/// Words with something between them; how often it is more than a space depends on `dense`.
pub fn spaced(words: &[&str], trivia: &[u8], dense: bool) -> String {
    let mut text = String::new();
    let mut trivia = trivia.iter().cycle();
    for word in words {
        let choice = trivia.next().copied().unwrap_or(0);
        let index =
            if dense { usize::from(choice % 16) } else { usize::from(choice.saturating_sub(220)) };
        let _ = write!(text, "{}{word}", TRIVIA.get(index).unwrap_or(&" "));
    }
    text
}
