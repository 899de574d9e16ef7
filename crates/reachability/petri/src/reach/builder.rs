//! Building the network system; the module above tells what it looks like and why.

use super::control::{Control, control_places};
use super::schedule::schedule;
use super::target::{Bounds, Form, Interval, Tokens, alternatives, greatest_common_divisor};
use super::{StepKey, TranslationError};
use crate::{Formula, PetriNet, PlaceId, TransitionId};
use ser_model::{GlobalId, LocalId, NetworkSystem, SystemBuilder};
use std::collections::BTreeMap;

/// The most tokens of one firing, of the initial marking, or of one bound.
const MAX_TOKENS: u128 = 10_000;

/// The most steps in all.
const MAX_STEPS: usize = 200_000;

type Firings = BTreeMap<StepKey, TransitionId>;

/// The sides of a sum with bounds: local states that count for it and against it.
#[derive(Default)]
struct Sides {
    plus: Vec<LocalId>,
    minus: Vec<LocalId>,
}

pub(super) struct Builder<'a> {
    net: &'a PetriNet,
    control: Control,
    /// Tokens of each place are counted in units of this.
    units: Vec<u64>,
    system: SystemBuilder,
    firings: Firings,
    /// The local state of a token on each place.
    on: Vec<LocalId>,
    waiting: LocalId,
    reached: LocalId,
    new: LocalId,
    gone: LocalId,
    end: GlobalId,
    checks: usize,
}

