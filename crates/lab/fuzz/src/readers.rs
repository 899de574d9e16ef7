//! What must hold of every reader, whatever it is given.
//!
//! One function for each door through which text comes in. Each takes any bytes, reads them, and
//! panics if a property of the reader does not hold: that it never panics itself, that places in
//! messages lie inside the text, that what is written can be read again and is the same, that no
//! certificate is accepted whose verdict is false.
//!
//! Coverage-guided fuzzing looks for bytes that break a property (`fuzz/`), and `tests/corpus.rs`
//! tries all bytes that it has found interesting so far.

mod certificates;
mod events;
mod languages;
mod nets;
mod queries;
mod sources;
mod system;
mod texts;

pub use certificates::{certificate, derivation, invariance};
pub use events::{processes, unwinding};
pub use languages::{invariants, program, protocol};
pub use nets::{net, pnml};
pub use queries::properties;
pub use sources::{
    INVARIANT_SOURCES, InvariantSource, PROTOCOL_SOURCES, ProtocolSource, SOURCES, Source,
};
pub use system::system;

/// Panics if these bytes show that something is wrong with a reader.
pub type Property = fn(&[u8]);

/// All readers with their names, which are those of the fuzz targets and of their corpora.
pub const READERS: [(&str, Property); 12] = [
    ("program", program),
    ("system", system),
    ("certificate", certificate),
    ("net", net),
    ("pnml", pnml),
    ("properties", properties),
    ("processes", processes),
    ("unwinding", unwinding),
    ("protocol", protocol),
    ("derivation", derivation),
    ("invariants", invariants),
    ("invariance", invariance),
];

/// The bytes as text. What is not UTF-8 never reaches a reader.
fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}
