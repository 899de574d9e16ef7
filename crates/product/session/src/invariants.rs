//! Invariants: from a program for any number of threads to a proof, or to what is in its way.
//!
//! [`prove_source`] walks a text through `ser-invariance-search` and lets the independent checker of `ser-invariance-checker` look at the certificate, whatever it
//! claims: without the checker's word there is no verdict. What comes out is plain data, without the terms and solvers of the search, so that it
//! can travel between threads. [`told`] and its neighbours put it into words.

mod discovery;
pub mod second;
pub mod told;

pub use discovery::Inferred;

use crate::check::checking_limits;
use crate::source::{Kind, Source, SourceError};
use ser_invariance_checker::{Certificate, Claim, FORMAT, Reason as Refused, VERSION};
use ser_invariance_search::answer::{Answer, Effort, Refutation, Verdict, answer};
use ser_invariance_search::conditions::Tactics;
use ser_invariance_search::counter::CounterModel;
use ser_invariance_search::decide::Reason;
use ser_invariance_search::explore::{Explored, StoryStep, story};
use ser_invariance_search::prove::{Judged, Options, Proofs, Safety};
use ser_model::{Limits, Stop};
use ser_syntax::Diagnostic;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{GlobalId, LocId};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use told::Draft;

/// What is wanted.
#[derive(Clone, Debug)]
pub struct Wish {
    /// Which shortcuts are taken.
    pub tactics: Tactics,
    /// Only these invariants and what they need, by name; all if there are none.
    pub only: Vec<String>,
    /// The largest instance that is explored, in threads.
    pub threads: u32,
    /// Whether support is looked for where it is missing.
    pub infer: bool,
}

impl Default for Wish {
    fn default() -> Wish {
        let threads = Effort::default().threads;
        Wish { tactics: Tactics::default(), only: Vec::new(), threads, infer: false }
    }
}

/// What is known about one file.
#[derive(Debug)]
pub struct ProveReport {
    /// How the user calls it.
    pub name: String,
    /// The source, if it could be read. Places in the result are places in [`Checked::source`].
    pub source: Option<Source>,
    /// What is odd about it.
    pub warnings: Vec<Diagnostic>,
    /// How long it took.
    pub time: Duration,
    /// What was found.
    pub result: Proven,
}

/// What was found about a file.
#[derive(Debug)]
pub enum Proven {
    /// An answer whose certificate the checker has accepted (if it has one).
    Answer(Box<Checked>),
    /// The limits came first.
    Stopped(Stop),
    /// There is an answer, but the limits were not enough to check it.
    Unchecked(String),
    /// The checker did not accept the answer, or it contradicts itself. It is therefore withheld.
    Internal(String),
    /// The source is wrong.
    Error(SourceError),
}

/// An answer together with what is needed to tell it.
#[derive(Debug)]
pub struct Checked {
    /// The text that the answer is about: the file, or the file with support that was found.
    pub source: Source,
    /// What it means.
    pub system: System,
    /// The verdict; never [`Verdict::Contradiction`].
    pub verdict: Verdict,
    /// The invariants that were looked at, in the order of the file.
    pub invariants: Vec<Judged>,
    /// That no step is an error.
    pub safety: Safety,
    /// Counter-models of the conditions that fail, in their order.
    pub counter_models: Vec<CounterModel>,
    /// The runs of a refutation, each of which the checker has accepted.
    pub runs: Vec<Shown>,
    /// The instances that were explored.
    pub explored: Vec<Explored>,
    /// Locations that no explored instance reaches, though control can get there.
    pub unreached: Vec<LocId>,
    /// Globals that are threads.
    pub anchors: Vec<GlobalId>,
    /// What shows the verdict: a run if it is refuted, and otherwise a proof of what is proved (if there is something).
    pub certificate: Option<Certificate>,
    /// What the checker says of it.
    pub accepted: Option<ser_invariance_checker::Verdict>,
    /// What the checker says of the proof of what is proved besides, if the certificate is not about that.
    pub besides: Option<ser_invariance_checker::Verdict>,
    /// What became of the search for support, if it was asked for.
    pub inferred: Option<Inferred>,
    /// Drafts of invariants that are missing, by the places of the counter-models that they exclude.
    pub drafts: BTreeMap<usize, Draft>,
}

