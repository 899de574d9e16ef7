//! Looks for a proof on symbolic steps: what may wait, where requests commit, and which facts that
//! takes. Nothing of it is trusted; what has to hold is told, and checked, by the checker
//! ([`ser_serializability_checker::symbolic`]), whose conditions are asked here.
//!
//! Facts come from `candidates`, as many as could be of use. Random runs (`walk`) drop those that
//! are plainly false; then those that some step may break are dropped, until nothing is broken. The
//! rest is inductive. Facts that hold whoever commits first are enough to see which pairs of steps
//! never commute, and so which commit points are worth a try; then there may be more facts, of who
//! committed first. In the end, what the proof can do without is left out.

mod candidates;
mod walk;

use candidates::candidates;
use ser_base::{Limits, Span, Stop};
use ser_model::{NotSymbolic, SymbolicNet, SymbolicStep};
use ser_serializability_checker::symbolic::{
    Begin, CannotDefer, Conflict, Deferred, Fact, FactId, Facts, Wrong, begun, broken_facts,
    commutes, deferred, swaps, symbolic_net, symbolic_proof,
};
use ser_serializability_checker::{Reason, SymbolicProof};
use ser_syntax::core::Program;
use std::collections::{BTreeMap, BTreeSet};
use walk::Walks;

/// With more places than this, not all choices of commit points are looked at.
const MAX_PLACES: usize = 12;

/// So many choices of commit points are tried with facts of their own.
const MAX_TRIES: usize = 24;

/// How often to try to leave out facts; less often if there are many pairs of steps, with this many
/// in all.
const MAX_SHRINKING: usize = 300;
const MAX_SHRINKING_PAIRS: usize = 24_000;

/// A proof, and what it is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolicFound {
    /// The steps of the program, and those that are left once requests wait.
    pub net: SymbolicNet,
    pub left: SymbolicNet,
    pub defer: Vec<Deferred>,
    pub begin: Vec<Begin>,
    pub facts: Facts,
    pub after: BTreeSet<usize>,
    pub proof: SymbolicProof,
}

/// Why there is no proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoSymbolicProof {
    /// The program has no such steps.
    NoSteps(NotSymbolic),
    /// With the best choice of commit points, these steps do not commute.
    Conflict {
        first: StepAt,
        second: StepAt,
    },
    /// There is no choice of commit points.
    NoCommit,
    Stopped(Stop),
    /// Something else that the checker says.
    Refused(Reason),
}

/// A step, by its request and where that goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepAt {
    pub handler: String,
    /// Nothing if it arrives.
    pub from: Option<Span>,
}

impl StepAt {
    fn of(net: &SymbolicNet, step: usize) -> StepAt {
        let step = &net.steps[step];
        let handler = net.handlers[step.handler].name.clone();
        StepAt { handler, from: step.from.map(|place| net.places[place].span) }
    }
}

impl From<Reason> for NoSymbolicProof {
    fn from(reason: Reason) -> NoSymbolicProof {
        match reason {
            Reason::Stopped(stop) => NoSymbolicProof::Stopped(stop),
            reason => NoSymbolicProof::Refused(reason),
        }
    }
}

/// Looks for a proof; once there is one, `whole` bounds the time in which it is made smaller.
pub fn prove_symbolically(
    program: &Program,
    text: &str,
    limits: &Limits,
    whole: &Limits,
) -> Result<SymbolicFound, NoSymbolicProof> {
    let net = symbolic_net(program, text, limits).map_err(NoSymbolicProof::NoSteps)?;
    let Waiting { net: mut left, facts: waiting, defer } = wait(&net, limits)?;
    // Facts about what requests do without waiting are known already.
    let is_plain = |facts: &Facts| facts.one.values().flatten().all(|it| it.given.is_empty());
    let known = waiting.clone().filter(|facts| defer.is_empty() && is_plain(facts));
    let mut begin = Vec::new();
    let (facts, after) = match commit(&left, known, limits) {
        Err(why @ (NoSymbolicProof::Conflict { .. } | NoSymbolicProof::NoCommit)) => {
            (left, begin) = begin_to_wait(left, limits)?;
            match begin.is_empty() {
                true => return Err(why),
                false => commit(&left, None, limits).map_err(|again| match again {
                    // What is said is about steps that are there.
                    NoSymbolicProof::Conflict { .. } | NoSymbolicProof::NoCommit => why,
                    again => again,
                })?,
            }
        }
        found => found?,
    };
    // There is a proof. How much is left out of it is bounded in work, so that it is the same each
    // time.
    let fits = |facts: &Facts| Ok(commutes(&left, facts, &after, whole)?.is_ok());
    let facts = shrink(&left, facts, &after, &fits, whole);
    let waiting = match waiting.filter(|_| !defer.is_empty()) {
        None => Facts::default(),
        Some(waiting) => {
            let fits = |facts: &Facts| can_wait(&net, facts, &defer, &left, whole);
            shrink(&net, waiting, &BTreeSet::new(), &fits, whole)
        }
    };
    let proof = symbolic_proof(&net, &waiting, &defer, &begin, &facts, &after);
    Ok(SymbolicFound { net, left, defer, begin, facts, after, proof })
}

