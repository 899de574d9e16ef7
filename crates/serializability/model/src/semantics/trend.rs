//! What keeps growing, with a run that shows it.
//!
//! Many values alone prove nothing: `if (x < 3000) { X := x + 1 }` has an end, only not within the
//! limits. A variable is said to grow, or to fall, only if a run was really seen in which it does
//! so again and again: on one way through the [configurations](super::covering) that runs reach
//! there are many in a row, each with all the requests in flight of the one before and perhaps
//! more, and from each to the next the same variables grow and the same ones fall. And it must have
//! left the numbers of the program far behind: a bound that is written there would have stopped it
//! by then.

use super::code::Instr;
use super::covering::{Covering, is_below};
use super::explore::{Growing, Trend};
use super::machine::Continuation;
use crate::{GlobalId, LocalId, VariableId};
use std::cmp::Ordering;

/// A variable must grow so often in a row.
const OFTEN: usize = 50;

/// So many beginnings of a row are tried.
const TRIES: usize = 20;

/// How each of several values changes.
type Change = Vec<Ordering>;

impl Covering<'_, '_> {
    /// A variable that keeps growing or falling on the way to what came last.
    pub(super) fn trend(&mut self) -> Option<Growing> {
        self.global_trend().or_else(|| self.local_trend())
    }

    fn global_trend(&mut self) -> Option<Growing> {
        // What was being expanded.
        let (tip, ..) = self.listed.last()?.came?;
        let mut way: Vec<usize> = vec![tip];
        while let Some((before, ..)) = way.last().and_then(|at| self.listed[*at].came) {
            way.push(before);
        }
        let values = |at: usize| self.states.builder.valuation(self.listed[way[at]].global);
        let (row, change) = row(way.len(), &|old, new| {
            let crowd = |at: usize| &self.listed[way[at]].crowd;
            let change = changed(values(old), values(new))?;
            is_below(crowd(old), crowd(new), &mut 0).then_some(change)
        })?;
        let (variable, seen) = self.blamed(&row, &change, &|at, i| values(at)[i])?;
        let store = Instr::StoreGlobal(VariableId::from_index(variable));
        let does_it = |at: &usize| values(*at)[variable].cmp(&values(at + 1)[variable]);
        let steps: Vec<(GlobalId, LocalId, LocalId)> = (0..row[1])
            .filter(|at| does_it(at) == change[variable])
            .filter_map(|at| self.listed[way[at]].came)
            .map(|(before, from, to)| (self.listed[before].global, from, to))
            .collect();
        let name = self.states.code.globals[variable].clone();
        Some(self.grown(name, seen, change[variable], &steps, store))
    }

    fn local_trend(&mut self) -> Option<Growing> {
        let states = &self.states;
        let is_yielded = |at: &usize| !states.is_done(LocalId::from_index(*at));
        let last = (0..states.continuations.len()).rev().find(is_yielded)?;
        let mut way: Vec<usize> = vec![last];
        while let Some((_, before)) = way.last().and_then(|at| *self.came.get(*at)?) {
            way.push(before.index());
        }
        let stands = |at: usize| match &states.continuations[way[at]] {
            Continuation::Yielded { pc, locals, stack } => Some((*pc, locals, stack)),
            Continuation::Done { .. } | Continuation::Aborted | Continuation::Failed(_) => None,
        };
        let (row, change) = row(way.len(), &|old, new| {
            let ((pc, old, stack), (other_pc, new, other_stack)) = (stands(old)?, stands(new)?);
            (pc == other_pc && stack == other_stack).then(|| changed(old, new))?
        })?;
        let value = |at, slot: usize| stands(at).map_or(0, |(_, locals, _)| locals[slot]);
        let (slot, seen) = self.blamed(&row, &change, &value)?;
        let handler = &states.code.handlers[states.code.handler_of(stands(0)?.0)];
        let (name, store) = (handler.slots[slot].clone(), Instr::StoreLocal(slot as u32));
        let does_it = |at: &usize| value(*at, slot).cmp(&value(at + 1, slot));
        let steps: Vec<(GlobalId, LocalId, LocalId)> = (0..row[1])
            .filter(|at| does_it(at) == change[slot])
            .filter_map(|at| {
                let (global, from) = (*self.came.get(way[at])?)?;
                Some((global, from, LocalId::from_index(way[at])))
            })
            .collect();
        Some(self.grown(name, seen, change[slot], &steps, store))
    }

    /// Of all that changes, what has gone furthest beyond the numbers of the program; with its
    /// values, the oldest first.
    fn blamed(
        &self,
        row: &[usize],
        change: &Change,
        value: &dyn Fn(usize, usize) -> i64,
    ) -> Option<(usize, Vec<i64>)> {
        let all = (0..change.len()).filter(|i| change[*i] != Ordering::Equal);
        let values = all.map(|i| (i, row.iter().rev().map(|at| value(*at, i)).collect()));
        let far = values.filter(|(_, values): &(usize, Vec<i64>)| self.states.is_unbounded(values));
        let distance = |values: &[i64]| match values {
            [first, .., last] => first.abs_diff(*last),
            _ => 0,
        };
        // The first one, if several have gone as far.
        far.min_by_key(|(_, values)| std::cmp::Reverse(distance(values)))
    }

    fn grown(
        &mut self,
        variable: String,
        mut values: Vec<i64>,
        change: Ordering,
        steps: &[(GlobalId, LocalId, LocalId)],
        store: Instr,
    ) -> Growing {
        values.truncate(3);
        let trend = if change == Ordering::Less { Trend::Falls } else { Trend::Grows };
        let span = steps.iter().find_map(|step| self.assigns(*step, store));
        Growing { variable, values, span, trend }
    }

    /// Where a step assigns to the variable, if it does.
    fn assigns(
        &mut self,
        (global, from, to): (GlobalId, LocalId, LocalId),
        store: Instr,
    ) -> Option<ser_base::Span> {
        let states = &mut *self.states;
        let values = states.builder.valuation(global).to_vec();
        let start = states.continuations[from.index()].clone();
        states.runner.with_trail = true;
        let outcomes = states.runner.big_step(&start, |variable| values[variable.index()]);
        states.runner.with_trail = false;
        let after = &states.continuations[to.index()];
        let mut trails = outcomes.ok()?.into_iter().filter(|o| o.to == *after).map(|o| o.trail);
        let is_store = |(pc, _): &&(u32, i64)| states.code.instrs[*pc as usize] == store;
        let pc = trails.find_map(|trail| trail.iter().rfind(is_store).map(|(pc, _)| *pc))?;
        Some(states.code.spans[pc as usize])
    }
}

/// A row of places on a way, the newest first, each of which differs from the one before it in
/// the same manner.
fn row(
    length: usize,
    differ: &dyn Fn(usize, usize) -> Option<Change>,
) -> Option<(Vec<usize>, Change)> {
    let firsts = (1..length).filter_map(|at| Some((at, differ(at, 0)?)));
    firsts.take(TRIES).find_map(|(first, change)| {
        let (mut row, mut newest) = (vec![0, first], first);
        for at in first + 1..length {
            if differ(at, newest).as_ref() == Some(&change) {
                row.push(at);
                newest = at;
            }
        }
        (row.len() >= OFTEN).then_some((row, change))
    })
}

/// How the values change, if any does.
fn changed(old: &[i64], new: &[i64]) -> Option<Change> {
    let change: Change = old.iter().zip(new).map(|(old, new)| new.cmp(old)).collect();
    change.iter().any(|c| *c != Ordering::Equal).then_some(change)
}
