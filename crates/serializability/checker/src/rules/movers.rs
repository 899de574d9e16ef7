//! Transitions that move right or left.
//!
//! A transition t *moves right* if it can be swapped with every transition u of another request
//! that may follow it, and *left* if every one that may come before it can be swapped with it.
//!
//! Let t be followed by u, of another request. What is then known of the valuation s before: it
//! agrees with the reads of t, and with those reads of u that t does not write; what t writes and u
//! reads must be the same. The two *swap* if for every such s, there are transitions u' between the
//! places of u and t' between those of t with: s agrees with the reads of u', s after u' agrees
//! with the reads of t', and s after u' and t' is s after t and u. Nothing needs to be shown where
//! `facts` rule out s, in between or after, with the requests in these places.
//!
//! Two transitions swap by themselves if neither writes what the other reads or writes.
//!
//! Where one writes an opaque variable that the other touches, they do not swap; and only exact
//! transitions are replaced by others. See theorem 3 of `opaque`.

use super::opaque::{may_replace, share_opaque};
use super::{Facts, RuleNet, Transition, Values};
use crate::Reason;
use crate::format::Side;
use crate::meter::Meter;
use crate::names::{Names, Place};
use crate::net::Effect;
use rustc_hash::FxHashMap;
use ser_model::VariableId;

/// How many variables may be tried out in one swap, value by value. A swap that needs more is not
/// seen, and so rejected. This bounds the depth of the recursion, whatever a rule reads.
const MAX_SPLITS: usize = 16;

/// The transitions of a net, by the places between which they lead.
pub(crate) struct Movers<'a> {
    net: &'a RuleNet<'a>,
    alike: FxHashMap<(Option<Place>, Effect), Vec<&'a Transition>>,
    facts: &'a Facts,
    names: &'a Names<'a>,
    /// How many pairs were looked at.
    pub(crate) checked: usize,
}

impl<'a> Movers<'a> {
    pub(crate) fn new(net: &'a RuleNet<'a>, facts: &'a Facts, names: &'a Names<'a>) -> Movers<'a> {
        let mut alike: FxHashMap<_, Vec<&Transition>> = FxHashMap::default();
        for t in &net.transitions {
            alike.entry((t.take, t.effect)).or_default().push(t);
        }
        Movers { net, alike, facts, names, checked: 0 }
    }

    /// The transition moves right, or left.
    pub(crate) fn check(
        &mut self,
        t: &Transition,
        side: Side,
        meter: &mut Meter<'_>,
    ) -> Result<(), Reason> {
        meter.work(self.net.transitions.len())?;
        for u in self.net.transitions.iter().filter(|u| interfere(t, u)) {
            match side {
                Side::Right => self.check_swap(t, u, meter)?,
                Side::Left => self.check_swap(u, t, meter)?,
            }
        }
        Ok(())
    }

    fn check_swap(
        &mut self,
        first: &Transition,
        second: &Transition,
        meter: &mut Meter<'_>,
    ) -> Result<(), Reason> {
        self.checked += 1;
        if self.hold(first, second, meter)? {
            return Ok(());
        }
        let (first, second) = (self.names.show_rule(first), self.names.show_rule(second));
        Err(Reason::DoNotCommute { first, second })
    }

    /// Whether `first` and then `second` never happens, or can always happen the other way round.
    fn hold(
        &self,
        first: &Transition,
        second: &Transition,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Reason> {
        let facts = self.facts;
        if !facts.pair(first.take, second.take) {
            return Ok(true);
        }
        if let Some(y) = first.put()
            && !facts.pair(Some(y), second.take)
        {
            return Ok(true);
        }
        let between = after(&first.reads, &first.writes);
        if second.reads.iter().any(|(v, x)| between.get(v).is_some_and(|found| found != x)) {
            return Ok(true);
        }
        let mut before = first.reads.clone();
        for (v, x) in &second.reads {
            if !first.writes.contains_key(v) {
                before.insert(*v, *x);
            }
        }
        let between = after(&before, &first.writes);
        let end = after(&between, &second.writes);
        let allowed = facts.allow(&before, [first.take, second.take])
            && facts.allow(&between, [first.put(), second.take])
            && facts.allow(&end, [first.put(), second.put()]);
        if !allowed {
            return Ok(true);
        }
        if share_opaque(self.net, first, second) {
            return Ok(false);
        }
        self.hold_at(first, second, &before, MAX_SPLITS, meter)
    }

    /// The same for all valuations that agree with `before`.
    fn hold_at(
        &self,
        first: &Transition,
        second: &Transition,
        before: &Values,
        splits: usize,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Reason> {
        let size = 1 + before.len() + first.writes.len() + second.writes.len();
        meter.work(size)?;
        let mut unsure: Option<VariableId> = None;
        let wanted = after(&after(before, &first.writes), &second.writes);
        for u in self.alike.get(&(second.take, second.effect)).into_iter().flatten() {
            meter.work(1 + u.reads.len())?;
            if !may_replace(second, u) || !fits(&u.reads, before, &mut unsure) {
                continue;
            }
            meter.work(size)?;
            let between = after(before, &u.writes);
            for t in self.alike.get(&(first.take, first.effect)).into_iter().flatten() {
                meter.work(1 + t.reads.len())?;
                if !may_replace(first, t) || !fits(&t.reads, &between, &mut unsure) {
                    continue;
                }
                meter.work(size)?;
                let found = after(&between, &t.writes);
                if found == wanted {
                    return Ok(true);
                }
                // They may agree once more is known of the valuation before.
                let open = found.keys().chain(wanted.keys()).find(|v| !before.contains_key(v));
                if let Some(v) = open {
                    unsure.get_or_insert(*v);
                }
            }
        }
        let (Some(variable), Some(splits)) = (unsure, splits.checked_sub(1)) else {
            return Ok(false);
        };
        let all = self.net.system.values().get(variable.index()).map_or(&[][..], Vec::as_slice);
        meter.work(all.len())?;
        for value in self.facts.choices(variable, all, [first.take, second.take]) {
            let mut before = before.clone();
            before.insert(variable, value);
            if !self.hold_at(first, second, &before, splits, meter)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether one writes what the other reads or writes.
fn interfere(t: &Transition, u: &Transition) -> bool {
    let touches = |a: &Transition, b: &Transition| {
        a.writes.keys().any(|v| b.reads.contains_key(v) || b.writes.contains_key(v))
    };
    touches(t, u) || touches(u, t)
}

/// Whether a valuation of which some is known agrees with some reads. If that depends on a variable
/// that is not known, the first such one is kept.
fn fits(reads: &Values, known: &Values, unsure: &mut Option<VariableId>) -> bool {
    let mut open = None;
    for (v, x) in reads {
        match known.get(v) {
            Some(found) if found != x => return false,
            Some(_) => {}
            None => open = open.or(Some(*v)),
        }
    }
    *unsure = unsure.or(open);
    open.is_none()
}

/// What is known after some writes.
fn after(known: &Values, writes: &Values) -> Values {
    let mut after = known.clone();
    after.extend(writes);
    after
}
