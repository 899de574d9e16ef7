//! Components: sets of serial outcomes.
//!
//! A component (b, P), b a vector over letters and P a list of such vectors, stands for the
//! outcomes b + sum of n(p) p over p in P, for all n(p) >= 0.
//!
//! *Theorem.* Every outcome of a component that is accepted is serial. *Proof.* Words: the base
//! word is a path of the serial automaton from the initial global state, and each cycle word a
//! path from a state on it to the same state, so each cycle can be inserted there any number of
//! times. Merge: of (b, P) and (b + q, P'), where P' has q and for the rest only vectors of P, the
//! merged component is (b, P'). An outcome of it without q is one of (b, P); with n > 0 times q it
//! is b + q and n - 1 times q, so one of (b + q, P'). ∎

use crate::format::{self, LetterName, Reading};
use crate::meter::Meter;
use crate::names::{Letter, Names};
use crate::reject::At;
use crate::serial::SerialAutomaton;
use crate::{Reason, Rejection};
use ser_model::GlobalId;
use std::collections::BTreeMap;

/// How often each letter occurs; letters that do not occur are not listed.
pub(crate) type Counts = BTreeMap<Letter, u64>;

/// (b, P).
#[derive(Clone, Debug)]
pub(crate) struct Component {
    pub(crate) base: Counts,
    pub(crate) periods: Vec<Counts>,
}

/// The components of a certificate.
pub(crate) fn components(
    list: &[format::Component],
    automaton: &SerialAutomaton,
    names: &Names<'_>,
    meter: &mut Meter<'_>,
) -> Result<Vec<Component>, Rejection> {
    let mut components = Vec::new();
    for (i, entry) in list.iter().enumerate() {
        let place = format!("components[{i}]");
        components.push(match entry {
            format::Component::Words { word, cycles } => {
                words(word, cycles, automaton, names, meter, &place)?
            }
            format::Component::Merge { merge, period } => {
                merged(&components, *merge, *period, meter).at(|| place)?
            }
        });
    }
    Ok(components)
}

fn words(
    word: &[Reading],
    cycles: &[format::Cycle],
    automaton: &SerialAutomaton,
    names: &Names<'_>,
    meter: &mut Meter<'_>,
    at: &str,
) -> Result<Component, Rejection> {
    let mut run = Run { automaton, names, meter };
    let initial = names.system().initial_global();
    let (path, base) = run.replay(initial, word, &format!("{at}.word"))?;
    let mut periods = Vec::new();
    for (i, cycle) in cycles.iter().enumerate() {
        let at = format!("{at}.cycles[{i}]");
        let Some(start) = path.get(cycle.at).copied() else {
            let (index, count) = (cycle.at, path.len());
            return Err(Reason::OutOfRange { kind: "position", index, count }.at(at));
        };
        let (states, counts) = run.replay(start, &cycle.word, &format!("{at}.word"))?;
        let end = states.last().copied().unwrap_or(start);
        if end != start {
            let name = |g| names.system().global_name(g);
            return Err(Reason::NotClosed { start: name(start), end: name(end) }.at(at));
        }
        periods.push(counts);
    }
    Ok(Component { base, periods })
}

struct Run<'a, 'b> {
    automaton: &'a SerialAutomaton,
    names: &'a Names<'a>,
    meter: &'a mut Meter<'b>,
}

impl Run<'_, '_> {
    /// The states of a path of the serial automaton, and its letters.
    fn replay(
        &mut self,
        start: GlobalId,
        word: &[Reading],
        at: &str,
    ) -> Result<(Vec<GlobalId>, Counts), Rejection> {
        let (mut path, mut counts, mut now) = (vec![start], Counts::new(), start);
        for (i, Reading(LetterName(request, response), global)) in word.iter().enumerate() {
            let at = || format!("{at}[{i}]");
            self.meter.entry().at(at)?;
            let letter = self.names.letter(request, response).at(at)?;
            let after = self.names.global(global).at(at)?;
            if !self.automaton.has_edge(now, letter, after) {
                let reason = Reason::NoSerialRun {
                    from: self.names.system().global_name(now),
                    letter: self.names.show_letter(letter),
                    to: global.clone(),
                };
                return Err(reason.at(at()));
            }
            *counts.entry(letter).or_insert(0) += 1;
            path.push(after);
            now = after;
        }
        Ok((path, counts))
    }
}

fn merged(
    earlier: &[Component],
    (first, second): (usize, usize),
    period: usize,
    meter: &mut Meter<'_>,
) -> Result<Component, Reason> {
    let find = |index: usize| {
        let count = earlier.len();
        earlier.get(index).ok_or(Reason::OutOfRange { kind: "component", index, count })
    };
    let (first, second) = (find(first)?, find(second)?);
    let count = second.periods.len();
    let Some(q) = second.periods.get(period) else {
        return Err(Reason::OutOfRange { kind: "period", index: period, count });
    };
    let size = |c: &Component| c.base.len() + c.periods.iter().map(Counts::len).sum::<usize>();
    meter.entries(1 + size(second))?;
    let mut base = first.base.clone();
    for (letter, n) in q {
        let entry = base.entry(*letter).or_insert(0);
        *entry = entry.checked_add(*n).ok_or(Reason::Overflow)?;
    }
    if base != second.base {
        return Err(Reason::MergeBase { period });
    }
    for (i, p) in second.periods.iter().enumerate() {
        meter.work(size(first))?;
        if i != period && p != q && !first.periods.contains(p) {
            return Err(Reason::MergePeriod { period: i });
        }
    }
    Ok(Component { base: first.base.clone(), periods: second.periods.clone() })
}