/// A run that shows what is wrong, step by step.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The run, and what it shows.
    pub refutation: Refutation,
    /// Its steps.
    pub steps: Vec<StoryStep>,
}

impl Checked {
    /// How many invariants are proved.
    pub fn proved(&self) -> usize {
        self.invariants.iter().filter(|it| it.proved).count()
    }

    /// Takes back whatever would need a check: somebody has interrupted it.
    fn withhold(&mut self) {
        self.verdict = Verdict::Unknown(Reason::Stopped(Stop::Cancelled));
        self.invariants.iter_mut().for_each(|it| it.proved = false);
        self.safety.proved = false;
        self.unreached.clear();
        self.certificate = None;
    }

    /// Whether the checker has seen all that the search claims: the verdict, and each invariant that is said to be proved.
    fn fits(&self) -> bool {
        use ser_invariance_checker::Verdict as Shown;
        let shown = || [self.accepted.as_ref(), self.besides.as_ref()].into_iter().flatten();
        let safe = || shown().any(|it| matches!(it, Shown::Proved { safe: true, .. }));
        let holds = |name: &String| {
            shown().any(
                |it| matches!(it, Shown::Proved { invariants, .. } if invariants.contains(name)),
            )
        };
        let proved = self.invariants.iter().filter(|it| it.proved);
        let mut names = proved.map(|it| self.system.invariants.get(it.invariant.0 as usize));
        let claimed = names.all(|it| it.is_some_and(|it| holds(&it.name.text)));
        claimed
            && (!self.safety.proved || safe())
            && match &self.verdict {
                Verdict::Proved => self.proved() == self.invariants.len() && self.safety.proved,
                Verdict::Refuted(_) => shown().any(|it| matches!(it, Shown::Refuted { .. })),
                Verdict::NotInductive | Verdict::Unknown(_) => true,
                Verdict::Contradiction(_) => false,
            }
    }
}

impl ProveReport {
    /// A report without an answer.
    pub fn new(name: &str, source: Option<Source>, result: Proven) -> ProveReport {
        let (name, time) = (name.to_owned(), Duration::ZERO);
        ProveReport { name, source, warnings: Vec::new(), time, result }
    }

    /// How the verdict is called in reports.
    pub fn verdict(&self) -> &'static str {
        match self.exit_code() {
            0 => "proved",
            1 => "refuted",
            2 => "error",
            4 => "not_inductive",
            _ => "unknown",
        }
    }

    /// The exit code.
    pub fn exit_code(&self) -> u8 {
        match &self.result {
            Proven::Answer(checked) => match checked.verdict {
                Verdict::Proved => 0,
                Verdict::Refuted(_) => 1,
                Verdict::NotInductive => 4,
                Verdict::Unknown(_) | Verdict::Contradiction(_) => 3,
            },
            Proven::Stopped(_) | Proven::Unchecked(_) | Proven::Internal(_) => 3,
            Proven::Error(_) => 2,
        }
    }

    /// The answer, if there is one.
    pub fn checked(&self) -> Option<&Checked> {
        match &self.result {
            Proven::Answer(checked) => Some(checked),
            _ => None,
        }
    }

    /// The certificate that the checker has accepted.
    pub fn certificate(&self) -> Option<&Certificate> {
        self.checked()?.certificate.as_ref()
    }
}

/// The exit code over several files: the most serious one, in the order 2, 1, 4, 3, 0.
pub fn most_serious(codes: impl IntoIterator<Item = u8>) -> u8 {
    codes.into_iter().max_by_key(|code| [0, 3, 4, 1, 2][usize::from(*code).min(4)]).unwrap_or(0)
}

