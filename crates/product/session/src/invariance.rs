//! Invariance: from a program for any number of threads to a proof of its invariants, or to what is
//! in its way.
//!
//! [`Invariance`] walks a text through `ser-invariance-search` and lets the independent checker
//! look at the certificate, whatever it claims: without the checker's word there is no verdict.
//! What comes out is plain data, without the terms and solvers of the search. `tell` makes the
//! report.

mod breach;
mod cast;
mod counted;
mod counting;
mod discovery;
mod draft;
mod graph;
mod heap;
mod locations;
mod parts;
mod run;
mod second;
mod tell;
mod verify;
mod words;

pub use discovery::Inferred;
pub use draft::Draft;
pub use graph::GraphFormat;
pub use locations::locations;
pub use verify::verify;

use crate::method::{self, Command, Context, checking_limits};
use ser_base::{Limits, Stop};
use ser_invariance_checker::{Certificate, Reason as Refused, Rejection, Witness, witness};
use ser_invariance_search::answer::{Answer, Effort, Refutation, Verdict, answer};
use ser_invariance_search::conditions::Tactics;
use ser_invariance_search::counter::CounterModel;
use ser_invariance_search::cross_check::Solver;
use ser_invariance_search::crowd::Counted;
use ser_invariance_search::decide::Reason;
use ser_invariance_search::explore::Explored;
use ser_invariance_search::prove::{Judged, Options, Proofs, Safety};
use ser_report::{Kind, Question, Report, Source, SourceError};
use ser_syntax::Diagnostic;
use ser_syntax::inv::System;
use ser_syntax::inv::ast::{GlobalId, LocId};
use ser_syntax::lexer::lex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The method with its options.
#[derive(Clone, Debug)]
pub struct Invariance {
    /// Which shortcuts are taken.
    pub tactics: Tactics,
    /// Only these invariants and what they need, by name; all if there are none.
    pub only: Vec<String>,
    /// The largest instance that is explored, in threads.
    pub threads: u32,
    /// Whether threads are counted first, where their data is finite; and `deadlock` is answered.
    pub count: bool,
    /// Whether support is looked for where it is missing.
    pub infer: bool,
    /// Whether and how to draw who supports whom.
    pub graph: Option<GraphFormat>,
    /// Whether the conditions are wanted as SMT-LIB scripts.
    pub scripts: bool,
    /// A solver that is asked about them before anything is said.
    pub cross_check: Option<Solver>,
}

impl Default for Invariance {
    fn default() -> Invariance {
        Invariance {
            tactics: Tactics::default(),
            only: Vec::new(),
            threads: Effort::default().threads,
            count: false,
            infer: false,
            graph: None,
            scripts: false,
            cross_check: None,
        }
    }
}

impl method::Method for Invariance {
    fn command(&self) -> Command {
        let reads = &[Kind::Invariants];
        Command { name: "prove", method: ser_report::Method::Invariance, reads }
    }

    fn answer(&self, source: &Arc<Source>, context: &Context<'_>) -> Vec<Report> {
        let start = Instant::now();
        let mut reports = Vec::new();
        if self.count
            && let Ok((system, warnings)) = system_of(&source.text)
        {
            reports.extend(counted::waiting(source, &system, context));
            let claims_nothing = system.invariants.is_empty() && !asserts(source);
            if let (true, Some(report)) = (claims_nothing, reports.first_mut()) {
                report.warnings = warnings;
                report.warnings.retain(|it| it.code != "no-invariants");
                return reports;
            }
        }
        let mut report = match self.found(source, context.limits, context.progress) {
            Ok((found, warnings)) => {
                let mut report = tell::report(source, &found, self, context.wants);
                if let Found::Answer(checked) = &found {
                    (context.progress)("asking for a second opinion".to_owned());
                    second::opinion(self, &checked.system, &mut report, context.limits);
                }
                Report { warnings, ..report }
            }
            Err(error) => Report::error(&source.name, Question::of(self.method()), error),
        };
        report.source = Some(Arc::clone(source));
        let waiting: Duration = reports.iter().map(|it| it.timing.total).sum();
        report.timing.total = start.elapsed().saturating_sub(waiting);
        reports.insert(0, report);
        reports
    }
}

/// Whether something is asserted, even if it is seen at once that it holds.
fn asserts(source: &Source) -> bool {
    lex(&source.text).iter().any(|it| it.text(&source.text) == "assert")
}

