//! What walks go through: a network system, or a program whose states are worked out on demand.
//!
//! As in the normal form of the net, a request arrives with its first step and responds with its
//! last one.

use rustc_hash::FxHashMap;
use ser_base::{Limits, Stop};
use ser_model::{ABORT, GlobalId, LocalId, NetworkSystem, Stepping};
use std::rc::Rc;

/// A request with its response: the number of the request label, and that of the response.
pub(crate) type Letter = (u32, u32);

/// Where requests may move. The initial global state has a number, as all others.
pub(crate) trait Ground {
    fn initial(&self) -> u32;
    /// The request labels with the local states in which they start.
    fn entries(&self) -> &[(u32, u32)];
    /// What one step leads to: local and global states.
    fn targets(&mut self, global: u32, local: u32) -> Result<Vec<(u32, u32)>, Stop>;
    /// The responses that a request in `local` may give.
    fn replies(&mut self, local: u32) -> Vec<u32>;
    /// Whether a request in `local` may go on.
    fn goes_on(&self, local: u32) -> bool;
    /// Where a request in `local` stands, whatever its variables are.
    fn position(&self, local: u32) -> u32;
    /// The responses of a label that serial runs may have at any time, without any effect, if a
    /// request gives them.
    fn free(&self, label: u32) -> Vec<u32>;
}

/// A network system.
pub(crate) struct OnSystem<'a> {
    system: &'a NetworkSystem,
    entries: Vec<(u32, u32)>,
}

impl<'a> OnSystem<'a> {
    pub fn new(system: &'a NetworkSystem) -> OnSystem<'a> {
        let entries = system.spawns().iter().map(|(r, l)| (r.0, l.0)).collect();
        OnSystem { system, entries }
    }
}

impl Ground for OnSystem<'_> {
    fn initial(&self) -> u32 {
        self.system.initial_global().0
    }

    fn entries(&self) -> &[(u32, u32)] {
        &self.entries
    }

    fn targets(&mut self, global: u32, local: u32) -> Result<Vec<(u32, u32)>, Stop> {
        let steps = self.system.steps_at(LocalId(local), GlobalId(global));
        Ok(steps.iter().map(|step| (step.to.0, step.after.0)).collect())
    }

    fn replies(&mut self, local: u32) -> Vec<u32> {
        self.system.replies_of(LocalId(local)).map(|response| response.0).collect()
    }

    fn goes_on(&self, local: u32) -> bool {
        !self.system.steps_of(LocalId(local)).is_empty()
    }

    fn position(&self, local: u32) -> u32 {
        let span = self.system.local(LocalId(local)).span;
        span.map_or(local, |span| span.start)
    }

    fn free(&self, label: u32) -> Vec<u32> {
        let free = self.system.free().iter().filter(|(request, _)| request.0 == label);
        free.map(|(_, response)| response.0).collect()
    }
}

/// The number of the response of a request that aborts.
const ABORTED: u32 = 0;

/// A program, step by step.
pub(crate) struct OnDemand<'a, 'b> {
    steps: &'a mut Stepping<'b>,
    entries: Vec<(u32, u32)>,
    responses: FxHashMap<String, u32>,
}

impl<'a, 'b> OnDemand<'a, 'b> {
    pub fn new(steps: &'a mut Stepping<'b>) -> OnDemand<'a, 'b> {
        let entries = steps.starts().iter().enumerate();
        let entries = entries.map(|(label, (_, local))| (label as u32, local.0)).collect();
        OnDemand { steps, entries, responses: FxHashMap::from_iter([(ABORT.to_owned(), ABORTED)]) }
    }

    /// The response with this number.
    pub fn response(&self, number: u32) -> Option<String> {
        let found = self.responses.iter().find(|(_, known)| **known == number);
        found.map(|(name, _)| name.clone())
    }

    /// The name of a request label.
    pub fn label(&self, number: u32) -> Option<String> {
        self.steps.starts().get(number as usize).map(|(label, _)| label.clone())
    }
}

impl Ground for OnDemand<'_, '_> {
    fn initial(&self) -> u32 {
        0
    }

    fn entries(&self) -> &[(u32, u32)] {
        &self.entries
    }

