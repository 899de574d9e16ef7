//! Random walks: for counterexamples that need many requests.
//!
//! The breadth-first search of [`refute`](crate::refute) finds the fewest requests, but the number
//! of its states grows exponentially with them. A violation that needs a counter to run full, a
//! value to wrap around, or a ring of neighbours to close, is rarely subtle: many schedules lead to
//! it. So schedules are tried at random, as in probabilistic concurrency testing (Burckhardt et
//! al., ASPLOS 2010): each walk draws how many requests arrive, of which labels, and how
//! *eager* each place in the program is. A place with little weight is where requests pile up; a
//! request that is *held* waits while others come and go. Whenever nobody is in flight, the
//! outcome so far is held against the serial runs ([`Serial`]).
//!
//! What is found is made small before anybody sees it ([`shrink`]). Random numbers come from a
//! generator with a fixed seed, and budgets are counted in work, so that the same input gives
//! the same answer.

mod ground;
mod serial;
mod shrink;

use crate::{Event, Refutation, Run};
use ground::{Ground, Letter, Moves, Next, OnDemand, OnSystem};
use rustc_hash::FxHashMap;
use ser_base::{Limits, Stop};
use ser_model::{
    ExploreError, LocalId, NetworkSystem, Outline, ProgramModel, RequestId, ResponseId, Target,
    step_through,
};
use ser_net::Outcome;
use ser_syntax::core::Program;
use serial::Serial;
use std::collections::BTreeMap;

/// One step of a schedule: which request takes it (by arrival: 0, 1, 2, ...), and which of its
/// moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Turn {
    pub who: usize,
    pub choice: usize,
}

/// A complete run: the entries by which requests arrive (see [`Ground::entries`]), who moves, and
/// who responded what, in this order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Schedule {
    pub entries: Vec<usize>,
    pub turns: Vec<Turn>,
    pub letters: Vec<(usize, Letter)>,
}

/// How many requests take part in a walk, in turns.
const SIZES: [usize; 12] = [4, 8, 12, 6, 16, 10, 24, 5, 14, 32, 9, 48];

/// The most labels that all take part.
const MOST_LABELS: usize = 64;

/// How many pairs of a global state and a rest of an outcome are looked at in any case, and some
/// for each request; and the work for one of them.
const GLANCE: usize = 20;
const PAIR: usize = 16;

/// The most turns of a walk for each of its requests, and some more.
const TURNS: usize = 30;

/// Looks for a complete run whose outcome no serial run has, with at most so much work.
fn walk(
    ground: &mut dyn Ground,
    budget: usize,
    max_requests: usize,
    limits: &Limits,
) -> Result<Option<Schedule>, Stop> {
    let mut walker = Walker {
        moves: Moves::new(ground, limits),
        serial: Serial::default(),
        random: Random(0x9E37_79B9_7F4A_7C15),
        work: 0,
    };
    if walker.moves.entries().is_empty() {
        return Ok(None);
    }
    for number in 0.. {
        if walker.work() > budget {
            break;
        }
        limits.check_clock()?;
        if let Some(found) = walker.walk(number, max_requests)? {
            return Ok(Some(shrink::shrink(found, &mut walker.moves, &mut walker.serial, limits)?));
        }
    }
    Ok(None)
}

struct Walker<'a> {
    moves: Moves<'a>,
    serial: Serial,
    random: Random,
    work: usize,
}

/// How a walk goes.
struct Plan {
    /// The weight of each entry, and how many requests may still arrive by it.
    entries: Vec<(u64, usize)>,
    /// How many requests may still arrive.
    arrivals: usize,
    /// Whether all labels are as eager, and requests only differ by how many steps they have taken:
    /// so all may come to the same point before anybody goes on.
    in_phase: bool,
    /// The weight of each position, as it was drawn when somebody was there first.
    positions: FxHashMap<u32, u64>,
    /// One in so many requests is held, if any.
    held: Option<u64>,
}

/// A request in flight.
struct Token {
    who: usize,
    entry: usize,
    local: u32,
    steps: u32,
    is_held: bool,
}

