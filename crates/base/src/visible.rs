//! Text from a file may be shown, but must not steer what shows it.

/// Characters that are not seen but change what is seen: they steer a terminal, turn the direction
/// of text, or have no way to be written in XML. Line ends are among them, because what is shown is
/// a name or a line; tabs are part of lines.
pub fn is_hidden(c: char) -> bool {
    c.is_control() && c != '\t'
        || matches!(c, '\u{61c}' | '\u{2028}' | '\u{2029}' | '\u{200b}'..='\u{200f}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
        || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// A character by its number: `[U+001B]`.
pub fn spelled_out(c: char) -> String {
    format!("[U+{:04X}]", u32::from(c))
}

/// The text with what cannot be seen spelled out.
///
/// ```
/// assert_eq!(ser_base::visible("a\u{202e}b\r\nc\td"), "a[U+202E]b[U+000D][U+000A]c\td");
/// ```
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_hidden(c) { out.push_str(&spelled_out(c)) } else { out.push(c) }
    }
    out
}
