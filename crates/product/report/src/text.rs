//! Words that all renderers and methods share.

pub use ser_base::{grouped, visible};

/// `1 request`, `2 requests`; large numbers with commas.
pub fn count(n: usize, noun: &str) -> String {
    let plural = match noun {
        _ if n == 1 => noun.to_owned(),
        _ if noun.ends_with("ch") => format!("{noun}es"),
        _ => format!("{noun}s"),
    };
    format!("{} {plural}", grouped(n))
}

/// `1 event:`, `2 events, one after the other:`.
pub fn in_order(n: usize, noun: &str) -> String {
    let order = if n == 1 { "" } else { ", one after the other" };
    format!("{}{order}:", count(n, noun))
}

/// `a, b and c`.
pub fn and(words: &[String]) -> String {
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

/// The text with a capital letter; `ser` stays `ser`.
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if !text.starts_with("ser ") => first.to_uppercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

/// `1.6 ms`, `2.50 s`.
pub fn duration(time: std::time::Duration) -> String {
    let time = time.as_secs_f64() * 1e3;
    if time < 100.0 { format!("{time:.1} ms") } else { format!("{:.2} s", time / 1e3) }
}

/// The name of a file as a shell and `ser` expect it: one that looks like an option is made to look
/// like a file.
pub fn shell_file(name: &str) -> String {
    match name.len() > 1 && name.starts_with('-') {
        true => shell_word(&format!("./{name}")),
        false => shell_word(name),
    }
}

/// A word, quoted for a shell.
///
/// ```
/// use ser_report::text::{shell_file, shell_word};
/// assert_eq!(shell_word("examples/spin_lock.ser"), "examples/spin_lock.ser");
/// assert_eq!(shell_word("a b"), "'a b'");
/// assert_eq!(shell_word("it's"), r"'it'\''s'");
/// assert_eq!(shell_word(""), "''");
/// assert_eq!(shell_word("--format"), "--format");
/// assert_eq!(shell_file("-x.ser"), "./-x.ser");
/// assert_eq!(shell_file("-"), "-");
/// ```
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
