//! A proof by arithmetic, held against the counts of short runs.

use super::{Claim, Ground, LONG};
use crate::forgery::net::{Effect, Letter, Net, Place, Transition, global_id, letter, place};
use crate::forgery::runs::{Run, complete_runs};
use ser_model::{GlobalId, NetworkSystem};
use ser_serializability_checker::{
    Arithmetic, Component, CutPlace, EffectName, End, LetterName, Member, Node, Part, PlaceName,
    Reading, Terms, TransitionName, hypothesis,
};
use std::collections::{BTreeMap, BTreeSet};

type Counts = BTreeMap<Letter, i128>;

/// A base and periods.
type Vectors = (Counts, Vec<Counts>);

/// The most periods that are added to a base to see whether that is serial.
const PERIODS: usize = 2;

/// The most letters of an outcome that is tried.
const LETTERS: i128 = 5;

/// A false statement, in words.
type Wrong = String;

pub(super) fn try_all(proof: &Arithmetic, net: &Net, ground: &Ground<'_>) -> Claim {
    match statements(proof, net, ground) {
        Ok(()) => Claim::Holds,
        Err(wrong) => Claim::Fails(wrong),
    }
}

fn statements(proof: &Arithmetic, net: &Net, ground: &Ground<'_>) -> Result<(), Wrong> {
    let system = ground.system;
    let named = proof.transitions.iter().map(|t| resolve(t, system));
    let list: Vec<Transition> =
        named.collect::<Option<_>>().ok_or("a transition names what does not exist")?;
    if list.iter().copied().collect::<BTreeSet<_>>() != net.transitions {
        return Err("the list of transitions is not that of the reduced net".into());
    }
    let mut components: Vec<Vectors> = Vec::new();
    for component in &proof.components {
        let vectors = vectors(component, &components, system).ok_or("a component is not one")?;
        serial_outcomes(&vectors, ground)?;
        components.push(vectors);
    }
    for run in complete_runs(net, LONG) {
        let case = |c: &&ser_serializability_checker::FinalCase| {
            c.global.as_ref().is_none_or(|global| global_id(global, system) == Some(run.end))
        };
        let Some(case) = proof.cases.iter().find(case) else {
            return Err(format!("no case for {:?}", run.end));
        };
        let fired: Vec<usize> =
            run.steps.iter().filter_map(|(t, _)| list.iter().position(|u| u == t)).collect();
        let counts = count(&fired, list.len());
        let named = counts.iter().enumerate().map(|(i, n)| (hypothesis::count(i), *n));
        let mut walk = Walk {
            values: named.collect(),
            phases: BTreeMap::new(),
            list: &list,
            fired: &fired,
            counts,
            components: &components,
            run: &run,
            system,
        };
        walk.down(&case.tree).map_err(|wrong| format!("{wrong}, of {run:?}"))?;
    }
    Ok(())
}

fn count(fired: &[usize], size: usize) -> Vec<i128> {
    let mut counts = vec![0; size];
    for i in fired {
        counts[*i] += 1;
    }
    counts
}

/// One run on its way down a tree.
struct Walk<'a> {
    values: BTreeMap<String, i128>,
    /// The counts of the two parts of the run.
    phases: BTreeMap<String, (Vec<i128>, Vec<i128>)>,
    list: &'a [Transition],
    fired: &'a [usize],
    counts: Vec<i128>,
    components: &'a [Vectors],
    run: &'a Run,
    system: &'a NetworkSystem,
}

