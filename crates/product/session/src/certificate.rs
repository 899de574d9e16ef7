//! Certificates: one envelope for the evidence of all methods, and one way to check it again.
//!
//! The envelope says what it is (`format`, `version`), which checker it is for (`kind`), and to
//! which source it belongs (`file`, `sha256`). What is inside is the method's own affair.

use crate::petri::{NetSource, model_of};
use crate::reachability::Claim;
use crate::serializability::decision::check_certificate;
use crate::source::{ModelError, model_for};
use crate::verified::{Valid, Verified};
use ser_base::{Limits, sha256_hex};
use ser_model::ExploreError;
use ser_report::{Method, Source};
use ser_serializability_checker::{self as serializability, Accepted};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What every certificate says that it is.
pub const FORMAT: &str = "ser-certificate";

/// Grows with every change that could break a reader.
pub const VERSION: u32 = 2;

/// Larger certificates are not read.
pub const MAX_BYTES: usize = 1 << 30;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<'a> {
    format: String,
    version: u32,
    kind: String,
    source: Named,
    #[serde(borrow)]
    evidence: &'a RawValue,
}

/// The source that evidence is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    pub file: String,
    pub sha256: String,
}

/// A certificate that has been opened.
pub struct Opened<'a> {
    kind: Method,
    pub source: Named,
    evidence: &'a str,
}

const KINDS: [Method; 6] = [
    Method::Serializability,
    Method::Reachability,
    Method::Sequentialization,
    Method::Invariance,
    Method::Assertions,
    Method::Isolation,
];

/// Puts evidence, which is JSON, into an envelope.
pub fn seal(method: Method, source: &Source, evidence: String) -> String {
    let Ok(evidence) = RawValue::from_string(evidence) else {
        // What we write ourselves is JSON.
        return String::new();
    };
    let envelope = Envelope {
        format: FORMAT.to_owned(),
        version: VERSION,
        kind: method.name().to_owned(),
        source: Named { file: source.name.clone(), sha256: sha256_hex(source.text.as_bytes()) },
        evidence: &evidence,
    };
    serde_json::to_string(&envelope).map_or_else(|_| String::new(), |text| text + "\n")
}

/// Opens an envelope, or says why it cannot be opened.
pub fn open(text: &str) -> Result<Opened<'_>, String> {
    #[derive(Deserialize)]
    struct Head {
        format: Option<String>,
        version: Option<u32>,
    }
    let not_json = |error: serde_json::Error| {
        format!("this is not a certificate: {}", unreadable(text, &error))
    };
    let head: Head = serde_json::from_str(text).map_err(not_json)?;
    match (head.format.as_deref(), head.version) {
        (Some(FORMAT), Some(VERSION)) => {}
        (Some(FORMAT | "ser-protocol" | "ser-invariance"), Some(version)) => {
            return Err(format!(
                "the certificate has version {version} of its format, and this ser reads version \
                 {VERSION}\n  help: --certificate writes one; what `ser show` prints is the evidence \
                 alone"
            ));
        }
        _ => {
            return Err(format!("this is not a certificate: its format is not `{FORMAT}`"));
        }
    }
    let envelope: Envelope<'_> = serde_json::from_str(text).map_err(not_json)?;
    let kind = KINDS.into_iter().find(|kind| kind.name() == envelope.kind);
    let kind = kind.ok_or_else(|| {
        let known = KINDS.map(|kind| format!("`{}`", kind.name()));
        format!("kind: `{}` is not one of {}", envelope.kind, known.join(", "))
    })?;
    Ok(Opened { kind, source: envelope.source, evidence: envelope.evidence.get() })
}

/// Why a text is not a certificate, for people who have the wrong file or half of one.
fn unreadable(text: &str, error: &serde_json::Error) -> String {
    let words = error.to_string().replace("struct Named", "an object");
    if !error.is_data() {
        let words = words.split(" at line ").next().unwrap_or_default();
        return format!(
            "it is not JSON (line {}, column {}: {words})",
            error.line(),
            error.column()
        );
    }
    let what = match text.trim_start().chars().next() {
        Some('{') => return words,
        Some('[') => "a list",
        Some('"') => "a string",
        Some('n') => "`null`",
        Some('t' | 'f') => "a truth value",
        _ => "a number",
    };
    format!("it is {what}, not an object\n  help: certificates are what --certificate writes")
}

