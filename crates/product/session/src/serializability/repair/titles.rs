//! Changes in words.

use super::harm::Harm;
use super::lock::{Locking, Lockings, Section};
use super::moving::Target;
use super::removal::{Pauses, Removals};
use crate::serializability::decision::{Decision, Verdict};
use crate::serializability::outline::Outline;
use crate::source::Source;
use ser_base::Limits;
use ser_net::SerialAutomaton;
use ser_report::text::and;
use ser_report::text::count;
use ser_serializability_search::SerialRuns;
use ser_syntax::Span;
use ser_syntax::core::Program;
use std::collections::{BTreeMap, BTreeSet};

/// Words for the changes of a program.
pub(super) struct Titles<'a> {
    pub source: &'a Source,
    pub program: &'a Program,
}

impl Titles<'_> {
    /// `remove the `yield` on line 21`.
    pub fn removal(&self, outline: &Outline, set: &Pauses) -> String {
        let lines: Vec<String> = set.iter().map(|p| self.line(outline, *p)).collect();
        match lines.len() {
            1 => format!("remove the `yield` on line {}", and(&lines)),
            _ => format!("remove the `yield`s on lines {}", and(&lines)),
        }
    }

    /// `move the `yield` on line 21 up, before line 20`.
    pub fn moves(
        &self,
        outline: &Outline,
        set: &Pauses,
        targets: &BTreeMap<usize, Target>,
    ) -> String {
        let mut parts: Vec<String> = Vec::new();
        for (pause, target) in targets {
            let statements = &outline.blocks[target.block].statements;
            let from = self.line(outline, *pause);
            let start = outline.pauses[*pause].span.start;
            let place = match (statements.get(target.before), statements.last()) {
                (Some(next), _) if next.span.start < start => {
                    format!("up, before {}", self.statement(next.span, next.span.start, start))
                }
                (Some(_), _) => {
                    let before = statements[target.before.saturating_sub(1)].span;
                    format!("down, after {}", self.statement(before, before.end - 1, start))
                }
                (None, Some(last)) => {
                    format!("down, after {}", self.statement(last.span, last.span.end - 1, start))
                }
                (None, None) => String::new(),
            };
            parts.push(format!("the `yield` on line {from} {place}"));
        }
        let mut title = format!("move {}", and(&parts));
        let gone: Pauses = set.iter().filter(|p| !targets.contains_key(p)).copied().collect();
        if !gone.is_empty() {
            title += &format!(", and {}", self.removal(outline, &gone));
        }
        title
    }

    /// `hold a new lock, `Lock`, in `transfer` (lines 18 to 23), and wait for it in `report``.
    pub fn lock(&self, locking: &Locking) -> String {
        let lock = &locking.lock;
        let (holding, waiting): (Vec<&Section>, Vec<&Section>) =
            locking.sections.iter().partition(|s| s.holds);
        let name = |s: &Section| format!("`{}`", self.program.requests[s.request].name.text);
        let held: Vec<String> = holding
            .iter()
            .map(|s| {
                let line = |at: u32| self.source.lines.line(at);
                match (line(s.span.start), line(s.span.end.saturating_sub(1))) {
                    (a, b) if a == b => format!("{} (line {a})", name(s)),
                    (a, b) => format!("{} (lines {a} to {b})", name(s)),
                }
            })
            .collect();
        let waiting: Vec<String> = waiting.into_iter().map(name).collect();
        let kind = if locking.existing { "the lock" } else { "a new lock," };
        let comma = if locking.existing { "" } else { "," };
        match (held.is_empty(), waiting.is_empty()) {
            (false, true) => format!("hold {kind} `{lock}`{comma} in {}", and(&held)),
            (false, false) => format!(
                "hold {kind} `{lock}`{comma} in {}, and wait until it is free in {}",
                and(&held),
                and(&waiting)
            ),
            _ => format!("wait until {kind} `{lock}`{comma} is free in {}", and(&waiting)),
        }
    }

    pub fn removals_tried(&self, removals: &Removals) -> String {
        let tried = count(removals.tried, "set");
        let mut words = match (removals.sets.len(), removals.tried) {
            (_, 0) => "removing yield points: no set of them could help".to_owned(),
            (0, _) => format!("removing yield points: {tried} tried, none helps"),
            (n, _) => format!("removing yield points: {tried} tried, {} a repair", helps(n)),
        };
        if removals.would_spin {
            words += "; some would make a request wait without letting others in";
        }
        if removals.would_block {
            words += "; some would keep requests from completing";
        }
        words + &open_ends(removals.unknown, !removals.complete && removals.sets.is_empty())
    }

    pub fn moves_tried(&self, tried: usize, sets: usize) -> String {
        match (tried, sets) {
            (0, 0) => {
                "moving yield points: none, because removing them does not help either".to_owned()
            }
            (tried, _) => format!("moving yield points: {} tried", count(tried, "place")),
        }
    }

    pub fn locks_tried(&self, lockings: &Lockings) -> String {
        let tried = count(lockings.tried, "set");
        let mut words = match lockings.found.len() {
            0 => format!("a lock: {tried} of handlers tried, none helps"),
            n => format!("a lock: {tried} of handlers tried, {} a repair", helps(n)),
        };
        if lockings.would_block {
            words += "; some would keep requests from completing";
        }
        words + &open_ends(lockings.unknown, lockings.ended_early && lockings.found.is_empty())
    }

    /// The requests that complete only if others run meanwhile. Every repair would keep them from
    /// it: it has the same serial runs, and no others.
    pub fn hopeless(&self, report: &Decision, harm: &Harm, limits: &Limits) -> BTreeSet<String> {
        let mut found = harm.only_with_others();
        let (Verdict::NotSerializable { steps, serial, certificate, .. }, Some(model)) =
            (&report.verdict, &report.model)
        else {
            return found;
        };
        // In a part of a program, requests from elsewhere are missing.
        if *serial == SerialRuns::Impossible && !certificate.is_about_a_part() {
            let system = model.system();
            if let Ok(automaton) = SerialAutomaton::new(system, limits) {
                let alone: BTreeSet<_> =
                    automaton.edges.iter().map(|e| e.outcome.request).collect();
                let never = steps.iter().filter(|s| !alone.contains(&s.request));
                found.extend(never.map(|s| system.request_name(s.request).to_owned()));
            }
        }
        found
    }

    /// The same in words.
    pub fn hopeless_words(&self, requests: &BTreeSet<String>) -> String {
        let names: Vec<String> = requests.iter().map(|r| format!("`{r}`")).collect();
        let (verb, whose) = if names.len() == 1 {
            ("completes", "its response")
        } else {
            ("complete", "their responses")
        };
        format!(
            "{} {verb} only if other requests run meanwhile: no serial run has {whose}, so whatever makes the program serializable keeps {} from completing",
            and(&names),
            if names.len() == 1 { "it" } else { "them" },
        )
    }

    /// A statement, by its line; or, on the line of `other`, by its text.
    fn statement(&self, span: Span, at: u32, other: u32) -> String {
        let lines = &self.source.lines;
        let text = self.source.text.get(span.range()).unwrap_or_default();
        match lines.line(at) == lines.line(other) && text.len() < 40 && !text.contains('\n') {
            true => format!("`{text}`"),
            false => format!("line {}", lines.line(at)),
        }
    }

    /// `21`, or `21 (column 7)` if there are several on this line.
    fn line(&self, outline: &Outline, pause: usize) -> String {
        let lines = &self.source.lines;
        let at = lines.position(outline.pauses[pause].span.start);
        let here = outline.pauses.iter().filter(|it| lines.line(it.span.start) == at.line);
        match here.count() {
            1 => at.line.to_string(),
            _ => format!("{} (column {})", at.line, at.column),
        }
    }
}

/// What is left open.
fn open_ends(unknown: usize, ended_early: bool) -> String {
    let mut words = String::new();
    if unknown > 0 {
        words += &format!("; {unknown} could not be decided");
    }
    if ended_early {
        words += "; the search ended early";
    }
    words
}

fn helps(n: usize) -> String {
    if n == 1 { "1 is".to_owned() } else { format!("{n} are each") }
}
