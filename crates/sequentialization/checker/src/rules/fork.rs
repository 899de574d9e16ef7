//! `Fork`: a slot's `if`, `while` or `match` is not decided, and all cases are derived.
//!
//! Each arm holds for the runs that take its case, and all arms end alike, so what is derived
//! afterwards holds for all runs. A case that cannot be may have an arm: what is derived there is
//! about no run.

use crate::derivation::{Slot, Step};
use crate::join::join_arms;
use crate::kernel::{Context, Kernel};
use crate::refine::refine;
use crate::rejection::{Part, Reason, Rejection};
use crate::rules::run::enter_arm;
use crate::sequential::Sequential;
use crate::state::State;
use crate::value::Value;
use ser_syntax::icet::ast::{
    Arm, ConstructorId, Expr, MessageId, ProcessId, Stmt, StmtKind, Type, VarId,
};

impl Context<'_, '_> {
    /// [`Step::Fork`].
    pub(crate) fn fork(&mut self, slot: Slot, arms: &[Vec<Step>]) -> Result<(), Rejection> {
        let mut cases = cases(self.kernel, self.state, slot)?;
        if cases.len() != arms.len() {
            return Err(Reason::Arms { given: arms.len(), wanted: cases.len() }.into());
        }
        for (number, (case, steps)) in cases.iter_mut().zip(arms).enumerate() {
            self.kernel.spend(case.state.weight())?;
            let done = self.kernel.steps(self.frame, &mut case.state, steps);
            done.map_err(|it| it.within(Part::Arm(number), None))?;
        }
        let mut joined = join(self.kernel, self.state, slot, cases)?;
        let mut program = std::mem::take(&mut self.state.program);
        program.append(&mut joined.program);
        *self.state = State { program, ..joined };
        Ok(())
    }
}

/// One arm of a fork.
#[derive(Clone)]
pub struct Case<'p> {
    /// Which constructor the message of a `match` has.
    pub constructor: Option<ConstructorId>,
    /// The state in the arm.
    pub state: State<'p>,
}

/// The starts of the arms of the statement that the slot is at.
pub fn cases<'p>(
    kernel: &mut Kernel<'p>,
    state: &State<'p>,
    slot: Slot,
) -> Result<Vec<Case<'p>>, Reason> {
    let statement = state.actor(slot)?.code.statement().ok_or(Reason::NothingLeft)?;
    match &statement.kind {
        StmtKind::If { condition, then, otherwise } => {
            let blocks = [then.as_slice(), otherwise.as_slice()];
            branches(kernel, state, slot, condition.as_ref(), blocks, false)
        }
        StmtKind::While { condition, body } => {
            branches(kernel, state, slot, Some(condition), [body.as_slice(), &[]], true)
        }
        StmtKind::Match { variable, arms } => {
            constructors(kernel, state, slot, statement, *variable, arms)
        }
        _ => Err(Reason::WrongStatement { found: "which has no cases".to_owned() }),
    }
}

/// The state after a fork of the slot in `before`, whose arms have come to these ends. Its program
/// is the fork alone.
pub fn join<'p>(
    kernel: &mut Kernel<'p>,
    before: &State<'p>,
    slot: Slot,
    ends: Vec<Case<'p>>,
) -> Result<State<'p>, Reason> {
    let statement = before.actor(slot)?.code.statement().ok_or(Reason::NothingLeft)?;
    let (constructors, mut ends): (Vec<_>, Vec<_>) =
        ends.into_iter().map(|case| (case.constructor, case.state)).unzip();
    let mut joined = join_arms(kernel, before, &mut ends)?;
    let programs: Vec<_> = ends.into_iter().map(|end| end.program).collect();
    let sequential = in_words(kernel, before, slot, statement, constructors, programs)?;
    joined.program = vec![sequential];
    Ok(joined)
}

fn start<'p>(kernel: &mut Kernel<'p>, state: &State<'p>) -> Result<State<'p>, Reason> {
    kernel.spend(state.weight())?;
    let program = Vec::new();
    let mut start = State { program, ..state.clone() };
    start.block = kernel.block();
    Ok(start)
}

