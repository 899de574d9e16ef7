//! The states in which an instance may start.
//!
//! Initial values and assumptions leave some words open: globals without a value, the cells of the
//! heap that somebody can come to, locals without a value. Words are filled in one after the other:
//! what an equation determines first, then what some formula needs next, then the rest. A formula
//! that does not hold ends the attempt. Cells that nobody can come to stay blank, and addresses
//! (and threads, in globals and cells) are numbered in the order in which they come up: the others
//! are the same up to names.
//!
//! Usual values come first. States are listed by the number of unusual ones, so that a list that is
//! cut short has some of each.

use super::choices::{Pools, are_all_tried, conjuncts_of, subsets};
use super::eval::{Scene, eval};
use super::fault::Halt;
use super::heap::{ADDR, ADDRS, TID, TIDS};
use super::memory::{FIELDS, Layout, Word, field_type};
use super::state::place_thread;
use super::step::Machine;
use ser_syntax::inv::ast::{
    Expr, ExprKind, Field, GlobalId, LocalId, Operator, ProcId, Scalar, System, Type,
};

use ser_base::{Limits, Pace, Stop};

/// What is demanded of a state at the start.
#[derive(Clone, Copy)]
enum Demand<'s> {
    /// A word is the value of an expression, for a thread.
    Value(usize, &'s Expr, usize),
    Holds(&'s Expr),
}

/// How the list of states came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Listing {
    /// There are no others, within the bounds.
    Complete,
    /// There may be others.
    Cut,
}

/// Fills in words.
struct Filler<'m, 's> {
    machine: &'m mut Machine<'s>,
    layout: &'m Layout,
    demands: Vec<Demand<'s>>,
    anchors: &'m [GlobalId],
    words: Vec<Word>,
    known: Vec<bool>,
    /// How many unusual values there may still be; a state is told when there are none left.
    unusual: usize,
    /// Whether more of them would have been possible.
    is_cut: bool,
    /// How many more values may be tried.
    work: usize,
    pace: Pace<'m>,
    stop: Option<Stop>,
}

/// How many values are tried in all.
const WORK: usize = 200_000;

/// States that are odder than the most usual one by more than this are left out.
const MAX_ODDITY: usize = 5;

/// Calls `tell` with each state at the start, until it says no.
pub(super) fn initial_states<'s>(
    machine: &mut Machine<'s>,
    layout: &Layout,
    anchors: &[GlobalId],
    limits: &Limits,
    mut tell: impl FnMut(&mut Machine<'s>, &[Word]) -> bool,
) -> Result<Listing, Stop> {
    let mut work = WORK;
    let mut most = usize::MAX;
    for unusual in 0.. {
        if unusual > most {
            break;
        }
        let demands = demands(machine.system, layout);
        let mut filler = Filler {
            words: vec![0; layout.words()],
            known: vec![false; layout.words()],
            machine: &mut *machine,
            layout,
            demands,
            anchors,
            unusual,
            is_cut: false,
            work,
            pace: limits.pace(),
            stop: None,
        };
        for thread in 0..layout.threads {
            let Filler { machine, words, known, .. } = &mut filler;
            place_thread(machine, layout, words, thread);
            known[layout.thread(thread)..=layout.thread(thread) + layout.sites].fill(true);
        }
        let mut tell = |machine: &mut Machine<'s>, words: &[Word]| {
            most = most.min(unusual + MAX_ODDITY);
            tell(machine, words)
        };
        if filler.fill(&mut tell).is_err() {
            return filler.stop.map_or(Ok(Listing::Cut), Err);
        }
        if !filler.is_cut {
            return Ok(Listing::Complete);
        }
        work = filler.work;
    }
    Ok(Listing::Cut)
}

fn demands<'s>(system: &'s System, layout: &Layout) -> Vec<Demand<'s>> {
    let mut demands = Vec::new();
    for (id, global) in (0..).map(GlobalId).zip(&system.globals) {
        if let Some(initial) = &global.initial {
            demands.push(Demand::Value(layout.global(id), initial, 0));
        }
    }
    demands.extend(system.assumptions.iter().flat_map(conjuncts_of).map(Demand::Holds));
    for thread in 0..layout.threads {
        for (id, local) in (0..).map(LocalId).zip(&system.locals) {
            if let Some(initial) = &local.initial {
                demands.push(Demand::Value(layout.local(thread, id), initial, thread));
            }
        }
    }
    demands
}

/// The end of all attempts: too much work, or enough states.
struct Enough;

