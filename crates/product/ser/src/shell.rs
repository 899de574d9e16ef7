//! Words of a command line, as a person would type them.

/// The name of a file as a shell and `ser` want it: one that looks like an option is made to look
/// like a file.
pub(crate) fn file(name: &str) -> String {
    match name.len() > 1 && name.starts_with('-') {
        true => quoted(&format!("./{name}")),
        false => quoted(name),
    }
}

/// A word as a shell wants it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::{file, quoted};

    #[test]
    fn words_survive_the_shell() {
        assert_eq!(quoted("examples/spin_lock.ser"), "examples/spin_lock.ser");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("--format"), "--format");
        assert_eq!(file("-x.ser"), "./-x.ser");
        assert_eq!(file("-"), "-");
    }
}