impl Builder<'_> {
    pub fn build(
        net: &PetriNet,
        target: &Formula,
    ) -> Result<(NetworkSystem, Firings), TranslationError> {
        let mut system = SystemBuilder::with_state_names("idle");
        let idle = system.named_global("idle");
        let end = system.named_global("end");
        let (ready, waiting, reached) =
            (system.local("ready"), system.local("waiting"), system.local("reached"));
        let (new, gone) = (system.local("new"), system.local("gone"));
        system.spawn("run", ready);
        system.reply(reached, "reached");
        system.spawn("token", new);
        system.reply(gone, "gone");
        let control = control_places(net);
        let on = net.places.iter().map(|p| system.local(&format!("on {}", p.name))).collect();
        let units = units(net);
        let firings = Firings::new();
        let mut builder = Builder {
            net,
            control,
            units,
            system,
            firings,
            on,
            waiting,
            reached,
            new,
            gone,
            end,
            checks: 0,
        };
        let play = builder.play();
        builder.load(ready, idle, &play)?;
        for t in (0..net.transitions.len() as u32).map(TransitionId) {
            builder.transition(t, &play)?;
        }
        builder.check(target, &play)?;
        Ok((builder.system.finish(), builder.firings))
    }

    /// The global states in which transitions fire: one for each place that the control may be
    /// on, or a single one.
    fn play(&mut self) -> Vec<GlobalId> {
        if self.control.places.is_empty() {
            return vec![self.system.named_global("play")];
        }
        let name = |p: &PlaceId| format!("play {}", self.net.places[p.index()].name);
        let names: Vec<String> = self.control.places.iter().map(name).collect();
        names.iter().map(|name| self.system.named_global(name)).collect()
    }

    /// A global state of its own, `what number`.
    fn global(&mut self, what: &str, number: usize) -> GlobalId {
        self.system.named_global(&format!("{what} {number}"))
    }

    fn step(
        &mut self,
        from: LocalId,
        before: GlobalId,
        to: LocalId,
        after: GlobalId,
    ) -> Result<(), TranslationError> {
        if self.system.step_count() >= MAX_STEPS {
            return Err(TranslationError::TooManySteps { limit: MAX_STEPS });
        }
        self.system.named_step(from, before, to, after);
        Ok(())
    }

    /// Tokens of a place in its units.
    fn in_units(&self, place: PlaceId, tokens: u64) -> u64 {
        tokens / self.units[place.index()].max(1)
    }

    /// Arcs without control places, in units.
    fn arcs(&self, arcs: &[(PlaceId, u64)]) -> Vec<(PlaceId, u64)> {
        let counted = arcs.iter().filter(|(p, _)| self.control.mode(*p).is_none());
        counted.map(|(p, n)| (*p, self.in_units(*p, *n))).collect()
    }

    fn load(
        &mut self,
        ready: LocalId,
        idle: GlobalId,
        play: &[GlobalId],
    ) -> Result<(), TranslationError> {
        let initial: Vec<(PlaceId, u64)> =
            (0..).map(PlaceId).zip(self.net.places.iter().map(|p| p.initial)).collect();
        let start = initial.iter().filter(|(_, n)| *n > 0).find_map(|(p, _)| self.control.mode(*p));
        let tokens = self.arcs(&initial);
        check_tokens(|| "the initial marking".into(), &tokens)?;
        let play = play[start.unwrap_or(0)];
        let locals: Vec<LocalId> = tokens
            .iter()
            .flat_map(|(p, n)| std::iter::repeat_n(self.on[p.index()], *n as usize))
            .collect();
        let mut here = self.global("load", 1);
        self.step(ready, idle, self.waiting, here)?;
        if locals.is_empty() {
            // Alone, `run` must not get any further.
            self.step(self.new, here, self.gone, play)?;
        }
        for (i, local) in locals.iter().enumerate() {
            let last = i + 1 == locals.len();
            let next = if last { play } else { self.global("load", i + 2) };
            self.step(self.new, here, *local, next)?;
            here = next;
        }
        Ok(())
    }

    fn transition(&mut self, t: TransitionId, play: &[GlobalId]) -> Result<(), TranslationError> {
        let net = self.net;
        let transition = &net.transitions[t.index()];
        let (takes, gives) = (self.arcs(&transition.takes), self.arcs(&transition.gives));
        let name = || format!("transition `{}`", transition.name);
        check_tokens(name, &takes)?;
        check_tokens(name, &gives)?;
        let moves = schedule(&takes, &gives);
        let mode = |arcs: &[(PlaceId, u64)]| arcs.iter().find_map(|(p, _)| self.control.mode(*p));
        let ways: Vec<(usize, usize)> = match (mode(&transition.takes), mode(&transition.gives)) {
            (Some(from), Some(to)) => vec![(from, to)],
            _ => (0..play.len()).map(|m| (m, m)).collect(),
        };
        let mut number = 0;
        for (from, to) in ways {
            let (from, to) = (play[from], play[to]);
            if moves.is_empty() {
                if from != to {
                    self.step(self.waiting, from, self.waiting, to)?;
                    self.firings.entry((self.waiting, from, self.waiting, to)).or_insert(t);
                }
                continue;
            }
            let locals: Vec<(LocalId, LocalId)> = moves
                .iter()
                .map(|(taken, given)| {
                    let on = |p: &PlaceId| self.on[p.index()];
                    (taken.as_ref().map_or(self.new, on), given.as_ref().map_or(self.gone, on))
                })
                .collect();
            let what = format!("firing {}", transition.name);
            let first = self.chain(&what, &mut number, from, &locals, to)?;
            self.firings.entry(first).or_insert(t);
        }
        Ok(())
    }

    /// Steps one after the other, through global states `what 1`, `what 2`, ...; the first one.
    fn chain(
        &mut self,
        what: &str,
        number: &mut usize,
        from: GlobalId,
        moves: &[(LocalId, LocalId)],
        to: GlobalId,
    ) -> Result<StepKey, TranslationError> {
        let mut here = from;
        let mut first = None;
        for (i, (taken, given)) in moves.iter().enumerate() {
            let next = if i + 1 == moves.len() {
                to
            } else {
                *number += 1;
                self.global(what, *number)
            };
            self.step(*taken, here, *given, next)?;
            first = first.or(Some((*taken, here, *given, next)));
            here = next;
        }
        first.ok_or_else(|| TranslationError::Malformed("a firing without steps".into()))
    }

    fn check(&mut self, target: &Formula, play: &[GlobalId]) -> Result<(), TranslationError> {
        let mut known: BTreeMap<Bounds, GlobalId> = BTreeMap::new();
        for (mode, play) in play.iter().enumerate() {
            let tokens = |p: PlaceId| match self.control.mode(p) {
                Some(m) => Tokens::Exactly(i128::from(m == mode)),
                None => match self.units[p.index()] {
                    0 => Tokens::Exactly(0),
                    unit => Tokens::Times(i128::from(unit)),
                },
            };
            for bounds in alternatives(target, true, &tokens)? {
                let entry = match known.get(&bounds) {
                    Some(entry) => *entry,
                    None => {
                        let entry = self.alternative(&bounds)?;
                        known.insert(bounds, entry);
                        entry
                    }
                };
                self.step(self.waiting, *play, self.waiting, entry)?;
            }
        }
        Ok(())
    }

    /// The check of one alternative; where it begins.
    fn alternative(&mut self, bounds: &Bounds) -> Result<GlobalId, TranslationError> {
        self.checks += 1;
        let what = format!("check {}", self.checks);
        let mut number = 0;
        let entry = self.global(&what, number);
        let (mut sides, mut free, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        sides.resize_with(bounds.len(), Sides::default);
        for p in (0..self.net.places.len() as u32).map(PlaceId) {
            if self.control.mode(p).is_some() || self.units[p.index()] == 0 {
                continue;
            }
            let on = self.on[p.index()];
            let counts: Vec<(usize, i128)> = bounds
                .keys()
                .enumerate()
                .filter_map(|(j, form)| Some((j, coefficient(form, p)?)))
                .collect();
            match counts.as_slice() {
                [] => free.push(on),
                [(j, 1)] => sides[*j].plus.push(on),
                [(j, -1)] => sides[*j].minus.push(on),
                several => changes.push((on, several.to_vec())),
            }
        }
        let mut here = entry;
        for (on, counts) in changes {
            self.change(&what, &mut number, here, on, &counts, &mut sides)?;
        }
        for (sides, interval) in sides.iter().zip(bounds.values()) {
            here = self.take_between(&what, &mut number, here, sides, *interval)?;
        }
        for local in free {
            self.step(local, here, self.gone, here)?;
        }
        for (sides, interval) in sides.iter().zip(bounds.values()) {
            self.take_freely(&what, &mut number, here, sides, *interval)?;
        }
        self.step(self.waiting, here, self.reached, self.end)?;
        Ok(entry)
    }

    /// A token that counts several times becomes that many tokens on accumulators.
    fn change(
        &mut self,
        what: &str,
        number: &mut usize,
        here: GlobalId,
        on: LocalId,
        counts: &[(usize, i128)],
        sides: &mut [Sides],
    ) -> Result<(), TranslationError> {
        let mut moves = Vec::new();
        for (j, a) in counts {
            let size = a.unsigned_abs();
            check_number(|| "a coefficient of the query".into(), size + moves.len() as u128)?;
            let sign = if *a > 0 { '+' } else { '-' };
            // Only one check ever runs, so all may use the same accumulators.
            let sum = self.system.local(&format!("sum {} {sign}", j + 1));
            let side = if *a > 0 { &mut sides[*j].plus } else { &mut sides[*j].minus };
            if !side.contains(&sum) {
                side.push(sum);
            }
            for _ in 0..size {
                let from = if moves.is_empty() { on } else { self.new };
                moves.push((from, sum));
            }
        }
        self.chain(what, number, here, &moves, here).map(|_| ())
    }

    /// Takes as many tokens as the bounds ask for, and then up to as many as they allow.
    fn take_between(
        &mut self,
        what: &str,
        number: &mut usize,
        from: GlobalId,
        sides: &Sides,
        Interval { low, high }: Interval,
    ) -> Result<GlobalId, TranslationError> {
        // Tokens of the side that must be taken, and that may be taken besides.
        let low_high = |low: Option<i128>, high: Option<i128>| {
            let must = low.unwrap_or(0).max(0);
            let may = high.map_or(0, |high| (high - must).max(0));
            (must.unsigned_abs(), may.unsigned_abs())
        };
        let mut here = from;
        let negative = |n: Option<i128>| n.map(|n| -n);
        for (locals, (must, may)) in [
            (&sides.plus, low_high(low, high)),
            (&sides.minus, low_high(negative(high), negative(low))),
        ] {
            check_number(|| "a bound of the query".into(), must + may)?;
            for _ in 0..must {
                *number += 1;
                let next = self.global(what, *number);
                for local in locals {
                    self.step(*local, here, self.gone, next)?;
                }
                here = next;
            }
            if may == 0 || locals.is_empty() {
                continue;
            }
            let states: Vec<GlobalId> = (0..may)
                .map(|_| {
                    *number += 1;
                    self.global(what, *number)
                })
                .collect();
            let Some(last) = states.last().copied() else { continue };
            for next in states {
                for local in locals {
                    self.step(*local, here, self.gone, next)?;
                }
                self.step(self.waiting, here, self.waiting, last)?;
                here = next;
            }
        }
        Ok(here)
    }

    /// Tokens that cancel each other, and tokens beyond a bound that is not there.
    fn take_freely(
        &mut self,
        what: &str,
        number: &mut usize,
        here: GlobalId,
        sides: &Sides,
        Interval { low, high }: Interval,
    ) -> Result<(), TranslationError> {
        if !sides.plus.is_empty() && !sides.minus.is_empty() {
            *number += 1;
            let between = self.global(what, *number);
            for local in &sides.plus {
                self.step(*local, here, self.gone, between)?;
            }
            for local in &sides.minus {
                self.step(*local, between, self.gone, here)?;
            }
        }
        let plus = sides.plus.iter().filter(|_| high.is_none());
        let minus = sides.minus.iter().filter(|_| low.is_none());
        for local in plus.chain(minus) {
            self.step(*local, here, self.gone, here)?;
        }
        Ok(())
    }
}

