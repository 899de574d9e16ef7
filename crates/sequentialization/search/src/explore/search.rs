//! The search: states of all processes and all queues, breadth first.
//!
//! A state is a list of numbers: the local state of each actor, then the queues that are not empty,
//! as pairs of a channel (sender, receiver, type) and the number of its contents.

use super::finding::Recorder;
use super::local::{LocalId, Locals, Next, Outcome};
use super::value::Domain;
use super::{Coverage, Exploration, MAX_ACTORS, MAX_INDICES, MAX_MEMBERS, Stop, Store};
use rustc_hash::FxHashMap;
use ser_base::Limits;
use ser_sequentialization_checker::local::{Local, Senders, may_act_unasked};
use ser_sequentialization_checker::run::{Actor, Choice, Value};
use ser_sequentialization_checker::witness::Message;
use ser_syntax::icet::ast::{Protocol, SetDecl, SetKind, StmtId, StmtKind};
use std::collections::BTreeSet;
use std::hash::Hash;
use std::rc::Rc;

/// How often the limits are looked at: every so many states.
const PACE: usize = 256;
/// What the tables take for each state, besides the state itself, in bytes.
const TABLES: usize = 200;
/// A send to a queue with so many messages is not taken before other steps: its sender may never
/// stop.
const LONG_QUEUE: usize = 8;
/// With more messages in a queue than this, the search ends: its sender may never stop.
const LONGEST_QUEUE: usize = 500;

/// A state: a place in the list of all.
pub(super) type StateId = u32;
type State = Rc<[u32]>;

/// Numbers for things that are compared often.
pub(super) struct Numbers<T> {
    things: Vec<T>,
    numbers: FxHashMap<T, u32>,
}

impl<T: Clone + Eq + Hash> Numbers<T> {
    pub(super) fn new() -> Numbers<T> {
        Numbers { things: Vec::new(), numbers: FxHashMap::default() }
    }

    /// The number of a thing, and whether it is new.
    pub(super) fn number(&mut self, thing: T) -> (u32, bool) {
        if let Some(&number) = self.numbers.get(&thing) {
            return (number, false);
        }
        let number = self.things.len() as u32;
        self.things.push(thing.clone());
        self.numbers.insert(thing, number);
        (number, true)
    }

    pub(super) fn thing(&self, number: u32) -> &T {
        &self.things[number as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.things.len()
    }
}

/// What a step does to the queues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    Nothing,
    Sent(u32),
    Took(u32),
}

/// A step, and those without choice that follow it.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub(super) actor: u16,
    pub(super) steps: u32,
    pub(super) choice: Option<Choice>,
    pub(super) effect: Effect,
    pub(super) failed: Option<StmtId>,
}

/// How a state was reached first.
pub(super) struct Via {
    pub(super) from: StateId,
    pub(super) edge: Edge,
    /// How many edges there are from the start.
    pub(super) depth: u32,
    /// How many steps there are from the start.
    pub(super) length: u32,
}

/// What can be done in a state by one process.
struct Offer {
    edges: Vec<(Edge, Vec<u32>)>,
    /// Whether it is enough to look at these.
    sufficient: bool,
}

/// One instance of a protocol, and its states as far as they are known.
pub(super) struct Search<'p> {
    pub(super) protocol: &'p Protocol,
    pub(super) domain: Rc<Domain<'p>>,
    pub(super) actors: Vec<Actor>,
    /// Steps that each actor takes before anything else.
    pub(super) first: Vec<u32>,
    places: FxHashMap<Actor, usize>,
    locals: Vec<Locals<'p>>,
    values: Numbers<Value>,
    queues: Numbers<Rc<[u32]>>,
    states: Numbers<State>,
    /// How each state but the first was reached.
    pub(super) vias: Vec<Option<Via>>,
    /// Who sends messages of each type at all.
    senders: Vec<Vec<usize>>,
    unclear: bool,
    /// A queue became too long.
    endless: bool,
}