/// Lets requests begin to wait wherever they may.
fn begin_to_wait(
    mut net: SymbolicNet,
    limits: &Limits,
) -> Result<(SymbolicNet, Vec<Begin>), Reason> {
    let mut entries: BTreeSet<(usize, Option<usize>, usize)> = BTreeSet::new();
    let entering = net.steps.iter().filter(|step| step.put() != step.from);
    entries.extend(entering.filter_map(|step| Some((step.handler, step.from, step.put()?))));
    let mut begin = Vec::new();
    for (handler, from, place) in entries {
        let entry = Begin { handler, from, place };
        if let Some(more) = begun(&net, &entry, limits)? {
            net = more;
            begin.push(entry);
        }
    }
    Ok((net, begin))
}

/// A net in which requests wait.
struct Waiting {
    net: SymbolicNet,
    /// Of the net in which they do not, if there was somebody who might.
    facts: Option<Facts>,
    defer: Vec<Deferred>,
}

fn wait(net: &SymbolicNet, limits: &Limits) -> Result<Waiting, Reason> {
    let mut waiting = Waiting { net: net.clone(), facts: None, defer: Vec::new() };
    'again: loop {
        for handler in 0..net.handlers.len() {
            let own = (0..net.places.len()).filter(|it| net.places[*it].handler == handler);
            for from in std::iter::once(None).chain(own.map(Some)) {
                let own = (0..net.places.len()).filter(|it| net.places[*it].handler == handler);
                let mut places: BTreeSet<usize> = own.filter(|it| Some(*it) != from).collect();
                loop {
                    places = looking(&waiting.net, handler, from, places);
                    if places.is_empty() {
                        break;
                    }
                    let facts = match waiting.facts.take() {
                        Some(facts) => facts,
                        None => infer(net, &BTreeSet::new(), true, limits)?,
                    };
                    let facts = waiting.facts.insert(facts);
                    let entry = Deferred { handler, from, places: places.clone() };
                    match deferred(&waiting.net, facts, &entry, limits)? {
                        Ok(after) => {
                            waiting.net = after;
                            waiting.defer.push(entry);
                            continue 'again;
                        }
                        Err(CannotDefer::Enters(step)) => {
                            let step = &waiting.net.steps[step];
                            places.retain(|it| Some(*it) != step.put());
                        }
                        Err(CannotDefer::Exit(step)) => {
                            let step = &waiting.net.steps[step];
                            places.retain(|it| Some(*it) != step.from);
                        }
                    }
                }
            }
        }
        return Ok(waiting);
    }
}

/// Those of the places that can only be entered from x or from each other, by steps that leave the
/// global variables alone.
fn looking(
    net: &SymbolicNet,
    handler: usize,
    from: Option<usize>,
    mut places: BTreeSet<usize>,
) -> BTreeSet<usize> {
    loop {
        let fits = |step: &SymbolicStep| {
            let inside = step.from.is_some_and(|it| places.contains(&it));
            let right = inside || step.from == from && step.handler == handler;
            right && step.globals.is_empty()
        };
        let bad = net.steps.iter().filter(|step| !fits(step)).filter_map(SymbolicStep::put);
        let bad: BTreeSet<usize> = bad.filter(|place| places.contains(place)).collect();
        if bad.is_empty() {
            break;
        }
        places.retain(|place| !bad.contains(place));
    }
    let entered: BTreeSet<usize> = net.steps.iter().filter_map(SymbolicStep::put).collect();
    places.retain(|place| entered.contains(place));
    places
}

