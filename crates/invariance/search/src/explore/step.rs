//! One step of one thread, as the crate [`ser_invariance_checker`] describes it.
//!
//! The paths of a location are not listed. While a step is executed, it is known which of them are
//! still possible: a range of numbers, which halves (so to speak) at every `if`. At the end of the
//! step one is left.

use super::choices::{Oracle, Pools, are_all_tried, new_cells, values};
use super::eval::{Scene, eval};
use super::fault::Halt;
use super::flow::{Flow, first_of, ways, ways_of};
use super::heap::{Kinds, held};
use super::liveness::Liveness;
use super::memory::{Layout, Word, tid};
use super::sets::Sets;
use ser_invariance_checker::run::{Fault, FaultKind};
use ser_syntax::inv::ast::{
    Action, ActionKind, Expr, Field, LocId, Place, ProcId, StmtKind, System, Type,
};

/// A program, made ready to be executed.
pub(super) struct Machine<'s> {
    pub system: &'s System,
    pub flow: Flow<'s>,
    pub kinds: Kinds,
    pub pools: Pools,
    pub liveness: Liveness,
    pub sets: Sets,
    /// Whether something had more values than were tried.
    pub sampled: bool,
}

impl<'s> Machine<'s> {
    pub fn new(system: &'s System, pools: Pools) -> Machine<'s> {
        Machine {
            system,
            flow: Flow::new(system),
            kinds: Kinds::new(system),
            pools,
            liveness: Liveness::all(system),
            sets: Sets::default(),
            sampled: false,
        }
    }

    pub fn layout(&self, threads: usize, cells: usize) -> Layout {
        Layout::new(self.system, self.flow.with_site().len(), threads, cells)
    }
}

/// A step in the middle.
pub(super) struct Stepper<'m, 's, 'o, 'v> {
    pub machine: &'m mut Machine<'s>,
    pub layout: &'m Layout,
    /// The state, which changes.
    pub words: &'m mut [Word],
    pub me: usize,
    pub oracle: &'o mut Oracle<'v>,
    /// What was chosen, with its type.
    pub chosen: &'o mut Vec<(Type, Word)>,
    /// The first path that is still possible.
    low: u64,
    /// How many paths are still possible.
    width: u64,
}

impl<'m, 's, 'o, 'v> Stepper<'m, 's, 'o, 'v> {
    pub fn new(
        machine: &'m mut Machine<'s>,
        layout: &'m Layout,
        words: &'m mut [Word],
        me: usize,
        oracle: &'o mut Oracle<'v>,
        chosen: &'o mut Vec<(Type, Word)>,
    ) -> Stepper<'m, 's, 'o, 'v> {
        chosen.clear();
        Stepper { machine, layout, words, me, oracle, chosen, low: 0, width: 0 }
    }

    /// The paths that fit what was done: of a step that came to its end, exactly one.
    pub fn paths(&self) -> std::ops::Range<u64> {
        self.low..self.low.saturating_add(self.width)
    }

    /// Executes the step.
    pub fn step(&mut self) -> Result<(), Halt> {
        let at = self.words[self.layout.location(self.me)];
        let location = u32::try_from(at).map(LocId).map_err(|_| Halt::NoPath)?;
        let node = self.machine.flow.node(location).ok_or(Halt::NoPath)?;
        let statement = node.statement;
        self.low = 0;
        self.width = self.machine.flow.paths(location);
        let next = match &statement.kind {
            StmtKind::Step(step) => {
                self.actions(step.actions())?;
                node.after
            }
            StmtKind::If { condition, then, otherwise } => {
                let ghost = ways(&statement.ghost);
                match self.test(condition, ghost, ghost)? {
                    true => first_of(then, node.after),
                    false => first_of(otherwise, node.after),
                }
            }
            StmtKind::While { condition, body, .. } => {
                let ghost = ways(&statement.ghost);
                match self.test(condition, ghost, ghost)? {
                    true => first_of(body, location),
                    false => node.after,
                }
            }
            StmtKind::Choice(branches) => {
                let branch = self.branch(branches.len())?;
                first_of(branches.get(branch).ok_or(Halt::NoPath)?, node.after)
            }
            StmtKind::Match(cases) => {
                let mut fits = None;
                for (number, (condition, case)) in cases.iter().enumerate() {
                    if self.eval(condition)? != 0 {
                        fits = Some((number, case));
                        break;
                    }
                }
                let (number, case) = fits.ok_or(Halt::NoPath)?;
                self.narrow(number as u64, cases.len() as u64);
                first_of(case, node.after)
            }
            StmtKind::Break | StmtKind::Continue => node.after,
            StmtKind::Call { procedure, arguments, .. } => {
                self.call(location, *procedure, arguments)?;
                self.machine.flow.entry(*procedure)
            }
            StmtKind::Return(value) => {
                return self.back(node.procedure, value.as_ref(), &statement.ghost);
            }
        };
        self.actions(&statement.ghost)?;
        self.go(next);
        self.finish()
    }

