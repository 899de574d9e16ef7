//! A point of a derivation that is being searched, and single steps from it.
//!
//! The search has no rules of its own: it asks the kernel to take a step, and reads from the
//! rejection what is missing ([`Need`]). Whoever tries something that may fail saves the state
//! first.
//!
//! All work is counted by the kernel: what a rule looks at, and what is copied.

use crate::failure::{Stuck, Why};
use ser_base::Limits;
use ser_sequentialization_checker::code::{Code, Item};
use ser_sequentialization_checker::kernel::{Frame, FrameKind, Kernel};
use ser_sequentialization_checker::sources::Origin;
use ser_sequentialization_checker::state::{Channel, State, Store};
use ser_sequentialization_checker::value::Value;
use ser_sequentialization_checker::{Advance, Bag, Reason, Slot, Step, Symbol};
use ser_syntax::icet::ast::{
    MessageId, ProcessId, Protocol, SetId, Source, Stmt, StmtId, StmtKind,
};
use std::collections::BTreeMap;

/// Goals may be nested so deep: iterations, turns and cases inside each other.
const MAX_GOALS: u32 = 36;

/// A step that is tried is as much work as copying so many values.
const STEP: usize = 128;

/// So is each message in flight that a send looks at to find a ghost that is free.
const GHOST: usize = 8;

/// What does not depend on the point of the derivation.
pub struct Search<'p> {
    pub protocol: &'p Protocol,
    pub kernel: Kernel<'p>,
    /// The next new symbol or bag.
    next: u32,
    /// How deep goals are nested.
    depth: u32,
    /// Why a message could not be delivered, most recently: often what is really in the way.
    pub undelivered: Option<Stuck>,
}

impl<'p> Search<'p> {
    /// Fails if the protocol has a race.
    pub fn new(
        protocol: &'p Protocol,
        limits: &'p Limits,
        budget: usize,
    ) -> Result<Search<'p>, Reason> {
        let kernel = Kernel::new(protocol, limits, budget)?;
        Ok(Search { protocol, kernel, next: 0, depth: 0, undelivered: None })
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// A new name for a member or an index.
    pub fn symbol(&mut self) -> Symbol {
        Symbol(self.fresh())
    }

    /// A new bag.
    pub fn bag(&mut self) -> Bag {
        Bag(self.fresh())
    }

    /// Counts work.
    pub fn charge(&mut self, work: usize) -> Result<(), Stuck> {
        self.kernel.spend(work).map_err(|_| Stuck::new(Why::Budget))
    }

    /// Whether more work is allowed.
    pub fn check_budget(&self) -> Result<(), Stuck> {
        if self.kernel.is_exhausted() { Err(Stuck::new(Why::Budget)) } else { Ok(()) }
    }

    /// The process that runs in a slot; of a member, that of its set.
    pub fn process_of(&self, state: &State<'p>, slot: Slot) -> ProcessId {
        let of_member = |symbol| self.protocol.members_of(*state.symbols.get(&symbol)?);
        match slot {
            Slot::Process(process) => ProcessId(process),
            Slot::Member(symbol) => of_member(symbol).unwrap_or(ProcessId(0)),
        }
    }

    /// The complaint about a message that nobody receives.
    pub fn orphan(&self, state: &State<'p>, (from, to, message): Channel, send: StmtId) -> Stuck {
        let (from, to) = (self.process_of(state, from), self.process_of(state, to));
        Stuck::at(Why::Orphan { send, message, from, to }, from, send)
    }
}

/// What a slot needs before it can take its next step.
pub enum Need {
    /// A message of this type from this slot.
    Message(Slot, MessageId),
    /// A message of this type from some member of a set.
    AnyMember(SetId, MessageId),
    /// A slot of its own for this member.
    Unfolded(Symbol),
    /// A decision that is not known.
    Decision,
    /// A rule for its `for` loop.
    Loop,
    /// Nothing will help.
    Never(Stuck),
}

/// A symbolic state, and the steps that lead to it from the start of its frame or arm.
#[derive(Clone)]
pub struct Point<'p> {
    pub state: State<'p>,
    pub steps: Vec<Step>,
    /// Loops at whose head a slot was, without having heard of anybody since.
    heads: BTreeMap<(Slot, StmtId), Head<'p>>,
}

/// How a process came to the head of its loop: every time is counted, and those that are powers of
/// two are remembered. So any cycle is found, whatever its length (Brent's algorithm).
#[derive(Clone)]
struct Head<'p> {
    times: u32,
    code: Code<'p>,
    store: Store,
}

/// What to go back to: a state, and how many steps lead to it.
pub struct Saved<'p> {
    state: State<'p>,
    steps: usize,
}

