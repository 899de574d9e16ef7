//! One call from a network system to an answer.

use crate::{Progress, Refutation, RefuteOptions, Refuted, Searched, refute};
use ser_model::{Limits, NetworkSystem};
use ser_net::{Net, Reduction, Reductions, SerialAutomaton, normal_form, reduce};

/// How to decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Which reductions to use.
    pub reductions: Reductions,
    /// How much the refuter may do.
    pub refute: RefuteOptions,
}

/// Sizes of what was looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sizes {
    /// Places and transitions of the net before reductions.
    pub before: (usize, usize),
    /// Places and transitions of the reduced net.
    pub after: (usize, usize),
}

/// Nothing can interleave.
#[derive(Clone, Debug)]
pub struct AtomicProof {
    /// How the net was reduced.
    pub reductions: Vec<Reduction>,
    /// The reduced net: no request is ever in flight between two steps.
    pub net: Net,
}

/// No answer, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// How far the refuter got.
    pub searched: Searched,
}

/// The engine's answer.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A run that no serial run explains.
    NotSerializable(Box<Refutation>),
    /// A proof.
    Serializable(Box<AtomicProof>),
    /// Neither.
    Unknown(Box<Unknown>),
}

/// Decides whether a network system is serializable, within limits.
///
/// ```
/// use ser_engine::{Answer, Options, decide};
/// use ser_model::{Limits, ProgramModel};
///
/// let text = "request main { X := 1; yield; y := X; X := 0; y }";
/// let model = ProgramModel::new(&ser_lang::parse(text).program, text, &Limits::default()).unwrap();
/// let (answer, _) = decide(model.system(), &Options::default(), &Limits::default(), &|_| {});
/// let Answer::NotSerializable(found) = answer else { panic!("{answer:?}") };
/// assert_eq!(found.requests, 2);
/// ```
pub fn decide(
    system: &NetworkSystem,
    options: &Options,
    limits: &Limits,
    progress: &dyn Fn(Progress),
) -> (Answer, Sizes) {
    progress(Progress::Reducing);
    let raw = normal_form(system);
    let reduced = reduce(&raw, options.reductions);
    let sizes = Sizes {
        before: (raw.places.len(), raw.transitions.len()),
        after: (reduced.net.places.len(), reduced.net.transitions.len()),
    };
    if reduced.net.is_atomic() {
        let proof = AtomicProof { reductions: reduced.applied, net: reduced.net };
        return (Answer::Serializable(Box::new(proof)), sizes);
    }
    let automaton = SerialAutomaton::new(system);
    let answer = match refute(system, &reduced.net, &automaton, &options.refute, limits, progress) {
        Refuted::Yes(refutation) => Answer::NotSerializable(refutation),
        Refuted::No(searched) => Answer::Unknown(Box::new(Unknown { searched })),
    };
    (answer, sizes)
}
