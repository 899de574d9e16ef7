//! Certificates as text: JSON, one event, triple or case on a line.

use crate::format::{
    Alike, Arithmetic, BeginToWait, Certificate, Component, Count, Counterexample, Defer,
    FinalCase, Inclusion, Label, Move, PlaceName, Promise, Proof, Reader, Reduction, RuleProof,
    RuleReduction, Slice, SliceProof, Source, StandIn, SymbolicFact, SymbolicProof, TransitionName,
    Triple, Verdict,
};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};
use std::io;

/// The longest certificate that is read, in bytes.
pub const MAX_TEXT_BYTES: usize = 64 << 20;

const FORMAT: &str = "ser-certificate";
const VERSION: u64 = 1;

/// Why a text is not a certificate that can be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReadError {
    /// The text is too long.
    #[error("the certificate has {bytes} bytes; the limit is {MAX_TEXT_BYTES}")]
    TooLarge { bytes: usize },
    /// Not JSON, or JSON of another shape.
    #[error("line {line}, column {column}: {message}")]
    Syntax { line: usize, column: usize, message: String },
    /// A field at the top has a wrong value.
    #[error("{field}: {message}")]
    Field { field: &'static str, message: String },
}

impl ReadError {
    fn field(field: &'static str, message: impl Into<String>) -> ReadError {
        let message = message.into();
        ReadError::Field { field, message }
    }

    fn other_method(reduction: &str) -> ReadError {
        let message = format!("this method has no reduction `{reduction}`");
        ReadError::field("proof.reductions", message)
    }
}

impl From<serde_json::Error> for ReadError {
    fn from(error: serde_json::Error) -> ReadError {
        let message = error.to_string();
        let end = message.rfind(" at line ").unwrap_or(message.len());
        ReadError::Syntax {
            line: error.line(),
            column: error.column(),
            message: message.get(..end).unwrap_or_default().to_owned(),
        }
    }
}

/// What every version of the format has.
#[derive(Deserialize)]
struct Header {
    format: Option<Value>,
    version: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    #[serde(rename = "format")]
    _format: String,
    #[serde(rename = "version")]
    _version: u64,
    source: Source,
    verdict: String,
    counterexample: Option<Counterexample>,
    proof: Option<ProofFields>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProofFields {
    method: String,
    #[serde(default)]
    reductions: Vec<AnyReduction>,
    labels: Option<Vec<Label>>,
    promises: Option<Vec<Promise>>,
    stand_ins: Option<Vec<StandIn>>,
    invariant: Option<Vec<Triple>>,
    transitions: Option<Vec<TransitionName>>,
    components: Option<Vec<Component>>,
    cases: Option<Vec<FinalCase>>,
    opaque: Option<Vec<String>>,
    after: Option<Vec<PlaceName>>,
    readers: Option<Vec<Reader>>,
    falling: Option<Vec<String>>,
    waiting_counts: Option<Vec<Count>>,
    waiting: Option<Vec<SymbolicFact>>,
    defer: Option<Vec<Defer>>,
    begin: Option<Vec<BeginToWait>>,
    counts: Option<Vec<Count>>,
    facts: Option<Vec<SymbolicFact>>,
    slices: Option<Vec<SliceFields>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SliceFields {
    requests: Vec<String>,
    #[serde(default)]
    dropped: Vec<String>,
    proof: ProofFields,
}

impl TryFrom<SliceFields> for SliceProof {
    type Error = ReadError;

    fn try_from(fields: SliceFields) -> Result<SliceProof, ReadError> {
        if fields.proof.method == "slices" {
            let message = "a slice has no slices";
            return Err(ReadError::field("proof.slices.proof.method", message));
        }
        let slice = Slice { requests: fields.requests, dropped: fields.dropped };
        Ok(SliceProof { slice, proof: fields.proof.try_into()? })
    }
}

/// A reduction of nets or of rules: which of the two, the method says.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum AnyReduction {
    Slice,
    #[serde(rename = "idle")]
    Stuttering,
    Merge(Vec<Vec<PlaceName>>),
    Exclude,
    Prophecy,
    Facts(Vec<Count>),
    Move(Move),
    Defer(Defer),
    Alike(Alike),
}

impl TryFrom<AnyReduction> for Reduction {
    type Error = ReadError;

