//! What a campaign has come to, in numbers.

use super::census::KINDS;
use super::judge::Class;
use super::mutate::Change;
use std::collections::BTreeMap;
use std::fmt;

/// Whom a mutant was shown for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Target {
    /// The source of the certificate that it was made from.
    Own,
    /// A sibling of that source for which the verdict is false, as far as brute force knows.
    Opposite,
    /// A sibling for which the verdict may be true.
    Sibling,
}

/// A certificate that was accepted and should not have been.
#[derive(Clone, Debug)]
pub struct Scandal {
    /// What is wrong.
    pub words: String,
    pub source: String,
    pub certificate: String,
    pub changes: Vec<Change>,
}

/// How many of each.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Genuine certificates that mutants were made of.
    pub genuine: usize,
    /// Mutants that were shown to the reader.
    pub tried: usize,
    /// Of these, by whom they were shown for.
    pub targets: BTreeMap<Target, usize>,
    /// Rejected by the reader, or by the front end that looks for what they are about.
    pub unread: usize,
    /// Rejected by the checker with a place; by the first word of the place.
    pub rejected: BTreeMap<String, usize>,
    /// Accepted, by the argument that this is right, and by whom they were shown for.
    pub accepted: BTreeMap<(Class, Target), usize>,
    /// Mutants of certificates with statements of each kind.
    pub kinds: BTreeMap<&'static str, usize>,
    /// Changes of each field.
    pub fields: BTreeMap<String, usize>,
    /// Each kind of change.
    pub changes: BTreeMap<&'static str, usize>,
    /// What should not be here.
    pub scandals: Vec<Scandal>,
}

impl Report {
    /// Kinds of statements that no mutant was made of.
    pub fn missing(&self) -> Vec<&'static str> {
        KINDS.iter().filter(|kind| !self.kinds.contains_key(*kind)).copied().collect()
    }

    /// How many mutants the checker has rejected.
    pub fn rejected_with_place(&self) -> usize {
        self.rejected.values().sum()
    }

    /// How many mutants were accepted.
    pub fn accepted_in_all(&self) -> usize {
        self.accepted.values().sum::<usize>() + self.scandals.len()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} mutants of {} genuine certificates", self.tried, self.genuine)?;
        for (target, count) in &self.targets {
            let words = match target {
                Target::Own => "for the source of the genuine certificate",
                Target::Opposite => "for a sibling with the opposite verdict",
                Target::Sibling => "for a sibling with the same verdict, as far as is known",
            };
            writeln!(f, "  {count:8} {words}")?;
        }
        writeln!(
            f,
            "rejected: {} unread, {} with a place",
            self.unread,
            self.rejected_with_place()
        )?;
        for (place, count) in &self.rejected {
            writeln!(f, "  {count:8} {place}")?;
        }
        writeln!(f, "accepted: {}", self.accepted_in_all())?;
        for ((class, target), count) in &self.accepted {
            writeln!(f, "  {count:8} {} ({target:?})", class.words())?;
        }
        writeln!(f, "  {:8} wrongly", self.scandals.len())?;
        writeln!(f, "mutants by what the certificate says:")?;
        for kind in KINDS {
            writeln!(f, "  {:8} {kind}", self.kinds.get(kind).copied().unwrap_or(0))?;
        }
        writeln!(f, "changes by kind:")?;
        for (what, count) in &self.changes {
            writeln!(f, "  {count:8} {what}")?;
        }
        writeln!(f, "changes by field:")?;
        for (field, count) in &self.fields {
            writeln!(f, "  {count:8} {field}")?;
        }
        for scandal in &self.scandals {
            writeln!(f, "ACCEPTED WRONGLY: {}", scandal.words)?;
            writeln!(f, "{:?}\n{}\n{}", scandal.changes, scandal.source, scandal.certificate)?;
        }
        Ok(())
    }
}