    fn go(&mut self, location: LocId) {
        self.words[self.layout.location(self.me)] = Word::from(location.0);
    }

    /// Whether the values that were given are exactly those that were needed, for exactly this
    /// path.
    fn finish(&self) -> Result<(), Halt> {
        match &*self.oracle {
            Oracle::Every { .. } => Ok(()),
            Oracle::Given { path, values, asked } => {
                let fits = self.low == *path && values.len() == *asked;
                if fits { Ok(()) } else { Err(Halt::NoPath) }
            }
        }
    }

    /// Keeps the `number`-th of `count` equal parts of the paths that are left.
    fn narrow(&mut self, number: u64, count: u64) {
        self.width = self.width.checked_div(count).unwrap_or(0);
        self.low = self.low.saturating_add(number.saturating_mul(self.width));
    }

    fn branch(&mut self, count: usize) -> Result<usize, Halt> {
        let part = self.width.checked_div(count as u64).filter(|part| *part > 0);
        let part = part.ok_or(Halt::NoPath)?;
        let branch = match self.oracle {
            Oracle::Every { picks, asked } => Oracle::pick(picks, asked, count),
            Oracle::Given { path, .. } => usize::try_from(*path / part)
                .ok()
                .filter(|branch| *branch < count)
                .ok_or(Halt::NoPath)?,
        };
        self.narrow(branch as u64, count as u64);
        Ok(branch)
    }

    /// Evaluates a condition: the first `yes` shares of the paths are those in which it holds, the
    /// other `no` those in which it does not.
    fn test(&mut self, condition: &Expr, yes: u64, no: u64) -> Result<bool, Halt> {
        let holds = self.eval(condition)? != 0;
        let share = self.width.checked_div(yes.saturating_add(no)).unwrap_or(0);
        match holds {
            true => self.width = share.saturating_mul(yes),
            false => {
                self.low = self.low.saturating_add(share.saturating_mul(yes));
                self.width = share.saturating_mul(no);
            }
        }
        Ok(holds)
    }

    fn eval(&mut self, expr: &Expr) -> Result<Word, Halt> {
        self.eval_in(expr, true)
    }

    fn eval_in(&mut self, expr: &Expr, strict: bool) -> Result<Word, Halt> {
        let scene = Scene {
            layout: self.layout,
            words: self.words,
            me: self.me,
            threads: &[],
            strict,
            known: None,
        };
        eval(&mut self.machine.sets, &scene, expr)
    }

