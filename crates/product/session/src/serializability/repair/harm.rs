//! What a repair must not do: make a request spin, wait forever, or do something else when alone.
//!
//! These are compared on the states of the program before and after, if there are few enough;
//! otherwise the shape of the program has to be enough.

use crate::serializability::outline::Outline;
use crate::serializability::trials::Trials;
use ser_base::Limits;
use ser_model::{GlobalId, LocalId, NetworkSystem, ProgramModel, RequestId};
use ser_net::SerialAutomaton;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The harm that a change can do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Doing {
    /// A request waits without letting others in.
    Spins,
    /// A request does something else when alone, or cannot complete any more.
    Blocks,
}

/// The states of the original program, if they are few enough.
pub(super) struct Harm {
    before: Option<ProgramModel>,
    limits: Limits,
}

/// At most this many pairs of requests in flight are examined.
const MAX_PAIRS: usize = 300_000;

/// So many states a program may have to be compared.
const MAX_STATES: usize = 3_000;

impl Harm {
    pub fn new(text: &str, limits: &Limits) -> Harm {
        let limits = Limits { max_states: MAX_STATES, ..limits.clone() };
        let before = model(text, &limits);
        Harm { before, limits }
    }

    /// What removing some yield points does, if it is harm. Everything else is in its place, so
    /// states before and after can be compared one by one.
    pub fn of_removal(&self, trials: &Trials<'_>, gone: &BTreeSet<usize>) -> Option<Doing> {
        let after = trials.text_without(gone);
        let spins = match (&self.before, model(&after, &self.limits)) {
            (Some(before), Some(after)) => stuck(after.system(), Some(before.system())),
            _ => gone.iter().any(|p| trials.outline().pauses[*p].waits),
        };
        if spins {
            return Some(Doing::Spins);
        }
        (self.is_harmless(&after) == Some(false)).then_some(Doing::Blocks)
    }

    /// Whether moving these yield points to where they are in `after` makes a request wait without
    /// letting others in. States have other names there, so the question is whether there are such
    /// requests at all.
    pub fn spins_when_moved(&self, outline: &Outline, gone: &BTreeSet<usize>, after: &str) -> bool {
        let waits = gone.iter().any(|p| outline.pauses[*p].waits);
        match (&self.before, model(after, &self.limits)) {
            (Some(before), Some(after)) => {
                stuck(after.system(), None) && (waits || !stuck(before.system(), None))
            }
            _ => waits,
        }
    }

    /// Whether requests alone do what they did, and no two of them block each other where they did
    /// not before. Nothing if there are too many states to tell.
    pub fn is_harmless(&self, after: &str) -> Option<bool> {
        let after = model(after, &self.limits)?;
        let (before, after) = (self.before.as_ref()?.system(), after.system());
        let serial_before = SerialAutomaton::alone(before, &self.limits).ok()?;
        let serial_after = SerialAutomaton::alone(after, &self.limits).ok()?;
        if edges(before, before, &serial_before) != edges(after, before, &serial_after) {
            return Some(false);
        }
        let (to_before, to_after) = (columns(before, before), columns(after, before));
        let mut work = MAX_PAIRS;
        for (i, a) in before.requests().iter().enumerate() {
            for b in &before.requests()[i..] {
                let blocked = Pairs::of(after, &serial_after, a, b, &mut work)?.blocked(&to_after);
                if blocked.is_empty() {
                    continue;
                }
                let pairs = Pairs::of(before, &serial_before, a, b, &mut work)?;
                if !blocked.is_subset(&pairs.blocked(&to_before)) {
                    return Some(false);
                }
            }
        }
        Some(true)
    }

    /// The requests that complete only if others run meanwhile: no serial run has their response,
    /// so no serializable program that does the same alone lets them complete. As far as two others
    /// at a time are enough to carry them to the end.
    pub fn only_with_others(&self) -> BTreeSet<String> {
        let Some(model) = &self.before else { return BTreeSet::new() };
        let system = model.system();
        let Ok(serial) = SerialAutomaton::new(system, &self.limits) else {
            return BTreeSet::new();
        };
        let alone: BTreeSet<RequestId> = serial.edges.iter().map(|e| e.outcome.request).collect();
        let never = system.spawns().iter().filter(|(r, _)| !alone.contains(r));
        let mut work = MAX_PAIRS;
        never
            .filter(|(_, start)| completes_in_company(system, *start, &mut work))
            .map(|(r, _)| system.request_name(*r).to_owned())
            .collect()
    }
}

