//! Why a text is no certificate, for people who have the wrong file or half of one.

use serde_json::Value;

/// The formats that are read.
const FORMATS: [&str; 3] =
    ["ser-certificate", ser_invariance_checker::FORMAT, ser_sequentialization_checker::FORMAT];

/// What is wrong with a text that could not be read as a certificate, with these words of the reader.
pub fn why(text: &str, words: &str) -> String {
    let help = "help: certificates are what --certificate writes";
    let known = FORMATS.map(|it| format!("`{it}`")).join(", ");
    match serde_json::from_str::<Value>(text) {
        Err(error) => {
            let place = format!("line {}, column {}", error.line(), error.column());
            let message = plain(&error.to_string());
            format!("this is no certificate: it is not JSON ({place}: {message})\n  {help}")
        }
        Ok(Value::Object(fields)) => match fields.get("format") {
            Some(Value::String(format)) if FORMATS.contains(&format.as_str()) => plain(words),
            Some(Value::String(format)) => format!(
                "this is no certificate that ser knows: its `format` is `{}`, and not one of {known}",
                format.chars().take(40).collect::<String>().escape_debug()
            ),
            Some(_) => format!("this is no certificate: its `format` is not one of {known}"),
            None => format!("this is no certificate: it has no `format`\n  {help}"),
        },
        Ok(other) => {
            let what = match other {
                Value::Null => "`null`",
                Value::Bool(_) => "a truth value",
                Value::Number(_) => "a number",
                Value::String(_) => "a string",
                Value::Array(_) | Value::Object(_) => "a list",
            };
            format!("this is no certificate: it is {what}, and not an object\n  {help}")
        }
    }
}

/// The words of a reader without the names of its types, and without a place that it says twice.
fn plain(words: &str) -> String {
    let mut words = words.to_owned();
    if let Some((before, place)) = words.rsplit_once(" at line ") {
        let is_place = place.split(" column ").all(|it| it.parse::<u64>().is_ok());
        if is_place {
            words = before.to_owned();
        }
    }
    let mut plain: Vec<String> = Vec::new();
    let mut pieces = words.split(' ').peekable();
    while let Some(piece) = pieces.next() {
        let is_type = |it: &&str| it.chars().next().is_some_and(char::is_uppercase);
        match (piece, pieces.peek().is_some_and(is_type)) {
            ("struct" | "enum", true) => {
                let name = pieces.next().unwrap_or_default();
                let end = if name.ends_with(',') { "," } else { "" };
                plain.push(format!("an object{end}"));
            }
            _ => plain.push(piece.to_owned()),
        }
    }
    plain.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{plain, why};

    #[test]
    fn words_of_readers_become_plain() {
        assert_eq!(
            plain(
                "line 1, column 7: invalid type: null, expected struct Header at line 1 column 7"
            ),
            "line 1, column 7: invalid type: null, expected an object"
        );
        assert_eq!(plain("there is no one at line 7 or so"), "there is no one at line 7 or so");
    }

    #[test]
    fn what_is_no_certificate_is_told_as_such() {
        for (text, part) in [
            ("null", "it is `null`"),
            ("[]", "it is a list"),
            ("{", "not JSON (line 1, column 1: EOF"),
            ("{}", "no `format`"),
            (r#"{"format": "x"}"#, "`ser-certificate`, `ser-invariance`, `ser-protocol`"),
            (r#"{"format": 7}"#, "not one of"),
            (r#"{"format": "ser-invariance"}"#, "words"),
        ] {
            let told = why(text, "words");
            assert!(told.contains(part), "{text}: {told}");
            assert_eq!(told.matches("line 1").count(), usize::from(text == "{"), "{told}");
        }
    }
}
