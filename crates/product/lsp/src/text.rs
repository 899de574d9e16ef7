//! The text of a document, and the editor's way to point into it.
//!
//! The rest of the house points at bytes. An editor points at lines (which end at `\n`, `\r\n` or
//! `\r`) and at characters in them, counted in UTF-16 units unless both sides agree on bytes. A
//! place that does not exist is taken back to the nearest one before it, as the protocol wants: a
//! client that is wrong by a little must not end the server.

use lsp_types::{Position, PositionEncodingKind, Range, TextDocumentContentChangeEvent};
use ser_syntax::Span;

/// How characters in a line are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// In bytes.
    Utf8,
    /// In UTF-16 units.
    Utf16,
}

impl Encoding {
    /// Bytes if the client can count them: they need no counting here.
    pub fn choose<'a>(mut offered: impl Iterator<Item = &'a str>) -> Encoding {
        match offered.any(|name| name == PositionEncodingKind::UTF8.as_str()) {
            true => Encoding::Utf8,
            false => Encoding::Utf16,
        }
    }

    /// Its name in the protocol.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    /// How long a piece of text is.
    pub fn length(self, text: &str) -> u32 {
        let units = match self {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.encode_utf16().count(),
        };
        u32::try_from(units).unwrap_or(u32::MAX)
    }

    fn units(self, c: char) -> u32 {
        match self {
            Encoding::Utf8 => c.len_utf8() as u32,
            Encoding::Utf16 => c.len_utf16() as u32,
        }
    }
}

/// A text with its lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    text: String,
    /// Where each line starts.
    starts: Vec<usize>,
    encoding: Encoding,
}

impl Text {
    /// Finds the lines of a text.
    pub fn new(text: String, encoding: Encoding) -> Text {
        let bytes = text.as_bytes();
        let lines = (1..=bytes.len()).filter(|at| starts_line(bytes, *at));
        let starts = std::iter::once(0).chain(lines).collect();
        Text { text, starts, encoding }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How characters in a line are counted.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// A line without its end.
    fn line(&self, line: usize) -> &str {
        let Some(start) = self.starts.get(line) else { return "" };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        self.text.get(*start..end).unwrap_or("").trim_end_matches(['\r', '\n'])
    }

    /// The byte offset of a position.
    pub fn offset(&self, position: Position) -> u32 {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line) else { return self.text.len() as u32 };
        let mut left = position.character;
        let mut bytes = 0;
        for c in self.line(line).chars() {
            let units = self.encoding.units(c);
            if units > left {
                break;
            }
            left -= units;
            bytes += c.len_utf8();
        }
        (start + bytes) as u32
    }

    /// The position of a byte offset.
    pub fn position(&self, offset: u32) -> Position {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or(0);
        // Between `\r` and `\n` there is no position.
        let offset = offset.min(start + self.line(line).len());
        let before = self.text.get(start..offset).unwrap_or("");
        Position::new(line as u32, self.encoding.length(before))
    }

    /// The position of a byte offset that comes after a known one: what lies between them is all
    /// that has to be counted.
    pub fn position_after(&self, known: (u32, Position), offset: u32) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset as usize);
        let between = self.text.get(known.0 as usize..offset as usize);
        match between {
            Some(between) if line == known.1.line as usize + 1 => {
                let character = known.1.character.saturating_add(self.encoding.length(between));
                Position::new(known.1.line, character)
            }
            _ => self.position(offset),
        }
    }

    /// The range of a span.
    pub fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }

    /// The span of a range; one with its ends the wrong way round is turned.
    pub fn span(&self, range: Range) -> Span {
        let (a, b) = (self.offset(range.start), self.offset(range.end));
        Span::new(a.min(b), a.max(b))
    }

    /// The range of everything.
    pub fn whole(&self) -> Range {
        self.range(Span::new(0, self.text.len() as u32))
    }

    /// Takes a change. Lines before and after it stay as they are, so that only what is new is
    /// looked at: an editor with a thousand cursors sends a thousand changes at once.
    pub fn change(&mut self, change: TextDocumentContentChangeEvent) {
        let Some(range) = change.range else {
            *self = Text::new(change.text, self.encoding);
            return;
        };
        let span = self.span(range).range();
        self.text.replace_range(span.clone(), &change.text);
        // Whether a line starts at a place depends on the bytes on both sides of it.
        let first = self.starts.partition_point(|start| *start < span.start.max(1));
        let rest = self.starts.partition_point(|start| *start <= span.end).max(first);
        let end = span.start + change.text.len();
        if let Some(moved) = self.starts.get_mut(rest..) {
            for start in moved {
                *start = *start - span.end + end;
            }
        }
        let bytes = self.text.as_bytes();
        let starts = (span.start.max(1)..=end).filter(|at| starts_line(bytes, *at));
        self.starts.splice(first..rest, starts);
    }
}

