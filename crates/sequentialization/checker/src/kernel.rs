//! The replay of a derivation: its steps one after the other, and what it has to remember.

use crate::derivation::{Advance, Bag, Slot, Step, Symbol};
use crate::evaluate::Evaluation;
use crate::rejection::{Part, Reason, Rejection};
use crate::sequential::Ghost;
use crate::sources::Sources;
use crate::state::{Channel, State};
use crate::value::{Numbers, Value};
use ser_base::{Limits, Pace};
use ser_syntax::icet::Protocol;
use ser_syntax::icet::ast::{Expr, ProcessId, SetId, SetKind, StmtId};
use std::collections::{BTreeMap, BTreeSet};

/// How deep loops and arms may be nested.
const DEPTH: usize = 40;

/// What does not depend on the point of the derivation.
pub struct Kernel<'p> {
    pub protocol: &'p Protocol,
    pub sources: Sources,
    pub numbers: Numbers,
    /// Ghosts by owner, send (or receive from a bag) and number of those that are in use at once.
    ghosts: BTreeMap<(ProcessId, StmtId, u32), Ghost>,
    /// How much more work this may be.
    budget: usize,
    pace: Pace<'p>,
    depth: usize,
    blocks: u32,
}

/// The derivation, an iteration of a loop or a turn.
#[derive(Debug)]
pub struct Frame<'f> {
    pub outer: Option<&'f Frame<'f>>,
    pub number: u32,
    pub kind: FrameKind,
    pub frozen: BTreeSet<Channel>,
}

/// What is repeated.
#[derive(Debug)]
pub enum FrameKind {
    /// Nothing: the derivation itself.
    Whole,
    Loop {
        set: SetId,
        slots: Vec<Slot>,
        first: Symbol,
        advance: Advance,
        draws: Vec<Bag>,
    },
    Each {
        set: SetId,
        member: Symbol,
    },
}

impl Frame<'_> {
    /// The derivation itself.
    pub fn whole() -> Frame<'static> {
        Frame { outer: None, number: 0, kind: FrameKind::Whole, frozen: BTreeSet::new() }
    }

    /// Whether the set has a member, as this frame is in a loop over it.
    fn is_over(&self, wanted: SetId) -> bool {
        let here = match &self.kind {
            FrameKind::Whole => false,
            FrameKind::Loop { set, .. } | FrameKind::Each { set, .. } => *set == wanted,
        };
        here || self.outer.is_some_and(|outer| outer.is_over(wanted))
    }

    /// The member that moves on in this frame.
    pub fn moves_on(&self) -> Option<Symbol> {
        match &self.kind {
            FrameKind::Whole => None,
            FrameKind::Each { member, .. } => Some(*member),
            FrameKind::Loop { first, advance, .. } => match advance {
                Advance::Nobody => None,
                Advance::Named => Some(*first),
                Advance::Sender(symbol) => Some(*symbol),
            },
        }
    }
}

/// What a rule changes: a state in its frame.
pub(crate) struct Context<'c, 'p> {
    pub kernel: &'c mut Kernel<'p>,
    pub frame: &'c Frame<'c>,
    pub state: &'c mut State<'p>,
}

impl Context<'_, '_> {
    /// The value of an expression of this slot.
    pub fn value(&mut self, slot: Slot, expr: &Expr) -> Result<Value, Reason> {
        self.kernel.value(self.state, slot, expr)
    }

    /// Whether a condition of this slot holds, if this is decided.
    pub fn truth(&mut self, slot: Slot, condition: &Expr) -> Result<Option<bool>, Reason> {
        Ok(match self.value(slot, condition)? {
            Value::Bool(it) => Some(it),
            _ => None,
        })
    }
}

