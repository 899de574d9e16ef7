//! Who may be to blame when there is no end of states: the variable that takes the most values.
//! That proves nothing; [`trend`](super::trend) is about runs that do. Within one step that has no
//! end, there is just this run.

use super::code::Instr;
use super::explore::{ExploreError, Growing, Trend};
use super::machine::{Continuation, Machine, StepError};
use super::rules::number_range;
use super::states::States;
use super::value::Value;
use crate::{GlobalId, VariableId};
use ser_syntax::core::BinaryOp;

/// A variable with at least this many values is suspected to grow without end.
const MANY_VALUES: usize = 50;

/// So many are enough if they have left the numbers of the program behind.
const SEVERAL: usize = 8;

impl<V: Value> States<'_, V> {
    /// Turns trouble into an error that says which variable may be to blame.
    pub(super) fn explain(&self, trouble: StepError) -> ExploreError {
        self.explain_with(trouble, None)
    }

    /// The same, where a run may have shown what grows.
    pub(super) fn explain_with(&self, trouble: StepError, shown: Option<Growing>) -> ExploreError {
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
                let growing = shown.or_else(|| self.with_most_values());
                ExploreError::TooManyStates { stop, growing }
            }
        }
    }

    /// Whether some variable has suspiciously many values, or several that are suspiciously far
    /// from what the program says.
    pub(super) fn is_suspicious(&self) -> bool {
        let is_suspicious = |values: &[i64]| {
            values.len() >= MANY_VALUES || values.len() >= SEVERAL && self.is_unbounded(values)
        };
        self.values_of_variables().iter().any(|(_, values)| is_suspicious(values))
    }

    /// Whether values lie further from the numbers of the program than these from each other.
    pub(super) fn is_unbounded(&self, values: &[i64]) -> bool {
        let (low, high) = number_range(self.code);
        let width = high.saturating_sub(low);
        let (low, high) = (low.saturating_sub(width), high.saturating_add(width));
        values.iter().any(|value| *value < low || high < *value)
    }

    /// The variable with the most values in all states, if it has suspiciously many.
    fn with_most_values(&self) -> Option<Growing> {
        let mut best: (usize, Option<Growing>) = (MANY_VALUES - 1, None);
        for (name, values) in self.values_of_variables() {
            if values.len() > best.0 {
                let (variable, trend) = (name.to_owned(), Trend::Many(values.len()));
                let growing = Growing { variable, values: Vec::new(), span: None, trend };
                best = (values.len(), Some(growing));
            }
        }
        best.1
    }

    /// The values of every variable in all states, if there is no telling how many they could be.
    fn values_of_variables(&self) -> Vec<(&str, Vec<i64>)> {
        // Without arithmetic there are only the values that the source spells out.
        let arithmetic = |i: &Instr| {
            matches!(i, Instr::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply))
        };
        let mut found: Vec<(&str, Vec<i64>)> = Vec::new();
        if !self.code.instrs.iter().any(arithmetic) {
            return found;
        }
        for (i, name) in self.code.globals.iter().enumerate() {
            let all = (0..self.builder.global_count())
                .map(|g| self.builder.valuation(GlobalId::from_index(g))[i]);
            found.push((name, distinct(all)));
        }
        for (h, handler) in self.code.handlers.iter().enumerate() {
            // Parameters never change.
            for (slot, name) in handler.slots.iter().enumerate().skip(handler.parameters.len()) {
                let all = self.continuations.iter().filter_map(|c| match c {
                    Continuation::Yielded { pc, locals, .. } if self.code.handler_of(*pc) == h => {
                        locals.get(slot).and_then(|value| value.number())
                    }
                    _ => None,
                });
                found.push((name, distinct(all)));
            }
        }
        found
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
                best = (values.len(), Some(self.grown(name, values, &store, handler)));
            }
        }
        for (slot, name) in self.code.handlers[handler].slots.iter().enumerate() {
            let mut all: Vec<i64> =
                seen.iter().filter_map(|m| m.locals.get(slot).copied()).collect();
            all.sort_unstable_by_key(|x| (x.unsigned_abs(), *x));
            let values = distinct(all.into_iter());
            if values.len() > best.0 && self.is_unbounded(&values) {
                let store = |x| x == Instr::StoreLocal(slot as u32);
                best = (values.len(), Some(self.grown(name, values, &store, handler)));
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
        handler: usize,
    ) -> Growing {
        let falls = values.first() > values.last();
        let trend = if falls { Trend::Falls } else { Trend::Grows };
        values.truncate(3);
        let stores: Vec<usize> = (0..self.code.instrs.len())
            .filter(|pc| is_store(self.code.instrs[*pc]))
            .filter(|pc| self.code.handler_of(*pc as u32) == handler)
            .collect();
        let computed = stores
            .iter()
            .find(|pc| **pc == 0 || !matches!(self.code.instrs[**pc - 1], Instr::Push(_)));
        let span = computed.or(stores.first()).map(|pc| self.code.spans[*pc]);
        Growing { variable: name.to_owned(), values, span, trend }
    }
}

/// The distinct values, in the order of their first appearance.
fn distinct(values: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut seen = rustc_hash::FxHashSet::default();
    values.filter(|v| seen.insert(*v)).collect()
}
