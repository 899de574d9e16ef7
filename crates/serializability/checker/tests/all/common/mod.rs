//! What the tests share: systems as JSON text, and checking a certificate given as text.

pub mod rules;

use ser_base::Limits;
use ser_model::read_json;
use ser_serializability_checker::{check, digest, read};

/// Reads and checks a certificate; what came of it, in words.
pub fn verdict(source: &str, certificate: &str) -> String {
    let certificate = match read(certificate) {
        Ok(certificate) => certificate,
        Err(error) => return format!("unreadable: {error}"),
    };
    let system = read_json(source).expect("a test system");
    match check(&certificate, source.as_bytes(), &system, &Limits::default()) {
        Ok(accepted) => accepted.to_string(),
        Err(rejection) => rejection.to_string(),
    }
}

/// The beginning of a certificate for this source.
pub fn head(source: &str) -> String {
    let sha256 = digest(source.as_bytes());
    format!(
        r#""format": "ser-certificate", "version": 1,
           "source": {{"file": "test.json", "sha256": "{sha256}"}}"#
    )
}