/// Whether a request that starts in `start` completes in some run with at most two others in flight
/// at any time; no, if that is too much work to find out.
fn completes_in_company(system: &NetworkSystem, start: LocalId, work: &mut usize) -> bool {
    type Company = (GlobalId, LocalId, [Option<LocalId>; 2]);
    let first: Company = (system.initial_global(), start, [None, None]);
    let mut seen: HashSet<Company> = HashSet::from([first]);
    let mut open = vec![first];
    while let Some((global, me, others)) = open.pop() {
        if *work == 0 {
            return false;
        }
        *work -= 1;
        if system.replies_of(me).next().is_some() {
            return true;
        }
        let mut targets: Vec<Company> = Vec::new();
        targets.extend(system.steps_at(me, global).iter().map(|s| (s.after, s.to, others)));
        for slot in 0..others.len() {
            let put = |g: GlobalId, other: Option<LocalId>| {
                let mut next = others;
                next[slot] = other;
                next.sort_unstable();
                (g, me, next)
            };
            match others[slot] {
                None => targets.extend(system.spawns().iter().map(|(_, l)| put(global, Some(*l)))),
                Some(other) => {
                    let steps = system.steps_at(other, global).iter();
                    targets.extend(steps.map(|s| put(s.after, Some(s.to))));
                    if system.replies_of(other).next().is_some() {
                        targets.push(put(global, None));
                    }
                }
            }
        }
        open.extend(targets.into_iter().filter(|t| seen.insert(*t)));
    }
    false
}

/// Whether some request is stuck where it stands: it has arrived or yielded, others may have run
/// since, and it has no step. With an original, only where the original had one.
fn stuck(after: &NetworkSystem, original: Option<&NetworkSystem>) -> bool {
    let known: Option<Known<'_>> = original.map(Known::new);
    let is_stuck = |local: LocalId, global: GlobalId| {
        after.steps_at(local, global).is_empty()
            && after.replies_of(local).next().is_none()
            && known.as_ref().is_none_or(|known| {
                known.has_step(after.local_name(local), after.valuation(global))
            })
    };
    // Requests arrive at any global state.
    let arrivals = after.spawns().iter().flat_map(|(_, l)| after.globals().map(move |g| (*l, g)));
    if arrivals.into_iter().any(|(l, g)| is_stuck(l, g)) {
        return true;
    }
    // Elsewhere they have yielded, and others ran.
    let mut next: BTreeMap<GlobalId, BTreeSet<GlobalId>> = BTreeMap::new();
    for step in after.steps() {
        next.entry(step.before).or_default().insert(step.after);
    }
    let mut seen: HashSet<(LocalId, GlobalId)> = HashSet::new();
    let mut open: Vec<(LocalId, GlobalId)> =
        after.steps().iter().map(|s| (s.to, s.after)).collect();
    while let Some((local, global)) = open.pop() {
        if !seen.insert((local, global)) {
            continue;
        }
        if seen.len() > MAX_PAIRS || is_stuck(local, global) {
            return true;
        }
        open.extend(next.get(&global).into_iter().flatten().map(|g| (local, *g)));
    }
    false
}

/// The states of the original program, by name.
struct Known<'s> {
    system: &'s NetworkSystem,
    locals: HashMap<&'s str, LocalId>,
    globals: HashMap<&'s [i64], GlobalId>,
}