impl Walk<'_> {
    /// Into every branch whose hypothesis is true of the run.
    fn down(&mut self, node: &Node) -> Result<(), Wrong> {
        match node {
            Node::Split { form, at, le, gt, .. } => {
                let low = self.value(form)? <= i128::from(*at);
                self.down(if low { le } else { gt })
            }
            Node::Sign { form, negative, zero, positive, .. } => match self.value(form)?.signum() {
                -1 => self.down(negative),
                0 => self.down(zero),
                _ => self.down(positive),
            },
            Node::Modulo { form, q, variable, cases, .. } => {
                let (value, q) = (self.value(form)?, i128::from(*q));
                let remainder = value.checked_rem_euclid(q).ok_or("remainder by zero")?;
                let case = usize::try_from(remainder).ok().and_then(|r| cases.get(r));
                let case = case.ok_or("a remainder has no case")?;
                let old = self.values.insert(variable.clone(), value.div_euclid(q));
                self.down(case)?;
                self.restore(variable, old);
                Ok(())
            }
            Node::Cut { places, side, phase, part, none, some, .. } => {
                let (users, helpers) = self.cut(places, *side, phase.as_deref(), *part)?;
                if users > 0 && helpers == 0 {
                    return Err("a cut is wrong".into());
                }
                if users == 0 {
                    self.down(none)?;
                }
                if helpers > 0 {
                    self.down(some)?;
                }
                Ok(())
            }
            Node::Last { transition, name, never, some } => {
                let Some(at) = self.fired.iter().rposition(|i| i == transition) else {
                    return self.down(never);
                };
                let size = self.list.len();
                let parts = (count(&self.fired[..at], size), count(&self.fired[at + 1..], size));
                for (i, n) in parts.1.iter().enumerate().filter(|(i, _)| i != transition) {
                    self.values.insert(hypothesis::phase_count(name, i), *n);
                }
                self.phases.insert(name.clone(), parts);
                self.down(some)?;
                self.phases.remove(name);
                Ok(())
            }
            Node::Farkas { .. } | Node::Lattice { .. } => {
                Err("a run reaches a case that is called impossible".into())
            }
            Node::Member { member } => self.member(member),
        }
    }

    fn restore(&mut self, name: &str, old: Option<i128>) {
        match old {
            None => drop(self.values.remove(name)),
            Some(value) => drop(self.values.insert(name.to_owned(), value)),
        }
    }

    fn value(&self, form: &Terms) -> Result<i128, Wrong> {
        let mut sum: i128 = 0;
        for (name, number) in &form.0 {
            let number = whole(number).ok_or_else(|| format!("a number {number}"))?;
            let value = match name.as_str() {
                "1" => 1,
                name => *self.values.get(name).ok_or_else(|| format!("no variable {name}"))?,
            };
            let term = number.checked_mul(value).ok_or("a large number")?;
            sum = sum.checked_add(term).ok_or("a large number")?;
        }
        Ok(sum)
    }

    /// How often transitions fire that need somebody to help, and those that help.
    fn cut(
        &self,
        places: &[CutPlace],
        side: End,
        phase: Option<&str>,
        part: Option<Part>,
    ) -> Result<(i128, i128), Wrong> {
        let (mut globals, mut in_flight) = (BTreeSet::new(), BTreeSet::new());
        for spot in places {
            match spot {
                CutPlace::Global { global } => {
                    globals.insert(global_id(global, self.system).ok_or("no such global state")?);
                }
                CutPlace::InFlight { request, local } => {
                    let name = PlaceName(request.clone(), local.clone());
                    in_flight.insert(place(&name, self.system).ok_or("no such place")?);
                }
            }
        }
        let counts = match (phase.map(|name| self.phases.get(name)), part) {
            (None, None) => &self.counts,
            (Some(Some(parts)), Some(Part::First)) => &parts.0,
            (Some(Some(parts)), Some(Part::Second)) => &parts.1,
            _ => return Err("no such part of the run".into()),
        };
        let inside = |global: GlobalId, place: Option<Place>| {
            globals.contains(&global) || place.is_some_and(|p| in_flight.contains(&p))
        };
        let (mut users, mut helpers) = (0, 0);
        for (t, n) in self.list.iter().zip(counts) {
            let (takes, puts) = (inside(t.before, t.take), inside(t.after, t.put()));
            let (uses, helps) = match side {
                End::Start => (takes, puts),
                End::End => (puts, takes),
            };
            if uses {
                users += n;
            } else if helps {
                helpers += n;
            }
        }
        Ok((users, helpers))
    }

    fn member(&self, member: &Member) -> Result<(), Wrong> {
        let (base, periods) = self.components.get(member.component).ok_or("no such component")?;
        let mut made = base.clone();
        if periods.len() != member.lambda.len() {
            return Err("not as many numbers as periods".into());
        }
        for (period, form) in periods.iter().zip(&member.lambda) {
            let times = self.value(form)?;
            if times < 0 {
                return Err("a period is used less than never".into());
            }
            for (letter, n) in period {
                let entry = made.entry(*letter).or_insert(0);
                *entry = entry.saturating_add(n.saturating_mul(times));
            }
        }
        let mut outcome = Counts::new();
        for (t, _) in &self.run.steps {
            if let Effect::Letter(letter) = t.effect {
                *outcome.entry(letter).or_insert(0) += 1;
            }
        }
        made.retain(|_, n| *n != 0);
        if made == outcome { Ok(()) } else { Err("the outcome is not in the component".into()) }
    }
}

/// Small outcomes of a component are serial.
fn serial_outcomes((base, periods): &Vectors, ground: &Ground<'_>) -> Result<(), Wrong> {
    let mut now = vec![base.clone()];
    for _ in 0..=PERIODS {
        let mut next = Vec::new();
        for counts in now.iter().filter(|counts| counts.values().sum::<i128>() <= LETTERS) {
            let letters: Vec<Letter> = counts
                .iter()
                .flat_map(|(l, n)| std::iter::repeat_n(*l, usize::try_from(*n).unwrap_or(0)))
                .collect();
            if !ground.serial.has_outcome(&letters) {
                return Err(format!("{letters:?} is in a component and not serial"));
            }
            for period in periods {
                let mut more = counts.clone();
                for (letter, n) in period {
                    *more.entry(*letter).or_insert(0) += n;
                }
                next.push(more);
            }
        }
        now = next;
        now.truncate(60);
    }
    Ok(())
}

fn vectors(component: &Component, earlier: &[Vectors], system: &NetworkSystem) -> Option<Vectors> {
    let counted = |word: &[Reading]| {
        let mut counts = Counts::new();
        for Reading(LetterName(request, response), _) in word {
            *counts.entry(letter(request, response, system)?).or_insert(0) += 1;
        }
        Some(counts)
    };
    match component {
        Component::Words { word, cycles } => {
            let periods = cycles.iter().map(|cycle| counted(&cycle.word)).collect::<Option<_>>()?;
            Some((counted(word)?, periods))
        }
        Component::Merge { merge: (first, second), .. } => {
            Some((earlier.get(*first)?.0.clone(), earlier.get(*second)?.1.clone()))
        }
    }
}

fn resolve(name: &TransitionName, system: &NetworkSystem) -> Option<Transition> {
    Some(Transition {
        before: global_id(&name.before, system)?,
        take: match &name.takes {
            None => None,
            Some(from) => Some(place(from, system)?),
        },
        after: global_id(&name.after, system)?,
        effect: match &name.effect {
            EffectName::Gives(to) => Effect::Place(place(to, system)?),
            EffectName::Responds(LetterName(request, response)) => {
                Effect::Letter(letter(request, response, system)?)
            }
        },
    })
}

/// A whole number, perhaps as a fraction that could be reduced.
fn whole(text: &str) -> Option<i128> {
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    let (above, below): (i128, i128) = (above.parse().ok()?, below.parse().ok()?);
    (below > 0 && above % below == 0).then(|| above / below)
}
