//! What happened in a step, for people: reads, writes and choices on their source lines.

use super::ProgramModel;
use super::code::Instr;
use super::machine::Runner;
use crate::Step;
use ser_base::Limits;
use ser_base::Span;

/// One thing that happened while a step ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StepEvent {
    /// The expression in the source.
    pub span: Span,
    /// What happened.
    pub action: Action,
}

/// The things that happen in steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// A global variable was read.
    ReadGlobal(String, i64),
    /// A global variable was written.
    WriteGlobal(String, i64),
    /// A local variable was written.
    WriteLocal(String, i64),
    /// A nondeterministic choice fell.
    Choose(i64),
    /// The request stopped at a `yield`.
    Yield,
    /// The request responded.
    Respond,
    /// The request ended without a response that counts.
    Abort,
    /// Something was evaluated that needs no word.
    Evaluate,
}

impl ProgramModel {
    /// What happens in a step, in order; empty if the step is not one of this system.
    ///
    /// ```
    /// use ser_base::Limits;
    /// use ser_model::{Action, ProgramModel};
    /// let text = "request main { X := 1; yield; X }";
    /// let model = ProgramModel::new(&ser_syntax::parse(text).program, text, &Limits::default()).unwrap();
    /// let first = model.step_events(&model.system().steps()[0]);
    /// assert!(first.iter().any(|h| h.action == Action::WriteGlobal("X".into(), 1)));
    /// ```
    pub fn step_events(&self, step: &Step) -> Vec<StepEvent> {
        let values = self.system.valuation(step.before);
        let limits = Limits::default();
        let mut runner = Runner::new(&self.code, &self.liveness, &limits);
        runner.with_trail = true;
        let start = &self.continuations[step.from.index()];
        let outcomes = runner.big_step(start, |v| values[v.index()]).unwrap_or_default();
        let wanted = &self.continuations[step.to.index()];
        let footprint = self.system.footprint(step.footprint);
        let trail = outcomes
            .into_iter()
            .filter(|o| {
                o.to == *wanted && o.reads == footprint.reads && o.writes == footprint.writes
            })
            .map(|o| o.trail)
            .min_by_key(Vec::len)
            .unwrap_or_default();
        trail.into_iter().map(|(pc, top)| self.event(pc, top)).collect()
    }

    fn event(&self, pc: u32, top: i64) -> StepEvent {
        let slots = || &self.code.handlers[self.code.handler_of(pc)].slots;
        let action = match self.code.instrs[pc as usize] {
            Instr::LoadGlobal(v) => Action::ReadGlobal(self.code.globals[v.index()].clone(), top),
            Instr::StoreGlobal(v) => Action::WriteGlobal(self.code.globals[v.index()].clone(), top),
            Instr::StoreLocal(slot) => match &slots()[slot as usize] {
                hidden if hidden.starts_with('.') => Action::Evaluate,
                name => Action::WriteLocal(name.clone(), top),
            },
            Instr::Choose(..) => Action::Choose(top),
            Instr::Yield => Action::Yield,
            Instr::Return(_) => Action::Respond,
            Instr::Abort => Action::Abort,
            _ => Action::Evaluate,
        };
        StepEvent { span: self.code.spans[pc as usize], action }
    }
}
