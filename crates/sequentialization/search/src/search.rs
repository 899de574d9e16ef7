//! The search for a derivation: who moves when.
//!
//! The search is driven by demand. Somebody has a goal (to finish an iteration, a turn,
//! everything); where it waits for a message, whoever has to send it moves until it does, and so
//! on; a cycle of such demands is a deadlock of what is looked at. What is in flight at the end is
//! delivered if its receiver can come back to where it was.
//!
//! A decision that is not known splits the search: first both cases run just to the end of the
//! statement, in the hope that they agree there; otherwise each runs until the goal is reached.
//!
//! Every rule only ever takes what must happen anyway, so an order of steps that leads nowhere is
//! rarely a dead end; what is tried one after the other are the forms of the loop rule, and how
//! much of a member's code belongs to its turn.

use crate::failure::{Stuck, Why};
use crate::point::{Derivation, Need, Point};
use crate::repeat::{Moves, loop_set};
use ser_sequentialization_checker::code::{Code, Item};
use ser_sequentialization_checker::rules::fork;
use ser_sequentialization_checker::state::State;
use ser_sequentialization_checker::{Bag, Slot, Step, Symbol};
use ser_syntax::icet::ast::{ConstructorId, MessageId, ProcessId, SetId, StmtId, StmtKind};

/// What is to be reached in a frame.
pub enum Goal<'g, 'p> {
    /// The end of an iteration of the loops of `slots`.
    Iteration {
        slots: &'g [Slot],
        /// The member that moves on.
        mover: Option<Symbol>,
        /// How the frame began.
        start: &'g State<'p>,
    },
    /// The member has only `rest` to do.
    Turn {
        symbol: Symbol,
        rest: &'g Code<'p>,
        /// How the frame began.
        start: &'g State<'p>,
    },
    /// The slot has only `rest` to do.
    Reach { slot: Slot, rest: &'g Code<'p> },
    /// Everything is done.
    End,
}

/// Slots that wait for a message, and at which statement: each for the next one.
type Waiting = Vec<(Slot, StmtId)>;