impl Opened<'_> {
    /// Has the evidence checked against its source by the checker that it is for.
    pub fn verify(&self, source: &Source, limits: &Limits) -> Verified {
        // A wrong source is recognised by its digest alone, whatever it contains.
        if sha256_hex(source.text.as_bytes()) != self.source.sha256 {
            let all = source.text.len() > source.own_text().len();
            return Verified::Rejected(format!(
                "source: the certificate belongs to another source than {}{} (the digests differ)",
                source.name,
                if all { " with all that it uses" } else { "" }
            ));
        }
        match self.kind {
            Method::Serializability => self.serializability(source, limits),
            Method::Reachability => self.reachability(source, limits),
            Method::Sequentialization => {
                crate::sequentialization::verify(self.evidence, &source.text, limits)
            }
            Method::Invariance => crate::invariance::verify(self.evidence, &source.text, limits),
            Method::Isolation => crate::isolation::verify(self.evidence, source, limits),
            Method::Assertions | Method::Deadlock => {
                crate::serializability::claims::verify(self.evidence, source, limits)
            }
        }
    }

    fn serializability(&self, source: &Source, limits: &Limits) -> Verified {
        let certificate = match serializability::read(self.evidence) {
            Ok(certificate) => certificate,
            Err(error) => return Verified::Unreadable(error.to_string()),
        };
        let name = &source.name;
        if let Some(query) = &certificate.source.query {
            return net(&certificate, source, query, limits);
        }
        let model = match model_for(source, &certificate.scope(), limits) {
            Ok(model) => model,
            Err(ModelError::Source(_)) => {
                return Verified::Unreadable(format!(
                    "the source {name} has errors; see `ser check {name}`"
                ));
            }
            Err(ModelError::Explore(ExploreError::TooManyStates { stop, .. })) => {
                return Verified::Stopped(format!("the source {name}: {stop}"));
            }
            Err(ModelError::Explore(error)) => {
                return Verified::Unreadable(format!("the source {name}: {error}"));
            }
        };
        match check_certificate(&certificate, source.text.as_bytes(), &model, limits) {
            Ok(accepted) if accepted.is_strict() => {
                valid(format!("{accepted}; in real-time order"))
            }
            Ok(accepted) => valid(accepted.to_string()),
            Err(rejection) => rejected(&rejection),
        }
    }

    fn reachability(&self, source: &Source, limits: &Limits) -> Verified {
        // Nets are decided as network systems, and so is their evidence checked.
        if serializability::read(self.evidence).is_ok() {
            return self.serializability(source, limits);
        }
        // What event tracing has no answer for, the method that lists states may have.
        if serde_json::from_str::<ser_serializability_checker::ClaimEvidence>(self.evidence).is_ok()
        {
            return crate::serializability::claims::verify(self.evidence, source, limits);
        }
        let claim: Claim = match serde_json::from_str(self.evidence) {
            Ok(claim) => claim,
            Err(error) => return Verified::Unreadable(error.to_string()),
        };
        claim.verify(source, limits)
    }
}

/// A certificate about a net and the query that it names.
fn net(
    certificate: &serializability::Certificate,
    source: &Source,
    query: &str,
    limits: &Limits,
) -> Verified {
    let net = match NetSource::from_text(&source.name, source.text.clone()) {
        Ok(net) => net,
        Err(error) => {
            let (message, place, _) = error.parts();
            return Verified::Unreadable(format!("the source {place}: {message}"));
        }
    };
    let model = match model_of(&net, query) {
        Ok(model) => model,
        Err(message) => return Verified::Unreadable(message),
    };
    match check_certificate(certificate, source.text.as_bytes(), &model, limits) {
        Ok(Accepted::NotSerializable { strict: true, .. }) => Verified::Rejected(
            "counterexample: real-time order says nothing about a net".to_owned(),
        ),
        Ok(accepted) => {
            let verdict = match accepted {
                Accepted::NotSerializable { .. } => "reachable",
                Accepted::Serializable { .. } => "unreachable",
            };
            valid(format!("{query}: the target is {verdict} (as a system: {accepted})"))
        }
        Err(rejection) => rejected(&rejection),
    }
}

fn valid(words: String) -> Verified {
    Verified::Valid(Valid { words, claims: Vec::new() })
}

fn rejected(rejection: &serializability::Rejection) -> Verified {
    use serializability::Reason;
    match rejection.reason {
        Reason::Stopped(_) | Reason::TooManyEntries { .. } | Reason::TooMuchWork { .. } => {
            Verified::Stopped(rejection.to_string())
        }
        _ => Verified::Rejected(rejection.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ser_report::Kind;

    #[test]
    fn what_is_sealed_can_be_opened() {
        let source = Source::new("a.ser", Kind::Program, "request a { 1 }".to_owned());
        let text = seal(Method::Serializability, &source, "{\"a\": [1]}".to_owned());
        let opened = open(&text).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!((opened.kind, opened.evidence), (Method::Serializability, "{\"a\": [1]}"));
        let other = Source::new("a.ser", Kind::Program, "request a { 2 }".to_owned());
        let verified = opened.verify(&other, &Limits::default());
        assert!(matches!(verified, Verified::Rejected(_)), "{verified:?}");
    }

    #[test]
    fn what_is_no_certificate_is_told_so() {
        for (text, why) in [
            ("hello", "this is not a certificate"),
            ("{}", "its format is not"),
            ("{\"format\": \"ser-certificate\", \"version\": 1}", "version 1"),
            ("{\"format\": \"ser-certificate\", \"version\": 2}", "missing field"),
        ] {
            let error = open(text).err().unwrap_or_default();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