impl<'p> Search<'p> {
    pub(super) fn new(protocol: &'p Protocol, sizes: &[u32]) -> Search<'p> {
        let domain = Rc::new(Domain::new(protocol, sizes));
        let mut search = Search {
            protocol,
            actors: Vec::new(),
            first: Vec::new(),
            places: FxHashMap::default(),
            locals: Vec::new(),
            values: Numbers::new(),
            queues: Numbers::new(),
            states: Numbers::new(),
            vias: Vec::new(),
            senders: Vec::new(),
            unclear: false,
            endless: false,
            domain,
        };
        if search.fits() {
            search.set_up();
        }
        search
    }

    /// Whether there are few enough processes and indices.
    fn fits(&self) -> bool {
        let mut actors = 0;
        for process in &self.protocol.processes {
            let copies = process.set.map_or(1, |set| self.domain.instance.size(set));
            if process.set.is_some() && copies > MAX_MEMBERS {
                return false;
            }
            actors += copies as usize;
        }
        let mut sets = self.protocol.sets.iter().zip(&self.domain.instance.sizes);
        let is_small = |(set, &size): (&SetDecl, &u32)| match set.kind {
            SetKind::Processes => size <= MAX_MEMBERS,
            SetKind::Indices => size <= MAX_INDICES,
        };
        actors <= MAX_ACTORS && sets.all(is_small)
    }

    fn set_up(&mut self) {
        self.actors = self.domain.instance.actors();
        self.places = self.actors.iter().enumerate().map(|(it, actor)| (*actor, it)).collect();
        let locals = self.actors.iter().map(|it| Locals::new(Rc::clone(&self.domain), *it));
        self.locals = locals.collect();
        self.senders = vec![Vec::new(); self.protocol.messages.len()];
        for (place, actor) in self.actors.iter().enumerate() {
            let mut sends = vec![false; self.senders.len()];
            for stmt in &self.protocol.processes[actor.process as usize].body {
                stmt.walk(&mut |stmt| {
                    if let StmtKind::Send { message, .. } = &stmt.kind {
                        sends[message.0 as usize] = true;
                    }
                });
            }
            for (message, sends) in sends.into_iter().enumerate() {
                if sends {
                    self.senders[message].push(place);
                }
            }
        }
    }

    /// Looks at everything, within the limits.
    pub(super) fn run(mut self, coverage: Coverage, limits: &Limits) -> Exploration {
        let mut recorder = Recorder::default();
        let stopped = if self.fits() {
            self.search(coverage, limits, &mut recorder).err()
        } else {
            Some(Stop::TooLarge)
        };
        let stopped = stopped.or(self.unclear.then_some(Stop::Overflow));
        let stopped = stopped.or_else(|| recorder.find_blocked(&self, limits).err());
        Exploration {
            states: self.states.len(),
            stopped,
            findings: recorder.findings,
            finals: recorder.finals,
            ends: recorder.ends,
        }
    }

    fn search(
        &mut self,
        coverage: Coverage,
        limits: &Limits,
        recorder: &mut Recorder,
    ) -> Result<(), Stop> {
        let bytes = 4 * self.actors.len() + TABLES;
        let mut start = Vec::new();
        for place in 0..self.actors.len() {
            let process = &self.protocol.processes[self.actors[place].process as usize];
            let outcome = self.locals[place].start(process);
            self.first.push(outcome.steps);
            if outcome.failed.is_some() {
                recorder.fails_at_once(self, place, outcome.failed);
            }
            start.push(outcome.to);
        }
        self.states.number(start.into());
        self.vias.push(None);
        let mut enough = None;
        let mut current: StateId = 0;
        while (current as usize) < self.states.len() {
            if (current as usize).is_multiple_of(PACE) {
                limits.check(self.states.len(), self.states.len() * bytes)?;
            }
            if self.endless {
                return Err(Stop::Queue { limit: LONGEST_QUEUE });
            }
            let depth = self.vias[current as usize].as_ref().map_or(0, |via| via.depth);
            if enough.is_some_and(|enough| depth > enough) {
                return Err(Stop::Found);
            }
            self.expand(current, coverage, recorder);
            if coverage.stop_at_violation && enough.is_none() && !recorder.findings.none() {
                enough = Some(depth);
            }
            current += 1;
        }
        Ok(())
    }

    /// Takes the steps that are possible in a state.
    fn expand(&mut self, current: StateId, coverage: Coverage, recorder: &mut Recorder) {
        let state = Rc::clone(self.states.thing(current));
        let mut offers = Vec::new();
        for place in 0..self.actors.len() {
            let offer = self.offer(&state, place);
            if !offer.edges.is_empty() {
                offers.push((state[place], offer));
            }
        }
        if offers.is_empty() {
            recorder.ends(self, current);
            return;
        }
        let depth = self.vias[current as usize].as_ref().map_or(0, |via| via.depth) + 1;
        let before = self.length(current);
        if coverage.reduce {
            // Whoever has come least far goes first, so that nobody who runs forever keeps the
            // others from running.
            offers.sort_by_key(|(local, offer)| (!offer.sufficient, *local));
        }
        let mut taken = false;
        for (_, offer) in offers {
            if taken && coverage.reduce {
                break;
            }
            let mut progress = false;
            for (edge, next) in offer.edges {
                let (actor, failed) = (edge.actor, edge.failed);
                let length = before + edge.steps;
                let (number, new) = self.states.number(next.into());
                if failed.is_some() {
                    recorder.fails(self, current, &edge);
                }
                if new {
                    self.vias.push(Some(Via { from: current, edge, depth, length }));
                }
                progress |= number > current;
                recorder.edge(current, number, actor);
            }
            taken = offer.sufficient && progress;
        }
    }

    /// How many steps there are on the way to a state.
    pub(super) fn length(&self, state: StateId) -> u32 {
        match self.vias.get(state as usize) {
            Some(Some(via)) => via.length,
            _ => self.first.iter().sum(),
        }
    }

    /// The steps of one process in a state.
    fn offer(&mut self, state: &[u32], place: usize) -> Offer {
        let local = state[place];
        let next = self.locals[place].next(local);
        let mut edges = Vec::new();
        let mut sufficient = true;
        match &*next {
            Next::Halted => {}
            Next::Unclear => self.unclear = true,
            Next::Local(outcomes) => {
                sufficient = outcomes.iter().all(|it| it.choice.is_some());
                for outcome in outcomes {
                    let edge = edge_of(place, outcome, Effect::Nothing, outcome.choice.clone());
                    edges.push((edge, moved(state, place, outcome.to)));
                }
            }
            Next::Send { message, outcome } => {
                let Some(&to) = self.places.get(&message.to) else {
                    self.unclear = true;
                    return Offer { edges, sufficient };
                };
                let channel = self.channel(place, to, message.message.0);
                let number = self.values.number(message.value.clone()).0;
                let mut queue = self.queue(state, channel).to_vec();
                sufficient = queue.len() < LONG_QUEUE;
                queue.push(number);
                self.endless |= queue.len() > LONGEST_QUEUE;
                let after = self.with_queue(moved(state, place, outcome.to), channel, &queue);
                edges.push((edge_of(place, outcome, Effect::Sent(channel), None), after));
            }
            Next::Receive { message, from } => {
                let senders = self.candidates(*from, message.0);
                let chosen = !matches!(from, Senders::One(_));
                for sender in senders {
                    let channel = self.channel(sender, place, message.0);
                    let queue = self.queue(state, channel).to_vec();
                    let Some((&oldest, rest)) = queue.split_first() else {
                        sufficient &= !chosen || sender == place || self.halted(state, sender);
                        continue;
                    };
                    let (from, to) = (self.actors[sender], self.actors[place]);
                    let value = self.values.thing(oldest).clone();
                    let message = Message { from, to, message: *message, value };
                    let outcome = self.locals[place].receive(local, oldest, &message);
                    let after = self.with_queue(moved(state, place, outcome.to), channel, rest);
                    let choice = chosen.then(|| Choice::From(self.actors[sender]));
                    edges.push((edge_of(place, &outcome, Effect::Took(channel), choice), after));
                }
            }
        }
        Offer { edges, sufficient }
    }

    /// Whether a process takes no step any more, whatever the others do.
    fn halted(&mut self, state: &[u32], place: usize) -> bool {
        let next = self.locals[place].next(state[place]);
        matches!(&*next, Next::Halted)
    }

    fn candidates(&self, from: Senders, message: u32) -> Vec<usize> {
        let all = self.senders.get(message as usize).map_or(&[] as &[usize], Vec::as_slice);
        match from {
            Senders::One(actor) => self.places.get(&actor).copied().into_iter().collect(),
            Senders::Set(set) => {
                let set_of = |it: &usize| self.domain.instance.set_of(self.actors[*it]);
                all.iter().copied().filter(|it| set_of(it) == Some(set)).collect()
            }
            Senders::Anyone => all.to_vec(),
        }
    }

    fn channel(&self, from: usize, to: usize, message: u32) -> u32 {
        let (actors, types) = (self.actors.len() as u32, self.senders.len() as u32);
        (from as u32 * actors + to as u32) * types + message
    }

    /// Sender, receiver and type of a channel.
    pub(super) fn ends_of(&self, channel: u32) -> (Actor, Actor, u32) {
        let (actors, types) = (self.actors.len() as u32, self.senders.len() as u32);
        let pair = channel / types;
        let (from, to) = ((pair / actors) as usize, (pair % actors) as usize);
        (self.actors[from], self.actors[to], channel % types)
    }

    fn queue(&self, state: &[u32], channel: u32) -> &[u32] {
        let pairs = state[self.actors.len()..].chunks_exact(2);
        match pairs.into_iter().find(|pair| pair[0] == channel) {
            Some(pair) => self.queues.thing(pair[1]),
            None => &[],
        }
    }

    fn with_queue(&mut self, mut state: Vec<u32>, channel: u32, queue: &[u32]) -> Vec<u32> {
        let start = self.actors.len();
        let pairs = state[start..].chunks_exact(2);
        let place = start + 2 * pairs.take_while(|pair| pair[0] < channel).count();
        let there = state.get(place) == Some(&channel);
        if queue.is_empty() {
            if there {
                state.drain(place..place + 2);
            }
            return state;
        }
        let number = self.queues.number(queue.into()).0;
        if there {
            state[place + 1] = number;
        } else {
            state.splice(place..place, [channel, number]);
        }
        state
    }

    /// A process other than a server that has neither ended nor failed in a state.
    pub(super) fn waiting(&self, state: StateId, place: usize) -> bool {
        let local = self.local(state, place);
        let server = self.protocol.processes[self.actors[place].process as usize].server;
        !server && !local.has_ended() && !local.failed
    }

    /// The local state of an actor in a state.
    pub(super) fn local(&self, state: StateId, place: usize) -> &Local<'p> {
        self.locals[place].state(self.states.thing(state)[place] as LocalId)
    }