impl<'p> Derivation<'_, 'p> {
    /// Reaches the goal, through all decisions.
    pub fn complete(&mut self, goal: &Goal<'_, 'p>) -> Result<(), Stuck> {
        self.deeper(|this| {
            loop {
                let slot = match this.pursue(goal) {
                    Err(Stuck { why: Why::Undecided(slot), .. }) => slot,
                    other => return other,
                };
                if this.decide(goal, slot)? {
                    return Ok(());
                }
            }
        })
    }

    /// Splits the search; true if the goal is reached in all cases, false if the cases agree
    /// earlier.
    fn decide(&mut self, goal: &Goal<'_, 'p>, slot: Slot) -> Result<bool, Stuck> {
        let owner = self.process_of(slot);
        let Some(statement) = self.point.statement(slot) else {
            return Err(Stuck::new(Why::NoRule));
        };
        if let StmtKind::While { .. } = statement.kind {
            return Err(Stuck::at(Why::Stateful, owner, statement.id));
        }
        let apart = || Stuck::at(Why::Apart, owner, statement.id);
        let cases = fork::cases(&mut self.search.kernel, &self.point.state, slot);
        let mut rest = self.point.code(slot).cloned().unwrap_or_default();
        rest.advance();
        let soon = Goal::Reach { slot, rest: &rest };
        let mut alike = true;
        let mut arms = Vec::new();
        for fork::Case { constructor, state } in cases.map_err(|_| apart())? {
            let mut case = Point::start(state);
            self.search.charge(case.state.weight())?;
            let mut arm = self.at(case.clone());
            match arm.complete(&soon) {
                Ok(()) => case = arm.point,
                Err(_) => alike = false,
            }
            arms.push((constructor, case));
        }
        if alike && self.join(slot, arms.clone()).is_some() {
            return Ok(false);
        }
        for (_, case) in &mut arms {
            let mut arm = self.at(case.clone());
            arm.complete(goal)?;
            *case = arm.point;
        }
        self.join(slot, arms).ok_or_else(apart)?;
        Ok(true)
    }

    /// Goes on with one point for all cases, if they end alike.
    fn join(&mut self, slot: Slot, arms: Vec<(Option<ConstructorId>, Point<'p>)>) -> Option<()> {
        let (ends, arms) = arms
            .into_iter()
            .map(|(constructor, Point { state, steps, .. })| {
                (fork::Case { constructor, state }, steps)
            })
            .unzip();
        let joined = fork::join(&mut self.search.kernel, &self.point.state, slot, ends).ok()?;
        self.point.push(Step::Fork { slot, arms }, joined);
        Some(())
    }

    fn pursue(&mut self, goal: &Goal<'_, 'p>) -> Result<(), Stuck> {
        match goal {
            Goal::Reach { slot, rest } => self.reach(*slot, rest),
            Goal::Turn { symbol, rest, start } => {
                self.reach(Slot::Member(*symbol), rest)?;
                self.settle(start, &[], Some(*symbol))
            }
            Goal::Iteration { slots, mover, start } => {
                for slot in *slots {
                    while self.point.first(*slot) != Some(Item::Stop) {
                        self.step(*slot, &mut Vec::new())?;
                    }
                }
                self.settle(start, slots, *mover)
            }
            Goal::End => self.finish(),
        }
    }

    fn reach(&mut self, slot: Slot, rest: &Code<'p>) -> Result<(), Stuck> {
        while self.point.code(slot) != Some(rest) {
            self.step(slot, &mut Vec::new())?;
        }
        Ok(())
    }

    /// One step of a slot, with whatever others have to do before it.
    pub fn step(&mut self, slot: Slot, waiting: &mut Waiting) -> Result<(), Stuck> {
        loop {
            let need = match self.run(slot) {
                Ok(()) => return Ok(()),
                Err(need) => need,
            };
            let owner = self.process_of(slot);
            let Some(statement) = self.point.statement(slot) else {
                return Err(match need {
                    Need::Never(stuck) => stuck,
                    _ => Stuck::new(Why::NoRule),
                });
            };
            let stuck = |why: Why| Stuck::at(why, owner, statement.id);
            if let StmtKind::Receive { .. } = statement.kind
                && let Some(bag) = self.bag_for(slot)
            {
                return self.draw(slot, bag).map_err(stuck);
            }
            match need {
                Need::Never(reason) => return Err(reason),
                Need::Decision => return Err(stuck(Why::Undecided(slot))),
                Need::Unfolded(symbol) => self.unfold_named(symbol).map_err(stuck)?,
                Need::Loop => {
                    let (step, state) = self.any_loop(slot)?;
                    self.point.push(step, state);
                    return Ok(());
                }
                Need::Message(sender, message) => {
                    waiting.push((slot, statement.id));
                    self.provide((sender, slot, message), waiting)?;
                    waiting.pop();
                }
                Need::AnyMember(set, message) => {
                    waiting.push((slot, statement.id));
                    self.hurry(set, waiting)?;
                    let sender = match self.point.state.unfolded(set) {
                        Some(Slot::Member(symbol)) => symbol,
                        _ => self.unfold_sender(slot, set).map_err(stuck)?,
                    };
                    self.provide((Slot::Member(sender), slot, message), waiting)?;
                    waiting.pop();
                    return self.take(slot, set, sender).map_err(stuck);
                }
            }
        }
    }

    /// Lets those move for whom messages wait, until a member of `set` is talked to: it may be the
    /// one whose message is awaited. Otherwise it could be any.
    fn hurry(&mut self, set: SetId, waiting: &mut Waiting) -> Result<(), Stuck> {
        while self.point.state.unfolded(set).is_none() {
            let busy = |slot: &Slot| waiting.iter().any(|(other, _)| other == slot);
            let next = self.point.slots().into_iter().find(|it| !busy(it) && self.inbox(*it));
            let Some(slot) = next else { return Ok(()) };
            if self.attempt(|this| this.step(slot, waiting))?.is_err() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Tries something. If it fails, everything is as before, unless it has to decide something.
    fn attempt(
        &mut self,
        what: impl FnOnce(&mut Self) -> Result<(), Stuck>,
    ) -> Result<Result<(), Stuck>, Stuck> {
        let before = self.save()?;
        match what(self) {
            Ok(()) => Ok(Ok(())),
            Err(reason) if matches!(reason.why, Why::Undecided(_)) => Err(reason),
            Err(reason) => {
                self.point.rewind(before);
                Ok(Err(reason))
            }
        }
    }

    /// Lets the sender of a channel move until it has sent what the receiver waits for.
    fn provide(
        &mut self,
        channel: (Slot, Slot, MessageId),
        waiting: &mut Waiting,
    ) -> Result<(), Stuck> {
        let (sender, _, message) = channel;
        let nobody = (ProcessId(0), StmtId(0));
        while !self.point.state.queues.contains_key(&channel) {
            if let Some(start) = waiting.iter().position(|(slot, _)| *slot == sender) {
                let waits = waiting.iter().skip(start);
                let cycle: Vec<_> = waits.map(|(it, at)| (self.process_of(*it), *at)).collect();
                let (owner, statement) = cycle.first().copied().unwrap_or(nobody);
                return Err(Stuck::at(Why::Cycle(cycle), owner, statement));
            }
            self.step(sender, waiting).map_err(|reason| match reason.why {
                Why::Ended => {
                    let last = waiting.last().map(|(it, at)| (self.process_of(*it), *at));
                    let (owner, statement) = last.unwrap_or(nobody);
                    Stuck::at(Why::Blocked { message }, owner, statement)
                }
                _ => reason,
            })?;
        }
        Ok(())
    }

    /// The loop rule in any of its forms.
    pub fn any_loop(&mut self, slot: Slot) -> Result<(Step, State<'p>), Stuck> {
        let point = &self.point;
        let (Some(statement), Some(set)) = (point.statement(slot), loop_set(point, slot)) else {
            return Err(Stuck::new(Why::NoRule));
        };
        let bags = point.state.bags.iter();
        let mine = bags.filter(|(_, it)| Slot::Process(it.receiver.0) == slot && it.count == set);
        let draws: Vec<Bag> = mine.map(|(bag, _)| *bag).collect();
        let draws: Vec<&[Bag]> = if draws.is_empty() { vec![&[]] } else { vec![&draws, &[]] };
        // Loops of others over the same set that might go together with this one.
        let slots = point.slots().into_iter();
        let partners = slots.filter(|it| *it != slot && loop_set(point, *it) == Some(set));
        let mut groups = vec![vec![slot]];
        groups.extend(partners.map(|partner| vec![slot, partner]));
        let mut reasons: Vec<Stuck> = Vec::new();
        let mut spare = None;
        for slots in groups {
            for moves in [Moves::Nobody, Moves::Named, Moves::Sender] {
                for draws in &draws {
                    match self.iterate(&slots, moves, draws) {
                        // Leaving messages behind is the last resort.
                        Ok(next) if next.1.bags.len() > self.point.state.bags.len() => {
                            spare.get_or_insert(next);
                        }
                        Ok(next) => return Ok(next),
                        Err(reason) => reasons.push(reason),
                    }
                    self.search.check_budget()?;
                }
            }
        }
        let nothing = || Stuck::at(Why::NoRule, self.process_of(slot), statement.id);
        spare.ok_or_else(|| crate::top::telling(reasons).unwrap_or_else(nothing))
    }

    /// Brings everybody back to where they were when the frame began, and delivers what can be
    /// delivered.
    fn settle(
        &mut self,
        start: &State<'p>,
        slots: &[Slot],
        mover: Option<Symbol>,
    ) -> Result<(), Stuck> {
        let is_mover = |slot: Slot| mover.is_some_and(|mover| slot == Slot::Member(mover));
        let home = |slot: Slot| start.actors.get(&slot).map(|actor| &actor.code);
        // Single processes, and members of frames around this one.
        for slot in self.point.slots() {
            let Some(home) = home(slot) else { continue };
            if slots.contains(&slot) || is_mover(slot) {
                continue;
            }
            while self.point.code(slot) != Some(home) {
                self.back(slot)?;
            }
        }
        // Members that were unfolded here get their messages; all but the mover come back.
        for symbol in self.point.members() {
            let slot = Slot::Member(symbol);
            if home(slot).is_some() {
                continue;
            }
            while self.inbox(slot) {
                self.back(slot)?;
            }
            if is_mover(slot) {
                while self.point.is_local(slot) && self.run(slot).is_ok() {}
            } else {
                while !self.point.is_home(symbol) {
                    self.back(slot)?;
                }
            }
        }
        // Messages that somebody takes who is at home.
        for slot in self.point.slots() {
            let Some(home) = home(slot) else { continue };
            if slots.contains(&slot) || !self.inbox(slot) {
                continue;
            }
            if let Err(reason) = self.attempt(|this| this.deliver(slot, home))? {
                self.search.undelivered = Some(reason);
            }
        }
        // Delivering may have moved others.
        let away = |slot: &Slot| {
            !slots.contains(slot)
                && !is_mover(*slot)
                && home(*slot).is_some_and(|home| self.point.code(*slot) != Some(home))
        };
        let busy = |slot: &Slot| home(*slot).is_none() && self.inbox(*slot);
        if self.point.slots().iter().any(|slot| away(slot) || busy(slot)) {
            return self.deeper(|this| this.settle(start, slots, mover));
        }
        for symbol in self.point.members() {
            let slot = Slot::Member(symbol);
            let stays = home(slot).is_some() || is_mover(slot);
            if !stays && self.point.pending(|(from, _, _)| *from == slot).is_none() {
                self.fold(symbol)?;
            }
        }
        Ok(())
    }

    fn deliver(&mut self, slot: Slot, home: &Code<'p>) -> Result<(), Stuck> {
        self.back(slot)?;
        while self.inbox(slot) || self.point.code(slot) != Some(home) {
            self.back(slot)?;
        }
        Ok(())
    }

    /// A step on the way back, or the complaint that there is none.
    fn back(&mut self, slot: Slot) -> Result<(), Stuck> {
        self.step(slot, &mut Vec::new()).map_err(|reason| match reason.why {
            Why::Ended => match self.point.pending(|(_, to, _)| *to == slot) {
                Some((channel, send)) => self.orphan(channel, send),
                None => Stuck::new(Why::NotBack { process: self.process_of(slot) }),
            },
            _ => reason,
        })
    }

    /// Whether messages of this frame wait for the slot.
    fn inbox(&self, slot: Slot) -> bool {
        self.point.pending(|it| it.1 == slot && !self.frame.frozen.contains(it)).is_some()
    }
}