impl<'s> Filler<'_, 's> {
    /// Fills in what is open, in all ways.
    fn fill(
        &mut self,
        tell: &mut impl FnMut(&mut Machine<'s>, &[Word]) -> bool,
    ) -> Result<(), Enough> {
        let mut filled = Vec::new();
        let result = match self.follow(&mut filled) {
            Ok(needed) => match needed.or_else(|| self.next_open()) {
                Some(slot) => self.branch(slot, tell),
                None if self.unusual > 0 => Ok(()),
                None => match tell(self.machine, &self.words) {
                    true => Ok(()),
                    false => Err(Enough),
                },
            },
            Err(Refused) => Ok(()),
        };
        for slot in filled {
            self.known[slot] = false;
            self.words[slot] = 0;
        }
        result
    }

    fn branch(
        &mut self,
        slot: usize,
        tell: &mut impl FnMut(&mut Machine<'s>, &[Word]) -> bool,
    ) -> Result<(), Enough> {
        let domain = self.domain(slot);
        for (place, word) in domain.into_iter().enumerate() {
            self.work = self.work.checked_sub(1).ok_or(Enough)?;
            if let Err(stop) = self.pace.steps(16 * (1 + self.demands.len())) {
                self.stop = Some(stop);
                return Err(Enough);
            }
            let cost = match place {
                0 => 0,
                _ => self.oddity(slot),
            };
            if cost > self.unusual {
                self.is_cut = true;
                break;
            }
            self.unusual -= cost;
            self.known[slot] = true;
            self.words[slot] = word;
            let result = self.fill(tell);
            self.known[slot] = false;
            self.words[slot] = 0;
            self.unusual += cost;
            result?;
        }
        Ok(())
    }

    /// Fills in what equations determine. Gives a word that some formula needs, if there is one.
    fn follow(&mut self, filled: &mut Vec<usize>) -> Result<Option<usize>, Refused> {
        loop {
            let mut needed = None;
            let before = filled.len();
            for place in 0..self.demands.len() {
                let demand = self.demands[place];
                let outcome = match demand {
                    Demand::Value(slot, expr, me) => match self.eval(expr, me) {
                        Ok(word) if self.known[slot] => Ok(word == self.words[slot]),
                        Ok(word) => {
                            self.set(slot, word, filled);
                            Ok(true)
                        }
                        Err(halt) => Err(halt),
                    },
                    Demand::Holds(formula) => self.eval(formula, 0).map(|word| word != 0),
                };
                match (outcome, demand) {
                    (Ok(true), _) => {}
                    (Err(Halt::Unknown(slot)), Demand::Holds(formula)) => {
                        match self.solve(formula, filled) {
                            Solved::Yes => {}
                            Solved::Needs(slot) => needed = needed.or(Some(slot)),
                            Solved::No => needed = needed.or(Some(slot)),
                        }
                    }
                    (Err(Halt::Unknown(slot)), Demand::Value(..)) => {
                        needed = needed.or(Some(slot));
                    }
                    _ => return Err(Refused),
                }
            }
            // What an equation says of an anchor must be a thread, too.
            let nobody = |slot: usize| self.known[slot] && self.words[slot] == 0;
            if self.anchors.iter().any(|anchor| nobody(self.layout.global(*anchor))) {
                return Err(Refused);
            }
            if filled.len() == before {
                return Ok(needed);
            }
        }
    }

    /// Fills in a word, if the formula is an equation that determines it.
    fn solve(&mut self, formula: &Expr, filled: &mut Vec<usize>) -> Solved {
        let ExprKind::Binary(Operator::Equal, left, right) = &formula.kind else {
            return Solved::No;
        };
        let mut outcome = Solved::No;
        for (open, value) in [(left, right), (right, left)] {
            let Some(slot) = self.open_slot(open) else {
                continue;
            };
            match self.eval(value, 0) {
                Ok(word) => {
                    self.set(slot, word, filled);
                    return Solved::Yes;
                }
                Err(Halt::Unknown(needed)) => outcome = Solved::Needs(needed),
                Err(_) => {}
            }
        }
        outcome
    }

    fn set(&mut self, slot: usize, word: Word, filled: &mut Vec<usize>) {
        self.known[slot] = true;
        self.words[slot] = word;
        filled.push(slot);
    }

    /// The word that an expression is, if it is open.
    fn open_slot(&mut self, expr: &Expr) -> Option<usize> {
        let slot = match &expr.kind {
            ExprKind::Global(global) => self.layout.global(*global),
            ExprKind::Field(address, field) => {
                let address = self.eval(address, 0).ok().filter(|address| *address != 0)?;
                self.layout.field(address, *field)
            }
            _ => return None,
        };
        (!self.known[slot]).then_some(slot)
    }

    fn eval(&mut self, expr: &Expr, me: usize) -> Result<Word, Halt> {
        let scene = Scene {
            layout: self.layout,
            words: &self.words,
            me,
            threads: &[],
            strict: false,
            known: Some(&self.known),
        };
        eval(&mut self.machine.sets, &scene, expr)
    }

    /// The next word that is live and open.
    fn next_open(&self) -> Option<usize> {
        let is_open = |slot: &usize| !self.known[*slot];
        let globals = 0..self.layout.globals;
        let reached = self.reached();
        let cells = (1..=self.layout.cells).filter(|cell| reached[*cell]);
        let fields =
            cells.flat_map(|cell| FIELDS.map(|field| self.layout.field(cell as Word, field)));
        let locals = self.layout.globals..self.layout.thread(self.layout.threads);
        let locals = locals.filter(|slot| self.is_live(*slot));
        globals.chain(fields).chain(locals).find(is_open)
    }

    /// Whether a word of a thread is live at the start.
    fn is_live(&self, slot: usize) -> bool {
        let place = (slot - self.layout.globals) % self.layout.stride();
        let entry = self.machine.flow.entry(ProcId(0)).0 as usize;
        !self.machine.liveness.dead(entry).contains(&(place as u32))
    }

    /// The cells that one can come to, as far as is known.
    fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.layout.cells + 1];
        let kinds = &self.machine.kinds;
        let mut pending: Vec<Word> = Vec::new();
        let is_known = |slot: &usize| self.known[*slot];
        pending
            .extend(kinds.slots(self.layout, ADDR).filter(is_known).map(|slot| self.words[slot]));
        for slot in kinds.slots(self.layout, ADDRS).filter(is_known) {
            pending.extend(self.machine.sets.members(self.words[slot]));
        }
        while let Some(cell) = pending.pop() {
            if cell == 0 || std::mem::replace(&mut reached[cell as usize], true) {
                continue;
            }
            let next = self.layout.field(cell, Field::Next);
            if self.known[next] {
                pending.push(self.words[next]);
            }
        }
        reached
    }

    fn type_of(&self, slot: usize) -> Type {
        let (layout, system) = (self.layout, self.machine.system);
        if slot < layout.globals {
            return system.globals[slot].ty;
        }
        let cells = layout.thread(layout.threads);
        if slot >= cells {
            return field_type(FIELDS[(slot - cells) % FIELDS.len()]);
        }
        let place = (slot - layout.globals) % layout.stride();
        system.locals[place - 1 - layout.sites].ty
    }

    /// How odd it is that a word does not have its usual value at the start. Cells are rarely
    /// locked then.
    fn oddity(&self, slot: usize) -> usize {
        let cells = self.layout.thread(self.layout.threads);
        let field = slot.checked_sub(cells).map(|place| FIELDS[place % FIELDS.len()]);
        if field == Some(Field::Lockid) { 3 } else { 1 }
    }

    /// The values that an open word may have, the usual one first.
    fn domain(&mut self, slot: usize) -> Vec<Word> {
        let is_local =
            (self.layout.globals..self.layout.thread(self.layout.threads)).contains(&slot);
        let threads = match is_local {
            true => self.layout.threads,
            false => self.threads_so_far(),
        };
        let cells = self.cells_so_far();
        let ty = self.type_of(slot);
        self.machine.sampled |= !are_all_tried(ty);
        let pools = &self.machine.pools;
        match ty {
            Type::Bool => vec![0, 1],
            Type::Scalar(scalar) => {
                let mut words = scalars(pools, scalar, threads, cells);
                if self.anchors.iter().any(|anchor| self.layout.global(*anchor) == slot) {
                    words.retain(|word| *word != 0);
                }
                words
            }
            Type::Set(scalar) => {
                let mut members = match scalar {
                    Scalar::Int => pools.members.clone(),
                    _ => scalars(pools, scalar, threads, cells),
                };
                subsets(&mut self.machine.sets, &mut members)
            }
        }
    }

    /// One more than the addresses that have come up.
    fn cells_so_far(&self) -> usize {
        let reached = self.reached();
        let last = reached.iter().rposition(|reached| *reached).unwrap_or(0);
        (last + 1).min(self.layout.cells)
    }

    /// One more than the threads that globals and cells speak of.
    fn threads_so_far(&self) -> usize {
        let kinds = &self.machine.kinds;
        let words = |slot: usize| if self.known[slot] { self.words[slot] } else { 0 };
        let globals = kinds.globals(TID).iter().map(|id| words(self.layout.global(*id)));
        let cells = (1..=self.layout.cells as Word)
            .map(|cell| words(self.layout.field(cell, Field::Lockid)));
        let sets = kinds.globals(TIDS).iter().map(|id| words(self.layout.global(*id)));
        let members = sets.map(|set| self.machine.sets.members(set).last().copied().unwrap_or(0));
        let last = globals.chain(cells).chain(members).max().unwrap_or(0);
        (last as usize + 1).min(self.layout.threads)
    }
}

/// A demand is not met.
struct Refused;

/// What comes of an equation.
enum Solved {
    /// It has determined a word.
    Yes,
    /// It would, if that word were known.
    Needs(usize),
    /// It is of another kind.
    No,
}

fn scalars(pools: &Pools, scalar: Scalar, threads: usize, cells: usize) -> Vec<Word> {
    match scalar {
        Scalar::Int => pools.ints.clone(),
        // Those between first.
        Scalar::Elem => {
            let mut elems = pools.elems.clone();
            if !elems.is_empty() {
                elems.rotate_left(1);
            }
            elems
        }
        Scalar::Tid => (0..=threads as Word).collect(),
        Scalar::Addr => (0..=cells as Word).collect(),
    }
}

/// The globals that are one thread forever, ascending.
pub(super) fn anchors(system: &System) -> Vec<GlobalId> {
    let numbered = (0..).map(GlobalId).zip(&system.globals);
    numbered.filter(|(_, global)| global.fixed).map(|(id, _)| id).collect()
}
