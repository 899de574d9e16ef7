//! `move` among rules: eliminate a place whose steps commute with everything else.
//!
//! The rule of `mover`, for all valuations at once. The place l is in the net, something puts into
//! it, nothing leads from l to l, and
//!
//! - *right*: every transition into l can be swapped with every transition of another request that
//!   may follow it; or
//! - *left*: every transition out of l can be swapped with every one that may come before it.
//!
//! Let t be followed by u, of another request. What is then known of the valuation s before: it
//! agrees with the reads of t, and with those reads of u that t does not write; what t writes and u
//! reads must be the same. The two *swap* if for every such s, there are transitions u' between the
//! places of u and t' between those of t with: s agrees with the reads of u', s after u' agrees with
//! the reads of t', and s after u' and t' is s after t and u. Nothing needs to be shown where `facts`
//! rule out s or the requests in these places.
//!
//! Two transitions commute by themselves if neither writes what the other reads or writes.
//!
//! *Theorem.* The outcomes stay the same when the transitions into l and out of l are replaced by
//! their compositions. *Proof.* As in `mover`: the net stands for one with global states, whose
//! transitions swap wherever they follow each other in a run. ∎

use super::{Facts, RuleNet, Transition, Values};
use crate::Reason;
use crate::format::{Move, PlaceName, Side};
use crate::meter::Meter;
use crate::names::{Names, Place};
use crate::net::Effect;
use rustc_hash::FxHashMap;
use ser_model::VariableId;

/// Eliminates a place.
pub(crate) fn eliminate(
    net: &mut RuleNet<'_>,
    entry: &Move,
    facts: &Facts,
    names: &Names<'_>,
    meter: &mut Meter<'_>,
) -> Result<(), Reason> {
    let PlaceName(request, local) = &entry.place;
    let place = names.place(request, local)?;
    let shown = || names.show_place(place);
    if net.puts_into(place).next().is_none() {
        return Err(Reason::NoProducer { place: shown() });
    }
    if let Some(t) = net.puts_into(place).find(|t| t.take == Some(place)) {
        let transition = names.show_rule(t);
        return Err(Reason::StepToItself { place: shown(), transition });
    }
    let mut alike: FxHashMap<(Option<Place>, Effect), Vec<&Transition>> = FxHashMap::default();
    for t in &net.transitions {
        alike.entry((t.take, t.effect)).or_default().push(t);
    }
    let swaps = Swaps { net, alike, facts };
    for t in &net.transitions {
        let moves = match entry.side {
            Side::Right => t.put() == Some(place),
            Side::Left => t.take == Some(place),
        };
        if !moves {
            continue;
        }
        meter.work(net.transitions.len())?;
        for u in net.transitions.iter().filter(|u| interfere(t, u)) {
            let (first, second) = match entry.side {
                Side::Right => (t, u),
                Side::Left => (u, t),
            };
            if !swaps.hold(first, second, meter)? {
                let (first, second) = (names.show_rule(first), names.show_rule(second));
                return Err(Reason::NoSwap { first, second });
            }
        }
    }
    compose(net, place, facts, meter)
}

/// Whether one writes what the other reads or writes.
fn interfere(t: &Transition, u: &Transition) -> bool {
    let touches = |a: &Transition, b: &Transition| {
        a.writes.keys().any(|v| b.reads.contains_key(v) || b.writes.contains_key(v))
    };
    touches(t, u) || touches(u, t)
}

struct Swaps<'a> {
    net: &'a RuleNet<'a>,
    alike: FxHashMap<(Option<Place>, Effect), Vec<&'a Transition>>,
    facts: &'a Facts,
}

impl Swaps<'_> {
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
        let allowed = facts.allow(&before, first.take)
            && facts.allow(&before, second.take)
            && facts.allow(&between, second.take)
            && first
                .put()
                .is_none_or(|y| facts.allow(&between, Some(y)) && facts.allow(&end, Some(y)))
            && second.put().is_none_or(|y| facts.allow(&end, Some(y)));
        if !allowed {
            return Ok(true);
        }
        self.hold_at(first, second, &before, meter)
    }

    /// The same for all valuations that agree with `before`.
    fn hold_at(
        &self,
        first: &Transition,
        second: &Transition,
        before: &Values,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Reason> {
        let mut unsure: Option<VariableId> = None;
        let wanted = after(&after(before, &first.writes), &second.writes);
        for u in self.alike.get(&(second.take, second.effect)).into_iter().flatten() {
            meter.work(1)?;
            match fits(&u.reads, before) {
                Fit::No => continue,
                Fit::Unsure(v) => {
                    unsure.get_or_insert(v);
                    continue;
                }
                Fit::Yes => {}
            }
            let between = after(before, &u.writes);
            for t in self.alike.get(&(first.take, first.effect)).into_iter().flatten() {
                meter.work(1)?;
                match fits(&t.reads, &between) {
                    Fit::No => continue,
                    Fit::Unsure(v) => {
                        unsure.get_or_insert(v);
                        continue;
                    }
                    Fit::Yes => {}
                }
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
        let Some(variable) = unsure else {
            return Ok(false);
        };
        let all = self.net.system.values().get(variable.index()).map_or(&[][..], Vec::as_slice);
        for value in self.facts.choices(variable, all, [first.take, second.take]) {
            let mut before = before.clone();
            before.insert(variable, value);
            if !self.hold_at(first, second, &before, meter)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether a valuation of which some is known agrees with some reads.
enum Fit {
    Yes,
    No,
    /// That depends on this variable.
    Unsure(VariableId),
}

fn fits(reads: &Values, known: &Values) -> Fit {
    let mut fit = Fit::Yes;
    for (v, x) in reads {
        match known.get(v) {
            Some(found) if found != x => return Fit::No,
            Some(_) => {}
            None => fit = Fit::Unsure(*v),
        }
    }
    fit
}

/// What is known after some writes.
fn after(known: &Values, writes: &Values) -> Values {
    let mut after = known.clone();
    after.extend(writes);
    after
}

/// Replaces the transitions into the place and out of it by those of their compositions that may
/// fire.
fn compose(
    net: &mut RuleNet<'_>,
    place: Place,
    facts: &Facts,
    meter: &mut Meter<'_>,
) -> Result<(), Reason> {
    let producers: Vec<Transition> = net.puts_into(place).cloned().collect();
    let taking = net.transitions.iter().filter(|t| t.take == Some(place));
    let consumers: Vec<Transition> = taking.cloned().collect();
    net.transitions.retain(|t| t.put() != Some(place) && t.take != Some(place));
    for t in &producers {
        for w in &consumers {
            meter.work(1)?;
            let between = after(&t.reads, &t.writes);
            if w.reads.iter().any(|(v, x)| between.get(v).is_some_and(|found| found != x)) {
                continue;
            }
            meter.row(4 * (t.reads.len() + w.reads.len()))?;
            let mut reads = t.reads.clone();
            for (v, x) in &w.reads {
                if !t.writes.contains_key(v) {
                    reads.insert(*v, *x);
                }
            }
            let mut writes = after(&t.writes, &w.writes);
            writes.retain(|v, x| reads.get(v) != Some(x));
            if facts.allow(&reads, t.take) {
                let composed = Transition { take: t.take, reads, writes, effect: w.effect };
                net.transitions.insert(composed);
            }
        }
    }
    Ok(())
}
