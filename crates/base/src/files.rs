//! Several files as one text.
//!
//! A file may use others (`use "stock.ser"`). What is read is then *one* text: the file itself and,
//! behind it, every file that is used, once, each below a line that says which it is. So a place is
//! an offset into one text, whichever file it is in, and whoever has the text (a checker, a digest)
//! has everything. The line begins with a character that [`FILE_MARK`] keeps out of files; hence no
//! two lists of files make the same text.

use crate::Span;

/// What a line between two files begins with: ASCII's own separator of files. Files that have it
/// are not read.
pub const FILE_MARK: char = '\u{1c}';

/// What comes between the name of a file and why there is nothing below it.
const INSTEAD: char = '\u{1d}';

/// One of the files in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part<'t> {
    /// The path, as seen from the folder of the first file; empty for that itself.
    pub name: &'t str,
    pub content: Content,
    /// Where its text stands.
    pub span: Span,
    /// Why it is not there, if so.
    pub trouble: &'t str,
}

/// What is below the name of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Its text.
    Text,
    /// Nothing: it is this one of the files, by another name.
    Same(usize),
    /// Nothing: it could not be read.
    Missing,
}

/// Puts another file behind a text.
///
/// ```
/// use ser_base::{add_file, parts};
/// let mut text = "use \"a.ser\"".to_owned();
/// add_file(&mut text, "a.ser", Ok("const N = 1"));
/// add_file(&mut text, "b.ser", Err("there is no such file"));
/// let parts = parts(&text);
/// assert_eq!(parts.iter().map(|it| it.name).collect::<Vec<_>>(), ["", "a.ser", "b.ser"]);
/// assert_eq!(&text[parts[1].span.range()], "const N = 1");
/// assert_eq!(parts[2].trouble, "there is no such file");
/// ```
pub fn add_file(text: &mut String, name: &str, content: Result<&str, &str>) {
    text.extend(['\n', FILE_MARK]);
    text.push_str(name);
    if let Err(trouble) = content {
        text.push(INSTEAD);
        text.push_str(trouble);
    }
    text.push('\n');
    text.push_str(content.unwrap_or_default());
}

/// Says behind a text that a file is one of those that are there: `0` is the first.
pub fn add_same_file(text: &mut String, name: &str, as_part: usize) {
    add_file(text, name, Err(&format!("={as_part}")));
}

/// Where the line between two files begins, from here on; else the end of the text.
pub fn end_of_file(text: &str, from: usize) -> usize {
    let mark = text.get(from..).and_then(|rest| rest.find("\n\u{1c}"));
    mark.map_or(text.len(), |at| from + at)
}

/// The first file of a text.
///
/// ```
/// assert_eq!(ser_base::first_file("one\n\u{1c}b.ser\ntwo"), "one");
/// ```
pub fn first_file(text: &str) -> &str {
    &text[..end_of_file(text, 0)]
}

/// The text with another item at the end of its first file.
///
/// ```
/// assert_eq!(ser_base::with_item("one\n\n\u{1c}b.ser\ntwo", "three"), "one\nthree\n\n\u{1c}b.ser\ntwo");
/// ```
pub fn with_item(text: &str, item: &str) -> String {
    let own = first_file(text);
    format!("{}\n{}\n{}", own.trim_end(), item.trim_end(), &text[own.len()..])
}

/// The files in a text; there is at least the first.
pub fn parts(text: &str) -> Vec<Part<'_>> {
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let mut end = end_of_file(text, 0);
    let span = Span::new(0, place(end));
    let mut parts = vec![Part { name: "", content: Content::Text, span, trouble: "" }];
    while end < text.len() {
        let line = &text[end + 2..];
        let head = &line[..line.find('\n').unwrap_or(line.len())];
        let start = (end + 3 + head.len()).min(text.len());
        end = end_of_file(text, start);
        let span = Span::new(place(start), place(end));
        let (name, trouble) = head.split_once(INSTEAD).unwrap_or((head, ""));
        let same = trouble.strip_prefix('=').and_then(|number| number.parse().ok());
        let content = match same.filter(|part| *part < parts.len()) {
            Some(part) => Content::Same(part),
            None if head.contains(INSTEAD) => Content::Missing,
            None => Content::Text,
        };
        parts.push(Part { name, content, span, trouble });
    }
    parts
}

/// What a path means that is written in a file of this name: both as seen from the same folder.
/// `..` goes back in the name.
///
/// ```
/// use ser_base::path_from;
/// assert_eq!(path_from("shop.ser", "stock.ser"), "stock.ser");
/// assert_eq!(path_from("lib/a.ser", "../b.ser"), "b.ser");
/// assert_eq!(path_from("../a.ser", "./b/c.ser"), "../b/c.ser");
/// assert_eq!(path_from("lib/a.ser", "/usr/b.ser"), "/usr/b.ser");
/// ```
pub fn path_from(file: &str, path: &str) -> String {
    let folder = if path.starts_with('/') { "" } else { file };
    let folder = folder.rfind('/').map_or("", |end| &folder[..=end]);
    let whole = format!("{folder}{path}");
    let mut steps: Vec<&str> = Vec::new();
    for step in whole.split('/').filter(|step| !matches!(*step, "" | ".")) {
        match (step, steps.last()) {
            ("..", Some(last)) if *last != ".." => {
                steps.pop();
            }
            // Above the root there is nothing.
            ("..", None) if whole.starts_with('/') => {}
            _ => steps.push(step),
        }
    }
    let root = if whole.starts_with('/') { "/" } else { "" };
    format!("{root}{}", steps.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_together_can_be_taken_apart() {
        for texts in [["", "", ""], ["a\n", "\n", "b"], ["a", "b\n\n", "\nc\n"], ["\n", "x", ""]] {
            let mut text = texts[0].to_owned();
            add_file(&mut text, "b.ser", Ok(texts[1]));
            add_same_file(&mut text, "self.ser", 0);
            add_file(&mut text, "c.ser", Err("gone"));
            add_file(&mut text, "d.ser", Ok(texts[2]));
            let found = parts(&text);
            let names: Vec<&str> = found.iter().map(|it| it.name).collect();
            assert_eq!(names, ["", "b.ser", "self.ser", "c.ser", "d.ser"], "{text:?}");
            let inside: Vec<&str> = found.iter().map(|it| &text[it.span.range()]).collect();
            assert_eq!(inside, [texts[0], texts[1], "", "", texts[2]], "{text:?}");
            let what: Vec<Content> = found.iter().map(|it| it.content).collect();
            use Content::{Missing, Same, Text};
            assert_eq!(what, [Text, Text, Same(0), Missing, Text]);
            assert_eq!(first_file(&text), texts[0]);
        }
    }

    #[test]
    fn a_text_that_ends_within_a_mark_is_taken_apart() {
        for text in
            ["\n\u{1c}", "a\n\u{1c}b", "a\n\u{1c}b\n", "\n\u{1c}\n\u{1c}", "\n\u{1c}\u{1d}=9\n"]
        {
            for part in parts(text) {
                assert!(text.get(part.span.range()).is_some(), "{text:?}: {part:?}");
            }
        }
    }
}
