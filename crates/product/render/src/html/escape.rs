//! Putting data and text into a page.

use serde_json::Value;
use std::fmt::Write as _;

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

/// Fills the places `{{name}}` of a template, in one pass: what is filled in is not scanned
/// again.
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
    fn what_is_filled_in_is_not_looked_at_again() {
        let out = fill("<{{a}}|{{b}}|{{c}}>", &[("a", "{{b}}"), ("b", "x")]);
        assert_eq!(out, "<{{b}}|x|>");
    }
}