impl<'p> Point<'p> {
    /// The start of a frame, of an arm or of the derivation.
    pub fn start(state: State<'p>) -> Point<'p> {
        Point { state, steps: Vec::new(), heads: BTreeMap::new() }
    }

    /// One more step, which leads to `state`.
    pub fn push(&mut self, step: Step, mut state: State<'p>) {
        // The replay writes the sequential program; here it would only be copied.
        state.program.clear();
        self.state = state;
        self.steps.push(step);
        self.heads.clear();
    }

    /// Goes on as this continuation does.
    pub fn append(&mut self, continuation: Point<'p>) {
        self.state = continuation.state;
        self.steps.extend(continuation.steps);
        self.heads.clear();
    }

    /// Goes back; what was taken back is a continuation of the state that was saved.
    pub fn rewind(&mut self, to: Saved<'p>) -> Point<'p> {
        self.heads.clear();
        let state = std::mem::replace(&mut self.state, to.state);
        Point { state, steps: self.steps.split_off(to.steps), heads: BTreeMap::new() }
    }

    /// Whether a slot at the head of a loop was there before with the same variables, and has
    /// heard of nobody since: then it stays in the loop forever.
    fn is_endless(&mut self, slot: Slot, head: StmtId) -> bool {
        let Some(actor) = self.state.actors.get(&slot) else { return false };
        let (code, store) = (&actor.code, &actor.store);
        let known = self.heads.entry((slot, head)).or_insert_with(|| Head {
            times: 0,
            code: Code::default(),
            store: Store::default(),
        });
        known.times += 1;
        if known.times > 1 && known.code == *code && known.store == *store {
            return true;
        }
        if known.times.is_power_of_two() {
            known.code.clone_from(code);
            known.store.clone_from(store);
        }
        false
    }

    /// The slot has heard of somebody, or has done something that matters to others.
    fn forget_heads(&mut self, slot: Slot) {
        self.heads.retain(|(it, _), _| *it != slot);
    }

    pub fn code(&self, slot: Slot) -> Option<&Code<'p>> {
        self.state.actors.get(&slot).map(|actor| &actor.code)
    }

    pub fn first(&self, slot: Slot) -> Option<Item<'p>> {
        self.code(slot).and_then(Code::first)
    }

    pub fn statement(&self, slot: Slot) -> Option<&'p Stmt> {
        self.code(slot).and_then(Code::statement)
    }

    /// Single processes, then unfolded members.
    pub fn slots(&self) -> Vec<Slot> {
        self.state.actors.keys().copied().collect()
    }

    /// Unfolded members.
    pub fn members(&self) -> Vec<Symbol> {
        let members = self.state.actors.keys().filter_map(|slot| match slot {
            Slot::Member(symbol) => Some(*symbol),
            Slot::Process(_) => None,
        });
        members.collect()
    }

    /// Whether an unfolded member has the code of the others of its set.
    pub fn is_home(&self, symbol: Symbol) -> bool {
        let set = self.state.symbols.get(&symbol).and_then(|set| self.state.sets.get(set));
        self.code(Slot::Member(symbol)) == set.map(|set| &set.code)
    }

    /// The send of the oldest message of the first of these channels that has one.
    pub fn pending(&self, channel: impl Fn(&Channel) -> bool) -> Option<(Channel, StmtId)> {
        let (channel, queue) = self.state.queues.iter().find(|(it, _)| channel(it))?;
        Some((*channel, queue.first()?.tag))
    }

    /// Whether the first statement of a slot concerns nobody else, and is not a loop.
    pub fn is_local(&self, slot: Slot) -> bool {
        let Some(statement) = self.statement(slot) else { return false };
        matches!(
            statement.kind,
            StmtKind::Assign { .. }
                | StmtKind::Any { .. }
                | StmtKind::If { .. }
                | StmtKind::Match { .. }
                | StmtKind::Break { .. }
                | StmtKind::Assert { .. }
                | StmtKind::Skip
        )
    }
}

/// A derivation, or the part of it in one frame, as far as it is known.
pub struct Derivation<'d, 'p> {
    pub search: &'d mut Search<'p>,
    pub frame: &'d Frame<'d>,
    pub point: Point<'p>,
}

