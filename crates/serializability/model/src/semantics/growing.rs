//! Who is to blame when there is no end of states: the variable that takes more and more values.
//!
//! Many values alone prove nothing: `if (x < 3000) { X := x + 1 }` has an end, only not within the
//! limits. So a variable is blamed only once it has left the numbers of the program far behind: a
//! bound that is written there would have stopped it by then.

use super::code::Instr;
use super::explore::{ExploreError, Growing};
use super::machine::{Continuation, Machine, StepError};
use super::rules::number_range;
use super::states::States;
use crate::{GlobalId, VariableId};
use ser_syntax::ast::BinaryOp;

/// A variable with at least this many values is suspected to grow without end.
const MANY_VALUES: usize = 50;

impl States<'_> {
    /// Turns trouble into an error that says which variable is to blame.
    pub(super) fn explain(&self, trouble: StepError) -> ExploreError {
        match trouble {
            StepError::Overflow { pc } => {
                ExploreError::Overflow { span: self.code.spans[pc as usize] }
            }
            StepError::Endless { pc, seen } => {
                let handler = self.code.handler_of(pc);
                let growing = self.growing_in(handler, &seen);
                ExploreError::EndlessStep { span: self.code.spans[pc as usize], growing }
            }
            StepError::Stop(stop) => {
                let growing = self.with_most_values(&|values| self.is_unbounded(values));
                ExploreError::TooManyStates { stop, growing }
            }
        }
    }

    /// Whether some variable has suspiciously many values.
    pub(super) fn is_suspicious(&self) -> bool {
        self.with_most_values(&|_| true).is_some()
    }

    /// Whether values lie further from the numbers of the program than these from each other.
    fn is_unbounded(&self, values: &[i64]) -> bool {
        let (low, high) = number_range(self.code);
        let width = high.saturating_sub(low);
        let (low, high) = (low.saturating_sub(width), high.saturating_add(width));
        values.iter().any(|value| *value < low || high < *value)
    }

    /// The variable with the most values in all states, if it has suspiciously many of the right
    /// kind.
    fn with_most_values(&self, counts: &dyn Fn(&[i64]) -> bool) -> Option<Growing> {
        // Without arithmetic there are only the values that the source spells out.
        let arithmetic = |i: &Instr| {
            matches!(i, Instr::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply))
        };
        if !self.code.instrs.iter().any(arithmetic) {
            return None;
        }
        let mut best: (usize, Option<Growing>) = (MANY_VALUES - 1, None);
        let mut consider =
            |values: Vec<i64>, name: &str, store: &dyn Fn(Instr) -> bool, handler| {
                if values.len() > best.0 && counts(&values) {
                    best = (values.len(), Some(self.grown(name, values, store, handler)));
                }
            };
        for (i, name) in self.code.globals.iter().enumerate() {
            let variable = VariableId::from_index(i);
            let all = (0..self.builder.global_count())
                .map(|g| self.builder.valuation(GlobalId::from_index(g))[i]);
            consider(distinct(all), name, &|x| x == Instr::StoreGlobal(variable), None);
        }
        for (h, handler) in self.code.handlers.iter().enumerate() {
            // Parameters never change.
            for (slot, name) in handler.slots.iter().enumerate().skip(handler.parameters.len()) {
                let all = self.continuations.iter().filter_map(|c| match c {
                    Continuation::Yielded { pc, locals, .. } if self.code.handler_of(*pc) == h => {
                        Some(locals[slot])
                    }
                    _ => None,
                });
                let store = Instr::StoreLocal(slot as u32);
                consider(distinct(all), name, &|x| x == store, Some(h));
            }
        }
        best.1
    }

    /// The same within one endless step of one handler.
    fn growing_in(&self, handler: usize, seen: &[Machine]) -> Option<Growing> {
        let mut best: (usize, Option<Growing>) = (MANY_VALUES - 1, None);
        for (i, name) in self.code.globals.iter().enumerate() {
            let variable = VariableId::from_index(i);
            let mut all: Vec<i64> = seen
                .iter()
                .filter_map(|m| m.writes.iter().find(|(v, _)| *v == variable).map(|(_, x)| *x))
                .collect();
            all.sort_unstable_by_key(|x| (x.unsigned_abs(), *x));
            let values = distinct(all.into_iter());
            if values.len() > best.0 && self.is_unbounded(&values) {
                let store = |x| x == Instr::StoreGlobal(variable);
                best = (values.len(), Some(self.grown(name, values, &store, Some(handler))));
            }
        }
        for (slot, name) in self.code.handlers[handler].slots.iter().enumerate() {
            let mut all: Vec<i64> =
                seen.iter().filter_map(|m| m.locals.get(slot).copied()).collect();
            all.sort_unstable_by_key(|x| (x.unsigned_abs(), *x));
            let values = distinct(all.into_iter());
            if values.len() > best.0 && self.is_unbounded(&values) {
                let store = |x| x == Instr::StoreLocal(slot as u32);
                best = (values.len(), Some(self.grown(name, values, &store, Some(handler))));
            }
        }
        best.1
    }

    /// Where the variable is assigned: best an assignment of something that is not a constant.
    fn grown(
        &self,
        name: &str,
        mut values: Vec<i64>,
        is_store: &dyn Fn(Instr) -> bool,
        handler: Option<usize>,
    ) -> Growing {
        values.truncate(3);
        let stores: Vec<usize> = (0..self.code.instrs.len())
            .filter(|pc| is_store(self.code.instrs[*pc]))
            .filter(|pc| handler.is_none_or(|h| self.code.handler_of(*pc as u32) == h))
            .collect();
        let computed = stores
            .iter()
            .find(|pc| **pc == 0 || !matches!(self.code.instrs[**pc - 1], Instr::Push(_)));
        let span = computed.or(stores.first()).map(|pc| self.code.spans[*pc]);
        Growing { variable: name.to_owned(), values, span }
    }
}

/// The distinct values, in the order of their first appearance.
fn distinct(values: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut seen = rustc_hash::FxHashSet::default();
    values.filter(|v| seen.insert(*v)).collect()
}
