//! Loops and turns: something is derived once for all its repetitions.
//!
//! Which variables a repetition changes is found out by trying: first none is said to change, then
//! those that did.

use crate::failure::{Stuck, Why};
use crate::point::{Derivation, Point, Search};
use crate::search::Goal;
use ser_sequentialization_checker::code::Code;
use ser_sequentialization_checker::kernel::Frame;
use ser_sequentialization_checker::rules::each::{enter_turn, leave_turn};
use ser_sequentialization_checker::rules::frame::keeps_values;
use ser_sequentialization_checker::rules::loops::{enter_loop, leave_loop};
use ser_sequentialization_checker::state::{Channel, State};
use ser_sequentialization_checker::{Advance, Bag, Cell, Leave, Loop, Reason, Slot, Step, Symbol};
use ser_syntax::icet::ast::{SetId, SetKind, StmtId, StmtKind};

/// Which member of the loop's set moves on in each iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moves {
    Nobody,
    /// The one that the loop names.
    Named,
    /// The one whose message is received.
    Sender,
}

/// The set of the `for` that a slot begins with.
pub fn loop_set(point: &Point<'_>, slot: Slot) -> Option<SetId> {
    match &point.statement(slot)?.kind {
        StmtKind::For { set, .. } => Some(*set),
        _ => None,
    }
}

impl<'p> Derivation<'_, 'p> {
    /// All iterations of the loops that the slots begin with.
    pub fn iterate(
        &mut self,
        slots: &[Slot],
        moves: Moves,
        draws: &[Bag],
    ) -> Result<(Step, State<'p>), Stuck> {
        let Some(set) = slots.first().and_then(|slot| loop_set(&self.point, *slot)) else {
            return Err(Stuck::new(Why::NoRule));
        };
        let mut havoc = Vec::new();
        loop {
            let mut rule = shape(self.search, set, slots, moves, draws);
            rule.havoc.clone_from(&havoc);
            let before = &self.point.state;
            let iteration = enter_loop(&mut self.search.kernel, self.frame, before, &rule)
                .map_err(|_| Stuck::new(Why::NoRule))?;
            let round = &iteration.round;
            let (mover, start) = (round.frame.moves_on(), &round.start);
            let point = Point::start(round.first.clone());
            let mut inner = Derivation { search: self.search, frame: &round.frame, point };
            inner.complete(&Goal::Iteration { slots, mover, start })?;
            let end = inner.point;
            if end.state.drawn.len() != draws.len() {
                return Err(Stuck::new(Why::NoRule));
            }
            if self.changes(start, &end.state, &mut havoc) {
                continue;
            }
            for (channel, sends) in leftovers(&round.frame, &end.state) {
                if !is_postponed(channel, mover) {
                    rule.leaves.push(self.leave_behind(&end.state, channel, &sends)?);
                }
            }
            rule.steps = end.steps;
            let before = &self.point.state;
            match leave_loop(&mut self.search.kernel, before, &iteration, end.state, &rule) {
                Ok(state) => return Ok((Step::Loop(rule), state)),
                Err(Reason::Havoc { all, .. }) => havoc.extend(all),
                Err(reason) => return Err(self.rejected(set, &reason)),
            }
        }
    }

    /// Lets every member of `set` run until it has only `rest` to do.
    pub fn each(&mut self, set: SetId, rest: &Code<'p>) -> Result<(Step, State<'p>), Stuck> {
        let mut havoc = Vec::new();
        loop {
            let symbol = self.search.symbol();
            let before = &self.point.state;
            let turn =
                enter_turn(&mut self.search.kernel, self.frame, before, set.0, symbol, &havoc)
                    .map_err(|_| Stuck::new(Why::SecondMember { set }))?;
            let (start, point) = (&turn.start, Point::start(turn.first.clone()));
            let mut inner = Derivation { search: self.search, frame: &turn.frame, point };
            inner.complete(&Goal::Turn { symbol, rest, start })?;
            let end = inner.point;
            if self.changes(start, &end.state, &mut havoc) {
                continue;
            }
            for (channel, sends) in leftovers(&turn.frame, &end.state) {
                if let (false, Some(send)) = (is_postponed(channel, Some(symbol)), sends.first()) {
                    return Err(self.search.orphan(&end.state, channel, *send));
                }
            }
            let before = &self.point.state;
            match leave_turn(&mut self.search.kernel, before, &turn, end.state, symbol, &havoc) {
                Ok(state) => {
                    let step = Step::Each { set: set.0, symbol, havoc, steps: end.steps };
                    return Ok((step, state));
                }
                Err(Reason::Havoc { all, .. }) => havoc.extend(all),
                Err(reason) => return Err(self.rejected(set, &reason)),
            }
        }
    }

    /// Whether a repetition changes more than `havoc`, which then has it.
    fn changes(
        &mut self,
        start: &State<'p>,
        end: &State<'p>,
        havoc: &mut Vec<(Cell, u32)>,
    ) -> bool {
        match keeps_values(&mut self.search.kernel, start, end, havoc) {
            Err(Reason::Havoc { all, .. }) => {
                havoc.extend(all);
                true
            }
            _ => false,
        }
    }

    /// A bag for the message that an iteration leaves behind.
    fn leave_behind(
        &mut self,
        end: &State<'p>,
        channel: Channel,
        sends: &[StmtId],
    ) -> Result<Leave, Stuck> {
        let (from, to, message) = channel;
        let sender = self.search.process_of(end, from);
        match (to, sends) {
            (Slot::Process(number), [_])
                if self.frame.outer.is_none() && !self.point.state.has_bag(sender, to, message) =>
            {
                Ok(Leave { bag: self.search.bag(), from, to: number, message: message.0 })
            }
            _ => {
                let send = sends.first().copied().unwrap_or(StmtId(0));
                Err(self.search.orphan(end, channel, send))
            }
        }
    }

    /// Why the kernel rejects the end of a repetition.
    fn rejected(&self, set: SetId, reason: &Reason) -> Stuck {
        match reason {
            Reason::NoProgress | Reason::NobodyMovesOn => Stuck::new(Why::NoProgress),
            Reason::PivotAgain { tag } => match self.search.protocol.members_of(set) {
                Some(process) => Stuck::at(Why::OutOfTurn { set }, process, StmtId(*tag)),
                None => Stuck::new(Why::OutOfTurn { set }),
            },
            _ => Stuck::new(Why::NoRule),
        }
    }
}

