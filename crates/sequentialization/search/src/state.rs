//! Symbolic states: what every process has still to do, what its variables hold, which messages are under way.
//!
//! See `ser-sequentialization-checker` for what the parts mean. This is the search's own version of them: the kernel shares no
//! code with it.

use crate::code::{Code, Item};
use crate::failure::{Stuck, Why};
use crate::sources::Sources;
use crate::value::Value;
use ser_sequentialization_checker::{Bag, Cell, Slot, Step, Symbol};
use ser_syntax::icet::ast::{MessageId, ProcessId, Protocol, SetId, StmtId, VarId};
use std::cell::{Cell as Shared, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What does not change while a derivation is searched.
pub struct Context<'p> {
    /// The protocol.
    pub protocol: &'p Protocol,
    /// Whom its receives read from.
    pub sources: Sources,
    /// The next new number: of symbols, unknowns, ghosts and bags.
    next: Shared<u32>,
    /// How many steps may still be tried.
    budget: Shared<u64>,
    /// How deep goals are nested.
    depth: Shared<u32>,
    /// Why a message could not be delivered, most recently: often what is really in the way.
    undelivered: RefCell<Option<Stuck>>,
}

/// Goals may be nested so deep: iterations, turns and cases inside each other.
const MAX_GOALS: u32 = 36;

impl<'p> Context<'p> {
    pub fn new(protocol: &'p Protocol, sources: Sources, budget: u64) -> Context<'p> {
        Context {
            protocol,
            sources,
            next: Shared::new(1),
            budget: Shared::new(budget),
            depth: Shared::new(0),
            undelivered: RefCell::new(None),
        }
    }

    /// A number that was never used before.
    pub fn fresh(&self) -> u32 {
        let number = self.next.get();
        self.next.set(number + 1);
        number
    }

    /// Counts a step.
    pub fn spend(&self) -> Result<(), Stuck> {
        self.charge(1)
    }

    /// Counts work that is worth so many steps.
    pub fn charge(&self, steps: u64) -> Result<(), Stuck> {
        match self.budget.get().checked_sub(steps) {
            Some(rest) => {
                self.budget.set(rest);
                Ok(())
            }
            None => {
                self.budget.set(0);
                Err(Stuck::new(Why::Budget))
            }
        }
    }

    /// Runs something one level deeper.
    pub fn deeper<T>(&self, run: impl FnOnce() -> Result<T, Stuck>) -> Result<T, Stuck> {
        let depth = self.depth.get();
        if depth >= MAX_GOALS {
            return Err(Stuck::new(Why::Budget));
        }
        self.depth.set(depth + 1);
        let result = run();
        self.depth.set(depth);
        result
    }

    /// Notes why a message could not be delivered.
    pub fn not_delivered(&self, reason: Stuck) {
        *self.undelivered.borrow_mut() = Some(reason);
    }

    /// Why a message could not be delivered.
    pub fn undelivered(&self) -> Option<Stuck> {
        self.undelivered.borrow().clone()
    }

    /// Whether steps are left.
    pub fn has_budget(&self) -> bool {
        self.budget.get() > 0
    }

    /// The declaration that runs in this slot; of a member, that of its set.
    pub fn process_of(&self, cell: Cell, state: &State<'p>) -> ProcessId {
        match cell {
            Cell::Process(id) => ProcessId(id),
            Cell::Member(symbol) => self.runs(state.set_of(symbol)),
            Cell::Set(set) => self.runs(SetId(set)),
        }
    }

    fn runs(&self, set: SetId) -> ProcessId {
        self.protocol.members_of(set).unwrap_or(ProcessId(0))
    }
}

/// A variable of the protocol, or the value of a message that was sent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Key {
    Variable(VarId),
    Ghost(u32),
}

/// A message under way.
#[derive(Clone, PartialEq, Debug)]
pub struct Letter {
    pub tag: StmtId,
    pub value: Value,
    pub ghost: u32,
    /// Whose steps it may depend on.
    pub knows: BTreeSet<Slot>,
}

/// Sender, receiver, type.
pub type Channel = (Slot, Slot, MessageId);

/// How a member came to have a slot of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// By its name.
    Named,
    /// It is its turn; whether its first message was taken already.
    Turn { pivot: Option<StmtId> },
    /// It is the sender of this slot's next message; whether it was taken already.
    Sender { to: Slot, pivot: Option<StmtId> },
}

/// A member with a slot of its own.
#[derive(Clone, PartialEq, Debug)]
pub struct Member<'p> {
    pub set: SetId,
    pub code: Code<'p>,
    pub origin: Origin,
    /// The frame in which it was unfolded.
    pub depth: usize,
}

/// Messages of one tag under way, as many as `count` has members.
#[derive(Clone, PartialEq, Debug)]
pub struct Sack {
    pub tag: StmtId,
    /// A single process, or a set.
    pub from: Cell,
    pub to: ProcessId,
    pub message: MessageId,
    pub count: SetId,
    pub value: Value,
}