impl<'p> Kernel<'p> {
    /// Fails if the protocol has a race.
    pub fn new(
        protocol: &'p Protocol,
        limits: &'p Limits,
        budget: usize,
    ) -> Result<Kernel<'p>, Reason> {
        let sources = Sources::new(protocol);
        if let Some(race) = sources.races().first() {
            let (first, second) = (race.conflict.0.0, race.conflict.1.0);
            return Err(Reason::Race { receive: race.receive.0, first, second });
        }
        Ok(Kernel {
            protocol,
            sources,
            numbers: Numbers::default(),
            ghosts: BTreeMap::new(),
            budget,
            pace: limits.pace(),
            depth: 0,
            blocks: 0,
        })
    }

    /// Takes steps one after the other.
    pub fn steps(
        &mut self,
        frame: &Frame<'_>,
        state: &mut State<'p>,
        steps: &[Step],
    ) -> Result<(), Rejection> {
        if self.depth >= DEPTH {
            return Err(Reason::Depth.into());
        }
        self.depth += 1;
        for (place, step) in steps.iter().enumerate() {
            self.spend(1)?;
            let done = self.step(frame, state, step);
            done.map_err(|it| it.within(Part::Step(place), slot_of(step)))?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Takes one step.
    pub fn step(
        &mut self,
        frame: &Frame<'_>,
        state: &mut State<'p>,
        step: &Step,
    ) -> Result<(), Rejection> {
        let mut context = Context { kernel: self, frame, state };
        match step {
            Step::Run(slot) => context.run(*slot)?,
            Step::Take { slot, from } => context.take(*slot, *from)?,
            Step::Draw { slot, bag } => context.draw(*slot, *bag)?,
            Step::Pick { slot, symbol } => context.pick(*slot, *symbol)?,
            Step::Fork { slot, arms } => context.fork(*slot, arms)?,
            Step::Unfold { set, symbol, sender_to } => {
                context.unfold(*set, *symbol, *sender_to)?;
            }
            Step::Fold(symbol) => context.fold(*symbol)?,
            Step::Loop(it) => context.run_loop(it)?,
            Step::Each { set, symbol, havoc, steps } => {
                context.each(*set, *symbol, havoc, steps)?;
            }
        }
        Ok(())
    }

    /// Counts work. Once it was too much, nothing more is allowed.
    pub fn spend(&mut self, work: usize) -> Result<(), Reason> {
        let left = self.budget.checked_sub(work);
        self.budget = left.unwrap_or(0);
        if left.is_none() {
            return Err(Reason::Budget);
        }
        self.pace.steps(work).map_err(|stop| {
            self.budget = 0;
            Reason::Stopped(stop)
        })
    }

    /// Whether no more work is allowed.
    pub fn is_exhausted(&self) -> bool {
        self.budget == 0
    }

    /// The number of a new block.
    pub fn block(&mut self) -> u32 {
        self.blocks += 1;
        self.blocks
    }

    /// The value of an expression of this slot.
    pub fn value(&mut self, state: &State<'p>, slot: Slot, expr: &Expr) -> Result<Value, Reason> {
        let protocol = self.protocol;
        let set_of = |symbol| state.process_set(protocol, symbol);
        let store = &state.actor(slot)?.store;
        Evaluation { slot, store, set_of: &set_of, numbers: &mut self.numbers }.value(expr)
    }

    /// The ghost of the slot's process for this statement that `is_free`, the first such one.
    pub fn ghost(
        &mut self,
        owner: ProcessId,
        statement: StmtId,
        is_free: &dyn Fn(Ghost) -> bool,
    ) -> Ghost {
        let mut count = 0;
        loop {
            let new = Ghost(self.ghosts.len() as u32);
            let ghost = *self.ghosts.entry((owner, statement, count)).or_insert(new);
            if is_free(ghost) {
                return ghost;
            }
            count += 1;
        }
    }

    /// Fails if the set may be empty.
    pub fn not_empty(&self, frame: &Frame<'_>, set: SetId) -> Result<(), Reason> {
        let declared = self.protocol.set(set).at_least >= 1;
        if declared || frame.is_over(set) { Ok(()) } else { Err(Reason::MayBeEmpty) }
    }

    /// The set of processes with this number.
    pub fn process_set(&self, set: u32) -> Result<SetId, Reason> {
        match self.protocol.sets.get(set as usize) {
            Some(it) if it.kind == SetKind::Processes => Ok(SetId(set)),
            _ => Err(Reason::NoSet),
        }
    }

    /// A slot in words.
    pub fn name(&self, state: &State<'p>, slot: Slot) -> String {
        match slot {
            Slot::Process(process) => match self.protocol.processes.get(process as usize) {
                Some(it) => format!("process {}", it.name.text),
                None => format!("process number {process}"),
            },
            Slot::Member(symbol) => match state.symbols.get(&symbol) {
                Some(set) => {
                    format!("member {} of {}", symbol.0, self.protocol.set(*set).name.text)
                }
                None => format!("member {}", symbol.0),
            },
        }
    }

    /// A set in words.
    pub fn set_name(&self, set: SetId) -> String {
        format!("the members of {}", self.protocol.set(set).name.text)
    }
}

fn slot_of(step: &Step) -> Option<Slot> {
    match step {
        Step::Run(slot)
        | Step::Take { slot, .. }
        | Step::Draw { slot, .. }
        | Step::Pick { slot, .. }
        | Step::Fork { slot, .. } => Some(*slot),
        Step::Unfold { symbol, .. } | Step::Fold(symbol) | Step::Each { symbol, .. } => {
            Some(Slot::Member(*symbol))
        }
        Step::Loop(it) => it.slots.first().copied(),
    }
}