/// Whether requests can still wait with other facts, and this is what is left: with fewer facts,
/// more steps seem to be possible.
fn can_wait(
    net: &SymbolicNet,
    facts: &Facts,
    defer: &[Deferred],
    left: &SymbolicNet,
    limits: &Limits,
) -> Result<bool, Reason> {
    let mut net = net.clone();
    for entry in defer {
        match deferred(&net, facts, entry, limits)? {
            Ok(after) => net = after,
            Err(_) => return Ok(false),
        }
    }
    Ok(net == *left)
}

/// Facts, and the places in which requests have committed.
fn commit(
    net: &SymbolicNet,
    known: Option<Facts>,
    limits: &Limits,
) -> Result<(Facts, BTreeSet<usize>), NoSymbolicProof> {
    let used: BTreeSet<usize> = net.steps.iter().filter_map(SymbolicStep::put).collect();
    if used.is_empty() {
        return Ok((Facts::default(), used));
    }
    let facts = match known {
        Some(facts) => facts,
        None => infer(net, &BTreeSet::new(), false, limits)?,
    };
    let conflicts = conflicts(net, &facts, limits)?;
    let used: Vec<usize> = used.into_iter().collect();
    let mut ranked: Vec<(usize, usize, BTreeSet<usize>)> = Vec::new();
    for after in choices(net, &used) {
        let [lost, open] = hardness(net, &after, &conflicts);
        ranked.push((lost, open, after));
    }
    ranked.sort();
    let mut best = None;
    for (lost, open, after) in ranked.into_iter().take(MAX_TRIES) {
        limits.check_clock().map_err(NoSymbolicProof::Stopped)?;
        if lost + open == 0 {
            return Ok((facts, after));
        }
        // Facts of who committed first.
        let facts = infer(net, &after, false, limits)?;
        match commutes(net, &facts, &after, limits)? {
            Ok(_) => return Ok((facts, after)),
            Err(Wrong::Conflict(conflict)) => best = best.or(Some(conflict)),
            Err(Wrong::CommitsTwice(_)) => {}
        }
    }
    match best {
        None => Err(NoSymbolicProof::NoCommit),
        Some(Conflict { first, second }) => {
            let [first, second] = [first, second].map(|it| StepAt::of(net, it));
            Err(NoSymbolicProof::Conflict { first, second })
        }
    }
}

/// Pairs of steps, first and second, that do not commute whoever commits first.
fn conflicts(
    net: &SymbolicNet,
    facts: &Facts,
    limits: &Limits,
) -> Result<BTreeSet<[usize; 2]>, Reason> {
    let mut found = BTreeSet::new();
    for first in 0..net.steps.len() {
        for second in 0..net.steps.len() {
            if !swaps(net, facts, [first, second], limits)? {
                found.insert([first, second]);
            }
        }
    }
    Ok(found)
}

/// Sets of places that nobody leaves for other places.
fn choices(net: &SymbolicNet, used: &[usize]) -> Vec<BTreeSet<usize>> {
    let closed = |after: &BTreeSet<usize>| {
        net.steps.iter().all(|step| match (step.from, step.put()) {
            (Some(from), Some(to)) => !after.contains(&from) || after.contains(&to),
            _ => true,
        })
    };
    if used.len() > MAX_PLACES {
        // All at the first step, or all at the last.
        return vec![BTreeSet::new(), used.iter().copied().collect()];
    }
    let sets = (0..1usize << used.len()).map(|bits| {
        let chosen = used.iter().enumerate().filter(|(n, _)| bits >> n & 1 == 1);
        chosen.map(|(_, place)| *place).collect()
    });
    sets.filter(closed).collect()
}

/// How many pairs do not commute that have to: those for which it makes no difference who commits
/// first, and the others.
fn hardness(
    net: &SymbolicNet,
    after: &BTreeSet<usize>,
    conflicts: &BTreeSet<[usize; 2]>,
) -> [usize; 2] {
    let is_after = |place: Option<usize>| place.is_some_and(|it| after.contains(&it));
    let is_before = |place: Option<usize>| place.is_some_and(|it| !after.contains(&it));
    let [mut lost, mut open] = [0, 0];
    for [first, second] in conflicts {
        let (t, u) = (&net.steps[*first], &net.steps[*second]);
        lost += usize::from(is_before(t.put()));
        if is_after(u.from) {
            match is_after(t.from) || is_after(t.put()) {
                true => open += 1,
                false => lost += 1,
            }
        }
    }
    [lost, open]
}

