//! Putting text into XML and HTML so that it stays text.
//!
//! Names come from anybody. Whatever they contain, it must neither end the element that it stands in
//! nor steer how its surroundings are read. Control characters and the invisible marks that turn the
//! direction of text are therefore spelled out.

use std::fmt::{self, Display, Formatter, Write as _};

/// Text for the inside of an element or of a quoted attribute.
///
/// ```
/// use ser_draw::Text;
/// assert_eq!(Text("<b title='x'>").to_string(), "&lt;b title=&#39;x&#39;&gt;");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Text<'a>(pub &'a str);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c if is_hidden(c) => write!(f, "[U+{:04X}]", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// The text with what cannot be seen spelled out, for places where nothing needs to be escaped.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match is_hidden(c) {
            true => out.push_str(&format!("[U+{:04X}]", u32::from(c))),
            false => out.push(c),
        }
    }
    out
}

/// Characters that are not seen but change what is seen. Line ends are among them, because text here
/// is a name or a line; tabs are part of lines. XML has no way to write the last two.
fn is_hidden(c: char) -> bool {
    c.is_control() && c != '\t'
        || matches!(c, '\u{61c}' | '\u{2028}' | '\u{2029}' | '\u{200b}'..='\u{200f}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
        || matches!(c, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        let text = "a\u{202e}b\u{0}\r\nc\td\u{ffff}";
        let shown = "a[U+202E]b[U+0000][U+000D][U+000A]c\td[U+FFFF]";
        assert_eq!(Text(text).to_string(), shown);
        assert_eq!(visible(text), shown, "scripts show the same");
    }
}
