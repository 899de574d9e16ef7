//! Digests, as certificates and reports write them.

use sha2::{Digest as _, Sha256};

/// The SHA-256 digest in lower-case hexadecimal digits.
///
/// ```
/// assert!(ser_base::sha256_hex(b"").starts_with("e3b0c44298fc1c14"));
/// ```
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
