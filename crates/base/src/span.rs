//! Where things are in the source: byte ranges, and lines and columns for people.

use std::ops::Range;

/// A range of bytes in the source text.
///
/// ```
/// use ser_base::Span;
/// let span = Span::new(4, 9);
/// assert_eq!(&"let me in"[span.range()], "me in");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` up to and excluding `end`.
    pub const fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The empty range at `at`, for "something is missing here".
    pub const fn empty(at: u32) -> Span {
        Span { start: at, end: at }
    }

    /// The smallest range that contains both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// As a range of `usize`, for slicing.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A line and a column, both counted from 1; columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// Finds lines and columns of byte offsets in one source text.
///
/// ```
/// use ser_base::{LineIndex, Position};
/// let lines = LineIndex::new("X := 1;\nyield");
/// assert_eq!(lines.position(8), Position { line: 2, column: 1 });
/// ```
#[derive(Clone, Debug)]
pub struct LineIndex {
    text: String,
    /// Byte offset of the start of each line.
    starts: Vec<u32>,
    /// How many characters there are before every [`BLOCK`]th byte. A line may be the whole text,
    /// and counting from its start each time would take forever.
    characters: Vec<u32>,
}

/// So many bytes are looked at to find a column.
const BLOCK: usize = 512;

impl LineIndex {
    /// Indexes `text`.
    pub fn new(text: &str) -> LineIndex {
        let starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1))
            .collect();
        let mut count = 0;
        let characters = text
            .as_bytes()
            .chunks(BLOCK)
            .map(|block| {
                let before = count;
                count += starts_of_characters(block);
                before
            })
            .collect();
        LineIndex { text: text.to_owned(), starts, characters }
    }

    /// How many characters start before a byte offset.
    fn characters_before(&self, offset: usize) -> u32 {
        let bytes = self.text.as_bytes();
        let (block, offset) = (offset / BLOCK, offset.min(bytes.len()));
        let before = self.characters.get(block).or(self.characters.last()).copied().unwrap_or(0);
        let first = block.min(self.characters.len().saturating_sub(1)) * BLOCK;
        before + bytes.get(first..offset).map_or(0, starts_of_characters)
    }

    /// The line of a byte offset, from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|start| *start <= offset) as u32
    }

    /// Line and column of a byte offset. An offset past the end, or inside a
    /// character, is taken back to the nearest place before it.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line(offset);
        let start = self.starts[line as usize - 1] as usize;
        let at = self.text.floor_char_boundary(offset as usize);
        let before = self.characters_before(at.max(start)) - self.characters_before(start);
        Position { line, column: before + 1 }
    }

    /// The part of a span that lies on its first line.
    pub fn first_line_of(&self, span: Span) -> Span {
        let line = self.line(span.start) as usize;
        let end = self.starts.get(line).map_or(self.text.len() as u32, |next| *next - 1);
        Span::new(span.start.min(end), span.end.min(end))
    }

    /// How many lines there are; an empty text has one.
    pub fn line_count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Where a line stands, from 1, without its end; a line that is not there is empty.
    pub fn line_span(&self, line: u32) -> Span {
        let index = line as usize;
        let Some(&start) = self.starts.get(index.wrapping_sub(1)) else {
            return Span::default();
        };
        let end = self.starts.get(index).map_or(self.text.len(), |next| *next as usize - 1);
        let text = self.text[start as usize..end].trim_end_matches('\r');
        Span::new(start, start + text.len() as u32)
    }

    /// The text of a line, from 1, without its end.
    pub fn line_text(&self, line: u32) -> &str {
        &self.text[self.line_span(line).range()]
    }
}

/// How many characters start in a piece of UTF-8.
fn starts_of_characters(bytes: &[u8]) -> u32 {
    let count = bytes.iter().filter(|byte| **byte & 0b1100_0000 != 0b1000_0000).count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_long_lines_are_found_at_once() {
        let text = format!("{}\n{}", "aé".repeat(100_000), "é".repeat(1_000_000));
        let lines = LineIndex::new(&text);
        let started = std::time::Instant::now();
        for column in 0..1_000_000 {
            let position = lines.position(300_001 + 2 * column);
            assert_eq!((position.line, position.column), (2, column + 1));
        }
        for at in 0..100_000 {
            assert_eq!(lines.position(3 * at + 2).column, 2 * at + 2, "inside a character");
        }
        // Counted from the start of the line, this would take hours.
        assert!(started.elapsed() < std::time::Duration::from_secs(60));
    }

    #[test]
    fn columns_count_characters() {
        let lines = LineIndex::new("aé=\r\n\nb");
        let position = |offset| {
            let Position { line, column } = lines.position(offset);
            (line, column)
        };
        assert_eq!([0, 1, 3].map(position), [(1, 1), (1, 2), (1, 3)]);
        assert_eq!(position(2), (1, 2), "inside a character");
        assert_eq!([6, 7, 8, 99].map(position), [(2, 1), (3, 1), (3, 2), (3, 2)]);
        assert_eq!(lines.line_count(), 3);
        assert_eq!([1, 2, 3, 4, 0].map(|line| lines.line_text(line)), ["aé=", "", "b", "", ""]);
    }
}
