//! What there is to say about a certificate that was kept.

use std::fmt::Display;

/// What became of the check of a certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verified {
    Valid(Valid),
    /// Where it is wrong.
    Rejected(String),
    /// The limits were not enough to decide.
    Stopped(String),
    /// Why it cannot be read.
    Unreadable(String),
}

/// What a valid certificate establishes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Valid {
    /// In a sentence: `refuted: there is a run in which ...`.
    pub words: String,
    /// What the names in it stand for, a line each.
    pub claims: Vec<String>,
}

impl Valid {
    /// All of it, one line each.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![self.words.clone()];
        lines.extend(self.claims.iter().cloned());
        lines
    }
}

impl Verified {
    /// What a check says of a certificate, if it could be read and the text in it is that of the
    /// file with which it is compared.
    pub(crate) fn of_text<C, E: Display>(
        certificate: Result<C, E>,
        is_same_text: impl Fn(&C) -> bool,
        check: impl Fn(&C) -> Verified,
    ) -> Verified {
        match certificate {
            Err(error) => Verified::Unreadable(error.to_string()),
            Ok(certificate) if is_same_text(&certificate) => check(&certificate),
            Ok(_) => {
                let words = "source: the certificate belongs to another source (the texts differ)";
                Verified::Rejected(words.to_owned())
            }
        }
    }
}