impl Walker<'_> {
    fn work(&self) -> usize {
        self.work + self.serial.work + self.moves.work
    }

    fn plan(&mut self, number: usize, most: usize) -> Plan {
        let size = SIZES[number % SIZES.len()];
        let count = self.moves.entries().len();
        let random = &mut self.random;
        let quota = match random.below(3) {
            0 => 1,
            1 => 2,
            _ => size,
        };
        // All entries, or a few.
        let few = random.below(4) as usize;
        // Everybody once: it may take a ring of neighbours.
        let everybody = number % 3 == 1 && count <= MOST_LABELS;
        let (few, quota) = if everybody { (0, 1) } else { (few, quota) };
        let (in_phase, together) = (random.below(2) == 0, random.weight());
        let mut entries: Vec<(u64, usize)> = vec![(0, 0); count];
        let chosen: Vec<usize> = match few {
            0 => (0..count).collect(),
            few => (0..few).map(|_| random.below(count as u64) as usize).collect(),
        };
        for at in chosen {
            entries[at] = (if in_phase { together } else { random.weight() }, quota);
        }
        let size = if everybody { count } else { size };
        let all: usize = entries.iter().map(|(_, quota)| *quota).sum();
        let held = [None, Some(2), Some(4), Some(8)][random.below(4) as usize];
        let (arrivals, positions) = (size.min(all).min(most), FxHashMap::default());
        Plan { entries, arrivals, in_phase, positions, held }
    }

    /// One walk; a schedule whose outcome is not serial, if it comes to that.
    fn walk(&mut self, number: usize, most: usize) -> Result<Option<Schedule>, Stop> {
        let mut plan = self.plan(number, most);
        let mut schedule = Schedule::default();
        let mut global = self.moves.initial();
        let mut flying: Vec<Token> = Vec::new();
        let mut weights: Vec<u64> = Vec::new();
        for _ in 0..TURNS * (plan.arrivals + 2) {
            self.work += 1 + flying.len() / 4;
            weights.clear();
            for token in &flying {
                let position = match plan.in_phase {
                    true => token.steps,
                    false => self.moves.position(token.local),
                };
                let drawn = plan.positions.entry(position);
                let weight = *drawn.or_insert_with(|| self.random.weight());
                weights.push(if token.is_held { weight.div_ceil(1 << 6) } else { weight << 6 });
            }
            if plan.arrivals > 0 {
                let open = |(weight, left): &(u64, usize)| if *left > 0 { weight << 6 } else { 0 };
                weights.extend(plan.entries.iter().map(open));
            }
            let Some((slot, choice, next)) = self.choose(global, &flying, &mut weights)? else {
                // Nobody can move: everybody has responded, or some wait forever.
                break;
            };
            let (slot, who) = match flying.get(slot) {
                Some(token) => (slot, token.who),
                None => {
                    let entry = slot - flying.len();
                    plan.entries[entry].1 -= 1;
                    plan.arrivals -= 1;
                    let who = schedule.entries.len();
                    schedule.entries.push(entry);
                    let is_held = plan.held.is_some_and(|n| self.random.below(n) == 0);
                    flying.push(Token { who, entry, local: 0, steps: 0, is_held });
                    (flying.len() - 1, who)
                }
            };
            schedule.turns.push(Turn { who, choice });
            global = next.after;
            match next.to {
                Next::InFlight(local) => {
                    flying[slot].local = local;
                    flying[slot].steps += 1;
                }
                Next::Responds(response) => {
                    let Token { entry, .. } = flying.swap_remove(slot);
                    let letter = (self.moves.entries()[entry].0, response);
                    schedule.letters.push((who, letter));
                    if flying.is_empty()
                        && schedule.turns.len() > schedule.letters.len()
                        && self.is_counterexample(&schedule)?
                    {
                        return Ok(Some(schedule));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Whether no serial run has this outcome. Most are settled at a glance; the others get a
    /// closer look as long as that takes less than everything else.
    fn is_counterexample(&mut self, schedule: &Schedule) -> Result<bool, Stop> {
        let letters = &schedule.letters;
        let others = self.work() - self.serial.close;
        let before = self.serial.work;
        let glance = 2 * letters.len() + GLANCE;
        let most = glance.max(others.saturating_sub(self.serial.close) / PAIR);
        let found = self.serial.has_none(letters, most, &mut self.moves)?;
        if self.serial.work - before > glance * PAIR {
            self.serial.close += self.serial.work - before;
        }
        Ok(found)
    }

    /// Draws who moves, by weight, of those who can, and which of the moves.
    fn choose(
        &mut self,
        global: u32,
        flying: &[Token],
        weights: &mut [u64],
    ) -> Result<Option<(usize, usize, ground::Move)>, Stop> {
        loop {
            let total: u64 = weights.iter().sum();
            if total == 0 {
                return Ok(None);
            }
            let mut at = self.random.below(total);
            let slot = weights.iter().position(|weight| {
                let here = at < *weight;
                at = at.saturating_sub(*weight);
                here
            });
            let Some(slot) = slot else { return Ok(None) };
            let moves = match flying.get(slot) {
                Some(token) => self.moves.of(global, token.local)?,
                None => self.moves.arriving(global, slot - flying.len())?,
            };
            self.work += 1;
            match moves.len() {
                0 => weights[slot] = 0,
                count => {
                    let choice = self.random.below(count as u64) as usize;
                    return Ok(Some((slot, choice, moves[choice])));
                }
            }
        }
    }
}

/// One step of a run, or a response without one.
#[derive(Clone, Copy, Debug)]
struct Raw {
    pub who: usize,
    /// The local state that the request steps to, and the number of the step at hand.
    pub step: Option<(u32, usize)>,
    pub after: u32,
    /// What it responds then, if it does.
    pub response: Option<u32>,
}

/// What happens in a schedule, step by step.
fn steps(schedule: &Schedule, ground: &mut dyn Ground, limits: &Limits) -> Result<Vec<Raw>, Stop> {
    let mut moves = Moves::new(ground, limits);
    let mut global = moves.initial();
    let mut locals: Vec<Option<u32>> = vec![None; schedule.entries.len()];
    let mut raw = Vec::new();
    for Turn { who, choice } in &schedule.turns {
        let there = match locals[*who] {
            None => moves.arriving(global, schedule.entries[*who])?,
            Some(local) => moves.of(global, local)?,
        };
        let Some(next) = there.get(*choice) else { break };
        let response = match next.to {
            Next::InFlight(local) => {
                locals[*who] = Some(local);
                None
            }
            Next::Responds(response) => Some(response),
        };
        global = next.after;
        raw.push(Raw { who: *who, step: next.step, after: global, response });
    }
    Ok(raw)
}

/// The run of a network system that takes these steps. `starts` are the requests in the order of
/// their arrival.
fn run(system: &NetworkSystem, starts: &[(RequestId, LocalId)], steps: &[Raw]) -> Option<Run> {
    let mut locals: Vec<Option<LocalId>> = vec![None; starts.len()];
    let mut global = system.initial_global();
    let mut events = Vec::new();
    for Raw { who, step, after, response } in steps {
        let number = *who as u32 + 1;
        let (request, start) = *starts.get(*who)?;
        let slot = locals.get_mut(*who)?;
        if slot.is_none() {
            events.push(Event::Arrive { number, request, local: start });
        }
        let from = *slot.get_or_insert(start);
        if let Some((to, _)) = step {
            let mut there = system.steps_at(from, global).iter();
            let step = *there.find(|step| step.to.0 == *to && step.after.0 == *after)?;
            events.push(Event::Step { number, step });
            (*slot, global) = (Some(step.to), step.after);
        }
        if let Some(response) = response {
            events.push(Event::Respond { number, response: ResponseId(*response) });
        }
    }
    Some(Run { events })
}

/// Looks for a counterexample with many requests in a network system.
pub(crate) fn refute_by_walks(
    system: &NetworkSystem,
    budget: usize,
    max_requests: usize,
    limits: &Limits,
) -> Result<Option<Refutation>, Stop> {
    let mut ground = OnSystem::new(system);
    let Some(found) = walk(&mut ground, budget, max_requests, limits)? else { return Ok(None) };
    let start = |entry: &usize| system.spawns().get(*entry).copied();
    let starts: Option<Vec<_>> = found.entries.iter().map(start).collect();
    let steps = steps(&found, &mut ground, limits)?;
    let run = starts.and_then(|starts| run(system, &starts, &steps));
    let letters = found.letters.iter().map(|(_, letter)| *letter);
    Ok(run.map(|run| refutation(run, letters)))
}

/// The same in a program, whose states are worked out on demand. With the counterexample comes
/// what the program does along it.
pub(crate) fn refute_program_by_walks(
    program: &Program,
    text: &str,
    budget: usize,
    max_requests: usize,
    limits: &Limits,
) -> Result<Option<(ProgramModel, Refutation)>, ExploreError> {
    let found = step_through(program, text, limits, |stepping| {
        let mut ground = OnDemand::new(stepping);
        let Some(found) = walk(&mut ground, budget, max_requests, limits)? else {
            return Ok(None);
        };
        let steps = steps(&found, &mut ground, limits)?;
        let label = |number| ground.label(number).unwrap_or_default();
        let requests = found.entries.iter().map(|entry| label(ground.entries()[*entry].0));
        let requests: Vec<String> = requests.collect();
        let mut outcome: BTreeMap<(String, String), u64> = BTreeMap::new();
        for (_, (request, response)) in &found.letters {
            let response = ground.response(*response).unwrap_or_default();
            *outcome.entry((label(*request), response)).or_default() += 1;
        }
        let outcome = outcome.into_iter().map(|((request, response), n)| (request, response, n));
        let numbers = steps.iter().filter_map(|raw| raw.step.map(|(_, n)| (raw.who, n)));
        let outline = Outline {
            requests,
            steps: numbers.map(|(who, n)| (who, Target::Numbered(n))).collect(),
            outcome: outcome.collect(),
        };
        Ok(Some((outline, steps)))
    })?;
    let stopped = |stop| ExploreError::TooManyStates { stop, growing: None };
    let Some((outline, mut steps)) = found.map_err(stopped)? else { return Ok(None) };
    let (model, path) = ProgramModel::along(program, text, &outline, limits)?;
    let system = model.system();
    let mut path = path.into_iter();
    for raw in &mut steps {
        let Some((_, number)) = raw.step else { continue };
        let Some((to, after)) = path.next() else { return Ok(None) };
        raw.step = Some((to.0, number));
        raw.after = after.0;
        if raw.response.is_some() {
            raw.response = system.replies_of(to).next().map(|response| response.0);
        }
    }
    let start = |label: &String| {
        let mut spawns = system.spawns().iter().copied();
        spawns.find(|(request, _)| system.request_name(*request) == label)
    };
    let starts: Option<Vec<_>> = outline.requests.iter().map(start).collect();
    let run = starts.as_ref().and_then(|starts| run(system, starts, &steps));
    let Some((run, starts)) = run.zip(starts) else { return Ok(None) };
    let letter = |raw: &Raw| Some((starts.get(raw.who)?.0.0, raw.response?));
    let refutation = refutation(run, steps.iter().filter_map(letter));
    Ok(Some((model, refutation)))
}

fn refutation(run: Run, letters: impl Iterator<Item = Letter>) -> Refutation {
    let mut requests = 0;
    let mut outcome: BTreeMap<Outcome, u32> = BTreeMap::new();
    for (request, response) in letters {
        requests += 1;
        let (request, response) = (RequestId(request), ResponseId(response));
        *outcome.entry(Outcome { request, response }).or_default() += 1;
    }
    Refutation {
        run,
        outcome: outcome.into_iter().collect(),
        requests,
        fewest: false,
        strict: false,
        states: 0,
    }
}

/// A generator of random numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        (self.next() >> 11) % bound.max(1)
    }

    /// From one to a million, each order of magnitude as likely as the others.
    fn weight(&mut self) -> u64 {
        1 << (2 * self.below(11))
    }
}