/// A symbolic state.
#[derive(Clone)]
pub struct State<'p> {
    pub singles: BTreeMap<u32, Code<'p>>,
    pub sets: BTreeMap<SetId, Code<'p>>,
    pub members: BTreeMap<Symbol, Member<'p>>,
    pub cells: BTreeMap<Cell, BTreeMap<Key, Value>>,
    pub queues: BTreeMap<Channel, VecDeque<Letter>>,
    pub bags: BTreeMap<Bag, Sack>,
    pub knows: BTreeMap<Slot, BTreeSet<Slot>>,
    /// Sets whose members are all alike, but for one that is unfolded.
    pub whole: BTreeSet<SetId>,
    /// Sets that have a member, because the frame is about one.
    pub inhabited: BTreeSet<SetId>,
    /// Queues that nobody may touch in this frame.
    pub frozen: BTreeSet<Channel>,
    /// Bags that this frame still has to draw from.
    pub draws: BTreeSet<Bag>,
    pub symbols: BTreeMap<Symbol, SetId>,
    /// What was assigned in this frame.
    pub assigned: BTreeSet<(Cell, Key)>,
    /// Tags of messages that may have come unasked, and of messages that must not.
    pub told: BTreeSet<StmtId>,
    pub replies: BTreeSet<StmtId>,
    /// Receivers of replies in this frame: what was known of them before is outdated.
    pub outdated: BTreeSet<Slot>,
    /// The set of the frame's loop, if its members are moved on, and by whom it is known.
    pub moving: Option<(SetId, Mover)>,
    /// How deep the frame is nested; 0 is the derivation itself.
    pub depth: usize,
    /// The derivation of this frame so far.
    pub script: Vec<Step>,
}

/// Which member of the loop's set moves on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mover {
    Named(Symbol),
    Sender(Symbol),
}

impl<'p> State<'p> {
    /// The start of a protocol.
    pub fn start(protocol: &'p Protocol) -> State<'p> {
        let mut singles = BTreeMap::new();
        let mut sets = BTreeMap::new();
        let mut cells = BTreeMap::new();
        for (id, process) in protocol.each_process() {
            let code = Code::of(&process.body);
            match process.set {
                Some(set) => {
                    sets.insert(set, code);
                    cells.insert(Cell::Set(set.0), BTreeMap::new());
                }
                None => {
                    singles.insert(id.0, code);
                    cells.insert(Cell::Process(id.0), BTreeMap::new());
                }
            }
        }
        State {
            whole: sets.keys().copied().collect(),
            singles,
            sets,
            cells,
            members: BTreeMap::new(),
            queues: BTreeMap::new(),
            bags: BTreeMap::new(),
            knows: BTreeMap::new(),
            inhabited: BTreeSet::new(),
            frozen: BTreeSet::new(),
            draws: BTreeSet::new(),
            symbols: BTreeMap::new(),
            assigned: BTreeSet::new(),
            told: BTreeSet::new(),
            replies: BTreeSet::new(),
            outdated: BTreeSet::new(),
            moving: None,
            depth: 0,
            script: Vec::new(),
        }
    }

    /// The set that this symbol is a member of.
    pub fn set_of(&self, symbol: Symbol) -> SetId {
        self.symbols.get(&symbol).copied().unwrap_or(SetId(u32::MAX))
    }

    /// The code of a slot.
    pub fn code(&self, slot: Slot) -> Option<&Code<'p>> {
        match slot {
            Slot::Process(id) => self.singles.get(&id),
            Slot::Member(symbol) => self.members.get(&symbol).map(|member| &member.code),
        }
    }

    /// The code of a slot.
    pub fn code_mut(&mut self, slot: Slot) -> Option<&mut Code<'p>> {
        match slot {
            Slot::Process(id) => self.singles.get_mut(&id),
            Slot::Member(symbol) => self.members.get_mut(&symbol).map(|member| &mut member.code),
        }
    }

    /// What a slot has to do next.
    pub fn head(&self, slot: Slot) -> Option<Item<'p>> {
        self.code(slot).and_then(Code::head)
    }

    /// The value of a variable.
    pub fn get(&self, cell: Cell, key: Key) -> Option<&Value> {
        self.cells.get(&cell).and_then(|cell| cell.get(&key))
    }

    /// Assigns a variable.
    pub fn set(&mut self, cell: Cell, key: Key, value: Value) {
        self.assigned.insert((cell, key));
        self.cells.entry(cell).or_default().insert(key, value);
    }

    /// The member of this set that is unfolded.
    pub fn unfolded(&self, set: SetId) -> Option<Symbol> {
        self.members.iter().find(|(_, member)| member.set == set).map(|(symbol, _)| *symbol)
    }

    /// Whether a queue has messages.
    pub fn has_letter(&self, channel: &Channel) -> bool {
        self.queues.get(channel).is_some_and(|queue| !queue.is_empty())
    }

    /// All slots: single processes, then unfolded members.
    pub fn slots(&self) -> Vec<Slot> {
        let singles = self.singles.keys().map(|id| Slot::Process(*id));
        singles.chain(self.members.keys().map(|symbol| Slot::Member(*symbol))).collect()
    }

    /// Replaces values everywhere.
    pub fn substitute(&mut self, change: &mut dyn FnMut(&Value) -> Option<Value>) {
        for value in self.cells.values_mut().flat_map(BTreeMap::values_mut) {
            *value = value.map(change);
        }
        for letter in self.queues.values_mut().flatten() {
            letter.value = letter.value.map(change);
        }
        for bag in self.bags.values_mut() {
            bag.value = bag.value.map(change);
        }
    }
}

/// The variables of a slot.
pub fn cell_of(slot: Slot) -> Cell {
    match slot {
        Slot::Process(id) => Cell::Process(id),
        Slot::Member(symbol) => Cell::Member(symbol),
    }
}
