//! What there is to say about a certificate that was kept.

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
    /// The text in a certificate is not that of the file with which it is compared.
    pub(crate) fn other_source() -> Verified {
        let words = "source: the certificate belongs to another source (the texts differ)";
        Verified::Rejected(words.to_owned())
    }
}
