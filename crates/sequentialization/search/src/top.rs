//! The derivation as a whole: which rule next, when nobody in particular demands anything.

use crate::failure::{Stuck, Why};
use crate::point::{Derivation, Need, Point, Search};
use crate::repeat::{leftovers, loop_set};
use crate::search::Goal;
use ser_sequentialization_checker::code::Code;
use ser_sequentialization_checker::kernel::Frame;
use ser_sequentialization_checker::rules::end::end;
use ser_sequentialization_checker::state::State;
use ser_sequentialization_checker::{Reason, Slot, Step};
use ser_syntax::icet::ast::{ProcessId, SetId, StmtId, StmtKind};

/// Searches a derivation of the whole protocol; where it does not come to its end, with the steps
/// until then.
pub fn derive(search: &mut Search<'_>) -> Result<Vec<Step>, (Vec<Step>, Stuck)> {
    let point = Point::start(State::new(search.protocol));
    let mut derivation = Derivation { search, frame: &Frame::whole(), point };
    let done = derivation.complete(&Goal::End);
    let Point { state, steps, .. } = derivation.point;
    if let Err(stuck) = done {
        return Err((steps, stuck));
    }
    let statement = match end(&search.kernel, state) {
        Ok(_) => return Ok(steps),
        Err(Reason::ToldAndReply { tag }) => Some(StmtId(tag)),
        Err(_) => None,
    };
    Err((steps, Stuck { why: Why::NoRule, owner: None, statement }))
}