impl<'p> Derivation<'_, 'p> {
    /// The same with another point.
    pub fn at<'e>(&'e mut self, point: Point<'p>) -> Derivation<'e, 'p> {
        Derivation { search: self.search, frame: self.frame, point }
    }

    /// Runs something one level deeper.
    pub fn deeper(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<(), Stuck>,
    ) -> Result<(), Stuck> {
        if self.search.depth >= MAX_GOALS {
            return Err(Stuck::new(Why::Budget));
        }
        self.search.depth += 1;
        let result = run(self);
        self.search.depth -= 1;
        result
    }

    /// Takes one step; a rejection may leave the state half way, unless it is `Run`.
    fn apply(&mut self, step: Step) -> Result<(), Reason> {
        let sends = match step {
            Step::Run(slot) => match self.point.first(slot) {
                Some(Item::Statement(statement)) => Some(statement.id),
                Some(Item::Postponed(send)) => Some(send.tag),
                _ => None,
            },
            _ => None,
        };
        let state = &mut self.point.state;
        let is_reply = sends.is_some_and(|tag| state.history.replies.contains(&tag));
        let before = is_reply.then(|| state.clone());
        let done = self.search.kernel.step(self.frame, state, &step);
        done.map_err(|rejection| *rejection.reason)?;
        state.program.clear();
        // This is rejected at the end of the derivation, too late to try something else.
        if let Some(tag) = state.history.told_and_reply() {
            if let Some(before) = before {
                *state = before;
            }
            return Err(Reason::ToldAndReply { tag: tag.0 });
        }
        self.point.steps.push(step);
        Ok(())
    }

    /// Executes the first statement of a slot if its effect is decided; or says what is missing.
    pub fn run(&mut self, slot: Slot) -> Result<(), Need> {
        self.search.charge(STEP).map_err(Need::Never)?;
        let statement = match self.point.first(slot) {
            None | Some(Item::Stop) => return Err(Need::Never(Stuck::new(Why::Ended))),
            Some(Item::Statement(statement)) => Some(statement),
            Some(Item::Postponed(_)) => None,
        };
        let mut step = Step::Run(slot);
        match statement.map(|it| (it.id, &it.kind)) {
            Some((_, StmtKind::For { .. })) => return Err(Need::Loop),
            Some((head, StmtKind::Loop { .. } | StmtKind::While { .. })) => {
                if self.point.is_endless(slot, head) {
                    let stuck = Stuck::at(Why::Endless, self.process_of(slot), head);
                    return Err(Need::Never(stuck));
                }
            }
            Some((_, StmtKind::Pick { .. })) => {
                step = Step::Pick { slot, symbol: self.search.symbol() };
            }
            Some((_, StmtKind::Send { .. })) => {
                let own = self.point.state.queues.iter().filter(|((from, _, _), _)| *from == slot);
                let in_flight: usize = own.map(|(_, queue)| queue.len()).sum();
                self.search.charge(GHOST * in_flight).map_err(Need::Never)?;
                // A server that sends forever is asked for as much as is needed.
                if self.serves(slot) {
                    self.point.forget_heads(slot);
                }
            }
            _ if self.point.is_local(slot) => {}
            _ => self.point.forget_heads(slot),
        }
        self.apply(step).map_err(|reason| {
            let Some(statement) = statement else { return Need::Never(Stuck::new(Why::NoRule)) };
            // A condition that is not decided did not lead anywhere.
            self.point.heads.remove(&(slot, statement.id));
            self.need(slot, statement, &reason)
        })
    }

    /// What is missing for a step that was rejected.
    fn need(&mut self, slot: Slot, statement: &'p Stmt, reason: &Reason) -> Need {
        let why = match (reason, &statement.kind) {
            (Reason::Budget | Reason::Stopped(_), _) => Why::Budget,
            (Reason::Undecided { .. }, _) => return Need::Decision,
            (Reason::UnknownReceiver, StmtKind::Send { to: address, .. })
            | (Reason::UnknownSender, StmtKind::Receive { from: Source::Pid(address), .. }) => {
                match self.search.kernel.value(&self.point.state, slot, address) {
                    Ok(Value::Member(symbol)) => return Need::Unfolded(symbol),
                    _ => Why::Address,
                }
            }
            (Reason::ReceivesFromSet, StmtKind::Receive { message, .. }) => {
                match self.search.kernel.sources.origin(statement.id) {
                    Some(Origin::Members(set, _)) => return Need::AnyMember(set, *message),
                    _ => Why::NoRule,
                }
            }
            (Reason::NoMessage, StmtKind::Receive { message, from, .. }) => {
                match self.sender(slot, statement.id, from) {
                    Some(sender) => return Need::Message(sender, *message),
                    None => Why::Blocked { message: *message },
                }
            }
            (Reason::MayBeEmpty, StmtKind::Pick { set, .. }) => Why::MayBeEmpty { set: *set },
            (Reason::Constructor, _) => Why::Mismatch,
            _ => Why::NoRule,
        };
        Need::Never(Stuck::at(why, self.process_of(slot), statement.id))
    }

    /// The one slot that a receive reads from.
    fn sender(&mut self, slot: Slot, receive: StmtId, from: &Source) -> Option<Slot> {
        match (self.search.kernel.sources.origin(receive), from) {
            (Some(Origin::Process(process)), _) => Some(Slot::Process(process.0)),
            (Some(Origin::Written), Source::Pid(expr)) => {
                let address = self.search.kernel.value(&self.point.state, slot, expr).ok()?;
                self.point.state.slot_of(&address)
            }
            _ => None,
        }
    }

    /// The process that runs in a slot; of a member, that of its set.
    pub fn process_of(&self, slot: Slot) -> ProcessId {
        self.search.process_of(&self.point.state, slot)
    }

    /// Whether a server runs in a slot.
    pub fn serves(&self, slot: Slot) -> bool {
        self.search.protocol.process(self.process_of(slot)).server
    }

    /// What to go back to if something does not work out.
    pub fn save(&mut self) -> Result<Saved<'p>, Stuck> {
        self.search.charge(self.point.state.weight())?;
        Ok(Saved { state: self.point.state.clone(), steps: self.point.steps.len() })
    }

    /// The complaint about a message that nobody receives.
    pub fn orphan(&self, channel: Channel, send: StmtId) -> Stuck {
        self.search.orphan(&self.point.state, channel, send)
    }

    /// Receives the oldest message of the unfolded member `from`.
    pub fn take(&mut self, slot: Slot, set: SetId, from: Symbol) -> Result<(), Why> {
        self.point.forget_heads(slot);
        self.apply(Step::Take { slot, from }).map_err(|reason| match reason {
            Reason::NotTheSender | Reason::SecondReply | Reason::ToldAndReply { .. } => {
                Why::OutOfTurn { set }
            }
            Reason::Constructor => Why::Mismatch,
            _ => Why::NoRule,
        })
    }

    /// The bag that the receive of a slot can draw from in this frame.
    pub fn bag_for(&self, slot: Slot) -> Option<Bag> {
        let FrameKind::Loop { draws, .. } = &self.frame.kind else { return None };
        let state = &self.point.state;
        let sender = match self.search.kernel.sources.origin(self.point.statement(slot)?.id)? {
            Origin::Process(process) => process,
            Origin::Members(set, _) => self.search.protocol.members_of(set)?,
            Origin::Written | Origin::Nobody => return None,
        };
        let fits = |bag: &&Bag| {
            let is_for_it = state
                .bags
                .get(bag)
                .is_some_and(|it| it.sender == sender && Slot::Process(it.receiver.0) == slot);
            is_for_it && !state.drawn.contains(bag)
        };
        draws.iter().find(fits).copied()
    }

    /// Receives any message of the bag.
    pub fn draw(&mut self, slot: Slot, bag: Bag) -> Result<(), Why> {
        self.point.forget_heads(slot);
        self.apply(Step::Draw { slot, bag }).map_err(|reason| match reason {
            Reason::Constructor => Why::Mismatch,
            _ => Why::NoRule,
        })
    }

    /// Unfolds a member by its name.
    pub fn unfold_named(&mut self, symbol: Symbol) -> Result<(), Why> {
        let Some(set) = self.point.state.symbols.get(&symbol).copied() else {
            return Err(Why::NoRule);
        };
        let step = Step::Unfold { set: set.0, symbol, sender_to: None };
        self.apply(step).map_err(|reason| match reason {
            Reason::AlreadyUnfolded | Reason::NotWhole => Why::SecondMember { set },
            _ => Why::NoRule,
        })
    }

    /// Unfolds the member of `set` that sends the next message to `receiver`.
    pub fn unfold_sender(&mut self, receiver: Slot, set: SetId) -> Result<Symbol, Why> {
        let symbol = match &self.frame.kind {
            FrameKind::Loop { set: over, advance: Advance::Sender(symbol), .. } if *over == set => {
                *symbol
            }
            _ => self.search.symbol(),
        };
        let step = Step::Unfold { set: set.0, symbol, sender_to: Some(receiver) };
        self.apply(step).map_err(|reason| match reason {
            Reason::AlreadyUnfolded => Why::SecondMember { set },
            Reason::MessageInFlight | Reason::NotWhole => Why::OutOfTurn { set },
            Reason::MayBeEmpty => Why::MayBeEmpty { set },
            _ => Why::NoRule,
        })?;
        Ok(symbol)
    }

    /// Puts a member back that is again like the others of its set.
    pub fn fold(&mut self, symbol: Symbol) -> Result<(), Stuck> {
        let slot = Slot::Member(symbol);
        self.apply(Step::Fold(symbol)).map_err(|reason| match reason {
            Reason::OtherCode | Reason::NotUnfoldedHere => {
                Stuck::new(Why::NotBack { process: self.process_of(slot) })
            }
            Reason::MemberMessages => {
                match self.point.pending(|(from, to, _)| *from == slot || *to == slot) {
                    Some((channel, send)) => Stuck::new(self.orphan(channel, send).why),
                    None => Stuck::new(Why::NoRule),
                }
            }
            _ => Stuck::new(Why::NoRule),
        })
    }
}