/// Facts that are inductive, as many as possible; `given` others as well, which is what those need
/// who validate what they have seen.
fn infer(
    net: &SymbolicNet,
    after: &BTreeSet<usize>,
    given: bool,
    limits: &Limits,
) -> Result<Facts, Reason> {
    let mut facts = candidates(net, given);
    Walks::new(net, after).drop_false(&mut facts, limits)?;
    inductive(net, facts, after, limits)
}

/// Drops facts until none may be broken.
fn inductive(
    net: &SymbolicNet,
    mut facts: Facts,
    after: &BTreeSet<usize>,
    limits: &Limits,
) -> Result<Facts, Reason> {
    loop {
        let broken = broken_facts(net, &facts, after, limits)?;
        if broken.is_empty() {
            return Ok(facts);
        }
        facts = without(&facts, &broken);
    }
}

/// Leaves out facts.
fn without(facts: &Facts, gone: &BTreeSet<FactId>) -> Facts {
    let left = |all: &[Fact], id: &dyn Fn(usize) -> FactId| {
        let stays = all.iter().enumerate().filter(|(n, _)| !gone.contains(&id(*n)));
        stays.map(|(_, it)| it.clone()).collect::<Vec<_>>()
    };
    let one = facts.one.iter().map(|(p, all)| (*p, left(all, &|n| FactId::One(*p, n))));
    let two = facts.two.iter();
    let two = two.map(|(key, all)| (key.clone(), left(all, &|n| FactId::Two(key.clone(), n))));
    let counts = facts.counts.iter().enumerate();
    let counts = counts.filter(|(n, _)| !gone.contains(&FactId::Count(*n)));
    let one: BTreeMap<_, _> = one.filter(|(_, all)| !all.is_empty()).collect();
    let two: BTreeMap<_, _> = two.filter(|(_, all)| !all.is_empty()).collect();
    Facts {
        general: left(&facts.general, &FactId::General),
        one,
        two,
        counts: counts.map(|(_, it)| it.clone()).collect(),
    }
}

/// All facts by name.
fn ids(facts: &Facts) -> Vec<FactId> {
    let two = facts.two.iter();
    let two = two.flat_map(|(key, all)| (0..all.len()).map(|n| FactId::Two(key.clone(), n)));
    let one = facts.one.iter();
    let one = one.flat_map(|(place, all)| (0..all.len()).map(|n| FactId::One(*place, n)));
    let general = (0..facts.general.len()).map(FactId::General);
    let counts = (0..facts.counts.len()).map(FactId::Count);
    counts.chain(general).chain(one).chain(two).collect()
}

/// Leaves out what is not needed, as long as there is time: first many facts at once, then few.
/// More facts never hurt, so in the end none can be left out.
fn shrink(
    net: &SymbolicNet,
    mut facts: Facts,
    after: &BTreeSet<usize>,
    fits: &dyn Fn(&Facts) -> Result<bool, Reason>,
    limits: &Limits,
) -> Facts {
    let fitting = |facts: Facts| {
        let fewer = inductive(net, facts, after, limits).ok()?;
        fits(&fewer).ok()?.then_some(fewer)
    };
    if let Some(none) = fitting(Facts::default()) {
        return none;
    }
    // Two requests with two keys each can share them in 13 ways.
    let pairs = net.steps.len() * net.steps.len() * if net.types > 0 { 13 } else { 1 };
    let most = MAX_SHRINKING.min(MAX_SHRINKING_PAIRS / pairs.max(1));
    let mut size = ids(&facts).len().div_ceil(2);
    let mut tried = 0;
    while size > 0 {
        let mut at = 0;
        loop {
            let all = ids(&facts);
            if at >= all.len() {
                break;
            }
            tried += 1;
            if tried > most || limits.check_clock().is_err() {
                return facts;
            }
            let gone = all[at..all.len().min(at + size)].iter().cloned().collect();
            match fitting(without(&facts, &gone)) {
                Some(fewer) => facts = fewer,
                None => at += size,
            }
        }
        size /= 2;
    }
    facts
}