/// Whether a line starts at a place: one has ended just before it.
fn starts_line(bytes: &[u8], at: usize) -> bool {
    match at.checked_sub(1).and_then(|before| bytes.get(before)) {
        Some(b'\n') => true,
        Some(b'\r') => bytes.get(at) != Some(&b'\n'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// größe 🙂 X\r\nlast\rmore\n\nend";

    #[test]
    fn every_place_between_characters_survives_the_way_there_and_back() {
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            let text = Text::new(TEXT.into(), encoding);
            for (offset, _) in TEXT.char_indices().chain([(TEXT.len(), ' ')]) {
                let position = text.position(offset as u32);
                let back = text.offset(position) as usize;
                let inside_line_end = TEXT.get(offset..).is_some_and(|t| t.starts_with('\n'))
                    && TEXT.get(..offset).is_some_and(|t| t.ends_with('\r'));
                assert_eq!(back, if inside_line_end { offset - 1 } else { offset });
            }
        }
    }

    #[test]
    fn characters_are_counted_as_agreed() {
        let x = TEXT.find('X').map(|x| x as u32).unwrap_or(0);
        let utf16 = Text::new(TEXT.into(), Encoding::Utf16);
        let utf8 = Text::new(TEXT.into(), Encoding::Utf8);
        assert_eq!(utf16.position(x), Position::new(0, 12));
        assert_eq!(utf8.position(x), Position::new(0, 16));
        assert_eq!(utf16.position(TEXT.len() as u32), Position::new(4, 3));
    }

    #[test]
    fn places_that_do_not_exist_are_taken_back() {
        let text = Text::new("ab\r\nc🙂d".into(), Encoding::Utf16);
        assert_eq!(text.offset(Position::new(0, 99)), 2, "before the line's end");
        assert_eq!(text.offset(Position::new(1, 2)), 5, "inside a character");
        assert_eq!(text.offset(Position::new(7, 0)), 10, "after the last line");
        assert_eq!(text.position(7), Position::new(1, 1), "inside a character");
        assert_eq!(text.position(99), Position::new(1, 4));
    }

    #[test]
    fn a_change_replaces_its_range_whichever_way_round() {
        let range = Range::new(Position::new(1, 3), Position::new(0, 1));
        let change = TextDocumentContentChangeEvent {
            range: Some(range),
            range_length: None,
            text: "X\nY".into(),
        };
        let mut text = Text::new("ab\nc🙂d".into(), Encoding::Utf16);
        text.change(change);
        assert_eq!(text, Text::new("aX\nYd".into(), Encoding::Utf16));
    }

    #[test]
    fn lines_after_a_change_are_those_of_the_new_text() {
        let pieces = ["", "\r", "\n", "\r\n", "a", "\n\r", "a\nb\rc", "\r\r\n"];
        for before in ["", "\r\n", "a\r\nb\n\rc\n", "\n\n", "ab\rcd\r", "\r\r\n\n"] {
            let places: Vec<Position> = {
                let text = Text::new(before.into(), Encoding::Utf8);
                (0..=before.len() as u32).map(|at| text.position(at)).collect()
            };
            for (from, to) in places.iter().flat_map(|a| places.iter().map(move |b| (*a, *b))) {
                for piece in pieces {
                    let range = Some(Range::new(from, to));
                    let mut text = Text::new(before.into(), Encoding::Utf8);
                    text.change(TextDocumentContentChangeEvent {
                        range,
                        range_length: None,
                        text: piece.into(),
                    });
                    assert_eq!(text, Text::new(text.text.clone(), Encoding::Utf8), "{before:?}");
                }
            }
        }
    }
}