impl Invariance {
    /// What is known about the invariants in a source, and warnings about it.
    pub fn found(
        &self,
        source: &Source,
        limits: &Limits,
        progress: &dyn Fn(String),
    ) -> Result<(Found, Vec<Diagnostic>), SourceError> {
        let (system, mut warnings) = system_of(&source.text).map_err(SourceError::Diagnostics)?;
        known(&system, &self.only)?;
        if let (false, Some(span)) = (self.count, system.deadlock) {
            let message = "`ser prove` does not ask whether a thread can wait forever";
            let warning = Diagnostic::warning("not-asked", message, span)
                .with_label("not answered here")
                .with_help("`ser check` does");
            warnings.push(warning);
        }
        let mut uncounted = None;
        if self.count && self.only.is_empty() {
            progress("counting threads".to_owned());
            match counted::proved(source, &system, limits) {
                Ok(found) => {
                    let claims = !system.invariants.is_empty() || asserts(source);
                    if claims {
                        warnings.retain(|it| it.code != "no-invariants");
                    }
                    return Ok((if claims { found } else { Found::Nothing }, warnings));
                }
                Err(why) => uncounted = Some(why),
            }
        }
        progress("proving".to_owned());
        let mut found = match self.infer {
            true => discovery::proved_with_support(source, system, self, limits),
            false => proved(source, None, system, self, &effort(self), limits, None),
        };
        let Found::Answer(checked) = &mut found else { return Ok((found, warnings)) };
        checked.uncounted = uncounted;
        checked.drafts = draft::drafts(checked, limits);
        if checked.source.text == source.text {
            warnings.extend(words::unreached(checked));
        }
        // That no step is an error is something to prove, too, even if it is seen at once.
        let is_safety = !checked.safety.conditions.is_empty() || asserts(source);
        let is_nothing = checked.invariants.is_empty() && !is_safety;
        if is_nothing || is_safety {
            warnings.retain(|it| it.code != "no-invariants");
        }
        if is_nothing && checked.verdict == Verdict::Proved {
            found = Found::Nothing;
        }
        Ok((found, warnings))
    }
}

/// What was found about a file.
#[derive(Debug)]
pub enum Found {
    /// An answer whose certificate the checker has accepted (if it has one).
    Answer(Box<Checked>),
    /// Nothing is claimed.
    Nothing,
    /// The limits came first.
    Stopped(Stop),
    /// There is an answer, but the limits were not enough to check it.
    Unchecked(String),
    /// The checker did not accept the answer, or it contradicts itself. It is therefore withheld.
    Rejected(String),
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
    /// What shows the verdict: a run if it is refuted, and otherwise a proof of what is proved (if
    /// there is something).
    pub certificate: Option<Certificate>,
    /// What the checker says of it.
    pub accepted: Option<ser_invariance_checker::Verdict>,
    /// What the checker says of the proof of what is proved besides, if the certificate is not
    /// about that.
    pub besides: Option<ser_invariance_checker::Verdict>,
    /// What became of the search for support, if it was asked for.
    pub inferred: Option<Inferred>,
    /// Drafts of invariants that are missing, by the places of the counter-models that they
    /// exclude.
    pub drafts: BTreeMap<usize, Draft>,
    /// How much was listed, if threads were counted. Then nothing comes from induction.
    pub counted: Option<Counted>,
    /// Why they could not be, if that was tried.
    pub uncounted: Option<String>,
}

