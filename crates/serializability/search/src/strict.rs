//! Strict serializability of a network system: serial runs that keep the order of requests that do
//! not overlap.
//!
//! Proofs by reductions keep it, and so do invariants that explain responses in the order in which
//! they are given, or could. What is not serializable at all is not strictly so, and for the rest
//! there is a search of its own.

use crate::refute::refute_strictly;
use crate::{
    Answer, InclusionOptions, Methods, Options, Progress, RefuteOptions, Refuted, SearchStop,
    Sizes, Unknown, certify, decide,
};
use ser_base::{Limits, Stop};
use ser_model::NetworkSystem;
use ser_net::{SerialAutomaton, normal_form, reduce};
use ser_serializability_checker::check;

/// How many states the first searches may visit, with and without an eye on the order.
const FIRST_SEARCH: usize = 5_000;
const FIRST_STRICT_SEARCH: usize = 20_000;

/// How many small steps usual proofs by inclusion may take, which keep the order only perhaps.
const USUAL_STEPS: u64 = 100_000_000;

/// How many small steps proofs by inclusion in order may take, and how many states the search for
/// runs out of order may visit afterwards.
const INCLUSION_STEPS: u64 = 500_000_000;
const STRICT_SEARCH: usize = 300_000;

/// Decides whether a network system is strictly serializable, within limits.
///
/// ```
/// use ser_serializability_search::{Answer, Options, decide_strictly};
/// use ser_base::Limits;
/// use ser_model::ProgramModel;
///
/// // Without a `yield`, each request takes effect between its arrival and its response.
/// let text = "request write { X := 1; 0 } request read { x := C; C := X; x }";
/// let model = ProgramModel::new(&ser_syntax::parse(text).program, text, &Limits::default()).unwrap();
/// let answer = decide_strictly(model.system(), &Options::default(), &Limits::default(), &|_| {}).0;
/// assert!(matches!(answer, Answer::Serializable(_)));
/// ```
pub fn decide_strictly(
    system: &NetworkSystem,
    options: &Options,
    limits: &Limits,
    progress: &dyn Fn(Progress),
) -> (Answer, Sizes) {
    let task = Task { system, options, limits, progress };
    let Methods { refute, atomic, inclusion, .. } = options.methods;
    let none = Methods { refute: false, atomic: false, inclusion: false, arithmetic: false };
    let (answer, sizes) = task.decide(Methods { refute, atomic, ..none }, FIRST_SEARCH, limits);
    let Answer::Unknown(mut unknown) = answer else { return (answer, sizes) };
    // How far a search got that has no eye on the order says nothing about it.
    unknown.searched = None;
    let found = task.search(FIRST_STRICT_SEARCH, &mut unknown);
    let found = found.or_else(|| if inclusion { task.usual_proof() } else { None }).or_else(|| {
        let share = limits.share(INCLUSION_STEPS);
        let (answer, _) = task.decide(Methods { inclusion, ..none }, 0, &share);
        task.noted(answer, &mut unknown)
    });
    let found = found.or_else(|| task.search(STRICT_SEARCH, &mut unknown)).or_else(|| {
        let searched = unknown.searched.clone();
        let (answer, _) = task.decide(Methods { refute, ..none }, usize::MAX, limits);
        let found = task.noted(answer, &mut unknown);
        unknown.searched = searched;
        found
    });
    (found.unwrap_or(Answer::Unknown(unknown)), sizes)
}

struct Task<'a> {
    system: &'a NetworkSystem,
    options: &'a Options,
    limits: &'a Limits,
    progress: &'a dyn Fn(Progress),
}

impl Task<'_> {
    /// Decides as usual, except that responses are explained when they are given, never earlier or
    /// later.
    fn decide(&self, methods: Methods, states: usize, limits: &Limits) -> (Answer, Sizes) {
        let Options { inclusion, refute, .. } = *self.options;
        let inclusion = InclusionOptions { labels: inclusion.labels, ..InclusionOptions::NONE };
        let refute = RefuteOptions { max_states: states.min(refute.max_states), ..refute };
        let options = Options { methods, inclusion, refute, ..*self.options };
        decide(self.system, &options, limits, self.progress)
    }

    /// A proof by inclusion as it is usually looked for, if it keeps the order all the same: an
    /// invariant may promise responses early although it need not (see `real_time` of the checker,
    /// which decides it).
    fn usual_proof(&self) -> Option<Answer> {
        let none = Methods { refute: false, atomic: false, inclusion: false, arithmetic: false };
        let inclusion = InclusionOptions { last: false, ..self.options.inclusion };
        let methods = Methods { inclusion: true, ..none };
        let options = Options { methods, inclusion, ..*self.options };
        let share = self.limits.share(USUAL_STEPS);
        let (answer, _) = decide(self.system, &options, &share, self.progress);
        let certificate = certify(&answer, self.system, "", &[])?;
        let accepted = check(&certificate, &[], self.system, self.limits).ok()?;
        accepted.is_strict().then_some(answer)
    }

    /// An answer; if there is none, notes what was tried.
    fn noted(&self, answer: Answer, unknown: &mut Unknown) -> Option<Answer> {
        let Answer::Unknown(more) = answer else { return Some(answer) };
        unknown.tried.extend(more.tried);
        unknown.stop = unknown.stop.take().or(more.stop.filter(|stop| *stop != Stop::Share));
        unknown.searched = more.searched.or(unknown.searched.take());
        None
    }

    /// Looks for a run out of order.
    fn search(&self, states: usize, unknown: &mut Unknown) -> Option<Answer> {
        if !self.options.methods.refute || unknown.stop.is_some() {
            return None;
        }
        let most = states.min(self.options.refute.max_states);
        let options = RefuteOptions { max_states: most, ..self.options.refute };
        let Task { system, limits, progress, .. } = *self;
        let grounds = normal_form(system, limits)
            .and_then(|net| Ok((net, SerialAutomaton::new(system, limits)?)));
        let (net, automaton) = match grounds {
            Ok(grounds) => grounds,
            Err(stop) => {
                unknown.stop = Some(stop);
                return None;
            }
        };
        let net = reduce(&net, self.options.reductions.step_by_step(), limits).net;
        match refute_strictly(system, (&net, &automaton), &options, limits, progress) {
            Refuted::Yes(found) => Some(Answer::NotSerializable(found)),
            Refuted::No(searched) => {
                if let SearchStop::Limit(stop) = &searched.stopped {
                    unknown.stop = Some(stop.clone());
                }
                unknown.searched = Some(searched);
                None
            }
        }
    }
}