impl<'s> Known<'s> {
    fn new(system: &'s NetworkSystem) -> Known<'s> {
        let locals = locals(system).map(|l| (system.local_name(l), l)).collect();
        let globals = system.globals().map(|g| (system.valuation(g), g)).collect();
        Known { system, locals, globals }
    }

    fn has_step(&self, local: &str, values: &[i64]) -> bool {
        match (self.locals.get(local), self.globals.get(values)) {
            (Some(l), Some(g)) => !self.system.steps_at(*l, *g).is_empty(),
            _ => false,
        }
    }
}

fn model(text: &str, limits: &Limits) -> Option<ProgramModel> {
    let parse = ser_syntax::parse(text);
    (!parse.has_errors()).then(|| ProgramModel::new(&parse.program, text, limits).ok())?
}

fn locals(system: &NetworkSystem) -> impl Iterator<Item = LocalId> + use<> {
    (0..system.local_count()).map(LocalId::from_index)
}

type NamedEdge<'s> = (Vec<i64>, &'s str, &'s str, Vec<i64>);

/// Where the variables of the original program are in another one.
fn columns(system: &NetworkSystem, original: &NetworkSystem) -> Vec<Option<usize>> {
    let variables = original.variables().iter();
    variables.map(|v| system.variables().iter().position(|w| w.name == v.name)).collect()
}

/// The values of the original program's variables.
fn project(system: &NetworkSystem, columns: &[Option<usize>], global: GlobalId) -> Vec<i64> {
    let values = system.valuation(global);
    columns.iter().map(|c| c.map_or(0, |c| values[c])).collect()
}

/// What requests alone do, by names, with the variables that the original program has.
fn edges<'s>(
    system: &'s NetworkSystem,
    original: &NetworkSystem,
    automaton: &SerialAutomaton,
) -> BTreeSet<NamedEdge<'s>> {
    let columns = columns(system, original);
    automaton
        .edges
        .iter()
        .map(|e| {
            let request = system.request_name(e.outcome.request);
            let response = system.response_name(e.outcome.response);
            let place = |g: GlobalId| project(system, &columns, g);
            (place(e.before), request, response, place(e.after))
        })
        .collect()
}

/// Two requests in flight, or done.
type Pair = (GlobalId, Option<LocalId>, Option<LocalId>);

/// What two requests can do together, from every global state that serial runs reach.
struct Pairs<'s> {
    system: &'s NetworkSystem,
    starts: Vec<Pair>,
    predecessors: HashMap<Pair, Vec<Pair>>,
    seen: HashSet<Pair>,
}

impl<'s> Pairs<'s> {
    /// Nothing if that is too much work.
    fn of(
        system: &'s NetworkSystem,
        automaton: &SerialAutomaton,
        a: &str,
        b: &str,
        work: &mut usize,
    ) -> Option<Pairs<'s>> {
        let start = |name: &str| {
            let id = |r: &RequestId| system.request_name(*r) == name;
            system.spawns().iter().find(|(r, _)| id(r)).map(|(_, l)| *l)
        };
        let (a, b) = (start(a)?, start(b)?);
        let starts: Vec<Pair> = automaton.states.iter().map(|g| (*g, Some(a), Some(b))).collect();
        let mut predecessors: HashMap<Pair, Vec<Pair>> = HashMap::new();
        let mut open = starts.clone();
        let mut seen: HashSet<Pair> = open.iter().copied().collect();
        while let Some(pair) = open.pop() {
            *work = work.checked_sub(1)?;
            for target in successors(system, pair) {
                predecessors.entry(target).or_default().push(pair);
                if seen.insert(target) {
                    open.push(target);
                }
            }
        }
        Some(Pairs { system, starts, predecessors, seen })
    }

    /// All pairs from which one of these can be reached.
    fn before(&self, mut open: Vec<Pair>) -> HashSet<Pair> {
        let mut found: HashSet<Pair> = open.iter().copied().collect();
        while let Some(pair) = open.pop() {
            for before in self.predecessors.get(&pair).into_iter().flatten() {
                if found.insert(*before) {
                    open.push(*before);
                }
            }
        }
        found
    }

    /// The global states from which both requests can get to where they never both complete.
    fn blocked(&self, columns: &[Option<usize>]) -> BTreeSet<Vec<i64>> {
        let done = self.seen.iter().filter(|(_, a, b)| a.is_none() && b.is_none());
        let good = self.before(done.copied().collect());
        let bad = self.seen.difference(&good).copied().collect();
        let doomed = self.before(bad);
        let starts = self.starts.iter().filter(|pair| doomed.contains(pair));
        starts.map(|(global, ..)| project(self.system, columns, *global)).collect()
    }
}

fn successors(system: &NetworkSystem, (global, a, b): Pair) -> Vec<Pair> {
    let mut targets = Vec::new();
    for (me, is_first) in [(a, true), (b, false)] {
        let Some(me) = me else { continue };
        let put = |g: GlobalId, me: Option<LocalId>| {
            if is_first { (g, me, b) } else { (g, a, me) }
        };
        if system.replies_of(me).next().is_some() {
            targets.push(put(global, None));
        }
        targets.extend(system.steps_at(me, global).iter().map(|s| put(s.after, Some(s.to))));
    }
    targets
}
