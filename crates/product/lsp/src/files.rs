//! Files and their addresses: what a document uses, and where a place in another file is.

use crate::document::Document;
use crate::text::Text;
use lsp_types::{Location, Uri};
use ser_base::{FILE_MARK, Part, parts, path_from};
use ser_session::source::used::{beside, from_disk, with_used_files};
use ser_syntax::{Line, LineIndex, Span};
use std::path::{Path, PathBuf};

/// The path of a `file:` address.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    let path = uri.split(['?', '#']).next()?.strip_prefix("file://")?;
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let code = (byte == b'%').then(|| {
            let digits = [rest.next(), rest.next()].map(Option::unwrap_or_default);
            u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()
        });
        bytes.push(code.map_or(Some(byte), |code| code)?);
    }
    let path = String::from_utf8(bytes).ok()?;
    // `file:///C:/a.ser`.
    let drive = path.strip_prefix('/').filter(|it| it.as_bytes().get(1) == Some(&b':'));
    Some(PathBuf::from(drive.unwrap_or(&path)))
}

/// The text of a document with everything that it uses: `open` has the texts that editors have not
/// saved.
pub fn with_used(
    uri: &str,
    text: &str,
    open: &dyn Fn(&Path) -> Option<String>,
) -> (String, Vec<PathBuf>) {
    // As long, and as wrong.
    let text = text.replace(FILE_MARK, "\u{1a}");
    let own = path_of(uri);
    let read = |path: &Path| match (&own, open(path)) {
        (None, _) => Err("this text has no folder in which it could be".to_owned()),
        (_, Some(text)) => Ok(text),
        (_, None) => from_disk(path),
    };
    let name = own.as_ref().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let whole = with_used_files(&name, text, &read);
    let used = parts(&whole).iter().skip(1).map(|part| beside(&name, part.name)).collect();
    (whole, used)
}

impl Document {
    /// Whether a place is in the document itself.
    pub fn is_own(&self, span: Span) -> bool {
        span.end as usize <= self.text.as_str().len()
    }

    /// Where a place can be shown in the document: what is in another file, where that is used.
    pub fn shown(&self, span: Span) -> Span {
        match self.is_own(span) {
            true => span,
            false => ser_syntax::use_of(&self.whole, span.start).unwrap_or_default(),
        }
    }

    /// The line of a place, as people know it.
    pub fn line(&self, offset: u32) -> Line {
        if self.is_own(Span::empty(offset)) {
            return Line::from(self.text.position(offset).line + 1);
        }
        LineIndex::new(&self.whole).line(offset)
    }

    /// A place, in whichever file it is.
    pub fn location(&self, span: Span) -> Location {
        let parts = parts(&self.whole);
        let part = parts.iter().skip(1).find(|it| span.end <= it.span.end);
        if let (false, Some(part)) = (self.is_own(span), part)
            && let (Some(uri), Some(text)) = (self.address(part), self.whole.get(part.span.range()))
        {
            let at = |at: u32| at.saturating_sub(part.span.start);
            let text = Text::new(text.to_owned(), self.text.encoding());
            return Location::new(uri, text.range(Span::new(at(span.start), at(span.end))));
        }
        Location::new(self.uri.clone(), self.text.range(self.shown(span)))
    }

    /// The address of a file that is used.
    fn address(&self, part: &Part<'_>) -> Option<Uri> {
        let own = self.uri.as_str().split(['?', '#']).next()?.strip_prefix("file://")?;
        format!("file://{}", path_from(own, &escaped(part.name))).parse().ok()
    }
}

/// A path with everything escaped that means something in addresses.
fn escaped(path: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-~".contains(byte);
    let one = |byte: u8| match plain(&byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    path.bytes().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_paths() {
        assert_eq!(path_of("file:///a%20b/c.ser?x"), Some(PathBuf::from("/a b/c.ser")));
        assert_eq!(path_of("file:///C:/c.ser"), Some(PathBuf::from("C:/c.ser")));
        assert_eq!(path_of("untitled:1"), None);
        assert_eq!(path_of("file:///%zz"), None);
        assert_eq!(escaped("a b/ä.ser"), "a%20b/%C3%A4.ser");
    }
}
