//! Symbolic states: what is known about all runs at one point of a derivation.

use crate::code::Code;
use crate::derivation::{Bag, Cell, Slot, Symbol};
use crate::rejection::Reason;
use crate::sequential::{Ghost, Sequential};
use crate::value::{LARGEST_VALUE, Number, Rewrite, Value};
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{MessageId, ProcessId, SetId, SetKind, StmtId, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// The variables and ghosts of a cell.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Store {
    pub variables: BTreeMap<VarId, Value>,
    pub ghosts: BTreeMap<Ghost, Value>,
}

impl Store {
    pub fn rewrite(&self, by: &mut dyn Rewrite) -> Store {
        let variables = self.variables.iter().map(|(it, value)| (*it, value.rewrite(by))).collect();
        let ghosts = self.ghosts.iter().map(|(it, value)| (*it, value.rewrite(by))).collect();
        Store { variables, ghosts }
    }

    /// How much there is to copy.
    pub fn size(&self) -> usize {
        self.variables.values().chain(self.ghosts.values()).map(Value::size).sum()
    }

    fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.variables.values_mut().chain(self.ghosts.values_mut())
    }
}

/// How a member was unfolded.
#[derive(Clone, PartialEq, Debug)]
pub struct Member {
    pub set: SetId,
    pub frame: u32,
    /// As the sender of the next message of that slot.
    pub sender_to: Option<Slot>,
    /// Whether that message was received.
    pub sent: bool,
    /// The tags of its pivots: at most one in every run.
    pub pivots: BTreeSet<StmtId>,
}

/// A single process or an unfolded member.
#[derive(Clone, Debug)]
pub struct Actor<'p> {
    pub process: ProcessId,
    pub member: Option<Member>,
    pub code: Code<'p>,
    pub store: Store,
    pub knows: BTreeSet<Slot>,
}

/// The members of a set that are not unfolded.
#[derive(Clone, Debug)]
pub struct Members<'p> {
    pub process: ProcessId,
    pub code: Code<'p>,
    pub store: Store,
    /// Whether all members that are not unfolded are at this code.
    pub whole: bool,
}

/// A message in flight.
#[derive(Clone, Debug)]
pub struct Message {
    pub tag: StmtId,
    pub ghost: Ghost,
    pub value: Value,
    pub knows: BTreeSet<Slot>,
}

/// Sender, receiver, type.
pub type Channel = (Slot, Slot, MessageId);

/// Messages in flight, one for each member of `count`.
#[derive(Clone, PartialEq, Debug)]
pub struct BagState {
    pub tag: StmtId,
    pub sender: ProcessId,
    pub receiver: ProcessId,
    pub message: MessageId,
    pub count: SetId,
    /// Covers all of them.
    pub value: Value,
}

/// What the end of the derivation depends on: it only ever grows.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Sends to somebody of whom the sender did not know.
    pub told: BTreeSet<StmtId>,
    /// Sends whose messages were taken as replies.
    pub replies: BTreeSet<StmtId>,
    /// Processes that sent or received something.
    pub visited: BTreeSet<ProcessId>,
    /// Assertions that are not known to hold.
    pub open: BTreeSet<StmtId>,
}

impl History {
    pub fn extend(&mut self, other: &History) {
        self.told.extend(&other.told);
        self.replies.extend(&other.replies);
        self.visited.extend(&other.visited);
        self.open.extend(&other.open);
    }

    /// A send whose messages are taken as replies although some of them are not.
    pub fn told_and_reply(&self) -> Option<StmtId> {
        self.told.intersection(&self.replies).next().copied()
    }
}

/// A symbolic state.
#[derive(Clone, Debug)]
pub struct State<'p> {
    pub actors: BTreeMap<Slot, Actor<'p>>,
    pub sets: BTreeMap<SetId, Members<'p>>,
    /// Without empty ones; oldest first.
    pub queues: BTreeMap<Channel, Vec<Message>>,
    pub bags: BTreeMap<Bag, BagState>,
    /// Symbols that may be mentioned, with their sets.
    pub symbols: BTreeMap<Symbol, SetId>,
    /// All names that are not new any more.
    pub used_symbols: BTreeSet<Symbol>,
    pub used_bags: BTreeSet<Bag>,
    /// Who runs is in this block: a frame, or an arm.
    pub block: u32,
    /// What was assigned in this frame.
    pub assigned: BTreeSet<(Cell, VarId)>,
    /// Bags of this frame that were drawn from in this iteration.
    pub drawn: BTreeSet<Bag>,
    /// Who received what type from whom in this frame.
    pub received: BTreeSet<(Slot, ProcessId, MessageId)>,
    /// Whom everybody has forgotten in this frame.
    pub forgotten: BTreeSet<Slot>,
    pub history: History,
    pub program: Vec<Sequential>,
}

impl<'p> State<'p> {
    /// Everybody is at the start.
    pub fn new(protocol: &'p Protocol) -> State<'p> {
        let mut actors = BTreeMap::new();
        let mut sets = BTreeMap::new();
        for (process, it) in protocol.each_process() {
            let code = Code::of(&it.body);
            let store = Store::default();
            if let Some(set) = it.set {
                sets.insert(set, Members { process, code, store, whole: true });
            } else {
                let knows = BTreeSet::new();
                let actor = Actor { process, member: None, code, store, knows };
                actors.insert(Slot::Process(process.0), actor);
            }
        }
        State {
            actors,
            sets,
            queues: BTreeMap::new(),
            bags: BTreeMap::new(),
            symbols: BTreeMap::new(),
            used_symbols: BTreeSet::new(),
            used_bags: BTreeSet::new(),
            block: 0,
            assigned: BTreeSet::new(),
            drawn: BTreeSet::new(),
            received: BTreeSet::new(),
            forgotten: BTreeSet::new(),
            history: History::default(),
            program: Vec::new(),
        }
    }

    pub fn actor(&self, slot: Slot) -> Result<&Actor<'p>, Reason> {
        self.actors.get(&slot).ok_or(Reason::NoSlot)
    }