    fn call(&mut self, from: LocId, callee: ProcId, arguments: &[Expr]) -> Result<(), Halt> {
        let system = self.machine.system;
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.eval(argument)?);
        }
        let procedure = system.procedures.get(callee.0 as usize).ok_or(Halt::NoPath)?;
        for (parameter, value) in procedure.parameters.iter().zip(values) {
            self.words[self.layout.local(self.me, *parameter)] = value;
        }
        if let Some(site) = self.machine.flow.site(callee) {
            self.words[self.layout.site(self.me, site)] = Word::from(from.0);
        }
        Ok(())
    }

    fn back(&mut self, from: ProcId, value: Option<&Expr>, ghost: &[Action]) -> Result<(), Halt> {
        if from == ProcId(0) {
            return Err(Halt::Waits);
        }
        // Where it goes back to is known before anything is evaluated: a fault has the path, too.
        let calls = self.machine.flow.calls(from);
        let number = match self.machine.flow.site(from) {
            None => 0,
            Some(site) => {
                let site = self.words[self.layout.site(self.me, site)];
                calls
                    .iter()
                    .position(|call| Word::from(call.location.0) == site)
                    .ok_or(Halt::NoPath)?
            }
        };
        let call = *calls.get(number).ok_or(Halt::NoPath)?;
        let count = calls.len() as u64;
        self.narrow(number as u64, count);
        let value = value.map(|value| self.eval(value)).transpose()?;
        self.actions(ghost)?;
        if let (Some(target), Some(value)) = (call.target, value) {
            self.assign(target, value)?;
        }
        self.go(call.after);
        self.finish()
    }

    fn actions(&mut self, actions: &[Action]) -> Result<(), Halt> {
        actions.iter().try_for_each(|action| self.action(action))
    }

    fn action(&mut self, action: &Action) -> Result<(), Halt> {
        let fault = |kind| Err(Fault { kind, span: action.span }.into());
        match &action.kind {
            ActionKind::Assign { target: Place::Field(address, field), value } => {
                let address = self.eval(address)?;
                let value = self.eval(value)?;
                if address == 0 {
                    return fault(FaultKind::NullWrite);
                }
                self.words[self.layout.field(address, *field)] = value;
                Ok(())
            }
            ActionKind::Assign { target, value } => {
                let value = self.eval(value)?;
                self.assign(target, value)
            }
            ActionKind::Havoc { target, condition } => {
                let ty = self.type_of(target);
                let value = self.any_value(ty)?;
                self.assign(target, value)?;
                match condition {
                    Some(condition) if self.eval_in(condition, false)? == 0 => Err(Halt::Waits),
                    _ => Ok(()),
                }
            }
            ActionKind::Malloc { target, data, next } => {
                let data = self.eval(data)?;
                let next = self.eval(next)?;
                let cell = self.new_cell()?;
                self.words[self.layout.field(cell, Field::Data)] = data;
                self.words[self.layout.field(cell, Field::Next)] = next;
                self.words[self.layout.field(cell, Field::Lockid)] = 0;
                self.assign(target, cell)
            }
            ActionKind::Lock(address) => {
                let address = self.eval(address)?;
                if address == 0 {
                    return fault(FaultKind::NullLock);
                }
                let lockid = self.layout.field(address, Field::Lockid);
                if self.words[lockid] != 0 {
                    return Err(Halt::Waits);
                }
                self.words[lockid] = tid(self.me);
                Ok(())
            }
            ActionKind::Unlock(address) => {
                let address = self.eval(address)?;
                if address == 0 {
                    return fault(FaultKind::NullUnlock);
                }
                let lockid = self.layout.field(address, Field::Lockid);
                if self.words[lockid] != tid(self.me) {
                    return fault(FaultKind::ForeignUnlock);
                }
                self.words[lockid] = 0;
                Ok(())
            }
            ActionKind::Await(condition) => match self.eval(condition)? {
                0 => Err(Halt::Waits),
                _ => Ok(()),
            },
            ActionKind::Assert(condition) => match self.eval(condition)? {
                0 => fault(FaultKind::Assertion),
                _ => Ok(()),
            },
            ActionKind::If { condition, then, otherwise } => {
                let whole = ways_of(action);
                let (yes, no) = (ways(then), ways(otherwise));
                debug_assert_eq!(whole, yes.saturating_add(no));
                match self.test(condition, yes, no)? {
                    true => self.actions(then),
                    false => self.actions(otherwise),
                }
            }
        }
    }

    fn assign(&mut self, target: &Place, value: Word) -> Result<(), Halt> {
        let slot = match target {
            Place::Global(global) => self.layout.global(*global),
            Place::Local(local) => self.layout.local(self.me, *local),
            Place::Field(expr, field) => {
                let address = self.eval(expr)?;
                if address == 0 {
                    return Err(Fault { kind: FaultKind::NullWrite, span: expr.span }.into());
                }
                self.layout.field(address, *field)
            }
        };
        self.words[slot] = value;
        Ok(())
    }

    fn type_of(&self, target: &Place) -> Type {
        let system = self.machine.system;
        match target {
            Place::Global(global) => system.globals[global.0 as usize].ty,
            Place::Local(local) => system.locals[local.0 as usize].ty,
            Place::Field(_, field) => super::memory::field_type(*field),
        }
    }

    fn any_value(&mut self, ty: Type) -> Result<Word, Halt> {
        let value = match self.oracle {
            Oracle::Every { picks, asked } => {
                let Machine { pools, kinds, sets, sampled, .. } = &mut *self.machine;
                *sampled |= !are_all_tried(ty);
                let values = values(pools, kinds, self.layout, self.words, sets, ty);
                let pick = Oracle::pick(picks, asked, values.len());
                *values.get(pick).ok_or(Halt::Waits)?
            }
            Oracle::Given { .. } => self.given(ty)?,
        };
        self.chosen.push((ty, value));
        Ok(value)
    }

    fn new_cell(&mut self) -> Result<Word, Halt> {
        let ty = super::memory::field_type(Field::Next);
        let Machine { kinds, sets, .. } = &*self.machine;
        let cell = match self.oracle {
            Oracle::Every { picks, asked } => {
                let cells = new_cells(kinds, self.layout, self.words, sets);
                if cells.is_empty() {
                    return Err(Halt::NoCell);
                }
                let pick = Oracle::pick(picks, asked, cells.len());
                *cells.get(pick).ok_or(Halt::NoCell)?
            }
            Oracle::Given { .. } => {
                let held = held(kinds, self.layout, self.words, sets);
                let cell = self.given(ty)?;
                let is_free = cell != 0 && held.get(cell as usize) == Some(&false);
                is_free.then_some(cell).ok_or(Halt::Waits)?
            }
        };
        self.chosen.push((ty, cell));
        Ok(cell)
    }

    /// The next of the values that are given, which must be of this type.
    fn given(&mut self, ty: Type) -> Result<Word, Halt> {
        let Oracle::Given { values, asked, .. } = self.oracle else {
            return Err(Halt::NoPath);
        };
        let (has, value) = *values.get(*asked).ok_or(Halt::NoPath)?;
        let fits = match (has, ty) {
            (Some(has), _) => has == ty,
            (None, ty) => matches!(ty, Type::Set(_)),
        };
        *asked += 1;
        fits.then_some(value).ok_or(Halt::NoPath)
    }
}