    fn try_from(reduction: AnyReduction) -> Result<Reduction, ReadError> {
        match reduction {
            AnyReduction::Slice => Ok(Reduction::Slice),
            AnyReduction::Stuttering => Ok(Reduction::Stuttering),
            AnyReduction::Merge(groups) => Ok(Reduction::Merge(groups)),
            AnyReduction::Exclude => Ok(Reduction::Exclude),
            AnyReduction::Prophecy => Ok(Reduction::Prophecy),
            AnyReduction::Move(entry) => Ok(Reduction::Move(entry)),
            AnyReduction::Defer(entry) => Ok(Reduction::Defer(entry)),
            AnyReduction::Alike(entry) => Ok(Reduction::Alike(entry)),
            AnyReduction::Facts(_) => Err(ReadError::other_method("facts")),
        }
    }
}

impl TryFrom<AnyReduction> for RuleReduction {
    type Error = ReadError;

    fn try_from(reduction: AnyReduction) -> Result<RuleReduction, ReadError> {
        match reduction {
            AnyReduction::Facts(counts) => Ok(RuleReduction::Facts(counts)),
            AnyReduction::Stuttering => Ok(RuleReduction::Stuttering),
            AnyReduction::Move(_) => Err(ReadError::other_method("move")),
            AnyReduction::Defer(entry) => Ok(RuleReduction::Defer(entry)),
            AnyReduction::Alike(_) => Err(ReadError::other_method("alike")),
            AnyReduction::Slice => Err(ReadError::other_method("slice")),
            AnyReduction::Merge(_) => Err(ReadError::other_method("merge")),
            AnyReduction::Exclude => Err(ReadError::other_method("exclude")),
            AnyReduction::Prophecy => Err(ReadError::other_method("prophecy")),
        }
    }
}

/// Reads a certificate. This checks its shape only; see [`check`](crate::check).
///
/// ```
/// let error = ser_serializability_checker::read("{\"format\": \"ser-certificate\", \"version\": 7}").unwrap_err();
/// assert_eq!(error.to_string(), "version: this is version 7 of the format; version 1 is read here");
/// ```
pub fn read(text: &str) -> Result<Certificate, ReadError> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(ReadError::TooLarge { bytes: text.len() });
    }
    check_header(&serde_json::from_str(text)?)?;
    let fields: Fields = serde_json::from_str(text)?;
    let verdict = match (fields.verdict.as_str(), fields.counterexample, fields.proof) {
        ("not_serializable", Some(counterexample), None) => {
            Verdict::NotSerializable(counterexample)
        }
        ("serializable", None, Some(proof)) => Verdict::Serializable(proof.try_into()?),
        ("not_serializable", _, _) => {
            let message = "`not_serializable` needs a `counterexample` and no `proof`";
            return Err(ReadError::field("verdict", message));
        }
        ("serializable", _, _) => {
            let message = "`serializable` needs a `proof` and no `counterexample`";
            return Err(ReadError::field("verdict", message));
        }
        (other, _, _) => {
            let message = format!("`{other}` is neither `serializable` nor `not_serializable`");
            return Err(ReadError::field("verdict", message));
        }
    };
    let source = fields.source;
    Ok(Certificate { source, verdict })
}

fn check_header(header: &Header) -> Result<(), ReadError> {
    match &header.format {
        Some(Value::String(format)) if format == FORMAT => {}
        Some(other) => {
            let message = format!("expected \"{FORMAT}\", found {other}");
            return Err(ReadError::field("format", message));
        }
        None => return Err(ReadError::field("format", "this field is missing")),
    }
    match &header.version {
        Some(version) if version.as_u64() == Some(VERSION) => Ok(()),
        Some(other) => {
            let message =
                format!("this is version {other} of the format; version {VERSION} is read here");
            Err(ReadError::field("version", message))
        }
        None => Err(ReadError::field("version", "this field is missing")),
    }
}

impl TryFrom<ProofFields> for Proof {
    type Error = ReadError;

