//! Repairs: the smallest changes that make a program serializable, each of them proved.
//!
//! Three kinds of changes are tried: yield points to *remove*, yield points to *move*, and a *lock*
//! over as few handlers as possible. Whatever is found is applied to the text, and the text is
//! checked like any other program, with its certificate; only then is it suggested. A repair must
//! also do no harm: alone, requests do what they did before; none waits without letting others in;
//! none that could complete is kept from it (see `harm`).

mod harm;
mod layout;
mod lock;
mod moving;
mod removal;
mod titles;
mod words;

use super::{Decision, Verdict, check_source};
use crate::serializability::explain::Explanation;
use crate::serializability::trials::{Answer, Trials};
use crate::source::Source;
use harm::Harm;
use layout::{Layout, apply, merged};
use ser_base::Limits;
use ser_serializability_search::{Options, Progress, RefuteOptions};
use ser_syntax::Edit;
use std::time::{Duration, Instant};
use titles::Titles;

pub use layout::apply as apply_edits;

/// What the repair of a program came to.
#[derive(Debug)]
pub struct Repairs {
    /// The answer about the program as it is.
    pub report: Decision,
    /// What would make it serializable, the smallest change first.
    pub suggestions: Vec<Repair>,
    /// What was tried, one sentence for each kind of change.
    pub tried: Vec<String>,
    /// Whether the search ended early, so that there may be more or smaller repairs.
    pub ended_early: bool,
}

/// A change that makes a program serializable.
#[derive(Clone, Debug)]
pub struct Repair {
    /// The kind of change.
    pub kind: RepairKind,
    /// The change in one sentence.
    pub title: String,
    /// The change.
    pub edits: Vec<Edit>,
    /// The whole text after the change.
    pub text: String,
    /// Why the program is then serializable.
    pub proof: Explanation,
    /// How many lines it adds or takes away.
    pub lines: usize,
    /// Whether the states before and after were compared to see that it does no harm; if they are
    /// too many, the shape of the program has to be enough.
    pub compared: bool,
}

/// The kinds of changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RepairKind {
    /// Some `yield`s go.
    RemoveYields,
    /// Some `yield`s go elsewhere.
    MoveYields,
    /// Some handlers hold or respect a lock.
    Lock,
}

impl RepairKind {
    /// The name in machine-readable output.
    pub fn name(self) -> &'static str {
        match self {
            RepairKind::RemoveYields => "remove-yields",
            RepairKind::MoveYields => "move-yields",
            RepairKind::Lock => "lock",
        }
    }
}

/// Searches of trials may visit fewer states than the check of the program itself.
const TRIAL_STATES: usize = 200_000;

