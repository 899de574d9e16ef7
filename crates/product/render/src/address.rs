//! File names as addresses.

/// A file name as a relative reference or a `file:` address.
pub fn reference(name: &str) -> String {
    let name = name.replace('\\', "/");
    let scheme = if name.starts_with('/') { "file://" } else { "" };
    scheme.to_owned() + &escaped(&name)
}

/// A path with everything escaped that has a meaning in addresses.
pub fn escaped(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'~' => {
                out.push(char::from(byte));
            }
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::reference;

    #[test]
    fn names_become_addresses() {
        assert_eq!(reference("examples/spin_lock.ser"), "examples/spin_lock.ser");
        assert_eq!(reference("a b\\<c>.ser"), "a%20b/%3Cc%3E.ser");
        assert_eq!(reference("/a/b.ser"), "file:///a/b.ser");
    }
}
