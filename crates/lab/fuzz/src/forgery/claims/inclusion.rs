//! An invariant, held against all configurations of few requests.

use super::{Claim, Ground, WIDE};
use crate::forgery::net::{Effect, Letter, Net, Place, Transition, global_id, letter, place};
use crate::forgery::runs::{Letters, Serial, configurations};
use ser_model::{GlobalId, NetworkSystem};
use ser_serializability_checker::{Inclusion, LetterName, PlaceName};
use std::collections::BTreeMap;

/// A triple, with names resolved.
struct Triple {
    global: GlobalId,
    numbers: BTreeMap<Place, (u64, u64)>,
    serial: Vec<Element>,
}

struct Element {
    state: GlobalId,
    loops: Vec<Letter>,
    debts: Vec<Letter>,
    waiting: Option<Letter>,
}

pub(super) struct Invariant<'a> {
    serial: &'a Serial,
    triples: Vec<Triple>,
    promises: BTreeMap<Place, Vec<Letter>>,
    /// For each state, those that are said to stand in for it, with the letters that this needs.
    stand_ins: BTreeMap<GlobalId, Vec<(GlobalId, Vec<Letter>)>>,
    /// Whether all elements of a triple, with these letters to insert, are explanations of these
    /// letters.
    known: BTreeMap<(usize, Letters, Vec<Letter>), bool>,
}

impl Invariant<'_> {
    pub(super) fn try_all(proof: &Inclusion, net: &Net, ground: &Ground<'_>) -> Claim {
        let system = ground.system;
        let mut labels: BTreeMap<Place, Letter> = BTreeMap::new();
        for label in &proof.labels {
            let at = place(&PlaceName(label.request.clone(), label.local.clone()), system);
            let (Some(at), Some(letter)) = (at, letter(&label.request, &label.response, system))
            else {
                return Claim::Fails("a label names what does not exist".into());
            };
            labels.insert(at, letter);
        }
        let known = |LetterName(request, response): &LetterName| letter(request, response, system);
        let mut promises: BTreeMap<Place, Vec<Letter>> = BTreeMap::new();
        for promise in &proof.promises {
            let at = place(&PlaceName(promise.request.clone(), promise.local.clone()), system);
            let loops: Option<Vec<Letter>> = promise.loops.iter().map(known).collect();
            let (Some(at), Some(loops)) = (at, loops) else {
                return Claim::Fails("a promise names what does not exist".into());
            };
            promises.insert(at, loops);
        }
        let mut stand_ins: BTreeMap<GlobalId, Vec<(GlobalId, Vec<Letter>)>> = BTreeMap::new();
        for entry in &proof.stand_ins {
            let state = global_id(&entry.global, system);
            let other = global_id(&entry.instead_of, system);
            let loops: Option<Vec<Letter>> = entry.loops.iter().map(known).collect();
            let (Some(state), Some(other), Some(loops)) = (state, other, loops) else {
                return Claim::Fails("a stand-in names what does not exist".into());
            };
            stand_ins.entry(other).or_default().push((state, loops));
        }
        let Some(triples) = proof.invariant.iter().map(|t| resolve(t, system)).collect() else {
            return Claim::Fails("a triple names what does not exist".into());
        };
        let read = |t: &Transition| match (t.take, t.effect) {
            (Some(from), _) if labels.contains_key(&from) => None,
            (_, Effect::Place(to)) => labels.get(&to).copied(),
            (_, Effect::Letter(letter)) => Some(letter),
        };
        let Some(all) = configurations(net, WIDE, &read) else { return Claim::TooMuch };
        let (serial, known) = (&ground.serial, BTreeMap::new());
        let mut invariant = Invariant { serial, triples, promises, stand_ins, known };
        for (global, flying, letters) in &all {
            if flying.is_empty() && !ground.serial.has_outcome(letters) {
                return Claim::Fails(format!("{letters:?} is not serial"));
            }
            if !invariant.covers(*global, flying, letters) {
                let shown = format!("no triple covers {global:?}, {flying:?} after {letters:?}");
                return Claim::Fails(shown);
            }
        }
        Claim::Holds
    }

    fn covers(&mut self, global: GlobalId, flying: &[Place], letters: &Letters) -> bool {
        (0..self.triples.len()).any(|i| {
            let triple = &self.triples[i];
            triple.global == global && triple.fits(flying) && self.explains(i, flying, letters)
        })
    }

    fn explains(&mut self, i: usize, flying: &[Place], letters: &Letters) -> bool {
        let (serial, triple) = (self.serial, &self.triples[i]);
        let mut promised: Vec<Letter> =
            flying.iter().filter_map(|place| self.promises.get(place)).flatten().copied().collect();
        promised.sort_unstable();
        promised.dedup();
        let key = (i, letters.clone(), promised.clone());
        let all = *self.known.entry(key).or_insert_with(|| {
            triple.serial.iter().all(|element| {
                let stand_ins = self.stand_ins.get(&element.state).map_or(&[][..], Vec::as_slice);
                element.explains(letters, &promised, stand_ins, serial)
            })
        });
        let settled = |e: &Element| e.debts.is_empty() && e.waiting.is_none();
        all && (!flying.is_empty() || triple.serial.iter().any(settled))
    }
}

