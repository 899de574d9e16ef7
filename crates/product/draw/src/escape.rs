//! Putting text into XML and HTML so that it stays text.
//!
//! Names may come from anyone. Whatever they contain, it must neither end the element that it
//! stands in nor steer how its surroundings are read. Control characters and the invisible marks
//! that turn the direction of text are therefore spelled out.

use ser_base::{is_hidden, spelled_out};
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
                c if is_hidden(c) => f.write_str(&spelled_out(c))?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        let text = "a\u{202e}b\u{0}\r\nc\td\u{ffff}";
        let shown = "a[U+202E]b[U+0000][U+000D][U+000A]c\td[U+FFFF]";
        assert_eq!(Text(text).to_string(), shown);
        assert_eq!(ser_base::visible(text), shown, "scripts show the same");
    }
}
