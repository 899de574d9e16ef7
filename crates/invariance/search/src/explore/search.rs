//! The search, breadth first.

use super::choices::{Oracle, Pools};
use super::eval::{Scene, eval};
use super::fault::Halt;
use super::liveness::Liveness;
use super::memory::{Layout, Word};
use super::normal::Normalizer;
use super::start::{Listing, anchors, initial_states};
use super::state::{MAX_THREADS, state_of};
use super::step::{Machine, Stepper};
use super::store::{NONE, StateId, Store};
use super::{Bounds, Explored, Faulty, Narrowing, Violation};
use ser_base::{Limits, Pace, Stop};
use ser_invariance_checker::run::{Fault, State};
use ser_syntax::inv::ast::{Expr, GlobalId, InvId, LocId, System, Type};

/// All states of an instance, as far as they have been listed.
pub struct Explorer<'s> {
    pub(super) machine: Machine<'s>,
    pub(super) layout: Layout,
    pub(super) store: Store,
    bounds: Bounds,
    anchors: Vec<GlobalId>,
    found: Found,
}

/// How many cells a heap has at most.
const MAX_CELLS: u32 = 1000;

/// What has been found, before runs are made of it.
#[derive(Default)]
struct Found {
    reached: Vec<bool>,
    taken: Vec<u64>,
    /// Of each invariant: where it does not hold, for which threads, and which conjunct.
    violated: Vec<Option<(StateId, Vec<u32>, usize)>>,
    faults: Vec<FoundFault>,
    narrowed: Narrowing,
    depth: u32,
    initial: usize,
}

/// A step that is a fault.
pub(super) struct FoundFault {
    pub from: StateId,
    pub thread: usize,
    pub path: u64,
    pub chosen: Vec<(Type, Word)>,
    pub fault: Fault,
    pub location: LocId,
}

/// A step in the middle of the search: how it ended, and which paths fit.
pub(super) struct Attempt {
    pub outcome: Result<(), Halt>,
    pub path: u64,
}

/// Tries one step from `words`, which become the state after it.
pub(super) fn attempt(
    machine: &mut Machine<'_>,
    layout: &Layout,
    words: &mut [Word],
    thread: usize,
    oracle: &mut Oracle<'_>,
    chosen: &mut Vec<(Type, Word)>,
) -> Attempt {
    let mut stepper = Stepper::new(machine, layout, words, thread, oracle, chosen);
    let outcome = stepper.step();
    Attempt { outcome, path: stepper.paths().start }
}

