//! Reading and writing XML, for PNML and for the contest's queries.
//!
//! Reading is iterative up to the tree; whoever walks the tree by recursion first asks
//! [`parse`], which refuses documents that are deeper than [`MAX_DEPTH`]. Document type
//! definitions are refused, and with them entities that grow; so are elements with very many
//! attributes or namespaces (`guard`).

mod guard;

use crate::error::{ReadError, check_length};
use roxmltree::{Document, Node, ParsingOptions};

/// The deepest document that is read. A query is no deeper as text, so that
/// [`read_query`](crate::read_query) gives it back: certificates name their query as text.
pub(crate) const MAX_DEPTH: usize = crate::text::MAX_DEPTH;

/// The most nodes of a document.
const MAX_NODES: u32 = 20_000_000;

/// Parses a document that is not too deep.
pub(crate) fn parse(text: &str) -> Result<Document<'_>, ReadError> {
    check_length(text)?;
    guard::check(text)?;
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let at = error.pos();
        let message = match &error {
            roxmltree::Error::DtdDetected => "document type definitions are not read".to_owned(),
            roxmltree::Error::NodesLimitReached => "the document is too large".to_owned(),
            other => {
                // The place is told apart from the sentence.
                let words = other.to_string();
                let end = words.rfind(" at ").unwrap_or(words.len());
                format!("this is not XML: {}", words.get(..end).unwrap_or(&words))
            }
        };
        let (line, column) = (at.row as usize, at.col as usize);
        let help = matches!(error, roxmltree::Error::DtdDetected)
            .then(|| "remove the line with <!DOCTYPE ...>".to_owned());
        ReadError { line, column, message, help }
    })?;
    check_depth(&document)?;
    Ok(document)
}

fn check_depth(document: &Document<'_>) -> Result<(), ReadError> {
    let mut depth = 0usize;
    let mut node = document.root();
    loop {
        if depth > MAX_DEPTH {
            let message = format!("elements are nested more than {MAX_DEPTH} deep");
            return Err(error(node, message));
        }
        if let Some(child) = node.first_child() {
            depth += 1;
            node = child;
            continue;
        }
        loop {
            if let Some(next) = node.next_sibling() {
                node = next;
                break;
            }
            match node.parent() {
                Some(parent) => {
                    depth = depth.saturating_sub(1);
                    node = parent;
                }
                None => return Ok(()),
            }
        }
    }
}

/// An error at an element.
pub(crate) fn error(node: Node<'_, '_>, message: impl Into<String>) -> ReadError {
    let at = node.document().text_pos_at(node.range().start);
    let (line, column) = (at.row as usize, at.col as usize);
    ReadError { line, column, message: message.into(), help: None }
}

/// The child elements.
pub(crate) fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

/// The first child element of that name.
pub(crate) fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    elements(node).find(|c| c.tag_name().name() == name)
}

/// The text in an element, without blanks around it.
pub(crate) fn content(node: Node<'_, '_>) -> String {
    let text: String = node.children().filter_map(|c| c.text().filter(|_| c.is_text())).collect();
    text.trim().to_owned()
}

/// The text in an element, as it is.
pub(crate) fn exact_content(node: Node<'_, '_>) -> String {
    node.children().filter_map(|c| c.text().filter(|_| c.is_text())).collect()
}

/// Text for an element or an attribute. Characters that XML does not have become U+FFFD; line
/// ends and tabs are written by number, so that they come back as they are.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push_str(&format!("&#{};", u32::from(c))),
            c if c.is_control() && u32::from(c) < 0x20 => out.push('\u{fffd}'),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Whether a text can be an identifier in XML.
pub(crate) fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    let start = |c: char| c.is_ascii_alphabetic() || c == '_';
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    chars.next().is_some_and(start) && chars.all(part)
}