    /// The process whose variables a cell holds, and what they hold.
    pub fn cell(&self, cell: Cell) -> Option<(ProcessId, &Store)> {
        match cell.slot() {
            Ok(slot) => self.actors.get(&slot).map(|it| (it.process, &it.store)),
            Err(set) => self.sets.get(&set).map(|it| (it.process, &it.store)),
        }
    }

    pub fn actor_mut(&mut self, slot: Slot) -> Result<&mut Actor<'p>, Reason> {
        self.actors.get_mut(&slot).ok_or(Reason::NoSlot)
    }

    /// The slot of an unfolded member of the set.
    pub fn unfolded(&self, set: SetId) -> Option<Slot> {
        let is_member =
            |actor: &Actor<'p>| actor.member.as_ref().is_some_and(|member| member.set == set);
        self.actors.iter().find(|(_, actor)| is_member(actor)).map(|(slot, _)| *slot)
    }

    /// Fails if some members of the set are unfolded, or somewhere else in their code.
    pub fn is_whole(&self, set: SetId) -> Result<(), Reason> {
        match self.sets.get(&set) {
            _ if self.unfolded(set).is_some() => Err(Reason::AlreadyUnfolded),
            Some(members) if members.whole => Ok(()),
            Some(_) => Err(Reason::NotWhole),
            None => Err(Reason::NoSet),
        }
    }

    /// The slot that this address names: a single process or an unfolded member.
    pub fn slot_of(&self, address: &Value) -> Option<Slot> {
        let slot = match address {
            Value::Process(process) => Slot::Process(process.0),
            Value::Member(symbol) => Slot::Member(*symbol),
            _ => return None,
        };
        self.actors.contains_key(&slot).then_some(slot)
    }

    pub fn assign(&mut self, slot: Slot, variable: VarId, value: Value) -> Result<(), Reason> {
        self.actor_mut(slot)?.store.variables.insert(variable, value);
        self.assigned.insert((cell_of(slot), variable));
        Ok(())
    }

    /// The set of processes that a symbol is a member of; nothing for indices.
    pub fn process_set(&self, protocol: &Protocol, symbol: Symbol) -> Option<SetId> {
        let set = *self.symbols.get(&symbol)?;
        (protocol.set(set).kind == SetKind::Processes).then_some(set)
    }

    /// A new name for a member of the set.
    pub fn bind(&mut self, symbol: Symbol, set: SetId) -> Result<(), Reason> {
        if !self.used_symbols.insert(symbol) {
            return Err(Reason::UsedSymbol { symbol: symbol.0 });
        }
        self.symbols.insert(symbol, set);
        Ok(())
    }

    /// From now on, the unknown or choice `number` is this value.
    pub fn substitute(&mut self, number: Number, by: &Value) -> Result<(), Reason> {
        let actors = self.actors.values_mut().flat_map(|it| it.store.values_mut());
        let sets = self.sets.values_mut().flat_map(|it| it.store.values_mut());
        let messages = self.queues.values_mut().flatten().map(|it| &mut it.value);
        let bags = self.bags.values_mut().map(|it| &mut it.value);
        for value in actors.chain(sets).chain(messages).chain(bags) {
            value.substitute(number, by);
            if value.size() > LARGEST_VALUE {
                return Err(Reason::LargeValue { limit: LARGEST_VALUE });
            }
        }
        Ok(())
    }

    /// From now on, nobody knows of this slot.
    pub fn forget(&mut self, slot: Slot) {
        for actor in self.actors.values_mut() {
            actor.knows.remove(&slot);
        }
        for message in self.queues.values_mut().flatten() {
            message.knows.remove(&slot);
        }
        self.forgotten.insert(slot);
    }

    /// Whether there is a bag of messages of this type from this process (or its set) to that slot.
    pub fn has_bag(&self, sender: ProcessId, to: Slot, message: MessageId) -> bool {
        self.bags.values().any(|bag| {
            bag.sender == sender && Slot::Process(bag.receiver.0) == to && bag.message == message
        })
    }

    /// How much there is to copy: for the budget.
    pub fn weight(&self) -> usize {
        let cell = |store: &Store, code: &Code<'p>| 4 + store.size() + code.len();
        let actors = self.actors.values().map(|it| cell(&it.store, &it.code)).sum::<usize>();
        let sets = self.sets.values().map(|it| cell(&it.store, &it.code)).sum::<usize>();
        let queues = self.queues.values().flatten().map(|it| 1 + it.value.size()).sum::<usize>();
        actors + sets + queues + self.bags.len() + self.used_symbols.len() + self.assigned.len()
    }
}

/// The cell of a slot.
pub fn cell_of(slot: Slot) -> Cell {
    match slot {
        Slot::Process(process) => Cell::Process(process),
        Slot::Member(symbol) => Cell::Member(symbol),
    }
}
