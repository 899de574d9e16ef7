//! Where things are in the source: byte ranges, and lines and columns for people.

use crate::{FILE_MARK, parts};
use serde::{Serialize, Serializer};
use std::fmt::{Display, Formatter};
use std::ops::Range;
use std::sync::Arc;

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

/// A line as people know it: `12`, or `stock.ser:12` in a file that is used.
///
/// Lines are sorted as they stand in the text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Line {
    /// Its number in the whole text, from 1.
    pub row: u32,
    /// Its number in its file, from 1.
    pub number: u32,
    /// The file, unless it is the first.
    pub file: Option<Arc<str>>,
}

impl From<u32> for Line {
    /// A line of the first file.
    fn from(number: u32) -> Line {
        Line { row: number, number, file: None }
    }
}

impl Display for Line {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match &self.file {
            Some(file) => f.pad(&format!("{file}:{}", self.number)),
            None => self.number.fmt(f),
        }
    }
}

impl Serialize for Line {
    /// A number, or in a file that is used, text: nobody can take it for a line of another file.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.file {
            Some(_) => serializer.collect_str(self),
            None => serializer.serialize_u32(self.number),
        }
    }
}

/// A line and a column, both counted from 1; columns count characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The line.
    pub line: Line,
    /// The column in characters, from 1.
    pub column: u32,
}

/// Finds lines and columns of byte offsets in one source text, which may have several files.
///
/// ```
/// let lines = ser_base::LineIndex::new("X := 1;\nyield\n\u{1c}stock.ser\nvar Y: 0..1\n");
/// let at = lines.position(8);
/// assert_eq!((at.line.number, at.column), (2, 1));
/// assert_eq!(lines.line(26).to_string(), "stock.ser:1");
/// ```
#[derive(Clone, Debug)]
pub struct LineIndex {
    text: String,
    /// Byte offset of the start of each line.
    starts: Vec<u32>,
    /// How many characters there are before every [`BLOCK`]th byte. A line may be the whole text,
    /// and counting from its start each time would take forever.
    characters: Vec<u32>,
    /// The files behind the first one: their names, and which row the name stands on.
    files: Vec<(u32, Arc<str>)>,
}

/// So many bytes are looked at to find a column.
const BLOCK: usize = 512;

impl LineIndex {
    /// Indexes `text`.
    pub fn new(text: &str) -> LineIndex {
        let starts: Vec<u32> = std::iter::once(0)
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
        let mut lines = LineIndex { text: text.to_owned(), starts, characters, files: Vec::new() };
        if text.contains(FILE_MARK) {
            let others = parts(text).into_iter().skip(1);
            let named =
                others.map(|it| (lines.row(it.span.start).saturating_sub(1), it.name.into()));
            lines.files = named.collect();
        }
        lines
    }

    /// How many characters start before a byte offset.
    fn characters_before(&self, offset: usize) -> u32 {
        let bytes = self.text.as_bytes();
        let (block, offset) = (offset / BLOCK, offset.min(bytes.len()));
        let before = self.characters.get(block).or(self.characters.last()).copied().unwrap_or(0);
        let first = block.min(self.characters.len().saturating_sub(1)) * BLOCK;
        before + bytes.get(first..offset).map_or(0, starts_of_characters)
    }

    /// Which line of the whole text a byte offset is on, from 1.
    pub fn row(&self, offset: u32) -> u32 {
        self.starts.partition_point(|start| *start <= offset) as u32
    }

    /// The line of a byte offset.
    pub fn line(&self, offset: u32) -> Line {
        self.line_of_row(self.row(offset))
    }

    /// The line that is this one of the whole text; the name of a file stands on its line 0.
    pub fn line_of_row(&self, row: u32) -> Line {
        match self.files.partition_point(|(head, _)| *head <= row).checked_sub(1) {
            Some(file) => {
                let (head, name) = &self.files[file];
                Line { row, number: row - head, file: Some(Arc::clone(name)) }
            }
            None => Line::from(row),
        }
    }

    /// Line and column of a byte offset. An offset past the end, or inside a
    /// character, is taken back to the nearest place before it.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line(offset);
        let start = self.starts[line.row as usize - 1] as usize;
        let at = self.text.floor_char_boundary(offset as usize);
        let before = self.characters_before(at.max(start)) - self.characters_before(start);
        Position { line, column: before + 1 }
    }

    /// The part of a span that lies on its first line.
    pub fn first_line_of(&self, span: Span) -> Span {
        let line = self.row(span.start) as usize;
        let end = self.starts.get(line).map_or(self.text.len() as u32, |next| *next - 1);
        Span::new(span.start.min(end), span.end.min(end))
    }

    /// How many lines the whole text has; an empty one has one.
    pub fn row_count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Where a line of the whole text stands, without its end; a line that is not there is empty.
    pub fn row_span(&self, row: u32) -> Span {
        let index = row as usize;
        let Some(&start) = self.starts.get(index.wrapping_sub(1)) else {
            return Span::default();
        };
        let end = self.starts.get(index).map_or(self.text.len(), |next| *next as usize - 1);
        let text = self.text[start as usize..end].trim_end_matches('\r');
        Span::new(start, start + text.len() as u32)
    }

    /// The text of a line of the whole text, without its end.
    pub fn row_text(&self, row: u32) -> &str {
        &self.text[self.row_span(row).range()]
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
    use crate::add_file;

    #[test]
    fn every_file_has_lines_of_its_own() {
        let mut text = "one\ntwo\n".to_owned();
        add_file(&mut text, "lib/b.ser", Ok("three\nfour"));
        add_file(&mut text, "c.ser", Ok(""));
        add_file(&mut text, "d.ser", Ok("five"));
        let lines = LineIndex::new(&text);
        let line = |word: &str| lines.line(text.find(word).expect("there") as u32).to_string();
        assert_eq!(["one", "two"].map(line), ["1", "2"]);
        assert_eq!(["three", "four", "five"].map(line), ["lib/b.ser:1", "lib/b.ser:2", "d.ser:1"]);
        assert_eq!(line("lib"), "lib/b.ser:0", "the name itself");
        assert_eq!(format!("{:>3}|{:>12}", lines.line(0), lines.line(23)), "  1| lib/b.ser:1");
        assert_eq!(
            serde_json::json!([lines.line(4), lines.line(23)]).to_string(),
            "[2,\"lib/b.ser:1\"]"
        );
    }

    #[test]
    fn columns_of_long_lines_are_found_at_once() {
        let text = format!("{}\n{}", "aé".repeat(100_000), "é".repeat(1_000_000));
        let lines = LineIndex::new(&text);
        let started = std::time::Instant::now();
        for column in 0..1_000_000 {
            let position = lines.position(300_001 + 2 * column);
            assert_eq!((position.line.number, position.column), (2, column + 1));
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
            (line.number, column)
        };
        assert_eq!([0, 1, 3].map(position), [(1, 1), (1, 2), (1, 3)]);
        assert_eq!(position(2), (1, 2), "inside a character");
        assert_eq!([6, 7, 8, 99].map(position), [(2, 1), (3, 1), (3, 2), (3, 2)]);
        assert_eq!(lines.row_count(), 3);
        assert_eq!([1, 2, 3, 4, 0].map(|line| lines.row_text(line)), ["aé=", "", "b", "", ""]);
    }
}