impl Triple {
    fn fits(&self, flying: &[Place]) -> bool {
        let places = self.numbers.keys().chain(flying);
        places.into_iter().all(|place| {
            let number = flying.iter().filter(|p| *p == place).count() as u64;
            match self.numbers.get(place) {
                None => number == 0,
                Some((least, 0)) => number == *least,
                Some((least, period)) => {
                    number >= *least && (number - least).is_multiple_of(*period)
                }
            }
        })
    }
}

impl Element {
    /// Whether there is a path to the state, or to one that stands in for it, and letters to insert
    /// into it, as an explanation of these letters needs.
    fn explains(
        &self,
        letters: &Letters,
        promised: &[Letter],
        stand_ins: &[(GlobalId, Vec<Letter>)],
        serial: &Serial,
    ) -> bool {
        let mut rest = letters.clone();
        if let Some(waiting) = self.waiting {
            match rest.iter().position(|l| *l == waiting) {
                None => return false,
                Some(at) => drop(rest.remove(at)),
            }
        }
        (0..1usize << rest.len()).any(|chosen| {
            let pick = |wanted: usize| {
                let some = rest.iter().enumerate().filter(move |(i, _)| chosen >> i & 1 == wanted);
                some.map(|(_, l)| *l).collect::<Letters>()
            };
            let (on_path, inserted) = (pick(1), pick(0));
            serial.paths(&on_path).iter().any(|path| {
                let looped = |l: &Letter| path.iter().any(|state| serial.can_insert(*state, *l));
                let ends = path.last() == Some(&self.state)
                    || stand_ins.iter().any(|(state, needs)| {
                        path.last() == Some(state) && needs.iter().all(looped)
                    });
                ends && self.loops.iter().chain(promised).all(looped)
                    && inserted.iter().all(|l| looped(l) || self.debts.contains(l))
            })
        })
    }
}

fn resolve(triple: &ser_serializability_checker::Triple, system: &NetworkSystem) -> Option<Triple> {
    let mut numbers = BTreeMap::new();
    for entry in &triple.in_flight {
        let at = place(&PlaceName(entry.request.clone(), entry.local.clone()), system)?;
        numbers.insert(at, (entry.count, entry.period));
    }
    let known = |LetterName(request, response): &LetterName| letter(request, response, system);
    let mut serial = Vec::new();
    for element in &triple.serial {
        serial.push(Element {
            state: global_id(&element.global, system)?,
            loops: element.loops.iter().map(known).collect::<Option<_>>()?,
            debts: element.debts.iter().map(known).collect::<Option<_>>()?,
            waiting: match &element.waiting {
                None => None,
                Some(name) => Some(known(name)?),
            },
        });
    }
    Some(Triple { global: global_id(&triple.global, system)?, numbers, serial })
}
