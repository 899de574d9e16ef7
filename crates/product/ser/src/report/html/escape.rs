//! Putting text into a page so that it stays text.
//!
//! Programs, names and file names come from anybody. Whatever they contain, it must neither end the
//! element that it stands in nor steer how its surroundings are read. Control characters and the
//! invisible marks that turn the direction of text are therefore spelled out.

use serde_json::Value;
use std::fmt::{self, Display, Formatter, Write as _};

/// Text for the inside of an element or of a quoted attribute.
///
/// ```
/// use ser::report::html::Text;
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

/// Characters that are not seen but change what is seen. Line ends are among them, because text here
/// is a name or a line; tabs are part of lines.
fn is_hidden(c: char) -> bool {
    c.is_control() && c != '\t'
        || matches!(c, '\u{61c}' | '\u{2028}' | '\u{2029}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// The text with what cannot be seen spelled out, for the script, which sets it as text.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match is_hidden(c) {
            true => {
                let _ = write!(out, "[U+{:04X}]", u32::from(c));
            }
            false => out.push(c),
        }
    }
    out
}

/// JSON for the inside of a `<script type="application/json">`: nothing in it can end the element.
pub fn json_in_script(value: &Value) -> String {
    let text = value.to_string();
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Fills the places `{{name}}` of a template, in one pass: what is filled in is not looked at again.
pub fn fill(template: &str, places: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((name, after)) = after.split_once("}}") else {
            rest = after;
            break;
        };
        if let Some((_, content)) = places.iter().find(|(place, _)| *place == name) {
            out.push_str(content);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_ends_the_script_that_holds_the_data() {
        let value = json!({ "</script><script>alert(1)</script>": "<!-- & \u{2028}" });
        let text = json_in_script(&value);
        assert!(!text.contains(['<', '>', '&', '\u{2028}']), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).ok(), Some(value));
    }

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        let (text, shown) = ("a\u{202e}b\u{0}\r\nc\td", "a[U+202E]b[U+0000][U+000D][U+000A]c\td");
        assert_eq!(Text(text).to_string(), shown);
        assert_eq!(visible(text), shown, "the script shows the same");
    }

    #[test]
    fn what_is_filled_in_is_not_looked_at_again() {
        let out = fill("<{{a}}|{{b}}|{{c}}>", &[("a", "{{b}}"), ("b", "x")]);
        assert_eq!(out, "<{{b}}|x|>");
    }
}