    fn targets(&mut self, global: u32, local: u32) -> Result<Vec<(u32, u32)>, Stop> {
        let targets = self.steps.next(GlobalId(global), LocalId(local))?;
        Ok(targets.into_iter().map(|(to, after)| (to.0, after.0)).collect())
    }

    fn replies(&mut self, local: u32) -> Vec<u32> {
        let Some(response) = self.steps.response(LocalId(local)) else { return Vec::new() };
        let next = self.responses.len() as u32;
        vec![*self.responses.entry(response).or_insert(next)]
    }

    fn goes_on(&self, local: u32) -> bool {
        self.steps.response(LocalId(local)).is_none()
    }

    fn position(&self, local: u32) -> u32 {
        self.steps.position(LocalId(local))
    }

    fn free(&self, _: u32) -> Vec<u32> {
        vec![ABORTED]
    }
}

/// What one move does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    pub after: u32,
    pub to: Next,
    /// The local state after the step, and the number of the step among the targets; nothing if the
    /// request responds without having stepped.
    pub step: Option<(u32, usize)>,
}

/// What becomes of the request that moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    InFlight(u32),
    /// It gives this response and is gone.
    Responds(u32),
}

/// The moves of requests, remembered.
pub(crate) struct Moves<'a> {
    ground: &'a mut dyn Ground,
    entries: Vec<(u32, u32)>,
    known: FxHashMap<(u32, u32, bool), Rc<[Move]>>,
    limits: &'a Limits,
    positions: FxHashMap<u32, u32>,
    /// How much has been worked out.
    pub work: usize,
}

/// The work of one step that is worked out, in look-ups.
const STEP: usize = 20;

impl<'a> Moves<'a> {
    pub fn new(ground: &'a mut dyn Ground, limits: &'a Limits) -> Moves<'a> {
        let entries = ground.entries().to_vec();
        let (known, positions) = (FxHashMap::default(), FxHashMap::default());
        Moves { ground, entries, known, limits, positions, work: 0 }
    }

    pub fn initial(&self) -> u32 {
        self.ground.initial()
    }

    /// Whether there is time left.
    pub fn check(&self) -> Result<(), Stop> {
        self.limits.check_clock()
    }

    /// The request labels with the local states in which they start.
    pub fn entries(&self) -> &[(u32, u32)] {
        &self.entries
    }

    /// The responses of a label that serial runs may have at any time.
    pub fn free(&self, label: u32) -> Vec<u32> {
        self.ground.free(label)
    }

    pub fn position(&mut self, local: u32) -> u32 {
        *self.positions.entry(local).or_insert_with(|| self.ground.position(local))
    }

    /// The moves of a request in flight.
    pub fn of(&mut self, global: u32, local: u32) -> Result<Rc<[Move]>, Stop> {
        self.moves(global, local, false)
    }

    /// The moves by which a request arrives.
    pub fn arriving(&mut self, global: u32, entry: usize) -> Result<Rc<[Move]>, Stop> {
        let local = self.entries.get(entry).map(|(_, local)| *local);
        local.map_or(Ok(Rc::from([])), |local| self.moves(global, local, true))
    }

    fn moves(&mut self, global: u32, local: u32, arrives: bool) -> Result<Rc<[Move]>, Stop> {
        if let Some(known) = self.known.get(&(global, local, arrives)) {
            return Ok(known.clone());
        }
        let mut moves = Vec::new();
        if arrives {
            let at_once = self.ground.replies(local).into_iter();
            moves.extend(at_once.map(|r| Move {
                after: global,
                to: Next::Responds(r),
                step: None,
            }));
        }
        let targets = self.ground.targets(global, local)?;
        for (number, (to, after)) in targets.into_iter().enumerate() {
            let step = Some((to, number));
            let replies = self.ground.replies(to).into_iter();
            moves.extend(replies.map(|r| Move { after, to: Next::Responds(r), step }));
            // Steps that change nothing lead nowhere.
            let idle = !arrives && to == local && after == global;
            if !idle && self.ground.goes_on(to) {
                moves.push(Move { after, to: Next::InFlight(to), step });
            }
        }
        self.work += STEP * (1 + moves.len());
        let moves: Rc<[Move]> = moves.into();
        self.known.insert((global, local, arrives), moves.clone());
        Ok(moves)
    }
}