fn shape(search: &mut Search<'_>, set: SetId, slots: &[Slot], moves: Moves, draws: &[Bag]) -> Loop {
    let processes = search.protocol.set(set).kind == SetKind::Processes;
    let mut symbols = vec![search.symbol()];
    while let (true, Some(first)) = (symbols.len() < slots.len(), symbols.first().copied()) {
        symbols.push(if processes { search.symbol() } else { first });
    }
    let advance = match moves {
        Moves::Nobody => Advance::Nobody,
        Moves::Named => Advance::Named,
        Moves::Sender => Advance::Sender(search.symbol()),
    };
    let (slots, draws) = (slots.to_vec(), draws.to_vec());
    Loop { slots, symbols, advance, havoc: vec![], draws, leaves: vec![], steps: vec![] }
}

/// The sends whose messages the frame leaves in flight, by channel.
pub fn leftovers(frame: &Frame<'_>, state: &State<'_>) -> Vec<(Channel, Vec<StmtId>)> {
    let open = state.queues.iter().filter(|(channel, _)| !frame.frozen.contains(channel));
    open.map(|(channel, queue)| (*channel, queue.iter().map(|it| it.tag).collect())).collect()
}

/// Whether messages that are left in this channel are postponed by the member that moves on.
fn is_postponed((from, to, _): Channel, mover: Option<Symbol>) -> bool {
    mover.is_some_and(|mover| from == Slot::Member(mover)) && matches!(to, Slot::Process(_))
}