fn coefficient(form: &Form, place: PlaceId) -> Option<i128> {
    let at = form.binary_search_by_key(&place, |(p, _)| *p).ok()?;
    form.get(at).map(|(_, a)| *a)
}

/// The greatest common factor of the tokens and weights of each place; 0 if it has none at all.
fn units(net: &PetriNet) -> Vec<u64> {
    let mut units: Vec<i128> = net.places.iter().map(|p| i128::from(p.initial)).collect();
    for t in &net.transitions {
        for (p, n) in t.takes.iter().chain(&t.gives) {
            let unit = &mut units[p.index()];
            *unit = greatest_common_divisor(*unit, i128::from(*n));
        }
    }
    units.into_iter().map(|unit| u64::try_from(unit).unwrap_or(1)).collect()
}

fn check_tokens(
    what: impl Fn() -> String,
    arcs: &[(PlaceId, u64)],
) -> Result<(), TranslationError> {
    check_number(what, arcs.iter().map(|(_, n)| u128::from(*n)).sum())
}

fn check_number(what: impl Fn() -> String, number: u128) -> Result<(), TranslationError> {
    if number > MAX_TOKENS {
        return Err(TranslationError::TooManyTokens { what: what(), number, limit: MAX_TOKENS });
    }
    Ok(())
}
