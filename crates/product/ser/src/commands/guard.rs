//! What is printed must not steer the terminal.
//!
//! Names, source lines and file names come from strangers. One with the right control characters
//! could clear the screen and paint another verdict. So everything that goes to a person passes
//! through here: lines, tabs and the few colours that `ser` uses itself go through, and every other
//! control character, and every mark that changes the direction of text, is spelled out.

use ser_base::{is_hidden, spelled_out};
use std::io::{self, Write};

/// The colours and weights that we use: bold, faint, underlined, and the six that are visible on
/// light and dark backgrounds. Nothing that hides text.
const STYLES: [&[u8]; 17] = [
    b"", b"0", b"1", b"2", b"4", b"31", b"32", b"33", b"34", b"35", b"36", b"91", b"92", b"93",
    b"94", b"95", b"96",
];

/// A writer behind which there may be a terminal.
pub struct Guard<W: Write> {
    inner: W,
    /// The beginning of a character or of a style whose end has not been written yet.
    pending: Vec<u8>,
}

impl<W: Write> Guard<W> {
    pub fn new(inner: W) -> Guard<W> {
        Guard { inner, pending: Vec::new() }
    }
}

impl<W: Write> Write for Guard<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend_from_slice(bytes);
        let text = std::mem::take(&mut self.pending);
        let (shown, rest) = harmless(&text);
        self.pending = rest.to_vec();
        self.inner.write_all(shown.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.pending);
        let spelled: String = rest.iter().map(|byte| spelled_out(char::from(*byte))).collect();
        self.inner.write_all(spelled.as_bytes())?;
        self.inner.flush()
    }
}

impl<W: Write> Drop for Guard<W> {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

/// The text as it may be shown, and what is left for the next time.
fn harmless(bytes: &[u8]) -> (String, &[u8]) {
    let mut shown = String::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        let text = match std::str::from_utf8(rest) {
            Ok(text) => text,
            // What comes before the mistake is text.
            Err(error) => {
                match std::str::from_utf8(rest.get(..error.valid_up_to()).unwrap_or_default()) {
                    Ok("") if error.error_len().is_none() => return (shown, rest),
                    Ok("") => {
                        shown.push(char::REPLACEMENT_CHARACTER);
                        rest = rest.get(error.error_len().unwrap_or(1)..).unwrap_or_default();
                        continue;
                    }
                    Ok(text) => text,
                    Err(_) => return (shown, rest),
                }
            }
        };
        if text.is_empty() {
            return (shown, rest);
        }
        let mut at = 0;
        while let Some(c) = text.get(at..).and_then(|t| t.chars().next()) {
            if c == '\u{1b}' {
                match style(&rest[at..]) {
                    Style::Ours(length) => {
                        shown.push_str(&text[at..at + length]);
                        at += length;
                        continue;
                    }
                    Style::Unfinished => return (shown, &rest[at..]),
                    Style::Foreign => {}
                }
            }
            if is_hidden(c) && c != '\n' {
                shown.push_str(&spelled_out(c));
            } else {
                shown.push(c);
            }
            at += c.len_utf8();
        }
        rest = &rest[text.len()..];
    }
}

enum Style {
    /// One of ours, with its length in bytes.
    Ours(usize),
    /// Perhaps one of ours.
    Unfinished,
    Foreign,
}

/// What an escape character begins.
fn style(bytes: &[u8]) -> Style {
    match bytes {
        [_] => return Style::Unfinished,
        [_, b'[', ..] => {}
        _ => return Style::Foreign,
    }
    let numbers = bytes.get(2..).unwrap_or_default();
    match numbers.iter().position(|b| !matches!(b, b'0'..=b'9' | b';')) {
        None if numbers.len() > 20 => Style::Foreign,
        None => Style::Unfinished,
        Some(end) if numbers[end] == b'm' => {
            let all = numbers[..end].split(|b| *b == b';').all(|number| STYLES.contains(&number));
            if all { Style::Ours(end + 3) } else { Style::Foreign }
        }
        Some(_) => Style::Foreign,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guarded(parts: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut guard = Guard::new(&mut out);
        parts.iter().for_each(|part| guard.write_all(part).expect("a vector"));
        drop(guard);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn our_colours_go_through() {
        let text = "\u{1b}[1m\u{1b}[31mbad\u{1b}[0m\n\tvär: \u{1b}[1;92mgood\u{1b}[m\n";
        assert_eq!(guarded(&[text.as_bytes()]), text);
        // However they are cut into pieces.
        let pieces: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(guarded(&pieces), text);
    }

    #[test]
    fn everything_else_is_spelled_out() {
        let cases = [
            ("\u{1b}[2J\u{1b}[H", "[U+001B][2J[U+001B][H"),
            ("\u{1b}[8mhidden", "[U+001B][8mhidden"),
            ("\u{1b}[38;5;0m", "[U+001B][38;5;0m"),
            ("\u{1b}]0;title\u{7}", "[U+001B]]0;title[U+0007]"),
            ("a\rb\u{9b}2J\u{202e}c\u{200f}\u{0}", "a[U+000D]b[U+009B]2J[U+202E]c[U+200F][U+0000]"),
            ("end\u{1b}", "end[U+001B]"),
        ];
        for (text, shown) in cases {
            assert_eq!(guarded(&[text.as_bytes()]), shown);
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(guarded(&pieces), shown);
        }
        assert_eq!(guarded(&[b"a\xffb"]), "a\u{fffd}b");
    }
}