    /// The first queue that is not empty. If a server may act without being asked, nothing is said
    /// about messages.
    pub(super) fn some_queue(&self, state: StateId) -> Option<u32> {
        let active = self.protocol.processes.iter().any(|it| it.server && may_act_unasked(it));
        if active { None } else { self.states.thing(state).get(self.actors.len()).copied() }
    }

    /// How many states there are.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// Processes that have ended, and servers, with their variables.
    pub(super) fn store(&self, state: StateId) -> (BTreeSet<Actor>, Store) {
        let (mut actors, mut store) = (BTreeSet::new(), Store::new());
        for (place, actor) in self.actors.iter().enumerate() {
            let process = &self.protocol.processes[actor.process as usize];
            let local = self.local(state, place);
            if local.failed || !(local.has_ended() || process.server) {
                continue;
            }
            actors.insert(*actor);
            for (number, (variable, value)) in
                process.variables.iter().zip(&local.values).enumerate()
            {
                if let (false, Some(value)) = (variable.of_loop, value) {
                    store.insert((*actor, number as u32), value.clone());
                }
            }
        }
        (actors, store)
    }

    /// Whether nobody knows what an actor does next.
    pub(super) fn is_unclear(&mut self, state: StateId, place: usize) -> bool {
        let local = self.states.thing(state)[place];
        matches!(&*self.locals[place].next(local), Next::Unclear)
    }
}

fn edge_of(place: usize, outcome: &Outcome, effect: Effect, choice: Option<Choice>) -> Edge {
    let (steps, failed) = (outcome.steps, outcome.failed);
    Edge { actor: place as u16, steps, choice, effect, failed }
}

fn moved(state: &[u32], place: usize, to: LocalId) -> Vec<u32> {
    let mut after = state.to_vec();
    after[place] = to;
    after
}