    fn try_from(fields: ProofFields) -> Result<Proof, ReadError> {
        let of_one_method = [
            ("proof.labels", fields.labels.is_some(), "inclusion"),
            ("proof.promises", fields.promises.is_some(), "inclusion"),
            ("proof.stand_ins", fields.stand_ins.is_some(), "inclusion"),
            ("proof.invariant", fields.invariant.is_some(), "inclusion"),
            ("proof.transitions", fields.transitions.is_some(), "arithmetic"),
            ("proof.components", fields.components.is_some(), "arithmetic"),
            ("proof.cases", fields.cases.is_some(), "arithmetic"),
            ("proof.opaque", fields.opaque.is_some(), "rules"),
            ("proof.readers", fields.readers.is_some(), "rules"),
            ("proof.falling", fields.falling.is_some(), "rules"),
            ("proof.waiting_counts", fields.waiting_counts.is_some(), "symbolic"),
            ("proof.waiting", fields.waiting.is_some(), "symbolic"),
            ("proof.defer", fields.defer.is_some(), "symbolic"),
            ("proof.begin", fields.begin.is_some(), "symbolic"),
            ("proof.counts", fields.counts.is_some(), "symbolic"),
            ("proof.facts", fields.facts.is_some(), "symbolic"),
            ("proof.slices", fields.slices.is_some(), "slices"),
        ];
        let method = fields.method.as_str();
        let methods = ["rules", "symbolic", "inclusion", "arithmetic", "no_yield", "slices"];
        if !methods.contains(&method) {
            let message = format!("there is no method `{method}`");
            return Err(ReadError::field("proof.method", message));
        }
        let foreign = of_one_method.iter().find(|(_, there, of)| *there && *of != method);
        if let Some((field, ..)) = foreign {
            return Err(ReadError::field(field, "this method has no such field"));
        }
        if fields.after.is_some() && !["rules", "symbolic"].contains(&method) {
            return Err(ReadError::field("proof.after", "this method has no such field"));
        }
        let all = fields.reductions.into_iter();
        Ok(match method {
            "symbolic" | "no_yield" | "slices" if all.len() > 0 => {
                let message = "this method has no reductions";
                return Err(ReadError::field("proof.reductions", message));
            }
            "no_yield" => Proof::NoYield,
            "symbolic" => Proof::Symbolic(SymbolicProof {
                waiting_counts: fields.waiting_counts.unwrap_or_default(),
                waiting: fields.waiting.unwrap_or_default(),
                defer: fields.defer.unwrap_or_default(),
                begin: fields.begin.unwrap_or_default(),
                counts: fields.counts.unwrap_or_default(),
                facts: fields.facts.unwrap_or_default(),
                after: present("proof.after", fields.after)?,
            }),
            "slices" => {
                let slices = present("proof.slices", fields.slices)?.into_iter();
                Proof::Slices(slices.map(SliceProof::try_from).collect::<Result<_, _>>()?)
            }
            "rules" => Proof::Rules(RuleProof {
                opaque: fields.opaque.unwrap_or_default(),
                reductions: all.map(RuleReduction::try_from).collect::<Result<_, _>>()?,
                after: present("proof.after", fields.after)?,
                readers: fields.readers.unwrap_or_default(),
                falling: fields.falling.unwrap_or_default(),
            }),
            "inclusion" => Proof::Inclusion(Inclusion {
                reductions: all.map(Reduction::try_from).collect::<Result<_, _>>()?,
                labels: fields.labels.unwrap_or_default(),
                promises: fields.promises.unwrap_or_default(),
                stand_ins: fields.stand_ins.unwrap_or_default(),
                invariant: present("proof.invariant", fields.invariant)?,
            }),
            _ => Proof::Arithmetic(Arithmetic {
                reductions: all.map(Reduction::try_from).collect::<Result<_, _>>()?,
                transitions: present("proof.transitions", fields.transitions)?,
                components: present("proof.components", fields.components)?,
                cases: present("proof.cases", fields.cases)?,
            }),
        })
    }
}

fn present<T>(field: &'static str, value: Option<T>) -> Result<T, ReadError> {
    value.ok_or_else(|| ReadError::field(field, "this field is missing"))
}

/// As in its text: for envelopes in which certificates travel.
impl Serialize for Certificate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value: Value = serde_json::from_str(&self.to_text()).map_err(S::Error::custom)?;
        value.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Certificate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Certificate, D::Error> {
        let value = Value::deserialize(deserializer)?;
        read(&value.to_string()).map_err(D::Error::custom)
    }
}

impl Certificate {
    /// The certificate as text. The same certificate gives the same text, and
    /// [`read`] gives the certificate back.
    pub fn to_text(&self) -> String {
        let (verdict, argument) = match &self.verdict {
            Verdict::NotSerializable(counterexample) => ("not_serializable", {
                let mut parts = vec![list("outcome", &counterexample.outcome)];
                if counterexample.strict {
                    parts.push("    \"strict\": true".to_owned());
                }
                if counterexample.along {
                    parts.push("    \"along\": true".to_owned());
                }
                if let Some(part) = &counterexample.part {
                    parts.push(format!("    \"part\": {}", line(part)));
                }
                if let Some(slice) = &counterexample.slice {
                    parts.push(format!("    \"slice\": {}", line(slice)));
                }
                parts.push(list("run", &counterexample.run));
                format!("  \"counterexample\": {{\n{}\n  }}", parts.join(",\n"))
            }),
            Verdict::Serializable(proof) => {
                ("serializable", format!("  \"proof\": {}", argument(proof)))
            }
        };
        let source = line(&self.source);
        format!(
            "{{\n  \"format\": \"{FORMAT}\",\n  \"version\": {VERSION},\n  \"source\": {source},\n  \
             \"verdict\": \"{verdict}\",\n{argument}\n}}\n"
        )
    }
}