/// The system in a source, and what is odd about it.
pub fn system_of(source: &Source) -> Result<(System, Vec<Diagnostic>), SourceError> {
    let unreadable = |message: &str, help: &str| Err(SourceError::unreadable(message, help));
    match source.kind {
        Kind::Invariants | Kind::Net => {}
        Kind::Program => {
            return unreadable(
                "these are request handlers, and `ser prove` reads threads with invariants (.inv)",
                "`ser check` tells whether they are serializable",
            );
        }
        Kind::System => {
            return unreadable(
                "this is a network system, and `ser prove` reads threads with invariants (.inv)",
                "`ser check` tells whether it is serializable",
            );
        }
        Kind::Processes | Kind::Unwinding => {
            return unreadable(
                "`ser prove` reads threads with invariants (.inv)",
                "`ser trace` tells what this file can reach",
            );
        }
        Kind::Protocol => {
            return unreadable(
                "these are processes that send messages, and `ser prove` reads threads with invariants (.inv)",
                "`ser sequentialize` looks at them",
            );
        }
    }
    let parse = ser_editing::inv::parse(&source.text);
    if parse.has_errors() {
        return Err(SourceError::Diagnostics(parse.diagnostics));
    }
    Ok((parse.system, parse.diagnostics))
}

/// Answers what is known about the invariants in a source.
pub fn prove_source(source: &Source, wish: &Wish, limits: &Limits) -> ProveReport {
    let start = Instant::now();
    let failed = |error| ProveReport::new(&source.name, Some(source.clone()), Proven::Error(error));
    let (system, warnings) = match system_of(source) {
        Ok(both) => both,
        Err(error) => return failed(error),
    };
    if let Err((message, help)) = known(&system, &wish.only) {
        return failed(SourceError::Unreadable { message, help: Some(help) });
    }
    let result = match wish.infer {
        true => discovery::proved_with_support(source, system, wish, limits),
        false => proved(source, system, wish, &effort(wish), limits, None),
    };
    let (mut warnings, mut result) = (warnings, result);
    if let Proven::Answer(checked) = &mut result {
        checked.drafts = told::drafts(checked, limits);
        // That no step is an error is something to prove.
        if !checked.safety.conditions.is_empty() {
            warnings.retain(|it| it.code != "no-invariants");
        }
        if checked.source.text == source.text {
            warnings.extend(told::unreached(checked));
        }
    }
    let (name, time) = (source.name.clone(), start.elapsed());
    ProveReport { name, source: Some(source.clone()), warnings, time, result }
}

fn effort(wish: &Wish) -> Effort {
    Effort { threads: wish.threads, ..Effort::default() }
}

/// Whether there are invariants of these names; or what is wrong, and what to do.
fn known(system: &System, only: &[String]) -> Result<(), (String, String)> {
    let names: Vec<&str> = system.invariants.iter().map(|it| it.name.text.as_str()).collect();
    let Some(unknown) = only.iter().find(|it| !names.contains(&it.as_str())) else {
        return Ok(());
    };
    let help = match names.as_slice() {
        [] => "this file has no invariants".to_owned(),
        names => format!("its invariants are {}", names.join(", ")),
    };
    Err((format!("--only: there is no invariant `{}` in this file", unknown.escape_debug()), help))
}

/// Proves what can be proved, and lets the checker look at it.
fn proved(
    source: &Source,
    system: System,
    wish: &Wish,
    effort: &Effort,
    limits: &Limits,
    inferred: Option<Inferred>,
) -> Proven {
    let options = Options { tactics: wish.tactics, only: wish.only.clone() };
    let Answer { proofs, counter_models, verdict, explored, unreached, certificate, besides } =
        answer(&source.text, &system, &options, effort, limits);
    let Proofs { invariants, safety, conditions } = proofs;
    let anchors = conditions.anchors.clone();
    drop(conditions);
    if let Verdict::Contradiction(invariant) = verdict {
        let name = system.invariants.get(invariant.0 as usize).map(|it| it.name.text.as_str());
        return Proven::Internal(format!(
            "`{}` was proved, but a small instance violates it",
            name.unwrap_or("an invariant")
        ));
    }
    let limits = checking_limits(limits);
    let mut checked = Checked {
        source: source.clone(),
        system,
        verdict,
        invariants,
        safety,
        counter_models,
        runs: Vec::new(),
        explored,
        unreached,
        anchors,
        certificate,
        accepted: None,
        besides: None,
        inferred,
        drafts: BTreeMap::new(),
    };
    let check = |it: &Option<Certificate>| {
        it.as_ref().map(|it| ser_invariance_checker::check(it, &limits)).transpose()
    };
    match check(&checked.certificate).and_then(|it| Ok((it, check(&besides)?))) {
        Ok(both) => (checked.accepted, checked.besides) = both,
        Err(rejection) if matches!(*rejection.reason, Refused::Stopped(Stop::Cancelled)) => {
            checked.withhold();
            return Proven::Answer(Box::new(checked));
        }
        Err(rejection) => return rejected(&rejection),
    }
    if !checked.fits() {
        return Proven::Internal("the certificate shows something else".to_owned());
    }
    if let Verdict::Refuted(all) = &checked.verdict {
        match runs(source, &checked.system, all, &limits) {
            Ok(runs) => checked.runs = runs,
            Err(other) => return *other,
        }
    }
    Proven::Answer(Box::new(checked))
}

