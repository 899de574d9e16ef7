//! What would take the XML parser too long.
//!
//! The parser compares every attribute of an element with all others, and copies all namespaces in
//! scope for each element that declares one. Both are quick as long as there are few. So few are
//! allowed, and they are counted before parsing. This look at the text is no parser: whatever is
//! odd is left to the real one, which is going to refuse it.

use crate::error::ReadError;

/// The most attributes of an element, namespaces included. PNML has fewer than ten.
const MAX_ATTRIBUTES: usize = 100;

/// The most declarations of namespaces around any element.
const MAX_NAMESPACES: usize = 100;

/// Refuses documents that the parser would take too long to read.
pub(super) fn check(text: &str) -> Result<(), ReadError> {
    // For each element that is open: how many namespaces are declared on it and around it.
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(start) = find(text, at, "<") {
        let rest = text.get(start..).unwrap_or_default();
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("</", ">")];
        if let Some((begin, end)) = skipped.into_iter().find(|(begin, _)| rest.starts_with(begin)) {
            if begin == "</" {
                open.pop();
            }
            let Some(end_at) = find(text, start + begin.len(), end) else { return Ok(()) };
            at = end_at + end.len();
            continue;
        }
        let Some(tag) = Tag::read(rest) else { return Ok(()) };
        if tag.attributes > MAX_ATTRIBUTES {
            let message = format!("an element with more than {MAX_ATTRIBUTES} attributes");
            return Err(ReadError::at(text, start, message));
        }
        let namespaces = open.last().copied().unwrap_or_default() + tag.namespaces;
        if namespaces > MAX_NAMESPACES {
            let message = format!("an element with more than {MAX_NAMESPACES} namespaces");
            return Err(ReadError::at(text, start, message)
                .help("declare each namespace once, at the first element"));
        }
        if !tag.closed {
            open.push(namespaces);
        }
        at = start + tag.length;
    }
    Ok(())
}

fn find(text: &str, from: usize, what: &str) -> Option<usize> {
    text.get(from..)?.find(what).map(|at| from + at)
}

/// `<name a="1" xmlns:b="2">` or `<name/>`.
struct Tag {
    attributes: usize,
    namespaces: usize,
    /// Whether the element ends here.
    closed: bool,
    length: usize,
}

impl Tag {
    /// Reads the tag at the start of a text, at most one attribute too many; none if it has no end.
    fn read(text: &str) -> Option<Tag> {
        let mut tag = Tag { attributes: 0, namespaces: 0, closed: false, length: 0 };
        let mut at = 0;
        while tag.attributes <= MAX_ATTRIBUTES {
            let next = at + text.get(at..)?.find(['"', '\'', '>'])?;
            let before = text.get(at..next)?;
            let found = text.get(next..)?.chars().next()?;
            if found == '>' {
                tag.closed = before.ends_with('/');
                tag.length = next + 1;
                return Some(tag);
            }
            tag.attributes += 1;
            // The name of the attribute, perhaps with that of the element, and with any blanks
            // around `=`.
            tag.namespaces += usize::from(before.contains("xmlns"));
            at = next + 1 + text.get(next + 1..)?.find(found)? + 1;
        }
        Some(tag)
    }
}