impl<'p> Derivation<'_, 'p> {
    /// Takes everything off; or stops where nothing helps, with the point as far as it came.
    pub fn finish(&mut self) -> Result<(), Stuck> {
        let mut reasons;
        loop {
            reasons = Vec::new();
            self.come_back()?;
            while self.simple(&mut reasons)? {}
            if self.is_done() {
                return Ok(());
            }
            if !self.compound(&mut reasons)? {
                break;
            }
        }
        if let Some(slot) = self.undecided()? {
            return Err(Stuck::new(Why::Undecided(slot)));
        }
        Err(self.verdict(reasons))
    }

    fn singles(&self) -> Vec<Slot> {
        let is_single = |slot: &Slot| matches!(slot, Slot::Process(_));
        self.point.state.actors.keys().copied().filter(is_single).collect()
    }

    /// Whether the slot is a server that waits.
    fn rests(&self, slot: Slot) -> bool {
        let actor = self.point.state.actors.get(&slot);
        actor.is_some_and(|it| self.search.protocol.process(it.process).server && it.code.rests())
    }

    /// Steps that are possible now, of single processes.
    fn simple(&mut self, reasons: &mut Vec<Stuck>) -> Result<bool, Stuck> {
        let mut moved = false;
        for slot in self.singles() {
            while !self.rests(slot) {
                let Err(need) = self.run(slot) else {
                    moved = true;
                    continue;
                };
                match need {
                    Need::Never(stuck) if stuck.why == Why::Budget => return Err(stuck),
                    Need::Never(stuck) if stuck.why != Why::Ended => reasons.push(stuck),
                    _ => {}
                }
                break;
            }
        }
        Ok(moved)
    }

    /// Loops, turns, and steps that need others to move; says whether there was one.
    fn compound(&mut self, reasons: &mut Vec<Stuck>) -> Result<bool, Stuck> {
        let singles = self.singles();
        for slot in &singles {
            if loop_set(&self.point, *slot).is_some() {
                match self.any_loop(*slot) {
                    Ok((step, state)) => {
                        self.point.push(step, state);
                        return Ok(true);
                    }
                    Err(reason) => reasons.push(reason),
                }
            }
        }
        // Servers first: what they do before they wait is in nobody's way, and a turn of others
        // should find them waiting.
        let mut sets: Vec<SetId> = self.point.state.sets.keys().copied().collect();
        sets.sort_by_key(|set| !self.is_server_set(*set));
        for set in sets {
            match self.turn(set) {
                Ok(Some((step, state))) => {
                    self.point.push(step, state);
                    return Ok(true);
                }
                Ok(None) => {}
                Err(reason) => reasons.push(reason),
            }
        }
        let mut undecided = None;
        for slot in &singles {
            let waited_for = self.point.pending(|(_, to, _)| to == slot).is_some();
            let quiet = self.rests(*slot) && !waited_for;
            if quiet || self.point.code(*slot).is_none_or(Code::is_empty) {
                continue;
            }
            let before = self.save()?;
            let done = self.step(*slot, &mut Vec::new()).and_then(|()| self.come_back());
            let Err(reason) = done else { return Ok(true) };
            let next = self.point.rewind(before);
            if matches!(reason.why, Why::Undecided(_)) {
                undecided.get_or_insert((next, reason));
            } else {
                reasons.push(reason);
            }
        }
        self.search.check_budget()?;
        let Some((next, reason)) = undecided else { return Ok(false) };
        self.point.append(next);
        Err(reason)
    }

    /// Lets unfolded members, and those that they talk to, run until all are folded.
    fn come_back(&mut self) -> Result<(), Stuck> {
        while let Some(symbol) = self.point.members().first().copied() {
            let slot = Slot::Member(symbol);
            let to_it = self.point.pending(|(_, to, _)| *to == slot).is_some();
            let from_it = self.point.pending(|(from, _, _)| *from == slot);
            match from_it.map(|((_, to, _), _)| to) {
                // The member first; where it has nothing to do, whoever its messages are for.
                _ if !self.point.is_home(symbol) || to_it => self.step(slot, &mut Vec::new())?,
                Some(receiver) => self.step(receiver, &mut Vec::new())?,
                None => self.fold(symbol)?,
            }
        }
        Ok(())
    }

    /// A turn of every member of the set: as much of its code as possible.
    fn turn(&mut self, set: SetId) -> Result<Option<(Step, State<'p>)>, Stuck> {
        let Some(code) = self.point.state.sets.get(&set).map(|it| it.code.clone()) else {
            return Ok(None);
        };
        let server = self.is_server_set(set);
        if code.is_empty() || server && code.rests() {
            return Ok(None);
        }
        let mut reasons = Vec::new();
        for rest in 0..code.len() {
            let rest = code.suffix(rest);
            if server && !rest.rests() {
                continue;
            }
            match self.each(set, &rest) {
                Ok(next) => return Ok(Some(next)),
                Err(reason) => reasons.push(reason),
            }
            self.search.check_budget()?;
        }
        Err(telling(reasons).unwrap_or_else(|| Stuck::new(Why::NoRule)))
    }

    /// Whether the members of a set are servers.
    fn is_server_set(&self, set: SetId) -> bool {
        let protocol = self.search.protocol;
        protocol.members_of(set).is_some_and(|it| protocol.process(it).server)
    }

    /// A single process that has to decide something.
    fn undecided(&mut self) -> Result<Option<Slot>, Stuck> {
        for slot in self.singles() {
            let statement = self.point.statement(slot);
            if statement.is_none_or(|it| matches!(it.kind, StmtKind::While { .. })) {
                continue;
            }
            let before = self.save()?;
            let done = self.run(slot);
            self.point.rewind(before);
            if let Err(Need::Decision) = done {
                return Ok(Some(slot));
            }
        }
        Ok(None)
    }

    /// Whether nothing is left but servers that wait.
    fn is_done(&self) -> bool {
        let state = &self.point.state;
        let ended = |(process, code): (ProcessId, &Code<'_>)| {
            code.is_empty() || self.search.protocol.process(process).server && code.rests()
        };
        let quiet = state.queues.is_empty() && state.bags.is_empty();
        quiet && self.point.members().is_empty() && codes(state).all(ended)
    }

    /// Why nothing helps any more.
    fn verdict(&mut self, mut reasons: Vec<Stuck>) -> Stuck {
        if let Some(endless) = reasons.iter().find(|it| it.why == Why::Endless) {
            return endless.clone();
        }
        let state = &self.point.state;
        let all_ended = codes(state).all(|(_, code)| code.is_empty() || code.rests());
        if all_ended
            && let Some((channel, sends)) = leftovers(self.frame, state).first()
            && let Some(send) = sends.first()
        {
            return self.orphan(*channel, *send);
        }
        if let Some(bag) = state.bags.values().next() {
            let (from, to) = (bag.sender, bag.receiver);
            let why = Why::Orphan { send: bag.tag, message: bag.message, from, to };
            reasons.push(Stuck::at(why, from, bag.tag));
        }
        match telling(reasons) {
            Some(reason) if !matches!(reason.why, Why::NoProgress | Why::NoRule) => reason,
            reason => {
                let undelivered = self.search.undelivered.clone();
                undelivered.or(reason).unwrap_or_else(|| Stuck::new(Why::NoRule))
            }
        }
    }
}

/// Everybody's code, with whose it is.
fn codes<'s, 'p>(state: &'s State<'p>) -> impl Iterator<Item = (ProcessId, &'s Code<'p>)> {
    let actors = state.actors.values().map(|it| (it.process, &it.code));
    actors.chain(state.sets.values().map(|it| (it.process, &it.code)))
}

/// The reason that tells most.
pub fn telling(reasons: Vec<Stuck>) -> Option<Stuck> {
    let rank = |stuck: &Stuck| match stuck.why {
        Why::Budget => 0,
        Why::Stateful | Why::Endless => 1,
        Why::MayBeEmpty { .. } => 2,
        Why::Cycle(_) => 3,
        Why::Orphan { .. } => 4,
        Why::Blocked { .. } => 5,
        Why::OutOfTurn { .. } | Why::SecondMember { .. } => 6,
        Why::Mismatch => 7,
        Why::Address => 8,
        Why::Apart => 9,
        Why::NotBack { .. } => 10,
        Why::NoProgress => 11,
        Why::NoRule | Why::Rejected | Why::Undecided(_) | Why::Ended => 12,
    };
    reasons.into_iter().min_by_key(rank)
}