fn rejected(rejection: &ser_invariance_checker::Rejection) -> Proven {
    match *rejection.reason {
        Refused::Stopped(Stop::Cancelled) => Proven::Stopped(Stop::Cancelled),
        Refused::Stopped(_)
        | Refused::Size { .. }
        | Refused::Overflow
        | Refused::TermDepth { .. } => Proven::Unchecked(rejection.to_string()),
        _ => Proven::Internal(rejection.to_string()),
    }
}

/// The runs step by step. Each of them is checked, not only the one in the certificate.
fn runs(
    source: &Source,
    system: &System,
    all: &[Refutation],
    limits: &Limits,
) -> Result<Vec<Shown>, Box<Proven>> {
    let mut runs = Vec::new();
    for refutation in all {
        let certificate = Certificate {
            format: FORMAT.to_owned(),
            version: VERSION,
            source: source.text.clone(),
            claim: Claim::Refuted(refutation.run.clone()),
        };
        if let Err(rejection) = ser_invariance_checker::check(&certificate, limits) {
            return Err(Box::new(rejected(&rejection)));
        }
        let steps = story(system, &refutation.run)
            .map_err(|error| Box::new(Proven::Internal(error.to_string())))?;
        runs.push(Shown { refutation: refutation.clone(), steps });
    }
    Ok(runs)
}

/// Why something was not found out, and what to do.
pub fn unknown_words(reason: &Reason) -> (String, String) {
    let (words, help) = match reason {
        Reason::Stopped(stop) => {
            let help = match stop {
                Stop::Memory { .. } => "raise --memory",
                Stop::Cancelled => "let it run to its end, or bound it with --timeout",
                _ => "raise --timeout",
            };
            return (stop.to_string(), help.to_owned());
        }
        Reason::Rounds => (
            "the solver gave up on a condition after many rounds",
            "say in the proof which support the condition needs: fewer invariants make it easier",
        ),
        Reason::Arithmetic => (
            "the arithmetic of a condition has numbers that are too large",
            "use smaller constants",
        ),
        Reason::Paths => (
            "a step has more than 4096 ways through its `if`s",
            "put some of them into statements of their own",
        ),
        Reason::Cases => (
            "a condition would be about too many threads at once",
            "use fewer parameters, or fewer global variables as an index",
        ),
        Reason::NoStart => (
            "there is no state in which the program can start, so everything would hold",
            "look at the initial values and at `assume`",
        ),
        Reason::NoModel => (
            "a condition does not follow by the laws that ser knows, but no state was found that shows it",
            "add an invariant that makes the step easier to see, or say in the proof which support it needs",
        ),
    };
    (words.to_owned(), help.to_owned())
}

#[cfg(test)]
mod tests {
    use super::most_serious;

    #[test]
    fn the_most_serious_code_wins() {
        assert_eq!(most_serious([0, 3, 4, 1, 2]), 2);
        assert_eq!(most_serious([0, 3, 4, 1]), 1);
        assert_eq!(most_serious([0, 3, 4]), 4);
        assert_eq!(most_serious([3, 0]), 3);
        assert_eq!(most_serious([]), 0);
    }
}