/// A proof, as it stands at the top of a certificate.
fn argument(proof: &Proof) -> String {
    let method = |name: &str| format!("    \"method\": \"{name}\"");
    let parts = match proof {
        Proof::NoYield => return "{\"method\": \"no_yield\"}".to_owned(),
        Proof::Inclusion(inclusion) => {
            let mut parts = vec![method("inclusion")];
            if !inclusion.reductions.is_empty() {
                parts.push(list("reductions", &inclusion.reductions));
            }
            if !inclusion.labels.is_empty() {
                parts.push(list("labels", &inclusion.labels));
            }
            if !inclusion.promises.is_empty() {
                parts.push(list("promises", &inclusion.promises));
            }
            if !inclusion.stand_ins.is_empty() {
                parts.push(list("stand_ins", &inclusion.stand_ins));
            }
            parts.push(list("invariant", &inclusion.invariant));
            parts
        }
        Proof::Rules(rules) => {
            let mut parts = vec![method("rules")];
            if !rules.opaque.is_empty() {
                parts.push(format!("    \"opaque\": {}", line(&rules.opaque)));
            }
            parts.push(list("reductions", &rules.reductions));
            parts.push(list("after", &rules.after));
            if !rules.readers.is_empty() {
                parts.push(list("readers", &rules.readers));
            }
            if !rules.falling.is_empty() {
                parts.push(format!("    \"falling\": {}", line(&rules.falling)));
            }
            parts
        }
        Proof::Symbolic(symbolic) => {
            let mut parts = vec![method("symbolic")];
            if !symbolic.waiting_counts.is_empty() {
                parts.push(list("waiting_counts", &symbolic.waiting_counts));
            }
            if !symbolic.waiting.is_empty() {
                parts.push(list("waiting", &symbolic.waiting));
            }
            if !symbolic.defer.is_empty() {
                parts.push(list("defer", &symbolic.defer));
            }
            if !symbolic.begin.is_empty() {
                parts.push(list("begin", &symbolic.begin));
            }
            if !symbolic.counts.is_empty() {
                parts.push(list("counts", &symbolic.counts));
            }
            if !symbolic.facts.is_empty() {
                parts.push(list("facts", &symbolic.facts));
            }
            parts.push(list("after", &symbolic.after));
            parts
        }
        Proof::Arithmetic(arithmetic) => {
            let mut parts = vec![method("arithmetic")];
            if !arithmetic.reductions.is_empty() {
                parts.push(list("reductions", &arithmetic.reductions));
            }
            parts.push(list("transitions", &arithmetic.transitions));
            parts.push(list("components", &arithmetic.components));
            parts.push(list("cases", &arithmetic.cases));
            parts
        }
        Proof::Slices(slices) => {
            let slice = |it: &SliceProof| {
                let slice = line(&it.slice);
                let fields = slice.strip_suffix('}').unwrap_or_default();
                // No string of JSON has a line end in it.
                let proof = argument(&it.proof).replace('\n', "\n    ");
                format!("      {fields}, \"proof\": {proof}}}")
            };
            let slices: Vec<String> = slices.iter().map(slice).collect();
            vec![method("slices"), format!("    \"slices\": [\n{}\n    ]", slices.join(",\n"))]
        }
    };
    format!("{{\n{}\n  }}", parts.join(",\n"))
}

/// A field of a verdict's argument whose value is a list, one entry on a line.
fn list<T: Serialize>(name: &str, entries: &[T]) -> String {
    if entries.is_empty() {
        return format!("    \"{name}\": []");
    }
    let lines: Vec<String> = entries.iter().map(|entry| format!("      {}", line(entry))).collect();
    format!("    \"{name}\": [\n{}\n    ]", lines.join(",\n"))
}

/// A value on one line, with a space after each comma and colon.
fn line<T: Serialize>(value: &T) -> String {
    struct Spaced;
    impl Formatter for Spaced {
        fn begin_array_value<W: ?Sized + io::Write>(
            &mut self,
            writer: &mut W,
            first: bool,
        ) -> io::Result<()> {
            writer.write_all(if first { b"" } else { b", " })
        }
        fn begin_object_key<W: ?Sized + io::Write>(
            &mut self,
            writer: &mut W,
            first: bool,
        ) -> io::Result<()> {
            writer.write_all(if first { b"" } else { b", " })
        }
        fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
            writer.write_all(b": ")
        }
    }
    let mut bytes = Vec::new();
    value
        .serialize(&mut Serializer::with_formatter(&mut bytes, Spaced))
        .expect("strings, numbers and lists of them always have a JSON text");
    String::from_utf8(bytes).expect("JSON is UTF-8")
}