fn branches<'p>(
    kernel: &mut Kernel<'p>,
    state: &State<'p>,
    slot: Slot,
    condition: Option<&'p Expr>,
    blocks: [&'p [Stmt]; 2],
    again: bool,
) -> Result<Vec<Case<'p>>, Reason> {
    let mut starts = Vec::new();
    for (holds, block) in [true, false].into_iter().zip(blocks) {
        let mut state = start(kernel, state)?;
        let code = &mut state.actor_mut(slot)?.code;
        if !(again && holds) {
            code.advance();
        }
        code.enter(block);
        if let Some(condition) = condition {
            refine(kernel, &mut state, slot, condition, holds)?;
        }
        starts.push(Case { constructor: None, state });
    }
    Ok(starts)
}

fn constructors<'p>(
    kernel: &mut Kernel<'p>,
    state: &State<'p>,
    slot: Slot,
    statement: &'p Stmt,
    variable: VarId,
    arms: &'p [Arm],
) -> Result<Vec<Case<'p>>, Reason> {
    let actor = state.actor(slot)?;
    let message = message_type(kernel, actor.process, variable)?;
    let value = actor.store.variables.get(&variable).cloned();
    let (number, cases) = match value {
        Some(Value::Message(constructor, fields)) => (None, vec![(constructor, fields)]),
        Some(Value::Choice(number, cases)) => (Some(number), cases),
        value => {
            let number = match value {
                Some(Value::Unknown(number)) => Some(number),
                _ => None,
            };
            let types = &kernel.protocol.message(message).constructors;
            kernel.spend(types.iter().map(|it| 1 + it.fields.len()).sum())?;
            let types = types.iter().enumerate();
            let cases = types.map(|(place, it)| {
                let fields = it.fields.iter().map(|_| kernel.numbers.unknown()).collect();
                (ConstructorId(place as u32), fields)
            });
            (number, cases.collect())
        }
    };
    let mut starts = Vec::new();
    for (constructor, fields) in cases {
        let mut state = start(kernel, state)?;
        let known = Value::Message(constructor, fields.clone());
        if let Some(number) = number {
            state.substitute(number, &known)?;
        }
        state.actor_mut(slot)?.store.variables.insert(variable, known);
        enter_arm(&mut state, slot, statement, variable, arms, constructor, fields)?;
        starts.push(Case { constructor: Some(constructor), state });
    }
    Ok(starts)
}

fn message_type(
    kernel: &Kernel<'_>,
    process: ProcessId,
    variable: VarId,
) -> Result<MessageId, Reason> {
    let variables = &kernel.protocol.process(process).variables;
    match variables.get(variable.0 as usize).map(|it| it.ty) {
        Some(Type::Message(message)) => Ok(message),
        _ => Err(Reason::NoVariable),
    }
}

fn in_words<'p>(
    kernel: &Kernel<'p>,
    state: &State<'p>,
    slot: Slot,
    statement: &Stmt,
    constructors: Vec<Option<ConstructorId>>,
    programs: Vec<Vec<Sequential>>,
) -> Result<Sequential, Reason> {
    let (who, from) = (slot, statement.id);
    if let StmtKind::Match { variable, .. } = &statement.kind {
        let message = message_type(kernel, state.actor(slot)?.process, *variable)?;
        let cases = constructors.into_iter().flatten().zip(programs).collect();
        return Ok(Sequential::Match { who, variable: *variable, message, cases, from });
    }
    let condition = match &statement.kind {
        StmtKind::If { condition, .. } => condition.clone(),
        StmtKind::While { condition, .. } => Some(condition.clone()),
        _ => None,
    };
    let mut programs = programs.into_iter();
    let then = programs.next().unwrap_or_default();
    let otherwise = programs.next().unwrap_or_default();
    Ok(Sequential::If { who, condition, then, otherwise, from })
}