impl<'s> Explorer<'s> {
    /// An instance with so many threads; if the file says how many there are, with so many. States
    /// have all their values, whatever [`Bounds::drop_dead`] says, so that [`View`]s can be asked
    /// about any formula.
    pub fn new(system: &'s System, bounds: &Bounds) -> Explorer<'s> {
        Explorer::with(system, &Bounds { drop_dead: false, ..bounds.clone() })
    }

    pub(super) fn with(system: &'s System, bounds: &Bounds) -> Explorer<'s> {
        let mut machine = Machine::new(system, Pools::of(system, bounds));
        if bounds.drop_dead {
            machine.liveness = Liveness::new(system, &machine.flow);
        }
        let threads = system.threads.unwrap_or(bounds.threads).max(1) as usize;
        let cells = match machine.kinds.has_heap() {
            true => bounds.cells.min(MAX_CELLS) as usize,
            false => 0,
        };
        let layout = machine.layout(threads.min(MAX_THREADS), cells);
        let found = Found {
            reached: vec![false; system.locations.len()],
            taken: vec![0; system.locations.len()],
            violated: vec![None; system.invariants.len()],
            ..Found::default()
        };
        Explorer {
            machine,
            layout,
            store: Store::default(),
            bounds: bounds.clone(),
            anchors: anchors(system),
            found,
        }
    }

    /// Lists states until there are no others, or a bound or a limit is met. (Of the limits, that
    /// on states is not looked at: [`Bounds::states`] is.)
    pub fn run(&mut self, limits: &Limits) -> Explored {
        let end = self.search(limits).err();
        self.explored(end)
    }

    fn search(&mut self, limits: &Limits) -> Result<(), Stop> {
        self.start(limits)?;
        let mut normalizer = Normalizer::default();
        let mut pace = limits.pace();
        let (mut words, mut next) = (Vec::new(), Vec::new());
        let mut chosen = Vec::new();
        let mut id: StateId = 0;
        let mut level_end = self.store.len();
        while (id as usize) < self.store.len() {
            if id as usize == level_end {
                self.found.depth += 1;
                level_end = self.store.len();
            }
            if self.bounds.depth.is_some_and(|depth| self.found.depth >= depth) {
                self.found.narrowed.depth = true;
                break;
            }
            if id.is_multiple_of(1024) {
                limits.check(0, self.store.size())?;
            }
            self.store.load(id, &mut words);
            for thread in 0..self.layout.threads {
                let at = words[self.layout.location(thread)] as usize;
                let mut oracle = Oracle::every();
                loop {
                    pace.steps(words.len())?;
                    next.clear();
                    next.extend_from_slice(&words);
                    let Explorer { machine, layout, .. } = self;
                    let Attempt { outcome, path } =
                        attempt(machine, layout, &mut next, thread, &mut oracle, &mut chosen);
                    match outcome {
                        Ok(()) => {
                            self.found.taken[at] |= 1 << path.min(63);
                            normalizer.normalise(&mut self.machine, &self.layout, &mut next);
                            let (new, is_new) = self.store.add(&next, id);
                            if is_new {
                                self.inspect(new, &next, &mut pace)?;
                                if self.store.len() > self.bounds.states {
                                    return Err(Stop::States { limit: self.bounds.states });
                                }
                            }
                        }
                        Err(Halt::Fault(fault)) => {
                            let location = LocId(at as u32);
                            if !self.found.faults.iter().any(|known| known.fault == fault) {
                                let chosen = chosen.clone();
                                let from = id;
                                let fault =
                                    FoundFault { from, thread, path, chosen, fault, location };
                                self.found.faults.push(fault);
                            }
                        }
                        Err(Halt::Overflow) => self.found.narrowed.integers = true,
                        Err(Halt::NoCell) => self.found.narrowed.cells = true,
                        Err(_) => {}
                    }
                    if !oracle.advance() {
                        break;
                    }
                }
            }
            id += 1;
        }
        Ok(())
    }

    fn start(&mut self, limits: &Limits) -> Result<(), Stop> {
        let most = self.bounds.initial.min(self.bounds.states);
        let mut states: Vec<Vec<Word>> = Vec::new();
        let mut normalizer = Normalizer::default();
        let Explorer { machine, layout, anchors, store, .. } = self;
        let listing = initial_states(machine, layout, anchors, limits, |machine, words| {
            let mut words = words.to_vec();
            normalizer.normalise(machine, layout, &mut words);
            if store.add(&words, NONE).1 {
                states.push(words);
            }
            states.len() < most
        });
        self.found.initial = states.len();
        self.found.narrowed.start = listing == Ok(Listing::Cut);
        for (id, words) in states.iter().enumerate() {
            self.inspect(id as StateId, words, &mut limits.pace())?;
        }
        listing.map(|_| ())
    }

    /// Looks at a state that is new.
    fn inspect(&mut self, id: StateId, words: &[Word], pace: &mut Pace<'_>) -> Result<(), Stop> {
        for thread in 0..self.layout.threads {
            let at = words[self.layout.location(thread)] as usize;
            if let Some(reached) = self.found.reached.get_mut(at) {
                *reached = true;
            }
        }
        let Explorer { machine, layout, found, .. } = self;
        let invariants = &machine.system.invariants;
        let mut threads: Vec<u32> = Vec::new();
        for (invariant, violated) in invariants.iter().zip(&mut found.violated) {
            if violated.is_some() {
                continue;
            }
            threads.clear();
            threads.resize(invariant.parameters.len(), 0);
            loop {
                let scene =
                    Scene { layout, words, me: 0, threads: &threads, strict: false, known: None };
                for (place, conjunct) in invariant.conjuncts.iter().enumerate() {
                    pace.steps(1)?;
                    match eval(&mut machine.sets, &scene, &conjunct.formula) {
                        Ok(0) => {
                            *violated = Some((id, threads.clone(), place));
                            break;
                        }
                        Ok(_) => {}
                        Err(_) => found.narrowed.integers = true,
                    }
                }
                if violated.is_some() || !advance(&mut threads, layout.threads as u32) {
                    break;
                }
            }
        }
        Ok(())
    }

    fn explored(&mut self, stopped: Option<Stop>) -> Explored {
        let found = std::mem::take(&mut self.found);
        let violations = found.violated.iter().enumerate().filter_map(|(number, violated)| {
            let (id, threads, conjunct) = violated.as_ref()?;
            let invariant = InvId(number as u32);
            let run = self.run_to_violation(*id, invariant, threads)?;
            Some(Violation { invariant, conjunct: *conjunct, run })
        });
        let violations = violations.collect();
        let faults = found.faults.iter().filter_map(|found| {
            let run = self.run_to_fault(found)?;
            Some(Faulty { fault: found.fault, location: found.location, run })
        });
        let faults = faults.collect();
        let explored = Explored {
            threads: self.layout.threads as u32,
            initial: found.initial,
            states: self.store.len(),
            depth: found.depth,
            stopped,
            narrowed: Narrowing { values: self.machine.sampled, ..found.narrowed.clone() },
            reached: found.reached.clone(),
            taken: found.taken.clone(),
            violations,
            faults,
        };
        self.found = found;
        explored
    }

    /// Goes through all states that have been listed, in the order in which they were found.
    pub fn for_each_state(&mut self, mut see: impl FnMut(&mut View<'_, 's>)) {
        let mut words = Vec::new();
        for id in 0..self.store.len() as StateId {
            self.store.load(id, &mut words);
            let Explorer { machine, layout, .. } = self;
            see(&mut View { machine, layout, words: &words });
        }
    }
}

/// Goes to the next tuple.
pub(super) fn advance(tuple: &mut [u32], threads: u32) -> bool {
    for place in tuple.iter_mut().rev() {
        *place += 1;
        if *place < threads {
            return true;
        }
        *place = 0;
    }
    false
}

/// A state that was listed.
pub struct View<'v, 's> {
    machine: &'v mut Machine<'s>,
    layout: &'v Layout,
    words: &'v [Word],
}

impl View<'_, '_> {
    /// How many threads there are.
    pub fn threads(&self) -> u32 {
        self.layout.threads as u32
    }

    /// Where a thread stands.
    pub fn location(&self, thread: u32) -> Option<LocId> {
        let thread = thread as usize;
        let thread = (thread < self.layout.threads).then_some(thread)?;
        u32::try_from(self.words[self.layout.location(thread)]).ok().map(LocId)
    }

    /// Whether a formula holds in which thread variables are these threads; nothing if it has no
    /// value.
    pub fn holds(&mut self, formula: &Expr, threads: &[u32]) -> Option<bool> {
        self.word(formula, threads).map(|word| word != 0)
    }

    fn word(&mut self, expr: &Expr, threads: &[u32]) -> Option<Word> {
        let (layout, words) = (self.layout, self.words);
        let scene = Scene { layout, words, me: 0, threads, strict: false, known: None };
        eval(&mut self.machine.sets, &scene, expr).ok()
    }

    /// The state, to keep.
    pub fn state(&self) -> State {
        let address = |word: Word| u32::try_from(word).unwrap_or(0);
        state_of(self.machine, self.layout, self.words, &address)
    }
}