/// A run that shows what is wrong, step by step.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The run, and what it shows.
    pub refutation: Refutation,
    pub witness: Witness,
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

    /// Whether the checker has seen all that the search claims: the verdict, and each invariant
    /// that is said to be proved.
    fn fits(&self) -> bool {
        use ser_invariance_checker::Verdict as Shown;
        let shown = || [self.accepted.as_ref(), self.besides.as_ref()].into_iter().flatten();
        let safe = || {
            shown().any(|it| {
                matches!(it, Shown::Proved { safe: true, .. } | Shown::Covered { safe: true, .. })
            })
        };
        let holds = |name: &String| {
            shown().any(|it| match it {
                Shown::Proved { invariants, .. } | Shown::Covered { invariants, .. } => {
                    invariants.contains(name)
                }
                _ => false,
            })
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

/// The system in a text with warnings about it, or its errors.
pub fn system_of(text: &str) -> Result<(System, Vec<Diagnostic>), Vec<Diagnostic>> {
    let parse = ser_editing::inv::parse(text);
    match parse.has_errors() {
        true => Err(parse.diagnostics),
        false => Ok((parse.system, parse.diagnostics)),
    }
}

fn effort(options: &Invariance) -> Effort {
    Effort { threads: options.threads, ..Effort::default() }
}

/// Whether there are invariants of these names.
fn known(system: &System, only: &[String]) -> Result<(), SourceError> {
    let names: Vec<&str> = system.invariants.iter().map(|it| it.name.text.as_str()).collect();
    let Some(unknown) = only.iter().find(|it| !names.contains(&it.as_str())) else {
        return Ok(());
    };
    let help = match names.as_slice() {
        [] => "this file has no invariants".to_owned(),
        names => format!("its invariants are {}", names.join(", ")),
    };
    let unknown = unknown.escape_debug();
    let message = format!("--only: there is no invariant `{unknown}` in this file");
    Err(SourceError::unreadable(message, help))
}

/// Proves what can be proved, and lets the checker look at it. If the source is another one with
/// invariants that were found, the certificate is about the original.
fn proved(
    source: &Source,
    original: Option<&Source>,
    system: System,
    options: &Invariance,
    effort: &Effort,
    limits: &Limits,
    inferred: Option<Inferred>,
) -> Found {
    let options = Options { tactics: options.tactics, only: options.only.clone() };
    let Answer { proofs, counter_models, verdict, explored, unreached, certificate, besides } =
        answer(&source.text, &system, &options, effort, limits);
    let Proofs { invariants, safety, conditions } = proofs;
    let anchors = conditions.steps.anchors.clone();
    drop(conditions);
    let of_original = |it: Certificate| match original {
        Some(original) => {
            let (source, completed) = (original.text.clone(), Some(it.source));
            Certificate { source, completed, ..it }
        }
        None => it,
    };
    let (certificate, besides) = (certificate.map(of_original), besides.map(of_original));
    if let Verdict::Contradiction(invariant) = verdict {
        let name = system.invariants.get(invariant.0 as usize).map(|it| it.name.text.as_str());
        return Found::Rejected(format!(
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
        counted: None,
        uncounted: None,
    };
    let check = |it: &Option<Certificate>| {
        it.as_ref().map(|it| ser_invariance_checker::check(it, &limits)).transpose()
    };
    match check(&checked.certificate).and_then(|it| Ok((it, check(&besides)?))) {
        Ok(both) => (checked.accepted, checked.besides) = both,
        Err(rejection) if matches!(*rejection.reason, Refused::Stopped(Stop::Cancelled)) => {
            checked.withhold();
            return Found::Answer(Box::new(checked));
        }
        Err(rejection) => return rejected(&rejection),
    }
    if !checked.fits() {
        return Found::Rejected("the certificate shows something else".to_owned());
    }
    if let Verdict::Refuted(all) = &checked.verdict {
        match runs(source, &checked.system, all, &limits) {
            Ok(runs) => checked.runs = runs,
            Err(rejection) => return rejected(&rejection),
        }
    }
    Found::Answer(Box::new(checked))
}

fn rejected(rejection: &Rejection) -> Found {
    match *rejection.reason {
        Refused::Stopped(Stop::Cancelled) => Found::Stopped(Stop::Cancelled),
        Refused::Stopped(_)
        | Refused::Size { .. }
        | Refused::Overflow
        | Refused::TermDepth { .. } => Found::Unchecked(rejection.to_string()),
        _ => Found::Rejected(rejection.to_string()),
    }
}

/// The runs step by step. The checker replays each of them, not only the one in the certificate.
fn runs(
    source: &Source,
    system: &System,
    all: &[Refutation],
    limits: &Limits,
) -> Result<Vec<Shown>, Rejection> {
    let shown = |refutation: &Refutation| {
        let witness = witness(&source.text, system, &refutation.run, limits)?;
        Ok(Shown { refutation: refutation.clone(), witness })
    };
    all.iter().map(shown).collect()
}

/// Why something was not found out, and what to do.
pub(crate) fn unknown_words(reason: &Reason) -> (String, String) {
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
            "a condition is too large, or has numbers that are too large",
            "use smaller constants, and shorter steps",
        ),
        Reason::Paths => (
            "a step has too many ways through its `if`s",
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
            "a condition does not follow by the axioms that ser knows, but no state was found that shows it",
            "add an invariant that makes the step easier to see, or say in the proof which support it needs",
        ),
    };
    (words.to_owned(), help.to_owned())
}