/// Looks for repairs of a program, within the limits; for any other verdict than "not
/// serializable" there is nothing to repair.
pub fn repair(
    source: &Source,
    options: &Options,
    limits: &Limits,
    progress: &dyn Fn(Progress),
) -> Repairs {
    let report = check_source(source.clone(), options, limits, progress);
    let program = match (&report.verdict, crate::source::program(source)) {
        (Verdict::NotSerializable { .. }, Ok(parse)) => parse.program,
        _ => return Repairs::none(report, Vec::new()),
    };
    let refute =
        RefuteOptions { max_states: options.refute.max_states.min(TRIAL_STATES), ..options.refute };
    let options = Options { refute, ..*options };
    let mut trials = Trials::new(source, options, limits.clone());
    let harm = Harm::new(&source.text, limits);
    let layout = Layout::new(&source.text);
    let titles = Titles { source, program: &program };
    let hopeless = titles.hopeless(&report, &harm, limits);
    if !hopeless.is_empty() {
        return Repairs::none(report, vec![titles.hopeless_words(&hopeless)]);
    }
    let shares = Shares::of(limits);
    let mut found = Found { trials: &mut trials, harm: &harm, suggestions: Vec::new() };
    let mut tried = Vec::new();

    found.trials.until(shares.removals);
    let removals = removal::search(found.trials, &harm, &report);
    for set in &removals.sets {
        let outline = found.trials.outline();
        let title = titles.removal(outline, set);
        let edits: Vec<Edit> =
            set.iter().flat_map(|p| layout.remove_pause(&outline.pauses[*p])).collect();
        found.suggest(source, RepairKind::RemoveYields, title, edits);
    }
    tried.push(titles.removals_tried(&removals));

    found.trials.until(shares.moves);
    let mut moves_tried = 0;
    for set in &removals.sets {
        let moves =
            moving::search(found.trials, &layout, &source.text, &harm, set, &mut moves_tried);
        let Some(moves) = moves else { continue };
        let title = titles.moves(found.trials.outline(), set, &moves.targets);
        found.suggest(source, RepairKind::MoveYields, title, moves.edits);
    }
    tried.push(titles.moves_tried(moves_tried, removals.sets.len()));

    found.trials.until(shares.end);
    let lockings = lock::search(found.trials, &harm, &program, &source.text, &report);
    for locking in &lockings.found {
        found.suggest(source, RepairKind::Lock, titles.lock(locking), locking.edits.clone());
    }
    tried.push(titles.locks_tried(&lockings));
    if source.own_text().len() < source.text.len() {
        tried.push("files that it uses stay as they are".to_owned());
    }
    let ended_early = found.trials.ran_out_of_time();
    let mut suggestions = found.suggestions;
    suggestions.sort_by_key(|r| (r.lines, r.kind));
    Repairs { report, suggestions, tried, ended_early }
}

impl Repairs {
    /// A program without any repair.
    pub fn none(report: Decision, tried: Vec<String>) -> Repairs {
        Repairs { report, suggestions: Vec::new(), tried, ended_early: false }
    }
}

/// Suggestions, each checked as a whole.
struct Found<'a, 's> {
    trials: &'a mut Trials<'s>,
    harm: &'a Harm,
    suggestions: Vec<Repair>,
}

impl Found<'_, '_> {
    fn suggest(&mut self, source: &Source, kind: RepairKind, title: String, edits: Vec<Edit>) {
        let edits = merged(edits);
        // Other programs may use the same files.
        if edits.iter().any(|edit| !source.is_own(edit.span)) {
            return;
        }
        let text = apply(&source.text, &edits);
        let known = self.suggestions.iter().any(|s| s.text == text);
        if known || !words::are_kept(kind, &source.text, &text) {
            return;
        }
        let compared = match self.harm.is_harmless(&text) {
            Some(false) => return,
            harmless => harmless.is_some(),
        };
        // What has been found is worth the time to be checked as a whole.
        let Answer::Serializable(report) = self.trials.check_at_last(text.clone()) else { return };
        let Verdict::Serializable { explanation, .. } = report.verdict else { return };
        let lines = changed_lines(&source.text, &edits);
        self.suggestions.push(Repair {
            kind,
            title,
            edits,
            text: ser_base::first_file(&text).to_owned(),
            proof: explanation,
            lines,
            compared,
        });
    }
}

/// How many lines the edits take away and add.
fn changed_lines(before: &str, edits: &[Edit]) -> usize {
    let newlines = |text: &str| text.matches('\n').count();
    let gone = |edit: &Edit| before.get(edit.span.range()).map_or(0, newlines);
    edits.iter().map(|e| (gone(e) + newlines(&e.replacement)).max(1)).sum()
}

/// Until when each kind of change may be tried, so that the first does not use up all time.
struct Shares {
    removals: Option<Instant>,
    moves: Option<Instant>,
    end: Option<Instant>,
}

impl Shares {
    fn of(limits: &Limits) -> Shares {
        let now = Instant::now();
        let left = limits.deadline.map(|(at, _)| at.saturating_duration_since(now));
        let share = |part: f64| left.map(|left: Duration| now + left.mul_f64(part));
        Shares { removals: share(0.35), moves: share(0.6), end: share(0.9) }
    }
}
